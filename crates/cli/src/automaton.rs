//! `tern automaton`: the automaton of a path formula, in the HOA format.

use crate::args::{Acceptance, AutomatonArgs};
use crate::failure::{Failure, Status};
use crate::limits::Limits;
use crate::terminal::Terminal;
use tern_front::Wrong;
use tern_front::{Source, claims, hoa};
use tern_model::{Claim, Claims, Formula};

/// Runs the subcommand.
pub(crate) fn run(args: &AutomatonArgs, terminal: &Terminal) -> Result<Status, Failure> {
    let limits = Limits::new(args.timeout, None);
    let budget = limits.budget();
    let mut claims = Claims::new();
    claims::read_one(&mut claims, &args.formula).map_err(|problems| {
        let source = Source::new("the formula", args.formula.as_str());
        Failure::Input(vec![Wrong { source, problems }])
    })?;
    let written = claims.list().first().and_then(Claim::formula);
    let mut path = written.expect("a formula was read");
    let formulas = &mut claims.formulas;
    // A quantifier in front is not about the path itself.
    if let Formula::All(inner) | Formula::Exists(inner) = formulas.get(path) {
        path = inner;
    }
    if args.negation {
        path = formulas.make(Formula::Not(path));
    }
    let automaton = match args.acceptance {
        Acceptance::Generalised => tern_automata::translate(formulas, path, &budget),
        Acceptance::Buchi => tern_automata::translate(formulas, path, &budget)
            .and_then(|automaton| tern_automata::degeneralise(&automaton, &budget)),
        Acceptance::State => tern_automata::translate_state_based(formulas, path, &budget),
    };
    let automaton = automaton.map_err(Failure::Limit)?;
    terminal.print(&hoa::write(&automaton, formulas))?;
    Ok(Status::Good)
}

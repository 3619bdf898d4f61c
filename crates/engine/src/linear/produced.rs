//! Claims about runs of programs that are produced on demand: only what the search comes to is
//! asked for, and a [`Part`] keeps it.

use super::source::{self, Produced};
use super::{Decision, Lasso, Method, Question, Wanted, ask, automaton_of, with_proof};
use crate::streett::{Fair, Sides, split};
use tern_automata::{Complement, Tableau};
use tern_model::space::{Lent, Part, Space, SpaceError};
use tern_model::{Acceptor, Automaton, Budget, FormulaId, Formulas, Gap, Limit, Machine};

/// Decides a claim about runs, on a machine that is asked for its nodes one by one. The part keeps
/// what was asked.
pub(crate) fn decide_on_the_fly(
    machine: &Machine,
    formulas: &Formulas,
    question: Question,
    part: &mut Part,
    wanted: Wanted,
    budget: &Budget,
) -> Result<Decision, Limit> {
    let split = split(formulas, question.sought);
    let sides = split.sides();
    let tableau = Tableau::of(formulas, split.rest, budget);
    let mut fair = Fair::split_off(tableau, formulas, &sides, budget);
    let labels = source::labels(formulas, fair.propositions());
    let mut space = Lent::new(machine);
    let found = question.holds_if_found;
    let decision = part.retell(&mut space, &labels).and_then(|()| {
        ask_space((&mut space, part), false, formulas, &mut fair, found, wanted, budget)
    });
    let mut decision = decision.map_err(|error| match error {
        SpaceError::Limit(limit) => limit,
        other => unreachable!("a machine that is there does not fail: {other}"),
    })?;
    decision.culprit = decision.culprit.map(|node| part.node_outside(node));
    for Lasso { at, run } in &mut decision.runs {
        *at = part.node_outside(*at);
        match run {
            Ok(run) => *run = part.run_outside(run),
            Err(moves) => moves.iter_mut().for_each(|step| *step = part.move_outside(*step)),
        }
    }
    Ok(with_proof(machine, formulas, question, decision, wanted, budget))
}

/// Decides a claim about runs on a space, which was told the propositions. What is found is in the
/// ids of the part, without proof.
pub(crate) fn decide_space<S: Space>(
    program: (&mut S, &mut Part),
    formulas: &Formulas,
    question: Question,
    method: Method,
    wanted: Wanted,
    budget: &Budget,
) -> Result<Decision, SpaceError> {
    let found = question.holds_if_found;
    if method == Method::Tableau {
        let split = split(formulas, question.sought);
        let sides = split.sides();
        let tableau = Tableau::of(formulas, split.rest, budget);
        let mut fair = Fair::split_off(tableau, formulas, &sides, budget);
        return ask_space(program, true, formulas, &mut fair, found, wanted, budget);
    }
    let shape = automaton_of(formulas, question, budget)?;
    let mut fair = shape.acceptor(budget);
    ask_space(program, true, &shape.formulas, &mut fair, found, wanted, budget)
}

/// Decides on a space whether an automaton accepts no run, or, if it is the complement that is
/// wanted, every run; of those on which each of the conditions holds again and again. The space was
/// told the propositions; what is found is in the ids of the part, without proof.
pub(crate) fn decide_automaton_on_space<S: Space>(
    program: (&mut S, &mut Part),
    formulas: &Formulas,
    automaton: &Automaton,
    complement: bool,
    (conditions, pairs): (&[FormulaId], &[Sides]),
    wanted: Wanted,
    budget: &Budget,
) -> Result<Decision, Gap> {
    let decision = if complement {
        let inner = Complement::new(automaton, budget).map_err(Gap::Limit)?;
        let mut fair = Fair::new(inner, formulas, conditions, pairs, budget)?;
        ask_space(program, true, formulas, &mut fair, false, wanted, budget)
    } else {
        let mut fair = Fair::new(automaton.clone(), formulas, conditions, pairs, budget)?;
        ask_space(program, true, formulas, &mut fair, false, wanted, budget)
    };
    Ok(decision?)
}

/// Looks for runs of a space, which was told what the acceptor reads. What is found is in the ids
/// of the part. The space may be without end, if it is so said.
fn ask_space<S: Space, A: Acceptor>(
    (space, part): (&mut S, &mut Part),
    endless: bool,
    formulas: &Formulas,
    acceptor: &mut A,
    holds_if_found: bool,
    wanted: Wanted,
    budget: &Budget,
) -> Result<Decision, SpaceError> {
    let labels = source::labels(formulas, acceptor.propositions());
    let mut source = Produced::new(space, part, &labels, endless, budget)?;
    match ask(&mut source, acceptor, holds_if_found, wanted, budget) {
        Ok(decision) => Ok(decision),
        Err(limit) => Err(source.cause(limit)),
    }
}

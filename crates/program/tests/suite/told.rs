//! Runs that are told of claims which fail: the interpreter must find them, and a claim about runs
//! must be false on one that repeats itself.

use crate::proofs::Case;
use tern_certify::lasso;
use tern_ir::flow::Flow;
use tern_model::{Formula, FormulaId, Formulas};
use tern_numeric::check::{Decision, Verdict};
use tern_numeric::story::{Ending, Subject};
use tern_program::c::claim::Meanings;
use tern_program::c::lower::Settings;
use tern_program::c::story::{Replay, Seen, Told, replay, unfold};
use tern_program::c::syntax::Unit;

/// The run that is told of a failure, and the variables of its states.
pub(crate) fn told<'a>(
    flow: &'a Flow,
    decision: &'a Decision,
    meanings: &Meanings,
) -> (Vec<Told>, &'a [String]) {
    let Verdict::Fails { point, values } = &decision.verdict else { return (Vec::new(), &[]) };
    let flow = decision.about.as_deref().unwrap_or(flow);
    let told = unfold(flow, (*point, values), &decision.story, meanings, |_| String::new());
    (told, &flow.variables)
}

/// What a formula without quantifiers is on a run that repeats itself.
fn on_lasso(formulas: &Formulas, root: FormulaId, names: &[&str], seen: &Seen) -> Option<bool> {
    let (truths, back) = (seen.truths.as_ref()?, seen.repeats?);
    let is_plain = |&it: &FormulaId| !formulas.get(it).is_quantifier();
    if !formulas.subformulas(root).iter().all(is_plain) {
        return None;
    }
    let leaf = |leaf: FormulaId, at: usize| {
        let Formula::Atom(atom) = formulas.get(leaf) else { panic!("it has no quantifiers") };
        let number = names.iter().position(|it| *it == formulas.atom_name(atom));
        truths[at][number.expect("all are asked about")]
    };
    let truth = lasso::evaluate(formulas, root, back, truths.len() - 1 - back, leaf)?;
    truth.at(root, 0)
}

/// Has the interpreter find the run of a failure; says whether that shows the failure.
pub(crate) fn is_shown(
    case: &Case<'_>,
    (unit, settings): (&Unit, &Settings),
    decision: &Decision,
) -> bool {
    let (told, variables) = told(case.flow, decision, case.meanings);
    let atoms = case.formulas.atoms_of(case.root);
    let names: Vec<&str> = atoms.iter().map(|&atom| case.formulas.atom_name(atom)).collect();
    let found = replay(unit, settings, variables, &told, &names);
    assert_ne!(found, Replay::Missing, "there is no such run: {told:#?}");
    let (Replay::Found(seen), [part]) = (&found, decision.story.as_slice()) else { return false };
    let is_whole = part.of == Subject::Formula(case.root);
    let truth = on_lasso(case.formulas, case.root, &names, seen).filter(|_| is_whole);
    assert_ne!(truth, Some(true), "the claim is true on this run: {told:#?}");
    assert_spoiled_runs_are_refused((unit, settings), variables, &told);
    truth == Some(false)
}

/// Changes a value in the last states of a run that goes on for ever: there must be no such run, or
/// none that is known to repeat itself.
fn assert_spoiled_runs_are_refused(
    (unit, settings): (&Unit, &Settings),
    variables: &[String],
    told: &[Told],
) {
    let [part] = told else { return };
    let (Ending::Loop(_) | Ending::Grows(_)) = part.ending else { return };
    let last = part.states.len() - 1;
    for at in last.saturating_sub(3)..=last {
        for variable in 0..variables.len() {
            let mut spoiled = told.to_vec();
            let value = &mut spoiled[0].states[at].values[variable];
            if variables[variable].contains(' ') || value.is_none() {
                continue;
            }
            *value = value.map(|value| value + 1000);
            let is_refused = match replay(unit, settings, variables, &spoiled, &[]) {
                Replay::Missing | Replay::Open => true,
                Replay::Found(seen) => seen.repeats.is_none(),
            };
            assert!(is_refused, "state {at} was changed: {spoiled:#?}");
        }
    }
}

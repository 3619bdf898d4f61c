//! What a claim that holds says of a machine: an example of it, and what of it does not matter.
//!
//! Each question is a claim of its own, and decided like one.

use crate::certifier::{self, Checked, Subject};
use tern_engine::{Checker, Options};
use tern_model::logic::{examples, vacuity};
use tern_model::{Budget, Formula, FormulaId, Formulas, Gap, Machine, Missing, Outcome, Verdict};
use tern_model::{Example, Meaning, Property, Redundant, Vacuous};

/// How many parts of a claim are tried for whether they matter.
const MOST_PARTS: usize = 8;

/// Finds what a claim says that holds; what was not found in time is noted as missing.
pub(crate) fn of(
    checker: &Checker<'_>,
    formulas: &Formulas,
    claim: FormulaId,
    options: &Options,
    budget: &Budget,
) -> (Meaning, Vec<Missing>) {
    let (mut formulas, claim) = formulas.alone(claim);
    let mut meaning = Meaning::default();
    let mut missing = Vec::new();
    match example(checker, &formulas, claim, options, budget) {
        Ok(example) => meaning.example = example,
        Err(why) => missing.push(Missing::Example(why)),
    }
    if let Err(why) = idle_parts(checker, &mut formulas, claim, &mut meaning, budget) {
        missing.push(Missing::IdleParts(why));
    }
    (meaning, missing)
}

/// A run on which the claim has something to say, from some initial node.
fn example(
    checker: &Checker<'_>,
    formulas: &Formulas,
    claim: FormulaId,
    options: &Options,
    budget: &Budget,
) -> Result<Option<Example>, Gap> {
    let mut formulas = formulas.clone();
    let Some(wanted) = examples::example(&mut formulas, claim) else { return Ok(None) };
    // If it is not true that there is none, then the initial node at which that is false has one.
    let none = formulas.make(Formula::Not(wanted));
    let options = Options { regions: false, engine: None, ..options.clone() };
    let outcome = checker.check(&formulas, none, &options, budget);
    match (&outcome.verdict, outcome.missing.first()) {
        (Verdict::Unknown(gap @ Gap::Limit(_)), _) => Err(gap.clone()),
        (Verdict::Fails, Some(missing)) => Err(missing.why().clone()),
        (Verdict::Fails, None) => Ok(Some(Example { formulas, claim: none, outcome })),
        (Verdict::Holds | Verdict::Unknown(_), _) => Ok(None),
    }
}

/// Finds parts of the claim without which it holds as well.
fn idle_parts(
    checker: &Checker<'_>,
    formulas: &mut Formulas,
    claim: FormulaId,
    meaning: &mut Meaning,
    budget: &Budget,
) -> Result<(), Gap> {
    let mut idle: Vec<FormulaId> = Vec::new();
    for harder in vacuity::harder(formulas, claim, MOST_PARTS) {
        // If a part does not matter, neither does what it is made of.
        if idle.iter().any(|&part| formulas.subformulas(part).contains(&harder.part)) {
            continue;
        }
        match checker.check(formulas, harder.claim, &Options::default(), budget).verdict {
            Verdict::Unknown(gap @ Gap::Limit(_)) => return Err(gap),
            Verdict::Fails | Verdict::Unknown(_) => continue,
            Verdict::Holds => {}
        }
        let shown = formulas.show(harder.claim).to_string();
        if let Some(premise) = harder.premise {
            let not = formulas.make(Formula::Not(premise));
            let never = formulas.make(Formula::Globally(not));
            let never = [never, formulas.make(Formula::All(never))].contains(&harder.claim);
            let premise = formulas.show(premise).to_string();
            meaning.vacuous = Some(Vacuous { premise, never, claim: shown });
            return Ok(()); // then hardly anything matters
        }
        idle.push(harder.part);
        let part = formulas.show(harder.part).to_string();
        meaning.redundant.push(Redundant { part, claim: shown });
    }
    Ok(())
}

/// Lets the certifier look at the example.
pub(crate) fn certified(machine: &Machine, example: &Example, budget: &Budget) -> Checked {
    let Example { formulas, claim, outcome } = example;
    let claim = Property::Formula(*claim);
    let subject = Subject { formulas, claim: &claim };
    match certifier::checked(machine, subject, outcome, budget) {
        Checked::Refused(why) => Checked::Refused(format!("the example: {why}")),
        other => other,
    }
}

/// Whether an outcome is worth asking what it means.
pub(crate) fn is_asked(outcome: &Outcome, options: &Options) -> bool {
    outcome.verdict == Verdict::Holds && options.runs.is_some()
}

//! What a claim that holds says of a machine: an example of it, and what of it does not matter.
//!
//! Each question is a claim of its own, and decided like one.

use crate::{Checker, Options};
use tern_model::logic::{examples, vacuity};
use tern_model::{Budget, Claim, Example, Formula, FormulaId, Formulas, Gap, Meaning, Missing};
use tern_model::{Outcome, Redundant, Start, Vacuous, Verdict};

/// How many parts of a claim are tried for whether they matter.
const MOST_PARTS: usize = 8;

/// Finds what a claim says that holds, in the configurations it is about; what was not found in
/// time is noted as missing. Nothing is known of automata.
pub fn of(
    checker: &Checker<'_>,
    formulas: &Formulas,
    claim: &Claim,
    options: &Options,
    budget: &Budget,
) -> (Meaning, Vec<Missing>) {
    let mut meaning = Meaning::default();
    let mut missing = Vec::new();
    let Some(formula) = claim.formula() else { return (meaning, missing) };
    let (mut formulas, formula) = formulas.alone(formula);
    let asker = Asker { checker, start: &claim.start, budget };
    match asker.example(&formulas, formula, options) {
        Ok(example) => meaning.example = example,
        Err(why) => missing.push(Missing::Example(why)),
    }
    if let Err(why) = asker.idle_parts(&mut formulas, formula, &mut meaning) {
        missing.push(Missing::IdleParts(why));
    }
    (meaning, missing)
}

/// Has questions about a claim decided where the claim begins.
struct Asker<'a> {
    checker: &'a Checker<'a>,
    start: &'a Start,
    budget: &'a Budget,
}

impl Asker<'_> {
    fn ask(&self, formulas: &Formulas, formula: FormulaId, options: &Options) -> Outcome {
        let claim = Claim { start: self.start.clone(), ..Claim::new(formula) };
        self.checker.decide(formulas, &claim, options, self.budget)
    }

    /// A run on which the claim has something to say, from where the claim begins.
    fn example(
        &self,
        formulas: &Formulas,
        claim: FormulaId,
        options: &Options,
    ) -> Result<Option<Example>, Gap> {
        let mut formulas = formulas.clone();
        let Some(wanted) = examples::example(&mut formulas, claim) else { return Ok(None) };
        // If it is not true that there is none, then from where that is false there is one.
        let none = formulas.make(Formula::Not(wanted));
        let options = Options { regions: false, engine: None, ..options.clone() };
        let outcome = self.ask(&formulas, none, &options);
        match (&outcome.verdict, outcome.missing.first()) {
            (Verdict::Unknown(gap @ Gap::Limit(_)), _) => Err(gap.clone()),
            (Verdict::Fails, Some(missing)) => Err(missing.why().clone()),
            (Verdict::Fails, None) => Ok(Some(Example { formulas, claim: none, outcome })),
            (Verdict::Holds | Verdict::Unknown(_), _) => Ok(None),
        }
    }

    /// Finds parts of the claim without which it holds as well.
    fn idle_parts(
        &self,
        formulas: &mut Formulas,
        claim: FormulaId,
        meaning: &mut Meaning,
    ) -> Result<(), Gap> {
        let mut idle: Vec<FormulaId> = Vec::new();
        for harder in vacuity::harder(formulas, claim, MOST_PARTS) {
            // If a part does not matter, neither does what it is made of.
            if idle.iter().any(|&part| formulas.subformulas(part).contains(&harder.part)) {
                continue;
            }
            match self.ask(formulas, harder.claim, &Options::default()).verdict {
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
}

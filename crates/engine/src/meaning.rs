//! What a claim that holds says of a machine: an example of it, and what of it does not matter.
//!
//! Each question is a claim of its own, and decided like one.

use crate::{Checker, Options};
use tern_model::logic::{examples, vacuity};
use tern_model::{
    Budget, Claim, Claims, Example, Formula, FormulaId, Formulas, Gap, Meaning, Missing,
};
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

/// Whether a claim that holds does so because a premise in it is never fulfilled, as far as this is
/// found out within the budget.
pub fn vacuity(
    checker: &Checker<'_>,
    formulas: &Formulas,
    claim: &Claim,
    budget: &Budget,
) -> Option<Vacuous> {
    let (mut formulas, formula) = formulas.alone(claim.formula()?);
    let asker = Asker { checker, start: &claim.start, budget };
    let parts = vacuity::harder(&mut formulas, formula, MOST_PARTS);
    parts.into_iter().find_map(|harder| {
        let premise = harder.premise?;
        let outcome = asker.ask(&formulas, harder.claim, &Options::default());
        let holds = outcome.verdict == Verdict::Holds;
        holds.then(|| vacuous(&mut formulas, premise, harder.claim))
    })
}

/// Whether no run from where the machine begins fulfils the fairness conditions of some claims, as
/// far as this is found out within the budget.
pub fn no_run_is_fair(checker: &Checker<'_>, claims: &Claims, budget: &Budget) -> bool {
    let mut claims = claims.clone();
    claims.truncate(0);
    let never = claims.formulas.make(Formula::False);
    let always = claims.formulas.make(Formula::Globally(never));
    let impossible = claims.formulas.make(Formula::All(always));
    claims.push(Claim::new(impossible));
    let asked = &claims.list()[0];
    let outcome = checker.decide(&claims.formulas, asked, &Options::default(), budget);
    outcome.verdict == Verdict::Holds
}

/// That a premise is never fulfilled, since a claim holds in which what it demands is left out.
fn vacuous(formulas: &mut Formulas, premise: FormulaId, claim: FormulaId) -> Vacuous {
    let shown = formulas.show(claim).to_string();
    let not = formulas.make(Formula::Not(premise));
    let never = formulas.make(Formula::Globally(not));
    let never = [never, formulas.make(Formula::All(never))].contains(&claim);
    Vacuous { premise: formulas.show(premise).to_string(), never, claim: shown }
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
            if let Some(premise) = harder.premise {
                meaning.vacuous = Some(vacuous(formulas, premise, harder.claim));
                return Ok(()); // then hardly anything matters
            }
            idle.push(harder.part);
            let shown = formulas.show(harder.claim).to_string();
            let part = formulas.show(harder.part).to_string();
            meaning.redundant.push(Redundant { part, claim: shown });
        }
        Ok(())
    }
}

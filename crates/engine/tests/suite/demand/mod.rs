//! Programs that are produced on demand: what is asked of them, and what is said of them.
//!
//! `TERN_PAIRS` sets the number of random pairs, `TERN_SEED` where they begin.

mod agreement;
mod endless;
mod holes;
mod trouble;
mod watched;

use tern_certify::{Asked, Subject};
use tern_engine::{Options, SpaceChecker};
use tern_model::space::Space;
use tern_model::{Budget, Claim, FormulaId, Formulas, Missing, Outcome};

/// Decides a formula with all reasons, and has them checked against what was produced. Says also
/// whether there was evidence to check.
fn decide_and_check<S: Space>(
    checker: &mut SpaceChecker<S>,
    formulas: &Formulas,
    claim: FormulaId,
    options: &Options,
    budget: &Budget,
) -> (Outcome, bool) {
    let claim = Claim::new(claim);
    let outcome = checker.decide(formulas, &claim, options, budget);
    let asked = Asked { formulas, claim: &claim };
    if outcome.evidence.is_some() {
        let (machine, part) = checker.subject().expect("a machine was produced");
        let subject = Subject::Part(machine, part);
        let unlimited = Budget::unlimited();
        tern_certify::check_outcome(subject, asked, &outcome, &unlimited).unwrap_or_else(
            |refusal| panic!("{refusal}: {outcome:#?} {}", formulas.show(claim.formula().unwrap())),
        );
    }
    let checked = outcome.evidence.is_some();
    let is_told = |missing: &Missing| matches!(missing, Missing::Evidence(_));
    let explained = checked || outcome.missing.iter().any(is_told);
    let wanted = options.evidence && outcome.verdict.known().is_some();
    assert!(explained || !wanted, "evidence is missing without a word: {outcome:#?}");
    (outcome, checked)
}

/// The formula of a text.
fn written(formulas: &mut Formulas, text: &str) -> FormulaId {
    tern_front::formula::read(formulas, text, 0).expect("a formula").root
}

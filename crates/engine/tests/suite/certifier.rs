//! What the certifier says of a verdict and its evidence, without limits.

use tern_certify::{Asked, Refusal, Stopped};
use tern_model::{
    Automaton, AutomatonProperty, Budget, Claim, Evidence, Fairness, FormulaId, Formulas, Machine,
    Must, Property, Verdict,
};

/// Whether evidence proves a verdict on a claim.
pub(crate) fn certify(
    machine: &Machine,
    formulas: &Formulas,
    claim: impl Into<Property>,
    verdict: &Verdict,
    evidence: &Evidence,
) -> Result<(), Refusal> {
    let asked = Asked { formulas, claim: &Claim::new(claim) };
    let budget = Budget::unlimited();
    match tern_certify::check(machine.into(), asked, verdict, None, evidence, &budget) {
        Ok(()) => Ok(()),
        Err(Stopped::Refused(refusal)) => Err(refusal),
        Err(Stopped::Limit(limit)) => panic!("{limit}, though there is no limit"),
    }
}

/// The claim that an automaton accepts as it must.
pub(crate) fn by_automaton(
    automaton: &Automaton,
    must: Must,
    fair: &[FormulaId],
) -> AutomatonProperty {
    let (automaton, fair) = (automaton.clone(), justice(fair));
    AutomatonProperty { automaton, must, fair, title: "an automaton".to_owned() }
}

/// Weak fairness conditions.
pub(crate) fn justice(conditions: &[FormulaId]) -> Vec<Fairness> {
    conditions.iter().copied().map(Fairness::Justice).collect()
}

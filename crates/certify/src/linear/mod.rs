//! Checks evidence about runs: that a run is one of the program and has what was sought (`endless`), or that
//! no run has it (`absence`, by the `laws` of the operators).
//!
//! Nothing is decided here. What a claim asks of runs is read off the claim itself, and whether a run has it is
//! found by evaluating the formula on the run's own labels, not by any automaton.

mod absence;
mod endless;
pub(crate) mod laws;

use crate::Stopped;
use std::collections::BTreeSet;
use tern_model::{
    Budget, Evidence, Formula, FormulaId, Formulas, Machine, NodeId, Obligation, Run, Verdict,
};

/// Why evidence about runs is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {why}")]
pub struct Refusal {
    /// Where, in words.
    pub place: String,
    /// What is wrong there.
    pub why: String,
}

impl Refusal {
    pub(crate) fn new(place: impl Into<String>, why: impl Into<String>) -> Self {
        Refusal { place: place.into(), why: why.into() }
    }
}

/// Checks that runs, or a proof that there are none, prove a verdict.
///
/// # Errors
/// The first thing that is wrong, or the limit that was reached.
pub fn check(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    verdict: &Verdict,
    evidence: &Evidence,
    budget: &Budget,
) -> Result<(), Stopped<Refusal>> {
    match evidence {
        Evidence::Runs { sought, runs } => {
            check_runs(machine, formulas, claim, verdict, *sought, runs)?;
            Ok(())
        }
        Evidence::Absence { sought, from, proof } => {
            check_origin(machine, formulas, claim, verdict, *sought, from)?;
            absence::check(machine, formulas, *sought, from, proof, budget)
        }
        Evidence::Labelling(_) | Evidence::Star(_) => {
            Err(Refusal::new("the evidence", "it is not about runs").into())
        }
    }
}

/// Checks that some runs prove a verdict: for a claim about all runs, one on which it is false; for a claim that
/// there is a run, one from each initial node.
fn check_runs(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    verdict: &Verdict,
    sought: Obligation,
    runs: &[(NodeId, Run)],
) -> Result<(), Refusal> {
    let holds = asked(formulas, claim, sought, true)?;
    agrees(verdict, holds)?;
    let mut covered = BTreeSet::new();
    for (at, run) in runs {
        is_initial(machine, *at)?;
        endless::check(machine, formulas, sought, *at, run)?;
        covered.insert(*at);
    }
    let missing = machine.initial().iter().find(|node| !covered.contains(node));
    match missing {
        Some(&node) if holds => {
            Err(Refusal::new(crate::moves::node_name(machine, node), "there is no run from here"))
        }
        _ if runs.is_empty() && !holds => Err(Refusal::new("the runs", "there are none")),
        _ => Ok(()),
    }
}

/// Checks that it proves a verdict if there is no run from some nodes: for a claim about all runs, from all
/// initial nodes; for a claim that there is a run, from one.
fn check_origin(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    verdict: &Verdict,
    sought: Obligation,
    from: &[NodeId],
) -> Result<(), Refusal> {
    let holds = asked(formulas, claim, sought, false)?;
    agrees(verdict, holds)?;
    from.iter().try_for_each(|&node| is_initial(machine, node))?;
    let missing = machine.initial().iter().find(|node| !from.contains(node));
    match missing {
        Some(&node) if holds => {
            let place = crate::moves::node_name(machine, node);
            Err(Refusal::new(place, "nothing is proved of runs from here"))
        }
        _ if from.is_empty() && !holds => {
            Err(Refusal::new("the proof", "it is of no initial node"))
        }
        _ => Ok(()),
    }
}

/// What the claim is if there is a run that was sought (`found`), or if there is none; an error if it asks
/// for other runs.
fn asked(
    formulas: &Formulas,
    claim: FormulaId,
    sought: Obligation,
    found: bool,
) -> Result<bool, Refusal> {
    // `!A f` and `!E f` are claims about runs too; in `!f`, `f` without quantifier, all of it is the path.
    let mut inner = claim;
    let mut negated = false;
    while let Formula::Not(operand) = formulas.get(inner) {
        inner = operand;
        negated = !negated;
    }
    // What the claim is when there is no such run.
    let (wanted, without) = match formulas.get(inner) {
        Formula::All(path) => (Obligation { formula: path, holds: false }, !negated),
        Formula::Exists(path) => (Obligation { formula: path, holds: true }, negated),
        _ => (Obligation { formula: claim, holds: false }, true),
    };
    if wanted != sought {
        return Err(Refusal::new("what was sought", "the claim is not about these runs"));
    }
    let state_formula = |&id: &FormulaId| formulas.get(id).is_quantifier();
    if formulas.subformulas(wanted.formula).iter().any(state_formula) {
        return Err(Refusal::new(
            "the claim",
            "it has a quantifier inside, which runs do not show",
        ));
    }
    Ok(if found { !without } else { without })
}

fn agrees(verdict: &Verdict, holds: bool) -> Result<(), Refusal> {
    match verdict.known() {
        Some(known) if known == holds => Ok(()),
        _ => Err(Refusal::new("the verdict", "the evidence proves the opposite, or nothing")),
    }
}

fn is_initial(machine: &Machine, node: NodeId) -> Result<(), Refusal> {
    let why = "the program does not begin here";
    let known = machine.initial().contains(&node);
    known.then_some(()).ok_or_else(|| Refusal::new(crate::moves::node_name(machine, node), why))
}

//! Checks evidence about runs: that a run is one of the program (`endless`) and has what was sought, or that
//! no run has it (`absence`).
//!
//! Nothing is decided here. What a claim asks of runs is read off the claim itself. For a formula, whether a run has it is
//! found by evaluating the formula on the run's own labels, not by any automaton; and where the states of a proof lead
//! follows from the `laws` of the operators (`obligations`). For an automaton that runs are held against, the automaton
//! reads the run's labels (`word`), and the states of a proof are its own, or those of its complement (`automaton`, `tree`).

mod absence;
mod automaton;
mod endless;
pub(crate) mod laws;
mod letters;
mod obligations;
mod tree;
mod word;

use crate::Stopped;
use endless::Word;
use letters::Letters;
use obligations::Obligations;
use std::collections::BTreeSet;
use tern_model::absence::States;
use tern_model::budget::Meter;
use tern_model::{
    Automaton, Budget, Evidence, Formula, FormulaId, Formulas, Machine, Must, NodeId, Obligation,
    Run, Sought, Verdict,
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
    let formula = |sought: &Sought| match *sought {
        Sought::Formula(sought) => Ok(sought),
        _ => Err(Refusal::new("what was sought", "the claim is not about an automaton")),
    };
    match evidence {
        Evidence::Runs { sought, runs } => {
            let sought = formula(sought)?;
            let holds = asked(formulas, claim, sought, true)?;
            check_runs(machine, verdict, holds, runs, |word| {
                Ok(endless::evaluate(machine, formulas, sought, word)?)
            })
        }
        Evidence::Absence { sought, from, proof } => {
            let sought = formula(sought)?;
            let holds = asked(formulas, claim, sought, false)?;
            check_origin(machine, verdict, holds, from)?;
            let States::Obligations { promises, sets } = &proof.states else {
                return Err(Refusal::new("the states", "they are not those of a formula").into());
            };
            let reading = Obligations::new(machine, formulas, sought, promises, sets)?;
            absence::check(machine, reading, from, proof, budget)
        }
        Evidence::Labelling(_) | Evidence::Star(_) => {
            Err(Refusal::new("the evidence", "it is not about runs").into())
        }
    }
}

/// A claim that an automaton stands for.
#[derive(Clone, Copy, Debug)]
pub struct Specification<'a> {
    /// The automaton. Its propositions are labels.
    pub automaton: &'a Automaton,
    /// What is asked of it.
    pub must: Must,
    /// Boolean combinations of labels. Runs count only if each of them holds again and again.
    pub fair: &'a [FormulaId],
}

/// Checks that runs, or a proof that there are none, prove a verdict on a claim that an automaton stands for.
///
/// # Errors
/// The first thing that is wrong, or the limit that was reached.
pub fn check_automaton(
    machine: &Machine,
    formulas: &Formulas,
    claim: Specification<'_>,
    verdict: &Verdict,
    evidence: &Evidence,
    budget: &Budget,
) -> Result<(), Stopped<Refusal>> {
    let letters = Letters::new(machine, formulas, claim)?;
    let wanted = match claim.must {
        Must::AcceptNone => Sought::Accepted,
        Must::AcceptAll => Sought::NotAccepted,
    };
    match evidence {
        Evidence::Runs { sought, .. } | Evidence::Absence { sought, .. } if *sought != wanted => {
            Err(Refusal::new("what was sought", "the claim is not about these runs").into())
        }
        Evidence::Runs { runs, .. } => {
            let mut meter = Meter::new(budget);
            check_runs(machine, verdict, false, runs, |word| {
                let refuse = |why: &str| Err(Refusal::new("the run", why).into());
                let cycle = word.shown[word.begin..].iter();
                let seen = cycle.fold(0, |seen, &node| seen | letters.of(node).fair);
                if (0..claim.fair.len()).any(|condition| seen >> condition & 1 == 0) {
                    return refuse("it is not fair");
                }
                match word::is_accepted(&letters, &word.shown, word.begin, &mut meter)? {
                    true if wanted == Sought::NotAccepted => refuse("the automaton accepts it"),
                    false if wanted == Sought::Accepted => {
                        refuse("the automaton does not accept it")
                    }
                    _ => Ok(()),
                }
            })
        }
        Evidence::Absence { from, proof, .. } => {
            check_origin(machine, verdict, true, from)?;
            match (&proof.states, claim.must) {
                (States::Automaton, Must::AcceptNone) => {
                    let reading = automaton::Own::new(letters)?;
                    absence::check(machine, reading, from, proof, budget)
                }
                (States::Complement(watches), Must::AcceptAll) => {
                    let reading = automaton::Complement::new(letters, watches)?;
                    absence::check(machine, reading, from, proof, budget)
                }
                _ => {
                    Err(Refusal::new("the states", "they are not those that are asked for").into())
                }
            }
        }
        Evidence::Labelling(_) | Evidence::Star(_) => {
            Err(Refusal::new("the evidence", "it is not about runs").into())
        }
    }
}

/// Checks that some runs have what was sought, which is for `judge` to say of what they show, and prove a verdict:
/// if the claim fails by such a run, one does; if it holds by them, one from each initial node does.
fn check_runs(
    machine: &Machine,
    verdict: &Verdict,
    holds: bool,
    runs: &[(NodeId, Run)],
    mut judge: impl FnMut(&Word) -> Result<(), Stopped<Refusal>>,
) -> Result<(), Stopped<Refusal>> {
    agrees(verdict, holds)?;
    let mut covered = BTreeSet::new();
    for (at, run) in runs {
        is_initial(machine, *at)?;
        judge(&endless::replay(machine, *at, run)?)?;
        covered.insert(*at);
    }
    let missing = machine.initial().iter().find(|node| !covered.contains(node));
    match missing {
        Some(&node) if holds => {
            let place = crate::moves::node_name(machine, node);
            Err(Refusal::new(place, "there is no run from here").into())
        }
        _ if runs.is_empty() && !holds => Err(Refusal::new("the runs", "there are none").into()),
        _ => Ok(()),
    }
}

/// Checks that it proves a verdict if there is no run from some nodes: if the claim holds without such runs, from all
/// initial nodes; if it fails, from one.
fn check_origin(
    machine: &Machine,
    verdict: &Verdict,
    holds: bool,
    from: &[NodeId],
) -> Result<(), Refusal> {
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

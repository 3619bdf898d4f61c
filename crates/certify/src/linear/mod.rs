//! Checks evidence about runs: that a run is one of the program (`endless`) and has what was
//! sought, or that no run has it (`absence`).
//!
//! Nothing is decided here. What a claim asks of runs is read off the claim itself. For a formula,
//! whether a run has it is found by evaluating the formula on the run's own labels, not by any
//! automaton; and where the states of a proof lead follows from the `laws` of the operators
//! (`obligations`). For an automaton that runs are held against, the automaton reads the run's
//! labels (`word`), and the states of a proof are its own, or those of its complement (`automaton`,
//! `tree`).

mod absence;
mod automaton;
mod endless;
pub(crate) mod laws;
mod letters;
mod narrowing;
mod obligations;
mod pairs;
mod tree;
mod word;

use crate::door::Case;
use crate::reading::{is_quantified, truth_of_labels};
use crate::refusal::{Refusal, Stopped, refuse};
use crate::run::Checked;
use endless::Word;
use letters::Letters;
use obligations::Obligations;
use pairs::Sides;
use std::collections::BTreeSet;
use tern_model::absence::States;
use tern_model::budget::Meter;
use tern_model::{
    Automaton, AutomatonProperty, Evidence, Fairness, Formula, FormulaId, Formulas, Machine, Must,
    NodeId, Obligation, Outcome, Pair, Property, Run, Sought, Verdict,
};

/// Checks that runs, or a proof that there are none, prove a verdict, and that the claim is false
/// at an initial node of which this is said; and replays what is told.
///
/// # Errors
/// The first thing that is wrong, or the limit that was reached.
pub(crate) fn check(
    case: Case<'_>,
    property: &Property,
    evidence: &Evidence,
    told: Option<&Outcome>,
) -> Result<(), Stopped> {
    check_culprit(case, evidence)?;
    match property {
        Property::Formula(claim) => check_formula(case, *claim, evidence)?,
        Property::Automaton(property) => {
            let AutomatonProperty { automaton, must, fair, .. } = &**property;
            let (fair, pairs) = conditions(fair)?;
            let claim = Specification { automaton, must: *must, fair: &fair, pairs: &pairs };
            check_automaton(case, claim, evidence)?;
        }
        Property::Runs(_) => return refuse("the claim", "edges are named, and not known"),
    }
    let runs = match evidence {
        Evidence::Runs { runs, .. } => &runs[..],
        _ => &[],
    };
    let holds = *case.verdict == Verdict::Holds;
    case.replay(property.formula(), Checked::Runs(holds, runs), told)
}

/// Fairness conditions that are weak, and the sides of those that are strong.
fn conditions(fair: &[Fairness]) -> Result<(Vec<FormulaId>, Vec<Sides>), Refusal> {
    let (mut weak, mut strong) = (Vec::new(), Vec::new());
    for fairness in fair {
        match fairness {
            Fairness::Justice(formula) => weak.push(*formula),
            Fairness::Compassion(Pair { when, then }) => {
                let why = "edges are named, and not known";
                let sides = when.formula().zip(then.formula());
                let sides = sides.ok_or_else(|| Refusal::new("the fairness conditions", why))?;
                strong.push(sides);
            }
        }
    }
    Ok((weak, strong))
}

fn check_formula(case: Case<'_>, claim: FormulaId, evidence: &Evidence) -> Result<(), Stopped> {
    let Case { machine, formulas, budget, .. } = case;
    let formula = |sought: &Sought| match *sought {
        Sought::Formula(sought) => Ok(sought),
        _ => Err(Refusal::new("what was sought", "the claim is not about an automaton")),
    };
    match evidence {
        Evidence::Runs { sought, runs } => {
            let sought = formula(sought)?;
            let holds = asked(formulas, claim, sought, true)?;
            let mut meter = Meter::new(budget);
            check_runs(case, holds, runs, &mut meter, |word, _| {
                endless::evaluate(machine, formulas, sought, word, budget)
            })
        }
        Evidence::Absence { sought, from, proof } => {
            let sought = formula(sought)?;
            let holds = asked(formulas, claim, sought, false)?;
            check_origin(case, holds, from)?;
            let States::Obligations { promises, sets, pairs } = &proof.states else {
                return refuse("the states", "they are not those of a formula");
            };
            let states = (&promises[..], &sets[..]);
            let reading = Obligations::new(machine, formulas, sought, states, pairs)?;
            absence::check(machine, reading, from, proof, budget)
        }
        Evidence::Labelling(_) | Evidence::Star(_) => {
            refuse("the evidence", "it is not about runs")
        }
    }
}

/// A claim that an automaton stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Specification<'a> {
    /// The automaton. Its propositions are labels.
    pub(crate) automaton: &'a Automaton,
    /// What is asked of it.
    pub(crate) must: Must,
    /// Boolean combinations of labels. Runs count only if each of them holds again and again.
    pub(crate) fair: &'a [FormulaId],
    /// The sides of pairs, the same. Runs count only if of each pair the second holds again and
    /// again if the first does.
    pub(crate) pairs: &'a [Sides],
}

fn check_automaton(
    case: Case<'_>,
    claim: Specification<'_>,
    evidence: &Evidence,
) -> Result<(), Stopped> {
    let Case { machine, budget, .. } = case;
    let letters = Letters::new(machine, case.formulas, claim)?;
    let wanted = match claim.must {
        Must::AcceptNone => Sought::Accepted,
        Must::AcceptAll => Sought::NotAccepted,
    };
    match evidence {
        Evidence::Runs { sought, .. } | Evidence::Absence { sought, .. } if *sought != wanted => {
            refuse("what was sought", "the claim is not about these runs")
        }
        Evidence::Runs { runs, .. } => {
            let mut meter = Meter::new(budget);
            check_runs(case, false, runs, &mut meter, |word, meter| {
                let refuse = |why: &str| refuse("the run", why);
                let cycle = word.shown[word.begin..].iter();
                let seen = cycle.fold(0, |seen, &node| seen | letters.of(node).fair);
                if (0..claim.fair.len()).any(|condition| seen >> condition & 1 == 0) {
                    return refuse("it is not fair");
                }
                let holds_on = |&node: &Option<NodeId>, side| {
                    truth_of_labels(machine, case.formulas, side, node)
                };
                for &(when, then) in claim.pairs {
                    meter.tick()?;
                    let mut cycle = word.shown[word.begin..].iter();
                    let recurs = cycle.clone().any(|node| holds_on(node, when));
                    if recurs && !cycle.any(|node| holds_on(node, then)) {
                        return refuse("it is not fair: of a pair only the first side comes again");
                    }
                }
                match word::is_accepted(&letters, &word.shown, word.begin, meter)? {
                    true if wanted == Sought::NotAccepted => refuse("the automaton accepts it"),
                    false if wanted == Sought::Accepted => {
                        refuse("the automaton does not accept it")
                    }
                    _ => Ok(()),
                }
            })
        }
        Evidence::Absence { from, proof, .. } => {
            check_origin(case, true, from)?;
            match (&proof.states, claim.must) {
                (States::Automaton, Must::AcceptNone) => {
                    let reading = automaton::Own::new(letters)?;
                    absence::check(machine, reading, from, proof, budget)
                }
                (States::Complement(watches), Must::AcceptAll) => {
                    let reading = automaton::Complement::new(letters, watches)?;
                    absence::check(machine, reading, from, proof, budget)
                }
                _ => refuse("the states", "they are not those that are asked for"),
            }
        }
        Evidence::Labelling(_) | Evidence::Star(_) => {
            refuse("the evidence", "it is not about runs")
        }
    }
}

/// Checks that some runs have what was sought, which is for `judge` to say of what they show, and
/// prove a verdict: if the claim fails by such a run, one does; if it holds by them, one from each
/// initial node does.
fn check_runs(
    case: Case<'_>,
    holds: bool,
    runs: &[(NodeId, Run)],
    meter: &mut Meter<'_>,
    judge: impl Fn(&Word, &mut Meter<'_>) -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let machine = case.machine;
    agrees(case.verdict, holds)?;
    for (at, run) in runs {
        is_initial(machine, *at)?;
        judge(&endless::replay(machine, *at, run, meter)?, meter)?;
    }
    let covered: BTreeSet<NodeId> = runs.iter().map(|&(at, _)| at).collect();
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

/// Checks that it proves a verdict if there is no run from some nodes: if the claim holds without
/// such runs, from all initial nodes; if it fails, from one.
fn check_origin(case: Case<'_>, holds: bool, from: &[NodeId]) -> Result<(), Refusal> {
    let machine = case.machine;
    agrees(case.verdict, holds)?;
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

/// What the claim is if there is a run that was sought (`found`), or if there is none; an error if
/// it asks for other runs.
fn asked(
    formulas: &Formulas,
    claim: FormulaId,
    sought: Obligation,
    found: bool,
) -> Result<bool, Refusal> {
    // `!A f` and `!E f` are claims about runs too; in `!f`, `f` without quantifier, all of it is
    // the path.
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
    let quantified = |&id: &FormulaId| is_quantified(formulas.get(id));
    if formulas.subformulas(wanted.formula).iter().any(quantified) {
        return Err(Refusal::new(
            "the claim",
            "it has a quantifier inside, which runs do not show",
        ));
    }
    Ok(if found { !without } else { without })
}

/// A claim is shown to fail at the nodes from which there is a run that it forbids, or none that it
/// asks for.
fn check_culprit(case: Case<'_>, evidence: &Evidence) -> Result<(), Stopped> {
    let Some(node) = case.culprit else { return Ok(()) };
    let shown = match evidence {
        Evidence::Runs { runs, .. } => runs.iter().any(|&(at, _)| at == node),
        Evidence::Absence { from, .. } => from.contains(&node),
        Evidence::Labelling(_) | Evidence::Star(_) => false,
    };
    if shown {
        return Ok(());
    }
    refuse(crate::moves::node_name(case.machine, node), "that the claim fails here is not shown")
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

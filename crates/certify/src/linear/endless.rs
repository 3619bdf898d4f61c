//! Replays an endless run, and tells which nodes it shows.
//!
//! A run that pumps repeats its last part on a stack that has grown; see [`crate::run`] for why it
//! can. Labels are those of nodes, whatever the stack, so the labels of either kind of run are a
//! word that repeats itself.

use crate::lasso;
use crate::moves::{State, pumps};
use crate::refusal::{Refusal, Stopped, refuse};
use tern_model::budget::Meter;
use tern_model::{Budget, Ending, Formula, FormulaId, Formulas, Machine, NodeId, Obligation, Run};

/// What an endless run shows.
pub(super) struct Word {
    /// The node of each configuration; the sink shows nothing.
    pub(super) shown: Vec<Option<NodeId>>,
    /// After the last position comes this one, which exists.
    pub(super) begin: usize,
}

/// Checks that a run begins at a node, with an empty stack, and is an endless one of the program.
pub(super) fn replay(
    machine: &Machine,
    at: NodeId,
    run: &Run,
    meter: &mut Meter<'_>,
) -> Result<Word, Stopped> {
    let whole = |why: &str| refuse("the run", why);
    let (Ending::Loop(begin) | Ending::Pump(begin, _)) = run.ending else {
        return whole("it does not go on for ever");
    };
    if begin >= run.moves.len() {
        return whole("it goes on from a configuration that is not an earlier one");
    }
    let mut state = State::At(Vec::new(), at);
    let mut middle = state.clone();
    // The last configuration is the first of the repeated part again.
    let mut shown: Vec<Option<NodeId>> = Vec::with_capacity(run.moves.len());
    for (i, &step) in run.moves.iter().enumerate() {
        meter.tick()?;
        if i == begin {
            middle = state.clone();
        }
        shown.push(match state {
            State::At(_, node) => Some(node),
            State::Sink => None,
        });
        let before = state.name(machine);
        state = state
            .follow(machine, step)
            .map_err(|why| Refusal::new(before, format!("move {}: {why}", i + 1)))?;
    }
    match &run.ending {
        Ending::Pump(_, boxes) => pumps(&middle, &state, &run.moves[begin..], boxes)
            .map_err(|why| Refusal::new(state.name(machine), why))?,
        _ if state == middle => {}
        _ => {
            let why = "the run is not back where the loop begins";
            return refuse(state.name(machine), why);
        }
    }
    Ok(Word { shown, begin })
}

/// Checks that a formula holds on what a run shows, or does not.
pub(super) fn evaluate(
    machine: &Machine,
    formulas: &Formulas,
    sought: Obligation,
    word: &Word,
    budget: &Budget,
) -> Result<(), Stopped> {
    let whole = |why: &str| refuse("the run", why);
    let Word { shown, begin } = word;
    let leaf = |leaf: FormulaId, position: usize| match (formulas.get(leaf), shown[position]) {
        (Formula::Atom(atom), Some(node)) => {
            let label = machine.label(formulas.atom_name(atom));
            label.is_some_and(|label| machine.has_label(node, label))
        }
        _ => false,
    };
    let cycle = shown.len() - begin;
    let truth = lasso::evaluate_within(formulas, sought.formula, *begin, cycle, leaf, budget)?;
    match truth.and_then(|truth| truth.at(sought.formula, 0)) {
        Some(value) if value == sought.holds => Ok(()),
        Some(true) => whole("the formula holds on it"),
        Some(false) => whole("the formula does not hold on it"),
        None => whole("it does not go on for ever"),
    }
}

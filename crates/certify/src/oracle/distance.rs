//! How many moves a run needs at least: found by looking at configuration after configuration,
//! nearest first. An oracle for the length of runs; it may be silent.

use crate::moves::State;
use std::collections::{BTreeSet, VecDeque};
use tern_model::logic::ctl::Term;
use tern_model::{BoxId, Formulas, Labelling, Machine, NodeId, TermId};

/// The fewest moves of a run that shows that `E [p U q]` holds in a configuration: a stack, from
/// the bottom, and a node. The truth of p and q is taken from the labelling.
///
/// `None` if the term is none of this kind, if there is no such run, or if more than `most`
/// configurations would have to be looked at.
pub fn to_goal(
    machine: &Machine,
    formulas: &Formulas,
    labelling: &Labelling,
    start: (&[BoxId], NodeId),
    term: TermId,
    most: usize,
) -> Option<usize> {
    let Term::Eu(pass, goal) = labelling.program.terms[term] else { return None };
    let begin = State::At(start.0.to_vec(), start.1);
    let mut seen = BTreeSet::from([begin.clone()]);
    let mut queue = VecDeque::from([(begin, 0)]);
    while let Some((state, moves)) = queue.pop_front() {
        let truth = state.truth(machine, formulas, labelling)?;
        if truth[goal] {
            return Some(moves);
        }
        if truth[pass] {
            for next in state.successors(machine) {
                if seen.insert(next.clone()) {
                    queue.push_back((next, moves + 1));
                }
            }
        }
        if seen.len() > most {
            return None;
        }
    }
    None
}

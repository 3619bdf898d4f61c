//! The complement of a deterministic automaton: it accepts exactly what the other does not.
//!
//! A word is not accepted if the run on it dies, or if from some time on one mark is not carried any more. The
//! complement follows the run, and may guess at any time that a certain mark is gone for good; it has one mark, on
//! all transitions after the guess and after the death.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use tern_model::automaton::{Cube, Literal, Marks};
use tern_model::{Acceptor, Automaton, FormulaId, Id, StateId};

/// Whether on every word there is at most one run.
pub fn is_deterministic(automaton: &Automaton) -> bool {
    let opposite = |literal: &Literal| Literal { holds: !literal.holds, ..*literal };
    let apart =
        |one: &Cube, other: &Cube| one.0.iter().any(|literal| other.0.contains(&opposite(literal)));
    automaton.initial.len() <= 1
        && automaton.transitions.iter().all(|(_, ways)| {
            ways.iter().enumerate().all(|(i, way)| {
                ways[..i].iter().all(|before| {
                    way.guard.iter().all(|cube| before.guard.iter().all(|other| apart(cube, other)))
                })
            })
        })
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum State {
    /// The run is here, and nothing is guessed.
    Follow(StateId),
    /// The run is here, and never carries this mark again.
    Without(StateId, u32),
    /// The run has died.
    Dead,
}

/// The complement of a deterministic automaton.
pub(crate) struct Complement<'a> {
    automaton: &'a Automaton,
    states: Vec<State>,
    ids: FxHashMap<State, StateId>,
}

impl<'a> Complement<'a> {
    /// The automaton must be deterministic.
    pub(crate) fn new(automaton: &'a Automaton) -> Self {
        debug_assert!(is_deterministic(automaton));
        Complement { automaton, states: Vec::new(), ids: FxHashMap::default() }
    }

    fn id(&mut self, state: State) -> StateId {
        let Complement { states, ids, .. } = self;
        *ids.entry(state).or_insert_with(|| {
            states.push(state);
            StateId::new(states.len() - 1)
        })
    }
}

impl Acceptor for Complement<'_> {
    fn propositions(&self) -> &[FormulaId] {
        &self.automaton.propositions
    }

    fn mark_count(&self) -> u32 {
        1
    }

    fn initial(&mut self) -> Vec<StateId> {
        let first = self.automaton.initial.first().map_or(State::Dead, |&q| State::Follow(q));
        vec![self.id(first)]
    }

    fn successors(
        &mut self,
        state: StateId,
        letter: &FixedBitSet,
        out: &mut Vec<(Marks, StateId)>,
    ) {
        let (state, lost) = match self.states[state.index()] {
            State::Dead => return out.push((1, self.id(State::Dead))),
            State::Follow(state) => (state, None),
            State::Without(state, mark) => (state, Some(mark)),
        };
        let mut ways = self.automaton.transitions[state].iter();
        let way = ways.find(|way| way.guard.iter().any(|cube| cube.admits(letter)));
        let Some(way) = way else { return out.push((1, self.id(State::Dead))) };
        match lost {
            Some(mark) if way.marks >> mark & 1 == 1 => (),
            Some(mark) => out.push((1, self.id(State::Without(way.to, mark)))),
            None => {
                out.push((0, self.id(State::Follow(way.to))));
                for mark in 0..self.automaton.mark_count {
                    out.push((0, self.id(State::Without(way.to, mark))));
                }
            }
        }
    }
}

//! The complement of an automaton: it accepts exactly what the other does not.
//!
//! The complement follows the automaton deterministically, and guesses what happens in the end; it
//! has one mark.
//! * A deterministic automaton has one run to follow. A word is not accepted if the run dies, or if
//!   from some time on one mark is not carried any more. That may be guessed at any time; then and
//!   after the death every transition is marked.
//! * Of any other, trees are followed ([`determinise`](crate::determinise)). A word is not accepted
//!   if the last of them dies; if nothing happens any more from some time on; or if a certain node
//!   dies again and again, and nothing that is more important happens any more. The latter two are
//!   guessed when something happens: it may be the last time, or the first of many.
//!
//! Other automata than deterministic ones are made small before, with one mark: fewer states have
//! fewer trees. This may make them deterministic. If the states are to be written down for others
//! ([`complement_state`](tern_model::complement_state)), the automaton is taken as it is, with a
//! counter for its marks, because others would have to believe that the small one is the same.

use crate::determinise::{Event, TreeId, Trees};
use fixedbitset::FixedBitSet;
use tern_model::automaton::{Cube, Literal, Marks, Transition};
use tern_model::budget::Meter;
use tern_model::complement_state::{ComplementState, Guess};
use tern_model::index::{Numbering, Table};
use tern_model::{Acceptor, Automaton, Budget, FormulaId, Id, Limit, StateId};

/// The complement of an automaton, made on demand.
pub struct Complement<'b> {
    followed: Followed<'b>,
    /// How many states of the automaton that is followed stand for one of the automaton that was
    /// given.
    counters: usize,
    states: Numbering<StateId, State>,
    interrupted: Option<Limit>,
}

/// What is followed.
enum Followed<'b> {
    /// The run of a deterministic automaton.
    Run(Automaton),
    /// All runs of an automaton.
    Trees(Trees<'b>),
}

/// A state of the complement, as in [`complement_state`](tern_model::complement_state), but that
/// trees have ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum State {
    /// All runs have died.
    Dead,
    /// The run is here, and does not carry this mark any more.
    Run(StateId, Option<u32>),
    /// The runs are this tree, and this is guessed.
    Tree(TreeId, Guess),
}

impl<'b> Complement<'b> {
    /// The complement of an automaton.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(automaton: &Automaton, budget: &'b Budget) -> Result<Self, Limit> {
        let followed = if is_deterministic(automaton, budget)? {
            Followed::Run(automaton.clone())
        } else {
            let small = crate::degeneralise(automaton, budget)?;
            if is_deterministic(&small, budget)? {
                Followed::Run(small)
            } else {
                Followed::Trees(Trees::new(small, budget))
            }
        };
        Ok(Complement::of(followed, 1))
    }

    /// The complement of an automaton, with states that can be written down.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn as_given(automaton: &Automaton, budget: &'b Budget) -> Result<Self, Limit> {
        if is_deterministic(automaton, budget)? {
            return Ok(Complement::of(Followed::Run(automaton.clone()), 1));
        }
        let trees = Trees::new(counted(automaton, budget)?, budget);
        Ok(Complement::of(Followed::Trees(trees), automaton.mark_count.max(1) as usize))
    }

    fn of(followed: Followed<'b>, counters: usize) -> Self {
        Complement { followed, counters, states: Numbering::default(), interrupted: None }
    }

    /// The states so far, in the order of their ids, if the automaton was taken as it is.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn written_states(&self, meter: &mut Meter<'_>) -> Result<Vec<ComplementState>, Limit> {
        let states = self.states.rows().as_slice().iter();
        states.map(|&state| self.written(state, meter)).collect()
    }

    fn written(&self, state: State, meter: &mut Meter<'_>) -> Result<ComplementState, Limit> {
        Ok(match (state, &self.followed) {
            (State::Dead, _) => ComplementState::Dead,
            (State::Run(at, without), _) => ComplementState::Run { at, without },
            (State::Tree(tree, guess), Followed::Trees(trees)) => {
                let mut paths = Vec::new();
                for (state, path) in trees.get(tree) {
                    path.iter().try_for_each(|_| meter.tick())?;
                    let counter = (state.index() % self.counters) as u32;
                    let state = StateId::new(state.index() / self.counters);
                    paths.push((state, counter, path.clone()));
                }
                ComplementState::Tree { paths, guess }
            }
            (State::Tree(..), Followed::Run(_)) => unreachable!("a run has no trees"),
        })
    }

    /// Where a state goes, with what it guesses then and whether it is marked.
    fn ways(&mut self, state: State, letter: &FixedBitSet) -> Result<Vec<(Marks, State)>, Limit> {
        Ok(match (state, &mut self.followed) {
            (State::Dead, _) => vec![(1, State::Dead)],
            (State::Run(at, without), Followed::Run(automaton)) => {
                let mut ways = automaton.transitions[at].iter();
                match ways.find(|way| way.guard.iter().any(|cube| cube.admits(letter))) {
                    None => vec![(1, State::Dead)],
                    Some(way) => after_marks(without, way.marks, automaton.mark_count)
                        .into_iter()
                        .map(|(marks, without)| (marks, State::Run(way.to, without)))
                        .collect(),
                }
            }
            (State::Tree(at, guess), Followed::Trees(trees)) => {
                let step = trees.step(at, letter)?;
                match step.to {
                    None => vec![(1, State::Dead)],
                    Some(to) => after_event(guess, step.event)
                        .into_iter()
                        .map(|(marks, guess)| (marks, State::Tree(to, guess)))
                        .collect(),
                }
            }
            (State::Run(..), Followed::Trees(_)) | (State::Tree(..), Followed::Run(_)) => {
                unreachable!("states are of what is followed")
            }
        })
    }
}

/// What may be guessed after a transition of a deterministic automaton: which mark is not carried
/// any more.
fn after_marks(without: Option<u32>, marks: Marks, mark_count: u32) -> Vec<(Marks, Option<u32>)> {
    match without {
        Some(mark) if marks >> mark & 1 == 1 => Vec::new(),
        Some(_) => vec![(1, without)],
        None => (0..mark_count).map(|mark| (0, Some(mark))).chain([(0, None)]).collect(),
    }
}

/// What may be guessed after a step of a tree.
fn after_event(guess: Guess, event: Option<Event>) -> Vec<(Marks, Guess)> {
    match (guess, event) {
        (Guess::Quiet, None) => vec![(1, guess)],
        (Guess::Quiet, Some(_)) => Vec::new(),
        (_, None) => vec![(0, guess)],
        (Guess::Dies(name), Some(event)) => {
            let sought = Event { name, flashes: false };
            let kept = event >= sought;
            kept.then_some((Marks::from(event == sought), guess)).into_iter().collect()
        }
        (Guess::Nothing, Some(event)) => {
            let dies = (!event.flashes).then_some((0, Guess::Dies(event.name)));
            dies.into_iter().chain([(0, Guess::Quiet), (0, Guess::Nothing)]).collect()
        }
    }
}

impl Acceptor for Complement<'_> {
    fn propositions(&self) -> &[FormulaId] {
        match &self.followed {
            Followed::Run(automaton) => &automaton.propositions,
            Followed::Trees(trees) => &trees.automaton().propositions,
        }
    }

    fn mark_count(&self) -> u32 {
        1
    }

    fn initial(&mut self) -> Vec<StateId> {
        let first = match &mut self.followed {
            Followed::Run(automaton) => {
                automaton.initial.iter().take(1).map(|&first| State::Run(first, None)).collect()
            }
            Followed::Trees(trees) => trees.first().map_or_else(Vec::new, |tree| {
                // Perhaps nothing ever happens.
                [Guess::Nothing, Guess::Quiet].map(|guess| State::Tree(tree, guess)).to_vec()
            }),
        };
        let first = if first.is_empty() { vec![State::Dead] } else { first };
        first.into_iter().map(|state| self.states.id(state)).collect()
    }

    fn successors(
        &mut self,
        state: StateId,
        letter: &FixedBitSet,
        out: &mut Vec<(Marks, StateId)>,
    ) {
        match self.ways(self.states[state], letter) {
            Ok(ways) => out.extend(ways.into_iter().map(|(marks, to)| (marks, self.states.id(to)))),
            Err(limit) => self.interrupted = Some(limit),
        }
    }

    fn limit(&self) -> Option<Limit> {
        self.interrupted
    }
}

/// An equivalent automaton with one mark. Each state comes with a counter of the marks that were
/// seen, one after the other; a transition is marked if it carries the last of them. `(q, i)` is
/// the state `q · marks + i`.
fn counted(automaton: &Automaton, budget: &Budget) -> Result<Automaton, Limit> {
    let mut meter = Meter::new(budget);
    let mark_count = automaton.mark_count;
    let counters = mark_count.max(1);
    let pair = |state: StateId, counter: u32| {
        StateId::new(state.index() * counters as usize + counter as usize)
    };
    let mut transitions = Table::new();
    for (_, ways) in automaton.transitions.iter() {
        for counter in 0..counters {
            let mut row = Vec::with_capacity(ways.len());
            for way in ways {
                way.guard.iter().try_for_each(|_| meter.tick())?;
                let seen = counter + (way.marks >> counter).trailing_ones();
                let counts = seen >= mark_count;
                row.push(Transition {
                    guard: way.guard.clone(),
                    marks: Marks::from(counts),
                    to: pair(way.to, if counts { 0 } else { seen }),
                });
            }
            transitions.push(row);
        }
    }
    Ok(Automaton {
        propositions: automaton.propositions.clone(),
        mark_count: 1,
        initial: automaton.initial.iter().map(|&state| pair(state, 0)).collect(),
        transitions,
    })
}

/// Whether on every word there is at most one run.
fn is_deterministic(automaton: &Automaton, budget: &Budget) -> Result<bool, Limit> {
    let mut meter = Meter::new(budget);
    if automaton.initial.len() > 1 {
        return Ok(false);
    }
    for (_, ways) in automaton.transitions.iter() {
        for (i, way) in ways.iter().enumerate() {
            for cube in &way.guard {
                for other in ways[..i].iter().flat_map(|before| &before.guard) {
                    meter.tick()?;
                    if !are_apart(cube, other) {
                        return Ok(false);
                    }
                }
            }
        }
    }
    Ok(true)
}

/// Whether no letter satisfies both.
fn are_apart(one: &Cube, other: &Cube) -> bool {
    let opposite = |literal: &Literal| Literal { holds: !literal.holds, ..*literal };
    one.0.iter().any(|literal| other.0.contains(&opposite(literal)))
}

//! States that are those of an automaton, or of its complement.
//!
//! For the complement, where a state leads is worked out from its definition in the header of
//! [`watch`](tern_model::watch), and looked up among the states that are written down.

use super::Refusal;
use super::absence::Reading;
use super::letters::{Letter, Letters};
use super::tree;
use std::collections::BTreeMap;
use tern_model::automaton::{MAX_MARKS, Transition, all_marks};
use tern_model::watch::{Guess, Watch};
use tern_model::{Id, NodeId, StateId};

/// The bits of the fairness conditions that hold, behind those of marks.
fn with_fair(marks: u64, mark_count: u32, letter: &Letter) -> u64 {
    if letter.fair == 0 { marks } else { marks | letter.fair << mark_count }
}

/// How many promises there are, with the fairness conditions.
fn promise_count(letters: &Letters<'_>, mark_count: u32) -> Result<usize, Refusal> {
    let count = mark_count as usize + letters.claim.fair.len();
    let fits = count <= MAX_MARKS as usize;
    fits.then_some(count)
        .ok_or_else(|| Refusal::new("the promises", "there are more than the form has room for"))
}

/// The states of an automaton.
pub(super) struct Own<'a> {
    letters: Letters<'a>,
    promise_count: usize,
}

impl<'a> Own<'a> {
    pub(super) fn new(letters: Letters<'a>) -> Result<Self, Refusal> {
        let promise_count = promise_count(&letters, letters.claim.automaton.mark_count)?;
        Ok(Own { letters, promise_count })
    }
}

impl Reading for Own<'_> {
    fn state_count(&self) -> usize {
        self.letters.claim.automaton.state_count()
    }

    fn promise_count(&self) -> usize {
        self.promise_count
    }

    fn initial(&self) -> Result<Vec<u32>, &'static str> {
        Ok(self.letters.claim.automaton.initial.iter().map(|&state| number(state)).collect())
    }

    fn ways(&mut self, state: u32, shows: Option<NodeId>) -> Result<Vec<(u32, u64)>, &'static str> {
        let letter = self.letters.of(shows);
        let count = self.letters.claim.automaton.mark_count;
        let ways = self.letters.ways(StateId::new(state as usize), &letter);
        let marks = |way: &Transition| with_fair(way.marks & all_marks(count), count, &letter);
        Ok(ways.map(|way| (number(way.to), marks(way))).collect())
    }
}

/// States of the complement of an automaton. It has one mark.
pub(super) struct Complement<'a> {
    letters: Letters<'a>,
    promise_count: usize,
    watches: &'a [Watch],
    numbers: BTreeMap<&'a Watch, u32>,
    /// Where states lead on letters, as far as that was asked.
    known: BTreeMap<(u32, Letter), Vec<(u32, u64)>>,
}

impl<'a> Complement<'a> {
    /// Looks that all that is written down makes sense, and none is said twice.
    pub(super) fn new(letters: Letters<'a>, watches: &'a [Watch]) -> Result<Self, Refusal> {
        let promise_count = promise_count(&letters, 1)?;
        let automaton = letters.claim.automaton;
        let mut numbers = BTreeMap::new();
        for (number, watch) in (0..).zip(watches) {
            let bad = |why: &str| Err(Refusal::new(format!("state {number}"), why));
            let makes_sense = match watch {
                Watch::Dead => true,
                Watch::Run { at, without } => {
                    at.index() < automaton.state_count()
                        && without.is_none_or(|mark| mark < automaton.mark_count)
                }
                Watch::Tree { paths, .. } => tree::is_sound(automaton, paths),
            };
            if !makes_sense {
                return bad("it is no state of the complement");
            }
            if numbers.insert(watch, number).is_some() {
                return bad("it is there twice");
            }
        }
        Ok(Complement { letters, promise_count, watches, numbers, known: BTreeMap::new() })
    }

    fn number(&self, watch: &Watch) -> Result<u32, &'static str> {
        self.numbers.get(watch).copied().ok_or("a state of the complement is missing")
    }

    /// Where a state leads, and whether by a marked transition.
    fn successors(
        &self,
        watch: &Watch,
        letter: &Letter,
    ) -> Result<Vec<(bool, Watch)>, &'static str> {
        Ok(match watch {
            Watch::Dead => vec![(true, Watch::Dead)],
            Watch::Run { at, without } => {
                let mut ways = self.letters.ways(*at, letter);
                let Some(way) = ways.next() else { return Ok(vec![(true, Watch::Dead)]) };
                if ways.next().is_some() {
                    return Err("the automaton is not deterministic here");
                }
                let carries = |mark: u32| way.marks >> mark & 1 == 1;
                let on = |without| Watch::Run { at: way.to, without };
                match *without {
                    Some(mark) if carries(mark) => Vec::new(),
                    Some(_) => vec![(true, on(*without))],
                    None => {
                        let marks = (0..self.letters.claim.automaton.mark_count).map(Some);
                        marks.chain([None]).map(|without| (false, on(without))).collect()
                    }
                }
            }
            Watch::Tree { paths, guess } => {
                let (paths, event) = tree::step(&self.letters, paths, letter);
                if paths.is_empty() {
                    return Ok(vec![(true, Watch::Dead)]);
                }
                let guesses = tree::guesses(*guess, event).into_iter();
                let on = |guess: Guess| Watch::Tree { paths: paths.clone(), guess };
                guesses.map(|(marked, guess)| (marked, on(guess))).collect()
            }
        })
    }
}

impl Reading for Complement<'_> {
    fn state_count(&self) -> usize {
        self.watches.len()
    }

    fn promise_count(&self) -> usize {
        self.promise_count
    }

    /// Whether one run is watched, or all are, is up to the proof, as long as the automaton begins in one state.
    fn initial(&self) -> Result<Vec<u32>, &'static str> {
        let initial = &self.letters.claim.automaton.initial;
        let watches = match initial[..] {
            [] => vec![Watch::Dead],
            [at] if self.watches.contains(&Watch::Run { at, without: None }) => {
                vec![Watch::Run { at, without: None }]
            }
            _ => {
                let paths = tree::first(initial);
                let with = |guess| Watch::Tree { paths: paths.clone(), guess };
                vec![with(Guess::Nothing), with(Guess::Quiet)]
            }
        };
        watches.iter().map(|watch| self.number(watch)).collect()
    }

    fn ways(&mut self, state: u32, shows: Option<NodeId>) -> Result<Vec<(u32, u64)>, &'static str> {
        let letter = self.letters.of(shows);
        if let Some(known) = self.known.get(&(state, letter.clone())) {
            return Ok(known.clone());
        }
        let found = self.successors(&self.watches[state as usize], &letter)?;
        let way = |(marked, watch): (bool, Watch)| {
            Ok((self.number(&watch)?, with_fair(u64::from(marked), 1, &letter)))
        };
        let ways = found.into_iter().map(way).collect::<Result<Vec<_>, _>>()?;
        self.known.insert((state, letter), ways.clone());
        Ok(ways)
    }
}

fn number(state: StateId) -> u32 {
    u32::try_from(state.index()).expect("ids are 32 bits")
}

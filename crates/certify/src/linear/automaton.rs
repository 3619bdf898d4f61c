//! States that are those of an automaton, or of its complement.
//!
//! For the complement, where a state leads is worked out from its definition in the header of
//! [`complement_state`](tern_model::complement_state), and looked up among the states that are
//! written down.

use super::absence::Reading;
use super::letters::{Letter, Letters};
use super::tree;
use crate::refusal::{Lack, Refusal};
use std::collections::BTreeMap;
use tern_model::automaton::{MAX_MARKS, Transition, all_marks};
use tern_model::budget::Meter;
use tern_model::complement_state::{ComplementState, Guess};
use tern_model::{Id, NodeId, StateId};

/// The bits of the fairness conditions that hold, behind those of marks, and then those of the
/// second sides of pairs.
fn with_fair(marks: u64, mark_count: u32, letter: &Letter) -> u64 {
    if letter.fair == 0 { marks } else { marks | letter.fair << mark_count }
}

/// How many promises there are, with the fairness conditions.
fn promise_count(letters: &Letters<'_>, mark_count: u32) -> Result<usize, Refusal> {
    let count = mark_count as usize + letters.claim.fair.len() + letters.claim.pairs.len();
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

    fn pair_count(&self) -> usize {
        self.letters.claim.pairs.len()
    }

    fn premises(&mut self, shows: Option<NodeId>) -> u64 {
        self.letters.of(shows).premises
    }

    fn initial(&self) -> Result<Vec<u32>, &'static str> {
        Ok(self.letters.claim.automaton.initial.iter().map(|&state| number(state)).collect())
    }

    fn ways(
        &mut self,
        state: u32,
        shows: Option<NodeId>,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<(u32, u64)>, Lack> {
        meter.tick()?;
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
    watches: &'a [ComplementState],
    numbers: BTreeMap<&'a ComplementState, u32>,
    /// Where states lead on letters, as far as that was asked.
    known: BTreeMap<(u32, Letter), Vec<(u32, u64)>>,
}

impl<'a> Complement<'a> {
    /// Looks that all that is written down makes sense, and none is said twice.
    pub(super) fn new(
        letters: Letters<'a>,
        watches: &'a [ComplementState],
    ) -> Result<Self, Refusal> {
        let promise_count = promise_count(&letters, 1)?;
        let automaton = letters.claim.automaton;
        let mut numbers = BTreeMap::new();
        for (number, watch) in (0..).zip(watches) {
            let bad = |why: &str| Err(Refusal::new(format!("state {number}"), why));
            let makes_sense = match watch {
                ComplementState::Dead => true,
                ComplementState::Run { at, without } => {
                    at.index() < automaton.state_count()
                        && without.is_none_or(|mark| mark < automaton.mark_count)
                }
                ComplementState::Tree { paths, .. } => tree::is_sound(automaton, paths),
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

    fn number(&self, watch: &ComplementState) -> Result<u32, &'static str> {
        self.numbers.get(watch).copied().ok_or("a state of the complement is missing")
    }

    /// The initial states. Whether one run is watched, or all are, is up to the proof, as long as
    /// the automaton begins in one state.
    fn first(&self) -> Vec<ComplementState> {
        let initial = &self.letters.claim.automaton.initial;
        match initial[..] {
            [] => vec![ComplementState::Dead],
            [at] if self.watches.contains(&ComplementState::Run { at, without: None }) => {
                vec![ComplementState::Run { at, without: None }]
            }
            _ => {
                let paths = tree::first(initial);
                let with = |guess| ComplementState::Tree { paths: paths.clone(), guess };
                vec![with(Guess::Nothing), with(Guess::Quiet)]
            }
        }
    }

    /// Where a state leads, and whether by a marked transition.
    fn successors(
        &self,
        watch: &ComplementState,
        letter: &Letter,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<(bool, ComplementState)>, Lack> {
        Ok(match watch {
            ComplementState::Dead => vec![(true, ComplementState::Dead)],
            ComplementState::Run { at, without } => {
                let mut ways = self.letters.ways(*at, letter);
                let Some(way) = ways.next() else { return Ok(vec![(true, ComplementState::Dead)]) };
                if ways.next().is_some() {
                    return Err("the automaton is not deterministic here".into());
                }
                let carries = |mark: u32| way.marks >> mark & 1 == 1;
                let on = |without| ComplementState::Run { at: way.to, without };
                match *without {
                    Some(mark) if carries(mark) => Vec::new(),
                    Some(_) => vec![(true, on(*without))],
                    None => {
                        let marks = (0..self.letters.claim.automaton.mark_count).map(Some);
                        marks.chain([None]).map(|without| (false, on(without))).collect()
                    }
                }
            }
            ComplementState::Tree { paths, guess } => {
                let (paths, event) = tree::step(&self.letters, paths, letter, meter)?;
                if paths.is_empty() {
                    return Ok(vec![(true, ComplementState::Dead)]);
                }
                let guesses = tree::guesses(*guess, event).into_iter();
                let on = |guess: Guess| ComplementState::Tree { paths: paths.clone(), guess };
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

    fn pair_count(&self) -> usize {
        self.letters.claim.pairs.len()
    }

    fn premises(&mut self, shows: Option<NodeId>) -> u64 {
        self.letters.of(shows).premises
    }

    fn initial(&self) -> Result<Vec<u32>, &'static str> {
        self.first().iter().map(|watch| self.number(watch)).collect()
    }

    fn ways(
        &mut self,
        state: u32,
        shows: Option<NodeId>,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<(u32, u64)>, Lack> {
        let letter = self.letters.of(shows);
        if let Some(known) = self.known.get(&(state, letter.clone())) {
            return Ok(known.clone());
        }
        let found = self.successors(&self.watches[state as usize], &letter, meter)?;
        let way = |(marked, watch): (bool, ComplementState)| {
            Ok((self.number(&watch)?, with_fair(u64::from(marked), 1, &letter)))
        };
        let ways = found.into_iter().map(way).collect::<Result<Vec<_>, &'static str>>()?;
        self.known.insert((state, letter), ways.clone());
        Ok(ways)
    }
}

fn number(state: StateId) -> u32 {
    u32::try_from(state.index()).expect("ids are 32 bits")
}

#[cfg(test)]
mod tests {
    use super::super::{Specification, word};
    use super::*;
    use fastrand::Rng;
    use tern_model::automaton::{Cube, Literal};
    use tern_model::index::Table;
    use tern_model::{Automaton, Budget, Builder, Edge, Formulas, Machine, Must, Place};

    /// A program with one run, which shows random labels, and the position that comes after the
    /// last.
    fn lasso(rng: &mut Rng) -> (Machine, Vec<Option<NodeId>>, usize) {
        let mut builder = Builder::new();
        let main = builder.component("main");
        let count = rng.usize(1..=5);
        let nodes: Vec<NodeId> = (0..count).map(|i| builder.node(main, &format!("n{i}"))).collect();
        let begin = rng.usize(..count);
        builder.initial(nodes[0]);
        for (i, &node) in nodes.iter().enumerate() {
            for label in ["p", "q"].into_iter().filter(|_| rng.bool()) {
                builder.label(node, label);
            }
            let next = nodes.get(i + 1).copied().unwrap_or(nodes[begin]);
            builder.edge(Place::Node(node), Edge::Step(next));
        }
        let shown = nodes.into_iter().map(Some).collect();
        (builder.finish().expect("a sound machine"), shown, begin)
    }

    /// A random automaton, with at most one way on for each letter if it is to be deterministic.
    fn automaton(rng: &mut Rng, formulas: &mut Formulas, deterministic: bool) -> Automaton {
        let count = rng.usize(1..=4);
        let mark_count = rng.u32(..3);
        let state = |rng: &mut Rng| StateId::new(rng.usize(..count));
        let mut transitions = Table::new();
        for _ in 0..count {
            let mut row = Vec::new();
            for letter in 0..4_u32 {
                let literal =
                    |proposition| Literal { proposition, holds: letter >> proposition & 1 == 1 };
                let ways =
                    if deterministic { usize::from(rng.u8(..9) > 0) } else { rng.usize(..4) };
                for _ in 0..ways {
                    let guard = vec![Cube([0, 1].map(literal).into())];
                    let marks = rng.u64(..) & rng.u64(..) & all_marks(mark_count);
                    row.push(Transition { guard, marks, to: state(rng) });
                }
            }
            transitions.push(row);
        }
        let initial = (0..if deterministic { 1 } else { rng.usize(..3) }).map(|_| state(rng));
        let initial = initial.collect();
        let propositions = vec![formulas.atom("p"), formulas.atom("q")];
        Automaton { propositions, mark_count, initial, transitions }
    }

    /// Whether the complement, by its own definition, accepts what a lasso shows: some pair that is
    /// reached from an initial one reaches itself by a marked transition.
    fn refuses(complement: &Complement<'_>, shown: &[Option<NodeId>], begin: usize) -> bool {
        type Pair = (usize, ComplementState);
        let next = |(position, watch): &Pair| -> Vec<(bool, Pair)> {
            let letter = complement.letters.of(shown[*position]);
            let after = if position + 1 == shown.len() { begin } else { position + 1 };
            let unlimited = Budget::unlimited();
            let ways = complement.successors(watch, &letter, &mut Meter::new(&unlimited));
            let ways = ways.unwrap_or_else(|_| panic!("all is deterministic, without limits"));
            ways.into_iter().map(|(marked, watch)| (marked, (after, watch))).collect()
        };
        let spread = |from: Vec<Pair>| {
            let (mut seen, mut open) = (std::collections::BTreeSet::new(), from);
            while let Some(pair) = open.pop() {
                if seen.insert(pair.clone()) {
                    open.extend(next(&pair).into_iter().map(|(_, pair)| pair));
                }
            }
            seen
        };
        let reached = spread(complement.first().into_iter().map(|watch| (0, watch)).collect());
        reached.iter().any(|pair| {
            let marked = next(pair).into_iter().filter(|(marked, _)| *marked);
            marked.into_iter().any(|(_, to)| spread(vec![to]).contains(pair))
        })
    }

    #[test]
    fn the_complement_accepts_what_the_automaton_does_not() {
        let budget = Budget::unlimited();
        let (mut accepted, mut runs) = (0, 0);
        for seed in 0..8_000 {
            let mut rng = Rng::with_seed(seed);
            let mut formulas = Formulas::new();
            let automaton = automaton(&mut rng, &mut formulas, seed % 4 == 0);
            let (machine, shown, begin) = lasso(&mut rng);
            let claim = Specification {
                automaton: &automaton,
                must: Must::AcceptAll,
                fair: &[],
                pairs: &[],
            };
            let letters = || Letters::new(&machine, &formulas, claim).expect("a sound claim");
            let is_accepted =
                word::is_accepted(&letters(), &shown, begin, &mut Meter::new(&budget));
            let is_accepted = is_accepted.expect("no limits");
            accepted += usize::from(is_accepted);
            let watched =
                automaton.initial.iter().map(|&at| ComplementState::Run { at, without: None });
            let watched: Vec<ComplementState> = watched.take(usize::from(seed % 4 == 0)).collect();
            runs += watched.len();
            for watches in [&watched[..], &[]] {
                let complement = Complement::new(letters(), watches).expect("a sound list");
                let refused = refuses(&complement, &shown, begin);
                assert_ne!(
                    is_accepted, refused,
                    "seed {seed}: {automaton:#?} on {shown:?}, {begin}"
                );
            }
        }
        assert!((2_000..6_000).contains(&accepted) && runs == 2_000, "{accepted}, {runs}");
    }
}

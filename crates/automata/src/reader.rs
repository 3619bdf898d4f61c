//! Letters, and what an automaton does on them: different ones get numbers, and equal questions are
//! asked once.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::ops::Range;
use tern_model::automaton::Marks;
use tern_model::index::Numbering;
use tern_model::{Acceptor, Limit, StateId, indices};

indices! {
    /// A letter that was read.
    pub LetterId = "a";
}

/// Letters, each different one once.
pub type Letters = Numbering<LetterId, FixedBitSet>;

/// A move of an automaton: its marks, and the state that it leads to.
pub type Step = (Marks, StateId);

/// Reads letters by an automaton.
pub struct Reader<A> {
    acceptor: A,
    letters: Letters,
    /// Where the steps of a state on a letter lie, as far as they were asked for.
    known: FxHashMap<(StateId, LetterId), Range<u32>>,
    steps: Vec<Step>,
    arrange: fn(&mut Vec<Step>),
}

impl<A: Acceptor> Reader<A> {
    /// A reader that brings the steps on a letter into order by `arrange`.
    pub fn new(acceptor: A, arrange: fn(&mut Vec<Step>)) -> Self {
        Reader {
            acceptor,
            letters: Letters::default(),
            known: FxHashMap::default(),
            steps: Vec::new(),
            arrange,
        }
    }

    /// The automaton.
    pub fn acceptor(&self) -> &A {
        &self.acceptor
    }

    /// The states in which a run may begin.
    pub fn initial(&mut self) -> Vec<StateId> {
        self.acceptor.initial()
    }

    /// The id of a letter, which is added if it is new.
    pub fn letter(&mut self, letter: &FixedBitSet) -> LetterId {
        self.letters.id_of(letter)
    }

    /// A letter.
    pub fn get(&self, letter: LetterId) -> &FixedBitSet {
        &self.letters[letter]
    }

    /// The pairs whose premise holds on a letter.
    ///
    /// # Errors
    /// What ran out for the automaton.
    pub fn premises(&mut self, letter: LetterId) -> Result<Marks, Limit> {
        let premises = self.acceptor.premises(&self.letters[letter]);
        self.acceptor.limit().map_or(Ok(premises), Err)
    }

    /// The steps of a state on a letter: where they lie among all that were found.
    ///
    /// # Errors
    /// What ran out for the automaton.
    ///
    /// # Panics
    /// If more than 2^32 steps are found.
    #[inline]
    pub fn read(&mut self, state: StateId, letter: LetterId) -> Result<Range<usize>, Limit> {
        let Range { start, end } = match self.known.get(&(state, letter)) {
            Some(known) => known.clone(),
            None => self.ask(state, letter)?,
        };
        Ok(start as usize..end as usize)
    }

    /// A step that was found.
    #[inline]
    pub fn step(&self, position: usize) -> Step {
        self.steps[position]
    }

    fn ask(&mut self, state: StateId, letter: LetterId) -> Result<Range<u32>, Limit> {
        let mut found = Vec::new();
        self.acceptor.successors(state, &self.letters[letter], &mut found);
        if let Some(limit) = self.acceptor.limit() {
            return Err(limit);
        }
        (self.arrange)(&mut found);
        let position = |length| u32::try_from(length).expect("fewer than 2^32 steps");
        let start = position(self.steps.len());
        self.steps.extend(found);
        let range = start..position(self.steps.len());
        self.known.insert((state, letter), range.clone());
        Ok(range)
    }
}

/// Makes one step of those that lead to the same state: with all their marks.
pub fn join_parallel(steps: &mut Vec<Step>) {
    steps.sort_unstable_by_key(|&(_, state)| state);
    steps.dedup_by(|later, earlier| {
        let same = later.1 == earlier.1;
        if same {
            earlier.0 |= later.0;
        }
        same
    });
}

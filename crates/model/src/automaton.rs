//! Automata that read the labels of a path, one state of the program at a time.
//!
//! Acceptance is generalised Büchi on transitions: every transition may carry some of `mark_count`
//! *marks*, and an endless run is accepting if it carries each of them again and again. Without
//! marks every endless run is accepting. A run that finds no transition for a letter dies.
//!
//! A *letter* says which of the automaton's propositions hold. Propositions are state formulas:
//! atoms, or formulas that begin with a path quantifier, whose truth is decided elsewhere.
//!
//! An acceptor may have *pairs* besides, as automata of Streett do: the mark of a pair is asked for
//! only of runs on which the premise of the pair, which letters tell, comes again and again.
//!
//! An [`Automaton`] has all its states at hand; an [`Acceptor`] may make them while one looks at
//! it.

use crate::budget::Limit;
use crate::index::{FormulaId, StateId, Table};
use fixedbitset::FixedBitSet;

/// A set of marks; mark `i` is bit `i`.
pub type Marks = u64;

/// The most marks that an automaton may have. What needs more counts them off one after the other.
pub const MAX_MARKS: u32 = u64::BITS;

/// The set of all of `count` marks.
pub fn all_marks(count: u32) -> Marks {
    if count >= MAX_MARKS { Marks::MAX } else { (1 << count) - 1 }
}

/// An automaton whose states are asked for one by one. Ids of states mean the same at every call.
pub trait Acceptor {
    /// What a letter speaks of: its bit `i` is the truth of the state formula `propositions()[i]`.
    fn propositions(&self) -> &[FormulaId];
    /// How many marks there are, at most [`MAX_MARKS`].
    fn mark_count(&self) -> u32;
    /// The states in which a run may begin, before it has read the first letter.
    fn initial(&mut self) -> Vec<StateId>;
    /// Appends to `out` where a state may go when it reads a letter, with the marks on the way.
    fn successors(&mut self, state: StateId, letter: &FixedBitSet, out: &mut Vec<(Marks, StateId)>);
    /// How many of the marks, the last ones, belong to pairs of strong fairness: such a mark is
    /// asked for only if the premise of its pair holds again and again.
    fn pair_count(&self) -> u32 {
        0
    }
    /// The pairs whose premise holds on a letter; bit `i` is pair `i`.
    fn premises(&mut self, _letter: &FixedBitSet) -> Marks {
        0
    }
    /// What ran out, if anything did: then successors may be missing, and whoever asked for them
    /// must ask here before it draws a conclusion.
    fn limit(&self) -> Option<Limit> {
        None
    }
    /// Whether it is known that every endless run from a state on is accepted.
    fn accepts_all(&self, _state: StateId) -> bool {
        false
    }
}

impl<A: Acceptor> Acceptor for &mut A {
    fn propositions(&self) -> &[FormulaId] {
        (**self).propositions()
    }
    fn mark_count(&self) -> u32 {
        (**self).mark_count()
    }
    fn initial(&mut self) -> Vec<StateId> {
        (**self).initial()
    }
    fn successors(
        &mut self,
        state: StateId,
        letter: &FixedBitSet,
        out: &mut Vec<(Marks, StateId)>,
    ) {
        (**self).successors(state, letter, out);
    }
    fn pair_count(&self) -> u32 {
        (**self).pair_count()
    }
    fn premises(&mut self, letter: &FixedBitSet) -> Marks {
        (**self).premises(letter)
    }
    fn limit(&self) -> Option<Limit> {
        (**self).limit()
    }
    fn accepts_all(&self, state: StateId) -> bool {
        (**self).accepts_all(state)
    }
}

/// What is asked of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Must {
    /// To accept no run of the program: it is for the negation of what is claimed.
    AcceptNone,
    /// To accept every run of the program: it is for what is claimed. If it is not deterministic,
    /// this may take exponentially many of its sets of states.
    AcceptAll,
}

/// A proposition of an automaton, by position, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal {
    /// The position of the proposition.
    pub proposition: u32,
    /// Whether it is to hold, or not to.
    pub holds: bool,
}

/// A conjunction of literals, sorted, each proposition at most once. Without literals it is true.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Cube(pub Box<[Literal]>);

impl Cube {
    /// Whether a letter satisfies all literals.
    pub fn admits(&self, letter: &FixedBitSet) -> bool {
        self.0.iter().all(|literal| letter.contains(literal.proposition as usize) == literal.holds)
    }
}

/// One way on from a state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transition {
    /// The letters it may be taken on: those that one of the cubes admits.
    pub guard: Vec<Cube>,
    /// The marks it carries.
    pub marks: Marks,
    /// Where it leads.
    pub to: StateId,
}

/// An automaton with all its states.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// What letters speak of.
    pub propositions: Vec<FormulaId>,
    /// How many marks there are, at most [`MAX_MARKS`].
    pub mark_count: u32,
    /// Where runs begin.
    pub initial: Vec<StateId>,
    /// The ways on from each state.
    pub transitions: Table<StateId, Vec<Transition>>,
}

impl Automaton {
    /// How many states there are.
    pub fn state_count(&self) -> usize {
        self.transitions.len()
    }
}

impl Acceptor for Automaton {
    fn propositions(&self) -> &[FormulaId] {
        &self.propositions
    }

    fn mark_count(&self) -> u32 {
        self.mark_count
    }

    fn initial(&mut self) -> Vec<StateId> {
        self.initial.clone()
    }

    fn successors(
        &mut self,
        state: StateId,
        letter: &FixedBitSet,
        out: &mut Vec<(Marks, StateId)>,
    ) {
        let ways = self.transitions[state].iter();
        let open = ways.filter(|way| way.guard.iter().any(|cube| cube.admits(letter)));
        out.extend(open.map(|way| (way.marks, way.to)));
    }

    fn accepts_all(&self, state: StateId) -> bool {
        self.transitions[state].iter().any(|way| {
            let always = way.guard.iter().any(|cube| cube.0.is_empty());
            always && way.to == state && way.marks == all_marks(self.mark_count)
        })
    }
}

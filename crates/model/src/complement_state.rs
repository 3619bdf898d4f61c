//! The states of the complement of an automaton, written so that anybody can tell where they go.
//!
//! The complement watches the runs of the automaton on a word, all of them, and finds out that none
//! is accepting. It has one mark, and accepts what the automaton does not. A state is a
//! [`ComplementState`]:
//! * **Dead**: there is no run any more. It stays so, and every transition is marked.
//! * **Run**: there is one run, which is in a state. From any time on it may be guessed that a
//!   certain mark of the automaton is not carried any more; from then on every transition is
//!   marked, and a transition of the automaton that carries it is not followed. Nothing is said
//!   about words on which there are two runs.
//! * **Tree**: all runs, and a guess.
//!
//! # Trees
//! First each state gets a counter, for automata with other than one mark: in `(q, i)` the marks
//! before `i` were seen, one after the other. A transition with the mark `i` moves on to `i + 1`,
//! to `i + 2` if it carries that one too, and so on; behind the last mark the transition *counts*,
//! and the counter is 0 again. (Without marks all transitions count.) So a run is accepting exactly
//! if it counts again and again.
//!
//! A tree has nodes named 0, 1, …; each stands for a set of such pairs: the root 0 for all, a child
//! for some of those of its parent, with none in common with its siblings. Children have larger
//! names than parents, and younger nodes larger ones than older. The tree is written as the *path*
//! of each pair: the nodes that it is in, from the root down. On a letter
//! 1. pairs follow all transitions with their paths, and by one that counts they also enter a new
//!    child of the last node of the path, the same for all of that node;
//! 2. of several paths to one pair, the one is kept that goes through the older node where they
//!    part, or that goes on where the other ends;
//! 3. a node that is the last of no path *flashes*, if none above it does, and paths through it end
//!    there now;
//! 4. nodes that are on no path *die*. The others are named anew in the order of their names; new
//!    ones come after all others, in the order of their parents.
//!
//! Events are told apart by the name of the node before the letter; a smaller name is more
//! important, and that a node dies is more important than that it flashes. What counts is the most
//! important event of a step, if there is any.
//!
//! A tree may be watched with a guess. [`Guess::Quiet`]: nothing happens any more; every transition
//! is marked, and ends if something happens. [`Guess::Dies`]: the node of this name dies again and
//! again, and nothing more important happens; those transitions are marked on which it does, and it
//! ends if something more important happens. [`Guess::Nothing`]: no transition is marked; when
//! something happens, any guess may be made from then on, `Dies` if it was the death of that name.
//! In the beginning all initial states are in the root with counter 0, and the guess is `Nothing`
//! or `Quiet`.
//!
//! # Why it is right
//! Proofs of [absence](crate::absence) rest on this: if the automaton does not accept a word, the
//! complement does. Let it not accept. If all runs end, *Dead* is reached. If there is one run, it
//! is not accepting, so one mark is not carried any more from some time on, and that can be
//! guessed. Else look at trees. If nothing happens from some time on, that can be guessed at the
//! last event, or in the beginning. Otherwise there is a most important event that happens again
//! and again, and a time after which nothing more important does. If it is a death, that can be
//! guessed then. It cannot be a flash of a name: no older node dies any more, nor this one, so it
//! is the same node each time, and each pair in it has been come to by a transition that counts
//! since it flashed last. So between two flashes each pair of the later one is linked to one of the
//! earlier by a part of a run that counts, and by König's lemma these make up an accepting run,
//! which there is none of.
//!
//! # Source
//! Safra: On the complexity of ω-automata, FOCS 1988; names that sink: Piterman, LMCS 3(3), 2007;
//! marks on transitions: Redziejowski, Fundamenta Informaticae 119, 2012.

use crate::index::StateId;

/// A state of the complement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComplementState {
    /// All runs have ended.
    Dead,
    /// There is one run.
    Run {
        /// Where it is.
        at: StateId,
        /// The mark that it does not carry any more.
        without: Option<u32>,
    },
    /// All runs.
    Tree {
        /// The pairs of a state and a counter, each with its path; sorted, each pair once.
        paths: Vec<(StateId, u32, Vec<u32>)>,
        /// What is guessed.
        guess: Guess,
    },
}

/// What is taken to be true of a tree from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guess {
    /// Nothing in particular.
    Nothing,
    /// Nothing happens any more.
    Quiet,
    /// The node of this name dies again and again, and nothing more important happens.
    Dies(u32),
}

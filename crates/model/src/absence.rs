//! Evidence that no run of a program has a given shape, which a reader can check without searching.
//!
//! The shape is a path formula, or an automaton, of which more below. What has to be true of a run
//! from some moment on is a set of *obligations*, formulas that must hold there or must not.
//! Reading what a node shows, a set of obligations leaves other sets to be met from the next moment
//! on, by the expansion laws of the operators (`f U g` is `g | f & X (f U g)`): its *alternatives*.
//! An alternative is dropped if another one asks for less. An obligation that something happens
//! some day (`F`, `U`, `M`, or that `G`, `R`, `W` must not hold) may be postponed; a run has the
//! shape exactly if it can be followed by alternatives for ever and postpones none of
//! these *promises* for ever.
//!
//! # The form
//! A *vertex* is a spot of the program inside the frame of a *start*, with the obligations that are
//! to be met from there on. A start is a node at which a component is entered, with the obligations
//! there; or it is the bottom of the stack for all initial nodes of a component (`root`), and its
//! node is one of them.
//! * Every start has a vertex for its node. Every initial node in question has a vertex in a root
//!   start, with the shape as its obligation.
//! * Vertices are closed: for every alternative of a vertex and every edge of the program, the
//!   vertex that they lead to is there; for a call, the start of the callee, and for each way out
//!   of it (its *leaves*) the vertex at which the caller goes on; for a return, the leave of the
//!   start.
//! * `kept` says of a vertex or leave which promises are kept (not postponed) in some move of some
//!   run from its start to it; more may be named than there are.
//! * `level` never grows along an edge. An edge to a vertex of the same level must not keep one
//!   promise, which is the same for all edges of that level; where there is no such promise, no
//!   edge may stay in the level.
//!
//! # Why it is right
//! Take an endless run that has the shape, with the obligations followed by alternatives, and cut
//! it wherever its stack is the lowest from there on: it becomes an endless path along steps, calls
//! that are never left, and calls that are left again at once when they return. All of these are
//! edges that were checked, so the level is the same from some moment on; and then one promise is
//! postponed for ever, which contradicts that the run has the shape. (Where an alternative was
//! dropped, follow the one that asks for less: it can be met whenever the other can, and it
//! postpones no more.)
//!
//! # Shapes given by automata
//! If the shape is what an [automaton](crate::automaton) accepts, states are states of the
//! automaton, alternatives are its transitions, and promises are its marks: a promise is kept by a
//! transition that carries the mark. If the shape is what an automaton does *not* accept, the
//! automaton in question is its complement, whose states are written down; see
//! [`complement_state`](crate::complement_state). All initial states take the part of the shape:
//! each has a vertex at each initial node, in a root start. If runs count only on which some
//! conditions hold again and again, each condition is one more promise, behind the marks, which is
//! kept by reading a node on which it holds. All the rest, and why it is right, stays as it is: a
//! run that has the shape can be followed by transitions for ever, and keeps each promise again and
//! again.
//!
//! # Strong fairness
//! The shape may ask that, for each of some *pairs*, the second side comes again and again if the
//! first does. In a formula these are conjuncts `G F p -> G F q`, which the proof lists; the other
//! conjuncts are the obligations of the shape. (Conjuncts are those of `f` and `g` in `f & g`, and
//! in `!(f -> g)` those of `f` and of `!g`.) With an automaton they are among the conditions.
//! The second sides are promises behind all others, kept by reading a node on which they hold; a
//! level may not name them as its promise.
//!
//! Instead of naming a promise, a level may be *narrowed*: no edge that stays in it keeps the
//! second side of some pairs. So a run that has the shape and stays in the level has the first
//! sides of these pairs only finitely often; from some moment on it *avoids* them. A [`Narrowing`]
//! gives the vertices of the level levels of their own, such that the rules for levels hold along
//! all edges inside the narrowed level that avoid the first sides: that do not leave a vertex at a
//! node on which one holds. Its levels may be narrowed again, and then still more pairs are
//! avoided.
//!
//! Ways through calls must avoid the first sides too. How starts are left so is said by
//! [`NarrowContracts`]: of some starts, which vertices are reached and by which leaves they are left
//! without the first sides, and which promises may be kept on these ways. They are closed in the
//! same way as the vertices of the proof, along all edges that avoid the first sides; calls are
//! stepped over by the same list of contracts.
//!
//! Why it is right: a run that has the shape stays in one level from some moment on. If that is
//! narrowed, it avoids the first sides of its pairs from some later moment on, and then the edges
//! that it is made of are among those that the narrowing looks at. So it stays in one of the levels
//! of the narrowing, and so on; narrowings within narrowings are finitely many, and in the end one
//! promise is postponed for ever.

use crate::complement_state::ComplementState;
use crate::index::{ExitId, FormulaId, NodeId, PlaceId};

/// A formula that must hold, or must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Obligation {
    /// A subformula of the claim.
    pub formula: FormulaId,
    /// Whether it must hold.
    pub holds: bool,
}

/// The runs that are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// Those on which a path formula holds, or does not.
    Formula(Obligation),
    /// Those that an automaton accepts.
    Accepted,
    /// Those that an automaton does not accept.
    NotAccepted,
}

/// Where the program is, in the frame of a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spot {
    /// At a node or return site of the frame.
    At(PlaceId),
    /// In a callee, at a node that can only return, by exits after which this frame does not go on.
    Halted(NodeId),
    /// Ended, in the sink.
    Sink,
}

/// How a start is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Out {
    /// By an exit.
    By(ExitId),
    /// Perhaps not at all: a node that can only return is stuck if the caller goes on after none of
    /// its exits. The obligations are those before what the node shows is read.
    Stuck(NodeId),
}

/// A proof that no run from some initial nodes has a shape; see the module's documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absence {
    /// What states are; elsewhere they are given by their number.
    pub states: States,
    /// Where components are entered.
    pub starts: Vec<AbsenceStart>,
    /// For each level, the promise that no edge inside it keeps, if edges may stay inside it for
    /// that reason.
    pub levels: Vec<Option<u32>>,
    /// Levels in which strong fairness is looked at more closely.
    pub narrowings: Vec<Narrowing>,
    /// How starts are left on ways that narrowings may take.
    pub contracts: Vec<NarrowContracts>,
}

/// What of a level is left without the first sides of some pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narrowing {
    /// The earlier narrowing whose level this is; without one, it is a level of the proof.
    pub within: Option<u32>,
    /// The level.
    pub level: u32,
    /// The pairs whose first sides are avoided; bit `i` is pair `i`. Those that are avoided in
    /// `within` are among them; the second sides of the others are kept by no edge of the level.
    pub avoids: u64,
    /// The level of each vertex: the number of its start, its position there, and its new level.
    pub vertices: Vec<(u32, u32, u32)>,
    /// For each new level, the promise that no edge inside it keeps, if edges may stay inside it
    /// for that reason.
    pub levels: Vec<Option<u32>>,
}

/// How starts are left without the first sides of some pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NarrowContracts {
    /// The pairs; bit `i` is pair `i`.
    pub avoids: u64,
    /// What is said of each start.
    pub starts: Vec<NarrowContract>,
}

/// How a start is left without the first sides of some pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NarrowContract {
    /// The number of the start.
    pub start: u32,
    /// The positions of the vertices that are reached, with the promises that may be kept on the
    /// way.
    pub vertices: Vec<(u32, u64)>,
    /// The positions of the leaves, with the promises that may be kept on the way.
    pub leaves: Vec<(u32, u64)>,
}

/// What the states of a proof are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum States {
    /// Sets of obligations.
    Obligations {
        /// The promises that may be postponed, each once; elsewhere they are bits.
        promises: Vec<Obligation>,
        /// The sets, each sorted.
        sets: Vec<Vec<Obligation>>,
        /// The conjuncts that are pairs of strong fairness.
        pairs: Vec<FormulaId>,
    },
    /// The states of the automaton, by their own numbers. Promises are its marks, behind them the
    /// conditions, and then the second sides of pairs.
    Automaton,
    /// States of the complement of the automaton, each once. The first promise is its mark; behind
    /// it come the conditions, and then the second sides of pairs.
    Complement(Vec<ComplementState>),
}

/// A node at which a component is entered, and what follows in its frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbsenceStart {
    /// The node.
    pub node: NodeId,
    /// The obligations.
    pub state: u32,
    /// Whether this is the bottom of the stack.
    pub root: bool,
    /// What can be reached in the frame.
    pub vertices: Vec<AbsenceVertex>,
    /// How the frame can be left.
    pub leaves: Vec<AbsenceLeave>,
}

/// A spot with obligations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbsenceVertex {
    /// Where.
    pub spot: Spot,
    /// The obligations.
    pub state: u32,
    /// The promises that may be kept on the way from the start to here; bit `i` is promise `i`.
    pub kept: u64,
    /// The level.
    pub level: u32,
}

/// A way out of a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbsenceLeave {
    /// How.
    pub out: Out,
    /// The obligations left.
    pub state: u32,
    /// The promises that may be kept on the way from the start to here.
    pub kept: u64,
}

//! Evidence for a claim in CTL*: the truth of its quantified subformulas, with a proof that a
//! reader can check without searching.
//!
//! Each quantified subformula has a [`StarLayer`], innermost first. What it asks is `E`: on some
//! path an *obligation* is met, a path formula that holds or does not (`A f` is `not E not f`; a
//! claim that is a path formula itself is `A claim`). Quantified formulas inside are propositions,
//! decided by earlier layers. What obligations leave for the next moment, their *alternatives*, and
//! the *promises* that these may postpone, are those of [`absence`](crate::absence).
//!
//! # Covers
//! A *cover* tells stacks apart: it is a deterministic automaton that reads a stack from the
//! bottom. Its states are *copies* of components. An empty stack is in the `ended` copy of its
//! component; a box on the stack leads to the copy that its copy links it to. A link may be
//! missing: then nothing is said of such stacks. The *base* cover tells apart what steps depend on:
//! nobody links to an `ended` copy, and whether a node that can only return is *stuck* (its caller
//! goes on after none of its exits) is the same for all who link to a copy. Stuck nodes and nodes
//! without edges stay. The cover of a layer refines its *ground*, the cover of an earlier layer or
//! the base: each copy names a ground copy of the same component, and links commute with that.
//! Through the grounds a copy knows what the layers below say about its nodes.
//!
//! # A layer
//! *Contracts* (of the ground) say how one gets out of a called component: entered at a node with a
//! set of obligations (a *state*), it is left by which exits, in which states, and which promises
//! can be kept meanwhile. Each contract lists what is reached in its frame, closed under
//! alternatives and edges, calls being stepped over by the contract of the callee; so nothing is
//! missing. What is reached, left, or reached or left with a promise kept on the way is a *fact*,
//! and has a rank: it has a reason among facts of smaller rank; so everything is true.
//!
//! *Vertices* (of the ground) are a spot, whatever the stack below, with a state. From a vertex
//! lead the moves by steps, calls (to the entry, as if never left), calls that come back (by the
//! leaves of the contract), and staying; for every alternative. A vertex is
//! * [`Good`](Standing::Good) if some endless path from it meets all obligations and never leaves
//!   its frame. For each promise it has a distance: some move leads to a good vertex and keeps the
//!   promise, or that vertex has a smaller distance. Without promises, some move leads to a good
//!   vertex. So one can go on for ever, and keep the promises in turn. Other vertices that its
//!   moves lead to, and contracts, may be left out.
//! * [`Bad`](Standing::Bad) otherwise. All its moves lead to bad vertices. The level does not grow
//!   along them. Level `l` belongs to promise `l mod n` of `n`: a move inside the level does not
//!   keep that promise. If there are no promises, levels fall at every move. So on every endless
//!   path in the frame some promise is kept only finitely often. (Cut the path wherever the stack
//!   is the lowest from there on: what lies between are moves.)
//!
//! The copies of the layer say where obligations can be met under the stacks that lead to them. A
//! vertex *holds* in a copy if it is good, or is listed in [`StarCopy::order`]. A *reason* for a
//! bad vertex is a move within the frame to a vertex that comes earlier in the list, or a return,
//! in some state, by an exit after which it *goes on* so: at the return site of the caller the
//! vertex with that state holds. All that link to a copy must agree about each return of a bad
//! vertex of it. Each vertex in the list has a reason; no other bad vertex has one, even if the
//! whole list came earlier. In an `ended` copy a return ends the program, and stays or goes to the
//! sink.
//!
//! Why that is right: by induction over the height of the stack. Let it be right for lower ones.
//! What is listed has a path to a return after which obligations can be met. And a path that meets
//! the obligations of a vertex either stays in its frame, and the vertex is good, or moves to a
//! return, after which they are met; then the last vertex has a reason, and so has each before it.
//!
//! So the layer's truth at a node (or in the sink) is whether the vertex with the sought obligation
//! alone holds there. Where there is no such vertex, nothing is said; whoever needs to know must
//! not be content with that.

use crate::absence::Obligation;
use crate::index::{BoxId, CompId, ExitId, NodeId, PlaceId};

/// The truth of all quantified subformulas of a claim, as far as it matters; see the module's
/// documentation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StarEvidence {
    /// What steps need to know of a stack.
    pub base: Vec<BaseCopy>,
    /// The quantified subformulas, operands first.
    pub layers: Vec<StarLayer>,
}

/// A component under all stacks that are the same to its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseCopy {
    /// The component on top.
    pub component: CompId,
    /// Whether the stack is empty.
    pub ended: bool,
    /// The copy that each box leads to, sorted.
    pub callees: Vec<(BoxId, u32)>,
}

/// The truth of one quantified subformula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StarLayer {
    /// What is to be met on some path.
    pub sought: Obligation,
    /// The layer whose copies these refine; without one, the base.
    pub ground: Option<u32>,
    /// The promises that may be postponed, each once; elsewhere they go by their position.
    pub promises: Vec<Obligation>,
    /// Sets of obligations, each sorted; elsewhere they go by their position.
    pub states: Vec<Vec<Obligation>>,
    /// How called components are left.
    pub contracts: Vec<Contract>,
    /// From where obligations can be met without leaving the frame.
    pub vertices: Vec<StarVertex>,
    /// Where obligations can be met, by kinds of stacks.
    pub copies: Vec<StarCopy>,
}

/// How a component is left that was entered with some obligations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// The ground copy; it is not ended.
    pub copy: u32,
    /// Where it is entered.
    pub entry: NodeId,
    /// The obligations.
    pub state: u32,
    /// What is reached inside; the entry with its state is reached from the beginning.
    pub reached: Vec<(PlaceId, Fact)>,
    /// How it is left.
    pub leaves: Vec<(ExitId, Fact)>,
}

/// That something is reached with some obligations left, and which promises can be kept on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The obligations left.
    pub state: u32,
    /// The rank of the fact that it is reached.
    pub rank: u32,
    /// The promises that can be kept on the way, sorted, with the ranks of these facts.
    pub kept: Vec<(u32, u32)>,
}

/// Where the program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StarSpot {
    /// At a node or return site.
    At(PlaceId),
    /// Ended, in the sink.
    Sink,
}

/// A spot of a ground copy with obligations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StarVertex {
    /// The ground copy.
    pub copy: u32,
    /// Where.
    pub spot: StarSpot,
    /// The obligations.
    pub state: u32,
    /// Whether they can be met without leaving the frame.
    pub standing: Standing,
}

/// Whether obligations can be met without leaving the frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// They can; with the distance to where each promise is kept.
    Good(Vec<u32>),
    /// They cannot; with the level.
    Bad(u32),
}

/// A component under all stacks that are the same to a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StarCopy {
    /// The ground copy.
    pub ground: u32,
    /// The copy that each box leads to, sorted.
    pub callees: Vec<(BoxId, u32)>,
    /// The bad vertices of the ground copy that hold here, each after its reason.
    pub order: Vec<u32>,
}

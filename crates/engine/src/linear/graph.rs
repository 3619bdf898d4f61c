//! What a search over runs has found: a finite graph in which every endless run has its trace.
//!
//! A *start* is a node at which a component is entered, with the state of the automaton there. A *vertex*
//! is a spot of the program, inside the frame of a start, with a state of the automaton. Runs are followed
//! by four kinds of edges: steps; *descents*, from a call to the start of its callee, for runs that
//! never come back from it; *summaries*, from a call to where it comes back, for those that do; and a
//! node may stay where it is. A start with what is known of how one gets out of it is the *contract* of
//! its component: left by which exits, in which states.
//!
//! Why the graph has a trace of every endless run: cut the run wherever the stack is at its lowest from
//! there on. Between two such moments lies a step, a call that is never left again (a descent), or a call
//! that is left at once when it returns (a summary).
//!
//! # Marks
//! An edge carries all marks that *some* run along it does, which may be different runs for different
//! marks. That is enough to find accepting cycles: a component of the graph that has every mark somewhere
//! can be gone round again and again, along another run each time. (So parallel edges are one.)

use tern_model::automaton::Marks;
use tern_model::{BoxId, NodeId, StateId};

pub(crate) use tern_model::absence::{Out, Spot};

/// No such edge or vertex.
pub(crate) const NONE: u32 = u32::MAX;

/// A spot with a state of the automaton, which has not read the spot's letter yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex {
    pub(crate) start: u32,
    pub(crate) spot: Spot,
    pub(crate) state: StateId,
}

/// How the program moves along an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// To a node of the same frame.
    Step,
    /// It has ended, or is stuck, and stays.
    Stay,
    /// It has ended, and goes to the sink.
    ToSink,
    /// Into the callee of a box, for ever.
    Descent(BoxId),
    /// Through the callee of a box: its start, and how that is left.
    Summary {
        /// The box.
        call: BoxId,
        /// The start of the callee.
        callee: u32,
        /// Which of its leaves.
        leave: u32,
    },
    /// Out of the start: which of its leaves. Such an edge leads to no vertex.
    Leave(u32),
}

/// An edge; the edges of a vertex are a linked list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphEdge {
    pub(crate) to: u32,
    pub(crate) way: Way,
    /// The marks that the first move along the edge carries, out of the vertex itself.
    pub(crate) own: Marks,
    /// All marks that some run along the edge carries.
    pub(crate) marks: Marks,
    pub(crate) next: u32,
}

/// One way out of a start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leave {
    pub(crate) out: Out,
    pub(crate) state: StateId,
    /// All marks that some run from the start to here carries.
    pub(crate) marks: Marks,
}

/// A call that waits for the leaves of a start.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) vertex: u32,
    pub(crate) call: BoxId,
    pub(crate) own: Marks,
    /// For each leave of the start, the edge to where this call goes on; [`NONE`] if it does not.
    pub(crate) edges: Vec<u32>,
}

/// A node at which a component is entered, with the automaton's state, and the contract found for it.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub(crate) node: NodeId,
    pub(crate) state: StateId,
    /// Whether this is an initial node with nothing below it.
    pub(crate) root: bool,
    /// The vertex of the node itself; it may belong to another root.
    pub(crate) first: u32,
    pub(crate) leaves: Vec<Leave>,
    pub(crate) callers: Vec<Caller>,
}

/// The graph, as far as it was explored.
#[derive(Default)]
pub(crate) struct Graph {
    pub(crate) starts: Vec<Start>,
    pub(crate) vertices: Vec<Vertex>,
    /// For each vertex, all marks that some run from its start to it carries.
    pub(crate) gathered: Vec<Marks>,
    pub(crate) first_edge: Vec<u32>,
    pub(crate) edges: Vec<GraphEdge>,
}

impl Graph {
    /// The edges of a vertex, by number; the latest first.
    pub(crate) fn edges_of(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        let some = |edge: u32| (edge != NONE).then_some(edge);
        let next = move |&edge: &u32| some(self.edges[edge as usize].next);
        std::iter::successors(some(self.first_edge[vertex as usize]), next)
    }

    pub(crate) fn edge(&self, edge: u32) -> &GraphEdge {
        &self.edges[edge as usize]
    }

    pub(crate) fn add_edge(
        &mut self,
        from: u32,
        way: Way,
        to: u32,
        own: Marks,
        marks: Marks,
    ) -> u32 {
        let id = u32::try_from(self.edges.len()).expect("fewer than 2^32 edges");
        let next = std::mem::replace(&mut self.first_edge[from as usize], id);
        self.edges.push(GraphEdge { to, way, own, marks, next });
        id
    }
}

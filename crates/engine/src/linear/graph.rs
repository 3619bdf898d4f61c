//! What a search over runs has found: a finite graph in which every endless run has its trace.
//!
//! A *start* is a node at which a component is entered, with the state of the automaton there.
//! A *vertex* is a spot of the program, inside the frame of a start, with a state of the automaton.
//! Runs are followed by four kinds of edges: steps; *descents*, from a call to the start of its
//! callee, for runs that never come back from it; *summaries*, from a call to where it comes back,
//! for those that do; and a node may stay where it is. A start with what is known of how one gets
//! out of it is the *contract* of its component: left by which exits, in which states.
//!
//! Why the graph has a trace of every endless run: cut the run wherever the stack is at its lowest
//! from there on. Between two such moments lies a step, a call that is never left again (a
//! descent), or a call that is left at once when it returns (a summary).
//!
//! # Marks
//! An edge carries all marks that *some* run along it does, which may be different runs for
//! different marks. That is enough to find accepting cycles: a component of the graph that has
//! every mark somewhere can be gone round again and again, along another run each time. (So
//! parallel edges are one.)

use tern_model::automaton::Marks;
use tern_model::index::Table;
use tern_model::{BoxId, Id, NodeId, StateId, indices};

pub(crate) use tern_model::absence::{Out, Spot};

indices! {
    /// A node at which a component is entered, with a state of the automaton.
    pub(crate) StartId = "s";
    /// A spot in the frame of a start, with a state of the automaton.
    pub(crate) VertexId = "v";
    /// An edge between vertices, or out of a start.
    pub(crate) EdgeId = "e";
    /// A way out of a start, counted among those of the start.
    pub(crate) LeaveId = "l";
}

/// A spot with a state of the automaton, which has not read the spot's letter yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex {
    pub(crate) start: StartId,
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
        callee: StartId,
        /// Which of its leaves.
        leave: LeaveId,
    },
    /// Out of the start: which of its leaves. Such an edge leads to no vertex, and all others do.
    Leave(LeaveId),
}

/// An edge; the edges of a vertex are a linked list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphEdge {
    pub(crate) to: Option<VertexId>,
    pub(crate) way: Way,
    /// The marks that the first move along the edge carries, out of the vertex itself.
    pub(crate) own: Marks,
    /// All marks that some run along the edge carries.
    pub(crate) marks: Marks,
    pub(crate) next: Option<EdgeId>,
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
    pub(crate) vertex: VertexId,
    pub(crate) call: BoxId,
    pub(crate) own: Marks,
    /// For each leave of the start that this call was told of, the edge to where it goes on, if it
    /// does.
    pub(crate) edges: Table<LeaveId, Option<EdgeId>>,
}

/// A node at which a component is entered, with the automaton's state, and the contract found for
/// it.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub(crate) node: NodeId,
    pub(crate) state: StateId,
    /// Whether this is the bottom of the stack. What follows there is the same for all initial
    /// nodes of the component, so they share one start, whose node is one of them.
    pub(crate) root: bool,
    /// The vertex of the node itself.
    pub(crate) first: VertexId,
    pub(crate) leaves: Table<LeaveId, Leave>,
    pub(crate) callers: Vec<Caller>,
}

/// The graph, as far as it was explored.
#[derive(Clone, Default)]
pub(crate) struct Graph {
    /// The initial nodes from which runs were followed, each with its vertex for an initial state
    /// of the automaton.
    pub(crate) roots: Vec<(NodeId, VertexId)>,
    pub(crate) starts: Table<StartId, Start>,
    pub(crate) vertices: Table<VertexId, Vertex>,
    /// For each vertex, all marks that some run from its start to it carries.
    pub(crate) gathered: Table<VertexId, Marks>,
    pub(crate) first_edge: Table<VertexId, Option<EdgeId>>,
    pub(crate) edges: Table<EdgeId, GraphEdge>,
}

impl Graph {
    /// The edges of a vertex; the latest first.
    #[inline]
    pub(crate) fn edges_of(&self, vertex: VertexId) -> impl Iterator<Item = EdgeId> + '_ {
        std::iter::successors(self.first_edge[vertex], |&edge| self.edges[edge].next)
    }

    /// The vertices that edges of a vertex lead to.
    #[inline]
    pub(crate) fn successors(&self, vertex: VertexId) -> impl Iterator<Item = VertexId> + '_ {
        self.edges_of(vertex).filter_map(|edge| self.edges[edge].to)
    }

    #[inline]
    pub(crate) fn add_edge(
        &mut self,
        from: VertexId,
        way: Way,
        to: Option<VertexId>,
        own: Marks,
        marks: Marks,
    ) -> EdgeId {
        let next = self.first_edge[from];
        let id = self.edges.push(GraphEdge { to, way, own, marks, next });
        self.first_edge[from] = Some(id);
        id
    }

    /// Whether edges are as they are said to be: all but leaves lead to a vertex, leaves and
    /// summaries are those of their starts, and marks of an edge are among those that are gathered
    /// where it leads within the frame.
    pub(crate) fn check_edges(&self) -> bool {
        self.vertices.iter().all(|(from, vertex)| {
            self.edges_of(from).all(|edge| {
                let GraphEdge { to, way, marks, .. } = self.edges[edge];
                let gathered = self.gathered[from] | marks;
                let carries = |all: Marks| all & gathered == gathered;
                let within = |to: VertexId| {
                    self.vertices[to].start == vertex.start && carries(self.gathered[to])
                };
                match (way, to) {
                    (Way::Leave(leave), None) => {
                        let leaves = self.starts[vertex.start].leaves.as_slice();
                        leaves.get(leave.index()).is_some_and(|leave| carries(leave.marks))
                    }
                    (Way::Descent(_), Some(to)) => self.starts[self.vertices[to].start].first == to,
                    (Way::Summary { callee, leave, .. }, Some(to)) => {
                        leave.index() < self.starts[callee].leaves.len() && within(to)
                    }
                    (Way::Step | Way::Stay | Way::ToSink, Some(to)) => within(to),
                    (Way::Leave(_), Some(_)) | (_, None) => false,
                }
            })
        })
    }
}

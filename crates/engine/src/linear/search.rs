//! The search: follows all runs of a program together with an automaton, each callee once for each
//! entry and state, and ends when an accepting run is found or there is nothing more to follow.
//!
//! Nothing is looked at before a run gets there, neither of the program nor of the automaton.
//! Callees are stepped over by their contracts; a caller is woken when a contract grows. Whenever
//! the graph has doubled it is searched for an accepting cycle, so that the search ends early at
//! the cost of a constant factor; what is found in a part of the graph is there in the whole.
//!
//! # Why it ends
//! Vertices and edges are finitely many, for finitely many states of the automaton; each is made
//! once; and the marks gathered at a vertex or a leave only grow. If the program has no end, the
//! search has none either, unless there is an accepted run that comes back to itself, or of which a
//! beginning tells: every vertex has its turn.
//!
//! # Cost
//! Each vertex is expanded once, and raised once more for each mark at most: starts times edges of
//! their components times the transitions of the automaton. Initial nodes share a start, and exits
//! are found again by hashing: many of either cost no more than their edges. Many entries that lead
//! to each other do: each is followed to the exits of its own. It stays so because a
//! [proof](tern_model::absence) has a vertex for each start and spot, so it is as large; CTL\*
//! steps over calls in a product without starts (`star/product.rs`), and writes none.
//!
//! # What is shared, and what is not
//! Letters and steps of the automaton are read by [`Reader`], what follows a node is said by
//! [`Below`], and components are found by [`tern_model::scc`]; the product of `star/` and its
//! proofs take the same. The searches themselves are four, because they keep different things:
//! summaries of CTL sets of exits; this one edges and marks for each start; the product marks for
//! each entry, and places once for all; proofs ranks of facts. What they would share is a worklist
//! of three lines.
//!
//! # Source
//! Alur, Benedikt, Etessami, Godefroid, Reps, Yannakakis: Analysis of recursive state machines,
//! TOPLAS 2005. We depart: marks on transitions, generalised acceptance without a counter, starts
//! on demand.

use super::cycles::{Components, Pairs};
use super::freedom;
use super::graph::{
    Caller, EdgeId, Graph, Leave, LeaveId, Out, Spot, Start, StartId, Vertex, VertexId, Way,
};
use super::index::Index;
use super::source::{Shown, Source};
use crate::streett::Goal;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use tern_automata::{LetterId, Reader, join_parallel};
use tern_model::automaton::{Marks, all_marks};
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::step::{Below, Onward, only_returns};
use tern_model::{Acceptor, BoxId, CompId, Edge, Id, Limit, NodeId, Place, PlaceId, StateId};

/// How many leaves of a start are looked at one after the other; those beyond are hashed.
const FEW_LEAVES: usize = 8;

/// How often the graph may double in search of a cycle when it is known that there is an accepted
/// run.
const PATIENCE: u32 = 2;

/// Edges after which the graph is searched for the first time.
const FIRST_LOOK: usize = 32;

pub(crate) struct Search<'s, S, A> {
    source: &'s mut S,
    pub(super) reader: Reader<&'s mut A>,
    shown: Shown,
    pub(crate) graph: Graph,
    root_ids: FxHashMap<CompId, StartId>,
    start_ids: FxHashMap<(NodeId, StateId), StartId>,
    /// The leaves of starts, but for the first few of each.
    leave_ids: FxHashMap<(StartId, Out, StateId), LeaveId>,
    index: Index,
    expanded: Table<VertexId, bool>,
    tasks: VecDeque<Task>,
    /// Whether the oldest task is next, not the latest: in turns, if the program may have no end.
    oldest: bool,
    /// The edges of the place that is looked at, and what follows a node there; kept for their
    /// memory.
    edges: Vec<Edge>,
    onward: Vec<Onward>,
    /// How many states of the automaton were seen: the greatest id so far, and one.
    pub(crate) states: usize,
    /// Vertices at which anything may follow besides, each with a state in which it would be read.
    pub(crate) holes: Vec<(VertexId, StateId)>,
    /// Vertices from which all runs are accepted, if the program may have no end; then there need
    /// not be a cycle to find.
    pub(crate) settled: Vec<VertexId>,
}

#[derive(Clone, Copy)]
enum Task {
    /// Look at the edges of a vertex for the first time.
    Expand(VertexId),
    /// More marks are gathered at a vertex than before.
    Raise(VertexId),
    /// A start has a new leave, or one with more marks.
    Wake(StartId, LeaveId),
}

impl<'s, S: Source, A: Acceptor> Search<'s, S, A> {
    pub(crate) fn new(source: &'s mut S, acceptor: &'s mut A) -> Self {
        let mut reader = Reader::new(acceptor, join_parallel);
        Search {
            source,
            shown: Shown::new(&mut reader),
            reader,
            graph: Graph::default(),
            root_ids: FxHashMap::default(),
            start_ids: FxHashMap::default(),
            leave_ids: FxHashMap::default(),
            index: Index::default(),
            expanded: Table::new(),
            tasks: VecDeque::new(),
            oldest: false,
            edges: Vec::new(),
            onward: Vec::new(),
            states: 0,
            holes: Vec::new(),
            settled: Vec::new(),
        }
    }

    /// Follows all runs from some initial nodes. If one is accepted, the components of what was
    /// explored until then, one of which is accepting; if `to_the_end`, of everything.
    ///
    /// At the bottom of the stack it does not matter where a run began. So initial nodes of a
    /// component share a start, or else many of them would take time and memory quadratic in its
    /// size.
    pub(crate) fn run(
        &mut self,
        roots: &[NodeId],
        to_the_end: bool,
        meter: &mut Meter<'_>,
    ) -> Result<Components, Limit> {
        for state in self.reader.initial() {
            for &node in roots.iter().rev() {
                self.root(node, state);
            }
        }
        let mut next_look = FIRST_LOOK;
        let mut patience = PATIENCE;
        while let Some(task) = self.next_task() {
            match task {
                Task::Expand(vertex) => self.expand(vertex, meter)?,
                Task::Raise(vertex) => self.raise(vertex, meter)?,
                Task::Wake(start, leave) => self.wake(start, leave, meter)?,
            }
            self.source.check()?;
            if !to_the_end && self.graph.edges.len() >= next_look {
                next_look = self.graph.edges.len() * 2;
                let components = self.components(false, meter)?;
                if components.accepting.is_some() || patience == 0 {
                    return Ok(components);
                }
                patience -= u32::from(!self.settled.is_empty());
            }
        }
        debug_assert!(self.graph.check_edges());
        self.components(to_the_end, meter)
    }

    /// The task that was put down last; in turns with the first, if the program may have no end:
    /// then a search that goes deeper and deeper must not miss what is near.
    fn next_task(&mut self) -> Option<Task> {
        if self.source.is_endless() {
            self.oldest = !self.oldest;
        }
        if self.oldest { self.tasks.pop_front() } else { self.tasks.pop_back() }
    }

    /// The vertices from which a run may be accepted that passes a hole. Those from which all such
    /// runs are, are settled.
    pub(crate) fn open_holes(&mut self, meter: &mut Meter<'_>) -> Result<Vec<VertexId>, Limit> {
        let holes = std::mem::take(&mut self.holes);
        if holes.is_empty() {
            return Ok(Vec::new());
        }
        let all = |&&(_, state): &&(VertexId, StateId)| self.reader.acceptor().accepts_all(state);
        self.settled.extend(holes.iter().filter(all).map(|&(vertex, _)| vertex));
        let states: Vec<StateId> = holes.iter().map(|&(_, state)| state).collect();
        let some = freedom::accept_some(&mut self.reader, &states, meter)?;
        Ok(holes.iter().zip(some).filter(|it| it.1).map(|(&(vertex, _), _)| vertex).collect())
    }

    /// The components of what was explored. With strong fairness, unless `every` one is wanted,
    /// only one that is good.
    fn components(&mut self, every: bool, meter: &mut Meter<'_>) -> Result<Components, Limit> {
        match self.pairs(meter)? {
            Some(pairs) => Components::with_pairs(&self.graph, pairs, every, meter),
            None => {
                let all = all_marks(self.reader.acceptor().mark_count());
                Components::new(&self.graph, all, meter)
            }
        }
    }

    /// The pairs of strong fairness, if there are any, and where their premises are.
    fn pairs(&mut self, meter: &mut Meter<'_>) -> Result<Option<Pairs>, Limit> {
        let (marks, pairs) =
            (self.reader.acceptor().mark_count(), self.reader.acceptor().pair_count());
        if pairs == 0 {
            return Ok(None);
        }
        let goal = Goal { required: all_marks(marks - pairs), first: marks - pairs };
        let mut premises = Table::filled(0, self.graph.edges.len());
        for vertex in self.graph.vertices.ids() {
            let shown = self.premises(vertex)?;
            for id in self.graph.edges_of(vertex) {
                meter.tick()?;
                // A node that is stuck is read only when the caller knows that it is.
                premises[id] = if self.is_stuck_leave(vertex, id) { 0 } else { shown };
            }
        }
        Ok(Some(Pairs { goal, premises }))
    }

    /// The pairs whose premise a vertex shows.
    fn premises(&mut self, vertex: VertexId) -> Result<Marks, Limit> {
        let letter = match self.graph.vertices[vertex].spot {
            _ if !self.expanded[vertex] => return Ok(0),
            Spot::Sink => self.shown.blank,
            Spot::Halted(node) => {
                let place = self.source.node_place(node);
                self.letter(node, place)
            }
            Spot::At(place) => match self.source.place(place) {
                Place::Node(node) => self.letter(node, place),
                Place::Site(..) => return Ok(0),
            },
        };
        self.reader.premises(letter)
    }

    fn is_stuck_leave(&self, from: VertexId, edge: EdgeId) -> bool {
        let Way::Leave(leave) = self.graph.edges[edge].way else { return false };
        let start = self.graph.vertices[from].start;
        matches!(self.graph.starts[start].leaves[leave].out, Out::Stuck(_))
    }

    /// Follows runs from an initial node, with an empty stack.
    fn root(&mut self, node: NodeId, state: StateId) {
        let component = self.source.component(node);
        let start = match self.root_ids.get(&component) {
            Some(&known) => known,
            None => {
                let new = self.add_start(node, state, true);
                self.root_ids.insert(component, new);
                new
            }
        };
        let place = self.source.node_place(node);
        let vertex = self.vertex(start, Spot::At(place), state, 0);
        self.graph.roots.push((node, vertex));
    }

    /// The start of calling a component at a node, which is followed from now on.
    fn start(&mut self, node: NodeId, state: StateId) -> StartId {
        if let Some(&known) = self.start_ids.get(&(node, state)) {
            return known;
        }
        let new = self.add_start(node, state, false);
        self.start_ids.insert((node, state), new);
        new
    }

    fn add_start(&mut self, node: NodeId, state: StateId, root: bool) -> StartId {
        self.index.add_start(self.source.places_around(node), self.graph.vertices.len());
        let id = self.graph.starts.push(Start {
            node,
            state,
            root,
            // The next vertex, which is new: no other has this start.
            first: VertexId::new(self.graph.vertices.len()),
            leaves: Table::new(),
            callers: Vec::new(),
        });
        let place = self.source.node_place(node);
        let first = self.vertex(id, Spot::At(place), state, 0);
        debug_assert_eq!(first, self.graph.starts[id].first);
        id
    }

    /// A vertex at which at least these marks are gathered.
    fn vertex(&mut self, start: StartId, spot: Spot, state: StateId, marks: Marks) -> VertexId {
        let Search { source, graph, index, .. } = self;
        let wanted = Vertex { start, spot, state };
        let position = match spot {
            Spot::At(place) => source.position(place),
            Spot::Halted(_) | Spot::Sink => None,
        };
        let new = VertexId::new(graph.vertices.len());
        let id = index.get_or_add(wanted, position, new, &graph.vertices);
        if id == new {
            graph.vertices.push(wanted);
            graph.gathered.push(marks);
            graph.first_edge.push(None);
            self.expanded.push(false);
            self.tasks.push_back(Task::Expand(id));
            self.states = self.states.max(state.index() + 1);
            if source.is_endless() && self.reader.acceptor().accepts_all(state) {
                self.settled.push(id);
            }
        } else {
            self.gather(id, marks);
        }
        id
    }

    fn gather(&mut self, vertex: VertexId, marks: Marks) {
        let gathered = &mut self.graph.gathered[vertex];
        if *gathered | marks != *gathered {
            *gathered |= marks;
            if self.expanded[vertex] {
                self.tasks.push_back(Task::Raise(vertex));
            }
        }
    }

    /// The letter of a node.
    fn letter(&mut self, node: NodeId, place: PlaceId) -> LetterId {
        self.shown.of(self.source, &mut self.reader, node, place)
    }

    fn expand(&mut self, id: VertexId, meter: &mut Meter<'_>) -> Result<(), Limit> {
        self.expanded[id] = true;
        let Vertex { start, spot, state } = self.graph.vertices[id];
        match spot {
            Spot::At(place) => match self.source.place(place) {
                Place::Node(node) => self.expand_node(id, place, node, meter),
                Place::Site(..) => {
                    let edges = self.edges(place);
                    if self.source.is_hole(place) {
                        self.holes.push((id, state));
                    }
                    for &edge in &edges {
                        meter.tick()?;
                        self.follow(id, edge, 0, state);
                    }
                    self.edges = edges;
                    Ok(())
                }
            },
            Spot::Halted(node) => {
                let place = self.source.node_place(node);
                let letter = self.letter(node, place);
                self.stay(id, start, spot, state, letter, meter)
            }
            Spot::Sink => self.stay(id, start, spot, state, self.shown.blank, meter),
        }
    }

    /// A spot that the program does not leave any more.
    fn stay(
        &mut self,
        id: VertexId,
        start: StartId,
        spot: Spot,
        state: StateId,
        letter: LetterId,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        for i in self.reader.read(state, letter)? {
            meter.tick()?;
            let (marks, state) = self.reader.step(i);
            self.add(id, Way::Stay, start, spot, state, marks);
        }
        Ok(())
    }

    fn expand_node(
        &mut self,
        id: VertexId,
        place: PlaceId,
        node: NodeId,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let Vertex { start, state, .. } = self.graph.vertices[id];
        let root = self.graph.starts[start].root;
        let edges = self.edges(place);
        let letter = self.letter(node, place);
        let steps = self.reader.read(state, letter)?;
        // Whether a caller goes on is asked when it comes back.
        let open = |_| true;
        let mut below =
            if root { Below::Nothing(self.source.end_rule()) } else { Below::Caller(open) };
        let mut onward = std::mem::take(&mut self.onward);
        onward.clear();
        let hole = self.source.is_hole(place);
        if !(hole && edges.is_empty()) {
            below.onward(&edges, &mut onward);
        }
        for i in steps {
            let (marks, state) = self.reader.step(i);
            if hole {
                self.holes.push((id, state));
            }
            for &next in &onward {
                meter.tick()?;
                match next {
                    Onward::Edge(edge) => self.follow(id, edge, marks, state),
                    Onward::Stay => self.add(id, Way::Stay, start, Spot::At(place), state, marks),
                    Onward::Sink => self.add(id, Way::ToSink, start, Spot::Sink, state, marks),
                }
            }
        }
        if !root && !hole && only_returns(&edges) {
            self.leave(id, Out::Stuck(node), 0, state);
        }
        (self.edges, self.onward) = (edges, onward);
        Ok(())
    }

    /// The edges of a place; the list is to be given back.
    fn edges(&mut self, place: PlaceId) -> Vec<Edge> {
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        self.source.edges(place, &mut edges);
        edges
    }

    /// One edge of the program, taken with these marks and leading to this state.
    fn follow(&mut self, from: VertexId, edge: Edge, marks: Marks, state: StateId) {
        let start = self.graph.vertices[from].start;
        match edge {
            Edge::Step(to) => {
                let place = self.source.node_place(to);
                self.add(from, Way::Step, start, Spot::At(place), state, marks);
            }
            Edge::Call(call, entry) => {
                let callee = self.start(entry, state);
                let first = self.graph.starts[callee].first;
                self.graph.add_edge(from, Way::Descent(call), Some(first), marks, marks);
                let caller = Caller { vertex: from, call, own: marks, edges: Table::new() };
                self.graph.starts[callee].callers.push(caller);
                let position = self.graph.starts[callee].callers.len() - 1;
                for leave in self.graph.starts[callee].leaves.ids() {
                    self.come_back(callee, position, leave);
                }
            }
            Edge::Return(exit) => self.leave(from, Out::By(exit), marks, state),
        }
    }

    /// An edge within the frame of a start.
    fn add(
        &mut self,
        from: VertexId,
        way: Way,
        start: StartId,
        spot: Spot,
        state: StateId,
        own: Marks,
    ) {
        let gathered = self.graph.gathered[from];
        let to = self.vertex(start, spot, state, gathered | own);
        self.graph.add_edge(from, way, Some(to), own, own);
    }

    /// A vertex at which its start is left.
    fn leave(&mut self, from: VertexId, out: Out, own: Marks, state: StateId) {
        let start = self.graph.vertices[from].start;
        let marks = self.graph.gathered[from] | own;
        let leaves = &mut self.graph.starts[start].leaves;
        let new = leaves.next_id();
        let few = &leaves.as_slice()[..leaves.len().min(FEW_LEAVES)];
        let leave = match few.iter().position(|it| it.out == out && it.state == state) {
            Some(known) => LeaveId::new(known),
            None if leaves.len() < FEW_LEAVES => new,
            None => *self.leave_ids.entry((start, out, state)).or_insert(new),
        };
        if leave == new {
            leaves.push(Leave { out, state, marks });
            self.tasks.push_back(Task::Wake(start, leave));
        }
        self.graph.add_edge(from, Way::Leave(leave), None, own, own);
        self.raise_leave(start, leave, marks);
    }

    fn raise_leave(&mut self, start: StartId, leave: LeaveId, marks: Marks) {
        let known = &mut self.graph.starts[start].leaves[leave].marks;
        if *known | marks != *known {
            *known |= marks;
            self.tasks.push_back(Task::Wake(start, leave));
        }
    }

    /// Tells the callers of a start of a leave that is new to them, or has more marks.
    fn wake(&mut self, start: StartId, leave: LeaveId, meter: &mut Meter<'_>) -> Result<(), Limit> {
        for position in 0..self.graph.starts[start].callers.len() {
            meter.tick()?;
            let caller = &self.graph.starts[start].callers[position];
            match caller.edges.as_slice().get(leave.index()) {
                None => {
                    for new in caller.edges.len()..=leave.index() {
                        self.come_back(start, position, LeaveId::new(new));
                    }
                }
                Some(None) => (),
                Some(&Some(edge)) => {
                    let vertex = caller.vertex;
                    let marks = self.graph.starts[start].leaves[leave].marks;
                    self.graph.edges[edge].marks |= marks;
                    let edge = self.graph.edges[edge];
                    let to = edge.to.expect("a call goes on at a vertex");
                    self.gather(to, self.graph.gathered[vertex] | edge.marks);
                }
            }
        }
        Ok(())
    }

    /// A caller of a start learns of its next leave: where does it go on?
    fn come_back(&mut self, callee: StartId, caller: usize, leave: LeaveId) {
        let Start { callers, leaves, .. } = &self.graph.starts[callee];
        let (Leave { out, state, marks }, waiting) = (leaves[leave], &callers[caller]);
        let (vertex, call, own) = (waiting.vertex, waiting.call, waiting.own);
        let spot = match out {
            Out::By(exit) => self.source.site(call, exit).map(Spot::At),
            Out::Stuck(node) => self.is_stuck(call, node).then_some(Spot::Halted(node)),
        };
        let edge = spot.map(|spot| {
            let start = self.graph.vertices[vertex].start;
            let gathered = self.graph.gathered[vertex];
            let to = self.vertex(start, spot, state, gathered | own | marks);
            let way = Way::Summary { call, callee, leave };
            self.graph.add_edge(vertex, way, Some(to), own, own | marks)
        });
        self.graph.starts[callee].callers[caller].edges.push(edge);
    }

    /// Whether a node that can only return is stuck under a box.
    fn is_stuck(&mut self, call: BoxId, node: NodeId) -> bool {
        let place = self.source.node_place(node);
        let mut edges = Vec::new();
        self.source.edges(place, &mut edges);
        let goes_on = |exit| self.source.site(call, exit).is_some();
        Below::Caller(goes_on).is_dead_end(&edges)
    }

    /// More marks are gathered at a vertex: so they are wherever it leads within its frame.
    fn raise(&mut self, vertex: VertexId, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let mut next = self.graph.first_edge[vertex];
        while let Some(edge) = next {
            meter.tick()?;
            let edge = self.graph.edges[edge];
            let marks = self.graph.gathered[vertex] | edge.marks;
            match (edge.way, edge.to) {
                (Way::Descent(_), _) => (),
                (Way::Leave(leave), _) => {
                    self.raise_leave(self.graph.vertices[vertex].start, leave, marks);
                }
                (_, to) => to.into_iter().for_each(|to| self.gather(to, marks)),
            }
            next = edge.next;
        }
        Ok(())
    }
}

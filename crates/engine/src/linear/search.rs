//! The search: follows all runs of a program together with an automaton, each callee once for each
//! entry and state, and ends when an accepting run is found or there is nothing more to follow.
//!
//! Nothing is looked at before a run gets there, neither of the program nor of the automaton. Callees
//! are stepped over by their contracts; a caller is woken when a contract grows. Whenever the graph has
//! doubled it is searched for an accepting cycle, so that the search ends early at the cost of a constant
//! factor; what is found in a part of the graph is there in the whole.
//!
//! # Why it ends
//! Vertices and edges are finitely many, for finitely many states of the automaton; each is made once; and
//! the marks gathered at a vertex or a leave only grow.
//!
//! # Cost
//! Each vertex is expanded once, and raised once more for each mark at most: starts times edges of their
//! components times the transitions of the automaton.
//!
//! # Source
//! Alur, Benedikt, Etessami, Godefroid, Reps, Yannakakis: Analysis of recursive state machines, TOPLAS 2005.
//! We depart: marks on transitions, generalised acceptance without a counter, starts on demand.

use super::cycles::{self, Components};
use super::graph::{Caller, Graph, Leave, NONE, Out, Spot, Start, Vertex, Way};
use super::index::Index;
use super::source::{Letters, Source};
use rustc_hash::FxHashMap;
use tern_model::automaton::{Marks, all_marks};
use tern_model::budget::Meter;
use tern_model::{
    Acceptor, BoxId, CompId, Edge, EndRule, Id, Limit, NodeId, Place, PlaceId, StateId,
};

/// Edges after which the graph is searched for the first time.
const FIRST_LOOK: usize = 32;

pub(crate) struct Search<'s, S, A> {
    source: &'s mut S,
    acceptor: &'s mut A,
    letters: Letters,
    pub(crate) graph: Graph,
    root_ids: FxHashMap<CompId, u32>,
    start_ids: FxHashMap<(NodeId, StateId), u32>,
    index: Index,
    /// Where states go on letters, as far as that was asked: ranges in `successors`.
    successor_ids: FxHashMap<(StateId, u32), (u32, u32)>,
    successors: Vec<(Marks, StateId)>,
    expanded: Vec<bool>,
    tasks: Vec<Task>,
    /// The edges of the place that is looked at, kept for their memory.
    edges: Vec<Edge>,
    /// How many states of the automaton were seen: the greatest id so far, and one.
    pub(crate) states: usize,
}

#[derive(Clone, Copy)]
enum Task {
    /// Look at the edges of a vertex for the first time.
    Expand(u32),
    /// More marks are gathered at a vertex than before.
    Raise(u32),
    /// A start has a new leave, or one with more marks.
    Wake(u32, u32),
}

impl<'s, S: Source, A: Acceptor> Search<'s, S, A> {
    pub(crate) fn new(source: &'s mut S, acceptor: &'s mut A) -> Self {
        let letters = Letters::new(acceptor.propositions().len());
        Search {
            source,
            acceptor,
            letters,
            graph: Graph::default(),
            root_ids: FxHashMap::default(),
            start_ids: FxHashMap::default(),
            index: Index::default(),
            successor_ids: FxHashMap::default(),
            successors: Vec::new(),
            expanded: Vec::new(),
            tasks: Vec::new(),
            edges: Vec::new(),
            states: 0,
        }
    }

    /// Follows all runs from some initial nodes. If one is accepted, the components of what was
    /// explored until then, one of which is accepting; if `to_the_end`, of everything.
    ///
    /// At the bottom of the stack it does not matter where a run began. So initial nodes of a component share a start, or
    /// else many of them would take time and memory quadratic in its size.
    pub(crate) fn run(
        &mut self,
        roots: &[NodeId],
        to_the_end: bool,
        meter: &mut Meter<'_>,
    ) -> Result<Components, Limit> {
        for state in self.acceptor.initial() {
            for &node in roots.iter().rev() {
                self.root(node, state);
            }
        }
        let mut next_look = FIRST_LOOK;
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Expand(vertex) => self.expand(vertex, meter)?,
                Task::Raise(vertex) => self.raise(vertex, meter)?,
                Task::Wake(start, leave) => self.wake(start, leave, meter)?,
            }
            if !to_the_end && self.graph.edges.len() >= next_look {
                next_look = self.graph.edges.len() * 2;
                let components = self.components(meter)?;
                if components.accepting.is_some() {
                    return Ok(components);
                }
            }
        }
        self.components(meter)
    }

    fn components(&self, meter: &mut Meter<'_>) -> Result<Components, Limit> {
        cycles::find(&self.graph, all_marks(self.acceptor.mark_count()), meter)
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
    fn start(&mut self, node: NodeId, state: StateId) -> u32 {
        if let Some(&known) = self.start_ids.get(&(node, state)) {
            return known;
        }
        let new = self.add_start(node, state, false);
        self.start_ids.insert((node, state), new);
        new
    }

    fn add_start(&mut self, node: NodeId, state: StateId, root: bool) -> u32 {
        let id = u32::try_from(self.graph.starts.len()).expect("fewer than 2^32 starts");
        self.index.add_start(self.source.places_around(node), self.graph.vertices.len());
        self.graph.starts.push(Start {
            node,
            state,
            root,
            first: NONE,
            leaves: Vec::new(),
            callers: Vec::new(),
        });
        let place = self.source.node_place(node);
        self.graph.starts[id as usize].first = self.vertex(id, Spot::At(place), state, 0);
        id
    }

    /// A vertex at which at least these marks are gathered.
    fn vertex(&mut self, start: u32, spot: Spot, state: StateId, marks: Marks) -> u32 {
        let Search { source, graph, index, .. } = self;
        let wanted = Vertex { start, spot, state };
        let position = match spot {
            Spot::At(place) => source.position(place),
            Spot::Halted(_) | Spot::Sink => None,
        };
        let new = u32::try_from(graph.vertices.len()).expect("fewer than 2^32 vertices");
        let id = index.get_or_add(wanted, position, new, &graph.vertices);
        if id == new {
            graph.vertices.push(wanted);
            graph.gathered.push(marks);
            graph.first_edge.push(NONE);
            self.expanded.push(false);
            self.tasks.push(Task::Expand(id));
            self.states = self.states.max(state.index() + 1);
        } else {
            self.gather(id, marks);
        }
        id
    }

    fn gather(&mut self, vertex: u32, marks: Marks) {
        let gathered = &mut self.graph.gathered[vertex as usize];
        if *gathered | marks != *gathered {
            *gathered |= marks;
            if self.expanded[vertex as usize] {
                self.tasks.push(Task::Raise(vertex));
            }
        }
    }

    /// Where a state goes when it reads a letter: a range of `successors`, each state once.
    fn successors(&mut self, state: StateId, letter: u32) -> Result<std::ops::Range<usize>, Limit> {
        if let Some(&(begin, end)) = self.successor_ids.get(&(state, letter)) {
            return Ok(begin as usize..end as usize);
        }
        let mut found = Vec::new();
        self.acceptor.successors(state, self.letters.get(letter), &mut found);
        if let Some(limit) = self.acceptor.limit() {
            return Err(limit);
        }
        found.sort_unstable_by_key(|&(_, state)| state);
        found.dedup_by(|later, earlier| {
            let same = later.1 == earlier.1;
            if same {
                earlier.0 |= later.0;
            }
            same
        });
        let begin = self.successors.len();
        self.successors.extend(found);
        let range = begin..self.successors.len();
        self.successor_ids.insert((state, letter), (range.start as u32, range.end as u32));
        Ok(range)
    }

    fn expand(&mut self, id: u32, meter: &mut Meter<'_>) -> Result<(), Limit> {
        self.expanded[id as usize] = true;
        let Vertex { start, spot, state } = self.graph.vertices[id as usize];
        match spot {
            Spot::At(place) => match self.source.place(place) {
                Place::Node(node) => self.expand_node(id, place, node, meter),
                Place::Site(..) => {
                    let edges = self.edges(place);
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
                let letter = self.letters.of(self.source, node, place);
                for i in self.successors(state, letter)? {
                    meter.tick()?;
                    let (marks, state) = self.successors[i];
                    self.add(id, Way::Stay, start, Spot::Halted(node), state, marks);
                }
                Ok(())
            }
            Spot::Sink => {
                for i in self.successors(state, Letters::BLANK)? {
                    meter.tick()?;
                    let (marks, state) = self.successors[i];
                    self.add(id, Way::Stay, start, Spot::Sink, state, marks);
                }
                Ok(())
            }
        }
    }

    fn expand_node(
        &mut self,
        id: u32,
        place: PlaceId,
        node: NodeId,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let Vertex { start, state, .. } = self.graph.vertices[id as usize];
        let root = self.graph.starts[start as usize].root;
        let mut edges = self.edges(place);
        let letter = self.letters.of(self.source, node, place);
        let successors = self.successors(state, letter)?;
        let returns = edges.iter().any(|edge| matches!(edge, Edge::Return(_)));
        let only_returns = edges.iter().all(|edge| matches!(edge, Edge::Return(_)));
        // At the bottom a return ends the program, however many returns there are.
        if root && returns {
            edges.retain(|edge| !matches!(edge, Edge::Return(_)));
        }
        for i in successors {
            let (marks, state) = self.successors[i];
            for &edge in &edges {
                meter.tick()?;
                self.follow(id, edge, marks, state);
            }
            if root && returns {
                match self.source.end_rule() {
                    EndRule::Loop => self.add(id, Way::Stay, start, Spot::At(place), state, marks),
                    EndRule::Sink => self.add(id, Way::ToSink, start, Spot::Sink, state, marks),
                }
            } else if edges.is_empty() {
                self.add(id, Way::Stay, start, Spot::At(place), state, marks);
            }
        }
        if !root && returns && only_returns {
            self.leave(id, Out::Stuck(node), 0, state);
        }
        self.edges = edges;
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
    fn follow(&mut self, from: u32, edge: Edge, marks: Marks, state: StateId) {
        let start = self.graph.vertices[from as usize].start;
        match edge {
            Edge::Step(to) => {
                let place = self.source.node_place(to);
                self.add(from, Way::Step, start, Spot::At(place), state, marks);
            }
            Edge::Call(call, entry) => {
                let callee = self.start(entry, state);
                let first = self.graph.starts[callee as usize].first;
                self.graph.add_edge(from, Way::Descent(call), first, marks, marks);
                let caller = Caller { vertex: from, call, own: marks, edges: Vec::new() };
                self.graph.starts[callee as usize].callers.push(caller);
                let position = self.graph.starts[callee as usize].callers.len() - 1;
                for leave in 0..self.graph.starts[callee as usize].leaves.len() {
                    self.come_back(callee, position, leave);
                }
            }
            Edge::Return(exit) => self.leave(from, Out::By(exit), marks, state),
        }
    }

    /// An edge within the frame of a start.
    fn add(&mut self, from: u32, way: Way, start: u32, spot: Spot, state: StateId, own: Marks) {
        let gathered = self.graph.gathered[from as usize];
        let to = self.vertex(start, spot, state, gathered | own);
        self.graph.add_edge(from, way, to, own, own);
    }

    /// A vertex at which its start is left.
    fn leave(&mut self, from: u32, out: Out, own: Marks, state: StateId) {
        let start = self.graph.vertices[from as usize].start;
        let marks = self.graph.gathered[from as usize] | own;
        let leaves = &mut self.graph.starts[start as usize].leaves;
        let known = leaves.iter().position(|leave| leave.out == out && leave.state == state);
        let leave = known.unwrap_or_else(|| {
            leaves.push(Leave { out, state, marks });
            leaves.len() - 1
        });
        self.graph.add_edge(from, Way::Leave(leave as u32), NONE, own, own);
        if known.is_none() {
            self.tasks.push(Task::Wake(start, leave as u32));
        } else {
            self.raise_leave(start, leave as u32, marks);
        }
    }

    fn raise_leave(&mut self, start: u32, leave: u32, marks: Marks) {
        let known = &mut self.graph.starts[start as usize].leaves[leave as usize].marks;
        if *known | marks != *known {
            *known |= marks;
            self.tasks.push(Task::Wake(start, leave));
        }
    }

    /// Tells the callers of a start of a leave that is new to them, or has more marks.
    fn wake(&mut self, start: u32, leave: u32, meter: &mut Meter<'_>) -> Result<(), Limit> {
        for position in 0..self.graph.starts[start as usize].callers.len() {
            meter.tick()?;
            let caller = &self.graph.starts[start as usize].callers[position];
            match caller.edges.get(leave as usize) {
                None => {
                    for new in caller.edges.len()..=leave as usize {
                        self.come_back(start, position, new);
                    }
                }
                Some(&NONE) => (),
                Some(&edge) => {
                    let vertex = caller.vertex;
                    let marks = self.graph.starts[start as usize].leaves[leave as usize].marks;
                    self.graph.edges[edge as usize].marks |= marks;
                    let edge = *self.graph.edge(edge);
                    self.gather(edge.to, self.graph.gathered[vertex as usize] | edge.marks);
                }
            }
        }
        Ok(())
    }

    /// A caller of a start learns of its next leave: where does it go on?
    fn come_back(&mut self, callee: u32, caller: usize, leave: usize) {
        let Start { callers, leaves, .. } = &self.graph.starts[callee as usize];
        let (Leave { out, state, marks }, waiting) = (leaves[leave], &callers[caller]);
        let (vertex, call, own) = (waiting.vertex, waiting.call, waiting.own);
        let spot = match out {
            Out::By(exit) => self.source.site(call, exit).map(Spot::At),
            Out::Stuck(node) => self.is_stuck(call, node).then_some(Spot::Halted(node)),
        };
        let edge = match spot {
            None => NONE,
            Some(spot) => {
                let start = self.graph.vertices[vertex as usize].start;
                let gathered = self.graph.gathered[vertex as usize];
                let to = self.vertex(start, spot, state, gathered | own | marks);
                let way = Way::Summary { call, callee, leave: leave as u32 };
                self.graph.add_edge(vertex, way, to, own, own | marks)
            }
        };
        self.graph.starts[callee as usize].callers[caller].edges.push(edge);
    }

    /// Whether a node that can only return is stuck under a box.
    fn is_stuck(&mut self, call: BoxId, node: NodeId) -> bool {
        let place = self.source.node_place(node);
        let mut edges = Vec::new();
        self.source.edges(place, &mut edges);
        let goes_on = |edge: &Edge| match *edge {
            Edge::Return(exit) => self.source.site(call, exit).is_some(),
            _ => true,
        };
        !edges.iter().any(goes_on)
    }

    /// More marks are gathered at a vertex: so they are wherever it leads within its frame.
    fn raise(&mut self, vertex: u32, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let mut next = self.graph.first_edge[vertex as usize];
        while next != NONE {
            meter.tick()?;
            let edge = *self.graph.edge(next);
            let marks = self.graph.gathered[vertex as usize] | edge.marks;
            match edge.way {
                Way::Descent(_) => (),
                Way::Leave(leave) => {
                    self.raise_leave(self.graph.vertices[vertex as usize].start, leave, marks);
                }
                _ => self.gather(edge.to, marks),
            }
            next = edge.next;
        }
        Ok(())
    }
}

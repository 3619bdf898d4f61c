//! From an accepting component of an explored graph to an endless run that people can follow.
//!
//! The run goes from an initial node to the component and then round in it, along an edge of each mark.
//! Summaries are replaced by what happens inside the callee: the shortest way to the leave, or the
//! shortest that carries a given mark. These *lengths* are computed first, shortest first (Knuth's
//! generalisation of Dijkstra's algorithm), so that every way inside is made of shorter ones and
//! replacing summaries comes to an end. The way to the component is a shortest one; the way round is made of
//! shortest pieces, one for each mark, and need not be shortest as a whole.

use super::cycles::Components;
use super::graph::{Graph, NONE, Out, Spot, Vertex, Way};
use super::source::Source;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tern_model::automaton::Marks;
use tern_model::budget::Meter;
use tern_model::{BoxId, Ending, ExitId, Limit, Move, MoveKind, NodeId, Place, Run};

/// An endless run from an initial node.
pub(crate) struct Lasso {
    pub(crate) at: NodeId,
    /// `None` if it has more moves than are allowed.
    pub(crate) run: Option<Run>,
}

/// An initial node from which an accepting component can be reached.
pub(crate) fn origin(
    graph: &Graph,
    components: &Components,
    accepting: u32,
    meter: &mut Meter<'_>,
) -> Result<NodeId, Limit> {
    let mut seen = FixedBitSet::with_capacity(graph.vertices.len());
    for start in graph.starts.iter().filter(|start| start.root) {
        let mut waiting = vec![start.first];
        while let Some(vertex) = waiting.pop() {
            meter.tick()?;
            if seen.put(vertex as usize) {
                continue;
            }
            if components.of[vertex as usize] == accepting {
                return Ok(start.node);
            }
            let edges = graph.edges_of(vertex).map(|edge| graph.edge(edge));
            waiting.extend(edges.map(|edge| edge.to).filter(|&to| to != NONE));
        }
    }
    unreachable!("what was explored is reached from an initial node")
}

/// The run of an accepting component, of at most `most` moves.
pub(crate) fn tell<S: Source>(
    source: &mut S,
    graph: &Graph,
    components: &Components,
    accepting: u32,
    mark_count: u32,
    most: usize,
    meter: &mut Meter<'_>,
) -> Result<Lasso, Limit> {
    let lengths = Lengths::compute(graph, mark_count as usize + 1, meter)?;
    let inside = |vertex: u32| components.of[vertex as usize] == accepting;
    let is_node = |vertex: u32| match graph.vertices[vertex as usize].spot {
        Spot::At(place) => matches!(source.place(place), Place::Node(_)),
        _ => true,
    };
    // A cycle is best begun at a node; if there is none, it runs through return sites only.
    let some_node =
        (0..graph.vertices.len() as u32).any(|vertex| inside(vertex) && is_node(vertex));
    let target = |vertex: u32| inside(vertex) && (!some_node || is_node(vertex));
    let roots = graph.starts.iter().filter(|start| start.root).map(|start| start.first);
    let mut prefix = Vec::new();
    let begin = lengths.walk(graph, roots, |_| true, target, &mut prefix, meter)?;
    let begin = begin.expect("what was explored is reached from an initial node");
    let root = prefix.first().map_or(begin, |&(from, ..)| from);
    let at = graph.starts[graph.vertices[root as usize].start as usize].node;

    let mut round = Vec::new();
    let mut left: Marks = tern_model::automaton::all_marks(mark_count);
    let mut here = begin;
    while left != 0 || round.is_empty() {
        // The nearest edge with a mark that is still missing; without marks, any edge.
        let wanted = |edge: u32| {
            let edge = graph.edge(edge);
            let stays = !matches!(edge.way, Way::Leave(_)) && inside(edge.to);
            (stays && (left == 0 || edge.marks & left != 0)).then_some(edge.marks & left)
        };
        let has_wanted = |vertex: u32| graph.edges_of(vertex).any(|edge| wanted(edge).is_some());
        let from =
            lengths.walk(graph, [here].into_iter(), inside, has_wanted, &mut round, meter)?;
        let from = from.expect("an accepting component has every mark");
        let found = graph.edges_of(from).find_map(|edge| Some((edge, wanted(edge)?)));
        let (edge, marks) = found.expect("this is what was looked for");
        // A mark of the edge itself comes with any way inside.
        let own = graph.edge(edge).own & marks;
        let mark = if own != 0 { 0 } else { marks.checked_ilog2().map_or(0, |bit| bit + 1) };
        left &= !(own | if mark > 0 { 1 << (mark - 1) } else { 0 });
        round.push((from, edge, mark));
        here = graph.edge(edge).to;
    }
    let back =
        lengths.walk(graph, [here].into_iter(), inside, |v| v == begin, &mut round, meter)?;
    debug_assert_eq!(back, Some(begin));

    let mut writer =
        Writer { source, graph, lengths: &lengths, moves: Vec::new(), left_by: None, most };
    let mut fits = writer.write(&prefix, meter)?;
    let first = writer.moves.len();
    fits = fits && writer.write(&round, meter)?;
    let grown: Vec<BoxId> = round
        .iter()
        .filter_map(|&(_, edge, _)| match graph.edge(edge).way {
            Way::Descent(call) => Some(call),
            _ => None,
        })
        .collect();
    if !fits {
        return Ok(Lasso { at, run: None });
    }
    let mut first = first;
    if !some_node {
        // Nodes before a return site may differ from round to round; from its first move on all is the same.
        let again = writer.moves[first];
        writer.moves.push(again);
        first += 1;
    }
    let ending = if grown.is_empty() { Ending::Loop(first) } else { Ending::Pump(first, grown) };
    Ok(Lasso { at, run: Some(Run { moves: writer.moves, ending, then: None }) })
}

/// A step of a path: from a vertex, along an edge, and by which way inside if it is a summary: the
/// shortest (0), or the shortest with mark i (i + 1).
type Leg = (u32, u32, u32);

/// How long the shortest ways from starts to their vertices and leaves are, plain and with each mark.
struct Lengths {
    variants: usize,
    /// For each vertex and variant the length and the last leg; the leg's own variant says which the
    /// callee's is, and `before` which the way to the leg's vertex is.
    vertices: Vec<Option<Best>>,
    /// For each leave the same, and where the leaves of each start begin.
    leaves: Vec<Option<Best>>,
    first_leave: Vec<usize>,
}

#[derive(Clone, Copy)]
struct Best {
    length: u64,
    leg: Option<Leg>,
    before: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    Vertex(u32, u32),
    Leave(u32, u32, u32),
}

/// What is waiting to be settled, the shortest first.
type Queue = BinaryHeap<Reverse<(u64, Fact, Option<Leg>, u32)>>;

impl Lengths {
    fn compute(graph: &Graph, variants: usize, meter: &mut Meter<'_>) -> Result<Self, Limit> {
        let mut first_leave = Vec::with_capacity(graph.starts.len());
        let mut leaves = 0;
        for start in &graph.starts {
            first_leave.push(leaves);
            leaves += start.leaves.len();
        }
        let mut lengths = Lengths {
            variants,
            vertices: vec![None; graph.vertices.len() * variants],
            leaves: vec![None; leaves * variants],
            first_leave,
        };
        let mut queue = Queue::new();
        for start in &graph.starts {
            queue.push(Reverse((0, Fact::Vertex(start.first, 0), None, 0)));
        }
        while let Some(Reverse((length, fact, leg, before))) = queue.pop() {
            meter.tick()?;
            let slot = lengths.slot(fact);
            if slot.is_some() {
                continue;
            }
            *slot = Some(Best { length, leg, before });
            match fact {
                Fact::Vertex(vertex, variant) => {
                    for edge in graph.edges_of(vertex) {
                        meter.tick()?;
                        lengths.extend(graph, vertex, edge, variant, length, &mut queue);
                    }
                }
                Fact::Leave(start, leave, inner) => {
                    for caller in &graph.starts[start as usize].callers {
                        meter.tick()?;
                        let edge = caller.edges.get(leave as usize).copied().unwrap_or(NONE);
                        if edge == NONE {
                            continue;
                        }
                        for variant in 0..lengths.variants as u32 {
                            if let Some(best) = lengths.vertex(caller.vertex, variant) {
                                let (way, length) = ((caller.vertex, edge, variant), best.length);
                                lengths.join(graph, way, inner, length, &mut queue);
                            }
                        }
                    }
                }
            }
        }
        Ok(lengths)
    }

    fn slot(&mut self, fact: Fact) -> &mut Option<Best> {
        match fact {
            Fact::Vertex(vertex, variant) => {
                &mut self.vertices[vertex as usize * self.variants + variant as usize]
            }
            Fact::Leave(start, leave, variant) => {
                let leave = self.first_leave[start as usize] + leave as usize;
                &mut self.leaves[leave * self.variants + variant as usize]
            }
        }
    }

    fn vertex(&self, vertex: u32, variant: u32) -> Option<Best> {
        self.vertices[vertex as usize * self.variants + variant as usize]
    }

    fn leave(&self, start: u32, leave: u32, variant: u32) -> Option<Best> {
        let leave = self.first_leave[start as usize] + leave as usize;
        self.leaves[leave * self.variants + variant as usize]
    }

    /// A vertex is settled: what follows for where its edge leads.
    fn extend(
        &self,
        graph: &Graph,
        vertex: u32,
        edge: u32,
        variant: u32,
        length: u64,
        queue: &mut Queue,
    ) {
        let row = graph.edge(edge);
        let start = graph.vertices[vertex as usize].start;
        match row.way {
            Way::Descent(_) => (),
            Way::Summary { .. } => {
                for inner in 0..self.variants as u32 {
                    self.join(graph, (vertex, edge, variant), inner, length, queue);
                }
            }
            Way::Step | Way::Stay | Way::ToSink | Way::Leave(_) => {
                let cost = u64::from(!matches!(row.way, Way::Leave(_)));
                let mut reach = |to: u32| {
                    let fact = match row.way {
                        Way::Leave(leave) => Fact::Leave(start, leave, to),
                        _ => Fact::Vertex(row.to, to),
                    };
                    queue.push(Reverse((length + cost, fact, Some((vertex, edge, 0)), variant)));
                };
                reach(variant);
                if variant == 0 {
                    marks_of(row.own).for_each(reach);
                }
            }
        }
    }

    /// A way to a vertex, of a variant, followed by a summary whose inside is of another, if that is settled.
    fn join(
        &self,
        graph: &Graph,
        (vertex, edge, variant): Leg,
        inner: u32,
        length: u64,
        queue: &mut Queue,
    ) {
        let row = graph.edge(edge);
        let Way::Summary { callee, leave, .. } = row.way else { return };
        let Some(inside) = self.leave(callee, leave, inner) else { return };
        if variant > 0 && inner > 0 {
            return; // one of the two suffices
        }
        let mut reach = |to: u32| {
            let total = length + 1 + inside.length;
            let fact = Fact::Vertex(row.to, to);
            queue.push(Reverse((total, fact, Some((vertex, edge, inner)), variant)));
        };
        reach(variant.max(inner));
        if variant == 0 && inner == 0 {
            marks_of(row.own).for_each(reach);
        }
    }

    /// The length of an edge, by the shortest way inside.
    fn cost(&self, graph: &Graph, edge: u32) -> Option<u64> {
        match graph.edge(edge).way {
            Way::Leave(_) => None,
            Way::Summary { callee, leave, .. } => Some(1 + self.leave(callee, leave, 0)?.length),
            _ => Some(1),
        }
    }

    /// Appends a shortest path from one of some vertices to a target, through allowed vertices, and says
    /// which target.
    fn walk(
        &self,
        graph: &Graph,
        from: impl Iterator<Item = u32>,
        allowed: impl Fn(u32) -> bool,
        target: impl Fn(u32) -> bool,
        path: &mut Vec<Leg>,
        meter: &mut Meter<'_>,
    ) -> Result<Option<u32>, Limit> {
        let mut reached: FxHashMap<u32, Option<Leg>> = FxHashMap::default();
        let mut queue: BinaryHeap<Reverse<(u64, u32, Option<Leg>)>> =
            from.map(|vertex| Reverse((0, vertex, None))).collect();
        while let Some(Reverse((length, vertex, leg))) = queue.pop() {
            meter.tick()?;
            if reached.contains_key(&vertex) {
                continue;
            }
            reached.insert(vertex, leg);
            if target(vertex) {
                let (mut at, begin) = (vertex, path.len());
                while let Some(&Some(leg)) = reached.get(&at) {
                    path.push(leg);
                    at = leg.0;
                }
                path[begin..].reverse();
                return Ok(Some(vertex));
            }
            for edge in graph.edges_of(vertex) {
                meter.tick()?;
                let to = graph.edge(edge).to;
                if let Some(cost) = self.cost(graph, edge)
                    && allowed(to)
                {
                    queue.push(Reverse((length + cost, to, Some((vertex, edge, 0)))));
                }
            }
        }
        Ok(None)
    }

    /// The legs of the shortest way of a variant from a start to a leave.
    fn legs(&self, start: u32, leave: u32, variant: u32) -> Vec<Leg> {
        let mut legs = Vec::new();
        let mut best = self.leave(start, leave, variant);
        while let Some(Best { leg: Some(leg), before, .. }) = best {
            legs.push(leg);
            best = self.vertex(leg.0, before);
        }
        legs.reverse();
        legs
    }
}

/// The variants of some marks.
fn marks_of(marks: Marks) -> impl Iterator<Item = u32> {
    (0..Marks::BITS).filter(move |bit| marks >> bit & 1 == 1).map(|bit| bit + 1)
}

/// Turns legs into moves.
struct Writer<'w, S> {
    source: &'w S,
    graph: &'w Graph,
    lengths: &'w Lengths,
    moves: Vec<Move>,
    /// The exit by which a callee was left just now; the way on from the return site is the same move.
    left_by: Option<ExitId>,
    most: usize,
}

impl<S: Source> Writer<'_, S> {
    /// Appends the moves of some legs; whether they fit.
    fn write(&mut self, legs: &[Leg], meter: &mut Meter<'_>) -> Result<bool, Limit> {
        // The legs still to be written, the last first.
        let mut waiting: Vec<Leg> = legs.iter().rev().copied().collect();
        while let Some((from, edge, inner)) = waiting.pop() {
            meter.tick()?;
            if self.moves.len() > self.most {
                return Ok(false);
            }
            let edge = self.graph.edge(edge);
            match edge.way {
                Way::Step => {
                    let kind = self.left_by.take().map_or(MoveKind::Step, MoveKind::Return);
                    self.moves.push(Move { kind, node: self.node(edge.to) });
                }
                Way::Stay => self.moves.push(Move { kind: MoveKind::Stay, node: self.node(from) }),
                Way::ToSink => {
                    self.moves.push(Move { kind: MoveKind::Sink, node: self.node(from) });
                }
                Way::Descent(call) => self.enter(call, edge.to),
                Way::Summary { call, callee, leave } => {
                    self.enter(call, self.graph.starts[callee as usize].first);
                    waiting.extend(self.lengths.legs(callee, leave, inner).into_iter().rev());
                }
                Way::Leave(leave) => {
                    let start = self.graph.vertices[from as usize].start;
                    let out = self.graph.starts[start as usize].leaves[leave as usize].out;
                    if let Out::By(exit) = out {
                        self.left_by = Some(exit);
                    }
                }
            }
        }
        Ok(self.moves.len() <= self.most)
    }

    fn enter(&mut self, call: BoxId, first: u32) {
        let kind = match self.left_by.take() {
            Some(exit) => MoveKind::ReturnAndCall(exit, call),
            None => MoveKind::Call(call),
        };
        self.moves.push(Move { kind, node: self.node(first) });
    }

    /// The node of a vertex; in the sink, the one that was left last.
    fn node(&self, vertex: u32) -> NodeId {
        let Vertex { spot, .. } = self.graph.vertices[vertex as usize];
        match spot {
            Spot::Halted(node) => node,
            Spot::At(place) => match self.source.place(place) {
                Place::Node(node) => node,
                Place::Site(..) => unreachable!("return sites are passed in no time"),
            },
            Spot::Sink => self.moves.last().expect("the sink is reached by a move").node,
        }
    }
}

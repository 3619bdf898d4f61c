//! How long the ways through an explored graph are, inside callees too: shortest first (Knuth's
//! generalisation of Dijkstra's algorithm), so that every way is made of shorter ones.

use super::graph::{EdgeId, Graph, LeaveId, StartId, VertexId, Way};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tern_model::automaton::Marks;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{Id, Limit, indices};

indices! {
    /// A mark of the automaton.
    pub(super) Mark = "m";
}

/// Which of the shortest ways is meant: the one with a mark, or the shortest of all.
pub(super) type Variant = Option<Mark>;

/// A step of a path: from a vertex, along an edge, and by which way inside if it is a summary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Leg {
    pub(super) from: VertexId,
    pub(super) edge: EdgeId,
    pub(super) inside: Variant,
}

/// How long the shortest ways from starts to their vertices and leaves are, plain and with each of
/// the first marks.
pub(crate) struct Lengths {
    marks: usize,
    /// For each vertex and variant the best way, if it is settled.
    vertices: Vec<Option<Best>>,
    /// For each leave the same, and where the leaves of each start begin.
    leaves: Vec<Option<Best>>,
    first_leave: Table<StartId, usize>,
}

/// A shortest way: its length, its last leg, and which variant the way to that leg's vertex is. The
/// leg says itself which the callee's is.
#[derive(Clone, Copy)]
struct Best {
    length: u64,
    leg: Option<Leg>,
    before: Variant,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    Vertex(VertexId, Variant),
    Leave(StartId, LeaveId, Variant),
}

/// What is waiting to be settled, the shortest first.
type Queue = BinaryHeap<Reverse<(u64, Fact, Option<Leg>, Variant)>>;

impl Lengths {
    pub(super) fn compute(
        graph: &Graph,
        marks: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let mut first_leave = Table::new();
        let mut leaves = 0;
        for (_, start) in graph.starts.iter() {
            first_leave.push(leaves);
            leaves += start.leaves.len();
        }
        let mut lengths = Lengths {
            marks,
            vertices: vec![None; graph.vertices.len() * (marks + 1)],
            leaves: vec![None; leaves * (marks + 1)],
            first_leave,
        };
        let mut queue = Queue::new();
        for (_, start) in graph.starts.iter() {
            queue.push(Reverse((0, Fact::Vertex(start.first, None), None, None)));
        }
        while let Some(Reverse((length, fact, leg, before))) = queue.pop() {
            meter.tick()?;
            let slot = lengths.slot(fact);
            if slot.is_some() {
                continue;
            }
            *slot = Some(Best { length, leg, before });
            match fact {
                Fact::Vertex(from, variant) => {
                    for edge in graph.edges_of(from) {
                        meter.tick()?;
                        lengths.extend(graph, from, edge, variant, length, &mut queue);
                    }
                }
                Fact::Leave(start, leave, inside) => {
                    for caller in &graph.starts[start].callers {
                        meter.tick()?;
                        let edge = caller.edges.as_slice().get(leave.index()).copied().flatten();
                        let Some(edge) = edge else { continue };
                        let from = caller.vertex;
                        for variant in lengths.variants() {
                            if let Some(best) = lengths.vertex(from, variant) {
                                let leg = Leg { from, edge, inside };
                                lengths.join(graph, leg, variant, best.length, &mut queue);
                            }
                        }
                    }
                }
            }
        }
        Ok(lengths)
    }

    /// All variants, the plain one first.
    fn variants(&self) -> impl Iterator<Item = Variant> + use<> {
        std::iter::once(None).chain((0..self.marks).map(|mark| Some(Mark::new(mark))))
    }

    /// The variants of some marks, as far as they are told apart.
    fn marks_of(&self, marks: Marks) -> impl Iterator<Item = Variant> + use<> {
        let bits = (0..self.marks).filter(move |bit| marks >> bit & 1 == 1);
        bits.map(|bit| Some(Mark::new(bit)))
    }

    /// Where the rows of a vertex have a variant.
    fn at_vertex(&self, vertex: VertexId, variant: Variant) -> usize {
        vertex.index() * (self.marks + 1) + position(variant)
    }

    /// Where the rows of a leave have a variant.
    fn at_leave(&self, start: StartId, leave: LeaveId, variant: Variant) -> usize {
        (self.first_leave[start] + leave.index()) * (self.marks + 1) + position(variant)
    }

    fn slot(&mut self, fact: Fact) -> &mut Option<Best> {
        match fact {
            Fact::Vertex(vertex, variant) => {
                let at = self.at_vertex(vertex, variant);
                &mut self.vertices[at]
            }
            Fact::Leave(start, leave, variant) => {
                let at = self.at_leave(start, leave, variant);
                &mut self.leaves[at]
            }
        }
    }

    fn vertex(&self, vertex: VertexId, variant: Variant) -> Option<Best> {
        self.vertices[self.at_vertex(vertex, variant)]
    }

    fn leave(&self, start: StartId, leave: LeaveId, variant: Variant) -> Option<Best> {
        self.leaves[self.at_leave(start, leave, variant)]
    }

    /// A vertex is settled: what follows for where its edge leads.
    fn extend(
        &self,
        graph: &Graph,
        from: VertexId,
        edge: EdgeId,
        variant: Variant,
        length: u64,
        queue: &mut Queue,
    ) {
        let row = graph.edges[edge];
        let start = graph.vertices[from].start;
        match row.way {
            Way::Descent(_) => (),
            Way::Summary { .. } => {
                for inside in self.variants() {
                    self.join(graph, Leg { from, edge, inside }, variant, length, queue);
                }
            }
            Way::Step | Way::Stay | Way::ToSink | Way::Leave(_) => {
                let cost = u64::from(row.to.is_some());
                let mut reach = |to: Variant| {
                    let fact = match (row.way, row.to) {
                        (Way::Leave(leave), _) => Fact::Leave(start, leave, to),
                        (_, Some(vertex)) => Fact::Vertex(vertex, to),
                        (_, None) => unreachable!("only a leave leads to no vertex"),
                    };
                    let leg = Leg { from, edge, inside: None };
                    queue.push(Reverse((length + cost, fact, Some(leg), variant)));
                };
                reach(variant);
                if variant.is_none() {
                    self.marks_of(row.own).for_each(reach);
                }
            }
        }
    }

    /// A way to a vertex, of a variant and length, followed by a summary whose inside is settled,
    /// if it is.
    fn join(&self, graph: &Graph, leg: Leg, variant: Variant, length: u64, queue: &mut Queue) {
        let row = graph.edges[leg.edge];
        let (Way::Summary { callee, leave, .. }, Some(to)) = (row.way, row.to) else { return };
        let Some(inside) = self.leave(callee, leave, leg.inside) else { return };
        if variant.is_some() && leg.inside.is_some() {
            return; // one of the two suffices
        }
        let mut reach = |variant_there: Variant| {
            let total = length + 1 + inside.length;
            queue.push(Reverse((total, Fact::Vertex(to, variant_there), Some(leg), variant)));
        };
        reach(variant.or(leg.inside));
        if variant.is_none() && leg.inside.is_none() {
            self.marks_of(row.own).for_each(reach);
        }
    }

    /// The length of an edge, by the shortest way inside.
    fn cost(&self, graph: &Graph, edge: EdgeId) -> Option<u64> {
        match graph.edges[edge].way {
            Way::Leave(_) => None,
            Way::Summary { callee, leave, .. } => Some(1 + self.leave(callee, leave, None)?.length),
            _ => Some(1),
        }
    }

    /// Appends a shortest path from one of some vertices to a target, through allowed vertices, and
    /// says which target.
    pub(super) fn walk(
        &self,
        graph: &Graph,
        from: impl Iterator<Item = VertexId>,
        allowed: impl Fn(VertexId) -> bool,
        target: impl Fn(VertexId) -> bool,
        path: &mut Vec<Leg>,
        meter: &mut Meter<'_>,
    ) -> Result<Option<VertexId>, Limit> {
        let mut reached: FxHashMap<VertexId, Option<Leg>> = FxHashMap::default();
        let mut queue: BinaryHeap<Reverse<(u64, VertexId, Option<Leg>)>> =
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
                    at = leg.from;
                }
                path[begin..].reverse();
                return Ok(Some(vertex));
            }
            for edge in graph.edges_of(vertex) {
                meter.tick()?;
                if let Some(cost) = self.cost(graph, edge)
                    && let Some(to) = graph.edges[edge].to
                    && allowed(to)
                {
                    let leg = Leg { from: vertex, edge, inside: None };
                    queue.push(Reverse((length + cost, to, Some(leg))));
                }
            }
        }
        Ok(None)
    }

    /// The legs of the shortest way of a variant from a start to a leave.
    pub(super) fn legs(&self, start: StartId, leave: LeaveId, variant: Variant) -> Vec<Leg> {
        let mut legs = Vec::new();
        let mut best = self.leave(start, leave, variant);
        while let Some(Best { leg: Some(leg), before, .. }) = best {
            legs.push(leg);
            best = self.vertex(leg.from, before);
        }
        legs.reverse();
        legs
    }
}

/// Where a row has a variant.
fn position(variant: Variant) -> usize {
    variant.map_or(0, |mark| mark.index() + 1)
}

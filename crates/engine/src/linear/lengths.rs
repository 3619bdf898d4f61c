//! How long the ways through an explored graph are, inside callees too: shortest first (Knuth's generalisation of
//! Dijkstra's algorithm), so that every way is made of shorter ones.

use super::graph::{Graph, NONE, Way};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tern_model::Limit;
use tern_model::automaton::Marks;
use tern_model::budget::Meter;

/// A step of a path: from a vertex, along an edge, and by which way inside if it is a summary: the
/// shortest (0), or the shortest with mark i (i + 1).
pub(super) type Leg = (u32, u32, u32);

/// How long the shortest ways from starts to their vertices and leaves are, plain and with each mark.
pub(super) struct Lengths {
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
    pub(super) fn compute(
        graph: &Graph,
        variants: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
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
    pub(super) fn walk(
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
    pub(super) fn legs(&self, start: u32, leave: u32, variant: u32) -> Vec<Leg> {
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

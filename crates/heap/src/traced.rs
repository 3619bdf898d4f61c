//! Heaps that are being changed, with the origin of each part.
//!
//! A step of a program changes a heap in several small ways. A *trace* says for each object and
//! hyperedge that is there now which objects and hyperedges of the heap before the step its objects
//! come from: what [progress](crate::progress) needs to compare sizes.

use crate::canonical::{Canonical, Externals, into_canonical};
use crate::grammar::replace;
use crate::graph::{Ends, Heap, NonterminalId, ObjectId, TypeId};
use tern_model::index::Id;

/// Where the objects of a part come from: a set of objects and hyperedges of the heap before, and
/// perhaps new ones. Heaps with more parts than fit have the origin "anything" everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Origin(u128);

impl Origin {
    /// No objects.
    pub const NONE: Origin = Origin(0);
    /// Objects that were not there before.
    pub const NEW: Origin = Origin(1 << 127);
    /// Anything.
    pub const ANY: Origin = Origin(u128::MAX);

    /// The part with a number.
    pub fn part(number: usize) -> Origin {
        if number < 127 { Origin(1 << number) } else { Origin::ANY }
    }

    /// The set whose parts are the bits of a number; the last is for new objects.
    pub fn of_bits(bits: u128) -> Origin {
        Origin(bits)
    }

    /// The numbers of the parts in it, new objects left out.
    pub fn parts(self) -> impl Iterator<Item = usize> {
        let mut left = self.0 & !Origin::NEW.0;
        std::iter::from_fn(move || {
            let first = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(first)
        })
    }

    /// Both.
    #[must_use]
    pub fn and(self, other: Origin) -> Origin {
        Origin(self.0 | other.0)
    }

    /// What it is if each part has another origin. Parts without one may be anything.
    #[must_use]
    pub fn through(self, parts: impl Fn(usize) -> Option<Origin>) -> Origin {
        let new = Origin(self.0 & Origin::NEW.0);
        self.parts().fold(new, |sum, part| sum.and(parts(part).unwrap_or(Origin::ANY)))
    }

    /// Whether all of the other is in it.
    pub fn includes(self, other: Origin) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether the two have something in common.
    pub fn meets(self, other: Origin) -> bool {
        self.0 & other.0 != 0
    }
}

/// The origins of all parts of a heap.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Trace {
    /// For each object, `null` included (of which it means nothing).
    pub objects: Vec<Origin>,
    /// For each hyperedge.
    pub edges: Vec<Origin>,
}

impl Trace {
    /// Where a part comes from, by its number: objects come first, then hyperedges.
    pub fn part(&self, number: usize) -> Option<Origin> {
        let edge = || self.edges.get(number - self.objects.len());
        self.objects.get(number).or_else(edge).copied()
    }

    /// The origins before another change that these origins are about.
    #[must_use]
    pub fn after(&self, earlier: impl Fn(usize) -> Option<Origin>) -> Trace {
        let through = |all: &[Origin]| all.iter().map(|it| it.through(&earlier)).collect();
        Trace { objects: through(&self.objects), edges: through(&self.edges) }
    }

    /// Adds other origins of the same parts. Whether something was new.
    pub fn join(&mut self, other: &Trace) -> bool {
        let mut changed = false;
        let all = self.objects.iter_mut().chain(&mut self.edges);
        for (mine, &its) in all.zip(other.objects.iter().chain(&other.edges)) {
            changed |= !mine.includes(its);
            *mine = mine.and(its);
        }
        changed
    }

    /// Each part of a heap comes from itself: object o is part o, then come the hyperedges.
    pub fn identity(heap: &Heap) -> Trace {
        let objects = heap.len();
        let part = |number: usize| match objects + heap.edges().len() <= 127 {
            true => Origin::part(number),
            false => Origin::ANY,
        };
        Trace {
            objects: (0..objects).map(part).collect(),
            edges: (0..heap.edges().len()).map(|edge| part(objects + edge)).collect(),
        }
    }
}

/// A heap that is being changed, with the origins of its parts.
#[derive(Clone, Debug)]
pub struct Traced {
    heap: Heap,
    trace: Trace,
}

impl From<Heap> for Traced {
    fn from(heap: Heap) -> Self {
        Traced { trace: Trace::identity(&heap), heap }
    }
}

impl Traced {
    /// A heap before anything has changed.
    pub fn new(heap: &Heap) -> Self {
        heap.clone().into()
    }

    /// The heap.
    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    /// The heap, for changes that leave objects and hyperedges alone.
    pub fn heap_mut(&mut self) -> &mut Heap {
        &mut self.heap
    }

    /// The origins.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The heap and its origins.
    pub fn into_parts(self) -> (Heap, Trace) {
        (self.heap, self.trace)
    }

    /// A new object.
    pub fn add_object(&mut self, kind: TypeId, origin: Origin) -> ObjectId {
        self.trace.objects.push(origin);
        self.heap.add_object(kind)
    }

    /// A new hyperedge.
    pub fn add_edge(&mut self, label: NonterminalId, at: Ends, origin: Origin) {
        self.trace.edges.push(origin);
        self.heap.add_edge(label, at);
    }

    /// Takes a hyperedge out, with its origin.
    pub fn remove_edge(&mut self, edge: usize) -> (crate::graph::Hyperedge, Origin) {
        (self.heap.remove_edge(edge), self.trace.edges.remove(edge))
    }

    /// The same with a rule in place of a hyperedge. Everything new comes from that.
    #[must_use]
    pub fn replaced(&self, edge: usize, rule: &Heap) -> Traced {
        let Traced { mut heap, mut trace } = self.clone();
        let origin = trace.edges.remove(edge);
        replace(&mut heap, edge, rule);
        trace.objects.resize(heap.len(), origin);
        trace.edges.resize(heap.edges().len(), origin);
        Traced { heap, trace }
    }

    /// Keeps some of the objects, and the hyperedges that are attached to these only. For each of
    /// these its place before.
    pub fn retain_objects(&mut self, keep: &[bool]) -> Vec<usize> {
        let edges = self.heap.retain_objects(keep);
        let mut kept = keep.iter();
        self.trace.objects.retain(|_| kept.next() == Some(&true));
        let origin = |&edge: &usize| self.trace.edges[edge];
        self.trace.edges = edges.iter().map(origin).collect();
        edges
    }

    /// The canonical form, with the origins in its order, and for each of its objects the one it
    /// was.
    pub fn canonical(self, externals: Externals) -> (Heap, Trace, Vec<ObjectId>) {
        let Canonical { heap, objects, edges } = into_canonical(self.heap, externals);
        let trace = Trace {
            objects: objects.iter().map(|old| self.trace.objects[old.index()]).collect(),
            edges: edges.iter().map(|&old| self.trace.edges[old]).collect(),
        };
        (heap, trace, objects)
    }
}

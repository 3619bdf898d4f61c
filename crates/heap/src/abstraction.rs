//! Garbage, and normal forms of heaps.
//!
//! A heap is abstracted by putting hyperedges in place of rules that occur in it, until none does.
//! This ends: a rule with fields leaves fewer fields, and one without has at least two hyperedges.
//! What comes out stands for at least the same heaps. Which rule is taken first (the first one, at
//! its first occurrence) matters only for grammars that are not confluent.
//!
//! *Admissibility* ([`Kept`]): objects nearer than the distance to an object that a slot or an
//! external names keep their fields. With distance 0 any object may lose its fields, but what is
//! named stays.

use crate::embed::{Counts, Embedding, Finder, Partial, fold};
use crate::grammar::Grammar;
use crate::graph::{Heap, NonterminalId, ObjectId, SelectorId, Slot, Value, null};
use crate::traced::Traced;
use tern_model::budget::{Limit, Meter};
use tern_model::index::Id;

/// Which objects keep their fields when a heap is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Those nearer than this to an object that a slot or an external names.
    pub distance: usize,
    /// Ghosts that do not count for that, as bits by their numbers: nobody asks for the fields of
    /// what they refer to.
    pub loose: u64,
    /// Whether only ghosts count for that where loops begin. Then there are far fewer heaps, and
    /// less is known.
    pub coarse: bool,
}

impl Kept {
    /// All objects nearer than a distance to something that is named.
    pub fn within(distance: usize) -> Kept {
        Kept { distance, loose: 0, coarse: false }
    }

    /// The same at a line where no loop begins.
    #[must_use]
    pub fn between_loops(self) -> Kept {
        Kept { coarse: false, ..self }
    }

    /// Whether fields near what a slot refers to are kept.
    fn counts(self, slot: Slot) -> bool {
        match slot {
            Slot::Ghost(number) => number >= u64::BITS || self.loose >> number & 1 == 0,
            Slot::Variable(_) | Slot::Return => !self.coarse,
        }
    }
}

/// Puts hyperedges in place of rules until none occurs.
///
/// # Errors
/// The limit that was reached.
pub fn abstracted(
    grammar: &Grammar,
    heap: &mut Traced,
    kept: Kept,
    meter: &mut Meter<'_>,
) -> Result<(), Limit> {
    abstracted_by(&mut Lists::default(), grammar, heap, kept, meter)
}

/// The same, if many heaps are folded.
///
/// # Errors
/// The limit that was reached.
pub(crate) fn abstracted_by(
    lists: &mut Lists,
    grammar: &Grammar,
    heap: &mut Traced,
    kept: Kept,
    meter: &mut Meter<'_>,
) -> Result<(), Limit> {
    loop {
        meter.tick()?;
        let first = next_occurrence(grammar, heap.heap(), kept, lists);
        let Some((label, rule, found)) = first else { return Ok(()) };
        fold(heap, label, &grammar.nonterminals[label].rules[rule], &found);
    }
}

/// The rule that is folded first: a nonterminal, the number of its rule, and where it occurs.
pub fn first_occurrence(
    grammar: &Grammar,
    heap: &Heap,
    kept: Kept,
) -> Option<(NonterminalId, usize, Embedding)> {
    next_occurrence(grammar, heap, kept, &mut Lists::default())
}

/// What serves again when the next rule is looked for, also in other heaps.
#[derive(Default)]
pub(crate) struct Lists {
    protected: Vec<bool>,
    counts: Counts,
    partial: Partial,
}

fn next_occurrence(
    grammar: &Grammar,
    heap: &Heap,
    kept: Kept,
    lists: &mut Lists,
) -> Option<(NonterminalId, usize, Embedding)> {
    let Lists { protected, counts, partial } = lists;
    protect(heap, kept, protected);
    // That one named object leads to another is not forgotten, whatever else is.
    let links = kept.distance > 0;
    let finder = Finder::counting(std::mem::take(counts), grammar, heap, protected, links);
    let found = grammar.plans().iter().find_map(|&(label, number, ref plan)| {
        let rule = &grammar.nonterminals[label].rules[number];
        Some((label, number, finder.first(plan, label, rule, partial)?))
    });
    *counts = finder.into_counts();
    found
}

/// Finds the objects that are nearer than the distance to what is named.
fn protect(heap: &Heap, kept: Kept, near: &mut Vec<bool>) {
    near.clear();
    near.resize(heap.len(), false);
    if kept.distance == 0 {
        return;
    }
    let named = heap.slots().iter().filter_map(|&(slot, value)| match value {
        Value::Object(object) if kept.counts(slot) => Some(object),
        _ => None,
    });
    // What a ghost refers to is external in callees, too.
    let is_loose = |object: ObjectId| {
        let mut slots = heap.slots().iter().filter(|it| it.1 == Value::Object(object));
        slots.any(|&(slot, _)| matches!(slot, Slot::Ghost(_)) && !kept.counts(slot))
    };
    let externals = heap.externals().iter().copied().filter(|&it| !kept.coarse && !is_loose(it));
    named.chain(externals).for_each(|object| near[object.index()] = true);
    near[null().index()] = false;
    for _ in 1..kept.distance {
        let front = heap.objects().filter(|it| near[it.index()]);
        let next: Vec<ObjectId> =
            front.flat_map(|object| heap.fields(object)).map(|&(_, to)| to).collect();
        next.into_iter().for_each(|object| near[object.index()] = true);
        near[null().index()] = false;
    }
}

/// The objects that can be reached from some, `null` included. Whatever is attached to a hyperedge
/// counts as reached from an object that the hyperedge provides a selector of.
pub fn reachable(
    grammar: &Grammar,
    heap: &Heap,
    from: impl IntoIterator<Item = ObjectId>,
) -> Vec<bool> {
    reachable_by(grammar, heap, from, |_| true)
}

/// The same, by some selectors only.
pub fn reachable_by(
    grammar: &Grammar,
    heap: &Heap,
    from: impl IntoIterator<Item = ObjectId>,
    follow: impl Fn(SelectorId) -> bool,
) -> Vec<bool> {
    reached_by(grammar, heap, from, follow).0
}

/// The same, with the hyperedges by which objects are reached.
fn reached_by(
    grammar: &Grammar,
    heap: &Heap,
    from: impl IntoIterator<Item = ObjectId>,
    follow: impl Fn(SelectorId) -> bool,
) -> (Vec<bool>, Vec<bool>) {
    let (mut reached, mut passed) = (vec![false; heap.len()], vec![false; heap.edges().len()]);
    reached[null().index()] = true;
    let mut open: Vec<ObjectId> = from.into_iter().collect();
    while let Some(object) = open.pop() {
        if object != null() && std::mem::replace(&mut reached[object.index()], true) {
            continue;
        }
        let is_open = |to: &ObjectId, reached: &[bool]| !reached[to.index()];
        let fields = heap.fields(object).iter().filter(|&&(it, _)| follow(it));
        open.extend(fields.map(|&(_, to)| to).filter(|to| is_open(to, &reached)));
        for (edge, passed) in heap.edges().iter().zip(&mut passed).filter(|it| !*it.1) {
            if leads_by(grammar, edge, object, &follow) {
                *passed = true;
                open.extend(edge.at.iter().copied().filter(|to| is_open(to, &reached)));
            }
        }
    }
    (reached, passed)
}

/// Whether a hyperedge provides a selector of an object.
pub fn leads_from(grammar: &Grammar, edge: &crate::graph::Hyperedge, object: ObjectId) -> bool {
    leads_by(grammar, edge, object, |_| true)
}

/// Whether a hyperedge provides one of some selectors of an object.
pub fn leads_by(
    grammar: &Grammar,
    edge: &crate::graph::Hyperedge,
    object: ObjectId,
    follow: impl Fn(SelectorId) -> bool,
) -> bool {
    let tentacles = &grammar.nonterminals[edge.label].tentacles;
    let provides = |it: &crate::grammar::Tentacle| it.provides.iter().any(|&it| follow(it));
    edge.at.iter().zip(tentacles).any(|(&at, it)| at == object && provides(it))
}

/// Removes what cannot be reached from slots and externals. Whether there was an object among it
/// that was not freed.
pub fn collect_garbage(grammar: &Grammar, heap: &mut Traced) -> bool {
    let mut roots = Vec::with_capacity(heap.heap().slots().len());
    heap.heap().each_root(|root| roots.push(root));
    let (reached, passed) = reached_by(grammar, heap.heap(), roots, |_| true);
    for edge in (0..passed.len()).rev().filter(|&edge| !passed[edge]) {
        heap.remove_edge(edge);
    }
    let is_lost = |object: ObjectId| {
        !reached[object.index()] && heap.heap().kind(object) != grammar.types.freed()
    };
    let lost = heap.heap().objects().any(is_lost);
    if reached.contains(&false) {
        heap.retain_objects(&reached);
    }
    lost
}

//! Garbage, and normal forms of heaps.
//!
//! A heap is abstracted by putting hyperedges in place of rules that occur in it, until none does.
//! This ends: a rule with fields leaves fewer fields, and one without has at least two hyperedges.
//! What comes out stands for at least the same heaps. Which rule is taken first (the first one, at
//! its first occurrence) matters only for grammars that are not confluent.
//!
//! *Admissibility*: objects nearer than the distance to an object that a slot or an external names
//! keep their fields. With distance 0 any object may lose its fields, but what is named stays.

use crate::embed::{Embedding, Finder, fold};
use crate::grammar::Grammar;
use crate::graph::{Heap, NonterminalId, ObjectId, SelectorId, null};
use crate::traced::Traced;
use tern_model::budget::{Limit, Meter};
use tern_model::index::Id;

/// Puts hyperedges in place of rules until none occurs.
///
/// # Errors
/// The limit that was reached.
pub fn abstracted(
    grammar: &Grammar,
    heap: &mut Traced,
    distance: usize,
    meter: &mut Meter<'_>,
) -> Result<(), Limit> {
    loop {
        meter.tick()?;
        let Some((label, rule, found)) = first_occurrence(grammar, heap.heap(), distance) else {
            return Ok(());
        };
        fold(heap, label, &grammar.nonterminals[label].rules[rule], &found);
    }
}

/// The rule that is folded first: a nonterminal, the number of its rule, and where it occurs.
pub fn first_occurrence(
    grammar: &Grammar,
    heap: &Heap,
    distance: usize,
) -> Option<(NonterminalId, usize, Embedding)> {
    let protected = protected(heap, distance);
    let finder = Finder::new(grammar, heap, &protected);
    grammar.plans().iter().find_map(|&(label, number, ref plan)| {
        let rule = &grammar.nonterminals[label].rules[number];
        Some((label, number, finder.first(plan, label, rule)?))
    })
}

/// The objects that are nearer than the distance to what is named.
fn protected(heap: &Heap, distance: usize) -> Vec<bool> {
    let mut near = vec![false; heap.len()];
    let mut front: Vec<ObjectId> = match distance {
        0 => Vec::new(),
        _ => {
            let mut roots = Vec::new();
            heap.each_root(|root| roots.push(root));
            roots
        }
    };
    for step in 0..distance {
        front.iter().for_each(|object| near[object.index()] = true);
        if step + 1 < distance {
            let next = front.iter().flat_map(|&object| heap.fields(object));
            front = next.map(|&(_, to)| to).filter(|to| !near[to.index()]).collect();
        }
    }
    near
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
    let mut reached = vec![false; heap.len()];
    reached[null().index()] = true;
    let mut open: Vec<ObjectId> = from.into_iter().collect();
    while let Some(object) = open.pop() {
        if object != null() && std::mem::replace(&mut reached[object.index()], true) {
            continue;
        }
        let fields = heap.fields(object).iter().filter(|&&(it, to)| to != null() && follow(it));
        open.extend(fields.map(|&(_, to)| to));
        for edge in heap.edges().iter().filter(|edge| leads_by(grammar, edge, object, &follow)) {
            open.extend(edge.at.iter().copied().filter(|&to| to != null()));
        }
    }
    reached
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
    let reached = reachable(grammar, heap.heap(), heap.heap().roots());
    let stale = |heap: &Heap| {
        heap.edges().iter().position(|edge| {
            !edge.at.iter().any(|&at| reached[at.index()] && leads_from(grammar, edge, at))
        })
    };
    while let Some(edge) = stale(heap.heap()) {
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

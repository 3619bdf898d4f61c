//! Where a rule of a grammar occurs in a heap, and hyperedges in place of rules.
//!
//! An *embedding* maps the objects of a rule to objects of the heap, so that the fields and
//! hyperedges of the rule are there, each another one, and that
//! * an object of the rule that is not external is mapped to one that nothing else knows: its
//!   fields, the fields that lead to it and the hyperedges at it are those of the rule, no slot
//!   names it, and it is not external. No other object of the rule is mapped to it;
//! * `null` is mapped to `null`; an external is mapped to an object of the type of its tentacle,
//!   or to `null` where its tentacle allows that. Externals may be mapped to one object;
//! * no field of a *protected* object is part of it.
//!
//! So replacing the image by a hyperedge, and that by the rule, gives the same heap again.

use crate::grammar::Grammar;
use crate::graph::{Heap, NonterminalId, ObjectId, null};
use crate::traced::{Origin, Traced};
use tern_model::index::Id;

/// An occurrence of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedding {
    /// For each object of the rule, its image.
    pub objects: Vec<ObjectId>,
    /// For each hyperedge of the rule, its image.
    pub edges: Vec<usize>,
}

/// A part of a rule that must be found: a field (its object and its place in the list), or a
/// hyperedge.
#[derive(Clone, Copy)]
enum Item {
    Field(ObjectId, usize),
    Edge(usize),
}

/// Finds occurrences of rules in a heap.
pub struct Finder<'a> {
    grammar: &'a Grammar,
    heap: &'a Heap,
    /// Objects whose fields must stay.
    protected: &'a [bool],
    /// Objects that slots or externals name.
    named: Vec<bool>,
    /// How many fields and tentacles there are at each object: leaving it, leading to it.
    degree: Vec<usize>,
}

impl<'a> Finder<'a> {
    /// Prepares to look for rules.
    pub fn new(grammar: &'a Grammar, heap: &'a Heap, protected: &'a [bool]) -> Self {
        let mut named = vec![false; heap.len()];
        heap.roots().iter().for_each(|root| named[root.index()] = true);
        Finder { grammar, heap, protected, named, degree: degrees(heap) }
    }

    /// All occurrences of a rule, in a fixed order; or only the first.
    pub fn occurrences(
        &self,
        label: NonterminalId,
        rule: &Heap,
        only_first: bool,
    ) -> Vec<Embedding> {
        let items = plan(rule);
        let mut found = Vec::new();
        let mut objects = vec![None; rule.len()];
        objects[null().index()] = Some(null());
        let empty = Partial { objects, fields: Vec::new(), edges: vec![None; rule.edges().len()] };
        let mut open = vec![(0, empty)];
        // Depth first, so the most promising alternatives are pushed last.
        while let Some((depth, partial)) = open.pop() {
            let Some(&item) = items.get(depth) else {
                if let Some(embedding) = self.finished(label, rule, partial) {
                    found.push(embedding);
                    if only_first {
                        return found;
                    }
                }
                continue;
            };
            let mut next = self.extended(rule, item, &partial);
            next.reverse();
            open.extend(next.into_iter().map(|partial| (depth + 1, partial)));
        }
        found
    }

    /// All ways to find one more item.
    fn extended(&self, rule: &Heap, item: Item, partial: &Partial) -> Vec<Partial> {
        let mut all = Vec::new();
        match item {
            Item::Field(object, position) => {
                let (selector, to) = rule.fields(object)[position];
                let candidates: Vec<ObjectId> = match partial.objects[object.index()] {
                    Some(image) => vec![image],
                    None => self.heap.objects().collect(),
                };
                for image in candidates {
                    let Some(target) = self.heap.field(image, selector) else { continue };
                    if self.protected[image.index()] || partial.fields.contains(&(image, selector))
                    {
                        continue;
                    }
                    let mut next = partial.clone();
                    if next.bind(rule, object, image) && next.bind(rule, to, target) {
                        next.fields.push((image, selector));
                        all.push(next);
                    }
                }
            }
            Item::Edge(number) => {
                let wanted = &rule.edges()[number];
                for (candidate, edge) in self.heap.edges().iter().enumerate() {
                    if edge.label != wanted.label || partial.edges.contains(&Some(candidate)) {
                        continue;
                    }
                    let mut next = partial.clone();
                    if wanted
                        .at
                        .iter()
                        .zip(&edge.at)
                        .all(|(&it, &image)| next.bind(rule, it, image))
                    {
                        next.edges[number] = Some(candidate);
                        all.push(next);
                    }
                }
            }
        }
        all
    }

    /// Whether all is as it must be, when everything was found.
    fn finished(&self, label: NonterminalId, rule: &Heap, partial: Partial) -> Option<Embedding> {
        let objects: Option<Vec<ObjectId>> = partial.objects.into_iter().collect();
        let objects = objects?;
        let edges: Option<Vec<usize>> = partial.edges.into_iter().collect();
        let degree = degrees(rule);
        for object in rule.objects().skip(1) {
            let image = objects[object.index()];
            if rule.externals().contains(&object) {
                continue;
            }
            let alone = objects.iter().filter(|&&other| other == image).count() == 1;
            let same = degree[object.index()] == self.degree[image.index()];
            let typed = self.heap.kind(image) == rule.kind(object);
            if !alone || !same || !typed || self.named[image.index()] {
                return None;
            }
        }
        for (external, tentacle) in
            rule.externals().iter().zip(&self.grammar.nonterminals[label].tentacles)
        {
            let image = objects[external.index()];
            let fits = match self.heap.kind(image) {
                Some(kind) => kind == tentacle.kind,
                None => tentacle.nullable,
            };
            if !fits {
                return None;
            }
        }
        Some(Embedding { objects, edges: edges? })
    }
}

/// A part of an embedding.
#[derive(Clone)]
struct Partial {
    objects: Vec<Option<ObjectId>>,
    /// Fields of the heap that are taken.
    fields: Vec<(ObjectId, crate::graph::SelectorId)>,
    edges: Vec<Option<usize>>,
}

impl Partial {
    /// Maps an object, unless it is mapped to another already. Only `null` and externals may be
    /// mapped to `null`.
    fn bind(&mut self, rule: &Heap, object: ObjectId, image: ObjectId) -> bool {
        if object == null() && image != null() {
            return false;
        }
        if image == null() && object != null() && !rule.externals().contains(&object) {
            return false;
        }
        *self.objects[object.index()].get_or_insert(image) == image
    }
}

/// How many fields leave and enter each object, and how many tentacles are at it.
fn degrees(heap: &Heap) -> Vec<usize> {
    let mut degree = vec![0; heap.len()];
    for object in heap.objects() {
        degree[object.index()] += heap.fields(object).len();
        heap.fields(object).iter().for_each(|(_, to)| degree[to.index()] += 1);
    }
    heap.edges().iter().flat_map(|edge| &*edge.at).for_each(|at| degree[at.index()] += 1);
    degree
}

/// The order in which parts are looked for: each touches what was found before, if that is
/// possible.
fn plan(rule: &Heap) -> Vec<Item> {
    let mut items: Vec<(Item, Vec<ObjectId>)> = Vec::new();
    for (number, edge) in rule.edges().iter().enumerate() {
        items.push((Item::Edge(number), edge.at.to_vec()));
    }
    for object in rule.objects() {
        for (position, &(_, to)) in rule.fields(object).iter().enumerate() {
            items.push((Item::Field(object, position), vec![object, to]));
        }
    }
    let (mut order, mut known) = (Vec::new(), vec![null()]);
    while !items.is_empty() {
        let touches = |(item, around): &(Item, Vec<ObjectId>)| match item {
            // To follow a field its object must be known.
            Item::Field(object, _) => known.contains(object),
            Item::Edge(_) => around.iter().any(|it| *it != null() && known.contains(it)),
        };
        let next = items.iter().position(touches).unwrap_or(0);
        let (item, around) = items.remove(next);
        known.extend(around);
        order.push(item);
    }
    order
}

/// Puts a hyperedge in place of a rule that was found. For each hyperedge that is there then its
/// place among those that were not part of the rule, and the new one behind them.
pub fn fold(heap: &mut Traced, label: NonterminalId, rule: &Heap, found: &Embedding) -> Vec<usize> {
    let mut origin = Origin::NONE;
    let mut keep = vec![true; heap.heap().len()];
    for object in rule.objects().skip(1) {
        let image = found.objects[object.index()];
        for &(selector, _) in rule.fields(object) {
            heap.heap_mut().remove_field(image, selector);
        }
        if !rule.externals().contains(&object) {
            origin = origin.and(heap.trace().objects[image.index()]);
            keep[image.index()] = false;
        }
    }
    let mut edges = found.edges.clone();
    edges.sort_unstable();
    for &edge in edges.iter().rev() {
        origin = origin.and(heap.remove_edge(edge).1);
    }
    let at = rule.externals().iter().map(|external| found.objects[external.index()]).collect();
    heap.add_edge(label, at, origin);
    heap.retain_objects(&keep)
}

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

use crate::grammar::{Grammar, Tentacle};
use crate::graph::{Heap, NonterminalId, ObjectId, SelectorId, null};
use crate::traced::{Origin, Traced};
use std::collections::BTreeMap;
use tern_model::index::Id;

/// An occurrence of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedding {
    /// For each object of the rule, its image.
    pub objects: Vec<ObjectId>,
    /// For each hyperedge of the rule, its image.
    pub edges: Vec<usize>,
}

/// A part of a rule that must be found: a field (its object, selector and target), or a hyperedge.
#[derive(Clone, Copy, Debug)]
enum Item {
    Field(ObjectId, SelectorId, ObjectId),
    Edge(usize),
}

/// What is known of a rule before any heap is looked at.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The parts, in the order in which they are looked for: each touches what was found before, if
    /// that is possible.
    items: Vec<Item>,
    /// How many fields and tentacles there are at each object that is not external.
    degree: Vec<Option<usize>>,
    /// How many fields of each selector, how many hyperedges of each label, and how many objects
    /// that are not external there are.
    fields: Vec<(SelectorId, usize)>,
    edges: Vec<(NonterminalId, usize)>,
    inner: usize,
}

impl Plan {
    pub(crate) fn new(rule: &Heap) -> Self {
        let mut around: Vec<(Item, Vec<ObjectId>)> = Vec::new();
        for (number, edge) in rule.edges().iter().enumerate() {
            around.push((Item::Edge(number), edge.at.to_vec()));
        }
        for object in rule.objects() {
            for &(selector, to) in rule.fields(object) {
                around.push((Item::Field(object, selector, to), vec![object, to]));
            }
        }
        let mut degree = Vec::new();
        count_degrees(rule, &mut degree);
        let mut degree: Vec<Option<usize>> = degree.into_iter().map(Some).collect();
        rule.externals().iter().for_each(|external| degree[external.index()] = None);
        let mut fields: BTreeMap<SelectorId, usize> = BTreeMap::new();
        let mut edges: BTreeMap<NonterminalId, usize> = BTreeMap::new();
        for (item, _) in &around {
            match *item {
                Item::Field(_, selector, _) => *fields.entry(selector).or_default() += 1,
                Item::Edge(number) => *edges.entry(rule.edges()[number].label).or_default() += 1,
            }
        }
        let (mut items, mut known) = (Vec::new(), vec![null()]);
        while !around.is_empty() {
            let touches = |(item, around): &(Item, Vec<ObjectId>)| match item {
                // To follow a field its object must be known.
                Item::Field(object, ..) => known.contains(object),
                Item::Edge(_) => around.iter().any(|it| *it != null() && known.contains(it)),
            };
            let next = around.iter().position(touches).unwrap_or(0);
            let (item, objects) = around.remove(next);
            known.extend(objects);
            items.push(item);
        }
        let (fields, edges) = (fields.into_iter().collect(), edges.into_iter().collect());
        let inner = degree.iter().skip(1).flatten().count();
        Plan { items, degree, fields, edges, inner }
    }
}

/// Finds occurrences of rules in a heap.
pub struct Finder<'a> {
    grammar: &'a Grammar,
    heap: &'a Heap,
    /// Objects whose fields must stay.
    protected: &'a [bool],
    /// Whether fields by which one named object leads to another must stay.
    links: bool,
    counts: Counts,
}

/// What is counted of a heap before rules are looked for. Where that is done with many heaps, its
/// lists serve for all of them.
#[derive(Default)]
pub(crate) struct Counts {
    /// Objects that slots or externals name.
    named: Vec<bool>,
    /// How many fields and tentacles there are at each object: leaving it, leading to it.
    degree: Vec<usize>,
    /// How many objects are not named.
    unnamed: usize,
    /// How many fields of each selector may be part of a rule.
    fields: Vec<usize>,
    /// How many hyperedges of each label there are.
    edges: Vec<usize>,
}

impl<'a> Finder<'a> {
    /// Prepares to look for rules. If links count, fields by which one named object leads to
    /// another must stay.
    pub fn new(grammar: &'a Grammar, heap: &'a Heap, protected: &'a [bool], links: bool) -> Self {
        Finder::counting(Counts::default(), grammar, heap, protected, links)
    }

    pub(crate) fn counting(
        mut counts: Counts,
        grammar: &'a Grammar,
        heap: &'a Heap,
        protected: &'a [bool],
        links: bool,
    ) -> Self {
        counts.named.clear();
        counts.named.resize(heap.len(), false);
        heap.each_root(|root| counts.named[root.index()] = true);
        count_degrees(heap, &mut counts.degree);
        counts.unnamed = counts.named.iter().skip(1).filter(|it| !**it).count();
        counts.edges.clear();
        counts.edges.resize(grammar.nonterminals.len(), 0);
        heap.edges().iter().for_each(|edge| counts.edges[edge.label.index()] += 1);
        let mut fields = std::mem::take(&mut counts.fields);
        fields.clear();
        fields.resize(grammar.types.selectors.len(), 0);
        let mut finder = Finder { grammar, heap, protected, links, counts };
        for object in heap.objects() {
            let free = heap.fields(object).iter().filter(|it| finder.is_free(object, it.1));
            free.for_each(|(selector, _)| fields[selector.index()] += 1);
        }
        finder.counts.fields = fields;
        finder
    }

    pub(crate) fn into_counts(self) -> Counts {
        self.counts
    }

    /// Whether a field of an object that leads to another may be part of a rule.
    fn is_free(&self, object: ObjectId, target: ObjectId) -> bool {
        let named = &self.counts.named;
        let is_link = || named[object.index()] && named[target.index()];
        !(self.protected[object.index()] || self.links && is_link())
    }

    /// All occurrences of a rule, in a fixed order.
    pub fn occurrences(&self, label: NonterminalId, rule: &Heap) -> Vec<Embedding> {
        let mut found = Vec::new();
        self.each((&Plan::new(rule), label, rule), &mut Partial::default(), |embedding| {
            found.push(embedding);
            false
        });
        found
    }

    /// The first occurrence of a rule.
    pub(crate) fn first(
        &self,
        plan: &Plan,
        label: NonterminalId,
        rule: &Heap,
        partial: &mut Partial,
    ) -> Option<Embedding> {
        let mut found = None;
        self.each((plan, label, rule), partial, |embedding| {
            found = Some(embedding);
            true
        });
        found
    }

    /// Whether the heap has as many fields and hyperedges of each kind as a rule, and as many
    /// objects that may vanish.
    fn has_enough(&self, plan: &Plan) -> bool {
        let Counts { unnamed, fields, edges, .. } = &self.counts;
        *unnamed >= plan.inner
            && plan.edges.iter().all(|&(label, needed)| edges[label.index()] >= needed)
            && plan.fields.iter().all(|&(it, needed)| fields[it.index()] >= needed)
    }

    /// Visits the occurrences of a rule until it is enough.
    fn each(
        &self,
        (plan, label, rule): (&Plan, NonterminalId, &Heap),
        partial: &mut Partial,
        mut visit: impl FnMut(Embedding) -> bool,
    ) {
        if !self.has_enough(plan) {
            return;
        }
        let search = Search { finder: self, plan, label, rule };
        partial.begin(rule);
        while let Some(&(candidate, bound)) = partial.open.last() {
            let depth = partial.open.len() - 1;
            let Some(&item) = plan.items.get(depth) else {
                if search.is_whole(partial) && visit(partial.embedding()) {
                    return;
                }
                partial.open.pop();
                search.undo(partial);
                continue;
            };
            match search.next(item, candidate, partial, bound) {
                Some(tried) => {
                    partial.open[depth].0 = tried + 1;
                    partial.open.push((0, partial.bound.len()));
                }
                None => {
                    partial.open.pop();
                    search.undo(partial);
                }
            }
        }
    }
}

/// A rule that is looked for.
struct Search<'s, 'a> {
    finder: &'s Finder<'a>,
    plan: &'s Plan,
    label: NonterminalId,
    rule: &'s Heap,
}

impl Search<'_, '_> {
    /// Finds an item at a candidate, not before the one that is named. Which that was.
    fn next(&self, item: Item, first: usize, partial: &mut Partial, bound: usize) -> Option<usize> {
        let heap = self.finder.heap;
        match item {
            Item::Field(object, selector, to) => {
                let known = partial.objects[object.index()];
                let candidates = match known {
                    Some(image) => image.index()..image.index() + 1,
                    None => 0..heap.len(),
                };
                for candidate in candidates.start.max(first)..candidates.end {
                    let image = ObjectId::new(candidate);
                    let Some(target) = heap.field(image, selector) else { continue };
                    if !self.finder.is_free(image, target)
                        || partial.fields.contains(&(image, selector))
                    {
                        continue;
                    }
                    if self.bind(partial, object, image) && self.bind(partial, to, target) {
                        partial.fields.push((image, selector));
                        return Some(candidate);
                    }
                    partial.unbind(bound);
                }
            }
            Item::Edge(number) => {
                let wanted = &self.rule.edges()[number];
                for (candidate, edge) in heap.edges().iter().enumerate().skip(first) {
                    if edge.label != wanted.label || partial.edges.contains(&Some(candidate)) {
                        continue;
                    }
                    let mut pairs = wanted.at.iter().zip(&edge.at);
                    if pairs.all(|(&it, &image)| self.bind(partial, it, image)) {
                        partial.edges[number] = Some(candidate);
                        return Some(candidate);
                    }
                    partial.unbind(bound);
                }
            }
        }
        None
    }

    /// Takes back the item that was found last, if there is one.
    fn undo(&self, partial: &mut Partial) {
        let Some(&(_, bound)) = partial.open.last() else { return };
        match self.plan.items[partial.open.len() - 1] {
            Item::Field(..) => {
                partial.fields.pop();
            }
            Item::Edge(number) => partial.edges[number] = None,
        }
        partial.unbind(bound);
    }

    /// Maps an object, unless it is mapped to another already or may not be mapped to this one.
    fn bind(&self, partial: &mut Partial, object: ObjectId, image: ObjectId) -> bool {
        if let Some(known) = partial.objects[object.index()] {
            return known == image;
        }
        // Null is mapped from the beginning, and no other object but externals is mapped to it.
        let Finder { heap, counts: Counts { named, degree, .. }, .. } = self.finder;
        if let Some(inner) = self.plan.degree[object.index()] {
            let known = partial.objects.contains(&Some(image));
            let typed = heap.kind(image) == self.rule.kind(object);
            let at = image.index();
            if image == null() || known || !typed || named[at] || degree[at] != inner {
                return false;
            }
        } else {
            // What is inside the rule is nothing else.
            let inner = |it: &ObjectId| {
                self.plan.degree[it.index()].is_some() && partial.objects[it.index()] == Some(image)
            };
            if image != null() && partial.bound.iter().any(inner) {
                return false;
            }
        }
        partial.objects[object.index()] = Some(image);
        partial.bound.push(object);
        true
    }

    /// Whether all objects are mapped, and externals to what their tentacles allow.
    fn is_whole(&self, partial: &Partial) -> bool {
        let tentacles = &self.finder.grammar.nonterminals[self.label].tentacles;
        let fits = |(external, tentacle): (&ObjectId, &Tentacle)| {
            partial.objects[external.index()].is_some_and(|image| {
                self.finder.heap.kind(image).map_or(tentacle.nullable, |it| it == tentacle.kind)
            })
        };
        partial.objects.iter().all(Option::is_some)
            && self.rule.externals().iter().zip(tentacles).all(fits)
    }
}

/// A part of an embedding. Where many rules are looked for, its lists serve for all of them.
#[derive(Default)]
pub(crate) struct Partial {
    /// For each item that was begun: the candidate to try next, and how many objects were bound
    /// before.
    open: Vec<(usize, usize)>,
    objects: Vec<Option<ObjectId>>,
    /// The objects that are mapped, but for `null`, in the order in which they were.
    bound: Vec<ObjectId>,
    /// Fields of the heap that are taken.
    fields: Vec<(ObjectId, SelectorId)>,
    edges: Vec<Option<usize>>,
}

impl Partial {
    /// Nothing is found yet of a rule.
    fn begin(&mut self, rule: &Heap) {
        self.open.clear();
        self.open.push((0, 0));
        self.objects.clear();
        self.objects.resize(rule.len(), None);
        self.objects[null().index()] = Some(null());
        self.bound.clear();
        self.fields.clear();
        self.edges.clear();
        self.edges.resize(rule.edges().len(), None);
    }

    /// Forgets all but the first of what was mapped.
    fn unbind(&mut self, keep: usize) {
        for object in self.bound.drain(keep..) {
            self.objects[object.index()] = None;
        }
    }

    fn embedding(&self) -> Embedding {
        let (objects, edges) = (self.objects.iter().flatten(), self.edges.iter().flatten());
        Embedding { objects: objects.copied().collect(), edges: edges.copied().collect() }
    }
}

/// How many fields leave and enter each object, and how many tentacles are at it.
fn count_degrees(heap: &Heap, degree: &mut Vec<usize>) {
    degree.clear();
    degree.resize(heap.len(), 0);
    for object in heap.objects() {
        degree[object.index()] += heap.fields(object).len();
        heap.fields(object).iter().for_each(|(_, to)| degree[to.index()] += 1);
    }
    heap.edges().iter().flat_map(|edge| &*edge.at).for_each(|at| degree[at.index()] += 1);
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

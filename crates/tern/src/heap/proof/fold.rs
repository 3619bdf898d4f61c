//! Heaps of proofs, folded: what is folded is remembered, so that the certifier can unfold it.

use super::names::Names;
use std::collections::{BTreeSet, VecDeque};
use tern_certify::heap::proof::grammar::{Grammar as Checked, Lemma};
use tern_certify::heap::proof::graph::{AbstractHeap, Cover, Slot, Tracked};
use tern_heap::abstraction::{Kept, first_occurrence};
use tern_heap::canonical::{Canonical, Externals, canonical};
use tern_heap::embed::{Embedding, Finder, fold};
use tern_heap::grammar::Grammar;
use tern_heap::graph::{Heap, NonterminalId, ObjectId};
use tern_heap::traced::Traced;
use tern_model::Limit;
use tern_model::budget::Meter;
use tern_model::index::Id;

/// Where a hyperedge comes from: it was there, or a rule was folded.
#[derive(Clone, Debug)]
enum Tree {
    There,
    Folded {
        rule: usize,
        /// The objects of the first heap that the rule has inside.
        objects: Vec<usize>,
        /// What its hyperedges come from.
        edges: Vec<Tree>,
    },
}

/// A heap that is being folded.
#[derive(Clone)]
pub(super) struct Folding {
    heap: Traced,
    /// For each object the one of the first heap.
    objects: Vec<usize>,
    edges: Vec<Tree>,
}

/// A folded heap in canonical form, with what it comes from.
pub(super) struct Folded {
    /// The canonical form.
    pub(super) heap: Heap,
    objects: Vec<usize>,
    edges: Vec<Tree>,
}

/// How many heaps are looked at for one case of the grammar.
const MOST_FOLDED: usize = 2_000;

impl Folding {
    /// A heap without what cannot be reached from what is kept.
    pub(super) fn new(
        names: &Names<'_>,
        grammar: &Checked<'_>,
        source: &Tracked,
        keeps: impl Fn(Slot) -> bool,
    ) -> Option<Self> {
        let mut slots = source.heap.slots.clone();
        slots.retain(|slot, _| keeps(*slot));
        let graph = source.heap.graph.clone();
        let wanted = AbstractHeap { slots, graph };
        let reached = grammar.reached(&wanted.graph, wanted.roots());
        let edges = grammar.led(&wanted.graph, &reached);
        let (mut part, numbers) = Tracked::new(&wanted).restricted(&reached, &reached, &edges);
        part.heap.slots = wanted.slots;
        for held in part.heap.slots.values_mut() {
            if let tern_certify::heap::proof::graph::Held::Object(object) = held {
                *object = numbers[*object]?;
            }
        }
        let externals = wanted.graph.externals.iter().map(|it| numbers[*it]);
        part.heap.graph.externals = externals.collect::<Option<_>>()?;
        let mut objects = vec![0; part.heap.len()];
        for (old, new) in numbers.iter().enumerate() {
            if let Some(new) = new {
                objects[*new] = old;
            }
        }
        Some(Folding { objects, ..Folding::whole(names, &part.heap)? })
    }

    /// A heap as it is.
    pub(super) fn whole(names: &Names<'_>, heap: &AbstractHeap) -> Option<Self> {
        let edges = vec![Tree::There; heap.graph.edges.len()];
        let objects = (0..heap.len()).collect();
        Some(Folding { heap: Traced::new(&names.heap(heap)?), objects, edges })
    }

    fn fold(&mut self, grammar: &Grammar, label: NonterminalId, number: usize, at: &Embedding) {
        let rule = &grammar.nonterminals[label].rules[number];
        let inside = |it: &ObjectId| it.index() > 0 && !rule.externals().contains(it);
        let inside: Vec<usize> =
            rule.objects().filter(inside).map(|it| at.objects[it.index()].index()).collect();
        let folded = Tree::Folded {
            rule: number,
            objects: inside.iter().map(|it| self.objects[*it]).collect(),
            edges: at.edges.iter().map(|it| self.edges[*it].clone()).collect(),
        };
        let kept = (0..self.edges.len()).filter(|it| !at.edges.contains(it));
        let mut edges: Vec<Tree> = kept.map(|it| self.edges[it].clone()).collect();
        edges.push(folded);
        let order = fold(&mut self.heap, label, rule, at);
        self.edges = order.iter().map(|it| edges[*it].clone()).collect();
        let objects = self.objects.iter().enumerate();
        self.objects =
            objects.filter(|(it, _)| !inside.contains(it)).map(|(_, old)| *old).collect();
    }

    /// Folds until nothing can be folded.
    pub(super) fn all(
        &mut self,
        grammar: &Grammar,
        kept: Kept,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        while let Some((label, rule, at)) = first_occurrence(grammar, self.heap.heap(), kept) {
            meter.tick()?;
            self.fold(grammar, label, rule, &at);
        }
        Ok(())
    }

    /// The canonical form.
    pub(super) fn canonical(&self, externals: Externals) -> Folded {
        let Canonical { heap, objects, edges } = canonical(self.heap.heap(), externals);
        Folded {
            heap,
            objects: objects.iter().map(|it| self.objects[it.index()]).collect(),
            edges: edges.iter().map(|it| self.edges[*it].clone()).collect(),
        }
    }
}

impl Folded {
    /// How the first heap comes about again.
    pub(super) fn cover(&self, to: usize) -> Cover {
        let mut map: Vec<usize> = self.objects[1..].to_vec();
        let (mut unfold, mut edges) = (Vec::new(), self.edges.clone());
        while let Some(at) = edges.iter().position(|it| matches!(it, Tree::Folded { .. })) {
            if let Tree::Folded { rule, objects, edges: inner } = edges.remove(at) {
                unfold.push((at, rule));
                map.extend(objects);
                edges.extend(inner);
            }
        }
        Cover { to, unfold, map }
    }

    /// The same for a heap that this is the canonical form of.
    pub(super) fn cover_of(&self, to: usize, form: &Canonical) -> Cover {
        let mut objects = vec![0; self.objects.len()];
        for (new, old) in form.objects.iter().enumerate() {
            objects[old.index()] = self.objects[new];
        }
        let mut edges = vec![Tree::There; self.edges.len()];
        for (new, old) in form.edges.iter().enumerate() {
            edges[*old] = self.edges[new].clone();
        }
        Folded { heap: self.heap.clone(), objects, edges }.cover(to)
    }
}

/// Which rule covers a case of the grammar. All ways to fold are tried.
pub(super) fn lemma(
    names: &Names<'_>,
    checked: &Checked<'_>,
    lemma: &Lemma,
    meter: &mut Meter<'_>,
) -> Result<Option<Cover>, Limit> {
    let grammar = names.grammar;
    let Some(label) = grammar.nonterminal(&lemma.label) else { return Ok(None) };
    let rules = &grammar.nonterminals[label].rules;
    let forms: Vec<(usize, Canonical)> =
        lemma.giving.iter().map(|&it| (it, canonical(&rules[it], Externals::Ordered))).collect();
    let Some(first) = Folding::new(names, checked, &lemma.heap, |_| true) else { return Ok(None) };
    let mut seen: BTreeSet<Heap> = BTreeSet::new();
    let mut open = VecDeque::from([first]);
    while let Some(folding) = open.pop_front() {
        meter.tick()?;
        let folded = folding.canonical(Externals::Ordered);
        if !seen.insert(folded.heap.clone()) || seen.len() > MOST_FOLDED {
            continue;
        }
        if let Some((rule, form)) = forms.iter().find(|(_, form)| form.heap == folded.heap) {
            return Ok(Some(folded.cover_of(*rule, form)));
        }
        let heap = folding.heap.heap();
        let protected = vec![false; heap.len()];
        let finder = Finder::new(grammar, heap, &protected, false);
        for (label, nonterminal) in grammar.nonterminals.iter() {
            for (number, rule) in nonterminal.rules.iter().enumerate() {
                for at in finder.occurrences(label, rule) {
                    let mut next = folding.clone();
                    next.fold(grammar, label, number, &at);
                    open.push_back(next);
                }
            }
        }
    }
    Ok(None)
}

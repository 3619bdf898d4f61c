//! Graph grammars by hyperedge replacement: which parts of heaps a hyperedge stands for.
//!
//! A nonterminal has tentacles, and rules: heaps whose externals are the objects at the tentacles.
//! A hyperedge derives what is there after it was replaced by a rule of its nonterminal: fresh
//! objects for those of the rule that are not external, the fields and hyperedges of the rule
//! between them. A hyperedge may be attached to one object several times.
//!
//! Each tentacle has a type, and *provides* some selectors: every rule gives its external exactly
//! these, by fields or by hyperedges of its own. One that provides nothing may be declared to allow
//! `null`. [`check`] says what else a grammar must be; only checked ones are used.
//!
//! *Concretisation* at a selector of an object replaces the hyperedge that provides it by each rule
//! that gives the selector at once ([`Grammar::rules_giving`]). *Abstraction* finds rules in a heap
//! and puts hyperedges in their place; see [`embed`](crate::embed).
//!
//! Source: J. Heinen, C. Jansen, J.-P. Katoen, T. Noll: Juggrnaut, Using graph grammars for
//! abstracting unbounded heap structures (FMSD 2015). Departures: tentacles may share an object, so
//! that no rules with merged externals are needed; single selectors are provided, not all of an
//! object at once, so that doubly linked lists may have one element.

pub mod builtin;
mod chains;
pub mod check;
mod confluence;
mod refine;
mod report;

pub use chains::with_chains;
pub use confluence::Confluence;
pub use refine::{Quality, Variant, refined};
pub use report::report;

use crate::embed::Plan;
use crate::graph::{Ends, Heap, NonterminalId, ObjectId, SelectorId, TypeId};
use crate::traced::Traced;
use crate::types::Types;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use tern_model::budget::{Limit, Meter};
use tern_model::index::{Id, Table};

/// What a tentacle is attached to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tentacle {
    /// The name of the external in the text of the rules.
    pub name: String,
    /// The type of the object.
    pub kind: TypeId,
    /// Whether the object may be `null`; then it provides nothing.
    pub nullable: bool,
    /// The selectors it provides, sorted.
    pub provides: Vec<SelectorId>,
}

/// A nonterminal with its rules.
#[derive(Clone, Debug)]
pub struct Nonterminal {
    /// Its name.
    pub name: String,
    /// Its tentacles.
    pub tentacles: Vec<Tentacle>,
    /// Its rules; the externals of each are different objects, as many as there are tentacles.
    pub rules: Vec<Heap>,
}

/// A shape that claims and inputs name: heaps with one external, the root.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Its name.
    pub name: String,
    /// The type of the root.
    pub kind: TypeId,
    /// The heaps; each has one external.
    pub heaps: Vec<Heap>,
}

/// A grammar.
#[derive(Clone, Debug, Default)]
pub struct Grammar {
    /// The types of objects.
    pub types: Types,
    /// The nonterminals.
    pub nonterminals: Table<NonterminalId, Nonterminal>,
    /// The shapes.
    pub shapes: Vec<Shape>,
    /// Whether each tentacle that provides a field reaches everything that its hyperedge stands
    /// for, and all its other tentacles, as [`check`] found.
    pub reaches_all: bool,
    /// What the nonterminals are variants of: in the last of these, of those before it, and so on.
    pub refinements: Vec<Vec<Variant>>,
    /// How rules are looked for.
    plans: Found<Vec<(NonterminalId, usize, Plan)>>,
    /// Whether every heap has one normal form only.
    confluence: Found<Confluence>,
}

/// What was found out about the rules of a grammar, once somebody has asked.
#[derive(Debug)]
struct Found<T>(OnceLock<T>);

impl<T> Default for Found<T> {
    fn default() -> Self {
        Found(OnceLock::new())
    }
}

impl<T> Clone for Found<T> {
    /// The rules of a copy may be changed, so it begins anew.
    fn clone(&self) -> Self {
        Found::default()
    }
}

impl Grammar {
    /// For each rule, by its nonterminal and number, how it is looked for.
    pub(crate) fn plans(&self) -> &[(NonterminalId, usize, Plan)] {
        self.plans.0.get_or_init(|| {
            let rules = self.nonterminals.iter().flat_map(|(label, nonterminal)| {
                let rules = nonterminal.rules.iter().enumerate();
                rules.map(move |(number, rule)| (label, number, Plan::new(rule)))
            });
            rules.collect()
        })
    }

    /// Whether every heap has one normal form only, and if not, why. That takes far longer than
    /// all else that is checked of a grammar, and few claims ask for it.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn confluence(&self, meter: &mut Meter<'_>) -> Result<&Confluence, Limit> {
        if let Some(known) = self.confluence.0.get() {
            return Ok(known);
        }
        let found = confluence::confluence(self, meter)?;
        Ok(self.confluence.0.get_or_init(|| found))
    }

    /// Whether a heap that does not fold to a form of a shape has not that shape: every heap has
    /// one normal form, and nothing is lost inside what counts as reached.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn tells_shapes(&self, meter: &mut Meter<'_>) -> Result<bool, Limit> {
        Ok(self.reaches_all && *self.confluence(meter)? == Confluence::Confluent)
    }

    /// The nonterminal of that name.
    pub fn nonterminal(&self, name: &str) -> Option<NonterminalId> {
        self.nonterminals.iter().find(|(_, it)| it.name == name).map(|(id, _)| id)
    }

    /// The shape of that name.
    pub fn shape(&self, name: &str) -> Option<&Shape> {
        self.shapes.iter().find(|shape| shape.name == name)
    }

    /// Whether a tentacle provides a selector.
    pub fn provides(&self, label: NonterminalId, tentacle: usize, selector: SelectorId) -> bool {
        self.nonterminals[label].tentacles[tentacle].provides.contains(&selector)
    }

    /// The rules of a nonterminal that give the external of a tentacle a selector at once.
    pub fn rules_giving(
        &self,
        label: NonterminalId,
        tentacle: usize,
        selector: SelectorId,
    ) -> impl Iterator<Item = &Heap> {
        let gives = move |rule: &&Heap| rule.field(rule.externals()[tentacle], selector).is_some();
        self.nonterminals[label].rules.iter().filter(gives)
    }

    /// The hyperedge that provides a selector of an object, and the tentacle by which it does.
    pub fn provider(
        &self,
        heap: &Heap,
        object: ObjectId,
        selector: SelectorId,
    ) -> Option<(usize, usize)> {
        heap.edges().iter().enumerate().find_map(|(number, edge)| {
            let tentacle = edge.at.iter().enumerate().position(|(tentacle, &at)| {
                at == object && self.provides(edge.label, tentacle, selector)
            })?;
            Some((number, tentacle))
        })
    }

    /// All heaps in which an object has a field, and which together stand for the same as this one.
    /// `None` if nothing provides it: the object has no such selector, or is `null`.
    pub fn concretised(
        &self,
        heap: &Traced,
        object: ObjectId,
        selector: SelectorId,
    ) -> Option<Vec<Traced>> {
        if heap.heap().field(object, selector).is_some() {
            return Some(vec![heap.clone()]);
        }
        let (edge, tentacle) = self.provider(heap.heap(), object, selector)?;
        let label = heap.heap().edges()[edge].label;
        let rules = self.rules_giving(label, tentacle, selector);
        Some(rules.map(|rule| heap.replaced(edge, rule)).collect())
    }

    /// The same of a heap without a trace.
    pub fn cases(&self, heap: &Heap, object: ObjectId, selector: SelectorId) -> Option<Vec<Heap>> {
        if heap.field(object, selector).is_some() {
            return Some(vec![heap.clone()]);
        }
        let (edge, tentacle) = self.provider(heap, object, selector)?;
        let with = |rule: &Heap| {
            let mut heap = heap.clone();
            replace(&mut heap, edge, rule);
            heap
        };
        Some(self.rules_giving(heap.edges()[edge].label, tentacle, selector).map(with).collect())
    }

    /// Whether each selector of each object has exactly one provider.
    pub fn check_provided(&self, heap: &Heap) -> bool {
        self.check_partly(heap, |_| false)
    }

    /// Whether each selector of each object has exactly one provider, or none where some may be
    /// missing.
    pub fn check_partly(&self, heap: &Heap, missing: impl Fn(ObjectId) -> bool) -> bool {
        let mut count: BTreeMap<(ObjectId, SelectorId), usize> = BTreeMap::new();
        for object in heap.objects() {
            for &(selector, _) in heap.fields(object) {
                *count.entry((object, selector)).or_default() += 1;
            }
        }
        for edge in heap.edges() {
            for (tentacle, &object) in self.nonterminals[edge.label].tentacles.iter().zip(&edge.at)
            {
                for &selector in &tentacle.provides {
                    *count.entry((object, selector)).or_default() += 1;
                }
            }
        }
        let wanted = heap.objects().filter_map(|object| Some((object, heap.kind(object)?)));
        let wanted = wanted.flat_map(|(object, kind)| {
            self.types.kinds[kind].selectors.iter().map(move |&selector| (object, selector))
        });
        let (mut found, mut all) = (0, true);
        for (object, selector) in wanted {
            match count.get(&(object, selector)) {
                Some(1) => found += 1,
                None if missing(object) => {}
                _ => all = false,
            }
        }
        all && found == count.len()
    }
}

/// Replaces a hyperedge of a heap by a rule. What is new comes last.
pub fn replace(heap: &mut Heap, edge: usize, rule: &Heap) {
    let hyperedge = heap.remove_edge(edge);
    let mut image: Vec<Option<ObjectId>> = vec![None; rule.len()];
    image[0] = Some(crate::graph::null());
    for (&external, &at) in rule.externals().iter().zip(&hyperedge.at) {
        image[external.index()] = Some(at);
    }
    for object in rule.objects() {
        if let (None, Some(kind)) = (image[object.index()], rule.kind(object)) {
            image[object.index()] = Some(heap.add_object(kind));
        }
    }
    let image = |object: ObjectId| image[object.index()].expect("all have a type");
    for object in rule.objects() {
        for &(selector, to) in rule.fields(object) {
            let before = heap.set_field(image(object), selector, image(to));
            debug_assert_eq!(before, None, "one provider each");
        }
    }
    for nested in rule.edges() {
        let at: Ends = nested.at.iter().map(|&object| image(object)).collect();
        heap.add_edge(nested.label, at);
    }
}

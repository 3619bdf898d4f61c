//! What proofs rely on of a grammar, checked anew.
//!
//! * Each rule gives the object at a tentacle the fields that the tentacle *provides*, each once,
//!   and its other objects all fields of their types. Then a field that is not there is provided by
//!   exactly one hyperedge.
//! * Where a field is looked at, it is enough to replace that hyperedge by the rules that give the
//!   field at once: by induction over derivations. Take another rule; in it a hyperedge provides
//!   the field, which by induction may be replaced by its rules that give it at once. A proof says
//!   which rule of the nonterminal that does covers what comes about.

use super::super::shapes::{Graph, Nonterminal, Rules};
use super::super::{NoRun, refused};
use super::graph::{AbstractHeap, Cover, FREED, Held, Strictness, Tracked};
use std::collections::{BTreeMap, BTreeSet};
use tern_model::budget::Meter;

/// A grammar that was checked.
pub struct Grammar<'a> {
    rules: &'a Rules,
    types: &'a BTreeMap<String, Vec<String>>,
    /// The fields that each tentacle of each nonterminal provides.
    provides: BTreeMap<&'a str, Vec<BTreeSet<&'a str>>>,
    /// Whether whatever a hyperedge stands for is reached from each tentacle that provides a field.
    pub reaches_all: bool,
    /// Whether externals of heaps may lack fields.
    pub(super) narrow: bool,
}

/// A rule that does not give a field at once, with a hyperedge replaced so that it does.
#[derive(Debug)]
pub struct Lemma {
    /// The nonterminal.
    pub label: String,
    /// The rules of it that give the field at once.
    pub giving: Vec<usize>,
    /// What must be covered by one of these.
    pub heap: Tracked,
}

impl<'a> Grammar<'a> {
    /// Takes a grammar, if it is sound.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(rules: &'a Rules, types: &'a BTreeMap<String, Vec<String>>) -> Result<Self, NoRun> {
        let provides = provided(rules);
        let mut grammar = Grammar { rules, types, provides, reaches_all: false, narrow: false };
        for (label, nonterminal) in &rules.nonterminals {
            for (tentacle, (_, nullable)) in nonterminal.tentacles.iter().enumerate() {
                if *nullable && grammar.provides_any(label, tentacle) {
                    return refused("a tentacle that may be null gets fields");
                }
            }
            for rule in &nonterminal.rules {
                grammar.check_rule(label, rule)?;
            }
        }
        for graph in rules.shapes.values().flatten() {
            grammar.check_heap(graph)?;
        }
        grammar.reaches_all = grammar.all_reached();
        Ok(grammar)
    }

    /// A rule of a nonterminal.
    pub fn rule(&self, label: &str, number: usize) -> Option<&'a Graph> {
        self.rules.nonterminals.get(label)?.rules.get(number)
    }

    /// The nonterminals.
    pub fn nonterminals(&self) -> impl Iterator<Item = (&'a String, &'a Nonterminal)> {
        self.rules.nonterminals.iter()
    }

    /// The graphs of a shape.
    pub fn shape(&self, name: &str) -> &'a [Graph] {
        self.rules.shapes.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether a tentacle provides a field.
    fn provides(&self, label: &str, tentacle: usize, name: &str) -> bool {
        self.provides.get(label).is_some_and(|it| it[tentacle].contains(name))
    }

    /// Whether a tentacle provides any field.
    pub fn provides_any(&self, label: &str, tentacle: usize) -> bool {
        !self.provides[label][tentacle].is_empty()
    }

    /// The hyperedge that provides a field, and its tentacle.
    fn provider(&self, graph: &Graph, object: usize, name: &str) -> Option<(usize, usize)> {
        graph.edges.iter().enumerate().find_map(|(number, (label, at))| {
            let mut tentacles = at.iter().enumerate();
            let found =
                tentacles.find(|(it, at)| **at == object && self.provides(label, *it, name));
            found.map(|(tentacle, _)| (number, tentacle))
        })
    }

    /// Whether nothing gives an object a field of its type: it is external in a narrow proof, and
    /// the field stays with a caller.
    pub(super) fn lacks(&self, graph: &Graph, object: usize, name: &str) -> bool {
        let is_there = graph.fields.iter().any(|it| it.0 == object && it.1 == name);
        !is_there && self.provider(graph, object, name).is_none()
    }

    /// All heaps in which a field is there, which together stand for the same.
    ///
    /// # Errors
    /// If there can be no such field.
    pub fn concretised(
        &self,
        heap: &Tracked,
        object: usize,
        name: &str,
    ) -> Result<Vec<Tracked>, NoRun> {
        if heap.heap.field(object, name).is_some() {
            return Ok(vec![heap.clone()]);
        }
        let Some((edge, tentacle)) = self.provider(&heap.heap.graph, object, name) else {
            return refused("an object has no such field");
        };
        let label = &heap.heap.graph.edges[edge].0;
        let mut all = Vec::new();
        for rule in self.giving(label, tentacle, name) {
            let mut heap = heap.clone();
            heap.replace(edge, &self.rules.nonterminals[label].rules[rule])?;
            all.push(heap);
        }
        Ok(all)
    }

    /// The rules that give the object at a tentacle a field at once.
    fn giving(&self, label: &str, tentacle: usize, name: &str) -> Vec<usize> {
        let rules = &self.rules.nonterminals[label].rules;
        let gives = |rule: &Graph| {
            rule.fields.iter().any(|it| it.0 == rule.externals[tentacle] && it.1 == name)
        };
        rules.iter().enumerate().filter(|(_, it)| gives(it)).map(|(number, _)| number).collect()
    }

    /// All that must be covered for concretisation to miss nothing, in order.
    ///
    /// # Errors
    /// If a field cannot be given.
    pub fn lemmas(&self) -> Result<Vec<Lemma>, NoRun> {
        let mut all = Vec::new();
        for (label, nonterminal) in &self.rules.nonterminals {
            for (tentacle, provided) in self.provides[label.as_str()].iter().enumerate() {
                for name in provided {
                    let giving = self.giving(label, tentacle, name);
                    for (number, rule) in nonterminal.rules.iter().enumerate() {
                        if giving.contains(&number) {
                            continue;
                        }
                        let heap = AbstractHeap { graph: rule.clone(), ..Default::default() };
                        let (heap, object) = (Tracked::new(&heap), rule.externals[tentacle]);
                        for heap in self.concretised(&heap, object, name)? {
                            let giving = giving.clone();
                            all.push(Lemma { label: label.clone(), giving, heap });
                        }
                    }
                }
            }
        }
        Ok(all)
    }

    /// Checks that concretisation misses nothing.
    pub(super) fn check_lemmas(
        &self,
        covers: &[Cover],
        meter: &mut Meter<'_>,
    ) -> Result<(), NoRun> {
        let lemmas = self.lemmas()?;
        if lemmas.len() != covers.len() {
            return refused("the grammar has another number of cases");
        }
        for (Lemma { label, giving, heap }, cover) in lemmas.iter().zip(covers) {
            meter.tick()?;
            let rule = self.rule(label, cover.to).filter(|_| giving.contains(&cover.to));
            let Some(rule) = rule else {
                return refused("a rule does not give the field at once");
            };
            let target = AbstractHeap { graph: rule.clone(), ..Default::default() };
            heap.covered(self, &target, cover, Strictness::Whole, |_| true)?;
        }
        Ok(())
    }

    /// Whether all fields of all objects are given once, and hyperedges are attached as they may.
    pub(super) fn check_heap(&self, graph: &Graph) -> Result<(), NoRun> {
        self.check_graph(graph, |object| self.fields_of(&graph.kinds[object - 1]))
    }

    fn fields_of(&self, kind: &str) -> Option<BTreeSet<&str>> {
        match kind {
            FREED => Some(BTreeSet::new()),
            _ => self.types.get(kind).map(|it| it.iter().map(String::as_str).collect()),
        }
    }

    /// The same of what lies around a heap, which gives the externals their fields.
    pub(super) fn check_view(&self, view: &AbstractHeap) -> Result<(), NoRun> {
        let graph = &view.graph;
        self.check_graph(graph, |object| match graph.externals.contains(&object) {
            true => Some(BTreeSet::new()),
            false => self.fields_of(&graph.kinds[object - 1]),
        })?;
        check_slots(view)
    }

    /// The same of a heap, whose slots hold objects that are there.
    pub(super) fn check_held(&self, heap: &AbstractHeap) -> Result<(), NoRun> {
        self.check_heap(&heap.graph)?;
        check_slots(heap)
    }

    fn check_rule(&self, label: &str, rule: &Graph) -> Result<(), NoRun> {
        let tentacles = &self.rules.nonterminals[label].tentacles;
        if rule.externals.len() != tentacles.len() {
            return refused("a rule has another number of tentacles");
        }
        for (&external, (kind, _)) in rule.externals.iter().zip(tentacles) {
            if external == 0 || rule.kinds.get(external - 1) != Some(kind) {
                return refused("a tentacle of a rule is of another type");
            }
        }
        self.check_graph(rule, |object| match rule.externals.iter().position(|it| *it == object) {
            Some(tentacle) => Some(self.provides[label][tentacle].clone()),
            None => self.fields_of(&rule.kinds[object - 1]),
        })
    }

    fn check_graph<'g>(
        &'g self,
        graph: &'g Graph,
        wanted: impl Fn(usize) -> Option<BTreeSet<&'g str>>,
    ) -> Result<(), NoRun> {
        let count = graph.kinds.len() + 1;
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        if graph.externals.iter().any(|&it| it == 0 || it >= count || !seen.insert(it)) {
            return refused("externals are not different objects");
        }
        let mut given: BTreeSet<(usize, &str)> = BTreeSet::new();
        for (object, name, to) in &graph.fields {
            if *object == 0 || *object >= count || *to >= count || !given.insert((*object, name)) {
                return refused("a field of an object is given twice, or is of nothing");
            }
        }
        for (label, at) in &graph.edges {
            let Some(nonterminal) = self.rules.nonterminals.get(label) else {
                return refused("there is no such nonterminal");
            };
            if at.len() != nonterminal.tentacles.len() || at.iter().any(|it| *it >= count) {
                return refused("a hyperedge has other tentacles");
            }
            for (tentacle, (&object, (kind, nullable))) in
                at.iter().zip(&nonterminal.tentacles).enumerate()
            {
                let fits = match object {
                    0 => *nullable,
                    // A freed object gets no fields.
                    object => [kind.as_str(), FREED].contains(&graph.kinds[object - 1].as_str()),
                };
                if !fits {
                    return refused("a hyperedge is attached to an object of another type");
                }
                for name in &self.provides[label.as_str()][tentacle] {
                    if !given.insert((object, name)) {
                        return refused("a field of an object is given twice");
                    }
                }
            }
        }
        for object in 1..count {
            let Some(wanted) = wanted(object) else { return refused("there is no such type") };
            let has = given.range((object, "")..(object + 1, "")).map(|it| it.1);
            let has: BTreeSet<&str> = has.collect();
            let may_lack = self.narrow && graph.externals.contains(&object);
            if has != wanted && !(may_lack && has.is_subset(&wanted)) {
                return refused("an object has other fields than it should");
            }
        }
        Ok(())
    }

    /// What can be reached from some objects, `null` included.
    pub fn reached(&self, graph: &Graph, from: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut reached = vec![false; graph.kinds.len() + 1];
        let mut open: Vec<usize> = from.into_iter().collect();
        while let Some(object) = open.pop() {
            if object == 0 || std::mem::replace(&mut reached[object], true) {
                continue;
            }
            open.extend(graph.fields.iter().filter(|it| it.0 == object).map(|it| it.2));
            for (label, at) in &graph.edges {
                if self.leads_from(label, at, |it| it == object) {
                    open.extend(at);
                }
            }
        }
        reached[0] = true;
        reached
    }

    /// Whether a hyperedge provides a field of one of some objects.
    pub fn leads_from(&self, label: &str, at: &[usize], is: impl Fn(usize) -> bool) -> bool {
        let mut tentacles = at.iter().enumerate();
        tentacles.any(|(tentacle, it)| is(*it) && self.provides_any(label, tentacle))
    }

    /// For each hyperedge, whether it provides a field of one of some objects.
    pub fn led(&self, graph: &Graph, objects: &[bool]) -> Vec<bool> {
        let edges = graph.edges.iter();
        edges.map(|(label, at)| self.leads_from(label, at, |it| objects[it])).collect()
    }

    /// Whether a graph is reached from one object as a whole, if that is so of hyperedges.
    pub fn reaches_whole(&self, graph: &Graph, from: usize) -> bool {
        let reached = self.reached(graph, [from]);
        !reached.contains(&false) && !self.led(graph, &reached).contains(&false)
    }

    /// By induction over derivations: each rule is reached as a whole, if hyperedges are.
    fn all_reached(&self) -> bool {
        self.rules.nonterminals.iter().all(|(label, nonterminal)| {
            let tentacles = 0..nonterminal.tentacles.len();
            tentacles.filter(|it| self.provides_any(label, *it)).all(|tentacle| {
                let mut rules = nonterminal.rules.iter();
                rules.all(|rule| self.reaches_whole(rule, rule.externals[tentacle]))
            })
        })
    }
}

/// Whether slots hold objects that are there.
fn check_slots(heap: &AbstractHeap) -> Result<(), NoRun> {
    let there = |held: &Held| !matches!(held, Held::Object(it) if *it >= heap.len());
    match heap.slots.values().all(there) {
        true => Ok(()),
        false => refused("a variable holds an object that is not there"),
    }
}

/// The fields that tentacles provide: the least that explains all rules.
fn provided(rules: &Rules) -> BTreeMap<&str, Vec<BTreeSet<&str>>> {
    let mut provides: BTreeMap<&str, Vec<BTreeSet<&str>>> = BTreeMap::new();
    for (label, nonterminal) in &rules.nonterminals {
        provides.insert(label, vec![BTreeSet::new(); nonterminal.tentacles.len()]);
    }
    loop {
        let mut more: Vec<(&str, usize, &str)> = Vec::new();
        for (label, nonterminal) in &rules.nonterminals {
            for rule in &nonterminal.rules {
                let tentacles = rule.externals.iter().enumerate();
                for (tentacle, external) in tentacles.take(nonterminal.tentacles.len()) {
                    let fields = rule.fields.iter().filter(|it| it.0 == *external);
                    more.extend(fields.map(|it| (label.as_str(), tentacle, it.1.as_str())));
                    for (inner, at) in &rule.edges {
                        let known = provides.get(inner.as_str()).into_iter().flatten();
                        let here = at.iter().zip(known).filter(|(it, _)| *it == external);
                        let names = here.flat_map(|(_, names)| names.iter());
                        more.extend(names.map(|name| (label.as_str(), tentacle, *name)));
                    }
                }
            }
        }
        let mut changed = false;
        for (label, tentacle, name) in more {
            if let Some(all) = provides.get_mut(label) {
                changed |= all[tentacle].insert(name);
            }
        }
        if !changed {
            return provides;
        }
    }
}

//! Grammars of Attestor as JSON: a list of nonterminals, each with rules that are heaps.
//!
//! A tentacle that gives no fields may be at `null`. If that is so of all tentacles but the first,
//! a nonterminal is also a shape, with `null` at the others.

use super::attestor::{lenient, list, number, text};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use tern_heap::grammar::{Grammar, Nonterminal, Shape, Tentacle};
use tern_heap::graph::{Heap, NonterminalId, ObjectId, null};

/// A grammar that was not looked into yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarFile {
    /// Where it comes from, for messages.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Names of types and selectors, with what they are called in the program.
    pub renamed: Vec<(String, String)>,
}

impl GrammarFile {
    fn renamed<'a>(&'a self, name: &'a str) -> &'a str {
        self.renamed.iter().find(|(old, _)| old == name).map_or(name, |(_, new)| new)
    }

    fn nonterminals(&self) -> Result<Vec<Json>, String> {
        match lenient(&self.text)? {
            Json::Array(all) => Ok(all),
            _ => Err("it is no list of nonterminals".to_owned()),
        }
    }

    /// The types that it is about.
    ///
    /// # Errors
    /// What is wrong with its text.
    pub fn types(&self) -> Result<BTreeSet<String>, String> {
        let mut all = BTreeSet::new();
        for it in self.nonterminals()? {
            for group in list(&it, "rules").iter().flat_map(|rule| list(rule, "nodes")) {
                all.insert(self.renamed(text(group, "type")?).to_owned());
            }
        }
        Ok(all)
    }

    /// Adds it to a grammar that has the types.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn add_to(&self, grammar: &mut Grammar) -> Result<(), String> {
        let all = self.nonterminals()?;
        let mut made: Vec<NonterminalId> = Vec::new();
        for it in &all {
            let name = text(it, "nonterminal")?;
            if grammar.nonterminal(name).is_some() {
                return Err(format!("there are two nonterminals `{name}`"));
            }
            let rank = number(it, "rank")?;
            let Some(first) = list(it, "rules").first() else {
                return Err(format!("`{name}` has no rules"));
            };
            let heap = self.heap(grammar, first, rank, |_| Ok(None))?;
            let tentacle = |(number, &external): (usize, &ObjectId)| {
                let kind = heap.kind(external);
                let kind = kind.ok_or_else(|| format!("external {number} of `{name}` is null"))?;
                Ok(Tentacle {
                    name: format!("t{number}"),
                    kind,
                    nullable: false,
                    provides: Vec::new(),
                })
            };
            let tentacles: Result<Vec<Tentacle>, String> =
                heap.externals().iter().enumerate().map(tentacle).collect();
            let (name, tentacles, rules) = (name.to_owned(), tentacles?, Vec::new());
            made.push(grammar.nonterminals.push(Nonterminal { name, tentacles, rules }));
        }
        for (it, &label) in all.iter().zip(&made) {
            let rank = grammar.nonterminals[label].tentacles.len();
            for rule in list(it, "rules") {
                let find = |name: &str| {
                    let found = grammar.nonterminal(name);
                    found.map(Some).ok_or_else(|| format!("there is no nonterminal `{name}`"))
                };
                let heap = self.heap(grammar, rule, rank, find)?;
                grammar.nonterminals[label].rules.push(heap);
            }
        }
        let giving = giving(grammar);
        for &label in &made {
            for (number, tentacle) in grammar.nonterminals[label].tentacles.iter_mut().enumerate() {
                tentacle.nullable = !giving.contains(&(label, number));
            }
            add_shape(grammar, label);
        }
        Ok(())
    }

    /// A rule. Hyperedges are left out if nobody knows their labels yet.
    fn heap(
        &self,
        grammar: &Grammar,
        json: &Json,
        rank: usize,
        find: impl Fn(&str) -> Result<Option<NonterminalId>, String>,
    ) -> Result<Heap, String> {
        let (mut heap, mut objects) = (Heap::default(), Vec::new());
        for group in list(json, "nodes") {
            for _ in 0..number(group, "number")?.min(1000) {
                objects.push(match text(group, "type")? {
                    "NULL" => null(),
                    kind => {
                        let name = self.renamed(kind);
                        let found = grammar.types.kind(name);
                        heap.add_object(found.ok_or_else(|| format!("there is no type `{name}`"))?)
                    }
                });
            }
        }
        let object = |number: usize| {
            objects.get(number).copied().ok_or_else(|| format!("there is no node {number}"))
        };
        let index = |it: &Json| it.as_u64().and_then(|it| usize::try_from(it).ok());
        let at = |json: &Json, name: &str| -> Result<Vec<ObjectId>, String> {
            list(json, name).iter().map(|it| object(index(it).unwrap_or(usize::MAX))).collect()
        };
        let externals = at(json, "externals")?;
        if externals.len() != rank || externals.iter().collect::<BTreeSet<_>>().len() != rank {
            return Err(format!("a rule has not {rank} externals"));
        }
        heap.set_externals(externals);
        for it in list(json, "selectors") {
            let (from, to) = (object(number(it, "origin")?)?, object(number(it, "target")?)?);
            let name = self.renamed(text(it, "label")?);
            let selector = heap.kind(from).and_then(|kind| grammar.types.selector(kind, name));
            let selector = selector.ok_or_else(|| format!("there is no field `{name}`"))?;
            if heap.set_field(from, selector, to).is_some() {
                return Err(format!("the field `{name}` is given twice"));
            }
        }
        for it in list(json, "hyperedges") {
            let tentacles = at(it, "tentacles")?;
            if let Some(label) = find(text(it, "label")?)? {
                if grammar.nonterminals[label].tentacles.len() != tentacles.len() {
                    let name = &grammar.nonterminals[label].name;
                    return Err(format!("a hyperedge `{name}` has another rank"));
                }
                heap.add_edge(label, tentacles);
            }
        }
        Ok(heap)
    }
}

/// The tentacles that give a field in some rule, by themselves or by another nonterminal.
fn giving(grammar: &Grammar) -> BTreeSet<(NonterminalId, usize)> {
    let mut all = BTreeSet::new();
    loop {
        let before = all.len();
        for (label, nonterminal) in grammar.nonterminals.iter() {
            for rule in &nonterminal.rules {
                for (number, external) in rule.externals().iter().enumerate() {
                    let by_edge = rule.edges().iter().any(|edge| {
                        let tentacles = edge.at.iter().enumerate();
                        let mut here = tentacles.filter(|(_, at)| *at == external);
                        here.any(|(tentacle, _)| all.contains(&(edge.label, tentacle)))
                    });
                    if by_edge || !rule.fields(*external).is_empty() {
                        all.insert((label, number));
                    }
                }
            }
        }
        if all.len() == before {
            return all;
        }
    }
}

fn add_shape(grammar: &mut Grammar, label: NonterminalId) {
    let Nonterminal { name, tentacles, .. } = &grammar.nonterminals[label];
    let [first, others @ ..] = &tentacles[..] else { return };
    if first.nullable || others.iter().any(|it| !it.nullable) || grammar.shape(name).is_some() {
        return;
    }
    let (name, kind, mut heap) = (name.clone(), first.kind, Heap::default());
    let root = heap.add_object(kind);
    let mut at = vec![null(); tentacles.len()];
    at[0] = root;
    heap.add_edge(label, at);
    heap.set_externals(vec![root]);
    grammar.shapes.push(Shape { name, kind, heaps: vec![heap] });
}

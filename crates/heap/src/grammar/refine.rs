//! Grammars in which hyperedges know more of what is inside them.
//!
//! What is reached from a tentacle by some fields may differ between the heaps that a nonterminal
//! derives: a part of a tree leads to another by left fields only, or it does not. So may the
//! number of objects inside. In a *refined* grammar each nonterminal has a variant for each such
//! relation between its tentacles (and `null`), or for each such number up to a most, which derives
//! exactly the heaps that have it. This is the product of the grammar with the heap automaton whose
//! states are these relations or numbers: a rule with a variant for each of its hyperedges is a
//! rule of the variant that comes of it.
//!
//! It ends: there are finitely many states. Heaps of all variants together are those of the
//! nonterminal, by induction over derivations.
//!
//! Source: C. Jansen et al., Unified reasoning about robustness properties of symbolic-heap
//! separation logic (ESOP 2017), for heap automata and refinement.

use super::check::check;
use super::{Grammar, Nonterminal, Shape};
use crate::graph::{Heap, Hyperedge, NonterminalId, ObjectId, SelectorId, null};
use tern_model::budget::{Limit, Meter};
use tern_model::index::{Id, Table};

/// For each tentacle what is reached from it inside: `null`, then the tentacles.
type Relation = Vec<Vec<bool>>;

/// How many variants there may be.
const MOST_VARIANTS: usize = 48;

/// How many rules there may be.
const MOST_RULES: usize = 400;

/// What variants are told apart by.
#[derive(Clone, Copy, Debug)]
pub enum Quality<'a> {
    /// What is reached by some selectors.
    Reached(&'a [SelectorId]),
    /// How many objects there are inside, up to a number that stands for all larger ones.
    Size(usize),
}

/// What is the same for all heaps of a variant: a relation, or a number of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Reached(Relation),
    Size(usize),
}

/// What a nonterminal of a refined grammar is a variant of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// The name of the nonterminal.
    pub of: String,
    /// For each rule the number of the rule of that nonterminal, and the names of the variants that
    /// its hyperedges are.
    pub rules: Vec<(usize, Vec<String>)>,
}

/// For each nonterminal the states of its variants.
struct Variants<'g> {
    grammar: &'g Grammar,
    quality: Quality<'g>,
    states: Vec<Vec<State>>,
}

/// The grammar refined by a quality. Nothing if no nonterminal has several variants, or if there
/// are too many.
///
/// # Errors
/// The limit that was reached.
pub fn refined(
    grammar: &Grammar,
    quality: Quality<'_>,
    meter: &mut Meter<'_>,
) -> Result<Option<Grammar>, Limit> {
    let states = vec![Vec::new(); grammar.nonterminals.len()];
    let mut variants = Variants { grammar, quality, states };
    if !variants.find(meter)? || variants.states.iter().all(|it| it.len() <= 1) {
        return Ok(None);
    }
    let (mut made, mut said): (Vec<Nonterminal>, Vec<Variant>) = Default::default();
    for ((label, nonterminal), states) in grammar.nonterminals.iter().zip(&variants.states) {
        for number in 0..states.len() {
            let (name, of) = (variants.name(label, number), nonterminal.name.clone());
            let tentacles = nonterminal.tentacles.clone();
            made.push(Nonterminal { name: name.clone(), tentacles, rules: Vec::new() });
            said.push(Variant { name, of, rules: Vec::new() });
        }
    }
    for (label, nonterminal) in grammar.nonterminals.iter() {
        for (rule_number, rule) in nonterminal.rules.iter().enumerate() {
            for chosen in variants.choices(rule) {
                meter.tick()?;
                let state = variants.state(rule, &chosen);
                let known = variants.states[label.index()].iter();
                let number = known.clone().position(|it| *it == state).unwrap_or(0);
                let variant = variants.label(label, number).index();
                made[variant].rules.push(variants.relabelled(rule, &chosen));
                let inner = rule.edges().iter().zip(&chosen);
                let inner = inner.map(|(edge, &it)| variants.name(edge.label, it)).collect();
                said[variant].rules.push((rule_number, inner));
            }
        }
    }
    if made.iter().map(|it| it.rules.len()).sum::<usize>() > MOST_RULES {
        return Ok(None);
    }
    let mut nonterminals = Table::new();
    for nonterminal in made {
        nonterminals.push(nonterminal);
    }
    let shapes = grammar.shapes.iter().map(|shape| {
        let heaps = shape.heaps.iter().flat_map(|heap| {
            let chosen = variants.choices(heap);
            chosen.iter().map(|it| variants.relabelled(heap, it)).collect::<Vec<_>>()
        });
        Shape { name: shape.name.clone(), kind: shape.kind, heaps: heaps.collect() }
    });
    let mut refinements = grammar.refinements.clone();
    refinements.push(said);
    let mut refined = Grammar {
        types: grammar.types.clone(),
        nonterminals,
        shapes: shapes.collect(),
        refinements,
        ..Grammar::default()
    };
    let flaws = check(&mut refined, meter)?;
    Ok(flaws.is_empty().then_some(refined))
}

impl Variants<'_> {
    /// The name of a variant. One is called as the nonterminal is.
    fn name(&self, label: NonterminalId, number: usize) -> String {
        let name = &self.grammar.nonterminals[label].name;
        match number {
            0 => name.clone(),
            _ => format!("{name}#{number}"),
        }
    }

    /// Finds all states that derived heaps have; whether they are few enough.
    fn find(&mut self, meter: &mut Meter<'_>) -> Result<bool, Limit> {
        loop {
            let mut changed = false;
            for (label, nonterminal) in self.grammar.nonterminals.iter() {
                for rule in &nonterminal.rules {
                    for chosen in self.choices(rule) {
                        meter.tick()?;
                        let state = self.state(rule, &chosen);
                        if !self.states[label.index()].contains(&state) {
                            self.states[label.index()].push(state);
                            changed = true;
                        }
                    }
                }
            }
            if self.states.iter().map(Vec::len).sum::<usize>() > MOST_VARIANTS {
                return Ok(false);
            }
            if !changed {
                return Ok(true);
            }
        }
    }

    /// All ways to give each hyperedge of a heap a variant.
    fn choices(&self, heap: &Heap) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new()];
        for edge in heap.edges() {
            let count = self.states[edge.label.index()].len();
            let with = |chosen: &Vec<usize>| {
                let chosen = chosen.clone();
                (0..count).map(move |it| [&chosen[..], &[it]].concat())
            };
            all = all.iter().flat_map(with).collect();
        }
        all
    }

    /// The state of what a rule derives, if its hyperedges have some variants.
    fn state(&self, rule: &Heap, chosen: &[usize]) -> State {
        let selectors = match self.quality {
            Quality::Reached(selectors) => selectors,
            Quality::Size(most) => return State::Size(self.size(rule, chosen).min(most)),
        };
        let rows = rule.externals().iter().map(|&external| {
            let reached = self.reached(rule, chosen, selectors, external);
            let ends = std::iter::once(null()).chain(rule.externals().iter().copied());
            ends.map(|it| reached[it.index()]).collect()
        });
        State::Reached(rows.collect())
    }

    /// How many objects there are inside of what a rule derives, at least.
    fn size(&self, rule: &Heap, chosen: &[usize]) -> usize {
        let inside = |it: &ObjectId| *it != null() && !rule.externals().contains(it);
        let edges = rule.edges().iter().zip(chosen);
        let sizes = edges.map(|(edge, &it)| match self.states[edge.label.index()][it] {
            State::Size(size) => size,
            State::Reached(_) => 0,
        });
        rule.objects().filter(inside).count() + sizes.sum::<usize>()
    }

    fn reached(
        &self,
        rule: &Heap,
        chosen: &[usize],
        selectors: &[SelectorId],
        from: ObjectId,
    ) -> Vec<bool> {
        let mut reached = vec![false; rule.len()];
        let mut open = vec![from];
        while let Some(object) = open.pop() {
            if std::mem::replace(&mut reached[object.index()], true) || object == null() {
                continue;
            }
            let fields = rule.fields(object).iter();
            open.extend(fields.filter(|it| selectors.contains(&it.0)).map(|it| it.1));
            for (Hyperedge { label, at }, &variant) in rule.edges().iter().zip(chosen) {
                let State::Reached(relation) = &self.states[label.index()][variant] else {
                    continue;
                };
                for (_, row) in at.iter().zip(relation).filter(|(it, _)| **it == object) {
                    let ends = std::iter::once(&null()).chain(&**at).copied().collect::<Vec<_>>();
                    open.extend(ends.into_iter().zip(row).filter(|it| *it.1).map(|it| it.0));
                }
            }
        }
        reached
    }

    /// The number of a variant among all nonterminals of the refined grammar.
    fn label(&self, label: NonterminalId, variant: usize) -> NonterminalId {
        let before = self.states[..label.index()].iter().map(Vec::len).sum::<usize>();
        NonterminalId::new(before + variant)
    }

    /// The same heap with variants in place of nonterminals.
    fn relabelled(&self, heap: &Heap, chosen: &[usize]) -> Heap {
        let mut new = heap.clone();
        let edges: Vec<Hyperedge> =
            (0..heap.edges().len()).rev().map(|edge| new.remove_edge(edge)).collect();
        for (edge, &variant) in edges.into_iter().rev().zip(chosen) {
            new.add_edge(self.label(edge.label, variant), edge.at);
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regions::Regions;
    use crate::text::add_builtin;
    use tern_model::{Budget, Tri};

    /// In the refined grammar it is known of every hyperedge what is reached, and the heaps of a
    /// shape are the same as before.
    #[test]
    fn variants_know_what_is_reached() {
        let mut grammar = Grammar::default();
        let kind = grammar.types.add_kind("T");
        let left = grammar.types.add_selector(kind, "left", kind);
        grammar.types.add_selector(kind, "right", kind);
        add_builtin(&mut grammar, "Tree", "T", &["left", "right"]).expect("it is built in");
        let budget = Budget::unlimited();
        let meter = &mut Meter::new(&budget);
        assert_eq!(check(&mut grammar, meter).expect("no limits"), []);
        let refined = super::refined(&grammar, Quality::Reached(&[left]), meter)
            .expect("no limits")
            .expect("it differs");
        let regions = Regions::new(&refined, vec![left]);
        for (label, nonterminal) in refined.nonterminals.iter() {
            let mut heap = Heap::default();
            let at: Vec<ObjectId> =
                nonterminal.tentacles.iter().map(|it| heap.add_object(it.kind)).collect();
            heap.add_edge(label, at.clone());
            for (&from, &to) in at.iter().flat_map(|a| at.iter().map(move |b| (a, b))) {
                assert_ne!(regions.reaches(&heap, from, to), Tri::Unknown, "{nonterminal:?}");
            }
        }
        let members = |grammar: &Grammar, meter: &mut Meter<'_>| {
            let mut all = std::collections::BTreeSet::new();
            for heap in &grammar.shapes[0].heaps {
                all.extend(
                    super::super::check::derived(grammar, heap, 4, meter).expect("no limits"),
                );
            }
            all
        };
        assert_eq!(members(&grammar, meter), members(&refined, meter));
        let by_size = super::refined(&grammar, Quality::Size(2), meter).expect("no limits");
        let by_size = by_size.expect("it differs");
        assert_eq!(members(&grammar, meter), members(&by_size, meter));
        assert!(by_size.nonterminals.len() > grammar.nonterminals.len());
    }
}

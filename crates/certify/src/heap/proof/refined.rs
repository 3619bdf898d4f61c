//! Grammars in which nonterminals have variants.
//!
//! A variant has rules of its nonterminal, with variants in place of the nonterminals that their
//! hyperedges are. If each rule with each choice of variants is a rule of some variant, what a
//! nonterminal stands for is what its variants stand for together, by induction over derivations:
//! they leave nothing out, and without what tells them apart their rules are those of the
//! nonterminal. So a shape is what it is with each choice of variants in its graphs.

use super::super::shapes::{Graph, Nonterminal, Rules};
use super::super::{NoRun, refused};
use std::collections::{BTreeMap, BTreeSet};

/// A variant of a nonterminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// The name of the nonterminal.
    pub of: String,
    /// For each rule the number of the rule of that nonterminal, and the variants that its
    /// hyperedges are.
    pub rules: Vec<(usize, Vec<String>)>,
}

/// How many choices of variants there may be for one graph, and for those of a shape.
const MOST_CHOICES: usize = 4_000;

/// The grammar with variants in place of nonterminals.
///
/// # Errors
/// Why the variants are not those of the grammar.
pub fn refined(rules: &Rules, variants: &[Variant]) -> Result<Rules, NoRun> {
    let mut of: BTreeMap<&str, Vec<&Variant>> = BTreeMap::new();
    let mut nonterminals = BTreeMap::new();
    for variant in variants {
        let Some(whole) = rules.nonterminals.get(&variant.of) else {
            return refused("a nonterminal has variants that is not there");
        };
        of.entry(&variant.of).or_default().push(variant);
        let mut made = Vec::new();
        for (number, chosen) in &variant.rules {
            let Some(rule) = whole.rules.get(*number) else {
                return refused("a variant has a rule that its nonterminal has not");
            };
            let chosen: Vec<&str> = chosen.iter().map(String::as_str).collect();
            made.push(with(rule, &chosen));
        }
        let tentacles = whole.tentacles.clone();
        let made = Nonterminal { tentacles, rules: made };
        if nonterminals.insert(variant.name.clone(), made).is_some() {
            return refused("two variants have one name");
        }
    }
    for (name, nonterminal) in &rules.nonterminals {
        let own = of.get(name.as_str()).map_or(&[][..], Vec::as_slice);
        let mut said: BTreeSet<(usize, Vec<&str>)> = BTreeSet::new();
        for (number, chosen) in own.iter().flat_map(|it| &it.rules) {
            said.insert((*number, chosen.iter().map(String::as_str).collect()));
        }
        let mut needed = 0;
        for (number, rule) in nonterminal.rules.iter().enumerate() {
            for chosen in choices(&of, rule)? {
                needed += 1;
                if !said.contains(&(number, chosen)) {
                    return refused("a rule with some variants belongs to none");
                }
            }
        }
        // Whatever else is said chooses something that is no variant of what stands there.
        if needed != said.len() {
            return refused("a rule has variants of something else");
        }
    }
    let mut shapes = BTreeMap::new();
    for (name, graphs) in &rules.shapes {
        let mut made = Vec::new();
        for graph in graphs {
            made.extend(choices(&of, graph)?.iter().map(|chosen| with(graph, chosen)));
            // One refinement after the other might multiply them.
            if made.len() > MOST_CHOICES {
                return refused("there are too many variants");
            }
        }
        shapes.insert(name.clone(), made);
    }
    Ok(Rules { nonterminals, shapes })
}

/// The grammar with more nonterminals. What heaps stand for that have none of these is as it was;
/// the others stand for what their rules say, which is looked at as that of all rules.
///
/// # Errors
/// If there is one of that name.
pub fn extended(rules: &Rules, more: &BTreeMap<String, Nonterminal>) -> Result<Rules, NoRun> {
    let mut rules = rules.clone();
    for (name, nonterminal) in more {
        if rules.nonterminals.insert(name.clone(), nonterminal.clone()).is_some() {
            return refused("a nonterminal is there already");
        }
    }
    Ok(rules)
}

/// All ways to choose variants for the hyperedges of a graph.
fn choices<'a>(
    of: &BTreeMap<&str, Vec<&'a Variant>>,
    graph: &Graph,
) -> Result<Vec<Vec<&'a str>>, NoRun> {
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    for (label, _) in &graph.edges {
        let variants = of.get(label.as_str()).map_or(&[][..], Vec::as_slice);
        if all.len() * variants.len() > MOST_CHOICES {
            return refused("there are too many variants");
        }
        let more = |chosen: &Vec<&'a str>| {
            let chosen = chosen.clone();
            variants.iter().map(move |it| [&chosen[..], &[it.name.as_str()]].concat())
        };
        all = all.iter().flat_map(more).collect();
    }
    Ok(all)
}

/// A graph with other names at its hyperedges.
fn with(graph: &Graph, names: &[&str]) -> Graph {
    let edges = graph.edges.iter().zip(names);
    let edges = edges.map(|((_, at), name)| ((*name).to_owned(), at.clone())).collect();
    Graph { edges, ..graph.clone() }
}

//! What a grammar must be before it is used.
//!
//! * Each rule gives its externals exactly the selectors that their tentacles provide, and each of
//!   its other objects every selector of its type, all of them once. What tentacles provide is the
//!   least that explains all rules.
//! * A tentacle that may be `null` provides nothing. Each nonterminal provides something.
//! * A rule without fields has at least two hyperedges, so that abstraction ends.
//! * Each object and hyperedge of a rule can be reached from an external.
//! * Every nonterminal derives a heap without hyperedges (*productivity*).
//! * *Local concretisability*: for each selector that a tentacle provides, the rules that give it
//!   at once derive all that the nonterminal derives. This is shown by induction over derivations:
//!   take another rule, and in it the hyperedge that provides the selector. By induction what this
//!   derives is derived by its rules that give the selector at once. With each of these in its
//!   place, a heap comes about in which rules can be folded, away from the external, until a rule
//!   of the nonterminal is left that gives the selector at once. All ways to fold are tried.
//! * *Confluence* (wanted, not needed): whichever rules are folded first, the normal form is the
//!   same. That is looked at when somebody asks ([`Grammar::confluence`]).

use super::{Grammar, replace};
use crate::abstraction::{leads_from, reachable};
use crate::canonical::{Externals, canonical, into_canonical};
use crate::embed::{Finder, fold};
use crate::graph::{Heap, NonterminalId, SelectorId};
use crate::traced::Traced;
use std::collections::{BTreeSet, VecDeque};
use tern_model::budget::{Limit, Meter};
use tern_model::index::Id;

/// Something that is wrong with a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The nonterminal, and its rule if it is one, from 0.
    pub of: (NonterminalId, Option<usize>),
    /// What is wrong.
    pub what: String,
}

/// How many heaps are looked at for one case of local concretisability.
const MOST_FOLDED: usize = 2_000;

/// Finds what tentacles provide, and all flaws.
///
/// # Errors
/// The limit that was reached.
pub fn check(grammar: &mut Grammar, meter: &mut Meter<'_>) -> Result<Vec<Flaw>, Limit> {
    find_provided(grammar);
    let mut flaws = Vec::new();
    for (label, nonterminal) in grammar.nonterminals.iter() {
        if nonterminal.tentacles.iter().all(|tentacle| tentacle.provides.is_empty()) {
            flaws.push(Flaw { of: (label, None), what: "it provides no field".to_owned() });
        }
        for (number, rule) in nonterminal.rules.iter().enumerate() {
            let of = (label, Some(number));
            flaws.extend(rule_flaws(grammar, label, rule).map(|what| Flaw { of, what }));
        }
    }
    let productive = productive(grammar);
    for label in grammar.nonterminals.ids() {
        if !productive[label.index()] {
            let what = "no heap can be derived: each rule needs another one for ever".to_owned();
            flaws.push(Flaw { of: (label, None), what });
        }
    }
    if flaws.is_empty() {
        for label in grammar.nonterminals.ids() {
            local_flaws(grammar, label, &mut flaws, meter)?;
        }
    }
    if flaws.is_empty() {
        grammar.reaches_all = reaches_all(grammar);
    }
    Ok(flaws)
}

/// Computes which selectors each tentacle provides: the least that explains all rules.
fn find_provided(grammar: &mut Grammar) {
    loop {
        let mut more: Vec<(NonterminalId, usize, SelectorId)> = Vec::new();
        for (label, nonterminal) in grammar.nonterminals.iter() {
            for rule in &nonterminal.rules {
                for (tentacle, &external) in rule.externals().iter().enumerate() {
                    let fields = rule.fields(external).iter().map(|&(selector, _)| selector);
                    let nested = rule.edges().iter().flat_map(|edge| {
                        let tentacles = &grammar.nonterminals[edge.label].tentacles;
                        let here = edge.at.iter().zip(tentacles).filter(|&(&at, _)| at == external);
                        here.flat_map(|(_, it)| it.provides.iter().copied())
                    });
                    let known = &nonterminal.tentacles[tentacle].provides;
                    let new = fields.chain(nested).filter(|selector| !known.contains(selector));
                    more.extend(new.map(|selector| (label, tentacle, selector)));
                }
            }
        }
        if more.is_empty() {
            return;
        }
        for (label, tentacle, selector) in more {
            let provides = &mut grammar.nonterminals[label].tentacles[tentacle].provides;
            if let Err(at) = provides.binary_search(&selector) {
                provides.insert(at, selector);
            }
        }
    }
}

fn rule_flaws(
    grammar: &Grammar,
    label: NonterminalId,
    rule: &Heap,
) -> impl Iterator<Item = String> {
    let tentacles = &grammar.nonterminals[label].tentacles;
    let mut flaws = Vec::new();
    // A rule is complete if its externals have what their tentacles do not provide from elsewhere.
    let mut whole = rule.clone();
    for (tentacle, &external) in tentacles.iter().zip(rule.externals()) {
        for &selector in &grammar.types.kinds[tentacle.kind].selectors {
            if !tentacle.provides.contains(&selector)
                && whole.set_field(external, selector, crate::graph::null()).is_some()
            {
                flaws
                    .push("an external gets a field that its tentacle does not provide".to_owned());
            }
        }
        if tentacle.nullable && !tentacle.provides.is_empty() {
            flaws.push(format!("`{}` may be null, but gets fields", tentacle.name));
        }
    }
    if !grammar.check_provided(&whole) {
        flaws.push("a field of an object is missing or given twice".to_owned());
    }
    let fields: usize = rule.objects().map(|object| rule.fields(object).len()).sum();
    if fields == 0 && rule.edges().len() < 2 {
        flaws.push("a rule without fields needs two hyperedges".to_owned());
    }
    let reached = reachable(grammar, rule, rule.externals().iter().copied());
    let stray =
        |edge| !rule.objects().any(|it| reached[it.index()] && leads_from(grammar, edge, it));
    if reached.contains(&false) || rule.edges().iter().any(stray) {
        flaws.push("a part of it cannot be reached from its externals".to_owned());
    }
    flaws.into_iter()
}

/// Whether from each external that gets fields all of each rule is reached, if that is so of the
/// hyperedges in it: then it is so, by induction over derivations.
fn reaches_all(grammar: &Grammar) -> bool {
    grammar.nonterminals.as_slice().iter().all(|nonterminal| {
        let providing = |it: &(usize, &super::Tentacle)| !it.1.provides.is_empty();
        nonterminal.tentacles.iter().enumerate().filter(providing).all(|(tentacle, _)| {
            nonterminal.rules.iter().all(|rule| {
                let reached = reachable(grammar, rule, [rule.externals()[tentacle]]);
                let leads = |edge| {
                    rule.objects().any(|it| reached[it.index()] && leads_from(grammar, edge, it))
                };
                !reached.contains(&false) && rule.edges().iter().all(leads)
            })
        })
    })
}

/// Which nonterminals derive a heap.
fn productive(grammar: &Grammar) -> Vec<bool> {
    let mut known = vec![false; grammar.nonterminals.len()];
    loop {
        let derives = |rule: &Heap| rule.edges().iter().all(|edge| known[edge.label.index()]);
        let new = grammar.nonterminals.iter().find(|(label, nonterminal)| {
            !known[label.index()] && nonterminal.rules.iter().any(derives)
        });
        match new {
            Some((label, _)) => known[label.index()] = true,
            None => return known,
        }
    }
}

fn local_flaws(
    grammar: &Grammar,
    label: NonterminalId,
    flaws: &mut Vec<Flaw>,
    meter: &mut Meter<'_>,
) -> Result<(), Limit> {
    let nonterminal = &grammar.nonterminals[label];
    for (number, tentacle) in nonterminal.tentacles.iter().enumerate() {
        for &selector in &tentacle.provides {
            let wanted: BTreeSet<Heap> = grammar
                .rules_giving(label, number, selector)
                .map(|rule| canonical(rule, Externals::Ordered).heap)
                .collect();
            for (position, rule) in nonterminal.rules.iter().enumerate() {
                let external = rule.externals()[number];
                if rule.field(external, selector).is_some() {
                    continue;
                }
                let rule = Traced::new(rule);
                let cases = grammar.concretised(&rule, external, selector).unwrap_or_default();
                let mut covered = !cases.is_empty();
                for case in cases {
                    covered &= folds_to(grammar, &case, number, &wanted, meter)?;
                }
                if !covered {
                    let field = &grammar.types.selectors[selector].name;
                    let what = format!(
                        "it derives more at `{}.{field}` than the rules that give this field at once",
                        tentacle.name
                    );
                    flaws.push(Flaw { of: (label, Some(position)), what });
                }
            }
        }
    }
    Ok(())
}

/// Whether a heap can be folded, away from one external, to one of some heaps.
fn folds_to(
    grammar: &Grammar,
    heap: &Traced,
    external: usize,
    wanted: &BTreeSet<Heap>,
    meter: &mut Meter<'_>,
) -> Result<bool, Limit> {
    let protect = |heap: &Heap| {
        let mut protected = vec![false; heap.len()];
        protected[heap.externals()[external].index()] = true;
        protected
    };
    let mut found = false;
    all_folded(grammar, heap, protect, MOST_FOLDED, meter, |heap| {
        found |= wanted.contains(heap);
        found
    })?;
    Ok(found)
}

/// Goes through all heaps that a heap can be folded to, itself included, until `visit` says that it
/// is enough. Whether all were seen or it was enough; if not, there were too many.
pub(crate) fn all_folded(
    grammar: &Grammar,
    heap: &Traced,
    protect: impl Fn(&Heap) -> Vec<bool>,
    most: usize,
    meter: &mut Meter<'_>,
    mut visit: impl FnMut(&Heap) -> bool,
) -> Result<bool, Limit> {
    let first = canonical(heap.heap(), Externals::Ordered).heap;
    let mut seen = BTreeSet::from([first.clone()]);
    let mut open = VecDeque::from([first]);
    while let Some(heap) = open.pop_front() {
        meter.tick()?;
        if visit(&heap) {
            return Ok(true);
        }
        if seen.len() > most {
            return Ok(false);
        }
        let protected = protect(&heap);
        let finder = Finder::new(grammar, &heap, &protected, false);
        for (label, nonterminal) in grammar.nonterminals.iter() {
            for rule in &nonterminal.rules {
                for found in finder.occurrences(label, rule) {
                    let mut next = Traced::new(&heap);
                    fold(&mut next, label, rule, &found);
                    let next = canonical(next.heap(), Externals::Ordered).heap;
                    if seen.insert(next.clone()) {
                        open.push_back(next);
                    }
                }
            }
        }
    }
    Ok(true)
}

/// All concrete heaps that a heap derives with at most so many objects beside `null`, each once,
/// the smallest first.
///
/// # Errors
/// The limit that was reached.
pub fn derived(
    grammar: &Grammar,
    heap: &Heap,
    most: usize,
    meter: &mut Meter<'_>,
) -> Result<Vec<Heap>, Limit> {
    let mut seen = BTreeSet::from([canonical(heap, Externals::Ordered).heap]);
    let mut open: Vec<Heap> = seen.iter().cloned().collect();
    let mut found = Vec::new();
    while let Some(heap) = open.pop() {
        meter.tick()?;
        if heap.len() > most + 1 {
            continue;
        }
        let Some(edge) = heap.edges().first() else {
            found.push(heap);
            continue;
        };
        for rule in &grammar.nonterminals[edge.label].rules {
            let mut next = heap.clone();
            replace(&mut next, 0, rule);
            let next = into_canonical(next, Externals::Ordered).heap;
            if next.len() <= most + 1 && seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    found.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    Ok(found)
}

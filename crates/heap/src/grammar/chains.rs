//! A grammar with chains: what programs make of structures by mistake.
//!
//! A method that forgets the pointers back of a doubly linked list, or lets both fields of an
//! object of a tree lead to the same, leaves heaps that no rule of the grammar describes; they
//! cannot be folded, and there is no end of them. Often they are chains: objects of which some
//! fields lead to the next one, and the others are `null`. With a nonterminal for each such set of
//! fields these are folded, too. Whatever a nonterminal stands for, heaps that are folded by it
//! stand for at least the same.

use super::check::check;
use super::{Grammar, Nonterminal, Tentacle};
use crate::graph::{Heap, NonterminalId, SelectorId, TypeId, null};
use tern_model::budget::{Limit, Meter};
use tern_model::index::Id;

/// Types with more fields have too many sets of these.
const MOST_FIELDS: usize = 3;

/// The grammar with chains of all types that have several fields to their own kind. Nothing if
/// there are none, or if it would not be sound.
///
/// # Errors
/// The limit that was reached.
pub fn with_chains(grammar: &Grammar, meter: &mut Meter<'_>) -> Result<Option<Grammar>, Limit> {
    let mut more = grammar.clone();
    for (kind, it) in grammar.types.kinds.iter() {
        let own = it.selectors.iter().filter(|it| grammar.types.selectors[**it].to == kind);
        let own: Vec<SelectorId> = own.copied().collect();
        if !(2..=MOST_FIELDS).contains(&own.len()) {
            continue;
        }
        for set in 1..1_usize << own.len() {
            let some = |number: &usize| set >> number & 1 == 1;
            let taken: Vec<SelectorId> = (0..own.len()).filter(some).map(|it| own[it]).collect();
            let label = NonterminalId::new(more.nonterminals.len());
            let chain = chain(grammar, kind, &taken, label);
            more.nonterminals.push(chain);
        }
    }
    if more.nonterminals.len() == grammar.nonterminals.len() {
        return Ok(None);
    }
    let flaws = check(&mut more, meter)?;
    Ok(flaws.is_empty().then_some(more))
}

/// Objects of which some fields lead to the next, and all others are `null`.
fn chain(
    grammar: &Grammar,
    kind: TypeId,
    taken: &[SelectorId],
    label: NonterminalId,
) -> Nonterminal {
    let types = &grammar.types;
    let names: Vec<&str> = taken.iter().map(|it| &*types.selectors[*it].name).collect();
    let link = |rule: &mut Heap, from, to| {
        for &selector in &types.kinds[kind].selectors {
            rule.set_field(from, selector, if taken.contains(&selector) { to } else { null() });
        }
    };
    let rule = |inner: usize, links: bool| {
        let mut rule = Heap::default();
        let [first, last] = [0, 1].map(|_| rule.add_object(kind));
        let between = (0..inner).map(|_| rule.add_object(kind)).last().unwrap_or(last);
        match links {
            true => link(&mut rule, first, between),
            false => rule.add_edge(label, [first, between]),
        }
        if between != last {
            rule.add_edge(label, [between, last]);
        }
        rule.set_externals(vec![first, last]);
        rule
    };
    let tentacle = |name: &str, nullable: bool| Tentacle {
        name: name.to_owned(),
        kind,
        nullable,
        provides: Vec::new(),
    };
    Nonterminal {
        name: format!("{}#{}", types.kinds[kind].name, names.join("#")),
        tentacles: vec![tentacle("a", false), tentacle("b", true)],
        rules: vec![rule(0, true), rule(1, true), rule(1, false)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::add_builtin;
    use tern_model::Budget;

    #[test]
    fn each_set_of_fields_has_a_chain() {
        let mut grammar = Grammar::default();
        let kind = grammar.types.add_kind("D");
        grammar.types.add_selector(kind, "next", kind);
        grammar.types.add_selector(kind, "prev", kind);
        add_builtin(&mut grammar, "DLL", "D", &["next", "prev"]).expect("it is built in");
        let budget = Budget::unlimited();
        let meter = &mut Meter::new(&budget);
        let more = with_chains(&grammar, meter).expect("no limits").expect("it is sound");
        let names: Vec<&str> = more.nonterminals.iter().map(|(_, it)| &*it.name).collect();
        assert_eq!(names, ["DLL", "D#next", "D#prev", "D#next#prev"]);
        let mut lists = Grammar::default();
        let kind = lists.types.add_kind("Node");
        lists.types.add_selector(kind, "next", kind);
        assert!(with_chains(&lists, meter).expect("no limits").is_none(), "these are lists");
    }
}

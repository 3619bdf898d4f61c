//! Whether every heap has one normal form, by critical pairs.
//!
//! Folding ends, so it is confluent if it is locally so. Two folds that share no field and no
//! hyperedge can be done one after the other: an object that vanishes has all that touches it in
//! its own rule. So it is enough to look at heaps that are two rules laid over each other with a
//! part in common (*critical pairs*), and in which the objects that neither rule takes away are
//! external, for more may be attached there: in each the two folds must be followed by others to
//! the same heap, with the same externals. As externals of a rule may be one object or `null`, so
//! may those of a pair: all ways to identify objects that stay are tried.
//!
//! Source: D. Plump, Confluence of graph transformation revisited (2005): strong joinability of
//! critical pairs suffices.

use super::Grammar;
use super::check::all_folded;
use crate::canonical::{Externals, canonical};
use crate::embed::{Embedding, fold};
use crate::graph::{Heap, NonterminalId, ObjectId, SelectorId, null};
use crate::traced::Traced;
use std::collections::BTreeSet;
use tern_model::budget::{Limit, Meter};
use tern_model::index::Id;

/// How many heaps are looked at on each side of a pair, and how many pairs in all, before it is
/// given up: then the grammar counts as not confluent.
const MOST_FOLDED: usize = 400;
const MOST_PAIRS: usize = 60_000;

type Rule<'g> = (NonterminalId, &'g Heap);

/// Whether each heap has one normal form only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confluence {
    /// It has.
    Confluent,
    /// A heap in which two rules can be folded, and what comes of it cannot be folded to the same.
    Split {
        /// The heap.
        heap: Heap,
        /// The two rules: nonterminal, and number from 0.
        rules: [(NonterminalId, usize); 2],
    },
    /// There are too many ways to lay rules over each other.
    TooMany,
}

/// Whether the grammar is confluent.
pub(super) fn confluence(grammar: &Grammar, meter: &mut Meter<'_>) -> Result<Confluence, Limit> {
    let rules: Vec<(Rule<'_>, usize)> = grammar
        .nonterminals
        .iter()
        .flat_map(|(label, it)| it.rules.iter().map(move |rule| (label, rule)).zip(0..))
        .collect();
    let mut left = MOST_PAIRS;
    for (i, &(one, first)) in rules.iter().enumerate() {
        for &(two, second) in &rules[i..] {
            for shared in overlaps(one.1, two.1) {
                for pair in pairs(grammar, one, two, &shared) {
                    meter.tick()?;
                    let Some(fewer) = left.checked_sub(1) else { return Ok(Confluence::TooMany) };
                    left = fewer;
                    if !is_joined(grammar, one, two, &pair, meter)? {
                        let rules = [(one.0, first), (two.0, second)];
                        return Ok(Confluence::Split { heap: pair.heap, rules });
                    }
                }
            }
        }
    }
    Ok(Confluence::Confluent)
}

/// A part of a rule: a field or a hyperedge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Item {
    Field(ObjectId, SelectorId),
    Edge(usize),
}

fn items(rule: &Heap) -> Vec<Item> {
    let fields = rule.objects().flat_map(|object| {
        rule.fields(object).iter().map(move |&(selector, _)| Item::Field(object, selector))
    });
    fields.chain((0..rule.edges().len()).map(Item::Edge)).collect()
}

/// The objects at a part, in order.
fn ends(rule: &Heap, item: Item) -> Vec<ObjectId> {
    match item {
        Item::Field(object, selector) => {
            let to = rule.field(object, selector);
            [Some(object), to].into_iter().flatten().collect()
        }
        Item::Edge(edge) => rule.edges()[edge].at.to_vec(),
    }
}

fn same_kind(one: &Heap, a: Item, two: &Heap, b: Item) -> bool {
    match (a, b) {
        (Item::Field(_, a), Item::Field(_, b)) => a == b,
        (Item::Edge(a), Item::Edge(b)) => one.edges()[a].label == two.edges()[b].label,
        _ => false,
    }
}

/// All ways to share at least one part: pairs of parts, each part at most once.
fn overlaps(one: &Heap, two: &Heap) -> Vec<Vec<(Item, Item)>> {
    let mut all: Vec<Vec<(Item, Item)>> = vec![Vec::new()];
    for a in items(one) {
        for at in 0..all.len() {
            for b in items(two) {
                if same_kind(one, a, two, b) && all[at].iter().all(|&(_, used)| used != b) {
                    let mut more = all[at].clone();
                    more.push((a, b));
                    all.push(more);
                }
            }
        }
    }
    all.retain(|shared| !shared.is_empty());
    all
}

/// Two rules laid over each other.
struct Pair {
    heap: Heap,
    one: Embedding,
    two: Embedding,
}

/// All heaps that are two rules laid over each other with the shared parts, and with any objects
/// identified that stay.
fn pairs(grammar: &Grammar, one: Rule<'_>, two: Rule<'_>, shared: &[(Item, Item)]) -> Vec<Pair> {
    // Objects of the first rule, then those of the second; `null` is 0 in both.
    let offset = one.1.len();
    let mut class: Vec<usize> = (0..offset + two.1.len()).collect();
    class[offset] = 0;
    for &(a, b) in shared {
        for (x, y) in ends(one.1, a).into_iter().zip(ends(two.1, b)) {
            merge(&mut class, x.index(), offset + y.index());
        }
    }
    let mut all = Vec::new();
    let mut open = vec![(class, 0)];
    while let Some((class, from)) = open.pop() {
        // Identify one more pair of classes, later ones than before.
        let roots: Vec<usize> = (0..class.len()).filter(|&it| class[it] == it).collect();
        let choices: Vec<(usize, usize)> = roots
            .iter()
            .enumerate()
            .flat_map(|(i, &a)| roots[i + 1..].iter().map(move |&b| (a, b)))
            .filter(|&(a, b)| stays(one.1, two.1, &class, a) && stays(one.1, two.1, &class, b))
            .collect();
        for &(a, b) in choices.iter().filter(|&&(_, b)| b >= from) {
            let mut next = class.clone();
            merge(&mut next, a, b);
            open.push((next, b + 1));
        }
        all.extend(laid_over(grammar, one, two, shared, &class));
    }
    all
}

fn merge(class: &mut [usize], a: usize, b: usize) {
    let (a, b) = (class[a].min(class[b]), class[a].max(class[b]));
    class.iter_mut().filter(|it| **it == b).for_each(|it| *it = a);
}

/// Whether all objects of a class are `null` or external in their rule.
fn stays(one: &Heap, two: &Heap, class: &[usize], of: usize) -> bool {
    let offset = one.len();
    (0..class.len()).filter(|&it| class[it] == of).all(|it| {
        let (rule, object) = if it < offset { (one, it) } else { (two, it - offset) };
        let object = ObjectId::new(object);
        object == null() || rule.externals().contains(&object)
    })
}

fn laid_over(
    grammar: &Grammar,
    one: Rule<'_>,
    two: Rule<'_>,
    shared: &[(Item, Item)],
    class: &[usize],
) -> Option<Pair> {
    let offset = one.1.len();
    let mut heap = Heap::default();
    let mut number: Vec<Option<ObjectId>> = vec![None; class.len()];
    number[0] = Some(null());
    let mut externals = Vec::new();
    for it in 1..class.len() {
        if class[it] != it {
            continue;
        }
        let kind = if it < offset {
            one.1.kind(ObjectId::new(it))
        } else {
            two.1.kind(ObjectId::new(it - offset))
        };
        let object = heap.add_object(kind?);
        number[it] = Some(object);
        if stays(one.1, two.1, class, it) {
            externals.push(object);
        }
    }
    heap.set_externals(externals);
    let image = |it: usize| number[class[it]];
    let mut edges = [vec![0; one.1.edges().len()], vec![0; two.1.edges().len()]];
    for (side, (rule, shift)) in [(one.1, 0), (two.1, offset)].into_iter().enumerate() {
        for item in items(rule) {
            let twin = shared.iter().find(|&&(_, b)| side == 1 && b == item).map(|&(a, _)| a);
            let at: Option<Vec<ObjectId>> =
                ends(rule, item).into_iter().map(|end| image(end.index() + shift)).collect();
            let at = at?;
            match (item, twin) {
                (Item::Field(..), None) if at[0] == null() => return None,
                (Item::Field(_, selector), None) => {
                    // Nothing has a field twice.
                    let before = heap.set_field(at[0], selector, at[1]);
                    before.map_or(Some(()), |_| None)?;
                }
                (Item::Edge(edge), None) => {
                    heap.add_edge(rule.edges()[edge].label, at);
                    edges[side][edge] = heap.edges().len() - 1;
                }
                (Item::Edge(edge), Some(Item::Edge(other))) => edges[1][edge] = edges[0][other],
                _ => {}
            }
        }
    }
    let objects = |from: usize, rule: &Heap| (0..rule.len()).map(|it| image(from + it)).collect();
    let (first, second): (Option<Vec<ObjectId>>, Option<Vec<ObjectId>>) =
        (objects(0, one.1), objects(offset, two.1));
    let [edges_one, edges_two] = edges;
    let pair = Pair {
        heap,
        one: Embedding { objects: first?, edges: edges_one },
        two: Embedding { objects: second?, edges: edges_two },
    };
    let nothing = vec![false; pair.heap.len()];
    let finder = crate::embed::Finder::new(grammar, &pair.heap, &nothing);
    let occurs =
        |(label, rule): Rule<'_>, it: &Embedding| finder.occurrences(label, rule).contains(it);
    (occurs(one, &pair.one) && occurs(two, &pair.two)).then_some(pair)
}

/// Whether both folds of a pair can be followed by others to the same heap.
fn is_joined(
    grammar: &Grammar,
    one: Rule<'_>,
    two: Rule<'_>,
    pair: &Pair,
    meter: &mut Meter<'_>,
) -> Result<bool, Limit> {
    let mut sides = Vec::new();
    for ((label, rule), found) in [(one, &pair.one), (two, &pair.two)] {
        let mut folded = Traced::new(&pair.heap);
        fold(&mut folded, label, rule, found);
        sides.push(folded);
    }
    let form = |heap: &Traced| canonical(heap.heap(), Externals::Ordered).heap;
    if form(&sides[0]) == form(&sides[1]) {
        return Ok(true);
    }
    let nothing = |heap: &Heap| vec![false; heap.len()];
    let mut reached = BTreeSet::new();
    all_folded(grammar, &sides[0], nothing, MOST_FOLDED, meter, |heap| {
        reached.insert(heap.clone());
        false
    })?;
    let mut joined = false;
    all_folded(grammar, &sides[1], nothing, MOST_FOLDED, meter, |heap| {
        joined |= reached.contains(heap);
        joined
    })?;
    Ok(joined)
}

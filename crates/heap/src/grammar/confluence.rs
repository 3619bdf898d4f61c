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
use crate::abstraction::{Kept, abstracted};
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
    let rules: Vec<Rule<'_>> = grammar
        .nonterminals
        .iter()
        .flat_map(|(label, it)| (0..it.rules.len()).map(move |number| (label, number)))
        .map(|(label, number)| Rule::new(grammar, label, number))
        .filter(Rule::is_found)
        .collect();
    let mut left = MOST_PAIRS;
    for (i, one) in rules.iter().enumerate() {
        for two in &rules[i..] {
            let both = Both::new(one, two);
            for overlap in both.overlaps() {
                for pair in both.pairs(&overlap) {
                    meter.tick()?;
                    let Some(fewer) = left.checked_sub(1) else { return Ok(Confluence::TooMany) };
                    left = fewer;
                    if !is_joined(grammar, &both, &pair, meter)? {
                        let rules = [one, two].map(|it| (it.label, it.number));
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
    Field(SelectorId),
    Edge(usize),
}

/// A rule, taken apart.
struct Rule<'g> {
    label: NonterminalId,
    number: usize,
    heap: &'g Heap,
    /// Its parts, with the objects at each.
    items: Vec<(Item, Vec<usize>)>,
    /// For each object whether a fold takes it away.
    is_inner: Vec<bool>,
    /// For each object whether it may be `null`.
    is_nullable: Vec<bool>,
}

impl<'g> Rule<'g> {
    fn new(grammar: &'g Grammar, label: NonterminalId, number: usize) -> Self {
        let heap = &grammar.nonterminals[label].rules[number];
        let fields = heap.objects().flat_map(|object| {
            let fields = heap.fields(object).iter();
            fields.map(move |&(it, to)| (Item::Field(it), vec![object.index(), to.index()]))
        });
        let edges = heap.edges().iter().enumerate().map(|(number, edge)| {
            (Item::Edge(number), edge.at.iter().map(|it| it.index()).collect())
        });
        let items = fields.chain(edges).collect();
        let (mut is_inner, mut is_nullable) = (vec![true; heap.len()], vec![false; heap.len()]);
        (is_inner[0], is_nullable[0]) = (false, true);
        let tentacles = &grammar.nonterminals[label].tentacles;
        for (external, tentacle) in heap.externals().iter().zip(tentacles) {
            is_inner[external.index()] = false;
            is_nullable[external.index()] = tentacle.nullable;
        }
        Rule { label, number, heap, items, is_inner, is_nullable }
    }

    /// Whether it occurs anywhere: an object at which nothing is has no image.
    fn is_found(&self) -> bool {
        (1..self.heap.len()).all(|it| self.items.iter().any(|(_, ends)| ends.contains(&it)))
    }
}

/// Two rules that are laid over each other. Objects of the first have their numbers, those of the
/// second come behind; `null` is there twice.
struct Both<'r, 'g> {
    one: &'r Rule<'g>,
    two: &'r Rule<'g>,
    /// Where the objects of the second begin.
    offset: usize,
    /// For each two objects, whether they cannot be the same.
    differ: Vec<bool>,
}

/// For each object the first one that is the same.
type Classes = Vec<usize>;

/// Parts that two rules share, one at least, and which objects are the same for that.
struct Overlap {
    /// Numbers of parts of the first and of the second rule.
    shared: Vec<(usize, usize)>,
    classes: Classes,
}

/// Two rules laid over each other.
struct Pair {
    heap: Heap,
    one: Embedding,
    two: Embedding,
}

impl<'r, 'g> Both<'r, 'g> {
    fn new(one: &'r Rule<'g>, two: &'r Rule<'g>) -> Self {
        let offset = one.heap.len();
        let mut both = Both { one, two, offset, differ: Vec::new() };
        let all = 0..both.len();
        let pairs = all.clone().flat_map(|a| all.clone().map(move |b| (a, b)));
        both.differ = pairs.map(|(a, b)| a != b && both.do_differ(a, b)).collect();
        both
    }

    /// How many objects there are.
    fn len(&self) -> usize {
        self.offset + self.two.heap.len()
    }

    /// The rule of an object, and its number there.
    fn of(&self, object: usize) -> (&'r Rule<'g>, usize) {
        match object.checked_sub(self.offset) {
            None => (self.one, object),
            Some(object) => (self.two, object),
        }
    }

    fn is_inner(&self, object: usize) -> bool {
        let (rule, object) = self.of(object);
        rule.is_inner[object]
    }

    /// Whether two objects cannot be the same: their types differ, or one may not be `null`, or one
    /// is taken away by its rule and the other is of that rule, too.
    fn do_differ(&self, a: usize, b: usize) -> bool {
        let ((first, x), (second, y)) = (self.of(a), self.of(b));
        let kinds = [(first, x), (second, y)].map(|(rule, it)| rule.heap.kind(ObjectId::new(it)));
        let is_inner = first.is_inner[x] || second.is_inner[y];
        match kinds {
            [None, _] => !second.is_nullable[y],
            [_, None] => !first.is_nullable[x],
            [one, other] => one != other || is_inner && (a < self.offset) == (b < self.offset),
        }
    }

    /// Makes two objects the same, unless they cannot be. Whether they are.
    fn merge(&self, classes: &mut [usize], a: usize, b: usize) -> bool {
        let (one, other) = (classes[a].min(classes[b]), classes[a].max(classes[b]));
        if one == other {
            return true;
        }
        let known = &*classes;
        let of = |class: usize| (class..self.len()).filter(move |&it| known[it] == class);
        if of(one).any(|a| of(other).any(|b| self.differ[a * self.len() + b])) {
            return false;
        }
        classes.iter_mut().filter(|it| **it == other).for_each(|it| *it = one);
        true
    }

    /// All ways to share at least one part: pairs of parts, each part at most once. What touches
    /// objects that a rule takes away is part of that rule.
    fn overlaps(&self) -> Vec<Overlap> {
        let mut apart: Classes = (0..self.len()).collect();
        apart[self.offset] = 0;
        let mut merged = apart.clone();
        let mut all = vec![Overlap { shared: Vec::new(), classes: apart }];
        for (a, (item, ends)) in self.one.items.iter().enumerate() {
            for at in 0..all.len() {
                for (b, (other, others)) in self.two.items.iter().enumerate() {
                    let Overlap { shared, classes } = &all[at];
                    let is_used = || shared.iter().any(|&(_, used)| used == b);
                    if !self.is_same_kind(*item, *other) || is_used() {
                        continue;
                    }
                    merged.copy_from_slice(classes);
                    let mut ends = ends.iter().zip(others);
                    if ends.all(|(&x, &y)| self.merge(&mut merged, x, self.offset + y)) {
                        let shared = shared.iter().copied().chain([(a, b)]).collect();
                        all.push(Overlap { shared, classes: merged.clone() });
                    }
                }
            }
            // What does not share this part now will not do so later.
            all.retain(|it| it.shared.last().is_some_and(|it| it.0 == a) || self.is_clear(it, a));
        }
        all.retain(|it| !it.shared.is_empty() && self.has_all_inside(it));
        all
    }

    /// Whether a part of the first rule touches nothing that the second takes away.
    fn is_clear(&self, overlap: &Overlap, part: usize) -> bool {
        let classes = &overlap.classes;
        self.one.items[part].1.iter().all(|&end| {
            let mut same = (self.offset..self.len()).filter(|&it| classes[it] == classes[end]);
            same.all(|it| !self.is_inner(it))
        })
    }

    fn is_same_kind(&self, a: Item, b: Item) -> bool {
        match (a, b) {
            (Item::Field(a), Item::Field(b)) => a == b,
            (Item::Edge(a), Item::Edge(b)) => {
                self.one.heap.edges()[a].label == self.two.heap.edges()[b].label
            }
            _ => false,
        }
    }

    /// Whether what touches objects that a rule takes away is part of that rule.
    fn has_all_inside(&self, overlap: &Overlap) -> bool {
        let Overlap { shared, classes } = overlap;
        let mut inner = [vec![false; self.len()], vec![false; self.len()]];
        for object in (0..self.len()).filter(|&it| self.is_inner(it)) {
            inner[usize::from(object >= self.offset)][classes[object]] = true;
        }
        let is_clear =
            |rule: &Rule<'_>, shift: usize, by: &[bool], is_shared: &dyn Fn(usize) -> bool| {
                rule.items.iter().enumerate().all(|(number, (_, ends))| {
                    is_shared(number) || ends.iter().all(|&end| !by[classes[end + shift]])
                })
            };
        is_clear(self.one, 0, &inner[1], &|it| shared.iter().any(|&(a, _)| a == it))
            && is_clear(self.two, self.offset, &inner[0], &|it| {
                shared.iter().any(|&(_, b)| b == it)
            })
    }

    /// All heaps that are two rules laid over each other with the shared parts, and with any
    /// objects identified that stay.
    fn pairs(&self, overlap: &Overlap) -> Vec<Pair> {
        let mut all = Vec::new();
        let mut open = vec![(overlap.classes.clone(), 0)];
        while let Some((classes, from)) = open.pop() {
            // What cannot be cannot be either if more objects are the same.
            let Some(pair) = self.laid_over(&overlap.shared, &classes) else { continue };
            all.push(pair);
            let mut stays = vec![true; self.len()];
            (0..self.len()).for_each(|it| stays[classes[it]] &= !self.is_inner(it));
            let roots = (0..self.len()).filter(|&it| classes[it] == it && stays[it]);
            let roots: Vec<usize> = roots.collect();
            // Identify one more pair of classes, later ones than before.
            for (i, &a) in roots.iter().enumerate() {
                for &b in roots[i + 1..].iter().filter(|&&b| b >= from) {
                    let mut next = classes.clone();
                    if self.merge(&mut next, a, b) {
                        open.push((next, b + 1));
                    }
                }
            }
        }
        all
    }

    /// The heap in which the objects of each class are one; none if a field would be there twice,
    /// or be one of `null`.
    fn laid_over(&self, shared: &[(usize, usize)], classes: &[usize]) -> Option<Pair> {
        let mut heap = Heap::default();
        let mut number = vec![null(); self.len()];
        let mut externals = Vec::new();
        for it in (1..self.len()).filter(|&it| classes[it] == it) {
            let (rule, object) = self.of(it);
            number[it] = heap.add_object(rule.heap.kind(ObjectId::new(object))?);
            if (it..self.len()).all(|other| classes[other] != it || !self.is_inner(other)) {
                externals.push(number[it]);
            }
        }
        heap.set_externals(externals);
        let image = |it: usize| number[classes[it]];
        let mut edges =
            [vec![0; self.one.heap.edges().len()], vec![0; self.two.heap.edges().len()]];
        for (side, (rule, shift)) in
            [(self.one, 0), (self.two, self.offset)].into_iter().enumerate()
        {
            for (place, (item, ends)) in rule.items.iter().enumerate() {
                let twin = shared.iter().find(|&&(_, b)| side == 1 && b == place);
                match (*item, twin.map(|&(a, _)| self.one.items[a].0)) {
                    (Item::Field(selector), None) => {
                        let [from, to] = [ends[0], ends[1]].map(|end| image(end + shift));
                        if from == null() || heap.set_field(from, selector, to).is_some() {
                            return None;
                        }
                    }
                    (Item::Edge(edge), None) => {
                        let at: Vec<ObjectId> = ends.iter().map(|end| image(end + shift)).collect();
                        heap.add_edge(rule.heap.edges()[edge].label, at);
                        edges[side][edge] = heap.edges().len() - 1;
                    }
                    (Item::Edge(edge), Some(Item::Edge(other))) => edges[1][edge] = edges[0][other],
                    _ => {}
                }
            }
        }
        let [edges_one, edges_two] = edges;
        let one = Embedding { objects: (0..self.offset).map(image).collect(), edges: edges_one };
        let objects = (self.offset..self.len()).map(image).collect();
        let two = Embedding { objects, edges: edges_two };
        Some(Pair { heap, one, two })
    }
}

/// Whether both folds of a pair can be followed by others to the same heap.
fn is_joined(
    grammar: &Grammar,
    both: &Both<'_, '_>,
    pair: &Pair,
    meter: &mut Meter<'_>,
) -> Result<bool, Limit> {
    debug_assert!(pair.check_occurs(grammar, both), "{:?}", pair.heap);
    let form = |heap: &Traced| canonical(heap.heap(), Externals::Ordered).heap;
    let mut sides = Vec::new();
    for (rule, found) in [(both.one, &pair.one), (both.two, &pair.two)] {
        let mut folded = Traced::new(&pair.heap);
        fold(&mut folded, rule.label, rule.heap, found);
        sides.push(folded);
    }
    if form(&sides[0]) == form(&sides[1]) {
        return Ok(true);
    }
    // One way to fold each of the two often leads to the same.
    let mut ends = sides.clone();
    for side in &mut ends {
        abstracted(grammar, side, Kept::within(0), meter)?;
    }
    if form(&ends[0]) == form(&ends[1]) {
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

impl Pair {
    /// Whether both rules occur where they were laid.
    fn check_occurs(&self, grammar: &Grammar, both: &Both<'_, '_>) -> bool {
        let nothing = vec![false; self.heap.len()];
        let finder = crate::embed::Finder::new(grammar, &self.heap, &nothing, false);
        let occurs = |rule: &Rule<'_>, it: &Embedding| {
            finder.occurrences(rule.label, rule.heap).contains(it)
        };
        occurs(both.one, &self.one) && occurs(both.two, &self.two)
    }
}

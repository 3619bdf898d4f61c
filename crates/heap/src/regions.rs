//! What can be reached in a heap by some selectors, exactly.
//!
//! A hyperedge stands for many heaps. For each nonterminal, each tentacle and a set of selectors it
//! is computed which other tentacles are reached in *some* derived heap, and which in *all*; the
//! same for the objects inside. The first is the least fixpoint over rules, the second the
//! greatest: it is right for rules that are replaced by finite derivations, by induction over
//! these. Where the two differ, it is not known.

use crate::grammar::Grammar;
use crate::graph::{Heap, NonterminalId, ObjectId, SelectorId, null};
use tern_model::Tri;
use tern_model::index::{Id, Table};

/// What is reached from one tentacle.
#[derive(Clone, Debug, PartialEq, Eq)]
struct From {
    /// The other tentacles.
    tentacles: Vec<bool>,
    /// The objects inside: one of them, or all of them.
    inside: bool,
    /// `null`, by a field inside.
    null: bool,
}

/// What a search reaches.
struct Reach {
    objects: Vec<bool>,
    /// Hyperedges whose inside is reached.
    edges: Vec<bool>,
    null: bool,
}

type Reached = Table<NonterminalId, Vec<From>>;

/// What can be reached by some selectors, in the heaps of a grammar.
pub struct Regions<'g> {
    grammar: &'g Grammar,
    selectors: Vec<SelectorId>,
    some: Reached,
    all: Reached,
}

impl<'g> Regions<'g> {
    /// Computes what is reached by some selectors.
    pub fn new(grammar: &'g Grammar, selectors: Vec<SelectorId>) -> Self {
        let start = |value: bool| {
            let mut table = Table::new();
            for (_, nonterminal) in grammar.nonterminals.iter() {
                let rank = nonterminal.tentacles.len();
                table.push(vec![
                    From { tentacles: vec![value; rank], inside: value, null: value };
                    rank
                ]);
            }
            table
        };
        let mut regions = Regions { grammar, selectors, some: start(false), all: start(true) };
        loop {
            let some = regions.next(&regions.some, true);
            let all = regions.next(&regions.all, false);
            if some == regions.some && all == regions.all {
                return regions;
            }
            (regions.some, regions.all) = (some, all);
        }
    }

    /// One more round: in some rule, or in all.
    fn next(&self, known: &Reached, some: bool) -> Reached {
        let mut table = Table::new();
        for (label, nonterminal) in self.grammar.nonterminals.iter() {
            let rank = nonterminal.tentacles.len();
            let mut rows = Vec::new();
            for tentacle in 0..rank {
                let mut row = From { tentacles: vec![!some; rank], inside: !some, null: !some };
                for rule in &nonterminal.rules {
                    let found = self.in_rule(known, rule, tentacle, some);
                    let join = |a: bool, b: bool| if some { a | b } else { a & b };
                    for (mine, new) in row.tentacles.iter_mut().zip(found.tentacles) {
                        *mine = join(*mine, new);
                    }
                    row.inside = join(row.inside, found.inside);
                    row.null = join(row.null, found.null);
                }
                // What was known stays: both sequences are monotone.
                let before = &known[label][tentacle];
                let merge = |new: bool, old: bool| if some { new | old } else { new & old };
                for (mine, &old) in row.tentacles.iter_mut().zip(&before.tentacles) {
                    *mine = merge(*mine, old);
                }
                row.inside = merge(row.inside, before.inside);
                row.null = merge(row.null, before.null);
                rows.push(row);
            }
            table.push(rows);
        }
        table
    }

    fn in_rule(&self, known: &Reached, rule: &Heap, tentacle: usize, some: bool) -> From {
        let start = rule.externals()[tentacle];
        let Reach { objects, edges, null: ends } = self.search(known, rule, start);
        let inside = |object: &ObjectId| *object != null() && !rule.externals().contains(object);
        let mut parts = rule
            .objects()
            .filter(inside)
            .map(|object| objects[object.index()])
            .chain(edges.iter().copied());
        From {
            tentacles: rule.externals().iter().map(|it| objects[it.index()]).collect(),
            inside: if some { parts.any(|it| it) } else { parts.all(|it| it) },
            null: ends,
        }
    }

    fn search(&self, known: &Reached, heap: &Heap, start: ObjectId) -> Reach {
        let (mut objects, mut edges) = (vec![false; heap.len()], vec![false; heap.edges().len()]);
        let (mut open, mut ends) = (vec![start], false);
        while let Some(object) = open.pop() {
            if object == null() {
                ends = true;
                continue;
            }
            if objects[object.index()] {
                continue;
            }
            objects[object.index()] = true;
            let fields = heap.fields(object).iter();
            open.extend(fields.filter(|it| self.selectors.contains(&it.0)).map(|it| it.1));
            for (number, edge) in heap.edges().iter().enumerate() {
                for (tentacle, _) in edge.at.iter().enumerate().filter(|(_, it)| **it == object) {
                    let row = &known[edge.label][tentacle];
                    edges[number] |= row.inside;
                    ends |= row.null;
                    let reached = edge.at.iter().zip(&row.tentacles).filter(|(_, it)| **it);
                    open.extend(reached.map(|(&at, _)| at));
                }
            }
        }
        Reach { objects, edges, null: ends }
    }

    /// Whether an object is reached from another in zero or more steps.
    pub fn reaches(&self, heap: &Heap, from: ObjectId, to: ObjectId) -> Tri {
        if from == to {
            return Tri::True;
        }
        if from == null() {
            return Tri::False;
        }
        let found = |reach: Reach| match to == null() {
            true => reach.null,
            false => reach.objects[to.index()],
        };
        if found(self.search(&self.all, heap, from)) {
            return Tri::True;
        }
        match found(self.search(&self.some, heap, from)) {
            true => Tri::Unknown,
            false => Tri::False,
        }
    }
}

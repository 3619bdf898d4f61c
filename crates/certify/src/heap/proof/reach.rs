//! What is reached from what, by some fields, in heaps with hyperedges.
//!
//! For each tentacle of each nonterminal it is computed which tentacles, and whether `null`, are
//! reached from it inside what is derived: in some derived graph, and in all. Both follow from the
//! rules, by induction over derivations: the first are the least rows that agree with all rules,
//! the second the greatest ones. Where the two differ, it is not known.

use super::super::shapes::Graph;
use super::grammar::Grammar;
use super::graph::AbstractHeap;
use std::collections::{BTreeMap, BTreeSet};
use tern_model::Tri;

/// For each nonterminal and tentacle what is reached: `null`, then the tentacles.
type Rows = BTreeMap<String, Vec<Vec<bool>>>;

/// What is reached by some fields.
#[derive(Debug)]
pub struct Reach {
    /// The fields.
    pub fields: BTreeSet<String>,
    some: Rows,
    all: Rows,
}

impl Reach {
    /// Computes what is reached in derived graphs.
    pub fn new(grammar: &Grammar<'_>, fields: BTreeSet<String>) -> Self {
        let start = |value: bool| -> Rows {
            let rows = grammar.nonterminals().map(|(label, it)| {
                let rank = it.tentacles.len();
                (label.clone(), vec![vec![value; rank + 1]; rank])
            });
            rows.collect()
        };
        let fixpoint = |mut rows: Rows, some: bool| loop {
            let next = round(grammar, &fields, &rows, some);
            if next == rows {
                return rows;
            }
            rows = next;
        };
        let (some, all) = (fixpoint(start(false), true), fixpoint(start(true), false));
        Reach { fields, some, all }
    }

    /// The objects that are perhaps reached from some, `null` included.
    pub(super) fn entered(&self, graph: &Graph, from: &[usize]) -> Vec<bool> {
        let mut entered = vec![false; graph.kinds.len() + 1];
        entered[0] = true;
        for from in from {
            let reached = search(&self.fields, &self.some, graph, *from);
            entered.iter_mut().zip(reached).for_each(|(all, it)| *all |= it);
        }
        entered
    }

    /// Whether an object is reached from another in zero or more steps; 0 is `null`.
    pub fn truth(&self, heap: &AbstractHeap, from: usize, to: usize) -> Tri {
        let reached = |rows: &Rows| search(&self.fields, rows, &heap.graph, from)[to];
        match (reached(&self.all), reached(&self.some)) {
            (true, _) => Tri::True,
            (false, false) => Tri::False,
            (false, true) => Tri::Unknown,
        }
    }
}

/// What follows from rows by one replacement: what some rule reaches, or all rules do.
fn round(grammar: &Grammar<'_>, fields: &BTreeSet<String>, rows: &Rows, some: bool) -> Rows {
    let mut next = Rows::new();
    for (label, nonterminal) in grammar.nonterminals() {
        let rank = nonterminal.tentacles.len();
        let mut mine = vec![vec![!some; rank + 1]; rank];
        for rule in &nonterminal.rules {
            for (tentacle, row) in mine.iter_mut().enumerate() {
                let reached = search(fields, rows, rule, rule.externals[tentacle]);
                let found = [0].iter().chain(&rule.externals).map(|it| reached[*it]);
                for (mine, found) in row.iter_mut().zip(found) {
                    *mine = if some { *mine || found } else { *mine && found };
                }
            }
        }
        next.insert(label.clone(), mine);
    }
    next
}

/// The objects that are reached from one, itself included.
fn search(fields: &BTreeSet<String>, rows: &Rows, graph: &Graph, from: usize) -> Vec<bool> {
    let mut reached = vec![false; graph.kinds.len() + 1];
    let mut open = vec![from];
    while let Some(object) = open.pop() {
        if std::mem::replace(&mut reached[object], true) {
            continue;
        }
        let leaving = graph.fields.iter().filter(|it| it.0 == object && fields.contains(&it.1));
        open.extend(leaving.map(|it| it.2));
        for (label, at) in &graph.edges {
            for (tentacle, _) in at.iter().enumerate().filter(|(_, it)| **it == object) {
                let row = &rows[label][tentacle];
                let found = [0].iter().chain(at).zip(row).filter(|(_, reached)| **reached);
                open.extend(found.map(|(object, _)| *object));
            }
        }
    }
    reached
}

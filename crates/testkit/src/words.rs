//! Words that end in a loop, automata that read them, and random automata. Nothing here shares code
//! with the engines.

use fastrand::Rng;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tern_model::automaton::{Acceptor, Cube, Literal, Marks, Transition, all_marks};
use tern_model::index::{Id, Table};
use tern_model::{Automaton, Formula, FormulaId, Formulas, StateId};

/// A word: for each proposition the letters in which it holds; after the last letter comes `back`.
pub struct Lasso {
    /// The truth of each proposition, letter by letter.
    pub truth: BTreeMap<FormulaId, Vec<bool>>,
    /// How many letters there are.
    pub length: usize,
    /// The letter that comes after the last.
    pub back: usize,
}

impl Lasso {
    /// A random word over these propositions.
    pub fn random(rng: &mut Rng, propositions: &[FormulaId]) -> Lasso {
        let length = rng.usize(1..=6);
        let back = rng.usize(0..length);
        let dense = rng.u8(1..=4);
        let mut row = || (0..length).map(|_| rng.u8(0..5) < dense).collect();
        let truth = propositions.iter().map(|&p| (p, row())).collect();
        Lasso { truth, length, back }
    }

    /// At which positions a path formula holds.
    pub fn evaluate(&self, formulas: &Formulas, root: FormulaId) -> Vec<bool> {
        use Formula::*;
        let mut values: BTreeMap<FormulaId, Vec<bool>> = self.truth.clone();
        for id in formulas.subformulas(root) {
            if values.contains_key(&id) {
                continue;
            }
            let formula = formulas.get(id);
            if !formula.operands().all(|f| values.contains_key(&f)) {
                continue; // below a quantifier that is itself a proposition
            }
            let of = |f: FormulaId| &values[&f];
            let all = |test: &dyn Fn(usize) -> bool| (0..self.length).map(test).collect::<Vec<_>>();
            let value = match formula {
                True => all(&|_| true),
                False => all(&|_| false),
                Not(f) => all(&|i| !of(f)[i]),
                And(f, g) => all(&|i| of(f)[i] && of(g)[i]),
                Or(f, g) => all(&|i| of(f)[i] || of(g)[i]),
                Implies(f, g) => all(&|i| !of(f)[i] || of(g)[i]),
                Iff(f, g) => all(&|i| of(f)[i] == of(g)[i]),
                Xor(f, g) => all(&|i| of(f)[i] != of(g)[i]),
                Next(f) => all(&|i| of(f)[self.after(i)]),
                Finally(f) => self.walk(|_| true, |i| of(f)[i], false),
                Globally(f) => self.walk(|i| of(f)[i], |_| false, true),
                Until(f, g) => self.walk(|i| of(f)[i], |i| of(g)[i], false),
                WeakUntil(f, g) => self.walk(|i| of(f)[i], |i| of(g)[i], true),
                Release(f, g) => self.walk(|i| of(g)[i], |i| of(f)[i] && of(g)[i], true),
                StrongRelease(f, g) => self.walk(|i| of(g)[i], |i| of(f)[i] && of(g)[i], false),
                Atom(_) | Exists(_) | All(_) => continue,
            };
            values.insert(id, value);
        }
        values.remove(&root).expect("all propositions are in the lasso")
    }

    /// Where walking on through `stay` gets to `end`; `or_for_ever` also where it never has to
    /// stop.
    fn walk(
        &self,
        stay: impl Fn(usize) -> bool,
        end: impl Fn(usize) -> bool,
        or_for_ever: bool,
    ) -> Vec<bool> {
        let walk = |from: usize| {
            let mut i = from;
            for _ in 0..2 * self.length {
                if end(i) {
                    return true;
                }
                if !stay(i) {
                    return false;
                }
                i = self.after(i);
            }
            or_for_ever
        };
        (0..self.length).map(walk).collect()
    }

    /// The letter after this one.
    pub fn after(&self, position: usize) -> usize {
        if position + 1 == self.length { self.back } else { position + 1 }
    }
}

/// Whether an automaton accepts a lasso.
pub fn accepts(automaton: &mut impl Acceptor, lasso: &Lasso) -> bool {
    let propositions = automaton.propositions().to_vec();
    let letters: Vec<FixedBitSet> = (0..lasso.length)
        .map(|i| {
            let mut letter = FixedBitSet::with_capacity(propositions.len());
            for (bit, p) in propositions.iter().enumerate() {
                letter.set(bit, lasso.truth[p][i]);
            }
            letter
        })
        .collect();
    // The product, as far as it is reached.
    let mut nodes: Vec<(usize, StateId)> = Vec::new();
    let mut numbers: FxHashMap<(usize, StateId), usize> = FxHashMap::default();
    for state in automaton.initial() {
        numbers.entry((0, state)).or_insert_with(|| {
            nodes.push((0, state));
            nodes.len() - 1
        });
    }
    let mut edges: Vec<Vec<(Marks, usize)>> = Vec::new();
    while let Some(&(position, state)) = nodes.get(edges.len()) {
        let mut ways = Vec::new();
        automaton.successors(state, &letters[position], &mut ways);
        let mut row = Vec::new();
        for (marks, to) in ways {
            let next = (lasso.after(position), to);
            let number = *numbers.entry(next).or_insert_with(|| {
                nodes.push(next);
                nodes.len() - 1
            });
            row.push((marks, number));
        }
        edges.push(row);
    }
    assert_eq!(automaton.limit(), None);
    // Parts in which everything reaches everything, by two searches (Kosaraju).
    let count = nodes.len();
    let mut order = Vec::new();
    let mut seen = vec![false; count];
    for root in 0..count {
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.pop() {
            if next == 0 && std::mem::replace(&mut seen[node], true) {
                continue;
            }
            match edges[node].get(next) {
                Some(&(_, to)) => {
                    stack.push((node, next + 1));
                    if !seen[to] {
                        stack.push((to, 0));
                    }
                }
                None => order.push(node),
            }
        }
    }
    let mut back: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (node, row) in edges.iter().enumerate() {
        row.iter().for_each(|&(_, to)| back[to].push(node));
    }
    let mut part = vec![usize::MAX; count];
    for &root in order.iter().rev() {
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if part[node] == usize::MAX {
                part[node] = root;
                stack.extend(&back[node]);
            }
        }
    }
    let mut found: Vec<Option<Marks>> = vec![None; count];
    for (node, row) in edges.iter().enumerate() {
        for &(marks, _) in row.iter().filter(|&&(_, to)| part[to] == part[node]) {
            *found[part[node]].get_or_insert(0) |= marks;
        }
    }
    let all = all_marks(automaton.mark_count());
    found.iter().any(|&marks| marks.is_some_and(|marks| marks & all == all))
}

/// An automaton with at most so many states.
pub fn random_automaton(rng: &mut Rng, propositions: &[FormulaId], most: usize) -> Automaton {
    let count = rng.usize(1..=most);
    let mark_count = rng.u32(0..=3);
    let state = |rng: &mut Rng| StateId::new(rng.usize(0..count));
    let cube = |rng: &mut Rng| {
        let some = (0..propositions.len() as u32).filter(|_| rng.bool()).collect::<Vec<_>>();
        let literal = |proposition| Literal { proposition, holds: rng.bool() };
        Cube(some.into_iter().map(literal).collect())
    };
    let mut transitions = Table::new();
    for _ in 0..count {
        let mut row = Vec::new();
        for _ in 0..rng.usize(0..5) {
            let guard = (0..rng.usize(1..3)).map(|_| cube(rng)).collect();
            let marks = rng.u64(..) & rng.u64(..) & all_marks(mark_count);
            row.push(Transition { guard, marks, to: state(rng) });
        }
        transitions.push(row);
    }
    let initial = (0..rng.usize(0..=2)).map(|_| state(rng)).collect();
    Automaton { propositions: propositions.to_vec(), mark_count, initial, transitions }
}

//! Automata against formulas, on words that end in a loop.
//!
//! A word is a *lasso*: letters, the last of which is followed by an earlier one. Whether a formula holds
//! on a lasso is computed here from the meaning of each operator, without normal forms; whether an
//! automaton accepts it, by a search for an accepting cycle in the product of the two. Neither shares
//! code with the translation. Formulas and lassos are random, by seeds that failures print.

use fastrand::Rng;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use tern_engine::ltl::{self, Tableau};
use tern_model::automaton::{Acceptor, Marks, all_marks};
use tern_model::{Budget, Formula, FormulaId, Formulas, StateId};

/// A word: for each proposition the letters in which it holds; after the last letter comes `back`.
struct Lasso {
    truth: FxHashMap<FormulaId, Vec<bool>>,
    length: usize,
    back: usize,
}

impl Lasso {
    fn random(rng: &mut Rng, propositions: &[FormulaId]) -> Lasso {
        let length = rng.usize(1..=6);
        let back = rng.usize(0..length);
        let dense = rng.u8(1..=4);
        let mut row = || (0..length).map(|_| rng.u8(0..5) < dense).collect();
        let truth = propositions.iter().map(|&p| (p, row())).collect();
        Lasso { truth, length, back }
    }

    fn after(&self, position: usize) -> usize {
        if position + 1 == self.length { self.back } else { position + 1 }
    }

    /// At which positions a path formula holds.
    fn evaluate(&self, formulas: &Formulas, root: FormulaId) -> Vec<bool> {
        use Formula::*;
        let mut values: FxHashMap<FormulaId, Vec<bool>> = self.truth.clone();
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

    /// Where walking on through `stay` gets to `end`; `or_for_ever` also where it never has to stop.
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
}

/// Whether an automaton accepts a lasso.
fn accepts(automaton: &mut impl Acceptor, lasso: &Lasso) -> bool {
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
        if numbers.insert((0, state), nodes.len()).is_none() {
            nodes.push((0, state));
        }
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
        for &(marks, to) in row.iter().filter(|&&(_, to)| part[to] == part[node]) {
            let _ = to;
            *found[part[node]].get_or_insert(0) |= marks;
        }
    }
    let all = all_marks(automaton.mark_count());
    found.iter().any(|&marks| marks.is_some_and(|marks| marks & all == all))
}

fn random_formula(rng: &mut Rng, formulas: &mut Formulas, atoms: usize, size: usize) -> FormulaId {
    use Formula::*;
    if size <= 1 {
        let atom = formulas.atom(&format!("p{}", rng.usize(0..atoms)));
        return match rng.u8(0..12) {
            0 => formulas.make(True),
            1 => formulas.make(False),
            2 if atoms > 2 => {
                let eventually = formulas.make(Finally(atom));
                formulas.make(if rng.bool() { Exists(eventually) } else { All(eventually) })
            }
            _ => atom,
        };
    }
    if size == 2 || rng.u8(0..3) == 0 {
        let f = random_formula(rng, formulas, atoms, size - 1);
        let operator = [Not, Next, Finally, Globally][rng.usize(0..4)];
        return formulas.make(operator(f));
    }
    let left = rng.usize(1..size - 1);
    let f = random_formula(rng, formulas, atoms, left);
    let g = random_formula(rng, formulas, atoms, size - 1 - left);
    let operators = [And, Or, Implies, Iff, Xor, Until, Release, WeakUntil, StrongRelease];
    let operator = operators[*rng.choice(&[0, 1, 2, 3, 4, 5, 5, 6, 6, 7, 8]).expect("not empty")];
    formulas.make(operator(f, g))
}

/// The propositions of a formula: quantified subformulas and atoms outside of them.
fn propositions(formulas: &Formulas, root: FormulaId) -> Vec<FormulaId> {
    let mut stack = vec![root];
    let mut found = Vec::new();
    while let Some(id) = stack.pop() {
        match formulas.get(id) {
            Formula::Atom(_) | Formula::Exists(_) | Formula::All(_) => found.push(id),
            formula => stack.extend(formula.operands()),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Compares everything that is made from a formula with it, on some lassos.
fn check(formulas: &mut Formulas, formula: FormulaId, rng: &mut Rng, lassos: usize, about: &str) {
    let budget = Budget::unlimited();
    let propositions = propositions(formulas, formula);
    let shown = formulas.show(formula).to_string();
    let simple = ltl::simplify(formulas, formula, true, &budget).expect("no limits");
    let opposite = ltl::simplify(formulas, formula, false, &budget).expect("no limits");
    let mut tableau = Tableau::new(formulas, formula, &budget).expect("no limits");
    let mut explicit = ltl::translate(formulas, formula, &budget).expect("no limits");
    for _ in 0..lassos {
        let lasso = Lasso::random(rng, &propositions);
        let expected = lasso.evaluate(formulas, formula)[0];
        let context = || {
            let mut truth: Vec<_> = lasso.truth.iter().collect();
            truth.sort();
            let rows: Vec<String> =
                truth.iter().map(|(p, row)| format!("{}: {row:?}", formulas.show(**p))).collect();
            format!("{about}: `{shown}` is {expected} on {rows:?} back to {}", lasso.back)
        };
        let simple_value = lasso.evaluate(formulas, simple)[0];
        assert_eq!(simple_value, expected, "{} as {}", context(), formulas.show(simple));
        let opposite_value = lasso.evaluate(formulas, opposite)[0];
        assert_ne!(opposite_value, expected, "not {} as {}", context(), formulas.show(opposite));
        assert_eq!(accepts(&mut tableau, &lasso), expected, "tableau: {}", context());
        assert_eq!(accepts(&mut explicit, &lasso), expected, "explicit: {}", context());
    }
}

#[test]
fn random_formulas_have_the_automata_of_their_meaning() {
    for seed in 0..3000 {
        let mut rng = Rng::with_seed(seed);
        let mut formulas = Formulas::new();
        let (atoms, size) = (rng.usize(1..=4), rng.usize(1..=12));
        let formula = random_formula(&mut rng, &mut formulas, atoms, size);
        check(&mut formulas, formula, &mut rng, 12, &format!("seed {seed}"));
    }
}

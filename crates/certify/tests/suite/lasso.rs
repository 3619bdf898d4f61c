//! The evaluator on words that repeat themselves, against the definition of the logic written out
//! on the unrolled word, and against laws.

use fastrand::Rng;
use std::collections::BTreeMap;
use tern_certify::lasso::{self, Letter};
use tern_model::{Formula, FormulaId, Formulas};
use tern_testkit::{sample, sketch, tiny};

/// The definition of the logic, read aloud: a formula at a position of the infinite word. Positions
/// ahead are looked at until each of the cycle has been seen, because after that nothing new comes.
struct Definition<'a> {
    formulas: &'a Formulas,
    prefix: &'a [Letter],
    cycle: &'a [Letter],
    known: BTreeMap<(FormulaId, usize), bool>,
}

impl Definition<'_> {
    fn letter(&self, position: usize) -> &Letter {
        match position.checked_sub(self.prefix.len()) {
            None => &self.prefix[position],
            Some(later) => &self.cycle[later % self.cycle.len()],
        }
    }

    fn holds(&mut self, id: FormulaId, i: usize) -> bool {
        use Formula::*;
        if let Some(&known) = self.known.get(&(id, i)) {
            return known;
        }
        let last = i.max(self.prefix.len()) + self.cycle.len();
        let value = match self.formulas.get(id) {
            True => true,
            False => false,
            Atom(_) | Exists(_) | All(_) => self.letter(i).contains(&id),
            Not(f) => !self.holds(f, i),
            And(f, g) => self.holds(f, i) && self.holds(g, i),
            Or(f, g) => self.holds(f, i) || self.holds(g, i),
            Implies(f, g) => !self.holds(f, i) || self.holds(g, i),
            Iff(f, g) => self.holds(f, i) == self.holds(g, i),
            Xor(f, g) => self.holds(f, i) != self.holds(g, i),
            Next(f) => self.holds(f, i + 1),
            Finally(f) => (i..=last).any(|j| self.holds(f, j)),
            Globally(f) => (i..=last).all(|j| self.holds(f, j)),
            Until(f, g) => self.until(f, g, i, last),
            WeakUntil(f, g) => self.until(f, g, i, last) || (i..=last).all(|j| self.holds(f, j)),
            // g up to and including the first f.
            StrongRelease(f, g) => self.up_to(f, g, i, last),
            Release(f, g) => self.up_to(f, g, i, last) || (i..=last).all(|j| self.holds(g, j)),
        };
        self.known.insert((id, i), value);
        value
    }

    fn until(&mut self, f: FormulaId, g: FormulaId, i: usize, last: usize) -> bool {
        (i..=last).any(|j| self.holds(g, j) && (i..j).all(|k| self.holds(f, k)))
    }

    fn up_to(&mut self, f: FormulaId, g: FormulaId, i: usize, last: usize) -> bool {
        (i..=last).any(|j| self.holds(f, j) && (i..=j).all(|k| self.holds(g, k)))
    }
}

fn letters(rng: &mut Rng, leaves: &[FormulaId], count: usize) -> Vec<Letter> {
    (0..count).map(|_| leaves.iter().copied().filter(|_| rng.bool()).collect()).collect()
}

/// Compares all subformulas at all positions, also beyond the first round.
fn compare(formulas: &Formulas, root: FormulaId, prefix: &[Letter], cycle: &[Letter]) -> usize {
    let mut definition = Definition { formulas, prefix, cycle, known: BTreeMap::new() };
    let expected = definition.holds(root, 0);
    let about = || format!("{}\n{prefix:?} {cycle:?}", formulas.show(root));
    assert_eq!(lasso::holds(formulas, root, prefix, cycle), Some(expected), "{}", about());
    let leaf = |leaf: FormulaId, i: usize| match i.checked_sub(prefix.len()) {
        None => prefix[i].contains(&leaf),
        Some(later) => cycle[later].contains(&leaf),
    };
    let truth = lasso::evaluate(formulas, root, prefix.len(), cycle.len(), leaf).expect("a cycle");
    let mut compared = 1;
    for id in lasso::path_subformulas(formulas, root) {
        assert_eq!(truth.row(id).expect("worked out").len(), prefix.len() + cycle.len());
        for i in 0..prefix.len() + 2 * cycle.len() {
            assert_eq!(truth.at(id, i), Some(definition.holds(id, i)), "at {i}: {}", about());
            compared += 1;
        }
    }
    compared
}

#[test]
fn random_words_and_formulas_agree_with_the_definition() {
    let (mut compared, mut held) = (0, 0);
    for seed in 0..4000 {
        let mut rng = Rng::with_seed(seed);
        let mut formulas = Formulas::new();
        let size = rng.usize(1..14);
        let root = if rng.bool() {
            sample::ltl(&mut rng, &mut formulas, size)
        } else {
            sample::ctl_star(&mut rng, &mut formulas, size)
        };
        let leaves: Vec<FormulaId> = lasso::path_subformulas(&formulas, root)
            .into_iter()
            .filter(|&f| {
                matches!(formulas.get(f), Formula::Atom(_)) || formulas.get(f).is_quantifier()
            })
            .collect();
        let (before, round) = (rng.usize(..4), rng.usize(1..5));
        let prefix = letters(&mut rng, &leaves, before);
        let cycle = letters(&mut rng, &leaves, round);
        compared += compare(&formulas, root, &prefix, &cycle);
        held += usize::from(lasso::holds(&formulas, root, &prefix, &cycle) == Some(true));
    }
    eprintln!("{compared} values compared; {held} of 4000 formulas hold");
    assert!((1000..3000).contains(&held), "{held}");
}

/// All formulas of depth 2 about one proposition, on all words with a prefix of at most 2 letters
/// and a cycle of at most 3.
#[test]
fn all_small_formulas_on_all_small_words_agree_with_the_definition() {
    let mut formulas = Formulas::new();
    let p = formulas.atom("p");
    let list = tiny::ltl_formulas(&mut formulas, 2);
    let mut compared = 0;
    for before in 0..=2 {
        for round in 1..=3 {
            for bits in 0..1u32 << (before + round) {
                let letter = |i: usize| -> Letter {
                    if bits >> i & 1 == 1 { [p].into() } else { Letter::new() }
                };
                let prefix: Vec<Letter> = (0..before).map(letter).collect();
                let cycle: Vec<Letter> = (before..before + round).map(letter).collect();
                for &root in &list {
                    let mut definition = Definition {
                        formulas: &formulas,
                        prefix: &prefix,
                        cycle: &cycle,
                        known: BTreeMap::new(),
                    };
                    let expected = Some(definition.holds(root, 0));
                    assert_eq!(lasso::holds(&formulas, root, &prefix, &cycle), expected);
                    compared += 1;
                }
            }
        }
    }
    eprintln!("{compared} words and formulas compared");
}

#[test]
fn words_known_by_looking_at_them() {
    // Each letter is one character: `p`, `q`, `b` for both, `-` for neither.
    for (text, prefix, cycle, expected) in [
        ("G F p", "", "p-", true),
        ("F G p", "", "p-", false),
        ("F G p", "--", "p", true),
        ("U p q", "ppp", "q", true),
        ("U p q", "pp-", "q", false),
        ("U p q", "", "p", false),
        ("W p q", "", "p", true),
        ("R q p", "", "p", true),
        ("R q p", "pp", "b", true),
        ("R q p", "pp", "q", false),
        ("M q p", "", "p", false),
        ("M q p", "ppb", "-", true),
        ("X X X p", "-", "-p", false),
        ("X X X p", "-", "p-", true),
        ("G -> p X q", "", "pq", true),
        ("<-> F p G q", "", "q", false),
        ("xor F p G q", "", "b", false),
        // The cycle is entered in the middle of what is promised.
        ("G F & p X X p", "", "p-p--", true),
    ] {
        let mut formulas = Formulas::new();
        let root = sketch::formula(&mut formulas, text);
        let (p, q) = (formulas.atom("p"), formulas.atom("q"));
        let word = |text: &str| -> Vec<Letter> {
            let letter = |c| match c {
                'p' => [p].into(),
                'q' => [q].into(),
                'b' => [p, q].into(),
                _ => Letter::new(),
            };
            text.chars().map(letter).collect()
        };
        let (prefix, cycle) = (word(prefix), word(cycle));
        let found = lasso::holds(&formulas, root, &prefix, &cycle);
        assert_eq!(found, Some(expected), "{text} on {prefix:?} {cycle:?}");
    }
}

#[test]
fn quantified_formulas_are_letters_and_an_empty_cycle_is_no_word() {
    let mut formulas = Formulas::new();
    let root = sketch::formula(&mut formulas, "G F E X p");
    let (p, next) = (formulas.atom("p"), sketch::formula(&mut formulas, "E X p"));
    let (here, nowhere) = (Letter::from([next]), Letter::from([p]));
    assert_eq!(lasso::holds(&formulas, root, &[], &[here.clone(), nowhere.clone()]), Some(true));
    assert_eq!(lasso::holds(&formulas, root, &[here], std::slice::from_ref(&nowhere)), Some(false));
    assert_eq!(lasso::holds(&formulas, root, &[nowhere], &[]), None);
    assert!(!lasso::path_subformulas(&formulas, root).contains(&p));
}

/// A formula of a hundred thousand operators on a word of some letters, without recursion.
#[test]
fn deep_formulas_and_long_words_take_linear_time() {
    let mut formulas = Formulas::new();
    let mut deep = formulas.atom("p");
    for i in 0..50_000 {
        let next = formulas.make(Formula::Next(deep));
        deep = if i % 2 == 0 { next } else { formulas.make(Formula::Finally(next)) };
    }
    let truth = lasso::evaluate(&formulas, deep, 2, 3, |_, i| i == 4).expect("a cycle");
    assert_eq!(truth.at(deep, 0), Some(true));
    let (p, q) = (formulas.atom("p"), formulas.atom("q"));
    let until = formulas.make(Formula::Until(p, q));
    let length = 300_000;
    let truth = lasso::evaluate(&formulas, until, length, length, |leaf, i| {
        if leaf == p { i > 5 } else { i == length }
    });
    let truth = truth.expect("a cycle");
    assert_eq!((truth.at(until, 5), truth.at(until, 6)), (Some(false), Some(true)));
}

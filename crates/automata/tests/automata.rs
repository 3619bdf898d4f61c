//! Automata against formulas, on words that end in a loop.
//!
//! A word is a *lasso*: letters, the last of which is followed by an earlier one. Whether a formula
//! holds on a lasso is computed here from the meaning of each operator, without normal forms;
//! whether an automaton accepts it, by a search for an accepting cycle in the product of the two.
//! Neither shares code with the translation. Formulas and lassos are random, by seeds that failures
//! print. `TERN_PAIRS` sets the number of formulas and automata, `TERN_SEED` where they begin.

use fastrand::Rng;
use fixedbitset::FixedBitSet;
use std::time::Duration;
use tern_automata::Tableau;
use tern_front::{Source, formula, hoa};
use tern_model::automaton::Acceptor;
use tern_model::{Automaton, Budget, Formula, FormulaId, Formulas, Limit, Obligation};
use tern_testkit::setting;
use tern_testkit::words::{Lasso, accepts, random_automaton};

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

/// The automaton, written in the HOA format and read back.
fn through_text(automaton: &Automaton, formulas: &mut Formulas) -> Automaton {
    let text = hoa::write(automaton, formulas);
    let found = hoa::read(&Source::new("written", text), formulas);
    found.expect("what we write we can read").remove(0).automaton
}

/// Compares everything that is made from a formula with it, on some lassos.
fn check(formulas: &mut Formulas, formula: FormulaId, rng: &mut Rng, lassos: usize, about: &str) {
    let budget = Budget::unlimited();
    let propositions = propositions(formulas, formula);
    let shown = formulas.show(formula).to_string();
    let simple = tern_automata::simplify(formulas, formula, true, &budget).expect("no limits");
    let opposite = tern_automata::simplify(formulas, formula, false, &budget).expect("no limits");
    let mut explicit = tern_automata::translate(formulas, formula, &budget).expect("no limits");
    let mut single = tern_automata::degeneralise(&explicit, &budget).expect("no limits");
    let mut on_states = tern_automata::to_state_based(&explicit, &budget).expect("no limits");
    let mut direct =
        tern_automata::translate_state_based(formulas, formula, &budget).expect("no limits");
    let mut reread = through_text(&explicit, formulas);
    let formulas = &*formulas;
    let mut tableau = Tableau::new(formulas, Obligation { formula, holds: true }, &budget);
    for automaton in [&single, &on_states, &direct] {
        assert!(automaton.mark_count <= 1, "{shown}");
    }
    for automaton in [&on_states, &direct] {
        for row in automaton.transitions.as_slice() {
            assert!(row.iter().all(|way| way.marks == row[0].marks), "marks on states: {shown}");
        }
    }
    for _ in 0..lassos {
        let lasso = Lasso::random(rng, &propositions);
        let expected = lasso.evaluate(formulas, formula)[0];
        let context = || {
            let truth = lasso.truth.iter();
            let rows: Vec<String> =
                truth.map(|(&p, row)| format!("{}: {row:?}", formulas.show(p))).collect();
            format!("{about}: `{shown}` is {expected} on {rows:?} back to {}", lasso.back)
        };
        let simple_value = lasso.evaluate(formulas, simple)[0];
        assert_eq!(simple_value, expected, "{} as {}", context(), formulas.show(simple));
        let opposite_value = lasso.evaluate(formulas, opposite)[0];
        assert_ne!(opposite_value, expected, "not {} as {}", context(), formulas.show(opposite));
        assert_eq!(accepts(&mut tableau, &lasso), expected, "tableau: {}", context());
        assert_eq!(accepts(&mut explicit, &lasso), expected, "explicit: {}", context());
        assert_eq!(accepts(&mut single, &lasso), expected, "one mark: {}", context());
        assert_eq!(accepts(&mut on_states, &lasso), expected, "on states: {}", context());
        assert_eq!(accepts(&mut direct, &lasso), expected, "directly on states: {}", context());
        assert_eq!(accepts(&mut reread, &lasso), expected, "written and read: {}", context());
    }
}

#[test]
fn random_formulas_have_the_automata_of_their_meaning() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 600));
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let mut formulas = Formulas::new();
        let (atoms, size) = (rng.usize(1..=4), rng.usize(1..=14));
        let formula = random_formula(&mut rng, &mut formulas, atoms, size);
        check(&mut formulas, formula, &mut rng, 12, &format!("seed {seed}"));
    }
}

/// Formulas to which the laws of simplification apply, one or more for each law.
const LAWS: &[&str] = &[
    "F G (p | F q)",
    "F G (p & F q)",
    "F G (p | G q)",
    "F G (p & G q)",
    "F G (p | G F q)",
    "F G (p & G F q)",
    "G F (p | F q)",
    "G F (p & F q)",
    "G F (p | G q)",
    "G F (p & G q)",
    "G F (p | F G q)",
    "G F (p & F G q)",
    "F X p",
    "G X p",
    "X G F p",
    "F (p U q)",
    "F (p M q)",
    "F (p W q)",
    "F (p R q)",
    "F (p | F q)",
    "F (p & G F q)",
    "F (p | G q)",
    "F (p & F q & F r)",
    "G (p U q)",
    "G (p M q)",
    "G (p W q)",
    "G (p R q)",
    "G (p & G q)",
    "G (p | G F q)",
    "G (p & F q)",
    "G (p | G q)",
    "p U (q U r)",
    "p U (p U q)",
    "(p & q) U (q U r)",
    "p U (q & p)",
    "p U (q | G p)",
    "(p | q) U q",
    "p U (q | F r)",
    "p U (q & G F r)",
    "X p U X q",
    "X p U q",
    "X p R q",
    "X p W q",
    "X p M q",
    "p U !p",
    "(p U q) U q",
    "p U X p",
    "p R (q R r)",
    "p R (q | p)",
    "p R (q & F p)",
    "(p & q) R q",
    "p R (q & G r)",
    "p R (q | G F r)",
    "p R !p",
    "p W (q W r)",
    "p W (q & p)",
    "p W (q | G p)",
    "G p W q",
    "p W F q",
    "(p | q) W q",
    "p W (q | F r)",
    "p W !p",
    "p M (q M r)",
    "p M (q | p)",
    "p M (q & F p)",
    "F p M q",
    "p M G q",
    "(p & q) M q",
    "p M (q & G r)",
    "p M !p",
    "X p & X q",
    "X p | X q",
    "G p & G q",
    "F p | F q",
    "G F p | G F q",
    "F G p & F G q",
    "F G p | G F q",
    "(p U r) & (q U r)",
    "(p W r) & (q W r)",
    "(p R q) & (p R r)",
    "(p M q) & (p M r)",
    "(p U q) | (p U r)",
    "(p W q) | (p W r)",
    "(p R r) | (q R r)",
    "(p M r) | (q M r)",
    "F p & (p R q)",
    "F q & (p W q)",
    "G p | (p U q)",
    "G q | (p M q)",
    "p & (!p | X q)",
    "p | (!p & X q)",
    "G !p | F (p & F q)",
    "(G F p & F G q) | (G F q & F G r)",
    "F (G p & G F q) | G F r",
    "p & F p",
    "p | F p",
    "G p & p",
    "G p | p",
    "F p & G !p",
    "F p | G !p",
    "X F p | F p",
    "X G p & G p",
    "(p U q) & (p W q)",
    "(p U q) | F q",
    "G (p -> F q) & G F (q & X !q)",
    "G F (p xor X p)",
    "(p U (q R r)) & G F q",
    "G (r -> p U (q R r)) & G F q",
    "G F (p U (q M r)) & G F q",
];

#[test]
fn every_law_keeps_the_meaning() {
    for (number, text) in LAWS.iter().enumerate() {
        let mut formulas = Formulas::new();
        let root = formula::read(&mut formulas, text, 0).expect("a formula").root;
        let mut rng = Rng::with_seed(number as u64);
        check(&mut formulas, root, &mut rng, 150, text);
    }
}

/// Automata that no formula gives: their reductions see more shapes.
#[test]
fn random_automata_keep_their_language() {
    let budget = Budget::unlimited();
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 800));
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let mut formulas = Formulas::new();
        let propositions = [formulas.atom("p"), formulas.atom("q")];
        let mut automaton = random_automaton(&mut rng, &propositions, 6);
        let mut single = tern_automata::degeneralise(&automaton, &budget).expect("no limits");
        let mut on_states = tern_automata::to_state_based(&automaton, &budget).expect("no limits");
        let mut reread = through_text(&automaton, &mut formulas);
        for _ in 0..20 {
            let lasso = Lasso::random(&mut rng, &propositions);
            let expected = accepts(&mut automaton, &lasso);
            assert_eq!(accepts(&mut single, &lasso), expected, "one mark: seed {seed}");
            assert_eq!(accepts(&mut on_states, &lasso), expected, "on states: seed {seed}");
            assert_eq!(accepts(&mut reread, &lasso), expected, "written and read: seed {seed}");
        }
    }
}

/// The formulas of the literature, where they are at hand: a folder of files with one formula a
/// line.
#[test]
fn patterns_of_the_literature_have_the_automata_of_their_meaning() {
    let Some(folder) = tern_testkit::data("ltl") else { return };
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "ltl")).collect();
    paths.sort();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("the file was listed");
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            for negated in [false, true] {
                let mut formulas = Formulas::new();
                let root = formula::read(&mut formulas, line, 0).expect("a formula").root;
                let root = if negated { formulas.make(Formula::Not(root)) } else { root };
                let about = format!("{}:{}", path.display(), number + 1);
                let mut rng = Rng::with_seed(number as u64);
                check(&mut formulas, root, &mut rng, 40, &about);
            }
        }
    }
}

#[test]
fn more_conditions_than_marks_are_counted_off() {
    let mut formulas = Formulas::new();
    let mut all = formulas.make(Formula::True);
    let mut atoms = Vec::new();
    for i in 0..70 {
        let p = formulas.atom(&format!("p{i}"));
        let finally = formulas.make(Formula::Finally(p));
        let again = formulas.make(Formula::Globally(finally));
        all = formulas.make(Formula::And(all, again));
        atoms.push(p);
    }
    let budget = Budget::unlimited();
    let sought = Obligation { formula: all, holds: true };
    let mut tableau = Tableau::new(&formulas, sought, &budget);
    assert_eq!(tableau.mark_count(), 64);
    // Each letter has one of the atoms: in turn, or with one of them left out.
    for missing in [None, Some(0), Some(63), Some(64), Some(69)] {
        let length = atoms.len();
        let row = |i: usize| (0..length).map(|j| i == j && Some(i) != missing).collect();
        let truth = atoms.iter().enumerate().map(|(i, &p)| (p, row(i))).collect();
        let lasso = Lasso { truth, length, back: 0 };
        assert_eq!(accepts(&mut tableau, &lasso), missing.is_none(), "{missing:?}");
    }
}

/// Deep formulas end in an automaton or in a limit, never in a stack that overflows.
#[test]
fn formulas_may_be_nested_deeply() {
    // How often a translation may look at its budget.
    const EFFORT: u64 = 200;
    let depth = tern_testkit::large(10_000);
    let wrap: [fn(&mut Formulas, FormulaId, usize) -> FormulaId; 6] = [
        |fs, f, _| fs.make(Formula::Next(f)),
        |fs, f, i| {
            let finally = fs.make(Formula::Finally(f));
            let p = fs.atom(&format!("p{}", i % 3));
            fs.make(Formula::And(p, finally))
        },
        |fs, f, i| {
            let p = fs.atom(&format!("p{}", i % 3));
            fs.make(Formula::Until(p, f))
        },
        |fs, f, i| {
            let p = fs.atom(&format!("p{}", i % 3));
            fs.make(Formula::Release(f, p))
        },
        |fs, f, i| {
            let p = fs.atom(&format!("p{}", i % 3));
            fs.make(Formula::Iff(p, f))
        },
        |fs, f, i| {
            let p = fs.atom(&format!("p{i}"));
            let next = fs.make(Formula::Next(f));
            fs.make(if i % 2 == 0 { Formula::And(p, next) } else { Formula::Or(p, next) })
        },
    ];
    for (kind, wrap) in wrap.into_iter().enumerate() {
        let mut formulas = Formulas::new();
        let mut f = formulas.atom("p");
        for i in 0..depth {
            f = wrap(&mut formulas, f, i);
        }
        let budget = Budget::unlimited().with_effort(EFFORT);
        match tern_automata::translate(&mut formulas, f, &budget) {
            Ok(automaton) => println!("kind {kind}: {} states", automaton.state_count()),
            Err(limit) => println!("kind {kind}: {limit}"),
        }
        let budget = Budget::unlimited().with_effort(EFFORT);
        let sought = Obligation { formula: f, holds: true };
        let mut tableau = Tableau::new(&formulas, sought, &budget);
        let letter = FixedBitSet::with_capacity(tableau.propositions().len());
        let state = tableau.initial()[0];
        let mut out = Vec::new();
        tableau.successors(state, &letter, &mut out);
        println!("kind {kind}: {} successors, {:?}", out.len(), tableau.limit());
    }
}

/// The automaton of a negation may be exponentially larger; that of the formula must not wait for
/// it.
#[test]
fn a_large_negation_does_no_harm() {
    let mut formulas = Formulas::new();
    let part = |i: usize| format!("F (p{i} & G !q{i})");
    let text: Vec<String> = (0..13).map(part).collect();
    let root = formula::read(&mut formulas, &text.join(" | "), 0).expect("a formula").root;
    let budget = Budget::unlimited().with_effort(6_400);
    let automaton = tern_automata::translate(&mut formulas, root, &budget).expect("small enough");
    assert!(automaton.state_count() <= 18, "{} states", automaton.state_count());
}

#[test]
fn limits_are_kept() {
    let mut formulas = Formulas::new();
    let text = "G((p0 -> F p1) & (p2 -> F p3) & (p4 -> F p5) & (p6 -> F p7))";
    let root = formula::read(&mut formulas, text, 0).expect("a formula").root;
    let spent = Budget::unlimited().with_timeout(Duration::ZERO);
    let limit = Limit::Time(Duration::ZERO);
    assert_eq!(tern_automata::translate(&mut formulas, root, &spent).err(), Some(limit));
    assert_eq!(
        tern_automata::translate_state_based(&mut formulas, root, &spent).err(),
        Some(limit)
    );
    let enough = Budget::unlimited();
    let sought = Obligation { formula: root, holds: true };
    let mut tableau = Tableau::new(&formulas, sought, &enough);
    enough.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    let state = tableau.initial()[0];
    let letter = FixedBitSet::with_capacity(8);
    let mut out = Vec::new();
    for _ in 0..5000 {
        tableau.successors(state, &letter, &mut out);
    }
    assert_eq!(tableau.limit(), Some(Limit::Interrupted));
}

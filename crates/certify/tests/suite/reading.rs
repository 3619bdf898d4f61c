//! The certifier's own reading of formulas, against oracles that know nothing of it: what it reads
//! means what was written, in every initial configuration; and what the engines are given means the
//! same.

use fastrand::Rng;
use tern_certify::oracle::{exact, pushdown};
use tern_certify::reading;
use tern_model::logic::ctl::{self, Program, Term};
use tern_model::{Budget, Formula, FormulaId, Formulas, Id, TermId};
use tern_testkit::{sample, sketch};

/// A random formula: in CTL, in LTL, or with quantifiers anywhere.
fn any_formula(rng: &mut Rng, formulas: &mut Formulas) -> FormulaId {
    match rng.usize(..4) {
        0 => sample::formula(rng, formulas, 4),
        1 => sample::guarded(rng, formulas, 4),
        2 => {
            let size = rng.usize(2..9);
            sample::ltl(rng, formulas, size)
        }
        _ => {
            let size = rng.usize(2..12);
            sample::ctl_star(rng, formulas, size)
        }
    }
}

fn check(formulas: &Formulas, claim: FormulaId, program: &Program) -> Result<(), String> {
    let budget = Budget::unlimited();
    reading::check(formulas, claim, program, &budget).map_err(|stopped| stopped.to_string())
}

#[test]
fn what_is_read_means_what_was_written() {
    let (mut read, mut of_paths, mut holds) = (0, 0, 0);
    for seed in 0..3_000 {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut formulas = Formulas::new();
        let claim = any_formula(&mut rng, &mut formulas);
        let mut plain = Formulas::new();
        let Some(meaning) = reading::in_ctl(&formulas, claim, &mut plain) else { continue };
        let case = || {
            let (one, other) = (formulas.show(claim), plain.show(meaning));
            format!("seed {seed}: {one} was read as {other}\n{}", sketch::show(&machine))
        };
        let Some(truth) = pushdown::check(&machine, &formulas, claim, 200_000) else { continue };
        let told = exact::check(&machine, &plain, meaning, 200_000).expect("a small table");
        assert_eq!(told, truth, "{}", case());
        read += 1;
        of_paths += usize::from(!formulas.is_state_formula(claim));
        holds += usize::from(truth);
    }
    assert!(read > 1_500 && of_paths > 150, "{read}, {of_paths}");
    assert!(holds * 5 > read && holds * 5 < read * 4, "{holds} of {read}");
}

/// The two readings reach equally far, and come to the same; in whichever order an arena numbers
/// formulas.
#[test]
fn programs_of_the_engines_are_recognised() {
    let mut lowered = 0;
    for seed in 0..20_000 {
        let mut rng = Rng::with_seed(seed);
        let mut formulas = Formulas::new();
        let mut again = rng.clone();
        let claim = any_formula(&mut rng, &mut formulas);
        let shown = formulas.show(claim).to_string();
        let program = ctl::lower(&formulas, claim);
        let read = reading::in_ctl(&formulas, claim, &mut Formulas::new());
        assert_eq!(program.is_ok(), read.is_some(), "seed {seed}: {shown}");
        let Ok(program) = program else { continue };
        assert_eq!(check(&formulas, claim, &program), Ok(()), "seed {seed}: {shown}");
        lowered += 1;
        // An arena in which everything has another number.
        let mut others = Formulas::new();
        for name in ["r", "q", "x", "p"] {
            let atom = others.atom(name);
            let later = others.make(Formula::Finally(atom));
            others.make(Formula::Not(later));
        }
        let same = any_formula(&mut again, &mut others);
        let program = ctl::lower(&others, same).expect("the same claim");
        assert_eq!(check(&others, same, &program), Ok(()), "seed {seed}: {shown}");
    }
    assert!(lowered > 10_000, "{lowered}");
}

/// A program with one term changed means something else, and is refused unless it comes to the
/// same.
#[test]
fn other_programs_are_refused() {
    let (mut refused, mut tried) = (0, 0);
    for seed in 0..4_000 {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut formulas = Formulas::new();
        let claim = any_formula(&mut rng, &mut formulas);
        let Ok(mut program) = ctl::lower(&formulas, claim) else { continue };
        let at = TermId::new(rng.usize(..program.terms.len()));
        program.terms[at] = match program.terms[at] {
            Term::Not(f) => Term::Eg(f),
            Term::And(f, g) => Term::Or(f, g),
            Term::Or(f, g) => Term::And(g, f),
            Term::Ex(f) => Term::Not(f),
            Term::Eu(f, g) => Term::Eu(g, f),
            Term::Eg(f) => Term::Eu(f, f),
            Term::True | Term::Atom(_) => continue,
        };
        tried += 1;
        if check(&formulas, claim, &program).is_err() {
            refused += 1;
            continue;
        }
        // It was accepted, so it has to be right all the same.
        let mut plain = Formulas::new();
        let meaning = written(&program, &formulas, &mut plain);
        let told = exact::check(&machine, &plain, meaning, 200_000);
        let truth = pushdown::check(&machine, &formulas, claim, 200_000);
        if let (Some(told), Some(truth)) = (told, truth) {
            assert_eq!(told, truth, "seed {seed}: {}", formulas.show(claim));
        }
    }
    assert!(refused * 20 > tried * 17 && tried > 1_500, "{refused} of {tried}");
}

/// A program as a formula.
fn written(program: &Program, formulas: &Formulas, out: &mut Formulas) -> FormulaId {
    let mut of: Vec<FormulaId> = Vec::new();
    for (_, &term) in program.terms.iter() {
        let path = match term {
            Term::True => Formula::True,
            Term::Atom(atom) => {
                of.push(out.atom(formulas.atom_name(atom)));
                continue;
            }
            Term::Not(f) => Formula::Not(of[f.index()]),
            Term::And(f, g) => Formula::And(of[f.index()], of[g.index()]),
            Term::Or(f, g) => Formula::Or(of[f.index()], of[g.index()]),
            Term::Ex(f) => Formula::Next(of[f.index()]),
            Term::Eu(f, g) => Formula::Until(of[f.index()], of[g.index()]),
            Term::Eg(f) => Formula::Globally(of[f.index()]),
        };
        let made = out.make(path);
        of.push(if term.is_temporal() { out.make(Formula::Exists(made)) } else { made });
    }
    of[program.root.index()]
}

#[test]
fn programs_that_are_none_are_refused() {
    let mut formulas = Formulas::new();
    let claim = sketch::formula(&mut formulas, "E F p");
    let other = sketch::formula(&mut formulas, "E F q");
    let good = ctl::lower(&formulas, claim).expect("CTL");
    let refused = |program: &Program, words: &str| {
        let why = check(&formulas, claim, program).expect_err("it is wrong");
        assert!(why.contains(words), "{why}");
    };
    let mut bad = good.clone();
    bad.root = TermId::new(99);
    refused(&bad, "no such root");
    let mut bad = good.clone();
    let last = TermId::new(bad.terms.len() - 1);
    bad.terms[last] = Term::Ex(last);
    refused(&bad, "before its operand");
    refused(&ctl::lower(&formulas, other).expect("CTL"), "does not speak of its proposition");
    let beyond = sketch::formula(&mut formulas, "F G p");
    let why = check(&formulas, beyond, &good).expect_err("it is no CTL");
    assert!(why.contains("beyond CTL"), "{why}");
}

#[test]
fn depth_is_no_problem() {
    let mut formulas = Formulas::new();
    let mut claim = formulas.atom("p");
    for _ in 0..100_000 {
        let next = formulas.make(Formula::Next(claim));
        claim = formulas.make(Formula::All(next));
    }
    let program = ctl::lower(&formulas, claim).expect("CTL");
    assert_eq!(check(&formulas, claim, &program), Ok(()));
}

/// What laws that are wrong, or meant for another operator, would make of a claim.
const WRONG: [(&str, &str); 16] = [
    ("A U p q", "A W p q"),
    ("A W p q", "A U p q"),
    ("E R p q", "E M p q"),
    ("E M p q", "E R p q"),
    ("A R p q", "A R q p"),
    ("U p q", "E U p q"),
    ("G -> p F q", "A G -> p E F q"),
    ("G -> p F q", "A G -> q A F p"),
    ("G F p", "A F A G p"),
    ("E & q F p", "E F & q p"),
    ("A | q G p", "A G | q p"),
    ("! X p", "! E X ! p"),
    ("E X p", "A X p"),
    ("xor p E X q", "<-> p E X q"),
    ("-> E X p q", "-> q E X p"),
    ("F p", "E F p"),
];

#[test]
fn what_a_wrong_law_would_make_is_refused() {
    for (claim, wrong) in WRONG {
        let mut formulas = Formulas::new();
        let claimed = sketch::formula(&mut formulas, claim);
        let made = sketch::formula(&mut formulas, wrong);
        let good = ctl::lower(&formulas, claimed).unwrap_or_else(|_| panic!("{claim} is CTL"));
        assert_eq!(check(&formulas, claimed, &good), Ok(()), "{claim}");
        let bad = ctl::lower(&formulas, made).unwrap_or_else(|_| panic!("{wrong} is CTL"));
        assert!(check(&formulas, claimed, &bad).is_err(), "{claim} was taken for {wrong}");
    }
}

//! Evidence for claims in CTL*: the verdict that it proves is that of an oracle that shares no code, the checker accepts
//! it, and refuses it when it is spoilt.
//!
//! `TERN_PAIRS` sets the number of pairs of each test, `TERN_SEED` where they begin.

#![allow(clippy::print_stdout)] // says how much was tried

use fastrand::Rng;
use tern_certify::{pushdown, sample, sketch, star, tiny};
use tern_engine::{Checker, Proved, Reach, prove_star};
use tern_model::{Budget, FormulaId, Formulas, Machine, Verdict};

/// How many heads or classes the oracle may use.
const LIMIT: usize = 20_000;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn seeds(default: u64) -> std::ops::Range<u64> {
    let first = setting("TERN_SEED", 0);
    first..first + setting("TERN_PAIRS", default)
}

fn case(machine: &Machine, formulas: &Formulas, claim: FormulaId) -> String {
    format!("{}\n{}", sketch::show(machine), formulas.show(claim))
}

/// A random machine with a formula of CTL*, LTL or CTL in turn.
fn pair(seed: u64) -> (Machine, Formulas, FormulaId) {
    let mut rng = Rng::with_seed(seed);
    let machine = sample::machine(&mut rng, &sample::Shape::default());
    let mut formulas = Formulas::new();
    let size = rng.usize(2..10);
    let claim = match seed % 4 {
        0 | 1 => sample::ctl_star(&mut rng, &mut formulas, size),
        2 => sample::ltl(&mut rng, &mut formulas, size.min(7)),
        _ => sample::formula(&mut rng, &mut formulas, 3),
    };
    (machine, formulas, claim)
}

fn proved(machine: &Machine, formulas: &Formulas, claim: FormulaId) -> Proved {
    let proved = prove_star(machine, formulas, claim, &Budget::unlimited());
    proved.expect("no limits are set").expect("there are few promises")
}

/// Proves a claim, and compares with the oracle and the engine.
fn compare(machine: &Machine, formulas: &Formulas, claim: FormulaId, engine: bool) -> Option<bool> {
    let Proved { culprit, evidence } = proved(machine, formulas, claim);
    let verdict = Verdict::from(culprit.is_none());
    let case = || case(machine, formulas, claim);
    if let Err(refusal) = star::check(machine, formulas, claim, &verdict, &evidence) {
        panic!("{refusal}\n{}\n{evidence:#?}", case());
    }
    let opposite = Verdict::from(culprit.is_some());
    assert!(star::check(machine, formulas, claim, &opposite, &evidence).is_err(), "{}", case());
    let truth = pushdown::check(machine, formulas, claim, LIMIT)?;
    assert_eq!(culprit.is_none(), truth, "the oracle disagrees: {}", case());
    if engine {
        let budget = Budget::unlimited();
        let checker = Checker::new(machine, &budget).expect("no limits are set");
        let answers = checker.answers(formulas, claim, &[], Reach::Everything, &budget);
        let (answers, _) = answers.expect("no limits are set");
        assert_eq!(answers.iter().all(|&answer| answer), truth, "{}", case());
    }
    Some(truth)
}

#[test]
fn random_machines_against_the_oracle() {
    let (mut pairs, mut spoken, mut holds) = (0, 0, 0);
    for seed in seeds(3000) {
        let (machine, formulas, claim) = pair(seed);
        pairs += 1;
        if let Some(truth) = compare(&machine, &formulas, claim, seed % 8 == 0) {
            spoken += 1;
            holds += u64::from(truth);
        }
    }
    println!("{pairs} pairs, the oracle spoke {spoken} times, {holds} hold");
    assert!(spoken * 100 >= pairs * 95, "the oracle was silent too often");
    assert!((15..85).contains(&(holds * 100 / spoken)), "the verdicts are one-sided");
}

//! Claims of CTL around claims of CTL*: one implies it, and it implies the other, in all states of
//! random structures, by an oracle for CTL*.

use crate::integers::number_from;
use std::collections::BTreeSet;
use tern_certify::implied;
use tern_certify::oracle::finite::{Structure, label};
use tern_model::logic::ctl;
use tern_model::{Budget, Formula, FormulaId, Formulas};
use tern_program::c::stronger::around;
use tern_testkit::sample;

pub(crate) fn structure(random: &mut fastrand::Rng) -> Structure {
    let states = random.usize(1..5);
    let next =
        (0..states).map(|_| (0..random.usize(1..3)).map(|_| random.usize(..states)).collect());
    let next = next.collect();
    let names = ["p", "q", "r"];
    let mut labels = || {
        let names = names.into_iter().filter(|_| random.bool());
        names.map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let labels = (0..states).map(|_| labels()).collect();
    Structure::new(vec![0], next, labels).expect("all states have successors")
}

/// Some of `F a`, `G a`, `F G a` and `G F a`, joined at random: more is said of these.
pub(crate) fn recurring(random: &mut fastrand::Rng, formulas: &mut Formulas) -> FormulaId {
    let mut claim: Option<FormulaId> = None;
    for _ in 0..random.usize(2..5) {
        let size = random.usize(1..4);
        let mut part = sample::ltl(random, formulas, size);
        for _ in 0..random.usize(1..3) {
            part = formulas.make(match random.bool() {
                true => Formula::Finally(part),
                false => Formula::Globally(part),
            });
        }
        if random.usize(..4) == 0 {
            part = formulas.make(Formula::Not(part));
        }
        claim = Some(match (claim, random.usize(..5)) {
            (None, _) => part,
            (Some(claim), 0) => formulas.make(Formula::Implies(claim, part)),
            (Some(claim), 1 | 2) => formulas.make(Formula::And(part, claim)),
            (Some(claim), _) => formulas.make(Formula::Or(claim, part)),
        });
    }
    let claim = claim.expect("there is a part");
    formulas.make(if random.bool() { Formula::All(claim) } else { Formula::Exists(claim) })
}

#[test]
fn claims_imply_what_they_should() {
    let (count, first) = (number_from("TERN_PAIRS", 1500), number_from("TERN_SEED", 1));
    let (mut checked, mut decided, mut states, mut beyond) = (0, 0, 0, 0);
    for seed in first..first + count {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut formulas = Formulas::new();
        let size = random.usize(2..9);
        let claim = match random.usize(..3) {
            0 => sample::ltl(&mut random, &mut formulas, size),
            1 => sample::ctl_star(&mut random, &mut formulas, size),
            _ => recurring(&mut random, &mut formulas),
        };
        let (stronger, weaker) = around(&mut formulas, claim);
        let is_ctl = ctl::lower(&formulas, claim).is_ok();
        let all = [(stronger, true), (weaker, false)].map(|(formula, holds)| {
            let shown = formulas.show(formula);
            let program = ctl::lower(&formulas, formula);
            (program.unwrap_or_else(|_| panic!("seed {seed}: {shown} is not CTL")), holds)
        });
        // The certifier has a law of its own that says what may stand for the claim.
        for (program, holds) in all.iter().filter(|_| !is_ctl) {
            let asked = (&formulas, claim);
            let said = implied::check(asked, *holds, program, &Budget::unlimited());
            assert_eq!(said, Ok(()), "seed {seed}: {}", formulas.show(claim));
            let other = implied::check(asked, !holds, program, &Budget::unlimited());
            assert!(other.is_err() || all[0].0 == all[1].0, "{}", formulas.show(claim));
            beyond += 1;
        }
        let structure = structure(&mut random);
        let truth = |formula| label(&structure, &formulas, formula, 1 << 12);
        let (Some(strong), Some(exact), Some(weak)) =
            (truth(stronger), truth(claim), truth(weaker))
        else {
            continue;
        };
        checked += 1;
        for state in 0..structure.state_count() {
            let shown = || {
                let (s, c, w) =
                    (formulas.show(stronger), formulas.show(claim), formulas.show(weaker));
                format!("seed {seed}, state {state} of {structure:?}\n{s}\n{c}\n{w}")
            };
            assert!(!strong[state] || exact[state], "not stronger: {}", shown());
            assert!(!exact[state] || weak[state], "not weaker: {}", shown());
            states += 1;
            decided += usize::from(strong[state] || !weak[state]);
        }
    }
    println!("{checked} claims from seed {first}: {decided} of {states} states decided");
    assert!(beyond * 4 > count, "too few claims are beyond CTL");
    assert!(decided * 2 > states, "too little is decided to test anything");
}

//! Evidence about runs that has been spoiled in one place must be refused.
//!
//! Each kind of spoiling is tried on the evidence of many random claims. Most kinds must be refused
//! whenever they change anything; a few may leave evidence that is right, and must be refused at
//! least now and then.

#![allow(clippy::print_stdout)] // says how often each kind was tried and refused
#![allow(clippy::unit_arg)] // `Some(list.clear())` says that a kind applies

mod automata;
mod fairness;
mod kinds;
use crate::certifier::certify;
use fastrand::Rng;
use kinds::{ALWAYS, ALWAYS_FOR_FORMULAS, Case, NOW_AND_THEN, NOW_AND_THEN_FOR_FORMULAS, Spoil};
use tern_engine::{Checker, Engine, Options};
use tern_model::{Budget, Formula, FormulaId, Formulas, Machine};
use tern_testkit::{sample, sketch};

/// How often each kind was tried and refused.
struct Tally {
    always: Vec<(&'static str, Spoil)>,
    now_and_then: Vec<(&'static str, Spoil)>,
    tried: Vec<usize>,
    refused: Vec<usize>,
}

impl Tally {
    fn new(always: &[&[(&'static str, Spoil)]], now_and_then: &[&[(&'static str, Spoil)]]) -> Self {
        let (always, now_and_then) = (always.concat(), now_and_then.concat());
        let count = always.len() + now_and_then.len();
        Tally { always, now_and_then, tried: vec![0; count], refused: vec![0; count] }
    }

    /// Tries each kind on a case that is accepted.
    fn spoil(
        &mut self,
        whole: &Case,
        rng: &mut Rng,
        is_accepted: impl Fn(&Case) -> bool,
        describe: impl Fn() -> String,
    ) {
        let kinds = self.always.iter().chain(&self.now_and_then);
        for (number, (name, spoil)) in kinds.enumerate() {
            let mut case = whole.clone();
            if spoil(&mut case, rng).is_none() {
                continue;
            }
            self.tried[number] += 1;
            if !is_accepted(&case) {
                self.refused[number] += 1;
            } else if number < self.always.len() {
                panic!("{name}: accepted\n{}\n{:#?}", describe(), case.evidence);
            }
        }
    }

    /// How often each kind was refused, and tried.
    fn counts(&self) -> impl Iterator<Item = (&'static str, usize, usize)> {
        let kinds = self.always.iter().chain(&self.now_and_then);
        kinds.zip(self.refused.iter().zip(&self.tried)).map(|((name, _), (&refused, &tried))| {
            println!("{refused:>5} of {tried:>5} refused: {name}");
            (*name, refused, tried)
        })
    }

    fn report(&self) {
        for (name, refused, tried) in self.counts() {
            assert!(tried > 20, "{name} was hardly tried");
            assert!(refused * 10 >= tried, "{name} is hardly ever refused");
        }
    }
}

fn pair(seed: u64) -> (Machine, Formulas, FormulaId, Rng) {
    let mut rng = Rng::with_seed(seed);
    let machine = sample::machine(&mut rng, &sample::Shape::default());
    let mut formulas = Formulas::new();
    let path = sample::ltl(&mut rng, &mut formulas, 2 + (seed % 7) as usize);
    let claim = if seed.is_multiple_of(3) { formulas.make(Formula::Exists(path)) } else { path };
    (machine, formulas, claim, rng)
}

#[test]
fn spoiled_evidence_about_runs_is_refused() {
    let budget = Budget::unlimited();
    let mut tally =
        Tally::new(&[ALWAYS, ALWAYS_FOR_FORMULAS], &[NOW_AND_THEN, NOW_AND_THEN_FOR_FORMULAS]);
    for seed in 0..6_000 {
        let (machine, formulas, claim, mut rng) = pair(seed);
        let checker = Checker::new(&machine, &budget).expect("no limits are set");
        let options =
            Options { engine: Engine::named("tableau"), evidence: true, ..Options::default() };
        let outcome = checker.check(&formulas, claim, &options, &budget);
        let Some(evidence) = outcome.evidence else { panic!("seed {seed}: no evidence") };
        let whole = Case::new(&machine, outcome.verdict, evidence, None);
        let check =
            |case: &Case| certify(&machine, &formulas, claim, &case.verdict, &case.evidence);
        check(&whole).unwrap_or_else(|why| panic!("seed {seed}: {why:?}"));
        let describe = || {
            let (machine, claim) = (sketch::show(&machine), formulas.show(claim));
            format!("seed {seed}\n{machine}\n{claim}")
        };
        tally.spoil(&whole, &mut rng, |case| check(case).is_ok(), describe);
    }
    tally.report();
}

//! CTL* against oracles that share no code with the engine: at random, and on machines of tiny shapes.
//!
//! `TERN_PAIRS` sets the number of pairs of each test, `TERN_SEED` where they begin.

#![allow(clippy::print_stdout)] // says how often the oracles spoke

use tern_certify::{exact, pushdown, sample, sketch, tiny};
use tern_engine::{Checker, Reach};
use tern_model::{Budget, Formula, FormulaId, Formulas, Machine};

/// How many rows, heads or classes the oracles may use.
const LIMIT: usize = 20_000;

/// How often the oracle had something to say, and how often that was yes.
#[derive(Default, Debug)]
struct Spoken {
    pairs: u64,
    spoken: u64,
    holds: u64,
}

impl Spoken {
    /// Compares one answer of the engine with what an oracle says.
    fn compare(&mut self, answer: bool, truth: Option<bool>, case: impl FnOnce() -> String) {
        self.pairs += 1;
        if let Some(truth) = truth {
            self.spoken += 1;
            self.holds += u64::from(truth);
            assert!(answer == truth, "the engine says {answer}, the oracle {truth}: {}", case());
        }
    }

    /// Tests the test: the oracle spoke, and not always the same.
    fn check(&self) {
        println!("{self:?}");
        assert!(self.spoken * 100 >= self.pairs * 95, "the oracle was silent too often: {self:?}");
        let share = self.holds * 100 / self.spoken;
        assert!((15..85).contains(&share), "the verdicts are one-sided: {self:?}");
    }
}

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

/// Whether a claim holds, by automata for what is beyond CTL, and for everything: which must agree.
fn holds(machine: &Machine, formulas: &Formulas, claim: FormulaId, fair: &[FormulaId]) -> bool {
    let budget = Budget::unlimited();
    let checker = Checker::new(machine, &budget).expect("no limits are set");
    let [some, all] = [Reach::BeyondCtl, Reach::Everything].map(|reach| {
        let (answers, _) =
            checker.answers(formulas, claim, fair, reach, &budget).expect("no limits are set");
        assert_eq!(answers.len(), machine.initial().len());
        answers.iter().all(|&answer| answer)
    });
    assert_eq!(some, all, "the two ways differ: {}", case(machine, formulas, claim));
    some
}

fn machine(rng: &mut fastrand::Rng, seed: u64) -> Machine {
    let usual = sample::Shape::default();
    let large = sample::Shape { components: 4, nodes: 8, boxes: 3, ..usual.clone() };
    sample::machine(rng, if seed % 8 == 0 { &large } else { &usual })
}

/// Compares the engine with the oracle for CTL* on random machines.
fn compare_at_random(
    pairs: u64,
    mut claim: impl FnMut(&mut fastrand::Rng, &mut Formulas, u64) -> FormulaId,
) {
    let mut spoken = Spoken::default();
    for seed in seeds(pairs) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let machine = machine(&mut rng, seed);
        let mut formulas = Formulas::new();
        let claim = claim(&mut rng, &mut formulas, seed);
        let answer = holds(&machine, &formulas, claim, &[]);
        let truth = pushdown::check(&machine, &formulas, claim, LIMIT);
        let case = || format!("seed {seed}\n{}", case(&machine, &formulas, claim));
        spoken.compare(answer, truth, case);
    }
    spoken.check();
}

#[test]
fn ltl_agrees_with_the_oracle() {
    compare_at_random(2_000, |rng, formulas, seed| {
        sample::ltl(rng, formulas, 2 + (seed % 7) as usize)
    });
}

#[test]
fn ctl_star_agrees_with_the_oracle() {
    compare_at_random(2_000, |rng, formulas, seed| {
        sample::ctl_star(rng, formulas, 4 + (seed % 9) as usize)
    });
}

#[test]
fn ctl_by_automata_is_ctl() {
    let mut spoken = Spoken::default();
    for seed in seeds(2_000) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let machine = machine(&mut rng, seed);
        let mut formulas = Formulas::new();
        let claim = sample::formula(&mut rng, &mut formulas, 1 + (seed % 4) as usize);
        let answer = holds(&machine, &formulas, claim, &[]);
        let truth = exact::check(&machine, &formulas, claim, LIMIT);
        let case = || format!("seed {seed}\n{}", case(&machine, &formulas, claim));
        spoken.compare(answer, truth, case);
    }
    spoken.check();
}

#[test]
fn fair_paths_agree_with_the_oracle() {
    let mut spoken = Spoken::default();
    for seed in seeds(1_000) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let machine = machine(&mut rng, seed);
        let mut formulas = Formulas::new();
        let path = sample::ltl(&mut rng, &mut formulas, 1 + (seed % 5) as usize);
        let fair: Vec<FormulaId> =
            (0..1 + seed % 2).map(|_| sample::formula(&mut rng, &mut formulas, 1)).collect();
        let always = fair.iter().fold(None, |all: Option<FormulaId>, &condition| {
            let later = formulas.make(Formula::Finally(condition));
            let recurs = formulas.make(Formula::Globally(later));
            Some(all.map_or(recurs, |all| formulas.make(Formula::And(recurs, all))))
        });
        let always = always.expect("there is a condition");
        let (claim, restricted) = match seed % 3 {
            0 => (path, formulas.make(Formula::Implies(always, path))),
            1 => {
                let restricted = formulas.make(Formula::Implies(always, path));
                (formulas.make(Formula::All(path)), formulas.make(Formula::All(restricted)))
            }
            _ => {
                let restricted = formulas.make(Formula::And(always, path));
                (formulas.make(Formula::Exists(path)), formulas.make(Formula::Exists(restricted)))
            }
        };
        let answer = holds(&machine, &formulas, claim, &fair);
        // A claim about the state alone asks for no path.
        let meant =
            if seed % 3 == 0 && formulas.is_state_formula(path) { path } else { restricted };
        let truth = pushdown::check(&machine, &formulas, meant, LIMIT);
        let case = || format!("seed {seed}\n{}", case(&machine, &formulas, meant));
        spoken.compare(answer, truth, case);
    }
    spoken.check();
}

/// All small path formulas on all tiny machines, of which every so many pairs are tried.
#[test]
fn small_path_formulas_agree_with_the_oracle_on_tiny_machines() {
    let mut formulas = Formulas::new();
    let claims = tiny::ltl_formulas(&mut formulas, 2);
    let families: Vec<tiny::Family> =
        tiny::Family::all().into_iter().filter(|family| family.nodes < 3).collect();
    let size = |family: &tiny::Family| family.size() * claims.len() as u64;
    let total: u64 = families.iter().map(size).sum();
    // Odd, and so prime to the sizes of the families.
    let stride = (total / setting("TERN_PAIRS", 4_000)).max(1) | 1;
    let mut spoken = Spoken::default();
    for family in families {
        // Small families are not to be missed.
        let stride = stride.min(size(&family) / 300 | 1) as usize;
        for pair in (setting("TERN_SEED", 0) % stride as u64..size(&family)).step_by(stride) {
            let machine = family.machine(pair % family.size());
            let claim = claims[(pair / family.size()) as usize];
            let answer = holds(&machine, &formulas, claim, &[]);
            let truth = pushdown::check(&machine, &formulas, claim, LIMIT);
            spoken.compare(answer, truth, || case(&machine, &formulas, claim));
        }
    }
    spoken.check();
}

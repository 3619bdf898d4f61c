//! The two oracles agree wherever unfolding speaks, and it speaks often enough to mean something.
#![allow(clippy::print_stderr)] // `--nocapture` shows how much the tests tested

use fastrand::Rng;
use std::time::{Duration, Instant};
use tern_certify::oracle::{exact, unfold};
use tern_model::{FormulaId, Formulas, Machine, Tri};
use tern_testkit::{sample, sketch, tiny};

const LIMIT: usize = 200_000;

/// What a comparison came to.
#[derive(Default)]
struct Tally {
    pairs: u32,
    spoke: u32,
    holds: u32,
    unfolding: Duration,
    exact: Duration,
}

impl Tally {
    fn compare(&mut self, machine: &Machine, formulas: &Formulas, claim: FormulaId, origin: &str) {
        let about = || format!("{origin}\n{}\n{}", formulas.show(claim), sketch::show(machine));
        let start = Instant::now();
        let truth = exact::check(machine, formulas, claim, LIMIT);
        let truth = truth.unwrap_or_else(|| panic!("the table is too large: {}", about()));
        self.exact += start.elapsed();
        let start = Instant::now();
        let unfolded = unfold::check(machine, formulas, claim, 5, 400).expect("CTL");
        self.unfolding += start.elapsed();
        self.pairs += 1;
        self.holds += u32::from(truth);
        if let Some(unfolded) = unfolded.known() {
            self.spoke += 1;
            assert_eq!(unfolded, truth, "unfolding and table differ: {}", about());
        }
    }

    /// Tests the test: enough was said, and not always the same.
    fn check_worth(&self, name: &str, spoken_percent: u32) {
        let Tally { pairs, spoke, holds, .. } = *self;
        let (unfolding, exact) = (self.unfolding / pairs, self.exact / pairs);
        eprintln!(
            "{name}: {pairs} pairs, unfolding spoke on {spoke}, {holds} hold; \
             {unfolding:?} and {exact:?} a pair"
        );
        assert!(spoke * 100 >= pairs * spoken_percent, "unfolding was silent too often");
        assert!(holds * 4 >= pairs && holds * 4 <= pairs * 3, "the verdicts are lopsided");
    }
}

#[test]
fn on_random_machines() {
    let mut tally = Tally::default();
    for seed in 0..6000 {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut formulas = Formulas::new();
        let claim = sample::formula(&mut rng, &mut formulas, 3);
        tally.compare(&machine, &formulas, claim, &format!("seed {seed}"));
    }
    tally.check_worth("random machines", 60);
}

#[test]
fn on_tiny_machines() {
    let mut formulas = Formulas::new();
    let claims = tiny::formulas(&mut formulas);
    let mut tally = Tally::default();
    for family in tiny::Family::all() {
        // The smaller families as a whole, of the others about as many as of those.
        let stride = (family.size() / 512) | 1;
        for (count, machine) in family.machines(0, stride).enumerate() {
            for &claim in &claims {
                let number = count as u64 * stride;
                tally.compare(&machine, &formulas, claim, &format!("{family:?} number {number}"));
            }
        }
    }
    tally.check_worth("tiny machines", 60);
}

/// Not the verdict alone: the truth of a formula at each configuration, under each stack.
#[test]
fn at_every_depth() {
    let (mut spoke, mut compared) = (0, 0);
    for seed in 10_000..11_500 {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut formulas = Formulas::new();
        let claim = sample::formula(&mut rng, &mut formulas, 2);
        let solution = exact::solve(&machine, &formulas, claim, LIMIT).expect("it is small");
        for (stack, node, value) in unfold::label(&machine, &formulas, claim, 4, 300).expect("CTL")
        {
            compared += 1;
            let truth = solution.at(&stack, node).expect("it can be called");
            if value != Tri::Unknown {
                spoke += 1;
                assert_eq!(
                    value,
                    Tri::from(truth),
                    "seed {seed}, stack {stack:?}, node {node:?}\n{}\n{}",
                    formulas.show(claim),
                    sketch::show(&machine)
                );
            }
        }
    }
    eprintln!("at every depth: {compared} configurations, unfolding spoke on {spoke}");
    assert!(spoke * 10 >= compared * 6, "unfolding was silent too often");
}

/// Looking deeper may decide what was open, and never revises what was said.
#[test]
fn a_deeper_unfolding_says_the_same_or_more() {
    for seed in 20_000..20_500 {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut formulas = Formulas::new();
        let claim = sample::formula(&mut rng, &mut formulas, 3);
        let mut last = Tri::Unknown;
        for depth in 0..5 {
            let value = unfold::check(&machine, &formulas, claim, depth, 2000).expect("CTL");
            assert!(
                last == Tri::Unknown || value == last,
                "seed {seed}, depth {depth}\n{}\n{}",
                formulas.show(claim),
                sketch::show(&machine)
            );
            last = value;
        }
    }
}

/// The seeds of the tests above do produce what the sampler promises.
#[test]
fn the_samples_have_everything() {
    use tern_model::{Edge, EndRule, Place};
    let mut seen = [0u32; 9];
    for seed in 0..500 {
        let machine = sample::machine(&mut Rng::with_seed(seed), &sample::Shape::default());
        let returns =
            |edges: &[Edge]| edges.iter().filter(|edge| matches!(edge, Edge::Return(_))).count();
        let node = |test: &dyn Fn(&[Edge]) -> bool| machine.nodes().any(|n| test(machine.edges(n)));
        let sites: Vec<_> = machine.boxes().flat_map(|b| machine.sites_of(b)).collect();
        let calls_on = |again: bool| {
            sites.iter().any(|&(_, site)| {
                let Place::Site(from, _) = machine.place(site) else { return false };
                let edges = machine.edges_at(site);
                edges.iter().any(|e| matches!(*e, Edge::Call(to, _) if (to == from) == again))
            })
        };
        let one_node = |n| machine.is_entry(n) && matches!(machine.edges(n), [Edge::Return(_)]);
        let expected_sites: usize =
            machine.boxes().map(|b| machine.exits_of(machine.callee(b)).len()).sum();
        let has = [
            machine.nodes().any(one_node),
            node(&|edges| edges.is_empty()),
            node(&|edges| returns(edges) >= 2 && returns(edges) < edges.len()),
            calls_on(true),
            calls_on(false),
            sites.len() < expected_sites,
            machine.end_rule() == EndRule::Sink,
            machine
                .initial()
                .iter()
                .any(|&n| machine.component_of(n) != machine.component_of(machine.initial()[0])),
            machine
                .components()
                .any(|c| machine.entries_of(c).len() > 1 && machine.exits_of(c).len() > 1),
        ];
        for (count, has) in seen.iter_mut().zip(has) {
            *count += u32::from(has);
        }
    }
    eprintln!("machines of 500 with each feature: {seen:?}");
    assert!(seen.iter().all(|&count| count >= 25), "{seen:?}");
}

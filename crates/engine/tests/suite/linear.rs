//! The engines for linear time against an oracle of another design: at random, and on tiny machines
//! with all small formulas. Their evidence is checked each time.
//!
//! `TERN_PAIRS` sets the number of random pairs, `TERN_SEED` where they begin; `TERN_WHOLE` up to
//! which size families of tiny machines are gone through whole.

#![allow(clippy::print_stdout)] // says how often the oracle spoke

use crate::certifier::certify;
use tern_certify::oracle::pushdown;
use tern_engine::{Checker, ENGINES, Engine, Options};
use tern_model::logic::Logic;
use tern_model::{
    AnnotatedRun, Budget, Builder, Edge, Formula, FormulaId, Formulas, Machine, NodeId, Place,
    Reason, Story, Verdict,
};
use tern_testkit::{sample, setting, sketch, tiny};

/// How many heads or classes the oracle may use.
const HEADS: usize = 20_000;

#[derive(Default, Debug)]
struct Spoken {
    pairs: usize,
    oracle: usize,
    holds: usize,
    accepted: usize,
}

/// Decides one claim by every engine, and compares with the oracle.
fn compare(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    from: &str,
    spoken: &mut Spoken,
) {
    let budget = Budget::unlimited();
    let checker = Checker::new(machine, &budget).expect("no limits are set");
    let truth = pushdown::check(machine, formulas, claim, HEADS);
    let case = || format!("{from}\n{}\n{}", sketch::show(machine), formulas.show(claim));
    spoken.pairs += 1;
    spoken.oracle += usize::from(truth.is_some());
    let mut first = truth;
    let named = ENGINES.into_iter().filter(|engine| engine.logic != Logic::Ctl).map(Some);
    for engine in named.chain([None]) {
        let name = engine.map_or("auto", |engine| engine.name);
        let (evidence, runs) = (true, Some(100_000));
        let options = Options { engine, evidence, runs, ..Options::default() };
        let outcome = checker.check(formulas, claim, &options, &budget);
        let verdict = outcome.verdict.known();
        assert!(verdict.is_some(), "{} says {:?}: {}", name, outcome.verdict, case());
        let expected = *first.get_or_insert(verdict == Some(true));
        assert_eq!(verdict, Some(expected), "{}, truth {truth:?}: {}", name, case());
        let Some(evidence) = &outcome.evidence else {
            panic!("{} gives no evidence: {}", name, case())
        };
        if let Err(refusal) = certify(machine, formulas, claim, &outcome.verdict, evidence) {
            panic!("{}: {refusal:?}: {evidence:#?} {}", name, case());
        }
        spoken.accepted += 1;
    }
    spoken.holds += usize::from(first == Some(true));
}

#[test]
fn engines_agree_with_the_oracle_on_random_machines() {
    let (first, pairs) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 800));
    let mut spoken = Spoken::default();
    let large =
        sample::Shape { components: 4, nodes: 8, boxes: 4, exits: 3, ..sample::Shape::default() };
    for seed in first..first + pairs {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = if seed % 4 == 0 { &large } else { &sample::Shape::default() };
        let machine = sample::machine(&mut rng, shape);
        let mut formulas = Formulas::new();
        let path = sample::ltl(&mut rng, &mut formulas, 1 + (seed % 8) as usize);
        let claim = match seed % 5 {
            0 => formulas.make(Formula::Exists(path)),
            1 => {
                let all = formulas.make(Formula::All(path));
                formulas.make(Formula::Not(all))
            }
            2 => formulas.make(Formula::All(path)),
            _ => path,
        };
        compare(&machine, &formulas, claim, &format!("seed {seed}"), &mut spoken);
    }
    println!("{spoken:?}");
    let share = |count: usize| count * 100 / spoken.pairs;
    assert!(share(spoken.oracle) >= 95, "the oracle was silent too often: {spoken:?}");
    assert!((20..80).contains(&share(spoken.holds)), "the verdicts are one-sided: {spoken:?}");
}

#[test]
fn engines_agree_with_the_oracle_on_tiny_machines() {
    let mut spoken = Spoken::default();
    // Families of up to so many machines are gone through whole, of the others a few machines are
    // taken.
    let whole = setting("TERN_WHOLE", 2);
    let few = (whole / 2).clamp(1, 12);
    let step = if whole > 2 { 1 } else { 3 };
    for family in tiny::Family::all() {
        let stride = if family.size() <= whole { 1 } else { (family.size() / few).max(1) | 1 };
        for machine in family.machines(0, stride) {
            let mut formulas = Formulas::new();
            for claim in tiny::ltl_formulas(&mut formulas, 2).into_iter().step_by(step) {
                compare(&machine, &formulas, claim, &format!("{family:?}"), &mut spoken);
            }
        }
    }
    println!("{spoken:?}");
    assert!(spoken.oracle * 10 >= spoken.pairs * 9, "{spoken:?}");
}

/// What is reached from several initial nodes is followed once, not once for each of them; and the
/// run still begins where it is said to.
#[test]
fn many_initial_nodes_are_followed_together() {
    const COUNT: usize = 2_000;
    let mut b = Builder::new();
    let main = b.component("main");
    let chain: Vec<NodeId> = (0..COUNT).map(|i| b.node(main, &format!("n{i}"))).collect();
    for (i, &node) in chain.iter().enumerate() {
        b.label(node, "p");
        let next = chain.get(i + 1).copied().unwrap_or(node);
        b.edge(Place::Node(node), Edge::Step(next));
        b.initial(node);
    }
    let bad = b.node(main, "bad");
    b.edge(Place::Node(chain[COUNT / 2]), Edge::Step(bad));
    b.edge(Place::Node(bad), Edge::Step(bad));
    let machine = b.finish().expect("a sound machine");
    let mut formulas = Formulas::new();
    let [holds, fails] =
        ["F G | p X X ! p", "F G p"].map(|text| sketch::formula(&mut formulas, text));
    let budget = Budget::unlimited();
    let checker = Checker::new(&machine, &budget).expect("no limits are set");
    for engine in ["automata", "tableau", "on-the-fly", "hybrid"] {
        let named = Engine::named(engine);
        assert!(named.is_some());
        let options = Options { engine: named, runs: Some(COUNT), ..Options::default() };
        let outcome = checker.check(&formulas, holds, &options, &budget);
        assert_eq!(outcome.verdict, Verdict::Holds, "{engine}");
        assert!(outcome.stats.product_nodes < 20 * COUNT as u64, "{engine}: {:?}", outcome.stats);
        let outcome = checker.check(&formulas, fails, &options, &budget);
        assert_eq!(outcome.verdict, Verdict::Fails, "{engine}");
        let [(at, Story { reason: Reason::Run(AnnotatedRun { run, .. }), .. })] =
            &outcome.stories[..]
        else {
            panic!("{engine}: {:?}", outcome.stories)
        };
        assert_eq!(outcome.culprit, Some((*at).into()), "{engine}");
        // The first move leads on from there.
        let first = run.moves.first().expect("an endless run moves");
        assert!(machine.edges(*at).contains(&Edge::Step(first.node)), "{engine}");
    }
}

//! Random machines as spaces: every engine says of the space what it says of the machine.

#![allow(clippy::print_stdout)] // says how much was checked

use super::watched::Watched;
use super::{decide_and_check, written};
use tern_engine::{Checker, ENGINES, Options, SpaceChecker};
use tern_model::logic::Logic;
use tern_model::{Budget, Formula, FormulaId, Formulas, Gap, Id, Machine, Verdict};
use tern_testkit::{sample, setting, sketch};

fn formula(rng: &mut fastrand::Rng, formulas: &mut Formulas, seed: u64) -> FormulaId {
    let size = 1 + (seed % 6) as usize;
    match seed % 6 {
        0 => sample::ctl_star(rng, formulas, size),
        1 => {
            let path = sample::ltl(rng, formulas, size);
            formulas.make(Formula::Exists(path))
        }
        2 | 3 => sample::ltl(rng, formulas, size),
        _ => sample::formula(rng, formulas, 1 + size / 2),
    }
}

fn machine(rng: &mut fastrand::Rng, seed: u64) -> Machine {
    let small = sample::Shape::default();
    let large = sample::Shape { components: 4, nodes: 8, boxes: 4, exits: 3, ..small.clone() };
    sample::machine(rng, if seed.is_multiple_of(4) { &large } else { &small })
}

#[test]
fn engines_say_of_a_space_what_they_say_of_the_machine() {
    let (first, pairs) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 200));
    let budget = Budget::unlimited();
    let (mut asked, mut with_evidence, mut fails) = (0, 0, 0);
    for seed in first..first + pairs {
        let mut rng = fastrand::Rng::with_seed(seed);
        let machine = machine(&mut rng, seed);
        let mut formulas = Formulas::new();
        let claims: Vec<FormulaId> =
            (0..2).map(|i| formula(&mut rng, &mut formulas, seed + i)).collect();
        let known = Checker::new(&machine, &budget).expect("no limits are set");
        for engine in ENGINES.into_iter().map(Some).chain([None]) {
            // Both claims on one space, so that the second finds what the first has left.
            let mut checker = SpaceChecker::new(Watched::new(&machine), []);
            for &claim in &claims {
                let options =
                    Options { engine, evidence: true, runs: Some(1_000), ..Options::default() };
                let truth =
                    known.check(&formulas, claim, &Options::default(), &budget).verdict.known();
                let expected = match engine {
                    Some(engine) if !engine.decides(&formulas, claim) => None,
                    _ => truth,
                };
                let (outcome, checked) =
                    decide_and_check(&mut checker, &formulas, claim, &options, &budget);
                let name = engine.map_or("auto", |engine| engine.name);
                assert_eq!(
                    outcome.verdict.known(),
                    expected,
                    "seed {seed}, {name}, {:?}: {}\n{}",
                    outcome.verdict,
                    formulas.show(claim),
                    sketch::show(&machine)
                );
                asked += usize::from(expected.is_some());
                with_evidence += usize::from(checked);
                fails += usize::from(expected == Some(false));
            }
        }
    }
    println!("{asked} verdicts, {fails} that fail, {with_evidence} with accepted evidence");
    assert!((20..80).contains(&(fails * 100 / asked)), "the verdicts are one-sided");
    assert!(with_evidence * 100 >= asked * 97, "evidence is missing too often");
}

#[test]
fn abstract_spaces_are_decided_as_abstract_machines() {
    let (first, pairs) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 150));
    let budget = Budget::unlimited();
    let (mut asked, mut with_evidence, mut unknown) = (0, 0, 0);
    for seed in first..first + pairs {
        let mut rng = fastrand::Rng::with_seed(seed);
        let large = sample::Shape { components: 3, nodes: 7, ..sample::Shape::default() };
        let shape = if seed % 4 == 0 { large } else { sample::Shape::default() };
        let machine = sample::abstract_machine(&mut rng, &shape);
        let mut formulas = Formulas::new();
        let claims: Vec<FormulaId> =
            (0..2).map(|i| formula(&mut rng, &mut formulas, seed + i)).collect();
        let known = Checker::new(&machine, &budget).expect("no limits are set");
        for engine in ENGINES.into_iter().map(Some).chain([None]) {
            let mut checker = SpaceChecker::new(Watched::new(&machine), []);
            for &claim in &claims {
                let options =
                    Options { engine, evidence: true, runs: Some(1_000), ..Options::default() };
                let truth = known.check(&formulas, claim, &Options::default(), &budget).verdict;
                if engine.is_some_and(|engine| !engine.decides(&formulas, claim)) {
                    continue;
                }
                let (outcome, checked) =
                    decide_and_check(&mut checker, &formulas, claim, &options, &budget);
                let name = engine.map_or("auto", |engine| engine.name);
                let case = || {
                    let machine = sketch::show(&machine);
                    format!("seed {seed}, {name}: {}\n{machine}", formulas.show(claim))
                };
                if matches!(outcome.verdict, Verdict::Unknown(Gap::Unsupported(_))) {
                    // The claim is CTL by a law of logic only, and its lanes are not.
                    assert!(engine.is_some_and(|engine| engine.logic == Logic::Ctl), "{}", case());
                    continue;
                }
                assert_eq!(outcome.verdict.known(), truth.known(), "{}", case());
                asked += usize::from(truth.known().is_some());
                with_evidence += usize::from(checked);
                unknown += usize::from(truth.known().is_none());
                let is_coarse = matches!(outcome.verdict, Verdict::Unknown(Gap::TooCoarse(_)));
                assert_eq!(is_coarse, truth.known().is_none(), "{:?}, {}", outcome.verdict, case());
                let Some(reduced) = &outcome.reduced else { continue };
                let nodes = checker.machine().expect("sound").node_count();
                let ordinary = &reduced.machine.machine;
                assert!(
                    outcome.stories.iter().all(|(node, _)| node.index() < ordinary.node_count())
                );
                let original = |node| reduced.machine.node(node);
                assert!(
                    ordinary
                        .initial()
                        .iter()
                        .filter_map(|&it| original(it))
                        .all(|it| it.index() < nodes)
                );
            }
        }
    }
    println!("{asked} verdicts, {unknown} unknown, {with_evidence} with accepted evidence");
    assert!(unknown * 20 > asked, "hardly anything is unknown");
    assert!(with_evidence * 100 >= asked * 95, "evidence is missing too often");
}

/// Where a caller does not go on after a return, and all else is only possible.
#[test]
fn what_may_stay_where_it_is_does_so_on_demand_too() {
    let text = "component main\nbox f = f\n* a -> f.b\n
        component f\n> b -> ^x?, c?\nc p\nexits x";
    let machine = sketch::machine(text);
    let budget = Budget::unlimited();
    let mut formulas = Formulas::new();
    for (text, expected) in
        [("X X p", None), ("F p", None), ("E G !p", None), ("X !p", Some(true)), ("G !p", None)]
    {
        let claim = written(&mut formulas, text);
        let known = Checker::new(&machine, &budget).expect("no limits are set");
        let truth = known.check(&formulas, claim, &Options::default(), &budget).verdict;
        assert_eq!(truth.known(), expected, "{text}");
        let mut checker = SpaceChecker::new(Watched::new(&machine), []);
        let (outcome, _) =
            decide_and_check(&mut checker, &formulas, claim, &Options::default(), &budget);
        assert_eq!(outcome.verdict.known(), expected, "{text}");
    }
}

#[test]
fn a_sure_run_near_the_beginning_refutes_an_abstract_space() {
    let text: String = (0..5_000)
        .fold("component main\n* n0 -> bad, n1?\nbad p -> bad\n".to_owned(), |text, i| {
            text + &format!("n{} q? -> n{}?\n", i + 1, i + 2)
        })
        + "n5001 -> n5001\n";
    let machine = sketch::machine(&text);
    let budget = Budget::unlimited();
    let mut formulas = Formulas::new();
    for (text, expected) in [("G !p", Some(false)), ("E F p", Some(true)), ("G !q", None)] {
        let claim = written(&mut formulas, text);
        let mut checker = SpaceChecker::new(Watched::new(&machine), []);
        let options = Options { evidence: true, runs: Some(10), ..Options::default() };
        let (outcome, checked) =
            decide_and_check(&mut checker, &formulas, claim, &options, &budget);
        assert_eq!(outcome.verdict.known(), expected, "{text}");
        assert_eq!(checked, expected.is_some(), "{text}");
        let asked = checker.space().edges.len();
        assert!(asked < 200, "{text}: {asked} places were asked for");
        assert_eq!(outcome.stats.produced as usize, asked);
    }
}

/// What is produced never gets another id, so outcomes stay right as the part grows.
#[test]
fn earlier_outcomes_are_about_later_parts_too() {
    let budget = Budget::unlimited();
    for seed in 0..40 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let machine = machine(&mut rng, seed);
        let mut formulas = Formulas::new();
        let claim = formula(&mut rng, &mut formulas, seed);
        let mut checker = SpaceChecker::new(Watched::new(&machine), []);
        let options = Options { evidence: true, runs: Some(1_000), ..Options::default() };
        let (outcome, _) = decide_and_check(&mut checker, &formulas, claim, &options, &budget);
        let everything = checker.explore(&budget).expect("nothing fails");
        let Some(evidence) = &outcome.evidence else { continue };
        let checked =
            crate::certifier::certify(everything, &formulas, claim, &outcome.verdict, evidence);
        // Proofs about all configurations were made of everything at once.
        checked.unwrap_or_else(|refusal| panic!("seed {seed}: {refusal}"));
    }
}

#[test]
fn a_run_near_the_beginning_is_found_without_the_rest() {
    let text: String =
        (0..5_000).fold("component main\n* n0 -> bad n1\nbad p -> bad\n".to_owned(), |text, i| {
            text + &format!("n{} -> n{}\n", i + 1, i + 2)
        }) + "n5001 -> n5001\n";
    let machine = sketch::machine(&text);
    let budget = Budget::unlimited();
    let mut formulas = Formulas::new();
    let claim = written(&mut formulas, "G !p");
    let whole = written(&mut formulas, "A G (p | E F !p)");
    for engine in ["on-the-fly", "hybrid"] {
        let mut checker = SpaceChecker::new(Watched::new(&machine), []);
        let engine = tern_engine::Engine::named(engine);
        let options = Options { engine, evidence: true, runs: Some(10), ..Options::default() };
        let (outcome, checked) =
            decide_and_check(&mut checker, &formulas, claim, &options, &budget);
        assert!(checked && outcome.verdict.known() == Some(false), "{outcome:?}");
        let asked = checker.space().edges.len();
        assert!(asked < 50, "{asked} places were asked for");
        assert_eq!(outcome.stats.produced as usize, asked);
        let part = checker.machine().expect("sound");
        assert!(part.node_count() < 60, "{} nodes are in the part", part.node_count());

        // The rest is asked for once it is needed, and nothing twice.
        let (outcome, _) =
            decide_and_check(&mut checker, &formulas, whole, &Options::default(), &budget);
        assert_eq!(outcome.verdict.known(), Some(true));
        assert_eq!(checker.space().edges.len(), machine.node_count());
    }
}

//! Many claims decided together against the same claims decided one by one: verdicts and culprits;
//! and whether they took as many contexts, which may differ where families of frames are put
//! together in another order.
//!
//! `TERN_PAIRS` sets the number of random machines, `TERN_SEED` where they begin.

#![allow(clippy::print_stdout)] // says how many claims were compared

use std::time::Duration;
use tern_engine::{Checker, ENGINES, Engine, Options};
use tern_front::{claims, generate, input, rsm};
use tern_model::{Budget, Builder, Claim, Claims, Formulas, Gap, Limit, Machine, Outcome, Verdict};
use tern_testkit::{data, sample, setting, sketch, tiny};

/// Labels that no other test gives to nodes; and one that no node has.
const LABELS: usize = 9;

/// How much was compared.
#[derive(Default, Debug)]
struct Compared {
    batches: usize,
    lanes: usize,
    alone: usize,
    holds: usize,
    with_contexts: usize,
    as_many_contexts: usize,
}

fn named(name: &str) -> Option<&'static Engine> {
    ENGINES.into_iter().find(|engine| engine.name == name)
}

fn eager() -> Options {
    Options { engine: named("eager"), ..Options::default() }
}

/// Decides claims together, and each of those that were decided alone as well.
fn compare(machine: &Machine, claims: &Claims, from: &str, every: usize, seen: &mut Compared) {
    let checker = Checker::new(machine, &Budget::unlimited()).expect("no limits are set");
    let budget = |_| Budget::unlimited();
    let formulas = &claims.formulas;
    let together = checker.decide_together(formulas, claims.list(), &Options::default(), &budget);
    assert_eq!(together.len(), claims.list().len());
    seen.batches += usize::from(together.iter().any(Option::is_some));
    for (i, (outcome, claim)) in together.iter().zip(claims.list()).enumerate() {
        let Some(outcome) = outcome else {
            seen.alone += 1;
            continue;
        };
        if i % every != 0 {
            continue;
        }
        let alone = checker.decide(formulas, claim, &eager(), &Budget::unlimited());
        let told = |outcome: &Outcome| {
            let Outcome { verdict, culprit, .. } = outcome;
            (verdict.known(), culprit.clone())
        };
        assert_eq!(
            told(outcome),
            told(&alone),
            "{from}, claim {i}: {}\n{}",
            claim.property.show(formulas),
            if machine.node_count() < 100 { sketch::show(machine) } else { String::new() }
        );
        seen.lanes += 1;
        seen.holds += usize::from(outcome.verdict == Verdict::Holds);
        seen.with_contexts += usize::from(outcome.stats.contexts > 0);
        seen.as_many_contexts += usize::from(outcome.stats.contexts == alone.stats.contexts);
    }
}

/// The machine with more labels: l0, l1, and so on, each at some of the nodes.
fn relabelled(machine: &Machine, rng: &mut fastrand::Rng) -> Machine {
    let mut b = Builder::new();
    b.end_rule(machine.end_rule());
    b.dead_end_rule(machine.dead_end_rule());
    for comp in machine.components() {
        b.component(machine.component_name(comp));
    }
    for node in machine.nodes() {
        b.node(machine.component_of(node), machine.node_name(node));
        if machine.is_entry(node) {
            b.entry(node);
        }
        for label in 0..LABELS {
            // Labels are rare, so that claims of them need more than a look around.
            if rng.usize(..24) < label {
                b.label(node, &format!("l{label}"));
            }
        }
    }
    for call in machine.boxes() {
        b.call_box(machine.component_of_box(call), machine.box_name(call), machine.callee(call));
    }
    for exit in machine.exits() {
        b.exit(machine.component_of_exit(exit), machine.exit_name(exit));
    }
    for &place in machine.components().flat_map(|comp| machine.places_of(comp)) {
        for &edge in machine.edges_at(place) {
            b.edge(machine.place(place), edge);
        }
    }
    machine.initial().iter().for_each(|&node| b.initial(node));
    b.finish().expect("a sound machine")
}

/// A formula with other propositions in the place of p, q and r.
fn renamed(text: &str, names: [&str; 3]) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain(" ".chars()) {
        if c.is_alphanumeric() {
            word.push(c);
            continue;
        }
        let position = sample::ATOMS.iter().position(|atom| *atom == word);
        out.push_str(position.map_or(word.as_str(), |i| names[i]));
        word.clear();
        out.push(c);
    }
    out
}

/// Claims of one shape for as many lanes: the names of p, q and r are drawn for each.
fn claims_of(text: &str, lanes: usize, names: &[String], rng: &mut fastrand::Rng) -> Claims {
    let mut all = Claims::new();
    for _ in 0..lanes {
        let mut names = names.to_vec();
        rng.shuffle(&mut names);
        let text = renamed(text, [&names[0], &names[1], &names[2]]);
        claims::read_one(&mut all, &text).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
    }
    all
}

#[test]
fn claims_of_one_shape_are_decided_as_each_alone() {
    let (first, pairs) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 12_000) / 20);
    let small = sample::Shape::default();
    let large = sample::Shape { components: 4, nodes: 8, boxes: 4, exits: 3, ..small.clone() };
    let chain = sample::Shape { components: 5, nodes: 4, entries: 1, chain: true, ..small.clone() };
    let mut seen = Compared::default();
    for seed in first..first + pairs {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = [&small, &large, &chain][(seed % 3) as usize];
        let machine = relabelled(&sample::machine(&mut rng, shape), &mut rng);
        let mut formulas = Formulas::new();
        let depth = 1 + (seed / 3 % 4) as usize;
        let claim = match seed % 3 {
            2 => sample::guarded(&mut rng, &mut formulas, depth.div_ceil(2)),
            _ => sample::formula(&mut rng, &mut formulas, depth),
        };
        let text = formulas.show(claim).to_string();
        let lanes = rng.usize(4..if seed % 16 == 0 { 300 } else { 100 });
        let names: Vec<String> = (0..=LABELS).map(|label| format!("l{label}")).collect();
        let claims = claims_of(&text, lanes, &names, &mut rng);
        compare(&machine, &claims, &format!("seed {seed}"), 1, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.lanes as u64 >= pairs * 30, "too few were decided together: {seen:?}");
    assert!(seen.with_contexts * 500 >= seen.lanes, "contexts were needed too seldom: {seen:?}");
    assert!(seen.as_many_contexts * 10 >= seen.lanes * 9, "frames are not shared: {seen:?}");
    assert!((20..80).contains(&(seen.holds * 100 / seen.lanes)), "one-sided: {seen:?}");
}

/// In machines like programs far more depends on callers than in random ones.
#[test]
fn claims_about_programs_are_decided_as_each_alone() {
    let family = generate::machines("java").expect("a family");
    let generate::Make::Machine(make) = family.make else { panic!("machines") };
    let given = [("nodes".to_owned(), 8), ("variables".to_owned(), 8)];
    let mut names: Vec<String> = (0..8).map(|v| format!("def_{v}")).collect();
    names.extend((0..8).map(|v| format!("use_{v}")));
    let mut seen = Compared::default();
    let first = setting("TERN_SEED", 0);
    for seed in first..first + 120 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let size = rng.usize(3..12);
        let parameters = generate::Parameters::new(family, size, seed, &given).expect("sound");
        let machine = make(&parameters).machine;
        let mut formulas = Formulas::new();
        let claim = sample::guarded(&mut rng, &mut formulas, 1 + (seed % 3) as usize);
        let text = formulas.show(claim).to_string();
        let claims = claims_of(&text, 70, &names, &mut rng);
        compare(&machine, &claims, &format!("seed {seed}"), 1, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.with_contexts * 25 >= seen.lanes, "contexts were needed too seldom: {seen:?}");
}

#[test]
fn claims_about_what_never_happens_are_decided_as_each_alone() {
    let mut seen = Compared::default();
    for seed in 0..12 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut formulas = Formulas::new();
        let claim = sample::guarded(&mut rng, &mut formulas, 1 + (seed % 3) as usize);
        let text = formulas.show(claim).to_string();
        // Most of these names are no labels.
        let mut names: Vec<String> = sample::ATOMS.iter().map(|name| (*name).to_owned()).collect();
        names.extend((0..9).map(|i| format!("no{i}")));
        let claims = claims_of(&text, 150, &names, &mut rng);
        compare(&machine, &claims, &format!("seed {seed}"), 1, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.lanes > 1_000 && seen.holds > 100, "{seen:?}");
}

#[test]
fn claims_on_tiny_machines_are_decided_as_each_alone() {
    let mut seen = Compared::default();
    for family in tiny::Family::all() {
        let stride = (family.size() / setting("TERN_WHOLE", 30)).max(1) | 1;
        for machine in family.machines(0, stride) {
            let mut formulas = Formulas::new();
            let shapes = tiny::formulas(&mut formulas);
            let mut all = Claims::new();
            for shape in shapes {
                let text = formulas.show(shape).to_string();
                for name in ["p", "none", "p", "other"] {
                    let text = renamed(&text, [name, "q", "r"]);
                    claims::read_one(&mut all, &text).expect("a sound formula");
                }
            }
            compare(&machine, &all, &format!("{family:?}"), 1, &mut seen);
        }
    }
    println!("{seen:?}");
    assert!(seen.lanes > 10_000 && seen.alone == 0, "{seen:?}");
}

#[test]
fn families_are_decided_together_as_they_are_made() {
    let mut seen = Compared::default();
    for (family, size, given) in [
        ("chain", 30, None),
        ("mutual", 8, None),
        ("exits", 12, None),
        ("nested", 4, None),
        ("exponential", 5, Some(("deep", 1))),
        ("java", 12, None),
    ] {
        let made = generate::machines(family).expect("a family");
        let given: Vec<(String, usize)> =
            given.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
        for seed in 0..3 {
            let parameters = generate::Parameters::new(made, size, seed, &given).expect("sound");
            let generate::Make::Machine(make) = made.make else { panic!("machines") };
            let model = make(&parameters);
            let mut four = Claims::new();
            four.formulas = model.claims.formulas.clone();
            for claim in model.claims.list() {
                (0..4).for_each(|_| four.push(claim.clone()));
            }
            compare(&model.machine, &four, family, 1, &mut seen);
        }
    }
    println!("{seen:?}");
    assert!(seen.lanes > 100 && seen.alone == 0, "{seen:?}");
}

/// A member of the family `exponential`, whose last claim needs exponentially many contexts, four
/// times.
fn exponential(size: usize) -> (Machine, Formulas, Vec<Claim>) {
    let family = generate::machines("exponential").expect("a family");
    let given = [("deep".to_owned(), 1)];
    let parameters = generate::Parameters::new(family, size, 1, &given).expect("sound");
    let generate::Make::Machine(make) = family.make else { panic!("machines") };
    let model = make(&parameters);
    let near = model.claims.list()[0].clone();
    (model.machine, model.claims.formulas.clone(), vec![near; 5])
}

#[test]
fn claims_with_too_many_contexts_are_decided_alone() {
    let (machine, formulas, claims) = exponential(16);
    let checker = Checker::new(&machine, &Budget::unlimited()).expect("no limits are set");
    let budget = |_| Budget::unlimited();
    // So many that they are tried together in one, and then in smaller groups.
    let many: Vec<Claim> = claims.iter().cycle().take(70).cloned().collect();
    for claims in [&claims, &many] {
        let together = checker.decide_together(&formulas, claims, &Options::default(), &budget);
        assert!(together.iter().all(Option::is_none));
    }
    for outcome in checker.check_many(&formulas, &claims, &Options::default(), &budget) {
        assert_eq!((outcome.verdict, outcome.engine), (Verdict::Holds, "incremental"));
    }
}

#[test]
fn limits_hold_for_claims_together() {
    let (machine, formulas, claims) = exponential(4);
    let checker = Checker::new(&machine, &Budget::unlimited()).expect("no limits are set");
    let spent = |_| Budget::unlimited().with_timeout(Duration::ZERO);
    for outcome in checker.check_many(&formulas, &claims, &Options::default(), &spent) {
        assert_eq!(outcome.verdict, Verdict::Unknown(Gap::Limit(Limit::Time(Duration::ZERO))));
    }
    let full = |_| Budget::unlimited().with_memory(1, || 1);
    for outcome in checker.check_many(&formulas, &claims, &Options::default(), &full) {
        assert_eq!(outcome.verdict, Verdict::Unknown(Gap::Limit(Limit::Memory(1))));
    }
    // A claim that is asked for alone, or explained, is not decided together.
    let options = [
        Options { evidence: true, ..Options::default() },
        Options { engine: named("lazy"), ..Options::default() },
    ];
    for options in options {
        let free = |_| Budget::unlimited();
        let together = checker.decide_together(&formulas, &claims, &options, &free);
        assert!(together.iter().all(Option::is_none));
    }
}

#[test]
fn models_of_real_programs_are_decided_together() {
    // For each model: how many claims hold, and which of them are decided alone as well.
    for (model, holds, fails, every) in [("avroraReg", 321, 91, 4), ("fop2pdf", 1152, 394, 101)] {
        let Some(path) = data(&format!("java/{model}.zip")) else { continue };
        let path = path.display().to_string();
        let budget = Budget::unlimited();
        let source = input::open(&path, &budget).expect("it holds one model");
        let machine = rsm::read(&source, &budget).expect("a sound model");
        let mut all = Claims::new();
        let member = format!("{path}:{model}_usedef.ctl");
        let source = input::open_for(&member, &["ctl"], &budget).expect("it holds the claims");
        claims::read(&source, &mut all).expect("sound claims");
        let mut seen = Compared::default();
        compare(&machine, &all, model, every, &mut seen);
        println!("{model}: {seen:?}");
        assert_eq!(seen.alone, 0, "{seen:?}");
        let checker = Checker::new(&machine, &budget).expect("no limits are set");
        let free = |_| Budget::unlimited();
        let outcomes =
            checker.decide_together(&all.formulas, all.list(), &Options::default(), &free);
        let count = |verdict: Verdict| {
            outcomes.iter().flatten().filter(|outcome| outcome.verdict == verdict).count()
        };
        assert_eq!((count(Verdict::Holds), count(Verdict::Fails)), (holds, fails), "{model}");
    }
}

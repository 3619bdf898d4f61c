//! Abstract machines: every engine against an oracle that evaluates the definition, and against all
//! programs that a small machine stands for; evidence is accepted, and spoiled evidence is not.
//!
//! `TERN_PAIRS` sets the number of random machines and claims, `TERN_SEED` where they begin.

#![allow(clippy::print_stdout)] // says how often the oracle spoke

use std::collections::BTreeMap;
use std::sync::Arc;
use tern_certify::oracle::{coarse, pushdown};
use tern_certify::{Asked, Ordinary, check_outcome};
use tern_engine::{Checker, ENGINES, Engine, Options};
use tern_model::abstraction::{Lane, Reduced, Reduction, Translation};
use tern_model::logic::{Logic, fair};
use tern_model::{
    Budget, Claim, Configuration, FormulaId, Formulas, Gap, Id, Machine, Outcome, PlaceId, Start,
    Surety, Tri, Verdict,
};
use tern_testkit::sample::{self, Shape};
use tern_testkit::{setting, sketch};

/// How many configurations, and pairs of a product, the oracle may look at.
const CONFIGURATIONS: usize = 300;
const PAIRS: usize = 20_000;

fn seeds(default: u64) -> std::ops::Range<u64> {
    let first = setting("TERN_SEED", 0);
    first..first + setting("TERN_PAIRS", default)
}

fn case(seed: u64, machine: &Machine, formulas: &Formulas, claim: FormulaId) -> String {
    format!("seed {seed}\n{}\n{}", sketch::show(machine), formulas.show(claim))
}

/// A random abstract machine, and a claim in CTL, LTL or CTL*, now and then about fair paths.
fn pair(seed: u64, small: bool) -> (Machine, Formulas, FormulaId, fastrand::Rng) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let usual = Shape::default();
    let shape = match (small, seed / 3 % 4) {
        (true, _) => Shape { components: 2, nodes: 3, boxes: 1, labels: 2, ..usual },
        (false, 0) => usual,
        // Few calls, so that there are finitely many configurations mostly.
        (false, 1) => Shape { components: 2, boxes: 1, ..usual },
        (false, 2) => Shape { boxes: 1, chain: true, nodes: 4, ..usual },
        (false, _) => Shape { boxes: 0, components: 1, ..usual },
    };
    let machine = sample::abstract_machine(&mut rng, &shape);
    let mut formulas = Formulas::new();
    let size = rng.usize(0..6);
    let claim = match seed % 3 {
        0 => sample::formula(&mut rng, &mut formulas, 1 + size / 2),
        1 => sample::ltl(&mut rng, &mut formulas, 2 + size),
        _ => sample::ctl_star(&mut rng, &mut formulas, 3 + size),
    };
    if rng.u32(..10) > 0 {
        return (machine, formulas, claim, rng);
    }
    let condition = sample::formula(&mut rng, &mut formulas, size % 2);
    let claim = fair::under(&mut formulas, claim, &[tern_model::Fairness::Justice(condition)]);
    (machine, formulas, claim, rng)
}

/// What every engine says that decides the claim; they have to agree.
fn decided(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    case: &dyn Fn() -> String,
) -> Option<bool> {
    let budget = Budget::unlimited();
    let checker = Checker::new(machine, &budget).expect("no limits are set");
    let ask = |engine: Option<&'static Engine>| {
        let options = Options { engine, ..Options::default() };
        checker.check(formulas, claim, &options, &budget).verdict
    };
    let chosen = ask(None);
    assert!(
        matches!(chosen, Verdict::Holds | Verdict::Fails | Verdict::Unknown(Gap::TooCoarse(_))),
        "{chosen:?}: {}",
        case()
    );
    for engine in ENGINES {
        match ask(Some(engine)) {
            Verdict::Unknown(Gap::Unsupported(_)) => {
                let ctl = formulas.logic(claim) == Logic::Ctl && engine.logic == Logic::Ctl;
                assert!(!ctl, "{} does not decide CTL: {}", engine.name, case());
            }
            said => assert_eq!(said.word(), chosen.word(), "{}: {}", engine.name, case()),
        }
    }
    chosen.known()
}

#[test]
fn every_engine_agrees_with_the_definition() {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut silent = 0;
    for seed in seeds(1_500) {
        let (machine, formulas, claim, _) = pair(seed, false);
        let case = || case(seed, &machine, &formulas, claim);
        let answer = decided(&machine, &formulas, claim, &case);
        let Some(truth) = coarse::check(&machine, &formulas, claim, CONFIGURATIONS, PAIRS) else {
            silent += 1;
            continue;
        };
        // Where configurations were left open, only what is known is known.
        if truth.exact || truth.holds.is_some() {
            assert_eq!(answer, truth.holds, "the oracle says {truth:?}: {}", case());
        }
        let logic = ["CTL", "LTL", "CTL*"][seed as usize % 3];
        let known =
            format!("{logic}, {}, {:?}", if truth.exact { "exact" } else { "open" }, answer);
        *counts.entry(known).or_default() += 1;
    }
    println!("{counts:#?}, silent {silent}");
    assert!(silent * 20 <= setting("TERN_PAIRS", 1_500), "the oracle was silent too often");
    assert!(counts.len() >= 12 || setting("TERN_PAIRS", 1_500) < 1_000, "too little occurred");
}

/// Where stacks grow without bound, the oracle of another design is asked about what the certifier
/// makes of machine and claim.
#[test]
fn deep_recursion_agrees_with_the_oracle_for_pushdown_systems() {
    let budget = Budget::unlimited();
    let mut spoken = 0;
    for seed in seeds(400) {
        let (machine, formulas, claim, _) = pair(12 * seed + seed % 3, false);
        let truth = [true, false].map(|holds| {
            let made = Ordinary::new(&machine, &formulas, &claim.into(), holds, &budget)
                .expect("no limits");
            let claim = made.claim.formula()?;
            pushdown::check(&made.machine, &made.formulas, claim, 4 * PAIRS)
        });
        let [Some(must), Some(may)] = truth else { continue };
        spoken += 1;
        let truth = if must { Some(true) } else { Some(false).filter(|_| !may) };
        let case = || case(12 * seed, &machine, &formulas, claim);
        let checker = Checker::new(&machine, &budget).expect("no limits are set");
        let said = checker.check(&formulas, claim, &Options::default(), &budget);
        assert_eq!(said.verdict.known(), truth, "{}", case());
    }
    println!("the oracle spoke {spoken} times");
    assert!(spoken * 10 >= setting("TERN_PAIRS", 400) * 5, "the oracle was silent too often");
}

/// All programs that a machine stands for, if they are not too many: each possible edge is there or
/// not, but one of each place; each unknown label is true or false.
pub(crate) fn completions(machine: &Machine) -> Option<Vec<Machine>> {
    let places = (0..machine.place_count()).map(PlaceId::new);
    let mut edges = Vec::new();
    for place in places {
        let list = machine.edges_with_surety(place).enumerate();
        edges.extend(list.filter(|(_, it)| it.1 == Surety::Possible).map(|(i, _)| (place, i)));
    }
    let mut labels = Vec::new();
    for (label, _) in machine.labels() {
        labels.extend(machine.unknown(label).iter().map(|&node| (node, label)));
    }
    let count = edges.len() + labels.len();
    if count > 7 {
        return None;
    }
    let mut found = Vec::new();
    for choice in 0u32..1 << count {
        let bit = |i: usize| choice >> i & 1 == 1;
        let there = |place: PlaceId, i: usize| match edges.iter().position(|&it| it == (place, i)) {
            Some(position) => bit(position),
            None => true,
        };
        let places = (0..machine.place_count()).map(PlaceId::new);
        let mut sound = places.filter(|&place| !machine.edges_at(place).is_empty());
        if !sound.all(|place| (0..machine.edges_at(place).len()).any(|i| there(place, i))) {
            continue;
        }
        found.push(sample::remade(
            machine,
            |place, i, _| there(place, i).then_some(Surety::Sure),
            |node, label, has| match labels.iter().position(|&it| it == (node, label)) {
                Some(position) => Tri::from(bit(edges.len() + position)),
                None => has,
            },
        ));
    }
    Some(found)
}

#[test]
fn what_is_known_is_so_in_all_programs() {
    let budget = Budget::unlimited();
    let (mut definite, mut programs) = (0, 0);
    for seed in seeds(600) {
        let (machine, formulas, claim, _) = pair(seed, true);
        let Some(completions) = completions(&machine) else { continue };
        let checker = Checker::new(&machine, &budget).expect("no limits are set");
        let said = checker.check(&formulas, claim, &Options::default(), &budget).verdict;
        let Some(holds) = said.known() else { continue };
        definite += 1;
        for program in completions {
            programs += 1;
            assert!(!program.is_abstract());
            let checker = Checker::new(&program, &budget).expect("no limits are set");
            let truth = checker.check(&formulas, claim, &Options::default(), &budget).verdict;
            let case = || case(seed, &machine, &formulas, claim);
            assert_eq!(truth.known(), Some(holds), "{}\nin {}", case(), sketch::show(&program));
        }
    }
    println!("{definite} definite verdicts, {programs} programs");
    assert!(definite * 5 >= setting("TERN_PAIRS", 600), "too little is known: {definite}");
}

fn outcome(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    engine: Option<&'static Engine>,
) -> Outcome {
    let budget = Budget::unlimited();
    let checker = Checker::new(machine, &budget).expect("no limits are set");
    let runs = Some(100);
    let options = Options { engine, evidence: true, runs, ..Options::default() };
    checker.check(formulas, claim, &options, &budget)
}

#[test]
fn certificates_are_accepted_and_spoiled_ones_are_not() {
    let budget = Budget::unlimited();
    let mut counts = [0; 6];
    for seed in seeds(400) {
        let (machine, formulas, claim, mut rng) = pair(seed, false);
        let asked = Asked { formulas: &formulas, claim: &Claim::new(claim) };
        let engine = (rng.u32(..3) == 0).then(|| ENGINES[rng.usize(..ENGINES.len())]);
        let outcome = outcome(&machine, &formulas, claim, engine);
        let case = || case(seed, &machine, &formulas, claim);
        let Some(holds) = outcome.verdict.known() else { continue };
        if outcome.evidence.is_none() {
            assert!(!outcome.missing.is_empty(), "{}", case());
            continue;
        }
        counts[0] += 1;
        let checked = check_outcome((&machine).into(), asked, &outcome, &budget);
        assert_eq!(checked.map_err(|it| format!("{it:?}")), Ok(()), "{}", case());
        // The other verdict.
        let other = Outcome { verdict: Verdict::from(!holds), culprit: None, ..outcome.clone() };
        assert!(check_outcome((&machine).into(), asked, &other, &budget).is_err(), "{}", case());
        // A claim about the ordinary machine that is easier than the right one.
        if let Some(reduced) = &outcome.reduced
            && let Some(said) = &reduced.claim
        {
            let lane = if holds { Lane::May } else { Lane::Must };
            let claim = Translation::new(&formulas, claim, lane);
            if claim.formulas.show(claim.claim).to_string()
                != said.formulas.show(said.claim).to_string()
            {
                counts[1] += 1;
                let ordinary = Arc::clone(&reduced.machine);
                let reduced = Arc::new(Reduced { claim: Some(claim), machine: ordinary });
                let spoiled = Outcome { reduced: Some(reduced), ..outcome.clone() };
                let checked = check_outcome((&machine).into(), asked, &spoiled, &budget);
                assert!(checked.is_err(), "{}", case());
            }
        }
        // Evidence about a machine of which less is known, or about another.
        for _ in 0..3 {
            let changed = changed(&machine, &mut rng);
            let checker = Checker::new(&changed, &budget).expect("no limits are set");
            let truth = checker.check(&formulas, claim, &Options::default(), &budget).verdict;
            let checked = check_outcome((&changed).into(), asked, &outcome, &budget);
            counts[2 + usize::from(checked.is_ok())] += 1;
            counts[4] += usize::from(truth != outcome.verdict);
            assert!(
                checked.is_err() || truth == outcome.verdict,
                "evidence for {:?} is accepted where {truth:?} is right: {}\n{}",
                outcome.verdict,
                case(),
                sketch::show(&changed)
            );
        }
    }
    println!(
        "accepted, other lanes, refused elsewhere, accepted elsewhere, untrue there: {counts:?}"
    );
    assert!(counts[..5].iter().all(|&count| count > 0), "{counts:?}");
}

/// The machine with one edge or label changed.
fn changed(machine: &Machine, rng: &mut fastrand::Rng) -> Machine {
    let place = PlaceId::new(rng.usize(..machine.place_count()));
    let node = tern_model::NodeId::new(rng.usize(..machine.node_count()));
    let edges = rng.bool();
    let other = |surety: Surety| match surety {
        Surety::Sure => Surety::Possible,
        Surety::Possible => Surety::Sure,
    };
    sample::remade(
        machine,
        |at, i, it| Some(if edges && at == place && i == 0 { other(it) } else { it }),
        |at, label, has| match has {
            Tri::Unknown if !edges && at == node && label.index() == 0 => Tri::False,
            _ if !edges && at == node && label.index() == 0 => Tri::Unknown,
            has => has,
        },
    )
}

/// Two machines that differ in names of nodes only.
pub(crate) fn assert_same(one: &Machine, other: &Machine, case: &dyn Fn() -> String) {
    let places = |machine: &Machine| -> Vec<_> {
        let places = (0..machine.place_count()).map(PlaceId::new);
        let sorted = |place| {
            let mut edges = machine.edges_at(place).to_vec();
            edges.sort_unstable();
            (machine.place(place), edges)
        };
        places.map(sorted).collect()
    };
    let labels = |machine: &Machine| -> BTreeMap<String, Vec<_>> {
        let label = |(id, name): (_, &str)| (name.to_owned(), machine.labelled(id).to_vec());
        machine.labels().map(label).filter(|(_, nodes)| !nodes.is_empty()).collect()
    };
    assert_eq!(places(one), places(other), "{}", case());
    assert_eq!(one.initial(), other.initial(), "{}", case());
    assert_eq!(labels(one), labels(other), "{}", case());
}

/// Evidence that was read elsewhere has the numbers of formulas that the certifier gives them.
#[test]
fn evidence_is_about_what_the_certifier_makes_of_the_claim() {
    let budget = Budget::unlimited();
    for seed in seeds(200) {
        let (machine, formulas, claim, _) = pair(seed, false);
        if !machine.is_abstract() {
            continue;
        }
        let reduction = Reduction::new(&machine, &[], &budget).expect("no limits");
        for (lane, holds) in [(Lane::Must, true), (Lane::May, false)] {
            let own = Ordinary::new(&machine, &formulas, &claim.into(), holds, &budget);
            let own = own.expect("no limits");
            let translation = Translation::new(&formulas, claim, lane);
            let case = || case(seed, &machine, &formulas, claim);
            let texts = [
                own.claim.show(&own.formulas).to_string(),
                translation.formulas.show(translation.claim).to_string(),
            ];
            assert_eq!(texts[0], texts[1], "{}", case());
            assert_same(&own.machine, &reduction.machine, &case);
        }
    }
}

#[test]
fn claims_begin_elsewhere_too() {
    let budget = Budget::unlimited();
    let mut inside = 0;
    for seed in seeds(300) {
        let (machine, formulas, claim, mut rng) = pair(seed, false);
        let node = tern_model::NodeId::new(rng.usize(..machine.node_count()));
        let callers = machine.callers_of(machine.component_of(node));
        let stack = match callers {
            [] => Vec::new(),
            callers => vec![callers[rng.usize(..callers.len())]],
        };
        inside += u32::from(!stack.is_empty());
        let start = Start::At(vec![Configuration { stack, node }]);
        let Ok(view) = start.view(&machine, &budget) else { panic!("it is one") };
        let Some(truth) = coarse::check(&view.machine, &formulas, claim, CONFIGURATIONS, PAIRS)
        else {
            continue;
        };
        let claim = Claim { start, ..Claim::new(claim) };
        let checker = Checker::new(&machine, &budget).expect("no limits are set");
        let said = checker.decide(&formulas, &claim, &Options::default(), &budget).verdict;
        if truth.exact || truth.holds.is_some() {
            assert_eq!(said.known(), truth.holds, "seed {seed}\n{}", sketch::show(&machine));
        }
    }
    assert!(inside > 0);
}

#[test]
fn claims_that_are_decided_together_get_the_same_verdicts() {
    let budget = Budget::unlimited();
    let mut together = 0;
    for seed in seeds(100) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let machine = sample::abstract_machine(&mut rng, &Shape::default());
        let mut formulas = Formulas::new();
        let shapes = ["A G E F", "A G ! ", "E F", "A F", "E G"];
        let claims: Vec<Claim> = (0..15)
            .map(|i| {
                let text = format!("{} {}", shapes[i % 5], sample::ATOMS[i / 5]);
                Claim::new(sketch::formula(&mut formulas, &text))
            })
            .collect();
        let claims: Vec<Claim> = claims.iter().chain(&claims).cloned().collect();
        let checker = Checker::new(&machine, &budget).expect("no limits are set");
        let options = Options::default();
        let many = checker.decide_together(&formulas, &claims, &options, &|_| Budget::unlimited());
        for (claim, outcome) in claims.iter().zip(many) {
            let Some(outcome) = outcome else { continue };
            together += 1;
            let alone = checker.decide(&formulas, claim, &options, &budget);
            assert_eq!(outcome.verdict, alone.verdict, "seed {seed}\n{}", sketch::show(&machine));
            assert_eq!(outcome.culprit, alone.culprit);
        }
    }
    assert!(together > 0, "nothing was decided together");
}

/// Single cases that are easily got wrong.
#[test]
fn the_definition_by_example() {
    let cases = [
        // EX and EU by a finite sure path, EG and LTL by an endless one.
        ("* a -> b\nb p -> c?\nc -> c", "E F p", Some(true)),
        ("* a -> b\nb p -> c?\nc -> c", "! E F p", Some(false)),
        ("* a -> b\nb p -> c?\nc -> c", "G ! p", None),
        ("* a -> b\nb p -> c\nc -> c", "G ! p", Some(false)),
        ("* a -> b?\nb p -> b", "E F p", None),
        ("* a -> b?\nb p -> b", "A F p", Some(true)),
        ("* a p -> a?", "E G p", None),
        ("* a p -> a?", "A G p", Some(true)),
        // Only places without any edge stutter.
        ("* a p", "E G p", Some(true)),
        ("* a p -> b?\nb", "A X ! p", Some(true)),
        // Labels.
        ("* a p? -> a", "A G p", None),
        ("* a p? -> a", "E F p", None),
        ("* a p? q -> a", "| p q", Some(true)),
        ("* a p? -> a", "<-> p p", None),
        // A step that is only possible does not matter where it comes from.
        ("* a p -> b?\nb -> c\nc p -> c", "A G E F p", Some(true)),
        ("* a -> b?\nb -> c\nc p -> c", "A G E F p", None),
        ("* a -> b?\nb -> b, c?\nc p -> c", "A G E F p", None),
        ("* a -> b?\nb -> b\nc p -> c", "A G E F p", Some(false)),
    ];
    for (text, formula, truth) in cases {
        let machine = sketch::machine(&format!("component main\n{text}"));
        let mut formulas = Formulas::new();
        let claim = sketch::formula(&mut formulas, formula);
        let case = || format!("{text}\n{formula}");
        assert_eq!(decided(&machine, &formulas, claim, &case), truth, "{}", case());
    }
}

#[test]
fn what_is_too_coarse_has_a_place() {
    let place = |text: &str, formula: &str| {
        let machine = sketch::machine(text);
        let mut formulas = Formulas::new();
        let claim = sketch::formula(&mut formulas, formula);
        match outcome(&machine, &formulas, claim, None).verdict {
            Verdict::Unknown(Gap::TooCoarse(coarse)) => {
                format!("{}: {}", coarse.place, coarse.question)
            }
            other => panic!("{other:?}"),
        }
    };
    let unknown = "component main\n* a p -> b\nb p? -> a";
    assert_eq!(place(unknown, "A G p"), "main.b: whether `p` is true");
    let possible = "component main\n* a p -> a, b\nb p -> b, c?\nc -> c";
    assert_eq!(place(possible, "A G p"), "main.b: whether there is a step to main.c");
    assert_eq!(place(possible, "E F ! p"), "main.b: whether there is a step to main.c");
    assert_eq!(place(possible, "G p"), "main.b: whether there is a step to main.c");
    let ends = "component main\nbox f = f\n* a -> f.b\n
        component f\n> b -> ^x?, c?\nc p\nexits x";
    assert_eq!(place(ends, "A X A X p"), "f.b: whether the program stays there");
}

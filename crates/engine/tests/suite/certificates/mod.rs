//! Every engine's evidence is accepted by the checker that shares no code with it; and no spoiled
//! evidence is.
//!
//! `TERN_PAIRS` sets the number of random machines and claims, `TERN_SEED` where they begin.

#![allow(clippy::print_stdout)] // says how often each way to spoil evidence applied

mod corrupt;

use crate::certifier::certify;
use corrupt::{Case, kinds};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tern_certify::oracle::{exact, unfold};
use tern_engine::{Checker, ENGINES, Engine, Options};
use tern_model::evidence::Labelling;
use tern_model::logic::Logic;
use tern_model::{Budget, Evidence, FormulaId, Formulas, Machine, Verdict};
use tern_testkit::{sample, setting, sketch};

/// A random machine and claim.
fn pair(seed: u64) -> (Machine, Formulas, FormulaId, fastrand::Rng) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let large =
        sample::Shape { components: 4, nodes: 8, boxes: 4, exits: 3, ..sample::Shape::default() };
    let shape = if seed.is_multiple_of(4) { &large } else { &sample::Shape::default() };
    let machine = sample::machine(&mut rng, shape);
    let mut formulas = Formulas::new();
    let claim = sample::formula(&mut rng, &mut formulas, 1 + (seed % 4) as usize);
    (machine, formulas, claim, rng)
}

/// What an engine says, with its evidence.
fn evidence(
    checker: &Checker<'_>,
    formulas: &Formulas,
    claim: FormulaId,
    engine: &'static Engine,
) -> (Verdict, Option<Labelling>) {
    let options = Options { engine: Some(engine), evidence: true, ..Options::default() };
    let outcome = checker.check(formulas, claim, &options, &Budget::unlimited());
    let labelling = outcome.evidence.and_then(|evidence| match evidence {
        Evidence::Labelling(labelling) => Some(labelling),
        _ => None,
    });
    (outcome.verdict, labelling)
}

fn case(seed: u64, machine: &Machine, formulas: &Formulas, claim: FormulaId) -> String {
    format!("seed {seed}\n{}\n{}", sketch::show(machine), formulas.show(claim))
}

#[test]
fn the_evidence_of_every_engine_is_accepted() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 800));
    let mut certified = 0;
    for seed in first..first + count {
        let (machine, formulas, claim, _) = pair(seed);
        let checker = Checker::new(&machine, &Budget::unlimited()).expect("no limits are set");
        for engine in ENGINES.into_iter().filter(|engine| engine.logic == Logic::Ctl) {
            let (verdict, labelling) = evidence(&checker, &formulas, claim, engine);
            let Some(labelling) = labelling else { continue };
            let evidence = Evidence::Labelling(labelling.clone());
            let checked = certify(&machine, &formulas, claim, &verdict, &evidence);
            if let Err(refusal) = checked {
                let case = case(seed, &machine, &formulas, claim);
                panic!("{}: {refusal}: {case}\n{labelling:#?}", engine.name);
            }
            certified += 1;
        }
    }
    println!("{certified} certificates for {count} pairs");
    assert!(certified >= count, "engines give evidence too rarely: {certified} for {count}");
}

#[test]
fn no_spoiled_evidence_is_accepted() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 800));
    let kinds = kinds();
    let mut applied = vec![0; kinds.len()];
    for seed in first..first + count {
        let (machine, formulas, claim, mut rng) = pair(seed);
        let checker = Checker::new(&machine, &Budget::unlimited()).expect("no limits are set");
        let engine = ["eager", "lazy", "incremental"][seed as usize % 3];
        let engine = Engine::named(engine).expect("there is such an engine");
        let (verdict, Some(labelling)) = evidence(&checker, &formulas, claim, engine) else {
            continue;
        };
        for (kind, applied) in kinds.iter().zip(&mut applied) {
            let &(name, spoil) = kind;
            let mut spoiled = Case {
                machine: &machine,
                formulas: &formulas,
                verdict: verdict.clone(),
                labelling: labelling.clone(),
                rng: rng.fork(),
            };
            let Some(layer) = spoil(&mut spoiled) else { continue };
            *applied += 1;
            let Case { verdict, labelling: spoiled, .. } = spoiled;
            let evidence = Evidence::Labelling(spoiled.clone());
            let check = || certify(&machine, &formulas, claim, &verdict, &evidence);
            let shown = || {
                let case = case(seed, &machine, &formulas, claim);
                format!("{name} ({engine}): {case}\nsound: {labelling:#?}\nspoiled: {spoiled:#?}")
            };
            match catch_unwind(AssertUnwindSafe(check)) {
                Err(_) => panic!("the checker panics: {}", shown()),
                Ok(Ok(())) => panic!("accepted: {}", shown()),
                Ok(Err(refusal)) => {
                    assert_eq!(refusal.layer, layer, "{refusal}: {}", shown());
                    assert!(!refusal.place.is_empty() && !refusal.why.is_empty());
                }
            }
        }
    }
    for (&(name, _), applied) in kinds.iter().zip(&applied) {
        println!("{applied:6}  {name}");
    }
    let idle = kinds.iter().zip(&applied).find(|&(_, &applied)| applied == 0);
    assert!(idle.is_none(), "never applied: {:?}", idle.map(|((name, _), _)| name));
}

/// A machine that differs in one thing, so that most ids still mean the same: one edge less or
/// elsewhere, one label more or less, or the other rule for the end.
fn neighbour(machine: &Machine, rng: &mut fastrand::Rng) -> Option<Machine> {
    let text = sketch::show(machine);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_place = |line: &str| line.contains("->");
    let at = rng.usize(..lines.len());
    match rng.u32(..8) {
        0 => {
            let other = if lines[0] == "end loop" { "end sink" } else { "end loop" };
            lines[0] = other.to_owned();
        }
        1..=3 if is_place(&lines[at]) => {
            let (place, targets) = lines[at].split_once("->")?;
            let mut targets: Vec<&str> = targets.split(',').map(str::trim).collect();
            targets.remove(rng.usize(..targets.len()));
            if targets.is_empty() && place.contains('.') {
                lines.remove(at);
            } else if targets.is_empty() {
                lines[at] = place.to_owned();
            } else {
                lines[at] = format!("{place}-> {}", targets.join(", "));
            }
        }
        4..=5 if is_place(&lines[at]) => {
            // A target of another line of the same component.
            let (low, high) = (at.saturating_sub(2), (at + 3).min(lines.len()));
            let range = &lines[low..high];
            if range.iter().any(|line| line.starts_with("component")) {
                return None;
            }
            let from = range[rng.usize(..range.len())].clone();
            let (_, other) = from.split_once("->")?;
            let other = other.split(',').next()?.trim();
            let (place, targets) = lines[at].split_once("->")?;
            if place.contains('.') && other.starts_with('^') {
                return None;
            }
            let rest =
                targets.split_once(',').map_or(String::new(), |(_, rest)| format!(",{rest}"));
            lines[at] = format!("{place}-> {other}{rest}");
        }
        6..=7 if is_place(&lines[at]) => {
            let (place, targets) = lines[at].split_once("->")?;
            if place.contains('.') {
                return None;
            }
            let label = sample::ATOMS[rng.usize(..sample::ATOMS.len())];
            let mut words: Vec<&str> = place.split_whitespace().collect();
            match words.iter().position(|&word| word == label) {
                Some(position) => drop(words.remove(position)),
                None => words.push(label),
            }
            lines[at] = format!("  {} ->{targets}", words.join(" "));
        }
        _ => return None,
    }
    Some(sketch::machine(&lines.join("\n")))
}

#[test]
fn evidence_for_one_machine_is_accepted_for_another_only_where_it_is_right() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 800));
    let (mut accepted, mut refused) = (0, 0);
    for seed in first..first + count {
        let (machine, formulas, claim, mut rng) = pair(seed);
        let checker = Checker::new(&machine, &Budget::unlimited()).expect("no limits are set");
        let engine = ["eager", "lazy", "incremental"][seed as usize % 3];
        let engine = Engine::named(engine).expect("there is such an engine");
        let (verdict, Some(labelling)) = evidence(&checker, &formulas, claim, engine) else {
            continue;
        };
        let evidence = Evidence::Labelling(labelling.clone());
        for _ in 0..10 {
            let Some(other) = neighbour(&machine, &mut rng) else { continue };
            for verdict in [verdict.clone(), Verdict::from(verdict == Verdict::Fails)] {
                if certify(&other, &formulas, claim, &verdict, &evidence).is_err() {
                    refused += 1;
                    continue;
                }
                accepted += 1;
                let case = || case(seed, &other, &formulas, claim);
                let truth = exact::check(&other, &formulas, claim, 20_000);
                assert!(truth.is_none() || truth == verdict.known(), "{}", case());
                let everywhere = unfold::label(&other, &formulas, claim, 3, 300);
                for (stack, node, truth) in everywhere.into_iter().flatten() {
                    let label = labelling.holds_at(&other, &formulas, &stack, node);
                    assert!(label.is_some(), "{stack:?} {node:?}: {}", case());
                    let agrees = truth.known().is_none_or(|truth| Some(truth) == label);
                    assert!(agrees, "{stack:?} {node:?} is {truth}: {}", case());
                }
            }
        }
    }
    println!("{accepted} accepted, and right; {refused} refused");
    assert!(accepted > 0 && refused > 0);
}

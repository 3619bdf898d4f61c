//! Spoiled evidence for claims that automata stand for, and good evidence for claims that are
//! spoiled.

use super::Tally;
use super::kinds::{ALWAYS, Case, NOW_AND_THEN, Spoil, pick, remove};
use crate::certifier::{by_automaton, certify, justice};
use fastrand::Rng;
use tern_engine::{Checker, Options};
use tern_model::absence::States;
use tern_model::automaton::{Cube, Literal, Transition};
use tern_model::complement_state::{ComplementState, Guess};
use tern_model::index::{Id, Table};
use tern_model::{Automaton, Budget, FormulaId, Formulas, Must, StateId};
use tern_testkit::words::random_automaton;
use tern_testkit::{sample, setting, sketch};

/// The states of the complement, if the proof is of such.
fn watches(case: &mut Case) -> Option<&mut Vec<ComplementState>> {
    match &mut case.proof()?.states {
        States::Complement(watches) => Some(watches),
        _ => None,
    }
}

type Paths = Vec<(StateId, u32, Vec<u32>)>;

/// Some tree of the proof, with its guess.
fn tree<'c>(case: &'c mut Case, rng: &mut Rng) -> Option<(&'c mut Paths, &'c mut Guess)> {
    match pick(watches(case)?, rng)? {
        ComplementState::Tree { paths, guess } => Some((paths, guess)),
        _ => None,
    }
}

/// Kinds that must be refused whenever they apply.
const ALWAYS_FOR_AUTOMATA: &[(&str, Spoil)] = &[
    ("the opposite is asked of the automaton", |case, _| {
        let (_, must, _) = case.automaton.as_mut()?;
        *must = match must {
            Must::AcceptNone => Must::AcceptAll,
            Must::AcceptAll => Must::AcceptNone,
        };
        Some(())
    }),
    ("a state of the complement is missing", |case, rng| remove(watches(case)?, rng)),
    ("a state of the complement is there twice", |case, rng| {
        let watches = watches(case)?;
        let again = pick(watches, rng)?.clone();
        watches.push(again);
        Some(())
    }),
    ("a state of the complement is another", |case, rng| {
        let watches = watches(case)?;
        let other = match rng.bool() {
            true => ComplementState::Run { at: StateId::new(1 << 20), without: None },
            false => ComplementState::Tree { paths: Vec::new(), guess: Guess::Dies(7) },
        };
        *pick(watches, rng)? = other;
        Some(())
    }),
    ("the states of the complement are taken for the automaton's", |case, _| {
        watches(case)?;
        case.proof()?.states = States::Automaton;
        Some(())
    }),
    ("the states of the automaton are taken for its complement's", |case, _| {
        let states = &mut case.proof()?.states;
        (*states == States::Automaton)
            .then(|| *states = States::Complement(vec![ComplementState::Dead]))
    }),
    ("a run is without another mark", |case, rng| {
        let (automaton, ..) = case.automaton.as_ref()?;
        let other = rng.u32(..automaton.mark_count.max(1));
        match pick(watches(case)?, rng)? {
            ComplementState::Run { without, .. } if *without != Some(other) => {
                Some(*without = Some(other))
            }
            _ => None,
        }
    }),
    ("a run is elsewhere", |case, rng| {
        let (automaton, ..) = case.automaton.as_ref()?;
        let other = StateId::new(rng.usize(..automaton.state_count()));
        match pick(watches(case)?, rng)? {
            ComplementState::Run { at, .. } if *at != other => Some(*at = other),
            _ => None,
        }
    }),
    ("a tree has another guess", |case, rng| {
        let (_, guess) = tree(case, rng)?;
        let other = [Guess::Nothing, Guess::Quiet, Guess::Dies(0)][rng.usize(..3)];
        (*guess != other).then(|| *guess = other)
    }),
    ("a tree lacks a pair", |case, rng| remove(tree(case, rng)?.0, rng)),
    ("a pair of a tree has no path", |case, rng| Some(pick(tree(case, rng)?.0, rng)?.2.clear())),
    ("a path of a tree ends early", |case, rng| {
        let path = &mut pick(tree(case, rng)?.0, rng)?.2;
        path.pop().map(|_| ())
    }),
    ("a path of a tree goes through another node", |case, rng| {
        let name = pick(&mut pick(tree(case, rng)?.0, rng)?.2, rng)?;
        Some(*name += 1)
    }),
    ("a counter of a tree is another", |case, rng| Some(pick(tree(case, rng)?.0, rng)?.1 += 1)),
    ("a fairness condition is missing", |case, rng| {
        // A run that is fair is still fair.
        case.proof()?.levels.iter().flatten().max()?;
        let marks = match case.proof()?.states {
            States::Automaton => case.automaton.as_ref()?.0.mark_count,
            _ => 1,
        };
        let (_, _, fair) = case.automaton.as_mut()?;
        remove(fair, rng)?;
        let last = marks + u32::try_from(fair.len()).ok()?;
        case.proof()?.levels.contains(&Some(last)).then_some(())
    }),
];

/// Kinds that may leave evidence that is right.
const NOW_AND_THEN_FOR_AUTOMATA: &[(&str, Spoil)] = &[
    ("the automaton begins elsewhere", |case, rng| {
        let (automaton, ..) = case.automaton.as_mut()?;
        let other = StateId::new(rng.usize(..automaton.state_count()));
        let first = pick(&mut automaton.initial, rng)?;
        (*first != other).then(|| *first = other)
    }),
    ("the automaton lacks a transition", |case, rng| {
        let (automaton, ..) = case.automaton.as_mut()?;
        let state = StateId::new(rng.usize(..automaton.state_count()));
        remove(&mut automaton.transitions[state], rng)
    }),
    ("the automaton has another mark", |case, rng| {
        let (automaton, ..) = case.automaton.as_mut()?;
        let state = StateId::new(rng.usize(..automaton.state_count()));
        let mark = rng.u32(..automaton.mark_count.max(1));
        (automaton.mark_count > 0).then_some(())?;
        Some(pick(&mut automaton.transitions[state], rng)?.marks ^= 1 << mark)
    }),
    ("a transition leads elsewhere", |case, rng| {
        let (automaton, ..) = case.automaton.as_mut()?;
        let state = StateId::new(rng.usize(..automaton.state_count()));
        let other = StateId::new(rng.usize(..automaton.state_count()));
        let way = pick(&mut automaton.transitions[state], rng)?;
        (way.to != other).then(|| way.to = other)
    }),
    ("there is one more fairness condition", |case, rng| {
        let (automaton, _, fair) = case.automaton.as_mut()?;
        let label = *pick(&mut automaton.propositions, rng)?;
        (!fair.contains(&label)).then(|| fair.push(label))
    }),
    ("a fairness condition is another", |case, rng| {
        let (_, _, fair) = case.automaton.as_mut()?;
        (fair.len() > 1 && fair[0] != fair[1]).then_some(())?;
        let from = rng.usize(..2);
        Some(fair[1 - from] = fair[from])
    }),
];

/// An automaton with at most one transition for each state and letter.
fn deterministic_automaton(rng: &mut Rng, propositions: &[FormulaId]) -> Automaton {
    let (count, mark_count) = (rng.usize(1..=4), rng.u32(0..=3));
    let mut transitions = Table::new();
    for _ in 0..count {
        let mut row = Vec::new();
        for letter in 0..1_u32 << propositions.len() {
            let literal =
                |proposition| Literal { proposition, holds: letter >> proposition & 1 == 1 };
            let guard = vec![Cube((0..propositions.len() as u32).map(literal).collect())];
            let marks = (0..mark_count).fold(0, |marks, i| marks | u64::from(rng.u8(..4) > 0) << i);
            if rng.u8(..16) > 0 {
                row.push(Transition { guard, marks, to: StateId::new(rng.usize(..count)) });
            }
        }
        transitions.push(row);
    }
    let initial = vec![StateId::new(0)];
    Automaton { propositions: propositions.to_vec(), mark_count, initial, transitions }
}

#[test]
fn spoiled_evidence_for_automata_is_refused() {
    let budget = Budget::unlimited();
    let mut tally =
        Tally::new(&[ALWAYS, ALWAYS_FOR_AUTOMATA], &[NOW_AND_THEN, NOW_AND_THEN_FOR_AUTOMATA]);
    let (mut own, mut runs, mut trees) = (0, 0, 0);
    for seed in 0..setting("TERN_PAIRS", 2_500) {
        let mut rng = Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut formulas = Formulas::new();
        let propositions = ["p", "q"].map(|name| formulas.atom(name));
        let automaton = match seed % 4 {
            0 => deterministic_automaton(&mut rng, &propositions),
            _ => random_automaton(&mut rng, &propositions, 4),
        };
        let must = if rng.u8(..4) == 0 { Must::AcceptNone } else { Must::AcceptAll };
        let fair: Vec<FormulaId> =
            (0..rng.usize(..3)).map(|_| propositions[rng.usize(..2)]).collect();
        let checker = Checker::new(&machine, &budget).expect("no limits are set");
        let options = Options { evidence: true, ..Options::default() };
        let outcome = checker.check_automaton(
            &formulas,
            &automaton,
            must,
            &justice(&fair),
            &options,
            &budget,
        );
        let Some(evidence) = outcome.evidence else { panic!("seed {seed}: no evidence") };
        let claim = Some((automaton, must, fair));
        let mut whole = Case::new(&machine, outcome.verdict, evidence, claim);
        match watches(&mut whole).and_then(|watches| watches.first()) {
            Some(ComplementState::Run { .. }) => runs += 1,
            Some(ComplementState::Tree { .. }) => trees += 1,
            _ => own += usize::from(whole.proof().is_some()),
        }
        let check = |case: &Case| {
            let (automaton, must, fair) = case.automaton.as_ref().expect("it was given");
            let claim = by_automaton(automaton, *must, fair);
            certify(&machine, &formulas, claim, &case.verdict, &case.evidence)
        };
        check(&whole).unwrap_or_else(|why| panic!("seed {seed}: {why:?}"));
        let describe =
            || format!("seed {seed}\n{}\n{:#?}", sketch::show(&machine), whole.automaton);
        // What is accepted must be so, also of an automaton that was changed.
        let is_accepted = |case: &Case| {
            let accepted = check(case).is_ok();
            if let (true, Some((automaton, must, fair))) = (accepted, &case.automaton) {
                let options = Options::default();
                let asked = checker.check_automaton(
                    &formulas,
                    automaton,
                    *must,
                    &justice(fair),
                    &options,
                    &budget,
                );
                assert_eq!(asked.verdict, case.verdict, "{} {:#?}", describe(), case.evidence);
            }
            accepted
        };
        tally.spoil(&whole, &mut rng, is_accepted, describe);
    }
    println!("{own} proofs by own states, {runs} by runs, {trees} by trees");
    assert!(own > 100 && runs > 100 && trees > 100, "{own}, {runs}, {trees}");
    tally.report();
}

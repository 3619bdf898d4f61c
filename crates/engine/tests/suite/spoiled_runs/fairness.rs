//! Spoiled proofs about strong fairness: their narrowings, and the contracts of these.

use super::Tally;
use super::kinds::{Case, Spoil, drop_bit, pick, remove};
use crate::certifier::certify;
use crate::compassion;
use fastrand::Rng;
use tern_engine::{Checker, Engine, Options};
use tern_model::absence::{NarrowContract, NarrowContracts, Narrowing, States};
use tern_model::logic::fair;
use tern_model::{Budget, Evidence, Fairness, Formula, FormulaId, Formulas, Pair};
use tern_testkit::{sample, setting, sketch};

fn narrowing<'a>(case: &'a mut Case, rng: &mut Rng) -> Option<&'a mut Narrowing> {
    pick(&mut case.proof()?.narrowings, rng)
}

fn contracts<'a>(case: &'a mut Case, rng: &mut Rng) -> Option<&'a mut NarrowContracts> {
    pick(&mut case.proof()?.contracts, rng)
}

fn contract<'a>(case: &'a mut Case, rng: &mut Rng) -> Option<&'a mut NarrowContract> {
    pick(&mut contracts(case, rng)?.starts, rng)
}

/// A thing of a list, said once more.
fn twice<T: Clone>(list: &mut Vec<T>, rng: &mut Rng) -> Option<()> {
    let again = pick(list, rng)?.clone();
    Some(list.push(again))
}

/// The number of what a pair asks for, which is behind the promises.
fn second_side(case: &mut Case, rng: &mut Rng) -> Option<u32> {
    let promises = case.promises as u32;
    match &case.proof()?.states {
        States::Obligations { pairs, .. } if !pairs.is_empty() => {
            Some(promises + rng.u32(..pairs.len() as u32))
        }
        _ => None,
    }
}

/// Kinds that must be refused whenever they apply.
const ALWAYS: &[(&str, Spoil)] = &[
    ("the last narrowing is left out", |case, _| case.proof()?.narrowings.pop().map(|_| ())),
    ("a narrowing is said twice", |case, rng| twice(&mut case.proof()?.narrowings, rng)),
    ("a narrowing is within itself", |case, rng| {
        let list = &mut case.proof()?.narrowings;
        let at = (!list.is_empty()).then(|| rng.usize(..list.len()))?;
        Some(list[at].within = Some(at as u32))
    }),
    ("a narrowing is within one that is not there", |case, rng| {
        Some(narrowing(case, rng)?.within = Some(1_000_000))
    }),
    ("a narrowing is of a level that is not there", |case, rng| {
        Some(narrowing(case, rng)?.level = 1_000_000)
    }),
    ("a pair is avoided that is not there", |case, rng| {
        Some(narrowing(case, rng)?.avoids |= 1 << 63)
    }),
    ("a narrowing within another avoids nothing", |case, _| {
        let narrowing = case.proof()?.narrowings.iter_mut().find(|it| it.within.is_some())?;
        Some(narrowing.avoids = 0)
    }),
    ("a vertex is narrowed twice", |case, rng| twice(&mut narrowing(case, rng)?.vertices, rng)),
    ("a vertex is narrowed that is not there", |case, rng| {
        Some(narrowing(case, rng)?.vertices.push((0, 1_000_000, 0)))
    }),
    ("a start is narrowed that is not there", |case, rng| {
        Some(narrowing(case, rng)?.vertices.push((1_000_000, 0, 0)))
    }),
    ("a vertex has a new level that is not there", |case, rng| {
        Some(pick(&mut narrowing(case, rng)?.vertices, rng)?.2 = 1_000_000)
    }),
    ("a new level has a promise that is not there", |case, rng| {
        Some(*pick(&mut narrowing(case, rng)?.levels, rng)? = Some(63))
    }),
    ("a new level has the second side of a pair as its promise", |case, rng| {
        let second = second_side(case, rng)?;
        Some(*pick(&mut narrowing(case, rng)?.levels, rng)? = Some(second))
    }),
    ("a level has the second side of a pair as its promise", |case, rng| {
        let second = second_side(case, rng)?;
        Some(*pick(&mut case.proof()?.levels, rng)? = Some(second))
    }),
    ("contracts are said twice", |case, rng| twice(&mut case.proof()?.contracts, rng)),
    ("a contract is said twice", |case, rng| twice(&mut contracts(case, rng)?.starts, rng)),
    ("a contract is of a start that is not there", |case, rng| {
        Some(contract(case, rng)?.start = 1_000_000)
    }),
    ("a contract says twice what is reached", |case, rng| {
        twice(&mut contract(case, rng)?.vertices, rng)
    }),
    ("a contract reaches what is not there", |case, rng| {
        Some(contract(case, rng)?.vertices.push((1_000_000, 0)))
    }),
    ("a contract is left by what is not there", |case, rng| {
        Some(contract(case, rng)?.leaves.push((1_000_000, 0)))
    }),
    ("a contract says nothing", |case, rng| Some(contract(case, rng)?.vertices.clear())),
    ("a contract forgets something that is reached", |case, rng| {
        remove(&mut contract(case, rng)?.vertices, rng)
    }),
    ("a contract forgets a way out", |case, rng| remove(&mut contract(case, rng)?.leaves, rng)),
    ("a contract forgets what is kept", |case, rng| {
        drop_bit(&mut pick(&mut contract(case, rng)?.leaves, rng)?.1, rng)
    }),
    ("a contract forgets what is kept inside", |case, rng| {
        drop_bit(&mut pick(&mut contract(case, rng)?.vertices, rng)?.1, rng)
    }),
    ("contracts are left out", |case, rng| remove(&mut case.proof()?.contracts, rng)),
    ("a contract is left out", |case, rng| remove(&mut contracts(case, rng)?.starts, rng)),
    ("a pair is no conjunct", |case, rng| match &mut case.proof()?.states {
        States::Obligations { pairs, promises, .. } => {
            let promise = pick(promises, rng)?.formula;
            Some(*pick(pairs, rng)? = promise)
        }
        _ => None,
    }),
    ("a pair is said twice", |case, rng| match &mut case.proof()?.states {
        States::Obligations { pairs, .. } => twice(pairs, rng),
        _ => None,
    }),
    ("a pair is left out", |case, rng| match &mut case.proof()?.states {
        States::Obligations { pairs, .. } => remove(pairs, rng),
        _ => None,
    }),
];

/// Kinds that may leave a proof that is right.
const NOW_AND_THEN: &[(&str, Spoil)] = &[
    ("one pair more is avoided", |case, rng| {
        let narrowing = narrowing(case, rng)?;
        let bit = (0..2).find(|bit| narrowing.avoids >> bit & 1 == 0)?;
        Some(narrowing.avoids |= 1 << bit)
    }),
    ("one pair less is avoided", |case, rng| drop_bit(&mut narrowing(case, rng)?.avoids, rng)),
    ("a vertex is not narrowed", |case, rng| remove(&mut narrowing(case, rng)?.vertices, rng)),
    ("a new level is changed", |case, rng| {
        let narrowing = narrowing(case, rng)?;
        let (count, at) = (narrowing.levels.len(), pick(&mut narrowing.vertices, rng)?);
        let other = rng.u32(..count as u32);
        (other != at.2).then(|| at.2 = other)
    }),
    ("a promise of a new level is forgotten", |case, rng| {
        pick(&mut narrowing(case, rng)?.levels, rng)?.take().map(|_| ())
    }),
    ("a new level has another promise", |case, rng| {
        let promises = case.promises as u32;
        let level = pick(&mut narrowing(case, rng)?.levels, rng)?;
        let other = rng.u32(..promises.max(1));
        (promises > 0 && *level != Some(other)).then(|| *level = Some(other))
    }),
    ("a narrowing is of another level", |case, rng| {
        let levels = case.proof()?.levels.len() as u32;
        let narrowing = narrowing(case, rng)?;
        let other = rng.u32(..levels);
        (other != narrowing.level).then(|| narrowing.level = other)
    }),
];

fn pair(when: FormulaId, then: FormulaId) -> Fairness {
    Pair { when: when.into(), then: then.into() }.into()
}

#[test]
fn spoiled_proofs_about_strong_fairness_are_refused() {
    let budget = Budget::unlimited();
    let mut tally = Tally::new(&[ALWAYS], &[NOW_AND_THEN]);
    let mut proofs = 0;
    let first = setting("TERN_SEED", 0);
    for seed in first..first + setting("TERN_PAIRS", 4_000) {
        let mut rng = Rng::with_seed(seed);
        let mut formulas = Formulas::new();
        let mut label = |name: &str| formulas.atom(name);
        // On a ring narrowings are within each other.
        let of_ring = |i: u64| [format!("p{i}"), format!("q{i}")];
        let ring = seed % 16 == 0;
        let count = 2 + seed % 3;
        let (machine, fair): (_, Vec<Fairness>) = if ring {
            let sides = (0..count).map(|i| of_ring(i).map(|name| label(&name)));
            let pairs = sides.map(|[when, then]| pair(when, then)).collect();
            (compassion::ring(count as usize, 8 + (seed / 16 % 8) as usize), pairs)
        } else {
            let machine = sample::machine(&mut rng, &sample::Shape::default());
            let mut side = || {
                let label = formulas.atom(sample::ATOMS[rng.usize(..3)]);
                if rng.bool() { label } else { formulas.make(Formula::Not(label)) }
            };
            let pairs = (0..2 + seed % 2).map(|_| pair(side(), side())).collect();
            (machine, pairs)
        };
        let path = match ring {
            // Runs that are sought have a promise that every step keeps: no level may name it.
            true if seed % 32 == 0 => {
                let label = formulas.atom("nowhere");
                let always = formulas.make(Formula::Globally(label));
                formulas.make(Formula::Finally(always))
            }
            true => formulas.make(Formula::False),
            false => sample::ltl(&mut rng, &mut formulas, 1 + (seed % 4) as usize),
        };
        let claim = formulas.make(Formula::All(path));
        let claim = fair::under(&mut formulas, claim, &fair);
        let checker = Checker::new(&machine, &budget).expect("no limits are set");
        let options =
            Options { engine: Engine::named("tableau"), evidence: true, ..Options::default() };
        let outcome = checker.check(&formulas, claim, &options, &budget);
        let Some(evidence) = outcome.evidence else { panic!("seed {seed}: no evidence") };
        let Evidence::Absence { proof, .. } = &evidence else { continue };
        if proof.narrowings.is_empty() {
            continue;
        }
        proofs += 1;
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
    println!("{proofs} proofs");
    // Callees that are left without what is avoided, and keep something, are rare.
    let counts: Vec<_> = tally.counts().collect();
    let often = counts.iter().filter(|&&(_, refused, tried)| tried > 20 && refused * 10 >= tried);
    assert!(often.count() > 20);
    // Most new levels have no edge inside, and may name any promise; but not all.
    for (name, refused, tried) in counts {
        assert!(refused > 0 || tried <= 20, "{name} is never refused");
    }
}

/// Without the premise of the pair, which comes with `r` only, there is a way round on which `q` is
/// met inside a callee, and `r` is not. A level must not say that `q` is what is missing.
#[test]
fn what_is_kept_inside_callees_counts_in_narrowings() {
    let machine = sketch::machine(
        "component main\nbox f = sub\n* a -> f.in, c\nf.out -> a\nc x r -> a\n\
         component sub\n> in q -> ^out\nexits out\n",
    );
    let mut formulas = Formulas::new();
    let path = sketch::formula(&mut formulas, "! & G F q G F r");
    let claim = formulas.make(Formula::All(path));
    let fair = [pair(formulas.atom("x"), formulas.atom("y"))];
    let claim = fair::under(&mut formulas, claim, &fair);
    let budget = Budget::unlimited();
    let checker = Checker::new(&machine, &budget).expect("no limits are set");
    let options =
        Options { engine: Engine::named("tableau"), evidence: true, ..Options::default() };
    let outcome = checker.check(&formulas, claim, &options, &budget);
    let evidence = outcome.evidence.expect("a proof");
    let whole = Case::new(&machine, outcome.verdict, evidence, None);
    let check = |case: &Case| certify(&machine, &formulas, claim, &case.verdict, &case.evidence);
    check(&whole).unwrap_or_else(|why| panic!("{why:?}"));
    let mut tried = 0;
    let narrowings = whole.clone().proof().expect("no run is fair").narrowings.clone();
    for (number, narrowing) in narrowings.iter().enumerate() {
        for (level, named) in narrowing.levels.iter().enumerate() {
            let Some(named) = *named else { continue };
            for other in (0..whole.promises as u32).filter(|&other| other != named) {
                let mut case = whole.clone();
                let proof = case.proof().expect("a proof");
                proof.narrowings[number].levels[level] = Some(other);
                assert!(check(&case).is_err(), "promise {other} instead of {named}");
                tried += 1;
            }
        }
    }
    assert!(tried > 0, "{narrowings:?}");
}

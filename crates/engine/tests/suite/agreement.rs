//! Every engine against both oracles, which share no code with it: on all machines of tiny shapes,
//! and at random. The labelling given as evidence is compared at every stack that is unfolded.
//!
//! `TERN_PAIRS` sets the number of random pairs, `TERN_SEED` where they begin, `TERN_WHOLE` about
//! how many machines of each tiny shape there are.

#![allow(clippy::print_stdout)] // says how often the oracles spoke

use tern_certify::oracle::{exact, unfold};
use tern_engine::{Checker, ENGINES, Options};
use tern_model::logic::Logic;
use tern_model::{Budget, Evidence, FormulaId, Formulas, Machine, Tri};
use tern_testkit::{sample, setting, sketch, tiny};

/// How deep the unfolding oracle goes, and how many configurations it may build.
const DEPTH: usize = 4;
const CONFIGURATIONS: usize = 400;
/// How many rows the exact oracle may use.
const ROWS: usize = 20_000;

/// How often each oracle had something to say.
#[derive(Default, Debug)]
struct Spoken {
    pairs: usize,
    exact: usize,
    unfolding: usize,
    configurations: usize,
    holds: usize,
    /// How often `incremental` needed contexts.
    turns: usize,
}

/// Checks one formula on one machine by every engine against both oracles.
fn compare(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    from: &str,
    spoken: &mut Spoken,
) {
    let budget = Budget::unlimited();
    let checker = Checker::new(machine, &budget).expect("no limits are set");
    let exact = exact::check(machine, formulas, claim, ROWS);
    let bounded =
        unfold::check(machine, formulas, claim, DEPTH, CONFIGURATIONS).and_then(Tri::known);
    let case = || format!("{from}\n{}\n{}", sketch::show(machine), formulas.show(claim));
    spoken.pairs += 1;
    spoken.exact += usize::from(exact.is_some());
    spoken.unfolding += usize::from(bounded.is_some());
    for engine in ENGINES.into_iter().filter(|engine| engine.logic == Logic::Ctl) {
        for evidence in [false, true] {
            let options = Options { engine: Some(engine), evidence, ..Options::default() };
            let outcome = checker.check(formulas, claim, &options, &budget);
            let verdict = outcome.verdict.known();
            assert!(verdict.is_some(), "{} says {:?}: {}", engine.name, outcome.verdict, case());
            if engine.name == "incremental" {
                // It asks for all that the claim needs at once; a second turn means that a need was
                // missed.
                let turns = outcome.stats.rounds as usize;
                assert!(turns <= 1, "incremental took {turns} turns: {}", case());
                spoken.turns += turns;
            }
            for (oracle, truth) in [("exact", exact), ("unfolding", bounded)] {
                assert!(
                    truth.is_none() || truth == verdict,
                    "{} says {verdict:?}, the {oracle} oracle {truth:?}: {}",
                    engine.name,
                    case(),
                );
            }
            spoken.holds += usize::from(verdict == Some(true) && !evidence);
            if let Some(Evidence::Labelling(labelling)) = outcome.evidence {
                let everywhere = unfold::label(machine, formulas, claim, DEPTH, CONFIGURATIONS);
                for (stack, node, truth) in everywhere.into_iter().flatten() {
                    let label = labelling.holds_at(machine, formulas, &stack, node);
                    assert!(label.is_some(), "{stack:?} {node:?} is not labelled: {}", case());
                    spoken.configurations += usize::from(truth.is_known());
                    assert!(
                        truth
                            .is_known()
                            .then_some(truth.known())
                            .is_none_or(|truth| truth == label),
                        "{} labels {stack:?} {node:?} {label:?}, unfolding {truth}: {}",
                        engine.name,
                        case(),
                    );
                }
            }
        }
    }
}

#[test]
fn engines_agree_with_the_oracles_on_random_machines() {
    let (first, pairs) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 1_200));
    let mut spoken = Spoken::default();
    let small = sample::Shape::default();
    let large = sample::Shape { components: 4, nodes: 8, boxes: 4, exits: 3, ..small.clone() };
    let chain = sample::Shape { components: 5, nodes: 4, entries: 1, chain: true, ..small.clone() };
    for seed in first..first + pairs {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = [&large, &chain, &small, &chain][(seed % 4) as usize];
        let machine = sample::machine(&mut rng, shape);
        let mut formulas = Formulas::new();
        // Not in step with the shapes, so that each meets formulas of each depth.
        let depth = 1 + (seed / 4 % 4) as usize;
        let claim = if shape.chain {
            sample::guarded(&mut rng, &mut formulas, depth.div_ceil(2))
        } else {
            sample::formula(&mut rng, &mut formulas, depth)
        };
        compare(&machine, &formulas, claim, &format!("seed {seed}"), &mut spoken);
    }
    println!("{spoken:?}");
    let share = |count: usize| count * 100 / spoken.pairs;
    assert!(share(spoken.exact) >= 95, "the exact oracle was silent too often: {spoken:?}");
    assert!(share(spoken.unfolding) >= 60, "the unfolding was silent too often: {spoken:?}");
    assert!(spoken.turns * 1000 >= spoken.pairs, "contexts were needed too seldom: {spoken:?}");
    let engines = ENGINES.into_iter().filter(|engine| engine.logic == Logic::Ctl).count();
    let balance = share(spoken.holds / engines);
    assert!((20..80).contains(&balance), "the verdicts are one-sided: {spoken:?}");
}

#[test]
fn engines_agree_with_the_oracles_on_tiny_machines() {
    let mut spoken = Spoken::default();
    for family in tiny::Family::all() {
        // Small families whole; of the others every so many, so that the test ends.
        let stride = (family.size() / setting("TERN_WHOLE", 6)).max(1) | 1;
        for machine in family.machines(0, stride) {
            let mut formulas = Formulas::new();
            for claim in tiny::formulas(&mut formulas) {
                compare(&machine, &formulas, claim, &format!("{family:?}"), &mut spoken);
            }
        }
    }
    println!("{spoken:?}");
    assert!(spoken.exact * 10 >= spoken.pairs * 9, "{spoken:?}");
}

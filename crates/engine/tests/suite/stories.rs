//! The stories that are told with verdicts are replayed, move by move, by what shares no code with
//! the engines; and no run to a goal is longer than it must be.
//!
//! `TERN_PAIRS` sets the number of random machines and claims, `TERN_SEED` where they begin.

#![allow(clippy::print_stdout)] // says how many runs of which kind there were

use tern_certify::oracle::distance;
use tern_certify::run::{self, Checked, Scene};
use tern_engine::{Checker, ENGINES, Engine, Options};
use tern_model::logic::Logic;
use tern_model::logic::ctl::{self, Lowered};
use tern_model::logic::examples;
use tern_model::logic::vacuity::{self, Harder};
use tern_model::{
    AnnotatedRun, BoxId, Budget, Ending, Evidence, Formula, FormulaId, Formulas, Labelling,
    Machine, Move, MoveKind, NodeId, Reason, Story, Topic,
};
use tern_testkit::{sample, setting, sketch};

/// How many configurations may be looked at for the shortest run.
const CONFIGURATIONS: usize = 2_000;

#[derive(Debug, Default)]
struct Counts {
    stories: usize,
    finite: usize,
    shortest: usize,
    longest: usize,
    loops: usize,
    pumps: usize,
    marks: usize,
}

/// A configuration; without a node it is the sink.
type Spot = (Vec<BoxId>, Option<NodeId>);

fn after((mut stack, node): Spot, step: &Move) -> Spot {
    if step.kind.returns() {
        stack.pop();
    }
    stack.extend(step.kind.calls());
    match step.kind {
        MoveKind::Sink => (stack, None),
        MoveKind::Stay => (stack, node),
        _ => (stack, Some(step.node)),
    }
}

/// The `EU` that the run of a formula is for, if it goes straight to where labels decide.
fn goal(formulas: &Formulas, lowered: &Lowered, of: Topic) -> Option<tern_model::TermId> {
    let Topic::Formula(id) = of else { return None };
    let (path, holds) = match formulas.get(id) {
        Formula::Exists(path) => (path, true),
        Formula::All(path) => (path, false),
        _ => (id, false),
    };
    let formula = formulas.get(path);
    let plain = formula.is_temporal() && formula.operands().all(|f| formulas.is_state_formula(f));
    lowered.ways(path, holds).until.filter(|_| plain)
}

/// Goes through all stories in a story that has been replayed.
fn look(
    machine: &Machine,
    formulas: &Formulas,
    (lowered, labelling): (&Lowered, &Labelling),
    (story, node): (&Story, NodeId),
    counts: &mut Counts,
    context: &dyn Fn() -> String,
) {
    let mut inner: Vec<(&Story, Spot)> = vec![(story, (Vec::new(), Some(node)))];
    while let Some((story, spot)) = inner.pop() {
        counts.stories += 1;
        match &story.reason {
            Reason::Operands(stories) => {
                inner.extend(stories.iter().map(|story| (story, spot.clone())));
            }
            Reason::Run(AnnotatedRun { run, asides, marks, .. }) => {
                match run.ending {
                    Ending::Done => counts.finite += 1,
                    Ending::Loop(_) => counts.loops += 1,
                    Ending::Pump(..) => counts.pumps += 1,
                }
                counts.marks += marks.len();
                let least =
                    spot.1.zip(goal(formulas, lowered, story.of)).and_then(|(node, term)| {
                        let from = (&spot.0[..], node);
                        distance::to_goal(machine, formulas, labelling, from, term, CONFIGURATIONS)
                    });
                if let Some(least) = least {
                    counts.shortest += 1;
                    counts.longest = counts.longest.max(least);
                    assert_eq!(run.moves.len(), least, "{}\n{story:#?}", context());
                }
                let mut spots = vec![spot];
                for step in &run.moves {
                    spots.push(after(spots[spots.len() - 1].clone(), step));
                }
                inner.extend(asides.iter().map(|(at, story)| (story, spots[*at].clone())));
            }
            Reason::Labels | Reason::AllPaths => {}
            Reason::TooLong => {
                panic!("so small a machine has short runs\n{}\n{story:#?}", context())
            }
        }
    }
}

/// Tells a story of a claim by an engine, replays it, and looks at all that is in it.
fn told(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    engine: &'static str,
    seed: u64,
    counts: &mut Counts,
) {
    let checker = Checker::new(machine, &Budget::unlimited()).expect("no limits are set");
    let context =
        || format!("{engine}, seed {seed}\n{}\n{}", sketch::show(machine), formulas.show(claim));
    let engine = Engine::named(engine);
    assert!(engine.is_some());
    let options = Options { engine, evidence: true, runs: Some(1000), ..Options::default() };
    let outcome = checker.check(formulas, claim, &options, &Budget::unlimited());
    let Some(Evidence::Labelling(labelling)) = &outcome.evidence else {
        panic!("no evidence: {}", context())
    };
    let first = machine.initial().first().expect("random machines begin somewhere");
    let [(start, story)] = &outcome.stories[..] else { panic!("no story: {}", context()) };
    assert_eq!(Some(story.holds), outcome.verdict.known(), "{}", context());
    assert_eq!(story.of, Topic::Formula(claim));
    assert_eq!(*start, outcome.culprit.as_ref().map_or(*first, |culprit| culprit.node));
    let scene = Scene { machine, formulas, claim: Some(claim), start: *start };
    run::replay(scene, Checked::Labelling(labelling), story, &Budget::unlimited())
        .unwrap_or_else(|refusal| panic!("{refusal}\n{}\n{story:#?}", context()));
    let lowered = ctl::lower_parts(formulas, claim).expect("CTL");
    look(machine, formulas, (&lowered, labelling), (story, *start), counts, &context);
}

/// Whether a claim holds.
fn holds(machine: &Machine, formulas: &Formulas, claim: FormulaId) -> bool {
    let checker = Checker::new(machine, &Budget::unlimited()).expect("no limits are set");
    let outcome = checker.check(formulas, claim, &Options::default(), &Budget::unlimited());
    outcome.verdict.known().expect("no limits are set")
}

fn large() -> sample::Shape {
    sample::Shape { components: 4, nodes: 8, boxes: 4, exits: 3, ..sample::Shape::default() }
}

#[test]
fn stories_of_every_engine_can_be_replayed() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 500));
    let mut counts = Counts::default();
    for seed in first..first + count {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = if seed % 4 == 0 { large() } else { sample::Shape::default() };
        let machine = sample::machine(&mut rng, &shape);
        let mut formulas = Formulas::new();
        let claim = sample::formula(&mut rng, &mut formulas, 1 + (seed % 4) as usize);
        for engine in ENGINES.into_iter().filter(|engine| engine.logic == Logic::Ctl) {
            told(&machine, &formulas, claim, engine.name, seed, &mut counts);
        }
    }
    println!("{count} pairs from seed {first}, {} engines: {counts:?}", ENGINES.len());
    let Counts { finite, loops, pumps, .. } = counts;
    let enough = 10 * finite as u64 > count && 50 * loops as u64 > count;
    assert!(enough && 250 * pumps as u64 > count, "{counts:?}");
}

/// Examples can be replayed, there is one unless the claim holds for want of cases, and what is
/// called harder than a claim is.
#[test]
fn claims_that_hold_have_examples_or_idle_parts() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 500));
    let mut counts = Counts::default();
    let (mut with, mut without, mut harder) = (0, 0, 0);
    for seed in first..first + count {
        let mut rng = fastrand::Rng::with_seed(seed);
        let machine = sample::machine(&mut rng, &sample::Shape::default());
        let mut formulas = Formulas::new();
        let claim = sample::formula(&mut rng, &mut formulas, 1 + (seed % 4) as usize);
        let truth = holds(&machine, &formulas, claim);
        let context = |formulas: &Formulas| {
            format!("seed {seed}\n{}\n{}", sketch::show(&machine), formulas.show(claim))
        };
        let mut idle = false;
        for Harder { claim: other, .. } in vacuity::harder(&mut formulas, claim, 20) {
            harder += 1;
            let too = holds(&machine, &formulas, other);
            assert!(!too || truth, "{}: {}", formulas.show(other), context(&formulas));
            idle |= too;
        }
        let Some(example) = examples::example(&mut formulas, claim).filter(|_| truth) else {
            continue;
        };
        let none = formulas.make(Formula::Not(example));
        told(&machine, &formulas, none, "eager", seed, &mut counts);
        if holds(&machine, &formulas, none) {
            without += 1;
            let shown = formulas.show(example).to_string();
            assert!(idle, "no example by {shown}, but all parts matter: {}", context(&formulas));
        } else {
            with += 1;
        }
    }
    println!(
        "{count} pairs from seed {first}: {with} examples, {without} without, {harder} parts \
         left out: {counts:?}"
    );
    assert!(10 * with > count && 200 * without > count && 2 * harder > count);
}

/// All propositions, each wanted or unwanted.
fn corner(rng: &mut fastrand::Rng, formulas: &mut Formulas) -> FormulaId {
    let mut all = formulas.make(Formula::True);
    for name in sample::ATOMS {
        let atom = formulas.atom(name);
        let literal = if rng.bool() { atom } else { formulas.make(Formula::Not(atom)) };
        all = formulas.make(Formula::And(all, literal));
    }
    all
}

/// Goals that are rare, so that runs to them are long.
#[test]
fn runs_to_a_goal_are_shortest() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 1_500));
    let mut counts = Counts::default();
    for seed in first..first + count {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = sample::Shape { nodes: 10, labels: 3, initial: 1, ..large() };
        let machine = sample::machine(&mut rng, &shape);
        let mut formulas = Formulas::new();
        let mut goal = corner(&mut rng, &mut formulas);
        for _ in 0..rng.u32(..3) {
            let next = formulas.make(Formula::Next(goal));
            let next = formulas.make(Formula::Exists(next));
            let here = corner(&mut rng, &mut formulas);
            goal = formulas.make(Formula::And(here, next));
        }
        let avoid = corner(&mut rng, &mut formulas);
        let pass = match rng.u32(..3) {
            0 => formulas.make(Formula::True),
            _ => formulas.make(Formula::Not(avoid)),
        };
        let until = formulas.make(Formula::Until(pass, goal));
        let mut claim = formulas.make(Formula::Exists(until));
        if rng.bool() {
            // The second run begins in the midst of calls.
            let here = corner(&mut rng, &mut formulas);
            let both = formulas.make(Formula::And(here, claim));
            let later = formulas.make(Formula::Finally(both));
            claim = formulas.make(Formula::Exists(later));
        }
        told(&machine, &formulas, claim, "eager", seed, &mut counts);
    }
    println!("{count} runs from seed {first}: {counts:?}");
    let Counts { finite, shortest, longest, .. } = counts;
    assert!(10 * finite as u64 > count && 2 * shortest > finite && longest > 8, "{counts:?}");
}

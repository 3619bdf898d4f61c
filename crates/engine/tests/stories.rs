//! The stories that are told with verdicts are replayed, move by move, by what shares no code with the
//! engines; and no run to a goal is longer than it must be.
//!
//! `TERN_PAIRS` sets the number of random machines and claims, `TERN_SEED` where they begin.

#![allow(clippy::print_stdout)] // says how many runs of which kind there were

use tern_certify::{distance, run, sample, sketch};
use tern_engine::{Checker, ENGINES, Options};
use tern_model::{
    BoxId, Budget, Ending, Evidence, Formulas, Labelling, Machine, MoveKind, NodeId, Reason, Run,
    Story,
};

/// How many configurations may be looked at for the shortest run.
const CONFIGURATIONS: usize = 2_000;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[derive(Debug, Default)]
struct Counts {
    stories: usize,
    finite: usize,
    shortest: usize,
    loops: usize,
    pumps: usize,
}

/// Where a run ends.
fn end_of(run: &Run, mut stack: Vec<BoxId>, mut node: NodeId) -> (Vec<BoxId>, NodeId) {
    for step in &run.moves {
        if let MoveKind::Return(_) | MoveKind::ReturnAndCall(..) = step.kind {
            stack.pop();
        }
        if let MoveKind::Call(call) | MoveKind::ReturnAndCall(_, call) = step.kind {
            stack.push(call);
        }
        node = step.node;
    }
    (stack, node)
}

/// Goes through all stories in a story that has been replayed.
fn look(
    machine: &Machine,
    formulas: &Formulas,
    labelling: &Labelling,
    (story, node): (&Story, NodeId),
    counts: &mut Counts,
    context: &dyn Fn() -> String,
) {
    let mut inner: Vec<(&Story, Vec<BoxId>, NodeId)> = vec![(story, Vec::new(), node)];
    while let Some((story, stack, node)) = inner.pop() {
        counts.stories += 1;
        match &story.reason {
            Reason::Operands(stories) => {
                inner.extend(stories.iter().map(|story| (story, stack.clone(), node)));
            }
            Reason::Run(run) => {
                match run.ending {
                    Ending::Done => counts.finite += 1,
                    Ending::Loop(_) => counts.loops += 1,
                    Ending::Pump(..) => counts.pumps += 1,
                }
                let from = (&stack[..], node);
                let (term, most) = (story.term, CONFIGURATIONS);
                let least = distance::to_goal(machine, formulas, labelling, from, term, most);
                if let Some(least) = least {
                    counts.shortest += 1;
                    assert_eq!(run.moves.len(), least, "{}\n{story:#?}", context());
                }
                if let Some(then) = run.then.as_deref() {
                    let (stack, node) = end_of(run, stack, node);
                    inner.push((then, stack, node));
                }
            }
            Reason::Labels | Reason::AllPaths | Reason::TooLong => {}
        }
    }
}

#[test]
fn stories_can_be_replayed_and_their_runs_are_shortest() {
    let (first, count) = (setting("TERN_SEED", 0), setting("TERN_PAIRS", 6_000));
    let mut counts = Counts::default();
    for seed in first..first + count {
        let mut rng = fastrand::Rng::with_seed(seed);
        let large =
            sample::Shape { components: 4, nodes: 8, boxes: 4, exits: 3, ..Default::default() };
        let shape = if seed % 4 == 0 { &large } else { &sample::Shape::default() };
        let machine = sample::machine(&mut rng, shape);
        let mut formulas = Formulas::new();
        let claim = sample::formula(&mut rng, &mut formulas, 1 + (seed % 4) as usize);
        let checker = Checker::new(&machine, &Budget::unlimited()).expect("no limits are set");
        let context =
            || format!("seed {seed}\n{}\n{}", sketch::show(&machine), formulas.show(claim));
        for engine in ENGINES {
            let engine = Some(engine.name);
            let options =
                Options { engine, evidence: true, runs: Some(1000), ..Options::default() };
            let outcome = checker.check(&formulas, claim, &options, &Budget::unlimited());
            let Some(Evidence::Labelling(labelling)) = &outcome.evidence else {
                panic!("no evidence of {engine:?}: {}", context())
            };
            let first = machine.initial().first().expect("random machines begin somewhere");
            let story = outcome.story.as_ref().unwrap_or_else(|| panic!("no story: {}", context()));
            assert_eq!(Some(story.holds), outcome.verdict.known(), "{}", context());
            assert_eq!(story.term, labelling.program.root);
            let node = outcome.culprit.unwrap_or(*first);
            run::replay(&machine, &formulas, labelling, (&[], node), story)
                .unwrap_or_else(|refusal| panic!("{refusal}\n{}\n{story:#?}", context()));
            look(&machine, &formulas, labelling, (story, node), &mut counts, &context);
        }
    }
    println!("{count} pairs from seed {first}, {} engines: {counts:?}", ENGINES.len());
    let Counts { finite, shortest, loops, pumps, .. } = counts;
    let enough = 10 * finite as u64 > count && 2 * shortest > finite;
    assert!(enough && 50 * loops as u64 > count && 250 * pumps as u64 > count, "{counts:?}");
}

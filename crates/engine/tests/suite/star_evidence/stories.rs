//! The stories that are told of claims in all logics: they are replayed with the evidence, what
//! they say of the configurations on their runs is what an oracle says, and spoilt ones are
//! refused.

use super::{case, pair, seeds};
use fastrand::Rng;
use std::collections::BTreeMap;
use tern_certify::oracle::pushdown::{self, Solution};
use tern_certify::run::{self, Checked, Scene};
use tern_certify::star::Proof;
use tern_certify::{Asked, Stopped, check};
use tern_engine::{Checker, Engine, Options};
use tern_model::{
    AnnotatedRun, BoxId, Budget, Claim, Ending, Evidence, Formula, FormulaId, Formulas, Id,
    Machine, Move, MoveKind, NodeId, Outcome, Reason, Story, Topic,
};
use tern_testkit::{sample, sketch};

#[derive(Debug, Default)]
struct Counts {
    stories: usize,
    all_paths: usize,
    finite: usize,
    loops: usize,
    pumps: usize,
    asides: usize,
    marks: usize,
    /// Runs that begin while calls have not come back, and those that leave such a call.
    in_calls: usize,
    out_of_calls: usize,
    values: usize,
    compared: usize,
}

/// Decides a claim by automata, or by what is best for it.
fn outcome(machine: &Machine, formulas: &Formulas, claim: FormulaId, seed: u64) -> Outcome {
    let engine = (!seed.is_multiple_of(2)).then_some("automata");
    outcome_within(machine, formulas, claim, engine, 10_000)
}

fn outcome_within(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    engine: Option<&'static str>,
    most_moves: usize,
) -> Outcome {
    let budget = Budget::unlimited();
    let checker = Checker::new(machine, &budget).expect("no limits are set");
    let engine = engine.and_then(Engine::named);
    let options = Options { engine, evidence: true, runs: Some(most_moves), ..Options::default() };
    checker.check(formulas, claim, &options, &budget)
}

/// What stories are replayed with.
struct Replayer<'a> {
    machine: &'a Machine,
    formulas: &'a Formulas,
    claim: FormulaId,
    outcome: &'a Outcome,
    /// The proof, of a claim in CTL*.
    proof: Option<Proof<'a>>,
}

impl<'a> Replayer<'a> {
    /// Checks the evidence of an outcome.
    fn new(
        machine: &'a Machine,
        formulas: &'a Formulas,
        claim: FormulaId,
        outcome: &'a Outcome,
    ) -> Self {
        let budget = Budget::unlimited();
        let evidence = outcome.evidence.as_ref().expect("it was asked for");
        let asked = Asked { formulas, claim: &Claim::new(claim) };
        let culprit = outcome.culprit.as_ref();
        check(machine.into(), asked, &outcome.verdict, culprit, evidence, &budget)
            .expect("it is right");
        let proof = match evidence {
            Evidence::Star(evidence) => {
                Some(Proof::check(machine, formulas, evidence, &budget).expect("it is right"))
            }
            _ => None,
        };
        Replayer { machine, formulas, claim, outcome, proof }
    }

    fn replay(&self, start: NodeId, story: &Story) -> Result<(), Stopped> {
        let Replayer { machine, formulas, claim, outcome, ref proof } = *self;
        let holds = outcome.verdict.known().expect("no limits are set");
        let evidence = match (proof, &outcome.evidence) {
            (Some(proof), _) => Checked::Star(proof),
            (None, Some(Evidence::Labelling(labelling))) => Checked::Labelling(labelling),
            (None, Some(Evidence::Runs { runs, .. })) => Checked::Runs(holds, runs),
            _ => Checked::Runs(holds, &[]),
        };
        let scene = Scene { machine, formulas, claim: Some(claim), start };
        run::replay(scene, evidence, story, &Budget::unlimited())
    }
}

/// A configuration; without a node it is the sink.
type Spot = (Vec<BoxId>, Option<NodeId>);

fn after((mut stack, _): Spot, step: &Move) -> Spot {
    if let MoveKind::Return(_) | MoveKind::ReturnAndCall(..) = step.kind {
        stack.pop();
    }
    if let MoveKind::Call(call) | MoveKind::ReturnAndCall(_, call) = step.kind {
        stack.push(call);
    }
    (stack, (step.kind != MoveKind::Sink).then_some(step.node))
}

/// Goes through all stories in one that has been replayed, and compares values with the oracle.
fn look(machine: &Machine, formulas: &Formulas, story: &Story, start: NodeId, counts: &mut Counts) {
    let mut oracles: BTreeMap<FormulaId, Option<Solution<'_>>> = BTreeMap::new();
    let mut waiting = vec![(story, (Vec::new(), Some(start)))];
    while let Some((story, spot)) = waiting.pop() {
        counts.stories += 1;
        let told = match &story.reason {
            Reason::Run(told) => told,
            Reason::Operands(stories) => {
                waiting.extend(stories.iter().map(|inner| (inner, spot.clone())));
                continue;
            }
            Reason::AllPaths => {
                counts.all_paths += 1;
                continue;
            }
            Reason::Labels => continue,
            Reason::TooLong => panic!("the limits are large"),
        };
        match told.run.ending {
            Ending::Done => counts.finite += 1,
            Ending::Loop(_) => counts.loops += 1,
            Ending::Pump(..) => counts.pumps += 1,
        }
        counts.in_calls += usize::from(!spot.0.is_empty());
        let height = spot.0.len();
        let mut spots = vec![spot];
        for step in &told.run.moves {
            let last = spots.last().cloned().expect("there is a first");
            // In the sink nothing happens any more.
            spots.push(if last.1.is_some() { after(last, step) } else { last });
        }
        counts.out_of_calls += usize::from(spots.iter().any(|(stack, _)| stack.len() < height));
        for (id, row) in &told.values {
            let limit = super::LIMIT;
            let oracle = oracles
                .entry(*id)
                .or_insert_with(|| pushdown::solve(machine, formulas, *id, limit));
            for ((stack, node), value) in spots.iter().zip(row) {
                counts.values += 1;
                let truth = oracle.as_ref().zip(*node).and_then(|(it, node)| it.at(stack, node));
                if let Some(truth) = truth {
                    counts.compared += 1;
                    assert_eq!(truth, *value, "{} at {stack:?} {node:?}", formulas.show(*id));
                }
            }
        }
        counts.asides += told.asides.len();
        counts.marks += told.marks.len();
        waiting.extend(told.asides.iter().map(|(at, inner)| (inner, spots[*at].clone())));
    }
}

/// Now and then a claim that is decided somewhere in a call: `E F (p & E f)`, with a path formula
/// f.
fn deep(seed: u64) -> (Machine, Formulas, FormulaId) {
    let (machine, mut formulas, claim) = pair(seed);
    let mut rng = Rng::with_seed(!seed);
    if !seed.is_multiple_of(3) {
        return (machine, formulas, claim);
    }
    let size = rng.usize(3..8);
    let path = sample::ltl(&mut rng, &mut formulas, size);
    let inner = if rng.bool() {
        formulas.make(Formula::Exists(path))
    } else {
        let all = formulas.make(Formula::All(path));
        formulas.make(Formula::Not(all))
    };
    let atom = formulas.atom(sample::ATOMS[rng.usize(..sample::ATOMS.len())]);
    let both = formulas.make(Formula::And(atom, inner));
    let finally = formulas.make(Formula::Finally(both));
    let claim = formulas.make(Formula::Exists(finally));
    (machine, formulas, claim)
}

#[test]
fn stories_can_be_replayed_and_agree_with_the_oracle() {
    let mut counts = Counts::default();
    let mut told: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in seeds(2_500) {
        let (machine, formulas, claim) = deep(seed);
        let outcome = outcome(&machine, &formulas, claim, seed);
        let case = || format!("seed {seed}\n{}\n{outcome:#?}", case(&machine, &formulas, claim));
        let replayer = Replayer::new(&machine, &formulas, claim, &outcome);
        assert!(!outcome.stories.is_empty(), "no story: {}", case());
        for (node, story) in &outcome.stories {
            assert_eq!(Some(story.holds), outcome.verdict.known(), "{}", case());
            assert!(outcome.culprit.as_ref().is_none_or(|it| it.node == *node), "{}", case());
            let replayed = replayer.replay(*node, story);
            assert!(replayed.is_ok(), "{replayed:?}: {}", case());
            look(&machine, &formulas, story, *node, &mut counts);
        }
        let kind = match &outcome.evidence {
            Some(Evidence::Star(_)) => "CTL*",
            Some(Evidence::Labelling(_)) => "CTL",
            Some(Evidence::Runs { .. }) => "runs",
            _ => "no run",
        };
        *told.entry(kind).or_default() += 1;
    }
    println!("{told:?} claims: {counts:?}");
    if super::is_whole() {
        let Counts { finite, loops, pumps, asides, in_calls, out_of_calls, .. } = counts;
        let Counts { compared, marks, .. } = counts;
        for count in [finite, loops, pumps, asides, in_calls, out_of_calls, compared, marks] {
            assert!(count > 20, "too little of something: {counts:?}");
        }
        assert!(told.len() == 4 && told.values().all(|&count| count > 100), "{told:?}");
    }
}

/// All places in a story at which there is a run.
fn runs(story: &mut Story) -> Vec<&mut AnnotatedRun> {
    let mut found = Vec::new();
    let mut waiting = vec![story];
    while let Some(story) = waiting.pop() {
        match &mut story.reason {
            Reason::Operands(stories) => waiting.extend(stories),
            Reason::Run(told) => found.push(told),
            _ => {}
        }
    }
    found
}

/// A way to spoil a run of a story, if it has what is needed.
type Spoil = fn(&mut AnnotatedRun, &Machine, &mut Rng) -> Option<()>;

/// Those that always make a story wrong, or leave out what it needs.
const SPOILS: [(&str, Spoil); 10] = [
    ("a mark has the other value", |told, _, rng| {
        let at = rng.usize(..told.marks.len().max(1));
        let mark = told.marks.get_mut(at)?;
        mark.holds = !mark.holds;
        Some(())
    }),
    ("a mark is of another formula", |told, _, _| {
        told.marks.first_mut()?.of = FormulaId::new(9_999);
        Some(())
    }),
    ("a mark is of no configuration", |told, _, _| {
        told.marks.last_mut()?.at = told.run.moves.len() + 1;
        Some(())
    }),
    ("a value is turned", |told, _, rng| {
        let row = rng.usize(..told.values.len().max(1));
        let row = &mut told.values.get_mut(row)?.1;
        let at = rng.usize(..row.len());
        row[at] = !row[at];
        Some(())
    }),
    ("a value is left out", |told, _, _| told.values.first_mut()?.1.pop().map(drop)),
    ("values are of another formula", |told, _, _| {
        let (of, _) = told.values.first_mut()?;
        *of = FormulaId::new(9_999);
        Some(())
    }),
    ("an aside has the other value", |told, _, rng| {
        let at = rng.usize(..told.asides.len().max(1));
        let story = &mut told.asides.get_mut(at)?.1;
        story.holds = !story.holds;
        Some(())
    }),
    ("an aside is of no configuration", |told, _, _| {
        told.asides.first_mut()?.0 = told.run.moves.len() + 1;
        Some(())
    }),
    ("a move leads elsewhere", |told, machine, rng| {
        let at = rng.usize(..told.run.moves.len().max(1));
        let step = told.run.moves.get_mut(at)?;
        let node = NodeId::new(rng.usize(..machine.node_count()));
        // In the sink it does not matter where one was.
        let stays = matches!(step.kind, MoveKind::Stay | MoveKind::Sink);
        let other = machine.component_of(node) != machine.component_of(step.node);
        (!stays && other).then(|| step.node = node)
    }),
    ("it goes on from nowhere", |told, _, _| match &mut told.run.ending {
        Ending::Done => None,
        Ending::Loop(from) | Ending::Pump(from, _) => {
            *from = told.run.moves.len();
            Some(())
        }
    }),
];

/// Those that may leave a story that is right.
const BLURS: [(&str, Spoil); 7] = [
    ("an aside is left out", |told, _, rng| {
        (!told.asides.is_empty()).then(|| {
            let at = rng.usize(..told.asides.len());
            told.asides.remove(at);
        })
    }),
    ("a mark is elsewhere", |told, _, rng| {
        let (at, count) = (rng.usize(..told.marks.len().max(1)), told.run.configurations());
        told.marks.get_mut(at)?.at = rng.usize(..count);
        Some(())
    }),
    ("a move is left out", |told, _, rng| {
        (!told.run.moves.is_empty()).then(|| {
            let at = rng.usize(..told.run.moves.len());
            told.run.moves.remove(at);
        })
    }),
    ("a move is made twice", |told, _, rng| {
        (!told.run.moves.is_empty()).then(|| {
            let at = rng.usize(..told.run.moves.len());
            let step = told.run.moves[at];
            told.run.moves.insert(at, step);
        })
    }),
    ("it ends", |told, _, _| {
        let endless = told.run.ending != Ending::Done;
        endless.then(|| told.run.ending = Ending::Done)
    }),
    ("it goes on from elsewhere", |told, _, rng| match &mut told.run.ending {
        Ending::Done => None,
        Ending::Loop(from) | Ending::Pump(from, _) => {
            *from = rng.usize(..told.run.moves.len());
            Some(())
        }
    }),
    ("an aside is of another configuration", |told, _, rng| {
        let at = rng.usize(..=told.run.moves.len());
        told.asides.first_mut()?.0 = at;
        Some(())
    }),
];

#[test]
fn spoilt_stories_are_refused() {
    let mut tried: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for seed in seeds(400) {
        let (machine, formulas, claim) = deep(seed);
        let outcome = outcome(&machine, &formulas, claim, seed);
        let replayer = Replayer::new(&machine, &formulas, claim, &outcome);
        let Some((node, story)) = outcome.stories.first() else { continue };
        let mut rng = Rng::with_seed(seed);
        for (number, (name, spoil)) in SPOILS.iter().chain(&BLURS).enumerate() {
            let mut spoilt = story.clone();
            let mut found = runs(&mut spoilt);
            if found.is_empty() {
                continue;
            }
            let at = rng.usize(..found.len());
            if spoil(found[at], &machine, &mut rng).is_none() || spoilt == *story {
                continue;
            }
            let refused = replayer.replay(*node, &spoilt).is_err();
            let must = number < SPOILS.len();
            let case = || format!("seed {seed}\n{}", case(&machine, &formulas, claim));
            assert!(refused || !must, "{name}: accepted\n{}\n{spoilt:#?}", case());
            let counts = tried.entry(name).or_default();
            *counts = (counts.0 + 1, counts.1 + usize::from(refused));
        }
        // The whole told with the other value, or of another formula.
        let opposite = Story { holds: !story.holds, ..story.clone() };
        assert!(replayer.replay(*node, &opposite).is_err());
        let automaton = Story { of: Topic::Automaton, ..story.clone() };
        assert!(replayer.replay(*node, &automaton).is_err());
        if let Formula::Exists(inner) | Formula::All(inner) = formulas.get(claim) {
            let other = Story { of: inner.into(), ..story.clone() };
            assert!(replayer.replay(*node, &other).is_err());
        }
    }
    println!("{tried:#?}");
    if super::is_whole() {
        for (name, _) in SPOILS.iter().chain(&BLURS) {
            let (_, refused) = tried.get(name).copied().unwrap_or_default();
            assert!(refused > 5, "{name} was refused too rarely: {tried:?}");
        }
    }
}
/// In the first call `in` may come back to q, in deeper ones it may not. It can also stay where it
/// is for ever.
const FIRST_CALL: &str = "component main
  box b = f
  * start -> b.in
  end q -> end
  b.out -> end
  exits
component f
  box c = f
  > in -> in, c.in, ^out
  back -> ^out
  c.out -> back
  exits out";

#[test]
fn what_is_true_in_the_first_round_must_be_true_in_all() {
    let machine = sketch::machine(FIRST_CALL);
    let mut formulas = Formulas::new();
    let claim = sketch::formula(&mut formulas, "E X G E X q");
    let outcome = outcome_within(&machine, &formulas, claim, Some("automata"), 10_000);
    let replayer = Replayer::new(&machine, &formulas, claim, &outcome);
    let (start, story) = &outcome.stories[0];
    assert!(replayer.proof.is_some());
    assert_eq!(replayer.replay(*start, story), Ok(()));

    let entry = machine.find_node("f", "in").expect("there is one");
    let (first, again) = (BoxId::new(0), BoxId::new(1));
    let deeper = |from: usize, calls: usize| {
        let mut moves = vec![Move { kind: MoveKind::Call(first), node: entry }];
        moves.extend(vec![Move { kind: MoveKind::Call(again), node: entry }; calls]);
        let run = tern_model::Run { moves, ending: Ending::Pump(from, vec![again]) };
        Story { reason: Reason::Run(run.into()), ..story.clone() }
    };
    let refusal = replayer.replay(*start, &deeper(1, 1)).expect_err("EX q ends");
    assert!(refusal.to_string().ends_with("it is not as it was in the first round"), "{refusal}");
    let refusal = replayer.replay(*start, &deeper(2, 2)).expect_err("EX q is gone");
    assert!(refusal.to_string().ends_with("has another value on the run"), "{refusal}");
}

/// Where few moves are allowed and few are enough, they are told, however long the whole run is.
#[test]
fn the_beginning_of_a_long_run_may_be_enough() {
    let mut told = 0;
    for seed in seeds(600) {
        let (machine, formulas, claim) = deep(seed);
        let most = (seed % 4) as usize;
        let engine = (!seed.is_multiple_of(2)).then_some("automata");
        let outcome = outcome_within(&machine, &formulas, claim, engine, most);
        let Some((node, story)) = outcome.stories.first() else { continue };
        let replayer = Replayer::new(&machine, &formulas, claim, &outcome);
        let replayed = replayer.replay(*node, story);
        let case = || format!("seed {seed}\n{}\n{story:#?}", case(&machine, &formulas, claim));
        assert!(replayed.is_ok(), "{replayed:?}: {}", case());
        let mut story = story.clone();
        let moves: usize = runs(&mut story).iter().map(|told| told.run.moves.len()).sum();
        assert!(moves <= most, "{moves} moves of {most}: {}", case());
        // An endless run has at least one move.
        told += usize::from(most == 0 && !runs(&mut story).is_empty());
    }
    assert!(!super::is_whole() || told > 20, "{told} runs without moves");
}

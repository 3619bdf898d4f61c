//! Evidence about runs that has been spoiled in one place must be refused.
//!
//! Each kind of spoiling is tried on the evidence of many random claims. Most kinds must be refused whenever they
//! change anything; a few may leave evidence that is right, and must be refused at least now and then.

#![allow(clippy::print_stdout)] // says how often each kind was tried and refused
#![allow(clippy::unit_arg)] // `Some(list.clear())` says that a kind applies

use fastrand::Rng;
use tern_certify::{linear, sample, sketch};
use tern_engine::{Checker, Options};
use tern_model::absence::{AbsenceStart, Spot};
use tern_model::{
    Absence, Budget, Ending, Evidence, Formula, FormulaId, Formulas, Id, Machine, MoveKind, NodeId,
    Obligation, PlaceId, Run, Verdict,
};

/// What is spoiled; `None` if this kind does not apply.
type Spoil = fn(&mut Case, &mut Rng) -> Option<()>;

#[derive(Clone)]
struct Case {
    verdict: Verdict,
    evidence: Evidence,
    nodes: usize,
}

impl Case {
    fn proof(&mut self) -> Option<&mut Absence> {
        match &mut self.evidence {
            Evidence::Absence { proof, .. } => Some(proof),
            _ => None,
        }
    }

    fn start(&mut self, rng: &mut Rng) -> Option<&mut AbsenceStart> {
        pick(&mut self.proof()?.starts, rng)
    }

    fn run(&mut self, rng: &mut Rng) -> Option<&mut (NodeId, Run)> {
        match &mut self.evidence {
            Evidence::Runs { runs, .. } => pick(runs, rng),
            _ => None,
        }
    }

    fn sought(&mut self) -> Option<&mut Obligation> {
        match &mut self.evidence {
            Evidence::Runs { sought, .. } | Evidence::Absence { sought, .. } => Some(sought),
            _ => None,
        }
    }
}

fn pick<'a, T>(list: &'a mut [T], rng: &mut Rng) -> Option<&'a mut T> {
    let at = (!list.is_empty()).then(|| rng.usize(..list.len()))?;
    Some(&mut list[at])
}

fn remove<T>(list: &mut Vec<T>, rng: &mut Rng) -> Option<()> {
    let at = (!list.is_empty()).then(|| rng.usize(..list.len()))?;
    list.remove(at);
    Some(())
}

fn drop_bit(bits: &mut u64, rng: &mut Rng) -> Option<()> {
    let set: Vec<u32> = (0..64).filter(|bit| *bits >> bit & 1 == 1).collect();
    *bits &= !(1 << set.get(rng.usize(..set.len().max(1)))?);
    Some(())
}

/// Kinds that must be refused whenever they apply.
const ALWAYS: &[(&str, Spoil)] = &[
    ("the verdict is turned round", |case, _| {
        case.verdict = Verdict::from(!case.verdict.known()?);
        Some(())
    }),
    ("the opposite was sought", |case, _| {
        let sought = case.sought()?;
        sought.holds = !sought.holds;
        Some(())
    }),
    ("a vertex is missing", |case, rng| remove(&mut case.start(rng)?.vertices, rng)),
    ("a vertex is there twice", |case, rng| {
        let vertices = &mut case.start(rng)?.vertices;
        let again = *pick(vertices, rng)?;
        vertices.push(again);
        Some(())
    }),
    ("a leave is missing", |case, rng| remove(&mut case.start(rng)?.leaves, rng)),
    ("a start is missing", |case, rng| remove(&mut case.proof()?.starts, rng)),
    ("a start is there twice", |case, rng| {
        let starts = &mut case.proof()?.starts;
        let again = pick(starts, rng)?.clone();
        starts.push(again);
        Some(())
    }),
    ("a kept promise is not noted at a vertex", |case, rng| {
        drop_bit(&mut pick(&mut case.start(rng)?.vertices, rng)?.kept, rng)
    }),
    ("a kept promise is not noted at a leave", |case, rng| {
        drop_bit(&mut pick(&mut case.start(rng)?.leaves, rng)?.kept, rng)
    }),
    ("a level is out of range", |case, rng| {
        let levels = case.proof()?.levels.len();
        pick(&mut case.start(rng)?.vertices, rng)?.level = u32::try_from(levels).ok()?;
        Some(())
    }),
    ("a promise of a level is out of range", |case, rng| {
        let proof = case.proof()?;
        *pick(&mut proof.levels, rng)? = Some(u32::try_from(proof.promises.len()).ok()?);
        Some(())
    }),
    ("no edge may stay in any level", |case, _| {
        let proof = case.proof()?;
        let cyclic = proof.levels.iter().any(Option::is_some);
        proof.levels.iter_mut().for_each(|level| *level = None);
        cyclic.then_some(())
    }),
    ("a promise is missing", |case, rng| remove(&mut case.proof()?.promises, rng)),
    ("a promise is named twice", |case, rng| {
        let promises = &mut case.proof()?.promises;
        let again = *pick(promises, rng)?;
        promises.push(again);
        Some(())
    }),
    ("a state is there twice", |case, rng| {
        let states = &mut case.proof()?.states;
        let again = pick(states, rng)?.clone();
        states.push(again);
        Some(())
    }),
    ("the obligations of the first state are dropped", |case, _| {
        let state = case.proof()?.states.first_mut()?;
        (!state.is_empty()).then(|| state.clear())
    }),
    ("a root is taken for a callee", |case, _| {
        let mut starts = case.proof()?.starts.iter_mut();
        starts.find(|start| start.root)?.root = false;
        Some(())
    }),
    ("a callee is taken for a root", |case, _| {
        let mut starts = case.proof()?.starts.iter_mut();
        starts.find(|start| !start.root)?.root = true;
        Some(())
    }),
    ("a start is at a node that does not exist", |case, rng| {
        let nodes = case.nodes;
        case.start(rng)?.node = NodeId::new(nodes + 7);
        Some(())
    }),
    ("a vertex is at a place that does not exist", |case, rng| {
        pick(&mut case.start(rng)?.vertices, rng)?.spot = Spot::At(PlaceId::new(1 << 20));
        Some(())
    }),
    ("a state does not exist", |case, rng| {
        let states = case.proof()?.states.len();
        pick(&mut case.start(rng)?.vertices, rng)?.state = u32::try_from(states).ok()?;
        Some(())
    }),
    ("it is proved of no initial node", |case, _| match &mut case.evidence {
        Evidence::Absence { from, .. } => Some(from.clear()),
        Evidence::Runs { runs, .. } => Some(runs.clear()),
        _ => None,
    }),
    ("it begins at a node that does not exist", |case, rng| {
        let nodes = case.nodes;
        case.run(rng)?.0 = NodeId::new(nodes + 3);
        Some(())
    }),
    ("a run does not go on", |case, rng| {
        case.run(rng)?.1.ending = Ending::Done;
        Some(())
    }),
    ("a run goes on from its end", |case, rng| {
        let run = &mut case.run(rng)?.1;
        run.ending = Ending::Loop(run.moves.len());
        Some(())
    }),
    ("a run has no moves", |case, rng| Some(case.run(rng)?.1.moves.clear())),
    ("a pumping run names too many boxes", |case, rng| match &mut case.run(rng)?.1.ending {
        Ending::Pump(_, boxes) => Some(boxes.push(*boxes.first()?)),
        _ => None,
    }),
    ("a pumping run names no boxes", |case, rng| match &mut case.run(rng)?.1.ending {
        Ending::Pump(_, boxes) => Some(boxes.clear()),
        _ => None,
    }),
    ("a pumping run is called a loop", |case, rng| {
        let ending = &mut case.run(rng)?.1.ending;
        let Ending::Pump(begin, _) = *ending else { return None };
        *ending = Ending::Loop(begin);
        Some(())
    }),
];

/// Kinds that may leave evidence that is right.
const NOW_AND_THEN: &[(&str, Spoil)] = &[
    ("all levels are the same, and keep the first promise", |case, _| {
        let proof = case.proof()?;
        (proof.levels.len() > 1 && proof.promises.is_empty()).then_some(())?;
        let vertices = proof.starts.iter_mut().flat_map(|start| &mut start.vertices);
        vertices.for_each(|vertex| vertex.level = 0);
        Some(())
    }),
    ("a call is called a step", |case, rng| {
        let mut moves = case.run(rng)?.1.moves.iter_mut();
        moves.find(|step| matches!(step.kind, MoveKind::Call(_)))?.kind = MoveKind::Step;
        Some(())
    }),
    ("a return is called a step", |case, rng| {
        let mut moves = case.run(rng)?.1.moves.iter_mut();
        moves.find(|step| matches!(step.kind, MoveKind::Return(_)))?.kind = MoveKind::Step;
        Some(())
    }),
    ("a move is missing", |case, rng| remove(&mut case.run(rng)?.1.moves, rng)),
    ("a move is made twice", |case, rng| {
        let moves = &mut case.run(rng)?.1.moves;
        let at = rng.usize(..moves.len());
        moves.insert(at, moves[at]);
        Some(())
    }),
    ("a loop begins elsewhere", |case, rng| {
        let run = &mut case.run(rng)?.1;
        let Ending::Loop(begin) = run.ending else { return None };
        let other = rng.usize(..run.moves.len());
        (other != begin).then(|| run.ending = Ending::Loop(other))
    }),
    ("a run passes another node", |case, rng| {
        let nodes = case.nodes;
        let step = pick(&mut case.run(rng)?.1.moves, rng)?;
        let other = NodeId::new(rng.usize(..nodes));
        (other != step.node).then(|| step.node = other)
    }),
    ("a run begins at another node", |case, rng| {
        let nodes = case.nodes;
        let at = &mut case.run(rng)?.0;
        let other = NodeId::new(rng.usize(..nodes));
        (other != *at).then(|| *at = other)
    }),
    ("a vertex has another state", |case, rng| {
        let states = case.proof()?.states.len();
        let vertex = pick(&mut case.start(rng)?.vertices, rng)?;
        let other = u32::try_from(rng.usize(..states)).ok()?;
        (other != vertex.state).then(|| vertex.state = other)
    }),
    ("a vertex has another level", |case, rng| {
        let levels = case.proof()?.levels.len();
        let vertex = pick(&mut case.start(rng)?.vertices, rng)?;
        let other = u32::try_from(rng.usize(..levels)).ok()?;
        (other != vertex.level).then(|| vertex.level = other)
    }),
    ("a level has another promise", |case, rng| {
        let proof = case.proof()?;
        let other = u32::try_from(rng.usize(..proof.promises.len().max(1))).ok()?;
        let level = pick(&mut proof.levels, rng)?;
        (level.is_some() && *level != Some(other)).then(|| *level = Some(other))
    }),
    ("a state has an obligation less", |case, rng| {
        let state = pick(&mut case.proof()?.states, rng)?;
        remove(state, rng)
    }),
    ("a state has the opposite obligation", |case, rng| {
        let obligation = pick(pick(&mut case.proof()?.states, rng)?, rng)?;
        obligation.holds = !obligation.holds;
        Some(())
    }),
    ("a leave has another state", |case, rng| {
        let states = case.proof()?.states.len();
        let leave = pick(&mut case.start(rng)?.leaves, rng)?;
        let other = u32::try_from(rng.usize(..states)).ok()?;
        (other != leave.state).then(|| leave.state = other)
    }),
    ("two promises change places", |case, rng| {
        let promises = &mut case.proof()?.promises;
        (promises.len() > 1).then(|| {
            let at = rng.usize(1..promises.len());
            promises.swap(0, at);
        })
    }),
    ("an initial node is left out", |case, rng| match &mut case.evidence {
        Evidence::Absence { from, .. } => remove(from, rng),
        Evidence::Runs { runs, .. } => remove(runs, rng),
        _ => None,
    }),
];

fn pair(seed: u64) -> (Machine, Formulas, FormulaId, Rng) {
    let mut rng = Rng::with_seed(seed);
    let machine = sample::machine(&mut rng, &sample::Shape::default());
    let mut formulas = Formulas::new();
    let path = sample::ltl(&mut rng, &mut formulas, 2 + (seed % 7) as usize);
    let claim = if seed.is_multiple_of(3) { formulas.make(Formula::Exists(path)) } else { path };
    (machine, formulas, claim, rng)
}

#[test]
fn spoiled_evidence_about_runs_is_refused() {
    let budget = Budget::unlimited();
    let kinds = || ALWAYS.iter().chain(NOW_AND_THEN);
    let (mut tried, mut refused) = (vec![0; kinds().count()], vec![0; kinds().count()]);
    for seed in 0..3_000 {
        let (machine, formulas, claim, mut rng) = pair(seed);
        let checker = Checker::new(&machine, &budget).expect("no limits are set");
        let options = Options { engine: Some("tableau"), evidence: true, ..Options::default() };
        let outcome = checker.check(&formulas, claim, &options, &budget);
        let Some(evidence) = outcome.evidence else { panic!("seed {seed}: no evidence") };
        let whole = Case { verdict: outcome.verdict, evidence, nodes: machine.node_count() };
        let check = |case: &Case| {
            linear::check(&machine, &formulas, claim, &case.verdict, &case.evidence, &budget)
        };
        check(&whole).unwrap_or_else(|why| panic!("seed {seed}: {why:?}"));
        for (number, (name, spoil)) in kinds().enumerate() {
            let mut case = whole.clone();
            if spoil(&mut case, &mut rng).is_none() {
                continue;
            }
            tried[number] += 1;
            match check(&case) {
                Err(_) => refused[number] += 1,
                Ok(()) if number < ALWAYS.len() => panic!(
                    "{name}, seed {seed}: accepted\n{}\n{}\n{:#?}",
                    sketch::show(&machine),
                    formulas.show(claim),
                    case.evidence
                ),
                Ok(()) => (),
            }
        }
    }
    for (number, (name, _)) in kinds().enumerate() {
        println!("{:>5} of {:>5} refused: {name}", refused[number], tried[number]);
        assert!(tried[number] > 20, "{name} was hardly tried");
        assert!(refused[number] * 10 >= tried[number], "{name} is hardly ever refused");
    }
}

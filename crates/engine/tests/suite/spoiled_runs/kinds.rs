//! Ways to spoil evidence about runs, whatever the claim is.

use fastrand::Rng;
use tern_model::absence::{AbsenceStart, Spot, States};
use tern_model::{
    Absence, Automaton, Ending, Evidence, FormulaId, Id, Machine, MoveKind, Must, NodeId,
    Obligation, PlaceId, Run, Sought, Verdict,
};

/// What is spoiled; `None` if this kind does not apply.
pub(crate) type Spoil = fn(&mut Case, &mut Rng) -> Option<()>;

#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) verdict: Verdict,
    pub(crate) evidence: Evidence,
    /// How many nodes there are in the program.
    pub(crate) nodes: usize,
    /// How many states the proof speaks of, and how many promises.
    pub(crate) states: usize,
    pub(crate) promises: usize,
    /// The automaton that the claim stands for, if it does.
    pub(crate) automaton: Option<(Automaton, Must, Vec<FormulaId>)>,
}

impl Case {
    pub(crate) fn new(
        machine: &Machine,
        verdict: Verdict,
        evidence: Evidence,
        automaton: Option<(Automaton, Must, Vec<FormulaId>)>,
    ) -> Self {
        let given = |marks: Option<u32>| {
            let (automaton, _, fair) = automaton.as_ref().expect("the proof is about one");
            (automaton, marks.unwrap_or(automaton.mark_count) as usize + fair.len())
        };
        let (states, promises) = match &evidence {
            Evidence::Absence { proof, .. } => match &proof.states {
                States::Obligations { promises, sets, .. } => (sets.len(), promises.len()),
                States::Automaton => {
                    let (automaton, promises) = given(None);
                    (automaton.state_count(), promises)
                }
                States::Complement(watches) => (watches.len(), given(Some(1)).1),
            },
            _ => (0, 0),
        };
        Case { verdict, evidence, nodes: machine.node_count(), states, promises, automaton }
    }

    pub(crate) fn proof(&mut self) -> Option<&mut Absence> {
        match &mut self.evidence {
            Evidence::Absence { proof, .. } => Some(proof),
            _ => None,
        }
    }

    pub(crate) fn start(&mut self, rng: &mut Rng) -> Option<&mut AbsenceStart> {
        pick(&mut self.proof()?.starts, rng)
    }

    pub(crate) fn run(&mut self, rng: &mut Rng) -> Option<&mut (NodeId, Run)> {
        match &mut self.evidence {
            Evidence::Runs { runs, .. } => pick(runs, rng),
            _ => None,
        }
    }

    fn sought(&mut self) -> Option<&mut Sought> {
        match &mut self.evidence {
            Evidence::Runs { sought, .. } | Evidence::Absence { sought, .. } => Some(sought),
            _ => None,
        }
    }

    fn promise_list(&mut self) -> Option<&mut Vec<Obligation>> {
        match &mut self.proof()?.states {
            States::Obligations { promises, .. } => Some(promises),
            _ => None,
        }
    }

    fn sets(&mut self) -> Option<&mut Vec<Vec<Obligation>>> {
        match &mut self.proof()?.states {
            States::Obligations { sets, .. } => Some(sets),
            _ => None,
        }
    }
}

pub(crate) fn pick<'a, T>(list: &'a mut [T], rng: &mut Rng) -> Option<&'a mut T> {
    let at = (!list.is_empty()).then(|| rng.usize(..list.len()))?;
    Some(&mut list[at])
}

pub(crate) fn remove<T>(list: &mut Vec<T>, rng: &mut Rng) -> Option<()> {
    let at = (!list.is_empty()).then(|| rng.usize(..list.len()))?;
    list.remove(at);
    Some(())
}

pub(crate) fn drop_bit(bits: &mut u64, rng: &mut Rng) -> Option<()> {
    let set: Vec<u32> = (0..64).filter(|bit| *bits >> bit & 1 == 1).collect();
    *bits &= !(1 << set.get(rng.usize(..set.len().max(1)))?);
    Some(())
}

/// Kinds that must be refused whenever they apply.
pub(crate) const ALWAYS: &[(&str, Spoil)] = &[
    ("the verdict is turned round", |case, _| {
        case.verdict = Verdict::from(!case.verdict.known()?);
        Some(())
    }),
    ("the opposite was sought", |case, _| {
        let sought = case.sought()?;
        *sought = match *sought {
            Sought::Formula(it) => Sought::Formula(Obligation { holds: !it.holds, ..it }),
            Sought::Accepted => Sought::NotAccepted,
            Sought::NotAccepted => Sought::Accepted,
        };
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
        let promises = u32::try_from(case.promises).ok()?;
        *pick(&mut case.proof()?.levels, rng)? = Some(promises);
        Some(())
    }),
    ("no edge may stay in any level", |case, _| {
        let proof = case.proof()?;
        let cyclic = proof.levels.iter().any(Option::is_some);
        proof.levels.iter_mut().for_each(|level| *level = None);
        cyclic.then_some(())
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
        let states = case.states;
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
pub(crate) const NOW_AND_THEN: &[(&str, Spoil)] = &[
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
        let states = case.states;
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
        let promises = case.promises;
        let proof = case.proof()?;
        let other = u32::try_from(rng.usize(..promises.max(1))).ok()?;
        let level = pick(&mut proof.levels, rng)?;
        (level.is_some() && *level != Some(other)).then(|| *level = Some(other))
    }),
    ("a leave has another state", |case, rng| {
        let states = case.states;
        let leave = pick(&mut case.start(rng)?.leaves, rng)?;
        let other = u32::try_from(rng.usize(..states)).ok()?;
        (other != leave.state).then(|| leave.state = other)
    }),
    ("an initial node is left out", |case, rng| match &mut case.evidence {
        Evidence::Absence { from, .. } => remove(from, rng),
        Evidence::Runs { runs, .. } => remove(runs, rng),
        _ => None,
    }),
];

/// Kinds for claims that are formulas, that must be refused whenever they apply.
pub(crate) const ALWAYS_FOR_FORMULAS: &[(&str, Spoil)] = &[
    ("a promise is missing", |case, rng| remove(case.promise_list()?, rng)),
    ("a promise is named twice", |case, rng| {
        let promises = case.promise_list()?;
        let again = *pick(promises, rng)?;
        promises.push(again);
        Some(())
    }),
    ("a state is there twice", |case, rng| {
        let states = case.sets()?;
        let again = pick(states, rng)?.clone();
        states.push(again);
        Some(())
    }),
    ("the obligations of the first state are dropped", |case, _| {
        let state = case.sets()?.first_mut()?;
        (!state.is_empty()).then(|| state.clear())
    }),
];

/// Kinds for claims that are formulas, that may leave evidence that is right.
pub(crate) const NOW_AND_THEN_FOR_FORMULAS: &[(&str, Spoil)] = &[
    ("all levels are the same, and keep the first promise", |case, _| {
        let promises = case.promises;
        let proof = case.proof()?;
        (proof.levels.len() > 1 && promises == 0).then_some(())?;
        let vertices = proof.starts.iter_mut().flat_map(|start| &mut start.vertices);
        vertices.for_each(|vertex| vertex.level = 0);
        Some(())
    }),
    ("a state has an obligation less", |case, rng| {
        let state = pick(case.sets()?, rng)?;
        remove(state, rng)
    }),
    ("a state has the opposite obligation", |case, rng| {
        let obligation = pick(pick(case.sets()?, rng)?, rng)?;
        obligation.holds = !obligation.holds;
        Some(())
    }),
    ("two promises change places", |case, rng| {
        let promises = case.promise_list()?;
        (promises.len() > 1).then(|| {
            let at = rng.usize(1..promises.len());
            promises.swap(0, at);
        })
    }),
];

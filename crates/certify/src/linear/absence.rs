//! Checks a proof that no run has what was sought. What is checked, and why it suffices, is said in
//! the header of [`absence`](tern_model::absence). Every vertex is looked at once, with its
//! alternatives and edges, and once more for each narrowing that has it (`narrowing`); nothing is
//! searched for.

use super::narrowing;
use crate::moves::{node_name, place_name};
use crate::refusal::{Lack, Refusal, Stopped};
use std::collections::{BTreeMap, BTreeSet};
use tern_model::absence::{AbsenceStart, AbsenceVertex, Out, Spot};
use tern_model::budget::Meter;
use tern_model::{Absence, BoxId, Budget, Edge, EndRule, Id, Machine, NodeId, Place};

/// What the states of a proof mean, and so where they lead.
pub(super) trait Reading {
    /// How many states there are.
    fn state_count(&self) -> usize;
    /// How many promises there are, at most 64.
    fn promise_count(&self) -> usize;
    /// The states in which a run that was sought may be in the beginning; or what is missing.
    fn initial(&self) -> Result<Vec<u32>, &'static str>;
    /// How many of the promises, the last ones, are the second sides of pairs: they need not be
    /// kept unless the first sides come again and again.
    fn pair_count(&self) -> usize {
        0
    }
    /// The pairs whose first side a node shows, or the sink, as bits.
    fn premises(&mut self, _shows: Option<NodeId>) -> u64 {
        0
    }
    /// The states that a state leads to, one of those that there are, when a node shows its labels,
    /// or the sink its lack of any; each with the promises that are kept on the way, as bits. Or
    /// what is missing.
    fn ways(
        &mut self,
        state: u32,
        shows: Option<NodeId>,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<(u32, u64)>, Lack>;
}

/// Checks that no run from some nodes, with an empty stack, has what was sought.
pub(super) fn check(
    machine: &Machine,
    reading: impl Reading,
    from: &[NodeId],
    proof: &Absence,
    budget: &Budget,
) -> Result<(), Stopped> {
    let initial = reading.initial().map_err(|why| Refusal::new("the states", why))?;
    let mut check = Check::new(machine, reading, proof, budget)?;
    for &node in from {
        if !initial.iter().all(|&state| check.is_root(node, state)) {
            let why = "no root start has the state for what was sought at this initial node";
            return Err(Refusal::new(node_name(machine, node), why).into());
        }
    }
    for (number, start) in proof.starts.iter().enumerate() {
        check.vertex(number, Spot::At(machine.node_place(start.node)), start.state)?;
        for vertex in &start.vertices {
            check.expand(number, vertex)?;
        }
    }
    narrowing::check(&mut check)
}

/// One move on from a vertex, inside the frame of its start or out of it.
pub(super) struct Onward {
    pub(super) kind: Kind,
    /// The promises that the move itself keeps, not what happens inside a callee.
    pub(super) kept: u64,
    /// The pairs whose first side it has.
    pub(super) premises: u64,
}

/// Where a move leads.
pub(super) enum Kind {
    /// To a spot of the same frame, in a state; perhaps through a start and one of its leaves.
    Within(Spot, u32, Option<(usize, usize)>),
    /// Into a start, which is never left.
    Into(usize),
    /// Out of the frame, in a state.
    Out(Out, u32),
}

pub(super) struct Check<'a, R> {
    machine: &'a Machine,
    reading: R,
    pub(super) meter: Meter<'a>,
    pub(super) proof: &'a Absence,
    /// How many promises there are that must be kept again and again.
    real: usize,
    /// The narrowings, by the one that they are within and the level of it.
    narrowings: BTreeMap<(Option<usize>, u32), usize>,
    starts: BTreeMap<(NodeId, u32, bool), usize>,
    /// The root starts, at most one of each component.
    roots: Vec<usize>,
    vertices: BTreeMap<(usize, Spot, u32), &'a AbsenceVertex>,
    leaves: BTreeMap<(usize, Out, u32), u64>,
}

impl<'a, R: Reading> Check<'a, R> {
    /// Looks that all ids are in range and nothing is said twice.
    fn new(
        machine: &'a Machine,
        reading: R,
        proof: &'a Absence,
        budget: &'a Budget,
    ) -> Result<Self, Refusal> {
        let bad = |place: String, why: &str| Err(Refusal::new(place, why));
        let states = reading.state_count();
        let real = reading.promise_count() - reading.pair_count();
        let narrowings = narrowing::numbered(proof, real, reading.pair_count())?;
        let (mut starts, mut vertices, mut leaves) =
            (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (mut roots, mut rooted) = (Vec::new(), BTreeSet::new());
        for (number, start) in proof.starts.iter().enumerate() {
            let place = || format!("start {number}");
            if start.node.index() >= machine.node_count() || start.state as usize >= states {
                return bad(place(), "there is no such node or state");
            }
            if starts.insert((start.node, start.state, start.root), number).is_some() {
                return bad(place(), "it is there twice");
            }
            if start.root {
                let component = machine.component_of(start.node);
                if !rooted.insert(component) {
                    return bad(place(), "the component has a root start already");
                }
                roots.push(number);
            }
            for vertex in &start.vertices {
                let exists = match vertex.spot {
                    Spot::At(place) => place.index() < machine.place_count(),
                    Spot::Halted(node) => node.index() < machine.node_count(),
                    Spot::Sink => true,
                };
                let in_range = (vertex.state as usize) < states
                    && (vertex.level as usize) < proof.levels.len();
                if !exists || !in_range {
                    return bad(place(), "a vertex has no such place, state or level");
                }
                if vertices.insert((number, vertex.spot, vertex.state), vertex).is_some() {
                    return bad(place(), "a vertex is there twice");
                }
            }
            for leave in &start.leaves {
                let exists = match leave.out {
                    Out::By(exit) => exit.index() < machine.exit_count(),
                    Out::Stuck(node) => node.index() < machine.node_count(),
                };
                if !exists || leave.state as usize >= states {
                    return bad(place(), "a leave has no such exit, node or state");
                }
                if leaves.insert((number, leave.out, leave.state), leave.kept).is_some() {
                    return bad(place(), "a leave is there twice");
                }
            }
        }
        let meter = Meter::new(budget);
        Ok(Check {
            machine,
            reading,
            meter,
            proof,
            real,
            narrowings,
            starts,
            roots,
            vertices,
            leaves,
        })
    }

    /// Whether a run from an initial node, with an empty stack and in some state, is among what was
    /// followed.
    fn is_root(&self, node: NodeId, state: u32) -> bool {
        let spot = Spot::At(self.machine.node_place(node));
        self.roots.iter().any(|&root| self.vertices.contains_key(&(root, spot, state)))
    }

    pub(super) fn vertex(
        &self,
        start: usize,
        spot: Spot,
        state: u32,
    ) -> Result<&'a AbsenceVertex, Refusal> {
        let found = self.vertices.get(&(start, spot, state)).copied();
        found.ok_or_else(|| {
            let why = format!("there is no vertex here in state {state}");
            Refusal::new(format!("start {start}, {}", self.spot_name(spot)), why)
        })
    }

    /// The states that the alternatives lead to, each with the promises that are kept on the way.
    fn alternatives(
        &mut self,
        state: u32,
        shows: Option<NodeId>,
    ) -> Result<Vec<(u32, u64)>, Stopped> {
        self.meter.tick()?;
        let ways = self.reading.ways(state, shows, &mut self.meter);
        ways.map_err(|lack| lack.in_state(state))
    }

    /// Looks at everything that a vertex leads to.
    fn expand(&mut self, start: usize, vertex: &AbsenceVertex) -> Result<(), Stopped> {
        for Onward { kind, kept, .. } in self.onward(start, vertex)? {
            match kind {
                Kind::Within(spot, state, None) => self.edge(start, vertex, spot, state, kept)?,
                Kind::Within(spot, state, Some((callee, leave))) => {
                    let inside = self.proof.starts[callee].leaves[leave].kept;
                    self.edge(start, vertex, spot, state, kept | inside)?;
                }
                Kind::Into(callee) => {
                    let to = self.first(callee)?;
                    self.falls(start, vertex, to, kept)?;
                }
                Kind::Out(out, state) => self.leave(start, vertex, out, state, kept)?,
            }
        }
        Ok(())
    }

    /// The vertex of the node of a start.
    pub(super) fn first(&self, start: usize) -> Result<&'a AbsenceVertex, Refusal> {
        let AbsenceStart { node, state, .. } = self.proof.starts[start];
        self.vertex(start, Spot::At(self.machine.node_place(node)), state)
    }

    /// All that follows a vertex.
    pub(super) fn onward(
        &mut self,
        start: usize,
        vertex: &AbsenceVertex,
    ) -> Result<Vec<Onward>, Stopped> {
        self.meter.tick()?;
        let AbsenceVertex { spot, state, .. } = *vertex;
        let mut onward = Vec::new();
        match spot {
            Spot::At(place) => match self.machine.place(place) {
                Place::Node(node) => self.leave_node(start, vertex, node, &mut onward)?,
                Place::Site(..) => {
                    for &edge in self.machine.edges_at(place) {
                        self.follow(start, edge, state, (0, 0), &mut onward)?;
                    }
                }
            },
            Spot::Halted(node) => self.stay(vertex, Some(node), &mut onward)?,
            Spot::Sink => self.stay(vertex, None, &mut onward)?,
        }
        Ok(onward)
    }

    fn stay(
        &mut self,
        vertex: &AbsenceVertex,
        shows: Option<NodeId>,
        onward: &mut Vec<Onward>,
    ) -> Result<(), Stopped> {
        let premises = self.reading.premises(shows);
        for (state, kept) in self.alternatives(vertex.state, shows)? {
            onward.push(Onward { kind: Kind::Within(vertex.spot, state, None), kept, premises });
        }
        Ok(())
    }

    fn leave_node(
        &mut self,
        start: usize,
        vertex: &AbsenceVertex,
        node: NodeId,
        onward: &mut Vec<Onward>,
    ) -> Result<(), Stopped> {
        let edges = self.machine.edges(node);
        let root = self.proof.starts[start].root;
        let returns = |edge: &Edge| matches!(edge, Edge::Return(_));
        let premises = self.reading.premises(Some(node));
        for (state, kept) in self.alternatives(vertex.state, Some(node))? {
            for &edge in edges.iter().filter(|edge| !root || !returns(edge)) {
                self.follow(start, edge, state, (kept, premises), onward)?;
            }
            let within = |to| Onward { kind: Kind::Within(to, state, None), kept, premises };
            if root && edges.iter().any(returns) {
                onward.push(within(match self.machine.end_rule() {
                    EndRule::Loop => vertex.spot,
                    EndRule::Sink => Spot::Sink,
                }));
            }
            if edges.is_empty() {
                onward.push(within(vertex.spot));
            }
        }
        if !root && !edges.is_empty() && edges.iter().all(returns) {
            // What the node shows is read only by who knows that it is stuck.
            let kind = Kind::Out(Out::Stuck(node), vertex.state);
            onward.push(Onward { kind, kept: 0, premises: 0 });
        }
        Ok(())
    }

    /// One edge of the program, after which a run is in a state.
    fn follow(
        &self,
        start: usize,
        edge: Edge,
        state: u32,
        (kept, premises): (u64, u64),
        onward: &mut Vec<Onward>,
    ) -> Result<(), Refusal> {
        let mut add = |kind| onward.push(Onward { kind, kept, premises });
        let (call, entry) = match edge {
            Edge::Step(to) => {
                add(Kind::Within(Spot::At(self.machine.node_place(to)), state, None));
                return Ok(());
            }
            Edge::Return(exit) => {
                add(Kind::Out(Out::By(exit), state));
                return Ok(());
            }
            Edge::Call(call, entry) => (call, entry),
        };
        let Some(&callee) = self.starts.get(&(entry, state, false)) else {
            let place = format!("start {start}, call of {}", node_name(self.machine, entry));
            let why = format!("the callee has no start in state {state}");
            return Err(Refusal::new(place, why));
        };
        add(Kind::Into(callee));
        for (number, leave) in self.proof.starts[callee].leaves.iter().enumerate() {
            let spot = match leave.out {
                Out::By(exit) => self.machine.site(call, exit).map(Spot::At),
                Out::Stuck(node) => self.is_stuck(call, node).then_some(Spot::Halted(node)),
            };
            if let Some(spot) = spot {
                add(Kind::Within(spot, leave.state, Some((callee, number))));
            }
        }
        Ok(())
    }

    /// Whether the caller goes on after none of the exits by which a node returns.
    fn is_stuck(&self, call: BoxId, node: NodeId) -> bool {
        let goes_on = |edge: &Edge| match *edge {
            Edge::Return(exit) => self.machine.site(call, exit).is_some(),
            _ => true,
        };
        !self.machine.edges(node).iter().any(goes_on)
    }

    /// An edge within the frame of a start.
    fn edge(
        &self,
        start: usize,
        from: &AbsenceVertex,
        spot: Spot,
        state: u32,
        kept: u64,
    ) -> Result<(), Refusal> {
        let to = self.vertex(start, spot, state)?;
        let due = from.kept | kept;
        if due & !to.kept != 0 {
            let why = format!("a promise kept on the way to state {state} is not noted");
            return Err(Refusal::new(self.place(start, from), why));
        }
        self.falls(start, from, to, kept)
    }

    /// The level does not grow, and inside a level its promise is not kept.
    fn falls(
        &self,
        start: usize,
        from: &AbsenceVertex,
        to: &AbsenceVertex,
        kept: u64,
    ) -> Result<(), Refusal> {
        let fallen = self.fall(None, &self.proof.levels, (from.level, to.level), kept);
        fallen.map_err(|why| Refusal::new(self.place(start, from), why))
    }

    /// Whether an edge may lead from one level to another, among those of the proof or of one of
    /// its narrowings.
    pub(super) fn fall(
        &self,
        within: Option<usize>,
        levels: &[Option<u32>],
        (from, to): (u32, u32),
        kept: u64,
    ) -> Result<(), &'static str> {
        if to != from {
            return if to < from { Ok(()) } else { Err("the level grows") };
        }
        match (levels[from as usize], self.narrowings.get(&(within, from))) {
            (Some(promise), _) if kept >> promise & 1 == 0 => Ok(()),
            (Some(_), _) => Err("an edge inside the level keeps its promise"),
            (None, Some(&narrowing)) => {
                let before = within.map_or(0, |parent| self.proof.narrowings[parent].avoids);
                let absent = self.proof.narrowings[narrowing].avoids & !before;
                match kept & absent.checked_shl(self.real as u32).unwrap_or(0) {
                    0 => Ok(()),
                    _ => Err("an edge inside the level has what a pair is said to lack there"),
                }
            }
            (None, None) => Err("an edge stays inside a level that none may stay in"),
        }
    }

    fn leave(
        &self,
        start: usize,
        from: &AbsenceVertex,
        out: Out,
        state: u32,
        kept: u64,
    ) -> Result<(), Refusal> {
        match self.leaves.get(&(start, out, state)) {
            Some(noted) if (from.kept | kept) & !noted == 0 => Ok(()),
            Some(_) => {
                let why = "a promise kept on the way out is not noted";
                Err(Refusal::new(self.place(start, from), why))
            }
            None => {
                let why = format!("that the start is left from here in state {state} is not noted");
                Err(Refusal::new(self.place(start, from), why))
            }
        }
    }

    pub(super) fn place(&self, start: usize, vertex: &AbsenceVertex) -> String {
        format!("start {start}, {}, state {}", self.spot_name(vertex.spot), vertex.state)
    }

    fn spot_name(&self, spot: Spot) -> String {
        match spot {
            Spot::At(place) => place_name(self.machine, place),
            Spot::Halted(node) => format!("{}, stuck", node_name(self.machine, node)),
            Spot::Sink => "the sink".to_owned(),
        }
    }
}

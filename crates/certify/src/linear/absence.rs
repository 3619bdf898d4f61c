//! Checks a proof that no run has what was sought. What is checked, and why it suffices, is said in
//! the header of [`absence`](tern_model::absence). Every vertex is looked at once, with its
//! alternatives and edges; nothing is searched for.

use crate::moves::{node_name, place_name};
use crate::refusal::{Lack, Refusal, Stopped};
use std::collections::{BTreeMap, BTreeSet};
use tern_model::absence::{AbsenceVertex, Out, Spot};
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
    Ok(())
}

struct Check<'a, R> {
    machine: &'a Machine,
    reading: R,
    meter: Meter<'a>,
    proof: &'a Absence,
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
        for (number, level) in proof.levels.iter().enumerate() {
            if level.is_some_and(|promise| promise as usize >= reading.promise_count()) {
                return bad(format!("level {number}"), "there is no such promise");
            }
        }
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
        Ok(Check { machine, reading, meter, proof, starts, roots, vertices, leaves })
    }

    /// Whether a run from an initial node, with an empty stack and in some state, is among what was
    /// followed.
    fn is_root(&self, node: NodeId, state: u32) -> bool {
        let spot = Spot::At(self.machine.node_place(node));
        self.roots.iter().any(|&root| self.vertices.contains_key(&(root, spot, state)))
    }

    fn vertex(&self, start: usize, spot: Spot, state: u32) -> Result<&'a AbsenceVertex, Refusal> {
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
        self.meter.tick()?;
        let AbsenceVertex { spot, state, .. } = *vertex;
        match spot {
            Spot::At(place) => match self.machine.place(place) {
                Place::Node(node) => self.expand_node(start, vertex, node),
                Place::Site(..) => {
                    for &edge in self.machine.edges_at(place) {
                        self.follow(start, vertex, edge, state, 0)?;
                    }
                    Ok(())
                }
            },
            Spot::Halted(node) => self.stay(start, vertex, Some(node), spot),
            Spot::Sink => self.stay(start, vertex, None, spot),
        }
    }

    fn stay(
        &mut self,
        start: usize,
        vertex: &AbsenceVertex,
        shows: Option<NodeId>,
        to: Spot,
    ) -> Result<(), Stopped> {
        for (state, kept) in self.alternatives(vertex.state, shows)? {
            self.edge(start, vertex, to, state, kept)?;
        }
        Ok(())
    }

    fn expand_node(
        &mut self,
        start: usize,
        vertex: &AbsenceVertex,
        node: NodeId,
    ) -> Result<(), Stopped> {
        let edges = self.machine.edges(node);
        let root = self.proof.starts[start].root;
        let returns = |edge: &Edge| matches!(edge, Edge::Return(_));
        for (state, kept) in self.alternatives(vertex.state, Some(node))? {
            for &edge in edges.iter().filter(|edge| !root || !returns(edge)) {
                self.follow(start, vertex, edge, state, kept)?;
            }
            if root && edges.iter().any(returns) {
                let to = match self.machine.end_rule() {
                    EndRule::Loop => vertex.spot,
                    EndRule::Sink => Spot::Sink,
                };
                self.edge(start, vertex, to, state, kept)?;
            }
            if edges.is_empty() {
                self.edge(start, vertex, vertex.spot, state, kept)?;
            }
        }
        if !root && !edges.is_empty() && edges.iter().all(returns) {
            self.leave(start, vertex, Out::Stuck(node), vertex.state, 0)?;
        }
        Ok(())
    }

    /// One edge of the program, after which a run is in a state.
    fn follow(
        &self,
        start: usize,
        vertex: &AbsenceVertex,
        edge: Edge,
        state: u32,
        kept: u64,
    ) -> Result<(), Refusal> {
        let (call, entry) = match edge {
            Edge::Step(to) => {
                let to = Spot::At(self.machine.node_place(to));
                return self.edge(start, vertex, to, state, kept);
            }
            Edge::Return(exit) => return self.leave(start, vertex, Out::By(exit), state, kept),
            Edge::Call(call, entry) => (call, entry),
        };
        let Some(&callee) = self.starts.get(&(entry, state, false)) else {
            let place = format!("start {start}, call of {}", node_name(self.machine, entry));
            let why = format!("the callee has no start in state {state}");
            return Err(Refusal::new(place, why));
        };
        let place = self.machine.node_place(entry);
        self.falls(start, vertex, self.vertex(callee, Spot::At(place), state)?, kept)?;
        for leave in &self.proof.starts[callee].leaves {
            let spot = match leave.out {
                Out::By(exit) => self.machine.site(call, exit).map(Spot::At),
                Out::Stuck(node) => self.is_stuck(call, node).then_some(Spot::Halted(node)),
            };
            if let Some(spot) = spot {
                self.edge(start, vertex, spot, leave.state, kept | leave.kept)?;
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
        let refuse = |why: &str| Err(Refusal::new(self.place(start, from), why));
        if to.level != from.level {
            return if to.level < from.level { Ok(()) } else { refuse("the level grows") };
        }
        match self.proof.levels[from.level as usize] {
            Some(promise) if kept >> promise & 1 == 0 => Ok(()),
            Some(_) => refuse("an edge inside the level keeps its promise"),
            None => refuse("an edge stays inside a level that none may stay in"),
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

    fn place(&self, start: usize, vertex: &AbsenceVertex) -> String {
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

//! What of a machine can be reached, and where it is stuck.
//!
//! Steps do not depend on what lies below the top of the stack, except for where a return goes on.
//! So one search over the components, stepping over calls (see [`crate::ground::summary`]), finds
//! exactly the nodes that occur in some reachable configuration.

use crate::ground::ids::{ExitPos, FrameId, PlacePos, Positions, StartId};
use crate::ground::summary::{Ground, Rows, Summaries, Visit};
use crate::ground::{backward, bits};
use fixedbitset::FixedBitSet;
use std::sync::Arc;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{BoxId, Budget, CompId, Edge, Id, Limit, Machine, NodeId, PlaceId};

/// A node that has no step in some reachable configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadEnd {
    /// The node.
    pub node: NodeId,
    /// `None` if the node has no edges at all. Otherwise a box under which it is stuck: the node
    /// can only return, and the box does not go on after any exit by which it returns.
    pub under: Option<BoxId>,
}

/// What of a machine can be reached.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The nodes that are in some reachable configuration.
    pub reachable: FixedBitSet,
    /// The entries that are called in some reachable configuration.
    pub called: FixedBitSet,
    /// Where reachable configurations are stuck; one entry a node, in the order of the nodes.
    pub dead_ends: Vec<DeadEnd>,
    /// The boxes that are called in some reachable configuration.
    pub(crate) called_boxes: FixedBitSet,
    /// The places that are passed in some reachable run.
    pub(crate) places: FixedBitSet,
    /// Where one gets from where, if that is known.
    pub(crate) ways: Option<Arc<Ways>>,
}

/// Which places and exits of its own component each entry leads to that is called, and each initial
/// node.
#[derive(Debug)]
pub(crate) struct Ways {
    start_at: Table<NodeId, Option<StartId>>,
    visited: Rows,
    exits: Rows,
}

/// How many places all of these nodes may lead to, for each place that there is.
const PLACES_A_PLACE: usize = 2;

impl Ways {
    /// Nothing if there are so many entries and initial nodes in a component that it takes long to
    /// tell them apart.
    fn find(machine: &Machine, meter: &mut Meter<'_>) -> Result<Option<Self>, Limit> {
        let ground = Components::new(machine, machine.initial().iter().copied());
        let places = |node| machine.places_of(machine.component_of(node)).len();
        let all: usize = ground.starts.as_slice().iter().map(|&node| places(node)).sum();
        if all > PLACES_A_PLACE * machine.place_count() {
            return Ok(None);
        }
        let Passed { ground, summaries } = Passed::find(ground, meter)?;
        let (visited, exits) = summaries.into_rows();
        Ok(Some(Ways { start_at: ground.start_at, visited, exits }))
    }

    /// The places that are passed from an entry or initial node while its call lasts, by position;
    /// nothing if it is none that is reached.
    pub(crate) fn visited(&self, node: NodeId) -> Option<&[u64]> {
        Some(&self.visited[self.start_at[node]?])
    }

    /// The exits by which a component can be left that is entered at a node, by position; empty if
    /// there are none.
    pub(crate) fn exits(&self, node: NodeId) -> &[u64] {
        self.start_at[node].map_or(&[], |start| &self.exits[start])
    }

    /// All places that are passed.
    fn places(&self, machine: &Machine) -> FixedBitSet {
        let mut places = FixedBitSet::with_capacity(machine.place_count());
        for node in machine.nodes().filter(|&node| self.start_at[node].is_some()) {
            let comp = machine.component_of(node);
            let passed = bits::ones(self.visited(node).unwrap_or_default());
            places.extend(passed.map(|position| machine.place_at(comp, position).index()));
        }
        places
    }
}

/// A survey that takes everything for reachable, for answers that speak of all configurations.
pub(crate) fn everything(machine: &Machine) -> Survey {
    let all = |count: usize| {
        let mut set = FixedBitSet::with_capacity(count);
        set.insert_range(..);
        set
    };
    let mut called = FixedBitSet::with_capacity(machine.node_count());
    let entries = machine.components().flat_map(|comp| machine.entries_of(comp));
    called.extend(entries.map(|entry| entry.index()));
    Survey {
        reachable: all(machine.node_count()),
        called,
        dead_ends: Vec::new(),
        called_boxes: all(machine.box_count()),
        places: all(machine.place_count()),
        ways: None,
    }
}

/// Explores a machine.
///
/// # Errors
/// When the budget runs out.
pub fn survey(machine: &Machine, budget: &Budget) -> Result<Survey, Limit> {
    let mut meter = Meter::new(budget);
    let ways = Ways::find(machine, &mut meter)?.map(Arc::new);
    let places = match &ways {
        Some(ways) => ways.places(machine),
        None => reachable_places(machine, &mut meter)?,
    };
    let mut called = FixedBitSet::with_capacity(machine.node_count());
    let mut called_boxes = FixedBitSet::with_capacity(machine.box_count());
    let mut reachable = FixedBitSet::with_capacity(machine.node_count());
    reachable.extend(places.ones().take_while(|&place| place < machine.node_count()));
    for call in machine.boxes() {
        for edge in machine.calls_of(call) {
            if places.contains(edge.from.index()) {
                called_boxes.insert(call.index());
                called.insert(edge.entry.index());
            }
        }
    }
    let none = Vec::new();
    let mut survey = Survey { reachable, called, dead_ends: none, called_boxes, places, ways };
    survey.dead_ends = dead_ends(machine, &survey, budget)?;
    Ok(survey)
}

/// The places that are passed in some run. It does not matter from where a place is reached: a call
/// that is made from it comes back by all exits that the callee reaches from the entry that is
/// called.
fn reachable_places(machine: &Machine, meter: &mut Meter<'_>) -> Result<FixedBitSet, Limit> {
    let ground = Components::new(machine, []);
    let mut summaries = if backward::is_less(&ground) {
        backward::summaries(&ground, meter)?
    } else {
        Summaries::new(&ground, false)
    };
    let mut places = FixedBitSet::with_capacity(machine.place_count());
    let mut next = Vec::new();
    let reach = |places: &mut FixedBitSet, next: &mut Vec<PlaceId>, place: PlaceId| {
        if !places.put(place.index()) {
            next.push(place);
        }
    };
    for &node in machine.initial() {
        reach(&mut places, &mut next, machine.node_place(node));
    }
    while let Some(place) = next.pop() {
        meter.tick()?;
        for &edge in machine.edges_at(place) {
            match edge {
                Edge::Step(to) => reach(&mut places, &mut next, machine.node_place(to)),
                Edge::Call(call, entry) => {
                    reach(&mut places, &mut next, machine.node_place(entry));
                    let start = ground.start(entry);
                    summaries.activate(&ground, start);
                    summaries.run(&ground, meter)?;
                    for (exit, site) in machine.sites_of(call) {
                        if summaries.reaches_exit(start, machine.exit_pos(exit)) {
                            reach(&mut places, &mut next, site);
                        }
                    }
                }
                Edge::Return(_) => {}
            }
        }
    }
    Ok(places)
}

/// Which places of its own component each entry leads to that is called, and each initial node.
pub(crate) struct Passed<'m> {
    ground: Components<'m>,
    summaries: Summaries,
}

impl<'m> Passed<'m> {
    pub(crate) fn new(machine: &'m Machine, budget: &Budget) -> Result<Self, Limit> {
        let ground = Components::new(machine, machine.initial().iter().copied());
        Self::find(ground, &mut Meter::new(budget))
    }

    fn find(ground: Components<'m>, meter: &mut Meter<'_>) -> Result<Self, Limit> {
        let mut summaries = Summaries::new(&ground, false);
        for &node in ground.machine.initial() {
            summaries.activate(&ground, ground.start(node));
            summaries.run(&ground, meter)?;
        }
        Ok(Passed { ground, summaries })
    }

    /// The places that are passed from an entry or initial node, while its call lasts.
    pub(crate) fn places(&self, start: NodeId) -> impl Iterator<Item = PlaceId> {
        let machine = self.ground.machine;
        let component = machine.component_of(start);
        bits::ones(self.visited(start)).map(move |position| machine.place_at(component, position))
    }

    /// The same places, by position.
    fn visited(&self, start: NodeId) -> &[u64] {
        self.summaries.visited(self.ground.start(start))
    }
}

fn dead_ends(machine: &Machine, survey: &Survey, budget: &Budget) -> Result<Vec<DeadEnd>, Limit> {
    let mut meter = Meter::new(budget);
    let mut found = Vec::new();
    // Most boxes go on after every exit; only the others can leave a node stuck.
    let mut partial: Table<CompId, Vec<BoxId>> =
        Table::filled(Vec::new(), machine.component_count());
    for call in machine.boxes() {
        let callee = machine.callee(call);
        if machine.sites_of(call).len() < machine.exits_of(callee).len() {
            partial[callee].push(call);
        }
    }
    // From which entry a node is reached is asked of few machines, and takes long if there are
    // many.
    let mut passed: Option<Passed<'_>> = None;
    for node in survey.reachable.ones().map(NodeId::new) {
        let edges = machine.edges(node);
        if edges.is_empty() {
            found.push(DeadEnd { node, under: None });
            continue;
        }
        if !only_returns(machine, node) {
            continue;
        }
        // Stuck under a box that calls an entry from which the node is reached, and that goes on
        // after none of its exits.
        let position: PlacePos = machine.node_pos(node);
        for &call in &partial[machine.component_of(node)] {
            meter.tick()?;
            let stuck = edges.iter().all(|edge| match edge {
                Edge::Return(exit) => machine.site(call, *exit).is_none(),
                _ => false,
            });
            if !stuck {
                continue;
            }
            let passed = match &mut passed {
                Some(passed) => passed,
                none => none.insert(Passed::new(machine, budget)?),
            };
            let here = machine.calls_of(call).iter().any(|edge| {
                survey.places.contains(edge.from.index())
                    && bits::get(passed.visited(edge.entry), position)
            });
            if here {
                found.push(DeadEnd { node, under: Some(call) });
                break;
            }
        }
    }
    Ok(found)
}

/// Whether a node has edges, and all of them return: such a node may be stuck under some box.
pub(crate) fn only_returns(machine: &Machine, node: NodeId) -> bool {
    tern_model::step::only_returns(machine.edges(node))
}

/// The components themselves as ground: every entry is a start, and more nodes if they are given.
pub(super) struct Components<'m> {
    machine: &'m Machine,
    starts: Table<StartId, NodeId>,
    start_at: Table<NodeId, Option<StartId>>,
}

impl<'m> Components<'m> {
    pub(super) fn new(machine: &'m Machine, more: impl IntoIterator<Item = NodeId>) -> Self {
        let mut start_at = Table::filled(None, machine.node_count());
        let mut starts = Table::new();
        let entries = machine.components().flat_map(|comp| machine.entries_of(comp)).copied();
        for node in entries.chain(more) {
            start_at[node].get_or_insert_with(|| starts.push(node));
        }
        Components { machine, starts, start_at }
    }

    /// The start at an entry, or at one of the nodes that were given.
    fn start(&self, node: NodeId) -> StartId {
        self.start_at[node].expect("entries are starts")
    }
}

impl Ground for Components<'_> {
    fn machine(&self) -> &Machine {
        self.machine
    }
    fn frame_count(&self) -> usize {
        self.machine.component_count()
    }
    fn component(&self, frame: FrameId) -> CompId {
        CompId::new(frame.index())
    }
    fn called(&self, _: FrameId, _: BoxId, entry: NodeId) -> Option<StartId> {
        self.start_at[entry]
    }
    fn start_count(&self) -> usize {
        self.starts.len()
    }
    fn start_at(&self, _: FrameId, node: NodeId) -> Option<StartId> {
        self.start_at[node]
    }
    fn frame_of(&self, start: StartId) -> FrameId {
        FrameId::new(self.machine.component_of(self.starts[start]).index())
    }
    fn node(&self, start: StartId) -> NodeId {
        self.starts[start]
    }
    fn visit(&self, _: FrameId, _: NodeId) -> Visit {
        Visit::Pass
    }
}

/// By which exits a component can be left that is entered at a node.
pub(crate) fn ways_through(
    machine: &Machine,
    budget: &Budget,
) -> Result<impl Fn(NodeId, ExitPos) -> bool, Limit> {
    let ground = Components::new(machine, []);
    let summaries = Summaries::of_all(&ground, false, &mut Meter::new(budget))?;
    let start_at = ground.start_at;
    Ok(move |node: NodeId, exit: ExitPos| {
        start_at[node].is_some_and(|start| summaries.reaches_exit(start, exit))
    })
}

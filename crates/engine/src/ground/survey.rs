//! What of a machine can be reached, and where it is stuck.
//!
//! Steps do not depend on what lies below the top of the stack, except for where a return goes on.
//! So one search over the components, stepping over calls (see [`crate::ground::summary`]), finds exactly
//! the nodes that occur in some reachable configuration.

use crate::ground::bits;
use crate::ground::ids::{ExitPos, PlacePos, Positions, StartId};
use crate::ground::summary::{Ground, Summaries, Visit};
use fixedbitset::FixedBitSet;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{BoxId, Budget, Edge, Id, Limit, Machine, NodeId, PlaceId};

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
    }
}

/// Explores a machine.
///
/// # Errors
/// When the budget runs out.
pub fn survey(machine: &Machine, budget: &Budget) -> Result<Survey, Limit> {
    let Passed { ground, summaries } = Passed::new(machine, budget)?;
    let mut places = FixedBitSet::with_capacity(machine.place_count());
    let mut called = FixedBitSet::with_capacity(machine.node_count());
    let mut called_boxes = FixedBitSet::with_capacity(machine.box_count());
    for (start, &node) in ground.starts.iter() {
        let component = machine.component_of(node);
        for position in bits::ones(summaries.visited(start)) {
            places.insert(machine.place_at(component, position).index());
        }
    }
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
    let mut survey = Survey { reachable, called, dead_ends: Vec::new(), called_boxes, places };
    survey.dead_ends = dead_ends(machine, &ground, &summaries, &survey, budget)?;
    Ok(survey)
}

/// Which places of its own component each entry leads to that is called, and each initial node.
pub(crate) struct Passed<'m> {
    ground: Components<'m>,
    summaries: Summaries,
}

impl<'m> Passed<'m> {
    pub(crate) fn new(machine: &'m Machine, budget: &Budget) -> Result<Self, Limit> {
        let ground = Components::new(machine);
        let mut summaries = Summaries::new(&ground, false);
        for &node in machine.initial() {
            summaries.activate(&ground, ground.start_at(node));
        }
        summaries.run(&ground, &mut Meter::new(budget))?;
        Ok(Passed { ground, summaries })
    }

    /// The places that are passed from an entry or initial node, while its call lasts.
    pub(crate) fn places(&self, start: NodeId) -> impl Iterator<Item = PlaceId> {
        let machine = self.ground.machine;
        let component = machine.component_of(start);
        let visited = self.summaries.visited(self.ground.start_at(start));
        bits::ones(visited).map(move |position| machine.place_at(component, position))
    }
}

fn dead_ends(
    machine: &Machine,
    ground: &Components<'_>,
    summaries: &Summaries,
    survey: &Survey,
    budget: &Budget,
) -> Result<Vec<DeadEnd>, Limit> {
    let mut meter = Meter::new(budget);
    let mut found = Vec::new();
    // Most boxes go on after every exit; only the others can leave a node stuck.
    let partial = |call: &BoxId| {
        machine.sites_of(*call).len() < machine.exits_of(machine.callee(*call)).len()
    };
    let partial: FixedBitSet = machine.boxes().filter(partial).map(BoxId::index).collect();
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
        for &call in machine.callers_of(machine.component_of(node)) {
            meter.tick()?;
            if !partial.contains(call.index()) {
                continue;
            }
            let stuck = edges.iter().all(|edge| match edge {
                Edge::Return(exit) => machine.site(call, *exit).is_none(),
                _ => false,
            });
            let here = machine.calls_of(call).iter().any(|edge| {
                let start = ground.start_at(edge.entry);
                survey.places.contains(edge.from.index())
                    && bits::get(summaries.visited(start), position)
            });
            if stuck && here {
                found.push(DeadEnd { node, under: Some(call) });
                break;
            }
        }
    }
    Ok(found)
}

/// Whether a node has edges, and all of them return: such a node may be stuck under some box.
pub(crate) fn only_returns(machine: &Machine, node: NodeId) -> bool {
    let edges = machine.edges(node);
    !edges.is_empty() && edges.iter().all(|edge| matches!(edge, Edge::Return(_)))
}

/// The components themselves as ground: every entry and every initial node is a start.
struct Components<'m> {
    machine: &'m Machine,
    starts: Table<StartId, NodeId>,
    start_at: Table<NodeId, Option<StartId>>,
}

impl<'m> Components<'m> {
    fn new(machine: &'m Machine) -> Self {
        let mut start_at = Table::filled(None, machine.node_count());
        let mut starts = Table::new();
        let entries = machine.components().flat_map(|comp| machine.entries_of(comp));
        for &node in entries.chain(machine.initial()) {
            start_at[node].get_or_insert_with(|| starts.push(node));
        }
        Components { machine, starts, start_at }
    }

    /// The start at an entry or initial node.
    fn start_at(&self, node: NodeId) -> StartId {
        self.start_at[node].expect("entries and initial nodes are starts")
    }
}

impl Ground for Components<'_> {
    fn machine(&self) -> &Machine {
        self.machine
    }
    fn called(&self, _: StartId, _: BoxId, entry: NodeId) -> Option<StartId> {
        self.start_at[entry]
    }
    fn node(&self, start: StartId) -> NodeId {
        self.starts[start]
    }
    fn start_count(&self) -> usize {
        self.starts.len()
    }
    fn visit(&self, _: StartId, _: NodeId) -> Visit {
        Visit::Pass
    }
}

/// By which exits a component can be left that is entered at a node.
pub(crate) fn ways_through(
    machine: &Machine,
    budget: &Budget,
) -> Result<impl Fn(NodeId, ExitPos) -> bool, Limit> {
    let ground = Components::new(machine);
    let mut summaries = Summaries::new(&ground, false);
    for start in ground.starts.ids() {
        summaries.activate(&ground, start);
    }
    summaries.run(&ground, &mut Meter::new(budget))?;
    let start_at = ground.start_at;
    Ok(move |node: NodeId, exit: ExitPos| {
        start_at[node].is_some_and(|start| summaries.reaches_exit(start, exit))
    })
}

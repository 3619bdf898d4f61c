//! The machine in which calls are single steps, made by the definition and by no code of an engine.
//!
//! A call *comes back* by an exit if some path through the callee, on which calls are stepped over
//! in the same way, leads from its entry to a return by that exit. From a node, the program then
//! goes on wherever its own edges lead, and wherever those of a return site lead at which one of
//! its calls comes back, and so on. Components, nodes and exits keep their ids; there are no boxes.

use crate::refusal::{Stopped, refuse};
use std::collections::BTreeSet;
use tern_model::budget::Meter;
use tern_model::{Budget, Builder, Edge, ExitId, Machine, NodeId, Place, PlaceId};

/// By which exits the calls of entries come back.
type Back = BTreeSet<(NodeId, ExitId)>;

/// The machine as it is seen from the top level. It must not be abstract: what is only possible
/// would be taken for sure.
///
/// # Errors
/// The limit that was reached.
pub fn top_level(machine: &Machine, budget: &Budget) -> Result<Machine, Stopped> {
    let mut meter = Meter::new(budget);
    let back = comes_back(machine, &mut meter)?;
    let mut builder = Builder::new();
    builder.end_rule(machine.end_rule());
    builder.dead_end_rule(machine.dead_end_rule());
    for component in machine.components() {
        builder.component(machine.component_name(component));
    }
    for node in machine.nodes() {
        builder.node(machine.component_of(node), machine.node_name(node));
    }
    for exit in machine.exits() {
        builder.exit(machine.component_of_exit(exit), machine.exit_name(exit));
    }
    for (label, name) in machine.labels() {
        for node in machine.labelled(label) {
            meter.tick()?;
            builder.label(node, name);
        }
    }
    for node in machine.nodes() {
        if machine.is_entry(node) {
            builder.entry(node);
        }
        let edges: BTreeSet<Edge> = ways_on(machine, node, &back, &mut meter)?;
        edges.into_iter().for_each(|edge| builder.edge(Place::Node(node), edge));
    }
    machine.initial().iter().for_each(|&node| builder.initial(node));
    match builder.finish() {
        Ok(machine) => Ok(machine),
        Err(flaws) => refuse("the top level", format!("it makes no machine: {flaws:?}")),
    }
}

/// Adds what follows from what is known, until nothing is new: the least relation that the
/// definition allows.
fn comes_back(machine: &Machine, meter: &mut Meter<'_>) -> Result<Back, Stopped> {
    let mut back = Back::new();
    loop {
        let before = back.len();
        for entry in machine.nodes().filter(|&node| machine.is_entry(node)) {
            let mut seen: BTreeSet<NodeId> = BTreeSet::from([entry]);
            let mut open = vec![entry];
            while let Some(node) = open.pop() {
                for edge in ways_on(machine, node, &back, meter)? {
                    match edge {
                        Edge::Step(to) if seen.insert(to) => open.push(to),
                        Edge::Return(exit) => drop(back.insert((entry, exit))),
                        Edge::Step(_) | Edge::Call(..) => {}
                    }
                }
            }
        }
        if back.len() == before {
            return Ok(back);
        }
    }
}

/// The steps and returns that a node leads to, when calls are stepped over.
fn ways_on(
    machine: &Machine,
    node: NodeId,
    back: &Back,
    meter: &mut Meter<'_>,
) -> Result<BTreeSet<Edge>, Stopped> {
    let mut edges = BTreeSet::new();
    let mut seen: BTreeSet<PlaceId> = BTreeSet::from([machine.node_place(node)]);
    let mut open = vec![machine.node_place(node)];
    while let Some(place) = open.pop() {
        for &edge in machine.edges_at(place) {
            meter.tick()?;
            let Edge::Call(call, entry) = edge else {
                edges.insert(edge);
                continue;
            };
            for (exit, site) in machine.sites_of(call) {
                if back.contains(&(entry, exit)) && seen.insert(site) {
                    open.push(site);
                }
            }
        }
    }
    Ok(edges)
}

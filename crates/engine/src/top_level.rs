//! A machine in which calls are single steps: what a callee does inside is not seen, only how it is
//! left.
//!
//! Some tools check programs with procedures in this way, *top-level*. It is not what the program
//! does: a claim about all that happens may hold here and fail inside a callee. It is offered for
//! comparison.
//!
//! A step leads from where a call is made to wherever the program goes on after it, by any exit
//! that the callee can reach. A call that cannot come back leads nowhere. Nodes keep their ids, and
//! components that are only called are there but not reached.

use crate::ground::ids::Positions;
use crate::ground::survey;
use fixedbitset::FixedBitSet;
use tern_model::budget::Meter;
use tern_model::{Budget, Builder, Edge, Id, Limit, Machine, NodeId, Place, PlaceId};

/// The machine as it is seen from the top level. It must not be abstract: what is only possible
/// would be taken for sure.
///
/// # Errors
/// When the budget runs out.
pub fn top_level(machine: &Machine, budget: &Budget) -> Result<Machine, Limit> {
    let through = survey::ways_through(machine, budget)?;
    let mut meter = Meter::new(budget);
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
    let mut seen = FixedBitSet::with_capacity(machine.place_count());
    for node in machine.nodes() {
        if machine.is_entry(node) {
            builder.entry(node);
        }
        let mut places: Vec<PlaceId> = vec![machine.node_place(node)];
        let mut edges: Vec<Edge> = Vec::new();
        while let Some(place) = places.pop() {
            for &edge in machine.edges_at(place) {
                meter.tick()?;
                let Edge::Call(call, entry) = edge else {
                    edges.push(edge);
                    continue;
                };
                for (exit, site) in machine.sites_of(call) {
                    if through(entry, machine.exit_pos(exit)) && !seen.put(site.index()) {
                        places.push(site);
                    }
                }
            }
        }
        seen.clear();
        edges.sort_unstable();
        edges.dedup();
        edges.into_iter().for_each(|edge| builder.edge(Place::Node(node), edge));
    }
    builder.origins_of(machine);
    let initial: &[NodeId] = machine.initial();
    initial.iter().for_each(|&node| builder.initial(node));
    Ok(builder.finish().unwrap_or_else(|flaws| unreachable!("a machine has no flaws: {flaws:?}")))
}

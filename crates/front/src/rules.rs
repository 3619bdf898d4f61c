//! Which rules of a machine make a difference to it, so that a format that cannot say them need
//! not.

use tern_model::{DeadEndRule, EndRule, Machine};

/// Whether the program may end, and goes to a state of its own then.
pub(crate) fn ends_in_a_sink(machine: &Machine) -> bool {
    let may_end = |&node: &_| !machine.exits_of(machine.component_of(node)).is_empty();
    machine.end_rule() == EndRule::Sink && machine.initial().iter().any(may_end)
}

/// Whether there may be a dead end, and that is an error.
pub(crate) fn forbids_dead_ends(machine: &Machine) -> bool {
    let returns_nowhere = || {
        machine.components().flat_map(|comp| machine.boxes_of(comp)).any(|&call| {
            let exits = machine.exits_of(machine.callee(call));
            exits.iter().any(|&exit| machine.site(call, exit).is_none())
        })
    };
    machine.dead_end_rule() == DeadEndRule::Error
        && (machine.nodes().any(|node| machine.edges(node).is_empty()) || returns_nowhere())
}

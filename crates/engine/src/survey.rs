//! What of a machine can be reached, and where it is stuck.

use fixedbitset::FixedBitSet;
use tern_model::{BoxId, Budget, Limit, Machine, NodeId};

/// A node that has no step in some reachable configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadEnd {
    /// The node.
    pub node: NodeId,
    /// `None`: the node has no edges at all. Otherwise a box under which it is stuck: the node can only
    /// return, and the box does not go on after any exit that it returns by.
    pub under: Option<BoxId>,
}

/// What of a machine can be reached.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The nodes that are in some reachable configuration.
    pub reachable: FixedBitSet,
    /// Where reachable configurations are stuck; one entry a node.
    pub dead_ends: Vec<DeadEnd>,
}

/// Explores a machine.
///
/// # Errors
/// When the budget runs out.
pub fn survey(machine: &Machine, budget: &Budget) -> Result<Survey, Limit> {
    let _ = (machine, budget);
    unimplemented!()
}

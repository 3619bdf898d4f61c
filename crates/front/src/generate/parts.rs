//! Short ways to say what families of machines are made of.

use fastrand::Rng;
use tern_model::{BoxId, Builder, CompId, Edge, ExitId, NodeId, Place};

/// A node with labels.
pub(super) fn node(b: &mut Builder, comp: CompId, name: &str, labels: &[&str]) -> NodeId {
    let node = b.node(comp, name);
    labels.iter().for_each(|label| b.label(node, label));
    node
}

/// A node with labels at which its component may be called.
pub(super) fn entry(b: &mut Builder, comp: CompId, name: &str, labels: &[&str]) -> NodeId {
    let node = node(b, comp, name, labels);
    b.entry(node);
    node
}

/// A node that returns by an exit of its own name.
pub(super) fn exit(b: &mut Builder, comp: CompId, name: &str) -> (NodeId, ExitId) {
    let node = b.node(comp, name);
    (node, b.exit_node(node))
}

/// A step from node to node.
pub(super) fn step(b: &mut Builder, from: NodeId, to: NodeId) {
    b.edge(Place::Node(from), Edge::Step(to));
}

/// A call from a node.
pub(super) fn call(b: &mut Builder, from: NodeId, through: BoxId, entry: NodeId) {
    b.edge(Place::Node(from), Edge::Call(through, entry));
}

/// What follows when the call of a box has returned by an exit.
pub(super) fn after(b: &mut Builder, through: BoxId, exit: ExitId, to: NodeId) {
    b.edge(Place::Site(through, exit), Edge::Step(to));
}

/// True this often in a hundred.
pub(super) fn percent(rng: &mut Rng, chance: usize) -> bool {
    rng.usize(..100) < chance
}

/// One of several.
pub(super) fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.usize(..from.len())]
}

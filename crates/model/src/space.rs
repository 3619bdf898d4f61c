//! Machines whose nodes are produced on demand.
//!
//! A front end that computes states as it goes (from a program, say) implements [`Space`]. An
//! engine that explores on the fly asks it for the edges of a node when it gets there; for
//! engines that want all tables at hand, [`explore`] builds the part of the machine that can be
//! reached. A [`Machine`] that is lent is itself a space.

use crate::budget::{Budget, Limit, Meter};
use crate::builder::{Builder, Flaw};
use crate::index::{BoxId, CompId, ExitId, NodeId};
use crate::machine::{Edge, EndRule, Machine, Place};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// A machine that is made while one looks at it.
///
/// Ids are the space's own; they must be stable, but need not be dense, and mean the same at
/// every call. The rules of [`Machine`] apply to the edges.
pub trait Space {
    /// The nodes at which the program may start.
    fn initial(&mut self) -> Vec<NodeId>;
    /// Appends the edges of a node to `out`.
    fn edges(&mut self, node: NodeId, out: &mut Vec<Edge>);
    /// Appends the edges of the return site of a box after an exit to `out`.
    fn site_edges(&mut self, call: BoxId, exit: ExitId, out: &mut Vec<Edge>);
    /// Appends the labels of a node to `out`.
    fn labels(&mut self, node: NodeId, out: &mut Vec<String>);
    /// Whether a node has a label.
    fn has_label(&mut self, node: NodeId, label: &str) -> bool {
        let mut labels = Vec::new();
        self.labels(node, &mut labels);
        labels.iter().any(|own| own == label)
    }
    /// The component of a node.
    fn component(&mut self, node: NodeId) -> CompId;
    /// The component that a box is in.
    fn home(&mut self, call: BoxId) -> CompId;
    /// The component that a box calls.
    fn callee(&mut self, call: BoxId) -> CompId;
    /// What happens when the program ends.
    fn end_rule(&self) -> EndRule;
    /// The name of a component.
    fn component_name(&self, component: CompId) -> String;
    /// The name of a node, unique in its component.
    fn node_name(&self, node: NodeId) -> String;
    /// The name of a box, unique in its component.
    fn box_name(&self, call: BoxId) -> String;
    /// The name of an exit, unique in its component.
    fn exit_name(&self, exit: ExitId) -> String;
}

/// Why a space could not be made into a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExploreError {
    /// The budget ran out.
    #[error("{0}")]
    Limit(Limit),
    /// The space breaks the rules of machines.
    #[error("the space is not a machine: {}", .0.iter().map(Flaw::to_string).collect::<Vec<_>>().join("; "))]
    Flaws(Vec<Flaw>),
}

impl From<Limit> for ExploreError {
    fn from(limit: Limit) -> Self {
        ExploreError::Limit(limit)
    }
}

/// Builds the part of a space that can be reached.
///
/// A return site is taken as reached if its box is called and its exit is taken anywhere in the
/// callee, so that for callees with several entries a little more may be built than is needed.
///
/// # Errors
/// When the budget runs out, or the space breaks the rules of machines.
pub fn explore<S: Space>(space: &mut S, budget: &Budget) -> Result<Machine, ExploreError> {
    let mut explorer = Explorer {
        space,
        builder: Builder::new(),
        components: Renaming::default(),
        nodes: Renaming::default(),
        boxes: Renaming::default(),
        exits: Renaming::default(),
        entries: FxHashSet::default(),
        boxes_of_callee: FxHashMap::default(),
        exits_taken: FxHashMap::default(),
        todo: Vec::new(),
    };
    explorer.run(&mut Meter::new(budget))?;
    explorer.builder.finish().map_err(ExploreError::Flaws)
}

/// From the ids of the space to those of the builder.
type Renaming<I> = FxHashMap<I, I>;

struct Explorer<'a, S> {
    space: &'a mut S,
    builder: Builder,
    components: Renaming<CompId>,
    nodes: Renaming<NodeId>,
    boxes: Renaming<BoxId>,
    exits: Renaming<ExitId>,
    entries: FxHashSet<NodeId>,
    /// For each component, the boxes seen that call it, and the exits seen that leave it: each
    /// pair of the two is a return site to look at.
    boxes_of_callee: FxHashMap<CompId, Vec<BoxId>>,
    exits_taken: FxHashMap<CompId, Vec<ExitId>>,
    /// Places whose edges are yet to be asked for, in the ids of the space.
    todo: Vec<Place>,
}

impl<S: Space> Explorer<'_, S> {
    fn run(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let rule = self.space.end_rule();
        self.builder.end_rule(rule);
        for node in self.space.initial() {
            let node = self.node(node);
            self.builder.initial(node);
        }
        let mut edges = Vec::new();
        while let Some(place) = self.todo.pop() {
            meter.tick()?;
            edges.clear();
            let (component, from) = match place {
                Place::Node(node) => {
                    self.space.edges(node, &mut edges);
                    (self.space.component(node), Place::Node(self.nodes[&node]))
                }
                Place::Site(call, exit) => {
                    self.space.site_edges(call, exit, &mut edges);
                    (self.space.home(call), Place::Site(self.boxes[&call], self.exits[&exit]))
                }
            };
            for &edge in &edges {
                let edge = self.edge(component, edge);
                self.builder.edge(from, edge);
            }
        }
        Ok(())
    }

    /// Takes an edge down in the builder's ids, and notes what it leads to.
    fn edge(&mut self, component: CompId, edge: Edge) -> Edge {
        match edge {
            Edge::Step(to) => Edge::Step(self.node(to)),
            Edge::Call(call, entry) => {
                let renamed = self.called_box(call);
                let target = self.node(entry);
                if self.entries.insert(entry) {
                    self.builder.entry(target);
                }
                Edge::Call(renamed, target)
            }
            Edge::Return(exit) => Edge::Return(self.exit(exit, component)),
        }
    }

    fn component(&mut self, component: CompId) -> CompId {
        match self.components.entry(component) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let name = self.space.component_name(component);
                *new.insert(self.builder.component(&name))
            }
        }
    }

    fn node(&mut self, node: NodeId) -> NodeId {
        if let Some(&known) = self.nodes.get(&node) {
            return known;
        }
        let component = self.space.component(node);
        let component = self.component(component);
        let renamed = self.builder.node(component, &self.space.node_name(node));
        let mut labels = Vec::new();
        self.space.labels(node, &mut labels);
        for label in &labels {
            self.builder.label(renamed, label);
        }
        self.nodes.insert(node, renamed);
        self.todo.push(Place::Node(node));
        renamed
    }

    fn called_box(&mut self, call: BoxId) -> BoxId {
        if let Some(&known) = self.boxes.get(&call) {
            return known;
        }
        let (home, callee) = (self.space.home(call), self.space.callee(call));
        let (home, renamed_callee) = (self.component(home), self.component(callee));
        let renamed = self.builder.call_box(home, &self.space.box_name(call), renamed_callee);
        self.boxes.insert(call, renamed);
        self.boxes_of_callee.entry(callee).or_default().push(call);
        let exits = self.exits_taken.get(&callee).into_iter().flatten();
        self.todo.extend(exits.map(|&exit| Place::Site(call, exit)));
        renamed
    }

    fn exit(&mut self, exit: ExitId, component: CompId) -> ExitId {
        if let Some(&known) = self.exits.get(&exit) {
            return known;
        }
        let home = self.component(component);
        let renamed = self.builder.exit(home, &self.space.exit_name(exit));
        self.exits.insert(exit, renamed);
        self.exits_taken.entry(component).or_default().push(exit);
        let boxes = self.boxes_of_callee.get(&component).into_iter().flatten();
        self.todo.extend(boxes.map(|&call| Place::Site(call, exit)));
        renamed
    }
}

impl Space for &Machine {
    fn initial(&mut self) -> Vec<NodeId> {
        Machine::initial(self).to_vec()
    }
    fn edges(&mut self, node: NodeId, out: &mut Vec<Edge>) {
        out.extend_from_slice(Machine::edges(self, node));
    }
    fn site_edges(&mut self, call: BoxId, exit: ExitId, out: &mut Vec<Edge>) {
        if let Some(site) = self.site(call, exit) {
            out.extend_from_slice(self.edges_at(site));
        }
    }
    fn has_label(&mut self, node: NodeId, label: &str) -> bool {
        self.label(label).is_some_and(|label| Machine::has_label(self, node, label))
    }
    fn labels(&mut self, node: NodeId, out: &mut Vec<String>) {
        let has = Machine::labels(self).filter(|&(label, _)| Machine::has_label(self, node, label));
        out.extend(has.map(|(_, name)| name.to_owned()));
    }
    fn component(&mut self, node: NodeId) -> CompId {
        self.component_of(node)
    }
    fn home(&mut self, call: BoxId) -> CompId {
        self.component_of_box(call)
    }
    fn callee(&mut self, call: BoxId) -> CompId {
        Machine::callee(self, call)
    }
    fn end_rule(&self) -> EndRule {
        Machine::end_rule(self)
    }
    fn component_name(&self, component: CompId) -> String {
        Machine::component_name(self, component).to_owned()
    }
    fn node_name(&self, node: NodeId) -> String {
        Machine::node_name(self, node).to_owned()
    }
    fn box_name(&self, call: BoxId) -> String {
        Machine::box_name(self, call).to_owned()
    }
    fn exit_name(&self, exit: ExitId) -> String {
        Machine::exit_name(self, exit).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_reached_is_built() {
        let mut b = Builder::new();
        let (main, sub, dead) = (b.component("main"), b.component("sub"), b.component("dead"));
        let (start, after) = (b.node(main, "start"), b.node(main, "after"));
        let (only, stray) = (b.node(sub, "only"), b.node(dead, "stray"));
        b.entry(only);
        b.label(only, "p");
        let exit = b.exit_node(only);
        let never = b.exit(sub, "never");
        let call = b.call_box(main, "b", sub);
        b.edge(Place::Node(start), Edge::Call(call, only));
        b.edge(Place::Site(call, exit), Edge::Step(after));
        b.edge(Place::Site(call, never), Edge::Step(start));
        b.edge(Place::Node(stray), Edge::Step(stray));
        b.initial(start);
        let all = b.finish().expect("sound");
        let part = explore(&mut &all, &Budget::unlimited()).expect("a machine is a space");
        assert_eq!(part.component_count(), 2);
        assert_eq!(part.node_count(), 3);
        assert_eq!(part.exit_count(), 1);
        let only = part.find_node("sub", "only").expect("called");
        assert!(part.is_entry(only) && part.has_label(only, part.label("p").expect("kept")));
        let call = part.boxes().next().expect("called");
        let exit = part.exits().next().expect("taken");
        let site = part.site(call, exit).expect("gone on from");
        let after = part.find_node("main", "after").expect("reached");
        assert_eq!(part.edges_at(site), [Edge::Step(after)]);
    }
}

//! The recursive state machine: components that call each other, with their steps.
//!
//! A machine is a list of *components*. A component has *nodes* with labels, *entries* (nodes at
//! which it may be called), *exits* (ports by which control leaves it) and *boxes* (call sites,
//! each naming the component it calls). Edges leave a node, or a *return site*: the point
//! (box, exit of its callee) at which a call comes back. What has edges is called a *place*; a
//! return site is passed through in no time, it is not a state.
//!
//! # Meaning
//! A configuration is (stack of boxes, node). Its steps are
//! ```text
//! (s, n)    ->  (s, m)        n has  step m
//! (s, n)    ->  (s·b, en)     n has  call b en
//! (s·b, n)  ->  (s, m)        n has  return x,  and the return site (b, x) has  step m
//! (s·b, n)  ->  (s·c, en)     n has  return x,  and the return site (b, x) has  call c en
//! ([], n)   ->  ([], n)       n has  return x,  and the end rule is `Loop`
//! ([], n)   ->  sink          n has  return x,  and the end rule is `Sink`
//! ```
//! and nothing else. The sink is a state without labels that loops for ever. A configuration
//! without a step is a *dead end*; it stutters. Note that a node whose only edges are returns may
//! be a dead end under one box and not under another: a box need not go on after every exit.
//!
//! # Abstract machines
//! A machine that stands for many programs may have edges that are only *possible*, and labels that
//! are *unknown* at a node. A step is sure if all edges that it is made of are, else possible. Of
//! the edges of a place at least one is there in every program, though none need be sure. So a
//! configuration stutters surely if it has no step at all, and possibly if it has a return after
//! which nothing goes on, and no edge that surely leads somewhere. `docs/abstraction.md` has the
//! meaning of formulas; [`abstraction`](crate::abstraction) turns such a machine into an ordinary
//! one.
//!
//! # Invariants
//! Made only by [`Builder::finish`](crate::Builder::finish), which checks them; immutable
//! afterwards.
//! * Steps stay in their component; calls go through a box of the component to an entry of the
//!   callee; returns leave by an exit of the component, and only nodes return.
//! * Names of components, and names of nodes, boxes and exits within one component, are unique.
//! * Return sites without edges are not stored: [`Machine::site`] is `None` for them.

use crate::index::{BoxId, CompId, ExitId, Id, LabelId, Lists, NodeId, PlaceId};
use crate::names::{Interner, Names};
use crate::origin::{Origin, Origins};
use crate::subsets::{Subset, Subsets};
use fixedbitset::FixedBitSet;

/// One edge of a node or of a return site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edge {
    /// To a node of the same component.
    Step(NodeId),
    /// Into the callee of a box, at one of its entries.
    Call(BoxId, NodeId),
    /// Out of the component by one of its exits. Return sites have no such edges.
    Return(ExitId),
}

/// What a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// A node: a state of the program, once there is a stack for it.
    Node(NodeId),
    /// Where the call of a box comes back after its callee has left by an exit.
    Site(BoxId, ExitId),
}

/// A call edge, seen from its box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallEdge {
    /// The place that calls.
    pub from: PlaceId,
    /// The entry of the callee at which it is entered.
    pub entry: NodeId,
}

/// Whether something is so in all programs that an abstract machine stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Surety {
    /// In all.
    Sure,
    /// Perhaps in some.
    Possible,
}

impl Surety {
    /// What needs both.
    #[must_use]
    pub fn and(self, other: Surety) -> Surety {
        self.max(other)
    }
}

/// What an abstract machine has beside sure edges and labels.
#[derive(Clone, Debug)]
pub(crate) struct Doubts {
    /// The edges that are only possible, by their place in [`Machine::edges`].
    pub(crate) possible: FixedBitSet,
    /// The nodes at which a label is unknown.
    pub(crate) unknown: Lists<LabelId, NodeId>,
}

/// What happens when a node returns and there is no caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum EndRule {
    /// The program stays in its last node for ever.
    #[default]
    Loop,
    /// The program goes to a state without labels and stays there for ever.
    Sink,
}

/// What to make of configurations without a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum DeadEndRule {
    /// They stutter for ever, and are warned of.
    #[default]
    Loop,
    /// A machine that can reach one is refused.
    Error,
}

/// A recursive state machine; see the module documentation.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(crate) component_names: Names<CompId>,
    pub(crate) node_names: Names<NodeId>,
    pub(crate) box_names: Names<BoxId>,
    pub(crate) exit_names: Names<ExitId>,
    pub(crate) node_comp: Vec<CompId>,
    pub(crate) box_comp: Vec<CompId>,
    pub(crate) box_callee: Vec<CompId>,
    pub(crate) exit_comp: Vec<CompId>,
    /// Position of an exit among those of its component.
    pub(crate) exit_local: Vec<u32>,
    pub(crate) is_entry: FixedBitSet,
    pub(crate) comp_entries: Lists<CompId, NodeId>,
    pub(crate) comp_exits: Lists<CompId, ExitId>,
    pub(crate) comp_boxes: Lists<CompId, BoxId>,
    /// The places of a component: first its nodes, then its return sites.
    pub(crate) comp_places: Lists<CompId, PlaceId>,
    pub(crate) comp_node_count: Vec<u32>,
    /// Position of a place in the list of its component.
    pub(crate) place_local: Vec<u32>,
    /// The return sites that have edges, sorted. The place of site `i` is `node_count + i`.
    pub(crate) sites: Vec<(BoxId, ExitId)>,
    /// Where the sites of a box begin in `sites`; one entry more than there are boxes.
    pub(crate) box_sites: Vec<u32>,
    pub(crate) edges: Lists<PlaceId, Edge>,
    pub(crate) step_sources: Lists<NodeId, PlaceId>,
    pub(crate) calls: Lists<BoxId, CallEdge>,
    pub(crate) return_sources: Lists<ExitId, NodeId>,
    pub(crate) callers: Lists<CompId, BoxId>,
    pub(crate) labels: Interner<LabelId>,
    pub(crate) label_nodes: Subsets<LabelId, NodeId>,
    pub(crate) initial: Vec<NodeId>,
    pub(crate) end_rule: EndRule,
    pub(crate) dead_end_rule: DeadEndRule,
    pub(crate) origins: Origins,
    /// For abstract machines only.
    pub(crate) doubts: Option<Box<Doubts>>,
}

/// Sizes and rules.
impl Machine {
    /// How many components there are.
    pub fn component_count(&self) -> usize {
        self.component_names.len()
    }

    /// How many nodes there are, in all components together.
    pub fn node_count(&self) -> usize {
        self.node_names.len()
    }

    /// How many boxes there are.
    pub fn box_count(&self) -> usize {
        self.box_names.len()
    }

    /// How many exits there are.
    pub fn exit_count(&self) -> usize {
        self.exit_names.len()
    }

    /// How many places there are: nodes, and return sites that have edges.
    pub fn place_count(&self) -> usize {
        self.place_local.len()
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.items().len()
    }

    /// How many different labels there are.
    pub fn label_count(&self) -> usize {
        self.labels.len()
    }

    /// The nodes at which the program may start, with an empty stack.
    pub fn initial(&self) -> &[NodeId] {
        &self.initial
    }

    /// What happens when the program ends.
    pub fn end_rule(&self) -> EndRule {
        self.end_rule
    }

    /// What to make of dead ends.
    pub fn dead_end_rule(&self) -> DeadEndRule {
        self.dead_end_rule
    }

    /// The same machine with another rule for dead ends.
    pub fn with_dead_end_rule(self, rule: DeadEndRule) -> Self {
        Machine { dead_end_rule: rule, ..self }
    }
}

/// Components and what is in them.
impl Machine {
    /// All components.
    pub fn components(
        &self,
    ) -> impl DoubleEndedIterator<Item = CompId> + ExactSizeIterator + use<> {
        (0..self.component_count()).map(CompId::new)
    }

    /// All nodes.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.node_count()).map(NodeId::new)
    }

    /// All boxes.
    pub fn boxes(&self) -> impl DoubleEndedIterator<Item = BoxId> + ExactSizeIterator + use<> {
        (0..self.box_count()).map(BoxId::new)
    }

    /// All exits.
    pub fn exits(&self) -> impl DoubleEndedIterator<Item = ExitId> + ExactSizeIterator + use<> {
        (0..self.exit_count()).map(ExitId::new)
    }

    /// The places of a component: first its nodes, then its return sites that have edges.
    pub fn places_of(&self, comp: CompId) -> &[PlaceId] {
        self.comp_places.of(comp)
    }

    /// The nodes of a component.
    pub fn nodes_of(&self, comp: CompId) -> impl ExactSizeIterator<Item = NodeId> + '_ {
        let count = self.comp_node_count[comp.index()] as usize;
        self.comp_places.of(comp)[..count].iter().map(|place| NodeId::new(place.index()))
    }

    /// The nodes at which a component may be called.
    pub fn entries_of(&self, comp: CompId) -> &[NodeId] {
        self.comp_entries.of(comp)
    }

    /// The exits of a component.
    pub fn exits_of(&self, comp: CompId) -> &[ExitId] {
        self.comp_exits.of(comp)
    }

    /// The boxes of a component.
    pub fn boxes_of(&self, comp: CompId) -> &[BoxId] {
        self.comp_boxes.of(comp)
    }

    /// The boxes, of any component, that call a component.
    pub fn callers_of(&self, comp: CompId) -> &[BoxId] {
        self.callers.of(comp)
    }
}

/// Single things.
impl Machine {
    /// The component of a node.
    #[inline]
    pub fn component_of(&self, node: NodeId) -> CompId {
        self.node_comp[node.index()]
    }

    /// The component that a box is in.
    #[inline]
    pub fn component_of_box(&self, call: BoxId) -> CompId {
        self.box_comp[call.index()]
    }

    /// The name of a node that is unique in its machine: `component.node`.
    pub fn node_path(&self, node: NodeId) -> String {
        format!("{}.{}", self.component_name(self.component_of(node)), self.node_name(node))
    }

    /// The name of a box that is unique in its machine: `component.box`.
    pub fn box_path(&self, call: BoxId) -> String {
        format!("{}.{}", self.component_name(self.component_of_box(call)), self.box_name(call))
    }

    /// The component that a box calls.
    #[inline]
    pub fn callee(&self, call: BoxId) -> CompId {
        self.box_callee[call.index()]
    }

    /// The component that an exit belongs to.
    #[inline]
    pub fn component_of_exit(&self, exit: ExitId) -> CompId {
        self.exit_comp[exit.index()]
    }

    /// The component of a place.
    #[inline]
    pub fn component_of_place(&self, place: PlaceId) -> CompId {
        match self.place(place) {
            Place::Node(node) => self.component_of(node),
            Place::Site(call, _) => self.component_of_box(call),
        }
    }

    /// Whether a component may be called at this node.
    pub fn is_entry(&self, node: NodeId) -> bool {
        self.is_entry.contains(node.index())
    }

    /// The position of an exit among those of its component.
    #[inline]
    pub fn exit_position(&self, exit: ExitId) -> usize {
        self.exit_local[exit.index()] as usize
    }

    /// The position of a place in [`Machine::places_of`] its component.
    #[inline]
    pub fn place_position(&self, place: PlaceId) -> usize {
        self.place_local[place.index()] as usize
    }

    /// The place that a node is.
    #[inline]
    pub fn node_place(&self, node: NodeId) -> PlaceId {
        PlaceId::new(node.index())
    }

    /// The return site of a box after an exit of its callee, if the program can go on there.
    pub fn site(&self, call: BoxId, exit: ExitId) -> Option<PlaceId> {
        let (first, sites) = self.site_range(call);
        let position = sites.binary_search_by_key(&exit, |&(_, exit)| exit).ok()?;
        Some(PlaceId::new(first + position))
    }

    /// The return sites of a box that have edges, each with its exit, in the order of the exits.
    pub fn sites_of(&self, call: BoxId) -> impl ExactSizeIterator<Item = (ExitId, PlaceId)> + '_ {
        let (first, sites) = self.site_range(call);
        sites.iter().enumerate().map(move |(i, &(_, exit))| (exit, PlaceId::new(first + i)))
    }

    fn site_range(&self, call: BoxId) -> (usize, &[(BoxId, ExitId)]) {
        let range =
            self.box_sites[call.index()] as usize..self.box_sites[call.index() + 1] as usize;
        (self.node_count() + range.start, &self.sites[range])
    }

    /// What a place is.
    #[inline]
    pub fn place(&self, place: PlaceId) -> Place {
        match place.index().checked_sub(self.node_count()) {
            None => Place::Node(NodeId::new(place.index())),
            Some(site) => {
                let (call, exit) = self.sites[site];
                Place::Site(call, exit)
            }
        }
    }
}

/// Edges, both ways.
impl Machine {
    /// The edges of a node.
    #[inline]
    pub fn edges(&self, node: NodeId) -> &[Edge] {
        self.edges.of(PlaceId::new(node.index()))
    }

    /// The edges of a node or return site.
    #[inline]
    pub fn edges_at(&self, place: PlaceId) -> &[Edge] {
        self.edges.of(place)
    }

    /// The places that step to a node.
    #[inline]
    pub fn step_sources(&self, node: NodeId) -> &[PlaceId] {
        self.step_sources.of(node)
    }

    /// The call edges through a box.
    #[inline]
    pub fn calls_of(&self, call: BoxId) -> &[CallEdge] {
        self.calls.of(call)
    }

    /// The nodes that return by an exit.
    #[inline]
    pub fn return_sources(&self, exit: ExitId) -> &[NodeId] {
        self.return_sources.of(exit)
    }
}

/// What is only possible, or unknown.
impl Machine {
    /// Whether some edge is only possible, or some label unknown at a node.
    pub fn is_abstract(&self) -> bool {
        self.doubts.is_some()
    }

    /// The edges of a place, and which of them are sure.
    pub fn edges_with_surety(
        &self,
        place: PlaceId,
    ) -> impl ExactSizeIterator<Item = (Edge, Surety)> + '_ {
        let first = self.edges.range(place).start;
        let possible = self.doubts.as_ref().map(|doubts| &doubts.possible);
        self.edges.of(place).iter().enumerate().map(move |(i, &edge)| {
            let is_possible = possible.is_some_and(|edges| edges.contains(first + i));
            (edge, if is_possible { Surety::Possible } else { Surety::Sure })
        })
    }

    /// How many edges are only possible.
    pub fn possible_count(&self) -> usize {
        self.doubts.as_ref().map_or(0, |doubts| doubts.possible.count_ones(..))
    }

    /// The nodes at which a label is unknown, sorted.
    pub fn unknown(&self, label: LabelId) -> &[NodeId] {
        self.doubts.as_ref().map_or(&[], |doubts| doubts.unknown.of(label))
    }

    /// Whether it is unknown if a node has a label.
    pub fn is_unknown(&self, node: NodeId, label: LabelId) -> bool {
        self.unknown(label).binary_search(&node).is_ok()
    }

    /// How many labels are unknown, each counted at each of its nodes.
    pub fn unknown_count(&self) -> usize {
        self.doubts.as_ref().map_or(0, |doubts| doubts.unknown.items().len())
    }

    /// The unknown labels of every node, as a table made on demand.
    pub fn unknown_by_node(&self) -> Lists<NodeId, LabelId> {
        let pairs: Vec<_> = (0..self.label_count())
            .map(LabelId::new)
            .flat_map(|label| self.unknown(label).iter().map(move |&node| (node, label)))
            .collect();
        Lists::group(self.node_count(), &pairs)
    }
}

/// Names and labels.
impl Machine {
    /// The name of a component.
    pub fn component_name(&self, comp: CompId) -> &str {
        self.component_names.of(comp)
    }

    /// The name of a node; unique within its component.
    pub fn node_name(&self, node: NodeId) -> &str {
        self.node_names.of(node)
    }

    /// The name of a box; unique within its component.
    pub fn box_name(&self, call: BoxId) -> &str {
        self.box_names.of(call)
    }

    /// The name of an exit; unique within its component.
    pub fn exit_name(&self, exit: ExitId) -> &str {
        self.exit_names.of(exit)
    }

    /// Where a node comes from: a place in a file, if the machine was told.
    pub fn origin(&self, node: NodeId) -> Option<Origin> {
        self.origins.get(node)
    }

    /// A node by its place in the text: component and name. Looks at all names: not for inner
    /// loops.
    pub fn find_node(&self, component: &str, node: &str) -> Option<NodeId> {
        let comp = self.components().find(|&comp| self.component_name(comp) == component)?;
        self.nodes_of(comp).find(|&candidate| self.node_name(candidate) == node)
    }

    /// All labels.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = (LabelId, &str)> {
        self.labels.names().iter()
    }

    /// The label of a name, if some node has it, or may have it.
    pub fn label(&self, name: &str) -> Option<LabelId> {
        self.labels.get(name)
    }

    /// The name of a label.
    pub fn label_name(&self, label: LabelId) -> &str {
        self.labels.of(label)
    }

    /// The nodes that have a label, in order.
    pub fn labelled(&self, label: LabelId) -> Subset<'_, NodeId> {
        self.label_nodes.of(label)
    }

    /// Whether a node has a label.
    pub fn has_label(&self, node: NodeId, label: LabelId) -> bool {
        self.labelled(label).contains(node)
    }

    /// Adds labels with the nodes that have them. Nodes are added to a label that is there already.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn add_labels<'a>(&mut self, added: impl IntoIterator<Item = (&'a str, Vec<NodeId>)>) {
        for (name, mut nodes) in added {
            let label = self.labels.intern(name);
            if label.index() < self.label_nodes.len() {
                self.label_nodes.extend(label, &nodes);
                continue;
            }
            // Mostly nodes come in their order.
            if !nodes.is_sorted_by(|a, b| a < b) {
                nodes.sort_unstable();
                nodes.dedup();
            }
            self.label_nodes.push(&nodes);
        }
        if let Some(doubts) = &mut self.doubts {
            let labels = (0..doubts.unknown.len()).map(LabelId::new);
            let unknown = |label| doubts.unknown.of(label).iter().map(move |&node| (label, node));
            let has =
                |&(label, node): &(LabelId, NodeId)| self.label_nodes.of(label).contains(node);
            let unknown: Vec<(LabelId, NodeId)> =
                labels.flat_map(unknown).filter(|pair| !has(pair)).collect();
            doubts.unknown = Lists::group(self.labels.len(), &unknown);
        }
    }

    /// Adds a label with the nodes that have it, given as a row of bits, the first node lowest.
    ///
    /// # Panics
    /// If the row is not one of all nodes.
    pub fn add_label_bits(&mut self, name: &str, bits: &[u64]) {
        if self.label(name).is_none() && self.doubts.is_none() {
            self.labels.intern(name);
            self.label_nodes.push_bits(bits);
            return;
        }
        let mut row: Subsets<LabelId, NodeId> = Subsets::new(self.node_count());
        let only = row.push_bits(bits);
        self.add_labels([(name, row.of(only).to_vec())]);
    }

    /// The labels of every node, as a table made on demand (the machine keeps the other direction).
    pub fn labels_by_node(&self) -> Lists<NodeId, LabelId> {
        let pairs: Vec<_> = (0..self.label_count())
            .map(LabelId::new)
            .flat_map(|label| self.labelled(label).iter().map(move |node| (node, label)))
            .collect();
        Lists::group(self.node_count(), &pairs)
    }
}

impl Default for Machine {
    /// The machine without components; it has no initial node, and so every claim holds of it.
    fn default() -> Self {
        crate::Builder::new().assemble()
    }
}

//! The ordinary machine M' of a machine M that is abstract, or of which edges are spoken of.
//!
//! If M is abstract, each node n has two copies: n itself, entered by sure steps, and n?, entered
//! by steps that are only possible and labelled [`MAYBE`](super::MAYBE). Both have the labels `must
//! p` and `may p` as they are known at n, and the same edges. So a path of sure steps is one that
//! meets no label `maybe` after its first configuration. Each exit has two copies, too: the edges
//! of a return site lead to the second copies, all of them, if the return was only possible.
//!
//! If there are names for edges, nodes and exits have copies also by which of these were followed
//! (`kinds`), and the copies are labelled with the names. If M is not abstract, there is no second
//! copy otherwise, and labels are as they are. Labels of M that are called as edges are left out.
//!
//! What M says without edges is made an edge of M', so that it leads to n and not to n?:
//! * at the bottom of the stack a return is a step to n or n?, or to an explicit sink. Components
//!   with initial nodes have a copy for this, without exits, in which all initial nodes are;
//! * a node without edges steps to n;
//! * where a box does not go on after a return of n, and n has no edge that surely leads somewhere,
//!   n leaves by an exit `stay n` of its own, after which the box calls n again: to n if there is
//!   no step at all, to n? if there is a possible one.
//!
//! # Numbers
//! Components of M keep their numbers; then come the copies for the bottom, in their order. The
//! copies of nodes come in the order of the nodes, those of a node in the order of kinds: without
//! names for edges 2n and 2n + 1. So do the copies of exits; boxes keep their numbers. Then come,
//! for each copy for the bottom, the copies of each of its nodes in their order, the sinks if the
//! end rule asks for them, and its boxes. The exits `stay n` come last, by nodes.

use crate::budget::{Budget, Limit, Meter};
use crate::builder::Builder;
use crate::index::{BoxId, CompId, ExitId, Id, NodeId, PlaceId};
use crate::machine::{Edge, EndRule, Machine, Place, Surety};
use crate::run::{Move, MoveKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::kinds::{KindId, Kinds};
use super::{Lane, MAYBE, label_in};

/// A name for some edges, each given with the place that it leaves.
pub type Named<'a> = (&'a str, &'a [(Place, Edge)]);

/// An ordinary machine that is made of another one, and the way back.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The ordinary machine.
    pub machine: Machine,
    /// For each node its original; `None` for sinks.
    nodes: Vec<Option<NodeId>>,
    /// For each box its original.
    boxes: Vec<BoxId>,
    /// For each exit its original; `None` for those by which a node stays where it is.
    exits: Vec<Option<ExitId>>,
}

/// A move of M' as one of M.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Back {
    /// The move.
    pub step: Move,
    /// Whether it is sure.
    pub surety: Surety,
}

impl Reduction {
    /// Turns a machine into an ordinary one, in which names for edges are labels of the nodes that
    /// were just entered by one of them.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(machine: &Machine, named: &[Named<'_>], budget: &Budget) -> Result<Self, Limit> {
        let mut meter = Meter::new(budget);
        let stays = stays(machine, &mut meter)?;
        let mut maker = Maker::declare(machine, named, &stays, &mut meter)?;
        maker.label(&mut meter)?;
        maker.connect(&stays, &mut meter)?;
        for &node in machine.initial() {
            let bottom = maker.bottoms[&machine.component_of(node)];
            let copy = maker.node(Level::Bottom(bottom), node, maker.kinds.none(Surety::Sure));
            maker.builder.initial(copy);
        }
        let Maker { builder, nodes, boxes, exits, .. } = maker;
        let machine =
            builder.finish().unwrap_or_else(|flaws| unreachable!("no flaws are made: {flaws:?}"));
        Ok(Reduction { machine, nodes, boxes, exits })
    }

    /// The node of M that a node of M' is a copy of; `None` for a sink.
    pub fn node(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node.index()]
    }

    /// The box of M that a box of M' is a copy of.
    pub fn call(&self, call: BoxId) -> BoxId {
        self.boxes[call.index()]
    }

    /// A move of M' as one of `original`, the abstract machine, in which it begins at a node, or,
    /// without one, in the sink.
    pub fn back(&self, original: &Machine, from: Option<NodeId>, step: Move) -> Back {
        let maybe = self.machine.label(MAYBE).filter(|_| original.is_abstract());
        let possible = maybe.is_some_and(|label| self.machine.has_label(step.node, label));
        let surety = if possible { Surety::Possible } else { Surety::Sure };
        let to = self.node(step.node);
        let exit = |exit: ExitId| self.exits[exit.index()];
        let kind = match step.kind {
            MoveKind::Call(call) => MoveKind::Call(self.call(call)),
            MoveKind::Return(by) => exit(by).map_or(MoveKind::Stay, MoveKind::Return),
            MoveKind::ReturnAndCall(by, call) => exit(by)
                .map_or(MoveKind::Stay, |exit| MoveKind::ReturnAndCall(exit, self.call(call))),
            MoveKind::Stay | MoveKind::Sink => step.kind,
            MoveKind::Step => match (from, to) {
                (Some(_), None) => MoveKind::Sink,
                (None, _) => MoveKind::Stay,
                (Some(from), Some(to)) => {
                    let steps = original.edges(from).contains(&Edge::Step(to));
                    if from == to && !steps { MoveKind::Stay } else { MoveKind::Step }
                }
            },
        };
        // A move to the sink names the node that is left.
        let node = to.or(from).unwrap_or(step.node);
        Back { step: Move { kind, node }, surety }
    }
}

/// By which boxes a node may be called so that it stays where it is, surely or perhaps.
type Stays = FxHashMap<NodeId, Vec<(BoxId, Surety)>>;

fn stays(machine: &Machine, meter: &mut Meter<'_>) -> Result<Stays, Limit> {
    let mut stays = Stays::default();
    for node in machine.nodes() {
        let place = machine.node_place(node);
        let returns = |edge: &Edge| matches!(edge, Edge::Return(_));
        let surely_stays =
            |(edge, surety): (Edge, Surety)| returns(&edge) || surety != Surety::Sure;
        if !machine.edges(node).iter().any(returns)
            || !machine.edges_with_surety(place).all(surely_stays)
        {
            continue;
        }
        for &call in machine.callers_of(machine.component_of(node)) {
            let (mut ends, mut goes_on) = (false, None);
            for (edge, surety) in machine.edges_with_surety(place) {
                meter.tick()?;
                match edge {
                    Edge::Return(exit) if machine.site(call, exit).is_none() => ends = true,
                    _ => goes_on = Some(goes_on.map_or(surety, |it: Surety| it.min(surety))),
                }
            }
            match (ends, goes_on) {
                (false, _) | (true, Some(Surety::Sure)) => continue,
                (true, None) => stays.entry(node).or_default().push((call, Surety::Sure)),
                (true, Some(_)) => stays.entry(node).or_default().push((call, Surety::Possible)),
            }
        }
    }
    Ok(stays)
}

/// Where a copy of a component is: above a call, or at the bottom of the stack.
#[derive(Clone, Copy)]
enum Level {
    Called,
    Bottom(CompId),
}

struct Maker<'m> {
    original: &'m Machine,
    named: &'m [Named<'m>],
    kinds: Kinds,
    builder: Builder,
    nodes: Vec<Option<NodeId>>,
    boxes: Vec<BoxId>,
    exits: Vec<Option<ExitId>>,
    /// The copy for the bottom of each component that has one.
    bottoms: FxHashMap<CompId, CompId>,
    /// The first copies of nodes at the bottom, and the copies of boxes.
    bottom_nodes: FxHashMap<NodeId, NodeId>,
    bottom_boxes: FxHashMap<BoxId, BoxId>,
    /// The first sink of each copy for the bottom.
    sinks: FxHashMap<CompId, NodeId>,
    /// The exits by which nodes stay.
    stay_exits: FxHashMap<NodeId, ExitId>,
}

impl<'m> Maker<'m> {
    /// Adds all there is, but no labels of M and no edges.
    fn declare(
        original: &'m Machine,
        named: &'m [Named<'m>],
        stays: &Stays,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let sets: Vec<&[(Place, Edge)]> = named.iter().map(|&(_, edges)| edges).collect();
        let mut maker = Maker {
            original,
            named,
            kinds: Kinds::new(original, &sets, meter)?,
            builder: Builder::new(),
            nodes: Vec::new(),
            boxes: Vec::new(),
            exits: Vec::new(),
            bottoms: FxHashMap::default(),
            bottom_nodes: FxHashMap::default(),
            bottom_boxes: FxHashMap::default(),
            sinks: FxHashMap::default(),
            stay_exits: FxHashMap::default(),
        };
        maker.builder.names_are_unique();
        for component in original.components() {
            let name = format!("called {}", original.component_name(component));
            maker.builder.component(&name);
        }
        for node in original.nodes() {
            maker.copies(original.component_of(node), node, meter)?;
        }
        for exit in original.exits() {
            let component = original.component_of_exit(exit);
            for &kind in maker.kinds.exits.of(exit) {
                let word = maker.kinds.get(kind).word();
                let name = format!("{word} {}", original.exit_name(exit));
                maker.builder.exit(component, &name);
                maker.exits.push(Some(exit));
            }
        }
        for call in original.boxes() {
            maker.call_box(original.component_of_box(call), call);
        }
        let begins: FxHashSet<CompId> =
            original.initial().iter().map(|&node| original.component_of(node)).collect();
        for component in original.components().filter(|component| begins.contains(component)) {
            maker.declare_bottom(component, meter)?;
        }
        for node in original.nodes().filter(|node| stays.contains_key(node)) {
            let name = format!("stay {}", original.node_name(node));
            let exit = maker.builder.exit(original.component_of(node), &name);
            maker.exits.push(None);
            maker.stay_exits.insert(node, exit);
        }
        Ok(maker)
    }

    fn declare_bottom(&mut self, component: CompId, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let original = self.original;
        let name = format!("bottom {}", original.component_name(component));
        let bottom = self.builder.component(&name);
        self.bottoms.insert(component, bottom);
        for node in original.nodes_of(component) {
            let first = self.copies(bottom, node, meter)?;
            self.bottom_nodes.insert(node, first);
        }
        if original.end_rule() == EndRule::Sink {
            let first = self.builder.node(bottom, "sink");
            self.sinks.insert(bottom, first);
            self.builder.edge(Place::Node(first), Edge::Step(first));
            self.nodes.push(None);
            if original.is_abstract() {
                let second = self.builder.node(bottom, "sink perhaps");
                self.builder.label(second, MAYBE);
                self.builder.edge(Place::Node(second), Edge::Step(first));
                self.nodes.push(None);
            }
        }
        for &call in original.boxes_of(component) {
            let copy = self.call_box(bottom, call);
            self.bottom_boxes.insert(call, copy);
        }
        Ok(())
    }

    /// Adds the copies of a node, with labels for their kinds, and gives the first.
    fn copies(
        &mut self,
        component: CompId,
        node: NodeId,
        meter: &mut Meter<'_>,
    ) -> Result<NodeId, Limit> {
        let name = self.original.node_name(node);
        let mut first = None;
        for &kind in self.kinds.nodes.of(node) {
            meter.tick()?;
            let kind = self.kinds.get(kind);
            let copy = self.builder.node(component, &format!("{} {name}", kind.word()));
            if kind.surety == Surety::Possible {
                self.builder.label(copy, MAYBE);
            }
            for &set in &kind.followed {
                let name = self.named[set as usize].0;
                if !self.original.is_abstract() {
                    self.builder.label(copy, name);
                    continue;
                }
                for lane in [Lane::Must, Lane::May] {
                    self.builder.label(copy, &label_in(lane, name));
                }
            }
            self.nodes.push(Some(node));
            first.get_or_insert(copy);
        }
        Ok(first.expect("every node has a copy"))
    }

    fn call_box(&mut self, component: CompId, call: BoxId) -> BoxId {
        self.boxes.push(call);
        let callee = self.original.callee(call);
        self.builder.call_box(component, self.original.box_name(call), callee)
    }

    /// The copy of a node that is entered by moves of some kind.
    fn node(&self, level: Level, node: NodeId, kind: KindId) -> NodeId {
        let first = match level {
            Level::Called => self.kinds.nodes.first(node),
            Level::Bottom(_) => self.bottom_nodes[&node].index(),
        };
        NodeId::new(first + self.kinds.nodes.position(node, kind))
    }

    /// All copies of a node.
    fn copies_of(&self, level: Level, node: NodeId) -> Vec<NodeId> {
        let kinds = self.kinds.nodes.of(node).iter();
        kinds.map(|&kind| self.node(level, node, kind)).collect()
    }

    fn call(&self, level: Level, call: BoxId) -> BoxId {
        match level {
            Level::Called => call,
            Level::Bottom(_) => self.bottom_boxes[&call],
        }
    }

    fn levels(&self, component: CompId) -> impl Iterator<Item = Level> + use<> {
        let bottom = self.bottoms.get(&component).copied();
        std::iter::once(Level::Called).chain(bottom.map(Level::Bottom))
    }

    fn label(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let original = self.original;
        for (label, name) in original.labels() {
            if self.named.iter().any(|&(named, _)| named == name) {
                continue;
            }
            let [must, may] = match original.is_abstract() {
                true => [Lane::Must, Lane::May].map(|lane| label_in(lane, name)),
                false => [name.to_owned(), name.to_owned()],
            };
            let sure = original.labelled(label).iter().map(|node| (node, Surety::Sure));
            let unknown = original.unknown(label).iter().map(|&node| (node, Surety::Possible));
            for (node, surety) in sure.chain(unknown) {
                for level in self.levels(original.component_of(node)) {
                    for copy in self.copies_of(level, node) {
                        meter.tick()?;
                        self.builder.label(copy, &may);
                        if surety == Surety::Sure && must != may {
                            self.builder.label(copy, &must);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn connect(&mut self, stays: &Stays, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let original = self.original;
        for component in original.components() {
            for &entry in original.entries_of(component) {
                for copy in self.copies_of(Level::Called, entry) {
                    self.builder.entry(copy);
                }
            }
            for level in self.levels(component) {
                for &place in original.places_of(component) {
                    match original.place(place) {
                        Place::Node(node) => self.connect_node(level, node, meter)?,
                        Place::Site(call, exit) => {
                            self.connect_site(level, place, (call, exit), meter)?;
                        }
                    }
                }
            }
        }
        for node in original.nodes() {
            for &(call, surety) in stays.get(&node).map_or(&[][..], |list| list) {
                let target = self.node(Level::Called, node, self.kinds.none(surety));
                self.builder.entry(target);
                for level in self.levels(original.component_of_box(call)) {
                    meter.tick()?;
                    let call = self.call(level, call);
                    let from = Place::Site(call, self.stay_exits[&node]);
                    self.builder.edge(from, Edge::Call(call, target));
                }
            }
        }
        Ok(())
    }

    fn connect_node(
        &mut self,
        level: Level,
        node: NodeId,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let original = self.original;
        let place = original.node_place(node);
        let mut edges = Vec::new();
        if original.edges(node).is_empty() {
            edges.push(Edge::Step(self.node(level, node, self.kinds.none(Surety::Sure))));
        }
        if let (Level::Called, Some(&exit)) = (level, self.stay_exits.get(&node)) {
            edges.push(Edge::Return(exit));
        }
        for (edge, surety) in original.edges_with_surety(place) {
            let kind = self.kinds.of_edge(place, edge, surety);
            edges.push(match (edge, level) {
                (Edge::Step(_) | Edge::Call(..), _) => self.onward(level, edge, kind),
                (Edge::Return(exit), Level::Called) => Edge::Return(self.exit(exit, kind)),
                (Edge::Return(_), Level::Bottom(bottom)) => match self.sinks.get(&bottom) {
                    Some(&sink) => Edge::Step(copy(sink, surety)),
                    None => Edge::Step(self.node(level, node, self.kinds.none(surety))),
                },
            });
        }
        for copy in self.copies_of(level, node) {
            for &edge in &edges {
                meter.tick()?;
                self.builder.edge(Place::Node(copy), edge);
            }
        }
        Ok(())
    }

    fn connect_site(
        &mut self,
        level: Level,
        place: PlaceId,
        (call, exit): (BoxId, ExitId),
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let from = self.call(level, call);
        let original = self.original;
        for left in self.kinds.exits.of(exit).to_vec() {
            let exit = self.exit(exit, left);
            for (edge, surety) in original.edges_with_surety(place) {
                meter.tick()?;
                let kind = self.kinds.join(left, self.kinds.of_edge(place, edge, surety));
                let edge = self.onward(level, edge, kind);
                self.builder.edge(Place::Site(from, exit), edge);
            }
        }
        Ok(())
    }

    /// The copy of an exit for returns of some kind.
    fn exit(&self, exit: ExitId, kind: KindId) -> ExitId {
        let exits = &self.kinds.exits;
        ExitId::new(exits.first(exit) + exits.position(exit, kind))
    }

    /// The copy of a step or a call; there are no other edges of return sites.
    fn onward(&self, level: Level, edge: Edge, kind: KindId) -> Edge {
        match edge {
            Edge::Step(to) => Edge::Step(self.node(level, to, kind)),
            Edge::Call(call, entry) => {
                Edge::Call(self.call(level, call), self.node(Level::Called, entry, kind))
            }
            Edge::Return(_) => edge,
        }
    }
}

/// The first or second sink, given the first.
fn copy<I: Id>(first: I, surety: Surety) -> I {
    match surety {
        Surety::Sure => first,
        Surety::Possible => I::new(first.index() + 1),
    }
}

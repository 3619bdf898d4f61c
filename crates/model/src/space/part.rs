//! What has been asked of a space so far: a part of a machine, with ids of its own.
//!
//! # Invariants
//! * Ids are dense and handed out in the order in which things are found; they never change. So
//!   what was said of a part stays true of it when it has grown, and of the machine that is made of
//!   it.
//! * A place is asked for what follows it once, and a node for its labels once, as long as the
//!   propositions stay the same.
//! * A place that was not asked yet, or has a hole, is *open*: its edges may not be all.

use super::{Labels, Space, SpaceError, Successors};
use crate::budget::{Budget, Limit, Meter};
use crate::builder::Builder;
use crate::index::{BoxId, CompId, ExitId, Id, LabelId, NodeId, Numbering, PlaceId, Table};
use crate::machine::{Edge, Machine, Place, Surety};
use crate::run::{Ending, Move, MoveKind, Run};
use crate::start::copy;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A part of a space: what has been asked for.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The ids that things have in the space, by their ids here.
    components: Numbering<CompId, CompId>,
    nodes: Numbering<NodeId, NodeId>,
    boxes: Numbering<BoxId, BoxId>,
    exits: Numbering<ExitId, ExitId>,
    node_component: Table<NodeId, CompId>,
    node_place: Table<NodeId, PlaceId>,
    box_home: Table<BoxId, CompId>,
    box_callee: Table<BoxId, CompId>,
    exit_component: Table<ExitId, CompId>,
    entries: FixedBitSet,
    initial: Option<Vec<NodeId>>,
    places: Table<PlaceId, Place>,
    sites: FxHashMap<(BoxId, ExitId), PlaceId>,
    edges: Table<PlaceId, Option<Box<[Edge]>>>,
    /// How many of the edges of places are only possible, if some are: the last ones.
    possible: FxHashMap<PlaceId, usize>,
    /// The holes, and why they are there.
    holes: BTreeMap<PlaceId, String>,
    /// What the space was told that labels are about, if it was.
    propositions: Option<Vec<String>>,
    labels: Table<NodeId, Option<Box<[LabelId]>>>,
    /// The propositions that are unknown at nodes, if some are; sorted.
    unknown: FxHashMap<NodeId, Box<[LabelId]>>,
    /// How many nodes were asked for what follows them.
    produced: u64,
    /// How many questions were asked.
    questions: u64,
}

/// What is asked.
impl Part {
    /// Tells the space the propositions, if they are not those it was told before.
    ///
    /// # Errors
    /// That the space does not know one of them.
    pub fn tell<S: Space>(&mut self, space: &mut S, names: &[String]) -> Result<(), SpaceError> {
        if self.propositions.as_deref() == Some(names) {
            return Ok(());
        }
        self.retell(space, names)
    }

    /// Tells the space the propositions, which another space may have been told before. Labels are
    /// asked for again.
    ///
    /// # Errors
    /// That the space does not know one of them.
    pub fn retell<S: Space>(&mut self, space: &mut S, names: &[String]) -> Result<(), SpaceError> {
        space.propositions(names)?;
        self.propositions = Some(names.to_vec());
        self.labels = Table::filled(None, self.nodes.rows().len());
        self.unknown = FxHashMap::default();
        Ok(())
    }

    /// The nodes at which the program may start.
    ///
    /// # Errors
    /// That the space fails.
    pub fn initial<S: Space>(
        &mut self,
        space: &mut S,
        meter: &mut Meter<'_>,
    ) -> Result<&[NodeId], SpaceError> {
        if self.initial.is_none() {
            let mut nodes = Vec::new();
            for node in space.initial(meter)? {
                nodes.push(self.node(space, node));
            }
            self.initial = Some(nodes);
            self.questions += 1;
        }
        Ok(self.initial.as_deref().unwrap_or_default())
    }

    /// The edges of a place; those that are only possible come last. After that it is known whether
    /// it is a hole.
    ///
    /// # Errors
    /// That the space fails.
    pub fn edges<S: Space>(
        &mut self,
        space: &mut S,
        place: PlaceId,
        meter: &mut Meter<'_>,
    ) -> Result<&[Edge], SpaceError> {
        if self.edges[place].is_none() {
            let mut found = Successors::default();
            let home = match self.places[place] {
                Place::Node(node) => {
                    space.edges(self.nodes[node], &mut found, meter)?;
                    self.produced += 1;
                    self.node_component[node]
                }
                Place::Site(call, exit) => {
                    space.site_edges(self.boxes[call], self.exits[exit], &mut found, meter)?;
                    self.box_home[call]
                }
            };
            if !found.possible.is_empty() {
                if !space.is_abstract() {
                    let why = "an edge is only possible, in a space that is not abstract";
                    return Err(SpaceError::failed(why));
                }
                found.possible.retain(|edge| !found.edges.contains(edge));
                self.possible.insert(place, found.possible.len());
            }
            let edges = found.edges.into_iter().chain(found.possible);
            let edges = edges.map(|edge| self.edge(space, home, edge)).collect();
            self.edges[place] = Some(edges);
            self.questions += 1;
            self.holes.extend(found.hole.map(|why| (place, why)));
        }
        Ok(self.edges[place].as_deref().unwrap_or_default())
    }

    /// The propositions that are true at a node, sorted.
    ///
    /// # Errors
    /// That the space fails.
    pub fn labels<S: Space>(
        &mut self,
        space: &mut S,
        node: NodeId,
        meter: &mut Meter<'_>,
    ) -> Result<&[LabelId], SpaceError> {
        if self.labels[node].is_none() {
            let mut found = Labels::default();
            space.labels(self.nodes[node], &mut found, meter)?;
            found.on.sort_unstable();
            found.on.dedup();
            let count = self.propositions().len();
            let mut all = found.on.iter().chain(&found.unknown);
            if let Some(stray) = all.find(|it| it.index() >= count) {
                let (node, stray) = (space.node_name(self.nodes[node]), stray.index());
                return Err(SpaceError::Failed(format!(
                    "node `{node}` is labelled by proposition {stray}, and there are {count}"
                )));
            }
            if !found.unknown.is_empty() {
                if !space.is_abstract() {
                    let why = "a label is unknown, in a space that is not abstract";
                    return Err(SpaceError::failed(why));
                }
                found.unknown.retain(|label| found.on.binary_search(label).is_err());
                found.unknown.sort_unstable();
                found.unknown.dedup();
                self.unknown.insert(node, found.unknown.into());
            }
            self.labels[node] = Some(found.on.into());
            self.questions += 1;
        }
        Ok(self.labels[node].as_deref().unwrap_or_default())
    }

    /// Asks for everything that can be reached.
    ///
    /// A return site is taken as reached if its box is called and its exit is taken anywhere in the
    /// callee, so that for callees with several entries a little more may be asked for than is
    /// needed.
    ///
    /// # Errors
    /// That the space fails, or that the budget runs out.
    pub fn explore<S: Space>(
        &mut self,
        space: &mut S,
        meter: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        self.initial(space, meter)?;
        let mut boxes_of: FxHashMap<CompId, Vec<BoxId>> = FxHashMap::default();
        let mut exits_of: FxHashMap<CompId, Vec<ExitId>> = FxHashMap::default();
        let (mut places, mut boxes, mut exits) = (0, 0, 0);
        while places < self.places.len() {
            while places < self.places.len() {
                meter.tick()?;
                let place = PlaceId::new(places);
                self.edges(space, place, meter)?;
                if let Place::Node(node) = self.places[place] {
                    self.labels(space, node, meter)?;
                }
                places += 1;
            }
            for call in (boxes..self.box_home.len()).map(BoxId::new) {
                let callee = self.box_callee[call];
                boxes_of.entry(callee).or_default().push(call);
                for &exit in exits_of.get(&callee).into_iter().flatten() {
                    meter.tick()?;
                    self.site(call, exit);
                }
            }
            boxes = self.box_home.len();
            for exit in (exits..self.exit_component.len()).map(ExitId::new) {
                let component = self.exit_component[exit];
                exits_of.entry(component).or_default().push(exit);
                for &call in boxes_of.get(&component).into_iter().flatten() {
                    meter.tick()?;
                    self.site(call, exit);
                }
            }
            exits = self.exit_component.len();
        }
        Ok(())
    }

    /// The return site of a box after an exit, whether or not it has edges.
    pub fn site(&mut self, call: BoxId, exit: ExitId) -> PlaceId {
        let Part { sites, places, edges, .. } = self;
        *sites.entry((call, exit)).or_insert_with(|| {
            edges.push(None);
            places.push(Place::Site(call, exit))
        })
    }

    /// An edge in the ids that things have here.
    fn edge<S: Space>(&mut self, space: &S, home: CompId, edge: Edge) -> Edge {
        match edge {
            Edge::Step(to) => Edge::Step(self.node(space, to)),
            Edge::Call(call, entry) => {
                let entry = self.node(space, entry);
                self.entries.grow_and_insert(entry.index());
                Edge::Call(self.call_box(space, call), entry)
            }
            Edge::Return(exit) => {
                let known = self.exits.find(&exit);
                Edge::Return(known.unwrap_or_else(|| {
                    self.exit_component.push(home);
                    self.exits.id(exit)
                }))
            }
        }
    }

    fn node<S: Space>(&mut self, space: &S, node: NodeId) -> NodeId {
        if let Some(known) = self.nodes.find(&node) {
            return known;
        }
        let component = self.components.id(space.component(node));
        let id = self.nodes.id(node);
        self.node_component.push(component);
        self.node_place.push(self.places.push(Place::Node(id)));
        self.edges.push(None);
        self.labels.push(None);
        id
    }

    fn call_box<S: Space>(&mut self, space: &S, call: BoxId) -> BoxId {
        if let Some(known) = self.boxes.find(&call) {
            return known;
        }
        self.box_home.push(self.components.id(space.home(call)));
        self.box_callee.push(self.components.id(space.callee(call)));
        self.boxes.id(call)
    }
}

/// What is known.
impl Part {
    /// The propositions that labels are about.
    pub fn propositions(&self) -> &[String] {
        self.propositions.as_deref().unwrap_or_default()
    }

    /// The propositions that are known to be true at a node, sorted.
    pub fn known_labels(&self, node: NodeId) -> &[LabelId] {
        self.labels[node].as_deref().unwrap_or_default()
    }

    /// The propositions of which it is known that they are unknown at a node, sorted.
    pub fn unknown_labels(&self, node: NodeId) -> &[LabelId] {
        self.unknown.get(&node).map_or(&[], |labels| labels)
    }

    /// The edges of a place that are known, and whether they are sure.
    pub fn known_edges(&self, place: PlaceId) -> impl Iterator<Item = (Edge, Surety)> + '_ {
        let edges = self.edges[place].as_deref().unwrap_or_default();
        let sure = edges.len() - self.possible.get(&place).copied().unwrap_or(0);
        edges.iter().enumerate().map(move |(number, &edge)| {
            (edge, if number < sure { Surety::Sure } else { Surety::Possible })
        })
    }

    /// How many questions were asked: as long as it stays the same, so does the part.
    pub fn questions(&self) -> u64 {
        self.questions
    }

    /// How many nodes were asked for what follows them.
    pub fn produced(&self) -> u64 {
        self.produced
    }

    /// The component of a node.
    pub fn component_of(&self, node: NodeId) -> CompId {
        self.node_component[node]
    }

    /// The place that a node is.
    #[inline]
    pub fn node_place(&self, node: NodeId) -> PlaceId {
        self.node_place[node]
    }

    /// What a place is.
    #[inline]
    pub fn place(&self, place: PlaceId) -> Place {
        self.places[place]
    }

    /// Whether something else than its edges may follow a place that was asked.
    pub fn is_hole(&self, place: PlaceId) -> bool {
        self.holes.contains_key(&place)
    }

    /// The holes that were found, in order.
    pub fn holes(&self) -> Vec<PlaceId> {
        self.holes.keys().copied().collect()
    }

    /// Whether the edges of a place are perhaps not all: it has a hole, or was not asked.
    pub fn is_open(&self, place: Place) -> bool {
        let id = match place {
            Place::Node(node) => Some(self.node_place[node]),
            Place::Site(call, exit) => self.sites.get(&(call, exit)).copied(),
        };
        id.is_none_or(|id| self.edges[id].is_none() || self.is_hole(id))
    }

    /// Whether no place is open.
    pub fn is_closed(&self) -> bool {
        self.holes.is_empty() && self.edges.as_slice().iter().all(Option::is_some)
    }

    /// The machine that the part is, in which something else follows every open place: a step to a
    /// node of its own, without labels, which loops. All else has the same id, but for places. What
    /// is proved of this machine without a word about the new nodes is true of the space.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn guarded(&self, machine: &Machine, meter: &mut Meter<'_>) -> Result<Builder, Limit> {
        let mut builder = Builder::new();
        copy(machine, &mut builder, meter)?;
        machine.initial().iter().for_each(|&node| builder.initial(node));
        for (component, open) in self.open_places(machine, meter)? {
            let anything = builder.node(component, &name_of_anything(machine, component));
            let places = open.into_iter().chain([Place::Node(anything)]);
            places.for_each(|place| builder.edge(place, Edge::Step(anything)));
        }
        Ok(builder)
    }

    /// The machine that the part is as an abstract machine, in which of all that is open nothing is
    /// taken for granted: beside the edges that are known there is a possible one to a node of its
    /// own, at which all labels are unknown, and from which a step to itself is possible; and
    /// labels that were not asked for are unknown. All else has the same id, but for places. It
    /// stands for every program that the space may be, so what is known of it is true of the space.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn coarse(&self, machine: &Machine, meter: &mut Meter<'_>) -> Result<Builder, Limit> {
        let mut builder = Builder::new();
        copy(machine, &mut builder, meter)?;
        machine.initial().iter().for_each(|&node| builder.initial(node));
        for node in machine.nodes().filter(|&node| self.labels[node].is_none()) {
            for name in self.propositions() {
                meter.tick()?;
                builder.unknown_label(node, name);
            }
        }
        for (component, open) in self.open_places(machine, meter)? {
            let anything = builder.node(component, &name_of_anything(machine, component));
            self.propositions().iter().for_each(|name| builder.unknown_label(anything, name));
            let places = open.into_iter().chain([Place::Node(anything)]);
            places.for_each(|place| builder.possible_edge(place, Edge::Step(anything)));
        }
        Ok(builder)
    }

    /// The places of a machine whose edges may not be all, by components that have some.
    fn open_places(
        &self,
        machine: &Machine,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<(CompId, Vec<Place>)>, Limit> {
        let mut found = Vec::new();
        for component in machine.components() {
            let nodes = machine.nodes_of(component).map(Place::Node);
            let sites = machine.boxes_of(component).iter().flat_map(|&call| {
                let exits = machine.exits_of(machine.callee(call)).iter();
                exits.map(move |&exit| Place::Site(call, exit))
            });
            let mut open = Vec::new();
            for place in nodes.chain(sites) {
                meter.tick()?;
                if self.is_open(place) {
                    open.push(place);
                }
            }
            if !open.is_empty() {
                found.push((component, open));
            }
        }
        Ok(found)
    }

    /// A hole in words: where it is, and why.
    pub fn describe_hole<S: Space>(&self, space: &S, place: PlaceId) -> String {
        let path = |component: CompId, name: &str| {
            format!("{}.{name}", space.component_name(self.components[component]))
        };
        let place_name = match self.places[place] {
            Place::Node(node) => {
                path(self.node_component[node], &space.node_name(self.nodes[node]))
            }
            Place::Site(call, exit) => {
                let name = space.box_name(self.boxes[call]);
                let exit = space.exit_name(self.exits[exit]);
                path(self.box_home[call], &format!("{name}.{exit}"))
            }
        };
        match self.holes.get(&place).map(String::as_str) {
            None | Some("") => place_name,
            Some(why) => format!("{place_name} ({why})"),
        }
    }

    /// The machine that the part is, with the same ids. Open places have the edges that are known.
    ///
    /// # Errors
    /// That the space breaks the rules of machines.
    pub fn machine<S: Space>(&self, space: &S) -> Result<Machine, SpaceError> {
        let mut builder = Builder::new();
        builder.end_rule(space.end_rule());
        builder.dead_end_rule(space.dead_end_rule());
        for &component in self.components.rows().as_slice() {
            builder.component(&space.component_name(component));
        }
        for (node, &own) in self.nodes.rows().iter() {
            builder.node(self.node_component[node], &space.node_name(own));
            if let Some(origin) = space.origin(own) {
                builder.origin(node, origin);
            }
            for &label in self.known_labels(node) {
                builder.label(node, &self.propositions()[label.index()]);
            }
            for &label in self.unknown_labels(node) {
                builder.unknown_label(node, &self.propositions()[label.index()]);
            }
        }
        for (call, &own) in self.boxes.rows().iter() {
            builder.call_box(self.box_home[call], &space.box_name(own), self.box_callee[call]);
        }
        for (exit, &own) in self.exits.rows().iter() {
            builder.exit(self.exit_component[exit], &space.exit_name(own));
        }
        self.entries.ones().for_each(|entry| builder.entry(NodeId::new(entry)));
        for place in self.places.ids() {
            for (edge, surety) in self.known_edges(place) {
                builder.edge_of(self.places[place], edge, surety);
            }
        }
        self.initial.iter().flatten().for_each(|&node| builder.initial(node));
        builder.finish().map_err(SpaceError::Flaws)
    }

    /// The component that a box is in.
    pub fn box_home(&self, call: BoxId) -> CompId {
        self.box_home[call]
    }

    /// The component that a box calls.
    pub fn box_callee(&self, call: BoxId) -> CompId {
        self.box_callee[call]
    }

    /// The id of a component in the space.
    pub fn component_outside(&self, component: CompId) -> CompId {
        self.components[component]
    }

    /// The id of a box in the space.
    pub fn box_outside(&self, call: BoxId) -> BoxId {
        self.boxes[call]
    }

    /// The id of an exit in the space.
    pub fn exit_outside(&self, exit: ExitId) -> ExitId {
        self.exits[exit]
    }

    /// The id of a node in the space.
    pub fn node_outside(&self, node: NodeId) -> NodeId {
        self.nodes[node]
    }

    /// A move in the ids of the space.
    pub fn move_outside(&self, step: Move) -> Move {
        let kind = match step.kind {
            MoveKind::Call(call) => MoveKind::Call(self.boxes[call]),
            MoveKind::Return(exit) => MoveKind::Return(self.exits[exit]),
            MoveKind::ReturnAndCall(exit, call) => {
                MoveKind::ReturnAndCall(self.exits[exit], self.boxes[call])
            }
            MoveKind::Step | MoveKind::Stay | MoveKind::Sink => step.kind,
        };
        Move { kind, node: self.nodes[step.node] }
    }

    /// A run in the ids of the space.
    pub fn run_outside(&self, run: &Run) -> Run {
        let ending = match &run.ending {
            Ending::Pump(from, boxes) => {
                Ending::Pump(*from, boxes.iter().map(|&call| self.boxes[call]).collect())
            }
            other => other.clone(),
        };
        Run { moves: run.moves.iter().map(|&step| self.move_outside(step)).collect(), ending }
    }
}

/// A name that no node of a component has, nor contains.
fn name_of_anything(machine: &Machine, component: CompId) -> String {
    let longest = machine.nodes_of(component).map(|node| machine.node_name(node).len());
    "?".repeat(1 + longest.max().unwrap_or(0))
}

/// Asks a space for everything that can be reached, for claims about these propositions.
///
/// # Errors
/// When the budget runs out, or the space fails.
pub fn explore<S: Space>(
    space: &mut S,
    propositions: &[String],
    budget: &Budget,
) -> Result<Part, SpaceError> {
    let mut part = Part::default();
    part.tell(space, propositions)?;
    part.explore(space, &mut Meter::new(budget))?;
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::Origin;
    use crate::space::Lent;

    #[test]
    fn only_what_is_reached_is_built() {
        let mut b = Builder::new();
        let (dead, main, sub) = (b.component("dead"), b.component("main"), b.component("sub"));
        let (stray, start, after) =
            (b.node(dead, "stray"), b.node(main, "start"), b.node(main, "after"));
        let only = b.node(sub, "only");
        b.entry(only);
        b.label(only, "p");
        b.label(only, "not asked for");
        b.origin(after, Origin::new("m.c", 7));
        let exit = b.exit_node(only);
        let never = b.exit(sub, "never");
        let call = b.call_box(main, "b", sub);
        b.edge(Place::Node(start), Edge::Call(call, only));
        b.edge(Place::Site(call, exit), Edge::Step(after));
        b.edge(Place::Site(call, never), Edge::Step(start));
        b.edge(Place::Node(stray), Edge::Step(stray));
        b.initial(start);
        let all = b.finish().expect("sound");
        let mut space = Lent::new(&all);
        let names = ["q".to_owned(), "p".to_owned()];
        let part = explore(&mut space, &names, &Budget::unlimited()).expect("no limits");
        let machine = part.machine(&space).expect("a part of a machine is a machine");
        assert_eq!(machine.component_count(), 2);
        assert_eq!(machine.node_count(), 3);
        assert_eq!((machine.exit_count(), machine.label_count()), (1, 1));
        let only = machine.find_node("sub", "only").expect("called");
        assert!(machine.is_entry(only));
        assert!(machine.has_label(only, machine.label("p").expect("kept")));
        let call = machine.boxes().next().expect("called");
        let exit = machine.exits().next().expect("taken");
        let site = machine.site(call, exit).expect("gone on from");
        let after = machine.find_node("main", "after").expect("reached");
        assert_eq!(machine.edges_at(site), [Edge::Step(after)]);
        assert_eq!(machine.origin(after), Some(Origin::new("m.c", 7)));
        assert!(machine.nodes().all(|node| !part.is_open(Place::Node(node))));
    }
}

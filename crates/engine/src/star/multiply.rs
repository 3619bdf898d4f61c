//! Machines with one component for each component *and* what lies below it on the stack.
//!
//! Frames are an automaton over stacks ([`crate::ground::frames`]). A machine that has a component for each frame,
//! and whose boxes call the component of the frame that they lead to, runs as the machine that it was
//! made from, and what is true at a node in a frame can be a label of the node's copy.
//!
//! Only nodes, boxes and return sites that some run from the initial nodes passes are copied.

use crate::ground::bits;
use crate::ground::frames::Frames;
use crate::ground::ids::{BoxPos, FrameId, Positions, RootPos, positions};
use crate::ground::terrain::Terrain;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{
    BoxId, Builder, CompId, Edge, ExitId, Id, LabelId, Limit, Machine, NodeId, Place, indices,
};

indices! {
    /// A copy of a component.
    pub(super) CopyId = "copy ";
}

/// How often classes of frames are told apart further before it is given up that some are the same.
const MERGING_ROUNDS: usize = 50;

/// Which copies of components to make, and how they call each other.
pub(super) struct Copies {
    /// The component that each copy is of.
    pub(super) component: Table<CopyId, CompId>,
    /// For each copy, the copy that each box leads to, by position; `None` if it is never called.
    links: Table<CopyId, Box<[Option<CopyId>]>>,
    /// The copy at the bottom of the stack, for each of the terrain's root components.
    roots: Table<RootPos, CopyId>,
}

impl Copies {
    /// One copy for each frame, in the order of the frames.
    pub(super) fn of(frames: &Frames) -> Self {
        let each = frames.ids().map(|frame| CopyId::new(frame.index())).collect();
        Self::of_classes(frames, &each)
    }

    /// One copy for each class of frames, which are numbered in the order of their first frames.
    fn of_classes(frames: &Frames, class_of: &Table<FrameId, CopyId>) -> Self {
        let roots = frames.roots.iter().map(|(_, &root)| class_of[root]).collect();
        let mut copies = Copies { component: Table::new(), links: Table::new(), roots };
        for (frame, &class) in class_of.iter() {
            if class.index() == copies.component.len() {
                copies.component.push(frames.component[frame]);
                let links = frames.links_of(frame).iter();
                copies.links.push(links.map(|to| to.map(|to| class_of[to])).collect());
            }
        }
        copies
    }

    /// One copy for all frames of a component that have the same row, and whose boxes lead to frames
    /// that are the same in this sense. Says for each copy a frame that it is made from.
    ///
    /// Frames may tell apart more than their rows do: what lies deeper, and is not asked for any more.
    pub(super) fn merged(
        frames: &Frames,
        rows: &[Box<[u64]>],
        meter: &mut Meter<'_>,
    ) -> Result<(Self, Table<CopyId, FrameId>), Limit> {
        let mut class_of: Table<FrameId, CopyId> = Table::new();
        let mut count = {
            let mut known: FxHashMap<(CompId, &[u64]), CopyId> = FxHashMap::default();
            for frame in frames.ids() {
                meter.tick()?;
                let next = CopyId::new(known.len());
                let key = (frames.component[frame], &*rows[frame.index()]);
                class_of.push(*known.entry(key).or_insert(next));
            }
            known.len()
        };
        for round in 0.. {
            if round == MERGING_ROUNDS {
                class_of = frames.ids().map(|frame| CopyId::new(frame.index())).collect();
                count = frames.len();
                break;
            }
            let mut known: FxHashMap<Vec<Option<CopyId>>, CopyId> = FxHashMap::default();
            let mut finer = Table::new();
            for frame in frames.ids() {
                meter.tick()?;
                let mut key = vec![Some(class_of[frame])];
                let links = frames.links_of(frame).iter();
                key.extend(links.map(|to| to.map(|to| class_of[to])));
                let next = CopyId::new(known.len());
                finer.push(*known.entry(key).or_insert(next));
            }
            let stable = known.len() == count;
            (class_of, count) = (finer, known.len());
            if stable {
                break;
            }
        }
        let mut first: Table<CopyId, Option<FrameId>> = Table::filled(None, count);
        for (frame, &class) in class_of.iter() {
            first[class].get_or_insert(frame);
        }
        let first = first.into_iter().map(|first| first.expect("a class has members")).collect();
        Ok((Self::of_classes(frames, &class_of), first))
    }

    fn link(&self, copy: CopyId, call: BoxPos) -> Option<CopyId> {
        self.links[copy][call.index()]
    }
}

/// What becomes of an edge in a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// It stays.
    Keep,
    /// It leads nowhere.
    Drop,
    /// It leads back to its node.
    Stay,
    /// It leads to the end of the program, a state without labels.
    Sink,
}

/// Where the parts of a machine made of copies are from.
pub(crate) struct Origin {
    /// The node that each node is a copy of; `None` for the end of the program.
    pub(crate) node: Vec<Option<NodeId>>,
    /// The box that each box is a copy of.
    pub(crate) call: Vec<BoxId>,
    /// The component that each component is a copy of, and which of its copies it is.
    pub(crate) component: Vec<(CompId, u32)>,
}

impl Origin {
    fn push_component(&mut self, component: CompId, copies: &mut [u32]) {
        self.component.push((component, copies[component.index()]));
        copies[component.index()] += 1;
    }

    /// Where copies of copies are from in the first machine, which `first` leads to.
    pub(super) fn through(self, first: &Origin) -> Origin {
        let components = first.component.iter().map(|(component, _)| component.index() + 1).max();
        let mut copies = vec![0; components.unwrap_or(0)];
        let mut origin = Origin {
            node: self.node.iter().map(|node| first.node[(*node)?.index()]).collect(),
            call: self.call.iter().map(|call| first.call[call.index()]).collect(),
            component: Vec::with_capacity(self.component.len()),
        };
        for (component, _) in self.component {
            origin.push_component(first.component[component.index()].0, &mut copies);
        }
        origin
    }
}

/// A label for copies of nodes.
#[derive(Clone, Copy)]
pub(super) struct Fresh<'a> {
    pub(super) label: &'a str,
    /// Whether a node has it in a copy.
    pub(super) holds: &'a dyn Fn(CopyId, NodeId) -> bool,
}

/// Makes the machine. A node that no edge is left to stays where it is. Of the old labels `kept` stay.
pub(super) fn multiply(
    terrain: &Terrain<'_>,
    copies: &Copies,
    way: impl Fn(CopyId, Edge) -> Way,
    kept: &[LabelId],
    fresh: Option<Fresh<'_>>,
    meter: &mut Meter<'_>,
) -> Result<(Machine, Origin), Limit> {
    let machine = terrain.machine;
    let mut making = Making::new(terrain, copies, meter)?;
    let mut kept_of: Vec<(NodeId, LabelId)> = Vec::new();
    for &label in kept {
        kept_of.extend(machine.labelled(label).iter().map(|&node| (node, label)));
    }
    let kept_of = tern_model::index::Lists::group(machine.node_count(), &kept_of);
    for (copy, &component) in copies.component.iter() {
        let mut sink: Option<NodeId> = None;
        for node in machine.nodes_of(component) {
            meter.tick()?;
            let Some(new) = making.node(copy, node) else { continue };
            for &label in kept_of.of(node) {
                making.builder.label(new, machine.label_name(label));
            }
            if let Some(fresh) = fresh
                && (fresh.holds)(copy, node)
            {
                making.builder.label(new, fresh.label);
            }
            let mut moves = false;
            for &edge in machine.edges(node) {
                meter.tick()?;
                let edge = match way(copy, edge) {
                    Way::Drop => continue,
                    Way::Keep => making.edge(copy, edge),
                    Way::Stay => Edge::Step(new),
                    Way::Sink => {
                        Edge::Step(*sink.get_or_insert_with(|| making.sink(copy, component)))
                    }
                };
                moves = true;
                making.builder.edge(Place::Node(new), edge);
            }
            if !moves {
                making.builder.edge(Place::Node(new), Edge::Step(new));
            }
        }
        for (position, &call) in positions(machine.boxes_of(component)) {
            let Some(callee) = copies.link(copy, position) else { continue };
            let new = making.call_box(copy, call);
            for (exit, site) in machine.sites_of(call) {
                let from = Place::Site(new, making.exit(callee, exit));
                if !terrain.survey.places.contains(site.index()) {
                    continue;
                }
                for &edge in machine.edges_at(site) {
                    meter.tick()?;
                    let edge = making.edge(copy, edge);
                    making.builder.edge(from, edge);
                }
            }
        }
    }
    for &node in machine.initial() {
        let copy = copies.roots[terrain.root_of(node)];
        let new = making.node(copy, node).expect("initial nodes are reachable");
        making.builder.initial(new);
    }
    let Making { builder, origin, .. } = making;
    Ok((builder.finish().expect("copies of a sound machine"), origin))
}

/// A machine of copies in the making. All components, nodes, boxes and exits are there from the start.
struct Making<'a> {
    terrain: &'a Terrain<'a>,
    copies: &'a Copies,
    builder: Builder,
    origin: Origin,
    /// For each copy: where its nodes, boxes and exits begin in the tables below.
    first: Table<CopyId, [usize; 3]>,
    nodes: Vec<Option<NodeId>>,
    boxes: Vec<Option<BoxId>>,
    exits: Vec<ExitId>,
}

impl<'a> Making<'a> {
    fn new(
        terrain: &'a Terrain<'a>,
        copies: &'a Copies,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let machine = terrain.machine;
        let mut making = Making {
            terrain,
            copies,
            builder: Builder::new(),
            origin: Origin { node: Vec::new(), call: Vec::new(), component: Vec::new() },
            first: Table::new(),
            nodes: Vec::new(),
            boxes: Vec::new(),
            exits: Vec::new(),
        };
        let mut copies_of = vec![0; machine.component_count()];
        for (copy, &component) in copies.component.iter() {
            // A number for a name: where a component is from, its origin says.
            let new = making.builder.component(&copy.index().to_string());
            making.origin.push_component(component, &mut copies_of);
            making.first.push([making.nodes.len(), making.boxes.len(), making.exits.len()]);
            for node in machine.nodes_of(component) {
                meter.tick()?;
                making.nodes.push(terrain.is_reachable(node).then(|| {
                    making.origin.node.push(Some(node));
                    let id = making.builder.node(new, machine.node_name(node));
                    if machine.is_entry(node) {
                        making.builder.entry(id);
                    }
                    id
                }));
            }
            for &exit in machine.exits_of(component) {
                meter.tick()?;
                making.exits.push(making.builder.exit(new, machine.exit_name(exit)));
            }
            for (position, &call) in positions(machine.boxes_of(component)) {
                meter.tick()?;
                making.boxes.push(copies.link(copy, position).map(|callee| {
                    making.origin.call.push(call);
                    // Each copy becomes a component, in their order.
                    let callee = CompId::new(callee.index());
                    making.builder.call_box(new, machine.box_name(call), callee)
                }));
            }
        }
        Ok(making)
    }

    fn node(&self, copy: CopyId, node: NodeId) -> Option<NodeId> {
        let machine = self.terrain.machine;
        self.nodes[self.first[copy][0] + machine.place_position(machine.node_place(node))]
    }

    fn call_box(&self, copy: CopyId, call: BoxId) -> BoxId {
        self.boxes[self.first[copy][1] + self.terrain.box_pos(call).index()].expect("it is called")
    }

    fn exit(&self, copy: CopyId, exit: ExitId) -> ExitId {
        self.exits[self.first[copy][2] + self.terrain.machine.exit_position(exit)]
    }

    /// The copy of an edge that some run takes.
    fn edge(&self, copy: CopyId, edge: Edge) -> Edge {
        match edge {
            Edge::Step(to) => {
                Edge::Step(self.node(copy, to).expect("a reachable place steps to it"))
            }
            Edge::Call(call, entry) => {
                let callee = self.copies.link(copy, self.terrain.box_pos(call));
                let callee = callee.expect("a reachable place calls it");
                let entry = self.node(callee, entry).expect("a reachable place calls it");
                Edge::Call(self.call_box(copy, call), entry)
            }
            Edge::Return(exit) => Edge::Return(self.exit(copy, exit)),
        }
    }

    /// Adds the end of the program to a copy.
    fn sink(&mut self, copy: CopyId, component: CompId) -> NodeId {
        let machine = self.terrain.machine;
        let mut name = String::from("end");
        while machine.nodes_of(component).any(|node| machine.node_name(node) == name) {
            name.push('\'');
        }
        self.origin.node.push(None);
        let sink = self.builder.node(CompId::new(copy.index()), &name);
        self.builder.edge(Place::Node(sink), Edge::Step(sink));
        sink
    }
}

/// Whether a bit row over the nodes of a component has a node.
pub(super) fn has(machine: &Machine, row: &[u64], node: NodeId) -> bool {
    bits::get(row, machine.node_pos(node))
}

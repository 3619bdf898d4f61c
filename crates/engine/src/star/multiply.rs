//! Machines with one component for each component *and* what lies below it on the stack.
//!
//! Frames are an automaton over stacks ([`crate::ground::frames`]). A machine that has a component
//! for each frame, and whose boxes call the component of the frame that they lead to, runs as the
//! machine that it was made from, and what is true at a node in a frame can be a label of the
//! node's copy.
//!
//! Only nodes, boxes and return sites that some run from the initial nodes passes are copied.

use crate::ground::bits;
use crate::ground::frames::Frames;
use crate::ground::ids::{BoxPos, FrameId, Positions, RootPos, positions};
use crate::ground::terrain::Terrain;
use tern_model::budget::Meter;
use tern_model::index::{Lists, Table};
use tern_model::partition::{ClassId, Partition};
use tern_model::step::Onward;
use tern_model::{
    BoxId, Builder, CompId, Edge, ExitId, Id, LabelId, Limit, Machine, NodeId, Place, indices,
};

indices! {
    /// A copy of a component.
    pub(super) CopyId = "copy ";
}

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
        Self::of_classes(frames, &Partition::discrete(frames.len()))
    }

    /// One copy for each class of frames.
    fn of_classes(frames: &Frames, classes: &Partition<FrameId>) -> Self {
        let copy = |frame: FrameId| CopyId::new(classes.of[frame].index());
        let roots = frames.roots.iter().map(|(_, &root)| copy(root)).collect();
        let mut copies = Copies { component: Table::new(), links: Table::new(), roots };
        for &frame in classes.first.as_slice() {
            copies.component.push(frames.component[frame]);
            copies.links.push(frames.links_of(frame).iter().map(|to| to.map(copy)).collect());
        }
        copies
    }

    /// One copy for all frames of a component that have the same row, and whose boxes lead to
    /// frames that are the same in this sense. Says for each copy a frame that it is made from.
    ///
    /// Frames may tell apart more than their rows do: what lies deeper, and is not asked for any
    /// more.
    pub(super) fn merged(
        frames: &Frames,
        rows: &[Box<[u64]>],
        meter: &mut Meter<'_>,
    ) -> Result<(Self, Table<CopyId, FrameId>), Limit> {
        let by_row = Partition::by_key(
            frames.ids().zip(rows).map(|(frame, row)| (frames.component[frame], row)),
        );
        let mut callers: Vec<(FrameId, FrameId)> = Vec::new();
        for frame in frames.ids() {
            for &to in frames.links_of(frame).iter().flatten() {
                meter.tick()?;
                callers.push((to, frame));
            }
        }
        let callers = Lists::group(frames.len(), &callers);
        let classes = by_row.refined(&callers, |frame, class| {
            let links = frames.links_of(frame);
            links.iter().try_for_each(|_| meter.tick())?;
            let classes = links.iter().map(|to| to.map(|to| class[to]));
            Ok(classes.collect::<Vec<Option<ClassId>>>())
        })?;
        let copies = Self::of_classes(frames, &classes);
        Ok((copies, classes.first.into_iter().collect()))
    }

    fn link(&self, copy: CopyId, call: BoxPos) -> Option<CopyId> {
        self.links[copy][call.index()]
    }
}

/// Where the parts of a machine made of copies are from.
pub(crate) struct Origin {
    /// The node that each node is a copy of; `None` for the end of the program.
    pub(crate) node: Table<NodeId, Option<NodeId>>,
    /// The box that each box is a copy of.
    pub(crate) call: Table<BoxId, BoxId>,
    /// The component that each component is a copy of, and which of its copies it is.
    pub(crate) component: Table<CompId, (CompId, u32)>,
}

impl Origin {
    fn push_component(&mut self, component: CompId, copies: &mut Table<CompId, u32>) {
        copies.grow(component.index() + 1, 0);
        self.component.push((component, copies[component]));
        copies[component] += 1;
    }

    /// Where copies of copies are from in the first machine, which `first` leads to.
    pub(super) fn through(self, first: &Origin) -> Origin {
        let mut copies = Table::new();
        let mut origin = Origin {
            node: self.node.into_iter().map(|node| first.node[node?]).collect(),
            call: self.call.into_iter().map(|call| first.call[call]).collect(),
            component: Table::new(),
        };
        for (component, _) in self.component {
            origin.push_component(first.component[component].0, &mut copies);
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

/// Makes the machine; `follow` says what becomes of an edge in a copy. A node that no edge is left
/// to stays where it is. Of the old labels `kept` stay.
pub(super) fn multiply(
    terrain: &Terrain<'_>,
    copies: &Copies,
    follow: impl Fn(CopyId, Edge) -> Option<Onward>,
    kept: &[LabelId],
    fresh: Option<Fresh<'_>>,
    meter: &mut Meter<'_>,
) -> Result<(Machine, Origin), Limit> {
    let machine = terrain.machine;
    let mut making = Making::new(terrain, copies, meter)?;
    let mut kept_of: Vec<(NodeId, LabelId)> = Vec::new();
    for &label in kept {
        kept_of.extend(machine.labelled(label).iter().map(|node| (node, label)));
    }
    let kept_of = Lists::group(machine.node_count(), &kept_of);
    for copy in copies.component.ids() {
        let mut sink: Option<NodeId> = None;
        for node in machine.nodes_of(copies.component[copy]) {
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
                let edge = match follow(copy, edge) {
                    None => continue,
                    Some(Onward::Edge(edge)) => making.edge(copy, edge),
                    Some(Onward::Stay) => Edge::Step(new),
                    Some(Onward::Sink) => {
                        Edge::Step(*sink.get_or_insert_with(|| making.sink(copy)))
                    }
                };
                moves = true;
                making.builder.edge(Place::Node(new), edge);
            }
            if !moves {
                making.builder.edge(Place::Node(new), Edge::Step(new));
            }
        }
        making.sites(copy, meter)?;
    }
    for &node in machine.initial() {
        let copy = copies.roots[terrain.root_of(node)];
        let new = making.node(copy, node).expect("initial nodes are reachable");
        making.builder.initial(new);
    }
    let Making { builder, origin, .. } = making;
    Ok((builder.finish().expect("copies of a sound machine"), origin))
}

/// A machine of copies in the making. All components, nodes, boxes and exits are there from the
/// start.
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
            origin: Origin { node: Table::new(), call: Table::new(), component: Table::new() },
            first: Table::new(),
            nodes: Vec::new(),
            boxes: Vec::new(),
            exits: Vec::new(),
        };
        let mut copies_of = Table::new();
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
                    making.builder.call_box(new, machine.box_name(call), made(callee))
                }));
            }
        }
        Ok(making)
    }

    /// Makes the return sites of a copy.
    fn sites(&mut self, copy: CopyId, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let machine = self.terrain.machine;
        let boxes = machine.boxes_of(self.copies.component[copy]);
        for (position, &call) in positions(boxes) {
            let Some(callee) = self.copies.link(copy, position) else { continue };
            let new = self.call_box(copy, call);
            for (exit, site) in machine.sites_of(call) {
                if !self.terrain.survey().places.contains(site.index()) {
                    continue;
                }
                let from = Place::Site(new, self.exit(callee, exit));
                for &edge in machine.edges_at(site) {
                    meter.tick()?;
                    let edge = self.edge(copy, edge);
                    self.builder.edge(from, edge);
                }
            }
        }
        Ok(())
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
                let callee = callee.expect("it is called");
                let entry = self.node(callee, entry).expect("a reachable place calls it");
                Edge::Call(self.call_box(copy, call), entry)
            }
            Edge::Return(exit) => Edge::Return(self.exit(copy, exit)),
        }
    }

    /// Adds the end of the program to a copy.
    fn sink(&mut self, copy: CopyId) -> NodeId {
        let machine = self.terrain.machine;
        let component = self.copies.component[copy];
        let mut name = String::from("end");
        while machine.nodes_of(component).any(|node| machine.node_name(node) == name) {
            name.push('\'');
        }
        self.origin.node.push(None);
        let sink = self.builder.node(made(copy), &name);
        self.builder.edge(Place::Node(sink), Edge::Step(sink));
        sink
    }
}

/// The component that is made for a copy: they are made in the same order.
fn made(copy: CopyId) -> CompId {
    CompId::new(copy.index())
}

/// Whether a bit row over the nodes of a component has a node.
pub(super) fn has(machine: &Machine, row: &[u64], node: NodeId) -> bool {
    bits::get(row, machine.node_pos(node))
}

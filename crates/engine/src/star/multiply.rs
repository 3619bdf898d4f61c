//! Machines with one component for each component *and* what lies below it on the stack.
//!
//! Frames are an automaton over stacks ([`crate::ground::frames`]). A machine that has a component for each frame,
//! and whose boxes call the component of the frame that they lead to, runs as the machine that it was
//! made from, and what is true at a node in a frame can be a label of the node's copy.
//!
//! Only nodes, boxes and return sites that some run from the initial nodes passes are copied.

use crate::ground::bits;
use crate::ground::frames::Frames;
use crate::ground::summary::NONE;
use crate::ground::terrain::Terrain;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::{
    BoxId, Builder, CompId, Edge, ExitId, Id, LabelId, Limit, Machine, NodeId, Place,
};

/// How often classes of frames are told apart further before it is given up that some are the same.
const MERGING_ROUNDS: usize = 50;

/// Which copies of components to make, and how they call each other.
pub(super) struct Copies {
    /// The component that each copy is of.
    pub(super) component: Vec<CompId>,
    /// For each copy, the copy that each box leads to, by position; [`NONE`] if it is never called.
    links: Vec<u32>,
    link_start: Vec<usize>,
    /// The copy at the bottom of the stack, for each of the terrain's root components.
    roots: Vec<u32>,
}

impl Copies {
    /// One copy for each frame.
    pub(super) fn of(frames: &Frames) -> Self {
        let each: Vec<u32> = (0..frames.len() as u32).collect();
        Self::of_classes(frames, &each, frames.len())
    }

    /// One copy for each class of frames, which are numbered in the order of their first frames.
    fn of_classes(frames: &Frames, class_of: &[u32], classes: usize) -> Self {
        let mut copies = Copies {
            component: Vec::with_capacity(classes),
            links: Vec::new(),
            link_start: vec![0],
            roots: frames.roots.iter().map(|&root| class_of[root as usize]).collect(),
        };
        for (frame, &class) in (0..).zip(class_of) {
            if class as usize == copies.component.len() {
                copies.component.push(frames.component[frame as usize]);
                let to_class = |&to: &u32| if to == NONE { NONE } else { class_of[to as usize] };
                copies.links.extend(frames.links_of(frame).iter().map(to_class));
                copies.link_start.push(copies.links.len());
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
    ) -> Result<(Self, Vec<u32>), Limit> {
        let mut class_of = vec![0; frames.len()];
        let mut count = {
            let mut known: FxHashMap<(CompId, &[u64]), u32> = FxHashMap::default();
            for (frame, class) in class_of.iter_mut().enumerate() {
                meter.tick()?;
                let next = known.len() as u32;
                *class = *known.entry((frames.component[frame], &rows[frame])).or_insert(next);
            }
            known.len()
        };
        for round in 0.. {
            if round == MERGING_ROUNDS {
                class_of = (0..frames.len() as u32).collect();
                count = frames.len();
                break;
            }
            let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
            let mut finer = Vec::with_capacity(class_of.len());
            for frame in 0..frames.len() as u32 {
                meter.tick()?;
                let mut key = vec![class_of[frame as usize]];
                let links = frames.links_of(frame).iter();
                key.extend(links.map(|&to| if to == NONE { NONE } else { class_of[to as usize] }));
                let next = known.len() as u32;
                finer.push(*known.entry(key).or_insert(next));
            }
            let stable = known.len() == count;
            (class_of, count) = (finer, known.len());
            if stable {
                break;
            }
        }
        let mut first = vec![NONE; count];
        for (frame, &class) in (0..).zip(&class_of) {
            let first = &mut first[class as usize];
            *first = (*first).min(frame);
        }
        Ok((Self::of_classes(frames, &class_of, count), first))
    }

    fn link(&self, copy: usize, position: usize) -> u32 {
        self.links[self.link_start[copy] + position]
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
    pub(super) holds: &'a dyn Fn(u32, NodeId) -> bool,
}

/// Makes the machine. A node that no edge is left to stays where it is. Of the old labels `kept` stay.
pub(super) fn multiply(
    terrain: &Terrain<'_>,
    copies: &Copies,
    way: impl Fn(u32, Edge) -> Way,
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
    for copy in 0..copies.component.len() {
        let component = copies.component[copy];
        let mut sink: Option<NodeId> = None;
        for node in machine.nodes_of(component) {
            meter.tick()?;
            let Some(new) = making.node(copy, node) else { continue };
            for &label in kept_of.of(node) {
                making.builder.label(new, machine.label_name(label));
            }
            if let Some(fresh) = fresh
                && (fresh.holds)(copy as u32, node)
            {
                making.builder.label(new, fresh.label);
            }
            let mut moves = false;
            for &edge in machine.edges(node) {
                meter.tick()?;
                let edge = match way(copy as u32, edge) {
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
        for (position, &call) in machine.boxes_of(component).iter().enumerate() {
            let callee = copies.link(copy, position);
            if callee == NONE {
                continue;
            }
            let new = making.call_box(copy, call);
            for (exit, site) in machine.sites_of(call) {
                let from = Place::Site(new, making.exit(callee as usize, exit));
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
        let copy = copies.roots[terrain.root_of(node)] as usize;
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
    first: Vec<[usize; 3]>,
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
            first: Vec::new(),
            nodes: Vec::new(),
            boxes: Vec::new(),
            exits: Vec::new(),
        };
        let mut copies_of = vec![0; machine.component_count()];
        for (copy, &component) in copies.component.iter().enumerate() {
            // A number for a name: where a component is from, its origin says.
            let new = making.builder.component(&copy.to_string());
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
            for (position, &call) in machine.boxes_of(component).iter().enumerate() {
                meter.tick()?;
                let callee = copies.link(copy, position);
                making.boxes.push((callee != NONE).then(|| {
                    making.origin.call.push(call);
                    let callee = CompId::new(callee as usize);
                    making.builder.call_box(new, machine.box_name(call), callee)
                }));
            }
        }
        Ok(making)
    }

    fn node(&self, copy: usize, node: NodeId) -> Option<NodeId> {
        let machine = self.terrain.machine;
        self.nodes[self.first[copy][0] + machine.place_position(machine.node_place(node))]
    }

    fn call_box(&self, copy: usize, call: BoxId) -> BoxId {
        self.boxes[self.first[copy][1] + self.terrain.box_position(call)].expect("it is called")
    }

    fn exit(&self, copy: usize, exit: ExitId) -> ExitId {
        self.exits[self.first[copy][2] + self.terrain.machine.exit_position(exit)]
    }

    /// The copy of an edge that some run takes.
    fn edge(&self, copy: usize, edge: Edge) -> Edge {
        match edge {
            Edge::Step(to) => {
                Edge::Step(self.node(copy, to).expect("a reachable place steps to it"))
            }
            Edge::Call(call, entry) => {
                let callee = self.copies.link(copy, self.terrain.box_position(call)) as usize;
                let entry = self.node(callee, entry).expect("a reachable place calls it");
                Edge::Call(self.call_box(copy, call), entry)
            }
            Edge::Return(exit) => Edge::Return(self.exit(copy, exit)),
        }
    }

    /// Adds the end of the program to a copy.
    fn sink(&mut self, copy: usize, component: CompId) -> NodeId {
        let machine = self.terrain.machine;
        let mut name = String::from("end");
        while machine.nodes_of(component).any(|node| machine.node_name(node) == name) {
            name.push('\'');
        }
        self.origin.node.push(None);
        let sink = self.builder.node(CompId::new(copy), &name);
        self.builder.edge(Place::Node(sink), Edge::Step(sink));
        sink
    }
}

/// Whether a bit row over the nodes of a component has a node.
pub(super) fn has(machine: &Machine, row: &[u64], node: NodeId) -> bool {
    bits::get(row, machine.place_position(machine.node_place(node)))
}

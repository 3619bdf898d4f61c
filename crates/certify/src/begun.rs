//! The machine that evidence speaks of if a claim begins elsewhere than at the initial nodes, made
//! by the definition and by no code of an engine.
//!
//! If all configurations in question have empty stacks, it is the machine with other initial nodes.
//! Otherwise there is one more component for each stack `b1 … bk` among them, in the order of the
//! claim. In it are copies of the components that `b1`, …, `bk` are in, and of the callee of `bk`:
//! the *frames* of the stack. A step or call of a frame stays in it. A return by `x` from the
//! callee of `bi` goes to where the return site of `bi` after `x` leads, in the frame that `bi` is
//! in; if that leads nowhere, there is no edge. A return from the lowest frame ends the program, as
//! it does in the lowest component of any machine. So a copy has the labels of its configuration,
//! and steps to the copies of what follows that; a claim has the same truth in both.
//!
//! All that the machine has keeps its id. Behind that come, for each stack, the nodes and boxes of
//! its frames, the lowest first, and the exits of the lowest.

use crate::moves::State;
use crate::refusal::{Stopped, refuse};
use std::borrow::Cow;
use std::collections::BTreeMap;
use tern_model::budget::Meter;
use tern_model::{
    BoxId, Budget, Builder, CompId, Configuration, Edge, ExitId, Gap, Machine, NodeId, Place, Start,
};

const PLACE: &str = "the start of the claim";

/// A machine that begins where a claim does.
pub(crate) struct Begun<'m> {
    pub(crate) machine: Cow<'m, Machine>,
    /// The configurations that its initial nodes stand for.
    starts: Vec<Configuration>,
}

impl<'m> Begun<'m> {
    /// The machine for a claim.
    ///
    /// # Errors
    /// Why nothing can be proved of the claim, or the limit that was reached.
    pub(crate) fn new(
        machine: &'m Machine,
        start: &Start,
        budget: &Budget,
    ) -> Result<Self, Stopped> {
        if let Start::At(list) = start {
            let exists = |it: &Configuration| State::At(it.stack.clone(), it.node).exists(machine);
            if list.is_empty() || !list.iter().all(exists) {
                let why = "there is none, or one that is no configuration of the machine";
                return refuse(PLACE, why);
            }
            if list.iter().any(|it| !it.stack.is_empty()) {
                return inside_calls(machine, list, budget);
            }
        }
        match start.view(machine, budget) {
            Ok(view) => Ok(Begun { machine: view.machine, starts: view.starts }),
            Err(Gap::Limit(limit)) => Err(limit.into()),
            Err(gap) => refuse(PLACE, gap.to_string()),
        }
    }

    /// Whether there is more than the machine has.
    pub(crate) fn has_copies(&self) -> bool {
        self.starts.iter().any(|start| !start.stack.is_empty())
    }

    /// The initial node that stands for a configuration.
    pub(crate) fn initial(&self, start: &Configuration) -> Option<NodeId> {
        let at = self.starts.iter().position(|it| it == start)?;
        self.machine.initial().get(at).copied()
    }
}

/// A component, or its copy for a stack.
struct Frame {
    nodes: BTreeMap<NodeId, NodeId>,
    boxes: BTreeMap<BoxId, BoxId>,
    /// The exits that it is left by, if it is not called from another frame of a stack.
    exits: BTreeMap<ExitId, ExitId>,
    /// The number of the frame that it is called from, and by which box.
    caller: Option<(usize, BoxId)>,
}

struct Making<'m> {
    machine: &'m Machine,
    builder: Builder,
    frames: Vec<Frame>,
    /// The frames that are copies of each component, the component itself among them.
    of: BTreeMap<CompId, Vec<usize>>,
}

/// The machine with copies for the stacks of some configurations.
fn inside_calls<'m>(
    machine: &Machine,
    list: &[Configuration],
    budget: &Budget,
) -> Result<Begun<'m>, Stopped> {
    if machine.is_abstract() {
        return refuse(PLACE, "it is inside calls, which is not proved of abstract machines");
    }
    let mut starts: Vec<Configuration> = Vec::new();
    let mut meter = Meter::new(budget);
    let mut making = Making::new(machine, &mut meter)?;
    let mut innermost: BTreeMap<&[BoxId], usize> = BTreeMap::new();
    for start in list {
        meter.tick()?;
        if starts.contains(start) {
            continue;
        }
        starts.push(start.clone());
        let stack = start.stack.as_slice();
        let frame = match innermost.get(stack) {
            _ if stack.is_empty() => making.of[&machine.component_of(start.node)][0],
            Some(&known) => known,
            None => {
                let frame = making.stack(stack, innermost.len(), &mut meter)?;
                innermost.insert(stack, frame);
                frame
            }
        };
        making.builder.initial(making.frames[frame].nodes[&start.node]);
    }
    making.labels(&mut meter)?;
    making.edges(&mut meter)?;
    match making.builder.finish() {
        Ok(machine) => Ok(Begun { machine: Cow::Owned(machine), starts }),
        Err(flaws) => refuse(PLACE, format!("it makes no machine: {flaws:?}")),
    }
}

impl<'m> Making<'m> {
    /// All that the machine has, but for labels and edges.
    fn new(machine: &'m Machine, meter: &mut Meter<'_>) -> Result<Self, Stopped> {
        let mut builder = Builder::new();
        builder.end_rule(machine.end_rule());
        builder.dead_end_rule(machine.dead_end_rule());
        let mut making = Making { machine, builder, frames: Vec::new(), of: BTreeMap::new() };
        for component in machine.components() {
            making.builder.component(&format!("component {}", machine.component_name(component)));
        }
        for node in machine.nodes() {
            meter.tick()?;
            making.builder.node(machine.component_of(node), machine.node_name(node));
            if machine.is_entry(node) {
                making.builder.entry(node);
            }
        }
        for exit in machine.exits() {
            making.builder.exit(machine.component_of_exit(exit), machine.exit_name(exit));
        }
        for call in machine.boxes() {
            let (home, name) = (machine.component_of_box(call), machine.box_name(call));
            making.builder.call_box(home, name, machine.callee(call));
        }
        for component in machine.components() {
            let nodes = machine.nodes_of(component).map(|node| (node, node)).collect();
            let boxes = machine.boxes_of(component).iter().map(|&call| (call, call)).collect();
            let exits = machine.exits_of(component).iter().map(|&exit| (exit, exit)).collect();
            making.frame(component, Frame { nodes, boxes, exits, caller: None });
        }
        Ok(making)
    }

    fn frame(&mut self, component: CompId, frame: Frame) -> usize {
        self.frames.push(frame);
        let number = self.frames.len() - 1;
        self.of.entry(component).or_default().push(number);
        number
    }

    /// The frames of a stack, and the number of the innermost.
    fn stack(
        &mut self,
        stack: &[BoxId],
        number: usize,
        meter: &mut Meter<'_>,
    ) -> Result<usize, Stopped> {
        let machine = self.machine;
        let whole = self.builder.component(&format!("stack {number}"));
        let mut below: Option<usize> = None;
        for depth in 0..=stack.len() {
            let caller = below.map(|frame| (frame, stack[depth - 1]));
            let component = match caller {
                Some((_, call)) => machine.callee(call),
                None => machine.component_of_box(stack[0]),
            };
            let (mut nodes, mut boxes) = (BTreeMap::new(), BTreeMap::new());
            for node in machine.nodes_of(component) {
                meter.tick()?;
                let name = format!("{depth} {}", machine.node_name(node));
                nodes.insert(node, self.builder.node(whole, &name));
            }
            for &call in machine.boxes_of(component) {
                meter.tick()?;
                let name = format!("{depth} {}", machine.box_name(call));
                boxes.insert(call, self.builder.call_box(whole, &name, machine.callee(call)));
            }
            let mut exits = BTreeMap::new();
            if caller.is_none() {
                for &exit in machine.exits_of(component) {
                    exits.insert(exit, self.builder.exit(whole, machine.exit_name(exit)));
                }
            }
            below = Some(self.frame(component, Frame { nodes, boxes, exits, caller }));
        }
        Ok(below.unwrap_or_default())
    }

    fn labels(&mut self, meter: &mut Meter<'_>) -> Result<(), Stopped> {
        let machine = self.machine;
        for (label, name) in machine.labels() {
            for node in machine.labelled(label) {
                for &frame in &self.of[&machine.component_of(node)] {
                    meter.tick()?;
                    self.builder.label(self.frames[frame].nodes[&node], name);
                }
            }
        }
        Ok(())
    }

    fn edges(&mut self, meter: &mut Meter<'_>) -> Result<(), Stopped> {
        let machine = self.machine;
        for (&component, frames) in &self.of {
            for &frame in frames {
                for &place in machine.places_of(component) {
                    let Frame { nodes, boxes, .. } = &self.frames[frame];
                    let from = match machine.place(place) {
                        Place::Node(node) => Place::Node(nodes[&node]),
                        Place::Site(call, exit) => Place::Site(boxes[&call], exit),
                    };
                    for &edge in machine.edges_at(place) {
                        for edge in self.followed(frame, edge, meter)? {
                            self.builder.edge(from, edge);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// What an edge of a component is in one of its frames.
    fn followed(
        &self,
        frame: usize,
        edge: Edge,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Edge>, Stopped> {
        meter.tick()?;
        let Frame { nodes, boxes, exits, caller } = &self.frames[frame];
        Ok(match (edge, *caller) {
            (Edge::Step(to), _) => vec![Edge::Step(nodes[&to])],
            (Edge::Call(call, entry), _) => vec![Edge::Call(boxes[&call], entry)],
            (Edge::Return(exit), None) => vec![Edge::Return(exits[&exit])],
            (Edge::Return(exit), Some((below, call))) => {
                let mut edges = Vec::new();
                let site = self.machine.site(call, exit);
                for &edge in site.map_or(&[][..], |site| self.machine.edges_at(site)) {
                    // No return site returns, so this goes one frame down only.
                    meter.tick()?;
                    let Frame { nodes, boxes, .. } = &self.frames[below];
                    match edge {
                        Edge::Step(to) => edges.push(Edge::Step(nodes[&to])),
                        Edge::Call(call, entry) => edges.push(Edge::Call(boxes[&call], entry)),
                        Edge::Return(_) => {
                            return refuse(PLACE, "a return site of the machine returns");
                        }
                    }
                }
                edges
            }
        })
    }
}

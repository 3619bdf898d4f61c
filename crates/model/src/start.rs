//! Where a claim begins: the machine as a claim sees it.
//!
//! Engines and certifier decide claims at the initial nodes of a machine. A claim about other
//! configurations is therefore a claim about a [`View`]: the machine with other initial nodes. A
//! configuration inside calls is made a node of a new component, in which the calls that have not
//! returned are spelt out:
//! ```text
//! (b1 b2, n)   a copy of each of the components that b1, b2 and n are in; in the copy of the
//!              last one, a return by x goes straight to where the return site (b2, x) of the
//!              copy before leads
//! ```
//! Only the first copy has exits. A configuration and its copy have the same labels, and steps to
//! the same configurations or their copies, so that all formulas have the same truth in both.

use crate::budget::{Budget, Limit, Meter};
use crate::builder::Builder;
use crate::claim::{Configuration, Start};
use crate::index::{BoxId, CompId, Id, NodeId};
use crate::machine::{Edge, Machine, Place, Surety};
use crate::verdict::Gap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// A machine that begins where a claim begins.
#[derive(Clone, Debug)]
pub struct View<'m> {
    /// The machine. All components, nodes, boxes and exits of the original have the same id here.
    pub machine: Cow<'m, Machine>,
    /// The configurations of the original that its initial nodes stand for, one for each.
    pub starts: Vec<Configuration>,
}

impl View<'_> {
    /// Whether some claim begins inside calls: then there are nodes which the original does not
    /// have.
    pub fn is_inside_calls(&self) -> bool {
        self.starts.iter().any(|start| !start.stack.is_empty())
    }

    /// The configuration of the original that an initial node stands for.
    pub fn original(&self, node: NodeId) -> Option<&Configuration> {
        let at = self.machine.initial().iter().position(|&initial| initial == node)?;
        self.starts.get(at)
    }
}

impl Configuration {
    /// Whether a machine has such a configuration: the boxes and the node fit together.
    pub fn is_of(&self, machine: &Machine) -> bool {
        let known = self.node.index() < machine.node_count()
            && self.stack.iter().all(|call| call.index() < machine.box_count());
        if !known {
            return false;
        }
        let callees = self.stack.iter().map(|&call| machine.callee(call));
        let callers = self.stack.iter().skip(1).map(|&call| machine.component_of_box(call));
        callees.eq(callers.chain([machine.component_of(self.node)]).take(self.stack.len()))
    }

    /// It in words: the node, and the calls if there are any, outermost first.
    pub fn show(&self, machine: &Machine) -> String {
        let mut text = machine.node_path(self.node);
        for (i, &call) in self.stack.iter().enumerate() {
            text += if i == 0 { " under " } else { ", " };
            text += &machine.box_path(call);
        }
        text
    }
}

impl Start {
    /// Whether some configuration is inside calls.
    pub fn is_inside_calls(&self) -> bool {
        match self {
            Start::Initial => false,
            Start::At(list) => list.iter().any(|it| !it.stack.is_empty()),
        }
    }

    /// The configurations that are meant, each once.
    pub fn configurations(&self, machine: &Machine) -> Vec<Configuration> {
        let mut seen = FxHashSet::default();
        match self {
            Start::Initial => machine.initial().iter().map(|&node| node.into()).collect(),
            Start::At(list) => list.iter().filter(|it| seen.insert(*it)).cloned().collect(),
        }
    }

    /// The machine as it is seen from there.
    ///
    /// # Errors
    /// That there is no configuration, or one which is none of this machine; or the limit that was
    /// reached.
    pub fn view<'m>(&self, machine: &'m Machine, budget: &Budget) -> Result<View<'m>, Gap> {
        let starts = self.configurations(machine);
        if *self == Start::Initial {
            return Ok(View { machine: Cow::Borrowed(machine), starts });
        }
        if starts.is_empty() {
            return Err(Gap::Unsupported("the claim is about no configuration".to_owned()));
        }
        if let Some(number) = starts.iter().position(|start| !start.is_of(machine)) {
            let why = format!("start {} of the claim is no configuration", number + 1);
            return Err(Gap::Unsupported(why));
        }
        let machine = if starts.iter().all(|start| start.stack.is_empty()) {
            let nodes = starts.iter().map(|start| start.node).collect();
            Machine { initial: nodes, ..machine.clone() }
        } else {
            unstacked(machine, &starts, budget).map_err(Gap::Limit)?
        };
        Ok(View { machine: Cow::Owned(machine), starts })
    }
}

/// The machine with a component for each stack, which begins at the copies of some configurations.
fn unstacked(
    machine: &Machine,
    starts: &[Configuration],
    budget: &Budget,
) -> Result<Machine, Limit> {
    let mut meter = Meter::new(budget);
    let mut builder = Builder::new();
    copy(machine, &mut builder, &mut meter)?;
    let (labels, unknown) = (machine.labels_by_node(), machine.unknown_by_node());
    let mut names: FxHashSet<String> =
        machine.components().map(|it| machine.component_name(it).to_owned()).collect();
    let mut copies: FxHashMap<&[BoxId], Copies> = FxHashMap::default();
    for Configuration { stack, node } in starts {
        if stack.is_empty() {
            builder.initial(*node);
            continue;
        }
        if !copies.contains_key(stack.as_slice()) {
            let mut name = format!("stack {}", copies.len() + 1);
            while !names.insert(name.clone()) {
                name.push('\'');
            }
            let made = Copies::new(machine, &mut builder, &name, stack, &mut meter)?;
            for frame in &made.frames {
                for node in machine.nodes_of(frame.component) {
                    if let Some(origin) = machine.origin(node) {
                        builder.origin(frame.nodes[&node], origin);
                    }
                    for &label in labels.of(node) {
                        meter.tick()?;
                        builder.label(frame.nodes[&node], machine.label_name(label));
                    }
                    for &label in unknown.of(node) {
                        meter.tick()?;
                        builder.unknown_label(frame.nodes[&node], machine.label_name(label));
                    }
                }
            }
            copies.insert(stack, made);
        }
        let innermost = copies[stack.as_slice()].frames.last();
        if let Some(&new) = innermost.and_then(|frame| frame.nodes.get(node)) {
            builder.initial(new);
        }
    }
    Ok(builder.finish().unwrap_or_else(|flaws| unreachable!("a machine has no flaws: {flaws:?}")))
}

/// Adds everything of a machine but its initial nodes, with the same ids.
pub(crate) fn copy(
    machine: &Machine,
    builder: &mut Builder,
    meter: &mut Meter<'_>,
) -> Result<(), Limit> {
    builder.origins_of(machine);
    builder.end_rule(machine.end_rule());
    builder.dead_end_rule(machine.dead_end_rule());
    for component in machine.components() {
        builder.component(machine.component_name(component));
    }
    for node in machine.nodes() {
        builder.node(machine.component_of(node), machine.node_name(node));
        if machine.is_entry(node) {
            builder.entry(node);
        }
    }
    for exit in machine.exits() {
        builder.exit(machine.component_of_exit(exit), machine.exit_name(exit));
    }
    for call in machine.boxes() {
        let name = machine.box_name(call);
        builder.call_box(machine.component_of_box(call), name, machine.callee(call));
    }
    for (label, name) in machine.labels() {
        for node in machine.labelled(label) {
            meter.tick()?;
            builder.label(node, name);
        }
        for &node in machine.unknown(label) {
            meter.tick()?;
            builder.unknown_label(node, name);
        }
    }
    for component in machine.components() {
        for &place in machine.places_of(component) {
            for (edge, surety) in machine.edges_with_surety(place) {
                meter.tick()?;
                builder.edge_of(machine.place(place), edge, surety);
            }
        }
    }
    Ok(())
}

/// The components of a stack, copied into one.
struct Copies {
    /// From the outermost component to the innermost.
    frames: Vec<Copied>,
}

/// The copies of what is in one component.
struct Copied {
    component: CompId,
    nodes: FxHashMap<NodeId, NodeId>,
    boxes: FxHashMap<BoxId, BoxId>,
}

impl Copies {
    fn new(
        machine: &Machine,
        builder: &mut Builder,
        name: &str,
        stack: &[BoxId],
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let whole = builder.component(name);
        let outermost = stack.iter().take(1).map(|&call| machine.component_of_box(call));
        let components = outermost.chain(stack.iter().map(|&call| machine.callee(call)));
        let mut frames: Vec<Copied> = Vec::new();
        for (depth, component) in components.enumerate() {
            let mut copied =
                Copied { component, nodes: FxHashMap::default(), boxes: FxHashMap::default() };
            for node in machine.nodes_of(component) {
                meter.tick()?;
                let name = format!("{depth} {}", machine.node_name(node));
                copied.nodes.insert(node, builder.node(whole, &name));
            }
            for &call in machine.boxes_of(component) {
                meter.tick()?;
                let name = format!("{depth} {}", machine.box_name(call));
                copied.boxes.insert(call, builder.call_box(whole, &name, machine.callee(call)));
            }
            frames.push(copied);
        }
        let copies = Copies { frames };
        copies.connect(machine, builder, whole, stack, meter)?;
        Ok(copies)
    }

    fn connect(
        &self,
        machine: &Machine,
        builder: &mut Builder,
        whole: CompId,
        stack: &[BoxId],
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let Some(outermost) = self.frames.first() else { return Ok(()) };
        let mut exits = FxHashMap::default();
        for &exit in machine.exits_of(outermost.component) {
            exits.insert(exit, builder.exit(whole, machine.exit_name(exit)));
        }
        for (depth, frame) in self.frames.iter().enumerate() {
            // The frame below, and the box of it that is being called.
            let below = depth.checked_sub(1).map(|below| (&self.frames[below], stack[below]));
            for &place in machine.places_of(frame.component) {
                let from = match machine.place(place) {
                    Place::Node(node) => Place::Node(frame.nodes[&node]),
                    Place::Site(call, exit) => Place::Site(frame.boxes[&call], exit),
                };
                let (mut ends, mut goes_on) = (false, None);
                for (edge, surety) in machine.edges_with_surety(place) {
                    meter.tick()?;
                    match (edge, below) {
                        (Edge::Return(exit), Some((below, call))) => {
                            let Some(site) = machine.site(call, exit) else {
                                ends = true;
                                continue;
                            };
                            for (edge, after) in machine.edges_with_surety(site) {
                                meter.tick()?;
                                below.connect(builder, from, edge, surety.and(after));
                            }
                        }
                        (Edge::Return(exit), None) => {
                            builder.edge_of(from, Edge::Return(exits[&exit]), surety);
                        }
                        (Edge::Step(_) | Edge::Call(..), _) => {
                            frame.connect(builder, from, edge, surety);
                        }
                    }
                    goes_on = Some(goes_on.map_or(surety, |it: Surety| it.min(surety)));
                }
                if let (true, Some(Surety::Possible), Place::Node(node)) = (ends, goes_on, from) {
                    // It may be that the program only returns, and then stays where it is.
                    builder.possible_edge(from, Edge::Step(node));
                }
            }
        }
        Ok(())
    }
}

impl Copied {
    /// Adds the copy of an edge that stays in the component or calls from it.
    fn connect(&self, builder: &mut Builder, from: Place, edge: Edge, surety: Surety) {
        let edge = match edge {
            Edge::Step(to) => Edge::Step(self.nodes[&to]),
            Edge::Call(call, entry) => Edge::Call(self.boxes[&call], entry),
            Edge::Return(_) => return, // no return site has one
        };
        builder.edge_of(from, edge, surety);
    }
}

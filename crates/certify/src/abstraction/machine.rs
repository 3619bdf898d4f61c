//! The ordinary machine of an abstract one, made by the definition.
//!
//! A *spot* is a node as the ordinary machine has it: in which part of the stack, and by which kind
//! of step it was entered. What leads where is written down as edges between spots; numbers are
//! given to spots, boxes and exits before that, in the order that `docs/certificate.md` says.

use super::MAYBE;
use crate::refusal::{Stopped, refuse};
use std::collections::{BTreeMap, BTreeSet};
use tern_model::budget::Meter;
use tern_model::{
    BoxId, Budget, Builder, CompId, Edge, EndRule, ExitId, Machine, NodeId, Place, PlaceId, Surety,
};

const BOTH: [Surety; 2] = [Surety::Sure, Surety::Possible];

/// Whether a frame is the lowest of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Above,
    Lowest,
}

/// What a node of the ordinary machine stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Spot {
    Node(Part, NodeId, Surety),
    /// The end of a program whose lowest component is this one.
    Sink(CompId, Surety),
}

/// What an exit of the ordinary machine stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Exit(ExitId, Surety),
    /// A node is left and called again at once, so that the program stays there.
    Stay(NodeId),
}

struct Making<'m> {
    machine: &'m Machine,
    builder: Builder,
    spots: BTreeMap<Spot, NodeId>,
    ways: BTreeMap<Way, ExitId>,
    boxes: BTreeMap<(Part, BoxId), BoxId>,
    /// The components with initial nodes.
    lowest: BTreeSet<CompId>,
}

/// The ordinary machine.
pub(super) fn ordinary(machine: &Machine, budget: &Budget) -> Result<Machine, Stopped> {
    let mut meter = Meter::new(budget);
    let staying = staying(machine, &mut meter)?;
    let lowest = machine.initial().iter().map(|&node| machine.component_of(node)).collect();
    let builder = Builder::new();
    let (spots, ways, boxes) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut making = Making { machine, builder, spots, ways, boxes, lowest };
    making.number(&staying, &mut meter)?;
    making.edges(&staying, &mut meter)?;
    for &node in machine.initial() {
        let begin = making.at(Part::Lowest, node, Surety::Sure);
        making.builder.initial(begin);
    }
    match making.builder.finish() {
        Ok(machine) => Ok(machine),
        Err(flaws) => refuse("the abstract machine", format!("it makes no machine: {flaws:?}")),
    }
}

/// Under which boxes a node may stay where it is because nothing goes on after a return: surely if
/// it can do nothing else, perhaps if all else that it can do is only possible.
fn staying(
    machine: &Machine,
    meter: &mut Meter<'_>,
) -> Result<BTreeMap<(NodeId, BoxId), Surety>, Stopped> {
    let mut found = BTreeMap::new();
    for node in machine.nodes() {
        let edges: Vec<(Edge, Surety)> =
            machine.edges_with_surety(machine.node_place(node)).collect();
        if !edges.iter().any(|(edge, _)| matches!(edge, Edge::Return(_))) {
            continue;
        }
        for &call in machine.callers_of(machine.component_of(node)) {
            meter.tick()?;
            let leads_on = |&&(edge, _): &&(Edge, Surety)| match edge {
                Edge::Return(exit) => machine.site(call, exit).is_some(),
                Edge::Step(_) | Edge::Call(..) => true,
            };
            let on: Vec<Surety> = edges.iter().filter(leads_on).map(|&(_, it)| it).collect();
            if on.len() == edges.len() || on.contains(&Surety::Sure) {
                continue;
            }
            let surety = if on.is_empty() { Surety::Sure } else { Surety::Possible };
            found.insert((node, call), surety);
        }
    }
    Ok(found)
}

impl Making<'_> {
    fn at(&self, part: Part, node: NodeId, surety: Surety) -> NodeId {
        self.spots[&Spot::Node(part, node, surety)]
    }

    /// Gives numbers to all that there is, and labels to nodes.
    fn number(
        &mut self,
        staying: &BTreeMap<(NodeId, BoxId), Surety>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stopped> {
        let machine = self.machine;
        for component in machine.components() {
            self.builder.component(&format!("above {}", machine.component_name(component)));
        }
        for node in machine.nodes() {
            meter.tick()?;
            self.spot(machine.component_of(node), Part::Above, node);
        }
        for exit in machine.exits() {
            for surety in BOTH {
                let name = format!("{surety:?} {}", machine.exit_name(exit));
                let id = self.builder.exit(machine.component_of_exit(exit), &name);
                self.ways.insert(Way::Exit(exit, surety), id);
            }
        }
        for call in machine.boxes() {
            self.call_box(machine.component_of_box(call), Part::Above, call);
        }
        for component in self.lowest.clone() {
            let name = format!("lowest {}", machine.component_name(component));
            let id = self.builder.component(&name);
            for node in machine.nodes_of(component) {
                meter.tick()?;
                self.spot(id, Part::Lowest, node);
            }
            if machine.end_rule() == EndRule::Sink {
                for surety in BOTH {
                    let sink = self.builder.node(id, &format!("sink, {surety:?}"));
                    self.spots.insert(Spot::Sink(component, surety), sink);
                    if surety == Surety::Possible {
                        self.builder.label(sink, MAYBE);
                    }
                }
            }
            for &call in machine.boxes_of(component) {
                self.call_box(id, Part::Lowest, call);
            }
        }
        let stay: BTreeSet<NodeId> = staying.keys().map(|&(node, _)| node).collect();
        for node in stay {
            let name = format!("stay {}", machine.node_name(node));
            let id = self.builder.exit(machine.component_of(node), &name);
            self.ways.insert(Way::Stay(node), id);
        }
        self.labels(meter)
    }

    fn spot(&mut self, component: CompId, part: Part, node: NodeId) {
        for surety in BOTH {
            let name = format!("{surety:?} {}", self.machine.node_name(node));
            let id = self.builder.node(component, &name);
            self.spots.insert(Spot::Node(part, node, surety), id);
            if surety == Surety::Possible {
                self.builder.label(id, MAYBE);
            }
        }
    }

    fn call_box(&mut self, component: CompId, part: Part, call: BoxId) {
        let (name, callee) = (self.machine.box_name(call), self.machine.callee(call));
        let id = self.builder.call_box(component, name, callee);
        self.boxes.insert((part, call), id);
    }

    fn labels(&mut self, meter: &mut Meter<'_>) -> Result<(), Stopped> {
        let machine = self.machine;
        let mut has: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
        for (label, name) in machine.labels() {
            for &node in machine.labelled(label) {
                meter.tick()?;
                has.entry(node)
                    .or_default()
                    .extend([format!("must {name}"), format!("may {name}")]);
            }
            for &node in machine.unknown(label) {
                meter.tick()?;
                has.entry(node).or_default().push(format!("may {name}"));
            }
        }
        for (&spot, &id) in &self.spots {
            let Spot::Node(_, node, _) = spot else { continue };
            for label in has.get(&node).into_iter().flatten() {
                meter.tick()?;
                self.builder.label(id, label);
            }
        }
        Ok(())
    }

    fn edges(
        &mut self,
        staying: &BTreeMap<(NodeId, BoxId), Surety>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stopped> {
        let machine = self.machine;
        for (spot, id) in self.spots.clone() {
            match spot {
                Spot::Sink(component, _) => {
                    let sink = self.spots[&Spot::Sink(component, Surety::Sure)];
                    self.builder.edge(Place::Node(id), Edge::Step(sink));
                }
                Spot::Node(part, node, _) => {
                    if part == Part::Above && machine.is_entry(node) {
                        self.builder.entry(id);
                    }
                    for edge in self.of_node(part, node, meter)? {
                        self.builder.edge(Place::Node(id), edge);
                    }
                }
            }
        }
        for ((part, call), id) in self.boxes.clone() {
            for (exit, site) in machine.sites_of(call) {
                for left in BOTH {
                    let by = self.ways[&Way::Exit(exit, left)];
                    for edge in self.of_site(part, site, left, meter)? {
                        self.builder.edge(Place::Site(id, by), edge);
                    }
                }
            }
        }
        for (&(node, call), &surety) in staying {
            let again = self.at(Part::Above, node, surety);
            self.builder.entry(again);
            for part in [Part::Above, Part::Lowest] {
                meter.tick()?;
                if let Some(&call) = self.boxes.get(&(part, call)) {
                    let from = Place::Site(call, self.ways[&Way::Stay(node)]);
                    self.builder.edge(from, Edge::Call(call, again));
                }
            }
        }
        Ok(())
    }

    /// The edges of both copies of a node.
    fn of_node(
        &self,
        part: Part,
        node: NodeId,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Edge>, Stopped> {
        let machine = self.machine;
        let mut edges = Vec::new();
        for (edge, surety) in machine.edges_with_surety(machine.node_place(node)) {
            meter.tick()?;
            edges.push(match (edge, part) {
                (Edge::Return(exit), Part::Above) => {
                    Edge::Return(self.ways[&Way::Exit(exit, surety)])
                }
                (Edge::Return(_), Part::Lowest) => Edge::Step(match machine.end_rule() {
                    EndRule::Loop => self.at(part, node, surety),
                    EndRule::Sink => self.spots[&Spot::Sink(machine.component_of(node), surety)],
                }),
                (Edge::Step(_) | Edge::Call(..), _) => self.onward(part, edge, surety),
            });
        }
        if edges.is_empty() {
            edges.push(Edge::Step(self.at(part, node, Surety::Sure)));
        }
        if let (Part::Above, Some(&stay)) = (part, self.ways.get(&Way::Stay(node))) {
            edges.push(Edge::Return(stay));
        }
        Ok(edges)
    }

    /// The edges of a return site after a return that is sure, or only possible.
    fn of_site(
        &self,
        part: Part,
        site: PlaceId,
        left: Surety,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Edge>, Stopped> {
        let mut edges = Vec::new();
        for (edge, surety) in self.machine.edges_with_surety(site) {
            meter.tick()?;
            let both_sure = left == Surety::Sure && surety == Surety::Sure;
            let surety = if both_sure { Surety::Sure } else { Surety::Possible };
            edges.push(self.onward(part, edge, surety));
        }
        Ok(edges)
    }

    /// A step, or a call.
    fn onward(&self, part: Part, edge: Edge, surety: Surety) -> Edge {
        match edge {
            Edge::Step(to) => Edge::Step(self.at(part, to, surety)),
            Edge::Call(call, entry) => {
                Edge::Call(self.boxes[&(part, call)], self.at(Part::Above, entry, surety))
            }
            Edge::Return(exit) => Edge::Return(self.ways[&Way::Exit(exit, surety)]),
        }
    }
}

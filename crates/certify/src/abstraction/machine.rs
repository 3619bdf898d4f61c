//! The ordinary machine of an abstract one, or of one whose edges have names, by the definition.
//!
//! A *spot* is a node as the ordinary machine has it: in which part of the stack, and by which kind
//! of step it was entered. A *kind* says which of the names the edges have that were followed, and
//! whether they are sure. What leads where is written down as edges between spots; numbers are
//! given to spots, boxes and exits before that, in the order that `docs/certificate.md` says.

use super::MAYBE;
use crate::refusal::{Stopped, refuse};
use std::collections::{BTreeMap, BTreeSet};
use tern_model::budget::Meter;
use tern_model::{
    BoxId, Budget, Builder, CompId, Edge, EndRule, ExitId, Machine, NodeId, Place, PlaceId, Surety,
};

/// A name, and the edges that have it.
pub(super) type Name<'a> = (&'a str, &'a [(Place, Edge)]);

/// How a node is entered: which names the edges have, by number, and whether they are sure.
type Kind = (BTreeSet<usize>, Surety);

/// A step that follows no edge with a name.
fn plain(surety: Surety) -> Kind {
    (BTreeSet::new(), surety)
}

/// What follows two edges.
fn both(one: &Kind, other: &Kind) -> Kind {
    let sure = one.1 == Surety::Sure && other.1 == Surety::Sure;
    (&one.0 | &other.0, if sure { Surety::Sure } else { Surety::Possible })
}

/// Whether a frame is the lowest of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Above,
    Lowest,
}

/// What a node of the ordinary machine stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Spot {
    Node(Part, NodeId, Kind),
    /// The end of a program whose lowest component is this one.
    Sink(CompId, Surety),
}

/// What an exit of the ordinary machine stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Exit(ExitId, Kind),
    /// A node is left and called again at once, so that the program stays there.
    Stay(NodeId),
}

struct Making<'m> {
    machine: &'m Machine,
    names: &'m [Name<'m>],
    /// Of steps that follow no edge with a name: all kinds that there are.
    sureties: &'static [Surety],
    /// The numbers of the names of edges.
    named: BTreeMap<(Place, Edge), BTreeSet<usize>>,
    /// The kinds by which nodes are entered and exits are taken.
    entered: BTreeMap<NodeId, BTreeSet<Kind>>,
    taken: BTreeMap<ExitId, BTreeSet<Kind>>,
    builder: Builder,
    spots: BTreeMap<Spot, NodeId>,
    ways: BTreeMap<Way, ExitId>,
    boxes: BTreeMap<(Part, BoxId), BoxId>,
    /// The components with initial nodes.
    lowest: BTreeSet<CompId>,
}

/// The ordinary machine.
pub(super) fn ordinary(
    machine: &Machine,
    names: &[Name<'_>],
    budget: &Budget,
) -> Result<Machine, Stopped> {
    let mut meter = Meter::new(budget);
    let staying = staying(machine, &mut meter)?;
    let mut making = Making {
        machine,
        names,
        sureties: match machine.is_abstract() {
            true => &[Surety::Sure, Surety::Possible],
            false => &[Surety::Sure],
        },
        named: BTreeMap::new(),
        entered: BTreeMap::new(),
        taken: BTreeMap::new(),
        builder: Builder::new(),
        spots: BTreeMap::new(),
        ways: BTreeMap::new(),
        boxes: BTreeMap::new(),
        lowest: machine.initial().iter().map(|&node| machine.component_of(node)).collect(),
    };
    making.kinds(&mut meter)?;
    making.number(&staying, &mut meter)?;
    making.edges(&staying, &mut meter)?;
    for &node in machine.initial() {
        let begin = making.at(Part::Lowest, node, plain(Surety::Sure));
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
    fn at(&self, part: Part, node: NodeId, kind: Kind) -> NodeId {
        self.spots[&Spot::Node(part, node, kind)]
    }

    /// The kind of an edge.
    fn kind(&self, place: PlaceId, edge: Edge, surety: Surety) -> Kind {
        let names = self.named.get(&(self.machine.place(place), edge));
        (names.cloned().unwrap_or_default(), surety)
    }

    /// Finds the kinds of all steps.
    fn kinds(&mut self, meter: &mut Meter<'_>) -> Result<(), Stopped> {
        let machine = self.machine;
        for (number, (_, edges)) in self.names.iter().enumerate() {
            for &edge in *edges {
                meter.tick()?;
                self.named.entry(edge).or_default().insert(number);
            }
        }
        let plain: BTreeSet<Kind> = self.sureties.iter().map(|&surety| plain(surety)).collect();
        self.entered = machine.nodes().map(|node| (node, plain.clone())).collect();
        self.taken = machine.exits().map(|exit| (exit, plain.clone())).collect();
        for node in machine.nodes() {
            let place = machine.node_place(node);
            for (edge, surety) in machine.edges_with_surety(place) {
                meter.tick()?;
                let kind = self.kind(place, edge, surety);
                match edge {
                    Edge::Return(exit) => self.taken.entry(exit).or_default().insert(kind),
                    Edge::Step(to) | Edge::Call(_, to) => {
                        self.entered.entry(to).or_default().insert(kind)
                    }
                };
            }
        }
        for call in machine.boxes() {
            for (exit, site) in machine.sites_of(call) {
                for (edge, surety) in machine.edges_with_surety(site) {
                    let (Edge::Step(to) | Edge::Call(_, to)) = edge else { continue };
                    let then = self.kind(site, edge, surety);
                    for first in &self.taken[&exit] {
                        meter.tick()?;
                        self.entered.entry(to).or_default().insert(both(first, &then));
                    }
                }
            }
        }
        Ok(())
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
            for kind in self.taken[&exit].clone() {
                let name = format!("{kind:?} {}", machine.exit_name(exit));
                let id = self.builder.exit(machine.component_of_exit(exit), &name);
                self.ways.insert(Way::Exit(exit, kind), id);
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
                for &surety in self.sureties {
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
        for kind in self.entered[&node].clone() {
            let name = format!("{kind:?} {}", self.machine.node_name(node));
            let id = self.builder.node(component, &name);
            if kind.1 == Surety::Possible {
                self.builder.label(id, MAYBE);
            }
            for &number in &kind.0 {
                for label in self.labels_for(self.names[number].0, true) {
                    self.builder.label(id, &label);
                }
            }
            self.spots.insert(Spot::Node(part, node, kind), id);
        }
    }

    fn call_box(&mut self, component: CompId, part: Part, call: BoxId) {
        let (name, callee) = (self.machine.box_name(call), self.machine.callee(call));
        let id = self.builder.call_box(component, name, callee);
        self.boxes.insert((part, call), id);
    }

    /// The labels for one of the original that a node has, or may have.
    fn labels_for(&self, name: &str, has: bool) -> Vec<String> {
        match (self.machine.is_abstract(), has) {
            (true, true) => vec![format!("must {name}"), format!("may {name}")],
            (true, false) => vec![format!("may {name}")],
            (false, _) => vec![name.to_owned()],
        }
    }

    fn labels(&mut self, meter: &mut Meter<'_>) -> Result<(), Stopped> {
        let machine = self.machine;
        let mut has: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
        for (label, name) in machine.labels() {
            // What an edge is called like is no label.
            if self.names.iter().any(|&(edges, _)| edges == name) {
                continue;
            }
            for node in machine.labelled(label) {
                meter.tick()?;
                has.entry(node).or_default().extend(self.labels_for(name, true));
            }
            for &node in machine.unknown(label) {
                meter.tick()?;
                has.entry(node).or_default().extend(self.labels_for(name, false));
            }
        }
        for (spot, &id) in &self.spots {
            let Spot::Node(_, node, _) = spot else { continue };
            for label in has.get(node).into_iter().flatten() {
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
                for left in self.taken[&exit].clone() {
                    let edges = self.of_site(part, site, &left, meter)?;
                    let by = self.ways[&Way::Exit(exit, left)];
                    for edge in edges {
                        self.builder.edge(Place::Site(id, by), edge);
                    }
                }
            }
        }
        for (&(node, call), &surety) in staying {
            let again = self.at(Part::Above, node, plain(surety));
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

    /// The edges of all copies of a node.
    fn of_node(
        &self,
        part: Part,
        node: NodeId,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Edge>, Stopped> {
        let machine = self.machine;
        let mut edges = Vec::new();
        let place = machine.node_place(node);
        for (edge, surety) in machine.edges_with_surety(place) {
            meter.tick()?;
            edges.push(match (edge, part) {
                // The program ends, and no edge is followed.
                (Edge::Return(_), Part::Lowest) => Edge::Step(match machine.end_rule() {
                    EndRule::Loop => self.at(part, node, plain(surety)),
                    EndRule::Sink => self.spots[&Spot::Sink(machine.component_of(node), surety)],
                }),
                (edge, _) => self.onward(part, edge, self.kind(place, edge, surety)),
            });
        }
        if edges.is_empty() {
            edges.push(Edge::Step(self.at(part, node, plain(Surety::Sure))));
        }
        if let (Part::Above, Some(&stay)) = (part, self.ways.get(&Way::Stay(node))) {
            edges.push(Edge::Return(stay));
        }
        Ok(edges)
    }

    /// The edges of a return site after a return of some kind.
    fn of_site(
        &self,
        part: Part,
        site: PlaceId,
        left: &Kind,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Edge>, Stopped> {
        let mut edges = Vec::new();
        for (edge, surety) in self.machine.edges_with_surety(site) {
            meter.tick()?;
            let kind = both(left, &self.kind(site, edge, surety));
            edges.push(self.onward(part, edge, kind));
        }
        Ok(edges)
    }

    /// An edge of some kind.
    fn onward(&self, part: Part, edge: Edge, kind: Kind) -> Edge {
        match edge {
            Edge::Step(to) => Edge::Step(self.at(part, to, kind)),
            Edge::Call(call, entry) => {
                Edge::Call(self.boxes[&(part, call)], self.at(Part::Above, entry, kind))
            }
            Edge::Return(exit) => Edge::Return(self.ways[&Way::Exit(exit, kind)]),
        }
    }
}

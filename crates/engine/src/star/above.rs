//! A settled machine that begins in the middle: at a node, with calls on the stack that have not
//! come back.
//!
//! What searches for runs begins on the empty stack. So the frames of the stack become part of the
//! bottom: each has its own copies of the nodes and boxes of its component, numbered after those of
//! the machine as the search gets to them, and where it returns, it steps right to what comes after
//! the return in the frame below. Frames that are called later are the machine's.

use super::settle::Settled;
use crate::linear::Source;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use tern_model::{
    BoxId, CompId, Edge, EndRule, ExitId, Id, LabelId, Machine, NodeId, Place, PlaceId,
};

/// A configuration of a settled machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Configuration {
    /// The boxes of the calls that have not come back, the innermost last.
    pub(super) stack: Vec<BoxId>,
    pub(super) node: NodeId,
}

/// The runs from a configuration.
pub(super) struct Above<'m> {
    machine: &'m Machine,
    begin: &'m Configuration,
    labels: Vec<Option<LabelId>>,
    nodes: Numbered<(usize, NodeId)>,
    boxes: Numbered<(usize, BoxId)>,
    places: Numbered<Place>,
}

/// Things that are numbered in the order in which they are asked for, after those that have numbers
/// already.
struct Numbered<T> {
    first: usize,
    list: Vec<T>,
    index: FxHashMap<T, usize>,
}

impl<T: Copy + Eq + Hash> Numbered<T> {
    fn after(first: usize) -> Self {
        Numbered { first, list: Vec::new(), index: FxHashMap::default() }
    }

    fn number(&mut self, it: T) -> usize {
        let Numbered { first, list, index } = self;
        *index.entry(it).or_insert_with(|| {
            list.push(it);
            *first + list.len() - 1
        })
    }

    /// What has a number; `None` if it is one that was given before.
    fn get(&self, number: usize) -> Option<T> {
        number.checked_sub(self.first).map(|at| self.list[at])
    }
}

impl<'m> Above<'m> {
    pub(super) fn new(settled: &'m Settled, begin: &'m Configuration, labels: &[String]) -> Self {
        let machine = &settled.machine;
        Above {
            machine,
            begin,
            labels: labels.iter().map(|name| machine.label(name)).collect(),
            nodes: Numbered::after(machine.node_count()),
            boxes: Numbered::after(machine.box_count()),
            places: Numbered::after(machine.place_count()),
        }
    }

    /// The node of the machine that a node is, and the frame that it is in, if that was there from
    /// the beginning.
    pub(super) fn node(&self, node: NodeId) -> (Option<usize>, NodeId) {
        self.nodes.get(node.index()).map_or((None, node), |(frame, node)| (Some(frame), node))
    }

    /// The box of the machine that a box is, and the frame that it is in, if that was there from
    /// the beginning.
    pub(super) fn call_box(&self, call: BoxId) -> (Option<usize>, BoxId) {
        self.boxes.get(call.index()).map_or((None, call), |(frame, call)| (Some(frame), call))
    }

    fn own(&mut self, frame: usize, edge: Edge) -> Option<Edge> {
        match edge {
            Edge::Step(to) => Some(Edge::Step(NodeId::new(self.nodes.number((frame, to))))),
            Edge::Call(call, entry) => {
                Some(Edge::Call(BoxId::new(self.boxes.number((frame, call))), entry))
            }
            Edge::Return(_) => None,
        }
    }

    fn edges_in_frame(&mut self, frame: usize, edges: &[Edge], out: &mut Vec<Edge>) {
        for &edge in edges {
            let Edge::Return(exit) = edge else {
                out.extend(self.own(frame, edge));
                continue;
            };
            // The bottom of a settled machine never returns.
            let Some(below) = frame.checked_sub(1) else { continue };
            let machine = self.machine;
            let site = machine.site(self.begin.stack[below], exit);
            for &edge in site.map_or(&[][..], |site| machine.edges_at(site)) {
                out.extend(self.own(below, edge));
            }
        }
    }
}

impl Source for Above<'_> {
    fn initial(&mut self) -> Vec<NodeId> {
        let top = self.begin.stack.len();
        vec![NodeId::new(self.nodes.number((top, self.begin.node)))]
    }
    fn end_rule(&self) -> EndRule {
        self.machine.end_rule()
    }
    fn component(&mut self, node: NodeId) -> CompId {
        self.machine.component_of(self.node(node).1)
    }
    fn node_place(&mut self, node: NodeId) -> PlaceId {
        match self.nodes.get(node.index()) {
            Some(_) => PlaceId::new(self.places.number(Place::Node(node))),
            None => self.machine.node_place(node),
        }
    }
    fn site(&mut self, call: BoxId, exit: ExitId) -> Option<PlaceId> {
        match self.call_box(call) {
            (None, call) => self.machine.site(call, exit),
            (Some(_), own) => {
                self.machine.site(own, exit)?;
                Some(PlaceId::new(self.places.number(Place::Site(call, exit))))
            }
        }
    }
    fn place(&self, place: PlaceId) -> Place {
        self.places.get(place.index()).unwrap_or_else(|| self.machine.place(place))
    }
    fn position(&self, place: PlaceId) -> Option<usize> {
        let own = self.places.get(place.index()).is_some();
        (!own).then(|| self.machine.place_position(place))
    }
    fn places_around(&self, node: NodeId) -> usize {
        match self.node(node) {
            (Some(_), _) => 0,
            (None, node) => self.machine.places_of(self.machine.component_of(node)).len(),
        }
    }
    fn edges(&mut self, place: PlaceId, out: &mut Vec<Edge>) {
        let machine = self.machine;
        match self.places.get(place.index()) {
            None => out.extend_from_slice(machine.edges_at(place)),
            Some(Place::Node(node)) => {
                let (frame, node) = self.node(node);
                let frame = frame.expect("it has a place of its own");
                self.edges_in_frame(frame, machine.edges(node), out);
            }
            Some(Place::Site(call, exit)) => {
                let (frame, call) = self.call_box(call);
                let frame = frame.expect("it has a place of its own");
                let site = machine.site(call, exit).expect("it has a place");
                self.edges_in_frame(frame, machine.edges_at(site), out);
            }
        }
    }
    fn show(&mut self, node: NodeId, letter: &mut FixedBitSet) {
        let (_, node) = self.node(node);
        for (bit, label) in self.labels.iter().enumerate() {
            letter.set(bit, label.is_some_and(|label| self.machine.has_label(node, label)));
        }
    }
    fn produced(&self) -> u64 {
        0
    }
}

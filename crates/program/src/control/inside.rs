//! The insides of components that are no procedures: dispatch, and code that cannot be followed.

use super::labels::EventNo;
use super::maker::{Maker, Part};
use super::thrown::meet;
use std::rc::Rc;
use tern_ir::ProcId;
use tern_model::index::NodeId;
use tern_model::{Edge, Origin, Place};

/// The inside of a component that stands for no procedure of its own.
pub(super) struct Insides<'m, 'a> {
    pub(super) maker: &'m mut Maker<'a>,
    part: Rc<Part>,
    returned: NodeId,
    raised: Vec<NodeId>,
    boxes: usize,
    leaves: usize,
    /// Whether it goes on at its entry after each call, whatever came of it.
    again: bool,
}

impl<'m, 'a> Insides<'m, 'a> {
    pub(super) fn new(maker: &'m mut Maker<'a>, part: &Rc<Part>, again: bool) -> Self {
        let returned = maker.builder.node(part.comp, "return");
        maker.builder.edge(Place::Node(returned), Edge::Return(part.returns));
        let mut raised = Vec::new();
        for (exit, _) in &part.exits {
            let name = maker.builder.exits().name(*exit).to_owned();
            let node = maker.builder.node(part.comp, &name);
            maker.builder.edge(Place::Node(node), Edge::Return(*exit));
            raised.push(node);
        }
        Insides { maker, part: part.clone(), returned, raised, boxes: 0, leaves: 0, again }
    }

    /// Leaves the component: returns, if it may, and throws.
    pub(super) fn go_on(&mut self, from: Place, set: &[u64], returns: bool) {
        if returns {
            self.maker.builder.edge(from, Edge::Step(self.returned));
        }
        for ((_, own), &node) in self.part.exits.iter().zip(&self.raised) {
            if meet(set, own) {
                self.maker.builder.edge(from, Edge::Step(node));
            }
        }
    }

    pub(super) fn call(&mut self, callee: &Part) {
        self.boxes += 1;
        let name = format!("call{}", self.boxes);
        let call = self.maker.builder.call_box(self.part.comp, &name, callee.comp);
        let entry = self.part.entry;
        self.maker.builder.edge(Place::Node(entry), Edge::Call(call, callee.entry));
        let returned = if self.again { entry } else { self.returned };
        self.maker.builder.edge(Place::Site(call, callee.returns), Edge::Step(returned));
        for (exit, set) in &callee.exits {
            let site = Place::Site(call, *exit);
            self.go_on(site, set, false);
            if self.again {
                self.maker.builder.edge(site, Edge::Step(entry));
            }
        }
    }

    /// A call that is an event and not entered.
    pub(super) fn leaf(&mut self, target: ProcId, events: &[EventNo], set: &[u64]) {
        self.leaves += 1;
        let node = self.maker.builder.node(self.part.comp, &format!("call {}", self.leaves));
        let title = self.maker.title(target);
        let origin = Origin { procedure: Some(title.clone()), ..Origin::new(title, 0) };
        self.maker.builder.origin(node, origin);
        events.iter().for_each(|&event| self.maker.label(node, event));
        self.maker.builder.edge(Place::Node(self.part.entry), Edge::Step(node));
        if self.again {
            self.maker.builder.edge(Place::Node(node), Edge::Step(self.part.entry));
        }
        self.go_on(Place::Node(node), set, true);
    }
}

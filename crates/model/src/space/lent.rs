//! A machine that is there already, as a space.

use super::{Labels, Space, SpaceError, Successors};
use crate::budget::Meter;
use crate::index::{BoxId, CompId, ExitId, Id, LabelId, NodeId, PlaceId};
use crate::machine::{DeadEndRule, EndRule, Machine, Surety};
use crate::origin::Origin;

/// A machine that is lent: a space with the same ids.
#[derive(Clone, Debug)]
pub struct Lent<'m> {
    machine: &'m Machine,
    /// For each proposition, the label of that name.
    labels: Vec<Option<LabelId>>,
}

impl<'m> Lent<'m> {
    /// A space that shows a machine.
    pub fn new(machine: &'m Machine) -> Self {
        Lent { machine, labels: Vec::new() }
    }

    fn show(&self, place: PlaceId, out: &mut Successors) {
        if !self.machine.is_abstract() {
            out.edges.extend_from_slice(self.machine.edges_at(place));
            return;
        }
        for (edge, surety) in self.machine.edges_with_surety(place) {
            match surety {
                Surety::Sure => out.edge(edge),
                Surety::Possible => out.possible(edge),
            }
        }
    }
}

impl Space for Lent<'_> {
    fn propositions(&mut self, names: &[String]) -> Result<(), SpaceError> {
        self.labels = names.iter().map(|name| self.machine.label(name)).collect();
        Ok(())
    }
    fn initial(&mut self, _: &mut Meter<'_>) -> Result<Vec<NodeId>, SpaceError> {
        Ok(self.machine.initial().to_vec())
    }
    fn edges(
        &mut self,
        node: NodeId,
        out: &mut Successors,
        _: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        self.show(self.machine.node_place(node), out);
        Ok(())
    }
    fn site_edges(
        &mut self,
        call: BoxId,
        exit: ExitId,
        out: &mut Successors,
        _: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        if let Some(site) = self.machine.site(call, exit) {
            self.show(site, out);
        }
        Ok(())
    }
    fn labels(
        &mut self,
        node: NodeId,
        out: &mut Labels,
        _: &mut Meter<'_>,
    ) -> Result<(), SpaceError> {
        let has = |label: Option<LabelId>| label.is_some_and(|it| self.machine.has_label(node, it));
        let on = self.labels.iter().enumerate().filter(|&(_, &label)| has(label));
        out.on.extend(on.map(|(position, _)| LabelId::new(position)));
        if self.machine.is_abstract() {
            let unknown = |label: Option<LabelId>| {
                label.is_some_and(|label| self.machine.is_unknown(node, label))
            };
            let labels = self.labels.iter().enumerate().filter(|&(_, &label)| unknown(label));
            out.unknown.extend(labels.map(|(position, _)| LabelId::new(position)));
        }
        Ok(())
    }
    fn component(&self, node: NodeId) -> CompId {
        self.machine.component_of(node)
    }
    fn home(&self, call: BoxId) -> CompId {
        self.machine.component_of_box(call)
    }
    fn callee(&self, call: BoxId) -> CompId {
        self.machine.callee(call)
    }
    fn component_name(&self, component: CompId) -> String {
        self.machine.component_name(component).to_owned()
    }
    fn node_name(&self, node: NodeId) -> String {
        self.machine.node_name(node).to_owned()
    }
    fn box_name(&self, call: BoxId) -> String {
        self.machine.box_name(call).to_owned()
    }
    fn exit_name(&self, exit: ExitId) -> String {
        self.machine.exit_name(exit).to_owned()
    }
    fn is_abstract(&self) -> bool {
        self.machine.is_abstract()
    }
    fn end_rule(&self) -> EndRule {
        self.machine.end_rule()
    }
    fn dead_end_rule(&self) -> DeadEndRule {
        self.machine.dead_end_rule()
    }
    fn origin(&self, node: NodeId) -> Option<Origin> {
        self.machine.origin(node)
    }
}

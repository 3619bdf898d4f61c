//! Where the objects of heaps come from across calls that come back.
//!
//! A call that comes back is one step of its frame. Which objects move where in it is what the
//! callee does from its entry to its exit: the union of what it does on all ways there, with the
//! calls on these ways taken as steps in turn. So the origins at nodes and exits, counted from the
//! entry of their component, are the least ones that all steps agree with. Where inputs share a
//! component nothing is said of its call as a whole: no run comes there twice.

use crate::machine::{Frame, HeapMachine, Way};
use crate::traced::Trace;
use rustc_hash::FxHashMap;
use tern_model::budget::{Limit, Meter};
use tern_model::index::Id;
use tern_model::{ExitId, NodeId};

/// Origins of the parts of a heap, counted from the entry of the component.
#[derive(Default)]
struct FromEntry {
    nodes: FxHashMap<NodeId, Trace>,
    exits: FxHashMap<ExitId, Trace>,
}

impl HeapMachine<'_> {
    /// Gives the steps across calls the origins that callees give them.
    pub(crate) fn summarise(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let is_across = |it: &usize| matches!(self.ways[*it], Way::Across(..));
        let across: Vec<usize> = (0..self.ways.len()).filter(is_across).collect();
        let is_start = |it: &usize| self.frame(self.arrows[*it].from) == Frame::Start;
        if across.iter().all(|it| self.shared && is_start(it)) {
            for number in across {
                self.arrows[number].trace = self.arrows[number].trace.after(|_| None);
                self.ways[number] = Way::Line;
            }
            return Ok(());
        }
        let mut from = FromEntry::default();
        for node in (0..self.len()).map(NodeId::new).filter(|&it| self.is_entry(it)) {
            from.nodes.insert(node, Trace::identity(self.heap(self.state(node).heap)));
        }
        for &node in self.initial() {
            from.nodes.insert(node, Trace::identity(self.heap(self.state(node).heap)));
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (number, way) in self.ways.iter().enumerate() {
                meter.tick()?;
                let arrow = &self.arrows[number];
                let (Some(base), false) = (from.nodes.get(&arrow.from), *way == Way::Down) else {
                    continue;
                };
                let Some(step) = self.across(number, &from) else { continue };
                let found = step.as_ref().unwrap_or(&arrow.trace).after(|part| base.part(part));
                changed |= joined(&mut from.nodes, arrow.to, found);
            }
            for (node, exit, trace) in &self.leaving {
                meter.tick()?;
                let Some(base) = from.nodes.get(node) else { continue };
                let found = trace.after(|part| base.part(part));
                changed |= joined(&mut from.exits, *exit, found);
            }
        }
        for number in 0..self.arrows.len() {
            if let Some(Some(step)) = self.across(number, &from) {
                self.arrows[number].trace = step;
                self.ways[number] = Way::Line;
            }
        }
        Ok(())
    }

    /// The origins of a step across a call, counted from the heap before it; nothing inside if it
    /// is another step, nothing at all if the exit was not reached yet.
    #[allow(clippy::option_option, reason = "both are said above")]
    fn across(&self, number: usize, from: &FromEntry) -> Option<Option<Trace>> {
        let Way::Across(call, exit) = self.ways[number] else { return Some(None) };
        let left = from.exits.get(&exit)?;
        let site = self.site(call);
        if self.shared && self.frame(site.node) == Frame::Start {
            return Some(Some(self.arrows[number].trace.after(|_| None)));
        }
        let before = self.heap(self.state(site.node).heap);
        let parts = before.len() + before.edges().len();
        Some(Some(self.arrows[number].trace.after(|part| match part.checked_sub(parts) {
            None => Some(crate::traced::Origin::part(part)),
            Some(part) => Some(left.part(part)?.through(|part| site.entry.part(part))),
        })))
    }
}

fn joined<K: Eq + std::hash::Hash>(all: &mut FxHashMap<K, Trace>, at: K, found: Trace) -> bool {
    match all.get_mut(&at) {
        Some(known) => known.join(&found),
        None => {
            all.insert(at, found);
            true
        }
    }
}

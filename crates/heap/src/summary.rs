//! Where the objects of heaps come from across calls that come back.
//!
//! A call that comes back is one step of its frame. Which objects move where in it is what the
//! callee does from its entry to its exit: the union of what it does on all ways there, with the
//! calls on these ways taken as steps in turn. So the origins at nodes and exits, counted from the
//! entry of their component, are the least ones that all steps agree with. Where inputs share a
//! component nothing is said of its call as a whole: no run comes there twice.
//!
//! They are found by a worklist: if the origins at a node change, the steps that leave it are
//! looked at again, and if those at an exit do, the calls that came back by it. What depends on
//! what is fixed before, so nothing else can have changed.

use crate::machine::{Arrow, Frame, HeapMachine, Way};
use crate::traced::{Origin, Trace};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use tern_model::budget::{Limit, Meter};
use tern_model::index::Id;
use tern_model::{ExitId, NodeId};

/// Origins of the parts of a heap, counted from the entry of the component; none if no way there
/// was found yet.
struct FromEntry {
    nodes: Vec<Option<Trace>>,
    exits: Vec<Option<Trace>>,
}

/// A step by which origins come about from others.
#[derive(Clone, Copy)]
enum Step {
    /// An arrow, by its number.
    Arrow(usize),
    /// What a node returns with, by its number.
    Leaving(usize),
}

/// Where origins are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Spot {
    Node(NodeId),
    Exit(ExitId),
}

impl HeapMachine<'_> {
    /// The steps of frames, those across calls with the origins that callees give them.
    ///
    /// # Errors
    /// The limit that was reached.
    pub(crate) fn summarised(&self, meter: &mut Meter<'_>) -> Result<Vec<Arrow>, Limit> {
        let mut arrows = self.arrows.clone();
        let across: Vec<usize> =
            (0..arrows.len()).filter(|&it| matches!(self.ways[it], Way::Across(..))).collect();
        if across.iter().all(|&it| self.is_start(it)) {
            for number in across {
                arrows[number].trace = arrows[number].trace.after(|_| None);
            }
            return Ok(arrows);
        }
        let from = self.least_origins(meter)?;
        for number in across {
            if let Some(Some(step)) = self.across(number, &from) {
                arrows[number].trace = step;
            }
        }
        Ok(arrows)
    }

    /// Whether a step is one across a call of inputs that share a component.
    fn is_start(&self, arrow: usize) -> bool {
        self.shared && self.frame(self.arrows[arrow].from) == Frame::Start
    }

    /// The least origins that all steps agree with.
    fn least_origins(&self, meter: &mut Meter<'_>) -> Result<FromEntry, Limit> {
        let mut from = FromEntry {
            nodes: vec![None; self.len()],
            exits: vec![None; self.exits().rows().len()],
        };
        // The steps that look at the origins of a node, and of an exit.
        let mut of_node: Vec<Vec<Step>> = vec![Vec::new(); from.nodes.len()];
        let mut of_exit: Vec<Vec<Step>> = vec![Vec::new(); from.exits.len()];
        for (number, way) in self.ways.iter().enumerate().filter(|(_, it)| **it != Way::Down) {
            of_node[self.arrows[number].from.index()].push(Step::Arrow(number));
            if let Way::Across(_, exit) = way {
                of_exit[exit.index()].push(Step::Arrow(number));
            }
        }
        for (number, (node, ..)) in self.leaving.iter().enumerate() {
            of_node[node.index()].push(Step::Leaving(number));
        }
        let entries = (0..self.len()).map(NodeId::new).filter(|&it| self.is_entry(it));
        let mut open = VecDeque::new();
        for node in entries.chain(self.initial().iter().copied()) {
            let heap = self.heap(self.state(node).heap);
            from.nodes[node.index()] = Some(Trace::identity(heap));
            open.push_back(Spot::Node(node));
        }
        let mut waits: FxHashSet<Spot> = open.iter().copied().collect();
        while let Some(spot) = open.pop_front() {
            waits.remove(&spot);
            let steps = match spot {
                Spot::Node(node) => &of_node[node.index()],
                Spot::Exit(exit) => &of_exit[exit.index()],
            };
            for &step in steps {
                meter.tick()?;
                let Some((to, found)) = self.brought(step, &from) else { continue };
                if from.join(to, found) && waits.insert(to) {
                    open.push_back(to);
                }
            }
        }
        debug_assert!(self.check_agreed(&mut from), "a step was not looked at again");
        Ok(from)
    }

    /// What a step brings to which place, counted from the entry; nothing if it is not known yet
    /// what it begins with.
    fn brought(&self, step: Step, from: &FromEntry) -> Option<(Spot, Trace)> {
        match step {
            Step::Arrow(number) => {
                let arrow = &self.arrows[number];
                let base = from.nodes[arrow.from.index()].as_ref()?;
                let across = self.across(number, from)?;
                let trace = across.as_ref().unwrap_or(&arrow.trace);
                Some((Spot::Node(arrow.to), trace.after(|part| base.part(part))))
            }
            Step::Leaving(number) => {
                let (node, exit, trace) = &self.leaving[number];
                let base = from.nodes[node.index()].as_ref()?;
                Some((Spot::Exit(*exit), trace.after(|part| base.part(part))))
            }
        }
    }

    /// Whether no step brings anything new.
    fn check_agreed(&self, from: &mut FromEntry) -> bool {
        let arrows = (0..self.arrows.len()).filter(|&it| self.ways[it] != Way::Down);
        let mut steps = arrows.map(Step::Arrow).chain((0..self.leaving.len()).map(Step::Leaving));
        steps.all(|step| match self.brought(step, from) {
            Some((to, found)) => !from.join(to, found),
            None => true,
        })
    }

    /// The origins of a step across a call, counted from the heap before it; nothing inside if it
    /// is another step, nothing at all if the exit was not reached yet.
    #[allow(clippy::option_option, reason = "both are said above")]
    fn across(&self, number: usize, from: &FromEntry) -> Option<Option<Trace>> {
        let Way::Across(call, exit) = self.ways[number] else { return Some(None) };
        let left = from.exits[exit.index()].as_ref()?;
        let site = self.site(call);
        if self.is_start(number) {
            return Some(Some(self.arrows[number].trace.after(|_| None)));
        }
        let before = self.heap(self.state(site.node).heap);
        let parts = before.len() + before.edges().len();
        Some(Some(self.arrows[number].trace.after(|part| match part.checked_sub(parts) {
            None => Some(Origin::part(part)),
            Some(part) => Some(left.part(part)?.through(|part| site.entry.part(part))),
        })))
    }
}

impl FromEntry {
    /// Adds origins. Whether something was new.
    fn join(&mut self, at: Spot, found: Trace) -> bool {
        let known = match at {
            Spot::Node(node) => &mut self.nodes[node.index()],
            Spot::Exit(exit) => &mut self.exits[exit.index()],
        };
        match known {
            Some(known) => known.join(&found),
            None => {
                *known = Some(found);
                true
            }
        }
    }
}

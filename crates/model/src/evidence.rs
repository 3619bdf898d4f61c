//! Evidence: the truth of every subformula in every configuration, finitely written down.
//!
//! There are infinitely many stacks, but the truth of a temporal subformula at a node depends on
//! the stack only through finitely many *frames*. A [`Layer`] is a deterministic automaton that
//! reads a stack from the bottom: it begins in the root frame of the bottom-most component, and
//! each box on the stack leads to the frame of its callee. The frame it ends in says at which
//! nodes the subformula holds. Different subformulas have different layers, because what one of
//! them needs to know of the stack is no concern of the other.

use crate::budget::{Budget, Limit, Meter};
use crate::index::{BoxId, CompId, NodeId, Table, TermId};
use crate::logic::Formulas;
use crate::logic::ctl::{Program, Term};
use crate::machine::Machine;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// The truth of all subformulas of a claim in all configurations.
#[derive(Clone, Debug)]
pub struct Labelling {
    /// The claim in existential normal form.
    pub program: Program,
    /// One layer for each temporal term of the program, in the order of the terms.
    pub layers: Vec<Layer>,
}

/// The truth of one temporal term in all configurations.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The term.
    pub term: TermId,
    /// What the term may need to know of a stack.
    pub frames: Vec<Frame>,
    /// The frame of the empty stack, for each component with an initial node.
    pub roots: Vec<(CompId, u32)>,
}

/// Where a claim holds in a component, under the stacks that are like a given one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The component on top.
    pub component: CompId,
    /// The shortest of the stacks, from the bottom.
    pub stack: Vec<BoxId>,
    /// The nodes at which the claim holds under all of them.
    pub holds: Vec<NodeId>,
}

/// A component under all stacks that are the same to a term.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The component on top.
    pub component: CompId,
    /// The frame that each box leads to, sorted; boxes that are never called may be missing.
    pub callees: Vec<(BoxId, u32)>,
    /// The nodes of the component, by position, at which the term holds.
    pub holds: FixedBitSet,
}

impl Layer {
    /// The frame of a stack; `None` if it is no stack of this machine, or the program cannot
    /// have it.
    pub fn frame(&self, bottom: CompId, stack: &[BoxId]) -> Option<&Frame> {
        let &(_, root) = self.roots.iter().find(|&&(component, _)| component == bottom)?;
        let mut frame = self.frames.get(root as usize)?;
        for call in stack {
            let position = frame.callees.binary_search_by_key(call, |&(call, _)| call).ok()?;
            frame = self.frames.get(frame.callees[position].1 as usize)?;
        }
        Some(frame)
    }
}

impl Labelling {
    /// Which terms of the program hold in a configuration.
    ///
    /// `stack` lists the boxes from the bottom; an empty stack means that `node` is in a component
    /// with an initial node. `None` if the labelling does not speak of this configuration.
    pub fn terms_at(
        &self,
        machine: &Machine,
        formulas: &Formulas,
        stack: &[BoxId],
        node: NodeId,
    ) -> Option<Table<TermId, bool>> {
        let component = machine.component_of(node);
        let bottom = stack.first().map_or(component, |&call| machine.component_of_box(call));
        let position = machine.place_position(machine.node_place(node));
        let mut truth: Table<TermId, bool> = Table::new();
        let mut layers = self.layers.iter();
        for (id, &term) in self.program.terms.iter() {
            let value = match term {
                Term::True => true,
                Term::Atom(atom) => machine
                    .label(formulas.atom_name(atom))
                    .is_some_and(|label| machine.has_label(node, label)),
                Term::Not(f) => !truth[f],
                Term::And(f, g) => truth[f] && truth[g],
                Term::Or(f, g) => truth[f] || truth[g],
                Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => {
                    let layer = layers.next().filter(|layer| layer.term == id)?;
                    let frame = layer.frame(bottom, stack)?;
                    if frame.component != component {
                        return None;
                    }
                    frame.holds.contains(position)
                }
            };
            truth.push(value);
        }
        Some(truth)
    }

    /// Where the claim holds: for each component and each kind of stack that the labelling tells
    /// apart, the nodes. Short stacks come first.
    ///
    /// # Errors
    /// When the budget runs out: the layers together may tell more stacks apart than each alone.
    pub fn regions(
        &self,
        machine: &Machine,
        formulas: &Formulas,
        budget: &Budget,
    ) -> Result<Vec<Region>, Limit> {
        let mut meter = Meter::new(budget);
        let mut roots: Vec<CompId> =
            machine.initial().iter().map(|&node| machine.component_of(node)).collect();
        roots.sort_unstable();
        roots.dedup();
        let mut seen: FxHashSet<(CompId, Vec<u32>)> = FxHashSet::default();
        let mut queue: VecDeque<(CompId, Vec<u32>, Vec<BoxId>)> = VecDeque::new();
        for component in roots {
            let root = |layer: &Layer| {
                let mut roots = layer.roots.iter();
                roots.find(|(root, _)| *root == component).map(|&(_, frame)| frame)
            };
            let frames: Option<Vec<u32>> = self.layers.iter().map(root).collect();
            if let Some(frames) = frames
                && seen.insert((component, frames.clone()))
            {
                queue.push_back((component, frames, Vec::new()));
            }
        }
        let mut regions = Vec::new();
        while let Some((component, frames, stack)) = queue.pop_front() {
            meter.tick()?;
            let holds =
                |&node: &NodeId| self.holds_at(machine, formulas, &stack, node) == Some(true);
            let nodes = machine.nodes_of(component).filter(holds).collect();
            for &call in machine.boxes_of(component) {
                let next = |(layer, &frame): (&Layer, &u32)| {
                    let callees = &layer.frames.get(frame as usize)?.callees;
                    let found = callees.binary_search_by_key(&call, |&(call, _)| call).ok()?;
                    Some(callees[found].1)
                };
                let next: Option<Vec<u32>> = self.layers.iter().zip(&frames).map(next).collect();
                let callee = machine.callee(call);
                if let Some(next) = next
                    && seen.insert((callee, next.clone()))
                {
                    let stack = stack.iter().copied().chain([call]).collect();
                    queue.push_back((callee, next, stack));
                }
            }
            regions.push(Region { component, stack, holds: nodes });
        }
        Ok(regions)
    }

    /// Whether the claim holds in a configuration; see [`Labelling::terms_at`].
    pub fn holds_at(
        &self,
        machine: &Machine,
        formulas: &Formulas,
        stack: &[BoxId],
        node: NodeId,
    ) -> Option<bool> {
        Some(self.terms_at(machine, formulas, stack, node)?[self.program.root])
    }
}

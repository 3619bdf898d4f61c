//! What formulas may say of a program beside its labels, and the values of its variables.

use super::explore::Explored;
use super::formula;
use super::meaning::Special;
use super::prepared::Prepared;
use super::procedures::Frames;
use crate::vocabulary::{NotUnderstood, Vocabulary};
use std::sync::Arc;
use tern_model::budget::Meter;
use tern_model::{Budget, Id, NodeId};

/// The states behind the nodes of a machine.
#[derive(Debug)]
pub(super) enum Nodes {
    /// Node `i` is state `i`.
    Flat(Explored),
    /// Components have their own.
    Frames(Vec<Frames>),
}

/// What is known of a program when formulas about it are read.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) prepared: Arc<Prepared>,
    pub(super) nodes: Nodes,
}

impl Vocabulary for Words {
    fn formulas(&self) -> Result<String, String> {
        let Prepared { program, compiled, labelling, .. } = &*self.prepared;
        formula::formulas(program, compiled, labelling)
    }

    fn nodes(&self, text: &str, budget: &Budget) -> Result<Vec<NodeId>, NotUnderstood> {
        let meaning = self.prepared.meaning(text)?;
        let mut meter = Meter::new(budget);
        let (mut found, mut values, mut stack) = (Vec::new(), Vec::new(), Vec::new());
        // If a state were special, it would have a label that says so, and nobody would ask.
        let mut holds = |home, values: &[i64]| {
            meaning.holds(&self.prepared, home, values, Special::Nothing, &mut stack)
        };
        match &self.nodes {
            Nodes::Flat(Explored { layout, states }) => {
                for number in 0..states.len() {
                    meter.tick()?;
                    layout.unpack(states.of(number), &mut values);
                    if holds(None, &values) {
                        found.push(NodeId::new(number));
                    }
                }
            }
            Nodes::Frames(frames) => {
                for Frames { home, layout, states, nodes, .. } in frames {
                    for (number, &node) in nodes.iter().enumerate() {
                        meter.tick()?;
                        layout.unpack(states.of(number), &mut values);
                        if holds(*home, &values) {
                            found.push(node);
                        }
                    }
                }
            }
        }
        Ok(found)
    }

    fn values(&self, node: NodeId) -> Vec<(String, String)> {
        let mut values = Vec::new();
        let home = match &self.nodes {
            Nodes::Flat(Explored { layout, states }) => {
                layout.unpack(states.of(node.index()), &mut values);
                None
            }
            Nodes::Frames(frames) => {
                let own = frames
                    .iter()
                    .find_map(|it| it.nodes.binary_search(&node).ok().map(|number| (it, number)));
                let Some((own, number)) = own else { return Vec::new() };
                own.layout.unpack(own.states.of(number), &mut values);
                own.home
            }
        };
        let program = &self.prepared.program;
        let shown = program.variables.iter();
        let shown = shown.filter(|(_, it)| it.home.is_none() || it.home == home);
        shown
            .map(|(id, it)| (program.variable_name(id), it.range.show(values[id.index()])))
            .collect()
    }
}

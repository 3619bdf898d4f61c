//! False paths: a counterexample is gone along once more, with all that is known of all slots.
//!
//! Exploration joins states where too many come together ([`super::nodes`]), so that a path of
//! nodes may be one that no run takes. [`Explored::contradiction`] follows such a path without
//! joining anything, but for what loops count: a run may go round more often than the path does.
//! Where no state is left, the path contradicts itself, and the slots that the
//! test there looks at are what was forgotten: they are [`Kept`], and the view is explored again,
//! with those slots told apart at joins.

use super::{ComponentId, Explored, round};
use crate::state::{Slot, State};
use crate::values::Value;
use rustc_hash::FxHashMap;
use std::ops::Range;
use tern_ir::{BlockId, Body, Operand, ProcId, Statement, VarId};
use tern_model::index::Id;

/// The most states that a replay carries along.
const MOST_STATES: usize = 8;

/// The exit of a component by which a call ended, if a step is one.
type Via = Option<(ComponentId, usize)>;

/// Slots that joins tell apart, by procedure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    slots: FxHashMap<ProcId, Vec<Slot>>,
}

impl Kept {
    /// The slots of a procedure.
    pub(super) fn of(&self, procedure: ProcId) -> &[Slot] {
        self.slots.get(&procedure).map_or(&[], Vec::as_slice)
    }

    /// Adds slots; says whether one is new.
    pub(crate) fn add(&mut self, procedure: ProcId, more: &[Slot]) -> bool {
        let own = self.slots.entry(procedure).or_default();
        let before = own.len();
        own.extend(more);
        own.sort_unstable();
        own.dedup();
        own.len() != before
    }
}

/// A step that a replay saw.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) to: (BlockId, u32),
    pub(super) state: State,
    pub(super) via: Option<(ComponentId, usize)>,
}

impl Explored<'_, '_> {
    /// The slots by which the first way to a node contradicts itself; nothing if it does not.
    pub(crate) fn contradiction(&mut self, id: ComponentId, node: usize) -> Option<Vec<Slot>> {
        let procedure = self.components[id].procedure;
        if !self.components[id].is_joined && !self.flow(procedure).compares_objects {
            return None;
        }
        let mut path = vec![node];
        while let Some(from) = self.components[id].nodes[path[path.len() - 1]].from {
            path.push(from);
        }
        path.reverse();
        // How each step of the path can be taken, by one look at all edges.
        let mut ways: FxHashMap<(usize, usize), Vec<Via>> =
            path.windows(2).map(|pair| ((pair[0], pair[1]), Vec::new())).collect();
        for edge in &self.components[id].edges {
            if let Some(by) = ways.get_mut(&(edge.from, edge.to)) {
                by.push(edge.via);
            }
        }
        let mut states = vec![self.components[id].nodes[path[0]].state.clone()];
        let mut was_dropped = false;
        for pair in path.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let goal = &self.components[id].nodes[to];
            let point = (goal.block, goal.at);
            // From where facts were dropped on, what is known of objects is what the path tells.
            was_dropped |= goal.is_dropped;
            let wanted = goal.state.clone();
            let is_back = self.flow(procedure).heads[point.0.index()]
                && point.1 == 0
                && self.components[id].nodes[from].block >= point.0;
            let counted = if is_back { self.counted(procedure, point.0, &wanted) } else { vec![] };
            let mut next: Vec<State> = Vec::new();
            for state in &states {
                for &via in &ways[&(from, to)] {
                    for mut seen in self.seen(id, from, state.clone(), via) {
                        for &slot in &counted {
                            seen.state.set(slot, seen.state.get(slot).join(wanted.get(slot)));
                        }
                        let fits = seen.to == point && seen.via == via;
                        if fits
                            && (was_dropped || seen.state.has_same_stages(&wanted))
                            && !next.contains(&seen.state)
                        {
                            next.push(seen.state);
                        }
                    }
                }
            }
            if next.is_empty() {
                return Some(self.tested(id, from));
            }
            next.truncate(MOST_STATES);
            states = next;
        }
        None
    }

    /// The variables of which a joined state at the head of a loop knows a range only, and that the
    /// loop writes only by computing with what they were: `i++`, `n /= 10`.
    fn counted(&self, procedure: ProcId, head: BlockId, joined: &State) -> Vec<Slot> {
        let body = self.body(procedure);
        let is_point = |value: Value| matches!(value, Value::Number(low, high) if low == high);
        let inside = round(body, head);
        let mut writes: FxHashMap<VarId, bool> = FxHashMap::default();
        for &block in &inside {
            for row in body.blocks[block].statements.clone() {
                if let Some(to) = body.statements[row as usize].written() {
                    let rows = body.blocks[block].statements.start..row;
                    let is_own = computes_with(body, rows, row, to, 4);
                    *writes.entry(to).or_insert(true) &= is_own;
                }
            }
        }
        let own = writes.into_iter().filter(|it| it.1).map(|it| Slot::Local(it.0));
        own.filter(|&slot| !is_point(joined.get(slot))).collect()
    }

    /// The steps from a node, with facts that may be more than its own.
    fn seen(&mut self, id: ComponentId, node: usize, state: State, via: Via) -> Vec<Seen> {
        self.replay = Some(Vec::new());
        match via {
            Some((callee, exit)) => self.resume_with((id, node), state, callee, exit),
            None => self.run_with(id, node, state),
        }
        self.replay.take().unwrap_or_default()
    }

    /// The slots that the end of the block of a node looks at, through what it computes.
    fn tested(&self, id: ComponentId, node: usize) -> Vec<Slot> {
        let own = &self.components[id];
        let body = self.body(own.procedure);
        let block = own.nodes[node].block;
        let mut slots = Vec::new();
        let mut note = |operand: Operand| {
            if let Operand::Variable(variable) = operand {
                slots.push(Slot::Local(variable));
            }
        };
        body.blocks[block].jump.operands(&mut note);
        let rows = body.blocks[block].statements.clone();
        for row in (rows.start as usize..rows.end as usize).rev() {
            let statement = &body.statements[row];
            let Some(to) = statement.written() else { continue };
            if !slots.contains(&Slot::Local(to)) {
                continue;
            }
            if let Statement::Load { object: None, field, .. } = statement {
                slots.push(Slot::Static(self.world.field(*field)));
            }
            statement.operands(body, |operand| {
                if let Operand::Variable(variable) = operand {
                    slots.push(Slot::Local(variable));
                }
            });
        }
        slots.sort_unstable();
        slots.dedup();
        slots
    }
}

/// Whether what a statement writes is computed with what a variable was, perhaps by statements
/// before it.
fn computes_with(body: &Body, rows: Range<u32>, row: u32, variable: VarId, depth: usize) -> bool {
    let statement = &body.statements[row as usize];
    let is_plain = matches!(
        statement,
        Statement::Copy { .. } | Statement::Unary { .. } | Statement::Binary { .. }
    );
    let mut found = false;
    if is_plain && depth > 0 {
        statement.operands(body, |operand| {
            let Operand::Variable(operand) = operand else { return };
            let writer = rows
                .clone()
                .rev()
                .find(|&it| body.statements[it as usize].written() == Some(operand));
            found |= match writer {
                Some(writer) => {
                    computes_with(body, rows.start..writer, writer, variable, depth - 1)
                }
                None => operand == variable,
            };
        });
    }
    found
}

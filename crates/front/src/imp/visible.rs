//! Which steps the claims can see: whether they change a variable, a control point or a deadlock
//! that a claim speaks of.

use super::compile::{Act, Compiled, NOWHERE, Pc};
use super::dress::DEADLOCK;
use super::expr::Op;
use super::meaning::{Meaning, Special, is_at};
use super::prepared::Prepared;
use super::program::{PointId, ProcessId};
use super::reduce::{Set, add, nexts};
use crate::unexplored::Asked;
use crate::vocabulary::NotUnderstood;
use tern_model::index::Table;

/// What claims can see.
pub(super) struct Visible {
    variables: Set,
    points: Table<ProcessId, Vec<(PointId, Option<u32>)>>,
    deadlock: bool,
}

impl Visible {
    /// What claims can see, or why it cannot be said.
    pub(super) fn of(prepared: &Prepared, asked: &Asked, words: usize) -> Result<Visible, String> {
        let mut visible = Visible {
            variables: vec![0; words],
            points: Table::filled(Vec::new(), prepared.program.processes.len()),
            deadlock: false,
        };
        let sought = asked.sought.iter().filter(|name| *name != DEADLOCK);
        for name in asked.propositions.iter().chain(sought) {
            match prepared.meaning(name) {
                Ok(Meaning::Condition(code, _)) => {
                    for op in &code.0 {
                        if let Op::Slot(slot) = *op {
                            add(&mut visible.variables, slot as usize);
                        }
                    }
                }
                Ok(Meaning::At(point, step)) => {
                    let process = prepared.program.points[point].process;
                    visible.points[process].push((point, step));
                }
                Ok(Meaning::Special(Special::Deadlock)) => visible.deadlock = true,
                // Steps that lead to an error never stand alone; that which ends the program is all
                // there is.
                Ok(Meaning::Special(_)) => {}
                Ok(Meaning::Scheduled(_)) => return Err(format!("`{name}` sees every step")),
                Err(NotUnderstood::Proposition { message, .. }) => return Err(message),
                Err(NotUnderstood::Limit(limit)) => return Err(limit.to_string()),
            }
        }
        Ok(visible)
    }

    /// Whether claims can never see the step at a site.
    pub(super) fn is_blind(&self, compiled: &Compiled, process: ProcessId, pc: Pc) -> bool {
        let routine = &compiled.routines[process];
        let Some(site) = routine.site(pc) else { return false };
        let written = match &site.act {
            Act::Set { slot, .. } | Act::Lock { slot, .. } | Act::Unlock { slot, .. } => {
                Some(*slot)
            }
            _ => None,
        };
        let sees = |slot: usize| {
            self.variables.get(slot / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
        };
        let same = |process: ProcessId, a: Pc, b: Pc| {
            self.points[process].iter().all(|&(point, step)| {
                is_at(compiled, process, a, point, step) == is_at(compiled, process, b, point, step)
            })
        };
        let blind_there = |process: ProcessId, a: Pc, b: Pc| {
            same(process, a, b) && !(self.deadlock && may_wait(compiled, process, b))
        };
        let children_blind = match &site.act {
            Act::Fork { children } => children
                .iter()
                .all(|&child| blind_there(child, NOWHERE, compiled.routines[child].start)),
            Act::Join { children, .. } => {
                children.iter().all(|&child| same(child, compiled.routines[child].end, NOWHERE))
            }
            _ => true,
        };
        let is_fork = matches!(site.act, Act::Fork { .. });
        let next_blind = |next: Pc| match is_fork {
            true => same(process, pc, next),
            false => blind_there(process, pc, next),
        };
        !written.is_some_and(sees) && children_blind && nexts(&site.act, pc).all(next_blind)
    }
}

/// Whether a process at a site may be able to do no more than wait.
fn may_wait(compiled: &Compiled, process: ProcessId, pc: Pc) -> bool {
    let site = compiled.routines[process].site(pc);
    site.is_none_or(|site| {
        matches!(
            site.act,
            Act::Wait { .. } | Act::Lock { .. } | Act::Join { .. } | Act::Call { .. } | Act::End
        )
    })
}

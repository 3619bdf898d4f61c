//! One step of one process: what it would change, given the values of all slots.

use super::compile::{Act, Compiled, NOWHERE, Pc, Site};
use super::program::{PointId, ProcId, ProcessId};
use std::ops::Range as Slots;

/// What a process can do in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing: it is not there, at its end, or its processes are not at theirs.
    None,
    /// It takes a step and stays: it waits.
    Stay,
    /// It moves; what changes is in the list of changes.
    Move,
    /// It calls; what the parameters become is in the list of changes.
    Call { callee: ProcId, next: Pc },
    /// It would leave the values that variables may have.
    Fault(PointId),
}

/// Takes steps; keeps what is needed again and again.
#[derive(Debug, Default)]
pub(super) struct Stepper {
    stack: Vec<i64>,
    /// The slots that change, with their new values.
    pub(super) changes: Vec<(usize, i64)>,
}

impl Stepper {
    /// What a process can do where the slots have these values.
    pub(super) fn step(&mut self, compiled: &Compiled, process: ProcessId, values: &[i64]) -> Step {
        self.changes.clear();
        let routine = &compiled.routines[process];
        let Some(Site { point, act, .. }) = routine.site(values[routine.counter]) else {
            return Step::None;
        };
        let fault = Step::Fault(*point);
        let next = match act {
            Act::Set { slot, code, next, clear } => {
                let value = match code.eval(values, &mut self.stack) {
                    Ok(value) if compiled.slots[*slot].contains(value) => value,
                    _ => return fault,
                };
                self.clear(compiled, clear);
                self.changes.push((*slot, value));
                *next
            }
            Act::Go { next } => *next,
            Act::Test { code, yes, no, clear } => {
                let Ok(value) = code.eval(values, &mut self.stack) else { return fault };
                self.clear(compiled, clear);
                if value != 0 { *yes } else { *no }
            }
            Act::Wait { code, next } => match code.eval(values, &mut self.stack) {
                Ok(0) => return Step::Stay,
                Ok(_) => *next,
                Err(_) => return fault,
            },
            Act::Lock { slot, .. } if values[*slot] != 0 => return Step::Stay,
            Act::Lock { slot, next } => {
                self.changes.push((*slot, 1));
                *next
            }
            Act::Unlock { slot, next } => {
                self.changes.push((*slot, 0));
                *next
            }
            Act::Fork { children } => {
                self.place(compiled, children, |child| compiled.routines[child].start);
                values[routine.counter] + 1
            }
            Act::Join { children, next } => {
                let is_done = |child: &ProcessId| {
                    let routine = &compiled.routines[*child];
                    values[routine.counter] == routine.end
                };
                if !children.iter().all(is_done) {
                    return Step::None;
                }
                self.place(compiled, children, |_| NOWHERE);
                *next
            }
            Act::Call { callee, arguments, next } => {
                for (slot, code) in arguments {
                    match code.eval(values, &mut self.stack) {
                        Ok(value) if compiled.slots[*slot].contains(value) => {
                            self.changes.push((*slot, value));
                        }
                        _ => return fault,
                    }
                }
                return Step::Call { callee: *callee, next: *next };
            }
            Act::End => return Step::None,
        };
        self.changes.push((routine.counter, next));
        Step::Move
    }

    fn clear(&mut self, compiled: &Compiled, slots: &Slots<usize>) {
        self.changes.extend(slots.clone().map(|slot| (slot, compiled.slots[slot].low)));
    }

    fn place(
        &mut self,
        compiled: &Compiled,
        processes: &[ProcessId],
        pc: impl Fn(ProcessId) -> Pc,
    ) {
        let placed = processes.iter().map(|&it| (compiled.routines[it].counter, pc(it)));
        self.changes.extend(placed);
    }
}

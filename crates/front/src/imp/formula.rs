//! Programs as two formulas, as the textbook translates them: `F_0` describes the initial states,
//! `F_T` the transition relation, in which `x'` is the value of `x` behind the step.
//!
//! Every site of a process is a disjunct: what must be true of the counters and variables, what
//! they become, and what stays the same. Asynchronously `F_T` is the disjunction of all these.
//! Synchronously it is the conjunction, over the processes, of the disjunctions of each; and each
//! variable stays the same unless some process sets it. A state for which no state fulfils `F_T`
//! stays as it is. What leads to an error is not in the formula: a variable has no such value.

use super::compile::{Act, Compiled, NOWHERE, Pc, Routine, Site};
use super::expr::{Code, Op, Range, Unary};
use super::labelling::Labelling;
use super::program::{Action, Composition, Granularity, ProcessId, Program, VarId};
use std::collections::BTreeMap;
use std::fmt::Write;
use tern_model::Id;

/// A possible step: what must hold, and what changes.
struct Disjunct {
    guard: Vec<String>,
    changes: BTreeMap<usize, String>,
}

struct Writer<'a> {
    program: &'a Program,
    compiled: &'a Compiled,
    labelling: &'a Labelling,
    /// The names of all slots that the formulas speak of.
    names: BTreeMap<usize, String>,
}

/// The formulas of a program, as text; or why there are none.
pub(super) fn formulas(
    program: &Program,
    compiled: &Compiled,
    labelling: &Labelling,
) -> Result<String, String> {
    if !program.procedures.is_empty() {
        return Err(
            "a program with procedures has no such formulas: its states have a stack".into()
        );
    }
    let mut names: BTreeMap<usize, String> =
        program.variables.ids().map(|id| (id.index(), program.variable_name(id))).collect();
    for (id, routine) in compiled.routines.iter() {
        let number = labelling.processes[id].trim_start_matches('p').to_owned();
        for (i, slot) in routine.registers.clone().enumerate() {
            names.insert(slot, format!("R{number}_{i}"));
        }
        names.insert(routine.counter, format!("pc{number}"));
    }
    let writer = Writer { program, compiled, labelling, names };
    let mut text = writer.initial();
    match program.mode.composition {
        Composition::Asynchronous => writer.interleaved(&mut text),
        Composition::Synchronous => writer.together(&mut text),
    }
    Ok(text)
}

impl Writer<'_> {
    fn counter(&self, process: ProcessId) -> &str {
        &self.names[&self.compiled.routines[process].counter]
    }

    /// The value of a program counter, in words.
    fn place(&self, routine: &Routine, pc: Pc) -> String {
        match routine.site(pc) {
            None | Some(Site { act: Act::Join { .. }, .. }) => "?".to_owned(),
            Some(Site { point, step: 0, .. }) => self.labelling.points[*point].clone(),
            Some(Site { point, step, .. }) => format!("{}.{step}", self.labelling.points[*point]),
        }
    }

    fn initial(&self) -> String {
        let main = self.program.main();
        let mut parts = Vec::new();
        for (id, routine) in self.compiled.routines.iter() {
            let pc = if id == main { routine.start } else { NOWHERE };
            parts.push(format!("{} = {}", self.counter(id), self.place(routine, pc)));
        }
        for (id, variable) in self.program.variables.iter() {
            if let Some(value) = variable.initial {
                parts.push(format!("{} = {}", self.names[&id.index()], variable.range.show(value)));
            }
        }
        format!("F_0 =\n  {}\n", parts.join(" & "))
    }

    /// The text of a code without jumps.
    fn code(&self, code: &Code) -> String {
        let mut stack: Vec<String> = Vec::new();
        for op in &code.0 {
            let text = match *op {
                Op::Value(value) => value.to_string(),
                Op::Slot(slot) => self.names[&(slot as usize)].clone(),
                Op::Unary(Unary::Minus) => format!("-{}", stack.pop().unwrap_or_default()),
                Op::Unary(Unary::Not) => format!("not {}", stack.pop().unwrap_or_default()),
                Op::Binary(operator) => {
                    let right = stack.pop().unwrap_or_default();
                    let left = stack.pop().unwrap_or_default();
                    format!("{left} {} {right}", operator.sign())
                }
                Op::Unless { .. } => continue,
            };
            stack.push(text);
        }
        stack.pop().unwrap_or_default()
    }

    /// The expression of a site.
    fn expression(&self, site: &Site) -> String {
        let fine = self.program.mode.granularity == Granularity::Fine;
        let name = |variable: VarId| self.names[&variable.index()].clone();
        match (&site.act, &self.program.points[site.point].action) {
            (Act::Set { code, .. } | Act::Test { code, .. }, _) if fine => self.code(code),
            (_, Action::Assign { value, .. }) => value.show(name),
            (_, Action::Test { condition, .. } | Action::Wait { condition, .. }) => {
                condition.show(name)
            }
            _ => String::new(),
        }
    }

    /// The disjuncts of a process.
    fn disjuncts(&self, process: ProcessId) -> Vec<Disjunct> {
        let routine = &self.compiled.routines[process];
        let counter = routine.counter;
        let mut list = Vec::new();
        for (i, site) in routine.sites.iter().enumerate() {
            let here = i as Pc + 1;
            let mut add = |conditions: &[String], to: Pc, more: &[(usize, String)]| {
                let at = format!("{} = {}", self.names[&counter], self.place(routine, here));
                let guard = std::iter::once(at).chain(conditions.iter().cloned()).collect();
                let mut changes: BTreeMap<usize, String> = more.iter().cloned().collect();
                changes.insert(counter, self.place(routine, to));
                list.push(Disjunct { guard, changes });
            };
            let expr = self.expression(site);
            let negated = format!("not ({expr})");
            let low = |slot: usize| (slot, self.compiled.slots[slot].low.to_string());
            match &site.act {
                Act::Set { slot, next, clear, .. } => {
                    let mut changes: Vec<(usize, String)> = clear.clone().map(low).collect();
                    changes.push((*slot, expr));
                    add(&[], *next, &changes);
                }
                Act::Go { next } => add(&[], *next, &[]),
                Act::Test { yes, no, clear, .. } => {
                    let changes: Vec<(usize, String)> = clear.clone().map(low).collect();
                    add(&[expr], *yes, &changes);
                    add(&[negated], *no, &changes);
                }
                Act::Wait { next, .. } => {
                    add(&[negated], here, &[]);
                    add(&[expr], *next, &[]);
                }
                Act::Lock { slot, next } => {
                    let name = &self.names[slot];
                    let [free, taken] = self.lock_values(*slot);
                    add(&[format!("{name} = {taken}")], here, &[]);
                    add(&[format!("{name} = {free}")], *next, &[(*slot, taken)]);
                }
                Act::Unlock { slot, next } => {
                    let [free, _] = self.lock_values(*slot);
                    add(&[], *next, &[(*slot, free)]);
                }
                Act::Fork { children } => {
                    let routines = &self.compiled.routines;
                    let begins = |&child: &ProcessId| {
                        let routine = &routines[child];
                        (routine.counter, self.place(routine, routine.start))
                    };
                    let changes: Vec<_> = children.iter().map(begins).collect();
                    add(&[], here + 1, &changes);
                }
                Act::Join { children, next } => {
                    let routines = &self.compiled.routines;
                    let is_done = |&child: &ProcessId| {
                        let routine = &routines[child];
                        format!("{} = {}", self.counter(child), self.place(routine, routine.end))
                    };
                    let done: Vec<_> = children.iter().map(is_done).collect();
                    let gone = |&child: &ProcessId| (routines[child].counter, "?".to_owned());
                    let changes: Vec<_> = children.iter().map(gone).collect();
                    add(&done, *next, &changes);
                }
                Act::Call { .. } | Act::End => {}
            }
        }
        list
    }

    /// How a lock that is free, and one that is taken, is written.
    fn lock_values(&self, slot: usize) -> [String; 2] {
        let kind = self.compiled.slots[slot].kind;
        let range = Range { kind, low: 0, high: 1 };
        [range.show(0), range.show(1)]
    }

    /// A disjunct as text, without what stays the same.
    fn show(&self, disjunct: &Disjunct) -> String {
        let changes = disjunct.changes.iter();
        let changes = changes.map(|(slot, value)| format!("{}' = {value}", self.names[slot]));
        disjunct.guard.iter().cloned().chain(changes).collect::<Vec<_>>().join(" & ")
    }

    fn interleaved(&self, text: &mut String) {
        text.push_str("F_T =\n");
        let mut lines = Vec::new();
        for process in self.program.processes.ids() {
            for disjunct in self.disjuncts(process) {
                let mut line = self.show(&disjunct);
                let same =
                    self.names.iter().filter(|(slot, _)| !disjunct.changes.contains_key(slot));
                let same: Vec<&str> = same.map(|(_, name)| name.as_str()).collect();
                if !same.is_empty() {
                    write!(line, " & same({})", same.join(", ")).expect("it can be written");
                }
                lines.push(format!("({line})"));
            }
        }
        writeln!(text, "  {}", lines.join("\n  | ")).expect("it can be written");
    }

    fn together(&self, text: &mut String) {
        text.push_str("F_T =\n");
        let mut parts = Vec::new();
        // For each slot, when some process sets it.
        let mut setters: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for process in self.program.processes.ids() {
            let disjuncts = self.disjuncts(process);
            let mut lines: Vec<String> = Vec::new();
            for disjunct in &disjuncts {
                let guard = disjunct.guard.join(" & ");
                for &slot in disjunct.changes.keys() {
                    setters.entry(slot).or_default().push(guard.clone());
                }
                lines.push(format!("({})", self.show(disjunct)));
            }
            // A process that can do nothing leaves the others alone.
            let idle = disjuncts.iter().map(|it| format!("({})", it.guard.join(" & ")));
            let idle: Vec<String> = idle.collect();
            lines.push(format!("not ({})", idle.join(" | ")));
            parts.push(format!("({})", lines.join("\n   | ")));
        }
        for (slot, name) in &self.names {
            let mut ways: Vec<String> = setters.remove(slot).unwrap_or_default();
            ways.sort();
            ways.dedup();
            let mut ways: Vec<String> = ways.into_iter().map(|it| format!("({it})")).collect();
            ways.push(format!("{name}' = {name}"));
            parts.push(format!("({})", ways.join(" | ")));
        }
        writeln!(text, "  {}", parts.join("\n  & ")).expect("it can be written");
    }
}

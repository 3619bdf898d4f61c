//! Processes: instances of modules that take steps one at a time.
//!
//! As in NuSMV, an input says which process takes the step, `main` among them. A variable gets the
//! next value that the process gives it, or keeps its own if that gives it none; constraints and
//! initial values do not take turns. `running` is true of a process in the steps that it takes.
//!
//! Inputs belong to steps, and machines have states only. What fairness and specifications of
//! linear time say of a step is therefore *remembered*: a variable of the next state has the value
//! that it had in the last step. So a condition holds again and again in steps if the variable is
//! true again and again, and holds in the step from a state if the variable is true in the next.

use super::flat::{Flat, InstanceId, Item, Symbol, Var};
use super::resolve::BOOL;
use super::syntax::{NameId, VarKind};
use super::system::{Slot, System};
use super::terms::{Domain, Op, Term, TermId, Value, VarId};
use crate::problem::Problem;
use tern_model::Span;

/// The input that says which process takes the step, as NuSMV calls it.
const SELECTOR: &str = "_process_selector_";
/// What is true in a process in the steps that it takes.
const RUNNING: &str = "running";

impl Flat {
    /// Lets the processes among the instances take turns with `main`, if there are any.
    pub(super) fn start_processes(&mut self, root: InstanceId) {
        let is_process = |&id: &InstanceId| self.instances[id].is_process;
        let processes: Vec<InstanceId> = self.instances.ids().filter(is_process).collect();
        if processes.is_empty() {
            return;
        }
        let running = self.text.names.intern(RUNNING);
        let mut values = Vec::new();
        for process in [root].into_iter().chain(processes) {
            let name = match process == root {
                true => "main".to_owned(),
                false => self.instances[process].path.trim_end_matches('.').to_owned(),
            };
            let name = self.text.names.intern(&name);
            values.push(Value::Symbol(name));
            let symbol = Symbol::Running(name);
            if self.instances[process].symbols.insert(running, symbol).is_some() {
                let span = self.text.modules[self.instances[process].module].span;
                self.problem("S021", span, |_| {
                    let message = format!("`{RUNNING}` has a meaning of its own in processes");
                    Problem::error("S021", message).at(span, "declared in this module")
                });
            }
        }
        let span = self.text.modules[self.instances[root].module].span;
        self.domains.push(Domain::of_values(values));
        let (name, kind) = (SELECTOR.to_owned(), VarKind::Input);
        self.selector = Some(self.vars.push(Var { name, kind, span, instance: root }));
    }

    /// The process that an instance belongs to.
    pub(super) fn process_of(&self, instance: InstanceId) -> InstanceId {
        let mut of = instance;
        while let (false, Some(parent)) = (self.instances[of].is_process, self.instances[of].parent)
        {
            of = parent;
        }
        of
    }

    /// That a process takes the step.
    pub(super) fn running(&mut self, process: NameId, next: bool, span: Span) -> Item {
        let Some(selector) = self.selector.filter(|_| !next) else {
            self.problem("S032", span, |_| {
                let message = "which process takes the step after this one cannot be spoken of";
                Problem::error("S032", message).at(span, "here")
            });
            return Item::Broken;
        };
        let base = self.base(selector);
        let chosen = self.terms.variable(Term::Now(selector), base, true, span);
        let process = self.terms.value(Value::Symbol(process), span);
        Item::Term(self.terms.make(Term::Binary(Op::Equal, chosen, process), BOOL, span))
    }

    /// The next value of a variable that is assigned in a process: what is assigned if that takes
    /// the step, and else what other processes do, or what it was.
    pub(super) fn by_turns(
        &mut self,
        var: VarId,
        value: TermId,
        instance: InstanceId,
        others: Option<&(TermId, Span)>,
        span: Span,
    ) -> TermId {
        if self.selector.is_none() {
            return value;
        }
        let process = self.process_of(instance);
        let name = self.text.names.get(RUNNING);
        let symbol = name.and_then(|name| self.instances[process].symbols.get(&name));
        let Some(&Symbol::Running(process)) = symbol else { return value };
        let Item::Term(running) = self.running(process, false, span) else { return value };
        let rest = match others {
            Some(&(others, _)) => others,
            None => {
                let base = self.base(var);
                self.terms.variable(Term::Now(var), base, false, span)
            }
        };
        let (own, other) = (self.terms.facts(value).sort, self.terms.facts(rest).sort);
        let base = own.base.join(other.base).unwrap_or(own.base);
        let sort = super::terms::Sort { base, is_set: own.is_set || other.is_set };
        self.terms.make(Term::If(running, value, rest), sort, span)
    }

    /// A variable that is true if a condition was in the last step.
    pub(super) fn remembered(&mut self, condition: TermId, text: &str, span: Span) -> VarId {
        if let Some(&(var, _)) = self.remembered.iter().find(|&&(_, of)| of == condition) {
            return var;
        }
        self.domains.push(Domain::Boolean);
        let (name, kind) = (format!("last({text})"), VarKind::State);
        let instance = self.instances.ids().next().expect("there is a program");
        let var = self.vars.push(Var { name, kind, span, instance });
        self.remembered.push((var, condition));
        var
    }

    /// Adds to a system what is remembered of its steps. At first nothing was.
    pub(super) fn remember(&mut self, system: &mut System) {
        for (var, condition) in std::mem::take(&mut self.remembered) {
            let span = self.vars[var].span;
            let never = self.terms.truth(false, span);
            let slot = |var, is_input, value: Option<TermId>| Slot {
                var,
                is_input,
                value: value.map(|value| (value, span)),
                equal: None,
                constraints: Vec::new(),
            };
            // Inputs that nothing else asks for have no place in the steps yet.
            for input in self.inputs_of(condition) {
                if !system.step.slots.iter().any(|slot| slot.var == input) {
                    system.step.slots.push(slot(input, true, None));
                }
            }
            system.vars.push(var);
            system.initial.slots.push(slot(var, false, Some(never)));
            system.step.slots.push(slot(var, false, Some(condition)));
        }
    }
}

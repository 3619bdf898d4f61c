//! What makes a module one that can be called, as the literature on recursive Kripke structures
//! asks it: one initial state; and states in which a call is made are neither initial nor the end,
//! have no labels, and do not follow each other.

use super::explore::States;
use super::flat::Flat;
use super::labels::{Calls, Labels};
use super::program::Part;
use super::spec::Propositions;
use super::terms::Value;
use crate::problem::Problem;
use tern_model::Span;

impl Flat {
    /// Reports what is wrong with the states of a part.
    pub(super) fn check_part(
        &mut self,
        (number, part): (usize, &Part),
        states: &States,
        labels: &Labels,
        propositions: &Propositions,
    ) {
        let module = &self.text.modules[part.module];
        let (name, at) = (self.name(module.name).to_owned(), module.span);
        if states.initial.is_empty() {
            self.problem("S043", at, |_| {
                let message = format!("module `{name}` has no initial state");
                let problem = Problem::error("S043", message).at(at, "this module");
                problem.hint("INIT, INVAR and the initial values contradict each other")
            });
        }
        if !self.has_calls {
            return;
        }
        if let [first, second, ..] = states.initial[..] {
            let differs = self.difference(states, first as usize, second as usize);
            self.problem("S050", at, |_| {
                let message = format!(
                    "module `{name}` has several initial states: it may begin with {differs}"
                );
                let problem = Problem::error("S050", message).at(at, "this module");
                problem.hint("give each variable one initial value, with `init(x) := …;`")
            });
        }
        let calls = &labels.parts[number];
        for state in 0..states.count {
            if let Some(call) = calls.call(state) {
                self.check_call(part, states, calls, state, call);
            }
        }
        if part.calls.is_empty() {
            return;
        }
        for (proposition, (label, _)) in propositions.list.iter().enumerate() {
            let own = labels.states(proposition, number);
            let mut called = own.filter_map(|state| Some((state, calls.call(state)?)));
            let is_label = self.text.names.get(label).is_some();
            if let (Some((state, call)), true) = (called.next(), is_label) {
                self.labelled_call(part, states, label, state, call);
            }
        }
    }

    fn labelled_call(
        &mut self,
        part: &Part,
        states: &States,
        label: &str,
        state: usize,
        call: usize,
    ) {
        let span = part.calls[call].span;
        let state = self.node_name(states, state);
        let module = &self.text.modules[part.module];
        let define = module.defines.iter().find(|it| self.text.names.of(it.name) == label);
        let defined = define.map(|it| it.span);
        self.problem("S053", span, |_| {
            let message = format!("the call in state {state} has the label `{label}`");
            let problem = Problem::error("S053", message).at(span, "called here");
            let problem = match defined {
                Some(at) => problem.related(at, "defined here, and true in that state"),
                None => problem,
            };
            problem.hint("a call is no state of the program: label the states before and behind it")
        });
    }

    fn check_call(
        &mut self,
        part: &Part,
        states: &States,
        calls: &Calls,
        state: usize,
        call: usize,
    ) {
        let span = part.calls[call].span;
        let shown = self.node_name(states, state);
        let report = |flat: &mut Self, code, message: String, related: Option<Span>, hint: &str| {
            flat.problem(code, span, |_| {
                let problem = Problem::error(code, message).at(span, "called here").hint(hint);
                match related {
                    Some(other) => problem.related(other, "and here"),
                    None => problem,
                }
            });
        };
        if let Some(other) = calls.another(state) {
            let message = format!("two calls are made in state {shown}");
            let other = Some(part.calls[other].span);
            report(self, "S055", message, other, "let the conditions exclude each other");
        }
        // States are counted in 32 bits.
        if states.initial.contains(&(state as u32)) {
            let message = format!("a call is made in the initial state {shown}");
            report(self, "S051", message, None, "begin in a state before it");
        }
        if states.is_exit(&self.domains, state) {
            let message = "a call is made in the exit, where all variables are `EXIT`".to_owned();
            report(self, "S052", message, None, "call in a state before it");
        }
        let next = states.successors(state).iter().find(|&&to| calls.call(to as usize).is_some());
        if let Some(&to) = next {
            let next = self.node_name(states, to as usize);
            let message = format!("the call in state {next} follows that in state {shown}");
            report(self, "S054", message, None, "put a state between them");
        }
    }

    /// The name of the node of a state: what its variables are, or `EXIT` if all are that.
    pub(super) fn node_name(&self, states: &States, state: usize) -> String {
        if self.has_calls && states.is_exit(&self.domains, state) {
            return "EXIT".to_owned();
        }
        let mut name = String::new();
        for (var, value) in states.values(&self.domains, state) {
            if !name.is_empty() {
                name.push(',');
            }
            name.push_str(&self.vars[var].name);
            name.push('=');
            match value {
                Value::Symbol(symbol) => name.push_str(self.name(symbol)),
                value => name.push_str(&self.show(value)),
            }
        }
        if name.is_empty() { "state".to_owned() } else { name }
    }

    /// What tells two states apart.
    fn difference(&self, states: &States, first: usize, second: usize) -> String {
        let pairs = states.values(&self.domains, first).zip(states.values(&self.domains, second));
        let mut different = pairs.filter(|(a, b)| a != b);
        match different.next() {
            Some(((var, a), (_, b))) => {
                let name = &self.vars[var].name;
                format!("{name} = {} or with {name} = {}", self.show(a), self.show(b))
            }
            None => "different values".to_owned(),
        }
    }
}

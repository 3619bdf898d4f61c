//! What must hold of right sides and conditions in *all* states, reached or not, as NuSMV asks it:
//! that assigned values are values of the variable, that a `case` covers everything, that nothing
//! is divided by zero.
//!
//! An expression is evaluated under all values of the variables that it asks for. Where these are
//! too many to try, only the states that are reached are looked at, when they are.

use super::eval::{Evaluator, Outcome};
use super::explore::Stopped;
use super::flat::Flat;
use super::system::System;
use super::terms::{Fault, TermId, Value, VarId};
use crate::problem::{Problem, Refusal};
use tern_model::Span;

/// How many combinations of values are tried for one expression.
const MOST: usize = 100_000;

/// Something that is wrong in some state.
struct Wrong {
    code: &'static str,
    span: Span,
    message: String,
    hint: String,
}

impl Flat {
    /// Reports what is wrong with the right sides and conditions of a system, and with further
    /// conditions.
    pub(super) fn check(&mut self, system: &System, further: &[TermId]) {
        let mut found: Vec<Wrong> = Vec::new();
        let mut evaluator = Evaluator::new(&self.terms, &self.domains);
        for checked in &system.checked {
            let domain = &self.domains[checked.var];
            evaluator.for_all(checked.term, MOST, |evaluator, outcome| {
                if let Outcome::Fault(fault, term) = outcome {
                    found.push(self.fault(fault, term, &values(evaluator)));
                    return false;
                }
                let fits = |value: Value| {
                    domain.position(value).is_some() || self.has_calls && value == Value::Exit
                };
                let bad = evaluator.values(outcome).into_iter().find(|&value| !fits(value));
                if let Some(bad) = bad {
                    found.push(self.out_of_range(
                        checked.var,
                        bad,
                        checked.span,
                        &values(evaluator),
                    ));
                }
                bad.is_none()
            });
        }
        let may_fail = |term: &&TermId| self.terms.facts(**term).may_fail;
        for &condition in system.conditions.iter().chain(further).filter(may_fail) {
            evaluator.for_all(condition, MOST, |evaluator, outcome| match outcome {
                // What is said of the end of a module may not have a value there.
                Outcome::Fault(fault, term) if fault != Fault::Exit => {
                    found.push(self.fault(fault, term, &values(evaluator)));
                    false
                }
                _ => true,
            });
        }
        drop(evaluator);
        for Wrong { code, span, message, hint } in found {
            self.problem(code, span, |_| Problem::error(code, message).at(span, "here").hint(hint));
        }
    }

    /// What stopped the search for states, as a refusal.
    pub(super) fn refusal(&self, stopped: Stopped) -> Refusal {
        let wrong = match stopped {
            Stopped::Limit(limit) => return limit.into(),
            Stopped::TooMany => {
                let message = "the model has too many states, or a variable too many values";
                let hint = "make the ranges of variables smaller, or assign those that are free";
                return Problem::error("S042", message).hint(hint).into();
            }
            Stopped::Fault(fault, term, state) => {
                let state: Vec<_> = state.iter().map(|&(var, value)| (var, false, value)).collect();
                self.fault(fault, term, &state)
            }
            Stopped::Range { var, value, span, state } => {
                let state: Vec<_> = state.iter().map(|&(var, value)| (var, false, value)).collect();
                self.out_of_range(var, value, span, &state)
            }
        };
        let Wrong { code, span, message, hint } = wrong;
        Problem::error(code, message).at(span, "here").hint(hint).into()
    }

    fn fault(&self, fault: Fault, term: TermId, state: &[(VarId, bool, Value)]) -> Wrong {
        let (message, hint) = fault.words();
        let example = self.example(state);
        let message = format!("{message}{example}");
        Wrong { code: "S040", span: self.terms.facts(term).span, message, hint: hint.to_owned() }
    }

    fn out_of_range(
        &self,
        var: VarId,
        value: Value,
        span: Span,
        state: &[(VarId, bool, Value)],
    ) -> Wrong {
        let (name, shown) = (&self.vars[var].name, self.show(value));
        let message = format!("`{name}` cannot be {shown}{}", self.example(state));
        let domain = &self.domains[var];
        let first = self.show(domain.value(0));
        let last = self.show(domain.value(domain.len() - 1));
        let hint = format!("its values are from {first} to {last}; use `mod`, or a `case`");
        Wrong { code: "S041", span, message, hint }
    }

    /// The state in which it is so, in words.
    fn example(&self, state: &[(VarId, bool, Value)]) -> String {
        const MOST_SHOWN: usize = 5;
        if state.is_empty() {
            return String::new();
        }
        let one = |&(var, is_next, value): &(VarId, bool, Value)| {
            let (name, value) = (&self.vars[var].name, self.show(value));
            if is_next { format!("next({name}) = {value}") } else { format!("{name} = {value}") }
        };
        let mut shown: Vec<String> = state.iter().take(MOST_SHOWN).map(one).collect();
        if state.len() > MOST_SHOWN {
            shown.push("…".to_owned());
        }
        format!(", as when {}", shown.join(", "))
    }
}

/// The values that were tried.
fn values(evaluator: &Evaluator<'_>) -> Vec<(VarId, bool, Value)> {
    evaluator.trail().collect()
}

//! Methods that are known by their names: what makes sure of something, what is asked of texts and
//! numbers, and what every machine has.

use super::Explored;
use super::step::{Here, Next};
use crate::state::{Slot, State};
use crate::values::{Cause, Key, Nullness, Value, bounds};
use crate::world::{Asserted, Callee};
use tern_ir::{Call, Dispatch, Operand, Statement, VarId};
use tern_model::Tri;

impl<'p> Explored<'_, 'p> {
    /// Methods whose meaning is known.
    pub(super) fn known_method(
        &mut self,
        here: &Here<'p>,
        state: &mut State,
        to: Option<VarId>,
        (call, callee): (&Call, &Callee),
        method: &str,
    ) -> Option<Next> {
        if let Some(asserted) = callee.asserted {
            return Some(self.asserted(here, state, to, call, asserted));
        }
        let class = self.world.program.text(call.class);
        let arguments = here.body.operands(&call.arguments);
        let next = (here.block, here.at + 1);
        match (class, method) {
            ("java.util.Objects", "nonNull" | "isNull") => {
                let value = self.value(state, *arguments.first()?);
                let is = |it: bool| Value::number(i64::from(it == (method == "isNull")));
                if value.is_null() != Tri::True {
                    let mut other = state.clone();
                    self.refine(&mut other, arguments[0], Nullness::NonNull);
                    if let Some(to) = to {
                        other.set(Slot::Local(to), is(false));
                    }
                    self.go(here.component, here.node, next, other, None);
                }
                if value.is_null() != Tri::False {
                    match (value.object(), Self::local(arguments[0])) {
                        (Some(it), _) => state.replace(it, Value::Null(self.why_null(it))),
                        (_, Some(variable)) => {
                            state.set(Slot::Local(variable), Value::Null(Cause::Tested));
                        }
                        _ => {}
                    }
                    if let Some(to) = to {
                        state.set(Slot::Local(to), is(true));
                    }
                    self.go(here.component, here.node, next, state.clone(), None);
                }
                Some(Next::Done)
            }
            // `null` is of no class, and is equal to nothing else.
            (_, "isInstance" | "equals")
                if callee.is_missing
                    && call.dispatch != Dispatch::Static
                    && self.is_none(state, arguments) =>
            {
                state.set(Slot::Local(to?), Value::number(0));
                Some(Next::On)
            }
            ("java.lang.System" | "java.util.Properties", "getProperty") => {
                if class == "java.util.Properties" && !self.are_of_system(here, state, arguments) {
                    return None;
                }
                // Those that every machine has.
                let name = arguments.get(usize::from(call.dispatch != Dispatch::Static))?;
                let Value::Text(name) = self.value(state, *name) else { return None };
                if !self.world.models.has_property(self.world.program.text(name)) {
                    return None;
                }
                state.set(Slot::Local(to?), Value::NonNull);
                Some(Next::On)
            }
            ("java.lang.Math", "max" | "min") => {
                let value = self.outer_number(here, state, to?, arguments, method == "max")?;
                state.set(Slot::Local(to?), value);
                Some(Next::On)
            }
            ("java.util.Optional", "orElse") => {
                // Who asks for `null` if there is nothing may be given it.
                let Value::Null(_) = self.value(state, *arguments.get(1)?) else { return None };
                let to = to?;
                let mut other = state.clone();
                other.set(Slot::Local(to), Value::NonNull);
                self.go(here.component, here.node, next, other, None);
                state.set(Slot::Local(to), Value::Null(Cause::Result));
                self.go(here.component, here.node, next, state.clone(), None);
                Some(Next::Done)
            }
            ("java.lang.String", "equals" | "contentEquals") => {
                let (Value::Text(a), Value::Text(b)) =
                    (self.value(state, arguments[0]), self.value(state, *arguments.get(1)?))
                else {
                    return None;
                };
                state.set(Slot::Local(to?), Value::number(i64::from(a == b)));
                Some(Next::On)
            }
            _ => None,
        }
    }

    /// A method that comes back only if what it is told is so.
    fn asserted(
        &mut self,
        here: &Here<'p>,
        state: &mut State,
        to: Option<VarId>,
        call: &Call,
        asserted: Asserted,
    ) -> Next {
        let arguments = here.body.operands(&call.arguments);
        let truth = |it: Value| match it {
            Value::Number(0, 0) => Tri::False,
            Value::Number(low, high) if low > 0 || high < 0 => Tri::True,
            _ => Tri::Unknown,
        };
        let value = |position: usize| self.value(state, arguments[position]);
        let comes_back = match asserted {
            Asserted::Never => false,
            Asserted::Object(at) => value(at).is_null() != Tri::True,
            Asserted::Null(at) => value(at).is_null() != Tri::False,
            Asserted::True(at) => truth(value(at)) != Tri::False,
            Asserted::False(at) => truth(value(at)) != Tri::True,
        };
        if !comes_back {
            self.stop(here);
            if let Some(class) = self.world.program.find_name("java.lang.AssertionError") {
                self.caught(here, state, class);
            }
            return Next::Done;
        }
        let told = |at: usize, it: i64| {
            let is_open = truth(self.value(state, arguments[at])) == Tri::Unknown;
            Self::local(arguments[at]).filter(|_| is_open).map(|variable| (variable, it))
        };
        let known = match asserted {
            Asserted::True(at) => told(at, 1),
            Asserted::False(at) => told(at, 0),
            _ => None,
        };
        if let Some((variable, number)) = known {
            state.set(Slot::Local(variable), Value::number(number));
            // Nobody knows what else it says.
            state.update(Value::assumed);
        }
        if let Asserted::Object(at) = asserted {
            // Who tests for null from here on is too late.
            self.refine(state, arguments[at], Nullness::Used(here.line));
            if let Some(to) = to {
                let value = self.value(state, arguments[at]);
                state.set(Slot::Local(to), value);
            }
        } else if let Some(to) = to {
            state.set(Slot::Local(to), Value::Any);
        }
        Next::On
    }

    /// Whether the properties that are asked are those of the machine: `System.getProperties()`.
    fn are_of_system(&self, here: &Here<'p>, state: &State, arguments: &[Operand]) -> bool {
        let object = arguments.first().and_then(|it| self.value(state, *it).object());
        let Some(Key::At(row)) = object.map(|it| self.objects[it]) else { return false };
        let program = self.world.program;
        matches!(here.body.statements.get(row as usize), Some(Statement::Call { call, .. })
            if program.text(program.selectors()[call.selector].name) == "getProperties"
                && program.text(call.class) == "java.lang.System")
    }

    /// Whether a method of an object is given `null` and nothing else.
    fn is_none(&self, state: &State, arguments: &[Operand]) -> bool {
        let given = arguments.get(1).filter(|_| arguments.len() == 2);
        given.is_some_and(|it| self.value(state, *it).is_null() == Tri::True)
    }

    /// The larger, or smaller, of two whole numbers.
    fn outer_number(
        &self,
        here: &Here,
        state: &State,
        to: VarId,
        arguments: &[Operand],
        is_larger: bool,
    ) -> Option<Value> {
        let &[left, right] = arguments else { return None };
        if !self.is_integer(here.body, to) {
            return None;
        }
        let interval = |operand: Operand| match self.value(state, operand) {
            Value::Number(low, high) => (low, high),
            _ => bounds(self.bits(here.body, to)),
        };
        let (a, b) = (interval(left), interval(right));
        Some(match is_larger {
            true => Value::Number(a.0.max(b.0), a.1.max(b.1)),
            false => Value::Number(a.0.min(b.0), a.1.min(b.1)),
        })
    }
}

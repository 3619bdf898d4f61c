//! Expressions that do something: assignments and calls.

use super::super::syntax::{Arithmetic, Expr, Kind};
use super::stack::Table;
use super::values::member;
use super::{At, Interpreter, Next, Result, Slot, State, Task, untreated};

impl<'a> Interpreter<'a> {
    /// Whether an expression does something. Functions without a body do nothing.
    pub(super) fn has_effects(&self, expr: &Expr) -> bool {
        match &expr.kind {
            Kind::Assign(..) | Kind::Store(..) | Kind::Increment(..) => true,
            Kind::Call(name, _) if self.unit.function(name).is_some() => true,
            Kind::Call(_, arguments) => arguments.iter().any(|it| self.has_effects(it)),
            Kind::Number(_) | Kind::Literal(..) | Kind::Name(_) | Kind::Any(..) => false,
            Kind::Negate(of)
            | Kind::Complement(of)
            | Kind::Cast(_, of)
            | Kind::Not(of)
            | Kind::Index(_, _, of) => self.has_effects(of),
            Kind::Binary(_, a, b)
            | Kind::Compare(_, a, b)
            | Kind::And(a, b)
            | Kind::Or(a, b)
            | Kind::Comma(a, b) => self.has_effects(a) || self.has_effects(b),
            Kind::Choose(a, b, c) => [a, b, c].into_iter().any(|it| self.has_effects(it)),
        }
    }

    /// Whether an expression that stands alone takes a step: it has effects, or it may be an error.
    pub(super) fn does_something(&self, expr: &Expr) -> bool {
        self.has_effects(expr) || may_fail(expr)
    }

    /// An expression that stands alone.
    pub(super) fn effect(
        &self,
        after: &State<'a>,
        expr: &'a Expr,
        next: &mut Next<'a>,
    ) -> Result<()> {
        let span = expr.span;
        let made = |kind: Kind| Expr { kind, span };
        let read = |name: &String| Box::new(made(Kind::Name(name.clone())));
        match &expr.kind {
            // Made by `hoist`: the value of an effect is kept in the same step.
            Kind::Assign(kept, None, value)
                if matches!(value.kind, Kind::Increment(..) | Kind::Assign(..)) =>
            {
                let (Kind::Increment(name, ..) | Kind::Assign(name, ..)) = &value.kind else {
                    return Ok(());
                };
                let is_old = matches!(value.kind, Kind::Increment(_, _, true));
                let old = if is_old { Some(after.get(name)?) } else { None };
                let ty = self.number_of(after, value)?.promoted(self).ty();
                let mut found = Next::default();
                self.effect(after, value, &mut found)?;
                for state in &mut found.states {
                    if state.label().is_none() {
                        let value = old.map_or_else(|| state.get(name), Ok)?;
                        self.set(state, kept, value, ty)?;
                    }
                }
                next.more |= found.more;
                next.states.append(&mut found.states);
                Ok(())
            }
            Kind::Assign(name, None, value) => self.store(after, name, value, next),
            Kind::Assign(name, Some(operator), value) => {
                let value = made(Kind::Binary(*operator, read(name), value.clone()));
                self.assign(after, name, &value, next)
            }
            Kind::Increment(name, by, _) => {
                let by = Box::new(made(Kind::Number(*by)));
                let value = made(Kind::Binary(Arithmetic::Add, read(name), by));
                self.assign(after, name, &value, next)
            }
            Kind::Call(name, arguments) => self.call(after, name, arguments, None, next),
            Kind::Store(array, size, index, operator, value) => {
                let outcomes = self.outcomes(after, index)?;
                next.more |= outcomes.more;
                for outcome in outcomes.list {
                    let Some(name) = outcome.and_then(|it| member(array, *size, it)) else {
                        next.states.push(after.failing());
                        continue;
                    };
                    let value = match operator {
                        None => (**value).clone(),
                        Some(it) => made(Kind::Binary(*it, read(&name), value.clone())),
                    };
                    self.assign(after, &name, &value, next)?;
                }
                Ok(())
            }
            // Its value is not needed, but it may be an error.
            _ => {
                let outcomes = self.outcomes(after, expr)?;
                next.states.extend(outcomes.list.contains(&None).then(|| after.failing()));
                let is_fine = outcomes.list.iter().any(Option::is_some);
                next.states.extend(is_fine.then(|| after.clone()));
                next.more |= outcomes.more;
                Ok(())
            }
        }
    }

    pub(super) fn store(
        &self,
        after: &State<'a>,
        name: &str,
        value: &'a Expr,
        next: &mut Next<'a>,
    ) -> Result<()> {
        match &value.kind {
            Kind::Call(callee, arguments) if self.unit.function(callee).is_some() => {
                self.call(after, callee, arguments, Some(name), next)
            }
            _ => self.assign(after, name, value, next),
        }
    }

    fn assign(
        &self,
        after: &State<'a>,
        name: &str,
        value: &Expr,
        next: &mut Next<'a>,
    ) -> Result<()> {
        let outcomes = match value.kind {
            Kind::Any(low, high, ty) => self.any_within(low, high, ty, self.assumed(after, name)),
            _ => self.outcomes(after, value)?,
        };
        next.more |= outcomes.more;
        // Of variables that `hoist` made: they hold what is no narrower than `int`.
        let ty = self.number_of(after, value)?.promoted(self).ty();
        for outcome in outcomes.list {
            let mut state = after.clone();
            match outcome {
                Some(value) => self.set(&mut state, name, value, ty)?,
                None => state.tasks = vec![Task::End("error")],
            }
            next.states.push(state);
        }
        Ok(())
    }

    fn call(
        &self,
        after: &State<'a>,
        name: &str,
        arguments: &[Expr],
        result: Option<&str>,
        next: &mut Next<'a>,
    ) -> Result<()> {
        let Some(function) = self.unit.function(name) else { return untreated("a missing callee") };
        let mut frames = vec![Table::new()];
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let outcomes = self.outcomes(after, argument)?;
            next.more |= outcomes.more;
            next.states.extend(outcomes.list.contains(&None).then(|| after.failing()));
            let mut longer = Vec::new();
            for value in outcomes.list.into_iter().flatten() {
                let value = Some(self.fit(parameter.ty, value));
                longer.extend(frames.iter().cloned().map(|mut frame: Table| {
                    frame.insert(parameter.name.clone(), Slot { value, ty: parameter.ty });
                    frame
                }));
            }
            frames = longer;
        }
        for frame in frames {
            let mut state = after.clone();
            let before = std::mem::replace(&mut state.values, frame);
            state.waiting.push(std::mem::take(&mut state.tasks), before);
            state.tasks.push(Task::Return(result.map(str::to_owned), function.returns));
            state.tasks.push(Task::Rest(At(&function.body)));
            next.states.push(state);
        }
        Ok(())
    }
}

/// Whether an expression divides, shifts, or takes an element of an array.
pub(super) fn may_fail(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Index(..) => true,
        Kind::Binary(operator, a, b) => {
            let is_partial = matches!(
                operator,
                Arithmetic::Divide
                    | Arithmetic::Remainder
                    | Arithmetic::ShiftLeft
                    | Arithmetic::ShiftRight
            );
            is_partial || may_fail(a) || may_fail(b)
        }
        Kind::Negate(of) | Kind::Complement(of) | Kind::Cast(_, of) | Kind::Not(of) => may_fail(of),
        Kind::Compare(_, a, b) | Kind::And(a, b) | Kind::Or(a, b) | Kind::Comma(a, b) => {
            may_fail(a) || may_fail(b)
        }
        Kind::Choose(a, b, c) => [a, b, c].into_iter().any(|it| may_fail(it)),
        Kind::Call(_, arguments) => arguments.iter().any(may_fail),
        _ => false,
    }
}

impl State<'_> {
    /// This state, if the step that comes next is an error.
    fn failing(&self) -> Self {
        State { tasks: vec![Task::End("error")], ..self.clone() }
    }
}

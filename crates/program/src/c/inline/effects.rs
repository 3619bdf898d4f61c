//! Effects inside expressions: a step for each, and what is left of the expression.

use super::super::Fault;
use super::super::cases::{Case, Place, bounded, joined, unknown};
use super::super::lower::{Lowering, Result, has_effects, may_fail, parts, possible};
use super::super::syntax::{Arithmetic, Expr, Kind, Type};
use tern_ir::flow::{Affine, Column, Edge, PointId};
use tern_model::Span;

impl Lowering<'_> {
    /// Adds the steps of an expression whose value is not needed.
    pub(super) fn effect(&mut self, expr: &Expr, at: PointId) -> Result<PointId> {
        match &expr.kind {
            Kind::Call(name, arguments) if self.unit.function(name).is_some() => {
                self.call(name, arguments, None, expr.span, at)
            }
            Kind::Store(array, size, index, operator, value) => {
                self.store((array, *size), index, *operator, value, at)
            }
            Kind::Comma(first, second) => {
                let at = self.effect(first, at)?;
                self.effect(second, at)
            }
            Kind::Choose(condition, a, b) if has_effects(expr) => {
                let line = (self.lines)(expr.span);
                let [yes, no, after] = [(); 3].map(|()| self.graph.point(line));
                self.branch(condition, at, yes, no)?;
                for (at, chosen) in [(yes, a), (no, b)] {
                    let end = self.effect(chosen, at)?;
                    self.graph.go(end, after);
                }
                Ok(after)
            }
            _ => {
                let (rest, at) = self.prepare(expr, at)?;
                self.evaluate(&rest, at)
            }
        }
    }

    /// Adds a step for a value that is not needed, if it may be an error.
    pub(super) fn evaluate(&mut self, expr: &Expr, at: PointId) -> Result<PointId> {
        if !may_fail(expr) {
            return Ok(at);
        }
        let next = self.graph.point((self.lines)(expr.span));
        let (cases, auxiliaries) = self.with_cases(|cases| cases.values(expr));
        for case in cases? {
            let to = if case.outcome.is_some() { next } else { self.error };
            let (facts, guard, auxiliaries) = (case.facts, case.guard, auxiliaries.clone());
            self.graph.step(Edge { auxiliaries, facts, guard, ..Edge::plain(at, to) });
        }
        Ok(next)
    }

    /// Adds the steps of `a[e] = v`: one for each element that may be meant.
    pub(super) fn store(
        &mut self,
        (array, size): (&str, usize),
        index: &Expr,
        operator: Option<Arithmetic>,
        value: &Expr,
        at: PointId,
    ) -> Result<PointId> {
        let (index, at) = self.prepare_before(index, &[value], at)?;
        let (value, at) = self.prepare(value, at)?;
        let span = index.span;
        let next = self.graph.point((self.lines)(span));
        let made = |kind: Kind| Expr { kind, span };
        let stored_in = |name: Kind| match operator {
            None => value.clone(),
            Some(operator) => {
                let old = Box::new(made(name));
                made(Kind::Binary(operator, old, Box::new(value.clone())))
            }
        };
        let (cases, auxiliaries) = self.with_cases(|cases| {
            let mut stored: Vec<(Option<usize>, Case<Affine>)> = Vec::new();
            for place in cases.places((array, size), &index)? {
                let (variable, value) = match place.outcome {
                    None => {
                        stored.push((None, place.with(None)));
                        continue;
                    }
                    Some(Place::Variable(variable)) => {
                        (Some(variable), stored_in(Kind::Name(format!(" {variable}"))))
                    }
                    Some(Place::Other) => {
                        let old = Kind::Index(array.to_owned(), size, Box::new(index.clone()));
                        (None, stored_in(old))
                    }
                };
                let values = match variable {
                    Some(variable) => cases.converted(&value, self.types[variable]),
                    None => cases.values(&value),
                };
                for case in values? {
                    stored.push((variable, joined(&place, &case, case.outcome.clone())));
                }
            }
            stored.retain(|(_, case)| case.guard.iter().all(|row| row.truth() != Some(false)));
            bounded(stored, span)
        });
        for (variable, case) in cases? {
            let to = if case.outcome.is_some() { next } else { self.error };
            let update = variable.zip(case.outcome).into_iter().collect();
            let (facts, guard, auxiliaries) = (case.facts, case.guard, auxiliaries.clone());
            let edge = Edge { auxiliaries, facts, guard, update, ..Edge::plain(at, to) };
            if possible(&edge) {
                self.graph.step(edge);
            }
        }
        Ok(next)
    }

    fn assigned(&self, name: &str, span: Span) -> Result<usize> {
        self.variable(name).ok_or_else(|| unknown(name, span))
    }

    /// Adds the steps of all effects of an expression; gives what is left of it.
    pub(super) fn prepare(&mut self, expr: &Expr, at: PointId) -> Result<(Expr, PointId)> {
        self.prepare_before(expr, &[], at)
    }

    /// The same where other effects come before what is left is evaluated. If they may change a
    /// variable whose value an effect gives, that value is kept.
    pub(super) fn prepare_before(
        &mut self,
        expr: &Expr,
        later: &[&Expr],
        at: PointId,
    ) -> Result<(Expr, PointId)> {
        if !has_effects(expr) {
            return Ok((expr.clone(), at));
        }
        let span = expr.span;
        let made = |kind: Kind| Expr { kind, span };
        let name_of = |variable: usize| Kind::Name(format!(" {variable}"));
        match &expr.kind {
            Kind::Assign(name, operator, value) => {
                let variable = self.assigned(name, span)?;
                if let (Kind::Call(callee, arguments), None) = (&value.kind, operator)
                    && self.unit.function(callee).is_some()
                {
                    let at = self.call(callee, arguments, Some(variable), span, at)?;
                    if !self.may_change(later, name, variable) {
                        return Ok((made(name_of(variable)), at));
                    }
                    // The return stores one value: it is kept in a step of its own.
                    let kept = self.temporary(self.types[variable]);
                    let at = self.assign(at, kept, &made(name_of(variable)))?;
                    return Ok((made(name_of(kept)), at));
                }
                let (mut value, at) = self.prepare(value, at)?;
                if let Some(operator) = operator {
                    let old = Box::new(made(name_of(variable)));
                    value = made(Kind::Binary(*operator, old, Box::new(value)));
                }
                self.assign_before(name, variable, &value, later, at)
            }
            Kind::Index(array, size, index) => {
                let (index, at) = self.prepare_before(index, later, at)?;
                Ok((made(Kind::Index(array.clone(), *size, Box::new(index))), at))
            }
            Kind::Store(..) => {
                let message = "an assignment to an element must stand alone";
                Err(Fault::new("C104", span, message, "write it as a statement"))
            }
            Kind::Increment(name, by, is_before) => {
                self.increment_before(name, (*by, *is_before), span, later, at)
            }
            Kind::Call(name, arguments) if self.unit.function(name).is_some() => {
                let result = self.temporary(self.unit.returns(name));
                let at = self.call(name, arguments, Some(result), span, at)?;
                Ok((made(name_of(result)), at))
            }
            // A function that is not known gives any number.
            Kind::Call(name, arguments) => {
                let at = arguments.iter().try_fold(at, |at, it| self.effect(it, at))?;
                Ok((made(Kind::Any(None, None, self.unit.returns(name))), at))
            }
            Kind::Comma(first, second) => {
                let at = self.effect(first, at)?;
                self.prepare_before(second, later, at)
            }
            Kind::And(..) | Kind::Or(..) | Kind::Choose(..) => self.prepare_choice(expr, at),
            Kind::Negate(of) => {
                let (of, at) = self.prepare_before(of, later, at)?;
                Ok((made(Kind::Negate(Box::new(of))), at))
            }
            Kind::Complement(of) => {
                let (of, at) = self.prepare_before(of, later, at)?;
                Ok((made(Kind::Complement(Box::new(of))), at))
            }
            Kind::Cast(ty, of) => {
                let (of, at) = self.prepare_before(of, later, at)?;
                Ok((made(Kind::Cast(*ty, Box::new(of))), at))
            }
            Kind::Not(of) => {
                let (of, at) = self.prepare_before(of, later, at)?;
                Ok((made(Kind::Not(Box::new(of))), at))
            }
            Kind::Binary(operator, left, right) => {
                let (left, at) = self.prepare_before(left, &[later, &[right]].concat(), at)?;
                let (right, at) = self.prepare_before(right, later, at)?;
                Ok((made(Kind::Binary(*operator, Box::new(left), Box::new(right))), at))
            }
            Kind::Compare(comparison, left, right) => {
                let (left, at) = self.prepare_before(left, &[later, &[right]].concat(), at)?;
                let (right, at) = self.prepare_before(right, later, at)?;
                Ok((made(Kind::Compare(*comparison, Box::new(left), Box::new(right))), at))
            }
            Kind::Number(_) | Kind::Literal(..) | Kind::Name(_) | Kind::Any(..) => {
                Ok((expr.clone(), at))
            }
        }
    }

    /// Adds the step of `x++` and its like, and gives what is left where others come later.
    fn increment_before(
        &mut self,
        name: &str,
        (by, is_before): (i128, bool),
        span: Span,
        later: &[&Expr],
        at: PointId,
    ) -> Result<(Expr, PointId)> {
        let made = |kind: Kind| Expr { kind, span };
        let name_of = |variable: usize| Kind::Name(format!(" {variable}"));
        let variable = self.assigned(name, span)?;
        let ty = self.types[variable];
        let by = Box::new(made(Kind::Number(by)));
        let old = Box::new(made(name_of(variable)));
        let more = made(Kind::Binary(Arithmetic::Add, old.clone(), by.clone()));
        if !is_before {
            return self.assign_before(name, variable, &more, later, at);
        }
        if ty == Type::BOOL || self.may_change(later, name, variable) {
            // The old value cannot be computed from what the variable is later.
            let (kept, next) = (self.temporary(ty), self.graph.point((self.lines)(span)));
            self.pass(&[kept, variable], &[*old, more], at, next)?;
            return Ok((made(name_of(kept)), next));
        }
        let at = self.assign(at, variable, &more)?;
        let before = made(Kind::Binary(Arithmetic::Subtract, old, by));
        Ok((made(Kind::Cast(ty, Box::new(before))), at))
    }

    /// Adds the steps of `variable = value`, and gives what is left where others come later.
    fn assign_before(
        &mut self,
        name: &str,
        variable: usize,
        value: &Expr,
        later: &[&Expr],
        at: PointId,
    ) -> Result<(Expr, PointId)> {
        let named = |it: usize| Expr { kind: Kind::Name(format!(" {it}")), span: value.span };
        if !self.may_change(later, name, variable) {
            return Ok((named(variable), self.assign(at, variable, value)?));
        }
        let kept = self.temporary(self.types[variable]);
        let next = self.graph.point((self.lines)(value.span));
        for mut edge in self.assignment_edges(at, self.error, variable, value)? {
            if edge.to == at {
                edge.to = next;
                let stored = edge.written(Column::variable(variable)).cloned();
                edge.update.extend(stored.map(|stored| (kept, stored)));
            }
            self.graph.step(edge);
        }
        Ok((named(kept), next))
    }

    /// Whether one of these expressions may change a variable. Functions change globals only.
    fn may_change(&self, later: &[&Expr], name: &str, variable: usize) -> bool {
        let is_global = self.scopes[0].get(name) == Some(&variable);
        let changes = |expr: &Expr| match &expr.kind {
            Kind::Assign(changed, ..) | Kind::Increment(changed, ..) => changed == name,
            Kind::Call(callee, _) => is_global && self.unit.function(callee).is_some(),
            _ => false,
        };
        let mut todo = later.to_vec();
        while let Some(expr) = todo.pop() {
            if changes(expr) {
                return true;
            }
            todo.extend(parts(expr));
        }
        false
    }

    /// `a && b`, `a || b`, `c ? a : b` with effects: control flow, and a variable for the value.
    pub(super) fn prepare_choice(&mut self, expr: &Expr, at: PointId) -> Result<(Expr, PointId)> {
        let span = expr.span;
        let line = (self.lines)(span);
        let result = self.temporary(self.type_of(expr));
        let number = |value: i128| Expr { kind: Kind::Number(value), span };
        let (yes, no) = (self.graph.point(line), self.graph.point(line));
        let after = self.graph.point(line);
        let (condition, values) = match &expr.kind {
            Kind::Choose(condition, a, b) => (&**condition, [(**a).clone(), (**b).clone()]),
            _ => (expr, [number(1), number(0)]),
        };
        self.branch(condition, at, yes, no)?;
        for (at, value) in [yes, no].into_iter().zip(values) {
            let (value, at) = self.prepare(&value, at)?;
            let end = self.assign(at, result, &value)?;
            self.graph.go(end, after);
        }
        Ok((Expr { kind: Kind::Name(format!(" {result}")), span }, after))
    }
}

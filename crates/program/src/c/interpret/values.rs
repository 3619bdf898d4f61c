//! What expressions without effects may give.

use super::super::syntax::{Comparison, Expr, Kind};
use super::{Interpreter, Outcomes, Result, State, untreated};

impl<'a> Interpreter<'a> {
    /// What an expression may be, as far as it matters whether that is 0.
    pub(super) fn truths(&self, state: &State<'a>, expr: &Expr) -> Result<Outcomes> {
        match &expr.kind {
            Kind::Any(None, None, _) => Ok(Outcomes { list: vec![Some(0), Some(1)], more: false }),
            Kind::Call(..) if !self.has_effects(expr) => {
                Ok(Outcomes { list: vec![Some(0), Some(1)], more: false })
            }
            _ => self.outcomes(state, expr),
        }
    }

    pub(super) fn outcomes(&self, state: &State<'a>, expr: &Expr) -> Result<Outcomes> {
        let one = |value: i128| Outcomes { list: vec![Some(value)], more: false };
        Ok(match &expr.kind {
            Kind::Number(number) | Kind::Literal(number, _) => one(*number),
            Kind::Name(name) => one(state.get(name)?),
            Kind::Any(low, high, ty) => self.any(*low, *high, *ty),
            Kind::Cast(ty, of) => self.map(state, of, |value| Some(self.fit(*ty, value)))?,
            Kind::Index(array, size, index) => {
                let mut outcomes = self.outcomes(state, index)?;
                for outcome in &mut outcomes.list {
                    let name = outcome.and_then(|it| member(array, *size, it));
                    *outcome = name.map(|name| state.get(&name)).transpose()?;
                }
                outcomes
            }
            Kind::Negate(of) => {
                let ty = self.number_of(state, expr)?;
                self.map(state, of, |value| {
                    Some(self.wrap(ty, self.wrap(ty, value).checked_neg()?))
                })?
            }
            Kind::Complement(of) => {
                let ty = self.number_of(state, expr)?;
                self.map(state, of, |value| Some(self.wrap(ty, !self.wrap(ty, value))))?
            }
            Kind::Not(of) => {
                let mut outcomes = self.truths(state, of)?;
                for value in outcomes.list.iter_mut().flatten() {
                    *value = i128::from(*value == 0);
                }
                outcomes
            }
            Kind::Binary(operator, a, b) => {
                let ty = self.number_of(state, expr)?;
                self.combine(state, a, b, |a, b| self.calculate(*operator, ty, a, b))?
            }
            Kind::Compare(comparison, a, b) => {
                let ty = self.number_of(state, a)?.joined(self.number_of(state, b)?, self);
                self.combine(state, a, b, |a, b| {
                    let (a, b) = (self.wrap(ty, a), self.wrap(ty, b));
                    Ok(Some(i128::from(match comparison {
                        Comparison::Equal => a == b,
                        Comparison::NotEqual => a != b,
                        Comparison::Less => a < b,
                        Comparison::LessEqual => a <= b,
                        Comparison::Greater => a > b,
                        Comparison::GreaterEqual => a >= b,
                    })))
                })?
            }
            Kind::And(a, b) => self.shortcut(state, a, |truth| (!truth).then_some(0), b)?,
            Kind::Or(a, b) => self.shortcut(state, a, |truth| truth.then_some(1), b)?,
            Kind::Choose(condition, yes, no) => {
                let first = self.truths(state, condition)?;
                let ty = self.number_of(state, expr)?;
                let mut all = Outcomes { list: Vec::new(), more: first.more };
                for outcome in first.list {
                    let Some(value) = outcome else {
                        all.list.push(None);
                        continue;
                    };
                    let branch = if value != 0 { yes } else { no };
                    let part = self.map(state, branch, |value| Some(self.wrap(ty, value)))?;
                    all.list.extend(part.list);
                    all.more |= part.more;
                }
                all
            }
            Kind::Call(name, _) if !self.has_effects(expr) => {
                self.any(None, None, self.unit.returns(name))
            }
            _ => return untreated("an effect in an expression"),
        })
    }

    fn map(
        &self,
        state: &State<'a>,
        of: &Expr,
        change: impl Fn(i128) -> Option<i128>,
    ) -> Result<Outcomes> {
        let mut outcomes = self.outcomes(state, of)?;
        for value in outcomes.list.iter_mut().flatten() {
            match change(*value) {
                Some(new) => *value = new,
                None => return untreated("numbers that are too large"),
            }
        }
        Ok(outcomes)
    }

    fn combine(
        &self,
        state: &State<'a>,
        a: &Expr,
        b: &Expr,
        join: impl Fn(i128, i128) -> std::result::Result<Option<i128>, ()>,
    ) -> Result<Outcomes> {
        let (first, second) = (self.outcomes(state, a)?, self.outcomes(state, b)?);
        let mut all = Outcomes { list: Vec::new(), more: first.more || second.more };
        for left in &first.list {
            for right in &second.list {
                all.list.push(match (left, right) {
                    (Some(left), Some(right)) => match join(*left, *right) {
                        Ok(Some(value)) => Some(value),
                        Ok(None) => return untreated("numbers that are too large"),
                        Err(()) => None,
                    },
                    _ => None,
                });
            }
        }
        Ok(all)
    }

    fn shortcut(
        &self,
        state: &State<'a>,
        a: &Expr,
        decided: impl Fn(bool) -> Option<i128>,
        b: &Expr,
    ) -> Result<Outcomes> {
        let first = self.truths(state, a)?;
        let mut all = Outcomes { list: Vec::new(), more: first.more };
        for outcome in first.list {
            match outcome.map(|value| decided(value != 0)) {
                None => all.list.push(None),
                Some(Some(value)) => all.list.push(Some(value)),
                Some(None) => {
                    let mut second = self.truths(state, b)?;
                    for value in second.list.iter_mut().flatten() {
                        *value = i128::from(*value != 0);
                    }
                    all.list.extend(second.list);
                    all.more |= second.more;
                }
            }
        }
        Ok(all)
    }
}

/// The element of an array with a number, if there is one.
pub(super) fn member(array: &str, size: usize, number: i128) -> Option<String> {
    let number = usize::try_from(number).ok().filter(|&number| number < size)?;
    Some(super::super::syntax::element(array, number))
}

//! Numbers that wrap: which type has which, and the cases of a conversion.
//!
//! A number `v` that does not fit a type of `n` bits becomes `v - k * 2^n`, with the only `k` that
//! makes it fit. If few `k` are possible, each is a case; otherwise `k` is an auxiliary whose facts
//! allow just that one. What is possible is seen from the types of variables: they keep to them.

use super::Fault;
use super::cases::{Case, Cases, Form, Range, Result, bounded, too_large};
use super::syntax::{Arithmetic, Expr, Kind, Type, Widths};
use super::typing::{Typing, common, promoted, range};
use tern_ir::flow::{Affine, Auxiliary, Row};
use tern_model::Span;

/// The most multiples of a power of two that are cases of their own.
const MOST_TURNS: i128 = 4;

impl Cases<'_> {
    /// Whether an expression can be computed modulo a power of two from its parts.
    pub(super) fn is_sum(&self, expr: &Expr) -> bool {
        match &expr.kind {
            Kind::Negate(_) | Kind::Complement(_) => true,
            Kind::Binary(Arithmetic::ShiftLeft, left, right) => {
                let bits =
                    self.typing.map(|it| it.widths.bits(promoted(it.widths, it.of(left)).size));
                let by = constant(right).zip(bits);
                by.is_some_and(|(by, bits)| (0..i128::from(bits)).contains(&by))
            }
            Kind::Binary(operator, ..) => {
                matches!(operator, Arithmetic::Add | Arithmetic::Subtract | Arithmetic::Multiply)
            }
            _ => false,
        }
    }

    /// Converts numbers that lie in a range to a type.
    pub(super) fn wrap(
        &mut self,
        cases: Vec<Case<Affine>>,
        from: Range,
        to: Type,
        span: Span,
    ) -> Result<Vec<Case<Affine>>> {
        let Some(widths) = self.widths else { return Ok(cases) };
        let (low, high) = range(widths, to);
        if from.is_some_and(|(least, most)| low <= least && most <= high) {
            return Ok(cases);
        }
        let mut wrapped = Vec::new();
        for case in cases {
            let turned = match &case.outcome {
                None => Some(vec![case]),
                Some(value) if value.is_constant() => {
                    let number = super::typing::wrapped(widths, to, value.constant);
                    Some(vec![case.with(Some(Affine::constant(number)))])
                }
                Some(value) => self.turns(&case, &value.clone(), from, (low, high)),
            };
            wrapped.extend(too_large(span, turned)?);
        }
        wrapped.retain(|case| case.guard.iter().all(|row| row.truth() != Some(false)));
        bounded(wrapped, span)
    }

    fn turns(
        &mut self,
        case: &Case<Affine>,
        value: &Affine,
        from: Range,
        (low, high): (i128, i128),
    ) -> Option<Vec<Case<Affine>>> {
        let turn = high - low + 1;
        let moved = |turns: i128| value.plus(-turns, &Affine::constant(turn));
        let above = |bound: i128| Row::greater_equal(value, &Affine::constant(bound));
        let below = |bound: i128| Row::greater_equal(&Affine::constant(bound), value);
        if let Some((least, most)) = from {
            let first = least.checked_sub(low)?.div_euclid(turn);
            let last = most.checked_sub(low)?.div_euclid(turn);
            if last - first < MOST_TURNS {
                let one = |turns: i128| {
                    let mut one = case.with(Some(moved(turns)?));
                    if turns > first {
                        one = one.where_true(above(low + turns * turn)?);
                    }
                    if turns < last {
                        one = one.where_true(below(high + turns * turn)?);
                    }
                    Some(one)
                };
                return (first..=last).map(one).collect();
            }
        }
        let fits = case.with(Some(value.clone())).where_true(above(low)?);
        let mut cases = vec![fits.where_true(below(high)?)];
        for sign in [1, -1] {
            let turns = self.fresh(Auxiliary::Unknown);
            let fitting = value.plus(-turn, &turns)?;
            let known = [
                Row::greater_equal(&turns.times(sign)?, &Affine::constant(1))?,
                Row::greater_equal(&fitting, &Affine::constant(low))?,
                Row::greater_equal(&Affine::constant(high), &fitting)?,
            ];
            let outside = if sign > 0 { above(high + 1)? } else { below(low - 1)? };
            let one = case.with(Some(fitting));
            cases.push(one.knowing(vec![outside], known, &self.auxiliaries));
        }
        Some(cases)
    }

    /// The range of an expression in its own type.
    pub(super) fn range(&self, expr: &Expr) -> Range {
        let typing = self.typing?;
        self.range_in(expr, Form::Of(typing.of(expr)))
    }

    /// The range of the numbers that an expression gives in a form.
    pub(super) fn range_in(&self, expr: &Expr, form: Form) -> Range {
        let typing = self.typing?;
        let bits = |ty: Type| typing.widths.bits(ty.size);
        let own = typing.of(expr);
        match form {
            Form::Plain => None,
            Form::Modulo(least) if self.is_sum(expr) && bits(own) >= least => {
                self.sum_range(expr, least)
            }
            Form::Modulo(_) => self.range(expr),
            Form::Of(to) => {
                let found = match self.is_sum(expr) {
                    true => self.sum_range(expr, bits(own)).filter(|it| fits(*it, typing, own)),
                    false => self.own_range(expr, typing),
                };
                let found = found.or(Some(range(typing.widths, own)));
                found.filter(|it| fits(*it, typing, to)).or(Some(range(typing.widths, to)))
            }
        }
    }

    /// The range of a sum before it is wrapped.
    pub(super) fn sum_range(&self, expr: &Expr, bits: u32) -> Range {
        let of = |expr: &Expr| self.range_in(expr, Form::Modulo(bits));
        match &expr.kind {
            Kind::Negate(it) => {
                let (low, high) = of(it)?;
                Some((high.checked_neg()?, low.checked_neg()?))
            }
            Kind::Complement(it) => of(it).map(|(low, high)| (!high, !low)),
            Kind::Binary(operator, left, right) => {
                let (a, b) = (of(left)?, of(right)?);
                let corner = |a: i128, b: i128| match operator {
                    Arithmetic::Add => a.checked_add(b),
                    Arithmetic::Subtract => a.checked_sub(b),
                    Arithmetic::ShiftLeft => a.checked_mul(1 << constant(right)?),
                    _ => a.checked_mul(b),
                };
                let corners =
                    [corner(a.0, b.0)?, corner(a.0, b.1)?, corner(a.1, b.0)?, corner(a.1, b.1)?];
                let least = corners.iter().copied().min()?;
                Some((least, corners.iter().copied().max()?))
            }
            _ => None,
        }
    }

    /// The range of what is no sum, before it is wrapped.
    pub(super) fn bare_range(&self, expr: &Expr) -> Range {
        let typing = self.typing?;
        self.own_range(expr, typing).or(Some(range(typing.widths, typing.of(expr))))
    }

    /// The same; `None` if nothing better than the range of the type is known.
    fn own_range(&self, expr: &Expr, typing: Typing<'_>) -> Range {
        match &expr.kind {
            Kind::Number(number) | Kind::Literal(number, _) => Some((*number, *number)),
            Kind::Any(Some(low), Some(high), _) => Some((*low, *high)),
            Kind::Not(_) | Kind::Compare(..) | Kind::And(..) | Kind::Or(..) => Some((0, 1)),
            Kind::Cast(ty, of) => self.range_in(of, Form::Of(*ty)),
            Kind::Choose(_, yes, no) => {
                let form = Form::Of(typing.of(expr));
                let (a, b) = (self.range_in(yes, form)?, self.range_in(no, form)?);
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            Kind::Binary(operator, left, right) => {
                let form = match operator.is_shift() {
                    true => Form::Of(promoted(typing.widths, typing.of(left))),
                    false => Form::Of(common(typing.widths, typing.of(left), typing.of(right))),
                };
                let (a, b) = (self.range_in(left, form)?, self.range_in(right, form)?);
                match operator {
                    Arithmetic::BitAnd if a.0 >= 0 && b.0 >= 0 => Some((0, a.1.min(b.1))),
                    Arithmetic::BitAnd if a.0 >= 0 => Some((0, a.1)),
                    Arithmetic::BitAnd if b.0 >= 0 => Some((0, b.1)),
                    Arithmetic::Remainder if b.0 == b.1 && b.0 != 0 => {
                        let most = b.0.abs() - 1;
                        Some((if a.0 >= 0 { 0 } else { -most }, if a.1 <= 0 { 0 } else { most }))
                    }
                    Arithmetic::Divide if b.0 > 0 => Some((a.0.min(0), a.1.max(0))),
                    Arithmetic::Divide => {
                        // The least number of a type divided by -1 is one more than the greatest.
                        let most = a.0.abs().max(a.1.abs());
                        Some((-most, most))
                    }
                    Arithmetic::ShiftRight => {
                        let by = constant(right).filter(|by| (0..64).contains(by))?;
                        Some((a.0 >> by, a.1 >> by))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Refuses numbers that no type has.
    pub(super) fn refuse_number(&self, number: i128, expr: &Expr) -> Result<()> {
        match self.typing {
            Some(typing) if !fits((number, number), typing, typing.of(expr)) => {
                let message = "no integer type has this number";
                Err(Fault::new("C104", expr.span, message, "use a smaller one"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses operators on bits where types have no widths.
    pub(super) fn refuse_bits(&self, sign: &str, span: Span) -> Result<Option<Widths>> {
        match self.widths {
            Some(widths) => Ok(Some(widths)),
            None => {
                let message = format!("`{sign}` works on bits, and integers here are mathematical");
                let hint = "say how many bits `int` has, such as `--int 32`, or use arithmetic";
                Err(Fault::new("C104", span, message, hint))
            }
        }
    }
}

fn fits(found: (i128, i128), typing: Typing<'_>, ty: Type) -> bool {
    let (low, high) = range(typing.widths, ty);
    low <= found.0 && found.1 <= high
}

/// The number that an expression is, if it is written as one.
pub(super) fn constant(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        Kind::Number(number) | Kind::Literal(number, _) => Some(*number),
        _ => None,
    }
}

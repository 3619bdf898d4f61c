//! The cases of operators on numbers, and of comparisons.

use super::super::syntax::{Arithmetic, Comparison};
use super::{Case, Cases, Result, too_large};
use tern_ir::flow::{Affine, Auxiliary, Row};
use tern_model::Span;

impl Cases<'_> {
    pub(super) fn arithmetic(
        &mut self,
        operator: Arithmetic,
        pair: &Case<(Affine, Affine)>,
        span: Span,
        cases: &mut Vec<Case<Affine>>,
    ) -> Result<()> {
        let Some((a, b)) = &pair.outcome else {
            cases.push(pair.with(None));
            return Ok(());
        };
        match operator {
            Arithmetic::Add => cases.push(pair.with(Some(too_large(span, a.plus(1, b))?))),
            Arithmetic::Subtract => cases.push(pair.with(Some(too_large(span, a.plus(-1, b))?))),
            Arithmetic::Multiply if a.is_constant() || b.is_constant() => {
                let (factor, of) = if a.is_constant() { (a, b) } else { (b, a) };
                cases.push(pair.with(Some(too_large(span, of.times(factor.constant))?)));
            }
            Arithmetic::Multiply if self.typing.is_none() => {
                too_large(span, self.multiply(pair, (a, b), cases))?;
            }
            Arithmetic::Multiply => {
                let product = self.fresh(Auxiliary::Unknown);
                let mut case = pair.with(Some(product.clone()));
                if a == b {
                    // A square is at least the number, and the number with the other sign.
                    case.facts.extend(Row::greater_equal(&product, a));
                    case.facts.extend(a.times(-1).and_then(|a| Row::greater_equal(&product, &a)));
                }
                cases.push(case);
            }
            Arithmetic::Divide | Arithmetic::Remainder => {
                let is_quotient = operator == Arithmetic::Divide;
                let divided = self.divide(is_quotient, pair, (a, b), cases);
                too_large(span, divided)?;
            }
            Arithmetic::BitAnd
            | Arithmetic::BitOr
            | Arithmetic::BitXor
            | Arithmetic::ShiftLeft
            | Arithmetic::ShiftRight => {}
        }
        Ok(())
    }

    /// A product, by the signs of both sides.
    fn multiply(
        &mut self,
        pair: &Case<(Affine, Affine)>,
        (a, b): (&Affine, &Affine),
        cases: &mut Vec<Case<Affine>>,
    ) -> Option<()> {
        let zero = Affine::default();
        let nothing = |factor: &Affine| {
            let nothing = pair.with(Some(zero.clone()));
            let nothing = nothing.where_true(Row::greater_equal(factor, &zero)?);
            Some(nothing.where_true(Row::greater_equal(&zero, factor)?))
        };
        cases.push(nothing(a)?);
        if a != b {
            // One case for each state, so that a product is one step.
            cases.push(nothing(b)?.where_true(Row::greater(a, &zero)?));
            cases.push(nothing(b)?.where_true(Row::greater(&zero, a)?));
        }
        for (a_sign, b_sign) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
            if a == b && a_sign != b_sign {
                continue;
            }
            let product = self.fresh(Auxiliary::Unknown);
            let size = product.times(a_sign * b_sign)?;
            let (size_a, size_b) = (a.times(a_sign)?, b.times(b_sign)?);
            let conditions = vec![Row::greater(&size_a, &zero)?, Row::greater(&size_b, &zero)?];
            // (size_a - 1) * (size_b - 1) is not negative.
            let both = size_a.plus(1, &size_b)?.plus(-1, &Affine::constant(1))?;
            let known = vec![
                Row::greater_equal(&size, &size_a)?,
                Row::greater_equal(&size, &size_b)?,
                Row::greater_equal(&size, &both)?,
            ];
            let part = pair.with::<Affine>(None).knowing(conditions, known, &self.auxiliaries);
            cases.push(Case { outcome: Some(product), ..part });
        }
        Some(())
    }

    /// Quotient or remainder, by the signs of both sides.
    fn divide(
        &mut self,
        is_quotient: bool,
        pair: &Case<(Affine, Affine)>,
        (a, b): (&Affine, &Affine),
        cases: &mut Vec<Case<Affine>>,
    ) -> Option<()> {
        let zero = Affine::default();
        let by_zero = pair.with::<Affine>(None);
        let by_zero = by_zero.where_true(Row::greater_equal(b, &zero)?);
        cases.push(by_zero.where_true(Row::greater_equal(&zero, b)?));
        for (a_sign, b_sign) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
            let (size_a, size_b) = (a.times(a_sign)?, b.times(b_sign)?);
            let a_row = match a_sign {
                1 => Row::greater_equal(&size_a, &zero)?,
                _ => Row::greater(&size_a, &zero)?,
            };
            let part = pair.with::<Affine>(None);
            let mut conditions = vec![a_row, Row::greater(&size_b, &zero)?];
            // size_a = size_b * q + r with 0 <= r < size_b, 0 <= q, r <= size_a
            let sign = if is_quotient { a_sign * b_sign } else { a_sign };
            if !size_b.is_constant() {
                // By 1: all of it, and nothing is left.
                let one = Affine::constant(1);
                let mut by_one = part.clone();
                by_one.guard.extend(conditions.iter().cloned());
                by_one.guard.push(Row::greater_equal(&one, &size_b)?);
                let value = if is_quotient { size_a.times(sign)? } else { zero.clone() };
                cases.push(Case { outcome: Some(value), ..by_one });
                conditions.push(Row::greater(&size_b, &Affine::constant(1))?);
            }
            let mut known = Vec::new();
            let (q, r) = if size_b.is_constant() {
                let q = self.fresh(Auxiliary::Unknown);
                let r = size_a.plus(-size_b.constant, &q)?;
                (q, r)
            } else if is_quotient {
                let q = self.fresh(Auxiliary::Unknown);
                known.push(Row::greater_equal(&size_a, &q.times(2)?)?);
                (q, Affine::default())
            } else {
                (Affine::default(), self.fresh(Auxiliary::Unknown))
            };
            known.extend([
                Row::greater_equal(&r, &zero)?,
                Row::greater(&size_b, &r)?,
                Row::greater_equal(&q, &zero)?,
                Row::greater_equal(&size_a, &r)?,
            ]);
            let mut part = part.knowing(conditions, known, &self.auxiliaries);
            part.outcome = Some(if is_quotient { q.times(sign)? } else { r.times(sign)? });
            cases.push(part);
        }
        cases.retain(|case| case.guard.iter().all(|row| row.truth() != Some(false)));
        Some(())
    }
}

/// The cases of a comparison.
pub(super) fn compare(
    comparison: Comparison,
    pair: &Case<(Affine, Affine)>,
    span: Span,
    cases: &mut Vec<Case<bool>>,
) -> Result<()> {
    let Some((a, b)) = &pair.outcome else {
        cases.push(pair.with(None));
        return Ok(());
    };
    let above = too_large(span, Row::greater(a, b))?;
    let below = too_large(span, Row::greater(b, a))?;
    let at_least = too_large(span, Row::greater_equal(a, b))?;
    let at_most = too_large(span, Row::greater_equal(b, a))?;
    let parts: Vec<(Vec<Row>, bool)> = match comparison {
        Comparison::Greater => vec![(vec![above], true), (vec![at_most], false)],
        Comparison::LessEqual => vec![(vec![at_most], true), (vec![above], false)],
        Comparison::Less => vec![(vec![below], true), (vec![at_least], false)],
        Comparison::GreaterEqual => vec![(vec![at_least], true), (vec![below], false)],
        Comparison::Equal | Comparison::NotEqual => {
            let same = comparison == Comparison::Equal;
            vec![(vec![at_least, at_most], same), (vec![above], !same), (vec![below], !same)]
        }
    };
    for (rows, truth) in parts {
        let mut case = pair.with(Some(truth));
        case.guard.extend(rows);
        cases.push(case);
    }
    Ok(())
}

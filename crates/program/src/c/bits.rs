//! Operators on bits as sums, by quotients of powers of two.
//!
//! Numbers are those of two's complement without end, so that `v >> i` is the quotient of `v` by
//! `2^i`, rounded down. The bits of `v` from place `a` up to before `b` are
//! `(v >> a) - 2^(b-a) * (v >> b)`; by this, `v & c` for a constant `c` is a sum of quotients, one
//! run of ones after the other, and exact. `v | w` is `v + w - (v & w)`, and `v ^ w` is
//! `v + w - 2 * (v & w)`. Of `v & w` for two variables only some is known.

use super::cases::{Case, Cases, Form, Range, Result, too_large};
use super::syntax::{Arithmetic, Expr};
use super::typing::promoted;
use tern_ir::flow::{Affine, Auxiliary, Row};

/// The most bits that a number of a program has.
const MOST_BITS: u32 = 64;

impl Cases<'_> {
    /// The cases of an operator on bits.
    pub(super) fn bitwise(
        &mut self,
        operator: Arithmetic,
        pair: &Case<(Affine, Affine)>,
        ranges: [Range; 2],
        (expr, form): (&Expr, Form),
        cases: &mut Vec<Case<Affine>>,
    ) -> Result<()> {
        let sign = match operator {
            Arithmetic::BitAnd => "&",
            Arithmetic::BitOr => "|",
            Arithmetic::BitXor => "^",
            Arithmetic::ShiftLeft => "<<",
            _ => ">>",
        };
        self.refuse_bits(sign, expr.span)?;
        let Some((a, b)) = &pair.outcome else {
            cases.push(pair.with(None));
            return Ok(());
        };
        if operator.is_shift() {
            return self.shift(operator, pair, ranges, (expr, form), cases);
        }
        let found = self.conjunctions(pair, (a, b), ranges);
        for case in too_large(expr.span, found)? {
            let both = case.outcome.clone().unwrap_or_default();
            let joined = match operator {
                Arithmetic::BitAnd => Some(both),
                Arithmetic::BitOr => a.plus(1, b).and_then(|sum| sum.plus(-1, &both)),
                _ => a.plus(1, b).and_then(|sum| sum.plus(-2, &both)),
            };
            cases.push(case.with(Some(too_large(expr.span, joined)?)));
        }
        Ok(())
    }

    /// `a & b`
    fn conjunctions(
        &mut self,
        pair: &Case<(Affine, Affine)>,
        (a, b): (&Affine, &Affine),
        [of_a, of_b]: [Range; 2],
    ) -> Option<Vec<Case<Affine>>> {
        if a == b {
            return Some(vec![pair.with(Some(a.clone()))]);
        }
        if a.is_constant() || b.is_constant() {
            let (mask, of, range) =
                if a.is_constant() { (a.constant, b, of_b) } else { (b.constant, a, of_a) };
            return Some(vec![self.masked(pair.with(Some(of.clone())), of, mask, range)?]);
        }
        let zero = Affine::default();
        let mut cases = Vec::new();
        for (a_sign, b_sign) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
            let possible = |range: Range, sign: i128| {
                range.is_none_or(|(low, high)| if sign > 0 { high >= 0 } else { low < 0 })
            };
            if !possible(of_a, a_sign) || !possible(of_b, b_sign) {
                continue;
            }
            let half = |of: &Affine, sign: i128| match sign {
                1 => Row::greater_equal(of, &zero),
                _ => Row::greater(&zero, of),
            };
            let both = self.fresh(Auxiliary::Unknown);
            let mut known = vec![match (a_sign, b_sign) {
                // The disjunction of two negative numbers is negative.
                (-1, -1) => Row::greater(&both, &a.plus(1, b)?)?,
                _ => Row::greater_equal(&both, &zero)?,
            }];
            if a_sign == 1 || b_sign == -1 {
                known.push(Row::greater_equal(a, &both)?);
            }
            if b_sign == 1 || a_sign == -1 {
                known.push(Row::greater_equal(b, &both)?);
            }
            let conditions = vec![half(a, a_sign)?, half(b, b_sign)?];
            let case = pair.with(Some(both));
            cases.push(case.knowing(conditions, known, &self.auxiliaries));
        }
        Some(cases)
    }

    /// `of & mask`, with a constant mask.
    fn masked(
        &mut self,
        mut case: Case<Affine>,
        of: &Affine,
        mask: i128,
        range: Range,
    ) -> Option<Case<Affine>> {
        let mut sum = Affine::default();
        let mut place = 0;
        while place <= MOST_BITS {
            let ones = (mask >> place).trailing_ones();
            if ones == 0 {
                place += 1;
                continue;
            }
            let low = self.quotient(&mut case, of, place, range)?;
            sum = sum.plus(1 << place, &low)?;
            place += ones;
            if place <= MOST_BITS {
                let high = self.quotient(&mut case, of, place, range)?;
                sum = sum.plus(-(1 << place), &high)?;
            }
        }
        Some(case.with(Some(sum)))
    }

    /// `of >> place`: by facts that allow just this number.
    fn quotient(
        &mut self,
        case: &mut Case<Affine>,
        of: &Affine,
        place: u32,
        range: Range,
    ) -> Option<Affine> {
        if place == 0 {
            return Some(of.clone());
        }
        if of.is_constant() {
            return Some(Affine::constant(of.constant >> place));
        }
        if let Some((low, high)) = range
            && low >> place == high >> place
        {
            return Some(Affine::constant(low >> place));
        }
        let quotient = self.fresh(Auxiliary::Unknown);
        let least = quotient.times(1 << place)?;
        let most = least.plus(1, &Affine::constant((1 << place) - 1))?;
        case.facts.push(Row::greater_equal(of, &least)?);
        case.facts.push(Row::greater_equal(&most, of)?);
        Some(quotient)
    }

    /// `a << b` and `a >> b`: a case for each `b`, and an error if it is negative or not smaller
    /// than the bits of `a`.
    fn shift(
        &mut self,
        operator: Arithmetic,
        pair: &Case<(Affine, Affine)>,
        [of_a, of_b]: [Range; 2],
        (expr, form): (&Expr, Form),
        cases: &mut Vec<Case<Affine>>,
    ) -> Result<()> {
        let Some((a, b)) = &pair.outcome else { return Ok(()) };
        let own = self.typing.map(|it| promoted(it.widths, it.of(expr)));
        let bits = match (self.typing, own) {
            (Some(typing), Some(own)) => typing.widths.bits(own.size),
            _ => MOST_BITS,
        };
        let (low, high) = if b.is_constant() {
            (b.constant, b.constant)
        } else {
            of_b.unwrap_or((i128::MIN, i128::MAX))
        };
        let limit = |number: i128| Affine::constant(number);
        if low < 0 {
            let row = too_large(expr.span, Row::greater(&limit(0), b))?;
            cases.push(pair.with(None).where_true(row));
        }
        if high >= i128::from(bits) {
            let row = too_large(expr.span, Row::greater_equal(b, &limit(bits.into())))?;
            cases.push(pair.with(None).where_true(row));
        }
        for by in low.max(0)..=high.min(i128::from(bits) - 1) {
            let mut case: Case<Affine> = pair.with(Some(a.clone()));
            if low != high {
                for row in [Row::greater_equal(b, &limit(by)), Row::greater_equal(&limit(by), b)] {
                    case = case.where_true(too_large(expr.span, row)?);
                }
            }
            if operator == Arithmetic::ShiftRight {
                let value = self.quotient(&mut case, a, by as u32, of_a);
                case.outcome = Some(too_large(expr.span, value)?);
                cases.push(case);
                continue;
            }
            let value = too_large(expr.span, a.times(1 << by))?;
            case.outcome = Some(value);
            match (form, own) {
                // Whoever asks for a sum wraps it.
                (Form::Of(_), Some(own)) => {
                    let range = of_a.and_then(|(low, high)| {
                        Some((low.checked_mul(1 << by)?, high.checked_mul(1 << by)?))
                    });
                    cases.extend(self.wrap(vec![case], range, own, expr.span)?);
                }
                _ => cases.push(case),
            }
        }
        cases.retain(|case| case.guard.iter().all(|row| row.truth() != Some(false)));
        Ok(())
    }
}

//! What an expression without effects gives, case by case.
//!
//! A [`Case`] says: where these rows are true, the outcome is this. The cases of an expression
//! cover all values of the variables. Choices of the program and values that are not affine
//! (products, quotients, remainders) are auxiliaries; quotients and remainders by a constant are
//! exact, since the facts allow just one value.

use super::Fault;
use super::lower::parts;
use super::syntax::{Arithmetic, Comparison, Expr, Kind, element};
use tern_ir::flow::{Affine, Auxiliary, Column, Row};
use tern_model::Span;

/// One outcome of an expression. `None` is an error, such as a division by zero.
#[derive(Clone, Debug)]
pub(super) struct Case<T> {
    pub(super) facts: Vec<Row>,
    pub(super) guard: Vec<Row>,
    pub(super) outcome: Option<T>,
}

impl<T> Case<T> {
    fn sure(outcome: T) -> Self {
        Case { facts: Vec::new(), guard: Vec::new(), outcome: Some(outcome) }
    }

    fn with<U>(&self, outcome: Option<U>) -> Case<U> {
        Case { facts: self.facts.clone(), guard: self.guard.clone(), outcome }
    }

    /// The same where this row is true too.
    fn where_true(mut self, row: Row) -> Self {
        self.guard.push(row);
        self
    }

    fn knowing(mut self, row: Row) -> Self {
        self.facts.push(row);
        self
    }
}

/// The most cases of one expression.
const MOST_CASES: usize = 256;

/// Takes expressions apart.
pub(super) struct Cases<'a> {
    /// The variable of a name.
    pub(super) resolve: &'a dyn Fn(&str) -> Option<usize>,
    /// The auxiliaries so far.
    pub(super) auxiliaries: Vec<Auxiliary>,
}

type Result<T> = std::result::Result<T, Fault>;

fn too_large<T>(span: Span, value: Option<T>) -> Result<T> {
    let message = "the numbers here become too large";
    value.ok_or_else(|| Fault::new("C104", span, message, "use smaller constants"))
}

impl Cases<'_> {
    fn fresh(&mut self, kind: Auxiliary) -> Affine {
        self.auxiliaries.push(kind);
        Affine::column(Column::auxiliary(self.auxiliaries.len() - 1))
    }

    /// A value between two bounds, as far as they are given.
    pub(super) fn any(&mut self, range: (Option<i128>, Option<i128>)) -> Case<Affine> {
        let value = self.fresh(Auxiliary::Choice);
        let mut case = Case::sure(value.clone());
        if let (Some(low), _) = range {
            case.guard.extend(Row::greater_equal(&value, &Affine::constant(low)));
        }
        if let (_, Some(high)) = range {
            case.guard.extend(Row::greater_equal(&Affine::constant(high), &value));
        }
        case
    }

    /// The numbers that an expression gives.
    pub(super) fn values(&mut self, expr: &Expr) -> Result<Vec<Case<Affine>>> {
        match &expr.kind {
            Kind::Number(number) => Ok(vec![Case::sure(Affine::constant(*number))]),
            Kind::Name(name) => match (self.resolve)(name) {
                Some(variable) => Ok(vec![Case::sure(Affine::column(Column::variable(variable)))]),
                None => Err(unknown(name, expr.span)),
            },
            Kind::Any(low, high) => Ok(vec![self.any((*low, *high))]),
            Kind::Negate(of) => {
                let cases = self.values(of)?.into_iter().map(|case| {
                    let value = case.outcome.as_ref().map(|value| value.times(-1));
                    Ok(case.with(value.map(|value| too_large(expr.span, value)).transpose()?))
                });
                cases.collect()
            }
            Kind::Binary(operator, left, right) => {
                let pairs = self.pairs(left, right)?;
                let mut cases = Vec::new();
                for pair in pairs {
                    self.arithmetic(*operator, &pair, expr.span, &mut cases)?;
                }
                bounded(cases, expr.span)
            }
            Kind::Choose(condition, yes, no) => {
                let mut cases = Vec::new();
                for test in self.tests(condition)? {
                    let Some(truth) = test.outcome else {
                        cases.push(test.with(None));
                        continue;
                    };
                    for value in self.values(if truth { yes } else { no })? {
                        cases.push(joined(&test, &value, value.outcome.clone()));
                    }
                }
                bounded(cases, expr.span)
            }
            Kind::Not(_) | Kind::Compare(..) | Kind::And(..) | Kind::Or(..) => {
                let number = |truth: bool| Affine::constant(i128::from(truth));
                let tests = self.tests(expr)?.into_iter();
                Ok(tests.map(|test| test.with(test.outcome.map(number))).collect())
            }
            Kind::Index(array, size, index) => {
                refuse_choice(index)?;
                self.values(&element_of(array, *size, index))
            }
            Kind::Assign(..)
            | Kind::Store(..)
            | Kind::Increment(..)
            | Kind::Call(..)
            | Kind::Comma(..) => {
                let message = "effects are not allowed here";
                Err(Fault::new("C103", expr.span, message, "use an expression without them"))
            }
        }
    }

    /// Whether an expression is true.
    pub(super) fn tests(&mut self, expr: &Expr) -> Result<Vec<Case<bool>>> {
        let mut cases = Vec::new();
        match &expr.kind {
            Kind::Not(of) => {
                let tests = self.tests(of)?.into_iter();
                cases = tests.map(|test| test.with(test.outcome.map(|truth| !truth))).collect();
            }
            Kind::And(left, right) | Kind::Or(left, right) => {
                let goes_on = matches!(expr.kind, Kind::And(..));
                for first in self.tests(left)? {
                    if first.outcome != Some(goes_on) {
                        cases.push(first);
                        continue;
                    }
                    for second in self.tests(right)? {
                        cases.push(joined(&first, &second, second.outcome));
                    }
                }
            }
            Kind::Compare(comparison, left, right) => {
                for pair in self.pairs(left, right)? {
                    compare(*comparison, &pair, expr.span, &mut cases)?;
                }
            }
            _ => {
                for case in self.values(expr)? {
                    let zero = Affine::default();
                    let pair = case.with(case.outcome.clone().map(|value| (value, zero)));
                    compare(Comparison::NotEqual, &pair, expr.span, &mut cases)?;
                }
            }
        }
        // Leave out what is never true, and rows that always are.
        cases.retain(|case| case.guard.iter().all(|row| row.truth() != Some(false)));
        for case in &mut cases {
            case.guard.retain(|row| row.truth().is_none());
        }
        bounded(cases, expr.span)
    }

    fn pairs(&mut self, left: &Expr, right: &Expr) -> Result<Vec<Case<(Affine, Affine)>>> {
        let mut pairs = Vec::new();
        for first in self.values(left)? {
            let Some(a) = &first.outcome else {
                pairs.push(first.with(None));
                continue;
            };
            for second in self.values(right)? {
                let both = second.outcome.clone().map(|b| (a.clone(), b));
                pairs.push(joined(&first, &second, both));
            }
        }
        bounded(pairs, left.span)
    }

    fn arithmetic(
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
        }
        Ok(())
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
            let part = pair.with::<Affine>(None).where_true(a_row);
            let mut part = part.where_true(Row::greater(&size_b, &zero)?);
            // size_a = size_b * q + r with 0 <= r < size_b, 0 <= q, r <= size_a
            let sign = if is_quotient { a_sign * b_sign } else { a_sign };
            if !size_b.is_constant() {
                // By 1: all of it, and nothing is left.
                let one = Affine::constant(1);
                let by_one = part.clone().where_true(Row::greater_equal(&one, &size_b)?);
                let value = if is_quotient { size_a.times(sign)? } else { zero.clone() };
                cases.push(Case { outcome: Some(value), ..by_one });
                part = part.where_true(Row::greater(&size_b, &Affine::constant(1))?);
            }
            let (mut part, q, r) = if size_b.is_constant() {
                let q = self.fresh(Auxiliary::Unknown);
                let r = size_a.plus(-size_b.constant, &q)?;
                (part, q, r)
            } else if is_quotient {
                let q = self.fresh(Auxiliary::Unknown);
                (part.knowing(Row::greater_equal(&size_a, &q.times(2)?)?), q, Affine::default())
            } else {
                let r = self.fresh(Auxiliary::Unknown);
                (part, Affine::default(), r)
            };
            let known = [
                Row::greater_equal(&r, &zero)?,
                Row::greater(&size_b, &r)?,
                Row::greater_equal(&q, &zero)?,
                Row::greater_equal(&size_a, &r)?,
            ];
            // Facts are about auxiliaries: what is only about variables is in the guard.
            let is_about =
                |row: &Row| row.affine().terms.iter().any(|t| t.0.as_auxiliary().is_some());
            part.facts.extend(known.into_iter().filter(is_about));
            part.outcome = Some(if is_quotient { q.times(sign)? } else { r.times(sign)? });
            cases.push(part);
        }
        cases.retain(|case| case.guard.iter().all(|row| row.truth() != Some(false)));
        Some(())
    }
}

/// The element of an array by comparisons of the index; beyond the array, an error.
fn element_of(array: &str, size: usize, index: &Expr) -> Expr {
    let span = index.span;
    let made = |kind: Kind| Box::new(Expr { kind, span });
    let error = || {
        let (one, zero) = (made(Kind::Number(1)), made(Kind::Number(0)));
        Kind::Binary(Arithmetic::Divide, one, zero)
    };
    let mut chain = error();
    for number in (0..=size).rev() {
        let limit = made(Kind::Number(number as i128));
        let below = made(Kind::Compare(Comparison::Less, Box::new(index.clone()), limit));
        let value = match number.checked_sub(1) {
            None => made(error()),
            Some(number) => made(Kind::Name(element(array, number))),
        };
        chain = Kind::Choose(below, value, made(chain));
    }
    Expr { kind: chain, span }
}

/// An index is looked at several times, so it must be the same each time.
pub(super) fn refuse_choice(index: &Expr) -> Result<()> {
    let mut todo = vec![index];
    while let Some(expr) = todo.pop() {
        if matches!(expr.kind, Kind::Any(..)) {
            let message = "an element cannot be chosen at random";
            let hint = "assign the number to a variable first";
            return Err(Fault::new("C104", index.span, message, hint));
        }
        todo.extend(parts(expr));
    }
    Ok(())
}

fn bounded<T>(cases: Vec<Case<T>>, span: Span) -> Result<Vec<Case<T>>> {
    if cases.len() <= MOST_CASES {
        return Ok(cases);
    }
    let message = "this expression has too many cases";
    Err(Fault::new("C104", span, message, "assign parts of it to variables first"))
}

fn joined<A, B, T>(first: &Case<A>, second: &Case<B>, outcome: Option<T>) -> Case<T> {
    let mut case = first.with(outcome);
    case.facts.extend_from_slice(&second.facts);
    case.guard.extend_from_slice(&second.guard);
    case
}

pub(super) fn unknown(name: &str, span: Span) -> Fault {
    let message = format!("`{name}` is not declared");
    Fault::new("C102", span, message, "declare it as an integer")
}

/// The cases of a comparison.
fn compare(
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

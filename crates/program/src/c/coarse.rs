//! What is said of expressions that have too many cases, or numbers that are too large: that they
//! have some value of their type, or, where they may divide by zero or leave an array, that they
//! may fail.
//!
//! The flow graph knows little of such a value, and nothing wrong: claims that depend on it are
//! decided by listing states, if they are.

use super::Fault;
use super::cases::{Case, Result, TOO_LARGE, TOO_MANY};
use super::lower::{Lowering, may_fail};
use super::syntax::{Expr, Type};
use super::typing::range;
use tern_ir::flow::{Affine, Auxiliary, Column, Row};

/// Cases with the auxiliaries that they speak of.
type Known<T> = (Vec<Case<T>>, Vec<Auxiliary>);

/// The auxiliary with this number lies between two numbers.
fn between(number: usize, low: i128, high: i128) -> Vec<Row> {
    let value = Affine::column(Column::auxiliary(number));
    let least = Row::greater_equal(&value, &Affine::constant(low));
    least.into_iter().chain(Row::greater_equal(&Affine::constant(high), &value)).collect()
}

impl Lowering<'_> {
    /// The cases of an expression of a type, or, if these are too many, what little is said.
    pub(super) fn values_or_some(&self, expr: &Expr, ty: Type) -> Result<Known<Affine>> {
        let (found, auxiliaries) = self.with_cases(|cases| cases.converted(expr, ty));
        match found {
            Err(fault) if says_little(&fault) => {
                let known = self.settings.widths.map(|widths| range(widths, ty));
                let facts = known.map_or(Vec::new(), |(low, high)| between(0, low, high));
                let value = Affine::column(Column::auxiliary(0));
                Ok(perhaps(expr, &facts, vec![(Vec::new(), value)]))
            }
            found => Ok((found?, auxiliaries)),
        }
    }

    /// The same of a condition.
    pub(super) fn tests_or_some(&self, expr: &Expr) -> Result<Known<bool>> {
        let (found, auxiliaries) = self.with_cases(|cases| cases.tests(expr));
        match found {
            Err(fault) if says_little(&fault) => {
                let outcomes = [(1, true), (0, false)];
                let outcomes = outcomes.map(|(number, truth)| (between(0, number, number), truth));
                Ok(perhaps(expr, &between(0, 0, 1), outcomes.to_vec()))
            }
            found => Ok((found?, auxiliaries)),
        }
    }
}

/// Whether a fault says that nothing can be said of an expression, though it is a sound one.
fn says_little(fault: &Fault) -> bool {
    fault.message == TOO_MANY || fault.message == TOO_LARGE
}

/// Cases about auxiliary 0, of which some facts are known; if the expression may fail, that is a
/// case too, and none is for sure.
fn perhaps<T>(expr: &Expr, facts: &[Row], outcomes: Vec<(Vec<Row>, T)>) -> Known<T> {
    let case = |(guard, outcome)| Case { facts: facts.to_vec(), guard, outcome: Some(outcome) };
    let mut cases: Vec<Case<T>> = outcomes.into_iter().map(case).collect();
    let mut auxiliaries = vec![Auxiliary::Unknown];
    if may_fail(expr) {
        auxiliaries.push(Auxiliary::Outcome);
        for case in &mut cases {
            case.facts.extend(between(1, 0, 1));
            case.guard.extend(between(1, 0, 0));
        }
        let guard = between(1, 1, 1);
        cases.push(Case { facts: between(1, 0, 1), guard, outcome: None });
    }
    (cases, auxiliaries)
}

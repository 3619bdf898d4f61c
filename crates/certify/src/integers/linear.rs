//! Linear sums over integers, and the check that a system of them has no point.
//!
//! This is arithmetic of its own: `tern-ir` lends the data only. A sum stands for the condition
//! that it is not negative. What becomes too large for 128 bits is `None`, and whoever needed it
//! refuses.

use crate::refusal::{Stopped, refuse};
use std::collections::BTreeMap;
use tern_ir::flow::{Affine, Column, Row};
use tern_ir::proof::Reason;
use tern_model::budget::Meter;

/// A sum of multiples of columns, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    /// In order of columns; no factor is 0.
    terms: Vec<(Column, i128)>,
    constant: i128,
}

/// A list of sums, none of which is to be negative.
pub(super) type System = Vec<Linear>;

impl Linear {
    pub(super) fn constant(constant: i128) -> Self {
        Linear { terms: Vec::new(), constant }
    }

    pub(super) fn column(column: Column) -> Self {
        Linear { terms: vec![(column, 1)], constant: 0 }
    }

    pub(super) fn sum(affine: &Affine) -> Option<Self> {
        let mut sum: BTreeMap<Column, i128> = BTreeMap::new();
        for &(column, factor) in &affine.terms {
            let term = sum.entry(column).or_insert(0);
            *term = term.checked_add(factor)?;
        }
        let terms = sum.into_iter().filter(|term| term.1 != 0).collect();
        Some(Linear { terms, constant: affine.constant })
    }

    /// A condition.
    pub(super) fn row(row: &Row) -> Option<Self> {
        Linear::sum(row.affine()).map(Linear::tight)
    }

    pub(super) fn columns(&self) -> impl Iterator<Item = Column> {
        self.terms.iter().map(|term| term.0)
    }

    /// Whether it is a constant that is not negative.
    pub(super) fn is_sure(&self) -> bool {
        self.terms.is_empty() && self.constant >= 0
    }

    /// `self + factor * other`
    pub(super) fn plus(&self, factor: i128, other: &Linear) -> Option<Linear> {
        let mut terms = self.terms.clone();
        for &(column, of_other) in &other.terms {
            let more = factor.checked_mul(of_other)?;
            match terms.binary_search_by_key(&column, |term| term.0) {
                Ok(at) => terms[at].1 = terms[at].1.checked_add(more)?,
                Err(at) => terms.insert(at, (column, more)),
            }
        }
        terms.retain(|term| term.1 != 0);
        let constant = self.constant.checked_add(factor.checked_mul(other.constant)?)?;
        Some(Linear { terms, constant })
    }

    /// The same with other sums for columns; columns for which there are none stay.
    pub(super) fn substitute<'a>(
        &self,
        of: impl Fn(Column) -> Option<&'a Linear>,
    ) -> Option<Linear> {
        if self.terms.iter().all(|term| of(term.0).is_none()) {
            return Some(self.clone());
        }
        let mut sum = Linear::constant(self.constant);
        for &(column, factor) in &self.terms {
            sum = match of(column) {
                Some(value) => sum.plus(factor, value)?,
                None => sum.plus(factor, &Linear::column(column))?,
            };
        }
        Some(sum)
    }

    /// The same for integers: divided by what the factors have in common, the constant rounded
    /// down.
    pub(super) fn tight(mut self) -> Linear {
        let mut common: u128 = 0;
        for &(_, factor) in &self.terms {
            let (mut a, mut b) = (common, factor.unsigned_abs());
            while b != 0 {
                (a, b) = (b, a % b);
            }
            common = a;
        }
        if let Ok(common) = i128::try_from(common)
            && common > 1
        {
            self.terms.iter_mut().for_each(|term| term.1 /= common);
            self.constant = self.constant.div_euclid(common);
        }
        self
    }

    /// The condition that is true just where this is not.
    pub(super) fn negated(&self) -> Option<Linear> {
        Linear::constant(-1).plus(-1, self).map(Linear::tight)
    }
}

/// Where something is, in words.
pub(super) type Place<'a> = &'a dyn Fn() -> String;

/// What is left to do of a refutation.
enum Work {
    Refute,
    /// This row is the last instead: the other side of a split. Or none: the split is done.
    Turn(Option<Linear>),
}

/// Checks that no integers make all rows of a system true. The system is as it was in the end.
pub(super) fn refuted(
    system: &mut System,
    reasons: &[Reason],
    place: Place<'_>,
    meter: &mut Meter<'_>,
) -> Result<(), Stopped> {
    let mut reasons = reasons.iter();
    let mut todo = vec![Work::Refute];
    while let Some(work) = todo.pop() {
        meter.tick()?;
        match work {
            Work::Refute => match reasons.next() {
                None => return refuse(place(), "a reason is missing"),
                Some(Reason::Sum(sum)) => adds_up(system, sum, place, meter)?,
                Some(Reason::Split(row)) => {
                    let row = Linear::row(row).and_then(|row| Some((row.negated()?, row)));
                    let Some((negated, row)) = row else {
                        return refuse(place(), "numbers become too large");
                    };
                    system.push(row);
                    todo.extend([Work::Turn(None), Work::Refute]);
                    todo.extend([Work::Turn(Some(negated)), Work::Refute]);
                }
            },
            Work::Turn(row) => {
                system.pop();
                system.extend(row);
            }
        }
    }
    match reasons.next() {
        None => Ok(()),
        Some(_) => refuse(place(), "there are more reasons than needed"),
    }
}

/// Checks that multiples of rows add up to a negative number.
fn adds_up(
    system: &System,
    sum: &[(u32, i128)],
    place: Place<'_>,
    meter: &mut Meter<'_>,
) -> Result<(), Stopped> {
    let mut total = Linear::constant(0);
    for &(row, factor) in sum {
        meter.tick()?;
        if factor < 0 {
            return refuse(place(), "a multiple is negative");
        }
        let Some(row) = system.get(row as usize) else {
            return refuse(place(), "there is no such row");
        };
        let Some(more) = total.plus(factor, row) else {
            return refuse(place(), "numbers become too large");
        };
        total = more;
    }
    match total.terms.is_empty() && total.constant < 0 {
        true => Ok(()),
        false => refuse(place(), "the rows do not add up to a negative number"),
    }
}

/// Checks that a row follows from a system.
pub(super) fn entailed(
    system: &mut System,
    row: Option<Linear>,
    reasons: &[Reason],
    place: Place<'_>,
    meter: &mut Meter<'_>,
) -> Result<(), Stopped> {
    let row = row.map(Linear::tight);
    if row.as_ref().is_some_and(Linear::is_sure) {
        return match reasons {
            [] => Ok(()),
            _ => refuse(place(), "there are more reasons than needed"),
        };
    }
    let Some(negated) = row.and_then(|row| row.negated()) else {
        return refuse(place(), "numbers become too large");
    };
    system.push(negated);
    let found = refuted(system, reasons, place, meter);
    system.pop();
    found
}

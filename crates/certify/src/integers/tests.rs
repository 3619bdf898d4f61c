//! Refutations that are none.

use super::linear::{Linear, System, Wrong, entailed, refuted};
use tern_ir::flow::{Affine, Column, Row};
use tern_ir::proof::Reason;
use tern_model::Budget;
use tern_model::budget::Meter;

/// `factor * x + constant >= 0`
fn row(factor: i128, constant: i128) -> Row {
    Row::at_least_zero(Affine { terms: vec![(Column::variable(0), factor)], constant })
}

fn system(rows: &[Row]) -> System {
    rows.iter().map(|row| Linear::row(row).expect("numbers are small")).collect()
}

fn is_refuted(rows: &[Row], reasons: &[Reason]) -> bool {
    let budget = Budget::unlimited();
    match refuted(&mut system(rows), reasons, &mut Meter::new(&budget)) {
        Ok(()) => true,
        Err(Wrong::Because(_)) => false,
        Err(Wrong::Limit(limit)) => panic!("{limit}"),
    }
}

#[test]
fn sums_must_be_negative_and_of_positive_multiples() {
    // x >= 1 and x <= 0
    let empty = [row(1, -1), row(-1, 0)];
    assert!(is_refuted(&empty, &[Reason::Sum(vec![(0, 1), (1, 1)])]));
    assert!(!is_refuted(&empty, &[Reason::Sum(vec![(0, 1)])]), "x is left");
    assert!(!is_refuted(&empty, &[Reason::Sum(vec![(0, 1), (2, 1)])]), "there is no such row");
    assert!(!is_refuted(&empty, &[]), "a reason is missing");
    let twice = || Reason::Sum(vec![(0, 1), (1, 1)]);
    assert!(!is_refuted(&empty, &[twice(), twice()]), "there is one too many");
    // x >= 0 and x <= 0: the sum is 0. x >= 0 and x >= 1: a difference is negative.
    assert!(!is_refuted(&[row(1, 0), row(-1, 0)], &[Reason::Sum(vec![(0, 1), (1, 1)])]));
    assert!(!is_refuted(&[row(1, 0), row(1, -1)], &[Reason::Sum(vec![(0, -1), (1, 1)])]));
    // Numbers that become too large prove nothing.
    let large = vec![(0, i128::MAX), (1, i128::MAX), (0, i128::MAX)];
    assert!(!is_refuted(&empty, &[Reason::Sum(large)]));
}

#[test]
fn both_sides_of_a_split_need_a_reason() {
    // 1 <= 2x <= 1, as rows that are not divided: x >= 1 and x <= 0 after rounding.
    let halves = [row(2, -1), row(-2, 1)];
    assert!(is_refuted(&halves, &[Reason::Sum(vec![(0, 1), (1, 1)])]));
    // 0 <= x <= 1 has points on both sides of x >= 1.
    let some = [row(1, 0), row(-1, 1)];
    let upper = || Reason::Sum(vec![(1, 1), (2, 1)]);
    assert!(!is_refuted(&some, &[Reason::Split(row(1, -2)), upper()]));
    assert!(!is_refuted(&some, &[Reason::Split(row(1, -2)), upper(), upper()]));
    let empty = [row(1, -1), row(-1, 0)];
    let both = || Reason::Sum(vec![(0, 1), (1, 1)]);
    assert!(is_refuted(&empty, &[Reason::Split(row(1, -2)), both(), both()]));
}

#[test]
fn a_row_follows_if_its_contrary_cannot_be() {
    let budget = Budget::unlimited();
    let follows = |wanted: Row, reasons: &[Reason]| {
        let mut known = system(&[row(1, -1)]);
        entailed(&mut known, Linear::row(&wanted), reasons, &mut Meter::new(&budget)).is_ok()
    };
    let sum = || Reason::Sum(vec![(0, 1), (1, 1)]);
    assert!(follows(row(1, 0), &[sum()]));
    assert!(follows(row(1, -1), &[sum()]));
    assert!(!follows(row(1, -2), &[sum()]));
    assert!(follows(Row::at_least_zero(Affine::constant(0)), &[]));
    assert!(!follows(Row::at_least_zero(Affine::constant(0)), &[sum()]));
    assert!(!follows(Row::at_least_zero(Affine::constant(-1)), &[]));
}

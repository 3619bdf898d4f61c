//! Which variables are worth following modulo a number ([`tern_ir::remainder`]).
//!
//! Those that the program divides by a constant, and those that change by multiples of one number;
//! then those that are assigned to these.

use crate::simplex::gcd;
use std::collections::{BTreeMap, BTreeSet};
use tern_ir::flow::{Column, Edge, Flow, Row};
use tern_ir::remainder::quotient;

/// The most variables that are followed.
const MOST: usize = 3;
/// The most that a variable is divided by.
const LARGEST: i128 = 1 << 20;

/// Variables, each with what it is divided by: first those that must be there, then more. `claim`
/// are the rows of propositions.
pub(crate) fn candidates(
    flow: &Flow,
    claim: &[Row],
    mut found: Vec<(usize, i128)>,
) -> Vec<(usize, i128)> {
    if flow.summary.is_some() || !flow.followed.is_empty() {
        return found;
    }
    let edges = || flow.edges.as_slice().iter();
    let mut add = |variable: usize, modulus: i128| {
        let is_new = !found.contains(&(variable, modulus));
        if is_new && (2..=LARGEST).contains(&modulus) && found.len() < MOST {
            found.push((variable, modulus));
        }
    };
    for edge in edges() {
        for number in 0..edge.auxiliaries.len() {
            if let Some((of, modulus, _)) = quotient(edge, number)
                && let [(column, 1 | -1)] = of.terms[..]
                && let Some(variable) = column.as_variable()
            {
                add(variable, modulus);
            }
        }
    }
    // What nothing is compared with need not be known so well.
    let rows = edges().flat_map(Edge::rows).chain(claim);
    let terms = rows.flat_map(|row| &row.affine().terms);
    let compared: BTreeSet<usize> = terms.filter_map(|term| term.0.as_variable()).collect();
    let mut strides: BTreeMap<usize, i128> = BTreeMap::new();
    for (variable, value) in edges().flat_map(|edge| &edge.update) {
        let own = Column::variable(*variable);
        if matches!(value.terms[..], [(column, 1)] if column == own) && value.constant != 0 {
            let stride = strides.entry(*variable).or_default();
            *stride = gcd(*stride, value.constant);
        }
    }
    for (variable, stride) in strides.into_iter().filter(|it| compared.contains(&it.0)) {
        add(variable, stride);
    }
    let mut at = 0;
    while let Some(&(variable, modulus)) = found.get(at) {
        at += 1;
        let values = edges().filter_map(|edge| edge.written(Column::variable(variable)));
        for &(column, factor) in values.flat_map(|value| &value.terms) {
            if let Some(read) = column.as_variable()
                && factor % modulus != 0
                && found.len() < MOST
                && !found.contains(&(read, modulus))
            {
                found.push((read, modulus));
            }
        }
    }
    found
}

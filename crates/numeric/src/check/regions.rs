//! For which initial values a claim holds, or fails: what `--precondition` prints.
//!
//! Cells are split where the analysis needs it, so that one condition may lie in many of them. Two
//! regions are put together where the rows that are true in both say exactly what the two say, as
//! `x >= 2` does for `x == 2` and `x >= 3`.

use super::Round;
use crate::label::{Label, Labeller, Labels};
use crate::partition::CellId;
use crate::system::Solver;
use tern_ir::flow::Row;
use tern_model::{Budget, Limit};

/// Initial states that have the same truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// What is true of them, beside what is true of all.
    pub rows: Vec<Row>,
    /// Whether the claim holds; `None` if that is not known.
    pub holds: Option<bool>,
}

/// Initial states, by cells, with what is known of the claim there.
pub(super) fn regions(
    labeller: &mut Labeller<'_, '_>,
    round: &Round,
    root: &Labels,
    starts: &[(usize, CellId)],
) -> Result<Vec<Region>, Limit> {
    let mut regions: Vec<Region> = Vec::new();
    for &(_, cell) in starts {
        let holds = match (root[cell], round.live[cell]) {
            (_, Label::Refuted) => continue,
            (Label::Proved, _) => Some(true),
            (Label::Refuted, Label::Proved) => Some(false),
            _ => None,
        };
        let mut wanted = Vec::new();
        for row in labeller.partition.cells[cell].own.clone() {
            // What is known of all initial states need not be said.
            if !is_known_at_first(labeller, &row)? {
                wanted.push(row);
            }
        }
        labeller.solver.reduce(&mut wanted)?;
        let region = Region { rows: wanted, holds };
        if !regions.contains(&region) {
            regions.push(region);
        }
    }
    Ok(regions)
}

/// Whether a row is true in all initial states.
fn is_known_at_first(labeller: &mut Labeller<'_, '_>, row: &Row) -> Result<bool, Limit> {
    for start in &labeller.partition.flow.starts {
        let known: Vec<Row> = start.rows().cloned().collect();
        let is_known = match row.substitute(|column| start.written(column)) {
            Some(before) => labeller.solver.entails(&known, &before)?,
            None => false,
        };
        if !is_known {
            return Ok(false);
        }
    }
    Ok(true)
}

/// How many pairs of regions are compared.
const MOST_PAIRS: usize = 20_000;

/// Puts regions together that are one, again and again, as far as the budget allows.
pub(super) fn merge(regions: &mut Vec<Region>, budget: &Budget) {
    let mut solver = Solver::new(budget);
    let (mut at, mut other) = (0, 1);
    for _ in 0..MOST_PAIRS {
        if other >= regions.len() {
            (at, other) = (at + 1, at + 2);
            if other >= regions.len() {
                return;
            }
        }
        if regions[at].holds != regions[other].holds {
            other += 1;
            continue;
        }
        match union(&mut solver, &regions[at].rows, &regions[other].rows) {
            Ok(Some(rows)) => {
                regions[at].rows = rows;
                regions.remove(other);
                // What did not fit before may fit now, also to one that came earlier.
                (at, other) = (0, 1);
            }
            Ok(None) => other += 1,
            // What is not put together is as true as before.
            Err(_) => return,
        }
    }
}

/// The rows that are true in both, if nothing else satisfies them.
fn union(
    solver: &mut Solver<'_>,
    first: &[Row],
    second: &[Row],
) -> Result<Option<Vec<Row>>, Limit> {
    let (mut both, mut only_first, mut only_second) = (Vec::new(), Vec::new(), Vec::new());
    for (rows, others, only) in
        [(first, second, &mut only_first), (second, first, &mut only_second)]
    {
        for row in rows {
            let kept = if solver.entails(others, row)? { &mut both } else { &mut *only };
            kept.push(row.clone());
        }
    }
    for (row, other) in only_first.iter().flat_map(|it| only_second.iter().map(move |to| (it, to)))
    {
        let (Some(row), Some(other)) = (row.negated(), other.negated()) else { return Ok(None) };
        if !solver.is_empty_of(&[&both, &[row, other]])? {
            return Ok(None);
        }
    }
    solver.reduce(&mut both)?;
    Ok(Some(both))
}

//! Steps of cells on cycles through *passing* points, in which no run stays for ever.
//!
//! A run that takes steps of a cycle for ever leaves each passing point again and again. What it
//! does between coming to such a point and leaving it changes only the variables that edges from
//! the point to itself change. So the cells of the point count as one place, the steps inside it
//! are left out, and what is known of those variables on leaving is not known on coming: it is
//! dropped. Whatever falls on all cycles of what is left falls on all cycles.

use crate::partition::{CellId, Partition};
use crate::rank::Relation;
use std::collections::BTreeSet;
use tern_ir::flow::{Affine, Edge, PointId, Row};
use tern_model::index::Id;

/// The relation of a step between cells, whose guard says all that is known; `Some(None)` if it is
/// one that no run takes for ever, and `None` if the step reads or keeps what changes
/// inside a passing point.
pub(crate) fn relation(
    partition: &Partition<'_>,
    (from, to): (CellId, CellId),
    mut edge: Edge,
) -> Option<Option<Relation>> {
    let points = [from, to].map(|cell| partition.cells[cell].point);
    let is_passing = points.map(|point| partition.flow.points[point].passing);
    if is_passing[0] && points[0] == points[1] {
        return Some(None);
    }
    if is_passing[0] {
        let changed = changed(partition, points[0]);
        let reads = |affine: &Affine| {
            let mut variables = affine.terms.iter().filter_map(|term| term.0.as_variable());
            variables.any(|variable| changed.contains(&variable))
        };
        let is_kept = |row: &Row| !reads(row.affine());
        edge.guard.retain(is_kept);
        edge.facts.retain(is_kept);
        let is_written = |variable: &usize| edge.update.iter().any(|(to, _)| to == variable);
        if edge.update.iter().any(|(_, value)| reads(value)) || !changed.iter().all(is_written) {
            return None;
        }
    }
    let place = |cell: CellId, is_passing: bool| match is_passing {
        true => partition.at(partition.cells[cell].point).first().copied().unwrap_or(cell),
        false => cell,
    };
    let (from, to) = (place(from, is_passing[0]), place(to, is_passing[1]));
    let waits = partition.flow.points[points[0]].waiting;
    Some(Some(Relation { from: from.index(), to: to.index(), edge, waits }))
}

/// The variables that edges from a point to itself change.
pub(crate) fn changed(partition: &Partition<'_>, point: PointId) -> BTreeSet<usize> {
    let edges = partition.flow.edges.as_slice().iter();
    let inner = edges.filter(|edge| edge.from == point && edge.to == point);
    inner.flat_map(|edge| edge.update.iter().map(|(variable, _)| *variable)).collect()
}

/// The same relations without places in passing points: what leads there is joined with what leads
/// away. `None` if there are too many, or cycles of such places only.
pub(crate) fn shortened(
    partition: &Partition<'_>,
    mut relations: Vec<Relation>,
) -> Option<Vec<Relation>> {
    const MOST: usize = 400;
    let is_passing = |place: usize| {
        let point = partition.cells[CellId::new(place)].point;
        partition.flow.points[point].passing
    };
    while let Some(place) = relations.iter().map(|it| it.from).find(|&from| is_passing(from)) {
        let (outs, rest): (Vec<Relation>, Vec<Relation>) =
            relations.into_iter().partition(|it| it.from == place);
        let (ins, mut rest): (Vec<Relation>, Vec<Relation>) =
            rest.into_iter().partition(|it| it.to == place);
        // A cycle of passing points only would be lost.
        let is_round = outs.iter().any(|it| it.to == place);
        if is_round || rest.len() + ins.len() * outs.len() > MOST {
            return None;
        }
        for first in &ins {
            for second in &outs {
                let edge = first.edge.then(&second.edge)?;
                let waits = first.waits && second.waits;
                rest.push(Relation { from: first.from, to: second.to, edge, waits });
            }
        }
        relations = rest;
    }
    // What comes to a passing point and does not leave it is on no cycle.
    relations.retain(|it| !is_passing(it.to));
    Some(relations)
}

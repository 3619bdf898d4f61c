//! Which cells to split, and by which rows, when a claim is not decided yet.
//!
//! A cell of which something is unknown although it is known for some of its successors is split by
//! what leads to these: the guard of the edge, and what the successor says before the edge. So
//! knowledge spreads backwards, as in the partition refinement of bisimulation. Beside that there
//! are rows by which a function would fall on a path that has no rank yet.

use crate::label::{Label, Labeller, Labels};
use crate::partition::{CellId, Step};
use crate::system::project_all;
use std::collections::BTreeMap;
use tern_ir::flow::Row;
use tern_model::Limit;

/// Rows with which cells may be split: candidates in order for each cell.
pub(crate) type Splits = BTreeMap<CellId, Vec<Row>>;

/// Notes splits for cells where `labels` is unknown, by the labels of their successors in `after`.
pub(crate) fn note(
    labeller: &mut Labeller<'_, '_>,
    labels: &Labels,
    after: &Labels,
    splits: &mut Splits,
) -> Result<(), Limit> {
    let unknown = |&&cell: &&CellId| labels[cell] == Label::Unknown && !splits.contains_key(&cell);
    let cells: Vec<CellId> = labeller.cells.iter().filter(unknown).copied().collect();
    for cell in cells {
        let steps: Vec<Step> = labeller.partition.steps(cell).to_vec();
        let known = |step: &&Step| after[step.to] != Label::Unknown;
        if steps.len() < 2
            && labeller.partition.flow.points[labeller.partition.cells[cell].point].total
        {
            continue;
        }
        let first = steps.first().map(|step| after[step.to]);
        if steps.iter().all(|step| Some(after[step.to]) == first) && first == Some(Label::Unknown) {
            continue;
        }
        let mut rows = Vec::new();
        for step in steps.iter().filter(known) {
            rows.extend(leading(labeller, cell, *step));
        }
        if !rows.is_empty() {
            splits.insert(cell, rows);
        }
    }
    Ok(())
}

/// The rows that say of a cell that a step can be taken.
fn leading(labeller: &Labeller<'_, '_>, cell: CellId, step: Step) -> Vec<Row> {
    const MOST: usize = 60;
    let partition = &*labeller.partition;
    let edge = &partition.flow.edges[step.edge];
    let mut rows: Vec<Row> = edge.rows().cloned().collect();
    rows.extend(partition.before(edge, step.to).unwrap_or_default());
    let has_auxiliaries =
        |row: &Row| row.affine().terms.iter().any(|t| t.0.as_auxiliary().is_some());
    let (mixed, mut plain): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(has_auxiliaries);
    let projected = project_all(&mixed, |column| column.as_auxiliary().is_some(), MOST);
    plain.extend(projected.map(|(rows, _)| rows).unwrap_or_default());
    let own = partition.rows(cell);
    plain.retain(|row| row.truth().is_none() && !own.contains(row));
    plain
}

/// Splits cells, each at most once. Says whether any was.
pub(crate) fn apply(labeller: &mut Labeller<'_, '_>, splits: &Splits) -> Result<bool, Limit> {
    let mut is_split = false;
    for (&cell, rows) in splits {
        for row in rows {
            if labeller.partition.split(cell, row, labeller.solver)?.is_some() {
                is_split = true;
                break;
            }
        }
    }
    Ok(is_split)
}

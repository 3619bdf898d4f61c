//! Which cells to split, and by which rows, when a claim is not decided yet.
//!
//! A cell of which something is unknown although it is known for some of its successors is split by
//! what leads to these: the guard of the edge, and what the successor says before the edge. So
//! knowledge spreads backwards, as in the partition refinement of bisimulation. Beside that there
//! are rows by which a function would fall on a path that has no rank yet.

use crate::label::{Label, Labeller, Labels};
use crate::partition::{CellId, Step};
use crate::system::{bounds, columns, project_all};
use std::collections::{BTreeMap, BTreeSet};
use tern_ir::flow::{Affine, Row};
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
        let known = |step: &Step| after[step.to] != Label::Unknown;
        let is_total = labeller.partition.flow.points[labeller.partition.cells[cell].point].total;
        let any_known = steps.iter().any(known);
        if is_total && (steps.len() < 2 || !any_known) {
            continue;
        }
        let mut rows = Vec::new();
        // Where steps may be missing, what is not known of those that are there may be just that
        // they are missing from some states.
        for step in steps.iter().filter(|step| known(step) || !any_known) {
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

/// The most values of a variable for which its values are told apart.
const FEW: i128 = 64;

/// Notes splits of cells where `labels` is unknown by the values of a variable that has few there:
/// of all, the one that has fewest. What is finite is decided that way in the end.
pub(crate) fn tell_apart(
    labeller: &Labeller<'_, '_>,
    labels: &Labels,
    splits: &mut Splits,
) -> Result<(), Limit> {
    for &cell in labeller.cells.iter().filter(|&&cell| labels[cell] == Label::Unknown) {
        let rows = labeller.partition.rows(cell);
        let mut best: Option<(i128, Row)> = None;
        for column in columns(&rows) {
            let value = Affine::column(column);
            let Some(negated) = value.times(-1) else { continue };
            let sums = [value.clone(), negated];
            let Some(most) = bounds(&rows, &sums, labeller.solver.budget())? else { continue };
            let (Some(high), Some(low)) = (most[0], most[1].and_then(i128::checked_neg)) else {
                continue;
            };
            let width = high.saturating_sub(low);
            if !(1..FEW).contains(&width) || best.as_ref().is_some_and(|(least, _)| *least <= width)
            {
                continue;
            }
            let middle = Affine::constant(low + width / 2);
            best = Row::greater_equal(&middle, &value).map(|row| (width, row)).or(best);
        }
        if let Some((_, row)) = best {
            splits.entry(cell).or_default().push(row);
        }
    }
    Ok(())
}

/// Splits cells, each at most once. Says whether any was.
pub(crate) fn apply(labeller: &mut Labeller<'_, '_>, splits: &Splits) -> Result<bool, Limit> {
    let (mut is_split, mut carried) = (false, 0);
    for (&cell, rows) in splits {
        if labeller.partition.parts(cell).is_some() {
            continue;
        }
        for row in rows {
            if labeller.partition.split(cell, row, labeller.solver)?.is_some() {
                is_split = true;
                carry_back(labeller, cell, row, &mut carried)?;
                break;
            }
        }
    }
    Ok(is_split)
}

/// The most cells that are split in one round because others are.
const MOST_CARRIED: usize = 200;

/// Splits the cells before a cell that was split, through steps that are the only ones of their
/// points: what is known after a straight piece of code is known before it at once, and not in as
/// many rounds as it has steps.
fn carry_back(
    labeller: &mut Labeller<'_, '_>,
    cell: CellId,
    row: &Row,
    carried: &mut usize,
) -> Result<(), Limit> {
    let flow = labeller.partition.flow;
    let mut seen = BTreeSet::from([labeller.partition.cells[cell].point]);
    let mut todo = vec![(cell, row.clone())];
    while let Some((cell, row)) = todo.pop() {
        let point = labeller.partition.cells[cell].point;
        for edge in flow.edges.as_slice().iter().filter(|edge| edge.to == point) {
            let before = row.substitute(|column| edge.written(column));
            let Some(before) = before.filter(|it| it.truth().is_none()) else { continue };
            let cells = labeller.partition.at(edge.from).to_vec();
            let is_straight = edge.auxiliaries.is_empty()
                && cells.first().is_some_and(|&it| labeller.partition.leaving(it).len() == 1);
            if !is_straight || !seen.insert(edge.from) {
                continue;
            }
            for earlier in cells {
                let leads = labeller.partition.steps(earlier).iter().any(|step| step.to == cell);
                if leads
                    && *carried < MOST_CARRIED
                    && labeller.partition.split(earlier, &before, labeller.solver)?.is_some()
                {
                    *carried += 1;
                    todo.push((earlier, before.clone()));
                }
            }
        }
    }
    Ok(())
}

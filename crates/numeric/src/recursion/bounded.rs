//! What is bounded where procedures are entered and left, and by which rows their variants are told
//! apart.

use crate::system::Solver;
use std::collections::BTreeSet;
use tern_ir::bodies::{Body, Whole};
use tern_ir::flow::{Affine, Column, Row};
use tern_ir::proof::Branch;
use tern_ir::summary;

/// What is bounded when a procedure is entered and left.
pub(super) fn templates(
    whole: &Whole<'_>,
    procedure: usize,
    cells: &[Vec<Row>],
) -> (Vec<Affine>, Vec<Affine>) {
    let it = &whole.calls.procedures[procedure];
    let of = |variables: &[usize]| -> Vec<Column> {
        variables.iter().map(|&variable| Column::variable(variable)).collect()
    };
    let used: Vec<usize> = whole.used_globals.iter().copied().collect();
    let mut given = of(&it.arguments);
    given.extend(of(&used));
    let mut entry = pairs(&given, 60);
    let rows: BTreeSet<&Row> = cells.iter().flatten().collect();
    let plain = |row: &&Row| Affine { constant: 0, ..row.affine().clone() };
    let of_cells: Vec<Affine> = rows.iter().map(plain).collect();
    entry.extend(of_cells.iter().filter_map(|it| it.times(-1)));
    entry.extend(of_cells.iter().cloned());
    let modified: Vec<usize> = whole.modified[procedure].iter().copied().collect();
    let copies = &it.copies[..it.arguments.len()];
    let mut left = of(&[it.result]);
    left.extend(of(copies));
    let mut sums: Vec<Vec<(usize, i128)>> = Vec::new();
    for (at, &first) in copies.iter().enumerate() {
        for &second in &copies[at + 1..] {
            sums.push(vec![(it.result, 1), (first, -1), (second, -1)]);
            sums.push(vec![(it.result, 1), (first, -1), (second, 1)]);
        }
        sums.push(vec![(it.result, 1), (first, -2)]);
        sums.push(vec![(it.result, 1), (first, 1)]);
    }
    for (copy, global) in whole.copies_of_globals(procedure) {
        if modified.contains(&global) {
            left.extend(of(&[global, copy]));
            for &first in copies {
                sums.push(vec![(global, 1), (copy, -1), (first, -1)]);
                sums.push(vec![(global, 1), (copy, -1), (first, 1)]);
            }
        } else if used.contains(&global) {
            left.extend(of(&[global]));
        }
    }
    sums.truncate(12);
    // What is added on the way up, so much for each step down.
    for factor in added(&whole.bodies[procedure]).into_iter().take(3) {
        for &first in copies.iter().take(2) {
            sums.push(vec![(it.result, 1), (first, -factor)]);
            let changed = whole.copies_of_globals(procedure).into_iter();
            for (copy, global) in changed.filter(|it| modified.contains(&it.1)).take(2) {
                sums.push(vec![(global, 1), (copy, -1), (first, -factor)]);
            }
        }
    }
    let mut exit = pairs(&left, 70);
    for sum in sums {
        for sign in [1, -1] {
            let mut terms: Vec<(Column, i128)> =
                sum.iter().map(|&(it, factor)| (Column::variable(it), sign * factor)).collect();
            terms.sort_unstable();
            exit.push(Affine { terms, constant: 0 });
        }
    }
    (entry, exit)
}

/// Numbers above 1 that a body adds to something.
fn added(body: &Body) -> BTreeSet<i128> {
    const LARGEST: i128 = 1 << 20;
    let updates = body.flow.edges.as_slice().iter().flat_map(|edge| &edge.update);
    let sums = updates.map(|(_, value)| value).filter(|value| !value.is_constant());
    let found = sums.map(|value| value.constant.saturating_abs());
    found.filter(|constant| (2..LARGEST).contains(constant)).collect()
}

/// The tree of variants: by rows that the body compares parameters with.
pub(super) fn cells(
    whole: &Whole<'_>,
    procedure: usize,
    most_rows: usize,
    solver: &mut Solver<'_>,
) -> Vec<Branch> {
    const MOST_CELLS: usize = 9;
    let rows = compared(whole, procedure);
    let mut tree = vec![Branch::Leaf];
    for row in rows.into_iter().take(most_rows) {
        let (Some(negated), Some(cells)) = (row.negated(), summary::leaves(&tree)) else {
            continue;
        };
        let (mut finer, mut cells, mut count) = (Vec::new(), cells.into_iter(), 0);
        for branch in &tree {
            if let Branch::Split(_) = branch {
                finer.push(branch.clone());
                continue;
            }
            let cell = cells.next().unwrap_or_default();
            let is_empty = |half: &Row, solver: &mut Solver<'_>| {
                let part: Vec<Row> = cell.iter().chain([half]).cloned().collect();
                solver.is_empty(&part).unwrap_or(false)
            };
            let is_split = !is_empty(&row, solver) && !is_empty(&negated, solver);
            if is_split {
                finer.extend([Branch::Split(row.clone()), Branch::Leaf]);
            }
            finer.push(Branch::Leaf);
            count += 1 + usize::from(is_split);
        }
        if count > MOST_CELLS {
            break;
        }
        tree = finer;
    }
    tree
}

/// Rows about arguments that a body compares its parameters with.
fn compared(whole: &Whole<'_>, procedure: usize) -> Vec<Row> {
    let it = &whole.calls.procedures[procedure];
    let is_given = |column: Column| {
        column.as_variable().is_some_and(|variable| {
            it.arguments.contains(&variable) || whole.calls.globals.contains(&variable)
        })
    };
    let mut rows: Vec<Row> = Vec::new();
    let edges = whole.bodies[procedure].flow.edges.as_slice();
    for row in edges.iter().flat_map(|edge| &edge.guard) {
        // A parameter stands for its argument.
        let Some(row) = summary::at_site(whole, procedure, row) else { continue };
        let terms = &row.affine().terms;
        let is_new = !rows.contains(&row) && row.negated().is_some_and(|it| !rows.contains(&it));
        let has_argument = terms.iter().any(|term| {
            term.0.as_variable().is_some_and(|variable| it.arguments.contains(&variable))
        });
        if is_new && has_argument && terms.iter().all(|term| is_given(term.0)) {
            rows.push(row);
        }
    }
    rows
}

/// Columns with both signs, and differences of any two; at most so many.
pub(super) fn pairs(columns: &[Column], most: usize) -> Vec<Affine> {
    let mut found = Vec::new();
    for &column in columns {
        for sign in [1, -1] {
            found.push(Affine { terms: vec![(column, sign)], constant: 0 });
        }
    }
    for (at, &left) in columns.iter().enumerate() {
        for &right in &columns[at + 1..] {
            for sign in [1, -1] {
                let mut terms = vec![(left, sign), (right, -sign)];
                terms.sort_unstable();
                found.push(Affine { terms, constant: 0 });
            }
        }
    }
    found.truncate(most);
    found
}

//! Which sums bounds are kept of, and where widening may stop.

use crate::equality::constant_sums;
use crate::rank::strongly_connected;
use std::collections::{BTreeMap, BTreeSet};
use tern_ir::flow::{Affine, Column, Edge, Flow, PointId, Row};
use tern_model::index::{Id, Table};
use tern_model::{Budget, Limit};

/// The most templates: each costs a linear program a step.
const MOST_TEMPLATES: usize = 90;

/// All rows that a program and its claims mention.
fn mentioned<'a>(flow: &'a Flow, hints: &'a [Row]) -> impl Iterator<Item = &'a Row> {
    let edges = flow.edges.as_slice().iter().chain(&flow.starts);
    edges.flat_map(Edge::rows).chain(hints)
}

/// What starts say of values that variables begin with, as rows about these variables.
fn begun(flow: &Flow) -> Vec<Row> {
    let mut all = Vec::new();
    for start in &flow.starts {
        let is_column = |value: &Affine| value.constant == 0 && matches!(value.terms[..], [(_, 1)]);
        let named: BTreeMap<Column, Affine> = (start.update.iter())
            .filter(|(_, value)| is_column(value))
            .map(|(to, value)| (value.terms[0].0, Affine::column(Column::variable(*to))))
            .collect();
        all.extend(start.rows().filter_map(|row| row.substitute(|column| named.get(&column))));
    }
    all
}

/// Variables that steps read or write, or that is spoken of. What only starts write does not matter
/// (see `slice`), and evidence must not speak of it.
pub(super) fn used(flow: &Flow, hints: &[Row]) -> BTreeSet<usize> {
    let updates = flow.edges.as_slice().iter().flat_map(|edge| &edge.update);
    let read = mentioned(flow, hints).map(Row::affine).chain(updates.clone().map(|it| &it.1));
    let terms = read.flat_map(|affine| &affine.terms);
    let mut used: BTreeSet<usize> = terms.filter_map(|term| term.0.as_variable()).collect();
    used.extend(updates.map(|it| it.0));
    used
}

/// Variables with both signs.
fn singles(variables: impl Iterator<Item = usize>) -> Vec<Affine> {
    let of = |variable: usize, sign: i128| Affine {
        terms: vec![(Column::variable(variable), sign)],
        constant: 0,
    };
    variables.flat_map(|variable| [of(variable, 1), of(variable, -1)]).collect()
}

/// All variables, and the sums of variables that edges compare, with both signs.
pub(super) fn compared(flow: &Flow) -> Vec<Affine> {
    let mut all = singles(0..flow.variables.len());
    let mut sums: BTreeSet<Affine> = BTreeSet::new();
    for row in mentioned(flow, &[]) {
        let terms = &row.affine().terms;
        if terms.len() > 1 && terms.iter().all(|term| term.0.as_variable().is_some()) {
            let sum = Affine { terms: terms.clone(), constant: 0 };
            sums.extend(sum.times(-1));
            sums.insert(sum);
        }
    }
    all.extend(sums);
    all
}

pub(super) fn templates(
    flow: &Flow,
    hints: &[Row],
    used: &BTreeSet<usize>,
    budget: &Budget,
) -> Result<Vec<Affine>, Limit> {
    let singles = singles(used.iter().copied());
    let mut pairs: BTreeSet<(Column, Column)> = BTreeSet::new();
    let mut others: BTreeSet<Affine> = BTreeSet::new();
    let is_variable = |column: &Column| column.as_variable().is_some();
    let mut relate = |columns: Vec<Column>| {
        for (at, &left) in columns.iter().enumerate() {
            pairs.extend(columns[at + 1..].iter().map(|&right| (left, right)));
        }
    };
    for affine in flow.followed.iter().filter_map(|it| it.relation()) {
        others.extend(affine.times(-1));
        others.insert(affine);
    }
    let mut begun = begun(flow);
    begun.retain(|row| {
        let mut variables = row.affine().terms.iter().map(|term| term.0.as_variable());
        variables.all(|variable| variable.is_some_and(|it| used.contains(&it)))
    });
    for row in mentioned(flow, hints).chain(&begun) {
        let columns: Vec<Column> = row.affine().terms.iter().map(|term| term.0).collect();
        if !columns.iter().all(is_variable) {
            continue;
        }
        let affine = Affine { terms: row.affine().terms.clone(), constant: 0 };
        let is_plain =
            columns.len() < 2 || columns.len() == 2 && affine.terms.iter().all(|t| t.1.abs() == 1);
        if columns.len() <= 3 {
            relate(columns);
        }
        if !is_plain && let Some(negated) = affine.times(-1) {
            others.extend([affine, negated]);
        }
    }
    for edge in flow.edges.as_slice().iter().chain(&flow.starts) {
        for (variable, value) in &edge.update {
            let own = Column::variable(*variable);
            let mut columns: Vec<Column> = value.terms.iter().map(|term| term.0).collect();
            columns.retain(is_variable);
            if columns.len() <= 2 && !columns.is_empty() && used.contains(variable) {
                columns.push(own);
                columns.sort_unstable();
                columns.dedup();
                relate(columns);
            }
        }
    }
    let mut all = singles;
    all.extend(others.iter().take(MOST_TEMPLATES / 3).cloned());
    let constant = constant(flow, used, None, budget)?;
    all.extend(constant.into_iter().filter(|sum| !others.contains(sum)));
    for &(left, right) in &pairs {
        if all.len() + 4 > MOST_TEMPLATES {
            break;
        }
        for (a, b) in [(1, -1), (-1, 1), (1, 1), (-1, -1)] {
            let sum = Affine { terms: vec![(left, a), (right, b)], constant: 0 };
            if !all.contains(&sum) {
                all.push(sum);
            }
        }
    }
    for more in [moved_together(flow, used), related_by_another(&pairs)] {
        let room = MOST_TEMPLATES.saturating_sub(all.len()).min(MOST_TOGETHER);
        let more: Vec<Affine> = more.into_iter().filter(|sum| !all.contains(sum)).collect();
        all.extend(more.into_iter().take(room));
    }
    Ok(all)
}

/// Differences of two variables that are both related to a third: `x - i` where the program
/// compares `i` with `n`, and a claim `x` with `n`.
fn related_by_another(pairs: &BTreeSet<(Column, Column)>) -> Vec<Affine> {
    let both = pairs.iter().flat_map(|&(left, right)| [(left, right), (right, left)]);
    let mut near: BTreeMap<Column, BTreeSet<Column>> = BTreeMap::new();
    both.for_each(|(left, right)| {
        near.entry(left).or_default().insert(right);
    });
    let mut found: BTreeSet<(Column, Column)> = BTreeSet::new();
    for columns in near.values() {
        for &left in columns {
            found.extend(columns.range(left..).skip(1).map(|&right| (left, right)));
        }
    }
    let of = |(left, right): (Column, Column), sign: i128| Affine {
        terms: vec![(left, sign), (right, -sign)],
        constant: 0,
    };
    found.into_iter().flat_map(|pair| [of(pair, 1), of(pair, -1)]).collect()
}

/// Sums that are constant where ways meet, with both signs. Rows that are true at each point say
/// which steps are none.
pub(super) fn constant(
    flow: &Flow,
    used: &BTreeSet<usize>,
    rows: Option<&Table<PointId, Option<Vec<Row>>>>,
    budget: &Budget,
) -> Result<Vec<Affine>, Limit> {
    let sums = constant_sums(flow, used, &meetings(flow), MOST_TEMPLATES / 6, rows, budget)?;
    Ok(sums.into_iter().flat_map(|sum| [sum.times(-1), Some(sum)]).flatten().collect())
}

/// The most sums of variables that only change in the same loops, and of those that are related by
/// another.
const MOST_TOGETHER: usize = 12;

/// The largest factor in such a sum: with larger ones, as where numbers wrap, reasons have numbers
/// that are too large to be written down.
const MOST_FACTOR: u128 = 1000;

/// Sums of two variables that change by constants in the same loop, which do not change if both do
/// so once a round: `x + 7*y` where `x -= 7` and `y++`; then the plain sum or difference.
fn moved_together(flow: &Flow, used: &BTreeSet<usize>) -> Vec<Affine> {
    let mut graph: Vec<Vec<usize>> = vec![Vec::new(); flow.points.len()];
    for edge in flow.edges.as_slice() {
        graph[edge.from.index()].push(edge.to.index());
    }
    let part = strongly_connected(&graph);
    let mut moved: BTreeSet<(usize, usize, i128)> = BTreeSet::new();
    for edge in flow.edges.as_slice() {
        let own = part[edge.from.index()];
        for (variable, value) in edge.update.iter().filter(|_| own == part[edge.to.index()]) {
            let is_step = value.terms == [(Column::variable(*variable), 1)] && value.constant != 0;
            if is_step && used.contains(variable) {
                moved.insert((own, *variable, value.constant));
            }
        }
    }
    let mut found: Vec<Affine> = Vec::new();
    for &(own, left, by) in &moved {
        let later = moved.range((own, left + 1, i128::MIN)..).take_while(|it| it.0 == own);
        for &(_, right, other) in later {
            let columns = [left, right].map(Column::variable);
            let is_small = [by, other].into_iter().all(|it| it.unsigned_abs() <= MOST_FACTOR);
            let weighted = is_small.then_some((by, other));
            for (by, other) in weighted.into_iter().chain([(by.signum(), other.signum())]) {
                // A row without a common divisor, and its negation.
                let terms = [(columns[0], other), (columns[1], -by)];
                let sum = Row::at_least_zero(Affine { terms: terms.to_vec(), constant: 0 });
                let sum = sum.affine().clone();
                for sum in [sum.times(-1), Some(sum)].into_iter().flatten() {
                    if !found.contains(&sum) {
                        found.push(sum);
                    }
                }
            }
        }
    }
    found
}

/// The points where ways meet, those that loops close at included.
fn meetings(flow: &Flow) -> BTreeSet<PointId> {
    let (mut once, mut meetings) = (BTreeSet::new(), BTreeSet::new());
    for edge in flow.edges.as_slice().iter().chain(&flow.starts) {
        if !once.insert(edge.to) {
            meetings.insert(edge.to);
        }
    }
    meetings
}

pub(super) fn thresholds(flow: &Flow, hints: &[Row], templates: &[Affine]) -> Vec<Vec<i128>> {
    let mut all: Vec<BTreeSet<i128>> = vec![BTreeSet::from([-1, 0, 1]); templates.len()];
    let mut note = |row: &Row| {
        // The row says that -sum <= constant.
        for (template, known) in templates.iter().zip(&mut all) {
            let same = |sign: i128| {
                let terms = &row.affine().terms;
                terms.len() == template.terms.len()
                    && terms
                        .iter()
                        .zip(&template.terms)
                        .all(|(a, b)| a.0 == b.0 && a.1 == sign * b.1)
            };
            let constant = row.affine().constant;
            if same(-1) {
                known.extend([constant, constant.saturating_add(1)]);
            } else if same(1) {
                known.extend([
                    constant.saturating_neg(),
                    constant.saturating_neg().saturating_sub(1),
                ]);
            }
        }
    };
    mentioned(flow, hints).chain(&begun(flow)).for_each(&mut note);
    all.into_iter().map(|known| known.into_iter().collect()).collect()
}

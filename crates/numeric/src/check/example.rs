//! Initial states: the cells that starts lead to, and single states in them.

use crate::label::Labeller;
use crate::partition::{CellId, Partition};
use crate::system::{Emptiness, Solver};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tern_ir::flow::{Affine, Auxiliary, Column, Edge, Row};
use tern_model::Limit;

/// An initial state.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    /// Which of the starts.
    pub(crate) start: usize,
    /// The values of the variables before it.
    pub(crate) variables: Vec<i128>,
    /// The values of its auxiliaries.
    pub(crate) auxiliaries: Vec<i128>,
    /// The cell that it is in.
    pub(crate) cell: CellId,
}

impl Example {
    /// Rows of the start with values for all but what is unknown.
    pub(crate) fn fixed(&self, start: &Edge, rows: &[Row]) -> Option<Vec<Row>> {
        let values = self.constants(start);
        rows.iter().map(|row| row.substitute(|column| values.get(&column))).collect()
    }

    fn constants(&self, start: &Edge) -> BTreeMap<Column, Affine> {
        let mut values = BTreeMap::new();
        for (number, &value) in self.variables.iter().enumerate() {
            values.insert(Column::variable(number), Affine::constant(value));
        }
        for (number, &value) in self.auxiliaries.iter().enumerate() {
            if start.auxiliaries.get(number) == Some(&Auxiliary::Choice) {
                values.insert(Column::auxiliary(number), Affine::constant(value));
            }
        }
        values
    }

    /// The start with these values.
    pub(crate) fn start(&self, start: &Edge) -> Option<Edge> {
        let mut fixed = start.clone();
        fixed.facts = self.fixed(start, &start.facts)?;
        fixed.guard = self.fixed(start, &start.guard)?;
        fixed.update.clear();
        let values = self.constants(start);
        for (variable, &value) in self.variables.iter().enumerate() {
            let value = match start.written(Column::variable(variable)) {
                None => Affine::constant(value),
                Some(written) => written.substitute(|column| values.get(&column))?,
            };
            fixed.update.push((variable, value));
        }
        Some(fixed)
    }

    /// The values of the variables in the state.
    pub(super) fn values(&self, start: &Edge) -> Option<Vec<i128>> {
        let of = |column: Column| match (column.as_variable(), column.as_auxiliary()) {
            (Some(variable), _) => self.variables[variable],
            (_, number) => number.map_or(0, |number| self.auxiliaries[number]),
        };
        let after = |variable: usize| {
            let column = Column::variable(variable);
            start.written(column).map_or(Some(of(column)), |value| value.evaluate(of))
        };
        (0..self.variables.len()).map(after).collect()
    }
}

/// The cells that starts lead to.
pub(super) fn initial(
    partition: &Partition<'_>,
    solver: &mut Solver<'_>,
) -> Result<Vec<(usize, CellId)>, Limit> {
    let mut found = Vec::new();
    for (number, start) in partition.flow.starts.iter().enumerate() {
        for &cell in partition.at(start.to) {
            if partition.may_step(&[], start, cell, solver)? {
                found.push((number, cell));
            }
        }
    }
    Ok(found)
}

/// An initial state that is in a cell for sure, whatever unknown values it comes from.
pub(super) fn example(
    labeller: &mut Labeller<'_, '_>,
    number: usize,
    cell: CellId,
) -> Result<Option<Example>, Limit> {
    let flow = labeller.partition.flow;
    let start = &flow.starts[number];
    let Some(before) = labeller.partition.before(start, cell) else { return Ok(None) };
    let mut rows: Vec<Row> = start.rows().cloned().collect();
    rows.extend(before.iter().cloned());
    let Emptiness::Point(point) = labeller.solver.solve(&rows)? else { return Ok(None) };
    let known: FxHashMap<Column, i128> = point.into_iter().collect();
    let of = |column: Column| known.get(&column).copied().unwrap_or(0);
    let variables = (0..flow.variables.len()).map(|it| of(Column::variable(it))).collect();
    let auxiliaries = (0..start.auxiliaries.len()).map(|it| of(Column::auxiliary(it))).collect();
    let example = Example { start: number, variables, auxiliaries, cell };
    let wanted: Vec<Row> = start.guard.iter().chain(&before).cloned().collect();
    let fixed = (example.fixed(start, &start.facts), example.fixed(start, &wanted));
    let (Some(facts), Some(wanted)) = fixed else { return Ok(None) };
    for row in &wanted {
        if !labeller.solver.entails(&facts, row)? {
            return Ok(None);
        }
    }
    Ok(Some(example))
}

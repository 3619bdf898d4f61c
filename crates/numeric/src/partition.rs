//! The states of a flow graph in cells, and which cells lead to which.
//!
//! A cell is a point, the invariant of that point, and rows by which it was split from others. The
//! cells of a point are the leaves of a binary tree whose inner nodes are rows, so they are
//! disjoint and cover the invariant. That a cell may lead to another by an edge is found out when
//! it is asked for, and kept until one of the two is split.

use crate::system::Solver;
use std::rc::Rc;
use tern_ir::flow::{Affine, Auxiliary, Column, Edge, EdgeId, Flow, PointId, Row};
use tern_model::Limit;
use tern_model::index::Table;

tern_model::indices! {
    /// A cell; also those that were split.
    pub(crate) CellId = "c";
}

/// A set of states of one point.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) point: PointId,
    /// The rows by which it was split, beside the invariant.
    pub(crate) own: Vec<Row>,
    /// The two cells that it was split into.
    parts: Option<[CellId; 2]>,
}

/// An edge that some state of a cell may take to another cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Step {
    pub(crate) edge: EdgeId,
    pub(crate) to: CellId,
}

/// The cells.
pub(crate) struct Partition<'a> {
    pub(crate) flow: &'a Flow,
    pub(crate) invariants: &'a Table<PointId, Option<Vec<Row>>>,
    leaving: Table<PointId, Vec<EdgeId>>,
    /// The edges of the flow graph.
    pub(crate) edges: Table<EdgeId, Rc<Edge>>,
    pub(crate) cells: Table<CellId, Cell>,
    /// The cells of each point that are not split.
    leaves: Table<PointId, Vec<CellId>>,
    /// The first cell of each point.
    roots: Table<PointId, Option<CellId>>,
    /// The steps of each cell, as far as they were asked for; targets may have been split since.
    steps: Table<CellId, Option<Vec<Step>>>,
}

impl<'a> Partition<'a> {
    pub(crate) fn new(flow: &'a Flow, invariants: &'a Table<PointId, Option<Vec<Row>>>) -> Self {
        let mut cells = Table::new();
        let mut leaves: Table<PointId, Vec<CellId>> = Table::new();
        let mut roots = Table::new();
        for point in flow.points.ids() {
            let whole = Cell { point, own: Vec::new(), parts: None };
            let root = invariants[point].is_some().then(|| cells.push(whole));
            leaves.push(root.into_iter().collect());
            roots.push(root);
        }
        let steps = Table::filled(None, cells.len());
        let edges = flow.edges.as_slice().iter().map(|edge| Rc::new(edge.clone())).collect();
        let leaving = flow.leaving();
        Partition { flow, invariants, leaving, edges, cells, leaves, roots, steps }
    }

    /// All cells that are not split, by points.
    pub(crate) fn all(&self) -> Vec<CellId> {
        self.leaves.as_slice().iter().flatten().copied().collect()
    }

    /// The cells of a point that are not split.
    pub(crate) fn at(&self, point: PointId) -> &[CellId] {
        &self.leaves[point]
    }

    pub(crate) fn leaving(&self, cell: CellId) -> &[EdgeId] {
        &self.leaving[self.cells[cell].point]
    }

    /// All rows that are true in a cell.
    pub(crate) fn rows(&self, cell: CellId) -> Vec<Row> {
        let Cell { point, own, .. } = &self.cells[cell];
        let mut rows = self.invariants[*point].clone().unwrap_or_default();
        rows.extend_from_slice(own);
        rows
    }

    /// Splits a cell by a row if both parts have states; the part where it is true comes first.
    pub(crate) fn split(
        &mut self,
        cell: CellId,
        row: &Row,
        solver: &mut Solver<'_>,
    ) -> Result<Option<[CellId; 2]>, Limit> {
        let Some(negated) = row.negated() else { return Ok(None) };
        let rows = self.rows(cell);
        for half in [row, &negated] {
            if solver.is_empty_of(&[&rows, std::slice::from_ref(half)])? {
                return Ok(None);
            }
        }
        let parts = [row.clone(), negated].map(|half| {
            let Cell { point, own, .. } = &self.cells[cell];
            let mut own = own.clone();
            own.push(half);
            let part = Cell { point: *point, own, parts: None };
            self.steps.push(None);
            self.cells.push(part)
        });
        self.cells[cell].parts = Some(parts);
        let leaves = &mut self.leaves[self.cells[cell].point];
        leaves.retain(|&leaf| leaf != cell);
        leaves.extend(parts);
        Ok(Some(parts))
    }

    /// The cell that is all of a point, split or not.
    pub(crate) fn root(&self, point: PointId) -> Option<CellId> {
        self.roots[point]
    }

    /// The row that a cell was split by, and its two parts.
    pub(crate) fn parts(&self, cell: CellId) -> Option<(&Row, [CellId; 2])> {
        let parts = self.cells[cell].parts?;
        self.cells[parts[0]].own.last().map(|row| (row, parts))
    }

    /// The cells that were made of a cell since.
    pub(crate) fn leaves_of(&self, cell: CellId) -> Vec<CellId> {
        let (mut found, mut todo) = (Vec::new(), vec![cell]);
        while let Some(cell) = todo.pop() {
            match self.cells[cell].parts {
                None => found.push(cell),
                Some(parts) => todo.extend(parts.iter().rev()),
            }
        }
        found
    }

    /// What the cell at the end of an edge says before the edge.
    pub(crate) fn before(&self, edge: &Edge, to: CellId) -> Option<Vec<Row>> {
        let own = &self.cells[to].own;
        own.iter().map(|row| row.substitute(|column| edge.written(column))).collect()
    }

    /// Whether some state for which `rows` are true may take an edge into a cell.
    pub(crate) fn may_step(
        &self,
        rows: &[Row],
        edge: &Edge,
        to: CellId,
        solver: &mut Solver<'_>,
    ) -> Result<bool, Limit> {
        let Some(before) = self.before(edge, to) else { return Ok(true) };
        Ok(!solver.is_empty_of(&[rows, &edge.facts, &edge.guard, &before])?)
    }

    /// Brings the steps of a cell up to date.
    pub(crate) fn find_steps(
        &mut self,
        cell: CellId,
        solver: &mut Solver<'_>,
    ) -> Result<(), Limit> {
        let candidates: Vec<Step> = match &self.steps[cell] {
            None => {
                let targets = |&edge: &EdgeId| {
                    let leaves = &self.leaves[self.flow.edges[edge].to];
                    leaves.iter().map(move |&to| Step { edge, to })
                };
                self.leaving(cell).iter().flat_map(targets).collect()
            }
            Some(steps) if steps.iter().all(|step| self.cells[step.to].parts.is_none()) => {
                return Ok(());
            }
            Some(steps) => {
                let now = |step: &Step| {
                    let edge = step.edge;
                    self.leaves_of(step.to).into_iter().map(move |to| Step { edge, to })
                };
                steps.iter().flat_map(now).collect()
            }
        };
        let rows = self.rows(cell);
        let mut steps = Vec::new();
        for step in candidates {
            if self.may_step(&rows, &self.flow.edges[step.edge], step.to, solver)? {
                steps.push(step);
            }
        }
        self.steps[cell] = Some(steps);
        Ok(())
    }

    /// The steps of a cell; they must have been found.
    pub(crate) fn steps(&self, cell: CellId) -> &[Step] {
        self.steps[cell].as_deref().unwrap_or_default()
    }
}

/// The edge with values for its choices, as far as they are given: what is left is one step of each
/// state.
pub(crate) fn choose(edge: &Edge, choices: &[(usize, Affine)]) -> Option<Edge> {
    let of = |column: Column| {
        let number = column.as_auxiliary()?;
        choices.iter().find(|(chosen, _)| *chosen == number).map(|(_, value)| value)
    };
    let rows = |rows: &[Row]| rows.iter().map(|row| row.substitute(of)).collect::<Option<_>>();
    let update =
        edge.update.iter().map(|(variable, value)| Some((*variable, value.substitute(of)?)));
    Some(Edge {
        facts: rows(&edge.facts)?,
        guard: rows(&edge.guard)?,
        update: update.collect::<Option<_>>()?,
        ..edge.clone()
    })
}

/// The auxiliaries of an edge that are the program's choice.
pub(crate) fn choices(edge: &Edge) -> Vec<usize> {
    let numbered = edge.auxiliaries.iter().enumerate();
    numbered.filter(|(_, kind)| **kind == Auxiliary::Choice).map(|(number, _)| number).collect()
}

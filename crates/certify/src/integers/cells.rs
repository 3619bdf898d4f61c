//! The cells of a proof, and where edges lead from them.

use super::linear::{Linear, Place, System, entailed, refuted};
use crate::refusal::{Stopped, demand, refuse};
use std::collections::BTreeMap;
use tern_ir::flow::{Auxiliary, Column, Edge, Flow, PointId, Row};
use tern_ir::proof::{Branch, CellNumber, Kept, Proof, Start, Walk};
use tern_model::Id;
use tern_model::budget::Meter;
use tern_model::index::Table;

/// A node of the tree of a point.
struct Node {
    /// The node above, and the row that leads here from there.
    above: Option<(usize, Linear)>,
    depth: usize,
    /// Where the nodes below end.
    end: usize,
    /// The cell, if it is a leaf.
    cell: Option<CellNumber>,
}

/// An edge in the arithmetic of the checker.
#[derive(Clone)]
pub(super) struct Step {
    pub(super) to: PointId,
    pub(super) auxiliaries: Vec<Auxiliary>,
    pub(super) facts: Vec<Linear>,
    pub(super) guard: Vec<Linear>,
    pub(super) written: BTreeMap<Column, Linear>,
}

impl Step {
    fn new(edge: &Edge) -> Option<Step> {
        let rows = |rows: &[Row]| rows.iter().map(Linear::row).collect::<Option<Vec<_>>>();
        let written = |(variable, value): &(usize, _)| {
            Some((Column::variable(*variable), Linear::sum(value)?))
        };
        Some(Step {
            to: edge.to,
            auxiliaries: edge.auxiliaries.clone(),
            facts: rows(&edge.facts)?,
            guard: rows(&edge.guard)?,
            written: edge.update.iter().map(written).collect::<Option<_>>()?,
        })
    }

    /// The step with values for its choices.
    pub(super) fn chosen(&self, choices: &BTreeMap<Column, Linear>) -> Option<Step> {
        let of = |column: Column| choices.get(&column);
        let row = |row: &Linear| row.substitute(of).map(Linear::tight);
        let written = |(column, value): (&Column, &Linear)| Some((*column, value.substitute(of)?));
        Some(Step {
            to: self.to,
            auxiliaries: self.auxiliaries.clone(),
            facts: self.facts.iter().map(row).collect::<Option<_>>()?,
            guard: self.guard.iter().map(row).collect::<Option<_>>()?,
            written: self.written.iter().map(written).collect::<Option<_>>()?,
        })
    }
}

/// The cells of a proof.
pub(super) struct Cells<'a> {
    pub(super) flow: &'a Flow,
    pub(super) edges: Vec<Step>,
    /// The edges of each point, by their positions.
    pub(super) leaving: Table<PointId, Vec<usize>>,
    pub(super) starts: Vec<Step>,
    invariants: Vec<Option<Vec<Linear>>>,
    trees: Vec<Vec<Node>>,
    /// The point of each cell, and its node in the tree.
    cells: Vec<(PointId, usize)>,
}

impl<'a> Cells<'a> {
    /// Reads the cells of a proof, and checks that its invariants are true.
    pub(super) fn new(
        flow: &'a Flow,
        proof: &Proof,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Stopped> {
        let points = flow.points.len();
        if proof.invariants.len() != points || proof.trees.len() != points {
            return refuse("the invariants and trees", "there are not as many as points");
        }
        let all = |edges: &mut dyn Iterator<Item = &Edge>| edges.map(Step::new).collect();
        let edges: Option<Vec<Step>> = all(&mut flow.edges.as_slice().iter());
        let starts: Option<Vec<Step>> = all(&mut flow.starts.iter());
        let (Some(edges), Some(starts)) = (edges, starts) else {
            return refuse("the program", "its numbers are too large");
        };
        let mut leaving: Table<PointId, Vec<usize>> = Table::filled(Vec::new(), points);
        for (position, edge) in flow.edges.as_slice().iter().enumerate() {
            leaving[edge.from].push(position);
        }
        let (invariants, trees, cells) = Default::default();
        let mut all = Cells { flow, edges, leaving, starts, invariants, trees, cells };
        for (point, rows) in flow.points.ids().zip(&proof.invariants) {
            let of = || format!("the invariant of point {}", point.index());
            let rows = match rows {
                None => None,
                Some(rows) => {
                    let rows = rows.iter().map(|row| all.about_variables(row, &of));
                    Some(rows.collect::<Result<Vec<_>, _>>()?)
                }
            };
            all.invariants.push(rows);
        }
        for (point, tree) in flow.points.ids().zip(&proof.trees) {
            let nodes = all.tree(point, tree, meter)?;
            all.trees.push(nodes);
        }
        all.check_invariants(proof, meter)?;
        Ok(all)
    }

    /// A row that says something of states.
    fn about_variables(&self, row: &Row, of: Place<'_>) -> Result<Linear, Stopped> {
        let Some(row) = Linear::row(row) else { return refuse(of(), "numbers become too large") };
        self.check_variables(&row, of)?;
        Ok(row)
    }

    /// Checks that a sum is about variables only.
    pub(super) fn check_variables(&self, sum: &Linear, of: Place<'_>) -> Result<(), Stopped> {
        let count = self.flow.variables.len();
        let is_good = sum.columns().all(|it| it.as_variable().is_some_and(|it| it < count));
        demand(is_good, of, "it speaks of something that is no variable")
    }

    /// Reads a tree; its leaves are the next cells.
    fn tree(
        &mut self,
        point: PointId,
        tree: &[Branch],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Node>, Stopped> {
        let of = || format!("the tree of point {}", point.index());
        if tree.is_empty() != self.invariants[point.index()].is_none() {
            return refuse(of(), "it must be there just if there is an invariant");
        }
        let mut nodes: Vec<Node> = Vec::new();
        // The nodes whose second part comes next, with the row that leads there.
        let mut open: Vec<(usize, Linear)> = Vec::new();
        let mut above = None;
        for (at, branch) in tree.iter().enumerate() {
            meter.tick()?;
            if at > 0 && above.is_none() {
                return refuse(of(), "it has more nodes than needed");
            }
            let depth = above.as_ref().map_or(0, |(it, _): &(usize, Linear)| nodes[*it].depth + 1);
            let mut node = Node { above: above.take(), depth, end: at + 1, cell: None };
            match branch {
                Branch::Split(row) => {
                    let row = self.about_variables(row, &of)?;
                    let Some(negated) = row.negated() else {
                        return refuse(of(), "numbers become too large");
                    };
                    open.push((at, negated));
                    above = Some((at, row));
                }
                Branch::Leaf => {
                    node.cell = Some(self.cells.len() as CellNumber);
                    self.cells.push((point, at));
                    above = open.pop();
                }
            }
            nodes.push(node);
        }
        if above.is_some() {
            return refuse(of(), "it has fewer nodes than needed");
        }
        for at in (0..nodes.len()).rev() {
            let end = nodes[at].end;
            if let Some((above, _)) = nodes[at].above {
                nodes[above].end = nodes[above].end.max(end);
            }
        }
        Ok(nodes)
    }

    fn check_invariants(&self, proof: &Proof, meter: &mut Meter<'_>) -> Result<(), Stopped> {
        // A claim that fails does so in one state: what follows from there is enough.
        let starts = match &proof.start {
            None => self.starts.clone(),
            Some(start) => vec![self.fixed(start)?],
        };
        if proof.begun.len() != starts.len() || proof.kept.len() != self.edges.len() {
            return refuse("the reasons of invariants", "there are not as many as edges");
        }
        for (number, (start, kept)) in starts.iter().zip(&proof.begun).enumerate() {
            let place = || format!("start {number}");
            self.kept(&[], start, kept, &place, meter)?;
        }
        let edges = self.flow.edges.as_slice().iter().zip(&self.edges);
        for (number, ((edge, step), kept)) in edges.zip(&proof.kept).enumerate() {
            let place = || format!("edge {number}");
            match (&self.invariants[edge.from.index()], kept) {
                (None, _) => {}
                (Some(rows), Some(kept)) => self.kept(rows, step, kept, &place, meter)?,
                (Some(_), None) => return refuse(place(), "there are no reasons for it"),
            }
        }
        Ok(())
    }

    /// Checks that the invariant of its target is true after a step.
    fn kept(
        &self,
        before: &[Linear],
        step: &Step,
        kept: &Kept,
        place: Place<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Stopped> {
        let mut system: System = before.to_vec();
        system.extend(step.facts.iter().chain(&step.guard).cloned());
        match (kept, &self.invariants[step.to.index()]) {
            (Kept::Dead(reasons), _) => refuted(&mut system, reasons, place, meter),
            (Kept::Rows(reasons), Some(rows)) if reasons.len() == rows.len() => {
                for (row, reasons) in rows.iter().zip(reasons) {
                    let row = row.substitute(|column| step.written.get(&column));
                    entailed(&mut system, row, reasons, place, meter)?;
                }
                Ok(())
            }
            _ => refuse(place(), "there is not one reason for each row"),
        }
    }

    /// How many cells there are.
    pub(super) fn count(&self) -> usize {
        self.cells.len()
    }

    pub(super) fn point(&self, cell: CellNumber) -> PointId {
        self.cells[cell as usize].0
    }

    /// Whether the point of a cell is a waiting one.
    pub(super) fn waits(&self, cell: CellNumber) -> bool {
        self.flow.points[self.point(cell)].waiting
    }

    /// All rows that are true in a cell: those of the invariant, then those on the way to it.
    pub(super) fn rows(&self, cell: CellNumber) -> System {
        let (point, node) = self.cells[cell as usize];
        let mut own = Vec::new();
        let mut above = &self.trees[point.index()][node].above;
        while let Some((next, row)) = above {
            own.push(row.clone());
            above = &self.trees[point.index()][*next].above;
        }
        let mut rows = self.invariants[point.index()].clone().unwrap_or_default();
        rows.extend(own.into_iter().rev());
        rows
    }

    /// A start with values for all variables, and for what is chosen.
    pub(super) fn fixed(&self, start: &Start) -> Result<Step, Stopped> {
        let place = "the initial state";
        let Some(step) = self.starts.get(start.start as usize) else {
            return refuse(place, "there is no such start");
        };
        if start.variables.len() != self.flow.variables.len()
            || start.auxiliaries.len() != step.auxiliaries.len()
        {
            return refuse(place, "there is not one value for each variable and choice");
        }
        let mut values: BTreeMap<Column, Linear> = BTreeMap::new();
        for (number, &value) in start.variables.iter().enumerate() {
            values.insert(Column::variable(number), Linear::constant(value));
        }
        let mut chosen = values.clone();
        for (number, (&value, kind)) in start.auxiliaries.iter().zip(&step.auxiliaries).enumerate()
        {
            if *kind == Auxiliary::Choice {
                chosen.insert(Column::auxiliary(number), Linear::constant(value));
            }
        }
        let Some(mut step) = step.chosen(&chosen) else {
            return refuse(place, "numbers become too large");
        };
        // What is not written keeps its value.
        values.append(&mut step.written);
        step.written = values;
        Ok(step)
    }

    /// The cells that a step leads to from where these rows are true.
    pub(super) fn walk(
        &self,
        before: &[Linear],
        step: &Step,
        walk: &[Walk],
        place: Place<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<CellNumber>, Stopped> {
        let mut system: System = before.to_vec();
        system.extend(step.facts.iter().chain(&step.guard).cloned());
        let (base, tree) = (system.len(), &self.trees[step.to.index()]);
        let (mut next, mut reached) = (0, Vec::new());
        for entry in walk {
            meter.tick()?;
            let Some(node) = tree.get(next) else {
                return refuse(place(), "the walk is longer than the tree");
            };
            if let Some((_, row)) = &node.above {
                system.truncate(base + node.depth - 1);
                // What is too large is left out: the position counts.
                let row = row.substitute(|column| step.written.get(&column)).map(Linear::tight);
                system.push(row.unwrap_or_else(Linear::default));
            }
            match entry {
                Walk::On => {
                    reached.extend(node.cell);
                    next += 1;
                }
                Walk::Dead(reasons) => {
                    refuted(&mut system, reasons, place, meter)?;
                    next = node.end;
                }
            }
        }
        match next == tree.len() {
            true => Ok(reached),
            false => refuse(place(), "the walk is shorter than the tree"),
        }
    }
}

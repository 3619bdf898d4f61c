//! Why steps do not stay in a level: ranks, followed along all paths between cuts.
//!
//! A path begins with the rows of its first cell; each step adds the facts and the guard of its
//! edge and the rows of the next cell, all said in the variables of the beginning and in the
//! auxiliaries of the edges, which are numbered through.

use super::{Gap, Prover, Result};
use crate::label::{Cells, Reasons};
use crate::partition::CellId;
use crate::passing::changed;
use crate::rank::Ranking;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tern_ir::flow::{Affine, Column, Edge, PointId, Row};
use tern_ir::proof::{Group, Path, Progress, Refutation};
use tern_model::index::Id;

const TOO_LARGE: Gap = Gap::NotFound("a rank, because numbers become too large");

/// The steps of cells that stay in a level.
type Steps = BTreeMap<CellId, Vec<(Edge, CellId)>>;

/// A path that is followed.
#[derive(Clone)]
struct Trail {
    from: CellId,
    at: CellId,
    rows: Vec<Row>,
    /// The values of variables that were written, by what was true at the beginning.
    values: FxHashMap<Column, Affine>,
    auxiliaries: usize,
    /// Whether it has come by waiting points only.
    waits: bool,
}

impl Prover<'_, '_> {
    /// The levels of cells, and the ranks of levels that steps stay in: those of ways, or all.
    pub(super) fn progress(
        &mut self,
        cells: &Cells,
        reasons: &Reasons,
        by_ways: bool,
    ) -> Result<Progress> {
        let mut members: BTreeMap<u32, Vec<CellId>> = BTreeMap::new();
        let mut progress = Progress::default();
        for &cell in cells {
            let level = reasons.levels.get(&cell).copied();
            let level = level.ok_or(Gap::NotFound("a level"))?;
            members.entry(level).or_default().push(cell);
            progress.levels.push((self.number(cell), level));
        }
        progress.levels.sort_unstable();
        for (&level, ranking) in &reasons.ranked {
            let Some(members) = members.get(&level) else { continue };
            let mut steps = Steps::new();
            for &cell in members {
                let mut stay = self.leading(cell, reasons, by_ways)?;
                stay.retain(|(_, to)| members.contains(to));
                steps.insert(cell, stay);
            }
            progress.groups.push(self.group(level, &steps, ranking, !by_ways)?);
        }
        Ok(progress)
    }

    /// The steps of a cell in the order of edges and numbers of cells.
    fn leading(
        &self,
        cell: CellId,
        reasons: &Reasons,
        by_ways: bool,
    ) -> Result<Vec<(Edge, CellId)>> {
        if by_ways
            && let Some(way) = reasons.ways.get(&cell)
            && let Some((_, chosen)) = self.chosen(way)?
        {
            let mut steps: Vec<CellId> = way.steps.iter().map(|&(_, to)| to).collect();
            steps.sort_by_key(|&to| self.number(to));
            return Ok(steps.into_iter().map(|to| (chosen.clone(), to)).collect());
        }
        let mut steps = self.partition.steps(cell).to_vec();
        steps.sort_by_key(|step| (step.edge, self.number(step.to)));
        let edges = &self.partition.flow.edges;
        Ok(steps.into_iter().map(|step| (edges[step.edge].clone(), step.to)).collect())
    }

    fn group(
        &mut self,
        level: u32,
        steps: &Steps,
        ranking: &Ranking,
        waits: bool,
    ) -> Result<Group> {
        let is_cut = |cell: CellId| ranking.cuts.contains(&cell.index());
        let order = self.order(steps, is_cut)?;
        let mut ranks = Vec::new();
        for functions in &ranking.functions {
            let of = |cell: &CellId| {
                functions.get(&cell.index()).map(|rank| (self.number(*cell), rank.clone()))
            };
            let mut rank: Vec<_> =
                steps.keys().filter(|&&cell| is_cut(cell)).filter_map(of).collect();
            rank.sort_by_key(|it| it.0);
            ranks.push(rank);
        }
        let mut cuts: Vec<CellId> = steps.keys().copied().filter(|&cell| is_cut(cell)).collect();
        cuts.sort_by_key(|&cell| self.number(cell));
        let mut paths = Vec::new();
        for cut in cuts {
            let rows = self.partition.rows(cut);
            let (values, auxiliaries) = Default::default();
            let trail = Trail { from: cut, at: cut, rows, values, auxiliaries, waits };
            let mut todo = self.extended(&trail, steps)?;
            while let Some(trail) = todo.pop() {
                self.solver.check()?;
                paths.push(match self.solver.refute(&trail.rows)? {
                    Some(dead) => Path::Dead(dead),
                    None if is_cut(trail.at) => self.falls(&trail, ranking)?,
                    None => {
                        todo.extend(self.extended(&trail, steps)?);
                        Path::On
                    }
                });
            }
        }
        Ok(Group { level, order, ranks, paths })
    }

    /// Numbers that fall on steps between cells that are no cuts; those have 0. The cells of a
    /// passing point have one number.
    fn order(&self, steps: &Steps, is_cut: impl Fn(CellId) -> bool) -> Result<Vec<(u32, u32)>> {
        let mut order: BTreeMap<CellId, u32> =
            steps.keys().filter(|&&cell| is_cut(cell)).map(|&cell| (cell, 0)).collect();
        while order.len() < steps.len() {
            let before = order.len();
            for &cell in steps.keys().rev() {
                if order.contains_key(&cell) {
                    continue;
                }
                let room = self.room(cell);
                let is_same = |other: CellId| match room {
                    None => other == cell,
                    Some(_) => self.room(other) == room,
                };
                let same: Vec<CellId> = steps.keys().copied().filter(|&it| is_same(it)).collect();
                let next = same.iter().flat_map(|it| &steps[it]).map(|(_, to)| *to);
                let next = next.filter(|&to| room.is_none() || !is_same(to));
                let next: Option<Vec<u32>> = next.map(|to| order.get(&to).copied()).collect();
                if let Some(next) = next {
                    let own = next.into_iter().max().map_or(1, |highest| highest + 1);
                    order.extend(same.into_iter().map(|cell| (cell, own)));
                }
            }
            if order.len() == before {
                return Err(Gap::NotFound("a cut"));
            }
        }
        let mut order: Vec<(u32, u32)> =
            order.into_iter().map(|(cell, place)| (self.number(cell), place)).collect();
        order.sort_unstable();
        Ok(order)
    }

    /// The point of a cell, if it is a passing one.
    fn room(&self, cell: CellId) -> Option<PointId> {
        let point = self.partition.cells[cell].point;
        self.partition.flow.points[point].passing.then_some(point)
    }

    /// A path, longer by each of the steps that leave where it is; the first comes last. In a
    /// passing point it may go on from any of its cells.
    fn extended(&self, trail: &Trail, steps: &Steps) -> Result<Vec<Trail>> {
        let room = self.room(trail.at);
        let mut cells = vec![trail.at];
        if room.is_some() {
            cells = steps.keys().copied().filter(|&cell| self.room(cell) == room).collect();
            cells.sort_by_key(|&cell| self.number(cell));
        }
        let mut longer = Vec::new();
        for &cell in cells.iter().rev() {
            let from = match room {
                None => trail.clone(),
                Some(point) => self.passed(trail, point, cell).ok_or(TOO_LARGE)?,
            };
            for (edge, to) in steps[&cell].iter().rev() {
                if room.is_none() || self.room(*to) != room {
                    longer.push(self.step(&from, edge, *to).ok_or(TOO_LARGE)?);
                }
            }
        }
        Ok(longer)
    }

    /// A path that has come to a passing point, and is in this cell of it now.
    fn passed(&self, trail: &Trail, point: PointId, cell: CellId) -> Option<Trail> {
        let mut next = trail.clone();
        for variable in changed(self.partition, point) {
            let value = Affine::column(Column::auxiliary(next.auxiliaries));
            next.values.insert(Column::variable(variable), value);
            next.auxiliaries += 1;
        }
        for row in self.partition.rows(cell) {
            next.rows.push(row.substitute(|column| next.values.get(&column))?);
        }
        Some(next)
    }

    fn step(&self, trail: &Trail, edge: &Edge, to: CellId) -> Option<Trail> {
        let mut next = trail.clone();
        next.waits &= self.partition.flow.points[self.partition.cells[trail.at].point].waiting;
        let moved: Vec<Affine> = (0..edge.auxiliaries.len())
            .map(|number| Affine::column(Column::auxiliary(trail.auxiliaries + number)))
            .collect();
        let before = |column: Column| match column.as_auxiliary() {
            Some(number) => moved.get(number),
            None => trail.values.get(&column),
        };
        for row in edge.rows() {
            next.rows.push(row.substitute(before)?);
        }
        for (variable, value) in &edge.update {
            next.values.insert(Column::variable(*variable), value.substitute(before)?);
        }
        next.at = to;
        next.auxiliaries += edge.auxiliaries.len();
        for row in self.partition.rows(to) {
            next.rows.push(row.substitute(|column| next.values.get(&column))?);
        }
        Some(next)
    }

    /// The rank that falls on a path, or that none rises where it waits, with all reasons.
    fn falls(&mut self, trail: &Trail, ranking: &Ranking) -> Result<Path> {
        const WHAT: &str = "a rank that falls";
        let mut reasons: Vec<Refutation> = Vec::new();
        for (number, functions) in ranking.functions.iter().enumerate() {
            let of = |cell: CellId| functions.get(&cell.index()).cloned().unwrap_or_default();
            let before = of(trail.from);
            let after = of(trail.at).substitute(|column| trail.values.get(&column));
            let after = after.ok_or(TOO_LARGE)?;
            let less = self.entailed(&trail.rows, Row::greater(&before, &after), WHAT);
            let positive = Row::at_least_zero(before.clone());
            let falls = match less {
                Ok(less) => {
                    let positive = self.entailed(&trail.rows, Some(positive), WHAT);
                    positive.map(|positive| [less, positive])
                }
                Err(gap) => Err(gap),
            };
            match falls {
                Ok(falls) => {
                    reasons.extend(falls);
                    return Ok(Path::Falls(number as u32, reasons));
                }
                Err(Gap::NotFound(_)) => {}
                Err(limit) => return Err(limit),
            }
            let stays = Row::greater_equal(&before, &after);
            reasons.push(self.entailed(&trail.rows, stays, WHAT)?);
        }
        match trail.waits {
            true => Ok(Path::Waits(reasons)),
            false => Err(Gap::NotFound(WHAT)),
        }
    }
}

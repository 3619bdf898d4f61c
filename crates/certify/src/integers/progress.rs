//! Steps that come to an end: levels of cells, and ranks within a level.
//!
//! A step from a cell leads to a lower level, or stays in its level; then the level has a *group*.
//! Of its cells some are *cuts*; between the others numbers fall on every step that stays, so that
//! a run that stays comes to cuts again and again. On every path from cut to cut the ranks of cuts
//! are compared in order: those before some rank do not rise, and that one falls, from what is not
//! negative. No run stays in a *passing* point for ever, so steps from such a point to itself are
//! free; the cells of the point are no cuts and have one number, and what such steps change is not
//! known when the point is left. A path between *waiting* points only may fall nowhere, if no
//! rank rises, where a run is to be shown not to exist: no run stays among such points, so it
//! takes other paths again and again. Were a run to stay for ever, let r be the first rank that
//! falls infinitely often on it: from some time on it never rises and is at least 0 again and
//! again, and falls by 1 at least each time, which cannot be.

use super::cells::Step;
use super::linear::{Linear, Place, System, entailed, refuted};
use super::{Checker, Targets};
use crate::refusal::{Stopped, demand, refuse};
use fixedbitset::FixedBitSet;
use std::collections::{BTreeMap, BTreeSet};
use tern_ir::flow::{Column, PointId};
use tern_ir::proof::{CellNumber, Group, Path, Progress, Refutation};

/// A path that is followed.
#[derive(Clone)]
struct Trail {
    from: CellNumber,
    at: CellNumber,
    rows: System,
    /// What variables are now, if they were written, by what they were at the beginning.
    values: BTreeMap<Column, Linear>,
    auxiliaries: usize,
    /// Whether all points are waiting ones, but the last.
    waits: bool,
}

/// The steps of a cell that stay in its level.
type Inner<'t> = BTreeMap<CellNumber, Vec<(&'t Step, CellNumber)>>;

impl Checker<'_, '_> {
    /// The cells from which steps end on the ground.
    pub(super) fn progress(
        &mut self,
        progress: &Progress,
        targets: &BTreeMap<CellNumber, Targets>,
        ground: impl Fn(usize) -> bool,
        above: impl Fn(usize) -> bool,
        may_wait: bool,
    ) -> Result<FixedBitSet, Stopped> {
        let mut levels: BTreeMap<CellNumber, u32> = BTreeMap::new();
        let mut members: BTreeMap<u32, Inner<'_>> = BTreeMap::new();
        let mut set = self.nowhere().proved;
        for &(cell, level) in &progress.levels {
            set.insert(self.cell(cell)?);
            if levels.insert(cell, level).is_some() {
                return refuse(format!("cell {cell}"), "it has two levels");
            }
            members.entry(level).or_default().insert(cell, Vec::new());
        }
        for (&cell, &level) in &levels {
            self.meter.tick()?;
            let place = || format!("cell {cell}");
            if level == 0 {
                demand(ground(cell as usize), place, "level 0 is not what steps come to")?;
                continue;
            }
            demand(above(cell as usize), place, "the run may not come by here")?;
            let Some(targets) = targets.get(&cell) else {
                return refuse(place(), "it has no steps");
            };
            let stay = members.entry(level).or_default().entry(cell).or_default();
            for (step, to) in
                targets.iter().flat_map(|(step, to)| to.iter().map(move |to| (step, *to)))
            {
                match levels.get(&to) {
                    Some(&next) if next < level => {}
                    Some(&next) if next == level => stay.push((step, to)),
                    _ => return refuse(place(), format!("a step leads to cell {to}, not down")),
                }
            }
        }
        let groups: BTreeMap<u32, &Group> =
            progress.groups.iter().map(|group| (group.level, group)).collect();
        for (level, inner) in &members {
            match groups.get(level) {
                Some(group) => self.group(group, inner, may_wait)?,
                None if inner.values().all(Vec::is_empty) => {}
                None => return refuse(format!("level {level}"), "steps stay in it without ranks"),
            }
        }
        Ok(set)
    }

    fn group(&mut self, group: &Group, inner: &Inner<'_>, waits: bool) -> Result<(), Stopped> {
        let place = || format!("level {}", group.level);
        let order: BTreeMap<CellNumber, u32> = group.order.iter().copied().collect();
        demand(order.keys().eq(inner.keys()), place, "its cells are not those in order")?;
        let mut rooms: BTreeMap<PointId, Vec<CellNumber>> = BTreeMap::new();
        for &cell in inner.keys() {
            if let Some(point) = self.room(cell) {
                rooms.entry(point).or_default().push(cell);
            }
        }
        for cells in rooms.values() {
            if cells.iter().any(|cell| order[cell] == 0 || order[cell] != order[&cells[0]]) {
                return refuse(place(), "the cells of a passing point are cuts, or out of order");
            }
        }
        for (cell, steps) in inner.iter().filter(|(cell, _)| order[cell] > 0) {
            let is_free =
                |to: CellNumber| self.room(*cell).is_some_and(|point| self.room(to) == Some(point));
            if steps.iter().any(|&(_, to)| !is_free(to) && order[&to] >= order[cell]) {
                return refuse(format!("cell {cell}"), "a step does not fall in order, nor cuts");
            }
        }
        let mut ranks: Vec<BTreeMap<CellNumber, Linear>> = Vec::new();
        for rank in &group.ranks {
            let mut functions = BTreeMap::new();
            for (cell, rank) in rank {
                let Some(rank) = Linear::sum(rank) else {
                    return refuse(place(), "numbers become too large");
                };
                self.cells.check_variables(&rank, &place)?;
                functions.insert(*cell, rank);
            }
            ranks.push(functions);
        }
        let mut paths = group.paths.iter();
        for &cut in inner.keys().filter(|cell| order[cell] == 0) {
            let (rows, values) = (self.cells.rows(cut), BTreeMap::new());
            let trail = Trail { from: cut, at: cut, rows, values, auxiliaries: 0, waits };
            let mut todo = self.extended(&trail, inner, &rooms)?;
            while let Some(mut trail) = todo.pop() {
                self.meter.tick()?;
                match paths.next() {
                    None => return refuse(place(), "a path is missing"),
                    Some(Path::Dead(reasons)) => {
                        refuted(&mut trail.rows, reasons, &place, &mut self.meter)?;
                    }
                    Some(Path::Falls(number, reasons)) if order[&trail.at] == 0 => {
                        self.falls(&mut trail, Some(*number as usize), &ranks, reasons, &place)?;
                    }
                    Some(Path::Waits(reasons)) if order[&trail.at] == 0 && trail.waits => {
                        self.falls(&mut trail, None, &ranks, reasons, &place)?;
                    }
                    Some(Path::On) if order[&trail.at] > 0 => {
                        todo.extend(self.extended(&trail, inner, &rooms)?);
                    }
                    Some(_) => {
                        return refuse(place(), "a path ends just where a cut is, or goes on");
                    }
                }
            }
        }
        match paths.next() {
            None => Ok(()),
            Some(_) => refuse(place(), "there are more paths than there can be"),
        }
    }

    /// The point of a cell, if it is a passing one.
    fn room(&self, cell: CellNumber) -> Option<PointId> {
        let point = self.cells.point(cell);
        self.cells.flow.points[point].passing.then_some(point)
    }

    /// A path, longer by each of the steps that leave where it is; the first comes last. In a
    /// passing point it may go on from any of its cells.
    fn extended(
        &mut self,
        trail: &Trail,
        inner: &Inner<'_>,
        rooms: &BTreeMap<PointId, Vec<CellNumber>>,
    ) -> Result<Vec<Trail>, Stopped> {
        let room = self.room(trail.at);
        let cells = match room {
            None => vec![trail.at],
            Some(point) => rooms[&point].clone(),
        };
        let mut longer = Vec::new();
        for &cell in cells.iter().rev() {
            let from = match room {
                None => Some(trail.clone()),
                Some(point) => self.passed(trail, point, cell),
            };
            let is_left = |to: CellNumber| room.is_none() || self.room(to) != room;
            let steps = inner[&cell].iter().rev().filter(|(_, to)| is_left(*to));
            for (step, to) in steps.collect::<Vec<_>>() {
                self.meter.tick()?;
                match from.as_ref().and_then(|from| self.longer(from, step, *to)) {
                    Some(trail) => longer.push(trail),
                    None => return refuse(format!("cell {to}"), "numbers become too large"),
                }
            }
        }
        Ok(longer)
    }

    /// A path that has come to a passing point, and is in this cell of it now.
    fn passed(&self, trail: &Trail, point: PointId, cell: CellNumber) -> Option<Trail> {
        let mut next = trail.clone();
        let leaving = self.cells.leaving[point].iter().map(|&edge| &self.cells.edges[edge]);
        let inside = leaving.filter(|step| step.to == point);
        let changed: BTreeSet<Column> =
            inside.flat_map(|step| step.written.keys().copied()).collect();
        for column in changed {
            let value = Linear::column(Column::auxiliary(next.auxiliaries));
            next.values.insert(column, value);
            next.auxiliaries += 1;
        }
        for row in self.cells.rows(cell) {
            next.rows.push(row.substitute(|column| next.values.get(&column))?.tight());
        }
        Some(next)
    }

    fn longer(&self, trail: &Trail, step: &Step, to: CellNumber) -> Option<Trail> {
        let mut next = trail.clone();
        let fresh: Vec<Linear> = (0..step.auxiliaries.len())
            .map(|number| Linear::column(Column::auxiliary(trail.auxiliaries + number)))
            .collect();
        let before = |column: Column| match column.as_auxiliary() {
            Some(number) => fresh.get(number),
            None => trail.values.get(&column),
        };
        for row in step.facts.iter().chain(&step.guard) {
            next.rows.push(row.substitute(before)?.tight());
        }
        for (column, value) in &step.written {
            next.values.insert(*column, value.substitute(before)?);
        }
        (next.at, next.auxiliaries) = (to, trail.auxiliaries + step.auxiliaries.len());
        next.waits &= self.cells.waits(trail.at);
        for row in self.cells.rows(to) {
            next.rows.push(row.substitute(|column| next.values.get(&column))?.tight());
        }
        Some(next)
    }

    /// Checks that ranks do not rise on a path up to one that falls, or that none rises.
    fn falls(
        &mut self,
        trail: &mut Trail,
        falling: Option<usize>,
        ranks: &[BTreeMap<CellNumber, Linear>],
        reasons: &[Refutation],
        place: Place<'_>,
    ) -> Result<(), Stopped> {
        let (mut wanted, number) = (Vec::new(), falling.unwrap_or(ranks.len()));
        for (at, rank) in ranks.iter().enumerate().take(number + 1) {
            let of = |cell: CellNumber| rank.get(&cell).cloned().unwrap_or_default();
            let before = of(trail.from);
            let after = of(trail.at).substitute(|column| trail.values.get(&column));
            let difference = after.and_then(|after| before.plus(-1, &after));
            if at < number {
                wanted.push(difference);
            } else {
                wanted.push(difference.and_then(|it| it.plus(-1, &Linear::constant(1))));
                wanted.push(Some(before));
            }
        }
        if wanted.len() != reasons.len() || falling.is_some_and(|it| it >= ranks.len()) {
            return refuse(place(), "there is no such rank, or not one reason for each before it");
        }
        for (row, reasons) in wanted.into_iter().zip(reasons) {
            entailed(&mut trail.rows, row, reasons, place, &mut self.meter)?;
        }
        Ok(())
    }
}

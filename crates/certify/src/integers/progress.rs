//! Steps that come to an end: levels of cells, and ranks within a level.
//!
//! A step from a cell leads to a lower level, or stays in its level; then the level has a *group*.
//! Of its cells some are *cuts*; between the others numbers fall on every step that stays, so that
//! a run that stays comes to cuts again and again. On every path from cut to cut the ranks of cuts
//! are compared in order: those before some rank do not rise, and that one falls, from what is not
//! negative. Were a run to stay for ever, let r be the first rank that falls infinitely often on
//! it: from some time on it never rises and is at least 0 again and again, and falls by 1 at least
//! each time, which cannot be.

use super::cells::Step;
use super::linear::{Linear, System, refuted};
use super::{Checker, Targets};
use crate::refusal::{Stopped, refuse};
use fixedbitset::FixedBitSet;
use std::collections::BTreeMap;
use tern_ir::flow::Column;
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
                match ground(cell as usize) {
                    true => continue,
                    false => return refuse(place(), "level 0 is not what steps come to"),
                }
            }
            if !above(cell as usize) {
                return refuse(place(), "the run may not come by here");
            }
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
        let mut groups: BTreeMap<u32, &Group> = BTreeMap::new();
        for group in &progress.groups {
            groups.insert(group.level, group);
        }
        for (level, inner) in &members {
            match groups.get(level) {
                Some(group) => self.group(group, inner)?,
                None if inner.values().all(Vec::is_empty) => {}
                None => return refuse(format!("level {level}"), "steps stay in it without ranks"),
            }
        }
        Ok(set)
    }

    fn group(&mut self, group: &Group, inner: &Inner<'_>) -> Result<(), Stopped> {
        let place = || format!("level {}", group.level);
        let order: BTreeMap<CellNumber, u32> = group.order.iter().copied().collect();
        if !order.keys().eq(inner.keys()) {
            return refuse(place(), "its cells are not those in order");
        }
        for (cell, steps) in inner.iter().filter(|(cell, _)| order[cell] > 0) {
            if steps.iter().any(|(_, to)| order[to] >= order[cell]) {
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
            let trail = Trail { from: cut, at: cut, rows, values, auxiliaries: 0 };
            let mut todo = self.extended(&trail, &inner[&cut])?;
            while let Some(mut trail) = todo.pop() {
                self.meter.tick()?;
                match paths.next() {
                    None => return refuse(place(), "a path is missing"),
                    Some(Path::Dead(reasons)) => {
                        let dead = refuted(&mut trail.rows, reasons, &mut self.meter);
                        super::cells::at(dead, place)?;
                    }
                    Some(Path::Falls(number, reasons)) if order[&trail.at] == 0 => {
                        self.falls(&mut trail, *number as usize, &ranks, reasons, &place)?;
                    }
                    Some(Path::On) if order[&trail.at] > 0 => {
                        todo.extend(self.extended(&trail, &inner[&trail.at])?);
                    }
                    Some(_) => return refuse(place(), "a path ends just where a cut is"),
                }
            }
        }
        match paths.next() {
            None => Ok(()),
            Some(_) => refuse(place(), "there are more paths than there can be"),
        }
    }

    /// A path, longer by each of these steps; the first comes last.
    fn extended(
        &mut self,
        trail: &Trail,
        steps: &[(&Step, CellNumber)],
    ) -> Result<Vec<Trail>, Stopped> {
        let mut longer = Vec::new();
        for (step, to) in steps.iter().rev() {
            self.meter.tick()?;
            match self.longer(trail, step, *to) {
                Some(trail) => longer.push(trail),
                None => return refuse(format!("cell {to}"), "numbers become too large"),
            }
        }
        Ok(longer)
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
        for row in self.cells.rows(to) {
            next.rows.push(row.substitute(|column| next.values.get(&column))?.tight());
        }
        Some(next)
    }

    /// Checks that ranks do not rise on a path up to one that falls.
    fn falls(
        &mut self,
        trail: &mut Trail,
        number: usize,
        ranks: &[BTreeMap<CellNumber, Linear>],
        reasons: &[Refutation],
        place: &dyn Fn() -> String,
    ) -> Result<(), Stopped> {
        if number >= ranks.len() || reasons.len() != number + 2 {
            return refuse(place(), "there is no such rank, or not one reason for each before it");
        }
        let mut wanted = Vec::new();
        for (at, rank) in ranks[..=number].iter().enumerate() {
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
        for (row, reasons) in wanted.into_iter().zip(reasons) {
            self.cells.entails(&mut trail.rows, row, reasons, place, &mut self.meter)?;
        }
        Ok(())
    }
}

//! Programs without procedures that call themselves, in place of programs with them.
//!
//! A call of such a procedure becomes a point of the caller, in which the callee is as long as it
//! runs. What happens there is known by a *summary*: rows about what the callee was given, and what
//! it leaves behind. Values that it computes are [unknown](Auxiliary::Unknown), and so is when it
//! returns, so that nothing can be shown to be possible because the summary is coarse. Whether the
//! call ends is found out beforehand, and says what kind of point it becomes:
//!
//! * a call that always ends becomes a *passing* point, in which no run stays for ever;
//! * one that never ends becomes a point that is never left;
//! * one that need not end, a point in which every state can stay;
//! * if nothing is known, a point of which nothing is claimed.
//!
//! First there are summaries (`summary`): rows about the states in which procedures are entered and
//! left, such that all calls and returns that they allow stay within them. Each procedure has
//! *variants*, by what it compares its arguments with: variants are entered and left in different
//! states. Then `descent` finds out which calls end.
//!
//! # Source
//! Sharir, Pnueli: Two approaches to interprocedural data flow analysis, 1981 (summaries); Cook,
//! Podelski, Rybalchenko: Summarization for termination, FMSD 2009 (calls that do not return as
//! jumps).

mod body;
mod descent;
mod summary;

use self::body::{Body, Whole};
use self::descent::{Class, Region};
use self::summary::{Known, Summaries};
use crate::system::bounds;
use std::collections::BTreeMap;
use tern_ir::calls::Calls;
use tern_ir::flow::{Affine, Auxiliary, Column, Edge, Flow, Point, PointId, Row};
use tern_model::{Budget, Limit};

/// The program without procedures that call themselves.
pub fn without_recursion(flow: &Flow, calls: &Calls, budget: &Budget) -> Flow {
    let whole = Whole::new(flow, calls);
    let found = find(&whole, budget);
    let found = found.unwrap_or_else(|_| Found::nothing(&whole));
    Maker { whole: &whole, found: &found, places: BTreeMap::new(), flow: Flow::default() }.run()
}

/// What was found out.
struct Found {
    known: Known,
    /// For each procedure, the kinds of its calls.
    regions: Vec<Vec<Region>>,
    /// For each procedure, rows about global variables that are true as long as it runs.
    inside: Vec<Vec<Row>>,
    /// For each procedure, whether a run may come to its end inside.
    blocks: Vec<bool>,
    /// For each procedure, labels of points without return that may be reached inside.
    ends: Vec<Vec<String>>,
}

/// The labels of points that stay for ever.
const ENDS: [&str; 3] = ["error", "exit", "failed"];

impl Found {
    /// What is true of every program.
    fn nothing(whole: &Whole<'_>) -> Found {
        let count = whole.calls.procedures.len();
        Found {
            known: Known::nothing(whole),
            regions: vec![vec![Region { guard: Vec::new(), class: Class::Unknown }]; count],
            inside: vec![Vec::new(); count],
            blocks: vec![true; count],
            ends: vec![ENDS.map(str::to_owned).to_vec(); count],
        }
    }
}

fn find(whole: &Whole<'_>, budget: &Budget) -> Result<Found, Limit> {
    // Without variants there are few paths, so that ranks are found more easily.
    let plain = Summaries::new(whole, 0, budget).solve()?;
    let mut regions = descent::regions(whole, &plain, budget)?;
    let all_end = regions.iter().flatten().all(|region| region.class == Class::Ends);
    let mut known = plain;
    let split = Summaries::new(whole, 4, budget);
    if split.has_variants() {
        known = split.solve()?;
        if !all_end {
            let finer = descent::regions(whole, &known, budget)?;
            for (old, new) in regions.iter_mut().zip(finer) {
                if !old.iter().all(|region| region.class == Class::Ends) {
                    *old = new;
                }
            }
        }
    }
    let count = whole.calls.procedures.len();
    let (mut inside, mut blocks, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for procedure in 0..count {
        inside.push(rows_inside(whole, &known, procedure));
        let (may_block, reached) = fates(whole, &known, procedure);
        blocks.push(may_block);
        ends.push(reached);
    }
    Ok(Found { known, regions, inside, blocks, ends })
}

/// Rows about global variables that are true at all points of a procedure and of what it calls.
fn rows_inside(whole: &Whole<'_>, known: &Known, procedure: usize) -> Vec<Row> {
    let globals: Vec<Column> =
        whole.used_globals.iter().map(|&global| Column::variable(global)).collect();
    let templates = body::pairs(&globals, 60);
    let mut most: Option<Vec<Option<i128>>> = None;
    for (_, rows) in known.inside(whole, procedure) {
        let Ok(bounds) = bounds(rows, &templates) else { continue };
        summary::join(&mut most, &bounds);
    }
    most.map(|most| summary::rows(&templates, &most)).unwrap_or_default()
}

/// Whether a run may come to its end inside a procedure, and the points without return.
fn fates(whole: &Whole<'_>, known: &Known, procedure: usize) -> (bool, Vec<String>) {
    let (mut may_block, mut ends) = (false, Vec::new());
    for (point, _) in known.inside(whole, procedure) {
        may_block |= !point.total;
        ends.extend(point.labels.iter().filter(|it| ENDS.contains(&it.as_str())).cloned());
    }
    ends.sort();
    ends.dedup();
    (may_block, ends)
}

/// Makes the flow graph.
struct Maker<'a> {
    whole: &'a Whole<'a>,
    found: &'a Found,
    /// The points that stand for calls, by site and kind.
    places: BTreeMap<(PointId, Class), PointId>,
    flow: Flow,
}

impl Maker<'_> {
    fn run(mut self) -> Flow {
        let Body { flow: main, sites, .. } = &self.whole.main;
        self.flow.is_summary = true;
        self.flow.variables.clone_from(&main.variables);
        self.flow.points = main.points.clone();
        self.flow.starts.clone_from(&main.starts);
        for edge in main.edges.as_slice() {
            if sites.contains_key(&edge.from) {
                continue;
            }
            match sites.get(&edge.to) {
                None => {
                    self.flow.edges.push(edge.clone());
                }
                Some(&procedure) => self.enter(edge, procedure),
            }
        }
        for ((site, class), place) in self.places.clone() {
            self.leave(site, class, place, sites[&site]);
        }
        self.flow
    }

    /// Edges into the points that stand for a call.
    fn enter(&mut self, edge: &Edge, procedure: usize) {
        let saved = self.saved(procedure);
        for region in &self.found.regions[procedure] {
            let mut check = Edge::plain(edge.to, edge.to);
            check.guard.clone_from(&region.guard);
            let value = |global: usize| Affine::column(Column::variable(global));
            check.update.extend(saved.iter().map(|&(copy, global)| (copy, value(global))));
            let entered = edge.then(&check);
            // Too large numbers: enter without a condition, and know nothing.
            let class = if entered.is_some() { region.class } else { Class::Unknown };
            let mut entered = entered.unwrap_or_else(|| edge.clone());
            if entered.guard.iter().any(|row| row.truth() == Some(false)) {
                continue;
            }
            entered.guard.retain(|row| row.truth().is_none());
            entered.to = self.place(edge.to, class, procedure);
            self.flow.edges.push(entered);
        }
    }

    /// Copies of global variables that a procedure changes.
    fn saved(&self, procedure: usize) -> Vec<(usize, usize)> {
        let copies = self.whole.copies_of_globals(procedure);
        let is_changed = |global: &usize| self.whole.modified[procedure].contains(global);
        copies.into_iter().filter(|(_, global)| is_changed(global)).collect()
    }

    fn place(&mut self, site: PointId, class: Class, procedure: usize) -> PointId {
        if let Some(&place) = self.places.get(&(site, class)) {
            return place;
        }
        let mut point = Point { line: self.flow.points[site].line, ..Point::default() };
        point.total = !self.found.blocks[procedure];
        point.passing = class == Class::Ends;
        let place = self.flow.add_point(point);
        self.places.insert((site, class), place);
        place
    }

    /// Edges out of a point that stands for a call.
    fn leave(&mut self, site: PointId, class: Class, place: PointId, procedure: usize) {
        let whole = self.whole;
        // What comes next is one of these, and it is not known which.
        let outcome = |wanted: i128, edge: &mut Edge| {
            let number = edge.auxiliaries.len();
            edge.auxiliaries.push(Auxiliary::Unknown);
            let value = Affine::column(Column::auxiliary(number));
            let constant = Affine::constant;
            let between = |low: i128, high: i128| {
                let low = Row::greater_equal(&value, &constant(low));
                low.into_iter().chain(Row::greater_equal(&constant(high), &value))
            };
            edge.facts.extend(between(0, 4));
            edge.guard.extend(between(wanted, wanted));
        };
        let mut change = Edge::plain(place, place);
        for (number, &global) in whole.modified[procedure].iter().enumerate() {
            change.auxiliaries.push(Auxiliary::Unknown);
            change.update.push((global, Affine::column(Column::auxiliary(number))));
        }
        for row in &self.found.inside[procedure] {
            let after = row.substitute(|column| change.written(column));
            change.facts.extend(after.filter(|it| it != row));
        }
        let mut stay = change.clone();
        if !matches!(class, Class::Stays | Class::Never) {
            outcome(0, &mut stay);
        }
        self.flow.edges.push(stay);
        if class == Class::Never {
            return;
        }
        let returns: Vec<&Edge> =
            whole.main.flow.edges.as_slice().iter().filter(|it| it.from == site).collect();
        for variant in 0..self.found.known.variants.len() {
            let Some(mut edge) = self.found.known.step(whole, variant, procedure, true) else {
                continue;
            };
            outcome(1, &mut edge);
            for back in &returns {
                let all = summary::followed(edge.clone(), back);
                self.flow.edges.push(Edge { from: place, ..all });
            }
        }
        for end in self.ends(procedure) {
            let mut edge = Edge { to: end, ..change.clone() };
            outcome(2, &mut edge);
            self.flow.edges.push(edge);
        }
    }

    /// The points without return that may be reached while a procedure runs.
    fn ends(&self, procedure: usize) -> Vec<PointId> {
        let wanted = &self.found.ends[procedure];
        let points = self.whole.main.flow.points.iter();
        let is_end = |point: &Point| point.labels.iter().any(|it| wanted.contains(it));
        points.filter(|(_, point)| is_end(point)).map(|(id, _)| id).collect()
    }
}

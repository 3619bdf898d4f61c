//! Flow graphs of programs that call themselves, given what is known of their procedures.
//!
//! [`Summaries`] say, by rows, in which states procedures are left, and which of their calls end.
//! Two kinds of graphs are made of a program and such rows:
//!
//! * the graph of *descents* ([`descents`]) has a copy of the body of each *variant* of a
//!   procedure, and `main`. A call returns at once, as the rows about exits say, or leads to the
//!   beginning of a variant for good. An endless run of a call is one of this graph: calls that
//!   return are steps of it, and those that do not are entered. Conversely, that a call returns is
//!   never taken for sure, so that an endless run that is shown to exist by other steps is one of
//!   the program;
//! * the graph of *calls* ([`caller`]) is `main`, with a point for each call and [class](Class) in
//!   which the callee is as long as it runs. What it computes is unknown, and so is when it
//!   returns.
//!
//! Both are right if the rows are true: whoever uses the graphs must have shown that, on the graph
//! of descents, all calls included (`tern-certify` does). They are made here for the analysis and
//! for the checker, as the meaning of such rows.
//!
//! # Source
//! Sharir, Pnueli: Two approaches to interprocedural data flow analysis, 1981 (summaries); Cook,
//! Podelski, Rybalchenko: Summarization for termination, FMSD 2009 (calls that do not return as
//! jumps).

use crate::bodies::{Body, Whole};
use crate::calls::Calls;
use crate::flow::{Affine, Auxiliary, Column, Edge, Flow, Point, PointId, Proposition, Row};
use crate::proof::{Branch, CallProof};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use tern_model::index::Id;
use tern_model::{AtomId, Formula, FormulaId, Formulas};

/// Whether a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// On every run.
    Ends,
    /// On no run, and there is one.
    Never,
    /// Not on every run from where it begins.
    Stays,
    /// That is not known.
    Unknown,
}

/// Rows about the states in which procedures are left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// For each procedure a tree of rows about arguments and global variables. Its leaves are the
    /// variants of the procedure; they are numbered from 0, procedure after procedure.
    pub trees: Vec<Vec<Branch>>,
    /// For each variant, rows about copies, global variables and the result; `None` if it is never
    /// left.
    pub exits: Vec<Option<Vec<Row>>>,
}

/// The kinds of calls of a procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regions {
    /// Which of the lists of rows they are shown by.
    pub known: u32,
    /// A tree of rows about arguments and global variables.
    pub tree: Vec<Branch>,
    /// The kind of each leaf.
    pub classes: Vec<Class>,
}

/// What is known of procedures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summaries {
    /// Rows about exits; the last are those by which calls return.
    pub known: Vec<Known>,
    /// For each procedure, which of its calls end.
    pub regions: Vec<Regions>,
    /// For each procedure, rows about global variables that are true as long as it runs.
    pub inside: Vec<Vec<Row>>,
}

/// A program that calls itself, with what was found out about it.
#[derive(Clone, Debug)]
pub struct Summarised {
    /// The program.
    pub flow: Flow,
    /// Its procedures.
    pub calls: Calls,
    /// What was found out.
    pub summaries: Summaries,
    /// For each list of rows about exits, what is true at the points of the graph of descents.
    pub invariants: Vec<Vec<Option<Vec<Row>>>>,
    /// Why that is true, once it was shown.
    pub shown: OnceLock<CallProof>,
    /// By how much it was found out, and the flow graph by more, once that was made; `None` if
    /// there is no more.
    pub finer: Option<(Depth, OnceLock<Arc<Flow>>)>,
}

/// By how much something was found out about procedures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// By each body alone, whatever it is given and whatever calls leave behind.
    Bodies,
    /// By how procedures are entered and left, without variants.
    Plain,
}

/// The labels of points that stay for ever.
pub const ENDS: [&str; 3] = ["error", "exit", "failed"];

/// The rows of each leaf of a tree; `None` if it is no tree, or if numbers become too large.
pub fn leaves(tree: &[Branch]) -> Option<Vec<Vec<Row>>> {
    let (mut found, mut todo) = (Vec::new(), vec![Vec::new()]);
    for branch in tree {
        let rows: Vec<Row> = todo.pop()?;
        match branch {
            Branch::Leaf => found.push(rows),
            Branch::Split(row) => {
                let side = |row: Row| rows.iter().cloned().chain([row]).collect();
                todo.extend([side(row.negated()?), side(row.clone())]);
            }
        }
    }
    todo.is_empty().then_some(found)
}

/// Whether no state is in both, because a row of one is the contrary of a row of the other.
fn are_apart(left: &[Row], right: &[Row]) -> bool {
    left.iter().any(|row| row.negated().is_some_and(|negated| right.contains(&negated)))
}

/// A procedure, entered in some states only.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The procedure.
    pub procedure: usize,
    /// When it is this variant.
    pub cell: Vec<Row>,
    /// What is true when it is left; `None` if it never is.
    pub exit: Option<Vec<Row>>,
    /// Where its points begin in the graph of descents.
    pub first: usize,
}

/// The variants of all procedures; `None` if the rows do not have the form that they should have.
pub fn variants(whole: &Whole<'_>, known: &Known) -> Option<Vec<Variant>> {
    let mut found: Vec<Variant> = Vec::new();
    let mut first = whole.main.flow.points.len();
    for (procedure, tree) in known.trees.iter().enumerate() {
        for cell in leaves(tree)? {
            let exit = known.exits.get(found.len())?.clone();
            found.push(Variant { procedure, cell, exit, first });
            first += whole.bodies.get(procedure)?.flow.points.len();
        }
    }
    let is_whole = known.trees.len() == whole.bodies.len() && found.len() == known.exits.len();
    is_whole.then_some(found)
}

/// All that a call does, from its site to just before the return, if it is left as `exit` says.
/// With `saved`, what global variables were is in their copies.
pub fn returned(
    whole: &Whole<'_>,
    procedure: usize,
    cell: &[Row],
    exit: &[Row],
    saved: bool,
) -> Edge {
    let mut edge = Edge::plain(PointId::new(0), PointId::new(0));
    let result = whole.calls.procedures[procedure].result;
    let mut after: BTreeMap<Column, Affine> = BTreeMap::new();
    for &changed in whole.modified[procedure].iter().chain([&result]) {
        let value = Affine::column(Column::auxiliary(edge.auxiliaries.len()));
        edge.auxiliaries.push(Auxiliary::Unknown);
        edge.update.push((changed, value.clone()));
        after.insert(Column::variable(changed), value);
    }
    edge.update.sort_by_key(|(variable, _)| *variable);
    // What was given is still in the arguments.
    let value = |variable: usize| Affine::column(Column::variable(variable));
    for (copy, argument) in whole.copies_of_arguments(procedure) {
        after.insert(Column::variable(copy), value(argument));
    }
    let mut before: BTreeMap<Column, Affine> = BTreeMap::new();
    for (copy, global) in whole.copies_of_globals(procedure) {
        if saved && whole.modified[procedure].contains(&global) {
            before.insert(Column::variable(global), value(copy));
        } else {
            after.insert(Column::variable(copy), value(global));
        }
    }
    edge.facts.extend(exit.iter().filter_map(|row| row.substitute(|it| after.get(&it))));
    // Rows that are lost to large numbers make the step possible more often.
    edge.guard.extend(cell.iter().filter_map(|row| row.substitute(|it| before.get(&it))));
    edge
}

/// A step of a callee that gives variables unknown values, then the return.
pub fn followed(step: &Edge, back: &Edge) -> Edge {
    let all = step.then(back).expect("a column in place of another changes no number");
    Edge { from: back.from, to: back.to, ..all }
}

/// Makes a step one that may happen, but never for sure: its number is one of so many.
fn perhaps(edge: &mut Edge, wanted: i128, most: i128) {
    let value = Affine::column(Column::auxiliary(edge.auxiliaries.len()));
    edge.auxiliaries.push(Auxiliary::Outcome);
    let between = |low: i128, high: i128| {
        let low = Row::greater_equal(&value, &Affine::constant(low));
        low.into_iter().chain(Row::greater_equal(&Affine::constant(high), &value))
    };
    edge.facts.extend(between(0, most));
    edge.guard.extend(between(wanted, wanted));
}

/// Calls of a variant from which the graph of descents begins.
#[derive(Clone, Debug)]
pub struct Beginning {
    /// The variant.
    pub variant: usize,
    /// Rows about arguments and global variables.
    pub guard: Vec<Row>,
    /// The label of a point that it begins in, before the body is entered; `None` if it begins in
    /// the body.
    pub label: Option<&'static str>,
}

/// The graph of descents. Its points are those of `main`, if that is wanted, then those of the
/// variants, then one for each beginning with a label. All points of `main`, all exits and all
/// points that stay for ever have the label `end`, and no other has.
pub fn descents(
    whole: &Whole<'_>,
    variants: &[Variant],
    beginnings: &[Beginning],
    with_main: bool,
) -> Flow {
    let main = &whole.main;
    let mut flow = Flow { variables: main.flow.variables.clone(), ..Flow::default() };
    for point in main.flow.points.as_slice() {
        flow.add_point(Point { labels: vec!["end".to_owned()], ..point.clone() });
    }
    for variant in variants {
        let body = &whole.bodies[variant.procedure];
        for (id, point) in body.flow.points.iter() {
            let is_end = point.labels.iter().any(|it| ENDS.contains(&it.as_str()));
            let is_end = is_end || body.exit == Some(id);
            let labels = if is_end { vec!["end".to_owned()] } else { Vec::new() };
            flow.add_point(Point { labels, ..point.clone() });
        }
    }
    if with_main {
        part(whole, variants, main, 0, &mut flow);
        flow.starts.clone_from(&main.flow.starts);
    }
    for variant in variants {
        let (body, first) = (&whole.bodies[variant.procedure], variant.first);
        if let Some(exit) = body.exit {
            let exit = PointId::new(first + exit.index());
            flow.edges.push(Edge::plain(exit, exit));
        }
        part(whole, variants, body, first, &mut flow);
    }
    for beginning in beginnings {
        for mut start in entered(whole, &variants[beginning.variant], &beginning.guard) {
            if let Some(label) = beginning.label {
                let labels = vec![label.to_owned()];
                let point = flow.add_point(Point { labels, total: true, ..Point::default() });
                let mut enter = Edge { from: point, ..start.clone() };
                enter.guard.clear();
                flow.edges.push(enter);
                start.update.clear();
                start.to = point;
            }
            start.from = start.to;
            flow.starts.push(start);
        }
    }
    flow
}

/// Adds the edges of a part whose points begin at `first`.
pub(crate) fn part(
    whole: &Whole<'_>,
    variants: &[Variant],
    body: &Body,
    first: usize,
    flow: &mut Flow,
) {
    let at = |point: PointId| PointId::new(first + point.index());
    let called = |procedure: usize| variants.iter().filter(move |it| it.procedure == procedure);
    for edge in body.flow.edges.as_slice() {
        let (from, to) = (at(edge.from), at(edge.to));
        let Some(&procedure) = body.sites.get(&edge.from) else {
            flow.edges.push(Edge { from, to, ..edge.clone() });
            continue;
        };
        for variant in called(procedure) {
            let Some(exit) = &variant.exit else { continue };
            let step = returned(whole, procedure, &variant.cell, exit, false);
            let mut all = followed(&step, edge);
            perhaps(&mut all, 1, 1);
            flow.edges.push(Edge { from, to, ..all });
        }
    }
    for (&site, &procedure) in &body.sites {
        for variant in called(procedure) {
            for down in entered(whole, variant, &[]) {
                flow.edges.push(Edge { from: at(site), ..down });
            }
        }
    }
}

/// The edges from a site into a variant, where these rows are true too.
pub(crate) fn entered(whole: &Whole<'_>, variant: &Variant, rows: &[Row]) -> Vec<Edge> {
    let mut given = Edge::plain(PointId::new(0), PointId::new(0));
    given.guard.clone_from(&variant.cell);
    given.guard.extend(rows.iter().filter(|row| !variant.cell.contains(row)).cloned());
    let entered = whole.bodies[variant.procedure].flow.starts.iter().map(|start| {
        let edge = given.then(start).unwrap_or_else(|| start.clone());
        Edge { to: PointId::new(variant.first + start.to.index()), ..edge }
    });
    entered.collect()
}

/// A row at the beginning of a procedure as a row at its sites.
pub fn at_site(whole: &Whole<'_>, procedure: usize, row: &Row) -> Option<Row> {
    row.substitute(|column| whole.calls.procedures[procedure].enter.written(column))
}

/// What may become of a run inside a procedure, if states are only where `inhabited` says: whether
/// it may come to its end, and the labels of points without return that it may come to.
pub fn fates(
    whole: &Whole<'_>,
    variants: &[Variant],
    inhabited: &[bool],
    procedure: usize,
) -> (bool, Vec<String>) {
    let (mut may_block, mut ends) = (false, Vec::new());
    for (_, point) in inside(whole, variants, inhabited, procedure) {
        may_block |= !point.total;
        ends.extend(point.labels.iter().filter(|it| ENDS.contains(&it.as_str())).cloned());
    }
    ends.sort();
    ends.dedup();
    (may_block, ends)
}

/// The points that a run may be in while a procedure runs, with their numbers in the graph of
/// descents.
pub fn inside<'a>(
    whole: &'a Whole<'_>,
    variants: &'a [Variant],
    inhabited: &'a [bool],
    procedure: usize,
) -> impl Iterator<Item = (usize, &'a Point)> {
    let is_reached = move |it: &&Variant| whole.reached[procedure].contains(&it.procedure);
    variants.iter().filter(is_reached).flat_map(move |variant| {
        let body = &whole.bodies[variant.procedure];
        let points = body.flow.points.iter().filter(|(id, _)| body.exit != Some(*id));
        let points = points.map(|(id, point)| (variant.first + id.index(), point));
        points.filter(|(number, _)| inhabited.get(*number) == Some(&true))
    })
}

/// From where the graph of descents must end, or must be able not to, for calls to be as `regions`
/// say; `None` if these do not have the form that they should have, or if calls that are said never
/// to end may.
pub fn beginnings(
    whole: &Whole<'_>,
    variants: &[Variant],
    invariants: &[Option<Vec<Row>>],
    procedure: usize,
    regions: &Regions,
) -> Option<Vec<Beginning>> {
    let leaves = leaves(&regions.tree)?;
    if leaves.len() != regions.classes.len() {
        return None;
    }
    let inhabited: Vec<bool> = invariants.iter().map(Option::is_some).collect();
    let (may_block, ends) = fates(whole, variants, &inhabited, procedure);
    let entry = whole.bodies[procedure].flow.starts.first()?.to;
    let mut found = Vec::new();
    for (rows, &class) in leaves.iter().zip(&regions.classes) {
        for (number, variant) in variants.iter().enumerate() {
            if variant.procedure != procedure || are_apart(&variant.cell, rows) {
                continue;
            }
            let label = match class {
                Class::Unknown => continue,
                Class::Ends => "ends",
                Class::Never if variant.exit.is_some() || !ends.is_empty() => return None,
                Class::Never if !may_block => continue,
                Class::Never | Class::Stays => "stays",
            };
            // A call is only where the invariant of the first point is true.
            let Some(known) = invariants.get(variant.first + entry.index())? else { continue };
            let mut guard = rows.clone();
            for row in known {
                let row = at_site(whole, procedure, row)?;
                if row.truth() != Some(true) && !guard.contains(&row) {
                    guard.push(row);
                }
            }
            found.push(Beginning { variant: number, guard, label: Some(label) });
        }
    }
    Some(found)
}

/// What has to be true of the graph of descents: `(ends -> AF end) & (stays -> EG !end)`.
pub fn claim() -> (Formulas, FormulaId, BTreeMap<AtomId, Proposition>) {
    let mut formulas = Formulas::new();
    let mut propositions = BTreeMap::new();
    let [end, ends, stays] = ["end", "ends", "stays"].map(|name| {
        let formula = formulas.atom(name);
        if let Formula::Atom(atom) = formulas.get(formula) {
            propositions.insert(atom, Proposition::Label(name.to_owned()));
        }
        formula
    });
    let comes = formulas.make(Formula::Finally(end));
    let comes = formulas.make(Formula::All(comes));
    let not_end = formulas.make(Formula::Not(end));
    let lasts = formulas.make(Formula::Globally(not_end));
    let lasts = formulas.make(Formula::Exists(lasts));
    let mut implied = |from: FormulaId, to: FormulaId| {
        let not = formulas.make(Formula::Not(from));
        formulas.make(Formula::Or(not, to))
    };
    let (first, second) = (implied(ends, comes), implied(stays, lasts));
    let root = formulas.make(Formula::And(first, second));
    (formulas, root, propositions)
}

/// The graph of calls, given what may become of a run inside each procedure ([`fates`]); `None` if
/// the summaries do not have the form that they should have.
pub fn caller(
    whole: &Whole<'_>,
    summaries: &Summaries,
    fates: &[(bool, Vec<String>)],
) -> Option<Flow> {
    let variants = variants(whole, summaries.known.last()?)?;
    let count = whole.calls.procedures.len();
    if summaries.regions.len() != count || summaries.inside.len() != count || fates.len() != count {
        return None;
    }
    let places = BTreeMap::new();
    Caller { whole, summaries, variants, fates, places, flow: Flow::default() }.run()
}

/// Makes the graph of calls.
struct Caller<'a> {
    whole: &'a Whole<'a>,
    summaries: &'a Summaries,
    variants: Vec<Variant>,
    fates: &'a [(bool, Vec<String>)],
    /// The points that stand for calls, by site and kind.
    places: BTreeMap<(PointId, Class), PointId>,
    flow: Flow,
}

impl Caller<'_> {
    fn run(mut self) -> Option<Flow> {
        let Body { flow: main, sites, .. } = &self.whole.main;
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
                Some(&procedure) => self.enter(edge, procedure)?,
            }
        }
        for ((site, class), place) in self.places.clone() {
            self.leave(site, class, place, sites[&site]);
        }
        Some(self.flow)
    }

    /// Edges into the points that stand for a call.
    fn enter(&mut self, edge: &Edge, procedure: usize) -> Option<()> {
        let saved = self.saved(procedure);
        let regions = &self.summaries.regions[procedure];
        for (rows, &class) in leaves(&regions.tree)?.into_iter().zip(&regions.classes) {
            let mut check = Edge::plain(edge.to, edge.to);
            check.guard = rows;
            let value = |global: usize| Affine::column(Column::variable(global));
            check.update.extend(saved.iter().map(|&(copy, global)| (copy, value(global))));
            let entered = edge.then(&check);
            // Too large numbers: enter without a condition, and know nothing.
            let class = if entered.is_some() { class } else { Class::Unknown };
            let mut entered = entered.unwrap_or_else(|| edge.clone());
            if entered.guard.iter().any(|row| row.truth() == Some(false)) {
                continue;
            }
            entered.guard.retain(|row| row.truth().is_none());
            entered.to = self.place(edge.to, class, procedure);
            if class == Class::Stays {
                // That a call can last is known of its beginning, and of a run that lasts: of other
                // states inside nothing is known.
                self.place(edge.to, Class::Unknown, procedure);
            }
            self.flow.edges.push(entered);
        }
        Some(())
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
        point.total = !self.fates[procedure].0;
        point.passing = class == Class::Ends;
        let place = self.flow.add_point(point);
        self.places.insert((site, class), place);
        place
    }

    /// Edges out of a point that stands for a call: what comes next is one of these, and it is not
    /// known which.
    fn leave(&mut self, site: PointId, class: Class, place: PointId, procedure: usize) {
        const OUTCOMES: i128 = 4;
        let whole = self.whole;
        let mut change = Edge::plain(place, place);
        for (number, &global) in whole.modified[procedure].iter().enumerate() {
            change.auxiliaries.push(Auxiliary::Unknown);
            change.update.push((global, Affine::column(Column::auxiliary(number))));
        }
        for row in &self.summaries.inside[procedure] {
            let after = row.substitute(|column| change.written(column));
            change.facts.extend(after.filter(|it| it != row));
        }
        let mut stay = change.clone();
        if !matches!(class, Class::Stays | Class::Never) {
            perhaps(&mut stay, 0, OUTCOMES);
        }
        self.flow.edges.push(stay);
        if class == Class::Never {
            return;
        }
        if let (Class::Stays, Some(&inside)) = (class, self.places.get(&(site, Class::Unknown))) {
            let mut other = Edge { to: inside, ..change.clone() };
            perhaps(&mut other, 3, OUTCOMES);
            self.flow.edges.push(other);
        }
        for variant in self.variants.iter().filter(|it| it.procedure == procedure) {
            let Some(exit) = &variant.exit else { continue };
            let step = returned(whole, procedure, &variant.cell, exit, true);
            for back in whole.main.flow.edges.as_slice().iter().filter(|it| it.from == site) {
                let mut all = followed(&step, back);
                perhaps(&mut all, 1, OUTCOMES);
                self.flow.edges.push(Edge { from: place, ..all });
            }
        }
        for (end, point) in whole.main.flow.points.iter() {
            if point.labels.iter().any(|it| self.fates[procedure].1.contains(it)) {
                let mut edge = Edge { to: end, ..change.clone() };
                perhaps(&mut edge, 2, OUTCOMES);
                self.flow.edges.push(edge);
            }
        }
    }
}

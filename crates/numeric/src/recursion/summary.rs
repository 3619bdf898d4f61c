//! In which states procedures are entered, and in which they are left.
//!
//! For each variant of a procedure there are rows about arguments and global variables that are
//! true whenever it is entered, and rows about copies of these, global variables and the result
//! that are true whenever it is left. They are found together: the body of each variant and `main`
//! are analysed with what is known so far of what they call, until nothing new is found; bounds
//! that keep growing go away. Two rounds from there on win back some of what that lost: what is
//! known is true of all calls, hence so is what follows from it.

use super::body::{Body, Whole, pairs, variables};
use crate::invariant::invariants_by;
use crate::system::{Solver, bounds};
use std::collections::{BTreeMap, BTreeSet};
use tern_ir::flow::{Affine, Auxiliary, Column, Edge, Flow, Point, PointId, Row};
use tern_model::index::{Id, Table};
use tern_model::{Budget, Limit};

/// The largest values of templates; `None` where there is no bound.
pub(super) type Most = Vec<Option<i128>>;

/// What is true of the states of a body, by points.
pub(super) type Invariants = Table<PointId, Option<Vec<Row>>>;

/// A procedure, entered in some states only.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    pub(super) procedure: usize,
    /// When it is this variant: rows about arguments and global variables.
    pub(super) cell: Vec<Row>,
}

/// What is known of all variants.
pub(super) struct Known {
    pub(super) variants: Vec<Variant>,
    /// For each procedure, what is bounded when it is entered and left.
    entry_templates: Vec<Vec<Affine>>,
    exit_templates: Vec<Vec<Affine>>,
    /// For each variant; `None` if it is never entered, or never left.
    entries: Vec<Option<Most>>,
    exits: Vec<Option<Most>>,
    /// What is true at the points of each variant.
    invariants: Vec<Option<Invariants>>,
}

/// Takes the larger bounds. Says whether anything grew.
pub(super) fn join(into: &mut Option<Most>, other: &Most) -> bool {
    let Some(into) = into else {
        *into = Some(other.clone());
        return true;
    };
    let mut grew = false;
    for (bound, other) in into.iter_mut().zip(other) {
        let joined = match (*bound, *other) {
            (Some(a), Some(b)) => Some(a.max(b)),
            _ => None,
        };
        grew |= joined != *bound;
        *bound = joined;
    }
    grew
}

/// Takes the smaller bounds.
fn meet(into: &mut Option<Most>, other: Option<Most>) {
    match (into.as_mut(), other) {
        (Some(into), Some(other)) => {
            for (bound, other) in into.iter_mut().zip(other) {
                *bound = match (*bound, other) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
            }
        }
        _ => *into = None,
    }
}

/// Takes the larger bounds, and lets those go that grew late.
fn grow(into: &mut Option<Most>, other: &Most, round: usize) -> bool {
    let before = into.clone();
    let grew = join(into, other);
    if let (Some(now), Some(before), true) = (into, before, round >= 3) {
        let has_grown = |(now, before): (&Option<i128>, &Option<i128>)| now != before;
        let all = round >= 14 && now.iter().zip(&before).any(has_grown);
        for (now, before) in now.iter_mut().zip(&before) {
            if all || now != before {
                *now = None;
            }
        }
    }
    grew
}

/// That templates are at most so large.
pub(super) fn rows(templates: &[Affine], most: &Most) -> Vec<Row> {
    let mut rows = Vec::new();
    for (template, bound) in templates.iter().zip(most) {
        if let (Some(bound), Some(mut affine)) = (bound, template.times(-1)) {
            affine.constant = *bound;
            rows.push(Row::at_least_zero(affine));
        }
    }
    rows
}

impl Known {
    /// What is true of every program: nothing but that calls may return.
    pub(super) fn nothing(whole: &Whole<'_>) -> Known {
        let count = whole.calls.procedures.len();
        let variant = |procedure: usize| Variant { procedure, cell: Vec::new() };
        Known {
            variants: (0..count).map(variant).collect(),
            entry_templates: vec![Vec::new(); count],
            exit_templates: vec![Vec::new(); count],
            entries: vec![Some(Vec::new()); count],
            exits: vec![Some(Vec::new()); count],
            invariants: (0..count).map(|_| None).collect(),
        }
    }

    /// The variants of a procedure that are entered.
    pub(super) fn entered(&self, procedure: usize) -> impl Iterator<Item = usize> + '_ {
        let is_so = move |variant: &usize| {
            self.variants[*variant].procedure == procedure && self.entries[*variant].is_some()
        };
        (0..self.variants.len()).filter(is_so)
    }

    /// What is true when a variant is entered, beside its cell.
    pub(super) fn entry_rows(&self, variant: usize) -> Vec<Row> {
        let templates = &self.entry_templates[self.variants[variant].procedure];
        self.entries[variant].as_ref().map(|most| rows(templates, most)).unwrap_or_default()
    }

    /// Whether a variant is ever left.
    pub(super) fn returns(&self, variant: usize) -> bool {
        self.exits[variant].is_some()
    }

    /// What is true at the points of a variant.
    pub(super) fn invariants(&self, variant: usize) -> Option<&Invariants> {
        self.invariants[variant].as_ref()
    }

    /// The points in which a run may be while a procedure runs, with what is true there.
    pub(super) fn inside<'a>(
        &'a self,
        whole: &'a Whole<'_>,
        procedure: usize,
    ) -> impl Iterator<Item = (&'a Point, &'a Vec<Row>)> {
        let is_reached =
            move |it: &usize| whole.reached[procedure].contains(&self.variants[*it].procedure);
        (0..self.variants.len()).filter(is_reached).flat_map(move |variant| {
            let body = &whole.bodies[self.variants[variant].procedure];
            let all = self.invariants[variant].iter().flat_map(|table| table.iter());
            all.filter_map(move |(id, rows)| {
                let is_exit = body.exit == Some(id);
                rows.as_ref().filter(|_| !is_exit).map(|rows| (&body.flow.points[id], rows))
            })
        })
    }

    /// All that a call does, from its site to just before the return, if it is this variant of the
    /// procedure and ever left. With `saved`, what global variables were is in their copies.
    pub(super) fn step(
        &self,
        whole: &Whole<'_>,
        variant: usize,
        procedure: usize,
        saved: bool,
    ) -> Option<Edge> {
        let most = self.exits[variant].as_ref()?;
        if self.variants[variant].procedure != procedure {
            return None;
        }
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
            let is_saved = saved && whole.modified[procedure].contains(&global);
            if is_saved {
                before.insert(Column::variable(global), value(copy));
            } else {
                after.insert(Column::variable(copy), value(global));
            }
        }
        let exit = rows(&self.exit_templates[procedure], most);
        edge.facts.extend(exit.iter().filter_map(|row| row.substitute(|it| after.get(&it))));
        let cell = &self.variants[variant].cell;
        // Rows that are lost to large numbers make the step possible more often.
        edge.guard.extend(cell.iter().filter_map(|row| row.substitute(|it| before.get(&it))));
        Some(edge)
    }
}

/// Finds what is true of procedures.
pub(super) struct Summaries<'a, 'b> {
    whole: &'b Whole<'a>,
    known: Known,
    budget: &'b Budget,
    solver: Solver<'b>,
    /// What was said last of `main` and of each variant, and what was known then.
    said: Vec<Option<(Basis, Option<News>)>>,
}

/// What the analysis of a body depends on: how it is entered, and how its callees are left.
type Basis = (Option<Most>, Vec<Option<Most>>);

impl<'a, 'b> Summaries<'a, 'b> {
    /// Variants are made by at most so many rows.
    pub(super) fn new(whole: &'b Whole<'a>, most_rows: usize, budget: &'b Budget) -> Self {
        let mut known = Known::nothing(whole);
        known.variants.clear();
        let mut solver = Solver::new(budget);
        for procedure in 0..whole.calls.procedures.len() {
            let cells = cells(whole, procedure, most_rows, &mut solver);
            let (entry, exit) = templates(whole, procedure, &cells);
            known.entry_templates[procedure] = entry;
            known.exit_templates[procedure] = exit;
            known.variants.extend(cells.into_iter().map(|cell| Variant { procedure, cell }));
        }
        let count = known.variants.len();
        known.entries = vec![None; count];
        known.exits = vec![None; count];
        known.invariants = (0..count).map(|_| None).collect();
        let said = (0..=count).map(|_| None).collect();
        Summaries { whole, known, budget, solver, said }
    }

    /// Whether some procedure has several variants.
    pub(super) fn has_variants(&self) -> bool {
        self.known.variants.len() > self.whole.calls.procedures.len()
    }

    pub(super) fn solve(mut self) -> Result<Known, Limit> {
        let mut round = 0;
        loop {
            let mut grew = false;
            for part in 0..=self.known.variants.len() {
                let Some(news) = self.analyse(part)? else { continue };
                for (variant, most) in &news.entries {
                    grew |= grow(&mut self.known.entries[*variant], most, round);
                }
                if let (Some(variant), Some(most)) = (part.checked_sub(1), &news.exit) {
                    grew |= grow(&mut self.known.exits[variant], most, round);
                }
            }
            if !grew {
                break;
            }
            round += 1;
        }
        for _ in 0..2 {
            if !self.descend()? {
                break;
            }
        }
        for part in 1..=self.known.variants.len() {
            let news = self.analyse(part)?;
            self.known.invariants[part - 1] = news.map(|news| news.invariants);
        }
        Ok(self.known)
    }

    /// Takes what follows from what is known instead of it. Says whether that is something else.
    fn descend(&mut self) -> Result<bool, Limit> {
        let count = self.known.variants.len();
        let (mut entries, mut exits) = (vec![None; count], vec![None; count]);
        for part in 0..=count {
            let Some(news) = self.analyse(part)? else { continue };
            for (variant, most) in &news.entries {
                join(&mut entries[*variant], most);
            }
            if let (Some(variant), Some(most)) = (part.checked_sub(1), news.exit) {
                exits[variant] = Some(most);
            }
        }
        let mut is_other = false;
        let all = self.known.entries.iter_mut().chain(&mut self.known.exits);
        for (old, new) in all.zip(entries.into_iter().chain(exits)) {
            let before = old.clone();
            meet(old, new);
            is_other |= *old != before;
        }
        Ok(is_other)
    }

    /// Analyses `main`, or the variant with the number before this, unless nothing has changed
    /// since the last time.
    fn analyse(&mut self, part: usize) -> Result<Option<News>, Limit> {
        let variant = part.checked_sub(1);
        let body = match variant {
            None => &self.whole.main,
            Some(variant) => &self.whole.bodies[self.known.variants[variant].procedure],
        };
        let callees: BTreeSet<usize> = body.sites.values().copied().collect();
        let is_called = |it: &usize| callees.contains(&self.known.variants[*it].procedure);
        let called = (0..self.known.variants.len()).filter(is_called);
        let basis: Basis = (
            variant.and_then(|variant| self.known.entries[variant].clone()),
            called.map(|it| self.known.exits[it].clone()).collect(),
        );
        if let Some((before, said)) = &self.said[part]
            && *before == basis
        {
            return Ok(said.clone());
        }
        let said = self.analyse_anew(part)?;
        self.said[part] = Some((basis, said.clone()));
        Ok(said)
    }

    /// Analyses `main`, or the variant with the number before this, if it is entered.
    fn analyse_anew(&mut self, part: usize) -> Result<Option<News>, Limit> {
        let whole = self.whole;
        let (body, starts) = match part.checked_sub(1) {
            None => (&whole.main, whole.main.flow.starts.clone()),
            Some(variant) => {
                if self.known.entries[variant].is_none() {
                    return Ok(None);
                }
                let body = &whole.bodies[self.known.variants[variant].procedure];
                let mut given = Edge::plain(PointId::new(0), PointId::new(0));
                given.guard = self.known.entry_rows(variant);
                given.guard.extend(self.known.variants[variant].cell.iter().cloned());
                let starts = body.flow.starts.iter().filter_map(|enter| given.then(enter));
                (body, starts.collect())
            }
        };
        let flow = self.with_summaries(body, starts);
        let mut wanted: Vec<Affine> = Vec::new();
        if let Some(variant) = part.checked_sub(1) {
            let procedure = self.known.variants[variant].procedure;
            wanted.extend(self.known.exit_templates[procedure].iter().cloned());
        }
        for procedure in body.sites.values().copied().collect::<BTreeSet<usize>>() {
            wanted.extend(self.known.entry_templates[procedure].iter().cloned());
        }
        let invariants = compact(&flow, &wanted, part > 0, self.budget)?;
        let mut entries = Vec::new();
        for (&site, &procedure) in &body.sites {
            let Some(rows) = &invariants[site] else { continue };
            for variant in 0..self.known.variants.len() {
                let Variant { procedure: of, cell } = &self.known.variants[variant];
                if *of != procedure {
                    continue;
                }
                let mut given = rows.clone();
                given.extend(cell.iter().cloned());
                if self.solver.is_empty(&given)? {
                    continue;
                }
                if let Ok(most) = bounds(&given, &self.known.entry_templates[procedure]) {
                    entries.push((variant, most));
                }
            }
        }
        let exit = part.checked_sub(1).and_then(|variant| {
            let rows = invariants[body.exit?].as_ref()?;
            bounds(rows, &self.known.exit_templates[self.known.variants[variant].procedure]).ok()
        });
        Ok(Some(News { entries, exit, invariants }))
    }

    /// A body in which calls are steps, as far as they are known to return.
    fn with_summaries(&self, body: &Body, starts: Vec<Edge>) -> Flow {
        let mut flow = Flow { edges: Table::new(), starts, ..body.flow.clone() };
        for edge in body.flow.edges.as_slice() {
            match body.sites.get(&edge.from) {
                None => {
                    flow.edges.push(edge.clone());
                }
                Some(&procedure) => {
                    for variant in 0..self.known.variants.len() {
                        let step = self.known.step(self.whole, variant, procedure, false);
                        if let Some(all) = step.map(|step| followed(step, edge)) {
                            flow.edges.push(all);
                        }
                    }
                }
            }
        }
        flow
    }
}

/// What the analysis of a body says.
#[derive(Clone)]
struct News {
    entries: Vec<(usize, Most)>,
    exit: Option<Most>,
    invariants: Invariants,
}

/// A step of a callee, then the return.
pub(super) fn followed(mut step: Edge, back: &Edge) -> Edge {
    let all = step.then(back).or_else(|| {
        step.facts.clear();
        step.guard.clear();
        step.then(back)
    });
    let mut all = all.unwrap_or_else(|| back.clone());
    (all.from, all.to) = (back.from, back.to);
    all
}

/// Invariants of a flow graph in which most variables do not occur.
fn compact(
    flow: &Flow,
    wanted: &[Affine],
    all_pairs: bool,
    budget: &Budget,
) -> Result<Invariants, Limit> {
    const MOST: usize = 130;
    let used: BTreeSet<usize> =
        flow.edges.as_slice().iter().chain(&flow.starts).flat_map(variables).collect();
    let old: Vec<usize> = used.into_iter().collect();
    let new: BTreeMap<Column, Affine> = (old.iter().enumerate())
        .map(|(to, &from)| (Column::variable(from), Affine::column(Column::variable(to))))
        .collect();
    let back: BTreeMap<Column, Affine> = (old.iter().enumerate())
        .map(|(from, &to)| (Column::variable(from), Affine::column(Column::variable(to))))
        .collect();
    let renamed = |edge: &Edge| {
        let rows = |rows: &[Row]| -> Option<Vec<Row>> {
            rows.iter().map(|row| row.substitute(|it| new.get(&it))).collect()
        };
        let update = edge.update.iter().map(|(variable, value)| {
            let to = old.binary_search(variable).ok()?;
            Some((to, value.substitute(|it| new.get(&it))?))
        });
        Some(Edge {
            facts: rows(&edge.facts)?,
            guard: rows(&edge.guard)?,
            update: update.collect::<Option<_>>()?,
            ..edge.clone()
        })
    };
    let mut small = Flow {
        variables: old.iter().map(|&it| flow.variables[it].clone()).collect(),
        points: flow.points.clone(),
        ..Flow::default()
    };
    let renames = "renaming changes no number";
    for edge in flow.edges.as_slice() {
        small.edges.push(renamed(edge).expect(renames));
    }
    small.starts = flow.starts.iter().map(|it| renamed(it).expect(renames)).collect();
    let is_there = |it: &&Affine| it.terms.iter().all(|term| new.contains_key(&term.0));
    let mut templates: Vec<Affine> = wanted
        .iter()
        .filter(is_there)
        .filter_map(|it| it.substitute(|column| new.get(&column)))
        .collect();
    if all_pairs {
        let columns: Vec<Column> = (0..old.len()).map(Column::variable).collect();
        templates.extend(pairs(&columns, MOST));
    }
    let found = invariants_by(&small, &templates, MOST, budget)?;
    let mut invariants = Table::new();
    for rows in found.as_slice() {
        let rows = rows
            .as_ref()
            .map(|rows| rows.iter().filter_map(|row| row.substitute(|it| back.get(&it))).collect());
        invariants.push(rows);
    }
    Ok(invariants)
}

/// What is bounded when a procedure is entered and left.
fn templates(
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
    let mut exit = pairs(&left, 70);
    for sum in sums.into_iter().take(12) {
        for sign in [1, -1] {
            let mut terms: Vec<(Column, i128)> =
                sum.iter().map(|&(it, factor)| (Column::variable(it), sign * factor)).collect();
            terms.sort_unstable();
            exit.push(Affine { terms, constant: 0 });
        }
    }
    (entry, exit)
}

/// The cells of variants: by rows that the body compares parameters with.
fn cells(
    whole: &Whole<'_>,
    procedure: usize,
    most_rows: usize,
    solver: &mut Solver<'_>,
) -> Vec<Vec<Row>> {
    const MOST_CELLS: usize = 9;
    let Body { flow, .. } = &whole.bodies[procedure];
    let it = &whole.calls.procedures[procedure];
    // A parameter stands for its argument.
    let mut argument: BTreeMap<Column, Affine> = BTreeMap::new();
    for (to, value) in &it.enter.update {
        argument.insert(Column::variable(*to), value.clone());
    }
    let is_given = |column: Column| {
        column.as_variable().is_some_and(|variable| {
            it.arguments.contains(&variable) || whole.calls.globals.contains(&variable)
        })
    };
    let mut rows: Vec<Row> = Vec::new();
    for row in flow.edges.as_slice().iter().flat_map(|edge| &edge.guard) {
        let Some(row) = row.substitute(|column| argument.get(&column)) else { continue };
        let terms = &row.affine().terms;
        let is_new = !rows.contains(&row) && row.negated().is_some_and(|it| !rows.contains(&it));
        let has_argument = terms.iter().any(|term| {
            term.0.as_variable().is_some_and(|variable| it.arguments.contains(&variable))
        });
        if is_new && has_argument && terms.iter().all(|term| is_given(term.0)) {
            rows.push(row);
        }
    }
    let mut cells: Vec<Vec<Row>> = vec![Vec::new()];
    for row in rows.into_iter().take(most_rows) {
        let Some(negated) = row.negated() else { continue };
        let mut finer = Vec::new();
        for cell in &cells {
            for half in [&row, &negated] {
                let mut part = cell.clone();
                part.push(half.clone());
                if !solver.is_empty(&part).unwrap_or(false) {
                    finer.push(part);
                }
            }
        }
        if finer.len() > MOST_CELLS {
            break;
        }
        cells = finer;
    }
    cells
}

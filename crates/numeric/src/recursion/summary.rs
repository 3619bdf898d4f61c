//! In which states procedures are entered, and in which they are left.
//!
//! For each variant of a procedure there are rows about arguments and global variables that are
//! true whenever it is entered, and rows about copies of these, global variables and the result
//! that are true whenever it is left. They are found together: the body of each variant and `main`
//! are analysed with what is known so far of what they call, until nothing new is found; bounds
//! that keep growing go away. Two rounds from there on win back some of what that lost: what is
//! known is true of all calls, hence so is what follows from it.

use super::bounded::{cells, pairs, templates};
use crate::invariant::{invariants_by, invariants_of_compared};
use crate::system::{Solver, bounds};
use std::collections::{BTreeMap, BTreeSet};
use tern_ir::bodies::{Body, Whole, variables};
use tern_ir::flow::{Affine, Column, Edge, Flow, PointId, Row};
use tern_ir::proof::Branch;
use tern_ir::summary::{self, followed, returned};
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
    /// What is true at the points of `main`, and of each variant; `None` if it is never entered.
    main: Option<Invariants>,
    invariants: Vec<Option<Invariants>>,
    /// For each procedure, the tree whose leaves are the cells of its variants.
    trees: Vec<Vec<Branch>>,
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
            main: Some(everywhere(&whole.main)),
            invariants: whole.bodies.iter().map(|body| Some(everywhere(body))).collect(),
            trees: vec![vec![Branch::Leaf]; count],
        }
    }

    /// What is true whatever procedures are given and leave behind: each body is looked at once,
    /// with what it compares.
    pub(super) fn of_bodies(whole: &Whole<'_>, budget: &Budget) -> Result<Known, Limit> {
        let summaries = Summaries {
            whole,
            known: Known::nothing(whole),
            budget,
            solver: Solver::new(budget),
            said: Vec::new(),
        };
        let found = |body: &Body| {
            let flow = summaries.with_summaries(body, body.flow.starts.clone());
            compact(&flow, Wanted::Compared, budget)
        };
        let main = Some(found(&whole.main)?);
        let bodies = whole.bodies.iter().map(|body| found(body).map(Some));
        let invariants = bodies.collect::<Result<Vec<_>, Limit>>()?;
        Ok(Known { main, invariants, ..summaries.known })
    }

    /// What is true when a variant is entered, beside its cell.
    pub(super) fn entry_rows(&self, variant: usize) -> Vec<Row> {
        let templates = &self.entry_templates[self.variants[variant].procedure];
        self.entries[variant].as_ref().map(|most| rows(templates, most)).unwrap_or_default()
    }

    /// Whether a variant is ever entered.
    pub(super) fn is_entered(&self, variant: usize) -> bool {
        self.entries[variant].is_some()
    }

    /// Rows about exits.
    pub(super) fn exits(&self) -> summary::Known {
        let exit = |(variant, most): (&Variant, &Option<Most>)| {
            most.as_ref().map(|most| rows(&self.exit_templates[variant.procedure], most))
        };
        let exits = self.variants.iter().zip(&self.exits).map(exit).collect();
        summary::Known { trees: self.trees.clone(), exits }
    }

    /// What is true at the points of the graph of descents without beginnings.
    pub(super) fn invariants(&self, whole: &Whole<'_>) -> Vec<Option<Vec<Row>>> {
        let mut all = Vec::new();
        let mut add = |table: &Option<Invariants>, body: &Body| match table {
            Some(table) => all.extend(table.as_slice().iter().cloned()),
            None => all.extend(body.flow.points.iter().map(|_| None)),
        };
        add(&self.main, &whole.main);
        for (variant, table) in self.variants.iter().zip(&self.invariants) {
            add(table, &whole.bodies[variant.procedure]);
        }
        all
    }

    /// The return from a call of a variant, if it is ever left.
    fn step(&self, whole: &Whole<'_>, variant: usize) -> Option<Edge> {
        let Variant { procedure, cell } = &self.variants[variant];
        let exit = rows(&self.exit_templates[*procedure], self.exits[variant].as_ref()?);
        Some(returned(whole, *procedure, cell, &exit, false))
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
            let tree = cells(whole, procedure, most_rows, &mut solver);
            let cells = summary::leaves(&tree).unwrap_or_default();
            known.trees[procedure] = tree;
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
        self.known.main = self.analyse(0)?.map(|news| news.invariants);
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
        let wanted = Wanted::Templates { first: &wanted, all_pairs: part > 0 };
        let invariants = compact(&flow, wanted, self.budget)?;
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
                let templates = &self.known.entry_templates[procedure];
                if let Some(most) = bounds(&given, templates, self.budget)? {
                    entries.push((variant, most));
                }
            }
        }
        let left = body.exit.and_then(|exit| invariants[exit].as_ref());
        let exit = match part.checked_sub(1).zip(left) {
            None => None,
            Some((variant, rows)) => {
                let procedure = self.known.variants[variant].procedure;
                bounds(rows, &self.known.exit_templates[procedure], self.budget)?
            }
        };
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
                        if self.known.variants[variant].procedure != procedure {
                            continue;
                        }
                        let step = self.known.step(self.whole, variant);
                        if let Some(all) = step.map(|step| followed(&step, edge)) {
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

/// What invariants are about.
#[derive(Clone, Copy)]
enum Wanted<'a> {
    /// Single variables, and what is compared.
    Compared,
    /// These templates first; perhaps all pairs of variables; and what is usual.
    Templates { first: &'a [Affine], all_pairs: bool },
}

/// Invariants of a flow graph in which most variables do not occur.
fn compact(flow: &Flow, wanted: Wanted<'_>, budget: &Budget) -> Result<Invariants, Limit> {
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
    let found = match wanted {
        Wanted::Compared => invariants_of_compared(&small, MOST, budget)?,
        Wanted::Templates { first, all_pairs } => {
            let there = first.iter().filter(is_there);
            let mut templates: Vec<Affine> =
                there.filter_map(|it| it.substitute(|column| new.get(&column))).collect();
            if all_pairs {
                let columns: Vec<Column> = (0..old.len()).map(Column::variable).collect();
                templates.extend(pairs(&columns, MOST));
            }
            invariants_by(&small, &templates, MOST, budget)?
        }
    };
    let mut invariants = Table::new();
    for rows in found.as_slice() {
        let rows = rows
            .as_ref()
            .map(|rows| rows.iter().filter_map(|row| row.substitute(|it| back.get(&it))).collect());
        invariants.push(rows);
    }
    Ok(invariants)
}

/// That nothing is known at the points of a body.
fn everywhere(body: &Body) -> Invariants {
    body.flow.points.iter().map(|_| Some(Vec::new())).collect()
}

//! Rows that are true in all reachable states of a point.
//!
//! A forward analysis over *templates*: sums of variables for which a largest value is kept at each
//! point. Templates are each variable with both signs, sums and differences of variables that
//! occur together, what guards and claims compare, and sums that are constant where ways meet
//! (`equality.rs`). A step gives each template its exact
//! maximum (a linear program), rounded to an integer. Where loops close, a bound that grew goes to
//! the next number that the program mentions, or away; two descending rounds win back what that
//! lost. The first rounds go forward until nothing grows, so the result is closed under all steps.
//! If more sums are constant once steps are left out that cannot be taken, all begins again with
//! these.
//!
//! # Source
//! Sankaranarayanan, Sipma, Manna: Scalable analysis of linear systems using mathematical
//! programming. VMCAI 2005.

mod templates;

use crate::system::{Solver, bounds};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use templates::{compared, constant, templates, thresholds, used};
use tern_ir::flow::{Affine, Column, Edge, EdgeId, Flow, PointId, Row};
use tern_model::index::{Id, Table};
use tern_model::{Budget, Limit};

/// How often what is known where a loop closes may grow before it is widened.
const PATIENCE: u32 = 2;

/// What is known at a point: the largest value of each template; `None` if it is not reached.
type Bounds = Option<Vec<Option<i128>>>;

struct Analysis<'a> {
    flow: &'a Flow,
    templates: Vec<Affine>,
    /// The number of each template.
    numbers: FxHashMap<Affine, usize>,
    /// Where widening may stop, for each template, in order.
    thresholds: Vec<Vec<i128>>,
    budget: &'a Budget,
}

/// A point from which steps are taken.
struct Here<'s> {
    bounds: &'s [Option<i128>],
    /// Whether a bound that is not there does not follow from others.
    is_tight: bool,
    /// The same as rows, once they are needed.
    rows: OnceCell<Vec<Row>>,
}

impl<'s> Here<'s> {
    fn new(bounds: &'s [Option<i128>], is_tight: bool) -> Self {
        Here { bounds, is_tight, rows: OnceCell::new() }
    }
}

/// What is known after an edge: the bounds of templates as far as they were asked for, from these
/// bounds before it. `None` if it cannot be taken.
type Taken = (Vec<Option<i128>>, Option<Vec<Option<Option<i128>>>>);

/// What rows are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Templates {
    /// Single variables.
    Intervals,
    /// Sums and differences of two variables as well.
    Octagons,
    /// What the program and its claims compare as well.
    #[default]
    All,
}

impl Templates {
    fn has(self, template: &Affine) -> bool {
        match self {
            Templates::Intervals => template.terms.len() < 2,
            Templates::Octagons => {
                template.terms.len() <= 2 && template.terms.iter().all(|term| term.1.abs() == 1)
            }
            Templates::All => true,
        }
    }
}

/// Rows for each point that are true in all its reachable states; `None` for points that are not
/// reached. `hints` are rows that are worth knowing about.
///
/// # Errors
/// The limit that was reached.
pub fn invariants(
    flow: &Flow,
    hints: &[Row],
    of: Templates,
    budget: &Budget,
) -> Result<Table<PointId, Option<Vec<Row>>>, Limit> {
    let used = used(flow, hints);
    let mut templates = templates(flow, hints, &used, budget)?;
    templates.retain(|template| of.has(template));
    let invariants = invariants_over(flow, hints, templates.clone(), budget)?;
    if of != Templates::All {
        return Ok(invariants);
    }
    let before = templates.len();
    for sum in constant(flow, &used, Some(&invariants), budget)? {
        if !templates.contains(&sum) {
            templates.push(sum);
        }
    }
    if templates.len() == before {
        return Ok(invariants);
    }
    invariants_over(flow, hints, templates, budget)
}

/// As [`invariants`], with these templates before others; at most so many in all.
pub(crate) fn invariants_by(
    flow: &Flow,
    wanted: &[Affine],
    most: usize,
    budget: &Budget,
) -> Result<Table<PointId, Option<Vec<Row>>>, Limit> {
    let all_variables: BTreeSet<usize> = (0..flow.variables.len()).collect();
    let mut all: Vec<Affine> = Vec::new();
    let mut seen: BTreeSet<Affine> = BTreeSet::new();
    let usual = templates(flow, &[], &all_variables, budget)?;
    for template in wanted.iter().cloned().chain(usual) {
        if all.len() < most && seen.insert(template.clone()) {
            all.push(template);
        }
    }
    invariants_over(flow, &[], all, budget)
}

/// As [`invariants`], about single variables and what is compared alone; at most so many.
pub(crate) fn invariants_of_compared(
    flow: &Flow,
    most: usize,
    budget: &Budget,
) -> Result<Table<PointId, Option<Vec<Row>>>, Limit> {
    let mut templates = compared(flow);
    templates.truncate(most);
    invariants_over(flow, &[], templates, budget)
}

fn invariants_over(
    flow: &Flow,
    hints: &[Row],
    templates: Vec<Affine>,
    budget: &Budget,
) -> Result<Table<PointId, Option<Vec<Row>>>, Limit> {
    let thresholds = thresholds(flow, hints, &templates);
    let numbered = templates.iter().enumerate();
    let numbers = numbered.map(|(number, template)| (template.clone(), number)).collect();
    let analysis = Analysis { flow, templates, numbers, thresholds, budget };
    let state = analysis.run()?;
    let mut solver = Solver::new(budget);
    let mut invariants = Table::new();
    for bounds in state.as_slice() {
        let mut rows = bounds.as_ref().map(|bounds| analysis.rows(bounds));
        if let Some(rows) = &mut rows {
            solver.reduce(rows)?;
        }
        invariants.push(rows);
    }
    Ok(invariants)
}

/// A system and sums in parts that have no columns in common: each is a linear program of its own,
/// and many small ones cost less than one. A sum goes with all that its columns do.
fn apart(rows: &[Row], sums: &[Affine]) -> Vec<(Vec<Row>, Vec<usize>)> {
    let affine = || rows.iter().map(Row::affine).chain(sums);
    let mut columns: Vec<Column> = affine().flat_map(|it| &it.terms).map(|it| it.0).collect();
    columns.sort_unstable();
    columns.dedup();
    let place = |column: Column| columns.binary_search(&column).unwrap_or(0);
    let mut parent: Vec<usize> = (0..columns.len()).collect();
    let find = |parent: &mut Vec<usize>, mut at: usize| {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    };
    for sum in affine() {
        for pair in sum.terms.windows(2) {
            let (left, right) = (place(pair[0].0), place(pair[1].0));
            let (left, right) = (find(&mut parent, left), find(&mut parent, right));
            parent[left] = right;
        }
    }
    // What has no columns goes with the first.
    let mut parts: BTreeMap<usize, (Vec<Row>, Vec<usize>)> = BTreeMap::new();
    let of = |parent: &mut Vec<usize>, sum: &Affine| {
        sum.terms.first().map_or(0, |term| find(parent, place(term.0)))
    };
    for row in rows {
        parts.entry(of(&mut parent, row.affine())).or_default().0.push(row.clone());
    }
    for (number, sum) in sums.iter().enumerate() {
        parts.entry(of(&mut parent, sum)).or_default().1.push(number);
    }
    parts.into_values().collect()
}

impl Analysis<'_> {
    /// What is known as rows, without those that follow from the bounds of single variables.
    fn rows(&self, bounds: &[Option<i128>]) -> Vec<Row> {
        let mut single: BTreeMap<(Column, bool), i128> = BTreeMap::new();
        for (template, bound) in self.templates.iter().zip(bounds) {
            if let ([(column, factor @ (1 | -1))], Some(bound)) = (&template.terms[..], bound) {
                single.insert((*column, *factor > 0), *bound);
            }
        }
        let by_singles = |template: &Affine| {
            template.terms.iter().try_fold(0_i128, |sum, (column, factor)| {
                let most = single.get(&(*column, *factor > 0))?;
                sum.checked_add(most.checked_mul(factor.abs())?)
            })
        };
        let mut rows = Vec::new();
        for (template, bound) in self.templates.iter().zip(bounds) {
            let Some(bound) = bound else { continue };
            let is_plain = template.terms.len() < 2;
            if !is_plain && by_singles(template).is_some_and(|most| most <= *bound) {
                continue;
            }
            if let Some(mut affine) = template.times(-1) {
                affine.constant = *bound;
                rows.push(Row::at_least_zero(affine));
            }
        }
        rows
    }

    /// What is known after a step of the templates that are wanted, and perhaps of others. What was
    /// found out about the edge from the same bounds is not found out again.
    fn step(
        &self,
        here: &Here<'_>,
        edge: &Edge,
        taken: &mut Option<Taken>,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<Bounds, Limit> {
        let (_, known) = match taken {
            Some(taken) if taken.0 == here.bounds => taken,
            _ => taken.insert((here.bounds.to_vec(), Some(vec![None; self.templates.len()]))),
        };
        let Some(after) = known else { return Ok(None) };
        let is_plain = here.is_tight && edge.rows().next().is_none();
        let (mut numbers, mut sums) = (Vec::new(), Vec::new());
        for (number, template) in self.templates.iter().enumerate() {
            if !is_wanted(number) || after[number].is_some() {
                continue;
            }
            let sum = template.substitute(|column| edge.written(column));
            match (sum, is_plain) {
                (None, _) => after[number] = Some(None),
                (Some(sum), true) if let Some(most) = self.looked_up(here, &sum) => {
                    after[number] = Some(most);
                }
                (Some(sum), _) => {
                    numbers.push(number);
                    sums.push(sum);
                }
            }
        }
        if !sums.is_empty() {
            let mut rows = here.rows.get_or_init(|| self.rows(here.bounds)).clone();
            rows.extend(edge.rows().cloned());
            for (rows, members) in apart(&rows, &sums) {
                let own: Vec<Affine> = members.iter().map(|&it| sums[it].clone()).collect();
                let Some(most) = bounds(&rows, &own, self.budget)? else {
                    *known = None;
                    return Ok(None);
                };
                for (member, most) in members.into_iter().zip(most) {
                    after[numbers[member]] = Some(most);
                }
            }
        }
        Ok(Some(after.iter().map(|bound| bound.flatten()).collect()))
    }

    /// The largest value of a sum, where it is a template but for a constant, or has something that
    /// may be anything; `None` if it is something else.
    fn looked_up(&self, here: &Here<'_>, sum: &Affine) -> Option<Option<i128>> {
        if sum.is_constant() {
            return Some(Some(sum.constant));
        }
        if sum.terms.iter().any(|term| term.0.as_variable().is_none()) {
            return Some(None);
        }
        let template = Affine { terms: sum.terms.clone(), constant: 0 };
        let most = here.bounds[*self.numbers.get(&template)?];
        Some(most.and_then(|most| most.checked_add(sum.constant)))
    }

    fn join(into: &mut Bounds, other: Bounds) {
        let Some(other) = other else { return };
        match into {
            None => *into = Some(other),
            Some(into) => {
                for (bound, other) in into.iter_mut().zip(other) {
                    *bound = match (*bound, other) {
                        (Some(a), Some(b)) => Some(a.max(b)),
                        _ => None,
                    };
                }
            }
        }
    }

    fn initial(&self) -> Result<Table<PointId, Bounds>, Limit> {
        let mut state: Table<PointId, Bounds> = Table::filled(None, self.flow.points.len());
        for start in &self.flow.starts {
            let nothing = vec![None; self.templates.len()];
            let bounds = self.step(&Here::new(&nothing, true), start, &mut None, |_| true)?;
            Self::join(&mut state[start.to], bounds);
        }
        Ok(state)
    }

    fn run(&self) -> Result<Table<PointId, Bounds>, Limit> {
        let leaving = self.flow.leaving();
        let order = self.order(&leaving);
        let mut position = vec![0; self.flow.points.len()];
        for (at, point) in order.iter().enumerate() {
            position[point.index()] = at;
        }
        let initial = self.initial()?;
        let mut state = initial.clone();
        let mut grown: Vec<u32> = vec![0; self.flow.points.len()];
        let mut taken: Table<EdgeId, Option<Taken>> = Table::filled(None, self.flow.edges.len());
        let mut todo: BTreeSet<usize> = BTreeSet::new();
        todo.extend(order.iter().filter(|&&p| state[p].is_some()).map(|p| position[p.index()]));
        while let Some(at) = todo.pop_first() {
            let point = order[at];
            let Some(before) = state[point].clone() else { continue };
            let here = Here::new(&before, grown[point.index()] <= PATIENCE);
            for &id in &leaving[point] {
                let edge = &self.flow.edges[id];
                // What has no bound there will have none.
                let there = state[edge.to].as_ref();
                let is_open = |number: usize| there.is_none_or(|it| it[number].is_some());
                let after = self.step(&here, edge, &mut taken[id], is_open)?;
                let mut joined = state[edge.to].clone();
                Self::join(&mut joined, after);
                if joined == state[edge.to] {
                    continue;
                }
                let is_back = position[edge.to.index()] <= at;
                if is_back {
                    grown[edge.to.index()] += 1;
                }
                if is_back && grown[edge.to.index()] > PATIENCE {
                    self.widen(&state[edge.to], &mut joined, grown[edge.to.index()] > 12);
                }
                state[edge.to] = joined;
                todo.insert(position[edge.to.index()]);
            }
        }
        for _ in 0..2 {
            self.narrow(&initial, &mut state, &order, &mut taken)?;
        }
        Ok(state)
    }

    /// Moves bounds that grew to the next threshold, or away.
    fn widen(&self, old: &Bounds, new: &mut Bounds, at_once: bool) {
        let (Some(old), Some(new)) = (old, new) else { return };
        for ((old, new), known) in old.iter().zip(new).zip(&self.thresholds) {
            if let (Some(before), Some(after)) = (*old, *new)
                && after > before
            {
                *new = known.iter().copied().find(|&known| known >= after).filter(|_| !at_once);
            }
        }
    }

    /// One descending round, in place.
    fn narrow(
        &self,
        initial: &Table<PointId, Bounds>,
        state: &mut Table<PointId, Bounds>,
        order: &[PointId],
        taken: &mut Table<EdgeId, Option<Taken>>,
    ) -> Result<(), Limit> {
        let mut entering: Table<PointId, Vec<EdgeId>> =
            Table::filled(Vec::new(), self.flow.points.len());
        for (id, edge) in self.flow.edges.iter() {
            entering[edge.to].push(id);
        }
        for &point in order {
            let mut joined = initial[point].clone();
            for &id in &entering[point] {
                let edge = &self.flow.edges[id];
                if let Some(bounds) = &state[edge.from] {
                    let so_far = joined.as_ref();
                    let is_open = |number: usize| so_far.is_none_or(|it| it[number].is_some());
                    let here = Here::new(bounds, false);
                    let after = self.step(&here, edge, &mut taken[id], is_open)?;
                    Self::join(&mut joined, after);
                }
            }
            // The maximum of a template may have been lost to large numbers: keep what is known.
            if let (Some(joined), Some(old)) = (&mut joined, &state[point]) {
                for (new, &old) in joined.iter_mut().zip(old) {
                    *new = match (*new, old) {
                        (Some(a), Some(b)) => Some(a.min(b)),
                        (new, old) => new.or(old),
                    };
                }
            }
            state[point] = joined;
        }
        Ok(())
    }

    /// The points in reverse postorder from the starts.
    fn order(&self, leaving: &Table<PointId, Vec<EdgeId>>) -> Vec<PointId> {
        let mut seen = vec![false; self.flow.points.len()];
        let mut post = Vec::new();
        let mut stack: Vec<(PointId, usize)> = Vec::new();
        for start in &self.flow.starts {
            if !std::mem::replace(&mut seen[start.to.index()], true) {
                stack.push((start.to, 0));
            }
            while let Some((point, next)) = stack.last_mut() {
                match leaving[*point].get(*next) {
                    None => {
                        post.push(*point);
                        stack.pop();
                    }
                    Some(&edge) => {
                        *next += 1;
                        let to = self.flow.edges[edge].to;
                        if !std::mem::replace(&mut seen[to.index()], true) {
                            stack.push((to, 0));
                        }
                    }
                }
            }
        }
        post.reverse();
        post
    }
}

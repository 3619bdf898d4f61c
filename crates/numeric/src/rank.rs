//! Functions that fall on every step of a cycle, found by linear programming.
//!
//! Given is a graph of *places* whose edges are relations ([`Edge`]). [`find`] shows that no run
//! takes its edges for ever, if it can: strongly connected parts are cut open at places that lie on
//! all their cycles, the paths between these are composed, and each part is taken apart
//! lexicographically. In each round an affine function for each cut place is sought that rises on
//! no path of the part, and on some path falls by 1 and is not negative at its beginning; such
//! paths are taken out, and the rest is looked at again. A part in which all paths only wait, for
//! what no run waits for ever, is left as it is. That a function behaves so on a path
//! means, by Farkas, that a sum of multiples of the path's rows says it, so that coefficients and
//! multiples are the unknowns of one linear program.
//!
//! # Source
//! Podelski, Rybalchenko: A complete method for the synthesis of linear ranking functions. VMCAI
//! 2004; Bradley, Manna, Sipma: Linear ranking with reachability. CAV 2005 (lexicographic, a
//! function for each place).

use crate::simplex::{Feasible, Simplex, TooLarge};
use crate::system::{Solver, columns};
use std::collections::{BTreeMap, BTreeSet};
use tern_ir::flow::{Affine, Column, Edge, Row};
use tern_model::Limit;

/// A relation from a place to a place. Its guard says all that is known at its beginning.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// The states and values that it relates; the points of the edge mean nothing here.
    pub edge: Edge,
    /// Whether no run takes such relations only, from some time on.
    pub waits: bool,
}

/// A lexicographic ranking: on every path between cut places, the first function that does not stay
/// as it is or fall falls by 1 at least, and is not negative before; or no function rises, and the
/// path waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranking {
    /// Places such that every cycle goes through one.
    pub cuts: BTreeSet<usize>,
    /// The most important first, cut places with their functions; what is not named is 0.
    pub functions: Vec<BTreeMap<usize, Affine>>,
}

/// What came of the search.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// No run stays in the graph.
    Ranked(Ranking),
    /// Nothing was found for these paths between cut places.
    Stuck(Vec<Relation>),
}

/// The most paths between cut places that are looked at.
const MOST_PATHS: usize = 48;
/// The most rows of a path, for each of its two roles in a linear program.
const MOST_ROWS: usize = 40;

/// Looks for a ranking of a graph.
///
/// # Errors
/// The limit that was reached.
pub fn find(relations: &[Relation], solver: &mut Solver<'_>) -> Result<Outcome, Limit> {
    let component = components(relations);
    let inside = |relation: &&Relation| component[&relation.from] == component[&relation.to];
    let inner: Vec<&Relation> = relations.iter().filter(inside).collect();
    // Often something that is compared falls on single steps, and there is no need of paths, of
    // which there may be very many.
    let places = inner.iter().flat_map(|it| [it.from, it.to]).collect();
    let steps = inner.iter().map(|&it| it.clone()).collect();
    if let Outcome::Ranked(ranking) = taken_apart(places, steps, false, solver)? {
        return Ok(Outcome::Ranked(ranking));
    }
    let cuts = cuts(&inner);
    match compose(&inner, &cuts, solver)? {
        None => Ok(Outcome::Stuck(Vec::new())),
        Some(paths) => taken_apart(cuts, paths, true, solver),
    }
}

/// Finds functions for paths between cut places, one after the other; by linear programs if what
/// suggests itself will not do and that is wanted.
fn taken_apart(
    cuts: BTreeSet<usize>,
    mut paths: Vec<Relation>,
    by_programs: bool,
    solver: &mut Solver<'_>,
) -> Result<Outcome, Limit> {
    let mut ranking = Ranking { cuts, functions: Vec::new() };
    loop {
        let component = components(&paths);
        ranking.functions.extend(heights(&paths, &component));
        paths.retain(|path| component[&path.from] == component[&path.to]);
        // Where all paths wait, no run stays.
        let busy = paths.iter().filter(|path| !path.waits);
        let busy: BTreeSet<usize> = busy.map(|path| component[&path.from]).collect();
        paths.retain(|path| busy.contains(&component[&path.from]));
        let Some(first) = paths.first() else { return Ok(Outcome::Ranked(ranking)) };
        let part = component[&first.from];
        let (mut members, others): (Vec<Relation>, Vec<Relation>) =
            paths.into_iter().partition(|path| component[&path.from] == part);
        let mut found = guess(&members, solver)?;
        for strict in 0..members.len() {
            solver.check()?;
            if found.is_some() || !by_programs {
                break;
            }
            found = solve(&members, strict, solver)?;
        }
        let Some(functions) = found else { return Ok(Outcome::Stuck(members)) };
        let (mut left, count) = (Vec::new(), members.len());
        for path in members.drain(..) {
            if !falls(&path, &functions, solver)? {
                left.push(path);
            }
        }
        if left.len() == count {
            return Ok(Outcome::Stuck(left));
        }
        ranking.functions.push(functions);
        paths = left;
        paths.extend(others);
    }
}

/// The most functions that are guessed.
const MOST_GUESSES: usize = 12;

/// A function, the same at all places, that is compared with something, rises on no path and falls
/// on one, if there is such.
fn guess(
    paths: &[Relation],
    solver: &mut Solver<'_>,
) -> Result<Option<BTreeMap<usize, Affine>>, Limit> {
    let mut tried: BTreeSet<Affine> = BTreeSet::new();
    // What is written is what may fall.
    let is_changed = |path: &Relation, sum: &Affine| {
        sum.terms.iter().any(|&(column, _)| path.edge.written(column).is_some())
    };
    let is_plain = |sum: &Affine| sum.terms.iter().all(|term| term.0.as_variable().is_some());
    for path in paths {
        for row in &path.edge.guard {
            let sum = row.affine();
            if tried.len() >= MOST_GUESSES {
                return Ok(None);
            }
            if !is_plain(sum) || !is_changed(path, sum) || !tried.insert(sum.clone()) {
                continue;
            }
            solver.check()?;
            let at_all = |value: &Affine| -> BTreeMap<usize, Affine> {
                let places = paths.iter().flat_map(|path| [path.from, path.to]);
                places.map(|place| (place, value.clone())).collect()
            };
            let functions = at_all(sum);
            if !falls(path, &functions, solver)? {
                continue;
            }
            let mut rises = false;
            for other in paths.iter().filter(|other| is_changed(other, sum)) {
                let after = sum.substitute(|column| other.edge.written(column));
                let stays = after.and_then(|after| Row::greater_equal(sum, &after));
                rises = match stays {
                    Some(stays) => {
                        let lists = [&other.edge.facts[..], &other.edge.guard[..]].concat();
                        !solver.entails(&lists, &stays)?
                    }
                    None => true,
                };
                if rises {
                    break;
                }
            }
            if !rises {
                return Ok(Some(functions));
            }
        }
    }
    Ok(None)
}

/// Whether a function falls on a path, and is not negative at its beginning.
fn falls(
    path: &Relation,
    functions: &BTreeMap<usize, Affine>,
    solver: &mut Solver<'_>,
) -> Result<bool, Limit> {
    let (Some(here), Some(there)) = (functions.get(&path.from), functions.get(&path.to)) else {
        return Ok(false);
    };
    let after = there.substitute(|column| path.edge.written(column));
    let less = after.and_then(|after| Row::greater(here, &after));
    let Some(less) = less else { return Ok(false) };
    let rows: Vec<Row> = path.edge.rows().cloned().collect();
    Ok(solver.entails(&rows, &less)? && solver.entails(&rows, &Row::at_least_zero(here.clone()))?)
}

/// The strongly connected component of each place; numbered successors first.
fn components(relations: &[Relation]) -> BTreeMap<usize, usize> {
    let mut after: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for relation in relations {
        after.entry(relation.from).or_default().insert(relation.to);
        after.entry(relation.to).or_default();
    }
    let numbers: BTreeMap<usize, usize> =
        after.keys().enumerate().map(|(number, &place)| (place, number)).collect();
    let places: Vec<usize> = after.keys().copied().collect();
    let graph: Vec<Vec<usize>> =
        after.values().map(|to| to.iter().map(|place| numbers[place]).collect()).collect();
    let of = strongly_connected(&graph);
    places.iter().enumerate().map(|(number, &place)| (place, of[number])).collect()
}

/// A function that falls on the paths that leave a component, if there are such.
fn heights(
    paths: &[Relation],
    component: &BTreeMap<usize, usize>,
) -> Option<BTreeMap<usize, Affine>> {
    let crosses = |path: &Relation| component[&path.from] != component[&path.to];
    let height = |(&place, &part): (&usize, &usize)| (place, Affine::constant(part as i128));
    paths.iter().any(crosses).then(|| component.iter().map(height).collect())
}

/// Tarjan's algorithm with a stack of its own; components are numbered successors first.
pub(crate) fn strongly_connected(graph: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let n = graph.len();
    let (mut order, mut low, mut part) = (vec![NEW; n], vec![0; n], vec![NEW; n]);
    let (mut open, mut calls) = (Vec::new(), Vec::new());
    let (mut time, mut parts) = (0, 0);
    for root in 0..n {
        if order[root] != NEW {
            continue;
        }
        calls.push((root, 0));
        while let Some((node, next)) = calls.pop() {
            if next == 0 {
                (order[node], low[node]) = (time, time);
                time += 1;
                open.push(node);
            }
            if let Some(&to) = graph[node].get(next) {
                calls.push((node, next + 1));
                if order[to] == NEW {
                    calls.push((to, 0));
                } else if part[to] == NEW {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    part[member] = parts;
                    if member == node {
                        break;
                    }
                }
                parts += 1;
            }
            if let Some(&(caller, _)) = calls.last() {
                low[caller] = low[caller].min(low[node]);
            }
        }
    }
    part
}

/// Places such that every cycle goes through one: those that close a cycle of a depth-first search.
fn cuts(relations: &[&Relation]) -> BTreeSet<usize> {
    let mut after: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for relation in relations {
        after.entry(relation.from).or_default().push(relation.to);
        after.entry(relation.to).or_default();
    }
    let (mut done, mut open) = (BTreeSet::new(), BTreeSet::new());
    let mut cuts = BTreeSet::new();
    for &root in after.keys() {
        if done.contains(&root) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        open.insert(root);
        while let Some((place, next)) = stack.last_mut() {
            match after[place].get(*next) {
                None => {
                    open.remove(place);
                    done.insert(*place);
                    stack.pop();
                }
                Some(&to) => {
                    *next += 1;
                    if open.contains(&to) {
                        cuts.insert(to);
                    } else if !done.contains(&to) {
                        open.insert(to);
                        stack.push((to, 0));
                    }
                }
            }
        }
    }
    cuts
}

/// The paths between cut places, each as one relation; `None` if there are too many.
fn compose(
    relations: &[&Relation],
    cuts: &BTreeSet<usize>,
    solver: &mut Solver<'_>,
) -> Result<Option<Vec<Relation>>, Limit> {
    let mut after: BTreeMap<usize, Vec<&Relation>> = BTreeMap::new();
    for relation in relations {
        after.entry(relation.from).or_default().push(relation);
    }
    let mut paths: Vec<Relation> = Vec::new();
    let mut todo: Vec<Relation> = Vec::new();
    for cut in cuts {
        todo.extend(after.get(cut).into_iter().flatten().map(|&relation| relation.clone()));
    }
    let mut work = 0;
    while let Some(mut path) = todo.pop() {
        work += 1;
        let mut rows: Vec<Row> = path.edge.rows().cloned().collect();
        if solver.is_empty(&rows)? {
            continue;
        }
        if cuts.contains(&path.to) {
            solver.reduce(&mut rows)?;
            path.edge.facts.clear();
            path.edge.guard = rows;
            paths.push(path);
        } else {
            for &next in after.get(&path.to).into_iter().flatten() {
                let Some(edge) = path.edge.then(&next.edge) else { return Ok(None) };
                let waits = path.waits && next.waits;
                todo.push(Relation { from: path.from, to: next.to, edge, waits });
            }
        }
        if paths.len() > MOST_PATHS || work > 40 * MOST_PATHS {
            return Ok(None);
        }
    }
    paths.reverse();
    Ok(Some(paths))
}

/// The unknowns of the linear program: coefficients of functions, then multiples of rows.
struct Unknowns {
    columns: Vec<Column>,
    places: Vec<usize>,
    is_free: Vec<bool>,
}

impl Unknowns {
    /// The constant of the function of a place; its coefficients follow in order of columns.
    fn function(&self, place: usize) -> usize {
        self.places.binary_search(&place).unwrap_or(0) * (self.columns.len() + 1)
    }
}

/// Functions that rise on no path, and on one path fall by 1 from what is not negative.
fn solve(
    paths: &[Relation],
    strict: usize,
    solver: &Solver<'_>,
) -> Result<Option<BTreeMap<usize, Affine>>, Limit> {
    let mut places: Vec<usize> = paths.iter().flat_map(|path| [path.from, path.to]).collect();
    places.sort_unstable();
    places.dedup();
    let mut variables: BTreeSet<Column> = BTreeSet::new();
    for path in paths {
        let rows: Vec<Row> = path.edge.rows().cloned().collect();
        variables.extend(columns(&rows).iter().filter(|column| column.as_variable().is_some()));
        variables.extend(path.edge.update.iter().map(|(variable, _)| Column::variable(*variable)));
    }
    let columns: Vec<Column> = variables.into_iter().collect();
    let count = places.len() * (columns.len() + 1);
    let mut unknowns = Unknowns { columns, places, is_free: vec![true; count] };
    let mut equations: Vec<Equation> = Vec::new();
    for (number, path) in paths.iter().enumerate() {
        if path.edge.guard.len() > MOST_ROWS {
            return Ok(None);
        }
        let falls_by = i128::from(number == strict);
        farkas(path, Some(falls_by), &mut unknowns, &mut equations);
        if number == strict {
            farkas(path, None, &mut unknowns, &mut equations);
        }
    }
    let mut simplex = Simplex::new(&unknowns.is_free);
    let found = functions(&mut simplex, &equations, &unknowns);
    solver.spend(simplex.work())?;
    Ok(found.ok().flatten())
}

/// The functions that a linear program finds.
fn functions(
    simplex: &mut Simplex,
    equations: &[Equation],
    unknowns: &Unknowns,
) -> Result<Option<BTreeMap<usize, Affine>>, TooLarge> {
    for (sum, constant) in equations {
        simplex.zero(sum, *constant)?;
    }
    if simplex.restore()? != Feasible::Yes {
        return Ok(None);
    }
    let mut functions = BTreeMap::new();
    for &place in &unknowns.places {
        let first = unknowns.function(place);
        let values: Vec<(i128, i128)> = (0..=unknowns.columns.len())
            .map(|at| simplex.value(first + at))
            .collect::<Result<_, _>>()?;
        functions.insert(place, values);
    }
    whole(&functions, &unknowns.columns).map(Some)
}

/// An equation: a sum of multiples of unknowns and a constant are 0.
type Equation = (Vec<(usize, i128)>, i128);

/// Equations that say that the function falls by so much on a path, or, with `None`, that it is
/// not negative at its beginning: the difference is a sum of multiples of the rows and of 1.
fn farkas(
    path: &Relation,
    falls_by: Option<i128>,
    unknowns: &mut Unknowns,
    equations: &mut Vec<Equation>,
) {
    let here = unknowns.function(path.from);
    let there = unknowns.function(path.to);
    let first = unknowns.is_free.len();
    let rows = &path.edge.guard;
    unknowns.is_free.extend(std::iter::repeat_n(false, rows.len() + 1));
    let mut by_column: BTreeMap<Column, Vec<(usize, i128)>> = BTreeMap::new();
    let mut constant: Vec<(usize, i128)> = vec![(here, 1), (first + rows.len(), -1)];
    for (at, &column) in unknowns.columns.iter().enumerate() {
        by_column.entry(column).or_default().push((here + 1 + at, 1));
        if falls_by.is_none() {
            continue;
        }
        match path.edge.written(column) {
            None => by_column.entry(column).or_default().push((there + 1 + at, -1)),
            Some(value) => {
                for &(read, factor) in &value.terms {
                    by_column.entry(read).or_default().push((there + 1 + at, -factor));
                }
                constant.push((there + 1 + at, -value.constant));
            }
        }
    }
    if falls_by.is_some() {
        constant.push((there, -1));
    }
    for (number, row) in rows.iter().enumerate() {
        for &(column, factor) in &row.affine().terms {
            by_column.entry(column).or_default().push((first + number, -factor));
        }
        constant.push((first + number, -row.affine().constant));
    }
    equations.extend(by_column.into_values().map(|sum| (sum, 0)));
    equations.push((constant, -falls_by.unwrap_or(0)));
}

/// The functions, all multiplied by the same number so that they are whole.
fn whole(
    functions: &BTreeMap<usize, Vec<(i128, i128)>>,
    columns: &[Column],
) -> Result<BTreeMap<usize, Affine>, TooLarge> {
    let mut common: i128 = 1;
    for &(_, over) in functions.values().flatten() {
        let mut shared = (common, over);
        while shared.1 != 0 {
            shared = (shared.1, shared.0 % shared.1);
        }
        common = (common / shared.0).checked_mul(over).ok_or(TooLarge)?;
    }
    let mut result = BTreeMap::new();
    for (&place, values) in functions {
        let scaled = |&(value, over): &(i128, i128)| value.checked_mul(common / over);
        let values: Vec<i128> = values.iter().map(scaled).collect::<Option<_>>().ok_or(TooLarge)?;
        let terms = columns.iter().copied().zip(values[1..].iter().copied());
        let terms = terms.filter(|term| term.1 != 0).collect();
        result.insert(place, Affine { terms, constant: values[0] });
    }
    Ok(result)
}

//! Equations between variables that are true in all reachable states of a point, though nobody
//! wrote them: `s == 2*n` where `s += 2` and `n++` go together.
//!
//! A forward analysis over affine subspaces (Karr). What is known at a point is a list of
//! equations in echelon form; a step adds what the edge says and eliminates old values; where ways
//! meet, those equations are kept that follow from both. Each of these loses a dimension, so the
//! analysis ends without widening. Inequalities are not looked at, but for pairs that are an
//! equation; where rows are known at each point, they say which edges cannot be taken. So numbers
//! that wrap are no obstacle where an equation itself says that they do not.
//!
//! What is found only *proposes* templates ([`crate::invariant`]), which finds bounds of its own
//! for them and has these shown: where numbers become too large, equations are left out.
//!
//! # Source
//! Karr: Affine relationships among variables of a program. Acta Informatica 1976. Where ways meet,
//! Zassenhaus' algorithm intersects the spaces of equations.

use crate::simplex::gcd;
use crate::system::Solver;
use std::collections::{BTreeMap, BTreeSet};
use tern_ir::flow::{Affine, Column, Edge, Flow, PointId, Row};
use tern_model::index::Table;
use tern_model::{Budget, Limit};

/// An equation: the sum of these multiples of the columns is 0; the last column is 1.
type Equation = Vec<i128>;

/// Equations in echelon form: each has its first column where all others have 0.
type Space = Vec<Equation>;

/// The most variables that are looked at.
const MOST_VARIABLES: usize = 40;
/// The largest factor of an equation that is of use.
const LARGEST: i128 = 1 << 40;

/// The sums of two variables and more, without constants, that are the same whenever a run comes
/// to one of these points; at most so many. Equations are about the variables that are `used`. Rows
/// that are true at each point may be known; `None` where no run comes.
///
/// # Errors
/// The limit that was reached.
pub(crate) fn constant_sums(
    flow: &Flow,
    used: &BTreeSet<usize>,
    points: &BTreeSet<PointId>,
    most: usize,
    rows: Option<&Table<PointId, Option<Vec<Row>>>>,
    budget: &Budget,
) -> Result<Vec<Affine>, Limit> {
    if used.len() > MOST_VARIABLES || used.len() < 2 {
        return Ok(Vec::new());
    }
    let variables: Vec<usize> = used.iter().copied().collect();
    let solver = Solver::new(budget);
    let known = Analysis { flow, variables: &variables, rows, solver, budget }.run()?;
    let mut found: Vec<Affine> = Vec::new();
    for space in points.iter().filter_map(|&point| known[point].as_ref()) {
        for equation in space {
            let factors = variables.iter().zip(equation).filter(|(_, factor)| **factor != 0);
            let terms: Vec<(Column, i128)> =
                factors.map(|(&variable, &factor)| (Column::variable(variable), factor)).collect();
            let common = terms.iter().fold(0, |common, term| gcd(common, term.1)).max(1);
            let terms: Vec<(Column, i128)> =
                terms.into_iter().map(|(column, factor)| (column, factor / common)).collect();
            let is_small = terms.iter().all(|term| term.1.abs() <= LARGEST);
            let sum = Affine { terms, constant: 0 };
            if sum.terms.len() > 1 && is_small && found.len() < most && !found.contains(&sum) {
                found.push(sum);
            }
        }
    }
    Ok(found)
}

struct Analysis<'a> {
    flow: &'a Flow,
    /// The variables of the columns, in order.
    variables: &'a [usize],
    rows: Option<&'a Table<PointId, Option<Vec<Row>>>>,
    solver: Solver<'a>,
    budget: &'a Budget,
}

impl Analysis<'_> {
    /// What is known at each point; `None` where no run comes.
    fn run(mut self) -> Result<Table<PointId, Option<Space>>, Limit> {
        let mut known: Table<PointId, Option<Space>> = Table::filled(None, self.flow.points.len());
        let leaving = self.flow.leaving();
        let mut todo: BTreeSet<PointId> = BTreeSet::new();
        for start in &self.flow.starts {
            if self.come(None, start, &mut known)? {
                todo.insert(start.to);
            }
        }
        while let Some(point) = todo.pop_first() {
            let Some(space) = known[point].clone() else { continue };
            for &edge in &leaving[point] {
                self.budget.check()?;
                let edge = &self.flow.edges[edge];
                if self.come(Some((point, &space)), edge, &mut known)? {
                    todo.insert(edge.to);
                }
            }
        }
        Ok(known)
    }

    /// Takes an edge, from a point where something is known or at the start. Says whether less is
    /// known than before where it leads to.
    fn come(
        &mut self,
        from: Option<(PointId, &Space)>,
        edge: &Edge,
        known: &mut Table<PointId, Option<Space>>,
    ) -> Result<bool, Limit> {
        let nothing = Space::new();
        let space = from.map_or(&nothing, |it| it.1);
        let Some(mut after) = self.after(space, edge) else { return Ok(false) };
        if let Some(there) = &known[edge.to] {
            // Equations that are in both are as many as before just if none is lost.
            after = common(there, &after).unwrap_or_default();
            if after.len() == there.len() {
                return Ok(false);
            }
        }
        if let Some((point, space)) = from
            && !self.can_be_taken(point, space, edge)?
        {
            return Ok(false);
        }
        known[edge.to] = Some(after);
        Ok(true)
    }

    /// Whether the rows that are known may be true together with those of an edge.
    fn can_be_taken(&mut self, point: PointId, space: &Space, edge: &Edge) -> Result<bool, Limit> {
        let Some(rows) = self.rows else { return Ok(true) };
        let Some(rows) = &rows[point] else { return Ok(false) };
        let mut own: Vec<Row> = edge.rows().cloned().collect();
        for equation in space {
            let factors = self.variables.iter().zip(equation).filter(|(_, factor)| **factor != 0);
            let terms = factors.map(|(&variable, &factor)| (Column::variable(variable), factor));
            let constant = equation[self.variables.len()];
            let sum = Affine { terms: terms.collect(), constant };
            own.extend([sum.times(-1), Some(sum)].into_iter().flatten().map(Row::at_least_zero));
        }
        Ok(!self.solver.is_empty_of(&[rows, &own])?)
    }

    /// What is known after an edge; `None` if it cannot be taken. Columns are the old values of
    /// variables that it writes and its auxiliaries, which are eliminated, and then all variables.
    fn after(&self, space: &Space, edge: &Edge) -> Option<Space> {
        let mut place: BTreeMap<Column, usize> = BTreeMap::new();
        let is_own = |variable: &usize| self.variables.binary_search(variable).is_ok();
        for (variable, _) in edge.update.iter().filter(|it| is_own(&it.0)) {
            place.insert(Column::variable(*variable), place.len());
        }
        // What is read and not looked at is like an auxiliary.
        let read = edge.rows().map(|row| row.affine()).chain(edge.update.iter().map(|it| &it.1));
        let strange = |column: &Column| column.as_variable().is_none_or(|it| !is_own(&it));
        for column in read.flat_map(|sum| &sum.terms).map(|term| term.0).filter(strange) {
            let next = place.len();
            place.entry(column).or_insert(next);
        }
        let gone = place.len();
        for (number, &variable) in self.variables.iter().enumerate() {
            place.entry(Column::variable(variable)).or_insert(gone + number);
        }
        let width = gone + self.variables.len() + 1;
        let equation = |sum: &Affine| {
            let mut equation = vec![0; width];
            sum.terms.iter().for_each(|&(column, factor)| equation[place[&column]] = factor);
            equation[width - 1] = sum.constant;
            equation
        };
        let mut equations: Vec<Equation> = Vec::new();
        for old in space {
            let mut equation = vec![0; width];
            for (variable, &factor) in self.variables.iter().zip(old) {
                equation[place[&Column::variable(*variable)]] = factor;
            }
            equation[width - 1] = old[self.variables.len()];
            equations.push(equation);
        }
        let rows: BTreeSet<&Affine> = edge.rows().map(|row| row.affine()).collect();
        let is_equation = |sum: &Affine| sum.times(-1).is_some_and(|it| rows.contains(&it));
        equations.extend(rows.iter().filter(|sum| is_equation(sum)).map(|sum| equation(sum)));
        for (variable, value) in &edge.update {
            if let Ok(number) = self.variables.binary_search(variable) {
                let mut written = equation(value);
                written[gone + number] -= 1;
                equations.push(written);
            }
        }
        let Some(mut all) = echelon(equations) else { return Some(Space::new()) };
        all.retain(|equation| equation[..gone].iter().all(|&factor| factor == 0));
        let space: Space = all.into_iter().map(|equation| equation[gone..].to_vec()).collect();
        // A constant that is 0 and is not.
        let is_false = |equation: &Equation| equation.iter().filter(|it| **it != 0).count() == 1;
        match space.last() {
            Some(last) if is_false(last) && last[last.len() - 1] != 0 => None,
            _ => Some(space),
        }
    }
}

/// The equations that follow from both; `None` if numbers become too large.
fn common(left: &Space, right: &Space) -> Option<Space> {
    let (Some(first), false) = (left.first(), right.is_empty()) else { return Some(Space::new()) };
    let width = first.len();
    let twice = |equation: &Equation| [&equation[..], &equation[..]].concat();
    let once = |equation: &Equation| [&equation[..], &vec![0; width][..]].concat();
    let all = echelon(left.iter().map(twice).chain(right.iter().map(once)).collect())?;
    let is_common = |equation: &&Equation| equation[..width].iter().all(|&factor| factor == 0);
    Some(all.iter().filter(is_common).map(|equation| equation[width..].to_vec()).collect())
}

/// The same equations in echelon form; `None` if numbers become too large.
fn echelon(mut open: Vec<Equation>) -> Option<Space> {
    let mut done = Space::new();
    let width = open.first().map_or(0, Vec::len);
    for column in 0..width {
        // The smallest factor makes the smallest numbers.
        let candidates = (0..open.len()).filter(|&row| open[row][column] != 0);
        let Some(row) = candidates.min_by_key(|&row| open[row][column].unsigned_abs()) else {
            continue;
        };
        let pivot = lesser(open.swap_remove(row));
        for other in open.iter_mut().chain(&mut done) {
            if other[column] == 0 {
                continue;
            }
            let divisor = gcd(pivot[column], other[column]);
            let (own, its) = (pivot[column] / divisor, other[column] / divisor);
            for (value, by) in other.iter_mut().zip(&pivot) {
                *value = value.checked_mul(own)?.checked_sub(by.checked_mul(its)?)?;
            }
            *other = lesser(std::mem::take(other));
        }
        open.retain(|equation| equation.iter().any(|&factor| factor != 0));
        done.push(pivot);
    }
    Some(done)
}

/// An equation without common divisor of its factors.
fn lesser(mut equation: Equation) -> Equation {
    let divisor = equation.iter().fold(0, |divisor, &factor| gcd(divisor, factor));
    if divisor > 1 {
        equation.iter_mut().for_each(|factor| *factor /= divisor);
    }
    equation
}

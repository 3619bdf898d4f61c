//! Integer programs as a graph of control points, with affine arithmetic on the edges.
//!
//! A [`Flow`] is what is left of a program once calls are inlined and expressions are taken apart:
//! points, and edges that each are one step. It is the common word of readers, of the analysis in
//! `tern-numeric` and of whoever checks its evidence. Integers are mathematical; the arithmetic
//! here is checked, and says `None` rather than wrap.
//!
//! # Meaning
//!
//! A state is a point and a value for each variable. An edge leads from the state `x` at `from` to
//! a state at `to` if there are values for its [auxiliaries](Auxiliary) with which all rows of
//! `facts` and `guard` are true, and then gives each variable of `update` the value written there,
//! all at once. Auxiliaries of kind [`Auxiliary::Choice`] may be any values that the guard allows.
//! Those of kind [`Auxiliary::Unknown`] stand for *one* value that the program computes and that
//! is not known better than `facts` says: whoever shows that something can happen must show it
//! for all of them. A value that fits `facts` exists in every state for which the rows of the guard
//! that are about variables only are true, unless an auxiliary is of kind [`Auxiliary::Outcome`]:
//! such an edge shows that nothing can happen.
//!
//! In a *total* point every state has a step. No run stays in a *passing* point for ever, nor among
//! *waiting* points. A run is endless; states without a run do not exist. [`Flow::starts`] are
//! edges from nowhere: the states that they lead to, from any values of all variables, are the
//! initial ones.

use crate::remainder::Followed;
use crate::summary::Summarised;
use std::sync::Arc;
use tern_model::index::Table;

tern_model::indices! {
    /// A control point.
    pub PointId = "p";
    /// An edge of a flow graph.
    pub EdgeId = "e";
}

/// A variable of the program, or an auxiliary of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column(u32);

impl Column {
    const AUXILIARY: u32 = 1 << 24;

    /// The variable with this number.
    pub fn variable(number: usize) -> Self {
        Column(number as u32)
    }

    /// The auxiliary with this number.
    pub fn auxiliary(number: usize) -> Self {
        Column(Self::AUXILIARY + number as u32)
    }

    /// The number of the variable, if it is one.
    #[inline]
    pub fn as_variable(self) -> Option<usize> {
        (self.0 < Self::AUXILIARY).then_some(self.0 as usize)
    }

    /// The number of the auxiliary, if it is one.
    #[inline]
    pub fn as_auxiliary(self) -> Option<usize> {
        self.0.checked_sub(Self::AUXILIARY).map(|number| number as usize)
    }
}

/// A sum of multiples of columns and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Affine {
    /// Columns with their factors, in order of columns; no factor is 0.
    pub terms: Vec<(Column, i128)>,
    /// The constant.
    pub constant: i128,
}

impl Affine {
    /// A constant.
    pub fn constant(constant: i128) -> Self {
        Affine { terms: Vec::new(), constant }
    }

    /// The value of a column.
    pub fn column(column: Column) -> Self {
        Affine { terms: vec![(column, 1)], constant: 0 }
    }

    /// Whether it has no columns.
    #[inline]
    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// The factor of a column.
    #[inline]
    pub fn factor(&self, column: Column) -> i128 {
        match self.terms.binary_search_by_key(&column, |term| term.0) {
            Ok(at) => self.terms[at].1,
            Err(_) => 0,
        }
    }

    /// `self + factor * other`
    pub fn plus(&self, factor: i128, other: &Affine) -> Option<Affine> {
        let constant = self.constant.checked_add(factor.checked_mul(other.constant)?)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        terms.extend_from_slice(&self.terms);
        for &(column, of_other) in &other.terms {
            terms.push((column, factor.checked_mul(of_other)?));
        }
        Some(Affine { terms: collected(terms)?, constant })
    }

    /// `factor * self`
    pub fn times(&self, factor: i128) -> Option<Affine> {
        Affine::default().plus(factor, self)
    }

    /// The same with other values for columns; columns for which there are none stay.
    pub fn substitute<'a>(&self, of: impl Fn(Column) -> Option<&'a Affine>) -> Option<Affine> {
        if self.terms.iter().all(|&(column, _)| of(column).is_none()) {
            return Some(self.clone());
        }
        let (mut terms, mut constant) = (Vec::new(), self.constant);
        for &(column, factor) in &self.terms {
            match of(column) {
                Some(value) => {
                    for &(read, of_value) in &value.terms {
                        terms.push((read, factor.checked_mul(of_value)?));
                    }
                    constant = constant.checked_add(factor.checked_mul(value.constant)?)?;
                }
                None => terms.push((column, factor)),
            }
        }
        Some(Affine { terms: collected(terms)?, constant })
    }

    /// Its value, given those of the columns.
    #[inline]
    pub fn evaluate(&self, of: impl Fn(Column) -> i128) -> Option<i128> {
        let mut sum = self.constant;
        for &(column, factor) in &self.terms {
            sum = sum.checked_add(factor.checked_mul(of(column))?)?;
        }
        Some(sum)
    }
}

/// Terms in order of columns, one for each column, without those that are 0.
fn collected(mut terms: Vec<(Column, i128)>) -> Option<Vec<(Column, i128)>> {
    terms.sort_unstable_by_key(|term| term.0);
    let mut count = 0;
    for at in 0..terms.len() {
        if count > 0 && terms[count - 1].0 == terms[at].0 {
            terms[count - 1].1 = terms[count - 1].1.checked_add(terms[at].1)?;
        } else {
            terms[count] = terms[at];
            count += 1;
        }
    }
    terms.truncate(count);
    terms.retain(|term| term.1 != 0);
    Some(terms)
}

/// A condition: what [`Row::affine`] gives is not negative. The factors have no common divisor, and
/// the constant is as small as integers allow, so that equal half-spaces are equal rows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row(Affine);

impl Row {
    /// That this is not negative.
    pub fn at_least_zero(mut affine: Affine) -> Row {
        let divisor = affine.terms.iter().fold(0, |divisor, &(_, factor)| gcd(divisor, factor));
        if divisor > 1 {
            affine.terms.iter_mut().for_each(|term| term.1 /= divisor);
            affine.constant = affine.constant.div_euclid(divisor);
        }
        Row(affine)
    }

    /// `left >= right`
    pub fn greater_equal(left: &Affine, right: &Affine) -> Option<Row> {
        left.plus(-1, right).map(Row::at_least_zero)
    }

    /// `left > right`
    pub fn greater(left: &Affine, right: &Affine) -> Option<Row> {
        let mut difference = left.plus(-1, right)?;
        difference.constant = difference.constant.checked_sub(1)?;
        Some(Row::at_least_zero(difference))
    }

    /// The condition that is true just where this is not.
    pub fn negated(&self) -> Option<Row> {
        let mut affine = self.0.times(-1)?;
        affine.constant = affine.constant.checked_sub(1)?;
        Some(Row::at_least_zero(affine))
    }

    /// What must not be negative.
    #[inline]
    pub fn affine(&self) -> &Affine {
        &self.0
    }

    /// Whether it is true or false for all values, if it is.
    #[inline]
    pub fn truth(&self) -> Option<bool> {
        self.0.is_constant().then_some(self.0.constant >= 0)
    }

    /// The same with other values for columns.
    pub fn substitute<'a>(&self, of: impl Fn(Column) -> Option<&'a Affine>) -> Option<Row> {
        self.0.substitute(of).map(Row::at_least_zero)
    }
}

fn gcd(left: i128, right: i128) -> i128 {
    let (mut a, mut b) = (left.unsigned_abs(), right.unsigned_abs());
    if a == 1 || b == 1 {
        return 1;
    }
    if let (Ok(mut a), Ok(mut b)) = (u64::try_from(a), u64::try_from(b)) {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        return i128::from(a);
    }
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a as i128
}

/// What an auxiliary of an edge stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Auxiliary {
    /// Any value that the guard allows: nondeterminism of the program.
    Choice,
    /// One value that the program computes, known only by the facts.
    Unknown,
    /// Which of several things comes next, where that is not known. An edge with such an auxiliary
    /// may be taken, and is never taken for sure: values that fit its facts need not exist.
    Outcome,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// Where it leads from; of no meaning for starts.
    pub from: PointId,
    /// Where it leads to.
    pub to: PointId,
    /// Its auxiliaries.
    pub auxiliaries: Vec<Auxiliary>,
    /// What is true of the auxiliaries that are unknown.
    pub facts: Vec<Row>,
    /// When it can be taken.
    pub guard: Vec<Row>,
    /// Variables with their new values; all others keep theirs.
    pub update: Vec<(usize, Affine)>,
}

impl Edge {
    /// An edge that changes nothing and can always be taken.
    pub fn plain(from: PointId, to: PointId) -> Edge {
        let (auxiliaries, facts) = (Vec::new(), Vec::new());
        Edge { from, to, auxiliaries, facts, guard: Vec::new(), update: Vec::new() }
    }

    /// What a column is after the edge, if it is written.
    pub fn written(&self, column: Column) -> Option<&Affine> {
        let variable = column.as_variable()?;
        self.update.iter().find(|(written, _)| *written == variable).map(|(_, value)| value)
    }

    /// The facts and the guard.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.facts.iter().chain(&self.guard)
    }

    /// This edge, then another that begins where it ends; `None` if numbers become too large.
    ///
    /// Facts of the second may be true only where its guard is. If that guard speaks of what is
    /// unknown after this edge, it is no longer about variables only, and whoever shows by the
    /// whole that a step is possible must not use those facts ([`Edge::then_surely`]); as something
    /// that may happen, the whole is right in any case.
    pub fn then(&self, next: &Edge) -> Option<Edge> {
        let shift = self.auxiliaries.len();
        let moved: Vec<Affine> = (0..next.auxiliaries.len())
            .map(|number| Affine::column(Column::auxiliary(shift + number)))
            .collect();
        let of = |column: Column| match column.as_auxiliary() {
            Some(number) => moved.get(number),
            None => self.written(column),
        };
        let mut edge = self.clone();
        edge.to = next.to;
        edge.auxiliaries.extend(&next.auxiliaries);
        for row in &next.facts {
            edge.facts.push(row.substitute(of)?);
        }
        for row in &next.guard {
            edge.guard.push(row.substitute(of)?);
        }
        for (variable, value) in &next.update {
            let value = value.substitute(of)?;
            edge.update.retain(|(written, _)| written != variable);
            edge.update.push((*variable, value));
        }
        edge.update.sort_by_key(|(variable, _)| *variable);
        Some(edge)
    }

    /// As [`then`](Edge::then), for whoever shows that a step is possible: what is known only under
    /// conditions on unknown values is no fact of the whole, but a condition too.
    pub fn then_surely(&self, next: &Edge) -> Option<Edge> {
        let mut edge = self.then(next)?;
        let is_unknown = |column: Column| {
            let kind = column.as_auxiliary().and_then(|number| self.auxiliaries.get(number));
            kind == Some(&Auxiliary::Unknown)
        };
        let depends = |column: Column| {
            self.written(column).is_some_and(|value| value.terms.iter().any(|it| is_unknown(it.0)))
        };
        if next.guard.iter().flat_map(|row| &row.affine().terms).any(|term| depends(term.0)) {
            let known = edge.facts.split_off(self.facts.len());
            edge.guard.extend(known);
        }
        Some(edge)
    }
}

/// A control point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// The line of the source where it stands; 0 if there is none.
    pub line: u32,
    /// Whether every state has a step.
    pub total: bool,
    /// Whether no run stays here for ever, although an edge may lead from here to here: it stands
    /// for a call that always ends.
    pub passing: bool,
    /// Whether a run comes to points that are not such again and again: it stands for a step of an
    /// automaton that puts off what it waits for.
    pub waiting: bool,
    /// The labels of its states.
    pub labels: Vec<String>,
}

/// An integer program as a graph.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// The names of the variables. Those that claims cannot name have a blank in theirs.
    pub variables: Vec<String>,
    /// The control points.
    pub points: Table<PointId, Point>,
    /// The steps.
    pub edges: Table<EdgeId, Edge>,
    /// What makes the initial states.
    pub starts: Vec<Edge>,
    /// If points stand for calls of procedures, by what an analysis found out about them: what
    /// they are summaries of.
    pub summary: Option<Arc<Summarised>>,
    /// Variables whose quotients and remainders are variables too.
    pub followed: Vec<Followed>,
}

/// What a proposition of a claim says of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposition {
    /// The point has this label.
    Label(String),
    /// All rows of one of these lists are true.
    Rows(Vec<Vec<Row>>),
    /// The guard of one of these edges is true, whose auxiliaries are [quotients of
    /// variables](crate::remainder::quotient). Nothing is updated.
    Divided(Vec<Edge>),
}

impl Flow {
    /// The edges that leave each point.
    pub fn leaving(&self) -> Table<PointId, Vec<EdgeId>> {
        let mut leaving: Table<PointId, Vec<EdgeId>> =
            self.points.iter().map(|_| Vec::new()).collect();
        for (id, edge) in self.edges.iter() {
            leaving[edge.from].push(id);
        }
        leaving
    }

    /// A row as people write it.
    pub fn show(&self, row: &Row) -> String {
        self.related(row.affine(), [">=", "<="])
    }

    /// Rows as people write them; two that say together that sums are equal are one.
    pub fn show_all<'r>(&self, rows: impl IntoIterator<Item = &'r Row>) -> Vec<String> {
        let mut rows: Vec<&Row> = rows.into_iter().collect();
        let mut shown = Vec::new();
        rows.reverse();
        while let Some(row) = rows.pop() {
            let opposite = row.affine().times(-1);
            let other = rows.iter().position(|it| Some(it.affine()) == opposite.as_ref());
            shown.push(match other {
                Some(other) => {
                    let other = rows.remove(other);
                    let is_positive = row.affine().terms.first().is_some_and(|term| term.1 > 0);
                    let affine = if is_positive { row.affine() } else { other.affine() };
                    self.related(affine, ["==", "=="])
                }
                None => self.show(row),
            });
        }
        shown
    }

    /// How a sum is related to 0: by the first sign, or by the second if it is a single variable
    /// with a minus.
    fn related(&self, affine: &Affine, [sign, turned]: [&str; 2]) -> String {
        let side = |sign: i128| {
            let mut parts: Vec<String> = Vec::new();
            for &(column, factor) in &affine.terms {
                if factor.signum() != sign {
                    continue;
                }
                let name = match column.as_variable() {
                    Some(variable) => self.variables[variable].clone(),
                    None => format!("?{}", column.as_auxiliary().unwrap_or(0)),
                };
                parts.push(match factor.abs() {
                    1 => name,
                    factor => format!("{factor}*{name}"),
                });
            }
            if affine.constant.signum() == sign && affine.constant != 0 {
                parts.push(affine.constant.abs().to_string());
            }
            if parts.is_empty() { "0".to_owned() } else { parts.join(" + ") }
        };
        match affine.terms.as_slice() {
            [(_, 1)] => format!("{} {sign} {}", self.bare(affine), -affine.constant),
            [(_, -1)] => format!("{} {turned} {}", self.bare(affine), affine.constant),
            _ => format!("{} {sign} {}", side(1), side(-1)),
        }
    }

    fn bare(&self, affine: &Affine) -> &str {
        let variable = affine.terms.first().and_then(|term| term.0.as_variable());
        variable.map_or("?", |variable| &self.variables[variable])
    }
}

impl Flow {
    /// A point that is new.
    pub fn add_point(&mut self, point: Point) -> PointId {
        self.points.push(point)
    }
}

//! Sets of integer points given by rows: are there any, does a row follow, what is left without a
//! column.
//!
//! A *system* is a list of [rows](Row), all of which must be true. [`Solver::solve`] finds an
//! integer point, or shows that there is none: first over the rationals, where the reason is a sum
//! of multiples of rows that is negative (Farkas), then by branching on a value that is no
//! integer. Rows are tightened to integers when they are made. Branching is bounded, so that the
//! answer may be [`Emptiness::Unknown`]; whoever asks must take that for "perhaps not empty".
//!
//! Rows are kept once ([`Solver`] gives them numbers), and systems that were asked for before are
//! answered from memory.

use crate::simplex::{Feasible, Most, Simplex, TooLarge, gcd};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use tern_ir::flow::{Affine, Column, Row};
use tern_ir::proof;
use tern_model::{Budget, Limit};

/// Why a system has no integer point; checked by multiplying and adding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refutation {
    /// These multiples (not negative) of the rows with these numbers add up to a negative number.
    Sum(Vec<(usize, i128)>),
    /// Neither with this row added at the end of the system, nor with its negation.
    Split(Box<(Row, Refutation, Refutation)>),
}

impl Refutation {
    /// The numbers of rows that it speaks of, of a system with so many rows.
    fn rows(&self, count: usize) -> Vec<usize> {
        let (mut found, mut todo) = (Vec::new(), vec![self]);
        while let Some(next) = todo.pop() {
            match next {
                Refutation::Sum(sum) => {
                    found.extend(sum.iter().map(|it| it.0).filter(|&row| row < count));
                }
                Refutation::Split(split) => todo.extend([&split.1, &split.2]),
            }
        }
        found
    }

    /// The same as a list, in preorder.
    fn flat(self) -> proof::Refutation {
        let (mut list, mut todo) = (Vec::new(), vec![self]);
        while let Some(next) = todo.pop() {
            list.push(match next {
                Refutation::Sum(sum) => {
                    let common = sum.iter().fold(0, |common, it| gcd(common, it.1)).max(1);
                    let lesser = |(row, factor): (usize, i128)| (row as u32, factor / common);
                    proof::Reason::Sum(sum.into_iter().map(lesser).collect())
                }
                Refutation::Split(split) => {
                    let (row, first, second) = *split;
                    todo.extend([second, first]);
                    proof::Reason::Split(row)
                }
            });
        }
        list
    }
}

/// What is known of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Emptiness {
    /// No integer point.
    Empty(Refutation),
    /// An integer point, with its columns in order; columns that are not named are 0.
    Point(Vec<(Column, i128)>),
    /// Neither was found.
    Unknown,
}

/// Answers questions about systems, and remembers answers.
#[derive(Debug)]
pub struct Solver<'a> {
    numbers: FxHashMap<Row, u32>,
    known: FxHashMap<Box<[u32]>, bool>,
    /// Rows that are never true together, by the highest number among them.
    clashes: FxHashMap<u32, Vec<Box<[u32]>>>,
    /// Points that systems had, the last one first: often the next system has one of them too.
    points: VecDeque<Values>,
    budget: &'a Budget,
    /// How many systems were solved.
    pub solved: u64,
    /// How many answers came from memory.
    pub remembered: u64,
}

/// Values of variables and of auxiliaries; what is not named is 0.
#[derive(Debug, Default)]
struct Values([Vec<i128>; 2]);

impl Values {
    fn place(column: Column) -> (usize, usize) {
        match column.as_variable() {
            Some(number) => (0, number),
            None => (1, column.as_auxiliary().unwrap_or(0)),
        }
    }

    fn new(point: &[(Column, i128)]) -> Self {
        let mut values = Values::default();
        for &(column, value) in point {
            let (kind, at) = Self::place(column);
            let list = &mut values.0[kind];
            list.resize(list.len().max(at + 1), 0);
            list[at] = value;
        }
        values
    }

    fn makes_true(&self, row: &Row) -> bool {
        let of = |column: Column| {
            let (kind, at) = Self::place(column);
            self.0[kind].get(at).copied().unwrap_or(0)
        };
        row.affine().evaluate(of).is_some_and(|value| value >= 0)
    }
}

impl<'a> Solver<'a> {
    /// How many systems a question may be split into.
    const BRANCHES: u32 = 40;
    /// How many points are remembered.
    const POINTS: usize = 24;

    /// What bounds its work.
    pub(crate) fn budget(&self) -> &'a Budget {
        self.budget
    }

    /// A solver that has not been asked anything.
    pub fn new(budget: &'a Budget) -> Self {
        let (numbers, known, clashes, points) = Default::default();
        Solver { numbers, known, clashes, points, budget, solved: 0, remembered: 0 }
    }

    /// Whether the work may go on.
    ///
    /// # Errors
    /// What ran out.
    pub fn check(&self) -> Result<(), Limit> {
        self.budget.check()
    }

    /// Whether the work may go on after some on a linear program.
    ///
    /// # Errors
    /// What ran out.
    pub(crate) fn spend(&self, work: u64) -> Result<(), Limit> {
        self.budget.spend(looks(work))
    }

    /// Whether the system has no integer point for sure.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn is_empty(&mut self, rows: &[Row]) -> Result<bool, Limit> {
        self.is_empty_of(&[rows])
    }

    /// Whether the system of all these rows has no integer point for sure.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn is_empty_of(&mut self, lists: &[&[Row]]) -> Result<bool, Limit> {
        // What comes last is what changes most.
        let all = || lists.iter().rev().copied().flatten();
        if all().any(|row| row.truth() == Some(false)) {
            return Ok(true);
        }
        let mut key: Vec<u32> = Vec::with_capacity(lists.iter().map(|list| list.len()).sum());
        for row in all().filter(|row| row.truth().is_none()) {
            key.push(self.number(row));
        }
        key.sort_unstable();
        key.dedup();
        if let Some(&known) = self.known.get(key.as_slice()) {
            self.remembered += 1;
            return Ok(known);
        }
        let is_point = |point: &Values| all().all(|row| point.makes_true(row));
        if let Some(at) = self.points.iter().position(is_point) {
            self.remembered += 1;
            if let Some(point) = self.points.remove(at) {
                self.points.push_front(point);
            }
            self.known.insert(key.into_boxed_slice(), false);
            return Ok(false);
        }
        let is_known = |part: &[u32]| part.iter().all(|row| key.binary_search(row).is_ok());
        let clashes = key.iter().filter_map(|row| self.clashes.get(row)).flatten();
        let is_empty = clashes.into_iter().any(|part| is_known(part));
        if is_empty {
            self.remembered += 1;
        }
        let is_empty = is_empty || {
            let system: Vec<Row> = lists.iter().copied().flatten().cloned().collect();
            let answer = self.solve(&system)?;
            self.learn(&system, &answer);
            matches!(answer, Emptiness::Empty(_))
        };
        self.known.insert(key.into_boxed_slice(), is_empty);
        Ok(is_empty)
    }

    /// The number of a row.
    fn number(&mut self, row: &Row) -> u32 {
        let next = self.numbers.len() as u32;
        match self.numbers.get(row) {
            Some(&number) => number,
            None => *self.numbers.entry(row.clone()).or_insert(next),
        }
    }

    /// Remembers what may answer other questions as well.
    fn learn(&mut self, system: &[Row], answer: &Emptiness) {
        match answer {
            Emptiness::Empty(refutation) => {
                let mut part: Vec<u32> = Vec::new();
                for at in refutation.rows(system.len()) {
                    part.push(self.number(&system[at]));
                }
                part.sort_unstable();
                part.dedup();
                if let Some(&last) = part.last() {
                    self.clashes.entry(last).or_default().push(part.into_boxed_slice());
                }
            }
            Emptiness::Point(point) => {
                self.points.truncate(Self::POINTS - 1);
                self.points.push_front(Values::new(point));
            }
            Emptiness::Unknown => {}
        }
    }

    /// Whether a row is true wherever the system is, for sure.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn entails(&mut self, rows: &[Row], row: &Row) -> Result<bool, Limit> {
        if row.truth() == Some(true) || rows.contains(row) {
            return Ok(true);
        }
        let Some(negated) = row.negated() else { return Ok(false) };
        self.is_empty_of(&[rows, &[negated]])
    }

    /// Finds an integer point or shows that there is none.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn solve(&mut self, rows: &[Row]) -> Result<Emptiness, Limit> {
        self.solved += 1;
        let columns = columns(rows);
        let Ok(simplex) = program(rows, &columns) else {
            return self.check().map(|()| Emptiness::Unknown);
        };
        let mut branches = Self::BRANCHES;
        self.branch(simplex, &columns, &mut branches)
    }

    /// The depth of branching is bounded by [`Self::BRANCHES`].
    fn branch(
        &mut self,
        mut simplex: Simplex,
        columns: &[Column],
        branches: &mut u32,
    ) -> Result<Emptiness, Limit> {
        let Some(left) = branches.checked_sub(1) else { return Ok(Emptiness::Unknown) };
        *branches = left;
        let before = simplex.work();
        let found = simplex.restore();
        self.spend(simplex.work() - before)?;
        let point: Vec<(i128, i128)> = match found {
            Err(TooLarge) => return Ok(Emptiness::Unknown),
            Ok(Feasible::No(sum)) => return Ok(Emptiness::Empty(Refutation::Sum(sum))),
            Ok(Feasible::Yes) => {
                let values = (0..columns.len()).map(|column| simplex.value(column));
                match values.collect::<Result<_, _>>() {
                    Ok(point) => point,
                    Err(TooLarge) => return Ok(Emptiness::Unknown),
                }
            }
        };
        let fraction = point.iter().zip(columns).find(|((value, over), _)| value % over != 0);
        let Some((&(value, over), &column)) = fraction else {
            let whole = point.into_iter().map(|(value, over)| value / over);
            return Ok(Emptiness::Point(columns.iter().copied().zip(whole).collect()));
        };
        let below = Affine { terms: vec![(column, -1)], constant: value.div_euclid(over) };
        let below = Row::at_least_zero(below);
        let Some(above) = below.negated() else { return Ok(Emptiness::Unknown) };
        let mut parts = Vec::new();
        for half in [&below, &above] {
            let mut part = simplex.clone();
            let affine = half.affine();
            if part.at_least_zero(&positions(affine, columns), affine.constant).is_err() {
                return Ok(Emptiness::Unknown);
            }
            match self.branch(part, columns, branches)? {
                Emptiness::Empty(refutation) => parts.push(refutation),
                point => return Ok(point),
            }
        }
        let (Some(second), Some(first)) = (parts.pop(), parts.pop()) else {
            return Ok(Emptiness::Unknown);
        };
        Ok(Emptiness::Empty(Refutation::Split(Box::new((below, first, second)))))
    }

    /// Why a system has no integer point, if a reason is found.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn refute(&mut self, rows: &[Row]) -> Result<Option<proof::Refutation>, Limit> {
        if let Some(at) = rows.iter().position(|row| row.truth() == Some(false)) {
            return Ok(Some(vec![proof::Reason::Sum(vec![(at as u32, 1)])]));
        }
        Ok(match self.solve(rows)? {
            Emptiness::Empty(refutation) => Some(refutation.flat()),
            _ => None,
        })
    }

    /// Leaves out rows that follow from the others.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn reduce(&mut self, rows: &mut Vec<Row>) -> Result<(), Limit> {
        rows.sort();
        rows.dedup();
        rows.retain(|row| row.truth() != Some(true));
        let mut at = 0;
        while at < rows.len() {
            let row = rows.remove(at);
            if !self.entails(rows, &row)? {
                rows.insert(at, row);
                at += 1;
            }
        }
        Ok(())
    }
}

/// The columns of a system, in order.
pub fn columns(rows: &[Row]) -> Vec<Column> {
    let terms = rows.iter().flat_map(|row| &row.affine().terms);
    let mut columns: Vec<Column> = terms.map(|&(column, _)| column).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// The terms of an affine sum by the positions of its columns.
pub(crate) fn positions(affine: &Affine, columns: &[Column]) -> Vec<(usize, i128)> {
    let position = |column: Column| columns.binary_search(&column).ok();
    affine.terms.iter().filter_map(|&(column, factor)| Some((position(column)?, factor))).collect()
}

/// A linear program over these columns, with the rows as conditions, each with its own number.
pub(crate) fn program(rows: &[Row], columns: &[Column]) -> Result<Simplex, TooLarge> {
    let mut simplex = Simplex::new(&vec![true; columns.len()]);
    for row in rows {
        simplex.at_least_zero(&positions(row.affine(), columns), row.affine().constant)?;
    }
    Ok(simplex)
}

/// What work on a linear program is worth: most take one look at the budget, large ones more.
fn looks(work: u64) -> u64 {
    1 + work / (1 << 14)
}

/// The largest value of each of these sums over a system, rounded down: `None` if there is no
/// bound or none was found. `None` for all if the system has no rational point.
///
/// # Errors
/// The limit that was reached.
pub fn bounds(
    rows: &[Row],
    sums: &[Affine],
    budget: &Budget,
) -> Result<Option<Vec<Option<i128>>>, Limit> {
    let mut columns = columns(rows);
    columns.extend(sums.iter().flat_map(|sum| sum.terms.iter().map(|term| term.0)));
    columns.sort_unstable();
    columns.dedup();
    let unknown = || Ok(Some(vec![None; sums.len()]));
    let Ok(mut simplex) = program(rows, &columns) else { return unknown() };
    match simplex.restore() {
        Err(TooLarge) => return unknown(),
        Ok(Feasible::No(_)) => return budget.spend(looks(simplex.work())).map(|()| None),
        Ok(Feasible::Yes) => {}
    }
    let mut is_broken = false;
    let mut most = |sum: &Affine| {
        if is_broken {
            return None;
        }
        match simplex.maximise(&positions(sum, &columns), sum.constant) {
            Ok(Most::Value(value, over)) => Some(value.div_euclid(over)),
            Ok(Most::Unbounded) => None,
            Err(TooLarge) => {
                is_broken = true;
                None
            }
        }
    };
    let found = sums.iter().map(&mut most).collect();
    budget.spend(looks(simplex.work()))?;
    Ok(Some(found))
}

/// The system without a column (Fourier–Motzkin), and whether it says just for which values of the
/// others there is an integer for the column. If not, it is true for more values than that. `None`
/// if numbers become too large.
pub fn project(rows: &[Row], column: Column) -> Option<(Vec<Row>, bool)> {
    let (mut lower, mut upper, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        match row.affine().factor(column).signum() {
            1 => lower.push(row),
            -1 => upper.push(row),
            _ => rest.push(row.clone()),
        }
    }
    let mut is_exact = true;
    for low in &lower {
        let a = low.affine().factor(column);
        for up in &upper {
            let b = -up.affine().factor(column);
            is_exact &= a == 1 || b == 1;
            rest.push(Row::at_least_zero(low.affine().times(b)?.plus(a, up.affine())?));
        }
    }
    rest.sort();
    rest.dedup();
    rest.retain(|row| row.truth() != Some(true));
    Some((rest, is_exact))
}

/// The system without columns for which `unwanted` is true; see [`project`].
pub fn project_all(
    rows: &[Row],
    unwanted: impl Fn(Column) -> bool,
    most: usize,
) -> Option<(Vec<Row>, bool)> {
    let (mut rows, mut is_exact) = (rows.to_vec(), true);
    for column in columns(&rows).into_iter().filter(|&column| unwanted(column)) {
        let (projected, exact) = project(&rows, column)?;
        is_exact &= exact;
        rows = projected;
        if rows.len() > most {
            return None;
        }
    }
    Some((rows, is_exact))
}

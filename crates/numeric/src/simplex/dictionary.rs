//! A dictionary of numbers of one kind, and the exchanges on it.
//!
//! All rows have one denominator, the determinant of what is basic, so that an exchange divides by
//! the one before and nothing is left (Edmonds; Bareiss). No common divisors have to be looked for.

use super::number::Number;
use super::{Feasible, Most};
use std::cmp::Ordering;

/// Why an operation was not done. After it the dictionary must not be used any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// A number does not fit.
    Overflow,
    /// It was too much work.
    Patience,
}

type Result<T> = std::result::Result<T, Trouble>;

fn fits<T>(value: Option<T>) -> Result<T> {
    value.ok_or(Trouble::Overflow)
}

/// A variable of a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Var {
    /// A variable of the problem that may be negative.
    Free(u32),
    /// A variable of the problem that may not.
    Positive(u32),
    /// How much a condition is exceeded by.
    Slack(u32),
}

/// Where a variable of the problem stands.
#[derive(Clone, Copy, Debug)]
enum Place {
    Row(u32),
    Column(u32),
}

/// `denominator * basic = constant + sum of factors * nonbasic` for each row.
#[derive(Clone, Debug)]
pub(super) struct Dictionary<N> {
    /// Row after row: the constant, then the factors of what is nonbasic.
    cells: Vec<N>,
    basic: Vec<Var>,
    nonbasic: Vec<Var>,
    /// Of the variables of the problem.
    places: Vec<Place>,
    denominator: N,
    slacks: u32,
    /// How much work is left.
    pub(super) patience: u64,
    is_contradictory: bool,
}

impl<N: Number> Dictionary<N> {
    pub(super) fn new(is_free: &[bool], patience: u64) -> Option<Self> {
        let kind = |(number, &free): (usize, &bool)| match free {
            true => Var::Free(number as u32),
            false => Var::Positive(number as u32),
        };
        Some(Dictionary {
            cells: Vec::new(),
            basic: Vec::new(),
            nonbasic: is_free.iter().enumerate().map(kind).collect(),
            places: (0..is_free.len()).map(|at| Place::Column(at as u32)).collect(),
            denominator: N::of(1)?,
            slacks: 0,
            patience,
            is_contradictory: false,
        })
    }

    fn width(&self) -> usize {
        self.nonbasic.len() + 1
    }

    fn row(&self, row: usize) -> &[N] {
        let width = self.width();
        &self.cells[row * width..(row + 1) * width]
    }

    /// Adds a row for `sum + constant`, over what is nonbasic now.
    fn add(&mut self, basic: Var, sum: &[(usize, i128)], constant: i128) -> Result<()> {
        let (zero, width) = (fits(N::of(0))?, self.width());
        let begin = self.cells.len();
        self.cells.resize(begin + width, zero.clone());
        let constant = fits(N::of(constant))?;
        self.cells[begin] = fits(zero.plus(&constant, &self.denominator))?;
        for &(variable, factor) in sum {
            let factor = fits(N::of(factor))?;
            match self.places[variable] {
                Place::Column(at) => {
                    let cell = &mut self.cells[begin + 1 + at as usize];
                    *cell = fits(cell.plus(&factor, &self.denominator))?;
                }
                Place::Row(row) => {
                    let (known, new) = self.cells.split_at_mut(begin);
                    let known = &known[row as usize * width..][..width];
                    for (own, other) in new.iter_mut().zip(known) {
                        if !other.is_zero() {
                            *own = fits(own.plus(&factor, other))?;
                        }
                    }
                }
            }
        }
        self.basic.push(basic);
        Ok(())
    }

    /// Adds that `sum + constant` is not negative.
    pub(super) fn at_least_zero(&mut self, sum: &[(usize, i128)], constant: i128) -> Result<()> {
        self.add(Var::Slack(self.slacks), sum, constant)?;
        self.slacks += 1;
        Ok(())
    }

    /// Adds that `sum + constant` is 0.
    pub(super) fn zero(&mut self, sum: &[(usize, i128)], constant: i128) -> Result<()> {
        self.add(Var::Slack(u32::MAX), sum, constant)?;
        let row = self.basic.len() - 1;
        // What enters can be said by the rest. Small numbers are best, and variables that may be
        // negative, since nothing has to be true of these.
        let mut entering: Option<(bool, N, usize)> = None;
        for (at, factor) in self.row(row)[1..].iter().enumerate() {
            if factor.is_zero() {
                continue;
            }
            let is_bound = !matches!(self.nonbasic[at], Var::Free(_));
            let size = fits(factor.size())?;
            let is_better = entering.as_ref().is_none_or(|(bound, least, _)| {
                let one = &self.denominator;
                (is_bound, N::compare(&size, one, least, one)) < (*bound, Some(Ordering::Equal))
            });
            if is_better {
                entering = Some((is_bound, size, at));
            }
        }
        let Some((_, _, at)) = entering else {
            self.is_contradictory |= !self.row(row)[0].is_zero();
            self.cells.truncate(row * self.width());
            self.basic.pop();
            return Ok(());
        };
        self.exchange(row, at)?;
        // What left is 0, and goes for good.
        let (width, mut cells) = (self.width(), Vec::with_capacity(self.cells.len()));
        for line in self.cells.chunks_exact(width) {
            cells.extend_from_slice(&line[..at + 1]);
            cells.extend_from_slice(&line[at + 2..]);
        }
        self.cells = cells;
        self.nonbasic.remove(at);
        for (number, var) in self.nonbasic.iter().enumerate().skip(at) {
            if let Var::Free(it) | Var::Positive(it) = *var {
                self.places[it as usize] = Place::Column(number as u32);
            }
        }
        Ok(())
    }

    /// Finds out whether all conditions can be met.
    pub(super) fn restore(&mut self) -> Result<Feasible> {
        if self.is_contradictory {
            return Ok(Feasible::No(Vec::new()));
        }
        loop {
            let is_wrong = |&(row, var): &(usize, &Var)| {
                !matches!(var, Var::Free(_)) && self.row(row)[0].sign() == Ordering::Less
            };
            let wrong = self.basic.iter().enumerate().filter(is_wrong).min_by_key(|it| it.1);
            let Some((row, _)) = wrong else { return Ok(Feasible::Yes) };
            let line = &self.row(row)[1..];
            let can_raise = |&(at, var): &(usize, &Var)| match line[at].sign() {
                Ordering::Greater => true,
                Ordering::Less => matches!(var, Var::Free(_)),
                Ordering::Equal => false,
            };
            let entering = self.nonbasic.iter().enumerate().filter(can_raise).min_by_key(|it| it.1);
            let Some((at, _)) = entering else { return Ok(Feasible::No(self.reason(row)?)) };
            self.exchange(row, at)?;
        }
    }

    /// The multiples of conditions that say that the line of a slack is impossible.
    fn reason(&self, row: usize) -> Result<Vec<(usize, i128)>> {
        let line = self.row(row);
        let mut multiples: Vec<(usize, N)> = Vec::new();
        if let Var::Slack(number) = self.basic[row] {
            multiples.push((number as usize, self.denominator.clone()));
        }
        for (&var, factor) in self.nonbasic.iter().zip(&line[1..]) {
            if let Var::Slack(number) = var
                && !factor.is_zero()
            {
                multiples.push((number as usize, fits(factor.minus())?));
            }
        }
        let first = fits(N::of(0))?;
        let common = multiples.iter().fold(first, |common, (_, factor)| common.gcd(factor));
        let whole = |(number, factor): (usize, N)| Some((number, factor.over(&common).whole()?));
        // What does not fit any kind of number here would not be accepted as a reason either.
        let mut multiples = fits(multiples.into_iter().map(whole).collect::<Option<Vec<_>>>())?;
        multiples.sort_unstable();
        Ok(multiples)
    }

    /// The largest value of `sum + constant`. The dictionary must be feasible.
    pub(super) fn maximise(&mut self, sum: &[(usize, i128)], constant: i128) -> Result<Most> {
        self.add(Var::Slack(u32::MAX), sum, constant)?;
        let most = self.climb()?;
        self.basic.pop();
        self.cells.truncate(self.basic.len() * self.width());
        Ok(most)
    }

    /// Maximises the last line, which is not part of the program.
    fn climb(&mut self) -> Result<Most> {
        let last = self.basic.len() - 1;
        loop {
            let objective = self.row(last);
            let improves = |&(at, var): &(usize, &Var)| match objective[at + 1].sign() {
                Ordering::Greater => true,
                Ordering::Less => matches!(var, Var::Free(_)),
                Ordering::Equal => false,
            };
            let entering = self.nonbasic.iter().enumerate().filter(improves).min_by_key(|it| it.1);
            let Some((at, _)) = entering else {
                let (value, over) = fits(self.fraction(&objective[0]))?;
                return Ok(Most::Value(value, over));
            };
            let direction = objective[at + 1].sign();
            // The line that becomes 0 first.
            let mut leaving: Option<usize> = None;
            for row in 0..last {
                let line = self.row(row);
                let sign = line[at + 1].sign();
                if matches!(self.basic[row], Var::Free(_)) || sign != direction.reverse() {
                    continue;
                }
                let Some(best) = leaving else {
                    leaving = Some(row);
                    continue;
                };
                let other = self.row(best);
                let (a, b) = (fits(line[at + 1].size())?, fits(other[at + 1].size())?);
                match fits(N::compare(&line[0], &b, &other[0], &a))? {
                    Ordering::Less => leaving = Some(row),
                    Ordering::Equal if self.basic[row] < self.basic[best] => leaving = Some(row),
                    _ => {}
                }
            }
            match leaving {
                None => return Ok(Most::Unbounded),
                Some(row) => self.exchange(row, at)?,
            }
        }
    }

    /// Makes the nonbasic variable `at` basic in `row`, whose variable becomes nonbasic.
    fn exchange(&mut self, row: usize, at: usize) -> Result<()> {
        let cost = (self.cells.len() as u64).saturating_mul(self.denominator.cost());
        self.patience = self.patience.checked_sub(cost).ok_or(Trouble::Patience)?;
        let (width, column) = (self.width(), at + 1);
        // d b = k + f n + rest  becomes  f n = d b - k - rest, all with the sign of f.
        let mut line = self.row(row).to_vec();
        let is_negative = line[column].sign() == Ordering::Less;
        let by = fits(line[column].size())?;
        if is_negative {
            for cell in &mut line {
                *cell = fits(cell.minus())?;
            }
        }
        // Now it says  by n = (d b - k - rest) with the sign: other rows lose multiples of it.
        let over = std::mem::replace(&mut self.denominator, by.clone());
        for (number, other) in self.cells.chunks_exact_mut(width).enumerate() {
            if number == row {
                continue;
            }
            let factor = other[column].clone();
            if factor.is_zero() {
                if by != over {
                    for cell in other.iter_mut().filter(|cell| !cell.is_zero()) {
                        *cell = fits(cell.eliminate(&by, &factor, &factor, &over))?;
                    }
                }
                continue;
            }
            for (cell, own) in other.iter_mut().zip(&line) {
                if !cell.is_zero() || !own.is_zero() {
                    *cell = fits(cell.eliminate(&by, &factor, own, &over))?;
                }
            }
            other[column] = if is_negative { fits(factor.minus())? } else { factor };
        }
        let place = &mut self.cells[row * width..(row + 1) * width];
        for (cell, own) in place.iter_mut().zip(&line) {
            *cell = fits(own.minus())?;
        }
        place[column] = if is_negative { fits(over.minus())? } else { over };
        let (entering, leaving) = (self.nonbasic[at], self.basic[row]);
        self.nonbasic[at] = leaving;
        self.basic[row] = entering;
        if let Var::Free(it) | Var::Positive(it) = entering {
            self.places[it as usize] = Place::Row(row as u32);
        }
        if let Var::Free(it) | Var::Positive(it) = leaving {
            self.places[it as usize] = Place::Column(at as u32);
        }
        Ok(())
    }

    /// A number over the denominator, without common divisor.
    fn fraction(&self, value: &N) -> Option<(i128, i128)> {
        let common = value.gcd(&self.denominator);
        Some((value.over(&common).whole()?, self.denominator.over(&common).whole()?))
    }

    /// The value of a variable of the problem.
    pub(super) fn value(&self, variable: usize) -> Result<(i128, i128)> {
        match self.places[variable] {
            Place::Column(_) => Ok((0, 1)),
            Place::Row(row) => fits(self.fraction(&self.row(row as usize)[0])),
        }
    }
}

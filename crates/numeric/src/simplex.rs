//! Linear programs over the rationals, solved exactly.
//!
//! A [`Simplex`] is a dictionary: each *basic* variable is written as a constant and multiples of
//! the *nonbasic* ones, which are all 0. Rows are kept as integers over one positive denominator,
//! without common divisor. Variables of a problem are free or not negative; each condition adds a
//! variable that is not negative (a *slack*), an equation one that stays 0 and is thrown out.
//!
//! [`Simplex::restore`] makes the dictionary feasible: while the constant of a row is negative,
//! the first such row changes places with the first nonbasic variable that can raise it (Bland's
//! rule, by which it ends). If there is none, the row itself is the reason: it says that a sum of
//! multiples of conditions is a negative number (Farkas). [`Simplex::maximise`] goes on from a
//! feasible dictionary by the primal method, so that many objectives over the same conditions cost
//! a few exchanges each.
//!
//! Numbers are checked `i128`. What becomes larger ends in [`TooLarge`], which whoever asks takes
//! for "not known".
//!
//! # Source
//! Dutertre, de Moura: A fast linear-arithmetic solver for DPLL(T). CAV 2006 (the form of the
//! search and of explanations); Chvátal: Linear Programming, 1983 (dictionaries).

use tern_model::Limit;

/// Numbers became too large, or the work too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl From<Limit> for TooLarge {
    fn from(_: Limit) -> Self {
        TooLarge
    }
}

/// A variable of a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Var {
    /// A variable of the problem that may be negative.
    Free(usize),
    /// A variable of the problem that may not.
    Positive(usize),
    /// How much a condition is exceeded by.
    Slack(usize),
}

/// `denominator * basic = constant + sum of factors * nonbasic`
#[derive(Clone, Debug)]
struct Line {
    basic: Var,
    denominator: i128,
    constant: i128,
    factors: Vec<i128>,
}

/// Whether the conditions can be met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Feasible {
    /// They can.
    Yes,
    /// They cannot: the sum of these multiples of conditions is a negative number. Conditions are
    /// numbered as they were added; equations do not count.
    No(Vec<(usize, i128)>),
}

/// The largest value of an objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Most {
    /// It can be as large as you like.
    Unbounded,
    /// A fraction, with a positive denominator.
    Value(i128, i128),
}

/// A linear program.
#[derive(Clone, Debug)]
pub struct Simplex {
    lines: Vec<Line>,
    nonbasic: Vec<Var>,
    slacks: usize,
    /// How many exchanges are left before it is given up.
    patience: u32,
    is_contradictory: bool,
}

impl Simplex {
    /// A program without conditions, over variables that may be negative or not.
    pub fn new(is_free: &[bool]) -> Self {
        let kind = |(number, &free): (usize, &bool)| match free {
            true => Var::Free(number),
            false => Var::Positive(number),
        };
        let mut nonbasic: Vec<Var> = is_free.iter().enumerate().map(kind).collect();
        nonbasic.sort();
        Simplex { lines: Vec::new(), nonbasic, slacks: 0, patience: 4000, is_contradictory: false }
    }

    /// `sum + constant`, over what is nonbasic now.
    fn line(&self, basic: Var, sum: &[(usize, i128)], constant: i128) -> Result<Line, TooLarge> {
        let mut line =
            Line { basic, denominator: 1, constant, factors: vec![0; self.nonbasic.len()] };
        for &(variable, factor) in sum {
            let is = |var: Var| match var {
                Var::Free(number) | Var::Positive(number) => number == variable,
                Var::Slack(_) => false,
            };
            if let Some(at) = self.nonbasic.iter().position(|&var| is(var)) {
                let more = factor.checked_mul(line.denominator).ok_or(TooLarge)?;
                line.factors[at] = line.factors[at].checked_add(more).ok_or(TooLarge)?;
            } else if let Some(known) = self.lines.iter().find(|line| is(line.basic)) {
                line.add(factor, known)?;
            }
        }
        line.reduce();
        Ok(line)
    }

    /// Adds that `sum + constant` is not negative.
    ///
    /// # Errors
    /// If numbers become too large.
    pub fn at_least_zero(&mut self, sum: &[(usize, i128)], constant: i128) -> Result<(), TooLarge> {
        let line = self.line(Var::Slack(self.slacks), sum, constant)?;
        self.slacks += 1;
        self.lines.push(line);
        Ok(())
    }

    /// Adds that `sum + constant` is 0.
    ///
    /// # Errors
    /// If numbers become too large.
    pub fn zero(&mut self, sum: &[(usize, i128)], constant: i128) -> Result<(), TooLarge> {
        let mut line = self.line(Var::Slack(usize::MAX), sum, constant)?;
        let free = (0..self.nonbasic.len())
            .find(|&at| line.factors[at] != 0 && matches!(self.nonbasic[at], Var::Free(_)));
        let Some(at) = free.or_else(|| line.factors.iter().position(|&factor| factor != 0)) else {
            self.is_contradictory |= line.constant != 0;
            return Ok(());
        };
        // The line is 0: what enters can be said by the rest, and goes for good.
        let variable = self.nonbasic.remove(at);
        let entering = line.factors.remove(at);
        let sign = -entering.signum();
        line.basic = variable;
        line.denominator = entering.abs();
        line.constant = line.constant.checked_mul(sign).ok_or(TooLarge)?;
        for factor in &mut line.factors {
            *factor = factor.checked_mul(sign).ok_or(TooLarge)?;
        }
        line.reduce();
        for other in &mut self.lines {
            let factor = other.factors.remove(at);
            other.add_scaled(factor, &line)?;
        }
        self.lines.push(line);
        Ok(())
    }

    /// Finds out whether all conditions can be met.
    ///
    /// # Errors
    /// If numbers become too large.
    pub fn restore(&mut self) -> Result<Feasible, TooLarge> {
        if self.is_contradictory {
            return Ok(Feasible::No(Vec::new()));
        }
        loop {
            let is_wrong = |line: &&Line| line.constant < 0 && !matches!(line.basic, Var::Free(_));
            let wrong = self.lines.iter().filter(is_wrong).min_by_key(|line| line.basic);
            let Some(basic) = wrong.map(|line| line.basic) else { return Ok(Feasible::Yes) };
            let row = self.lines.iter().position(|line| line.basic == basic).ok_or(TooLarge)?;
            let line = &self.lines[row];
            let can_raise = |&(at, &var): &(usize, &Var)| {
                line.factors[at] > 0 || line.factors[at] < 0 && matches!(var, Var::Free(_))
            };
            let entering =
                self.nonbasic.iter().enumerate().filter(can_raise).min_by_key(|&(_, &var)| var);
            let Some((at, _)) = entering else { return Ok(Feasible::No(self.reason(row))) };
            self.exchange(row, at)?;
        }
    }

    /// The multiples of conditions that say that the line of a slack is impossible.
    fn reason(&self, row: usize) -> Vec<(usize, i128)> {
        let line = &self.lines[row];
        let mut multiples = Vec::new();
        if let Var::Slack(number) = line.basic {
            multiples.push((number, line.denominator));
        }
        for (&var, &factor) in self.nonbasic.iter().zip(&line.factors) {
            if let Var::Slack(number) = var
                && factor != 0
            {
                multiples.push((number, -factor));
            }
        }
        multiples.sort_unstable();
        multiples
    }

    /// The largest value of `sum + constant`. The dictionary must be feasible.
    ///
    /// # Errors
    /// If numbers become too large.
    pub fn maximise(&mut self, sum: &[(usize, i128)], constant: i128) -> Result<Most, TooLarge> {
        let objective = self.line(Var::Slack(usize::MAX), sum, constant)?;
        self.lines.push(objective);
        let most = self.climb();
        self.lines.pop();
        most
    }

    /// Maximises the last line, which is not part of the program.
    fn climb(&mut self) -> Result<Most, TooLarge> {
        let last = self.lines.len() - 1;
        loop {
            let objective = &self.lines[last];
            let improves = |&(at, &var): &(usize, &Var)| {
                let factor = objective.factors[at];
                factor > 0 || factor < 0 && matches!(var, Var::Free(_))
            };
            let entering =
                self.nonbasic.iter().enumerate().filter(improves).min_by_key(|&(_, &var)| var);
            let Some((at, _)) = entering else {
                let (value, over) = (objective.constant, objective.denominator);
                let common = gcd(value, over).max(1);
                return Ok(Most::Value(value / common, over / common));
            };
            let direction = objective.factors[at].signum();
            // The line that becomes 0 first.
            let mut leaving: Option<usize> = None;
            for row in 0..last {
                let line = &self.lines[row];
                if matches!(line.basic, Var::Free(_)) || line.factors[at] * direction >= 0 {
                    continue;
                }
                let Some(best) = leaving else {
                    leaving = Some(row);
                    continue;
                };
                let other = &self.lines[best];
                let (a, b) = (line.factors[at].abs(), other.factors[at].abs());
                let this = line.constant.checked_mul(b).ok_or(TooLarge)?;
                let that = other.constant.checked_mul(a).ok_or(TooLarge)?;
                if this < that || this == that && line.basic < other.basic {
                    leaving = Some(row);
                }
            }
            match leaving {
                None => return Ok(Most::Unbounded),
                Some(row) => self.exchange(row, at)?,
            }
        }
    }

    /// Makes the nonbasic variable `at` basic in `row`, whose variable becomes nonbasic.
    fn exchange(&mut self, row: usize, at: usize) -> Result<(), TooLarge> {
        self.patience = self.patience.checked_sub(1).ok_or(TooLarge)?;
        let entering = self.nonbasic[at];
        let mut line = self.lines[row].clone();
        self.nonbasic[at] = line.basic;
        // d b = k + f n + rest  becomes  f n = d b - k - rest, all with the sign of f.
        let factor = line.factors[at];
        let sign = factor.signum();
        line.basic = entering;
        line.constant = line.constant.checked_mul(-sign).ok_or(TooLarge)?;
        for other in &mut line.factors {
            *other = other.checked_mul(-sign).ok_or(TooLarge)?;
        }
        line.factors[at] = line.denominator.checked_mul(sign).ok_or(TooLarge)?;
        line.denominator = factor.abs();
        line.reduce();
        for (number, other) in self.lines.iter_mut().enumerate() {
            if number != row && other.factors[at] != 0 {
                let factor = std::mem::take(&mut other.factors[at]);
                other.add_scaled(factor, &line)?;
            }
        }
        self.lines[row] = line;
        Ok(())
    }

    /// The value of a variable of the problem, as a fraction with a positive denominator.
    pub fn value(&self, variable: usize) -> (i128, i128) {
        let is = |line: &&Line| match line.basic {
            Var::Free(number) | Var::Positive(number) => number == variable,
            Var::Slack(_) => false,
        };
        let line = self.lines.iter().find(is);
        line.map_or((0, 1), |line| (line.constant, line.denominator))
    }
}

impl Line {
    /// Adds `factor * other.basic`, a whole multiple.
    fn add(&mut self, factor: i128, other: &Line) -> Result<(), TooLarge> {
        let factor = factor.checked_mul(self.denominator).ok_or(TooLarge)?;
        self.add_scaled(factor, other)
    }

    /// Adds `factor / self.denominator * other.basic`.
    fn add_scaled(&mut self, factor: i128, other: &Line) -> Result<(), TooLarge> {
        if factor == 0 {
            return Ok(());
        }
        let common = gcd(factor, other.denominator).max(1);
        let (scale, factor) = (other.denominator / common, factor / common);
        let combine = |own: i128, others: i128| -> Option<i128> {
            own.checked_mul(scale)?.checked_add(others.checked_mul(factor)?)
        };
        self.denominator = self.denominator.checked_mul(scale).ok_or(TooLarge)?;
        self.constant = combine(self.constant, other.constant).ok_or(TooLarge)?;
        for (own, &others) in self.factors.iter_mut().zip(&other.factors) {
            if *own != 0 || others != 0 {
                *own = combine(*own, others).ok_or(TooLarge)?;
            }
        }
        self.reduce();
        Ok(())
    }

    /// Divides by what all numbers have in common.
    fn reduce(&mut self) {
        let mut divisor = gcd(self.denominator, self.constant);
        for &factor in &self.factors {
            if divisor == 1 {
                return;
            }
            divisor = gcd(divisor, factor);
        }
        if divisor > 1 {
            self.denominator /= divisor;
            self.constant /= divisor;
            self.factors.iter_mut().for_each(|factor| *factor /= divisor);
        }
    }
}

pub(crate) fn gcd(left: i128, right: i128) -> i128 {
    let (mut a, mut b) = (left.unsigned_abs(), right.unsigned_abs());
    if let (Ok(mut a), Ok(mut b)) = (u64::try_from(a), u64::try_from(b)) {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        return i128::from(a);
    }
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

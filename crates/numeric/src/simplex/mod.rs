//! Linear programs over the rationals, solved exactly.
//!
//! A [`Simplex`] is a dictionary: each *basic* variable is written as a constant and multiples of
//! the *nonbasic* ones, which are all 0. Variables of a problem are free or not negative; each
//! condition adds a variable that is not negative (a *slack*), an equation one that stays 0 and is
//! thrown out.
//!
//! [`Simplex::restore`] makes the dictionary feasible: while the constant of a row is negative,
//! the first such row changes places with the first nonbasic variable that can raise it (Bland's
//! rule, by which it ends). If there is none, the row itself is the reason: it says that a sum of
//! multiples of conditions is a negative number (Farkas). [`Simplex::maximise`] goes on from a
//! feasible dictionary by the primal method, so that many objectives over the same conditions cost
//! a few exchanges each.
//!
//! Numbers have 64 bits. If one becomes larger, the dictionary is made again of numbers of 128
//! bits, and then of numbers of any size, so that the cost hardly depends on the size of
//! constants. What is given and told has 128 bits; if a result has more, or if it is too much
//! work, it is [`TooLarge`], which whoever asks takes for "not known".
//!
//! # Source
//! Dutertre, de Moura: A fast linear-arithmetic solver for DPLL(T). CAV 2006 (the form of the
//! search and of explanations); Chvátal: Linear Programming, 1983 (dictionaries); Edmonds: Systems
//! of distinct representatives and linear algebra, 1967 (exchanges without fractions).

mod dictionary;
mod number;

use dictionary::{Dictionary, Trouble};
use num_bigint::BigInt;
use number::Number;
use tern_model::Limit;

/// Numbers became too large, or the work too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl From<Limit> for TooLarge {
    fn from(_: Limit) -> Self {
        TooLarge
    }
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

/// The most work on one linear program, see [`Simplex::work`].
const PATIENCE: u64 = 1 << 26;

/// A linear program.
#[derive(Clone, Debug)]
pub struct Simplex {
    is_free: Vec<bool>,
    /// The sums of all conditions, one after the other.
    terms: Vec<(usize, i128)>,
    conditions: Vec<Condition>,
    dictionary: Kind,
}

/// A condition: the terms up to this place and a constant are 0, or not negative.
#[derive(Clone, Copy, Debug)]
struct Condition {
    end: usize,
    constant: i128,
    is_equation: bool,
}

#[derive(Clone, Debug)]
enum Kind {
    Short(Dictionary<i64>),
    Long(Dictionary<i128>),
    Any(Dictionary<BigInt>),
    /// It was given up.
    Broken,
}

/// Does something with the dictionary, whatever its numbers are; again with larger ones if they do
/// not fit.
macro_rules! with_dictionary {
    ($self:ident, |$dictionary:ident| $work:expr) => {
        loop {
            let done = match &mut $self.dictionary {
                Kind::Short($dictionary) => $work,
                Kind::Long($dictionary) => $work,
                Kind::Any($dictionary) => $work,
                Kind::Broken => Err(Trouble::Patience),
            };
            match done {
                Ok(done) => break Ok(done),
                Err(Trouble::Overflow) => $self.widen(),
                Err(Trouble::Patience) => {
                    $self.dictionary = Kind::Broken;
                    break Err(TooLarge);
                }
            }
        }
    };
}

impl Simplex {
    /// A program without conditions, over variables that may be negative or not.
    pub fn new(is_free: &[bool]) -> Self {
        let dictionary = Dictionary::new(is_free, PATIENCE).map_or(Kind::Broken, Kind::Short);
        let (terms, conditions) = Default::default();
        Simplex { is_free: is_free.to_vec(), terms, conditions, dictionary }
    }

    /// How much was done: cells of dictionaries that were computed, those of large numbers for
    /// several.
    pub fn work(&self) -> u64 {
        let left = match &self.dictionary {
            Kind::Short(it) => it.patience,
            Kind::Long(it) => it.patience,
            Kind::Any(it) => it.patience,
            Kind::Broken => 0,
        };
        PATIENCE - left
    }

    /// A dictionary of all conditions, made feasible if it can be.
    fn filled<N: Number>(&self) -> Result<Dictionary<N>, Trouble> {
        let left = PATIENCE - self.work();
        let mut made = Dictionary::new(&self.is_free, left).ok_or(Trouble::Overflow)?;
        let mut begin = 0;
        for &Condition { end, constant, is_equation } in &self.conditions {
            let sum = &self.terms[begin..end];
            match is_equation {
                true => made.zero(sum, constant)?,
                false => made.at_least_zero(sum, constant)?,
            }
            begin = end;
        }
        made.restore()?;
        Ok(made)
    }

    /// Makes the dictionary again, of larger numbers.
    fn widen(&mut self) {
        let any = || self.filled().map_or(Kind::Broken, Kind::Any);
        self.dictionary = match &self.dictionary {
            Kind::Short(_) => match self.filled() {
                Ok(made) => Kind::Long(made),
                Err(Trouble::Overflow) => any(),
                Err(Trouble::Patience) => Kind::Broken,
            },
            Kind::Long(_) => any(),
            Kind::Any(_) | Kind::Broken => Kind::Broken,
        };
    }

    fn note(&mut self, sum: &[(usize, i128)], constant: i128, is_equation: bool) {
        self.terms.extend_from_slice(sum);
        self.conditions.push(Condition { end: self.terms.len(), constant, is_equation });
    }

    /// Adds that `sum + constant` is not negative.
    ///
    /// # Errors
    /// If the work is too much.
    pub fn at_least_zero(&mut self, sum: &[(usize, i128)], constant: i128) -> Result<(), TooLarge> {
        with_dictionary!(self, |it| it.at_least_zero(sum, constant))?;
        self.note(sum, constant, false);
        Ok(())
    }

    /// Adds that `sum + constant` is 0.
    ///
    /// # Errors
    /// If the work is too much.
    pub fn zero(&mut self, sum: &[(usize, i128)], constant: i128) -> Result<(), TooLarge> {
        with_dictionary!(self, |it| it.zero(sum, constant))?;
        self.note(sum, constant, true);
        Ok(())
    }

    /// Finds out whether all conditions can be met.
    ///
    /// # Errors
    /// If the work is too much, or a reason does not fit.
    pub fn restore(&mut self) -> Result<Feasible, TooLarge> {
        with_dictionary!(self, |it| it.restore())
    }

    /// The largest value of `sum + constant`. The dictionary must be feasible.
    ///
    /// # Errors
    /// If the work is too much, or the value does not fit.
    pub fn maximise(&mut self, sum: &[(usize, i128)], constant: i128) -> Result<Most, TooLarge> {
        with_dictionary!(self, |it| it.maximise(sum, constant))
    }

    /// The value of a variable of the problem, as a fraction with a positive denominator.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn value(&self, variable: usize) -> Result<(i128, i128), TooLarge> {
        let value = match &self.dictionary {
            Kind::Short(it) => it.value(variable),
            Kind::Long(it) => it.value(variable),
            Kind::Any(it) => it.value(variable),
            Kind::Broken => Err(Trouble::Patience),
        };
        value.map_err(|_| TooLarge)
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

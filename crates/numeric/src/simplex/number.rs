//! Numbers of dictionaries: of 64 bits as long as they fit, then of 128, then as long as they need.

use num_bigint::BigInt;
use num_traits::{Signed as _, ToPrimitive as _};
use std::cmp::Ordering;
use std::fmt::Debug;

/// An integer; `None` where it would not fit.
pub(super) trait Number: Clone + PartialEq + Debug {
    /// This integer.
    fn of(value: i128) -> Option<Self>;
    /// The integer as one of 128 bits.
    fn whole(&self) -> Option<i128>;
    /// Whether it is above, below or just 0.
    fn sign(&self) -> Ordering;
    /// With the other sign.
    fn minus(&self) -> Option<Self>;
    /// `self + factor * other`
    fn plus(&self, factor: &Self, other: &Self) -> Option<Self>;
    /// `(self * by - a * b) / over`, where nothing is left.
    fn eliminate(&self, by: &Self, a: &Self, b: &Self, over: &Self) -> Option<Self>;
    /// How `a * b` and `c * d` compare.
    fn compare(a: &Self, b: &Self, c: &Self, d: &Self) -> Option<Ordering>;
    /// What both have in common; not negative.
    fn gcd(&self, other: &Self) -> Self;
    /// The quotient, where nothing is left.
    fn over(&self, divisor: &Self) -> Self;

    /// About how much longer an operation takes than one of 64 bits, if numbers are of this size.
    fn cost(&self) -> u64;

    #[inline]
    fn is_zero(&self) -> bool {
        self.sign() == Ordering::Equal
    }

    /// Without its sign.
    #[inline]
    fn size(&self) -> Option<Self> {
        match self.sign() {
            Ordering::Less => self.minus(),
            _ => Some(self.clone()),
        }
    }
}

impl Number for i64 {
    #[inline]
    fn of(value: i128) -> Option<Self> {
        // The least number has no other with the other sign.
        i64::try_from(value).ok().filter(|&it| it != i64::MIN)
    }

    #[inline]
    fn whole(&self) -> Option<i128> {
        Some(i128::from(*self))
    }

    #[inline]
    fn sign(&self) -> Ordering {
        self.cmp(&0)
    }

    #[inline]
    fn minus(&self) -> Option<Self> {
        self.checked_neg()
    }

    #[inline]
    fn plus(&self, factor: &Self, other: &Self) -> Option<Self> {
        self.checked_add(factor.checked_mul(*other)?)
    }

    #[inline]
    fn eliminate(&self, by: &Self, a: &Self, b: &Self, over: &Self) -> Option<Self> {
        if *over == 1
            && let (Some(left), Some(right)) = (self.checked_mul(*by), a.checked_mul(*b))
        {
            return left.checked_sub(right);
        }
        let value = i128::from(*self) * i128::from(*by) - i128::from(*a) * i128::from(*b);
        match i64::try_from(value) {
            Ok(value) => value.checked_div(*over),
            Err(_) => i64::of(value / i128::from(*over)),
        }
    }

    #[inline]
    fn compare(a: &Self, b: &Self, c: &Self, d: &Self) -> Option<Ordering> {
        Some((i128::from(*a) * i128::from(*b)).cmp(&(i128::from(*c) * i128::from(*d))))
    }

    fn cost(&self) -> u64 {
        1
    }

    #[inline]
    fn gcd(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.unsigned_abs(), other.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        i64::try_from(a).unwrap_or(1)
    }

    #[inline]
    fn over(&self, divisor: &Self) -> Self {
        self / divisor
    }
}

impl Number for i128 {
    #[inline]
    fn of(value: i128) -> Option<Self> {
        Some(value)
    }

    #[inline]
    fn whole(&self) -> Option<i128> {
        Some(*self)
    }

    #[inline]
    fn sign(&self) -> Ordering {
        self.cmp(&0)
    }

    #[inline]
    fn minus(&self) -> Option<Self> {
        self.checked_neg()
    }

    #[inline]
    fn plus(&self, factor: &Self, other: &Self) -> Option<Self> {
        self.checked_add(factor.checked_mul(*other)?)
    }

    #[inline]
    fn eliminate(&self, by: &Self, a: &Self, b: &Self, over: &Self) -> Option<Self> {
        self.checked_mul(*by)?.checked_sub(a.checked_mul(*b)?)?.checked_div(*over)
    }

    #[inline]
    fn compare(a: &Self, b: &Self, c: &Self, d: &Self) -> Option<Ordering> {
        Some(a.checked_mul(*b)?.cmp(&c.checked_mul(*d)?))
    }

    fn cost(&self) -> u64 {
        4
    }

    #[inline]
    fn gcd(&self, other: &Self) -> Self {
        super::gcd(*self, *other)
    }

    #[inline]
    fn over(&self, divisor: &Self) -> Self {
        self / divisor
    }
}

impl Number for BigInt {
    fn of(value: i128) -> Option<Self> {
        Some(BigInt::from(value))
    }

    fn whole(&self) -> Option<i128> {
        self.to_i128()
    }

    fn sign(&self) -> Ordering {
        match (self.is_positive(), self.is_negative()) {
            (true, _) => Ordering::Greater,
            (_, true) => Ordering::Less,
            _ => Ordering::Equal,
        }
    }

    fn minus(&self) -> Option<Self> {
        Some(-self)
    }

    fn plus(&self, factor: &Self, other: &Self) -> Option<Self> {
        Some(self + factor * other)
    }

    fn eliminate(&self, by: &Self, a: &Self, b: &Self, over: &Self) -> Option<Self> {
        if Number::is_zero(self) && (Number::is_zero(a) || Number::is_zero(b)) {
            return Some(BigInt::ZERO);
        }
        Some((self * by - a * b) / over)
    }

    fn compare(a: &Self, b: &Self, c: &Self, d: &Self) -> Option<Ordering> {
        Some((a * b).cmp(&(c * d)))
    }

    fn cost(&self) -> u64 {
        let words = self.bits() / 64;
        32 + words * words
    }

    fn gcd(&self, other: &Self) -> Self {
        num_integer::Integer::gcd(self, other)
    }

    fn over(&self, divisor: &Self) -> Self {
        self / divisor
    }
}

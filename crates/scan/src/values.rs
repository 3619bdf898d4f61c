//! What is known of a value: nothing, an interval, a text, that it is null, which object it is.
//!
//! Objects are symbolic: [`Key`] says where one was first met. Two different keys may still be one
//! object, unless both were made here; one key is one object.

use serde::{Deserialize, Serialize};
use tern_ir::{Comparison, FieldId, NameId, Operator};
use tern_model::Tri;

tern_model::indices! {
    /// A symbolic object.
    pub ObjectId = "o";
}

/// Where an object was first met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// What a parameter was at the beginning.
    Parameter(u32),
    /// What a field of a class was when it was first read.
    Static(FieldId),
    /// What a field of an object was when it was first read.
    Field(ObjectId, FieldId),
    /// What a statement made, read or was given.
    At(u32),
    /// What was thrown, by its class.
    Thrown(Option<NameId>),
    /// What a method of an object always answers, such as `readLock()`.
    Part(ObjectId, NameId),
}

/// Whether a reference may be null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Nullness {
    /// Nobody knows.
    Unknown,
    /// It is an object.
    NonNull,
    /// It is an object, because it was used in this line without a test.
    Used(u32),
}

/// Why a value is null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Cause {
    /// It was written so.
    Written,
    /// The code tested for it.
    Tested,
    /// A call gave it, whose results must be tested.
    Result,
    /// Code that was called tested for it, whatever it is asked for: that says nothing here.
    Assumed,
    /// It was written, but those who use it may know that it is not there by then: what uses it is
    /// doubtful.
    Doubted,
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// Nothing.
    Any,
    /// A number, at least and at most.
    Number(i64, i64),
    /// A constant text.
    Text(NameId),
    /// Null.
    Null(Cause),
    /// An object of which nothing else is known.
    NonNull,
    /// A symbolic object, or null.
    Object(ObjectId, Nullness),
}

impl Value {
    /// What is left of it where somebody may have thrown because of what was tested.
    pub fn assumed(self) -> Value {
        match self {
            Value::Null(Cause::Tested) => Value::Null(Cause::Assumed),
            other => other,
        }
    }

    /// A number that is known.
    pub fn number(value: i64) -> Value {
        Value::Number(value, value)
    }

    /// Whether it is null.
    pub fn is_null(self) -> Tri {
        match self {
            Value::Null(_) => Tri::True,
            Value::NonNull | Value::Text(_) => Tri::False,
            Value::Object(_, Nullness::Unknown) | Value::Any | Value::Number(..) => Tri::Unknown,
            Value::Object(..) => Tri::False,
        }
    }

    /// The object, if it is known which.
    pub fn object(self) -> Option<ObjectId> {
        match self {
            Value::Object(object, _) => Some(object),
            _ => None,
        }
    }

    /// The same without naming an object.
    pub fn anonymous(self) -> Value {
        match self {
            Value::Object(_, Nullness::Unknown) => Value::Any,
            Value::Object(..) => Value::NonNull,
            other => other,
        }
    }

    /// What is known if it is one or the other.
    pub fn join(self, other: Value) -> Value {
        if self == other {
            return self;
        }
        match (self, other) {
            (Value::Number(a, b), Value::Number(c, d)) => Value::Number(a.min(c), b.max(d)),
            (Value::Object(a, x), Value::Object(b, y)) if a == b => {
                let nullness = match (x, y) {
                    (Nullness::Unknown, _) | (_, Nullness::Unknown) => Nullness::Unknown,
                    _ => Nullness::NonNull,
                };
                Value::Object(a, nullness)
            }
            (Value::Null(_), Value::Null(_)) => Value::Null(Cause::Tested),
            _ if self.is_null() == Tri::False && other.is_null() == Tri::False => Value::NonNull,
            _ => Value::Any,
        }
    }

    /// Like [`Value::join`], with bounds that move moved to the next threshold at once.
    pub fn widen(self, other: Value, thresholds: &[i64]) -> Value {
        match (self, self.join(other)) {
            (Value::Number(a, b), Value::Number(low, high)) => {
                let below = thresholds.iter().rev().copied().find(|it| *it <= low);
                let above = thresholds.iter().copied().find(|it| *it >= high);
                let low = if low < a { below.unwrap_or(i64::MIN) } else { low };
                let high = if high > b { above.unwrap_or(i64::MAX) } else { high };
                if low == i64::MIN && high == i64::MAX {
                    Value::Any
                } else {
                    Value::Number(low, high)
                }
            }
            (_, joined) => joined,
        }
    }
}

/// The smallest and largest value of an integer type.
pub fn bounds(bits: u8) -> (i64, i64) {
    match bits {
        0..=31 => (-(1 << (bits.max(1) - 1)), (1 << (bits.max(1) - 1)) - 1),
        32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (i64::MIN, i64::MAX),
    }
}

/// What an operator gives; [`Value::Any`] if it may wrap.
pub fn binary(operator: Operator, left: Value, right: Value, bits: u8) -> Value {
    let Value::Number(c, d) = right else { return Value::Any };
    let (a, b) = match left {
        Value::Number(a, b) => (a, b),
        // What is known of a remainder, or of some bits, whatever they are of.
        Value::Any if operator == Operator::Remainder && c == d && c > 0 => {
            return Value::Number(1 - c, c - 1);
        }
        Value::Any if operator == Operator::And && c == d && c >= 0 => return Value::Number(0, c),
        _ => return Value::Any,
    };
    let (least, most) = bounds(bits);
    let all = |ends: [Option<i64>; 4]| {
        let mut hull: Option<(i64, i64)> = None;
        for end in ends {
            let end = end.filter(|end| (least..=most).contains(end))?;
            hull = Some(hull.map_or((end, end), |(low, high)| (low.min(end), high.max(end))));
        }
        hull
    };
    let point = a == b && c == d;
    let result = match operator {
        Operator::Add => {
            all([a.checked_add(c), b.checked_add(d), None.or(a.checked_add(c)), b.checked_add(d)])
        }
        Operator::Subtract => {
            all([a.checked_sub(d), b.checked_sub(c), a.checked_sub(d), b.checked_sub(c)])
        }
        Operator::Multiply => {
            all([a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)])
        }
        Operator::Divide if c > 0 => {
            all([a.checked_div(c), a.checked_div(d), b.checked_div(c), b.checked_div(d)])
        }
        Operator::Remainder if c > 0 => match a >= 0 {
            true if c == d && b < c => Some((a, b)),
            true => Some((0, b.min(d - 1))),
            false => Some((1 - d, d - 1)),
        },
        Operator::And if point => Some((a & c, a & c)),
        Operator::And if c == d && c >= 0 => Some((0, c)),
        Operator::Or if point => Some((a | c, a | c)),
        Operator::Xor if point => Some((a ^ c, a ^ c)),
        Operator::ShiftLeft if point && (0..31).contains(&c) => {
            a.checked_mul(1 << c).filter(|it| (least..=most).contains(it)).map(|it| (it, it))
        }
        Operator::ShiftRight if c == d && (0..31).contains(&c) => Some((a >> c, b >> c)),
        Operator::Compare if b < c => Some((-1, -1)),
        Operator::Compare if a > d => Some((1, 1)),
        Operator::Compare if point => Some((0, 0)),
        Operator::Compare => Some((-1, 1)),
        _ => None,
    };
    result.map_or(Value::Any, |(low, high)| Value::Number(low, high))
}

/// Whether a comparison of numbers is true.
pub fn compare(comparison: Comparison, left: (i64, i64), right: (i64, i64)) -> Tri {
    let ((a, b), (c, d)) = (left, right);
    let from = |sure: bool, never: bool| match (sure, never) {
        (true, _) => Tri::True,
        (_, true) => Tri::False,
        _ => Tri::Unknown,
    };
    match comparison {
        Comparison::Equal => from(a == b && c == d && a == c, b < c || d < a),
        Comparison::NotEqual => from(b < c || d < a, a == b && c == d && a == c),
        Comparison::Less => from(b < c, a >= d),
        Comparison::LessEqual => from(b <= c, a > d),
        Comparison::Greater => from(a > d, b <= c),
        Comparison::GreaterEqual => from(a >= d, b < c),
    }
}

/// What is left of an interval if a comparison with another is true; nothing if it cannot be.
pub fn restrict(comparison: Comparison, left: (i64, i64), right: (i64, i64)) -> Option<(i64, i64)> {
    let ((mut a, mut b), (c, d)) = (left, right);
    match comparison {
        Comparison::Equal => (a, b) = (a.max(c), b.min(d)),
        Comparison::NotEqual if c == d => {
            if a == c {
                a = a.checked_add(1)?;
            }
            if b == c {
                b = b.checked_sub(1)?;
            }
        }
        Comparison::NotEqual => {}
        Comparison::Less => b = b.min(d.checked_sub(1)?),
        Comparison::LessEqual => b = b.min(d),
        Comparison::Greater => a = a.max(c.checked_add(1)?),
        Comparison::GreaterEqual => a = a.max(c),
    }
    (a <= b).then_some((a, b))
}

/// The comparison that is true just where this is not.
pub fn negated(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Equal => Comparison::NotEqual,
        Comparison::NotEqual => Comparison::Equal,
        Comparison::Less => Comparison::GreaterEqual,
        Comparison::LessEqual => Comparison::Greater,
        Comparison::Greater => Comparison::LessEqual,
        Comparison::GreaterEqual => Comparison::Less,
    }
}

/// The same comparison with its sides exchanged.
pub fn swapped(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessEqual => Comparison::GreaterEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterEqual => Comparison::LessEqual,
        same => same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operator and comparison on small intervals holds all values of their points.
    #[test]
    fn intervals_hold_what_points_give() {
        let operators = [
            Operator::Add,
            Operator::Subtract,
            Operator::Multiply,
            Operator::Divide,
            Operator::Remainder,
            Operator::And,
            Operator::Or,
            Operator::Xor,
            Operator::ShiftLeft,
            Operator::ShiftRight,
            Operator::Compare,
        ];
        let comparisons = [
            Comparison::Equal,
            Comparison::NotEqual,
            Comparison::Less,
            Comparison::LessEqual,
            Comparison::Greater,
            Comparison::GreaterEqual,
        ];
        let intervals: Vec<(i64, i64)> =
            (-3..=3).flat_map(|a| (a..=3).map(move |b| (a, b))).collect();
        let point = |operator, x: i64, y: i64| match operator {
            Operator::Add => Some(x + y),
            Operator::Subtract => Some(x - y),
            Operator::Multiply => Some(x * y),
            Operator::Divide => x.checked_div(y),
            Operator::Remainder => x.checked_rem(y),
            Operator::And => Some(x & y),
            Operator::Or => Some(x | y),
            Operator::Xor => Some(x ^ y),
            Operator::ShiftLeft => Some(((x as i32) << (y & 31)).into()),
            Operator::ShiftRight => Some(x >> (y & 31)),
            _ => Some(x.cmp(&y) as i64),
        };
        let truth = |comparison, x: i64, y: i64| match comparison {
            Comparison::Equal => x == y,
            Comparison::NotEqual => x != y,
            Comparison::Less => x < y,
            Comparison::LessEqual => x <= y,
            Comparison::Greater => x > y,
            Comparison::GreaterEqual => x >= y,
        };
        for &left in &intervals {
            for &right in &intervals {
                let points =
                    (left.0..=left.1).flat_map(|x| (right.0..=right.1).map(move |y| (x, y)));
                for operator in operators {
                    let all = binary(
                        operator,
                        Value::Number(left.0, left.1),
                        Value::Number(right.0, right.1),
                        32,
                    );
                    for (x, y) in points.clone() {
                        if let (Value::Number(a, b), Some(z)) = (all, point(operator, x, y)) {
                            assert!(
                                a <= z && z <= b,
                                "{x} {operator:?} {y} = {z} not in {a}..={b}"
                            );
                        }
                    }
                }
                for comparison in comparisons {
                    let all = compare(comparison, left, right);
                    let kept = restrict(comparison, left, right);
                    for (x, y) in points.clone() {
                        let is = truth(comparison, x, y);
                        assert_ne!(all, if is { Tri::False } else { Tri::True });
                        assert_eq!(is, truth(swapped(comparison), y, x));
                        assert_eq!(is, !truth(negated(comparison), x, y));
                        assert!(!is || kept.is_some_and(|(a, b)| a <= x && x <= b));
                    }
                }
            }
        }
        assert_eq!(
            binary(Operator::Add, Value::number(i32::MAX.into()), Value::number(1), 32),
            Value::Any
        );
    }
}

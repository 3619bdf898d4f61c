//! Arithmetic on whole numbers, as far as the operands are known.

use super::Source;
use tern_ir::{Operator, Type, UnaryOperator};

/// The numbers that a variable can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    bits: u8,
    signed: bool,
}

/// Something that is computed, and the numbers it is computed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Of one operand.
    Unary(UnaryOperator, Source, Number),
    /// Of two operands.
    Binary(Operator, Source, Source, Number),
}

impl Number {
    /// The numbers of a type; `None` if it has none that are counted exactly.
    pub fn of(ty: Type) -> Option<Self> {
        match ty {
            Type::Integer { bits, signed } if (1..=64).contains(&bits) => {
                Some(Number { bits, signed })
            }
            Type::Boolean => Some(Number { bits: 1, signed: false }),
            _ => None,
        }
    }

    /// What is left of a number that does not fit.
    fn wrapped(self, number: i128) -> Option<i64> {
        let low = number & ((1_i128 << self.bits) - 1);
        let is_negative = self.signed && low >> (self.bits - 1) & 1 == 1;
        i64::try_from(if is_negative { low - (1_i128 << self.bits) } else { low }).ok()
    }

    fn shift(self, by: i128) -> u32 {
        u32::try_from(by & i128::from(self.bits - 1)).unwrap_or(0)
    }
}

impl Operation {
    /// What it reads.
    pub fn sources(&self) -> Vec<Source> {
        match self {
            Operation::Unary(_, operand, _) => vec![*operand],
            Operation::Binary(_, left, right, _) => vec![*left, *right],
        }
    }

    /// What it divides by: that must not be zero.
    pub fn divisor(&self) -> Option<Source> {
        match self {
            Operation::Binary(Operator::Divide | Operator::Remainder, _, right, _) => Some(*right),
            _ => None,
        }
    }

    /// The result, if all operands are known numbers and it is one.
    pub fn result(&self, value: impl Fn(Source) -> Option<i64>) -> Option<i64> {
        let value = |source: Source| value(source).map(i128::from);
        match *self {
            Operation::Unary(operator, operand, number) => {
                let it = value(operand)?;
                number.wrapped(match operator {
                    UnaryOperator::Negate => -it,
                    UnaryOperator::Complement => !it,
                    UnaryOperator::Convert => it,
                })
            }
            Operation::Binary(operator, left, right, number) => {
                let (left, right) = (value(left)?, value(right)?);
                let zeros = (1_i128 << number.bits) - 1;
                let result = match operator {
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                    Operator::Divide => left.checked_div(right)?,
                    Operator::Remainder => left.checked_rem(right)?,
                    Operator::ShiftLeft => left << number.shift(right),
                    Operator::ShiftRight => left >> number.shift(right),
                    Operator::ShiftRightZero => (left & zeros) >> number.shift(right),
                    Operator::And => left & right,
                    Operator::Or => left | right,
                    Operator::Xor => left ^ right,
                    Operator::Compare => match left.cmp(&right) {
                        std::cmp::Ordering::Less => -1,
                        std::cmp::Ordering::Equal => 0,
                        std::cmp::Ordering::Greater => 1,
                    },
                };
                number.wrapped(result)
            }
        }
    }
}

//! Whole numbers of programs: arithmetic as far as the operands are known, and comparisons.

use super::interpret::{Stuck, Value, stuck};
use tern_ir::{Body, Comparison, Operator, Program, Type, UnaryOperator, VarId};

/// The bits of a variable, and whether it may be negative.
pub(super) fn number(program: &Program, body: &Body, to: VarId) -> Option<(u8, bool)> {
    number_of(program.types()[body.variables[to].ty])
}

fn number_of(ty: Type) -> Option<(u8, bool)> {
    match ty {
        Type::Integer { bits, signed } if (1..=64).contains(&bits) => Some((bits, signed)),
        Type::Boolean => Some((1, false)),
        _ => None,
    }
}

/// Whether a number is one of a type. An array is given by the number of its elements.
pub(super) fn fits(ty: Type, number: i64) -> bool {
    match (ty, number_of(ty)) {
        (_, Some(bits)) => wrapped(bits, number.into()) == Value::Integer(number),
        (Type::Array(_), None) => i32::try_from(number).is_ok_and(|it| it >= 0),
        _ => false,
    }
}

fn wrapped((bits, signed): (u8, bool), number: i128) -> Value {
    let size = 1_i128 << bits;
    let mut low = number.rem_euclid(size);
    if signed && low >= size / 2 {
        low -= size;
    }
    i64::try_from(low).map_or(Value::Unknown, Value::Integer)
}

pub(super) fn unary(number: Option<(u8, bool)>, operator: UnaryOperator, value: Value) -> Value {
    let (Some(number), Value::Integer(value)) = (number, value) else { return Value::Unknown };
    let value = i128::from(value);
    wrapped(
        number,
        match operator {
            UnaryOperator::Negate => -value,
            UnaryOperator::Complement => -value - 1,
            UnaryOperator::Convert => value,
        },
    )
}

pub(super) fn binary(
    number: Option<(u8, bool)>,
    operator: Operator,
    left: Value,
    right: Value,
) -> Result<Value, Stuck> {
    let (Some(number), Value::Integer(left), Value::Integer(right)) = (number, left, right) else {
        let may_be_zero = !matches!(right, Value::Integer(it) if it != 0);
        return match operator {
            Operator::Divide | Operator::Remainder if may_be_zero => {
                stuck("a division that may be by zero")
            }
            _ => Ok(Value::Unknown),
        };
    };
    let (left, right) = (i128::from(left), i128::from(right));
    let distance = right.rem_euclid(i128::from(number.0));
    let power = 1_i128 << distance;
    Ok(wrapped(
        number,
        match operator {
            Operator::Add => left + right,
            Operator::Subtract => left - right,
            Operator::Multiply => left * right,
            Operator::Divide | Operator::Remainder if right == 0 => {
                return stuck("a division by zero");
            }
            Operator::Divide => left / right,
            Operator::Remainder => left % right,
            Operator::ShiftLeft => left * power,
            Operator::ShiftRight => left.div_euclid(power),
            Operator::ShiftRightZero => left.rem_euclid(1_i128 << number.0) / power,
            Operator::And => left & right,
            Operator::Or => left | right,
            Operator::Xor => left ^ right,
            Operator::Compare => i128::from(left > right) - i128::from(left < right),
        },
    ))
}

pub(super) fn compared(left: Value, comparison: Comparison, right: Value) -> Result<bool, Stuck> {
    if left == Value::Unknown || right == Value::Unknown {
        return stuck("something is compared of which nothing is known");
    }
    let order = match (left, right) {
        (Value::Integer(left), Value::Integer(right)) => Some(left.cmp(&right)),
        _ => None,
    };
    Ok(match (comparison, order) {
        (Comparison::Equal, _) => left == right,
        (Comparison::NotEqual, _) => left != right,
        (_, None) => return stuck("objects are compared by size"),
        (Comparison::Less, Some(order)) => order.is_lt(),
        (Comparison::LessEqual, Some(order)) => order.is_le(),
        (Comparison::Greater, Some(order)) => order.is_gt(),
        (Comparison::GreaterEqual, Some(order)) => order.is_ge(),
    })
}

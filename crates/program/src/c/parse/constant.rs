//! Numbers that are known when a program is read.

use super::super::syntax::{Arithmetic, Expr, Kind, Size, Type};

/// A constant converted to a type, if it is the same however many bits types have.
fn cast(ty: Type, value: i128) -> Option<i128> {
    let bits = match ty.size {
        Size::Bool => return Some(i128::from(value != 0)),
        Size::Char | Size::Short | Size::Int => 8,
        Size::Long => 32,
        Size::LongLong => 64,
        Size::Bits(bits) => bits,
    };
    let (low, high) = match ty.is_unsigned {
        true => (0, (1 << bits) - 1),
        false => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    };
    (low..=high).contains(&value).then_some(value)
}

/// The value of an expression without variables.
pub(super) fn value(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        Kind::Number(number) | Kind::Literal(number, _) => Some(*number),
        Kind::Negate(of) => value(of)?.checked_neg(),
        Kind::Complement(of) => Some(!value(of)?),
        Kind::Not(of) => Some(i128::from(value(of)? == 0)),
        Kind::Cast(ty, of) => cast(*ty, value(of)?),
        Kind::Choose(condition, yes, no) => value(if value(condition)? != 0 { yes } else { no }),
        Kind::Binary(operator, a, b) => {
            let (a, b) = (value(a)?, value(b)?);
            match operator {
                Arithmetic::Add => a.checked_add(b),
                Arithmetic::Subtract => a.checked_sub(b),
                Arithmetic::Multiply => a.checked_mul(b),
                Arithmetic::Divide => a.checked_div(b),
                Arithmetic::Remainder => a.checked_rem(b),
                Arithmetic::BitAnd => Some(a & b),
                Arithmetic::BitOr => Some(a | b),
                Arithmetic::BitXor => Some(a ^ b),
                Arithmetic::ShiftLeft => {
                    let shift = u32::try_from(b).ok().filter(|shift| *shift < 64)?;
                    a.checked_mul(1 << shift)
                }
                Arithmetic::ShiftRight => {
                    u32::try_from(b).ok().and_then(|shift| a.checked_shr(shift))
                }
            }
        }
        _ => None,
    }
}

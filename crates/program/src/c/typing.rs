//! The types of expressions, and the numbers that types have: the conversions of C.
//!
//! Types have as many bits as [`Widths`] says. A type is of higher rank than another if it has more
//! bits, or as many and comes later in the order `_Bool`, `char`, `short`, `int`, `long`,
//! `long long`; a type that is named by its bits comes before all others of the same width. Numbers
//! of narrower types become `int` (or `unsigned int`) before anything is done with them.
//!
//! # Source
//! ISO/IEC 9899:2018, 6.3.1.1, 6.3.1.8 and 6.4.4.1.

use super::syntax::{Expr, Kind, Size, Suffix, Type, Widths, element};

/// What the types of expressions depend on.
#[derive(Clone, Copy)]
pub(super) struct Typing<'a> {
    pub(super) widths: Widths,
    /// The type of a variable.
    pub(super) variable: &'a dyn Fn(&str) -> Option<Type>,
    /// The type of what a function gives.
    pub(super) function: &'a dyn Fn(&str) -> Type,
}

/// The least and the greatest number of a type.
pub(super) fn range(widths: Widths, ty: Type) -> (i128, i128) {
    let bits = widths.bits(ty.size);
    match ty.is_unsigned || ty.size == Size::Bool {
        true => (0, (1 << bits) - 1),
        false => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    }
}

/// Wraps a number into a type.
pub(super) fn wrapped(widths: Widths, ty: Type, number: i128) -> i128 {
    if ty.size == Size::Bool {
        return i128::from(number != 0);
    }
    let (low, high) = range(widths, ty);
    (number - low).rem_euclid(high - low + 1) + low
}

fn rank(widths: Widths, size: Size) -> (u32, u32) {
    let place = match size {
        Size::Bits(_) => 0,
        Size::Bool => 1,
        Size::Char => 2,
        Size::Short => 3,
        Size::Int => 4,
        Size::Long => 5,
        Size::LongLong => 6,
    };
    (widths.bits(size), place)
}

/// What a number of this type becomes before anything is done with it.
pub(super) fn promoted(widths: Widths, ty: Type) -> Type {
    if rank(widths, ty.size) >= rank(widths, Size::Int) {
        return ty;
    }
    let ((low, high), (least, most)) = (range(widths, ty), range(widths, Type::INT));
    Type { size: Size::Int, is_unsigned: low < least || high > most }
}

/// The type in which two numbers are joined.
pub(super) fn common(widths: Widths, left: Type, right: Type) -> Type {
    let (left, right) = (promoted(widths, left), promoted(widths, right));
    let is_higher = rank(widths, left.size) >= rank(widths, right.size);
    if left.is_unsigned == right.is_unsigned {
        return if is_higher { left } else { right };
    }
    let (signed, unsigned) = if left.is_unsigned { (right, left) } else { (left, right) };
    if rank(widths, unsigned.size) >= rank(widths, signed.size) {
        return unsigned;
    }
    let is_unsigned = range(widths, signed).1 < range(widths, unsigned).1;
    Type { is_unsigned, ..signed }
}

impl Typing<'_> {
    /// The type of a number as it is written; the longest if none has it.
    fn literal(&self, number: i128, suffix: Suffix) -> Type {
        let sizes = [Size::Int, Size::Long, Size::LongLong];
        for size in &sizes[usize::from(suffix.longs)..] {
            for is_unsigned in [false, true] {
                let is_offered = match is_unsigned {
                    false => !suffix.is_unsigned,
                    true => suffix.is_unsigned || !suffix.is_decimal,
                };
                let ty = Type { size: *size, is_unsigned };
                let (low, high) = range(self.widths, ty);
                if is_offered && low <= number && number <= high {
                    return ty;
                }
            }
        }
        Type { size: Size::LongLong, is_unsigned: suffix.is_unsigned }
    }

    fn number(&self, number: i128) -> Type {
        self.literal(number, super::lexer::PLAIN)
    }

    /// The type of the elements of an array.
    pub(super) fn of_elements(&self, array: &str) -> Type {
        (self.variable)(&element(array, 0)).unwrap_or(Type::INT)
    }

    /// The type of an expression, effects included.
    pub(super) fn of(&self, expr: &Expr) -> Type {
        let name = |name: &str| (self.variable)(name).unwrap_or(Type::INT);
        match &expr.kind {
            Kind::Number(number) => self.number(*number),
            Kind::Literal(number, suffix) => self.literal(*number, *suffix),
            Kind::Name(variable) | Kind::Assign(variable, ..) | Kind::Increment(variable, ..) => {
                name(variable)
            }
            Kind::Index(array, ..) | Kind::Store(array, ..) => self.of_elements(array),
            Kind::Any(Some(low), Some(high), ty) if *ty == Type::INT => {
                common(self.widths, self.number(*low), self.number(*high))
            }
            Kind::Any(_, _, ty) | Kind::Cast(ty, _) => *ty,
            Kind::Negate(of) | Kind::Complement(of) => promoted(self.widths, self.of(of)),
            Kind::Binary(operator, left, _) if operator.is_shift() => {
                promoted(self.widths, self.of(left))
            }
            Kind::Binary(_, left, right) | Kind::Choose(_, left, right) => {
                common(self.widths, self.of(left), self.of(right))
            }
            Kind::Not(_) | Kind::Compare(..) | Kind::And(..) | Kind::Or(..) => Type::INT,
            Kind::Call(function, _) => (self.function)(function),
            Kind::Comma(_, second) => self.of(second),
        }
    }
}

//! What types do to numbers, as the interpreter has it: the rules of C once more.
//!
//! A [`Number`] is a type as far as it matters: bits, sign and rank, by the order of the types in
//! the standard. Numbers are cut to their bits and looked at with their sign.

use super::super::syntax::{Arithmetic, Declared, Expr, Kind, Size, Suffix, Type, Widths, element};
use super::assumed::{Range, both};
use super::{Interpreter, Outcomes, REACH, Result, Slot, State, untreated};

/// A type by its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    bits: u32,
    is_signed: bool,
    rank: u32,
}

impl Number {
    fn new(widths: Widths, ty: Type) -> Number {
        let bits = widths.bits(ty.size);
        let rank = match ty.size {
            Size::Bool => 0,
            Size::Char => 1,
            Size::Short => 2,
            Size::Int => 3,
            Size::Long => 4,
            Size::LongLong => 5,
            // As the first type that has as many bits.
            Size::Bits(bits) if bits == widths.int => 3,
            Size::Bits(8) => 1,
            Size::Bits(bits) if bits < widths.int => 2,
            Size::Bits(bits) if bits <= widths.long => 4,
            Size::Bits(_) => 5,
        };
        Number { bits, is_signed: !ty.is_unsigned && ty.size != Size::Bool, rank }
    }

    /// A type of C with these numbers, if none is narrower than `int`.
    pub(super) fn ty(self) -> Type {
        let size = match self.rank {
            0..=3 => Size::Int,
            4 => Size::Long,
            _ => Size::LongLong,
        };
        Type { size, is_unsigned: !self.is_signed }
    }

    /// This type after integer promotion.
    pub(super) fn promoted(self, interpreter: &Interpreter<'_>) -> Number {
        let Some(widths) = interpreter.widths() else { return self };
        let int = Number::new(widths, Type::INT);
        if self.rank >= int.rank {
            return self;
        }
        let is_signed = self.is_signed || self.bits < int.bits;
        Number { is_signed, ..int }
    }

    /// The type in which two numbers are joined.
    pub(super) fn joined(self, other: Number, interpreter: &Interpreter<'_>) -> Number {
        let (a, b) = (self.promoted(interpreter), other.promoted(interpreter));
        let (low, high) = if a.rank <= b.rank { (a, b) } else { (b, a) };
        // The higher one, unless it is signed and cannot hold what an unsigned one has.
        let is_lost = !low.is_signed && high.is_signed && high.bits <= low.bits;
        let is_equal = low.rank == high.rank;
        let is_signed = high.is_signed && !is_lost && (low.is_signed || !is_equal);
        Number { is_signed, ..high }
    }
}

/// Cuts a number to bits, and reads them with a sign or without.
fn cut(bits: u32, is_signed: bool, value: i128) -> i128 {
    match (bits, is_signed) {
        (8, true) => i128::from(value as i8),
        (8, false) => i128::from(value as u8),
        (16, true) => i128::from(value as i16),
        (16, false) => i128::from(value as u16),
        (32, true) => i128::from(value as i32),
        (32, false) => i128::from(value as u32),
        (64, true) => i128::from(value as i64),
        (64, false) => i128::from(value as u64),
        _ => value & 1,
    }
}

impl<'a> Interpreter<'a> {
    /// How many bits types have; `None` if numbers are mathematical.
    fn widths(&self) -> Option<Widths> {
        self.settings.widths.filter(|_| !self.is_claim)
    }

    /// A number converted to a type.
    pub(super) fn fit(&self, ty: Type, value: i128) -> i128 {
        match self.widths() {
            _ if ty.size == Size::Bool => i128::from(value != 0),
            None => value,
            Some(widths) => self.wrap(Number::new(widths, ty), value),
        }
    }

    /// A number cut to the bits of a type.
    pub(super) fn wrap(&self, ty: Number, value: i128) -> i128 {
        match self.widths() {
            None => value,
            Some(_) => cut(ty.bits, ty.is_signed, value),
        }
    }

    /// Whether a variable of a type can begin with a value.
    pub(super) fn has(&self, ty: Type, value: i128) -> bool {
        let is_below = ty.is_unsigned && value < 0;
        self.fit(ty, value) == value && !is_below
    }

    /// Assigns to a variable. What `hoist` names is not declared, and has the type that is given.
    pub(super) fn set(
        &self,
        state: &mut State<'a>,
        name: &str,
        value: i128,
        ty: Type,
    ) -> Result<()> {
        if name.starts_with(' ') {
            state.set_new(name, Some(value), ty);
            return Ok(());
        }
        match state.values.get_mut(name).or_else(|| state.globals.get_mut(name)) {
            Some(slot) => {
                slot.value = Some(self.fit(slot.ty, value));
                Ok(())
            }
            None => untreated(&format!("`{name}` is not declared")),
        }
    }

    /// The type of an expression.
    pub(super) fn number_of(&self, state: &State<'a>, expr: &Expr) -> Result<Number> {
        let Some(widths) = self.widths() else {
            return Ok(Number { bits: 64, is_signed: true, rank: 5 });
        };
        let plain = |ty: Type| Number::new(widths, ty);
        let named = |name: &str| match state.slot(name) {
            Some(Slot { ty, .. }) => Ok(plain(ty)),
            None => untreated(&format!("`{name}` is not declared")),
        };
        let written = |number: i128| {
            let suffix = Suffix { is_unsigned: false, longs: 0, is_decimal: true };
            literal(widths, number, suffix)
        };
        Ok(match &expr.kind {
            Kind::Number(number) => written(*number),
            Kind::Literal(number, suffix) => literal(widths, *number, *suffix),
            Kind::Name(name) | Kind::Assign(name, ..) | Kind::Increment(name, ..) => named(name)?,
            Kind::Index(array, ..) | Kind::Store(array, ..) => named(&element(array, 0))?,
            Kind::Any(Some(low), Some(high), Type { size: Size::Int, is_unsigned: false }) => {
                written(*low).joined(written(*high), self)
            }
            Kind::Any(_, _, ty) | Kind::Cast(ty, _) => plain(*ty),
            Kind::Negate(of) | Kind::Complement(of) => self.number_of(state, of)?.promoted(self),
            Kind::Binary(Arithmetic::ShiftLeft | Arithmetic::ShiftRight, left, _) => {
                self.number_of(state, left)?.promoted(self)
            }
            Kind::Binary(_, left, right) | Kind::Choose(_, left, right) => {
                self.number_of(state, left)?.joined(self.number_of(state, right)?, self)
            }
            Kind::Not(_) | Kind::Compare(..) | Kind::And(..) | Kind::Or(..) => plain(Type::INT),
            Kind::Call(name, _) => plain(self.unit.returns(name)),
            Kind::Comma(_, second) => self.number_of(state, second)?,
        })
    }

    /// What an operator gives: `Err` for an error of the program, `None` for numbers that are too
    /// large to be followed.
    pub(super) fn calculate(
        &self,
        operator: Arithmetic,
        ty: Number,
        a: i128,
        b: i128,
    ) -> std::result::Result<Option<i128>, ()> {
        let a = self.wrap(ty, a);
        let b = if operator.is_shift() { b } else { self.wrap(ty, b) };
        let by = || match self.widths() {
            Some(_) => u32::try_from(b).ok().filter(|by| *by < ty.bits).ok_or(()),
            None => u32::try_from(b).ok().filter(|by| *by < 64).ok_or(()),
        };
        let value = match operator {
            Arithmetic::Add => a.checked_add(b),
            Arithmetic::Subtract => a.checked_sub(b),
            // What wraps is the same modulo 2^128 before.
            Arithmetic::Multiply if self.widths().is_some() => Some(a.wrapping_mul(b)),
            Arithmetic::Multiply => a.checked_mul(b),
            Arithmetic::Divide | Arithmetic::Remainder if b == 0 => return Err(()),
            Arithmetic::Divide => a.checked_div(b),
            Arithmetic::Remainder => a.checked_rem(b),
            Arithmetic::BitAnd => Some(a & b),
            Arithmetic::BitOr => Some(a | b),
            Arithmetic::BitXor => Some(a ^ b),
            Arithmetic::ShiftLeft if self.widths().is_some() => Some(a.wrapping_shl(by()?)),
            Arithmetic::ShiftLeft => a.checked_mul(1_i128 << by()?),
            Arithmetic::ShiftRight => Some(a >> by()?),
        };
        Ok(value.map(|value| self.wrap(ty, value)))
    }

    /// The numbers that a variable may begin with, if it is set to any of some and that changes
    /// none of them.
    pub(super) fn choice(&self, declared: &Declared) -> Option<(Option<i128>, Option<i128>)> {
        let Some(Expr { kind: Kind::Any(low, high, ty), .. }) = &declared.value else {
            return None;
        };
        let (own_low, own_high) = self.bounds(*ty);
        let range = (low.or(own_low), high.or(own_high));
        let (least, most) = self.bounds(declared.ty);
        let holds_low = least.is_none_or(|least| range.0.is_some_and(|low| least <= low));
        let holds_high = most.is_none_or(|most| range.1.is_some_and(|high| high <= most));
        (holds_low && holds_high).then_some(range)
    }

    /// The least and the greatest number of a type, as far as there are any.
    fn bounds(&self, ty: Type) -> (Option<i128>, Option<i128>) {
        let least = |ty: Number| if ty.is_signed { -(1 << (ty.bits - 1)) } else { 0 };
        let most = |ty: Number| (1 << (ty.bits - u32::from(ty.is_signed))) - 1;
        match self.widths().map(|widths| Number::new(widths, ty)) {
            Some(ty) => (Some(least(ty)), Some(most(ty))),
            None => ty.unbounded(),
        }
    }

    /// Some of the numbers that a choice has.
    pub(super) fn any(&self, low: Option<i128>, high: Option<i128>, ty: Type) -> Outcomes {
        self.any_within(low, high, ty, (None, None))
    }

    /// The same, of those in a range only.
    pub(super) fn any_within(
        &self,
        low: Option<i128>,
        high: Option<i128>,
        ty: Type,
        range: Range,
    ) -> Outcomes {
        let (own_low, own_high) = self.bounds(ty);
        let is_bounded = low.is_some() || range.0.is_some();
        let (low, high) = both((low.or(own_low), high.or(own_high)), range);
        if let (Some(low), Some(high)) = (low, high)
            && high.saturating_sub(low) < self.whole
        {
            return Outcomes { list: (low..=high).map(Some).collect(), more: false };
        }
        let from = if is_bounded { low.unwrap_or(-REACH) } else { -REACH };
        let to = from.saturating_add(8);
        let near = (from..=to).filter(|it| is_bounded || *it <= REACH);
        let far = low.into_iter().chain(high).filter(|it| !(from..=to).contains(it));
        let fits = |value: &i128| {
            low.is_none_or(|low| low <= *value) && high.is_none_or(|high| *value <= high)
        };
        let mut list: Vec<i128> = near.chain(far).filter(fits).collect();
        let hints = self.hints.iter().copied().filter(|hint| fits(hint) && !list.contains(hint));
        let hints: Vec<i128> = hints.collect();
        list.extend(hints);
        Outcomes { list: list.into_iter().map(Some).collect(), more: true }
    }
}

/// The type of a number as it is written.
fn literal(widths: Widths, number: i128, suffix: Suffix) -> Number {
    let signed = [Size::Int, Size::Long, Size::LongLong];
    let mut offered = Vec::new();
    for size in signed.into_iter().skip(suffix.longs.into()) {
        if !suffix.is_unsigned {
            offered.push(Type { size, is_unsigned: false });
        }
        if suffix.is_unsigned || !suffix.is_decimal {
            offered.push(Type { size, is_unsigned: true });
        }
    }
    let mut types = offered.iter().map(|ty| Number::new(widths, *ty));
    let fitting = types.clone().find(|ty| cut(ty.bits, ty.is_signed, number) == number);
    fitting.or_else(|| types.next_back()).unwrap_or(Number::new(widths, Type::INT))
}

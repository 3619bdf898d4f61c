//! Expressions: integers and truth values, with what they mean.
//!
//! An expression is kept as its terms in the order of evaluation, operands before operators. To be
//! evaluated it is made into [`Code`], in which `and` and `or` jump over what need not be known.
//! Everything is a loop with a stack of its own: nesting costs no native stack.
//!
//! Division cuts off towards zero, and `mod` has the sign of the dividend, as in the other formats.
//! What has no value (a division by zero, a number beyond 64 bits) is a [`Fault`].

use super::program::VarId;
use tern_model::Span;

/// What kind of values there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Number,
    Truth,
}

/// The values that a variable may have. Truth values are 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) kind: Type,
    pub(super) low: i64,
    pub(super) high: i64,
}

impl Range {
    pub(super) const TRUTH: Range = Range { kind: Type::Truth, low: 0, high: 1 };

    pub(super) fn contains(self, value: i64) -> bool {
        self.low <= value && value <= self.high
    }

    /// How many values there are, less one.
    pub(super) fn span(self) -> u64 {
        self.high.wrapping_sub(self.low) as u64
    }

    /// A value of it, in words.
    pub(super) fn show(self, value: i64) -> String {
        match (self.kind, value) {
            (Type::Truth, 0) => "false".to_owned(),
            (Type::Truth, _) => "true".to_owned(),
            (Type::Number, value) => value.to_string(),
        }
    }
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Minus,
    Not,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Plus,
    Minus,
    Times,
    Over,
    Mod,
}

impl Binary {
    /// How tightly it binds: more is tighter.
    pub(super) fn strength(self) -> u8 {
        match self {
            Binary::Or => 1,
            Binary::And => 2,
            Binary::Equal
            | Binary::Unequal
            | Binary::Less
            | Binary::AtMost
            | Binary::Greater
            | Binary::AtLeast => 4,
            Binary::Plus | Binary::Minus => 5,
            Binary::Times | Binary::Over | Binary::Mod => 6,
        }
    }

    pub(super) fn sign(self) -> &'static str {
        match self {
            Binary::Or => "or",
            Binary::And => "and",
            Binary::Equal => "=",
            Binary::Unequal => "!=",
            Binary::Less => "<",
            Binary::AtMost => "<=",
            Binary::Greater => ">",
            Binary::AtLeast => ">=",
            Binary::Plus => "+",
            Binary::Minus => "-",
            Binary::Times => "*",
            Binary::Over => "/",
            Binary::Mod => "mod",
        }
    }

    /// What its operands must be, and what it gives; `None` for operands that need only be alike.
    pub(super) fn types(self) -> (Option<Type>, Type) {
        match self {
            Binary::Or | Binary::And => (Some(Type::Truth), Type::Truth),
            Binary::Equal | Binary::Unequal => (None, Type::Truth),
            Binary::Less | Binary::AtMost | Binary::Greater | Binary::AtLeast => {
                (Some(Type::Number), Type::Truth)
            }
            Binary::Plus | Binary::Minus | Binary::Times | Binary::Over | Binary::Mod => {
                (Some(Type::Number), Type::Number)
            }
        }
    }

    /// What it gives.
    fn apply(self, a: i64, b: i64) -> Result<i64, Fault> {
        let truth = |is: bool| Ok(i64::from(is));
        let number = |value: Option<i64>| value.ok_or(Fault::TooLarge);
        match self {
            Binary::Or => truth(a != 0 || b != 0),
            Binary::And => truth(a != 0 && b != 0),
            Binary::Equal => truth(a == b),
            Binary::Unequal => truth(a != b),
            Binary::Less => truth(a < b),
            Binary::AtMost => truth(a <= b),
            Binary::Greater => truth(a > b),
            Binary::AtLeast => truth(a >= b),
            Binary::Plus => number(a.checked_add(b)),
            Binary::Minus => number(a.checked_sub(b)),
            Binary::Times => number(a.checked_mul(b)),
            Binary::Over | Binary::Mod if b == 0 => Err(Fault::DivisionByZero),
            Binary::Over => number(a.checked_div(b)),
            Binary::Mod => Ok(a.checked_rem(b).unwrap_or(0)),
        }
    }
}

impl Unary {
    fn apply(self, a: i64) -> Result<i64, Fault> {
        match self {
            Unary::Minus => a.checked_neg().ok_or(Fault::TooLarge),
            Unary::Not => Ok(i64::from(a == 0)),
        }
    }
}

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    DivisionByZero,
    TooLarge,
}

/// One step of the evaluation of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Term {
    Value(i64, Type),
    Variable(VarId),
    Unary(Unary),
    Binary(Binary),
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) terms: Vec<Term>,
    pub(super) kind: Type,
    pub(super) span: Span,
}

impl Expr {
    /// Where the operands of each operator begin: for each term, the first term of the expression
    /// that it ends.
    pub(super) fn begins(&self) -> Vec<usize> {
        let mut begins = Vec::with_capacity(self.terms.len());
        let mut stack = Vec::new();
        for (i, term) in self.terms.iter().enumerate() {
            let begin = match term {
                Term::Value(..) | Term::Variable(_) => i,
                Term::Unary(_) => stack.pop().unwrap_or(i),
                Term::Binary(_) => {
                    stack.pop();
                    stack.pop().unwrap_or(i)
                }
            };
            stack.push(begin);
            begins.push(begin);
        }
        begins
    }

    /// It as a text, with as few parentheses as needed.
    pub(super) fn show(&self, name: impl Fn(VarId) -> String) -> String {
        // Pieces with how tightly they hold together.
        let mut stack: Vec<(String, u8)> = Vec::new();
        let wrapped = |(text, strength): (String, u8), least: u8| {
            if strength < least { format!("({text})") } else { text }
        };
        for term in &self.terms {
            let piece = match *term {
                Term::Value(value, kind) => {
                    let strength = if value < 0 { 7 } else { 8 };
                    (Range { kind, low: 0, high: 1 }.show(value), strength)
                }
                Term::Variable(variable) => (name(variable), 8),
                Term::Unary(operator) => {
                    let operand = stack.pop().unwrap_or_default();
                    match operator {
                        Unary::Not => (format!("not {}", wrapped(operand, 3)), 3),
                        Unary::Minus => (format!("-{}", wrapped(operand, 8)), 7),
                    }
                }
                Term::Binary(operator) => {
                    let strength = operator.strength();
                    let right = wrapped(stack.pop().unwrap_or_default(), strength + 1);
                    let left = stack.pop().unwrap_or_default();
                    let least = if strength == 4 { 5 } else { strength };
                    let mut text = wrapped(left, least);
                    text += &format!(" {} {right}", operator.sign());
                    (text, strength)
                }
            };
            stack.push(piece);
        }
        stack.pop().map_or(String::new(), |(text, _)| text)
    }

    /// The code for it, with the slots that variables have.
    pub(super) fn code(&self, slot: impl Fn(VarId) -> u32) -> Code {
        let begins = self.begins();
        // Before which terms there is a jump over the second operand of `and` or `or`. A jump over
        // a single step would spare nothing.
        let mut jumps: Vec<Option<usize>> = vec![None; self.terms.len()];
        let second = |at: usize, term: &Term| match term {
            Term::Binary(Binary::And | Binary::Or) if begins[at - 1] < at - 1 => {
                Some(begins[at - 1])
            }
            _ => None,
        };
        for (at, term) in self.terms.iter().enumerate() {
            if let Some(begin) = second(at, term) {
                jumps[begin] = Some(0);
            }
        }
        let mut ops: Vec<Op> = Vec::with_capacity(self.terms.len());
        for (at, term) in self.terms.iter().enumerate() {
            if let Some(place) = &mut jumps[at] {
                *place = ops.len();
                ops.push(Op::Unless { over: 0, value: false });
            }
            match *term {
                Term::Value(value, _) => ops.push(Op::Value(value)),
                Term::Variable(variable) => ops.push(Op::Slot(slot(variable))),
                Term::Unary(operator) => ops.push(Op::Unary(operator)),
                Term::Binary(operator) => match second(at, term).and_then(|it| jumps[it]) {
                    Some(place) => {
                        let over = u32::try_from(ops.len() - place - 1).unwrap_or(u32::MAX);
                        ops[place] = Op::Unless { over, value: operator == Binary::Or };
                    }
                    None => ops.push(Op::Binary(operator)),
                },
            }
        }
        Code(ops)
    }
}

/// A step of a small stack machine.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Value(i64),
    Slot(u32),
    Unary(Unary),
    Binary(Binary),
    /// Keeps the truth value on top and jumps over so many steps if it is `value`; else drops it.
    Unless {
        over: u32,
        value: bool,
    },
}

/// An expression, ready to be evaluated.
#[derive(Clone, Debug)]
pub(super) struct Code(pub(super) Vec<Op>);

impl Code {
    /// Its value where the slots have these values. The stack is only lent.
    pub(super) fn eval(&self, values: &[i64], stack: &mut Vec<i64>) -> Result<i64, Fault> {
        stack.clear();
        let mut at = 0;
        while let Some(&op) = self.0.get(at) {
            at += 1;
            match op {
                Op::Value(value) => stack.push(value),
                Op::Slot(slot) => stack.push(values[slot as usize]),
                Op::Unary(operator) => {
                    let operand = stack.pop().unwrap_or(0);
                    stack.push(operator.apply(operand)?);
                }
                Op::Binary(operator) => {
                    let right = stack.pop().unwrap_or(0);
                    let left = stack.pop().unwrap_or(0);
                    stack.push(operator.apply(left, right)?);
                }
                Op::Unless { over, value } => {
                    if stack.last().is_some_and(|&top| (top != 0) == value) {
                        at += over as usize;
                    } else {
                        stack.pop();
                    }
                }
            }
        }
        Ok(stack.pop().unwrap_or(0))
    }
}

/// The least and the greatest value that an operator may give for operands of two intervals.
pub(super) fn bounds(operator: Binary, a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    let wide = |value: i64| i128::from(value);
    let narrow = |value: i128| value.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    let corners = |apply: fn(i128, i128) -> i128| {
        let all = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
        let values = all.map(|(x, y)| narrow(apply(wide(x), wide(y))));
        (values.into_iter().min().unwrap_or(0), values.into_iter().max().unwrap_or(0))
    };
    match operator {
        Binary::Plus => corners(|x, y| x + y),
        Binary::Minus => corners(|x, y| x - y),
        Binary::Times => corners(|x, y| x * y),
        // A quotient is no farther from zero than the dividend, and so is a remainder.
        Binary::Over | Binary::Mod => {
            let most = wide(a.0).abs().max(wide(a.1).abs());
            let least = if a.0 >= 0 && (b.0 >= 0 || operator == Binary::Mod) { 0 } else { -most };
            (narrow(least), narrow(most))
        }
        _ => (0, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::Id;

    fn expr(terms: &[Term]) -> Expr {
        Expr { terms: terms.to_vec(), kind: Type::Number, span: Span::new(0..0) }
    }

    #[test]
    fn arithmetic_is_that_of_other_languages() {
        let value = |operator, a, b| {
            let number = |value| Term::Value(value, Type::Number);
            let code = expr(&[number(a), number(b), Term::Binary(operator)]).code(|_| 0);
            code.eval(&[], &mut Vec::new())
        };
        assert_eq!(value(Binary::Over, -7, 2), Ok(-3));
        assert_eq!(value(Binary::Mod, -7, 2), Ok(-1));
        assert_eq!(value(Binary::Mod, 7, -2), Ok(1));
        assert_eq!(value(Binary::Mod, i64::MIN, -1), Ok(0));
        assert_eq!(value(Binary::Over, i64::MIN, -1), Err(Fault::TooLarge));
        assert_eq!(value(Binary::Over, 1, 0), Err(Fault::DivisionByZero));
        assert_eq!(value(Binary::Plus, i64::MAX, 1), Err(Fault::TooLarge));
    }

    #[test]
    fn what_need_not_be_known_is_not_evaluated() {
        let (zero, truth) = (Term::Value(0, Type::Number), Term::Value(1, Type::Truth));
        let bad = [zero, zero, Term::Binary(Binary::Over), zero, Term::Binary(Binary::Equal)];
        let mut terms = vec![truth];
        terms.extend(bad);
        terms.push(Term::Binary(Binary::Or));
        assert_eq!(expr(&terms).code(|_| 0).eval(&[], &mut Vec::new()), Ok(1));
        *terms.last_mut().expect("there are terms") = Term::Binary(Binary::And);
        let fault = expr(&terms).code(|_| 0).eval(&[], &mut Vec::new());
        assert_eq!(fault, Err(Fault::DivisionByZero));
    }

    #[test]
    fn parentheses_stand_where_they_matter() {
        let x = Term::Variable(VarId::new(0));
        let [plus, minus, times] = [Binary::Plus, Binary::Minus, Binary::Times].map(Term::Binary);
        let shown = |terms: &[Term]| expr(terms).show(|_| "x".to_owned());
        assert_eq!(shown(&[x, x, plus, x, times]), "(x + x) * x");
        assert_eq!(shown(&[x, x, x, minus, minus]), "x - (x - x)");
        assert_eq!(shown(&[x, x, minus, x, minus]), "x - x - x");
        assert_eq!(shown(&[x, Term::Unary(Unary::Minus), x, times]), "-x * x");
    }
}

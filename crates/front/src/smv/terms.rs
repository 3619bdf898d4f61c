//! Expressions whose names are resolved, as a shared graph: equal terms are one, operands come
//! before what they belong to, and what is constant is computed when it is made.
//!
//! A `case` is a chain of `If`. If its conditions only ask for the value of one variable, it is a
//! [`Term::Table`], which is looked up in one step however long it is.

use super::syntax::NameId;
use std::collections::BTreeSet;
use tern_model::index::{Id, Numbering, Table};
use tern_model::{Span, indices};

indices! {
    /// A term.
    pub(super) TermId = "t";
    /// A variable of the flat program.
    pub(super) VarId = "v";
    /// A constant set of values.
    pub(super) SetId = "s";
    /// A table of terms, one for each value of a variable.
    pub(super) TableId = "k";
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Value {
    Bool(bool),
    Int(i64),
    Symbol(NameId),
    /// What a variable of a module that is called has at the end.
    Exit,
}

/// The values that a type has: what NuSMV calls boolean, integer, symbolic and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Base {
    Bool,
    Int,
    Symbol,
    /// Numbers and symbols.
    Mixed,
    /// `EXIT`, which every variable may be.
    Any,
}

impl Base {
    /// The least base that has the values of both.
    pub(super) fn join(self, other: Base) -> Option<Base> {
        use Base::*;
        match (self, other) {
            (Any, it) | (it, Any) => Some(it),
            (Bool, Bool) => Some(Bool),
            (Bool, _) | (_, Bool) => None,
            (a, b) if a == b => Some(a),
            _ => Some(Mixed),
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Base::Bool => "a truth value",
            Base::Int => "a number",
            Base::Symbol => "a symbol",
            Base::Mixed => "a number or symbol",
            Base::Any => "`EXIT`",
        }
    }
}

/// The type of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Sort {
    pub(super) base: Base,
    pub(super) is_set: bool,
}

impl Sort {
    pub(super) fn words(self) -> String {
        match self.is_set {
            true => "a set of values".to_owned(),
            false => self.base.words().to_owned(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    And,
    Or,
    Xor,
    Iff,
    Implies,
    Equal,
    Less,
    AtMost,
    Plus,
    Minus,
    Times,
    Divide,
    Mod,
    /// Of sets or values: the first is part of the second.
    In,
    Union,
}

/// What goes wrong when a term is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Fault {
    NotExhaustive,
    DivisionByZero,
    OutOfBounds,
    TooLarge,
    /// Arithmetic with `EXIT`.
    Exit,
}

impl Fault {
    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            Fault::NotExhaustive => (
                "the conditions of this `case` do not cover everything",
                "add a last line `TRUE : …;`",
            ),
            Fault::DivisionByZero => {
                ("this divides by zero", "make the divisor a number that is never 0")
            }
            Fault::OutOfBounds => ("this index is out of the bounds of its array", "guard it"),
            Fault::TooLarge => ("this number becomes too large", "numbers have 32 bits"),
            Fault::Exit => (
                "this computes with a variable that is `EXIT`",
                "ask for `x = EXIT` first, in an earlier line of the `case`",
            ),
        }
    }
}

/// The outermost operator of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Term {
    Const(Value),
    /// The value of a variable in this state.
    Now(VarId),
    /// Its value in the next.
    Next(VarId),
    Not(TermId),
    Negate(TermId),
    ToInt(TermId),
    ToBool(TermId),
    Binary(Op, TermId, TermId),
    If(TermId, TermId, TermId),
    /// The values of a set.
    Set(SetId),
    /// Whether a value is in a set.
    Member(TermId, SetId),
    /// By the position of the value of a variable in its domain. The term is that of the variable.
    Table(TermId, TableId),
    /// Fails when it is evaluated.
    Fault(Fault, Span),
}

/// What is known of a term.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub(super) sort: Sort,
    pub(super) span: Span,
    /// Whether it speaks of the next state.
    pub(super) has_next: bool,
    /// Whether it speaks of an input, so that it has no value in a state.
    pub(super) has_input: bool,
    /// Whether it may have no value at all, other than by numbers that are too large.
    pub(super) may_fail: bool,
}

impl Facts {
    pub(super) fn constant(sort: Sort, span: Span) -> Self {
        Facts { sort, span, has_next: false, has_input: false, may_fail: false }
    }
}

/// The values that a variable may have.
#[derive(Clone, Debug)]
pub(super) enum Domain {
    Boolean,
    Range(i64, i64),
    /// In the order in which they were declared; and sorted, with their positions. What they are.
    Values(Box<[Value]>, Box<[(Value, u32)]>, Base),
}

impl Domain {
    /// Different values, in an order.
    pub(super) fn of_values(values: Vec<Value>) -> Self {
        let mut sorted: Vec<(Value, u32)> = values.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        let numbers = values.iter().filter(|it| matches!(it, Value::Int(_))).count();
        let base = match numbers {
            0 if matches!(values.first(), Some(Value::Bool(_))) => Base::Bool,
            0 => Base::Symbol,
            _ if numbers == values.len() => Base::Int,
            _ => Base::Mixed,
        };
        Domain::Values(values.into(), sorted.into(), base)
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Domain::Boolean => 2,
            Domain::Range(low, high) => usize::try_from(high - low + 1).unwrap_or(0),
            Domain::Values(values, ..) => values.len(),
        }
    }

    pub(super) fn value(&self, position: usize) -> Value {
        match self {
            Domain::Boolean => Value::Bool(position == 1),
            // Positions are less than the length, which fits.
            Domain::Range(low, _) => Value::Int(low + position as i64),
            Domain::Values(values, ..) => values[position],
        }
    }

    pub(super) fn position(&self, value: Value) -> Option<usize> {
        match (self, value) {
            (Domain::Boolean, Value::Bool(truth)) => Some(usize::from(truth)),
            (Domain::Range(low, high), Value::Int(number)) if (low..=high).contains(&&number) => {
                usize::try_from(number - low).ok()
            }
            (Domain::Values(_, sorted, _), value) => {
                let row = sorted.binary_search_by_key(&value, |&(it, _)| it).ok()?;
                Some(sorted[row].1 as usize)
            }
            _ => None,
        }
    }

    pub(super) fn base(&self) -> Base {
        match self {
            Domain::Boolean => Base::Bool,
            Domain::Range(..) => Base::Int,
            Domain::Values(.., base) => *base,
        }
    }
}

/// All terms of a program.
#[derive(Debug, Default)]
pub(super) struct Terms {
    rows: Numbering<TermId, Term>,
    facts: Table<TermId, Facts>,
    pub(super) sets: Numbering<SetId, Vec<Value>>,
    pub(super) tables: Numbering<TableId, Vec<TermId>>,
}

impl Terms {
    pub(super) fn get(&self, id: TermId) -> Term {
        self.rows.rows()[id]
    }

    pub(super) fn facts(&self, id: TermId) -> Facts {
        self.facts[id]
    }

    pub(super) fn len(&self) -> usize {
        self.facts.len()
    }

    /// The values of a set, sorted.
    pub(super) fn set(&self, id: SetId) -> &[Value] {
        &self.sets.rows()[id]
    }

    pub(super) fn table(&self, id: TableId) -> &[TermId] {
        &self.tables.rows()[id]
    }

    pub(super) fn constant(&self, id: TermId) -> Option<Value> {
        match self.get(id) {
            Term::Const(value) => Some(value),
            _ => None,
        }
    }

    /// A variable; of inputs it is known that they have no value in a state.
    pub(super) fn variable(
        &mut self,
        term: Term,
        base: Base,
        is_input: bool,
        span: Span,
    ) -> TermId {
        let has_next = matches!(term, Term::Next(_));
        let sort = Sort { base, is_set: false };
        self.add(term, Facts { sort, span, has_next, has_input: is_input, may_fail: false })
    }

    pub(super) fn value(&mut self, value: Value, span: Span) -> TermId {
        let base = match value {
            Value::Bool(_) => Base::Bool,
            Value::Int(_) => Base::Int,
            Value::Symbol(_) => Base::Symbol,
            Value::Exit => Base::Any,
        };
        let sort = Sort { base, is_set: false };
        self.add(Term::Const(value), Facts::constant(sort, span))
    }

    pub(super) fn truth(&mut self, truth: bool, span: Span) -> TermId {
        self.value(Value::Bool(truth), span)
    }

    /// What fails when it is evaluated, with the type that is wanted there.
    pub(super) fn fault(&mut self, fault: Fault, sort: Sort, span: Span) -> TermId {
        let facts = Facts { may_fail: true, ..Facts::constant(sort, span) };
        self.add(Term::Fault(fault, span), facts)
    }

    /// A constant set.
    pub(super) fn values(&mut self, values: &BTreeSet<Value>, base: Base, span: Span) -> TermId {
        let set = self.sets.id(values.iter().copied().collect());
        let sort = Sort { base, is_set: true };
        self.add(Term::Set(set), Facts::constant(sort, span))
    }

    pub(super) fn add(&mut self, term: Term, facts: Facts) -> TermId {
        let id = self.rows.id(term);
        if id.index() == self.facts.len() {
            self.facts.push(facts);
        }
        id
    }
}

/// Applies an operator to values.
///
/// # Errors
/// If it has no value.
pub(super) fn apply(op: Op, left: Value, right: Value) -> Result<Value, Fault> {
    use Value::{Bool, Exit, Int};
    // Where a truth value is needed, `EXIT` is none of them: it is not true.
    let truth = |value| value == Bool(true);
    let number = |value: i64| match i32::try_from(value) {
        Ok(_) => Ok(Int(value)),
        Err(_) => Err(Fault::TooLarge),
    };
    Ok(match op {
        Op::And => Bool(truth(left) && truth(right)),
        Op::Or => Bool(truth(left) || truth(right)),
        Op::Xor => Bool(truth(left) != truth(right)),
        Op::Iff => Bool(truth(left) == truth(right)),
        Op::Implies => Bool(!truth(left) || truth(right)),
        Op::Equal | Op::In | Op::Union => Bool(left == right),
        _ => {
            let (Int(a), Int(b)) = (left, right) else {
                return match op {
                    Op::Less | Op::AtMost if left == Exit || right == Exit => Ok(Bool(false)),
                    _ => Err(Fault::Exit),
                };
            };
            match op {
                Op::Less => Bool(a < b),
                Op::AtMost => Bool(a <= b),
                Op::Plus => number(a + b)?,
                Op::Minus => number(a - b)?,
                Op::Times => number(a.checked_mul(b).ok_or(Fault::TooLarge)?)?,
                // Towards zero, and the rest has the sign of the dividend: as in C, and as NuSMV
                // does since 2.4.
                Op::Divide => number(a.checked_div(b).ok_or(Fault::DivisionByZero)?)?,
                _ => Int(a.checked_rem(b).ok_or(Fault::DivisionByZero)?),
            }
        }
    })
}

//! Finds all values after a step that a relation allows, given the values before it.
//!
//! The relation is taken apart into conditions that must all hold. Those that say what a value is
//! (`x' = e` with `e` known, `x'`, `!x'`) are used to set it, those that are known are dropped, and
//! of a disjunction whose other parts are false the last part is a condition. When nothing is left
//! to conclude, one value that a condition depends on is tried, one by one. Values that no
//! condition speaks of are free.

use super::expression::{Expr, ExprId, Expressions, Operator, Slots, When};
use crate::problem::Refusal;
use std::rc::Rc;
use tern_model::budget::Meter;

/// What an expression is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Known(i64),
    /// It depends on this value after the step, which is not set.
    Open(usize),
    /// It has none: an element that is not there, or a number that is too large.
    Undefined,
}

impl Value {
    /// Whether it is true, if that is known.
    fn truth(self) -> Result<bool, usize> {
        match self {
            Value::Known(number) => Ok(number != 0),
            Value::Undefined => Ok(false),
            Value::Open(slot) => Err(slot),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Known(i64::from(value))
    }
}

/// The values before and after a step, as far as they are set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values<'a> {
    pub(super) now: &'a [u16],
    pub(super) next: &'a [Option<u16>],
}

/// How many values a quantifier may go over.
const WIDEST: i64 = 1 << 16;

impl Values<'_> {
    /// What an expression is worth; `bound` are the values of the variables that are bound.
    pub(super) fn of(&self, all: &Expressions, id: ExprId, bound: &mut Vec<i64>) -> Value {
        match &all[id] {
            Expr::Number(number) => Value::Known(*number),
            Expr::Bound(depth) => Value::Known(bound[*depth]),
            Expr::Value(slots, index) => match self.slot(all, *slots, *index, bound) {
                Err(value) => value,
                Ok(slot) => match slots.when {
                    When::Now => Value::Known(self.now[slot].into()),
                    _ => self.next[slot].map_or(Value::Open(slot), |it| Value::Known(it.into())),
                },
            },
            Expr::Not(inner) => match self.of(all, *inner, bound).truth() {
                Ok(truth) => (!truth).into(),
                Err(slot) => Value::Open(slot),
            },
            Expr::And(list) => self.many(list.iter().map(|&it| (it, None)), all, true, bound),
            Expr::Or(list) => self.many(list.iter().map(|&it| (it, None)), all, false, bound),
            Expr::Binary(operator, one, other) => {
                let (one, other) = (self.of(all, *one, bound), self.of(all, *other, bound));
                combine(*operator, one, other)
            }
            Expr::Quantified { all: for_all, from, to, body } => {
                match (self.of(all, *from, bound), self.of(all, *to, bound)) {
                    (Value::Known(from), Value::Known(to)) if to.saturating_sub(from) < WIDEST => {
                        let values = (from..=to).map(|value| (*body, Some(value)));
                        self.many(values, all, *for_all, bound)
                    }
                    (Value::Open(slot), _) | (_, Value::Open(slot)) => Value::Open(slot),
                    _ => Value::Undefined,
                }
            }
        }
    }

    /// A conjunction, or a disjunction.
    fn many(
        &self,
        list: impl Iterator<Item = (ExprId, Option<i64>)>,
        all: &Expressions,
        conjunction: bool,
        bound: &mut Vec<i64>,
    ) -> Value {
        let mut open = None;
        for (id, value) in list {
            bound.extend(value);
            let found = self.of(all, id, bound).truth();
            if value.is_some() {
                bound.pop();
            }
            match found {
                Ok(truth) if truth != conjunction => return truth.into(),
                Ok(_) => {}
                Err(slot) => open = open.or(Some(slot)),
            }
        }
        open.map_or(conjunction.into(), Value::Open)
    }

    /// Where a variable or an element is.
    fn slot(
        &self,
        all: &Expressions,
        slots: Slots,
        index: Option<ExprId>,
        bound: &mut Vec<i64>,
    ) -> Result<usize, Value> {
        let Some(index) = index else { return Ok(slots.first) };
        match self.of(all, index, bound) {
            Value::Known(index) if (slots.from..=slots.to).contains(&index) => {
                Ok(slots.first + (index - slots.from) as usize)
            }
            Value::Known(_) | Value::Undefined => Err(Value::Undefined),
            open @ Value::Open(_) => Err(open),
        }
    }
}

fn combine(operator: Operator, one: Value, other: Value) -> Value {
    use Operator::*;
    let logical = matches!(operator, Iff | Implies | Xor);
    if logical {
        return match (one.truth(), other.truth()) {
            (Ok(false), _) | (_, Ok(true)) if operator == Implies => true.into(),
            (Ok(one), Ok(other)) => match operator {
                Iff => (one == other).into(),
                Xor => (one != other).into(),
                _ => (!one || other).into(),
            },
            (Err(slot), _) | (_, Err(slot)) => Value::Open(slot),
        };
    }
    let compares = matches!(operator, Equal | Unequal | Less | LessEqual);
    let (one, other) = match (one, other) {
        (Value::Undefined, _) | (_, Value::Undefined) if compares => return false.into(),
        (Value::Undefined, _) | (_, Value::Undefined) => return Value::Undefined,
        (Value::Open(slot), _) | (_, Value::Open(slot)) => return Value::Open(slot),
        (Value::Known(one), Value::Known(other)) => (one, other),
    };
    let shift = u32::try_from(other).ok().filter(|&it| it < 32);
    let number = match operator {
        Equal => return (one == other).into(),
        Unequal => return (one != other).into(),
        Less => return (one < other).into(),
        LessEqual => return (one <= other).into(),
        Plus => one.checked_add(other),
        Minus => one.checked_sub(other),
        Times => one.checked_mul(other),
        Divide => one.checked_div(other),
        Modulo => one.checked_rem(other),
        ShiftLeft => shift.and_then(|it| one.checked_mul(1 << it)),
        ShiftRight => shift.map(|it| one >> it),
        Iff | Implies | Xor => None,
    };
    number.map_or(Value::Undefined, Value::Known)
}

/// A condition that must hold, with the values of what is bound in it.
type Condition = (ExprId, Rc<[i64]>);

/// What follows from a condition.
enum Conclusion {
    /// Nothing: it holds.
    Holds,
    Fails,
    Set(usize, i64),
    /// That all of these hold.
    Conditions(Vec<Condition>),
    /// It depends on this.
    Open(usize),
}

/// A relation between values before and after a step.
pub(super) struct Relation<'a> {
    pub(super) all: &'a Expressions,
    pub(super) condition: Option<ExprId>,
    /// The largest value of each slot after the step.
    pub(super) most: &'a [u16],
    /// The slots whose value matters; the others are 0 in what is found.
    pub(super) matters: &'a [bool],
}

impl Relation<'_> {
    /// All values after the step. At most `limit` are looked for: `None` if there are more.
    pub(super) fn solve(
        &self,
        now: &[u16],
        limit: usize,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Vec<Vec<u16>>>, Refusal> {
        let mut found = Vec::new();
        let conditions: Vec<Condition> =
            self.condition.into_iter().map(|id| (id, Rc::from([]))).collect();
        let mut open: Vec<(Vec<Option<u16>>, Vec<Condition>)> =
            vec![(vec![None; self.most.len()], conditions)];
        while let Some((mut next, mut conditions)) = open.pop() {
            meter.tick()?;
            match self.conclude(now, &mut next, &mut conditions, meter)? {
                None => {}
                Some(Err(slot)) => {
                    for value in (0..=self.most[slot]).rev() {
                        let mut tried = next.clone();
                        tried[slot] = Some(value);
                        open.push((tried, conditions.clone()));
                    }
                }
                Some(Ok(())) if self.complete(&next, &mut found, limit, meter)? => {}
                Some(Ok(())) => return Ok(None),
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(Some(found))
    }

    /// Draws conclusions until nothing changes. Gives nothing if a condition fails, or a slot that
    /// conditions depend on if some are left.
    fn conclude(
        &self,
        now: &[u16],
        next: &mut [Option<u16>],
        conditions: &mut Vec<Condition>,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Result<(), usize>>, Refusal> {
        loop {
            let (mut changed, mut depends) = (false, None);
            let mut left = Vec::new();
            let mut todo = std::mem::take(conditions);
            todo.reverse();
            while let Some(condition) = todo.pop() {
                meter.tick()?;
                match self.conclusion(&Values { now, next }, &condition) {
                    Conclusion::Holds => {}
                    Conclusion::Fails => return Ok(None),
                    Conclusion::Conditions(more) => todo.extend(more.into_iter().rev()),
                    Conclusion::Set(slot, value) => {
                        let value = u16::try_from(value).ok().filter(|&it| it <= self.most[slot]);
                        let Some(value) = value else { return Ok(None) };
                        next[slot] = Some(value);
                        changed = true;
                    }
                    Conclusion::Open(slot) => {
                        depends = depends.or(Some(slot));
                        left.push(condition);
                    }
                }
            }
            *conditions = left;
            if !changed || conditions.is_empty() {
                return Ok(Some(depends.map_or(Ok(()), Err)));
            }
        }
    }

    /// What follows from a condition. Those that consist of others are taken apart before anything
    /// is evaluated: their parts are evaluated anyway, in order, and the first that fails ends it.
    fn conclusion(&self, values: &Values<'_>, (id, bound): &Condition) -> Conclusion {
        let all = self.all;
        let mut stack = bound.to_vec();
        // A variable after the step that is not set.
        let variable = |id: ExprId, bound: &mut Vec<i64>| match &all[id] {
            Expr::Value(slots, index) if slots.when != When::Now => {
                let slot = values.slot(all, *slots, *index, bound).ok()?;
                values.next[slot].is_none().then_some(slot)
            }
            _ => None,
        };
        match &all[*id] {
            Expr::And(list) => {
                return Conclusion::Conditions(
                    list.iter().map(|&it| (it, Rc::clone(bound))).collect(),
                );
            }
            Expr::Quantified { all: true, from, to, body } => {
                let ends = (values.of(all, *from, &mut stack), values.of(all, *to, &mut stack));
                if let (Value::Known(from), Value::Known(to)) = ends
                    && to.saturating_sub(from) < WIDEST
                {
                    let with = |value: i64| -> Rc<[i64]> {
                        stack.iter().copied().chain([value]).collect()
                    };
                    return Conclusion::Conditions(
                        (from..=to).map(|it| (*body, with(it))).collect(),
                    );
                }
            }
            Expr::Binary(Operator::Equal, one, other) => {
                for (one, other) in [(*one, *other), (*other, *one)] {
                    if let Some(slot) = variable(one, &mut stack)
                        && let Value::Known(value) = values.of(all, other, &mut stack)
                    {
                        return Conclusion::Set(slot, value);
                    }
                }
            }
            _ => {}
        }
        let slot = match values.of(all, *id, &mut stack).truth() {
            Ok(true) => return Conclusion::Holds,
            Ok(false) => return Conclusion::Fails,
            Err(slot) => slot,
        };
        match &all[*id] {
            Expr::Value(..) if self.most[slot] == 1 => match variable(*id, &mut stack) {
                Some(slot) => Conclusion::Set(slot, 1),
                None => Conclusion::Open(slot),
            },
            Expr::Not(inner) => match variable(*inner, &mut stack) {
                Some(slot) => Conclusion::Set(slot, 0),
                None => Conclusion::Open(slot),
            },
            Expr::Or(list) => {
                let mut rest =
                    list.iter().filter(|&&it| values.of(all, it, &mut stack).truth() != Ok(false));
                match (rest.next().copied(), rest.next()) {
                    (Some(only), None) => Conclusion::Conditions(vec![(only, stack.into())]),
                    _ => Conclusion::Open(slot),
                }
            }
            _ => Conclusion::Open(slot),
        }
    }

    /// Adds all values in which what is not set is anything. Says whether there was room.
    fn complete(
        &self,
        next: &[Option<u16>],
        found: &mut Vec<Vec<u16>>,
        limit: usize,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Refusal> {
        let value = |(slot, value): (usize, &Option<u16>)| match self.matters[slot] {
            true => value.unwrap_or(0),
            false => 0,
        };
        let mut values: Vec<u16> = next.iter().enumerate().map(value).collect();
        let free: Vec<usize> =
            (0..next.len()).filter(|&it| next[it].is_none() && self.matters[it]).collect();
        loop {
            meter.tick()?;
            if found.len() >= limit {
                return Ok(false);
            }
            found.push(values.clone());
            // The next one, as numbers are counted.
            let Some(&slot) = free.iter().find(|&&slot| values[slot] < self.most[slot]) else {
                return Ok(true);
            };
            for &lower in free.iter().take_while(|&&lower| lower != slot) {
                values[lower] = 0;
            }
            values[slot] += 1;
        }
    }
}

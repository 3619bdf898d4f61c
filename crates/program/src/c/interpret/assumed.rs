//! What is assumed of a choice right behind it.
//!
//! In `n = nondet(); assume(1 <= n && n <= 30);` all other numbers lead to a false assumption,
//! whatever happens: such states have no run, so they do not exist, and there are thirty choices.
//! Only statements that must be done one after the other are looked at, up to the first that is no
//! choice for another variable and no assumption, and only assumptions that cannot be errors.

use super::super::lower::names;
use super::super::syntax::{Comparison, Expr, Kind, Stmt, StmtKind};
use super::effects::may_fail;
use super::{At, Interpreter, State, Task};

/// The numbers from one to another; `None` for no bound.
pub type Range = (Option<i128>, Option<i128>);

/// The numbers that are in two ranges.
pub fn both(a: Range, b: Range) -> Range {
    let one = |x: Option<i128>, y: Option<i128>, of: fn(i128, i128) -> i128| match (x, y) {
        (Some(x), Some(y)) => Some(of(x, y)),
        _ => x.or(y),
    };
    (one(a.0, b.0, i128::max), one(a.1, b.1, i128::min))
}

impl<'a> Interpreter<'a> {
    /// Which initial values of a variable of `main`, or of a global one, go through what `main`
    /// assumes at its beginning.
    pub fn assumed_at_first(&self, name: &str) -> Range {
        let Ok(main) = self.main() else { return (None, None) };
        let is_head = |it: &&Stmt| matches!(it.kind, StmtKind::Declare(_));
        let head = main.body.iter().take_while(is_head).count();
        let mut state = State::default();
        state.tasks.push(Task::Rest(At(&main.body[head..])));
        self.assumed(&state, name)
    }

    /// Which values of a variable, assigned before anything that is left to do in a state, go
    /// through what is assumed next.
    pub(super) fn assumed(&self, state: &State<'a>, name: &str) -> Range {
        let mut range = (None, None);
        if self.settings.widths.is_some() {
            return range;
        }
        // What these have when it is assumed is not what they have now.
        let mut changed = vec![name];
        let lists = state.tasks.iter().rev().map_while(|task| match task {
            Task::Rest(At(list)) => Some(*list),
            _ => None,
        });
        for statement in lists.flatten() {
            match &statement.kind {
                StmtKind::Assume(condition) if !may_fail(condition) => {
                    range = both(range, self.bounds_by(state, condition, &changed));
                }
                StmtKind::Expr(Some(Expr { kind: Kind::Assign(other, None, value), .. }))
                    if matches!(value.kind, Kind::Any(..)) && other != name =>
                {
                    changed.push(other);
                }
                StmtKind::Declare(declared) if declared.iter().all(|it| it.value.is_none()) => {}
                StmtKind::Expr(None) => {}
                _ => break,
            }
        }
        range
    }

    /// Bounds that a condition has for the first of some variables. Those are no longer what they
    /// are in the state.
    fn bounds_by(&self, state: &State<'a>, condition: &Expr, changed: &[&str]) -> Range {
        let (comparison, a, b) = match &condition.kind {
            Kind::And(a, b) => {
                let [a, b] = [a, b].map(|it| self.bounds_by(state, it, changed));
                return both(a, b);
            }
            Kind::Compare(comparison, a, b) => (*comparison, a, b),
            _ => return (None, None),
        };
        let is_it = |it: &Expr| matches!(&it.kind, Kind::Name(it) if it == changed[0]);
        let (comparison, other) = match (is_it(a), is_it(b)) {
            (true, false) => (comparison, b),
            (false, true) => (mirrored(comparison), a),
            _ => return (None, None),
        };
        if names(other).iter().any(|it| changed.contains(&it.as_str())) {
            return (None, None);
        }
        let Ok(value) = self.only(state, other) else { return (None, None) };
        match comparison {
            Comparison::Equal => (Some(value), Some(value)),
            Comparison::NotEqual => (None, None),
            Comparison::Less => (None, value.checked_sub(1)),
            Comparison::LessEqual => (None, Some(value)),
            Comparison::Greater => (value.checked_add(1), None),
            Comparison::GreaterEqual => (Some(value), None),
        }
    }
}

/// The comparison of the same two with their sides changed.
fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessEqual => Comparison::GreaterEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterEqual => Comparison::LessEqual,
        same => same,
    }
}

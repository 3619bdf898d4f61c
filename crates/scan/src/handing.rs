//! Procedures that take something in a field and leave it to others to give it back.
//!
//! One that never gives it back itself is meant so. One that does, on some of its ways, is meant so
//! only if callers can tell by how it ends: it gives back what it took just before it throws, or
//! answers `false` or `null` then, and something else where it keeps it. Otherwise it is a slip,
//! and no reason to think that others may give it back. So it is with one that takes something and
//! gives back more.

use crate::explore::{Ending, Exit, Explored};
use crate::rules::{Claim, ERROR};
use crate::values::{ObjectId, Value};
use tern_ir::ProcId;
use tern_model::Tri;

/// Whether callers can tell where a procedure ends with an object that a rule has as taken.
pub(crate) fn hands_over(
    explored: &Explored,
    procedure: ProcId,
    rule: u8,
    object: ObjectId,
) -> bool {
    let watched = &explored.watched[usize::from(rule)];
    let Some(automaton) = &watched.automaton else { return false };
    let is_taken = |exit: &Exit| {
        let state = exit.state.stage(object, rule);
        match watched.rule.claim {
            Claim::OnlyAfter { then, .. } => automaton.next(state, then) != ERROR,
            _ => automaton.is_pending(state),
        }
    };
    let components = explored.components_of(procedure).iter();
    let exits = components.flat_map(|&id| &explored.components[id].exits);
    let returns = exits.filter(|it| it.ending == Ending::Return);
    let (taken, free): (Vec<&Exit>, Vec<&Exit>) = returns.partition(|&it| is_taken(it));
    let is_yes = |it: &&Exit| match it.value {
        Value::Number(low, high) => low > 0 || high < 0,
        other => other.is_null() == Tri::False,
    };
    let is_no = |it: &&Exit| matches!(it.value, Value::Number(0, 0) | Value::Null(_));
    !taken.is_empty() && (free.is_empty() || taken.iter().all(is_yes) && free.iter().all(is_no))
}

/// Whether what a procedure leaves to others to complete is a slip: it takes an object, and gives
/// it back on other ways only, and nobody can tell; or it takes it, and gives it back too often.
pub(crate) fn is_slip(
    explored: &Explored,
    procedure: ProcId,
    (rule, event, object): (u8, u8, ObjectId),
) -> bool {
    let has_done = |event: usize| has_done(explored, procedure, (rule, event as u8, object));
    match explored.watched[usize::from(rule)].rule.claim {
        Claim::OnlyAfter { first, then } if usize::from(event) == first => {
            has_done(then) && !hands_over(explored, procedure, rule, object)
        }
        Claim::Released { take, give } if usize::from(event) == give => has_done(take),
        _ => false,
    }
}

/// Whether a procedure takes an object, and never gives it back.
pub(crate) fn only_takes(
    explored: &Explored,
    procedure: ProcId,
    (rule, event, object): (u8, u8, ObjectId),
) -> bool {
    match explored.watched[usize::from(rule)].rule.claim {
        Claim::Released { take, give } if usize::from(event) == take => {
            !has_done(explored, procedure, (rule, give as u8, object))
        }
        _ => false,
    }
}

/// Whether an event of a rule is done to an object in a procedure.
fn has_done(explored: &Explored, procedure: ProcId, done: (u8, u8, ObjectId)) -> bool {
    let mut components = explored.components_of(procedure).iter();
    components.any(|&id| explored.components[id].done.contains(&done))
}

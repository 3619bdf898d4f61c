//! Runs by which a claim fails, with the values of the variables, and their replay.
//!
//! The analysis says which edges are taken with which choices. [`unfold`] follows them on the flow
//! graph, and [`replay`] has the interpreter of the syntax tree find the same states, one by one:
//! it shares nothing with the analysis nor with the lowering.

use super::explicit::has_hidden;
use super::hoist::hoisted;
use super::interpret::{Interpreter, State};
use super::lower::Settings;
use super::syntax::Unit;
use std::collections::BTreeMap;
use tern_ir::flow::{Affine, Column, Flow, PointId};
use tern_model::TermId;
use tern_numeric::story::{Chapter, Ending};

/// A state of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Where it is.
    pub point: PointId,
    /// The values of the variables; `None` for those that are not known.
    pub values: Vec<Option<i128>>,
}

/// A part of the claim with the run that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The part of the claim.
    pub term: TermId,
    /// Whether it is true.
    pub holds: bool,
    /// The states of the run, the first included.
    pub states: Vec<Shown>,
    /// How it goes on; a loop leads back to the state with this number.
    pub ending: Ending,
}

fn evaluate(sum: &Affine, of: impl Fn(Column) -> Option<i128>) -> Option<i128> {
    let mut total = sum.constant;
    for &(column, factor) in &sum.terms {
        total = total.checked_add(factor.checked_mul(of(column)?)?)?;
    }
    Some(total)
}

/// The states of a story from an initial state on.
pub fn unfold(flow: &Flow, point: PointId, values: &[i128], story: &[Chapter]) -> Vec<Told> {
    let values = values.iter().map(|&value| Some(value)).collect();
    let mut state = Shown { point, values };
    let mut told = Vec::new();
    for part in story {
        let mut states = vec![state.clone()];
        for taken in &part.steps {
            let edge = &flow.edges[taken.edge];
            let of = |column: Column| match (column.as_variable(), column.as_auxiliary()) {
                (Some(variable), _) => state.values.get(variable).copied().flatten(),
                (_, number) => taken.auxiliaries.get(number?).copied().flatten(),
            };
            let mut values = state.values.clone();
            for (variable, value) in &edge.update {
                values[*variable] = evaluate(value, of);
            }
            state = Shown { point: edge.to, values };
            states.push(state.clone());
        }
        told.push(Told { term: part.term, holds: part.holds, states, ending: part.ending });
    }
    told
}

/// The most states of the interpreter that may be meant by one of the run.
const MOST: usize = 200;

/// Whether the interpreter finds the same run: `Some(false)` if there is no such run, `None` if it
/// cannot tell.
pub fn replay(unit: &Unit, settings: &Settings, flow: &Flow, told: &[Told]) -> Option<bool> {
    let mut states: Vec<&Shown> = Vec::new();
    for part in told {
        // A part begins with the state that the one before ends with.
        states.extend(part.states.iter().skip(usize::from(!states.is_empty())));
    }
    let first = states.first()?;
    let open: BTreeMap<String, i128> = flow
        .variables
        .iter()
        .zip(&first.values)
        .filter_map(|(name, value)| Some((name.clone(), (*value)?)))
        .collect();
    let hints: Vec<Vec<i128>> = states
        .iter()
        .map(|state| {
            let mut values: Vec<i128> = state.values.iter().flatten().copied().collect();
            values.sort_unstable();
            values.dedup();
            values
        })
        .collect();
    let unit = hoisted(unit);
    let plain = Interpreter::new(&unit, settings);
    if has_hidden(&plain) {
        return None;
    }
    let mut now: Vec<State<'_>> = vec![plain.start(&open).ok()??];
    now.retain(|state| is_like(state, flow, first));
    let mut is_all = true;
    for (state, hints) in states.iter().zip(&hints).skip(1) {
        let interpreter = plain.with_hints(hints);
        let mut next: Vec<State<'_>> = Vec::new();
        for before in &now {
            let found = interpreter.next(before).ok()?;
            is_all &= !found.more;
            for after in found.states {
                if is_like(&after, flow, state) && !next.contains(&after) {
                    next.push(after);
                }
            }
        }
        if next.len() > MOST {
            return None;
        }
        now = next;
    }
    match now.is_empty() {
        false => Some(true),
        true => is_all.then_some(false),
    }
}

/// Whether a state of the interpreter is one of a run, as far as claims can tell.
fn is_like(state: &State<'_>, flow: &Flow, shown: &Shown) -> bool {
    let labels = &flow.points[shown.point].labels;
    let has = |name: &str| labels.iter().any(|label| label == name);
    let ends = ["exit", "failed", "error"];
    let end = ends.into_iter().find(|name| has(name));
    let values = flow.variables.iter().zip(&shown.values);
    let same = values.filter_map(|(name, value)| Some((name, (*value)?))).all(|(name, value)| {
        name.contains(' ') || state.visible(name).is_none_or(|found| found == value)
    });
    state.label() == end && same
}

//! How a run goes on where the analysis does not follow it.
//!
//! A run may come to a value that is not linear, or into a call of a function that calls itself:
//! the flow graph knows no next state there. The interpreter does. Where there is only one, it is
//! the state that the run comes to, whatever the analysis would have said of it. A run that stays
//! in a call is looked for: one that does not leave it, and on which all propositions stay as they
//! are.

use super::explicit::{Meant, shown_states};
use super::hoist::hoisted;
use super::interpret::{Interpreter, State};
use super::lower::Settings;
use super::story::{Shown, Told, found, hints, joined};
use super::syntax::Unit;
use std::collections::BTreeMap;
use tern_model::Span;
use tern_numeric::story::Ending;

/// How many states more are told, and so many at least if numbers become too large then.
const MORE: usize = 100;
const AT_LEAST: usize = 20;
/// How many states are looked at to find a run that stays in a call.
const MOST: usize = 20_000;

/// Lets the interpreter follow a run that was told to where the analysis cannot go on; says whether
/// it did. The run must not end meanwhile.
pub fn lengthen(
    (unit, settings): (&Unit, &Settings),
    names: (&[String], &[String]),
    propositions: &[&str],
    told: &mut [Told],
    lines: impl Fn(Span) -> u32,
) -> bool {
    let Some(ending @ (Ending::Open | Ending::Inside(_))) = told.last().map(|it| it.ending) else {
        return false;
    };
    let unit = hoisted(unit);
    let interpreter = Interpreter::new(&unit, settings);
    let joined = joined(told);
    let hints = hints(&joined);
    let Some(first) = found(interpreter, names.0, &joined, &hints) else { return false };
    let more = match ending {
        Ending::Open => alone(interpreter, first),
        _ => staying(interpreter, first, propositions),
    };
    let Some(more) = more else { return false };
    let more = shown_states(&interpreter, &more, names, lines);
    let Some(last) = told.last_mut() else { return false };
    last.states.extend(more);
    if ending == Ending::Open {
        last.ending = Ending::TooLong;
    }
    true
}

/// The run from initial values, as far as there is only one.
pub fn only_run(
    (unit, settings): (&Unit, &Settings),
    values: &BTreeMap<String, i128>,
    names: (&[String], &[String]),
    lines: impl Fn(Span) -> u32,
) -> Option<Vec<Shown>> {
    let unit = hoisted(unit);
    let interpreter = Interpreter::new(&unit, settings);
    let first = interpreter.start(values).ok()??;
    let more = alone(interpreter, first.clone())?;
    Some(shown_states(&interpreter, std::iter::once(&first).chain(&more), names, lines))
}

/// The states after one, each the only one that comes next.
fn alone<'a>(interpreter: Interpreter<'a>, first: State<'a>) -> Option<Vec<State<'a>>> {
    let mut states = vec![first];
    while states.len() <= MORE {
        let Ok(next) = interpreter.next(states.last()?) else { break };
        match <[State<'a>; 1]>::try_from(next.states) {
            Ok([state]) if !next.more && state.label().is_none() => states.push(state),
            _ => return None,
        }
    }
    states.remove(0);
    (states.len() >= AT_LEAST).then_some(states)
}

/// States after one that stay in its call, and in which the same propositions are true.
fn staying<'a>(
    interpreter: Interpreter<'a>,
    first: State<'a>,
    propositions: &[&str],
) -> Option<Vec<State<'a>>> {
    let meant: Vec<Meant<'_>> =
        propositions.iter().map(|name| Meant::new(&interpreter, name)).collect();
    let truths = |state: &State<'a>| -> Option<Vec<bool>> {
        meant.iter().map(|it| it.is_true(&interpreter, state)).collect()
    };
    let (depth, wanted) = (first.depth(), truths(&first)?);
    let is_fit = |state: &State<'a>| {
        state.label().is_none() && state.depth() >= depth && truths(state).as_ref() == Some(&wanted)
    };
    // The states of the way so far, each with those beside it that are still to be tried.
    let mut way: Vec<Vec<State<'a>>> = vec![vec![first]];
    for _ in 0..MOST {
        let next = interpreter.next(way.last()?.last()?).ok()?;
        let fit: Vec<State<'a>> = next.states.into_iter().filter(is_fit).collect();
        way.push(fit);
        while way.last().is_some_and(Vec::is_empty) {
            way.pop();
            way.last_mut()?.pop();
        }
        if way.len() > MORE {
            return way.into_iter().skip(1).map(|mut it| it.pop()).collect();
        }
    }
    None
}

//! Runs by which a claim fails, with the values of the variables, and their replay.
//!
//! The analysis says which edges are taken with which choices. [`unfold`] follows them on the flow
//! graph, and [`replay`] has the interpreter of the syntax tree find the same states, one by one:
//! it shares nothing with the analysis nor with the lowering.

use super::claim::Meanings;
use super::explicit::{Meant, has_hidden};
use super::growth::{followed, rounds};
use super::hoist::hoisted;
use super::interpret::{Interpreter, Next, State, Untreated};
use super::lower::Settings;
use super::syntax::Unit;
use std::collections::BTreeMap;
use tern_ir::flow::{Affine, Column, Flow, PointId};
use tern_numeric::story::{Area, Chapter, Ending, Subject, Taken};

/// A state of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The line of the program where it is; 0 at an end.
    pub line: u32,
    /// The labels of the place.
    pub labels: Vec<String>,
    /// The values of the variables; `None` for those that are not known.
    pub values: Vec<Option<i128>>,
}

impl Shown {
    fn new(flow: &Flow, point: PointId, values: &[Option<i128>]) -> Self {
        let point = &flow.points[point];
        Shown { line: point.line, labels: point.labels.clone(), values: values.to_vec() }
    }
}

/// A part of the claim with the run that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The part of the claim, as text.
    pub formula: String,
    /// Whether it is true.
    pub holds: bool,
    /// The states of the run, the first included. Of a run that grows there are two rounds.
    pub states: Vec<Shown>,
    /// How it goes on; a loop leads back to the state with this number.
    pub ending: Ending,
    /// If it goes on for ever without a loop: the states among which it stays, by lines, with what
    /// is true of the variables there.
    pub areas: Vec<(u32, Vec<String>)>,
}

impl Told {
    /// The states that are shown: what comes back, or comes again with other values, is left out.
    pub fn shown(&self) -> &[Shown] {
        let count = match self.ending {
            Ending::Loop(_) => self.states.len() - 1,
            Ending::Grows(from) => from + self.round(from),
            _ => self.states.len(),
        };
        &self.states[..count]
    }

    /// By how much each variable changes in a round of a run that grows.
    pub fn growth(&self) -> Vec<Option<i128>> {
        let Ending::Grows(from) = self.ending else { return Vec::new() };
        let (old, new) = (&self.states[from], &self.states[from + self.round(from)]);
        let pairs = old.values.iter().zip(&new.values);
        pairs.map(|(old, new)| (*new)?.checked_sub((*old)?)).collect()
    }

    /// How many steps a round has that begins here, if there are two of them.
    fn round(&self, from: usize) -> usize {
        (self.states.len() - 1 - from) / 2
    }
}

/// An area by its line, with what it says of variables that have names.
fn area(flow: &Flow, area: &Area) -> (u32, Vec<String>) {
    let is_named =
        |column: Column| column.as_variable().is_some_and(|it| !flow.variables[it].contains(' '));
    let named = area.rows.iter().filter(|row| row.affine().terms.iter().all(|it| is_named(it.0)));
    (flow.points[area.point].line, flow.show_all(named))
}

/// The value of a sum, if those of all its columns are known and it is not too large.
pub(super) fn evaluate(sum: &Affine, of: impl Fn(Column) -> Option<i128>) -> Option<i128> {
    let mut total = sum.constant;
    for &(column, factor) in &sum.terms {
        total = total.checked_add(factor.checked_mul(of(column)?)?)?;
    }
    Some(total)
}

/// How many rounds more are followed of a loop that changes values which the claim does not depend
/// on.
const MORE_ROUNDS: usize = 3;

/// The states of a story from an initial state on, with parts of the claim as `show` says them.
/// Where it goes on for ever by rounds that are alike to the propositions, it ends with two.
pub fn unfold(
    flow: &Flow,
    (point, values): (PointId, &[i128]),
    story: &[Chapter],
    meanings: &Meanings,
    show: impl Fn(Subject) -> String,
) -> Vec<Told> {
    let mut now: Vec<Option<i128>> = values.iter().map(|&value| Some(value)).collect();
    let mut at = point;
    let mut told = Vec::new();
    for part in story {
        let first = (at, now);
        let mut steps = part.steps.clone();
        let mut states = states(flow, &first, &steps);
        let mut ending = part.ending;
        if let Ending::Loop(from) = ending
            && stays_in_call(flow, &steps[from..])
        {
            steps.truncate(from);
            states.truncate(from + 1);
            ending = Ending::Inside(from);
        } else if let Ending::Loop(from) = ending
            && states.last() != states.get(from)
        {
            // What comes back is all that the claim depends on; other values change, perhaps in
            // the first rounds only.
            let round = steps[from..].to_vec();
            ending = Ending::TooLong;
            for _ in 0..MORE_ROUNDS {
                steps.extend_from_slice(&round);
                states = self::states(flow, &first, &steps);
                let before = steps.len() - round.len();
                if states.last() == states.get(before) {
                    ending = Ending::Loop(before);
                    break;
                }
            }
        }
        if ending == Ending::TooLong
            && let Some(rounds) = rounds(flow, &steps, &states, meanings)
        {
            steps = followed(&steps, rounds);
            states = self::states(flow, &first, &steps);
            ending = Ending::Grows(rounds.from + rounds.ahead * rounds.length);
        }
        let formula = show(part.of);
        let mut areas: Vec<(u32, Vec<String>)> = Vec::new();
        for area in part.areas.iter().map(|it| self::area(flow, it)) {
            if !areas.contains(&area) {
                areas.push(area);
            }
        }
        at = steps.last().map_or(first.0, |taken| flow.edges[taken.edge].to);
        now = states.last().map_or(first.1, |state| state.values.clone());
        told.push(Told { formula, holds: part.holds, states, ending, areas });
    }
    told
}

/// Whether steps stay in a point that stands for a call: they are not those of the program.
fn stays_in_call(flow: &Flow, steps: &[Taken]) -> bool {
    let is_inside = |taken: &Taken| {
        let edge = &flow.edges[taken.edge];
        edge.from == edge.to && flow.points[edge.from].labels.is_empty()
    };
    flow.summary.is_some() && steps.iter().all(is_inside)
}

/// The states that steps lead to, the first included.
fn states(
    flow: &Flow,
    (point, values): &(PointId, Vec<Option<i128>>),
    steps: &[Taken],
) -> Vec<Shown> {
    let mut now = values.clone();
    let mut states = vec![Shown::new(flow, *point, &now)];
    for taken in steps {
        let edge = &flow.edges[taken.edge];
        let of = |column: Column| match (column.as_variable(), column.as_auxiliary()) {
            (Some(variable), _) => now.get(variable).copied().flatten(),
            (_, number) => taken.auxiliaries.get(number?).copied().flatten(),
        };
        let mut values = now.clone();
        for (variable, value) in &edge.update {
            values[*variable] = evaluate(value, of);
        }
        now = values;
        states.push(Shown::new(flow, edge.to, &now));
    }
    states
}

/// The most states of the interpreter that may be meant by one of the run.
const MOST: usize = 200;

/// What the interpreter finds of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// There is no such run.
    Missing,
    /// It cannot tell.
    Open,
    /// It has this run.
    Found(Seen),
}

/// A run as the interpreter sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The values of the variables in each state, as far as it knows them.
    pub values: Vec<Vec<Option<i128>>>,
    /// Which of the propositions that were asked about are true in each state; `None` if one cannot
    /// be evaluated. If the run goes on by rounds, the first is the last of it.
    pub truths: Option<Vec<Vec<bool>>>,
    /// Whether it ends in a state that was there before, or in one that is the same but for values
    /// that grow, and where that was.
    pub repeats: Option<usize>,
}

/// Whether the interpreter finds the same run, and which propositions are true on it.
pub fn replay(
    unit: &Unit,
    settings: &Settings,
    variables: &[String],
    told: &[Told],
    propositions: &[&str],
) -> Replay {
    let mut states = joined(told);
    let told_count = states.len();
    let mut back = match told.last() {
        Some(Told { ending: Ending::Loop(from) | Ending::Grows(from), states: last, .. }) => {
            (states.len() - last.len()).checked_add(*from)
        }
        _ => None,
    };
    let grows = told.last().is_some_and(|part| matches!(part.ending, Ending::Grows(_)));
    if let (Some(at), false) = (back, grows) {
        // What was not set in the first round is set in the second.
        states.extend_from_within(at + 1..);
        back = Some(told_count - 1);
    }
    let hints = hints(&states);
    let unit = hoisted(unit);
    let plain = Interpreter::new(&unit, settings);
    let Some((mut layers, is_all)) = layers(plain, variables, &states, &hints) else {
        return Replay::Open;
    };
    if layers.len() < told_count {
        return if is_all { Replay::Missing } else { Replay::Open };
    }
    if layers.len() < states.len() {
        layers.truncate(told_count);
        back = None;
    }
    let ends = layers.last().map_or(0, Vec::len);
    let runs = (0..ends).map(|end| run(&layers, end));
    let comes_back = |run: &Vec<&State<'_>>| {
        back.is_some_and(|at| match grows {
            false => run.last() == run.get(at),
            true => {
                let later = at + (run.len() - 1 - at) / 2;
                let rounds = run[at..=later].iter().zip(&run[later..]);
                rounds.into_iter().all(|(first, second)| first.is_where(second))
            }
        })
    };
    let Some(run) = runs.clone().find(comes_back).or_else(|| runs.clone().next()) else {
        return Replay::Open;
    };
    let mut repeats = back.filter(|_| comes_back(&run));
    let meant: Vec<Meant<'_>> = propositions.iter().map(|name| Meant::new(&plain, name)).collect();
    let truth = |state: &State<'_>| meant.iter().map(|it| it.is_true(&plain, state)).collect();
    let value = |state: &&State<'_>| variables.iter().map(|name| state.visible(name)).collect();
    let values = run.iter().map(value).collect();
    let mut truths: Option<Vec<Vec<bool>>> = run.into_iter().map(truth).collect();
    if let (Some(from), Some(all), true) = (repeats, &mut truths, grows) {
        let later = from + (all.len() - 1 - from) / 2;
        // What grows must look the same in both rounds.
        repeats = repeats.filter(|_| all[from..=later] == all[later..]);
        all.truncate(later + 1);
    }
    Replay::Found(Seen { values, truths, repeats })
}

/// The last state of a run as the interpreter has it, if there is such a run.
pub(super) fn found<'a>(
    plain: Interpreter<'a>,
    variables: &[String],
    states: &[&Shown],
    hints: &'a [Vec<i128>],
) -> Option<State<'a>> {
    let (layers, _) = layers(plain, variables, states, hints)?;
    let last = layers.into_iter().nth(states.len() - 1)?.into_iter().next();
    last.map(|(state, _)| state)
}

/// Fills in values that the analysis does not know, such as products, from those that the
/// interpreter found on the same run. A loop in which these do not come back is none.
pub fn fill(told: &mut [Told], seen: &Seen) {
    if let (Some(last), None) = (told.last_mut(), seen.repeats)
        && matches!(last.ending, Ending::Loop(_))
    {
        last.ending = Ending::TooLong;
    }
    let mut at = 0;
    for part in told {
        for (number, state) in part.states.iter_mut().enumerate() {
            // A part begins with the state that the one before ends with.
            at += usize::from(number > 0);
            let found = seen.values.get(at).into_iter().flatten();
            for (value, found) in state.values.iter_mut().zip(found) {
                *value = value.or(*found);
            }
        }
    }
}

/// The states of all parts of a run, one after the other.
pub(super) fn joined(told: &[Told]) -> Vec<&Shown> {
    let mut states: Vec<&Shown> = Vec::new();
    for part in told {
        // A part begins with the state that the one before ends with.
        states.extend(part.states.iter().skip(usize::from(!states.is_empty())));
    }
    states
}

/// The values of each state, as far as they are known: choices may be among them.
pub(super) fn hints(states: &[&Shown]) -> Vec<Vec<i128>> {
    let known = |state: &&Shown| {
        let mut values: Vec<i128> = state.values.iter().flatten().copied().collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    states.iter().map(known).collect()
}

/// States of the interpreter that may be one of a run, each with the number of one before.
type Layer<'a> = Vec<(State<'a>, usize)>;

/// The states of the interpreter that are like those of a run, one after the other, and whether
/// there are no others; the last of them are missing if there is no such run. `None` if something
/// is not treated.
fn layers<'a>(
    plain: Interpreter<'a>,
    variables: &[String],
    states: &[&Shown],
    hints: &'a [Vec<i128>],
) -> Option<(Vec<Layer<'a>>, bool)> {
    let first = states.first()?;
    if has_hidden(&plain) {
        return None;
    }
    // All other values are the interpreter's to find.
    let is_open = plain.freely_begun().ok()?;
    let open: BTreeMap<String, i128> = variables
        .iter()
        .zip(&first.values)
        .filter(|(name, _)| is_open.contains(name))
        .filter_map(|(name, value)| Some((name.clone(), (*value)?)))
        .collect();
    let mut now: Layer<'a> = vec![(plain.start(&open).ok()??, 0)];
    now.retain(|(state, _)| is_like(state, variables, first));
    let (mut layers, mut is_all) = (Vec::new(), true);
    for ((last, state), hints) in states.iter().zip(&states[1..]).zip(&hints[1..]) {
        if now.is_empty() {
            break;
        }
        let interpreter = plain.with_hints(hints);
        let mut next: Layer<'a> = Vec::new();
        for (number, (before, _)) in now.iter().enumerate() {
            let found = successors(interpreter, before.clone(), (variables, last))?;
            is_all &= !found.more;
            for after in found.states {
                let is_new = || !next.iter().any(|(known, _)| *known == after);
                if is_like(&after, variables, state) && is_new() {
                    next.push((after, number));
                }
            }
        }
        if next.len() > MOST {
            return None;
        }
        layers.push(std::mem::replace(&mut now, next));
    }
    if !now.is_empty() {
        layers.push(now);
    }
    Some((layers, is_all))
}

/// The states after one of the interpreter that is like a state of a run. What was never set may
/// have any value; it has the one of the run.
fn successors<'a>(
    interpreter: Interpreter<'a>,
    mut state: State<'a>,
    (variables, shown): (&[String], &Shown),
) -> Option<Next<'a>> {
    loop {
        match interpreter.next(&state) {
            Ok(found) => return Some(found),
            Err(Untreated::Unset(name)) => {
                let variable = variables.iter().position(|it| *it == name)?;
                state.begin(&name, shown.values.get(variable).copied().flatten()?)?;
            }
            Err(Untreated::Construct(_)) => return None,
        }
    }
}

/// The run that ends in a state of the last layer.
fn run<'l, 'a>(layers: &'l [Layer<'a>], end: usize) -> Vec<&'l State<'a>> {
    let (mut run, mut number) = (Vec::new(), end);
    for layer in layers.iter().rev() {
        let (state, before) = &layer[number];
        run.push(state);
        number = *before;
    }
    run.reverse();
    run
}

/// Whether a state of the interpreter is one of a run, as far as claims can tell.
fn is_like(state: &State<'_>, variables: &[String], shown: &Shown) -> bool {
    let has = |name: &str| shown.labels.iter().any(|label| label == name);
    let ends = ["exit", "failed", "error"];
    let end = ends.into_iter().find(|name| has(name));
    let values = variables.iter().zip(&shown.values);
    let same = values.filter_map(|(name, value)| Some((name, (*value)?))).all(|(name, value)| {
        name.contains(' ') || state.visible(name).is_none_or(|found| found == value)
    });
    state.label() == end && same
}

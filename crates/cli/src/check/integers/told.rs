//! Runs of integer programs, as lines for people and as JSON.
//!
//! One line a state: the line of the program, labels, and the values; after the first state only
//! those that changed. The JSON has the shape of the runs of models (`docs/result-file.md`), with
//! `values` in each move.

use crate::args::Witness;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use tern_numeric::story::Ending;
use tern_program::c::story::{Shown, Told};
use tern_report::visible;

/// In how many lines is said where a run stays.
const MOST_AREAS: usize = 12;

/// What runs are shown with.
pub(super) struct View<'a> {
    /// The names of the variables.
    pub(super) variables: &'a [String],
}

/// How long a run may be that is shown in full, and how many of its first and last lines stay.
fn fold(length: Option<Witness>) -> Option<[usize; 3]> {
    match length {
        None => Some([8, 0, 6]),
        Some(Witness::Short) => Some([40, 20, 15]),
        Some(Witness::Full) => None,
    }
}

impl View<'_> {
    /// The values that claims can name, as far as they are known.
    fn named<'s>(&'s self, state: &'s Shown) -> impl Iterator<Item = (&'s str, Option<i128>)> {
        let all = self.variables.iter().map(String::as_str).zip(state.values.iter().copied());
        all.filter(|(name, _)| !name.contains(' '))
    }

    fn place(state: &Shown) -> String {
        let labels = match state.labels.is_empty() {
            true => String::new(),
            false => format!(" {{{}}}", state.labels.join(", ")),
        };
        match state.line {
            0 => format!("end{labels}"),
            line => format!("line {line}{labels}"),
        }
    }

    /// The values that are shown of a state after another.
    fn changes(&self, before: Option<&Shown>, state: &Shown) -> String {
        let mut shown = Vec::new();
        let old: Vec<Option<i128>> =
            before.map_or_else(Vec::new, |it| self.named(it).map(|(_, value)| value).collect());
        for (at, (name, value)) in self.named(state).enumerate() {
            if before.is_none() || old.get(at) != Some(&value) {
                let value = value.map_or("?".to_owned(), |value| value.to_string());
                shown.push(format!("{name} = {value}"));
            }
        }
        shown.join(", ")
    }

    /// What a round of a run that grows changes, as far as claims can name it.
    fn growth(&self, part: &Told) -> Vec<(&str, i128)> {
        let named = self.variables.iter().map(String::as_str).zip(part.growth());
        let changed = named.filter_map(|(name, by)| Some((name, by.filter(|&by| by != 0)?)));
        changed.filter(|(name, _)| !name.contains(' ')).collect()
    }

    /// The same for people.
    fn grown(&self, part: &Told) -> String {
        let growth = self.growth(part);
        if growth.is_empty() {
            return "with values that have no name growing".to_owned();
        }
        let by = |(name, by): &(&str, i128)| match by.is_positive() {
            true => format!("{name} {by} more"),
            false => format!("{name} {} less", by.unsigned_abs()),
        };
        let shown: Vec<String> = growth.iter().map(by).collect();
        format!("each time with {}", shown.join(", "))
    }

    /// The lines of all parts.
    pub(super) fn lines(&self, told: &[Told], length: Option<Witness>) -> String {
        let mut text = String::new();
        for (number, part) in told.iter().enumerate() {
            let lead = if number == 0 { "" } else { "here " };
            let shown = visible(&part.formula);
            if part.ending == Ending::AllPaths {
                let _ = writeln!(text, "         {lead}{shown} fails on all paths");
                continue;
            }
            let value = if part.holds { "holds by" } else { "fails on" };
            let _ = writeln!(text, "         {lead}{shown} {value} this run:");
            self.run(&mut text, part, length);
        }
        text
    }

    fn run(&self, text: &mut String, part: &Told, length: Option<Witness>) {
        // The state that comes back is the one that the loop leads to.
        let states = part.shown();
        let count = states.len();
        let width = count.to_string().len().max(2);
        let fold = fold(length).filter(|&[longest, ..]| count > longest);
        let mut left_out = 0;
        let mut before = None;
        for (at, state) in states.iter().enumerate() {
            if fold.is_some_and(|[_, head, tail]| at >= head && at < count - tail) {
                left_out += 1;
                // What follows is not the next state: all values are shown.
                before = None;
                continue;
            }
            if left_out > 0 {
                let _ = writeln!(text, "         {:width$}  … {left_out} more …", "");
                left_out = 0;
            }
            let (place, changes) = (Self::place(state), self.changes(before, state));
            let line = format!("         {:>width$}  {place}  {changes}", at + 1);
            let _ = writeln!(text, "{}", line.trim_end());
            before = Some(state);
        }
        let _ = match part.ending {
            Ending::Loop(from) => {
                writeln!(text, "         {:width$}  … and so on from step {}", "", from + 1)
            }
            Ending::Grows(from) => {
                let grown = self.grown(part);
                writeln!(
                    text,
                    "         {:width$}  … and so on from step {}, {grown}",
                    "",
                    from + 1
                )
            }
            Ending::Inside(_) => {
                writeln!(text, "         {:width$}  … and so on: the call does not end", "")
            }
            Ending::TooLong if !part.areas.is_empty() => {
                let _ = writeln!(text, "         {:width$}  … and so on; it stays here:", "");
                for (line, rows) in part.areas.iter().take(MOST_AREAS) {
                    let rows = if rows.is_empty() { "" } else { &format!("  {}", rows.join(", ")) };
                    let _ = writeln!(text, "         {:width$}  line {line}{rows}", "");
                }
                match part.areas.len().saturating_sub(MOST_AREAS) {
                    0 => Ok(()),
                    more => writeln!(text, "         {:width$}  … {more} more …", ""),
                }
            }
            Ending::TooLong => writeln!(text, "         {:width$}  … and so on", ""),
            Ending::Open => {
                let why = "the next value is not followed here";
                writeln!(text, "         {:width$}  … and so on; {why}", "")
            }
            Ending::Done | Ending::AllPaths => Ok(()),
        };
    }

    /// The same as JSON; the next part is an aside of the last state.
    pub(super) fn json(&self, told: &[Told]) -> Value {
        let mut inner = Value::Null;
        for part in told.iter().rev() {
            let mut value = json!({"formula": part.formula, "holds": part.holds});
            if part.ending == Ending::AllPaths {
                value["reason"] = "all-paths".into();
                inner = value;
                continue;
            }
            value["reason"] = "run".into();
            value["from"] = self.state(part.states.first());
            let is_grown = matches!(part.ending, Ending::Grows(_));
            let states = if is_grown { part.shown() } else { &part.states };
            let moves = states.iter().skip(1).map(|state| self.state(Some(state)));
            value["moves"] = moves.collect();
            let (kind, from) = match part.ending {
                Ending::Loop(from) => ("loop", Some(from)),
                Ending::Grows(from) => ("grows", Some(from)),
                Ending::Inside(from) => ("inside", Some(from)),
                Ending::TooLong => ("too-long", None),
                Ending::Open => ("open", None),
                Ending::Done | Ending::AllPaths => ("done", None),
            };
            value["ending"] = json!({"kind": kind, "from": from});
            if is_grown {
                let growth = self.growth(part).into_iter();
                let by = growth.map(|(name, by)| (name.to_owned(), by.to_string().into()));
                value["ending"]["by"] = Value::Object(by.collect());
            } else if !part.areas.is_empty() {
                let area = |(line, rows): &(u32, Vec<String>)| json!({"line": line, "rows": rows});
                value["ending"]["areas"] = part.areas.iter().map(area).collect();
            }
            value["asides"] = match inner.take() {
                Value::Null => json!([]),
                why => json!([{"at": part.states.len().saturating_sub(1), "why": why}]),
            };
            inner = value;
        }
        inner
    }

    fn state(&self, state: Option<&Shown>) -> Value {
        let Some(state) = state else { return Value::Null };
        let number = |value: Option<i128>| value.map(|value| value.to_string());
        let values: Map<String, Value> = self
            .named(state)
            .map(|(name, value)| (name.to_owned(), number(value).into()))
            .collect();
        json!({"kind": "step", "line": state.line, "labels": state.labels, "values": values})
    }
}

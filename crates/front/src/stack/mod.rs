//! Properties of the stack in claims about any machine.
//!
//! ```text
//! called("parse")            some call of `parse` has not returned, or `parse` runs
//! stack("main .* lock .*")   the components on the stack match the pattern, from the bottom to the
//!                            one that runs
//! #f|.*#                     the symbols on the stack of a pushdown system match the expression
//!                            of PuMoC, from the top
//! ```
//! Each is a label of another machine that is the same to every formula: components are copied as
//! far as the properties tell the stacks apart under which they run. A deterministic automaton for
//! each property reads the components of the stack from the bottom; a copy of a component knows the
//! states of these automata after the component itself has been read:
//! ```text
//! (C, s)  with a box that calls D   calls   (D, s')    where s' is the state after s and D
//! ```
//! The symbols of a pushdown system are read in the same way, except that a copy knows the states
//! before the symbols of its own level: these belong to its nodes ([`Symbols`]).
//!
//! What a component does and where it returns to is as before, so (b1 … bk, n) in the copies is
//! (b1 … bk, n) in the original, with the same labels and steps, and the state of the automaton is
//! a function of the stack. Only copies that calls from the start reach are made.
//!
//! # Source
//! Esparza, Kučera, Schwoon: Model checking LTL with regular valuations for pushdown systems.
//! Information and Computation 186, 2003.

mod pattern;
mod symbols;
mod track;

pub use symbols::Symbols;
pub(crate) use symbols::{ChainId, LetterId};
pub(crate) use track::{Tracked, track};

use crate::words::{Nearest, did_you_mean, listed};
use pattern::Pattern;
use std::borrow::Cow;
use tern_model::logic::words;
use tern_model::{Id, Machine, quoted};

/// The expression over stack symbols of a property, if it is one.
fn expression(name: &str) -> Option<&str> {
    let inner = name.strip_prefix('#')?.strip_suffix('#')?;
    (!inner.trim().is_empty() && !inner.contains('#')).then_some(inner)
}

/// The argument of a property of the stack, and whether it is a pattern; `None` for other
/// propositions.
fn argument(name: &str) -> Option<(Cow<'_, str>, bool)> {
    let (word, rest) = name.split_once('(')?;
    let is_pattern = match word {
        "stack" => true,
        "called" => false,
        _ => return None,
    };
    let inner = rest.strip_suffix(')')?;
    let is_one = match inner.starts_with('"') {
        true => {
            matches!(quoted::scan(inner, 0), quoted::Scan::Closed { end, .. } if end == inner.len())
        }
        false => words::word_length(inner) == inner.len() && !inner.is_empty(),
    };
    is_one.then(|| (quoted::unquote(inner), is_pattern))
}

/// Whether a proposition is a property of the stack.
pub(crate) fn is_property(name: &str) -> bool {
    argument(name).is_some() || expression(name).is_some()
}

/// The components that a property of the stack names.
pub(crate) fn named(name: &str) -> Vec<String> {
    let pattern = match argument(name) {
        Some((argument, true)) => Pattern::parse(&argument).ok(),
        Some((argument, false)) => Some(Pattern::containing(&argument)),
        None => None,
    };
    let names = pattern.iter().flat_map(|pattern| pattern.names());
    names.map(str::to_owned).collect()
}

/// The pattern of an expression over the stack symbols of a model, if it is one.
fn symbol_pattern(symbols: Option<&Symbols>, name: &str) -> Option<Result<Pattern, Wrong>> {
    let expression = expression(name)?;
    let Some(symbols) = symbols else {
        let message = format!("`{name}` is about stack symbols, which the model does not have");
        let hint = "name components from the bottom of the stack: stack(\"main .* f .*\")";
        return Some(Err((message, Some(hint.to_owned()))));
    };
    let pattern = match Pattern::from_top(expression) {
        Ok(pattern) => pattern,
        Err(why) => {
            let hint = "`a|b` is one after the other from the top, `a+b` one of them, `.` any";
            return Some(Err((format!("in `{name}`: {why}"), Some(hint.to_owned()))));
        }
    };
    let unknown = pattern.names().into_iter().find(|name| !symbols.names().any(|it| it == *name));
    let wrong = unknown.map(|unknown| {
        let near = did_you_mean(Nearest::new().among(unknown, symbols.names()));
        let all = || format!("the symbols are {}", listed(MOST, symbols.names()));
        (format!("there is no stack symbol `{unknown}`"), Some(near.unwrap_or_else(all)))
    });
    Some(wrong.map_or(Ok(pattern), Err))
}

/// What is wrong with a property, and what to do about it.
type Wrong = (String, Option<String>);

/// The pattern of a property that speaks of components which there are, given by their names.
fn pattern(machine: &Machine, components: &[&str], name: &str) -> Option<Result<Pattern, Wrong>> {
    let (argument, is_pattern) = argument(name)?;
    let pattern = match is_pattern {
        true => match Pattern::parse(&argument) {
            Ok(pattern) => pattern,
            Err(why) => {
                let hint = "a pattern names components from the bottom: `main .* f .*`";
                return Some(Err((format!("in `{name}`: {why}"), Some(hint.to_owned()))));
            }
        },
        false => Pattern::containing(&argument),
    };
    let unknown = pattern.names().into_iter().find(|name| !components.contains(name));
    let wrong = unknown.map(|unknown| {
        (format!("there is no component `{unknown}`"), Some(meant(machine, components, unknown)))
    });
    Some(wrong.map_or(Ok(pattern), Err))
}

/// How many components are listed in a hint.
const MOST: usize = 6;

/// What to write for a name that is no component.
fn meant(machine: &Machine, components: &[&str], unknown: &str) -> String {
    let boxes = machine.components().flat_map(|component| machine.boxes_of(component));
    if let Some(&call) = boxes.into_iter().find(|&&call| machine.box_name(call) == unknown) {
        let callee = components[machine.callee(call).index()];
        return format!(
            "`{unknown}` is a box, and it calls `{callee}`; write the name of the component: `{callee}`"
        );
    }
    let near = did_you_mean(Nearest::new().among(unknown, components.iter().copied()));
    near.unwrap_or_else(|| {
        format!("the components are {}", listed(MOST, components.iter().copied()))
    })
}

/// What is wrong with a proposition that is no property of the stack, but nearly one.
fn misspelt(components: &[&str], name: &str) -> Option<Wrong> {
    let (word, rest) = name.split_once('(')?;
    let known = ["called", "stack"];
    let small = word.to_lowercase();
    let meant = match known.iter().find(|&&it| it == small) {
        Some(meant) => meant,
        // A label of this name may well be missing from one of several models.
        None if small == "call" => return None,
        None => Nearest::new().among(&small, known)?,
    };
    let example = components.last().copied().unwrap_or("f");
    let asks = match meant {
        "called" => ("one component", format!("called({example})")),
        _ => ("one pattern in quotes", format!("stack(\".* {example}\")")),
    };
    let corrected = format!("{meant}({rest}");
    if word != meant && is_property(&corrected) {
        let message = format!("`{name}` is no label, and no property of the stack");
        return Some((message, Some(format!("did you mean `{corrected}`?"))));
    }
    let message = format!("`{meant}` asks for {}, in parentheses", asks.0);
    Some((message, Some(format!("write for instance `{}`", asks.1))))
}

//! Labelled transition systems as edge lists, in the format of Aldebaran that CADP and mCRL2 use.
//!
//! ```text
//! des (0, 3, 2)
//! (0, "send", 1)
//! (1, i, 1)
//! (1, "receive", 0)
//! ```
//! The first line has the initial state, the number of transitions and the number of states; each
//! other line a transition with its action. `i` and `tau` are actions that nobody sees.
//!
//! # Meaning
//! In a Kripke structure labels belong to states, so the action is that of the state which it led
//! to: a node is a state together with the action by which it was just entered, and has that as its
//! label. A transition is one step. `AG (send -> AX receive)` says: after each `send`, the next
//! action is `receive`.
//!
//! The writer writes machines that came from such lists, or are like them: at most one label a
//! state, and none at the start.

use super::flat::flatten;
use crate::collector::{Collector, utf8};
use crate::formats::{Format, Likeness, Writer};
use crate::problem::{Problem, Refusal};
use crate::source::{Lines, Source};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use tern_model::budget::Meter;
use tern_model::quoted::{push_quoted, unquote};
use tern_model::{Budget, Builder, Claims, Edge, Machine, NodeId, Place, Span};

/// The codes of problems with edge lists, and what they mean.
pub const CODES: &[(&str, &str)] = &[
    ("K201", "bytes that are not UTF-8, or a text too long to be read"),
    ("K202", "the first line is no header such as `des (0, 3, 2)`"),
    ("K203", "a line that is no transition such as `(0, \"send\", 1)`"),
    ("K204", "a state that is beyond the number of states in the header"),
    ("K205", "another number of transitions than the header says"),
    ("K241", "the machine has no finite graph of states"),
    ("K242", "labels that a list of transitions cannot hold"),
    ("K299", "how many problems were left out"),
];

/// The row of the table of formats.
pub static FORMAT: Format = Format {
    name: "aut",
    called: "a list of transitions",
    about: "a labelled transition system as an edge list (Aldebaran)",
    endings: &["aut"],
    likeness: |text| match text.starts_with(b"des (") || text.starts_with(b"des(") {
        true => Likeness::Certain,
        false => Likeness::None,
    },
    read: |source, budget| Ok((read(source, budget)?, Claims::new()).into()),
    has_values: false,
    writer: Some(Writer { write: |machine, _| write(machine), holds_claims: false }),
    page: "docs/kripke-formats.md",
    codes: CODES,
};

/// A transition, and where it stands.
struct Transition<'a> {
    from: u32,
    action: Cow<'a, str>,
    to: u32,
    span: Span,
}

/// Reads a machine of one component.
///
/// # Errors
/// All problems of the text, or what ran out.
pub fn read(source: &Source, budget: &Budget) -> Result<Machine, Refusal> {
    let (text, start) = utf8(&source.bytes, "K201")?;
    let mut meter = Meter::new(budget);
    let mut problems = Collector::default();
    let mut lines = lines_of(text, start);
    let header = lines.next();
    let Some([initial, count, states]) = header.and_then(|(line, _)| header_of(line)) else {
        let span = header.map_or(Span::new(start..start), |(_, span)| span);
        let problem = Problem::error("K202", "the header is missing")
            .at(span, "`des (INITIAL, TRANSITIONS, STATES)` was expected here");
        return Err(vec![problem].into());
    };
    let header = header.map_or(Span::new(start..start), |(_, span)| span);
    let mut transitions = Vec::new();
    let mut lines_seen = 0usize;
    for (line, span) in lines {
        meter.tick().map_err(Refusal::Limit)?;
        lines_seen += 1;
        let Some((from, action, to)) = transition_of(line) else {
            problems.add(|_| {
                Problem::error("K203", "this is no transition")
                    .at(span, "`(FROM, \"ACTION\", TO)` was expected here")
            });
            continue;
        };
        match [from, to].into_iter().find(|&state| state >= states) {
            Some(state) => problems.add(|_| {
                Problem::error("K204", format!("there is no state {state}"))
                    .at(span, "in this transition")
                    .related(header, format!("{states} states are announced here"))
            }),
            None => transitions.push(Transition { from, action, to, span }),
        }
    }
    if initial >= states {
        problems.add(|_| {
            Problem::error("K204", format!("there is no state {initial}"))
                .at(header, "it is initial")
        });
    }
    if lines_seen != count as usize {
        problems.add(|_| {
            let found = format!("{count} transitions are announced, and {lines_seen} are there");
            Problem::error("K205", found)
                .at(header, "announced here")
                .hint("the file may be cut off")
        });
    }
    problems.finish("K299")?;
    build(source, initial, &transitions, &mut meter).map_err(Refusal::Limit)
}

/// The lines that are not blank, without the blanks around them.
fn lines_of(text: &str, start: usize) -> impl Iterator<Item = (&str, Span)> {
    let mut at = start;
    text[start..].split_inclusive('\n').filter_map(move |line| {
        let begin = at + (line.len() - line.trim_start().len());
        at += line.len();
        let line = line.trim();
        (!line.is_empty()).then(|| (line, Span::new(begin..begin + line.len())))
    })
}

fn header_of(line: &str) -> Option<[u32; 3]> {
    let inner = line.strip_prefix("des")?.trim().strip_prefix('(')?.strip_suffix(')')?;
    let mut numbers = inner.split(',').map(|number| number.trim().parse::<u32>().ok());
    let found = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(found)
}

fn transition_of(line: &str) -> Option<(u32, Cow<'_, str>, u32)> {
    let inner = line.strip_prefix('(')?.strip_suffix(')')?;
    let (from, rest) = inner.split_once(',')?;
    let (action, to) = rest.rsplit_once(',')?;
    let action = action.trim();
    let is_quoted = action.len() > 1 && action.starts_with('"') && action.ends_with('"');
    let action = if is_quoted { unquote(action) } else { Cow::Borrowed(action) };
    Some((from.trim().parse().ok()?, action, to.trim().parse().ok()?))
}

/// Whether nobody sees an action.
fn is_hidden(action: &str) -> bool {
    matches!(action, "i" | "tau" | "")
}

fn build(
    source: &Source,
    initial: u32,
    transitions: &[Transition<'_>],
    meter: &mut Meter<'_>,
) -> Result<Machine, tern_model::Limit> {
    let mut builder = Builder::new();
    let component = builder.component("main");
    let mut lines = Lines::new(source);
    let mut nodes: FxHashMap<(u32, &str), NodeId> = FxHashMap::default();
    let mut of_state: FxHashMap<u32, Vec<NodeId>> = FxHashMap::default();
    let mut node = |builder: &mut Builder, state: u32, action: &'_ str| {
        let name = match action {
            "" => state.to_string(),
            action => format!("{state} after {action}"),
        };
        let node = builder.node(component, &name);
        of_state.entry(state).or_default().push(node);
        if !action.is_empty() {
            builder.label(node, action);
        }
        node
    };
    let first = node(&mut builder, initial, "");
    builder.initial(first);
    nodes.insert((initial, ""), first);
    for Transition { action, to, span, .. } in transitions {
        meter.tick()?;
        let action = if is_hidden(action) { "" } else { action };
        nodes.entry((*to, action)).or_insert_with(|| {
            let node = node(&mut builder, *to, action);
            builder.origin(node, lines.origin(*span));
            node
        });
    }
    for Transition { from, action, to, .. } in transitions {
        let action = if is_hidden(action) { "" } else { action };
        let target = nodes[&(*to, action)];
        for &source in of_state.get(from).map_or(&[][..], |list| list) {
            meter.tick()?;
            builder.edge(Place::Node(source), Edge::Step(target));
        }
    }
    Ok(builder.finish().unwrap_or_else(|flaws| unreachable!("a graph is sound: {flaws:?}")))
}

/// Writes all configurations of a machine as a list of transitions.
///
/// # Errors
/// That there is no end of them, or everything that actions cannot say.
pub fn write(machine: &Machine) -> Result<String, Vec<Problem>> {
    let flat = flatten(machine).map_err(|endless| {
        vec![Problem::error("K241", endless.to_string()).hint(endless.hint())]
    })?;
    let mut problems = Vec::new();
    let mut note = |message: String| {
        let hint = "an action is the one label of the state it leads to; write .dot instead";
        problems.push(Problem::error("K242", message).hint(hint));
    };
    let [initial] = flat.initial[..] else {
        note("a list of transitions has one initial state".to_owned());
        return Err(problems);
    };
    if !flat.labels[initial].is_empty() {
        note(format!("the initial state `{}` has a label", flat.names[initial]));
    }
    if let Some(state) = flat.labels.iter().position(|labels| labels.len() > 1) {
        note(format!("the state `{}` has several labels", flat.names[state]));
    }
    if let Some((_, name)) = machine.labels().find(|(_, name)| is_hidden(name)) {
        note(format!("`{name}` is no label here, but the action that nobody sees"));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let count: usize = flat.edges.iter().map(Vec::len).sum();
    let mut text = format!("des ({initial}, {count}, {})\n", flat.names.len());
    for (from, targets) in flat.edges.iter().enumerate() {
        for &to in targets {
            let mut action = String::new();
            match flat.labels[to].first() {
                Some(&label) => push_quoted(&mut action, machine.label_name(label)),
                None => action.push('i'),
            }
            text += &format!("({from}, {action}, {to})\n");
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PING: &str = "des (0, 3, 2)\n(0, \"send\", 1)\n(1, i, 1)\n(1, \"receive\", 0)\n";

    fn machine(text: &str) -> Machine {
        read(&Source::new("l.aut", text), &Budget::unlimited()).expect("sound")
    }

    #[test]
    fn actions_are_labels_of_what_they_lead_to() {
        let machine = machine(PING);
        let names: Vec<&str> = machine.nodes().map(|node| machine.node_name(node)).collect();
        assert_eq!(names, ["0", "1 after send", "1", "0 after receive"]);
        // From 0 and `0 after receive` by send, from both copies of 1 by i and receive.
        assert_eq!(machine.edge_count(), 6);
        let send = machine.label("send").expect("an action");
        assert_eq!(machine.labelled(send).len(), 1);
    }

    #[test]
    fn what_is_written_means_the_same() {
        let once = write(&machine(PING)).expect("finite");
        assert_eq!(once.lines().next(), Some("des (0, 6, 4)"));
        // The copies are told apart already, so that nothing more is split.
        assert_eq!(write(&machine(&once)).expect("finite"), once);
    }

    #[test]
    fn faults_have_codes() {
        for (text, code) in [
            ("", "K202"),
            ("des (0, 1)\n", "K202"),
            ("des (0, 1, 1)\n(0, a\n", "K203"),
            ("des (0, 1, 1)\n(0, a, 1)\n", "K204"),
            ("des (1, 0, 1)\n", "K204"),
            ("des (0, 2, 1)\n(0, a, 0)\n", "K205"),
        ] {
            match read(&Source::new("l.aut", text), &Budget::unlimited()) {
                Err(Refusal::Problems(problems)) => assert_eq!(problems[0].code, code, "{text}"),
                found => panic!("{text}: {found:?}"),
            }
        }
    }
}

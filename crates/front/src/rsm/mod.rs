//! RSM JSON, the format of RSMCheck: reads it into a machine, and writes the machines it can say.
//!
//! ```json
//! {"initial_component": "main", "initial_node": "start", "components": [
//!   {"name": "main",
//!    "nodes": [{"name": "start", "is_entry": true, "is_exit": false, "labels": ["p"]}],
//!    "boxes": [{"name": "b", "component": "main", "call_nodes": ["start"], "return_nodes": []}],
//!    "transitions": [{"source": {"type": "node", "name": "start"},
//!                     "targets": [{"type": "box_node", "box_name": "b",
//!                                  "node_name": "start"}]}]}]}
//! ```
//!
//! # What is read
//! Keys come in any order, and keys that are not listed here are skipped. `is_entry` and `is_exit`
//! are false, and `labels`, `boxes`, `transitions`, `call_nodes` and `return_nodes` are empty,
//! unless given. `initial_node` is a name or a list of names, and so is `initial_nodes`; all are
//! nodes of `initial_component`. References are also understood in the spelling
//! `{"type": "node", "node": n}` and `{"type": "box_node", "box": b, "node": n}`. Names of nodes
//! and boxes need be unique within their component only. An exit node returns by an exit of its
//! own name. A box may be passed at ports that its lists do not mention. For abstract machines a
//! node may have `unknown_labels` beside its labels, and a transition `possible_targets` beside its
//! targets.
//!
//! # How
//! One pass over the text fills flat tables of symbols and offsets (`raw`), then the symbols are
//! resolved (`resolve`). Time is linear in the length of the text. The tables are a fraction of the
//! text.

mod json;
mod raw;
mod resolve;
mod scan;
mod symbols;
mod writer;

pub use writer::write;

use crate::collector::encoding_hint;
use crate::formats::{Format, Likeness, Reading, Writer};
use crate::problem::{Problem, Refusal};
use crate::source::Source;
use json::{Json, Stop};
use tern_model::budget::Meter;
use tern_model::{Budget, Claims, Flaw, Machine, Span};

/// All codes of this reader and writer, each with what it means.
pub const CODES: &[(&str, &str)] = &[
    ("R100", "The file is empty."),
    ("R101", "The text is not JSON."),
    ("R102", "The text is not UTF-8."),
    ("R103", "The file is too long; 4 GiB are too many."),
    ("R104", "A value is of the wrong type."),
    ("R105", "An object lacks a key that it must have."),
    ("R106", "An object has the same key twice, so that it is unclear which value counts."),
    ("R107", "A reference is neither to a node nor to a node of a box."),
    ("R110", "Two components have the same name."),
    ("R111", "Two nodes of one component have the same name."),
    ("R112", "Two boxes of one component have the same name."),
    ("R120", "A box calls a component that does not exist."),
    ("R121", "A reference names a node that does not exist."),
    ("R122", "A reference names a box that does not exist."),
    ("R123", "An exit has a transition: it leaves its component and cannot go on in it."),
    ("R124", "A component is called at a node that is not one of its entries."),
    ("R125", "A box goes on after a node of its callee that is not an exit."),
    ("R130", "No initial node is given."),
    ("R131", "The initial component does not exist."),
    ("R132", "An initial node does not exist."),
    ("R141", "RSM JSON cannot say that a program ends in a state of its own, or forbid dead ends."),
    ("R142", "RSM JSON cannot say that a node both returns and goes on, or returns by two exits."),
    ("R143", "RSM JSON cannot say that an exit is not exactly one node of its name."),
    ("R144", "RSM JSON needs an initial node, and all initial nodes in one component."),
    ("R145", "RSM JSON cannot say that a return is only possible."),
    ("R150", "A warning: a key means nothing here, and is like one that does."),
    ("R190", "The machine breaks a rule that the reader does not check itself."),
    ("R199", "There are more problems than are reported."),
];

/// The row of the table of formats.
pub static FORMAT: Format = Format {
    name: "rsm",
    called: "RSM JSON",
    about: "JSON, as other checkers of recursive state machines use it",
    endings: &["rsm", "json"],
    likeness,
    read: |source, budget| {
        let (machine, warnings) = read_with_warnings(source, budget)?;
        Ok(Reading { warnings, ..(machine, Claims::new()).into() })
    },
    has_values: false,
    writer: Some(Writer { write: |machine, _| write(machine), holds_claims: false }),
    page: "docs/rsm-format.md",
    codes: CODES,
};

/// By its first letters.
fn likeness(text: &[u8]) -> Likeness {
    match text {
        [b'{', rest @ ..] if rest.trim_ascii_start().starts_with(b"\"") => Likeness::Certain,
        [b'{' | b'[', ..] => Likeness::Some,
        _ => Likeness::None,
    }
}

/// Reads a machine.
///
/// # Errors
/// All problems of the text (of very many the first hundred), or the limit that was reached.
pub fn read(source: &Source, budget: &Budget) -> Result<Machine, Refusal> {
    read_with_warnings(source, budget).map(|(machine, _)| machine)
}

/// Reads a machine, and gives what is perhaps not meant.
fn read_with_warnings(
    source: &Source,
    budget: &Budget,
) -> Result<(Machine, Vec<Problem>), Refusal> {
    let text = check_text(&source.bytes)?;
    let start = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
    let mut json = Json::new(text, start, budget);
    let mut raw = raw::Raw::default();
    match raw.read(&mut json) {
        Ok(()) => {}
        Err(Stop::Limit(limit)) => return Err(limit.into()),
        Err(Stop::Syntax) => {
            json.syntax_problem();
            json.problems.finish(MORE)?;
            unreachable!("a text that is no JSON has a problem");
        }
    }
    let Json { names, mut problems, warnings, .. } = json;
    let mut builder =
        resolve::resolve(&raw, &names, text.as_bytes(), &mut problems, &mut Meter::new(budget))?;
    problems.finish(MORE)?;
    builder.names_are_unique();
    // The machine's tables are made next; these are no longer needed.
    drop((raw, names));
    budget.check()?;
    let machine = builder.finish();
    let machine =
        machine.map_err(|flaws| Refusal::Problems(flaws.iter().map(unforeseen).collect()))?;
    Ok((machine, warnings))
}

/// The code of the problem that there are more problems.
const MORE: &str = "R199";

/// What some editors put before the text.
const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// The text of a file that can be JSON at all.
fn check_text(bytes: &[u8]) -> Result<&str, Refusal> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(Problem::error("R103", "the file is longer than 4 GiB").into());
    }
    let text = std::str::from_utf8(bytes).map_err(|error| -> Refusal {
        let at = error.valid_up_to();
        Problem::error("R102", "the text is not UTF-8")
            .at(Span::new(at..at + 1), "this byte begins no character")
            .hint(encoding_hint(bytes))
            .into()
    })?;
    if text.trim_start_matches(BYTE_ORDER_MARK).trim_ascii().is_empty() {
        return Err(Problem::error("R100", "the file is empty").hint(
            "a model is a JSON object with `initial_component`, `initial_node` and `components`",
        ).into());
    }
    Ok(text)
}

/// All rules are checked before, with places; should one be missed, it is better said than not.
fn unforeseen(flaw: &Flaw) -> Problem {
    Problem::error("R190", flaw.to_string())
}

/// The span of a string of the text, quotes included, from the offset of its first quote.
fn string_span(text: &[u8], quote: u32) -> Span {
    let start = quote as usize;
    let mut end = start + 1;
    while let Some(&byte) = text.get(end) {
        end += if byte == b'\\' { 2 } else { 1 };
        if byte == b'"' {
            break;
        }
    }
    Span::new(start..end.min(text.len()))
}

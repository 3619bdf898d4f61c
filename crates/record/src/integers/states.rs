//! Evidence about integer programs by states that were listed one by one, both directions.
//!
//! ```text
//! {"kind": "states", "version": 1, "start": {"x": 3} or null, "starts": 1024, "states": 5000,
//!  "choices": 256, "size": 100, "evidence": {…}}
//! ```
//! The first fields say which states these are: from which initial values (`null` for all), and how
//! far they are followed. `evidence` is evidence about the machine that the states are, of one of
//! the kinds for machines, or `null` if no initial state has a run.

use super::Number;
use crate::flaw::{Flaw, Nonsense};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

const KIND: &str = "states";
const VERSION: u32 = 1;

/// Which states were listed, and evidence about the machine that they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedStates<E> {
    /// The initial values if it is one state; `None` for all initial states.
    pub start: Option<BTreeMap<String, i128>>,
    /// So many initial states at most.
    pub starts: usize,
    /// So many states are followed at most.
    pub states: usize,
    /// So many numbers of a choice are listed at least.
    pub choices: i128,
    /// The largest number, whatever its sign, in states that are followed.
    pub size: i128,
    /// The evidence about the machine, in JSON.
    pub evidence: E,
}

#[derive(Serialize, Deserialize)]
struct File<E> {
    kind: String,
    version: u32,
    start: Option<BTreeMap<String, Number>>,
    starts: usize,
    states: usize,
    choices: Number,
    size: Number,
    evidence: E,
}

/// Evidence by listed states as JSON.
///
/// # Errors
/// Never in practice: all keys are text.
pub fn write_states(
    listed: ListedStates<serde_json::Value>,
) -> serde_json::Result<serde_json::Value> {
    let ListedStates { start, starts, states, choices, size, evidence } = listed;
    let start = start.map(|it| it.into_iter().map(|(name, value)| (name, Number(value))).collect());
    let (choices, size) = (Number(choices), Number(size));
    let (kind, version) = (KIND.to_owned(), VERSION);
    serde_json::to_value(File { kind, version, start, starts, states, choices, size, evidence })
}

/// Reads evidence by listed states; `None` if it is of another kind. What is read has the right
/// form and nothing more.
///
/// # Errors
/// The first thing in it that makes no sense.
pub fn read_states(json: &str) -> Result<Option<ListedStates<String>>, Flaw> {
    #[derive(Deserialize)]
    struct Head {
        kind: String,
        version: u32,
    }
    let head: Head = serde_json::from_str(json)?;
    if head.kind != KIND {
        return Ok(None);
    }
    if head.version != VERSION {
        return Err(Nonsense::Version { kind: head.kind, version: head.version }.into());
    }
    let file: File<&RawValue> = serde_json::from_str(json)?;
    let start = file.start.map(|it| it.into_iter().map(|(name, value)| (name, value.0)).collect());
    Ok(Some(ListedStates {
        start,
        starts: file.starts,
        states: file.states,
        choices: file.choices.0,
        size: file.size.0,
        evidence: file.evidence.get().to_owned(),
    }))
}

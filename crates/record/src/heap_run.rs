//! Runs of pointer programs in result files: evidence of kind `heap-run`.
//!
//! ```text
//! kind      "heap-run"     version  1
//! given     the procedure, and what its parameters may be, as text
//! objects   the types of the objects of the input
//! fields    [object, name, target or null]: all fields of these
//! numbers   [object, name, number]: fields of these that hold numbers; left out if there are none
//! values    what the parameters are, then names of heaps that are given: {"object": n},
//!           {"number": n}, null, or "any" where it makes no difference
//! element   the object that `elem` is, or null
//! choices   which way was taken, where the program goes either way
//! steps     how many steps there are
//! ending    "stays", {"again": step} or {"deeper": step}
//! ```

use serde::{Deserialize, Serialize};

/// The kind, as evidence names it.
pub const KIND: &str = "heap-run";

/// The version of the kind.
pub const VERSION: u32 = 1;

/// A run of a pointer program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the table above says what each is")]
pub struct HeapRun {
    pub kind: String,
    pub version: u32,
    pub given: String,
    pub objects: Vec<String>,
    pub fields: Vec<(usize, String, Option<usize>)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<(usize, String, i64)>,
    pub values: Vec<Option<StartValue>>,
    pub element: Option<usize>,
    pub choices: Vec<bool>,
    pub steps: usize,
    pub ending: RunEnding,
}

/// What a parameter is, if it is not `null`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartValue {
    /// An object, by its number.
    Object(usize),
    /// A number.
    Number(i64),
    /// Whatever it is, the run is the same.
    Any,
}

/// How a run goes on for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunEnding {
    /// It has ended.
    Stays,
    /// It is as it was at a step.
    Again(usize),
    /// Its frame on top is as that was at a step, below it.
    Deeper(usize),
}

impl HeapRun {
    /// Reads evidence of this kind.
    ///
    /// # Errors
    /// Why it is none.
    pub fn read(json: &str) -> Result<Self, String> {
        let run: HeapRun = serde_json::from_str(json).map_err(|error| error.to_string())?;
        match (run.kind.as_str(), run.version) {
            (KIND, VERSION) => Ok(run),
            (KIND, version) => Err(format!("version {version} of `{KIND}` is not known")),
            (other, _) => Err(format!("evidence of kind `{other}` is not about pointer programs")),
        }
    }
}

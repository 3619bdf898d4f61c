//! The result file, in both directions: verdicts, witnesses and evidence as JSON.
//!
//! [`json`] writes a result file and documents its schema; [`result_file`] reads one, and
//! [`read_evidence`] reads the evidence in it. A result file is untrusted input: what is read has
//! sound ids and nothing more. Whether evidence proves anything is for the certifier to say.

pub mod json;
mod labelling;
mod labelling_reader;
mod path_evidence;
pub mod result_file;
mod star_evidence;
pub mod terms;
mod visible;
mod watch_evidence;
mod witness;
pub mod wording;

pub use labelling_reader::read_labelling;
use path_evidence::read_path_evidence;
use star_evidence::read_star_evidence;
pub use visible::{visible, visible_char};

use tern_model::{Evidence, Formulas, Machine, Property};

/// Reads evidence of any kind for a claim on a machine. What is read has sound ids and nothing more.
///
/// # Errors
/// The first thing in it that makes no sense for this machine and claim, in a few words.
pub fn read_evidence(
    machine: &Machine,
    formulas: &Formulas,
    claim: &Property,
    json: &str,
) -> Result<Evidence, String> {
    #[derive(serde::Deserialize)]
    struct Head {
        kind: String,
    }
    let head: Head = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let formula = claim.formula();
    match (head.kind.as_str(), formula) {
        ("runs" | "absence", _) => read_path_evidence(machine, formulas, formula, json),
        ("star", Some(formula)) => {
            read_star_evidence(machine, formulas, formula, json).map(Evidence::Star)
        }
        (_, Some(formula)) => {
            read_labelling(machine, formulas, formula, json).map(Evidence::Labelling)
        }
        (kind, None) => Err(format!("evidence of the kind `{kind}` says nothing about automata")),
    }
}

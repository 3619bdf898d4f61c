//! Outcomes and facts as text for people and JSON for programs.
//!
//! Nothing here decides anything: what is printed was concluded elsewhere. Nothing here opens a
//! file or knows a terminal either; text is made for any `fmt::Write`, coloured if a
//! [`Palette`] with colours is given.

pub mod calls;
pub mod certified;
pub mod dot;
pub mod info;
pub mod json;
mod labelling;
mod labelling_reader;
pub mod palette;
mod path_evidence;
pub mod result_file;
mod star_evidence;
pub mod story;
mod terms;
pub mod text;
mod visible;
mod watch_evidence;
mod witness;
mod wording;

pub use labelling_reader::read_labelling;
pub use palette::Palette;
use path_evidence::read_path_evidence;
use star_evidence::read_star_evidence;
pub use visible::{visible, visible_char};

use serde::Serialize;
use tern_model::{AtomId, BoxId, Evidence, FormulaId, Formulas, Machine, NodeId, Outcome};

/// The answer to one claim, with what the certifier said of its evidence.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The answer.
    pub outcome: Outcome,
    /// What the certifier said, if it was asked.
    pub certification: Option<Certification>,
    /// If the claim holds, and that was asked: what it says of this machine.
    pub meaning: Meaning,
    /// The labels that runs are shown with, beside those that the claim speaks of as a formula.
    pub labels: Vec<AtomId>,
}

/// What a claim that holds says of a machine.
#[derive(Clone, Debug, Default)]
pub struct Meaning {
    /// If the claim holds only because something it speaks of never happens.
    pub vacuous: Option<Vacuous>,
    /// What of the claim does not matter.
    pub redundant: Vec<Redundant>,
    /// A run on which the claim has something to say.
    pub example: Option<Example>,
}

/// The premise of an implication is never fulfilled.
#[derive(Clone, Debug)]
pub struct Vacuous {
    /// The premise.
    pub premise: String,
    /// Whether it is false in all configurations, not only where the claim asks for it.
    pub never: bool,
    /// What the claim comes down to, and holds.
    pub claim: String,
}

/// A part of a claim that does not matter.
#[derive(Clone, Debug, Serialize)]
pub struct Redundant {
    /// The part.
    pub part: String,
    /// The claim without it, which holds as well.
    pub claim: String,
}

/// A claim that something never happens, and fails.
#[derive(Clone, Debug)]
pub struct Example {
    /// Where the claim lives.
    pub formulas: Formulas,
    /// The claim.
    pub claim: FormulaId,
    /// Why it fails, with a story.
    pub outcome: Outcome,
}

/// What the certifier said.
#[derive(Clone, Copy, Debug)]
pub struct Certification {
    /// Whether it accepted the evidence. If not, the verdict is unknown.
    pub accepted: bool,
    /// The time it took, in seconds.
    pub seconds: f64,
}

impl From<Outcome> for Answer {
    /// An answer that the certifier was not asked about.
    fn from(outcome: Outcome) -> Self {
        Answer { outcome, certification: None, meaning: Meaning::default(), labels: Vec::new() }
    }
}

/// Reads evidence of any kind for a claim on a machine. What is read has sound ids and nothing more.
///
/// # Errors
/// The first thing in it that makes no sense for this machine and claim, in a few words.
pub fn read_evidence(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    json: &str,
) -> Result<Evidence, String> {
    #[derive(serde::Deserialize)]
    struct Head {
        kind: String,
    }
    let head: Head = serde_json::from_str(json).map_err(|error| error.to_string())?;
    match head.kind.as_str() {
        "runs" | "absence" => read_path_evidence(machine, formulas, claim, json),
        "star" => read_star_evidence(machine, formulas, claim, json).map(Evidence::Star),
        _ => read_labelling(machine, formulas, claim, json).map(Evidence::Labelling),
    }
}

/// The name of a node that is unique in its machine: `component.node`.
pub fn node_path(machine: &Machine, node: NodeId) -> String {
    let component = machine.component_of(node);
    format!("{}.{}", machine.component_name(component), machine.node_name(node))
}

/// The name of a box that is unique in its machine: `component.box`.
pub fn box_path(machine: &Machine, call: BoxId) -> String {
    let component = machine.component_of_box(call);
    format!("{}.{}", machine.component_name(component), machine.box_name(call))
}

/// A count with its noun, in the plural if need be: `1 node`, `3 nodes`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// The first `most` of some names, separated by commas, and how many more there are.
pub fn listed(names: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let left_off = names.len().saturating_sub(most);
    let mut text = names.take(most).collect::<Vec<_>>().join(", ");
    if left_off > 0 {
        text.push_str(&format!(" and {left_off} more"));
    }
    text
}

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
pub mod star_evidence;
pub mod story;
mod terms;
pub mod text;
mod visible;
mod witness;

pub use labelling_reader::read_labelling;
pub use palette::Palette;
pub use visible::{visible, visible_char};

use tern_model::{BoxId, Machine, NodeId, Outcome};

/// The answer to one claim, with what the certifier said of its evidence.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The answer.
    pub outcome: Outcome,
    /// What the certifier said, if it was asked.
    pub certification: Option<Certification>,
    /// If the claim holds only because something it speaks of never happens: that, as a formula.
    pub vacuous: Option<String>,
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
        Answer { outcome, certification: None, vacuous: None }
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

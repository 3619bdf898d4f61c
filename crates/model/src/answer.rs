//! The answer to one claim: an outcome, what it means, and what the certifier said of it.

use crate::index::FormulaId;
use crate::logic::Formulas;
use crate::verdict::{Outcome, Verdict};

/// The answer to one claim, with what the certifier said of its evidence.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The answer.
    pub outcome: Outcome,
    /// What the certifier said, if it was asked.
    pub certification: Option<Certification>,
    /// If the claim holds, and that was asked: what it says of this machine.
    pub meaning: Meaning,
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
#[derive(Clone, Debug)]
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

impl Answer {
    /// What was concluded.
    pub fn verdict(&self) -> &Verdict {
        &self.outcome.verdict
    }
}

impl From<Outcome> for Answer {
    /// An answer that the certifier was not asked about.
    fn from(outcome: Outcome) -> Self {
        Answer { outcome, certification: None, meaning: Meaning::default() }
    }
}

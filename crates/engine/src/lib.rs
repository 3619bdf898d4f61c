//! The engines: they decide claims on machines. No files, no output.
//!
//! [`check`] is the way in. Each engine has an entry in [`ENGINES`]; all give the same verdicts.

pub mod survey;

pub use survey::{DeadEnd, Survey, survey};

use tern_model::{Budget, FormulaId, Formulas, Machine, Outcome};

/// An engine, as the command line names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engine {
    /// Its name for `--engine`.
    pub name: &'static str,
    /// The logic it decides.
    pub logic: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
}

/// All engines; `auto` chooses the first that can decide a claim.
pub const ENGINES: &[Engine] = &[Engine {
    name: "eager",
    logic: "CTL",
    about: "bottom-up over the subformulas, in all reachable contexts",
}];

/// What to do beyond deciding.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The engine to use, by name; `None` lets Tern choose.
    pub engine: Option<&'static str>,
    /// Whether to give evidence with the verdict.
    pub evidence: bool,
}

/// Decides one claim.
pub fn check(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    options: &Options,
    budget: &Budget,
) -> Outcome {
    let _ = (machine, formulas, claim, options, budget);
    unimplemented!()
}

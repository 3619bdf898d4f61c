//! What keeps the engines honest: the checker of evidence, and the oracles.
//!
//! This crate depends on `tern-model` alone, never on an engine, so that a bug in an engine cannot
//! hide here. Everything in it has to be believed by reading it. So there are no heuristics and no
//! `unsafe` in it, and slower is fine.
//!
//! [`labelling`] checks the evidence that an engine gives with its verdict, in time linear in the
//! evidence, and without deciding anything itself. [`run`] replays the runs by which a verdict is
//! explained. [`linear`] checks evidence about runs, [`star`] evidence for claims in CTL*.
//! [`lasso`] evaluates a path formula on a word that repeats itself for ever.
//!
//! [`oracle`] decides formulas by other means than the engines, for the tests.

pub mod labelling;
pub mod lasso;
pub mod linear;
mod moves;
pub mod oracle;
pub mod run;
pub mod star;

use tern_model::Limit;

/// Why a check came to no good end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped<R> {
    /// Something is wrong.
    Refused(R),
    /// A limit was reached before everything was looked at.
    Limit(Limit),
}

impl<R: std::fmt::Display> std::fmt::Display for Stopped<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stopped::Refused(refusal) => refusal.fmt(f),
            Stopped::Limit(limit) => limit.fmt(f),
        }
    }
}

impl From<labelling::Refusal> for Stopped<labelling::Refusal> {
    fn from(refusal: labelling::Refusal) -> Self {
        Stopped::Refused(refusal)
    }
}

impl From<run::Refusal> for Stopped<run::Refusal> {
    fn from(refusal: run::Refusal) -> Self {
        Stopped::Refused(refusal)
    }
}

impl From<linear::Refusal> for Stopped<linear::Refusal> {
    fn from(refusal: linear::Refusal) -> Self {
        Stopped::Refused(refusal)
    }
}

impl<R> From<Limit> for Stopped<R> {
    fn from(limit: Limit) -> Self {
        Stopped::Limit(limit)
    }
}

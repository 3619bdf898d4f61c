//! What keeps the engines honest: oracles that decide formulas by means too simple to be wrong.
//!
//! This crate depends on `tern-model` alone, never on an engine, so that a bug in an engine cannot
//! hide here. It is the home of everything that has to be believed by reading it: the oracles
//! below, and the checker of evidence. So there are no caches, no heuristics and no `unsafe` in it,
//! and slower is fine.
//!
//! Two oracles decide CTL, from the step relation in the header of
//! [`machine`](tern_model::machine) and in different ways:
//! * [`unfold`] builds the configurations up to a stack depth, one by one, and computes fixpoints
//!   of all operators on them. It may be silent, but where it speaks there is little to doubt.
//! * [`exact`] tabulates components under the contexts in which they are called. It always speaks,
//!   and so judges what unfolding cannot: recursion without bound.
//!
//! Two more decide CTL*, and so LTL, by one automaton for a path formula, the `tableau`:
//! * [`finite`] on finite structures, and so on machines with finitely many configurations;
//! * [`pushdown`] on all machines, by saturation of pushdown systems.
//!
//! [`lasso`] evaluates a path formula on a word that repeats itself for ever.
//!
//! [`distance`] says how short a run can be, by looking at one configuration after another.
//!
//! [`labelling`] checks the evidence that an engine gives with its verdict, in time linear in the
//! evidence, and without deciding anything itself. [`run`] replays the runs by which a verdict is explained.
//! [`linear`] checks evidence about runs, [`star`] evidence for claims in CTL*.
//!
//! What the oracles and engines are tried on:
//! * [`sample`]: random machines and formulas, by seed;
//! * [`tiny`]: all machines of a tiny shape, and formulas worth asking about them;
//! * [`sketch`]: machines and formulas in a few lines of text, and machines back to text, so that
//!   a failing test prints what can be pasted into the next one.

pub mod distance;
pub mod exact;
mod existential;
pub mod finite;
mod fragment;
pub mod labelling;
pub mod lasso;
pub mod linear;
mod moves;
pub mod pushdown;
pub mod run;
pub mod sample;
pub mod sketch;
pub mod star;
mod tableau;
pub mod tiny;
pub mod unfold;

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

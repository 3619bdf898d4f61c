//! What keeps the engines honest: the checker of evidence, and the oracles.
//!
//! This crate depends on `tern-model` alone, never on an engine, so that a bug in an engine cannot
//! hide here. Everything in it has to be believed by reading it. So there are no heuristics and no
//! `unsafe` in it, and slower is fine. Of `tern-model` it believes the machine, the data of
//! formulas and the forms of evidence, but no law of logic: what a claim means is read from the
//! formula as it was written, by [`reading`].
//!
//! [`check`] is the way in. Behind it, `labelling` checks the evidence that an engine gives with
//! its verdict, in time linear in the evidence, and without deciding anything itself. [`run`]
//! replays the runs by which a verdict is explained. `linear` checks evidence about runs, [`star`]
//! evidence for claims in CTL*. [`lasso`] evaluates a path formula on a word that repeats itself
//! for ever. [`top_level`] makes the machine in which calls are single steps; [`Ordinary`] is what
//! evidence about an abstract machine speaks of.
//!
//! [`oracle`] decides formulas by other means than the engines, for the tests.

mod abstraction;
mod door;
mod labelling;
pub mod lasso;
mod linear;
mod moves;
pub mod oracle;
mod partial;
pub mod reading;
mod refusal;
pub mod run;
pub mod star;
mod top_level;

pub use abstraction::Ordinary;
pub use door::{Asked, Subject, check, check_outcome, spoken_of};
pub use refusal::{Refusal, Stopped};
pub use top_level::top_level;

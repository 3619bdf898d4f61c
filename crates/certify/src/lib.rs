//! What keeps the engines honest: the checker of evidence, and the oracles.
//!
//! This crate depends on `tern-model` and the types of `tern-ir` alone, never on an engine or an
//! analysis, so that a bug there cannot hide here. Everything in it has to be believed by reading
//! it. So there are no heuristics and no `unsafe` in it, and slower is fine. Of `tern-model` it
//! believes the machine, the data of formulas and the forms of evidence, but no law of logic: what
//! a claim means is read from the formula as it was written, by [`reading`]; what implies it, if it
//! is beyond CTL, by [`implied`].
//!
//! [`check`] is the way in. Behind it, `labelling` checks the evidence that an engine gives with
//! its verdict, in time linear in the evidence, and without deciding anything itself. [`run`]
//! replays the runs by which a verdict is explained. `linear` checks evidence about runs, [`star`]
//! evidence for claims in CTL*. [`lasso`] evaluates a path formula on a word that repeats itself
//! for ever. [`top_level`] makes the machine in which calls are single steps; [`Ordinary`] is what
//! evidence about an abstract machine speaks of.
//!
//! [`heap`] replays runs of pointer programs.
//!
//! [`oracle`] decides formulas by other means than the engines, for the tests.
//!
//! ```
//! use tern_certify::{Asked, check};
//! use tern_model::{Budget, Builder, Claim, Edge, Ending, Evidence, Formula, Formulas, Move};
//! use tern_model::{MoveKind, Obligation, Place, Run, Sought, Verdict};
//!
//! // A program that may wait for ever.
//! let mut b = Builder::new();
//! let main = b.component("main");
//! let (wait, work) = (b.node(main, "wait"), b.node(main, "work"));
//! b.label(work, "done");
//! for (from, to) in [(wait, wait), (wait, work), (work, work)] {
//!     b.edge(Place::Node(from), Edge::Step(to));
//! }
//! b.initial(wait);
//! let machine = b.finish().expect("a sound machine");
//! let mut formulas = Formulas::new();
//! let done = formulas.atom("done");
//! let later = formulas.make(Formula::Finally(done));
//! let claim = Claim::new(later);
//!
//! // Somebody says that `F done` fails, and shows a run: `wait`, and that again for ever.
//! let stay = Move { kind: MoveKind::Step, node: wait };
//! let run = Run { moves: vec![stay], ending: Ending::Loop(0) };
//! let sought = Sought::Formula(Obligation { formula: later, holds: false });
//! let shown = |run| Evidence::Runs { sought, runs: vec![(wait, run)] };
//! let (asked, budget) = (Asked { formulas: &formulas, claim: &claim }, Budget::unlimited());
//! let judge =
//!     |verdict, run| check((&machine).into(), asked, &verdict, None, &shown(run), &budget);
//! assert!(judge(Verdict::Fails, run.clone()).is_ok());
//!
//! // What does not prove the verdict is refused, with the reason.
//! assert!(judge(Verdict::Holds, run.clone()).is_err());
//! let other = Run { moves: vec![Move { node: work, ..stay }], ending: Ending::Loop(0) };
//! assert!(judge(Verdict::Fails, other).is_err());
//! ```

mod abstraction;
mod begun;
mod door;
pub mod heap;
pub mod implied;
pub mod integers;
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
pub mod tracking;

pub use abstraction::Ordinary;
pub use door::{Asked, Subject, check, check_outcome, spoken_of};
pub use refusal::{Refusal, Stopped};
pub use top_level::top_level;

//! The engines: they decide claims on machines. No files, no output.
//!
//! [`Checker`] is the way in: it prepares a machine once and decides any number of claims on it.
//! Each engine has an entry in [`ENGINES`]; all give the same verdicts.
//!
//! ```
//! use tern_engine::{Checker, Options};
//! use tern_model::{Budget, Builder, Edge, Evidence, Formula, Formulas, Place, Verdict};
//!
//! // A program that calls itself for ever, or returns.
//! let mut b = Builder::new();
//! let f = b.component("f");
//! let (begin, end) = (b.node(f, "begin"), b.node(f, "end"));
//! let again = b.call_box(f, "again", f);
//! b.entry(begin);
//! b.label(end, "done");
//! let exit = b.exit_node(end);
//! b.edge(Place::Node(begin), Edge::Call(again, begin));
//! b.edge(Place::Node(begin), Edge::Step(end));
//! b.edge(Place::Site(again, exit), Edge::Step(end));
//! b.initial(begin);
//! let machine = b.finish().expect("a sound machine");
//!
//! // AF done: does every run come to `end`?
//! let mut formulas = Formulas::new();
//! let done = formulas.atom("done");
//! let finally = formulas.make(Formula::Finally(done));
//! let claim = formulas.make(Formula::All(finally));
//!
//! let budget = Budget::unlimited();
//! let checker = Checker::new(&machine, &budget).expect("no limits are set");
//! let options = Options { evidence: true, ..Options::default() };
//! let outcome = checker.check(&formulas, claim, &options, &budget);
//! assert_eq!(outcome.verdict, Verdict::Fails); // it may recurse for ever
//!
//! // The evidence knows the truth in every configuration: at `end` the claim holds, however deep.
//! let Some(Evidence::Labelling(labelling)) = outcome.evidence else { panic!("it was asked for") };
//! assert_eq!(labelling.holds_at(&machine, &formulas, &[again, again], end), Some(true));
//! assert_eq!(labelling.holds_at(&machine, &formulas, &[again, again], begin), Some(false));
//! ```

mod abstraction;
mod checker;
mod ctl;
mod demand;
mod engines;
mod fillings;
mod ground;
mod linear;
mod many;
pub mod meaning;
mod star;
mod streett;
mod tell;
mod top_level;

pub use checker::{Checker, Options};
pub use demand::{SpaceChecker, follows_runs};
pub use engines::{Algorithm, Contexts, ENGINES, Engine, Runs, Setting};
pub use ground::survey::{DeadEnd, Survey, survey};
pub use star::{Proved, Reach, prove as prove_star};
pub use top_level::top_level;

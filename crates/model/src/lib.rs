//! The vocabulary of Tern: recursive state machines, formulas, verdicts and evidence.
//!
//! Everything else reads or makes values of this crate. It depends on no other crate of Tern,
//! reads no files and decides no formula.
//!
//! ```
//! use tern_model::{Builder, Edge, Formula, Formulas, Place};
//!
//! // A download that calls itself until it works.
//! let mut b = Builder::new();
//! let main = b.component("main");
//! let fetch = b.component("fetch");
//! let (start, done) = (b.node(main, "start"), b.node(main, "done"));
//! let (attempt, ok) = (b.node(fetch, "attempt"), b.node(fetch, "ok"));
//! b.entry(attempt);
//! let success = b.exit_node(ok);
//! let get = b.call_box(main, "get", fetch);
//! let again = b.call_box(fetch, "again", fetch);
//! b.label(done, "done");
//! b.edge(Place::Node(start), Edge::Call(get, attempt));
//! b.edge(Place::Site(get, success), Edge::Step(done));
//! b.edge(Place::Node(attempt), Edge::Step(ok));
//! b.edge(Place::Node(attempt), Edge::Call(again, attempt));
//! b.edge(Place::Site(again, success), Edge::Step(ok));
//! b.initial(start);
//! let machine = b.finish().expect("all rules of machines are kept");
//! assert_eq!((machine.node_count(), machine.box_count()), (4, 2));
//! assert_eq!(machine.node_path(attempt), "fetch.attempt");
//!
//! // AF done, as a formula.
//! let mut formulas = Formulas::new();
//! let atom = formulas.atom("done");
//! let later = formulas.make(Formula::Finally(atom));
//! let claim = formulas.make(Formula::All(later));
//! assert_eq!(formulas.show(claim).to_string(), "AF done");
//! ```

pub mod absence;
pub mod abstraction;
pub mod answer;
pub mod automaton;
pub mod budget;
pub mod builder;
pub mod claim;
pub mod complement_state;
pub mod evidence;
pub mod fairness;
pub mod index;
pub mod logic;
pub mod machine;
pub mod moves;
pub mod names;
pub mod origin;
pub mod palette;
pub mod partition;
pub mod quoted;
pub mod run;
pub mod scc;
pub mod space;
pub mod span;
pub mod star_evidence;
pub mod start;
pub mod step;
pub mod subsets;
pub mod tri;
pub mod verdict;
pub mod visible;

pub use absence::{Absence, Obligation, Sought};
pub use answer::{Answer, Certification, Example, Meaning, Redundant, Vacuous};
pub use automaton::{Acceptor, Automaton, Must};
pub use budget::{Budget, Limit};
pub use builder::{Builder, Flaw};
pub use claim::{
    AutomatonProperty, Claim, Claims, Condition, Configuration, Property, Quantifier, RunsProperty,
    Start, Under,
};
pub use evidence::{Event, Frame, Ground, Labelling, Layer, Proof, Region, Summaries};
pub use fairness::{Fairness, Followed, Pair, Side};
pub use index::{
    AtomId, BoxId, CompId, ExitId, FormulaId, Id, LabelId, NodeId, PlaceId, StateId, TermId,
};
pub use logic::{Formula, Formulas};
pub use machine::{CallEdge, DeadEndRule, Edge, EndRule, Machine, Place, Surety};
pub use origin::{Origin, Origins};
pub use palette::Palette;
pub use run::{AnnotatedRun, Ending, Mark, Move, MoveKind, Reason, Run, Story, Topic};
pub use span::Span;
pub use star_evidence::StarEvidence;
pub use start::View;
pub use tri::Tri;
pub use verdict::{Coarse, Evidence, Gap, Missing, Outcome, Stats, Verdict};
pub use visible::{brief, visible, visible_char};

//! The result file, in both directions: verdicts, witnesses and evidence as JSON.
//!
//! The schema is `tern-result/1` ([`result_file::SCHEMA`]); each kind of evidence has a version
//! besides, which is 1. Fields may be added while these stay; whatever changes the meaning of a
//! field changes them. `docs/result-file.md` is the specification of the file,
//! `docs/certificate.md` that of evidence.
//!
//! [`json`] writes a result file and documents its schema; [`result_file`] reads one, and
//! [`read_evidence`] reads the evidence in it. A result file is untrusted input: what is read has
//! sound ids and nothing more; what makes no sense is a [`Flaw`] with its place. Whether evidence
//! proves anything is for the certifier to say.
//!
//! ```
//! use tern_engine::{Checker, Options};
//! use tern_model::{Answer, Budget, Builder, Claim, Claims, Edge, Place};
//! use tern_record::json::{self, Results};
//! use tern_record::result_file::ResultFile;
//!
//! let mut b = Builder::new();
//! let main = b.component("main");
//! let node = b.node(main, "n");
//! b.edge(Place::Node(node), Edge::Step(node));
//! b.initial(node);
//! let machine = b.finish().expect("a sound machine");
//! let mut claims = Claims::new();
//! let p = claims.formulas.atom("p");
//! claims.push(Claim::new(p));
//!
//! let (budget, options) = (Budget::unlimited(), Options { evidence: true, ..Options::default() });
//! let checker = Checker::new(&machine, &budget).expect("no limits are set");
//! let outcome = checker.check(&claims.formulas, p, &options, &budget);
//!
//! // Written, and read back with its evidence.
//! let answers = [Answer::from(outcome)];
//! let results = Results::new("m.tern", &claims, &[1], &answers);
//! let text = json::text(&Results { machine: Some(&machine), ..results });
//! let file = ResultFile::read(&text).expect("it was just written");
//! assert_eq!((file.results[0].claim.as_str(), file.results[0].verdict.as_str()), ("p", "fails"));
//! assert!(file.results[0].evidence.is_some());
//! ```

mod complement_states;
mod flaw;
pub mod heap_proof;
pub mod heap_run;
pub mod integers;
pub mod json;
mod labelling;
mod labelling_reader;
mod path_evidence;
pub mod result_file;
mod star_evidence;
pub mod told;
pub mod trace;
mod witness;

pub use flaw::{Flaw, Nonsense, Step};
pub use labelling_reader::read_labelling;
use path_evidence::read_path_evidence;
use star_evidence::read_star_evidence;
pub use tern_model::{visible, visible_char};

use tern_model::{Evidence, Formulas, Machine, Property};

/// Reads evidence of any kind for a claim on a machine. What is read has sound ids and nothing
/// more.
///
/// # Errors
/// The first thing in it that makes no sense for this machine and claim.
pub fn read_evidence(
    machine: &Machine,
    formulas: &Formulas,
    claim: &Property,
    json: &str,
) -> Result<Evidence, Flaw> {
    #[derive(serde::Deserialize)]
    struct Head {
        kind: String,
    }
    let head: Head = serde_json::from_str(json)?;
    let formula = claim.said();
    match (head.kind.as_str(), formula) {
        ("runs" | "absence", _) => read_path_evidence(machine, formulas, formula, json),
        ("star", Some(formula)) => {
            read_star_evidence(machine, formulas, formula, json).map(Evidence::Star)
        }
        (_, Some(formula)) => {
            read_labelling(machine, formulas, formula, json).map(Evidence::Labelling)
        }
        (_, None) => Err(Nonsense::NotOfAutomata(head.kind).into()),
    }
}

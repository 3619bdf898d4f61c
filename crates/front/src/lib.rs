//! Readers and writers: text in files to and from the values of `tern-model`.
//!
//! A reader takes a [`Source`] and gives its value, or *all* [`Problem`]s of the text at once, each
//! with a code, a place and a way out. Readers never panic, never recurse on the native stack and
//! never give a value for a text with errors.
//!
//! [`FORMATS`] is the table of the formats of models. Machines and formulas can also be made from
//! parameters, with [`generate`].
//!
//! ```
//! use tern_front::{Refusal, Source, claims, tern};
//! use tern_model::Budget;
//!
//! let budget = Budget::unlimited();
//! let text = "component main { initial a -> b; node b {done} -> b; }\nclaim AF done;";
//! let (machine, mut said) = tern::read(&Source::new("m.tern", text), &budget)?;
//! claims::read_one(&mut said, "safe: AG (done -> AX done)").expect("a sound formula");
//! assert_eq!((machine.node_count(), said.list().len()), (2, 2));
//!
//! // All that is wrong with a text, with its places and the way out.
//! let source = Source::new("m.tern", "component main {\n  initial a -> b;\n  nod b {done};\n}");
//! let refusal: Refusal = tern::read(&source, &budget).expect_err("a keyword is misspelt");
//! let text = refusal.show(&source);
//! assert!(text.contains("m.tern:3:3") && text.contains("did you mean `node`?"), "{text}");
//! # Ok::<(), Refusal>(())
//! ```

pub mod claims;
mod collector;
pub mod formats;
pub mod formula;
pub mod generate;
pub mod hoa;
pub mod imp;
pub mod input;
pub mod kripke;
pub mod pdmu;
pub mod pds;
pub mod problem;
mod pushdown;
pub mod render;
pub mod rsm;
mod rules;
mod scope;
pub mod smv;
pub mod source;
pub mod stack;
pub mod tern;
pub mod unexplored;
pub mod vocabulary;
pub mod words;

pub use formats::{FORMATS, Format, Reading};
pub use problem::{Label, Problem, Refusal, Severity};
pub use render::Wrong;
pub use source::{Setting, Source};
pub use unexplored::{Asked, Reduction, Unexplored, When};
pub use vocabulary::Vocabulary;

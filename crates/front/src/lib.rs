//! Readers and writers: text in files to and from the values of `tern-model`.
//!
//! A reader takes a [`Source`] and gives its value, or *all* [`Problem`]s of the text at once, each
//! with a code, a place and a way out. Readers never panic, never recurse on the native stack and
//! never give a value for a text with errors.
//!
//! [`FORMATS`] is the table of the formats of models. Machines and formulas can also be made from
//! parameters, with [`generate`].

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
mod stack;
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

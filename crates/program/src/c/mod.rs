//! C programs over integers: a reader, their meaning as a flow graph, and an interpreter.
//!
//! [`parse`](parse::parse) makes a [syntax tree](syntax) of a text, or says what is wrong with it.
//! [`lower`](lower::lower) makes a [flow graph](tern_ir::flow) of the tree, in which calls are
//! inlined; it refuses what the integer analysis cannot treat. [`atom`] reads the comparisons that
//! claims make. [`interpret`] runs the tree itself and shares nothing with the lowering;
//! [`explicit`] decides claims by listing its states, [`story`] replays runs with it, and
//! [`onward`] follows them further. `docs/integers.md` says what programs mean.

pub mod atom;
mod bits;
mod cases;
pub mod claim;
mod coarse;
mod declare;
pub mod dialect;
mod elements;
pub mod explicit;
mod graph;
mod growth;
pub mod hoist;
mod inline;
pub mod interpret;
mod lexer;
pub mod lower;
mod macros;
pub mod onward;
pub mod outline;
pub mod parse;
mod recursion;
pub mod sample;
pub mod story;
pub mod stronger;
pub mod syntax;
pub mod t2;
mod typing;
mod wrap;

use tern_model::Span;

/// Something that is wrong with a program, or that cannot be treated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A short stable code.
    pub code: &'static str,
    /// Where.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
    /// If it is not about the program: which of the conditions on initial states it stands in.
    pub given: Option<usize>,
}

/// The codes of faults, each with a title.
pub const CODES: &[(&str, &str)] = &[
    ("C101", "the text is not C as far as it is read here"),
    ("C102", "a name is not declared, or declared twice"),
    ("C103", "something of C that integer programs do not have: pointers, floats, structs, ..."),
    ("C104", "something that the integer analysis does not treat: large arrays, `static`, ..."),
    ("C105", "there is no function `main`"),
    ("C106", "a task of a competition that is not understood"),
    ("C107", "the text is not a transition system of T2"),
];

impl Fault {
    pub(crate) fn new(
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Fault {
        Fault { code, span, message: message.into(), hint: hint.into(), given: None }
    }
}

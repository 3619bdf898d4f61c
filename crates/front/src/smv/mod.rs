//! SMV modules: the finite modules of NuSMV, and modules that call each other by `CALL` and end by
//! `EXIT`, as the literature on recursive Kripke structures has them.
//!
//! ```text
//! MODULE main
//! VAR    n : 0..6;  busy : boolean;
//! ASSIGN init(n) := 0;
//!        next(n) := (n + 1) mod 7;
//! SPEC   AG (n = 6 -> AX n = 0)
//! ```
//! The grammar and its meaning are in `docs/smv-format.md`; where NuSMV 2.6 gives a meaning, it is
//! that one. The way of a text:
//!
//! 1. `parser` and `sections` make modules of it, `expression` and `operand` expressions.
//! 2. `flat` opens instances, `inherit` gives modules what others declare, `processes` lets some
//!    take turns; `resolve` and `typing` make typed terms of expressions, `simplify` folds them.
//! 3. `system` and `stepper` make of assignments and constraints something that puts states
//!    together; `checks` looks for values out of range, in all states.
//! 4. `explore` finds the states that can be reached, packed and hashed.
//! 5. `claims` and `spec` make formulas of specifications, `labels` finds where their propositions
//!    hold, `calls` checks what can be called, and `program` builds the machine.
//!
//! `writer` writes a finite machine as one module with one variable.
//! `words` answers for propositions that come later, and for the values in states.

mod calls;
mod checks;
mod claims;
mod eval;
mod explore;
mod expression;
mod flat;
mod inherit;
mod labels;
mod lexer;
mod operand;
mod parser;
mod processes;
mod program;
mod resolve;
mod sections;
mod simplify;
mod spec;
mod stepper;
mod syntax;
mod system;
mod terms;
mod types;
mod typing;
mod words;
mod writer;
mod writing;

pub use writer::write;

use crate::collector::{Collector, utf8};
use crate::formats::{Format, Likeness, Reading, Writer};
use crate::problem::Refusal;
use crate::source::Source;
use tern_model::Budget;
use tern_model::budget::Meter;

/// The codes of problems with SMV texts, and what they mean.
pub const CODES: &[(&str, &str)] = &[
    ("S001", "bytes that are not UTF-8, or a text too long to be read"),
    ("S002", "a character that has no meaning here"),
    ("S003", "a comment that is never closed"),
    ("S004", "a number that is too large, or of a type that is not supported"),
    ("S005", "something else is expected here"),
    ("S006", "a part of the language that is not supported"),
    ("S007", "no module, or none that is run"),
    ("S020", "a name that is not declared"),
    ("S021", "a name, a module or a value that is declared twice"),
    ("S022", "a module that contains itself"),
    ("S023", "an instance with too many or too few arguments"),
    ("S024", "a definition or an assignment that depends on itself"),
    ("S025", "a parameter that has no value"),
    ("S026", "a variable that is assigned twice"),
    ("S027", "an assignment to something that cannot be assigned to"),
    ("S030", "a type without values, or whose bounds are not constant"),
    ("S031", "values of different types where they must be alike"),
    ("S032", "`next`, or an input, where one state is spoken of"),
    ("S033", "an operator of time where it has no place"),
    ("S040", "an expression that has no value in some state"),
    ("S041", "a value that a variable cannot have"),
    ("S042", "too many states"),
    ("S043", "no initial state"),
    ("S050", "a module that can be called and has several initial states"),
    ("S051", "a call in the initial state of a module"),
    ("S052", "a call in the exit of a module"),
    ("S053", "a call with a label"),
    ("S054", "a call that follows a call"),
    ("S055", "two calls at once"),
    ("S060", "strong fairness beside specifications that do not ask for it"),
    ("S061", "something that was read and left out"),
    ("S070", "a machine that is no finite graph, which the writer of modules needs"),
    ("S071", "a label that cannot be a name in a module"),
    ("S090", "a machine that is not sound"),
    ("S099", "how many problems were left out"),
];

/// The row of the table of formats.
pub static FORMAT: Format = Format {
    name: "smv",
    called: "an SMV text",
    about: "modules of NuSMV, and modules that call each other",
    endings: &["smv"],
    likeness,
    read,
    has_values: true,
    writer: Some(Writer { write: |machine, _| write(machine), holds_claims: false }),
    page: "docs/smv-format.md",
    codes: CODES,
};

/// By its first word, behind comments.
fn likeness(text: &[u8]) -> Likeness {
    let mut rest = text;
    while rest.starts_with(b"--") {
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        rest = rest[end..].trim_ascii_start();
    }
    let is_module = rest
        .strip_prefix(b"MODULE")
        .is_some_and(|behind| behind.first().is_some_and(u8::is_ascii_whitespace));
    if is_module { Likeness::Certain } else { Likeness::None }
}

/// Reads a machine, the claims that stand beside it, and what knows more propositions.
///
/// # Errors
/// All problems of the text, or what ran out.
pub fn read(source: &Source, budget: &Budget) -> Result<Reading, Refusal> {
    let (text, start) = utf8(&source.bytes, "S001")?;
    let mut meter = Meter::new(budget);
    let mut problems = Collector::default();
    let parsed = parser::parse(text, start, &mut meter, &mut problems)?;
    let (machine, claims, words, warnings) = program::build(source, parsed, problems, &mut meter)?;
    let vocabulary = Some(Box::new(words) as Box<dyn crate::Vocabulary>);
    Ok(Reading { machine, claims, warnings, vocabulary })
}

//! Pushdown systems as PDSolver writes them: the format `.pdmu`.
//!
//! ```text
//! Rules:
//! csinit # -> csq main0 #;          // p g -> q w: control state and symbol, and what follows them
//! csq main0 -> csq _;               // `_` is the empty word: a pop
//!
//! Propositions:
//! csq main0 p q;                    // the labels of a head
//!
//! Mu Property:
//! mu Z. csend | <>Z                 // left out, with a warning
//! ```
//! It starts with control state `csinit` and stack `#` or, where no rule has that on its left, with
//! the left side of the first rule. The grammar and its meaning are in `docs/pds-format.md`; what
//! machine that is, in `crate::pushdown`.

mod parser;
mod writer;

pub use writer::write;

use crate::collector::{Collector, utf8};
use crate::formats::{Format, Likeness, Reading, Writer};
use crate::problem::Refusal;
use crate::pushdown::{self, Indexed};
use crate::source::Source;
use tern_model::budget::Meter;
use tern_model::{Budget, Claims};

/// The codes of problems with `.pdmu` texts, and what they mean.
pub const CODES: &[(&str, &str)] = &[
    ("D001", "bytes that are not UTF-8, or a text too long to be read"),
    ("D002", "something else is expected here"),
    ("D003", "a rule or a line of propositions without its `;`"),
    ("D004", "no rule, so that there is nothing to start with"),
    ("D005", "a bracket of the mu property that is closed wrongly, or never"),
    ("D006", "a mu property, which is left out (a warning)"),
    ("D007", "a start that is taken to be the first rule (a warning)"),
    ("D008", "a part of the file that is left out (a warning)"),
    ("D080", "a label that such a file cannot hold"),
    ("D081", "a machine that no such pushdown system is the same as"),
    ("D090", "a machine that is not sound"),
    ("D099", "how many problems were left out"),
];

/// The row of the table of formats.
pub static FORMAT: Format = Format {
    name: "pdmu",
    called: "rules of PDSolver",
    about: "pushdown systems of PDSolver",
    endings: &["pdmu"],
    likeness,
    read,
    has_values: false,
    writer: Some(Writer { write: |machine, _| write(machine), holds_claims: false }),
    page: "docs/pds-format.md",
    codes: CODES,
};

/// By its first word.
fn likeness(text: &[u8]) -> Likeness {
    match text.get(..6) {
        Some(word) if word.eq_ignore_ascii_case(b"rules:") => Likeness::Certain,
        _ => Likeness::None,
    }
}

/// Reads a machine.
///
/// # Errors
/// All problems of the text, or what ran out.
pub fn read(source: &Source, budget: &Budget) -> Result<Reading, Refusal> {
    let (text, start) = utf8(&source.bytes, "D001")?;
    let mut meter = Meter::new(budget);
    let mut problems = Collector::default();
    let draft = parser::parse(text, start, &mut meter, &mut problems)?;
    problems.finish("D099")?;
    let mut system = Indexed::from(draft.system);
    let (machine, symbols) = pushdown::machine(&mut system, source, "D090", &mut meter)?;
    let vocabulary = Some(Box::new(symbols) as Box<dyn crate::Vocabulary>);
    Ok(Reading { machine, claims: Claims::new(), warnings: draft.warnings, vocabulary })
}

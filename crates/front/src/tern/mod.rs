//! Machines as text: the format `.tern`, made for people to write and to read in a diff.
//!
//! ```text
//! component main {
//!   initial entry n1 {red} -> b.n6;   // calls `callee` through box `b` at entry `n6`
//!   box b: callee;
//!   b.n9 -> n4;                       // what follows when that call returns by `n9`
//!   exit n4 {black};                  // returns by the exit of its own name
//! }
//! component callee { entry n6 {red} -> n6, n9;  exit n9 {red} }
//! claim safe: AG (red -> EF black);
//! ```
//! A question mark behind a label or an edge says that it is unknown, or only possible.
//! The grammar and its meaning are in `docs/tern-format.md`.
//!
//! [`read()`] goes through the text once and notes what is declared, and where edges stand; then
//! these are read again and their names resolved: a name may be used before it is declared. All
//! problems of a text are reported at once; where a part cannot be read, names that seem to be
//! missing in it are not complained of. [`write()`] is canonical: what it writes is read back as
//! the same machine, apart from the numbers of nodes (which then count component by component), and
//! written again as the same text.

mod draft;
mod format;
mod lexer;
mod parser;
mod resolve;
mod slips;
#[cfg(test)]
mod tests;
mod writer;

pub use format::format;
pub use writer::write;

use crate::collector::{Collector, utf8};
use crate::formats::{Format, Likeness, Reading, Writer};
use crate::problem::Refusal;
use crate::source::{Lines, Source};
use tern_model::budget::Meter;
use tern_model::{Budget, Claims, Machine};

/// The codes of problems with `.tern` texts, and what they mean. Formulas and claims have their
/// own.
pub const CODES: &[(&str, &str)] = &[
    ("T001", "bytes that are not UTF-8, or a text too long to be read"),
    ("T002", "a character that has no meaning here"),
    ("T003", "a quote that is not closed on its line"),
    ("T004", "a comment that is never closed"),
    ("T005", "a backslash before a character that needs none"),
    ("T006", "something else is expected here"),
    ("T007", "a component that is never closed"),
    ("T008", "a closing brace that was never opened"),
    ("T009", "a keyword where a name is expected"),
    ("T010", "a word said twice of one node"),
    ("T011", "an unknown rule for the end of the program or for dead ends"),
    ("T012", "a rule that is given twice"),
    ("T013", "an exit node with edges"),
    ("T020", "two components of one name"),
    ("T021", "two nodes of one name in a component"),
    ("T022", "two boxes of one name in a component"),
    ("T023", "two exits of one name in a component"),
    ("T024", "an unknown component"),
    ("T025", "an unknown node"),
    ("T026", "an unknown box"),
    ("T027", "a call at something that is not an entry"),
    ("T028", "a return site for something that is not an exit"),
    ("T029", "an unknown exit"),
    ("T030", "a return at a return site"),
    ("T031", "no initial node"),
    ("T090", "a machine that is not sound"),
    ("T091", "a text that could not be laid out"),
    ("T099", "how many problems were left out"),
];

/// The row of the table of formats.
pub static FORMAT: Format = Format {
    name: "tern",
    called: "a .tern text",
    about: "text for people, with claims",
    endings: &["tern"],
    likeness,
    read: |source, budget| read(source, budget).map(Reading::from),
    has_values: false,
    writer: Some(Writer {
        write: |machine, claims| Ok(write(machine, claims)),
        holds_claims: true,
    }),
    page: "docs/tern-format.md",
    codes: CODES,
};

/// By its first word: what may begin a file, or a comment.
fn likeness(text: &[u8]) -> Likeness {
    const BEGINNINGS: [&[u8]; 9] = [
        b"component",
        b"initial",
        b"claim",
        b"fair",
        b"compassion",
        b"end",
        b"deadlock",
        b"//",
        b"/*",
    ];
    match BEGINNINGS.into_iter().any(|beginning| text.starts_with(beginning)) {
        true => Likeness::Some,
        false => Likeness::None,
    }
}

/// Reads a machine, and the claims that stand beside it.
///
/// # Errors
/// All problems of the text, or what ran out.
pub fn read(source: &Source, budget: &Budget) -> Result<(Machine, Claims), Refusal> {
    let (text, start) = utf8(&source.bytes, "T001")?;
    let mut meter = Meter::new(budget);
    let mut problems = Collector::default();
    let mut draft = parser::parse(text, start, &mut meter, &mut problems)?;
    let mut builder = resolve::resolve(text, &mut draft, &mut meter, &mut problems)?;
    problems.finish("T099")?;
    builder.names_are_unique();
    let mut lines = Lines::new(source);
    for (node, at) in draft.nodes.iter() {
        builder.origin(node, lines.origin(at.span()));
    }
    // The machine's tables are made next; these are no longer needed.
    drop((draft.nodes, draft.origins, draft.targets));
    budget.check()?;
    let machine = builder.finish().map_err(|flaws| {
        let problem = |flaw: tern_model::Flaw| crate::Problem::error("T090", flaw.to_string());
        flaws.into_iter().map(problem).collect::<Vec<_>>()
    })?;
    for claim in &mut draft.claims {
        claim.origin = Some(lines.origin(claim.span));
    }
    let mut claims = Claims::from(draft.formulas);
    claims.extend(draft.claims);
    claims.restrict(draft.fair);
    Ok((machine, claims))
}

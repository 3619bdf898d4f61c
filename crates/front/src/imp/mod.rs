//! Concurrent imperative programs: the format `.imp`, the small language that textbooks on model
//! checking teach with.
//!
//! ```text
//! var turn : 0..1 = 0;
//! cobegin
//!   while true do wait (turn = 0); turn := 1 od
//! || while true do wait (turn = 1); turn := 0 od
//! coend
//! claim AG EF turn = 1;
//! ```
//! The grammar and its meaning are in `docs/imp-format.md`.
//!
//! A text goes through these hands: `parser` and `items` make a `program` of control points,
//! with `reading` for expressions; `labelling` names the points; `compile` makes sites of
//! them that can be stepped through (`step`). That much is `prepared`. Then `explore` finds the
//! states of a program with processes, all or those that `reduce` takes for enough given what is
//! `visible`, or `space` gives them on demand; `procedures` makes components of a program with
//! procedures; `dress` names and labels the nodes. `meaning` says what propositions mean, and
//! `vocabulary` answers for those that are no labels.

mod compile;
mod dress;
mod explore;
mod expr;
mod formula;
mod items;
mod labelling;
mod layout;
mod lexer;
mod meaning;
mod parser;
mod prepared;
mod procedures;
mod program;
mod reading;
mod reduce;
mod space;
mod step;
#[cfg(test)]
mod tests;
mod visible;
mod vocabulary;

use crate::collector::{Collector, utf8};
use crate::formats::{Format, Likeness, Reading};
use crate::problem::{Problem, Refusal};
use crate::source::{Lines, Setting, Source};
use crate::unexplored::{Reduction, Unexplored};
use labelling::Labelling;
use parser::Draft;
use prepared::{Prepared, Waiting};
use program::PointId;
use std::sync::Arc;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{Budget, Claims, Origin};

/// The codes of problems with programs, and what they mean. Formulas and claims have their own.
pub const CODES: &[(&str, &str)] = &[
    ("G001", "bytes that are not UTF-8, or a text too long to be read"),
    ("G002", "a character that has no meaning here"),
    ("G003", "a comment that is never closed"),
    ("G004", "something else is expected here"),
    ("G005", "a number that is too large"),
    ("G006", "a word that closes nothing"),
    ("G007", "a statement or procedure that is not closed"),
    ("G008", "no statement at all"),
    ("G010", "an unknown variable or procedure"),
    ("G011", "a name that is declared twice, or is a constant where a variable is needed"),
    ("G012", "a label that is given twice, or is the name of another control point"),
    ("G013", "a value that must be known before the program runs"),
    ("G014", "a range without a number in it"),
    ("G015", "an initial value that the variable cannot have"),
    ("G016", "an unknown option, or value of an option"),
    ("G017", "an option that is given twice"),
    ("G020", "an operator with an operand of the wrong type"),
    ("G021", "a number where a truth value is needed, or the reverse"),
    ("G022", "a lock that is not a variable with the values 0 and 1"),
    ("G023", "a call of a procedure in a program with processes"),
    ("G024", "a call with too few or too many arguments"),
    ("G030", "more states than can be kept"),
    ("G040", "states were left out that make no difference to the claims"),
    ("G041", "no states were left out, though that was asked for"),
    ("G090", "a machine that is not sound"),
    ("G099", "how many problems were left out"),
];

/// What can be set from outside; it overrules the options of the text.
pub const SETTINGS: &[&str] = &["granularity", "composition", "fairness"];

/// The row of the table of formats.
pub static FORMAT: Format = Format {
    name: "imp",
    called: "a concurrent program",
    about: "concurrent imperative programs over finite variables, with procedures",
    endings: &["imp"],
    likeness,
    read,
    has_values: true,
    writer: None,
    page: "docs/imp-format.md",
    codes: CODES,
};

/// By its first word.
fn likeness(text: &[u8]) -> Likeness {
    let begins = |words: &[&str]| {
        words.iter().any(|word| {
            let rest = text.strip_prefix(word.as_bytes());
            rest.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
        })
    };
    match () {
        () if begins(&["cobegin", "while", "proc"]) => Likeness::Certain,
        () if begins(&["var", "const", "option", "if", "skip"]) => Likeness::Some,
        () => Likeness::None,
    }
}

/// Reads a text as far as names: the program, and what its points are called.
fn program(source: &Source, meter: &mut Meter<'_>) -> Result<(Draft, Labelling), Refusal> {
    let (text, start) = utf8(&source.bytes, "G001")?;
    let mut problems = Collector::default();
    let mut draft = parser::parse(text, start, meter, &mut problems)?;
    draft.program.settle();
    for Setting { name, value } in &source.settings {
        if let Some(Err(values)) = draft.program.mode.set(name, value) {
            let names = crate::words::listed(9, values.iter().copied());
            problems.add(|_| {
                Problem::error("G016", format!("`{name}` cannot be `{value}`"))
                    .hint(format!("its values are {names}"))
            });
        }
    }
    let labelling = labelling::labelling(&draft.program, &mut problems);
    problems.finish("G099")?;
    Ok((draft, labelling))
}

/// Reads a program as far as its text goes, with the claims that stand beside it.
///
/// # Errors
/// All problems of the text, or what ran out.
pub fn begin(source: &Source, budget: &Budget) -> Result<Box<dyn Unexplored>, Refusal> {
    let mut meter = Meter::new(budget);
    let (draft, labelling) = program(source, &mut meter)?;
    let Draft { program, names, formulas, claims: mut list, mut fair } = draft;
    let mut lines = Lines::new(source);
    let origins: Table<PointId, Origin> =
        program.points.iter().map(|(_, point)| lines.origin(point.span)).collect();
    for claim in &mut list {
        claim.origin = Some(lines.origin(claim.span));
    }
    let compiled = compile::compile(&program);
    let prepared = Prepared { program, compiled, labelling, names, origins };
    let mut claims = Claims::from(formulas);
    claims.comparisons = true;
    fair.extend(prepared.conditions(&mut claims));
    claims.extend(list);
    claims.restrict(fair);
    Ok(Box::new(Waiting { prepared: Arc::new(prepared), claims }))
}

/// Reads a program with all of its states, and the claims that stand beside it.
///
/// # Errors
/// All problems of the text, or what ran out.
pub fn read(source: &Source, budget: &Budget) -> Result<Reading, Refusal> {
    begin(source, budget)?.explore(Reduction::none(), budget)
}

//! Reads a formula of CTL*, in the spellings of several tools at once.
//!
//! `AG (p -> AF q)` of NuSMV, `A G ( a --> E F b )` of RSMCheck and `[](p -> <>q)` of Spot all
//! mean what they mean there, and may be mixed; the table of spellings is in `docs/formulas.md`.
//! What [`Formulas::show`](tern_model::Formulas::show) prints is read back as the same formula.
//!
//! Operators from loose to tight: `->` (groups to the right), `<->`, `|`, `xor`, `&` (to the
//! left), `U R W M` (to the right), prefix operators. A quantifier takes the tightest path formula
//! behind it: see the parser for the rule.
//!
//! The text is cut into tokens, then one loop with an explicit stack makes the formula: time is
//! linear and nesting may be as deep as memory allows. All problems of a formula are reported at
//! once as far as they can be told from consequences of earlier ones.

mod atoms;
mod braces;
mod faults;
mod lexer;
mod parser;
mod slips;
#[cfg(test)]
mod tests;

pub use lexer::Syntax;
pub(crate) use lexer::{Bracket, Kind, Lexed, Reading, Stop, Token, lex, shortened};
pub(crate) use parser::{INVARIANT, SPECIFIES, always, parse};
#[cfg(test)]
pub(crate) use tests::random_formula;

use crate::collector::Collector;
use crate::problem::Problem;
use tern_model::{FormulaId, Formulas, Span};

/// The codes of problems with formulas, and what they mean.
pub const CODES: &[(&str, &str)] = &[
    ("F001", "a character that has no meaning in a formula"),
    ("F002", "a parenthesis or bracket that is never closed"),
    ("F003", "a parenthesis closed by a bracket, or a bracket by a parenthesis"),
    ("F004", "an operator without an operand, or nothing between parentheses"),
    ("F005", "two operands without an operator between them"),
    ("F006", "a quote that is not closed on its line"),
    ("F007", "a comment that is never closed"),
    ("F008", "no formula at all"),
    ("F009", "an operator of the past or with bounds, which is not supported"),
    ("F010", "nothing between two `#`, where a regular expression over stack symbols is expected"),
    ("F011", "a backslash before a character that needs none"),
    ("F012", "a closing parenthesis or bracket that was never opened"),
    ("F013", "more text behind the semicolon that ends the formula"),
    ("F014", "a text too long to be read"),
    ("F015", "braces with nothing between them"),
    ("F016", "a brace that is not closed on its line"),
    ("F017", "an operator between two operands that is written before them"),
    ("F018", "a property of the stack without quotes around what it asks for"),
    ("F099", "how many problems were left out"),
];

/// A formula that was read, with the places of its parts.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The formula.
    pub root: FormulaId,
    /// Where it stands, with the parentheses around it.
    pub span: Span,
    /// Where each occurrence of a subformula stands, without parentheses around it; innermost
    /// first.
    pub spans: Vec<(FormulaId, Span)>,
}

/// Reads one formula. A keyword `SPEC`, `CTLSPEC` or `LTLSPEC` before it and a semicolon behind it
/// are skipped; `INVARSPEC` before it makes it `AG` of it. `offset` is where the text begins in its
/// source, and is added to all places.
///
/// # Errors
/// All problems of the text. The arena may have gained subformulas then, which nothing refers to.
pub fn read(formulas: &mut Formulas, text: &str, offset: usize) -> Result<Parsed, Vec<Problem>> {
    read_as(formulas, text, offset, Syntax::default())
}

/// Reads one formula, as [`read()`] does, in which more may stand.
///
/// # Errors
/// All problems of the text.
pub fn read_as(
    formulas: &mut Formulas,
    text: &str,
    offset: usize,
    syntax: Syntax,
) -> Result<Parsed, Vec<Problem>> {
    if u32::try_from(text.len().saturating_add(offset)).is_err() {
        return Err(vec![Problem::error("F014", "the text is longer than 4 GiB")]);
    }
    let mut problems = Collector::default();
    let reading = Reading { syntax, ..Stop::Text.into() };
    let lexed = lex(text, 0, offset, reading, &mut problems);
    let parsed = parse(formulas, text, offset, &lexed, &mut problems);
    refuse_rest(text, offset, lexed.next, &mut problems);
    problems.finish("F099")?;
    Ok(parsed.expect("a text without problems has a formula"))
}

/// Reports what stands behind the end of a formula, if anything does.
pub(crate) fn refuse_rest(text: &str, offset: usize, next: usize, problems: &mut Collector) {
    let before = problems.count();
    let rest = lex(text, next, offset, Stop::Text, problems);
    problems.rewind(before);
    if let Some(first) = rest.tokens.first() {
        problems.add(|_| {
            Problem::error("F013", "there is more text behind the end of the formula")
                .at(lexer::shifted(first.span, offset), "the semicolon before this ends it")
                .hint("write one formula at a time")
        });
    }
}

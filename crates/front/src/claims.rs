//! Reads and writes files of claims: one formula a line, with a name if one is given.
//!
//! ```text
//! # a comment, as are lines that begin with -- or //
//! safe: AG (red -> EF black)      # a comment behind white space
//! "no starvation": G (asked ->
//!                     F served)
//! FAIRNESS served                 # only paths on which this holds again and again are meant
//! COMPASSION (asked, served)      # and those on which the second does if the first does
//! ```
//! A formula goes on over several lines while a parenthesis or bracket is open or the line ends in
//! an operator between two operands. A semicolon ends it too. A file with any problem adds no
//! claim.

mod heads;
mod pairs;
#[cfg(test)]
mod tests;

pub(crate) use heads::ClaimNames;
pub(crate) use pairs::written;

use crate::collector::{Collector, utf8};
use crate::formula::{Lexed, Reading, Stop, Syntax, always, lex, parse, refuse_rest};
use crate::problem::Problem;
use crate::source::{Lines, Source};
use heads::{Head, fairness_begins, refused};
use std::fmt::Write;
use tern_model::logic::words;
use tern_model::quoted;
use tern_model::{
    Claim, Claims, Condition, Fairness, FormulaId, Formulas, Origin, Quantifier, Span,
};

/// The codes of problems with claims, and what they mean. Formulas have their own.
pub const CODES: &[(&str, &str)] = &[
    ("C001", "bytes that are not UTF-8, or a text too long to be read"),
    ("C002", "two claims of one name"),
    ("C003", "a fairness condition that speaks of a path"),
    ("C004", "a line of FAIRNESS or COMPASSION without a condition, or in the place of a claim"),
    ("C005", "a strong fairness condition that is no pair of state formulas with a comma between"),
    ("C006", "a proposition, or what a claim ranges over, that the model does not understand"),
    ("C007", "a claim whose name is of several words and not in quotes"),
    ("C099", "how many problems were left out"),
];

/// How often a bracket may be found open to the end of the file before brackets no longer join
/// lines, so that a file full of such slips is still read in linear time.
const MOST_RUNAWAYS: usize = 8;

/// Reads a file of claims and adds them.
///
/// # Errors
/// All problems of the file; then no claim is added.
pub fn read(source: &Source, claims: &mut Claims) -> Result<(), Vec<Problem>> {
    let (text, start) = utf8(&source.bytes, "C001")?;
    let mut problems = Collector::default();
    let mut names = ClaimNames::of(claims.list());
    let (mut found, mut fair) = (Vec::new(), Vec::new());
    let reading = reading(claims, Stop::Line);
    let mut runaways = 0;
    let mut at = skip_blank(text, start);
    while at < text.len() && !problems.is_full() {
        let text = if runaways < MOST_RUNAWAYS { text } else { &text[..line_end(text, at)] };
        if let Some(problem) = refused(text, at) {
            problems.add(|_| problem);
            at = skip_blank(text, line_end(text, at));
            continue;
        }
        if let Some((kind, begin)) = fairness_begins(text, at) {
            let piece = kind.read(&mut claims.formulas, text, begin, reading, &mut problems);
            runaways += usize::from(piece.runaway);
            fair.extend(piece.found);
            at = skip_blank(text, piece.next);
            continue;
        }
        let piece = read_claim(&mut claims.formulas, text, at, reading, &mut problems);
        runaways += usize::from(piece.runaway);
        if let Some(read) = piece.found {
            names.note(&read, &mut problems);
            found.push(read.claim());
        }
        at = skip_blank(text, piece.next);
    }
    problems.finish("C099")?;
    let mut lines = Lines::new(source);
    for claim in &mut found {
        claim.origin = Some(lines.origin(claim.span));
    }
    claims.extend(found);
    claims.restrict(fair);
    Ok(())
}

/// How the claims of a list are read.
fn reading(claims: &Claims, stop: Stop) -> Reading {
    Reading { syntax: Syntax { comparisons: claims.comparisons }, ..stop.into() }
}

/// Reads one fairness condition, such as one given on the command line.
///
/// # Errors
/// All problems of the text.
pub fn read_fair(formulas: &mut Formulas, text: &str) -> Result<Condition, Vec<Problem>> {
    read_condition(formulas, text, Kind::Justice)
}

/// Reads one strong fairness condition, `p, q` or `(p, q)`, such as one given on the command line.
///
/// # Errors
/// All problems of the text.
pub fn read_compassion(formulas: &mut Formulas, text: &str) -> Result<Condition, Vec<Problem>> {
    read_condition(formulas, text, Kind::Compassion)
}

fn read_condition(
    formulas: &mut Formulas,
    text: &str,
    kind: Kind,
) -> Result<Condition, Vec<Problem>> {
    utf8(text.as_bytes(), "C001")?;
    let mut problems = Collector::default();
    let piece = kind.read(formulas, text, 0, Stop::Text.into(), &mut problems);
    refuse_rest(text, 0, piece.next, &mut problems);
    problems.finish("C099")?;
    Ok(piece.found.expect("what is no condition is a problem"))
}

/// A kind of fairness condition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A state formula.
    Justice,
    /// A pair of them.
    Compassion,
}

impl Kind {
    /// Reads a condition of this kind.
    pub(crate) fn read(
        self,
        formulas: &mut Formulas,
        text: &str,
        at: usize,
        reading: Reading,
        problems: &mut Collector,
    ) -> Piece<Condition> {
        match self {
            Kind::Justice => read_fairness(formulas, text, at, reading, problems),
            Kind::Compassion => pairs::read(formulas, text, at, reading, problems),
        }
    }
}

/// Reads a fairness condition, which must be a state formula, as a claim.
pub(crate) fn read_fairness(
    formulas: &mut Formulas,
    text: &str,
    at: usize,
    reading: Reading,
    problems: &mut Collector,
) -> Piece<Condition> {
    let piece = read_claim(formulas, text, at, reading, problems);
    let of_state = |read: &Read| speaks_of_state(formulas, read.formula, read.span, problems);
    let found = piece
        .found
        .filter(of_state)
        .map(|read| Condition { spans: read.spans, ..Fairness::Justice(read.formula).into() });
    let Piece { next, semicolon, runaway, .. } = piece;
    Piece { found, next, semicolon, runaway }
}

/// Whether a formula may stand in a fairness condition; if not, that is a problem.
fn speaks_of_state(
    formulas: &Formulas,
    formula: FormulaId,
    span: Span,
    problems: &mut Collector,
) -> bool {
    let of_state = formulas.is_state_formula(formula);
    if !of_state {
        problems.add(|_| {
            Problem::error("C003", "a fairness condition must speak of a state, not of a path")
                .at(span, "this depends on the path")
                .hint("write the condition alone: it is meant to hold again and again")
        });
    }
    of_state
}

/// Reads one claim, such as one given on the command line, and adds it. Line ends mean nothing.
///
/// # Errors
/// All problems of the text; then no claim is added.
pub fn read_one(claims: &mut Claims, text: &str) -> Result<(), Vec<Problem>> {
    read_one_at(claims, text, None)
}

/// Reads one claim that stands somewhere in a file, and adds it.
///
/// # Errors
/// All problems of the text, in which it begins at 0; then no claim is added.
pub fn read_one_at(
    claims: &mut Claims,
    text: &str,
    origin: Option<Origin>,
) -> Result<(), Vec<Problem>> {
    utf8(text.as_bytes(), "C001")?;
    if let Some((kind, _)) = fairness_begins(text, 0) {
        let span = Span::new(0..words::word_length(text));
        let problem = Problem::error("C004", "a fairness condition is no claim");
        let problem = problem.at(span, "a claim is expected here");
        let option = match kind {
            Kind::Justice => "--fair",
            Kind::Compassion => "--compassion",
        };
        return Err(vec![problem.hint(format!("give the condition alone, with {option}"))]);
    }
    let mut problems = Collector::default();
    let reading = reading(claims, Stop::Text);
    let piece = read_claim(&mut claims.formulas, text, 0, reading, &mut problems);
    refuse_rest(text, 0, piece.next, &mut problems);
    if let Some(read) = &piece.found {
        ClaimNames::of(claims.list()).note(read, &mut problems);
    }
    problems.finish("C099")?;
    claims.extend(piece.found.map(|read| Claim { origin, ..read.claim() }));
    Ok(())
}

/// Writes claims so that reading them back gives the same claims.
pub fn write(claims: &Claims) -> String {
    let mut text = String::new();
    let (conditions, formulas) = claims.to_be_written();
    for condition in conditions {
        let Some((kind, words)) = written(&claims.formulas, &condition.fairness) else { continue };
        let keyword = match kind {
            Kind::Justice => "FAIRNESS",
            Kind::Compassion => "COMPASSION",
        };
        text += &format!("{keyword} {words}\n");
    }
    for (claim, formula) in formulas {
        let begin = text.len();
        write_claim(&mut text, claim.name.as_deref(), formula, &claims.formulas);
        if refused(&text, begin).is_some() || fairness_begins(&text, begin).is_some() {
            text.insert(begin, '('); // a proposition that is called like a keyword
            text.push(')');
        }
        text.push('\n');
    }
    text
}

/// Appends one claim, with its name and without an end.
pub(crate) fn write_claim(
    text: &mut String,
    name: Option<&str>,
    formula: FormulaId,
    formulas: &Formulas,
) {
    if let Some(name) = name {
        if !name.is_empty() && words::word_length(name) == name.len() {
            text.push_str(name);
        } else {
            quoted::push_quoted(text, name);
        }
        text.push_str(": ");
    }
    write!(text, "{}", formulas.show(formula)).expect("strings can be written to");
}

/// A formula that was read, as a claim or as a fairness condition.
pub(crate) struct Read {
    /// The name given to it, and where that stands.
    name: Option<(String, Span)>,
    formula: FormulaId,
    span: Span,
    spans: Vec<(FormulaId, Span)>,
    quantifier: Option<Quantifier>,
}

impl Read {
    pub(crate) fn claim(self) -> Claim {
        let Read { name, formula, span, spans, quantifier } = self;
        let name = name.map(|(name, _)| name);
        Claim { name, span, spans, quantifier, ..Claim::new(formula) }
    }
}

/// What was found where a claim or a condition begins.
pub(crate) struct Piece<T = Read> {
    /// What was read, unless there is no formula.
    pub(crate) found: Option<T>,
    /// Where reading goes on.
    pub(crate) next: usize,
    /// Whether a semicolon ended the claim.
    pub(crate) semicolon: bool,
    /// Whether a bracket was open to the end of the text, so that only the first line was read.
    runaway: bool,
}

/// Reads the claim, `formula` or `name: formula`, that begins at `at`.
pub(crate) fn read_claim(
    formulas: &mut Formulas,
    text: &str,
    at: usize,
    reading: impl Into<Reading>,
    problems: &mut Collector,
) -> Piece {
    let reading = reading.into();
    let Head { name, invariant, quantifier, start } = Head::read(text, at, problems);
    let (text, lexed, runaway) = lex_piece(text, start, reading, problems);
    let parsed = parse(formulas, text, 0, &lexed, problems);
    let parsed = match invariant {
        true => parsed.map(|parsed| always(formulas, parsed)),
        false => parsed,
    };
    let found = parsed.map(|parsed| Read {
        name,
        formula: parsed.root,
        span: parsed.span,
        spans: parsed.spans,
        quantifier,
    });
    Piece { found, next: lexed.next, semicolon: lexed.semicolon, runaway }
}

/// Cuts what begins at `start`. Gives also the text in which it ends, and whether that is shorter
/// because a bracket was open to its end.
fn lex_piece<'t>(
    text: &'t str,
    start: usize,
    reading: Reading,
    problems: &mut Collector,
) -> (&'t str, Lexed, bool) {
    let before = problems.count();
    let lexed = lex(text, start, 0, reading, problems);
    if reading.stop != Stop::Line || lexed.depth == 0 || lexed.semicolon {
        return (text, lexed, false);
    }
    // A bracket is open to the end of the file. More likely it was forgotten on this line than on
    // the last, and the lines behind it are claims of their own.
    problems.rewind(before);
    let text = &text[..line_end(text, start)];
    (text, lex(text, start, 0, reading, problems), true)
}

/// How many blanks the text begins with; line ends are none.
fn blank_length(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |length| at + length)
}

/// The first offset from `at` on at which there is neither white space nor a comment.
fn skip_blank(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        let dashes = trimmed.starts_with("--") && !trimmed.starts_with("-->");
        if dashes || trimmed.starts_with('#') || trimmed.starts_with("//") {
            at = line_end(text, at);
        } else if let Some(end) =
            trimmed.strip_prefix("/*").and_then(|body| memchr::memmem::find(body.as_bytes(), b"*/"))
        {
            at += end + 4;
        } else {
            return at;
        }
    }
}

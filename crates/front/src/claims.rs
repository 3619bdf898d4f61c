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

mod pairs;

pub(crate) use pairs::written;

use crate::collector::{Collector, utf8};
use crate::formula::{
    INVARIANT, Lexed, Reading, SPECIFIES, Stop, Syntax, always, lex, parse, refuse_rest,
};
use crate::problem::Problem;
use crate::source::{Lines, Source};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use tern_model::logic::words;
use tern_model::quoted::{self, Scan};
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

/// What stands behind the keyword at the beginning of a line.
#[derive(PartialEq)]
enum Behind {
    /// An operand that begins here.
    Operand(usize),
    /// Nothing, or a comment.
    Nothing,
    /// An operator or a colon: the word is no keyword, but a proposition or a name.
    Other,
}

/// The first word of a line, and what stands behind it.
fn keyword(text: &str, at: usize) -> (&str, Behind) {
    let end = at + words::word_length(&text[at..]);
    let begin = end + blank_length(&text[end..]);
    let rest = text[begin..line_end(text, begin)].trim_end();
    let operator = matches!(
        &rest[..words::word_length(rest)],
        "U" | "R" | "V" | "W" | "M" | "and" | "or" | "xor"
    );
    let operand = rest.starts_with(|c: char| words::begins_word(c) || "\"(!~{".contains(c));
    let comment = ["#", "//", "--"].iter().any(|mark| rest.starts_with(mark));
    let behind = match () {
        () if operand && !operator => Behind::Operand(begin),
        () if comment && !rest.starts_with("-->") || rest.is_empty() || rest == ";" => {
            Behind::Nothing
        }
        () => Behind::Other,
    };
    (&text[at..end], behind)
}

/// Where the condition begins, and of which kind it is, if a line begins with `FAIRNESS`, `JUSTICE`
/// or `COMPASSION` and an operand follows.
fn fairness_begins(text: &str, at: usize) -> Option<(Kind, usize)> {
    match keyword(text, at) {
        ("FAIRNESS" | "JUSTICE", Behind::Operand(begin)) => Some((Kind::Justice, begin)),
        ("COMPASSION", Behind::Operand(begin)) => Some((Kind::Compassion, begin)),
        _ => None,
    }
}

/// What is wrong with a line that begins with a keyword and cannot be read.
fn refused(text: &str, at: usize) -> Option<Problem> {
    let (word, behind) = keyword(text, at);
    let span = Span::new(at..at + word.len());
    match word {
        "FAIRNESS" | "JUSTICE" if behind == Behind::Nothing => Some(
            Problem::error("C004", format!("there is no condition behind `{word}`"))
                .at(span, "a state formula is expected behind this, in the same line")
                .hint(format!("write `{word} p`; a proposition of this name needs quotes")),
        ),
        "COMPASSION" if behind == Behind::Nothing => Some(
            Problem::error("C004", "there is no condition behind `COMPASSION`")
                .at(span, "two state formulas are expected behind this, in the same line")
                .hint("write `COMPASSION (p, q)`; a proposition of this name needs quotes"),
        ),
        _ => None,
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
    let specified = specified_name(text, at);
    let invariant = specified.is_some_and(|(keyword, ..)| keyword == INVARIANT);
    let named = specified.map(|(_, span, start)| (span, start)).or(claim_name(text, at));
    let (name, start) = match named {
        Some((span, start)) => (Some(span), start),
        None => (None, at),
    };
    let (quantifier, start) = match quantified(text, start) {
        Some((quantifier, start)) => (Some(quantifier), start),
        None => (None, start),
    };
    let (text, lexed, runaway) = lex_piece(text, start, reading, problems);
    let parsed = parse(formulas, text, 0, &lexed, problems);
    let parsed = match invariant {
        true => parsed.map(|parsed| always(formulas, parsed)),
        false => parsed,
    };
    let found = parsed.map(|parsed| Read {
        name: name.map(|span| (unquoted_name(&text[span.range()]), span)),
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

fn unquoted_name(name: &str) -> String {
    if name.starts_with('"') { quoted::unquote(name).into_owned() } else { name.to_owned() }
}

/// The keyword, the name and where the formula begins, if a claim is named as in NuSMV:
/// `CTLSPEC NAME safe := AG p`.
fn specified_name(text: &str, at: usize) -> Option<(&str, Span, usize)> {
    let skip = |at: usize| at + blank_length(&text[at..]);
    let word = |at: usize| &text[at..at + words::word_length(&text[at..])];
    let at = text.len() - text[at..].trim_start().len();
    let keyword = word(at);
    let marker = skip(at + keyword.len());
    if !SPECIFIES.contains(&keyword) || word(marker) != "NAME" {
        return None;
    }
    let begin = skip(marker + "NAME".len());
    let name = word(begin);
    let sign = skip(begin + name.len());
    let is_named = !name.is_empty() && text[sign..].starts_with(":=");
    is_named.then(|| (keyword, Span::new(begin..begin + name.len()), sign + ":=".len()))
}

/// The name that stands before a formula, and where the formula begins: a word or a quoted
/// text, then a colon, then white space or the end.
fn claim_name(text: &str, at: usize) -> Option<(Span, usize)> {
    let at = text.len() - text[at..].trim_start().len();
    let end = if text[at..].starts_with('"') {
        match quoted::scan(text, at) {
            Scan::Closed { end, bad_escape: None } => end,
            _ => return None,
        }
    } else {
        at + words::word_length(&text[at..])
    };
    let colon = end + blank_length(&text[end..]);
    let rest = text[colon..].strip_prefix(':')?;
    let separated = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (end > at && separated).then(|| (Span::new(at..end), colon + 1))
}

/// What a claim is said of one by one, and where its formula begins, if it begins with
/// `forall v in fields("Foo.*"):`.
fn quantified(text: &str, at: usize) -> Option<(Quantifier, usize)> {
    let skip = |at: usize| at + blank_length(&text[at..]);
    let word = |at: usize| &text[at..at + words::word_length(&text[at..])];
    let at = text.len() - text[at..].trim_start().len();
    if word(at) != "forall" {
        return None;
    }
    let begin = skip(at + "forall".len());
    let variable = word(begin);
    let marker = skip(begin + variable.len());
    if variable.is_empty() || word(marker) != "in" {
        return None;
    }
    let begin = skip(marker + "in".len());
    let (length, domain) = words::applied(&text[begin..])?;
    let colon = skip(begin + length);
    text[colon..].starts_with(':').then(|| {
        let (variable, span) = (variable.to_owned(), Span::new(begin..begin + length));
        (Quantifier { variable, domain, span }, colon + 1)
    })
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

/// Notices claims of the same name.
pub(crate) struct ClaimNames {
    /// Each name and where it stands; nowhere if it was read from another text.
    seen: FxHashMap<String, Option<Span>>,
}

impl ClaimNames {
    /// Knows the names of claims that were read from other texts.
    pub(crate) fn of(others: &[Claim]) -> Self {
        let names = others.iter().filter_map(|claim| claim.name.clone());
        ClaimNames { seen: names.map(|name| (name, None)).collect() }
    }

    /// Notes the name of a claim.
    pub(crate) fn note(&mut self, read: &Read, problems: &mut Collector) {
        let Some((name, span)) = &read.name else { return };
        let span = *span;
        match self.seen.get(name) {
            None => {
                self.seen.insert(name.clone(), Some(span));
            }
            Some(&first) => problems.add(|_| {
                let problem = Problem::error("C002", format!("there are two claims `{name}`"))
                    .hint("give each claim a name of its own, or none");
                match first {
                    Some(first) => problem.at(span, "the second").related(first, "the first"),
                    None => problem.at(span, "the first was read before this text"),
                }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The claims of a text as they are written, or its problems.
    fn check(text: &[u8]) -> String {
        let mut claims = Claims::new();
        match read(&Source::new("test.claims", text), &mut claims) {
            Ok(()) => write(&claims),
            Err(problems) => {
                assert!(claims.list().is_empty());
                let line = |problem: &Problem| {
                    let at = problem.at.as_ref().expect("a place").span;
                    format!("{} {}..{} {}\n", problem.code, at.start, at.end, problem.message)
                };
                problems.iter().map(line).collect()
            }
        }
    }

    #[test]
    fn claims_are_one_a_line() {
        let text = "\u{feff}# comment # with two\r\n\r\nsafe: AG (red -> EF black)  # why\r\n\
            -- NuSMV\n  // C\n/* several\nlines */\n\"no starvation\" : G (asked ->\n\n   F served)\n\
            SPEC p &\n  q\nE [a U b]; EF c;\n\"a # b\" U c0$$lock:PC10\nlast:\tp -- said\nwide:\n p";
        let expected = "safe: AG (red -> EF black)\n\"no starvation\": G (asked -> F served)\n\
            p & q\nE [a U b]\nEF c\n\"a # b\" U c0$$lock:PC10\nlast: p\nwide: p\n";
        assert_eq!(check(text.as_bytes()), expected);
        assert_eq!(check(expected.as_bytes()), expected);
        assert_eq!(check(b""), "");
        assert_eq!(check(b"# nothing\n"), "");
    }

    #[test]
    fn fairness_conditions_stand_among_claims() {
        let text =
            "AF p\nFAIRNESS p & q;\nJUSTICE (EX p)\nFAIRNESS -> p\nFAIRNESS: q\nFAIRNESS U p\n";
        let expected =
            "FAIRNESS p & q\nFAIRNESS EX p\nAF p\nFAIRNESS -> p\nFAIRNESS: q\nFAIRNESS U p\n";
        assert_eq!(check(text.as_bytes()), expected);
        assert_eq!(check(expected.as_bytes()), expected);
        assert_eq!(
            check(b"FAIRNESS G p"),
            "C003 9..12 a fairness condition must speak of a state, not of a path\n"
        );
        assert_eq!(check(b"FAIRNESS(p)\nJUSTICE\tp"), "FAIRNESS p\nFAIRNESS p\n");
        let alone = "(FAIRNESS)\n(COMPASSION)\nCOMPASSION & p\nCOMPASSION: p\n";
        assert_eq!(check(alone.as_bytes()), alone);
        assert_eq!(
            check(b"p\nFAIRNESS  # later\nJUSTICE;\nFAIRNESS\n p\nCOMPASSION\nCOMPASSION p"),
            "C004 2..10 there is no condition behind `FAIRNESS`\n\
             C004 20..27 there is no condition behind `JUSTICE`\n\
             C004 29..37 there is no condition behind `FAIRNESS`\n\
             C004 41..51 there is no condition behind `COMPASSION`\n\
             C005 63..64 a strong fairness condition has two parts\n"
        );
    }

    #[test]
    fn strong_fairness_is_a_pair() {
        let text = "COMPASSION (p, q)\nAF p\n";
        for spelt in ["(p, q)", "p, q", "p,\n q", "((p), (q))", "(p), (q);", "(p,\nq) # why"] {
            assert_eq!(check(format!("COMPASSION {spelt}\nAF p").as_bytes()), text, "{spelt}");
        }
        assert_eq!(check(b"COMPASSION(p,q)\nAF p"), text);
        let text = "COMPASSION (p & q | r, EX f(a, b))\nCOMPASSION (\"a, b\", {c, d})\n";
        assert_eq!(check(text.as_bytes()), text.replace("{c, d}", "\"c, d\""));
        let two = "a strong fairness condition has two parts\n";
        for (text, expected) in [
            ("COMPASSION (p, q, r)", format!("C005 11..20 {two}")),
            ("COMPASSION (p & q)\nEF p", format!("C005 11..18 {two}")),
            ("COMPASSION ((p, q) & r)", format!("C005 11..23 {two}")),
            ("COMPASSION (p, )", "F008 16..16 there is no formula here\n".to_owned()),
            ("COMPASSION , p", "F001 11..12 unexpected `,`\n".to_owned()),
            (
                "COMPASSION G p, X q",
                "C003 11..14 a fairness condition must speak of a state, not of a path\n\
                 C003 16..19 a fairness condition must speak of a state, not of a path\n"
                    .to_owned(),
            ),
        ] {
            assert_eq!(check(text.as_bytes()), expected, "{text}");
        }
        let mut claims = Claims::new();
        read_compassion(&mut claims.formulas, "p, q").expect("sound");
        let problems = read_compassion(&mut claims.formulas, "p").expect_err("half of it");
        assert_eq!(problems[0].code, "C005");
        let problems = read_one(&mut claims, "COMPASSION (p, q)").expect_err("no claim");
        assert!(problems[0].hint.as_ref().is_some_and(|hint| hint.contains("--compassion")));
    }

    #[test]
    fn all_problems_of_a_file_are_told() {
        assert_eq!(
            check(b"a: q r\nAG (p\nEF %\nok: p\nok: AG p\n"),
            "F005 5..6 there is no operator between `q` and `r`\n\
             F002 10..11 `(` is never closed\n\
             F001 16..17 unexpected `%`\n\
             C002 24..26 there are two claims `ok`\n"
        );
        assert_eq!(check(b"p\n\xff"), "C001 2..3 the text is not UTF-8\n");
        assert_eq!(check(b"name: ;\np"), "F008 6..7 there is no formula here\n");
    }

    #[test]
    fn a_file_that_is_wrong_all_over_is_read_in_linear_time() {
        let text = "AG (p\n".repeat(tern_testkit::large(300_000));
        let mut claims = Claims::new();
        let problems = read(&Source::new("t", text), &mut claims).expect_err("unclosed");
        assert_eq!(problems.len(), 100);
    }

    #[test]
    fn one_claim_is_read_from_the_command_line() {
        let mut claims = Claims::new();
        read_one(&mut claims, "safe: AG (p ->\n EF q)").expect("sound");
        read_one(&mut claims, "EF p;").expect("sound");
        assert_eq!(write(&claims), "safe: AG (p -> EF q)\nEF p\n");
        assert_eq!(claims.list()[0].span.range(), 6..21);
        let problems = read_one(&mut claims, "safe: p; q").expect_err("two problems");
        let codes: Vec<_> = problems.iter().map(|problem| problem.code).collect();
        assert_eq!(codes, ["C002", "F013"]);
        assert_eq!(claims.list().len(), 2);
    }

    #[test]
    fn odd_names_are_read_back() {
        let mut claims = Claims::new();
        let p = claims.formulas.atom("x");
        for name in ["", "a b", "G", "claim", "a:b", "a:", "q\"uote", "\n", "#"] {
            let span = Span { start: 0, end: 0 };
            let name = Some(name.to_owned());
            claims.push(Claim { name, span, ..Claim::new(p) });
        }
        let text = write(&claims);
        let mut back = Claims::new();
        read(&Source::new("t", text), &mut back).expect("what is written can be read");
        let names = |claims: &Claims| -> Vec<_> {
            claims.list().iter().map(|claim| claim.name.clone()).collect()
        };
        assert_eq!(names(&back), names(&claims));
    }
}

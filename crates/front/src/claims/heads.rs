//! What stands before the formula of a claim: its name, what it ranges over, the keywords of
//! conditions.

use super::{Kind, Read, blank_length, line_end};
use crate::collector::Collector;
use crate::formula::{INVARIANT, SPECIFIES};
use crate::problem::Problem;
use rustc_hash::FxHashMap;
use tern_model::logic::words;
use tern_model::quoted::{self, Scan};
use tern_model::{Claim, Quantifier, Span};

/// What stands before a formula.
#[derive(Default)]
pub(super) struct Head {
    /// The name, and where it stands.
    pub(super) name: Option<(String, Span)>,
    /// Whether the formula is meant in all states, as behind `INVARSPEC`.
    pub(super) invariant: bool,
    pub(super) quantifier: Option<Quantifier>,
    /// Where the formula begins.
    pub(super) start: usize,
}

impl Head {
    /// The head of the claim that begins at an offset.
    pub(super) fn read(text: &str, at: usize, problems: &mut Collector) -> Self {
        let mut head = Head { start: at, ..Head::default() };
        let specified = specified_name(text, at);
        head.invariant = specified.is_some_and(|(keyword, ..)| keyword == INVARIANT);
        let named = specified.map(|(_, span, start)| (span, start)).or(claim_name(text, at));
        if let Some((span, start)) = named.or_else(|| several_words(text, at, problems)) {
            head.name = Some((unquoted_name(&text[span.range()]), span));
            head.start = start;
        }
        if let Some((quantifier, start)) = quantified(text, head.start) {
            (head.quantifier, head.start) = (Some(quantifier), start);
        }
        head
    }
}

/// A name of several words without quotes, and where the formula begins. That is a problem.
fn several_words(text: &str, at: usize, problems: &mut Collector) -> Option<(Span, usize)> {
    let at = text.len() - text[at..].trim_start().len();
    let (mut end, mut next, mut count) = (at, at, 0);
    while let length @ 1.. = words::word_length(&text[next..]) {
        let word = &text[next..next + length];
        if count == 0 && (word == "forall" || SPECIFIES.contains(&word)) {
            return None;
        }
        (end, count) = (next + length, count + 1);
        next = end + blank_length(&text[end..]);
    }
    let rest = text[next..].strip_prefix(':')?;
    if count < 2 || !rest.starts_with(char::is_whitespace) {
        return None;
    }
    problems.add(|_| {
        let name = &text[at..end];
        Problem::error("C007", "a name of several words needs quotes")
            .at(Span::new(at..end), "this is more than one word")
            .hint(format!("write `\"{name}\": …`"))
    });
    Some((Span::new(at..end), next + 1))
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
pub(super) fn fairness_begins(text: &str, at: usize) -> Option<(Kind, usize)> {
    match keyword(text, at) {
        ("FAIRNESS" | "JUSTICE", Behind::Operand(begin)) => Some((Kind::Justice, begin)),
        ("COMPASSION", Behind::Operand(begin)) => Some((Kind::Compassion, begin)),
        _ => None,
    }
}

/// What is wrong with a line that begins with a keyword and cannot be read.
pub(super) fn refused(text: &str, at: usize) -> Option<Problem> {
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

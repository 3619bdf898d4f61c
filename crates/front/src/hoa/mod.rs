//! Reads and writes automata in the Hanoi Omega-Automata format (HOA, version 1), as Spot, Owl and
//! others do.
//!
//! Read are Büchi, generalised Büchi and `all` acceptance, on states or transitions: conditions
//! `t`, `Inf(0)`, `Inf(0)&Inf(1)` and so on. Labels may be explicit, implicit or on states, with
//! aliases. Refused are other conditions and alternation. A text may hold several automata, one
//! after the other.
//!
//! Propositions are atoms. An automaton of ours may also speak of formulas that begin with a path
//! quantifier; these are written as text, and the header `tern-quantified:`, which other tools
//! ignore, lists their positions so that they are read back as formulas.
//!
//! Parsed by hand: the crate `hoars` (0.2) keeps no places for messages, recurses over nested
//! labels and panics on numbers that are too large.

mod acceptance;
mod body;
mod header;
mod label;
mod lexer;
#[cfg(test)]
mod tests;
mod write;

pub use write::write;

use crate::collector::{Collector, utf8};
use crate::problem::Problem;
use crate::source::{Lines, Source};
use header::Header;
use lexer::{Token, Tokens};
use tern_model::automaton::Transition;
use tern_model::index::{Id, Table};
use tern_model::{Automaton, Formulas, Origin, Span, StateId};

/// The codes of problems with automata, and what they mean.
pub const CODES: &[(&str, &str)] = &[
    ("A001", "bytes that are not UTF-8, or a text too long to be read"),
    ("A002", "a character, comment or string that HOA does not have"),
    ("A003", "something else was expected here"),
    ("A004", "a header that is missing, unknown or there twice"),
    ("A005", "an acceptance condition other than Büchi, generalised Büchi or all"),
    ("A006", "alternation, which is not supported"),
    ("A007", "a number that is out of range"),
    ("A008", "a proposition or alias that is there twice or not at all"),
    ("A009", "labels that contradict each other or are missing"),
    ("A010", "a label that is too large"),
    ("A011", "a state that is defined twice"),
    ("A012", "an automaton that was given up, or something behind it that is none"),
    ("A099", "how many problems were left out"),
];

/// The name of the header that lists propositions which are formulas.
const QUANTIFIED: &str = "tern-quantified";

/// The most states that headers may ask for in a text of a few bytes.
const MOST_STATES: usize = 1 << 20;

/// What reading needs everywhere.
struct Reader<'a> {
    tokens: Tokens<'a>,
    problems: Collector,
    /// How many states the automata that are left may have together.
    states_left: usize,
    /// Whether it was reported that the text ends: what is missing besides follows from it.
    cut_off: bool,
}

impl Reader<'_> {
    fn problem(
        &mut self,
        code: &'static str,
        span: Span,
        message: String,
        label: &str,
        hint: &str,
    ) {
        self.problems.add(|_| Problem::error(code, message).at(span, label).hint(hint));
    }

    /// Reports what stands at the next token, where something else was expected.
    fn unexpected(&mut self, expected: &str) {
        let (token, span) = self.tokens.peek();
        if token == Token::End && std::mem::replace(&mut self.cut_off, true) {
            return;
        }
        let message = format!("expected {expected}, but found {}", token.describe());
        self.problem(
            "A003",
            span,
            message,
            "here",
            "see https://adl.github.io/hoaf/ for the format",
        );
    }

    /// Takes a number, or reports that there is none.
    fn number(&mut self, expected: &str) -> Option<(usize, Span)> {
        match self.tokens.peek() {
            (Token::Number(number), span) => {
                self.tokens.next();
                Some((number, span))
            }
            _ => {
                self.unexpected(expected);
                None
            }
        }
    }

    /// Takes a token that is there, or reports that it is not.
    fn expect(&mut self, token: Token<'_>, expected: &str) -> Option<()> {
        if self.tokens.peek().0 == token {
            self.tokens.next();
            return Some(());
        }
        self.unexpected(expected);
        None
    }

    /// Skips to where the next header item or state begins.
    fn recover(&mut self) {
        while !matches!(self.tokens.peek().0, Token::Item(_) | Token::Mark(_) | Token::End) {
            self.tokens.next();
        }
    }
}

/// An automaton, and what else its text says.
#[derive(Clone, Debug)]
pub struct Written {
    /// The automaton.
    pub automaton: Automaton,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Where it begins.
    pub origin: Origin,
    /// Where each of its propositions is named.
    pub places: Vec<Span>,
}

/// Reads the automata of a text, of which there is at least one. Their propositions are added to
/// `formulas`.
///
/// # Errors
/// All problems of the text, as far as they can be told from consequences of earlier ones.
pub fn read(source: &Source, formulas: &mut Formulas) -> Result<Vec<Written>, Vec<Problem>> {
    let (text, start) = utf8(&source.bytes, "A001")?;
    let mut reader = Reader {
        tokens: Tokens::new(text, start),
        problems: Collector::default(),
        states_left: MOST_STATES.max(text.len()),
        cut_off: false,
    };
    let mut found = vec![one(&mut reader, formulas)];
    loop {
        match reader.tokens.peek() {
            (Token::End, _) => break,
            (Token::Item("HOA"), _) => found.push(one(&mut reader, formulas)),
            (_, span) => {
                let message = "what stands behind the end of the automaton is none".to_owned();
                let hint = "the next automaton begins with `HOA: v1`";
                reader.problem("A012", span, message, "from here on", hint);
                break;
            }
        }
    }
    for (span, message) in reader.tokens.take_faults() {
        reader.problem(
            "A002",
            span,
            message,
            "here",
            "see https://adl.github.io/hoaf/ for the format",
        );
    }
    reader.problems.finish("A099")?;
    let mut lines = Lines::new(source);
    Ok(found.into_iter().map(|found| written(found, &mut lines)).collect())
}

/// An automaton as it was read.
struct Found {
    /// Its first word.
    begin: Span,
    header: Header,
    states: Vec<Vec<Transition>>,
}

/// Reads the header and the states of the next automaton.
fn one(reader: &mut Reader<'_>, formulas: &mut Formulas) -> Found {
    let (_, begin) = reader.tokens.peek();
    let header = header::read(reader, formulas);
    let states = body::read(reader, &header);
    Found { begin, header, states }
}

/// The automaton that a text without problems means.
fn written(Found { begin, header, states }: Found, lines: &mut Lines<'_>) -> Written {
    let initial = header.start.iter().map(|&(state, _)| StateId::new(state)).collect();
    let transitions = Table::from_iter(states);
    let mark_count = header.acceptance.mark_count();
    let automaton =
        Automaton { propositions: header.propositions, mark_count, initial, transitions };
    let origin = lines.origin(begin);
    Written { automaton, name: header.name, origin, places: header.proposition_spans }
}

//! Cuts a formula into tokens. Comments and white space are dropped here.
//!
//! A text that is no token is reported and leaves a token of its own behind, so that the parser can
//! go on as if something sensible had stood there and does not complain twice.

use super::atoms::{self, Braced};
use super::faults;
use crate::collector::Collector;
use crate::problem::Problem;
use tern_model::Span;
use tern_model::logic::words::{self, Word};
use tern_model::quoted::{self, Scan};

/// A prefix operator that is not a quantifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefix {
    Not,
    Next,
    Finally,
    Globally,
}

/// An operator between two operands, loosest first except that the last four bind alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Infix {
    Implies,
    Iff,
    Or,
    Xor,
    And,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
}

/// What encloses a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bracket {
    Round,
    Square,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    True,
    False,
    /// A proposition written as a bare word.
    Word,
    /// A proposition in quotes.
    Quoted,
    /// A proposition in braces.
    Braced,
    /// A proposition with arguments.
    Applied,
    /// A comparison.
    Comparison,
    Prefix(Prefix),
    Exists,
    All,
    Infix(Infix),
    Open(Bracket),
    Close(Bracket),
    /// What stands between the formulas of a pair, where one is read.
    Comma,
    /// Something already reported that stands where an operand may stand.
    BadOperand,
    /// Something already reported that may have been meant as anything.
    Junk,
}

impl Kind {
    /// Whether an operand can begin with this.
    pub(crate) fn begins_operand(self) -> bool {
        !matches!(self, Kind::Infix(_) | Kind::Close(_) | Kind::Comma | Kind::Junk)
    }
}

/// A piece of a formula.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Where it stands in the text that was cut (not shifted by the offset of the text).
    pub(crate) span: Span,
}

/// Where a formula ends, apart from the end of the text and a semicolon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Nowhere else.
    Text,
    /// At the end of a line, unless a bracket is open or the line ends in an infix operator.
    Line,
    /// At a brace, or at `claim` or `component` at the start of a line: there a semicolon is
    /// missing.
    Statement,
}

/// The tokens of one formula.
#[derive(Debug)]
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    /// Where reading goes on: behind the semicolon, if there is one.
    pub(crate) next: usize,
    /// Whether a semicolon ended the formula.
    pub(crate) semicolon: bool,
    /// How many brackets were open at the end.
    pub(crate) depth: usize,
}

/// `span`, of a text that begins at `offset` of its source, as a place of the source.
pub(crate) fn shifted(span: Span, offset: usize) -> Span {
    let range = span.range();
    Span::new(range.start + offset..range.end + offset)
}

/// What may stand in formulas beside what is understood everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Syntax {
    /// Comparisons such as `x + 1 <= y`, without quotes: for sources of machines that have values.
    pub comparisons: bool,
}

/// Where a formula ends, and what may stand in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub(crate) stop: Stop,
    pub(crate) syntax: Syntax,
    /// Whether commas are tokens: whether a pair of formulas is read.
    pub(crate) commas: bool,
}

impl From<Stop> for Reading {
    /// Nothing but what is understood everywhere.
    fn from(stop: Stop) -> Self {
        Reading { stop, syntax: Syntax::default(), commas: false }
    }
}

/// Cuts `text` from `start` on; places in problems are shifted by `offset`.
pub(crate) fn lex(
    text: &str,
    start: usize,
    offset: usize,
    reading: impl Into<Reading>,
    problems: &mut Collector,
) -> Lexed {
    let lexed = Lexed { tokens: Vec::new(), next: start, semicolon: false, depth: 0 };
    let reading = reading.into();
    let mut lexer = Lexer { text, offset, reading, at: start, start, lexed, problems };
    while lexer.step() {}
    lexer.lexed.next = lexer.at;
    lexer.lexed
}

pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    offset: usize,
    reading: Reading,
    pub(super) at: usize,
    start: usize,
    pub(super) lexed: Lexed,
    pub(super) problems: &'a mut Collector,
}

/// Signs of books and web pages, with those that look alike.
const LOOK_ALIKES: &[(&str, Kind)] = &[
    ("□◻▢☐⬜◽⎕", Kind::Prefix(Prefix::Globally)),
    ("◇◊♢⋄⬦⟡", Kind::Prefix(Prefix::Finally)),
    ("○◯⚪⃝", Kind::Prefix(Prefix::Next)),
    ("→⇒⟹⟶⊃", Kind::Infix(Infix::Implies)),
    ("↔⇔⟺⟷≡", Kind::Infix(Infix::Iff)),
    ("⊕⊻", Kind::Infix(Infix::Xor)),
    ("⊤", Kind::True),
    ("⊥", Kind::False),
];

/// Operators made of signs. Of two that begin alike the longer stands first.
const SIGNS: &[(&str, Kind)] = &[
    ("<-->", Kind::Infix(Infix::Iff)),
    ("<->", Kind::Infix(Infix::Iff)),
    ("<=>", Kind::Infix(Infix::Iff)),
    ("<>", Kind::Prefix(Prefix::Finally)),
    ("-->", Kind::Infix(Infix::Implies)),
    ("->", Kind::Infix(Infix::Implies)),
    ("=>", Kind::Infix(Infix::Implies)),
    ("&&", Kind::Infix(Infix::And)),
    ("&", Kind::Infix(Infix::And)),
    ("/\\", Kind::Infix(Infix::And)),
    ("||", Kind::Infix(Infix::Or)),
    ("|", Kind::Infix(Infix::Or)),
    ("\\/", Kind::Infix(Infix::Or)),
    ("^", Kind::Infix(Infix::Xor)),
    ("!=", Kind::Junk),
    ("!", Kind::Prefix(Prefix::Not)),
    ("~", Kind::Prefix(Prefix::Not)),
    ("[]", Kind::Prefix(Prefix::Globally)),
    ("()", Kind::Prefix(Prefix::Next)),
    ("¬", Kind::Prefix(Prefix::Not)),
    ("∧", Kind::Infix(Infix::And)),
    ("∨", Kind::Infix(Infix::Or)),
    ("∀", Kind::All),
    ("∃", Kind::Exists),
    ("(", Kind::Open(Bracket::Round)),
    ("[", Kind::Open(Bracket::Square)),
    (")", Kind::Close(Bracket::Round)),
    ("]", Kind::Close(Bracket::Square)),
];

impl Lexer<'_> {
    /// Reads a token or a piece of blank; says whether the formula goes on.
    fn step(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return false };
        match first {
            '\n' if self.reading.stop == Stop::Line && self.is_complete() => return false,
            '#' => self.hash(),
            '"' => self.quote(),
            ';' => {
                self.at += 1;
                self.lexed.semicolon = true;
                return false;
            }
            ',' if self.reading.commas => self.push(Kind::Comma, 1),
            '{' if self.reading.stop != Stop::Statement || self.operand_is_due() => self.brace(),
            '{' | '}' if self.reading.stop == Stop::Statement => return false,
            _ if first.is_whitespace() => self.at += first.len_utf8(),
            _ if rest.starts_with("//") => self.skip_line(),
            _ if rest.starts_with("--") && !rest.starts_with("-->") => self.skip_line(),
            _ if rest.starts_with("/*") => self.comment(),
            _ if self.reading.syntax.comparisons
                && self.operand_is_due()
                && (self.braces() || self.comparison()) => {}
            _ if words::begins_word(first) => return self.word(),
            _ => match SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
                Some(&(sign, kind)) if kind != Kind::Junk => self.push(kind, sign.len()),
                _ => match LOOK_ALIKES.iter().find(|(signs, _)| signs.contains(first)) {
                    Some(&(_, kind)) => self.push(kind, first.len_utf8()),
                    None => self.junk(),
                },
            },
        }
        true
    }

    /// Whether a formula may end here at the end of a line.
    fn is_complete(&self) -> bool {
        let last = self.lexed.tokens.last();
        self.lexed.depth == 0
            && last.is_some_and(|token| !matches!(token.kind, Kind::Infix(_) | Kind::Comma))
    }

    pub(super) fn push(&mut self, kind: Kind, length: usize) {
        match kind {
            Kind::Open(_) => self.lexed.depth += 1,
            Kind::Close(_) => self.lexed.depth = self.lexed.depth.saturating_sub(1),
            _ => (),
        }
        let span = Span::new(self.at..self.at + length);
        self.lexed.tokens.push(Token { kind, span });
        self.at += length;
    }

    fn line_end(&self) -> usize {
        memchr::memchr(b'\n', &self.text.as_bytes()[self.at..])
            .map_or(self.text.len(), |length| self.at + length)
    }

    fn skip_line(&mut self) {
        self.at = self.line_end();
    }

    pub(super) fn place(&self, start: usize, end: usize) -> Span {
        Span::new(start + self.offset..end + self.offset)
    }

    fn word(&mut self) -> bool {
        let length = words::word_length(&self.text[self.at..]);
        let word = &self.text[self.at..self.at + length];
        if self.reading.stop == Stop::Statement
            && matches!(word, "claim" | "component")
            && self.is_first_on_line()
        {
            return false;
        }
        if self.slip(length) {
            return true;
        }
        let kind = match words::classify(word) {
            Word::True => Kind::True,
            Word::False => Kind::False,
            Word::Not => Kind::Prefix(Prefix::Not),
            Word::And => Kind::Infix(Infix::And),
            Word::Or => Kind::Infix(Infix::Or),
            Word::Xor => Kind::Infix(Infix::Xor),
            Word::Until => Kind::Infix(Infix::Until),
            Word::Release => Kind::Infix(Infix::Release),
            Word::WeakUntil => Kind::Infix(Infix::WeakUntil),
            Word::StrongRelease => Kind::Infix(Infix::StrongRelease),
            Word::Atom(_) => {
                // `ag(p)` is more likely an operator in small letters than a name.
                let large = word.to_uppercase();
                let is_slip = length > 1
                    && matches!(words::classify(&large), Word::Prefix { atom: None, .. })
                    || faults::operator_meant(word).is_some();
                if let Some((length, _)) = words::applied(&self.text[self.at..])
                    && !is_slip
                {
                    self.push(Kind::Applied, length);
                    return true;
                }
                if faults::is_bounded(word) {
                    self.push(Kind::Word, length);
                    self.range();
                    return true;
                }
                Kind::Word
            }
            Word::Prefix { operators, atom } => {
                for letter in operators.bytes() {
                    let kind = match letter {
                        b'A' => Kind::All,
                        b'E' => Kind::Exists,
                        b'X' => Kind::Prefix(Prefix::Next),
                        b'F' => Kind::Prefix(Prefix::Finally),
                        _ => Kind::Prefix(Prefix::Globally),
                    };
                    self.push(kind, 1);
                }
                match atom {
                    Some(atom) => self.push(Kind::Word, atom.len()),
                    None => self.bounds(),
                }
                return true;
            }
        };
        self.push(kind, length);
        true
    }

    /// Whether only blanks stand before here on this line.
    fn is_first_on_line(&self) -> bool {
        let before = self.text[self.start..self.at].trim_end_matches([' ', '\t', '\r']);
        before.is_empty() && self.start == 0 || before.ends_with('\n')
    }

    fn quote(&mut self) {
        let start = self.at;
        match quoted::scan(self.text, start) {
            Scan::Closed { end, bad_escape } => {
                if let Some(at) = bad_escape {
                    let place = self.place(at, at + 1);
                    self.problems.add(|_| {
                        Problem::error("F011", "a backslash before a character that needs none")
                            .at(place, "only \\\" \\\\ \\n \\r and \\t are known")
                            .hint("write \\\\ for the backslash itself")
                    });
                }
                self.push(Kind::Quoted, end - start);
            }
            Scan::Open(end) => {
                let place = self.place(start, end);
                self.problems.add(|_| {
                    Problem::error("F006", "the quote is not closed on its line")
                        .at(place, "opened here")
                        .hint("add `\"`; inside quotes write \\n for the end of a line")
                });
                self.push(Kind::BadOperand, end - start);
            }
        }
    }

    fn brace(&mut self) {
        let start = self.at;
        let (end, mistake) = match atoms::scan_braced(self.text, start) {
            Braced::Closed(end) if atoms::unbraced(&self.text[start..end]).is_empty() => {
                (end, Some(("F015", "nothing stands between the braces", "")))
            }
            Braced::Closed(end) => (end, None),
            Braced::Open(end) => {
                (end, Some(("F016", "the brace is not closed on its line", "opened here")))
            }
        };
        let Some((code, message, label)) = mistake else {
            return self.push(Kind::Braced, end - start);
        };
        let place = self.place(start, end);
        self.problems.add(|_| {
            Problem::error(code, message)
                .at(place, label)
                .hint("braces enclose a proposition: {x > 0} is the same as \"x > 0\"; for formulas use parentheses")
        });
        self.push(Kind::BadOperand, end - start);
    }

    /// Takes a comparison, if one stands here, where an operand is due.
    fn comparison(&mut self) -> bool {
        let Some((length, _)) = atoms::comparison(&self.text[self.at..]) else { return false };
        self.push(Kind::Comparison, length);
        true
    }

    /// Whether an operand is to follow what was read.
    fn operand_is_due(&self) -> bool {
        self.lexed.tokens.last().is_none_or(|token| {
            matches!(
                token.kind,
                Kind::Infix(_)
                    | Kind::Prefix(_)
                    | Kind::Exists
                    | Kind::All
                    | Kind::Open(_)
                    | Kind::Comma
            )
        })
    }

    fn comment(&mut self) {
        let body = self.at + 2;
        match memchr::memmem::find(&self.text.as_bytes()[body..], b"*/") {
            Some(length) => self.at = body + length + 2,
            None => {
                let place = self.place(self.at, body);
                self.problems.add(|_| {
                    Problem::error("F007", "the comment is never closed")
                        .at(place, "opened here")
                        .hint("add `*/`")
                });
                self.push(Kind::Junk, 2);
                self.at = self.text.len();
            }
        }
    }

    /// `#` begins a comment at the start of a line or behind white space. Otherwise, and where an
    /// operand is due, two of them enclose a regular expression: to take that for a comment
    /// would drop a part of the formula in silence.
    fn hash(&mut self) {
        let line_end = self.line_end();
        let closing = memchr::memchr(b'#', &self.text.as_bytes()[self.at + 1..line_end]);
        let before = self.text[..self.at].chars().next_back();
        let behind_blank = before.is_none_or(|c| c.is_whitespace() || c == ';');
        let operand_due = !self.lexed.tokens.is_empty() && self.operand_is_due();
        if self.at == self.start
            || behind_blank && (closing.is_none() || !operand_due || self.is_first_on_line())
        {
            return self.skip_line();
        }
        let Some(length) = closing else {
            let place = self.place(self.at, self.at + 1);
            self.problems.add(|_| {
                Problem::error("F001", "unexpected `#`")
                    .at(place, "")
                    .hint("a comment needs white space before `#`")
            });
            return self.skip_line();
        };
        if !self.text[self.at + 1..self.at + 1 + length].trim().is_empty() {
            return self.push(Kind::Applied, length + 2);
        }
        let place = self.place(self.at, self.at + length + 2);
        self.problems.add(|_| {
            Problem::error("F010", "there is no regular expression between `#` and `#`")
                .at(place, "")
                .hint("name stack symbols from the top of the stack: `#f|.*#`")
        });
        self.push(Kind::BadOperand, length + 2);
    }

    /// A name in single quotes.
    fn single_quotes(&mut self, length: usize) {
        let place = self.place(self.at, self.at + length);
        let name = shortened(&self.text[self.at + 1..self.at + length - 1]);
        self.problems.add(|_| {
            Problem::error("F001", "single quotes mean nothing here")
                .at(place, "")
                .hint(format!("use double quotes: \"{name}\""))
        });
        self.push(Kind::BadOperand, length);
    }

    fn junk(&mut self) {
        let rest = &self.text[self.at..];
        let comparing = |c: char| matches!(c, '=' | '<' | '>' | '+' | '*' | '!');
        let first = rest.chars().next().unwrap_or(' ');
        if first == '\''
            && let Some(end) = self.text[self.at + 1..self.line_end()].find('\'')
        {
            return self.single_quotes(end + 2);
        }
        let length = if comparing(first) {
            rest.find(|c| !comparing(c)).unwrap_or(rest.len())
        } else {
            rest.find(|c| c != first).unwrap_or(rest.len())
        };
        let (place, sign) = (self.place(self.at, self.at + length), &rest[..length]);
        let is_first = self.lexed.tokens.is_empty();
        self.problems.add(|_| {
            let problem = Problem::error("F001", format!("unexpected `{}`", shortened(sign)));
            let problem = problem.at(place, "");
            match first {
                '=' | '<' | '>' | '+' | '*' | '!' => problem
                    .hint("a formula knows propositions only; put the name in quotes: \"x = 1\""),
                '\'' => problem.hint("use double quotes"),
                ':' if is_first => {
                    problem.hint("the name before it is missing, or it is too much: `safe: AG p`")
                }
                ':' => problem.hint("a name is followed by `:` and white space: `safe: AG p`"),
                '}' => problem.hint("no brace was opened"),
                ',' => {
                    problem.hint("join formulas by `&`, `|`, `->` or `U`; a claim is one formula")
                }
                '.' => problem.hint(
                    "a formula ends without a full stop; a name with `.` at its end needs quotes",
                ),
                '-' => problem.hint("implication is `->`; a name with `-` needs double quotes"),
                _ => problem.hint("a proposition with such a character needs double quotes"),
            }
        });
        self.push(Kind::Junk, length);
    }
}

/// The beginning of a text that is quoted in a message.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

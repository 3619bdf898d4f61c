//! Cuts a `.tern` text into tokens, one at a time, so that a long text needs no table of them.

use crate::collector::Collector;
use crate::problem::Problem;
use std::borrow::Cow;
use tern_model::Span;
use tern_model::logic::words;
use tern_model::quoted::{self, Scan};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A bare word: a keyword or a name.
    Word,
    /// A name in quotes.
    Quoted,
    OpenBrace,
    CloseBrace,
    Semicolon,
    Comma,
    Colon,
    Dot,
    Arrow,
    /// Behind a label or an edge: it is unknown, or only possible.
    Question,
    /// Something that was reported; the statement it is in is skipped.
    Bad,
    End,
}

/// A piece of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// The words that begin or structure statements; as names they need quotes. `end` and `deadlock`
/// are not among them: they mean something outside components only, and `end` is a good name for a
/// node.
pub(super) const KEYWORDS: &[&str] =
    &["box", "claim", "component", "entry", "exit", "initial", "node", "port", "return"];

/// Whether a name can be written without quotes where names of a machine stand.
pub(super) fn is_bare(name: &str) -> bool {
    !name.is_empty() && name.chars().all(words::begins_word) && !KEYWORDS.contains(&name)
}

/// The length in bytes of the bare name at the start of `text`; 0 if there is none.
fn name_length(text: &str) -> usize {
    let is_ascii_part = |byte: &u8| byte.is_ascii() && words::begins_word(char::from(*byte));
    let length = text.bytes().position(|byte| !is_ascii_part(&byte)).unwrap_or(text.len());
    match text.as_bytes().get(length) {
        Some(128..) => text.find(|c| !words::begins_word(c)).unwrap_or(text.len()),
        _ => length,
    }
}

/// Reads tokens from a place on.
pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    /// The place behind the last token.
    pub(super) at: usize,
    /// Whether the text is only passed over, so that odd characters in it need no words.
    pub(super) skipping: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Lexer { text, at, skipping: false }
    }

    /// The text of a token.
    pub(super) fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.span.range()]
    }

    /// The name that a word or quoted token stands for.
    pub(super) fn name_of(&self, token: Token) -> Cow<'a, str> {
        match token.kind {
            Kind::Quoted => quoted::unquote(self.text_of(token)),
            _ => Cow::Borrowed(self.text_of(token)),
        }
    }

    /// The next token.
    pub(super) fn next(&mut self, problems: &mut Collector) -> Token {
        self.token(problems, name_length)
    }

    /// The next token where a label is due: a word may have `.` and `:` inside, as in formulas.
    pub(super) fn next_label(&mut self, problems: &mut Collector) -> Token {
        self.token(problems, words::word_length)
    }

    #[inline(always)]
    fn token(&mut self, problems: &mut Collector, word_length: impl Fn(&str) -> usize) -> Token {
        self.skip_blank(problems);
        let rest = &self.text[self.at..];
        let (kind, length) = match rest.as_bytes().first() {
            None => (Kind::End, 0),
            Some(b'{') => (Kind::OpenBrace, 1),
            Some(b'}') => (Kind::CloseBrace, 1),
            Some(b';') => (Kind::Semicolon, 1),
            Some(b',') => (Kind::Comma, 1),
            Some(b':') => (Kind::Colon, 1),
            Some(b'.') => (Kind::Dot, 1),
            Some(b'?') => (Kind::Question, 1),
            Some(b'"') => return self.quoted(problems),
            _ if rest.starts_with("->") => (Kind::Arrow, 2),
            _ => match word_length(rest) {
                0 => return self.bad(problems),
                length => (Kind::Word, length),
            },
        };
        self.take(kind, length)
    }

    fn take(&mut self, kind: Kind, length: usize) -> Token {
        let span = Span::new(self.at..self.at + length);
        self.at += length;
        Token { kind, span }
    }

    fn skip_blank(&mut self, problems: &mut Collector) {
        let bytes = self.text.as_bytes();
        loop {
            let line = |at: usize| {
                memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length)
            };
            match &bytes[self.at..] {
                [b' ' | b'\n' | b'\t' | b'\r', ..] => self.at += 1,
                [b'#', ..] | [b'/', b'/', ..] => self.at = line(self.at),
                [b'/', b'*', body @ ..] => match memchr::memmem::find(body, b"*/") {
                    Some(length) => self.at += length + 4,
                    None => {
                        let span = Span::new(self.at..self.at + 2);
                        problems.add(|_| {
                            Problem::error("T004", "the comment is never closed")
                                .at(span, "opened here")
                                .hint("add `*/`")
                        });
                        self.at = bytes.len();
                    }
                },
                [128..=255, ..] => match self.text[self.at..].chars().next() {
                    Some(c) if c.is_whitespace() => self.at += c.len_utf8(),
                    _ => return,
                },
                _ => return,
            }
        }
    }

    fn quoted(&mut self, problems: &mut Collector) -> Token {
        let start = self.at;
        match quoted::scan(self.text, start) {
            Scan::Closed { end, bad_escape } => {
                if let Some(at) = bad_escape {
                    problems.add(|_| {
                        Problem::error("T005", "a backslash before a character that needs none")
                            .at(Span::new(at..at + 1), "only \\\" \\\\ \\n \\r and \\t are known")
                            .hint("write \\\\ for the backslash itself")
                    });
                }
                self.take(Kind::Quoted, end - start)
            }
            Scan::Open(end) => {
                problems.add(|_| {
                    Problem::error("T003", "the quote is not closed on its line")
                        .at(Span::new(start..end), "opened here")
                        .hint("add `\"`; inside quotes write \\n for the end of a line")
                });
                self.take(Kind::Bad, end - start)
            }
        }
    }

    /// A run of characters that mean nothing here is one problem.
    fn bad(&mut self, problems: &mut Collector) -> Token {
        let rest = &self.text[self.at..];
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let odd =
            |c: char| !words::begins_word(c) && !c.is_whitespace() && !"{};,:.?\"#/->".contains(c);
        let length = first + rest[first..].find(|c| !odd(c)).unwrap_or(rest.len() - first);
        let token = self.take(Kind::Bad, length);
        if self.skipping {
            return token;
        }
        problems.add(|_| {
            let sign = crate::formula::shortened(&rest[..length]);
            let line = self.text[..token.span.start as usize].rfind('\n').map_or(0, |at| at + 1);
            let before = self.text[line..token.span.start as usize].trim_start();
            let hint = super::slips::about_signs(&sign, before);
            Problem::error("T002", format!("unexpected `{sign}`")).at(token.span, "").hint(hint)
        });
        token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_where_no_letter_is() {
        for (text, length) in
            [("", 0), ("n1", 2), ("n1.x", 2), ("a_$@9 b", 5), ("größe;", 7), ("aé→", 3), ("→a", 0)]
        {
            assert_eq!(name_length(text), length, "{text}");
        }
    }
}

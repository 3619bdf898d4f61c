//! Cuts a DOT text into names, signs and arrows. Comments are skipped.

use crate::collector::Collector;
use crate::problem::Problem;
use std::borrow::Cow;
use tern_model::Span;

/// A piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name, number, quoted text or text in angle brackets; and whether it is a bare word.
    Name(Cow<'a, str>, bool),
    /// One of `{ } [ ] ; , = :`.
    Sign(char),
    /// `->`.
    Arrow,
    /// `--`.
    Line,
    /// Something that has no meaning.
    Other,
    /// The end of the text.
    End,
}

pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) problems: Collector,
    /// Whether the rest of the text was swallowed by something that is never closed; what follows
    /// from that is not complained of.
    pub(super) is_swallowed: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn next(&mut self) -> (Token<'a>, Span) {
        self.skip_blanks();
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else {
            return (Token::End, Span::new(start..start));
        };
        let token = match first {
            '{' | '}' | '[' | ']' | ';' | ',' | '=' | ':' => {
                self.at += 1;
                Token::Sign(first)
            }
            '-' if rest.starts_with("->") => {
                self.at += 2;
                Token::Arrow
            }
            '-' if rest.starts_with("--") => {
                self.at += 2;
                Token::Line
            }
            '"' => self.quoted(rest),
            '<' => self.angled(rest),
            _ => {
                let joins = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
                let minus = usize::from(first == '-');
                let length = rest[minus..].find(|c: char| !joins(c)).unwrap_or(rest.len() - minus);
                if length == 0 {
                    self.at += first.len_utf8();
                    Token::Other
                } else {
                    self.at += minus + length;
                    Token::Name(Cow::Borrowed(&rest[..minus + length]), true)
                }
            }
        };
        (token, Span::new(start..self.at))
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start().len();
            let line_begins = self.at + blank == 0
                || self.text[..self.at + blank].trim_end_matches([' ', '\t']).ends_with('\n');
            let rest = &rest[blank..];
            self.at += blank;
            if rest.starts_with("//") || rest.starts_with('#') && line_begins {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(end) => self.at += end + 2,
                    None => {
                        self.open(self.at, "comment");
                        self.at = self.text.len();
                    }
                }
            } else {
                return;
            }
        }
    }

    /// A text in quotes, in which only quotes are escaped.
    fn quoted(&mut self, rest: &'a str) -> Token<'a> {
        let bytes = rest.as_bytes();
        let mut end = 1;
        while end < bytes.len() && bytes[end] != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        if end >= bytes.len() {
            self.open(self.at, "quote");
            self.at = self.text.len();
            return Token::Other;
        }
        self.at += end + 1;
        let inner = &rest[1..end];
        let name = match inner.contains("\\\"") || inner.contains("\\\\") {
            true => Cow::Owned(inner.replace("\\\"", "\"").replace("\\\\", "\\")),
            false => Cow::Borrowed(inner),
        };
        Token::Name(name, false)
    }

    /// A text in angle brackets, which match.
    fn angled(&mut self, rest: &'a str) -> Token<'a> {
        let mut depth = 0usize;
        for (i, byte) in rest.bytes().enumerate() {
            match byte {
                b'<' => depth += 1,
                b'>' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at += i + 1;
                return Token::Name(Cow::Borrowed(&rest[1..i]), false);
            }
        }
        self.open(self.at, "angle bracket");
        self.at = self.text.len();
        Token::Other
    }

    /// Complains of something that is never closed, once.
    pub(super) fn open(&mut self, at: usize, what: &str) {
        if std::mem::replace(&mut self.is_swallowed, true) {
            return;
        }
        let span = Span::new(at..at + 1);
        self.problems.add(|_| {
            Problem::error("K104", format!("this {what} is never closed")).at(span, "it opens here")
        });
    }
}

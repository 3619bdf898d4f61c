//! Cuts the text of a program into tokens, one at a time.

use crate::collector::Collector;
use crate::problem::Problem;
use tern_model::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A keyword or a name.
    Word,
    /// A number without a sign.
    Number,
    /// An operator or a sign of punctuation; its text says which.
    Sign,
    /// Something that was reported.
    Bad,
    End,
}

/// A piece of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// The words that are no names.
pub(super) const KEYWORDS: &[&str] = &[
    "and", "bool", "boolean", "call", "claim", "cobegin", "coend", "const", "do", "else", "end",
    "fair", "false", "fi", "if", "lock", "mod", "not", "od", "option", "or", "proc", "skip",
    "then", "true", "unlock", "var", "wait", "while",
];

/// Operators and punctuation. Of two that begin alike the longer stands first.
const SIGNS: &[&str] = &[
    ":=", "||", "..", "==", "!=", "<=", ">=", "<>", "&&", "=", "<", ">", "+", "-", "*", "/", "(",
    ")", ";", ",", ":", "!", "&", "|",
];

/// Reads tokens from a place on.
pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    /// The place behind the last token.
    pub(super) at: usize,
}

fn begins_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl<'a> Lexer<'a> {
    /// The text of a token.
    pub(super) fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.span.range()]
    }

    /// The next token.
    pub(super) fn next(&mut self, problems: &mut Collector) -> Token {
        self.skip_blank(problems);
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return self.take(Kind::End, 0) };
        let length = |fits: fn(char) -> bool| rest.find(|c| !fits(c)).unwrap_or(rest.len());
        if begins_name(first) {
            return self.take(Kind::Word, length(continues_name));
        }
        if first.is_ascii_digit() {
            let digits = length(|c| c.is_ascii_digit());
            if !rest[digits..].starts_with(begins_name) {
                return self.take(Kind::Number, digits);
            }
            let token = self.take(Kind::Bad, length(continues_name));
            problems.add(|_| {
                Problem::error("G002", "a name cannot begin with a digit")
                    .at(token.span, "")
                    .hint("begin it with a letter, or put a blank behind the number")
            });
            return token;
        }
        match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            Some(sign) => self.take(Kind::Sign, sign.len()),
            None => self.bad(problems),
        }
    }

    fn take(&mut self, kind: Kind, length: usize) -> Token {
        let span = Span::new(self.at..self.at + length);
        self.at += length;
        Token { kind, span }
    }

    fn skip_blank(&mut self, problems: &mut Collector) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") || trimmed.starts_with('#') {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if let Some(body) = trimmed.strip_prefix("/*") {
                match body.find("*/") {
                    Some(length) => self.at += length + 4,
                    None => {
                        let span = Span::new(self.at..self.at + 2);
                        problems.add(|_| {
                            Problem::error("G003", "the comment is never closed")
                                .at(span, "opened here")
                                .hint("add `*/`")
                        });
                        self.at = self.text.len();
                    }
                }
            } else {
                return;
            }
        }
    }

    /// A run of characters that mean nothing is one problem.
    fn bad(&mut self, problems: &mut Collector) -> Token {
        let rest = &self.text[self.at..];
        let odd = |c: char| {
            !continues_name(c) && !c.is_whitespace() && !"#/;:,()".contains(c) && c != '"'
        };
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let length = first + rest[first..].find(|c| !odd(c)).unwrap_or(rest.len() - first);
        let token = self.take(Kind::Bad, length);
        problems.add(|_| {
            let sign = crate::formula::shortened(&rest[..length]);
            let hint = match sign.as_str() {
                "%" => "the remainder of a division is written `mod`",
                "{" | "}" => {
                    "statements are grouped by `do … od`, `then … fi` and `cobegin … coend`"
                }
                "[" | "]" => "there are no arrays: declare one variable for each element",
                "\"" => "names are written without quotes",
                _ => "see the grammar in docs/imp-format.md",
            };
            Problem::error("G002", format!("unexpected `{sign}`")).at(token.span, "").hint(hint)
        });
        token
    }
}

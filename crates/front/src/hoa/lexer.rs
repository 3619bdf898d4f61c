//! Cuts a text of the HOA format into tokens, one ahead of the reader.

use tern_model::Span;
use tern_model::quoted::{Scan, scan};

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `name:`, the beginning of a header item or of a state; without the colon.
    Item(&'a str),
    /// A word.
    Word(&'a str),
    /// A string, with its quotes.
    Text(&'a str),
    /// A number; one too large for the computer is the largest there is.
    Number(usize),
    /// `@name`; with the `@`.
    Alias(&'a str),
    /// One of `( ) { } [ ] ! & |`.
    Sign(char),
    /// `--BODY--`, `--END--` or `--ABORT--`; without the dashes.
    Mark(&'a str),
    /// The end of the text.
    End,
}

impl Token<'_> {
    /// The token as a message names it.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Item(name) => format!("`{}:`", shortened(name)),
            Token::Word(text) | Token::Alias(text) => format!("`{}`", shortened(text)),
            Token::Text(text) => format!("the string `{}`", shortened(text)),
            Token::Number(number) => format!("`{number}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::Mark(name) => format!("`--{name}--`"),
            Token::End => "the end of the text".to_owned(),
        }
    }
}

fn shortened(text: &str) -> String {
    crate::formula::shortened(text).to_string()
}

/// The tokens of a text.
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    next: (Token<'a>, Span),
    faults: Vec<(Span, String)>,
}

/// How many faults of single characters are kept.
const MOST_FAULTS: usize = 100;

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        let end = (Token::End, Span::new(at..at));
        let mut tokens = Tokens { text, at, next: end, faults: Vec::new() };
        tokens.next();
        tokens
    }

    /// The next token and its place.
    pub(super) fn peek(&self) -> (Token<'a>, Span) {
        self.next
    }

    /// Takes the next token.
    pub(super) fn next(&mut self) -> (Token<'a>, Span) {
        let taken = self.next;
        self.skip_blank();
        let start = self.at;
        let token = self.token();
        self.next = (token, Span::new(start..self.at));
        taken
    }

    /// How long the text is.
    pub(super) fn length(&self) -> usize {
        self.text.len()
    }

    /// What was not understood.
    pub(super) fn take_faults(&mut self) -> Vec<(Span, String)> {
        std::mem::take(&mut self.faults)
    }

    fn fault(&mut self, start: usize, end: usize, message: &str) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push((Span::new(start..end), message.to_owned()));
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips white space and comments, which nest.
    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            if !self.rest().starts_with("/*") {
                return;
            }
            let start = self.at;
            let mut depth = 0_usize;
            loop {
                if self.rest().starts_with("/*") {
                    depth += 1;
                    self.at += 2;
                } else if self.rest().starts_with("*/") {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        break;
                    }
                } else if let Some(c) = self.rest().chars().next() {
                    self.at += c.len_utf8();
                } else {
                    self.fault(start, start + 2, "this comment is never closed");
                    return;
                }
            }
        }
    }

    fn word_length(&self, from: usize) -> usize {
        let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let rest = &self.text[from..];
        rest.find(|c| !inside(c)).unwrap_or(rest.len())
    }

    fn token(&mut self) -> Token<'a> {
        loop {
            let start = self.at;
            let Some(c) = self.rest().chars().next() else { return Token::End };
            for mark in ["BODY", "END", "ABORT"] {
                let whole = mark.len() + 4;
                if self.rest().get(..whole).is_some_and(|piece| {
                    piece.starts_with("--") && piece.ends_with("--") && &piece[2..whole - 2] == mark
                }) {
                    self.at += whole;
                    return Token::Mark(mark);
                }
            }
            match c {
                '(' | ')' | '{' | '}' | '[' | ']' | '!' | '&' | '|' => {
                    self.at += 1;
                    return Token::Sign(c);
                }
                '0'..='9' => {
                    let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
                    self.at += digits;
                    let number = self.text[start..self.at].parse().unwrap_or(usize::MAX);
                    return Token::Number(number);
                }
                '"' => match scan(self.text, start) {
                    Scan::Closed { end, .. } => {
                        self.at = end;
                        return Token::Text(&self.text[start..end]);
                    }
                    Scan::Open(end) => {
                        self.fault(start, end, "this string is not closed on its line");
                        self.at = end;
                    }
                },
                '@' => {
                    self.at += 1 + self.word_length(start + 1);
                    return Token::Alias(&self.text[start..self.at]);
                }
                c if c.is_ascii_alphabetic() || c == '_' => {
                    self.at += self.word_length(start);
                    let word = &self.text[start..self.at];
                    if self.rest().starts_with(':') {
                        self.at += 1;
                        return Token::Item(word);
                    }
                    return Token::Word(word);
                }
                c => {
                    self.at += c.len_utf8();
                    self.fault(start, self.at, "this character has no meaning in HOA");
                }
            }
            self.skip_blank();
        }
    }
}

//! Words of C, with constant `#define`s replaced.

use super::Fault;
use super::syntax::Suffix;
use std::collections::HashMap;
use tern_model::Span;

/// What a word is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(String),
    Number(i128, Suffix),
    /// A sign, such as `+=`.
    Sign(&'static str),
    End,
}

/// A word and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    pub(super) span: Span,
}

/// Longer signs first.
const SIGNS: &[&str] = &[
    "<<=", ">>=", "...", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "==", "!=",
    "<=", ">=", "&&", "||", "<<", ">>", "->", "+", "-", "*", "/", "%", "<", ">", "=", "!", "~",
    "&", "|", "^", "?", ":", ";", ",", "(", ")", "[", "]", "{", "}", ".",
];

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    out: Vec<Lexeme>,
    macros: HashMap<String, Vec<Token>>,
    faults: Vec<Fault>,
}

/// The words of a text.
pub(super) fn lex(text: &str) -> Result<Vec<Lexeme>, Vec<Fault>> {
    let mut lexer =
        Lexer { text, at: 0, out: Vec::new(), macros: HashMap::new(), faults: Vec::new() };
    lexer.run();
    let span = Span::new(text.len()..text.len());
    lexer.out.push(Lexeme { token: Token::End, span });
    if lexer.faults.is_empty() { Ok(lexer.out) } else { Err(lexer.faults) }
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn run(&mut self) {
        let mut at_line_start = true;
        while let Some(c) = self.rest().chars().next() {
            if c == '\n' {
                at_line_start = true;
                self.at += 1;
            } else if c.is_whitespace() || c == '\\' && self.rest().starts_with("\\\n") {
                self.at += c.len_utf8();
            } else if self.rest().starts_with("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.rest().starts_with("/*") {
                let end = self.rest().find("*/").map(|end| end + 2);
                self.at += end.unwrap_or(self.rest().len());
            } else if c == '#' && at_line_start {
                self.directive();
            } else {
                at_line_start = false;
                self.lexeme();
            }
        }
    }

    /// One word, or one fault.
    fn lexeme(&mut self) {
        let start = self.at;
        let token = self.token();
        if self.at == start {
            // Something that is not closed: go on behind its first character.
            self.at += self.rest().chars().next().map_or(0, char::len_utf8);
        }
        let span = Span::new(start..self.at);
        match token {
            Some(Token::Word(word)) if self.macros.contains_key(&word) => {
                for token in self.macros[&word].clone() {
                    self.out.push(Lexeme { token, span });
                }
            }
            Some(token) => self.out.push(Lexeme { token, span }),
            None => {
                let found: String = self.text[start..self.at].to_owned();
                self.faults.push(Fault::new(
                    "C101",
                    span,
                    format!("`{found}` is not understood"),
                    "integer programs have names, whole numbers and the operators of C",
                ));
            }
        }
    }

    fn token(&mut self) -> Option<Token> {
        let rest = self.rest();
        let c = rest.chars().next()?;
        if c.is_ascii_alphabetic() || c == '_' {
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let word = rest[..length.unwrap_or(rest.len())].to_owned();
            self.at += word.len();
            return Some(Token::Word(word));
        }
        if c.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.');
            let word = rest[..length.unwrap_or(rest.len())].to_owned();
            self.at += word.len();
            return number(&word).map(|(value, suffix)| Token::Number(value, suffix));
        }
        if c == '\'' {
            return self.character();
        }
        if c == '"' {
            let length = text_length(rest)?;
            self.at += length;
            return Some(Token::Sign("\""));
        }
        if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            self.at += sign.len();
            return Some(Token::Sign(sign));
        }
        self.at += c.len_utf8();
        None
    }

    /// `'c'`, a number
    fn character(&mut self) -> Option<Token> {
        let mut chars = self.rest().chars();
        chars.next();
        let (value, length) = match (chars.next()?, chars.next()?) {
            ('\\', c) => {
                let value = match c {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    '0' => '\0',
                    c => c,
                };
                (value, 2 + c.len_utf8())
            }
            (c, _) => (c, 1 + c.len_utf8()),
        };
        let is_closed = self.rest()[length..].starts_with('\'');
        self.at += length + usize::from(is_closed);
        is_closed.then_some(Token::Number(i128::from(u32::from(value)), PLAIN))
    }

    /// A line that begins with `#`.
    fn directive(&mut self) {
        let start = self.at;
        let mut length = self.rest().find('\n').unwrap_or(self.rest().len());
        while length < self.rest().len() && self.rest()[..length].ends_with('\\') {
            let more = self.rest()[length + 1..].find('\n');
            length = more.map_or(self.rest().len(), |more| length + 1 + more);
        }
        let line = self.rest()[..length].to_owned();
        self.at += length;
        let words = line[1..].trim_start();
        if words.starts_with("define") {
            self.define(&line, start);
        } else if !["include", "pragma", "line", "undef"].iter().any(|it| words.starts_with(it))
            && !words.starts_with(|c: char| c.is_ascii_digit())
        {
            self.faults.push(Fault::new(
                "C101",
                Span::new(start..start + length),
                "this directive of the preprocessor is not understood",
                "run `cc -E -P` on the file and check what it prints",
            ));
        }
    }

    /// `#define NAME words`
    fn define(&mut self, line: &str, start: usize) {
        let define = line.find("define").map_or(0, |at| at + "define".len());
        let blanks = line[define..].len() - line[define..].trim_start().len();
        let name_at = define + blanks;
        let rest = &line[name_at..];
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = &rest[..length.unwrap_or(rest.len())];
        let value = &rest[name.len()..];
        if name.is_empty() || value.starts_with('(') {
            self.faults.push(Fault::new(
                "C101",
                Span::new(start..start + line.len()),
                "macros with parameters are not read",
                "run `cc -E -P` on the file and check what it prints",
            ));
            return;
        }
        let mut inner = Lexer {
            text: value,
            at: 0,
            out: Vec::new(),
            macros: self.macros.clone(),
            faults: Vec::new(),
        };
        inner.run();
        let tokens = inner.out.into_iter().map(|lexeme| lexeme.token).collect();
        self.macros.insert(name.to_owned(), tokens);
    }
}

/// How long a text in quotes is.
fn text_length(rest: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '"' if !is_escaped => return Some(at + 1),
            c => is_escaped = c == '\\' && !is_escaped,
        }
    }
    None
}

/// A number of ten digits without a suffix.
pub(super) const PLAIN: Suffix = Suffix { is_unsigned: false, longs: 0, is_decimal: true };

/// A number as C writes it, with its suffixes.
fn number(word: &str) -> Option<(i128, Suffix)> {
    let lower = word.to_ascii_lowercase();
    let (digits, radix) = match lower.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => match lower.strip_prefix("0b") {
            Some(digits) => (digits, 2),
            None if lower.len() > 1 && lower.starts_with('0') => (&lower[1..], 8),
            None => (lower.as_str(), 10),
        },
    };
    let (digits, letters) = digits.split_at(digits.trim_end_matches(['u', 'l']).len());
    let suffix = Suffix {
        is_unsigned: letters.contains('u'),
        longs: letters.matches('l').count().min(2) as u8,
        is_decimal: radix == 10,
    };
    if digits.is_empty() && radix == 8 {
        return Some((0, suffix));
    }
    let value = i128::from_str_radix(digits, radix).ok().filter(|value| *value < 1 << 100)?;
    Some((value, suffix))
}

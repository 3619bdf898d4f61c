//! Words of C, with what `#define` says of them replaced (`macros`), and without what `#if` leaves
//! out.

use super::Fault;
use super::macros::{Directive, Macro, expand};
use super::syntax::Suffix;
use std::collections::HashSet;
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

/// The most mistakes that are told of.
const MOST_FAULTS: usize = 20;

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    out: Vec<Lexeme>,
    /// What `#define` and `#undef` say, each with the number of words before it.
    directives: Vec<(usize, Directive)>,
    /// The names that have a meaning so far.
    defined: HashSet<String>,
    /// For each `#if` that is open, whether one of its parts was read.
    conditions: Vec<bool>,
    faults: Vec<Fault>,
}

/// The words of a text.
pub(super) fn lex(text: &str) -> Result<Vec<Lexeme>, Vec<Fault>> {
    let mut lexer = Lexer::new(text);
    lexer.run();
    if !lexer.conditions.is_empty() && lexer.faults.is_empty() {
        lexer.fault(text.len(), "an `#if` is never closed", "write `#endif` behind it");
    }
    let Lexer { mut out, directives, mut faults, .. } = lexer;
    if !directives.is_empty() && faults.is_empty() {
        out = expand(out, directives, &mut faults);
    }
    let span = Span::new(text.len()..text.len());
    out.push(Lexeme { token: Token::End, span });
    if faults.is_empty() { Ok(out) } else { Err(faults) }
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str) -> Self {
        let (out, directives, defined, conditions, faults) = Default::default();
        Lexer { text, at: 0, out, directives, defined, conditions, faults }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Something that is wrong from a place up to here.
    fn fault(&mut self, start: usize, message: impl Into<String>, hint: &str) {
        self.faults.push(Fault::new("C101", Span::new(start..self.at.max(start)), message, hint));
    }

    fn run(&mut self) {
        let mut at_line_start = true;
        while let Some(c) = self.rest().chars().next()
            && self.faults.len() < MOST_FAULTS
        {
            if c == '\n' {
                at_line_start = true;
                self.at += 1;
            } else if c.is_whitespace() || c == '\\' && continues(self.rest()) > 0 {
                self.at += c.len_utf8().max(continues(self.rest()));
            } else if self.rest().starts_with("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.rest().starts_with("/*") {
                let start = self.at;
                let end = self.rest()[2..].find("*/").map(|end| end + 4);
                self.at += end.unwrap_or(self.rest().len());
                if end.is_none() {
                    self.fault(start, "a comment is never closed", "write `*/` behind it");
                }
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
        match token {
            Some(token) => self.out.push(Lexeme { token, span: Span::new(start..self.at) }),
            None => {
                let found: String = self.text[start..self.at].chars().take(40).collect();
                let is_float = found.starts_with(|c: char| c.is_ascii_digit())
                    && found.contains(['.', 'e', 'E', 'f'])
                    && !found.starts_with("0x");
                let hint = match is_float {
                    true => "floating-point numbers are not treated: use whole ones",
                    false => "integer programs have names, whole numbers and the operators of C",
                };
                self.fault(start, format!("`{}` is not understood", found.escape_debug()), hint);
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
        let inside = &self.rest()[1..];
        let length = match inside.strip_prefix('\\') {
            None => inside.chars().next().map_or(0, char::len_utf8),
            Some(escaped) => 1 + escaped.find('\'').map_or(0, |end| end.max(1)),
        };
        let value = character(&inside[..length]);
        let is_closed = inside[length..].starts_with('\'');
        self.at += 1 + length + usize::from(is_closed);
        Some(Token::Number(value.filter(|_| is_closed)?, PLAIN))
    }

    /// A line that begins with `#`.
    fn directive(&mut self) {
        let start = self.at;
        let line = self.line();
        let words = line[1..].trim_start();
        let (word, rest) = words.split_at(word_length(words));
        let (word, rest) = (word, rest.trim());
        match word {
            "define" => self.define(&line, start),
            "undef" => {
                let name = rest[..word_length(rest)].to_owned();
                self.defined.remove(&name);
                self.directives.push((self.out.len(), Directive::Undefine(name)));
            }
            "include" | "pragma" | "line" | "ident" | "" => {}
            "ifdef" | "ifndef" | "if" => match self.condition(word, rest) {
                Some(truth) => {
                    self.conditions.push(truth);
                    if !truth {
                        self.skip(start);
                    }
                }
                None => self.not_understood(start),
            },
            "else" | "elif" if self.conditions.last() == Some(&true) => self.skip(start),
            "endif" if !self.conditions.is_empty() => {
                self.conditions.pop();
            }
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {}
            _ => self.not_understood(start),
        }
    }

    fn not_understood(&mut self, start: usize) {
        let message = "this directive of the preprocessor is not understood";
        self.fault(start, message, "give `--preprocess`, so that `cc -E` reads the file first");
    }

    /// The line that begins here, with those that it goes on in, and without comments.
    fn line(&mut self) -> String {
        let mut length = self.rest().find('\n').unwrap_or(self.rest().len());
        while length < self.rest().len()
            && self.rest()[..length].trim_end_matches('\r').ends_with('\\')
        {
            let more = self.rest()[length + 1..].find('\n');
            length = more.map_or(self.rest().len(), |more| length + 1 + more);
        }
        let line = &self.rest()[..length];
        // A comment that begins on the line may end on a later one.
        let mut plain = String::new();
        let mut rest = line;
        while let Some(at) = rest.find("/*") {
            plain.push_str(&rest[..at]);
            plain.push(' ');
            match rest[at + 2..].find("*/") {
                Some(end) => rest = &rest[at + end + 4..],
                None => {
                    length -= rest.len() - at;
                    rest = "";
                }
            }
        }
        plain.push_str(rest);
        self.at += length;
        if let Some(at) = plain.find("//") {
            plain.truncate(at);
        }
        plain
    }

    /// Whether the text behind an `#if` is read; `None` if that cannot be told.
    fn condition(&self, word: &str, rest: &str) -> Option<bool> {
        let (is_not, rest) = match rest.strip_prefix('!') {
            Some(rest) if word == "if" => (true, rest.trim_start()),
            _ => (word == "ifndef", rest),
        };
        let name = match word {
            "if" => rest.strip_prefix("defined").map(|it| it.trim().trim_matches(['(', ')'])),
            _ => Some(rest),
        };
        let truth = match name.map(str::trim) {
            Some(name) if !name.is_empty() && word_length(name) == name.len() => {
                self.defined.contains(name)
            }
            Some(_) => return None,
            None => rest.parse::<u64>().ok()? != 0,
        };
        Some(truth != is_not)
    }

    /// Skips text up to the next part of the innermost `#if` that is read, or to its end.
    fn skip(&mut self, start: usize) {
        let mut depth = 0;
        loop {
            let Some(end) = self.rest().find('\n') else {
                self.at = self.text.len();
                return;
            };
            self.at += end + 1;
            let line = self.rest().trim_start_matches([' ', '\t']);
            let Some(words) = line.strip_prefix('#').map(str::trim_start) else { continue };
            match &words[..word_length(words)] {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth == 0 => {
                    self.conditions.pop();
                    self.line();
                    return;
                }
                "endif" => depth -= 1,
                "else" if depth == 0 && self.conditions.last() == Some(&false) => {
                    self.conditions.pop();
                    self.conditions.push(true);
                    self.line();
                    return;
                }
                "elif" if depth == 0 && self.conditions.last() == Some(&false) => {
                    return self.not_understood(start);
                }
                _ => {}
            }
        }
    }

    /// `#define NAME words`, `#define NAME(a, b) words`
    fn define(&mut self, line: &str, start: usize) {
        let define = line.find("define").map_or(0, |at| at + "define".len());
        let rest = line[define..].trim_start();
        let (name, value) = rest.split_at(word_length(rest));
        let list = value.strip_prefix('(').map(|list| list.split_once(')').unwrap_or((list, "")));
        let (parameters, value) = match list {
            None => (None, value),
            Some((list, value)) => {
                let names = list.split(',').map(|it| it.trim().to_owned());
                let names: Vec<String> = names.filter(|it| !it.is_empty()).collect();
                (Some(names), value)
            }
        };
        let is_name = |it: &str| !it.is_empty() && word_length(it) == it.len();
        let mut inner = Lexer::new(value);
        inner.run();
        let named = parameters.iter().flatten().all(|it| is_name(it));
        if !is_name(name) || !named || !inner.faults.is_empty() || value.contains('#') {
            let message = "this macro is not understood";
            let hint = "give `--preprocess`, so that `cc -E` reads the file first";
            self.fault(start, message, hint);
            return;
        }
        let words = inner.out.into_iter().map(|lexeme| lexeme.token).collect();
        self.defined.insert(name.to_owned());
        let made = Directive::Define(name.to_owned(), Macro { parameters, words });
        self.directives.push((self.out.len(), made));
    }
}

/// How long a backslash with the end of the line behind it is; 0 if there is none.
fn continues(rest: &str) -> usize {
    ["\\\n", "\\\r\n"].into_iter().find(|it| rest.starts_with(it)).map_or(0, str::len)
}

/// How long the word is that a text begins with.
fn word_length(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// The number that the text between two `'` stands for.
fn character(text: &str) -> Option<i128> {
    let signed = |value: u32| u8::try_from(value).ok().map(|it| i128::from(it as i8));
    let Some(escaped) = text.strip_prefix('\\') else {
        let c = text.chars().next().filter(char::is_ascii)?;
        return Some(i128::from(u32::from(c)));
    };
    if let Some(digits) = escaped.strip_prefix('x') {
        return signed(u32::from_str_radix(digits, 16).ok()?);
    }
    if escaped.starts_with(|c: char| c.is_digit(8)) {
        return signed(u32::from_str_radix(escaped, 8).ok()?);
    }
    let code = match escaped {
        "n" => 10,
        "t" => 9,
        "r" => 13,
        "a" => 7,
        "b" => 8,
        "f" => 12,
        "v" => 11,
        "\\" | "'" | "\"" | "?" => escaped.bytes().next()?,
        _ => return None,
    };
    Some(i128::from(code))
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

//! Operators before operands in braces, as FuncTion writes them, where the source of the machine
//! has values.
//!
//! ```text
//! AU{x > 0}{AND{exit: true}{y == 1}}      A [{x > 0} U ((exit) & ({y == 1}))]
//! NOT{EG{L: x < 3}}                       ! (EG (L & {x < 3}))
//! ```
//! Such a text is cut into the tokens of what it means, each with a place in the text. Operators
//! mean what they mean elsewhere in Tern. A text that is no such formula is left to the lexer.

use super::atoms::{Braced, scan_braced};
use super::lexer::{Bracket, Infix, Kind, Lexer, Prefix};
use std::ops::Range;
use tern_model::logic::words::word_length;

/// The operators with their numbers of operands.
const OPERATORS: [(&str, usize); 11] = [
    ("AND", 2),
    ("NOT", 1),
    ("OR", 2),
    ("AX", 1),
    ("AF", 1),
    ("AG", 1),
    ("EX", 1),
    ("EF", 1),
    ("EG", 1),
    ("AU", 2),
    ("EU", 2),
];

/// How deep such formulas may be nested; deeper ones can be written otherwise.
const DEPTH: usize = 100;

/// An operator and its operands.
struct Form {
    name: &'static str,
    /// What stands in the braces.
    operands: Vec<Range<usize>>,
    end: usize,
}

/// The operator with its operands that stands at a place.
fn form(text: &str, start: usize) -> Option<Form> {
    let rest = &text[start..];
    let &(name, count) = OPERATORS.iter().find(|(name, _)| {
        let behind = rest.strip_prefix(name);
        behind.is_some_and(|behind| behind.trim_start_matches([' ', '\t']).starts_with('{'))
    })?;
    let (mut operands, mut end) = (Vec::new(), start + name.len());
    for _ in 0..count {
        end += text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
        if !text[end..].starts_with('{') {
            return None;
        }
        let Braced::Closed(closed) = scan_braced(text, end) else { return None };
        operands.push(end + 1..closed - 1);
        end = closed;
    }
    Some(Form { name, operands, end })
}

/// A range without the blanks at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = &text[range.clone()];
    let start = range.start + inner.len() - inner.trim_start().len();
    start..start + inner.trim().len()
}

/// The label before a colon, and what is behind it.
fn labelled(text: &str, range: &Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let at = range.start + text[range.clone()].find(':')?;
    let label = trimmed(text, range.start..at);
    let is_word = !label.is_empty() && word_length(&text[label.clone()]) == label.len();
    is_word.then(|| (label, trimmed(text, at + 1..range.end)))
}

/// Whether an operand can be read; and whether only here it can.
fn look(text: &str, range: &Range<usize>, depth: usize) -> Option<bool> {
    let range = trimmed(text, range.clone());
    if range.is_empty() || depth > DEPTH {
        return None;
    }
    if let Some(form) = form(text, range.start).filter(|form| form.end == range.end) {
        let mut operands = form.operands.iter();
        return operands.all(|it| look(text, it, depth + 1).is_some()).then_some(true);
    }
    let is_plain = !text[range.clone()].contains(['{', '}']);
    is_plain.then(|| labelled(text, &range).is_some())
}

impl Lexer<'_> {
    /// Takes such a formula, if one stands here that is not read as it is.
    pub(super) fn braces(&mut self) -> bool {
        let Some(form) = form(self.text, self.at) else { return false };
        let mut is_special = form.operands.len() > 1 || form.name == "NOT";
        for operand in &form.operands {
            match look(self.text, operand, 0) {
                None => return false,
                Some(own) => is_special |= own,
            }
        }
        if is_special {
            let end = form.end;
            self.form(self.at, &form);
            self.at = end;
        }
        is_special
    }

    fn token(&mut self, at: usize, kind: Kind, length: usize) {
        self.at = at;
        self.push(kind, length);
    }

    fn form(&mut self, start: usize, form: &Form) {
        let quantifier = if form.name.starts_with('A') { Kind::All } else { Kind::Exists };
        let prefix = match &form.name[1..] {
            "X" => Some(Prefix::Next),
            "F" => Some(Prefix::Finally),
            "G" => Some(Prefix::Globally),
            _ => None,
        };
        let length = form.name.len();
        match form.operands.as_slice() {
            [first, second] => {
                let infix = match form.name {
                    "AND" => Infix::And,
                    "OR" => Infix::Or,
                    _ => Infix::Until,
                };
                if infix == Infix::Until {
                    self.token(start, quantifier, 1);
                    self.token(start + 1, Kind::Open(Bracket::Square), 1);
                } else {
                    self.token(start, Kind::Open(Bracket::Square), length);
                }
                self.operand(first, 1);
                self.token(second.start - 1, Kind::Infix(infix), 1);
                self.operand(second, 0);
                self.token(second.end, Kind::Close(Bracket::Square), 1);
            }
            [only] => {
                match prefix {
                    None => self.token(start, Kind::Prefix(Prefix::Not), length),
                    Some(prefix) => {
                        self.token(start, quantifier, 1);
                        self.token(start + 1, Kind::Prefix(prefix), 1);
                    }
                }
                self.operand(only, 1);
            }
            _ => {}
        }
    }

    /// What stands in braces, in parentheses; the braces are their places, or nothing is.
    fn operand(&mut self, range: &Range<usize>, brace: usize) {
        self.token(range.start - brace, Kind::Open(Bracket::Round), brace);
        let inner = trimmed(self.text, range.clone());
        if let Some(form) = form(self.text, inner.start).filter(|form| form.end == inner.end) {
            self.form(inner.start, &form);
        } else if let Some((label, test)) = labelled(self.text, &inner) {
            self.token(label.start, Kind::Word, label.len());
            if !matches!(&self.text[test.clone()], "" | "true") {
                self.token(label.end, Kind::Infix(Infix::And), test.start - label.end);
                self.token(test.start, Kind::Braced, test.len());
            }
        } else {
            let kind = match &self.text[inner.clone()] {
                "true" => Kind::True,
                "false" => Kind::False,
                _ => Kind::Braced,
            };
            self.token(inner.start, kind, inner.len());
        }
        self.token(range.end, Kind::Close(Bracket::Round), brace);
    }
}

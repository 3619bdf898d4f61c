//! The spellings of atoms beside bare words: texts in quotes or braces, names with arguments, and
//! comparisons.
//!
//! ```text
//! "text"   {text}         the atom of that name; in braces, blanks at both ends are dropped
//! call("*.close")         the atom `call("*.close")`; see `tern_model::logic::words::applied`
//! x + 1 <= y              the atom `x + 1 <= y`, where the source of the machine has values
//! ```
//! An atom is known by its name alone. What the name means is up to the source of the machine: most
//! look for a label of that name.

use tern_model::logic::words::{self, Word};

/// What was found where a brace opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Braced {
    /// A text; it ends before this offset, the closing brace included.
    Closed(usize),
    /// No closing brace on this line, which ends at this offset.
    Open(usize),
}

/// Looks for the end of the text in braces that begins at `start`. Braces inside must match; those
/// in quotes do not count.
pub(super) fn scan_braced(text: &str, start: usize) -> Braced {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut in_quotes) = (start, 0usize, false);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' | b'\r' => break,
            b'\\' if in_quotes => at += 1,
            b'"' => in_quotes = !in_quotes,
            b'{' if !in_quotes => depth += 1,
            b'}' if !in_quotes => {
                depth -= 1;
                if depth == 0 {
                    return Braced::Closed(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    Braced::Open(at.min(text.len()))
}

/// The name that a text in braces stands for; the braces are included.
pub(super) fn unbraced(braced: &str) -> &str {
    let inner = braced.strip_prefix('{').unwrap_or(braced);
    inner.strip_suffix('}').unwrap_or(inner).trim()
}

/// The signs of comparisons, and what would make them something else if it followed. Of two that
/// begin alike the longer stands first.
const COMPARISONS: [(&str, &[&str]); 7] = [
    ("==", &[]),
    ("=", &[">"]),
    ("!=", &[]),
    ("<=", &[">"]),
    (">=", &[]),
    ("<", &["-", ">"]),
    (">", &[]),
];

const ARITHMETIC: [(&str, &[&str]); 5] =
    [("+", &[]), ("-", &[">", "-"]), ("*", &["/"]), ("/", &["\\", "/", "*"]), ("mod ", &[])];

/// The comparison at the start of `text`, if there is one: its length, and its name, with single
/// blanks between its parts. It ends on its line.
pub(super) fn comparison(text: &str) -> Option<(usize, String)> {
    let mut scan = Pieces { text, at: 0, name: String::new() };
    scan.sum()?;
    scan.sign(&COMPARISONS)?;
    scan.sum()?;
    Some((scan.at, scan.name))
}

struct Pieces<'a> {
    text: &'a str,
    /// How far the comparison goes that is read so far.
    at: usize,
    name: String,
}

impl Pieces<'_> {
    /// Terms with signs of arithmetic between them.
    fn sum(&mut self) -> Option<()> {
        self.term()?;
        loop {
            let (before, length) = (self.at, self.name.len());
            if self.sign(&ARITHMETIC).is_none() {
                return Some(());
            }
            if self.term().is_none() {
                self.at = before;
                self.name.truncate(length);
                return Some(());
            }
        }
    }

    /// A number, perhaps negative, or the name of a variable.
    fn term(&mut self) -> Option<()> {
        let rest = self.rest();
        let minus = usize::from(rest.starts_with('-'));
        let length = words::word_length(&rest[minus..]);
        let word = &rest[minus..minus + length];
        let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let is_value = match words::classify(word) {
            Word::Atom(_) => !word.is_empty() && word != "mod",
            Word::True | Word::False => true,
            _ => false,
        };
        if !(is_number || is_value && minus == 0) {
            return None;
        }
        self.take(minus + length);
        Some(())
    }

    fn sign(&mut self, signs: &[(&str, &[&str])]) -> Option<()> {
        let rest = self.rest();
        let fits = |&&(sign, unless): &&(&str, &[&str])| {
            let behind = rest.strip_prefix(sign);
            behind.is_some_and(|behind| !unless.iter().any(|it| behind.starts_with(it)))
        };
        let (sign, _) = signs.iter().find(fits)?;
        self.take(sign.trim_end().len());
        Some(())
    }

    /// What follows, without the blanks before it.
    fn rest(&self) -> &str {
        self.text[self.at..].trim_start_matches([' ', '\t'])
    }

    /// Takes the next bytes behind the blanks for a part of the comparison.
    fn take(&mut self, length: usize) {
        let start = self.text.len() - self.rest().len();
        if !self.name.is_empty() {
            self.name.push(' ');
        }
        self.name.push_str(&self.text[start..start + length]);
        self.at = start + length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_match_and_quotes_hide_them() {
        for (text, inner) in [
            ("{x > 0}", "x > 0"),
            ("{ x }", "x"),
            ("{a{b}c}", "a{b}c"),
            ("{s == \"}\"}", "s == \"}\""),
            ("{\"\\\"}\"}", "\"\\\"}\""),
        ] {
            assert_eq!(scan_braced(text, 0), Braced::Closed(text.len()), "{text}");
            assert_eq!(unbraced(text), inner);
        }
        for (text, end) in [("{a", 2), ("{a\n}", 2), ("{{a}", 4), ("{\"}", 3), ("{\"\\", 3)] {
            assert_eq!(scan_braced(text, 0), Braced::Open(end), "{text}");
        }
    }

    #[test]
    fn comparisons_are_told_from_operators() {
        for (text, name) in [
            ("x=1", "x = 1"),
            ("x = 1 & y", "x = 1"),
            ("x+1 <=y -> q", "x + 1 <= y"),
            ("a.b != -3)", "a.b != -3"),
            ("x mod 2 == 0", "x mod 2 == 0"),
            ("x = TRUE", "x = TRUE"),
            ("0 < n - 1 --> p", "0 < n - 1"),
        ] {
            let found = comparison(text).map(|(length, name)| (text[..length].len(), name));
            assert!(found.is_some_and(|(_, found)| found == name), "{text}");
        }
        for text in
            ["p -> q", "p <-> q", "p <> q", "p => q", "p <=> q", "p & q", "F x = 1", "x =", "= 1"]
        {
            assert_eq!(comparison(text), None, "{text}");
        }
        assert_eq!(comparison("x\n= 1"), None, "it ends on its line");
    }
}

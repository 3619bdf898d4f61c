//! Texts in double quotes, the same in formulas, claims and machines.
//!
//! Inside the quotes `\"`, `\\`, `\n`, `\r` and `\t` stand for a quote, a backslash, the end of a
//! line, a carriage return and a tab. A quoted name ends on the line on which it begins.

use std::borrow::Cow;

/// What was found where a quote opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scan {
    /// A quoted name; it ends before this offset, the closing quote included.
    Closed {
        /// One past the closing quote.
        end: usize,
        /// Where a backslash stands before a character that it cannot stand before.
        bad_escape: Option<usize>,
    },
    /// No closing quote on this line, which ends at this offset.
    Open(usize),
}

/// Looks for the end of the quoted name that begins at `start`, where there is a quote.
pub fn scan(text: &str, start: usize) -> Scan {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    let mut bad_escape = None;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return Scan::Closed { end: at + 1, bad_escape },
            b'\n' | b'\r' => break,
            b'\\' => {
                match bytes.get(at + 1) {
                    Some(b'"' | b'\\' | b'n' | b'r' | b't') => at += 1,
                    _ => bad_escape = bad_escape.or(Some(at)),
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    Scan::Open(at)
}

/// The name that a quoted text stands for; `quoted` includes the quotes.
pub fn unquote(quoted: &str) -> Cow<'_, str> {
    let inner = quoted.strip_prefix('"').unwrap_or(quoted);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut name = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => name.push('\n'),
                Some('r') => name.push('\r'),
                Some('t') => name.push('\t'),
                Some(other) => name.push(other),
                None => (),
            },
            c => name.push(c),
        }
    }
    Cow::Owned(name)
}

/// Appends a name in quotes.
pub fn push_quoted(text: &mut String, name: &str) {
    text.push('"');
    for c in name.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            c => text.push(c),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_and_unquoting_are_inverse() {
        for name in ["", "a b", "x\"y", "back\\slash", "\n\r\t", "größe", "\\n"] {
            let mut quoted = String::new();
            push_quoted(&mut quoted, name);
            let end = quoted.len();
            assert_eq!(scan(&quoted, 0), Scan::Closed { end, bad_escape: None });
            assert_eq!(unquote(&quoted), name);
        }
        assert_eq!(scan("\"a\nb\"", 0), Scan::Open(2));
        assert_eq!(scan("\"a\\", 0), Scan::Open(3));
        assert_eq!(scan("\"a\\q\"", 0), Scan::Closed { end: 5, bad_escape: Some(2) });
    }
}

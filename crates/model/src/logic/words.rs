//! Which words of a formula are operators and which are propositions.
//!
//! The reader and the printer of formulas both ask here, so that a proposition whose name looks
//! like an operator is printed in quotes and read back as what it was.

use crate::quoted::{self, Scan};

/// What a bare word means in a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word<'a> {
    /// `true`, `TRUE`, `1`.
    True,
    /// `false`, `FALSE`, `0`.
    False,
    /// `not`.
    Not,
    /// `and`.
    And,
    /// `or`.
    Or,
    /// `xor`.
    Xor,
    /// `U`.
    Until,
    /// `R` or `V`.
    Release,
    /// `W`.
    WeakUntil,
    /// `M`.
    StrongRelease,
    /// A run of prefix operators, each a letter of `A E X F G`, and perhaps a proposition that is
    /// written right behind them: `AG`, `GF`, `GFp0`. At least one letter is there.
    Prefix {
        /// The operators, outermost first.
        operators: &'a str,
        /// The proposition behind them, if any.
        atom: Option<&'a str>,
    },
    /// A proposition.
    Atom(&'a str),
}

/// Sorts a bare word.
///
/// Words made of prefix operators alone (`AG`, `EX`, `GF`, `AFG`) are operators. As in Spot, a
/// proposition may follow `X`, `F` and `G` without a space, but only if it is one small letter with
/// digits (`GFp0`, `Xa`): `Final` and `Green` are propositions.
pub fn classify(word: &str) -> Word<'_> {
    match word {
        "true" | "TRUE" | "True" | "1" => return Word::True,
        "false" | "FALSE" | "False" | "0" => return Word::False,
        "not" => return Word::Not,
        "and" => return Word::And,
        "or" => return Word::Or,
        "xor" => return Word::Xor,
        "U" => return Word::Until,
        "R" | "V" => return Word::Release,
        "W" => return Word::WeakUntil,
        "M" => return Word::StrongRelease,
        "A" | "E" => return Word::Prefix { operators: word, atom: None },
        _ => (),
    }
    let quantifier = usize::from(word.starts_with(['A', 'E']));
    let length = quantifier + word[quantifier..].bytes().take_while(|b| b"XFG".contains(b)).count();
    if length == quantifier {
        return Word::Atom(word);
    }
    let (operators, rest) = word.split_at(length);
    if rest.is_empty() {
        return Word::Prefix { operators, atom: None };
    }
    let short = rest.starts_with(|c: char| c.is_ascii_lowercase())
        && rest[1..].bytes().all(|b| b.is_ascii_digit());
    if short { Word::Prefix { operators, atom: Some(rest) } } else { Word::Atom(word) }
}

/// Whether a character may begin a bare word.
pub fn begins_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '@')
}

/// Whether a character may stand inside a bare word. `.` and `:` join: they may not end it.
pub fn joins_word(c: char) -> bool {
    matches!(c, '.' | ':')
}

/// The length in bytes of the bare word at the start of `text`; 0 if there is none.
pub fn word_length(text: &str) -> usize {
    let mut length = 0;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let inside = begins_word(c)
            || length > 0 && joins_word(c) && rest.clone().next().is_some_and(begins_word);
        if !inside {
            break;
        }
        length += c.len_utf8();
    }
    length
}

/// Whether a proposition of this name can be written without quotes.
pub fn is_plain(name: &str) -> bool {
    !name.is_empty() && word_length(name) == name.len() && classify(name) == Word::Atom(name)
}

/// The name with arguments at the start of `text`, if there is one: how long it is, and how it is
/// spelt as a proposition. `at(l)`, `call("*.close")` and `sent( a, "b c" )` are such: a word that
/// is no operator, and right behind it in parentheses words or quoted texts with commas between
/// them, on one line. Blanks are dropped but for one behind each comma, and so are quotes that a
/// word does not need: `at("l")` is `at(l)`.
pub fn applied(text: &str) -> Option<(usize, String)> {
    let length = word_length(text);
    let word = &text[..length];
    if length == 0 || classify(word) != Word::Atom(word) || !text[length..].starts_with('(') {
        return None;
    }
    let blanks =
        |at: usize| at + text[at..].len() - text[at..].trim_start_matches([' ', '\t']).len();
    let mut name = format!("{word}(");
    let mut at = blanks(length + 1);
    if text[at..].starts_with(')') {
        name.push(')');
        return Some((at + 1, name));
    }
    loop {
        let end = match quoted::scan(text, at) {
            Scan::Closed { end, bad_escape: None } if text[at..].starts_with('"') => {
                push_argument(&mut name, &quoted::unquote(&text[at..end]));
                end
            }
            _ => {
                let argument = word_length(&text[at..]);
                if argument == 0 {
                    return None;
                }
                name.push_str(&text[at..at + argument]);
                at + argument
            }
        };
        at = blanks(end);
        match text[at..].chars().next() {
            Some(',') => name.push_str(", "),
            Some(')') => {
                name.push(')');
                return Some((at + 1, name));
            }
            _ => return None,
        }
        at = blanks(at + 1);
    }
}

/// Appends an argument, in quotes if it is no word.
fn push_argument(name: &mut String, argument: &str) {
    if !argument.is_empty() && word_length(argument) == argument.len() {
        name.push_str(argument);
    } else {
        quoted::push_quoted(name, argument);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted() {
        let prefix = |operators, atom| Word::Prefix { operators, atom };
        assert_eq!(classify("AG"), prefix("AG", None));
        assert_eq!(classify("GFp0"), prefix("GF", Some("p0")));
        assert_eq!(classify("Xa"), prefix("X", Some("a")));
        assert_eq!(classify("AFG"), prefix("AFG", None));
        assert_eq!(classify("E"), prefix("E", None));
        for atom in ["Final", "Green", "Error", "Ap", "p", "EA", "Fp0q", "c0$$lock:PC10"] {
            assert_eq!(classify(atom), Word::Atom(atom));
        }
    }

    #[test]
    fn names_that_need_quotes() {
        for plain in ["p", "_x1", "a.b:c", "Final", "2nd", "größe"] {
            assert!(is_plain(plain), "{plain}");
        }
        for quoted in ["", "G", "Fp", "true", "a b", "a-b", "a.", "x:", "1", "a\"b", ".a"] {
            assert!(!is_plain(quoted), "{quoted}");
        }
        for (text, spelt) in [
            ("at(l)", "at(l)"),
            ("at( \"l\" ) & p", "at(l)"),
            ("call(\"*.close\")", "call(\"*.close\")"),
            ("sent(a,\"b c\" , G)", "sent(a, \"b c\", G)"),
            ("ended()", "ended()"),
        ] {
            assert_eq!(applied(text).map(|(_, name)| name).as_deref(), Some(spelt), "{text}");
            assert_eq!(applied(spelt), Some((spelt.len(), spelt.to_owned())));
        }
        for other in ["p", "p (q)", "X(p)", "AG(p)", "not(p)", "p(q & r)", "p(q", "p(,q)", "p(q,)"]
        {
            assert_eq!(applied(other), None, "{other}");
        }
        assert_eq!(word_length("safe: AG p"), 4);
        assert_eq!(word_length("a.b & c"), 3);
    }
}

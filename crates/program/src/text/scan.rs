//! The letters of the text form: words, numbers, quoted names and signs.

use tern_front::Problem;
use tern_model::Span;

/// What is wrong at a place, if reading cannot go on there.
pub(super) type Scanned<T> = Result<T, Box<Problem>>;

/// A text and how far it has been read. Blanks before a thing are skipped when it is asked for.
pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

fn is_inner(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '<' | '>' | '-')
}

impl<'a> Scan<'a> {
    /// What is left, without the blanks before it.
    pub(super) fn rest(&mut self) -> &'a str {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    /// Says that something else was expected here.
    pub(super) fn expected<T>(&mut self, what: &str) -> Scanned<T> {
        let rest = self.rest();
        let length = rest.chars().take_while(|&c| is_inner(c) || c == '.').count();
        let length = length.max(rest.chars().next().map_or(0, char::len_utf8));
        let found = match &rest[..length] {
            "" => "the end of the text".to_owned(),
            found => format!("`{found}`"),
        };
        let span = Span::new(self.at..self.at + length);
        let message = format!("{what} is expected, and {found} is there");
        Err(Problem::error("N001", message).at(span, format!("{what} is expected here")).into())
    }

    /// Takes a sign if it is next.
    pub(super) fn takes(&mut self, sign: &str) -> bool {
        let is_next = self.rest().starts_with(sign);
        if is_next {
            self.at += sign.len();
        }
        is_next
    }

    /// Takes a sign, which must be next.
    pub(super) fn sign(&mut self, sign: &str) -> Scanned<()> {
        if self.takes(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    /// The word that is next, up to a dot; empty if there is none.
    pub(super) fn peek_word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !is_inner(c)).unwrap_or(rest.len());
        &rest[..end]
    }

    /// Takes a word if it is next.
    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let is_next = self.peek_word() == word;
        if is_next {
            self.at += word.len();
        }
        is_next
    }

    /// Takes a word, which must be next.
    pub(super) fn word(&mut self, word: &str) -> Scanned<()> {
        if self.takes_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// Takes the number of a `v12` or `b12`, if one is next.
    pub(super) fn takes_numbered(&mut self, letter: char) -> Option<usize> {
        let word = self.peek_word();
        let number = word.strip_prefix(letter)?.parse::<u32>().ok()?;
        self.at += word.len();
        Some(number as usize)
    }

    /// A whole number.
    pub(super) fn number<N: std::str::FromStr>(&mut self) -> Scanned<N> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
        match rest[..sign + digits].parse() {
            Ok(number) if digits > 0 => {
                self.at += sign + digits;
                Ok(number)
            }
            _ => self.expected("a number that fits"),
        }
    }

    /// Whether a number is next.
    pub(super) fn begins_number(&mut self) -> bool {
        let rest = self.rest();
        rest.strip_prefix('-').unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit())
    }

    /// A text in quotes, escaped as Rust does.
    pub(super) fn quoted(&mut self) -> Scanned<String> {
        let begin = self.at;
        self.sign("\"")?;
        let mut content = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((offset, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += offset + 1;
                    return Ok(content);
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => content.push('\n'),
                    Some('r') => content.push('\r'),
                    Some('t') => content.push('\t'),
                    Some('0') => content.push('\0'),
                    Some('u') => {
                        let code: String = chars
                            .by_ref()
                            .map(|(_, c)| c)
                            .skip(1)
                            .take_while(|&c| c != '}')
                            .collect();
                        let code = u32::from_str_radix(&code, 16).ok();
                        match code.and_then(char::from_u32) {
                            Some(c) => content.push(c),
                            None => return self.expected("a quoted text"),
                        }
                    }
                    Some(other) => content.push(other),
                    None => break,
                },
                c => content.push(c),
            }
        }
        self.at = begin;
        self.expected("a text with a closing quote")
    }

    /// A name: quoted, or words with dots between them.
    pub(super) fn name(&mut self) -> Scanned<String> {
        let rest = self.rest();
        if rest.starts_with('"') {
            return self.quoted();
        }
        let end = rest.find(|c: char| !is_inner(c) && c != '.').unwrap_or(rest.len());
        if tern_ir::print::is_plain(&rest[..end]) {
            self.at += end;
            return Ok(rest[..end].to_owned());
        }
        self.expected("a name")
    }
}

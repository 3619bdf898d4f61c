//! Words of `*.rules` texts, and where to go on after a problem.

use tern_front::{Problem, Source};
use tern_model::Span;

#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
}

pub(super) struct Reader<'a> {
    pub(super) source: &'a Source,
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) problems: Vec<Problem>,
    /// The comment lines that were passed last.
    pub(super) comment: String,
}

impl<'a> Reader<'a> {
    /// Passes blanks and comments; keeps the text of comments.
    pub(super) fn pass(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blanks = rest.len() - rest.trim_start().len();
            if rest[..blanks].matches('\n').count() > 1 {
                self.comment.clear();
            }
            self.at += blanks;
            let rest = &self.text[self.at..];
            if !rest.starts_with("//") {
                return;
            }
            let line = rest.lines().next().unwrap_or_default();
            self.comment += line.trim_start_matches('/').trim();
            self.comment.push('\n');
            self.at += line.len();
        }
    }

    pub(super) fn peek(&mut self) -> Option<Word<'a>> {
        self.pass();
        let rest = &self.text[self.at..];
        let first = rest.chars().next()?;
        let is_name = |c: char| c.is_alphanumeric() || "_$.*<>[]+".contains(c);
        let length = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            '-' if rest.starts_with("->") => 2,
            '=' if rest.starts_with("==") => 2,
            '.' if rest.starts_with("..") => 2,
            '*' => 1,
            c if is_name(c) => {
                let mut length = 0;
                let mut letters = rest.char_indices().peekable();
                while let Some((offset, c)) = letters.next() {
                    let next = letters.peek().map(|it| it.1);
                    let is_inside = c == '-' && next.is_some_and(char::is_alphanumeric);
                    let is_range = c == '.' && next == Some('.');
                    if !(is_name(c) || is_inside) || is_range {
                        break;
                    }
                    length = offset + c.len_utf8();
                }
                length
            }
            c => c.len_utf8(),
        };
        let span = Span::new(self.at..self.at + length);
        Some(Word { text: &rest[..length], span })
    }

    pub(super) fn next(&mut self) -> Option<Word<'a>> {
        let word = self.peek()?;
        self.at += word.text.len();
        Some(word)
    }

    pub(super) fn unexpected(&mut self, wanted: &str) {
        let problem = match self.peek() {
            Some(word) => {
                Problem::error("U001", format!("expected {wanted}, found `{}`", word.text))
                    .at(word.span, "")
            }
            None => Problem::error("U001", format!("expected {wanted}, found the end of the text")),
        };
        self.problems.push(problem);
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.peek().is_some_and(|word| word.text == text);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn expect(&mut self, text: &str) -> Option<()> {
        if self.take(text) {
            return Some(());
        }
        self.unexpected(&format!("`{text}`"));
        None
    }

    pub(super) fn name(&mut self, wanted: &str) -> Option<Word<'a>> {
        let word = self.peek();
        match word {
            Some(word)
                if word.text.starts_with(|c: char| c.is_alphanumeric() || "_*".contains(c)) =>
            {
                self.next()
            }
            _ => {
                self.unexpected(wanted);
                None
            }
        }
    }

    /// Goes on behind the next `;`, or before the next `}`; behind that outside of a rule.
    pub(super) fn skip_statement(&mut self, is_inside: bool) {
        while let Some(word) = self.peek() {
            if word.text == "}" && is_inside {
                return;
            }
            self.next();
            if [";", "}"].contains(&word.text) {
                return;
            }
        }
    }
}

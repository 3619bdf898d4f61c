//! Words and signs of `.heap` texts, and problems with a place.

use tern_model::Span;

/// Something that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// A code of the [table](super::CODES).
    pub code: &'static str,
    /// Where.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem without advice.
    pub fn new(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Problem { code, span, message: message.into(), hint: None }
    }

    /// The same with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// A word of the text with its place.
pub(crate) type Word<'t> = (&'t str, Span);

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    Word(&'t str),
    Number(i64),
    Sign(&'static str),
    /// What follows `claim` or `fair` on its line.
    Line(&'t str),
    End,
}

const SIGNS: [&str; 17] =
    ["==", "!=", "{", "}", "(", ")", ",", ":", ";", "=", ".", "?", "+", "|", "<", ">", "@"];

/// The text as tokens.
pub(crate) struct Lexer<'t> {
    tokens: Vec<(Token<'t>, Span)>,
    at: usize,
}

impl<'t> Lexer<'t> {
    /// Splits a text. Pieces that are nothing are problems, and left out.
    pub(crate) fn new(text: &'t str, problems: &mut Vec<Problem>) -> Self {
        let (mut tokens, mut at) = (Vec::new(), 0);
        let bytes = text.as_bytes();
        while at < bytes.len() {
            let rest = &text[at..];
            let line_end = rest.find('\n').map_or(text.len(), |it| at + it);
            let first = rest.chars().next().unwrap_or(' ');
            if first.is_whitespace() {
                at += first.len_utf8();
            } else if rest.starts_with("//") || first == '#' {
                at = line_end;
            } else if first.is_alphabetic() || first == '_' || first == '$' {
                let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
                let end = at + rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let word = &text[at..end];
                tokens.push((Token::Word(word), Span::new(at..end)));
                at = end;
                if word == "claim" {
                    let line = text[at..line_end].trim();
                    let start = at + text[at..line_end].find(line).unwrap_or(0);
                    tokens.push((Token::Line(line), Span::new(start..start + line.len())));
                    at = line_end;
                }
            } else if first.is_ascii_digit()
                || (first == '-' && rest[1..].starts_with(|c: char| c.is_ascii_digit()))
            {
                let end = rest[1..].find(|c: char| !c.is_ascii_digit());
                let end = at + end.map_or(rest.len(), |it| it + 1);
                let span = Span::new(at..end);
                let number = text[at..end].parse().unwrap_or_else(|_| {
                    problems.push(Problem::new("H101", span, "the number is too large"));
                    0
                });
                tokens.push((Token::Number(number), span));
                at = end;
            } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
                tokens.push((Token::Sign(sign), Span::new(at..at + sign.len())));
                at += sign.len();
            } else {
                let span = Span::new(at..at + first.len_utf8());
                let message = format!("`{first}` means nothing here");
                problems.push(Problem::new("H101", span, message));
                at += first.len_utf8();
            }
        }
        tokens.push((Token::End, Span::new(text.len()..text.len())));
        Lexer { tokens, at: 0 }
    }

    /// The next token.
    pub(crate) fn peek(&self) -> Token<'t> {
        self.tokens[self.at].0
    }

    /// The token after that.
    pub(crate) fn peek_second(&self) -> Token<'t> {
        self.tokens.get(self.at + 1).map_or(Token::End, |it| it.0)
    }

    /// Where the next token is.
    pub(crate) fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// Where the token before was.
    pub(crate) fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    /// Takes a token.
    pub(crate) fn next(&mut self) -> Token<'t> {
        let token = self.tokens[self.at].0;
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    /// Takes a sign if it is next.
    pub(crate) fn accept(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(it) if it == sign);
        if found {
            self.next();
        }
        found
    }

    /// Takes a word if it is next.
    pub(crate) fn accept_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Token::Word(word);
        if found {
            self.next();
        }
        found
    }

    /// Takes a sign.
    ///
    /// # Errors
    /// That something else is there.
    pub(crate) fn expect(&mut self, sign: &str) -> Result<(), Problem> {
        if self.accept(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    /// Takes a name.
    ///
    /// # Errors
    /// That something else is there.
    pub(crate) fn name(&mut self, what: &str) -> Result<(&'t str, Span), Problem> {
        match self.peek() {
            Token::Word(word) if !super::RESERVED.contains(&word) => {
                let span = self.span();
                self.next();
                Ok((word, span))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// That something else was expected.
    pub(crate) fn unexpected(&self, wanted: &str) -> Problem {
        let found = match self.peek() {
            Token::Word(word) => format!("`{word}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::Line(_) => "a claim".to_owned(),
            Token::End => "the end of the text".to_owned(),
        };
        Problem::new("H102", self.span(), format!("{wanted} is expected, not {found}"))
    }
}

/// The nearest of some names, as advice.
pub(crate) fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let (distance, best) = known
        .into_iter()
        .map(|other| (edits(name, other), other))
        .min_by_key(|&(distance, other)| (distance, other))?;
    (distance <= name.len().max(best.len()) / 2).then(|| format!("did you mean `{best}`?"))
}

/// How many characters differ, by insertion, deletion and exchange.
fn edits(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &b) in right.iter().enumerate() {
            let best = (diagonal + usize::from(a != b)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], best);
        }
    }
    row[right.len()]
}

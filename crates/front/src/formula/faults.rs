//! Words what is wrong with a formula, and guesses what was meant.

use super::lexer::{Bracket, Kind, Token};
use super::parser::{Operand, Parser};
use crate::problem::Problem;
use tern_model::logic::words::{self, Word};
use tern_model::{Formula, Span};

impl Parser<'_> {
    /// No operand where one is due; `found` stands there instead. Gives one to go on with.
    pub(super) fn missing(&mut self, found: Option<Token>) -> Operand {
        let previous = self.next.checked_sub(1).map(|i| self.tokens[i]);
        let at = found.or(previous).map_or(Span { start: 0, end: 0 }, |token| token.span);
        if !previous.is_some_and(|token| token.kind == Kind::Junk) {
            let problem = self.word_missing(previous, found);
            self.problems.add(|_| problem);
        }
        let id = self.formulas.make(Formula::False);
        Operand { id, span: at }
    }

    fn word_missing(&self, previous: Option<Token>, found: Option<Token>) -> Problem {
        match (previous, found) {
            (Some(open), Some(close))
                if matches!((open.kind, close.kind), (Kind::Open(_), Kind::Close(_))) =>
            {
                let place = self.place(open).to(self.place(close));
                Problem::error("F004", "there is nothing in the parentheses")
                    .at(place, "a formula is expected between them")
            }
            (Some(next), _) if &self.text[next.span.range()] == "()" => {
                Problem::error("F004", "`()` is the operator next, and nothing follows it")
                    .at(self.place(next), "a formula is expected behind it")
            }
            (Some(operator), _) if !matches!(operator.kind, Kind::Open(_)) => {
                let before = self.quoted(operator);
                let problem = match found {
                    Some(token) => {
                        let token = self.quoted(token);
                        format!("`{before}` is followed by `{token}` instead of an operand")
                    }
                    None => format!("`{before}` is not followed by an operand"),
                };
                let problem = Problem::error("F004", problem)
                    .at(self.place(operator), "a formula is expected behind it");
                // Programs have such labels.
                match operator.kind {
                    Kind::All | Kind::Exists => problem.hint(format!(
                        "`{before}` is a quantifier; if it is a proposition, write `\"{before}\"`"
                    )),
                    _ => problem,
                }
            }
            (_, Some(operator)) => {
                let found = self.quoted(operator);
                Problem::error("F004", format!("`{found}` has nothing on its left"))
                    .at(self.place(operator), "a formula is expected before it")
            }
            (Some(open), None) => {
                let found = self.quoted(open);
                Problem::error("F004", format!("nothing follows `{found}`"))
                    .at(self.place(open), "a formula is expected behind it")
            }
            (None, None) => Problem::error("F004", "an operand is missing"),
        }
    }

    pub(super) fn report_two_operands(&mut self, second: Token) {
        let first = self.tokens[self.next - 1];
        let hint = self.hint_for_two(first, second);
        let message = format!(
            "there is no operator between `{}` and `{}`",
            self.quoted(first),
            self.quoted(second)
        );
        let (at, related) = (self.place(second), self.place(first));
        self.problems.add(|_| {
            let problem = Problem::error("F005", message)
                .at(at, "an operator is expected before this")
                .related(related, "an operand ends here");
            match hint {
                Some(hint) => problem.hint(hint),
                None => problem,
            }
        });
    }

    /// What may have been meant by two operands in a row.
    fn hint_for_two(&self, first: Token, second: Token) -> Option<String> {
        let (left, right) = (self.quoted(first), self.quoted(second));
        let third = self.tokens.get(self.next + 1);
        if matches!(&*right, "u" | "r" | "w" | "m" | "v")
            && third.is_some_and(|token| token.kind.begins_operand())
        {
            return Some(format!("operators are written in capitals: `{}`", right.to_uppercase()));
        }
        if let Some(hint) = operator_meant(&right).filter(|_| second.kind == Kind::Word) {
            return Some(hint);
        }
        if first.kind != Kind::Word {
            return None;
        }
        if let Some(hint) = operator_meant(&left) {
            return Some(hint);
        }
        if let Some(apart) = operators_apart(&left) {
            return Some(format!("`{left}` is one word, and so a proposition; write `{apart}`"));
        }
        if let Some((name, rest)) = left.rsplit_once(':')
            && words::classify(rest) != Word::Atom(rest)
        {
            return Some(format!("a name needs white space behind the colon: `{name}: {rest} …`"));
        }
        if matches!(words::classify(&left.to_uppercase()), Word::Prefix { atom: None, .. }) {
            return Some(format!("operators are written in capitals: `{}`", left.to_uppercase()));
        }
        if first.span.end == second.span.start && second.kind == Kind::Open(Bracket::Round) {
            return Some(format!("a proposition with parentheses needs quotes: `\"{left}(…)\"`"));
        }
        let letters = left.bytes().take_while(|b| b"AEXFG".contains(b)).count();
        let (operators, name) = left.split_at(letters);
        if letters > 0 && name.starts_with(|c: char| c.is_ascii_lowercase()) {
            return Some(format!(
                "`{left}` is one word, and so a proposition; `{operators} {name}` has an operator"
            ));
        }
        Some(format!("if both belong to one name, put it in quotes: `\"{left} {right}\"`"))
            .filter(|_| second.kind == Kind::Word)
    }

    /// Whether a word is an operator that others have: of the past, or with bounds.
    pub(super) fn is_past_prefix(&self, token: Token) -> bool {
        let word = &self.text[token.span.range()];
        let known = matches!(word, "Y" | "Z" | "H" | "O") || is_bounded(word) && word != "BU";
        known && self.an_operand_follows()
    }

    pub(super) fn refuse_past(&mut self, token: Token) {
        let (operator, at) = (self.quoted(token), self.place(token));
        let kind = if is_bounded(&operator) { "with bounds" } else { "of the past" };
        self.problems.add(|_| {
            Problem::error("F009", format!("`{operator}` is an operator {kind}: not supported"))
                .at(at, "")
                .hint(format!("if `{operator}` is a proposition, put it in quotes"))
        });
    }

    /// One problem for all brackets that are open at the end.
    pub(super) fn report_unclosed(&mut self) {
        let Some((bracket, at)) = self.group_at(0) else { return };
        if matches!(self.tokens.last().map(|token| token.kind), Some(Kind::Open(_))) {
            return; // that nothing follows it has been reported
        }
        let open = self.groups.len();
        self.problems.add(|_| {
            let problem = unclosed(bracket, at);
            let (_, close) = signs(bracket);
            match open {
                1 => problem.hint(format!("add `{close}`")),
                _ => problem.hint(format!("{open} are open at the end of the formula")),
            }
        });
    }
}

/// Whether a word is an operator with bounds of NuSMV.
pub(super) fn is_bounded(word: &str) -> bool {
    matches!(word, "EBF" | "ABF" | "EBG" | "ABG" | "BU")
}

/// What to write instead of a word that is an operator elsewhere.
pub(super) fn operator_meant(word: &str) -> Option<String> {
    let spelling = match word.to_ascii_lowercase().as_str() {
        "always" | "globally" | "henceforth" => "`G`, and `AG` for all paths",
        "eventually" | "finally" | "sometime" => "`F`, and `AF` or `EF` with a path quantifier",
        "next" | "nexttime" => "`X`, and `AX` or `EX` with a path quantifier",
        "until" => "`U`",
        "unless" => "`W`",
        "release" | "releases" => "`R`",
        "implies" => "`->`",
        "iff" | "equiv" => "`<->`",
        "exists" => "`E`",
        "forall" => "`A`",
        "not" => "`!`, or `not` in small letters",
        "and" => "`&`, or `and` in small letters",
        "or" => "`|`, or `or` in small letters",
        "xor" => "`xor`, in small letters",
        _ => return None,
    };
    Some(format!("`{word}` is written {spelling}; in quotes it is a proposition"))
}

/// A word made of several operators with quantifiers, with blanks between them: `AGEF` is `AG EF`.
fn operators_apart(word: &str) -> Option<String> {
    let mut apart = String::new();
    for letter in word.chars() {
        match letter {
            'A' | 'E' => {
                if !apart.is_empty() {
                    apart.push(' ');
                }
            }
            'X' | 'F' | 'G' => {}
            _ => return None,
        }
        apart.push(letter);
    }
    let each_has_an_operator = apart.split(' ').all(|part| part.len() > 1);
    (apart.contains(' ') && each_has_an_operator).then_some(apart)
}

/// How a bracket is opened and closed.
pub(super) fn signs(bracket: Bracket) -> (char, char) {
    match bracket {
        Bracket::Round => ('(', ')'),
        Bracket::Square => ('[', ']'),
    }
}

/// The problem that a bracket, opened at `at`, is never closed.
pub(super) fn unclosed(bracket: Bracket, at: Span) -> Problem {
    let (open, _) = signs(bracket);
    Problem::error("F002", format!("`{open}` is never closed")).at(at, "opened here")
}

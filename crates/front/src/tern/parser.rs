//! Takes a `.tern` text down as a [`Draft`].
//!
//! After a problem, reading goes on behind the next semicolon, or at a brace or a word that begins
//! a statement, so that one slip is one problem.

mod component;

use super::draft::{At, Draft, DraftBox, DraftComponent, DraftExit, Start};
use super::lexer::{KEYWORDS, Kind, Lexer, Token};
use super::slips::{self, Where};
use crate::claims::{ClaimNames, Kind as Fair, Piece, read_claim};
use crate::collector::Collector;
use crate::formula::{Stop, shortened};
use crate::problem::Problem;
use crate::words::{Nearest, did_you_mean};
use std::borrow::Cow;
use tern_model::budget::Meter;
use tern_model::logic::words;
use tern_model::{CompId, DeadEndRule, EndRule, Id, Limit, NodeId, Span};

/// Reads the text from `start` on.
///
/// # Errors
/// What ran out; problems of the text are collected.
pub(super) fn parse(
    text: &str,
    start: usize,
    meter: &mut Meter<'_>,
    problems: &mut Collector,
) -> Result<Draft, Limit> {
    let mut lexer = Lexer::new(text, start);
    let current = lexer.next(problems);
    let mut parser = Parser {
        lexer,
        current,
        previous: Span::new(start..start),
        draft: Draft::default(),
        component: CompId::new(0),
        claim_names: ClaimNames::of(&[]),
        forgiven: 0,
        cut_off: false,
        meter,
        problems,
    };
    while parser.current.kind != Kind::End {
        parser.meter.tick()?;
        if parser.item()?.is_err() {
            parser.draft.broken = true;
            let items = ITEMS.iter().chain(&["end", "deadlock"]).copied().collect::<Vec<_>>();
            parser.skip_item(&items);
        }
    }
    Ok(parser.draft)
}

/// A statement that could not be read; the problem has been reported.
struct Broken;

struct Parser<'a, 'm> {
    lexer: Lexer<'a>,
    current: Token,
    /// Where the token before the current one stands.
    previous: Span,
    draft: Draft,
    /// The component that is being read.
    component: CompId,
    claim_names: ClaimNames,
    /// How many closing braces to pass over, because their components were ended before.
    forgiven: usize,
    /// Whether it was reported that the text ends too early.
    cut_off: bool,
    meter: &'a mut Meter<'m>,
    problems: &'a mut Collector,
}

/// Tokens.
impl<'a> Parser<'a, '_> {
    fn advance(&mut self) {
        self.previous = self.current.span;
        self.current = self.lexer.next(self.problems);
    }

    fn advance_to_label(&mut self) {
        self.previous = self.current.span;
        self.current = self.lexer.next_label(self.problems);
    }

    /// The bare word that stands here, or nothing.
    fn word(&self) -> &'a str {
        match self.current.kind {
            Kind::Word => self.lexer.text_of(self.current),
            _ => "",
        }
    }

    fn accept(&mut self, kind: Kind) -> bool {
        let found = self.current.kind == kind;
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, kind: Kind, what: &str) -> Result<(), Broken> {
        if self.accept(kind) { Ok(()) } else { Err(self.unexpected(what)) }
    }

    /// Reports that something else is expected here, unless what is here was reported already.
    fn unexpected(&mut self, what: &str) -> Broken {
        let (token, lexer) = (self.current, &self.lexer);
        match token.kind {
            Kind::Bad => (),
            Kind::End => {
                self.cut_off = true;
                let at = Span { start: self.previous.end, end: self.previous.end };
                self.problems.add(|_| {
                    Problem::error("T006", "the text ends too early")
                        .at(at, format!("{what} is expected"))
                        .hint("the file may have been cut off, or a `;` or `}` is missing")
                });
            }
            // What is missing at the end of a line is not the fault of the next one.
            _ if what.contains("`;`") && self.is_on_another_line() => {
                let at = Span { start: self.previous.end, end: self.previous.end };
                self.problems.add(|_| {
                    Problem::error("T006", "a `;` is missing").at(at, format!("{what} is expected"))
                });
            }
            _ => self.problems.add(|_| {
                let found = shortened(lexer.text_of(token));
                let problem = Problem::error("T006", format!("unexpected `{found}`"))
                    .at(token.span, format!("{what} is expected"));
                Problem { hint: slips::way_out(what, &found), ..problem }
            }),
        }
        Broken
    }

    /// Whether the line ends between what was read last and what comes next.
    fn is_on_another_line(&self) -> bool {
        let between = self.previous.end as usize..self.current.span.start as usize;
        self.lexer.text.get(between).is_some_and(|text| text.contains('\n'))
    }

    /// Reports a word in the place of a keyword, if it is like one or means the same elsewhere, and
    /// another word follows. Gives the keyword: reading goes on as if that stood there.
    fn misspelt(&mut self, keywords: &[&'static str], place: Where) -> Option<&'static str> {
        let (token, word) = (self.current, self.word());
        if KEYWORDS.contains(&word) || keywords.contains(&word) {
            return None;
        }
        let rest = &self.lexer.text[token.span.end as usize..];
        let begins_name = |c: char| words::begins_word(c) || c == '"';
        let is_followed = rest.trim_start_matches([' ', '\t']).starts_with(begins_name);
        if token.kind != Kind::Word || !is_followed {
            return None;
        }
        let meant = slips::keyword_for(word, place)
            .map(|keyword| (keyword, format!("what others call `{word}` is a `{keyword}` here")));
        let near = || {
            let near = Nearest::new().among(word, keywords.iter().copied())?;
            let keyword = keywords.iter().copied().find(|&keyword| keyword == near)?;
            Some((keyword, format!("did you mean `{near}`?")))
        };
        let (keyword, hint) = meant.or_else(near)?;
        self.problems.add(|_| {
            Problem::error("T006", format!("unexpected `{word}`"))
                .at(token.span, "a keyword is expected")
                .hint(hint)
        });
        Some(keyword)
    }

    /// Reads a name.
    fn name(&mut self, what: &str) -> Result<Token, Broken> {
        let token = self.current;
        if !matches!(token.kind, Kind::Word | Kind::Quoted) {
            return Err(self.unexpected(what));
        }
        if token.kind == Kind::Word && KEYWORDS.contains(&self.word()) {
            let keyword = self.word();
            self.problems.add(|_| {
                Problem::error("T009", format!("`{keyword}` is a keyword"))
                    .at(token.span, format!("{what} is expected"))
                    .hint(format!("put it in quotes if it is a name: \"{keyword}\""))
            });
            self.advance();
            return Err(Broken);
        }
        self.advance();
        Ok(token)
    }

    /// Goes behind the next semicolon, or to a closing brace or one of the words. Each of these
    /// begins something that takes at least one token, so that there is always progress.
    fn skip(&mut self, words: &[&str]) {
        self.lexer.skipping = true;
        loop {
            match self.current.kind {
                Kind::End | Kind::Semicolon | Kind::CloseBrace => break,
                Kind::Word if words.contains(&self.word()) => break,
                _ => self.advance(),
            }
        }
        self.lexer.skipping = false;
        self.accept(Kind::Semicolon);
    }

    /// Goes behind an item that could not be read: behind a semicolon, or a block in braces; or to
    /// one of the words, unless it is in a block.
    fn skip_item(&mut self, words: &[&str]) {
        self.lexer.skipping = true;
        let mut depth = 0usize;
        loop {
            match self.current.kind {
                Kind::End => break,
                Kind::Word if self.word() == "component" && self.is_on_another_line() => break,
                Kind::Semicolon if depth == 0 => break,
                Kind::Word if depth == 0 && words.contains(&self.word()) => break,
                Kind::OpenBrace => depth += 1,
                Kind::CloseBrace if depth == 1 => {
                    self.lexer.skipping = false;
                    return self.advance();
                }
                Kind::CloseBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
        self.lexer.skipping = false;
        self.accept(Kind::Semicolon);
    }

    /// Goes to an opening brace, behind something that was reported; stays if none is near.
    fn skip_to_brace(&mut self) {
        use Kind::{Arrow, CloseBrace, End, OpenBrace, Semicolon};
        self.lexer.skipping = true;
        while !matches!(self.current.kind, Arrow | CloseBrace | End | OpenBrace | Semicolon) {
            self.advance();
        }
        self.lexer.skipping = false;
    }

    /// Goes behind the labels of a node, in which something is wrong.
    fn skip_labels(&mut self) {
        self.skip_to_brace();
        self.accept(Kind::CloseBrace);
    }
}

/// The words that begin something outside components, and are not easily meant otherwise.
const ITEMS: [&str; 5] = ["component", "claim", "fair", "compassion", "initial"];

/// The words that begin statements of components.
const STATEMENTS: [&str; 6] = ["box", "port", "initial", "entry", "exit", "node"];

/// Outside components.
impl Parser<'_, '_> {
    fn item(&mut self) -> Result<Result<(), Broken>, Limit> {
        let word = match self.word() {
            "end" | "deadlock" => self.word(),
            word => self.misspelt(&ITEMS, Where::Outside).unwrap_or(word),
        };
        match word {
            "component" => return self.component(),
            "claim" => self.claim(),
            "fair" => self.fairness(Fair::Justice),
            "compassion" => self.fairness(Fair::Compassion),
            "end" => return Ok(self.end_rule()),
            "deadlock" => return Ok(self.dead_end_rule()),
            "initial" => return Ok(self.starts()),
            _ if self.current.kind == Kind::Semicolon => self.advance(),
            _ if self.current.kind == Kind::CloseBrace => self.stray_brace(),
            _ if self.current.kind == Kind::OpenBrace
                && self.previous.end == self.previous.start =>
            {
                let at = self.current.span;
                self.problems.add(|_| {
                    Problem::error("T006", "unexpected `{`")
                        .at(at, "a component or a claim is expected")
                        .hint("this looks like JSON; models in JSON are .rsm files")
                });
                return Ok(Err(Broken));
            }
            _ => {
                let what =
                    "`component`, `claim`, `fair`, `compassion`, `initial`, `end` or `deadlock`";
                return Ok(Err(self.unexpected(what)));
            }
        }
        Ok(Ok(()))
    }

    fn stray_brace(&mut self) {
        if self.forgiven > 0 {
            self.forgiven -= 1;
        } else {
            let at = self.current.span;
            self.problems.add(|_| {
                Problem::error("T008", "`}` closes nothing").at(at, "no component is open here")
            });
        }
        self.advance();
    }

    fn claim(&mut self) {
        let formulas = &mut self.draft.formulas;
        let (text, at) = (self.lexer.text, self.lexer.at);
        let mut piece = read_claim(formulas, text, at, Stop::Statement, self.problems);
        if let Some(read) = piece.found.take() {
            self.claim_names.note(&read, self.problems);
            self.draft.claims.push(read.claim());
        }
        self.behind_formula(&piece, "`;` behind the claim");
    }

    fn fairness(&mut self, kind: Fair) {
        let formulas = &mut self.draft.formulas;
        let (text, at) = (self.lexer.text, self.lexer.at);
        let mut piece = kind.read(formulas, text, at, Stop::Statement.into(), self.problems);
        self.draft.fair.extend(piece.found.take());
        self.behind_formula(&piece, "`;` behind the fairness condition");
    }

    /// Goes on behind a formula that ends in a semicolon.
    fn behind_formula<T>(&mut self, piece: &Piece<T>, expected: &str) {
        self.lexer.at = piece.next;
        self.advance();
        if !piece.semicolon {
            let end = self.lexer.text[..piece.next].trim_end().len();
            self.previous = Span::new(end..end);
            self.unexpected(expected);
        }
    }

    fn end_rule(&mut self) -> Result<(), Broken> {
        let start = self.current.span;
        self.advance();
        let rule = match self.word() {
            "loop" => EndRule::Loop,
            "sink" => EndRule::Sink,
            _ => return self.unknown_rule("end", ["loop", "sink"]),
        };
        let span = start.to(self.current.span);
        self.advance();
        match self.draft.end_rule {
            Some((_, first)) => self.rule_again(span, first),
            None => self.draft.end_rule = Some((rule, span)),
        }
        self.expect(Kind::Semicolon, "`;`")
    }

    fn dead_end_rule(&mut self) -> Result<(), Broken> {
        let start = self.current.span;
        self.advance();
        let rule = match self.word() {
            "loop" => DeadEndRule::Loop,
            "error" => DeadEndRule::Error,
            _ => return self.unknown_rule("deadlock", ["loop", "error"]),
        };
        let span = start.to(self.current.span);
        self.advance();
        match self.draft.dead_end_rule {
            Some((_, first)) => self.rule_again(span, first),
            None => self.draft.dead_end_rule = Some((rule, span)),
        }
        self.expect(Kind::Semicolon, "`;`")
    }

    /// Reports a rule that there is not, and goes on behind it.
    fn unknown_rule(&mut self, about: &str, rules: [&str; 2]) -> Result<(), Broken> {
        let what = format!("`{about} {}` or `{about} {}`", rules[0], rules[1]);
        if self.current.kind != Kind::Word {
            return Err(self.unexpected(&what));
        }
        let (at, word) = (self.current.span, self.word());
        self.problems.add(|nearest| {
            let problem = Problem::error("T011", format!("there is no rule `{}`", shortened(word)))
                .at(at, format!("{what} is expected"));
            Problem { hint: did_you_mean(nearest.among(word, rules)), ..problem }
        });
        self.advance();
        self.expect(Kind::Semicolon, "`;`")
    }

    fn rule_again(&mut self, second: Span, first: Span) {
        self.problems.add(|_| {
            Problem::error("T012", "this rule is given twice")
                .at(second, "the second")
                .related(first, "the first")
        });
    }

    /// `initial main.n1, main.n2;`
    fn starts(&mut self) -> Result<(), Broken> {
        self.advance();
        loop {
            let component = self.name("a component")?;
            self.expect(Kind::Dot, "`.` and a node of the component")?;
            self.name("a node")?;
            self.draft.starts.push(Start::Named(At::of(component)));
            if !self.accept(Kind::Comma) {
                return self.expect(Kind::Semicolon, "`,` or `;`");
            }
        }
    }
}

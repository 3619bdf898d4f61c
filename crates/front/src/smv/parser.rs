//! Parses an SMV text: its modules. Their sections are parsed in `sections.rs`, expressions in
//! `expression.rs`.
//!
//! What is wrong is reported where it is, and reading goes on behind the statement: at the next
//! semicolon, or where a section begins.

use super::lexer::{Key, Kind, Lexer, Sign, Token};
use super::syntax::{Module, NameId, Text, Whole};
use crate::collector::Collector;
use crate::problem::Problem;
use crate::words::Nearest;
use tern_model::budget::Meter;
use tern_model::{Limit, Span};

/// Why reading does not go on as it should.
#[derive(Debug)]
pub(super) enum Skip {
    /// A statement is wrong, which was reported.
    Statement,
    Limit(Limit),
}

impl From<Limit> for Skip {
    fn from(limit: Limit) -> Self {
        Skip::Limit(limit)
    }
}

/// A text that is being read.
pub(super) struct Parser<'a, 'p> {
    lexer: Lexer<'a>,
    /// The next token.
    pub(super) token: Token,
    pub(super) text: Text,
    problems: &'p mut Collector,
    meter: &'p mut Meter<'a>,
}

/// Parses a text from an offset on.
pub(super) fn parse<'a>(
    source: &'a str,
    start: usize,
    meter: &mut Meter<'a>,
    problems: &mut Collector,
) -> Result<Text, Limit> {
    let mut parser = Parser::new(source, start, Text::default(), meter, problems);
    match parser.modules() {
        Ok(()) | Err(Skip::Statement) => Ok(parser.text),
        Err(Skip::Limit(limit)) => Err(limit),
    }
}

/// Parses a text that is one expression, and adds it to a text that was read before.
pub(super) fn parse_expression<'a>(
    source: &'a str,
    text: Text,
    meter: &mut Meter<'a>,
    problems: &mut Collector,
) -> (Text, Result<Whole, Skip>) {
    let mut parser = Parser::new(source, 0, text, meter, problems);
    let mut read = parser.expression();
    if read.is_ok() && parser.token.kind != Kind::End {
        read = Err(parser.expected("the end of the proposition", ""));
    }
    (parser.text, read)
}

impl<'a, 'p> Parser<'a, 'p> {
    fn new(
        source: &'a str,
        start: usize,
        text: Text,
        meter: &'p mut Meter<'a>,
        problems: &'p mut Collector,
    ) -> Self {
        let mut lexer = Lexer::new(source, start);
        let token = lexer.next(problems);
        Parser { lexer, token, text, problems, meter }
    }

    pub(super) fn tick(&mut self) -> Result<(), Limit> {
        self.meter.tick()
    }

    pub(super) fn problem(&mut self, word: impl FnOnce(&mut Nearest) -> Problem) {
        self.problems.add(word);
    }

    pub(super) fn advance(&mut self) {
        self.token = self.lexer.next(self.problems);
    }

    /// The token behind the next one.
    pub(super) fn second(&self) -> Token {
        let mut lexer = self.lexer;
        lexer.next(&mut Collector::default())
    }

    pub(super) fn at(&self, sign: Sign) -> bool {
        self.token.kind == Kind::Sign(sign)
    }

    pub(super) fn slice(&self, span: Span) -> &'a str {
        &self.lexer.text[span.range()]
    }

    pub(super) fn name_of(&mut self, span: Span) -> NameId {
        let name = &self.lexer.text[span.range()];
        if name == "EXIT" {
            self.text.exit.get_or_insert(span);
        }
        self.text.names.intern(name)
    }

    /// A token in words.
    pub(super) fn describe(&self, token: Token) -> String {
        match token.kind {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.slice(token.span)),
        }
    }

    /// Reports that something else should stand here.
    pub(super) fn expected(&mut self, wanted: &str, hint: &str) -> Skip {
        let token = self.token;
        if token.kind == Kind::Bad {
            return Skip::Statement;
        }
        let found = self.describe(token);
        self.problem(|_| {
            let message = format!("{wanted} is expected, and not {found}");
            let problem = Problem::error("S005", message).at(token.span, "unexpected");
            if hint.is_empty() { problem } else { problem.hint(hint) }
        });
        Skip::Statement
    }

    pub(super) fn expect(&mut self, sign: Sign, hint: &str) -> Result<(), Skip> {
        if !self.at(sign) {
            return Err(self.expected(&format!("`{}`", sign.text()), hint));
        }
        self.advance();
        Ok(())
    }

    pub(super) fn unsupported(&mut self, span: Span, message: String, hint: &str) -> Skip {
        self.problem(|_| Problem::error("S006", message).at(span, "not supported").hint(hint));
        Skip::Statement
    }

    pub(super) fn name(&mut self, what: &str) -> Result<(NameId, Span), Skip> {
        let span = self.token.span;
        if self.token.kind != Kind::Name {
            let reserved = matches!(self.token.kind, Kind::Key(_));
            let hint = if reserved { "this word is reserved" } else { "" };
            return Err(self.expected(what, hint));
        }
        let name = self.name_of(span);
        self.advance();
        Ok((name, span))
    }

    /// Goes behind the statement that is wrong.
    fn skip_statement(&mut self) -> Result<(), Limit> {
        loop {
            self.tick()?;
            match self.token.kind {
                Kind::End => return Ok(()),
                Kind::Key(key) if key.begins_section() => return Ok(()),
                Kind::Sign(Sign::Semicolon) => {
                    self.advance();
                    // The rest of a `case` is part of what is wrong.
                    if self.token.kind != Kind::Key(Key::Esac) {
                        return Ok(());
                    }
                }
                _ => self.advance(),
            }
        }
    }

    /// Goes on after a statement, whether it was right or not.
    pub(super) fn recover(&mut self, done: Result<(), Skip>) -> Result<(), Skip> {
        match done {
            Err(Skip::Statement) => Ok(self.skip_statement()?),
            done => done,
        }
    }

    fn modules(&mut self) -> Result<(), Skip> {
        if self.token.kind == Kind::End {
            let span = self.token.span;
            self.problem(|_| {
                let problem = Problem::error("S007", "there is no module").at(span, "");
                problem.hint("a text begins with `MODULE main`")
            });
        }
        while self.token.kind != Kind::End {
            self.tick()?;
            if self.token.kind == Kind::Key(Key::Module) {
                let done = self.module();
                self.recover(done)?;
            } else {
                let skip = self.expected("`MODULE`", "a text consists of modules");
                self.recover(Err(skip))?;
                while !matches!(self.token.kind, Kind::End | Kind::Key(Key::Module)) {
                    self.tick()?;
                    self.advance();
                }
            }
        }
        Ok(())
    }

    fn module(&mut self) -> Result<(), Skip> {
        self.advance();
        let (name, span) = self.name("the name of a module")?;
        let mut module = Module {
            name,
            span,
            parameters: Vec::new(),
            vars: Vec::new(),
            defines: Vec::new(),
            assignments: Vec::new(),
            constraints: Vec::new(),
            calls: Vec::new(),
            justice: Vec::new(),
            compassion: Vec::new(),
            constants: Vec::new(),
            specs: Vec::new(),
            isa: Vec::new(),
        };
        let done = self.parameters(&mut module);
        self.recover(done)?;
        loop {
            self.tick()?;
            let done = match self.token.kind {
                Kind::End | Kind::Key(Key::Module) => break,
                Kind::Key(key) if key.begins_section() => self.section(&mut module, key),
                Kind::Name if self.begins_calls() => self.calls(&mut module),
                Kind::Sign(Sign::Semicolon) => {
                    self.advance();
                    Ok(())
                }
                _ => Err(self.expected("a section such as `VAR`, `ASSIGN` or `SPEC`", "")),
            };
            self.recover(done)?;
        }
        self.text.modules.push(module);
        Ok(())
    }

    fn parameters(&mut self, module: &mut Module) -> Result<(), Skip> {
        if !self.at(Sign::Open) {
            return Ok(());
        }
        self.advance();
        while !self.at(Sign::Close) {
            module.parameters.push(self.name("the name of a parameter")?);
            if !self.at(Sign::Close) {
                self.expect(Sign::Comma, "parameters are separated by commas")?;
            }
        }
        self.advance();
        Ok(())
    }

    /// Whether `CALL` stands here, and begins a section: what it calls follows.
    pub(super) fn begins_calls(&self) -> bool {
        self.token.kind == Kind::Name
            && self.slice(self.token.span) == "CALL"
            && self.second().kind == Kind::Name
    }
}

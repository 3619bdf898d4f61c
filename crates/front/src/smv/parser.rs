//! Parses an SMV text: modules and their sections. Expressions are parsed in `expression.rs`.
//!
//! What is wrong is reported where it is, and reading goes on behind the statement: at the next
//! semicolon, or where a section begins.

use super::lexer::{Key, Kind, Lexer, Sign, Token};
use super::syntax::{
    Assignment, Call, ConstraintKind, Define, Member, Module, NameId, Spec, SpecKind, Text, Type,
    VarDecl, VarKind, When, Whole,
};
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
    fn second(&self) -> Token {
        let mut lexer = self.lexer;
        lexer.next(&mut Collector::default())
    }

    fn at(&self, sign: Sign) -> bool {
        self.token.kind == Kind::Sign(sign)
    }

    fn slice(&self, span: Span) -> &'a str {
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

    fn unsupported(&mut self, span: Span, message: String, hint: &str) -> Skip {
        self.problem(|_| Problem::error("S006", message).at(span, "not supported").hint(hint));
        Skip::Statement
    }

    fn name(&mut self, what: &str) -> Result<(NameId, Span), Skip> {
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
    fn recover(&mut self, done: Result<(), Skip>) -> Result<(), Skip> {
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
    fn begins_calls(&self) -> bool {
        self.token.kind == Kind::Name
            && self.slice(self.token.span) == "CALL"
            && self.second().kind == Kind::Name
    }

    fn section(&mut self, module: &mut Module, key: Key) -> Result<(), Skip> {
        let span = self.token.span;
        match key {
            Key::Var => self.list(module, |it, module| it.variable(module, VarKind::State)),
            Key::FrozenVar => self.list(module, |it, module| it.variable(module, VarKind::Frozen)),
            Key::Ivar => self.list(module, |it, module| it.variable(module, VarKind::Input)),
            Key::Define => self.list(module, Self::define),
            Key::Assign => self.list(module, Self::assignment),
            Key::Constants => self.constants(module),
            Key::Init => self.constraint(module, ConstraintKind::Init),
            Key::Invar => self.constraint(module, ConstraintKind::Invar),
            Key::Trans => self.constraint(module, ConstraintKind::Trans),
            Key::Fairness | Key::Justice => {
                self.advance();
                let condition = self.expression()?;
                module.justice.push(condition);
                self.optional_semicolon();
                Ok(())
            }
            Key::Compassion => self.compassion(module),
            Key::Spec | Key::CtlSpec => self.spec(module, SpecKind::Ctl),
            Key::LtlSpec => self.spec(module, SpecKind::Ltl),
            Key::InvarSpec => self.spec(module, SpecKind::Invariant),
            _ => {
                self.advance();
                let message = format!("`{}` is not supported", key.text());
                let hint = match key {
                    Key::PslSpec => "write it as LTLSPEC or CTLSPEC",
                    Key::Compute => "ask with bounds: `SPEC ABF 0..5 p`",
                    Key::Isa => "use an instance of the module, or copy its text",
                    Key::Mdefine => "define the elements one by one",
                    _ => "leave it out",
                };
                Err(self.unsupported(span, message, hint))
            }
        }
    }

    /// The statements of a section, up to where the next begins.
    fn list(
        &mut self,
        module: &mut Module,
        statement: impl Fn(&mut Self, &mut Module) -> Result<(), Skip>,
    ) -> Result<(), Skip> {
        self.advance();
        loop {
            self.tick()?;
            match self.token.kind {
                Kind::End => return Ok(()),
                Kind::Key(key) if key.begins_section() => return Ok(()),
                Kind::Name if self.begins_calls() => return Ok(()),
                _ => {
                    let done = statement(self, module);
                    self.recover(done)?;
                }
            }
        }
    }

    fn variable(&mut self, module: &mut Module, kind: VarKind) -> Result<(), Skip> {
        let (name, span) = self.name("the name of a variable")?;
        if self.at(Sign::Dot) || self.at(Sign::OpenBracket) {
            let message = "variables with composed names are not supported".to_owned();
            return Err(self.unsupported(span, message, "give it a plain name"));
        }
        self.expect(Sign::Colon, "a variable is declared as `name : type;`")?;
        let of = match self.type_of(kind) {
            Ok(of) => of,
            Err(Skip::Statement) => {
                // It is declared all the same, so that its uses are not complained of.
                module.vars.push(VarDecl { kind, name, span, of: Type::Broken });
                return Err(Skip::Statement);
            }
            Err(limit) => return Err(limit),
        };
        module.vars.push(VarDecl { kind, name, span, of });
        self.expect(Sign::Semicolon, "a declaration ends with `;`")
    }

    fn type_of(&mut self, kind: VarKind) -> Result<Type, Skip> {
        let mut dimensions = Vec::new();
        let span = self.token.span;
        while self.token.kind == Kind::Key(Key::Array) {
            self.tick()?;
            self.advance();
            if self.token.kind == Kind::Key(Key::Word) {
                let message = "arrays over words are not supported".to_owned();
                return Err(self.unsupported(span, message, "use a range: `array 0..3 of …`"));
            }
            let low = self.bound()?;
            self.expect(Sign::Dots, "an array has bounds: `array 0..3 of boolean`")?;
            let high = self.bound()?;
            if self.token.kind != Kind::Key(Key::Of) {
                return Err(self.expected("`of`", "an array is `array 0..3 of boolean`"));
            }
            self.advance();
            dimensions.push((low, high));
        }
        let innermost = self.scalar_type(kind)?;
        if let (false, Type::Module(_, span, _)) = (dimensions.is_empty(), &innermost) {
            let message = "arrays of modules are not supported".to_owned();
            return Err(self.unsupported(*span, message, "declare the instances one by one"));
        }
        let wrap = |of, (low, high)| Type::Array(low, high, Box::new(of));
        // Few: types are dropped recursively.
        if dimensions.len() > 100 {
            let message = "arrays of more than 100 dimensions are not supported".to_owned();
            return Err(self.unsupported(span, message, "use fewer"));
        }
        Ok(dimensions.into_iter().rev().fold(innermost, wrap))
    }

    fn scalar_type(&mut self, kind: VarKind) -> Result<Type, Skip> {
        let span = self.token.span;
        match self.token.kind {
            Kind::Key(Key::Boolean) => {
                self.advance();
                Ok(Type::Boolean)
            }
            Kind::Sign(Sign::OpenBrace) => self.enumeration(),
            Kind::Key(Key::Process) => {
                let message = "processes are not supported".to_owned();
                let hint = "write one step of one instance as a choice, by a variable that says whose turn it is";
                Err(self.unsupported(span, message, hint))
            }
            Kind::Key(Key::Word | Key::WordToo | Key::Unsigned | Key::Signed) => {
                let message = "words are not supported".to_owned();
                Err(self.unsupported(span, message, "use a range such as `0..255`"))
            }
            Kind::Name if !matches!(self.second().kind, Kind::Sign(Sign::Dots)) => {
                let name = self.name_of(span);
                match self.slice(span) {
                    word @ ("integer" | "real" | "clock") => {
                        let message = format!("`{word}` has no end, and is not supported");
                        return Err(self.unsupported(span, message, "use a range such as `0..9`"));
                    }
                    _ if kind != VarKind::State => {
                        return Err(self.expected("a type", "only VAR has instances of modules"));
                    }
                    _ => {}
                }
                if matches!(
                    self.second().kind,
                    Kind::Sign(Sign::Semicolon | Sign::Open) | Kind::End | Kind::Key(_)
                ) {
                    self.advance();
                    let arguments = self.arguments()?;
                    return Ok(Type::Module(name, span, arguments));
                }
                self.range_type()
            }
            _ => self.range_type(),
        }
    }

    fn range_type(&mut self) -> Result<Type, Skip> {
        let low = self.bound()?;
        self.expect(Sign::Dots, "types are `boolean`, `{a, b}`, `0..3` and `array 0..3 of …`")?;
        Ok(Type::Range(low, self.bound()?))
    }

    fn arguments(&mut self) -> Result<Vec<Whole>, Skip> {
        let mut arguments = Vec::new();
        if !self.at(Sign::Open) {
            return Ok(arguments);
        }
        self.advance();
        while !self.at(Sign::Close) {
            arguments.push(self.expression()?);
            if !self.at(Sign::Close) {
                self.expect(Sign::Comma, "arguments are separated by commas")?;
            }
        }
        self.advance();
        Ok(arguments)
    }

    fn enumeration(&mut self) -> Result<Type, Skip> {
        let mut members = Vec::new();
        self.advance();
        loop {
            self.tick()?;
            let Token { kind, span } = self.token;
            let minus = kind == Kind::Sign(Sign::Minus);
            if minus || kind == Kind::Sign(Sign::Plus) {
                self.advance();
            }
            let member = match self.token.kind {
                Kind::Number(number) => Member::Number(if minus { -number } else { number }),
                Kind::Name if !minus => Member::Name(self.member_name(span)),
                Kind::Key(Key::True) if !minus => Member::Truth(true),
                Kind::Key(Key::False) if !minus => Member::Truth(false),
                _ => return Err(self.expected("a value", "values are names and numbers")),
            };
            members.push((member, span.to(self.token.span)));
            self.advance();
            if self.at(Sign::CloseBrace) {
                self.advance();
                return Ok(Type::Enumeration(members));
            }
            self.expect(Sign::Comma, "values are separated by commas")?;
        }
    }

    /// The name of a value; it may be `EXIT`, which is then a value like others.
    fn member_name(&mut self, span: Span) -> NameId {
        self.text.names.intern(self.slice(span))
    }

    fn define(&mut self, module: &mut Module) -> Result<(), Skip> {
        let (name, span) = self.name("the name of a definition")?;
        self.expect(Sign::Becomes, "a definition is `name := expression;`")?;
        if self.at(Sign::OpenBracket) {
            let message = "definitions of arrays are not supported".to_owned();
            return Err(self.unsupported(span, message, "define the elements one by one"));
        }
        let body = self.expression()?;
        module.defines.push(Define { name, span, body });
        self.expect(Sign::Semicolon, "a definition ends with `;`")
    }

    fn assignment(&mut self, module: &mut Module) -> Result<(), Skip> {
        let begin = self.token.span;
        let when = match self.token.kind {
            Kind::Key(Key::SmallInit) => When::Init,
            Kind::Key(Key::Next) => When::Next,
            _ => When::Always,
        };
        if when != When::Always {
            self.advance();
            self.expect(Sign::Open, "write `init(x) := …;` or `next(x) := …;`")?;
        }
        let target = self.expression()?;
        if when != When::Always {
            self.expect(Sign::Close, "write `init(x) := …;` or `next(x) := …;`")?;
        }
        let span = begin.to(self.token.span);
        self.expect(Sign::Becomes, "an assignment is `next(x) := expression;`")?;
        let value = self.expression()?;
        module.assignments.push(Assignment { when, target, value, span });
        self.expect(Sign::Semicolon, "an assignment ends with `;`")
    }

    fn calls(&mut self, module: &mut Module) -> Result<(), Skip> {
        let span = self.token.span;
        self.text.call.get_or_insert(span);
        self.list(module, |it, module| {
            let (callee, span) = it.name("the name of a module")?;
            it.expect(Sign::Becomes, "a call is `module := condition;`")?;
            let condition = it.expression()?;
            module.calls.push(Call { callee, span, condition });
            it.expect(Sign::Semicolon, "a call ends with `;`")
        })
    }

    fn constants(&mut self, module: &mut Module) -> Result<(), Skip> {
        self.advance();
        loop {
            let (name, _) = self.name("the name of a constant")?;
            module.constants.push(name);
            if self.at(Sign::Semicolon) {
                self.advance();
                return Ok(());
            }
            self.expect(Sign::Comma, "constants are separated by commas")?;
        }
    }

    fn constraint(&mut self, module: &mut Module, kind: ConstraintKind) -> Result<(), Skip> {
        let span = self.token.span;
        self.advance();
        let condition = self.expression()?;
        module.constraints.push((kind, condition, span));
        self.optional_semicolon();
        Ok(())
    }

    fn compassion(&mut self, module: &mut Module) -> Result<(), Skip> {
        self.advance();
        self.expect(Sign::Open, "write `COMPASSION(p, q)`")?;
        let first = self.expression()?;
        self.expect(Sign::Comma, "write `COMPASSION(p, q)`")?;
        let second = self.expression()?;
        self.expect(Sign::Close, "write `COMPASSION(p, q)`")?;
        module.compassion.push((first, second));
        self.optional_semicolon();
        Ok(())
    }

    fn spec(&mut self, module: &mut Module, kind: SpecKind) -> Result<(), Skip> {
        let begin = self.token.span;
        self.advance();
        let mut name = None;
        if self.token.kind == Kind::Key(Key::Name) {
            self.advance();
            let from = self.token.span.start as usize;
            let mut to = from;
            while !self.at(Sign::Becomes) {
                self.tick()?;
                if matches!(self.token.kind, Kind::End | Kind::Sign(Sign::Semicolon)) {
                    return Err(self.expected("`:=`", "write `SPEC NAME name := formula`"));
                }
                to = self.token.span.end as usize;
                self.advance();
            }
            name = Some(self.slice(Span::new(from..to)).to_owned());
            self.advance();
        }
        let formula = self.expression()?;
        if self.token.kind == Kind::Key(Key::InContext) {
            let span = self.token.span;
            let message = "`IN` is not supported in specifications".to_owned();
            return Err(self.unsupported(span, message, "write the names in full, as `m.x`"));
        }
        let span = begin.to(self.text.span(formula));
        module.specs.push(Spec { kind, name, formula, span });
        self.optional_semicolon();
        Ok(())
    }

    fn optional_semicolon(&mut self) {
        if self.at(Sign::Semicolon) {
            self.advance();
        }
    }
}

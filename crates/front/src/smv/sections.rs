//! The sections of modules, statement by statement.

use super::lexer::{Key, Kind, Sign, Token};
use super::parser::{Parser, Skip};
use super::syntax::{
    Assignment, Call, ConstraintKind, Define, Expr, InstanceType, Member, Module, NameId, Spec,
    SpecKind, Type, VarDecl, VarKind, When, Whole,
};
use tern_model::Span;

impl Parser<'_, '_> {
    pub(super) fn section(&mut self, module: &mut Module, key: Key) -> Result<(), Skip> {
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
            Key::Compute => self.compute(),
            Key::Isa => {
                self.advance();
                module.isa.push(self.name("the name of a module")?);
                self.optional_semicolon();
                Ok(())
            }
            _ => {
                self.advance();
                let message = format!("`{}` is not supported", key.text());
                let hint = match key {
                    Key::PslSpec => "write it as LTLSPEC or CTLSPEC",
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
        if let (false, Type::Module(InstanceType { span, .. })) =
            (dimensions.is_empty(), &innermost)
        {
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
            Kind::Key(Key::Process) if kind == VarKind::State => {
                self.advance();
                let (module, span) = self.name("the name of a module")?;
                let arguments = self.arguments()?;
                Ok(Type::Module(InstanceType { module, span, arguments, is_process: true }))
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
                    let (module, is_process) = (name, false);
                    return Ok(Type::Module(InstanceType { module, span, arguments, is_process }));
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
        let mut owner = None;
        if self.token.kind == Kind::Name && self.second().kind == Kind::Sign(Sign::Dot) {
            owner = Some(self.expression()?);
        }
        let (owner, name, span) = match owner {
            None => {
                let (name, span) = self.name("the name of a definition")?;
                (None, name, span)
            }
            Some(target) => {
                let span = self.text.span(target);
                let Expr::Dot(root, name) = self.text.rows[target.root].expr else {
                    let hint = "a definition is `name := expression;`";
                    return Err(self.expected("the name of a definition", hint));
                };
                (Some(Whole { first: target.first, root }), name, span)
            }
        };
        self.expect(Sign::Becomes, "a definition is `name := expression;`")?;
        if self.at(Sign::OpenBracket) {
            let message = "definitions of arrays are not supported".to_owned();
            return Err(self.unsupported(span, message, "define the elements one by one"));
        }
        let body = self.expression()?;
        module.defines.push(Define { owner, name, span, body });
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

    pub(super) fn calls(&mut self, module: &mut Module) -> Result<(), Skip> {
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

    /// `COMPUTE` asks for a number and claims nothing: it is read and left out.
    fn compute(&mut self) -> Result<(), Skip> {
        let begin = self.token.span;
        self.advance();
        if self.token.kind == Kind::Key(Key::Name) {
            while !self.at(Sign::Becomes) && self.token.kind != Kind::End {
                self.tick()?;
                self.advance();
            }
            self.advance();
        }
        let hint = "write `COMPUTE MIN [p, q]`";
        if !matches!(self.token.kind, Kind::Key(Key::MinOf | Key::MaxOf)) {
            return Err(self.expected("`MIN` or `MAX`", hint));
        }
        self.advance();
        self.expect(Sign::OpenBracket, hint)?;
        self.expression()?;
        self.expect(Sign::Comma, hint)?;
        self.expression()?;
        self.expect(Sign::CloseBracket, hint)?;
        self.text.left_out.push(begin);
        self.optional_semicolon();
        Ok(())
    }

    fn optional_semicolon(&mut self) {
        if self.at(Sign::Semicolon) {
            self.advance();
        }
    }
}

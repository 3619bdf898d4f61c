//! The bodies of procedures: variables, blocks, statements and jumps.

use super::Reader;
use super::scan::Scanned;
use tern_ir::print::{binary, comparison};
use tern_ir::{
    Block, BlockId, Body, Call, Comparison, Constant, Dispatch, Field, FieldId, Handler, Jump,
    Operand, Operator, Place, Statement, Test, UnaryOperator, VarId, Variable,
};
use tern_model::index::Id;

/// Longer signs stand before those that they begin with.
const BINARY: [Operator; 12] = [
    Operator::Compare,
    Operator::ShiftRightZero,
    Operator::ShiftRight,
    Operator::ShiftLeft,
    Operator::Add,
    Operator::Subtract,
    Operator::Multiply,
    Operator::Divide,
    Operator::Remainder,
    Operator::And,
    Operator::Or,
    Operator::Xor,
];

const COMPARISONS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::LessEqual,
    Comparison::GreaterEqual,
    Comparison::Less,
    Comparison::Greater,
];

impl Reader<'_> {
    /// A body behind its opening brace, up to its closing one.
    pub(super) fn body(&mut self, mut body: Body) -> Scanned<Body> {
        loop {
            if self.scan.takes("}") {
                return Ok(body);
            }
            if self.scan.takes_word("param") {
                self.variable(&mut body)?;
                body.parameters += 1;
            } else if self.scan.takes_word("var") {
                self.variable(&mut body)?;
            } else {
                self.block(&mut body)?;
            }
        }
    }

    fn variable(&mut self, body: &mut Body) -> Scanned<()> {
        if self.scan.takes_numbered('v') != Some(body.variables.len()) {
            return self.scan.expected(&format!("`v{}`", body.variables.len()));
        }
        let name = if self.scan.takes(":") {
            None
        } else {
            let name = self.name()?;
            self.scan.sign(":")?;
            Some(name)
        };
        let ty = self.ty()?;
        body.variables.push(Variable { name, ty });
        Ok(())
    }

    fn block(&mut self, body: &mut Body) -> Scanned<()> {
        if self.scan.takes_numbered('b') != Some(body.blocks.len()) {
            return self.scan.expected(&format!("`b{}` or `}}`", body.blocks.len()));
        }
        let handlers = body.handlers.len() as u32;
        if self.scan.takes_word("catch") {
            loop {
                let class = match self.scan.takes_word("any") {
                    true => None,
                    false => Some(self.name()?),
                };
                let (variable, block) = (self.var()?, self.target()?);
                body.handlers.push(Handler { class, variable, block });
                if !self.scan.takes(",") {
                    break;
                }
            }
        }
        self.scan.sign("{")?;
        let first = body.statements.len() as u32;
        let jump = loop {
            if let Some(jump) = self.jump()? {
                break jump;
            }
            let statement = self.statement(body)?;
            let place = self.place()?;
            body.statements.push(statement);
            body.places.push(place);
        };
        let place = self.place()?;
        self.scan.sign("}")?;
        body.blocks.push(Block {
            statements: first..body.statements.len() as u32,
            jump,
            place,
            handlers: handlers..body.handlers.len() as u32,
        });
        Ok(())
    }

    fn place(&mut self) -> Scanned<Place> {
        if !self.scan.takes("@") {
            return Ok(Place::default());
        }
        let line = self.scan.number()?;
        self.scan.sign(":")?;
        Ok(Place { line, offset: self.scan.number()? })
    }

    fn jump(&mut self) -> Scanned<Option<Jump>> {
        Ok(Some(match self.scan.peek_word() {
            "goto" => {
                self.scan.word("goto")?;
                Jump::Goto(self.target()?)
            }
            "if" => {
                self.scan.word("if")?;
                let left = self.operand()?;
                let sign = COMPARISONS.into_iter().find(|it| self.scan.takes(comparison(*it)));
                let Some(comparison) = sign else { return self.scan.expected("a comparison") };
                let test = Test { left, comparison, right: self.operand()? };
                self.scan.word("then")?;
                let yes = self.target()?;
                self.scan.word("else")?;
                Jump::Branch { test, yes, no: self.target()? }
            }
            "switch" => {
                self.scan.word("switch")?;
                let on = self.operand()?;
                let mut cases = Vec::new();
                while !self.scan.takes_word("else") {
                    cases.push((self.scan.number()?, self.target()?));
                    self.scan.sign(",")?;
                }
                Jump::Switch { on, cases: cases.into(), otherwise: self.target()? }
            }
            "return" => {
                self.scan.word("return")?;
                let is_bare = self.scan.rest().starts_with(['@', '}']);
                Jump::Return(if is_bare { None } else { Some(self.operand()?) })
            }
            "throw" => {
                self.scan.word("throw")?;
                Jump::Throw(self.operand()?)
            }
            _ => return Ok(None),
        }))
    }

    fn statement(&mut self, body: &mut Body) -> Scanned<Statement> {
        match self.scan.peek_word() {
            "call" => return self.call(body, None),
            word @ ("enter" | "leave") => {
                self.scan.word(word)?;
                return Ok(Statement::Monitor { object: self.operand()?, enter: word == "enter" });
            }
            _ => {}
        }
        let before = self.scan.at;
        if let Some(number) = self.scan.takes_numbered('v') {
            // `==` cannot stand here.
            if self.scan.takes("=") {
                return self.assignment(body, VarId::new(number));
            }
            self.scan.at = before;
        }
        let object = self.object()?;
        if let Some(array) = object
            && self.scan.takes("[")
        {
            let index = self.operand()?;
            self.scan.sign("]")?;
            self.scan.sign("=")?;
            return Ok(Statement::StoreElement { array, index, value: self.operand()? });
        }
        if object.is_some() {
            self.scan.sign(".")?;
        }
        let field = self.member()?;
        self.scan.sign("=")?;
        Ok(Statement::Store { object, field, value: self.operand()? })
    }

    /// What is written to a variable.
    fn assignment(&mut self, body: &mut Body, to: VarId) -> Scanned<Statement> {
        if !self.scan.begins_number() {
            let unary = [("-", UnaryOperator::Negate), ("~", UnaryOperator::Complement)];
            for (sign, operator) in unary {
                if self.scan.takes(sign) {
                    return Ok(Statement::Unary { to, operator, operand: self.operand()? });
                }
            }
        }
        match self.scan.peek_word() {
            "convert" => {
                self.scan.word("convert")?;
                let operator = UnaryOperator::Convert;
                return Ok(Statement::Unary { to, operator, operand: self.operand()? });
            }
            "length" => {
                self.scan.word("length")?;
                return Ok(Statement::Length { to, array: self.operand()? });
            }
            "cast" => {
                self.scan.word("cast")?;
                return Ok(Statement::Cast { to, from: self.operand()?, ty: self.ty()? });
            }
            "new" => return self.new_object(body, to),
            "call" => return self.call(body, Some(to)),
            _ => {}
        }
        let Some(left) = self.object()? else {
            return Ok(Statement::Load { to, object: None, field: self.member()? });
        };
        if self.scan.takes(".") {
            return Ok(Statement::Load { to, object: Some(left), field: self.member()? });
        }
        if self.scan.takes("[") {
            let index = self.operand()?;
            self.scan.sign("]")?;
            return Ok(Statement::LoadElement { to, array: left, index });
        }
        if self.scan.takes_word("instanceof") {
            return Ok(Statement::InstanceOf { to, from: left, ty: self.ty()? });
        }
        match BINARY.into_iter().find(|operator| self.scan.takes(binary(*operator))) {
            Some(operator) => Ok(Statement::Binary { to, operator, left, right: self.operand()? }),
            None => Ok(Statement::Copy { to, from: left }),
        }
    }

    fn new_object(&mut self, body: &mut Body, to: VarId) -> Scanned<Statement> {
        self.scan.word("new")?;
        let before = self.scan.at;
        let element = self.ty()?;
        let first = body.operands.len() as u32;
        while self.scan.takes("[") {
            let length = self.operand()?;
            body.operands.push(length);
            self.scan.sign("]")?;
        }
        let lengths = first..body.operands.len() as u32;
        if !lengths.is_empty() {
            return Ok(Statement::NewArray { to, element, lengths });
        }
        self.scan.at = before;
        Ok(Statement::New { to, class: self.name()? })
    }

    fn call(&mut self, body: &mut Body, to: Option<VarId>) -> Scanned<Statement> {
        self.scan.word("call")?;
        let dispatch = match self.scan.peek_word() {
            "static" => Dispatch::Static,
            "exact" => Dispatch::Exact,
            "virtual" => Dispatch::Virtual,
            _ => return self.scan.expected("`static`, `exact` or `virtual`"),
        };
        self.scan.at += self.scan.peek_word().len();
        let class = self.name()?;
        self.scan.sign("::")?;
        let selector = self.selector()?;
        self.scan.sign("(")?;
        let first = body.operands.len() as u32;
        while !self.scan.takes(")") {
            if body.operands.len() as u32 > first {
                self.scan.sign(",")?;
            }
            let operand = self.operand()?;
            body.operands.push(operand);
        }
        let arguments = first..body.operands.len() as u32;
        let call = Call { dispatch, class, selector, arguments };
        Ok(Statement::Call { to, call: Box::new(call) })
    }

    /// `Class::field : type`
    fn member(&mut self) -> Scanned<FieldId> {
        let class = self.name()?;
        self.scan.sign("::")?;
        let name = self.name()?;
        self.scan.sign(":")?;
        let ty = self.ty()?;
        Ok(self.program.field(Field { class, name, ty }))
    }

    fn operand(&mut self) -> Scanned<Operand> {
        match self.object()? {
            Some(operand) => Ok(operand),
            None => self.scan.expected("a variable or a constant"),
        }
    }

    /// A variable or a constant; nothing if what follows is neither.
    fn object(&mut self) -> Scanned<Option<Operand>> {
        if let Some(number) = self.scan.takes_numbered('v') {
            return Ok(Some(Operand::Variable(VarId::new(number))));
        }
        if self.scan.takes("(") {
            let inner = self.operand()?;
            self.scan.sign(")")?;
            return Ok(Some(inner));
        }
        let constant = if self.scan.begins_number() {
            Constant::Integer(self.scan.number()?)
        } else if self.scan.takes_word("null") {
            Constant::Null
        } else if self.scan.takes_word("any") {
            Constant::Any
        } else if self.scan.takes_word("float") {
            Constant::Float(self.scan.number()?)
        } else if self.scan.takes_word("text") {
            let text = self.scan.quoted()?;
            Constant::Text(self.program.name(&text))
        } else if self.scan.takes_word("class") {
            Constant::Class(self.ty()?)
        } else {
            return Ok(None);
        };
        Ok(Some(Operand::Constant(self.program.constant(constant))))
    }

    fn var(&mut self) -> Scanned<VarId> {
        match self.scan.takes_numbered('v') {
            Some(number) => Ok(VarId::new(number)),
            None => self.scan.expected("a variable, such as `v0`"),
        }
    }

    fn target(&mut self) -> Scanned<BlockId> {
        match self.scan.takes_numbered('b') {
            Some(number) => Ok(BlockId::new(number)),
            None => self.scan.expected("a block, such as `b0`"),
        }
    }
}

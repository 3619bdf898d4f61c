//! What a well-formed program is: ids name rows that exist, blocks and handlers lie within their
//! procedure, parameters match the selector, and what is returned matches the result.

use crate::{
    BlockId, Body, ConstantId, FieldId, Jump, NameId, Operand, ProcId, Procedure, Program,
    SelectorId, Statement, Type, TypeId, VarId,
};
use std::fmt;
use std::ops::Range;
use tern_model::index::Id;

/// Something that is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The procedure it is in, if it is in one.
    pub procedure: Option<ProcId>,
    /// The block it is in, if it is in one.
    pub block: Option<BlockId>,
    /// What is wrong.
    pub what: &'static str,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.procedure, self.block) {
            (Some(procedure), Some(block)) => write!(f, "{procedure:?}, {block:?}: {}", self.what),
            (Some(procedure), None) => write!(f, "{procedure:?}: {}", self.what),
            _ => f.write_str(self.what),
        }
    }
}

impl std::error::Error for Flaw {}

/// All flaws of a program; none if it is well-formed.
pub fn verify(program: &Program) -> Vec<Flaw> {
    let mut verifier = Verifier { program, flaws: Vec::new(), procedure: None, block: None };
    verifier.classes();
    for (id, procedure) in program.procedures().iter() {
        verifier.procedure = Some(id);
        verifier.procedure(procedure);
        verifier.block = None;
    }
    verifier.flaws
}

struct Verifier<'a> {
    program: &'a Program,
    flaws: Vec<Flaw>,
    procedure: Option<ProcId>,
    block: Option<BlockId>,
}

impl Verifier<'_> {
    fn require(&mut self, holds: bool, what: &'static str) {
        if !holds {
            self.flaws.push(Flaw { procedure: self.procedure, block: self.block, what });
        }
    }

    fn classes(&mut self) {
        for class in self.program.classes().as_slice() {
            self.require(self.program.has_name(class.name), "the class has a name that is none");
            for &(field, _) in &class.fields {
                self.field(field);
            }
        }
    }

    fn procedure(&mut self, procedure: &Procedure) {
        self.selector(procedure.selector);
        let Some(body) = &procedure.body else { return };
        self.require(!procedure.is_abstract, "an abstract procedure has no body");
        let Some(selector) = self.program.selectors().get(procedure.selector) else { return };
        let parameters = selector.parameters.len() + usize::from(!procedure.is_static);
        self.require(
            body.parameters == parameters,
            "it has as many parameters as its selector says",
        );
        self.require(body.parameters <= body.variables.len(), "each parameter is a variable");
        self.require(!body.blocks.is_empty(), "a body has a block");
        self.require(body.places.len() == body.statements.len(), "each statement has a place");
        for variable in body.variables.as_slice() {
            self.ty(variable.ty);
        }
        let returns = self.program.types().get(selector.result) != Some(&Type::Void);
        for (id, block) in body.blocks.iter() {
            self.block = Some(id);
            let inside = fits(&block.statements, body.statements.len().min(body.places.len()));
            self.require(inside, "the statements of a block are rows of the body");
            if inside {
                body.statements(id).for_each(|(statement, _)| self.statement(body, statement));
            }
            let inside = fits(&block.handlers, body.handlers.len());
            self.require(inside, "the handlers of a block are rows of the body");
            if inside {
                for handler in body.handlers(id) {
                    self.variable(body, handler.variable);
                    self.target(body, handler.block);
                }
            }
            self.jump(body, &block.jump, returns);
        }
    }

    fn jump(&mut self, body: &Body, jump: &Jump, returns: bool) {
        jump.targets(|block| self.target(body, block));
        match jump {
            Jump::Goto(_) => {}
            Jump::Branch { test, .. } => {
                self.operand(body, test.left);
                self.operand(body, test.right);
            }
            Jump::Switch { on, cases, .. } => {
                self.operand(body, *on);
                let ordered = cases.windows(2).all(|pair| pair[0].0 < pair[1].0);
                self.require(ordered, "cases of a switch are in order, each once");
            }
            Jump::Return(value) => {
                self.require(
                    value.is_some() == returns,
                    "a value is returned if there is a result",
                );
                if let Some(value) = value {
                    self.operand(body, *value);
                }
            }
            Jump::Throw(value) => self.operand(body, *value),
        }
    }

    fn statement(&mut self, body: &Body, statement: &Statement) {
        if let Some(to) = statement.written() {
            self.variable(body, to);
        }
        match statement {
            Statement::Copy { from: operand, .. }
            | Statement::Unary { operand, .. }
            | Statement::Length { array: operand, .. }
            | Statement::Monitor { object: operand, .. } => self.operand(body, *operand),
            Statement::Binary { left, right, .. } => {
                self.operand(body, *left);
                self.operand(body, *right);
            }
            Statement::New { class, .. } => self.name(*class),
            Statement::NewArray { element, lengths, .. } => {
                self.ty(*element);
                let inside = fits(lengths, body.operands.len()) && !lengths.is_empty();
                self.require(inside, "the lengths of an array are rows of the body");
                if inside {
                    body.operands(lengths).iter().for_each(|length| self.operand(body, *length));
                }
            }
            Statement::Load { object, field, .. } => {
                self.field(*field);
                object.iter().for_each(|object| self.operand(body, *object));
            }
            Statement::Store { object, field, value } => {
                self.field(*field);
                object.iter().for_each(|object| self.operand(body, *object));
                self.operand(body, *value);
            }
            Statement::LoadElement { array, index, .. } => {
                self.operand(body, *array);
                self.operand(body, *index);
            }
            Statement::StoreElement { array, index, value } => {
                self.operand(body, *array);
                self.operand(body, *index);
                self.operand(body, *value);
            }
            Statement::Cast { from, ty, .. } | Statement::InstanceOf { from, ty, .. } => {
                self.operand(body, *from);
                self.ty(*ty);
            }
            Statement::Call { to, call } => self.call(body, *to, call),
        }
    }

    fn call(&mut self, body: &Body, to: Option<VarId>, call: &crate::Call) {
        self.name(call.class);
        self.selector(call.selector);
        let inside = fits(&call.arguments, body.operands.len());
        self.require(inside, "the arguments of a call are rows of the body");
        if inside {
            body.operands(&call.arguments).iter().for_each(|operand| self.operand(body, *operand));
        }
        let Some(selector) = self.program.selectors().get(call.selector) else { return };
        let receiver = usize::from(call.dispatch != crate::Dispatch::Static);
        let wanted = selector.parameters.len() + receiver;
        self.require(call.arguments.len() == wanted, "a call has the arguments of its selector");
        let void = self.program.types().get(selector.result) == Some(&Type::Void);
        self.require(!(void && to.is_some()), "a call that gives nothing is not stored");
    }

    fn operand(&mut self, body: &Body, operand: Operand) {
        match operand {
            Operand::Variable(variable) => self.variable(body, variable),
            Operand::Constant(constant) => self.constant(constant),
        }
    }

    fn variable(&mut self, body: &Body, variable: VarId) {
        self.require(variable.index() < body.variables.len(), "a variable is one of the body");
    }

    fn target(&mut self, body: &Body, block: BlockId) {
        self.require(block.index() < body.blocks.len(), "a jump leads to a block of the body");
    }

    fn constant(&mut self, constant: ConstantId) {
        self.require(
            self.program.constants().get(constant).is_some(),
            "a constant is one of the program",
        );
    }

    fn field(&mut self, field: FieldId) {
        self.require(self.program.fields().get(field).is_some(), "a field is one of the program");
    }

    fn selector(&mut self, selector: SelectorId) {
        let known = self.program.selectors().get(selector).is_some();
        self.require(known, "a selector is one of the program");
    }

    fn ty(&mut self, ty: TypeId) {
        self.require(self.program.types().get(ty).is_some(), "a type is one of the program");
    }

    fn name(&mut self, name: NameId) {
        self.require(self.program.has_name(name), "a name is one of the program");
    }
}

fn fits(rows: &Range<u32>, len: usize) -> bool {
    rows.start <= rows.end && rows.end as usize <= len
}

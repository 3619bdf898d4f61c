//! Procedures as they were read, translated to procedures of `tern-ir`. Each statement and each
//! test is one step.

use super::lexer::{Problem, nearest};
use super::statements::{CallLine, Condition, Declaration, Line, Piece, Right, Simple, Spanned};
use super::{Header, Procedures, graphs, line_of};
use crate::grammar::Grammar;
use tern_ir::{
    Access, Block, BlockId, Body, Call, Comparison, Constant, Dispatch, Field, Jump, NameId,
    Operand, Place, ProcId, Procedure, Program, Selector, Statement, Test, Type, TypeId, VarId,
    Variable,
};
use tern_model::Span;
use tern_model::index::{Id, Table};

/// Translates procedures.
pub(super) fn translate(
    headers: &[Header<'_>],
    grammar: &Grammar,
    program: &mut Program,
    file: &str,
    text: &str,
    problems: &mut Vec<Problem>,
) -> Procedures {
    let mut procedures: Procedures = Vec::new();
    let file = program.name(file);
    for header in headers {
        let parameters: Box<[TypeId]> = header
            .parameters
            .iter()
            .map(|&(_, ty)| named_type(grammar, program, ty, problems))
            .collect();
        let result = match header.result {
            Some(result) => named_type(grammar, program, result, problems),
            None => program.ty(Type::Void),
        };
        let name = program.name(header.name.0);
        let selector = program.selector(Selector { name, parameters, result });
        if procedures.iter().any(|(name, _)| name == header.name.0) {
            let message = format!("there are two procedures `{}`", header.name.0);
            problems.push(Problem::new("H103", header.name.1, message));
        }
        let id = program.add_procedure(Procedure {
            class: None,
            selector,
            is_static: true,
            access: Access::Public,
            is_abstract: false,
            body: None,
        });
        procedures.push((header.name.0.to_owned(), id));
    }
    for (header, &(_, id)) in headers.iter().zip(&procedures) {
        let mut maker = Maker {
            grammar,
            program,
            procedures: &procedures,
            text,
            problems,
            variables: Table::new(),
            names: Vec::new(),
            operands: Vec::new(),
            blocks: Vec::new(),
            current: 0,
            place: Place::default(),
        };
        let body = maker.body(header, file, id);
        *program.body_mut(id) = Some(body);
    }
    procedures
}

fn named_type(
    grammar: &Grammar,
    program: &mut Program,
    (name, span): (&str, Span),
    problems: &mut Vec<Problem>,
) -> TypeId {
    match name {
        "int" => program.ty(Type::Integer { bits: 32, signed: true }),
        "bool" => program.ty(Type::Boolean),
        _ => {
            graphs::find_kind(grammar, (name, span), problems);
            let name = program.name(name);
            program.ty(Type::Reference(name))
        }
    }
}

/// Makes a body.
struct Maker<'a> {
    grammar: &'a Grammar,
    program: &'a mut Program,
    procedures: &'a Procedures,
    text: &'a str,
    problems: &'a mut Vec<Problem>,
    variables: Table<VarId, Variable>,
    names: Vec<String>,
    operands: Vec<Operand>,
    /// Statements, jump, and whether something jumps there.
    blocks: Vec<Draft>,
    current: usize,
    place: Place,
}

#[derive(Default)]
struct Draft {
    statements: Vec<(Statement, Place)>,
    jump: Option<(Jump, Place)>,
    reached: bool,
}

/// What has to be done when a block closes.
enum Open {
    /// On behind the `if`; the block for `no` is still to come.
    If {
        no: usize,
        after: usize,
    },
    Else {
        after: usize,
    },
    While {
        test: usize,
        after: usize,
    },
}

impl Maker<'_> {
    fn body(&mut self, header: &Header<'_>, file: NameId, id: ProcId) -> Body {
        for &declaration in &header.parameters {
            self.declare(declaration);
        }
        let parameters = self.variables.len();
        self.blocks.push(Draft { reached: true, ..Draft::default() });
        let mut open: Vec<Open> = Vec::new();
        for line in &header.body {
            let column = 1 + line.span.range().start
                - self.text[..line.span.range().start].rfind('\n').map_or(0, |it| it + 1);
            let line_number = line_of(self.text, line.span);
            self.place = Place { line: line_number, offset: u32::try_from(column).unwrap_or(0) };
            self.line(line, &mut open, id);
        }
        if self.blocks[self.current].reached && self.blocks[self.current].jump.is_none() {
            if header.result.is_some() {
                let message = format!("`{}` may end without returning its result", header.name.0);
                self.problems.push(Problem::new("H303", header.name.1, message));
            }
            self.jump(Jump::Return(None));
        }
        self.finish(file, parameters)
    }

    fn finish(&mut self, file: NameId, parameters: usize) -> Body {
        let mut body = Body {
            file: Some(file),
            parameters,
            variables: std::mem::take(&mut self.variables),
            operands: std::mem::take(&mut self.operands),
            ..Body::default()
        };
        for (number, draft) in std::mem::take(&mut self.blocks).into_iter().enumerate() {
            let row = |len: usize| u32::try_from(len).expect("texts are small");
            let start = row(body.statements.len());
            for (statement, place) in draft.statements {
                body.statements.push(statement);
                body.places.push(place);
            }
            // Nothing leads to a block without a jump.
            let stay = (Jump::Goto(BlockId::new(number)), Place::default());
            let (jump, place) = draft.jump.unwrap_or(stay);
            let statements = start..row(body.statements.len());
            body.blocks.push(Block { statements, jump, place, handlers: 0..0 });
        }
        body
    }

    fn declare(&mut self, ((name, span), ty): Declaration<'_>) {
        if self.names.iter().any(|it| it == name) {
            let message = format!("there are two variables `{name}`");
            self.problems.push(Problem::new("H103", span, message));
        }
        let ty = named_type(self.grammar, self.program, ty, self.problems);
        let id = self.program.name(name);
        self.variables.push(Variable { name: Some(id), ty });
        self.names.push(name.to_owned());
    }

    fn new_block(&mut self) -> usize {
        self.blocks.push(Draft::default());
        self.blocks.len() - 1
    }

    fn jump(&mut self, jump: Jump) {
        let reached = self.blocks[self.current].reached;
        jump.targets(|block| self.blocks[block.index()].reached |= reached);
        let place = self.place;
        self.blocks[self.current].jump.get_or_insert((jump, place));
    }

    fn push(&mut self, statement: Statement) {
        let place = self.place;
        self.blocks[self.current].statements.push((statement, place));
    }

    fn line(&mut self, line: &Line<'_>, open: &mut Vec<Open>, id: ProcId) {
        match &line.piece {
            Piece::Declare(declaration) => self.declare(*declaration),
            Piece::Assign(to, right) => self.assign(*to, right),
            Piece::Store(object, field, value) => self.store(*object, *field, *value),
            Piece::Call(call) => {
                if let Some((call, _)) = self.call(call) {
                    self.push(Statement::Call { to: None, call });
                }
            }
            Piece::Free(object) => self.free(*object),
            Piece::Return(value) => self.leave(*value, line.span, id),
            Piece::Throw => {
                let none = self.program.constant(Constant::Null);
                self.jump(Jump::Throw(Operand::Constant(none)));
                self.current = self.new_block();
            }
            Piece::If(condition) => {
                let (yes, no, after) = (self.new_block(), self.new_block(), self.new_block());
                self.branch(condition, yes, no, line.span);
                open.push(Open::If { no, after });
                self.current = yes;
            }
            Piece::While(condition) => {
                let (test, inside, after) = (self.new_block(), self.new_block(), self.new_block());
                self.jump(Jump::Goto(BlockId::new(test)));
                self.current = test;
                self.branch(condition, inside, after, line.span);
                open.push(Open::While { test, after });
                self.current = inside;
            }
            Piece::Else => {
                if let Some(Open::If { no, after }) = open.pop() {
                    self.jump(Jump::Goto(BlockId::new(after)));
                    open.push(Open::Else { after });
                    self.current = no;
                }
            }
            Piece::Close => match open.pop() {
                Some(Open::If { no, after }) => {
                    self.jump(Jump::Goto(BlockId::new(after)));
                    self.current = no;
                    self.jump(Jump::Goto(BlockId::new(after)));
                    self.current = after;
                }
                Some(Open::Else { after }) => {
                    self.jump(Jump::Goto(BlockId::new(after)));
                    self.current = after;
                }
                Some(Open::While { test, after }) => {
                    self.jump(Jump::Goto(BlockId::new(test)));
                    self.current = after;
                }
                None => {}
            },
        }
    }

    /// To free an object is to call a procedure that has no body.
    fn free(&mut self, object: (&str, Span)) {
        let Some((variable, _)) = self.object(object) else { return };
        let name = self.program.name("free");
        let parameters = [self.variables[variable].ty].into();
        let result = self.program.ty(Type::Void);
        let selector = self.program.selector(Selector { name, parameters, result });
        let class = self.program.name("");
        let start = u32::try_from(self.operands.len()).expect("texts are small");
        self.operands.push(Operand::Variable(variable));
        let arguments = start..start + 1;
        let call = Call { dispatch: Dispatch::Static, class, selector, arguments };
        self.push(Statement::Call { to: None, call: Box::new(call) });
    }

    fn leave(&mut self, value: Option<Spanned<'_>>, span: Span, id: ProcId) {
        let selector = self.program.procedures()[id].selector;
        let result = self.program.selectors()[selector].result;
        let is_void = self.program.types()[result] == Type::Void;
        if value.is_some() == is_void {
            let message = match is_void {
                true => "the procedure has no result",
                false => "the procedure has a result, which must be returned",
            };
            self.problems.push(Problem::new("H303", span, message));
        }
        let value = value.filter(|_| !is_void).and_then(|it| self.operand(it, Some(result)));
        self.jump(Jump::Return(value));
        self.current = self.new_block();
    }

    fn branch(&mut self, condition: &Condition<'_>, yes: usize, no: usize, span: Span) {
        let (yes, no) = (BlockId::new(yes), BlockId::new(no));
        let test = match condition {
            Condition::Any => {
                let any = Operand::Constant(self.program.constant(Constant::Any));
                Some(Test { left: any, comparison: Comparison::NotEqual, right: any })
            }
            Condition::Compare(left, comparison, right) => {
                let ty = self.type_of(*left).or(self.type_of(*right));
                let sides = (self.operand(*left, ty), self.operand(*right, ty));
                match sides {
                    (Some(left), Some(right)) => {
                        Some(Test { left, comparison: *comparison, right })
                    }
                    _ => None,
                }
            }
        };
        match test {
            Some(test) => self.jump(Jump::Branch { test, yes, no }),
            None => debug_assert!(!self.problems.is_empty(), "{span:?}"),
        }
    }

    fn find(&mut self, (name, span): (&str, Span)) -> Option<VarId> {
        let found = self.names.iter().position(|it| it == name).map(VarId::new);
        if found.is_none() {
            let mut problem = Problem::new("H301", span, format!("there is no variable `{name}`"));
            problem.hint = nearest(name, self.names.iter().map(|it| &**it));
            self.problems.push(problem);
        }
        found
    }

    fn type_of(&mut self, (value, _): Spanned<'_>) -> Option<TypeId> {
        match value {
            Simple::Name(name) => {
                let at = self.names.iter().position(|it| it == name)?;
                Some(self.variables[VarId::new(at)].ty)
            }
            _ => None,
        }
    }

    fn kind_of(&self, ty: TypeId) -> Option<crate::graph::TypeId> {
        match self.program.types()[ty] {
            Type::Reference(name) => self.grammar.types.kind(self.program.text(name)),
            _ => None,
        }
    }

    fn is_reference(&self, ty: TypeId) -> bool {
        matches!(self.program.types()[ty], Type::Reference(_))
    }

    /// A value of a type, if that is known.
    fn operand(&mut self, value: Spanned<'_>, wanted: Option<TypeId>) -> Option<Operand> {
        let (simple, span) = value;
        let mut constant = |it: Constant| Operand::Constant(self.program.constant(it));
        let operand = match simple {
            Simple::Null => constant(Constant::Null),
            Simple::Number(number) => constant(Constant::Integer(number.into())),
            Simple::Any => constant(Constant::Any),
            Simple::Name(name) => Operand::Variable(self.find((name, span))?),
        };
        let is_reference = match simple {
            Simple::Null => Some(true),
            Simple::Number(_) | Simple::Any => Some(false),
            Simple::Name(_) => None,
        };
        let Some(wanted) = wanted else { return Some(operand) };
        let fits = match is_reference {
            Some(is_reference) => is_reference == self.is_reference(wanted),
            None => {
                let ty = self.type_of(value)?;
                ty == wanted || (!self.is_reference(ty) && !self.is_reference(wanted))
            }
        };
        if !fits {
            let shown = tern_ir_type(self.program, wanted);
            let message = format!("a value of type `{shown}` is needed here");
            self.problems.push(Problem::new("H304", span, message));
            return None;
        }
        Some(operand)
    }

    /// A variable that holds a reference to an object, and the type of that.
    fn object(&mut self, name: (&str, Span)) -> Option<(VarId, crate::graph::TypeId)> {
        let variable = self.find(name)?;
        let kind = self.kind_of(self.variables[variable].ty);
        if kind.is_none() {
            let message = format!("`{}` is no reference", name.0);
            self.problems.push(Problem::new("H304", name.1, message));
        }
        Some((variable, kind?))
    }

    /// A field and its type.
    fn field(
        &mut self,
        kind: crate::graph::TypeId,
        name: (&str, Span),
    ) -> Option<(tern_ir::FieldId, TypeId)> {
        match graphs::find_selector(self.grammar, kind, name) {
            Ok(found) => {
                let to = self.grammar.types.selectors[found].to;
                let class = self.program.name(&self.grammar.types.kinds[kind].name);
                let target = self.program.name(&self.grammar.types.kinds[to].name);
                let ty = self.program.ty(Type::Reference(target));
                let name = self.program.name(name.0);
                Some((self.program.field(Field { class, name, ty }), ty))
            }
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }

    fn assign(&mut self, to: (&str, Span), right: &Right<'_>) {
        let Some(to) = self.find(to) else { return };
        let ty = self.variables[to].ty;
        let wrong = |span: Span| Problem::new("H304", span, "the types of the two sides differ");
        match right {
            Right::Simple(value) => {
                if let Some(from) = self.operand(*value, Some(ty)) {
                    self.push(Statement::Copy { to, from });
                }
            }
            Right::New(class) => {
                let Some(kind) = graphs::find_kind(self.grammar, *class, self.problems) else {
                    return;
                };
                if self.kind_of(ty) != Some(kind) {
                    self.problems.push(wrong(class.1));
                }
                let class = self.program.name(class.0);
                self.push(Statement::New { to, class });
            }
            Right::Load(object, field) => {
                let Some((from, kind)) = self.object(*object) else { return };
                let Some((id, given)) = self.field(kind, *field) else { return };
                if given != ty {
                    self.problems.push(wrong(field.1));
                }
                let object = Some(Operand::Variable(from));
                self.push(Statement::Load { to, object, field: id });
            }
            Right::Call(line) => {
                let Some((call, result)) = self.call(line) else { return };
                if result != ty {
                    self.problems.push(wrong(line.callee.1));
                }
                self.push(Statement::Call { to: Some(to), call });
            }
        }
    }

    fn store(&mut self, object: (&str, Span), field: (&str, Span), value: Spanned<'_>) {
        let Some((into, kind)) = self.object(object) else { return };
        let Some((field, ty)) = self.field(kind, field) else { return };
        let Some(value) = self.operand(value, Some(ty)) else { return };
        self.push(Statement::Store { object: Some(Operand::Variable(into)), field, value });
    }

    fn call(&mut self, line: &CallLine<'_>) -> Option<(Box<Call>, TypeId)> {
        let (name, span) = line.callee;
        let Some(&(_, callee)) = self.procedures.iter().find(|(it, _)| it == name) else {
            let message = format!("there is no procedure `{name}`");
            let mut problem = Problem::new("H302", span, message);
            problem.hint = nearest(name, self.procedures.iter().map(|(it, _)| &**it));
            self.problems.push(problem);
            return None;
        };
        let selector = self.program.procedures()[callee].selector;
        let Selector { parameters, result, .. } = self.program.selectors()[selector].clone();
        if parameters.len() != line.arguments.len() {
            let message = format!(
                "`{name}` takes {} arguments, not {}",
                parameters.len(),
                line.arguments.len()
            );
            self.problems.push(Problem::new("H302", span, message));
            return None;
        }
        let mut operands = Vec::new();
        for (&argument, &ty) in line.arguments.iter().zip(&parameters) {
            operands.push(self.operand(argument, Some(ty))?);
        }
        let row = |len: usize| u32::try_from(len).expect("texts are small");
        let start = row(self.operands.len());
        self.operands.extend(operands);
        let class = self.program.name("");
        let arguments = start..row(self.operands.len());
        Some((Box::new(Call { dispatch: Dispatch::Static, class, selector, arguments }), result))
    }
}

fn tern_ir_type(program: &Program, ty: TypeId) -> &str {
    match program.types()[ty] {
        Type::Reference(name) => program.text(name),
        Type::Boolean => "bool",
        _ => "int",
    }
}

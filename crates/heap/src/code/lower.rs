//! Programs of `tern-ir` as lines.
//!
//! Taken are copies, constants, `new`, fields of objects, arithmetic, casts, calls of procedures
//! with a body, tests, returns and throws. Where languages differ, a [`World`] says what is meant:
//! which types objects have, and who is called. Everything else is named; it is refused, or a
//! hole. A jump that only goes elsewhere takes no step, a switch takes one for each value.

use super::{
    Action, Called, Code, Effects, Line, Local, Method, Number, NumberField, Operation, Relation,
    Source,
};
use crate::graph::{NumberId, SelectorId, TypeId};
use crate::types::Types;
use std::collections::BTreeSet;
use tern_ir::{
    BlockId, Body, Call, Comparison, Constant, Dispatch, Field, Jump, NameId, Operand, Operator,
    Place, ProcId, Program, Statement, Type, UnaryOperator, VarId,
};
use tern_model::index::{Id, Table};

/// Who is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A procedure, by its number among those that are made.
    Procedure(ProcId),
    /// The one for the type of the object that is called.
    ByType(Vec<(TypeId, ProcId)>),
    /// Nobody: the call does nothing, and takes no time.
    Nothing,
    /// Somebody who returns and changes nothing; what is returned is not known.
    Pure,
    /// The object that is the argument is freed.
    Free,
    /// Somebody of whom nothing is known, and why.
    Hole(String),
}

/// What programs mean where languages differ.
pub trait World {
    /// The type of objects of a class; `None` if heaps do not keep these.
    fn kind(&self, class: &str) -> Option<TypeId>;

    /// The type of an object that is made of a class; `None` if heaps do not keep it.
    fn made(&self, class: &str) -> Option<TypeId> {
        self.kind(class)
    }

    /// The types of objects that are of a class or one below it.
    fn below(&self, class: &str) -> Vec<TypeId>;

    /// A field as code names it: a selector, or nothing that heaps keep.
    ///
    /// # Errors
    /// Why it cannot be said.
    fn selector(&self, field: &Field) -> Result<Option<SelectorId>, String>;

    /// A field that holds numbers, if it is one of [`numbers`](Self::numbers).
    fn number(&self, field: &Field) -> Option<NumberId> {
        let _ = field;
        None
    }

    /// The fields of objects that hold numbers.
    fn numbers(&self) -> Table<NumberId, NumberField> {
        Table::new()
    }

    /// Who is called.
    fn callee(&self, call: &Call) -> Callee;

    /// Whether variables have no value before they are written.
    fn blank(&self) -> bool;
}

/// Programs whose procedures are their own world: no classes above others, and all is there.
struct Plain<'a> {
    program: &'a Program,
    types: &'a Types,
}

impl World for Plain<'_> {
    fn kind(&self, class: &str) -> Option<TypeId> {
        self.types.kind(class)
    }

    fn below(&self, class: &str) -> Vec<TypeId> {
        self.kind(class).into_iter().collect()
    }

    fn selector(&self, field: &Field) -> Result<Option<SelectorId>, String> {
        let (class, name) = (self.program.text(field.class), self.program.text(field.name));
        let kind = self.kind(class).ok_or_else(|| format!("there is no type `{class}`"))?;
        let found = self.types.selector(kind, name);
        found.map(Some).ok_or_else(|| format!("`{class}` has no reference `{name}`"))
    }

    fn callee(&self, call: &Call) -> Callee {
        match self.program.find_procedure(None, call.selector) {
            Some(procedure) => Callee::Procedure(procedure),
            None if self.program.text(self.program.selectors()[call.selector].name) == "free" => {
                Callee::Free
            }
            None => Callee::Hole("a procedure that is called is not there".to_owned()),
        }
    }

    fn blank(&self) -> bool {
        false
    }
}

/// Takes a program as it is; holes are not allowed.
///
/// # Errors
/// What lies outside, with the procedure and the place.
pub fn code(program: &Program, types: &Types) -> Result<Code, Vec<String>> {
    let world = Plain { program, types };
    let (mut methods, mut problems) = (Table::new(), Vec::new());
    for (id, procedure) in program.procedures().iter() {
        let name = program.title(id);
        if procedure.body.is_none() {
            problems.push(format!("`{name}` has no body"));
            continue;
        }
        let method = method(program, &world, id, name);
        for line in &method.lines {
            if let Action::Hole(what) = &line.action {
                problems.push(format!("`{}`: line {}: {what}", method.name, line.place.line));
            } else if line.caught {
                problems.push(format!("`{}`: it has handlers of exceptions", method.name));
                break;
            }
        }
        methods.push(method);
    }
    if problems.is_empty() { Ok(Code::new(methods, types.freed())) } else { Err(problems) }
}

/// Takes some procedures of a program, in this order, each with the name it is called by. Callees
/// are numbered in the same order.
pub fn code_of(
    program: &Program,
    world: &dyn World,
    procedures: &[(ProcId, String)],
    freed: Option<TypeId>,
) -> Code {
    let mut methods = Table::new();
    for (id, name) in procedures {
        methods.push(method(program, world, *id, name.clone()));
    }
    let mut code = Code::new(methods, freed);
    code.numbers = world.numbers();
    code
}

fn method(program: &Program, world: &dyn World, id: ProcId, name: String) -> Method {
    let procedure = &program.procedures()[id];
    let nothing = Body::default();
    let body = procedure.body.as_ref().unwrap_or(&nothing);
    let is_main =
        procedure.is_static && program.text(program.selectors()[procedure.selector].name) == "main";
    let mut lowering =
        Lowering { program, world, body, is_main, starts: Vec::new(), stay: 0, lines: Vec::new() };
    let lines = lowering.lines();
    let locals = body.variables.as_slice().iter().map(|variable| Local {
        name: variable.name.map_or("", |name| program.text(name)).to_owned(),
        kind: lowering.kind(variable.ty),
        is_number: Number::of(program.types()[variable.ty]).is_some(),
    });
    Method {
        name,
        file: body.file.map(|it| program.text(it).to_owned()),
        parameters: body.parameters,
        locals: locals.collect(),
        lines,
        effects: Effects::default(),
        returns: lowering.kind(program.selectors()[procedure.selector].result),
        blank: world.blank(),
    }
}

/// The classes that a null dereference is of.
const NULL_DEREFERENCES: [&str; 4] = [
    "java.lang.NullPointerException",
    "java.lang.RuntimeException",
    "java.lang.Exception",
    "java.lang.Throwable",
];

struct Lowering<'a> {
    program: &'a Program,
    world: &'a dyn World,
    body: &'a Body,
    /// Whether programs are started by it.
    is_main: bool,
    /// For each block, its first line.
    starts: Vec<u32>,
    /// A place to stay, for jumps in a circle.
    stay: u32,
    lines: Vec<Line>,
}

impl Lowering<'_> {
    fn lines(&mut self) -> Vec<Line> {
        let mut count = 0;
        for (id, block) in self.body.blocks.iter() {
            self.starts.push(count);
            count += row(self.body.statements(id).filter(|(it, _)| !self.is_nothing(it)).count());
            count += match &block.jump {
                Jump::Goto(_) => 0,
                Jump::Switch { cases, .. } => row(cases.len().max(1)),
                _ => 1,
            };
        }
        self.stay = count;
        for (id, block) in self.body.blocks.iter() {
            let caught = !self.body.handlers(id).is_empty();
            let first = self.lines.len();
            let all = self.body.statements(id).enumerate();
            let taken: Vec<_> = all.filter(|(_, (it, _))| !self.is_nothing(it)).collect();
            let len = taken.len();
            for (position, (at, (statement, place))) in taken.into_iter().enumerate() {
                let next = match block.jump {
                    Jump::Goto(to) if position + 1 == len => self.follow(to),
                    _ => row(self.lines.len()) + 1,
                };
                let action = self.statement(statement).unwrap_or_else(Action::Hole);
                self.push(action, next, ((id, at, 0), place), caught);
            }
            let behind = self.body.statements(id).count();
            self.jump(&block.jump, ((id, behind), block.place), caught);
            let handler = self.null_handler(id);
            self.lines[first..].iter_mut().for_each(|line| line.handler = handler);
        }
        self.push(Action::Stay, self.stay, ((BlockId::new(0), 0, 0), Place::default()), false);
        let mut lines = std::mem::take(&mut self.lines);
        if self.body.blocks.is_empty() {
            lines[0].action = Action::Hole("its code is not there".to_owned());
            return lines;
        }
        let first = self.follow(BlockId::new(0));
        if first != 0 {
            // Line 0 may be reached otherwise, so the procedure begins with a copy of another.
            let entry = lines[first as usize].clone();
            rotate(&mut lines, entry);
        }
        lines
    }

    fn push(
        &mut self,
        action: Action,
        next: u32,
        (at, place): ((BlockId, usize, usize), Place),
        caught: bool,
    ) {
        self.lines.push(Line {
            action,
            next,
            place,
            at,
            live: BTreeSet::new(),
            head: false,
            caught,
            caught_outside: false,
            handler: None,
        });
    }

    /// The handler of a block that takes null dereferences: its line, and its variable. Others that
    /// come before it do not take these, whatever they are.
    fn null_handler(&self, block: BlockId) -> Option<(u32, u32)> {
        let takes = |class: Option<NameId>| {
            class.is_none_or(|class| NULL_DEREFERENCES.contains(&self.program.text(class)))
        };
        let found = self.body.handlers(block).iter().find(|it| takes(it.class))?;
        Some((self.follow(found.block), row(found.variable.index())))
    }

    /// Whether a variable holds nothing but objects that were made for it.
    fn is_new(&self, variable: VarId) -> bool {
        let mut statements = self.body.blocks.iter().flat_map(|(id, _)| self.body.statements(id));
        variable.index() >= self.body.parameters
            && statements.all(|(it, _)| {
                it.written() != Some(variable) || matches!(it, Statement::New { .. })
            })
            && self.body.handlers.iter().all(|it| it.variable != variable)
    }

    fn kind(&self, ty: tern_ir::TypeId) -> Option<TypeId> {
        match self.program.types()[ty] {
            Type::Reference(name) => self.world.kind(self.program.text(name)),
            _ => None,
        }
    }

    /// The types that objects of a type of the program may have.
    fn below(&self, ty: tern_ir::TypeId) -> Vec<TypeId> {
        match self.program.types()[ty] {
            Type::Reference(name) => self.world.below(self.program.text(name)),
            _ => Vec::new(),
        }
    }

    /// Whether a statement takes no step at all.
    fn is_nothing(&self, statement: &Statement) -> bool {
        match statement {
            Statement::Call { call, .. } => self.world.callee(call) == Callee::Nothing,
            _ => false,
        }
    }

    /// Whether nothing of a block is a step but its jump elsewhere.
    fn is_empty(&self, block: BlockId) -> bool {
        self.body.statements(block).all(|(it, _)| self.is_nothing(it))
    }

    /// The first line at or behind a block; jumps in a circle stay.
    fn follow(&self, mut block: BlockId) -> u32 {
        for _ in 0..=self.body.blocks.len() {
            match self.body.blocks[block].jump {
                Jump::Goto(to) if self.is_empty(block) => block = to,
                _ => return self.starts[block.index()],
            }
        }
        self.stay
    }

    fn source(&self, operand: Operand) -> Source {
        match operand {
            Operand::Variable(variable) => Source::Variable(row(variable.index())),
            Operand::Constant(constant) => match self.program.constants()[constant] {
                Constant::Null => Source::Null,
                Constant::Integer(number) => {
                    i64::try_from(number).map_or(Source::Any, Source::Integer)
                }
                // Texts and their like are objects that heaps do not keep.
                _ => Source::Any,
            },
        }
    }

    /// Whether an operand is what a program is started with: an array of any length, not `null`.
    fn is_started_with(&self, operand: Operand) -> bool {
        let Operand::Variable(variable) = operand else { return false };
        let mut statements = self.body.blocks.iter().flat_map(|(id, _)| self.body.statements(id));
        self.is_main
            && self.body.parameters == 1
            && variable.index() == 0
            && !statements.any(|(it, _)| it.written() == Some(variable))
    }

    fn number(&self, to: VarId) -> Option<Number> {
        Number::of(self.program.types()[self.body.variables[to].ty])
    }

    fn is_truth(&self, variable: VarId) -> bool {
        self.program.types()[self.body.variables[variable].ty] == Type::Boolean
    }

    fn statement(&self, statement: &Statement) -> Result<Action, String> {
        let variable = |it: &VarId| row(it.index());
        Ok(match statement {
            Statement::Copy { to, from } => match self.source(*from) {
                Source::Any if self.is_truth(*to) => Action::Toss(variable(to)),
                source => Action::Copy(variable(to), source),
            },
            Statement::New { to, class } => match self.world.made(self.program.text(*class)) {
                Some(kind) => Action::New(variable(to), kind),
                None if self.world.blank() => Action::Copy(variable(to), Source::Any),
                None => return Err(format!("there is no type `{}`", self.program.text(*class))),
            },
            Statement::Load { to, object: Some(object), field } => {
                let (to, object) = (variable(to), self.source(*object));
                let field = &self.program.fields()[*field];
                match (self.world.selector(field)?, self.world.number(field)) {
                    (Some(selector), _) => Action::Load(to, object, selector),
                    (None, Some(number)) => Action::LoadNumber(to, object, number),
                    (None, None) => touch(Some(to), object),
                }
            }
            Statement::Store { object: Some(object), field, value } => {
                let (object, value) = (self.source(*object), self.source(*value));
                let field = &self.program.fields()[*field];
                match (self.world.selector(field)?, self.world.number(field)) {
                    (Some(selector), _) => Action::Store(object, selector, value),
                    (None, Some(number)) => Action::StoreNumber(object, number, value),
                    (None, None) => touch(None, object),
                }
            }
            // A field of a class as a whole: what objects it leads to is not kept, so that whoever
            // looks at them comes to a hole.
            Statement::Load { to, object: None, .. } => Action::Copy(variable(to), Source::Any),
            Statement::Store { object: None, .. } => nothing(),
            Statement::Unary { to, operator, operand } => self.unary(to, *operator, *operand),
            Statement::Binary { to, operator, left, right } => {
                self.binary(to, *operator, *left, *right)?
            }
            Statement::Cast { to, from, ty } => {
                Action::Cast(variable(to), self.source(*from), self.below(*ty))
            }
            Statement::InstanceOf { to, from, ty } => {
                Action::InstanceOf(variable(to), self.source(*from), self.below(*ty))
            }
            Statement::Monitor { object, .. } => touch(None, self.source(*object)),
            Statement::Call { to, call } => return self.call(to.as_ref(), call),
            // Programs are started with some array; `null` comes of other callers.
            Statement::Length { to, array } if self.is_started_with(*array) => {
                Action::Length(variable(to), self.source(*array))
            }
            // Arrays are not followed: nothing is known of one that is not `null`.
            Statement::Length { to, array } | Statement::LoadElement { to, array, .. } => {
                touch(Some(variable(to)), self.source(*array))
            }
            Statement::StoreElement { array, .. } => touch(None, self.source(*array)),
            Statement::NewArray { .. } => return Err("arrays are not followed".to_owned()),
        })
    }

    fn unary(&self, to: &VarId, operator: UnaryOperator, operand: Operand) -> Action {
        let to_row = row(to.index());
        match self.number(*to) {
            Some(number) => {
                Action::Compute(to_row, Operation::Unary(operator, self.source(operand), number))
            }
            None => Action::Copy(to_row, Source::Any),
        }
    }

    fn binary(
        &self,
        to: &VarId,
        operator: Operator,
        left: Operand,
        right: Operand,
    ) -> Result<Action, String> {
        let (to_row, left, right) = (row(to.index()), self.source(left), self.source(right));
        // What a whole number is that a variable holds is seen when it is there.
        let is_seen = matches!(right, Source::Variable(_)) && self.number(*to).is_some();
        if matches!(operator, Operator::Divide | Operator::Remainder)
            && !matches!(right, Source::Integer(number) if number != 0)
            && !is_seen
        {
            return Err("a division by something that may be zero".to_owned());
        }
        Ok(match self.number(*to) {
            Some(number) => {
                Action::Compute(to_row, Operation::Binary(operator, left, right, number))
            }
            None => Action::Copy(to_row, Source::Any),
        })
    }

    fn call(&self, to: Option<&VarId>, call: &Call) -> Result<Action, String> {
        let to = to.map(|it| row(it.index()));
        let arguments: Vec<Source> = self
            .body
            .operands(&call.arguments)
            .iter()
            .map(|operand| self.source(*operand))
            .collect();
        let receiver = call.dispatch != Dispatch::Static;
        match self.world.callee(call) {
            Callee::Procedure(callee) => {
                Ok(Action::Call { to, callee: Called::One(callee), arguments, receiver })
            }
            Callee::ByType(all) => {
                Ok(Action::Call { to, callee: Called::ByType(all), arguments, receiver })
            }
            Callee::Free => match arguments[..] {
                [object] => Ok(Action::Free(object)),
                _ => Err("`free` takes one object".to_owned()),
            },
            Callee::Pure | Callee::Nothing => Ok(match (to, arguments.first()) {
                (to, Some(&object)) if receiver => Action::Touch { to, object, trusted: true },
                (Some(to), _) => Action::Copy(to, Source::Any),
                (None, _) => nothing(),
            }),
            Callee::Hole(why) => Err(why),
        }
    }

    fn jump(
        &mut self,
        jump: &Jump,
        ((block, behind), place): ((BlockId, usize), Place),
        caught: bool,
    ) {
        let (at, source) = ((block, behind, 0), place);
        let place = (at, source);
        match jump {
            Jump::Goto(_) => {}
            Jump::Branch { test, yes, no } => {
                let (left, right) = (self.source(test.left), self.source(test.right));
                let (yes, no) = (self.follow(*yes), self.follow(*no));
                let (relation, left, right, swapped) = match test.comparison {
                    Comparison::Equal => (Relation::Equal, left, right, false),
                    Comparison::NotEqual => (Relation::Equal, left, right, true),
                    Comparison::Less => (Relation::Less, left, right, false),
                    Comparison::LessEqual => (Relation::LessEqual, left, right, false),
                    Comparison::Greater => (Relation::Less, right, left, false),
                    Comparison::GreaterEqual => (Relation::LessEqual, right, left, false),
                };
                let (next, otherwise) = if swapped { (no, yes) } else { (yes, no) };
                let action = match (left, right) {
                    (Source::Any, Source::Any) if !self.world.blank() => {
                        Action::Choose { otherwise }
                    }
                    _ => Action::Test { relation, left, right, otherwise },
                };
                self.push(action, next, place, caught);
            }
            Jump::Switch { on, cases, otherwise } => {
                let (left, relation) = (self.source(*on), Relation::Equal);
                let last = self.follow(*otherwise);
                for (position, &(number, to)) in cases.iter().enumerate() {
                    let place = ((block, behind, position), source);
                    let next_line = row(self.lines.len()) + 1;
                    let otherwise = if position + 1 == cases.len() { last } else { next_line };
                    let right = Source::Integer(number);
                    let action = Action::Test { relation, left, right, otherwise };
                    self.push(action, self.follow(to), place, caught);
                }
                if cases.is_empty() {
                    self.push(nothing(), last, place, caught);
                }
            }
            Jump::Return(value) => {
                let value = value.map(|it| self.source(it));
                self.push(Action::Return(value), 0, place, caught);
            }
            Jump::Throw(thrown) => {
                let new = matches!(thrown, Operand::Variable(it) if self.is_new(*it));
                self.push(Action::Throw { new }, 0, place, caught);
            }
        }
    }
}

/// Something of an object that heaps do not keep.
fn touch(to: Option<u32>, object: Source) -> Action {
    Action::Touch { to, object, trusted: false }
}

/// A step that does nothing.
fn nothing() -> Action {
    Action::Touch { to: None, object: Source::Any, trusted: true }
}

fn row(number: usize) -> u32 {
    u32::try_from(number).expect("procedures are small")
}

/// Puts a line before all others.
fn rotate(lines: &mut Vec<Line>, first: Line) {
    lines.insert(0, first);
    for line in lines {
        line.next += 1;
        line.handler = line.handler.map(|(to, variable)| (to + 1, variable));
        if let Action::Test { otherwise, .. } | Action::Choose { otherwise } = &mut line.action {
            *otherwise += 1;
        }
    }
}

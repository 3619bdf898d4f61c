//! The part of `tern-ir` that heaps are followed through, as numbered lines, and which variables
//! are still read.
//!
//! Taken are copies, constants, `new`, fields of objects, calls of procedures with a body, tests
//! for equality, returns and throws without handlers. Everything else is named and refused: nothing
//! is skipped. Each line is one step; a jump that only goes elsewhere takes none.
//!
//! Variables that were never written are `null`, 0 or `false`.

use crate::graph::{SelectorId, TypeId};
use crate::types::Types;
use std::collections::BTreeSet;
use tern_ir::{
    BlockId, Body, Comparison, Constant, Jump, Operand, Place, ProcId, Program, Statement, Type,
};
use tern_model::index::{Id, Table};

/// Something that can be read at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A variable.
    Variable(u32),
    /// No object.
    Null,
    /// A number or truth value.
    Integer(i64),
    /// Any number or truth value.
    Any,
}

/// What a line does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// `to = from`
    Copy(u32, Source),
    /// `to = new kind`
    New(u32, TypeId),
    /// `to = object.selector`
    Load(u32, Source, SelectorId),
    /// `object.selector = value`
    Store(Source, SelectorId, Source),
    /// `to = callee(arguments)`
    Call {
        /// What is written, if anything.
        to: Option<u32>,
        /// Who is called.
        callee: ProcId,
        /// With what.
        arguments: Vec<Source>,
    },
    /// `left == right`; goes on at `next` if so, else at `otherwise`.
    Test {
        /// The left side.
        left: Source,
        /// The right side.
        right: Source,
        /// Where it goes on if they differ.
        otherwise: u32,
    },
    /// Either way: on at `next` or at `otherwise`.
    Choose {
        /// The other way.
        otherwise: u32,
    },
    /// The procedure returns.
    Return(Option<Source>),
    /// An exception is thrown, which nobody takes.
    Throw,
    /// Nothing, for ever.
    Stay,
}

/// One step of a procedure.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it does.
    pub action: Action,
    /// Where it goes on.
    pub next: u32,
    /// Where it stands in the source.
    pub place: Place,
    /// The variables that may be read from here on before they are written.
    pub live: BTreeSet<u32>,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// The type of the objects it refers to; `None` for numbers.
    pub kind: Option<TypeId>,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Method {
    /// Its name.
    pub name: String,
    /// How many of the variables are parameters.
    pub parameters: usize,
    /// The variables.
    pub locals: Vec<Local>,
    /// The lines; the first is where it begins.
    pub lines: Vec<Line>,
    /// Whether it or something that it calls makes objects.
    pub allocates: bool,
    /// The type of what it returns, if that is a reference.
    pub returns: Option<TypeId>,
}

/// All procedures of a program.
#[derive(Clone, Debug)]
pub struct Code {
    /// The procedures, with the numbers they have in the program.
    pub methods: Table<ProcId, Method>,
    /// Whether nothing is left to chance: each input has one run.
    pub deterministic: bool,
}

/// Takes a program.
///
/// # Errors
/// What lies outside, with the procedure and the place.
pub fn code(program: &Program, types: &Types) -> Result<Code, Vec<String>> {
    let (mut methods, mut problems) = (Table::new(), Vec::new());
    for (id, procedure) in program.procedures().iter() {
        let name = program.title(id);
        let Some(body) = &procedure.body else {
            problems.push(format!("`{name}` has no body"));
            continue;
        };
        let mut lowering = Lowering { program, types, body, starts: Vec::new() };
        match lowering.method(name, procedure.selector) {
            Ok(method) => {
                methods.push(method);
            }
            Err(problem) => problems.push(format!("`{}`: {problem}", program.title(id))),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    find_allocations(&mut methods);
    methods.iter_mut().for_each(|(_, method)| find_live(method));
    let any = |source: &Source| *source == Source::Any;
    let chance = |line: &Line| match &line.action {
        Action::Choose { .. } => true,
        Action::Copy(_, source) | Action::Return(Some(source)) => any(source),
        Action::Call { arguments, .. } => arguments.iter().any(any),
        Action::Test { left, right, .. } => any(left) || any(right),
        _ => false,
    };
    let lines = methods.as_slice().iter().flat_map(|method| &method.lines);
    let deterministic = !lines.into_iter().any(chance);
    Ok(Code { methods, deterministic })
}

struct Lowering<'a> {
    program: &'a Program,
    types: &'a Types,
    body: &'a Body,
    /// For each block, its first line.
    starts: Vec<u32>,
}

impl Lowering<'_> {
    fn method(&mut self, name: String, selector: tern_ir::SelectorId) -> Result<Method, String> {
        let mut count = 0;
        for (_, block) in self.body.blocks.iter() {
            self.starts.push(count);
            count += block.statements.end - block.statements.start;
            count += u32::from(!matches!(block.jump, Jump::Goto(_)));
        }
        // A place to stay, for jumps in a circle.
        let stay = count;
        let mut lines = Vec::new();
        for (id, block) in self.body.blocks.iter() {
            if !self.body.handlers(id).is_empty() {
                return Err("it has handlers of exceptions".to_owned());
            }
            let last = match block.jump {
                Jump::Goto(to) => self.follow(to, stay),
                _ => self.starts[id.index()] + (block.statements.end - block.statements.start),
            };
            let statements: Vec<_> = self.body.statements(id).collect();
            let len = statements.len();
            for (position, (statement, place)) in statements.into_iter().enumerate() {
                let here = self.starts[id.index()] + u32::try_from(position).expect("few");
                let next = if position + 1 == len { last } else { here + 1 };
                let action = self.statement(statement).map_err(|what| at(&what, place))?;
                lines.push(Line { action, next, place, live: BTreeSet::new() });
            }
            let place = block.place;
            if let Some((action, next)) =
                self.jump(&block.jump, stay).map_err(|what| at(&what, place))?
            {
                lines.push(Line { action, next, place, live: BTreeSet::new() });
            }
        }
        let place = Place::default();
        lines.push(Line { action: Action::Stay, next: stay, place, live: BTreeSet::new() });
        // The first line is where it begins.
        let first = self.follow(BlockId::new(0), stay);
        let entry = Line { live: BTreeSet::new(), ..lines[first as usize].clone() };
        let locals = self.body.variables.as_slice().iter().map(|variable| Local {
            name: variable.name.map_or("", |name| self.program.text(name)).to_owned(),
            kind: self.kind(variable.ty),
        });
        let result = self.program.selectors()[selector].result;
        let mut method = Method {
            name,
            parameters: self.body.parameters,
            locals: locals.collect(),
            lines,
            allocates: false,
            returns: self.kind(result),
        };
        if first != 0 {
            // Line 0 may be reached otherwise, so the procedure begins with a copy of another.
            rotate(&mut method.lines, entry);
        }
        Ok(method)
    }

    fn kind(&self, ty: tern_ir::TypeId) -> Option<TypeId> {
        match self.program.types()[ty] {
            Type::Reference(name) => self.types.kind(self.program.text(name)),
            _ => None,
        }
    }

    /// The first line at or behind a block; jumps in a circle stay.
    fn follow(&self, mut block: BlockId, stay: u32) -> u32 {
        for _ in 0..=self.body.blocks.len() {
            let it = &self.body.blocks[block];
            match it.jump {
                Jump::Goto(to) if it.statements.is_empty() => block = to,
                _ => return self.starts[block.index()],
            }
        }
        stay
    }

    fn source(&self, operand: Operand) -> Result<Source, String> {
        Ok(match operand {
            Operand::Variable(variable) => {
                Source::Variable(u32::try_from(variable.index()).expect("few"))
            }
            Operand::Constant(constant) => match self.program.constants()[constant] {
                Constant::Null => Source::Null,
                Constant::Any => Source::Any,
                Constant::Integer(number) => {
                    Source::Integer(i64::try_from(number).map_err(|_| "a number is too large")?)
                }
                _ => return Err("a constant is neither a number nor null".to_owned()),
            },
        })
    }

    fn selector(&self, field: tern_ir::FieldId) -> Result<SelectorId, String> {
        let field = &self.program.fields()[field];
        let class = self.program.text(field.class);
        let kind = self.types.kind(class).ok_or_else(|| format!("there is no type `{class}`"))?;
        let name = self.program.text(field.name);
        self.types
            .selector(kind, name)
            .ok_or_else(|| format!("`{class}` has no reference `{name}`"))
    }

    fn statement(&self, statement: &Statement) -> Result<Action, String> {
        let variable = |it: &tern_ir::VarId| u32::try_from(it.index()).expect("few");
        Ok(match statement {
            Statement::Copy { to, from } => Action::Copy(variable(to), self.source(*from)?),
            Statement::New { to, class } => {
                let class = self.program.text(*class);
                let kind = self.types.kind(class);
                Action::New(
                    variable(to),
                    kind.ok_or_else(|| format!("there is no type `{class}`"))?,
                )
            }
            Statement::Load { to, object: Some(object), field } => {
                Action::Load(variable(to), self.source(*object)?, self.selector(*field)?)
            }
            Statement::Store { object: Some(object), field, value } => {
                Action::Store(self.source(*object)?, self.selector(*field)?, self.source(*value)?)
            }
            Statement::Call { to, call } => {
                let callee = self.program.find_procedure(None, call.selector);
                let callee = callee.ok_or("a procedure that is called is not there")?;
                let arguments = self.body.operands(&call.arguments).iter();
                let arguments = arguments.map(|it| self.source(*it)).collect::<Result<_, _>>()?;
                Action::Call { to: to.as_ref().map(variable), callee, arguments }
            }
            _ => return Err("a statement is not taken".to_owned()),
        })
    }

    fn jump(&self, jump: &Jump, stay: u32) -> Result<Option<(Action, u32)>, String> {
        Ok(match jump {
            Jump::Goto(_) => None,
            Jump::Branch { test, yes, no } => {
                let (left, right) = (self.source(test.left)?, self.source(test.right)?);
                let (yes, no) = (self.follow(*yes, stay), self.follow(*no, stay));
                let (next, otherwise) = match test.comparison {
                    Comparison::Equal => (yes, no),
                    Comparison::NotEqual => (no, yes),
                    _ => return Err("a comparison is not for equality".to_owned()),
                };
                Some(match (left, right) {
                    (Source::Any, Source::Any) => (Action::Choose { otherwise }, next),
                    _ => (Action::Test { left, right, otherwise }, next),
                })
            }
            Jump::Return(value) => {
                let value = value.map(|it| self.source(it)).transpose()?;
                Some((Action::Return(value), 0))
            }
            Jump::Throw(_) => Some((Action::Throw, 0)),
            Jump::Switch { .. } => return Err("a switch is not taken".to_owned()),
        })
    }
}

fn at(what: &str, place: Place) -> String {
    format!("line {}: {what}", place.line)
}

/// Puts a line before all others.
fn rotate(lines: &mut Vec<Line>, first: Line) {
    lines.insert(0, first);
    for line in lines {
        line.next += 1;
        if let Action::Test { otherwise, .. } | Action::Choose { otherwise } = &mut line.action {
            *otherwise += 1;
        }
    }
}

impl Line {
    /// Calls `visit` with the lines that may come next in the procedure.
    pub fn successors(&self, mut visit: impl FnMut(u32)) {
        match self.action {
            Action::Return(_) | Action::Throw => {}
            Action::Test { otherwise, .. } | Action::Choose { otherwise } => {
                visit(self.next);
                visit(otherwise);
            }
            _ => visit(self.next),
        }
    }

    fn reads(&self) -> Vec<u32> {
        let sources: Vec<Source> = match &self.action {
            Action::Copy(_, source) => vec![*source],
            Action::Load(_, object, _) => vec![*object],
            Action::Store(object, _, value) => vec![*object, *value],
            Action::Call { arguments, .. } => arguments.clone(),
            Action::Test { left, right, .. } => vec![*left, *right],
            Action::Return(value) => value.iter().copied().collect(),
            Action::New(..) | Action::Choose { .. } | Action::Throw | Action::Stay => Vec::new(),
        };
        let variable = |source: Source| match source {
            Source::Variable(variable) => Some(variable),
            _ => None,
        };
        sources.into_iter().filter_map(variable).collect()
    }

    /// The variable that it writes.
    pub fn writes(&self) -> Option<u32> {
        match self.action {
            Action::Copy(to, _) | Action::New(to, _) | Action::Load(to, ..) => Some(to),
            Action::Call { to, .. } => to,
            _ => None,
        }
    }
}

/// Which variables may be read before they are written, from each line on: the least solution.
fn find_live(method: &mut Method) {
    loop {
        let mut changed = false;
        for number in (0..method.lines.len()).rev() {
            let mut live = BTreeSet::new();
            method.lines[number].successors(|next| live.extend(&method.lines[next as usize].live));
            let line = &mut method.lines[number];
            line.writes().iter().for_each(|written| {
                live.remove(written);
            });
            live.extend(line.reads());
            changed |= live != line.live;
            line.live = live;
        }
        if !changed {
            return;
        }
    }
}

fn find_allocations(methods: &mut Table<ProcId, Method>) {
    loop {
        let allocates = |method: &Method| {
            method.lines.iter().any(|line| match line.action {
                Action::New(..) => true,
                Action::Call { callee, .. } => methods[callee].allocates,
                _ => false,
            })
        };
        let new = methods.iter().find(|(_, it)| !it.allocates && allocates(it)).map(|(id, _)| id);
        match new {
            Some(id) => methods[id].allocates = true,
            None => return,
        }
    }
}

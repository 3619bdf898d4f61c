//! Programs of `tern-ir`, run on concrete heaps.
//!
//! One step is a statement, a test, a value of a switch that is compared, a return or a throw;
//! jumps that only go elsewhere take none, nor do calls that do nothing. Before the first step the
//! checked procedure is not called yet. What is not known (a field that heaps do not keep, what
//! other code returns) may be copied and not more: whoever looks at it is stuck.

use super::numbers::{binary, compared, number, unary};
use super::{Callee, Input, Start, Task, is_end};
use std::collections::{BTreeMap, BTreeSet};
use tern_ir::{
    BlockId, Body, Call, Comparison, Constant, Dispatch, Jump, Operand, ProcId, Program, Statement,
    Type, VarId,
};
use tern_model::index::Id;

/// Why a run cannot be followed any further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck(pub String);

pub(super) fn stuck<T>(why: &str) -> Result<T, Stuck> {
    Err(Stuck(why.to_owned()))
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// No object.
    Null,
    /// An object.
    Object(usize),
    /// A number.
    Integer(i64),
    /// Something of which nothing is known.
    Unknown,
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its type.
    pub kind: String,
    /// Where its fields lead.
    pub fields: BTreeMap<String, Option<usize>>,
    /// Whether it was freed.
    pub freed: bool,
}

/// All objects that were ever made.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    /// The objects.
    pub objects: Vec<Object>,
}

impl Heap {
    /// What can be reached from an object, itself included.
    pub fn reached(&self, from: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(object) = open.pop() {
            if reached.insert(object) {
                open.extend(self.objects[object].fields.values().flatten());
            }
        }
        reached
    }
}

/// Where a run is as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// The checked procedure is not called yet.
    Begins,
    /// A procedure runs.
    Runs,
    /// The checked procedure has returned this.
    Returned(Option<Value>),
    /// A field of `null` was looked at.
    NullDereference,
    /// Something was thrown.
    Thrown,
    /// A field of a freed object was looked at.
    UseAfterFree,
    /// A freed object was freed.
    DoubleFree,
}

/// A procedure that runs: its block, the statement in it (the jump is behind the last), the case of
/// a switch, and its variables.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The procedure.
    pub procedure: ProcId,
    block: BlockId,
    at: usize,
    case: usize,
    /// The variables.
    pub variables: Vec<Option<Value>>,
}

/// What must be the same for runs to go on in the same way: places, values with objects numbered as
/// they are found, and their fields.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(Vec<String>);

/// A run.
pub struct Interpreter<'a> {
    /// What is run.
    pub task: &'a Task<'a>,
    /// The heap.
    pub heap: Heap,
    /// The heap at the beginning.
    pub first: Heap,
    /// What the parameters were.
    pub values: Vec<Value>,
    /// The object that `elem` is.
    pub element: Option<usize>,
    /// The frames, that on top last.
    pub frames: Vec<Frame>,
    /// Where it is.
    pub mode: Mode,
    /// Whether the last step has lost an object.
    pub lost: bool,
    /// Objects that something led to before the last step.
    known: BTreeSet<usize>,
}

/// Whether code goes either way somewhere.
pub(super) fn leaves_open(program: &Program, body: &Body) -> bool {
    let is_any = |operand: &Operand| match operand {
        Operand::Constant(it) => program.constants()[*it] == Constant::Any,
        Operand::Variable(_) => false,
    };
    body.blocks.as_slice().iter().any(|block| match &block.jump {
        Jump::Branch { test, .. } => is_any(&test.left) || is_any(&test.right),
        _ => false,
    })
}

/// The next place at or behind one that takes a step; jumps in a circle lead to one of them.
pub(super) fn slide(
    task: &Task<'_>,
    body: &Body,
    (mut block, mut at): (BlockId, usize),
) -> (BlockId, usize) {
    for _ in 0..=body.blocks.len() + body.statements.len() {
        let statement = body.statements(block).nth(at).map(|(statement, _)| statement);
        match (statement, &body.blocks[block].jump) {
            (Some(Statement::Call { call, .. }), _)
                if task.meaning.callee(call) == Callee::Nothing =>
            {
                at += 1;
            }
            (None, Jump::Goto(to)) => (block, at) = (*to, 0),
            _ => break,
        }
    }
    (block, at)
}

impl<'a> Interpreter<'a> {
    /// A run before its first step.
    pub fn new(task: &'a Task<'a>, input: &Input) -> Self {
        let objects = input.objects.iter().map(|kind| Object {
            kind: kind.clone(),
            fields: BTreeMap::new(),
            freed: false,
        });
        let mut heap = Heap { objects: objects.collect() };
        for (object, name, to) in &input.fields {
            if let Some(object) = heap.objects.get_mut(*object) {
                object.fields.insert(name.clone(), *to);
            }
        }
        let values = input.values.iter().map(|value| match value {
            Start::Null => Value::Null,
            Start::Object(object) => Value::Object(*object),
            Start::Integer(number) => Value::Integer(*number),
        });
        let known = (0..heap.objects.len()).collect();
        Interpreter {
            task,
            first: heap.clone(),
            heap,
            values: values.collect(),
            element: input.element,
            frames: Vec::new(),
            mode: Mode::Begins,
            lost: false,
            known,
        }
    }

    /// Whether nothing happens any more.
    pub fn has_ended(&self) -> bool {
        is_end(&self.mode)
    }

    /// How many procedures run.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// What the procedure on top is called, and the line of what it does next.
    pub fn place(&self) -> Option<(String, u32)> {
        let frame = self.frames.last()?;
        let body = self.body(frame.procedure).ok()?;
        let place = match body.statements(frame.block).nth(frame.at) {
            Some((_, place)) => place,
            None => body.blocks[frame.block].place,
        };
        let names = &self.task.names;
        let name = names.iter().find(|(_, id)| **id == frame.procedure);
        Some((name.map_or(String::new(), |(name, _)| name.clone()), place.line))
    }

    /// The variables that have a name: of the procedure on top; before it is called the parameters;
    /// at the end what is returned.
    pub fn visible(&self) -> Vec<(String, Value)> {
        let names = |procedure: ProcId| self.task.locals.get(&procedure).cloned();
        match (self.mode, self.frames.last()) {
            (Mode::Begins, _) => {
                let names = names(self.task.checked).unwrap_or_default();
                names.into_iter().zip(self.values.iter().copied()).collect()
            }
            (Mode::Returned(value), _) => {
                value.map(|value| ("return".to_owned(), value)).into_iter().collect()
            }
            (_, Some(frame)) => {
                let names = names(frame.procedure).unwrap_or_default().into_iter();
                let values = frame.variables.iter().copied();
                let known = names.zip(values).filter(|(name, _)| !name.is_empty());
                known.filter_map(|(name, value)| Some((name, value?))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The run as a whole, without the names of objects that nothing leads to.
    pub fn key(&self) -> Key {
        let mut roots: Vec<Option<Value>> = self.values.iter().copied().map(Some).collect();
        roots.push(self.element.map(Value::Object));
        self.described(&self.frames, &roots)
    }

    /// What the frame on top sees.
    pub fn view(&self) -> Key {
        self.described(&self.frames[self.frames.len().saturating_sub(1)..], &[])
    }

    fn described(&self, frames: &[Frame], roots: &[Option<Value>]) -> Key {
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let mut order: Vec<usize> = Vec::new();
        let mut lines = vec![format!("{:?} {}", self.mode, self.lost)];
        let mut show = |value: &Option<Value>, order: &mut Vec<usize>| match value {
            Some(Value::Object(object)) => {
                let next = numbers.len();
                let number = *numbers.entry(*object).or_insert_with(|| {
                    order.push(*object);
                    next
                });
                format!("o{number}")
            }
            other => format!("{other:?}"),
        };
        for frame in frames {
            let mut line = format!(
                "{} {} {} {}:",
                frame.procedure.index(),
                frame.block.index(),
                frame.at,
                frame.case
            );
            for value in &frame.variables {
                line += &format!(" {}", show(value, &mut order));
            }
            lines.push(line);
        }
        lines.push(roots.iter().map(|it| show(it, &mut order) + " ").collect());
        let mut next = 0;
        while let Some(&object) = order.get(next) {
            next += 1;
            let object = &self.heap.objects[object];
            let mut line = format!("{} {}", object.kind, object.freed);
            for (name, to) in &object.fields {
                line += &format!(" {name}={}", show(&to.map(Value::Object), &mut order));
            }
            lines.push(line);
        }
        Key(lines)
    }

    /// One step. Choices are asked for where the program goes either way.
    ///
    /// # Errors
    /// Why it cannot be made.
    pub fn step(&mut self, choose: &mut dyn FnMut() -> Option<bool>) -> Result<(), Stuck> {
        if self.has_ended() {
            self.lost = false;
            return Ok(());
        }
        if self.mode == Mode::Begins {
            self.mode = Mode::Runs;
            self.enter(self.task.checked, self.values.clone())?;
        } else {
            self.act(choose)?;
            if self.mode == Mode::Runs {
                self.slide()?;
            }
        }
        self.find_lost();
        Ok(())
    }

    fn enter(&mut self, procedure: ProcId, values: Vec<Value>) -> Result<(), Stuck> {
        let Some(body) = &self.task.program.procedures()[procedure].body else {
            return stuck("a procedure has no code");
        };
        if values.len() != body.parameters || body.blocks.is_empty() {
            return stuck("a procedure takes other arguments");
        }
        let types = self.task.program.types();
        let blank = |variable: &tern_ir::Variable| match types[variable.ty] {
            _ if self.task.blank => None,
            Type::Reference(_) | Type::Array(_) | Type::Unknown => Some(Value::Null),
            _ => Some(Value::Integer(0)),
        };
        let mut variables: Vec<Option<Value>> =
            body.variables.as_slice().iter().map(blank).collect();
        for (number, value) in values.into_iter().enumerate() {
            variables[number] = Some(value);
        }
        let block = BlockId::new(0);
        self.frames.push(Frame { procedure, block, at: 0, case: 0, variables });
        self.slide()
    }

    fn body(&self, procedure: ProcId) -> Result<&'a Body, Stuck> {
        let body = self.task.program.procedures()[procedure].body.as_ref();
        body.ok_or_else(|| Stuck("a procedure has no code".to_owned()))
    }

    /// Goes on over what takes no step.
    fn slide(&mut self) -> Result<(), Stuck> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let body = self.body(frame.procedure)?;
        let (block, at) = slide(self.task, body, (frame.block, frame.at));
        if let Some(frame) = self.frames.last_mut() {
            (frame.block, frame.at) = (block, at);
        }
        Ok(())
    }

    fn value(&self, operand: Operand) -> Result<Value, Stuck> {
        match operand {
            Operand::Variable(variable) => {
                let frame = self.frames.last();
                let value = frame.and_then(|it| it.variables.get(variable.index()).copied());
                match value.flatten() {
                    Some(value) => Ok(value),
                    None => stuck("a variable is read that has no value"),
                }
            }
            Operand::Constant(constant) => Ok(match self.task.program.constants()[constant] {
                Constant::Null => Value::Null,
                Constant::Integer(number) => {
                    i64::try_from(number).map_or(Value::Unknown, Value::Integer)
                }
                _ => Value::Unknown,
            }),
        }
    }

    fn write(&mut self, to: VarId, value: Value) {
        if let Some(frame) = self.frames.last_mut() {
            frame.variables[to.index()] = Some(value);
        }
    }

    fn advance(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.at += 1;
        }
    }

    fn end(&mut self, mode: Mode) -> Result<(), Stuck> {
        let thrown = matches!(mode, Mode::NullDereference | Mode::Thrown);
        for frame in &self.frames {
            if thrown && !self.body(frame.procedure)?.handlers(frame.block).is_empty() {
                return stuck("what is thrown may be caught");
            }
        }
        self.mode = mode;
        Ok(())
    }

    /// The object of a reference whose field is looked at; nothing if the run has ended by that.
    fn object(&mut self, operand: Operand) -> Result<Option<usize>, Stuck> {
        match self.value(operand)? {
            Value::Null => self.end(Mode::NullDereference).map(|()| None),
            Value::Object(object) if self.heap.objects[object].freed => {
                self.end(Mode::UseAfterFree).map(|()| None)
            }
            Value::Object(object) => Ok(Some(object)),
            Value::Integer(_) => stuck("a number is used as an object"),
            Value::Unknown => stuck("nothing is known of an object that is used"),
        }
    }

    fn act(&mut self, choose: &mut dyn FnMut() -> Option<bool>) -> Result<(), Stuck> {
        let Some(frame) = self.frames.last() else { return stuck("nothing runs") };
        let body = self.body(frame.procedure)?;
        let (block, at) = (frame.block, frame.at);
        match body.statements(block).nth(at) {
            Some((statement, _)) => self.statement(body, statement),
            None => self.jump(&body.blocks[block].jump, choose),
        }
    }

    fn statement(&mut self, body: &'a Body, statement: &'a Statement) -> Result<(), Stuck> {
        let program = self.task.program;
        match statement {
            Statement::Copy { to, from } => {
                let value = self.value(*from)?;
                self.write(*to, value);
            }
            Statement::New { to, class } => {
                let value = match self.task.meaning.kind(program.text(*class)) {
                    Some(kind) => Value::Object(self.make(kind)),
                    None => Value::Unknown,
                };
                self.write(*to, value);
            }
            Statement::Load { to, object: Some(object), field } => {
                let field = &program.fields()[*field];
                let name = program.text(field.name);
                let Some(object) = self.object(*object)? else { return Ok(()) };
                let value = match self.task.meaning.keeps(field) {
                    Some(true) => match self.heap.objects[object].fields.get(name) {
                        Some(to) => to.map_or(Value::Null, Value::Object),
                        None => return stuck("an object has no such field"),
                    },
                    Some(false) => Value::Unknown,
                    None => return stuck("a field of several types of objects"),
                };
                self.write(*to, value);
            }
            Statement::Store { object: Some(object), field, value } => {
                let field = &program.fields()[*field];
                let name = program.text(field.name).to_owned();
                let value = self.value(*value)?;
                let Some(object) = self.object(*object)? else { return Ok(()) };
                match (self.task.meaning.keeps(field), value) {
                    (Some(false), _) => {}
                    (Some(true), Value::Null | Value::Object(_)) => {
                        let to = match value {
                            Value::Object(to) => Some(to),
                            _ => None,
                        };
                        if self.heap.objects[object].fields.insert(name, to).is_none() {
                            return stuck("an object has no such field");
                        }
                    }
                    _ => return stuck("something is stored of which nothing is known"),
                }
            }
            Statement::Load { to, object: None, .. } => self.write(*to, Value::Unknown),
            Statement::Store { object: None, .. } => {}
            Statement::Unary { to, operator, operand } => {
                let value = self.value(*operand)?;
                let value = unary(self.number(body, *to), *operator, value);
                self.write(*to, value);
            }
            Statement::Binary { to, operator, left, right } => {
                let (left, right) = (self.value(*left)?, self.value(*right)?);
                let value = binary(self.number(body, *to), *operator, left, right)?;
                self.write(*to, value);
            }
            Statement::Cast { to, from, ty } => {
                let value = self.value(*from)?;
                match value {
                    Value::Null => {}
                    Value::Object(_) if self.is_of(value, *ty) => {}
                    _ => return stuck("a cast that may not succeed"),
                }
                self.write(*to, value);
            }
            Statement::InstanceOf { to, from, ty } => {
                let value = match self.value(*from)? {
                    Value::Unknown => Value::Unknown,
                    value => Value::Integer(self.is_of(value, *ty).into()),
                };
                self.write(*to, value);
            }
            Statement::Monitor { object, .. } => {
                if self.object(*object)?.is_none() {
                    return Ok(());
                }
            }
            Statement::Call { to, call } => return self.call(body, *to, call),
            Statement::LoadElement { array, .. }
            | Statement::StoreElement { array, .. }
            | Statement::Length { array, .. } => match self.value(*array)? {
                Value::Null => self.end(Mode::NullDereference)?,
                _ => return stuck("arrays are not followed"),
            },
            Statement::NewArray { .. } => return stuck("arrays are not followed"),
        }
        if self.mode == Mode::Runs {
            self.advance();
        }
        Ok(())
    }

    fn make(&mut self, kind: String) -> usize {
        let fields = self.task.types.get(&kind).into_iter().flatten();
        let fields = fields.map(|name| (name.clone(), None)).collect();
        self.heap.objects.push(Object { kind, fields, freed: false });
        self.heap.objects.len() - 1
    }

    fn is_of(&self, value: Value, ty: tern_ir::TypeId) -> bool {
        match (value, self.task.program.types()[ty]) {
            (Value::Object(object), Type::Reference(class)) => {
                let kind = &self.heap.objects[object].kind;
                self.task.meaning.is_of(kind, self.task.program.text(class))
            }
            _ => false,
        }
    }

    fn number(&self, body: &Body, to: VarId) -> Option<(u8, bool)> {
        number(self.task.program, body, to)
    }

    fn call(&mut self, body: &Body, to: Option<VarId>, call: &Call) -> Result<(), Stuck> {
        let operands = body.operands(&call.arguments);
        let values: Result<Vec<Value>, Stuck> = operands.iter().map(|it| self.value(*it)).collect();
        let values = values?;
        let has_receiver = call.dispatch != Dispatch::Static;
        if has_receiver && values.first() == Some(&Value::Null) {
            return self.end(Mode::NullDereference);
        }
        match self.task.meaning.callee(call) {
            Callee::Procedure(procedure) => {
                if has_receiver && values.first() == Some(&Value::Unknown) {
                    return stuck("nothing is known of an object that is used");
                }
                return self.enter(procedure, values);
            }
            Callee::Nothing => {}
            Callee::Pure => {
                if let Some(to) = to {
                    self.write(to, Value::Unknown);
                }
            }
            Callee::Free => match values[..] {
                [Value::Null] => {}
                [Value::Object(object)] if self.heap.objects[object].freed => {
                    return self.end(Mode::DoubleFree);
                }
                [Value::Object(object)] => {
                    let object = &mut self.heap.objects[object];
                    object.freed = true;
                    object.fields.clear();
                }
                _ => return stuck("something else than an object is freed"),
            },
            Callee::Unknown => return stuck("code is called that is not there"),
        }
        self.advance();
        Ok(())
    }

    fn go(&mut self, block: BlockId) {
        if let Some(frame) = self.frames.last_mut() {
            (frame.block, frame.at, frame.case) = (block, 0, 0);
        }
    }

    fn jump(&mut self, jump: &Jump, choose: &mut dyn FnMut() -> Option<bool>) -> Result<(), Stuck> {
        match jump {
            // Jumps in a circle: nothing happens, for ever.
            Jump::Goto(_) => {}
            Jump::Branch { test, yes, no } => {
                let is_any = |operand: Operand| match operand {
                    Operand::Constant(it) => self.task.program.constants()[it] == Constant::Any,
                    Operand::Variable(_) => false,
                };
                let holds = if is_any(test.left) && is_any(test.right) && !self.task.blank {
                    match choose() {
                        Some(choice) => choice,
                        None => return stuck("nothing says which way is taken"),
                    }
                } else {
                    compared(self.value(test.left)?, test.comparison, self.value(test.right)?)?
                };
                self.go(if holds { *yes } else { *no });
            }
            Jump::Switch { on, cases, otherwise } => {
                let case = self.frames.last().map_or(0, |frame| frame.case);
                let value = self.value(*on)?;
                match cases.get(case) {
                    None => self.go(*otherwise),
                    Some((number, block)) => {
                        if compared(value, Comparison::Equal, Value::Integer(*number))? {
                            self.go(*block);
                        } else if case + 1 == cases.len() {
                            self.go(*otherwise);
                        } else if let Some(frame) = self.frames.last_mut() {
                            frame.case += 1;
                        }
                    }
                }
            }
            Jump::Return(value) => {
                let value = value.map(|it| self.value(it)).transpose()?;
                self.frames.pop();
                let Some(caller) = self.frames.last() else {
                    self.mode = Mode::Returned(value);
                    return Ok(());
                };
                let body = self.body(caller.procedure)?;
                let statement = body.statements(caller.block).nth(caller.at);
                let Some((Statement::Call { to, .. }, _)) = statement else {
                    return stuck("a caller does not call");
                };
                if let (Some(to), Some(value)) = (to, value) {
                    self.write(*to, value);
                }
                self.advance();
            }
            Jump::Throw(_) => return self.end(Mode::Thrown),
        }
        Ok(())
    }

    /// The objects that something leads to.
    pub fn reached(&self) -> BTreeSet<usize> {
        let mut roots: Vec<Value> = self.values.clone();
        for frame in &self.frames {
            roots.extend(frame.variables.iter().flatten());
        }
        if let Mode::Returned(Some(value)) = self.mode {
            roots.push(value);
        }
        roots.extend(self.element.map(Value::Object));
        let mut reached = BTreeSet::new();
        for root in roots {
            if let Value::Object(object) = root
                && !reached.contains(&object)
            {
                reached.extend(self.heap.reached(object));
            }
        }
        reached
    }

    /// Whether an object that was not freed has been lost: nothing leads to it any more.
    fn find_lost(&mut self) {
        let reached = self.reached();
        let mut gone = self.known.iter().filter(|it| !reached.contains(*it));
        let lost = gone.any(|&it| !self.heap.objects[it].freed);
        self.lost = lost;
        self.known = reached;
    }
}

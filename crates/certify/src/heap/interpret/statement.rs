//! What one statement does.

use super::super::Callee;
use super::super::numbers::{binary, fits, number, unary};
use super::{Interpreter, Mode, Object, Stuck, Value, stuck};
use std::collections::BTreeMap;
use tern_ir::{
    BlockId, Body, Call, Constant, Dispatch, Field, Handler, Operand, Program, Statement, Type,
    VarId,
};
use tern_model::index::Id;

/// The handler of a block that takes null dereferences. Handlers of other classes do not.
pub(crate) fn taker<'b>(program: &Program, body: &'b Body, block: BlockId) -> Option<&'b Handler> {
    let takes = |class: &str| {
        let name = class.strip_prefix("java.lang.");
        matches!(
            name,
            Some("NullPointerException" | "RuntimeException" | "Exception" | "Throwable")
        )
    };
    let mut handlers = body.handlers(block).iter();
    handlers.find(|it| it.class.is_none_or(|class| takes(program.text(class))))
}

impl<'a> Interpreter<'a> {
    pub(super) fn value(&self, operand: Operand) -> Result<Value, Stuck> {
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

    pub(super) fn write(&mut self, to: VarId, value: Value) {
        if let Some(frame) = self.frames.last_mut() {
            frame.variables[to.index()] = Some(value);
        }
    }

    pub(super) fn advance(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.at += 1;
        }
    }

    pub(super) fn end(&mut self, mode: Mode) -> Result<(), Stuck> {
        if mode == Mode::NullDereference && self.take_null_dereference()? {
            return Ok(());
        }
        let thrown = matches!(mode, Mode::NullDereference | Mode::Thrown);
        // The handlers on top do not take a null dereference that they have not taken.
        let passed = usize::from(mode == Mode::NullDereference);
        for frame in self.frames.iter().rev().skip(passed) {
            if thrown && !self.body(frame.procedure)?.handlers(frame.block).is_empty() {
                return stuck("what is thrown may be caught");
            }
        }
        self.mode = mode;
        Ok(())
    }

    /// Goes on where the procedure on top takes a null dereference, if it does.
    fn take_null_dereference(&mut self) -> Result<bool, Stuck> {
        let Some(frame) = self.frames.last() else { return Ok(false) };
        let body = self.body(frame.procedure)?;
        let Some(&Handler { variable, block, .. }) = taker(self.task.program, body, frame.block)
        else {
            return Ok(false);
        };
        self.write(variable, Value::Unknown);
        if let Some(frame) = self.frames.last_mut() {
            (frame.block, frame.at, frame.case) = (block, 0, 0);
        }
        self.has_taken = true;
        Ok(true)
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

    pub(super) fn act(&mut self, choose: &mut dyn FnMut() -> Option<bool>) -> Result<(), Stuck> {
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
                let value = match self.task.meaning.made(program.text(*class)) {
                    Some(kind) => Value::Object(self.make(kind)),
                    None => Value::Unknown,
                };
                self.write(*to, value);
            }
            Statement::Load { to, object: Some(object), field } => {
                let Some(object) = self.object(*object)? else { return Ok(()) };
                let value = self.load(object, &program.fields()[*field])?;
                self.write(*to, value);
            }
            Statement::Store { object: Some(object), field, value } => {
                let value = self.value(*value)?;
                let Some(object) = self.object(*object)? else { return Ok(()) };
                self.store(object, &program.fields()[*field], value)?;
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
            // Of an array that was given, the number of elements is known.
            Statement::Length { to, array } if self.count(*array)?.is_some() => {
                let value = self.value(*array)?;
                self.write(*to, value);
            }
            Statement::LoadElement { array, .. }
            | Statement::StoreElement { array, .. }
            | Statement::Length { array, .. } => match self.value(*array)? {
                Value::Null => return self.end(Mode::NullDereference),
                _ => return stuck("arrays are not followed"),
            },
            Statement::NewArray { .. } => return stuck("arrays are not followed"),
        }
        if self.mode == Mode::Runs {
            self.advance();
        }
        Ok(())
    }

    fn load(&self, object: usize, field: &Field) -> Result<Value, Stuck> {
        let (program, object) = (self.task.program, &self.heap.objects[object]);
        let name = program.text(field.name);
        match self.task.meaning.keeps(field) {
            Some(true) => match object.fields.get(name) {
                Some(to) => Ok(to.map_or(Value::Null, Value::Object)),
                None => stuck("an object has no such field"),
            },
            Some(false) if self.task.meaning.counts(field) => {
                let first = object.is_new.then_some(0);
                match object.numbers.get(name).copied().unwrap_or(first) {
                    Some(number) if !fits(program.types()[field.ty], number) => {
                        stuck("a field holds a number that it cannot hold")
                    }
                    number => Ok(number.map_or(Value::Unknown, Value::Integer)),
                }
            }
            Some(false) => Ok(Value::Unknown),
            None => stuck("a field of several types of objects"),
        }
    }

    fn store(&mut self, object: usize, field: &Field, value: Value) -> Result<(), Stuck> {
        let name = self.task.program.text(field.name).to_owned();
        let object = &mut self.heap.objects[object];
        match (self.task.meaning.keeps(field), value) {
            (Some(false), _) if self.task.meaning.counts(field) => {
                let number = match value {
                    Value::Integer(number) => Some(number),
                    _ => None,
                };
                object.numbers.insert(name, number);
            }
            (Some(false), _) => {}
            (Some(true), Value::Null | Value::Object(_)) => {
                let to = match value {
                    Value::Object(to) => Some(to),
                    _ => None,
                };
                if object.fields.insert(name, to).is_none() {
                    return stuck("an object has no such field");
                }
            }
            _ => return stuck("something is stored of which nothing is known"),
        }
        Ok(())
    }

    /// The number that stands for an array of so many elements.
    fn count(&self, array: Operand) -> Result<Option<i64>, Stuck> {
        Ok(match self.value(array)? {
            Value::Integer(count @ 0..) => Some(count),
            _ => None,
        })
    }

    fn make(&mut self, kind: String) -> usize {
        let fields = self.task.types.get(&kind).into_iter().flatten();
        let fields = fields.map(|name| (name.clone(), None)).collect();
        let numbers = BTreeMap::new();
        self.heap.objects.push(Object { kind, fields, numbers, is_new: true, freed: false });
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
        let kind = match values.first() {
            Some(Value::Object(object)) => Some(&*self.heap.objects[*object].kind),
            _ => None,
        };
        match self.task.callee(call, kind) {
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
            Callee::ByType | Callee::Unknown => return stuck("code is called that is not there"),
        }
        self.advance();
        Ok(())
    }
}

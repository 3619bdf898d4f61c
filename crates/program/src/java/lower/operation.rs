//! Instructions, one at a time: what each does to the stack, and the statements it becomes.

use super::method::Lowering;
use super::stack::Slot;
use crate::java::class::{Invoke, Kind, Malformed, Op, Primitive, Switch};
use std::ops::Range;
use tern_ir::{
    BlockId, Call, Comparison, Constant, Dispatch, Jump, NameId, Operand, Operator, SelectorId,
    Statement, Test, Type, TypeId, UnaryOperator,
};
use tern_model::index::Id;

impl Lowering<'_, '_, '_, '_> {
    /// Runs an instruction; if it ends the block, says how.
    pub(crate) fn instruction(&mut self, op: &Op, block: usize) -> Result<Option<Jump>, Malformed> {
        match op {
            Op::IfZero(..)
            | Op::If(..)
            | Op::IfNull(..)
            | Op::Goto(_)
            | Op::Jsr(_)
            | Op::Ret(_)
            | Op::Switch(_)
            | Op::Return(_)
            | Op::Throw => return self.jump(op, block).map(Some),
            Op::Nop => {}
            Op::Null => {
                self.push_constant(Constant::Null, Kind::Reference, self.link.basics.object);
            }
            Op::Int(value) => self.push_integer((*value).into(), Kind::Int),
            Op::Long(value) => self.push_integer((*value).into(), Kind::Long),
            Op::Float(value) => self.push_float((*value).into(), Kind::Float),
            Op::Double(value) => self.push_float(*value, Kind::Double),
            Op::Constant(index) => self.load_constant(*index)?,
            Op::Load(kind, _) => self.load(*kind)?,
            Op::Store(kind, _) => self.store(*kind)?,
            Op::Increment(_, by) => self.increment(*by)?,
            Op::LoadElement(element) => self.load_element(*element)?,
            Op::StoreElement(element) => {
                let value = self.stack.pop(element.map_or(Kind::Reference, Primitive::kind))?;
                let index = self.stack.pop(Kind::Int)?.operand;
                let array = self.stack.pop(Kind::Reference)?.operand;
                self.emit(Statement::StoreElement { array, index, value: value.operand });
            }
            Op::Shuffle(shuffle) => {
                self.unstored(*shuffle)?;
                self.stack.shuffle(*shuffle)?;
            }
            Op::Binary(operator, kind) => self.binary(*operator, *kind)?,
            Op::Negate(kind) => {
                let operand = self.stack.pop(*kind)?.operand;
                let operator = UnaryOperator::Negate;
                let ty = self.link.basics.widest(*kind);
                self.define(*kind, ty, |to| Statement::Unary { to, operator, operand });
            }
            Op::Convert(from, to) => {
                let operand = self.stack.pop(*from)?.operand;
                let operator = UnaryOperator::Convert;
                let ty = self.link.basics.primitive(*to);
                self.define(to.kind(), ty, |to| Statement::Unary { to, operator, operand });
            }
            Op::Compare(kind) => {
                let right = self.stack.pop(*kind)?.operand;
                let left = self.stack.pop(*kind)?.operand;
                let (operator, ty) = (Operator::Compare, self.link.basics.int);
                self.define(Kind::Int, ty, |to| Statement::Binary { to, operator, left, right });
            }
            Op::InvokeDynamic(index) => self.invoke_dynamic(*index)?,
            _ => self.object(op)?,
        }
        Ok(None)
    }

    /// Instructions about objects and arrays.
    fn object(&mut self, op: &Op) -> Result<(), Malformed> {
        match *op {
            Op::GetStatic(index) => self.load_field(index, None)?,
            Op::GetField(index) => {
                let object = self.stack.pop(Kind::Reference)?.operand;
                self.load_field(index, Some(object))?;
            }
            Op::PutStatic(index) => self.store_field(index, false)?,
            Op::PutField(index) => self.store_field(index, true)?,
            Op::Invoke(how, index) => self.invoke(how, index)?,
            Op::New(index) => {
                let class = self.link.class(index)?;
                let ty = self.link.program.ty(Type::Reference(class));
                self.define(Kind::Reference, ty, |to| Statement::New { to, class });
            }
            Op::NewArray(primitive) => {
                let element = self.link.basics.primitive(primitive);
                self.new_array(element, 1)?;
            }
            Op::NewReferences(index) => {
                let element = self.link.class_type(index)?;
                self.new_array(element, 1)?;
            }
            Op::NewArrays(index, dimensions) => {
                let mut element = self.link.class_type(index)?;
                for _ in 0..dimensions {
                    let Type::Array(inner) = self.link.program.types()[element] else {
                        return Err(wrong("an array of fewer dimensions than lengths"));
                    };
                    element = inner;
                }
                self.new_array(element, usize::from(dimensions))?;
            }
            Op::Length => {
                let array = self.stack.pop(Kind::Reference)?.operand;
                let ty = self.link.basics.int;
                self.define(Kind::Int, ty, |to| Statement::Length { to, array });
            }
            Op::Cast(index) => {
                let from = self.stack.pop(Kind::Reference)?.operand;
                let ty = self.link.class_type(index)?;
                self.define(Kind::Reference, ty, |to| Statement::Cast { to, from, ty });
            }
            Op::InstanceOf(index) => {
                let from = self.stack.pop(Kind::Reference)?.operand;
                let ty = self.link.class_type(index)?;
                let boolean = self.link.basics.boolean;
                self.define(Kind::Int, boolean, |to| Statement::InstanceOf { to, from, ty });
            }
            Op::Monitor(enter) => {
                let object = self.stack.pop(Kind::Reference)?.operand;
                self.emit(Statement::Monitor { object, enter });
            }
            _ => return Err(wrong("an instruction that is not known here")),
        }
        Ok(())
    }

    /// Instructions that end a block.
    fn jump(&mut self, op: &Op, block: usize) -> Result<Jump, Malformed> {
        match op {
            Op::IfZero(comparison, _) => {
                let value = self.stack.pop(Kind::Int)?.operand;
                let (left, right) = match self.compared(value)? {
                    Some(pair) => pair,
                    None => (value, self.link.constant(Constant::Integer(0))),
                };
                self.branch(block, *comparison, left, right)
            }
            Op::If(comparison, kind, _) => {
                let right = self.stack.pop(*kind)?.operand;
                let left = self.stack.pop(*kind)?.operand;
                self.branch(block, *comparison, left, right)
            }
            Op::IfNull(comparison, _) => {
                let left = self.stack.pop(Kind::Reference)?.operand;
                let right = self.link.constant(Constant::Null);
                self.branch(block, *comparison, left, right)
            }
            Op::Switch(switch) => self.switch(block, switch),
            Op::Return(kind) => {
                let value = match kind {
                    Some(kind) => Some(self.stack.pop(*kind)?.operand),
                    None => None,
                };
                if *kind != self.link.kind(self.frame.result) {
                    return Err(wrong("what is returned is not what the method returns"));
                }
                if let Some((object, _)) = self.monitor {
                    self.emit(Statement::Monitor { object, enter: false });
                }
                Ok(Jump::Return(value))
            }
            Op::Throw => Ok(Jump::Throw(self.stack.pop(Kind::Reference)?.operand)),
            _ => {
                if let Op::Jsr(_) = op {
                    let operand = self.link.constant(Constant::Any);
                    let ty = self.link.basics.object;
                    self.stack.push(Slot { operand, kind: Kind::Address, ty });
                }
                self.connect(block, &mut [])?;
                Ok(Jump::Goto(self.target(block, 0)))
            }
        }
    }

    fn branch(
        &mut self,
        block: usize,
        comparison: Comparison,
        left: Operand,
        right: Operand,
    ) -> Result<Jump, Malformed> {
        let mut read = [left, right];
        self.connect(block, &mut read)?;
        let test = Test { left: read[0], comparison, right: read[1] };
        Ok(Jump::Branch { test, yes: self.target(block, 0), no: self.target(block, 1) })
    }

    /// The two sides of a comparison of `long`s whose outcome was just computed and is now tested;
    /// the comparison is taken back.
    fn compared(&mut self, value: Operand) -> Result<Option<(Operand, Operand)>, Malformed> {
        let Some(&Statement::Binary { operator: Operator::Compare, left, right, .. }) =
            self.statements.last()
        else {
            return Ok(None);
        };
        let long = self.link.basics.long;
        let is_long = |operand: Operand| match operand {
            Operand::Variable(variable) => self.variables[variable.index()].ty == long,
            Operand::Constant(constant) => {
                matches!(self.link.program.constants()[constant], Constant::Integer(_))
            }
        };
        if !(is_long(left) && is_long(right) && self.last_defines(value)?) {
            return Ok(None);
        }
        self.retract();
        self.forget_newest();
        Ok(Some((left, right)))
    }

    fn switch(&mut self, block: usize, switch: &Switch) -> Result<Jump, Malformed> {
        let mut read = [self.stack.pop(Kind::Int)?.operand];
        self.connect(block, &mut read)?;
        let otherwise = self.target(block, switch.cases.len());
        let cases = switch.cases.iter().enumerate();
        let cases = cases.map(|(edge, &(value, _))| (i64::from(value), self.target(block, edge)));
        let cases: Box<[(i64, BlockId)]> = cases.filter(|&(_, to)| to != otherwise).collect();
        Ok(match cases.is_empty() {
            true => Jump::Goto(otherwise),
            false => Jump::Switch { on: read[0], cases, otherwise },
        })
    }

    fn load_field(&mut self, index: u16, object: Option<Operand>) -> Result<(), Malformed> {
        let field = self.link.field(index)?;
        let ty = self.link.program.fields()[field].ty;
        let kind = self.link.kind(ty).ok_or(wrong("a field of no type"))?;
        self.define(kind, ty, |to| Statement::Load { to, object, field });
        Ok(())
    }

    fn store_field(&mut self, index: u16, has_object: bool) -> Result<(), Malformed> {
        let field = self.link.field(index)?;
        let ty = self.link.program.fields()[field].ty;
        let kind = self.link.kind(ty).ok_or(wrong("a field of no type"))?;
        let value = self.stack.pop(kind)?.operand;
        let object = match has_object {
            true => Some(self.stack.pop(Kind::Reference)?.operand),
            false => None,
        };
        self.emit(Statement::Store { object, field, value });
        Ok(())
    }

    fn new_array(&mut self, element: TypeId, dimensions: usize) -> Result<(), Malformed> {
        let start = self.operands.len() as u32;
        for length in self.stack.pop_many(dimensions)? {
            if length.kind != Kind::Int {
                return Err(wrong("the length of an array is no number"));
            }
            self.operands.push(length.operand);
        }
        if dimensions == 0 {
            return Err(wrong("an array without a length"));
        }
        let mut ty = element;
        for _ in 0..dimensions {
            ty = self.link.program.ty(Type::Array(ty));
        }
        let lengths = start..self.operands.len() as u32;
        self.define(Kind::Reference, ty, |to| Statement::NewArray { to, element, lengths });
        Ok(())
    }

    /// Takes the arguments of a call off the stack.
    pub(crate) fn arguments(
        &mut self,
        selector: SelectorId,
        has_receiver: bool,
    ) -> Result<Range<u32>, Malformed> {
        let start = self.operands.len() as u32;
        let parameters = &self.link.program.selectors()[selector].parameters;
        let count = parameters.len() + usize::from(has_receiver);
        let kinds = parameters.iter().map(|&ty| self.link.kind(ty));
        let receiver = has_receiver.then_some(Some(Kind::Reference));
        for (slot, kind) in self.stack.pop_many(count)?.zip(receiver.into_iter().chain(kinds)) {
            if Some(slot.kind) != kind {
                return Err(wrong("an argument is not of the kind that the method takes"));
            }
            self.operands.push(slot.operand);
        }
        Ok(start..self.operands.len() as u32)
    }

    fn invoke(&mut self, how: Invoke, index: u16) -> Result<(), Malformed> {
        let method = self.link.method(index)?;
        let dispatch = match how {
            Invoke::Static => Dispatch::Static,
            Invoke::Special => Dispatch::Exact,
            Invoke::Virtual | Invoke::Interface => Dispatch::Virtual,
        };
        let mut class = method.class;
        let name = self.link.program.selectors()[method.selector].name;
        if how == Invoke::Special && class != self.link.host.name && !method.of_interface {
            // `super.m()` begins right above the class, whatever class the compiler saw.
            let is_constructor = self.link.program.text(name) == "<init>";
            class = self.link.host.superclass.filter(|_| !is_constructor).unwrap_or(class);
        }
        if how == Invoke::Virtual {
            self.note_handle(class, name);
        }
        let arguments = self.arguments(method.selector, dispatch != Dispatch::Static)?;
        self.call(Call { dispatch, class, selector: method.selector, arguments });
        Ok(())
    }

    /// Calls of handles run code that only the handle knows.
    fn note_handle(&mut self, class: NameId, name: NameId) {
        let program = &self.link.program;
        let called = (program.text(class), program.text(name));
        if let ("java.lang.invoke.MethodHandle", "invoke" | "invokeExact") = called {
            self.link.tally.omit("a call through a method handle");
        }
    }

    /// Emits a call, and puts its result on the stack.
    pub(crate) fn call(&mut self, call: Call) {
        let ty = self.link.program.selectors()[call.selector].result;
        let call = Box::new(call);
        match self.link.kind(ty) {
            None => self.emit(Statement::Call { to: None, call }),
            Some(kind) => self.define(kind, ty, |to| Statement::Call { to: Some(to), call }),
        }
    }
}

/// A complaint about the instruction that is run now.
pub(super) fn wrong(what: &'static str) -> Malformed {
    Malformed { offset: 0, what }
}

//! Constants, locals and computed values: what they put on the stack, and which statements write
//! them.
//!
//! A store does not copy where the value was just computed into a temporary that nothing else
//! names: then the statement that computed it writes the local.

use super::method::Lowering;
use super::operation::wrong;
use super::stack::Slot;
use crate::java::class::{Kind, Malformed, Primitive, Shuffle, Value};
use tern_ir::{Constant, Operand, Operator, Statement, Type, TypeId, VarId};
use tern_model::index::Id;

impl Lowering<'_, '_, '_, '_> {
    pub(crate) fn push_constant(&mut self, constant: Constant, kind: Kind, ty: TypeId) {
        let operand = self.link.constant(constant);
        self.stack.push(Slot { operand, kind, ty });
    }

    pub(super) fn push_integer(&mut self, value: i128, kind: Kind) {
        self.push_constant(Constant::Integer(value), kind, self.link.basics.widest(kind));
    }

    pub(super) fn push_float(&mut self, value: f64, kind: Kind) {
        self.push_constant(Constant::Float(value.to_bits()), kind, self.link.basics.widest(kind));
    }

    pub(super) fn load_constant(&mut self, index: u16) -> Result<(), Malformed> {
        let basics = self.link.basics;
        match self.link.pool.value(index)? {
            Value::Int(value) => self.push_integer(value.into(), Kind::Int),
            Value::Long(value) => self.push_integer(value.into(), Kind::Long),
            Value::Float(value) => self.push_float(value.into(), Kind::Float),
            Value::Double(value) => self.push_float(value, Kind::Double),
            Value::Text(text) => {
                let text = self.link.text(text)?;
                self.push_constant(Constant::Text(text), Kind::Reference, basics.string);
            }
            Value::Class(_) => {
                let ty = self.link.class_type(index)?;
                self.push_constant(Constant::Class(ty), Kind::Reference, basics.class);
            }
            Value::Handle(_) | Value::MethodType(_) => {
                self.link.tally.omit("a method handle or method type as a constant");
                self.push_constant(Constant::Any, Kind::Reference, basics.object);
            }
            Value::Dynamic(descriptor) => {
                self.link.tally.omit("a constant that a bootstrap method computes");
                let ty = self.link.type_at(descriptor)?;
                let kind = self.link.kind(ty).unwrap_or(Kind::Reference);
                self.push_constant(Constant::Any, kind, ty);
            }
        }
        Ok(())
    }

    /// The variable that the next access of a local is about.
    fn next_local(&mut self) -> (VarId, usize) {
        let local = self.frame.locals.accesses[self.next_access] as usize;
        self.next_access += 1;
        (VarId::new(local), local)
    }

    pub(super) fn load(&mut self, kind: Kind) -> Result<(), Malformed> {
        let (variable, local) = self.next_local();
        if self.frame.locals.variables[local].kind != kind {
            return Err(wrong("a local is loaded as another kind of value"));
        }
        let ty = self.variables[local].ty;
        self.stack.push(Slot { operand: Operand::Variable(variable), kind, ty });
        Ok(())
    }

    pub(super) fn store(&mut self, kind: Kind) -> Result<(), Malformed> {
        let (to, local) = self.next_local();
        let value = self.stack.pop_any()?;
        if value.kind == Kind::Address && kind == Kind::Reference {
            return Ok(());
        }
        let known = self.frame.locals.variables[local];
        if value.kind != kind || known.kind != kind {
            return Err(wrong("a local is stored as another kind of value"));
        }
        let is_unnamed = known.row.is_none() && local >= self.frame.parameters.len();
        if is_unnamed && known.writes == 1 && kind == Kind::Reference {
            self.variables[local].ty = self.certain_type(&value);
        }
        if value.operand == Operand::Variable(to) {
            return Ok(());
        }
        if !self.save(to)? && self.last_defines(value.operand)? && self.may_write(to) {
            self.redirect(to);
        } else {
            self.emit(Statement::Copy { to, from: value.operand });
        }
        Ok(())
    }

    /// If a variable is on the stack, puts a copy there, for it is about to be written.
    fn save(&mut self, variable: VarId) -> Result<bool, Malformed> {
        let operand = Operand::Variable(variable);
        self.spend(self.stack.slots().len())?;
        if !self.stack.holds(operand) {
            return Ok(false);
        }
        let to = self.temporary(self.variables[variable.index()].ty);
        self.emit(Statement::Copy { to, from: operand });
        self.stack.replace(operand, Operand::Variable(to));
        Ok(true)
    }

    /// Whether the last statement means the same when it writes another variable: what is computed
    /// depends on the type that is written.
    fn may_write(&self, to: VarId) -> bool {
        let is_of_type =
            |from: VarId| self.variables[from.index()].ty == self.variables[to.index()].ty;
        match self.statements.last() {
            Some(Statement::Unary { to: from, .. } | Statement::Binary { to: from, .. }) => {
                is_of_type(*from)
            }
            _ => true,
        }
    }

    /// Makes the last statement write another variable than the newest temporary.
    fn redirect(&mut self, variable: VarId) {
        match self.statements.last_mut() {
            Some(
                Statement::Copy { to, .. }
                | Statement::Unary { to, .. }
                | Statement::Binary { to, .. }
                | Statement::New { to, .. }
                | Statement::NewArray { to, .. }
                | Statement::Load { to, .. }
                | Statement::LoadElement { to, .. }
                | Statement::Length { to, .. }
                | Statement::Cast { to, .. }
                | Statement::InstanceOf { to, .. }
                | Statement::Call { to: Some(to), .. },
            ) => *to = variable,
            _ => return,
        }
        self.forget_newest();
    }

    pub(super) fn increment(&mut self, by: i16) -> Result<(), Malformed> {
        let (variable, local) = self.next_local();
        if self.frame.locals.variables[local].kind != Kind::Int {
            return Err(wrong("a local is counted up that is no number"));
        }
        self.save(variable)?;
        let left = Operand::Variable(variable);
        let right = self.link.constant(Constant::Integer(by.into()));
        let int = self.link.basics.int;
        let operator = Operator::Add;
        match self.variables[local].ty == int {
            true => self.emit(Statement::Binary { to: variable, operator, left, right }),
            false => {
                let to = self.temporary(int);
                self.emit(Statement::Binary { to, operator, left, right });
                self.emit(Statement::Copy { to: variable, from: Operand::Variable(to) });
            }
        }
        Ok(())
    }

    pub(super) fn load_element(&mut self, element: Option<Primitive>) -> Result<(), Malformed> {
        let index = self.stack.pop(Kind::Int)?.operand;
        let array = self.stack.pop(Kind::Reference)?;
        let of_array = match self.link.program.types()[self.certain_type(&array)] {
            Type::Array(element) => Some(element),
            _ => None,
        };
        let basics = self.link.basics;
        let (kind, ty) = match (element, of_array) {
            (Some(Primitive::Byte), Some(of_array)) if of_array == basics.boolean => {
                (Kind::Int, basics.boolean)
            }
            (Some(primitive), _) => (primitive.kind(), basics.primitive(primitive)),
            (None, Some(ty)) if self.link.kind(ty) == Some(Kind::Reference) => {
                (Kind::Reference, ty)
            }
            (None, _) => (Kind::Reference, basics.object),
        };
        let array = array.operand;
        self.define(kind, ty, |to| Statement::LoadElement { to, array, index });
        Ok(())
    }

    /// A call whose result is popped stores nothing.
    pub(super) fn unstored(&mut self, shuffle: Shuffle) -> Result<(), Malformed> {
        let Some(top) = self.stack.slots().last().copied() else { return Ok(()) };
        if !matches!(shuffle, Shuffle::Pop | Shuffle::Pop2)
            || top.kind.is_wide() != (shuffle == Shuffle::Pop2)
            || !matches!(self.statements.last(), Some(Statement::Call { .. }))
        {
            return Ok(());
        }
        let top = self.stack.pop_any()?;
        let is_unused = self.last_defines(top.operand)?;
        if let (true, Some(Statement::Call { to, .. })) = (is_unused, self.statements.last_mut()) {
            *to = None;
            self.forget_newest();
            let operand = self.link.constant(Constant::Any);
            self.stack.push(Slot { operand, ..top });
        } else {
            self.stack.push(top);
        }
        Ok(())
    }

    pub(super) fn binary(&mut self, operator: Operator, kind: Kind) -> Result<(), Malformed> {
        let shifts = matches!(
            operator,
            Operator::ShiftLeft | Operator::ShiftRight | Operator::ShiftRightZero
        );
        let right = self.stack.pop(if shifts { Kind::Int } else { kind })?.operand;
        let left = self.stack.pop(kind)?.operand;
        let ty = self.link.basics.widest(kind);
        self.define(kind, ty, |to| Statement::Binary { to, operator, left, right });
        Ok(())
    }
}

//! Runs programs of the intermediate language as the language defines them: integers that wrap,
//! objects, arrays, exceptions. A few methods of the library are known. It shares nothing with the
//! reader.

use std::collections::HashMap;
use tern_ir::{
    BlockId, Body, Call, ClassId, Comparison, Constant, Dispatch, Jump, NameId, Operand, Operator,
    ProcId, Program, SelectorId, Statement, Test, Type, TypeId, UnaryOperator, VarId,
};
use tern_model::index::Id;

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Integer(i128),
    Null,
    Text(NameId),
    Object(usize),
    /// Something of the library.
    Outside,
}

enum Thing {
    Object { class: NameId, fields: HashMap<NameId, Value> },
    Array { ty: TypeId, elements: Vec<Value> },
}

/// How a statement or call ends.
type Outcome<T> = Result<T, Value>;

/// A program while it runs.
pub(crate) struct Machine<'a> {
    program: &'a Program,
    things: Vec<Thing>,
    statics: HashMap<(NameId, NameId), Value>,
    /// What was printed.
    pub(crate) printed: Vec<i128>,
    /// How many monitors are entered; none at the end.
    pub(crate) monitors: i64,
    /// How many variables had a value that is not of their type.
    pub(crate) misfits: usize,
    steps: usize,
    names: HashMap<&'static str, NameId>,
}

const KNOWN: &[(&str, &str)] = &[
    ("java.lang.ArithmeticException", "java.lang.RuntimeException"),
    ("java.lang.ArrayIndexOutOfBoundsException", "java.lang.RuntimeException"),
    ("java.lang.NullPointerException", "java.lang.RuntimeException"),
    ("java.lang.ClassCastException", "java.lang.RuntimeException"),
    ("java.lang.RuntimeException", "java.lang.Exception"),
    ("java.lang.Exception", "java.lang.Throwable"),
    ("java.lang.Throwable", "java.lang.Object"),
];

impl<'a> Machine<'a> {
    /// Names must be known before, for the program cannot change while it runs.
    pub(crate) fn prepare(program: &mut Program) -> HashMap<&'static str, NameId> {
        let known = KNOWN.iter().flat_map(|&(name, above)| [name, above]);
        known.map(|name| (name, program.name(name))).collect()
    }

    pub(crate) fn new(program: &'a Program, names: HashMap<&'static str, NameId>) -> Self {
        Machine {
            program,
            things: Vec::new(),
            statics: HashMap::new(),
            printed: Vec::new(),
            monitors: 0,
            misfits: 0,
            steps: 0,
            names,
        }
    }

    /// Runs a procedure without parameters, and says whether it returned.
    pub(crate) fn run(&mut self, procedure: ProcId) -> bool {
        self.invoke(procedure, Vec::new()).is_ok()
    }

    /// Runs a procedure with a number; what it returns, if it returns a number.
    pub(crate) fn compute(&mut self, procedure: ProcId, argument: i128) -> Option<i128> {
        match self.invoke(procedure, vec![Value::Integer(argument)]) {
            Ok(Some(Value::Integer(value))) => Some(value),
            _ => None,
        }
    }

    fn fail<T>(&mut self, class: &'static str) -> Outcome<T> {
        let class = self.names[class];
        self.things.push(Thing::Object { class, fields: HashMap::new() });
        Err(Value::Object(self.things.len() - 1))
    }

    fn invoke(&mut self, procedure: ProcId, arguments: Vec<Value>) -> Outcome<Option<Value>> {
        let program = self.program;
        let body = program.procedures()[procedure].body.as_ref();
        let body = body.unwrap_or_else(|| panic!("no body: {}", program.title(procedure)));
        let mut variables = vec![None; body.variables.len()];
        assert_eq!(arguments.len(), body.parameters);
        for (variable, argument) in variables.iter_mut().zip(arguments) {
            *variable = Some(argument);
        }
        let mut block = BlockId::new(0);
        loop {
            match self.block(body, block, &mut variables) {
                Ok(Next::Block(next)) => block = next,
                Ok(Next::Return(value)) => return Ok(value),
                Err(thrown) => {
                    let class = self.class_of(thrown);
                    let takes = |wanted: Option<NameId>| {
                        wanted.is_none_or(|wanted| self.is_below(class, wanted))
                    };
                    let handlers = body.handlers(block);
                    let Some(handler) = handlers.iter().find(|h| takes(h.class)) else {
                        return Err(thrown);
                    };
                    variables[handler.variable.index()] = Some(thrown);
                    block = handler.block;
                }
            }
        }
    }

    fn block(
        &mut self,
        body: &Body,
        block: BlockId,
        variables: &mut [Option<Value>],
    ) -> Outcome<Next> {
        for (statement, _) in body.statements(block) {
            self.steps += 1;
            assert!(self.steps < 20_000_000, "the program does not end");
            let value = self.statement(body, statement, variables)?;
            if let Some(to) = statement.written() {
                let value = value.expect("a statement that writes gives a value");
                self.write(body, to, value, variables);
            }
        }
        let read = |operand: Operand| self.read(operand, variables);
        Ok(match &body.blocks[block].jump {
            Jump::Goto(next) => Next::Block(*next),
            Jump::Branch { test, yes, no } => {
                Next::Block(if holds(test, read(test.left), read(test.right)) { *yes } else { *no })
            }
            Jump::Switch { on, cases, otherwise } => {
                let value = integer(read(*on));
                let case = cases.iter().find(|&&(case, _)| i128::from(case) == value);
                Next::Block(case.map_or(*otherwise, |&(_, to)| to))
            }
            Jump::Return(value) => Next::Return(value.map(read)),
            Jump::Throw(value) => match read(*value) {
                Value::Null => return self.fail("java.lang.NullPointerException"),
                thrown => return Err(thrown),
            },
        })
    }

    fn read(&self, operand: Operand, variables: &[Option<Value>]) -> Value {
        match operand {
            Operand::Variable(variable) => {
                variables[variable.index()].unwrap_or_else(|| panic!("{variable:?} is not set"))
            }
            Operand::Constant(constant) => match self.program.constants()[constant] {
                Constant::Integer(value) => Value::Integer(value),
                Constant::Text(text) => Value::Text(text),
                Constant::Null => Value::Null,
                Constant::Float(_) | Constant::Class(_) | Constant::Any => Value::Outside,
            },
        }
    }

    /// Writes a variable, and checks that the value is of its type.
    fn write(&mut self, body: &Body, to: VarId, value: Value, variables: &mut [Option<Value>]) {
        let ty = body.variables[to].ty;
        let fits = match (self.program.types()[ty], value) {
            (Type::Integer { .. } | Type::Boolean, Value::Integer(value)) => {
                self.wrap(ty, value) == value
            }
            (Type::Reference(name), Value::Object(_)) => {
                let class = self.program.find_class(name);
                class.is_none_or(|class| {
                    self.program.classes()[class].kind == tern_ir::ClassKind::Interface
                        || self.is_below(self.class_of(value), name)
                })
            }
            (Type::Array(_), Value::Object(thing)) => {
                matches!(self.things[thing], Thing::Array { ty: of, .. } if of == ty)
            }
            (Type::Reference(_) | Type::Array(_), Value::Integer(_)) => false,
            (Type::Integer { .. } | Type::Boolean, _) => value == Value::Outside,
            _ => true,
        };
        self.misfits += usize::from(!fits);
        variables[to.index()] = Some(value);
    }

    fn wrap(&self, ty: TypeId, value: i128) -> i128 {
        match self.program.types()[ty] {
            Type::Integer { bits, signed: true } => {
                value << (128 - u32::from(bits)) >> (128 - u32::from(bits))
            }
            Type::Integer { bits, signed: false } => value & ((1 << bits) - 1),
            Type::Boolean => value & 1,
            _ => panic!("no type of integers"),
        }
    }

    fn statement(
        &mut self,
        body: &Body,
        statement: &Statement,
        variables: &[Option<Value>],
    ) -> Outcome<Option<Value>> {
        let read = |operand: Operand| self.read(operand, variables);
        let type_of = |to: VarId| body.variables[to].ty;
        Ok(Some(match statement {
            Statement::Copy { from, .. } => read(*from),
            Statement::Unary { to, operator, operand } => {
                let value = integer(read(*operand));
                Value::Integer(match operator {
                    UnaryOperator::Negate => self.wrap(type_of(*to), -value),
                    UnaryOperator::Complement => self.wrap(type_of(*to), !value),
                    UnaryOperator::Convert => self.wrap(type_of(*to), value),
                })
            }
            Statement::Binary { to, operator, left, right } => {
                let (left, right) = (integer(read(*left)), integer(read(*right)));
                return self.binary(*operator, left, right, type_of(*to)).map(Some);
            }
            Statement::New { class, .. } => {
                self.things.push(Thing::Object { class: *class, fields: HashMap::new() });
                Value::Object(self.things.len() - 1)
            }
            Statement::NewArray { element, lengths, .. } => {
                let lengths = body.operands(lengths).iter().map(|&length| integer(read(length)));
                let lengths: Vec<i128> = lengths.collect();
                self.new_array(*element, &lengths)
            }
            Statement::Load { object, field, .. } => {
                let object = object.map(read);
                return self.load(object, *field).map(Some);
            }
            Statement::Store { object, field, value } => {
                let (object, value) = (object.map(read), read(*value));
                self.store(object, *field, value)?;
                return Ok(None);
            }
            Statement::LoadElement { array, index, .. } => {
                let (array, index) = (read(*array), integer(read(*index)));
                *self.element(array, index)?
            }
            Statement::StoreElement { array, index, value } => {
                let (array, index, value) = (read(*array), integer(read(*index)), read(*value));
                *self.element(array, index)? = value;
                return Ok(None);
            }
            Statement::Length { array, .. } => match read(*array) {
                Value::Object(thing) => match &self.things[thing] {
                    Thing::Array { elements, .. } => Value::Integer(elements.len() as i128),
                    Thing::Object { .. } => panic!("no array"),
                },
                _ => return self.fail("java.lang.NullPointerException"),
            },
            Statement::Cast { from, ty, .. } => match read(*from) {
                value if value == Value::Null || self.is_of(value, *ty) => value,
                _ => return self.fail("java.lang.ClassCastException"),
            },
            Statement::InstanceOf { from, ty, .. } => {
                let value = read(*from);
                Value::Integer((value != Value::Null && self.is_of(value, *ty)).into())
            }
            Statement::Call { to, call } => {
                let arguments = body.operands(&call.arguments).iter().map(|&a| read(a)).collect();
                let value = self.call(call, arguments)?;
                return Ok(value.filter(|_| to.is_some()));
            }
            Statement::Monitor { object, enter } => {
                if read(*object) == Value::Null {
                    return self.fail("java.lang.NullPointerException");
                }
                self.monitors += if *enter { 1 } else { -1 };
                return Ok(None);
            }
        }))
    }

    fn binary(
        &mut self,
        operator: Operator,
        left: i128,
        right: i128,
        ty: TypeId,
    ) -> Outcome<Value> {
        let bits = match self.program.types()[ty] {
            Type::Integer { bits, .. } => u32::from(bits),
            _ => 1,
        };
        let by = (right & i128::from(bits - 1)) as u32;
        let value = match operator {
            Operator::Add => left + right,
            Operator::Subtract => left - right,
            Operator::Multiply => left * right,
            Operator::Divide | Operator::Remainder if right == 0 => {
                return self.fail("java.lang.ArithmeticException");
            }
            Operator::Divide => left / right,
            Operator::Remainder => left % right,
            Operator::ShiftLeft => left << by,
            Operator::ShiftRight => left >> by,
            Operator::ShiftRightZero => (left & ((1 << bits) - 1)) >> by,
            Operator::And => left & right,
            Operator::Or => left | right,
            Operator::Xor => left ^ right,
            Operator::Compare => left.cmp(&right) as i128,
        };
        Ok(Value::Integer(self.wrap(ty, value)))
    }

    fn default(&self, ty: TypeId) -> Value {
        match self.program.types()[ty] {
            Type::Integer { .. } | Type::Boolean => Value::Integer(0),
            _ => Value::Null,
        }
    }

    fn new_array(&mut self, element: TypeId, lengths: &[i128]) -> Value {
        let types = self.program.types();
        let array = |of: TypeId| {
            let (id, _) = types.iter().find(|(_, ty)| **ty == Type::Array(of)).expect("a type");
            id
        };
        let (&length, inner) = lengths.split_first().expect("a length");
        let elements = match inner {
            [] => vec![self.default(element); length as usize],
            _ => (0..length).map(|_| self.new_array(element, inner)).collect(),
        };
        let ty = inner.iter().fold(array(element), |ty, _| array(ty));
        self.things.push(Thing::Array { ty, elements });
        Value::Object(self.things.len() - 1)
    }

    fn element(&mut self, array: Value, index: i128) -> Outcome<&mut Value> {
        let Value::Object(thing) = array else {
            return self.fail("java.lang.NullPointerException");
        };
        let inside = match &self.things[thing] {
            Thing::Array { elements, .. } => (0..elements.len() as i128).contains(&index),
            Thing::Object { .. } => panic!("no array"),
        };
        if !inside {
            return self.fail("java.lang.ArrayIndexOutOfBoundsException");
        }
        match &mut self.things[thing] {
            Thing::Array { elements, .. } => Ok(&mut elements[index as usize]),
            Thing::Object { .. } => panic!("no array"),
        }
    }

    fn load(&mut self, object: Option<Value>, field: tern_ir::FieldId) -> Outcome<Value> {
        let field = self.program.fields()[field];
        let otherwise = match self.program.find_class(field.class) {
            Some(_) => self.default(field.ty),
            None => Value::Outside,
        };
        match object {
            None => Ok(self.statics.get(&(field.class, field.name)).copied().unwrap_or(otherwise)),
            Some(Value::Object(thing)) => match &self.things[thing] {
                Thing::Object { fields, .. } => {
                    Ok(fields.get(&field.name).copied().unwrap_or(otherwise))
                }
                Thing::Array { .. } => panic!("an array has no fields"),
            },
            Some(_) => self.fail("java.lang.NullPointerException"),
        }
    }

    fn store(
        &mut self,
        object: Option<Value>,
        field: tern_ir::FieldId,
        value: Value,
    ) -> Outcome<()> {
        let field = self.program.fields()[field];
        match object {
            None => {
                self.statics.insert((field.class, field.name), value);
            }
            Some(Value::Object(thing)) => match &mut self.things[thing] {
                Thing::Object { fields, .. } => {
                    fields.insert(field.name, value);
                }
                Thing::Array { .. } => panic!("an array has no fields"),
            },
            Some(_) => return self.fail("java.lang.NullPointerException"),
        }
        Ok(())
    }

    fn class_of(&self, value: Value) -> NameId {
        match value {
            Value::Object(thing) => match self.things[thing] {
                Thing::Object { class, .. } => class,
                Thing::Array { .. } => self.names["java.lang.Object"],
            },
            other => panic!("{other:?} has no class"),
        }
    }

    fn is_of(&self, value: Value, ty: TypeId) -> bool {
        match (self.program.types()[ty], value) {
            (Type::Reference(name), Value::Object(_)) => self.is_below(self.class_of(value), name),
            (Type::Array(_), Value::Object(thing)) => {
                matches!(self.things[thing], Thing::Array { ty: of, .. } if of == ty)
            }
            _ => true,
        }
    }

    fn is_below(&self, class: NameId, wanted: NameId) -> bool {
        if class == wanted || wanted == self.names["java.lang.Object"] {
            return true;
        }
        match self.program.find_class(class) {
            Some(id) => {
                let class = &self.program.classes()[id];
                let above = class.superclass.iter().chain(&class.interfaces);
                above.into_iter().any(|&above| self.is_below(above, wanted))
            }
            None => {
                let name = self.program.text(class);
                let above = KNOWN.iter().find(|(below, _)| *below == name);
                above.is_some_and(|(_, above)| self.is_below(self.names[above], wanted))
            }
        }
    }

    /// The procedure that a search from a class finds: in it and above, then in interfaces.
    fn find(&self, class: NameId, selector: SelectorId) -> Option<ProcId> {
        let program = self.program;
        let has_code = |class: ClassId| {
            let found = program.find_procedure(Some(class), selector);
            found.filter(|&found| !program.procedures()[found].is_abstract)
        };
        let mut above = Vec::new();
        let mut next = program.find_class(class);
        while let Some(class) = next {
            if let Some(found) = has_code(class) {
                return Some(found);
            }
            above.extend(program.classes()[class].interfaces.iter());
            next = program.classes()[class].superclass.and_then(|name| program.find_class(name));
        }
        above.into_iter().find_map(|&interface| self.find(interface, selector))
    }

    fn call(&mut self, call: &Call, arguments: Vec<Value>) -> Outcome<Option<Value>> {
        let found = match (call.dispatch, arguments.first()) {
            (Dispatch::Virtual | Dispatch::Exact, Some(Value::Null)) => {
                return self.fail("java.lang.NullPointerException");
            }
            (Dispatch::Virtual, Some(value @ Value::Object(_))) => {
                self.find(self.class_of(*value), call.selector)
            }
            _ => self.find(call.class, call.selector),
        };
        match found {
            Some(procedure) => self.invoke(procedure, arguments),
            None => self.library(call, &arguments),
        }
    }

    /// What is known of the library.
    fn library(&mut self, call: &Call, arguments: &[Value]) -> Outcome<Option<Value>> {
        let selector = &self.program.selectors()[call.selector];
        let class = self.program.text(call.class);
        Ok(match (class, self.program.text(selector.name), arguments) {
            ("java.io.PrintStream", "println", [_, Value::Integer(value)]) => {
                self.printed.push(*value);
                None
            }
            (_, "<init>" | "addSuppressed", _) => None,
            ("java.lang.Math", "abs", [Value::Integer(value)]) => {
                Some(Value::Integer(self.wrap(selector.result, value.abs())))
            }
            ("java.lang.String", "hashCode", [Value::Text(text)]) => {
                let text = self.program.text(*text).encode_utf16();
                let hash = text
                    .fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)));
                Some(Value::Integer(hash.into()))
            }
            ("java.lang.String", "equals", [one, other]) => {
                Some(Value::Integer((one == other).into()))
            }
            ("java.util.Objects", "requireNonNull", [Value::Null]) => {
                return self.fail("java.lang.NullPointerException");
            }
            ("java.util.Objects", "requireNonNull", [value]) => Some(*value),
            (class, name, _) => panic!("{class}.{name} is not known"),
        })
    }
}

enum Next {
    Block(BlockId),
    Return(Option<Value>),
}

fn integer(value: Value) -> i128 {
    match value {
        Value::Integer(value) => value,
        other => panic!("{other:?} is no integer"),
    }
}

fn holds(test: &Test, left: Value, right: Value) -> bool {
    match test.comparison {
        Comparison::Equal => left == right,
        Comparison::NotEqual => left != right,
        Comparison::Less => integer(left) < integer(right),
        Comparison::LessEqual => integer(left) <= integer(right),
        Comparison::Greater => integer(left) > integer(right),
        Comparison::GreaterEqual => integer(left) >= integer(right),
    }
}

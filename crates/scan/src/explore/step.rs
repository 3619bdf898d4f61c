//! One node: statements in a row until the path splits, waits for a callee, or ends.

use super::{Breach, ComponentId, Ending, Explored, Violation};
use crate::state::{Slot, State};
use crate::values::{self, Cause, Key, Nullness, Value};
use tern_ir::{
    BlockId, Body, Comparison, Jump, Operand, Operator, Statement, Test, Type, UnaryOperator, VarId,
};
use tern_model::Tri;
use tern_model::index::Id;

/// A node while it is run.
#[derive(Clone)]
pub(super) struct Here<'b> {
    pub(super) component: ComponentId,
    pub(super) node: usize,
    pub(super) body: &'b Body,
    pub(super) block: BlockId,
    /// The statement, counted in the block.
    pub(super) at: u32,
    /// The statement, counted in the body.
    pub(super) row: u32,
    pub(super) line: u32,
}

/// How a statement goes on.
pub(super) enum Next {
    /// With the next statement.
    On,
    /// Not here: it ended, or went on at other nodes.
    Done,
}

impl<'p> Explored<'_, 'p> {
    /// Runs a node.
    pub(super) fn run(&mut self, component: ComponentId, node: usize) {
        let procedure = self.components[component].procedure;
        let body: &'p Body = self.body(procedure);
        let own = &self.components[component].nodes[node];
        let (block, first, mut state) = (own.block, own.at, own.state.clone());
        let rows = body.blocks[block].statements.clone();
        let mut here = Here { component, node, body, block, at: first, row: 0, line: 0 };
        for row in rows.start + first..rows.end {
            here.row = row;
            here.at = row - rows.start;
            here.line = body.places[row as usize].line;
            match self.statement(&here, &mut state) {
                Next::On => {}
                Next::Done => return,
            }
        }
        here.row = (body.statements.len() + block.index()) as u32;
        here.at = rows.end - rows.start;
        here.line = body.blocks[block].place.line;
        self.jump(&here, state);
    }

    /// The value of an operand.
    pub(super) fn value(&self, state: &State, operand: Operand) -> Value {
        match operand {
            Operand::Variable(variable) => state.get(Slot::Local(variable)),
            Operand::Constant(constant) => self.world.constant(constant),
        }
    }

    /// Uses an operand where an object must be. Says whether that can go well.
    pub(super) fn dereference(&mut self, here: &Here, state: &mut State, operand: Operand) -> bool {
        let value = self.value(state, operand);
        match value {
            Value::Null(cause) => {
                self.null_use(here, cause);
                self.implicit(here, state, "java.lang.NullPointerException");
                false
            }
            Value::Object(object, Nullness::Unknown) => {
                state.refine(object, Nullness::Used(here.line));
                true
            }
            _ => {
                if let (Value::Any, Operand::Variable(variable)) = (value, operand) {
                    state.set(Slot::Local(variable), Value::NonNull);
                }
                true
            }
        }
    }

    fn null_use(&mut self, here: &Here, cause: Cause) {
        let rule = match cause {
            Cause::Result => self.null_rules.1,
            _ => self.null_rules.0,
        };
        // Who catches it expects it.
        let expected = here.body.handlers(here.block).iter().any(|handler| {
            let text = handler.class.map(|class| self.world.program.text(class));
            text == Some("java.lang.NullPointerException")
        });
        if let (Some(rule), false) = (rule, expected) {
            let violation = Violation {
                node: here.node,
                statement: here.row,
                rule,
                breach: Breach::Event,
                object: None,
                was_first: false,
            };
            self.note(here.component, violation);
        }
    }

    /// An exception that the machine throws: it goes to handlers that name it, and is not followed
    /// further.
    fn implicit(&mut self, here: &Here, state: &State, class: &str) {
        let Some(class) = self.world.program.find_name(class) else { return };
        for handler in here.body.handlers(here.block) {
            if handler.class == Some(class) {
                let mut state = state.clone();
                let object = self.object(Key::Thrown(Some(class)));
                state.set(Slot::Local(handler.variable), Value::Object(object, Nullness::NonNull));
                self.go(here.component, here.node, (handler.block, 0), state, None);
                return;
            }
        }
    }

    /// The bits of the type of a variable; 64 if it is no integer.
    fn bits(&self, body: &Body, variable: VarId) -> u8 {
        match self.world.program.types()[body.variables[variable].ty] {
            Type::Integer { bits, .. } => bits.max(32),
            Type::Boolean => 32,
            _ => 64,
        }
    }

    fn statement(&mut self, here: &Here<'p>, state: &mut State) -> Next {
        let body = here.body;
        let Some(statement) = body.statements.get(here.row as usize) else { return Next::On };
        match statement {
            Statement::Copy { to, from } => {
                let value = self.value(state, *from);
                // Both are the same object from here on.
                state.set(Slot::Local(*to), value);
            }
            Statement::Cast { to, from, .. } => {
                let value = self.value(state, *from);
                state.set(Slot::Local(*to), value);
            }
            Statement::Unary { to, operator, operand } => {
                let value = match (operator, self.value(state, *operand)) {
                    (UnaryOperator::Negate, Value::Number(a, b)) if a > i64::from(i32::MIN) => {
                        Value::Number(-b, -a)
                    }
                    (UnaryOperator::Convert, Value::Number(a, b)) => {
                        self.converted(body, *to, a, b)
                    }
                    _ => Value::Any,
                };
                state.set(Slot::Local(*to), value);
            }
            Statement::Binary { to, operator, left, right } => {
                let bits = self.bits(body, *to);
                let values = (self.value(state, *left), self.value(state, *right));
                let is_float = matches!(
                    self.world.program.types()[body.variables[*to].ty],
                    Type::Float { .. }
                );
                let value = match is_float {
                    true => Value::Any,
                    false => values::binary(*operator, values.0, values.1, bits),
                };
                state.set(Slot::Local(*to), value);
            }
            Statement::New { to, .. } | Statement::NewArray { to, .. } => {
                let object = self.fresh(here, state, here.row);
                state.set(Slot::Local(*to), Value::Object(object, Nullness::NonNull));
            }
            Statement::Load { to, object, field } => {
                return self.load(here, state, *to, *object, *field);
            }
            Statement::Store { object, field, value } => {
                return self.store(here, state, *object, *field, *value);
            }
            Statement::LoadElement { to, array, .. } => {
                if !self.dereference(here, state, *array) {
                    return Next::Done;
                }
                let value = self.unknown(here, state, here.row, body.variables[*to].ty);
                state.set(Slot::Local(*to), value);
            }
            Statement::StoreElement { array, value, .. } => {
                if !self.dereference(here, state, *array) {
                    return Next::Done;
                }
                let value = self.value(state, *value);
                self.escape(state, value);
            }
            Statement::Length { to, array } => {
                if !self.dereference(here, state, *array) {
                    return Next::Done;
                }
                state.set(Slot::Local(*to), Value::Number(0, i32::MAX.into()));
            }
            Statement::InstanceOf { to, from, .. } => {
                return self.instance_of(here, state, *to, *from);
            }
            Statement::Call { to, call } => return self.call(here, state, *to, call),
            Statement::Monitor { object, enter } => {
                if !self.dereference(here, state, *object) {
                    return Next::Done;
                }
                if *enter {
                    // Others may have written until now.
                    self.clobber(state, None);
                }
            }
        }
        Next::On
    }

    fn converted(&self, body: &Body, to: VarId, a: i64, b: i64) -> Value {
        let bits = match self.world.program.types()[body.variables[to].ty] {
            Type::Integer { bits, signed: true } => bits,
            Type::Integer { bits, signed: false } => bits + 1,
            Type::Boolean => 32,
            _ => return Value::Any,
        };
        let (least, most) = values::bounds(bits);
        if a >= least && b <= most { Value::Number(a, b) } else { Value::Any }
    }

    /// A value of a type of which nothing is known, first met at a statement.
    pub(super) fn unknown(
        &mut self,
        here: &Here,
        state: &mut State,
        row: u32,
        ty: tern_ir::TypeId,
    ) -> Value {
        if !self.is_reference(ty) {
            return match self.world.program.types()[ty] {
                Type::Boolean => Value::Number(0, 1),
                _ => Value::Any,
            };
        }
        let object = self.fresh(here, state, row);
        Value::Object(object, Nullness::Unknown)
    }

    /// The object that a statement makes or meets. What the same statement made before is lost if
    /// nothing holds it, and nameless otherwise.
    pub(super) fn fresh(
        &mut self,
        here: &Here,
        state: &mut State,
        row: u32,
    ) -> crate::values::ObjectId {
        let object = self.object(Key::At(row));
        if state.track(object).is_some() || state.holds(object) {
            let written = here.body.statements.get(row as usize).and_then(Statement::written);
            let mut others = state.clone();
            if let Some(to) = written {
                others.set(Slot::Local(to), Value::Any);
            }
            others.retain(|slot, _| match slot {
                // Temporaries of an earlier round are not read again.
                Slot::Local(variable) => here.body.variables[variable].name.is_some(),
                _ => true,
            });
            if !others.holds(object) {
                self.lost(here, state, object, Ending::Return);
            }
            let anonymous = |value: Value| match value {
                Value::Object(own, _) if own == object => value.anonymous(),
                other => other,
            };
            state.update(anonymous);
            state.forget(object);
            state.retain(|slot, _| !matches!(slot, Slot::Field(own, _) if own == object));
        }
        object
    }

    fn load(
        &mut self,
        here: &Here,
        state: &mut State,
        to: VarId,
        object: Option<Operand>,
        field: tern_ir::FieldId,
    ) -> Next {
        let field = self.world.field(field);
        let ty = here.body.variables[to].ty;
        let slot = match object {
            Some(operand) => {
                if !self.dereference(here, state, operand) {
                    return Next::Done;
                }
                self.value(state, operand).object().map(|object| Slot::Field(object, field))
            }
            None => Some(Slot::Static(field)),
        };
        let value = match (slot, self.world.constant_of(field)) {
            (Some(slot), _) if state.known(slot).is_some() => state.get(slot),
            (_, Some(constant)) => constant,
            (Some(slot), None) if self.is_reference(ty) => {
                let key = match slot {
                    Slot::Field(object, field) => match self.objects[object] {
                        Key::Field(outer, _) if matches!(self.objects[outer], Key::Field(..)) => {
                            Key::At(here.row)
                        }
                        _ => Key::Field(object, field),
                    },
                    _ => Key::Static(field),
                };
                let object = match key {
                    Key::At(row) => self.fresh(here, state, row),
                    key => self.object(key),
                };
                if state.holds(object) && state.track(object).is_none_or(|it| it.stages.is_empty())
                {
                    // It may have been another before.
                    state.update(|value| match value {
                        Value::Object(own, _) if own == object => value.anonymous(),
                        other => other,
                    });
                }
                let is_library = self.world.program.text(self.world.program.fields()[field].class)
                    == "java.lang.System";
                let nullness = if is_library { Nullness::NonNull } else { Nullness::Unknown };
                let value = Value::Object(object, nullness);
                state.set(slot, value);
                value
            }
            _ => self.unknown(here, state, here.row, ty),
        };
        state.set(Slot::Local(to), value);
        Next::On
    }

    fn store(
        &mut self,
        here: &Here,
        state: &mut State,
        object: Option<Operand>,
        field: tern_ir::FieldId,
        value: Operand,
    ) -> Next {
        let field = self.world.field(field);
        let value = self.value(state, value);
        let slot = match object {
            Some(operand) => {
                if !self.dereference(here, state, operand) {
                    return Next::Done;
                }
                let object = self.value(state, operand).object();
                // Other objects may be the same one.
                let is_made = |object| matches!(self.objects[object], Key::At(_));
                state.retain(|slot, _| match slot {
                    Slot::Field(other, own) if own == field && Some(other) != object => {
                        object.is_some_and(is_made) && is_made(other)
                    }
                    _ => true,
                });
                object.map(|object| Slot::Field(object, field))
            }
            None => Some(Slot::Static(field)),
        };
        self.escape(state, value);
        if let Some(slot) = slot {
            state.set(slot, value);
        }
        Next::On
    }

    /// Others may use a value from now on.
    pub(super) fn escape(&mut self, state: &mut State, value: Value) {
        if let Some(object) = value.object() {
            state.escape(object);
        }
    }

    /// Forgets fields that may be written: all that are not fixed, or those given.
    pub(super) fn clobber(&self, state: &mut State, fields: Option<&[tern_ir::FieldId]>) {
        state.retain(|slot, _| match slot {
            Slot::Local(_) => true,
            Slot::Static(field) | Slot::Field(_, field) => {
                self.world.is_fixed(field)
                    || fields.is_some_and(|fields| fields.binary_search(&field).is_err())
            }
        });
    }

    fn instance_of(&mut self, here: &Here, state: &mut State, to: VarId, from: Operand) -> Next {
        let value = self.value(state, from);
        if value.is_null() == Tri::True {
            state.set(Slot::Local(to), Value::number(0));
            return Next::On;
        }
        let next = (here.block, here.at + 1);
        let mut yes = state.clone();
        match (value.object(), Self::local(from)) {
            (Some(object), _) => yes.refine(object, Nullness::NonNull),
            (_, Some(variable)) if value == Value::Any => {
                yes.set(Slot::Local(variable), Value::NonNull);
            }
            _ => {}
        }
        yes.set(Slot::Local(to), Value::number(1));
        state.set(Slot::Local(to), Value::number(0));
        self.go(here.component, here.node, next, yes, None);
        self.go(here.component, here.node, next, state.clone(), None);
        Next::Done
    }

    fn jump(&mut self, here: &Here<'p>, mut state: State) {
        match &here.body.blocks[here.block].jump {
            Jump::Goto(to) => self.go(here.component, here.node, (*to, 0), state, None),
            Jump::Branch { test, yes, no } => self.branch(here, &state, test, *yes, *no),
            Jump::Switch { on, cases, otherwise } => {
                let value = self.value(&state, *on);
                let (low, high) = match value {
                    Value::Number(low, high) => (low, high),
                    _ => (i64::MIN, i64::MAX),
                };
                let variable = Self::local(*on);
                let mut left = high.checked_sub(low).and_then(|it| it.checked_add(1));
                for &(case, block) in cases.iter().filter(|(case, _)| (low..=high).contains(case)) {
                    let mut state = state.clone();
                    if let Some(variable) = variable {
                        state.set(Slot::Local(variable), Value::number(case));
                    }
                    left = left.map(|left| left - 1);
                    self.go(here.component, here.node, (block, 0), state, None);
                }
                if left != Some(0) {
                    self.go(here.component, here.node, (*otherwise, 0), state, None);
                }
            }
            Jump::Return(value) => {
                let value = value.map_or(Value::Any, |value| self.value(&state, value));
                self.leave(here, state, Ending::Return, value);
            }
            Jump::Throw(operand) => {
                if !self.dereference(here, &mut state, *operand) {
                    return;
                }
                let object = self.value(&state, *operand).object();
                let key = object.map(|object| self.objects[object]);
                let class = match key {
                    Some(Key::Thrown(class)) => class,
                    Some(Key::At(row)) => match here.body.statements.get(row as usize) {
                        Some(Statement::New { class, .. }) => Some(*class),
                        _ => self.type_of(here, *operand),
                    },
                    _ => self.type_of(here, *operand),
                };
                let is_local = !matches!(key, Some(Key::Thrown(_)));
                self.throw(here, state, class, !is_local, None);
            }
        }
    }

    fn type_of(&self, here: &Here, operand: Operand) -> Option<tern_ir::NameId> {
        let variable = Self::local(operand)?;
        match self.world.program.types()[here.body.variables[variable].ty] {
            Type::Reference(name) => Some(name),
            _ => None,
        }
    }

    fn branch(&mut self, here: &Here, state: &State, test: &Test, yes: BlockId, no: BlockId) {
        let (yes_state, no_state) = self.split(here, state, test);
        let own = &mut self.components[here.component];
        let seen = u8::from(yes_state.is_some()) | u8::from(no_state.is_some()) << 1;
        *own.tests.entry(here.block).or_default() |= seen;
        if let Some(state) = yes_state {
            self.go(here.component, here.node, (yes, 0), state, None);
        }
        if let Some(state) = no_state {
            self.go(here.component, here.node, (no, 0), state, None);
        }
    }

    /// The facts where a test is true, and where it is false; nothing where that cannot be.
    fn split(&mut self, here: &Here, state: &State, test: &Test) -> (Option<State>, Option<State>) {
        if let Some(long) = compared(here, test) {
            return self.split(here, state, &long);
        }
        let (left, right) = (self.value(state, test.left), self.value(state, test.right));
        let is_equality = matches!(test.comparison, Comparison::Equal | Comparison::NotEqual);
        if is_equality && (matches!(left, Value::Null(_)) || matches!(right, Value::Null(_))) {
            let (operand, value) = if matches!(right, Value::Null(_)) {
                (test.left, left)
            } else {
                (test.right, right)
            };
            let (null, other) = self.split_null(here, state, operand, value);
            return match test.comparison {
                Comparison::Equal => (null, other),
                _ => (other, null),
            };
        }
        if is_equality && let (Some(a), Some(b)) = (left.object(), right.object()) {
            let both_made = |row: Key| matches!(row, Key::At(_));
            let sure = left.is_null() == Tri::False || right.is_null() == Tri::False;
            let made = both_made(self.objects[a]) && both_made(self.objects[b]) && sure;
            let same = match (a == b, made && self.is_new(here, a) && self.is_new(here, b)) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            };
            if let Some(same) = same {
                let holds = same == (test.comparison == Comparison::Equal);
                return match holds {
                    true => (Some(state.clone()), None),
                    false => (None, Some(state.clone())),
                };
            }
        }
        let all = (i64::MIN, i64::MAX);
        let interval = |value: Value| match value {
            Value::Number(low, high) => Some((low, high)),
            Value::Any => Some(all),
            _ => None,
        };
        let (Some(a), Some(b)) = (interval(left), interval(right)) else {
            return (Some(state.clone()), Some(state.clone()));
        };
        if a == all && b == all {
            return (Some(state.clone()), Some(state.clone()));
        }
        let side = |comparison: Comparison| {
            let left = values::restrict(comparison, a, b)?;
            let right = values::restrict(values::swapped(comparison), b, a)?;
            let mut state = state.clone();
            for (operand, value) in [(test.left, left), (test.right, right)] {
                if let Some(variable) = Self::local(operand) {
                    let value =
                        if value == all { Value::Any } else { Value::Number(value.0, value.1) };
                    state.set(Slot::Local(variable), value);
                }
            }
            Some(state)
        };
        match values::compare(test.comparison, a, b) {
            Tri::True => (side(test.comparison), None),
            Tri::False => (None, side(values::negated(test.comparison))),
            Tri::Unknown => (side(test.comparison), side(values::negated(test.comparison))),
        }
    }

    /// Whether an object was made by `new` here.
    pub(super) fn is_new(&self, here: &Here, object: crate::values::ObjectId) -> bool {
        let Key::At(row) = self.objects[object] else { return false };
        matches!(
            here.body.statements.get(row as usize),
            Some(Statement::New { .. } | Statement::NewArray { .. })
        )
    }

    fn split_null(
        &mut self,
        here: &Here,
        state: &State,
        operand: Operand,
        value: Value,
    ) -> (Option<State>, Option<State>) {
        match value {
            Value::Object(object, Nullness::Unknown) => {
                let (mut null, mut other) = (state.clone(), state.clone());
                other.refine(object, Nullness::NonNull);
                null.replace(object, Value::Null(Cause::Tested));
                null.forget(object);
                (Some(null), Some(other))
            }
            Value::Any => {
                let (mut null, mut other) = (state.clone(), state.clone());
                if let Some(variable) = Self::local(operand) {
                    null.set(Slot::Local(variable), Value::Null(Cause::Tested));
                    other.set(Slot::Local(variable), Value::NonNull);
                }
                (Some(null), Some(other))
            }
            value if value.is_null() == Tri::True => (Some(state.clone()), None),
            value => {
                if let Value::Object(_, Nullness::Used(line)) = value {
                    self.components[here.component].late.entry(here.block).or_insert(line);
                }
                (None, Some(state.clone()))
            }
        }
    }
}

/// The test of two long numbers that a test of their comparison is.
fn compared(here: &Here, test: &Test) -> Option<Test> {
    let last = here.row_of_last()?;
    let Statement::Binary { to, operator: Operator::Compare, left, right } = last else {
        return None;
    };
    let zero = matches!(test.right, Operand::Constant(_));
    (test.left == Operand::Variable(*to) && zero).then_some(Test {
        left: *left,
        comparison: test.comparison,
        right: *right,
    })
}

impl<'b> Here<'b> {
    fn row_of_last(&self) -> Option<&'b Statement> {
        let rows = &self.body.blocks[self.block].statements;
        (rows.end > rows.start).then(|| &self.body.statements[rows.end as usize - 1])
    }
}

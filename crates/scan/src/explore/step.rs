//! One node: statements in a row until the path splits, waits for a callee, or ends.

use super::again::{Agains, looks};
use super::{Breach, ComponentId, Ending, Explored, Violation};
use crate::state::{Slot, State};
use crate::values::{self, Cause, Key, Nullness, ObjectId, Value};
use tern_ir::{BlockId, Body, FieldId, Operand, Statement, Type, UnaryOperator, VarId};
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

impl<'w, 'p> Explored<'w, 'p> {
    /// Runs a node.
    pub(super) fn run(&mut self, component: ComponentId, node: usize) {
        let state = self.components[component].nodes[node].state.clone();
        self.run_with(component, node, state);
    }

    /// Runs a node with facts that may be more than its own.
    pub(super) fn run_with(&mut self, component: ComponentId, node: usize, mut state: State) {
        let procedure = self.components[component].procedure;
        let body: &'p Body = self.body(procedure);
        let own = &self.components[component].nodes[node];
        let (block, first) = (own.block, own.at);
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

    /// The value of an operand, for those who look at what was explored.
    pub(crate) fn operand_value(&self, state: &State, operand: Operand) -> Value {
        self.value(state, operand)
    }

    /// Uses an operand where an object must be. Says whether that can go well.
    pub(super) fn dereference(&mut self, here: &Here, state: &mut State, operand: Operand) -> bool {
        let value = self.value(state, operand);
        match value {
            Value::Null(cause) => {
                self.null_use(here, cause, operand);
                if !self.implicit(here, state, "java.lang.NullPointerException") {
                    self.stop(here);
                }
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

    fn null_use(&mut self, here: &Here, cause: Cause, operand: Operand) {
        let rule = match cause {
            Cause::Result => self.setting.null_rules.1,
            Cause::Written | Cause::Tested | Cause::Doubted => self.setting.null_rules.0,
            Cause::Assumed => None,
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
                is_tested: cause == Cause::Tested,
                is_doubted: cause == Cause::Doubted,
                is_given: self.is_given_null(here, operand),
            };
            self.note(here.component, violation);
        }
    }

    /// Whether an operand is a parameter for which callers gave `null`.
    fn is_given_null(&self, here: &Here, operand: Operand) -> bool {
        let given = Self::local(operand).map(|it| uncast(here.body, it));
        given.is_some_and(|it| {
            let given = self.components[here.component].entry.get(Slot::Local(it));
            it.index() < here.body.parameters && matches!(given, Value::Null(_))
        })
    }

    /// An exception that the machine throws: it goes to handlers that name it, and is not followed
    /// further. Says whether there is one.
    fn implicit(&mut self, here: &Here, state: &State, class: &str) -> bool {
        let Some(class) = self.world.program.find_name(class) else { return false };
        let is_named = here.body.handlers(here.block).iter().any(|it| it.class == Some(class));
        if is_named {
            self.caught(here, state, class);
        }
        is_named
    }

    /// The bits of the type of a variable; 64 if it is no integer.
    pub(super) fn bits(&self, body: &Body, variable: VarId) -> u8 {
        match self.world.program.types()[body.variables[variable].ty] {
            Type::Integer { bits, .. } => bits.max(32),
            Type::Boolean => 32,
            _ => 64,
        }
    }

    /// Whether a variable holds whole numbers.
    pub(super) fn is_integer(&self, body: &Body, variable: VarId) -> bool {
        matches!(self.world.program.types()[body.variables[variable].ty], Type::Integer { .. })
    }

    /// What a statement writes, or does with objects, is no longer what was known of it.
    fn change(&self, here: &Here<'p>, state: &mut State, statement: &Statement) {
        let stored = match statement {
            Statement::Store { field, .. } => Some(self.world.field(*field)),
            _ => None,
        };
        if statement.written().is_some() || stored.is_some() {
            let agains = self.agains(here.component);
            state.retain_decisions(agains.without(statement.written(), stored));
        }
        if let Some(to) = statement.written() {
            self.forget_given(here.component, state, to);
        }
        self.done_with(here, state, statement);
    }

    fn statement(&mut self, here: &Here<'p>, state: &mut State) -> Next {
        let body = here.body;
        let Some(statement) = body.statements.get(here.row as usize) else { return Next::On };
        self.change(here, state, statement);
        match statement {
            // Both are the same object from here on.
            Statement::Copy { to, from } | Statement::Cast { to, from, .. } => {
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
            Statement::LoadElement { to, array, index } => {
                if !self.dereference(here, state, *array) {
                    return Next::Done;
                }
                let value = match self.chosen(here, state, *array, *index) {
                    Some(number) => Value::number(number),
                    None => self.unknown(here, state, here.row, body.variables[*to].ty),
                };
                state.set(Slot::Local(*to), value);
            }
            Statement::StoreElement { array, value, .. } => {
                if !self.dereference(here, state, *array) {
                    return Next::Done;
                }
                let value = self.value(state, *value);
                self.escape(here, state, value);
            }
            Statement::Length { to, array } => {
                if !self.dereference(here, state, *array) {
                    return Next::Done;
                }
                let known =
                    self.value(state, *array).object().and_then(|it| match self.objects[it] {
                        Key::Static(field) | Key::Field(_, field) => self.world.length_of(field),
                        Key::At(row) => made_length(self.world, body, row),
                        _ => None,
                    });
                let length = known.map_or(Value::Number(0, i32::MAX.into()), Value::number);
                state.set(Slot::Local(*to), length);
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
                    self.share(here.component, state);
                }
            }
        }
        Next::On
    }

    /// The number by which a `switch` knows a constant of an enumeration.
    fn chosen(&self, here: &Here, state: &State, array: Operand, index: Operand) -> Option<i64> {
        let (choices, receiver) = self.looked_up(here, state, array, index)?;
        let constant = self.enumerated(self.value(state, receiver))?;
        Some(choices.iter().find(|it| it.0 == constant).map_or(0, |it| it.1))
    }

    /// The numbers by which a `switch` knows constants, and what is asked for its number.
    fn looked_up(
        &self,
        here: &Here,
        state: &State,
        array: Operand,
        index: Operand,
    ) -> Option<(&'w [(FieldId, i64)], Operand)> {
        let Key::Static(array) = self.objects[self.value(state, array).object()?] else {
            return None;
        };
        let choices = self.world.choices(array)?;
        let rows = here.body.blocks[here.block].statements.clone();
        let asked = rows.rev().find_map(|row| match &here.body.statements[row as usize] {
            Statement::Call { to: Some(to), call } if Operand::Variable(*to) == index => Some(call),
            _ => None,
        })?;
        let receiver = *here.body.operands(&asked.arguments).first()?;
        self.world.is_ordinal(asked).then_some((choices, receiver))
    }

    /// The same for what a block chooses by at its end.
    pub(super) fn choice(
        &self,
        here: &Here,
        state: &State,
        on: Operand,
    ) -> Option<(&'w [(FieldId, i64)], Operand)> {
        let rows = here.body.blocks[here.block].statements.clone();
        rows.rev().find_map(|row| match &here.body.statements[row as usize] {
            Statement::LoadElement { to, array, index } if Operand::Variable(*to) == on => {
                self.looked_up(here, state, *array, *index)
            }
            _ => None,
        })
    }

    /// Something is done with objects: what getters answered before is no answer any more.
    pub(super) fn done_with(&self, here: &Here, state: &mut State, statement: &Statement) {
        let agains = self.agains(here.component);
        let program = self.world.program;
        let objects = match statement {
            Statement::Store { object, .. } => object.as_slice(),
            Statement::Call { call, .. }
                if !looks(program.text(program.selectors()[call.selector].name)) =>
            {
                here.body.operands(&call.arguments)
            }
            _ => return,
        };
        for variable in objects.iter().filter_map(|it| Self::local(*it)) {
            state.retain_decisions(agains.without_object(variable));
        }
    }

    /// The tests that stand more than once in the procedure of a component.
    pub(super) fn agains(&self, component: ComponentId) -> &Agains {
        &self.flow(self.components[component].procedure).agains
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
    pub(super) fn fresh(&mut self, here: &Here, state: &mut State, row: u32) -> ObjectId {
        let object = self.object(Key::At(row));
        self.detach(here, state, object);
        if state.track(object).is_some() || state.holds(object) {
            let written = here.body.statements.get(row as usize).and_then(Statement::written);
            let mut others = state.clone();
            if let Some(to) = written {
                others.set(Slot::Local(to), Value::Any);
            }
            others.retain(|slot, _| match slot {
                // Temporaries of an earlier round are not read again.
                Slot::Local(variable) => here.body.variables[variable].name.is_some(),
                Slot::Answer(..) => false,
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
        }
        object
    }

    /// A name stands for another object from now on: what was read from the fields of the former
    /// one has no name any more.
    pub(super) fn detach(&mut self, here: &Here, state: &mut State, object: ObjectId) {
        let is_inside = |it: ObjectId| {
            let mut at = it;
            while let Key::Field(outer, _) | Key::Part(outer, _) = self.objects[at] {
                if outer == object {
                    return true;
                }
                at = outer;
            }
            false
        };
        let tracks = state.tracks().iter().map(|track| track.object);
        let lost: Vec<ObjectId> = tracks.filter(|&it| is_inside(it)).collect();
        state.retain(|slot, _| match slot {
            Slot::Field(own, _) | Slot::Answer(Some(own), _) => own != object && !is_inside(own),
            _ => true,
        });
        state.update(|value| match value {
            Value::Object(own, _) if is_inside(own) => value.anonymous(),
            other => other,
        });
        for object in lost {
            self.lost(here, state, object, Ending::Return);
            state.forget(object);
        }
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
}

/// The length of the array that a statement makes.
fn made_length(world: &crate::world::World, body: &Body, row: u32) -> Option<i64> {
    let Some(Statement::NewArray { lengths, .. }) = body.statements.get(row as usize) else {
        return None;
    };
    match body.operands(lengths) {
        [Operand::Constant(length)] => match world.constant(*length) {
            Value::Number(length, _) => Some(length),
            _ => None,
        },
        _ => None,
    }
}

/// The variable that a variable is a copy of, perhaps of another type.
fn uncast(body: &Body, variable: VarId) -> VarId {
    let mut own = variable;
    // Each step goes to what was written before, or stops.
    for _ in 0..4 {
        let mut writers = body.statements.iter().filter(|it| it.written() == Some(own));
        match (writers.next(), writers.next()) {
            (
                Some(
                    Statement::Copy { from: Operand::Variable(from), .. }
                    | Statement::Cast { from: Operand::Variable(from), .. },
                ),
                None,
            ) if own.index() >= body.parameters => own = *from,
            _ => break,
        }
    }
    own
}

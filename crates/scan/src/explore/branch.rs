//! Jumps: where a block leads, and what its test tells.

use super::step::Here;
use super::{Ending, Explored};
use crate::state::{Slot, State};
use crate::values::{self, Cause, Key, Nullness, ObjectId, Value};
use tern_ir::{BlockId, Comparison, Jump, Operand, Operator, Statement, Test, Type, VarId};
use tern_model::Tri;
use tern_model::index::Id;

/// So many cases of a `switch` are taken to be all.
const CASES_ENOUGH: usize = 4;

impl<'p> Explored<'_, 'p> {
    pub(super) fn jump(&mut self, here: &Here<'p>, mut state: State) {
        match &here.body.blocks[here.block].jump {
            Jump::Goto(to) => {
                self.go(here.component, here.node, (*to, 0), state, None);
            }
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
                    self.choose(here, &mut state, *on, case);
                    left = left.map(|left| left - 1);
                    self.go(here.component, here.node, (block, 0), state, None);
                }
                if left != Some(0) {
                    self.complete(here, &mut state, cases, *otherwise);
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
                // What handlers for all that is thrown throw again is not known any more.
                let is_any =
                    || class.is_some_and(|it| self.world.program.text(it) == "java.lang.Throwable");
                let is_made = object.is_some_and(|it| self.is_new(here, it));
                let is_local = !matches!(key, Some(Key::Thrown(_))) && (is_made || !is_any());
                self.throw(here, state, class, !is_local, None);
            }
        }
    }

    /// A `switch` of several cases and no other, each of which writes a variable that was `null`
    /// before, is taken to be complete: who wrote it knows what it is given.
    fn complete(
        &self,
        here: &Here,
        state: &mut State,
        cases: &[(i64, BlockId)],
        otherwise: BlockId,
    ) {
        let body = here.body;
        let mut sides: Vec<BlockId> = cases.iter().map(|(_, block)| *block).collect();
        sides.sort_unstable();
        sides.dedup();
        // Where the cases come together again.
        let is_end = |side: &BlockId| match body.blocks[*side].jump {
            Jump::Goto(to) => to == otherwise,
            _ => false,
        };
        if sides.len() < CASES_ENOUGH || !sides.iter().all(is_end) {
            return;
        }
        let writes = |side: &BlockId, variable: VarId| {
            body.statements(*side).any(|(it, _)| it.written() == Some(variable))
        };
        state.retain(|slot, value| match (slot, value) {
            (Slot::Local(variable), Value::Null(Cause::Written)) => {
                !sides.iter().all(|side| writes(side, variable))
            }
            _ => true,
        });
    }

    /// Where a `switch` goes the way of one constant of an enumeration, that is what was asked.
    fn choose(&mut self, here: &Here, state: &mut State, on: Operand, case: i64) {
        let Some((choices, receiver)) = self.choice(here, state, on) else { return };
        let mut fitting = choices.iter().filter(|it| it.1 == case);
        if let (Some(&(constant, _)), None) = (fitting.next(), fitting.next())
            && let Some(object) = self.value(state, receiver).object()
        {
            let constant = self.object(Key::Static(constant));
            if constant != object {
                state.replace(object, Value::Object(constant, Nullness::NonNull));
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
        let (mut yes_state, mut no_state) = self.split(here, state, test);
        let again = self.agains(here.component).of(here.block);
        let mut is_open = false;
        if let Some(again) = again {
            let known = state.decision(again.test).map(|it| it != again.is_opposite);
            match known {
                Some(true) => no_state = None,
                Some(false) => yes_state = None,
                None => {
                    let note = |side: &mut Option<State>, truth: bool| {
                        if let Some(state) = side {
                            state.decide(again.test, truth != again.is_opposite);
                        }
                    };
                    note(&mut yes_state, true);
                    note(&mut no_state, false);
                }
            }
            // Others may have written since: what follows is likely, and not decided.
            is_open = again.is_shared && known.is_some();
        }
        if self.replay.is_none() {
            let own = &mut self.components[here.component];
            let mut seen = u8::from(yes_state.is_some()) | u8::from(no_state.is_some()) << 1;
            if is_open {
                seen = 3;
            }
            *own.tests.entry(here.block).or_default() |= seen;
        }
        let asides = &self.flow(self.components[here.component].procedure).asides;
        for (side, to, truth) in [(yes_state, yes, true), (no_state, no, false)] {
            let Some(state) = side else { continue };
            for mut state in self.apart(here, state, test, truth) {
                asides.doubt(here.block, to, &mut state);
                self.go(here.component, here.node, (to, 0), state, None);
            }
        }
    }

    /// The facts of one side of a test, apart for each value if it compares two booleans of which
    /// nothing is known: what one of them is says what the other is.
    fn apart(&self, here: &Here, state: State, test: &Test, truth: bool) -> Vec<State> {
        let is_equal = match test.comparison {
            Comparison::Equal => truth,
            Comparison::NotEqual => !truth,
            _ => return vec![state],
        };
        let (Some(left), Some(right)) = (Self::local(test.left), Self::local(test.right)) else {
            return vec![state];
        };
        let is_open = |variable: VarId| {
            let value = state.get(Slot::Local(variable));
            matches!(value, Value::Any | Value::Number(0, 1))
                && self.is_boolean(here, Operand::Variable(variable))
        };
        if left == right || !is_open(left) || !is_open(right) {
            return vec![state];
        }
        let with = |value: i64| {
            let mut state = state.clone();
            let other = if is_equal { value } else { 1 - value };
            state.set(Slot::Local(left), Value::number(value));
            state.set(Slot::Local(right), Value::number(other));
            state
        };
        vec![with(0), with(1)]
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
            let (mut null, other) = self.split_null(here, state, operand, value);
            // Two variables are compared: nobody says that they may be `null`.
            if let (Some(_), Some(_)) = (Self::local(test.left), Self::local(test.right))
                && value.is_null() == Tri::Unknown
                && let Some(state) = &mut null
            {
                for variable in [test.left, test.right].into_iter().filter_map(Self::local) {
                    state.set(Slot::Local(variable), Value::Null(Cause::Assumed));
                }
            }
            return match test.comparison {
                Comparison::Equal => (null, other),
                _ => (other, null),
            };
        }
        if is_equality && let Some(same) = self.is_same(here, state, test, (left, right)) {
            let own = Some(state.clone());
            let holds = same == (test.comparison == Comparison::Equal);
            return if holds { (own, None) } else { (None, own) };
        }
        if is_equality && let (Some(a), Some(b)) = (left.object(), right.object()) {
            let (mut equal, other) = (state.clone(), state.clone());
            // Two names of one object: what others use by one of them, they use.
            if state.is_escaped(a) || state.is_escaped(b) {
                self.escape(here, &mut equal, left);
                self.escape(here, &mut equal, right);
            }
            return match test.comparison {
                Comparison::Equal => (Some(equal), Some(other)),
                _ => (Some(other), Some(equal)),
            };
        }
        let all = (i64::MIN, i64::MAX);
        let interval = |operand: Operand, value: Value| match value {
            Value::Number(low, high) => Some((low, high)),
            Value::Any if self.is_boolean(here, operand) => Some((0, 1)),
            Value::Any => Some(all),
            _ => None,
        };
        let (Some(a), Some(b)) = (interval(test.left, left), interval(test.right, right)) else {
            return (Some(state.clone()), Some(state.clone()));
        };
        // What the type allows decides some tests; nothing else is made of it.
        let wide = |operand: Operand, it: (i64, i64)| match it == all && self.is_int(here, operand)
        {
            true => values::bounds(32),
            false => it,
        };
        match values::compare(test.comparison, wide(test.left, a), wide(test.right, b)) {
            Tri::True => return (Some(state.clone()), None),
            Tri::False => return (None, Some(state.clone())),
            Tri::Unknown => {}
        }
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
                    if let Some(slot) = self.read_from(here, &state, variable) {
                        state.set(slot, value);
                    }
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

    /// Whether two values that a test compares are the same object, if that is known.
    fn is_same(
        &self,
        here: &Here,
        state: &State,
        test: &Test,
        values: (Value, Value),
    ) -> Option<bool> {
        // Constants of the same text are the same object.
        if let (Value::Text(a), Value::Text(b)) = values {
            return Some(a == b);
        }
        let (a, b) = (values.0.object()?, values.1.object()?);
        if let (Some(a), Some(b)) = (self.enumerated(values.0), self.enumerated(values.1)) {
            return Some(a == b);
        }
        let differs = self.is_other(here, state, a, b)
            || self.is_other(here, state, b, a)
            || self.replay.is_some() && self.are_given_apart(test, a, b);
        if a == b { Some(true) } else { differs.then_some(false) }
    }

    /// The field that a variable was just read from, if nothing can have written it since.
    fn read_from(&self, here: &Here, state: &State, variable: VarId) -> Option<Slot> {
        let rows = here.body.blocks[here.block].statements.clone();
        for row in rows.rev() {
            match &here.body.statements[row as usize] {
                Statement::Load { to, object, field } if *to == variable => {
                    let field = self.world.field(*field);
                    return match object {
                        None => Some(Slot::Static(field)),
                        Some(object) => {
                            let object = self.value(state, *object).object()?;
                            Some(Slot::Field(object, field))
                        }
                    };
                }
                Statement::Call { to: Some(to), call } if *to == variable => {
                    let is_own = |it: &Operand| *it == Operand::Variable(variable);
                    let is_gone = here.body.operands(&call.arguments).iter().any(is_own);
                    return self.answer_slot(here, state, row, call).filter(|_| !is_gone);
                }
                Statement::Store { .. } | Statement::Call { .. } | Statement::Monitor { .. } => {
                    return None;
                }
                other if other.written().is_some() => return None,
                _ => {}
            }
        }
        None
    }

    /// Whether a test at the head of a loop is about a variable that the loop goes on with.
    fn is_step(&self, here: &Here, variable: VarId) -> bool {
        let flow = self.flow(self.components[here.component].procedure);
        let is_cyclic = |block: BlockId| flow.cyclic[block.index()];
        let mut inside = here.body.blocks.ids().filter(|&id| is_cyclic(id));
        flow.heads[here.block.index()]
            && inside
                .any(|id| here.body.statements(id).any(|(it, _)| it.written() == Some(variable)))
    }

    /// Whether an operand is a number of at most 32 bits.
    fn is_int(&self, here: &Here, operand: Operand) -> bool {
        let Operand::Variable(variable) = operand else { return false };
        let ty = here.body.variables[variable].ty;
        matches!(self.world.program.types()[ty], Type::Integer { bits, .. } if bits <= 32)
    }

    fn is_boolean(&self, here: &Here, operand: Operand) -> bool {
        let Operand::Variable(variable) = operand else { return false };
        self.world.program.types()[here.body.variables[variable].ty] == Type::Boolean
    }

    /// Whether an object was made by `new` here.
    pub(super) fn is_new(&self, here: &Here, object: crate::values::ObjectId) -> bool {
        let Key::At(row) = self.objects[object] else { return false };
        matches!(
            here.body.statements.get(row as usize),
            Some(Statement::New { .. } | Statement::NewArray { .. })
        )
    }

    /// Whether two objects were given by two parameters, and are compared by another name of one of
    /// them, as in `first = a.id < b.id ? a : b; second = first == a ? b : a;`. That both are the
    /// same can be, but the code does not speak of that: it does where it says `a == b`.
    fn are_given_apart(&self, test: &Test, a: ObjectId, b: ObjectId) -> bool {
        let (Key::Parameter(a), Key::Parameter(b)) = (self.objects[a], self.objects[b]) else {
            return false;
        };
        let is_named = |it: u32| {
            let own = Operand::Variable(VarId::new(it as usize));
            test.left == own || test.right == own
        };
        a != b && !(is_named(a) && is_named(b))
    }

    /// Whether an object was made here, and another cannot be that one: it was made here too, or
    /// comes from where nobody has put the first.
    fn is_other(&self, here: &Here, state: &State, made: ObjectId, other: ObjectId) -> bool {
        made != other
            && self.is_new(here, made)
            && match self.objects[other] {
                Key::Parameter(_) => true,
                Key::Static(_) | Key::Field(..) => !state.is_escaped(made),
                _ => self.is_new(here, other),
            }
    }

    fn split_null(
        &mut self,
        here: &Here,
        state: &State,
        operand: Operand,
        value: Value,
    ) -> (Option<State>, Option<State>) {
        // What is known to be an object by another name is one by this name, too.
        let is_known = |object: ObjectId| {
            let known =
                |it: &(Slot, Value)| it.1.object() == Some(object) && it.1.is_null() == Tri::False;
            state.slots().iter().any(known)
        };
        match value {
            Value::Object(object, Nullness::Unknown) if is_known(object) => {
                (None, Some(state.clone()))
            }
            Value::Object(object, Nullness::Unknown) => {
                let (mut null, mut other) = (state.clone(), state.clone());
                other.refine(object, Nullness::NonNull);
                null.replace(object, Value::Null(self.why_null(object)));
                null.forget(object);
                if let Some(variable) = Self::local(operand)
                    && self.is_step(here, variable)
                {
                    // What ends a loop is not what it began with:
                    // `for (x = p; x != null; x = x.next)`.
                    null.update(Value::assumed);
                    let known =
                        state.slots().iter().filter(|it| it.1 == Value::Null(Cause::Tested));
                    known.for_each(|&(slot, value)| null.set(slot, value));
                    null.set(Slot::Local(variable), Value::Null(Cause::Tested));
                }
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
                if let (Value::Object(_, Nullness::Used(line)), true) =
                    (value, self.replay.is_none())
                {
                    self.components[here.component].late.entry(here.block).or_insert(line);
                }
                (None, Some(state.clone()))
            }
        }
    }
}

impl Explored<'_, '_> {
    /// Why an object is taken to be `null` that is tested for it. That a field which always holds
    /// an object is tested says nothing.
    pub(super) fn why_null(&self, object: ObjectId) -> Cause {
        match self.objects[object] {
            Key::Field(_, field) | Key::Static(field) if self.world.is_never_null(field) => {
                Cause::Assumed
            }
            _ => Cause::Tested,
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

//! Events: what calls do to the objects of rules.

use super::step::Here;
use super::{Breach, Explored, Violation};
use crate::rules::{Claim, ERROR, FORGOTTEN, Literal, What};
use crate::state::{Slot, Stage, State, Track};
use crate::values::{Cause, Key, Nullness, ObjectId, Value, compare};
use crate::world::{Callee, Match};
use tern_ir::{Comparison, Statement, Type, TypeId, VarId};
use tern_model::Tri;

impl<'p> Explored<'_, 'p> {
    /// The facts after a call that came back, with each result that matters.
    pub(super) fn results(
        &mut self,
        here: &Here<'p>,
        state: &State,
        to: Option<VarId>,
        result: TypeId,
        callee: &Callee,
        values: &[Value],
    ) -> Vec<(State, Option<Value>)> {
        let is_answer = self.world.program.types()[result] == Type::Boolean;
        let splits = callee.matches.iter().any(|row| row.result.is_some()) && is_answer;
        let answers: &[Option<bool>] = if splits { &[Some(true), Some(false)] } else { &[None] };
        let mut variants = Vec::new();
        for &answer in answers {
            let mut state = state.clone();
            let mut value = match answer {
                Some(answer) => Some(Value::number(i64::from(answer))),
                None => to.is_some().then(|| self.answer(here, &mut state, callee, result)),
            };
            let is_reference = self.is_reference(result);
            if callee.model.same && is_reference && !values.is_empty() {
                value = Some(values[0]);
            }
            if callee.model.part
                && let Some(object) = values.first().and_then(|it| it.object())
                && let Some(Statement::Call { call, .. }) =
                    here.body.statements.get(here.row as usize)
            {
                let name = self.world.program.selectors()[call.selector].name;
                let part = self.object(Key::Part(object, name));
                value = Some(Value::Object(part, Nullness::NonNull));
            }
            for row in callee.matches.iter() {
                if row.result.is_some() && row.result != answer
                    || !self.is_given(here, &mut state, row, values)
                {
                    continue;
                }
                match row.what {
                    What::Ignored => self.ignored(here, row, to),
                    What::Result | What::Made => {
                        self.made(here, &mut state, row, &mut value, callee, values);
                    }
                    _ => self.receive(here, &mut state, row, values, false),
                }
            }
            let is_nullable = self.may_answer_null(here, callee);
            if is_nullable && is_reference && !self.has_parent(here, values) {
                // Who has tested the same answer before knows it.
                let again = self.asked_again(here, &state);
                if to.is_some() && again.is_none_or(|it| state.get(it) != Value::NonNull) {
                    variants.push((state.clone(), Some(Value::Null(Cause::Result))));
                }
                if let Some(slot) = again {
                    state.set(slot, Value::NonNull);
                }
                value = value.map(|value| match value {
                    Value::Object(object, _) => Value::Object(object, Nullness::NonNull),
                    other => other,
                });
            } else if (callee.model.nonnull
                || is_nullable
                || callee.matches.iter().any(|it| it.what == What::Result))
                && let Some(Value::Object(object, _)) = value
            {
                value = Some(Value::Object(object, Nullness::NonNull));
            }
            if callee.model.asks
                && let (Some(slot), Some(own)) = (self.asked_again(here, &state), value)
            {
                let known = state.known(slot);
                let Some(same) = known.map_or(value, |it| self.agree(here, it, own)) else {
                    continue;
                };
                state.set(slot, same);
                value = Some(same);
            }
            variants.push((state, value));
        }
        variants
    }

    /// Whether the answer of a call may be `null`, and must be tested.
    pub(super) fn may_answer_null(&self, here: &Here<'p>, callee: &Callee) -> bool {
        let procedure = self.components[here.component].procedure;
        let site = || self.flow(procedure).sites[here.row as usize] as usize;
        let is_doubted =
            || !self.is_keyed(procedure, here.row) && self.world.is_doubted(procedure, site());
        callee.model.nullable || callee.model.lookup && is_doubted()
    }

    /// Whether a file or path is asked that lies in a folder: it was made with one, or is absolute.
    /// That it may be the root itself is not thought of.
    fn has_parent(&self, here: &Here<'p>, values: &[Value]) -> bool {
        let program = self.world.program;
        let name_of = |call: &tern_ir::Call| program.text(program.selectors()[call.selector].name);
        let is_asked = matches!(here.body.statements.get(here.row as usize),
            Some(Statement::Call { call, .. }) if name_of(call).starts_with("getParent"));
        if !is_asked {
            return false;
        }
        let Some(Key::At(row)) =
            values.first().and_then(|it| it.object()).map(|it| self.objects[it])
        else {
            return false;
        };
        match here.body.statements.get(row as usize) {
            Some(Statement::Call { call, .. }) => {
                ["getAbsoluteFile", "getCanonicalFile", "toAbsolutePath", "toRealPath"]
                    .contains(&name_of(call))
            }
            Some(Statement::New { to, class }) if program.text(*class) == "java.io.File" => {
                let is_made_with_two = |it: &Statement| match it {
                    Statement::Call { call, .. } => {
                        let arguments = here.body.operands(&call.arguments);
                        arguments.len() == 3
                            && arguments[0] == tern_ir::Operand::Variable(*to)
                            && name_of(call) == "<init>"
                    }
                    _ => false,
                };
                here.body.statements.iter().skip(row as usize).take(12).any(is_made_with_two)
            }
            _ => false,
        }
    }

    /// Whether the arguments of a call have the values that make it an event. Where that is not
    /// known, nothing is known of the object afterwards.
    fn is_given(&self, here: &Here, state: &mut State, row: &Match, values: &[Value]) -> bool {
        match self.has_given(row, values) {
            Tri::True => true,
            Tri::False => false,
            Tri::Unknown => {
                let object = values.first().and_then(|it| it.object());
                if let (Some(object), What::Receiver) = (object, &row.what) {
                    let since = Some(here.row);
                    state.set_stage(object, Stage { rule: row.rule, state: FORGOTTEN, since });
                }
                false
            }
        }
    }

    /// Whether the arguments of a call have the values that a pattern names.
    pub(super) fn has_given(&self, row: &Match, values: &[Value]) -> Tri {
        let mut all = Tri::True;
        for (position, wanted) in &row.given {
            let value = values.len().checked_sub(*position).map_or(Value::Any, |it| values[it]);
            let has = match (wanted, value) {
                (Literal::Integer(wanted), Value::Number(low, high)) => {
                    compare(Comparison::Equal, (low, high), (*wanted, *wanted))
                }
                (Literal::Text(wanted), Value::Text(name)) => {
                    Tri::from(self.world.program.text(name) == wanted)
                }
                (Literal::Text(_), Value::Null(_)) => Tri::False,
                (Literal::Null, value) => value.is_null(),
                _ => Tri::Unknown,
            };
            match has {
                Tri::False => return Tri::False,
                Tri::Unknown => all = Tri::Unknown,
                Tri::True => {}
            }
        }
        all
    }

    /// Notes events of rules with formulas: at the call, or behind it if they depend on its answer.
    pub(super) fn mark(
        &mut self,
        here: &Here<'p>,
        callee: &Callee,
        values: &[Value],
        behind: Option<(usize, i64)>,
    ) {
        for row in &callee.matches {
            let fits = match (row.result, behind) {
                (None, None) => true,
                (Some(wanted), Some((_, answer))) => i64::from(wanted) == answer,
                _ => false,
            };
            let fits = fits && self.has_given(row, values) == Tri::True;
            let (true, Some(event)) = (fits && self.replay.is_none(), row.event) else { continue };
            if !self.watched[usize::from(row.rule)].is_formula {
                continue;
            }
            let object = match row.what {
                What::Receiver | What::Made => match values.first().and_then(|it| it.object()) {
                    Some(object) => Some(object),
                    None => continue,
                },
                What::Result => Some(self.object(Key::At(here.row))),
                _ => None,
            };
            let node = behind.map_or(here.node, |(node, _)| node);
            let marks = &mut self.components[here.component].marks;
            let mark = (node, row.rule, event, object);
            if !marks.contains(&mark) {
                marks.push(mark);
            }
        }
    }

    /// An event in which the object is made or given by the call.
    fn made(
        &mut self,
        here: &Here<'p>,
        state: &mut State,
        row: &Match,
        value: &mut Option<Value>,
        callee: &Callee,
        values: &[Value],
    ) {
        let object = match row.what {
            What::Made => {
                values.first().and_then(|it| it.object()).filter(|&it| self.is_new(here, it))
            }
            _ => {
                let has_owner = callee.model.child
                    && values.first().and_then(|it| it.object()).is_some_and(|owner| {
                        !state.is_escaped(owner) && state.stage(owner, row.rule) != 0
                    });
                if has_owner {
                    // What it gives in turn is closed with the owner, too.
                    if let Some(object) = value.and_then(Value::object) {
                        let since = Some(here.row);
                        state.set_stage(object, Stage { rule: row.rule, state: FORGOTTEN, since });
                    }
                    return;
                }
                // Also what nobody keeps is made.
                let made = value.and_then(Value::object);
                Some(made.unwrap_or_else(|| self.fresh(here, state, here.row)))
            }
        };
        if let Some(object) = object {
            self.advance(here, state, row, object);
        }
    }

    /// An event in which the object is the receiver. If it throws, only what gives something back
    /// has happened.
    pub(super) fn receive(
        &mut self,
        here: &Here<'p>,
        state: &mut State,
        row: &Match,
        values: &[Value],
        throws: bool,
    ) {
        if row.what != What::Receiver {
            return;
        }
        let Some(object) = values.first().and_then(|it| it.object()) else { return };
        if self.is_own_affair(here, row, object) {
            return;
        }
        if row.event.is_none() {
            // Who gives it back afterwards, and did not take it here, does so for others.
            let since = state.since(object, row.rule);
            return state.set_stage(object, Stage { rule: row.rule, state: FORGOTTEN, since });
        }
        if !throws {
            return self.advance(here, state, row, object);
        }
        let before = state.stage(object, row.rule);
        let (Some(automaton), Some(event)) =
            (&self.watched[usize::from(row.rule)].automaton, row.event)
        else {
            return;
        };
        let after = automaton.next(before, usize::from(event));
        // What breaks the rule does so, whatever comes of it.
        if after == ERROR || automaton.is_pending(before) && !automaton.is_pending(after) {
            self.advance(here, state, row, object);
        }
    }

    /// Whether an object is the one that a method is run on.
    fn is_receiver(&self, here: &Here, object: ObjectId) -> bool {
        let procedure = self.components[here.component].procedure;
        self.objects[object] == Key::Parameter(0)
            && !self.world.program.procedures()[procedure].is_static
    }

    /// What an object does to itself, by methods of the program that are too far away to be gone
    /// into, is its own affair as well where only names say what is done.
    fn is_own_affair(&self, here: &Here, row: &Match, object: ObjectId) -> bool {
        let procedure = self.components[here.component].procedure;
        self.watched[usize::from(row.rule)].rule.is_about_names()
            && self.is_receiver(here, object)
            && self.call_at(procedure, here.row).is_some_and(|it| !it.is_missing)
    }

    /// An event that was entered came back: it is judged by what was known of the receiver before.
    /// What an object does to itself is its own affair.
    pub(super) fn came_back(
        &mut self,
        here: &Here<'p>,
        state: &mut State,
        row: &Match,
        values: &[Value],
        given: &Option<Option<Track>>,
        throws: bool,
    ) {
        let object = values.first().and_then(|it| it.object());
        let object = object.filter(|&it| !self.is_receiver(here, it));
        let (Some(object), Some(event)) = (object, row.event) else { return };
        if !self.is_given(here, state, row, values) {
            return;
        }
        let Some(automaton) = &self.watched[usize::from(row.rule)].automaton else { return };
        let stages = given.as_ref().and_then(Option::as_ref).map_or(&[][..], |it| &it.stages);
        let before = stages.iter().find(|it| it.rule == row.rule).map_or(0, |it| it.state);
        let after = automaton.next(before, usize::from(event));
        if after == ERROR {
            self.breach(here, row, Some(object), before == 0);
            let stage = Stage { rule: row.rule, state: FORGOTTEN, since: Some(here.row) };
            state.set_stage(object, stage);
        } else if after != before {
            self.receive(here, state, row, values, throws);
        }
    }

    /// Moves an object on in the automaton of a rule.
    fn advance(&mut self, here: &Here, state: &mut State, row: &Match, object: ObjectId) {
        let (Some(automaton), Some(event)) =
            (&self.watched[usize::from(row.rule)].automaton, row.event)
        else {
            return;
        };
        let before = state.stage(object, row.rule);
        let after = automaton.next(before, usize::from(event));
        let earlier = state.since(object, row.rule);
        let is_pending = automaton.is_pending(before);
        if self.replay.is_none() {
            self.note_open(here, state, row, object, earlier);
        }
        if state.is_escaped(object)
            && !matches!(self.objects[object], Key::Static(_) | Key::Field(..))
        {
            return;
        }
        if self.replay.is_none() {
            let own = &mut self.components[here.component];
            own.done.insert((row.rule, event, object));
            if is_pending && !automaton.is_pending(after) {
                own.ended.insert((row.rule, object));
            }
        }
        if after == ERROR {
            self.breach(here, row, Some(object), before == 0);
        }
        // Once is enough: what broke a rule is not followed any more, in that rule.
        let after = if after == ERROR { FORGOTTEN } else { after };
        // Where something was given back, what is left was taken before.
        let given = self.components[here.component].entry.stage(object, row.rule);
        let since = match is_pending && after < before {
            // What callers took stays theirs.
            true if after <= given => None,
            true => earlier,
            false => Some(here.row),
        };
        let stage = Stage { rule: row.rule, state: after, since };
        state.set_stage(object, stage);
    }

    /// Notes what is done to an object in a field that only makes sense with what others do to it:
    /// giving back what was not taken here; or, if it is known by another name here, anything.
    fn note_open(
        &mut self,
        here: &Here,
        state: &State,
        row: &Match,
        object: ObjectId,
        earlier: Option<u32>,
    ) {
        let Some(event) = row.event else { return };
        let gives = match self.watched[usize::from(row.rule)].rule.claim {
            Claim::Released { give, .. } => usize::from(event) == give,
            _ => false,
        };
        // What was taken after it was forgotten may be left so as well.
        let takes = match self.watched[usize::from(row.rule)].rule.claim {
            Claim::OnlyAfter { first, .. } => usize::from(event) == first,
            _ => false,
        };
        let is_forgotten = state.stage(object, row.rule) == FORGOTTEN;
        if gives && earlier.is_none() || takes && is_forgotten {
            self.components[here.component].open.insert((row.rule, event, object));
        }
        if matches!(self.objects[object], Key::Static(_) | Key::Field(..)) {
            return;
        }
        let keys: Vec<Key> = state
            .slots()
            .iter()
            .filter(|(_, value)| value.object() == Some(object))
            .filter_map(|(slot, _)| match *slot {
                Slot::Field(own, field) => Some(Key::Field(own, field)),
                Slot::Static(field) => Some(Key::Static(field)),
                Slot::Local(_) | Slot::Answer(..) => None,
            })
            .collect();
        for key in keys {
            let kept = self.object(key);
            self.components[here.component].open.insert((row.rule, event, kept));
        }
    }

    /// What a call answers of which nothing else is known.
    pub(super) fn answer(
        &mut self,
        here: &Here,
        state: &mut State,
        callee: &Callee,
        ty: TypeId,
    ) -> Value {
        let ty_of = &self.world.program.types()[ty];
        match (callee.model.least, ty_of) {
            (Some(least), Type::Integer { bits, .. }) if callee.is_missing => {
                Value::Number(least, crate::values::bounds(*bits).1)
            }
            _ => self.unknown(here, state, here.row, ty),
        }
    }

    /// The result of a call is not looked at: a rule may forbid that.
    fn ignored(&mut self, here: &Here, row: &Match, to: Option<VarId>) {
        let claim = &self.watched[usize::from(row.rule)].rule.claim;
        let is_bad = match claim {
            Claim::Never(bad) => row.event.is_some_and(|it| usize::from(it) == *bad),
            _ => true,
        };
        if to.is_none() && is_bad {
            self.breach(here, row, None, false);
        }
    }

    pub(super) fn breach(
        &mut self,
        here: &Here,
        row: &Match,
        object: Option<ObjectId>,
        was_first: bool,
    ) {
        let violation = Violation {
            node: here.node,
            statement: here.row,
            rule: row.rule,
            breach: Breach::Event,
            object,
            was_first,
            is_tested: false,
            is_doubted: false,
            is_given: false,
        };
        self.note(here.component, violation);
    }
}

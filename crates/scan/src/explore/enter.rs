//! Callees that are entered: what they are told, and what callers learn from their exits.

use super::step::Here;
use super::{ComponentId, Explored};
use crate::rules::{Claim, FORGOTTEN};
use crate::state::{Slot, Stage, State, Track};
use crate::values::{Cause, Key, Nullness, ObjectId, Value};
use crate::world::{GIVEN, NAMED, Reliance, TESTED, USED};
use tern_ir::{Access, Call, Dispatch, FieldId, NameId, Operand, ProcId, Statement, TypeId, VarId};
use tern_model::Tri;
use tern_model::index::Id;

impl<'w, 'p> Explored<'w, 'p> {
    /// Enters the targets of a call, and goes on behind each exit that is known.
    pub(super) fn enter(
        &mut self,
        here: &Here<'p>,
        state: &State,
        call: &Call,
        targets: &[ProcId],
    ) {
        let is_resuming = self.is_resuming(here);
        let given = here.body.operands(&call.arguments).iter();
        let values: Vec<Value> = given
            .map(|operand| match self.value(state, *operand) {
                Value::Null(_) if is_resuming => Value::Any,
                value => value,
            })
            .collect();
        self.linkage(here, state);
        for &target in targets {
            self.fail(here, state, call, target, &values);
            let entry = self.entry(state, target, &values);
            let is_null = |it: &&(Slot, Value)| matches!(it.1, Value::Null(_));
            let nulls: Vec<(Slot, Value)> = entry.slots().iter().filter(is_null).copied().collect();
            let callee = self.component(target, entry);
            // A context that does not know of `null` does not see that it is used, either.
            let told = &self.components[callee].entry;
            if nulls.iter().any(|&(slot, value)| told.get(slot) != value) {
                self.stop(here);
            }
            let caller = (here.component, here.node);
            let own = &mut self.components[callee];
            if own.caller_known.insert(caller) {
                own.callers.push(caller);
            }
            for exit in 0..self.components[callee].exits.len() {
                self.resume(caller, callee, exit);
            }
        }
    }

    /// Whether a method of Kotlin goes on where a function has waited: its arguments are not looked
    /// at, and `null` stands for them.
    fn is_resuming(&self, here: &Here) -> bool {
        let program = self.world.program;
        let procedure = &program.procedures()[self.components[here.component].procedure];
        program.text(program.selectors()[procedure.selector].name) == "invokeSuspend"
    }

    /// Errors of linking and of the machine may come of any call, for those who expect them.
    fn linkage(&mut self, here: &Here<'p>, state: &State) {
        for handler in here.body.handlers(here.block) {
            if let Some(class) = handler.class.filter(|&class| self.world.is_error(class)) {
                self.caught(here, state, class);
            }
        }
    }

    /// What code that a callee calls and is not there may throw goes to handlers that take it: what
    /// the callee declares, and what need not be declared, if people expect that.
    fn fail(
        &mut self,
        here: &Here<'p>,
        state: &State,
        call: &Call,
        target: ProcId,
        values: &[Value],
    ) {
        let world = self.world;
        let handlers = here.body.handlers(here.block);
        if handlers.is_empty() {
            return;
        }
        let unchecked = world.program.find_name("java.lang.RuntimeException");
        let unchecked = unchecked.filter(|_| world.is_fragile(target));
        let classes = world.failing(target).iter().copied().chain(unchecked);
        for class in classes {
            let is_named = |it: NameId| {
                // Compilers write handlers for all that is thrown.
                Some(class) != unchecked || world.program.text(it) != "java.lang.Throwable"
            };
            let takes = |it: NameId| world.is_below(class, it) == Tri::True && is_named(it);
            if handlers.iter().any(|it| it.class.is_some_and(takes)) {
                let mut state = state.clone();
                if self.is_closing(call) {
                    self.excuse(&mut state);
                }
                let writes = self.writes_of(here, call, target, values);
                self.clobber(here.component, &mut state, writes);
                self.caught(here, &state, class);
            }
        }
    }

    /// The field of which a value is the constant of an enumeration.
    pub(super) fn enumerated(&self, value: Value) -> Option<FieldId> {
        match self.objects[value.object()?] {
            Key::Static(field) if self.world.is_enumerated(field) => Some(field),
            _ => None,
        }
    }

    /// What a callee can look at of the facts at a call.
    fn entry(&mut self, state: &State, target: ProcId, values: &[Value]) -> State {
        let mut entry = self.general_entry(target);
        let world = self.world;
        let senses = world.senses(target);
        let reads = world.reads(target);
        let has_null = values.iter().any(|it| matches!(it, Value::Null(_)));
        for (position, &value) in values.iter().enumerate() {
            let Some(&sense) = senses.get(position) else { continue };
            let slot = Slot::Local(VarId::new(position));
            let own = self.object(Key::Parameter(position as u32));
            match value {
                Value::Null(_) if sense & (TESTED | USED | GIVEN) != 0 => entry.set(slot, value),
                Value::Number(low, high) if low == high && sense & TESTED != 0 => {
                    entry.set(slot, value);
                }
                Value::Text(_) if sense & NAMED != 0 => entry.set(slot, value),
                // What kind of thing is asked for says whether the `null` is looked at.
                Value::Object(it, _) if has_null && self.enumerated(value).is_some() => {
                    entry.set(slot, Value::Object(it, Nullness::NonNull));
                }
                value if value.is_null() == Tri::False && sense & TESTED != 0 => {
                    entry.set(slot, Value::Object(own, Nullness::NonNull));
                }
                _ => {}
            }
            let Some(object) = value.object() else { continue };
            let twice = values.iter().filter(|it| it.object() == Some(object)).count() > 1;
            if let (Some(track), false) = (state.track(object), twice) {
                let mut track = self.told(track);
                track.object = own;
                if !track.stages.is_empty() {
                    entry.put(track);
                }
            }
            for &(slot, value) in state.slots() {
                if let Slot::Field(outer, field) = slot
                    && outer == object
                    && reads.is_some_and(|reads| reads.binary_search(&field).is_ok())
                    && is_plain(value)
                {
                    entry.set(Slot::Field(own, field), value);
                }
            }
        }
        for &(slot, value) in state.slots() {
            if let Slot::Static(field) = slot
                && reads.is_some_and(|reads| reads.binary_search(&field).is_ok())
                && is_plain(value)
            {
                entry.set(slot, value);
            }
        }
        for track in state.tracks() {
            // Locks that are kept in classes, or in fields of the receiver.
            let key = match self.objects[track.object] {
                Key::Static(field) => Some((Key::Static(field), field)),
                Key::Field(outer, field) => {
                    let position = values.iter().position(|it| it.object() == Some(outer));
                    position.map(|position| {
                        let own = self.object(Key::Parameter(position as u32));
                        (Key::Field(own, field), field)
                    })
                }
                _ => None,
            };
            if let Some((key, field)) = key
                && !track.stages.is_empty()
                && reads.is_some_and(|reads| reads.binary_search(&field).is_ok())
            {
                let mut track = self.told(track);
                track.object = self.object(key);
                entry.put(track);
            }
        }
        entry
    }

    /// What others are told of an object: not of rules that are about one procedure.
    pub(super) fn told(&self, track: &Track) -> Track {
        let mut track = track.clone();
        track.stages.retain(|stage| !self.watched[usize::from(stage.rule)].rule.is_local);
        track.stages.iter_mut().for_each(|stage| stage.since = None);
        track
    }

    /// Goes on in a caller behind an exit of a callee.
    pub(super) fn resume(
        &mut self,
        caller: (ComponentId, usize),
        callee: ComponentId,
        exit: usize,
    ) {
        let state = self.components[caller.0].nodes[caller.1].state.clone();
        self.resume_with(caller, state, callee, exit);
    }

    /// The same with facts that may be more than those of the node.
    pub(super) fn resume_with(
        &mut self,
        (component, node): (ComponentId, usize),
        mut state: State,
        callee: ComponentId,
        exit: usize,
    ) {
        let procedure = self.components[component].procedure;
        let body = self.body(procedure);
        let own = &self.components[component].nodes[node];
        let (block, at) = (own.block, own.at);
        let row = body.blocks[block].statements.start + at;
        let line = body.places[row as usize].line;
        let here = Here { component, node, body, block, at, row, line };
        let Statement::Call { to, call } = &body.statements[row as usize] else { return };
        state.retain_decisions(self.agains(component).without(*to, None));
        self.done_with(&here, &mut state, &body.statements[row as usize]);
        if call.dispatch != Dispatch::Static {
            self.dereference(&here, &mut state, body.operands(&call.arguments)[0]);
        }
        let values: Vec<Value> = body
            .operands(&call.arguments)
            .iter()
            .map(|operand| self.value(&state, *operand))
            .collect();
        let answer = to.and_then(|_| self.answer_slot(&here, &state, row, call));
        let before = answer.and_then(|slot| state.known(slot));
        let target = self.components[callee].procedure;
        let exit_row = self.components[callee].exits[exit].clone();
        if !comes_back(&exit_row.state, &values) {
            self.stop(&here);
            return;
        }
        let world = self.world;
        let given = values.first().and_then(|it| it.object()).map(|it| state.track(it).cloned());
        let writes = self.writes_of(&here, call, target, &values);
        self.clobber(component, &mut state, writes);
        let told = self.components[callee].entry.tracks().to_vec();
        let wrapping = self.wrapping(&here, call, &values);
        // What is kept by what is made of it is not as it was at first.
        let is_kept = |it: &&Track| wrapping.is_some() && exit_row.state.is_escaped(it.object);
        let lost: Vec<Track> = told.iter().filter(|it| !is_kept(it)).cloned().collect();
        self.unlearn(&here, &mut state, &values, &lost, &exit_row.state);
        self.learn(
            &here,
            &mut state,
            &values,
            (&told, &exit_row.state),
            body.operands(&call.arguments),
            wrapping,
        );
        let via = Some((callee, exit));
        let site = self.flow(procedure).sites[row as usize] as usize;
        let throws = exit_row.ending != super::Ending::Return;
        for row in &world.callee(procedure, site).matches {
            self.came_back(&here, &mut state, row, &values, &given, throws);
        }
        match exit_row.ending {
            super::Ending::Throw(class, _) => {
                if self.is_closing(call) {
                    self.excuse(&mut state);
                }
                let is_far = self.view.roots.binary_search(&target).is_err();
                self.throw(&here, state, class, is_far, via);
            }
            super::Ending::Return => {
                if let Some(to) = to {
                    let ty = body.variables[*to].ty;
                    let mut value = self.returned(&here, &mut state, &values, &exit_row, ty);
                    let is_hidden = self.flow(target).answers.is_default
                        && self.is_overridable(&here, call, target, &values)
                        || matches!(value, Value::Null(_))
                            && (self.is_keyed(procedure, row)
                                || self.is_known_not_null((procedure, site), callee));
                    if is_hidden && !matches!(value, Value::Object(..)) {
                        // What is not scanned may come in its place, and give something else.
                        value = self.unknown(&here, &mut state, row, ty);
                    }
                    if value == Value::Null(Cause::Written)
                        && self.is_doubted(&here, &state, (call, site), callee)
                    {
                        value = Value::Null(Cause::Doubted);
                    }
                    if let Some(before) = before {
                        let Some(same) = self.agree(&here, before, value) else { return };
                        value = same;
                    }
                    if let Some(slot) = answer {
                        self.keep_answer(&mut state, slot, value);
                    }
                    self.hear(&here, &mut state, &values, value);
                    state.set(Slot::Local(*to), value);
                }
                self.go(component, node, (block, at + 1), state, via);
            }
        }
    }

    /// Whether a caller is taken to know that `null`, which a component may answer, is not answered
    /// here.
    fn is_known_not_null(&self, (caller, site): (ProcId, usize), callee: ComponentId) -> bool {
        let component = &self.components[callee];
        let answers = self.flow(component.procedure).answers;
        let reference = self.world.callee(caller, site);
        let is_null = |it: &&(Slot, Value)| matches!(it.1, Value::Null(_));
        let mut given = component.entry.slots().iter().filter(is_null);
        let is_asked_for = |slot: Slot| match slot {
            Slot::Local(parameter) => answers.is_guard(parameter),
            _ => true,
        };
        // Where others of the same class test, nobody there knows.
        let class = |it: ProcId| self.world.program.procedures()[it].class;
        let is_doubted =
            reference.reliance == Reliance::None && class(caller) == class(component.procedure);
        match answers.is_guarded && !is_doubted {
            true => !given.any(|&(slot, _)| is_asked_for(slot)),
            false => {
                // Those who ask an object about itself may know it by something else.
                let enough = if answers.is_of_object { Reliance::Some } else { Reliance::Much };
                // What is asked for by a constant is known as well as by those who ask.
                let is_constant = |(slot, value): &(Slot, Value)| {
                    let is_known = matches!(value, Value::Text(_) | Value::Number(..));
                    matches!(slot, Slot::Local(_)) && is_known
                };
                let is_vague = !component.entry.slots().iter().any(is_constant);
                let is_wanted = || self.world.is_relied_on(caller, site);
                let is_relied_on = answers.is_search
                    && (reference.reliance >= enough || is_wanted())
                    || is_vague && reference.reliance == Reliance::All;
                let is_again = self.world.is_asked_again(caller, site);
                (reference.is_trusted || is_relied_on || is_again) && given.next().is_none()
            }
        }
    }

    /// Whether `null` that a component answers is doubtful here: only some of those that the call
    /// leads to answer it, or they pass it on and nobody tests them, or a test asks; and it is no
    /// answer to something that failed outside of the program.
    fn is_doubted(
        &self,
        here: &Here,
        state: &State,
        (call, site): (&Call, usize),
        callee: ComponentId,
    ) -> bool {
        let component = &self.components[callee];
        let caller = self.components[here.component].procedure;
        let reference = self.world.callee(caller, site);
        let is_one_of_many = || {
            let targets = self.targets(here, state, call, caller, site, reference);
            reference.is_partial && targets.is_some_and(|it| it.len() > 1)
        };
        let is_null = |it: &(Slot, Value)| matches!(it.1, Value::Null(_));
        !component.entry.slots().iter().any(is_null)
            && !self.world.answers_for_others(component.procedure)
            && (reference.is_relayed || self.world.is_in_test(caller) || is_one_of_many())
    }

    /// The fields that a target of a call may write, if they are known. What comes in the place of
    /// a method that does nothing does something.
    pub(super) fn writes_of(
        &self,
        here: &Here,
        call: &Call,
        target: ProcId,
        values: &[Value],
    ) -> Option<&'w [FieldId]> {
        let is_hook = self.world.is_idle(target) && self.is_overridable(here, call, target, values);
        if is_hook { None } else { self.world.writes(target) }
    }

    /// Whether code that is not scanned may come in the place of a target.
    fn is_overridable(&self, here: &Here, call: &Call, target: ProcId, values: &[Value]) -> bool {
        let program = self.world.program;
        let row = &program.procedures()[target];
        // Who calls a method of an interface may mean another class than the only one that is
        // known.
        let named = program.find_class(call.class).or(row.class);
        let is_final = named.is_none_or(|class| program.classes()[class].is_final);
        let is_made = values
            .first()
            .and_then(|it| it.object())
            .is_some_and(|object| self.is_new(here, object));
        call.dispatch == Dispatch::Virtual && row.access != Access::Private && !is_final && !is_made
    }

    /// The result of a callee as its caller sees it.
    fn returned(
        &mut self,
        here: &Here,
        state: &mut State,
        values: &[Value],
        exit: &super::Exit,
        ty: TypeId,
    ) -> Value {
        match exit.value {
            Value::Object(object, nullness) => match self.objects[object] {
                Key::Parameter(position) => {
                    let given = values.get(position as usize).copied().unwrap_or(Value::Any);
                    match given {
                        // What the callee found out about it.
                        Value::Object(object, Nullness::Unknown)
                            if nullness != Nullness::Unknown =>
                        {
                            state.refine(object, Nullness::NonNull);
                            Value::Object(object, Nullness::NonNull)
                        }
                        _ => given,
                    }
                }
                Key::At(_) => {
                    let own = self.fresh(here, state, here.row);
                    if let Some(track) = exit.state.track(object) {
                        let mut track = track.clone();
                        track.object = own;
                        track.stages.iter_mut().for_each(|stage| stage.since = Some(here.row));
                        state.put(track);
                    }
                    Value::Object(own, nullness)
                }
                Key::Field(..) => match self.outer(object, values) {
                    Some(object) => Value::Object(object, nullness),
                    None => self.unknown(here, state, here.row, ty),
                },
                _ => Value::Object(object, nullness),
            },
            Value::Any => self.unknown(here, state, here.row, ty),
            Value::NonNull => {
                let own = self.fresh(here, state, here.row);
                Value::Object(own, Nullness::NonNull)
            }
            other => other,
        }
    }

    /// The object of a caller that a callee knows by another name.
    fn outer(&mut self, object: ObjectId, values: &[Value]) -> Option<ObjectId> {
        let outer = |position: u32| values.get(position as usize).and_then(|it| it.object());
        match self.objects[object] {
            Key::Parameter(position) => outer(position),
            Key::Static(_) => Some(object),
            Key::Field(own, field) => match self.objects[own] {
                Key::Parameter(position) => {
                    outer(position).map(|own| self.object(Key::Field(own, field)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Objects that the callee was told of and brought back to their first state.
    fn unlearn(
        &mut self,
        here: &Here,
        state: &mut State,
        values: &[Value],
        told: &[Track],
        exit: &State,
    ) {
        for track in told {
            let Some(object) = self.outer(track.object, values) else { continue };
            for stage in &track.stages {
                if exit.stage(track.object, stage.rule) == 0 {
                    state.set_stage(object, Stage { rule: stage.rule, state: 0, since: None });
                    let claim = &self.watched[usize::from(stage.rule)].rule.claim;
                    if let (Claim::Released { give, .. }, None) = (claim, &self.replay) {
                        let done = (stage.rule, *give as u8, object);
                        self.components[here.component].done.insert(done);
                    }
                }
            }
        }
    }

    /// The object that a constructor makes, if it can be closed: it closes what it keeps.
    fn wrapping(&self, here: &Here, call: &Call, values: &[Value]) -> Option<ObjectId> {
        let selector = &self.world.program.selectors()[call.selector];
        let is_making = self.world.program.text(selector.name) == "<init>";
        let own = values.first()?.object().filter(|&it| self.is_new(here, it))?;
        (is_making && self.world.is_closeable(call.class)).then_some(own)
    }

    /// What a caller learns from the facts at an exit, of a callee that was told of some objects.
    fn learn(
        &mut self,
        here: &Here,
        state: &mut State,
        values: &[Value],
        (told, exit): (&[Track], &State),
        arguments: &[Operand],
        wrapping: Option<ObjectId>,
    ) {
        for &(slot, value) in exit.slots() {
            match slot {
                Slot::Local(parameter) => {
                    let Some(&operand) = arguments.get(parameter.index()) else { continue };
                    if value == Value::NonNull {
                        self.refine(state, operand, Nullness::NonNull);
                    }
                }
                Slot::Answer(..) => {}
                Slot::Static(_) => state.set(slot, value),
                Slot::Field(outer, field) => {
                    if let Key::Parameter(position) = self.objects[outer]
                        && let Some(object) =
                            values.get(position as usize).and_then(|it| it.object())
                    {
                        state.set(Slot::Field(object, field), value);
                    }
                }
            }
        }
        let tracks: Vec<Track> = exit.tracks().to_vec();
        for track in tracks {
            let Some(object) = self.outer(track.object, values) else { continue };
            if track.escaped {
                let is_open = state.track(object).is_some_and(|track| {
                    track.stages.iter().any(|it| self.watched[usize::from(it.rule)].closes)
                });
                match wrapping {
                    // What is made of it stands for it.
                    Some(own) if is_open && own != object => {
                        state.replace(own, Value::Object(object, Nullness::NonNull));
                    }
                    _ => self.escape(here, state, Value::Object(object, Nullness::Unknown)),
                }
                continue;
            }
            if state.is_escaped(object) && matches!(self.objects[object], Key::At(_)) {
                continue;
            }
            for stage in &track.stages {
                let automaton = &self.watched[usize::from(stage.rule)].automaton;
                let is_balanced = automaton.as_ref().is_some_and(|it| it.is_balanced(stage.state));
                let was_told = told.iter().any(|it| {
                    it.object == track.object && it.stages.iter().any(|it| it.rule == stage.rule)
                });
                // Who was not told that it is taken, and gave back what it took, changed nothing.
                if is_balanced && !was_told && state.stage(object, stage.rule) != 0 {
                    continue;
                }
                if !was_told && state.stage(object, stage.rule) != 0 {
                    // It began as if nothing had been done: what both did together is not known.
                    let stage = Stage { rule: stage.rule, state: FORGOTTEN, since: Some(here.row) };
                    state.set_stage(object, stage);
                    continue;
                }
                if state.stage(object, stage.rule) != stage.state {
                    let since = Some(here.row);
                    state.set_stage(object, Stage { since, ..*stage });
                }
            }
        }
    }
}

/// Whether a value can be told to another procedure without naming objects.
fn is_plain(value: Value) -> bool {
    match value {
        Value::Number(low, high) => low == high,
        Value::Null(_) => true,
        _ => false,
    }
}

/// Whether an exit can be taken with these arguments: who comes back only if an argument is an
/// object does not come back with `null`.
fn comes_back(exit: &State, values: &[Value]) -> bool {
    exit.slots().iter().all(|(slot, told)| match slot {
        Slot::Local(parameter) => {
            let given = values.get(parameter.index()).copied().unwrap_or(Value::Any);
            *told != Value::NonNull || given.is_null() != Tri::True
        }
        _ => true,
    })
}

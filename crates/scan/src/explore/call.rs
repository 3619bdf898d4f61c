//! Calls: events, what is known of library methods, callees that are entered.
//!
//! A call that is an event of a rule, or of a method that is known, is a leaf: claims about a lock
//! are not about its implementation. Other calls enter their targets, if these are few and all
//! known. What else is called may keep its arguments and write fields.

use super::step::{Here, Next};
use super::{Breach, ComponentId, Explored, Violation};
use crate::rules::{ERROR, What};
use crate::state::{Slot, Stage, State, Track};
use crate::values::{Cause, Key, Nullness, ObjectId, Value};
use crate::world::{Callee, GIVEN, Match, TESTED, USED};
use tern_ir::{Access, Call, Dispatch, NameId, Operand, ProcId, Statement, Type, TypeId, VarId};
use tern_model::Tri;
use tern_model::index::Id;

impl<'p> Explored<'_, 'p> {
    pub(super) fn call(
        &mut self,
        here: &Here<'p>,
        state: &mut State,
        to: Option<VarId>,
        call: &Call,
    ) -> Next {
        let procedure = self.components[here.component].procedure;
        let site = self.flow(procedure).sites[here.row as usize] as usize;
        let arguments = here.body.operands(&call.arguments);
        let world = self.world;
        let callee = world.callee(procedure, site);
        let method = world.program.text(world.program.selectors()[call.selector].name);
        if call.dispatch != Dispatch::Static && !self.dereference(here, state, arguments[0]) {
            return Next::Done;
        }
        if callee.model.ends {
            return Next::Done;
        }
        if let Some(next) = self.known_method(here, state, to, call, method) {
            return next;
        }
        let is_leaf = !callee.matches.is_empty() || callee.model.wrapper && method == "<init>";
        let targets = match is_leaf {
            true => None,
            false => self.targets(here, state, call, procedure, site, callee),
        };
        match targets {
            Some(targets) => {
                if here.at != self.components[here.component].nodes[here.node].at {
                    // What waits for a callee is a node of its own.
                    let at = (here.block, here.at);
                    self.go(here.component, here.node, at, state.clone(), None);
                    return Next::Done;
                }
                self.enter(here, state, call, &targets);
                Next::Done
            }
            None => self.opaque(here, state, to, call, callee, method),
        }
    }

    /// The targets of a call that is entered.
    fn targets(
        &self,
        here: &Here,
        state: &State,
        call: &Call,
        procedure: ProcId,
        site: usize,
        callee: &Callee,
    ) -> Option<Vec<ProcId>> {
        let arguments = here.body.operands(&call.arguments);
        if call.dispatch == Dispatch::Virtual
            && let Some(object) = self.value(state, arguments[0]).object()
            && let Key::At(row) = self.objects[object]
            && let Some(Statement::New { class, .. }) = here.body.statements.get(row as usize)
            && let Some(resolved) = self.world.resolved(procedure, site)
            && let Some(target) = self.world.select(*class, resolved)
            && self.world.program.procedures()[target].body.is_some()
        {
            return Some(vec![target]);
        }
        callee.targets.clone()
    }

    /// Methods whose meaning is known.
    fn known_method(
        &mut self,
        here: &Here<'p>,
        state: &mut State,
        to: Option<VarId>,
        call: &Call,
        method: &str,
    ) -> Option<Next> {
        let class = self.world.program.text(call.class);
        let arguments = here.body.operands(&call.arguments);
        let next = (here.block, here.at + 1);
        match (class, method) {
            ("java.util.Objects", "requireNonNull" | "requireNonNullElse")
            | (
                "com.google.common.base.Preconditions"
                | "org.springframework.util.Assert"
                | "org.apache.commons.lang3.Validate",
                "checkNotNull" | "notNull",
            ) if method != "requireNonNullElse" => {
                let value = self.value(state, *arguments.first()?);
                if value.is_null() == Tri::True {
                    return Some(Next::Done);
                }
                self.refine(state, arguments[0], Nullness::NonNull);
                if let Some(to) = to {
                    let value = self.value(state, arguments[0]);
                    state.set(Slot::Local(to), value);
                }
                Some(Next::On)
            }
            ("java.util.Objects", "nonNull" | "isNull") => {
                let value = self.value(state, *arguments.first()?);
                let is = |null: bool| Value::number(i64::from(null == (method == "isNull")));
                if value.is_null() != Tri::True {
                    let mut other = state.clone();
                    self.refine(&mut other, arguments[0], Nullness::NonNull);
                    if let Some(to) = to {
                        other.set(Slot::Local(to), is(false));
                    }
                    self.go(here.component, here.node, next, other, None);
                }
                if value.is_null() != Tri::False {
                    match (value.object(), Self::local(arguments[0])) {
                        (Some(object), _) => state.replace(object, Value::Null(Cause::Tested)),
                        (_, Some(variable)) => {
                            state.set(Slot::Local(variable), Value::Null(Cause::Tested));
                        }
                        _ => {}
                    }
                    if let Some(to) = to {
                        state.set(Slot::Local(to), is(true));
                    }
                    self.go(here.component, here.node, next, state.clone(), None);
                }
                Some(Next::Done)
            }
            ("java.lang.String", "equals" | "contentEquals") => {
                let (Value::Text(a), Value::Text(b)) =
                    (self.value(state, arguments[0]), self.value(state, *arguments.get(1)?))
                else {
                    return None;
                };
                state.set(Slot::Local(to?), Value::number(i64::from(a == b)));
                Some(Next::On)
            }
            _ => None,
        }
    }

    fn refine(&self, state: &mut State, operand: Operand, nullness: Nullness) {
        let value = self.value(state, operand);
        match (value.object(), Self::local(operand)) {
            (Some(object), _) => state.refine(object, nullness),
            (_, Some(variable)) if value == Value::Any => {
                state.set(Slot::Local(variable), Value::NonNull);
            }
            _ => {}
        }
    }

    /// A call that is not entered.
    fn opaque(
        &mut self,
        here: &Here<'p>,
        state: &mut State,
        to: Option<VarId>,
        call: &Call,
        callee: &Callee,
        method: &str,
    ) -> Next {
        let arguments = here.body.operands(&call.arguments);
        let values: Vec<Value> = arguments.iter().map(|it| self.value(state, *it)).collect();
        let has_receiver = call.dispatch != Dispatch::Static;
        let selector = &self.world.program.selectors()[call.selector];
        let result = selector.result;
        // What is thrown comes before anything is done, but for what gives something back.
        let mut before = state.clone();
        for row in callee.matches.iter().filter(|row| row.what == What::Receiver) {
            self.receive(here, &mut before, row, &values, true);
        }
        for (position, value) in values.iter().enumerate() {
            let is_receiver = position == 0 && has_receiver;
            let stays = is_receiver && (callee.is_missing || !callee.matches.is_empty())
                || callee.model.keeps
                || callee.model.wrapper && method == "<init>"
                || !callee.matches.is_empty() && is_receiver;
            if !stays {
                self.escape(state, *value);
                self.escape(&mut before, *value);
            }
            if let (Some(object), true) = (value.object(), callee.is_missing) {
                // It may write the fields of what it is given.
                let world = self.world;
                state.retain(|slot, _| match slot {
                    Slot::Field(own, field) => own != object || world.is_fixed(field),
                    _ => true,
                });
            }
        }
        if !callee.is_missing {
            self.clobber(state, None);
        }
        self.opaque_throws(here, &before, callee);
        if callee.model.wrapper && method == "<init>" && !self.is_opened(callee) {
            self.wrap(here, state, &values);
            return Next::On;
        }
        let variants = self.results(here, state, to, result, callee, &values);
        // Behind an event that may have thrown instead there is a point of its own: what follows
        // there may be certain.
        let may_throw = callee.model.throws.is_some() && !callee.matches.is_empty();
        if variants.len() == 1 && !may_throw {
            let (only, value) = variants.into_iter().next().expect("there is one");
            *state = only;
            if let (Some(to), Some(value)) = (to, value) {
                state.set(Slot::Local(to), value);
            }
            return Next::On;
        }
        for (mut variant, value) in variants {
            if let (Some(to), Some(value)) = (to, value) {
                variant.set(Slot::Local(to), value);
            }
            self.go(here.component, here.node, (here.block, here.at + 1), variant, None);
        }
        Next::Done
    }

    fn is_opened(&self, callee: &Callee) -> bool {
        callee.matches.iter().any(|row| row.what == What::Made)
    }

    /// What is made of another stream stands for that one.
    fn wrap(&mut self, here: &Here, state: &mut State, values: &[Value]) {
        let Some(own) = values[0].object().filter(|&it| self.is_new(here, it)) else { return };
        match values[1..].iter().find_map(|value| value.object()) {
            Some(inner) => state.replace(own, Value::Object(inner, Nullness::NonNull)),
            None => state.escape(own),
        }
    }

    fn opaque_throws(&mut self, here: &Here<'p>, state: &State, callee: &Callee) {
        let declared = callee.model.throws.and_then(|class| self.world.program.find_name(class));
        if let Some(class) = declared {
            self.throw(here, state.clone(), Some(class), true, None);
        }
        if callee.model.quiet {
            return;
        }
        // What is caught here is expected here, and nobody else says who throws it.
        let mut seen: Vec<NameId> = declared.into_iter().collect();
        for handler in here.body.handlers(here.block) {
            let Some(class) = handler.class else { continue };
            if seen.iter().any(|&known| self.world.is_below(known, class) != Tri::False) {
                continue;
            }
            seen.push(class);
            let mut state = state.clone();
            let object = self.object(Key::Thrown(Some(class)));
            state.set(Slot::Local(handler.variable), Value::Object(object, Nullness::NonNull));
            self.go(here.component, here.node, (handler.block, 0), state, None);
        }
    }

    /// The facts after a call that came back, with each result that matters.
    fn results(
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
                None => to.is_some().then(|| self.unknown(here, &mut state, here.row, result)),
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
                if row.result.is_some() && row.result != answer {
                    continue;
                }
                match row.what {
                    What::Ignored if to.is_none() => self.breach(here, row, None, false),
                    What::Result | What::Made => {
                        self.made(here, &mut state, row, &mut value, callee, values);
                    }
                    _ => self.receive(here, &mut state, row, values, false),
                }
            }
            if callee.model.nullable && is_reference {
                if to.is_some() {
                    variants.push((state.clone(), Some(Value::Null(Cause::Result))));
                }
                value = value.map(|value| match value {
                    Value::Object(object, _) => Value::Object(object, Nullness::NonNull),
                    other => other,
                });
            } else if (callee.model.nonnull
                || callee.matches.iter().any(|it| it.what == What::Result))
                && let Some(Value::Object(object, _)) = value
            {
                value = Some(Value::Object(object, Nullness::NonNull));
            }
            variants.push((state, value));
        }
        variants
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
    fn receive(
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
        if row.event.is_none() {
            return state.escape(object);
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
        if automaton.is_pending(before) && after != ERROR && !automaton.is_pending(after) {
            self.advance(here, state, row, object);
        }
    }

    /// Moves an object on in the automaton of a rule.
    fn advance(&mut self, here: &Here, state: &mut State, row: &Match, object: ObjectId) {
        let (Some(automaton), Some(event)) =
            (&self.watched[usize::from(row.rule)].automaton, row.event)
        else {
            return;
        };
        if state.is_escaped(object)
            && !matches!(self.objects[object], Key::Static(_) | Key::Field(..))
        {
            return;
        }
        let before = state.stage(object, row.rule);
        let after = automaton.next(before, usize::from(event));
        self.components[here.component].done.insert((row.rule, event, object));
        if after == ERROR {
            self.breach(here, row, Some(object), before == 0);
            // Once is enough.
            return state.escape(object);
        }
        let stage = Stage { rule: row.rule, state: after, since: Some(here.row) };
        state.set_stage(object, stage);
    }

    fn breach(&mut self, here: &Here, row: &Match, object: Option<ObjectId>, was_first: bool) {
        let violation = Violation {
            node: here.node,
            statement: here.row,
            rule: row.rule,
            breach: Breach::Event,
            object,
            was_first,
        };
        self.note(here.component, violation);
    }

    /// Enters the targets of a call, and goes on behind each exit that is known.
    fn enter(&mut self, here: &Here<'p>, state: &State, call: &Call, targets: &[ProcId]) {
        let values: Vec<Value> = here
            .body
            .operands(&call.arguments)
            .iter()
            .map(|operand| self.value(state, *operand))
            .collect();
        for &target in targets {
            let entry = self.entry(state, target, &values);
            let callee = self.component(target, entry);
            let caller = (here.component, here.node);
            if !self.components[callee].callers.contains(&caller) {
                self.components[callee].callers.push(caller);
            }
            for exit in 0..self.components[callee].exits.len() {
                self.resume(caller, callee, exit);
            }
        }
    }

    /// What a callee can look at of the facts at a call.
    fn entry(&mut self, state: &State, target: ProcId, values: &[Value]) -> State {
        let mut entry = self.general_entry(target);
        let world = self.world;
        let senses = world.senses(target);
        let reads = world.reads(target);
        for (position, &value) in values.iter().enumerate() {
            let Some(&sense) = senses.get(position) else { continue };
            let slot = Slot::Local(VarId::new(position));
            let own = self.object(Key::Parameter(position as u32));
            match value {
                Value::Null(_) if sense & (TESTED | USED | GIVEN) != 0 => entry.set(slot, value),
                Value::Number(low, high) if low == high && sense & TESTED != 0 => {
                    entry.set(slot, value);
                }
                value if value.is_null() == Tri::False && sense & TESTED != 0 => {
                    entry.set(slot, Value::Object(own, Nullness::NonNull));
                }
                _ => {}
            }
            let Some(object) = value.object() else { continue };
            let twice = values.iter().filter(|it| it.object() == Some(object)).count() > 1;
            if let (Some(track), false) = (state.track(object), twice) {
                let mut track = track.clone();
                track.object = own;
                track.stages.iter_mut().for_each(|stage| stage.since = None);
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
                let mut track = track.clone();
                track.object = self.object(key);
                track.stages.iter_mut().for_each(|stage| stage.since = None);
                entry.put(track);
            }
        }
        entry
    }

    /// Goes on in a caller behind an exit of a callee.
    pub(super) fn resume(
        &mut self,
        (component, node): (ComponentId, usize),
        callee: ComponentId,
        exit: usize,
    ) {
        let procedure = self.components[component].procedure;
        let body = self.body(procedure);
        let own = &self.components[component].nodes[node];
        let (block, at, mut state) = (own.block, own.at, own.state.clone());
        let row = body.blocks[block].statements.start + at;
        let line = body.places[row as usize].line;
        let here = Here { component, node, body, block, at, row, line };
        let Statement::Call { to, call } = &body.statements[row as usize] else { return };
        if call.dispatch != Dispatch::Static {
            self.dereference(&here, &mut state, body.operands(&call.arguments)[0]);
        }
        let values: Vec<Value> = body
            .operands(&call.arguments)
            .iter()
            .map(|operand| self.value(&state, *operand))
            .collect();
        let target = self.components[callee].procedure;
        let exit_row = self.components[callee].exits[exit].clone();
        let world = self.world;
        self.clobber(&mut state, world.writes(target));
        let told = self.components[callee].entry.tracks().to_vec();
        self.unlearn(&mut state, &values, &told, &exit_row.state);
        self.learn(&here, &mut state, &values, &exit_row.state, body.operands(&call.arguments));
        let via = Some((callee, exit));
        match exit_row.ending {
            super::Ending::Throw(class, _) => self.throw(&here, state, class, true, via),
            super::Ending::Return => {
                if let Some(to) = to {
                    let ty = body.variables[*to].ty;
                    let mut value = self.returned(&here, &mut state, &values, &exit_row, ty);
                    if self.is_overridable(&here, call, target, &values)
                        && !matches!(value, Value::Object(..))
                    {
                        // What is not scanned may override it, and give something else.
                        value = self.unknown(&here, &mut state, row, ty);
                    }
                    state.set(Slot::Local(*to), value);
                }
                self.go(component, node, (block, at + 1), state, via);
            }
        }
    }

    /// Whether code that is not scanned may come in the place of a target.
    fn is_overridable(&self, here: &Here, call: &Call, target: ProcId, values: &[Value]) -> bool {
        let program = self.world.program;
        let row = &program.procedures()[target];
        let is_final = row.class.is_none_or(|class| program.classes()[class].is_final);
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
                    values.get(position as usize).copied().unwrap_or(Value::Any)
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
    fn unlearn(&mut self, state: &mut State, values: &[Value], told: &[Track], exit: &State) {
        for track in told {
            let Some(object) = self.outer(track.object, values) else { continue };
            for stage in &track.stages {
                if exit.stage(track.object, stage.rule) == 0 {
                    state.set_stage(object, Stage { rule: stage.rule, state: 0, since: None });
                }
            }
        }
    }

    /// What a caller learns from the facts at an exit.
    fn learn(
        &mut self,
        here: &Here,
        state: &mut State,
        values: &[Value],
        exit: &State,
        arguments: &[Operand],
    ) {
        for &(slot, value) in exit.slots() {
            match slot {
                Slot::Local(parameter) => {
                    let Some(&operand) = arguments.get(parameter.index()) else { continue };
                    if value == Value::NonNull {
                        self.refine(state, operand, Nullness::NonNull);
                    }
                }
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
                state.escape(object);
                continue;
            }
            if state.is_escaped(object) && matches!(self.objects[object], Key::At(_)) {
                continue;
            }
            for stage in &track.stages {
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

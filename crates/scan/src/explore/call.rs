//! Calls: events, what is known of library methods, callees that are entered.
//!
//! A call that is an event of a rule, or of a method that is known, is a leaf: claims about a lock
//! are not about its implementation. Other calls enter their targets, if these are few and all
//! known. What else is called may keep its arguments and write fields.

use super::Explored;
use super::step::{Here, Next};
use crate::rules::{FORGOTTEN, What};
use crate::state::{Slot, Stage, State};
use crate::values::{Cause, Key, Nullness, ObjectId, Value};
use crate::world::Callee;
use std::borrow::Cow;
use tern_ir::{Body, Call, Dispatch, FieldId, NameId, Operand, ProcId, Statement, VarId};
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
            self.stop(here);
            return Next::Done;
        }
        if let Some(next) = self.known_method(here, state, to, (call, callee), method) {
            return next;
        }
        let is_marked = callee
            .matches
            .iter()
            .any(|row| row.event.is_some() && self.watched[usize::from(row.rule)].is_formula);
        if is_marked && here.at != self.components[here.component].nodes[here.node].at {
            // What formulas speak of is a node of its own.
            self.go(here.component, here.node, (here.block, here.at), state.clone(), None);
            return Next::Done;
        }
        let is_leaf = callee.is_leaf || callee.model.wrapper && method == "<init>";
        let targets = match is_leaf {
            true => None,
            false => self.targets(here, state, call, procedure, site, callee),
        };
        let is_far = |it: &ProcId| !self.view.inside.contains(it);
        let targets = match targets {
            Some(targets) if targets.iter().any(is_far) => {
                self.forget_kept(state, &targets);
                if callee.never_returns {
                    self.throw(here, state.clone(), None, true, None);
                    return Next::Done;
                }
                None
            }
            other => other,
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
            None => self.opaque(here, state, to, call, callee, is_marked),
        }
    }

    /// The targets of a call that is entered.
    pub(super) fn targets<'t>(
        &self,
        here: &Here,
        state: &State,
        call: &Call,
        procedure: ProcId,
        site: usize,
        callee: &'t Callee,
    ) -> Option<Cow<'t, [ProcId]>> {
        let arguments = here.body.operands(&call.arguments);
        if call.dispatch == Dispatch::Virtual
            && let Some(object) = self.value(state, arguments[0]).object()
            && let Key::At(row) = self.objects[object]
            && let Some(Statement::New { class, .. }) = here.body.statements.get(row as usize)
            && self.world.is_below(*class, call.class) == Tri::True
            && let Some(resolved) = self.world.resolved(procedure, site)
            && let Some(target) = self.world.select(*class, resolved)
            && self.world.program.procedures()[target].body.is_some()
        {
            return Some(Cow::Owned(vec![target]));
        }
        let targets = callee.targets.as_deref()?;
        Some(self.of_same_class(here, state, call, (procedure, site), targets))
    }

    pub(super) fn refine(&self, state: &mut State, operand: Operand, nullness: Nullness) {
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
        is_marked: bool,
    ) -> Next {
        let selector = &self.world.program.selectors()[call.selector];
        let method = self.world.program.text(selector.name);
        let arguments = here.body.operands(&call.arguments);
        let values: Vec<Value> = arguments.iter().map(|it| self.value(state, *it)).collect();
        let has_receiver = call.dispatch != Dispatch::Static;
        let is_first = self.has_first(here, state);
        let result = selector.result;
        // Who wraps it in itself keeps it.
        let own = values.first().and_then(|it| it.object());
        let is_own = own.is_some_and(|it| self.is_new(here, it));
        let is_wrapping = callee.model.wrapper && method == "<init>" && is_own;
        // What is thrown comes before anything is done, but for what gives something back.
        let may_end = !callee.throws.is_empty() || !here.body.handlers(here.block).is_empty();
        let mut before = if may_end { state.clone() } else { State::default() };
        for row in callee.matches.iter().filter(|row| may_end && row.what == What::Receiver) {
            if self.has_given(row, &values) == Tri::True {
                self.receive(here, &mut before, row, &values, true);
            }
        }
        self.hand_over(here, state, &mut before, callee, (&values, has_receiver, is_wrapping));
        self.checked(state, call, callee.is_missing && to.is_none());
        if callee.is_missing && to.is_none() && self.may_give_up(here, state, call) {
            self.stop(here);
        }
        if callee.model.demands
            && !self.demanded(here, state, &arguments[usize::from(has_receiver)..])
        {
            return Next::Done;
        }
        if !callee.model.asks {
            self.overwrite(here, state, call, (callee, &values));
        }
        if self.is_closing(call) {
            self.excuse(&mut before);
        } else if is_wrapping {
            excuse_unnamed(here, &mut before, &values[1..]);
        }
        if may_end && !self.is_cloning(here, call, method) {
            self.opaque_throws(here, &before, callee, &values);
        }
        if is_wrapping && !self.is_opened(callee) {
            self.wrap(here, state, &values);
            return Next::On;
        }
        if is_marked {
            self.mark(here, callee, &values, None);
        }
        self.note_filled(here, state);
        let model = &callee.model;
        let is_nullable = self.may_answer_null(here, callee);
        if callee.matches.is_empty() && !(is_nullable || model.same || model.part || model.asks) {
            if let Some(to) = to {
                let mut value = self.answer(here, state, callee, result);
                if let (Value::Object(object, _), true) = (value, model.nonnull || callee.is_object)
                {
                    value = Value::Object(object, Nullness::NonNull);
                }
                state.set(Slot::Local(to), if is_first { Value::number(1) } else { value });
            }
            return Next::On;
        }
        let mut variants = self.results(here, state, to, result, callee, &values);
        variants.retain(|(_, value)| !is_first || *value != Some(Value::number(0)));
        if variants.is_empty() {
            return Next::Done;
        }
        // Behind an event that may have thrown instead there is a point of its own: what follows
        // there may be certain.
        let may_throw = !callee.throws.is_empty() && !callee.matches.is_empty();
        if variants.len() == 1 && !may_throw && !is_marked {
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
            let to = (here.block, here.at + 1);
            let node = self.go(here.component, here.node, to, variant, None);
            if let (Some(node), Some(Value::Number(answer, _)), true) = (node, value, is_marked) {
                self.mark(here, callee, &values, Some((node, answer)));
            }
        }
        Next::Done
    }

    /// What is given to a call that is not entered: it may be kept, and its fields written. The
    /// facts `before` the call are those with which it throws.
    fn hand_over(
        &mut self,
        here: &Here<'p>,
        state: &mut State,
        before: &mut State,
        callee: &Callee,
        (values, has_receiver, is_wrapping): (&[Value], bool, bool),
    ) {
        for (position, value) in values.iter().enumerate() {
            let is_receiver = position == 0 && has_receiver;
            let stays = is_receiver && (callee.is_missing || !callee.matches.is_empty())
                || callee.model.keeps
                || is_wrapping;
            if !stays {
                self.escape(here, state, *value);
                self.escape(here, before, *value);
            }
            let may_change = callee.is_missing && !callee.model.asks;
            if let (Some(object), true) = (value.object(), may_change) {
                self.forget_fields(here, state, object);
            }
        }
    }

    /// Arguments that must be objects: whether the call comes back.
    fn demanded(&mut self, here: &Here<'p>, state: &mut State, given: &[Operand]) -> bool {
        if given.iter().any(|it| self.value(state, *it).is_null() == Tri::True) {
            self.stop(here);
            return false;
        }
        given.iter().for_each(|it| self.refine(state, *it, Nullness::NonNull));
        true
    }

    /// The fields that a call which is not entered may write, if all that may be run is known.
    fn written_by(
        &self,
        here: &Here<'p>,
        call: &Call,
        callee: &Callee,
        values: &[Value],
    ) -> Option<Vec<FieldId>> {
        let mut written = Vec::new();
        for &target in callee.targets.as_ref()? {
            written.extend(self.writes_of(here, call, target, values)?);
        }
        written.sort_unstable();
        Some(written)
    }

    /// Whether an object makes a copy of itself that can be copied: then nothing is thrown.
    fn is_cloning(&self, here: &Here<'p>, call: &Call, method: &str) -> bool {
        let world = self.world;
        let procedure = &world.program.procedures()[self.components[here.component].procedure];
        let own = procedure.class.filter(|_| !procedure.is_static);
        let own = own.map(|class| world.program.classes()[class].name);
        let is_own = here.body.operands(&call.arguments) == [Operand::Variable(VarId::new(0))];
        let can_be = world.program.find_name("java.lang.Cloneable");
        method == "clone"
            && is_own
            && matches!((own, can_be), (Some(own), Some(can_be))
                if world.is_below(own, can_be) == Tri::True)
    }

    /// Code that is known and too far away to be entered may take and give back what is kept in
    /// fields that it looks at.
    fn forget_kept(&self, state: &mut State, targets: &[ProcId]) {
        let looks_at = |field: &FieldId| {
            let reads = |it: &ProcId| self.world.reads(*it);
            targets.iter().any(|it| reads(it).is_none_or(|it| it.binary_search(field).is_ok()))
        };
        let is_kept = |object: ObjectId| match &self.objects[object] {
            Key::Static(field) | Key::Field(_, field) => looks_at(field),
            _ => false,
        };
        let tracks = state.tracks().iter().filter(|track| is_kept(track.object));
        let stages = tracks.flat_map(|it| it.stages.iter().map(|stage| (it.object, *stage)));
        let is_told = |rule: u8| !self.watched[usize::from(rule)].rule.is_local;
        let told: Vec<(ObjectId, Stage)> = stages.filter(|(_, it)| is_told(it.rule)).collect();
        for (object, stage) in told {
            state.set_stage(object, Stage { state: FORGOTTEN, ..stage });
        }
    }

    /// What is not entered may write the fields of an object that it is given.
    fn forget_fields(&mut self, here: &Here<'p>, state: &mut State, object: ObjectId) {
        let world = self.world;
        let fixed = self.agains(here.component).with_fields(|it| world.is_fixed(it));
        state.retain_decisions(fixed);
        state.retain(|slot, _| match slot {
            Slot::Field(own, field) => own != object || world.is_fixed(field),
            _ => true,
        });
        // What was not there may be there now: `if (registry() == null) REGISTRY.set(…);`.
        let kept_in = match self.objects[object] {
            Key::Static(field) | Key::Field(_, field) => Some(field),
            _ => None,
        };
        self.forget_answers(here.component, state, |asked, (slot, value), number| {
            let is_asked = kept_in.is_some_and(|field| !asked.is_kept(number, |it| it != field));
            let is_about = matches!(slot, Slot::Answer(Some(own), _) if own == object);
            let is_fixed = || asked.is_kept(number, |it| world.is_fixed(it));
            !(is_asked && value.is_null() != Tri::False)
                && (is_fixed() || !is_about && asked.is_steady(number))
        });
    }

    /// What is thrown because of wrong arguments goes to handlers that name it, or all that need
    /// not be declared.
    fn may_throw(&mut self, here: &Here<'p>, state: &State, callee: &Callee) {
        let Some(class) = callee.model.may.and_then(|it| self.world.program.find_name(it)) else {
            return;
        };
        let world = self.world;
        let is_declared = !world.is_unchecked(class);
        let is_meant = |wanted: NameId| {
            world.is_below(class, wanted) == Tri::True
                && (is_declared || world.is_unchecked(wanted))
        };
        let handlers = here.body.handlers(here.block);
        if handlers.iter().any(|it| it.class.is_some_and(is_meant)) {
            self.caught(here, state, class);
        }
    }

    /// Something is thrown that is taken here: it goes to the first handler that takes it, which
    /// may be one for all that is thrown.
    pub(super) fn caught(&mut self, here: &Here, state: &State, class: NameId) {
        let world = self.world;
        let takes = |wanted: NameId| world.is_below(class, wanted) == Tri::True;
        let mut handlers = here.body.handlers(here.block).iter();
        let Some(handler) = handlers.find(|it| it.class.is_none_or(takes)) else { return };
        let mut state = state.clone();
        let object = self.object(Key::Thrown(Some(class)));
        state.set(Slot::Local(handler.variable), Value::Object(object, Nullness::NonNull));
        self.go(here.component, here.node, (handler.block, 0), state, None);
    }

    /// Whether a call closes something.
    pub(super) fn is_closing(&self, call: &Call) -> bool {
        let selector = &self.world.program.selectors()[call.selector];
        self.world.program.text(selector.name) == "close" && selector.parameters.is_empty()
    }

    /// Closing failed: what else is not closed because of that is not held against anyone.
    pub(super) fn excuse(&self, state: &mut State) {
        let excused: Vec<(ObjectId, Stage)> = state
            .tracks()
            .iter()
            .flat_map(|track| track.stages.iter().map(|stage| (track.object, *stage)))
            .filter(|(_, stage)| self.watched[usize::from(stage.rule)].closes)
            .collect();
        for (object, stage) in excused {
            state.set_stage(object, Stage { state: FORGOTTEN, ..stage });
        }
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

    fn opaque_throws(&mut self, here: &Here<'p>, state: &State, callee: &Callee, values: &[Value]) {
        for &class in &callee.throws {
            self.throw(here, state.clone(), Some(class), true, None);
        }
        let is_encoded = values.last().is_some_and(|it| self.is_known_encoding(here, *it));
        if !is_encoded {
            self.may_throw(here, state, callee);
        }
        // What is caught here is expected here, if nobody else says who throws it.
        let procedure = self.components[here.component].procedure;
        let mut seen: Vec<NameId> = callee.throws.clone();
        for handler in here.body.handlers(here.block) {
            let Some(class) = handler.class else { continue };
            // Errors, and what may not be done, come of any call.
            let is_forbidden = self.world.program.text(class) == "java.lang.SecurityException";
            let is_quiet = callee.model.quiet && !is_forbidden && !self.world.is_error(class);
            if is_quiet || is_encoded && self.is_about_encodings(class) {
                continue;
            }
            let is_taken = |known: &NameId| {
                self.world.is_below(*known, class) == Tri::True
                    || self.world.is_below(class, *known) == Tri::True
            };
            if seen.iter().any(is_taken) {
                continue;
            }
            seen.push(class);
            // Another call is known to throw it.
            if !self.flow(procedure).explained.contains(&(handler.block, class)) {
                self.caught(here, state, class);
            }
        }
    }
}

impl<'p> Explored<'_, 'p> {
    /// Forgets the fields that a call may write, or others while it waits.
    fn overwrite(
        &mut self,
        here: &Here<'p>,
        state: &mut State,
        call: &Call,
        (callee, values): (&Callee, &[Value]),
    ) {
        if callee.model.waits {
            self.share(here.component, state);
        } else if !callee.is_missing {
            let written = self.written_by(here, call, callee, values);
            self.clobber(here.component, state, written.as_deref());
        }
    }

    /// Whether missing code is called, of a class or of this object, where something was found to
    /// be `null`: it may be there to throw, as `abort("nothing is given")`.
    fn may_give_up(&self, here: &Here, state: &State, call: &Call) -> bool {
        let procedure = &self.world.program.procedures()[self.components[here.component].procedure];
        let is_own = call.dispatch == Dispatch::Static
            || !procedure.is_static
                && here.body.operands(&call.arguments).first()
                    == Some(&Operand::Variable(VarId::new(0)));
        let is_tested = |(_, value): &(Slot, Value)| *value == Value::Null(Cause::Tested);
        is_own && state.slots().iter().any(is_tested)
    }

    /// Missing code was told a truth, as in `check(a != null)`: it may have thrown because of what
    /// was tested.
    fn checked(&self, state: &mut State, call: &Call, is_missing: bool) {
        let program = self.world.program;
        let selector = &program.selectors()[call.selector];
        let is_truth = |it: &tern_ir::TypeId| program.types()[*it] == tern_ir::Type::Boolean;
        if is_missing
            && call.dispatch == Dispatch::Static
            && selector.parameters.iter().any(is_truth)
        {
            state.update(Value::assumed);
        }
    }
}

/// Nobody else knows what is made just to be wrapped: if that fails, nobody can give it back. So it
/// is with what has a name that is not used but for that.
fn excuse_unnamed(here: &Here<'_>, state: &mut State, wrapped: &[Value]) {
    for object in wrapped.iter().filter_map(|it| it.object()) {
        let is_named = state.slots().iter().any(|(slot, value)| {
            let named =
                |it: VarId| here.body.variables[it].name.is_some() && reads(here.body, it) > 1;
            value.object() == Some(object)
                && matches!(slot, Slot::Local(variable) if named(*variable))
        });
        if !is_named {
            state.escape(object);
        }
    }
}

/// How many statements and jumps read a variable.
fn reads(body: &Body, variable: VarId) -> usize {
    let own = Operand::Variable(variable);
    let statements = body.statements.iter().filter(|statement| {
        let mut found = false;
        statement.operands(body, |it| found |= it == own);
        found
    });
    let jumps = body.blocks.as_slice().iter().filter(|block| {
        let mut found = false;
        block.jump.operands(|it| found |= it == own);
        found
    });
    statements.count() + jumps.count()
}

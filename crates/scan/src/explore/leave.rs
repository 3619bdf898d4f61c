//! How procedures are left: handlers, exits, and objects that are lost.

use super::step::Here;
use super::{Breach, ComponentId, Ending, Exit, Explored, Violation};
use crate::rules::{Claim, ERROR, FORGOTTEN};
use crate::state::{Slot, Stage, State, Track};
use crate::values::{Cause, Key, Nullness, ObjectId, Value};
use rustc_hash::FxHashSet;
use tern_ir::{NameId, VarId};
use tern_model::Tri;
use tern_model::index::Id;

/// The most exits that a component has; further ones are joined.
const MOST_EXITS: usize = 8;

impl<'p> Explored<'_, 'p> {
    /// Something is thrown at a statement: it goes to the handlers that may take it, and on if none
    /// surely does.
    pub(super) fn throw(
        &mut self,
        here: &Here<'p>,
        state: State,
        class: Option<NameId>,
        from_callee: bool,
        via: Option<(ComponentId, usize)>,
    ) {
        for handler in here.body.handlers(here.block) {
            let takes = match (handler.class, class) {
                (None, _) => Tri::True,
                (Some(wanted), Some(class)) => match self.world.is_below(class, wanted) {
                    // What is thrown may be more special than is known.
                    Tri::False if self.world.is_below(wanted, class) == Tri::True => Tri::Unknown,
                    other => other,
                },
                (Some(_), None) => Tri::Unknown,
            };
            if takes == Tri::False {
                continue;
            }
            let caught = match (takes, handler.class) {
                (Tri::Unknown, Some(wanted)) => Some(wanted),
                _ => class,
            };
            let mut state = state.clone();
            let object = self.object(Key::Thrown(caught));
            state.set(Slot::Local(handler.variable), Value::Object(object, Nullness::NonNull));
            self.go(here.component, here.node, (handler.block, 0), state, via);
            if takes == Tri::True {
                return;
            }
        }
        self.leave(here, state, Ending::Throw(class, from_callee), Value::Any);
    }

    /// An object is lost: whatever rule does not allow that is broken.
    pub(super) fn lost(&mut self, here: &Here, state: &State, object: ObjectId, ending: Ending) {
        let Some(track) = state.track(object) else { return };
        if track.escaped {
            return;
        }
        for stage in &track.stages {
            let automaton = &self.watched[usize::from(stage.rule)].automaton;
            let is_pending = automaton.as_ref().is_some_and(|it| it.is_pending(stage.state));
            if let (true, Some(since)) = (is_pending, stage.since) {
                let violation = Violation {
                    node: here.node,
                    statement: since,
                    rule: stage.rule,
                    breach: Breach::Lost(ending),
                    object: Some(object),
                    was_first: false,
                    is_tested: false,
                    is_doubted: false,
                    is_given: false,
                };
                self.note(here.component, violation);
            }
        }
    }

    /// A run ends here, and is followed no further.
    pub(super) fn stop(&mut self, here: &Here) {
        if self.replay.is_none() {
            self.components[here.component].stops.insert(here.node);
        }
    }

    /// Components in which a run may end that is followed no further, callees included.
    pub(crate) fn stopping(&self) -> FxHashSet<ComponentId> {
        let own = self.components.iter().filter(|(_, it)| !it.stops.is_empty());
        let mut work: Vec<ComponentId> = own.map(|(id, _)| id).collect();
        let mut found = FxHashSet::default();
        while let Some(id) = work.pop() {
            if found.insert(id) {
                work.extend(self.components[id].callers.iter().map(|(caller, _)| *caller));
            }
        }
        found
    }

    /// The procedure is left.
    #[expect(clippy::needless_pass_by_value, reason = "what is known ends here")]
    pub(super) fn leave(&mut self, here: &Here<'p>, state: State, ending: Ending, value: Value) {
        if self.replay.is_some() {
            return;
        }
        let is_expected = match ending {
            Ending::Return => true,
            // What other classes throw and nobody declares is not planned for; what is thrown in
            // the same class is, but for errors.
            Ending::Throw(Some(class), true) => {
                // What is only known to be thrown, compilers catch and throw again.
                self.world.program.text(class) != "java.lang.Throwable"
                    && !self.world.is_unchecked(class)
            }
            Ending::Throw(Some(class), false) => !self.world.is_error(class),
            Ending::Throw(None, is_far) => !is_far,
        };
        if is_expected {
            let returned = value.object();
            let tracked: Vec<ObjectId> = state.tracks().iter().map(|track| track.object).collect();
            for object in tracked {
                if Some(object) != returned {
                    self.lost(here, &state, object, ending);
                }
            }
        }
        // What is left taken, others may give back.
        for track in state.tracks() {
            let is_known = |it: &&Stage| it.since.is_some() && it.state != FORGOTTEN;
            for stage in track.stages.iter().filter(is_known) {
                let watched = &self.watched[usize::from(stage.rule)];
                if let (Claim::OnlyAfter { then, first }, Some(automaton)) =
                    (&watched.rule.claim, &watched.automaton)
                    && automaton.next(stage.state, *then) != ERROR
                {
                    let open = (stage.rule, *first as u8, track.object);
                    self.components[here.component].open.insert(open);
                }
            }
        }
        let own = &mut self.components[here.component];
        if !own.leaving.contains(&(here.node, ending)) {
            own.leaving.push((here.node, ending));
        }
        let exit = self.exit(here, &state, ending, value);
        self.add_exit(here.component, exit);
    }

    /// What callers learn from the facts at the end.
    fn exit(&mut self, here: &Here, state: &State, ending: Ending, value: Value) -> Exit {
        let procedure = self.components[here.component].procedure;
        let writes = self.world.writes(procedure);
        let mut kept = State::default();
        for &(slot, value) in state.slots() {
            let is_told = match slot {
                Slot::Local(variable) => {
                    let parameter = variable.index();
                    let own = Key::Parameter(parameter as u32);
                    if parameter < here.body.parameters
                        && value.object().is_some_and(|it| self.objects[it] == own)
                        && value.is_null() == Tri::False
                    {
                        kept.set(Slot::Local(VarId::new(parameter)), Value::NonNull);
                    }
                    false
                }
                Slot::Answer(..) => false,
                Slot::Static(field) => writes.is_some_and(|it| it.binary_search(&field).is_ok()),
                Slot::Field(object, field) => {
                    matches!(self.objects[object], Key::Parameter(_))
                        && writes.is_some_and(|it| it.binary_search(&field).is_ok())
                }
            };
            if is_told {
                kept.set(slot, value.anonymous());
            }
        }
        let mut value = match value {
            Value::Null(Cause::Tested) => Value::Null(Cause::Assumed),
            Value::Object(object, nullness) => match self.objects[object] {
                Key::Parameter(_) | Key::Static(_) => value,
                // A lock that is kept in a field, by its getter.
                Key::Field(own, field)
                    if self.world.is_fixed(field)
                        && matches!(self.objects[own], Key::Parameter(_)) =>
                {
                    value
                }
                Key::At(_) if state.track(object).is_some_and(|it| !it.stages.is_empty()) => {
                    let given = self.object(Key::At(u32::MAX));
                    let track = state.track(object).cloned();
                    if let Some(track) = track {
                        kept.put(Track { object: given, ..track });
                    }
                    Value::Object(given, nullness)
                }
                _ => value.anonymous(),
            },
            other => other,
        };
        if let Value::Number(low, high) = value
            && low != high
        {
            value = Value::Any;
        }
        for track in state.tracks() {
            let is_outside = match self.objects[track.object] {
                Key::Parameter(_) | Key::Static(_) => true,
                Key::Field(own, _) => matches!(self.objects[own], Key::Parameter(_)),
                _ => false,
            };
            let told = self.told(track);
            if is_outside && (told.escaped || !told.stages.is_empty()) {
                kept.put(told);
            }
        }
        Exit { ending, value, state: kept }
    }

    pub(super) fn add_exit(&mut self, component: ComponentId, mut exit: Exit) {
        let own = &mut self.components[component];
        let is_many = own.exits.len() >= MOST_EXITS;
        if is_many {
            exit.value = exit.value.anonymous();
            if !matches!(exit.value, Value::NonNull) {
                exit.value = Value::Any;
            }
        }
        if own.exits.len() >= 2 * MOST_EXITS {
            let others = own.exits.iter().map(|other| &other.state);
            exit.state = State::unknown(others.chain([&own.entry, &exit.state]));
            exit.value = Value::Any;
        }
        let same = own.exits.iter().position(|other| {
            other.ending == exit.ending
                && other.value == exit.value
                && match is_many {
                    true => other.state.has_same_stages(&exit.state),
                    false => other.state.tracks() == exit.state.tracks(),
                }
        });
        let number = match same {
            Some(number) => {
                let joined = own.exits[number].state.join(&exit.state, Value::join);
                if joined == own.exits[number].state {
                    return;
                }
                own.exits[number].state = joined;
                number
            }
            None => {
                own.exits.push(exit);
                own.exits.len() - 1
            }
        };
        for caller in self.components[component].callers.clone() {
            self.resume(caller, component, number);
        }
    }
}

//! Which class the receiver of a call is of, as what was done to it before says.
//!
//! A call may lead to methods of several classes: `enter()` of a real lock and of one that does
//! nothing. Each is gone on from, as another run. Where the run has taken what is kept in a field
//! of an object, the object has that field: so the next call on it does not lead to a class that
//! has not.

use super::Explored;
use super::step::Here;
use crate::rules::FORGOTTEN;
use crate::state::{State, Track};
use crate::values::{Key, ObjectId};
use std::borrow::Cow;
use tern_ir::{Call, ClassKind, Dispatch, NameId, ProcId};
use tern_model::Tri;

impl Explored<'_, '_> {
    /// The targets of a call that an object can run, by what is known of its parts.
    pub(super) fn of_same_class<'t>(
        &self,
        here: &Here,
        state: &State,
        call: &Call,
        (procedure, site): (ProcId, usize),
        targets: &'t [ProcId],
    ) -> Cow<'t, [ProcId]> {
        let all = Cow::Borrowed(targets);
        if targets.len() < 2 || call.dispatch != Dispatch::Virtual || state.tracks().is_empty() {
            return all;
        }
        let receiver = here.body.operands(&call.arguments)[0];
        let Some(receiver) = self.value(state, receiver).object() else { return all };
        let Some(resolved) = self.world.resolved(procedure, site) else { return all };
        let classes = state.tracks().iter().filter_map(|track| self.owner(track, receiver));
        let mut left: Vec<ProcId> = targets.to_vec();
        for class in classes {
            left.retain(|&target| self.may_run(class, target, resolved));
        }
        if left.is_empty() || left.len() == targets.len() { all } else { Cow::Owned(left) }
    }

    /// The class that has the field of an object in which something is kept that the run has done
    /// something to.
    fn owner(&self, track: &Track, object: ObjectId) -> Option<NameId> {
        if track.stages.iter().all(|stage| stage.state == FORGOTTEN) {
            return None;
        }
        let mut at = track.object;
        loop {
            match self.objects[at] {
                Key::Field(outer, field) if outer == object => {
                    return Some(self.world.program.fields()[field].class);
                }
                Key::Field(outer, _) | Key::Part(outer, _) => at = outer,
                _ => return None,
            }
        }
    }

    /// Whether an object that has what a class has may run a method.
    fn may_run(&self, class: NameId, target: ProcId, resolved: ProcId) -> bool {
        let (world, program) = (self.world, self.world.program);
        let Some(own) = program.procedures()[target].class else { return true };
        let own = &program.classes()[own];
        if own.kind == ClassKind::Interface || world.is_below(own.name, class) != Tri::False {
            return true;
        }
        match world.is_below(class, own.name) {
            Tri::True => world.select(class, resolved).is_none_or(|it| it == target),
            Tri::Unknown => true,
            Tri::False => false,
        }
    }
}

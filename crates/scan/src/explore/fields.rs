//! Fields: what is read and written, and what others may write.

use super::step::{Here, Next};
use super::{ComponentId, Explored};
use crate::rules::{Claim, FORGOTTEN};
use crate::state::{Slot, Stage, State};
use crate::values::{Key, Nullness, Value};
use tern_ir::{Operand, Type, VarId};
use tern_model::Tri;

impl Explored<'_, '_> {
    pub(super) fn load(
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
                let is_constant =
                    matches!(key, Key::Static(field) if self.world.is_enumerated(field));
                if state.holds(object)
                    && state.track(object).is_none_or(|it| it.stages.is_empty())
                    && !is_constant
                {
                    // It may have been another before.
                    self.detach(here, state, object);
                    state.update(|value| match value {
                        Value::Object(own, _) if own == object => value.anonymous(),
                        other => other,
                    });
                }
                let is_library = self.world.program.text(self.world.program.fields()[field].class)
                    == "java.lang.System";
                let nullness = if is_library { Nullness::NonNull } else { Nullness::Unknown };
                let value = Value::Object(object, nullness);
                // What the field belongs to may have lost its name.
                if !matches!(key, Key::At(_)) {
                    state.set(slot, value);
                }
                value
            }
            _ => self.unknown(here, state, here.row, ty),
        };
        state.set(Slot::Local(to), value);
        Next::On
    }

    pub(super) fn store(
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
        self.forget_answers(here.component, state, |asked, _, number| {
            asked.is_kept(number, |it| it != field)
        });
        self.kept(here, state, slot, value);
        self.escape(here, state, value);
        if let Some(slot) = slot {
            state.set(slot, value);
            self.replaced(here, state, slot);
        }
        Next::On
    }

    /// A field holds another object from now on: the name of the former one, if nothing else holds
    /// it, stands for nothing of which something is known.
    fn replaced(&mut self, here: &Here, state: &mut State, slot: Slot) {
        let key = match slot {
            Slot::Field(own, field) => Key::Field(own, field),
            Slot::Static(field) => Key::Static(field),
            _ => return,
        };
        let former = self.object(key);
        // Temporaries are not read again.
        let is_named = |slot: Slot| match slot {
            Slot::Local(variable) => here.body.variables[variable].name.is_some(),
            Slot::Answer(..) => false,
            _ => true,
        };
        let holds =
            |(slot, value): &(Slot, Value)| value.object() == Some(former) && is_named(*slot);
        if state.slots().iter().any(holds) {
            return;
        }
        let stages = state.track(former).map_or(Vec::new(), |track| track.stages.clone());
        for stage in stages {
            state.set_stage(former, Stage { state: FORGOTTEN, ..stage });
        }
        // Nor is it known what was done before to the object that is there now.
        let (Key::Field(_, field) | Key::Static(field)) = key else { return };
        let program = self.world.program;
        let Type::Reference(class) = program.types()[program.fields()[field].ty] else { return };
        for (number, watched) in self.watched.iter().enumerate() {
            let rule = number as u8;
            let is_about = |(_, names): &(String, Vec<String>)| self.world.is_of(class, names);
            if matches!(watched.rule.claim, Claim::OnlyAfter { .. })
                && state.stage(former, rule) == 0
                && watched.rule.object.as_ref().is_some_and(is_about)
            {
                let since = Some(here.row);
                state.set_stage(former, Stage { rule, state: FORGOTTEN, since });
            }
        }
    }

    /// What was taken and is kept in a field is taken when others find it there.
    fn kept(&mut self, here: &Here, state: &State, slot: Option<Slot>, value: Value) {
        let (Some(object), None) = (value.object(), &self.replay) else { return };
        let key = match slot {
            Some(Slot::Field(own, field)) => Key::Field(own, field),
            Some(Slot::Static(field)) => Key::Static(field),
            _ => return,
        };
        let stages = state.track(object).map_or(Vec::new(), |track| track.stages.clone());
        for stage in stages {
            if let Claim::OnlyAfter { first, .. } = self.watched[usize::from(stage.rule)].rule.claim
            {
                let kept = self.object(key);
                self.components[here.component].open.insert((stage.rule, first as u8, kept));
            }
        }
    }

    /// Others may use a value from now on.
    pub(super) fn escape(&mut self, here: &Here, state: &mut State, value: Value) {
        let Some(object) = value.object() else { return };
        let procedure = self.components[here.component].procedure;
        if state.track(object).is_some() || self.is_followed(procedure, object) {
            let stages = state.track(object).map_or(Vec::new(), |track| track.stages.clone());
            state.escape(object);
            // What is kept in a field is found there again, and not as it was at first.
            if matches!(self.objects[object], Key::Static(_) | Key::Field(..)) {
                for stage in stages {
                    state.set_stage(object, Stage { state: FORGOTTEN, ..stage });
                }
            }
        }
    }

    /// Forgets fields that may be written: all that are not fixed, or those given.
    pub(super) fn clobber(
        &self,
        component: ComponentId,
        state: &mut State,
        fields: Option<&[tern_ir::FieldId]>,
    ) {
        if fields.is_some_and(<[_]>::is_empty) {
            return;
        }
        let stays = |field: tern_ir::FieldId| {
            self.world.is_fixed(field)
                || fields.is_some_and(|fields| fields.binary_search(&field).is_err())
        };
        state.retain(|slot, _| match slot {
            Slot::Local(_) | Slot::Answer(..) => true,
            Slot::Static(field) | Slot::Field(_, field) => stays(field),
        });
        // Who has found an object goes on to use it, though nobody knows what was done meanwhile;
        // and who was told `true` or `false` goes the same way once more.
        let is_told = |value: Value| matches!(value, Value::Number(low, high) if low == high);
        let is_found = |value: Value| value.is_null() == Tri::False || is_told(value);
        self.forget_answers(component, state, |asked, (_, value), number| {
            let is_vague = fields.is_none() || asked.is_vague(number);
            asked.is_kept(number, stays) || is_vague && is_found(value) && asked.is_steady(number)
        });
        state.retain_decisions(self.agains(component).with_fields(stays));
    }

    /// Others may have written until now, on whom this one has waited.
    pub(super) fn share(&self, component: ComponentId, state: &mut State) {
        self.clobber(component, state, None);
        self.forget_answers(component, state, |asked, (_, value), number| {
            value.is_null() == Tri::False || asked.is_kept(number, |it| self.world.is_fixed(it))
        });
    }
}

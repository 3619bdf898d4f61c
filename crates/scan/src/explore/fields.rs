//! Fields: what is read and written, and what others may write.

use super::Explored;
use super::step::{Here, Next};
use crate::state::{Slot, State};
use crate::values::{Key, Nullness, Value};
use tern_ir::{Operand, VarId};

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
}

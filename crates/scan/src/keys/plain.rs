//! Facts by names: what is known at an entry or exit of a procedure, so that it can be kept on disk
//! and be read back in a program that numbers its names otherwise.

use super::short;
use crate::explore::{Ending, Exit, Objects};
use crate::state::{Slot, Stage, State, Track};
use crate::values::{Cause, Key, Nullness, ObjectId, Value};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use tern_ir::{FieldId, NameId, Program, VarId};
use tern_model::index::Id;

/// An object, as [`Key`] says it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Object {
    Parameter(u32),
    Static(u64),
    Field(Box<Object>, u64),
    At(u32),
    Thrown(Option<String>),
    Part(Box<Object>, String),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Place {
    Local(u32),
    Static(u64),
    Field(Object, u64),
    Answer(Option<Object>, u8),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Known {
    Number(i64, i64),
    Text(String),
    Null(Cause),
    NonNull,
    Object(Object, Nullness),
    Any,
}

/// An object with its states in rules: rule, state, statement.
type Tracked = (Object, bool, Vec<(u8, u8, Option<u32>)>);

/// The facts of a [`State`], in an order that does not depend on numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Facts {
    slots: Vec<(Place, Known)>,
    tracks: Vec<Tracked>,
}

/// An exit: how it ends, by the class that is thrown; its value; its facts.
#[derive(Debug, Serialize)]
pub(super) struct Plain {
    thrown: Option<(Option<String>, bool)>,
    value: Known,
    facts: Facts,
}

/// The names of a program.
pub(super) struct Names<'p> {
    program: &'p Program,
    fields: Vec<u64>,
    by_field: FxHashMap<u64, FieldId>,
}

impl<'p> Names<'p> {
    pub(super) fn new(program: &'p Program, field: impl Fn(FieldId) -> super::Digest) -> Self {
        let fields: Vec<u64> = program.fields().ids().map(|it| short(field(it))).collect();
        let by_field = program.fields().ids().map(|it| (fields[it.index()], it)).collect();
        Names { program, fields, by_field }
    }

    fn field(&self, field: FieldId) -> u64 {
        self.fields[field.index()]
    }

    fn text(&self, name: NameId) -> String {
        self.program.text(name).to_owned()
    }

    fn object(&self, object: ObjectId, objects: &Objects) -> Object {
        match objects[object] {
            Key::Parameter(position) => Object::Parameter(position),
            Key::Static(field) => Object::Static(self.field(field)),
            Key::Field(outer, field) => {
                Object::Field(Box::new(self.object(outer, objects)), self.field(field))
            }
            Key::At(row) => Object::At(row),
            Key::Thrown(class) => Object::Thrown(class.map(|it| self.text(it))),
            Key::Part(outer, name) => {
                Object::Part(Box::new(self.object(outer, objects)), self.text(name))
            }
        }
    }

    fn value(&self, value: Value, objects: &Objects) -> Known {
        match value {
            Value::Any => Known::Any,
            Value::Number(low, high) => Known::Number(low, high),
            Value::Text(name) => Known::Text(self.text(name)),
            Value::Null(cause) => Known::Null(cause),
            Value::NonNull => Known::NonNull,
            Value::Object(object, nullness) => {
                Known::Object(self.object(object, objects), nullness)
            }
        }
    }

    /// The facts of a state by names. How tests went is not told to others.
    pub(super) fn facts(&self, state: &State, objects: &Objects) -> Facts {
        let slot = |slot: Slot| match slot {
            Slot::Local(variable) => Place::Local(variable.index() as u32),
            Slot::Static(field) => Place::Static(self.field(field)),
            Slot::Field(object, field) => {
                Place::Field(self.object(object, objects), self.field(field))
            }
            Slot::Answer(object, number) => {
                Place::Answer(object.map(|it| self.object(it, objects)), number)
            }
        };
        let rows = state.slots().iter();
        let mut slots: Vec<_> =
            rows.map(|&(place, value)| (slot(place), self.value(value, objects))).collect();
        slots.sort_unstable();
        let tracked = |track: &Track| {
            let stages = track.stages.iter().map(|it| (it.rule, it.state, it.since));
            (self.object(track.object, objects), track.escaped, stages.collect())
        };
        let mut tracks: Vec<Tracked> = state.tracks().iter().map(tracked).collect();
        tracks.sort_unstable();
        Facts { slots, tracks }
    }

    pub(super) fn exit(&self, exit: &Exit, objects: &Objects) -> Plain {
        let thrown = match exit.ending {
            Ending::Return => None,
            Ending::Throw(class, is_far) => Some((class.map(|it| self.text(it)), is_far)),
        };
        let value = self.value(exit.value, objects);
        Plain { thrown, value, facts: self.facts(&exit.state, objects) }
    }

    fn read_object(&self, object: &Object, objects: &mut Objects) -> Option<ObjectId> {
        let field = |it: &u64| self.by_field.get(it).copied();
        let key = match object {
            Object::Parameter(position) => Key::Parameter(*position),
            Object::Static(it) => Key::Static(field(it)?),
            Object::Field(outer, it) => Key::Field(self.read_object(outer, objects)?, field(it)?),
            Object::At(row) => Key::At(*row),
            Object::Thrown(None) => Key::Thrown(None),
            Object::Thrown(Some(class)) => Key::Thrown(Some(self.program.find_name(class)?)),
            Object::Part(outer, name) => {
                Key::Part(self.read_object(outer, objects)?, self.program.find_name(name)?)
            }
        };
        Some(objects.id(key))
    }

    /// The state of which these are the facts; none if a name is not there any more.
    pub(super) fn state(&self, facts: &Facts, objects: &mut Objects) -> Option<State> {
        let mut state = State::default();
        let field = |it: &u64| self.by_field.get(it).copied();
        for (place, known) in &facts.slots {
            let slot = match place {
                Place::Local(variable) => Slot::Local(VarId::new(*variable as usize)),
                Place::Static(it) => Slot::Static(field(it)?),
                Place::Field(object, it) => {
                    Slot::Field(self.read_object(object, objects)?, field(it)?)
                }
                Place::Answer(None, number) => Slot::Answer(None, *number),
                Place::Answer(Some(object), number) => {
                    Slot::Answer(Some(self.read_object(object, objects)?), *number)
                }
            };
            let value = match known {
                Known::Any => Value::Any,
                Known::Number(low, high) => Value::Number(*low, *high),
                Known::Text(text) => Value::Text(self.program.find_name(text)?),
                Known::Null(cause) => Value::Null(*cause),
                Known::NonNull => Value::NonNull,
                Known::Object(object, nullness) => {
                    Value::Object(self.read_object(object, objects)?, *nullness)
                }
            };
            state.set(slot, value);
        }
        for (object, escaped, stages) in &facts.tracks {
            let object = self.read_object(object, objects)?;
            let stage = |&(rule, state, since): &_| Stage { rule, state, since };
            let stages = stages.iter().map(stage).collect();
            state.put(Track { object, escaped: *escaped, stages });
        }
        Some(state)
    }
}

//! The facts at one point of a procedure: values of slots, and the states of objects in rules.
//!
//! A *slot* is a local variable, a field of a class, or a field of a symbolic object. Slots of
//! which nothing is known are not kept. An object is *tracked* while some rule has it in a state
//! other than the first, or while it is known to be out of sight (*escaped*: others may use it).

use crate::rules::FORGOTTEN;
use crate::values::{Nullness, ObjectId, Value};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use tern_ir::{FieldId, VarId};

/// Where a value is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// A local variable or parameter.
    Local(VarId),
    /// A field of a class.
    Static(FieldId),
    /// A field of an object.
    Field(ObjectId, FieldId),
    /// What an object, or a class, answered to a question that is asked again.
    Answer(Option<ObjectId>, u8),
}

/// The state of an object in one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stage {
    /// The number of the rule.
    pub rule: u8,
    /// The state of its automaton.
    pub state: u8,
    /// The statement of this procedure that led there last; none if that was before.
    pub since: Option<u32>,
}

/// What is known of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Track {
    /// The object.
    pub object: ObjectId,
    /// Whether others may use it, so that nothing is said of it any more.
    pub escaped: bool,
    /// Its states, in the order of rules; those that are not listed are the first.
    pub stages: Vec<Stage>,
}

/// The facts at one point. Most states are copied, and what is copied mostly stays as it is: so
/// copies share what they know until one of them learns something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    slots: Rc<Vec<(Slot, Value)>>,
    tracks: Rc<Vec<Track>>,
    decided: Decided,
}

/// How tests went that stand in a procedure more than once, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Decided {
    known: u64,
    truth: u64,
}

impl State {
    /// Numbers for the facts: for all of them, and for all but numbers, tests, and which objects
    /// others may use.
    pub fn marks(&self) -> (u64, u64) {
        let mut shape = FxHasher::default();
        for row in self.slots.iter() {
            if !matches!(row.1, Value::Number(..)) {
                row.hash(&mut shape);
            }
        }
        self.staged().for_each(|track| track.hash(&mut shape));
        let shape = shape.finish();
        let mut all = FxHasher::default();
        shape.hash(&mut all);
        for row in self.slots.iter() {
            if matches!(row.1, Value::Number(..)) {
                row.hash(&mut all);
            }
        }
        self.tracks.hash(&mut all);
        self.decided.hash(&mut all);
        (all.finish(), shape)
    }

    /// The objects that rules have in some state.
    fn staged(&self) -> impl Iterator<Item = &Track> {
        self.tracks.iter().filter(|track| !track.stages.is_empty())
    }

    /// Whether rules have the same objects in the same states.
    pub fn has_same_stages(&self, other: &State) -> bool {
        self.tracks == other.tracks || self.staged().eq(other.staged())
    }

    /// Whether two states know the same, but for numbers, tests, and which objects others may use.
    pub fn is_alike(&self, other: &State) -> bool {
        fn rest(state: &State) -> impl Iterator<Item = &(Slot, Value)> {
            state.slots.iter().filter(|(_, value)| !matches!(value, Value::Number(..)))
        }
        self.has_same_stages(other) && rest(self).eq(rest(other))
    }

    /// The value of a slot.
    pub fn get(&self, slot: Slot) -> Value {
        self.known(slot).unwrap_or(Value::Any)
    }

    /// The value of a slot, if something is known of it.
    pub fn known(&self, slot: Slot) -> Option<Value> {
        let found = self.slots.binary_search_by_key(&slot, |(slot, _)| *slot).ok()?;
        Some(self.slots[found].1)
    }

    /// Writes a slot.
    pub fn set(&mut self, slot: Slot, value: Value) {
        match (self.slots.binary_search_by_key(&slot, |(slot, _)| *slot), value) {
            (Ok(found), Value::Any) => {
                Rc::make_mut(&mut self.slots).remove(found);
            }
            (Ok(found), value) if self.slots[found].1 == value => {}
            (Ok(found), value) => Rc::make_mut(&mut self.slots)[found].1 = value,
            (Err(_), Value::Any) => {}
            (Err(place), value) => Rc::make_mut(&mut self.slots).insert(place, (slot, value)),
        }
    }

    /// All slots of which something is known.
    pub fn slots(&self) -> &[(Slot, Value)] {
        &self.slots
    }

    /// Keeps only some slots.
    pub fn retain(&mut self, mut keep: impl FnMut(Slot, Value) -> bool) {
        retain(&mut self.slots, |(slot, value)| keep(*slot, *value));
    }

    /// Changes the values of all slots.
    pub fn update(&mut self, change: impl Fn(Value) -> Value) {
        let Some(first) = self.slots.iter().position(|(_, value)| change(*value) != *value) else {
            return;
        };
        let slots = Rc::make_mut(&mut self.slots);
        for (_, value) in &mut slots[first..] {
            *value = change(*value);
        }
        slots.retain(|(_, value)| *value != Value::Any);
    }

    /// How a test went that stands in several places.
    pub fn decision(&self, test: u8) -> Option<bool> {
        let bit = 1 << test;
        (self.decided.known & bit != 0).then_some(self.decided.truth & bit != 0)
    }

    /// Notes how a test went.
    pub fn decide(&mut self, test: u8, truth: bool) {
        self.decided.known |= 1 << test;
        self.decided.truth |= u64::from(truth) << test;
    }

    /// Keeps only some of the tests.
    pub fn retain_decisions(&mut self, tests: u64) {
        self.decided.known &= tests;
        self.decided.truth &= tests;
    }

    /// All objects that are tracked.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// What is known of an object.
    pub fn track(&self, object: ObjectId) -> Option<&Track> {
        let found = self.tracks.binary_search_by_key(&object, |track| track.object).ok()?;
        Some(&self.tracks[found])
    }

    /// Whether others may use an object.
    pub fn is_escaped(&self, object: ObjectId) -> bool {
        self.track(object).is_some_and(|track| track.escaped)
    }

    /// The state of an object in a rule.
    pub fn stage(&self, object: ObjectId, rule: u8) -> u8 {
        let stages = self.track(object).map_or(&[][..], |track| &track.stages);
        stages.iter().find(|stage| stage.rule == rule).map_or(0, |stage| stage.state)
    }

    /// The statement that brought an object into its state in a rule.
    pub fn since(&self, object: ObjectId, rule: u8) -> Option<u32> {
        let stages = &self.track(object)?.stages;
        stages.iter().find(|stage| stage.rule == rule)?.since
    }

    fn track_mut(&mut self, object: ObjectId) -> &mut Track {
        let place = match self.tracks.binary_search_by_key(&object, |track| track.object) {
            Ok(found) => found,
            Err(place) => {
                let track = Track { object, escaped: false, stages: Vec::new() };
                Rc::make_mut(&mut self.tracks).insert(place, track);
                place
            }
        };
        &mut Rc::make_mut(&mut self.tracks)[place]
    }

    /// Puts an object in a state of a rule.
    pub fn set_stage(&mut self, object: ObjectId, stage: Stage) {
        let is_known = match self.track(object) {
            Some(track) => stage.state != 0 && track.stages.contains(&stage),
            None => stage.state == 0,
        };
        if is_known {
            return;
        }
        let track = self.track_mut(object);
        track.stages.retain(|other| other.rule != stage.rule);
        if stage.state != 0 {
            let place = track.stages.partition_point(|other| other.rule < stage.rule);
            track.stages.insert(place, stage);
        }
        if track.stages.is_empty() && !track.escaped {
            self.forget(object);
        }
    }

    /// Puts back what was known of an object.
    pub fn put(&mut self, track: Track) {
        let own = self.track_mut(track.object);
        *own = track;
    }

    /// Others may use the object from now on.
    pub fn escape(&mut self, object: ObjectId) {
        if self.track(object).is_some_and(|track| track.escaped && track.stages.is_empty()) {
            return;
        }
        let track = self.track_mut(object);
        track.escaped = true;
        track.stages.clear();
    }

    /// Nothing is known, also of the objects that something is known of in other states: they are
    /// not followed any more. To leave them out would mean that they are as they were at first.
    pub fn unknown<'s>(others: impl Iterator<Item = &'s State>) -> State {
        let mut nothing = State::default();
        for track in others.flat_map(|other| other.tracks.iter()) {
            nothing.track_mut(track.object).escaped |= track.escaped;
            for stage in &track.stages {
                let stage = Stage { rule: stage.rule, state: FORGOTTEN, since: None };
                nothing.set_stage(track.object, stage);
            }
        }
        retain(&mut nothing.tracks, |track| track.escaped || !track.stages.is_empty());
        nothing
    }

    /// Forgets what is known of an object.
    pub fn forget(&mut self, object: ObjectId) {
        if self.track(object).is_some() {
            Rc::make_mut(&mut self.tracks).retain(|track| track.object != object);
        }
    }

    /// Forgets all objects that something is said against.
    pub fn retain_tracks(&mut self, keep: impl FnMut(&Track) -> bool) {
        retain(&mut self.tracks, keep);
    }

    /// Whether a slot holds an object.
    pub fn holds(&self, object: ObjectId) -> bool {
        self.slots.iter().any(|(_, value)| value.object() == Some(object))
    }

    /// Lets all slots that hold one object hold another.
    pub fn replace(&mut self, object: ObjectId, by: Value) {
        self.update(|value| match value {
            Value::Object(own, _) if own == object => by,
            other => other,
        });
    }

    /// Notes of an object, wherever it is held, whether it is null.
    pub fn refine(&mut self, object: ObjectId, nullness: Nullness) {
        self.update(|value| match value {
            Value::Object(own, Nullness::Unknown) if own == object => {
                Value::Object(object, nullness)
            }
            other => other,
        });
    }

    /// What is known if one or the other is true; rules must have the same objects in the same
    /// states. What others may use in one of them, they may use.
    pub fn join(&self, other: &State, mut each: impl FnMut(Value, Value) -> Value) -> State {
        let (mut slots, mut theirs) = (Vec::new(), other.slots.iter().peekable());
        for &(slot, value) in self.slots.iter() {
            while theirs.next_if(|(other, _)| *other < slot).is_some() {}
            if let Some(&&(found, other)) = theirs.peek()
                && found == slot
            {
                let joined = each(value, other);
                if joined != Value::Any {
                    slots.push((slot, joined));
                }
            }
        }
        let agree = !(self.decided.truth ^ other.decided.truth);
        let known = self.decided.known & other.decided.known & agree;
        let decided = Decided { known, truth: self.decided.truth & known };
        let mut state = State { slots: Rc::new(slots), tracks: self.tracks.clone(), decided };
        if self.tracks != other.tracks {
            let others = other.tracks.iter().filter(|track| track.escaped);
            others.for_each(|track| state.track_mut(track.object).escaped = true);
        }
        state
    }
}

/// Keeps only some rows, and whatever is shared if all are kept.
fn retain<T: Clone>(rows: &mut Rc<Vec<T>>, mut keep: impl FnMut(&T) -> bool) {
    let Some(first) = rows.iter().position(|row| !keep(row)) else { return };
    let rows = Rc::make_mut(rows);
    let mut row = 0;
    rows.retain(|it| {
        row += 1;
        row <= first || row > first + 1 && keep(it)
    });
}

//! Callees that do nothing that rules speak of: explored once for all units.
//!
//! Units look at much of the same code: what they call. If all that a procedure can enter may be
//! entered in a view, and nothing of it is one of the procedures that the view is about, then what
//! happens in it is the same in every view. So it is explored in a view of its own, with the same
//! facts at its entry, and what callers learn from it is kept. It must be all that matters: if a
//! rule is broken there, or some event of a rule happens, or it never ends, then it is explored in
//! each view.

use super::{Component, Ending, Exit, Explored, Setting, View};
use crate::state::{Slot, State, Track};
use crate::values::{Key, ObjectId, Value};
use crate::world::World;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use tern_ir::ProcId;
use tern_model::budget::Meter;
use tern_model::index::Numbering;

/// The most procedures that one may enter, with itself, so that it is explored alone.
const MOST_ENTERED: usize = 40;
/// The most entries of a procedure that are kept.
const MOST_ENTRIES: usize = 64;
/// How many nodes are looked at before a procedure is left to those who call it.
pub(super) const MOST_STEPS: usize = 4_000;

type Objects = Numbering<ObjectId, Key>;
type Closure = Rc<FxHashSet<ProcId>>;

/// What is known of callees, for all views of one thread.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    closures: FxHashMap<ProcId, Option<Closure>>,
    known: FxHashMap<ProcId, Known>,
}

/// What is known at an entry, and the exits; none if it must be explored in each view.
type Entry = (State, Option<Rc<[Exit]>>);

/// What is known of one procedure.
#[derive(Debug, Default)]
struct Known {
    /// The objects that its entries and exits speak of.
    objects: Objects,
    /// Its entries by their numbers.
    entries: FxHashMap<u64, Vec<Entry>>,
    count: usize,
}

impl Shared {
    /// The procedures that may be entered from one, with itself; none if they are too many.
    fn closure(&mut self, world: &World, procedure: ProcId) -> Option<Closure> {
        let found = || entered(world, procedure).map(Rc::new);
        self.closures.entry(procedure).or_insert_with(found).clone()
    }
}

fn entered(world: &World, procedure: ProcId) -> Option<FxHashSet<ProcId>> {
    let mut found: FxHashSet<ProcId> = [procedure].into_iter().collect();
    let mut work = vec![procedure];
    while let Some(id) = work.pop() {
        for &reference in world.calls.sites(id) {
            let callee = world.callee_of(reference);
            if callee.is_leaf {
                continue;
            }
            for &target in callee.targets.iter().flatten() {
                if found.insert(target) {
                    if found.len() > MOST_ENTERED {
                        return None;
                    }
                    work.push(target);
                }
            }
        }
    }
    Some(found)
}

impl Explored<'_, '_> {
    /// The exits of a callee with facts at its entry, if that is all that matters of it here.
    pub(super) fn shared_exits(&mut self, procedure: ProcId, entry: &State) -> Option<Vec<Exit>> {
        let closure = self.setting.shared.borrow_mut().closure(self.world, procedure)?;
        let view = self.view;
        let is_other = |it: &ProcId| {
            view.inside.contains(it)
                && view.roots.binary_search(it).is_err()
                && self.kept.of(*it).is_empty()
        };
        if closure.len() >= view.inside.len() || !closure.iter().all(is_other) {
            return None;
        }
        let exits = self.known_exits(procedure, entry, &closure)?;
        self.looked.extend(closure.iter().copied());
        Some(exits)
    }

    fn known_exits(
        &mut self,
        procedure: ProcId,
        entry: &State,
        closure: &Closure,
    ) -> Option<Vec<Exit>> {
        let setting = self.setting;
        let mut shared = setting.shared.borrow_mut();
        let known = shared.known.entry(procedure).or_default();
        let entry = translated(entry, &self.objects, &mut known.objects);
        let mark = entry.marks().0;
        let rows = known.entries.get(&mark).map_or(&[][..], Vec::as_slice);
        if let Some((_, exits)) = rows.iter().find(|(other, _)| *other == entry) {
            let exits = exits.as_ref()?;
            let each = exits.iter().map(|it| exit_in(it, &known.objects, &mut self.objects));
            return Some(each.collect());
        }
        if known.count >= MOST_ENTRIES {
            return None;
        }
        let objects = known.objects.clone();
        drop(shared);
        let made = explored_alone(setting, procedure, (&entry, &objects), closure);
        let mut shared = setting.shared.borrow_mut();
        let known = shared.known.entry(procedure).or_default();
        let kept: Option<Rc<[Exit]>> = made.map(|(exits, objects)| {
            exits.iter().map(|it| exit_in(it, &objects, &mut known.objects)).collect()
        });
        known.count += 1;
        known.entries.entry(mark).or_default().push((entry, kept.clone()));
        let each = kept?.iter().map(|it| exit_in(it, &known.objects, &mut self.objects)).collect();
        Some(each)
    }

    /// Makes a component of which only the exits are known.
    pub(super) fn fill(&mut self, component: super::ComponentId, exits: Vec<Exit>) {
        for mut exit in exits {
            let procedure = self.components[component].procedure;
            let kept: Vec<Track> = exit.state.tracks().to_vec();
            for track in kept.into_iter().filter(|track| track.stages.is_empty()) {
                if !self.is_followed(procedure, track.object) {
                    exit.state.forget(track.object);
                }
            }
            self.components[component].leaving.push((0, exit.ending));
            self.add_exit(component, exit);
        }
        self.components[component].is_shared = true;
    }
}

/// The exits of a procedure that is explored alone, if they are all that matters.
fn explored_alone(
    setting: &Setting,
    procedure: ProcId,
    (entry, objects): (&State, &Objects),
    closure: &Closure,
) -> Option<(Vec<Exit>, Objects)> {
    let view = View { roots: Vec::new(), inside: (**closure).clone() };
    let kept = super::Kept::default();
    let mut explored = Explored::empty(setting, &view, &kept);
    explored.most_steps = MOST_STEPS;
    // In the order of parameters, whoever asks first.
    explored.general_entry(procedure);
    let entry = translated(entry, objects, &mut explored.objects);
    let first = explored.component(procedure, entry);
    let mut meter = Meter::new(setting.budget);
    explored.settle(&mut meter).ok()?;
    let is_quiet = |it: &Component| {
        it.violations.is_empty()
            && it.done.is_empty()
            && it.open.is_empty()
            && it.marks.is_empty()
            && it.exits.iter().all(|exit| exit.state.tracks().iter().all(|it| it.stages.is_empty()))
    };
    let all = explored.components.as_slice();
    let exits = explored.components[first].exits.clone();
    (!exits.is_empty() && all.iter().all(is_quiet)).then_some((exits, explored.objects))
}

/// An object by its number among others.
fn renamed(object: ObjectId, from: &Objects, to: &mut Objects) -> ObjectId {
    let key = match from[object] {
        Key::Field(outer, field) => Key::Field(renamed(outer, from, to), field),
        Key::Part(outer, name) => Key::Part(renamed(outer, from, to), name),
        other => other,
    };
    to.id(key)
}

fn value_in(value: Value, from: &Objects, to: &mut Objects) -> Value {
    match value {
        Value::Object(object, nullness) => Value::Object(renamed(object, from, to), nullness),
        other => other,
    }
}

/// The same facts, with other numbers of objects. How tests went is not told to others.
fn translated(state: &State, from: &Objects, to: &mut Objects) -> State {
    let mut own = State::default();
    for &(slot, value) in state.slots() {
        let slot = match slot {
            Slot::Field(object, field) => Slot::Field(renamed(object, from, to), field),
            other => other,
        };
        let value = value_in(value, from, to);
        own.set(slot, value);
    }
    for track in state.tracks() {
        let object = renamed(track.object, from, to);
        own.put(Track { object, ..track.clone() });
    }
    own
}

fn exit_in(exit: &Exit, from: &Objects, to: &mut Objects) -> Exit {
    let ending: Ending = exit.ending;
    let value = value_in(exit.value, from, to);
    Exit { ending, value, state: translated(&exit.state, from, to) }
}

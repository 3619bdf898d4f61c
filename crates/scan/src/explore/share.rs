//! Callees that do nothing that rules speak of: explored once for all units.
//!
//! Units look at much of the same code: what they call. If a procedure can enter only few others,
//! and nothing of it is one of the procedures that a view is about, then what happens in it is the
//! same in every view, however far away it is. So it is explored in a view of its own, with the
//! same facts at its entry, and what callers learn from it is kept. It must be all that matters: if
//! a rule is broken there, or some event of a rule happens, or it never ends, or the run may end in
//! it, then it is explored in each view.

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

pub(crate) type Objects = Numbering<ObjectId, Key>;
type Closure = Rc<FxHashSet<ProcId>>;

/// What is known of callees, for all views of one thread.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    closures: FxHashMap<ProcId, Option<Closure>>,
    known: FxHashMap<ProcId, Known>,
}

/// What is known at an entry, and the exits; none if it must be explored in each view.
type Entry = (State, Option<Rc<[Exit]>>);

/// A procedure with one of its entries, by its number: of which only the exits were looked at.
pub(crate) type Use = (ProcId, usize);

/// What is known of one procedure.
#[derive(Debug, Default)]
struct Known {
    /// The objects that its entries and exits speak of.
    objects: Objects,
    /// Its entries in the order in which they were asked for.
    entries: Vec<Entry>,
    /// Their places by the numbers of their facts.
    places: FxHashMap<u64, Vec<usize>>,
}

impl Shared {
    /// The procedures that may be entered from one, with itself; none if they are too many.
    fn closure(&mut self, world: &World, procedure: ProcId) -> Option<Closure> {
        let found = || entered(world, procedure).map(Rc::new);
        self.closures.entry(procedure).or_insert_with(found).clone()
    }
}

/// The procedures that may be entered from one, with itself; none if they are too many.
pub(crate) fn entered(world: &World, procedure: ProcId) -> Option<FxHashSet<ProcId>> {
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

/// Whether a procedure is explored apart from a view: it may be entered, and nothing that it may
/// enter is what the view is about. Among what is explored apart, it must enter less.
pub(crate) fn is_apart<'c>(
    view: &View,
    procedure: ProcId,
    mut closure: impl ExactSizeIterator<Item = &'c ProcId>,
) -> bool {
    let is_own = |it: &ProcId| view.roots.binary_search(it).is_ok();
    view.inside.contains(&procedure)
        && (!view.roots.is_empty() || closure.len() < view.inside.len())
        && !closure.any(is_own)
}

impl Setting<'_, '_> {
    /// The number of an entry of a procedure; explores it if nobody has asked for it. None if there
    /// are too many, or the procedure enters too much.
    pub(crate) fn place(
        &self,
        procedure: ProcId,
        (entry, objects): (&State, &Objects),
    ) -> Option<usize> {
        let mut shared = self.shared.borrow_mut();
        let closure = shared.closure(self.world, procedure)?;
        let known = shared.known.entry(procedure).or_default();
        let entry = translated(entry, objects, &mut known.objects);
        let mark = entry.marks().0;
        let places = known.places.get(&mark).map_or(&[][..], Vec::as_slice);
        if let Some(place) = places.iter().find(|it| known.entries[**it].0 == entry) {
            return Some(*place);
        }
        if known.entries.len() >= MOST_ENTRIES {
            return None;
        }
        let objects = known.objects.clone();
        drop(shared);
        let made = explored_alone(self, procedure, (&entry, &objects), &closure);
        let mut shared = self.shared.borrow_mut();
        let known = shared.known.entry(procedure).or_default();
        let kept: Option<Rc<[Exit]>> = made.map(|(exits, objects)| {
            exits.iter().map(|it| exit_in(it, &objects, &mut known.objects)).collect()
        });
        let place = known.entries.len();
        known.places.entry(mark).or_default().push(place);
        known.entries.push((entry, kept));
        Some(place)
    }

    /// What is known at an entry, the exits if they are all that matters, and the objects that
    /// these speak of.
    pub(crate) fn summary<T>(
        &self,
        (procedure, place): Use,
        tell: impl FnOnce(&State, Option<&[Exit]>, &Objects) -> T,
    ) -> T {
        let shared = self.shared.borrow();
        let known = &shared.known[&procedure];
        let (entry, exits) = &known.entries[place];
        tell(entry, exits.as_deref(), &known.objects)
    }
}

impl Explored<'_, '_> {
    /// The exits of a callee with facts at its entry, if that is all that matters of it here.
    pub(super) fn shared_exits(&mut self, procedure: ProcId, entry: &State) -> Option<Vec<Exit>> {
        let closure = self.setting.shared.borrow_mut().closure(self.world, procedure)?;
        if !is_apart(self.view, procedure, closure.iter())
            || closure.iter().any(|it| !self.kept.of(*it).is_empty())
        {
            return None;
        }
        let place = self.setting.place(procedure, (entry, &self.objects))?;
        let shared = self.setting.shared.borrow();
        let known = &shared.known[&procedure];
        let exits = known.entries[place].1.as_ref()?;
        self.uses.insert((procedure, place));
        Some(exits.iter().map(|it| exit_in(it, &known.objects, &mut self.objects)).collect())
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
            && it.stops.is_empty()
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

//! Units: a class of the source with the classes inside it, explored at once, with the procedures
//! that may be entered from it.
//!
//! What is found in a unit depends only on what it looks at. So units are explored in any order,
//! several at a time, and what was found is kept with numbers for what was looked at
//! ([`crate::keys`]).
//!
//! # Bounds
//! A call is entered if it is at most [`MOST_DEEP`] calls away from the unit, and one of the first
//! [`MOST_INSIDE`] procedures by that distance. What is further away counts as unknown code.

use crate::explore::{Explored, Kept, Setting, Use, View};
use crate::findings::{self, Outcome, Refuted};
use crate::sources::Sources;
use crate::state::Slot;
use crate::world::World;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use tern_ir::{ClassId, ProcId};
use tern_model::Limit;

/// How many calls away from a unit procedures are entered.
const MOST_DEEP: usize = 6;
/// How many procedures a unit looks at besides its own.
const MOST_INSIDE: usize = 60;
/// How often a unit is explored again because a path contradicts itself.
const MOST_ROUNDS: usize = 5;

/// Units with more components than this are explored once.
const MOST_REFINED: usize = 400;

/// A class of the source, with the classes inside it.
#[derive(Debug)]
pub(crate) struct Unit {
    /// Its name.
    pub(crate) name: String,
    pub(crate) view: View,
}

/// The units of classes before `library`, by name.
pub(crate) fn units(world: &World, library: ClassId) -> Vec<Unit> {
    let program = world.program;
    let mut groups: BTreeMap<&str, Vec<ProcId>> = BTreeMap::new();
    for (id, procedure) in program.procedures().iter() {
        let Some(class) = procedure.class.filter(|class| *class < library) else { continue };
        if procedure.body.is_some() {
            let name = program.text(program.classes()[class].name);
            // The first `$` inside a simple name: names may begin with one.
            let simple = name.rfind('.').map_or(0, |dot| dot + 1);
            let end = name[simple..].char_indices().skip(1).find(|(_, c)| *c == '$');
            let outer = end.map_or(name, |(at, _)| &name[..simple + at]);
            groups.entry(outer).or_default().push(id);
        }
    }
    let units = groups.into_iter().map(|(name, roots)| {
        let inside = inside(world, &roots);
        Unit { name: name.to_owned(), view: View { roots, inside } }
    });
    units.collect()
}

/// The procedures that calls may enter, by breadth.
fn inside(world: &World, roots: &[ProcId]) -> FxHashSet<ProcId> {
    let mut inside: FxHashSet<ProcId> = roots.iter().copied().collect();
    let mut level: Vec<ProcId> = roots.to_vec();
    let most = roots.len() + MOST_INSIDE;
    for _ in 0..MOST_DEEP {
        let mut next = Vec::new();
        for &id in &level {
            for &reference in world.calls.sites(id) {
                let callee = world.callee_of(reference);
                if callee.is_leaf {
                    continue;
                }
                for &target in callee.targets.iter().flatten() {
                    if inside.len() < most && inside.insert(target) {
                        next.push(target);
                    }
                }
            }
        }
        level = next;
    }
    inside
}

/// What was looked at: procedures, and entries of which only the exits count.
pub(crate) type Looked = (FxHashSet<ProcId>, FxHashSet<Use>);

/// Explores a unit, again if paths contradict themselves, and says what was found, and what was
/// looked at.
///
/// # Errors
/// When the budget runs out.
pub(crate) fn explore(
    setting: &Setting,
    sources: &Sources,
    library: ClassId,
    view: &View,
) -> Result<(Outcome, Looked), Limit> {
    let (mut kept, mut looked) = (Kept::default(), Looked::default());
    let mut round = 0;
    loop {
        let mut explored = Explored::new(setting, view, &kept)?;
        looked.0.extend(explored.looked().0.iter().copied());
        looked.1.extend(explored.looked().1.iter().copied());
        let (refuted, slots) = false_paths(&mut explored);
        let mut more = kept.clone();
        let mut is_new = false;
        for (procedure, slots) in &slots {
            is_new |= more.add(*procedure, slots);
        }
        round += 1;
        if !is_new || round > MOST_ROUNDS || explored.components.len() > MOST_REFINED {
            let found = findings::findings(
                &explored,
                setting.rules,
                sources,
                library,
                &refuted,
                setting.budget,
            );
            return found.map(|outcome| (outcome, looked));
        }
        drop(explored);
        kept = more;
    }
}

/// Violations whose paths contradict themselves, and the slots by which they do.
fn false_paths(explored: &mut Explored) -> (Refuted, Vec<(ProcId, Vec<Slot>)>) {
    let (mut refuted, mut slots) = (Refuted::default(), Vec::new());
    let mut known: FxHashMap<_, bool> = FxHashMap::default();
    let all: Vec<_> = explored
        .components
        .iter()
        .flat_map(|(id, component)| component.violations.iter().map(move |it| (id, *it)))
        .collect();
    for (id, violation) in all {
        let chain = crate::certainty::Chain::of(explored, id, violation.node);
        for &(component, node) in &chain.calls {
            let is_false = *known.entry((component, node)).or_insert_with(|| {
                let found = explored.contradiction(component, node);
                let is_false = found.is_some();
                slots.extend(found.map(|it| (explored.components[component].procedure, it)));
                is_false
            });
            if is_false {
                refuted.insert((id, violation));
            }
        }
    }
    (refuted, slots)
}

//! Units: a class of the source with the classes inside it, explored at once, with the procedures
//! that may be entered from it.
//!
//! What is found in a unit depends only on what it can look at. So units are explored in any order,
//! several at a time, and what was found is kept by a [key](Keys::of): the content of the classes
//! that are looked at, and the facts about the whole program that are used ([`World`]).
//!
//! # Bounds
//! A call is entered if it is at most [`MOST_DEEP`] calls away from the unit, and one of the first
//! [`MOST_INSIDE`] procedures by that distance. What is further away counts as unknown code.

use crate::explore::{Explored, Kept, View};
use crate::findings::{self, Outcome, Refuted};
use crate::rules::Rule;
use crate::sources::Sources;
use crate::state::Slot;
use crate::values::Value;
use crate::words;
use crate::world::World;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use tern_ir::{ClassId, FieldId, ProcId, Statement};
use tern_model::index::Id;
use tern_model::{Budget, Limit};

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

/// Explores a unit, again if paths contradict themselves, and says what was found.
///
/// # Errors
/// When the budget runs out.
pub(crate) fn explore(
    world: &World,
    rules: &[Rule],
    sources: &Sources,
    library: ClassId,
    view: &View,
    budget: &Budget,
) -> Result<Outcome, Limit> {
    let mut kept = Kept::default();
    let mut round = 0;
    loop {
        let mut explored = Explored::new(world, rules, view, &kept, budget)?;
        let (refuted, slots) = false_paths(&mut explored);
        let mut more = kept.clone();
        let mut is_new = false;
        for (procedure, slots) in &slots {
            is_new |= more.add(*procedure, slots);
        }
        round += 1;
        if !is_new || round > MOST_ROUNDS || explored.components.len() > MOST_REFINED {
            return findings::findings(&explored, rules, sources, library, &refuted, budget);
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

/// A number for a text or for numbers, the same on every machine: FNV-1a of 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Digest(u128);

impl Digest {
    pub(crate) fn new() -> Self {
        Digest(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
        self
    }

    /// A text and where it ends.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(&(text.len() as u64).to_le_bytes()).bytes(text.as_bytes())
    }

    pub(crate) fn number(&mut self, number: u128) -> &mut Self {
        self.0 = (self.0 ^ number).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        self.0 ^= self.0 >> 61;
        self
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// What the keys of units are made of.
pub(crate) struct Keys<'w, 'p> {
    world: &'w World<'p>,
    /// Rules, version, and what classes there are.
    common: Digest,
    /// For each procedure, its content and the facts about it.
    facts: Vec<Digest>,
}

impl<'w, 'p> Keys<'w, 'p> {
    /// Looks at a program; `digests` are of the content of classes.
    pub(crate) fn new(
        world: &'w World<'p>,
        rules: &[Rule],
        version: &str,
        digests: &[u128],
    ) -> Self {
        let program = world.program;
        let mut common = Digest::new();
        common.text(version).text(&format!("{rules:?}"));
        // Classes in any order: their numbers are added.
        let mut sum = 0u128;
        for class in program.classes().as_slice() {
            let mut own = Digest::new();
            own.text(program.text(class.name));
            own.text(class.superclass.map_or("", |name| program.text(name)));
            class.interfaces.iter().for_each(|name| {
                own.text(program.text(*name));
            });
            class.fields.iter().for_each(|(field, _)| {
                own.text(program.text(program.fields()[*field].name));
            });
            own.text(&format!("{:?}{}", class.kind, class.is_final));
            sum = sum.wrapping_add(own.0);
        }
        common.number(sum);
        let names: Vec<Digest> = program
            .procedures()
            .ids()
            .map(|id| *Digest::new().text(&words::signature(world, id)))
            .collect();
        let fields: Vec<Digest> = program
            .fields()
            .ids()
            .map(|id| *Digest::new().text(&words::field(program, id)))
            .collect();
        let look = Look { world, digests, names: &names, fields: &fields };
        let facts = program.procedures().ids().map(|id| look.facts(id)).collect();
        Keys { world, common, facts }
    }

    /// The key of a unit.
    pub(crate) fn of(&self, unit: &Unit, sources: &Sources) -> String {
        let mut own = self.common;
        own.text(&unit.name);
        let mut facts: Vec<Digest> =
            unit.view.inside.iter().map(|id| self.facts[id.index()]).collect();
        facts.sort_unstable();
        facts.iter().for_each(|it| {
            own.number(it.0);
        });
        let mut files: Vec<String> =
            unit.view.roots.iter().map(|&id| words::file(self.world.program, id)).collect();
        files.sort_unstable();
        files.dedup();
        for file in files.iter().filter_map(|file| sources.find(file)) {
            file.lines.iter().for_each(|line| {
                own.text(line);
            });
        }
        own.to_string()
    }
}

struct Look<'k, 'w, 'p> {
    world: &'w World<'p>,
    digests: &'k [u128],
    names: &'k [Digest],
    fields: &'k [Digest],
}

impl Look<'_, '_, '_> {
    /// All that exploration may ask about a procedure.
    fn facts(&self, id: ProcId) -> Digest {
        let world = self.world;
        let procedure = &world.program.procedures()[id];
        let mut own = self.names[id.index()];
        let class = procedure.class.and_then(|class| self.digests.get(class.index()));
        own.number(class.copied().unwrap_or(0));
        own.number(u128::from(world.is_called(id)));
        let Some(body) = &procedure.body else { return own };
        for &reference in world.calls.sites(id) {
            let callee = world.callee_of(reference);
            own.number(u128::from(callee.is_missing));
            own.number(u128::from(callee.is_trusted) | u128::from(callee.never_returns) << 1);
            for row in &callee.matches {
                own.number(u128::from(row.rule) << 8 | u128::from(row.event.unwrap_or(u8::MAX)));
            }
            for target in callee.targets.iter().flatten() {
                own.number(self.names[target.index()].0);
            }
            let resolved = world.calls.references()[reference].resolved;
            own.number(resolved.map_or(0, |it| self.names[it.index()].0));
        }
        for statement in &body.statements {
            if let Statement::Load { field, .. } | Statement::Store { field, .. } = statement {
                self.field(&mut own, world.field(*field));
            }
        }
        for fields in [world.reads(id), world.writes(id)] {
            own.number(fields.map_or(u128::MAX, |it| it.len() as u128));
            let mut sum = 0u128;
            for &field in fields.unwrap_or_default() {
                sum = sum.wrapping_add(self.fields[field.index()].0);
            }
            own.number(sum);
        }
        own.bytes(world.senses(id));
        own
    }

    fn field(&self, own: &mut Digest, field: FieldId) {
        own.number(self.fields[field.index()].0);
        own.number(u128::from(self.world.is_fixed(field)));
        own.number(self.world.length_of(field).map_or(0, |it| it as u128 + 1));
        match self.world.constant_of(field) {
            Some(Value::Text(name)) => own.text(self.world.program.text(name)),
            other => own.text(&format!("{other:?}")),
        };
    }
}

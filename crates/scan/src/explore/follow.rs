//! Which objects rules may be about: only of these it matters whether others use them.
//!
//! That others may use an object is a fact that tells states apart. It is asked where something is
//! done to the object that is an event of a rule, so it is noted only of objects of which that can
//! happen: whose type is one that events are about, or can be made one by a cast, or by a method
//! that is run on it.

use super::{Explored, Flow, View, Watched};
use crate::rules::What;
use crate::values::{Key, ObjectId};
use crate::world::World;
use rustc_hash::{FxHashMap, FxHashSet};
use tern_ir::{ClassKind, NameId, ProcId, Statement, Type, TypeId};
use tern_model::Tri;

/// The types that the events of a view are about.
#[derive(Debug, Default)]
pub(super) struct Followed {
    /// Classes whose methods are events.
    about: FxHashSet<NameId>,
    /// Classes that objects turn out to be of, and that events are about.
    turns: FxHashSet<NameId>,
    known: FxHashMap<NameId, bool>,
    /// Whether all objects are followed.
    has_all: bool,
}

impl Followed {
    pub(super) fn new(world: &World, watched: &[Watched], view: &View) -> Followed {
        let mut own = Followed::default();
        if view.roots.is_empty() {
            // Others ask, who follow what they follow.
            own.has_all = true;
            return own;
        }
        for &id in &view.inside {
            for &reference in world.calls.sites(id) {
                let counts = world.callee_of(reference).matches.iter().any(|row| {
                    row.what != What::Ignored && watched[usize::from(row.rule)].automaton.is_some()
                });
                if counts {
                    own.about.insert(world.calls.references()[reference].class);
                }
            }
        }
        if own.about.is_empty() {
            return own;
        }
        let mut seen: FxHashSet<NameId> = FxHashSet::default();
        for &id in &view.inside {
            let procedure = &world.program.procedures()[id];
            if let (Some(class), false) = (procedure.class, procedure.is_static) {
                seen.insert(world.program.classes()[class].name);
            }
            let statements = procedure.body.iter().flat_map(|body| &body.statements);
            for statement in statements {
                if let Statement::Cast { ty, .. } = statement
                    && let Type::Reference(name) = world.program.types()[*ty]
                {
                    seen.insert(name);
                }
            }
        }
        let about = &own.about;
        let is_about = |it: &NameId| about.iter().any(|&c| world.is_below(*it, c) != Tri::False);
        own.turns = seen.into_iter().filter(is_about).collect();
        own
    }

    /// Whether events may be about objects of a type.
    fn has(&mut self, world: &World, ty: TypeId) -> bool {
        if self.about.is_empty() {
            return false;
        }
        match world.program.types()[ty] {
            Type::Reference(name) => self.has_class(world, name),
            Type::Unknown => true,
            _ => false,
        }
    }

    fn has_class(&mut self, world: &World, name: NameId) -> bool {
        if let Some(&known) = self.known.get(&name) {
            return known;
        }
        let is_about = self.about.iter().any(|&about| world.is_below(name, about) != Tri::False);
        let found = is_about || self.turns.iter().any(|&turn| may_be(world, name, turn));
        self.known.insert(name, found);
        found
    }
}

/// Whether an object of one class may be of another as well.
fn may_be(world: &World, one: NameId, other: NameId) -> bool {
    if world.is_below(one, other) != Tri::False || world.is_below(other, one) != Tri::False {
        return true;
    }
    let class = |name: NameId| {
        let kind = world.calls.hierarchy.find(name)?;
        Some(&world.program.classes()[world.calls.hierarchy.class(kind)?])
    };
    let (Some(one), Some(other)) = (class(one), class(other)) else { return true };
    let is_interface = |it: &tern_ir::Class| it.kind == ClassKind::Interface;
    !one.is_final && !other.is_final && (is_interface(one) || is_interface(other))
}

impl Explored<'_, '_> {
    /// Whether it matters of an object, as a procedure knows it, that others may use it.
    pub(super) fn is_followed(&mut self, procedure: ProcId, object: ObjectId) -> bool {
        if self.followed.has_all {
            return true;
        }
        let world = self.world;
        let body = self.body(procedure);
        let flow: &Flow = self.flow(procedure);
        let ty = match self.objects[object] {
            Key::Parameter(position) => match body.variables.as_slice().get(position as usize) {
                Some(variable) => variable.ty,
                None => return true,
            },
            Key::Static(field) | Key::Field(_, field) => world.program.fields()[field].ty,
            Key::At(row) => match body.statements.get(row as usize) {
                Some(Statement::New { .. } | Statement::NewArray { .. })
                    if flow.compares_objects =>
                {
                    return true;
                }
                Some(Statement::New { class, .. }) => {
                    return self.followed.has_class(world, *class);
                }
                Some(Statement::Call { call, .. }) => {
                    world.program.selectors()[call.selector].result
                }
                Some(statement) => match statement.written() {
                    Some(to) => body.variables[to].ty,
                    None => return true,
                },
                None => return true,
            },
            Key::Thrown(Some(class)) => return self.followed.has_class(world, class),
            Key::Thrown(None) | Key::Part(..) => return true,
        };
        self.followed.has(world, ty)
    }
}

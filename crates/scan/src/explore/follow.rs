//! Which objects rules may be about: only of these it matters whether others use them.
//!
//! That others may use an object is a fact that tells states apart. It is asked where something is
//! done to the object that is an event of a rule, so it is noted only of objects of which that can
//! happen: whose type is one that events are about, or can be made one by a cast, or by a method
//! that is run on it.

use super::{Explored, Flow, Setting, View, Watched};
use crate::rules::What;
use crate::values::{Key, ObjectId};
use crate::world::World;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
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

/// What one procedure has to say about that: classes of calls that are events, and classes that
/// objects turn out to be of.
#[derive(Debug)]
struct Named {
    about: Vec<NameId>,
    seen: Vec<NameId>,
}

/// What is known of this for all views of one thread.
#[derive(Debug, Default)]
pub(super) struct Known {
    named: FxHashMap<ProcId, Rc<Named>>,
    /// Whether objects of one class may be of another.
    below: FxHashMap<(NameId, NameId), bool>,
}

impl Known {
    fn named(&mut self, world: &World, watched: &[Watched], id: ProcId) -> Rc<Named> {
        let find = || Rc::new(Named::of(world, watched, id));
        self.named.entry(id).or_insert_with(find).clone()
    }

    fn is_below(&mut self, world: &World, class: NameId, above: NameId) -> bool {
        let find = || world.is_below(class, above) != Tri::False;
        *self.below.entry((class, above)).or_insert_with(find)
    }
}

impl Named {
    fn of(world: &World, watched: &[Watched], id: ProcId) -> Named {
        let (mut about, mut seen) = (Vec::new(), Vec::new());
        for &reference in world.calls.sites(id) {
            let counts = world.callee_of(reference).matches.iter().any(|row| {
                row.what != What::Ignored && watched[usize::from(row.rule)].automaton.is_some()
            });
            if counts {
                about.push(world.calls.references()[reference].class);
            }
        }
        let procedure = &world.program.procedures()[id];
        if let (Some(class), false) = (procedure.class, procedure.is_static) {
            seen.push(world.program.classes()[class].name);
        }
        for statement in procedure.body.iter().flat_map(|body| &body.statements) {
            if let Statement::Cast { ty, .. } = statement
                && let Type::Reference(name) = world.program.types()[*ty]
            {
                seen.push(name);
            }
        }
        for names in [&mut about, &mut seen] {
            names.sort_unstable();
            names.dedup();
        }
        Named { about, seen }
    }
}

impl Followed {
    pub(super) fn new(setting: &Setting, view: &View) -> Followed {
        let (world, watched) = (setting.world, &setting.watched);
        let mut own = Followed::default();
        if view.roots.is_empty() {
            // Others ask, who follow what they follow.
            own.has_all = true;
            return own;
        }
        let mut known = setting.followed.borrow_mut();
        let each = view.inside.iter().map(|&id| known.named(world, watched, id));
        let each: Vec<Rc<Named>> = each.collect();
        own.about = each.iter().flat_map(|it| it.about.iter().copied()).collect();
        if own.about.is_empty() {
            return own;
        }
        let seen: FxHashSet<NameId> = each.iter().flat_map(|it| it.seen.iter().copied()).collect();
        let about = &own.about;
        let mut is_about = |it: &NameId| about.iter().any(|&c| known.is_below(world, *it, c));
        own.turns = seen.into_iter().filter(|it| is_about(it)).collect();
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

impl Setting<'_, '_> {
    /// The classes by which it is decided in a view which objects are followed: those that events
    /// are about, and those that objects turn out to be of.
    pub(crate) fn followed(&self, view: &View) -> [FxHashSet<NameId>; 2] {
        let followed = Followed::new(self, view);
        [followed.about, followed.turns]
    }
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

//! What pointer programs in Java mean: which classes are types of objects that heaps keep, and who
//! is called.
//!
//! Types are the concrete classes of the program that what is checked can reach. A class that has a
//! grammar keeps the fields that the grammar names; the others hold values of which nothing is
//! known, and whoever looks at an object that came out of one comes to a hole. A class without a
//! grammar keeps all its references to objects of one type. A field that several classes inherit is
//! one field.
//!
//! What is given is of the class that the declaration names, and not of one below it; so objects
//! are of these classes and of those that the methods make (*live* classes), and calls lead to
//! methods of these.
//!
//! Code that is not there is a hole if it receives objects, unless it is said to be *pure*; without
//! objects it can change none, and is taken to return. Constructors that only call that of their
//! superclass do nothing; those of exceptions whose code is not there are pure.

use std::collections::{BTreeMap, BTreeSet};
use tern_heap::code::{Callee, Number, NumberField, World};
use tern_heap::graph::{NumberId, SelectorId, TypeId};
use tern_heap::types::Types;
use tern_ir::{
    Body, Call, ClassId, ClassKind, Dispatch, Field, FieldId, Jump, Operand, ProcId, Program,
    Statement, Type,
};
use tern_model::index::{Id, Table};
use tern_program::calls::{Hierarchy, Lookup};
use tern_program::control::events::Pattern;
use tern_program::control::names;

/// The name of constructors.
const CONSTRUCTOR: &str = "<init>";

/// A program with its classes.
pub(super) struct Classes<'a> {
    pub(super) program: &'a Program,
    pub(super) hierarchy: &'a Hierarchy,
    /// The first class that is not of the program itself.
    pub(super) library: ClassId,
    /// Procedures that change nothing.
    pub(super) pure: Vec<Pattern>,
    /// The classes that objects may be of; all of the program, if that is not known.
    pub(super) live: Option<BTreeSet<ClassId>>,
}

/// Who a call leads to, before procedures are numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Leads {
    To(ProcId),
    /// The one for the class of the object that is called.
    ByClass(Vec<(ClassId, ProcId)>),
    Nothing,
    Pure,
    Hole(String),
}

impl Classes<'_> {
    /// The last part of the name of a class.
    pub(super) fn simple(&self, class: ClassId) -> &str {
        let name = self.program.text(self.program.classes()[class].name);
        name.rsplit(['.', '$']).next().unwrap_or(name)
    }

    /// The concrete classes of the program at and below a class.
    pub(super) fn concrete_below(&self, name: &str) -> Vec<ClassId> {
        let found = self.program.find_name(name).and_then(|name| self.hierarchy.find(name));
        let Some(kind) = found else { return Vec::new() };
        let mut all: Vec<ClassId> = std::iter::once(kind)
            .chain(self.hierarchy.below(kind))
            .filter(|&it| self.hierarchy.is_concrete(it))
            .filter_map(|it| self.hierarchy.class(it))
            .filter(|class| class.index() < self.library.index())
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The live classes at and below a class.
    pub(super) fn live_below(&self, name: &str) -> Vec<ClassId> {
        let mut all = self.concrete_below(name);
        all.retain(|class| self.live.as_ref().is_none_or(|live| live.contains(class)));
        all
    }

    /// The class of objects that are given where a class is named: this one, or the only one below
    /// it.
    pub(super) fn given(&self, name: &str) -> Option<ClassId> {
        let all = self.concrete_below(name);
        match (self.concrete(name), &all[..]) {
            (None, &[only]) => Some(only),
            (own, _) => own.filter(|it| all.contains(it)),
        }
    }

    /// A class by its name, if objects of just this class are made.
    pub(super) fn concrete(&self, name: &str) -> Option<ClassId> {
        let class = self.program.find_class(self.program.find_name(name)?)?;
        (self.program.classes()[class].kind == ClassKind::Concrete).then_some(class)
    }

    /// A class and those above it that are there, the nearest first.
    pub(super) fn chain(&self, class: ClassId) -> Vec<ClassId> {
        let kind = self.hierarchy.find(self.program.classes()[class].name);
        let above = kind.into_iter().flat_map(|kind| self.hierarchy.chain(kind));
        above.filter_map(|it| self.hierarchy.class(it)).collect()
    }

    /// The fields of objects of a class, those of the classes above it included: with their names
    /// and types. A name that occurs twice is left out.
    pub(super) fn fields(&self, class: ClassId) -> Vec<(FieldId, String, Type)> {
        let mut all: Vec<(FieldId, String, Type)> = Vec::new();
        let mut twice = BTreeSet::new();
        for class in self.chain(class) {
            for &(field, is_static) in &self.program.classes()[class].fields {
                let Field { name, ty, .. } = self.program.fields()[field];
                let name = self.program.text(name).to_owned();
                if is_static {
                    continue;
                }
                if all.iter().any(|(_, it, _)| *it == name) {
                    twice.insert(name);
                } else {
                    all.push((field, name, self.program.types()[ty]));
                }
            }
        }
        all.retain(|(_, name, _)| !twice.contains(name));
        all
    }

    /// Who a call leads to.
    pub(super) fn leads(&self, call: &Call) -> Leads {
        let lookup = Lookup { program: self.program, hierarchy: self.hierarchy };
        let name = self.program.text(call.class);
        let title = names::member(self.program, name, call.selector);
        if self.pure.iter().any(|pattern| pattern.fits(&title)) {
            return Leads::Pure;
        }
        let Some(kind) = self.hierarchy.find(call.class) else { return self.unknown(call, &title) };
        let resolved = lookup.resolve(kind, call.selector);
        let procedure = match (call.dispatch, resolved.procedure) {
            (_, None) => return self.unknown(call, &title),
            (Dispatch::Static | Dispatch::Exact, Some(procedure)) if !resolved.missing => procedure,
            (Dispatch::Static | Dispatch::Exact, Some(_)) => return self.unknown(call, &title),
            (Dispatch::Virtual, Some(procedure)) => {
                let mut all: Vec<(ClassId, ProcId)> = Vec::new();
                let mut below = self.live_below(name);
                if below.is_empty() {
                    // There are no such objects: `null` is called, or something unknown.
                    below = self.concrete_below(name);
                }
                for class in below {
                    let name = self.program.classes()[class].name;
                    let Some(kind) = self.hierarchy.find(name) else { continue };
                    let found = lookup.select(kind, procedure);
                    match found.procedure {
                        Some(procedure) if !found.missing => all.push((class, procedure)),
                        _ => return self.unknown(call, &title),
                    };
                }
                let is_there = |it: &ProcId| self.program.procedures()[*it].body.is_some();
                match &all[..] {
                    [] => return self.unknown(call, &title),
                    [(_, first), rest @ ..] if rest.iter().all(|it| it.1 == *first) => *first,
                    several if several.iter().all(|it| is_there(&it.1)) => {
                        return Leads::ByClass(all);
                    }
                    _ => return self.unknown(call, &title),
                }
            }
        };
        if self.does_nothing(procedure) {
            return Leads::Nothing;
        }
        match self.program.procedures()[procedure].body {
            Some(_) => Leads::To(procedure),
            None => self.unknown(call, &title),
        }
    }

    /// A call of code that is not there.
    fn unknown(&self, call: &Call, title: &str) -> Leads {
        let selector = &self.program.selectors()[call.selector];
        let is_constructor = self.program.text(selector.name) == CONSTRUCTOR;
        if is_constructor && call.dispatch == Dispatch::Exact {
            let class = self.program.text(call.class);
            if class == "java.lang.Object" {
                return Leads::Nothing;
            }
            if class.starts_with("java.")
                && (class.ends_with("Exception") || class.ends_with("Error"))
            {
                return Leads::Pure;
            }
        }
        let is_object = |ty: &tern_ir::TypeId| {
            matches!(self.program.types()[*ty], Type::Reference(_) | Type::Array(_) | Type::Unknown)
        };
        if call.dispatch == Dispatch::Static && !selector.parameters.iter().any(is_object) {
            return Leads::Pure;
        }
        Leads::Hole(format!(
            "`{title}` receives objects, and its code is not there; if it changes none of them, \
             say `--pure {title}`"
        ))
    }

    /// Whether a procedure is a constructor that only calls that of its superclass.
    fn does_nothing(&self, procedure: ProcId) -> bool {
        let (mut next, mut rounds) = (procedure, 0);
        loop {
            rounds += 1;
            let it = &self.program.procedures()[next];
            let is_constructor =
                self.program.text(self.program.selectors()[it.selector].name) == CONSTRUCTOR;
            let Some(body) = &it.body else { return false };
            let mut calls = Vec::new();
            let blocks = body.blocks.as_slice();
            let ends = blocks.len() == 1 && blocks[0].jump == Jump::Return(None);
            for statement in &body.statements {
                match statement {
                    Statement::Call { to: None, call } if is_own_super(body, call) => {
                        calls.push(call);
                    }
                    _ => return false,
                }
            }
            if !is_constructor || !ends || calls.len() > 1 || rounds > 100 {
                return false;
            }
            let Some(call) = calls.first() else { return true };
            if self.program.text(call.class) == "java.lang.Object" {
                return true;
            }
            let class = self.program.find_class(call.class);
            match class.and_then(|class| self.program.find_procedure(Some(class), call.selector)) {
                Some(above) => next = above,
                None => return false,
            }
        }
    }

    /// The static initialisers of some classes, and of those above them, that do more than set
    /// values that are not kept.
    pub(super) fn initialisers(&self, classes: &BTreeSet<ClassId>) -> Vec<String> {
        let own = |it: &ClassId| it.index() < self.library.index();
        let all = classes.iter().flat_map(|&class| self.chain(class)).filter(own);
        let all: BTreeSet<ClassId> = all.chain(classes.iter().copied()).collect();
        let mut found = Vec::new();
        for class in all {
            for &procedure in &self.program.classes()[class].procedures {
                let it = &self.program.procedures()[procedure];
                let name = self.program.text(self.program.selectors()[it.selector].name);
                let (true, Some(body)) = (name == "<clinit>", &it.body) else { continue };
                if !self.is_harmless(body) {
                    found.push(self.program.text(self.program.classes()[class].name).to_owned());
                }
            }
        }
        found
    }

    fn is_harmless(&self, body: &Body) -> bool {
        let mut goes_on = true;
        for (id, block) in body.blocks.iter() {
            block.jump.targets(|to| goes_on &= to.index() > id.index());
            goes_on &= !matches!(block.jump, Jump::Throw(_));
        }
        goes_on
            && body.statements.iter().all(|statement| match statement {
                Statement::Copy { .. }
                | Statement::Unary { .. }
                | Statement::Load { object: None, .. }
                | Statement::Store { object: None, .. } => true,
                Statement::Call { call, .. } => {
                    let title =
                        names::member(self.program, self.program.text(call.class), call.selector);
                    title == "java.lang.Class.desiredAssertionStatus"
                        || matches!(self.leads(call), Leads::Pure | Leads::Nothing)
                }
                _ => false,
            })
    }
}

fn is_own_super(body: &Body, call: &Call) -> bool {
    let first = body.operands(&call.arguments).first();
    call.dispatch == Dispatch::Exact
        && call.arguments.len() == 1
        && matches!(first, Some(Operand::Variable(it)) if it.index() == 0)
}

/// What the program means, when types and procedures are numbered.
pub(super) struct JavaWorld<'a> {
    pub(super) classes: &'a Classes<'a>,
    pub(super) types: &'a Types,
    /// The type of each class that heaps keep.
    pub(super) kinds: BTreeMap<ClassId, TypeId>,
    /// The procedures that are made, by their numbers in the program.
    pub(super) numbers: BTreeMap<ProcId, ProcId>,
    /// The fields that hold numbers.
    pub(super) fields: Table<NumberId, NumberField>,
}

/// The fields with numbers that objects of some classes have, by their names. A name that a class
/// and one above it both give is left out: code may mean either.
pub(super) fn number_fields(
    program: &Program,
    kinds: &BTreeMap<ClassId, TypeId>,
) -> Table<NumberId, NumberField> {
    let (mut found, mut twice) = (BTreeMap::<&str, NumberField>::new(), BTreeSet::new());
    for (&class, &kind) in kinds {
        let (mut own, mut at) = (BTreeSet::new(), Some(class));
        // Class files may say that a class is above itself.
        for _ in 0..program.classes().len() {
            let Some(class) = at else { break };
            let it = &program.classes()[class];
            for &(field, _) in it.fields.iter().filter(|(_, is_static)| !is_static) {
                let field = &program.fields()[field];
                let (name, ty) = (program.text(field.name), program.types()[field.ty]);
                if !own.insert(name) {
                    twice.insert(name);
                }
                if Number::of(ty).is_some() {
                    let is_truth = ty == Type::Boolean;
                    let new = || NumberField { name: name.to_owned(), of: Vec::new(), is_truth };
                    let entry = found.entry(name).or_insert_with(new);
                    entry.of.push(kind);
                    entry.is_truth &= is_truth;
                }
            }
            at = it.superclass.and_then(|name| program.find_class(name));
        }
    }
    found.into_iter().filter(|it| !twice.contains(it.0)).map(|it| it.1).collect()
}

impl World for JavaWorld<'_> {
    fn kind(&self, class: &str) -> Option<TypeId> {
        match self.classes.concrete(class).and_then(|class| self.kinds.get(&class)) {
            Some(&kind) => Some(kind),
            None => match self.below(class)[..] {
                [only] => Some(only),
                _ => None,
            },
        }
    }

    fn made(&self, class: &str) -> Option<TypeId> {
        self.classes.concrete(class).and_then(|class| self.kinds.get(&class)).copied()
    }

    fn below(&self, class: &str) -> Vec<TypeId> {
        let below = self.classes.live_below(class);
        below.iter().filter_map(|class| self.kinds.get(class).copied()).collect()
    }

    fn selector(&self, field: &Field) -> Result<Option<SelectorId>, String> {
        let program = self.classes.program;
        let (class, name) = (program.text(field.class), program.text(field.name));
        let found: BTreeSet<Option<SelectorId>> =
            self.below(class).iter().map(|&kind| self.types.selector(kind, name)).collect();
        match found.len() {
            0 | 1 => Ok(found.into_iter().next().flatten()),
            _ => Err(format!("`{class}.{name}` is a field of several types of objects")),
        }
    }

    fn number(&self, field: &Field) -> Option<NumberId> {
        let program = self.classes.program;
        Number::of(program.types()[field.ty])?;
        let (below, name) = (self.below(program.text(field.class)), program.text(field.name));
        let mut all = self.fields.iter().filter(|(_, it)| it.name == name);
        all.find(|(_, it)| below.iter().any(|kind| it.of.contains(kind))).map(|(id, _)| id)
    }

    fn numbers(&self) -> Table<NumberId, NumberField> {
        self.fields.clone()
    }

    fn callee(&self, call: &Call) -> Callee {
        match self.classes.leads(call) {
            Leads::To(procedure) => match self.numbers.get(&procedure) {
                Some(&number) => Callee::Procedure(number),
                None => Callee::Hole("a method that is called was not reached".to_owned()),
            },
            Leads::ByClass(all) => Callee::ByType(
                all.iter()
                    .filter_map(|(class, procedure)| {
                        Some((*self.kinds.get(class)?, *self.numbers.get(procedure)?))
                    })
                    .collect(),
            ),
            Leads::Nothing => Callee::Nothing,
            Leads::Pure => Callee::Pure,
            Leads::Hole(why) => Callee::Hole(why),
        }
    }

    fn blank(&self) -> bool {
        true
    }
}

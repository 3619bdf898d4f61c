//! Calls by reflection and by method handles whose classes and names are constants.
//!
//! A procedure that names classes by constants (`Class.forName("X")`, `X.class`) and then makes
//! objects or calls by reflection is taken to mean these classes; a call of `Method.invoke` or of a
//! method handle means the procedures whose names are constants there. If it names no class, it may
//! mean any class that the program names elsewhere, as a text: such names are passed on, and kept
//! in fields and properties. Such a call may still do anything else: this only adds targets.

use super::hierarchy::KindId;
use super::resolve::Lookup;
use tern_ir::{
    Access, Body, Call, Constant, NameId, Operand, ProcId, Program, SelectorId, Statement, Type,
};

/// What a reflective call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Finds and initialises a class.
    Find,
    /// Makes an object.
    Make,
    /// Calls a procedure.
    Invoke,
    /// Calls what a method handle stands for.
    Handle,
}

/// What the constants of a procedure name.
#[derive(Clone, Debug, Default)]
pub(super) struct Reflected {
    pub(super) classes: Vec<KindId>,
    names: Vec<NameId>,
    /// Whether handles of constructors are looked up, and such that pass by overriding.
    finds_constructors: bool,
    finds_special: bool,
}

/// What a reflective call leads to.
#[derive(Debug, Default)]
pub(super) struct Means {
    pub(super) used: Vec<NameId>,
    pub(super) instantiated: Vec<KindId>,
    pub(super) targets: Vec<ProcId>,
    /// What is called as other calls are, by the class of the object.
    pub(super) overridable: Vec<(NameId, SelectorId)>,
}

/// What a call does, if it is reflective.
pub(super) fn kind_of(program: &Program, call: &Call) -> Option<Kind> {
    let class = program.text(call.class);
    if !class.starts_with("java.lang.") {
        return None;
    }
    let name = program.text(program.selectors()[call.selector].name);
    match (class, name) {
        ("java.lang.Class", "forName") => Some(Kind::Find),
        ("java.lang.Class" | "java.lang.reflect.Constructor", "newInstance") => Some(Kind::Make),
        ("java.lang.reflect.Method", "invoke") => Some(Kind::Invoke),
        ("java.lang.invoke.MethodHandle", "invoke" | "invokeExact" | "invokeWithArguments") => {
            Some(Kind::Handle)
        }
        _ => None,
    }
}

/// Calls `visit` with the constants of a body that are passed, kept or returned by it.
fn constants(program: &Program, body: &Body, mut visit: impl FnMut(Constant)) {
    let of_calls = body.operands.iter().copied();
    let copied = body.statements.iter().filter_map(|statement| match statement {
        Statement::Copy { from: value, .. }
        | Statement::Cast { from: value, .. }
        | Statement::Store { value, .. }
        | Statement::StoreElement { value, .. } => Some(*value),
        _ => None,
    });
    let mut note = |operand: Operand| {
        if let Operand::Constant(constant) = operand {
            visit(program.constants()[constant]);
        }
    };
    of_calls.chain(copied).for_each(&mut note);
    body.blocks.as_slice().iter().for_each(|block| block.jump.operands(&mut note));
}

/// The classes that a body names by texts.
pub(super) fn named(lookup: &Lookup<'_>, body: &Body) -> Vec<KindId> {
    let mut found = Vec::new();
    constants(lookup.program, body, |constant| {
        if let Constant::Text(text) = constant {
            found.extend(lookup.hierarchy.find(text));
        }
    });
    found
}

/// How many texts of a body are put together in pairs.
const MOST_TEXTS: usize = 64;

impl Reflected {
    /// What the constants of a body name.
    pub(super) fn in_body(lookup: &Lookup<'_>, body: &Body) -> Self {
        let program = lookup.program;
        let mut found = Reflected::default();
        constants(program, body, |constant| match constant {
            Constant::Text(text) => {
                found.names.push(text);
                found.classes.extend(lookup.hierarchy.find(text));
            }
            Constant::Class(ty) => {
                if let Type::Reference(name) = program.types()[ty] {
                    found.classes.extend(lookup.hierarchy.find(name));
                }
            }
            _ => {}
        });
        found.names.sort_unstable();
        found.names.dedup();
        let mut joins = false;
        for statement in &body.statements {
            let Statement::Call { call, .. } = statement else { continue };
            match program.text(program.selectors()[call.selector].name) {
                "findConstructor" | "unreflectConstructor" => found.finds_constructors = true,
                "findSpecial" | "unreflectSpecial" => found.finds_special = true,
                "append" | "concat" => joins = true,
                _ => {}
            }
        }
        if joins && found.names.len() <= MOST_TEXTS {
            let joined = found.joined(lookup);
            found.classes.extend(joined);
        }
        found.classes.sort_unstable();
        found.classes.dedup();
        found
    }

    /// The classes whose names are two of the texts, one behind the other.
    fn joined(&self, lookup: &Lookup<'_>) -> Vec<KindId> {
        let text = |name: NameId| lookup.program.text(name);
        let pairs = self.names.iter().flat_map(|&a| self.names.iter().map(move |&b| (a, b)));
        let names =
            pairs.filter_map(|(a, b)| lookup.program.find_name(&format!("{}{}", text(a), text(b))));
        names.filter_map(|name| lookup.hierarchy.find(name)).collect()
    }

    /// The class that a call which finds one names itself.
    pub(super) fn found(program: &Program, body: &Body, call: &Call) -> Option<NameId> {
        match body.operands(&call.arguments).first() {
            Some(Operand::Constant(constant)) => match program.constants()[*constant] {
                Constant::Text(name) => Some(name),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a call leads to if it means some classes.
    pub(super) fn means(&self, lookup: &Lookup<'_>, kind: Kind, classes: &[KindId]) -> Means {
        let Lookup { program, hierarchy } = *lookup;
        let mut means = Means::default();
        for &class in classes {
            if kind == Kind::Find || hierarchy.class(class).is_some() {
                means.used.push(hierarchy.name(class));
            }
            if kind == Kind::Find || hierarchy.class(class).is_none() {
                continue;
            }
            let makes = kind == Kind::Make || kind == Kind::Handle && self.finds_constructors;
            if (makes || kind == Kind::Invoke) && hierarchy.is_concrete(class) {
                means.instantiated.push(class);
            }
            for above in hierarchy.above(class) {
                let Some(defined) = hierarchy.class(above) else { continue };
                for &id in &program.classes()[defined].procedures {
                    let procedure = &program.procedures()[id];
                    let name = program.selectors()[procedure.selector].name;
                    if program.text(name) == "<init>" {
                        // Constructors are not inherited.
                        means.targets.extend((makes && above == class).then_some(id));
                        continue;
                    }
                    if kind == Kind::Make || !self.names.contains(&name) {
                        continue;
                    }
                    let is_fixed = procedure.is_static || procedure.access == Access::Private;
                    if is_fixed || self.finds_special {
                        means.targets.push(id);
                    }
                    if !is_fixed {
                        means.overridable.push((hierarchy.name(class), procedure.selector));
                    }
                }
            }
        }
        means
    }
}

//! Calls by reflection whose classes and names are constants of the same procedure.
//!
//! A procedure that names classes by constants (`Class.forName("X")`, `X.class`) and then makes
//! objects or calls by reflection is taken to mean these classes; a call of `Method.invoke` means
//! the procedures whose names are constants there. Such a call may still do anything else: this
//! only adds targets.

use super::hierarchy::KindId;
use super::resolve::Lookup;
use tern_ir::{
    Body, Call, Constant, ConstantId, NameId, Operand, ProcId, Program, Statement, Type,
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
}

/// What the constants of a procedure name.
#[derive(Clone, Debug, Default)]
pub(super) struct Reflected {
    classes: Vec<KindId>,
    names: Vec<NameId>,
}

/// What a reflective call leads to.
#[derive(Debug, Default)]
pub(super) struct Means {
    pub(super) used: Vec<NameId>,
    pub(super) instantiated: Vec<KindId>,
    pub(super) targets: Vec<ProcId>,
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
        _ => None,
    }
}

impl Reflected {
    /// What the constants of a body name.
    pub(super) fn in_body(lookup: &Lookup<'_>, body: &Body) -> Self {
        let mut found = Reflected::default();
        let mut note = |constant: ConstantId| match lookup.program.constants()[constant] {
            Constant::Text(text) => {
                found.names.push(text);
                found.classes.extend(lookup.hierarchy.find(text));
            }
            Constant::Class(ty) => {
                if let Type::Reference(name) = lookup.program.types()[ty] {
                    found.classes.extend(lookup.hierarchy.find(name));
                }
            }
            _ => {}
        };
        let of_calls = body.operands.iter().copied();
        let copied = body.statements.iter().filter_map(|statement| match statement {
            Statement::Copy { from, .. } | Statement::Cast { from, .. } => Some(*from),
            _ => None,
        });
        for operand in of_calls.chain(copied) {
            if let Operand::Constant(constant) = operand {
                note(constant);
            }
        }
        found.classes.sort_unstable();
        found.classes.dedup();
        found.names.sort_unstable();
        found.names.dedup();
        found
    }

    /// What a call leads to.
    pub(super) fn targets(
        &self,
        lookup: &Lookup<'_>,
        body: &Body,
        call: &Call,
        kind: Kind,
    ) -> Means {
        let Lookup { program, hierarchy } = *lookup;
        let mut means = Means::default();
        if kind == Kind::Find {
            let first = body.operands(&call.arguments).first();
            let constant = first.and_then(|operand| match operand {
                Operand::Constant(constant) => Some(program.constants()[*constant]),
                Operand::Variable(_) => None,
            });
            match constant {
                Some(Constant::Text(name)) => means.used.push(name),
                _ => means.used.extend(self.classes.iter().map(|&kind| hierarchy.name(kind))),
            }
            return means;
        }
        for &class in &self.classes {
            let Some(defined) = hierarchy.class(class) else { continue };
            means.used.push(hierarchy.name(class));
            if hierarchy.is_concrete(class) {
                means.instantiated.push(class);
            }
            for &procedure in &program.classes()[defined].procedures {
                let name = program.selectors()[program.procedures()[procedure].selector].name;
                let is_meant = match kind {
                    Kind::Make => program.text(name) == "<init>",
                    _ => self.names.contains(&name),
                };
                if is_meant {
                    means.targets.push(procedure);
                }
            }
        }
        means
    }
}

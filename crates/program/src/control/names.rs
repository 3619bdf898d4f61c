//! What people call the procedures, fields and types of a program.

use super::events::Pattern;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use tern_ir::{FieldId, ProcId, Program, SelectorId, Type, TypeId, VarId};
use tern_model::Machine;
use tern_model::index::Id;

/// A type as Java writes it.
pub fn ty(program: &Program, id: TypeId) -> String {
    let mut dimensions = 0;
    let mut ty = program.types()[id];
    while let Type::Array(element) = ty {
        dimensions += 1;
        ty = program.types()[element];
    }
    let name = match ty {
        Type::Void => "void",
        Type::Boolean => "boolean",
        Type::Integer { bits: 8, signed: true } => "byte",
        Type::Integer { bits: 16, signed: true } => "short",
        Type::Integer { bits: 16, signed: false } => "char",
        Type::Integer { bits: 32, signed: true } => "int",
        Type::Integer { bits: 64, signed: true } => "long",
        Type::Integer { .. } => "integer",
        Type::Float { bits: 32 } => "float",
        Type::Float { .. } => "double",
        Type::Reference(name) => program.text(name),
        Type::Unknown | Type::Array(_) => "unknown",
    };
    name.to_owned() + &"[]".repeat(dimensions)
}

/// The types of the parameters of a selector: `(int,java.lang.String)`.
pub fn types(program: &Program, selector: SelectorId) -> String {
    let types: Vec<String> =
        program.selectors()[selector].parameters.iter().map(|&id| ty(program, id)).collect();
    format!("({})", types.join(","))
}

/// A class and the name of a selector: `Class.name`.
pub fn member(program: &Program, class: &str, selector: SelectorId) -> String {
    let name = program.text(program.selectors()[selector].name);
    if class.is_empty() { name.to_owned() } else { format!("{class}.{name}") }
}

/// A procedure with its types: `Class.name(int)`.
pub fn procedure(program: &Program, id: ProcId) -> String {
    program.title(id) + &types(program, program.procedures()[id].selector)
}

/// A field: `Class.name`.
pub fn field(program: &Program, id: FieldId) -> String {
    let field = program.fields()[id];
    let (class, name) = (program.text(field.class), program.text(field.name));
    if class.is_empty() { name.to_owned() } else { format!("{class}.{name}") }
}

/// A local variable or parameter: `Class.name(int):x`. Those behind the first of a name in a
/// procedure have a number: `Class.name(int):x#2`. Temporaries have none.
pub fn local(program: &Program, procedure_id: ProcId, variable: VarId) -> Option<String> {
    let body = program.procedures()[procedure_id].body.as_ref()?;
    let name = body.variables[variable].name?;
    let before = body.variables.as_slice()[..variable.index()].iter();
    let same = before.filter(|other| other.name == Some(name)).count();
    let title = procedure(program, procedure_id);
    let name = program.text(name);
    Some(match same {
        0 => format!("{title}:{name}"),
        same => format!("{title}:{name}#{}", same + 1),
    })
}

/// What properties of the stack that name `said` call the components of a machine. A name stands
/// for the component that is called so; else for all procedures that it fits, as in events, with
/// all their copies. If two names fit one procedure, that cannot be, and all are called as they
/// are: then those names are unknown.
pub(crate) fn on_stack(machine: &Machine, said: &BTreeSet<String>) -> Vec<String> {
    let own = || machine.components().map(|comp| machine.component_name(comp));
    let exact: FxHashSet<&str> = own().filter(|name| said.contains(*name)).collect();
    let patterns: Vec<(&String, Pattern)> = said
        .iter()
        .filter(|name| !exact.contains(name.as_str()))
        .map(|name| (name, Pattern::new(name)))
        .collect();
    let mut called = Vec::with_capacity(machine.component_count());
    for name in own() {
        // Copies of a procedure whose parameters stand for something are the procedure.
        let plain = name.split(" [").next().unwrap_or(name);
        let is_procedure = !name.starts_with("dispatch ") && !name.starts_with('<');
        let bare = plain.split('(').next().unwrap_or(plain);
        let fits = |pattern: &Pattern| {
            is_procedure && pattern.fits(if pattern.has_types() { plain } else { bare })
        };
        let mut fitting = patterns.iter().filter(|(_, pattern)| fits(pattern));
        let first = fitting.next().map(|(name, _)| name.as_str());
        let exactly = exact.get(plain).copied();
        if fitting.next().is_some() || exactly.is_some() && first.is_some() {
            return own().map(str::to_owned).collect();
        }
        called.push(exactly.or(first).unwrap_or(name).to_owned());
    }
    called
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::{Builder, Edge, Place};

    fn called(said: &[&str]) -> Vec<String> {
        let mut builder = Builder::new();
        let names = ["a.Walk.visit(int)", "Other.visit()", "dispatch Walk.visit(int) R1"];
        for name in names.into_iter().chain(["a.Walk.visit(int) [depth = x]", "<outside>"]) {
            let comp = builder.component(name);
            let node = builder.node(comp, "n");
            builder.edge(Place::Node(node), Edge::Step(node));
            builder.initial(node);
        }
        let machine = builder.finish().expect("well-formed");
        on_stack(&machine, &said.iter().map(|&it| it.to_owned()).collect())
    }

    #[test]
    fn on_the_stack_methods_are_named_as_in_events() {
        let dispatch = "dispatch Walk.visit(int) R1";
        let other = "Other.visit()";
        for (said, names) in [
            ("visit", ["visit", "visit", dispatch, "visit", "<outside>"]),
            ("*.visit", ["*.visit", "*.visit", dispatch, "*.visit", "<outside>"]),
            ("Walk.visit", ["Walk.visit", other, dispatch, "Walk.visit", "<outside>"]),
            (
                other,
                [
                    "a.Walk.visit(int)",
                    other,
                    dispatch,
                    "a.Walk.visit(int) [depth = x]",
                    "<outside>",
                ],
            ),
        ] {
            assert_eq!(called(&[said]), names, "{said}");
        }
        // A copy is the procedure, whose full name stands for it alone.
        let full = "a.Walk.visit(int)";
        assert_eq!(called(&[full]), [full, other, dispatch, full, "<outside>"]);
        // Two names for one method cannot be.
        assert_eq!(called(&["visit", "*.visit"])[0], full);
        assert_eq!(called(&["visit", full])[1], other);
    }
}

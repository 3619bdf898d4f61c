//! What people call the procedures, fields and types of a program.

use tern_ir::{FieldId, ProcId, Program, SelectorId, Type, TypeId, VarId};
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

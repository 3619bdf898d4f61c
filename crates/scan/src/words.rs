//! Names of things of a program as people write them in Java.

use crate::explore::Explored;
use crate::values::{Key, ObjectId};
use crate::world::World;
use tern_ir::{Body, Constant, Operand, ProcId, Program, Statement};
use tern_model::index::Id;

/// The source file of a procedure: `org/app/Main.java`.
pub(crate) fn file(program: &Program, procedure: ProcId) -> String {
    let row = &program.procedures()[procedure];
    let name = row.body.as_ref().and_then(|body| body.file).map(|file| program.text(file));
    let class = row.class.map_or("", |class| program.text(program.classes()[class].name));
    let (package, simple) = class.rsplit_once('.').unwrap_or(("", class));
    let own = format!("{}.java", simple.split('$').next().unwrap_or(simple));
    let name = name.unwrap_or(&own);
    match package {
        "" => name.to_owned(),
        package => format!("{}/{name}", package.replace('.', "/")),
    }
}

/// A field with its class: `org.app.Main.lock`.
pub(crate) fn field(program: &Program, field: tern_ir::FieldId) -> String {
    let row = program.fields()[field];
    format!("{}.{}", program.text(row.class), program.text(row.name))
}

/// A procedure with the types of its parameters: `org.app.Main.run(int)`.
pub(crate) fn signature(world: &World, procedure: ProcId) -> String {
    let row = &world.program.procedures()[procedure];
    let types = world.program.selectors()[row.selector].parameters.iter();
    let types: Vec<String> = types.map(|&ty| world.type_text(ty)).collect();
    format!("{}({})", world.program.title(procedure), types.join(","))
}

/// The last part of a name.
pub(crate) fn short(name: &str) -> &str {
    name.rsplit(['.', '$']).next().unwrap_or(name)
}

/// The name of a procedure, for messages; that of a lambda is the method that it stands in.
pub(crate) fn method(program: &Program, procedure: ProcId) -> String {
    let title = program.title(procedure);
    let name = title.rsplit('.').next().unwrap_or(&title);
    match name.strip_prefix("lambda$").and_then(|it| it.rsplit_once('$')) {
        Some(("new", _)) => "<init>".to_owned(),
        Some(("static", _)) => "<clinit>".to_owned(),
        Some((method, _)) => method.to_owned(),
        None => short(name).to_owned(),
    }
}

/// An operand: a variable, a field, a call, a constant.
pub(crate) fn operand(world: &World, body: &Body, operand: Operand) -> String {
    let mut operand = operand;
    for _ in 0..4 {
        let variable = match operand {
            Operand::Constant(constant) => {
                return match world.program.constants()[constant] {
                    Constant::Integer(value) => value.to_string(),
                    Constant::Text(name) => format!("{:?}", world.program.text(name)),
                    Constant::Null => "null".to_owned(),
                    _ => "a constant".to_owned(),
                };
            }
            Operand::Variable(variable) => variable,
        };
        if let Some(name) = body.variables[variable].name {
            return format!("`{}`", world.program.text(name));
        }
        if variable.index() < body.parameters {
            return format!("parameter {}", variable.index());
        }
        // What is `null` in one case (`c ? null : x`) is called by what it is in the other.
        let is_null = |it: Operand| {
            matches!(it, Operand::Constant(it)
                if world.program.constants()[it] == Constant::Null)
        };
        let names = |it: &&Statement| {
            let is_nothing = matches!(it, Statement::Copy { from, .. } if is_null(*from));
            it.written() == Some(variable) && !is_nothing
        };
        match body.statements.iter().find(names) {
            Some(Statement::Copy { from, .. } | Statement::Cast { from, .. }) => operand = *from,
            Some(statement) => return made(world, body, statement),
            None => break,
        }
    }
    "a value".to_owned()
}

/// What a statement makes.
pub(crate) fn made(world: &World, body: &Body, statement: &Statement) -> String {
    let program = world.program;
    match statement {
        Statement::Call { call, .. } => {
            let name = program.text(program.selectors()[call.selector].name);
            match name {
                "<init>" => format!("`new {}(…)`", short(program.text(call.class))),
                name => format!("`{name}(…)`"),
            }
        }
        Statement::New { class, .. } => format!("`new {}(…)`", short(program.text(*class))),
        Statement::NewArray { .. } => "a new array".to_owned(),
        Statement::Load { field, .. } => {
            format!("`{}`", program.text(program.fields()[*field].name))
        }
        Statement::LoadElement { array, .. } => {
            format!("an element of {}", operand(world, body, *array))
        }
        _ => "a value".to_owned(),
    }
}

/// A symbolic object, as the procedure that met it calls it.
pub(crate) fn object(explored: &Explored, procedure: ProcId, object: ObjectId) -> String {
    let (world, body) = (explored.world, explored.body(procedure));
    match explored.objects[object] {
        Key::Parameter(position) => {
            operand(world, body, Operand::Variable(tern_ir::VarId::new(position as usize)))
        }
        Key::Static(field) | Key::Field(_, field) => {
            format!("`{}`", world.program.text(world.program.fields()[field].name))
        }
        Key::At(row) => match body.statements.get(row as usize) {
            Some(statement) => {
                // A variable that holds it has the better name.
                let held = statement.written().and_then(|to| {
                    let copy = |it: &&Statement| {
                        matches!(it, Statement::Copy { from, .. } if *from == Operand::Variable(to))
                    };
                    let copied = body.statements.iter().find(copy).and_then(Statement::written);
                    [Some(to), copied].into_iter().flatten().find_map(|it| body.variables[it].name)
                });
                match held {
                    Some(name) => format!("`{}`", world.program.text(name)),
                    None => made(world, body, statement),
                }
            }
            None => "an object".to_owned(),
        },
        Key::Thrown(_) => "an exception".to_owned(),
        Key::Part(_, method) => format!("`{}()`", world.program.text(method)),
    }
}

//! What a procedure is given: `given m(x: SLL, y: SLL+, z in x, i: 3)`.
//!
//! Structures are disjoint. `SLL` may be `null`, `SLL+` may not; `null` is no object; `z in x` is
//! any object of the structure of x. Numbers are constants or `?`.

use super::Procedures;
use super::lexer::{Lexer, Problem, Token, Word, nearest};
use crate::grammar::Grammar;
use tern_ir::{ProcId, Program, Type};
use tern_model::Span;

/// What a parameter is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// No object.
    Null,
    /// A structure of a shape of the grammar, or `null` if that is allowed.
    Shape {
        /// The shape, by its number in the grammar.
        shape: usize,
        /// Whether it may be `null`.
        nullable: bool,
    },
    /// Any object of the structure of another parameter, by its number.
    In(usize),
    /// A number.
    Integer(i64),
    /// Any number.
    Any,
}

/// What a procedure is given.
#[derive(Clone, Debug)]
pub struct Input {
    /// The procedure.
    pub procedure: ProcId,
    /// What each parameter is.
    pub parameters: Vec<Parameter>,
}

enum What<'t> {
    Null,
    Shape(&'t str, bool),
    In(&'t str),
    Integer(i64),
    Any,
}

/// An input as it was read.
pub(super) struct Given<'t> {
    procedure: Word<'t>,
    parameters: Vec<(Word<'t>, What<'t>, Span)>,
}

/// Reads what follows `given`.
pub(super) fn read<'t>(lexer: &mut Lexer<'t>) -> Result<Given<'t>, Problem> {
    let procedure = lexer.name("the name of a procedure")?;
    lexer.expect("(")?;
    let mut parameters = Vec::new();
    while !lexer.accept(")") {
        let name = lexer.name("the name of a parameter")?;
        let what = if lexer.accept_word("in") {
            What::In(lexer.name("the name of a parameter")?.0)
        } else {
            lexer.expect(":")?;
            if lexer.accept_word("null") {
                What::Null
            } else if lexer.accept("?") {
                What::Any
            } else if let Token::Number(number) = lexer.peek() {
                lexer.next();
                What::Integer(number)
            } else {
                let (shape, _) = lexer.name("a shape")?;
                What::Shape(shape, !lexer.accept("+"))
            }
        };
        parameters.push((name, what, lexer.last_span()));
        if !lexer.accept(",") && lexer.peek() != Token::Sign(")") {
            return Err(lexer.unexpected("`,` or `)`"));
        }
    }
    Ok(Given { procedure, parameters })
}

/// Looks up the names of an input.
pub(super) fn resolve(
    given: &Given<'_>,
    program: &Program,
    procedures: &Procedures,
    grammar: &Grammar,
    problems: &mut Vec<Problem>,
) -> Option<Input> {
    let before = problems.len();
    let (name, span) = given.procedure;
    let Some(&(_, procedure)) = procedures.iter().find(|(it, _)| it == name) else {
        let mut problem = Problem::new("H302", span, format!("there is no procedure `{name}`"));
        problem.hint = nearest(name, procedures.iter().map(|(it, _)| &**it));
        problems.push(problem);
        return None;
    };
    let body = program.procedures()[procedure].body.as_ref()?;
    let names: Vec<(&str, Type)> = body
        .parameters()
        .map(|id| &body.variables[id])
        .map(|it| (it.name.map_or("", |name| program.text(name)), program.types()[it.ty]))
        .collect();
    for &((name, span), ..) in &given.parameters {
        if !names.iter().any(|(it, _)| *it == name) {
            let message = format!("`{}` has no parameter `{name}`", given.procedure.0);
            let mut problem = Problem::new("H401", span, message);
            problem.hint = nearest(name, names.iter().map(|it| it.0));
            problems.push(problem);
        }
    }
    let mut parameters = Vec::new();
    for (position, &(name, ty)) in names.iter().enumerate() {
        let said = given.parameters.iter().find(|((it, _), ..)| *it == name);
        let parameter = match (said, ty) {
            (None, Type::Reference(_)) => {
                let message = format!("nothing says what the parameter `{name}` is");
                let hint = format!("write `{name}: SLL`, or another shape, or `{name}: null`");
                problems.push(Problem::new("H401", span, message).hint(hint));
                None
            }
            (None, _) => Some(Parameter::Any),
            (Some((_, what, span)), ty) => {
                let found = of_type(what, ty, position, &names, program, grammar);
                found
                    .map_err(|(message, hint)| {
                        let mut problem = Problem::new("H401", *span, message);
                        problem.hint = hint;
                        problems.push(problem);
                    })
                    .ok()
            }
        };
        parameters.extend(parameter);
    }
    (problems.len() == before).then_some(Input { procedure, parameters })
}

fn of_type(
    what: &What<'_>,
    ty: Type,
    position: usize,
    names: &[(&str, Type)],
    program: &Program,
    grammar: &Grammar,
) -> Result<Parameter, (String, Option<String>)> {
    match (what, ty) {
        (What::Null, Type::Reference(_)) => Ok(Parameter::Null),
        (What::Shape(shape, nullable), Type::Reference(class)) => {
            let Some(number) = grammar.shapes.iter().position(|it| it.name == *shape) else {
                let known = grammar.shapes.iter().map(|it| &*it.name);
                return Err((format!("there is no shape `{shape}`"), nearest(shape, known)));
            };
            let kind = &grammar.types.kinds[grammar.shapes[number].kind].name;
            if kind != program.text(class) {
                return Err((format!("`{shape}` is made of objects of type `{kind}`"), None));
            }
            Ok(Parameter::Shape { shape: number, nullable: *nullable })
        }
        (What::In(other), Type::Reference(_)) => {
            let number = names.iter().position(|(it, _)| it == other);
            match number {
                Some(number) if number != position && names[number].1 == ty => {
                    Ok(Parameter::In(number))
                }
                _ => Err((format!("`{other}` is no other parameter of that type"), None)),
            }
        }
        (What::Integer(number), Type::Integer { .. } | Type::Boolean) => {
            Ok(Parameter::Integer(*number))
        }
        (What::Any, Type::Integer { .. } | Type::Boolean) => Ok(Parameter::Any),
        _ => Err(("this is no value of the type of the parameter".to_owned(), None)),
    }
}

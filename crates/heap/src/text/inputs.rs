//! What a procedure is given: `given m(x: SLL, y: SLL+, z in x, i: 3)`.
//!
//! Structures are disjoint. `SLL` may be `null`, `SLL+` may not; `null` is no object; `z in x` is
//! any object of the structure of x. Numbers are constants or `?`.

use super::Procedures;
use super::lexer::{Lexer, Problem, Token, Word, nearest};
use crate::grammar::Grammar;
use crate::graph::{Heap, TypeId};
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
    /// The heaps themselves, if these are given: with parameters in their slots, and named objects
    /// in [theirs](crate::start::named_slot).
    pub heaps: Option<Vec<Heap>>,
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
    let parameters = parameters(lexer, Token::Sign(")"))?;
    lexer.expect(")")?;
    Ok(Given { procedure, parameters })
}

/// What is said of parameters, up to an end.
fn parameters<'t>(
    lexer: &mut Lexer<'t>,
    end: Token<'_>,
) -> Result<Vec<(Word<'t>, What<'t>, Span)>, Problem> {
    let mut parameters = Vec::new();
    while lexer.peek() != end {
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
        if !lexer.accept(",") && lexer.peek() != end {
            return Err(lexer.unexpected("`,`, or the end"));
        }
    }
    Ok(parameters)
}

/// What kind of values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formal {
    /// References to objects of a type.
    Object(TypeId),
    /// Numbers or truth values.
    Number,
    /// References of which nothing is known.
    Unknown,
}

/// A procedure as inputs see it.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its number.
    pub procedure: ProcId,
    /// What it is called.
    pub title: String,
    /// Its parameters: names, kinds of values, and what each is if nothing is said.
    pub parameters: Vec<(String, Formal, Option<Parameter>)>,
    /// How shapes come about, for those who name one that is not there.
    pub shapes_by: String,
}

/// Reads an input as it is given on a command line: `x: SLL, y: SLL+, z in x`.
///
/// # Errors
/// All that is wrong with it.
pub fn given(text: &str, target: &Target, grammar: &Grammar) -> Result<Input, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut lexer = Lexer::new(text, &mut problems);
    let name = (&*target.title, Span::new(0..0));
    match parameters(&mut lexer, Token::End) {
        Ok(parameters) => {
            let given = Given { procedure: name, parameters };
            let found = resolve(&given, target, grammar, &mut problems);
            found.filter(|_| problems.is_empty()).ok_or(problems)
        }
        Err(problem) => Err(vec![problem]),
    }
}

/// The procedure that an input names.
pub(super) fn target(
    given: &Given<'_>,
    program: &Program,
    procedures: &Procedures,
    grammar: &Grammar,
    problems: &mut Vec<Problem>,
) -> Option<Target> {
    let (name, span) = given.procedure;
    let Some(&(_, procedure)) = procedures.iter().find(|(it, _)| it == name) else {
        let mut problem = Problem::new("H302", span, format!("there is no procedure `{name}`"));
        problem.hint = nearest(name, procedures.iter().map(|(it, _)| &**it));
        problems.push(problem);
        return None;
    };
    let body = program.procedures()[procedure].body.as_ref()?;
    let formal = |ty: Type| match ty {
        Type::Reference(class) => {
            grammar.types.kind(program.text(class)).map_or(Formal::Unknown, Formal::Object)
        }
        _ => Formal::Number,
    };
    let parameters = body.parameters().map(|id| &body.variables[id]).map(|it| {
        let name = it.name.map_or("", |name| program.text(name)).to_owned();
        (name, formal(program.types()[it.ty]), None)
    });
    Some(Target {
        procedure,
        title: name.to_owned(),
        parameters: parameters.collect(),
        shapes_by: "a grammar makes shapes: `grammar SLL = Node(next)`".to_owned(),
    })
}

/// Looks up the names of an input.
pub(super) fn resolve(
    given: &Given<'_>,
    target: &Target,
    grammar: &Grammar,
    problems: &mut Vec<Problem>,
) -> Option<Input> {
    let before = problems.len();
    let names = &target.parameters;
    for &((name, span), ..) in &given.parameters {
        if !names.iter().any(|(it, ..)| *it == name) {
            let message = format!("`{}` has no parameter `{name}`", target.title);
            let mut problem = Problem::new("H401", span, message);
            problem.hint = nearest(name, names.iter().map(|it| &*it.0));
            problems.push(problem);
        }
    }
    let (mut parameters, mut unknown) = (Vec::new(), Vec::new());
    for (position, (name, formal, default)) in names.iter().enumerate() {
        let said = given.parameters.iter().find(|((it, _), ..)| it == name);
        let parameter = match (said, formal, default) {
            (None, _, Some(default)) => Some(default.clone()),
            (None, Formal::Object(_), None) => {
                let message = format!("nothing says what the parameter `{name}` is");
                let hint = format!("write `{name}: SLL`, or another shape, or `{name}: null`");
                problems.push(Problem::new("H401", given.procedure.1, message).hint(hint));
                None
            }
            (None, ..) => Some(Parameter::Any),
            (Some((_, what, span)), ..) => {
                if matches!((what, formal), (What::Shape(..) | What::In(_), Formal::Unknown)) {
                    unknown.push((format!("`{name}`"), *span));
                    continue;
                }
                let found = of_type(what, *formal, position, target, grammar);
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
    problems.extend(not_followed(&unknown));
    let procedure = target.procedure;
    (problems.len() == before).then_some(Input { procedure, parameters, heaps: None })
}

/// Parameters that are said to be structures, of classes that are not there.
fn not_followed(unknown: &[(String, Span)]) -> Option<Problem> {
    let &(_, span) = unknown.first()?;
    let (of, has) = if unknown.len() == 1 { ("class", "is") } else { ("classes", "are") };
    let names: Vec<&str> = unknown.iter().map(|(name, _)| &**name).collect();
    let message = format!(
        "the {of} of {} {has} not among those that are checked, or without fields that are followed",
        names.join(", ")
    );
    let hint = "check the folder or the archive that has all class files; classes inside a class \
                have files of their own";
    Some(Problem::new("H401", span, message).hint(hint))
}

fn of_type(
    what: &What<'_>,
    formal: Formal,
    position: usize,
    target: &Target,
    grammar: &Grammar,
) -> Result<Parameter, (String, Option<String>)> {
    let names = &target.parameters;
    match (what, formal) {
        (What::Null, Formal::Object(_) | Formal::Unknown) => Ok(Parameter::Null),
        (What::Shape(shape, nullable), Formal::Object(kind)) => {
            let number = grammar.shapes.iter().position(|it| it.name == *shape);
            // The shape of that name for the type of the parameter, if several types have it.
            let own = format!("{shape}_{}", grammar.types.kinds[kind].name);
            let number = grammar.shapes.iter().position(|it| it.name == own).or(number);
            let Some(number) = number else {
                let known = grammar.shapes.iter().map(|it| &*it.name);
                let near = nearest(shape, known);
                let hint = near.filter(|_| !grammar.nonterminals.is_empty());
                let hint = hint.unwrap_or_else(|| target.shapes_by.clone());
                return Err((format!("there is no shape `{shape}`"), Some(hint)));
            };
            if grammar.shapes[number].kind != kind {
                let kind = &grammar.types.kinds[grammar.shapes[number].kind].name;
                return Err((format!("`{shape}` is made of objects of type `{kind}`"), None));
            }
            Ok(Parameter::Shape { shape: number, nullable: *nullable })
        }
        (What::In(other), Formal::Object(_)) => {
            let number = names.iter().position(|(it, ..)| it == other);
            match number {
                Some(number) if number != position && names[number].1 == formal => {
                    Ok(Parameter::In(number))
                }
                _ => Err((format!("`{other}` is no other parameter of that type"), None)),
            }
        }
        (What::Integer(number), Formal::Number) => Ok(Parameter::Integer(*number)),
        (What::Any, Formal::Number) => Ok(Parameter::Any),
        _ => Err(("this is no value of the type of the parameter".to_owned(), None)),
    }
}

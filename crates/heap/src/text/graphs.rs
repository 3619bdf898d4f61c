//! Grammars and shapes as text.
//!
//! ```text
//! grammar SLL(a: Node, b: Node?) = a.next = b | a.next = n, SLL(n, b) | SLL(a, n), SLL(n, b)
//! shape SLL(x: Node) = SLL(x, null)
//! ```
//! Alternatives stand between bars, the parts of one between commas. Names that are no tentacles
//! are new objects; their types follow from where they occur. `Node?` may be `null`.

use super::lexer::{Lexer, Problem, Token, Word, nearest};
use crate::grammar::{Grammar, Nonterminal, Shape, Tentacle};
use crate::graph::{Ends, Heap, NonterminalId, SelectorId, TypeId, null};
use std::collections::BTreeMap;
use tern_model::Span;

/// One part of a rule as it was read.
enum Part<'t> {
    Field { object: Word<'t>, selector: Word<'t>, to: Word<'t> },
    Edge { label: Word<'t>, at: Vec<Word<'t>> },
}

type Alternatives<'t> = Vec<Vec<Part<'t>>>;

/// A grammar or shape that was read, and is made when all names are known.
pub(crate) struct Declared<'t> {
    pub(crate) name: Word<'t>,
    tentacles: Vec<(Word<'t>, Word<'t>, bool)>,
    rules: Alternatives<'t>,
    pub(crate) is_shape: bool,
}

/// Reads what follows `grammar` or `shape`: a name, tentacles and alternatives.
pub(crate) fn read<'t>(lexer: &mut Lexer<'t>, is_shape: bool) -> Result<Declared<'t>, Problem> {
    let name = lexer.name("a name")?;
    lexer.expect("(")?;
    let mut tentacles = Vec::new();
    while !lexer.accept(")") {
        let tentacle = lexer.name("the name of a tentacle")?;
        lexer.expect(":")?;
        let kind = lexer.name("a type")?;
        tentacles.push((tentacle, kind, lexer.accept("?")));
        if !lexer.accept(",") && lexer.peek() != Token::Sign(")") {
            return Err(lexer.unexpected("`,` or `)`"));
        }
    }
    lexer.expect("=")?;
    let mut rules = vec![alternative(lexer)?];
    while lexer.accept("|") {
        rules.push(alternative(lexer)?);
    }
    Ok(Declared { name, tentacles, rules, is_shape })
}

fn alternative<'t>(lexer: &mut Lexer<'t>) -> Result<Vec<Part<'t>>, Problem> {
    let mut parts = vec![part(lexer)?];
    while lexer.accept(",") {
        parts.push(part(lexer)?);
    }
    Ok(parts)
}

fn object<'t>(lexer: &mut Lexer<'t>) -> Result<Word<'t>, Problem> {
    let span = lexer.span();
    if lexer.accept_word("null") { Ok(("null", span)) } else { lexer.name("an object") }
}

fn part<'t>(lexer: &mut Lexer<'t>) -> Result<Part<'t>, Problem> {
    let first = lexer.name("an object or a nonterminal")?;
    if lexer.accept(".") {
        let selector = lexer.name("a field")?;
        lexer.expect("=")?;
        return Ok(Part::Field { object: first, selector, to: object(lexer)? });
    }
    lexer.expect("(")?;
    let mut at = Vec::new();
    while !lexer.accept(")") {
        at.push(object(lexer)?);
        if !lexer.accept(",") && lexer.peek() != Token::Sign(")") {
            return Err(lexer.unexpected("`,` or `)`"));
        }
    }
    Ok(Part::Edge { label: first, at })
}

/// Makes the nonterminals and shapes that were read; their names may be used before they are
/// declared.
pub(crate) fn make(grammar: &mut Grammar, declared: &[Declared<'_>], problems: &mut Vec<Problem>) {
    let mut numbers = Vec::new();
    for it in declared {
        numbers.push(declare(grammar, it, problems));
    }
    for (it, number) in declared.iter().zip(numbers) {
        let Some(number) = number else { continue };
        for parts in &it.rules {
            let Some(heap) = rule(grammar, it, number, parts, problems) else { continue };
            match number {
                Number::Grammar(label) => grammar.nonterminals[label].rules.push(heap),
                Number::Shape(shape) => grammar.shapes[shape].heaps.push(heap),
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Number {
    Grammar(NonterminalId),
    Shape(usize),
}

fn declare(
    grammar: &mut Grammar,
    it: &Declared<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Number> {
    let (name, span) = it.name;
    let mut tentacles: Vec<Tentacle> = Vec::new();
    for &((tentacle, span), (kind, kind_span), nullable) in &it.tentacles {
        let Some(kind) = find_kind(grammar, (kind, kind_span), problems) else { continue };
        if tentacles.iter().any(|other| other.name == tentacle) {
            let message = format!("there are two tentacles `{tentacle}`");
            problems.push(Problem::new("H103", span, message));
        }
        let name = tentacle.to_owned();
        tentacles.push(Tentacle { name, kind, nullable, provides: Vec::new() });
    }
    if tentacles.len() < it.tentacles.len() {
        return None;
    }
    let (taken, what) = match it.is_shape {
        true => (grammar.shape(name).is_some(), "shapes"),
        false => (grammar.nonterminal(name).is_some(), "grammars"),
    };
    if taken {
        problems.push(Problem::new("H103", span, format!("there are two {what} `{name}`")));
        return None;
    }
    if it.is_shape {
        let [root] = &tentacles[..] else {
            let message = format!("the shape `{name}` must have one root");
            problems.push(Problem::new("H204", span, message));
            return None;
        };
        grammar.shapes.push(Shape { name: name.to_owned(), kind: root.kind, heaps: Vec::new() });
        return Some(Number::Shape(grammar.shapes.len() - 1));
    }
    let name = name.to_owned();
    Some(Number::Grammar(grammar.nonterminals.push(Nonterminal {
        name,
        tentacles,
        rules: Vec::new(),
    })))
}

pub(crate) fn find_kind(
    grammar: &Grammar,
    (name, span): (&str, Span),
    problems: &mut Vec<Problem>,
) -> Option<TypeId> {
    let found = grammar.types.kind(name);
    if found.is_none() {
        let known = grammar.types.kinds.as_slice().iter().map(|kind| &*kind.name);
        let mut problem = Problem::new("H201", span, format!("there is no type `{name}`"));
        problem.hint = nearest(name, known);
        problems.push(problem);
    }
    found
}

/// One alternative as a heap.
fn rule(
    grammar: &Grammar,
    it: &Declared<'_>,
    number: Number,
    parts: &[Part<'_>],
    problems: &mut Vec<Problem>,
) -> Option<Heap> {
    let before = problems.len();
    let mut kinds: BTreeMap<&str, TypeId> = BTreeMap::new();
    match number {
        Number::Grammar(label) => {
            let tentacles = &grammar.nonterminals[label].tentacles;
            kinds.extend(it.tentacles.iter().zip(tentacles).map(|(&((n, _), ..), t)| (n, t.kind)));
        }
        Number::Shape(shape) => {
            kinds.extend(
                it.tentacles.iter().map(|&((name, _), ..)| (name, grammar.shapes[shape].kind)),
            );
        }
    }
    infer(grammar, parts, &mut kinds, problems);
    if problems.len() > before {
        return None;
    }
    let (mut heap, mut objects) = (Heap::default(), BTreeMap::from([("null", null())]));
    for ((name, _), ..) in &it.tentacles {
        objects.insert(name, heap.add_object(kinds[name]));
    }
    heap.set_externals(it.tentacles.iter().map(|((name, _), ..)| objects[name]).collect());
    for (name, kind) in kinds {
        objects.entry(name).or_insert_with(|| heap.add_object(kind));
    }
    for part in parts {
        match part {
            Part::Field { object, selector, to } => {
                let (from, to) = (objects[object.0], objects[to.0]);
                let kind = heap.kind(from)?;
                let selector_id = grammar.types.selector(kind, selector.0)?;
                if heap.set_field(from, selector_id, to).is_some() {
                    let message = format!("`{}.{}` is given twice", object.0, selector.0);
                    problems.push(Problem::new("H205", selector.1, message));
                }
            }
            Part::Edge { label, at } => {
                let at: Ends = at.iter().map(|(name, _)| objects[name]).collect();
                heap.add_edge(grammar.nonterminal(label.0)?, at);
            }
        }
    }
    (problems.len() == before).then_some(heap)
}

/// Finds the types of objects by where they occur, and what does not fit together.
fn infer<'t>(
    grammar: &Grammar,
    parts: &[Part<'t>],
    kinds: &mut BTreeMap<&'t str, TypeId>,
    problems: &mut Vec<Problem>,
) {
    // Hyperedges tell the types of all they are attached to; fields need that of their object
    // first, and tell that of their target.
    let mut fields: Vec<(&Word<'t>, &Word<'t>, &Word<'t>)> = Vec::new();
    for part in parts {
        match part {
            Part::Field { object, selector, to } => fields.push((object, selector, to)),
            Part::Edge { label, at } => edge_kinds(grammar, *label, at, kinds, problems),
        }
    }
    while !fields.is_empty() {
        let known = fields.iter().position(|(object, ..)| kinds.contains_key(object.0));
        let Some(at) = known else {
            let (object, ..) = fields[0];
            let message = format!("the type of `{}` does not follow from anything", object.0);
            problems.push(Problem::new("H202", object.1, message));
            return;
        };
        let (object, selector, to) = fields.remove(at);
        match find_selector(grammar, kinds[object.0], *selector) {
            Ok(found) => unify(grammar, *to, grammar.types.selectors[found].to, kinds, problems),
            Err(problem) => problems.push(problem),
        }
    }
}

fn edge_kinds<'t>(
    grammar: &Grammar,
    (label, span): (&str, Span),
    at: &[Word<'t>],
    kinds: &mut BTreeMap<&'t str, TypeId>,
    problems: &mut Vec<Problem>,
) {
    let Some(found) = grammar.nonterminal(label) else {
        let known = grammar.nonterminals.as_slice().iter().map(|it| &*it.name);
        let mut problem = Problem::new("H203", span, format!("there is no grammar `{label}`"));
        problem.hint = nearest(label, known);
        problems.push(problem);
        return;
    };
    let tentacles = &grammar.nonterminals[found].tentacles;
    if tentacles.len() != at.len() {
        let message = format!("`{label}` has {} tentacles, not {}", tentacles.len(), at.len());
        problems.push(Problem::new("H204", span, message));
        return;
    }
    for (tentacle, &object) in tentacles.iter().zip(at) {
        if object.0 == "null" && !tentacle.nullable {
            let message = format!("`{}` of `{label}` must not be null", tentacle.name);
            problems.push(Problem::new("H206", object.1, message).hint(format!(
                "`{}: {}?` allows it",
                tentacle.name, grammar.types.kinds[tentacle.kind].name
            )));
        }
        unify(grammar, object, tentacle.kind, kinds, problems);
    }
}

fn unify<'t>(
    grammar: &Grammar,
    (name, span): Word<'t>,
    kind: TypeId,
    kinds: &mut BTreeMap<&'t str, TypeId>,
    problems: &mut Vec<Problem>,
) {
    if name == "null" {
        return;
    }
    let known = *kinds.entry(name).or_insert(kind);
    if known != kind {
        let title = |kind: TypeId| &grammar.types.kinds[kind].name;
        let message = format!("`{name}` is of type `{}`, not `{}`", title(known), title(kind));
        problems.push(Problem::new("H206", span, message));
    }
}

/// The selector of a type by its name.
pub(crate) fn find_selector(
    grammar: &Grammar,
    kind: TypeId,
    (name, span): (&str, Span),
) -> Result<SelectorId, Problem> {
    grammar.types.selector(kind, name).ok_or_else(|| {
        let it = &grammar.types.kinds[kind];
        let known = it.selectors.iter().map(|&id| &*grammar.types.selectors[id].name);
        let message = format!("objects of type `{}` have no field `{name}`", it.name);
        let mut problem = Problem::new("H201", span, message);
        problem.hint = nearest(name, known);
        problem
    })
}

//! The header of an automaton: everything up to `--BODY--`.

use super::acceptance::{self, Acceptance};
use super::label::Labels;
use super::lexer::Token;
use super::{QUANTIFIED, Reader};
use rustc_hash::{FxHashMap, FxHashSet};
use tern_model::quoted::unquote;
use tern_model::{FormulaId, Formulas, Span};

/// What the header says.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) name: Option<String>,
    pub(super) states: Option<usize>,
    pub(super) start: Vec<(usize, Span)>,
    pub(super) propositions: Vec<FormulaId>,
    pub(super) proposition_spans: Vec<Span>,
    pub(super) acceptance: Acceptance,
    pub(super) labels: std::cell::RefCell<Labels>,
}

/// Reads the header.
pub(super) fn read(reader: &mut Reader<'_>, formulas: &mut Formulas) -> Header {
    let mut header = Header::default();
    let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
    let mut names: Vec<(String, Span)> = Vec::new();
    let mut quantified: Vec<(usize, Span)> = Vec::new();
    match reader.tokens.peek() {
        (Token::Item("HOA"), _) => (),
        _ => reader.unexpected("`HOA: v1` at the beginning"),
    }
    while let (Token::Item(item), span) = reader.tokens.peek() {
        reader.tokens.next();
        let once = matches!(item, "HOA" | "States" | "AP" | "Acceptance" | "name" | QUANTIFIED);
        if once && let Some(&first) = seen.get(item) {
            reader.problems.add(|_| {
                crate::Problem::error("A004", format!("`{item}:` is there twice"))
                    .at(span, "again here")
                    .related(first, "first here")
                    .hint("leave one of them out; the next automaton begins behind `--END--`")
            });
        }
        seen.entry(item).or_insert(span);
        let read = match item {
            "HOA" => version(reader),
            "States" => states(reader, &mut header),
            "Start" => start(reader, &mut header),
            "name" => {
                header.name = name(reader);
                None
            }
            "AP" => propositions(reader, &mut names),
            "Alias" => alias(reader, &header, names.len()),
            "Acceptance" => acceptance::read(reader).map(|found| header.acceptance = found),
            QUANTIFIED => positions(reader, &mut quantified),
            _ if item.starts_with(|c: char| c.is_ascii_uppercase()) => {
                let message = format!("the header `{item}:` is not known");
                let hint =
                    "headers in upper case change what an automaton means, so it cannot be ignored";
                reader.problem("A004", span, message, "here", hint);
                None
            }
            _ => None,
        };
        let ended = matches!(reader.tokens.peek().0, Token::Item(_) | Token::Mark(_) | Token::End);
        if read.is_some() && !ended {
            reader.unexpected("the next header or `--BODY--`");
        }
        reader.recover();
    }
    if reader.tokens.peek().0 == Token::End {
        reader.unexpected("the next header or `--BODY--`");
    } else if !seen.contains_key("Acceptance") {
        let (_, span) = reader.tokens.peek();
        let message = "the header `Acceptance:` is missing".to_owned();
        reader.problem(
            "A004",
            span,
            message,
            "before this",
            "write for instance `Acceptance: 1 Inf(0)`",
        );
    }
    make_propositions(reader, formulas, &mut header, &names, &quantified);
    check_start(reader, &header);
    header
}

fn version(reader: &mut Reader<'_>) -> Option<()> {
    match reader.tokens.peek() {
        (Token::Word("v1"), _) => {
            reader.tokens.next();
            Some(())
        }
        _ => {
            reader.unexpected("the version `v1`");
            None
        }
    }
}

fn states(reader: &mut Reader<'_>, header: &mut Header) -> Option<()> {
    let (count, span) = reader.number("the number of states")?;
    if count > reader.states_left {
        let message = format!("{count} states are more than the text can define");
        reader.problem(
            "A007",
            span,
            message,
            "this number",
            "write the number of states that are defined",
        );
        return None;
    }
    header.states = Some(count);
    Some(())
}

fn start(reader: &mut Reader<'_>, header: &mut Header) -> Option<()> {
    let found = reader.number("an initial state")?;
    if let (Token::Sign('&'), span) = reader.tokens.peek() {
        let message = "several initial states at once are not supported".to_owned();
        let hint =
            "Tern reads automata without alternation; several lines `Start:` mean one of them";
        reader.problem("A006", span, message, "a conjunction of states", hint);
        return None;
    }
    header.start.push(found);
    Some(())
}

/// A name, if there is one that can be read: it means nothing to the automaton.
fn name(reader: &mut Reader<'_>) -> Option<String> {
    let (Token::Text(text), _) = reader.tokens.peek() else { return None };
    Some(unquote(text).into_owned())
}

fn propositions(reader: &mut Reader<'_>, names: &mut Vec<(String, Span)>) -> Option<()> {
    let (count, span) = reader.number("the number of propositions")?;
    while let (Token::Text(text), span) = reader.tokens.peek() {
        reader.tokens.next();
        names.push((unquote(text).into_owned(), span));
    }
    if names.len() != count {
        let message = format!("{count} propositions are announced, but {} named", names.len());
        reader.problem(
            "A008",
            span,
            message,
            "this number",
            "name each of them once, in double quotes",
        );
    }
    Some(())
}

fn alias(reader: &mut Reader<'_>, header: &Header, propositions: usize) -> Option<()> {
    let (Token::Alias(name), span) = reader.tokens.peek() else {
        reader.unexpected("an alias such as `@a`");
        return None;
    };
    reader.tokens.next();
    let mut labels = header.labels.borrow_mut();
    let label = labels.read(reader, propositions)?;
    if !labels.name(name, label) {
        let message = format!("the alias `{name}` is defined twice");
        reader.problem("A008", span, message, "again here", "give one of them another name");
    }
    Some(())
}

fn positions(reader: &mut Reader<'_>, list: &mut Vec<(usize, Span)>) -> Option<()> {
    while let (Token::Number(number), span) = reader.tokens.peek() {
        reader.tokens.next();
        list.push((number, span));
    }
    Some(())
}

/// Makes the propositions: atoms, or the formulas that the names are.
fn make_propositions(
    reader: &mut Reader<'_>,
    formulas: &mut Formulas,
    header: &mut Header,
    names: &[(String, Span)],
    quantified: &[(usize, Span)],
) {
    let mut places: FxHashMap<FormulaId, Span> = FxHashMap::default();
    for &(position, span) in quantified.iter().filter(|(position, _)| *position >= names.len()) {
        let message = format!("there is no proposition {position}, only {} of them", names.len());
        reader.problem("A007", span, message, "counted from 0", "leave it out");
    }
    let is_formula: FxHashSet<usize> = quantified.iter().map(|&(position, _)| position).collect();
    for (position, (name, span)) in names.iter().enumerate() {
        let proposition = if is_formula.contains(&position) {
            let parsed = crate::formula::read(formulas, name, 0).ok().map(|parsed| parsed.root);
            let formula = parsed.filter(|&f| formulas.get(f).is_quantifier());
            if formula.is_none() {
                let message = format!("`{name}` is no formula that begins with a path quantifier");
                let hint = format!("take {position} out of `{QUANTIFIED}:` if it is an atom");
                reader.problem("A003", *span, message, "this proposition", &hint);
            }
            formula.unwrap_or_else(|| formulas.atom(name))
        } else {
            formulas.atom(name)
        };
        if let Some(&first) = places.get(&proposition) {
            reader.problems.add(|_| {
                crate::Problem::error("A008", format!("the proposition `{name}` is there twice"))
                    .at(*span, "again here")
                    .related(first, "first here")
                    .hint("name each proposition once")
            });
        }
        places.entry(proposition).or_insert(*span);
        header.propositions.push(proposition);
        header.proposition_spans.push(*span);
    }
}

fn check_start(reader: &mut Reader<'_>, header: &Header) {
    for &(state, span) in &header.start {
        if header.states.is_some_and(|count| state >= count) || state >= u32::MAX as usize {
            let count = header.states.unwrap_or(0);
            let message = format!("there is no state {state}, only {count} of them");
            reader.problem(
                "A007",
                span,
                message,
                "counted from 0",
                "mend it, or the number behind `States:`",
            );
        }
    }
}

//! Local variables that are declared and named nowhere else: they leave no trace in class files, so
//! that only the source tells, where it is at hand.
//!
//! The source of a method is taken apart into words, from the line that names it to the brace that
//! ends it; comments and texts are left out. A declaration is a type, a name and a semicolon where
//! a statement begins. It is reported if the name stands nowhere else in the method.

use super::Place;
use crate::explore::Explored;
use crate::sources::Sources;
use crate::words;
use tern_ir::ProcId;

/// How far before its first instruction a method may begin.
const MOST_BEFORE: usize = 24;
/// How many words of a method are looked at.
const MOST_WORDS: usize = 20_000;
/// Words that begin statements and look like types.
const STATEMENTS: [&str; 11] = [
    "return", "throw", "break", "continue", "goto", "yield", "assert", "package", "import", "else",
    "do",
];

pub(super) fn find(
    explored: &Explored,
    procedure: ProcId,
    sources: &Sources,
    places: &mut Vec<Place>,
) {
    let program = explored.world.program;
    let body = explored.body(procedure);
    let lines = body
        .places
        .iter()
        .map(|it| it.line)
        .chain(body.blocks.as_slice().iter().map(|it| it.place.line));
    let Some(first) = lines.filter(|line| *line > 0).min() else { return };
    let name = program.text(program.selectors()[program.procedures()[procedure].selector].name);
    if name.contains(['$', '<']) {
        return;
    }
    let Some(file) = sources.find(&words::file(program, procedure)) else { return };
    let head = format!("{name}(");
    let last = (first as usize).min(file.lines.len());
    let earliest = last.saturating_sub(MOST_BEFORE);
    let begins = |line: &&usize| file.lines[**line].replace(' ', "").contains(&head);
    let rows: Vec<usize> = (earliest..last).collect();
    let Some(&start) = rows.iter().rev().find(begins) else { return };
    let all = split(&file.lines[start..]);
    let words = own_words(&all, name);
    for (position, &(word, line)) in words.iter().enumerate() {
        if word != ";" || position < 2 || !is_declaration(words, position) {
            continue;
        }
        let name = words[position - 1].0;
        if words.iter().filter(|(word, _)| *word == name).count() == 1 {
            places.push(Place {
                procedure,
                line: (start + line + 1) as u32,
                subject: format!("`{name}`"),
                reason: String::new(),
                certain: false,
                calls: Vec::new(),
            });
        }
    }
}

/// The words between the braces of a method; the line may begin with other members.
fn own_words<'a, 'b>(words: &'b [(&'a str, usize)], name: &str) -> &'b [(&'a str, usize)] {
    let calls =
        |at: &usize| words[*at].0 == name && words.get(at + 1).is_some_and(|it| it.0 == "(");
    for at in (0..words.len()).filter(calls) {
        let end = |&(word, _): &(&str, usize)| ["{", ";", "}"].contains(&word);
        let Some(open) = words[at..].iter().position(end).map(|it| at + it) else { break };
        if words[open].0 != "{" {
            continue;
        }
        let mut depth = 0usize;
        let close = words[open..].iter().position(|(word, _)| {
            match *word {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        return &words[open..close.map_or(words.len(), |it| open + it + 1)];
    }
    &[]
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Whether a semicolon ends a type and a name that begin a statement.
fn is_declaration(words: &[(&str, usize)], end: usize) -> bool {
    let mut at = end - 1;
    if !is_name(words[at].0) {
        return false;
    }
    let is_type = |word: &str| is_name(word) || ["<", ">", "[", "]", ".", ",", "?"].contains(&word);
    while at > 0 && is_type(words[at - 1].0) {
        at -= 1;
    }
    let begins = at > 0 && ["{", "}", ";"].contains(&words[at - 1].0);
    let own = &words[at..end];
    let ends_type = own.len() >= 2 && {
        let before = own[own.len() - 2].0;
        is_name(before) || before == "]" || before == ">"
    };
    begins && ends_type && is_name(own[0].0) && !STATEMENTS.contains(&own[0].0)
}

/// The words of a method with their lines, up to the brace that ends it.
fn split(lines: &[String]) -> Vec<(&str, usize)> {
    let mut words = Vec::new();
    let (mut depth, mut in_comment) = (0usize, false);
    for (number, line) in lines.iter().enumerate() {
        let mut rest = line.as_str();
        while let Some(first) = rest.chars().next() {
            if in_comment {
                match rest.find("*/") {
                    Some(end) => rest = &rest[end + 2..],
                    None => break,
                }
                in_comment = false;
                continue;
            }
            if rest.starts_with("//") {
                break;
            }
            if rest.starts_with("/*") {
                in_comment = true;
                rest = &rest[2..];
                continue;
            }
            let length = match first {
                '"' | '\'' => quoted(rest, first),
                c if c.is_alphanumeric() || c == '_' => {
                    rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
                }
                c => c.len_utf8(),
            };
            let word = &rest[..length];
            rest = &rest[length..];
            if first.is_whitespace() {
                continue;
            }
            words.push((word, number));
            match word {
                "{" => depth += 1,
                "}" if depth <= 1 => return words,
                "}" => depth -= 1,
                // A method without a body.
                ";" if depth == 0 => return words,
                _ => {}
            }
            if words.len() >= MOST_WORDS {
                return words;
            }
        }
    }
    words
}

/// How long a text in quotes is.
fn quoted(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_types_and_names() {
        let text = "void f(int a) { int data; /* int b; */ String[] s; java.util.List<A, B> l; \
                    return a; g(x); for (a = 0; a < s.length; a++) n--; \"int c;\"; n++; final int q; \
                    if (a > 0) n++; else n; do n; while (a > 0); } int after;";
        let lines = [text.to_owned()];
        let words = split(&lines);
        let names = (2..words.len())
            .filter(|&at| words[at].0 == ";" && is_declaration(&words, at))
            .map(|at| words[at - 1].0);
        assert_eq!(names.collect::<Vec<_>>(), ["data", "s", "l", "q"]);
    }
}

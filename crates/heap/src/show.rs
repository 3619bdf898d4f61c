//! Heaps as a line of text: `head=o1, o1.next=o2, SLL(o2, null)`.

use crate::atoms::Ghost;
use crate::code::Code;
use crate::grammar::Grammar;
use crate::graph::{Heap, ObjectId, Slot, Value, null};
use std::fmt::Write;
use tern_ir::ProcId;
use tern_model::index::Id;

/// A heap as text. Variables are those of a procedure, and ghosts are numbered as in the list.
pub fn heap(
    (grammar, code): (&Grammar, &Code),
    procedure: ProcId,
    ghosts: &[Ghost],
    heap: &Heap,
) -> String {
    let name = |object: ObjectId| match object {
        it if it == null() => "null".to_owned(),
        it => format!("o{}", it.index()),
    };
    let mut parts: Vec<String> = Vec::new();
    for &(slot, value) in heap.slots() {
        let locals = &code.methods[procedure].locals;
        let title = match slot {
            Slot::Variable(it) => locals[it as usize].name.clone(),
            Slot::Return => "return".to_owned(),
            Slot::Ghost(it) => match &ghosts[it as usize] {
                Ghost::Start(it) => format!("{}@start", locals[*it as usize].name),
                Ghost::Element => "elem".to_owned(),
                Ghost::ElementField(field) => format!("elem@{field}"),
            },
        };
        let value = match value {
            Value::Object(object) => name(object),
            Value::Integer(number) => number.to_string(),
            Value::Any => "?".to_owned(),
        };
        parts.push(format!("{title}={value}"));
    }
    for object in heap.objects().skip(1) {
        for &(selector, to) in heap.fields(object) {
            let field = &grammar.types.selectors[selector].name;
            parts.push(format!("{}.{field}={}", name(object), name(to)));
        }
    }
    for edge in heap.edges() {
        let mut part = format!("{}(", grammar.nonterminals[edge.label].name);
        for (position, &at) in edge.at.iter().enumerate() {
            let _ = write!(part, "{}{}", if position > 0 { ", " } else { "" }, name(at));
        }
        parts.push(part + ")");
    }
    for (position, &external) in heap.externals().iter().enumerate() {
        parts.push(format!("{}=outside{position}", name(external)));
    }
    parts.join(", ")
}

/// Takes the text of a heap apart again: what is on the left of each `=`, and what is on its right.
/// Hyperedges have nothing on their right.
pub fn parts(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut depth = 0usize;
    let mut begin = 0;
    let mut part = |piece: &str| {
        let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
        if !name.trim().is_empty() {
            found.push((name.trim().to_owned(), value.trim().to_owned()));
        }
    };
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                part(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    part(&text[begin..]);
    found
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn a_heap_is_taken_apart_into_what_it_was_made_of() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(parts(""), []);
        assert_eq!(
            parts("head=o1, o1.next=o2, SLL(o2, null), o1=outside0"),
            [
                pair("head", "o1"),
                pair("o1.next", "o2"),
                pair("SLL(o2, null)", ""),
                pair("o1", "outside0")
            ]
        );
    }
}

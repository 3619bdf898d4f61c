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

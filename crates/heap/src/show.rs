//! Heaps as a line of text: in full, `head=o1, o1.next=o2, SLL(o2, null)`, and as a picture,
//! `head → ○ → SLL → null`.

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
        let mut title = title(code, procedure, ghosts, slot);
        let value = match value {
            Value::Object(object) => name(object),
            Value::Integer(number) => {
                title = counted(code, procedure, slot, title);
                number.to_string()
            }
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
    for &(object, field, number) in heap.numbers() {
        parts.push(format!("{}.{}={number}", name(object), code.numbers[field].name));
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

/// A heap as a picture: each variable with what it leads to, objects as circles. A circle that is
/// drawn once and meant again has a number. `left:` before an arrow names the field, where an
/// object has several.
pub fn picture(
    (grammar, code): (&Grammar, &Code),
    procedure: ProcId,
    ghosts: &[Ghost],
    heap: &Heap,
) -> String {
    let mut uses = vec![0; heap.len()];
    for object in heap.objects() {
        heap.fields(object).iter().for_each(|(_, to)| uses[to.index()] += 1);
    }
    for edge in heap.edges() {
        edge.at.iter().skip(1).for_each(|at| uses[at.index()] += 1);
    }
    let mut names: Vec<(ObjectId, Vec<String>)> = Vec::new();
    let mut numbers = Vec::new();
    for &(slot, value) in heap.slots() {
        let title = title(code, procedure, ghosts, slot);
        match value {
            Value::Object(object) => match names.iter_mut().find(|(it, _)| *it == object) {
                Some((_, all)) => all.push(title),
                None => names.push((object, vec![title])),
            },
            Value::Integer(number) => {
                let title = counted(code, procedure, slot, title);
                numbers.push(format!("{title} = {number}"));
            }
            Value::Any => numbers.push(format!("{title} = ?")),
        }
    }
    for (position, &external) in heap.externals().iter().enumerate() {
        match names.iter_mut().find(|(it, _)| *it == external) {
            Some((_, all)) => all.push(format!("outside{position}")),
            None => names.push((external, vec![format!("outside{position}")])),
        }
    }
    names.iter().for_each(|(object, _)| uses[object.index()] += 1);
    // What nothing else leads to is drawn first, so that the rest hangs below it.
    names.sort_by_key(|(object, _)| (*object != null() && uses[object.index()] > 1, *object));
    let mut drawing = Drawing { grammar, heap, uses, drawn: vec![false; heap.len()] };
    let mut parts: Vec<String> = names
        .iter()
        .map(|(object, names)| format!("{} → {}", names.join(", "), drawing.object(*object, 0)))
        .collect();
    for object in heap.objects().skip(1) {
        if !drawing.drawn[object.index()] {
            parts.push(drawing.object(object, 0));
        }
    }
    parts.extend(numbers);
    parts.join("; ")
}

/// What a slot is called.
fn title(code: &Code, procedure: ProcId, ghosts: &[Ghost], slot: Slot) -> String {
    let locals = &code.methods[procedure].locals;
    let named = |it: u32| match &*locals[it as usize].name {
        "" => format!("t{it}"),
        name => name.to_owned(),
    };
    match slot {
        Slot::Variable(it) => named(it),
        Slot::Return => "return".to_owned(),
        Slot::Ghost(it) => match &ghosts[it as usize] {
            Ghost::Start(it) => format!("{}@start", named(*it)),
            Ghost::Named(it) => code.named[*it as usize].clone(),
            Ghost::Element => "elem".to_owned(),
            Ghost::ElementField(field) => format!("elem@{field}"),
        },
    }
}

/// The name of a variable that has a number. If it holds none, that counts elements of an array.
fn counted(code: &Code, procedure: ProcId, slot: Slot, title: String) -> String {
    match slot {
        Slot::Variable(it) if !code.methods[procedure].locals[it as usize].is_number => {
            format!("{title}.length")
        }
        _ => title,
    }
}

struct Drawing<'a> {
    grammar: &'a Grammar,
    heap: &'a Heap,
    uses: Vec<usize>,
    drawn: Vec<bool>,
}

/// How deep pictures go; heaps are small, but may be deep.
const MOST_DEEP: usize = 80;

impl Drawing<'_> {
    fn object(&mut self, object: ObjectId, depth: usize) -> String {
        if object == null() {
            return "null".to_owned();
        }
        let circle = match self.uses[object.index()] {
            0 | 1 => "○".to_owned(),
            _ => format!("○{}", object.index()),
        };
        if std::mem::replace(&mut self.drawn[object.index()], true) || depth > MOST_DEEP {
            return circle;
        }
        let kind = self.heap.kind(object);
        if kind.is_some() && kind == self.grammar.types.freed() {
            return format!("{circle} (freed)");
        }
        let mut ways: Vec<(String, String)> = Vec::new();
        for &(selector, to) in self.heap.fields(object) {
            let name = self.grammar.types.selectors[selector].name.clone();
            ways.push((name, self.object(to, depth + 1)));
        }
        let edges = self.heap.edges().iter().filter(|edge| edge.at.first() == Some(&object));
        for edge in edges.cloned().collect::<Vec<_>>() {
            let label = &self.grammar.nonterminals[edge.label].name;
            let others: Vec<String> =
                edge.at[1..].iter().map(|&at| self.object(at, depth + 1)).collect();
            let way = match &others[..] {
                [] => label.clone(),
                [only] => format!("{label} → {only}"),
                _ => format!("{label}({})", others.join(", ")),
            };
            ways.push((String::new(), way));
        }
        let several = kind.is_some_and(|it| self.grammar.types.kinds[it].selectors.len() > 1);
        let shown = |(name, way): &(String, String)| match (several, &**name) {
            (_, "") | (false, _) => format!("→ {way}"),
            (true, name) => format!("{name}→ {way}"),
        };
        match &ways[..] {
            [] => circle,
            [only] => format!("{circle} {}", shown(only)),
            all => {
                let all: Vec<String> = all.iter().map(shown).collect();
                format!("{circle}({})", all.join(", "))
            }
        }
    }
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

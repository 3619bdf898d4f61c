//! What a grammar says, for people: nonterminals with what their tentacles provide, rules drawn in
//! text, and whether heaps have one normal form.

use super::{Confluence, Grammar, Nonterminal};
use crate::graph::{Heap, ObjectId, null};
use std::fmt::Write;
use tern_model::budget::{Limit, Meter};
use tern_model::index::Id;

/// A grammar that was checked, as text.
///
/// # Errors
/// The limit that was reached.
pub fn report(grammar: &Grammar, meter: &mut Meter<'_>) -> Result<String, Limit> {
    let mut text = String::new();
    for (_, nonterminal) in grammar.nonterminals.iter() {
        let _ = writeln!(text, "{}, rank {}", header(grammar, nonterminal), rank(nonterminal));
        let names = names_of(nonterminal);
        for (number, rule) in nonterminal.rules.iter().enumerate() {
            let _ = writeln!(text, "  {}. {}", number + 1, drawn(grammar, rule, &names));
        }
    }
    for shape in &grammar.shapes {
        let kind = &grammar.types.kinds[shape.kind].name;
        let _ = writeln!(text, "shape {}(x: {kind})", shape.name);
        for heap in &shape.heaps {
            let _ = writeln!(text, "  {}", drawn(grammar, heap, &["x".to_owned()]));
        }
    }
    text += "Each rule gives its objects every field once, and derives heaps. Where a field is \
             looked at, the rules that give it at once derive everything.\n";
    text += match grammar.reaches_all {
        true => {
            "From each tentacle that gets fields, all that a hyperedge stands for is reached.\n"
        }
        false => "A hyperedge may stand for objects that not all of its tentacles reach.\n",
    };
    match grammar.confluence(meter)? {
        Confluence::Confluent => text += "It is confluent: each heap has one normal form.\n",
        Confluence::TooMany => text += "It was not found out whether it is confluent.\n",
        Confluence::Split { heap, rules } => {
            let shown = rules.map(|(label, rule)| {
                format!("rule {} of {}", rule + 1, grammar.nonterminals[label].name)
            });
            let names: Vec<String> =
                (0..heap.externals().len()).map(|it| format!("e{}", it + 1)).collect();
            let _ = writeln!(
                text,
                "It is not confluent: in this heap {} and {} can be folded, and what comes of it \
                 cannot be folded to the same. That something has *not* a shape may stay unknown.\n  {}",
                shown[0],
                shown[1],
                drawn(grammar, heap, &names)
            );
        }
    }
    Ok(text)
}

fn rank(nonterminal: &Nonterminal) -> usize {
    nonterminal.tentacles.len()
}

fn names_of(nonterminal: &Nonterminal) -> Vec<String> {
    nonterminal.tentacles.iter().map(|it| it.name.clone()).collect()
}

/// `SLL(a: Node gives next, b: Node or null)`
fn header(grammar: &Grammar, nonterminal: &Nonterminal) -> String {
    let tentacles = nonterminal.tentacles.iter().map(|it| {
        let kind = &grammar.types.kinds[it.kind].name;
        let fields = it.provides.iter().map(|&it| grammar.types.selectors[it].name.as_str());
        let fields: Vec<&str> = fields.collect();
        let gives = match &fields[..] {
            [] => String::new(),
            some => format!(" gets {}", some.join(", ")),
        };
        let or_null = if it.nullable { " or null" } else { "" };
        format!("{}: {kind}{or_null}{gives}", it.name)
    });
    format!("{}({})", nonterminal.name, tentacles.collect::<Vec<_>>().join("; "))
}

/// A heap as fields and hyperedges; externals have names.
fn drawn(grammar: &Grammar, heap: &Heap, names: &[String]) -> String {
    let name = |object: ObjectId| {
        let external = heap.externals().iter().position(|it| *it == object);
        match external.and_then(|it| names.get(it)) {
            _ if object == null() => "null".to_owned(),
            Some(name) => name.clone(),
            None => format!("○{}", object.index()),
        }
    };
    let mut parts = Vec::new();
    for object in heap.objects().skip(1) {
        for &(selector, to) in heap.fields(object) {
            let field = &grammar.types.selectors[selector].name;
            parts.push(format!("{} —{field}→ {}", name(object), name(to)));
        }
    }
    for edge in heap.edges() {
        let at: Vec<String> = edge.at.iter().map(|&it| name(it)).collect();
        parts.push(format!("{}({})", grammar.nonterminals[edge.label].name, at.join(", ")));
    }
    parts.join(", ")
}

//! Kripke structures as directed graphs in DOT, the language of Graphviz.
//!
//! ```text
//! digraph traffic {
//!   red    [label="stop", initial=true];
//!   green  [label="go"];
//!   yellow [label="stop, soon"];
//!   red -> green -> yellow -> red;
//! }
//! ```
//! A node is a state. Its labels stand in `label`, with commas or line breaks between them, and
//! perhaps braces around them. Initial states have `initial=true`; or an edge leads to them from a
//! node of the shape `point`, which is no state. Other attributes mean nothing here. Subgraphs and
//! clusters only group; edges may lead to several nodes, `a -> {b c}`.
//!
//! The text is gone through once, with a counter for braces: it may be nested as deep as it likes.

mod lexer;
mod reader;

use super::flat::flatten;
use crate::collector::{Collector, utf8};
use crate::formats::{Format, Likeness, Writer};
use crate::problem::{Problem, Refusal};
use crate::source::{Lines, Source};
use lexer::Lexer;
use reader::Reader;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use tern_model::budget::Meter;
use tern_model::quoted::push_quoted;
use tern_model::{Budget, Builder, Claims, Edge, Machine, NodeId, Place, Span};

/// The codes of problems with DOT, and what they mean.
pub const CODES: &[(&str, &str)] = &[
    ("K101", "bytes that are not UTF-8, or a text too long to be read"),
    ("K102", "a graph that is not directed, or no graph at all"),
    ("K103", "something else was expected here"),
    ("K104", "a quote, comment or brace that is never closed"),
    ("K105", "no initial state"),
    ("K141", "the machine has no finite graph of states"),
    ("K142", "a label that DOT cannot hold"),
    ("K199", "how many problems were left out"),
];

/// The row of the table of formats.
pub static FORMAT: Format = Format {
    name: "dot",
    called: "a graph in DOT",
    about: "a Kripke structure as a directed graph",
    endings: &["dot", "gv"],
    likeness,
    read: |source, budget| Ok((read(source, budget)?, Claims::new()).into()),
    has_values: false,
    writer: Some(Writer { write: |machine, _| write(machine), holds_claims: false }),
    page: "docs/kripke-formats.md",
    codes: CODES,
};

fn likeness(text: &[u8]) -> Likeness {
    let word = |word: &[u8]| {
        let behind = text.get(word.len()).is_none_or(|&byte| !byte.is_ascii_alphanumeric());
        text.get(..word.len()).is_some_and(|own| own.eq_ignore_ascii_case(word)) && behind
    };
    if word(b"digraph") || word(b"strict") { Likeness::Certain } else { Likeness::None }
}

/// Reads a machine of one component.
///
/// # Errors
/// All problems of the text, or what ran out.
pub fn read(source: &Source, budget: &Budget) -> Result<Machine, Refusal> {
    let (text, start) = utf8(&source.bytes, "K101")?;
    let mut reader = Reader {
        lexer: Lexer { text, at: start, problems: Collector::default(), is_swallowed: false },
        peeked: None,
        meter: Meter::new(budget),
        graph: Graph::default(),
    };
    reader.graph()?;
    let Reader { lexer: Lexer { mut problems, .. }, mut graph, .. } = reader;
    graph.mark_initial();
    if problems.count() == 0 && !graph.states.iter().any(|state| state.is_initial) {
        problems.add(|_| {
            Problem::error("K105", "no state is initial")
                .hint("write [initial=true] behind a node, or lead an edge to it from a point")
        });
    }
    problems.finish("K199")?;
    Ok(graph.machine(source))
}

/// A node as far as it is known.
struct State<'a> {
    name: Cow<'a, str>,
    span: Span,
    labels: Vec<String>,
    is_initial: bool,
    /// Whether it is a point, which only marks initial states.
    is_point: bool,
}

#[derive(Default)]
struct Graph<'a> {
    name: Option<Cow<'a, str>>,
    states: Vec<State<'a>>,
    numbers: FxHashMap<Cow<'a, str>, usize>,
    edges: Vec<(usize, usize)>,
}

impl<'a> Graph<'a> {
    fn state(&mut self, name: Cow<'a, str>, span: Span) -> usize {
        if let Some(&known) = self.numbers.get(&name) {
            return known;
        }
        let number = self.states.len();
        let state = State {
            name: name.clone(),
            span,
            labels: Vec::new(),
            is_initial: false,
            is_point: false,
        };
        self.states.push(state);
        self.numbers.insert(name, number);
        number
    }

    /// Takes what an attribute says of a state.
    fn describe(&mut self, state: usize, name: &str, value: &str) {
        let state = &mut self.states[state];
        match name.to_ascii_lowercase().as_str() {
            "label" => state.labels = labels(value),
            "initial" => state.is_initial = !matches!(value, "false" | "no" | "0"),
            "shape" => state.is_point = value == "point",
            _ => {}
        }
    }

    /// States that a point leads to are initial.
    fn mark_initial(&mut self) {
        for &(from, to) in &self.edges {
            if self.states[from].is_point {
                self.states[to].is_initial = true;
            }
        }
    }

    fn machine(self, source: &Source) -> Machine {
        let mut builder = Builder::new();
        let name = self.name.filter(|name| !name.is_empty());
        let component = builder.component(name.as_deref().unwrap_or("main"));
        let mut lines = Lines::new(source);
        let mut nodes: Vec<Option<NodeId>> = Vec::with_capacity(self.states.len());
        for state in &self.states {
            if state.is_point {
                nodes.push(None);
                continue;
            }
            let node = builder.node(component, &state.name);
            builder.origin(node, lines.origin(state.span));
            for label in &state.labels {
                builder.label(node, label);
            }
            if state.is_initial {
                builder.initial(node);
            }
            nodes.push(Some(node));
        }
        for &(from, to) in &self.edges {
            if let (Some(from), Some(to)) = (nodes[from], nodes[to]) {
                builder.edge(Place::Node(from), Edge::Step(to));
            }
        }
        builder.finish().unwrap_or_else(|flaws| unreachable!("a graph is sound: {flaws:?}"))
    }
}

/// The labels in a text: between commas and line breaks, perhaps in braces.
fn labels(text: &str) -> Vec<String> {
    let text = text.trim();
    let inner = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(text);
    let inner = inner.replace("\\n", "\n").replace("\\l", "\n").replace("\\r", "\n");
    let parts = inner.split([',', '\n']).map(str::trim).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

/// Writes all configurations of a machine as a graph.
///
/// # Errors
/// That there is no end of them, or that a label cannot be written.
pub fn write(machine: &Machine) -> Result<String, Vec<Problem>> {
    let flat = flatten(machine).map_err(|endless| {
        vec![Problem::error("K141", endless.to_string()).hint(endless.hint())]
    })?;
    let split = machine.labels().filter(|(_, name)| labels(name) != [*name]);
    let problems: Vec<Problem> = split
        .map(|(_, name)| {
            let message =
                format!("the label `{}` cannot be told from several", name.escape_debug());
            Problem::error("K142", message).hint("choose labels without commas and line breaks")
        })
        .collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    let name = |state: usize| {
        let mut quoted = String::new();
        push_quoted(&mut quoted, &flat.names[state]);
        quoted
    };
    let mut is_initial = vec![false; flat.names.len()];
    flat.initial.iter().for_each(|&state| is_initial[state] = true);
    let mut text = "digraph machine {\n".to_owned();
    for (state, labels) in flat.labels.iter().enumerate() {
        let labels: Vec<&str> = labels.iter().map(|&label| machine.label_name(label)).collect();
        let mut quoted = String::new();
        push_quoted(&mut quoted, &labels.join(", "));
        let initial = if is_initial[state] { ", initial=true" } else { "" };
        text += &format!("  {} [label={quoted}{initial}];\n", name(state));
    }
    for (from, targets) in flat.edges.iter().enumerate() {
        for &to in targets {
            text += &format!("  {} -> {};\n", name(from), name(to));
        }
    }
    text += "}\n";
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<String> {
        match read(&Source::new("g.dot", text), &Budget::unlimited()) {
            Err(Refusal::Problems(problems)) => {
                problems.iter().map(|problem| problem.code.to_owned()).collect()
            }
            found => panic!("{text}: {found:?}"),
        }
    }

    fn machine(text: &str) -> Machine {
        read(&Source::new("g.dot", text), &Budget::unlimited()).expect("sound")
    }

    #[test]
    fn graphs_are_machines() {
        let machine = machine(
            "// a comment\nstrict digraph \"my graph\" {\n# another\n rankdir=LR; node [shape=box];\n\
             s [shape=point]; s -> a; a [label=\"{p, q}\"] b[label=\"x = 1\\nr\", color=red];\n\
             subgraph cluster_x { label=\"no state\"; a -> b:port:n -> {c; \"d e\"} [label=go]; }\n c -> a }",
        );
        assert_eq!(machine.component_name(machine.components().next().expect("one")), "my graph");
        let names: Vec<&str> = machine.nodes().map(|node| machine.node_name(node)).collect();
        assert_eq!(names, ["a", "b", "c", "d e"]);
        assert_eq!(machine.initial().len(), 1);
        let labels: Vec<&str> = machine.labels().map(|(_, name)| name).collect();
        assert_eq!(labels, ["p", "q", "x = 1", "r"]);
        assert_eq!(machine.edge_count(), 4);
    }

    #[test]
    fn faults_have_codes() {
        for (text, expected) in [
            ("graph g { a -- b }", "K102"),
            ("{\"a\": 1}", "K102"),
            ("digraph g { a -> }", "K103"),
            ("digraph g { a -- b [initial=true] }", "K103"),
            ("digraph g { a [initial=true]", "K104"),
            ("digraph g { a [label=\"p] }", "K104"),
            ("digraph g { a -> b }", "K105"),
        ] {
            assert_eq!(codes(text)[0], expected, "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = "digraph machine {\n  \"main.a\" [label=\"p, q\", initial=true];\n  \
                    \"main.b\" [label=\"\"];\n  \"main.a\" -> \"main.b\";\n  \"main.b\" -> \"main.b\";\n}\n";
        let source = Source::new("m.tern", "component main { initial a {p, q} -> b; exit b; }");
        let (original, _) = crate::tern::read(&source, &Budget::unlimited()).expect("sound");
        assert_eq!(write(&original).expect("finite"), text);
        let again = machine(text);
        assert_eq!((again.node_count(), again.edge_count(), again.label_count()), (2, 2, 2));
    }
}

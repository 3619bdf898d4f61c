//! A machine as a graph for Graphviz, with the runs of a story in colour.
//!
//! Components are clusters. Nodes are ellipses, with the labels that matter under their names: bold those at
//! which a component may be called, with a second line those that return. Boxes are boxes; a call leads to
//! one, and dotted on to the entry of the callee; what comes back from it is dashed, with the name of the exit.

use crate::visible;
use std::collections::BTreeSet;
use std::fmt::{self, Write};
use tern_model::{
    BoxId, Edge, Ending, Id, Machine, Move, MoveKind, NodeId, Outcome, Place, PlaceId, Reason,
    Start, Story, Told,
};

/// What comes before the components.
const HEAD: &str = r##"digraph machine {
  rankdir=LR;
  fontname="sans"; style=rounded; color="#808080"; bgcolor=white;
  node [fontname="sans"];
  edge [fontname="sans", fontsize=10];"##;

const COLOUR: &str = ", color=\"#c03000\", penwidth=2.5";

/// Writes the machine, with those of its labels that are in `labels`. What is used by the first run in some
/// outcomes' stories, and by those that go on from its end, is highlighted.
///
/// # Errors
/// If `out` cannot be written.
pub fn write(
    out: &mut impl Write,
    machine: &Machine,
    labels: &[&str],
    outcomes: &[&Outcome],
) -> fmt::Result {
    let runs = outcomes.iter().filter_map(|outcome| {
        if let Some((start, run)) = outcome.runs.first() {
            return Some((*start, run.moves.clone()));
        }
        let start = outcome.told_at(&Start::Initial, machine)?;
        let of_ctl = outcome.story.as_ref().map(moves).unwrap_or_default();
        let of_star = outcome.star_story.as_ref().map(moves).unwrap_or_default();
        let moves = if of_ctl.is_empty() { of_star } else { of_ctl };
        (!moves.is_empty()).then_some((start, moves))
    });
    let used = match runs.into_iter().next() {
        Some((start, moves)) => Used::new(machine, start, &moves),
        None => Used::default(),
    };
    let lit = |yes: bool| if yes { COLOUR } else { "" };
    writeln!(out, "{HEAD}")?;
    for component in machine.components() {
        let name = quoted(machine.component_name(component));
        writeln!(out, "  subgraph cluster_{} {{\n    label={name};", component.index())?;
        for node in machine.nodes_of(component) {
            let returns = machine.edges(node).iter().any(|edge| matches!(edge, Edge::Return(_)));
            let exit = if returns { ", peripheries=2" } else { "" };
            let entry = if machine.is_entry(node) { ", style=bold" } else { "" };
            let has = |name: &&&str| {
                machine.label(name).is_some_and(|label| machine.has_label(node, label))
            };
            let labels: Vec<&str> = labels.iter().filter(has).copied().collect();
            let name = match labels.is_empty() {
                true => quoted(machine.node_name(node)),
                false => quoted_lines(machine.node_name(node), &labels.join(", ")),
            };
            let lit = lit(used.nodes.contains(&node));
            writeln!(out, "    n{} [label={name}{exit}{entry}{lit}];", node.index())?;
        }
        for &call in machine.boxes_of(component) {
            let callee = machine.component_name(machine.callee(call));
            let name = quoted(&format!("{}: {callee}", machine.box_name(call)));
            let lit = lit(used.entered.range((call, NodeId::new(0))..).any(|&(by, _)| by == call));
            writeln!(out, "    b{} [shape=box, label={name}{lit}];", call.index())?;
        }
        writeln!(out, "  }}")?;
    }
    for &node in machine.initial() {
        let node = node.index();
        writeln!(out, "  i{node} [shape=point];\n  i{node} -> n{node};")?;
    }
    let mut entered: BTreeSet<(BoxId, NodeId)> = BTreeSet::new();
    for place in (0..machine.place_count()).map(PlaceId::new) {
        let (from, style) = match machine.place(place) {
            Place::Node(node) => (format!("n{}", node.index()), "style=solid".to_owned()),
            Place::Site(call, exit) => {
                let label = quoted(machine.exit_name(exit));
                (format!("b{}", call.index()), format!("style=dashed, label={label}"))
            }
        };
        let mut edges = machine.edges_at(place).to_vec();
        edges.sort_unstable();
        edges.dedup();
        for edge in edges {
            let to = match edge {
                Edge::Step(to) => format!("n{}", to.index()),
                Edge::Call(call, entry) => {
                    entered.insert((call, entry));
                    format!("b{}", call.index())
                }
                Edge::Return(_) => continue, // the second line round the node says so
            };
            let lit = lit(used.edges.contains(&(place, edge)));
            writeln!(out, "  {from} -> {to} [{style}{lit}];")?;
        }
    }
    for (call, entry) in entered {
        let lit = lit(used.entered.contains(&(call, entry)));
        writeln!(out, "  b{} -> n{} [style=dotted{lit}];", call.index(), entry.index())?;
    }
    writeln!(out, "}}")
}

/// The moves of the first run that a story comes to, and of those that go on from its end.
fn moves<T>(story: &Story<T>) -> Vec<Move> {
    let mut moves = Vec::new();
    let mut next = first_run(story);
    while let Some(Told { run, asides, .. }) = next {
        moves.extend(&run.moves);
        let at_end =
            |&&(at, _): &&(usize, Story<T>)| run.ending == Ending::Done && at == run.moves.len();
        next = asides.iter().find(at_end).and_then(|(_, story)| first_run(story));
    }
    moves
}

/// The first run that a story comes to.
fn first_run<T>(story: &Story<T>) -> Option<&Told<T>> {
    let mut waiting = vec![story];
    while let Some(story) = waiting.pop() {
        match &story.reason {
            // A run without a move shows nothing; what comes after it may.
            Reason::Run(told) if told.run.moves.is_empty() => {
                waiting.extend(told.asides.iter().rev().map(|(_, story)| story));
            }
            Reason::Run(told) => return Some(told),
            Reason::Operands(stories) => waiting.extend(stories.iter().rev()),
            Reason::Labels | Reason::AllPaths | Reason::TooLong => {}
        }
    }
    None
}

/// What a run goes through.
#[derive(Default)]
struct Used {
    nodes: BTreeSet<NodeId>,
    edges: BTreeSet<(PlaceId, Edge)>,
    entered: BTreeSet<(BoxId, NodeId)>,
}

impl Used {
    fn new(machine: &Machine, start: NodeId, moves: &[Move]) -> Self {
        let mut used = Used::default();
        let (mut node, mut stack) = (start, Vec::new());
        used.nodes.insert(node);
        for step in moves {
            let mut from = Some(machine.node_place(node));
            if let MoveKind::Return(exit) | MoveKind::ReturnAndCall(exit, _) = step.kind {
                from = stack.pop().and_then(|call| machine.site(call, exit));
            }
            let edge = match step.kind {
                MoveKind::Step | MoveKind::Return(_) => Some(Edge::Step(step.node)),
                MoveKind::Call(call) | MoveKind::ReturnAndCall(_, call) => {
                    stack.push(call);
                    used.entered.insert((call, step.node));
                    Some(Edge::Call(call, step.node))
                }
                MoveKind::Stay | MoveKind::Sink => None,
            };
            used.edges.extend(from.zip(edge));
            node = step.node;
            used.nodes.insert(node);
        }
        used
    }
}

/// A name as DOT writes it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", escaped(name))
}

fn quoted_lines(first: &str, second: &str) -> String {
    format!("\"{}\\n{}\"", escaped(first), escaped(second))
}

fn escaped(name: &str) -> String {
    visible(name).replace('\\', "\\\\").replace('"', "\\\"")
}

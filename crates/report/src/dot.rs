//! A machine as a graph for Graphviz, with the runs of a story in colour.
//!
//! Components are clusters. Nodes are ellipses, with the labels that matter under their names: bold
//! those at which a component may be called, with a second line those that return. Boxes are boxes;
//! a call leads to one, and dotted on to the entry of the callee; what comes back from it is
//! dashed, with the name of the exit. Edges that are only possible have an empty head, and labels
//! that are unknown a question mark. Where a node comes from is its tooltip.

use crate::used::Used;
use crate::visible;
use std::collections::BTreeSet;
use std::fmt::{self, Write};
use tern_model::{BoxId, CompId, Edge, Id, Machine, NodeId, Place, PlaceId, Surety};

/// What comes before the components.
const HEAD: &str = r##"digraph machine {
  rankdir=LR;
  fontname="sans"; style=rounded; color="#808080"; bgcolor=white;
  node [fontname="sans"];
  edge [fontname="sans", fontsize=10];"##;

const COLOUR: &str = ", color=\"#c03000\", penwidth=2.5";

/// Writes the machine, or one component of it, with those of its labels that are in `labels`. What
/// is used is highlighted.
///
/// # Errors
/// If `out` cannot be written.
pub fn write(
    out: &mut impl Write,
    machine: &Machine,
    labels: &[&str],
    used: &Used,
    only: Option<CompId>,
) -> fmt::Result {
    let is_drawn = |component: CompId| only.is_none_or(|only| only == component);
    let lit = |yes: bool| if yes { COLOUR } else { "" };
    writeln!(out, "{HEAD}")?;
    for component in machine.components().filter(|&it| is_drawn(it)) {
        let name = quoted(machine.component_name(component));
        writeln!(out, "  subgraph cluster_{} {{\n    label={name};", component.index())?;
        for node in machine.nodes_of(component) {
            let returns = machine.edges(node).iter().any(|edge| matches!(edge, Edge::Return(_)));
            let exit = if returns { ", peripheries=2" } else { "" };
            let entry = if machine.is_entry(node) { ", style=bold" } else { "" };
            let shown = |&name: &&str| {
                let label = machine.label(name)?;
                let mark = match machine.is_unknown(node, label) {
                    true => "?",
                    false if machine.has_label(node, label) => "",
                    false => return None,
                };
                Some(format!("{name}{mark}"))
            };
            let labels: Vec<String> = labels.iter().filter_map(shown).collect();
            let name = match labels.is_empty() {
                true => quoted(machine.node_name(node)),
                false => quoted_lines(machine.node_name(node), &labels.join(", ")),
            };
            let lit = lit(used.nodes.contains(&node));
            let origin = machine.origin(node);
            let origin = origin.map_or_else(String::new, |origin| {
                format!(", tooltip={}", quoted(&origin.to_string()))
            });
            writeln!(out, "    n{} [label={name}{exit}{entry}{lit}{origin}];", node.index())?;
        }
        for &call in machine.boxes_of(component) {
            let callee = machine.component_name(machine.callee(call));
            let name = quoted(&format!("{}: {callee}", machine.box_name(call)));
            let lit = lit(used.calls(call));
            writeln!(out, "    b{} [shape=box, label={name}{lit}];", call.index())?;
        }
        writeln!(out, "  }}")?;
    }
    for &node in machine.initial().iter().filter(|&&it| is_drawn(machine.component_of(it))) {
        let node = node.index();
        writeln!(out, "  i{node} [shape=point];\n  i{node} -> n{node};")?;
    }
    let mut entered: BTreeSet<(BoxId, NodeId)> = BTreeSet::new();
    let places = (0..machine.place_count()).map(PlaceId::new);
    for place in places.filter(|&it| is_drawn(machine.component_of_place(it))) {
        let (from, style) = match machine.place(place) {
            Place::Node(node) => (format!("n{}", node.index()), "style=solid".to_owned()),
            Place::Site(call, exit) => {
                let label = quoted(machine.exit_name(exit));
                (format!("b{}", call.index()), format!("style=dashed, label={label}"))
            }
        };
        let mut edges: Vec<(Edge, Surety)> = machine.edges_with_surety(place).collect();
        edges.sort_unstable();
        edges.dedup_by_key(|&mut (edge, _)| edge); // the sure one comes first
        for (edge, surety) in edges {
            let to = match edge {
                Edge::Step(to) => format!("n{}", to.index()),
                Edge::Call(call, entry) => {
                    entered.insert((call, entry));
                    format!("b{}", call.index())
                }
                Edge::Return(_) => continue, // the second line round the node says so
            };
            let lit = lit(used.edges.contains(&(place, edge)));
            let head = if surety == Surety::Possible { ", arrowhead=empty" } else { "" };
            writeln!(out, "  {from} -> {to} [{style}{head}{lit}];")?;
        }
    }
    let entered = entered.into_iter().filter(|&(_, entry)| is_drawn(machine.component_of(entry)));
    for (call, entry) in entered {
        let lit = lit(used.entered.contains(&(call, entry)));
        writeln!(out, "  b{} -> n{} [style=dotted{lit}];", call.index(), entry.index())?;
    }
    writeln!(out, "}}")
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

//! A machine as a graph for Graphviz, with the runs of a story in colour.
//!
//! Components are clusters. Nodes are ellipses, with the labels that matter under their names: bold
//! those at which a component may be called, with a second line those that return. Boxes are boxes;
//! a call leads to one, and dotted on to the entry of the callee; what comes back from it is
//! dashed, with the name of the exit. Edges that are only possible have an empty head, and labels
//! that are unknown a question mark. Where a node comes from is its tooltip.

use crate::visible;
use std::collections::BTreeSet;
use std::fmt::{self, Write};
use tern_model::{BoxId, Edge, Ending, Id, Machine, MoveKind, NodeId, Place, PlaceId, Surety};
use tern_record::trace::{RunTrace, Step, Trace, Why};

/// What comes before the components.
const HEAD: &str = r##"digraph machine {
  rankdir=LR;
  fontname="sans"; style=rounded; color="#808080"; bgcolor=white;
  node [fontname="sans"];
  edge [fontname="sans", fontsize=10];"##;

const COLOUR: &str = ", color=\"#c03000\", penwidth=2.5";

/// Writes the machine, with those of its labels that are in `labels`. What is used by the first run
/// in some stories, and by those that go on from its end, is highlighted.
///
/// # Errors
/// If `out` cannot be written.
pub fn write(
    out: &mut impl Write,
    machine: &Machine,
    labels: &[&str],
    traces: &[Trace<'_>],
) -> fmt::Result {
    let used = traces.iter().map(|trace| Used::new(machine, trace)).find(|used| !used.is_empty());
    let used = used.unwrap_or_default();
    let lit = |yes: bool| if yes { COLOUR } else { "" };
    writeln!(out, "{HEAD}")?;
    for component in machine.components() {
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
    for (call, entry) in entered {
        let lit = lit(used.entered.contains(&(call, entry)));
        writeln!(out, "  b{} -> n{} [style=dotted{lit}];", call.index(), entry.index())?;
    }
    writeln!(out, "}}")
}

/// The first run with a move that a story comes to.
fn first_run<'t>(trace: &'t Trace<'t>) -> Option<&'t RunTrace<'t>> {
    let mut waiting = vec![trace];
    while let Some(trace) = waiting.pop() {
        match &trace.why {
            Why::Run(run) if run.steps.iter().any(|step| step.next.is_some()) => return Some(run),
            // A run without a move shows nothing; what comes after it may.
            Why::Run(run) => waiting.extend(run.asides.iter().rev().map(|(_, trace)| trace)),
            Why::Operands(traces) => waiting.extend(traces.iter().rev()),
            Why::Labels | Why::AllPaths(_) | Why::TooLong => {}
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
    /// What the first run of a story goes through, and those that go on from its end.
    fn new(machine: &Machine, trace: &Trace<'_>) -> Self {
        let mut used = Used::default();
        let mut next = first_run(trace);
        while let Some(run) = next {
            run.steps.iter().for_each(|step| used.add(machine, step));
            let last = run.steps.len() - 1;
            let mut at_end = run.asides.iter().filter(|(at, _)| *at == last);
            next = match run.ending {
                Ending::Done => at_end.find_map(|(_, trace)| first_run(trace)),
                Ending::Loop(_) | Ending::Pump(..) => None,
            };
        }
        used
    }

    fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds a configuration, and the move that is made there.
    fn add(&mut self, machine: &Machine, step: &Step<'_>) {
        self.nodes.extend(step.node);
        let (Some(node), Some(next)) = (step.node, step.next) else { return };
        let from = match next.kind {
            MoveKind::Return(exit) | MoveKind::ReturnAndCall(exit, _) => {
                step.inside.and_then(|call| machine.site(call, exit))
            }
            _ => Some(machine.node_place(node)),
        };
        let edge = match next.kind {
            MoveKind::Step | MoveKind::Return(_) => Some(Edge::Step(next.node)),
            MoveKind::Call(call) | MoveKind::ReturnAndCall(_, call) => {
                self.entered.insert((call, next.node));
                Some(Edge::Call(call, next.node))
            }
            MoveKind::Stay | MoveKind::Sink => None,
        };
        self.edges.extend(from.zip(edge));
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

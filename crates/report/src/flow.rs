//! The flow graph of an integer program as a machine of one component, to be drawn: nodes are
//! control points, called by their lines. Nothing is decided on it.

use crate::html::told_lines;
use crate::used::Used;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tern_ir::flow::{Flow, PointId};
use tern_model::index::Id;
use tern_model::{Builder, Edge, Machine, NodeId, Origin, Place};

/// How much of a line is in the name of a point.
const LONGEST_NAME: usize = 34;

/// The machine of a flow graph. The text is that of the program.
pub fn machine(flow: &Flow, file: &str, text: &str) -> Machine {
    let lines: Vec<&str> = text.lines().collect();
    let mut builder = Builder::new();
    let main = builder.component("program");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (id, point) in flow.points.iter() {
        let said = (point.line as usize).checked_sub(1).and_then(|at| lines.get(at));
        let name = match said {
            None => "end".to_owned(),
            Some(said) => format!("{}: {}", point.line, brief(said)),
        };
        let count = counts.entry(name.clone()).or_default();
        *count += 1;
        let name = if *count > 1 { format!("{name} ({count})") } else { name };
        let node = builder.node(main, &name);
        debug_assert_eq!(node.index(), id.index());
        point.labels.iter().for_each(|label| builder.label(node, label));
        if point.line > 0 {
            builder.origin(node, Origin::new(file, point.line));
        }
    }
    let mut known = BTreeSet::new();
    for (_, edge) in flow.edges.iter() {
        if known.insert((edge.from, edge.to)) {
            builder.edge(Place::Node(node_of(edge.from)), Edge::Step(node_of(edge.to)));
        }
    }
    let starts: BTreeSet<PointId> = flow.starts.iter().map(|start| start.to).collect();
    starts.iter().for_each(|&point| builder.initial(node_of(point)));
    builder.finish().unwrap_or_else(|flaws| unreachable!("no flaws are made: {flaws:?}"))
}

fn node_of(point: PointId) -> NodeId {
    NodeId::new(point.index())
}

/// What a line says, in short.
fn brief(line: &str) -> String {
    let said = line.split("//").next().unwrap_or_default().trim();
    match said.char_indices().nth(LONGEST_NAME) {
        None => said.to_owned(),
        Some((end, _)) => format!("{}…", &said[..end]),
    }
}

/// What the run of a result goes through: the points that its lines can stand for, one after the
/// other. `None` if the program has no such run.
pub fn used(flow: &Flow, machine: &Machine, witness: &Value) -> Option<Used> {
    let lines = told_lines(witness)?;
    let is_at = |point: PointId, line: u32| flow.points[point].line == line;
    let (&first, rest) = lines.split_first()?;
    let starts = flow.points.iter().map(|(id, _)| id).filter(|&point| is_at(point, first));
    let mut layers: Vec<BTreeSet<PointId>> = vec![starts.collect()];
    for &line in rest {
        let before = layers.last().expect("there is a first one");
        let next = flow.edges.iter().map(|(_, edge)| edge);
        let next = next.filter(|edge| before.contains(&edge.from) && is_at(edge.to, line));
        layers.push(next.map(|edge| edge.to).collect());
    }
    // Points that the run cannot go on from were not on it.
    for at in (0..layers.len() - 1).rev() {
        let (before, after) = layers.split_at_mut(at + 1);
        let leads = |from: &PointId| {
            flow.edges.iter().any(|(_, edge)| edge.from == *from && after[0].contains(&edge.to))
        };
        before[at].retain(leads);
    }
    if layers.iter().any(BTreeSet::is_empty) {
        return None;
    }
    let mut used = Used::default();
    for (at, layer) in layers.iter().enumerate() {
        used.nodes.extend(layer.iter().map(|&point| node_of(point)));
        let Some(next) = layers.get(at + 1) else { continue };
        for (_, edge) in flow.edges.iter() {
            if layer.contains(&edge.from) && next.contains(&edge.to) {
                let place = machine.node_place(node_of(edge.from));
                used.edges.insert((place, Edge::Step(node_of(edge.to))));
            }
        }
    }
    Some(used)
}

//! Programs against a naive interpreter, and single cases.

mod cases;
mod interpreter;
mod random;

use super::read;
use crate::source::Source;
use std::collections::{BTreeMap, BTreeSet};
use tern_model::{Budget, Edge, Machine};

/// States by their names, with the states that they lead to, and which are initial.
#[derive(Debug, Default, PartialEq, Eq)]
struct Graph {
    initial: BTreeSet<String>,
    steps: BTreeMap<String, BTreeSet<String>>,
}

fn machine(text: &str) -> Machine {
    let read = read(&Source::new("test.imp", text), &Budget::unlimited());
    read.unwrap_or_else(|wrong| panic!("{wrong}\n{text}")).machine
}

fn graph_of(machine: &Machine) -> Graph {
    let name = |node| machine.node_name(node).to_owned();
    let mut graph = Graph::default();
    graph.initial.extend(machine.initial().iter().map(|&node| name(node)));
    for node in machine.nodes() {
        let to = machine.edges(node).iter().map(|edge| match edge {
            Edge::Step(to) => name(*to),
            other => panic!("{other:?} in a program without procedures"),
        });
        graph.steps.insert(name(node), to.collect());
    }
    graph
}

/// The names of nodes with a label.
fn labelled(machine: &Machine, label: &str) -> BTreeSet<String> {
    let Some(label) = machine.label(label) else { return BTreeSet::new() };
    machine.labelled(label).iter().map(|node| machine.node_name(node).to_owned()).collect()
}

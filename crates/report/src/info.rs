//! What `tern info` says of a machine, as text and as JSON (schema `tern-info/1`).

use crate::Palette;
use crate::calls::CallGraph;
use crate::{counted, listed, visible};
use serde::Serialize;
use std::fmt::{self, Write};
use tern_model::{BoxId, CompId, DeadEndRule, EndRule, LabelId, Machine, NodeId};

/// What an exploration of the machine found.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// Nodes that no run comes to.
    pub unreachable: Vec<NodeId>,
    /// Nodes that are stuck, each with a box under which it is, unless it always is.
    pub dead_ends: Vec<(NodeId, Option<BoxId>)>,
}

/// The facts of a machine.
#[derive(Debug, Serialize)]
pub struct Info {
    schema: &'static str,
    model: String,
    components: usize,
    nodes: usize,
    boxes: usize,
    exits: usize,
    edges: usize,
    /// How many of the edges are only possible.
    #[serde(skip_serializing_if = "is_none")]
    possible_edges: usize,
    places: usize,
    labels: usize,
    /// How many labels are unknown, each counted at each of its nodes.
    #[serde(skip_serializing_if = "is_none")]
    unknown_labels: usize,
    initial: Vec<String>,
    end: &'static str,
    dead_end_rule: &'static str,
    dead_ends: Vec<String>,
    unreachable: Vec<String>,
    /// The components of each call cycle.
    recursion: Vec<Vec<String>>,
    /// How many components are active at once at most; null if there is no bound.
    call_depth: Option<usize>,
    most_exits: Option<Extreme>,
    most_entries: Option<Extreme>,
    one_node_procedures: usize,
    most_used_labels: Vec<Used>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Vec<Calls>>,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// A component that has the most of something.
#[derive(Debug, Serialize)]
struct Extreme {
    component: String,
    count: usize,
}

#[derive(Debug, Serialize)]
struct Used {
    label: String,
    nodes: usize,
}

#[derive(Debug, Serialize)]
struct Calls {
    component: String,
    callees: Vec<String>,
}

/// How many labels are worth showing, and how many names of other lists fit a line.
const SHOWN: usize = 8;

impl Info {
    /// Gathers the facts; the call graph is listed if `with_calls`.
    pub fn gather(machine: &Machine, model: &str, explored: &Explored, with_calls: bool) -> Self {
        let graph = CallGraph::of(machine);
        let name = |component: CompId| machine.component_name(component).to_owned();
        let path = |&node: &NodeId| machine.node_path(node);
        Info {
            schema: "tern-info/1",
            model: model.to_owned(),
            components: machine.component_count(),
            nodes: machine.node_count(),
            boxes: machine.box_count(),
            exits: machine.exit_count(),
            edges: machine.edge_count(),
            possible_edges: machine.possible_count(),
            places: machine.place_count(),
            labels: machine.label_count(),
            unknown_labels: machine.unknown_count(),
            initial: machine.initial().iter().map(path).collect(),
            end: match machine.end_rule() {
                EndRule::Loop => "loop",
                EndRule::Sink => "sink",
            },
            dead_end_rule: match machine.dead_end_rule() {
                DeadEndRule::Loop => "loop",
                DeadEndRule::Error => "error",
            },
            dead_ends: explored.dead_ends.iter().map(|&end| dead_end(machine, end)).collect(),
            unreachable: explored.unreachable.iter().map(path).collect(),
            recursion: graph
                .cycles
                .iter()
                .map(|cycle| cycle.iter().map(|&component| name(component)).collect())
                .collect(),
            call_depth: graph.depth,
            most_exits: extreme(machine, |component| machine.exits_of(component).len()),
            most_entries: extreme(machine, |component| machine.entries_of(component).len()),
            one_node_procedures: machine
                .components()
                .filter(|&component| is_one_node_procedure(machine, component))
                .count(),
            most_used_labels: most_used_labels(machine),
            calls: with_calls.then(|| {
                let rows = graph.callees.iter();
                rows.map(|(component, callees)| Calls {
                    component: name(component),
                    callees: callees.iter().map(|&callee| name(callee)).collect(),
                })
                .collect()
            }),
        }
    }

    /// The facts as one JSON object.
    ///
    /// # Errors
    /// None that are known; kept because the serialiser may have some.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// The facts as aligned lines.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn text(&self, out: &mut impl Write, palette: Palette) -> fmt::Result {
        let mut row = |name: &str, value: &dyn fmt::Display| {
            writeln!(
                out,
                "{}{name:<20}{} {}",
                palette.strong,
                palette.reset,
                visible(&value.to_string())
            )
        };
        row("model", &self.model)?;
        row("components", &self.components)?;
        row("nodes", &self.nodes)?;
        row("boxes", &self.boxes)?;
        row("exits", &self.exits)?;
        match self.possible_edges {
            0 => row("edges", &self.edges)?,
            count => row("edges", &format_args!("{}, {count} of them only possible", self.edges))?,
        }
        row("places", &format_args!("{} (nodes, and return sites with edges)", self.places))?;
        match self.unknown_labels {
            0 => row("labels", &self.labels)?,
            count => {
                let places = counted(count, "place");
                row("labels", &format_args!("{}, unknown at {places}", self.labels))?;
            }
        }
        if !self.most_used_labels.is_empty() {
            let used = self.most_used_labels.iter();
            let used = used.map(|used| format!("{} ({})", used.label, used.nodes));
            row("most used labels", &listed(used, SHOWN))?;
        }
        row("initial", &some(&self.initial))?;
        row(
            "end of the program",
            &match self.end {
                "sink" => "sink: a state without labels",
                _ => "loop: stays in its last node",
            },
        )?;
        row(
            "dead ends",
            &format_args!("{} (rule: {})", counted_names(&self.dead_ends), self.dead_end_rule),
        )?;
        row("unreachable nodes", &counted_names(&self.unreachable))?;
        row("recursion", &self.recursion_text())?;
        for (title, extreme) in
            [("most exits", &self.most_exits), ("most entries", &self.most_entries)]
        {
            if let Some(Extreme { component, count }) = extreme {
                row(title, &format_args!("{count} ({component})"))?;
            }
        }
        row("one-node procedures", &self.one_node_procedures)?;
        for Calls { component, callees } in self.calls.iter().flatten() {
            let callees =
                if callees.is_empty() { "nothing".to_owned() } else { callees.join(", ") };
            writeln!(out, "{}", visible(&format!("{component} calls {callees}")))?;
        }
        Ok(())
    }

    fn recursion_text(&self) -> String {
        match self.call_depth {
            Some(depth) => {
                format!("none; at most {} active at once", counted(depth, "component"))
            }
            None => {
                let cycles = self
                    .recursion
                    .iter()
                    .map(|cycle| format!("{{{}}}", listed(cycle.iter().cloned(), SHOWN)));
                let members: usize = self.recursion.iter().map(Vec::len).sum();
                format!(
                    "{} in {}: {}",
                    counted(members, "component"),
                    counted(self.recursion.len(), "call cycle"),
                    listed(cycles, SHOWN)
                )
            }
        }
    }
}

/// A dead end as text: the node, and the box under which it is one.
pub fn dead_end(machine: &Machine, (node, under): (NodeId, Option<BoxId>)) -> String {
    match under {
        None => machine.node_path(node),
        Some(call) => format!("{} under {}", machine.node_path(node), machine.box_path(call)),
    }
}

fn some(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { listed(names.iter().cloned(), SHOWN) }
}

fn counted_names(names: &[String]) -> String {
    match names.len() {
        0 => "none".to_owned(),
        count => format!("{count}: {}", some(names)),
    }
}

/// The first component with the most of something, if any has some.
fn extreme(machine: &Machine, count: impl Fn(CompId) -> usize) -> Option<Extreme> {
    let best = machine.components().rev().max_by_key(|&component| count(component))?;
    (count(best) > 0)
        .then(|| Extreme { component: machine.component_name(best).to_owned(), count: count(best) })
}

/// Whether a component is one node that is entered and returns: a shape that tools get wrong.
fn is_one_node_procedure(machine: &Machine, component: CompId) -> bool {
    let mut nodes = machine.nodes_of(component);
    let returns =
        |node| machine.edges(node).iter().any(|edge| matches!(edge, tern_model::Edge::Return(_)));
    nodes.len() == 1 && nodes.all(|node| machine.is_entry(node) && returns(node))
}

fn most_used_labels(machine: &Machine) -> Vec<Used> {
    let mut labels: Vec<(LabelId, &str)> = machine.labels().collect();
    // A stable sort: labels used equally often stay in the order of the text.
    labels.sort_by_key(|&(label, _)| std::cmp::Reverse(machine.labelled(label).len()));
    labels.truncate(SHOWN);
    labels
        .into_iter()
        .map(|(label, name)| Used { label: name.to_owned(), nodes: machine.labelled(label).len() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::{Builder, Edge, Place};

    fn machine() -> Machine {
        let mut builder = Builder::new();
        let main = builder.component("main");
        let leaf = builder.component("leaf");
        let start = builder.node(main, "start");
        let stop = builder.node(main, "stop");
        let only = builder.node(leaf, "only");
        builder.entry(only);
        let exit = builder.exit_node(only);
        let call = builder.call_box(main, "b", leaf);
        builder.edge(Place::Node(start), Edge::Call(call, only));
        builder.edge(Place::Site(call, exit), Edge::Step(stop));
        builder.initial(start);
        builder.label(stop, "done");
        builder.finish().expect("a machine")
    }

    #[test]
    fn the_facts_are_told() {
        let machine = machine();
        let stop = machine.find_node("main", "stop").expect("it is there");
        let explored = Explored { unreachable: Vec::new(), dead_ends: vec![(stop, None)] };
        let info = Info::gather(&machine, "m.tern", &explored, true);
        let mut text = String::new();
        info.text(&mut text, Palette::PLAIN).expect("a string");
        for line in [
            "model                m.tern",
            "dead ends            1: main.stop (rule: loop)",
            "recursion            none; at most 2 components active at once",
            "one-node procedures  1",
            "main calls leaf",
            "leaf calls nothing",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        let json: serde_json::Value =
            serde_json::from_str(&info.json().expect("json")).expect("json");
        assert_eq!(json["schema"], "tern-info/1");
        assert_eq!(json["call_depth"], 2);
        assert_eq!(json["most_exits"]["component"], "leaf");
    }

    #[test]
    fn the_empty_machine_has_facts_too() {
        let info = Info::gather(&Machine::default(), "-", &Explored::default(), false);
        let mut text = String::new();
        info.text(&mut text, Palette::PLAIN).expect("a string");
        assert!(text.contains("initial              none"), "{text}");
    }
}

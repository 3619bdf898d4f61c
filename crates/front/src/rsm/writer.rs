//! Writes RSM JSON: one line for each node, box and transition, in the order of the machine. What
//! is written and read again is written as the same text.
//!
//! What the format cannot say is refused, never left out.

use crate::problem::Problem;
use crate::rules;
use std::fmt::{self, Write as _};
use tern_model::index::Lists;
use tern_model::{CompId, Edge, ExitId, LabelId, Machine, NodeId, Place, PlaceId, Surety};

/// Writes a machine as RSM JSON.
///
/// # Errors
/// Everything about the machine that RSM JSON cannot say.
pub fn write(machine: &Machine) -> Result<String, Vec<Problem>> {
    let problems = unsayable(machine);
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut text = String::new();
    let (labels, unknown) = (machine.labels_by_node(), machine.unknown_by_node());
    Writer { machine, labels, unknown, out: &mut text }
        .machine()
        .expect("a string takes all that is written to it");
    Ok(text)
}

fn unsayable(machine: &Machine) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut note = |code, message: String| {
        problems.push(Problem::error(code, message).hint("write .tern instead"));
    };
    if rules::ends_in_a_sink(machine) {
        note("R141", "RSM JSON cannot say that the program ends in a state of its own".to_owned());
    }
    if rules::forbids_dead_ends(machine) {
        note("R141", "RSM JSON cannot say that dead ends are errors".to_owned());
    }
    for node in machine.nodes() {
        let place = machine.node_place(node);
        let is_doubtful = |(edge, surety): (Edge, Surety)| {
            surety == Surety::Possible && matches!(edge, Edge::Return(_))
        };
        if machine.edges_with_surety(place).any(is_doubtful) {
            let path = machine.node_path(node);
            note("R145", format!("RSM JSON cannot say that `{path}` returns only perhaps"));
        }
        let edges = machine.edges(node);
        let returns = edges.iter().filter(|edge| matches!(edge, Edge::Return(_))).count();
        if returns > 0 && edges.len() > 1 {
            let comp = machine.component_name(machine.component_of(node));
            let node = machine.node_name(node);
            let what = if returns > 1 { "returns in several ways" } else { "returns and goes on" };
            note("R142", format!("RSM JSON cannot say that node `{node}` of `{comp}` {what}"));
        }
    }
    for exit in machine.exits() {
        let name = machine.exit_name(exit);
        let same = |&node: &NodeId| machine.node_name(node) == name;
        if !matches!(machine.return_sources(exit), [node] if same(node)) {
            let comp = machine.component_name(machine.component_of_exit(exit));
            let message = format!(
                "RSM JSON cannot say that exit `{name}` of `{comp}` is not one node of that name"
            );
            note("R143", message);
        }
    }
    match machine.initial() {
        [] => note("R144", "RSM JSON cannot say that there is no initial node".to_owned()),
        [first, rest @ ..] => {
            let home = machine.component_of(*first);
            if let Some(&stray) = rest.iter().find(|&&node| machine.component_of(node) != home) {
                let (home, other) = (
                    machine.component_name(home),
                    machine.component_name(machine.component_of(stray)),
                );
                let message =
                    format!("RSM JSON cannot say that both `{home}` and `{other}` are initial");
                note("R144", message);
            }
        }
    }
    problems
}

struct Writer<'m> {
    machine: &'m Machine,
    labels: Lists<NodeId, LabelId>,
    unknown: Lists<NodeId, LabelId>,
    out: &'m mut String,
}

impl<'m> Writer<'m> {
    fn machine(mut self) -> fmt::Result {
        let machine = self.machine;
        if let [first, rest @ ..] = machine.initial() {
            self.out.push_str("{\"initial_component\": ");
            self.string(machine.component_name(machine.component_of(*first)))?;
            self.out.push_str(",\n \"initial_node\": ");
            if rest.is_empty() {
                self.string(machine.node_name(*first))?;
            } else {
                self.strings(machine.initial().iter().map(|&node| machine.node_name(node)))?;
            }
        }
        self.out.push_str(",\n \"components\": [");
        for (i, comp) in machine.components().enumerate() {
            self.out.push_str(if i == 0 { "\n" } else { ",\n" });
            self.component(comp)?;
        }
        self.out.push_str("]}\n");
        Ok(())
    }

    fn component(&mut self, comp: CompId) -> fmt::Result {
        let machine = self.machine;
        self.out.push_str("  {\"name\": ");
        self.string(machine.component_name(comp))?;
        self.out.push_str(",\n   \"nodes\": [");
        let mut separator = "\n    ";
        for node in machine.nodes_of(comp) {
            self.out.push_str(separator);
            separator = ",\n    ";
            self.node(node)?;
        }
        self.out.push_str("],\n   \"boxes\": [");
        separator = "\n    ";
        for &call in machine.boxes_of(comp) {
            self.out.push_str(separator);
            separator = ",\n    ";
            self.out.push_str("{\"name\": ");
            self.string(machine.box_name(call))?;
            let callee = machine.callee(call);
            self.out.push_str(", \"component\": ");
            self.string(machine.component_name(callee))?;
            self.out.push_str(", \"call_nodes\": ");
            self.strings(machine.entries_of(callee).iter().map(|&node| machine.node_name(node)))?;
            self.out.push_str(", \"return_nodes\": ");
            self.strings(machine.exits_of(callee).iter().map(|&exit| machine.exit_name(exit)))?;
            self.out.push('}');
        }
        self.out.push_str("],\n   \"transitions\": [");
        separator = "\n    ";
        for &place in machine.places_of(comp) {
            // A return is said by `is_exit`.
            if !matches!(machine.edges_at(place), [] | [Edge::Return(_)]) {
                self.out.push_str(separator);
                separator = ",\n    ";
                self.transition(place)?;
            }
        }
        self.out.push_str("]}");
        Ok(())
    }

    fn node(&mut self, node: NodeId) -> fmt::Result {
        let machine = self.machine;
        let is_exit = matches!(machine.edges(node), [Edge::Return(_)]);
        self.out.push_str("{\"name\": ");
        self.string(machine.node_name(node))?;
        write!(
            self.out,
            ", \"is_entry\": {}, \"is_exit\": {is_exit}, \"labels\": ",
            machine.is_entry(node)
        )?;
        // By name, so that the same machine is always the same text.
        let sorted = |labels: &[LabelId]| {
            let mut names: Vec<&str> =
                labels.iter().map(|&label| machine.label_name(label)).collect();
            names.sort_unstable();
            names
        };
        let (labels, unknown) = (sorted(self.labels.of(node)), sorted(self.unknown.of(node)));
        self.strings(labels.into_iter())?;
        if !unknown.is_empty() {
            self.out.push_str(", \"unknown_labels\": ");
            self.strings(unknown.into_iter())?;
        }
        self.out.push('}');
        Ok(())
    }

    fn transition(&mut self, place: PlaceId) -> fmt::Result {
        let machine = self.machine;
        self.out.push_str("{\"source\": ");
        match machine.place(place) {
            Place::Node(node) => self.reference(None, machine.node_name(node))?,
            Place::Site(call, exit) => self.site(machine.box_name(call), exit)?,
        }
        self.out.push_str(", \"targets\": [");
        self.targets(place, Surety::Sure)?;
        if machine.edges_with_surety(place).any(|(_, surety)| surety == Surety::Possible) {
            self.out.push_str("], \"possible_targets\": [");
            self.targets(place, Surety::Possible)?;
        }
        self.out.push_str("]}");
        Ok(())
    }

    /// The targets of those edges of a place that are sure, or of those that are not.
    fn targets(&mut self, place: PlaceId, which: Surety) -> fmt::Result {
        let machine = self.machine;
        let edges = machine.edges_with_surety(place).filter(|&(_, surety)| surety == which);
        for (i, (edge, _)) in edges.enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            match edge {
                Edge::Step(node) => self.reference(None, machine.node_name(node))?,
                Edge::Call(call, entry) => {
                    self.reference(Some(machine.box_name(call)), machine.node_name(entry))?;
                }
                // Nodes that return do nothing else, which has been checked.
                Edge::Return(_) => {}
            }
        }
        Ok(())
    }

    fn site(&mut self, call: &str, exit: ExitId) -> fmt::Result {
        self.reference(Some(call), self.machine.exit_name(exit))
    }

    fn reference(&mut self, through: Option<&str>, node: &str) -> fmt::Result {
        match through {
            None => self.out.push_str("{\"type\": \"node\", \"name\": "),
            Some(call) => {
                self.out.push_str("{\"type\": \"box_node\", \"box_name\": ");
                self.string(call)?;
                self.out.push_str(", \"node_name\": ");
            }
        }
        self.string(node)?;
        self.out.push('}');
        Ok(())
    }

    fn strings<'s>(&mut self, strings: impl Iterator<Item = &'s str>) -> fmt::Result {
        self.out.push('[');
        for (i, string) in strings.enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.string(string)?;
        }
        self.out.push(']');
        Ok(())
    }

    fn string(&mut self, string: &str) -> fmt::Result {
        self.out.push('"');
        for letter in string.chars() {
            match letter {
                '"' | '\\' => {
                    self.out.push('\\');
                    self.out.push(letter);
                }
                '\0'..='\x1F' => write!(self.out, "\\u{:04x}", u32::from(letter))?,
                _ => self.out.push(letter),
            }
        }
        self.out.push('"');
        Ok(())
    }
}

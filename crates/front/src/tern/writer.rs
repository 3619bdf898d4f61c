//! Writes a machine as canonical `.tern` text.
//!
//! Each component lists its nodes in order, one a line, and its exits in order among them; then its
//! boxes, each followed by what happens at its return sites.
//!
//! The order of nodes and the order of exits both matter, and an `exit` line has its place in both.
//! So a node is written as `exit` only if it returns by the exit of its own name, and no other way,
//! *and* belongs to a longest possible choice of such nodes whose exits are in the order of the
//! nodes. Any other node says `-> return x`, and its exit is a `port`.

use super::lexer::is_bare;
use crate::claims::{Kind, write_claim, written};
use rustc_hash::FxHashSet;
use tern_model::index::Lists;
use tern_model::logic::words;
use tern_model::quoted::push_quoted;
use tern_model::{
    Claim, Claims, CompId, DeadEndRule, Edge, EndRule, ExitId, LabelId, Machine, NodeId, PlaceId,
    Start, Surety,
};

/// Writes a machine and claims so that reading gives them back. Claims that begin elsewhere than at
/// the initial nodes are left out: the format cannot say where claims begin.
pub fn write(machine: &Machine, claims: &Claims) -> String {
    let mut writer = Writer {
        machine,
        text: String::new(),
        labels: machine.labels_by_node(),
        unknown: machine.unknown_by_node(),
        flagged: FxHashSet::default(),
    };
    writer.rules();
    for comp in machine.components() {
        if !writer.text.is_empty() {
            writer.text.push('\n');
        }
        writer.component(comp);
    }
    let has_claims = !claims.list().is_empty() || !claims.fair().is_empty();
    if has_claims && !writer.text.is_empty() {
        writer.text.push('\n');
    }
    let (conditions, formulas) = claims.to_be_written();
    for condition in conditions {
        let Some((kind, words)) = written(&claims.formulas, &condition.fairness) else { continue };
        let keyword = match kind {
            Kind::Justice => "fair",
            Kind::Compassion => "compassion",
        };
        writer.text += &format!("{keyword} {words};\n");
    }
    let begins_here = |(claim, _): &(&Claim, _)| claim.start == Start::Initial;
    for (claim, formula) in formulas.into_iter().filter(begins_here) {
        writer.text.push_str("claim ");
        write_claim(&mut writer.text, claim.name.as_deref(), formula, &claims.formulas);
        writer.text.push_str(";\n");
    }
    writer.text
}

struct Writer<'a> {
    machine: &'a Machine,
    text: String,
    labels: Lists<NodeId, LabelId>,
    unknown: Lists<NodeId, LabelId>,
    /// The initial nodes that are marked at their declaration.
    flagged: FxHashSet<NodeId>,
}

impl Writer<'_> {
    fn name(&mut self, name: &str) {
        if is_bare(name) {
            self.text.push_str(name);
        } else {
            push_quoted(&mut self.text, name);
        }
    }

    fn rules(&mut self) {
        let machine = self.machine;
        if machine.end_rule() == EndRule::Sink {
            self.text.push_str("end sink;\n");
        }
        if machine.dead_end_rule() == DeadEndRule::Error {
            self.text.push_str("deadlock error;\n");
        }
        // Marks are read in the order of the text. If the initial nodes have another, it is told.
        let place = |&node: &NodeId| (machine.component_of(node), node);
        if machine.initial().is_sorted_by_key(place) {
            self.flagged = machine.initial().iter().copied().collect();
            return;
        }
        for (i, &node) in machine.initial().iter().enumerate() {
            self.text.push_str(if i == 0 { "initial " } else { ", " });
            self.name(machine.component_name(machine.component_of(node)));
            self.text.push('.');
            self.name(machine.node_name(node));
        }
        self.text.push_str(";\n");
    }

    fn component(&mut self, comp: CompId) {
        let machine = self.machine;
        self.text.push_str("component ");
        self.name(machine.component_name(comp));
        self.text.push_str(" {\n");
        let as_exits = exit_nodes(machine, comp);
        let (exits, mut written) = (machine.exits_of(comp), 0);
        let mut chosen = as_exits.iter().peekable();
        for node in machine.nodes_of(comp) {
            let exit = chosen.next_if(|&&(candidate, _)| candidate == node).map(|&(_, exit)| exit);
            if let Some(exit) = exit {
                let position = machine.exit_position(exit);
                self.ports(&exits[written..position]);
                written = position + 1;
            }
            self.node(node, exit.is_some());
        }
        self.ports(&exits[written..]);
        for &call in machine.boxes_of(comp) {
            self.text.push_str("  box ");
            self.name(machine.box_name(call));
            self.text.push_str(": ");
            self.name(machine.component_name(machine.callee(call)));
            self.text.push_str(";\n");
            for (exit, site) in machine.sites_of(call) {
                self.text.push_str("  ");
                self.name(machine.box_name(call));
                self.text.push('.');
                self.name(machine.exit_name(exit));
                self.edges(site);
                self.text.push_str(";\n");
            }
        }
        self.text.push_str("}\n");
    }

    fn ports(&mut self, exits: &[ExitId]) {
        for (i, &exit) in exits.iter().enumerate() {
            self.text.push_str(if i == 0 { "  port " } else { ", " });
            self.name(self.machine.exit_name(exit));
        }
        if !exits.is_empty() {
            self.text.push_str(";\n");
        }
    }

    fn node(&mut self, node: NodeId, as_exit: bool) {
        let machine = self.machine;
        let (initial, entry) = (self.flagged.contains(&node), machine.is_entry(node));
        self.text.push_str("  ");
        for (said, word) in [
            (initial, "initial "),
            (entry, "entry "),
            (as_exit, "exit "),
            (!initial && !entry && !as_exit, "node "),
        ] {
            self.text.push_str(if said { word } else { "" });
        }
        self.name(machine.node_name(node));
        let sure = self.labels.of(node).iter().map(|&label| (machine.label_name(label), ""));
        let unknown = self.unknown.of(node).iter().map(|&label| (machine.label_name(label), "?"));
        let mut labels: Vec<(&str, &str)> = sure.chain(unknown).collect();
        labels.sort_unstable();
        for (i, (label, mark)) in labels.iter().enumerate() {
            self.text.push_str(if i == 0 { " {" } else { ", " });
            if words::is_plain(label) {
                self.text.push_str(label);
            } else {
                push_quoted(&mut self.text, label);
            }
            self.text.push_str(mark);
        }
        if !labels.is_empty() {
            self.text.push('}');
        }
        if !as_exit {
            self.edges(machine.node_place(node));
        }
        self.text.push_str(";\n");
    }

    fn edges(&mut self, place: PlaceId) {
        let machine = self.machine;
        for (i, (edge, surety)) in machine.edges_with_surety(place).enumerate() {
            self.text.push_str(if i == 0 { " -> " } else { ", " });
            match edge {
                Edge::Step(node) => self.name(machine.node_name(node)),
                Edge::Call(call, entry) => {
                    self.name(machine.box_name(call));
                    self.text.push('.');
                    self.name(machine.node_name(entry));
                }
                Edge::Return(exit) => {
                    self.text.push_str("return ");
                    self.name(machine.exit_name(exit));
                }
            }
            if surety == Surety::Possible {
                self.text.push('?');
            }
        }
    }
}

/// The nodes of a component that are written as `exit`, each with its exit, in the order of nodes:
/// a longest choice of exit nodes whose exits are in the same order.
fn exit_nodes(machine: &Machine, comp: CompId) -> Vec<(NodeId, ExitId)> {
    let candidates: Vec<(NodeId, ExitId)> = machine
        .nodes_of(comp)
        .filter_map(|node| {
            let mut edges = machine.edges_with_surety(machine.node_place(node));
            match (edges.next(), edges.next()) {
                (Some((Edge::Return(exit), Surety::Sure)), None)
                    if machine.exit_name(exit) == machine.node_name(node) =>
                {
                    Some((node, exit))
                }
                _ => None,
            }
        })
        .collect();
    // `ends[l]` is the candidate with the least exit at which a choice of length l + 1 can end;
    // `before[i]` is the one that stands before candidate i in a longest choice that ends with i.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(candidates.len());
    for (i, &(_, exit)) in candidates.iter().enumerate() {
        let length = ends.partition_point(|&end| candidates[end].1 < exit);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = i,
            None => ends.push(i),
        }
    }
    let mut chosen: Vec<_> = std::iter::successors(ends.last().copied(), |&i| before[i])
        .map(|i| candidates[i])
        .collect();
    chosen.reverse();
    chosen
}

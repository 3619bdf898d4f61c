//! A machine made ready for engines: what can be reached, and where things lie in flat arrays.
//! Made once for a machine, used for all claims on it.

use crate::ground::bits;
use crate::ground::summary::NONE;
use crate::ground::survey::{Survey, only_returns, survey};
use tern_model::{BoxId, Budget, CompId, Edge, ExitId, Id, LabelId, Limit, Machine, NodeId};

/// A machine with what engines look up all the time.
pub(crate) struct Terrain<'m> {
    pub(crate) machine: &'m Machine,
    pub(crate) survey: Survey,
    /// Position of a box among those of its component.
    box_position: Vec<u32>,
    /// The entries of each component that are called, and for a node its position there.
    called_entries: Vec<Vec<NodeId>>,
    entry_position: Vec<u32>,
    /// Where the row of a component begins in a row of bits over all nodes, by component.
    row_start: Vec<usize>,
    /// The components with initial nodes, each once.
    pub(crate) root_components: Vec<CompId>,
    /// For each component, the exits whose being closed can leave a reachable node stuck.
    stuck_exits: Vec<Box<[u64]>>,
}

impl<'m> Terrain<'m> {
    pub(crate) fn new(machine: &'m Machine, budget: &Budget) -> Result<Self, Limit> {
        Ok(Self::with_survey(machine, survey(machine, budget)?))
    }

    /// Lays a machine out as far as the survey says that it can be reached.
    pub(crate) fn with_survey(machine: &'m Machine, survey: Survey) -> Self {
        let mut box_position = vec![0; machine.box_count()];
        let mut called_entries = Vec::with_capacity(machine.component_count());
        let mut entry_position = vec![NONE; machine.node_count()];
        let mut row_start = Vec::with_capacity(machine.component_count() + 1);
        let mut stuck_exits = Vec::with_capacity(machine.component_count());
        let mut rows = 0;
        for comp in machine.components() {
            for (position, call) in (0..).zip(machine.boxes_of(comp)) {
                box_position[call.index()] = position;
            }
            let is_called = |entry: &&NodeId| survey.called.contains(entry.index());
            let entries: Vec<NodeId> =
                machine.entries_of(comp).iter().filter(is_called).copied().collect();
            for (position, entry) in (0..).zip(&entries) {
                entry_position[entry.index()] = position;
            }
            called_entries.push(entries);
            row_start.push(rows);
            rows += bits::words_for(machine.nodes_of(comp).len());
            stuck_exits.push(stuck_exits_of(machine, &survey, comp));
        }
        row_start.push(rows);
        let mut root_components: Vec<CompId> =
            machine.initial().iter().map(|&node| machine.component_of(node)).collect();
        root_components.sort_unstable();
        root_components.dedup();
        Terrain {
            machine,
            survey,
            box_position,
            called_entries,
            entry_position,
            row_start,
            root_components,
            stuck_exits,
        }
    }

    #[inline]
    pub(crate) fn box_position(&self, call: BoxId) -> usize {
        self.box_position[call.index()] as usize
    }

    pub(crate) fn called_entries(&self, comp: CompId) -> &[NodeId] {
        &self.called_entries[comp.index()]
    }

    /// The position of an entry among the called ones; [`NONE`] if it is not called.
    #[inline]
    pub(crate) fn entry_position(&self, entry: NodeId) -> u32 {
        self.entry_position[entry.index()]
    }

    pub(crate) fn is_reachable(&self, node: NodeId) -> bool {
        self.survey.reachable.contains(node.index())
    }

    pub(crate) fn is_called(&self, call: BoxId) -> bool {
        self.survey.called_boxes.contains(call.index())
    }

    /// Which of the root components an initial node is in.
    pub(crate) fn root_of(&self, initial: NodeId) -> usize {
        let component = self.machine.component_of(initial);
        self.root_components.binary_search(&component).expect("it has an initial node")
    }

    /// How many words a row of bits over the nodes of a component takes.
    pub(crate) fn row_words(&self, comp: CompId) -> usize {
        self.row_start[comp.index() + 1] - self.row_start[comp.index()]
    }

    /// The part of a row over all nodes that belongs to a component.
    pub(crate) fn row_of<'r>(&self, row: &'r [u64], comp: CompId) -> &'r [u64] {
        &row[self.row_start[comp.index()]..self.row_start[comp.index() + 1]]
    }

    /// The nodes that have a label, as a row of bits over all nodes, component by component.
    pub(crate) fn label_row(&self, label: Option<LabelId>) -> Vec<u64> {
        let mut row = vec![0; *self.row_start.last().expect("one more than there are components")];
        for &node in label.map_or(&[][..], |label| self.machine.labelled(label)) {
            let start = self.row_start[self.machine.component_of(node).index()];
            let position = self.machine.place_position(self.machine.node_place(node));
            bits::insert(&mut row[start..], position);
        }
        row
    }

    /// The exits of a callee after which a box does not go on, of those for which it matters.
    pub(crate) fn closed_exits(&self, call: BoxId) -> Box<[u64]> {
        let callee = self.machine.callee(call);
        let mut closed = self.stuck_exits[callee.index()].clone();
        if !closed.is_empty() {
            for (exit, _) in self.machine.sites_of(call) {
                bits::remove(&mut closed, self.machine.exit_position(exit));
            }
            if closed.iter().all(|&word| word == 0) {
                closed = Box::default();
            }
        }
        closed
    }
}

/// Empty if there are none: then being closed is no different from never being woken after.
fn stuck_exits_of(machine: &Machine, survey: &Survey, comp: CompId) -> Box<[u64]> {
    let exits = machine.exits_of(comp);
    let matters = |exit: &ExitId| {
        let returning = machine.return_sources(*exit).iter();
        let closed_somewhere =
            || machine.callers_of(comp).iter().any(|&call| machine.site(call, *exit).is_none());
        returning
            .copied()
            .any(|node| survey.reachable.contains(node.index()) && only_returns(machine, node))
            && closed_somewhere()
    };
    let mut row: Box<[u64]> = Box::default();
    for exit in exits.iter().filter(|exit| matters(exit)) {
        if row.is_empty() {
            row = vec![0; bits::words_for(exits.len())].into();
        }
        bits::insert(&mut row, machine.exit_position(*exit));
    }
    row
}

/// Whether a node cannot move when these exits are closed: it has no edges, or all of them return
/// by a closed exit.
pub(crate) fn is_stuck(machine: &Machine, node: NodeId, closed: &[u64]) -> bool {
    machine.edges(node).iter().all(|edge| match edge {
        Edge::Return(exit) => !closed.is_empty() && bits::get(closed, machine.exit_position(*exit)),
        _ => false,
    })
}

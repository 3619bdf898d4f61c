//! A machine made ready for engines: what can be reached, and where things lie in flat arrays.
//! Made once for a machine, used for all claims on it.

use crate::ground::bits;
use crate::ground::frames::{Frames, Modes};
use crate::ground::ids::{BoxPos, EntryPos, Positions, RootPos, Spans, positions};
use crate::ground::survey::{Survey, only_returns, survey};
use std::sync::{Arc, OnceLock};
use tern_model::index::Table;
use tern_model::subsets::Subset;
use tern_model::{BoxId, Budget, CompId, ExitId, Id, LabelId, Limit, Machine, NodeId};

/// A machine with what engines look up all the time.
pub(crate) struct Terrain<'m> {
    pub(crate) machine: &'m Machine,
    layout: Arc<Layout>,
}

/// What engines look up of a machine, without the machine.
pub(crate) struct Layout {
    survey: Survey,
    /// Position of a box among those of its component.
    box_pos: Table<BoxId, BoxPos>,
    /// The entries of each component that are called, and for a node its position there.
    called_entries: Table<CompId, Vec<NodeId>>,
    entry_pos: Table<NodeId, Option<EntryPos>>,
    /// Where the row of a component lies in a row of bits over all nodes.
    rows: Spans<CompId>,
    /// How many edges the places of each component have.
    edge_count: Table<CompId, usize>,
    /// The components with initial nodes, each once.
    root_components: Vec<CompId>,
    /// For each component, the exits whose being closed can leave a reachable node stuck.
    stuck_exits: Table<CompId, Box<[u64]>>,
    /// The base frames, once somebody has made them.
    base: OnceLock<(Arc<Frames>, Modes)>,
}

impl<'m> Terrain<'m> {
    pub(crate) fn new(machine: &'m Machine, budget: &Budget) -> Result<Self, Limit> {
        Ok(Self::with_survey(machine, survey(machine, budget)?))
    }

    /// Lays a machine out as far as the survey says that it can be reached.
    pub(crate) fn with_survey(machine: &'m Machine, survey: Survey) -> Self {
        let mut box_pos = Table::filled(BoxPos::new(0), machine.box_count());
        let mut called_entries = Table::new();
        let mut entry_pos = Table::filled(None, machine.node_count());
        let mut rows = Spans::new();
        let mut stuck_exits = Table::new();
        let mut edge_count = Table::new();
        for comp in machine.components() {
            for (position, &call) in positions(machine.boxes_of(comp)) {
                box_pos[call] = position;
            }
            let is_called = |entry: &&NodeId| survey.called.contains(entry.index());
            let entries: Vec<NodeId> =
                machine.entries_of(comp).iter().filter(is_called).copied().collect();
            for (position, &entry) in positions(&entries) {
                entry_pos[entry] = Some(position);
            }
            called_entries.push(entries);
            rows.push(bits::words_for(machine.nodes_of(comp).len()));
            stuck_exits.push(stuck_exits_of(machine, &survey, comp));
            let places = machine.places_of(comp).iter();
            edge_count.push(places.map(|&place| machine.edges_at(place).len()).sum());
        }
        let mut root_components: Vec<CompId> =
            machine.initial().iter().map(|&node| machine.component_of(node)).collect();
        root_components.sort_unstable();
        root_components.dedup();
        let layout = Layout {
            survey,
            box_pos,
            called_entries,
            entry_pos,
            rows,
            edge_count,
            root_components,
            stuck_exits,
            base: OnceLock::new(),
        };
        Terrain { machine, layout: Arc::new(layout) }
    }

    /// A machine with the layout that was made of it before.
    pub(crate) fn with_layout(machine: &'m Machine, layout: Arc<Layout>) -> Self {
        Terrain { machine, layout }
    }

    /// The layout, to be kept.
    pub(crate) fn layout(&self) -> Arc<Layout> {
        Arc::clone(&self.layout)
    }

    /// The base frames, once somebody has made them.
    pub(crate) fn base(&self) -> &OnceLock<(Arc<Frames>, Modes)> {
        &self.layout.base
    }

    /// What can be reached.
    pub(crate) fn survey(&self) -> &Survey {
        &self.layout.survey
    }

    /// The components with initial nodes, each once.
    pub(crate) fn root_components(&self) -> &[CompId] {
        &self.layout.root_components
    }

    /// Where a box is in its component.
    #[inline]
    pub(crate) fn box_pos(&self, call: BoxId) -> BoxPos {
        self.layout.box_pos[call]
    }

    pub(crate) fn called_entries(&self, comp: CompId) -> &[NodeId] {
        &self.layout.called_entries[comp]
    }

    /// The position of an entry among the called ones; `None` if it is not called.
    #[inline]
    pub(crate) fn entry_pos(&self, entry: NodeId) -> Option<EntryPos> {
        self.layout.entry_pos[entry]
    }

    pub(crate) fn is_reachable(&self, node: NodeId) -> bool {
        self.layout.survey.reachable.contains(node.index())
    }

    pub(crate) fn is_called(&self, call: BoxId) -> bool {
        self.layout.survey.called_boxes.contains(call.index())
    }

    /// Which of the root components an initial node is in.
    pub(crate) fn root_of(&self, initial: NodeId) -> RootPos {
        let component = self.machine.component_of(initial);
        RootPos::new(
            self.layout.root_components.binary_search(&component).expect("it has an initial node"),
        )
    }

    /// How many edges the places of a component have.
    pub(crate) fn edge_count(&self, comp: CompId) -> usize {
        self.layout.edge_count[comp]
    }

    /// How many words a row of bits over the nodes of a component takes.
    pub(crate) fn row_words(&self, comp: CompId) -> usize {
        self.layout.rows.of(comp).len()
    }

    /// The part of a row over all nodes that belongs to a component.
    pub(crate) fn row_of<'r>(&self, row: &'r [u64], comp: CompId) -> &'r [u64] {
        &row[self.layout.rows.of(comp)]
    }

    /// The nodes that have a label, as a row of bits over all nodes, component by component.
    pub(crate) fn label_row(&self, label: Option<LabelId>) -> Vec<u64> {
        let mut row = vec![0; self.layout.rows.total()];
        for node in label.map_or(Subset::EMPTY, |label| self.machine.labelled(label)) {
            let own = self.layout.rows.of(self.machine.component_of(node));
            bits::insert(&mut row[own], self.machine.node_pos(node));
        }
        row
    }

    /// The exits of a callee after which a box does not go on, of those for which it matters.
    pub(crate) fn closed_exits(&self, call: BoxId) -> Box<[u64]> {
        let callee = self.machine.callee(call);
        let mut closed = self.layout.stuck_exits[callee].clone();
        if !closed.is_empty() {
            for (exit, _) in self.machine.sites_of(call) {
                bits::remove(&mut closed, self.machine.exit_pos(exit));
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
        bits::insert(&mut row, machine.exit_pos(*exit));
    }
    row
}

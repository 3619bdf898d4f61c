//! The strongly connected components of an automaton, and what they say about acceptance.

use super::graph::{Edge, Graph};
use tern_model::automaton::Marks;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::scc::{self, SccId};
use tern_model::{Limit, StateId};

/// Which states reach each other.
#[derive(Clone, Debug)]
pub(super) struct Components {
    found: scc::Components<StateId>,
    /// For each component the marks on its edges, or nothing if it has no edge.
    marks: Table<SccId, Option<Marks>>,
    all: Marks,
}

impl Components {
    /// The components of an automaton.
    pub(super) fn new(graph: &Graph, meter: &mut Meter<'_>) -> Result<Components, Limit> {
        let successors = |state| graph.edges[state].iter().map(|edge| edge.to);
        let found = scc::Components::new(graph.state_count(), successors, meter)?;
        let mut marks: Table<SccId, Option<Marks>> = Table::filled(None, found.len());
        for (state, edges) in graph.edges.iter() {
            let own = found.of(state);
            for edge in edges.iter().filter(|edge| found.of(edge.to) == own) {
                *marks[own].get_or_insert(0) |= edge.marks;
            }
        }
        Ok(Components { found, marks, all: graph.all_marks() })
    }

    /// The component of a state. An edge never leads to a component with a larger number.
    pub(super) fn of(&self, state: StateId) -> SccId {
        self.found.of(state)
    }

    /// The states of a component.
    pub(super) fn members(&self, component: SccId) -> &[StateId] {
        self.found.members(component)
    }

    /// All components, each after those that it leads to.
    pub(super) fn ids(&self) -> impl Iterator<Item = SccId> + use<> {
        self.found.ids()
    }

    /// Something for each component.
    pub(super) fn each<T>(&self, of: impl Fn(SccId) -> T) -> Table<SccId, T> {
        self.ids().map(of).collect()
    }

    /// Whether a run can stay in a component.
    pub(super) fn has_loop(&self, component: SccId) -> bool {
        self.marks[component].is_some()
    }

    /// Whether a run can stay in a component and be accepting.
    pub(super) fn is_accepting(&self, component: SccId) -> bool {
        self.marks[component].is_some_and(|marks| marks & self.all == self.all)
    }

    /// Whether a run can stay in some component and be accepting.
    pub(super) fn has_accepting(&self) -> bool {
        self.ids().any(|component| self.is_accepting(component))
    }

    /// Whether a run can stay in some component without ever being accepting there. Then a mark is
    /// needed to tell, even if all accepting components carry it everywhere.
    pub(super) fn has_rejecting_loop(&self) -> bool {
        self.ids().any(|component| self.has_loop(component) && !self.is_accepting(component))
    }

    /// Whether an edge from a state stays in its component.
    pub(super) fn is_inner(&self, from: StateId, edge: &Edge) -> bool {
        self.of(from) == self.of(edge.to)
    }
}

//! Which parts of an explored graph can be gone round for ever, and whether with all marks.

use super::graph::{Graph, VertexId};
use tern_model::automaton::Marks;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::scc::{self, SccId};
use tern_model::{Id, Limit};

/// The strongly connected components of a graph, with the marks in them.
pub(crate) struct Components {
    components: scc::Components<VertexId>,
    /// For each component, the marks on edges inside it; `None` if there are no such edges.
    pub(crate) marks: Table<SccId, Option<Marks>>,
    /// The first component that has all marks, if there is one.
    pub(crate) accepting: Option<SccId>,
}

impl Components {
    pub(crate) fn new(graph: &Graph, all: Marks, meter: &mut Meter<'_>) -> Result<Self, Limit> {
        let successors = |vertex| graph.successors(vertex);
        let components = scc::Components::new(graph.vertices.len(), successors, meter)?;
        let mut marks: Table<SccId, Option<Marks>> = Table::filled(None, components.len());
        for vertex in graph.vertices.ids() {
            let own = components.of(vertex);
            for edge in graph.edges_of(vertex) {
                meter.tick()?;
                let edge = graph.edges[edge];
                if edge.to.is_some_and(|to| components.of(to) == own) {
                    *marks[own].get_or_insert(0) |= edge.marks;
                }
            }
        }
        let accepting = marks.as_slice().iter().position(|&marks| marks == Some(all));
        Ok(Components { components, marks, accepting: accepting.map(SccId::new) })
    }

    /// The component of a vertex. Edges never lead to a component of greater number.
    pub(crate) fn of(&self, vertex: VertexId) -> SccId {
        self.components.of(vertex)
    }

    /// For each component, whether one that has all marks, or one of some vertices, can be reached
    /// from it.
    pub(crate) fn winning(
        &self,
        graph: &Graph,
        all: Marks,
        also: &[VertexId],
        meter: &mut Meter<'_>,
    ) -> Result<Table<SccId, bool>, Limit> {
        let mut wins: Table<SccId, bool> =
            self.marks.as_slice().iter().map(|&marks| marks == Some(all)).collect();
        also.iter().for_each(|&vertex| wins[self.of(vertex)] = true);
        // What is reached from a component comes before it.
        for &vertex in self.components.all_members() {
            for to in graph.successors(vertex) {
                meter.tick()?;
                if wins[self.of(to)] {
                    wins[self.of(vertex)] = true;
                }
            }
        }
        Ok(wins)
    }
}

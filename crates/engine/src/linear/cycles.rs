//! Which parts of an explored graph can be gone round for ever, and whether with all that is asked
//! for.

use super::graph::{EdgeId, Graph, VertexId, Way};
use crate::streett::{Carried, Core, Goal, Kind, Net, Streett};
use fixedbitset::FixedBitSet;
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
    /// Which components can be gone round in the way that is asked for, as far as that was looked
    /// at.
    good: Table<SccId, bool>,
    /// The first good component, if there is one.
    pub(crate) accepting: Option<SccId>,
    /// The pairs of strong fairness, if there are any.
    pub(crate) pairs: Option<Pairs>,
}

/// The pairs of strong fairness that are asked for in a graph.
pub(crate) struct Pairs {
    pub(crate) goal: Goal,
    /// For each edge, the pairs whose premise its own move has.
    pub(crate) premises: Table<EdgeId, Marks>,
}

impl Components {
    /// The components of a graph of which all marks are asked.
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
        let has_all = |marks: &Option<Marks>| marks.is_some_and(|marks| marks & all == all);
        let good: Table<SccId, bool> = marks.as_slice().iter().map(has_all).collect();
        let accepting = good.as_slice().iter().position(|&good| good).map(SccId::new);
        Ok(Components { components, marks, good, accepting, pairs: None })
    }

    /// The components of a graph of which strong fairness is asked. Unless `every` one is to be
    /// looked at, only the first good one is known.
    pub(crate) fn with_pairs(
        graph: &Graph,
        pairs: Pairs,
        every: bool,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let mut found = Components::new(graph, pairs.goal.required, meter)?;
        let net = net(graph, &pairs, meter)?;
        let mut streett = Streett::new(&net, pairs.goal);
        found.accepting = None;
        for component in found.components.ids() {
            if !found.good[component] {
                continue;
            }
            let skipped = found.accepting.is_some() && !every;
            let members = found.components.members(component).to_vec();
            let good = !skipped && streett.core(members, meter)?.is_some();
            found.good[component] = good;
            if good && found.accepting.is_none() {
                found.accepting = Some(component);
            }
        }
        found.pairs = Some(pairs);
        Ok(found)
    }

    /// The component of a vertex. Edges never lead to a component of greater number.
    pub(crate) fn of(&self, vertex: VertexId) -> SccId {
        self.components.of(vertex)
    }

    /// The vertices of a component.
    pub(crate) fn members(&self, component: SccId) -> &[VertexId] {
        self.components.members(component)
    }

    /// Whether a component can be gone round in the way that is asked for.
    pub(crate) fn is_good(&self, component: SccId) -> bool {
        self.good[component]
    }

    /// For each component, whether a good one, or one of some vertices, can be reached from it.
    pub(crate) fn winning(
        &self,
        graph: &Graph,
        also: &[VertexId],
        meter: &mut Meter<'_>,
    ) -> Result<Table<SccId, bool>, Limit> {
        let mut wins = self.good.clone();
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

/// A graph as a net, with its edges in the same order.
pub(super) fn net(
    graph: &Graph,
    pairs: &Pairs,
    meter: &mut Meter<'_>,
) -> Result<Net<VertexId>, Limit> {
    let mut net = Net::new();
    for vertex in graph.vertices.ids() {
        for id in graph.edges_of(vertex) {
            meter.tick()?;
            let edge = graph.edges[id];
            let kind = match (edge.way, edge.to) {
                (Way::Leave(leave), _) => Kind::Leave(leave.index() as u32),
                (Way::Summary { callee, leave, .. }, Some(to)) => {
                    Kind::Through(graph.starts[callee].first, leave.index() as u32, to)
                }
                (Way::Descent(_), Some(to)) => Kind::Descend(to),
                (_, Some(to)) => Kind::Move(to),
                (_, None) => unreachable!("only a leave leads to no vertex"),
            };
            net.add_arc(kind, Carried { marks: edge.own, premises: pairs.premises[id] });
        }
        net.add_place();
    }
    Ok(net)
}

/// The part of a component that can be gone round in a fair way, and the graph without what must
/// be avoided there: its edges carry what runs along them do then.
pub(super) fn within(
    graph: &Graph,
    components: &Components,
    component: SccId,
    meter: &mut Meter<'_>,
) -> Result<Option<(Core<VertexId>, Graph)>, Limit> {
    let Some(pairs) = &components.pairs else { return Ok(None) };
    let net = net(graph, pairs, meter)?;
    let mut streett = Streett::new(&net, pairs.goal);
    let Some(core) = streett.core(components.members(component).to_vec(), meter)? else {
        return Ok(None);
    };
    let contracts = streett.contracts(core.avoided);
    let mut narrow = graph.clone();
    let mut closed = FixedBitSet::with_capacity(graph.edges.len());
    for vertex in graph.vertices.ids() {
        narrow.first_edge[vertex] = None;
        let edges: Vec<_> = graph.edges_of(vertex).zip(net.arcs(vertex)).collect();
        for (id, arc) in edges.into_iter().rev() {
            if let Some(carried) = contracts.carried(&net, arc, meter)? {
                narrow.edges[id].marks = carried.marks;
                narrow.edges[id].next = narrow.first_edge[vertex].replace(id);
            } else {
                closed.insert(id.index());
            }
        }
    }
    let callers = narrow.starts.iter_mut().flat_map(|(_, start)| &mut start.callers);
    for (_, edge) in callers.flat_map(|caller| caller.edges.iter_mut()) {
        meter.tick()?;
        *edge = edge.filter(|edge| !closed.contains(edge.index()));
    }
    Ok(Some((core, narrow)))
}

//! From many marks to one: the marks of a component are waited for one after the other.
//!
//! A state is copied for each *level*, the number of marks that were met since the last time all
//! were. Levels matter inside an accepting component only, so a component is entered at whatever
//! level is best (Babiak, Badie, Duret-Lutz, Křetínský, Strejček 2013): in the copies that reach
//! each other and nothing else, of which one such part is kept. Of several orders of the marks the
//! one with fewest states is taken.

use super::bdd::Bdd;
use super::graph::{Edge, Graph};
use super::marks::Style;
use super::scc::Components;
use rustc_hash::FxHashMap;
use tern_model::automaton::Marks;
use tern_model::index::Table;
use tern_model::scc::SccId;
use tern_model::{Limit, StateId};

/// Up to this many marks all their orders are tried.
const MOST_MARKS_PERMUTED: usize = 3;

/// An automaton with one mark at most, in the given style.
pub(super) fn count_off(graph: &Graph, style: Style, bdd: &mut Bdd<'_>) -> Result<Graph, Limit> {
    let on_states = style == Style::OnStates;
    if graph.mark_count == 0 || graph.mark_count == 1 && !on_states {
        return Ok(graph.clone());
    }
    let components = Components::new(graph, &mut bdd.meter)?;
    let mut best: Option<Graph> = None;
    for order in orders(graph.mark_count) {
        let levels = Levels { graph, components: &components, order, on_states };
        let found = levels.unroll(bdd)?;
        if best.as_ref().is_none_or(|best| found.state_count() < best.state_count()) {
            best = Some(found);
        }
    }
    Ok(best.unwrap_or_else(|| graph.clone()))
}

/// Some orders of the marks: all if they are few, otherwise by number, forward and backward.
fn orders(count: u32) -> Vec<Vec<u32>> {
    let first: Vec<u32> = (0..count).collect();
    if first.len() <= MOST_MARKS_PERMUTED {
        let mut orders = vec![Vec::new()];
        for _ in 0..count {
            let longer = |order: &Vec<u32>| -> Vec<Vec<u32>> {
                let rest = first.iter().filter(|mark| !order.contains(mark));
                rest.map(|&mark| [&order[..], &[mark]].concat()).collect()
            };
            orders = orders.iter().flat_map(longer).collect();
        }
        return orders;
    }
    let backward: Vec<u32> = first.iter().rev().copied().collect();
    vec![first, backward]
}

struct Levels<'a> {
    graph: &'a Graph,
    components: &'a Components,
    order: Vec<u32>,
    on_states: bool,
}

impl Levels<'_> {
    /// The level after marks were met.
    fn advance(&self, level: usize, marks: Marks) -> usize {
        let met = self.order[level..].iter().take_while(|&&mark| marks >> mark & 1 == 1);
        level + met.count()
    }

    /// The marks that all edges of each state carry that stay in its component.
    fn common_marks(&self) -> Table<StateId, Marks> {
        let common = |state| {
            let inner = self.graph.edges[state].iter();
            let inner = inner.filter(|edge| self.components.is_inner(state, edge));
            inner.fold(self.graph.all_marks(), |marks, edge| marks & edge.marks)
        };
        self.graph.edges.ids().map(common).collect()
    }

    /// The level at which an edge arrives, and whether all marks were met with it.
    fn step(
        &self,
        level: usize,
        from: StateId,
        edge: &Edge,
        common: &Table<StateId, Marks>,
    ) -> (bool, usize) {
        let all = self.order.len();
        if !self.components.is_accepting(self.components.of(edge.to)) {
            return (false, 0);
        }
        let inner = self.components.is_inner(from, edge);
        let (begin, marks) = if inner { (level, edge.marks) } else { (0, 0) };
        if self.on_states {
            // Marks that are met by every next step are counted on arrival; if they completed a
            // round then, they do not count for the next one.
            let (begin, marks) =
                if begin == all { (0, marks & !common[from]) } else { (begin, marks) };
            return (false, self.advance(begin, marks | common[edge.to]));
        }
        match self.advance(begin, marks) {
            level if level == all => (true, self.advance(0, marks) % all),
            level => (false, level),
        }
    }

    fn unroll(&self, bdd: &mut Bdd<'_>) -> Result<Graph, Limit> {
        let all = self.order.len();
        let common = self.common_marks();
        let first = self.graph.initial;
        let accepting = self.components.is_accepting(self.components.of(first));
        let begin = if accepting && self.on_states { self.advance(0, common[first]) } else { 0 };
        let (mut unrolled, copies) =
            Graph::unfold(1, (first, begin), |&(state, level), copies| {
                let mut row = Vec::new();
                for edge in &self.graph.edges[state] {
                    bdd.tick()?;
                    let (met, next) = self.step(level, state, edge, &common);
                    let to = copies.id((edge.to, next));
                    let inner = self.components.is_inner(state, edge);
                    let marked = if self.on_states { inner && level == all } else { met };
                    row.push(Edge { to, marks: Marks::from(marked), guard: edge.guard });
                }
                Ok(row)
            })?;
        self.enter_lowest(copies.rows(), &mut unrolled, bdd)?;
        unrolled.reachable(bdd)
    }

    /// Lets every edge that enters a component, and every one that is not on a loop, lead to a copy
    /// in the lowest part of the copies of that component.
    fn enter_lowest(
        &self,
        copies: &Table<StateId, (StateId, usize)>,
        unrolled: &mut Graph,
        bdd: &mut Bdd<'_>,
    ) -> Result<(), Limit> {
        let parts = Components::new(unrolled, &mut bdd.meter)?;
        let component = |copy: StateId| self.components.of(copies[copy].0);
        let leaves = |copy: StateId, edge: &Edge| {
            parts.of(edge.to) != parts.of(copy) && component(edge.to) == component(copy)
        };
        let is_lowest = parts.each(|part| {
            let members = parts.members(part).iter();
            !members.into_iter().any(|&copy| unrolled.edges[copy].iter().any(|it| leaves(copy, it)))
        });
        // For each component the smallest of its lowest parts, and for each state its copy there.
        let size = |part: SccId| (parts.members(part).len(), part);
        let mut chosen: FxHashMap<SccId, SccId> = FxHashMap::default();
        for copy in copies.ids().filter(|&copy| is_lowest[parts.of(copy)]) {
            let best = chosen.entry(component(copy)).or_insert(parts.of(copy));
            if size(parts.of(copy)) < size(*best) {
                *best = parts.of(copy);
            }
        }
        let mut entry: FxHashMap<StateId, StateId> = FxHashMap::default();
        for (copy, &(state, _)) in copies.iter() {
            if chosen[&component(copy)] == parts.of(copy) {
                entry.entry(state).or_insert(copy);
            }
        }
        for (copy, edges) in unrolled.edges.iter_mut() {
            for edge in edges.iter_mut().filter(|edge| component(edge.to) != component(copy)) {
                edge.to = entry[&copies[edge.to].0];
            }
        }
        unrolled.initial = entry[&copies[unrolled.initial].0];
        Ok(())
    }
}

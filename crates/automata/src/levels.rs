//! From many marks to one: the marks of a component are waited for one after the other.
//!
//! A state is copied for each *level*, the number of marks that were met since the last time all were.
//! Levels matter inside an accepting component only, so a component is entered at whatever level is best
//! (Babiak, Badie, Duret-Lutz, Křetínský, Strejček 2013): in the copies that reach each other and nothing
//! else, of which one such part is kept. Of several orders of the marks the one with fewest states is taken.

use super::bdd::Bdd;
use super::graph::{Edge, Graph};
use super::marks::Style;
use super::scc::Components;
use rustc_hash::FxHashMap;
use tern_model::Limit;
use tern_model::automaton::Marks;

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
    fn common_marks(&self) -> Vec<Marks> {
        let common = |state: usize| {
            let inner = self.graph.edges[state].iter();
            let inner = inner.filter(|edge| self.components.is_inner(state, edge));
            inner.fold(self.graph.all_marks(), |marks, edge| marks & edge.marks)
        };
        (0..self.graph.state_count()).map(common).collect()
    }

    /// The level at which an edge arrives, and whether all marks were met with it.
    fn step(&self, level: usize, from: usize, edge: &Edge, common: &[Marks]) -> (bool, usize) {
        let all = self.order.len();
        if !self.components.is_accepting(self.components.of[edge.to]) {
            return (false, 0);
        }
        let inner = self.components.is_inner(from, edge);
        let (begin, marks) = if inner { (level, edge.marks) } else { (0, 0) };
        if self.on_states {
            // Marks that are met by every next step are counted on arrival; if they completed a round
            // then, they do not count for the next one.
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
        let accepting = self.components.is_accepting(self.components.of[first]);
        let begin = if accepting && self.on_states { self.advance(0, common[first]) } else { 0 };
        let mut copies = vec![(first, begin)];
        let mut numbers = FxHashMap::from_iter([(copies[0], 0)]);
        let mut edges: Vec<Vec<Edge>> = Vec::new();
        while let Some(&(state, level)) = copies.get(edges.len()) {
            let mut row = Vec::new();
            for edge in &self.graph.edges[state] {
                bdd.tick()?;
                let (met, next) = self.step(level, state, edge, &common);
                let copy = (edge.to, next);
                let to = *numbers.entry(copy).or_insert_with(|| {
                    copies.push(copy);
                    copies.len() - 1
                });
                let inner = self.components.is_inner(state, edge);
                let marked = if self.on_states { inner && level == all } else { met };
                row.push(Edge { to, marks: Marks::from(marked), guard: edge.guard });
            }
            edges.push(row);
        }
        let mut unrolled = Graph { mark_count: 1, initial: 0, edges };
        self.enter_lowest(&copies, &mut unrolled, bdd)?;
        unrolled.reachable(bdd)
    }

    /// Lets every edge that enters a component, and every one that is not on a loop, lead to a copy in the
    /// lowest part of the copies of that component.
    fn enter_lowest(
        &self,
        copies: &[(usize, usize)],
        unrolled: &mut Graph,
        bdd: &mut Bdd<'_>,
    ) -> Result<(), Limit> {
        let parts = Components::new(unrolled, &mut bdd.meter)?;
        let mut sizes = vec![0_usize; parts.marks.len()];
        let mut is_lowest = vec![true; parts.marks.len()];
        for (copy, edges) in unrolled.edges.iter().enumerate() {
            let part = parts.of[copy];
            sizes[part] += 1;
            let component = self.components.of[copies[copy].0];
            is_lowest[part] &= edges.iter().all(|edge| {
                parts.of[edge.to] == part || self.components.of[copies[edge.to].0] != component
            });
        }
        // For each component the smallest of its lowest parts, and for each state its copy there.
        let mut chosen: FxHashMap<usize, usize> = FxHashMap::default();
        for (copy, &(state, _)) in copies.iter().enumerate() {
            let part = parts.of[copy];
            if is_lowest[part] {
                let best = chosen.entry(self.components.of[state]).or_insert(part);
                if (sizes[part], part) < (sizes[*best], *best) {
                    *best = part;
                }
            }
        }
        let mut entry: FxHashMap<usize, usize> = FxHashMap::default();
        for (copy, &(state, _)) in copies.iter().enumerate() {
            if chosen[&self.components.of[state]] == parts.of[copy] {
                entry.entry(state).or_insert(copy);
            }
        }
        for copy in 0..copies.len() {
            let component = self.components.of[copies[copy].0];
            for edge in &mut unrolled.edges[copy] {
                if self.components.of[copies[edge.to].0] != component {
                    edge.to = entry[&copies[edge.to].0];
                }
            }
        }
        unrolled.initial = entry[&copies[unrolled.initial].0];
        Ok(())
    }
}

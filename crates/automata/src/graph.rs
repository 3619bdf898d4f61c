//! The automaton as the reductions see it: guards are functions, states are numbers.
//!
//! One state is the initial one. Edges of a state differ in target or marks, and no guard is false.

use super::bdd::{Bdd, NEVER, Ref};
use std::collections::BTreeMap;
use tern_model::automaton::{Automaton, Marks, Transition, all_marks};
use tern_model::index::{Id, Table};
use tern_model::{FormulaId, Limit, StateId};

/// One way on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Edge {
    pub(super) to: usize,
    pub(super) marks: Marks,
    pub(super) guard: Ref,
}

/// An automaton over the variables of a [`Bdd`].
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub(super) mark_count: u32,
    pub(super) initial: usize,
    pub(super) edges: Vec<Vec<Edge>>,
}

impl Graph {
    pub(super) fn state_count(&self) -> usize {
        self.edges.len()
    }

    pub(super) fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    pub(super) fn all_marks(&self) -> Marks {
        all_marks(self.mark_count)
    }

    /// The automaton that accepts nothing: one state, no way on.
    pub(super) fn nothing() -> Graph {
        Graph { mark_count: 0, initial: 0, edges: vec![Vec::new()] }
    }

    /// Joins edges of equal target and marks, and drops those that are never open.
    pub(super) fn tidy(&mut self, bdd: &mut Bdd<'_>) -> Result<(), Limit> {
        for edges in &mut self.edges {
            let mut guards: BTreeMap<(usize, Marks), Ref> = BTreeMap::new();
            for edge in edges.drain(..) {
                bdd.tick()?;
                let guard = guards.entry((edge.to, edge.marks)).or_insert(NEVER);
                *guard = bdd.or(*guard, edge.guard)?;
            }
            let joined = guards.into_iter().map(|((to, marks), guard)| Edge { to, marks, guard });
            edges.extend(joined.filter(|edge| edge.guard != NEVER));
        }
        Ok(())
    }

    /// Keeps the states that can be reached, numbered in the order of a breadth-first search.
    pub(super) fn reachable(&self, bdd: &mut Bdd<'_>) -> Result<Graph, Limit> {
        let mut numbers: Vec<Option<usize>> = vec![None; self.edges.len()];
        numbers[self.initial] = Some(0);
        let mut order = vec![self.initial];
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            next += 1;
            for edge in &self.edges[state] {
                bdd.tick()?;
                if numbers[edge.to].is_none() {
                    numbers[edge.to] = Some(order.len());
                    order.push(edge.to);
                }
            }
        }
        let renumber = |edge: &Edge| Edge {
            to: numbers[edge.to].expect("the targets of reached states are reached"),
            ..*edge
        };
        let edges = order.iter().map(|&q| self.edges[q].iter().map(renumber).collect()).collect();
        let mut graph = Graph { mark_count: self.mark_count, initial: 0, edges };
        graph.tidy(bdd)?;
        Ok(graph)
    }

    /// The automaton with its guards as cubes.
    pub(super) fn to_automaton(
        &self,
        bdd: &mut Bdd<'_>,
        propositions: Vec<FormulaId>,
    ) -> Result<Automaton, Limit> {
        let mut transitions: Table<StateId, Vec<Transition>> = Table::new();
        for edges in &self.edges {
            let mut row = Vec::with_capacity(edges.len());
            for edge in edges {
                let guard = bdd.cubes(edge.guard)?;
                row.push(Transition { guard, marks: edge.marks, to: StateId::new(edge.to) });
            }
            transitions.push(row);
        }
        let initial = vec![StateId::new(self.initial)];
        Ok(Automaton { propositions, mark_count: self.mark_count, initial, transitions })
    }

    /// The graph of an automaton. Several initial states are joined by a new one in front of them.
    pub(super) fn of_automaton(automaton: &Automaton, bdd: &mut Bdd<'_>) -> Result<Graph, Limit> {
        let mut edges: Vec<Vec<Edge>> = Vec::new();
        for row in automaton.transitions.as_slice() {
            let mut list = Vec::with_capacity(row.len());
            for way in row {
                let mut guard = NEVER;
                for cube in &way.guard {
                    let cube = bdd.cube(cube);
                    guard = bdd.or(guard, cube)?;
                }
                list.push(Edge { to: way.to.index(), marks: way.marks, guard });
            }
            edges.push(list);
        }
        let initial = match automaton.initial[..] {
            [state] => state.index(),
            _ => {
                let ways = automaton.initial.iter().flat_map(|&q| edges[q.index()].clone());
                let ways = ways.collect();
                edges.push(ways);
                edges.len() - 1
            }
        };
        let mut graph = Graph { mark_count: automaton.mark_count, initial, edges };
        graph.tidy(bdd)?;
        Ok(graph)
    }
}

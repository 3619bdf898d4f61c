//! The automaton as the reductions see it: guards are functions.
//!
//! One state is the initial one. Edges of a state differ in target or marks, and no guard is false.

use super::bdd::{Bdd, NEVER, Ref};
use std::collections::BTreeMap;
use std::hash::Hash;
use tern_model::automaton::{Automaton, Marks, Transition, all_marks};
use tern_model::index::{Numbering, Table};
use tern_model::{FormulaId, Limit, StateId};

/// What the states of an automaton stand for, numbered as they are found.
pub(super) type States<T> = Numbering<StateId, T>;

/// One way on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Edge {
    pub(super) to: StateId,
    pub(super) marks: Marks,
    pub(super) guard: Ref,
}

/// An automaton over the variables of a [`Bdd`].
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub(super) mark_count: u32,
    pub(super) initial: StateId,
    pub(super) edges: Table<StateId, Vec<Edge>>,
}

impl Graph {
    pub(super) fn state_count(&self) -> usize {
        self.edges.len()
    }

    pub(super) fn edge_count(&self) -> usize {
        self.edges.as_slice().iter().map(Vec::len).sum()
    }

    pub(super) fn all_marks(&self) -> Marks {
        all_marks(self.mark_count)
    }

    /// The automaton that accepts nothing: one state, no way on.
    pub(super) fn nothing() -> Graph {
        let mut edges = Table::new();
        let initial = edges.push(Vec::new());
        Graph { mark_count: 0, initial, edges }
    }

    /// An automaton whose states are made when an edge leads to them. `edges` says those of a
    /// state, and numbers the states that they lead to; the first that is numbered is the initial
    /// one.
    pub(super) fn unfold<T: Clone + Eq + Hash>(
        mark_count: u32,
        first: T,
        mut edges: impl FnMut(&T, &mut States<T>) -> Result<Vec<Edge>, Limit>,
    ) -> Result<(Graph, States<T>), Limit> {
        let mut states = States::default();
        let initial = states.id(first);
        let mut graph = Graph { mark_count, initial, edges: Table::new() };
        while let Some(state) = states.rows().get(graph.edges.next_id()) {
            let state = state.clone();
            graph.edges.push(edges(&state, &mut states)?);
        }
        Ok((graph, states))
    }

    /// Joins edges of equal target and marks, and drops those that are never open.
    pub(super) fn tidy(&mut self, bdd: &mut Bdd<'_>) -> Result<(), Limit> {
        for (_, edges) in self.edges.iter_mut() {
            let mut guards: BTreeMap<(StateId, Marks), Ref> = BTreeMap::new();
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
        let (mut graph, _) = Graph::unfold(self.mark_count, self.initial, |&state, states| {
            let edges = self.edges[state].iter().map(|edge| {
                bdd.tick()?;
                Ok(Edge { to: states.id(edge.to), ..*edge })
            });
            edges.collect()
        })?;
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
        for edges in self.edges.as_slice() {
            let mut row = Vec::with_capacity(edges.len());
            for edge in edges {
                let guard = bdd.cubes(edge.guard)?;
                row.push(Transition { guard, marks: edge.marks, to: edge.to });
            }
            transitions.push(row);
        }
        let initial = vec![self.initial];
        Ok(Automaton { propositions, mark_count: self.mark_count, initial, transitions })
    }

    /// The graph of an automaton. Several initial states are joined by a new one in front of them.
    pub(super) fn of_automaton(automaton: &Automaton, bdd: &mut Bdd<'_>) -> Result<Graph, Limit> {
        let mut edges: Table<StateId, Vec<Edge>> = Table::new();
        for row in automaton.transitions.as_slice() {
            let mut list = Vec::with_capacity(row.len());
            for way in row {
                let mut guard = NEVER;
                for cube in &way.guard {
                    let cube = bdd.cube(cube);
                    guard = bdd.or(guard, cube)?;
                }
                list.push(Edge { to: way.to, marks: way.marks, guard });
            }
            edges.push(list);
        }
        let initial = match automaton.initial[..] {
            [state] => state,
            _ => {
                let ways = automaton.initial.iter().flat_map(|&q| edges[q].clone());
                let ways = ways.collect();
                edges.push(ways)
            }
        };
        let mut graph = Graph { mark_count: automaton.mark_count, initial, edges };
        graph.tidy(bdd)?;
        Ok(graph)
    }
}

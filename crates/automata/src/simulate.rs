//! Makes automata smaller by direct simulation, forward and backward.
//!
//! A state *simulates* another if it can follow each of its steps with at least the same marks, and
//! be again in a state that simulates. States that simulate each other are one; a step is left out
//! where another does at least as well. (Etessami and Holzmann 2000; Clemente and Mayr 2013 for the
//! pruning.)
//!
//! Some marks do not matter, such as those of an edge that is taken once at most. Without them it
//! is easily followed, with them it follows easily; either may be the better choice, so both are
//! tried, one after the other. (Letting each comparison choose would be unsound: the relation is
//! not transitive.)

use super::bdd::{Bdd, NEVER};
use super::graph::{Edge, Graph};
use super::marks::{Marking, Style, with_marks};
use super::scc::Components;
use fixedbitset::FixedBitSet;
use tern_model::index::Table;
use tern_model::{Id, Limit, StateId};

/// The most comparisons of edges in one round; larger automata are not compared.
const MOST_COMPARISONS: usize = 500_000;

/// Larger automata are not searched for states to drop, each of which costs a simulation.
const MOST_STATES_DROPPED: usize = 40;

/// `at[q]` are the states that simulate `q`.
struct Simulation {
    at: Table<StateId, FixedBitSet>,
}

impl Simulation {
    fn holds(&self, small: StateId, large: StateId) -> bool {
        self.at[small].contains(large.index())
    }

    fn equal(&self, p: StateId, q: StateId) -> bool {
        self.holds(p, q) && self.holds(q, p)
    }
}

/// The largest simulation among states whose steps are `edges`, within the pairs that `may` allows.
fn simulation(
    edges: &Table<StateId, Vec<Edge>>,
    may: impl Fn(StateId, StateId) -> bool,
    bdd: &mut Bdd<'_>,
) -> Result<Option<Simulation>, Limit> {
    let count = edges.len();
    let size: usize = edges.as_slice().iter().map(Vec::len).sum();
    if size.saturating_mul(size).max(count * count) > MOST_COMPARISONS {
        return Ok(None);
    }
    let mut open = Table::filled(NEVER, count);
    for (state, edges) in edges.iter() {
        for edge in edges {
            open[state] = bdd.or(open[state], edge.guard)?;
        }
    }
    let mut simulation = Simulation { at: Table::filled(FixedBitSet::with_capacity(count), count) };
    for small in edges.ids() {
        for large in edges.ids() {
            let possible = may(small, large) && bdd.implies(open[small], open[large])?;
            simulation.at[small].set(large.index(), possible);
        }
    }
    // Only states with a step to one that has lost a follower can lose one themselves.
    let mut lost: Table<StateId, bool> = Table::filled(true, count);
    while lost.as_slice().contains(&true) {
        let before = std::mem::replace(&mut lost, Table::filled(false, count));
        for small in edges.ids() {
            if !edges[small].iter().any(|edge| before[edge.to] || lost[edge.to]) {
                continue;
            }
            for large in edges.ids() {
                if small != large
                    && simulation.holds(small, large)
                    && !follows(&edges[small], &edges[large], &simulation, bdd)?
                {
                    simulation.at[small].set(large.index(), false);
                    lost[small] = true;
                }
            }
        }
    }
    Ok(Some(simulation))
}

/// Whether each step of the first can be followed by the second.
fn follows(
    small: &[Edge],
    large: &[Edge],
    simulation: &Simulation,
    bdd: &mut Bdd<'_>,
) -> Result<bool, Limit> {
    for step in small {
        let mut left = step.guard;
        for other in large {
            bdd.tick()?;
            if step.marks & !other.marks == 0 && simulation.holds(step.to, other.to) {
                left = bdd.without(left, other.guard)?;
                if left == NEVER {
                    break;
                }
            }
        }
        if left != NEVER {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The automaton without states and edges that forward simulation makes superfluous.
pub(super) fn reduce_forward(
    graph: &Graph,
    style: Style,
    marking: Marking,
    bdd: &mut Bdd<'_>,
) -> Result<Graph, Limit> {
    let graph = with_marks(graph, style, marking, bdd)?;
    let Some(simulation) = simulation(&graph.edges, |_, _| true, bdd)? else { return Ok(graph) };
    let (mut reduced, representative) = classes(&graph, &simulation);
    for state in graph.edges.ids().filter(|&state| representative[state] == state) {
        for edge in &graph.edges[state] {
            let to = representative[edge.to];
            let mut guard = edge.guard;
            for other in &graph.edges[state] {
                bdd.tick()?;
                let better = edge.marks & !other.marks == 0 && simulation.holds(edge.to, other.to);
                let equal = edge.marks == other.marks && representative[other.to] == to;
                if better && !equal {
                    guard = bdd.without(guard, other.guard)?;
                }
            }
            reduced.edges[state].push(Edge { to, guard, ..*edge });
        }
    }
    reduced.tidy(bdd)?;
    reduced.reachable(bdd)
}

/// An automaton without edges, and for each state the one that stands for its class.
fn classes(graph: &Graph, simulation: &Simulation) -> (Graph, Table<StateId, StateId>) {
    let first = |state| graph.edges.ids().find(|&other| simulation.equal(state, other));
    let representative: Table<StateId, StateId> =
        graph.edges.ids().map(|state| first(state).unwrap_or(state)).collect();
    let initial = representative[graph.initial];
    let edges = Table::filled(Vec::new(), graph.state_count());
    (Graph { mark_count: graph.mark_count, initial, edges }, representative)
}

/// The automaton without states and edges that backward simulation makes superfluous.
pub(super) fn reduce_backward(
    graph: &Graph,
    style: Style,
    marking: Marking,
    bdd: &mut Bdd<'_>,
) -> Result<Graph, Limit> {
    let graph = with_marks(graph, style, marking, bdd)?;
    let mut reversed: Table<StateId, Vec<Edge>> = Table::filled(Vec::new(), graph.state_count());
    for (state, edges) in graph.edges.iter() {
        for edge in edges {
            reversed[edge.to].push(Edge { to: state, ..*edge });
        }
    }
    // States that are joined keep all their edges, so with marks on states these must agree.
    let marks = |state: StateId| graph.edges[state].first().map_or(0, |edge| edge.marks);
    let may = |small: StateId, large: StateId| {
        (small != graph.initial || large == graph.initial)
            && (style == Style::OnEdges || marks(small) & !marks(large) == 0)
    };
    let Some(simulation) = simulation(&reversed, may, bdd)? else { return Ok(graph) };
    let (mut reduced, representative) = classes(&graph, &simulation);
    for (state, edges) in graph.edges.iter() {
        for edge in edges {
            let mut guard = edge.guard;
            for other in &reversed[edge.to] {
                bdd.tick()?;
                let better = edge.marks & !other.marks == 0 && simulation.holds(state, other.to);
                let equal = edge.marks == other.marks && simulation.holds(other.to, state);
                if better && !equal {
                    guard = bdd.without(guard, other.guard)?;
                }
            }
            let (from, to) = (representative[state], representative[edge.to]);
            reduced.edges[from].push(Edge { to, guard, ..*edge });
        }
    }
    reduced.tidy(bdd)?;
    reduced.reachable(bdd)
}

/// The automaton without states that are passed once at most and whose role others can take:
/// wherever an edge leads to such a state, another of the same source leads to one that simulates
/// it without its help. Marks on the edge do not matter, because it is taken once.
pub(super) fn drop_passed(graph: &Graph, bdd: &mut Bdd<'_>) -> Result<Graph, Limit> {
    if graph.state_count() > MOST_STATES_DROPPED {
        return Ok(graph.clone());
    }
    let components = Components::new(graph, &mut bdd.meter)?;
    let passed = |&state: &StateId| !components.has_loop(components.of(state));
    for state in graph.edges.ids().filter(passed).filter(|&state| state != graph.initial) {
        let mut without = graph.clone();
        without.edges.iter_mut().for_each(|(_, edges)| edges.retain(|edge| edge.to != state));
        let marked = with_marks(&without, Style::OnEdges, Marking::Leaving, bdd)?;
        let Some(simulation) = simulation(&marked.edges, |_, _| true, bdd)? else { continue };
        let mut covered = true;
        for (from, edges) in graph.edges.iter() {
            for edge in edges.iter().filter(|edge| edge.to == state) {
                let mut left = edge.guard;
                for other in &without.edges[from] {
                    if simulation.holds(state, other.to) {
                        left = bdd.without(left, other.guard)?;
                    }
                }
                covered &= left == NEVER;
            }
        }
        if covered {
            return without.reachable(bdd);
        }
    }
    Ok(graph.clone())
}

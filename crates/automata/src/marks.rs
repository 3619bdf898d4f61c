//! Where marks may stand without a change of the language.
//!
//! A run that carries a mark only finitely often ends on loops without it. So an edge that is on no
//! such loop may have the mark or not, as long as every other loop keeps it somewhere.

use super::bdd::Bdd;
use super::graph::{Edge, Graph};
use super::scc::Components;
use tern_model::automaton::Marks;
use tern_model::index::Table;
use tern_model::{Limit, StateId};

/// Where the marks of an automaton stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// On edges.
    OnEdges,
    /// On all edges of a state that stay in its component, or on none.
    OnStates,
}

/// Which of the marks that change nothing are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marking {
    /// None on edges that leave their component, as far as the style allows; others as they are.
    Few,
    /// All on edges that leave their component, as far as the style allows; others as they are.
    Leaving,
    /// On all edges that are on no loop without them.
    Many,
}

/// The same automaton with other marks that mean the same.
pub(super) fn with_marks(
    graph: &Graph,
    style: Style,
    marking: Marking,
    bdd: &mut Bdd<'_>,
) -> Result<Graph, Limit> {
    let components = Components::new(graph, &mut bdd.meter)?;
    let mut graph = graph.clone();
    let free = if marking == Marking::Few { 0 } else { graph.all_marks() };
    for (state, edges) in graph.edges.iter_mut() {
        let inner = edges.iter().find(|edge| components.is_inner(state, edge));
        let marks = match style {
            Style::OnStates => inner.map_or(free, |edge| edge.marks),
            Style::OnEdges => free,
        };
        for edge in edges.iter_mut().filter(|edge| !components.is_inner(state, edge)) {
            edge.marks = marks;
        }
    }
    if marking == Marking::Many {
        add_marks(&mut graph, style, bdd)?;
    }
    Ok(graph)
}

/// Marks all edges that are on no loop without the mark.
fn add_marks(graph: &mut Graph, style: Style, bdd: &mut Bdd<'_>) -> Result<(), Limit> {
    for mark in 0..graph.mark_count {
        let lacks = |edge: &Edge| edge.marks >> mark & 1 == 0;
        let loops = loops_without(graph, mark, bdd)?;
        for (state, edges) in graph.edges.iter_mut() {
            let needed = |edge: &Edge| lacks(edge) && loops.is_inner(state, edge);
            let all_free = !edges.iter().any(needed);
            for edge in edges.iter_mut() {
                let free = if style == Style::OnStates { all_free } else { !needed(edge) };
                edge.marks |= Marks::from(free) << mark;
            }
        }
    }
    Ok(())
}

/// The components of the automaton without the edges that carry a mark.
fn loops_without(graph: &Graph, mark: u32, bdd: &mut Bdd<'_>) -> Result<Components, Limit> {
    let mut without = graph.clone();
    let lacks = |edge: &Edge| edge.marks >> mark & 1 == 0;
    without.edges.iter_mut().for_each(|(_, edges)| edges.retain(lacks));
    Components::new(&without, &mut bdd.meter)
}

/// The same automaton with marks on states as far as possible: those that are on no loop without a
/// mark have it on all edges; other edges only if they would close a loop through other states.
pub(super) fn with_marks_on_states(graph: &Graph, bdd: &mut Bdd<'_>) -> Result<Graph, Limit> {
    let components = Components::new(graph, &mut bdd.meter)?;
    let mut marked = graph.clone();
    for mark in 0..graph.mark_count {
        let loops = loops_without(graph, mark, bdd)?;
        let is_free =
            |from: StateId, edge: &Edge| edge.marks >> mark & 1 == 1 || !loops.is_inner(from, edge);
        let on_loop = |state| graph.edges[state].iter().any(|edge| !is_free(state, edge));
        let on_loop: Table<StateId, bool> = graph.edges.ids().map(on_loop).collect();
        let mut between = graph.clone();
        for (state, edges) in between.edges.iter_mut() {
            edges.retain(|edge| on_loop[state] && on_loop[edge.to]);
        }
        let between = Components::new(&between, &mut bdd.meter)?;
        // Of the edges that close loops between such states, those in one direction are enough.
        let closes = |from: StateId, edge: &Edge| {
            on_loop[edge.to]
                && between.is_inner(from, edge)
                && is_free(from, edge)
                && loops.of(from) <= loops.of(edge.to)
        };
        for (state, edges) in marked.edges.iter_mut() {
            for edge in edges.iter_mut() {
                let needed = components.is_inner(state, edge)
                    && components.is_accepting(components.of(state))
                    && (!on_loop[state] || closes(state, edge));
                edge.marks = edge.marks & !(1 << mark) | Marks::from(needed) << mark;
            }
        }
    }
    Ok(marked)
}

//! Which vertices are good, with their distances, and the levels of the others.
//!
//! Components of the graph come after those they lead to. The level of a bad one is the least that
//! is not below those of its successors, belongs to a promise that no move inside the component
//! keeps, and is left by moves that do keep it.

use super::super::accept::MarkedGraph;
use super::explore::{Explored, VertexId};
use std::collections::VecDeque;
use tern_model::Limit;
use tern_model::automaton::{Marks, all_marks};
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::scc::{Components, SccId};
use tern_model::star_evidence::Standing;

/// The standing of each vertex.
pub(super) fn find(
    explored: &Explored,
    promises: u32,
    meter: &mut Meter<'_>,
) -> Result<Table<VertexId, Standing>, Limit> {
    let mut graph = MarkedGraph::new();
    for moves in explored.inner.as_slice() {
        meter.tick()?;
        graph.add(moves.iter().map(|onward| (onward.to, onward.marks)));
    }
    let levels = levels(&graph, explored.vertices.len(), promises, meter)?;
    let distances = distances(&graph, &levels, promises, meter)?;
    let standing = levels.into_iter().zip(distances);
    let standing = standing.map(|(level, distances)| match level {
        None => Standing::Good(distances),
        Some(level) => Standing::Bad(level),
    });
    Ok(standing.collect())
}

/// The level of each vertex; `None` if it is good.
fn levels(
    graph: &MarkedGraph<VertexId>,
    count: usize,
    promises: u32,
    meter: &mut Meter<'_>,
) -> Result<Table<VertexId, Option<u32>>, Limit> {
    let mut levels: Table<VertexId, Option<u32>> = Table::filled(None, count);
    let components = graph.components(meter)?;
    for component in components.ids() {
        let level = level(graph, &components, component, &levels, promises, meter)?;
        for &vertex in components.members(component) {
            levels[vertex] = level;
        }
    }
    Ok(levels)
}

/// The level of a component, if it is bad, where those are known that it leads to.
fn level(
    graph: &MarkedGraph<VertexId>,
    components: &Components<VertexId>,
    component: SccId,
    levels: &Table<VertexId, Option<u32>>,
    promises: u32,
    meter: &mut Meter<'_>,
) -> Result<Option<u32>, Limit> {
    let all = all_marks(promises);
    let (mut cyclic, mut good, mut marks) = (false, false, 0);
    // The highest level that is led to, and the marks of moves there.
    let mut highest: Option<(u32, Marks)> = None;
    for &vertex in components.members(component) {
        for &(to, of_move) in graph.edges(vertex) {
            meter.tick()?;
            if components.of(to) == component {
                cyclic = true;
                marks |= of_move;
                continue;
            }
            match (levels[to], &mut highest) {
                (None, _) => good = true,
                (Some(level), Some((most, marks))) if *most == level => *marks |= of_move,
                (Some(level), Some((most, _))) if *most > level => {}
                (Some(level), highest) => *highest = Some((level, of_move)),
            }
        }
    }
    if good || cyclic && marks & all == all {
        return Ok(None);
    }
    let fits = |&level: &u32| {
        let promise = level.checked_rem(promises);
        let may_stay = |marks: Marks| promise.is_some_and(|it| marks >> it & 1 == 0);
        let leaves = highest.is_none_or(|(most, marks)| level > most || may_stay(marks));
        leaves && (!cyclic || may_stay(marks))
    };
    let least = highest.map_or(0, |(most, _)| most);
    let level = (least..=least + promises.max(1)).find(fits);
    Ok(Some(level.expect("some promise is not kept, and each has its turn")))
}

/// For each good vertex and each promise, how many moves there are to one that keeps it.
fn distances(
    graph: &MarkedGraph<VertexId>,
    levels: &Table<VertexId, Option<u32>>,
    promises: u32,
    meter: &mut Meter<'_>,
) -> Result<Table<VertexId, Vec<u32>>, Limit> {
    let good = |vertex: VertexId| levels[vertex].is_none();
    let mut before: Table<VertexId, Vec<VertexId>> = Table::filled(Vec::new(), levels.len());
    for vertex in levels.ids().filter(|&vertex| good(vertex)) {
        for &(to, _) in graph.edges(vertex).iter().filter(|&&(to, _)| good(to)) {
            meter.tick()?;
            before[to].push(vertex);
        }
    }
    let mut distances: Table<VertexId, Vec<u32>> = Table::filled(Vec::new(), levels.len());
    for promise in 0..promises {
        let mut queue: VecDeque<(VertexId, u32)> = VecDeque::new();
        for vertex in levels.ids().filter(|&vertex| good(vertex)) {
            meter.tick()?;
            let keeps = |&(to, marks): &(VertexId, Marks)| marks >> promise & 1 == 1 && good(to);
            if graph.edges(vertex).iter().any(keeps) {
                queue.push_back((vertex, 0));
            }
        }
        while let Some((vertex, distance)) = queue.pop_front() {
            meter.tick()?;
            if distances[vertex].len() == promise as usize {
                distances[vertex].push(distance);
                queue.extend(before[vertex].iter().map(|&other| (other, distance + 1)));
            }
        }
    }
    Ok(distances)
}

//! Which vertices are good, with their distances, and the levels of the others.
//!
//! Components of the graph come after those they lead to. The level of a bad one is the least that is not below those
//! of its successors, belongs to a promise that no move inside the component keeps, and is left by
//! moves that do keep it.

use super::super::accept::{Graph, components};
use super::explore::Explored;
use std::collections::VecDeque;
use tern_model::Limit;
use tern_model::automaton::all_marks;
use tern_model::budget::Meter;
use tern_model::star_evidence::Standing;

/// The standing of each vertex.
pub(super) fn find(
    explored: &Explored,
    promises: u32,
    meter: &mut Meter<'_>,
) -> Result<Vec<Standing>, Limit> {
    let mut graph = Graph { edges: Vec::new(), start: vec![0] };
    for moves in &explored.inner {
        meter.tick()?;
        graph.edges.extend(moves.iter().map(|onward| (onward.to, onward.marks)));
        graph.start.push(graph.edges.len());
    }
    let all = all_marks(promises);
    let count = explored.vertices.len();
    let mut component_of = vec![u32::MAX; count];
    // For each vertex of a component that was found, its level; `None` if it is good.
    let mut levels: Vec<Option<u32>> = vec![None; count];
    let mut found = 0;
    components(&graph, meter, |members, meter| {
        for &vertex in members {
            component_of[vertex as usize] = found;
        }
        let (mut cyclic, mut good, mut marks) = (false, false, 0);
        // The highest level that is led to, and the marks of moves there.
        let mut highest: Option<(u32, u64)> = None;
        for &vertex in members {
            for &(to, of_move) in graph.edges(vertex) {
                meter.tick()?;
                if component_of[to as usize] == found {
                    cyclic = true;
                    marks |= of_move;
                    continue;
                }
                match (levels[to as usize], &mut highest) {
                    (None, _) => good = true,
                    (Some(level), Some((most, marks))) if *most == level => *marks |= of_move,
                    (Some(level), Some((most, _))) if *most > level => {}
                    (Some(level), highest) => *highest = Some((level, of_move)),
                }
            }
        }
        if !(good || cyclic && marks & all == all) {
            let fits = |&level: &u32| {
                let promise = level.checked_rem(promises);
                let may_stay = |marks: u64| promise.is_some_and(|it| marks >> it & 1 == 0);
                let leaves = highest.is_none_or(|(most, marks)| level > most || may_stay(marks));
                leaves && (!cyclic || may_stay(marks))
            };
            let least = highest.map_or(0, |(most, _)| most);
            let level = (least..=least + promises.max(1)).find(fits);
            let level = level.expect("some promise is not kept, and each has its turn");
            for &vertex in members {
                levels[vertex as usize] = Some(level);
            }
        }
        found += 1;
        Ok(())
    })?;
    let mut distances = vec![Vec::new(); count];
    let good = |vertex: u32| levels[vertex as usize].is_none();
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); count];
    for vertex in (0..count as u32).filter(|&vertex| good(vertex)) {
        for &(to, _) in graph.edges(vertex).iter().filter(|&&(to, _)| good(to)) {
            meter.tick()?;
            before[to as usize].push(vertex);
        }
    }
    for promise in 0..promises {
        let mut queue: VecDeque<(u32, u32)> = VecDeque::new();
        for vertex in (0..count as u32).filter(|&vertex| good(vertex)) {
            meter.tick()?;
            let keeps = |&(to, marks): &(u32, u64)| marks >> promise & 1 == 1 && good(to);
            if graph.edges(vertex).iter().any(keeps) {
                queue.push_back((vertex, 0));
            }
        }
        while let Some((vertex, distance)) = queue.pop_front() {
            meter.tick()?;
            if distances[vertex as usize].len() == promise as usize {
                distances[vertex as usize].push(distance);
                queue.extend(before[vertex as usize].iter().map(|&other| (other, distance + 1)));
            }
        }
    }
    let standing = levels.into_iter().zip(distances);
    let standing = standing.map(|(level, distances)| match level {
        None => Standing::Good(distances),
        Some(level) => Standing::Bad(level),
    });
    Ok(standing.collect())
}

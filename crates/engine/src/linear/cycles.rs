//! Which parts of an explored graph can be gone round for ever, and whether with all marks.

use super::graph::{Graph, NONE, Way};
use tern_model::Limit;
use tern_model::automaton::Marks;
use tern_model::budget::Meter;

/// The strongly connected components of a graph, numbered so that edges never lead to a greater number.
pub(crate) struct Components {
    /// The component of each vertex.
    pub(crate) of: Vec<u32>,
    /// For each component, the marks on edges inside it; `None` if there are no such edges.
    pub(crate) marks: Vec<Option<Marks>>,
    /// A component that has all marks, if there is one.
    pub(crate) accepting: Option<u32>,
}

/// Finds the components, by Tarjan's algorithm with its own stack.
pub(crate) fn find(graph: &Graph, all: Marks, meter: &mut Meter<'_>) -> Result<Components, Limit> {
    let count = graph.vertices.len();
    let mut of = vec![NONE; count];
    // The order of discovery, and the earliest vertex on the stack that is reached; 0 for "not yet".
    let mut low = vec![0u32; count];
    let mut path: Vec<(u32, u32, u32)> = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    let (mut clock, mut components) = (0u32, 0u32);
    for root in 0..count as u32 {
        if low[root as usize] != 0 {
            continue;
        }
        clock += 1;
        low[root as usize] = clock;
        open.push(root);
        path.push((root, graph.first_edge[root as usize], clock));
        while let Some((vertex, next, discovered)) = path.pop() {
            meter.tick()?;
            if next != NONE {
                let edge = graph.edge(next);
                path.push((vertex, edge.next, discovered));
                if matches!(edge.way, Way::Leave(_)) {
                    continue;
                }
                let to = edge.to as usize;
                if low[to] == 0 {
                    clock += 1;
                    low[to] = clock;
                    open.push(edge.to);
                    path.push((edge.to, graph.first_edge[to], clock));
                } else if of[to] == NONE {
                    low[vertex as usize] = low[vertex as usize].min(low[to]);
                }
                continue;
            }
            if low[vertex as usize] == discovered {
                while let Some(member) = open.pop() {
                    of[member as usize] = components;
                    if member == vertex {
                        break;
                    }
                }
                components += 1;
            }
            if let Some(&(parent, ..)) = path.last() {
                low[parent as usize] = low[parent as usize].min(low[vertex as usize]);
            }
        }
    }
    let mut marks: Vec<Option<Marks>> = vec![None; components as usize];
    for vertex in 0..count as u32 {
        for edge in graph.edges_of(vertex) {
            meter.tick()?;
            let edge = graph.edge(edge);
            let own = of[vertex as usize];
            if !matches!(edge.way, Way::Leave(_)) && of[edge.to as usize] == own {
                *marks[own as usize].get_or_insert(0) |= edge.marks;
            }
        }
    }
    let accepting = marks.iter().position(|&marks| marks == Some(all)).map(|found| found as u32);
    Ok(Components { of, marks, accepting })
}

impl Components {
    /// For each component, whether one that has all marks can be reached from it.
    pub(crate) fn winning(
        &self,
        graph: &Graph,
        all: Marks,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<bool>, Limit> {
        let mut wins: Vec<bool> = self.marks.iter().map(|&marks| marks == Some(all)).collect();
        // Edges do not lead to components of greater number.
        let mut order: Vec<u32> = (0..graph.vertices.len() as u32).collect();
        order.sort_by_key(|&vertex| self.of[vertex as usize]);
        for vertex in order {
            for edge in graph.edges_of(vertex) {
                meter.tick()?;
                let to = graph.edge(edge).to;
                if to != NONE && wins[self.of[to as usize] as usize] {
                    wins[self.of[vertex as usize] as usize] = true;
                }
            }
        }
        Ok(wins)
    }
}

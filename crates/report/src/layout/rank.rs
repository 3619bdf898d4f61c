//! Rows: one more than the lowest row that leads here, once the edges that close a cycle are
//! turned round.
//!
//! A search in depth from the roots finds the edges to nodes that are still open: these close a
//! cycle. In the order in which nodes are finished, last first, all others lead on.

use super::Graph;
use tern_model::Limit;
use tern_model::budget::Meter;
use tern_model::index::Lists;
use tern_model::{Id, NodeId};

/// The rows of nodes.
pub(super) struct Ranking {
    pub(super) rows: Vec<usize>,
    /// The nodes in the order in which the search came to them.
    pub(super) visited: Vec<usize>,
}

/// Finds the rows of all nodes.
pub(super) fn rank(graph: &Graph, meter: &mut Meter<'_>) -> Result<Ranking, Limit> {
    let count = graph.sizes.len();
    let edges = graph.edges.iter().filter(|(from, to)| from != to);
    let pairs: Vec<(NodeId, usize)> = edges.map(|&(from, to)| (NodeId::new(from), to)).collect();
    let next = Lists::group(count, &pairs);
    let search = Search::run(graph, &next, meter)?;
    let mut rows: Vec<usize> = vec![0; count];
    let mut leads_here = vec![false; count];
    for &node in search.finished.iter().rev() {
        for &to in next.of(NodeId::new(node)) {
            meter.tick()?;
            // An edge back to an open node, which is finished later, is turned round.
            let (upper, lower) = match search.position[node] > search.position[to] {
                true => (node, to),
                false => (to, node),
            };
            if upper == node {
                rows[lower] = rows[lower].max(rows[upper] + 1);
                leads_here[lower] = true;
            }
        }
    }
    // What nothing leads to stands just above what it leads to.
    let is_root = {
        let mut is_root = vec![false; count];
        graph.roots.iter().for_each(|&root| is_root[root] = true);
        is_root
    };
    for &node in &search.finished {
        if leads_here[node] || is_root[node] {
            continue;
        }
        let onward = next.of(NodeId::new(node)).iter();
        let below = onward.filter(|&&to| search.position[node] > search.position[to]);
        if let Some(lowest) = below.map(|&to| rows[to]).min() {
            rows[node] = lowest.saturating_sub(1);
        }
        meter.tick()?;
    }
    Ok(Ranking { rows, visited: search.visited })
}

/// A search in depth from the roots, then from what they do not lead to.
struct Search {
    visited: Vec<usize>,
    finished: Vec<usize>,
    /// Where each node is in `finished`.
    position: Vec<usize>,
}

impl Search {
    fn run(
        graph: &Graph,
        next: &Lists<NodeId, usize>,
        meter: &mut Meter<'_>,
    ) -> Result<Search, Limit> {
        let count = graph.sizes.len();
        let mut seen = vec![false; count];
        let (mut visited, mut finished) = (Vec::new(), Vec::new());
        for root in graph.roots.iter().copied().chain(0..count) {
            if std::mem::replace(&mut seen[root], true) {
                continue;
            }
            visited.push(root);
            // Open nodes, each with how many of its edges were looked at.
            let mut open = vec![(root, 0)];
            while let Some((node, looked)) = open.last_mut() {
                meter.tick()?;
                match next.of(NodeId::new(*node)).get(*looked) {
                    Some(&to) => {
                        *looked += 1;
                        if !std::mem::replace(&mut seen[to], true) {
                            visited.push(to);
                            open.push((to, 0));
                        }
                    }
                    None => {
                        finished.push(*node);
                        open.pop();
                    }
                }
            }
        }
        let mut position = vec![0; count];
        finished.iter().enumerate().for_each(|(at, &node)| position[node] = at);
        Ok(Search { visited, finished, position })
    }
}

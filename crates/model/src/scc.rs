//! The strongly connected components of a graph: which of its nodes reach each other.
//!
//! Everybody who looks for cycles takes this one, but for the certifier and the oracles, which
//! share nothing with what they check.
//!
//! # Order
//! Components are numbered in the order in which they are complete, so an edge never leads to a
//! component of greater number. Nodes are taken in the order of their ids and successors as they
//! are given: the same graph has the same numbers every time.
//!
//! # Cost
//! Each node is entered once, and each edge looked at once; every such step ticks the meter.
//!
//! # Source
//! Tarjan: Depth-first search and linear graph algorithms, SIAM J. Comput. 1(2), 1972; with a stack
//! of its own.

use crate::budget::{Limit, Meter};
use crate::index::{Id, Table};

crate::indices! {
    /// A strongly connected component of a graph.
    pub SccId = "s";
    /// How many nodes were entered before.
    Entered = "e";
}

/// The strongly connected components of a graph.
#[derive(Clone, Debug)]
pub struct Components<I> {
    /// The component of each node.
    of: Table<I, SccId>,
    /// The nodes, component after component, and where each component ends.
    members: Vec<I>,
    ends: Table<SccId, usize>,
}

impl<I: Id> Components<I> {
    /// The components of a graph of `count` nodes.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new<S: Iterator<Item = I>>(
        count: usize,
        successors: impl Fn(I) -> S,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let mut search = Search {
            seen: Table::filled(Seen::Not, count),
            open: Vec::new(),
            path: Vec::new(),
            entered: 0,
            members: Vec::with_capacity(count),
            ends: Table::new(),
        };
        for root in (0..count).map(I::new) {
            if let Seen::Not = search.seen[root] {
                search.enter(root, &successors);
            }
            while let Some(here) = search.path.last_mut() {
                meter.tick()?;
                let node = here.node;
                let Some(next) = here.successors.next() else {
                    search.leave();
                    continue;
                };
                match search.seen[next] {
                    Seen::Not => search.enter(next, &successors),
                    Seen::Open(reached) => search.reach(node, reached),
                    Seen::In(_) => (),
                }
            }
        }
        let component = |seen| match seen {
            Seen::In(component) => component,
            Seen::Not | Seen::Open(_) => unreachable!("all components are complete"),
        };
        let of = search.seen.into_iter().map(component).collect();
        let components = Components { of, members: search.members, ends: search.ends };
        debug_assert!(components.check_order(&successors));
        Ok(components)
    }

    /// The component of a node.
    #[inline]
    pub fn of(&self, node: I) -> SccId {
        self.of[node]
    }

    /// The nodes of a component.
    pub fn members(&self, component: SccId) -> &[I] {
        let begin =
            component.index().checked_sub(1).map_or(0, |before| self.ends[SccId::new(before)]);
        &self.members[begin..self.ends[component]]
    }

    /// How many components there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no components: the graph has no nodes.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All components, each after those that it leads to.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = SccId> + ExactSizeIterator + use<I> {
        self.ends.ids()
    }

    /// All nodes, component after component.
    pub fn all_members(&self) -> &[I] {
        &self.members
    }

    /// Whether every node is a member of its component, and no edge leads to a component of greater
    /// number.
    fn check_order<S: Iterator<Item = I>>(&self, successors: impl Fn(I) -> S) -> bool {
        let in_order = |node: I| successors(node).all(|next| self.of(next) <= self.of(node));
        let is_own = |component: SccId| {
            self.members(component).iter().all(|&node| self.of(node) == component)
        };
        self.of.ids().all(in_order) && self.ids().all(is_own)
    }
}

/// What is known of a node.
#[derive(Clone, Copy)]
enum Seen {
    /// Nothing: it was not entered.
    Not,
    /// Its component is not complete: when it was entered, or when the earliest open node was that
    /// it is known to reach.
    Open(Entered),
    /// Its component.
    In(SccId),
}

struct Search<I, S> {
    seen: Table<I, Seen>,
    /// The nodes whose component is not complete, in the order in which they were entered.
    open: Vec<I>,
    /// The path from the root to where the search is.
    path: Vec<Here<I, S>>,
    entered: usize,
    members: Vec<I>,
    ends: Table<SccId, usize>,
}

/// A node of the path, and its successors that are still to be looked at.
struct Here<I, S> {
    node: I,
    entered: Entered,
    successors: S,
}

impl<I: Id, S> Search<I, S> {
    #[inline]
    fn enter(&mut self, node: I, successors: impl Fn(I) -> S) {
        let entered = Entered::new(self.entered);
        self.entered += 1;
        self.seen[node] = Seen::Open(entered);
        self.open.push(node);
        self.path.push(Here { node, entered, successors: successors(node) });
    }

    /// An open node reaches another that was entered at a time.
    #[inline]
    fn reach(&mut self, node: I, reached: Entered) {
        if let Seen::Open(low) = &mut self.seen[node] {
            *low = reached.min(*low);
        }
    }

    /// The last node of the path has no more successors.
    #[inline]
    fn leave(&mut self) {
        let Some(Here { node, entered, .. }) = self.path.pop() else { return };
        let Seen::Open(low) = self.seen[node] else { return };
        if low < entered {
            // It reaches a node that was entered before it, and so does the one before it on the
            // path.
            if let Some(before) = self.path.last() {
                self.reach(before.node, low);
            }
            return;
        }
        let component = self.ends.next_id();
        while let Some(member) = self.open.pop() {
            self.seen[member] = Seen::In(component);
            self.members.push(member);
            if member == node {
                break;
            }
        }
        self.ends.push(self.members.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;
    use crate::index::NodeId;

    type Graph = Vec<Vec<usize>>;

    fn components(graph: &Graph) -> Components<NodeId> {
        let successors = |node: NodeId| graph[node.index()].iter().map(|&to| NodeId::new(to));
        let budget = Budget::unlimited();
        Components::new(graph.len(), successors, &mut Meter::new(&budget)).expect("no limits")
    }

    /// Whether a node reaches another, by looking everywhere.
    fn reaches(graph: &Graph, from: usize, to: usize) -> bool {
        let mut seen = vec![false; graph.len()];
        let mut waiting = vec![from];
        while let Some(node) = waiting.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                waiting.extend(&graph[node]);
            }
        }
        seen[to]
    }

    /// All graphs of up to three nodes, with all subsets of edges.
    #[test]
    fn nodes_are_together_if_they_reach_each_other() {
        for count in 0..4usize {
            for edges in 0..1usize << (count * count) {
                let has = |from: usize, to: &usize| edges >> (from * count + to) & 1 == 1;
                let successors = |from| (0..count).filter(|to| has(from, to)).collect();
                let graph: Graph = (0..count).map(successors).collect();
                let found = components(&graph);
                for (from, to) in (0..count * count).map(|pair| (pair / count, pair % count)) {
                    let (one, other) = (NodeId::new(from), NodeId::new(to));
                    let forth = reaches(&graph, from, to);
                    let together = forth && reaches(&graph, to, from);
                    assert_eq!(found.of(one) == found.of(other), together, "{graph:?}");
                    assert!(!forth || found.of(other) <= found.of(one), "{graph:?}");
                }
                let members = found.ids().flat_map(|it| found.members(it).to_vec());
                let mut members: Vec<usize> = members.map(NodeId::index).collect();
                members.sort_unstable();
                assert!(members.into_iter().eq(0..count), "{graph:?}");
            }
        }
    }

    #[test]
    fn long_paths_need_no_stack() {
        let long = 200_000;
        let path: Graph = (0..long).map(|node| (node + 1..long).take(1).collect()).collect();
        assert_eq!(components(&path).len(), long);
        let ring: Graph = (0..long).map(|node| vec![(node + 1) % long]).collect();
        assert_eq!(components(&ring).len(), 1);
    }
}

//! The step rule of [machines](crate::machine), for those who do not have a stack but know what it
//! says.
//!
//! What a node does depends on the stack in one way only: after which of its exits does somebody go
//! on? That is a [`Below`]. Where a return leads is up to who asks: return sites are passed in no
//! time, and most searches step over calls.

use crate::index::ExitId;
use crate::machine::{Edge, EndRule};

/// What a stack says about returns.
#[derive(Clone, Copy, Debug)]
pub enum Below<F> {
    /// It is empty: a return ends the program, by this rule.
    Nothing(EndRule),
    /// There is a caller, which goes on after these exits.
    Caller(F),
}

/// What follows a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onward {
    /// One of its edges.
    Edge(Edge),
    /// The same node, for ever: the program has ended there, or it is a dead end.
    Stay,
    /// The sink: the program has ended.
    Sink,
}

impl<F: FnMut(ExitId) -> bool> Below<F> {
    /// What becomes of an edge of a node; `None` if it leads nowhere.
    #[inline]
    pub fn follow(&mut self, edge: Edge) -> Option<Onward> {
        match (edge, self) {
            (Edge::Return(_), Below::Nothing(EndRule::Loop)) => Some(Onward::Stay),
            (Edge::Return(_), Below::Nothing(EndRule::Sink)) => Some(Onward::Sink),
            (Edge::Return(exit), Below::Caller(goes_on)) => {
                goes_on(exit).then_some(Onward::Edge(edge))
            }
            (Edge::Step(_) | Edge::Call(..), _) => Some(Onward::Edge(edge)),
        }
    }

    /// Appends to `out` all that follows a node with these edges, each once; the end of the program
    /// last. There is always something.
    pub fn onward(&mut self, edges: &[Edge], out: &mut Vec<Onward>) {
        let before = out.len();
        let mut end = None;
        for &edge in edges {
            match self.follow(edge) {
                Some(Onward::Edge(edge)) => out.push(Onward::Edge(edge)),
                Some(ended) => end = Some(ended),
                None => (),
            }
        }
        out.extend(end);
        if out.len() == before {
            out.push(Onward::Stay);
        }
    }

    /// Whether a node with these edges is its own successor: the program may end there, or it is a
    /// dead end.
    pub fn stays(&mut self, edges: &[Edge]) -> bool {
        let mut is_dead_end = true;
        for &edge in edges {
            match self.follow(edge) {
                Some(Onward::Stay) => return true,
                Some(Onward::Edge(_) | Onward::Sink) => is_dead_end = false,
                None => (),
            }
        }
        is_dead_end
    }

    /// Whether a node with these edges is a dead end.
    pub fn is_dead_end(&mut self, edges: &[Edge]) -> bool {
        edges.iter().all(|&edge| self.follow(edge).is_none())
    }
}

/// Whether a node with these edges can do nothing but return: then it depends on the caller whether
/// it is a dead end.
pub fn only_returns(edges: &[Edge]) -> bool {
    !edges.is_empty() && edges.iter().all(|edge| matches!(edge, Edge::Return(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{Id, NodeId};

    #[test]
    fn returns_depend_on_what_is_below() {
        let (step, exit) = (Edge::Step(NodeId::new(0)), ExitId::new);
        let edges = [Edge::Return(exit(0)), step, Edge::Return(exit(1))];
        let onward = |mut below: Below<fn(ExitId) -> bool>, edges: &[Edge]| {
            let mut out = Vec::new();
            below.onward(edges, &mut out);
            let ends = edges.iter().any(|&edge| below.follow(edge) == Some(Onward::Stay));
            assert_eq!(below.is_dead_end(edges), out == [Onward::Stay] && !ends);
            assert_eq!(below.stays(edges), out.contains(&Onward::Stay));
            out
        };
        let caller = || Below::Caller((|exit: ExitId| exit.index() == 1) as fn(ExitId) -> bool);
        assert_eq!(
            onward(Below::Nothing(EndRule::Loop), &edges),
            [Onward::Edge(step), Onward::Stay]
        );
        assert_eq!(
            onward(Below::Nothing(EndRule::Sink), &edges),
            [Onward::Edge(step), Onward::Sink]
        );
        assert_eq!(onward(caller(), &edges), [Onward::Edge(step), Onward::Edge(edges[2])]);
        assert_eq!(onward(caller(), &edges[..1]), [Onward::Stay]);
        assert_eq!(onward(caller(), &[]), [Onward::Stay]);
        assert_eq!(onward(Below::Nothing(EndRule::Sink), &[]), [Onward::Stay]);
        assert!(only_returns(&edges[..1]) && !only_returns(&edges) && !only_returns(&[]));
    }
}

//! The moves of a single configuration, for those who go through a program one by one: to show it
//! to somebody, or to write all of it down.
//!
//! Engines do not work like this: there may be infinitely many configurations.

use crate::claim::Configuration;
use crate::index::{BoxId, ExitId, PlaceId};
use crate::machine::{Edge, Machine, Surety};
use crate::run::{Move, MoveKind};
use crate::step::{Below, Onward};

/// All moves from a configuration, in the order of the edges. There is always one.
pub fn moves(machine: &Machine, from: &Configuration) -> Vec<Move> {
    let Configuration { stack, node } = from;
    let mut onward = Vec::new();
    match stack.last() {
        None => {
            let mut below = Below::<fn(ExitId) -> bool>::Nothing(machine.end_rule());
            below.onward(machine.edges(*node), &mut onward);
        }
        Some(&call) => {
            let goes_on = |exit: ExitId| machine.site(call, exit).is_some();
            Below::Caller(goes_on).onward(machine.edges(*node), &mut onward);
        }
    }
    let mut found = Vec::new();
    for next in onward {
        match next {
            Onward::Stay => found.push(Move { kind: MoveKind::Stay, node: *node }),
            Onward::Sink => found.push(Move { kind: MoveKind::Sink, node: *node }),
            Onward::Edge(Edge::Return(exit)) => {
                let site = stack.last().and_then(|&call| machine.site(call, exit));
                let edges = site.map_or(&[][..], |site| machine.edges_at(site));
                found.extend(edges.iter().map(|&edge| along(edge, Some(exit))));
            }
            Onward::Edge(edge) => found.push(along(edge, None)),
        }
    }
    found
}

/// The move along a step or a call, perhaps just after a return.
fn along(edge: Edge, left_by: Option<ExitId>) -> Move {
    match (edge, left_by) {
        (Edge::Step(node), None) => Move { kind: MoveKind::Step, node },
        (Edge::Step(node), Some(exit)) => Move { kind: MoveKind::Return(exit), node },
        (Edge::Call(call, node), None) => Move { kind: MoveKind::Call(call), node },
        (Edge::Call(call, node), Some(exit)) => {
            Move { kind: MoveKind::ReturnAndCall(exit, call), node }
        }
        (Edge::Return(_), _) => unreachable!("returns are followed to their sites"),
    }
}

/// Whether a move from a configuration is sure: all edges that it is made of are.
pub fn surety(machine: &Machine, from: &Configuration, step: Move) -> Surety {
    let is_sure = |place: PlaceId, fits: &dyn Fn(Edge) -> bool| {
        machine.edges_with_surety(place).any(|(edge, surety)| fits(edge) && surety == Surety::Sure)
    };
    let here = machine.node_place(from.node);
    let is_return = |exit: ExitId| move |edge: Edge| edge == Edge::Return(exit);
    let after = |exit: ExitId, onward: Edge| {
        let site = from.stack.last().and_then(|&call| machine.site(call, exit));
        is_sure(here, &is_return(exit)) && site.is_some_and(|it| is_sure(it, &|e| e == onward))
    };
    let node = step.node;
    let sure = match step.kind {
        MoveKind::Step => is_sure(here, &|edge| edge == Edge::Step(node)),
        MoveKind::Call(call) => is_sure(here, &|edge| edge == Edge::Call(call, node)),
        MoveKind::Return(exit) => after(exit, Edge::Step(node)),
        MoveKind::ReturnAndCall(exit, call) => after(exit, Edge::Call(call, node)),
        MoveKind::Sink => is_sure(here, &|edge| matches!(edge, Edge::Return(_))),
        MoveKind::Stay => true,
    };
    if sure { Surety::Sure } else { Surety::Possible }
}

impl Configuration {
    /// Makes a move, and gives the box that was left by it. A move to the sink changes nothing:
    /// the sink is no configuration.
    pub fn advance(&mut self, step: Move) -> Option<BoxId> {
        let left = if step.kind.returns() { self.stack.pop() } else { None };
        self.stack.extend(step.kind.calls());
        self.node = step.node;
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::machine::{EndRule, Place};

    #[test]
    fn calls_returns_and_the_end_are_moves() {
        let mut b = Builder::new();
        let (main, sub) = (b.component("main"), b.component("sub"));
        let (start, end) = (b.node(main, "start"), b.node(main, "end"));
        let only = b.node(sub, "only");
        b.entry(only);
        let exit = b.exit_node(only);
        b.exit_node(end);
        let (one, two) = (b.call_box(main, "one", sub), b.call_box(main, "two", sub));
        b.edge(Place::Node(start), Edge::Call(one, only));
        b.edge(Place::Site(one, exit), Edge::Call(two, only));
        b.edge(Place::Site(one, exit), Edge::Step(end));
        b.initial(start);
        b.end_rule(EndRule::Sink);
        let machine = b.finish().expect("sound");
        let kinds = |stack: &[BoxId], node| {
            let from = Configuration { stack: stack.to_vec(), node };
            let found = moves(&machine, &from).into_iter().map(|step| {
                let mut to = from.clone();
                to.advance(step);
                (step.kind, to.stack, to.node)
            });
            found.collect::<Vec<_>>()
        };
        assert_eq!(kinds(&[], start), [(MoveKind::Call(one), vec![one], only)]);
        assert_eq!(
            kinds(&[one], only),
            [
                (MoveKind::ReturnAndCall(exit, two), vec![two], only),
                (MoveKind::Return(exit), vec![], end)
            ]
        );
        // Nobody goes on after the second call: a dead end.
        assert_eq!(kinds(&[two], only), [(MoveKind::Stay, vec![two], only)]);
        assert_eq!(kinds(&[], end), [(MoveKind::Sink, vec![], end)]);
    }
}

//! From a run that begins in the middle of a settled machine ([`Above`]) to one of the machine that
//! was settled.
//!
//! Copies of nodes, boxes and exits become what they are copies of. A step that is none of the
//! machine stays: the settled machine has an explicit step wherever the program has ended or is
//! stuck. A step to the explicit end goes to the sink.

use super::above::{Above, Configuration};
use super::settle::Settled;
use tern_model::{BoxId, Edge, Ending, ExitId, Id, Machine, Move, MoveKind, NodeId, Run};

/// What a move does to the stack of the settled machine.
#[derive(Clone, Copy)]
pub(super) struct Change {
    pops: bool,
    pushes: Option<BoxId>,
}

impl Configuration {
    /// The configuration after some moves, at a node.
    pub(super) fn after(&self, changes: &[Change], node: NodeId) -> Configuration {
        let mut stack = self.stack.clone();
        for change in changes {
            change.make(&mut stack);
        }
        Configuration { stack, node }
    }
}

impl Change {
    fn make(self, stack: &mut Vec<BoxId>) {
        if self.pops {
            stack.pop();
        }
        stack.extend(self.pushes);
    }
}

/// A run of the machine, with what it is in the settled machine.
#[derive(Clone)]
pub(super) struct Path {
    pub(super) begin: Configuration,
    pub(super) run: Run,
    pub(super) changes: Vec<Change>,
    /// The nodes of the settled machine that it passes: one more than there are moves.
    pub(super) nodes: Vec<NodeId>,
}

/// Follows a run that begins in the middle of the settled machine, to tell it as one of the machine
/// that was settled.
pub(super) struct Walk<'a> {
    machine: &'a Machine,
    settled: &'a Settled,
    begin: &'a Configuration,
    source: &'a Above<'a>,
    /// Where it is in the settled machine.
    here: Configuration,
    /// The frame that this is in, if it was there from the beginning.
    frame: Option<usize>,
    /// The node of the machine that this is; in the sink, the one that was left.
    at: NodeId,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        machine: &'a Machine,
        settled: &'a Settled,
        begin: &'a Configuration,
        source: &'a Above<'a>,
    ) -> Self {
        let node = settled.origin.node[begin.node];
        Walk {
            machine,
            settled,
            begin,
            source,
            here: begin.clone(),
            frame: Some(begin.stack.len()),
            // A run that begins in the sink stays there, and any name does.
            at: node.unwrap_or(NodeId::new(0)),
        }
    }

    pub(super) fn follow(mut self, run: Run) -> Path {
        let mut moves = Vec::with_capacity(run.moves.len());
        let mut changes = Vec::with_capacity(run.moves.len());
        let mut nodes = vec![self.begin.node];
        for step in run.moves {
            let (step, change) = self.step(step);
            moves.push(step);
            changes.push(change);
            nodes.push(self.here.node);
        }
        let original = |call: &BoxId| {
            let (_, call) = self.source.call_box(*call);
            self.settled.origin.call[call]
        };
        let ending = match run.ending {
            Ending::Pump(from, boxes) => Ending::Pump(from, boxes.iter().map(original).collect()),
            ending => ending,
        };
        Path { begin: self.begin.clone(), run: Run { moves, ending }, changes, nodes }
    }

    /// Makes a move; says which one it is in the machine, and what it does to the stack of the
    /// settled one.
    fn step(&mut self, step: Move) -> (Move, Change) {
        let origin = &self.settled.origin;
        let (frame, node) = self.source.node(step.node);
        // A step of the source may be a return to a frame that was there from the beginning.
        let leaves = |to: Option<usize>| self.frame.is_some() && to != self.frame;
        let left_by = match step.kind {
            MoveKind::Return(exit) | MoveKind::ReturnAndCall(exit, _) => Some(exit),
            MoveKind::Step if leaves(frame) => Some(self.exit_to(Edge::Step(node))),
            MoveKind::Call(call) => match self.source.call_box(call) {
                (home, call) if leaves(home) => Some(self.exit_to(Edge::Call(call, node))),
                _ => None,
            },
            MoveKind::Step | MoveKind::Stay | MoveKind::Sink => None,
        };
        let call = match step.kind {
            MoveKind::Call(call) | MoveKind::ReturnAndCall(_, call) => {
                Some(self.source.call_box(call).1)
            }
            _ => None,
        };
        let change = Change { pops: left_by.is_some(), pushes: call };
        change.make(&mut self.here.stack);
        let from = std::mem::replace(&mut self.here.node, node);
        self.frame = frame;
        let Some(to) = origin.node[node] else {
            let was_there = origin.node[from].is_none();
            let kind = if was_there { MoveKind::Stay } else { MoveKind::Sink };
            return (Move { kind, node: self.at }, change);
        };
        let steps = self.machine.edges(self.at).contains(&Edge::Step(to));
        let kind = match (left_by.map(|exit| self.original(exit)), call) {
            (None, None) if steps => MoveKind::Step,
            (None, None) => MoveKind::Stay,
            (Some(exit), None) => MoveKind::Return(exit),
            (None, Some(call)) => MoveKind::Call(origin.call[call]),
            (Some(exit), Some(call)) => MoveKind::ReturnAndCall(exit, origin.call[call]),
        };
        self.at = to;
        (Move { kind, node: to }, change)
    }

    /// The exit by which one gets from here to what an edge of a return site below leads to.
    fn exit_to(&self, edge: Edge) -> ExitId {
        let settled = &self.settled.machine;
        let by = settled.edges(self.here.node).iter().find_map(|&out| {
            let (Edge::Return(exit), Some(&top)) = (out, self.here.stack.last()) else {
                return None;
            };
            let site = settled.site(top, exit)?;
            settled.edges_at(site).contains(&edge).then_some(exit)
        });
        by.expect("the source made the step from such a return")
    }

    fn original(&self, exit: ExitId) -> ExitId {
        let settled = self.settled;
        let component = settled.machine.component_of_exit(exit);
        let (component, _) = settled.origin.component[component];
        self.machine.exits_of(component)[settled.machine.exit_position(exit)]
    }
}

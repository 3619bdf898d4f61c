//! What a run goes through: the nodes, edges and calls that pictures of a machine show in colour.

use std::collections::BTreeSet;
use tern_model::{
    BoxId, Configuration, Edge, Ending, Id, Machine, Move, MoveKind, NodeId, PlaceId,
};
use tern_record::trace::{RunTrace, Trace, Why};

/// The first run with a move that a story comes to.
fn first_run<'t>(trace: &'t Trace<'t>) -> Option<&'t RunTrace<'t>> {
    let mut waiting = vec![trace];
    while let Some(trace) = waiting.pop() {
        match &trace.why {
            Why::Run(run) if run.steps.iter().any(|step| step.next.is_some()) => return Some(run),
            // A run without a move shows nothing; what comes after it may.
            Why::Run(run) => waiting.extend(run.asides.iter().rev().map(|(_, trace)| trace)),
            Why::Operands(traces) => waiting.extend(traces.iter().rev()),
            Why::Labels | Why::AllPaths(_) | Why::TooLong => {}
        }
    }
    None
}

/// What a run goes through.
#[derive(Clone, Debug, Default)]
pub struct Used {
    /// The nodes that it passes.
    pub nodes: BTreeSet<NodeId>,
    /// The edges that it follows, each with the place that it leaves.
    pub edges: BTreeSet<(PlaceId, Edge)>,
    /// The calls that it makes, each with the entry.
    pub entered: BTreeSet<(BoxId, NodeId)>,
}

impl Used {
    /// What the first run in some stories goes through, and those that go on from its end.
    pub fn by_traces<'t>(
        machine: &Machine,
        traces: impl IntoIterator<Item = &'t Trace<'t>>,
    ) -> Self {
        let mut all = traces.into_iter().map(|trace| Used::by_trace(machine, trace));
        all.find(|used| !used.nodes.is_empty()).unwrap_or_default()
    }

    /// What some moves go through, which are made one after the other.
    pub fn by_moves(machine: &Machine, from: &Configuration, moves: &[Move]) -> Self {
        let mut used = Used::default();
        let mut here = from.clone();
        for &next in moves {
            used.add(machine, Some(here.node), here.stack.last().copied(), Some(next));
            here.advance(next);
        }
        used.add(machine, Some(here.node), None, None);
        used
    }

    /// Whether some call by a box is made.
    pub fn calls(&self, call: BoxId) -> bool {
        self.entered.range((call, NodeId::new(0))..).next().is_some_and(|&(by, _)| by == call)
    }

    fn by_trace(machine: &Machine, trace: &Trace<'_>) -> Self {
        let mut used = Used::default();
        let mut next = first_run(trace);
        while let Some(run) = next {
            for step in &run.steps {
                used.add(machine, step.node, step.inside, step.next);
            }
            let last = run.steps.len() - 1;
            let mut at_end = run.asides.iter().filter(|(at, _)| *at == last);
            next = match run.ending {
                Ending::Done => at_end.find_map(|(_, trace)| first_run(trace)),
                Ending::Loop(_) | Ending::Pump(..) => None,
            };
        }
        used
    }

    /// Adds a configuration, and the move that is made there.
    fn add(
        &mut self,
        machine: &Machine,
        node: Option<NodeId>,
        inside: Option<BoxId>,
        next: Option<Move>,
    ) {
        self.nodes.extend(node);
        let (Some(node), Some(next)) = (node, next) else { return };
        let from = match next.kind {
            MoveKind::Return(exit) | MoveKind::ReturnAndCall(exit, _) => {
                inside.and_then(|call| machine.site(call, exit))
            }
            _ => Some(machine.node_place(node)),
        };
        let edge = match next.kind {
            MoveKind::Step | MoveKind::Return(_) => Some(Edge::Step(next.node)),
            MoveKind::Call(call) | MoveKind::ReturnAndCall(_, call) => {
                self.entered.insert((call, next.node));
                Some(Edge::Call(call, next.node))
            }
            MoveKind::Stay | MoveKind::Sink => None,
        };
        self.edges.extend(from.zip(edge));
    }
}

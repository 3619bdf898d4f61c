//! Which object is which from step to step.
//!
//! Heaps at nodes are numbered by their form, so that equal heaps are one; the same object may have
//! another number after every step. What a step did says which is which: the origins of objects
//! ([`crate::traced`]) are followed along a run. Through a call, an object is found again by what
//! the callee left in the place of its scope. Nothing is guessed: an object whose origin is not a
//! single object counts as a new one.

use crate::graph::ObjectId;
use crate::machine::{HeapMachine, Way};
use crate::traced::Trace;
use rustc_hash::FxHashMap;
use tern_model::index::Id;
use tern_model::{BoxId, ExitId, Move, MoveKind, NodeId};

/// For each object of a heap, the object of the heap before that it was, if that is one.
type Before = Vec<Option<usize>>;

/// For each object after a call, what it was at the call, and what the callee left it as.
type Returned = Vec<(Option<usize>, Option<usize>)>;

/// How a callee comes back to one of its boxes.
#[derive(Clone, Debug)]
pub(crate) struct Joined {
    /// Where the objects of the joined heap come from, counted from the heap at the call.
    pub(crate) kept: Trace,
    /// For each object that the callee left, the object of the joined heap.
    pub(crate) image: Vec<ObjectId>,
    /// Where the objects of the node after the call come from, counted from the joined heap.
    pub(crate) settled: Trace,
}

/// The objects of a machine without folding, from step to step.
#[derive(Clone, Debug, Default)]
pub struct Identities {
    /// How many objects there are at each node, `null` included.
    counts: Vec<usize>,
    /// Steps within frames, and into callees.
    steps: FxHashMap<(NodeId, NodeId), Before>,
    /// From a node to the heap that its procedure returns with.
    leaves: FxHashMap<(NodeId, ExitId), Before>,
    /// After calls.
    returns: FxHashMap<(BoxId, ExitId), Returned>,
}

/// What objects were before, as far as their origins are single objects.
fn before(trace: &Trace) -> Before {
    let single = |origin: &crate::traced::Origin| {
        let mut parts = origin.parts();
        let first = parts.next().filter(|_| !origin.includes(crate::traced::Origin::NEW));
        first.filter(|_| parts.next().is_none())
    };
    trace.objects.iter().map(single).collect()
}

impl Identities {
    /// Those of a machine that was explored without folding.
    pub fn of(machine: &HeapMachine<'_>) -> Self {
        let count = |node: usize| machine.heap(machine.state(NodeId::new(node)).heap).len();
        let mut found =
            Identities { counts: (0..machine.len()).map(count).collect(), ..Identities::default() };
        let steps = machine.arrows().iter().zip(&machine.ways);
        for (arrow, _) in steps.filter(|(_, way)| !matches!(way, Way::Across(..))) {
            found.steps.entry((arrow.from, arrow.to)).or_insert_with(|| before(&arrow.trace));
        }
        for (node, exit, trace) in machine.leaves() {
            found.leaves.entry((*node, *exit)).or_insert_with(|| before(trace));
        }
        for (call, exit, joined) in machine.joined() {
            let kept = before(&joined.kept);
            let row = |at: Option<usize>| match at {
                None => (None, None),
                Some(at) => (
                    kept.get(at).copied().flatten(),
                    joined.image.iter().position(|it| it.index() == at),
                ),
            };
            let rows = before(&joined.settled).into_iter().map(row).collect();
            found.returns.insert((*call, *exit), rows);
        }
        found
    }

    /// The names of the objects at the configurations of a run: each object keeps its name as long
    /// as it is there, and a new one has a new name. The objects of the first configuration are
    /// called 1, 2, …; so are those that nothing is known of, with numbers that are free.
    pub fn follow(&self, start: NodeId, moves: &[Move]) -> Vec<Vec<u32>> {
        let mut follower = Follower { identities: self, last: 0, calls: Vec::new() };
        let mut at = start;
        let mut now = follower.fresh(start);
        let mut all = vec![now[1..].to_vec()];
        for next in moves {
            now = follower.after(at, &now, next);
            at = next.node;
            all.push(now[1..].to_vec());
        }
        all
    }
}

/// What is kept of the calls that are open.
struct Follower<'a> {
    identities: &'a Identities,
    last: u32,
    calls: Vec<(BoxId, Vec<u32>)>,
}

impl Follower<'_> {
    fn name(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    /// New names for all objects of a node; `null` has none.
    fn fresh(&mut self, node: NodeId) -> Vec<u32> {
        (0..self.identities.counts[node.index()])
            .map(|object| if object == 0 { 0 } else { self.name() })
            .collect()
    }

    fn after(&mut self, at: NodeId, now: &[u32], next: &Move) -> Vec<u32> {
        let identities = self.identities;
        match next.kind {
            MoveKind::Stay | MoveKind::Sink => return now.to_vec(),
            MoveKind::Step => {}
            MoveKind::Call(call) => self.calls.push((call, now.to_vec())),
            // Where a box goes on is a node, and no call, in machines of heaps.
            MoveKind::ReturnAndCall(..) => {
                self.calls.pop();
                return self.fresh(next.node);
            }
            MoveKind::Return(exit) => {
                let Some((call, caller)) = self.calls.pop() else { return self.fresh(next.node) };
                let left = identities.leaves.get(&(at, exit));
                let Some((left, rows)) = left.zip(identities.returns.get(&(call, exit))) else {
                    return self.fresh(next.node);
                };
                let callee: Vec<Option<u32>> = renamed(left, now);
                let named = rows.iter().map(|&(kept, by_callee)| {
                    let by_callee =
                        by_callee.and_then(|object| callee.get(object).copied().flatten());
                    by_callee.or_else(|| caller.get(kept?).copied())
                });
                let named: Vec<Option<u32>> = named.collect();
                return self.complete(&named);
            }
        }
        match identities.steps.get(&(at, next.node)) {
            Some(before) => self.complete(&renamed(before, now)),
            // A run that has ended stays where it is.
            None if identities.counts[next.node.index()] == now.len() => now.to_vec(),
            None => self.fresh(next.node),
        }
    }

    /// Gives names to those that have none.
    fn complete(&mut self, named: &[Option<u32>]) -> Vec<u32> {
        let each = named.iter().enumerate();
        each.map(|(object, name)| match (object, name) {
            (0, _) => 0,
            (_, Some(name)) => *name,
            (_, None) => self.name(),
        })
        .collect()
    }
}

/// The names of objects that were others before.
fn renamed(before: &Before, now: &[u32]) -> Vec<Option<u32>> {
    before.iter().map(|&object| now.get(object?).copied()).collect()
}

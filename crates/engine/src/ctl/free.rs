//! `EF`: where all nodes pass, the machine alone says what leads where, and its survey knows that.
//!
//! By which exits an entry is left is then the same in all frames and for all claims. What is left
//! to find is which entries come by a goal: those that lead to one in their own frame, which is a
//! row of bits beside another, and those that call such an entry.
//!
//! An entry that comes by a goal is said to be left by exits all the same, on paths through goals
//! too. That makes no difference: the operator is true there whatever happens after the exits.

use crate::ctl::operator::View;
use crate::ground::bits;
use crate::ground::ids::{FrameId, Positions, StartId};
use crate::ground::summary::Summaries;
use crate::ground::survey::Ways;
use tern_model::budget::Meter;
use tern_model::index::{Id, Table};
use tern_model::{Limit, NodeId, Stats};

/// Whether two rows have a bit in common, where both have one.
pub(crate) fn meet(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// Whether a goal can be reached from a node in a root frame, given what is true of all starts.
pub(crate) fn at_root(
    view: View<'_>,
    (frame, visited): (FrameId, &[u64]),
    goal: &[u64],
    start_true: &Table<StartId, bool>,
    stats: &mut Stats,
    meter: &mut Meter<'_>,
) -> Result<bool, Limit> {
    if meet(visited, view.frames.row(goal, frame)) {
        return Ok(true);
    }
    let machine = view.terrain.machine;
    for &call in machine.boxes_of(view.frames.component[frame]) {
        meter.tick()?;
        for edge in machine.calls_of(call) {
            stats.edges += 1;
            let start = view.frames.called(view.terrain, frame, call, edge.entry);
            if start.is_some_and(|start| start_true[start])
                && bits::get(visited, machine.place_pos(edge.from))
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// What all starts reach, given the rows of goals over the nodes of all frames.
pub(crate) fn summaries(
    view: View<'_>,
    goal: &[u64],
    starts: &Table<StartId, (FrameId, NodeId)>,
    ways: &Ways,
    meter: &mut Meter<'_>,
) -> Result<Summaries, Limit> {
    let View { terrain, frames, .. } = view;
    let machine = terrain.machine;
    let visited = |entry: NodeId| ways.visited(entry).unwrap_or_default();
    let mut reaches: Table<StartId, bool> = Table::new();
    let mut open: Vec<StartId> = Vec::new();
    for (start, &(frame, entry)) in starts.iter() {
        meter.tick()?;
        let is_inside = meet(visited(entry), frames.row(goal, frame));
        reaches.push(is_inside);
        open.extend(is_inside.then_some(start));
    }
    let callers = frames.callers();
    let mut edges_seen = 0;
    while let Some(start) = open.pop() {
        let (frame, entry) = starts[start];
        for at in callers.range(frame) {
            meter.tick()?;
            let (caller, call) = callers.items()[at];
            // Most callers are known already, and root frames have no starts.
            if frames.starts_of(terrain, caller).all(|(waiting, _)| reaches[waiting]) {
                continue;
            }
            let call = machine.boxes_of(frames.component[caller])[call.index()];
            for edge in machine.calls_of(call).iter().filter(|edge| edge.entry == entry) {
                edges_seen += 1;
                let from = machine.place_pos(edge.from);
                for (waiting, entry) in frames.starts_of(terrain, caller) {
                    if !reaches[waiting] && bits::get(visited(entry), from) {
                        reaches[waiting] = true;
                        open.push(waiting);
                    }
                }
            }
        }
    }
    let exits = starts.iter().map(|(_, &(_, entry))| ways.exits(entry).into()).collect();
    Ok(Summaries::known(reaches, exits, edges_seen))
}

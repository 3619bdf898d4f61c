//! `EF` in all lanes at once, where only the initial nodes are asked for.
//!
//! All nodes pass, so that the survey of the machine knows what leads where ([`Ways`]), in all
//! lanes alike. An entry comes by what is a goal in its own frame, and by what the entries come by
//! that are called from there: the least solution over entries, instead of places.

use super::family::Stop;
use super::lanes::Lanes;
use super::operator::View;
use crate::ground::bits;
use crate::ground::ids::{FrameId, PlacePos, Positions, StartId};
use crate::ground::survey::Ways;
use tern_model::budget::Meter;
use tern_model::index::{Id, Table};
use tern_model::{NodeId, Stats};

/// The lanes in which a goal can be reached, at each initial node.
pub(super) fn at_initial<const W: usize>(
    view: View<'_, W>,
    goal: &[Lanes<W>],
    ways: &Ways,
    stats: &mut Stats,
    meter: &mut Meter<'_>,
) -> Result<Vec<Lanes<W>>, Stop> {
    let machine = view.machine();
    let reached = at_starts(view, goal, ways, stats, meter)?;
    let mut found = Vec::with_capacity(machine.initial().len());
    for &node in machine.initial() {
        let frame = view.family.roots[view.terrain.root_of(node)];
        let visited = ways.visited(node).unwrap_or_default();
        let mut lanes = inside(view, goal, frame, visited);
        for &call in machine.boxes_of(view.family.component[frame]) {
            meter.tick()?;
            for edge in machine.calls_of(call) {
                stats.edges += 1;
                if bits::get(visited, machine.place_pos(edge.from)) {
                    let called = view.called(frame, call, edge.entry);
                    called.for_each(|(_, start, among)| lanes |= reached[start] & among);
                }
            }
        }
        found.push(lanes);
    }
    Ok(found)
}

/// The lanes in which a goal is among the places of a frame that are passed.
fn inside<const W: usize>(
    view: View<'_, W>,
    goal: &[Lanes<W>],
    frame: FrameId,
    visited: &[u64],
) -> Lanes<W> {
    let goal = view.family.words(goal, frame);
    let nodes = view.machine().nodes_of(view.family.component[frame]).len();
    let passed = bits::ones::<PlacePos>(visited).take_while(|place| place.index() < nodes);
    let lanes = passed.fold(Lanes::NONE, |all, place| all | goal[place.index()]);
    lanes & view.family.lanes[frame]
}

/// The lanes in which a goal can be reached from each start, while its call lasts.
fn at_starts<const W: usize>(
    view: View<'_, W>,
    goal: &[Lanes<W>],
    ways: &Ways,
    stats: &mut Stats,
    meter: &mut Meter<'_>,
) -> Result<Table<StartId, Lanes<W>>, Stop> {
    let machine = view.machine();
    let visited = |entry: NodeId| ways.visited(entry).unwrap_or_default();
    let mut at: Table<StartId, (FrameId, NodeId)> = Table::new();
    let mut reached: Table<StartId, Lanes<W>> = Table::new();
    for frame in view.family.ids() {
        let entries = view.terrain.called_entries(view.family.component[frame]);
        for (_, &entry) in view.family.starts(frame).zip(entries) {
            meter.tick()?;
            at.push((frame, entry));
            reached.push(inside(view, goal, frame, visited(entry)));
        }
    }
    let callers = view.family.callers(machine);
    let mut is_open: Table<StartId, bool> =
        reached.as_slice().iter().map(|lanes| !lanes.is_empty()).collect();
    // Later frames are called by earlier ones, as a rule: they are taken first.
    let mut open: Vec<StartId> = is_open.ids().filter(|&start| is_open[start]).collect();
    while let Some(start) = open.pop() {
        is_open[start] = false;
        let (frame, entry) = at[start];
        for &(caller, call, among) in callers.of(frame) {
            let lanes = reached[start] & among;
            if view.family.starts(caller).all(|it| lanes.less(reached[it]).is_empty()) {
                continue;
            }
            for edge in machine.calls_of(call).iter().filter(|edge| edge.entry == entry) {
                meter.tick()?;
                stats.edges += 1;
                let from = machine.place_pos(edge.from);
                for waiting in view.family.starts(caller) {
                    let fresh = lanes.less(reached[waiting]);
                    if !fresh.is_empty() && bits::get(visited(at[waiting].1), from) {
                        reached[waiting] |= fresh;
                        if !std::mem::replace(&mut is_open[waiting], true) {
                            open.push(waiting);
                        }
                    }
                }
            }
        }
    }
    Ok(reached)
}

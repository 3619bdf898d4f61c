//! Summaries in all lanes at once: from which entry can one get to which exits, in which lanes?
//!
//! The search is that of [`crate::ground::summary`], forward from all starts. A place of a start is
//! looked at again when more lanes have come there.

use super::family::{Callers, Stop};
use super::lanes::Lanes;
use super::operator::{Operator, View};
use crate::ground::bits;
use crate::ground::ids::{ExitPos, FrameId, Positions, StartId};
use crate::ground::survey::Ways;
use fixedbitset::FixedBitSet;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{BoxId, Edge, ExitId, Id, NodeId, Place, PlaceId, Stats};

/// The most words that summaries may take: more are not worth the while.
const MOST_WORDS: usize = 1 << 24;

/// In which lanes a path through allowed nodes leads from each start to each exit of its frame.
pub(super) struct Summaries<const W: usize> {
    exits: Vec<Lanes<W>>,
    first_exit: Table<StartId, usize>,
}

impl<const W: usize> Summaries<W> {
    /// Follows all starts in all lanes.
    pub(super) fn new(
        view: View<'_, W>,
        operator: &Operator<W>,
        callers: &Callers<W>,
        stats: &mut Stats,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Stop> {
        let machine = view.machine();
        let (mut exits, mut places) = (0, 0);
        let mut forward = Forward {
            view,
            operator,
            callers,
            start_at: Table::new(),
            summaries: Summaries { exits: Vec::new(), first_exit: Table::new() },
            visited: Vec::new(),
            first_place: Table::new(),
            queued: FixedBitSet::new(),
            queue: Vec::new(),
        };
        for frame in view.family.ids() {
            let comp = view.family.component[frame];
            let entries = view.terrain.called_entries(comp).iter();
            for (_, &entry) in view.family.starts(frame).zip(entries) {
                forward.start_at.push((frame, entry));
                forward.summaries.first_exit.push(exits);
                forward.first_place.push(places);
                exits += machine.exits_of(comp).len();
                places += machine.places_of(comp).len();
            }
        }
        let words = (exits + places) * W;
        if words > MOST_WORDS {
            return Err(Stop::Apart);
        }
        meter.budget().check_room_for(words as u64 * 8)?;
        forward.summaries.exits = vec![Lanes::NONE; exits];
        forward.visited = vec![Lanes::NONE; places];
        forward.queued = FixedBitSet::with_capacity(places);
        forward.run(stats, meter)?;
        Ok(forward.summaries)
    }

    /// Those of `EF`, where all nodes pass in all lanes: what the survey of the machine says.
    pub(super) fn free(view: View<'_, W>, ways: &Ways) -> Self {
        let machine = view.machine();
        let mut found = Summaries { exits: Vec::new(), first_exit: Table::new() };
        for frame in view.family.ids() {
            let comp = view.family.component[frame];
            let entries = view.terrain.called_entries(comp).iter();
            for (_, &entry) in view.family.starts(frame).zip(entries) {
                let first = found.exits.len();
                found.first_exit.push(first);
                found.exits.resize(first + machine.exits_of(comp).len(), Lanes::NONE);
                for exit in bits::ones::<ExitPos>(ways.exits(entry)) {
                    found.exits[first + exit.index()] = Lanes::ALL;
                }
            }
        }
        found
    }

    #[inline]
    pub(super) fn reaches(&self, start: StartId, exit: ExitPos) -> Lanes<W> {
        self.exits[self.first_exit[start] + exit.index()]
    }
}

/// Follows all starts through p that have not seen q, in all lanes at once.
struct Forward<'a, const W: usize> {
    view: View<'a, W>,
    operator: &'a Operator<W>,
    callers: &'a Callers<W>,
    start_at: Table<StartId, (FrameId, NodeId)>,
    summaries: Summaries<W>,
    /// The lanes in which a start has come to a place of its frame; where those of a start begin.
    visited: Vec<Lanes<W>>,
    first_place: Table<StartId, usize>,
    queued: FixedBitSet,
    queue: Vec<(StartId, PlaceId)>,
}

impl<const W: usize> Forward<'_, W> {
    fn slot(&self, start: StartId, place: PlaceId) -> usize {
        self.first_place[start] + self.view.machine().place_pos(place).index()
    }

    fn reach(&mut self, start: StartId, place: PlaceId, lanes: Lanes<W>) {
        let slot = self.slot(start, place);
        if !lanes.less(self.visited[slot]).is_empty() {
            self.visited[slot] |= lanes;
            if !self.queued.put(slot) {
                self.queue.push((start, place));
            }
        }
    }

    /// The lanes in which a start goes on from a place.
    fn through(&self, start: StartId, frame: FrameId, place: PlaceId) -> Lanes<W> {
        let lanes = self.visited[self.slot(start, place)];
        match self.view.machine().place(place) {
            Place::Node(_) => lanes & self.operator.goes_on(self.view.at(frame, place)),
            Place::Site(..) => lanes,
        }
    }

    fn run(&mut self, stats: &mut Stats, meter: &mut Meter<'_>) -> Result<(), Stop> {
        let machine = self.view.machine();
        for start in self.start_at.ids() {
            let (frame, entry) = self.start_at[start];
            self.reach(start, machine.node_place(entry), self.view.family.lanes[frame]);
        }
        // The last first: later frames are called by earlier ones, as a rule.
        while let Some((start, place)) = self.queue.pop() {
            meter.tick()?;
            let slot = self.slot(start, place);
            self.queued.set(slot, false);
            let (frame, _) = self.start_at[start];
            let lanes = self.through(start, frame, place);
            if lanes.is_empty() {
                continue;
            }
            for &edge in machine.edges_at(place) {
                stats.edges += 1;
                match edge {
                    Edge::Step(to) => self.reach(start, machine.node_place(to), lanes),
                    Edge::Call(call, entry) => self.step_over(start, frame, call, entry, lanes),
                    Edge::Return(exit) => self.leave(start, frame, exit, lanes, stats),
                }
            }
        }
        Ok(())
    }

    fn step_over(
        &mut self,
        start: StartId,
        frame: FrameId,
        call: BoxId,
        entry: NodeId,
        lanes: Lanes<W>,
    ) {
        let machine = self.view.machine();
        for (_, callee, among) in self.view.called(frame, call, entry) {
            if !(lanes & among).is_empty() {
                for (exit, site) in machine.sites_of(call) {
                    let back = self.summaries.reaches(callee, machine.exit_pos(exit));
                    self.reach(start, site, back & lanes & among);
                }
            }
        }
    }

    fn leave(
        &mut self,
        start: StartId,
        frame: FrameId,
        exit: ExitId,
        lanes: Lanes<W>,
        stats: &mut Stats,
    ) {
        let machine = self.view.machine();
        let known = &mut self.summaries.exits
            [self.summaries.first_exit[start] + machine.exit_pos(exit).index()];
        let fresh = lanes.less(*known);
        if fresh.is_empty() {
            return;
        }
        *known |= fresh;
        let (_, entry) = self.start_at[start];
        for &(caller, call, among) in self.callers.of(frame) {
            let Some(site) = machine.site(call, exit) else { continue };
            for edge in machine.calls_of(call).iter().filter(|edge| edge.entry == entry) {
                for waiting in self.view.family.starts(caller) {
                    stats.edges += 1;
                    let back = self.through(waiting, caller, edge.from) & among & fresh;
                    self.reach(waiting, site, back);
                }
            }
        }
    }
}

//! Which places are to be looked at, and in which order.
//!
//! What is true of a place follows from what is true of its successors, so these come first: places
//! are ranked by the strongly connected components of the steps within a component of the machine,
//! *knots* here, each after those that it leads to. Later frames come before earlier ones, which
//! call them, as a rule. A knot is gone through from its first place to its last, again and again,
//! until nothing is to be looked at in it. So a place on no cycle is looked at once, whatever the
//! lanes are, unless something changes by way of a call.

use super::operator::View;
use crate::ground::bits;
use crate::ground::ids::{FrameId, PlacePos, Positions};
use std::ops::Range;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::scc::{Components, SccId};
use tern_model::{CompId, Edge, Id, Limit, Machine, PlaceId};

const WORD: usize = u64::BITS as usize;

/// The knots of all components of a machine.
pub(crate) struct Knots {
    of: Table<CompId, OfComponent>,
}

struct OfComponent {
    knots: Components<PlacePos>,
    /// Where a place is in the order of the knots.
    rank: Table<PlacePos, u32>,
}

impl Knots {
    pub(crate) fn new(machine: &Machine, meter: &mut Meter<'_>) -> Result<Self, Limit> {
        let mut of = Table::new();
        for comp in machine.components() {
            let places = machine.places_of(comp);
            let steps = |place: PlacePos| {
                machine.edges_at(places[place.index()]).iter().filter_map(|edge| match *edge {
                    Edge::Step(to) => Some(machine.node_pos(to)),
                    Edge::Call(..) | Edge::Return(_) => None,
                })
            };
            let knots = Components::new(places.len(), steps, meter)?;
            let mut rank = Table::filled(0, places.len());
            for (at, &place) in (0..).zip(knots.all_members()) {
                rank[place] = at;
            }
            of.push(OfComponent { knots, rank });
        }
        Ok(Knots { of })
    }

    /// The knot of a place.
    #[inline]
    pub(super) fn knot(&self, comp: CompId, place: PlacePos) -> SccId {
        self.of[comp].knots.of(place)
    }

    /// The places of the knot of a place.
    pub(super) fn members(&self, comp: CompId, place: PlacePos) -> &[PlacePos] {
        let knots = &self.of[comp].knots;
        knots.members(knots.of(place))
    }

    /// The knots of a component, each with its places.
    pub(super) fn of(&self, comp: CompId) -> impl Iterator<Item = (SccId, &[PlacePos])> {
        let knots = &self.of[comp].knots;
        knots.ids().map(|knot| (knot, knots.members(knot)))
    }
}

/// The places of some frames that are to be looked at.
pub(super) struct Agenda<'a> {
    view: View<'a>,
    /// The frames, and the place in the order where those of each begin, the last frame first.
    frames: Range<usize>,
    /// By how much ranks count from behind: the end of the first frame's.
    end: usize,
    waiting: Vec<u64>,
    /// Where to look next, and the knot that is gone through, with its frame.
    cursor: usize,
    knot: Range<usize>,
    frame: FrameId,
}

impl<'a> Agenda<'a> {
    /// An empty agenda for all frames of a family.
    pub(super) fn everywhere(view: View<'a>) -> Self {
        Self::of(view, 0..view.family.len(), view.family.place_count())
    }

    /// An empty agenda for one frame.
    pub(super) fn within(view: View<'a>, frame: FrameId) -> Self {
        let end = view.family.first_place(frame) + view.places(frame).len();
        Self::of(view, frame.index()..frame.index() + 1, end)
    }

    fn of(view: View<'a>, frames: Range<usize>, end: usize) -> Self {
        let first = frames.clone().next().map_or(0, |it| view.family.first_place(FrameId::new(it)));
        let waiting = vec![0; bits::words_for(end - first)];
        let frame = FrameId::new(frames.start);
        Agenda { view, frames, end, waiting, cursor: 0, knot: 0..0, frame }
    }

    /// Where the ranks of a frame begin.
    fn first_rank(&self, frame: FrameId) -> usize {
        self.end - self.view.family.first_place(frame) - self.view.places(frame).len()
    }

    /// Has a place looked at.
    #[inline]
    pub(super) fn add(&mut self, frame: FrameId, place: PlaceId) {
        let comp = self.view.family.component[frame];
        let position = self.view.machine().place_pos(place);
        let rank = self.view.knots.of[comp].rank[position] as usize + self.first_rank(frame);
        self.waiting[rank / WORD] |= 1 << (rank % WORD);
        if rank < self.knot.start {
            // Something changed by way of a call: go on from there.
            self.cursor = rank;
            self.knot = rank..rank;
        }
    }

    /// The next place to be looked at.
    pub(super) fn next(&mut self) -> Option<(FrameId, PlaceId)> {
        let mut rank = self.waiting_from(self.cursor);
        if rank.is_none_or(|rank| rank >= self.knot.end) && !self.knot.is_empty() {
            // Once more, if there is something before.
            rank = self.waiting_from(self.knot.start);
        }
        let rank = rank?;
        self.waiting[rank / WORD] &= !(1 << (rank % WORD));
        let is_inside = self.knot.contains(&rank);
        let frame = if is_inside { self.frame } else { self.frame_of(rank) };
        let (comp, first) = (self.view.family.component[frame], self.first_rank(frame));
        let OfComponent { knots, .. } = &self.view.knots.of[comp];
        let position = knots.all_members()[rank - first];
        if !is_inside {
            self.frame = frame;
            let members = knots.members(knots.of(position));
            let of = &self.view.knots.of[comp];
            let begin = first + of.rank[members[0]] as usize;
            self.knot = begin..begin + members.len();
        }
        self.cursor = rank + 1;
        Some((frame, self.view.machine().place_at(comp, position)))
    }

    /// The first rank that is waiting, from one on.
    #[inline]
    fn waiting_from(&self, from: usize) -> Option<usize> {
        let mut at = from / WORD;
        let mut word = *self.waiting.get(at)? & (!0 << (from % WORD));
        while word == 0 {
            at += 1;
            word = *self.waiting.get(at)?;
        }
        Some(at * WORD + word.trailing_zeros() as usize)
    }

    /// The frame that a rank belongs to.
    fn frame_of(&self, rank: usize) -> FrameId {
        if self.frames.len() == 1 {
            return FrameId::new(self.frames.start);
        }
        // As a rule it is the one that was looked at last.
        let first = self.first_rank(self.frame);
        if (first..first + self.view.places(self.frame).len()).contains(&rank) {
            return self.frame;
        }
        // The first frame that begins at or before: ranks count from behind.
        let (mut low, mut high) = (self.frames.start, self.frames.end - 1);
        while low < high {
            let middle = low.midpoint(high);
            match self.first_rank(FrameId::new(middle)) <= rank {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        FrameId::new(low)
    }
}

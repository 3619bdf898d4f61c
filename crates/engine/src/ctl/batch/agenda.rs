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
use tern_model::{CompId, Edge, Id, Limit, Machine, Place, PlaceId};

const WORD: usize = u64::BITS as usize;

/// The knots of all components of a machine.
pub(crate) struct Knots {
    of: Table<CompId, Components<PlacePos>>,
    places: Table<PlaceId, InKnot>,
}

/// Where a place is. What is asked of a place all the time lies together, for the memory's sake.
#[derive(Clone, Copy)]
pub(super) struct InKnot {
    /// Its position in its component.
    pub(super) position: PlacePos,
    /// Where it is in the order of the knots of its component.
    rank: u32,
    /// Its knot, if there are others in it.
    pub(super) shared: Option<SccId>,
    /// Whether it is a node, and no return site.
    pub(super) is_node: bool,
}

impl Knots {
    pub(crate) fn new(machine: &Machine, meter: &mut Meter<'_>) -> Result<Self, Limit> {
        let mut of = Table::new();
        let nowhere = InKnot { position: PlacePos::new(0), rank: 0, shared: None, is_node: true };
        let mut in_knots = Table::filled(nowhere, machine.place_count());
        for comp in machine.components() {
            let places = machine.places_of(comp);
            let steps = |place: PlacePos| {
                machine.edges_at(places[place.index()]).iter().filter_map(|edge| match *edge {
                    Edge::Step(to) => Some(machine.node_pos(to)),
                    Edge::Call(..) | Edge::Return(_) => None,
                })
            };
            let knots = Components::new(places.len(), steps, meter)?;
            for (rank, &position) in (0..).zip(knots.all_members()) {
                let knot = knots.of(position);
                let shared = (knots.members(knot).len() > 1).then_some(knot);
                let place = places[position.index()];
                let is_node = matches!(machine.place(place), Place::Node(_));
                in_knots[place] = InKnot { position, rank, shared, is_node };
            }
            of.push(knots);
        }
        Ok(Knots { of, places: in_knots })
    }

    /// Where a place is.
    #[inline]
    pub(super) fn place(&self, place: PlaceId) -> InKnot {
        self.places[place]
    }

    /// The places of a knot.
    pub(super) fn members(&self, comp: CompId, knot: SccId) -> &[PlacePos] {
        self.of[comp].members(knot)
    }

    /// The knots of a component, each with its places.
    pub(super) fn of(&self, comp: CompId) -> impl Iterator<Item = (SccId, &[PlacePos])> {
        let knots = &self.of[comp];
        knots.ids().map(|knot| (knot, knots.members(knot)))
    }
}

/// The places of some frames that are to be looked at.
pub(super) struct Agenda<'a, const W: usize> {
    view: View<'a, W>,
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

impl<'a, const W: usize> Agenda<'a, W> {
    /// An empty agenda for all frames of a family.
    pub(super) fn everywhere(view: View<'a, W>) -> Self {
        Self::of(view, 0..view.family.len(), view.family.place_count())
    }

    /// An empty agenda for one frame.
    pub(super) fn within(view: View<'a, W>, frame: FrameId) -> Self {
        let end = view.family.first_place(frame) + view.places(frame).len();
        Self::of(view, frame.index()..frame.index() + 1, end)
    }

    fn of(view: View<'a, W>, frames: Range<usize>, end: usize) -> Self {
        let first = frames.clone().next().map_or(0, |it| view.family.first_place(FrameId::new(it)));
        let waiting = vec![0; bits::words_for(end - first)];
        let frame = FrameId::new(frames.start);
        Agenda { view, frames, end, waiting, cursor: 0, knot: 0..0, frame }
    }

    /// Where the ranks of a frame begin.
    fn first_rank(&self, frame: FrameId) -> usize {
        self.end - self.view.family.last_place(frame)
    }

    /// Has a place looked at.
    #[inline]
    pub(super) fn add(&mut self, frame: FrameId, place: InKnot) {
        let rank = place.rank as usize + self.first_rank(frame);
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
        let knots = &self.view.knots.of[comp];
        let place = self.view.machine().place_at(comp, knots.all_members()[rank - first]);
        if !is_inside {
            self.frame = frame;
            self.knot = match self.view.knots.place(place).shared {
                None => rank..rank + 1,
                Some(knot) => {
                    let members = knots.members(knot);
                    let begin = self.view.machine().place_at(comp, members[0]);
                    let begin = first + self.view.knots.place(begin).rank as usize;
                    begin..begin + members.len()
                }
            };
        }
        self.cursor = rank + 1;
        Some((frame, place))
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
        // As a rule it is the one that was looked at last, or one of those that come soon.
        let first = self.first_rank(self.frame);
        if (first..self.end - self.view.family.first_place(self.frame)).contains(&rank) {
            return self.frame;
        }
        // The first frame that begins at or before: ranks count from behind.
        let begins = |frame: usize| self.first_rank(FrameId::new(frame)) <= rank;
        let (mut low, mut high) = (self.frames.start, self.frames.end - 1);
        if begins(self.frame.index()) {
            high = self.frame.index();
            let mut stride = 1;
            while high >= low + stride && begins(high - stride) {
                high -= stride;
                stride *= 2;
            }
            low = low.max((high + 1).saturating_sub(stride));
        }
        while low < high {
            let middle = low.midpoint(high);
            match begins(middle) {
                true => high = middle,
                false => low = middle + 1,
            }
        }
        FrameId::new(low)
    }
}

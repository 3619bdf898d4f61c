//! Frames for many claims at once: in each lane, that is for each claim, other frames may be there.
//!
//! A [`Family`] is what [`Frames`] is for one claim, a deterministic automaton over stacks, in
//! every lane: a frame is there in some lanes, and a box of a frame leads to one frame in some
//! lanes and to another in others. Frames that are the same in several lanes are one, and this is
//! the point: what is computed of a frame is computed once, a word at a time.
//!
//! [`unfold`] finds the frames that stacks lead to. Lanes may come to a frame one after another; it
//! is visited again for those that are new, until no more come.

use super::lanes::Lanes;
use crate::ground::frames::{Frames, Modes};
use crate::ground::ids::{
    BoxPos, FamilyId, FrameId, ModeId, Positions, RootPos, Spans, StartId, positions,
};
use crate::ground::terrain::Terrain;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::hash::Hash;
use tern_model::budget::Meter;
use tern_model::index::{Lists, Table};
use tern_model::{BoxId, CompId, Id, Limit, Machine, NodeId, PlaceId, indices};

/// For each frame, who leads to it: a frame, a box, and in which lanes.
pub(super) type Callers<const W: usize> = Lists<FrameId, (FrameId, BoxId, Lanes<W>)>;

/// Why a batch is not decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A limit was reached.
    Limit(Limit),
    /// The claims have so little in common that it is less to decide them one by one.
    Apart,
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Stop::Limit(limit)
    }
}

indices! {
    /// A box of a frame.
    BoxSlot = "box of a frame ";
}

/// Components under stacks that are the same, lane by lane, to some operators.
pub(super) struct Family<const W: usize> {
    pub(super) component: Table<FrameId, CompId>,
    pub(super) mode: Table<FrameId, ModeId>,
    /// The lanes in which some stack leads to a frame.
    pub(super) lanes: Table<FrameId, Lanes<W>>,
    /// Where the boxes of all frames lead, where in that a box does, and where its frame's boxes
    /// are.
    links: Vec<(FrameId, Lanes<W>)>,
    link_spans: Spans<BoxSlot>,
    box_spans: Spans<FrameId>,
    /// The frame of the empty stack for each of the terrain's root components.
    pub(super) roots: Table<RootPos, FrameId>,
    /// Where the words of a frame lie in an array over the places of all frames.
    places: Spans<FrameId>,
    /// The starts of a frame: one for each called entry, none under the empty stack.
    starts: Spans<FrameId>,
    /// Coarser families that this one refines: which one, and the frame there of each here.
    pub(super) coarser: Vec<(FamilyId, Table<FrameId, FrameId>)>,
}

impl<const W: usize> Family<W> {
    fn new() -> Self {
        Family {
            component: Table::new(),
            mode: Table::new(),
            lanes: Table::new(),
            links: Vec::new(),
            link_spans: Spans::new(),
            box_spans: Spans::new(),
            roots: Table::new(),
            places: Spans::new(),
            starts: Spans::new(),
            coarser: Vec::new(),
        }
    }

    pub(super) fn ids(&self) -> impl DoubleEndedIterator<Item = FrameId> + use<W> {
        self.component.ids()
    }

    pub(super) fn len(&self) -> usize {
        self.component.len()
    }

    /// How many places all frames have together.
    pub(super) fn place_count(&self) -> usize {
        self.places.total()
    }

    /// Where the words of a frame begin in an array over the places of all frames.
    #[inline]
    pub(super) fn first_place(&self, frame: FrameId) -> usize {
        self.places.start(frame)
    }

    /// Where they end.
    #[inline]
    pub(super) fn last_place(&self, frame: FrameId) -> usize {
        self.places.of(frame).end
    }

    /// The words of a frame in an array over the places of all frames.
    #[inline]
    pub(super) fn words<'w>(&self, words: &'w [Lanes<W>], frame: FrameId) -> &'w [Lanes<W>] {
        &words[self.places.of(frame)]
    }

    /// Where a place of a frame is in an array over the places of all frames.
    #[inline]
    pub(super) fn at(&self, machine: &Machine, frame: FrameId, place: PlaceId) -> usize {
        self.places.start(frame) + machine.place_pos(place).index()
    }

    /// The frames that a box leads to, with disjoint lanes.
    #[inline]
    pub(super) fn links(&self, frame: FrameId, call: BoxPos) -> &[(FrameId, Lanes<W>)] {
        let slot = BoxSlot::new(self.box_spans.start(frame) + call.index());
        &self.links[self.link_spans.of(slot)]
    }

    /// The starts of a frame.
    pub(super) fn starts(&self, frame: FrameId) -> impl Iterator<Item = StartId> + use<W> {
        self.starts.of(frame).map(StartId::new)
    }

    /// The start of a frame at an entry, if it is one that is called.
    #[inline]
    pub(super) fn start(
        &self,
        terrain: &Terrain<'_>,
        frame: FrameId,
        entry: NodeId,
    ) -> Option<StartId> {
        let (starts, position) = (self.starts.of(frame), terrain.entry_pos(entry)?);
        (!starts.is_empty()).then(|| StartId::new(starts.start + position.index()))
    }

    /// For each frame, who leads to it: a frame, a box, and in which lanes.
    pub(super) fn callers(&self, machine: &Machine) -> Callers<W> {
        let mut pairs = Vec::with_capacity(self.links.len());
        for frame in self.ids() {
            for (position, &call) in positions(machine.boxes_of(self.component[frame])) {
                let links = self.links(frame, position).iter();
                pairs.extend(links.map(|&(callee, lanes)| (callee, (frame, call, lanes))));
            }
        }
        Lists::group(self.len(), &pairs)
    }

    /// The frame of a coarser family that a frame refines.
    pub(super) fn coarsened(&self, own: FamilyId, coarser: FamilyId, frame: FrameId) -> FrameId {
        if own == coarser {
            return frame;
        }
        let map = self.coarser.iter().find(|&&(family, _)| family == coarser);
        map.expect("the family refines it").1[frame]
    }

    /// What frames refine that refine this family, by the map `of`: it, and all that it refines.
    pub(super) fn inherited(
        &self,
        own: FamilyId,
        of: &Table<FrameId, FrameId>,
    ) -> Vec<(FamilyId, Table<FrameId, FrameId>)> {
        let through = |map: &Table<FrameId, FrameId>| of.iter().map(|(_, &to)| map[to]).collect();
        let mut coarser: Vec<_> =
            self.coarser.iter().map(|(family, map)| (*family, through(map))).collect();
        coarser.push((own, of.clone()));
        coarser
    }
}

/// What [`unfold`] asks for.
pub(super) trait Stacks<const W: usize> {
    /// What tells frames apart.
    type Key: Clone + Eq + Hash;
    /// The component and the mode of a frame.
    fn kind(&self, key: &Self::Key) -> (CompId, ModeId);
    /// Adds where a box leads from a frame in some lanes. Frames are numbered as they are found.
    fn leads(
        &mut self,
        number: FrameId,
        key: &Self::Key,
        call: BoxPos,
        lanes: Lanes<W>,
        to: &mut Vec<(Self::Key, Lanes<W>)>,
    ) -> Result<(), Stop>;
}

/// The frames that stacks lead to from the roots, at most so many, and what tells them apart.
pub(super) fn unfold<const W: usize, S: Stacks<W>>(
    terrain: &Terrain<'_>,
    modes: &Modes,
    stacks: &mut S,
    roots: &[S::Key],
    (all, most): (Lanes<W>, usize),
    meter: &mut Meter<'_>,
) -> Result<(Family<W>, Table<FrameId, S::Key>), Stop> {
    let machine = terrain.machine;
    let boxes = |comp| (0..machine.boxes_of(comp).len()).map(BoxPos::new);
    let mut found: Found<S::Key, W> = Found::default();
    let roots = roots.iter().map(|key| found.add(key.clone(), all)).collect();
    let mut to = Vec::new();
    while let Some(number) = found.queue.pop_front() {
        let fresh = std::mem::replace(&mut found.pending[number], Lanes::NONE);
        found.lanes[number] |= fresh;
        let key = found.keys[number].clone();
        for call in boxes(stacks.kind(&key).0) {
            meter.tick()?;
            stacks.leads(number, &key, call, fresh, &mut to)?;
            for (key, lanes) in to.drain(..) {
                found.add(key, lanes);
            }
        }
        if found.keys.len() > most {
            return Err(Stop::Apart);
        }
    }
    let mut family = Family::new();
    for (number, key) in found.keys.iter() {
        let (comp, mode) = stacks.kind(key);
        family.component.push(comp);
        family.mode.push(mode);
        family.lanes.push(found.lanes[number]);
        family.box_spans.push(machine.boxes_of(comp).len());
        family.places.push(machine.places_of(comp).len());
        let starts = if modes[mode].ended { 0 } else { terrain.called_entries(comp).len() };
        family.starts.push(starts);
        for call in boxes(comp) {
            meter.tick()?;
            stacks.leads(number, key, call, found.lanes[number], &mut to)?;
            family.link_spans.push(to.len());
            family.links.extend(to.drain(..).map(|(key, lanes)| (found.known[&key], lanes)));
        }
    }
    family.roots = roots;
    Ok((family, found.keys))
}

/// The frames that [`unfold`] has found so far.
struct Found<K, const W: usize> {
    keys: Table<FrameId, K>,
    known: FxHashMap<K, FrameId>,
    /// The lanes in which a frame was visited, and those in which it is to be.
    lanes: Table<FrameId, Lanes<W>>,
    pending: Table<FrameId, Lanes<W>>,
    queue: VecDeque<FrameId>,
}

impl<K, const W: usize> Default for Found<K, W> {
    fn default() -> Self {
        Found {
            keys: Table::new(),
            known: FxHashMap::default(),
            lanes: Table::new(),
            pending: Table::new(),
            queue: VecDeque::new(),
        }
    }
}

impl<K: Clone + Eq + Hash, const W: usize> Found<K, W> {
    /// Notes that stacks lead to a frame in some lanes; says its number.
    fn add(&mut self, key: K, lanes: Lanes<W>) -> FrameId {
        let number = *self.known.entry(key).or_insert_with_key(|key| {
            self.lanes.push(Lanes::NONE);
            self.pending.push(Lanes::NONE);
            self.keys.push(key.clone())
        });
        let fresh = lanes.less(self.lanes[number] | self.pending[number]);
        if !fresh.is_empty() {
            if self.pending[number].is_empty() {
                self.queue.push_back(number);
            }
            self.pending[number] |= fresh;
        }
        number
    }
}

/// The frames of one claim, in all lanes.
pub(super) struct Same<'f>(pub(super) &'f Frames);

impl<const W: usize> Stacks<W> for Same<'_> {
    type Key = FrameId;

    fn kind(&self, &frame: &FrameId) -> (CompId, ModeId) {
        (self.0.component[frame], self.0.mode[frame])
    }

    fn leads(
        &mut self,
        _: FrameId,
        &frame: &FrameId,
        call: BoxPos,
        lanes: Lanes<W>,
        to: &mut Vec<(FrameId, Lanes<W>)>,
    ) -> Result<(), Stop> {
        to.extend(self.0.link(frame, call).map(|callee| (callee, lanes)));
        Ok(())
    }
}

/// Frames that tell apart what either of two families does.
pub(super) struct Both<'f, const W: usize>(pub(super) &'f Family<W>, pub(super) &'f Family<W>);

impl<const W: usize> Stacks<W> for Both<'_, W> {
    type Key = (FrameId, FrameId);

    fn kind(&self, &(left, _): &(FrameId, FrameId)) -> (CompId, ModeId) {
        (self.0.component[left], self.0.mode[left])
    }

    fn leads(
        &mut self,
        _: FrameId,
        &(left, right): &(FrameId, FrameId),
        call: BoxPos,
        lanes: Lanes<W>,
        to: &mut Vec<((FrameId, FrameId), Lanes<W>)>,
    ) -> Result<(), Stop> {
        for &(a, in_a) in self.0.links(left, call) {
            for &(b, in_b) in self.1.links(right, call) {
                let both = lanes & in_a & in_b;
                if !both.is_empty() {
                    to.push(((a, b), both));
                }
            }
        }
        Ok(())
    }
}

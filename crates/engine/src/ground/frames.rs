//! Frames: components told apart by what lies below them on the stack, as far as it matters.
//!
//! A [`Frames`] is a deterministic automaton over stacks. It begins, for the empty stack, in the
//! root frame of the component at the bottom; every box of a frame links to the frame of its
//! callee. What an operator's value needs to know of a stack is said by the frame that the stack
//! leads to.
//!
//! The *base* frames know only what the step relation itself needs: whether the stack is empty, and
//! which exits are *closed* (the caller does not go on after them) where that can leave a node
//! stuck. Each operator refines the frames of its operands; see [`crate::ctl::eager`].

use crate::ground::bits;
use crate::ground::ids::{
    BoxPos, FamilyId, FrameId, ModeId, Positions, RootPos, Spans, StartId, positions,
};
use crate::ground::terrain::Terrain;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tern_model::budget::Meter;
use tern_model::index::{Lists, Table};
use tern_model::step::Below;
use tern_model::{BoxId, CompId, EndRule, ExitId, Id, Limit, Machine, NodeId};

/// What the step relation needs to know of the stack below a component.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mode {
    /// Whether there is nothing below: a return ends the program.
    pub(crate) ended: bool,
    /// The exits, by position, after which the caller does not go on; empty if there are none
    /// that matter.
    pub(crate) closed: Box<[u64]>,
}

impl Mode {
    /// What the stack says about returns.
    pub(crate) fn below<'m>(&'m self, machine: &'m Machine) -> Below<impl Fn(ExitId) -> bool + 'm> {
        if self.ended {
            return Below::Nothing(machine.end_rule());
        }
        let is_closed = |exit| bits::get(&self.closed, machine.exit_pos(exit));
        Below::Caller(move |exit| self.closed.is_empty() || !is_closed(exit))
    }

    /// Whether a node is its own successor by the rule for ends or for dead ends.
    pub(crate) fn stays(&self, machine: &Machine, node: NodeId) -> bool {
        self.below(machine).stays(machine.edges(node))
    }

    /// Whether returns go to the sink.
    pub(crate) fn sinks(&self, machine: &Machine) -> bool {
        matches!(self.below(machine), Below::Nothing(EndRule::Sink))
    }
}

/// The modes that the frames of a machine have.
pub(crate) type Modes = Table<ModeId, Mode>;

/// For each frame, the frames and boxes, by position, that lead to it.
pub(crate) type Callers = Lists<FrameId, (FrameId, BoxPos)>;

/// Components under stacks that are the same to some operators.
#[derive(Clone, Debug)]
pub(crate) struct Frames {
    pub(crate) component: Table<FrameId, CompId>,
    pub(crate) mode: Table<FrameId, ModeId>,
    /// For each frame, the frame that each box of its component leads to, by position; `None` for
    /// boxes that are never called.
    links: Vec<Option<FrameId>>,
    link_spans: Spans<FrameId>,
    /// The frame of the empty stack for each of the terrain's root components.
    pub(crate) roots: Table<RootPos, FrameId>,
    /// Where the row of a frame lies in rows of bits over the nodes of all frames.
    rows: Spans<FrameId>,
    /// Where the starts of a frame lie: one for each called entry, none if the mode is `ended`.
    starts: Spans<FrameId>,
    /// Coarser families of frames that these refine: which one, and the frame there of each here.
    coarser: Vec<(FamilyId, Table<FrameId, FrameId>)>,
}

impl Frames {
    pub(crate) fn new() -> Self {
        Frames {
            component: Table::new(),
            mode: Table::new(),
            links: Vec::new(),
            link_spans: Spans::new(),
            roots: Table::new(),
            rows: Spans::new(),
            starts: Spans::new(),
            coarser: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.component.len()
    }

    /// All frames, in order.
    pub(crate) fn ids(&self) -> impl ExactSizeIterator<Item = FrameId> + use<> {
        self.component.ids()
    }

    /// Adds a frame without links.
    pub(crate) fn push(
        &mut self,
        terrain: &Terrain<'_>,
        comp: CompId,
        mode: ModeId,
        ended: bool,
    ) -> FrameId {
        let id = self.component.push(comp);
        self.mode.push(mode);
        let boxes = terrain.machine.boxes_of(comp).len();
        self.links.resize(self.links.len() + boxes, None);
        self.link_spans.push(boxes);
        self.rows.push(terrain.row_words(comp));
        self.starts.push(if ended { 0 } else { terrain.called_entries(comp).len() });
        id
    }

    /// Adds a copy of a frame, with its links.
    pub(crate) fn push_copy(&mut self, terrain: &Terrain<'_>, frame: FrameId) -> FrameId {
        let (component, mode) = (self.component[frame], self.mode[frame]);
        let copy = self.push(terrain, component, mode, false);
        self.links.copy_within(self.link_spans.of(frame), self.link_spans.start(copy));
        copy
    }

    pub(crate) fn set_link(&mut self, frame: FrameId, call: BoxPos, callee: FrameId) {
        self.links[self.link_spans.start(frame) + call.index()] = Some(callee);
    }

    /// The frame that a box, by position, leads to.
    #[inline]
    pub(crate) fn link(&self, frame: FrameId, call: BoxPos) -> Option<FrameId> {
        self.links[self.link_spans.start(frame) + call.index()]
    }

    /// The frames that the boxes of a frame lead to.
    pub(crate) fn links_of(&self, frame: FrameId) -> &[Option<FrameId>] {
        &self.links[self.link_spans.of(frame)]
    }

    /// The boxes of a frame that are called, with the frames that they lead to.
    pub(crate) fn called_boxes(
        &self,
        frame: FrameId,
    ) -> impl Iterator<Item = (BoxPos, FrameId)> + '_ {
        positions(self.links_of(frame)).filter_map(|(call, &callee)| Some((call, callee?)))
    }

    /// For each frame, the frames and boxes that lead to it.
    pub(crate) fn callers(&self) -> Callers {
        let mut links = Vec::with_capacity(self.links.len());
        for frame in self.ids() {
            links.extend(self.called_boxes(frame).map(|(call, callee)| (callee, (frame, call))));
        }
        Lists::group(self.len(), &links)
    }

    /// The part of `rows` that belongs to a frame.
    #[inline]
    pub(crate) fn row<'r>(&self, rows: &'r [u64], frame: FrameId) -> &'r [u64] {
        &rows[self.rows.of(frame)]
    }

    /// How many words rows over all frames take.
    pub(crate) fn row_words(&self) -> usize {
        self.rows.total()
    }

    /// How many starts all frames have.
    pub(crate) fn start_count(&self) -> usize {
        self.starts.total()
    }

    /// The starts of a frame with their entries, in the order of the entries' positions.
    pub(crate) fn starts_of<'t>(
        &self,
        terrain: &'t Terrain<'_>,
        frame: FrameId,
    ) -> impl Iterator<Item = (StartId, NodeId)> + 't {
        let starts = self.starts.of(frame).map(StartId::new);
        starts.zip(terrain.called_entries(self.component[frame]).iter().copied())
    }

    /// The start of calling an entry through a box in a frame; `None` if that cannot happen.
    #[inline]
    pub(crate) fn called(
        &self,
        terrain: &Terrain<'_>,
        frame: FrameId,
        call: BoxId,
        entry: NodeId,
    ) -> Option<StartId> {
        let callee = self.link(frame, terrain.box_pos(call))?;
        let position = terrain.entry_pos(entry)?;
        Some(StartId::new(self.starts.start(callee) + position.index()))
    }

    /// The start of a frame at an entry; `None` if it is not called there.
    #[inline]
    pub(crate) fn start_at(
        &self,
        terrain: &Terrain<'_>,
        frame: FrameId,
        entry: NodeId,
    ) -> Option<StartId> {
        let starts = self.starts.of(frame);
        let position = terrain.entry_pos(entry)?;
        (!starts.is_empty()).then(|| StartId::new(starts.start + position.index()))
    }

    /// Whether these frames refine another family.
    pub(crate) fn refines(&self, coarser: FamilyId) -> bool {
        self.coarser.iter().any(|&(id, _)| id == coarser)
    }

    /// For each frame, the one that it refines in a coarser family; `None` if there is no such map.
    pub(crate) fn coarse_frames(&self, coarser: FamilyId) -> Option<&Table<FrameId, FrameId>> {
        self.coarser.iter().find(|&&(id, _)| id == coarser).map(|(_, map)| map)
    }

    /// The base frame that a frame refines.
    pub(crate) fn base_of(&self, frame: FrameId) -> FrameId {
        self.coarse_frames(FamilyId::base()).map_or(frame, |map| map[frame])
    }

    /// Says that each frame refines one of a parent, and all that the parent refines.
    pub(crate) fn refine(
        &mut self,
        parent_id: FamilyId,
        parent: &Frames,
        of: impl Iterator<Item = FrameId>,
    ) {
        let to_parent: Table<FrameId, FrameId> = of.collect();
        debug_assert_eq!(self.check_refines(parent, &to_parent), None);
        for (id, map) in &parent.coarser {
            if !self.refines(*id) {
                let through = to_parent.as_slice().iter().map(|&frame| map[frame]);
                self.coarser.push((*id, through.collect()));
            }
        }
        if !self.refines(parent_id) {
            self.coarser.push((parent_id, to_parent));
        }
    }

    /// Forgets the maps to coarser families but for those that are still asked for.
    pub(crate) fn forget_coarser(&mut self, is_needed: impl Fn(FamilyId) -> bool) {
        self.coarser.retain(|&(id, _)| is_needed(id));
    }

    /// What is wrong with a map to the frames of a parent, if anything: both are automata over
    /// stacks, and the map must be a homomorphism.
    fn check_refines(&self, parent: &Frames, to: &Table<FrameId, FrameId>) -> Option<&'static str> {
        if to.len() != self.len() {
            return Some("not every frame refines one");
        }
        for frame in self.ids() {
            let coarse = to[frame];
            if self.component[frame] != parent.component[coarse]
                || self.mode[frame] != parent.mode[coarse]
            {
                return Some("a frame refines one of another component or mode");
            }
            let mapped = self.links_of(frame).iter().map(|link| link.map(|callee| to[callee]));
            if !mapped.eq(parent.links_of(coarse).iter().copied()) {
                return Some("a box leads elsewhere in the coarser family");
            }
        }
        let mut roots = self.roots.iter().map(|(at, &root)| (at, to[root]));
        (!roots.all(|(at, root)| parent.roots[at] == root))
            .then_some("a root refines another frame")
    }
}

/// The base frames of a machine, and the modes that they have, which all claims share.
pub(crate) fn shared_base(
    terrain: &Terrain<'_>,
    meter: &mut Meter<'_>,
) -> Result<(Arc<Frames>, Modes), Limit> {
    if let Some((base, modes)) = terrain.base().get() {
        return Ok((Arc::clone(base), modes.clone()));
    }
    let (base, modes) = base(terrain, meter)?;
    let (base, modes) = terrain.base().get_or_init(|| (Arc::new(base), modes));
    Ok((Arc::clone(base), modes.clone()))
}

/// The base frames of a machine, and the modes that they have.
pub(crate) fn base(terrain: &Terrain<'_>, meter: &mut Meter<'_>) -> Result<(Frames, Modes), Limit> {
    let mut frames = Frames::new();
    let mut modes: Modes = Table::new();
    let mut mode_ids: FxHashMap<Mode, ModeId> = FxHashMap::default();
    let mut mode_id =
        |mode: Mode| *mode_ids.entry(mode).or_insert_with_key(|mode| modes.push(mode.clone()));
    let ended = mode_id(Mode { ended: true, closed: Box::default() });
    let mut known: FxHashMap<(CompId, ModeId), FrameId> = FxHashMap::default();
    for &comp in terrain.root_components() {
        let root = frames.push(terrain, comp, ended, true);
        known.insert((comp, ended), root);
        frames.roots.push(root);
    }
    let mut next = 0;
    while next < frames.len() {
        let id = FrameId::new(next);
        for (position, &call) in positions(terrain.machine.boxes_of(frames.component[id])) {
            meter.tick()?;
            if !terrain.is_called(call) {
                continue;
            }
            let callee = terrain.machine.callee(call);
            let mode = mode_id(Mode { ended: false, closed: terrain.closed_exits(call) });
            let frame = *known
                .entry((callee, mode))
                .or_insert_with(|| frames.push(terrain, callee, mode, false));
            frames.set_link(id, position, frame);
        }
        next += 1;
    }
    Ok((frames, modes))
}

/// Frames that tell apart what either of two families does.
///
/// Both are automata over stacks; this is the part of their product that stacks lead to.
pub(crate) fn product(
    terrain: &Terrain<'_>,
    modes: &Modes,
    (left_id, left): (FamilyId, &Frames),
    (right_id, right): (FamilyId, &Frames),
    meter: &mut Meter<'_>,
) -> Result<Frames, Limit> {
    let mut frames = Frames::new();
    let mut pairs: Vec<(FrameId, FrameId)> = Vec::new();
    let mut known: FxHashMap<(FrameId, FrameId), FrameId> = FxHashMap::default();
    let mut pair = |frames: &mut Frames, pairs: &mut Vec<_>, a: FrameId, b: FrameId| {
        *known.entry((a, b)).or_insert_with(|| {
            pairs.push((a, b));
            let mode = left.mode[a];
            frames.push(terrain, left.component[a], mode, modes[mode].ended)
        })
    };
    for (root, &a) in left.roots.iter() {
        let root = pair(&mut frames, &mut pairs, a, right.roots[root]);
        frames.roots.push(root);
    }
    let mut next = 0;
    while next < pairs.len() {
        let (a, b) = pairs[next];
        for (position, &to_a) in positions(left.links_of(a)) {
            meter.tick()?;
            // What is called does not depend on the stack: either both lead on, or neither.
            if let (Some(to_a), Some(to_b)) = (to_a, right.link(b, position)) {
                let frame = pair(&mut frames, &mut pairs, to_a, to_b);
                frames.set_link(FrameId::new(next), position, frame);
            }
        }
        next += 1;
    }
    frames.refine(left_id, left, pairs.iter().map(|&(a, _)| a));
    frames.refine(right_id, right, pairs.iter().map(|&(_, b)| b));
    Ok(frames)
}

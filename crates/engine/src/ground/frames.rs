//! Frames: components told apart by what lies below them on the stack, as far as it matters.
//!
//! A [`Frames`] is a deterministic automaton over stacks. It begins, for the empty stack, in the root
//! frame of the component at the bottom; every box of a frame links to the frame of its callee. What
//! an operator's value needs to know of a stack is said by the frame that the stack leads to.
//!
//! The *base* frames know only what the step relation itself needs: whether the stack is empty, and
//! which exits are *closed* (the caller does not go on after them) where that can leave a node stuck.
//! Each operator refines the frames of its operands; see [`crate::ctl::eager`].

use crate::ground::summary::NONE;
use crate::ground::terrain::Terrain;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::{BoxId, CompId, Limit, NodeId};

/// What the step relation needs to know of the stack below a component.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mode {
    /// Whether there is nothing below: a return ends the program.
    pub(crate) ended: bool,
    /// The exits, by position, after which the caller does not go on; empty if there are none
    /// that matter.
    pub(crate) closed: Box<[u64]>,
}

/// Components under stacks that are the same to some operators.
#[derive(Debug)]
pub(crate) struct Frames {
    pub(crate) component: Vec<CompId>,
    pub(crate) mode: Vec<u32>,
    /// For each frame, the frame that each box of its component leads to, by position; [`NONE`]
    /// for boxes that are never called.
    links: Vec<u32>,
    link_start: Vec<usize>,
    /// The frame of the empty stack for each of the terrain's root components.
    pub(crate) roots: Vec<u32>,
    /// Where the row of a frame begins in rows of bits over the nodes of all frames.
    pub(crate) row_start: Vec<usize>,
    /// Where the starts of a frame begin: one for each called entry, none if the mode is `ended`.
    pub(crate) first_start: Vec<u32>,
    /// Coarser families of frames that these refine: which one, and the frame there of each here.
    pub(crate) coarser: Vec<(usize, Vec<u32>)>,
}

impl Frames {
    pub(crate) fn new() -> Self {
        Frames {
            component: Vec::new(),
            mode: Vec::new(),
            links: Vec::new(),
            link_start: vec![0],
            roots: Vec::new(),
            row_start: vec![0],
            first_start: vec![0],
            coarser: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.component.len()
    }

    /// Adds a frame without links.
    pub(crate) fn push(
        &mut self,
        terrain: &Terrain<'_>,
        comp: CompId,
        mode: u32,
        ended: bool,
    ) -> u32 {
        let id = u32::try_from(self.len()).expect("fewer than 2^32 frames");
        self.component.push(comp);
        self.mode.push(mode);
        self.links.resize(self.links.len() + terrain.machine.boxes_of(comp).len(), NONE);
        self.link_start.push(self.links.len());
        self.row_start.push(self.row_start[id as usize] + terrain.row_words(comp));
        let starts = if ended { 0 } else { terrain.called_entries(comp).len() };
        let starts = u32::try_from(starts).expect("ids are 32 bits");
        self.first_start.push(self.first_start[id as usize] + starts);
        id
    }

    /// Adds a copy of a frame, with its links.
    pub(crate) fn push_copy(&mut self, terrain: &Terrain<'_>, frame: u32) -> u32 {
        let (component, mode) = (self.component[frame as usize], self.mode[frame as usize]);
        let copy = self.push(terrain, component, mode, false);
        for position in 0..self.links_of(frame).len() {
            self.set_link(copy, position, self.link(frame, position));
        }
        copy
    }

    pub(crate) fn set_link(&mut self, frame: u32, box_position: usize, callee: u32) {
        self.links[self.link_start[frame as usize] + box_position] = callee;
    }

    /// The frame that a box, by position, leads to.
    #[inline]
    pub(crate) fn link(&self, frame: u32, box_position: usize) -> u32 {
        self.links[self.link_start[frame as usize] + box_position]
    }

    pub(crate) fn links_of(&self, frame: u32) -> &[u32] {
        let frame = frame as usize;
        &self.links[self.link_start[frame]..self.link_start[frame + 1]]
    }

    /// The part of `rows` that belongs to a frame.
    #[inline]
    pub(crate) fn row<'r>(&self, rows: &'r [u64], frame: u32) -> &'r [u64] {
        &rows[self.row_start[frame as usize]..self.row_start[frame as usize + 1]]
    }

    /// How many words rows over all frames take.
    pub(crate) fn row_words(&self) -> usize {
        *self.row_start.last().expect("one more than there are frames")
    }

    /// The start of calling an entry through a box in a frame; [`NONE`] if that cannot happen.
    #[inline]
    pub(crate) fn called(
        &self,
        terrain: &Terrain<'_>,
        frame: u32,
        call: BoxId,
        entry: NodeId,
    ) -> u32 {
        let callee = self.link(frame, terrain.box_position(call));
        let position = terrain.entry_position(entry);
        if callee == NONE || position == NONE {
            return NONE;
        }
        self.first_start[callee as usize] + position
    }
}

/// The base frames of a machine, and the modes that they have.
pub(crate) fn base(
    terrain: &Terrain<'_>,
    meter: &mut Meter<'_>,
) -> Result<(Frames, Vec<Mode>), Limit> {
    let mut frames = Frames::new();
    let mut modes: Vec<Mode> = Vec::new();
    let mut mode_ids: FxHashMap<Mode, u32> = FxHashMap::default();
    let mut mode_id = |mode: Mode| {
        *mode_ids.entry(mode).or_insert_with_key(|mode| {
            modes.push(mode.clone());
            (modes.len() - 1) as u32
        })
    };
    let ended = mode_id(Mode { ended: true, closed: Box::default() });
    let mut known: FxHashMap<(CompId, u32), u32> = FxHashMap::default();
    for &comp in &terrain.root_components {
        let root = frames.push(terrain, comp, ended, true);
        known.insert((comp, ended), root);
        frames.roots.push(root);
    }
    let mut next = 0;
    while next < frames.len() {
        let comp = frames.component[next];
        for (position, &call) in terrain.machine.boxes_of(comp).iter().enumerate() {
            meter.tick()?;
            if !terrain.is_called(call) {
                continue;
            }
            let callee = terrain.machine.callee(call);
            let mode = mode_id(Mode { ended: false, closed: terrain.closed_exits(call) });
            let frame = *known
                .entry((callee, mode))
                .or_insert_with(|| frames.push(terrain, callee, mode, false));
            frames.set_link(next as u32, position, frame);
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
    modes: &[Mode],
    (left_id, left): (usize, &Frames),
    (right_id, right): (usize, &Frames),
    meter: &mut Meter<'_>,
) -> Result<Frames, Limit> {
    let mut frames = Frames::new();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut known: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut pair = |frames: &mut Frames, pairs: &mut Vec<(u32, u32)>, a: u32, b: u32| {
        *known.entry((a, b)).or_insert_with(|| {
            pairs.push((a, b));
            let mode = left.mode[a as usize];
            let ended = modes[mode as usize].ended;
            frames.push(terrain, left.component[a as usize], mode, ended)
        })
    };
    for (&a, &b) in left.roots.iter().zip(&right.roots) {
        let root = pair(&mut frames, &mut pairs, a, b);
        frames.roots.push(root);
    }
    let mut next = 0;
    while next < pairs.len() {
        let (a, b) = pairs[next];
        for position in 0..left.links_of(a).len() {
            meter.tick()?;
            let (to_a, to_b) = (left.link(a, position), right.link(b, position));
            if to_a != NONE {
                let frame = pair(&mut frames, &mut pairs, to_a, to_b);
                frames.set_link(next as u32, position, frame);
            }
        }
        next += 1;
    }
    frames.coarser = inherited(left_id, left, pairs.iter().map(|&(a, _)| a));
    let mut others = inherited(right_id, right, pairs.iter().map(|&(_, b)| b));
    others.retain(|(id, _)| frames.coarser.iter().all(|(known, _)| known != id));
    frames.coarser.append(&mut others);
    Ok(frames)
}

/// What frames refine that refine `parent` by the map `of`: the parent, and all that it refines.
pub(crate) fn inherited(
    parent_id: usize,
    parent: &Frames,
    of: impl Iterator<Item = u32>,
) -> Vec<(usize, Vec<u32>)> {
    let to_parent: Vec<u32> = of.collect();
    let mut coarser: Vec<(usize, Vec<u32>)> = parent
        .coarser
        .iter()
        .map(|(id, map)| (*id, to_parent.iter().map(|&frame| map[frame as usize]).collect()))
        .collect();
    coarser.push((parent_id, to_parent));
    coarser
}

//! Ids of what engines make of a machine, and positions of its parts within a component.
//!
//! A *position* counts the places, exits, boxes or called entries of one component; rows of bits
//! and flat arrays are laid out by positions. Each has a type of its own, so that the position of
//! an exit cannot be looked up among places.

use std::marker::PhantomData;
use std::ops::Range;
use tern_model::{CompId, ExitId, Id, Machine, NodeId, PlaceId, indices};

indices! {
    /// A frame of a family; see [`Frames`](crate::ground::frames::Frames).
    pub(crate) FrameId = "F";
    /// A family of frames.
    pub(crate) FamilyId = "family ";
    /// What the step relation needs to know of a stack; see [`Mode`](crate::ground::frames::Mode).
    pub(crate) ModeId = "mode ";
    /// Where runs begin in a frame; see [`summary`](crate::ground::summary).
    pub(crate) StartId = "s";
    /// The position of a place in its component: nodes first, then return sites.
    pub(crate) PlacePos = "place ";
    /// The position of an exit among those of its component.
    pub(crate) ExitPos = "exit ";
    /// The position of a box among those of its component.
    pub(crate) BoxPos = "box ";
    /// The position of an entry among those of its component that are called.
    pub(crate) EntryPos = "entry ";
    /// The position of a component among those with initial nodes.
    pub(crate) RootPos = "root ";
}

/// The positions of a machine's parts.
pub(crate) trait Positions {
    /// Where a place is in its component.
    fn place_pos(&self, place: PlaceId) -> PlacePos;
    /// Where a node is in its component.
    fn node_pos(&self, node: NodeId) -> PlacePos;
    /// Where an exit is in its component.
    fn exit_pos(&self, exit: ExitId) -> ExitPos;
    /// The exit of a component at a position.
    fn exit_at(&self, comp: CompId, position: ExitPos) -> ExitId;
    /// The place of a component at a position.
    fn place_at(&self, comp: CompId, position: PlacePos) -> PlaceId;
}

impl Positions for Machine {
    #[inline]
    fn place_pos(&self, place: PlaceId) -> PlacePos {
        PlacePos::new(self.place_position(place))
    }
    #[inline]
    fn node_pos(&self, node: NodeId) -> PlacePos {
        self.place_pos(self.node_place(node))
    }
    #[inline]
    fn exit_pos(&self, exit: ExitId) -> ExitPos {
        ExitPos::new(self.exit_position(exit))
    }
    #[inline]
    fn exit_at(&self, comp: CompId, position: ExitPos) -> ExitId {
        self.exits_of(comp)[position.index()]
    }
    #[inline]
    fn place_at(&self, comp: CompId, position: PlacePos) -> PlaceId {
        self.places_of(comp)[position.index()]
    }
}

/// Pairs the rows of a slice with ids in their order.
pub(crate) fn positions<I: Id, T>(rows: &[T]) -> impl Iterator<Item = (I, &T)> {
    rows.iter().enumerate().map(|(at, row)| (I::new(at), row))
}

/// Where the part of each row begins and ends in a flat array that holds the parts of all rows.
#[derive(Clone, Debug)]
pub(crate) struct Spans<I> {
    /// One more than there are rows: where each begins, and the end of the last.
    bounds: Vec<usize>,
    rows: PhantomData<fn(I)>,
}

impl<I: Id> Spans<I> {
    pub(crate) fn new() -> Self {
        Spans { bounds: vec![0], rows: PhantomData }
    }

    /// Appends a row whose part has this length.
    pub(crate) fn push(&mut self, len: usize) {
        self.bounds.push(self.total() + len);
    }

    /// Where the part of a row begins.
    #[inline]
    pub(crate) fn start(&self, row: I) -> usize {
        self.bounds[row.index()]
    }

    /// Where the part of a row lies.
    #[inline]
    pub(crate) fn of(&self, row: I) -> Range<usize> {
        self.bounds[row.index()]..self.bounds[row.index() + 1]
    }

    /// How long the parts of all rows are together.
    pub(crate) fn total(&self) -> usize {
        *self.bounds.last().expect("one more than there are rows")
    }
}

impl FamilyId {
    /// The family of the base frames, which is the first.
    pub(crate) fn base() -> Self {
        Self::new(0)
    }
}

/// An id as evidence names it.
pub(crate) fn raw(id: impl Id) -> u32 {
    u32::try_from(id.index()).expect("ids are 32 bits")
}

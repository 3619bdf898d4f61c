//! Copies: components under contexts that may be partly unknown, evaluated in three values.
//!
//! A *context* says for each exit and each inner operator of the claim whether the operator holds
//! after leaving by that exit: true, false or unknown. A *copy* is a frame with a context. At first
//! every box leads to a copy that knows nothing. Then, in rounds:
//!
//! 1. [`Copies::evaluate`] gives every operator a value at every place of every copy, as far as it
//!    follows: once with all that is unknown taken as false (what comes out is certain), once with
//!    it taken as true (what does not come out is impossible).
//! 2. The claim is known at the initial nodes? Done.
//! 3. A box whose return sites know more than the context of its callee *can be refined*: it is led
//!    to a copy with the richer context. See [`crate::ctl::refinement`].
//!
//! Copies that are the same to an operator's operands ([`crate::ctl::quotient`]) share what is
//! known of it without contexts, and those that agree on its bits too share its values.
//!
//! Bits that make no difference are never taken into a context: only those are asked for on which
//! the value at some node of the callee depends. Outermost operators have no bits at all.
//!
//! # Invariants
//! * Sound: a known value is right under every stack that leads to the copy.
//! * Monotone: refining a box makes no known value unknown.
//! * Canonical: copies of a component in equal mode with equal contexts are one.
//!
//! # Why some box can be refined while the claim is unknown
//! Take an innermost operator whose values are not all known. Its operands are, everywhere. At the
//! root there is no context, and calls are stepped over by summaries, so its values there are
//! known; hence a callee of the root that does not know them can be refined; and so on for all
//! copies that stacks lead to. When nothing can be refined, the operator is known everywhere, and
//! then the next. For the same reason no dependency cycles are left to be resolved at the end: what
//! the literature closes there (unknown `EG` to true, unknown `EU` to false) is closed within the
//! summaries.

mod evaluate;
mod refine;

use crate::ctl::plan::Plan;
use crate::ground::bits;
use crate::ground::frames::{Frames, Modes};
use crate::ground::ids::{FrameId, ModeId, PlacePos, Positions};
use crate::ground::lanes::tri;
use crate::ground::terrain::Terrain;
use evaluate::Ground;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{CompId, Id, NodeId, Stats, TermId, Tri, indices};

indices! {
    /// An operator's place in contexts.
    SlotId = "slot ";
}

/// What tells copies apart.
type Key = (CompId, ModeId, Context);

/// A context, as rows over the exits of a component: for each inner operator what is sure, then
/// what may be. Nothing is known where the first is false and the second true.
type Context = Box<[u64]>;

/// Values at the places of a copy, by lane.
type Lanes = [Vec<u64>; 2];

/// What is known of an operator in a copy.
struct Values {
    lanes: Lanes,
    /// The exits whose bits are unknown and asked for. Empty if there are none.
    asked: Box<[u64]>,
}

/// All copies that stacks lead to at the moment.
pub(crate) struct Copies<'a> {
    pub(crate) terrain: &'a Terrain<'a>,
    pub(crate) plan: Plan<'a>,
    pub(crate) modes: Modes,
    pub(crate) frames: Frames,
    contexts: Table<FrameId, Context>,
    known: FxHashMap<Key, FrameId>,
    /// The temporal terms, operands first.
    operators: Vec<TermId>,
    /// For a temporal term that has bits in contexts, which bits.
    slots: Table<TermId, Option<SlotId>>,
    slot_count: usize,
    /// For each temporal term, by copy: what is known of it there.
    values: Table<TermId, Table<FrameId, Rc<Values>>>,
    /// For each temporal term: what is known of it without contexts.
    grounds: Table<TermId, Option<Ground>>,
    pub(crate) stats: Stats,
    meter: Meter<'a>,
}

impl<'a> Copies<'a> {
    /// The copies of a machine that know nothing, not evaluated yet.
    pub(crate) fn new(
        terrain: &'a Terrain<'a>,
        plan: Plan<'a>,
        (frames, modes): (Frames, Modes),
        meter: Meter<'a>,
    ) -> Self {
        let terms = &plan.program.terms;
        let operators: Vec<TermId> =
            terms.iter().filter(|(_, term)| term.is_temporal()).map(|(id, _)| id).collect();
        let mut slots = Table::filled(None, terms.len());
        let mut slot_count = 0;
        for &id in operators.iter().filter(|&&id| plan.is_inner(id)) {
            slots[id] = Some(SlotId::new(slot_count));
            slot_count += 1;
        }
        let stats = Stats { copies: frames.len() as u64, ..Stats::default() };
        let mut copies = Copies {
            terrain,
            values: Table::filled(Table::new(), terms.len()),
            grounds: (0..terms.len()).map(|_| None).collect(),
            plan,
            modes,
            contexts: Table::new(),
            known: FxHashMap::default(),
            operators,
            slots,
            slot_count,
            frames,
            stats,
            meter,
        };
        for copy in copies.frames.ids() {
            let context = copies.ignorant_context(copy);
            copies.known.insert(copies.key(copy, context.clone()), copy);
            copies.contexts.push(context);
        }
        copies
    }

    fn key(&self, copy: FrameId, context: Context) -> Key {
        (self.frames.component[copy], self.frames.mode[copy], context)
    }

    fn exit_count(&self, copy: FrameId) -> usize {
        self.terrain.machine.exits_of(self.frames.component[copy]).len()
    }

    fn exit_words(&self, copy: FrameId) -> usize {
        bits::words_for(self.exit_count(copy))
    }

    fn ignorant_context(&self, copy: FrameId) -> Context {
        let words = self.exit_words(copy);
        let lanes = [0, u64::MAX].map(|fill| std::iter::repeat_n(fill, words));
        let slot = || lanes.clone().into_iter().flatten();
        (0..self.slot_count).flat_map(|_| slot()).collect()
    }

    /// What a copy's context says of an operator: a row over the exits, in each lane.
    fn context_row(&self, copy: FrameId, slot: SlotId, lane: usize) -> &[u64] {
        let words = self.exit_words(copy);
        &self.contexts[copy][slot_words(slot, lane, words)]
    }

    /// The value of a temporal term at a place of a copy.
    pub(crate) fn value(&self, id: TermId, copy: FrameId, position: PlacePos) -> Tri {
        let [sure, maybe] = &self.values[id][copy].lanes;
        tri([bits::get(sure, position), bits::get(maybe, position)])
    }

    /// The values of terms at a node of a copy; see [`Plan::values_at_node`].
    pub(crate) fn values_at(
        &self,
        steps: &[TermId],
        copy: FrameId,
        node: NodeId,
    ) -> FxHashMap<TermId, [bool; 2]> {
        let position = self.terrain.machine.node_pos(node);
        let truth =
            |id: TermId, lane: usize| bits::get(&self.values[id][copy].lanes[lane], position);
        self.plan.values_at_node(steps, node, truth)
    }

    /// The value of the claim at each initial node.
    pub(crate) fn at_initial(&self) -> Vec<Tri> {
        let root = self.plan.program.root;
        let steps = self.plan.steps(root);
        let value = |&node: &NodeId| {
            let copy = self.frames.roots[self.terrain.root_of(node)];
            tri(self.values_at(&steps, copy, node)[&root])
        };
        self.terrain.machine.initial().iter().map(value).collect()
    }
}

/// Where a context holds what is known of an operator in a lane, if rows over the exits take so
/// many words.
fn slot_words(slot: SlotId, lane: usize, words: usize) -> std::ops::Range<usize> {
    let at = (slot.index() * 2 + lane) * words;
    at..at + words
}

//! What follows from some context bits, and no others: the eager pass in three values.
//!
//! Contexts hold only bits that are *wanted*; what hangs on others is unknown. More bits can be wanted
//! later, and then only those operators are labelled anew that have such bits, or operands that do.
//! The values at all places are kept, so that one can ask why something is unknown ([`crate::ctl::reason`]).
//!
//! # Invariants
//! * Sound: a known value is right under every stack that leads to the frame.
//! * Monotone: what was known stays known when more bits are wanted.
//! * Contexts are never richer than those of [`crate::ctl::eager`].

use crate::ctl::eager::{Eager, Extent};
use crate::ctl::operator::{Operator, Prepared};
use crate::ctl::plan::Plan;
use crate::ctl::split::Context;
use crate::ground::bits;
use crate::ground::frames::Frames;
use crate::ground::ids::{ExitPos, FamilyId, FrameId, PlacePos, Positions};
use crate::ground::lanes::tri;
use crate::ground::terrain::Terrain;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;
use tern_model::index::Table;
use tern_model::logic::ctl::Program;
use tern_model::{Budget, Formulas, Id, Limit, NodeId, Stats, TermId, Tri};

/// A context bit: whether an operator holds after an exit, in all frames that refine a base frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ContextBit {
    operator: TermId,
    base: FrameId,
    exit: ExitPos,
}

/// Some context bits.
pub(crate) type ContextBits = FxHashSet<ContextBit>;

/// A program on a machine, as far as it is known from the wanted bits.
pub(crate) struct PartialLabelling<'a> {
    run: Eager<'a, 2>,
    wanted: ContextBits,
    /// For the temporal terms.
    labelled: Table<TermId, Option<Labelled>>,
}

/// What is known of an operator.
struct Labelled {
    /// The family of frames on which it is labelled, and that on which its operands were.
    family: FamilyId,
    ground: FamilyId,
    /// For each frame, the frame of the ground family that it refines.
    ground_of: Table<FrameId, FrameId>,
    /// With the operands' rows over the nodes of the ground family, in one lane or two.
    operator: Vec<Operator>,
    /// For each frame: the values at its places, by lane.
    values: Table<FrameId, [Vec<u64>; 2]>,
    /// For each frame: the exits, by position, whose bits matter and are unknown. Empty if none are.
    unknown: Table<FrameId, Box<[u64]>>,
}

impl<'a> PartialLabelling<'a> {
    /// What follows without any bits.
    pub(crate) fn new(
        terrain: &'a Terrain<'a>,
        formulas: &Formulas,
        program: &'a Program,
        budget: &'a Budget,
    ) -> Result<Self, Limit> {
        let run = Eager::new(terrain, formulas, program, Extent::Everywhere, budget)?;
        let labelled = (0..program.terms.len()).map(|_| None).collect();
        let mut partial = PartialLabelling { run, wanted: ContextBits::default(), labelled };
        partial.label(|_| false)?;
        Ok(partial)
    }

    /// Finds what follows from more bits.
    pub(crate) fn want(&mut self, more: &ContextBits) -> Result<(), Limit> {
        let mut touched = FixedBitSet::with_capacity(self.labelled.len());
        for bit in more {
            if self.wanted.insert(*bit) {
                touched.insert(bit.operator.index());
            }
        }
        self.label(|id| touched.contains(id.index()))
    }

    /// Labels the operators that are not labelled yet, are `touched`, or have such operands.
    fn label(&mut self, touched: impl Fn(TermId) -> bool) -> Result<(), Limit> {
        let program = self.run.plan.program;
        let mut anew = FixedBitSet::with_capacity(program.terms.len());
        for (id, term) in program.terms.iter() {
            let operand_is_new = term.operands().any(|operand| anew.contains(operand.index()));
            let is_old = !term.is_temporal() || self.labelled[id].is_some();
            if is_old && !operand_is_new && !touched(id) {
                continue;
            }
            anew.insert(id.index());
            if term.is_temporal() {
                self.labelled[id] = Some(self.label_operator(id)?);
            }
        }
        self.drop_unused();
        Ok(())
    }

    fn label_operator(&mut self, id: TermId) -> Result<Labelled, Limit> {
        let PartialLabelling { run, wanted, .. } = self;
        let (ground, lanes) = run.prepare(id, false)?;
        let frames = &run.families[ground];
        let base: Table<FrameId, FrameId> =
            frames.ids().map(|frame| frames.base_of(frame)).collect();
        let is_wanted = |frame: FrameId, exit: ExitPos| {
            wanted.contains(&ContextBit { operator: id, base: base[frame], exit })
        };
        let (family, split) = run.label(id, ground, &lanes, is_wanted)?;
        let unknown = |(frame, [sure, maybe]): &Context<2>| {
            let mut row = split.open[*frame].clone();
            if row.is_empty() {
                row = vec![0; maybe.len()].into();
            }
            for exit in bits::ones::<ExitPos>(maybe) {
                if sure.is_empty() || !bits::get(sure, exit) {
                    bits::insert(&mut row, exit);
                }
            }
            row
        };
        Ok(Labelled {
            family,
            ground,
            ground_of: split.contexts.as_slice().iter().map(|&(frame, _)| frame).collect(),
            operator: lanes.into_iter().map(Prepared::into_operator).collect(),
            unknown: split.contexts.as_slice().iter().map(unknown).collect(),
            values: split.values,
        })
    }

    /// Lets go of families on which nothing is labelled any more.
    fn drop_unused(&mut self) {
        let mut used = FixedBitSet::with_capacity(self.run.families.len());
        used.insert(FamilyId::base().index());
        for (_, labelled) in self.labelled.iter() {
            let families = labelled.iter().flat_map(|labelled| [labelled.family, labelled.ground]);
            used.extend(families.map(FamilyId::index));
        }
        for id in self.run.families.ids() {
            if !used.contains(id.index()) {
                self.run.families[id] = Frames::new();
            }
        }
    }

    fn labelled(&self, id: TermId) -> &Labelled {
        self.labelled[id].as_ref().expect("every operator is labelled")
    }

    pub(crate) fn terrain(&self) -> &'a Terrain<'a> {
        self.run.terrain
    }

    pub(crate) fn plan(&self) -> &Plan<'a> {
        &self.run.plan
    }

    pub(crate) fn stats(&self) -> Stats {
        self.run.stats
    }

    /// The value of the claim at each initial node.
    pub(crate) fn at_initial(&mut self) -> Result<Vec<Tri>, Limit> {
        Ok(self.run.at_initial()?.into_iter().map(tri).collect())
    }

    /// The frames on which an operator is labelled.
    pub(crate) fn frames(&self, id: TermId) -> &Frames {
        &self.run.families[self.labelled(id).family]
    }

    /// Which family of frames an operator is labelled on.
    pub(crate) fn family(&self, id: TermId) -> FamilyId {
        self.labelled(id).family
    }

    /// How many families of frames there are.
    pub(crate) fn family_count(&self) -> usize {
        self.run.families.len()
    }

    /// The frame of an operand that a frame of an operator refines.
    pub(crate) fn operand_frame(&self, id: TermId, frame: FrameId, operand: TermId) -> FrameId {
        let map = self.frames(id).coarse_frames(self.family(operand));
        map.map_or(frame, |map| map[frame])
    }

    /// The value of an operator at a place of one of its frames.
    #[inline]
    pub(crate) fn value(&self, id: TermId, frame: FrameId, position: PlacePos) -> Tri {
        let [sure, maybe] = &self.labelled(id).values[frame];
        tri([bits::get(sure, position), bits::get(maybe, position)])
    }

    /// The values of what an operator passes and of what it is to reach, if anything, at a node of
    /// one of its frames.
    pub(crate) fn operand_values(&self, id: TermId, frame: FrameId, node: NodeId) -> (Tri, Tri) {
        let labelled = self.labelled(id);
        let (machine, frames) = (self.run.terrain.machine, &self.run.families[labelled.ground]);
        let position = machine.node_pos(node);
        let ground = labelled.ground_of[frame];
        let (sure, maybe) = (&labelled.operator[0], labelled.operator.last());
        let maybe = maybe.unwrap_or(sure);
        let value = |rows: [&Vec<u64>; 2]| {
            tri(rows.map(|row| !row.is_empty() && bits::get(frames.row(row, ground), position)))
        };
        (value([&sure.pass, &maybe.pass]), value([&sure.goal, &maybe.goal]))
    }

    /// Whether it is unknown in a frame if an inner operator holds after an exit, and matters.
    pub(crate) fn is_open(&self, id: TermId, frame: FrameId, exit: ExitPos) -> bool {
        let row = &self.labelled(id).unknown[frame];
        self.run.plan.is_inner(id) && !row.is_empty() && bits::get(row, exit)
    }

    /// The context bit of an operator in a frame, as it is wanted or not.
    pub(crate) fn bit(&self, id: TermId, frame: FrameId, exit: ExitPos) -> ContextBit {
        ContextBit { operator: id, base: self.frames(id).base_of(frame), exit }
    }

    /// All bits that matter somewhere and are not wanted yet, in order.
    pub(crate) fn unwanted(&self) -> Vec<ContextBit> {
        let mut found = Vec::new();
        for (id, labelled) in self.labelled.iter() {
            let Some(labelled) = labelled else { continue };
            if self.run.plan.is_inner(id) {
                for (frame, row) in labelled.unknown.iter() {
                    let bits = bits::ones(row).map(|exit| self.bit(id, frame, exit));
                    found.extend(bits.filter(|bit| !self.is_wanted(bit)));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether a bit is wanted already.
    pub(crate) fn is_wanted(&self, bit: &ContextBit) -> bool {
        self.wanted.contains(bit)
    }
}

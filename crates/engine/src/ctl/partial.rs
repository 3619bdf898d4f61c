//! What follows from some context bits, and no others: the eager pass in three values.
//!
//! Contexts hold only bits that are *wanted*; what hangs on others is unknown. More bits can be
//! wanted later, and then only those operators are labelled anew that have such bits, or operands
//! that do. The values at all places are kept, so that one can ask why something is unknown
//! ([`crate::ctl::reason`]).
//!
//! # Invariants
//! * Sound: a known value is right under every stack that leads to the frame.
//! * Monotone: what was known stays known when more bits are wanted.
//! * Contexts are never richer than those of [`crate::ctl::eager`].

use crate::ctl::eager::{Eager, Extent, Finished, Grant};
use crate::ctl::operator::{Operator, Prepared};
use crate::ctl::plan::Plan;
use crate::ctl::split::{Context, Split};
use crate::ground::bits;
use crate::ground::frames::Frames;
use crate::ground::ids::{ExitPos, FamilyId, FrameId, PlacePos, Positions};
use crate::ground::lanes::tri;
use crate::ground::terrain::Terrain;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;
use std::sync::Arc;
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
    /// The operators to be labelled next, the first one last.
    pending: Vec<TermId>,
    /// Whether outermost operators are first evaluated at the roots only.
    roots_first: bool,
    /// Those that were: the family of their operands, and what is known without contexts.
    at_roots: Vec<(TermId, FamilyId, Vec<Prepared>)>,
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
    /// For each frame: the exits, by position, whose bits matter and are unknown. Empty if none
    /// are.
    unknown: Table<FrameId, Box<[u64]>>,
}

impl Labelled {
    /// How an operator came out.
    fn new(family: FamilyId, ground: FamilyId, operator: Vec<Operator>, split: Split<2>) -> Self {
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
        let contexts = split.contexts.as_slice().iter();
        Labelled {
            family,
            ground,
            ground_of: contexts.clone().map(|&(frame, _)| frame).collect(),
            operator,
            unknown: contexts.map(unknown).collect(),
            values: split.values,
        }
    }

    /// An operator that is known at all nodes. Nobody asks what it is due to.
    fn known(frames: &Frames, family: FamilyId, rows: &[u64]) -> Self {
        let value = |frame| [frames.row(rows, frame).to_vec(), frames.row(rows, frame).to_vec()];
        Labelled {
            family,
            ground: family,
            ground_of: frames.ids().collect(),
            operator: Vec::new(),
            values: frames.ids().map(value).collect(),
            unknown: Table::filled(Box::default(), frames.len()),
        }
    }
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
        let mut partial = PartialLabelling {
            run,
            wanted: ContextBits::default(),
            labelled,
            pending: Vec::new(),
            roots_first: false,
            at_roots: Vec::new(),
        };
        partial.note_pending(|_| false);
        partial.label_all()?;
        Ok(partial)
    }

    /// What an eager pass knows that has not found all contexts of an operator: those before are
    /// known, this one without any bits. The others are still to be labelled.
    pub(crate) fn of(eager: &Eager<'a, 1>) -> Result<Self, Limit> {
        let mut run = eager.in_two_lanes();
        let terms = eager.plan.program.terms.ids();
        let known = |id: TermId| {
            let (family, rows) = eager.rows_of(id)?;
            Some(Labelled::known(&eager.families[family], family, rows))
        };
        let mut labelled: Table<TermId, Option<Labelled>> = terms.map(known).collect();
        if let Some(unfinished) = &eager.unfinished {
            let (id, ground) = (unfinished.id, unfinished.ground);
            let split = run.without_bits(unfinished)?;
            let operators = vec![unfinished.lanes[0].operator().clone()];
            let (family, split) = run.keep(id, ground, split);
            labelled[id] = Some(Labelled::new(family, ground, operators, split));
        }
        let mut partial = PartialLabelling {
            run,
            wanted: ContextBits::default(),
            labelled,
            pending: Vec::new(),
            roots_first: true,
            at_roots: Vec::new(),
        };
        partial.note_pending(|_| false);
        Ok(partial)
    }

    /// Notes that more bits are wanted, and what is to be labelled for it.
    pub(crate) fn want(&mut self, more: &ContextBits) {
        let mut touched = FixedBitSet::with_capacity(self.labelled.len());
        for bit in more {
            if self.wanted.insert(*bit) {
                touched.insert(bit.operator.index());
            }
        }
        self.note_pending(|id| touched.contains(id.index()));
    }

    /// Notes that operators are to be labelled that are not yet, are `touched`, or have such
    /// operands.
    fn note_pending(&mut self, touched: impl Fn(TermId) -> bool) {
        let program = self.run.plan.program;
        let mut anew = FixedBitSet::with_capacity(program.terms.len());
        for (id, term) in program.terms.iter() {
            let operand_is_new = term.operands().any(|operand| anew.contains(operand.index()));
            let is_old = !term.is_temporal() || self.run.has(id);
            if is_old && !operand_is_new && !touched(id) {
                continue;
            }
            anew.insert(id.index());
            if term.is_temporal() {
                self.pending.push(id);
            }
        }
        self.at_roots.retain(|(id, ..)| !anew.contains(id.index()));
        self.pending.reverse();
    }

    /// Labels all operators that are to be.
    pub(crate) fn label_all(&mut self) -> Result<(), Limit> {
        while self.label_next(Grant::All)? {}
        Ok(())
    }

    /// Labels the next operator, or a part of it if not all its contexts are granted; says whether
    /// there was something to do.
    pub(crate) fn label_next(&mut self, grant: Grant) -> Result<bool, Limit> {
        if self.run.unfinished.is_some() {
            self.find_contexts(grant)?;
            return Ok(true);
        }
        let Some(id) = self.pending.pop() else { return Ok(false) };
        if let Some(at) = self.at_roots.iter().position(|&(known, ..)| known == id) {
            let (_, ground, lanes) = self.at_roots.swap_remove(at);
            self.label_operator(id, ground, lanes)?;
            self.find_contexts(grant)?;
            return Ok(true);
        }
        let (ground, lanes) = self.run.prepare(id, false)?;
        if self.roots_first && !self.run.plan.is_inner(id) {
            self.run.evaluate_roots(id, ground, &lanes)?;
            self.labelled[id] = None;
            self.at_roots.push((id, ground, lanes));
        } else {
            self.label_operator(id, ground, lanes)?;
            self.find_contexts(grant)?;
        }
        Ok(true)
    }

    /// Goes on with the operator that is being labelled.
    fn find_contexts(&mut self, grant: Grant) -> Result<(), Limit> {
        if let Some(Finished { id, ground, family, lanes, split }) =
            self.run.find_contexts(grant)?
        {
            let operators = lanes.into_iter().map(Prepared::into_operator).collect();
            self.labelled[id] = Some(Labelled::new(family, ground, operators, split));
            if self.pending.is_empty() {
                self.drop_unused();
            }
        }
        Ok(())
    }

    /// About how many edges the next step will look at, in two lanes.
    pub(crate) fn next_step(&self) -> u64 {
        let next = self.pending.last().filter(|_| self.run.unfinished.is_none());
        next.map_or(0, |&id| 2 * self.run.estimate(id))
    }

    /// Whether all operators are labelled that are to be.
    pub(crate) fn is_complete(&self) -> bool {
        self.pending.is_empty() && self.run.unfinished.is_none()
    }

    /// Notes that operators are to be labelled everywhere that were evaluated at the roots only,
    /// and are not known there. Says whether there are any.
    pub(crate) fn note_below_roots(&mut self) -> bool {
        let initial = self.run.terrain.machine.initial();
        let is_unknown = |id: TermId| {
            let mut nodes = initial.iter().enumerate();
            nodes.any(|(at, &node)| !self.value_at_initial(id, at, node).is_known())
        };
        let unknown = self.at_roots.iter().map(|&(id, ..)| id).filter(|&id| is_unknown(id));
        let unknown: Vec<TermId> = unknown.collect();
        self.pending.extend(unknown);
        !self.pending.is_empty()
    }

    /// Begins to label an operator everywhere.
    fn label_operator(
        &mut self,
        id: TermId,
        ground: FamilyId,
        lanes: Vec<Prepared>,
    ) -> Result<(), Limit> {
        let PartialLabelling { run, wanted, .. } = self;
        let frames = &run.families[ground];
        let base: Table<FrameId, FrameId> =
            frames.ids().map(|frame| frames.base_of(frame)).collect();
        let is_wanted = |frame: FrameId, exit: ExitPos| {
            wanted.contains(&ContextBit { operator: id, base: base[frame], exit })
        };
        run.label(id, ground, lanes, is_wanted)
    }

    /// Lets go of families on which nothing is labelled any more.
    fn drop_unused(&mut self) {
        let mut used = FixedBitSet::with_capacity(self.run.families.len());
        used.insert(FamilyId::base().index());
        for (_, labelled) in self.labelled.iter() {
            let families = labelled.iter().flat_map(|labelled| [labelled.family, labelled.ground]);
            used.extend(families.map(FamilyId::index));
        }
        used.extend(self.at_roots.iter().map(|(_, ground, _)| ground.index()));
        for id in self.run.families.ids() {
            if !used.contains(id.index()) {
                self.run.families[id] = Arc::new(Frames::new());
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

    /// The value of an operator at the initial node of this position.
    pub(crate) fn value_at_initial(&self, id: TermId, at: usize, node: NodeId) -> Tri {
        tri(self.run.value_at_initial(id, at, node))
    }

    /// Whether an operator is labelled everywhere, not only evaluated at the roots.
    pub(crate) fn is_labelled(&self, id: TermId) -> bool {
        self.labelled[id].is_some()
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

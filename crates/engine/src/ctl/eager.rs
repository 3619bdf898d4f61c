//! Eager checking of CTL: bottom-up over the subformulas, in all reachable contexts.
//!
//! For each temporal operator, operands first:
//!
//! 1. *Frames.* Take the frames on which all operands are labelled. One operand: its own frames.
//!    Several that are not refinements of each other: the reachable part of their product.
//! 2. *Inside.* Find where the operator is true without help from the caller ([`Prepared`]).
//! 3. *Contexts.* A bit of an exit matters in a frame only if some reachable node returns by it and
//!    is not true already. From the root frames down, evaluate each frame under its bits; the values
//!    at the return sites of a box are the bits of its callee. Equal (frame, relevant bits) are one new
//!    frame. Where no bit matters anywhere, the old frames serve on.
//!
//! An operator that no other temporal operator looks at is evaluated in the root frames only:
//! it needs no contexts of its own.
//!
//! # Invariants
//! * Exact: the row of a frame says where the operator holds under *every* stack that leads to it.
//! * The frames of an operator refine those of its operands.
//!
//! # Why it ends
//! A frame of n exits is split into at most 2^n new ones for each operator. All work between two
//! splits is linear in the edges of the frames, times their called entries.
//!
//! # Source
//! Alur, Chaudhuri, Etessami, Guha, Yannakakis: analysis of recursive state machines (the summaries),
//! and EagerCheck of Dubslaff, Wienhöft, Fehnker: Lazy model checking for recursive state machines,
//! SoSyM 2024. We depart: contexts are not guessed but computed from the root down; they hold bits of
//! one operator at a time and only those that matter; the outermost operators have none.

use crate::ctl::explain::proof::{self, Decided, Record};
use crate::ctl::operator::{Operator, Prepared, View};
use crate::ctl::plan::Plan;
use crate::ctl::split::{Context, Split, split};
use crate::ground::bits;
use crate::ground::frames::{self, Frames, Modes};
use crate::ground::ids::{ExitPos, FamilyId, FrameId, Positions, RootPos};
use crate::ground::terrain::Terrain;
use fixedbitset::FixedBitSet;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::logic::ctl::Program;
use tern_model::{Budget, Formulas, Id, Labelling, Limit, NodeId, Stats, TermId};

/// What was decided: the truth of a program at each initial node, in their order.
pub(crate) struct Decision {
    pub(crate) at_initial: Vec<bool>,
    pub(crate) stats: Stats,
}

/// Decides a program at the initial nodes.
pub(crate) fn decide(
    terrain: &Terrain<'_>,
    formulas: &Formulas,
    program: &Program,
    budget: &Budget,
) -> Result<Decision, Limit> {
    let mut run: Eager<'_, 1> = Eager::new(terrain, formulas, program, Extent::Initial, budget)?;
    run.all_operators()?;
    let at_initial = run.at_initial()?.into_iter().map(|[holds]| holds).collect();
    Ok(Decision { at_initial, stats: run.stats })
}

/// Decides a program in all configurations that can be reached.
pub(crate) fn decide_everywhere(
    terrain: &Terrain<'_>,
    formulas: &Formulas,
    program: &Program,
    budget: &Budget,
) -> Result<Decision, Limit> {
    let mut run: Eager<'_, 1> = Eager::new(terrain, formulas, program, Extent::Everywhere, budget)?;
    run.all_operators()?;
    let at_initial = run.at_initial()?.into_iter().map(|[holds]| holds).collect();
    Ok(Decision { at_initial, stats: run.stats })
}

/// Where a program holds.
pub(crate) struct Labelled {
    pub(crate) frames: Frames,
    /// Rows over the nodes of all frames.
    pub(crate) rows: Vec<u64>,
    pub(crate) stats: Stats,
}

/// The truth of a program in all configurations that can be reached.
pub(crate) fn label(
    terrain: &Terrain<'_>,
    formulas: &Formulas,
    program: &Program,
    budget: &Budget,
) -> Result<Labelled, Limit> {
    let mut run: Eager<'_, 1> = Eager::new(terrain, formulas, program, Extent::Everywhere, budget)?;
    run.all_operators()?;
    let leaves = run.plan.leaves([Some(program.root), None]);
    let family = run.common_family(&leaves)?;
    let [rows] = run.rows(program.root, family)?;
    let frames = std::mem::replace(&mut run.families[family], Frames::new());
    Ok(Labelled { frames, rows, stats: run.stats })
}

/// The truth of a program in all configurations, with a proof.
pub(crate) fn prove(
    terrain: &Terrain<'_>,
    formulas: &Formulas,
    program: &Program,
    budget: &Budget,
) -> Result<Labelling, Limit> {
    let mut run: Eager<'_, 1> = Eager::new(terrain, formulas, program, Extent::Proved, budget)?;
    run.all_operators()?;
    let Eager { plan, modes, families, truth, records, mut meter, .. } = run;
    let rows = |id: TermId| match &truth[id] {
        Some(Truth::Rows { rows: [rows], .. }) => rows.as_slice(),
        _ => unreachable!("every operator is decided everywhere"),
    };
    let decided = Decided {
        terrain,
        plan: &plan,
        modes: &modes,
        families: &families,
        records: &records,
        rows: &rows,
    };
    proof::labelling(&decided, &mut meter)
}

/// Which values are asked for.
#[derive(Clone, Copy)]
pub(crate) enum Extent {
    /// Those at the initial nodes.
    Initial,
    /// All values, of all operators in all contexts.
    Everywhere,
    /// All values, with what it takes to prove them.
    Proved,
}

/// Where a temporal term holds, by lane.
#[derive(Clone)]
enum Truth<const LANES: usize> {
    /// In each frame of a family: rows over the nodes of all frames.
    Rows { family: FamilyId, rows: [Vec<u64>; LANES] },
    /// At the initial nodes only, in their order.
    Initial(Vec<[bool; LANES]>),
}

/// One run over a program. In one lane all values are known; in two, what is sure and what may be.
pub(crate) struct Eager<'a, const LANES: usize> {
    pub(crate) terrain: &'a Terrain<'a>,
    pub(crate) plan: Plan<'a>,
    extent: Extent,
    modes: Modes,
    /// All families of frames made so far; the first are the base frames.
    pub(crate) families: Table<FamilyId, Frames>,
    /// For the temporal terms.
    truth: Table<TermId, Option<Truth<LANES>>>,
    /// If proofs are asked for: what each operator was decided from.
    records: Vec<Record>,
    pub(crate) stats: Stats,
    meter: Meter<'a>,
}

impl<'a, const LANES: usize> Eager<'a, LANES> {
    pub(crate) fn new(
        terrain: &'a Terrain<'a>,
        formulas: &Formulas,
        program: &'a Program,
        extent: Extent,
        budget: &'a Budget,
    ) -> Result<Self, Limit> {
        let mut meter = Meter::new(budget);
        let (base, modes) = frames::base(terrain, &mut meter)?;
        Ok(Eager {
            terrain,
            plan: Plan::new(terrain, formulas, program),
            extent,
            modes,
            stats: Stats { copies: base.len() as u64, ..Stats::default() },
            families: [base].into_iter().collect(),
            truth: Table::filled(None, program.terms.len()),
            records: Vec::new(),
            meter,
        })
    }

    fn all_operators(&mut self) -> Result<(), Limit> {
        let program = self.plan.program;
        for (id, term) in program.terms.iter() {
            if term.is_temporal() {
                self.operator(id)?;
            }
        }
        Ok(())
    }

    /// Decides one temporal term, whose operands are labelled.
    fn operator(&mut self, id: TermId) -> Result<(), Limit> {
        let log = matches!(self.extent, Extent::Proved);
        let everywhere = log || matches!(self.extent, Extent::Everywhere) || self.plan.is_inner(id);
        let (ground, mut lanes) = self.prepare(id, log)?;
        if everywhere {
            let (family, split) = self.label(id, ground, &lanes, |_, _| true)?;
            if log {
                let bits = |(frame, bits): Context<LANES>| (frame, bits[0].clone());
                let contexts = split.contexts.into_iter().map(bits).collect();
                let (prepared, relevant) = (lanes.swap_remove(0), split.relevant);
                let record = Record { term: id, ground, family, prepared, contexts, relevant };
                self.records.push(record);
            }
            return Ok(());
        }
        let Eager { terrain, modes, families, stats, meter, .. } = self;
        let view = View { terrain, frames: &families[ground], modes };
        let mut values: Table<RootPos, [Vec<u64>; LANES]> = Table::new();
        for (_, &root) in view.frames.roots.iter() {
            let mut rows = [const { Vec::new() }; LANES];
            for (row, prepared) in rows.iter_mut().zip(in_lanes::<LANES>(&lanes)) {
                *row = prepared.evaluate(view, root, &[], stats, meter)?;
            }
            values.push(rows);
        }
        let machine = terrain.machine;
        let value = |&node: &NodeId| {
            let position = machine.node_pos(node);
            let row = &values[terrain.root_of(node)];
            std::array::from_fn(|lane| bits::get(&row[lane], position))
        };
        self.truth[id] = Some(Truth::Initial(machine.initial().iter().map(value).collect()));
        Ok(())
    }

    /// Finds what is known of a temporal term without contexts: the family that its operands are
    /// labelled on, and the term in one lane or, where the operands are not known, in all.
    pub(crate) fn prepare(
        &mut self,
        id: TermId,
        log: bool,
    ) -> Result<(FamilyId, Vec<Prepared>), Limit> {
        let (kind, pass, goal) = self.plan.operator(id);
        let leaves = self.plan.leaves([Some(pass), goal]);
        let family = self.common_family(&leaves)?;
        let mut pass = self.rows(pass, family)?;
        let mut goal = match goal {
            Some(goal) => self.rows(goal, family)?,
            None => [const { Vec::new() }; LANES],
        };
        let in_sink = self.plan.in_sink(id);
        let Eager { terrain, modes, families, stats, meter, .. } = self;
        let view = View { terrain, frames: &families[family], modes };
        let exact = pass[0] == pass[LANES - 1] && goal[0] == goal[LANES - 1];
        let mut lanes = Vec::with_capacity(LANES);
        for lane in 0..if exact { 1 } else { LANES } {
            let (pass, goal) = (std::mem::take(&mut pass[lane]), std::mem::take(&mut goal[lane]));
            let operator = Operator { kind, pass, goal, in_sink };
            lanes.push(Prepared::new(view, operator, log, stats, meter)?);
        }
        Ok((family, lanes))
    }

    /// Labels a temporal term on the frames of its operands, split by its own context bits as far as
    /// these are wanted. Says which family that gives; the frames and rows are taken out of the split.
    pub(crate) fn label(
        &mut self,
        id: TermId,
        ground: FamilyId,
        lanes: &[Prepared],
        wanted: impl Fn(FrameId, ExitPos) -> bool + Sync,
    ) -> Result<(FamilyId, Split<LANES>), Limit> {
        let Eager { terrain, modes, families, stats, meter, .. } = self;
        let view = View { terrain, frames: &families[ground], modes };
        let prepared = in_lanes::<LANES>(lanes);
        let mut split = split(view, ground, prepared, wanted, stats, meter)?;
        let family = match split.finer.take() {
            None => ground,
            Some(frames) => {
                count_new(stats, &frames, ground);
                families.push(frames)
            }
        };
        let rows = std::mem::replace(&mut split.rows, [const { Vec::new() }; LANES]);
        self.truth[id] = Some(Truth::Rows { family, rows });
        Ok((family, split))
    }

    fn family_of(&self, id: TermId) -> FamilyId {
        match self.truth[id] {
            Some(Truth::Rows { family, .. }) => family,
            _ => unreachable!("operands are labelled everywhere"),
        }
    }

    /// A family of frames that refines those of all the given terms.
    fn common_family(&mut self, leaves: &[TermId]) -> Result<FamilyId, Limit> {
        let mut wanted: Vec<FamilyId> = leaves.iter().map(|&leaf| self.family_of(leaf)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut common = FamilyId::base();
        // Later families are finer, so begin there: much of the rest is refined already.
        for &family in wanted.iter().rev() {
            let refines = |fine, coarse| fine == coarse || self.families[fine].refines(coarse);
            if refines(common, family) {
                continue;
            }
            if refines(family, common) {
                common = family;
                continue;
            }
            let pair = [(common, &self.families[common]), (family, &self.families[family])];
            let product =
                frames::product(self.terrain, &self.modes, pair[0], pair[1], &mut self.meter)?;
            count_new(&mut self.stats, &product, common);
            common = self.families.push(product);
        }
        Ok(common)
    }

    /// The rows of a term, temporal or not, on a family that refines all it speaks of.
    fn rows(&mut self, root: TermId, family: FamilyId) -> Result<[Vec<u64>; LANES], Limit> {
        let Eager { plan, families, truth, meter, .. } = self;
        let row = |id: TermId, frame: FrameId, lane: usize| {
            truth_row(families, &truth[id], family, frame, lane)
        };
        plan.rows(root, &families[family], row, meter)
    }

    /// The truth of the whole program at each initial node.
    pub(crate) fn at_initial(&mut self) -> Result<Vec<[bool; LANES]>, Limit> {
        let machine = self.terrain.machine;
        let mut answers = Vec::with_capacity(machine.initial().len());
        for (i, &node) in machine.initial().iter().enumerate() {
            self.meter.tick()?;
            let root = self.terrain.root_of(node);
            let position = machine.node_pos(node);
            let truth = |id: TermId, lane: usize| match &self.truth[id] {
                Some(Truth::Initial(values)) => values[i][lane],
                Some(Truth::Rows { family, rows }) => {
                    let frames = &self.families[*family];
                    bits::get(frames.row(&rows[lane], frames.roots[root]), position)
                }
                None => unreachable!("operands come first"),
            };
            answers.push(self.plan.at_node(self.plan.program.root, node, truth));
        }
        Ok(answers)
    }
}

/// A term in each lane: the same in all, if it was prepared only once.
fn in_lanes<const LANES: usize>(lanes: &[Prepared]) -> [&Prepared; LANES] {
    std::array::from_fn(|lane| lanes.get(lane).unwrap_or(&lanes[0]))
}

/// Counts the frames of a family that are not merely taken over: all but one for each frame that
/// they refine.
fn count_new(stats: &mut Stats, frames: &Frames, coarser: FamilyId) {
    let map = frames.coarse_frames(coarser).expect("it refines it").as_slice();
    let taken_over: FixedBitSet = map.iter().map(|frame| frame.index()).collect();
    let new = (frames.len() - taken_over.count_ones(..)) as u64;
    stats.contexts += new;
    stats.copies += new;
}

/// The row of a temporal term in a frame of a family that refines the one it is labelled on.
fn truth_row<'a, const LANES: usize>(
    families: &'a Table<FamilyId, Frames>,
    truth: &'a Option<Truth<LANES>>,
    family: FamilyId,
    frame: FrameId,
    lane: usize,
) -> &'a [u64] {
    let Some(Truth::Rows { family: own, rows }) = truth else {
        unreachable!("operands are labelled everywhere")
    };
    let own_frame = if *own == family {
        frame
    } else {
        families[family].coarse_frames(*own).expect("the family refines it")[frame]
    };
    families[*own].row(&rows[lane], own_frame)
}

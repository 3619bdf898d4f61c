//! Eager checking of CTL: bottom-up over the subformulas, in all reachable contexts.
//!
//! For each temporal operator, operands first:
//!
//! 1. *Frames.* Take the frames on which all operands are labelled. One operand: its own frames.
//!    Several that are not refinements of each other: the reachable part of their product.
//! 2. *Inside.* Find where the operator is true without help from the caller ([`Prepared`]).
//! 3. *Contexts.* A bit of an exit matters in a frame only if some reachable node returns by it and
//!    is not true already. From the root frames down, evaluate each frame under its bits; the
//!    values at the return sites of a box are the bits of its callee. Equal (frame, relevant bits)
//!    are one new frame. Where no bit matters anywhere, the old frames serve on.
//!
//! An operator that no other temporal operator looks at is evaluated in the root frames only:
//! it needs no contexts of its own.
//!
//! # Invariants
//! * Exact: the row of a frame says where the operator holds under *every* stack that leads to it.
//! * The frames of an operator refine those of its operands.
//!
//! * A family keeps maps to those coarser ones only that operators to come, or the one it was made
//!   for, have operands on: n operators inside each other may have n families of up to n frames,
//!   and with all maps between them that would be n³ numbers.
//!
//! # Why it ends
//! A frame of n exits is split into at most 2^n new ones for each operator. All work between two
//! splits is linear in the edges of the frames, times their called entries.
//!
//! # Source
//! Alur, Chaudhuri, Etessami, Guha, Yannakakis: analysis of recursive state machines (the
//! summaries), and EagerCheck of Dubslaff, Wienhöft, Fehnker: Lazy model checking for recursive
//! state machines, SoSyM 2024. We depart: contexts are not guessed but computed from the root down;
//! they hold bits of one operator at a time and only those that matter; the outermost operators
//! have none.

use crate::ctl::explain::proof::{self, Decided, Record};
use crate::ctl::operator::{Operator, Prepared, View};
use crate::ctl::plan::Plan;
use crate::ctl::split::{Context, Split, Splitting};
use crate::ground::bits;
use crate::ground::frames::{self, Frames, Modes};
use crate::ground::ids::{ExitPos, FamilyId, FrameId, Positions, RootPos};
use crate::ground::terrain::Terrain;
use fixedbitset::FixedBitSet;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
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
    run.advance(Grant::All)?;
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
    run.advance(Grant::All)?;
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
    run.advance(Grant::All)?;
    let leaves = run.plan.leaves([Some(program.root), None]);
    let family = run.common_family(&leaves)?;
    let [rows] = run.rows(program.root, family)?;
    let frames = std::mem::replace(&mut run.families[family], Arc::new(Frames::new()));
    Ok(Labelled { frames: Arc::unwrap_or_clone(frames), rows, stats: run.stats })
}

/// The truth of a program in all configurations, with a proof.
pub(crate) fn prove(
    terrain: &Terrain<'_>,
    formulas: &Formulas,
    program: &Program,
    budget: &Budget,
) -> Result<Labelling, Limit> {
    let mut run: Eager<'_, 1> = Eager::new(terrain, formulas, program, Extent::Proved, budget)?;
    run.advance(Grant::All)?;
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

/// How far a pass may go.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Grant {
    /// To the end.
    All,
    /// While the contexts of each operator cost little beside what it costs without them.
    FewContexts,
    /// Until so many edges have been looked at.
    Edges(u64),
}

/// Contexts are few if there cannot be more: their frames have at most so many times the places of
/// the base frames, whatever their bits are.
const SURELY_FEW: usize = 4;

/// Or if finding them looks at no more edges than the operator did without them, times this; and if
/// their frames have at most so many times the places of the operands' frames, and of the base
/// frames.
const FEW_EDGES: u64 = 2;
const FEW_PLACES: usize = 4;
const FEW_PLACES_IN_ALL: usize = 32;

/// An operator whose contexts are not all found.
pub(crate) struct Unfinished<const LANES: usize> {
    pub(crate) id: TermId,
    /// The family of its operands.
    pub(crate) ground: FamilyId,
    pub(crate) lanes: Vec<Prepared>,
    pub(crate) splitting: Splitting<LANES>,
    /// How many edges had been looked at before it, and before its contexts.
    before: u64,
    grounded: u64,
}

/// An operator whose contexts are all found.
pub(crate) struct Finished<const LANES: usize> {
    pub(crate) id: TermId,
    /// The family of its operands, and that on which it is labelled.
    pub(crate) ground: FamilyId,
    pub(crate) family: FamilyId,
    pub(crate) lanes: Vec<Prepared>,
    /// How it came out; its frames and rows are taken out.
    pub(crate) split: Split<LANES>,
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
    pub(crate) plan: Rc<Plan<'a>>,
    extent: Extent,
    modes: Modes,
    /// All families of frames made so far; the first are the base frames.
    pub(crate) families: Table<FamilyId, Arc<Frames>>,
    /// The temporal terms that are not begun yet, operands first.
    operators: std::vec::IntoIter<TermId>,
    /// For each temporal term, how many operators are still to begin when the last one that has it
    /// as an operand begins; `None` if no operator has.
    last_use: Rc<Table<TermId, Option<usize>>>,
    pub(crate) unfinished: Option<Unfinished<LANES>>,
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
        let (base, modes) = frames::shared_base(terrain, &mut meter)?;
        let plan = Rc::new(Plan::new(terrain, formulas, program));
        let last_use = Rc::new(last_uses(&plan, program));
        Ok(Eager {
            terrain,
            plan,
            last_use,
            extent,
            modes,
            stats: Stats { copies: base.len() as u64, ..Stats::default() },
            families: [base].into_iter().collect(),
            operators: operators(program).into_iter(),
            unfinished: None,
            truth: Table::filled(None, program.terms.len()),
            records: Vec::new(),
            meter,
        })
    }

    /// Goes on as far as is granted. Says whether all operators are decided.
    pub(crate) fn advance(&mut self, grant: Grant) -> Result<bool, Limit> {
        loop {
            if self.unfinished.is_some() {
                let Some(finished) = self.find_contexts(grant)? else { return Ok(false) };
                self.record(finished);
            }
            let Some(&id) = self.operators.as_slice().first() else { return Ok(true) };
            if let Grant::Edges(most) = grant
                && self.stats.edges + self.estimate(id) > most
            {
                return Ok(false);
            }
            self.operators.next();
            self.begin(id)?;
        }
    }

    /// About how many edges an operator will look at without contexts, whose operands are labelled:
    /// each in its frames once.
    pub(crate) fn estimate(&self, id: TermId) -> u64 {
        let (_, pass, goal) = self.plan.operator(id);
        let edges = |family: FamilyId| -> u64 {
            let components = self.families[family].component.as_slice().iter();
            components.map(|&comp| self.terrain.edge_count(comp) as u64).sum()
        };
        let leaves = self.plan.leaves([Some(pass), goal]);
        let families = leaves.iter().map(|&leaf| edges(self.family_of(leaf)));
        families.max().unwrap_or_else(|| edges(FamilyId::base()))
    }

    /// About how many edges the next step will look at. A context is a small step.
    pub(crate) fn next_step(&self) -> u64 {
        match (&self.unfinished, self.operators.as_slice().first()) {
            (None, Some(&id)) => self.estimate(id),
            _ => 0,
        }
    }

    /// Whether reasons are kept, for a proof.
    fn logs(&self) -> bool {
        matches!(self.extent, Extent::Proved)
    }

    /// Decides one temporal term, whose operands are labelled, as far as it takes no contexts.
    fn begin(&mut self, id: TermId) -> Result<(), Limit> {
        let everywhere = matches!(self.extent, Extent::Everywhere | Extent::Proved);
        let before = self.stats.edges;
        let (ground, lanes) = self.prepare(id, self.logs())?;
        if !everywhere && !self.plan.is_inner(id) {
            return self.evaluate_roots(id, ground, &lanes);
        }
        self.label(id, ground, lanes, |_, _| true)?;
        if let Some(unfinished) = &mut self.unfinished {
            unfinished.before = before;
        }
        Ok(())
    }

    /// Finds the contexts of the unfinished operator as far as is granted; if that is all of them,
    /// says how it came out.
    pub(crate) fn find_contexts(&mut self, grant: Grant) -> Result<Option<Finished<LANES>>, Limit> {
        let Some(mut unfinished) = self.unfinished.take() else { return Ok(None) };
        let Unfinished { id, ground, before, grounded, .. } = unfinished;
        // What `EF` takes from the survey counts as if it had been looked for.
        let surveyed = if self.plan.is_free(id) { self.estimate(id) } else { 0 };
        let Eager { terrain, modes, families, stats, meter, .. } = self;
        let view = View { terrain, frames: &families[ground], modes };
        let base = place_count(terrain, &families[FamilyId::base()]);
        let operands = place_count(terrain, view.frames);
        let surely_few = unfinished.splitting.most_places(view) <= SURELY_FEW * base;
        let most_edges = grounded + FEW_EDGES * (grounded - before + surveyed);
        let most_places = (FEW_PLACES * operands).min(FEW_PLACES_IN_ALL * base);
        let may_go_on = |edges: u64, places: usize| match grant {
            Grant::All => true,
            Grant::FewContexts => surely_few || edges <= most_edges && places <= most_places,
            Grant::Edges(most) => edges < most,
        };
        let lanes = in_lanes::<LANES>(&unfinished.lanes);
        if !unfinished.splitting.advance(view, lanes, may_go_on, stats, meter)? {
            self.unfinished = Some(unfinished);
            return Ok(None);
        }
        let Unfinished { lanes, splitting, .. } = unfinished;
        let split = splitting.finish(view, ground);
        let (family, split) = self.keep(id, ground, split);
        Ok(Some(Finished { id, ground, family, lanes, split }))
    }

    /// Keeps what an operator was decided from, if that is asked for.
    fn record(&mut self, finished: Finished<LANES>) {
        if self.logs() {
            let Finished { id, ground, family, mut lanes, split } = finished;
            let bits = |(frame, bits): Context<LANES>| (frame, bits[0].clone());
            let contexts = split.contexts.into_iter().map(bits).collect();
            let (prepared, relevant) = (lanes.swap_remove(0), split.relevant);
            let record = Record { term: id, ground, family, prepared, contexts, relevant };
            self.records.push(record);
        }
    }

    /// Decides a temporal term at the initial nodes.
    pub(crate) fn evaluate_roots(
        &mut self,
        id: TermId,
        ground: FamilyId,
        lanes: &[Prepared],
    ) -> Result<(), Limit> {
        let Eager { terrain, modes, families, stats, meter, .. } = self;
        let view = View { terrain, frames: &families[ground], modes };
        let machine = terrain.machine;
        // The rows of root frames, where it takes one.
        let empty = [const { Vec::new() }; LANES];
        let mut rows: Table<RootPos, [Vec<u64>; LANES]> =
            Table::filled(empty, view.frames.roots.len());
        let mut values = Vec::with_capacity(machine.initial().len());
        for &node in machine.initial() {
            let root = terrain.root_of(node);
            let frame = view.frames.roots[root];
            let mut value = [false; LANES];
            for (lane, prepared) in in_lanes::<LANES>(lanes).into_iter().enumerate() {
                let at_once = prepared.at_root(view, frame, node, stats, meter)?;
                let row = &mut rows[root][lane];
                if at_once.is_none() && row.is_empty() {
                    *row = prepared.evaluate(view, frame, &[], stats, meter)?;
                }
                value[lane] = at_once.unwrap_or_else(|| bits::get(row, machine.node_pos(node)));
            }
            values.push(value);
        }
        self.truth[id] = Some(Truth::Initial(values));
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
        let is_free = self.plan.is_free(id);
        let Eager { terrain, modes, families, stats, meter, .. } = self;
        let view = View { terrain, frames: &families[family], modes };
        let exact = pass[0] == pass[LANES - 1] && goal[0] == goal[LANES - 1];
        let mut lanes = Vec::with_capacity(LANES);
        for lane in 0..if exact { 1 } else { LANES } {
            let (pass, goal) = (std::mem::take(&mut pass[lane]), std::mem::take(&mut goal[lane]));
            let operator = Operator { kind, pass, goal, in_sink, is_free };
            lanes.push(Prepared::new(view, operator, log, stats, meter)?);
        }
        Ok((family, lanes))
    }

    /// Begins to label a temporal term on the frames of its operands, split by its own context bits
    /// as far as these are wanted.
    pub(crate) fn label(
        &mut self,
        id: TermId,
        ground: FamilyId,
        lanes: Vec<Prepared>,
        wanted: impl Fn(FrameId, ExitPos) -> bool + Sync,
    ) -> Result<(), Limit> {
        let Eager { terrain, modes, families, stats, meter, .. } = self;
        let view = View { terrain, frames: &families[ground], modes };
        let before = stats.edges;
        let splitting = Splitting::new(view, in_lanes::<LANES>(&lanes), wanted, stats, meter)?;
        let grounded = stats.edges;
        self.unfinished = Some(Unfinished { id, ground, lanes, splitting, before, grounded });
        Ok(())
    }

    /// Keeps how a temporal term came out. Says which family it is labelled on; the frames and rows
    /// are taken out of the split.
    pub(crate) fn keep(
        &mut self,
        id: TermId,
        ground: FamilyId,
        mut split: Split<LANES>,
    ) -> (FamilyId, Split<LANES>) {
        let family = match split.finer.take() {
            None => ground,
            Some(mut frames) => {
                count_new(&mut self.stats, &frames, ground);
                if LANES == 1 && matches!(self.extent, Extent::Initial) {
                    let needed = self.needed_families(ground);
                    frames.forget_coarser(|family| needed.contains(&family));
                }
                self.families.push(Arc::new(frames))
            }
        };
        let rows = std::mem::replace(&mut split.rows, [const { Vec::new() }; LANES]);
        self.truth[id] = Some(Truth::Rows { family, rows });
        (family, split)
    }

    /// The families that operators to come, and the one that was begun last, have operands on; with
    /// the base, and the ground of that operator.
    fn needed_families(&self, ground: FamilyId) -> BTreeSet<FamilyId> {
        let to_begin = self.operators.as_slice().len();
        let used = self.truth.iter().filter_map(|(id, truth)| match truth {
            Some(Truth::Rows { family, .. }) => {
                self.last_use[id].filter(|&then| then <= to_begin).map(|_| *family)
            }
            _ => None,
        });
        used.chain([FamilyId::base(), ground]).collect()
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
            let pair = [(common, &*self.families[common]), (family, &*self.families[family])];
            let product =
                frames::product(self.terrain, &self.modes, pair[0], pair[1], &mut self.meter)?;
            count_new(&mut self.stats, &product, common);
            common = self.families.push(Arc::new(product));
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

    /// Whether a temporal term is decided, everywhere or at the initial nodes.
    pub(crate) fn has(&self, id: TermId) -> bool {
        self.truth[id].is_some()
    }

    /// The truth of the whole program at each initial node.
    pub(crate) fn at_initial(&mut self) -> Result<Vec<[bool; LANES]>, Limit> {
        let machine = self.terrain.machine;
        let mut answers = Vec::with_capacity(machine.initial().len());
        for (i, &node) in machine.initial().iter().enumerate() {
            self.meter.tick()?;
            let truth = |id: TermId, lane: usize| self.value_at_initial(id, i, node)[lane];
            answers.push(self.plan.at_node(self.plan.program.root, node, truth));
        }
        Ok(answers)
    }

    /// The truth of a temporal term at the initial node of this position.
    pub(crate) fn value_at_initial(&self, id: TermId, at: usize, node: NodeId) -> [bool; LANES] {
        match &self.truth[id] {
            Some(Truth::Initial(values)) => values[at],
            Some(Truth::Rows { family, rows }) => {
                let frames = &self.families[*family];
                let root = frames.roots[self.terrain.root_of(node)];
                let position = self.terrain.machine.node_pos(node);
                std::array::from_fn(|lane| bits::get(frames.row(&rows[lane], root), position))
            }
            None => unreachable!("operands come first"),
        }
    }
}

impl Eager<'_, 2> {
    /// An operator whose contexts are not all found, as far as it is known without them.
    pub(crate) fn without_bits(&mut self, unfinished: &Unfinished<1>) -> Result<Split<2>, Limit> {
        let Eager { terrain, modes, families, stats, meter, .. } = self;
        let view = View { terrain, frames: &families[unfinished.ground], modes };
        unfinished.splitting.without_bits(view, &unfinished.lanes[0], stats, meter)
    }
}

impl<'a> Eager<'a, 1> {
    /// The same pass in two lanes, as far as it has come; it shares the frames. Its work is counted
    /// anew.
    pub(crate) fn in_two_lanes(&self) -> Eager<'a, 2> {
        let in_two = |truth: &Option<Truth<1>>| match truth.as_ref()? {
            Truth::Rows { family, rows: [rows] } => {
                Some(Truth::Rows { family: *family, rows: [rows.clone(), rows.clone()] })
            }
            Truth::Initial(values) => {
                Some(Truth::Initial(values.iter().map(|&[value]| [value; 2]).collect()))
            }
        };
        Eager {
            terrain: self.terrain,
            plan: Rc::clone(&self.plan),
            extent: self.extent,
            modes: self.modes.clone(),
            families: self.families.clone(),
            operators: self.operators.clone(),
            last_use: Rc::clone(&self.last_use),
            unfinished: None,
            truth: self.truth.as_slice().iter().map(in_two).collect(),
            records: Vec::new(),
            stats: Stats::default(),
            meter: Meter::new(self.meter.budget()),
        }
    }

    /// How many edges were looked at before the contexts of the operator that has not all of them.
    pub(crate) fn edges_before_contexts(&self) -> u64 {
        self.unfinished.as_ref().map_or(self.stats.edges, |unfinished| unfinished.grounded)
    }

    /// The family and the row in each of its frames of a temporal term that is labelled.
    pub(crate) fn rows_of(&self, id: TermId) -> Option<(FamilyId, &[u64])> {
        match self.truth[id].as_ref()? {
            Truth::Rows { family, rows: [rows] } => Some((*family, rows)),
            Truth::Initial(_) => None,
        }
    }
}

/// The temporal terms of a program, operands first.
fn operators(program: &Program) -> Vec<TermId> {
    program.terms.iter().filter(|(_, term)| term.is_temporal()).map(|(id, _)| id).collect()
}

/// For each temporal term, how many operators are left behind the last one that has it as an
/// operand.
fn last_uses(plan: &Plan<'_>, program: &Program) -> Table<TermId, Option<usize>> {
    let mut last = Table::filled(None, program.terms.len());
    let operators = operators(program);
    for (i, &id) in operators.iter().enumerate() {
        let (_, pass, goal) = plan.operator(id);
        for leaf in plan.leaves([Some(pass), goal]) {
            last[leaf] = Some(operators.len() - i - 1);
        }
    }
    last
}

/// How many places the components of frames have, together.
fn place_count(terrain: &Terrain<'_>, frames: &Frames) -> usize {
    let components = frames.component.as_slice().iter();
    components.map(|&comp| terrain.machine.places_of(comp).len()).sum()
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
    families: &'a Table<FamilyId, Arc<Frames>>,
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

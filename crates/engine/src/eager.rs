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

use crate::bits;
use crate::frames::{self, Frames, Mode};
use crate::operator::{Operator, Prepared, View};
use crate::plan::Plan;
use crate::reason::Needs;
use crate::split::{Split, split};
use crate::summary::NONE;
use crate::terrain::Terrain;
use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::logic::ctl::Program;
use tern_model::{Budget, Formulas, Frame, Labelling, Layer, Limit, NodeId, Stats, TermId};

/// What was decided: the truth of a program at each initial node, in their order.
pub(crate) struct Decision {
    pub(crate) at_initial: Vec<bool>,
    pub(crate) labelling: Option<Labelling>,
    pub(crate) stats: Stats,
}

/// Which values are asked for.
#[derive(Clone, Copy)]
pub(crate) enum Extent<'a> {
    /// Those at the initial nodes.
    Initial,
    /// All values, of all operators in all contexts.
    Everywhere,
    /// Those at the initial nodes; and these context bits, of base frames, are all they depend on.
    Needed(&'a Needs),
}

/// Decides a program at the initial nodes, and elsewhere as far as `extent` says.
pub(crate) fn decide(
    terrain: &Terrain<'_>,
    formulas: &Formulas,
    program: &Program,
    extent: Extent<'_>,
    budget: &Budget,
) -> Result<Decision, Limit> {
    let mut meter = Meter::new(budget);
    let (base, modes) = frames::base(terrain, &mut meter)?;
    let mut run = Eager {
        terrain,
        plan: Plan::new(terrain, formulas, program),
        extent,
        modes,
        stats: Stats { copies: base.len() as u64, ..Stats::default() },
        families: vec![base],
        truth: Table::filled(None, program.terms.len()),
        meter,
    };
    let everywhere = matches!(extent, Extent::Everywhere);
    for (id, term) in program.terms.iter() {
        if term.is_temporal() {
            let everywhere = everywhere || run.plan.is_inner(id);
            run.operator(id, everywhere)?;
        }
    }
    let at_initial = run.at_initial()?;
    let labelling = everywhere.then(|| run.labelling());
    Ok(Decision { at_initial, labelling, stats: run.stats })
}

/// Where a temporal term holds.
#[derive(Clone)]
enum Truth {
    /// In each frame of a family: rows over the nodes of all frames.
    Rows { family: usize, rows: Vec<u64> },
    /// At the initial nodes only, in their order.
    Initial(Vec<bool>),
}

struct Eager<'a> {
    terrain: &'a Terrain<'a>,
    plan: Plan<'a>,
    extent: Extent<'a>,
    modes: Vec<Mode>,
    /// All families of frames made so far; the first are the base frames.
    families: Vec<Frames>,
    /// For the temporal terms.
    truth: Table<TermId, Option<Truth>>,
    stats: Stats,
    meter: Meter<'a>,
}

impl Eager<'_> {
    /// Labels one temporal term, whose operands are labelled.
    fn operator(&mut self, id: TermId, everywhere: bool) -> Result<(), Limit> {
        let (kind, pass, goal) = self.plan.operator(id);
        let leaves = self.plan.leaves([Some(pass), goal]);
        let family = self.common_family(&leaves)?;
        let operator = Operator {
            kind,
            pass: self.rows(pass, family)?,
            goal: goal.map(|goal| self.rows(goal, family)).transpose()?.unwrap_or_default(),
            in_sink: self.plan.in_sink(id),
        };
        let extent = self.extent;
        let Eager { terrain, modes, families, stats, meter, .. } = self;
        let view = View { terrain, frames: &families[family], modes };
        let prepared = Prepared::new(view, operator, stats, meter)?;
        let truth = if everywhere {
            let wanted = |frame: u32, exit: usize| match extent {
                Extent::Needed(needs) => needs.contains(&(id, base_of(view.frames, frame), exit)),
                Extent::Initial | Extent::Everywhere => true,
            };
            match split(view, family, &prepared, wanted, stats, meter)? {
                Split::None(rows) => Truth::Rows { family, rows },
                Split::Finer(frames, rows) => {
                    count_new(stats, &frames, family);
                    families.push(frames);
                    Truth::Rows { family: families.len() - 1, rows }
                }
            }
        } else {
            let mut values = FxHashMap::default();
            for (&comp, &root) in terrain.root_components.iter().zip(&view.frames.roots) {
                values.insert(comp, prepared.evaluate(view, root, &[], stats, meter)?);
            }
            let value = |&node: &NodeId| {
                let row = &values[&terrain.machine.component_of(node)];
                bits::get(row, terrain.machine.place_position(terrain.machine.node_place(node)))
            };
            Truth::Initial(terrain.machine.initial().iter().map(value).collect())
        };
        self.truth[id] = Some(truth);
        Ok(())
    }

    fn family_of(&self, id: TermId) -> usize {
        match self.truth[id] {
            Some(Truth::Rows { family, .. }) => family,
            _ => unreachable!("operands are labelled everywhere"),
        }
    }

    /// A family of frames that refines those of all the given terms.
    fn common_family(&mut self, leaves: &[TermId]) -> Result<usize, Limit> {
        let mut wanted: Vec<usize> = leaves.iter().map(|&leaf| self.family_of(leaf)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut common = 0;
        // Later families are finer, so begin there: much of the rest is refined already.
        for &family in wanted.iter().rev() {
            let refines = |fine: usize, coarse: usize| {
                fine == coarse || self.families[fine].coarser.iter().any(|&(id, _)| id == coarse)
            };
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
            self.families.push(product);
            common = self.families.len() - 1;
        }
        Ok(common)
    }

    /// The rows of a term, temporal or not, on a family that refines all it speaks of.
    fn rows(&mut self, root: TermId, family: usize) -> Result<Vec<u64>, Limit> {
        let Eager { plan, families, truth, meter, .. } = self;
        let row = |id: TermId, frame: u32, _| truth_row(families, &truth[id], family, frame);
        let [rows] = plan.rows(root, &families[family], row, meter)?;
        Ok(rows)
    }

    /// The truth of the whole program at each initial node.
    fn at_initial(&mut self) -> Result<Vec<bool>, Limit> {
        let machine = self.terrain.machine;
        let mut answers = Vec::with_capacity(machine.initial().len());
        for (i, &node) in machine.initial().iter().enumerate() {
            self.meter.tick()?;
            let root = self.terrain.root_of(node);
            let position = machine.place_position(machine.node_place(node));
            let truth = |id: TermId, _| match &self.truth[id] {
                Some(Truth::Initial(values)) => values[i],
                Some(Truth::Rows { family, rows }) => {
                    let frames = &self.families[*family];
                    bits::get(frames.row(rows, frames.roots[root]), position)
                }
                None => unreachable!("operands come first"),
            };
            let [holds] = self.plan.at_node(self.plan.program.root, node, truth);
            answers.push(holds);
        }
        Ok(answers)
    }

    fn labelling(&self) -> Labelling {
        let layer = |(id, truth): (TermId, &Option<Truth>)| match truth {
            Some(Truth::Rows { family, rows }) => {
                Some(self.layer(id, &self.families[*family], rows))
            }
            _ => None,
        };
        Labelling {
            program: self.plan.program.clone(),
            layers: self.truth.iter().filter_map(layer).collect(),
        }
    }

    fn layer(&self, term: TermId, family: &Frames, rows: &[u64]) -> Layer {
        let machine = self.terrain.machine;
        let frame = |id: u32| {
            let component = family.component[id as usize];
            let links = machine.boxes_of(component).iter().zip(family.links_of(id));
            let mut callees: Vec<_> =
                links.filter(|&(_, &to)| to != NONE).map(|(&call, &to)| (call, to)).collect();
            callees.sort_unstable();
            let mut holds = FixedBitSet::with_capacity(machine.nodes_of(component).len());
            holds.extend(bits::ones(family.row(rows, id)));
            Frame { component, callees, holds }
        };
        Layer {
            term,
            frames: (0..family.len() as u32).map(frame).collect(),
            roots: self.terrain.root_components.iter().copied().zip(family.roots.clone()).collect(),
        }
    }
}

/// The base frame that a frame of a family refines.
fn base_of(frames: &Frames, frame: u32) -> u32 {
    let map = frames.coarser.iter().find(|&&(id, _)| id == 0);
    map.map_or(frame, |(_, map)| map[frame as usize])
}

/// Counts the frames of a family that are not merely taken over: all but one for each frame that
/// they refine.
fn count_new(stats: &mut Stats, frames: &Frames, coarser: usize) {
    let (_, map) = frames.coarser.iter().find(|&&(id, _)| id == coarser).expect("it refines it");
    let taken_over = map.iter().copied().collect::<FxHashSet<u32>>().len();
    let new = (frames.len() - taken_over) as u64;
    stats.contexts += new;
    stats.copies += new;
}

/// The row of a temporal term in a frame of a family that refines the one it is labelled on.
fn truth_row<'a>(
    families: &'a [Frames],
    truth: &'a Option<Truth>,
    family: usize,
    frame: u32,
) -> &'a [u64] {
    let Some(Truth::Rows { family: own, rows }) = truth else {
        unreachable!("operands are labelled everywhere")
    };
    let own_frame = if *own == family {
        frame
    } else {
        let mut coarser = families[family].coarser.iter();
        let (_, map) = coarser.find(|(id, _)| id == own).expect("the family refines it");
        map[frame as usize]
    };
    families[*own].row(rows, own_frame)
}

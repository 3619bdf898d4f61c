//! Labels the cells of a partition: where is a formula proved, where is it refuted?
//!
//! Every operator gets two sets of cells, each by rules that are sound for all states of a cell:
//!
//! * `EX f` is proved where some step of every state leads into proved cells, and refuted where all
//!   possible steps lead into refuted cells;
//! * `E[f U g]` is proved where there is a way to proved `g` on which a rank falls, and refuted in
//!   a set without `g` that is closed under all possible steps;
//! * `EG f` is proved in a set in which every state has a step that stays, and refuted where all
//!   possible steps leave, or a rank falls on them. Of waiting points a way must lead to others in
//!   the set, and a rank need not fall where a run only waits.
//!
//! Negation swaps the two; nothing else is ever concluded from what is not known. Only cells that
//! can be reached are labelled. States that have no run do not exist: `EX` and `EU` must end in
//! states with a run, which is `EG true` of the graph as it is.

mod ranked;
mod ways;

use crate::partition::{CellId, Partition, Step};
use crate::rank::Ranking;
use crate::system::Solver;
use rustc_hash::FxHashMap;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use tern_ir::flow::{Affine, Edge, EdgeId, Row};
use tern_model::Limit;
use tern_model::index::Table;

/// What is known of a formula in all states of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    Proved,
    Refuted,
    Unknown,
}

impl Label {
    pub(crate) fn not(self) -> Label {
        match self {
            Label::Proved => Label::Refuted,
            Label::Refuted => Label::Proved,
            Label::Unknown => Label::Unknown,
        }
    }

    pub(crate) fn and(self, other: Label) -> Label {
        match (self, other) {
            (Label::Refuted, _) | (_, Label::Refuted) => Label::Refuted,
            (Label::Proved, Label::Proved) => Label::Proved,
            _ => Label::Unknown,
        }
    }
}

/// A formula on all cells; cells that were not labelled are unknown.
pub(crate) type Labels = Table<CellId, Label>;

/// A set of cells.
pub(crate) type Cells = BTreeSet<CellId>;

/// How every state of a cell can step into some cells.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// The steps that are taken: all that are possible, or one edge with its choices made.
    pub(crate) steps: Vec<(Rc<Edge>, CellId)>,
    /// The edge with its choices, if it is one.
    pub(crate) by: Option<(EdgeId, Choices)>,
}

/// Values for choices of an edge.
pub(crate) type Choices = Vec<(usize, Affine)>;

/// Why cells have their labels, as far as steps have to do with it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reasons {
    pub(crate) proved: Cells,
    pub(crate) refuted: Cells,
    /// How the states of cells that are proved step.
    pub(crate) ways: BTreeMap<CellId, Way>,
    /// Cells from which steps end in level 0: they lead down, or stay in a level that is ranked.
    pub(crate) levels: BTreeMap<CellId, u32>,
    pub(crate) ranked: BTreeMap<u32, Rc<Ranking>>,
    /// Why ways that stay lead from waiting points to others: levels and ranks of cells that are
    /// proved.
    pub(crate) again: Option<Box<Reasons>>,
    /// The highest level.
    height: u32,
}

impl Reasons {
    fn on_ground(cells: &Cells) -> Reasons {
        let levels = cells.iter().map(|&cell| (cell, 0)).collect();
        Reasons { levels, ..Reasons::default() }
    }

    /// A level above all others.
    fn rise(&mut self, cells: &[CellId]) {
        self.height += 1;
        self.levels.extend(cells.iter().map(|&cell| (cell, self.height)));
    }
}

/// A step from a cell to a cell.
type Move = (CellId, Rc<Edge>, CellId);

/// An edge with its choices made, that every state of a cell can take.
#[derive(Clone, Debug)]
struct Chance {
    edge: Rc<Edge>,
    choices: Choices,
    /// The cells that it leads to.
    to: Vec<CellId>,
}

/// The chances of a cell by an edge, with choices that are made for one of the cells it leads to.
/// They were found when it led to all of these.
type Chances = FxHashMap<(CellId, EdgeId, Option<CellId>), (Vec<CellId>, Rc<[Chance]>)>;

/// Why a relation between cells is taken finitely often only, if that is known.
type Known = FxHashMap<Vec<(usize, usize, Edge, bool)>, Option<Rc<Ranking>>>;

/// Labels the cells of a partition.
pub(crate) struct Labeller<'a, 'b> {
    pub(crate) partition: &'b mut Partition<'a>,
    pub(crate) solver: &'b mut Solver<'a>,
    /// The cells that can be reached.
    pub(crate) cells: Vec<CellId>,
    /// The cells that have a step to each cell.
    before: Table<CellId, Vec<CellId>>,
    memory: &'b mut Memory,
    /// Rows that would help to find ranks, with the cells to split.
    pub(crate) hints: Vec<(CellId, Row)>,
}

/// What was learned, for the next round.
#[derive(Default)]
pub(crate) struct Memory {
    ranks: Known,
    chances: Chances,
}

impl<'a, 'b> Labeller<'a, 'b> {
    /// Finds the cells that can be reached, and their steps.
    pub(crate) fn new(
        partition: &'b mut Partition<'a>,
        solver: &'b mut Solver<'a>,
        starts: &[CellId],
        memory: &'b mut Memory,
    ) -> Result<Self, Limit> {
        let mut reached: Cells = starts.iter().copied().collect();
        let mut todo: Vec<CellId> = reached.iter().copied().collect();
        while let Some(cell) = todo.pop() {
            partition.find_steps(cell, solver)?;
            for step in partition.steps(cell) {
                if reached.insert(step.to) {
                    todo.push(step.to);
                }
            }
        }
        let cells: Vec<CellId> = reached.into_iter().collect();
        let mut before = Table::filled(Vec::new(), partition.cells.len());
        for &cell in &cells {
            partition.steps(cell).iter().for_each(|step| before[step.to].push(cell));
        }
        Ok(Labeller { partition, solver, cells, before, memory, hints: Vec::new() })
    }

    /// The cells that have a step to one of these.
    fn around(&self, cells: &[CellId]) -> Vec<CellId> {
        let all = cells.iter().flat_map(|&cell| &self.before[cell]);
        let mut around: Vec<CellId> = all.copied().collect();
        around.sort_unstable();
        around.dedup();
        around
    }

    pub(crate) fn labels(&self, of: impl Fn(CellId) -> Label) -> Labels {
        let mut labels = Table::filled(Label::Unknown, self.partition.cells.len());
        for &cell in &self.cells {
            labels[cell] = of(cell);
        }
        labels
    }

    /// The labels that there are reasons for.
    pub(crate) fn by_sets(&self, reasons: &Reasons) -> Labels {
        let Reasons { proved, refuted, .. } = reasons;
        self.labels(|cell| match (proved.contains(&cell), refuted.contains(&cell)) {
            (true, _) => Label::Proved,
            (_, true) => Label::Refuted,
            _ => Label::Unknown,
        })
    }

    fn with(&self, labels: &Labels, label: Label) -> Cells {
        self.cells.iter().copied().filter(|&cell| labels[cell] == label).collect()
    }

    fn stays(&self, cell: CellId, inside: impl Fn(CellId) -> bool) -> bool {
        self.partition.steps(cell).iter().all(|step| inside(step.to))
    }

    /// `EX f`
    pub(crate) fn next(&mut self, f: &Labels) -> Result<Reasons, Limit> {
        let (good, bad) = (self.with(f, Label::Proved), self.with(f, Label::Refuted));
        let mut reasons = Reasons::default();
        for cell in self.cells.clone() {
            if let Some(way) = self.way(cell, |to| good.contains(&to))? {
                reasons.proved.insert(cell);
                reasons.ways.insert(cell, way);
            }
        }
        let all_bad = |&cell: &CellId| self.stays(cell, |to| bad.contains(&to));
        reasons.refuted = self.cells.iter().copied().filter(all_bad).collect();
        Ok(reasons)
    }

    /// `E[f U g]`
    pub(crate) fn until(&mut self, f: &Labels, g: &Labels) -> Result<Reasons, Limit> {
        let mut closed = self.with(g, Label::Refuted);
        let mut todo: Vec<CellId> = closed.iter().copied().collect();
        while !todo.is_empty() {
            self.solver.check()?;
            let leaves = |&cell: &CellId| {
                closed.contains(&cell)
                    && f[cell] != Label::Refuted
                    && !self.stays(cell, |to| closed.contains(&to))
            };
            let leaving: Vec<CellId> = todo.into_iter().filter(leaves).collect();
            leaving.iter().for_each(|cell| {
                closed.remove(cell);
            });
            todo = self.around(&leaving);
        }
        let proved = self.with(g, Label::Proved);
        let through = self.with(f, Label::Proved);
        let reasons = self.reaching(proved, &through)?;
        Ok(Reasons { refuted: closed, ..reasons })
    }

    /// The cells from which ways through some cells lead into a set, which is level 0.
    fn reaching(&mut self, set: Cells, through: &Cells) -> Result<Reasons, Limit> {
        let mut reasons = Reasons::on_ground(&set);
        reasons.proved = set;
        loop {
            self.attract(&mut reasons, through)?;
            let more = self.ranked_ways(&mut reasons, through)?;
            if more.is_empty() {
                return Ok(reasons);
            }
            reasons.proved.extend(more);
        }
    }

    fn is_waiting(&self, cell: CellId) -> bool {
        self.partition.flow.points[self.partition.cells[cell].point].waiting
    }

    /// Adds cells of `through` from which every state has a step into what is proved.
    fn attract(&mut self, reasons: &mut Reasons, through: &Cells) -> Result<(), Limit> {
        let mut todo: Vec<CellId> = through.iter().copied().collect();
        loop {
            self.solver.check()?;
            let mut more = Vec::new();
            let is_open = |it: &CellId| through.contains(it) && !reasons.proved.contains(it);
            for cell in todo.into_iter().filter(is_open) {
                if let Some(way) = self.way(cell, |to| reasons.proved.contains(&to))? {
                    more.push(cell);
                    reasons.ways.insert(cell, way);
                }
            }
            if more.is_empty() {
                return Ok(());
            }
            todo = self.around(&more);
            reasons.rise(&more);
            reasons.proved.extend(more);
        }
    }

    /// Cells of `through` from which there is a way into what is proved on which a rank falls.
    fn ranked_ways(&mut self, reasons: &mut Reasons, through: &Cells) -> Result<Cells, Limit> {
        let set = &reasons.proved.clone();
        let mut stay: Cells = through.difference(set).copied().collect();
        let mut todo: Vec<CellId> = stay.iter().copied().collect();
        while !todo.is_empty() {
            self.solver.check()?;
            let mut leaving = Vec::new();
            for cell in todo.into_iter().filter(|cell| stay.contains(cell)) {
                if self.way(cell, |to| set.contains(&to) || stay.contains(&to))?.is_none() {
                    leaving.push(cell);
                }
            }
            leaving.iter().for_each(|cell| {
                stay.remove(cell);
            });
            todo = self.around(&leaving);
        }
        if stay.is_empty() {
            return Ok(stay);
        }
        let distance = self.distances(set, &stay);
        let far = usize::MAX;
        let mut ways: BTreeMap<CellId, Vec<Way>> = BTreeMap::new();
        for &cell in &stay {
            let mut all = self.ways(cell, |to| set.contains(&to) || stay.contains(&to))?;
            all.sort_by_key(|way| {
                let distances = way.steps.iter().map(|(_, to)| distance.get(to).copied());
                distances.map(|known| known.unwrap_or(far)).min()
            });
            ways.insert(cell, all);
        }
        for attempt in 0..3 {
            let chosen = |ways: &Vec<Way>| ways.get(attempt).or(ways.first()).cloned();
            let chosen: BTreeMap<CellId, Way> =
                ways.iter().filter_map(|(&cell, ways)| Some((cell, chosen(ways)?))).collect();
            let steps: Vec<Move> = chosen
                .iter()
                .flat_map(|(&cell, way)| {
                    way.steps.iter().map(move |(edge, to)| (cell, Rc::clone(edge), *to))
                })
                .collect();
            let more = self.well_founded((&stay, set), &steps, reasons, false)?;
            reasons.ways.extend(chosen.into_iter().filter(|(cell, _)| more.contains(cell)));
            if !more.is_empty() || ways.values().all(|ways| ways.len() <= attempt + 1) {
                return Ok(more);
            }
        }
        Ok(Cells::new())
    }

    /// How many steps it takes at least from cells into the set.
    fn distances(&self, set: &Cells, within: &Cells) -> BTreeMap<CellId, usize> {
        let mut before: BTreeMap<CellId, Vec<CellId>> = BTreeMap::new();
        for &cell in within {
            for step in self.partition.steps(cell) {
                before.entry(step.to).or_default().push(cell);
            }
        }
        let mut distance: BTreeMap<CellId, usize> = set.iter().map(|&cell| (cell, 0)).collect();
        let mut todo: VecDeque<CellId> = set.iter().copied().collect();
        while let Some(cell) = todo.pop_front() {
            let next = distance[&cell] + 1;
            for &earlier in before.get(&cell).into_iter().flatten() {
                if let Entry::Vacant(entry) = distance.entry(earlier) {
                    entry.insert(next);
                    todo.push_back(earlier);
                }
            }
        }
        distance
    }

    /// Takes cells out of a set until every state has a step that stays, and gives such steps.
    fn staying(&mut self, proved: &mut Cells) -> Result<BTreeMap<CellId, Way>, Limit> {
        let mut ways = BTreeMap::new();
        let mut todo: Vec<CellId> = proved.iter().copied().collect();
        while !todo.is_empty() {
            self.solver.check()?;
            let mut leaving = Vec::new();
            for cell in todo.into_iter().filter(|cell| proved.contains(cell)) {
                match self.way(cell, |to| proved.contains(&to))? {
                    Some(way) => {
                        ways.insert(cell, way);
                    }
                    None => leaving.push(cell),
                }
            }
            leaving.iter().for_each(|cell| {
                proved.remove(cell);
            });
            todo = self.around(&leaving);
        }
        Ok(ways)
    }

    /// Cells of a set in which every state has a run that stays, and comes again and again to
    /// points that are not waiting.
    fn lasting(&mut self, mut set: Cells) -> Result<Reasons, Limit> {
        loop {
            let mut ways = self.staying(&mut set)?;
            let (waiting, others): (Cells, Cells) =
                set.iter().partition(|&&cell| self.is_waiting(cell));
            if waiting.is_empty() {
                return Ok(Reasons { proved: set, ways, ..Reasons::default() });
            }
            let again = self.reaching(others, &waiting)?;
            if again.proved == set {
                ways.extend(again.ways.clone());
                let again = Some(Box::new(again));
                return Ok(Reasons { proved: set, ways, again, ..Reasons::default() });
            }
            set.clone_from(&again.proved);
        }
    }

    /// `EG f`
    pub(crate) fn always(&mut self, f: &Labels) -> Result<Reasons, Limit> {
        let Reasons { proved, ways, again, .. } = self.lasting(self.with(f, Label::Proved))?;
        let mut refuted = self.with(f, Label::Refuted);
        let mut reasons = Reasons::on_ground(&refuted);
        let mut todo = self.cells.clone();
        loop {
            self.solver.check()?;
            let gone = |&cell: &CellId| {
                !refuted.contains(&cell) && self.stays(cell, |to| refuted.contains(&to))
            };
            let more: Vec<CellId> = todo.into_iter().filter(gone).collect();
            todo = self.around(&more);
            if !more.is_empty() {
                reasons.rise(&more);
                refuted.extend(more);
                continue;
            }
            let is_left = |cell: &CellId| !refuted.contains(cell) && !proved.contains(cell);
            let rest: Cells = self.cells.iter().copied().filter(is_left).collect();
            let step = |cell: CellId, step: &Step| {
                (cell, Rc::clone(&self.partition.edges[step.edge]), step.to)
            };
            let steps: Vec<Move> = rest
                .iter()
                .flat_map(|&cell| self.partition.steps(cell).iter().map(move |to| step(cell, to)))
                .collect();
            let more = self.well_founded((&rest, &refuted), &steps, &mut reasons, true)?;
            if more.is_empty() {
                break;
            }
            todo = self.around(&more.iter().copied().collect::<Vec<_>>());
            refuted.extend(more);
        }
        Ok(Reasons { proved, refuted, ways, again, ..reasons })
    }
}

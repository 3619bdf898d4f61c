//! Labels the cells of a partition: where is a formula proved, where is it refuted?
//!
//! Every operator gets two sets of cells, each by rules that are sound for all states of a cell:
//!
//! * `EX f` is proved where some step of every state leads into proved cells, and refuted where all
//!   possible steps lead into refuted cells;
//! * `E[f U g]` is proved where there is a way to proved `g` on which a rank falls, and refuted in
//!   a set without `g` that is closed under all possible steps;
//! * `EG f` is proved in a set in which every state has a step that stays, and refuted where all
//!   possible steps leave, or a rank falls on them.
//!
//! Negation swaps the two; nothing else is ever concluded from what is not known. Only cells that
//! can be reached are labelled. States that have no run do not exist: `EX` and `EU` must end in
//! states with a run, which is `EG true` of the graph as it is.

use crate::partition::{CellId, Partition, Step, choices, choose};
use crate::passing;
use crate::rank::{self, Outcome, Relation, strongly_connected};
use crate::system::Solver;
use rustc_hash::FxHashMap;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use tern_ir::flow::{Affine, Column, Edge, EdgeId, Row};
use tern_model::Limit;
use tern_model::index::{Id, Table};

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
    steps: Vec<(Edge, CellId)>,
}

/// Whether a relation between cells is known to be taken finitely often only.
type Known = FxHashMap<Vec<(usize, usize, Edge)>, bool>;

/// Labels the cells of a partition.
pub(crate) struct Labeller<'a, 'b> {
    pub(crate) partition: &'b mut Partition<'a>,
    pub(crate) solver: &'b mut Solver<'a>,
    /// The cells that can be reached.
    pub(crate) cells: Vec<CellId>,
    known: &'b mut Known,
    /// Rows that would help to find ranks, with the cells to split.
    pub(crate) hints: Vec<(CellId, Row)>,
}

/// What was learned about ranks, for the next round.
#[derive(Default)]
pub(crate) struct Memory(Known);

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
        let cells = reached.into_iter().collect();
        Ok(Labeller { partition, solver, cells, known: &mut memory.0, hints: Vec::new() })
    }

    pub(crate) fn labels(&self, of: impl Fn(CellId) -> Label) -> Labels {
        let mut labels = Table::filled(Label::Unknown, self.partition.cells.len());
        for &cell in &self.cells {
            labels[cell] = of(cell);
        }
        labels
    }

    fn by_sets(&self, proved: &Cells, refuted: &Cells) -> Labels {
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
    pub(crate) fn next(&mut self, f: &Labels) -> Result<Labels, Limit> {
        let (good, bad) = (self.with(f, Label::Proved), self.with(f, Label::Refuted));
        let mut proved = Cells::new();
        for cell in self.cells.clone() {
            if self.has_way(cell, |to| good.contains(&to))? {
                proved.insert(cell);
            }
        }
        let all_bad = |&cell: &CellId| self.stays(cell, |to| bad.contains(&to));
        let refuted = self.cells.iter().copied().filter(all_bad).collect();
        Ok(self.by_sets(&proved, &refuted))
    }

    /// `E[f U g]`
    pub(crate) fn until(&mut self, f: &Labels, g: &Labels) -> Result<Labels, Limit> {
        let mut closed = self.with(g, Label::Refuted);
        loop {
            let leaves = |&cell: &CellId| {
                f[cell] != Label::Refuted && !self.stays(cell, |to| closed.contains(&to))
            };
            let leaving: Vec<CellId> = closed.iter().copied().filter(leaves).collect();
            if leaving.is_empty() {
                break;
            }
            leaving.iter().for_each(|cell| {
                closed.remove(cell);
            });
        }
        let mut proved = self.with(g, Label::Proved);
        let through = self.with(f, Label::Proved);
        loop {
            self.attract(&mut proved, &through)?;
            let more = self.ranked_ways(&proved, &through)?;
            if more.is_empty() {
                break;
            }
            proved.extend(more);
        }
        Ok(self.by_sets(&proved, &closed))
    }

    /// Adds cells of `through` from which every state has a step into the set.
    fn attract(&mut self, set: &mut Cells, through: &Cells) -> Result<(), Limit> {
        loop {
            let mut more = Vec::new();
            for &cell in through.iter().filter(|cell| !set.contains(cell)) {
                if self.has_way(cell, |to| set.contains(&to))? {
                    more.push(cell);
                }
            }
            if more.is_empty() {
                return Ok(());
            }
            set.extend(more);
        }
    }

    /// Cells of `through` from which there is a way into the set on which a rank falls.
    fn ranked_ways(&mut self, set: &Cells, through: &Cells) -> Result<Cells, Limit> {
        let mut stay: Cells = through.difference(set).copied().collect();
        loop {
            let mut leaving = Vec::new();
            for &cell in &stay {
                if !self.has_way(cell, |to| set.contains(&to) || stay.contains(&to))? {
                    leaving.push(cell);
                }
            }
            if leaving.is_empty() {
                break;
            }
            leaving.iter().for_each(|cell| {
                stay.remove(cell);
            });
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
            let steps: Vec<(CellId, Edge, CellId)> = ways
                .iter()
                .filter_map(|(&cell, ways)| Some((cell, chosen(ways)?)))
                .flat_map(|(cell, way)| {
                    way.steps.into_iter().map(move |(edge, to)| (cell, edge, to))
                })
                .collect();
            let more = self.well_founded(&stay, set, &steps)?;
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

    /// `EG f`
    pub(crate) fn always(&mut self, f: &Labels) -> Result<Labels, Limit> {
        let mut proved = self.with(f, Label::Proved);
        loop {
            let mut leaving = Vec::new();
            for &cell in &proved {
                if !self.has_way(cell, |to| proved.contains(&to))? {
                    leaving.push(cell);
                }
            }
            if leaving.is_empty() {
                break;
            }
            leaving.iter().for_each(|cell| {
                proved.remove(cell);
            });
        }
        let mut refuted = self.with(f, Label::Refuted);
        loop {
            let gone = |&cell: &CellId| {
                !refuted.contains(&cell) && self.stays(cell, |to| refuted.contains(&to))
            };
            let more: Vec<CellId> = self.cells.iter().copied().filter(gone).collect();
            if !more.is_empty() {
                refuted.extend(more);
                continue;
            }
            let is_left = |cell: &CellId| !refuted.contains(cell) && !proved.contains(cell);
            let rest: Cells = self.cells.iter().copied().filter(is_left).collect();
            let step = |cell: CellId, step: &Step| {
                (cell, self.partition.flow.edges[step.edge].clone(), step.to)
            };
            let steps: Vec<(CellId, Edge, CellId)> = rest
                .iter()
                .flat_map(|&cell| self.partition.steps(cell).iter().map(move |to| step(cell, to)))
                .collect();
            let more = self.well_founded(&rest, &refuted, &steps)?;
            if more.is_empty() {
                break;
            }
            refuted.extend(more);
        }
        Ok(self.by_sets(&proved, &refuted))
    }

    /// The cells of `within` from which the given steps lead into `end` after finitely many.
    fn well_founded(
        &mut self,
        within: &Cells,
        end: &Cells,
        steps: &[(CellId, Edge, CellId)],
    ) -> Result<Cells, Limit> {
        let cells: Vec<CellId> = within.iter().copied().collect();
        let number = |cell: &CellId| cells.binary_search(cell).ok();
        let mut graph: Vec<Vec<usize>> = vec![Vec::new(); cells.len()];
        let mut is_lost = vec![false; cells.len()];
        for (from, _, to) in steps {
            let Some(from) = number(from) else { continue };
            match number(to) {
                Some(to) => graph[from].push(to),
                None => is_lost[from] |= !end.contains(to),
            }
        }
        let part = strongly_connected(&graph);
        let parts = part.iter().max().map_or(0, |most| most + 1);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); parts];
        for cell in 0..cells.len() {
            members[part[cell]].push(cell);
        }
        let mut inside: Vec<Vec<&(CellId, Edge, CellId)>> = vec![Vec::new(); parts];
        for step in steps {
            if let (Some(from), Some(to)) = (number(&step.0), number(&step.2))
                && part[from] == part[to]
            {
                inside[part[from]].push(step);
            }
        }
        // Components are numbered successors first.
        let mut is_good = vec![true; parts];
        for this in 0..parts {
            self.solver.check()?;
            let leads_well = |&cell: &usize| {
                !is_lost[cell]
                    && graph[cell].iter().all(|&to| part[to] == this || is_good[part[to]])
            };
            is_good[this] = members[this].iter().all(leads_well)
                && (inside[this].is_empty() || self.is_ranked(&inside[this])?);
        }
        Ok((0..cells.len()).filter(|&cell| is_good[part[cell]]).map(|cell| cells[cell]).collect())
    }

    /// Whether no run takes these steps for ever, for sure.
    fn is_ranked(&mut self, steps: &[&(CellId, Edge, CellId)]) -> Result<bool, Limit> {
        let mut relations = Vec::new();
        for &(from, edge, to) in steps {
            let mut edge = edge.clone();
            let mut guard = self.partition.rows(*from);
            guard.append(&mut edge.guard);
            if let Some(before) = self.partition.before(&edge, *to) {
                guard.extend(before);
            }
            edge.guard = guard;
            match passing::relation(self.partition, (*from, *to), edge) {
                Some(Some(relation)) => relations.push(relation),
                Some(None) => {}
                None => return Ok(false),
            }
        }
        let key: Vec<(usize, usize, Edge)> =
            relations.iter().map(|it| (it.from, it.to, it.edge.clone())).collect();
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let is_ranked = match rank::find(&relations, self.solver)? {
            Outcome::Ranked(_) => true,
            Outcome::Stuck(paths) => {
                self.take_hints(&paths);
                false
            }
        };
        self.known.insert(key, is_ranked);
        Ok(is_ranked)
    }

    /// Rows that say that what a path compares falls on it.
    fn take_hints(&mut self, paths: &[Relation]) {
        let is_plain = |affine: &Affine| affine.terms.iter().all(|t| t.0.as_variable().is_some());
        for path in paths {
            for row in path.edge.guard.iter().filter(|row| is_plain(row.affine())) {
                let after = row.affine().substitute(|column| path.edge.written(column));
                let falls = after.and_then(|after| Row::greater(row.affine(), &after));
                if let Some(falls) = falls
                    && falls.truth().is_none()
                    && is_plain(falls.affine())
                {
                    self.hints.push((CellId::new(path.from), falls));
                }
            }
        }
    }

    fn has_way(&mut self, cell: CellId, inside: impl Fn(CellId) -> bool) -> Result<bool, Limit> {
        Ok(!self.find_ways(cell, &inside, 1)?.is_empty())
    }

    fn ways(&mut self, cell: CellId, inside: impl Fn(CellId) -> bool) -> Result<Vec<Way>, Limit> {
        self.find_ways(cell, &inside, 8)
    }

    /// Ways by which every state of a cell has a step into cells that are `inside`; at most so
    /// many.
    fn find_ways(
        &mut self,
        cell: CellId,
        inside: &dyn Fn(CellId) -> bool,
        most: usize,
    ) -> Result<Vec<Way>, Limit> {
        let mut ways = Vec::new();
        let steps: Vec<Step> = self.partition.steps(cell).to_vec();
        let flow = self.partition.flow;
        let is_total = flow.points[self.partition.cells[cell].point].total;
        let mut edges: Vec<EdgeId> =
            steps.iter().filter(|step| inside(step.to)).map(|step| step.edge).collect();
        edges.dedup();
        for edge in edges {
            let targets: Vec<CellId> =
                steps.iter().filter(|step| step.edge == edge).map(|step| step.to).collect();
            for chosen in self.choices(&flow.edges[edge], &targets, inside) {
                if ways.len() >= most {
                    return Ok(ways);
                }
                if let Some(way) = self.follow(cell, &chosen, &targets, inside)? {
                    ways.push(way);
                }
            }
        }
        let leads_inside = !steps.is_empty() && steps.iter().all(|step| inside(step.to));
        if ways.is_empty() && is_total && leads_inside {
            let all = steps.iter().map(|step| (flow.edges[step.edge].clone(), step.to));
            ways.push(Way { steps: all.collect() });
        }
        Ok(ways)
    }

    /// The edge with choices that may lead inside; the edge itself if it has none.
    fn choices(
        &self,
        edge: &Edge,
        targets: &[CellId],
        inside: &dyn Fn(CellId) -> bool,
    ) -> Vec<Edge> {
        const MOST: usize = 24;
        let open = choices(edge);
        if open.is_empty() {
            return vec![edge.clone()];
        }
        let mut found: Vec<Edge> = Vec::new();
        for &to in targets.iter().filter(|&&to| inside(to)) {
            let mut partial = vec![edge.clone()];
            for &number in &open {
                let mut next = Vec::new();
                for edge in &partial {
                    let mut rows = edge.guard.clone();
                    rows.extend(self.partition.before(edge, to).unwrap_or_default());
                    let point = self.partition.cells[to].point;
                    for row in self.partition.invariants[point].iter().flatten() {
                        rows.extend(row.substitute(|column| edge.written(column)));
                    }
                    for value in candidates(&rows, Column::auxiliary(number)) {
                        next.extend(choose(edge, &[(number, value)]));
                    }
                }
                next.truncate(MOST);
                partial = next;
            }
            found.extend(partial);
            if found.len() > MOST {
                break;
            }
        }
        found
    }

    /// Whether every state of a cell can take an edge, without further choices, and ends inside.
    fn follow(
        &mut self,
        cell: CellId,
        edge: &Edge,
        targets: &[CellId],
        inside: &dyn Fn(CellId) -> bool,
    ) -> Result<Option<Way>, Limit> {
        let rows = self.partition.rows(cell);
        // Facts can be relied on only where the guard is true as far as it says nothing of them.
        let mut known = rows.clone();
        let is_plain = |row: &&Row| row.affine().terms.iter().all(|t| t.0.as_variable().is_some());
        let (plain, others): (Vec<&Row>, Vec<&Row>) = edge.guard.iter().partition(is_plain);
        for row in plain {
            if !self.solver.entails(&known, row)? {
                return Ok(None);
            }
        }
        known.extend_from_slice(&edge.facts);
        for row in others {
            if !self.solver.entails(&known, row)? {
                return Ok(None);
            }
        }
        let mut steps = Vec::new();
        for &to in targets {
            if self.partition.may_step(&rows, edge, to, self.solver)? {
                if !inside(to) {
                    return Ok(None);
                }
                steps.push((edge.clone(), to));
            }
        }
        // A way leads somewhere, whatever else was concluded of a cell that has no states.
        Ok((!steps.is_empty()).then_some(Way { steps }))
    }
}

/// Values for a column that are as small or as large as some row allows, by the variables.
fn candidates(rows: &[Row], column: Column) -> Vec<Affine> {
    let mut found: Vec<Affine> = Vec::new();
    let mut others: Vec<Affine> = Vec::new();
    for row in rows {
        let factor = row.affine().factor(column);
        if factor.abs() != 1 {
            continue;
        }
        // column >= -rest, or column <= rest
        let term = Affine { terms: vec![(column, -factor)], constant: 0 };
        let rest = row.affine().plus(1, &term).and_then(|rest| rest.times(-factor));
        let Some(rest) = rest else { continue };
        match rest.terms.iter().all(|term| term.0.as_variable().is_some()) {
            true => found.push(rest),
            false => others.push(Affine::constant(rest.constant)),
        }
    }
    found.append(&mut others);
    found.push(Affine::constant(0));
    let mut unique: Vec<Affine> = Vec::new();
    for value in found {
        if !unique.contains(&value) {
            unique.push(value);
        }
    }
    unique.truncate(10);
    unique
}

//! Checks evidence about integer programs, by multiplying and adding.
//!
//! A [`Proof`] divides the states of a flow graph into cells and says in which of them the terms of
//! a claim are true, and in which they are false. [`check`] looks at every condition by itself;
//! there is no search, no linear programming and no fixpoint here. What has to be true:
//!
//! * *invariants* are true after all starts and stay true on all edges (`cells.rs`);
//! * *steps* of a cell, as far as needed, are listed by walks through trees of cells, with reasons;
//! * a *way* is a step that every state of a cell has: an edge whose guard follows from its rows,
//!   for all values that are unknown, or are to be chosen and are not, or, in a total point, all
//!   steps;
//! * `EX f` is true where a way leads to `f` and a run goes on, false where no step does;
//!   `E[f U g]` is true where ways through `f` end in `g` (`progress.rs`), false in a set without
//!   `g` that is left only where `f` is false; `EG f` is true in a part of `f` that ways stay in,
//!   false where all steps end in `!f`. No run stays among waiting points: ways must lead on from
//!   them, and steps between them need not end.
//!
//! A cell in which something is both true and false has no states. States without a run do not
//! exist, so `live` is a layer for `EG true`. Of a program that calls itself two graphs are made of
//! what is said of its procedures; `calls.rs` checks that, and the proof is about one of them.
//!
//! **Believed:** the flow graph that the reader of programs made, what propositions mean there, of
//! a total point that every state has a step, and the graphs of `tern_ir::summary`, `descended`,
//! `remainder` and `runs`.

mod calls;
mod cells;
mod linear;
mod progress;

use crate::implied;
use crate::refusal::{Stopped, demand, refuse};
use cells::{Cells, Step};
use fixedbitset::FixedBitSet;
use linear::{Linear, Place, entailed};
use std::collections::BTreeMap;
use tern_ir::descended::claim;
use tern_ir::flow::{Auxiliary, Column, Flow, Proposition};
use tern_ir::proof::{CellNumber, Layer, Progress, Proof, Refutation, Start, Way};
use tern_ir::remainder::undivided;
use tern_ir::runs::read;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::logic::ctl::{Program, Term};
use tern_model::{AtomId, Budget, FormulaId, Formulas, Id, TermId};

/// A claim about all initial states of a flow graph.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The program.
    pub flow: &'a Flow,
    /// Where the claim lives.
    pub formulas: &'a Formulas,
    /// The claim, as it was written.
    pub claim: FormulaId,
    /// What its propositions mean.
    pub propositions: &'a BTreeMap<AtomId, Proposition>,
}

/// Checks that a proof shows that a claim holds, or that it fails.
///
/// # Errors
/// What is wrong with it, or the limit that was reached.
pub fn check(
    question: Question<'_>,
    holds: bool,
    proof: &Proof,
    budget: &Budget,
) -> Result<(), Stopped> {
    if !proof.runs {
        is_read(&question, holds, &proof.claim, budget)?;
    }
    let flow = match (&question.flow.summary, &proof.calls) {
        (None, _) => proof.graph(question.flow),
        (Some(it), Some(calls)) => Some(calls::graph(it, calls, proof.descended, budget)?),
        (Some(_), None) => return refuse("the proof", "it says nothing of recursive procedures"),
    };
    let asked = flow.and_then(|flow| Some((undivided(&flow, question.propositions)?, flow)));
    let Some((propositions, flow)) = asked else {
        return refuse("the proof", "it follows what it cannot, or not what it should");
    };
    let is_descended = proof.descended && question.flow.summary.is_some();
    let asked = match (proof.runs, is_descended) {
        (false, false) => Some((flow, proof.claim.clone(), propositions)),
        (false, true) => claim(&proof.claim, &propositions, holds).map(|it| (flow, it.0, it.1)),
        (true, false) => read(&flow, question.formulas, question.claim, &propositions)
            .map(|it| (it.flow, it.program, it.propositions)),
        (true, true) => None,
    };
    let Some((flow, program, propositions)) = asked else {
        return refuse("the claim", "it speaks of next states, or its runs cannot be read");
    };
    let question = Question { flow: &flow, propositions: &propositions, ..question };
    layered(question, &program, holds, proof, budget)
}

/// Checks that a normal form is that of the claim, or of one that stands for it.
fn is_read(
    question: &Question<'_>,
    holds: bool,
    program: &Program,
    budget: &Budget,
) -> Result<(), Stopped> {
    budget.check()?;
    let is_sound = program.terms.iter().all(|(id, term)| term.operands().all(|it| it < id));
    if !is_sound || program.terms.get(program.root).is_none() {
        return refuse("the claim", "an operand or the root is out of place");
    }
    implied::check((question.formulas, question.claim), holds, program, budget)
}

/// Checks the layers of a claim in normal form.
fn layered(
    question: Question<'_>,
    program: &Program,
    holds: bool,
    proof: &Proof,
    budget: &Budget,
) -> Result<(), Stopped> {
    if proof.layers.len() != program.terms.len() {
        return refuse("the claim", "there is not one layer for each term");
    }
    let mut meter = Meter::new(budget);
    let cells = Cells::new(question.flow, proof, &mut meter)?;
    let mut checker = Checker { cells, steps: BTreeMap::new(), live: Sets::default(), meter };
    checker.steps(proof)?;
    checker.live(proof)?;
    let mut terms: Table<TermId, Sets> = Table::new();
    for ((id, &term), layer) in program.terms.iter().zip(&proof.layers) {
        checker.meter.tick()?;
        let sets = checker.term(question.propositions, term, layer, &terms);
        terms.push(sets.map_err(|stopped| stopped.in_layer(id.index()))?);
    }
    let root = &terms[program.root];
    match (holds, &proof.start) {
        (true, None) => checker.holds(proof, root),
        (false, Some(start)) => checker.fails(start, root),
        (true, Some(_)) => refuse("the proof", "it is about a claim that fails"),
        (false, None) => refuse("the proof", "it is about a claim that holds"),
    }
}

/// The cells in which something is true, and in which it is false.
#[derive(Clone, Debug, Default)]
struct Sets {
    proved: FixedBitSet,
    refuted: FixedBitSet,
}

/// Where the steps of a cell lead: an edge, with choices made perhaps, and cells.
type Targets = Vec<(Step, Vec<CellNumber>)>;

struct Checker<'a, 'm> {
    cells: Cells<'a>,
    /// The steps of cells that are listed.
    steps: BTreeMap<CellNumber, Targets>,
    live: Sets,
    meter: Meter<'m>,
}

impl Checker<'_, '_> {
    fn nowhere(&self) -> Sets {
        let none = || FixedBitSet::with_capacity(self.cells.count());
        Sets { proved: none(), refuted: none() }
    }

    /// A cell that there is.
    fn cell(&self, cell: CellNumber) -> Result<usize, Stopped> {
        let is_there = (cell as usize) < self.cells.count();
        demand(is_there, || format!("cell {cell}"), "there is no such cell")?;
        Ok(cell as usize)
    }

    /// Checks the steps that are listed.
    fn steps(&mut self, proof: &Proof) -> Result<(), Stopped> {
        for (cell, walks) in &proof.steps {
            self.cell(*cell)?;
            let rows = self.cells.rows(*cell);
            let leaving = &self.cells.leaving[self.cells.point(*cell)];
            if leaving.len() != walks.len() {
                return refuse(format!("cell {cell}"), "there is not one walk for each edge");
            }
            let mut targets = Vec::new();
            for (&edge, walk) in leaving.iter().zip(walks) {
                let place = || format!("cell {cell}, edge {edge}");
                let step = &self.cells.edges[edge];
                let reached = self.cells.walk(&rows, step, walk, &place, &mut self.meter)?;
                targets.push((step.clone(), reached));
            }
            self.steps.insert(*cell, targets);
        }
        Ok(())
    }

    /// All steps of a cell.
    fn all(&self, cell: CellNumber) -> Result<&Targets, Stopped> {
        match self.steps.get(&cell) {
            Some(targets) => Ok(targets),
            None => refuse(format!("cell {cell}"), "its steps are not listed"),
        }
    }

    /// Finds out which states have a run.
    fn live(&mut self, proof: &Proof) -> Result<(), Stopped> {
        let mut everywhere = self.nowhere();
        everywhere.proved.insert_range(..);
        let mut points = self.cells.flow.points.as_slice().iter();
        let is_total = points.all(|point| point.total && !point.waiting);
        self.live = match &proof.live {
            _ if is_total => everywhere,
            None => self.nowhere(),
            Some(layer @ Layer::Always { .. }) => self.always(layer, &everywhere)?,
            Some(_) => return refuse("the layer of runs", "it is not of its kind"),
        };
        Ok(())
    }

    fn term(
        &mut self,
        propositions: &BTreeMap<AtomId, Proposition>,
        term: Term,
        layer: &Layer,
        terms: &Table<TermId, Sets>,
    ) -> Result<Sets, Stopped> {
        let mut sets = self.nowhere();
        match (term, layer) {
            (Term::True, Layer::Plain) => sets.proved.insert_range(..),
            (Term::Not(f), Layer::Plain) => {
                let Sets { proved, refuted } = terms[f].clone();
                sets = Sets { proved: refuted, refuted: proved };
            }
            (Term::And(f, g), Layer::Plain) => {
                sets = terms[f].clone();
                sets.proved.intersect_with(&terms[g].proved);
                sets.refuted.union_with(&terms[g].refuted);
            }
            (Term::Or(f, g), Layer::Plain) => {
                sets = terms[f].clone();
                sets.proved.union_with(&terms[g].proved);
                sets.refuted.intersect_with(&terms[g].refuted);
            }
            (Term::Atom(atom), layer) => match (propositions.get(&atom), layer) {
                (Some(Proposition::Label(name)), Layer::Plain) => {
                    for cell in 0..self.cells.count() {
                        let point = self.cells.point(cell as CellNumber);
                        let has = self.cells.flow.points[point].labels.contains(name);
                        let set = if has { &mut sets.proved } else { &mut sets.refuted };
                        set.insert(cell);
                    }
                }
                (Some(Proposition::Rows(lists)), Layer::Rows { proved, refuted }) => {
                    sets = self.proposition(lists, proved, refuted)?;
                }
                _ => return refuse("a proposition", "the layer is not of its kind"),
            },
            (Term::Ex(f), Layer::Next { proved, refuted }) => {
                sets = self.next(proved, refuted, &terms[f])?;
            }
            (Term::Eu(f, g), Layer::Until { proved, ways, refuted }) => {
                let goal = &terms[g];
                sets.refuted = self.closed(refuted, &terms[f], goal)?;
                sets.proved = self.until(proved, ways, &terms[f], goal)?;
            }
            (Term::Eg(f), layer) => sets = self.always(layer, &terms[f])?,
            _ => return refuse("an operator", "the layer is not of its kind"),
        }
        Ok(sets)
    }

    /// Where a proposition about variables is true and false.
    fn proposition(
        &mut self,
        lists: &[Vec<tern_ir::flow::Row>],
        proved: &[(CellNumber, u32, Vec<Refutation>)],
        refuted: &[(CellNumber, Vec<(u32, Refutation)>)],
    ) -> Result<Sets, Stopped> {
        let mut sets = self.nowhere();
        for (cell, number, reasons) in proved {
            let (index, place) = (self.cell(*cell)?, || format!("cell {cell}"));
            let list = lists.get(*number as usize).filter(|list| list.len() == reasons.len());
            let Some(list) = list else {
                return refuse(place(), "the proposition has no list of so many rows");
            };
            let mut system = self.cells.rows(*cell);
            for (row, reasons) in list.iter().zip(reasons) {
                let row = Linear::row(row);
                entailed(&mut system, row, reasons, &place, &mut self.meter)?;
            }
            sets.proved.insert(index);
        }
        for (cell, reasons) in refuted {
            let (index, place) = (self.cell(*cell)?, || format!("cell {cell}"));
            demand(reasons.len() == lists.len(), place, "there is not one reason for each list")?;
            let mut system = self.cells.rows(*cell);
            for (list, (number, reasons)) in lists.iter().zip(reasons) {
                let row = list.get(*number as usize).and_then(Linear::row);
                let Some(row) = row else { return refuse(place(), "there is no such row") };
                system.push(row);
                linear::refuted(&mut system, reasons, &place, &mut self.meter)?;
                system.pop();
            }
            sets.refuted.insert(index);
        }
        Ok(sets)
    }

    /// The cells that a way leads to.
    fn way(&mut self, cell: CellNumber, way: &Way) -> Result<Targets, Stopped> {
        let place = || format!("the way of cell {cell}");
        let point = self.cells.point(cell);
        let Way::Take { edge, choices, guard, walk } = way else {
            demand(self.cells.flow.points[point].total, place, "there may be no step at all")?;
            return self.all(cell).cloned();
        };
        if !self.cells.leaving[point].contains(&edge.index()) {
            return refuse(place(), "the edge does not begin there");
        }
        let step = &self.cells.edges[edge.index()];
        if step.auxiliaries.contains(&Auxiliary::Outcome) {
            return refuse(place(), "nothing says that the edge is taken");
        }
        let mut made: BTreeMap<Column, Linear> = BTreeMap::new();
        for (number, value) in choices {
            if step.auxiliaries.get(*number as usize) != Some(&Auxiliary::Choice) {
                return refuse(place(), "what is chosen is no choice");
            }
            let Some(value) = Linear::sum(value) else {
                return refuse(place(), "numbers become too large");
            };
            self.cells.check_variables(&value, &place)?;
            made.insert(Column::auxiliary(*number as usize), value);
        }
        let Some(step) = step.chosen(&made) else {
            return refuse(place(), "numbers become too large");
        };
        self.is_possible(cell, &step, guard, &place)?;
        let rows = self.cells.rows(cell);
        let reached = self.cells.walk(&rows, &step, walk, &place, &mut self.meter)?;
        if reached.is_empty() {
            return refuse(place(), "it leads nowhere");
        }
        Ok(vec![(step, reached)])
    }

    /// The cells that ways lead to.
    fn ways(
        &mut self,
        ways: &[(CellNumber, Way)],
    ) -> Result<BTreeMap<CellNumber, Targets>, Stopped> {
        let mut targets = BTreeMap::new();
        for (cell, way) in ways {
            self.cell(*cell)?;
            targets.insert(*cell, self.way(*cell, way)?);
        }
        Ok(targets)
    }

    /// Checks that every state of a cell can take a step without choices.
    fn is_possible(
        &mut self,
        cell: CellNumber,
        step: &Step,
        guard: &[Refutation],
        place: Place<'_>,
    ) -> Result<(), Stopped> {
        if guard.len() != step.guard.len() {
            return refuse(place(), "there is not one reason for each row of the guard");
        }
        // Values that fit the facts are there only if the rest of the guard is true.
        let mut rows = self.cells.rows(cell);
        let mut with_facts = rows.clone();
        with_facts.extend(step.facts.iter().cloned());
        for (row, reasons) in step.guard.iter().zip(guard) {
            let is_plain = row.columns().all(|column| column.as_variable().is_some());
            let system = if is_plain { &mut rows } else { &mut with_facts };
            entailed(system, Some(row.clone()), reasons, place, &mut self.meter)?;
        }
        Ok(())
    }

    fn next(
        &mut self,
        proved: &[(CellNumber, Way)],
        refuted: &[CellNumber],
        f: &Sets,
    ) -> Result<Sets, Stopped> {
        let mut sets = self.nowhere();
        for (cell, targets) in self.ways(proved)? {
            let good = |to: usize| f.proved.contains(to) && self.live.proved.contains(to);
            demand(lead(&targets, good), || format!("cell {cell}"), "its way does not lead there")?;
            sets.proved.insert(cell as usize);
        }
        for &cell in refuted {
            let index = self.cell(cell)?;
            let bad = |to: usize| f.refuted.contains(to) || self.live.refuted.contains(to);
            demand(lead(self.all(cell)?, bad), || format!("cell {cell}"), "a step leads there")?;
            sets.refuted.insert(index);
        }
        Ok(sets)
    }

    /// A set without `g` that is left only where `f` is false.
    fn closed(
        &mut self,
        refuted: &[CellNumber],
        f: &Sets,
        g: &Sets,
    ) -> Result<FixedBitSet, Stopped> {
        let mut set = self.nowhere().refuted;
        for &cell in refuted {
            set.insert(self.cell(cell)?);
        }
        for &cell in refuted {
            self.meter.tick()?;
            let index = cell as usize;
            if !g.refuted.contains(index) && !self.live.refuted.contains(index) {
                return refuse(format!("cell {cell}"), "it may be where the run is to come to");
            }
            if !f.refuted.contains(index) && !lead(self.all(cell)?, |to| set.contains(to)) {
                return refuse(format!("cell {cell}"), "a step leads out of the set");
            }
        }
        Ok(set)
    }

    fn until(
        &mut self,
        proved: &Progress,
        ways: &[(CellNumber, Way)],
        f: &Sets,
        g: &Sets,
    ) -> Result<FixedBitSet, Stopped> {
        let targets = self.ways(ways)?;
        let live = self.live.proved.clone();
        let ground = |cell: usize| g.proved.contains(cell) && live.contains(cell);
        let above = |cell: usize| f.proved.contains(cell);
        self.progress(proved, &targets, ground, above, false)
    }

    fn always(&mut self, layer: &Layer, f: &Sets) -> Result<Sets, Stopped> {
        let Layer::Always { proved, again, refuted } = layer else {
            return refuse("an operator", "the layer is not of its kind");
        };
        let mut set = self.nowhere().proved;
        let mut targets = self.ways(proved)?;
        set.extend(targets.keys().map(|&cell| cell as usize));
        for (cell, targets) in &targets {
            if !f.proved.contains(*cell as usize) {
                return refuse(format!("cell {cell}"), "the operand is not true there");
            }
            if !lead(targets, |to| set.contains(to)) {
                return refuse(format!("cell {cell}"), "its way leads out of the set");
            }
        }
        let waits = |cell: usize| self.cells.waits(cell as CellNumber);
        let waiting: FixedBitSet = set.ones().filter(|&cell| waits(cell)).collect();
        let ground = |cell: usize| set.contains(cell) && !waiting.contains(cell);
        let come = self.progress(again, &targets, ground, |cell| set.contains(cell), false)?;
        demand(waiting.is_subset(&come), || "the ways that stay", "they may wait for ever")?;
        for &(cell, level) in &refuted.levels {
            if level > 0 {
                targets.insert(cell, self.all(cell)?.clone());
            }
        }
        let refuted =
            self.progress(refuted, &targets, |cell| f.refuted.contains(cell), |_| true, true)?;
        Ok(Sets { proved: set, refuted })
    }

    /// Whether the claim is true in all initial states.
    fn holds(&mut self, proof: &Proof, root: &Sets) -> Result<(), Stopped> {
        if proof.starts.len() != self.cells.flow.starts.len() {
            return refuse("the initial states", "there is not one walk for each start");
        }
        for (number, (step, walk)) in self.cells.starts.iter().zip(&proof.starts).enumerate() {
            let place = || format!("start {number}");
            for cell in self.cells.walk(&[], step, walk, &place, &mut self.meter)? {
                let index = cell as usize;
                if !root.proved.contains(index) && !self.live.refuted.contains(index) {
                    return refuse(format!("cell {cell}"), "the claim is not true there");
                }
            }
        }
        Ok(())
    }

    /// Whether the claim is false in an initial state.
    fn fails(&mut self, start: &Start, root: &Sets) -> Result<(), Stopped> {
        let place = || "the initial state".to_owned();
        let index = self.cell(start.cell)?;
        if !root.refuted.contains(index) || !self.live.proved.contains(index) {
            return refuse(place(), "the claim is not false in its cell");
        }
        let step = self.cells.fixed(start)?;
        if step.to != self.cells.point(start.cell) {
            return refuse(place(), "the start does not lead to its cell");
        }
        let cell = self.cells.rows(start.cell);
        let after = cell.iter().map(|row| row.substitute(|column| step.written.get(&column)));
        let wanted: Vec<Option<Linear>> =
            step.guard.iter().cloned().map(Some).chain(after).collect();
        demand(wanted.len() == start.reasons.len(), place, "there is not one reason for each row")?;
        let mut facts = step.facts.clone();
        for (row, reasons) in wanted.into_iter().zip(&start.reasons) {
            // Values that fit the facts are there only if the rest of the guard is true.
            let is_constant = row.as_ref().is_some_and(|row| row.columns().next().is_none());
            let mut nothing = Vec::new();
            let system = if is_constant { &mut nothing } else { &mut facts };
            entailed(system, row, reasons, &place, &mut self.meter)?;
        }
        Ok(())
    }
}

/// Whether all targets are good.
fn lead(targets: &Targets, is_good: impl Fn(usize) -> bool) -> bool {
    targets.iter().flat_map(|(_, to)| to).all(|&to| is_good(to as usize))
}

#[cfg(test)]
mod forged;
#[cfg(test)]
mod tests;

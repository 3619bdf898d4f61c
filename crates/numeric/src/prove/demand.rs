//! Which labels of which cells a verdict rests on: only these are proved in evidence.
//!
//! From the claim in the initial cells downwards, terms after what uses them. A label asks for
//! labels of operands in the same cell, or in cells that steps lead to; temporal operators ask for
//! themselves there, until nothing new is asked for.

use crate::check::{Question, Round};
use crate::label::{Cells, Label, Labels, Reasons};
use crate::partition::{CellId, Partition};
use tern_model::TermId;
use tern_model::index::Table;
use tern_model::logic::ctl::Term;

/// Cells in which something has to be proved, and in which it has to be refuted.
#[derive(Clone, Debug, Default)]
pub(super) struct Need {
    pub(super) proved: Cells,
    pub(super) refuted: Cells,
}

/// What a verdict rests on.
#[derive(Debug)]
pub(super) struct Demand {
    pub(super) terms: Table<TermId, Need>,
    pub(super) live: Need,
    /// Cells of which all steps have to be known.
    pub(super) steps: Cells,
}

struct Search<'s, 'a> {
    partition: &'s Partition<'a>,
    round: &'s Round,
    demand: Demand,
}

impl Demand {
    /// Adds all that follows from what the claim needs, and from what is needed of runs.
    pub(super) fn close(
        root: Need,
        live: Need,
        question: &Question<'_>,
        partition: &Partition<'_>,
        round: &Round,
    ) -> Demand {
        let terms = Table::filled(Need::default(), question.claim.terms.len());
        let demand = Demand { terms, live, steps: Cells::new() };
        let mut search = Search { partition, round, demand };
        search.demand.terms[question.claim.root] = root;
        for (id, &term) in question.claim.terms.iter().rev() {
            let mut need = std::mem::take(&mut search.demand.terms[id]);
            search.term(id, term, &mut need);
            search.demand.terms[id] = need;
        }
        if let Some(reasons) = &round.live_reasons {
            let mut live = std::mem::take(&mut search.demand.live);
            search.ways(&mut live.proved, reasons, |_, _| {});
            search.all_steps(&mut live.refuted, |_, _| true);
            search.demand.live = live;
        }
        search.demand
    }
}

impl Search<'_, '_> {
    fn prove(&mut self, term: TermId, cell: CellId) {
        self.demand.terms[term].proved.insert(cell);
    }

    fn refute(&mut self, term: TermId, cell: CellId) {
        self.demand.terms[term].refuted.insert(cell);
    }

    fn label(&self, term: TermId, cell: CellId) -> Label {
        self.round.terms[term][cell]
    }

    /// That a term is refuted, or that there is no run.
    fn refute_or_dead(&mut self, term: TermId, cell: CellId) {
        match self.label(term, cell) {
            Label::Refuted => self.refute(term, cell),
            _ => {
                self.demand.live.refuted.insert(cell);
            }
        }
    }

    fn prove_alive(&mut self, term: TermId, cell: CellId) {
        self.prove(term, cell);
        self.demand.live.proved.insert(cell);
    }

    fn term(&mut self, id: TermId, term: Term, need: &mut Need) {
        match term {
            Term::True | Term::Atom(_) => {}
            Term::Not(f) => {
                need.proved.iter().for_each(|&cell| self.refute(f, cell));
                need.refuted.iter().for_each(|&cell| self.prove(f, cell));
            }
            Term::And(f, g) => {
                for &cell in &need.proved {
                    self.prove(f, cell);
                    self.prove(g, cell);
                }
                for &cell in &need.refuted {
                    let is_first = self.label(f, cell) == Label::Refuted;
                    self.refute(if is_first { f } else { g }, cell);
                }
            }
            Term::Or(f, g) => {
                for &cell in &need.refuted {
                    self.refute(f, cell);
                    self.refute(g, cell);
                }
                for &cell in &need.proved {
                    let is_first = self.label(f, cell) == Label::Proved;
                    self.prove(if is_first { f } else { g }, cell);
                }
            }
            Term::Ex(f) => {
                let round = self.round;
                for &cell in &need.proved {
                    let Some(way) = round.reasons[id].ways.get(&cell) else { continue };
                    if way.by.is_none() {
                        self.demand.steps.insert(cell);
                    }
                    way.steps.iter().for_each(|&(_, to)| self.prove_alive(f, to));
                }
                for &cell in &need.refuted {
                    self.demand.steps.insert(cell);
                    for step in self.partition.steps(cell) {
                        self.refute_or_dead(f, step.to);
                    }
                }
            }
            Term::Eu(f, g) => {
                let reasons = &self.round.reasons[id];
                self.ways(&mut need.proved, reasons, |search, cell| {
                    match reasons.levels.get(&cell) {
                        Some(0) => search.prove_alive(g, cell),
                        _ => search.prove(f, cell),
                    }
                });
                self.all_steps(&mut need.refuted, |search, cell| {
                    search.refute_or_dead(g, cell);
                    let goes_on = search.label(f, cell) != Label::Refuted;
                    if !goes_on {
                        search.refute(f, cell);
                    }
                    goes_on
                });
            }
            Term::Eg(f) => {
                let reasons = &self.round.reasons[id];
                self.ways(&mut need.proved, reasons, |search, cell| search.prove(f, cell));
                self.all_steps(&mut need.refuted, |search, cell| {
                    let goes_on = reasons.levels.get(&cell) != Some(&0);
                    if !goes_on {
                        search.refute(f, cell);
                    }
                    goes_on
                });
            }
        }
    }

    /// Closes a set under the ways of its cells.
    fn ways(&mut self, set: &mut Cells, reasons: &Reasons, ask: impl Fn(&mut Self, CellId)) {
        let mut todo: Vec<CellId> = set.iter().copied().collect();
        while let Some(cell) = todo.pop() {
            ask(self, cell);
            let Some(way) = reasons.ways.get(&cell) else { continue };
            if way.by.is_none() {
                self.demand.steps.insert(cell);
            }
            todo.extend(way.steps.iter().map(|&(_, to)| to).filter(|&to| set.insert(to)));
        }
    }

    /// Closes a set under all steps of those of its cells for which `ask` says so.
    fn all_steps(&mut self, set: &mut Cells, ask: impl Fn(&mut Self, CellId) -> bool) {
        let mut todo: Vec<CellId> = set.iter().copied().collect();
        while let Some(cell) = todo.pop() {
            if ask(self, cell) {
                self.demand.steps.insert(cell);
                let steps = self.partition.steps(cell);
                todo.extend(steps.iter().map(|step| step.to).filter(|&to| set.insert(to)));
            }
        }
    }
}

/// What has to be shown of initial cells for a claim to hold.
pub(super) fn of_starts(cells: &[CellId], root: &Labels) -> (Need, Need) {
    let (mut claim, mut live) = (Need::default(), Need::default());
    for &cell in cells {
        match root[cell] {
            Label::Proved => claim.proved.insert(cell),
            _ => live.refuted.insert(cell),
        };
    }
    (claim, live)
}

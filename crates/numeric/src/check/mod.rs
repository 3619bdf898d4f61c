//! Decides CTL claims about the initial states of a flow graph.
//!
//! Rounds of two: all terms of the claim are labelled on the cells that can be reached
//! (`label`), innermost first; if an initial cell is still unknown, cells are split
//! (`refine`). The claim holds if it is proved in all initial cells, and fails if
//! it is refuted in one that has a state, which is given. It is unknown when there is nothing to
//! split, or when there are too many cells.

mod choices;
mod example;
mod regions;
mod terms;

use crate::congruence::candidates;
use crate::invariant::{Templates, invariants};
use crate::label::{Label, Labeller, Labels, Memory, Reasons};
use crate::partition::{CellId, Partition};
use crate::prove::{Gap, Goal, prove};
use crate::recursion;
use crate::story::{self, Chapter};
use crate::system::Solver;
pub(crate) use example::Example;
use example::{example, initial};
pub use regions::Region;
use regions::regions;
use std::collections::BTreeMap;
use std::sync::Arc;
use terms::{doubt, label, refine};
pub use tern_ir::flow::Proposition;
use tern_ir::flow::{Flow, PointId, Row};
use tern_ir::proof::Proof;
use tern_ir::remainder::{divisions, followed, undivided};
use tern_ir::runs::{self, Read};
use tern_model::index::{Id, Table};
use tern_model::logic::ctl::{Program, Term};
use tern_model::{AtomId, Budget, FormulaId, Formulas, Limit, TermId};

/// A claim about all initial states.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The program.
    pub flow: &'a Flow,
    /// The claim.
    pub claim: &'a Program,
    /// What its propositions mean.
    pub propositions: &'a BTreeMap<AtomId, Proposition>,
    /// The claim as it was written, if it is beyond CTL and `claim` only stands for it: it is asked
    /// of the graph in which runs are read.
    pub beyond: Option<(&'a Formulas, FormulaId)>,
    /// What is wanted beside the answer.
    pub wants: Wants,
}

/// What is wanted beside an answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wants {
    /// A proof of it.
    pub evidence: bool,
    /// If it fails, a run of so many steps at most.
    pub steps: usize,
    /// For which initial states it holds and fails, as far as that can be found out.
    pub precondition: bool,
    /// What invariants are about.
    pub templates: Templates,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is true in all initial states.
    Holds,
    /// It is false in this initial state.
    Fails {
        /// Where it is.
        point: PointId,
        /// The values of the variables.
        values: Vec<i128>,
    },
    /// Neither was found out.
    Unknown(Why),
}

/// What is in the way of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The limit that was reached, if that is it.
    pub limit: Option<Limit>,
    /// The term that is not known.
    pub term: Option<TermId>,
    /// Where it is not known.
    pub point: Option<PointId>,
    /// For which values it is not known.
    pub rows: Vec<Row>,
}

/// An answer with what it cost.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The answer.
    pub verdict: Verdict,
    /// How many cells there were in the end.
    pub cells: usize,
    /// How many cells have initial states; if none, no initial state that fits what is given has a
    /// run.
    pub starts: usize,
    /// How many rounds it took.
    pub rounds: usize,
    /// How many systems of rows were solved.
    pub systems: u64,
    /// Why the answer is right, or why that is not known; `None` if it was not asked for, or if
    /// there is no answer.
    pub proof: Option<Result<Proof, Gap>>,
    /// If it fails, why, by runs from the state.
    pub story: Vec<Chapter>,
    /// Initial states, and whether the claim holds in them; not always all.
    pub regions: Vec<Region>,
    /// The flow graph that points and edges are of, if it is not the one that was asked about.
    pub about: Option<Arc<Flow>>,
}

impl Decision {
    /// Whether there is no answer.
    pub fn is_open(&self) -> bool {
        matches!(self.verdict, Verdict::Unknown(_))
    }

    /// That nothing was looked at yet.
    pub fn open() -> Self {
        let why = Why { limit: None, term: None, point: None, rows: Vec::new() };
        Decision {
            verdict: Verdict::Unknown(why),
            cells: 0,
            starts: 1,
            rounds: 0,
            systems: 0,
            proof: None,
            story: Vec::new(),
            regions: Vec::new(),
            about: None,
        }
    }
}

/// The most rounds of refinement.
const MOST_ROUNDS: usize = 60;
/// The most cells.
const MOST_CELLS: usize = 4000;
/// The most rounds and cells before remainders, or procedures that call themselves, are looked at
/// more closely.
const QUICK: (usize, usize) = (6, 120);

/// The most rounds and cells where calls are looked into.
const INSIDE: (usize, usize) = (20, 600);

/// Decides a claim.
pub fn decide(question: Question<'_>, budget: &Budget) -> Decision {
    let decision = decide_by_guards(question, budget);
    let chosen = choices::decide(question, &decision, budget);
    chosen.unwrap_or(decision)
}

/// Decides a claim; cells are split by what the program and the claim compare.
fn decide_by_guards(question: Question<'_>, budget: &Budget) -> Decision {
    let Some(needed) = divisions(question.propositions) else { return Decision::open() };
    let is_needed = !needed.is_empty();
    let wanted = match question.wants.precondition {
        true => needed,
        false => candidates(question.flow, &mentioned(&question), needed),
    };
    if wanted.is_empty() {
        let is_rough = question.flow.summary.as_ref().is_some_and(|it| it.finer.is_some());
        let plain = search(question, is_rough.then_some(QUICK), budget).0;
        let is_left = plain.is_open() && !question.wants.precondition && !is_rough;
        let is_left = is_left && question.beyond.is_none();
        let inside = if is_left { recursion::decide(&question, budget) } else { None };
        return inside.unwrap_or(plain);
    }
    let flow = followed(question.flow, &wanted);
    let said = flow.and_then(|flow| Some((undivided(&flow, question.propositions)?, flow)));
    let Some((propositions, flow)) = &said else {
        return if is_needed { Decision::open() } else { search(question, None, budget).0 };
    };
    // With remainders there is more to look at, so that it is tried without them first.
    let (plain, is_cut) = match is_needed {
        true => (Decision::open(), false),
        false => search(question, Some(QUICK), budget),
    };
    if !plain.is_open() {
        return plain;
    }
    // The run that is told would be one of the other graph.
    let wants = Wants { steps: 0, ..question.wants };
    let other = Question { flow, propositions, wants, ..question };
    let (mut decision, _) = search(other, None, budget);
    if let Verdict::Fails { values, .. } = &mut decision.verdict {
        values.truncate(question.flow.variables.len());
    }
    // What can only be said by quotients and remainders is left out.
    let count = question.flow.variables.len();
    let is_own = |row: &Row| {
        let mut variables = row.affine().terms.iter().filter_map(|term| term.0.as_variable());
        variables.all(|variable| variable < count)
    };
    decision.regions.retain(|region| region.rows.iter().all(is_own));
    if let Verdict::Unknown(why) = &mut decision.verdict
        && is_needed
    {
        // Its rows are about variables of the other graph.
        why.rows.clear();
        return decision;
    }
    match decision.is_open() {
        false => decision,
        true if is_cut => search(question, None, budget).0,
        true => plain,
    }
}

/// Decides a claim by the flow graph as it is, with so many rounds and cells at most. Says whether
/// it was ended by these.
fn search(
    question: Question<'_>,
    most: Option<(usize, usize)>,
    budget: &Budget,
) -> (Decision, bool) {
    let mut search = Search { most, ..Search::default() };
    if let Some((formulas, claim)) = question.beyond {
        return runs_read(
            search,
            question,
            runs::read(question.flow, formulas, claim, question.propositions),
            budget,
        );
    }
    let verdict = search.run_from(question, None, budget);
    search.decision(verdict, budget)
}

/// Decides a claim beyond CTL by the graph in which runs are read; nothing, if there is none.
fn runs_read(
    mut search: Search,
    question: Question<'_>,
    read: Option<Read>,
    budget: &Budget,
) -> (Decision, bool) {
    let Some(read) = read else { return (Decision::open(), false) };
    let Read { flow, program, propositions, of, .. } = &read;
    let other = Question { flow, claim: program, propositions, ..question };
    let verdict = search.run_from(other, None, budget);
    let (mut decision, is_cut) = search.decision(verdict, budget);
    decision.story = story::on_program(decision.story, &read);
    if let Some(Ok(proof)) = &mut decision.proof {
        // What stands for the claim there is not of the claim's propositions.
        proof.claim = Program { terms: [Term::True].into_iter().collect(), root: TermId::new(0) };
        proof.runs = true;
    }
    if let Verdict::Unknown(why) = &mut decision.verdict {
        why.term = None;
        why.point = why.point.map(|point| of[point.index()]);
    }
    (decision, is_cut)
}

/// Decides a claim by a flow graph of which some is known already.
pub(crate) fn search_from(
    question: Question<'_>,
    known: &Table<PointId, Option<Vec<Row>>>,
    budget: &Budget,
) -> Decision {
    let mut search = Search { most: Some(INSIDE), ..Search::default() };
    let verdict = search.run_from(question, Some(known), budget);
    search.decision(verdict, budget).0
}

type Doubt = (Option<TermId>, Option<PointId>, Vec<Row>);

#[derive(Default)]
struct Search {
    systems: u64,
    cells: usize,
    starts: usize,
    rounds: usize,
    /// What was unknown in the last round.
    doubt: Option<Doubt>,
    found: Found,
    /// Whether all initial states are looked at, rather than until one is found in which the claim
    /// is false.
    is_thorough: bool,
    /// The most rounds and cells, if it is less than usual.
    most: Option<(usize, usize)>,
    /// Rows by which cells are split from the beginning, beside those of the claim.
    more: Vec<Row>,
    /// Whether there were too many rounds or cells.
    is_cut: bool,
    /// The parts of the last round, if all initial states are looked at.
    parts: Vec<Part>,
}

/// What was found beside the verdict.
#[derive(Default)]
struct Found {
    proof: Option<Result<Proof, Gap>>,
    story: Vec<Chapter>,
    regions: Vec<Region>,
    /// That it fails, while it is still looked for where else.
    fails: Option<Verdict>,
}

/// Some of the initial states.
pub(crate) struct Part {
    /// Where they are.
    pub(crate) point: PointId,
    /// What is true of them, beside the invariant of the point.
    pub(crate) rows: Vec<Row>,
    /// Whether the claim is true in all of them, or in none.
    pub(crate) label: Label,
}

/// Where a claim is true and where it is false, among the initial states; by so many rounds and
/// cells at most.
///
/// # Errors
/// The limit that was reached before anything was found out.
pub(crate) fn parts(
    question: Question<'_>,
    invariants: &Table<PointId, Option<Vec<Row>>>,
    most: (usize, usize),
    budget: &Budget,
) -> Result<Vec<Part>, Limit> {
    let mut search = Search { is_thorough: true, most: Some(most), ..Search::default() };
    let mut solver = Solver::new(budget);
    match search.rounds(question, invariants, &mut solver, &[]) {
        Err(limit) if search.parts.is_empty() => Err(limit),
        _ => Ok(search.parts),
    }
}

/// Proves that a claim holds, by given invariants.
///
/// # Errors
/// That it is not found to hold, or the limit that was reached.
pub(crate) fn prove_by(
    question: Question<'_>,
    invariants: &Table<PointId, Option<Vec<Row>>>,
    budget: &Budget,
) -> Result<Proof, Gap> {
    let mut search = Search::default();
    match (search.rounds(question, invariants, &mut Solver::new(budget), &[])?, search.found.proof)
    {
        (Verdict::Holds, Some(proof)) => proof,
        _ => Err(Gap::NotFound("which calls end")),
    }
}

/// The labels of a round.
pub(crate) struct Round {
    /// Whether states have a run.
    pub(crate) live: Labels,
    /// Why; `None` if all have.
    pub(crate) live_reasons: Option<Reasons>,
    pub(crate) terms: Table<TermId, Labels>,
    /// Why temporal terms are true and false; nothing for others.
    pub(crate) reasons: Table<TermId, Reasons>,
}

impl Search {
    /// What was found, with the verdict, and whether it was ended by too many rounds or cells.
    fn decision(mut self, verdict: Result<Verdict, Limit>, budget: &Budget) -> (Decision, bool) {
        let verdict = verdict.unwrap_or_else(|limit| {
            if let Some(fails) = self.found.fails.take() {
                return fails;
            }
            let (term, point, rows) = self.doubt.take().unwrap_or_default();
            Verdict::Unknown(Why { limit: Some(limit), term, point, rows })
        });
        let Search { systems, cells, starts, rounds, found, is_cut, .. } = self;
        let Found { proof, story, mut regions, .. } = found;
        regions::merge(&mut regions, budget);
        let about = None;
        (Decision { verdict, cells, starts, rounds, systems, proof, story, regions, about }, is_cut)
    }

    /// Finds invariants, beside those that are known already, and decides by them.
    fn run_from(
        &mut self,
        question: Question<'_>,
        known: Option<&Table<PointId, Option<Vec<Row>>>>,
        budget: &Budget,
    ) -> Result<Verdict, Limit> {
        let mut hints: Vec<Row> = mentioned(&question);
        hints.append(&mut self.more);
        let mut invariants = invariants(question.flow, &hints, question.wants.templates, budget)?;
        let mut solver = Solver::new(budget);
        for (known, (_, rows)) in
            known.iter().flat_map(|it| it.as_slice()).zip(invariants.iter_mut())
        {
            match (known, rows.as_mut()) {
                (Some(known), Some(rows)) => {
                    rows.extend(known.iter().cloned());
                    solver.reduce(rows)?;
                }
                _ => *rows = None,
            }
        }
        let verdict = self.rounds(question, &invariants, &mut solver, &hints);
        self.systems = solver.solved;
        verdict
    }

    fn rounds<'b>(
        &mut self,
        question: Question<'b>,
        invariants: &'b Table<PointId, Option<Vec<Row>>>,
        solver: &mut Solver<'b>,
        hints: &[Row],
    ) -> Result<Verdict, Limit> {
        let flow = question.flow;
        let mut partition = Partition::new(flow, invariants);
        for row in hints {
            for cell in partition.all() {
                partition.split(cell, row, solver)?;
            }
        }
        let mut memory = Memory::default();
        loop {
            self.rounds += 1;
            let starts = initial(&partition, solver)?;
            let cells: Vec<CellId> = starts.iter().map(|&(_, cell)| cell).collect();
            let mut labeller = Labeller::new(&mut partition, solver, &cells, &mut memory)?;
            self.cells = labeller.cells.len();
            self.starts = cells.len();
            let round = label(&mut labeller, &question)?;
            let root = &round.terms[question.claim.root];
            if self.is_thorough {
                self.parts = part(&labeller, &cells, root);
            }
            let decides =
                |cell: CellId| root[cell] == Label::Proved || round.live[cell] == Label::Refuted;
            if cells.iter().all(|&cell| decides(cell)) {
                if cells.iter().all(|&cell| round.live[cell] == Label::Refuted) {
                    // There are no initial states: none has a run.
                    self.starts = 0;
                }
                if question.wants.evidence {
                    let goal = Goal::Holds(&starts);
                    self.found.proof = Some(prove(&mut labeller, &question, &round, goal));
                }
                if question.wants.precondition {
                    self.found.regions = regions(&mut labeller, &round, root, &starts)?;
                }
                return Ok(Verdict::Holds);
            }
            let is_known = |&cell: &CellId| root[cell] != Label::Unknown;
            let may_fail = !self.is_thorough || cells.iter().all(is_known);
            if may_fail && self.found.fails.is_none() {
                self.found.fails = self.failure(&mut labeller, &question, &round, &starts)?;
            }
            if question.wants.precondition {
                self.found.regions = regions(&mut labeller, &round, root, &starts)?;
            }
            let is_whole = cells.iter().all(|&cell| decides(cell) || root[cell] == Label::Refuted);
            if (is_whole || !question.wants.precondition)
                && let Some(fails) = self.found.fails.take()
            {
                return Ok(fails);
            }
            self.doubt = Some(doubt(&labeller, &question, &round, &cells));
            let most = self.most.unwrap_or((MOST_ROUNDS, MOST_CELLS));
            let is_over = self.rounds >= most.0 || labeller.partition.cells.len() > most.1;
            self.is_cut |= is_over;
            // Ranks need few splits, if any: they come first, and later in turns.
            let ranks_first = self.rounds <= 6 || self.rounds.is_multiple_of(2);
            if is_over || !refine(&mut labeller, &question, &round, &cells, ranks_first)? {
                if let Some(fails) = self.found.fails.take() {
                    return Ok(fails);
                }
                let (term, point, rows) = self.doubt.take().unwrap_or_default();
                return Ok(Verdict::Unknown(Why { limit: None, term, point, rows }));
            }
        }
    }
}

impl Search {
    /// Looks for an initial state in which the claim fails, with what is wanted of it.
    fn failure(
        &mut self,
        labeller: &mut Labeller<'_, '_>,
        question: &Question<'_>,
        round: &Round,
        starts: &[(usize, CellId)],
    ) -> Result<Option<Verdict>, Limit> {
        let root = &round.terms[question.claim.root];
        for &(start, cell) in starts {
            if root[cell] != Label::Refuted || round.live[cell] != Label::Proved {
                continue;
            }
            let Some(example) = example(labeller, start, cell)? else { continue };
            let Some(values) = example.values(&question.flow.starts[start]) else { continue };
            let point = labeller.partition.cells[cell].point;
            if question.wants.evidence {
                let goal = Goal::Fails(&example);
                self.found.proof = Some(prove(labeller, question, round, goal));
            }
            if question.wants.steps > 0 {
                // A run that is not found in time is no reason to take the verdict back.
                let most = question.wants.steps;
                self.found.story = story::tell(labeller, question, round, &example, most);
            }
            return Ok(Some(Verdict::Fails { point, values }));
        }
        Ok(None)
    }
}

/// The initial cells with their labels.
fn part(labeller: &Labeller<'_, '_>, cells: &[CellId], labels: &Labels) -> Vec<Part> {
    let made = |&id: &CellId| {
        let cell = &labeller.partition.cells[id];
        Part { point: cell.point, rows: cell.own.clone(), label: labels[id] }
    };
    cells.iter().map(made).collect()
}

/// The rows of the propositions of a claim.
fn mentioned(question: &Question<'_>) -> Vec<Row> {
    let is_own = |atom: &AtomId| {
        let mut terms = question.claim.terms.as_slice().iter();
        question.beyond.is_some() || terms.any(|term| *term == Term::Atom(*atom))
    };
    let mut rows = Vec::new();
    for (_, meaning) in question.propositions.iter().filter(|(atom, _)| is_own(atom)) {
        if let Proposition::Rows(lists) = meaning {
            rows.extend(lists.iter().flatten().cloned());
        }
    }
    rows.sort();
    rows.dedup();
    rows
}

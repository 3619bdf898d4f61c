//! Decides CTL claims about the initial states of a flow graph.
//!
//! Rounds of two: all terms of the claim are labelled on the cells that can be reached
//! (`label`), innermost first; if an initial cell is still unknown, cells are split
//! (`refine`). The claim holds if it is proved in all initial cells, and fails if
//! it is refuted in one that has a state, which is given. It is unknown when there is nothing to
//! split, or when there are too many cells.

use crate::congruence::candidates;
use crate::invariant::{Templates, invariants};
use crate::label::{Label, Labeller, Labels, Memory, Reasons};
use crate::partition::{CellId, Partition};
use crate::prove::{Gap, Goal, prove};
use crate::refine::{self, Splits};
use crate::story::{self, Chapter};
use crate::system::{Emptiness, Solver};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
pub use tern_ir::flow::Proposition;
use tern_ir::flow::{Affine, Auxiliary, Column, Edge, Flow, PointId, Row};
use tern_ir::proof::Proof;
use tern_ir::remainder::{divisions, followed, undivided};
use tern_model::index::Table;
use tern_model::logic::ctl::{Program, Term};
use tern_model::{AtomId, Budget, Limit, TermId};

/// A claim about all initial states.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The program.
    pub flow: &'a Flow,
    /// The claim.
    pub claim: &'a Program,
    /// What its propositions mean.
    pub propositions: &'a BTreeMap<AtomId, Proposition>,
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
    /// How many cells have initial states; if none, no initial state fits what is given.
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
}

impl Decision {
    fn is_open(&self) -> bool {
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
        }
    }
}

/// Initial states that have the same truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// What is true of them, beside what is true of all.
    pub rows: Vec<Row>,
    /// Whether the claim holds; `None` if that is not known.
    pub holds: Option<bool>,
}

/// The most rounds of refinement.
const MOST_ROUNDS: usize = 60;
/// The most cells.
const MOST_CELLS: usize = 4000;
/// The most rounds and cells if all initial states are looked at.
const THOROUGH: (usize, usize) = (16, 400);
/// The most rounds and cells before remainders are looked at.
const QUICK: (usize, usize) = (6, 120);

/// Decides a claim.
pub fn decide(question: Question<'_>, budget: &Budget) -> Decision {
    let Some(needed) = divisions(question.propositions) else { return Decision::open() };
    let is_needed = !needed.is_empty();
    let wanted = match question.wants.precondition {
        true => needed,
        false => candidates(question.flow, &mentioned(&question), needed),
    };
    if wanted.is_empty() {
        return search(question, None, budget).0;
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
    let verdict = search.run(question, budget).unwrap_or_else(|limit| {
        if let Some(fails) = search.found.fails.take() {
            return fails;
        }
        let (term, point, rows) = search.doubt.take().unwrap_or_default();
        Verdict::Unknown(Why { limit: Some(limit), term, point, rows })
    });
    let Search { systems, cells, starts, rounds, found, is_cut, .. } = search;
    let Found { proof, story, regions, .. } = found;
    (Decision { verdict, cells, starts, rounds, systems, proof, story, regions }, is_cut)
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

/// Where a claim is true and where it is false, among the initial states.
///
/// # Errors
/// The limit that was reached before anything was found out.
pub(crate) fn parts(
    question: Question<'_>,
    invariants: &Table<PointId, Option<Vec<Row>>>,
    budget: &Budget,
) -> Result<Vec<Part>, Limit> {
    let mut search = Search { is_thorough: true, ..Search::default() };
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

/// An initial state.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    /// Which of the starts.
    pub(crate) start: usize,
    /// The values of the variables before it.
    pub(crate) variables: Vec<i128>,
    /// The values of its auxiliaries.
    pub(crate) auxiliaries: Vec<i128>,
    /// The cell that it is in.
    pub(crate) cell: CellId,
}

impl Example {
    /// Rows of the start with values for all but what is unknown.
    pub(crate) fn fixed(&self, start: &Edge, rows: &[Row]) -> Option<Vec<Row>> {
        let values = self.constants(start);
        rows.iter().map(|row| row.substitute(|column| values.get(&column))).collect()
    }

    fn constants(&self, start: &Edge) -> BTreeMap<Column, Affine> {
        let mut values = BTreeMap::new();
        for (number, &value) in self.variables.iter().enumerate() {
            values.insert(Column::variable(number), Affine::constant(value));
        }
        for (number, &value) in self.auxiliaries.iter().enumerate() {
            if start.auxiliaries.get(number) == Some(&Auxiliary::Choice) {
                values.insert(Column::auxiliary(number), Affine::constant(value));
            }
        }
        values
    }

    /// The start with these values.
    pub(crate) fn start(&self, start: &Edge) -> Option<Edge> {
        let mut fixed = start.clone();
        fixed.facts = self.fixed(start, &start.facts)?;
        fixed.guard = self.fixed(start, &start.guard)?;
        fixed.update.clear();
        let values = self.constants(start);
        for (variable, &value) in self.variables.iter().enumerate() {
            let value = match start.written(Column::variable(variable)) {
                None => Affine::constant(value),
                Some(written) => written.substitute(|column| values.get(&column))?,
            };
            fixed.update.push((variable, value));
        }
        Some(fixed)
    }

    /// The values of the variables in the state.
    fn values(&self, start: &Edge) -> Option<Vec<i128>> {
        let of = |column: Column| match (column.as_variable(), column.as_auxiliary()) {
            (Some(variable), _) => self.variables[variable],
            (_, number) => number.map_or(0, |number| self.auxiliaries[number]),
        };
        let after = |variable: usize| {
            let column = Column::variable(variable);
            start.written(column).map_or(Some(of(column)), |value| value.evaluate(of))
        };
        (0..self.variables.len()).map(after).collect()
    }
}

impl Search {
    fn run(&mut self, question: Question<'_>, budget: &Budget) -> Result<Verdict, Limit> {
        let hints: Vec<Row> = mentioned(&question);
        let invariants = invariants(question.flow, &hints, question.wants.templates, budget)?;
        let mut solver = Solver::new(budget);
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
            let usual = if self.is_thorough { THOROUGH } else { (MOST_ROUNDS, MOST_CELLS) };
            let most = self.most.unwrap_or(usual);
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
                let story = story::tell(labeller, question, round, &example, most);
                self.found.story = story.unwrap_or_default();
            }
            return Ok(Some(Verdict::Fails { point, values }));
        }
        Ok(None)
    }
}

/// Initial states, by cells, with what is known of the claim there.
fn regions(
    labeller: &mut Labeller<'_, '_>,
    round: &Round,
    root: &Labels,
    starts: &[(usize, CellId)],
) -> Result<Vec<Region>, Limit> {
    let mut regions: Vec<Region> = Vec::new();
    for &(start, cell) in starts {
        let holds = match (root[cell], round.live[cell]) {
            (_, Label::Refuted) => continue,
            (Label::Proved, _) => Some(true),
            (Label::Refuted, Label::Proved) => Some(false),
            _ => None,
        };
        let mut rows = labeller.partition.cells[cell].own.clone();
        // What is known of all initial states need not be said.
        let start = &labeller.partition.flow.starts[start];
        let known: Vec<Row> = start.rows().cloned().collect();
        let mut wanted = Vec::new();
        for row in rows.drain(..) {
            let before = row.substitute(|column| start.written(column));
            let is_known = match before {
                Some(before) => labeller.solver.entails(&known, &before)?,
                None => false,
            };
            if !is_known {
                wanted.push(row);
            }
        }
        labeller.solver.reduce(&mut wanted)?;
        let region = Region { rows: wanted, holds };
        if !regions.contains(&region) {
            regions.push(region);
        }
    }
    Ok(regions)
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
    let mut rows = Vec::new();
    for term in question.claim.terms.as_slice() {
        if let Term::Atom(atom) = term
            && let Some(Proposition::Rows(lists)) = question.propositions.get(atom)
        {
            rows.extend(lists.iter().flatten().cloned());
        }
    }
    rows.sort();
    rows.dedup();
    rows
}

/// The cells that starts lead to.
fn initial(
    partition: &Partition<'_>,
    solver: &mut Solver<'_>,
) -> Result<Vec<(usize, CellId)>, Limit> {
    let mut found = Vec::new();
    for (number, start) in partition.flow.starts.iter().enumerate() {
        for &cell in partition.at(start.to) {
            if partition.may_step(&[], start, cell, solver)? {
                found.push((number, cell));
            }
        }
    }
    Ok(found)
}

/// An initial state that is in a cell for sure, whatever unknown values it comes from.
fn example(
    labeller: &mut Labeller<'_, '_>,
    number: usize,
    cell: CellId,
) -> Result<Option<Example>, Limit> {
    let flow = labeller.partition.flow;
    let start = &flow.starts[number];
    let Some(before) = labeller.partition.before(start, cell) else { return Ok(None) };
    let mut rows: Vec<Row> = start.rows().cloned().collect();
    rows.extend(before.iter().cloned());
    let Emptiness::Point(point) = labeller.solver.solve(&rows)? else { return Ok(None) };
    let known: FxHashMap<Column, i128> = point.into_iter().collect();
    let of = |column: Column| known.get(&column).copied().unwrap_or(0);
    let variables = (0..flow.variables.len()).map(|it| of(Column::variable(it))).collect();
    let auxiliaries = (0..start.auxiliaries.len()).map(|it| of(Column::auxiliary(it))).collect();
    let example = Example { start: number, variables, auxiliaries, cell };
    let wanted: Vec<Row> = start.guard.iter().chain(&before).cloned().collect();
    let fixed = (example.fixed(start, &start.facts), example.fixed(start, &wanted));
    let (Some(facts), Some(wanted)) = fixed else { return Ok(None) };
    for row in &wanted {
        if !labeller.solver.entails(&facts, row)? {
            return Ok(None);
        }
    }
    Ok(Some(example))
}

/// Labels all terms of a claim.
fn label(labeller: &mut Labeller<'_, '_>, question: &Question<'_>) -> Result<Round, Limit> {
    let flow = question.flow;
    let everywhere = labeller.labels(|_| Label::Proved);
    let is_total = flow.points.as_slice().iter().all(|point| point.total);
    let live_reasons = if is_total { None } else { Some(labeller.always(&everywhere)?) };
    let live = match &live_reasons {
        None => everywhere.clone(),
        Some(reasons) => labeller.by_sets(reasons),
    };
    let mut terms: Table<TermId, Labels> = Table::new();
    let mut all_reasons: Table<TermId, Reasons> = Table::new();
    for (_, &term) in question.claim.terms.iter() {
        let with_run = |labeller: &Labeller<'_, '_>, labels: &Labels| {
            labeller.labels(|cell| labels[cell].and(live[cell]))
        };
        let mut reasons = Reasons::default();
        let labels = match term {
            Term::True => everywhere.clone(),
            Term::Atom(atom) => proposition(labeller, question.propositions.get(&atom))?,
            Term::Not(f) => labeller.labels(|cell| terms[f][cell].not()),
            Term::And(f, g) => labeller.labels(|cell| terms[f][cell].and(terms[g][cell])),
            Term::Or(f, g) => {
                labeller.labels(|cell| terms[f][cell].not().and(terms[g][cell].not()).not())
            }
            Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => {
                reasons = match term {
                    Term::Ex(f) => {
                        let f = with_run(labeller, &terms[f]);
                        labeller.next(&f)?
                    }
                    Term::Eu(f, g) => {
                        let g = with_run(labeller, &terms[g]);
                        labeller.until(&terms[f], &g)?
                    }
                    Term::Eg(f) => labeller.always(&terms[f])?,
                    _ => Reasons::default(),
                };
                labeller.by_sets(&reasons)
            }
        };
        terms.push(labels);
        all_reasons.push(reasons);
    }
    Ok(Round { live, live_reasons, terms, reasons: all_reasons })
}

/// Where a proposition is true.
fn proposition(
    labeller: &mut Labeller<'_, '_>,
    meaning: Option<&Proposition>,
) -> Result<Labels, Limit> {
    let lists = match meaning {
        None => return Ok(labeller.labels(|_| Label::Unknown)),
        Some(Proposition::Label(name)) => {
            let flow = labeller.partition.flow;
            let has = |cell: CellId| {
                flow.points[labeller.partition.cells[cell].point].labels.contains(name)
            };
            return Ok(
                labeller.labels(|cell| if has(cell) { Label::Proved } else { Label::Refuted })
            );
        }
        Some(Proposition::Rows(lists)) => lists,
        // Whoever asks has said it by rows.
        Some(Proposition::Divided(_)) => return Ok(labeller.labels(|_| Label::Unknown)),
    };
    let mut labels = labeller.labels(|_| Label::Unknown);
    for cell in labeller.cells.clone() {
        let rows = labeller.partition.rows(cell);
        let mut value = Label::Refuted;
        for list in lists {
            let mut all = Label::Proved;
            for row in list {
                all = all.and(truth(labeller, &rows, row)?);
            }
            value = value.not().and(all.not()).not();
        }
        labels[cell] = value;
    }
    Ok(labels)
}

/// Whether a row is true in all states of a system, or in none.
fn truth(labeller: &mut Labeller<'_, '_>, rows: &[Row], row: &Row) -> Result<Label, Limit> {
    if labeller.solver.entails(rows, row)? {
        return Ok(Label::Proved);
    }
    match row.negated() {
        Some(negated) if labeller.solver.entails(rows, &negated)? => Ok(Label::Refuted),
        _ => Ok(Label::Unknown),
    }
}

/// What is unknown, innermost first, and where.
fn doubt(
    labeller: &Labeller<'_, '_>,
    question: &Question<'_>,
    round: &Round,
    starts: &[CellId],
) -> Doubt {
    for (id, _) in question.claim.terms.iter().filter(|(_, term)| term.is_temporal()) {
        let labels = &round.terms[id];
        let unknown = |cell: &&CellId| labels[**cell] == Label::Unknown;
        let found = starts.iter().find(unknown).or_else(|| labeller.cells.iter().find(unknown));
        if let Some(&cell) = found {
            let rows = labeller.partition.rows(cell);
            return (Some(id), Some(labeller.partition.cells[cell].point), rows);
        }
    }
    (None, None, Vec::new())
}

/// Splits cells where something is unknown. Says whether any was split.
fn refine(
    labeller: &mut Labeller<'_, '_>,
    question: &Question<'_>,
    round: &Round,
    starts: &[CellId],
    ranks_first: bool,
) -> Result<bool, Limit> {
    let mut splits = Splits::new();
    for (cell, row) in std::mem::take(&mut labeller.hints) {
        splits.entry(cell).or_default().push(row);
    }
    let mut first = Splits::new();
    refine::note(labeller, &round.live, &round.live, &mut first)?;
    for (id, &term) in question.claim.terms.iter() {
        let labels = &round.terms[id];
        match term {
            Term::Ex(f) => refine::note(labeller, labels, &round.terms[f], &mut first)?,
            Term::Eu(..) | Term::Eg(_) => refine::note(labeller, labels, labels, &mut first)?,
            _ => {}
        }
    }
    for (cell, rows) in first {
        let all = splits.entry(cell).or_default();
        if ranks_first {
            all.extend(rows);
        } else {
            let hints = std::mem::replace(all, rows);
            all.extend(hints);
        }
    }
    if refine::apply(labeller, &splits)? {
        return Ok(true);
    }
    // Nothing suggests itself: values are told apart where they are few.
    let unknown = |labels: &Labels| starts.iter().any(|&cell| labels[cell] == Label::Unknown);
    let mut splits = Splits::new();
    if unknown(&round.live) {
        refine::tell_apart(labeller, &round.live, &mut splits)?;
    }
    for (id, _) in question.claim.terms.iter().filter(|(_, term)| term.is_temporal()) {
        if splits.is_empty() {
            refine::tell_apart(labeller, &round.terms[id], &mut splits)?;
        }
    }
    refine::apply(labeller, &splits)
}

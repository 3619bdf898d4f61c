//! Tells by a run why a claim fails in a state: which step is taken after which.
//!
//! The labels of the state lead to the part of the claim that a run can show: `EX` and `E[f U g]`
//! that are true end in a state that is told of further, `EG` that is true goes on until a state
//! comes back. Each state takes the way of its cell, with numbers in place of variables. What is
//! true of all paths is shown by no run, and said.
//!
//! Runs are not evidence: they are followed again from their first state, by whoever shows them.

use crate::check::{Example, Question, Round};
use crate::label::{Label, Labeller, Reasons, Way};
use crate::partition::CellId;
use crate::system::Emptiness;
use rustc_hash::FxHashMap;
use tern_ir::flow::{Affine, Auxiliary, Column, Edge, EdgeId, PointId, Row};
use tern_ir::runs::Read;
use tern_model::index::Id;
use tern_model::logic::ctl::Term;
use tern_model::{FormulaId, Limit, TermId};

/// A step that is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// By which edge.
    pub edge: EdgeId,
    /// The values of its auxiliaries, as far as they are known.
    pub auxiliaries: Vec<Option<i128>>,
}

/// How a part of a story ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It has come to what it was to show.
    Done,
    /// It goes on for ever from the state before this step.
    Loop(usize),
    /// It goes on for ever as it did since the state before this step, round after round, while
    /// values grow. Whoever follows the steps finds that out, of what is too long here.
    Grows(usize),
    /// It stays in a call for ever from this step on. What happens there is not told.
    Inside(usize),
    /// It goes on; it was followed no further.
    TooLong,
    /// It goes on, but the next value is not a linear one, and not known here.
    Open,
    /// There is no run to show: it is so on all paths.
    AllPaths,
}

/// A part of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A term of its normal form.
    Term(TermId),
    /// A formula of a claim beyond CTL.
    Formula(FormulaId),
}

/// A part of the claim, and the run that shows it. The next part begins where it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    /// The part of the claim.
    pub of: Subject,
    /// Whether it is true.
    pub holds: bool,
    /// The steps.
    pub steps: Vec<Taken>,
    /// How it goes on.
    pub ending: Ending,
    /// If it goes on for ever and was followed no further: the states among which it stays.
    pub areas: Vec<Area>,
}

impl Chapter {
    fn new(term: TermId, holds: bool, (steps, ending): (Vec<Taken>, Ending)) -> Chapter {
        Chapter { of: Subject::Term(term), holds, steps, ending, areas: Vec::new() }
    }
}

/// States that a run may be in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// Where they are.
    pub point: PointId,
    /// What is true of them.
    pub rows: Vec<Row>,
}

/// The most areas that are told of.
const MOST_AREAS: usize = 64;

/// A state while it is followed.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    point: PointId,
    /// Values, as far as they are known.
    values: Vec<Option<i128>>,
}

struct Teller<'t, 'a, 'b> {
    labeller: &'t mut Labeller<'a, 'b>,
    /// How many steps are left.
    left: usize,
}

/// Why the claim of a round fails in an initial state, by runs of so many steps at most.
pub(crate) fn tell(
    labeller: &mut Labeller<'_, '_>,
    question: &Question<'_>,
    round: &Round,
    example: &Example,
    most: usize,
) -> Vec<Chapter> {
    let start = &labeller.partition.flow.starts[example.start];
    let is_known = |number: usize| start.auxiliaries.get(number) == Some(&Auxiliary::Choice);
    let of = |column: Column| match (column.as_variable(), column.as_auxiliary()) {
        (Some(variable), _) => example.variables.get(variable).copied(),
        (_, Some(number)) if is_known(number) => example.auxiliaries.get(number).copied(),
        _ => None,
    };
    let written = |variable: usize| {
        let column = Column::variable(variable);
        start.written(column).map_or(of(column), |value| evaluate(value, of))
    };
    let values = (0..example.variables.len()).map(written).collect();
    let mut state = State { point: start.to, values };
    let mut teller = Teller { labeller, left: most };
    let mut parts = Vec::new();
    let (mut term, mut holds) = (question.claim.root, false);
    loop {
        let Some(cell) = teller.cell(&state) else { return parts };
        let next = match question.claim.terms[term] {
            Term::True | Term::Atom(_) => return parts,
            Term::Not(f) => (f, !holds),
            Term::And(f, g) | Term::Or(f, g) => {
                let wanted = if holds { Label::Proved } else { Label::Refuted };
                let shows =
                    |it: TermId| (round.terms[it][cell] == wanted, shows(question, it, holds));
                (if shows(g) > shows(f) { g } else { f }, holds)
            }
            Term::Ex(_) | Term::Eu(..) | Term::Eg(_) if !holds => {
                parts.push(Chapter::new(term, holds, (Vec::new(), Ending::AllPaths)));
                return parts;
            }
            Term::Ex(f) => {
                let reasons = &round.reasons[term];
                let told = teller.follow(&mut state, reasons, |done, _| done == 1);
                parts.push(Chapter::new(term, holds, told));
                (f, true)
            }
            Term::Eu(_, g) => {
                let reasons = &round.reasons[term];
                let is_end = |_, cell: CellId| reasons.levels.get(&cell) == Some(&0);
                let told = teller.follow(&mut state, reasons, is_end);
                parts.push(Chapter::new(term, holds, told));
                (g, true)
            }
            Term::Eg(_) => {
                let reasons = &round.reasons[term];
                let told = teller.follow(&mut state, reasons, |_, _| false);
                let areas = match told.1 {
                    Ending::TooLong => teller.areas(&state, reasons).unwrap_or_default(),
                    _ => Vec::new(),
                };
                parts.push(Chapter { areas, ..Chapter::new(term, holds, told) });
                return parts;
            }
        };
        if parts.last().is_some_and(|part| part.ending != Ending::Done) {
            return parts;
        }
        (term, holds) = next;
    }
}

/// The story of a program, of one that is told of the graph in which its runs are read.
pub(crate) fn on_program(story: Vec<Chapter>, read: &Read) -> Vec<Chapter> {
    let mut told: Vec<Chapter> = Vec::new();
    for mut part in story {
        let Subject::Term(term) = part.of else { continue };
        let steps = part.steps.into_iter();
        part.steps =
            steps.filter_map(|it| Some(Taken { edge: read.steps[it.edge]?, ..it })).collect();
        for area in &mut part.areas {
            area.point = read.of[area.point.index()];
        }
        match (read.parts.get(&term), told.last_mut()) {
            (Some(&(formula, no)), _) => {
                let (of, holds) = (Subject::Formula(formula), part.holds != no);
                told.push(Chapter { of, holds, ..part });
            }
            // How a run that was begun is read: it is the run of what came before.
            (None, Some(before)) => {
                *before = Chapter { of: before.of, holds: before.holds, ..part };
            }
            (None, None) => {}
        }
    }
    told
}

/// Whether a run can show that a term is true, or false.
fn shows(question: &Question<'_>, term: TermId, holds: bool) -> bool {
    let mut todo = vec![(term, holds)];
    while let Some((term, holds)) = todo.pop() {
        match question.claim.terms[term] {
            Term::True | Term::Atom(_) => {}
            Term::Not(f) => todo.push((f, !holds)),
            Term::And(f, g) | Term::Or(f, g) => todo.extend([(f, holds), (g, holds)]),
            Term::Ex(_) | Term::Eu(..) | Term::Eg(_) if !holds => {}
            Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => return true,
        }
    }
    false
}

/// The value of a sum, if those of all columns are known and it is not too large.
fn evaluate(sum: &Affine, of: impl Fn(Column) -> Option<i128>) -> Option<i128> {
    let known = sum.terms.iter().all(|term| of(term.0).is_some());
    known.then(|| sum.evaluate(|column| of(column).unwrap_or(0))).flatten()
}

impl Teller<'_, '_, '_> {
    /// The cell of a state.
    fn cell(&self, state: &State) -> Option<CellId> {
        let partition = &*self.labeller.partition;
        let mut cell = partition.root(state.point)?;
        while let Some((row, [yes, no])) = partition.parts(cell) {
            let of = |column: Column| state.values.get(column.as_variable()?).copied().flatten();
            cell = if evaluate(row.affine(), of)? >= 0 { yes } else { no };
        }
        Some(cell)
    }

    /// Takes ways until the end, or until a state comes back, or until a limit is reached.
    fn follow(
        &mut self,
        state: &mut State,
        reasons: &Reasons,
        is_end: impl Fn(usize, CellId) -> bool,
    ) -> (Vec<Taken>, Ending) {
        let mut steps = Vec::new();
        let ending = self.follow_on(state, reasons, is_end, &mut steps);
        (steps, ending.unwrap_or(Ending::TooLong))
    }

    /// As [`follow`](Teller::follow), with the steps as far as they are taken.
    fn follow_on(
        &mut self,
        state: &mut State,
        reasons: &Reasons,
        is_end: impl Fn(usize, CellId) -> bool,
        steps: &mut Vec<Taken>,
    ) -> Result<Ending, Limit> {
        let mut seen: FxHashMap<State, usize> = FxHashMap::default();
        loop {
            self.labeller.solver.check()?;
            let Some(cell) = self.cell(state) else { return Ok(Ending::Open) };
            if is_end(steps.len(), cell) {
                return Ok(Ending::Done);
            }
            if let Some(&at) = seen.get(state) {
                return Ok(Ending::Loop(at));
            }
            if self.left == 0 {
                return Ok(Ending::TooLong);
            }
            self.left -= 1;
            seen.insert(state.clone(), steps.len());
            let Some(way) = reasons.ways.get(&cell) else { return Ok(Ending::Open) };
            let Some(taken) = self.step(state, way)? else { return Ok(Ending::Open) };
            let edge = &self.labeller.partition.flow.edges[taken.edge];
            let of = |column: Column| match (column.as_variable(), column.as_auxiliary()) {
                (Some(variable), _) => state.values.get(variable).copied().flatten(),
                (_, number) => taken.auxiliaries.get(number?).copied().flatten(),
            };
            let mut values = state.values.clone();
            for (variable, value) in &edge.update {
                values[*variable] = evaluate(value, of);
            }
            *state = State { point: edge.to, values };
            steps.push(taken);
        }
    }

    /// The states among which ways stay from a state on; none if these are too many to tell.
    fn areas(&mut self, state: &State, reasons: &Reasons) -> Result<Vec<Area>, Limit> {
        let mut todo: Vec<CellId> = self.cell(state).into_iter().collect();
        let mut found: Vec<CellId> = Vec::new();
        while let Some(cell) = todo.pop() {
            if found.contains(&cell) {
                continue;
            }
            let Some(way) = reasons.ways.get(&cell) else { return Ok(Vec::new()) };
            found.push(cell);
            if found.len() > MOST_AREAS {
                return Ok(Vec::new());
            }
            todo.extend(way.steps.iter().map(|(_, to)| *to));
        }
        let mut areas = Vec::new();
        for cell in found {
            let mut rows = self.labeller.partition.rows(cell);
            self.labeller.solver.reduce(&mut rows)?;
            areas.push(Area { point: self.labeller.partition.cells[cell].point, rows });
        }
        Ok(areas)
    }

    /// The step that a state takes by a way.
    fn step(&mut self, state: &State, way: &Way) -> Result<Option<Taken>, Limit> {
        let flow = self.labeller.partition.flow;
        let of = |column: Column| state.values.get(column.as_variable()?).copied().flatten();
        if let Some((edge, choices)) = &way.by {
            let mut auxiliaries = vec![None; flow.edges[*edge].auxiliaries.len()];
            for (number, value) in choices {
                auxiliaries[*number] = evaluate(value, of);
            }
            return self.known(state, *edge, auxiliaries);
        }
        let mut edges: Vec<EdgeId> = Vec::new();
        for (id, edge) in flow.edges.iter() {
            if edge.from == state.point {
                edges.push(id);
            }
        }
        for id in edges {
            let edge = &flow.edges[id];
            let nothing = vec![None; edge.auxiliaries.len()];
            let Some(rows) = fixed(edge.rows(), state, &nothing) else { return Ok(None) };
            let Emptiness::Point(point) = self.labeller.solver.solve(&rows)? else { continue };
            let mut auxiliaries = nothing;
            for (number, kind) in edge.auxiliaries.iter().enumerate() {
                if *kind == Auxiliary::Choice {
                    let column = Column::auxiliary(number);
                    let value = point.iter().find(|it| it.0 == column).map_or(0, |it| it.1);
                    auxiliaries[number] = Some(value);
                }
            }
            let Some(taken) = self.known(state, id, auxiliaries)? else { return Ok(None) };
            let of = |column: Column| match (column.as_variable(), column.as_auxiliary()) {
                (Some(variable), _) => state.values.get(variable).copied().flatten(),
                (_, number) => taken.auxiliaries.get(number?).copied().flatten(),
            };
            // An edge whose guard speaks of what is not known may not be there.
            let holds = |row: &Row| evaluate(row.affine(), of).map(|value| value >= 0);
            match edge.guard.iter().map(holds).collect::<Option<Vec<bool>>>() {
                None => return Ok(None),
                Some(all) if all.iter().all(|&it| it) => return Ok(Some(taken)),
                Some(_) => {}
            }
        }
        Ok(None)
    }

    /// A step with its unknown values, as far as the facts leave one only.
    fn known(
        &mut self,
        state: &State,
        id: EdgeId,
        mut auxiliaries: Vec<Option<i128>>,
    ) -> Result<Option<Taken>, Limit> {
        let edge: &Edge = &self.labeller.partition.flow.edges[id];
        for number in 0..edge.auxiliaries.len() {
            if edge.auxiliaries[number] == Auxiliary::Choice {
                if auxiliaries[number].is_none() {
                    return Ok(None);
                }
                continue;
            }
            let Some(facts) = fixed(edge.facts.iter(), state, &auxiliaries) else { continue };
            let solver = &mut *self.labeller.solver;
            let Emptiness::Point(point) = solver.solve(&facts)? else { continue };
            let column = Column::auxiliary(number);
            let Some(&(_, value)) = point.iter().find(|it| it.0 == column) else { continue };
            let (own, value_of) = (Affine::column(column), Affine::constant(value));
            let bounds = [Row::greater_equal(&own, &value_of), Row::greater_equal(&value_of, &own)];
            let mut is_only = true;
            for bound in bounds {
                is_only &= match bound {
                    Some(bound) => solver.entails(&facts, &bound)?,
                    None => false,
                };
            }
            if is_only {
                auxiliaries[number] = Some(value);
            }
        }
        Ok(Some(Taken { edge: id, auxiliaries }))
    }
}

/// Rows with numbers for all that is known; `None` if a value of a variable is not.
fn fixed<'r>(
    rows: impl Iterator<Item = &'r Row>,
    state: &State,
    auxiliaries: &[Option<i128>],
) -> Option<Vec<Row>> {
    let constant = |value: &Option<i128>| value.map(Affine::constant);
    let variables: Vec<Option<Affine>> = state.values.iter().map(constant).collect();
    let known: Vec<Option<Affine>> = auxiliaries.iter().map(constant).collect();
    let of = |column: Column| match (column.as_variable(), column.as_auxiliary()) {
        (Some(variable), _) => variables.get(variable)?.as_ref(),
        (_, number) => known.get(number?)?.as_ref(),
    };
    let mut found = Vec::new();
    for row in rows {
        let row = row.substitute(of)?;
        if row.affine().terms.iter().any(|term| term.0.as_variable().is_some()) {
            return None;
        }
        found.push(row);
    }
    Some(found)
}

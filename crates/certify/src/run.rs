//! Replays stories: every move of every run is looked up in the machine, and nothing is searched
//! for.
//!
//! Stories are told of formulas as they are written. The truth of quantified formulas in
//! configurations is taken from evidence that has been checked ([`Checked`]); everything else is
//! worked out here by its definition. What is checked, of each story and of those inside it:
//! * The value it gives is right.
//! * The reason is one that can decide the formula: labels for propositions, the operands that
//!   matter for boolean operators, a run for `E` that is true and `A` that is false. What is true
//!   of all paths no run can show, and there nothing remains to be replayed.
//! * Each move of a run is a step of the machine. On the run the path formula has the value that is
//!   claimed, and so have its marked parts. A run that ends must have it however it goes on. What
//!   is due to other paths counts only if a story is told of it: a state formula that speaks of
//!   paths is known where it has the value of some story on the way.
//! * What is told of configurations on the way is so.
//!
//! # Why a run that pumps goes on for ever
//! From configuration i, with the stack s, a run comes back to the same node with the stack s·w. No
//! move in between looks at a box of s: a return from the height of s would, and so would a call
//! straight after it, or staying where one is, which depends on who called. So the same moves lead
//! on from s·w to s·w·w, and so forth. Whether a quantified formula holds may depend on the whole
//! stack, so the moves are replayed on s·w, s·w·w, … until the evidence tells the stack from an
//! earlier one no more; from there all repeats itself. In every round all must be as it was in the
//! first.

use crate::lasso::path_subformulas;
use crate::moves::{State, pumps};
use crate::partial::{Partial, Positions, parts};
use crate::reading::{self, boolean, is_of_state, is_quantified};
use crate::refusal::{Refusal, Stopped};
use crate::star::{self, Copies};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use tern_model::logic::ctl::Literal;
use tern_model::{
    AnnotatedRun, BoxId, Budget, Ending, Formula, FormulaId, Formulas, Id, Labelling, Layer,
    Machine, Mark, Move, NodeId, Obligation, Reason, Run, Story, Topic,
};

/// How often a pumping part is repeated at most before the evidence has to come back.
const MOST_REPETITIONS: usize = 10_000;

/// What a story is told of: the claim at an initial node.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Where the claim lives.
    pub formulas: &'a Formulas,
    /// The claim; `None` if it is one about an automaton.
    pub claim: Option<FormulaId>,
    /// The initial node.
    pub start: NodeId,
}

/// Evidence that has been checked.
#[derive(Clone, Copy)]
pub enum Checked<'a> {
    /// A labelling of the claim as CTL.
    Labelling(&'a Labelling),
    /// A proof about CTL*.
    Star(&'a star::Proof<'a>),
    /// Evidence about runs, by which the claim has this value where the story is told, and the runs
    /// in it.
    Runs(bool, &'a [(NodeId, Run)]),
}

/// Replays a story, and all stories in it. The limits are looked at before each move.
///
/// # Errors
/// The first thing that is wrong, or the limit that was reached before all was replayed.
pub fn replay(
    scene: Scene<'_>,
    evidence: Checked<'_>,
    story: &Story,
    budget: &Budget,
) -> Result<(), Stopped> {
    let Scene { machine, formulas, claim, start } = scene;
    let refuse = |why: &str| Err(Refusal::new("the story", why).into());
    if !machine.initial().contains(&start) {
        return refuse("it is not told of an initial node");
    }
    let Some(claim) = claim else { return of_automaton(start, evidence, story).or_else(refuse) };
    if story.of != Topic::Formula(claim) {
        return refuse("it is not of the claim");
    }
    if claim.index() >= formulas.len() {
        return refuse("there is no such claim");
    }
    let known: Box<dyn Known + '_> = match evidence {
        Checked::Labelling(labelling) => {
            reading::check(formulas, claim, &labelling.program, budget)?;
            let terms = reading::terms_of(formulas, claim, &labelling.program, budget)?;
            Box::new(Labelled { machine, formulas, terms, labelling })
        }
        Checked::Star(proof) => Box::new(Copies::new(proof, machine.component_of(start))),
        Checked::Runs(value, _) => Box::new(Outermost::new(formulas, claim, start, value)),
    };
    let replay = Replay { machine, formulas, claim, known: &*known, budget };
    let mut waiting = vec![(story, Rc::new(State::At(Vec::new(), start)))];
    while let Some((story, here)) = waiting.pop() {
        budget.check()?;
        replay.story(story, &here, &mut waiting)?;
    }
    Ok(())
}

/// Whether the story of a claim about an automaton is a run of the evidence.
fn of_automaton(start: NodeId, evidence: Checked<'_>, story: &Story) -> Result<(), &'static str> {
    let Checked::Runs(value, runs) = evidence else { return Err("the evidence has no runs") };
    let Reason::Run(AnnotatedRun { run, values, marks, asides }) = &story.reason else {
        return Err("an automaton is told of by runs");
    };
    let is_plain = values.is_empty() && marks.is_empty() && asides.is_empty();
    if story.of != Topic::Automaton || story.holds != value || !is_plain {
        return Err("it is not of the automaton");
    }
    let shown = runs.iter().any(|(node, other)| *node == start && other == run);
    if shown { Ok(()) } else { Err("the evidence does not have this run") }
}

/// What evidence says of quantified formulas.
pub(crate) trait Known {
    /// Whether a quantified formula, or a claim that speaks of a path, is true; `None` if it is not
    /// said.
    fn quantified(&self, id: FormulaId, state: &State) -> Option<bool>;

    /// What tells a stack from others, as far as the evidence speaks of some quantified formulas;
    /// `None` if it does not speak of the stack.
    fn copies(&self, ids: &[FormulaId], state: &State) -> Option<Vec<usize>>;
}

/// What a labelling says.
struct Labelled<'a> {
    machine: &'a Machine,
    formulas: &'a Formulas,
    /// Where formulas are said in its program.
    terms: BTreeMap<FormulaId, Literal>,
    labelling: &'a Labelling,
}

impl Known for Labelled<'_> {
    fn quantified(&self, id: FormulaId, state: &State) -> Option<bool> {
        let literal = self.terms.get(&id)?;
        let truth = state.truth(self.machine, self.formulas, self.labelling)?;
        Some(literal.truth(|term| truth[term]))
    }

    fn copies(&self, _: &[FormulaId], state: &State) -> Option<Vec<usize>> {
        let State::At(stack, node) = state else { return None };
        let bottom = match stack.first() {
            Some(&call) => self.machine.component_of_box(call),
            None => self.machine.component_of(*node),
        };
        let frame_of = |layer: &Layer| {
            let &(_, mut frame) = layer.roots.iter().find(|&&(root, _)| root == bottom)?;
            for call in stack {
                let callees = &layer.frames.get(frame as usize)?.callees;
                let position = callees.binary_search_by_key(call, |&(call, _)| call).ok()?;
                frame = callees[position].1;
            }
            Some(frame as usize)
        };
        self.labelling.layers.iter().map(frame_of).collect()
    }
}

/// What a verdict says: of the claim, and of what it is the negation of, where the story begins.
struct Outermost {
    start: State,
    values: BTreeMap<FormulaId, bool>,
}

impl Outermost {
    fn new(formulas: &Formulas, claim: FormulaId, start: NodeId, value: bool) -> Self {
        let mut values = BTreeMap::from([(claim, value)]);
        let (mut id, mut value) = (claim, value);
        while let Formula::Not(inner) = formulas.get(id)
            && is_of_state(formulas, id)
        {
            (id, value) = (inner, !value);
            values.insert(id, value);
        }
        Outermost { start: State::At(Vec::new(), start), values }
    }
}

impl Known for Outermost {
    fn quantified(&self, id: FormulaId, state: &State) -> Option<bool> {
        self.values.get(&id).copied().filter(|_| *state == self.start)
    }

    fn copies(&self, ids: &[FormulaId], _: &State) -> Option<Vec<usize>> {
        ids.is_empty().then(Vec::new)
    }
}

/// Stories that are still to be replayed, and where.
type Waiting<'s> = Vec<(&'s Story, Rc<State>)>;

struct Replay<'a> {
    machine: &'a Machine,
    formulas: &'a Formulas,
    claim: FormulaId,
    known: &'a dyn Known,
    budget: &'a Budget,
}

type Halt = Stopped;

impl Replay<'_> {
    fn refuse(&self, state: &State, why: impl Into<String>) -> Halt {
        Refusal::new(state.name(self.machine), why).into()
    }

    fn atom(&self, formula: Formula, state: &State) -> Option<bool> {
        let Formula::Atom(atom) = formula else { return None };
        let State::At(_, node) = state else { return Some(false) };
        let label = self.machine.label(self.formulas.atom_name(atom));
        Some(label.is_some_and(|label| self.machine.has_label(*node, label)))
    }

    /// The truth of a state formula, or of a claim that speaks of a path, as far as it is known.
    fn value(&self, id: FormulaId, state: &State) -> Option<bool> {
        if !is_of_state(self.formulas, id) {
            return self.known.quantified(id, state);
        }
        let mut truth: BTreeMap<FormulaId, Option<bool>> = BTreeMap::new();
        for part in path_subformulas(self.formulas, id) {
            let of = |f: FormulaId| truth.get(&f).copied().flatten();
            let value = match self.formulas.get(part) {
                Formula::Exists(_) | Formula::All(_) => self.known.quantified(part, state),
                formula @ Formula::Atom(_) => self.atom(formula, state),
                formula => known(formula, of),
            };
            truth.insert(part, value);
        }
        truth.get(&id).copied().flatten()
    }

    /// Replays one story; those inside it are left for later.
    fn story<'s>(
        &self,
        story: &'s Story,
        here: &Rc<State>,
        waiting: &mut Waiting<'s>,
    ) -> Result<(), Halt> {
        let formulas = self.formulas;
        let refuse = |why: &str| Err(self.refuse(here, why));
        let id = match story.of {
            Topic::Formula(id) if id.index() < formulas.len() => id,
            _ => return refuse("the story is of a formula that there is not"),
        };
        if !is_of_state(formulas, id) && id != self.claim {
            return refuse("the story is of a formula that speaks of a path");
        }
        match self.value(id, here) {
            Some(value) if value == story.holds => {}
            Some(_) => return refuse("the story gives another value than the evidence"),
            None => return refuse("the evidence does not say whether this holds"),
        }
        let formula = formulas.get(id);
        let asked = asked(formulas, id);
        let by_a_run = asked.is_some_and(|asked| asked.holds == story.holds);
        match (&story.reason, asked) {
            (Reason::Labels, _) if matches!(formula, Formula::True | Formula::False) => Ok(()),
            (Reason::Labels, _) if matches!(formula, Formula::Atom(_)) => Ok(()),
            (Reason::Labels, _) => refuse("labels alone do not decide this formula"),
            (Reason::Operands(_), Some(_)) => refuse("operands do not decide this formula"),
            (Reason::Operands(stories), None) => {
                if !decides(formula, stories, story.holds) {
                    return refuse("the operands that are told of do not decide the formula");
                }
                waiting.extend(stories.iter().map(|inner| (inner, Rc::clone(here))));
                Ok(())
            }
            (Reason::AllPaths, Some(_)) if !by_a_run => Ok(()),
            (Reason::AllPaths, _) => refuse("this is not a matter of all paths"),
            // It claims nothing but the value.
            (Reason::TooLong, _) => Ok(()),
            (Reason::Run(told), Some(asked)) if by_a_run => self.run(told, asked, here, waiting),
            (Reason::Run(_), _) => refuse("a run cannot show this"),
        }
    }

    fn run<'s>(
        &self,
        told: &'s AnnotatedRun,
        asked: Obligation,
        here: &Rc<State>,
        waiting: &mut Waiting<'s>,
    ) -> Result<(), Halt> {
        let AnnotatedRun { run, values, marks, asides } = told;
        let refuse = |why: &str| Err(self.refuse(here, why));
        let (count, back_to) = (run.configurations(), run.back_to());
        if back_to.is_some_and(|back_to| back_to >= run.moves.len()) {
            return refuse("the run goes on from a configuration that is not an earlier one");
        }
        let path = Path::new(self.formulas, asked.formula);
        for (at, story) in asides {
            if *at >= count {
                return refuse("something is told of a configuration that the run does not have");
            }
            let Topic::Formula(of) = story.of else {
                return refuse("something is told of an automaton on the way");
            };
            if path.leaves.binary_search(&of).is_err() {
                return refuse("something is told of what is no state formula of the path");
            }
        }
        if values.iter().any(|(id, _)| path.quantified.binary_search(id).is_err()) {
            return refuse("values are given of what does not occur on the path");
        }
        let mut rows: Vec<Vec<Option<bool>>> = Vec::with_capacity(count);
        let mut inside: Vec<Vec<Option<bool>>> = Vec::with_capacity(count);
        let mut state = here.as_ref().clone();
        let mut middle = state.clone();
        for i in 0..count {
            if back_to == Some(i) {
                middle = state.clone();
            }
            rows.push(self.row(&path.leaves, &state));
            inside.push(values.iter().map(|&(id, _)| self.known.quantified(id, &state)).collect());
            let told_here = asides.iter().filter(|(at, _)| *at == i);
            waiting.extend(told_here.map(|(_, story)| (story, Rc::new(state.clone()))));
            if let Some(&step) = run.moves.get(i) {
                state = self.follow(state, step, i)?;
            }
        }
        for (number, (_, row)) in values.iter().enumerate() {
            let known = inside.iter().map(|values| values[number]);
            if !row.iter().copied().map(Some).eq(known) {
                return refuse("values are given that the evidence does not have");
            }
        }
        match &run.ending {
            Ending::Done => {}
            Ending::Loop(_) if state == middle => {}
            Ending::Loop(_) => {
                return Err(self.refuse(&state, "the run is not back where the loop begins"));
            }
            Ending::Pump(from, boxes) => {
                let period = &run.moves[*from..];
                let pumping = pumps(&middle, &state, period, boxes);
                pumping.map_err(|why| self.refuse(&state, why))?;
                self.pump(&middle, state, period, boxes, &path, &rows[*from..])?;
            }
        }
        self.evaluate(asked, &path, &rows, told).or_else(refuse)?;
        self.look_at_marks(marks, &path, count, &rows, back_to).or_else(refuse)
    }

    /// Whether the path formula has the value that is asked for, by what is told.
    fn evaluate(
        &self,
        asked: Obligation,
        path: &Path,
        rows: &[Vec<Option<bool>>],
        told: &AnnotatedRun,
    ) -> Result<(), &'static str> {
        let shown: BTreeSet<(FormulaId, bool)> = told
            .asides
            .iter()
            .filter_map(|(_, story)| match story.of {
                Topic::Formula(id) => Some((id, story.holds)),
                Topic::Automaton => None,
            })
            .collect();
        let leaf = |id: FormulaId, at: usize| {
            let value = path.look_up(id, &rows[at])?;
            (!path.speaks_of_paths(id) || shown.contains(&(id, value))).then_some(value)
        };
        let positions = Positions { count: rows.len(), back_to: told.run.back_to() };
        let truth = |leaf: &dyn Fn(FormulaId, usize) -> Option<bool>| {
            Partial::new(self.formulas, asked.formula, positions, leaf).at(asked.formula, 0)
        };
        match truth(&leaf) {
            Some(value) if value == asked.holds => Ok(()),
            Some(_) => Err("the path formula has another value on the run"),
            None => match truth(&|id, at| path.look_up(id, &rows[at])) {
                None => Err("the run ends before the path formula is decided"),
                Some(value) if value != asked.holds => {
                    Err("the path formula has another value on the run")
                }
                Some(_) => Err("the story of something that matters on the run is missing"),
            },
        }
    }

    /// Whether parts of the path formula have the values that are marked.
    fn look_at_marks(
        &self,
        marks: &[Mark],
        path: &Path,
        count: usize,
        rows: &[Vec<Option<bool>>],
        back_to: Option<usize>,
    ) -> Result<(), &'static str> {
        if marks.is_empty() {
            return Ok(());
        }
        let leaf = |id: FormulaId, at: usize| path.look_up(id, &rows[at]);
        let truth = Partial::new(self.formulas, path.formula, Positions { count, back_to }, leaf);
        let is_so = |mark: &Mark| truth.at(mark.of, mark.at) == Some(mark.holds);
        if marks.iter().all(is_so) { Ok(()) } else { Err("a part is marked that is not so") }
    }

    fn row(&self, leaves: &[FormulaId], state: &State) -> Vec<Option<bool>> {
        leaves.iter().map(|&leaf| self.value(leaf, state)).collect()
    }

    fn follow(&self, state: State, step: Move, count: usize) -> Result<State, Halt> {
        self.budget.check()?;
        let before = state.name(self.machine);
        let after = state.follow(self.machine, step);
        after.map_err(|why| Refusal::new(before, format!("move {}: {why}", count + 1)).into())
    }

    /// Whether in all rounds of a pumping run, which has come from `middle` to `state`, everything
    /// is as in the first.
    fn pump(
        &self,
        middle: &State,
        mut state: State,
        period: &[Move],
        boxes: &[BoxId],
        path: &Path,
        first: &[Vec<Option<bool>>],
    ) -> Result<(), Halt> {
        let copies = |state: &State| {
            let copies = self.known.copies(&path.quantified, state);
            copies.ok_or_else(|| self.refuse(state, "the evidence does not speak of this stack"))
        };
        let mut seen = BTreeSet::from([copies(middle)?]);
        for round in 1..=MOST_REPETITIONS {
            debug_assert_eq!(state.height(), middle.height() + round * boxes.len());
            if !seen.insert(copies(&state)?) {
                return Ok(());
            }
            for (i, &step) in period.iter().enumerate() {
                if self.row(&path.leaves, &state) != first[i] {
                    return Err(self.refuse(&state, "it is not as it was in the first round"));
                }
                state = self.follow(state, step, i)?;
            }
        }
        Err(self.refuse(&state, "the evidence tells ever new stacks apart"))
    }
}

/// A path formula, and what it is made of.
struct Path {
    formula: FormulaId,
    /// The state formulas, as large as possible, sorted.
    leaves: Vec<FormulaId>,
    /// Which of these speak of other paths.
    of_paths: Vec<bool>,
    /// The quantified formulas in these, sorted.
    quantified: Vec<FormulaId>,
}

impl Path {
    fn new(formulas: &Formulas, formula: FormulaId) -> Self {
        let mut leaves = parts(formulas, formula);
        leaves.retain(|&id| is_of_state(formulas, id));
        let is_quantified = |&id: &FormulaId| is_quantified(formulas.get(id));
        let inside = |&leaf: &FormulaId| path_subformulas(formulas, leaf).iter().any(is_quantified);
        let mut quantified = path_subformulas(formulas, formula);
        quantified.retain(is_quantified);
        Path { formula, of_paths: leaves.iter().map(inside).collect(), leaves, quantified }
    }

    fn speaks_of_paths(&self, leaf: FormulaId) -> bool {
        self.leaves.binary_search(&leaf).is_ok_and(|position| self.of_paths[position])
    }

    fn look_up(&self, leaf: FormulaId, row: &[Option<bool>]) -> Option<bool> {
        row[self.leaves.binary_search(&leaf).ok()?]
    }
}

/// What a quantified formula, or a claim that speaks of a path, asks for on some path.
pub(crate) fn asked(formulas: &Formulas, id: FormulaId) -> Option<Obligation> {
    match formulas.get(id) {
        Formula::Exists(formula) => Some(Obligation { formula, holds: true }),
        Formula::All(formula) => Some(Obligation { formula, holds: false }),
        _ if is_of_state(formulas, id) => None,
        _ => Some(Obligation { formula: id, holds: false }),
    }
}

/// Whether the values of the operands that stories are told of are enough to give a formula its
/// value: it has it whatever those of the others are.
fn decides(formula: Formula, stories: &[Story], holds: bool) -> bool {
    let told = |f: FormulaId| {
        let story = stories.iter().find(|story| story.of == Topic::Formula(f));
        story.map(|story| story.holds)
    };
    let is_operand = |story: &Story| formula.operands().any(|f| story.of == Topic::Formula(f));
    stories.iter().all(is_operand) && known(formula, told) == Some(holds)
}

/// The truth of a boolean operator if it follows from what is known of its operands: it has it
/// whatever the truth of the others is.
fn known(formula: Formula, of: impl Fn(FormulaId) -> Option<bool>) -> Option<bool> {
    let first = formula.operands().next();
    // At most two operands.
    let with = |guess: [bool; 2]| {
        boolean(formula, |f| of(f).unwrap_or(guess[usize::from(first != Some(f))]))
    };
    let value = with([false, false])?;
    let others = [[false, true], [true, false], [true, true]];
    others.into_iter().all(|guess| with(guess) == Some(value)).then_some(value)
}

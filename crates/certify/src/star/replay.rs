//! Replays stories of claims in CTL*: every move of every run is looked up in the machine.
//!
//! The truth of quantified formulas in configurations is taken from the evidence, which has been checked. What is
//! checked here, of each story and of those inside it:
//! * The value it gives is that of the evidence.
//! * The reason is one that can decide the formula: labels for propositions, the operands that matter for boolean
//!   operators, a run for `E` that is true and `A` that is false. What is true of all paths no run can show.
//! * Each move of a run is a step of the machine. On the run the path formula has the value that the story
//!   gives: it is evaluated by its definition, with the truth of quantified formulas inside in each configuration. A
//!   run that ends must have it however it goes on.
//! * What is told of configurations on the way is so.
//!
//! A run that pumps repeats its last part on a stack that has grown; see [`crate::run`] for why it can. The truth of
//! quantified formulas may depend on the whole stack. So the moves are replayed until the evidence tells the stack from an
//! earlier one no more, and in every round all must be as it was in the first.

use super::Proof;
use crate::moves::{State, pumps};
use crate::reading::{boolean, is_of_state, is_quantified};
use crate::refusal::Refusal;
use crate::{Stopped, lasso};
use std::collections::BTreeMap;
use std::rc::Rc;
use tern_model::star_evidence::StarSpot;
use tern_model::{
    BoxId, Budget, CompId, Ending, Formula, FormulaId, Id, Move, NodeId, Obligation, Reason, Story,
    Told,
};

/// How often a pumping part is repeated at most before the copies have to come back.
const MOST_REPETITIONS: usize = 10_000;

type Halt = Stopped;

/// Stories that are still to be replayed, and where.
type Waiting<'s> = Vec<(&'s Story<FormulaId>, Rc<State>)>;

pub(super) struct Replay<'a> {
    pub(super) proof: &'a Proof<'a>,
    /// The component at the bottom of the stack.
    pub(super) bottom: CompId,
    pub(super) budget: &'a Budget,
}

impl Replay<'_> {
    /// Replays a story that is told of a node on the empty stack.
    pub(super) fn replay(&self, story: &Story<FormulaId>, node: NodeId) -> Result<(), Halt> {
        let mut waiting = vec![(story, Rc::new(State::At(Vec::new(), node)))];
        while let Some((story, here)) = waiting.pop() {
            self.budget.check()?;
            self.story(story, &here, &mut waiting)?;
        }
        Ok(())
    }

    fn refuse(&self, state: &State, why: impl Into<String>) -> Halt {
        Refusal::new(state.name(self.proof.machine), why).into()
    }

    /// The copy of a layer that a stack leads to.
    fn copy(&self, layer: usize, stack: &[BoxId]) -> Option<usize> {
        let cover = &self.proof.covers[layer + 1];
        let bottom = cover.ended(self.bottom)?;
        stack.iter().try_fold(bottom, |copy, &call| cover.callee(copy, call))
    }

    /// Whether a quantified formula is true, or a claim that speaks of a path.
    fn quantified(&self, id: FormulaId, state: &State) -> Result<bool, Halt> {
        let Proof { machine, formulas, .. } = *self.proof;
        let (sought, negated) = asked(formulas.get(id), id);
        let (stack, spot) = match state {
            State::At(stack, node) => (&stack[..], StarSpot::At(machine.node_place(*node))),
            State::Sink => (&[][..], StarSpot::Sink),
        };
        let layer = self.proof.layers.get(&sought).copied();
        let met = layer.and_then(|layer| {
            self.proof.truths[layer].get(&(self.copy(layer, stack)?, spot)).copied()
        });
        let silent = || self.refuse(state, format!("no layer decides {}", formulas.show(id)));
        met.map(|met| met != negated).ok_or_else(silent)
    }

    /// The truth of a proposition or a quantified formula.
    fn leaf(&self, id: FormulaId, state: &State) -> Result<bool, Halt> {
        match (self.proof.formulas.get(id), state) {
            (Formula::Atom(_), State::At(_, node)) => Ok(self.proof.atom(id, *node)),
            (Formula::Atom(_), State::Sink) => Ok(false),
            (Formula::Exists(_) | Formula::All(_), _) => self.quantified(id, state),
            _ => Err(self.refuse(state, "a formula here speaks of a path")),
        }
    }

    /// The truth of a state formula, or of a claim that speaks of a path.
    fn value(&self, id: FormulaId, state: &State) -> Result<bool, Halt> {
        let formulas = self.proof.formulas;
        if !is_of_state(formulas, id) {
            return self.quantified(id, state);
        }
        let mut truth: BTreeMap<FormulaId, bool> = BTreeMap::new();
        for part in lasso::path_subformulas(formulas, id) {
            let of = |f: FormulaId| truth.get(&f).copied().unwrap_or(false);
            let value = match boolean(formulas.get(part), of) {
                Some(value) => value,
                None => self.leaf(part, state)?,
            };
            truth.insert(part, value);
        }
        Ok(truth.get(&id).copied().unwrap_or(false))
    }

    /// Replays one story; those inside it are left for later.
    fn story<'s>(
        &self,
        story: &'s Story<FormulaId>,
        here: &Rc<State>,
        waiting: &mut Waiting<'s>,
    ) -> Result<(), Halt> {
        let formulas = self.proof.formulas;
        let refuse = |why: &str| Err(self.refuse(here, why));
        if story.of.index() >= formulas.len() {
            return refuse("the story is of a formula that there is not");
        }
        if self.value(story.of, here)? != story.holds {
            return refuse("the story gives another value than the evidence");
        }
        let formula = formulas.get(story.of);
        let of_paths = is_quantified(formula) || !is_of_state(formulas, story.of);
        let (sought, negated) = asked(formula, story.of);
        let by_a_run = of_paths && story.holds != negated;
        match (&story.reason, formula) {
            (Reason::Labels, Formula::True | Formula::False | Formula::Atom(_)) => Ok(()),
            (Reason::Labels, _) => refuse("labels alone do not decide this formula"),
            (Reason::Operands(_), _) if of_paths => refuse("operands do not decide this formula"),
            (Reason::Operands(stories), _) => {
                if !decides(formula, stories, story.holds) {
                    return refuse("the operands that are told of do not decide the formula");
                }
                waiting.extend(stories.iter().map(|inner| (inner, Rc::clone(here))));
                Ok(())
            }
            (Reason::AllPaths, _) if of_paths && !by_a_run => Ok(()),
            (Reason::AllPaths, _) => refuse("this is not a matter of all paths"),
            // It claims nothing but the value.
            (Reason::TooLong, _) => Ok(()),
            (Reason::Run(told), _) if by_a_run => self.run(told, sought, here, waiting),
            (Reason::Run(_), _) => refuse("a run cannot show this"),
        }
    }

    fn run<'s>(
        &self,
        told: &'s Told<FormulaId>,
        sought: Obligation,
        here: &Rc<State>,
        waiting: &mut Waiting<'s>,
    ) -> Result<(), Halt> {
        let Told { run, values, asides } = told;
        let formulas = self.proof.formulas;
        let refuse = |why: &str| Err(self.refuse(here, why));
        let (begin, ends) = match run.ending {
            Ending::Done => (run.moves.len(), true),
            Ending::Loop(begin) | Ending::Pump(begin, _) => (begin, false),
        };
        if !ends && begin >= run.moves.len() {
            return refuse("the run goes on from a configuration that is not an earlier one");
        }
        let count = run.moves.len() + usize::from(ends);
        let within = formulas.subformulas(sought.formula);
        for (at, story) in asides {
            if *at >= count {
                return refuse("something is told of a configuration that the run does not have");
            }
            if !within.contains(&story.of) || !is_of_state(formulas, story.of) {
                return refuse("something is told of what is no state formula of the path");
            }
        }
        let leaves = self.leaves(sought.formula);
        let mut rows: Vec<Vec<bool>> = Vec::with_capacity(count);
        let mut state = here.as_ref().clone();
        let mut middle = state.clone();
        for i in 0..count {
            if i == begin {
                middle = state.clone();
            }
            rows.push(self.row(&leaves, &state)?);
            let told_here = asides.iter().filter(|(at, _)| *at == i);
            waiting.extend(told_here.map(|(_, story)| (story, Rc::new(state.clone()))));
            if let Some(&step) = run.moves.get(i) {
                state = self.follow(state, step, i)?;
            }
        }
        for (id, row) in values {
            let Ok(position) = leaves.binary_search(id) else {
                return refuse("values are given of what does not occur on the path");
            };
            if !is_quantified(formulas.get(*id))
                || !row.iter().eq(rows.iter().map(|r| &r[position]))
            {
                return refuse("values are given that the evidence does not have");
            }
        }
        match &run.ending {
            Ending::Done => {}
            Ending::Loop(_) if state == middle => {}
            Ending::Loop(_) => {
                return Err(self.refuse(&state, "the run is not back where the loop begins"));
            }
            Ending::Pump(_, boxes) => {
                let period = &run.moves[begin..];
                let pumping = pumps(&middle, &state, period, boxes);
                pumping.map_err(|why| self.refuse(&state, why))?;
                self.pump(&middle, state, period, &leaves, &rows[begin..])?;
            }
        }
        let leaf = |id: FormulaId, at: usize| {
            leaves.binary_search(&id).is_ok_and(|position| rows[at][position])
        };
        let value = if ends {
            lasso::settled(formulas, sought.formula, count, leaf)
        } else {
            let (path, cycle) = (sought.formula, count - begin);
            let truth = lasso::evaluate_within(formulas, path, begin, cycle, leaf, self.budget)?;
            truth.and_then(|truth| truth.at(sought.formula, 0))
        };
        match value {
            Some(value) if value == sought.holds => Ok(()),
            Some(_) => refuse("the path formula has another value on the run"),
            None => refuse("the run ends before the path formula is decided"),
        }
    }

    /// The propositions and quantified formulas of a path formula, sorted.
    fn leaves(&self, path: FormulaId) -> Vec<FormulaId> {
        let formulas = self.proof.formulas;
        let mut parts = lasso::path_subformulas(formulas, path);
        parts.retain(|&id| {
            matches!(formulas.get(id), Formula::Atom(_) | Formula::Exists(_) | Formula::All(_))
        });
        parts
    }

    fn row(&self, leaves: &[FormulaId], state: &State) -> Result<Vec<bool>, Halt> {
        leaves.iter().map(|&leaf| self.leaf(leaf, state)).collect()
    }

    fn follow(&self, state: State, step: Move, count: usize) -> Result<State, Halt> {
        self.budget.check()?;
        let before = state.name(self.proof.machine);
        let after = state.follow(self.proof.machine, step);
        after.map_err(|why| Refusal::new(before, format!("move {}: {why}", count + 1)).into())
    }

    /// Whether in all rounds of a pumping run, which has come from `middle` to `state`, everything is as in the first.
    fn pump(
        &self,
        middle: &State,
        mut state: State,
        period: &[Move],
        leaves: &[FormulaId],
        first: &[Vec<bool>],
    ) -> Result<(), Halt> {
        let copies = |state: &State| {
            let State::At(stack, _) = state else {
                return Err(self.refuse(state, "it has no stack"));
            };
            let formulas = self.proof.formulas;
            let quantified = leaves.iter().filter(|&&leaf| is_quantified(formulas.get(leaf)));
            let layers = quantified
                .filter_map(|&leaf| self.proof.layers.get(&asked(formulas.get(leaf), leaf).0));
            let copies: Option<Vec<usize>> = layers.map(|&layer| self.copy(layer, stack)).collect();
            copies.ok_or_else(|| self.refuse(state, "a layer does not speak of this stack"))
        };
        let mut seen = vec![copies(middle)?];
        for _ in 0..MOST_REPETITIONS {
            let now = copies(&state)?;
            if seen.contains(&now) {
                return Ok(());
            }
            seen.push(now);
            for (i, &step) in period.iter().enumerate() {
                if self.row(leaves, &state)? != first[i] {
                    return Err(self.refuse(&state, "it is not as it was in the first round"));
                }
                state = self.follow(state, step, i)?;
            }
        }
        Err(self.refuse(&state, "the copies of the growing stack do not come back"))
    }
}

/// What a quantified formula, or a claim that speaks of a path, asks for on some path; and whether it is false if there is one.
fn asked(formula: Formula, id: FormulaId) -> (Obligation, bool) {
    match formula {
        Formula::Exists(path) => (Obligation { formula: path, holds: true }, false),
        Formula::All(path) => (Obligation { formula: path, holds: false }, true),
        _ => (Obligation { formula: id, holds: false }, true),
    }
}

/// Whether the values of the operands that stories are told of are enough to give a formula its value: it has it whatever
/// those of the others are.
fn decides(formula: Formula, stories: &[Story<FormulaId>], holds: bool) -> bool {
    let operands: Vec<FormulaId> = formula.operands().collect();
    if !stories.iter().all(|story| operands.contains(&story.of)) {
        return false;
    }
    let told = |f: FormulaId| stories.iter().find(|story| story.of == f).map(|story| story.holds);
    // At most two operands: all values of those that nothing is told of.
    (0..4_u8).all(|guess| {
        let of = |f: FormulaId| {
            let position = operands.iter().position(|&operand| operand == f).unwrap_or(0);
            told(f).unwrap_or(guess >> position & 1 == 1)
        };
        boolean(formula, of) == Some(holds)
    })
}

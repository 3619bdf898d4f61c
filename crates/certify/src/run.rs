//! Replays stories: every move of every run is looked up in the machine, and nothing is searched for.
//!
//! The truth of terms in configurations is taken from the labelling, whose own proof is checked
//! elsewhere. What is checked here, of each story and of those inside it:
//! * The value it gives is that of the labelling.
//! * The reason is one that can decide the term: labels for propositions, the operands that matter for
//!   `!`, `&` and `|`, a run for `EX`, `EU` and `EG` that are true. What is true of all paths no run can
//!   show, and there nothing remains to be replayed.
//! * Each move of a run is a step of the machine. Operands hold where the term needs them: for `EX` after
//!   its one move, for `EU` the first all along and the second at the end, for `EG` all along and for ever.
//!
//! # Why a run that pumps goes on for ever
//! From configuration i, with the stack s, a run comes back to the same node with the stack s·w. No move
//! in between looks at a box of s: a return from the height of s would, and so would a call straight after
//! it, or staying where one is, which depends on who called. So the same moves lead on from s·w to s·w·w,
//! and so forth. Whether the operand of `EG` holds may depend on the whole stack, so the moves are replayed
//! on s·w, s·w·w, … until the labelling is in frames in which it was before; from there all repeats itself.

use crate::moves::{State, pumps};
use crate::{Refusal, Stopped};
use std::rc::Rc;
use tern_model::index::Table;
use tern_model::logic::ctl::Term;
use tern_model::{
    BoxId, Budget, Ending, Formulas, Id, Labelling, Layer, Machine, Move, NodeId, Reason, Story,
    TermId, Told,
};

/// How often a pumping part is repeated at most before the frames have to come back.
const MOST_REPETITIONS: usize = 10_000;

/// Replays a story, and all stories in it, from a configuration: a stack, from the bottom, and a node.
///
/// # Errors
/// The first thing that is wrong.
pub fn replay(
    machine: &Machine,
    formulas: &Formulas,
    labelling: &Labelling,
    start: (&[BoxId], NodeId),
    story: &Story,
) -> Result<(), Refusal> {
    let budget = Budget::unlimited();
    replay_within(machine, formulas, labelling, start, story, &budget).map_err(|why| match why {
        Stopped::Refused(refusal) => refusal,
        Stopped::Limit(limit) => Refusal::new("the replay", limit.to_string()),
    })
}

/// The same within limits, which are looked at before each move.
///
/// # Errors
/// The first thing that is wrong, or the limit that was reached before all was replayed.
pub fn replay_within(
    machine: &Machine,
    formulas: &Formulas,
    labelling: &Labelling,
    start: (&[BoxId], NodeId),
    story: &Story,
    budget: &Budget,
) -> Result<(), Stopped> {
    let replay = Replay { machine, formulas, labelling, budget };
    let begin = State::At(start.0.to_vec(), start.1);
    let known = begin.exists(machine).then(|| replay.truth(&begin)).flatten();
    let Some(truth) = known else {
        let why = "the labelling does not speak of this configuration".to_owned();
        return Err(Refusal::new(begin.name(machine), why).into());
    };
    let mut waiting = vec![(story, Rc::new(Situation { state: begin, truth }))];
    while let Some((story, here)) = waiting.pop() {
        replay.story(story, &here, &mut waiting)?;
    }
    Ok(())
}

/// A state, and which terms hold there.
struct Situation {
    state: State,
    truth: Table<TermId, bool>,
}

/// Stories that are still to be replayed, and where.
type Waiting<'s> = Vec<(&'s Story, Rc<Situation>)>;

struct Replay<'a> {
    machine: &'a Machine,
    formulas: &'a Formulas,
    labelling: &'a Labelling,
    budget: &'a Budget,
}

type Halt = Stopped;

impl Replay<'_> {
    fn truth(&self, state: &State) -> Option<Table<TermId, bool>> {
        state.truth(self.machine, self.formulas, self.labelling)
    }

    fn refuse(&self, state: &State, why: impl Into<String>) -> Halt {
        Refusal::new(state.name(self.machine), why).into()
    }

    fn known_truth(&self, state: &State) -> Result<Table<TermId, bool>, Halt> {
        let silent = || self.refuse(state, "the labelling does not speak of this configuration");
        self.truth(state).ok_or_else(silent)
    }

    /// Replays one story; those inside it are left for later.
    fn story<'s>(
        &self,
        story: &'s Story,
        here: &Rc<Situation>,
        waiting: &mut Waiting<'s>,
    ) -> Result<(), Halt> {
        let refuse = |why: &str| Err(self.refuse(&here.state, why));
        let terms = &self.labelling.program.terms;
        if story.of.index() >= terms.len() {
            return refuse("the story is of a term that the labelling does not have");
        }
        let term = terms[story.of];
        if here.truth[story.of] != story.holds {
            return refuse("the story gives another value than the labelling");
        }
        match (&story.reason, term) {
            (Reason::Labels, Term::True | Term::Atom(_)) => Ok(()),
            (Reason::Labels, _) => refuse("labels alone do not decide this term"),
            (Reason::Operands(stories), Term::Not(_) | Term::And(..) | Term::Or(..)) => {
                let value = story.holds != matches!(term, Term::Not(_));
                let all = match term {
                    Term::And(..) => story.holds,
                    Term::Or(..) => !story.holds,
                    _ => true,
                };
                let told = |f: TermId| stories.iter().any(|story| story.of == f);
                if !stories.iter().all(|inner| term.operands().any(|f| f == inner.of)) {
                    return refuse("a story is told of a term that is no operand");
                }
                if stories.iter().any(|inner| inner.holds != value) {
                    return refuse("an operand has a value that does not decide the term");
                }
                if stories.is_empty() || all && !term.operands().all(told) {
                    return refuse("the story of an operand is missing");
                }
                waiting.extend(stories.iter().map(|inner| (inner, Rc::clone(here))));
                Ok(())
            }
            (Reason::Operands(_), _) => refuse("operands alone do not decide this term"),
            (Reason::AllPaths, _) if term.is_temporal() && !story.holds => Ok(()),
            (Reason::AllPaths, _) => refuse("this is not a matter of all paths"),
            // It claims nothing but the value, which the labelling has.
            (Reason::TooLong, _) => Ok(()),
            (Reason::Run(told), _) if term.is_temporal() && story.holds => {
                self.run(told, term, here, waiting)
            }
            (Reason::Run(_), _) => refuse("a run cannot show this"),
        }
    }

    fn run<'s>(
        &self,
        told: &'s Told,
        term: Term,
        here: &Rc<Situation>,
        waiting: &mut Waiting<'s>,
    ) -> Result<(), Halt> {
        let Told { run, values, asides } = told;
        if !values.is_empty() {
            return Err(self.refuse(&here.state, "values are told of formulas in CTL* only"));
        }
        // What must hold before the last configuration, and in it.
        let (along, last) = match term {
            Term::Ex(f) => (None, f),
            Term::Eu(f, g) => (Some(f), g),
            Term::Eg(f) => (Some(f), f),
            _ => return Err(self.refuse(&here.state, "a run cannot show this")),
        };
        let refuse = |why: &str| Err(self.refuse(&here.state, why));
        if matches!(term, Term::Ex(_)) && run.moves.len() != 1 {
            return refuse("the run of an EX has exactly one move");
        }
        let begin = match run.ending {
            Ending::Done => 0,
            Ending::Loop(begin) | Ending::Pump(begin, _) => begin,
        };
        if run.ending != Ending::Done && begin >= run.moves.len() {
            return refuse("the run goes on from a configuration that is not an earlier one");
        }
        let (prefix, period) = run.moves.split_at(begin);
        let middle = self.walk(&here.state, prefix, 0, along)?;
        let end = self.walk(&middle, period, begin, along)?;
        let truth = self.known_truth(&end)?;
        if !truth[last] {
            return Err(self.refuse(&end, "the operand does not hold at the end of the run"));
        }
        match (&run.ending, term) {
            (Ending::Done, Term::Ex(_) | Term::Eu(..)) => {
                let [(position, then)] = &asides[..] else {
                    if end == State::Sink && asides.is_empty() {
                        return Ok(()); // there is nothing to tell of it
                    }
                    return refuse("the story of the operand at the end of the run is missing");
                };
                if *position != run.moves.len() || then.of != last || !then.holds {
                    return refuse("the story at the end of the run is not of the operand");
                }
                waiting.push((then, Rc::new(Situation { state: end, truth })));
                return Ok(());
            }
            (_, Term::Ex(_) | Term::Eu(..)) => return refuse("the run does not end"),
            // The sink loops, and what holds there holds for ever.
            (Ending::Done, _) if end == State::Sink => {}
            (Ending::Done, _) => return refuse("the run of an EG does not go on for ever"),
            (Ending::Loop(_), _) if end == middle => {}
            (Ending::Loop(_), _) => {
                return Err(self.refuse(&end, "the run is not back where the loop begins"));
            }
            (Ending::Pump(_, boxes), _) => self.pump(&middle, &end, period, boxes, along)?,
        }
        if !asides.is_empty() {
            return refuse("an endless run has no story at its end");
        }
        Ok(())
    }

    /// Follows moves, of which the first is the one after configuration `count` of the run; `along` holds
    /// in all configurations but the last.
    fn walk(
        &self,
        from: &State,
        moves: &[Move],
        count: usize,
        along: Option<TermId>,
    ) -> Result<State, Halt> {
        let mut state = from.clone();
        for (i, &step) in moves.iter().enumerate() {
            self.budget.check()?;
            if let Some(operand) = along
                && !self.known_truth(&state)?[operand]
            {
                return Err(self.refuse(&state, "the operand does not hold on the run"));
            }
            let at = |why: String| format!("move {}: {why}", count + i + 1);
            if state == State::Sink && count + i > 0 {
                return Err(self.refuse(&state, at("a run that has come here ends".to_owned())));
            }
            let before = state.name(self.machine);
            state =
                state.follow(self.machine, step).map_err(|why| Refusal::new(before, at(why)))?;
        }
        Ok(state)
    }

    /// Whether a run that has come from `middle` to `end` by the moves of `period` can go on so for ever,
    /// with `along` in all configurations.
    fn pump(
        &self,
        middle: &State,
        end: &State,
        period: &[Move],
        boxes: &[BoxId],
        along: Option<TermId>,
    ) -> Result<(), Halt> {
        let refuse = |why: &str| Err(self.refuse(end, why));
        pumps(middle, end, period, boxes).or_else(refuse)?;
        let mut seen = vec![self.frames(middle)];
        let mut state = end.clone();
        for _ in 0..MOST_REPETITIONS {
            let frames = self.frames(&state);
            if frames.is_none() || seen.contains(&frames) {
                return match frames {
                    Some(_) => Ok(()),
                    None => refuse("the labelling does not speak of the growing stack"),
                };
            }
            seen.push(frames);
            state = self.walk(&state, period, 0, along)?;
            debug_assert_eq!(state.height(), middle.height() + seen.len() * boxes.len());
        }
        refuse("the frames of the growing stack do not come back")
    }

    /// The frames of all layers that the stack leads to.
    fn frames(&self, state: &State) -> Option<Vec<u32>> {
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
            Some(frame)
        };
        self.labelling.layers.iter().map(frame_of).collect()
    }
}

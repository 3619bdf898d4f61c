//! What fails is looked at once more, by code that shares nothing with the analysis.
//!
//! The interpreter must find the run that is told, state by state, and say of the claim what the
//! analysis says. A run that repeats itself, or that goes on by rounds which look the same to the
//! claim, shows by itself that a formula about runs is false on it: that is evaluated by the
//! definition of the operators.

use super::{Beside, Task};
use std::collections::BTreeMap;
use tern_certify::lasso;
use tern_ir::flow::Flow;
use tern_model::logic::ctl::{Program, Term};
use tern_model::{Budget, Formula, FormulaId};
use tern_numeric::check::{Decision, Verdict, Why};
use tern_numeric::story::{Ending, Subject};
use tern_program::c::claim;
use tern_program::c::story::{self, Replay, Seen, Told};
use tern_program::c::{explicit, onward, sample};

/// How many states are left of a run that goes on, where the interpreter cannot follow it so far.
const SHORTER: [usize; 3] = [100, 50, 25];

impl Task {
    /// Looks at a failure again. Where that does not agree, nothing is claimed. If a claim of CTL
    /// was decided, this is its normal form.
    pub(super) fn replay(
        &self,
        index: usize,
        program: Option<&Program>,
        decision: &mut Decision,
        beside: &mut Beside,
        budget: &Budget,
    ) {
        let Verdict::Fails { point, values } = &decision.verdict else { return };
        let formulas = &self.claims.formulas;
        let show = |of: Subject| match of {
            Subject::Term(term) => {
                program.map_or_else(String::new, |it| claim::show(it, term, formulas))
            }
            Subject::Formula(formula) => formulas.show(formula).to_string(),
        };
        let flow = self.about(decision);
        let mut told = story::unfold(
            flow,
            (*point, values),
            &decision.story,
            &self.questions[index].meanings,
            show,
        );
        let named: BTreeMap<String, i128> =
            self.named(values).map(|(name, value)| (name.to_owned(), value)).collect();
        let (mut whole, mut run) = (None, Replay::Open);
        let names = super::beyond::propositions(formulas, &self.claims.list()[index]);
        if let Some(sample::Asked { unit, settings, .. }) = self.asked() {
            run = story::replay(unit, settings, &flow.variables, &told, &names);
            for most in SHORTER {
                // Numbers may be too large for the interpreter further on.
                if run == Replay::Open && shorten(&mut told, most) {
                    run = story::replay(unit, settings, &flow.variables, &told, &names);
                }
            }
            let judge = |program| {
                let claim = (program, formulas);
                explicit::replay(unit, settings, &named, claim, &Budget::unlimited())
            };
            whole = program.and_then(judge);
        }
        let by_itself = self.on_lasso(index, decision, &run);
        if whole == Some(true) || run == Replay::Missing || by_itself == Some(true) {
            let why = Why { limit: None, term: None, point: None, rows: Vec::new() };
            decision.verdict = Verdict::Unknown(why);
            decision.proof = None;
            let message = "the interpreter does not agree with the analysis; please report it";
            beside.missing.push(message.to_owned());
            return;
        }
        if let Replay::Found(seen) = &run {
            story::fill(&mut told, seen);
        }
        let is_run = matches!(run, Replay::Found(_));
        let is_only = told.is_empty() && self.tell_only_run(index, decision, &mut told);
        let is_longer = is_only || is_run && self.lengthen(flow, &mut told, &names);
        let is_endless = program.is_some_and(|program| ends_in_globally(program, decision));
        let is_whole = |part: &Told| is_path(part.ending) || part.ending == Ending::AllPaths;
        let is_followed = |part: &Told| match part.ending {
            // It stays in a set that it can stay in for ever, or goes on by itself.
            Ending::TooLong => is_endless || is_longer || !part.areas.is_empty(),
            Ending::Inside(_) => is_longer,
            _ => is_whole(part),
        };
        let is_told = !told.is_empty() && told.iter().all(is_whole);
        let is_followed = !told.is_empty() && told.iter().all(is_followed);
        beside.replayed = whole == Some(false)
            || by_itself == Some(false)
            || is_run && program.is_some_and(|program| is_shown(program, decision, &told));
        beside.followed = is_followed && (is_run || is_only);
        beside.told = told;
        if (!is_told || !is_run || !beside.replayed)
            && let Some(told) = self.walked(index, &decision.verdict, budget)
        {
            (beside.told, beside.replayed, beside.followed) = (told, true, true);
        }
    }

    /// Tells the run that there is from the values of a failure, if there is only one and the claim
    /// is about single runs.
    fn tell_only_run(&self, index: usize, decision: &Decision, told: &mut Vec<Told>) -> bool {
        let (formulas, claim) = (&self.claims.formulas, &self.claims.list()[index]);
        let Some(root) = claim.formula() else { return false };
        let path = match formulas.get(root) {
            Formula::All(path) => path,
            _ => root,
        };
        let is_quantified =
            formulas.subformulas(path).iter().any(|&it| formulas.get(it).is_quantifier());
        let (Some(values), Some(sample::Asked { unit, settings, .. }), false) =
            (self.begun(&decision.verdict), self.asked(), is_quantified)
        else {
            return false;
        };
        let names = (self.about(decision).variables.as_slice(), self.code.labels.as_slice());
        let lines = |span| self.line(span);
        let Some(states) = onward::only_run((unit, settings), &values, names, lines) else {
            return false;
        };
        let (formula, areas) = (formulas.show(root).to_string(), Vec::new());
        told.push(Told { formula, holds: false, states, ending: Ending::TooLong, areas });
        true
    }

    /// Lets the interpreter go on where the analysis does not follow a run.
    fn lengthen(&self, flow: &Flow, told: &mut [Told], propositions: &[&str]) -> bool {
        let Some(sample::Asked { unit, settings, .. }) = self.asked() else { return false };
        let names = (flow.variables.as_slice(), self.code.labels.as_slice());
        let lines = |span| self.line(span);
        onward::lengthen((unit, settings), names, propositions, told, lines)
    }

    /// What the interpreter's states say of a claim about runs on a run that repeats itself.
    fn on_lasso(&self, index: usize, decision: &Decision, run: &Replay) -> Option<bool> {
        let Replay::Found(Seen { truths: Some(truths), repeats: Some(back), .. }) = run else {
            return None;
        };
        let (formulas, claim) = (&self.claims.formulas, &self.claims.list()[index]);
        let [part] = decision.story.as_slice() else { return None };
        let root = claim.formula().filter(|&root| part.of == Subject::Formula(root))?;
        let path = match formulas.get(root) {
            Formula::All(path) => path,
            _ => root,
        };
        let names = super::beyond::propositions(formulas, claim);
        let is_of_runs =
            formulas.subformulas(path).iter().all(|&it| !formulas.get(it).is_quantifier());
        let leaf = |leaf: FormulaId, at: usize| match formulas.get(leaf) {
            Formula::Atom(atom) => {
                let number = names.iter().position(|name| *name == formulas.atom_name(atom));
                number.is_some_and(|number| truths[at][number])
            }
            _ => false,
        };
        // The last state is the one that it goes on from.
        let cycle = truths.len().checked_sub(back + 1)?;
        let truth = lasso::evaluate(formulas, path, *back, cycle, leaf)?;
        truth.at(path, 0).filter(|_| is_of_runs)
    }
}

/// Shortens the last part of a run that goes on; says whether it was longer.
fn shorten(told: &mut [Told], most: usize) -> bool {
    let last = told.last_mut().filter(|it| it.ending == Ending::TooLong && it.states.len() > most);
    last.is_some_and(|part| {
        part.states.truncate(most);
        true
    })
}

/// Whether a run shows by itself that a claim of CTL fails: it has come to its end, and no part of
/// it is about all paths.
fn is_shown(program: &Program, decision: &Decision, told: &[Told]) -> bool {
    program.temporal_count() == told.len()
        && decision.story.iter().all(|it| matches!(it.of, Subject::Term(_)))
        && told.iter().all(|part| is_path(part.ending))
}

/// Whether the last part of a story is about what is true for ever on a run.
fn ends_in_globally(program: &Program, decision: &Decision) -> bool {
    decision.story.last().is_some_and(|part| match part.of {
        Subject::Term(term) => matches!(program.terms[term], Term::Eg(_)),
        Subject::Formula(_) => false,
    })
}

/// Whether a run is told to its end, or so that it is known for ever.
fn is_path(ending: Ending) -> bool {
    matches!(ending, Ending::Done | Ending::Loop(_) | Ending::Grows(_))
}

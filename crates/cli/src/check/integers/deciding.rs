//! Which ways are tried to decide a claim, one after the other, and the replay of what fails.

use super::{Beside, Question, Task};
use crate::args::{Analysis, CheckArgs, Domain};
use std::collections::BTreeMap;
use tern_model::logic::ctl::Program;
use tern_model::{Budget, Limit};
use tern_numeric::check::{Decision, Verdict, Wants, Why};
use tern_numeric::invariant::Templates;
use tern_numeric::story::Ending;
use tern_program::c::claim::{self, Meanings};
use tern_program::c::story::{self, Told};
use tern_program::c::{explicit, sample};

/// How many steps are followed of a run if nobody asks for it.
const BRIEF_STEPS: usize = 200;
/// How many states are listed before anything else is tried.
const VERY_FEW_STATES: sample::Most = sample::Most { states: 400, whole: true, ..FEW_STATES };
/// How many states are listed where the analysis does not decide soon.
pub(super) const FEW_STATES: sample::Most = sample::Most {
    starts: 1 << 10,
    states: 5_000,
    choices: 256,
    size: i128::MAX,
    all_only: true,
    whole: false,
};
/// How much is done before that, and to tell a run of a claim that is known to fail.
pub(super) const LITTLE_EFFORT: u64 = 4_000;
/// How much is done before single values are tried.
const SOME_EFFORT: u64 = 40_000;
/// How many states are listed when nothing else decides.
pub(super) const MOST_STATES: sample::Most = sample::Most {
    starts: 1 << 16,
    states: 150_000,
    choices: 1 << 12,
    size: i128::MAX,
    all_only: false,
    whole: false,
};

/// Whether the analysis was ended because it took long.
fn is_cut_short(decision: &Decision) -> bool {
    matches!(decision.verdict, Verdict::Unknown(Why { limit: Some(Limit::Effort), .. }))
}

impl Task {
    /// Decides a claim by what was asked for, or by one after the other.
    pub(super) fn decide(
        &self,
        index: usize,
        args: &CheckArgs,
        budget: &Budget,
    ) -> (Decision, Beside) {
        let Question { program, meanings, star } = &self.questions[index];
        let wants = Wants {
            // A page shows the cells of the evidence.
            evidence: args.evidence || args.certify || args.html.is_some(),
            steps: if args.witness.is_some() { args.max_steps } else { BRIEF_STEPS },
            precondition: args.precondition && star.is_none(),
            templates: match args.domain {
                Some(Domain::Intervals) => Templates::Intervals,
                Some(Domain::Octagons) => Templates::Octagons,
                Some(Domain::Polyhedra) | None => Templates::All,
            },
        };
        if let Some(star) = star {
            return self.decide_star(index, star, wants, args, budget);
        }
        let analysis = args.analysis.unwrap_or(Analysis::Auto);
        let mut beside = Beside::default();
        let mut decision = Decision::open();
        let mut is_left = true;
        let asked = (program, meanings);
        if analysis == Analysis::Auto && !wants.precondition {
            if !wants.evidence {
                self.list(asked, wants, &mut decision, &mut beside, VERY_FEW_STATES, budget);
            }
            if decision.is_open() {
                let little = budget.clone().with_effort(LITTLE_EFFORT);
                decision = claim::answer(&self.code.flow, program, meanings, wants, &little);
                is_left = is_cut_short(&decision);
            }
            if is_left {
                self.list(asked, wants, &mut decision, &mut beside, FEW_STATES, budget);
            }
        }
        match (&decision.verdict, analysis) {
            (Verdict::Unknown(_), Analysis::Auto) if is_left => {
                // What takes long may be seen from a single value, before time runs out.
                let some = budget.clone().with_effort(SOME_EFFORT);
                decision = claim::answer(&self.code.flow, program, meanings, wants, &some);
                if is_cut_short(&decision) {
                    self.sample(asked, wants, &mut decision, budget);
                }
                if is_cut_short(&decision) {
                    decision = claim::answer(&self.code.flow, program, meanings, wants, budget);
                }
            }
            (Verdict::Unknown(_), Analysis::Numeric) => {
                decision = claim::answer(&self.code.flow, program, meanings, wants, budget);
            }
            (Verdict::Fails { .. }, Analysis::Auto) if beside.by.is_some() => {
                // The run is the analysis' to tell, if it finds one soon.
                let little = budget.clone().with_effort(LITTLE_EFFORT);
                let told = claim::answer(&self.code.flow, program, meanings, wants, &little);
                if matches!(told.verdict, Verdict::Fails { .. }) {
                    (decision, beside.by) = (told, None);
                }
            }
            _ => {}
        }
        if analysis == Analysis::Auto {
            self.sample(asked, wants, &mut decision, budget);
        }
        match analysis {
            Analysis::Auto | Analysis::Explicit => {
                self.list(asked, wants, &mut decision, &mut beside, MOST_STATES, budget);
            }
            Analysis::Machine => {
                let most = (MOST_STATES, budget);
                self.by_machine(index, args, &mut decision, &mut beside, most);
            }
            Analysis::Numeric => {}
        }
        let confirmed = self.replay(index, program, &mut decision);
        let by = beside.by;
        (decision, Beside { by, ..confirmed })
    }

    /// The program as something whose states can be listed.
    pub(super) fn asked(&self) -> Option<sample::Asked<'_>> {
        self.code.asked()
    }

    /// Lists all states, if the claim is open.
    pub(super) fn list(
        &self,
        (program, meanings): (&Program, &Meanings),
        wants: Wants,
        decision: &mut Decision,
        beside: &mut Beside,
        most: sample::Most,
        budget: &Budget,
    ) {
        if !matches!(decision.verdict, Verdict::Unknown(_)) {
            return;
        }
        let formulas = &self.claims.formulas;
        let found = self.asked().and_then(|it| it.exhaust(program, formulas, most, budget));
        if let Some(verdict) = found {
            decision.verdict = verdict;
            // A list without an initial state decides nothing; an analysis that was cut short may
            // not have come to them.
            decision.starts = decision.starts.max(1);
            beside.by = Some("all states, listed one by one".to_owned());
            self.prove_from_values((program, meanings), wants, decision, budget);
        }
    }

    /// Tries single initial values, if the analysis left the claim open.
    pub(super) fn sample(
        &self,
        (program, meanings): (&Program, &Meanings),
        wants: Wants,
        decision: &mut Decision,
        budget: &Budget,
    ) {
        let Some(sample::Asked { unit, settings, flow }) = self.asked() else { return };
        if matches!(decision.verdict, Verdict::Unknown(_)) {
            let formulas = &self.claims.formulas;
            let found = sample::decide(unit, settings, flow, program, formulas, budget);
            if let Some(verdict) = found {
                decision.verdict = verdict;
                decision.starts = decision.starts.max(1);
            }
            self.prove_from_values((program, meanings), wants, decision, budget);
        }
    }

    /// Looks for evidence of a failure from the values that were found.
    pub(super) fn prove_from_values(
        &self,
        (program, meanings): (&Program, &Meanings),
        wants: Wants,
        decision: &mut Decision,
        budget: &Budget,
    ) {
        if wants.evidence {
            let flow = &self.code.flow;
            // Where this takes long, the states that were listed are evidence.
            let little = budget.clone().with_effort(LITTLE_EFFORT);
            let proof = sample::prove(flow, program, meanings, &decision.verdict, &little);
            decision.proof = proof.map(Ok);
        }
    }

    /// Looks at a failure again, state by state, by code that shares nothing with the analysis.
    /// Says whether that confirms it; where it does not agree, nothing is claimed.
    pub(super) fn replay(
        &self,
        index: usize,
        program: &Program,
        decision: &mut Decision,
    ) -> Beside {
        let mut beside = Beside::default();
        let Verdict::Fails { point, values } = &decision.verdict else { return beside };
        let (source_tree, flow) = (&self.code.source_tree, self.about(decision));
        let told = story::unfold(flow, *point, values, &decision.story);
        let named: BTreeMap<String, i128> =
            self.named(values).map(|(name, value)| (name.to_owned(), value)).collect();
        let formulas = &self.claims.formulas;
        let (whole, run) = match source_tree {
            None => (None, None),
            Some((unit, settings)) => (
                explicit::replay(unit, settings, &named, (program, formulas), &Budget::unlimited()),
                story::replay(unit, settings, flow, &told),
            ),
        };
        if whole == Some(true) || run == Some(false) {
            let why = Why { limit: None, term: None, point: None, rows: Vec::new() };
            decision.verdict = Verdict::Unknown(why);
            decision.proof = None;
            let message = "the interpreter does not agree with the analysis; please report it";
            beside.missing.push(message.to_owned());
            return beside;
        }
        beside.replayed = whole == Some(false) || run == Some(true) && self.is_shown(index, &told);
        beside.told = told;
        beside
    }

    /// Whether a run shows by itself that a claim fails: it has come to its end, and no part of it
    /// is about all paths.
    fn is_shown(&self, index: usize, told: &[Told]) -> bool {
        let program = &self.questions[index].program;
        let is_path = |part: &Told| matches!(part.ending, Ending::Done | Ending::Loop(_));
        program.temporal_count() == told.len() && told.iter().all(is_path)
    }
}

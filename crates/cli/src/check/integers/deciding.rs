//! Which ways are tried to decide a claim, one after the other.

use super::{Beside, Question, Task};
use crate::args::{Analysis, CheckArgs, Domain};
use tern_model::logic::ctl::Program;
use tern_model::{Budget, Limit};
use tern_numeric::check::{Decision, Verdict, Wants, Why};
use tern_numeric::invariant::Templates;
use tern_program::c::claim::{self, Meanings};
use tern_program::c::sample;

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
/// How much is done before more single values are tried.
const SOME_EFFORT: u64 = 40_000;
/// How many initial values are tried one by one before that.
const FEW_VALUES: usize = 10;
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
                // What takes long may be seen from a single value soon; not for which values.
                if !wants.precondition {
                    self.sample(asked, wants, &mut decision, FEW_VALUES, budget);
                }
                if decision.is_open() {
                    let some = budget.clone().with_effort(SOME_EFFORT);
                    decision = claim::answer(&self.code.flow, program, meanings, wants, &some);
                }
                if is_cut_short(&decision) {
                    self.sample(asked, wants, &mut decision, sample::MOST_VALUES, budget);
                }
                if is_cut_short(&decision) {
                    // Many states are listed sooner than a search without bounds ends.
                    let most = sample::Most { all_only: true, ..MOST_STATES };
                    self.list(asked, wants, &mut decision, &mut beside, most, budget);
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
            self.sample(asked, wants, &mut decision, sample::MOST_VALUES, budget);
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
        let is_for_cells = matches!(analysis, Analysis::Auto | Analysis::Numeric);
        if decision.is_open() && is_for_cells && !wants.precondition {
            let inside = claim::inside(&self.code.flow, program, meanings, wants, budget);
            decision = inside.unwrap_or(decision);
        }
        self.replay(index, Some(program), &mut decision, &mut beside, budget);
        (decision, beside)
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
        most: usize,
        budget: &Budget,
    ) {
        let Some(sample::Asked { unit, settings, flow }) = self.asked() else { return };
        if matches!(decision.verdict, Verdict::Unknown(_)) {
            let claim = (program, &self.claims.formulas);
            let found = sample::decide(unit, settings, flow, claim, most, budget);
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
}

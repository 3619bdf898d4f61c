//! The claims on one program whose states come on demand: decided one after the other, each as far
//! as the program is visited for it.

use super::Shared;
use super::explain::LONGEST_TOLD;
use super::one::{Run, Tally};
use crate::failure::Failure;
use crate::load::Inputs;
use crate::warnings::{self, Found};
use tern::OnDemand;
use tern_engine::Options;
use tern_model::space::{Space, SpaceError};
use tern_model::{Answer, Budget, Claims, Formula, Verdict};

/// How often an attempt that nobody asked for may look at its budget, for each claim: so long that
/// it takes about as long as finding the states did that told that there are many.
const ATTEMPT: u64 = 256;

/// Decides the claims, and shows what was concluded about what was produced of the program. If no
/// engine was named this is an attempt: nothing is concluded, and shown, unless for each claim a
/// run is found soon that settles it.
pub(super) fn run(
    space: Box<dyn Space + Send + Sync>,
    inputs: &mut Inputs,
    shared: Shared<'_>,
    first: &Budget,
) -> Result<Option<Tally>, Failure> {
    let Shared { args, limits, progress, output } = shared;
    let mut program = OnDemand::new(space);
    program.claims = inputs.claims.clone();
    let runs = if args.wants_runs() { args.max_steps } else { LONGEST_TOLD };
    let mut answers: Vec<Answer> = Vec::new();
    let is_attempt = args.engine.0.is_none();
    let count = inputs.claims.list().len();
    for i in 0..count {
        progress.say(format!("deciding claim {} of {count}", i + 1));
        let mut budget = if i == 0 { first.clone() } else { limits.budget() };
        if is_attempt {
            budget = budget.with_effort(ATTEMPT);
        }
        let options = Options {
            engine: args.engine.0,
            evidence: args.evidence || args.certify,
            runs: (!args.quiet || args.keeps_runs()).then_some(runs),
            ..Options::default()
        };
        let mut answer = program.decide(i, &options, &budget);
        if is_attempt && !is_settled_by_a_run(inputs, i, &answer) {
            return Ok(None);
        }
        if args.certify {
            progress.say(format!("certifying claim {} of {count}", i + 1));
            answer = program.certified(i, answer, &budget).map_err(failed)?;
        }
        let fails = answer.outcome.verdict == Verdict::Fails;
        if !fails && !args.wants_runs() {
            answer.outcome.stories.clear();
        }
        answers.push(answer);
        if fails && args.fail_fast {
            break;
        }
    }
    inputs.machine = Ok(program.machine().map_err(failed)?.clone());
    let Inputs { machine: Ok(machine), .. } = &*inputs else { unreachable!("it was just set") };
    let run = Run::new(shared, inputs);
    let mut found: Vec<Found<'_>> = warnings::of_model(inputs).collect();
    found.retain(|found| !run.allows(found.code()));
    output.warnings(inputs, &found)?;
    for (i, answer) in answers.iter_mut().enumerate() {
        output.answer(inputs, Some(machine), i, answer)?;
        if !args.keeps_runs() {
            answer.outcome.stories.clear();
        }
    }
    run.conclude(Some(machine), None, &found, &answers).map(Some)
}

/// Whether a claim fails on a run, or holds because there is one: then the rest of the program does
/// not matter, neither to the verdict nor to what is warned of.
fn is_settled_by_a_run(inputs: &Inputs, claim: usize, answer: &Answer) -> bool {
    let Claims { formulas, .. } = &inputs.claims;
    let formula = inputs.claims.list()[claim].formula();
    let exists = formula.is_some_and(|it| matches!(formulas.get(it), Formula::Exists(_)));
    match answer.outcome.verdict {
        Verdict::Fails => !exists,
        Verdict::Holds => exists,
        Verdict::Unknown(_) => false,
    }
}

/// What the program broke; programs that were read do not.
fn failed(error: SpaceError) -> Failure {
    Failure::Output(std::io::Error::other(error))
}

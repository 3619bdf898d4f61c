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
use tern_model::{Answer, Budget, Verdict};

/// Decides the claims, and shows what was concluded about what was produced of the program.
pub(super) fn run(
    space: Box<dyn Space + Send + Sync>,
    inputs: &mut Inputs,
    shared: Shared<'_>,
    first: &Budget,
) -> Result<Tally, Failure> {
    let Shared { args, limits, progress, output } = shared;
    let mut program = OnDemand::new(space);
    program.claims = inputs.claims.clone();
    let runs = if args.wants_runs() { args.max_steps } else { LONGEST_TOLD };
    let mut answers: Vec<Answer> = Vec::new();
    let count = inputs.claims.list().len();
    for i in 0..count {
        progress.say(format!("deciding claim {} of {count}", i + 1));
        let budget = if i == 0 { first.clone() } else { limits.budget() };
        let options = Options {
            engine: args.engine.0,
            evidence: args.evidence || args.certify,
            runs: (!args.quiet || args.keeps_runs()).then_some(runs),
            ..Options::default()
        };
        let mut answer = program.decide(i, &options, &budget);
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
    let run = Run { shared, inputs };
    let mut found: Vec<Found<'_>> = warnings::of_model(inputs).collect();
    found.retain(|found| !run.allows(found.code()));
    output.warnings(inputs, &found)?;
    for (i, answer) in answers.iter_mut().enumerate() {
        output.answer(inputs, Some(machine), i, answer)?;
        if !args.keeps_runs() {
            answer.outcome.stories.clear();
        }
    }
    run.conclude(Some(machine), None, &found, &answers)
}

/// What the program broke; programs that were read do not.
fn failed(error: SpaceError) -> Failure {
    Failure::Output(std::io::Error::other(error))
}

//! Claims about a pointer program, each decided on a machine of its own.

use super::one::Tally;
use super::{Job, Shared};
use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::load::Inputs;
use tern::Error;
use tern::heap::{HeapAnswer, HeapModel, HeapSettings};
use tern_engine::Options;
use tern_front::{Source, Wrong, input};
use tern_model::Verdict;

/// Reads a program with its claims, decides them, and shows what was concluded.
pub(super) fn run(job: Job<'_>, shared: Shared<'_>) -> Result<Tally, Failure> {
    let Shared { args, limits, progress, output } = shared;
    refuse(job, args)?;
    let first = limits.budget();
    progress.say(format!("reading {}", job.model));
    let wrong =
        |problems| Failure::Input(vec![Wrong { source: Source::new(job.model, ""), problems }]);
    let source = input::open(job.model, &first).map_err(|refusal| match refusal {
        tern_front::Refusal::Problems(problems) => wrong(problems),
        tern_front::Refusal::Limit(limit) => Failure::Limit(limit),
    })?;
    let mut model = HeapModel::read(source).map_err(failure)?;
    if !args.formulas.is_empty() {
        model.clear_claims();
        for input in 0..model.inputs() {
            for formula in &args.formulas {
                model.claim(input, formula).map_err(failure)?;
            }
        }
    }
    let options = Options {
        engine: args.engine.0,
        evidence: false,
        regions: false,
        runs: args.keeps_runs().then_some(args.max_steps),
        seed: args.seed.unwrap_or_default(),
        shuffle: args.shuffle,
    };
    let (mut answers, mut headings): (Vec<HeapAnswer>, Vec<Option<String>>) = Default::default();
    let count = model.claims.list().len();
    for claim in 0..count {
        progress.say(format!("deciding claim {} of {count}", claim + 1));
        let budget = if claim == 0 { first.clone() } else { limits.budget() };
        let answer = model.decide(claim, HeapSettings::default(), &options, &budget);
        let is_new = claim == 0 || model.about(claim - 1) != model.about(claim);
        headings.push(is_new.then(|| model.show_input(model.about(claim))));
        let fails = *answer.answer.verdict() == Verdict::Fails;
        answers.push(answer);
        if fails && args.fail_fast {
            break;
        }
    }
    let inputs = Inputs::of_program(job.model, model.claims.clone());
    output.heap_answers(&inputs, model.source(), &answers, &headings)?;
    Ok(Tally::of(answers.iter().map(|it| &it.answer)))
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Input(wrong) => Failure::Input(vec![wrong]),
        Error::Limit(limit) => Failure::Limit(limit),
        Error::Engine(name) => Failure::Usage {
            message: format!("there is no engine `{name}`"),
            hint: "see `tern check --help`".to_owned(),
        },
    }
}

/// Refuses what is not there for pointer programs.
fn refuse(job: Job<'_>, args: &CheckArgs) -> Result<(), Failure> {
    let given = [
        ("a file of claims", !job.claims.is_empty()),
        ("--claim", !args.claim.is_empty()),
        ("--fair", !args.fair.is_empty()),
        ("--compassion", !args.compassion.is_empty()),
        ("--automaton", !args.automaton.is_empty()),
        ("--automaton-positive", !args.automaton_positive.is_empty()),
        ("--top-level", args.top_level),
        ("--deadlock", args.deadlock.is_some()),
        ("--where", args.regions),
        ("--trace", args.trace.is_some()),
        ("--dot", args.dot.is_some()),
        ("--evidence", args.evidence),
        ("--certify", args.certify),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((what, _)) => Err(Failure::Usage {
            message: format!("{what} cannot be used with a pointer program"),
            hint: "docs/heaps.md says what can".to_owned(),
        }),
    }
}

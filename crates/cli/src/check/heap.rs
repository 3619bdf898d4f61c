//! Claims about a pointer program, each decided on a machine of its own.

use super::one::Tally;
use super::{Job, Shared};
use crate::args::{CheckArgs, HeapArgs};
use crate::failure::Failure;
use crate::files::write_whole;
use crate::load::{Inputs, ends_in};
use crate::reading::ReadingArgs;
use std::path::Path;
use std::time::Instant;
use tern::Error;
use tern::heap::{GrammarFile, HeapAnswer, HeapModel, HeapSettings, JavaAsked, NoRun};
use tern_engine::Options;
use tern_front::{Refusal, Source, Wrong, input};
use tern_model::{Budget, Certification, Gap, Missing, Verdict};
use tern_program::sources::source_of;

/// Refuses settings that are for pointer programs only.
pub(super) fn refuse_settings(job: Job<'_>, args: &CheckArgs) -> Result<(), Failure> {
    let is_text = ends_in(job.model, &["heap", "attestor"]);
    let is_method = CheckArgs::is_method(job.model, &args.heap);
    let given = [
        ("--method", args.heap.method.is_some(), is_method),
        ("--grammar", !args.heap.grammar.is_empty(), is_method),
        ("--pure", !args.heap.pure.is_empty(), is_method),
        ("--inputs", args.heap.inputs.is_some(), is_method || is_text),
        ("--distance", args.heap.distance.is_some(), is_method || is_text),
    ];
    match given.iter().find(|(_, is_given, makes_sense)| *is_given && !makes_sense) {
        None => Ok(()),
        Some((option, ..)) => Err(Failure::Usage {
            message: format!("{option} is for pointer programs"),
            hint: "a method of a Java program is named with --method; docs/heaps.md says more"
                .to_owned(),
        }),
    }
}

/// Reads the program that is asked about.
pub(crate) fn read(
    path: &str,
    (reading, heap): (&ReadingArgs, &HeapArgs),
    budget: &Budget,
) -> Result<HeapModel, Failure> {
    let wrong = |problems| Failure::Input(vec![Wrong { source: Source::new(path, ""), problems }]);
    let refused = |refusal| match refusal {
        Refusal::Problems(problems) => wrong(problems),
        Refusal::Limit(limit) => Failure::Limit(limit),
    };
    let kind = source_of(path).filter(|_| CheckArgs::is_method(path, heap));
    let Some(kind) = kind else {
        let source = input::open(path, budget).map_err(refused)?;
        return match ends_in(path, &["attestor"]) {
            true => HeapModel::attestor(path, &source, budget).map_err(failure),
            false => HeapModel::read(source).map_err(failure),
        };
    };
    let options = reading.for_program().map_err(|name| Failure::Usage {
        message: format!("`{name}` cannot be set for programs"),
        hint: "leave it out".to_owned(),
    })?;
    let program = (kind.read)(Path::new(path), &options, budget).map_err(refused)?;
    let (files, grammars): (Vec<&String>, Vec<&String>) =
        heap.grammar.iter().partition(|it| ends_in(it, &["json"]));
    let mut rules = Vec::new();
    for name in files {
        let source = input::open(name, budget).map_err(refused)?;
        let text = String::from_utf8_lossy(&source.bytes).into_owned();
        rules.push(GrammarFile { name: name.clone(), text, renamed: Vec::new() });
    }
    let asked = JavaAsked {
        method: heap.method.clone(),
        grammars: grammars.into_iter().cloned().collect(),
        rules,
        given: (!reading.given.is_empty()).then(|| reading.given.join(", ")),
        pure: heap.pure.clone(),
    };
    HeapModel::java(Source::new(path, ""), program, &asked, budget).map_err(failure)
}

/// Reads a program with its claims, decides them, and shows what was concluded.
pub(super) fn run(job: Job<'_>, shared: Shared<'_>) -> Result<Tally, Failure> {
    let Shared { args, limits, progress, output } = shared;
    refuse(job, args)?;
    let first = limits.budget();
    progress.say(format!("reading {}", job.model));
    let mut model = read(job.model, (&args.reading, &args.heap), &first)?;
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
        evidence: args.evidence || args.certify || args.dot.is_some(),
        regions: false,
        runs: args.keeps_runs().then_some(args.max_steps),
        seed: args.seed.unwrap_or_default(),
        shuffle: args.shuffle,
    };
    let usual = HeapSettings::default();
    let settings = HeapSettings {
        inputs: args.heap.inputs.unwrap_or(usual.inputs),
        distance: args.heap.distance.unwrap_or(usual.distance),
        ..usual
    };
    let (mut answers, mut headings): (Vec<HeapAnswer>, Vec<Option<String>>) = Default::default();
    let mut inputs = Inputs::of_program(job.model, model.claims.clone());
    if !args.claim.is_empty() {
        inputs.pick(&args.claim, job.of_several)?;
    }
    let count = inputs.numbers.len();
    let mut about = None;
    for (position, claim) in inputs.numbers.iter().map(|number| number - 1).enumerate() {
        progress.say(format!("deciding claim {} of {count}", position + 1));
        let budget = if position == 0 { first.clone() } else { limits.budget() };
        let mut answer = model.decide(claim, settings, &options, &budget);
        if args.certify {
            certified(&model, claim, &mut answer, args, &budget);
        }
        let given = model.about(claim);
        headings.push((about.replace(given) != Some(given)).then(|| model.show_input(given)));
        let fails = *answer.answer.verdict() == Verdict::Fails;
        answers.push(answer);
        if fails && args.fail_fast {
            break;
        }
    }
    if let Some(path) = &args.dot {
        let run = answers.iter().find_map(|answer| answer.evidence.as_ref());
        let Some(run) = run else {
            return Err(Failure::Usage {
                message: "--dot draws the run of a claim that fails, and there is none".to_owned(),
                hint: "leave it out".to_owned(),
            });
        };
        let graphs = model.dot(run, &limits.budget()).map_err(|why| Failure::Usage {
            message: format!("the run cannot be drawn: {why}"),
            hint: "leave out --dot".to_owned(),
        })?;
        match path == Path::new("-") {
            true => output.print_graph(&graphs)?,
            false => write_whole(path, graphs.as_bytes())?,
        }
    }
    output.heap_answers(&inputs, model.source(), &answers, &headings)?;
    Ok(Tally::of(answers.iter().map(|it| &it.answer)))
}

/// Lets the certifier look at the evidence.
fn certified(
    model: &HeapModel,
    claim: usize,
    answer: &mut HeapAnswer,
    args: &CheckArgs,
    budget: &Budget,
) {
    let Some(formula) = model.claims.list()[claim].formula().filter(|_| args.certify) else {
        return;
    };
    let (begin, formulas) = (Instant::now(), &model.claims.formulas);
    let found = match (&answer.evidence, &answer.proof) {
        (Some(run), _) => model.certify(formulas, formula, run, budget),
        (None, Some(proof)) if *answer.answer.verdict() == Verdict::Fails => {
            model.certify_refutation(formulas, formula, proof, budget)
        }
        (None, Some(proof)) => model.certify_proof(formulas, formula, proof, budget),
        (None, None) => return,
    };
    let seconds = begin.elapsed().as_secs_f64();
    let outcome = &mut answer.answer.outcome;
    let accepted = match found {
        Ok(()) => true,
        Err(NoRun::Refused(why)) => {
            outcome.verdict = Verdict::Unknown(Gap::Refused(why));
            // It would be that on which the claim fails.
            answer.input = None;
            false
        }
        Err(NoRun::Limit(limit)) => {
            outcome.missing.push(Missing::Certification(Gap::Limit(limit)));
            return;
        }
    };
    answer.answer.certification = Some(Certification { accepted, seconds });
}

/// An error of the library as one of the command line.
pub(crate) fn failure(error: Error) -> Failure {
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
        ("--fair", !args.fair.is_empty()),
        ("--compassion", !args.compassion.is_empty()),
        ("--automaton", !args.automaton.is_empty()),
        ("--automaton-positive", !args.automaton_positive.is_empty()),
        ("--top-level", args.top_level),
        ("--deadlock", args.deadlock.is_some()),
        ("--where", args.regions),
        ("--trace", args.trace.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((what, _)) => Err(Failure::Usage {
            message: format!("{what} cannot be used with a pointer program"),
            hint: "docs/heaps.md says what can".to_owned(),
        }),
    }
}

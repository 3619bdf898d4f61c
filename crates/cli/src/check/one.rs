//! The claims on one model: read, explored, decided part by part, and shown as they come.

use super::{Job, Shared, demand, explain, graph_is_printed};
use crate::args::{CheckArgs, Deadlock};
use crate::certify::wrong_copies;
use crate::codes;
use crate::failure::{Failure, Status};
use crate::files::write_whole;
use crate::load::{self, Attempt, Inputs};
use crate::warnings::{self, Found};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::io;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use tern::{Session, certification};
use tern_engine::{Options, Survey};
use tern_front::vocabulary;
use tern_model::{Answer, Example, Property};
use tern_model::{Budget, Claim, Claims, DeadEndRule, Gap, Limit, Machine, Outcome, Verdict};
use tern_record::trace::Trace;
use tern_report::dot;
use tern_report::table::Verdicts;
use tern_report::used::Used;

/// How many claims each thread takes before the verdicts are printed.
const CLAIMS_A_THREAD: usize = 8;
/// How many claims are looked at for those that take less together. The number does not depend on
/// the threads, so that counts of work do not.
const CLAIMS_TOGETHER: usize = 1024;

/// How many claims have each verdict, and whether a warning is as bad as a failure.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) holds: usize,
    pub(super) fails: usize,
    pub(super) unknown: usize,
    pub(super) denied: bool,
    /// Whether a limit was reached before there was anything to decide.
    pub(super) stopped: bool,
    /// How many claims were not looked at, because one before them fails.
    pub(super) left_out: usize,
}

impl Tally {
    pub(super) fn of<'a>(answers: impl IntoIterator<Item = &'a Answer>) -> Self {
        answers.into_iter().fold(Tally::default(), |mut tally, answer| {
            match answer.outcome.verdict {
                Verdict::Holds => tally.holds += 1,
                Verdict::Fails => tally.fails += 1,
                Verdict::Unknown(_) => tally.unknown += 1,
            }
            tally
        })
    }

    /// The verdicts as a row of a table.
    pub(super) fn verdicts(&self) -> Verdicts {
        Verdicts::Known { holds: self.holds, fails: self.fails, unknown: self.unknown }
    }

    /// The exit status that this leads to.
    pub(super) fn status(&self) -> Status {
        match self {
            tally if tally.fails > 0 || tally.denied => Status::Fails,
            tally if tally.unknown > 0 || tally.stopped => Status::Unknown,
            _ => Status::Good,
        }
    }
}

/// Reads a model and its claims, decides them, and shows what was concluded.
pub(super) fn run(job: Job<'_>, shared: Shared<'_>) -> Result<Tally, Failure> {
    let Shared { args, limits, progress, .. } = shared;
    if CheckArgs::is_heap(job.model, &shared.args.heap) {
        return super::heap::run(job, shared);
    }
    // The time for reading counts to the first claim.
    let first = limits.budget();
    progress.say(format!("reading {}", job.model));
    // Standard input cannot be read again.
    let attempt = if job.model == "-" { Attempt::Failed } else { Attempt::May };
    let mut inputs = load::inputs(job, args, attempt, &first)?;
    if let Some(space) = inputs.space.take() {
        match demand::run(space, &mut inputs, shared, &first)? {
            Some(tally) => return Ok(tally),
            None => inputs = load::inputs(job, args, Attempt::Failed, &first)?,
        }
    }
    if let (true, Ok(machine)) = (args.certify, &inputs.machine) {
        let said = vocabulary::propositions(&inputs.claims);
        let words = inputs.vocabulary.as_deref();
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        certification::check_copies(machine, words, &said, &first).map_err(wrong_copies)?;
    }
    if let (Ok(machine), Some(rule)) = (&mut inputs.machine, args.deadlock) {
        let rule = match rule {
            Deadlock::Loop => DeadEndRule::Loop,
            Deadlock::Error => DeadEndRule::Error,
        };
        *machine = std::mem::take(machine).with_dead_end_rule(rule);
    }
    if args.top_level
        && let Ok(machine) = &inputs.machine
    {
        if machine.is_abstract() {
            return Err(Failure::abstract_top_level());
        }
        inputs.machine = tern_engine::top_level(machine, &first);
    }
    let run = Run::new(shared, &inputs);
    let explored = inputs.machine.as_ref().map_err(|&limit| limit).and_then(|machine| {
        progress.say("exploring the model".to_owned());
        Session::new(machine, &first)
    });
    match explored {
        Ok(session) => {
            let found = run.look_around(session.machine(), session.survey())?;
            run.decide(&session, found, &first)
        }
        Err(limit) => run.give_up(limit),
    }
}

fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// What the parts of the work on one model share.
pub(super) struct Run<'a> {
    pub(super) shared: Shared<'a>,
    pub(super) inputs: &'a Inputs,
    /// The effort that explanations for a page may still take.
    pub(super) effort: AtomicU64,
}

impl<'a> Run<'a> {
    /// The claims of a model that was read.
    pub(super) fn new(shared: Shared<'a>, inputs: &'a Inputs) -> Self {
        Run { shared, inputs, effort: AtomicU64::new(explain::EFFORT_OF_A_PAGE) }
    }

    /// Finds what to warn of, or that the model must be refused.
    fn look_around(&self, machine: &Machine, survey: &Survey) -> Result<Vec<Found<'a>>, Failure> {
        let Inputs { model, .. } = self.inputs;
        if machine.dead_end_rule() == DeadEndRule::Error
            && let Some(wrong) = warnings::refuse_dead_ends(model, machine, survey)
        {
            return Err(Failure::Input(vec![wrong]));
        }
        let mut found = warnings::unknown_labels(machine, self.inputs);
        found.extend(warnings::of_model(self.inputs));
        found.extend(warnings::without_start(self.inputs));
        found.extend(warnings::dead_ends(machine, survey));
        found.retain(|found| !self.allows(found.code()));
        Ok(found)
    }

    /// Whether nothing is to be said of a warning.
    pub(super) fn allows(&self, code: &str) -> bool {
        codes::is_named(&self.shared.args.allow, code)
    }

    /// Decides all claims, or those up to the first that fails if that is enough.
    fn decide(
        &self,
        session: &Session<'_>,
        mut found: Vec<Found<'a>>,
        first: &Budget,
    ) -> Result<Tally, Failure> {
        let Shared { args, output, .. } = self.shared;
        output.warnings(self.inputs, &found)?;
        let claims = &self.inputs.claims;
        let threads = match args.engine.0 {
            Some(engine) if engine.sequential => 1,
            _ => args.threads.map_or_else(default_threads, NonZero::get),
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Failure::Output(io::Error::other(error)))?;
        let budget = |i| if i == 0 { first.clone() } else { self.shared.limits.budget() };
        let decide = |((i, claim), decided): ((usize, &Claim), Option<Answer>)| {
            decided.unwrap_or_else(|| self.answer(session, i, claim, &budget(i)))
        };
        let mut answers: Vec<Answer> = Vec::with_capacity(claims.list().len());
        'all: for ahead in claims.list().chunks(CLAIMS_TOGETHER) {
            let before = answers.len();
            let budget = |i| budget(before + i);
            let together =
                || session.decide_together(&claims.formulas, ahead, &self.options(), &budget);
            let mut next = (before..).zip(ahead).zip(pool.install(together)).peekable();
            // Part by part, so that verdicts are seen as they come, in the order of the claims.
            while next.peek().is_some() {
                let begin = answers.len();
                let part: Vec<_> = next.by_ref().take(threads * CLAIMS_A_THREAD).collect();
                let decided: Vec<Answer> =
                    pool.install(|| part.into_par_iter().map(decide).collect());
                answers.extend(decided);
                if self.present(session, &mut answers, begin, &mut found)? {
                    break 'all;
                }
            }
        }
        self.conclude(Some(session.machine()), None, &found, &answers)
    }

    /// Explains and shows the answers from `begin` on, and keeps of them what is printed at the
    /// end. Says whether that was enough.
    fn present(
        &self,
        session: &Session<'_>,
        answers: &mut Vec<Answer>,
        begin: usize,
        found: &mut Vec<Found<'a>>,
    ) -> Result<bool, Failure> {
        let Shared { args, output, .. } = self.shared;
        let machine = session.machine();
        if let (Some(path), 0) = (&args.dot, begin) {
            self.write_graph(path, machine, answers.first())?;
        }
        let fails = |answer: &Answer| answer.outcome.verdict == Verdict::Fails;
        let failed = answers[begin..].iter().position(fails).filter(|_| args.fail_fast);
        if let Some(last) = failed {
            answers.truncate(begin + last + 1);
        }
        let known = found.len();
        self.explain(session, answers, begin, found);
        output.warnings(self.inputs, &found[known..])?;
        for (i, answer) in answers.iter_mut().enumerate().skip(begin) {
            output.answer(self.inputs, Some(machine), i, answer)?;
            if !args.keeps_runs() {
                answer.outcome.stories.clear();
            }
        }
        Ok(failed.is_some())
    }

    /// How to decide claims, and what else to give.
    pub(super) fn options(&self) -> Options {
        let args = self.shared.args;
        Options {
            engine: args.engine.0,
            evidence: args.evidence || args.certify,
            regions: args.regions,
            runs: (args.wants_runs() || args.dot.is_some()).then_some(args.max_steps),
            seed: args.seed.unwrap_or_default(),
            shuffle: args.shuffle,
        }
    }

    /// Decides one claim, with all that is asked for.
    fn answer(
        &self,
        session: &Session<'_>,
        index: usize,
        claim: &Claim,
        budget: &Budget,
    ) -> Answer {
        let Shared { args, progress, .. } = self.shared;
        let Claims { formulas, .. } = &self.inputs.claims;
        let count = self.inputs.claims.list().len();
        progress.say(format!("deciding claim {} of {count}", index + 1));
        if let Err(limit) = budget.check() {
            return self.not_begun(limit);
        }
        let answer = session.decide(formulas, claim, &self.options(), budget);
        if !args.certify {
            return answer;
        }
        progress.say(format!("certifying claim {} of {count}", index + 1));
        session.certified(formulas, claim, answer, budget)
    }

    /// Calls all claims unknown, because a limit was reached before the first was begun.
    fn give_up(&self, limit: Limit) -> Result<Tally, Failure> {
        let mut answers: Vec<_> =
            self.inputs.claims.list().iter().map(|_| self.not_begun(limit)).collect();
        for (i, answer) in answers.iter_mut().enumerate() {
            self.shared.output.answer(self.inputs, None, i, answer)?;
        }
        let tally = self.conclude(self.inputs.machine.as_ref().ok(), Some(limit), &[], &answers)?;
        Ok(Tally { stopped: true, ..tally })
    }

    fn not_begun(&self, limit: Limit) -> Answer {
        let verdict = Verdict::Unknown(Gap::Limit(limit));
        let engine = self.shared.args.engine.name();
        Outcome { engine, ..Outcome::from(verdict) }.into()
    }

    /// Prints what is printed at the end, and says how it went.
    pub(super) fn conclude(
        &self,
        machine: Option<&Machine>,
        stopped: Option<Limit>,
        found: &[Found<'_>],
        answers: &[Answer],
    ) -> Result<Tally, Failure> {
        let Shared { args, output, .. } = self.shared;
        let reason = stopped.map(|limit| match machine {
            Some(_) => format!("the model was read but not explored: {limit}"),
            None => format!("the model was not read: {limit}"),
        });
        output.end(self.inputs, machine, reason.as_deref(), found, answers)?;
        let denied: BTreeSet<&str> = found
            .iter()
            .map(Found::code)
            .filter(|code| codes::is_named(&args.deny, code))
            .collect();
        if !denied.is_empty() {
            let codes: Vec<&str> = denied.iter().copied().collect();
            let (warnings, are) =
                if codes.len() == 1 { ("warning", "is") } else { ("warnings", "are") };
            output.note(&format!("the {warnings} {} {are} denied\n", codes.join(", ")));
        }
        let left_out = self.inputs.claims.list().len() - answers.len();
        Ok(Tally { denied: !denied.is_empty(), left_out, ..Tally::of(answers) })
    }

    /// Writes the machine as a graph, with the run that the answer to the first claim tells of.
    fn write_graph(
        &self,
        path: &Path,
        machine: &Machine,
        answer: Option<&Answer>,
    ) -> Result<(), Failure> {
        let Claims { formulas, .. } = &self.inputs.claims;
        let first = self.inputs.claims.list().first();
        let atoms = first.map_or_else(Vec::new, |claim| claim.property.atoms(formulas));
        let labels: Vec<&str> = atoms.into_iter().map(|atom| formulas.atom_name(atom)).collect();
        let example = answer.and_then(|answer| answer.meaning.example.as_ref());
        let example = example.map(|example| (Property::Formula(example.claim), example));
        let mut traces = Vec::new();
        if let (Some(claim), Some(answer)) = (first, answer) {
            traces.extend(Trace::all(machine, formulas, &claim.property, &answer.outcome));
        }
        if let Some((claim, Example { formulas, outcome, .. })) = &example {
            traces.extend(Trace::all(machine, formulas, claim, outcome));
        }
        let used = Used::by_traces(machine, traces.iter().map(|(_, trace)| trace));
        let mut graph = String::new();
        dot::write(&mut graph, machine, &labels, &used, None).expect("a string takes all text");
        if graph_is_printed(self.shared.args) {
            return self.shared.output.print_graph(&graph);
        }
        write_whole(path, graph.as_bytes())
    }
}

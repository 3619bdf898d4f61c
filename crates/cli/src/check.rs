//! `tern check`: decides claims on a model and prints what was concluded.

use crate::args::{CheckArgs, Deadlock, Witness};
use crate::codes;
use crate::convert::write_whole;
use crate::failure::{self, Failure, Status};
use crate::limits::Limits;
use crate::load::{self, Inputs};
use crate::progress::Progress;
use crate::terminal::Terminal;
use crate::warnings::{self, Found};
use rayon::prelude::*;
use std::io;
use std::num::NonZero;
use std::path::Path;
use tern::Session;
use tern_engine::{ENGINES, Engine, Options, Setting, Survey};
use tern_front::Source;
use tern_model::{Answer, Example, Meaning, Property};
use tern_model::{Budget, Claim, Claims, DeadEndRule, Gap, Limit, Machine, Outcome, Verdict};
use tern_record::json;
use tern_record::trace::Trace;
use tern_report::story::Length;
use tern_report::{Palette, dot, text};

/// Runs the subcommand.
pub(crate) fn run(args: &CheckArgs, terminal: &Terminal) -> Result<Status, Failure> {
    if args.json && graph_is_printed(args) {
        return Err(Failure::Usage {
            message: "--json and --dot - both write to standard output".to_owned(),
            hint: "name a file for the graph: --dot FILE".to_owned(),
        });
    }
    refuse_idle_settings(args)?;
    let limits = Limits::new(args.timeout, args.memory);
    limits.heed_interrupts();
    let progress = Progress::start(!args.quiet && !args.json);
    // Reading takes from the time of the first claim.
    let first = limits.budget();
    progress.say(format!("reading {}", args.model));
    let mut inputs = load::inputs(args, &first)?;
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
        inputs.machine = tern_engine::top_level(machine, &first);
    }
    let run = Run { args, terminal, inputs: &inputs, limits: &limits, progress: &progress };
    let explored = inputs.machine.as_ref().map_err(|&limit| limit).and_then(|machine| {
        progress.say("exploring the model".to_owned());
        Session::new(machine, &first)
    });
    match explored {
        Ok(session) => {
            let found = run.look_around(session.machine(), session.survey())?;
            run.decide(&session, &found, &first)
        }
        Err(limit) => run.give_up(limit),
    }
}

/// Refuses settings that the engine does not read.
fn refuse_idle_settings(args: &CheckArgs) -> Result<(), Failure> {
    let given = [
        ("--seed", args.seed.is_some(), Setting::Seed),
        ("--shuffle", args.shuffle.is_some(), Setting::Shuffle),
    ];
    for (option, is_given, setting) in given {
        let reads = |engine: &&Engine| engine.reads(setting);
        if is_given && !args.engine.0.is_some_and(|engine| reads(&engine)) {
            let readers = ENGINES.into_iter().filter(reads).map(|engine| engine.name);
            let readers = readers.collect::<Vec<_>>().join(" or ");
            return Err(Failure::Usage {
                message: format!(
                    "{option} changes nothing for the engine `{}`",
                    args.engine.name()
                ),
                hint: format!("it is read by the engine {readers}: --engine {readers}"),
            });
        }
    }
    Ok(())
}

/// How many claims each thread takes before the verdicts are printed.
const CLAIMS_A_THREAD: usize = 8;
/// How many claims are looked at for those that take less together. The number does not depend on
/// the threads, so that counts of work do not.
const CLAIMS_TOGETHER: usize = 1024;

/// How many claims that fail are explained though nobody asked.
const MOST_TOLD: usize = 10;
/// The longest run that is found for such an explanation.
const LONGEST_TOLD: usize = 1_000;
/// How often the budget may be looked at for such an explanation, whatever the decision took; and
/// how many edges of the decision are worth another look.
const LEAST_EFFORT: u64 = 300;
const EDGES_A_LOOK: u64 = 4096;

fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// Whether the graph goes to standard output, and verdicts give way to it.
fn graph_is_printed(args: &CheckArgs) -> bool {
    args.dot.as_deref() == Some(Path::new("-"))
}

/// Writes the machine as a graph, with the run that the answer to the first claim tells of.
fn write_graph(
    path: &Path,
    terminal: &Terminal,
    machine: &Machine,
    inputs: &Inputs,
    answer: Option<&Answer>,
) -> Result<(), Failure> {
    let Claims { formulas, .. } = &inputs.claims;
    let first = inputs.claims.list().first();
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
    let traces: Vec<Trace<'_>> = traces.into_iter().map(|(_, trace)| trace).collect();
    let mut graph = String::new();
    dot::write(&mut graph, machine, &labels, &traces).expect("a string takes all text");
    if path == Path::new("-") {
        return terminal.print(&graph);
    }
    write_whole(path, graph.as_bytes())
        .map_err(|cause| Failure::File(path.display().to_string(), cause))
}

/// What the parts of a run share.
struct Run<'a> {
    args: &'a CheckArgs,
    terminal: &'a Terminal,
    inputs: &'a Inputs,
    limits: &'a Limits,
    progress: &'a Progress,
}

impl Run<'_> {
    /// Finds what to warn of, or that the model must be refused.
    fn look_around(&self, machine: &Machine, survey: &Survey) -> Result<Vec<Found<'_>>, Failure> {
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
        found.retain(|found| !codes::is_named(&self.args.allow, found.code()));
        Ok(found)
    }

    /// Decides all claims. Text is printed as it comes, JSON at the end.
    fn decide(
        &self,
        session: &Session<'_>,
        found: &[Found<'_>],
        first: &Budget,
    ) -> Result<Status, Failure> {
        let Run { args, terminal, inputs, progress, .. } = *self;
        progress.aside(|| warnings::show(found, &Source::new(&inputs.model, ""), terminal));
        let machine = session.machine();
        let claims = &inputs.claims;
        let threads = match args.engine.0 {
            Some(engine) if engine.sequential => 1,
            _ => args.threads.map_or_else(default_threads, NonZero::get),
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Failure::Output(io::Error::other(error)))?;
        let budget = |i| if i == 0 { first.clone() } else { self.limits.budget() };
        let decide = |((i, claim), decided): ((usize, &Claim), Option<Answer>)| {
            decided.unwrap_or_else(|| self.answer(session, i, claim, &budget(i)))
        };
        let mut answers: Vec<Answer> = Vec::with_capacity(claims.list().len());
        for ahead in claims.list().chunks(CLAIMS_TOGETHER) {
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
                self.present(session, &mut answers, begin)?;
            }
        }
        self.conclude(Some(machine), None, found, &answers)
    }

    /// Shows the answers from `begin` on, and keeps of them what is printed at the end.
    fn present(
        &self,
        session: &Session<'_>,
        answers: &mut [Answer],
        begin: usize,
    ) -> Result<(), Failure> {
        let Run { args, terminal, inputs, .. } = *self;
        let machine = session.machine();
        if let (Some(path), 0) = (&args.dot, begin) {
            write_graph(path, terminal, machine, inputs, answers.first())?;
        }
        let fails = |answer: &&Answer| answer.outcome.verdict == Verdict::Fails;
        let mut told = answers[..begin].iter().filter(fails).take(MOST_TOLD).count();
        for (i, answer) in answers.iter_mut().enumerate().skip(begin) {
            if args.witness.is_none() {
                answer.outcome.stories.clear();
                answer.meaning = Meaning::default();
                if fails(&&*answer) && told < MOST_TOLD && !args.quiet && !args.json {
                    told += 1;
                    self.tell(session, &inputs.claims.list()[i], answer);
                }
            }
            self.show(Some(machine), i, answer)?;
            if args.witness.is_none() {
                answer.outcome.stories.clear();
            }
        }
        Ok(())
    }

    /// Adds a run to an answer that nobody asked to explain, if that takes about as little as the
    /// decision did. The effort is counted, so that the same is shown at every run.
    fn tell(&self, session: &Session<'_>, claim: &Claim, answer: &mut Answer) {
        let effort = LEAST_EFFORT + answer.outcome.stats.edges / EDGES_A_LOOK;
        let budget = self.limits.budget().with_effort(effort);
        let runs = Some(self.args.max_steps.min(LONGEST_TOLD));
        let options = Options { runs, evidence: false, regions: false, ..self.options() };
        let explained = session.decide(&self.inputs.claims.formulas, claim, &options, &budget);
        if explained.outcome.verdict == answer.outcome.verdict {
            answer.outcome.stories = explained.outcome.stories;
            // The run may begin at another initial node than the one that was found first.
            answer.outcome.culprit = explained.outcome.culprit;
        }
    }

    /// How to decide claims, and what else to give.
    fn options(&self) -> Options {
        let args = self.args;
        Options {
            engine: args.engine.0,
            evidence: args.evidence || args.certify,
            regions: args.regions,
            runs: (args.witness.is_some() || args.dot.is_some()).then_some(args.max_steps),
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
        let Run { args, progress, .. } = *self;
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
    fn give_up(&self, limit: Limit) -> Result<Status, Failure> {
        let answers: Vec<_> =
            self.inputs.claims.list().iter().map(|_| self.not_begun(limit)).collect();
        for (i, answer) in answers.iter().enumerate() {
            self.show(None, i, answer)?;
        }
        self.conclude(self.inputs.machine.as_ref().ok(), Some(limit), &[], &answers)?;
        Ok(Status::Unknown)
    }

    fn not_begun(&self, limit: Limit) -> Answer {
        let verdict = Verdict::Unknown(Gap::Limit(limit));
        let outcome = Outcome { engine: self.args.engine.name(), ..Outcome::from(verdict) };
        outcome.into()
    }

    /// Prints one answer, unless JSON is printed at the end.
    fn show(
        &self,
        machine: Option<&Machine>,
        index: usize,
        answer: &Answer,
    ) -> Result<(), Failure> {
        let Inputs { claims, .. } = self.inputs;
        let claim = &claims.list()[index];
        if let Verdict::Unknown(Gap::Refused(why)) = &answer.outcome.verdict {
            let formula = claim.property.show(&claims.formulas);
            let cause = format!("the evidence for `{formula}` was refused: {why}");
            self.progress.aside(|| self.terminal.complain(&failure::fault(&cause)));
        }
        if self.args.json {
            return Ok(());
        }
        let detail = text::Detail {
            quiet: self.args.quiet,
            stats: self.args.stats,
            length: match self.args.witness {
                Some(Witness::Full) => Length::Full,
                Some(Witness::Short) => Length::Folded,
                None => Length::Brief,
            },
            points_to_runs: self.args.witness.is_none(),
            top_level: self.args.top_level,
            palette: self.palette(),
        };
        let mut lines = String::new();
        text::answer(&mut lines, machine, &claims.formulas, claim, answer, detail)
            .expect("a string takes all text");
        self.print(&lines)
    }

    /// Prints text for people.
    fn print(&self, text: &str) -> Result<(), Failure> {
        self.progress.aside(|| {
            if graph_is_printed(self.args) {
                self.terminal.complain(text);
                return Ok(());
            }
            self.terminal.print(text)
        })
    }

    fn palette(&self) -> Palette {
        if graph_is_printed(self.args) { self.terminal.err } else { self.terminal.out }
    }

    /// Prints what is printed at the end, and says how it went.
    fn conclude(
        &self,
        machine: Option<&Machine>,
        stopped: Option<Limit>,
        found: &[Found<'_>],
        answers: &[Answer],
    ) -> Result<Status, Failure> {
        let Run { args, inputs, .. } = *self;
        let reason = stopped.map(|limit| match machine {
            Some(_) => format!("the model was read but not explored: {limit}"),
            None => format!("the model was not read: {limit}"),
        });
        let verdicts = answers.iter().map(|answer| &answer.outcome.verdict);
        if args.json {
            let warnings: Vec<_> = found.iter().map(Found::json).collect();
            let results = json::Results {
                version: env!("CARGO_PKG_VERSION"),
                model: &inputs.model,
                top_level: args.top_level,
                machine,
                reason: reason.as_deref(),
                warnings: &warnings,
                claims: &inputs.claims,
                answers,
            };
            json::write(&mut io::stdout().lock(), &results).map_err(Failure::Output)?;
        } else if let (true, Some(reason)) = (answers.is_empty(), &reason) {
            let Palette { warning, reset, .. } = self.palette();
            self.print(&format!("{warning}unknown{reset}  {reason}\n"))?;
        } else if answers.len() > 1 && !args.quiet {
            self.print(&format!("\n{}\n", text::summary(verdicts.clone())))?;
        }
        let denied: Vec<&str> = found.iter().map(Found::code).collect();
        let denied = denied.into_iter().find(|code| codes::is_named(&args.deny, code));
        match denied {
            Some(code) => {
                self.terminal.complain(&format!("the warning {code} is denied\n"));
                Ok(Status::Fails)
            }
            None => Ok(Status::of(verdicts)),
        }
    }
}

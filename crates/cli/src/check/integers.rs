//! Claims about integer programs in C: read, decided, and shown.
//!
//! [`reading`] reads programs, [`svcomp`] tasks of the competition on software verification;
//! [`deciding`] decides claims, [`beyond`] those that CTL cannot say; [`replayed`] looks at what
//! fails once more, and [`walked`] finds a run of it where the analysis tells none; [`states`] has
//! evidence by listed states; [`shown`] and [`told`] say what was found.
//! [`summary`] is `tern info`.

mod beyond;
mod deciding;
mod preprocess;
mod reading;
mod replayed;
mod shown;
pub(crate) mod states;
pub(crate) mod summary;
mod svcomp;
mod told;
mod walked;

use super::one::Tally;
use super::{Job, Shared};
use crate::args::{Analysis, CheckArgs, JsonForm};
use crate::certify::Stop;
use crate::failure::Failure;
use crate::load;
use crate::reading::ReadingArgs;
use beyond::Star;
pub(crate) use reading::{Code, is_program, read_code, refuse_precondition, refuse_settings};
use std::time::Instant;
use svcomp::Competition;
use tern_front::{Problem, Source, Wrong};
use tern_ir::flow::Flow;
use tern_model::logic::ctl::{self, Program};
use tern_model::{Budget, Claims, FormulaId};
use tern_numeric::check::{Decision, Verdict, Wants, Why};
use tern_numeric::invariant::Templates;
use tern_numeric::prove::Gap;
use tern_program::c::claim::{self, Meanings};
use tern_program::c::story::Told;
use tern_record::integers::read_states;
use told::View;

/// What is known of a claim beside the verdict.
#[derive(Default)]
struct Beside {
    /// Whether an interpreter that shares nothing with the analysis confirms that it fails.
    replayed: bool,
    /// Whether it finds the run that is told, though that may not show all of the reason.
    followed: bool,
    /// The run by which it fails.
    told: Vec<Told>,
    /// Evidence by listed states, if there is none by cells.
    states: Option<serde_json::Value>,
    /// What the certifier said, and how long it took.
    certified: Option<(bool, f64)>,
    /// What was asked for and is not there.
    missing: Vec<String>,
    /// The claim of CTL that decided it, or what else did, if it is not the analysis of itself.
    by: Option<String>,
    seconds: f64,
}

/// A claim as it is decided.
struct Question {
    /// Its normal form; if CTL cannot say it, that of a claim which implies it.
    program: Program,
    /// What its propositions mean.
    meanings: Meanings,
    /// What else there is if CTL cannot say it.
    star: Option<Star>,
}

/// A program with its claims.
struct Task {
    code: Code,
    /// How it was read.
    reading: ReadingArgs,
    claims: Claims,
    /// What is asked, for each claim.
    questions: Vec<Question>,
    /// The task of a competition that this is.
    competition: Option<Competition>,
}

/// Reads a program and claims, decides them, and shows what was concluded.
pub(super) fn run(job: Job<'_>, shared: Shared<'_>) -> Result<Tally, Failure> {
    let Shared { args, limits, progress, output } = shared;
    refuse_options(args)?;
    let first = limits.budget();
    progress.say(format!("reading {}", job.model));
    let task = read(job, args, &first)?;
    let mut tally = Tally::default();
    let (mut results, mut partitions) = (Vec::new(), Vec::new());
    for index in 0..task.questions.len() {
        progress.say(format!("deciding claim {} of {}", index + 1, task.questions.len()));
        let budget = if index == 0 { first.clone() } else { limits.budget() };
        let begin = Instant::now();
        let (mut decision, mut beside) = task.decide(index, args, &budget);
        beside.seconds = begin.elapsed().as_secs_f64();
        if args.certify {
            progress.say(format!("certifying claim {} of {}", index + 1, task.questions.len()));
        }
        let wanted = (args.evidence || args.certify, args.certify);
        task.look_at_evidence(index, wanted, &mut decision, &mut beside, &budget);
        match decision.verdict {
            Verdict::Holds => tally.holds += 1,
            Verdict::Fails { .. } => tally.fails += 1,
            Verdict::Unknown(_) => tally.unknown += 1,
        }
        if args.json.is_none() {
            output.print(&task.text(index, &decision, &beside, args, output.palette()))?;
        }
        results.push(task.json(index, &decision, &beside, args));
        partitions.push(args.html.as_ref().and_then(|_| task.partition(index, &decision)));
        if args.fail_fast && matches!(decision.verdict, Verdict::Fails { .. }) {
            tally.left_out = task.questions.len() - index - 1;
            break;
        }
    }
    let shown: Vec<_> = results.iter().cloned().zip(partitions).collect();
    output.show_program((&task.code.source, &task.code.flow), &shown, &task.object(&results))?;
    match args.json {
        None => {}
        Some(JsonForm::Object) => {
            let object = task.object(&results);
            output.list_object(|out| write!(out, "{object}"))?;
        }
        Some(JsonForm::Lines) => {
            for result in results {
                output.raw(&format!("{}\n", task.object(&[result])))?;
            }
        }
    }
    Ok(tally)
}

/// Refuses options that mean nothing for integer programs.
fn refuse_options(args: &CheckArgs) -> Result<(), Failure> {
    let given = [
        ("--engine", args.engine.0.is_some() && args.analysis != Some(Analysis::Machine)),
        ("--claim", !args.claim.is_empty()),
        ("--fair", !args.fair.is_empty()),
        ("--compassion", !args.compassion.is_empty()),
        ("--automaton", !args.automaton.is_empty() || !args.automaton_positive.is_empty()),
        ("--top-level", args.top_level),
        ("--deadlock", args.deadlock.is_some()),
        ("--where", args.regions),
        ("--trace", args.trace.is_some()),
        ("--dot", args.dot.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::Usage {
            message: format!("{option} is not there for C programs yet"),
            hint: match *option {
                "--engine" => "engines decide machines: give --analysis machine as well",
                _ => "leave it out; docs/integers.md says what there is",
            }
            .to_owned(),
        }),
    }
}

/// Reads everything, or finds what is wrong. What a task of a competition says is set.
fn read(job: Job<'_>, args: &CheckArgs, budget: &Budget) -> Result<Task, Failure> {
    let mut reading = args.reading.clone();
    let competition = Competition::read(job.model, &mut reading, budget)?;
    let said = competition.as_ref().map_or(&[][..], |it| it.claims.as_slice());
    let program = competition.as_ref().map_or(job.model, |it| it.program.as_str());
    let code = read_code(program, &reading, budget)?;
    let mut claims = load::claims_alone(job, args, said, budget)?;
    let questions = questions(&code, &mut claims, competition.as_ref())?;
    Ok(Task { code, reading, claims, questions, competition })
}

/// The claims in normal form, with what their propositions mean.
fn questions(
    code: &Code,
    claims: &mut Claims,
    competition: Option<&Competition>,
) -> Result<Vec<Question>, Failure> {
    let formulas: Vec<Option<FormulaId>> = claims.list().iter().map(|it| it.formula()).collect();
    let shown: Vec<String> = claims
        .list()
        .iter()
        .map(|claim| claim.property.show(&claims.formulas).to_string())
        .collect();
    let (mut questions, mut found) = (Vec::new(), Vec::new());
    let (count, mut elsewhere) = (formulas.len(), Vec::new());
    for (index, (formula, shown)) in formulas.into_iter().zip(shown).enumerate() {
        let Some(formula) = formula else {
            found.extend(reading::problems(vec![claim::beyond_formulas(&shown)], false));
            continue;
        };
        let (program, star) = match ctl::lower(&claims.formulas, formula) {
            Ok(program) => (program, None),
            Err(_) => {
                let (program, star) = Star::new(&mut claims.formulas, formula);
                (program, Some(star))
            }
        };
        let mut meanings = Meanings::default();
        for program in
            [Some(&program), star.as_ref().map(|star| &star.program)].into_iter().flatten()
        {
            match claim::meanings_by(&code.labels, &code.flow, &claims.formulas, program) {
                Ok(more) => meanings.extend(more),
                Err(wrong) => {
                    for (atom, fault) in wrong {
                        let name = claims.formulas.atom_name(atom);
                        let message = format!("in `{name}` of a claim: {}", fault.message);
                        let hint = match fault.code {
                            "C102" => known_names(code),
                            _ => fault.hint,
                        };
                        let problem = Problem::error(fault.code, message).hint(hint);
                        match competition.and_then(|it| it.place(index, count, name)) {
                            None => found.push(problem),
                            Some((source, at)) => {
                                let problem = match at {
                                    Some(at) => problem.at(at, ""),
                                    None => problem,
                                };
                                elsewhere.push(Wrong { source, problems: vec![problem] });
                            }
                        }
                    }
                    // It is the same in the other.
                    break;
                }
            }
        }
        questions.push(Question { program, meanings, star });
    }
    if !found.is_empty() {
        let source = Source::new(code.source.name.as_str(), "");
        elsewhere.push(Wrong { source, problems: found });
    }
    if elsewhere.is_empty() { Ok(questions) } else { Err(Failure::Input(elsewhere)) }
}

/// What claims about a program may name.
fn known_names(code: &Code) -> String {
    const MOST: usize = 12;
    let variables = code.flow.variables.iter().filter(|name| !name.contains(' '));
    let variables: Vec<String> = variables.map(|name| format!("`{name}`")).collect();
    let labels = format!("the labels `{}`", code.labels.join("`, `"));
    match variables.len() {
        0 => format!("there are {labels}, and no variables"),
        1..=MOST => format!("there are {labels} and the variables {}", variables.join(", ")),
        _ => format!("there are {labels} and the variables {}, …", variables[..MOST].join(", ")),
    }
}

impl Task {
    /// Says what became of the evidence, and lets the certifier look at it if that is asked.
    fn look_at_evidence(
        &self,
        index: usize,
        (wanted, certify): (bool, bool),
        decision: &mut Decision,
        beside: &mut Beside,
        budget: &Budget,
    ) {
        if decision.is_open() || !wanted {
            return;
        }
        let mut by_cells = matches!(decision.proof, Some(Ok(_)));
        if !by_cells {
            beside.states = self.listed_evidence(index, &decision.verdict, budget);
        }
        if !by_cells && beside.states.is_none() {
            by_cells = self.prove_by_intervals(index, decision, budget);
        }
        if !by_cells && beside.states.is_none() {
            beside.missing.push(match (&decision.proof, &beside.by) {
                (Some(Err(Gap::Limit(limit))), _) => format!("no evidence: {limit}"),
                (Some(Err(Gap::NotFound(what))), _) => {
                    format!("no evidence: no reason was found for {what}")
                }
                (_, Some(by)) => format!("no evidence: it was decided by {by}"),
                _ => "no evidence: it was found by trying initial values one by one".to_owned(),
            });
            return;
        }
        if !certify {
            return;
        }
        let begin = Instant::now();
        let mut found = self.certified(index, decision, beside.states.as_ref(), budget);
        if by_cells && matches!(found, Err(Stop::Refused(_))) {
            // Numbers may be too large for it: states that are listed are other evidence.
            beside.states = self.listed_evidence(index, &decision.verdict, budget);
            if beside.states.is_some() {
                decision.proof = None;
                found = self.certified(index, decision, beside.states.as_ref(), budget);
            }
        }
        let seconds = begin.elapsed().as_secs_f64();
        match found {
            Ok(()) => beside.certified = Some((true, seconds)),
            Err(Stop::Limit(limit)) => beside.missing.push(format!("no certification: {limit}")),
            Err(Stop::Refused(why)) => {
                beside.certified = Some((false, seconds));
                beside.missing.push(format!("the certifier refuses the evidence: {why}"));
                let why = Why { limit: None, term: None, point: None, rows: Vec::new() };
                decision.verdict = Verdict::Unknown(why);
                (decision.proof, beside.states) = (None, None);
            }
        }
    }

    /// Looks for evidence of the same verdict by bounds of single variables, whose reasons are
    /// short; says whether there is some.
    fn prove_by_intervals(&self, index: usize, decision: &mut Decision, budget: &Budget) -> bool {
        let Question { program, meanings, star } = &self.questions[index];
        if star.is_some() {
            return false;
        }
        let (templates, evidence) = (Templates::Intervals, true);
        let wants = Wants { templates, evidence, ..Wants::default() };
        let other = claim::answer(&self.code.flow, program, meanings, wants, budget);
        if other.verdict == decision.verdict && matches!(other.proof, Some(Ok(_))) {
            (decision.proof, decision.about) = (other.proof, other.about);
            return true;
        }
        false
    }

    /// What the certifier says of the evidence for a verdict.
    fn certified(
        &self,
        index: usize,
        decision: &Decision,
        states: Option<&serde_json::Value>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let holds = decision.verdict == Verdict::Holds;
        let (claim, formulas) = (&self.claims.list()[index], &self.claims.formulas);
        if let Some(json) = states {
            let flaw = |flaw: tern_record::Flaw| Stop::Refused(flaw.to_string());
            return match read_states(&json.to_string()).map_err(flaw)? {
                Some(read) => states::check(self.asked(), (formulas, claim), holds, &read, budget),
                None => Err(Stop::Refused("it is of another kind".to_owned())),
            };
        }
        let (Some(Ok(proof)), Some(claim)) = (&decision.proof, claim.formula()) else {
            return Err(Stop::Refused("there is none".to_owned()));
        };
        let (flow, propositions) = (&self.code.flow, &self.questions[index].meanings);
        let question = tern_certify::integers::Question { flow, formulas, claim, propositions };
        Ok(tern_certify::integers::check(question, holds, proof, budget)?)
    }

    /// The flow graph that points and edges of a decision are those of.
    fn about<'a>(&'a self, decision: &'a Decision) -> &'a Flow {
        decision.about.as_deref().unwrap_or(&self.code.flow)
    }

    fn view<'a>(&'a self, decision: &'a Decision) -> View<'a> {
        View { variables: &self.about(decision).variables }
    }
}

//! Claims about integer programs in C: read, decided, and shown.

mod told;

use super::{Job, Shared};
use crate::args::{CheckArgs, JsonForm};
use crate::failure::{Failure, Status};
use crate::load::{self, ends_in};
use crate::reading::{AssertionRule, GlobalRule, ReadingArgs};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Instant;
use tern_certify::Stopped;
use tern_front::{Problem, Source, Wrong, input};
use tern_ir::flow::{Flow, Row};
use tern_model::logic::ctl::{self, Program};
use tern_model::{Budget, Claims};
use tern_numeric::check::{Decision, Region, Verdict, Wants, Why};
use tern_numeric::prove::Gap;
use tern_numeric::story::Ending;
use tern_program::c::claim::{self, Meanings};
use tern_program::c::lower::{Settings, lower_within};
use tern_program::c::story::{self, Told};
use tern_program::c::{Fault, explicit, parse, sample, syntax::Unit, t2};
use tern_record::integers::{SCHEMA, write_proof};
use tern_report::{Palette, visible};
use told::View;

/// How many steps are followed of a run if nobody asks for it.
const BRIEF_STEPS: usize = 200;

/// Whether a path names a program rather than a model.
pub(crate) fn is_program(path: &str) -> bool {
    ends_in(path, &["c", "i", "t2"])
}

/// A program.
pub(crate) struct Code {
    pub(crate) source: Source,
    /// The syntax tree and what was set, if it is a program in C.
    source_tree: Option<(Unit, Settings)>,
    /// The labels that claims may name.
    pub(crate) labels: Vec<String>,
    pub(crate) flow: Flow,
}

/// What is known of a claim beside the verdict.
#[derive(Default)]
struct Beside {
    /// Whether an interpreter that shares nothing with the analysis confirms that it fails.
    replayed: bool,
    /// The run by which it fails.
    told: Vec<Told>,
    /// What the certifier said, and how long it took.
    certified: Option<(bool, f64)>,
    /// What was asked for and is not there.
    missing: Vec<String>,
    seconds: f64,
}

/// A program with its claims.
struct Task {
    code: Code,
    claims: Claims,
    /// For each claim, its normal form and what its propositions mean.
    questions: Vec<(Program, Meanings)>,
}

/// Reads a program and claims, decides them, and shows what was concluded.
pub(super) fn run(job: Job<'_>, shared: Shared<'_>) -> Result<Status, Failure> {
    let Shared { args, limits, progress, output } = shared;
    refuse_options(args)?;
    let first = limits.budget();
    progress.say(format!("reading {}", job.model));
    let task = read(job, args, &first)?;
    let mut status = Status::Good;
    let (mut results, mut partitions) = (Vec::new(), Vec::new());
    for (index, (program, meanings)) in task.questions.iter().enumerate() {
        progress.say(format!("deciding claim {} of {}", index + 1, task.questions.len()));
        let budget = if index == 0 { first.clone() } else { limits.budget() };
        let begin = Instant::now();
        let wants = Wants {
            // A page shows the cells of the evidence.
            evidence: args.evidence || args.certify || args.html.is_some(),
            steps: if args.witness.is_some() { args.max_steps } else { BRIEF_STEPS },
            precondition: args.precondition,
        };
        let mut decision = claim::answer(&task.code.flow, program, meanings, wants, &budget);
        task.sample(program, &mut decision, &budget);
        let mut beside = task.replay(index, program, &mut decision);
        beside.seconds = begin.elapsed().as_secs_f64();
        if args.certify {
            progress.say(format!("certifying claim {} of {}", index + 1, task.questions.len()));
        }
        task.look_at_evidence(
            index,
            (args.evidence || args.certify, args.certify),
            &mut decision,
            &mut beside,
            &budget,
        );
        status = status.worse(match decision.verdict {
            Verdict::Holds => Status::Good,
            Verdict::Fails { .. } => Status::Fails,
            Verdict::Unknown(_) => Status::Unknown,
        });
        if args.json.is_none() {
            output.print(&task.text(index, &decision, &beside, args, output.palette()))?;
        }
        results.push(task.json(index, &decision, &beside));
        partitions.push(args.html.as_ref().and_then(|_| task.partition(index, &decision)));
        if args.fail_fast && matches!(decision.verdict, Verdict::Fails { .. }) {
            break;
        }
    }
    let record = task.object(args, &results);
    let shown: Vec<_> = results.iter().cloned().zip(partitions).collect();
    output.show_program(&task.code.source, &shown, &record);
    match args.json {
        None => {}
        Some(JsonForm::Object) => output.raw(&format!("{}\n", task.object(args, &results)))?,
        Some(JsonForm::Lines) => {
            for result in results {
                output.raw(&format!("{}\n", task.object(args, &[result])))?;
            }
        }
    }
    Ok(status)
}

/// Refuses options that mean nothing for integer programs.
fn refuse_options(args: &CheckArgs) -> Result<(), Failure> {
    let given = [
        ("--engine", args.engine.0.is_some()),
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
            hint: "leave it out; docs/integers.md says what there is".to_owned(),
        }),
    }
}

fn problems(faults: Vec<Fault>, places: bool) -> Vec<Problem> {
    let problem = |fault: Fault| {
        let problem = Problem::error(fault.code, fault.message).hint(fault.hint);
        if places { problem.at(fault.span, "") } else { problem }
    };
    faults.into_iter().map(problem).collect()
}

/// Reads everything, or finds what is wrong.
fn read(job: Job<'_>, args: &CheckArgs, budget: &Budget) -> Result<Task, Failure> {
    let code = read_code(job.model, &args.reading, budget)?;
    let claims = load::claims_alone(job, args, budget)?;
    let questions = questions(&code, &claims)?;
    Ok(Task { code, claims, questions })
}

/// Reads a program, or finds what is wrong with it.
pub(crate) fn read_code(
    path: &str,
    reading: &ReadingArgs,
    budget: &Budget,
) -> Result<Code, Failure> {
    let source = input::open(path, budget)
        .map_err(|refusal| load::Stop::new(Source::new(path, ""), refusal))?;
    let text = String::from_utf8_lossy(&source.bytes).into_owned();
    let source = Source { bytes: text.clone().into_bytes(), ..source };
    let wrong = |faults: Vec<Fault>| {
        let problems = problems(faults, true);
        Failure::Input(vec![Wrong { source: source.clone(), problems }])
    };
    if ends_in(path, &["t2"]) {
        refuse_settings(reading)?;
        let flow = t2::read(&text).map_err(wrong)?;
        let labels = vec!["exit".to_owned()];
        return Ok(Code { source, source_tree: None, labels, flow });
    }
    let unit = parse::parse(&text).map_err(wrong)?;
    let mut settings = Settings {
        given: Vec::new(),
        any_globals: reading.globals == Some(GlobalRule::Any),
        assume_assertions: reading.assert == Some(AssertionRule::Assume),
    };
    for given in &reading.given {
        settings.given.push(parse::expression(given).map_err(|faults| {
            let source = Source::new("--given", given.as_str());
            Failure::Input(vec![Wrong { source, problems: problems(faults, true) }])
        })?);
    }
    let flow = lower_within(&unit, &settings, &text, budget).map_err(wrong)?;
    let labels = claim::labels(&unit);
    Ok(Code { source, source_tree: Some((unit, settings)), labels, flow })
}

/// The claims in normal form, with what their propositions mean.
fn questions(code: &Code, claims: &Claims) -> Result<Vec<(Program, Meanings)>, Failure> {
    let Code { source, labels, flow, .. } = code;
    let (mut questions, mut found) = (Vec::new(), Vec::new());
    for claim in claims.list() {
        let shown = claim.property.show(&claims.formulas).to_string();
        let lowered = claim.formula().map(|formula| ctl::lower(&claims.formulas, formula));
        let Some(Ok(program)) = lowered else {
            found.extend(problems(vec![claim::beyond_ctl(&shown)], false));
            continue;
        };
        match claim::meanings_by(labels, flow, &claims.formulas, &program) {
            Ok(meanings) => questions.push((program, meanings)),
            Err(wrong) => {
                for (atom, fault) in wrong {
                    let name = claims.formulas.atom_name(atom);
                    let message = format!("in `{name}` of a claim: {}", fault.message);
                    found.push(Problem::error(fault.code, message).hint(fault.hint));
                }
            }
        }
    }
    if found.is_empty() {
        return Ok(questions);
    }
    let source = Source::new(source.name.as_str(), "");
    Err(Failure::Input(vec![Wrong { source, problems: found }]))
}

impl Task {
    /// Tries single initial values, if the analysis left the claim open.
    fn sample(&self, program: &Program, decision: &mut Decision, budget: &Budget) {
        let Code { source_tree: Some((unit, settings)), flow, .. } = &self.code else { return };
        if matches!(decision.verdict, Verdict::Unknown(_)) {
            let formulas = &self.claims.formulas;
            let found = sample::decide(unit, settings, flow, program, formulas, budget);
            decision.verdict = found.unwrap_or(decision.verdict.clone());
        }
    }

    /// Looks at a failure again, state by state, by code that shares nothing with the analysis.
    /// Says whether that confirms it; where it does not agree, nothing is claimed.
    fn replay(&self, index: usize, program: &Program, decision: &mut Decision) -> Beside {
        let mut beside = Beside::default();
        let Verdict::Fails { point, values } = &decision.verdict else { return beside };
        let Code { source_tree, flow, .. } = &self.code;
        let told = story::unfold(flow, *point, values, &decision.story);
        let named: BTreeMap<String, i128> =
            self.named(values).map(|(name, value)| (name.to_owned(), value)).collect();
        let formulas = &self.claims.formulas;
        let (whole, run) = match source_tree {
            None => (None, None),
            Some((unit, settings)) => (
                explicit::replay(unit, settings, &named, program, formulas),
                story::replay(unit, settings, flow, &told),
            ),
        };
        if whole == Some(true) || run == Some(false) {
            let why = Why { limit: None, term: None, point: None, rows: Vec::new() };
            decision.verdict = Verdict::Unknown(why);
            decision.proof = None;
            return beside;
        }
        beside.replayed = whole == Some(false) || run == Some(true) && self.is_shown(index, &told);
        beside.told = told;
        beside
    }

    /// Whether a run shows by itself that a claim fails: it has come to its end, and no part of it
    /// is about all paths.
    fn is_shown(&self, index: usize, told: &[Told]) -> bool {
        let (program, _) = &self.questions[index];
        let is_path = |part: &Told| matches!(part.ending, Ending::Done | Ending::Loop(_));
        program.temporal_count() == told.len() && told.iter().all(is_path)
    }

    /// Says what became of the evidence, and lets the certifier look at it if that is asked.
    fn look_at_evidence(
        &self,
        index: usize,
        (wanted, certify): (bool, bool),
        decision: &mut Decision,
        beside: &mut Beside,
        budget: &Budget,
    ) {
        let proof = match &decision.proof {
            None => {
                if wanted && !matches!(decision.verdict, Verdict::Unknown(_)) {
                    let why = "no evidence: it was found by trying initial values one by one";
                    beside.missing.push(why.to_owned());
                }
                return;
            }
            Some(Ok(proof)) => proof,
            Some(Err(gap)) => {
                beside.missing.push(match gap {
                    Gap::Limit(limit) => format!("no evidence: {limit}"),
                    Gap::NotFound(what) => format!("no evidence: no reason was found for {what}"),
                });
                return;
            }
        };
        let Some(claim) = self.claims.list()[index].formula() else { return };
        if !certify {
            return;
        }
        let begin = Instant::now();
        let (flow, propositions) = (&self.code.flow, &self.questions[index].1);
        let formulas = &self.claims.formulas;
        let question = tern_certify::integers::Question { flow, formulas, claim, propositions };
        let holds = decision.verdict == Verdict::Holds;
        let found = tern_certify::integers::check(question, holds, proof, budget);
        let seconds = begin.elapsed().as_secs_f64();
        match found {
            Ok(()) => beside.certified = Some((true, seconds)),
            Err(Stopped::Limit(limit)) => beside.missing.push(format!("no certification: {limit}")),
            Err(Stopped::Refused(why)) => {
                beside.certified = Some((false, seconds));
                beside.missing.push(format!("the certifier refuses the evidence: {why}"));
                let why = Why { limit: None, term: None, point: None, rows: Vec::new() };
                decision.verdict = Verdict::Unknown(why);
                decision.proof = None;
            }
        }
    }

    fn view(&self, index: usize) -> View<'_> {
        let (flow, formulas) = (&self.code.flow, &self.claims.formulas);
        View { flow, program: &self.questions[index].0, formulas }
    }

    /// For which initial values a claim holds, or fails, as far as that is known.
    fn precondition(&self, regions: &[Region], holds: bool) -> Option<String> {
        let visible = |row: &&Row| {
            let variables = row.affine().terms.iter().filter_map(|term| term.0.as_variable());
            variables.map(|it| &self.code.flow.variables[it]).all(|name| !name.contains(' '))
        };
        let mut cases = Vec::new();
        for region in regions.iter().filter(|region| region.holds == Some(holds)) {
            // A row about what has no name cannot be left out of a condition that suffices.
            let rows: Vec<&Row> = region.rows.iter().filter(visible).collect();
            if rows.len() == region.rows.len() {
                let shown = rows.iter().map(|row| self.code.flow.show(row));
                cases.push(shown.collect::<Vec<_>>().join(" && "));
            }
        }
        if cases.iter().any(String::is_empty) {
            return Some("true".to_owned());
        }
        (!cases.is_empty()).then(|| cases.join(" || "))
    }

    /// The cells that a claim was decided by, for the page.
    fn partition(&self, index: usize, decision: &Decision) -> Option<Value> {
        let Some(Ok(proof)) = &decision.proof else { return None };
        let (_, meanings) = &self.questions[index];
        let show = |term| claim::show(&proof.claim, term, &self.claims.formulas);
        tern_report::html::partition(&self.code.flow, meanings, proof, show)
    }

    fn shown(&self, index: usize) -> String {
        self.claims.list()[index].property.show(&self.claims.formulas).to_string()
    }

    /// The values of the variables that claims can name.
    fn named<'a>(&'a self, values: &'a [i128]) -> impl Iterator<Item = (&'a str, i128)> {
        let all = self.code.flow.variables.iter().map(String::as_str).zip(values.iter().copied());
        all.filter(|(name, _)| !name.contains(' '))
    }

    /// The lines for people.
    fn text(
        &self,
        index: usize,
        decision: &Decision,
        beside: &Beside,
        args: &CheckArgs,
        palette: Palette,
    ) -> String {
        let Palette { good, bad, warning, dim, reset, .. } = palette;
        let (word, colour) = match &decision.verdict {
            Verdict::Holds if args.quiet => return String::new(),
            Verdict::Holds => ("holds", good),
            Verdict::Fails { .. } => ("fails", bad),
            Verdict::Unknown(_) => ("unknown", warning),
        };
        let title = match &self.claims.list()[index].name {
            Some(name) => format!("{}: ", visible(name)),
            None if self.questions.len() > 1 => format!("{}: ", index + 1),
            None => String::new(),
        };
        let shown = self.shown(index);
        let mut text = format!("{colour}{word:<7}{reset}  {title}{}\n", visible(&shown));
        if args.quiet {
            return text;
        }
        match &decision.verdict {
            Verdict::Holds if decision.starts == 0 => {
                text += &format!(
                    "         {warning}because no initial state fits what is given{reset}\n"
                );
            }
            Verdict::Holds => {}
            Verdict::Fails { point, values } => {
                let line = self.code.flow.points[*point].line;
                let start: Vec<String> =
                    self.named(values).map(|(name, value)| format!("{name} = {value}")).collect();
                let start = if start.is_empty() { "at once".to_owned() } else { start.join(", ") };
                let how = if beside.replayed { "; replayed by an interpreter" } else { "" };
                let _ = writeln!(text, "         from line {line} with {start}{dim}{how}{reset}");
                text += &self.view(index).lines(&beside.told, args.witness);
            }
            Verdict::Unknown(why) => {
                let _ = writeln!(text, "         because: {}", self.reason(index, why, decision));
            }
        }
        if args.stats {
            let Decision { cells, rounds, systems, .. } = decision;
            let _ = writeln!(
                text,
                "         {dim}{cells} cells, {rounds} rounds, {systems} systems of rows{reset}"
            );
        }
        if args.precondition {
            for (word, holds) in [("holds", true), ("fails", false)] {
                let shown = self.precondition(&decision.regions, holds);
                let shown = shown.unwrap_or_else(|| "nothing was found".to_owned());
                let _ = writeln!(text, "         {word} if: {}", visible(&shown));
            }
        }
        for missing in &beside.missing {
            let _ = writeln!(text, "         {warning}{missing}{reset}");
        }
        if let Some((true, seconds)) = beside.certified {
            let took = tern_report::text::duration(seconds);
            let _ = writeln!(text, "         {dim}certified in {took}{reset}");
        }
        text
    }

    /// Why a claim is unknown: a limit, and where what is not known.
    fn reason(&self, index: usize, why: &Why, decision: &Decision) -> String {
        let mut reason = match why.limit {
            Some(limit) => format!("{limit}; "),
            None => String::new(),
        };
        let Some(point) = why.point else {
            let none = "the answer was not confirmed; please report it";
            return reason + if why.limit.is_some() { "the analysis had just begun" } else { none };
        };
        let line = self.code.flow.points[point].line;
        if let Some(term) = why.term {
            let (program, _) = &self.questions[index];
            let _ = write!(reason, "{} ", claim::show(program, term, &self.claims.formulas));
        }
        let _ = write!(reason, "is not known at line {line}");
        let visible_row = |row: &&tern_ir::flow::Row| {
            let variables = row.affine().terms.iter().filter_map(|term| term.0.as_variable());
            variables.map(|it| &self.code.flow.variables[it]).all(|name| !name.contains(' '))
        };
        let flow = &self.code.flow;
        let rows: Vec<String> =
            why.rows.iter().filter(visible_row).take(6).map(|row| flow.show(row)).collect();
        if !rows.is_empty() {
            let _ = write!(reason, " where {}", rows.join(", "));
        }
        let Decision { cells, rounds, .. } = decision;
        let _ =
            write!(reason, "; invariants, ranks and {cells} cells were tried in {rounds} rounds");
        reason
    }

    fn json(&self, index: usize, decision: &Decision, beside: &Beside) -> Value {
        let claim = &self.claims.list()[index];
        let (verdict, reason, start) = match &decision.verdict {
            Verdict::Holds => ("holds", Value::Null, Value::Null),
            Verdict::Fails { point, values } => {
                let named: serde_json::Map<String, Value> = self
                    .named(values)
                    .map(|(name, value)| (name.to_owned(), Value::String(value.to_string())))
                    .collect();
                let line = self.code.flow.points[*point].line;
                ("fails", Value::Null, json!({"line": line, "values": named}))
            }
            Verdict::Unknown(why) => {
                ("unknown", Value::String(self.reason(index, why, decision)), Value::Null)
            }
        };
        json!({
            "claim": self.shown(index),
            "name": claim.name,
            "number": index + 1,
            "verdict": verdict,
            "reason": reason,
            "start": start,
            "replayed": beside.replayed,
            "witness": self.view(index).json(&beside.told),
            "precondition": {
                "holds": self.precondition(&decision.regions, true),
                "fails": self.precondition(&decision.regions, false),
            },
            "missing": beside.missing,
            "certified": beside.certified.map(|it| it.0),
            "evidence": match &decision.proof {
                Some(Ok(proof)) => {
                    write_proof(&self.code.flow, &self.claims.formulas, proof).ok()
                }
                _ => None,
            },
            "stats": {
                "cells": decision.cells,
                "starts": decision.starts,
                "rounds": decision.rounds,
                "systems": decision.systems,
                "seconds": beside.seconds,
                "certifying": beside.certified.map(|it| it.1),
            },
        })
    }

    fn object(&self, args: &CheckArgs, results: &[Value]) -> Value {
        let globals = args.reading.globals.unwrap_or(GlobalRule::Zero);
        let assert = args.reading.assert.unwrap_or(AssertionRule::Fail);
        json!({
            "schema": SCHEMA,
            "tern": env!("CARGO_PKG_VERSION"),
            "program": self.code.source.name,
            "given": args.reading.given,
            "globals": globals.word(),
            "assert": assert.word(),
            "results": results,
        })
    }
}

/// Refuses the settings of C programs for anything else.
pub(crate) fn refuse_settings(reading: &ReadingArgs) -> Result<(), Failure> {
    let given = [
        ("--given", !reading.given.is_empty(), "C programs, and methods of Java programs"),
        ("--globals", reading.globals.is_some(), "C programs"),
        ("--assert", reading.assert.is_some(), "C programs"),
    ];
    match given.iter().find(|(_, is_given, _)| *is_given) {
        None => Ok(()),
        Some((option, _, what)) => Err(Failure::Usage {
            message: format!("{option} is for {what}"),
            hint: "leave it out".to_owned(),
        }),
    }
}

/// Refuses `--precondition` for anything else.
pub(super) fn refuse_precondition(args: &CheckArgs) -> Result<(), Failure> {
    match args.precondition {
        false => Ok(()),
        true => Err(Failure::Usage {
            message: "--precondition is for C programs".to_owned(),
            hint: "leave it out".to_owned(),
        }),
    }
}

//! Claims about integer programs in C: read, decided, and shown.

use super::{Job, Shared};
use crate::args::{CheckArgs, JsonForm};
use crate::failure::{Failure, Status};
use crate::load::{self, ends_in};
use crate::reading::{AssertionRule, GlobalRule};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Instant;
use tern_front::{Problem, Source, Wrong, input};
use tern_ir::flow::Flow;
use tern_model::logic::ctl::{self, Program};
use tern_model::{Budget, Claims};
use tern_numeric::check::{Decision, Verdict, Why};
use tern_program::c::claim::{self, Meanings};
use tern_program::c::lower::{Settings, lower};
use tern_program::c::{Fault, explicit, parse, syntax::Unit};
use tern_report::{Palette, visible};

/// The schema of results on integer programs.
const SCHEMA: &str = "tern-integers/1";

/// Whether a path names a program rather than a model.
pub(super) fn is_program(path: &str) -> bool {
    ends_in(path, &["c", "i"])
}

/// A program with its claims.
struct Task {
    source: Source,
    unit: Unit,
    settings: Settings,
    flow: Flow,
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
    let mut results = Vec::new();
    for (index, (program, meanings)) in task.questions.iter().enumerate() {
        progress.say(format!("deciding claim {} of {}", index + 1, task.questions.len()));
        let budget = if index == 0 { first.clone() } else { limits.budget() };
        let begin = Instant::now();
        let mut decision = claim::check(&task.flow, program, meanings, &budget);
        let replayed = task.replay(program, &mut decision);
        let seconds = begin.elapsed().as_secs_f64();
        status = status.worse(match decision.verdict {
            Verdict::Holds => Status::Good,
            Verdict::Fails { .. } => Status::Fails,
            Verdict::Unknown(_) => Status::Unknown,
        });
        match args.json {
            None => output.print(&task.text(index, &decision, replayed, args, output.palette()))?,
            Some(_) => results.push(task.json(index, &decision, replayed, seconds)),
        }
        if args.fail_fast && matches!(decision.verdict, Verdict::Fails { .. }) {
            break;
        }
    }
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
        ("--witness", args.witness.is_some()),
        ("--trace", args.trace.is_some()),
        ("--dot", args.dot.is_some()),
        ("--evidence", args.evidence),
        ("--certify", args.certify),
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
    let source = input::open(job.model, budget)
        .map_err(|refusal| load::Stop::new(Source::new(job.model, ""), refusal))?;
    let text = String::from_utf8_lossy(&source.bytes).into_owned();
    let source = Source { bytes: text.clone().into_bytes(), ..source };
    let wrong = |faults: Vec<Fault>| {
        let problems = problems(faults, true);
        Failure::Input(vec![Wrong { source: source.clone(), problems }])
    };
    let unit = parse::parse(&text).map_err(wrong)?;
    let mut settings = Settings {
        given: Vec::new(),
        any_globals: args.reading.globals == Some(GlobalRule::Any),
        assume_assertions: args.reading.assert == Some(AssertionRule::Assume),
    };
    for given in &args.reading.given {
        settings.given.push(parse::expression(given).map_err(|faults| {
            let source = Source::new("--given", given.as_str());
            Failure::Input(vec![Wrong { source, problems: problems(faults, true) }])
        })?);
    }
    let claims = load::claims_alone(job, args, budget)?;
    let flow = lower(&unit, &settings, &text).map_err(wrong)?;
    let questions = questions(&unit, &flow, &claims, &source)?;
    Ok(Task { source, unit, settings, flow, claims, questions })
}

/// The claims in normal form, with what their propositions mean.
fn questions(
    unit: &Unit,
    flow: &Flow,
    claims: &Claims,
    source: &Source,
) -> Result<Vec<(Program, Meanings)>, Failure> {
    let (mut questions, mut found) = (Vec::new(), Vec::new());
    for claim in claims.list() {
        let shown = claim.property.show(&claims.formulas).to_string();
        let lowered = claim.formula().map(|formula| ctl::lower(&claims.formulas, formula));
        let Some(Ok(program)) = lowered else {
            found.extend(problems(vec![claim::beyond_ctl(&shown)], false));
            continue;
        };
        match claim::meanings(unit, flow, &claims.formulas, &program) {
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
    /// Looks at a failure again, state by state, by code that shares nothing with the analysis.
    /// Says whether that confirms it; where it does not agree, nothing is claimed.
    fn replay(&self, program: &Program, decision: &mut Decision) -> bool {
        let Verdict::Fails { values, .. } = &decision.verdict else { return false };
        let values: BTreeMap<String, i128> =
            self.named(values).map(|(name, value)| (name.to_owned(), value)).collect();
        let formulas = &self.claims.formulas;
        match explicit::replay(&self.unit, &self.settings, &values, program, formulas) {
            Some(false) => true,
            None => false,
            Some(true) => {
                let why = Why { limit: None, term: None, point: None, rows: Vec::new() };
                decision.verdict = Verdict::Unknown(why);
                false
            }
        }
    }

    fn shown(&self, index: usize) -> String {
        self.claims.list()[index].property.show(&self.claims.formulas).to_string()
    }

    /// The values of the variables that claims can name.
    fn named<'a>(&'a self, values: &'a [i128]) -> impl Iterator<Item = (&'a str, i128)> {
        let all = self.flow.variables.iter().map(String::as_str).zip(values.iter().copied());
        all.filter(|(name, _)| !name.contains(' '))
    }

    /// The lines for people.
    fn text(
        &self,
        index: usize,
        decision: &Decision,
        replayed: bool,
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
                let line = self.flow.points[*point].line;
                let start: Vec<String> =
                    self.named(values).map(|(name, value)| format!("{name} = {value}")).collect();
                let start = if start.is_empty() { "at once".to_owned() } else { start.join(", ") };
                let how = if replayed { "; replayed by an interpreter" } else { "" };
                let _ = writeln!(text, "         from line {line} with {start}{dim}{how}{reset}");
            }
            Verdict::Unknown(why) => {
                let _ = writeln!(text, "         because: {}", self.reason(index, why));
            }
        }
        if args.stats {
            let Decision { cells, rounds, systems, .. } = decision;
            let _ = writeln!(
                text,
                "         {dim}{cells} cells, {rounds} rounds, {systems} systems of rows{reset}"
            );
        }
        text
    }

    /// Why a claim is unknown: a limit, and where what is not known.
    fn reason(&self, index: usize, why: &Why) -> String {
        let mut reason = match why.limit {
            Some(limit) => format!("{limit}; "),
            None => String::new(),
        };
        let Some(point) = why.point else {
            let none = "the analysis and the interpreter do not agree; please report it";
            return reason + if why.limit.is_some() { "the analysis had just begun" } else { none };
        };
        let line = self.flow.points[point].line;
        if let Some(term) = why.term {
            let (program, _) = &self.questions[index];
            let _ = write!(reason, "{} ", claim::show(program, term, &self.claims.formulas));
        }
        let _ = write!(reason, "is not known at line {line}");
        let visible_row = |row: &&tern_ir::flow::Row| {
            let variables = row.affine().terms.iter().filter_map(|term| term.0.as_variable());
            variables.map(|it| &self.flow.variables[it]).all(|name| !name.contains(' '))
        };
        let rows: Vec<String> =
            why.rows.iter().filter(visible_row).take(6).map(|row| self.flow.show(row)).collect();
        if !rows.is_empty() {
            let _ = write!(reason, " where {}", rows.join(", "));
        }
        reason
    }

    fn json(&self, index: usize, decision: &Decision, replayed: bool, seconds: f64) -> Value {
        let claim = &self.claims.list()[index];
        let (verdict, reason, start) = match &decision.verdict {
            Verdict::Holds => ("holds", Value::Null, Value::Null),
            Verdict::Fails { point, values } => {
                let named: serde_json::Map<String, Value> = self
                    .named(values)
                    .map(|(name, value)| (name.to_owned(), Value::String(value.to_string())))
                    .collect();
                let line = self.flow.points[*point].line;
                ("fails", Value::Null, json!({"line": line, "values": named}))
            }
            Verdict::Unknown(why) => {
                ("unknown", Value::String(self.reason(index, why)), Value::Null)
            }
        };
        json!({
            "claim": self.shown(index),
            "name": claim.name,
            "number": index + 1,
            "verdict": verdict,
            "reason": reason,
            "start": start,
            "replayed": replayed,
            "stats": {
                "cells": decision.cells,
                "starts": decision.starts,
                "rounds": decision.rounds,
                "systems": decision.systems,
                "seconds": seconds,
            },
        })
    }

    fn object(&self, args: &CheckArgs, results: &[Value]) -> Value {
        let globals = args.reading.globals.unwrap_or(GlobalRule::Zero);
        let assert = args.reading.assert.unwrap_or(AssertionRule::Fail);
        json!({
            "schema": SCHEMA,
            "tern": env!("CARGO_PKG_VERSION"),
            "program": self.source.name,
            "given": args.reading.given,
            "globals": globals.word(),
            "assert": assert.word(),
            "results": results,
        })
    }
}

/// Refuses the settings of C programs for anything else.
pub(super) fn refuse_settings(args: &CheckArgs) -> Result<(), Failure> {
    let given = [
        ("--given", !args.reading.given.is_empty(), "C programs, and methods of Java programs"),
        ("--globals", args.reading.globals.is_some(), "C programs"),
        ("--assert", args.reading.assert.is_some(), "C programs"),
    ];
    match given.iter().find(|(_, is_given, _)| *is_given) {
        None => Ok(()),
        Some((option, _, what)) => Err(Failure::Usage {
            message: format!("{option} is for {what}"),
            hint: "leave it out".to_owned(),
        }),
    }
}

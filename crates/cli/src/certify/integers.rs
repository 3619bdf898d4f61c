//! `tern certify prog.c result.json`: evidence about integer programs.
//!
//! How a program was read is part of what its results say: the result has it, and it is printed.
//! Who gives `--given` and its like as well must give the same.

use super::file::{bare, offset_of};
use super::{Stop, read_claim};
use crate::args::CertifyArgs;
use crate::check::integers::{Code, read_code, states};
use crate::failure::{Failure, Status};
use crate::limits::Limits;
use crate::reading::{AssertionRule, GlobalRule, ReadingArgs};
use crate::terminal::Terminal;
use clap::ValueEnum;
use std::time::Instant;
use tern_certify::integers::{Question, check};
use tern_front::{Problem, Source, Wrong, input};
use tern_ir::flow::{Auxiliary, Column, Flow};
use tern_ir::proof::Start;
use tern_model::{Budget, Claim, Formulas, Property};
use tern_program::c::claim::{Meanings, meaning};
use tern_record::Flaw;
use tern_record::integers::{IntegerFile, IntegerResult, SCHEMA, read_proof, read_states};
use tern_report::certified::{Finding, Report, Status as Found};

/// Runs the subcommand for an integer program.
pub(super) fn run(args: &CertifyArgs, terminal: &Terminal) -> Result<Status, Failure> {
    let limits = Limits::new(args.timeout, args.memory);
    limits.heed_interrupts();
    if args.top_level || !args.automaton.is_empty() || !args.automaton_positive.is_empty() {
        return Err(Failure::Usage {
            message: "--top-level and automata are not there for C programs".to_owned(),
            hint: "leave them out; docs/integers.md says what there is".to_owned(),
        });
    }
    let first = limits.budget();
    let source = input::open_for(&args.result, super::RESULT_ENDINGS, &first)
        .map_err(|refusal| super::unread(&args.result, refusal))?;
    let wrong = |problems| Failure::Input(vec![Wrong { source: source.clone(), problems }]);
    let file = read(&source).map_err(|problem| wrong(vec![*problem]))?;
    let reading = settings(args, &file).map_err(&wrong)?;
    let code = read_code(&args.model, &reading, &first)?;
    let tasks = tasks(&code, &file).map_err(wrong)?;
    let budgets = std::iter::once(first).chain(std::iter::repeat_with(|| limits.budget()));
    let findings = tasks.iter().zip(budgets).map(|(task, budget)| task.finding(&code, &budget));
    let findings: Vec<Finding> = findings.collect();
    let report = Report {
        model: code.source.name.clone(),
        result: source.name.clone(),
        top_level: false,
        settings: recorded(&file),
        findings,
    };
    super::conclude(&report, args.json, terminal)
}

/// The result file.
fn read(source: &Source) -> Result<IntegerFile<'_>, Box<Problem>> {
    const WAY_OUT: &str = "`tern check PROGRAM.c --json --evidence` prints such a file";
    let Ok(text) = std::str::from_utf8(&source.bytes) else {
        return Err(Box::new(Problem::error("E001", "this is not UTF-8, so it is no JSON")));
    };
    let file: IntegerFile<'_> = serde_json::from_str(text).map_err(|error| {
        let (code, what) = match error.classify() {
            serde_json::error::Category::Data => ("E003", "this is no sound result file"),
            _ => ("E001", "this is not JSON"),
        };
        let at = offset_of(text, &error);
        Box::new(Problem::error(code, format!("{what}: {}", bare(&error))).at(at, "").hint(WAY_OUT))
    })?;
    match file.schema == SCHEMA {
        true => Ok(file),
        false => {
            let message = format!("the schema is not \"{SCHEMA}\": it is {:?}", file.schema);
            Err(Box::new(Problem::error("E002", message).hint(WAY_OUT)))
        }
    }
}

/// How the program was read, for people.
fn recorded(file: &IntegerFile<'_>) -> Vec<(&'static str, String)> {
    let given = match file.given.is_empty() {
        true => "nothing".to_owned(),
        false => file.given.join(", "),
    };
    let mut settings =
        vec![("given", given), ("globals", file.globals.clone()), ("assert", file.assert.clone())];
    for (name, bits) in [("int", file.int), ("long", file.long)] {
        settings.extend(bits.map(|bits| (name, bits.to_string())));
    }
    settings
}

/// How the program is to be read: as the result says, which must not be otherwise than was asked.
fn settings(args: &CertifyArgs, file: &IntegerFile<'_>) -> Result<ReadingArgs, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut unlike = |option: &str, theirs: &str, own: &str| {
        let message = format!("in this result {option} was {theirs}, and not {own}");
        let hint = "leave the option out, or check the program anew with it";
        problems.push(Problem::error("E009", message).hint(hint));
    };
    if !args.reading.given.is_empty() && args.reading.given != file.given {
        let list = |given: &[String]| format!("`{}`", given.join("`, `"));
        unlike("--given", &list(&file.given), &list(&args.reading.given));
    }
    let globals = GlobalRule::from_str(&file.globals, false);
    let assert = AssertionRule::from_str(&file.assert, false);
    if let Some(own) = args.reading.globals.filter(|it| Ok(*it) != globals) {
        unlike("--globals", &file.globals, own.word());
    }
    if let Some(own) = args.reading.assert.filter(|it| Ok(*it) != assert) {
        unlike("--assert", &file.assert, own.word());
    }
    for (option, own, theirs) in
        [("--int", args.reading.int, file.int), ("--long", args.reading.long, file.long)]
    {
        let shown = theirs.map_or("not given".to_owned(), |bits| bits.to_string());
        if let Some(own) = own.filter(|_| own != theirs) {
            unlike(option, &shown, &own.to_string());
        }
    }
    let is_known = file.int.is_none_or(|bits| [8, 16, 32, 64].contains(&bits))
        && file.long.is_none_or(|bits| [32, 64].contains(&bits) && file.int.is_some());
    if globals.is_err() || assert.is_err() || !is_known {
        let message = "this result says of its program what is not known here";
        problems.push(Problem::error("E003", message));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut reading = args.reading.clone();
    reading.given.clone_from(&file.given);
    if crate::load::ends_in(&args.model, &["t2"]) {
        return Ok(reading);
    }
    (reading.globals, reading.assert) = (globals.ok(), assert.ok());
    (reading.int, reading.long) = (file.int, file.long);
    Ok(reading)
}

/// A result with its claim.
struct Task<'a> {
    entry: &'a IntegerResult<'a>,
    holds: Option<bool>,
    formulas: Formulas,
    claim: Property,
    meanings: Meanings,
}

/// Reads all results, so that bad input gives no findings at all.
fn tasks<'a>(code: &Code, file: &'a IntegerFile<'a>) -> Result<Vec<Task<'a>>, Vec<Problem>> {
    let (mut tasks, mut problems) = (Vec::new(), Vec::new());
    for (number, entry) in (1..).zip(&file.results) {
        let mut wrong = |code: &'static str, why: String| {
            problems.push(Problem::error(code, format!("result {number}: {why}")));
        };
        let holds = match entry.verdict.as_str() {
            "holds" => Some(true),
            "fails" => Some(false),
            "unknown" => None,
            other => {
                wrong("E006", format!("`{other}` is no verdict"));
                continue;
            }
        };
        let (formulas, claim) = match read_claim(&entry.claim) {
            Ok((formulas, claim, _)) => (formulas, claim),
            Err((code, why)) => {
                wrong(code, why);
                continue;
            }
        };
        let mut meanings = Meanings::new();
        for atom in claim.atoms(&formulas) {
            let name = formulas.atom_name(atom);
            match meaning(&code.labels, &code.flow, name) {
                Ok(meaning) => {
                    meanings.insert(atom, meaning);
                }
                Err(faults) => {
                    let why = faults.first().map_or("", |fault| fault.message.as_str());
                    wrong("E005", format!("in `{name}` of the claim: {why}"));
                }
            }
        }
        tasks.push(Task { entry, holds, formulas, claim, meanings });
    }
    if problems.is_empty() { Ok(tasks) } else { Err(problems) }
}

impl Task<'_> {
    /// What the certifier says.
    fn finding(&self, code: &Code, budget: &Budget) -> Finding {
        let begin = Instant::now();
        let (status, reason) = match (self.holds, self.entry.evidence) {
            (Some(holds), Some(json)) => match self.check(code, holds, json.get(), budget) {
                Ok(()) => (Found::Accepted, None),
                Err(Stop::Refused(why)) => (Found::Refused, Some(why)),
                Err(Stop::Limit(limit)) => (Found::NotChecked, Some(limit.to_string())),
            },
            _ => (Found::NoEvidence, None),
        };
        Finding {
            claim: self.claim.show(&self.formulas).to_string(),
            name: self.entry.name.clone(),
            verdict: match self.holds {
                Some(true) => "holds",
                Some(false) => "fails",
                None => "unknown",
            },
            status,
            reason,
            seconds: begin.elapsed().as_secs_f64(),
        }
    }

    fn check(&self, code: &Code, holds: bool, json: &str, budget: &Budget) -> Result<(), Stop> {
        budget.check()?;
        budget.check_room_for((json.len() as u64).saturating_mul(super::BYTES_A_BYTE))?;
        let Some(claim) = self.claim.said() else {
            return Err(Stop::Refused("the claim is no formula".to_owned()));
        };
        let flaw = |flaw: Flaw| Stop::Refused(flaw.to_string());
        if let Some(read) = read_states(json).map_err(flaw)? {
            let claim = Claim::new(self.claim.clone());
            states::check(code.asked(), (&self.formulas, &claim), holds, &read, budget)?;
            return self.check_shown(read.start.iter().flatten().map(|(name, it)| (name, *it)));
        }
        let proof = read_proof(&self.formulas, claim, json).map_err(flaw)?;
        let (flow, formulas, propositions) = (&code.flow, &self.formulas, &self.meanings);
        check(Question { flow, formulas, claim, propositions }, holds, &proof, budget)?;
        self.check_shown(proof.start.iter().flat_map(|start| begun(flow, start)))
    }

    /// That the initial values which people are shown are those of the evidence.
    fn check_shown<'n>(
        &self,
        values: impl IntoIterator<Item = (&'n String, i128)>,
    ) -> Result<(), Stop> {
        let Some(shown) = &self.entry.start else { return Ok(()) };
        for (name, value) in values {
            if let Some(shown) = shown.values.get(name).filter(|it| **it != value.to_string()) {
                let why = format!("the evidence is about {name} = {value}, and {shown} is shown");
                return Err(Stop::Refused(why));
            }
        }
        Ok(())
    }
}

/// The values of the variables after a start, as far as they are known.
fn begun<'f>(flow: &'f Flow, begin: &Start) -> Vec<(&'f String, i128)> {
    let Some(start) = flow.starts.get(begin.start as usize) else { return Vec::new() };
    let is_known = |number: usize| start.auxiliaries.get(number) == Some(&Auxiliary::Choice);
    let of = |column: Column| match (column.as_variable(), column.as_auxiliary()) {
        (Some(variable), _) => begin.variables.get(variable).copied(),
        (_, number) => {
            number.filter(|it| is_known(*it)).and_then(|it| begin.auxiliaries.get(it).copied())
        }
    };
    let value = |variable: usize| {
        let column = Column::variable(variable);
        let Some(written) = start.written(column) else { return of(column) };
        let is_known = written.terms.iter().all(|term| of(term.0).is_some());
        is_known.then(|| written.evaluate(|it| of(it).unwrap_or_default())).flatten()
    };
    let all = flow.variables.iter().enumerate();
    all.filter_map(|(variable, name)| Some((name, value(variable)?))).collect()
}

//! `tern certify`: lets the certifier look at the evidence in a result file.
//!
//! The claims are read again from their texts, each by itself, so that a result does not depend on
//! the others of its file. What is wrong with a result file as a whole is an error; what is wrong
//! with one piece of evidence is a refusal. The model and the automata come from the user, not from
//! the result: what the result says of them only serves to find out that it is about others. No
//! engine takes part.

pub(crate) mod file;
mod given;
mod heap;
mod integers;

use crate::args::CertifyArgs;
use crate::check;
use crate::failure::{Failure, Status};
use crate::limits::Limits;
use crate::load;
use crate::terminal::Terminal;
use given::{Amiss, Candidates, Given};
use std::time::Instant;
use tern::{Model, certification};
use tern_certify::{Asked, Ordinary, Stopped};
use tern_front::Wrong;
use tern_front::problem::Refusal;
use tern_front::vocabulary::{self, Wanted};
use tern_front::{Problem, Source, claims, input};
use tern_model::{Budget, Claim, Claims, Formulas, Limit, Machine, Property, Verdict};
use tern_record::result_file::{ResultEntry, ResultFile};
use tern_record::{Flaw, read_evidence};
use tern_report::certified::{Finding, Report, Status as Found};

/// The endings of result files, for archives that hold several files.
const RESULT_ENDINGS: &[&str] = &["json"];

/// About how many bytes evidence takes in memory for each byte of its text, at worst: for many
/// short lists.
const BYTES_A_BYTE: u64 = 24;

/// Runs the subcommand.
pub(crate) fn run(args: &CertifyArgs, terminal: &Terminal) -> Result<Status, Failure> {
    let given = [&args.model, &args.result].into_iter();
    let given = given.chain(&args.automaton).chain(&args.automaton_positive);
    if given.filter(|path| *path == "-").count() > 1 {
        return Err(Failure::Usage {
            message: "standard input can be read only once".to_owned(),
            hint: "give all but one of these as files".to_owned(),
        });
    }
    if check::integers::is_program(&args.model) {
        return integers::run(args, terminal);
    }
    let limits = Limits::new(args.timeout, args.memory);
    if heap::is_one(args) {
        limits.heed_interrupts();
        return heap::run(args, &limits, terminal);
    }
    check::integers::refuse_settings(&args.reading)?;
    limits.heed_interrupts();
    // Reading takes from the time of the first result.
    let first = limits.budget();
    let mut model = load::unsettled(&args.model, &args.reading, &first)?;
    let source = input::open_for(&args.result, RESULT_ENDINGS, &first)
        .map_err(|refusal| unread(&args.result, refusal))?;
    let wrong = |problems| Failure::Input(vec![Wrong { source: source.clone(), problems }]);
    let file = file::read(&source, &model.source.name).map_err(|problem| wrong(vec![*problem]))?;
    let given = Given::new(args, &first)?;
    let tasks = tasks(&file, given).map_err(wrong)?;
    let misunderstood = label(&mut model, &tasks, &first).map_err(Failure::Limit)?;
    if !misunderstood.is_empty() {
        return Err(wrong(misunderstood));
    }
    let said: Vec<&str> = tasks.iter().flat_map(Task::propositions).collect();
    certification::check_copies(&model.machine, model.vocabulary.as_deref(), &said, &first)
        .map_err(wrong_copies)?;
    let machine = match args.top_level {
        true if model.machine.is_abstract() => return Err(Failure::abstract_top_level()),
        true => tern_certify::top_level(&model.machine, &first).map_err(no_top_level)?,
        false => model.machine,
    };
    file::fits(&machine, args.top_level, &file).map_err(|problem| wrong(vec![*problem]))?;
    let budgets = std::iter::once(first).chain(std::iter::repeat_with(|| limits.budget()));
    let findings = tasks.iter().zip(budgets).map(|(task, budget)| task.finding(&machine, &budget));
    let findings: Vec<Finding> = findings.collect();
    let top_level = args.top_level;
    let (model, result) = (model.source.name, source.name.clone());
    let report = Report { model, result, top_level, settings: Vec::new(), findings };
    conclude(&report, args.json, terminal)
}

/// That a result file could not be read.
fn unread(path: &str, refusal: Refusal) -> Failure {
    match refusal {
        Refusal::Problems(problems) => {
            Failure::Input(vec![Wrong { source: Source::new(path, ""), problems }])
        }
        Refusal::Limit(limit) => Failure::Limit(limit),
    }
}

/// Prints what was found.
fn conclude(report: &Report, json: bool, terminal: &Terminal) -> Result<Status, Failure> {
    terminal.print(&if json {
        report.json(env!("CARGO_PKG_VERSION"))
    } else {
        report.text(terminal.out)
    })?;
    // That all of nothing is accepted says nothing, least of all to a script.
    let all_accepted = report.findings.iter().all(|finding| finding.status == Found::Accepted);
    let any_refused = report.findings.iter().any(|finding| finding.status == Found::Refused);
    Ok(match (any_refused, all_accepted && !report.findings.is_empty()) {
        (true, _) => Status::Fails,
        (false, true) => Status::Good,
        (false, false) => Status::Unknown,
    })
}

/// Makes labels of what the claims of the results say beyond labels. Gives what the model does not
/// understand.
fn label(model: &mut Model, tasks: &[Task<'_>], budget: &Budget) -> Result<Vec<Problem>, Limit> {
    let mut wanted = Wanted::default();
    for Task { formulas, claim, others, .. } in tasks {
        std::iter::once(claim).chain(others).for_each(|it| wanted.note(formulas, it));
    }
    let (machine, words) = (&mut model.machine, &mut model.vocabulary);
    let found = vocabulary::label(machine, words, &wanted, budget)?;
    Ok(found.into_iter().map(|(_, problem)| problem).collect())
}

/// The copies that properties of the stack need are not what they should be.
pub(crate) fn wrong_copies(stopped: Stopped) -> Failure {
    match stopped {
        Stopped::Limit(limit) => Failure::Limit(limit),
        Stopped::Refused(refusal) => Failure::Usage {
            message: format!("properties of the stack were tracked wrongly: {refusal}"),
            hint: "this is a fault of Tern; please report it with the model and the claim"
                .to_owned(),
        },
    }
}

fn no_top_level(stopped: Stopped) -> Failure {
    match stopped {
        Stopped::Limit(limit) => Failure::Limit(limit),
        Stopped::Refused(refusal) => Failure::Usage {
            message: refusal.to_string(),
            hint: "leave out --top-level, here and in the check".to_owned(),
        },
    }
}

/// A result that is to be looked at: all that was read of it but the evidence.
struct Task<'a> {
    entry: &'a ResultEntry<'a>,
    verdict: Option<Verdict>,
    /// Where the claim lives.
    formulas: Formulas,
    /// What it claims.
    claim: Property,
    /// What it may claim as well, if several automata fit.
    others: Vec<Property>,
}

/// Reads all results, so that bad input gives no findings at all.
fn tasks<'a>(file: &'a ResultFile<'a>, mut given: Given) -> Result<Vec<Task<'a>>, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut tasks = Vec::with_capacity(file.results.len());
    for (number, entry) in (1..).zip(&file.results) {
        match Task::new(entry, &mut given) {
            Ok(task) => tasks.push(task),
            Err((code, why)) => {
                problems.push(Problem::error(code, format!("result {number}: {why}")));
            }
        }
    }
    if problems.is_empty() {
        let unused = given.unused().map(|title| {
            let message = format!("no result is about the automaton `{title}`");
            Problem::error("E007", message).hint("give only those that results are about")
        });
        problems.extend(unused);
    }
    if problems.is_empty() { Ok(tasks) } else { Err(problems) }
}

impl<'a> Task<'a> {
    /// The propositions that it may speak of.
    fn propositions(&self) -> Vec<&str> {
        let all = std::iter::once(&self.claim).chain(&self.others);
        let atoms = all.flat_map(|claim| claim.atoms(&self.formulas));
        atoms.map(|atom| self.formulas.atom_name(atom)).collect()
    }

    fn new(entry: &'a ResultEntry<'a>, given: &mut Given) -> Result<Self, Amiss> {
        let verdict = match entry.verdict.as_str() {
            "holds" => Some(Verdict::Holds),
            "fails" => Some(Verdict::Fails),
            "unknown" => None,
            other => return Err(("E006", format!("`{other}` is no verdict"))),
        };
        let (formulas, claim, others) = match &entry.automaton {
            Some(held) => given.claims(held, &entry.claim)?,
            None => read_claim(&entry.claim)?,
        };
        Ok(Task { entry, verdict, formulas, claim, others })
    }

    /// What the certifier says.
    fn finding(&self, machine: &Machine, budget: &Budget) -> Finding {
        let begin = Instant::now();
        let Task { entry, formulas, .. } = self;
        // The first that is proved; if none is, what is wrong with the first.
        let mut shown = &self.claim;
        let mut found = self.look(machine, shown, budget);
        for claim in &self.others {
            if found.0 == Found::Accepted {
                break;
            }
            let another = self.look(machine, claim, budget);
            if another.0 == Found::Accepted {
                (shown, found) = (claim, another);
            }
        }
        let (status, reason) = found;
        Finding {
            claim: shown.show(formulas).to_string(),
            name: entry.name.clone(),
            verdict: self.verdict.as_ref().map_or("unknown", |verdict| verdict.word()),
            status,
            reason,
            seconds: begin.elapsed().as_secs_f64(),
        }
    }

    /// What became of the evidence for a claim, and why.
    fn look(
        &self,
        machine: &Machine,
        claim: &Property,
        budget: &Budget,
    ) -> (Found, Option<String>) {
        let (Some(verdict), Some(json)) = (&self.verdict, self.entry.evidence) else {
            return (Found::NoEvidence, None);
        };
        match self.check(machine, claim, verdict, json.get(), budget) {
            Ok(()) => (Found::Accepted, None),
            Err(Stop::Refused(why)) => (Found::Refused, Some(why)),
            Err(Stop::Limit(limit)) => (Found::NotChecked, Some(limit.to_string())),
        }
    }

    fn check(
        &self,
        machine: &Machine,
        claim: &Property,
        verdict: &Verdict,
        json: &str,
        budget: &Budget,
    ) -> Result<(), Stop> {
        budget.check()?;
        budget.check_room_for((json.len() as u64).saturating_mul(BYTES_A_BYTE))?;
        let bad = |flaw: Flaw| Stop::Refused(flaw.to_string());
        let start = self.entry.start(machine).map_err(bad)?;
        let culprit = match &self.entry.culprit {
            None => None,
            Some(words) => {
                let mut starts = start.configurations(machine).into_iter();
                Some(starts.find(|it| it.show(machine) == *words).ok_or_else(|| {
                    let said = format!("the claim is said to fail at {words}");
                    Stop::Refused(format!("{said}, which is no initial node"))
                })?)
            }
        };
        let property = claim;
        let claim = &Claim { start, ..Claim::new(claim.clone()) };
        let asked = Asked { formulas: &self.formulas, claim };
        let ordinary = tern_certify::spoken_of(machine.into(), asked, verdict, budget)?;
        let evidence = match ordinary {
            None => read_evidence(machine, &self.formulas, property, json),
            Some(Ordinary { machine, formulas, claim }) => {
                read_evidence(&machine, &formulas, &claim, json)
            }
        };
        let evidence = evidence.map_err(bad)?;
        let culprit = culprit.as_ref();
        Ok(tern_certify::check(machine.into(), asked, verdict, culprit, &evidence, budget)?)
    }
}

/// Why a piece of evidence is not accepted.
pub(crate) enum Stop {
    Refused(String),
    Limit(Limit),
}

impl From<Stopped> for Stop {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Refused(refusal) => Stop::Refused(refusal.to_string()),
            Stopped::Limit(limit) => Stop::Limit(limit),
        }
    }
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Stop::Limit(limit)
    }
}

/// Reads the claim of a result that is about a formula, in an arena of its own.
fn read_claim(text: &str) -> Result<Candidates, Amiss> {
    let bad = |why: &str| ("E005", format!("the claim `{text}` cannot be read: {why}"));
    let mut claims = Claims::new();
    claims::read_one(&mut claims, text)
        .map_err(|problems| bad(problems.first().map_or("", |problem| problem.message.as_str())))?;
    let claim = claims.list().first().ok_or_else(|| bad("it says nothing"))?;
    let claim = claim.property.clone();
    Ok((claims.formulas, claim, Vec::new()))
}

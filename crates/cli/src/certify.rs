//! `tern certify`: lets the certifier look at the evidence in a result file.
//!
//! The claims are read again from their texts. What is wrong with a result file as a whole is an error; what is wrong
//! with one piece of evidence is a refusal. The model and the automata come from the user, not from the result: what the result says of them only serves to
//! find out that it is about others.

use crate::args::CertifyArgs;
use crate::diagnostics::Wrong;
use crate::failure::{Failure, Status};
use crate::load::{self, Named};
use crate::terminal::Terminal;
use std::collections::VecDeque;
use std::time::Instant;
use tern::certification::{Checked, Subject, accept};
use tern_front::problem::Refusal;
use tern_front::{Problem, Source, claims, input};
use tern_model::logic::Logic;
use tern_model::{Budget, Claim, Claims, Condition, Formulas, Machine, Must, Span, Verdict};
use tern_record::read_evidence;
use tern_record::result_file::{Held, NoResultFile, ResultEntry, ResultFile, SCHEMA, Sizes};
use tern_report::certified::{Finding, Report, Status as Found};

/// The endings of result files, for archives that hold several files.
const RESULT_ENDINGS: &[&str] = &["json"];

/// How to make a result file.
const WAY_OUT: &str = "`tern check MODEL --json --evidence` prints such a file";

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
    let budget = Budget::unlimited();
    let model = load::model(&args.model, &budget)?;
    let source =
        input::open_for(&args.result, RESULT_ENDINGS, &budget).map_err(
            |refusal| match refusal {
                Refusal::Problems(problems) => {
                    let source = Source::new(&args.result, "");
                    Failure::Input(vec![Wrong { source, problems }])
                }
                Refusal::Limit(limit) => Failure::Limit(limit),
            },
        )?;
    let machine = match args.top_level {
        true => tern_engine::top_level(&model.machine, &budget).map_err(Failure::Limit)?,
        false => model.machine,
    };
    let top_level = args.top_level;
    let findings = match certify(&machine, args, &source) {
        Ok(findings) => findings,
        Err(Stop::Result(problems)) => {
            return Err(Failure::Input(vec![Wrong { source, problems }]));
        }
        Err(Stop::Automaton(stop)) => return Err(stop.into()),
    };
    let report = Report { model: model.source.name, result: source.name, top_level, findings };
    terminal.print(&if args.json {
        report.json(env!("CARGO_PKG_VERSION"))
    } else {
        report.text(terminal.out)
    })?;
    let any = |wanted| report.findings.iter().any(|finding| finding.status == wanted);
    Ok(match (any(Found::Refused), any(Found::NoEvidence)) {
        (true, _) => Status::Fails,
        (false, true) => Status::Unknown,
        (false, false) => Status::Good,
    })
}

/// Why nothing could be checked.
enum Stop {
    /// The result file is wrong.
    Result(Vec<Problem>),
    /// An automaton could not be read.
    Automaton(load::Stop),
}

impl From<Box<Problem>> for Stop {
    fn from(problem: Box<Problem>) -> Self {
        Stop::Result(vec![*problem])
    }
}

/// Checks every result of a file.
fn certify(machine: &Machine, args: &CertifyArgs, source: &Source) -> Result<Vec<Finding>, Stop> {
    let file = read(source)?;
    fits(machine, args.top_level, &file)?;
    // Everything is read before anything is checked, so that bad input gives no result at all.
    let mut claims = Claims::new();
    let mut problems = Vec::new();
    let mut verdicts = Vec::new();
    let mut none = Supply::new(&args.automaton);
    let mut all = Supply::new(&args.automaton_positive);
    for (number, entry) in (1..).zip(&file.results) {
        let mut bad = |code, why| {
            problems.push(Problem::error(code, format!("result {number}: {why}")));
        };
        let verdict = match read_verdict(entry) {
            Ok(verdict) => verdict,
            Err(why) => {
                bad("E006", why);
                continue;
            }
        };
        let read = match &entry.automaton {
            None => read_claim(&mut claims, entry),
            Some(held) => {
                read_held(&mut claims, held, &mut none, &mut all).map_err(Stop::Automaton)?
            }
        };
        match read {
            Ok(()) => verdicts.push(verdict),
            Err((code, why)) => bad(code, why),
        }
    }
    for title in none.rest().chain(all.rest()) {
        let message = format!("no result is about the automaton `{title}`");
        problems.push(Problem::error("E007", message).hint(SAME_ORDER));
    }
    if !problems.is_empty() {
        return Err(Stop::Result(problems));
    }
    let results = file.results.iter().zip(claims.list()).zip(verdicts);
    let look = |((entry, claim), verdict): ((&ResultEntry<'_>, &Claim), _)| {
        let claim = &Claim { start: entry.start(), ..claim.clone() };
        let subject = Subject { machine, formulas: &claims.formulas, claim };
        finding(subject, entry, verdict)
    };
    Ok(results.map(look).collect())
}

const SAME_ORDER: &str = "give the automata of the check in the same order, with the same options";

/// The automata of some files, one after the other.
struct Supply<'a> {
    paths: std::slice::Iter<'a, String>,
    /// Those of the file that was read last.
    read: VecDeque<Named>,
}

impl<'a> Supply<'a> {
    fn new(paths: &'a [String]) -> Self {
        Supply { paths: paths.iter(), read: VecDeque::new() }
    }

    fn next(&mut self, formulas: &mut Formulas) -> Result<Option<Named>, load::Stop> {
        if self.read.is_empty()
            && let Some(path) = self.paths.next()
        {
            let (named, _) = load::automata_in(path, formulas, &Budget::unlimited())?;
            self.read.extend(named);
        }
        Ok(self.read.pop_front())
    }

    /// What the automata that are left are called, or their files.
    fn rest(self) -> impl Iterator<Item = String> + use<'a> {
        self.read.into_iter().map(|named| named.title).chain(self.paths.cloned())
    }
}

/// What is wrong with a result: a code, and words.
type Amiss = (&'static str, String);

/// Reads the next automaton that was given, for a result that is about one, and adds the claim that it stands for: it says
/// what is checked, whatever the result calls it.
fn read_held(
    claims: &mut Claims,
    held: &Held,
    none: &mut Supply<'_>,
    all: &mut Supply<'_>,
) -> Result<Result<(), Amiss>, load::Stop> {
    let Some(must) = held.must() else {
        let why = format!("that an automaton accepts `{}` is no claim", held.accepts);
        return Ok(Err(("E005", why)));
    };
    let (given, option) = match must {
        Must::AcceptNone => (none.next(&mut claims.formulas)?, "--automaton"),
        Must::AcceptAll => (all.next(&mut claims.formulas)?, "--automaton-positive"),
    };
    let Some(given) = given else {
        let why = format!("it is about an automaton, which is to be given with {option} FILE");
        return Ok(Err(("E007", why)));
    };
    let mut fair = Vec::new();
    for condition in &held.fair {
        match claims::read_fair(&mut claims.formulas, condition) {
            Ok(Condition { formula, .. })
                if claims.formulas.logic(formula) == Logic::Propositional =>
            {
                fair.push(formula);
            }
            _ => {
                let why = format!("`{condition}` is no fairness condition for automata");
                return Ok(Err(("E005", why)));
            }
        }
    }
    let title = given.title.clone();
    let claim = load::claim_for(given, must, fair);
    let own = claim.property.automaton().expect("it was made so");
    let own = Held::new(&claims.formulas, own);
    Ok(match differs(held, &own) {
        Some((what, theirs, own)) => {
            let why = format!(
                "it is about another automaton: {what} there is {theirs}, and in `{title}` it is {own}"
            );
            Err(("E007", why))
        }
        None => {
            claims.push(claim);
            Ok(())
        }
    })
}

/// In what two automata differ, as far as results tell.
fn differs(theirs: &Held, own: &Held) -> Option<(&'static str, String, String)> {
    let list = |held: &Held| format!("`{}`", held.propositions.join(" "));
    [
        ("the number of states", theirs.states.to_string(), own.states.to_string()),
        ("the number of transitions", theirs.transitions.to_string(), own.transitions.to_string()),
        ("the number of acceptance sets", theirs.marks.to_string(), own.marks.to_string()),
        ("the list of propositions", list(theirs), list(own)),
    ]
    .into_iter()
    .find(|(_, theirs, own)| theirs != own)
}

/// Reads a result file.
fn read(source: &Source) -> Result<ResultFile<'_>, Box<Problem>> {
    let text = std::str::from_utf8(&source.bytes).map_err(|error| {
        let at = Span::new(error.valid_up_to()..error.valid_up_to() + 1);
        Box::new(Problem::error("E001", "this is not UTF-8, so it is no JSON").at(at, ""))
    })?;
    ResultFile::read(text).map_err(|wrong| {
        Box::new(match wrong {
            NoResultFile::Malformed(error) => {
                let (code, what) = match error.classify() {
                    serde_json::error::Category::Data => ("E003", "this is no sound result file"),
                    _ => ("E001", "this is not JSON"),
                };
                let at = offset(text, error.line(), error.column());
                Problem::error(code, format!("{what}: {}", bare(&error)))
                    .at(Span::new(at..at + 1), "")
                    .hint(WAY_OUT)
            }
            NoResultFile::Schema(found) => {
                let found =
                    found.map_or("there is none".to_owned(), |schema| format!("it is {schema:?}"));
                Problem::error("E002", format!("the schema is not \"{SCHEMA}\": {found}"))
                    .hint(WAY_OUT)
            }
        })
    })
}

/// What a reader of JSON complains of, without the place.
fn bare(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((what, _)) => what.to_owned(),
        None => text,
    }
}

/// The offset of a line and a column, which both count from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let lines = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start: usize = lines.map(str::len).sum();
    (start + column.saturating_sub(1)).min(text.len())
}

/// Whether a result file can be about a machine.
fn fits(machine: &Machine, top_level: bool, file: &ResultFile<'_>) -> Result<(), Box<Problem>> {
    let wrong = |why: String| {
        let message = format!("this result is about another model: {why}");
        let hint = "give the model that the claims were decided on, unchanged";
        Err(Box::new(Problem::error("E004", message).hint(hint)))
    };
    if let Some(theirs) = file.top_level.filter(|&theirs| theirs != top_level) {
        let (message, hint) = match theirs {
            true => {
                ("in this result calls were taken for single steps", "give --top-level as well")
            }
            false => {
                ("in this result calls were not taken for single steps", "leave out --top-level")
            }
        };
        return Err(Box::new(Problem::error("E004", message).hint(hint)));
    }
    let own = Sizes::of(machine);
    if let Some(theirs) = file.sizes.filter(|&theirs| theirs != own) {
        let (what, theirs, own) = [
            ("components", theirs.components, own.components),
            ("nodes", theirs.nodes, own.nodes),
            ("boxes", theirs.boxes, own.boxes),
            ("exits", theirs.exits, own.exits),
            ("places", theirs.places, own.places),
        ]
        .into_iter()
        .find(|&(_, theirs, own)| theirs != own)
        .expect("some are different");
        return wrong(format!("the number of {what} there is {theirs}, and here it is {own}"));
    }
    let initial = machine.initial().iter().map(|&node| machine.node_path(node));
    // If the model was not read, there are no results either that could say anything.
    if file.sizes.is_some() && !initial.eq(file.initial.iter().cloned()) {
        return wrong("it has other initial nodes".to_owned());
    }
    Ok(())
}

/// The verdict of a result, unless it is unknown.
fn read_verdict(entry: &ResultEntry<'_>) -> Result<Option<Verdict>, String> {
    match entry.verdict.as_str() {
        "holds" => Ok(Some(Verdict::Holds)),
        "fails" => Ok(Some(Verdict::Fails)),
        "unknown" => Ok(None),
        other => Err(format!("`{other}` is no verdict")),
    }
}

/// Reads the claim of a result.
fn read_claim(claims: &mut Claims, entry: &ResultEntry<'_>) -> Result<(), Amiss> {
    claims::read_one(claims, &entry.claim).map_err(|problems| {
        let why = problems.first().map_or("", |problem| problem.message.as_str());
        ("E005", format!("the claim `{}` cannot be read: {why}", entry.claim))
    })
}

fn finding(subject: Subject<'_>, entry: &ResultEntry<'_>, verdict: Option<Verdict>) -> Finding {
    let begin = Instant::now();
    let Subject { machine, formulas, claim } = subject;
    let checked = match (&verdict, entry.evidence) {
        (Some(verdict), Some(json)) => {
            let evidence = read_evidence(machine, formulas, &claim.property, json.get());
            Some(evidence.and_then(|evidence| {
                let (culprit, budget) = (entry.culprit.as_deref(), Budget::unlimited());
                match accept(subject, verdict, culprit, &evidence, &budget) {
                    Checked::Accepted => Ok(()),
                    Checked::Refused(why) => Err(why),
                    Checked::Limit(limit) => Err(limit.to_string()),
                }
            }))
        }
        _ => None,
    };
    let (status, reason) = match checked {
        Some(Ok(())) => (Found::Accepted, None),
        Some(Err(why)) => (Found::Refused, Some(why)),
        None => (Found::NoEvidence, None),
    };
    Finding {
        claim: claim.property.show(formulas).to_string(),
        name: entry.name.clone(),
        verdict: verdict.map_or("unknown", |verdict| verdict.word()),
        status,
        reason,
        seconds: begin.elapsed().as_secs_f64(),
    }
}

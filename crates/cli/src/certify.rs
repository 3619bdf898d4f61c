//! `tern certify`, and `tern check --certify`: lets the certifier look at evidence.
//!
//! Nothing that an engine said is believed here: the claim is read again from its text, and the
//! evidence is checked against the model by a crate that knows no engine. What is wrong with a
//! result file as a whole is an error; what is wrong with one piece of evidence is a refusal.

use crate::args::CertifyArgs;
use crate::diagnostics::Wrong;
use crate::failure::{Failure, Status};
use crate::load;
use crate::meaning;
use crate::terminal::Terminal;
use std::time::Instant;
use tern_certify::{Stopped, labelling, linear, run, star};
use tern_front::problem::Refusal;
use tern_front::{Problem, Source, claims, input};
use tern_model::{
    Budget, Claims, Evidence, FormulaId, Formulas, Gap, Limit, Machine, Missing, Outcome, Span,
    Verdict,
};
use tern_report::certified::{Finding, Report, Status as Found};
use tern_report::result_file::{NoResultFile, ResultEntry, ResultFile, SCHEMA, Sizes};
use tern_report::{Answer, Certification, Meaning, node_path, read_evidence};

/// The endings of result files, for archives that hold several files.
const RESULT_ENDINGS: &[&str] = &["json"];

/// How to make a result file.
const WAY_OUT: &str = "`tern check MODEL --json --evidence` prints such a file";

/// What the certifier made of evidence.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    Accepted,
    Refused(String),
    /// A limit was reached before it had looked at everything.
    Limit(Limit),
}

/// An answer with a definite verdict is kept only if the certifier accepts its evidence. If a limit leaves
/// nothing to look at, or no time to look, the verdict stays, but is not certified.
pub(crate) fn certified(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    mut answer: Answer,
    budget: &Budget,
) -> Answer {
    let outcome = &mut answer.outcome;
    let not_given = |missing: &Missing| missing.what == Missing::EVIDENCE;
    if outcome.verdict.known().is_none() || outcome.missing.iter().any(not_given) {
        return answer;
    }
    let begin = Instant::now();
    let mut found = checked(machine, formulas, claim, outcome, budget);
    if let (Checked::Accepted, Some(example)) = (&found, &answer.meaning.example) {
        found = meaning::certified(machine, example, budget);
    }
    let seconds = begin.elapsed().as_secs_f64();
    match found {
        Checked::Accepted => {
            answer.certification = Some(Certification { accepted: true, seconds });
        }
        Checked::Limit(limit) => {
            outcome.missing.push(Missing { what: "certification", why: Gap::Limit(limit) });
        }
        Checked::Refused(why) => {
            answer = Answer {
                outcome: Outcome {
                    engine: outcome.engine,
                    stats: outcome.stats,
                    seconds: outcome.seconds,
                    explaining: outcome.explaining,
                    ..Outcome::from(Verdict::Unknown(Gap::Refused(why)))
                },
                certification: Some(Certification { accepted: false, seconds }),
                meaning: Meaning::default(),
                labels: Vec::new(),
            };
        }
    }
    answer
}

/// Lets the certifier look at the evidence and the story of an outcome.
pub(crate) fn checked(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    outcome: &Outcome,
    budget: &Budget,
) -> Checked {
    let Some(evidence) = &outcome.evidence else {
        return Checked::Refused("there is none".to_owned());
    };
    let (verdict, culprit) = (&outcome.verdict, outcome.culprit);
    let start = culprit.or(machine.initial().first().copied());
    if let Evidence::Star(evidence) = evidence {
        let accepted = star::Proof::check(machine, formulas, evidence, budget).and_then(|proof| {
            proof.decides(claim, verdict, culprit)?;
            match (&outcome.star_story, start) {
                (Some(story), Some(start)) => proof.replay(claim, start, story, budget),
                _ => Ok(()),
            }
        });
        return found(accepted);
    }
    let culprit = culprit.map(|node| node_path(machine, node));
    let checked = accept(machine, formulas, claim, verdict, culprit.as_deref(), evidence, budget);
    let Evidence::Labelling(labelling) = evidence else { return checked };
    let (Checked::Accepted, Some(story), Some(start)) = (&checked, &outcome.story, start) else {
        return checked;
    };
    if story.of != labelling.program.root {
        return Checked::Refused("the story is not of the claim".to_owned());
    }
    let start = (&[][..], start);
    found(run::replay_within(machine, formulas, labelling, start, story, budget))
}

/// Whether evidence proves a verdict, and that the claim is false at the culprit.
fn accept(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    verdict: &Verdict,
    culprit: Option<&str>,
    evidence: &Evidence,
    budget: &Budget,
) -> Checked {
    let said = culprit.map(|culprit| format!("the claim is said to fail at {culprit}"));
    let said = said.unwrap_or_default();
    let mut initial = machine.initial().iter().copied();
    let node = initial.find(|&node| culprit.is_some_and(|it| it == node_path(machine, node)));
    if culprit.is_some() && node.is_none() {
        return Checked::Refused(format!("{said}, which is no initial node"));
    }
    let checked = match evidence {
        Evidence::Labelling(labelling) => {
            found(labelling::check_within(machine, formulas, claim, verdict, labelling, budget))
        }
        Evidence::Runs { .. } | Evidence::Absence { .. } => {
            found(linear::check(machine, formulas, claim, verdict, evidence, budget))
        }
        Evidence::Star(evidence) => {
            return found(star::check(machine, formulas, claim, verdict, node, evidence, budget));
        }
    };
    let (Checked::Accepted, Some(node)) = (&checked, node) else { return checked };
    let fails_there = match evidence {
        Evidence::Labelling(labelling) => {
            labelling.holds_at(machine, formulas, &[], node) == Some(false)
        }
        Evidence::Runs { runs, .. } => runs.iter().any(|&(at, _)| at == node),
        Evidence::Absence { from, .. } => from.contains(&node),
        Evidence::Star(_) => true,
    };
    match fails_there {
        true => Checked::Accepted,
        false => Checked::Refused(format!("{said}, but that is not what the evidence shows")),
    }
}

fn found<R: std::fmt::Display>(checked: Result<(), Stopped<R>>) -> Checked {
    match checked {
        Ok(()) => Checked::Accepted,
        Err(Stopped::Refused(refusal)) => Checked::Refused(refusal.to_string()),
        Err(Stopped::Limit(limit)) => Checked::Limit(limit),
    }
}

/// Runs the subcommand.
pub(crate) fn run(args: &CertifyArgs, terminal: &Terminal) -> Result<Status, Failure> {
    if args.model == "-" && args.result == "-" {
        return Err(Failure::Usage {
            message: "standard input can be read only once".to_owned(),
            hint: "give the model or the result as a file".to_owned(),
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
    let report = match certify(&machine, top_level, &source) {
        Ok(findings) => {
            let (model, result) = (model.source.name, source.name.clone());
            Report { model, result, top_level, findings }
        }
        Err(problems) => return Err(Failure::Input(vec![Wrong { source, problems }])),
    };
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

/// Checks every result of a file.
fn certify(
    machine: &Machine,
    top_level: bool,
    source: &Source,
) -> Result<Vec<Finding>, Vec<Problem>> {
    let file = read(source).map_err(|problem| vec![*problem])?;
    fits(machine, top_level, &file).map_err(|problem| vec![*problem])?;
    // Everything is read before anything is checked, so that bad input gives no result at all.
    let mut claims = Claims::new();
    let mut problems = Vec::new();
    let mut verdicts = Vec::new();
    for (number, entry) in (1..).zip(&file.results) {
        match read_claim(&mut claims, entry) {
            Ok(verdict) => verdicts.push(verdict),
            Err((code, why)) => {
                problems.push(Problem::error(code, format!("result {number}: {why}")));
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let look = |((entry, claim), verdict): ((&ResultEntry<'_>, _), Option<Verdict>)| {
        finding(machine, &claims.formulas, claim, entry, verdict)
    };
    let formulas = claims.list.iter().map(|claim| claim.formula);
    Ok(file.results.iter().zip(formulas).zip(verdicts).map(look).collect())
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
    let initial = machine.initial().iter().map(|&node| node_path(machine, node));
    // If the model was not read, there are no results either that could say anything.
    if file.sizes.is_some() && !initial.eq(file.initial.iter().cloned()) {
        return wrong("it has other initial nodes".to_owned());
    }
    Ok(())
}

/// Reads the claim of a result, and the verdict unless it is unknown.
fn read_claim(
    claims: &mut Claims,
    entry: &ResultEntry<'_>,
) -> Result<Option<Verdict>, (&'static str, String)> {
    let verdict = match entry.verdict.as_str() {
        "holds" => Some(Verdict::Holds),
        "fails" => Some(Verdict::Fails),
        "unknown" => None,
        other => return Err(("E006", format!("`{other}` is no verdict"))),
    };
    claims::read_one(claims, &entry.claim).map_err(|problems| {
        let why = problems.first().map_or("", |problem| problem.message.as_str());
        ("E005", format!("the claim `{}` cannot be read: {why}", entry.claim))
    })?;
    Ok(verdict)
}

fn finding(
    machine: &Machine,
    formulas: &Formulas,
    claim: FormulaId,
    entry: &ResultEntry<'_>,
    verdict: Option<Verdict>,
) -> Finding {
    let begin = Instant::now();
    let checked = match (&verdict, entry.evidence) {
        (Some(verdict), Some(json)) => {
            let evidence = read_evidence(machine, formulas, claim, json.get());
            Some(evidence.and_then(|evidence| {
                let (culprit, budget) = (entry.culprit.as_deref(), Budget::unlimited());
                match accept(machine, formulas, claim, verdict, culprit, &evidence, &budget) {
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
        claim: formulas.show(claim).to_string(),
        name: entry.name.clone(),
        verdict: verdict.map_or("unknown", |verdict| verdict.word()),
        status,
        reason,
        seconds: begin.elapsed().as_secs_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_engine::{Checker, Options};

    #[test]
    fn a_verdict_without_good_evidence_is_not_kept() {
        let text = "component main { initial entry a {p} -> a; }\nclaim EG p;";
        let budget = Budget::unlimited();
        let read = tern_front::tern::read(&Source::new("m.tern", text), &budget);
        let (machine, claims) = read.expect("sound");
        let claim = claims.list[0].formula;
        let checker = Checker::new(&machine, &budget).expect("no limits");
        let options = Options { evidence: true, ..Options::default() };
        let outcome = checker.check(&claims.formulas, claim, &options, &budget);
        let look = |outcome: Outcome| {
            certified(&machine, &claims.formulas, claim, outcome.into(), &budget)
        };

        let good = look(outcome.clone());
        assert_eq!(good.outcome.verdict, Verdict::Holds);
        assert!(good.certification.is_some_and(|it| it.accepted));

        let lie = Outcome { verdict: Verdict::Fails, ..outcome.clone() };
        let bare = Outcome { evidence: None, ..outcome.clone() };
        for bad in [lie, bare] {
            let answer = look(bad);
            let Verdict::Unknown(Gap::Refused(_)) = answer.outcome.verdict else {
                panic!("{answer:?}")
            };
            assert!(answer.certification.is_some_and(|it| !it.accepted));
            assert!(answer.outcome.evidence.is_none());
        }

        // Without time the verdict stays, but nobody vouches for it.
        let spent = Budget::unlimited().with_timeout(std::time::Duration::ZERO);
        let answer = certified(&machine, &claims.formulas, claim, outcome.clone().into(), &spent);
        assert_eq!(answer.outcome.verdict, Verdict::Holds);
        assert!(answer.certification.is_none());
        let missing: Vec<_> = answer.outcome.missing.iter().map(ToString::to_string).collect();
        assert_eq!(missing, ["no certification: time limit of 0s reached"]);

        let evidence = outcome.evidence.as_ref().expect("it was asked for");
        let refused = |culprit: &str| {
            let (formulas, holds) = (&claims.formulas, Verdict::Holds);
            let culprit = Some(culprit);
            match accept(&machine, formulas, claim, &holds, culprit, evidence, &budget) {
                Checked::Refused(why) => why,
                other => panic!("{other:?}"),
            }
        };
        assert!(refused("main.b").contains("no initial node"));
        assert!(refused("main.a").contains("not what the evidence shows"));
    }
}

//! Evidence about pointer programs: runs on inputs, which the certifier replays, and proofs.

use super::{Amiss, Found, file};
use crate::args::{CertifyArgs, CheckArgs};
use crate::check::read_heap;
use crate::failure::{Failure, Status};
use crate::limits::Limits;
use crate::terminal::Terminal;
use std::time::Instant;
use tern::heap::{HeapModel, HeapProof, HeapRun, NoRun};
use tern_front::problem::Refusal;
use tern_front::{Problem, Source, Wrong, claims, input};
use tern_model::{Budget, Claims};
use tern_record::result_file::ResultEntry;
use tern_report::certified::{Finding, Report};

/// Reads the program and the results, and lets the certifier replay the runs.
pub(super) fn run(
    args: &CertifyArgs,
    limits: &Limits,
    terminal: &Terminal,
) -> Result<Status, Failure> {
    let first = limits.budget();
    let model = read_heap(&args.model, (&args.reading, &args.heap), &first)?;
    let source =
        input::open_for(&args.result, super::RESULT_ENDINGS, &first).map_err(|refusal| {
            match refusal {
                Refusal::Problems(problems) => {
                    Failure::Input(vec![Wrong { source: Source::new(&args.result, ""), problems }])
                }
                Refusal::Limit(limit) => Failure::Limit(limit),
            }
        })?;
    let wrong = |problems| Failure::Input(vec![Wrong { source: source.clone(), problems }]);
    let results = file::read(&source, &args.model).map_err(|problem| wrong(vec![*problem]))?;
    let (mut findings, mut problems) = (Vec::new(), Vec::new());
    for (number, entry) in (1..).zip(&results.results) {
        let budget = limits.budget();
        match finding(&model, entry, &budget) {
            Ok(found) => findings.push(found),
            Err((code, why)) => {
                problems.push(Problem::error(code, format!("result {number}: {why}")));
            }
        }
    }
    if !problems.is_empty() {
        return Err(wrong(problems));
    }
    let report = Report {
        model: args.model.clone(),
        result: source.name.clone(),
        top_level: false,
        settings: Vec::new(),
        findings,
    };
    super::conclude(&report, args.json, terminal)
}

fn finding(model: &HeapModel, entry: &ResultEntry<'_>, budget: &Budget) -> Result<Finding, Amiss> {
    let begin = Instant::now();
    let mut claims = Claims::new();
    claims.comparisons = true;
    let text = &entry.claim;
    let bad = |why: &str| ("E005", format!("the claim `{text}` cannot be read: {why}"));
    claims::read_one(&mut claims, text)
        .map_err(|problems| bad(problems.first().map_or("", |it| it.message.as_str())))?;
    let claim = claims.list().first().ok_or_else(|| bad("it says nothing"))?;
    let formula = claim.formula().ok_or_else(|| bad("it is no formula"))?;
    let verdict = match entry.verdict.as_str() {
        "holds" => "holds",
        "fails" => "fails",
        "unknown" => "unknown",
        other => return Err(("E006", format!("`{other}` is no verdict"))),
    };
    let formulas = &claims.formulas;
    // That it fails is shown by a run, or by a proof about all runs on an input.
    let checked = |json: &str| -> Result<(), NoRun> {
        let proof = HeapProof::read(json);
        match (verdict, proof) {
            ("fails", Ok(proof)) => model.certify_refutation(formulas, formula, &proof, budget),
            ("fails", Err(_)) => {
                let run = HeapRun::read(json).map_err(NoRun::Refused)?;
                model.certify(formulas, formula, &run, budget)
            }
            ("holds", proof) => {
                model.certify_proof(formulas, formula, &proof.map_err(NoRun::Refused)?, budget)
            }
            (other, _) => Err(NoRun::Refused(format!("nothing shows that it is {other}"))),
        }
    };
    let (status, reason) = match entry.evidence.map(|json| checked(json.get())) {
        None => (Found::NoEvidence, None),
        Some(Ok(())) => (Found::Accepted, None),
        Some(Err(NoRun::Refused(why))) => (Found::Refused, Some(why)),
        Some(Err(NoRun::Limit(limit))) => (Found::NotChecked, Some(limit.to_string())),
    };
    Ok(Finding {
        claim: claim.property.show(&claims.formulas).to_string(),
        name: entry.name.clone(),
        verdict,
        status,
        reason,
        seconds: begin.elapsed().as_secs_f64(),
    })
}

/// Whether a model is a pointer program.
pub(super) fn is_one(args: &CertifyArgs) -> bool {
    CheckArgs::is_heap(&args.model, &args.heap)
}

//! Findings as one JSON object, schema `tern-scan/1`.

use super::{Shown, certainty};
use crate::findings::{Finding, Suppression};
use serde_json::{Value, json as object};

/// How a suppression is called, and its reason.
pub(super) fn suppression(finding: &Finding) -> Option<(&'static str, &str)> {
    finding.suppression.as_ref().map(|it| match it {
        Suppression::Comment(reason) => ("comment", reason.as_str()),
        Suppression::Settings(reason) => ("settings", reason.as_str()),
        Suppression::Baseline => ("baseline", ""),
    })
}

/// The findings as JSON.
pub fn json(shown: &Shown) -> String {
    format!("{:#}\n", result(shown))
}

/// The object that [`json`] writes.
pub fn result(shown: &Shown) -> Value {
    let findings: Vec<Value> = shown
        .findings
        .iter()
        .map(|finding| {
            let rule = &shown.rules[finding.rule];
            let run: Vec<Value> = finding
                .run
                .iter()
                .map(|moment| {
                    object!({
                        "depth": moment.depth,
                        "file": moment.file,
                        "line": moment.line,
                        "procedure": moment.procedure,
                        "text": moment.text,
                        "essential": moment.essential,
                    })
                })
                .collect();
            let mut row = object!({
                "rule": rule.name,
                "severity": rule.severity.name(),
                "cwe": rule.cwe,
                "file": finding.file,
                "line": finding.line,
                "procedure": finding.procedure,
                "certainty": certainty(finding),
                "message": finding.message,
                "fingerprint": finding.fingerprint,
                "run": run,
            });
            if let Some((file, line)) = &finding.decided_at {
                row["decidedAt"] = object!({ "file": file, "line": line });
            }
            if finding.doubtful {
                row["doubtful"] = true.into();
            }
            if let Some((kind, reason)) = suppression(finding) {
                row["suppression"] = object!({ "kind": kind, "reason": reason });
            }
            row
        })
        .collect();
    let (certain, possible, suppressed) = shown.totals();
    let rules: Vec<&str> = shown.rules.iter().map(|rule| rule.name.as_str()).collect();
    let unused: Vec<Value> =
        shown.unused.iter().map(|(file, line)| object!({ "file": file, "line": line })).collect();
    object!({
        "schema": "tern-scan/1",
        "version": shown.version,
        "rules": rules,
        "counts": {
            "classes": shown.counts.classes,
            "procedures": shown.counts.procedures,
            "contexts": shown.counts.components,
            "nodes": shown.counts.nodes,
            "certain": certain,
            "possible": possible,
            "suppressed": suppressed,
            "doubtful": shown.counts.doubtful,
        },
        "notAnalysed": shown.left_out,
        "unusedSuppressions": unused,
        "findings": findings,
    })
}

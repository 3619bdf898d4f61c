//! Findings in SARIF 2.1.0, within the limits of GitHub: 25,000 results, 1,000 locations of a run.
//!
//! Suppressed findings stay in the file. `partialFingerprints` do not depend on lines.

use super::{Shown, certainty};
use crate::findings::{Finding, Moment, Suppression};
use crate::output::json::suppression;
use crate::rules::Rule;
use serde_json::{Value, json as object};

const MOST_RESULTS: usize = 25_000;
const MOST_LOCATIONS: usize = 1_000;
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The findings as SARIF.
pub fn sarif(shown: &Shown) -> String {
    let rules: Vec<Value> = shown.rules.iter().map(rule).collect();
    let mut order: Vec<&Finding> = shown.findings.iter().collect();
    // If some must be left out, then not those that matter most.
    order.sort_by_key(|finding| (finding.suppression.is_some(), !finding.certain));
    let left_out = order.len().saturating_sub(MOST_RESULTS);
    order.truncate(MOST_RESULTS);
    let results: Vec<Value> = order.into_iter().map(|finding| result(shown, finding)).collect();
    let mut notes: Vec<Value> = shown
        .left_out
        .iter()
        .map(|reason| object!({ "level": "warning", "message": { "text": reason } }))
        .collect();
    if left_out > 0 {
        let text = format!("{left_out} results are left out: a run has at most {MOST_RESULTS}");
        notes.push(object!({ "level": "warning", "message": { "text": text } }));
    }
    let all = object!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Tern",
                "version": shown.version,
                "informationUri": "https://github.com/tern-checker/tern",
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { "SRCROOT": { "description": { "text": "the folder of the sources" } } },
            "invocations": [{ "executionSuccessful": true, "toolExecutionNotifications": notes }],
            "results": results,
        }],
    });
    format!("{all:#}\n")
}

fn rule(rule: &Rule) -> Value {
    let first = rule.documentation.split(['.', ':']).next().unwrap_or_default();
    let mut tags = vec!["correctness".to_owned()];
    tags.extend(rule.cwe.iter().take(9).map(|cwe| format!("external/cwe/cwe-{cwe:03}")));
    object!({
        "id": rule.name,
        "name": rule.name,
        "shortDescription": { "text": first.replace('\n', " ") },
        "fullDescription": { "text": rule.documentation.replace('\n', " ") },
        "help": { "text": rule.documentation },
        "defaultConfiguration": { "level": rule.severity.name() },
        "properties": { "tags": tags, "precision": "high" },
    })
}

fn location(file: &str, line: u32, text: Option<&str>) -> Value {
    let mut physical = object!({
        "artifactLocation": { "uri": uri(file), "uriBaseId": "SRCROOT" },
    });
    // Where the line is not known, the first one stands for the file.
    physical["region"] = object!({ "startLine": line.max(1) });
    let mut location = object!({ "physicalLocation": physical });
    if let Some(text) = text {
        location["message"] = object!({ "text": text });
    }
    location
}

/// A path as a reference: what has a meaning in one is written as a number.
fn uri(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' | b'$' => {
                text.push(byte.into());
            }
            other => text += &format!("%{other:02X}"),
        }
    }
    text
}

fn result(shown: &Shown, finding: &Finding) -> Value {
    let rule = &shown.rules[finding.rule];
    let mut place = location(&finding.file, finding.line, None);
    place["logicalLocations"] =
        object!([{ "fullyQualifiedName": finding.procedure, "kind": "function" }]);
    let cut = finding.run.len().min(MOST_LOCATIONS);
    let steps: Vec<Value> = finding.run[..cut].iter().map(step).collect();
    let mut row = object!({
        "ruleId": rule.name,
        "ruleIndex": finding.rule,
        "level": rule.severity.name(),
        "message": { "text": format!("{} ({})", finding.message, certainty(finding)) },
        "locations": [place],
        "partialFingerprints": { "ternFingerprint/v1": finding.fingerprint },
        "codeFlows": [{ "threadFlows": [{ "locations": steps }] }],
        "properties": { "certainty": certainty(finding) },
    });
    if shown.has_baseline {
        let is_known = finding.suppression == Some(Suppression::Baseline);
        row["baselineState"] = object!(if is_known { "unchanged" } else { "new" });
    }
    if let Some((kind, reason)) = suppression(finding) {
        let kind = if kind == "comment" { "inSource" } else { "external" };
        row["suppressions"] = match reason {
            "" => object!([{ "kind": kind }]),
            reason => object!([{ "kind": kind, "justification": reason }]),
        };
    }
    row
}

fn step(moment: &Moment) -> Value {
    object!({
        "location": location(&moment.file, moment.line, Some(&moment.text)),
        "nestingLevel": moment.depth,
        "importance": if moment.essential { "essential" } else { "unimportant" },
    })
}

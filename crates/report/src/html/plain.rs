//! Claims about programs that have no machine, as data of the page: what their result file says.
//!
//! The results are those of `tern-integers/1`:
//! `{claim, name, number, verdict, reason, start: {line, values}, witness, stats, …}`. What a claim
//! fails with is shown as values beside the line; a run becomes `steps`: `[[line, labels, values]]`
//! with `back`, the step that an endless run comes back to, and `notes`, `[[step, text]]`.

use crate::visible;
use serde_json::{Value, json};

/// A text with every character visible; null stays null.
fn shown(value: &Value) -> Value {
    match value {
        Value::String(text) => visible(text).into(),
        Value::Number(number) => number.to_string().into(),
        Value::Bool(truth) => truth.to_string().into(),
        Value::Null | Value::Array(_) | Value::Object(_) => Value::Null,
    }
}

/// Names with values, as pairs.
fn pairs(values: &Value) -> Vec<Value> {
    let all = values.as_object().into_iter().flatten();
    let pair = |(name, value): (&String, &Value)| match value {
        Value::Null => json!([visible(name), "?"]),
        value => json!([visible(name), shown(value)]),
    };
    all.map(pair).collect()
}

/// The run of a witness. A part of it that begins in the last state goes on from there.
fn steps(witness: &Value) -> Value {
    let (mut steps, mut notes) = (Vec::new(), Vec::new());
    let mut back = Value::Null;
    let mut part = witness;
    while part["formula"].is_string() {
        let at = steps.len().saturating_sub(1);
        let formula = part["formula"].as_str().unwrap_or_default();
        let holds = part["holds"] == true;
        let is_run = part["reason"] == "run";
        let how = match (is_run, holds) {
            (true, true) => "holds by this run",
            (true, false) => "fails on this run",
            (false, true) => "holds on all paths",
            (false, false) => "fails on all paths",
        };
        notes.push(json!([at, visible(&format!("{formula} {how}"))]));
        if !is_run {
            break;
        }
        let moves = part["moves"].as_array().into_iter().flatten();
        let first = steps.is_empty().then_some(&part["from"]);
        for state in first.into_iter().chain(moves) {
            let labels: Vec<Value> =
                state["labels"].as_array().into_iter().flatten().map(shown).collect();
            steps.push(json!([state["line"], labels, pairs(&state["values"])]));
        }
        let ending = &part["ending"];
        match ending["kind"].as_str() {
            // The state that comes back is the one that the loop leads to.
            Some("loop") => {
                steps.pop();
                back =
                    ending["from"].as_u64().map_or(Value::Null, |from| (at as u64 + from).into());
            }
            Some("grows") => {
                let from = ending["from"].as_u64().unwrap_or(0) + at as u64 + 1;
                let by: Vec<String> = ending["by"]
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(name, by)| format!("{name} by {}", by.as_str().unwrap_or("?")))
                    .collect();
                let how = match by.is_empty() {
                    true => String::new(),
                    false => format!(", each time changing {}", by.join(", ")),
                };
                let note = format!("and so on from step {from}{how}");
                notes.push(json!([steps.len() - 1, visible(&note)]));
            }
            Some("inside") => {
                notes.push(json!([steps.len() - 1, "and so on: the call does not end"]));
            }
            Some("too-long" | "open") => {
                notes.push(json!([steps.len() - 1, "and so on, which is not followed further"]));
            }
            _ => {}
        }
        part = &part["asides"][0]["why"];
    }
    if steps.is_empty() { Value::Null } else { json!({"all": steps, "back": back, "notes": notes}) }
}

/// The lines that the run of a witness comes to, 0 for the end; of an endless one until it comes
/// back. None if it tells of no run.
pub(crate) fn told_lines(witness: &Value) -> Option<Vec<u32>> {
    let told = steps(witness);
    let line = |step: &Value| u32::try_from(step[0].as_u64().unwrap_or(0)).ok();
    let mut lines = told["all"].as_array()?.iter().map(line).collect::<Option<Vec<u32>>>()?;
    if let Some(&again) = told["back"].as_u64().and_then(|back| lines.get(back as usize)) {
        lines.push(again);
    }
    Some(lines)
}

/// The data of a claim.
pub(super) fn claim(result: &Value, partition: Option<&Value>) -> Value {
    let stats = &result["stats"];
    let counted = stats.as_object().into_iter().flatten();
    let counts: Vec<Value> = counted
        .filter(|(name, value)| {
            *name != "seconds" && *name != "certifying" && value.as_u64().is_some_and(|it| it > 0)
        })
        .map(|(name, value)| json!([name, value]))
        .collect();
    let start = result["start"].as_object().map(|start| {
        let values = start.get("values").map_or_else(Vec::new, pairs);
        json!({"line": start.get("line").and_then(Value::as_u64), "values": values})
    });
    let has_evidence = !result["evidence"].is_null();
    let evidence =
        has_evidence.then_some("cells of states, with reasons that are multiplied and added");
    let precondition = &result["precondition"];
    let missing: Vec<Value> =
        result["missing"].as_array().into_iter().flatten().map(shown).collect();
    json!({
        "number": result["number"],
        "name": shown(&result["name"]),
        "formula": shown(&result["claim"]),
        "verdict": result["verdict"],
        "reason": shown(&result["reason"]),
        "start": start,
        "replayed": result["replayed"] == true,
        "engine": "integers",
        "seconds": stats["seconds"].as_f64().unwrap_or(0.0),
        "counts": counts,
        "machine": null,
        "certificate": {
            "evidence": evidence,
            "accepted": result["certified"],
            "seconds": stats["certifying"],
        },
        "steps": steps(&result["witness"]),
        "partition": partition,
        "precondition": [shown(&precondition["holds"]), shown(&precondition["fails"])],
        "redundant": [], "missing": missing, "regions": [], "tellings": [],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_shown_with_the_values_that_it_fails_with() {
        let result = json!({
            "claim": "AF {x == 0}", "name": null, "number": 2, "verdict": "fails", "reason": null,
            "start": {"line": 3, "values": {"x": "-1"}}, "replayed": true,
            "stats": {"cells": 4, "rounds": 0, "seconds": 0.5},
        });
        let data = claim(&result, None);
        assert_eq!(data["start"], json!({"line": 3, "values": [["x", "-1"]]}));
        assert_eq!((&data["counts"], &data["seconds"]), (&json!([["cells", 4]]), &json!(0.5)));
        assert_eq!(claim(&json!({}), None)["start"], Value::Null);
    }

    #[test]
    fn parts_of_a_run_are_one_run() {
        let state = |line: u32, x: &str| json!({"line": line, "labels": [], "values": {"x": x}});
        let inner = json!({
            "formula": "EG q", "holds": true, "reason": "run", "from": state(4, "1"),
            "moves": [state(5, "2"), state(4, "1")], "ending": {"kind": "loop", "from": 0},
        });
        let witness = json!({
            "formula": "EF EG q", "holds": true, "reason": "run", "from": state(3, "0"),
            "moves": [state(4, "1")], "ending": {"kind": "done"}, "asides": [{"at": 1, "why": inner}],
        });
        let told = steps(&witness);
        let lines: Vec<&Value> =
            told["all"].as_array().expect("a list").iter().map(|it| &it[0]).collect();
        assert_eq!(lines, [3, 4, 5]);
        assert_eq!(told["back"], 1);
        let notes = json!([[0, "EF EG q holds by this run"], [1, "EG q holds by this run"]]);
        assert_eq!(told["notes"], notes);
        let grows = json!({
            "formula": "EG q", "holds": true, "reason": "run", "from": state(4, "1"),
            "moves": [state(5, "2")], "ending": {"kind": "grows", "from": 0, "by": {"x": "2"}},
        });
        let told = steps(&grows);
        let notes = json!([
            [0, "EG q holds by this run"],
            [1, "and so on from step 1, each time changing x by 2"]
        ]);
        assert_eq!((&told["back"], &told["notes"]), (&Value::Null, &notes));
        assert_eq!(steps(&Value::Null), Value::Null);
    }
}

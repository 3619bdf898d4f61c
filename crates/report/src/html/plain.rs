//! Claims about programs that have no machine, as data of the page: what their result file says.
//!
//! The results are those of `tern-integers/1`:
//! `{claim, name, number, verdict, reason, start: {line, values}, stats, …}`. What a claim fails
//! with is shown as values beside the line.

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

/// The data of a claim.
pub(super) fn claim(result: &Value) -> Value {
    let stats = &result["stats"];
    let counted = stats.as_object().into_iter().flatten();
    let counts: Vec<Value> = counted
        .filter(|(name, value)| *name != "seconds" && value.as_u64().is_some_and(|it| it > 0))
        .map(|(name, value)| json!([name, value]))
        .collect();
    let start = result["start"].as_object().map(|start| {
        let values = start.get("values").and_then(Value::as_object);
        let values: Vec<Value> = values
            .into_iter()
            .flatten()
            .map(|(name, value)| json!([visible(name), shown(value)]))
            .collect();
        json!({"line": start.get("line").and_then(Value::as_u64), "values": values})
    });
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
        "certificate": {"evidence": null, "accepted": null, "seconds": null},
        "redundant": [], "missing": [], "regions": [], "tellings": [],
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
        let data = claim(&result);
        assert_eq!(data["start"], json!({"line": 3, "values": [["x", "-1"]]}));
        assert_eq!((&data["counts"], &data["seconds"]), (&json!([["cells", 4]]), &json!(0.5)));
        assert_eq!(claim(&json!({}))["start"], Value::Null);
    }
}

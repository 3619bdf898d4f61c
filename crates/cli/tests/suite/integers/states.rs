//! Evidence by listed states: what is decided only so is certified, and forged evidence is refused.

use super::in_folder;
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

/// What is known of a product is not enough for the analysis.
const SQUARES: &str = "int g;
void main() { int x, y; y = 0; while (x > 0) { y = x * x + g; x = x - 1; } }";

const GIVEN: &str = "x >= 0 && x <= 5 && y == 0";

/// One that holds, one that fails, and two that CTL cannot say.
const CLAIMS: [&str; 4] = ["AG {y != 3}", "AG {y != 16}", "F G {y <= 1}", "F G {x > 0}"];

/// A folder with the program and its results, with evidence.
fn with_results() -> (TempDir, Value) {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("p.c"), SQUARES).expect("written");
    let mut args = vec!["check", "p.c", "--given", GIVEN, "--json", "--evidence"];
    args.extend(CLAIMS.iter().flat_map(|claim| ["-f", claim]));
    let (status, json, err) = in_folder(&folder, &args);
    assert_eq!(status, Some(1), "{json} {err}");
    let value: Value = serde_json::from_str(&json).expect("it is JSON");
    for (result, verdict) in value["results"]
        .as_array()
        .expect("a list")
        .iter()
        .zip(["holds", "fails", "holds", "fails"])
    {
        assert_eq!(result["verdict"], verdict, "{}", result["claim"]);
        assert!(!result["evidence"].is_null(), "{result}");
    }
    (folder, value)
}

/// What the certifier says of results: its status, and what it prints.
fn certified(folder: &TempDir, results: &Value) -> (Option<i32>, String) {
    fs::write(folder.path().join("r.json"), results.to_string()).expect("written");
    let (status, out, err) = in_folder(folder, &["certify", "p.c", "r.json"]);
    (status, out + &err)
}

#[test]
fn what_is_decided_by_listing_states_is_certified() {
    let (folder, results) = with_results();
    for number in [0, 1] {
        assert_eq!(results["results"][number]["evidence"]["kind"], "states");
    }
    let (status, said) = certified(&folder, &results);
    assert_eq!(status, Some(0), "{said}");
    for claim in CLAIMS {
        let args = ["check", "p.c", "--given", GIVEN, "-f", claim, "--certify", "--quiet"];
        let (_, out, err) = in_folder(&folder, &args);
        assert!(!out.contains("no evidence") && !err.contains("no evidence"), "{out} {err}");
    }
}

#[test]
fn forged_evidence_by_states_is_refused() {
    let (folder, results) = with_results();
    let refused = |why: &str, forge: &dyn Fn(&mut Vec<Value>)| {
        let mut forged = results.clone();
        let list = forged["results"].as_array_mut().expect("a list");
        forge(list);
        let (status, said) = certified(&folder, &forged);
        assert_eq!(status, Some(1), "{why}: {said}");
        assert!(said.contains(why), "{why}: {said}");
    };
    for (number, other) in [(0, "fails"), (1, "holds")] {
        refused("refused", &|list| list[number]["verdict"] = json!(other));
    }
    // That it holds is shown by all initial states only.
    refused("does not show that a claim holds", &|list| {
        list[0]["evidence"]["start"] = json!({ "x": 1 });
    });
    refused("cannot be listed", &|list| list[0]["evidence"]["starts"] = json!(3));
    refused("refused", &|list| list[0]["evidence"]["states"] = json!(2));
    refused("refused", &|list| list[0]["evidence"]["size"] = json!(1));
    // Nobody can make the certifier list without end.
    for field in ["starts", "states", "choices"] {
        refused("more states than are listed", &|list| {
            list[0]["evidence"][field] = json!(1_000_000_000_000_000_u64);
        });
    }
    // That it fails, by an initial state; g is 0, and x is 5 at most.
    for start in [json!({ "x": 9, "y": 0 }), json!({ "x": 5, "y": 0, "g": 4 }), json!({ "z": 1 })] {
        refused("cannot be listed", &|list| list[1]["evidence"]["start"] = start.clone());
    }
    refused("refused", &|list| list[1]["evidence"]["start"] = json!({ "x": 2, "y": 0 }));
    // Evidence for another claim, and none at all.
    refused("refused", &|list| {
        let other = list[1]["evidence"].clone();
        list[1]["evidence"] = list[3]["evidence"].clone();
        list[3]["evidence"] = other;
    });
    refused("refused", &|list| list[0]["claim"] = json!("AG {y != 4}"));
    refused("refused", &|list| list[0]["evidence"]["evidence"] = Value::Null);
    refused("version", &|list| list[0]["evidence"]["version"] = json!(2));
}

#[test]
fn evidence_by_states_is_about_one_program() {
    let (folder, mut results) = with_results();
    fs::write(folder.path().join("p.c"), SQUARES.replace("x * x", "x * x - 1")).expect("written");
    let (status, said) = certified(&folder, &results);
    assert_eq!(status, Some(1), "{said}");
    fs::write(folder.path().join("p.c"), SQUARES).expect("written");
    results["given"] = json!(["x >= 0 && x <= 6 && y == 0"]);
    // All is true as well with one more value, but the evidence is about other states.
    let (status, said) = certified(&folder, &results);
    assert_eq!(status, Some(1), "{said}");
    results["given"] = json!([]);
    let (status, said) = certified(&folder, &results);
    assert_eq!(status, Some(1), "{said}");
}

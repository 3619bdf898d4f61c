//! Witnesses in JSON have one shape, whatever the logic of the claim, and tell the sink from a
//! node. Graphs show the same runs.

use serde_json::Value;
use std::process::{Command, Output};

/// Two ways to begin; one ends in a call that has come back, and so in the sink.
const MODEL: &str = "end sink;
component main {
  initial entry a {p} -> a, b;
  initial entry b {q} -> w.in, a;
  box w: work;
  w.out -> last;
  exit last {q};
}
component work { entry in {q} -> out; exit out {q}; }
";

/// Checks the model in a folder of its own, in which only the model is afterwards.
fn check(options: &[&str]) -> Output {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("m.tern"), MODEL).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_tern"))
        .args(["check", "m.tern"])
        .args(options)
        .current_dir(directory.path())
        .output()
        .expect("Tern runs");
    assert_eq!(std::fs::read_dir(directory.path()).expect("there").count(), 1);
    output
}

/// The results of some claims, with their witnesses.
fn results(claims: &[&str]) -> Vec<Value> {
    let options = claims.iter().flat_map(|&claim| ["-f", claim]);
    let options: Vec<&str> =
        ["--json", "--witness", "--certify"].into_iter().chain(options).collect();
    let output = check(&options);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    json["results"].as_array().expect("a list").clone()
}

/// Asserts that a witness has the documented shape, and gives all moves in it, run by run.
fn runs(witness: &Value) -> Vec<Vec<Value>> {
    let mut waiting = vec![(witness, true)];
    let mut found = Vec::new();
    while let Some((story, outermost)) = waiting.pop() {
        let text = story.to_string();
        assert!(story["formula"].is_string() && story["holds"].is_boolean(), "{text}");
        let mut fields = vec!["formula", "holds", "reason"];
        match story["reason"].as_str().expect("a word") {
            "run" => {
                fields.extend(["moves", "ending", "values", "marks", "asides"]);
                let moves = story["moves"].as_array().expect("a list");
                // The sink comes from nowhere.
                let in_sink = |it: &Value| it["kind"] == "stay" && it["node"].is_null();
                let begins = (!moves.first().is_some_and(in_sink)).then_some(story);
                fields.extend(begins.map(|_| "origin"));
                for place in moves.iter().filter(|it| !it["node"].is_null()).chain(begins) {
                    assert_eq!(place["origin"]["file"], "m.tern", "{text}");
                    let name = place["node"].as_str().unwrap_or_default().rsplit('.').next();
                    let line = place["origin"]["line"].as_u64().expect("a number") as usize;
                    let line = MODEL.lines().nth(line - 1).expect("a line of the model");
                    assert!(line.contains(name.unwrap_or_default()), "{text}");
                }
                found.push(moves.clone());
                assert!(
                    ["done", "loop", "pump"].contains(&story["ending"]["kind"].as_str().unwrap())
                );
                let endless = story["ending"]["kind"] != "done";
                let states = moves.len() + usize::from(!endless);
                for values in story["values"].as_array().expect("a list") {
                    assert!(values["formula"].is_string(), "{text}");
                    assert_eq!(values["holds"].as_array().expect("a list").len(), states, "{text}");
                }
                for mark in story["marks"].as_array().expect("a list") {
                    assert!(mark["formula"].is_string() && mark["holds"].is_boolean(), "{text}");
                    assert!((mark["at"].as_u64().expect("a number") as usize) < states, "{text}");
                }
                for aside in story["asides"].as_array().expect("a list") {
                    assert!((aside["at"].as_u64().expect("a number") as usize) < states, "{text}");
                    waiting.push((&aside["why"], false));
                }
            }
            reason @ ("operands" | "initial") => {
                fields.push("operands");
                let operands = story["operands"].as_array().expect("a list");
                waiting.extend(operands.iter().map(|it| (it, reason == "initial")));
            }
            "labels" | "all-paths" | "too-long" => {}
            other => panic!("{other}: {text}"),
        }
        if outermost && story["reason"] != "initial" {
            fields.push("from");
            assert!(story["from"].is_string(), "{text}");
        }
        fields.sort_unstable();
        let mut there: Vec<_> = story.as_object().expect("an object").keys().collect();
        there.sort_unstable();
        assert_eq!(there, fields, "{text}");
    }
    found
}

#[test]
fn there_is_one_shape_for_all_logics() {
    let claims = [
        "AG p",
        "AG EF q",
        "EF (q & EX p)",
        "F G p",
        "E G F (p & X q)",
        "G (p -> F q)",
        "A F G (p | E F X q)",
        "E (G F p & F (q & E G F q))",
    ];
    let results = results(&claims);
    assert_eq!(results.len(), claims.len());
    for result in &results {
        assert_eq!(result["certified"], true, "{result}");
        runs(&result["witness"]);
    }
    // A claim that fails on a run of one initial node, and one that holds by a run from each.
    assert_eq!(results[3]["witness"]["reason"], "run");
    assert_eq!(results[3]["witness"]["holds"], false);
    assert_eq!(results[3]["witness"]["asides"].as_array().map(Vec::len), Some(0));
    // A law of logic makes it CTL, but it is told as it is written.
    assert_eq!(results[5]["witness"]["formula"], "G (p -> F q)");
    let each = &results[4]["witness"];
    assert_eq!((&each["reason"], &each["holds"]), (&"initial".into(), &true.into()));
    let from: Vec<_> = each["operands"].as_array().unwrap().iter().map(|it| &it["from"]).collect();
    assert_eq!(from, ["main.a", "main.b"]);
    // A formula inside, and why it has its value where that matters.
    let nested = &results[7]["witness"];
    assert_eq!(nested["values"][0]["formula"], "EG F q");
    assert_eq!(nested["asides"][0]["why"]["operands"][1]["formula"], "EG F q");
}

/// A request that may wait for ever, and one that is denied in a call.
const REQUESTS: &str = "component main {
  initial entry start -> ask;
  node ask {p} -> wait, h.in;
  node wait -> wait;
  box h: help;
  h.out -> done;
  node done {q} -> start;
}
component help { entry in -> out, bad; node bad {r} -> out; exit out; }
";

/// What is said of a claim that fails, without the lines on time and evidence.
#[track_caller]
fn told(claim: &str, engine: Option<&str>, expected: &[&str]) {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("m.tern"), REQUESTS).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_tern"))
        .args(["check", "m.tern", "--witness", "--certify", "-f", claim])
        .args(engine.iter().flat_map(|&engine| ["--engine", engine]))
        .current_dir(directory.path())
        .output()
        .expect("Tern runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("\n         certified in "), "{text}");
    let lines = text.lines().skip(1).map(|line| line.strip_prefix("         ").unwrap_or(line));
    let lines = lines.take_while(|line| !line.starts_with("evidence: "));
    let lines: Vec<&str> = lines.map(without_origin).collect();
    assert_eq!(lines, expected, "{text}");
}

/// A line of a run without the place that its node comes from, which must be the right one.
#[track_caller]
fn without_origin(line: &str) -> &str {
    let is_step = line.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let Some((rest, origin)) = line.split_once("  (m.tern:") else {
        assert!(!is_step, "it has no origin: {line}");
        return line;
    };
    let number: usize = origin.trim_end_matches(')').parse().expect("a number");
    let name = rest.split_whitespace().nth(1).expect("a node");
    let name = name.split('.').nth(1).expect("a node of a component");
    let declared = REQUESTS.lines().nth(number - 1).expect("a line of the model");
    assert!(declared.contains(&format!(" {name}")), "{line}: {declared}");
    rest
}

#[test]
fn claims_are_told_of_as_they_are_written() {
    let run = ["AG (r -> EF p & EG !q) fails on this run:", " 1  main.start {EF p, EG !q}"];
    let rest = [
        " 2  main.ask {p, EF p, EG !q}  calls help by h",
        " 3    help.in {EF p}",
        " 4    help.bad {r, EF p}",
        "here r holds",
        "here no path stays in !q for ever",
    ];
    told("AG (r -> EF p & EG !q)", None, &[&run[..], &rest[..]].concat());
    told("AG (r -> EF p & EG !q)", Some("global"), &[&run[..], &rest[..]].concat());
}

#[test]
fn a_claim_about_runs_fails_on_one_run() {
    // Decided as CTL by a law, or by following runs: the run is told in the same way.
    for engine in [None, Some("eager"), Some("automata"), Some("tableau")] {
        told(
            "G (p -> F q)",
            engine,
            &[
                "G (p -> F q) fails on this run:",
                " 1  main.start",
                " 2  main.ask {p}  ← from here on F q fails",
                " 3  main.wait",
                "    … and so on from step 3",
            ],
        );
        // Two runs are as good: the engines come to one or the other.
        let by_runs = matches!(engine, Some("automata" | "tableau"));
        let rest: &[&str] = match by_runs {
            true => &[
                " 2  main.ask {p}  calls help by h  ← X (!r U q) fails",
                " 3    help.in  ← !r U q fails",
                " 4    help.bad {r}  ← q fails",
            ],
            false => &[
                " 2  main.ask {p}  ← X (!r U q) fails",
                " 3  main.wait  ← !r U q fails",
                "    … and so on from step 3",
            ],
        };
        let begin = ["G (p -> X (!r U q)) fails on this run:", " 1  main.start"];
        told("G (p -> X (!r U q))", engine, &[&begin[..], rest].concat());
        told(
            "G !r",
            engine,
            &[
                "G !r fails on this run:",
                " 1  main.start",
                " 2  main.ask  calls help by h",
                " 3    help.in",
                " 4    help.bad {r}",
            ],
        );
    }
    told(
        "F G (p | F q)",
        None,
        &[
            "F G (p | F q) fails on this run:",
            " 1  main.start  ← p fails, from here on F q fails",
            " 2  main.ask {p}",
            " 3  main.wait  ← p fails, from here on F q fails",
            "    … and so on from step 3",
        ],
    );
}

#[test]
fn the_sink_is_no_node() {
    // By a story with a run inside the sink, by an endless run, and by one that ends in the sink.
    let claims = [
        "EF (q & EX (!p & !q & EG !(p | q)))",
        "A G F (p | X q)",
        "EF !(p | q)",
        "E F (q & E (X G !(p | q) & F A G !p))",
    ];
    for result in results(&claims) {
        assert_eq!(result["certified"], true, "{result}");
        let mut ended = false;
        for run in runs(&result["witness"]) {
            for step in run {
                ended |= step["kind"] == "sink";
                assert_eq!(step["node"].is_null(), ended, "{result}");
            }
        }
        assert!(ended, "{result}");
    }
}

#[test]
fn a_graph_may_go_to_standard_output_alone() {
    let output = check(&["-f", "AG p", "-f", "F G p", "--dot", "-"]);
    assert_eq!(output.status.code(), Some(1));
    let (graph, text) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(graph.starts_with("digraph") && graph.ends_with("}\n"), "{graph}");
    assert!(graph.contains("penwidth"), "{graph}");
    assert!(text.starts_with("fails    1: AG p\n") && text.contains("2 claims: 2 fail"), "{text}");
    let output = check(&["-f", "AG p", "--dot", "-", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}

#[test]
fn a_graph_changes_nothing_of_what_is_told() {
    for claim in ["AG p", "F G p"] {
        for quiet in [&[][..], &["--quiet"]] {
            let with = check(&[&["-f", claim, "--dot", "-"], quiet].concat());
            let without = check(&[&["-f", claim], quiet].concat());
            let [with, without] =
                [&with.stderr, &without.stdout].map(|text| String::from_utf8_lossy(text));
            assert!(with.starts_with("fails"), "{with}");
            assert_eq!(with, without);
        }
    }
}

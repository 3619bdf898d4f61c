//! Drives the built binary: exit statuses, what goes to which stream, and the shape of the JSON.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// `main` calls `callee`, which may loop for ever in red or return; then all is black.
const MODEL: &str = r#"{"initial_component": "main", "initial_node": "n1", "components": [
  {"name": "main",
   "nodes": [{"name": "n1", "is_entry": true, "labels": ["red"]},
             {"name": "n4", "is_exit": true, "labels": ["black"]}],
   "boxes": [{"name": "b", "component": "callee", "call_nodes": ["n6"], "return_nodes": ["n9"]}],
   "transitions": [
     {"source": {"type": "node", "name": "n1"},
      "targets": [{"type": "box_node", "box_name": "b", "node_name": "n6"}]},
     {"source": {"type": "box_node", "box_name": "b", "node_name": "n9"},
      "targets": [{"type": "node", "name": "n4"}]}]},
  {"name": "callee",
   "nodes": [{"name": "n6", "is_entry": true, "labels": ["red"]},
             {"name": "n9", "is_exit": true, "labels": ["red"]}],
   "transitions": [
     {"source": {"type": "node", "name": "n6"},
      "targets": [{"type": "node", "name": "n6"}, {"type": "node", "name": "n9"}]}]}]}
"#;

const HOLDS: &str = "E [red U black]";
const FAILS: &str = "A [red U black]";

struct Case {
    directory: TempDir,
}

impl Case {
    fn new() -> Self {
        let case = Case { directory: tempfile::tempdir().expect("a directory") };
        case.write("m.rsm", MODEL);
        case
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, content: &str) {
        std::fs::write(self.path(name), content).expect("written");
    }

    fn tern(&self, args: &[&str]) -> Output {
        run(self.directory.path(), args, "")
    }
}

fn run(directory: &Path, args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tern"))
        .args(args)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("tern starts");
    // It may end without reading.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    child.wait_with_output().expect("tern ends")
}

fn status(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

#[track_caller]
fn assert_refused(output: &Output, words: &str) {
    assert_eq!(status(output), 2, "{}", stderr(output));
    assert_eq!(stdout(output), "");
    assert!(stderr(output).contains(words), "{}", stderr(output));
}

#[test]
fn claims_that_hold_give_status_0() {
    let output = Case::new().tern(&["check", "m.rsm", "-f", HOLDS]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).starts_with("holds    E [red U black]\n"), "{}", stdout(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_claim_that_fails_gives_status_1_and_is_explained() {
    let output = Case::new().tern(&["check", "m.rsm", "-f", HOLDS, "-f", FAILS]);
    assert_eq!(status(&output), 1, "{}", stderr(&output));
    let text = stdout(&output);
    assert!(
        text.contains(
            "\nfails    2: A [red U black]\n         A [red U black] fails on this run:\n          1  main.n1"
        ),
        "{text}"
    );
    assert!(text.ends_with("\n2 claims: 1 holds, 1 fails\n"), "{text}");
}

#[test]
fn quiet_prints_only_what_does_not_hold() {
    let output = Case::new().tern(&["check", "m.rsm", "-f", HOLDS, "-f", FAILS, "--quiet"]);
    assert_eq!((status(&output), stdout(&output)), (1, "fails    2: A [red U black]\n"));
}

#[test]
fn limits_give_unknown_and_status_3() {
    let case = Case::new();
    for limit in [["--timeout", "0s"], ["--memory", "1k"]] {
        let output = case.tern(&["check", "m.rsm", "-f", HOLDS, limit[0], limit[1]]);
        assert_eq!(status(&output), 3, "{}", stderr(&output));
        assert!(stdout(&output).starts_with("unknown  E [red U black]\n"), "{}", stdout(&output));
        assert!(stdout(&output).contains("limit of"), "{}", stdout(&output));
    }
}

#[test]
fn the_random_engine_takes_a_seed() {
    let case = Case::new();
    for seed in ["0", "7"] {
        let args = ["check", "m.rsm", "-f", HOLDS, "--engine", "random", "--seed", seed];
        assert_eq!(status(&case.tern(&args)), 0);
    }
    assert_refused(&case.tern(&["check", "m.rsm", "-f", HOLDS, "--seed", "x"]), "--seed");
}

#[test]
fn settings_that_the_engine_ignores_are_refused() {
    let case = Case::new();
    for (setting, engine, reader) in [
        ("--seed", "auto", "random"),
        ("--seed", "lazy", "random"),
        ("--shuffle", "random", "lazy"),
        ("--shuffle", "automata", "lazy"),
    ] {
        let args = ["check", "m.rsm", "-f", HOLDS, setting, "1", "--engine"];
        assert_refused(&case.tern(&[&args[..], &[engine]].concat()), reader);
        assert_eq!(status(&case.tern(&[&args[..], &[reader]].concat())), 0);
    }
}

#[test]
fn json_is_one_object_with_the_promised_fields() {
    let case = Case::new();
    case.write("c.ctl", "E [red U black]\nA [red U black]\n");
    let output = case.tern(&["check", "m.rsm", "c.ctl", "-f", "EF blak", "--json", "--evidence"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["schema"], "tern-result/1");
    assert_eq!(json["model"], "m.rsm");
    assert_eq!(json["initial"], serde_json::json!(["main.n1"]));
    let results = json["results"].as_array().expect("a list");
    let verdicts: Vec<_> = results.iter().map(|result| &result["verdict"]).collect();
    assert_eq!(verdicts, ["holds", "fails", "fails"]);
    assert_eq!(results[1]["claim"], FAILS);
    assert_eq!(results[1]["culprit"], "main.n1");
    let places: Vec<_> = results.iter().map(|it| (&it["file"], it["line"].as_u64())).collect();
    let file = serde_json::json!("c.ctl");
    let (first, second) = ((&file, Some(1)), (&file, Some(2)));
    assert_eq!(places, [first, second, (&serde_json::Value::Null, None)]);
    for result in results {
        assert!(result["name"].is_null() && result["reason"].is_null());
        assert!(result["engine"].is_string());
        for counter in ["contexts", "evaluations", "edges", "seconds"] {
            assert!(result["stats"][counter].is_number(), "{counter}");
        }
        assert_eq!(result["evidence"]["kind"], "labelling");
    }
    let warning = &json["warnings"][0];
    assert_eq!(warning["place"], "formula 1:1:4");
    assert_eq!(warning["hint"], "did you mean `black`?");
    assert!(stderr(&output).contains("no node has the label `blak`"), "{}", stderr(&output));
}

#[test]
fn a_limit_is_told_in_json_too() {
    let output = Case::new().tern(&["check", "m.rsm", "-f", HOLDS, "--json", "--timeout", "0"]);
    assert_eq!(status(&output), 3);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["results"][0]["verdict"], "unknown");
    assert!(json["results"][0]["reason"].is_string() && json["reason"].is_string());
}

#[test]
fn wrong_inputs_are_all_reported_and_nothing_is_checked() {
    let case = Case::new();
    case.write("broken.ctl", "AG (red\n");
    let output = case.tern(&["check", "none.rsm", "broken.ctl", "-f", "E [red U"]);
    assert_refused(&output, "none.rsm");
    assert_refused(&output, "broken.ctl:1:");
    assert_refused(&output, "formula 1:1:");
    assert!(stderr(&output).ends_with("nothing was checked\n"));
    case.write("notes.txt", "hello\n");
    assert_refused(&case.tern(&["check", "notes.txt", "-f", HOLDS]), "nothing was checked");
}

#[test]
fn wrong_usage_has_status_2_and_a_way_out() {
    let case = Case::new();
    assert_refused(&case.tern(&["check", "m.rsm"]), "-f 'AG p'");
    assert_refused(&case.tern(&["check", "m.rsm", "-f", HOLDS, "--engine", "steam"]), "auto");
    assert_refused(&case.tern(&["check", "m.rsm", "-f", HOLDS, "--timeout", "soon"]), "30s");
    assert_refused(&case.tern(&["check", "-", "-"]), "only once");
    assert_refused(&case.tern(&[]), "Usage");
}

#[test]
fn the_model_may_come_from_standard_input() {
    let case = Case::new();
    let output = run(case.directory.path(), &["check", "-", "-f", HOLDS], MODEL);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
}

#[test]
fn colours_are_used_when_asked_for_and_not_in_pipes() {
    let case = Case::new();
    let args = ["check", "m.rsm", "-f", FAILS];
    let coloured = case.tern(&[&args[..], &["--color", "always"]].concat());
    assert!(stdout(&coloured).starts_with("\x1b["), "{}", stdout(&coloured));
    assert!(!stdout(&case.tern(&args)).contains('\x1b'));
    let output = Command::new(env!("CARGO_BIN_EXE_tern"))
        .args(args)
        .current_dir(case.directory.path())
        .env("NO_COLOR", "1")
        .output()
        .expect("tern runs");
    assert!(!stdout(&output).contains('\x1b'));
}

#[test]
fn dead_ends_are_warned_of_or_refused() {
    let case = Case::new();
    case.write(
        "stuck.rsm",
        &MODEL.replace(r#""is_exit": true, "labels": ["black"]"#, r#""labels": ["black"]"#),
    );
    let warned = case.tern(&["check", "stuck.rsm", "-f", HOLDS]);
    assert_eq!(status(&warned), 0, "{}", stderr(&warned));
    assert!(stderr(&warned).contains("1 reachable dead end: main.n4"), "{}", stderr(&warned));
    let args = ["check", "stuck.rsm", "-f", HOLDS, "--deadlock", "error"];
    assert_refused(&case.tern(&args), "1 reachable dead end: main.n4");
}

#[test]
fn info_tells_facts_as_text_and_json() {
    let case = Case::new();
    let output = case.tern(&["info", "m.rsm", "--calls"]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("main calls callee\n"), "{}", stdout(&output));
    let output = case.tern(&["info", "m.rsm", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["components"], 2);
    assert_eq!(json["recursion"], serde_json::json!([]));
}

#[test]
fn convert_goes_both_ways_and_overwrites_only_by_force() {
    let case = Case::new();
    let output = case.tern(&["convert", "m.rsm", "-o", "m.tern"]);
    assert_eq!(status(&output), 0, "{}", stderr(&output));
    assert_refused(&case.tern(&["convert", "m.rsm", "-o", "m.tern"]), "--force");
    assert_eq!(status(&case.tern(&["convert", "m.rsm", "-o", "m.tern", "--force"])), 0);
    assert_refused(&case.tern(&["convert", "m.rsm", "-o", "-"]), "--to");
    let back = case.tern(&["convert", "m.tern", "-o", "-", "--to", "rsm"]);
    case.write("back.rsm", stdout(&back));
    let output = case.tern(&["check", "back.rsm", "-f", HOLDS, "-f", FAILS]);
    assert_eq!(status(&output), 1, "{}", stderr(&output));
}

#[test]
fn completions_and_manual_pages_are_printed() {
    let case = Case::new();
    for shell in ["bash", "zsh", "fish"] {
        let output = case.tern(&["completions", shell]);
        assert_eq!(status(&output), 0);
        assert!(stdout(&output).contains("tern"), "{shell}");
    }
    for args in [&["man"][..], &["man", "check"]] {
        let output = case.tern(args);
        assert_eq!(status(&output), 0);
        let page = stdout(&output);
        assert!(page.starts_with(".ie") || page.starts_with(".TH"), "{page}");
    }
    assert_refused(&case.tern(&["man", "nothing"]), "check");
    let help = case.tern(&["check", "--help"]);
    assert_eq!(status(&help), 0);
    assert!(stdout(&help).contains("Exit status:"));
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let case = Case::new();
    case.write("many.ctl", &"E [red U black]\n".repeat(5000));
    let mut child = Command::new(env!("CARGO_BIN_EXE_tern"))
        .args(["check", "m.rsm", "many.ctl"])
        .current_dir(case.directory.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("tern starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("tern ends");
    assert_eq!(status(&output), 141, "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn runs_are_printed_drawn_and_cut() {
    let case = Case::new();
    let output =
        case.tern(&["check", "m.rsm", "-f", FAILS, "--witness", "--json", "--dot", "m.dot"]);
    assert_eq!(status(&output), 1, "{output:?}");
    let json: serde_json::Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let witness = &json["results"][0]["witness"];
    assert_eq!(witness["holds"], false, "{witness}");
    assert!(witness.to_string().contains("callee.n6"), "{witness}");
    let graph = std::fs::read_to_string(case.path("m.dot")).expect("drawn");
    assert!(graph.starts_with("digraph") && graph.contains("callee"), "{graph}");

    let output = case.tern(&["check", "m.rsm", "-f", FAILS, "--witness"]);
    assert!(stdout(&output).contains("and so on"), "{}", stdout(&output));
    let output = case.tern(&["check", "m.rsm", "-f", FAILS, "--witness", "--max-steps", "1"]);
    assert!(!stdout(&output).contains("and so on"), "{}", stdout(&output));
    assert_eq!(status(&output), 1, "a run that is too long does not change the verdict");
}

#[test]
fn a_claim_that_holds_vacuously_is_said_to() {
    let case = Case::new();
    let says = |formula: &str, what: &str| {
        let output = case.tern(&["check", "m.rsm", "--witness", "-f", formula]);
        assert_eq!(status(&output), 0, "{output:?}");
        assert!(stdout(&output).contains(what), "{what}:\n{}", stdout(&output));
        assert!(what.contains("vacuously") || !stdout(&output).contains("vacuously"), "{output:?}");
    };
    says("AG (black & red -> AF black)", "holds vacuously: black & red is never reached");
    says("AG (black & EF red -> AX red)", "holds vacuously: black & EF red is never reached");
    says(
        "AG (red -> AX (black & red -> AF red))",
        "holds vacuously: black & red is never true where it counts; AG (red -> AX !(black & red)) holds",
    );
    says("AG (black -> EF black)", "black does not matter: AG EF black holds");
    says("AG (black -> AF black)", "EF (black & EF black) holds by this run");
}

#[test]
fn claims_that_hold_on_all_runs_have_an_example() {
    let case = Case::new();
    let claim = ["-f", "AG (red -> AX (red | black))", "--witness", "--certify"];
    let output = case.tern(&[&["check", "m.rsm"], &claim[..]].concat());
    let text = stdout(&output);
    assert!(text.contains("holds on all runs; for example:\n"), "{text}");
    assert!(text.contains("certified in"), "{text}");
    let arguments = [&["check", "m.rsm", "--json", "--dot", "m.dot"], &claim[..]].concat();
    let output = case.tern(&arguments);
    let json: serde_json::Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let result = &json["results"][0];
    assert_eq!(result["certified"], true, "{result}");
    assert_eq!(result["example"]["from"], "main.n1", "{result}");
    assert!(result["example"].to_string().contains("moves"), "{result}");
    let graph = std::fs::read_to_string(case.path("m.dot")).expect("drawn");
    assert!(graph.contains("penwidth"), "{graph}");
}

#[test]
fn evidence_that_takes_too_much_does_not_cost_the_verdict() {
    let case = Case::new();
    // The claims need no context, but there are 2^20, and evidence speaks of all.
    let make = ["generate", "rsm", "--family", "exponential", "--size", "20", "-o", "large.tern"];
    assert_eq!(status(&case.tern(&make)), 0);
    // One thread: memory that explains one claim is not taken from the decision of another.
    let limits = ["--threads", "1", "--memory", "64MiB"];
    let arguments = ["check", "large.tern", "--certify", "--witness", "--json"];
    let output = case.tern(&[&arguments[..], &limits].concat());
    assert_eq!(status(&output), 1, "{output:?}");
    let json: serde_json::Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let results = json["results"].as_array().expect("a list");
    let verdicts: Vec<_> = results.iter().map(|result| &result["verdict"]).collect();
    assert_eq!(verdicts, ["holds", "holds", "fails"]);
    let lost = |what: &str| format!("no {what}: memory limit of 64.0 MiB reached");
    for result in results {
        let missing = result["missing"].as_array().expect("a list");
        assert_eq!(missing[..2], [lost("evidence"), lost("run")], "{result}");
        assert!(result["evidence"].is_null() && result["certified"].is_null(), "{result}");
    }
    let meaning = [lost("example"), lost("search for parts that do not matter")];
    let missing = results[1]["missing"].as_array().expect("a list");
    assert_eq!(missing[2..], meaning, "{missing:?}");
}

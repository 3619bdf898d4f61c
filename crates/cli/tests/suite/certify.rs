//! Drives `tern certify` and `tern check --certify`: evidence is accepted, and refused once it or
//! the model has been tampered with.

use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const MODEL: &str = include_str!("../../../../examples/running.tern");

struct Case(TempDir);

impl Case {
    /// A directory with `m.tern`, and the result of checking it as `r.json`.
    fn new() -> Self {
        let case = Case(tempfile::tempdir().expect("a directory"));
        case.write("m.tern", MODEL);
        let output = case.tern(&["check", "m.tern", "--json", "--evidence"]);
        case.write("r.json", &text(&output.stdout));
        case
    }

    fn write(&self, name: &str, content: &str) {
        std::fs::write(self.path().join(name), content).expect("written");
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn result(&self) -> Value {
        let text = std::fs::read_to_string(self.path().join("r.json")).expect("it is there");
        serde_json::from_str(&text).expect("JSON")
    }

    fn tern(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tern"));
        command.args(args).current_dir(self.path()).output().expect("tern runs")
    }

    /// The exit status and the lines of `tern certify` on a result.
    fn certify(&self, result: &Value) -> (i32, String) {
        self.write("tampered.json", &result.to_string());
        let output = self.tern(&["certify", "m.tern", "tampered.json"]);
        let said = text(&output.stdout) + &text(&output.stderr);
        (output.status.code().expect("no signal"), said)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn evidence_is_accepted() {
    let case = Case::new();
    let output = case.tern(&["certify", "m.tern", "r.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.starts_with("accepted     holds    reach_black: E [red U black]\n"), "{said}");
    assert!(said.contains("accepted     fails    always_black: A [red U black]\n"), "{said}");
    assert!(said.ends_with("\n5 results: 5 accepted\n"), "{said}");
    let output = case.tern(&["certify", "m.tern", "r.json", "--json"]);
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(said["schema"], "tern-certify/1");
    assert_eq!(said["results"][1]["status"], "accepted");
    assert_eq!(said["results"][1]["name"], "always_black");
    assert!(said["results"][1]["reason"].is_null());
}

#[test]
fn a_false_verdict_or_false_evidence_is_refused() {
    let case = Case::new();
    let tampered = |path: &str, value: Value| {
        let mut result = case.result();
        *result.pointer_mut(path).unwrap_or_else(|| panic!("no {path}")) = value;
        let (status, said) = case.certify(&result);
        assert_eq!(status, 1, "{path}: {said}");
        assert!(said.contains("refused ") && said.contains("because: "), "{path}: {said}");
        assert!(said.ends_with("5 results: 4 accepted, 1 refused\n"), "{path}: {said}");
    };
    tampered("/results/0/verdict", json!("fails"));
    tampered("/results/1/verdict", json!("holds"));
    tampered("/results/1/culprit", json!("main.n2"));
    tampered("/results/0/claim", json!("A [red U black]"));
    let layer = "/results/0/evidence/layers/0";
    tampered(&format!("{layer}/frames/0/holds"), json!("1"));
    tampered(&format!("{layer}/frames/0/component"), json!(1));
    tampered(&format!("{layer}/frames/0/component"), json!(99));
    tampered(&format!("{layer}/frames/0/order"), json!([]));
    tampered(&format!("{layer}/proof"), json!({"kind": "next"}));
    tampered("/results/0/evidence/layers", json!([]));
    tampered("/results/0/evidence/version", json!(7));
    tampered("/results/0/evidence", json!("trust me"));
    tampered("/results/0/evidence", json!({"kind": "oath", "version": 1}));
}

#[test]
fn what_is_missing_is_told() {
    let case = Case::new();
    let mut result = case.result();
    result["results"][2]["evidence"] = Value::Null;
    let (status, said) = case.certify(&result);
    assert_eq!(status, 3, "{said}");
    assert!(said.contains("no evidence  holds    can_end: AG EF AG black\n"), "{said}");
    assert!(said.ends_with("5 results: 4 accepted, 1 without evidence\n"), "{said}");
    for entry in result["results"].as_array_mut().expect("there are results") {
        entry["evidence"] = Value::Null;
    }
    let (status, said) = case.certify(&result);
    assert_eq!(status, 3, "{said}");
    assert!(said.ends_with("with --json --evidence\n"), "{said}");
    let lazy = ["check", "m.tern", "-f", "F G red", "--engine", "lazy", "--json", "--evidence"];
    let output = case.tern(&lazy);
    case.write("unknown.json", &text(&output.stdout));
    let output = case.tern(&["certify", "m.tern", "unknown.json"]);
    assert_eq!(text(&output.stdout), "no evidence  unknown  F G red\n");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn another_model_is_noticed() {
    let case = Case::new();
    let refused = |model: &str, words: &str, status: i32| {
        case.write("other.tern", model);
        let output = case.tern(&["certify", "other.tern", "r.json"]);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{said}");
        assert!(said.contains(words), "{said}");
    };
    let one_more = MODEL.replace("node n2 {red} -> n3;", "node n2 {red} -> n3; node n0 -> n3;");
    refused(&one_more, "the number of nodes there is 9, and here it is 10", 2);
    // The same size and start: only what is proved can tell the difference.
    refused(&MODEL.replace("exit n5 {black}", "exit n5 {red}"), "refused ", 1);
}

#[test]
fn check_certifies_at_once() {
    let case = Case::new();
    let output = case.tern(&["check", "m.tern", "--certify"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).matches("         certified in ").count(), 5);
    let output =
        case.tern(&["check", "m.tern", "--certify", "--json", "-f", "EF red", "-f", "FG red"]);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["results"][0]["certified"], true);
    assert_eq!(json["results"][0]["evidence"]["kind"], "labelling");
    assert_eq!(json["results"][1]["certified"], true);
    assert_eq!(json["results"][1]["evidence"]["kind"], "runs");
    assert!(case.result()["results"][0]["certified"].is_null());
}

#[test]
fn evidence_of_every_kind_is_read_back() {
    let case = Case::new();
    let mut arguments = vec!["check", "m.tern", "--json", "--evidence"];
    for claim in
        ["EF red", "F G red", "E F G black", "A F (black | E G F red)", "G F red | G F black"]
    {
        arguments.extend(["-f", claim]);
    }
    let output = case.tern(&arguments);
    let mut result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let kinds = |result: &Value| -> Vec<String> {
        let results = result["results"].as_array().expect("a list").iter();
        results.map(|it| it["evidence"]["kind"].as_str().expect("a kind").to_owned()).collect()
    };
    assert_eq!(kinds(&result), ["labelling", "runs", "labelling", "star", "absence"]);
    let (status, said) = case.certify(&result);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("5 accepted"), "{said}");
    // What proves one claim proves nothing of another.
    let other = result["results"][4]["evidence"].take();
    result["results"][1]["evidence"] = other;
    let (status, said) = case.certify(&result);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("refused"), "{said}");
}

#[test]
fn standard_input_and_deep_files_are_no_trouble() {
    let case = Case::new();
    let output = case.tern(&["certify", "-", "-"]);
    assert!(text(&output.stderr).contains("only once"));
    let mut result = case.result();
    result["results"] = json!([]);
    let (status, said) = case.certify(&result);
    // That all of nothing is accepted would tell a script that all is well.
    assert_eq!((status, said.as_str()), (3, "there are no results\n"));
    let deep = "[".repeat(1_000_000);
    let around = |inner: &str| {
        format!(
            r#"{{"schema":"tern-result/1","initial":["main.n1"],"results":[{{"claim":"EF red",
               "name":null,"verdict":"holds","culprit":null,"evidence":{inner}}}]}}"#
        )
    };
    case.write("deep.json", &around(&deep));
    assert_eq!(case.tern(&["certify", "m.tern", "deep.json"]).status.code(), Some(2));
    let closed = deep.clone() + &"]".repeat(1_000_000);
    for evidence in
        [closed.clone(), format!(r#"{{"kind":"labelling","version":1,"program":{closed}}}"#)]
    {
        case.write("deep.json", &around(&evidence));
        let output = case.tern(&["certify", "m.tern", "deep.json"]);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    }
}

/// An automaton for the runs on which `black` comes some day. It is deterministic.
const SOME_DAY: &str = "HOA: v1
States: 2
Start: 0
AP: 1 \"black\"
Acceptance: 1 Inf(0)
--BODY--
State: 0
[!0] 0
[0] 1
State: 1
[t] 1 {0}
--END--
";

/// An automaton for the runs on which `black` comes some day, or `red` again and again. It is not
/// deterministic.
const DAY_OR_NIGHT: &str = "HOA: v1
States: 3
Start: 0
Start: 2
AP: 2 \"black\" \"red\"
Acceptance: 1 Inf(0)
--BODY--
State: 0
[t] 0
[0] 1
State: 1
[t] 1 {0}
State: 2
[!1] 2
[1] 2 {0}
--END--
";

/// An automaton that accepts nothing.
const NEVER: &str = "HOA: v1
States: 1
Start: 0
AP: 1 \"black\"
Acceptance: 1 Inf(0)
--BODY--
State: 0
[t] 0
--END--
";

/// What `tern certify` says of a result with these automata, and its exit status.
fn certify_with(case: &Case, automata: &[&str]) -> (i32, String) {
    let output = case.tern(&[&["certify", "m.tern", "a.json"], automata].concat());
    let said = text(&output.stdout) + &text(&output.stderr);
    (output.status.code().expect("no signal"), said)
}

#[test]
fn evidence_for_automata_is_accepted_with_the_automata() {
    let case = Case::new();
    case.write("some.hoa", SOME_DAY);
    case.write("either.hoa", DAY_OR_NIGHT);
    case.write("never.hoa", NEVER);
    let automata = [
        "--automaton",
        "some.hoa",
        "--automaton",
        "never.hoa",
        "--automaton-positive",
        "some.hoa",
        "--automaton-positive",
        "either.hoa",
    ];
    for fair in [&[][..], &["--fair", "red | black", "--fair", "!red"]] {
        let given = [&automata[..], fair].concat();
        let output =
            case.tern(&[&["check", "m.tern", "-f", "G F red", "--certify"], &given[..]].concat());
        let said = text(&output.stdout);
        assert_eq!(said.matches("certified in").count(), 5, "{said}");
        let command = ["check", "m.tern", "-f", "G F red", "--json", "--evidence"];
        let output = case.tern(&[&command[..], &given].concat());
        case.write("a.json", &text(&output.stdout));
        let (status, said) = certify_with(&case, &automata);
        assert_eq!(status, 0, "{said}");
        assert!(said.ends_with("5 results: 5 accepted\n"), "{said}");
        // What is checked is said with the fairness conditions.
        assert_eq!(said.contains("run with G F (red | black) & G F !red is"), !fair.is_empty());
    }
    let result: Value =
        serde_json::from_slice(&std::fs::read(case.path().join("a.json")).expect("it is there"))
            .expect("JSON");
    let about = &result["results"][4]["automaton"];
    let expected = json!({"accepts": "every run", "fair": ["red | black", "!red"],
        "propositions": ["black", "red"], "states": 3, "transitions": 5, "marks": 1});
    assert_eq!(about, &expected);

    // Other verdicts, other claims and other conditions are not proved by it.
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut result = result.clone();
        change(&mut result);
        case.write("a.json", &result.to_string());
        let (status, said) = certify_with(&case, &automata);
        assert!(status == 1 && said.contains("refused ") && said.contains("because: "), "{said}");
    };
    for at in 1..5 {
        refused(&|result| {
            let entry = &mut result["results"][at];
            let holds = entry["verdict"] == "holds";
            entry["verdict"] = json!(if holds { "fails" } else { "holds" });
            entry["culprit"] = Value::Null;
        });
    }
    refused(&|result| {
        let evidence = result["results"][1]["evidence"].take();
        result["results"][3]["evidence"] = evidence;
    });
    refused(&|result| {
        let evidence = result["results"][0]["evidence"].take();
        result["results"][1]["evidence"] = evidence;
    });
    refused(&|result| {
        result["results"][1]["automaton"]["fair"] = json!(["red & black"]);
    });
}

/// A result does not depend on the others: files with some results, in any order, or with results
/// twice.
#[test]
fn results_can_be_left_out_and_moved() {
    let case = Case::new();
    case.write("some.hoa", SOME_DAY);
    case.write("either.hoa", DAY_OR_NIGHT);
    case.write("never.hoa", NEVER);
    // As large as `never.hoa`, so that a result does not tell which of the two it is about.
    case.write("always.hoa", &NEVER.replace("[t] 0", "[t] 0 {0}"));
    let mut check = vec!["check", "m.tern", "--json", "--evidence"];
    for claim in
        ["EF red", "F G red", "E F G black", "A F (black | E G F red)", "G F red | G F black"]
    {
        check.extend(["-f", claim]);
    }
    let automata = [
        ("--automaton", "some.hoa"),
        ("--automaton", "never.hoa"),
        ("--automaton", "always.hoa"),
        ("--automaton-positive", "some.hoa"),
        ("--automaton-positive", "either.hoa"),
    ];
    check.extend(automata.iter().flat_map(|&(option, file)| [option, file]));
    let output = case.tern(&check);
    let whole: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let count = whole["results"].as_array().expect("a list").len();
    let kinds: std::collections::BTreeSet<_> =
        (0..count).filter_map(|i| whole["results"][i]["evidence"]["kind"].as_str()).collect();
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["absence", "labelling", "runs", "star"]);
    let certify = |picked: &[usize]| {
        let mut result = whole.clone();
        result["results"] = picked.iter().map(|&i| whole["results"][i].clone()).collect();
        case.write("a.json", &result.to_string());
        // Automata are given from the last, and only those that are asked for.
        let mut given = Vec::new();
        for (i, &(option, file)) in automata.iter().enumerate().rev() {
            if picked.contains(&(count - automata.len() + i)) {
                given.extend([option, file]);
            }
        }
        let (status, said) = certify_with(&case, &given);
        assert_eq!(status, 0, "{picked:?}: {said}");
        assert_eq!(said.matches("accepted  ").count(), picked.len(), "{picked:?}: {said}");
    };
    (0..count).for_each(|i| certify(&[i]));
    (0..count).for_each(|i| certify(&[i, i]));
    certify(&(0..count).rev().collect::<Vec<_>>());
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..8 {
        let picked: Vec<usize> = (0..rng.usize(1..=count)).map(|_| rng.usize(..count)).collect();
        certify(&picked);
    }
    // An automaton that is called otherwise by now is known by its proof.
    case.write("renamed.hoa", NEVER);
    let mut result = whole.clone();
    result["results"] = json!([whole["results"][count - 4]]);
    case.write("a.json", &result.to_string());
    let given = ["--automaton", "always.hoa", "--automaton", "renamed.hoa"];
    let (status, said) = certify_with(&case, &given);
    assert!(status == 0 && said.contains("renamed.hoa"), "{said}");
}

#[test]
fn a_claim_that_holds_does_not_fail_anywhere() {
    let case = Case::new();
    case.write("some.hoa", SOME_DAY);
    let claims = ["EF red", "F (red | black)", "E G F red", "A F (black | E G F red)"];
    for claim in claims {
        let check = ["check", "m.tern", "--json", "--evidence", "-f", claim];
        let output = case.tern(&check);
        let mut result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        if result["results"][0]["verdict"] != "holds" {
            continue;
        }
        result["results"][0]["culprit"] = json!("main.n1");
        let (status, said) = case.certify(&result);
        assert!(status == 1 && said.contains("main.n1, and to hold"), "{claim}: {said}");
    }
    // And one that fails does so where it is said to, or nowhere that is shown.
    let output = case.tern(&["check", "m.tern", "--json", "--evidence", "-f", "F G red"]);
    let mut result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(result["results"][0]["evidence"]["kind"], "runs");
    result["results"][0]["culprit"] = json!("main.n2");
    let (status, said) = case.certify(&result);
    assert!(status == 1 && said.contains("main.n2, which is no initial node"), "{said}");
}

/// What is certified is not the work of those who decided it.
#[test]
fn no_engine_takes_part() {
    let sources = [
        include_str!("../../src/certify.rs"),
        include_str!("../../src/certify/file.rs"),
        include_str!("../../src/certify/given.rs"),
    ];
    assert!(sources.iter().all(|source| !source.contains("tern_engine")));
    let manifest = include_str!("../../../certify/Cargo.toml");
    assert!(!manifest.contains("tern-engine") && !manifest.contains("tern-automata"));
}

#[test]
fn numbers_beyond_all_bounds_are_refused() {
    let case = Case::new();
    case.write("either.hoa", DAY_OR_NIGHT);
    let automata = ["--automaton-positive", "either.hoa"];
    let check = ["check", "m.tern", "--json", "--evidence", "--fair", "red"];
    let output = case.tern(&[&check[..], &automata].concat());
    let whole: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for number in [u64::from(u32::MAX), u64::from(u32::MAX) - 1, 1 << 32, u64::MAX] {
        for watch in
            [json!([number]), json!([number, 0]), json!({"tree": [[number, 0, 0]], "guess": null})]
        {
            let mut result = whole.clone();
            result["results"][0]["evidence"] = json!({"kind": "absence", "version": 1,
                "sought": "not accepted", "from": [0], "watches": [watch], "levels": [],
                "starts": []});
            result["results"][0]["verdict"] = json!("holds");
            result["results"][0]["culprit"] = Value::Null;
            case.write("a.json", &result.to_string());
            let (status, said) = certify_with(&case, &automata);
            assert_eq!(status, 1, "{said}");
        }
    }
}

#[test]
fn limits_end_the_check_with_a_reason() {
    let case = Case::new();
    let output = case.tern(&["certify", "m.tern", "r.json", "--timeout", "0"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("time limit of 0s reached"));
    let output = case.tern(&["certify", "m.tern", "r.json", "--memory", "1"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let output = case.tern(&["certify", "m.tern", "r.json", "--timeout", "1h", "--memory", "1TiB"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // A claim whose alternatives are more than anyone can count.
    let wide: Vec<String> = (0..40).map(|i| format!("(X a{i} | X X b{i})")).collect();
    let claim = format!("E [{}]", wide.join(" & "));
    // Six subformulas in each part, and those that join the parts.
    let sought = 6 * 40 + 39;
    let mut result = case.result();
    result["results"] = json!([{"claim": claim, "name": null, "verdict": "fails", "culprit": null,
        "evidence": {"kind": "absence", "version": 1, "sought": sought, "from": [0], "promises": [],
            "states": [[sought], []], "levels": [null], "starts": [{"node": 0, "state": 0,
                "root": true, "vertices": [[0, 0, 0, 0]], "leaves": []}]}}]);
    case.write("wide.json", &result.to_string());
    let output = case.tern(&["certify", "m.tern", "wide.json", "--timeout", "2s"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.starts_with("not checked  fails    E ["), "{said}");
    assert!(said.ends_with("because: time limit of 2s reached\n"), "{said}");
}

#[test]
fn results_about_automata_need_the_same_automata() {
    let case = Case::new();
    case.write("some.hoa", SOME_DAY);
    case.write("never.hoa", NEVER);
    let check = ["check", "m.tern", "--json", "--evidence"];
    let automata = ["--automaton", "never.hoa", "--automaton-positive", "some.hoa"];
    let output = case.tern(&[&check[..], &automata].concat());
    case.write("a.json", &text(&output.stdout));
    assert_eq!(certify_with(&case, &automata).0, 0);
    let wrong: [(&[&str], &str); 5] = [
        (
            &[],
            "error[E007]: result 1: it is about an automaton, which is to be given with --automaton FILE",
        ),
        (
            &automata[..2],
            "result 2: it is about an automaton, which is to be given with --automaton-positive",
        ),
        (
            &["--automaton", "some.hoa", "--automaton-positive", "some.hoa"],
            "result 1: it is about another automaton: the number of states there is 1, and in `some.hoa` it is 2",
        ),
        (
            &[
                "--automaton",
                "never.hoa",
                "--automaton-positive",
                "some.hoa",
                "--automaton",
                "some.hoa",
            ],
            "no result is about the automaton `some.hoa`",
        ),
        (&["--automaton", "m.tern", "--automaton-positive", "some.hoa"], "m.tern:1:"),
    ];
    for (given, message) in wrong {
        let (status, said) = certify_with(&case, given);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains(message), "{said}");
    }
    // One of the same size is told by the evidence.
    case.write("other.hoa", &NEVER.replace("[t] 0", "[t] 0 {0}"));
    let given = ["--automaton", "other.hoa", "--automaton-positive", "some.hoa"];
    let (status, said) = certify_with(&case, &given);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("no run is accepted by other.hoa"), "{said}");
    // Results that say nonsense of automata.
    let result = std::fs::read_to_string(case.path().join("a.json")).expect("it is there");
    for (from, to, code) in [
        ("\"no run\"", "\"some run\"", "E005"),
        ("\"fair\":[]", "\"fair\":[\"E F black\"]", "E005"),
        ("\"fair\":[]", "\"fair\":[\"((\"]", "E005"),
        ("\"fair\":[]", "\"fair\":0", "E003"),
    ] {
        case.write("a.json", &result.replace(from, to));
        let (status, said) = certify_with(&case, &automata);
        assert!(status == 2 && said.contains(code), "{said}");
    }
}

//! Several models on one command line: what is a model and what is a claim, the table, the order,
//! the exit status, and JSON of all of it.

use serde_json::Value;
use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;

const GOOD: &str = "component main { initial entry a {p} -> b; node b {q} -> a; }\nclaim AG (p -> AF q);\nclaim back: AG EF p;\n";
const BAD: &str = "component main {\n  initial entry a {p} -> b;\n  nod b {q} -> a;\n}\n";
const FAILING: &str = "component main { initial entry a {p} -> a, b; node b {q} -> a; }\nclaim live: AF q;\nclaim AG EF q;\n";
const SILENT: &str = "component main { initial entry a {p} -> a; }\n";

struct Case(TempDir);

impl Case {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        for (name, text) in files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        Case(directory)
    }

    fn tern(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_tern"))
            .args(args)
            .current_dir(self.0.path())
            .env_remove("NO_COLOR")
            .output()
            .expect("Tern runs")
    }

    /// The exit status, standard output and standard error.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let Output { status, stdout, stderr } = self.tern(args);
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (status.code().expect("no signal"), text(stdout), text(stderr))
    }
}

#[test]
fn each_model_has_a_heading_and_a_row_and_a_bad_one_does_not_stop_the_rest() {
    let case =
        Case::new(&[("a.tern", GOOD), ("b.tern", BAD), ("c.tern", FAILING), ("d.tern", SILENT)]);
    let (status, out, err) = case.run(&["check", "a.tern", "b.tern", "c.tern", "d.tern"]);
    assert_eq!(status, 2, "{out}{err}");
    let expected = "\
a.tern
holds    1: AG (p -> AF q)  (a.tern:2)
holds    back: AG EF p  (a.tern:3)
c.tern
fails    live: AF q  (c.tern:2)
         AF q fails on this run:
          1  main.a  (c.tern:1)
             … and so on from step 1
holds    2: AG EF q  (c.tern:3)

model    holds   fails  unknown
a.tern       2       -        -
b.tern  not read
c.tern       1       1        -
d.tern  no claims
4 models, 4 claims: 3 hold, 1 fails; 1 model was not read
";
    assert_eq!(out, expected);
    assert!(err.starts_with("error[T006]: unexpected `nod`\n --> b.tern:3:3\n"), "{err}");
    assert!(err.ends_with("did you mean `node`?\n\nb.tern was not checked\n"), "{err}");
    let (status, out, _) = case.run(&["check", "a.tern", "c.tern", "--quiet"]);
    assert_eq!((status, out.as_str()), (1, "c.tern\nfails    live: AF q  (c.tern:2)\n"));
    assert_eq!(case.run(&["check", "a.tern", "d.tern"]).0, 0);
    let (status, _, err) = case.run(&["check", "d.tern", "d.tern"]);
    assert_eq!(status, 2);
    assert!(err.starts_with("error: there is no claim to check"), "{err}");
}

#[test]
fn claims_count_for_all_models_and_folders_are_searched_in_the_order_of_names() {
    let case = Case::new(&[
        ("m/b.tern", GOOD),
        ("m/a/z.tern", FAILING),
        ("m/.hidden/no.tern", BAD),
        ("m/c.tern", GOOD),
        ("m/notes.txt", "no model"),
        ("m/other.json", "{}"),
        ("m/own.ctl", "AG no_such_label"),
        ("common.ctl", "EF q\n"),
        ("empty/x.txt", ""),
    ]);
    let (status, out, err) = case.run(&["check", "common.ctl", "m", "--allow", "W209"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    // Claims in the folder do not count, and that is said, unless they are named.
    let (status, _, err) = case.run(&["check", "common.ctl", "m"]);
    assert!(status == 0 && err.starts_with("warning[W209]") && err.contains("m/own.ctl"), "{err}");
    let (status, _, err) = case.run(&["check", "common.ctl", "m", "--deny", "W209", "--quiet"]);
    assert!(status == 1 && err.ends_with("the warning W209 is denied\n"), "{err}");
    let (_, _, err) = case.run(&["check", "m", "./m/own.ctl"]);
    assert!(!err.contains("W209"), "{err}");
    let rows: Vec<&str> = out.lines().filter(|line| line.starts_with("m/")).collect();
    assert_eq!(rows[..3], ["m/a/z.tern", "m/b.tern", "m/c.tern"], "{out}");
    assert_eq!(out.matches("holds    EF q  (common.ctl:1)\n").count(), 3, "{out}");
    // A folder with one model is still several.
    let (_, out, _) = case.run(&["check", "m/a", "common.ctl"]);
    assert!(out.ends_with("1 model, 1 claim: 1 holds\n"), "{out}");
    let (status, out, err) = case.run(&["check", "empty", "common.ctl"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("error[M105]: there is no model in the folder `empty`"), "{err}");
    // What is wrong with the claims for all is said once, and nothing is checked.
    fs::write(case.0.path().join("common.ctl"), "EF (q\n").expect("written");
    let (status, out, err) = case.run(&["check", "m", "common.ctl"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert_eq!(err.matches("error[").count(), 1, "{err}");
}

#[test]
fn one_object_holds_all_models_and_lines_hold_one_result_each() {
    let case = Case::new(&[("a.tern", GOOD), ("b.tern", BAD), ("c.tern", FAILING)]);
    let (status, out, _) = case.run(&["check", "a.tern", "b.tern", "c.tern", "--json"]);
    assert_eq!(status, 2);
    let json: Value = serde_json::from_str(&out).expect("one object");
    let models = json["models"].as_array().expect("a list");
    let names: Vec<_> = models.iter().map(|model| model["model"].as_str()).collect();
    assert_eq!(names, [Some("a.tern"), Some("b.tern"), Some("c.tern")]);
    assert_eq!(models[0]["results"][1]["name"], "back");
    assert_eq!(models[0]["results"][0]["number"], 1);
    assert_eq!(models[1]["problems"][0]["code"], "T006");
    assert_eq!(models[1]["problems"][0]["place"], "b.tern:3:3");
    assert_eq!(models[2]["results"][0]["verdict"], "fails");
    assert_eq!(json["summary"]["refused"], 1);
    assert_eq!(json["summary"]["fails"], 1);

    let (status, out, _) = case.run(&["check", "a.tern", "b.tern", "c.tern", "--json=lines"]);
    assert_eq!(status, 2);
    let lines: Vec<Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    let told: Vec<String> = lines
        .iter()
        .map(|line| {
            assert_eq!(line["schema"], "tern-line/1");
            let word = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
            format!("{} {} {}", word("kind"), word("model"), word("verdict"))
        })
        .collect();
    let expected = [
        "result a.tern holds",
        "result a.tern holds",
        "problem b.tern ",
        "result c.tern fails",
        "result c.tern holds",
        "summary  ",
    ];
    assert_eq!(told, expected);
}

#[test]
fn bad_input_is_json_too() {
    let case = Case::new(&[("b.tern", BAD), ("a.tern", GOOD)]);
    let (status, out, err) = case.run(&["check", "b.tern", "-f", "EF q", "--json"]);
    assert_eq!(status, 2);
    assert!(err.contains("error[T006]"), "{err}");
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(json["schema"], "tern-result/1");
    assert_eq!(json["problems"][0]["message"], "unexpected `nod`");
    assert_eq!(json["problems"][0]["hint"], "did you mean `node`?");
    assert_eq!(json["results"], Value::Array(Vec::new()));
    for arguments in [&["-f", "EF ("][..], &["--claim", "nobody"], &["nowhere.ctl"]] {
        let arguments = [&["check", "a.tern", "--json"], arguments].concat();
        let (status, out, _) = case.run(&arguments);
        assert_eq!(status, 2, "{arguments:?}");
        let json: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(json["problems"].as_array().map(Vec::len), Some(1), "{json}");
    }
    let (_, out, _) = case.run(&["check", "a.tern", "--json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert!(json.get("problems").is_none(), "{json}");
}

#[test]
fn failing_fast_stops_at_the_first_failure() {
    let case = Case::new(&[("a.tern", GOOD), ("b.tern", BAD), ("c.tern", FAILING)]);
    let (status, out, _) = case.run(&["check", "c.tern", "--fail-fast"]);
    assert_eq!(status, 1);
    assert!(out.contains("fails    live") && !out.contains("2: AG EF q"), "{out}");
    assert!(
        out.ends_with("stopped at the first claim that fails; 1 more claim not decided\n"),
        "{out}"
    );
    let (status, out, _) = case.run(&["check", "a.tern", "c.tern", "b.tern", "--fail-fast"]);
    assert_eq!(status, 1);
    assert!(out.ends_with("stopped at the first failure; 1 more model not looked at\n"), "{out}");
    assert_eq!(case.run(&["check", "b.tern", "c.tern", "--fail-fast"]).0, 2);
}

#[test]
fn claims_are_picked_by_name_or_number() {
    let case = Case::new(&[("a.tern", GOOD), ("c.tern", FAILING)]);
    let (_, out, _) = case.run(&["check", "a.tern", "--claim", "1"]);
    assert_eq!(out, "holds    1: AG (p -> AF q)  (a.tern:2)\n");
    let (status, out, _) = case.run(&["check", "a.tern", "c.tern", "--claim", "live"]);
    assert_eq!(status, 1);
    assert!(out.contains("a.tern  no claims\n"), "{out}");
    let (status, _, err) = case.run(&["check", "a.tern", "c.tern", "--claim", "lvie"]);
    assert_eq!(status, 2);
    assert!(err.contains("did you mean `live`?"), "{err}");
}

#[test]
fn vacuity_and_fairness_that_no_run_fulfils_are_warnings() {
    let vacuous = "component main { initial entry a {p} -> a; node b {q} -> a; }\nclaim AG (q -> AF z);\nclaim AG (p -> AF p);\n";
    let unfair =
        "component main { initial entry a {p} -> a; node b {q} -> a; }\nfair q;\nclaim AF p;\n";
    let case = Case::new(&[("v.tern", vacuous), ("u.tern", unfair)]);
    let (status, out, _) = case.run(&["check", "v.tern", "--allow", "W201"]);
    assert_eq!(status, 0);
    let expected = "\
holds    1: AG (q -> AF z)  (v.tern:2)
         warning[W206]: holds vacuously: q is never reached
holds    2: AG (p -> AF p)  (v.tern:3)
";
    assert!(out.starts_with(expected), "{out}");
    let (_, out, _) = case.run(&["check", "v.tern", "--allow", "all"]);
    assert!(!out.contains("vacuous"), "{out}");
    let (status, out, err) = case.run(&["check", "v.tern", "--deny", "W206", "--quiet"]);
    assert_eq!((status, out.as_str()), (1, ""), "{err}");
    assert!(err.ends_with("the warning W206 is denied\n"), "{err}");
    assert_eq!(
        case.run(&["check", "v.tern", "--quiet", "--allow", "W201"]),
        (0, String::new(), String::new())
    );
    let (_, out, _) = case.run(&["check", "v.tern", "--json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    let codes: Vec<_> =
        json["warnings"].as_array().expect("a list").iter().map(|it| it["code"].as_str()).collect();
    assert_eq!(codes, [Some("W201"), Some("W206")]);
    assert_eq!(json["warnings"][1]["place"], "v.tern:2:7");

    let (status, out, err) = case.run(&["check", "u.tern"]);
    assert_eq!(status, 0);
    assert!(err.starts_with("warning[W207]: no run is fair"), "{err}");
    assert!(!out.contains("vacuously"), "{out}");
    assert_eq!(case.run(&["check", "u.tern", "--deny", "W207"]).0, 1);
    let (_, _, err) = case.run(&["check", "u.tern", "--allow", "W207"]);
    assert_eq!(err, "");
}

#[test]
fn many_claims_that_were_not_begun_are_one_line() {
    let case = Case::new(&[("a.tern", GOOD)]);
    let claims: Vec<String> = (0..500).map(|i| format!("c{i}: AG EF p")).collect();
    let given = claims.iter().flat_map(|claim| ["-f", claim.as_str()]);
    let args: Vec<&str> =
        ["check", "a.tern", "--memory", "1KiB"].into_iter().chain(given).collect();
    let (status, out, _) = case.run(&args);
    assert_eq!(status, 3);
    assert_eq!(out.lines().filter(|line| line.starts_with("unknown")).count(), 1, "{out}");
    assert!(out.contains("unknown  500 claims (c0, c1, c2 and 497 more): "), "{out}");
}

#[test]
fn nothing_in_a_model_steers_the_terminal() {
    let evil = "a\u{1b}[2J\u{202e}\u{2066}b";
    let model = format!(
        "component main {{ initial entry \"{evil}\" {{\"{evil}\"}} -> \"{evil}\"; }}\n\
         claim \"{evil}\": AG !\"{evil}\";\nclaim AG (\"no {evil}\" -> AF p);\n"
    );
    let wrong = format!("component main {{ initial entry \"{evil}\" -> \"{evil}x\"; }}\n");
    let case = Case::new(&[("m.tern", &model), ("w.tern", &wrong)]);
    let commands: [&[&str]; 6] = [
        &["check", "m.tern"],
        &["check", "m.tern", "--witness", "--where", "--stats"],
        &["check", "m.tern", "w.tern"],
        &["check", "m.tern", "--claim", evil],
        &["check", "m.tern", "--claim", "\u{202e}"],
        &["info", "m.tern", "--calls"],
    ];
    for command in commands {
        let (_, out, err) = case.run(command);
        for text in [out, err] {
            assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{2066}']), "{command:?}\n{text:?}");
        }
    }
}

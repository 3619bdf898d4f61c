//! What is said of mistakes that need the model or several files to be seen: one message each, with
//! the way out.

use serde_json::Value;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

const AGAIN: &str = include_str!("../../../../examples/again.tern");
const OTHER: &str = "component main { initial a {p} -> a; }\nclaim AG p;\nclaim AF q;\n";

struct Case(TempDir);

impl Case {
    fn new() -> Self {
        let case = Case(tempfile::tempdir().expect("a directory"));
        case.put("again.tern", AGAIN);
        case.put("other.tern", OTHER);
        case
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).expect("written");
    }

    /// The exit status, standard output and standard error.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let mut tern = Command::new(env!("CARGO_BIN_EXE_tern"));
        let output = tern.args(args).current_dir(self.0.path()).output().expect("Tern runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
    }

    /// The message and the help of each problem with a formula about `again.tern`.
    fn told(&self, formula: &str) -> Vec<String> {
        let (_, out, _) = self.run(&["check", "again.tern", "-f", formula, "--json"]);
        let result: Value = serde_json::from_str(&out).expect("an object");
        let list = |key: &str| result[key].as_array().cloned().unwrap_or_default();
        let remarks = list("problems").into_iter().chain(list("warnings"));
        let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
        let line = |it: Value| {
            format!("{} {}: {}", text(&it["code"]), text(&it["message"]), text(&it["hint"]))
        };
        remarks.map(line).collect()
    }
}

#[test]
fn what_a_claim_speaks_of_is_named_or_the_way_out_is() {
    let case = Case::new();
    let node = "claims speak of labels: `node done {done}` gives it one";
    for (formula, expected) in [
        (
            "EF called()",
            "C006 `called` asks for one component, in parentheses: write for instance `called(fetch)`",
        ),
        (
            "EF Called(\"fetch\")",
            "C006 `Called(fetch)` is no label, and no property of the stack: did you mean `called(fetch)`?",
        ),
        (
            "EF calls(\"fetch\")",
            "C006 `calls(fetch)` is no label, and no property of the stack: did you mean `called(fetch)`?",
        ),
        (
            "EF stak(\"main .*\")",
            "C006 `stak(\"main .*\")` is no label, and no property of the stack: did you mean `stack(\"main .*\")`?",
        ),
        (
            "EF stack(main .* fetch)",
            "F018 what `stack` asks for needs quotes: write `stack(\"main .* fetch\")`",
        ),
        (
            "EF stack(\"main get\")",
            "C006 there is no component `get`: `get` is a box, and it calls `fetch`; write the name of the component: `fetch`",
        ),
        (
            "EF called(nobody)",
            "C006 there is no component `nobody`: the components are `main` and `fetch`",
        ),
        ("AF DONE", "W201 no node has the label `DONE`: did you mean `done`?"),
        (
            "EF main.done",
            &format!(
                "W201 no node has the label `main.done`: `main.done` is the name of a node; {node}"
            ),
        ),
        (
            "EF fetch",
            "W201 no node has the label `fetch`: `fetch` is the name of a component; `called(fetch)` holds while it is called",
        ),
        (
            "AF (x1 | y1 | Waiting | Done)",
            "W201 claims use 4 labels that no node has: `x1`, `y1`, `Waiting`, `Done`: for `Waiting`, did you mean `waiting`?\nfor `Done`, did you mean `done`?",
        ),
    ] {
        assert_eq!(case.told(formula), [expected], "{formula}");
    }
    let told = case.told("AG waiting -> done");
    let help = "`AG` binds tighter than `->`; did you mean `AG (waiting -> done)`?";
    assert!(told[0].starts_with("W206 ") && told[0].ends_with(help), "{told:?}");
    let (_, out, _) = case.run(&["check", "again.tern", "-f", "AG waiting -> done"]);
    assert!(out.contains(&format!("\n           = help: {help}\n")), "{out}");
    // In the order of the text.
    let told = case.told("EF calls(fetch) & EF Called(fetch)");
    assert!(told[0].contains("`calls(fetch)`") && told[1].contains("`Called(fetch)`"), "{told:?}");
}

#[test]
fn a_model_that_is_named_twice_counts_once() {
    let case = Case::new();
    case.put("c.ctl", "safe: AG p\n");
    let (status, out, err) = case.run(&["check", "other.tern", "./other.tern"]);
    assert_eq!(status, 1, "{err}");
    assert!(out.ends_with("\n1 model, 2 claims: 1 holds, 1 fails\n"), "{out}");
    let (status, out, err) = case.run(&["check", "other.tern", "c.ctl", "./c.ctl"]);
    assert_eq!((status, out.as_str()), (0, "holds    safe: AG p  (c.ctl:1)\n"), "{err}");
}

#[test]
fn lines_of_json_end_in_a_summary() {
    let case = Case::new();
    let last = |args: &[&str]| -> Value {
        let (_, out, _) = case.run(&[&["check", "--json=lines"], args].concat());
        serde_json::from_str(out.lines().last().expect("a line")).expect("an object")
    };
    let line = last(&["again.tern", "other.tern"]);
    assert_eq!(
        line.to_string(),
        r#"{"claims":4,"complete":true,"fails":2,"holds":2,"kind":"summary","models":2,"refused":0,"schema":"tern-line/1","unknown":0}"#
    );
    let line = last(&["again.tern", "other.tern", "--fail-fast"]);
    assert_eq!((&line["models"], &line["complete"]), (&1.into(), &false.into()), "{line}");
    let line = last(&["other.tern", "-f", "AF q", "-f", "AG p", "--fail-fast"]);
    assert_eq!((&line["claims"], &line["complete"]), (&1.into(), &false.into()), "{line}");
    let line = last(&["other.tern", "-f", "AG ("]);
    assert_eq!((&line["refused"], &line["kind"]), (&1.into(), &"summary".into()), "{line}");
}

#[test]
fn results_on_several_models_are_certified_one_by_one() {
    let case = Case::new();
    let args = ["check", "again.tern", "other.tern", "--json", "--evidence"];
    let (_, out, err) = case.run(&args);
    case.put("result.json", &out);
    for (model, claims) in [("again.tern", 2), ("other.tern", 2), ("./other.tern", 2)] {
        let (status, out, err) = case.run(&["certify", model, "result.json"]);
        assert_eq!(status, 0, "{model}: {out}{err}");
        assert_eq!(out.lines().filter(|line| line.starts_with("accepted")).count(), claims);
    }
    case.put("third.tern", OTHER);
    let (status, _, told) = case.run(&["certify", "third.tern", "result.json"]);
    assert_eq!(status, 2, "{err}");
    assert!(told.contains("error[E008]: the results are about several models"), "{told}");
    let help = "it has results on `again.tern`, `other.tern`; give one of these as the model";
    assert!(told.contains(help), "{told}");
}

#[test]
fn very_long_labels_are_cut_for_people_and_kept_in_json() {
    let case = Case::new();
    let label = "l".repeat(5_000);
    case.put("long.tern", &format!("component main {{ initial a {{{label}}} -> a; }}"));
    let formula = format!("AF !{label}");
    let (_, out, err) = case.run(&["check", "long.tern", "-f", &formula]);
    assert!(out.lines().chain(err.lines()).all(|line| line.chars().count() < 200), "{out}{err}");
    assert!(out.contains(&format!("main.a {{{}…}}", "l".repeat(100))), "{out}");
    let (_, out, _) = case.run(&["check", "long.tern", "-f", &formula, "--json", "--witness"]);
    assert!(out.contains(&label), "{out}");
}

#[test]
fn all_problems_are_shown_if_asked_for() {
    let case = Case::new();
    let nodes: String = (0..30).map(|i| format!("node n{i} -> missing{i};\n")).collect();
    case.put("bad.tern", &format!("component main {{\ninitial a -> a;\n{nodes}}}\n"));
    let shown = |args: &[&str]| {
        let (_, _, err) = case.run(&[&["check", "bad.tern"], args].concat());
        (err.matches("error[").count(), err.lines().last().unwrap_or_default().to_owned())
    };
    let more = "20 more problems (--max-problems 0 shows more); nothing was checked";
    assert_eq!(shown(&[]), (10, more.to_owned()));
    assert_eq!(shown(&["--max-problems", "0"]), (30, "nothing was checked".to_owned()));
    assert_eq!(shown(&["--max-problems=29"]).0, 29);
}

#[test]
fn what_stands_in_the_wrong_place_of_the_command_line_is_told() {
    let case = Case::new();
    let told = |args: &[&str]| {
        let (status, _, err) = case.run(args);
        (status, err)
    };
    let (status, err) = told(&["check", "again.tern", "AG done"]);
    let help = "= help: a formula is given with -f: `-f 'AG done'`";
    assert!(status == 2 && err.contains(help), "{err}");
    let (status, err) = told(&["again.tern"]);
    let help = "= help: to check its claims: tern check again.tern";
    assert!(status == 2 && err.contains(help), "{err}");
    let (status, err) = told(&["explain", "t06"]);
    assert!(status == 2 && err.contains("did you mean `T006`?"), "{err}");
}

#[test]
fn all_that_would_do_is_listed_where_nothing_is_near() {
    let case = Case::new();
    case.put(
        "calls.tern",
        "component main { initial a -> c.go; box c: f; c.done -> a; box d: g; d.x -> a; }\n\
         component f { entry in -> out; entry other -> out; exit out; }\n\
         component g { entry e -> e; }\n",
    );
    let (status, _, err) = case.run(&["check", "calls.tern", "-f", "AG p"]);
    assert_eq!(status, 2, "{err}");
    assert!(err.contains("= help: its entries are `in` and `other`"), "{err}");
    assert!(err.contains("= help: its only exit is `out`"), "{err}");
    assert!(err.contains("= help: it has no exit: declare one by `exit NAME`"), "{err}");
    let (_, _, err) = case.run(&["check", "again.tern", "--claim", "nope"]);
    assert!(
        err.contains("= help: give one of `can_end`, `ends`, or a number from 1 to 2"),
        "{err}"
    );
    let (_, _, err) = case.run(&["check", "other.tern", "--claim", "nope"]);
    assert!(err.contains("= help: give a number from 1 to 2"), "{err}");
}

#[test]
fn what_cannot_be_written_is_refused_with_its_reason_and_nothing_else() {
    let case = Case::new();
    let told = |name: &str| {
        let (status, out, err) = case.run(&["convert", "again.tern", "-o", name]);
        assert!(status == 2 && out.is_empty(), "{name}: {err}");
        assert!(!err.contains("warning"), "{name}: {err}");
        err
    };
    let err = told("again.imp");
    assert!(err.contains("no model is written as a concurrent program"), "{err}");
    assert!(err.contains("statements cannot be found again in states"), "{err}");
    let err = told("again.smv");
    assert!(err.contains("error[S070]: `fetch` is called while it is active"), "{err}");
    case.put("stuck.tern", "deadlock error; component main { initial a -> b; node b {p}; }");
    for name in ["stuck.dot", "stuck.aut", "stuck.smv"] {
        let (status, _, err) = case.run(&["convert", "stuck.tern", "-o", name]);
        assert!(status == 2 && err.contains("`main.b` is a dead end"), "{name}: {err}");
        assert!(err.contains("let runs stay there: `deadlock loop`"), "{name}: {err}");
    }
    case.put("ends.tern", "deadlock error; component main { initial a -> b; exit b {p}; }");
    let (status, _, err) = case.run(&["convert", "ends.tern", "-o", "ends.dot"]);
    assert_eq!(status, 0, "{err}");
}

#[test]
fn programs_in_c_are_sent_to_the_command_that_reads_them() {
    let case = Case::new();
    case.put("one.c", "int main() { int x; while (x > 0) x = x - 1; }");
    let (status, _, err) = case.run(&["simulate", "one.c"]);
    assert!(status == 2 && err.contains("is a C program, and no model"), "{err}");
    assert!(err.contains("`tern check FILE.c -f 'AF exit'`"), "{err}");
}

#[test]
fn all_warnings_that_are_denied_are_named() {
    let case = Case::new();
    let formula = "AG (boom -> AF done)";
    let (status, _, err) = case.run(&["check", "again.tern", "-f", formula, "--deny", "all"]);
    assert!(status == 1 && err.ends_with("the warnings W201, W206 are denied\n"), "{err}");
}

#[test]
fn claims_about_pointer_programs_have_their_lines() {
    let case = Case::new();
    case.put(
        "one.heap",
        "type Node { next: Node }\ngrammar SLL = Node(next)\nproc m(x: Node) { x = null }\n\
         given m(x: SLL)\nclaim ends: F terminated\n",
    );
    let (status, out, err) = case.run(&["check", "one.heap"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("ends: F terminated  (one.heap:5)"), "{out}");
}

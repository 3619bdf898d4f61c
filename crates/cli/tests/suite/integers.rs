//! Claims about C programs on the command line.

use std::fs;
use std::process::Command;
use tempfile::TempDir;

const SERVER: &str = "int req, ack;
void main() {
  int n, step;
  while (?) {
    req = 1;
    n = 100;
    while (n > 0) n = n - step;
    ack = 1; req = 0; ack = 0;
  }
}
";

const CLAIM: &str = "AG ({req == 1} -> AF {ack == 1})";

/// What Tern says of a program: its status, standard output and standard error.
fn tern(program: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("p.c"), program).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tern"));
    let output = command.current_dir(folder.path()).args(["check", "p.c"]).args(args).output();
    let output = output.expect("Tern runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn verdicts_and_statuses() {
    let (status, out, _) = tern(SERVER, &["-f", CLAIM]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.starts_with("fails    AG (\"req == 1\" -> AF \"ack == 1\")\n"), "{out}");
    assert!(out.contains("step = "), "{out}");
    let (status, out, _) = tern(SERVER, &["-f", CLAIM, "--given", "step > 0"]);
    assert_eq!((status, out.starts_with("holds")), (Some(0), true), "{out}");
    let square = "void main() { int x, y; y = x * x; }";
    let (status, out, _) = tern(square, &["-f", "EF {y == 4}", "--given", "y < 0 && x == 2"]);
    assert_eq!(status, Some(3), "{out}");
    assert!(out.contains("is not known at line 1"), "{out}");
    let (status, out, _) = tern(SERVER, &["-f", "AF exit", "--given", "n > 0 && n < 0"]);
    assert_eq!(status, Some(0));
    assert!(out.contains("no initial state fits"), "{out}");
}

#[test]
fn results_as_json() {
    let (status, out, _) = tern(SERVER, &["-f", CLAIM, "-f", "EF exit", "--json"]);
    assert_eq!(status, Some(1));
    let value: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(value["schema"], "tern-integers/1");
    assert_eq!(value["results"][0]["verdict"], "fails");
    assert!(value["results"][0]["start"]["values"]["step"].is_string());
    assert_eq!(value["results"][1]["verdict"], "holds");
}

#[test]
fn what_is_wrong_is_said() {
    let (status, _, err) = tern("void main() { int x; x = y; }", &["-f", "AF exit"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("error[C102]: `y` is not declared"), "{err}");
    assert!(err.contains("p.c:1:26"), "{err}");
    let (status, _, err) = tern(SERVER, &["-f", "AF {nothing > 0}"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("`nothing` is not declared"), "{err}");
    let (status, _, err) = tern(SERVER, &["-f", "E [G F exit]", "-f", "AF exit"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("error[C106]"), "{err}");
    let (status, _, err) = tern(SERVER, &["-f", "AF exit", "--where"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("--where is not there for C programs yet"), "{err}");
    let (status, _, err) = tern(SERVER, &[]);
    assert_eq!(status, Some(2));
    assert!(err.contains("there is no claim to check"), "{err}");
}

#[test]
fn assertions_and_globals_are_read_as_asked() {
    let text = "int g; void main() { int x; assert(x > 0); g = g; }";
    let given = |args: &[&str]| tern(text, args).0;
    assert_eq!(given(&["-f", "AG !failed"]), Some(1));
    assert_eq!(given(&["-f", "AG !failed", "--assert", "assume"]), Some(0));
    assert_eq!(given(&["-f", "AG {g == 0}"]), Some(0));
    assert_eq!(given(&["-f", "AG {g == 0}", "--globals", "any"]), Some(1));
}

/// What Tern says in a folder: its status, standard output and standard error.
fn in_folder(folder: &TempDir, args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tern"));
    let output = command.current_dir(folder.path()).args(args).output().expect("Tern runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn evidence_is_written_and_checked() {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("p.c"), SERVER).expect("written");
    let check =
        ["check", "p.c", "-f", CLAIM, "-f", "EF exit", "-f", "AF exit", "--given", "step > 0"];
    let (_, json, err) = in_folder(&folder, &[&check[..], &["--json", "--evidence"]].concat());
    assert!(json.contains("\"kind\":\"cells\""), "{json} {err}");
    fs::write(folder.path().join("r.json"), &json).expect("written");
    let (status, out, err) = in_folder(&folder, &["certify", "p.c", "r.json"]);
    assert_eq!(status, Some(0), "{out} {err}");
    assert_eq!(out.matches("accepted").count(), 4, "{out}");
    assert!(out.contains("given step > 0; globals zero; assert fail"), "{out}");
    // With the same settings it is the same, with others nothing is checked.
    let (status, ..) = in_folder(&folder, &["certify", "p.c", "r.json", "--given", "step > 0"]);
    assert_eq!(status, Some(0));
    for other in [["--given", "step > 1"], ["--globals", "any"], ["--assert", "assume"]] {
        let (status, _, err) =
            in_folder(&folder, &[&["certify", "p.c", "r.json"][..], &other].concat());
        assert_eq!(status, Some(2), "{other:?}");
        assert!(err.contains("error[E009]"), "{err}");
    }
    // A result that says otherwise, or is about another program, is refused.
    let forged = json.replace("\"holds\"", "\"fails\"");
    fs::write(folder.path().join("f.json"), forged).expect("written");
    let (status, out, _) = in_folder(&folder, &["certify", "p.c", "f.json"]);
    assert_eq!(status, Some(1), "{out}");
    let looser = json.replace("\"given\":[\"step > 0\"]", "\"given\":[]");
    assert_ne!(looser, json);
    fs::write(folder.path().join("g.json"), looser).expect("written");
    let (status, out, _) = in_folder(&folder, &["certify", "p.c", "g.json"]);
    assert_eq!(status, Some(1), "{out}");
    fs::write(folder.path().join("q.c"), SERVER.replace("n - step", "n - 0")).expect("written");
    let (status, out, _) = in_folder(&folder, &["certify", "q.c", "r.json"]);
    assert_eq!(status, Some(1), "{out}");
    for text in ["", "{", "[]", "{\"schema\":\"tern-integers/1\"}"] {
        fs::write(folder.path().join("h.json"), text).expect("written");
        let (status, _, err) = in_folder(&folder, &["certify", "p.c", "h.json"]);
        assert_eq!(status, Some(2), "{text}: {err}");
    }
    let (status, out, _) = in_folder(&folder, &["certify", "p.c", "r.json", "--timeout", "0s"]);
    assert_eq!(status, Some(3), "{out}");
}

#[test]
fn certified_at_once() {
    let (status, out, _) = tern(SERVER, &["-f", CLAIM, "--given", "step > 0", "--certify"]);
    assert_eq!(status, Some(0), "{out}");
    assert!(out.contains("certified in"), "{out}");
    let (status, out, _) = tern(SERVER, &["-f", CLAIM, "--certify"]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.contains("certified in"), "{out}");
    // What procedures do that call themselves is not certified.
    let text =
        "int f(int a) { if (a > 0) return f(a - 1); return 0; } void main() { int x; x = f(x); }";
    let (_, out, _) = tern(text, &["-f", "AF exit", "--certify"]);
    assert!(!out.contains("certified in"), "{out}");
}

#[test]
fn runs_have_lines_and_values() {
    let text = "void main() { int x;\n x = 0;\n while (x < 3) {\n x = x + 1;\n }\n}\n";
    let (status, out, _) =
        tern(text, &["-f", "AG {x != 2}", "--given", "x == 7", "--witness=full"]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.contains("this run:"), "{out}");
    assert!(out.contains(" 1  line 2  x = 7\n"), "{out}");
    assert!(out.contains("x = 2\n"), "{out}");
    assert!(out.contains("replayed by an interpreter"), "{out}");
    let loops = "void main() { int x;\n while (1) {\n x = 1 - x;\n }\n}\n";
    let (_, out, _) = tern(loops, &["-f", "AF {x > 1}", "--given", "x == 0", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    let witness = &value["results"][0]["witness"];
    assert_eq!(witness["ending"]["kind"], "loop", "{out}");
    assert_eq!(witness["from"]["values"]["x"], "0", "{out}");
}

#[test]
fn preconditions_are_found() {
    let args = ["-f", CLAIM, "--precondition", "--json"];
    let (_, out, _) = tern(SERVER, &args);
    let value: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(value["results"][0]["precondition"]["holds"], "step >= 1", "{out}");
    assert_eq!(value["results"][0]["precondition"]["fails"], "step <= 0", "{out}");
}

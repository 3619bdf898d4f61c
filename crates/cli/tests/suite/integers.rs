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
    let (status, _, err) = tern(SERVER, &["-f", "AF exit", "--certify"]);
    assert_eq!(status, Some(2));
    assert!(err.contains("--certify is not there for C programs yet"), "{err}");
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

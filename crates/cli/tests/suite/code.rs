//! Programs as code on the command line: events, entries, what is not modelled, and evidence.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tern_program::java::container::find_tool;

/// Two procedures: `open` may throw, and then nothing is closed.
const LEAK: &str = r#"class Leak extends java.lang.Object public file "Leak.java" {
  field f : i32
  static procedure main(java.lang.String[]) : void public file "Leak.java" {
    param v0 args : java.lang.String[]
    var v1 r : Leak
    b0 catch java.lang.RuntimeException v1 b1 {
      v1 = new Leak @ 3:0
      call static Leak::open() : void () @ 4:4
      call static Leak::use(Leak) : void (v1) @ 5:7
      call static Leak::close() : void () @ 6:10
      return @ 7:13
    }
    b1 {
      return @ 9:16
    }
  }
  static procedure open() : void private file "Leak.java" {
    b0 { return @ 12:0 }
  }
  static procedure close() : void private file "Leak.java" {
    b0 { return @ 15:0 }
  }
  static procedure use(Leak) : void private file "Leak.java" {
    param v0 r : Leak
    var v1 e : java.lang.IllegalStateException
    b0 {
      if v0 == null then b1 else b2 @ 18:1
    }
    b1 {
      v1 = new java.lang.IllegalStateException @ 19:4
      throw v1 @ 19:11
    }
    b2 {
      v0.Leak::f : i32 = 1 @ 21:12
      return @ 22:15
    }
  }
}
"#;

fn tern(folder: &Path, args: &[&str]) -> Output {
    let run = Command::new(env!("CARGO_BIN_EXE_tern")).args(args).current_dir(folder).output();
    run.expect("tern runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn leak() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("leak.ir"), LEAK).expect("written");
    folder
}

#[test]
fn verdicts_are_about_the_control_flow() {
    let folder = leak();
    let closes = "AG (call(open) -> AF call(close))";
    let caught = "AG (call(open) -> AF (call(close) | throw(\"*\")))";
    let run = tern(folder.path(), &["check", "leak.ir", "-f", closes, "-f", caught, "--certify"]);
    let said = text(&run);
    assert_eq!(run.status.code(), Some(1), "{said}");
    assert!(said.contains("fails    of the control flow: 1: AG (call(open)"), "{said}");
    assert!(said.contains("holds    of the control flow: 2: AG (call(open)"), "{said}");
    assert_eq!(said.matches("certified in").count(), 2, "{said}");
    let run = tern(folder.path(), &["check", "leak.ir", "-f", closes, "--json", "--witness"]);
    let json: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(json["about"], "control");
    assert_eq!(json["not_modelled"]["native"], 0);
    let witness = json["results"][0]["witness"].to_string();
    for part in ["Leak.java", "\"line\":19", "\"offset\":11", "Leak.use(Leak)"] {
        assert!(witness.contains(part), "{part}: {witness}");
    }
}

#[test]
fn claims_range_over_fields_and_locals() {
    let folder = leak();
    let claim = "forall v in fields(\"Leak.*\"): EF write(v)";
    let run = tern(folder.path(), &["check", "leak.ir", "-f", claim]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run));
    assert!(text(&run).contains("Leak.f: EF write(Leak.f)"), "{}", text(&run));
    let claim = "forall v in locals(use): EF write(v)";
    let run = tern(folder.path(), &["check", "leak.ir", "-f", claim]);
    assert!(text(&run).contains("write(\"Leak.use(Leak):e\")"), "{}", text(&run));
    let claim = "forall v in parameters(use): AG (enter(use) -> AF read(v))";
    let run = tern(folder.path(), &["check", "leak.ir", "-f", claim]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run));
    let run = tern(folder.path(), &["check", "leak.ir", "-f", "forall v in felds(x): EF read(v)"]);
    assert_eq!(run.status.code(), Some(2), "{}", text(&run));
    assert!(text(&run).contains("did you mean `fields(x)`?"), "{}", text(&run));
}

#[test]
fn what_is_wrong_is_said() {
    let folder = leak();
    let run = tern(folder.path(), &["check", "leak.ir", "-f", "EF cal(x)"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run).contains("did you mean `call(x)`?"), "{}", text(&run));
    let run = tern(folder.path(), &["check", "leak.ir", "-f", "EF call(\"no.Such\")"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run).contains("W201"), "{}", text(&run));
    let run =
        tern(folder.path(), &["check", "leak.ir", "--entry", "Leak.uze", "-f", "EF new(Leak)"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run).contains("B001") && text(&run).contains("Leak.use"), "{}", text(&run));
    let run =
        tern(folder.path(), &["check", "leak.ir", "--granularity", "fine", "-f", "EF new(Leak)"]);
    assert!(text(&run).contains("M107"), "{}", text(&run));
    std::fs::write(folder.path().join("none.ir"), "interface I {\n}\n").expect("written");
    let run = tern(folder.path(), &["info", "none.ir"]);
    assert!(text(&run).contains("B002"), "{}", text(&run));
}

#[test]
fn programs_are_shown_and_converted() {
    let folder = leak();
    let run = tern(folder.path(), &["info", "leak.ir"]);
    assert!(text(&run).contains("classes 1, procedures 4, reached 4, entries 1"), "{}", text(&run));
    for to in ["leak.tern", "leak.rsm"] {
        let run = tern(folder.path(), &["convert", "leak.ir", "-o", to]);
        assert_eq!(run.status.code(), Some(0), "{}", text(&run));
        let run = tern(folder.path(), &["info", to]);
        assert_eq!(run.status.code(), Some(0), "{}", text(&run));
    }
    let entry = ["check", "leak.ir", "--entry", "use", "-f", "EF new(\"*Exception\")"];
    assert_eq!(tern(folder.path(), &entry).status.code(), Some(0));
}

#[test]
#[allow(clippy::print_stdout)]
fn java_source_is_compiled_and_checked() {
    if find_tool("javac").is_none() {
        println!("skipped: there is no javac");
        return;
    }
    let examples: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let claim = "AG (call(\"*.lock\") -> AF call(\"*.unlock\"))";
    let args = ["check", "Account.java", "--stubs", "return", "-f", claim, "--witness"];
    let run = tern(&examples, &args);
    assert_eq!(run.status.code(), Some(1), "{}", text(&run));
    assert!(text(&run).contains("Account.java:25"), "{}", text(&run));
}

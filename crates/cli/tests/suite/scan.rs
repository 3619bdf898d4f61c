//! `tern scan` and `tern rules` on the command line: statuses, forms, what leaves findings out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn tern(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tern"))
        .args(args)
        .current_dir(folder)
        .output()
        .expect("tern runs")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A folder with the example, its source and its class.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["Account.java", "Account.class"] {
        fs::copy(example(name), folder.path().join(name)).expect("copied");
    }
    folder
}

#[test]
fn statuses_say_what_counts() {
    let folder = folder();
    let at = folder.path();
    let all = tern(at, &["scan", "Account.class"]);
    assert_eq!(code(&all), 0, "{}", text(&all));
    assert!(text(&all).contains("Account.java:"), "{}", text(&all));
    assert_eq!(code(&tern(at, &["scan", "Account.class", "--fail-on", "possible"])), 1);
    assert_eq!(code(&tern(at, &["scan", "Account.class", "--fail-on", "none"])), 0);
    assert_eq!(code(&tern(at, &["scan", "Nothing.class"])), 2);
    assert_eq!(code(&tern(at, &["scan", "Account.class", "--rules", "no-such"])), 2);
    // Nothing is analysed in no time at all.
    let late = tern(at, &["scan", "Account.class", "--timeout", "0s"]);
    assert_eq!(code(&late), 3, "{}", text(&late));
    assert!(!text(&all).contains("holds"));
}

#[test]
fn what_is_known_does_not_count() {
    let folder = folder();
    let at = folder.path();
    let fail = ["scan", "Account.class", "--fail-on", "possible"];
    let mut args = fail.to_vec();
    args.extend(["--write-baseline", "known.txt"]);
    assert_eq!(code(&tern(at, &args)), 1);
    let mut args = fail.to_vec();
    args.extend(["--baseline", "known.txt"]);
    assert_eq!(code(&tern(at, &args)), 0);

    let found = text(&tern(at, &["scan", "Account.class", "--brief"]));
    let first = found.lines().next().expect("a finding");
    let line: usize = first.split(':').nth(1).and_then(|it| it.parse().ok()).expect("a line");
    let rule = first.rsplit('[').next().expect("a rule").trim_end_matches(']');
    let source = fs::read_to_string(at.join("Account.java")).expect("a source");
    let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
    lines[line - 1] += &format!(" // tern: ignore[{rule}] it is an example");
    fs::write(at.join("Account.java"), lines.join("\n")).expect("written");
    let left = text(&tern(at, &["scan", "Account.class", "--brief"]));
    assert!(left.contains("1 suppressed"), "{left}");

    fs::write(at.join("tern.toml"), "[scan]\nexclude = [\"Acc*\"]\n").expect("written");
    assert_eq!(code(&tern(at, &fail)), 0);
}

#[test]
fn all_forms_and_threads_say_the_same() {
    let folder = folder();
    let at = folder.path();
    for form in ["text", "json", "sarif", "junit"] {
        let one = tern(at, &["scan", "Account.class", "--format", form, "--threads", "1"]);
        let two = tern(at, &["scan", "Account.class", "--format", form, "--threads", "2"]);
        assert!(!one.stdout.is_empty());
        assert_eq!(text(&one), text(&two));
        let mut args = vec!["scan", "Account.class", "--format", form, "-o", "file"];
        args.extend(["--cache", "kept"]);
        assert_eq!(tern(at, &args).stdout, b"");
        assert_eq!(fs::read_to_string(at.join("file")).expect("written"), text(&one));
    }
    let again = text(&tern(at, &["scan", "Account.class", "--cache", "kept", "--format", "json"]));
    assert_eq!(again, text(&tern(at, &["scan", "Account.class", "--format", "json"])));
}

#[test]
fn rules_are_listed_shown_and_tested() {
    let folder = folder();
    let at = folder.path();
    let list = text(&tern(at, &["rules", "list"]));
    assert!(list.contains("unreleased-lock") && list.lines().count() >= 20, "{list}");
    let shown = text(&tern(at, &["rules", "show", "unreleased-lock"]));
    assert!(shown.contains("claim take -> give before lost(l);"), "{shown}");
    fs::write(at.join("my.rules"), &shown).expect("written");
    let tested = tern(at, &["rules", "test", "my.rules"]);
    assert!([0, 3].contains(&code(&tested)), "{}", text(&tested));
    // A snippet that is not what it says.
    fs::write(at.join("my.rules"), shown.replace("good {", "bad {")).expect("written");
    let wrong = tern(at, &["rules", "test", "my.rules"]);
    assert!([1, 3].contains(&code(&wrong)), "{}", text(&wrong));
}

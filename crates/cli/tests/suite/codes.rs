//! The examples of `tern explain`: each leads to the code that it is an example of.

use std::fs;
use std::path::Path;
use std::process::Command;

const EXPLAINED: &str = include_str!("../../src/codes/explained.txt");

/// Files that examples speak of.
const FILES: &[(&str, &str)] = &[
    ("again.tern", include_str!("../../../../examples/again.tern")),
    ("locks.tern", include_str!("../../../../examples/locks.tern")),
    ("first.tern", "component main { initial a -> a; }"),
    ("again.ctl", "EF done\n"),
    ("claims.ctl", "EF done\n"),
    ("stuck.tern", "component main { initial a -> b; node b {p}; }"),
    ("sinking.tern", "end sink; component main { initial a -> b; exit b; }"),
    ("fair.tern", "component main { initial a {p} -> a; } fair p; claim AF p;"),
    ("some.hoa", "HOA: v1 Start: 0 AP: 1 \"p\" Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--"),
    ("startless.hoa", "HOA: v1 AP: 1 \"done\" Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--"),
];

/// A program that examples speak of.
const WALK: &[u8] = include_bytes!("../../../../examples/Walk.class");

/// Code, kind and example of each entry that has one.
fn examples() -> Vec<(&'static str, &'static str, String)> {
    let mut found: Vec<(&str, &str, String)> = Vec::new();
    for line in EXPLAINED.lines() {
        let head = line.split_once(' ').filter(|(code, _)| {
            code.len() == 4 && code[1..].bytes().all(|byte| byte.is_ascii_digit())
        });
        match (head, line.strip_prefix('|'), found.last_mut()) {
            (Some((code, kind)), ..) => found.push((code, kind, String::new())),
            (None, Some(example), Some((.., text))) => {
                *text += example.strip_prefix(' ').unwrap_or(example);
                text.push('\n');
            }
            _ => {}
        }
    }
    found.retain(|(_, kind, _)| *kind != "-");
    found
}

/// All that is printed for an example.
fn printed(directory: &Path, kind: &str, example: &str) -> String {
    let tern = Path::new(env!("CARGO_BIN_EXE_tern"));
    let file = format!("example.{kind}");
    let command = match kind {
        "sh" => example.to_owned(),
        "ctl" => format!("tern check again.tern {file}"),
        "rules" => format!("tern rules test {file}"),
        "hoa" => format!("tern check again.tern --automaton {file}"),
        _ => format!("tern check {file} -f true"),
    };
    if kind != "sh" {
        fs::write(directory.join(&file), example).expect("written");
    }
    let folder = tern.parent().expect("it is in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(directory)
        .env("PATH", format!("{}:{path}", folder.display()))
        .output()
        .expect("a shell runs");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[test]
fn each_example_leads_to_its_code() {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in FILES {
        fs::write(directory.path().join(name), text).expect("written");
    }
    fs::write(directory.path().join("Walk.class"), WALK).expect("written");
    let examples = examples();
    assert!(examples.len() > 150, "{}", examples.len());
    let mut wrong = Vec::new();
    for (code, kind, example) in &examples {
        if example.contains("s.zip") {
            continue; // archives are made by the tests of the readers
        }
        let has_javac = tern_program::java::container::find_tool("javac").is_some();
        if *code == "J007" && has_javac || *code == "J008" && !has_javac {
            continue; // it depends on the computer
        }
        let text = printed(directory.path(), kind, example);
        if !text.contains(&format!("[{code}]")) {
            wrong.push(format!("{code}\n{example}{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n----\n"));
}

//! What Tern says of inputs that are wrong: every file of `tests/broken` is given to the built
//! binary, and its standard error compared with the snapshot beside it. Every code that a reader
//! can report is provoked by some file, or stands in [`UNPROVOKED`] with the reason.
//!
//! `TERN_BLESS=1` writes the snapshots anew; `tests/broken/README.md` says what the files mean.
#![cfg(unix)] // messages of the operating system and separators of paths are in the snapshots

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tern_front::{FORMATS, claims, formula, hoa, input};

/// The model that claims are given for, as seen from `tests/broken`.
const SOUND_MODEL: &str = "../../examples/one-node.tern";

/// Codes that no file here provokes, and why not.
const UNPROVOKED: &[(&str, &str)] = &[
    ("A099", "stands for problems that are counted in the last line, not shown"),
    ("C099", "stands for problems that are counted in the last line, not shown"),
    ("D090", "the reader checks all rules itself; this is a net below it"),
    ("D099", "stands for problems that are counted in the last line, not shown"),
    ("E009", "needs a result; see `evidence_is_written_and_checked`"),
    ("F014", "such a text is refused when it is opened, as I010"),
    ("F099", "stands for problems that are counted in the last line, not shown"),
    ("G030", "needs 4 GiB of names"),
    ("G090", "the reader checks all rules itself; this is a net below it"),
    ("G099", "stands for problems that are counted in the last line, not shown"),
    ("I002", "needs a file that may not be read, and git keeps no such permission"),
    ("I010", "needs 4 GiB; see `a_text_of_4_gib_is_refused`"),
    ("K199", "stands for problems that are counted in the last line, not shown"),
    ("K299", "stands for problems that are counted in the last line, not shown"),
    ("P090", "the reader checks all rules itself; this is a net below it"),
    ("P099", "stands for problems that are counted in the last line, not shown"),
    ("R103", "such a text is refused when it is opened, as I010"),
    ("R190", "the reader checks all rules itself; this is a net below it"),
    ("R199", "stands for problems that are counted in the last line, not shown"),
    ("S090", "the reader checks all rules itself; this is a net below it"),
    ("S099", "stands for problems that are counted in the last line, not shown"),
    ("T090", "the reader checks all rules itself; this is a net below it"),
    ("T091", "a net below the layout of texts"),
    ("T099", "stands for problems that are counted in the last line, not shown"),
    ("U006", "needs a `tern.toml` where it is run; see the example in `codes.rs`"),
    ("U101", "needs a folder that is written; see the example in `codes.rs`"),
    ("U102", "needs a folder that cannot be written; see the example in `codes.rs`"),
    ("W206", "it is told below its claim, on standard output; see `many_models.rs`"),
];

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/broken")
}

/// What is in a directory below `tests/broken`, as seen from there, sorted.
fn listed(below: &str) -> Vec<String> {
    let entries = std::fs::read_dir(directory().join(below)).expect("the directory is there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.path().is_file())
        .map(|entry| format!("{below}{}", entry.file_name().to_str().expect("UTF-8")))
        .filter(|name| !name.ends_with("README.md"))
        .collect();
    names.sort_unstable();
    names
}

fn is_input(name: &str) -> bool {
    !name.ends_with(".stderr")
}

/// The command line for an input.
fn arguments(name: &str) -> Vec<String> {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("args") => {
            let text = std::fs::read_to_string(directory().join(name)).expect("UTF-8");
            text.lines().map(str::to_owned).collect()
        }
        Some("ctl") => words(&["check", SOUND_MODEL, name]),
        Some("rules") => words(&["rules", "test", name]),
        Some("hoa") => words(&["check", SOUND_MODEL, "--automaton", name]),
        _ => words(&["check", name, "-f", "EF p"]),
    }
}

fn run(arguments: &[String]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tern"))
        .args(arguments)
        .current_dir(directory())
        .env_remove("NO_COLOR")
        .output()
        .expect("tern runs")
}

/// Numbers of errors differ from system to system.
fn without_error_numbers(text: &str) -> String {
    match text.split_once(" (os error ") {
        Some((before, after)) => {
            let rest = after.split_once(')').map_or("", |(_, rest)| rest);
            format!("{before}{}", without_error_numbers(rest))
        }
        None => text.to_owned(),
    }
}

/// Compares what was said with the snapshot, or writes that.
fn compare(name: &str, said: &str) -> Result<(), String> {
    let path = directory().join(format!("{name}.stderr"));
    if std::env::var_os("TERN_BLESS").is_some() {
        std::fs::write(&path, said).expect("the snapshot can be written");
        return Ok(());
    }
    match std::fs::read_to_string(&path) {
        Ok(expected) if expected == said => Ok(()),
        Ok(expected) => Err(format!("{name}: expected\n{expected}\nbut Tern said\n{said}")),
        Err(_) => Err(format!("{name}: there is no snapshot; Tern said\n{said}")),
    }
}

#[track_caller]
fn check_all(below: &str, sound: bool) {
    let mut wrong = Vec::new();
    for name in listed(below).iter().filter(|name| is_input(name)) {
        let output = run(&arguments(name));
        let said = without_error_numbers(std::str::from_utf8(&output.stderr).expect("UTF-8"));
        let status = output.status.code();
        if sound {
            assert!(matches!(status, Some(0 | 1)), "{name}: {status:?}\n{said}");
            assert!(!output.stdout.is_empty(), "{name}: no result");
        } else {
            assert_eq!(status, Some(2), "{name}:\n{said}");
            let printed = String::from_utf8_lossy(&output.stdout);
            assert_eq!(printed, "", "{name} is refused, so there is no result");
        }
        wrong.extend(compare(name, &said).err());
    }
    assert!(wrong.is_empty(), "{}\nTERN_BLESS=1 writes the snapshots anew", wrong.join("\n"));
}

#[test]
fn broken_inputs_are_refused_in_these_words() {
    check_all("", false);
}

#[test]
fn suspicious_inputs_are_warned_of_in_these_words() {
    check_all("warnings/", true);
}

/// The codes that the sources of the command line and the library report: `"M101"` and the like.
fn codes_of_the_command_line() -> BTreeSet<String> {
    let sources = ["src", "../tern/src"].map(|it| Path::new(env!("CARGO_MANIFEST_DIR")).join(it));
    let mut codes = BTreeSet::new();
    let mut paths = sources.to_vec();
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).expect("sources are there");
            paths.extend(entries.map(|entry| entry.expect("an entry").path()));
            continue;
        }
        let text = std::fs::read_to_string(path).expect("UTF-8");
        for piece in text.split('"') {
            let is_code = piece.len() == 4
                && piece.starts_with(['E', 'M', 'W'])
                && piece[1..].bytes().all(|byte| byte.is_ascii_digit());
            if is_code {
                codes.insert(piece.to_owned());
            }
        }
    }
    codes
}

/// What `tern explain` prints.
fn explained(code: &[&str]) -> (Option<i32>, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tern"));
    let output = command.arg("explain").args(code).output().expect("Tern runs");
    (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
}

#[test]
fn every_code_is_explained_and_documented() {
    let (status, page) = explained(&[]);
    assert_eq!(status, Some(0));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/codes.md");
    if std::env::var_os("TERN_BLESS").is_some() {
        std::fs::write(path, &page).expect("written");
    }
    assert_eq!(std::fs::read_to_string(path).expect("the page is there"), page);
    for code in codes_of_the_command_line() {
        assert!(page.contains(&format!("\n### `{code}`\n")), "{code}");
        let (status, text) = explained(&[&code.to_lowercase()]);
        assert!(status == Some(0) && text.starts_with(&format!("{code}: ")), "{text}");
    }
    assert_eq!(explained(&["nothing"]).0, Some(2));
}

#[test]
fn every_code_is_provoked_by_some_file() {
    if std::env::var_os("TERN_BLESS").is_some() {
        return; // the snapshots are being written
    }
    let mut codes = codes_of_the_command_line();
    assert!(codes.contains("M101") && codes.contains("W201"), "{codes:?}");
    let c = tern_program::c::CODES;
    let rules = tern_scan::rules::CODES;
    let tables = [formula::CODES, claims::CODES, hoa::CODES, input::CODES, c, rules];
    for table in tables.into_iter().chain(FORMATS.map(|format| format.codes)) {
        codes.extend(table.iter().map(|&(code, _)| code.to_owned()));
    }
    let mut provoked = BTreeSet::new();
    for name in listed("").iter().chain(&listed("warnings/")).filter(|name| !is_input(name)) {
        let text = std::fs::read_to_string(directory().join(name)).expect("UTF-8");
        for line in text.lines() {
            let rest = line.strip_prefix("error[").or_else(|| line.strip_prefix("warning["));
            provoked.extend(rest.and_then(|rest| rest.get(..4)).map(str::to_owned));
        }
    }
    let excused: BTreeSet<String> = UNPROVOKED.iter().map(|&(code, _)| code.to_owned()).collect();
    let both: Vec<_> = provoked.intersection(&excused).collect();
    assert!(both.is_empty(), "these can be provoked after all: {both:?}");
    let unlisted: Vec<_> = provoked.difference(&codes).collect();
    assert!(unlisted.is_empty(), "these are in no table: {unlisted:?}");
    let stale: Vec<_> = excused.difference(&codes).collect();
    assert!(stale.is_empty(), "these are excused but exist no more: {stale:?}");
    let missing: Vec<_> =
        codes.iter().filter(|code| !provoked.contains(*code) && !excused.contains(*code)).collect();
    assert!(missing.is_empty(), "no file of tests/broken provokes {missing:?}");
}

#[test]
fn no_snapshot_is_orphaned() {
    for below in ["", "warnings/"] {
        let names: BTreeSet<String> = listed(below).into_iter().collect();
        for snapshot in names.iter().filter(|name| !is_input(name)) {
            let input = snapshot.trim_end_matches(".stderr");
            assert!(names.contains(input), "{snapshot} belongs to no file");
        }
    }
}

#[test]
fn a_text_of_4_gib_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("huge.rsm");
    // A hole, which takes no room on the disk.
    let file = std::fs::File::create(&path).expect("created");
    if file.set_len(5 << 30).is_err() {
        return; // this file system has no holes that large
    }
    let model = path.to_str().expect("UTF-8").to_owned();
    let output = run(&["check".to_owned(), model, "-f".to_owned(), "EF p".to_owned()]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("error[I010]"), "{said}");
}

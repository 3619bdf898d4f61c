//! Classes that resemble real code, with the findings that they should give: `// expect: rule` in
//! the line, `// allow: rule` where a finding is right and none is no fault, `// missed: rule`
//! where there should be one and is none: who finds it says so. Nothing else may be found.

use crate::scan_files;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tern_program::java::container::find_tool;

type Places = BTreeSet<(String, u32, String)>;

/// The comments of a file that begin with a word.
fn noted(path: &Path, word: &str) -> Places {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let text = fs::read_to_string(path).unwrap();
    let mut places = Places::new();
    for (row, line) in text.lines().enumerate() {
        let Some((_, rules)) = line.split_once(&format!("// {word}: ")) else { continue };
        let rules = rules.split("//").next().unwrap_or(rules);
        for rule in rules.split(',') {
            places.insert((name.clone(), row as u32 + 1, rule.trim().to_owned()));
        }
    }
    places
}

#[test]
fn code_like_that_of_real_projects_gives_what_is_expected() {
    let Some(javac) = find_tool("javac") else {
        eprintln!("skipped: there is no `javac`");
        return;
    };
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let files = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
        entries.filter(|it| it.extension().is_some_and(|it| it == "java")).collect()
    };
    let own = files(&corpus);
    let folder = tempfile::tempdir().unwrap();
    let done = Command::new(javac)
        .args(["-g", "-nowarn", "-proc:none", "-implicit:none", "-d"])
        .arg(folder.path())
        // What lies in `missing` is there for the compiler only.
        .arg("-sourcepath")
        .arg(&corpus)
        .args(&own)
        .args(files(&corpus.join("javax/persistence")))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let (found, rules, _) = scan_files(&[folder.path().to_owned()], &corpus);
    let expected: Places = own.iter().flat_map(|it| noted(it, "expect")).collect();
    let allowed: Places = own.iter().flat_map(|it| noted(it, "allow")).collect();
    let place =
        |it: &tern_scan::findings::Finding| (it.file.clone(), it.line, rules[it.rule].name.clone());
    let all: Places = found.findings.iter().map(place).collect();
    let missed: Vec<_> = expected.difference(&all).collect();
    let wrong: Vec<_> = all.difference(&expected).filter(|it| !allowed.contains(*it)).collect();
    let known: Places = own.iter().flat_map(|it| noted(it, "missed")).collect();
    let found_now: Vec<_> = all.intersection(&known).collect();
    assert!(found_now.is_empty(), "no longer missed: {found_now:#?}");
    assert!(expected.len() > 250 && known.len() < 40);
    assert!(missed.is_empty() && wrong.is_empty(), "missed: {missed:#?}\nwrong: {wrong:#?}");
}

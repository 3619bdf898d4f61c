//! The tests of rules and of what is found by them.

mod caching;
mod corpus;
mod edits;
mod formulas;
mod hostile;
mod library;
mod outputs;
mod random;
mod sarif;
mod truth;

use std::fs;
use std::path::Path;
use tern_model::Budget;
use tern_program::java::{self, Options};
use tern_scan::rules::{self, Rule};
use tern_scan::sources::Sources;
use tern_scan::{How, Scan, scan, snippets};

/// Scans a class `A` with these members by the library; nothing if there is no compiler.
fn scanned(members: &str) -> Option<(Scan, Vec<Rule>, Sources)> {
    scanned_as(members, &How::default())
}

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn scanned_as(members: &str, how: &How) -> Option<(Scan, Vec<Rule>, Sources)> {
    if !snippets::has_compiler() {
        eprintln!("skipped: there is no `javac`");
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("A.java");
    fs::write(&path, format!("public class A {{\n{members}\n}}\n")).expect("written");
    Some(scan_files_as(&[path], folder.path(), how))
}

fn scan_files(files: &[std::path::PathBuf], folder: &Path) -> (Scan, Vec<Rule>, Sources) {
    scan_files_as(files, folder, &How::default())
}

fn scan_files_as(
    files: &[std::path::PathBuf],
    folder: &Path,
    how: &How,
) -> (Scan, Vec<Rule>, Sources) {
    let budget = Budget::unlimited();
    let rules = rules::library();
    let mut reading =
        java::read(files, &Options::default(), &budget).unwrap_or_else(|it| panic!("{it:?}"));
    let sources = Sources::new(&[folder.to_owned()]);
    // Sources are read before the folder goes.
    sources.find("A.java");
    let found = scan(&mut reading, &rules, &sources, how, &budget).expect("no limit");
    (found, rules, sources)
}

/// Findings as `rule:line certainty`.
fn briefly(found: &Scan, rules: &[Rule]) -> Vec<String> {
    let each = found.findings.iter().map(|it| {
        let certainty = if it.certain { "certain" } else { "possible" };
        format!("{}:{} {certainty}", rules[it.rule].name, it.line)
    });
    each.collect()
}

//! A second scan explores only what a change can reach, and finds what a scan without a cache
//! finds.

use std::fs;
use std::path::Path;
use tern_model::Budget;
use tern_program::java::{self, Options};
use tern_scan::cache::Cache;
use tern_scan::sources::Sources;
use tern_scan::{How, Scan, rules, scan, snippets};

const CALLEE: &str = "class Callee { static String name(int n) { return NULL; } }";
const CALLER: &str = "class Caller { int f() { return Callee.name(3).length(); } }";
const OTHER: &str = "class Other { int g() { String s = null; return s.length(); } }";

fn write(folder: &Path, callee: &str) {
    for (name, text) in [("Callee", callee), ("Caller", CALLER), ("Other", OTHER)] {
        fs::write(folder.join(format!("{name}.java")), text).unwrap();
    }
}

fn scanned(folder: &Path, cache: Option<&Path>, threads: usize) -> Scan {
    let budget = Budget::unlimited();
    let files: Vec<_> =
        ["Callee", "Caller", "Other"].map(|it| folder.join(format!("{it}.java"))).into();
    let mut reading = java::read(&files, &Options::default(), &budget).unwrap();
    let cache = cache.map(Cache::open);
    let how = How { threads, cache: cache.as_ref(), version: "1", ..How::default() };
    scan(&mut reading, &rules::library(), &Sources::new(&[]), &how, &budget).unwrap()
}

#[test]
fn a_change_is_explored_with_what_looks_at_it() {
    if !snippets::has_compiler() {
        eprintln!("skipped: there is no `javac`");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    write(folder.path(), &CALLEE.replace("NULL", "null"));
    let first = scanned(folder.path(), Some(&kept), 1);
    assert_eq!((first.counts.units, first.counts.known), (3, 0));
    assert_eq!(first.findings.len(), 2);

    let again = scanned(folder.path(), Some(&kept), 2);
    assert_eq!(again.counts.known, 3);
    assert_eq!(again.findings, first.findings);

    // What calls it looks at what it answers, and not how that comes about.
    write(folder.path(), "class Callee { static String name(int n) { int k = 7; return null; } }");
    let other = scanned(folder.path(), Some(&kept), 1);
    assert_eq!(other.counts.known, 2);
    assert_eq!(other.findings, scanned(folder.path(), None, 1).findings);

    // If the answer is another one, it is explored again; what does not call it is not.
    write(folder.path(), &CALLEE.replace("NULL", "\"a\""));
    let changed = scanned(folder.path(), Some(&kept), 1);
    assert_eq!(changed.counts.known, 1);
    assert_eq!(changed.findings.len(), 1);
    assert_eq!(changed.findings, scanned(folder.path(), None, 1).findings);

    // Damage is noticed, and all is explored again.
    let file = kept.join("scan.cache");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).unwrap();
    assert!(Cache::open(&kept).damage.is_some());
    let rebuilt = scanned(folder.path(), Some(&kept), 1);
    assert_eq!((rebuilt.counts.known, rebuilt.findings.len()), (0, 1));
    assert_eq!(Cache::open(&kept).damage, None);
}

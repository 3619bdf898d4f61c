//! Random edits of random programs: a scan with a cache finds what one without finds, whatever was
//! edited, and does not explore all again.
//!
//! The classes of a program call each other, also through a base class that some of them override.
//! Each is written in a few ways, which differ in what they answer, take, close, keep, throw, in
//! their fields, and in where their lines are. Ways of all classes fit together, so each way is
//! compiled once. An edit puts another way of one class in the place of the one that was there.
//!
//! `TERN_PAIRS` programs from `TERN_SEED` on; 2 from 1 if these are not set.

use fastrand::Rng;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use tern_model::Budget;
use tern_program::java::container::find_tool;
use tern_program::java::{self, Options};
use tern_scan::cache::Cache;
use tern_scan::sources::Sources;
use tern_scan::{How, Scan, rules, scan};

const CLASSES: usize = 7;
const WAYS: usize = 4;
const EDITS: usize = 25;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(otherwise)
}

/// A call of some method of some class; calls lead down, or anywhere once in a while.
fn callee(rng: &mut Rng, class: usize) -> String {
    let to = if rng.u8(..6) == 0 { rng.usize(..CLASSES) } else { rng.usize(class..CLASSES) };
    format!("C{to}.m{}", rng.usize(..3))
}

/// One statement of a method with parameters `String s, Lock l, int n`.
fn statement(rng: &mut Rng, class: usize) -> String {
    let call = callee(rng, class);
    match rng.u8(..16) {
        0 => "s = null;".to_owned(),
        1 => "s = \"a\";".to_owned(),
        2 => format!("s = {call}(s, l, {});", rng.u8(..3)),
        3 => format!("s = {call}(null, l, n);"),
        4 => "n += s.length();".to_owned(),
        5 => "if (s != null) n += s.length();".to_owned(),
        6 => format!("l.lock(); try {{ {call}(s, l, n); }} finally {{ l.unlock(); }}"),
        7 => format!("l.lock(); {call}(s, l, n);"),
        8 => "l.unlock();".to_owned(),
        9 => format!("if (n == {}) return s;", rng.u8(..3)),
        10 => format!("kept{} = s;", rng.usize(..2)),
        11 => format!("s = C{}.kept{};", rng.usize(..CLASSES), rng.usize(..2)),
        12 => "if (n > 5) throw new IllegalStateException();".to_owned(),
        13 => format!("s = new C{}().v(s);", rng.usize(..CLASSES)),
        14 => format!("Base b = n > 1 ? new C{}() : new Base(); s = b.v(s);", rng.usize(..CLASSES)),
        _ => format!("Runnable r = () -> {call}(null, null, 1); r.run();"),
    }
}

/// One way of a class.
fn class(rng: &mut Rng, class: usize) -> String {
    let mut text = "import java.util.concurrent.locks.Lock;\n".to_owned();
    text += &"\n".repeat(rng.usize(..3));
    let is_final = if rng.u8(..4) == 0 { "final " } else { "" };
    writeln!(text, "{is_final}class C{class} extends Base {{").unwrap();
    for field in 0..2 {
        let value = ["null", "\"k\"", "C0.kept1"][rng.usize(..3)];
        writeln!(text, "    static String kept{field} = {value};").unwrap();
    }
    if rng.u8(..3) == 0 {
        text += "    static final int MORE = 3;\n    int own;\n";
    }
    if rng.bool() {
        let answer = ["null", "s", "\"v\""][rng.usize(..3)];
        writeln!(text, "    String v(String s) {{ return {answer}; }}").unwrap();
    }
    for method in 0..3 {
        writeln!(text, "    static String m{method}(String s, Lock l, int n) {{").unwrap();
        for _ in 0..rng.usize(1..5) {
            // Each in a block of its own, so that names do not clash and nothing is unreachable.
            let line = format!("if (n != 77) {{ {} }}", statement(rng, class));
            writeln!(text, "        {line}").unwrap();
        }
        text += "        return s;\n    }\n";
    }
    text + "}\n"
}

/// Compiles each way of all classes to a folder of its own.
fn compile(rng: &mut Rng, folder: &Path, javac: &Path) {
    for way in 0..WAYS {
        let (from, to) = (folder.join(format!("s{way}")), folder.join(format!("w{way}")));
        fs::create_dir_all(&from).unwrap();
        fs::create_dir_all(&to).unwrap();
        let mut files = vec![from.join("Base.java")];
        fs::write(&files[0], "class Base { String v(String s) { return \"b\"; } }").unwrap();
        for number in 0..CLASSES {
            let path = from.join(format!("C{number}.java"));
            fs::write(&path, class(rng, number)).unwrap();
            files.push(path);
        }
        let out = Command::new(javac).args(["-g", "-nowarn", "-d"]).arg(&to).args(&files).output();
        let out = out.unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }
}

/// Puts one way of a class where the program is.
fn put(folder: &Path, class: &str, way: usize) {
    let program = folder.join("program");
    fs::create_dir_all(&program).unwrap();
    let is_its = |name: &str| name.split(['$', '.']).next() == Some(class);
    for old in fs::read_dir(&program).unwrap().map(|it| it.unwrap()) {
        if is_its(&old.file_name().to_string_lossy()) {
            fs::remove_file(old.path()).unwrap();
        }
    }
    for new in fs::read_dir(folder.join(format!("w{way}"))).unwrap().map(|it| it.unwrap()) {
        if is_its(&new.file_name().to_string_lossy()) {
            fs::copy(new.path(), program.join(new.file_name())).unwrap();
        }
    }
}

fn scanned(folder: &Path, cache: Option<&Path>, threads: usize) -> Scan {
    let budget = Budget::unlimited();
    let program = [folder.join("program")];
    let mut reading = java::read(&program, &Options::default(), &budget).unwrap();
    let cache = cache.map(Cache::open);
    let how = How { threads, cache: cache.as_ref(), version: "1", ..How::default() };
    scan(&mut reading, &rules::library(), &Sources::new(&[]), &how, &budget).unwrap()
}

#[test]
fn after_any_edit_a_cache_changes_nothing() {
    let Some(javac) = find_tool("javac") else {
        eprintln!("skipped: there is no `javac`");
        return;
    };
    let (count, first) = (number("TERN_PAIRS", 2), number("TERN_SEED", 1));
    let (mut found, mut known, mut units) = (BTreeSet::new(), 0, 0);
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let folder = tempfile::tempdir().unwrap();
        compile(&mut rng, folder.path(), &javac);
        put(folder.path(), "Base", 0);
        (0..CLASSES).for_each(|class| put(folder.path(), &format!("C{class}"), 0));
        let kept = folder.path().join("kept");
        scanned(folder.path(), Some(&kept), 1);
        for edit in 0..EDITS {
            put(folder.path(), &format!("C{}", rng.usize(..CLASSES)), rng.usize(..WAYS));
            let again = scanned(folder.path(), Some(&kept), 1 + edit % 2);
            let whole = scanned(folder.path(), None, 1);
            assert_eq!(again.findings, whole.findings, "seed {seed}, edit {edit}");
            known += again.counts.known;
            units += again.counts.units;
            found.extend(whole.findings.iter().map(|it| it.rule));
        }
    }
    println!("{known} of {units} units known, findings of {} rules", found.len());
    assert!(found.len() >= 4, "findings of {found:?} only");
    assert!(known * 4 > units && known < units, "{known} of {units} units known");
}

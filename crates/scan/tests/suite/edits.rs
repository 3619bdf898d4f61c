//! Random edits of random programs: a scan with a cache finds what one without finds, whatever was
//! edited, and does not explore all again.
//!
//! The classes of a program call each other, also through a base class that they override. Each is
//! written in a few ways, which differ in one small thing: a constant, a statement, what a
//! field is at first, or where lines are. Ways of all classes fit together, so each way is compiled
//! once. An edit puts another way of one class in the place of the one that was there.
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

const CLASSES: usize = 5;
const WAYS: usize = 6;
const EDITS: usize = 30;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(otherwise)
}

/// A call of some method of some class; calls lead down, or anywhere once in a while.
fn callee(rng: &mut Rng, class: usize) -> String {
    let to = if rng.u8(..9) == 0 { rng.usize(..CLASSES) } else { rng.usize(class..CLASSES) };
    format!("C{to}.m{}", rng.usize(..2))
}

/// One statement of a method with parameters `String s, Lock l, int n`.
fn statement(rng: &mut Rng, class: usize) -> String {
    let call = callee(rng, class);
    match rng.u8(..24) {
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
        15 | 16 => format!("n += {call}(null, l, {}).length();", rng.u8(..3)),
        17 | 18 => format!("n += {call}(\"a\", l, 1).length();"),
        19 | 20 => "s = null; if (n > 2) s = \"a\"; n += s.length();".to_owned(),
        21 => "l.lock(); if (n == 1) return s; l.unlock();".to_owned(),
        22 => "s = null;".to_owned(),
        _ => format!("Runnable r = () -> {call}(null, null, 1); r.run();"),
    }
}

/// A class as it is written: its head, fields, and methods with their statements.
#[derive(Clone)]
struct Written {
    number: usize,
    is_final: bool,
    fields: Vec<String>,
    answer: String,
    methods: Vec<Vec<String>>,
    /// Lines without anything in front of each method.
    blanks: Vec<usize>,
}

fn written(rng: &mut Rng, number: usize) -> Written {
    let values = ["null", "\"k\"", "C0.kept1"];
    let mut method = || (0..rng.usize(1..4)).map(|_| statement(rng, number)).collect();
    let methods = vec![method(), method()];
    Written {
        number,
        is_final: rng.u8(..4) == 0,
        fields: (0..2).map(|_| values[rng.usize(..3)].to_owned()).collect(),
        answer: ["null", "s", "\"v\""][rng.usize(..3)].to_owned(),
        methods,
        blanks: vec![0; 2],
    }
}

/// Changes something small: a constant, a line, or one statement.
fn edit(rng: &mut Rng, class: &mut Written) {
    let method = rng.usize(..class.methods.len());
    let values = ["null", "\"k\"", "s"];
    match rng.u8(..10) {
        0 => class.blanks[method] += 1,
        1 => class.fields[rng.usize(..2)] = values[rng.usize(..2)].to_owned(),
        2 | 3 => class.answer = values[rng.usize(..3)].to_owned(),
        4 => {
            let row = rng.usize(..class.methods[method].len());
            class.methods[method][row] = statement(rng, class.number);
        }
        _ => {
            let constants = [("null", "\"a\""), ("\"a\"", "null"), ("1)", "2)"), ("0)", "1)")];
            let (from, to) = constants[rng.usize(..constants.len())];
            for statement in class.methods.iter_mut().flatten() {
                *statement = statement.replacen(from, to, 1);
            }
        }
    }
}

fn text(class: &Written) -> String {
    let mut text = "import java.util.concurrent.locks.Lock;\n".to_owned();
    let is_final = if class.is_final { "final " } else { "" };
    writeln!(text, "{is_final}class C{} extends Base {{", class.number).unwrap();
    for (field, value) in class.fields.iter().enumerate() {
        writeln!(text, "    static String kept{field} = {value};").unwrap();
    }
    writeln!(text, "    String v(String s) {{ return {}; }}", class.answer).unwrap();
    for (method, statements) in class.methods.iter().enumerate() {
        text += &"\n".repeat(class.blanks[method]);
        writeln!(text, "    static String m{method}(String s, Lock l, int n) {{").unwrap();
        for statement in statements {
            // Each in a block of its own, so that names do not clash and nothing is unreachable.
            writeln!(text, "        if (n != 77) {{ {statement} }}").unwrap();
        }
        text += "        return s;\n    }\n";
    }
    text + "}\n"
}

/// Compiles each way of all classes to a folder of its own.
fn compile(rng: &mut Rng, folder: &Path, javac: &Path) {
    let first: Vec<Written> = (0..CLASSES).map(|number| written(rng, number)).collect();
    for way in 0..WAYS {
        let (from, to) = (folder.join(format!("s{way}")), folder.join(format!("w{way}")));
        fs::create_dir_all(&from).unwrap();
        fs::create_dir_all(&to).unwrap();
        let mut files = vec![from.join("Base.java")];
        fs::write(&files[0], "class Base { String v(String s) { return \"b\"; } }").unwrap();
        for (number, class) in first.iter().enumerate() {
            let mut class = class.clone();
            (0..way.min(1)).for_each(|_| edit(rng, &mut class));
            let path = from.join(format!("C{number}.java"));
            fs::write(&path, text(&class)).unwrap();
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

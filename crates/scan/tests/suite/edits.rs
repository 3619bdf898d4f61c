//! Random edits of random programs: a scan with a cache finds what one without finds, whatever was
//! edited, and does not explore all again.
//!
//! The classes of a program call each other, also through a base class that they override. The
//! last of them only have methods in which nothing happens that rules speak of, so that callers
//! rest on what these answer and not on how; and there is a chain of calls that is longer than
//! what is entered. Each class is written in a few ways, which differ in one small thing: a
//! constant, a statement, what a field is at first, whether a method is there or is overridden, or
//! where lines are. Ways of all classes fit together, so each way is compiled once. An edit puts
//! another way of one class in the place of the one that was there.
//!
//! `TERN_PAIRS` programs from `TERN_SEED` on; 2 from 1 if these are not set.

use fastrand::Rng;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tern_model::Budget;
use tern_program::java::container::find_tool;
use tern_program::java::{self, Options};
use tern_scan::cache::Cache;
use tern_scan::rules::{self, Rule};
use tern_scan::sources::Sources;
use tern_scan::{How, Scan, scan};

const CLASSES: usize = 7;
/// From this one on, classes are quiet: nothing happens in them that rules speak of.
const QUIET: usize = 4;
const WAYS: usize = 6;
const EDITS: usize = 25;
/// How many calls the chain of calls has: more than are explored apart from those who call.
const CHAIN: usize = 44;

/// Compiles folders, each to the folder that comes next: one machine for all of them.
const COMPILER: &str = r#"
import java.io.File;
import java.util.*;
public class Compile {
    public static void main(String[] folders) {
        var compiler = javax.tools.ToolProvider.getSystemJavaCompiler();
        for (int i = 0; i < folders.length; i += 2) {
            List<String> all = new ArrayList<>(List.of("-g", "-nowarn", "-d", folders[i + 1]));
            for (File file : new File(folders[i]).listFiles()) all.add(file.getPath());
            if (compiler.run(null, null, null, all.toArray(new String[0])) != 0) System.exit(1);
        }
    }
}
"#;

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
    if class >= QUIET {
        return quiet(rng, &call);
    }
    match rng.u8(..26) {
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
        22 => {
            let field = format!("C{}.kept{}", rng.usize(..2), rng.usize(..2));
            format!("{field} = null; Chain.d{}(s, n); n += {field}.length();", rng.usize(..3))
        }
        23 => format!("s = null; Chain.d{}(s, n); n += s.length();", rng.usize(..3)),
        24 => "Base b = n > 1 ? new Base() : null; s = b.v(s); n += s.length();".to_owned(),
        _ => format!("Runnable r = () -> {call}(null, null, 1); r.run();"),
    }
}

/// One statement in which nothing happens that rules speak of.
fn quiet(rng: &mut Rng, call: &str) -> String {
    match rng.u8(..9) {
        0 => "s = null;".to_owned(),
        1 => "s = \"a\";".to_owned(),
        2 | 3 => format!("s = {call}(s, l, {});", rng.u8(..3)),
        4 => format!("if (n == {}) return s;", rng.u8(..3)),
        5 => format!("C{}.kept{} = s;", rng.usize(..2), rng.usize(..2)),
        6 => format!("if (n == {}) throw new IllegalStateException();", rng.u8(..3)),
        7 => format!("n += {};", rng.u8(..3)),
        _ => "if (s == null) return \"a\";".to_owned(),
    }
}

/// A class as it is written: its head, fields, and methods with their statements.
#[derive(Clone)]
struct Written {
    number: usize,
    is_final: bool,
    fields: Vec<String>,
    answer: String,
    overrides: bool,
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
        overrides: rng.u8(..3) > 0,
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
        2 => class.answer = values[rng.usize(..3)].to_owned(),
        3 => class.overrides = !class.overrides,
        4 => {
            let row = rng.usize(..class.methods[method].len());
            class.methods[method][row] = statement(rng, class.number);
        }
        _ => {
            let constants = [("null", "\"a\""), ("\"a\"", "null"), ("1)", "2)"), ("0)", "1)")];
            let (from, to) = constants[rng.usize(..constants.len())];
            // No text is a `Base`.
            let all = class.methods.iter_mut().flatten();
            for statement in all.filter(|it| !it.starts_with("Base")) {
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
    if class.overrides {
        writeln!(text, "    String v(String s) {{ return {}; }}", class.answer).unwrap();
    }
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

/// A chain of calls whose end does something that depends on the way.
fn chain(rng: &mut Rng) -> String {
    let mut text = "class Chain {\n".to_owned();
    for row in 0..CHAIN {
        let next = row + 1;
        writeln!(text, "    static void d{row}(String s, int n) {{ d{next}(s, n + 1); }}").unwrap();
    }
    let last = match rng.u8(..4) {
        0 => "throw new IllegalStateException();".to_owned(),
        1 => format!("C{}.kept{} = s;", rng.usize(..2), rng.usize(..2)),
        2 => "if (n == 3) throw new IllegalStateException();".to_owned(),
        _ => String::new(),
    };
    text + &format!("    static void d{CHAIN}(String s, int n) {{ {last} }}\n}}\n")
}

/// Writes each way of all classes to a folder of its own; these folders, and where they are
/// compiled to.
fn write(rng: &mut Rng, folder: &Path) -> Vec<PathBuf> {
    let first: Vec<Written> = (0..CLASSES).map(|number| written(rng, number)).collect();
    let mut folders = Vec::new();
    for way in 0..WAYS {
        let (from, to) = (folder.join(format!("s{way}")), folder.join(format!("w{way}")));
        fs::create_dir_all(&from).unwrap();
        fs::create_dir_all(&to).unwrap();
        let base = "class Base { String v(String s) { return \"b\"; } }";
        fs::write(from.join("Base.java"), base).unwrap();
        fs::write(from.join("Chain.java"), chain(rng)).unwrap();
        for (number, class) in first.iter().enumerate() {
            let mut class = class.clone();
            (0..way.min(1)).for_each(|_| edit(rng, &mut class));
            fs::write(from.join(format!("C{number}.java")), text(&class)).unwrap();
        }
        folders.extend([from, to]);
    }
    folders
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

fn scanned(folder: &Path, rules: &[Rule], cache: Option<&Path>, threads: usize) -> Scan {
    let budget = Budget::unlimited();
    let program = [folder.join("program")];
    let mut reading = java::read(&program, &Options::default(), &budget).unwrap();
    let cache = cache.map(Cache::open);
    let how = How { threads, cache: cache.as_ref(), version: "1", ..How::default() };
    scan(&mut reading, rules, &Sources::new(&[]), &how, &budget).unwrap()
}

#[test]
fn after_any_edit_a_cache_changes_nothing() {
    let Some(java) = find_tool("java").filter(|_| find_tool("javac").is_some()) else {
        eprintln!("skipped: there is no `javac`");
        return;
    };
    let (count, first) = (number("TERN_PAIRS", 2), number("TERN_SEED", 1));
    let rules = rules::library();
    let (mut found, mut known, mut units) = (BTreeSet::new(), 0, 0);
    let top = tempfile::tempdir().unwrap();
    let program = |seed: u64| top.path().join(seed.to_string());
    let mut generators: Vec<Rng> = (first..first + count).map(Rng::with_seed).collect();
    let compiler = top.path().join("Compile.java");
    fs::write(&compiler, COMPILER).unwrap();
    let folders =
        generators.iter_mut().zip(first..).flat_map(|(rng, seed)| write(rng, &program(seed)));
    let out = Command::new(java).arg(&compiler).args(folders).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    for (mut rng, seed) in generators.into_iter().zip(first..) {
        let folder = program(seed);
        let names: Vec<String> = (0..CLASSES).map(|it| format!("C{it}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).chain(["Chain"]).collect();
        names.iter().chain(&["Base"]).for_each(|class| put(&folder, class, 0));
        let kept = folder.join("kept");
        scanned(&folder, &rules, Some(&kept), 1);
        for edit in 0..EDITS {
            put(&folder, names[rng.usize(..names.len())], rng.usize(..WAYS));
            let again = scanned(&folder, &rules, Some(&kept), 1 + edit % 2);
            let whole = scanned(&folder, &rules, None, 1);
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

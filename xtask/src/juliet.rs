//! `juliet`: the library of rules on the Juliet test suite for Java, group by group.
//!
//! A *case* is all classes of one name up to its number; it has a bad side and good ones, which the
//! names of methods and classes tell. A case is found if a rule of its group reports something on
//! its bad side; a good method is reported if a rule of the group reports something in it. Which
//! rules count for which weakness stands in [`GROUPS`], and nowhere else. `peers` has other tools.

mod peers;

use crate::page::note as say;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use tern_model::Budget;
use tern_program::java::{self, Options};
use tern_scan::How;
use tern_scan::findings::Finding;
use tern_scan::rules;
use tern_scan::sources::Sources;

/// The rules that count for a weakness.
type Row = (u32, &'static [&'static str]);

/// The groups: name, weaknesses, the rules that count for each.
const GROUPS: &[(&str, &[Row])] = &[
    (
        "null",
        &[
            (476, &["null-dereference", "unchecked-null-result", "null-check-after-use"]),
            (690, &["null-dereference", "unchecked-null-result"]),
        ],
    ),
    (
        "leak",
        &[
            (404, &["unclosed-resource", "unreleased-lock"]),
            (459, &["temporary-file", "delete-on-exit"]),
            (772, &["unclosed-resource"]),
            (775, &["unclosed-resource"]),
        ],
    ),
    (
        "unused, unreachable",
        &[(563, &["unused-definition"]), (570, &["decided-branch"]), (571, &["decided-branch"])],
    ),
    ("ignored result", &[(252, &["ignored-result"])]),
    (
        "locks",
        &[
            (667, &["unreleased-lock", "wait-outside-loop"]),
            (764, &["unreleased-lock", "double-lock"]),
            (765, &["unlock-without-lock"]),
            (832, &["unlock-without-lock"]),
            (833, &["lock-order"]),
        ],
    ),
    ("loops and recursion", &[(674, &["endless-recursion"]), (835, &["endless-loop"])]),
];

/// The sides of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Bad,
    Good,
}

/// What is asked for.
pub(crate) struct Asked<'a> {
    /// The folder with the sources.
    pub(crate) folder: &'a Path,
    /// Archives that they need.
    pub(crate) class_path: &'a [PathBuf],
    /// Whether to list what was missed, and what was reported in good methods.
    pub(crate) list: bool,
    /// Whether to run other tools as well.
    pub(crate) peers: bool,
    /// The folder of PMD.
    pub(crate) pmd: Option<&'a Path>,
}

/// Where Debian's package `libservlet-api-java` puts the classes of servlets.
const SERVLETS: &str = "/usr/share/java/servlet-api.jar";

/// Compiles the cases of the weaknesses below a folder, unless that was done before, scans them and
/// prints what was found.
pub(crate) fn run(asked: &Asked) -> io::Result<()> {
    let folder = asked.folder;
    let sources = sources(folder)?;
    if sources.is_empty() {
        return Err(io::Error::other(format!("there is no case below `{}`", folder.display())));
    }
    let mut class_path = asked.class_path.to_vec();
    if class_path.is_empty() && Path::new(SERVLETS).is_file() {
        class_path.push(PathBuf::from(SERVLETS));
    }
    let classes = Path::new("target").join("juliet-classes");
    if !classes.is_dir() {
        compile(&sources, &class_path, &classes, &[])?;
    }
    let budget = Budget::unlimited();
    let wrong = |what: String| io::Error::other(what);
    let options = Options { class_path: Vec::new(), release: None };
    let begin = Instant::now();
    let mut reading = java::read(std::slice::from_ref(&classes), &options, &budget)
        .map_err(|it| wrong(format!("{it:?}")))?;
    let cases = cases(&reading);
    let rules: Vec<rules::Rule> =
        rules::library().into_iter().filter(|rule| !rule.is_optional).collect();
    let roots: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    let texts = Sources::new(&roots);
    let scan = tern_scan::scan(&mut reading, &rules, &texts, &How::default(), &budget)
        .map_err(|limit| wrong(limit.to_string()))?;
    let seconds = begin.elapsed().as_secs_f64();
    print(&cases, &rules, &scan.findings, asked.list);
    say(&format!(
        "{} classes, {} contexts, {} nodes, {seconds:.1} s",
        scan.counts.classes, scan.counts.components, scan.counts.nodes
    ));
    if asked.peers {
        let given = peers::Given {
            sources: &sources,
            class_path: &class_path,
            pmd: asked.pmd,
            work: Path::new("target").join("juliet-peers"),
        };
        let old = ["--release", "8"];
        peers::run(&given, |classes| compile(&sources, &class_path, classes, &old))?;
    }
    Ok(())
}

/// The files below a folder whose names end so.
fn files(folder: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut work) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = work.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|it| it == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The sources of the weaknesses that are looked at, and those that belong to none.
fn sources(folder: &Path) -> io::Result<Vec<String>> {
    let is_meant = |path: &PathBuf| {
        let parts = path.strip_prefix(folder).unwrap_or(path).iter();
        let mut numbers = parts.filter_map(|part| {
            let part = part.to_string_lossy().to_lowercase();
            let (_, number) = part.split_once("cwe")?;
            let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<u32>().ok()
        });
        let is_one = |number| GROUPS.iter().any(|it| it.1.iter().any(|row| row.0 == number));
        numbers.all(is_one)
    };
    let all = files(folder, "java")?.into_iter().filter(is_meant);
    Ok(all.map(|path| path.display().to_string()).collect())
}

fn compile(
    sources: &[String],
    class_path: &[PathBuf],
    classes: &Path,
    more: &[&str],
) -> io::Result<()> {
    std::fs::create_dir_all(classes)?;
    let names = classes.join("sources.txt");
    std::fs::write(&names, sources.join("\n"))?;
    let joined = std::env::join_paths(class_path).map_err(io::Error::other)?;
    let done = Command::new("javac")
        .args(["-g", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-Xmaxerrs", "5"])
        .args(more)
        .arg("-cp")
        .arg(joined)
        .arg("-d")
        .arg(classes)
        .arg(format!("@{}", names.display()))
        .status()?;
    if done.success() {
        return Ok(());
    }
    std::fs::remove_dir_all(classes)?;
    let needs = "javac refuses the suite. It needs the classes of servlets: name their archive by \
        --classpath (the package `libservlet-api-java` of Debian has one)";
    Err(io::Error::other(needs))
}

/// The weakness and the case that a class belongs to: `CWE476_…__int_array_01` of `…_01_bad`.
fn case_of(class: &str) -> Option<(u32, String)> {
    let simple = class.rsplit(['.', '/']).next()?;
    let number: String =
        simple.strip_prefix("CWE")?.chars().take_while(char::is_ascii_digit).collect();
    let bytes = simple.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let end = (simple.find("__")?..bytes.len()).find(|&at| {
        bytes[at] == b'_' && is_digit(at + 1) && is_digit(at + 2) && !is_digit(at + 3)
    })?;
    Some((number.parse().ok()?, simple[..end + 3].to_owned()))
}

/// The side that a procedure is on: by its own name, else by its class.
fn side(procedure: &str) -> Option<Side> {
    let name = procedure.split('(').next()?;
    let (class, method) = name.rsplit_once('.')?;
    let of = |text: &str| {
        let text = text.to_lowercase();
        match (text.contains("bad"), text.contains("good")) {
            (true, false) => Some(Side::Bad),
            (false, true) => Some(Side::Good),
            _ => None,
        }
    };
    let simple = class.rsplit('.').next()?;
    let ending = simple.rsplit('_').next()?;
    of(method).or_else(|| of(ending))
}

/// The good methods of each case that has a bad side.
type Cases = BTreeMap<(u32, String), BTreeSet<String>>;

fn cases(reading: &java::Reading) -> Cases {
    let program = &reading.program;
    let mut cases: BTreeMap<(u32, String), (bool, BTreeSet<String>)> = BTreeMap::new();
    for (id, procedure) in program.procedures().iter() {
        let title = program.title(id);
        let Some(class) = title.rsplit_once('.').map(|(class, _)| class.to_owned()) else {
            continue;
        };
        let Some(case) = case_of(class.split('$').next().unwrap_or(&class)) else { continue };
        if procedure.body.is_none() {
            continue;
        }
        let row = cases.entry(case).or_default();
        match side(&title) {
            Some(Side::Bad) => row.0 = true,
            Some(Side::Good) => {
                row.1.insert(title);
            }
            None => {}
        }
    }
    let with_bad = cases.into_iter().filter(|(_, (has_bad, _))| *has_bad);
    with_bad.map(|(case, (_, good))| (case, good)).collect()
}

/// The case and side of a finding: that of its place, else of where its run begins.
fn placed(finding: &Finding) -> Option<((u32, String), Side, String)> {
    let own = std::iter::once(finding.procedure.as_str());
    let run = finding.run.iter().map(|moment| moment.procedure.as_str());
    own.chain(run).find_map(|procedure| {
        let title = procedure.split('(').next()?;
        let class = title.rsplit_once('.')?.0;
        let case = case_of(class.split('$').next()?)?;
        Some((case, side(procedure)?, title.to_owned()))
    })
}

fn print(cases: &Cases, rules: &[rules::Rule], findings: &[Finding], list: bool) {
    say("| group | cases | found | good methods | reported | certain in good |");
    say("|---|---|---|---|---|---|");
    let mut totals = [0usize; 5];
    let mut missed = Vec::new();
    for (name, rows) in GROUPS {
        let numbers: Vec<u32> = rows.iter().map(|row| row.0).collect();
        let (mut found, mut good, mut certain) = (BTreeSet::new(), BTreeSet::new(), 0);
        for finding in findings {
            let Some((case, side, title)) = placed(finding) else { continue };
            let own = rows.iter().find(|row| row.0 == case.0);
            if !own.is_some_and(|row| row.1.contains(&rules[finding.rule].name.as_str())) {
                continue;
            }
            match side {
                Side::Bad => {
                    found.insert(case);
                }
                Side::Good => {
                    if list {
                        let rule = &rules[finding.rule].name;
                        say(&format!("  good {}:{} {rule}", finding.file, finding.line));
                    }
                    good.insert(title);
                    certain += usize::from(finding.certain);
                }
            }
        }
        let own = cases.iter().filter(|((number, _), _)| numbers.contains(number));
        let all: Vec<&(u32, String)> = own.clone().map(|(case, _)| case).collect();
        let methods: usize = own.map(|(_, good)| good.len()).sum();
        missed.extend(all.iter().filter(|case| !found.contains(**case)).map(|it| it.1.clone()));
        let row = [all.len(), found.len(), methods, good.len(), certain];
        totals.iter_mut().zip(row).for_each(|(total, own)| *total += own);
        say(&line(name, row));
        for &number in &numbers {
            let of = |set: &mut dyn Iterator<Item = &(u32, String)>| {
                set.filter(|case| case.0 == number).count()
            };
            let (found, all) = (of(&mut found.iter()), of(&mut all.iter().copied()));
            say(&format!("|   {number} | {all} | {found} | | | |"));
        }
    }
    say(&line("all", totals));
    if list {
        missed.iter().for_each(|case| say(&format!("  missed {case}")));
    }
}

fn line(name: &str, row: [usize; 5]) -> String {
    let cells: Vec<String> = row.iter().map(usize::to_string).collect();
    format!("| {name} | {} |", cells.join(" | "))
}

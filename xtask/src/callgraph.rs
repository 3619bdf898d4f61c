//! Compares call graphs with what annotated cases say: which targets are right, missing, or should
//! not be there.
//!
//! The cases are class files in folders `CATEGORY/CASE`, compiled with `-g`. Methods in them have
//! annotations of the test suite JCG (`DirectCall`, `IndirectCall`; Reif et al., *Judge*, ISSTA
//! 2019): at a line, a method of this name is called, of these classes and not of those. A direct
//! call has the target itself; an indirect one comes to it by code of the library, so all is looked
//! at that can be reached from the call.

use crate::page::note;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use tern_ir::{ProcId, Program, Statement};
use tern_model::Budget;
use tern_model::index::Id;
use tern_program::calls::Calls;
use tern_program::code::Code;
use tern_program::java::class::{Bytes, ClassFile, Malformed, Pool};
use tern_program::sources::{self, Options};

/// What an annotation says.
#[derive(Debug, Default)]
struct Expected {
    class: String,
    method: String,
    is_direct: bool,
    name: String,
    line: Option<u32>,
    resolved: Vec<String>,
    prohibited: Vec<String>,
}

/// What became of the targets of a category.
#[derive(Debug, Default)]
struct Counts {
    cases: usize,
    right: usize,
    missing: usize,
    /// Named as wrong, and there all the same.
    prohibited: usize,
    /// Not named, and targets of a direct call.
    more: usize,
    unread: usize,
}

/// Runs the chore.
pub(crate) fn run(folder: &Path, class_path: &[PathBuf]) -> io::Result<()> {
    let mut table: BTreeMap<String, Counts> = BTreeMap::new();
    for category in folders(folder)? {
        let name = category.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for case in folders(&category)? {
            let counts = table.entry(name.clone()).or_default();
            counts.cases += 1;
            let title = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match one(&case, class_path, counts) {
                Ok(lines) => lines.iter().for_each(|line| note(&format!("{title}: {line}"))),
                Err(why) => {
                    counts.unread += 1;
                    note(&format!("{title}: not read: {why}"));
                }
            }
        }
    }
    let mut all = Counts::default();
    note("| category | cases | right | missing | superfluous, named so | other targets |");
    note("|---|--:|--:|--:|--:|--:|");
    for (name, counts) in &table {
        note(&row(name, counts));
        all.cases += counts.cases;
        all.right += counts.right;
        all.missing += counts.missing;
        all.prohibited += counts.prohibited;
        all.more += counts.more;
        all.unread += counts.unread;
    }
    note(&row("all", &all));
    if all.unread > 0 {
        note(&format!("{} cases could not be read", all.unread));
    }
    Ok(())
}

fn row(name: &str, counts: &Counts) -> String {
    let Counts { cases, right, missing, prohibited, more, .. } = counts;
    format!("| {name} | {cases} | {right} | {missing} | {prohibited} | {more} |")
}

fn folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.push(path);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// One case; says what is missing or wrong in it.
fn one(case: &Path, class_path: &[PathBuf], counts: &mut Counts) -> Result<Vec<String>, String> {
    let path = case.to_string_lossy();
    let source = sources::source_of(&path).ok_or("there is no class in it")?;
    let options = Options { class_path: class_path.to_vec(), ..Options::default() };
    let (code, _) = sources::open(source, &path, &options, &Budget::unlimited())
        .map_err(|refusal| format!("{refusal:?}"))?;
    let mut lines = Vec::new();
    for expected in annotations(case).map_err(|wrong| wrong.to_string())? {
        let found = found(&code, &expected);
        let call = format!("{}.{} line {:?}", expected.class, expected.method, expected.line);
        for target in &expected.resolved {
            if found.contains(target) {
                counts.right += 1;
            } else {
                counts.missing += 1;
                lines.push(format!("{call}: missing {target}.{}", expected.name));
            }
        }
        for target in expected.prohibited.iter().filter(|target| found.contains(*target)) {
            counts.prohibited += 1;
            lines.push(format!("{call}: superfluous {target}.{}", expected.name));
        }
        let is_named =
            |it: &&String| expected.resolved.contains(*it) || expected.prohibited.contains(*it);
        if expected.is_direct {
            counts.more += found.iter().filter(|it| !is_named(it)).count();
        }
    }
    Ok(lines)
}

/// The classes of the targets of the calls that an annotation speaks of.
fn found(code: &Code, expected: &Expected) -> BTreeSet<String> {
    let (program, calls) = (code.program(), code.calls());
    let mut found = BTreeSet::new();
    let add = |found: &mut BTreeSet<String>, target: ProcId| {
        let title = program.title(target);
        if let Some((class, name)) = title.rsplit_once('.')
            && name == expected.name
        {
            found.insert(class.to_owned());
        }
    };
    let title = format!("{}.{}", expected.class, expected.method);
    for &procedure in calls.reached.iter().filter(|&&it| program.title(it) == title) {
        let Some(body) = &program.procedures()[procedure].body else { continue };
        let mut sites = calls.sites(procedure).iter();
        for (statement, place) in body.statements.iter().zip(&body.places) {
            let Statement::Call { call, .. } = statement else { continue };
            let Some(&site) = sites.next() else { break };
            let name = program.text(program.selectors()[call.selector].name);
            if expected.line.is_some_and(|line| line != place.line) {
                continue;
            }
            let reference = &calls.references()[site];
            if !expected.is_direct {
                let mut open = reference.targets.clone();
                if reference.unknown.is_some() {
                    open.extend(&calls.callbacks);
                }
                let reached = reachable(program, calls, open);
                reached.into_iter().for_each(|target| add(&mut found, target));
            } else if name == expected.name {
                reference.targets.iter().for_each(|&target| add(&mut found, target));
                // A call that is reached and names a class that is missing leads to its code.
                let class = program.text(reference.class).to_owned();
                let is_missing = program.find_class(reference.class).is_none();
                if is_missing && expected.resolved.contains(&class) {
                    found.insert(class);
                }
            }
        }
    }
    found
}

/// Everything that can be come to from some procedures.
fn reachable(program: &Program, calls: &Calls, mut open: Vec<ProcId>) -> Vec<ProcId> {
    let mut seen = vec![false; program.procedures().len()];
    let mut found = Vec::new();
    while let Some(procedure) = open.pop() {
        if std::mem::replace(&mut seen[procedure.index()], true) {
            continue;
        }
        found.push(procedure);
        if program.procedures()[procedure].body.is_none() {
            open.extend(&calls.callbacks);
        }
        for &site in calls.sites(procedure) {
            let reference = &calls.references()[site];
            open.extend(&reference.targets);
            if reference.unknown.is_some() {
                open.extend(&calls.callbacks);
            }
        }
    }
    found
}

/// The annotations of all class files below a folder.
fn annotations(folder: &Path) -> io::Result<Vec<Expected>> {
    let mut all = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|it| it == "class") {
                let bytes = std::fs::read(&path)?;
                all.extend(of_class(&bytes).map_err(io::Error::other)?);
            }
        }
    }
    Ok(all)
}

fn of_class(bytes: &[u8]) -> Result<Vec<Expected>, Malformed> {
    let file = ClassFile::read(bytes)?;
    let class = text(file.pool.utf8(file.pool.class(file.this)?)?).replace('/', ".");
    let mut all = Vec::new();
    for method in &file.methods {
        let Some(mut bytes) = method.annotations else { continue };
        let mut reader = Annotations { pool: &file.pool, found: Vec::new() };
        for _ in 0..bytes.u2()? {
            reader.annotation(&mut bytes, 0)?;
        }
        for mut expected in reader.found {
            expected.class.clone_from(&class);
            expected.method = text(file.pool.utf8(method.name)?);
            all.push(expected);
        }
    }
    Ok(all)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// How deep annotations lie in each other at most: repeated ones lie in one more.
const DEEPEST: usize = 4;

struct Annotations<'p, 'a> {
    pool: &'p Pool<'a>,
    found: Vec<Expected>,
}

impl Annotations<'_, '_> {
    fn annotation(&mut self, bytes: &mut Bytes<'_>, depth: usize) -> Result<(), Malformed> {
        let ty = text(self.pool.utf8(bytes.u2()?)?);
        let is_direct = ty.ends_with("/DirectCall;");
        let mut expected = Expected { is_direct, ..Expected::default() };
        for _ in 0..bytes.u2()? {
            let key = text(self.pool.utf8(bytes.u2()?)?);
            let mut values = Vec::new();
            self.value(bytes, depth, &mut values)?;
            match key.as_str() {
                "name" => expected.name = values.pop().unwrap_or_default(),
                "line" => expected.line = values.pop().and_then(|line| line.parse().ok()),
                "resolvedTargets" => {
                    expected.resolved = values.iter().map(|it| class(it)).collect();
                }
                "prohibitedTargets" => {
                    expected.prohibited = values.iter().map(|it| class(it)).collect();
                }
                _ => {}
            }
        }
        if is_direct || ty.ends_with("/IndirectCall;") {
            self.found.push(expected);
        }
        Ok(())
    }

    /// Reads a value; texts and numbers in it go to `values`.
    fn value(
        &mut self,
        bytes: &mut Bytes<'_>,
        depth: usize,
        values: &mut Vec<String>,
    ) -> Result<(), Malformed> {
        if depth > DEEPEST {
            return Err(bytes.wrong("annotations lie too deep in each other"));
        }
        match bytes.u1()? {
            b's' => values.push(text(self.pool.utf8(bytes.u2()?)?)),
            b'I' => {
                let index = bytes.u2()?;
                if let tern_program::java::class::Value::Int(number) = self.pool.value(index)? {
                    values.push(number.to_string());
                }
            }
            b'e' => {
                bytes.take(4)?;
            }
            b'@' => self.annotation(bytes, depth + 1)?,
            b'[' => {
                for _ in 0..bytes.u2()? {
                    self.value(bytes, depth + 1, values)?;
                }
            }
            _ => {
                bytes.take(2)?;
            }
        }
        Ok(())
    }
}

/// `La/B;` as `a.B`.
fn class(descriptor: &str) -> String {
    let name = descriptor.strip_prefix('L').and_then(|it| it.strip_suffix(';'));
    name.unwrap_or(descriptor).replace('/', ".")
}

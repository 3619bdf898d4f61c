//! `cargo xtask tidy`: what neither the compiler nor clippy looks at. Comments are within 100
//! columns, functions within 100 lines; files that comments and `ARCHITECTURE.md` name exist; every
//! code of a message is both in the sources and in the tests or pages; nothing is left to be done.
//!
//! A test runs it. `cargo xtask tidy --wrap` rewraps comments that are too wide.

mod wrap;

use crate::page::note;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

/// How many columns a comment may take.
const WIDTH: usize = 100;
/// How many lines a function may take.
const LENGTH: usize = 100;

/// A place that is not as it should be.
#[derive(Debug)]
struct Offence {
    rule: Rule,
    path: String,
    line: usize,
    what: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    WideComment,
    LongFunction,
    MissingFile,
    Code,
    LeftToDo,
    Orphan,
    NotRun,
}

impl Rule {
    const ALL: [Rule; 7] = [
        Rule::WideComment,
        Rule::LongFunction,
        Rule::MissingFile,
        Rule::Code,
        Rule::LeftToDo,
        Rule::Orphan,
        Rule::NotRun,
    ];
}

/// All files of the project that are text, by their paths from its root.
struct Tree {
    texts: BTreeMap<String, String>,
    /// All paths, of files that are no text as well.
    paths: BTreeSet<String>,
}

impl Tree {
    fn read(root: &Path) -> io::Result<Tree> {
        let mut tree = Tree { texts: BTreeMap::new(), paths: BTreeSet::new() };
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                let inner = path.strip_prefix(root).expect("it is below the root");
                let name = inner.to_string_lossy().replace('\\', "/");
                if path.is_dir() {
                    if !matches!(name.as_str(), "target" | ".git") {
                        folders.push(path);
                    }
                } else {
                    if let Ok(text) = fs::read_to_string(&path) {
                        tree.texts.insert(name.clone(), text);
                    }
                    tree.paths.insert(name);
                }
            }
        }
        Ok(tree)
    }

    fn sources(&self) -> impl Iterator<Item = (&String, &String)> {
        self.texts.iter().filter(|(path, _)| path.ends_with(".rs"))
    }

    /// Whether some path ends like this, or is below a folder that does.
    fn holds(&self, name: &str) -> bool {
        let is_here = |path: &String| match name.strip_suffix('/') {
            Some(_) => format!("/{path}").contains(&format!("/{name}")),
            None => format!("/{path}").ends_with(&format!("/{name}")),
        };
        self.paths.iter().any(is_here)
    }
}

/// Reports all offences. With `wraps`, comments are rewrapped first.
///
/// # Errors
/// If there are offences, or files cannot be read or written.
pub(crate) fn run(root: &Path, wraps: bool) -> io::Result<()> {
    if wraps {
        for (path, text) in Tree::read(root)?.sources() {
            let wrapped = wrap::wrap(text);
            if wrapped != *text {
                fs::write(root.join(path), wrapped)?;
                note(&format!("wrapped {path}"));
            }
        }
    }
    let offences = inspect(&Tree::read(root)?);
    for Offence { rule, path, line, what } in &offences {
        note(&format!("{path}:{line}: {rule:?}: {what}"));
    }
    let broken = broken(&offences);
    if broken.is_empty() { Ok(()) } else { Err(io::Error::other(broken.join("; "))) }
}

/// The rules that are broken, and how often.
fn broken(offences: &[Offence]) -> Vec<String> {
    let count = |rule: Rule| offences.iter().filter(|offence| offence.rule == rule).count();
    let tell = |rule: Rule| (count(rule) > 0).then(|| format!("{rule:?}: {}", count(rule)));
    Rule::ALL.into_iter().filter_map(tell).collect()
}

fn inspect(tree: &Tree) -> Vec<Offence> {
    let mut offences = Vec::new();
    let mut add = |rule, path: &str, line, what: String| {
        offences.push(Offence { rule, path: path.to_owned(), line, what });
    };
    for (path, text) in tree.sources() {
        for line in wrap::wide_lines(text) {
            add(Rule::WideComment, path, line, format!("wider than {WIDTH} columns"));
        }
        for (line, length) in long_functions(text) {
            add(Rule::LongFunction, path, line, format!("{length} lines"));
        }
        for (line, word) in left_to_do(text) {
            add(Rule::LeftToDo, path, line, word);
        }
    }
    for (path, text) in &tree.texts {
        for (line, name) in named_files(path, text) {
            if !tree.holds(&name) {
                add(Rule::MissingFile, path, line, format!("there is no `{name}`"));
            }
        }
    }
    for (path, line) in tests_not_run(tree) {
        add(Rule::NotRun, &path, line, "this crate runs no such tests".to_owned());
    }
    for (path, line, code) in lonely_codes(tree) {
        add(Rule::Code, &path, line, code);
    }
    for path in &tree.paths {
        if is_orphan(tree, path) {
            add(Rule::Orphan, path, 1, "belongs to no other file".to_owned());
        }
    }
    offences
}

/// Functions that are too long, with the line where they begin. The text must be formatted: then a
/// function ends at the brace that is indented like its beginning.
fn long_functions(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    // Where functions begin that have not ended yet, with their indentation.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let inner = line.trim_start();
        let indent = line.len() - inner.len();
        if begins_function(inner) && !inner.ends_with('}') && !inner.ends_with(';') {
            open.push((indent, number));
        } else if let Some(&(begun, first)) = open.last()
            && begun == indent
        {
            let length = number + 1 - first;
            match inner {
                "}" => {
                    open.pop();
                    found.extend((length > LENGTH).then_some((first, length)));
                }
                // A signature over several lines, without a body.
                _ if inner.starts_with(')') && inner.ends_with(';') => {
                    open.pop();
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether a line begins with `fn`, after `pub(crate)` and the like.
fn begins_function(line: &str) -> bool {
    line.split_whitespace()
        .find(|word| {
            let is_visibility = *word == "pub" || word.starts_with("pub(") || word.ends_with(')');
            !is_visibility && !matches!(*word, "const" | "async" | "extern" | "unsafe")
        })
        .is_some_and(|word| word == "fn")
}

/// Words that say that something is left to be done.
fn left_to_do(text: &str) -> Vec<(usize, String)> {
    let words = [concat!("todo", "!"), concat!("unimplemented", "!"), concat!("FIX", "ME")];
    let line = |(number, line): (usize, &str)| {
        words.iter().find(|&&word| line.contains(word)).map(|&word| (number, word.to_owned()))
    };
    (1..).zip(text.lines()).filter_map(line).collect()
}

/// Files and folders that comments, or the page on the architecture, name in backticks.
fn named_files(path: &str, text: &str) -> Vec<(usize, String)> {
    let is_page = path == "ARCHITECTURE.md";
    if !is_page && !path.ends_with(".rs") {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let prose = match wrap::comment(line) {
            _ if is_page => line,
            Some((_, prose)) => prose,
            None => continue,
        };
        for name in prose.split('`').skip(1).step_by(2) {
            let is_path = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-./".contains(&b));
            let is_file = [".rs", ".md"].iter().any(|end| name.ends_with(end) && name != *end);
            if is_path && (is_file || is_page && name.len() > 1 && name.ends_with('/')) {
                found.push((number, name.trim_start_matches("./").to_owned()));
            }
        }
    }
    found
}

/// Tests and examples in the sources of crates whose manifests say that there are none.
fn tests_not_run(tree: &Tree) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (path, text) in tree.sources() {
        let Some((folder, _)) = path.split_once("/src/") else { continue };
        let manifest = tree.texts.get(&format!("{folder}/Cargo.toml"));
        let says = |what: &str| {
            let mut lines = manifest.into_iter().flat_map(|manifest| manifest.lines());
            lines.any(|line| line == format!("{what} = false"))
        };
        let (no_examples, no_tests) = (says("doctest"), says("test"));
        let mut in_code = false;
        for (number, line) in (1..).zip(text.lines()) {
            let doc = wrap::comment(line).filter(|(marker, _)| !marker.ends_with(" //"));
            let fence = doc.and_then(|(_, text)| text.trim_start().strip_prefix("```"));
            let is_example = fence.is_some_and(|kind| !in_code && matches!(kind, "" | "rust"));
            in_code ^= fence.is_some();
            let is_test = line.trim_start() == concat!("#[", "test]");
            if is_example && no_examples || is_test && no_tests {
                found.push((path.clone(), number));
            }
        }
    }
    found
}

/// Whether a word is the code of a message: `M101`, `W201`.
fn is_code(word: &str) -> bool {
    word.len() == 4
        && word.starts_with(|first: char| first.is_ascii_uppercase())
        && word[1..].bytes().all(|byte| byte.is_ascii_digit())
}

/// Codes that are in the sources alone, but for their own tests, or in messages of tests and pages
/// alone.
fn lonely_codes(tree: &Tree) -> Vec<(String, usize, String)> {
    type Codes = BTreeMap<String, (String, usize)>;
    let (mut reported, mut seen): (Codes, Codes) = Default::default();
    for (path, text) in &tree.texts {
        let in_sources = path.ends_with(".rs") && path.contains("/src/");
        let in_tests = path.starts_with("tests/") || path.contains("/tests/");
        if !in_sources && !in_tests && !path.starts_with("docs/") {
            continue;
        }
        let ends = |line: &&str| !(in_sources && line.trim_start().starts_with("mod tests {"));
        for (number, line) in (1..).zip(text.lines().take_while(ends)) {
            let quoted = line.split('"').skip(1).step_by(2).filter(|word| is_code(word));
            let told = line.match_indices('[').filter_map(|(at, _)| line.get(at + 1..at + 5));
            let codes = if in_sources { &mut reported } else { &mut seen };
            for code in quoted.chain(told.filter(|word| !in_sources && is_code(word))) {
                codes.entry(code.to_owned()).or_insert_with(|| (path.clone(), number));
            }
        }
    }
    let lonely = |one: &Codes, other: &Codes, why: &str| -> Vec<(String, usize, String)> {
        let alone = one.iter().filter(|(code, _)| !other.contains_key(*code));
        alone.map(|(code, (path, line))| (path.clone(), *line, format!("{code} {why}"))).collect()
    };
    let mut all = lonely(&reported, &seen, "is in no test and on no page");
    all.extend(lonely(&seen, &reported, "is in no source"));
    all
}

/// Whether a file of expected output has no input, or an input neither expected output nor a
/// command that names it or its folder.
fn is_orphan(tree: &Tree, path: &str) -> bool {
    if path.ends_with(".pending-snap") || path.ends_with(".snap.new") {
        return true;
    }
    if !path.starts_with("tests/broken/") || path.ends_with(".md") {
        return false;
    }
    match path.strip_suffix(".stderr") {
        Some(input) => !tree.paths.contains(input),
        None => {
            let name = path.trim_start_matches("tests/broken/");
            let commands = tree.texts.iter().filter(|(path, _)| path.ends_with(".args"));
            let folder = name.rsplit_once('/').map(|(folder, _)| folder);
            let names_folder = |text: &str| text.lines().any(|line| Some(line) == folder);
            let is_named =
                commands.into_iter().any(|(_, text)| text.contains(name) || names_folder(text));
            !is_named && !tree.paths.contains(&format!("{path}.stderr"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
    }

    #[test]
    fn the_project_is_tidy() {
        let offences = inspect(&Tree::read(root()).expect("the project can be read"));
        assert_eq!(broken(&offences), [""; 0], "`cargo xtask tidy` says where");
    }

    /// Words are kept, nothing is too wide afterwards, and wrapping again changes nothing.
    #[test]
    fn all_comments_of_the_project_can_be_wrapped() {
        let words = |text: &str| -> Vec<String> {
            let inner = |line| wrap::comment(line).map_or(line, |(_, inner)| inner).to_owned();
            let inner: Vec<String> = text.lines().map(inner).collect();
            inner.join(" ").split_whitespace().map(str::to_owned).collect()
        };
        let tree = Tree::read(root()).expect("the project can be read");
        for (path, text) in tree.sources() {
            let wrapped = wrap::wrap(text);
            assert_eq!(words(&wrapped), words(text), "{path}");
            assert!(wrap::wide_lines(&wrapped).is_empty(), "{path}");
            assert_eq!(wrap::wrap(&wrapped), wrapped, "{path}");
        }
    }

    #[test]
    fn long_functions_are_found() {
        let body = "        f(\n        );\n".repeat(49);
        let text = format!("impl A {{\n    pub(crate) fn f() {{\n{body}    }}\n}}\n");
        assert_eq!(long_functions(&text), []);
        let text = text.replacen("        f(\n", "        f(\n        1,\n", 1);
        assert_eq!(long_functions(&text), [(2, 101)]);
    }

    #[test]
    fn names_of_files_are_found_in_comments_only() {
        let text = "//! See `a/b.rs` and `x.tern`.\nlet a = \"`c.rs`\";\n";
        assert_eq!(named_files("x.rs", text), [(1, "a/b.rs".to_owned())]);
        let page = named_files("ARCHITECTURE.md", "`ctl/`: see `d.md`, `a b.rs`");
        assert_eq!(page, [(1, "ctl/".to_owned()), (1, "d.md".to_owned())]);
    }

    #[test]
    fn what_breaks_a_rule_is_seen() {
        let mut tree = Tree { texts: BTreeMap::new(), paths: BTreeSet::new() };
        let mut add = |path: &str, text: &str| {
            tree.texts.insert(path.to_owned(), text.to_owned());
            tree.paths.insert(path.to_owned());
        };
        let wide = "word ".repeat(25);
        add("crates/a/src/lib.rs", &format!("// {wide}\n// `b.rs`\nf(\"M901\");\n"));
        add("tests/broken/x.rsm.stderr", "error[M902]: no\n");
        add("crates/a/src/c.rs", concat!("todo", "!();\n"));
        add("crates/a/src/d.rs", "//! ```text\n//! ```\n/// ```\n/// f();\n/// ```\n");
        add("crates/a/Cargo.toml", "[lib]\ndoctest = false\n");
        let rules: Vec<Rule> = inspect(&tree).iter().map(|offence| offence.rule).collect();
        let expected = [
            Rule::LeftToDo,
            Rule::WideComment,
            Rule::MissingFile,
            Rule::NotRun,
            Rule::Code,
            Rule::Code,
            Rule::Orphan,
        ];
        assert_eq!(rules, expected);
    }
}

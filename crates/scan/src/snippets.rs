//! The tests of rules: their `bad` and `good` snippets, compiled by `javac` and scanned.

use crate::How;
use crate::rules::Rule;
use crate::sources::Sources;
use std::fs;
use std::path::PathBuf;
use tern_front::{Problem, Refusal};
use tern_model::Budget;
use tern_program::java::{self, Options, container::find_tool};

/// What became of one snippet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// The number of the rule.
    pub rule: usize,
    /// The line of the rule's file where the snippet begins.
    pub line: u32,
    /// Whether it is meant to break the rule.
    pub is_bad: bool,
    /// Whether it did.
    pub found: bool,
}

impl Tried {
    /// Whether the rule does what its snippet says.
    pub fn is_right(&self) -> bool {
        self.is_bad == self.found
    }
}

/// Whether there is a compiler for snippets.
pub fn has_compiler() -> bool {
    find_tool("javac").is_some()
}

/// Tries the snippets of rules. Each becomes a class of its own; one run of `javac` compiles all.
///
/// # Errors
/// That there is no compiler, or that it refuses a snippet.
pub fn test(rules: &[Rule], budget: &Budget) -> Result<Vec<Tried>, Refusal> {
    let wrong = |error: std::io::Error| {
        Refusal::from(Problem::error("J008", format!("no temporary folder: {error}")))
    };
    let folder = tempfile::tempdir().map_err(wrong)?;
    let mut files: Vec<PathBuf> = Vec::new();
    let mut rows = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        for snippet in &rule.snippets {
            let name = format!("Snippet{}", rows.len());
            let path = folder.path().join(format!("{name}.java"));
            let text = format!("public class {name} {{\n{}\n}}\n", snippet.text);
            fs::write(&path, text).map_err(wrong)?;
            files.push(path);
            rows.push((number, snippet.line, snippet.is_bad));
        }
    }
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let mut reading = java::read(&files, &Options::default(), budget)?;
    let sources = Sources::new(&[folder.path().to_owned()]);
    let scan = crate::scan(&mut reading, rules, &sources, &How::default(), budget)?;
    let tried = rows.into_iter().enumerate().map(|(row, (rule, line, is_bad))| {
        let file = format!("Snippet{row}.java");
        let found = scan.findings.iter().any(|it| it.rule == rule && it.file == file);
        Tried { rule, line, is_bad, found }
    });
    Ok(tried.collect())
}

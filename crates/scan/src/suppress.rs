//! Findings that do not count: comments in the source, settings, baselines. They stay in what is
//! written, and are marked.

use crate::findings::{Finding, Suppression};
use crate::models::glob;
use crate::rules::Rule;
use crate::sources::Sources;
use std::collections::{BTreeMap, BTreeSet};
use tern_front::{Problem, Source};
use tern_model::Span;

/// What `tern.toml` says of scans.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Files whose findings do not count; `*` stands for any letters.
    pub exclude: Vec<String>,
    /// Rules that are not looked at.
    pub disable: Vec<String>,
    /// Rules that are looked at only when asked for, and are asked for.
    pub enable: Vec<String>,
    /// Folders with sources.
    pub sources: Vec<String>,
}

/// Reads the section `[scan]` of `tern.toml`: lists of texts. Other sections are left alone.
///
/// # Errors
/// All lines that are not understood.
pub fn settings(source: &Source) -> Result<Settings, Vec<Problem>> {
    let text = String::from_utf8_lossy(&source.bytes);
    let (mut settings, mut problems) = (Settings::default(), Vec::new());
    let mut section = String::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let span = Span::new(offset..offset + line.trim_end().len());
        offset += line.len();
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(name) = line.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            section = name.trim().to_owned();
            continue;
        }
        if line.is_empty() || section != "scan" {
            continue;
        }
        let entry = line.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
        let values = entry.and_then(|(_, value)| list(value));
        match (entry.map(|(key, _)| key), values) {
            (Some("exclude"), Some(values)) => settings.exclude.extend(values),
            (Some("disable"), Some(values)) => settings.disable.extend(values),
            (Some("enable"), Some(values)) => settings.enable.extend(values),
            (Some("sources"), Some(values)) => settings.sources.extend(values),
            _ => {
                problems
                    .push(Problem::error("U006", "this is no setting of a scan").at(span, "").hint(
                    "`exclude`, `disable`, `enable` and `sources` are lists of texts in one line: \
                     exclude = [\"*/generated/*\"]",
                ));
            }
        }
    }
    if problems.is_empty() { Ok(settings) } else { Err(problems) }
}

/// `["a", "b"]`
fn list(text: &str) -> Option<Vec<String>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?.trim().trim_end_matches(',');
    if inner.is_empty() {
        return Some(Vec::new());
    }
    let each = inner.split(',').map(|item| {
        let item = item.trim();
        Some(item.strip_prefix('"')?.strip_suffix('"')?.to_owned())
    });
    each.collect()
}

/// Marks findings in files that the settings exclude.
pub fn by_settings(findings: &mut [Finding], settings: &Settings) {
    for finding in findings {
        let fits = |it: &&String| glob(it.as_bytes(), finding.file.as_bytes());
        if let Some(pattern) = settings.exclude.iter().find(fits) {
            finding.suppression = Some(Suppression::Settings(pattern.clone()));
        }
    }
}

/// Marks findings that comments suppress: `// tern: ignore[rule] reason` in the line or the one
/// above. Gives the comments, in files with findings, that suppress nothing.
pub fn by_comments(
    findings: &mut [Finding],
    rules: &[Rule],
    sources: &Sources,
) -> Vec<(String, u32)> {
    let files: BTreeSet<String> = findings.iter().map(|it| it.file.clone()).collect();
    let mut comments: BTreeMap<(String, u32), (Vec<String>, String, bool)> = BTreeMap::new();
    for file in files {
        let Some(source) = sources.find(&file) else { continue };
        for (number, line) in source.lines.iter().enumerate() {
            if let Some((names, reason)) = comment(line) {
                comments.insert((file.clone(), number as u32 + 1), (names, reason, false));
            }
        }
    }
    for finding in findings.iter_mut() {
        for line in [finding.line, finding.line.saturating_sub(1)] {
            let Some(found) = comments.get_mut(&(finding.file.clone(), line)) else { continue };
            if found.0.iter().any(|name| *name == rules[finding.rule].name || name == "*") {
                found.2 = true;
                finding.suppression = Some(Suppression::Comment(found.1.clone()));
            }
        }
    }
    let unused = comments.into_iter().filter(|(_, (_, _, used))| !used);
    unused.map(|(place, _)| place).collect()
}

/// The rules and the reason of a comment.
fn comment(line: &str) -> Option<(Vec<String>, String)> {
    let (_, rest) = line.split_once("// tern: ignore[")?;
    let (names, reason) = rest.split_once(']')?;
    let names = names.split(',').map(|name| name.trim().to_owned()).collect();
    Some((names, reason.trim().to_owned()))
}

/// A baseline: the fingerprints of findings that are known, one a line with what they are.
pub fn baseline(findings: &[Finding], rules: &[Rule]) -> String {
    let mut lines: Vec<String> = findings
        .iter()
        .filter(|it| it.suppression.is_none())
        .map(|it| format!("{} {} {}\n", it.fingerprint, rules[it.rule].name, it.procedure))
        .collect();
    lines.sort();
    format!("# tern-baseline/1\n{}", lines.concat())
}

/// Marks findings that a baseline has.
///
/// # Errors
/// That it is no baseline.
pub fn by_baseline(findings: &mut [Finding], source: &Source) -> Result<(), Vec<Problem>> {
    let text = String::from_utf8_lossy(&source.bytes);
    let mut lines = text.lines();
    if lines.next() != Some("# tern-baseline/1") {
        let hint = "make one by `tern scan PATH --write-baseline FILE`";
        return Err(vec![Problem::error("U007", "this is no baseline").hint(hint)]);
    }
    let known: BTreeSet<&str> = lines.filter_map(|line| line.split_whitespace().next()).collect();
    for finding in findings {
        if known.contains(finding.fingerprint.as_str()) {
            finding.suppression.get_or_insert(Suppression::Baseline);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_lists() {
        let text =
            "[other]\nx = 3\n[scan] # all\nexclude = [\"*/gen/*\", \"B.java\"]\nenable = []\n";
        let read = settings(&Source::new("tern.toml", text)).unwrap();
        assert_eq!(read.exclude, ["*/gen/*", "B.java"]);
        let wrong = settings(&Source::new("tern.toml", "[scan]\nexclud = []\nexclude = 3\n"));
        assert_eq!(wrong.unwrap_err().len(), 2);
    }

    #[test]
    fn comments_name_rules_and_reasons() {
        let found = comment("  f(); // tern: ignore[a, b-c] it is meant so ").unwrap();
        assert_eq!(found, (vec!["a".to_owned(), "b-c".to_owned()], "it is meant so".to_owned()));
        assert_eq!(comment("// ignore[a]"), None);
    }
}

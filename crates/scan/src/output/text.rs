//! Findings for people: certain ones first, each with its excerpt and its run as an indented story.

use super::{Shown, certainty};
use std::fmt::Write;

/// The findings as text; with their runs if asked for.
pub fn text(shown: &Shown, with_runs: bool) -> String {
    let mut text = String::new();
    let counted = shown.findings.iter().filter(|it| it.suppression.is_none());
    let (certain, possible): (Vec<_>, Vec<_>) = counted.partition(|it| it.certain);
    for finding in certain.into_iter().chain(possible) {
        let rule = &shown.rules[finding.rule];
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}:{}: {} {}: {} [{}]",
            finding.file,
            finding.line,
            certainty(finding),
            rule.severity.name(),
            finding.message,
            rule.name
        );
        if let Some(line) = shown.sources.line(&finding.file, finding.line) {
            let _ = writeln!(text, "{:>6} | {}", finding.line, line.trim_end());
        }
        if with_runs && finding.run.len() > 1 {
            for moment in &finding.run {
                let indent = "  ".repeat(moment.depth + 1);
                let _ = writeln!(text, "  {:>5} {indent}{}", moment.line, moment.text);
            }
        }
    }
    for (file, line) in shown.unused {
        let _ = writeln!(text, "{file}:{line}: note: this comment suppresses nothing");
    }
    for reason in shown.left_out {
        let _ = writeln!(text, "not analysed: {reason}");
    }
    let (certain, possible, suppressed) = shown.totals();
    let _ = write!(text, "{certain} certain, {possible} possible");
    if suppressed > 0 {
        let _ = write!(text, ", {suppressed} suppressed");
    }
    if shown.counts.doubtful > 0 {
        let _ = write!(text, ", {} doubtful (`--doubtful`)", shown.counts.doubtful);
    }
    let _ = writeln!(
        text,
        " in {} methods of {} classes",
        shown.counts.procedures, shown.counts.classes
    );
    text
}

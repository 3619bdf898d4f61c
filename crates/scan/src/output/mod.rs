//! Findings as text, JSON, SARIF and JUnit. Nothing is decided here.

mod json;
mod junit;
mod sarif;
mod text;

pub use json::{json, result};
pub use junit::junit;
pub use sarif::sarif;
pub use text::text;

use crate::Counts;
use crate::findings::Finding;
use crate::rules::Rule;
use crate::sources::Sources;

/// What is shown of a scan.
#[derive(Debug)]
pub struct Shown<'a> {
    /// The rules that were looked at.
    pub rules: &'a [Rule],
    /// The findings.
    pub findings: &'a [Finding],
    /// How much was looked at.
    pub counts: Counts,
    /// Sources for excerpts.
    pub sources: &'a Sources,
    /// What could not be analysed, each with a reason.
    pub left_out: &'a [String],
    /// Comments that suppress nothing: file, line.
    pub unused: &'a [(String, u32)],
    /// Whether findings were compared with a baseline.
    pub has_baseline: bool,
    /// The version of Tern.
    pub version: &'a str,
}

impl Shown<'_> {
    /// How many findings that count are certain, and how many possible.
    fn totals(&self) -> (usize, usize, usize) {
        let counted = self.findings.iter().filter(|it| it.suppression.is_none());
        let certain = counted.clone().filter(|it| it.certain).count();
        let all = counted.count();
        (certain, all - certain, self.findings.len() - all)
    }
}

/// Certain or possible.
fn certainty(finding: &Finding) -> &'static str {
    if finding.certain { "certain" } else { "possible" }
}

//! Findings as JUnit tests: a test for each rule, with a failure for each finding that counts.

use super::{Shown, certainty};
use std::fmt::Write;

/// The findings as JUnit.
pub fn junit(shown: &Shown) -> String {
    let counts = |rule: usize| {
        shown.findings.iter().filter(move |it| it.rule == rule && it.suppression.is_none())
    };
    let failures: usize = (0..shown.rules.len()).map(|rule| counts(rule).count()).sum();
    let failed = (0..shown.rules.len()).filter(|&rule| counts(rule).next().is_some()).count();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "<testsuite name=\"tern scan\" tests=\"{}\" failures=\"{failed}\">",
        shown.rules.len()
    );
    for (number, rule) in shown.rules.iter().enumerate() {
        let _ = writeln!(text, "  <testcase classname=\"tern\" name=\"{}\">", escaped(&rule.name));
        for finding in counts(number) {
            let _ = writeln!(
                text,
                "    <failure type=\"{}\" message=\"{}\">{}:{} {}</failure>",
                certainty(finding),
                escaped(&finding.message),
                escaped(&finding.file),
                finding.line,
                escaped(&finding.procedure)
            );
        }
        text += "  </testcase>\n";
    }
    let _ = writeln!(text, "  <system-out>{failures} findings</system-out>\n</testsuite>");
    text
}

/// A text in XML; what XML cannot say is left out.
fn escaped(text: &str) -> String {
    let mut result = String::new();
    for c in text.chars() {
        match c {
            '<' => result += "&lt;",
            '>' => result += "&gt;",
            '&' => result += "&amp;",
            '"' => result += "&quot;",
            c if c < ' ' && !"\t\n\r".contains(c) => {}
            c => result.push(c),
        }
    }
    result
}

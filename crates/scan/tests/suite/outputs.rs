//! What is written of findings: JSON, SARIF, JUnit; fingerprints, comments, baselines.

use crate::scanned;
use serde_json::Value;
use tern_front::Source;
use tern_scan::findings::Suppression;
use tern_scan::output::{self, Shown};
use tern_scan::suppress;

const WRONG: &str = "int f() { String s = null;\n return s.length(); }\n int g(java.io.InputStream i) throws Exception {\n i.read(new byte[3]); return 0; }";

#[test]
fn sarif_has_what_the_standard_demands() {
    let Some((mut found, rules, sources)) = scanned(WRONG) else { return };
    found.findings[1].suppression = Some(Suppression::Comment("why".to_owned()));
    let left_out = ["A.x: why".to_owned()];
    let shown = Shown {
        rules: &rules,
        findings: &found.findings,
        counts: found.counts,
        sources: &sources,
        left_out: &left_out,
        unused: &[],
        has_baseline: true,
        version: "1",
    };
    let all: Value = serde_json::from_str(&output::sarif(&shown)).expect("JSON");
    assert_eq!(crate::sarif::flaws(&all), Vec::<String>::new());
    let run = &all["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "Tern");
    let listed = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 2);
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("a number") as usize;
        assert_eq!(listed[index]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().expect("a level")));
        assert!(result["message"]["text"].is_string());
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "A.java");
        assert!(place["region"]["startLine"].as_u64().expect("a line") >= 1);
        let steps = &result["codeFlows"][0]["threadFlows"][0]["locations"];
        for step in steps.as_array().expect("steps") {
            assert!(step["nestingLevel"].is_u64());
            assert!(
                ["essential", "unimportant"].contains(&step["importance"].as_str().expect("it"))
            );
            assert!(step["location"]["message"]["text"].is_string());
        }
    }
    // The suppressed one is kept, and comes last.
    assert!(results[0].get("suppressions").is_none());
    assert_eq!(results[1]["suppressions"][0]["kind"], "inSource");
    assert_eq!(results[1]["suppressions"][0]["justification"], "why");
    let json: Value = serde_json::from_str(&output::json(&shown)).expect("JSON");
    assert_eq!(json["schema"], "tern-scan/1");
    assert_eq!(json["counts"]["suppressed"], 1);
    assert_eq!(json["findings"][0]["rule"], "null-dereference");
    let junit = output::junit(&shown);
    assert_eq!(junit.matches("<failure").count(), 1, "{junit}");
    let text = output::text(&shown, true);
    assert!(
        text.contains("A.java:3: certain error: `s` is null here [null-dereference]"),
        "{text}"
    );
    assert!(
        text.ends_with("1 certain, 0 possible, 1 suppressed in 3 methods of 1 classes\n"),
        "{text}"
    );
}

#[test]
fn fingerprints_survive_moved_lines() {
    let Some((found, _, _)) = scanned(WRONG) else { return };
    let Some((moved, _, _)) = scanned(&format!("\n\n int before;\n{WRONG}")) else { return };
    let prints = |it: &tern_scan::Scan| -> Vec<String> {
        it.findings.iter().map(|it| it.fingerprint.clone()).collect()
    };
    assert_eq!(prints(&found), prints(&moved));
    assert_ne!(found.findings[0].line, moved.findings[0].line);
}

#[test]
fn comments_and_baselines_leave_findings_out() {
    let text = "int f() { String s = null;\n // tern: ignore[null-dereference] it is a test\n return s.length(); }\n // tern: ignore[lock-order] nothing\n";
    let Some((mut found, rules, sources)) = scanned(text) else { return };
    let unused = suppress::by_comments(&mut found.findings, &rules, &sources);
    assert_eq!(
        found.findings[0].suppression,
        Some(Suppression::Comment("it is a test".to_owned()))
    );
    assert_eq!(unused, [("A.java".to_owned(), 5)]);

    let Some((mut found, rules, _)) = scanned(WRONG) else { return };
    let baseline = suppress::baseline(&found.findings, &rules);
    let source = Source::new("known.txt", baseline);
    suppress::by_baseline(&mut found.findings, &source).expect("a baseline");
    assert!(found.findings.iter().all(|it| it.suppression == Some(Suppression::Baseline)));
    assert!(suppress::by_baseline(&mut found.findings, &Source::new("x", "")).is_err());
}

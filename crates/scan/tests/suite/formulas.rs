//! Claims that are formulas, and rules that are about one method.

use std::fs;
use tern_front::Source;
use tern_model::Budget;
use tern_program::java::{self, Options};
use tern_scan::sources::Sources;
use tern_scan::{How, rules, scan, snippets};

const CLASSES: &str = "
class Job { void begin() { } void end() { } boolean ok() { return hashCode() > 3; } }
class A {
  void both(Job j) { j.begin(); j.end(); }
  void some(Job j) {
    j.begin();
    if (j.ok()) j.end();
  }
  void never(Job j) {
    j.begin();
    j.ok();
  }
  private void take(Job j) { j.begin(); }
  private void give(Job j) { j.end(); }
  void apart(Job j) { take(j); give(j); }
  void other(Job j, Job k) {
    j.begin();
    k.end();
  }
}
";

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn found(claim: &str) -> Option<Vec<String>> {
    if !snippets::has_compiler() {
        eprintln!("skipped: there is no `javac`");
        return None;
    }
    let text = format!(
        "rule job {{ object j: Job; event begin = j.begin(); event end = j.end(); claim {claim}; \
         report \"{{object}}\"; }}"
    );
    let rules = rules::read(&Source::new("job.rules", text)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("A.java");
    fs::write(&file, CLASSES).unwrap();
    let budget = Budget::unlimited();
    let mut reading = java::read(&[file], &Options::default(), &budget).unwrap();
    let sources = Sources::new(&[]);
    let scan = scan(&mut reading, &rules, &sources, &How::default(), &budget).unwrap();
    let each = scan.findings.iter().map(|it| {
        let certain = if it.certain { "certain" } else { "possible" };
        format!("{} {certain}", it.line)
    });
    Some(each.collect())
}

#[test]
fn formulas_are_decided_for_each_object() {
    let expected = ["6 possible", "10 certain", "17 certain"];
    for claim in ["AG (begin -> AF end)", "A G (begin -> F end)", "G (begin -> F end)"] {
        let Some(found) = found(claim) else { return };
        assert_eq!(found, expected, "{claim}");
    }
    // Some run ends it: `never` and `other` have none.
    let Some(some) = found("AG (begin -> EF end)") else { return };
    assert_eq!(some, ["10 certain", "17 certain"]);
    let Some(none) = found("AG (end -> AX AG !begin)") else { return };
    assert!(none.is_empty(), "{none:?}");
    let Some(left) = found("AG (begin -> !leave)") else { return };
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn formulas_speak_of_events() {
    let read = |claim: &str| {
        let text =
            format!("rule a {{ object j: J; event x = j.x(); claim {claim}; report \"\"; }}");
        rules::read(&Source::new("a.rules", text))
    };
    assert!(read("AG (x -> AF leave)").is_ok());
    let wrong: Vec<String> =
        read("AG (x -> AF y)").unwrap_err().iter().map(|it| it.message.clone()).collect();
    assert_eq!(wrong, ["there is no event `y`", "rule `a` has no claim"]);
    assert!(read("AG (x ->").is_err());
}

//! Findings of a scan on the page: listed, filtered, stepped through, attacked, and many of them.

use super::driver::Browser;
use super::{assert_quiet, browser, examples, folder, milliseconds_a_step, written};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use tern_report::html::{Page, Scanned};

/// Scans a program, and gives the page.
fn scanned(name: &str, arguments: &[&str]) -> PathBuf {
    written("scan", name, arguments)
}

#[test]
fn a_finding_is_a_story_beside_its_source() {
    let page = scanned("scan", &["Account.class", "--source", "."]);
    let bare = scanned("scan-bare", &["Account.class"]);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    browser.open(&page, "");
    assert_eq!(browser.count(".finding-row"), 1);
    let summary = browser.text("#summary");
    assert_eq!(summary, "1 finding: 0 certain, 1 possible in 5 methods of 1 class");
    // What is filtered away is said.
    browser.click("#filter-certain");
    assert_eq!(browser.count(".finding-row"), 0);
    assert_eq!(browser.text("#nothing"), "No finding fits the filter.");
    browser.click("#filter-certain");
    browser.press("/");
    browser.until("document.activeElement.id === 'search'");
    browser.write("withdraw CWE-667");
    assert_eq!(browser.count(".finding-row"), 1);
    browser.press("Enter");
    browser.until("location.hash === '#finding=1'");
    assert_eq!(browser.text("#certainty"), "possible");
    // The run: moments with the lines they are about.
    assert_eq!(browser.count("#story .moment"), 3);
    assert!(browser.text("#story .moment[aria-current=step]").contains("enter Account.withdraw"));
    browser.press("ArrowRight");
    browser.until("location.hash === '#finding=1&step=2'");
    let here = browser.text("#story .moment[aria-current=step]");
    assert!(here.contains("this is not undone") && here.contains("lock.lock();"), "{here}");
    assert_eq!(browser.text(".excerpt .here .number"), "19");
    browser.picture("finding");
    browser.press("End");
    assert_eq!(browser.text("#step-count"), "step 3 of 3");
    assert_eq!(browser.text(".excerpt .here .number"), "20");
    assert!(browser.text("#rule-text").contains("finally"));
    assert!(browser.text("#rule-text").contains("tern: ignore[unreleased-lock]"));
    // The result file is in the page.
    let schema = "JSON.parse(document.getElementById('record-findings').textContent).schema";
    assert_eq!(browser.eval(schema), "tern-scan/1");
    assert_quiet(browser);
    // A class file beside its source finds it; one without says how to.
    browser.open(&bare, "#finding=1");
    assert!(browser.count(".excerpt .line") + browser.count("#no-source") > 0);
    browser.open(&bare, "#finding=77");
    assert_eq!(browser.count(".finding-row"), 1);
    assert_quiet(browser);
}

#[test]
fn hostile_findings_stay_texts() {
    let folder = folder("hostile-scan");
    let show = |name: &str| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_tern")).args(["rules", "show", name]).output();
        String::from_utf8(output.expect("Tern runs").stdout).expect("text")
    };
    let hostile = "</script><script>hit()</script><img src=x onerror=hit()>";
    let rule = show("unreleased-lock");
    let begin = rule.find("  report \"").expect("it reports");
    let end = begin + rule[begin..].find('\n').expect("a line");
    let rule = format!("// {hostile}\n{}  report \"{hostile}\";{}", &rule[..begin], &rule[end..]);
    std::fs::write(folder.join("hostile.rules"), rule).expect("written");
    std::fs::copy(examples().join("Account.class"), folder.join("Account.class")).expect("copied");
    let source = std::fs::read_to_string(examples().join("Account.java")).expect("it is there");
    let source = source.replace("lock.lock();", &format!("lock.lock(); // {hostile}"));
    std::fs::write(folder.join("Account.java"), source).expect("written");
    let path = |name: &str| folder.join(name).to_str().expect("a path").to_owned();
    let (class, rules, sources) = (path("Account.class"), path("hostile.rules"), path(""));
    let page = scanned("hostile-scan", &[&class, "--rules", &rules, "--source", &sources]);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    for fragment in ["", "#finding=1&step=2", "#finding=<script>hit()</script>"] {
        browser.open(&page, fragment);
        assert_eq!(browser.count("#main script, #main img, [onerror], [onload]"), 0, "{fragment}");
        assert_eq!(browser.eval("typeof hit"), "undefined");
        assert_quiet(browser);
    }
    browser.open(&page, "#finding=1&step=2");
    for place in ["#finding h2", "#story", ".excerpt", "#rule-text"] {
        assert!(browser.text(place).contains(hostile), "{place}: {}", browser.text(place));
    }
}

/// The page of so many findings, each with a run of some moments.
fn many(count: usize, moments: usize) -> PathBuf {
    let finding = |i: usize| -> Value {
        let file = format!("org/app/part{}/Class{}.java", i % 40, i % 900);
        let run: Vec<Value> = (0..moments)
            .map(|at| {
                let procedure = format!("org.app.part{}.Class{}.method{at}(int)", i % 40, i % 900);
                json!({"depth": at / 8, "file": file, "line": 10 * at + 7, "procedure": procedure,
                    "text": format!("the test `x{} < {}` is true", at % 9, i % 97),
                    "essential": at % 3 > 0})
            })
            .collect();
        json!({
            "rule": (["null-dereference", "unclosed-resource", "endless-loop"][i % 3]),
            "severity": (["error", "warning", "note"][i % 3]), "cwe": [476], "file": file,
            "line": 7, "procedure": format!("org.app.part{}.Class{}.method0(int)", i % 40, i % 900),
            "certainty": if i.is_multiple_of(10) { "certain" } else { "possible" },
            "message": format!("number {i} may be null in line {}", i % 800), "run": run,
        })
    };
    let list: Vec<Value> = (0..count).map(finding).collect();
    let certain = count.div_ceil(10);
    let counts = json!({"classes": 7000, "procedures": 60000, "nodes": 5, "certain": certain,
        "possible": count - certain, "suppressed": 0});
    let result = json!({"findings": list, "counts": counts, "notAnalysed": []});
    let rules = [("null-dereference", ""), ("unclosed-resource", ""), ("endless-loop", "")];
    let line = |_: &str, line: u32| Some(format!("    call{line}(with, several, arguments);"));
    let scanned = Scanned { name: "large.jar", seconds: 60.0, rules: &rules, line: &line };
    let mut page = Page::default();
    page.add_findings(&result, &scanned, "{}");
    let mut text = Vec::new();
    page.write(&mut text, "0").expect("a list takes all bytes");
    let path = folder("many").join("report.html");
    std::fs::write(&path, text).expect("written");
    path
}

/// Asserts that a page of many findings is usable: little of it is in the document at a time.
fn assert_usable(browser: &mut Browser, page: &Path) {
    let size = std::fs::metadata(page).expect("it is there").len();
    assert!(size <= 20_000_000, "{size} bytes");
    browser.open(page, "");
    let load =
        browser.eval("Math.round(performance.getEntriesByType('navigation')[0].domComplete)");
    let elements = browser.count("*");
    assert!(elements < 1_500, "{elements} elements");
    let search = browser.eval(
        "(() => { const begin = performance.now(); const it = document.getElementById('search'); \
         it.value = 'null method0'; it.dispatchEvent(new Event('input')); \
         return Math.round(performance.now() - begin); })()",
    );
    browser.open(page, "#finding=3&step=1");
    let step = milliseconds_a_step(browser);
    let after = browser.count("*");
    assert!(after < 3_000, "{after} elements");
    println!(
        "{size} bytes, loaded in {load} ms, searched in {search} ms, a step in {step} ms; {elements}, {after} elements"
    );
    assert_quiet(browser);
}

#[test]
fn many_findings_stay_usable() {
    let page = many(10_000, 24);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    assert_usable(browser, &page);
    // Certain ones come first, and a rule can be chosen.
    browser.open(&page, "");
    assert_eq!(browser.text(".finding-row .badge"), "certain");
    browser.eval(
        "(() => { const it = document.getElementById('rule'); it.value = '1'; \
         it.dispatchEvent(new Event('change')); })()",
    );
    assert_eq!(browser.text("#wanted"), "3,333 findings of 10,000");
    browser.click("#filter-certain");
    assert_eq!(browser.text("#wanted"), "333 findings of 10,000");
    browser.press("n");
    browser.until("location.hash.startsWith('#finding=')");
    assert_eq!(browser.text("#certainty"), "certain");
    assert!(browser.text("#finding .facts").contains("unclosed-resource"));
    assert_quiet(browser);
}

/// The page of a scan that was made before: `TERN_SCAN_PAGE=/path/to/report.html`.
#[test]
fn a_page_that_was_made_before_is_usable() {
    let Some(page) = std::env::var_os("TERN_SCAN_PAGE") else { return };
    let Some(mut browser) = browser() else { return };
    assert_usable(&mut browser, Path::new(&page));
}

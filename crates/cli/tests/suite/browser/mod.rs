//! The page of `--html` in a real browser: it is opened, filtered, stepped through, and attacked.
//!
//! The tests need a Chromium (`apt-get install chromium`, or `TERN_BROWSER=/path/to/chrome`), and
//! skip with a message where there is none. Pictures are kept in `target/tmp/browser`.

#![allow(clippy::print_stdout)] // says so where there is no browser, and how fast it was

mod driver;
mod findings;
mod look;

use driver::Browser;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// One browser for all tests, since it takes long to start.
fn browser() -> Option<MutexGuard<'static, Browser>> {
    static BROWSER: OnceLock<Option<Mutex<Browser>>> = OnceLock::new();
    let browser = BROWSER.get_or_init(|| Browser::start().map(Mutex::new));
    let Some(browser) = browser else {
        println!("skipped: there is no browser; apt-get install chromium, or set TERN_BROWSER");
        return None;
    };
    let mut browser = browser.lock().unwrap_or_else(PoisonError::into_inner);
    browser.complaints.clear();
    Some(browser)
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// A folder of this test, in which pages are made.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Checks a model, and gives the page.
fn page(name: &str, arguments: &[&str]) -> PathBuf {
    written("check", name, arguments)
}

/// Lets a command write a page.
fn written(command: &str, name: &str, arguments: &[&str]) -> PathBuf {
    let page = folder(name).join("report.html");
    let output = Command::new(env!("CARGO_BIN_EXE_tern"))
        .arg(command)
        .args(arguments)
        .arg("--html")
        .arg(&page)
        .current_dir(examples())
        .output()
        .expect("Tern runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|code| code < 4), "{errors}");
    assert!(page.is_file(), "{errors}");
    page
}

/// Nothing went wrong on the page, and nothing was asked from elsewhere.
fn assert_quiet(browser: &mut Browser) {
    let asked = browser.eval("performance.getEntriesByType('resource').length");
    assert_eq!(asked, 0, "the page asked for something");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
fn claims_are_listed_filtered_and_searched() {
    let page = page("overview", &["locks.tern", "--certify", "--witness"]);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    browser.open(&page, "");
    assert_eq!(browser.count(".claim-row"), 4);
    assert_eq!(browser.text("#summary"), "4 claims: 2 hold, 2 fail");
    browser.picture("overview");
    browser.click("#filter-fails");
    assert_eq!(browser.count(".claim-row"), 2);
    assert_eq!(browser.text("#wanted"), "2 claims of 4");
    browser.press("/");
    browser.until("document.activeElement.id === 'search'");
    browser.write("AF unlock");
    assert_eq!(browser.count(".claim-row"), 1);
    browser.press("Enter");
    browser.until("location.hash.startsWith('#claim=4')");
    assert_eq!(browser.text("#verdict"), "fails");
    assert!(browser.text("#certificate").contains("accepted by the certifier"));
    browser.press("p");
    browser.until("location.hash.startsWith('#claim=3')");
    assert_eq!(browser.text("#verdict"), "holds");
    // Light and dark.
    let ground = "getComputedStyle(document.body).backgroundColor";
    let before = browser.eval(ground);
    browser.press("t");
    assert_ne!(browser.eval(ground), before);
    browser.picture("dark");
    browser.press("t");
    assert_eq!(browser.eval(ground), before);
    assert_quiet(browser);
}

#[test]
fn a_run_is_stepped_through() {
    let page = page("run", &["locks.tern", "--witness", "--evidence"]);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    // `must_unlock` fails: the traversal recurses for ever.
    browser.open(&page, "#claim=4&run=2&step=1");
    assert!(
        browser.text("#step-count").starts_with("step 1 of"),
        "{}",
        browser.text("#step-count")
    );
    let depth = |browser: &mut Browser| browser.count("#stack li");
    assert_eq!(depth(browser), 1);
    browser.press("ArrowRight");
    browser.until("location.hash.includes('step=2')");
    assert_eq!(depth(browser), 2, "{}", browser.text("#stack"));
    browser.picture("run");
    // An endless run goes on, and its stack grows.
    assert!(browser.text("#ending").contains("deeper for ever"), "{}", browser.text(".steps"));
    browser.press("End");
    browser.until("location.hash.includes('step=5')");
    assert_eq!(browser.text("#step-count"), "step 5 of 5, endless");
    for (round, deeper) in [(2, 3), (3, 4)] {
        browser.press("ArrowRight");
        assert!(browser.text("#step-count").ends_with(&format!("round {round}")));
        assert_eq!(depth(browser), deeper, "{}", browser.text("#stack"));
        (0..3).for_each(|_| browser.press("ArrowRight"));
    }
    // Values that the evidence does not reach are not known: the stack is another one.
    assert_eq!(browser.text("#tree .value"), "?");
    browser.press("ArrowLeft");
    browser.press("Home");
    assert_eq!(depth(browser), 1);
    // The slider, and the line of the program.
    browser.eval(
        "(() => { const it = document.getElementById('slider'); it.value = 2; \
         it.dispatchEvent(new Event('input')); })()",
    );
    assert!(browser.text("#step-count").starts_with("step 2 of"));
    assert!(browser.text("#source .here .code").contains("entry enter {work}"));
    assert_eq!(browser.count("#graph .item.here"), 1);
    assert!(browser.text("#graph .item.here").contains("enter"));
    assert_quiet(browser);
}

#[test]
fn subformulas_have_values_and_reasons() {
    let page = page("values", &["locks.tern", "--witness", "--evidence"]);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    browser.open(&page, "#claim=4&step=1");
    let values = "[...document.querySelectorAll('#tree .part')].map((it) => \
                  it.querySelector('.value').textContent + ' ' + it.title)";
    let shown = |browser: &mut Browser| -> Vec<String> {
        let list = browser.eval(values);
        list.as_array()
            .expect("a list")
            .iter()
            .map(|it| it.as_str().unwrap_or("").to_owned())
            .collect()
    };
    // At the beginning the lock is free; the claim fails; what `->` is there follows.
    assert_eq!(
        shown(browser),
        ["✗ AG (lock -> AF unlock)", "✓ lock -> AF unlock", "✗ lock", "✗ AF unlock", "✗ unlock"]
    );
    browser.press("End");
    let last = shown(browser);
    assert!(
        last.contains(&"✓ lock".to_owned()) && last.contains(&"✗ AF unlock".to_owned()),
        "{last:?}"
    );
    browser.click("#tree .part[title='AF unlock']");
    assert!(browser.text("#why").contains("AF unlock fails at step"), "{}", browser.text("#why"));
    browser.click("#why a");
    browser.until("location.hash.includes('run=2')");
    assert_quiet(browser);
}

#[test]
fn what_nothing_settles_is_unknown() {
    let page = page("unsettled", &["locks.tern", "--witness", "-f", "AG (lock -> AF unlock)"]);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    browser.open(&page, "#claim=1&run=1&step=2");
    // Without evidence the run tells of the claim where it begins only.
    let value = "document.querySelector('#tree .part .value').textContent";
    assert_eq!(browser.eval(value), "?");
    browser.press("Home");
    assert_eq!(browser.eval(value), "✗");
    assert_quiet(browser);
}

#[test]
fn a_box_opens_the_component_that_it_calls() {
    let page = page("machine", &["locks.tern"]);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    browser.open(&page, "#machine");
    assert_eq!(browser.count(".component-card"), 1);
    assert!(browser.count(".item.node") >= 4);
    browser.click(".item.call");
    browser.until("document.querySelectorAll('.component-card').length === 2");
    browser.picture("machine");
    browser.click("#component-1 .item.node");
    assert!(browser.text("#details").contains("main."));
    browser.click("#call-graph");
    assert_eq!(browser.count("#calls .item.component"), 3);
    // No two rectangles of a picture overlap.
    let overlaps = browser.eval(
        "[...document.querySelectorAll('.graph svg')].some((root) => { \
         const all = [...root.querySelectorAll('rect.outer')].map((it) => it.getBBox()); \
         return all.some((a, i) => all.some((b, j) => i < j && a.x < b.x + b.width && \
         b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height)); })",
    );
    assert_eq!(overlaps, false);
    assert_quiet(browser);
}

#[test]
fn programs_show_their_text_values_and_heaps() {
    let counter = page("program", &["microwave.smv", "--witness"]);
    let heaps = page("heap", &["lists.heap", "--witness"]);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    browser.open(&counter, "#claim=1&step=2");
    assert!(browser.text("#values").contains("started"), "{}", browser.text("#values"));
    assert_eq!(browser.count("#values tr"), 4);
    assert!(browser.count("#values tr.changed") >= 1);
    browser.picture("program");
    // Nodes of such models know no lines; the text is there all the same.
    assert!(browser.text("#source").contains("MODULE main"), "{}", browser.text("#source"));
    browser.open(&heaps, "#claim=8&step=3");
    assert!(browser.count("#heap .heap-object") >= 1, "{}", browser.text("#claim"));
    assert!(browser.count("#source .here") == 1);
    // A claim that holds has its formula and the program, and says why there is no run.
    browser.open(&heaps, "#claim=1");
    assert_eq!(browser.text("#tree .value"), "✓");
    browser.until("document.querySelector('#source .line')");
    assert_quiet(browser);
}

/// A program that turns a list round, and one that looks for its last object by recursion.
const LISTS: &str = r#"
type Node { next: Node }
grammar SLL = Node(next)
proc reverse(head: Node): Node {
  var done: Node, rest: Node
  while head != null {
    rest = head.next
    head.next = done
    done = head
    head = rest
  }
  return done
}
proc last(list: Node): Node {
  var rest: Node
  rest = list.next
  if rest == null {
    return list
  }
  rest = last(rest)
  return rest
}
given reverse(head: SLL+)
claim G (terminated -> "return.next == null" | "return.next.next == null")
given last(list: SLL+)
claim G (terminated -> "list@start == return" | "list@start.next == return")
"#;

/// The fields of the heap that is drawn: from which object to which, or to `null`.
fn fields(browser: &mut Browser) -> Vec<[Option<u32>; 2]> {
    let words = browser.eval("document.querySelector('#heap svg').getAttribute('aria-label')");
    let words = words.as_str().unwrap_or_default().to_owned();
    let object = |text: &str| text.strip_prefix("object ").and_then(|it| it.parse().ok());
    let fields = words.split(", ").filter_map(|it| it.strip_prefix("next of "));
    fields
        .filter_map(|it| it.split_once(" is "))
        .map(|(from, to)| [object(from), object(to)])
        .collect()
}

#[test]
fn objects_of_heaps_stay_in_their_places() {
    let model = folder("places").join("places.heap");
    std::fs::write(&model, LISTS).expect("written");
    let page = page("places", &[model.to_str().expect("a path"), "--witness", "--certify"]);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    browser.open(&page, "#claim=1&step=1");
    let certificate = browser.text("#certificate");
    assert!(certificate.contains("a run on an input of 3 objects"), "{certificate}");
    assert!(certificate.contains("accepted by the certifier"), "{certificate}");
    // Where each object is drawn, and what its field is.
    let drawn = "[...document.querySelectorAll('#heap .heap-cell')].map((it) => { \
        const box = it.querySelector('rect'); \
        return [it.dataset.object, box.getAttribute('x'), box.getAttribute('y')].join(' '); })";
    for (claim, count) in [(1, 3), (2, 3)] {
        browser.open(&page, &format!("#claim={claim}&step=1"));
        let first = browser.eval(drawn);
        let first: Vec<&str> =
            first.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        assert_eq!(first.len(), count);
        let before = fields(browser);
        let steps = browser.text("#step-count");
        let steps: usize =
            steps.rsplit(' ').next().and_then(|it| it.parse().ok()).expect("a count");
        let mut changes = 0;
        for _ in 1..steps {
            browser.press("ArrowRight");
            let now = browser.eval(drawn);
            for place in now.as_array().expect("a list") {
                let place = place.as_str().unwrap_or_default();
                assert!(first.contains(&place), "{place} was not there: {first:?}");
            }
            changes += browser.count("#heap path.changed") + browser.count("#heap text.changed");
        }
        assert!(browser.text("#step-count").starts_with(&format!("step {steps} ")));
        let last = fields(browser);
        let expected: Vec<[Option<u32>; 2]> = match claim {
            // The list is turned round.
            1 => before.iter().map(|&[from, to]| [to, from]).collect(),
            _ => before.clone(),
        };
        let objects = |list: &[[Option<u32>; 2]]| -> Vec<[Option<u32>; 2]> {
            let mut found: Vec<_> =
                list.iter().filter(|ends| !ends.contains(&None)).copied().collect();
            found.sort_unstable();
            found
        };
        assert_eq!(objects(&last), objects(&expected), "{before:?}");
        assert_eq!(objects(&last).len(), 2);
        assert_eq!(changes > 0, claim == 1, "{changes} marks");
        if claim == 1 {
            for _ in 0..9 {
                browser.press("ArrowLeft");
            }
            browser.picture("heap");
        }
    }
    assert_quiet(browser);
}

/// Names that would run a script if anybody took them for more than names.
const HOSTILE: &str = r#"
component "<img src=x onerror=hit()>" {
  initial entry "</script><script>hit()</script>" {"\"><svg onload=hit()>"} -> b.e;
  box b: "javascript:hit()";
  b.x -> "</script><script>hit()</script>";
}
component "javascript:hit()" { entry e {"'-hit()-'"} -> x; exit x; }
claim "<script>hit()</script>": AG !"\"><svg onload=hit()>";
claim second: AG ("'-hit()-'" -> AF "</title><script>hit()</script>");
"#;

#[test]
fn hostile_names_stay_names() {
    let model = folder("hostile").join("hostile.tern");
    std::fs::write(&model, HOSTILE).expect("written");
    let page = page("hostile", &[model.to_str().expect("a path"), "--witness", "--evidence"]);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    for fragment in ["", "#claim=1&step=1", "#claim=2&step=2", "#machine=2"] {
        browser.open(&page, fragment);
        assert_eq!(browser.count("#main script, #main img, [onerror], [onload]"), 0, "{fragment}");
        assert_eq!(browser.eval("typeof hit"), "undefined");
        assert_quiet(browser);
    }
    browser.open(&page, "#claim=1&step=1");
    assert!(browser.text("#claim h2").contains("<script>hit()</script>"));
    assert!(browser.text("#stack").contains("<img src=x onerror=hit()>"));
    // Fragments are no better than names.
    for fragment in ["#claim=<img src=x onerror=hit()>", "#claim=99&step=-1", "#machine=77&model=9"]
    {
        browser.open(&page, fragment);
        assert_quiet(browser);
    }
    // If something did slip in, the policy would stop it.
    browser.eval(
        "(() => { const it = document.createElement('script'); it.textContent = 'window.slipped = 1'; \
         document.body.append(it); })()",
    );
    assert_eq!(browser.eval("typeof slipped"), "undefined");
    browser.complaints.clear();
}

/// How many milliseconds a step on takes.
fn milliseconds_a_step(browser: &mut Browser) -> Value {
    browser.eval(
        "(() => { const begin = performance.now(); for (let i = 0; i < 20; i++) \
         document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true})); \
         document.body.getBoundingClientRect(); \
         return (performance.now() - begin) / 20; })()",
    )
}

/// Asserts that a page of a large machine is usable: little of it is in the document at a time.
fn assert_usable(browser: &mut Browser, page: &Path, most_bytes: u64) {
    let size = std::fs::metadata(page).expect("it is there").len();
    assert!(size <= most_bytes, "{size} bytes");
    browser.open(page, "");
    let load = browser.eval(
        "(() => { const it = performance.getEntriesByType('navigation')[0]; \
         return Math.round(it.domComplete); })()",
    );
    let elements = browser.count("*");
    assert!(elements < 3_000, "{elements} elements in the overview");
    browser.open(page, "#claim=1&step=1");
    let before = browser.count("*");
    let step = milliseconds_a_step(browser);
    let after = browser.count("*");
    assert!(after < before + 20_000, "{before} elements, and {after} after 20 steps");
    browser.open(page, "#machine");
    browser.click("#call-graph");
    browser.until("document.querySelector('#calls svg')");
    let machine = browser.count("*");
    assert!(machine < 40_000, "{machine} elements in the machine");
    println!(
        "{size} bytes, loaded in {load} ms, a step in {step} ms; {elements}, {after}, {machine} elements"
    );
    assert_quiet(browser);
}

#[test]
fn a_machine_of_17000_nodes_is_usable() {
    let model = folder("large").join("large.tern");
    let made = Command::new(env!("CARGO_BIN_EXE_tern"))
        .args(["generate", "rsm", "--family", "java", "--size", "660", "--seed", "1", "--force"])
        .arg("-o")
        .arg(&model)
        .status();
    assert!(made.is_ok_and(|status| status.success()));
    let model = model.to_str().expect("a path").to_owned();
    let page = page("large", &[&model, "--quiet"]);
    let Some(mut browser) = browser() else { return };
    assert_usable(&mut browser, &page, 20_000_000);
    browser.picture("large");
}

#[test]
fn the_page_of_a_real_program_is_small_enough() {
    let Some(data) = tern_testkit::data("java/fop2pdf.zip") else { return };
    let data = data.display();
    let (model, all) = (format!("{data}:fop2pdf.rsm"), format!("{data}:fop2pdf_usedef.ctl"));
    let page = page("fop2pdf", &[&model, &all, "--quiet"]);
    let Some(mut browser) = browser() else { return };
    assert_usable(&mut browser, &page, 20_000_000);
    assert!(browser.text("#summary").starts_with("1,546 claims"), "{}", browser.text("#summary"));
    let rows = browser.count(".row");
    assert!(rows < 200, "{rows} rows");
    // All claims that fail have a run that shows it.
    let runs = browser.eval(
        "(() => { const it = JSON.parse(document.getElementById('data').textContent).models[0].claims \
         .filter((claim) => claim.verdict === 'fails'); \
         return [it.length, it.filter((claim) => claim.tellings[0].stories.length).length]; })()",
    );
    assert_eq!(runs, serde_json::json!([394, 394]));
}

#[test]
fn several_models_are_on_one_page() {
    let page = page("several", &["locks.tern", "running.tern", "retry.rsm", "retry.ctl"]);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    browser.open(&page, "");
    let models: Value = browser.eval("document.querySelectorAll('.model').length");
    assert_eq!(models, 3);
    browser.open(&page, "#claim=1&model=3");
    assert!(browser.text("#claim").contains("retry.rsm"));
    assert_quiet(browser);
}

#[test]
fn an_integer_program_is_stepped_through_and_its_states_are_plotted() {
    let program = folder("integers").join("server.c");
    let text = "int ack;\nvoid main() {\n  int n, step;\n  while (n > 0) {\n    n = n - step;\n  }\n  ack = 1;\n}\n";
    std::fs::write(&program, text).expect("written");
    let program = program.to_str().expect("a path").to_owned();
    let claims = ["-f", "AF {ack == 1}", "-f", "EF exit | EG !exit"];
    let options = ["--precondition", "--certify"];
    let page = page("integers", &[&[&*program], &claims[..], &options[..]].concat());
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    browser.open(&page, "#claim=1");
    assert_eq!(browser.text("#verdict"), "fails");
    assert!(browser.text("#certificate").contains("accepted by the certifier"));
    assert!(browser.text("#holds-if").contains("step >= 1"), "{}", browser.text("#holds-if"));
    // The run, with its lines and values.
    assert!(browser.text("#step-count").starts_with("step 1 of"));
    assert!(browser.text("#values").contains("step"), "{}", browser.text("#values"));
    browser.until("document.querySelector('#source .line.here')");
    let line = browser.text("#source .line.here .code");
    browser.press("ArrowRight");
    browser.until("location.hash.includes('step=2')");
    assert_ne!(browser.text("#source .line.here .code"), line);
    // The parts of the claim have values, by the cells and the variables.
    let values = browser.eval(
        "[...document.querySelectorAll('#tree .part')].map((it) => it.querySelector('.value').textContent + ' ' + it.title)",
    );
    let shown = ["✗ !EG !{ack == 1}", "✓ EG !{ack == 1}", "✓ !{ack == 1}", "✗ {ack == 1}"];
    assert_eq!(values, serde_json::json!(shown));
    browser.click("#tree .part");
    assert!(browser.text("#why").contains("fails at step 2"), "{}", browser.text("#why"));
    // The flow graph, with the line.
    assert!(
        browser.text("#graph .item.here").contains("n = n - step"),
        "{}",
        browser.text("#graph")
    );
    // The plot: the loop goes on for ever where n is positive and the step is not.
    assert!(browser.count("#plot rect") > 1 && browser.count("#cells tr") > 1);
    browser.open(&page, "#claim=2");
    let choose = |browser: &mut Browser, id: &str, what: &str| {
        browser.eval(&format!(
            "(() => {{ const it = document.getElementById('{id}'); \
             it.value = [...it.options].findIndex((option) => option.text.includes('{what}')); \
             it.dispatchEvent(new Event('change')); }})()"
        ));
    };
    choose(browser, "point", "line 4");
    choose(browser, "axis-x", "n");
    choose(browser, "axis-y", "step");
    choose(browser, "term", "EG");
    browser.picture("partition");
    let at = |browser: &mut Browser, column: u32, row: u32| {
        browser.eval(&format!(
            "(() => {{ const it = document.querySelector('#plot svg'); const box = it.getBoundingClientRect(); \
             it.dispatchEvent(new MouseEvent('mousemove', {{ clientX: box.left + 64 + {column} * 10 + 5, \
             clientY: box.top + 8 + {row} * 10 + 5 }})); }})()"
        ));
        browser.text("#cell")
    };
    let number = |text: &str, name: &str| -> i64 {
        let after = text.split(&format!("{name} = ")).nth(1).expect("the variable is named");
        let digits = after.split([',', ':']).next().expect("a value");
        digits.trim().parse().expect("a number")
    };
    let mut seen = [0, 0];
    for (column, row) in [(2, 2), (38, 2), (2, 38), (38, 38), (30, 10), (30, 30), (38, 22)] {
        let said = at(browser, column, row);
        let (n, step) = (number(&said, "n"), number(&said, "step"));
        let is_endless = n > 0 && step <= 0;
        let wrong = if is_endless { "false" } else { "true" };
        assert!(!said.contains(&format!(": {wrong}, cell")), "{said}");
        seen[usize::from(is_endless)] += usize::from(!said.contains(": unknown"));
    }
    assert!(seen[1] > 0, "{seen:?}");
    assert!(browser.count("#plot rect.plot-t") > 0);
    assert!(browser.count("#cells tr") > 2, "{}", browser.text("#cells"));
    browser.open(&page, "");
    assert_eq!(browser.text("#summary"), "2 claims: 1 holds, 1 fails");
    assert_quiet(browser);
}

//! How the page looks: on paper, in narrow windows, by the keyboard, and where there is nothing.

use super::driver::Browser;
use super::{assert_quiet, browser, folder, page};
use serde_json::json;

/// Sets the size of the window, and whether it is paper.
fn shape(browser: &mut Browser, width: u32, media: &str) {
    let size = json!({"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false});
    browser.call("Emulation.setDeviceMetricsOverride", &size);
    browser.call("Emulation.setEmulatedMedia", &json!({ "media": media }));
}

/// How many pixels stick out at the right.
fn overhang(browser: &mut Browser) -> i64 {
    let out = browser.eval("document.documentElement.scrollWidth - window.innerWidth");
    out.as_i64().expect("a number")
}

#[test]
fn on_paper_lists_are_whole_and_everything_is_light() {
    let page = page("paper", &["locks.tern", "--witness", "--evidence"]);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    browser.open(&page, "#claim=4&run=2&step=3");
    browser.press("t");
    browser.press("t");
    browser.press("t");
    shape(browser, 720, "print");
    browser.eval("window.dispatchEvent(new Event('beforeprint'))");
    let ink = browser.eval("getComputedStyle(document.body).color");
    assert_eq!(ink, "rgb(17, 17, 17)");
    for hidden in ["#tools", "#views", ".controls button", "#slider"] {
        let display =
            browser.eval(&format!("getComputedStyle(document.querySelector('{hidden}')).display"));
        assert_eq!(display, "none", "{hidden}");
    }
    // All lines of the program are there, one below the other, and none is cut off.
    assert_eq!(browser.count("#source .line"), 42);
    let is_cut = browser.eval(
        "[...document.querySelectorAll('.rows, .graph, .tree, .stack')].some((it) => \
         it.scrollHeight > it.clientHeight + 2 || it.scrollWidth > it.clientWidth + 2)",
    );
    assert_eq!(is_cut, false);
    assert!(overhang(browser) <= 0);
    browser.picture("paper");
    let printed = browser.call("Page.printToPDF", &json!({"printBackground": true}));
    assert!(printed["data"].as_str().is_some_and(|data| data.len() > 10_000));
    browser.eval("window.dispatchEvent(new Event('afterprint'))");
    shape(browser, 1500, "");
    assert_quiet(browser);
}

#[test]
fn a_long_list_is_printed_in_part_and_says_so() {
    let model = folder("long").join("long.tern");
    let mut text = "component main { initial entry a {p} -> a; }\n".to_owned();
    for i in 0..2_500 {
        text += &format!("claim c{i}: AG p;\n");
    }
    std::fs::write(&model, text).expect("written");
    let page = page("long", &[model.to_str().expect("a path"), "--quiet"]);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    browser.open(&page, "");
    assert!(browser.count(".claim-row") < 100);
    browser.eval("window.dispatchEvent(new Event('beforeprint'))");
    assert_eq!(browser.count(".claim-row"), 2_000);
    assert_eq!(browser.text(".left-out"), "⋯ 500 more");
    browser.eval("window.dispatchEvent(new Event('afterprint'))");
    assert!(browser.count(".claim-row") < 100);
    assert_quiet(browser);
}

#[test]
fn narrow_windows_show_everything() {
    let models = page("narrow", &["locks.tern", "--witness", "--certify"]);
    let heaps = page("narrow-heap", &["lists.heap", "--witness"]);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    for width in [390, 700, 1100, 2200] {
        shape(browser, width, "");
        for (page, fragment) in [
            (&models, ""),
            (&models, "#claim=4&run=2&step=3"),
            (&models, "#machine"),
            (&heaps, "#claim=8&step=3"),
        ] {
            browser.open(page, fragment);
            assert!(overhang(browser) <= 0, "{width}: {fragment}");
            // What belongs to different panels does not overlap.
            let overlaps = browser.eval(
                "(() => { const all = [...document.querySelectorAll('.panel')].map((it) => it.getBoundingClientRect()) \
                 .filter((it) => it.width); return all.some((a, i) => all.some((b, j) => i < j && a.left < b.right - 1 && \
                 b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)); })()",
            );
            assert_eq!(overlaps, false, "{width}: {fragment}");
        }
        browser.picture(&format!("width-{width}"));
    }
    shape(browser, 1500, "");
    assert_quiet(browser);
}

#[test]
fn the_keyboard_reaches_everything_and_shows_where_it_is() {
    let page = page("keys", &["locks.tern", "--witness"]);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    browser.open(&page, "");
    let mut seen = Vec::new();
    for _ in 0..16 {
        browser.press("Tab");
        let here = browser.eval(
            "(() => { const it = document.activeElement; const style = getComputedStyle(it); \
             return [it.id || it.className || it.tagName, style.outlineStyle]; })()",
        );
        let (name, outline) = (here[0].as_str().unwrap_or(""), here[1].as_str().unwrap_or(""));
        if name != "BODY" {
            assert_ne!(outline, "none", "{name} has the focus, and nobody sees it");
        }
        seen.push(name.to_owned());
    }
    for name in ["filter-fails", "search", "claim-row row"] {
        assert!(seen.iter().any(|it| it == name), "{name}: {seen:?}");
    }
    // A claim is opened by the keyboard, and its parts are explained.
    browser.eval("document.querySelectorAll('.claim-row')[3].focus()");
    browser.press("Enter");
    browser.until("location.hash.startsWith('#claim=4') && document.querySelector('#tree .part')");
    browser.eval("document.querySelector('#tree .part').focus()");
    browser.press("Enter");
    assert!(browser.text("#why").contains("fails at step 1"), "{}", browser.text("#why"));
    assert_quiet(browser);
}

#[test]
fn reasons_and_marks_are_on_the_overview() {
    let model = folder("kinds").join("kinds.tern");
    let text = "component main {\n  initial entry a {p} -> b;\n  node b {q?} -> a;\n}\n\
        claim never: AG (r -> AF p);\nclaim open: AG !q;\nclaim fine: AG (p | !p);\n";
    std::fs::write(&model, text).expect("written");
    let page = page("kinds", &[model.to_str().expect("a path")]);
    let Some(mut browser) = browser() else { return };
    let browser = &mut *browser;
    browser.open(&page, "");
    let number = |browser: &mut Browser, kind: &str| browser.text(&format!("#filter-{kind} b"));
    assert_eq!(number(browser, "unknown"), "1");
    assert_eq!(number(browser, "vacuous"), "1");
    assert!(browser.text("#reasons").contains("open"), "{}", browser.text("#reasons"));
    browser.click("#filter-vacuous");
    assert_eq!(browser.count(".claim-row"), 1);
    assert!(browser.text(".claim-row").contains("never"));
    // Verdicts are told apart by more than colour.
    let marks = "[...document.querySelectorAll('.badge')].map((it) => getComputedStyle(it, '::before').content)";
    browser.click("#filter-vacuous");
    let marks = browser.eval(marks).to_string();
    assert!(marks.contains('✓') && marks.contains('?'), "{marks}");
    browser.press("/");
    browser.until("document.activeElement.id === 'search'");
    browser.write("no such claim");
    assert_eq!(browser.text("#nothing"), "No claim fits the filter.");
    assert_quiet(browser);
}

//! Texts that are damaged in every way: rules, settings, baselines. Whatever they are, they are
//! read or refused, and what is wrong has a place.

use tern_front::Source;
use tern_scan::{rules, suppress};

fn mutants(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    for &at in ends.iter().step_by(3) {
        all.push(text[..at].to_owned());
        for with in ["{", "}", ";", "\"", "(", "..", "->", "é", "\0", "9999999999999999999999"] {
            all.push(format!("{}{with}{}", &text[..at], &text[at..]));
        }
    }
    all
}

#[test]
fn no_text_of_rules_brings_the_reader_down() {
    let mut refused = 0;
    for name in ["unreleased-lock", "call-order", "endless-loop"] {
        for text in mutants(rules::text(name).expect("a rule")) {
            if let Err(problems) = rules::read(&Source::new("a.rules", text)) {
                refused += 1;
                assert!(problems.iter().all(|it| !it.message.is_empty()));
            }
        }
    }
    assert!(refused > 100);
    let deep =
        format!("rule a {{ object o: A; event e = o.m(); claim order {}e; }}", "(".repeat(100_000));
    assert!(rules::read(&Source::new("a.rules", deep)).is_err());
    let deep =
        format!("rule a {{ object o: A; event e = o.m(); claim {}e; }}", "!".repeat(100_000));
    assert!(rules::read(&Source::new("a.rules", deep)).is_err());
    let many = "rule a { ".repeat(20_000);
    assert!(rules::read(&Source::new("a.rules", many)).is_err());
}

#[test]
fn no_settings_and_no_baseline_bring_the_reader_down() {
    let settings = "[scan]\nexclude = [\"*/gen/*\", \"B.java\"]\nenable = [] # x\n";
    for text in mutants(settings) {
        let _ = suppress::settings(&Source::new("tern.toml", text));
    }
    let baseline = "# tern-baseline/1\n0123456789abcdef:1 rule A.f()\n";
    for text in mutants(baseline) {
        let _ = suppress::by_baseline(&mut [], &Source::new("known.txt", text));
    }
}

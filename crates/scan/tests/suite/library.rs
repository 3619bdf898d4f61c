//! Every rule of the library finds its bad snippets and none of its good ones.

use tern_model::Budget;
use tern_scan::{rules, snippets};

#[test]
fn rules_do_what_their_snippets_say() {
    if !snippets::has_compiler() {
        eprintln!("skipped: there is no `javac`");
        return;
    }
    let rules = rules::library();
    let tried = snippets::test(&rules, &Budget::unlimited()).unwrap_or_else(|it| panic!("{it:?}"));
    assert!(tried.len() >= 30);
    let wrong: Vec<String> = tried
        .iter()
        .filter(|it| !it.is_right())
        .map(|it| format!("{}:{} found {}", rules[it.rule].file, it.line, it.found))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

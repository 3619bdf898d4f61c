//! The rules that come with Tern: one file each below `rules/`.

use super::{Rule, read};
use tern_front::Source;

/// The texts, by name.
const TEXTS: &[(&str, &str)] = &[
    ("begin-without-end.rules", include_str!("../../rules/begin-without-end.rules")),
    ("call-order.rules", include_str!("../../rules/call-order.rules")),
    ("decided-branch.rules", include_str!("../../rules/decided-branch.rules")),
    ("delete-on-exit.rules", include_str!("../../rules/delete-on-exit.rules")),
    ("double-lock.rules", include_str!("../../rules/double-lock.rules")),
    ("endless-loop.rules", include_str!("../../rules/endless-loop.rules")),
    ("endless-recursion.rules", include_str!("../../rules/endless-recursion.rules")),
    ("ignored-result.rules", include_str!("../../rules/ignored-result.rules")),
    ("iterator-without-hasnext.rules", include_str!("../../rules/iterator-without-hasnext.rules")),
    ("lock-order.rules", include_str!("../../rules/lock-order.rules")),
    ("null-check-after-use.rules", include_str!("../../rules/null-check-after-use.rules")),
    ("null-dereference.rules", include_str!("../../rules/null-dereference.rules")),
    ("temporary-file.rules", include_str!("../../rules/temporary-file.rules")),
    ("transaction-without-end.rules", include_str!("../../rules/transaction-without-end.rules")),
    ("unchecked-null-result.rules", include_str!("../../rules/unchecked-null-result.rules")),
    ("unclosed-resource.rules", include_str!("../../rules/unclosed-resource.rules")),
    ("unlock-without-lock.rules", include_str!("../../rules/unlock-without-lock.rules")),
    ("unreleased-lock.rules", include_str!("../../rules/unreleased-lock.rules")),
    ("unused-definition.rules", include_str!("../../rules/unused-definition.rules")),
    ("use-after-close.rules", include_str!("../../rules/use-after-close.rules")),
    ("wait-outside-loop.rules", include_str!("../../rules/wait-outside-loop.rules")),
];

/// All rules of the library, in the order of their names.
pub fn library() -> Vec<Rule> {
    let texts = TEXTS.iter().map(|(name, text)| Source::new(*name, *text));
    let read = |source: Source| match read(&source) {
        Ok(rules) => rules,
        Err(problems) => panic!("a rule of the library: {}: {problems:?}", source.name),
    };
    texts.flat_map(read).collect()
}

/// The text of a rule of the library.
pub fn text(name: &str) -> Option<&'static str> {
    let file = format!("{name}.rules");
    TEXTS.iter().find(|(own, _)| *own == file).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_rule_says_why_and_has_tests() {
        let rules = super::library();
        assert!(rules.len() == 21);
        for rule in &rules {
            assert_eq!(format!("{}.rules", rule.name), rule.file);
            assert!(!rule.documentation.is_empty() && !rule.cwe.is_empty(), "{}", rule.name);
            let bad = rule.snippets.iter().any(|it| it.is_bad);
            let good = rule.snippets.iter().any(|it| !it.is_bad);
            // No class of transactions or servlets comes with a JDK.
            let is_foreign = ["transaction-without-end", "delete-on-exit"];
            assert!(bad && good || is_foreign.contains(&rule.name.as_str()), "{}", rule.name);
        }
    }
}

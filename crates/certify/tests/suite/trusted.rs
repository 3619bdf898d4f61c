//! Keeps true what `ARCHITECTURE.md` says one has to believe: which files these are, and how many
//! lines.

use std::fs;
use std::path::{Path, PathBuf};

/// What the page calls the parts of `tern-model` that the certifier rests on.
const MODEL: [&str; 18] = [
    "machine.rs",
    "builder.rs",
    "builder/assemble.rs",
    "index.rs",
    "names.rs",
    "subsets.rs",
    "claim.rs",
    "fairness.rs",
    "start.rs",
    "logic/mod.rs",
    "logic/ctl.rs",
    "automaton.rs",
    "evidence.rs",
    "absence.rs",
    "complement_state.rs",
    "star_evidence.rs",
    "run.rs",
    "verdict.rs",
];

/// What of `tern-model` has no part in what is believed, so no file of the certifier may name it.
const LAWS: [&str; 8] = [
    "ctl::lower",
    "ctl::{self",
    "logic::rewrite",
    "logic::fair",
    "logic::Logic",
    ".logic(",
    ".boolean(",
    "is_state_formula",
];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()))
}

/// How many lines a file has, without its tests.
fn lines(text: &str) -> usize {
    text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count()
}

/// The files of the certifier, without oracles and tests.
fn certifier() -> Vec<(PathBuf, String)> {
    let mut open = vec![project().join("crates/certify/src")];
    let mut found = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).expect("it can be listed") {
            let path = entry.expect("it can be listed").path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
            match name {
                "oracle" | "tests.rs" | "forged" | "forged.rs" => {}
                _ if path.is_dir() => open.push(path),
                _ => found.push((path.clone(), read(&path))),
            }
        }
    }
    found
}

/// The page says "fewer than" a number, which is less than 1000 above the count.
fn check(page: &str, what: &str, before: &str, count: usize) {
    let (_, rest) =
        page.split_once(before).unwrap_or_else(|| panic!("the page says nothing of {what}"));
    let (_, rest) = rest.split_once("fewer than ").expect("the page gives a number");
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let stated: usize = digits.parse().expect("a number");
    assert!(
        count < stated && count + 1000 > stated,
        "ARCHITECTURE.md: {what} is fewer than {stated} lines? It is {count}"
    );
}

#[test]
fn the_page_says_what_has_to_be_believed() {
    let page = read(&project().join("ARCHITECTURE.md"));
    let count = |is_counted: &dyn Fn(&Path) -> bool| {
        let files = certifier();
        let counted = files.iter().filter(|(path, _)| is_counted(path));
        counted.map(|(_, text)| lines(text)).sum::<usize>()
    };
    let heap = project().join("crates/certify/src/heap");
    let own = count(&|path| !path.starts_with(&heap));
    check(&page, "the certifier", "**What one has to believe**", own);
    check(
        &page,
        "its part for heaps",
        "of pointer programs",
        count(&|path| path.starts_with(&heap)),
    );
    let model = project().join("crates/model/src");
    let mut count = lines(&read(&model.join("budget.rs")));
    for name in MODEL {
        count += lines(&read(&model.join(name)));
        assert!(page.contains(&format!("`{name}`")), "the page does not name {name}");
    }
    check(&page, "its part of the model", "and of `crates/model/src`", count);
}

#[test]
fn no_law_is_shared_with_the_engines() {
    let files = certifier();
    assert!(files.len() > 20, "{}", files.len());
    for (path, text) in files {
        let used = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
        let code = used.filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            let law = LAWS.iter().find(|law| line.contains(*law));
            assert!(law.is_none(), "{} uses {law:?}: {line}", path.display());
        }
    }
}

//! The models in `tests/smv`: each specification has the verdict that stands behind it, and its
//! evidence is accepted.

use std::fs;
use std::path::Path;
use tern::front::Source;
use tern::{Budget, Model, Verdict};

/// The verdicts that a text asks for, by line.
fn expected(text: &str) -> Vec<(usize, bool)> {
    let verdict = |(i, line): (usize, &str)| {
        let is = |word: &str| line.trim_end().ends_with(&format!(" -- {word}"));
        (is("true") || is("false")).then(|| (i + 1, is("true")))
    };
    text.lines().enumerate().filter_map(verdict).collect()
}

#[test]
fn specifications_have_the_verdicts_of_nusmv() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/smv");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("readable").map(|it| it.expect("readable").path()).collect();
    paths.sort();
    let mut asked = 0;
    for path in paths.iter().filter(|it| it.extension().is_some_and(|it| it == "smv")) {
        let text = fs::read_to_string(path).expect("UTF-8");
        let read = Model::read(Source::new("m.smv", &*text), &Budget::unlimited());
        let model = read.unwrap_or_else(|(_, refusal)| panic!("{}: {refusal}", path.display()));
        let mut found = Vec::new();
        for (i, claim) in model.claims.list().iter().enumerate() {
            let line = claim.origin.as_ref().expect("it was read").line as usize;
            match model.ask(i).certified().decide().outcome.verdict {
                Verdict::Holds => found.push((line, true)),
                Verdict::Fails => found.push((line, false)),
                Verdict::Unknown(gap) => panic!("{}:{line}: {gap}", path.display()),
            }
        }
        let wanted = expected(&text);
        assert_eq!(found, wanted, "{}", path.display());
        asked += wanted.len();
    }
    println!("{asked} specifications");
    assert!(asked > 200, "the models are not there");
}

//! The programs of `tests/integers/varied.md` and `familiar.md`: every claim is decided as the page
//! says, with evidence that the certifier accepts.
//!
//! What the page calls `open` must be unknown: once it is decided, the page is to say so.

use super::tern;
use serde_json::Value;
use std::path::Path;

/// A block of claims, with the program, the options and what is given before it.
#[derive(Default, Clone)]
struct Block {
    title: String,
    code: String,
    options: Vec<String>,
    given: String,
    /// What is expected, and the claim.
    claims: Vec<(String, String)>,
}

fn blocks(page: &str) -> Vec<Block> {
    let (mut found, mut now) = (Vec::new(), Block::default());
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            now = Block { title: title.to_owned(), ..Block::default() };
        }
        let Some(kind) = line.strip_prefix("```") else { continue };
        let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match kind {
            "c" => now.code = text.join("\n"),
            "options" => now.options = text[0].split(' ').map(str::to_owned).collect(),
            "given" => now.given = text.join(" "),
            "claims" => {
                let mut block = now.clone();
                for line in text {
                    let line = line.replace("open holds ", "unknown ");
                    let line = line.replace("open fails ", "unknown ");
                    let (verdict, claim) = line.split_once(' ').expect("a verdict and a claim");
                    block.claims.push((verdict.to_owned(), claim.to_owned()));
                }
                found.push(block);
            }
            other => panic!("`{other}` is no kind of block"),
        }
    }
    found
}

/// Asks all claims of a page, of which so many are there at least.
fn ask(page: &str, least: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/integers").join(page);
    let page = std::fs::read_to_string(path).expect("the page is there");
    let (mut count, mut unknown, mut wrong) = (0, 0, Vec::new());
    for Block { title, code, options, given, claims } in blocks(&page) {
        let mut args: Vec<&str> = options.iter().map(String::as_str).collect();
        args.extend(["--json", "--certify"]);
        if !given.is_empty() {
            args.extend(["--given", &given]);
        }
        args.extend(claims.iter().flat_map(|(_, claim)| ["-f", claim]));
        let (_, out, err) = tern(&code, &args);
        let object: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
        let results = object["results"].as_array().expect("a list");
        assert_eq!(results.len(), claims.len(), "{title}: {object}");
        for ((verdict, claim), result) in claims.iter().zip(results) {
            count += 1;
            unknown += usize::from(verdict == "unknown");
            let is_sound = result["certified"] == true || verdict == "unknown";
            if result["verdict"] != verdict.as_str() || !is_sound {
                let (found, missing) = (&result["verdict"], &result["missing"]);
                wrong.push(format!("{title}: {claim} given {given:?}: {found} {missing}"));
            }
        }
    }
    assert!(count >= least && unknown * 50 < count, "{unknown} of {count} are unknown");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn programs_of_all_kinds_are_decided_with_evidence() {
    ask("varied.md", 900);
}

#[test]
fn familiar_programs_are_decided_with_evidence() {
    ask("familiar.md", 600);
}

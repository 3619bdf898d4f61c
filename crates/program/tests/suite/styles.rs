//! The programs of `tests/integers/`, with what is true of them.
//!
//! Every claim must be decided as the page says, or be unknown; what is decided has evidence that
//! the certifier accepts.

use crate::integers::Made;
use crate::proofs::Case;
use std::path::Path;
use tern_front::claims::read_one;
use tern_model::{Budget, Claims};
use tern_numeric::check::Verdict;
use tern_program::c::lower::{Settings, lower};
use tern_program::c::{Fault, claim, parse};

/// A program of the page, and for each claim whether it holds.
pub(crate) struct Exhibit {
    pub(crate) title: String,
    pub(crate) made: Made,
    pub(crate) truths: Vec<bool>,
}

/// The programs of a page.
pub(crate) fn exhibits(page: &str) -> Vec<Exhibit> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/integers").join(page);
    let page = std::fs::read_to_string(path).expect("the page is there");
    let (mut found, mut title, mut code, mut given) =
        (Vec::new(), String::new(), String::new(), String::new());
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(heading) = line.strip_prefix("## ") {
            heading.clone_into(&mut title);
            given.clear();
        }
        let Some(kind) = line.strip_prefix("```").filter(|kind| !kind.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match kind {
            "c" => code = block.join("\n"),
            "given" => given = block.join(" "),
            _ => found.push(exhibit(&title, &code, &given, &block)),
        }
    }
    found
}

fn exhibit(title: &str, text: &str, given: &str, claims: &[&str]) -> Exhibit {
    let unit = parse::parse(text).unwrap_or_else(|faults| panic!("{title}: {faults:?}"));
    let given = match given {
        "" => Vec::new(),
        given => vec![parse::expression(given).expect("it is an expression")],
    };
    let settings = Settings { given, ..Settings::default() };
    let flow = lower(&unit, &settings, text).unwrap_or_else(|it| panic!("{title}: {it:?}"));
    let (mut truths, mut all) = (Vec::new(), Vec::new());
    for line in claims {
        let (word, shown) = line.split_once(' ').expect("a verdict and a claim");
        truths.push(word == "holds");
        let mut claims = Claims::default();
        read_one(&mut claims, shown).unwrap_or_else(|it| panic!("{title}: {it:?}"));
        let root = claims.list()[0].formula().expect("it is a formula");
        let formulas = claims.formulas;
        let labels = claim::labels(&unit);
        let meaning = |atom| claim::meaning(&labels, &flow, formulas.atom_name(atom));
        let atoms = formulas.atoms_of(root).into_iter();
        let meanings = atoms.map(|atom| Ok((atom, meaning(atom)?))).collect();
        let meanings: Result<_, Vec<Fault>> = meanings;
        let meanings = meanings.unwrap_or_else(|it| panic!("{title}: {it:?}"));
        all.push((formulas, root, meanings, shown.to_owned()));
    }
    Exhibit {
        title: title.to_owned(),
        made: Made { text: text.to_owned(), flow, claims: all },
        truths,
    }
}

#[test]
fn programs_in_the_styles_of_the_field_are_decided() {
    let (count, unknown, missing) = decided("styles.md");
    assert!(unknown * 10 <= count, "too much is unknown");
    assert!(missing * 50 <= count, "evidence is missing too often");
}

#[test]
fn programs_that_never_end_are_decided() {
    let (_, unknown, missing) = decided("servers.md");
    assert_eq!((unknown, missing), (0, 0), "there was an answer to all, with evidence");
}

/// How many claims a page has, how many of them are unknown, and how many have no evidence.
fn decided(page: &str) -> (usize, usize, usize) {
    let (mut count, mut unknown, mut missing, mut wrong) = (0, 0, 0, Vec::new());
    for Exhibit { title, made, truths } in &exhibits(page) {
        for ((formulas, root, meanings, shown), truth) in made.claims.iter().zip(truths) {
            let case = Case { flow: &made.flow, formulas, root: *root, meanings };
            let decision = case.decide(&Budget::unlimited().with_effort(60_000));
            let holds = match decision.verdict {
                Verdict::Holds => Some(true),
                Verdict::Fails { .. } => Some(false),
                Verdict::Unknown(_) => None,
            };
            count += 1;
            if holds.is_none() {
                println!("unknown: {title}: {shown}");
                unknown += 1;
            } else if holds != Some(*truth) {
                wrong.push(format!("{title}: {shown}"));
            } else if case.proof(&decision).is_none() {
                println!("no evidence: {title}: {shown}");
                missing += 1;
            }
        }
    }
    println!("{count} claims, {unknown} unknown, {missing} without evidence");
    assert!(wrong.is_empty(), "{wrong:#?}");
    (count, unknown, missing)
}

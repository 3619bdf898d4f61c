//! The codes of all errors and warnings, and `tern explain`, which says what they mean.
//!
//! What a code means stands in the table of its reader; an example and the way out stand in
//! `codes/explained.txt`, for all of them. Together they make what `tern explain` prints and the
//! page `docs/codes.md`. A test provokes each example and sees that the code comes of it.

use crate::failure::{Failure, Status};
use crate::terminal::Terminal;
use tern_front::words::Nearest;
use tern_front::{FORMATS, claims, formula, hoa, input};
use tern_program::code;
use tern_program::sources::SOURCES;

/// A code, and what it means.
type Code = (&'static str, &'static str);

/// The codes that are given here, and not by a reader.
const OWN: &[Code] = &[
    ("E001", "The result file is not JSON."),
    ("E002", "The JSON is no result of Tern, or one of another version of the format."),
    ("E003", "The result file lacks a field, or has one of the wrong type."),
    ("E004", "The results are about another model than the one that was given."),
    ("E005", "A claim or fairness condition of a result cannot be read."),
    ("E006", "A result has a verdict that is none of `holds`, `fails` and `unknown`."),
    (
        "E007",
        "A result is about an automaton that was not given, or one was given that none is about.",
    ),
    ("E008", "The results are about several models, and none of them is the one that was given."),
    ("E009", "A C program was read in another way than is asked for now."),
    ("M101", "There is nothing in the text of the model."),
    ("M102", "A run can come to a dead end, which `--deadlock error` forbids."),
    ("M103", "A file of another kind stands where a model, claims or an automaton are expected."),
    ("M104", "A proposition of an automaton is a formula and not a label."),
    ("M105", "A folder holds no model, or cannot be searched."),
    ("M106", "The model has no translation to formulas, which `--formula` asks for."),
    ("M107", "A setting is given that models of this format do not have."),
    ("W201", "A claim uses a label that no node has: it is false everywhere."),
    ("W202", "A run can come to a dead end, where it stays."),
    ("W203", "The format that was written holds no claims, so they were left out."),
    ("W204", "The format that was written holds no fairness conditions, so they were left out."),
    ("W205", "An automaton has no initial state, so it accepts no run."),
    (
        "W206",
        "A claim holds vacuously: a premise in it is never fulfilled, so what it demands does not matter.",
    ),
    (
        "W207",
        "No run fulfils the fairness conditions, so that claims about all fair runs hold, whatever they say.",
    ),
    (
        "W208",
        "The format that was written cannot say where claims begin, so those that begin elsewhere than the program were left out.",
    ),
    ("W209", "Files of claims lie in a folder with models, and do not count."),
];

/// All codes with a title for each group, in the order of the documentation.
fn groups() -> Vec<(String, &'static [Code])> {
    let mut groups = vec![
        ("Files".to_owned(), input::CODES),
        ("Formulas".to_owned(), formula::CODES),
        ("Claims".to_owned(), claims::CODES),
    ];
    let models = FORMATS.into_iter();
    groups.extend(models.map(|it| (format!("Models, `.{}`", it.endings[0]), it.codes)));
    groups.push(("C programs, `.c`".to_owned(), tern_program::c::CODES));
    groups.push(("Programs".to_owned(), code::CODES));
    let programs = SOURCES.into_iter();
    groups.extend(programs.map(|it| (format!("Programs, `.{}`", it.endings[0]), it.codes)));
    groups.push(("Pointer programs, `.heap`".to_owned(), tern::heap::CODES));
    groups.push(("Rules, `.rules`".to_owned(), tern_scan::rules::CODES));
    groups.push(("Automata".to_owned(), hoa::CODES));
    groups.push(("The command line".to_owned(), OWN));
    groups
}

/// What may be written for --deny and --allow: the code of a warning, or `all`.
pub(crate) fn warning(text: &str) -> Result<String, String> {
    let code = text.to_ascii_uppercase();
    let is_warning = |&(own, _): &Code| own == code && own.starts_with('W');
    // Readers of models may warn too, with codes among those of their errors.
    let of_models = || FORMATS.into_iter().flat_map(|format| format.codes);
    let is_known = OWN.iter().any(is_warning) || of_models().any(|&(own, _)| own == code);
    if text == ALL || is_known {
        return Ok(if text == ALL { ALL.to_owned() } else { code });
    }
    let codes: Vec<&str> =
        OWN.iter().map(|&(code, _)| code).filter(|code| code.starts_with('W')).collect();
    Err(format!("it is no warning; those are {ALL}, {}", codes.join(", ")))
}

/// The word for all warnings.
pub(crate) const ALL: &str = "all";

/// Whether a warning is among those that were named.
pub(crate) fn is_named(named: &[String], code: &str) -> bool {
    named.iter().any(|name| name == ALL || name == code)
}

/// What a code means, as a sentence.
fn meaning((_, meaning): Code) -> String {
    let mut letters = meaning.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let sentence = first + letters.as_str();
    if sentence.ends_with('.') { sentence } else { sentence + "." }
}

/// An example that leads to a code, and what to do then.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Explained {
    /// The ending of files that the example stands in, or `sh` for commands; empty if there is no
    /// example.
    kind: &'static str,
    /// The lines of the example.
    example: Vec<&'static str>,
    /// What to do about it.
    way_out: String,
}

impl Explained {
    /// The words before the example.
    fn introduction(&self) -> String {
        match self.kind {
            "sh" => "For example, by this command:".to_owned(),
            kind => format!("For example, in a `.{kind}` file:"),
        }
    }
}

/// Each entry begins with a line `CODE KIND`; lines behind a bar are the example, the others say
/// what to do.
const EXPLAINED: &str = include_str!("codes/explained.txt");

/// What is said of a code beyond its meaning.
fn explained(code: &str) -> Explained {
    let mut found = Explained::default();
    let is_head = |line: &str| line.split_once(' ').is_some_and(|(first, _)| is_code(first));
    let begins = |line: &&str| line.split_once(' ').is_some_and(|(first, _)| first == code);
    let mut lines = EXPLAINED.lines().skip_while(|line| !begins(line));
    if let Some((_, kind)) = lines.next().and_then(|head| head.split_once(' ')) {
        found.kind = if kind == "-" { "" } else { kind };
    }
    for line in lines.take_while(|line| !is_head(line)) {
        match line.strip_prefix('|') {
            Some(example) => found.example.push(example.strip_prefix(' ').unwrap_or(example)),
            None => {
                let blank = if found.way_out.is_empty() { "" } else { " " };
                found.way_out += &format!("{blank}{line}");
            }
        }
    }
    found
}

/// Whether a word looks like a code: a capital and three digits.
fn is_code(word: &str) -> bool {
    let is_capital = word.starts_with(|c: char| c.is_ascii_uppercase());
    is_capital && word.len() == 4 && word[1..].bytes().all(|byte| byte.is_ascii_digit())
}

/// Runs `tern explain`: what a code means, or all of them as a page.
pub(crate) fn explain(code: Option<&str>, terminal: &Terminal) -> Result<Status, Failure> {
    let Some(wanted) = code else {
        terminal.print(&page())?;
        return Ok(Status::Good);
    };
    let all = || groups().into_iter().flat_map(|(_, codes)| codes.iter().copied());
    let Some(found) = all().find(|(code, _)| code.eq_ignore_ascii_case(wanted)) else {
        let codes = all().map(|(code, _)| code).collect::<Vec<_>>();
        let large = wanted.to_uppercase();
        let near = Nearest::new().among(&large, codes.iter().copied());
        let hint = match near {
            Some(near) => format!("did you mean `{near}`? `tern explain` lists all codes"),
            None => "codes stand in brackets, as in error[T013]; `tern explain` lists them".into(),
        };
        let message = format!("there is no error or warning `{wanted}`");
        return Err(Failure::Usage { message, hint });
    };
    let more = explained(found.0);
    let mut text = format!("{}: {}\n", found.0, meaning(found));
    if !more.example.is_empty() {
        text += &format!("\n{}\n\n", more.introduction());
        for line in &more.example {
            text += format!("    {line}").trim_end();
            text.push('\n');
        }
    }
    if !more.way_out.is_empty() {
        text += &format!("\nWhat to do: {}\n", more.way_out);
    }
    terminal.print(&text)?;
    Ok(Status::Good)
}

/// All codes, as Markdown.
fn page() -> String {
    let mut text = "# Errors and warnings\n\nEach message has a code. `tern explain CODE` says what it means; \
        `tern explain` prints this page.\n\
        Codes that begin with `W`, and a few of readers, are warnings: the input is used all the same. \
        `--deny CODE` makes a warning\nend in status 1, `--allow CODE` leaves it out, and `all` stands for all of them.\n"
        .to_owned();
    for (title, codes) in groups() {
        text += &format!("\n## {title}\n");
        for &code in codes {
            let more = explained(code.0);
            text += &format!("\n### `{}`\n\n{}", code.0, meaning(code));
            if more.example.is_empty() {
                text += &format!(" {}\n", more.way_out);
                continue;
            }
            text += &format!(" {}\n\n```text\n", more.introduction());
            for line in &more.example {
                text += &format!("{line}\n");
            }
            text += &format!("```\n\n{}\n", more.way_out);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained_and_nothing_else_is() {
        let codes: Vec<&str> =
            groups().into_iter().flat_map(|(_, codes)| codes.iter().map(|it| it.0)).collect();
        for code in &codes {
            let Explained { kind, example, way_out } = explained(code);
            assert!(
                !way_out.is_empty(),
                "{code}: add an entry to crates/cli/src/codes/explained.txt, with an example"
            );
            assert_eq!(kind.is_empty(), example.is_empty(), "{code}");
        }
        let heads = EXPLAINED.lines().filter_map(|line| line.split_once(' '));
        for (code, _) in heads.filter(|(first, _)| is_code(first)) {
            assert!(codes.contains(&code), "{code} is explained, and there is no such code");
        }
    }
}

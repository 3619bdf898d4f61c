//! The codes of all errors and warnings, and `tern explain`, which says what they mean.

use crate::failure::{Failure, Status};
use crate::terminal::Terminal;
use tern_front::{FORMATS, claims, formula, hoa, input};

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
    groups.push(("Pointer programs, `.heap`".to_owned(), tern::heap::CODES));
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

/// Runs `tern explain`: what a code means, or all of them as a page.
pub(crate) fn explain(code: Option<&str>, terminal: &Terminal) -> Result<Status, Failure> {
    let Some(wanted) = code else {
        terminal.print(&page())?;
        return Ok(Status::Good);
    };
    let all = || groups().into_iter().flat_map(|(_, codes)| codes.iter().copied());
    let Some(found) = all().find(|(code, _)| code.eq_ignore_ascii_case(wanted)) else {
        return Err(Failure::Usage {
            message: format!("there is no error or warning `{wanted}`"),
            hint: "codes stand in brackets, as in error[T013]; `tern explain` lists them"
                .to_owned(),
        });
    };
    terminal.print(&format!("{}: {}\n", found.0, meaning(found)))?;
    Ok(Status::Good)
}

/// All codes, as Markdown.
fn page() -> String {
    let mut text = "# Errors and warnings\n\nEach message has a code. `tern explain CODE` says what it means; \
        `tern explain` prints this page.\n\
        Codes that begin with `W`, and a few of readers, are warnings: the input is used all the same.\n"
        .to_owned();
    for (title, codes) in groups() {
        text += &format!("\n## {title}\n\n| code | meaning |\n|---|---|\n");
        for &code in codes {
            text += &format!("| `{}` | {} |\n", code.0, meaning(code).replace('|', "\\|"));
        }
    }
    text
}

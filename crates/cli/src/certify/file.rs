//! Reads a result file, and sees whether it can be about a model.

use tern_front::{Problem, Source};
use tern_model::{Machine, Span};
use tern_record::result_file::{NoResultFile, ResultFile, Sizes};
use tern_report::listed;

/// How to make a result file.
const WAY_OUT: &str = "`tern check MODEL --json --evidence` prints such a file";

/// How many models are listed.
const MOST: usize = 5;

/// Reads a result file, or of one about several models the part about this one.
pub(crate) fn read<'a>(source: &'a Source, model: &str) -> Result<ResultFile<'a>, Box<Problem>> {
    let text = std::str::from_utf8(&source.bytes).map_err(|error| {
        let at = Span::new(error.valid_up_to()..error.valid_up_to() + 1);
        Box::new(Problem::error("E001", "this is not UTF-8, so it is no JSON").at(at, ""))
    })?;
    ResultFile::read_for(text, model).map_err(|wrong| {
        Box::new(match &wrong {
            NoResultFile::Malformed(error) => {
                let (code, what) = match error.classify() {
                    serde_json::error::Category::Data => ("E003", "this is no sound result file"),
                    _ => ("E001", "this is not JSON"),
                };
                let at = offset_of(text, error);
                Problem::error(code, format!("{what}: {}", bare(error))).at(at, "").hint(WAY_OUT)
            }
            NoResultFile::Models(names) => {
                let names = listed(names.iter().map(|name| format!("`{name}`")), MOST);
                Problem::error("E008", wrong.to_string())
                    .hint(format!("it has results on {names}; give one of these as the model"))
            }
            NoResultFile::Schema(_) => Problem::error("E002", wrong.to_string()).hint(WAY_OUT),
        })
    })
}

/// What a reader of JSON complains of, without the place.
pub(super) fn bare(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((what, _)) => what.to_owned(),
        None => text,
    }
}

/// Where a reader of JSON stopped. Lines and columns count from 1.
pub(super) fn offset_of(text: &str, error: &serde_json::Error) -> Span {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let start: usize = lines.map(str::len).sum();
    let at = (start + error.column().saturating_sub(1)).min(text.len());
    Span::new(at..at + 1)
}

/// Whether a result file can be about a machine.
pub(crate) fn fits(
    machine: &Machine,
    top_level: bool,
    file: &ResultFile<'_>,
) -> Result<(), Box<Problem>> {
    let wrong = |why: String| {
        let message = format!("this result is about another model: {why}");
        let hint = "give the model that the claims were decided on, unchanged";
        Err(Box::new(Problem::error("E004", message).hint(hint)))
    };
    if let Some(theirs) = file.top_level.filter(|&theirs| theirs != top_level) {
        let (message, hint) = match theirs {
            true => {
                ("in this result calls were taken for single steps", "give --top-level as well")
            }
            false => {
                ("in this result calls were not taken for single steps", "leave out --top-level")
            }
        };
        return Err(Box::new(Problem::error("E004", message).hint(hint)));
    }
    let own = Sizes::of(machine);
    if let Some(theirs) = file.sizes.filter(|&theirs| theirs != own) {
        let (what, theirs, own) = [
            ("components", theirs.components, own.components),
            ("nodes", theirs.nodes, own.nodes),
            ("boxes", theirs.boxes, own.boxes),
            ("exits", theirs.exits, own.exits),
            ("places", theirs.places, own.places),
        ]
        .into_iter()
        .find(|&(_, theirs, own)| theirs != own)
        .expect("some are different");
        return wrong(format!("the number of {what} there is {theirs}, and here it is {own}"));
    }
    let initial = machine.initial().iter().map(|&node| machine.node_path(node));
    // If the model was not read, there are no results either that could say anything.
    if file.sizes.is_some() && !initial.eq(file.initial.iter().cloned()) {
        return wrong("it has other initial nodes".to_owned());
    }
    Ok(())
}

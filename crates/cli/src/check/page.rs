//! The page of a check: what it shows beside the results, and when it is written.

use super::output::Output;
use crate::failure::Failure;
use crate::files::write_whole;
use crate::load::Inputs;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Component, Path};
use std::sync::PoisonError;
use tern::heap::HeapAnswer;
use tern_front::Source;
use tern_ir::flow::Flow;
use tern_model::index::Id;
use tern_model::{Budget, Machine, Move, NodeId};
use tern_record::json::Results;
use tern_report::html::ModelResults;

/// The longest text that is shown beside a machine, in bytes, and how many there may be.
const LONGEST_TEXT: usize = 400_000;
const MOST_TEXTS: usize = 100;
/// The endings of programs that are looked for beside a model. A model may name any file; what is
/// no program does not belong into a page that is passed on.
const PROGRAMS: &[&str] = &["java", "kt", "scala", "c", "h", "imp", "smv", "tern", "heap", "pds"];

/// The values of variables at a node of the machine of a claim.
type Values<'a> = Box<dyn Fn(usize, NodeId) -> Vec<(String, String)> + 'a>;

/// The names of the objects of heaps along a run of the machine of a claim.
type Objects<'a> = Box<dyn Fn(usize, NodeId, &[Move]) -> Vec<Vec<u32>> + 'a>;

/// What is shown beside the results on a model.
pub(super) struct Beside<'a> {
    texts: Vec<(String, String)>,
    notes: Vec<String>,
    headings: &'a [Option<String>],
    values: Values<'a>,
    objects: Option<Objects<'a>>,
}

impl<'a> Beside<'a> {
    /// Nothing: the model was not read.
    pub(super) fn nothing() -> Self {
        Beside {
            texts: Vec::new(),
            notes: Vec::new(),
            headings: &[],
            values: Box::new(|_, _| Vec::new()),
            objects: None,
        }
    }

    /// The texts that the nodes of a machine come from, and the values at its nodes.
    pub(super) fn of(inputs: &'a Inputs, machine: Option<&'a Machine>) -> Self {
        let vocabulary = inputs.vocabulary.as_deref();
        let own = inputs.model_source().and_then(text_of);
        let mut texts: Vec<(String, String)> =
            own.into_iter().map(|text| (inputs.model.clone(), text)).collect();
        for name in machine.map(files).unwrap_or_default() {
            if name != inputs.model && texts.len() < MOST_TEXTS {
                texts.extend(read_beside(&inputs.model, &name).map(|text| (name, text)));
            }
        }
        let about = vocabulary.and_then(|words| words.about());
        Beside {
            texts,
            notes: about.map_or_else(Vec::new, |about| about.notes.clone()),
            headings: &[],
            values: Box::new(move |_, node| vocabulary.map_or_else(Vec::new, |it| it.values(node))),
            objects: None,
        }
    }

    /// The text of a pointer program, and the heaps at the nodes of its machines.
    pub(super) fn heaps(
        source: &'a Source,
        answers: &'a [HeapAnswer],
        headings: &'a [Option<String>],
    ) -> Self {
        let text = heap_text(source).map(|text| (source.name.clone(), text));
        let values = move |claim: usize, node: NodeId| {
            let heap = answers.get(claim).and_then(|it| it.heaps.get(node.index()));
            heap.map_or_else(Vec::new, |heap| tern::heap::heap_parts(heap))
        };
        let objects = move |claim: usize, start: NodeId, moves: &[Move]| {
            answers.get(claim).map_or_else(Vec::new, |it| it.identities.follow(start, moves))
        };
        let texts = text.into_iter().collect();
        let objects: Option<Objects<'a>> = Some(Box::new(objects));
        Beside { texts, notes: Vec::new(), headings, values: Box::new(values), objects }
    }
}

/// The text of a pointer program, if it is at hand: lines of nodes are lines of it.
fn heap_text(source: &Source) -> Option<String> {
    let path = Path::new(&source.name);
    match path.extension()?.to_str()? {
        "java" => short_text(path),
        // Settings are no program.
        "attestor" => None,
        _ => text_of(source).filter(|text| !text.is_empty()),
    }
}

/// The text of a file, unless it is none or very long.
fn short_text(path: &Path) -> Option<String> {
    let length = std::fs::metadata(path).ok().filter(|it| it.is_file())?.len();
    (length <= LONGEST_TEXT as u64).then(|| std::fs::read_to_string(path).ok()).flatten()
}

/// The files that the nodes of a machine come from.
fn files(machine: &Machine) -> BTreeSet<String> {
    let origins = machine.nodes().filter_map(|node| machine.origin(node));
    origins.map(|origin| origin.file.to_string()).collect()
}

/// A text, unless it is none or very long.
fn text_of(source: &Source) -> Option<String> {
    let is_short = source.bytes.len() <= LONGEST_TEXT;
    is_short.then(|| String::from_utf8(source.bytes.clone()).ok()).flatten()
}

/// The text of a program that a model names, if it lies beside the model.
fn read_beside(model: &str, name: &str) -> Option<String> {
    let path = Path::new(name);
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    let ending = path.extension()?.to_str()?;
    if !is_plain || !PROGRAMS.contains(&ending) {
        return None;
    }
    short_text(&Path::new(model).parent()?.join(path))
}

impl Output<'_> {
    /// Puts the results on a model on the page, if there is to be one. Only then is what stands
    /// beside them looked for: it takes a look at every node of the machine.
    pub(super) fn show_on_page<'a>(
        &self,
        results: Results<'_>,
        beside: impl FnOnce() -> Beside<'a>,
    ) -> Result<(), Failure> {
        if self.args.html.is_none() {
            return Ok(());
        }
        let Beside { texts, notes, headings, values, objects } = beside();
        let (values, objects) = (&*values, objects.as_deref());
        let (texts, notes) = (&texts, &notes);
        let model = ModelResults { results, headings, notes, texts, values, objects };
        // What was concluded is shown, also if a limit of the check was reached.
        let budget = Budget::unlimited();
        let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        page.add(&model, &budget).map_err(Failure::Limit)
    }

    /// Puts the results on an integer program on the page, if there is to be one.
    pub(super) fn show_program(
        &self,
        (source, flow): (&Source, &Flow),
        results: &[(Value, Option<Value>)],
        record: &Value,
    ) -> Result<(), Failure> {
        if self.args.html.is_none() {
            return Ok(());
        }
        let text = text_of(source).unwrap_or_default();
        let machine = tern_report::flow::machine(flow, &source.name, &text);
        let (record, budget) = (record.to_string(), Budget::unlimited());
        let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        page.add_program((&source.name, &text), &machine, results, &record, &budget)
            .map_err(Failure::Limit)
    }

    /// Writes the page, if there is to be one.
    pub(super) fn write_page(&self) -> Result<(), Failure> {
        let Some(path) = &self.args.html else { return Ok(()) };
        let page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = Vec::with_capacity(page.size() + 4096);
        page.write(&mut text, env!("CARGO_PKG_VERSION")).map_err(Failure::Output)?;
        write_whole(path, &text)
    }
}

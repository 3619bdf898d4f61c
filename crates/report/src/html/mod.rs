//! The page: results as one HTML file that needs nothing else, for people who read them.
//!
//! The page is a fixed text (`assets/`: HTML, style, script) with the results as a block of JSON
//! in it, schema `tern-page/1`. Coordinates of graphs are computed here; the script only draws.
//!
//! # What comes from a model can do nothing
//! * The block is JSON in which `<`, `>` and `&` are escaped: no text can end it.
//! * The script makes elements, and puts texts into them as texts, never as HTML.
//! * The policy of the page allows the one script and the one style that are in it, by their
//!   digests, and nothing from elsewhere.
//!
//! # The data
//! ```text
//! {schema, tern, models: [{name, …, texts, machines: […], claims: […]}], findings: {…}}
//! ```
//! `machine.rs`, `claim.rs`, `run.rs` and `findings.rs` say what is in these. `findings` is what a
//! search through a program found by itself, or null. Ids are those of the machine.

mod claim;
mod digest;
mod findings;
mod fold;
mod formula;
mod machine;
mod partition;
mod plain;
mod run;
mod values;

use crate::visible;
use claim::{Asked, ClaimData};
pub use findings::Scanned;
use machine::MachineData;
pub use partition::partition;
pub(crate) use plain::told_lines;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::{self, Write};
use tern_model::{Answer, Budget, Limit, Machine, Move, NodeId};
use tern_record::json::{self, Remark, Results};

/// The schema of the data.
const SCHEMA: &str = "tern-page/1";
/// A result file that is longer is not kept in the page.
const MOST_RECORD: usize = 4 << 20;
/// A result file is not even written if its runs have more moves together.
const MOST_MOVES: usize = 50_000;

const PAGE: &str = include_str!("../../assets/page.html");
const STYLE: &str = include_str!("../../assets/page.css");
/// The script, in the order in which its parts need each other.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("../../assets/elements.js"),
    include_str!("../../assets/data.js"),
    include_str!("../../assets/graph.js"),
    include_str!("../../assets/heap.js"),
    include_str!("../../assets/overview.js"),
    include_str!("../../assets/claim.js"),
    include_str!("../../assets/run.js"),
    include_str!("../../assets/steps.js"),
    include_str!("../../assets/partition.js"),
    include_str!("../../assets/machine.js"),
    include_str!("../../assets/findings.js"),
    include_str!("../../assets/page.js"),
    "})();\n",
);

/// The names of the objects of heaps at the configurations of a run, which is given by its first
/// node and its moves; the number is that of the claim.
pub type ObjectNames<'a> = &'a dyn Fn(usize, NodeId, &[Move]) -> Vec<Vec<u32>>;

/// What is shown of one model.
#[derive(Clone, Copy)]
pub struct ModelResults<'a> {
    /// The results, as they go into a result file.
    pub results: Results<'a>,
    /// What each claim is about, if claims of the model are about different things; else empty.
    pub headings: &'a [Option<String>],
    /// What is not modelled, in words.
    pub notes: &'a [String],
    /// The texts that nodes come from: what they are called, and what is in them.
    pub texts: &'a [(String, String)],
    /// The values of variables at a node of the machine of a claim, which is given by its position.
    pub values: &'a dyn Fn(usize, NodeId) -> Vec<(String, String)>,
    /// The names of the objects of heaps along a run of the machine of a claim, if there are any.
    pub objects: Option<ObjectNames<'a>>,
}

/// A page that is being put together, model by model.
#[derive(Clone, Debug, Default)]
pub struct Page {
    models: Vec<String>,
    records: Vec<Option<String>>,
    findings: Option<String>,
    found_record: Option<String>,
}

#[derive(Serialize)]
struct ModelData<'a> {
    name: String,
    top_level: bool,
    about: Option<&'a str>,
    notes: Vec<String>,
    reason: Option<String>,
    warnings: &'a [Remark],
    problems: &'a [Remark],
    texts: Vec<(String, &'a str)>,
    machines: Vec<MachineData>,
    claims: Vec<ClaimData>,
}

impl Page {
    /// Adds the results on a model.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn add(&mut self, model: &ModelResults<'_>, budget: &Budget) -> Result<(), Limit> {
        let Results { claims, numbers, answers, machine, machines, .. } = model.results;
        let formulas = &claims.formulas;
        // One machine for all claims, or one for each.
        let all: Vec<Option<&Machine>> =
            if machines.is_empty() { vec![machine] } else { machines.to_vec() };
        let mut visited: Vec<BTreeSet<NodeId>> = vec![BTreeSet::new(); all.len()];
        let mut labels: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); all.len()];
        let mut shown = Vec::with_capacity(answers.len());
        let each = claims.list().iter().zip(answers).zip(numbers).enumerate();
        for (i, ((claim, answer), &number)) in each {
            let at = if machines.is_empty() { 0 } else { i };
            let heading = model.headings.get(i).and_then(|heading| heading.as_deref());
            let machine = all[at].map(|machine| (at, machine));
            let names = model
                .objects
                .map(|names| move |start: NodeId, moves: &[Move]| names(at, start, moves));
            let objects = names.as_ref().map(|names| names as run::Objects<'_>);
            let replay = model.results.replays.get(i).and_then(Option::as_ref);
            let asked =
                Asked { formulas, claim, number, heading, answer, machine, objects, replay };
            shown.push(claim::data(&asked, &mut visited[at]));
            let atoms = claim.property.atoms(formulas);
            labels[at].extend(atoms.into_iter().map(|atom| formulas.atom_name(atom)));
        }
        let mut drawn = Vec::new();
        for (at, machine) in all.iter().enumerate() {
            let labels: Vec<&str> = labels[at].iter().copied().collect();
            let values = |node: NodeId| (model.values)(at, node);
            let empty = Machine::default();
            let machine = machine.unwrap_or(&empty);
            drawn.push(machine::data(machine, &labels, &visited[at], &values, budget)?);
        }
        let Results { top_level, about, reason, warnings, problems, .. } = model.results;
        let words = |text: &str| visible(text).into_owned();
        let data = ModelData {
            name: words(model.results.model),
            top_level,
            about: about.map(|about| about.word),
            notes: model.notes.iter().map(|note| words(note)).collect(),
            reason: reason.map(words),
            warnings,
            problems,
            texts: model.texts.iter().map(|(name, text)| (words(name), &**text)).collect(),
            machines: drawn,
            claims: shown,
        };
        self.models.push(to_json(&data));
        self.records.push(record(&model.results));
        Ok(())
    }

    /// Adds the results on an integer program, as its result file has them, each with the
    /// [`partition()`] of the states by which it was decided, and that file. The machine is that of
    /// its flow graph ([`crate::flow`]).
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn add_program(
        &mut self,
        (name, text): (&str, &str),
        flow: &Machine,
        results: &[(serde_json::Value, Option<serde_json::Value>)],
        record: &str,
        budget: &Budget,
    ) -> Result<(), Limit> {
        let name = visible(name);
        let labels: Vec<&str> = flow.labels().map(|(_, label)| label).collect();
        let drawn = machine::data(flow, &labels, &BTreeSet::new(), &|_| Vec::new(), budget)?;
        let claim = |(result, cells): &(_, Option<_>)| plain::claim(result, cells.as_ref());
        let claims: Vec<serde_json::Value> = results.iter().map(claim).collect();
        let data = serde_json::json!({
            "name": name, "top_level": false, "about": null, "notes": [], "reason": null,
            "warnings": [], "problems": [], "texts": [[name, text]], "machines": [drawn],
            "claims": claims,
        });
        self.models.push(to_json(&data));
        self.records.push((record.len() <= MOST_RECORD).then(|| escaped(record)));
        Ok(())
    }

    /// Adds the findings of a scan, as its result file has them, and that file.
    pub fn add_findings(
        &mut self,
        result: &serde_json::Value,
        scanned: &Scanned<'_>,
        record: &str,
    ) {
        self.findings = Some(findings::data(result, scanned));
        self.found_record = (record.len() <= MOST_RECORD).then(|| escaped(record));
    }

    /// How many bytes the page has.
    pub fn size(&self) -> usize {
        let records = self.records.iter().flatten().chain(&self.found_record);
        let parts = self.models.iter().chain(&self.findings).chain(records);
        PAGE.len() + STYLE.len() + SCRIPT.len() + parts.map(String::len).sum::<usize>()
    }

    /// Writes the page.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, out: &mut impl Write, version: &str) -> io::Result<()> {
        let (style, script) = (digest::named(STYLE), digest::named(SCRIPT));
        let policy = format!(
            "default-src 'none'; script-src '{script}'; style-src '{style}'; img-src data: blob:; \
             base-uri 'none'; form-action 'none'"
        );
        // What stands in the page where something belongs, and what that is.
        let mut rest = PAGE;
        for place in ["POLICY", "STYLE", "DATA", "SCRIPT"] {
            let mark = format!("<!--{place}-->");
            let (before, after) = rest.split_once(&mark).expect("the page has all places");
            out.write_all(before.as_bytes())?;
            match place {
                "POLICY" => write!(
                    out,
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">"
                )?,
                "STYLE" => write!(out, "<style>{STYLE}</style>")?,
                "DATA" => self.write_data(out, version)?,
                _ => write!(out, "<script>{SCRIPT}</script>")?,
            }
            rest = after;
        }
        out.write_all(rest.as_bytes())
    }

    fn write_data(&self, out: &mut impl Write, version: &str) -> io::Result<()> {
        let block = "<script type=\"application/json\" id=";
        let version = to_json(version);
        write!(out, "{block}\"data\">{{\"schema\":\"{SCHEMA}\",\"tern\":{version},\"models\":[")?;
        for (i, model) in self.models.iter().enumerate() {
            write!(out, "{}{model}", if i > 0 { "," } else { "" })?;
        }
        let findings = self.findings.as_deref().unwrap_or("null");
        writeln!(out, "],\"findings\":{findings}}}</script>")?;
        for (i, record) in self.records.iter().enumerate() {
            if let Some(record) = record {
                writeln!(out, "{block}\"record-{i}\">{record}</script>")?;
            }
        }
        if let Some(record) = &self.found_record {
            writeln!(out, "{block}\"record-findings\">{record}</script>")?;
        }
        Ok(())
    }
}

/// A value as JSON that nothing in it can end early.
fn to_json(value: &(impl Serialize + ?Sized)) -> String {
    escaped(&serde_json::to_string(value).expect("keys are strings, and a string takes all text"))
}

/// JSON in which nothing means anything to HTML: such letters occur in strings only.
fn escaped(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => safe.push_str("\\u003c"),
            '>' => safe.push_str("\\u003e"),
            '&' => safe.push_str("\\u0026"),
            '\u{2028}' => safe.push_str("\\u2028"),
            '\u{2029}' => safe.push_str("\\u2029"),
            c => safe.push(c),
        }
    }
    safe
}

/// The result file, if it is not too long.
fn record(results: &Results<'_>) -> Option<String> {
    let moves = |answer: &Answer| {
        let example = answer.meaning.example.as_ref().map(|example| &example.outcome);
        let outcomes = std::iter::once(&answer.outcome).chain(example);
        outcomes.flat_map(|it| &it.stories).map(|(_, story)| story_moves(story)).sum::<usize>()
    };
    if results.answers.iter().map(moves).sum::<usize>() > MOST_MOVES {
        return None;
    }
    let mut limited = Limited { bytes: Vec::new() };
    json::write(&mut limited, results).ok()?;
    Some(escaped(&String::from_utf8(limited.bytes).ok()?))
}

fn story_moves(story: &tern_model::Story) -> usize {
    use tern_model::Reason;
    let mut sum = 0;
    let mut waiting = vec![story];
    while let Some(story) = waiting.pop() {
        match &story.reason {
            Reason::Run(run) => {
                sum += run.run.moves.len();
                waiting.extend(run.asides.iter().map(|(_, story)| story));
            }
            Reason::Operands(stories) => waiting.extend(stories),
            Reason::Labels | Reason::AllPaths | Reason::TooLong => {}
        }
    }
    sum
}

/// Takes so many bytes and no more.
struct Limited {
    bytes: Vec<u8>,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > MOST_RECORD {
            return Err(io::Error::other("too long for the page"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;

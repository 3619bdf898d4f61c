//! The result file: one JSON object, schema `tern-result/1`.
//!
//! ```text
//! schema    "tern-result/1"
//! tern      the version that wrote it
//! model     what the model was read from
//! top_level whether calls were taken for single steps: then verdicts are not those of the program
//! initial   the initial nodes, as "component.node"
//! sizes     {components, nodes, boxes, exits, places} of the machine, or null
//! reason    why nothing could be said at all (the model was not read), or null
//! warnings  [{code, message, place, hint}]; place is "file:line:column" or null
//! problems  what is wrong with the input, in the same form; left out if nothing is
//! results   one for each claim, in order:
//!   claim     the formula      name     the name given to it, or null
//!   number    the number of the claim among all of the model, from 1
//!   file      the file that the claim was read from, and `line`, the line of it that it begins
//!             in; null for claims from elsewhere
//!   start     [{stack, node}]: the configurations that the claim is about, by the numbers of boxes
//!             and nodes; left out if these are the initial ones
//!   automaton if the claim stands for one: {accepts, fair, propositions, states, transitions,
//!             marks}; else left out
//!   verdict   "holds", "fails" or "unknown"
//!   reason    why it is unknown, or null
//!   too_coarse  {place, question}: where an abstract machine says too little, and what; left out
//!             for all else
//!   culprit   an initial node (or another configuration that it is about) at which it fails, or
//!             null
//!   input     of a pointer program, the input on which it fails; left out for all else
//!   engine    who decided
//!   stats     {contexts, copies, reused, rounds, evaluations, edges, seconds} (seconds until the
//!             verdict) and explaining (seconds for evidence, witness and where)
//!   where     [{component, stack, nodes, holds}]: which nodes are reached, and at which of them the
//!             claim holds, if asked for, or null
//!   witness   why, as far as runs can show it, if asked for: {formula, holds, reason, …}, or null;
//!             see `witness.rs`
//!   example   with `witness`, for a claim that holds on all runs: one on which it has something to
//!             say, in the same form, or null
//!   vacuous   with `witness`, the premise in a claim that is never fulfilled, or null
//!   redundant with `witness`, [{part, claim}]: parts that do not matter, and the claim without each
//!   missing   what was asked for and is not here, one entry each:
//!             ["no evidence: time limit of 1s reached"]
//!   certified whether the certifier accepted the evidence, or null if it was not asked
//!   evidence  {kind: "labelling", …} or null; see `docs/certificate.md`
//! ```
//! Fields may be added; those above keep their names and meanings while the schema is `/1`.

use crate::heap_proof::HeapEvidence;
use crate::labelling::LabellingJson;
use crate::path_evidence::PathJson;
use crate::result_file::{AutomatonRecord, Placed, SCHEMA, Sizes};
use crate::star_evidence::StarJson;
use crate::trace::Trace;
use crate::witness;
use serde::Serialize;
use std::io;
use tern_model::{Answer, Coarse, Example, Gap, Redundant};
use tern_model::{
    Budget, Claim, Claims, Evidence, Formulas, Machine, NodeId, Outcome, Property, Region, Start,
    Verdict,
};

/// Something that is wrong, or may not be as it was meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// A short stable code; none for what is wrong with a command line.
    pub code: Option<&'static str>,
    /// What it is.
    pub message: String,
    /// Where: `file:line:column`.
    pub place: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Everything that goes into a result file.
#[derive(Clone, Copy, Debug)]
pub struct Results<'a> {
    /// The version of Tern.
    pub version: &'a str,
    /// What the model was read from.
    pub model: &'a str,
    /// Whether calls were taken for single steps.
    pub top_level: bool,
    /// What the verdicts are about, if the machine is not the model itself.
    pub about: Option<About<'a>>,
    /// The machine, unless it could not be read.
    pub machine: Option<&'a Machine>,
    /// The machine of each answer, where each is about another one; else empty.
    pub machines: &'a [Option<&'a Machine>],
    /// For each answer, the run or proof about a pointer program that is its evidence; else empty.
    pub replays: &'a [Option<HeapEvidence>],
    /// For each answer, the input of a pointer program on which its claim fails; else empty.
    pub inputs: &'a [Option<&'a str>],
    /// Why nothing could be said at all.
    pub reason: Option<&'a str>,
    /// What to mind.
    pub warnings: &'a [Remark],
    /// What is wrong with the input.
    pub problems: &'a [Remark],
    /// The claims.
    pub claims: &'a Claims,
    /// The number of each claim.
    pub numbers: &'a [usize],
    /// One answer for each claim, or for the first of them.
    pub answers: &'a [Answer],
}

impl<'a> Results<'a> {
    /// Claims with their numbers and answers, and nothing beside them.
    pub fn new(
        model: &'a str,
        claims: &'a Claims,
        numbers: &'a [usize],
        answers: &'a [Answer],
    ) -> Self {
        Results {
            version: env!("CARGO_PKG_VERSION"),
            model,
            top_level: false,
            about: None,
            machine: None,
            machines: &[],
            replays: &[],
            inputs: &[],
            reason: None,
            warnings: &[],
            problems: &[],
            claims,
            numbers,
            answers,
        }
    }
}

/// What verdicts are about, if the machine is not the model itself.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// In one word.
    pub word: &'a str,
    /// What is not modelled, and how often it occurs.
    pub not_modelled: &'a [(&'static str, usize)],
}

impl About<'_> {
    fn counts(&self) -> serde_json::Map<String, serde_json::Value> {
        let counts = self.not_modelled.iter();
        counts.map(|&(what, count)| (what.to_owned(), count.into())).collect()
    }
}

/// The text of a result file, without a line end.
pub fn text(results: &Results<'_>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes, results).expect("a vector takes all bytes");
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

/// Writes a result file, without a line end.
///
/// # Errors
/// If `out` cannot be written.
pub fn write(out: &mut impl io::Write, results: &Results<'_>) -> io::Result<()> {
    let initial = results.machine.map_or(Vec::new(), |machine| {
        machine.initial().iter().map(|&node| machine.node_path(node)).collect()
    });
    let answered = results.claims.list().iter().zip(results.answers).zip(results.numbers);
    let file = File {
        schema: SCHEMA,
        tern: results.version,
        model: results.model,
        top_level: results.top_level,
        about: results.about.map(|about| about.word),
        not_modelled: results.about.map(|about| about.counts()),
        initial,
        sizes: results.machine.map(Sizes::of),
        reason: results.reason,
        warnings: results.warnings,
        problems: results.problems,
        results: answered
            .enumerate()
            .map(|(i, ((claim, answer), &number))| {
                let own = results.machines.get(i).copied();
                let (machine, formulas) =
                    (own.unwrap_or(results.machine), &results.claims.formulas);
                let input = results.inputs.get(i).copied().flatten();
                let one = One { machine, formulas, number, claim, answer, input };
                let mut result = ResultJson::new(one);
                if let Some(Some(run)) = results.replays.get(i) {
                    result.evidence = Some(EvidenceJson::Heap(run));
                }
                result
            })
            .collect(),
    };
    // Through one buffer: the serialiser writes piece by piece.
    let mut buffered = io::BufWriter::new(out);
    serde_json::to_writer(&mut buffered, &file)?;
    io::Write::flush(&mut buffered)
}

/// The schema of results that are printed one a line.
pub const LINE_SCHEMA: &str = "tern-line/1";

/// One result: a claim, and the answer to it.
#[derive(Clone, Copy, Debug)]
pub struct One<'a> {
    /// The machine, unless it could not be read.
    pub machine: Option<&'a Machine>,
    /// Where the claim lives.
    pub formulas: &'a Formulas,
    /// The number of the claim.
    pub number: usize,
    /// The claim.
    pub claim: &'a Claim,
    /// The answer.
    pub answer: &'a Answer,
    /// The input of a pointer program on which the claim fails.
    pub input: Option<&'a str>,
}

impl One<'_> {
    /// The result as a line of JSON, with its line end.
    pub fn line(&self, model: &str, top_level: bool, about: Option<About<'_>>) -> String {
        let result = ResultJson::new(*self);
        line(&LineJson {
            schema: LINE_SCHEMA,
            kind: "result",
            model,
            content: ResultLine {
                top_level,
                about: about.map(|about| about.word),
                not_modelled: about.map(|about| about.counts()),
                result,
            },
        })
    }
}

/// A remark on a model as a line of JSON, with its line end; `kind` says what it is.
pub fn remark_line(kind: &str, model: &str, remark: &Remark) -> String {
    line(&LineJson { schema: LINE_SCHEMA, kind, model, content: remark })
}

/// The last line: what the results come to.
pub fn summary_line(sums: &impl Serialize, is_complete: bool) -> String {
    #[derive(Serialize)]
    struct Summary<'a, T> {
        schema: &'static str,
        kind: &'static str,
        #[serde(flatten)]
        sums: &'a T,
        complete: bool,
    }
    line(&Summary { schema: LINE_SCHEMA, kind: "summary", sums, complete: is_complete })
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a string takes all text, and keys are strings") + "\n"
}

#[derive(Serialize)]
struct LineJson<'a, T> {
    schema: &'static str,
    kind: &'a str,
    model: &'a str,
    #[serde(flatten)]
    content: T,
}

#[derive(Serialize)]
struct ResultLine<'a> {
    top_level: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_modelled: Option<serde_json::Map<String, serde_json::Value>>,
    #[serde(flatten)]
    result: ResultJson<'a>,
}

/// The stories of an outcome.
fn told(
    machine: &Machine,
    formulas: &Formulas,
    claim: &Property,
    outcome: &Outcome,
) -> Option<serde_json::Value> {
    witness::value(machine, &Trace::all(machine, formulas, claim, outcome))
}

#[derive(Serialize)]
struct File<'a> {
    schema: &'static str,
    tern: &'a str,
    model: &'a str,
    top_level: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_modelled: Option<serde_json::Map<String, serde_json::Value>>,
    initial: Vec<String>,
    sizes: Option<Sizes>,
    reason: Option<&'a str>,
    warnings: &'a [Remark],
    #[serde(skip_serializing_if = "<[Remark]>::is_empty")]
    problems: &'a [Remark],
    results: Vec<ResultJson<'a>>,
}

#[derive(Serialize)]
struct ResultJson<'a> {
    claim: String,
    number: usize,
    name: Option<&'a str>,
    file: Option<&'a str>,
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<Vec<Placed>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    automaton: Option<AutomatonRecord>,
    verdict: &'static str,
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    too_coarse: Option<CoarseJson<'a>>,
    culprit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a str>,
    engine: &'static str,
    stats: StatsJson,
    #[serde(rename = "where")]
    regions: Option<Vec<RegionJson<'a>>>,
    witness: Option<serde_json::Value>,
    example: Option<serde_json::Value>,
    vacuous: Option<&'a str>,
    redundant: Vec<RedundantJson<'a>>,
    missing: Vec<String>,
    certified: Option<bool>,
    evidence: Option<EvidenceJson<'a>>,
}

impl<'a> ResultJson<'a> {
    fn new(One { machine, formulas, number, claim, answer, input }: One<'a>) -> Self {
        let Answer { outcome, certification, meaning } = answer;
        let Claim { name, property, start, origin, .. } = claim;
        let example = machine.zip(meaning.example.as_ref());
        let regions = machine.zip(outcome.regions.as_deref()).map(|(machine, regions)| {
            regions.iter().map(|region| RegionJson::new(machine, region)).collect()
        });
        ResultJson {
            claim: property.show(formulas).to_string(),
            number,
            name: name.as_deref(),
            file: origin.as_ref().map(|origin| &*origin.file),
            line: origin.as_ref().map(|origin| origin.line as usize),
            start: match start {
                Start::Initial => None,
                Start::At(list) => Some(list.iter().map(Placed::new).collect()),
            },
            automaton: property
                .automaton()
                .map(|property| AutomatonRecord::new(formulas, property)),
            verdict: outcome.verdict.word(),
            reason: match &outcome.verdict {
                Verdict::Unknown(gap) => Some(gap.to_string()),
                Verdict::Holds | Verdict::Fails => None,
            },
            too_coarse: match &outcome.verdict {
                Verdict::Unknown(Gap::TooCoarse(Coarse { place, question })) => {
                    Some(CoarseJson { place, question })
                }
                _ => None,
            },
            culprit: outcome.culprit.as_ref().zip(machine).map(|(it, machine)| it.show(machine)),
            input,
            engine: outcome.engine,
            stats: StatsJson::new(outcome),
            regions,
            witness: machine.and_then(|machine| told(machine, formulas, property, outcome)),
            example: example.and_then(|(machine, Example { formulas, claim, outcome })| {
                told(machine, formulas, &Property::Formula(*claim), outcome)
            }),
            vacuous: meaning.vacuous.as_ref().map(|vacuous| vacuous.premise.as_str()),
            redundant: meaning.redundant.iter().map(RedundantJson::from).collect(),
            missing: outcome.missing.iter().map(ToString::to_string).collect(),
            certified: certification.map(|certification| certification.accepted),
            evidence: machine.and_then(|machine| evidence_of(machine, formulas, claim, outcome)),
        }
    }
}

/// The evidence of an outcome, as result files have it.
pub fn evidence_value(
    machine: &Machine,
    formulas: &Formulas,
    claim: &Claim,
    outcome: &Outcome,
) -> Option<serde_json::Value> {
    serde_json::to_value(evidence_of(machine, formulas, claim, outcome)?).ok()
}

fn evidence_of<'a>(
    machine: &'a Machine,
    formulas: &'a Formulas,
    Claim { property, start, .. }: &'a Claim,
    outcome: &'a Outcome,
) -> Option<EvidenceJson<'a>> {
    let evidence = outcome.evidence.as_ref()?;
    let reduced = outcome.reduced.as_ref();
    let machine = reduced.map_or(machine, |it| &it.machine.machine);
    match reduced.and_then(|it| it.claim.as_ref()) {
        Some(it) => {
            let property = Property::Formula(it.claim);
            EvidenceJson::new(machine, &it.formulas, &property, evidence)
        }
        None if start.is_inside_calls() => {
            // It speaks of copies of what is pending, too.
            let view = start.view(machine, &Budget::unlimited()).ok()?;
            let json = EvidenceJson::new(&view.machine, formulas, property, evidence)?;
            Some(EvidenceJson::InsideCalls(serde_json::to_value(json).ok()?))
        }
        None => EvidenceJson::new(machine, formulas, property, evidence),
    }
}

#[derive(Serialize)]
struct CoarseJson<'a> {
    place: &'a str,
    question: &'a str,
}

#[derive(Serialize)]
struct RedundantJson<'a> {
    part: &'a str,
    claim: &'a str,
}

impl<'a> From<&'a Redundant> for RedundantJson<'a> {
    fn from(Redundant { part, claim }: &'a Redundant) -> Self {
        RedundantJson { part, claim }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum EvidenceJson<'a> {
    Labelling(LabellingJson<'a>),
    Path(PathJson),
    Star(StarJson),
    /// Any of these, about the machine of a claim that begins inside calls.
    InsideCalls(serde_json::Value),
    Heap(&'a HeapEvidence),
}

impl<'a> EvidenceJson<'a> {
    fn new(
        machine: &'a Machine,
        formulas: &'a Formulas,
        claim: &Property,
        evidence: &'a Evidence,
    ) -> Option<Self> {
        Some(match evidence {
            Evidence::Labelling(labelling) => {
                EvidenceJson::Labelling(LabellingJson::new(machine, formulas, labelling))
            }
            Evidence::Runs { .. } | Evidence::Absence { .. } => {
                EvidenceJson::Path(PathJson::new(formulas, claim.said(), evidence)?)
            }
            Evidence::Star(star) => {
                EvidenceJson::Star(StarJson::new(formulas, claim.said()?, star))
            }
        })
    }
}

#[derive(Serialize)]
struct RegionJson<'a> {
    component: &'a str,
    stack: Vec<&'a str>,
    nodes: Vec<&'a str>,
    holds: Vec<&'a str>,
}

impl<'a> RegionJson<'a> {
    fn new(machine: &'a Machine, region: &Region) -> Self {
        let names = |nodes: &[NodeId]| nodes.iter().map(|&node| machine.node_name(node)).collect();
        RegionJson {
            component: machine.component_name(region.component),
            stack: region.stack.iter().map(|&call| machine.box_name(call)).collect(),
            nodes: names(&region.nodes),
            holds: names(&region.holds),
        }
    }
}

#[derive(Serialize)]
struct StatsJson {
    contexts: u64,
    copies: u64,
    reused: u64,
    rounds: u64,
    evaluations: u64,
    edges: u64,
    automaton_states: u64,
    product_nodes: u64,
    contracts: u64,
    produced: u64,
    seconds: f64,
    explaining: f64,
}

impl StatsJson {
    fn new(outcome: &Outcome) -> Self {
        let stats = outcome.stats;
        StatsJson {
            contexts: stats.contexts,
            copies: stats.copies,
            reused: stats.reused,
            rounds: stats.rounds,
            evaluations: stats.evaluations,
            edges: stats.edges,
            automaton_states: stats.automaton_states,
            product_nodes: stats.product_nodes,
            contracts: stats.contracts,
            produced: stats.produced,
            seconds: outcome.seconds,
            explaining: outcome.explaining,
        }
    }
}

//! A claim and its answer as data of the page.

use super::formula::{Part, Tree, number};
use super::run::{Objects, RunData, StoryData, Teller};
use super::values::{Labels, Settled};
use crate::text::evidence_size;
use crate::visible;
use serde::Serialize;
use std::collections::BTreeSet;
use tern_model::{
    Answer, Claim, Example, FormulaId, Formulas, Machine, NodeId, Outcome, Property, Region, Start,
    Stats, Vacuous, Verdict,
};
use tern_record::heap_proof::HeapEvidence;
use tern_record::trace::Trace;

#[derive(Debug, Serialize)]
pub(super) struct ClaimData {
    number: usize,
    name: Option<String>,
    formula: String,
    /// What the claim is about, if claims of a model are about different things.
    heading: Option<String>,
    place: Option<String>,
    verdict: &'static str,
    reason: Option<String>,
    culprit: Option<String>,
    engine: &'static str,
    seconds: f64,
    explaining: f64,
    counts: Vec<(&'static str, u64)>,
    /// Which machine of the model it was decided on.
    machine: Option<usize>,
    vacuous: Option<VacuousData>,
    redundant: Vec<(String, String)>,
    missing: Vec<String>,
    certificate: CertificateData,
    regions: Vec<RegionData>,
    /// Why it holds or fails, and an example.
    tellings: Vec<Telling>,
}

#[derive(Debug, Serialize)]
struct VacuousData {
    premise: String,
    never: bool,
    claim: String,
}

#[derive(Debug, Serialize)]
struct CertificateData {
    /// What the evidence is, in words.
    evidence: Option<String>,
    /// Whether the certifier accepted it, if it was asked.
    accepted: Option<bool>,
    seconds: Option<f64>,
}

#[derive(Debug, Serialize)]
struct RegionData {
    component: u32,
    stack: Vec<u32>,
    nodes: usize,
    holds: Vec<u32>,
}

/// Stories about one formula.
#[derive(Debug, Serialize)]
struct Telling {
    /// `why` or `example`.
    kind: &'static str,
    formula: String,
    tree: Vec<Part>,
    /// The initial node that each story begins at, and the story.
    stories: Vec<(u32, StoryData)>,
    runs: Vec<RunData>,
}

/// What a claim is shown with.
pub(super) struct Asked<'a> {
    pub(super) formulas: &'a Formulas,
    pub(super) claim: &'a Claim,
    pub(super) number: usize,
    pub(super) heading: Option<&'a str>,
    pub(super) answer: &'a Answer,
    /// The machine, and its position among those of the model.
    pub(super) machine: Option<(usize, &'a Machine)>,
    /// The names of the objects of heaps along a run, if there are heaps.
    pub(super) objects: Option<Objects<'a>>,
    /// The evidence about a pointer program.
    pub(super) replay: Option<&'a HeapEvidence>,
}

/// Makes the data of a claim, and adds the nodes that its runs come to.
pub(super) fn data(asked: &Asked<'_>, visited: &mut BTreeSet<NodeId>) -> ClaimData {
    let Asked { formulas, claim, number, heading, answer, machine, objects, replay } = *asked;
    let Answer { outcome, certification, meaning } = answer;
    let shown = |text: &str| visible(text).into_owned();
    let mut tellings = Vec::new();
    if let Some((_, machine)) = machine {
        let own = Subject { machine, formulas, property: &claim.property, outcome, objects };
        let is_initial = claim.start == Start::Initial;
        tellings.push(own.telling("why", is_initial, visited));
        if let Some(Example { formulas, claim, outcome }) = &meaning.example {
            let property = &Property::Formula(*claim);
            let example = Subject { machine, formulas, property, outcome, objects };
            tellings.push(example.telling("example", is_initial, visited));
        }
    }
    if machine.is_none() {
        // The parts of the formula are shown all the same, without values.
        let tree = claim.property.said().map(|root| Tree::new(formulas, root)).unwrap_or_default();
        let formula = shown(&claim.property.show(formulas).to_string());
        let (stories, runs) = Default::default();
        tellings.push(Telling { kind: "why", formula, tree: tree.parts, stories, runs });
    }
    let culprit = outcome.culprit.as_ref().zip(machine);
    let regions = machine.and(outcome.regions.as_deref()).unwrap_or_default();
    ClaimData {
        number,
        name: claim.name.as_deref().map(shown),
        formula: shown(&claim.property.show(formulas).to_string()),
        heading: heading.map(shown),
        place: claim.origin.as_ref().map(|origin| shown(&origin.to_string())),
        verdict: outcome.verdict.word(),
        reason: match &outcome.verdict {
            Verdict::Unknown(gap) => Some(shown(&gap.to_string())),
            Verdict::Holds | Verdict::Fails => None,
        },
        culprit: culprit.map(|(it, (_, machine))| shown(&it.show(machine))),
        engine: outcome.engine,
        seconds: outcome.seconds,
        explaining: outcome.explaining,
        counts: counts(&outcome.stats),
        machine: machine.map(|(at, _)| at),
        vacuous: meaning.vacuous.as_ref().map(|Vacuous { premise, never, claim }| VacuousData {
            premise: shown(premise),
            never: *never,
            claim: shown(claim),
        }),
        redundant: meaning.redundant.iter().map(|it| (shown(&it.part), shown(&it.claim))).collect(),
        missing: outcome.missing.iter().map(|it| shown(&it.to_string())).collect(),
        certificate: CertificateData {
            evidence: outcome.evidence.as_ref().map(evidence_size).or(replay.map(heap_evidence)),
            accepted: certification.map(|it| it.accepted),
            seconds: certification.map(|it| it.seconds),
        },
        regions: regions.iter().map(region).collect(),
        tellings,
    }
}

/// What the evidence about a pointer program is, in words.
fn heap_evidence(evidence: &HeapEvidence) -> String {
    match evidence {
        HeapEvidence::Run(run) => {
            format!("a run on an input of {}", crate::counted(run.objects.len(), "object"))
        }
        HeapEvidence::Proof(_) => {
            "heaps at places of the program, with rules and embeddings for each step".to_owned()
        }
    }
}

fn region(region: &Region) -> RegionData {
    RegionData {
        component: number(region.component),
        stack: region.stack.iter().map(|&call| number(call)).collect(),
        nodes: region.nodes.len(),
        holds: region.holds.iter().map(|&node| number(node)).collect(),
    }
}

/// The counts of work that are not 0.
fn counts(stats: &Stats) -> Vec<(&'static str, u64)> {
    let all = [
        ("contexts", stats.contexts),
        ("copies", stats.copies),
        ("reused", stats.reused),
        ("rounds", stats.rounds),
        ("evaluations", stats.evaluations),
        ("edges", stats.edges),
        ("automaton states", stats.automaton_states),
        ("product nodes", stats.product_nodes),
        ("contracts", stats.contracts),
        ("nodes produced", stats.produced),
    ];
    all.into_iter().filter(|&(_, count)| count > 0).collect()
}

/// What stories are told of.
struct Subject<'a> {
    machine: &'a Machine,
    formulas: &'a Formulas,
    property: &'a Property,
    outcome: &'a Outcome,
    objects: Option<Objects<'a>>,
}

impl Subject<'_> {
    fn telling(
        &self,
        kind: &'static str,
        is_initial: bool,
        visited: &mut BTreeSet<NodeId>,
    ) -> Telling {
        let Subject { machine, formulas, property, outcome, objects } = *self;
        let root = property.said();
        let tree = root.map(|root| Tree::new(formulas, root)).unwrap_or_default();
        // Evidence about another machine or claim says nothing of this one.
        let is_plain = outcome.reduced.is_none() && is_initial && property.formula().is_some();
        let evidence = outcome.evidence.as_ref().filter(|_| is_plain);
        let labels = root.and_then(|root| Labels::new(formulas, root, &tree, evidence));
        let is_label = |id: FormulaId| is_label(property, id);
        let settled = Settled { machine, formulas, tree: &tree, is_label: &is_label, labels };
        let mut teller = Teller { settled, runs: Vec::new(), visited, objects };
        let traces = Trace::all(machine, formulas, property, outcome);
        let mut stories: Vec<(u32, StoryData)> = Vec::new();
        for (start, trace) in &traces {
            stories.push((number(*start), teller.tell(trace, *start)));
        }
        if let (true, true, Some(&start)) =
            (traces.is_empty(), is_initial, machine.initial().first())
        {
            // Without a story, what is known where the program begins, or where the claim fails.
            let culprit = outcome.culprit.as_ref().filter(|it| it.stack.is_empty());
            let start = culprit.map_or(start, |it| it.node);
            let holds = match (&outcome.verdict, culprit) {
                (Verdict::Holds, _) => Some(true),
                (Verdict::Fails, Some(_)) => {
                    root.filter(|&root| formulas.is_state_formula(root)).map(|_| false)
                }
                _ => None,
            };
            teller.stand(start, holds);
        }
        let runs = teller.runs;
        let formula = visible(&property.show(formulas).to_string()).into_owned();
        Telling { kind, formula, tree: tree.parts, stories, runs }
    }
}

/// Whether an atom is meant as a label of the machine, and not as a name of edges.
fn is_label(property: &Property, id: FormulaId) -> bool {
    match property {
        Property::Runs(runs) => runs.followed.iter().all(|it| it.atom != id),
        Property::Formula(_) | Property::Automaton(_) => true,
    }
}

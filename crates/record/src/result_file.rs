//! Reads a result file back, as far as it takes to check its evidence.
//!
//! Only the fields that are needed are looked at; others may be there or not. The evidence is not
//! taken apart here but handed on as text, so that a file with many results is never in memory
//! twice.

use crate::flaw::{Flaw, Nonsense, Step, Within, below};
use crate::path_evidence::short;
use serde::Deserialize;
use serde_json::value::RawValue;
use tern_model::{
    AutomatonProperty, BoxId, Configuration, Fairness, FormulaId, Formulas, Id, Machine, Must,
    NodeId, Pair, Side, Start,
};

/// The schema of result files.
pub const SCHEMA: &str = "tern-result/1";

/// A result file.
#[derive(Debug, Deserialize)]
pub struct ResultFile<'a> {
    /// Whether calls were taken for single steps, if the file says so.
    #[serde(default)]
    pub top_level: Option<bool>,
    /// The initial nodes, as `component.node`.
    pub initial: Vec<String>,
    /// The sizes of the machine, if they are known.
    #[serde(default)]
    pub sizes: Option<Sizes>,
    /// The results, in the order of the claims.
    #[serde(borrow)]
    pub results: Vec<ResultEntry<'a>>,
}

/// One result.
#[derive(Debug, Deserialize)]
pub struct ResultEntry<'a> {
    /// The formula.
    pub claim: String,
    /// The name given to it.
    pub name: Option<String>,
    /// The configurations it is about, if these are not the initial ones.
    #[serde(default)]
    pub start: Option<Vec<Placed>>,
    /// `holds`, `fails` or `unknown`.
    pub verdict: String,
    /// An initial node at which it fails.
    pub culprit: Option<String>,
    /// The automaton that it stands for, if it does.
    #[serde(default)]
    pub automaton: Option<AutomatonRecord>,
    /// The evidence, in JSON.
    #[serde(borrow, default)]
    pub evidence: Option<&'a RawValue>,
    /// Why, as far as runs show it, in JSON; see [`crate::told`].
    #[serde(borrow, default)]
    pub witness: Option<&'a RawValue>,
    /// A run on which the claim has something to say, in JSON.
    #[serde(borrow, default)]
    pub example: Option<&'a RawValue>,
}

impl ResultEntry<'_> {
    /// The configurations it is about. Their parts are of the machine; whether they fit together is
    /// not looked at.
    ///
    /// # Errors
    /// The first number that nothing of the machine has.
    pub fn start(&self, machine: &Machine) -> Result<Start, Flaw> {
        let Some(list) = &self.start else { return Ok(Start::Initial) };
        let read = |(i, it): (usize, &Placed)| it.configuration(machine).within(Step::Start(i));
        Ok(Start::At(list.iter().enumerate().map(read).collect::<Result<_, _>>()?))
    }
}

/// A configuration in numbers, as evidence has them.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, Deserialize)]
pub struct Placed {
    stack: Vec<u32>,
    node: u32,
}

impl Placed {
    /// A configuration as it is written.
    pub fn new(configuration: &Configuration) -> Self {
        let stack = configuration.stack.iter().map(|call| short(call.index())).collect();
        Placed { stack, node: short(configuration.node.index()) }
    }

    fn configuration(&self, machine: &Machine) -> Result<Configuration, Nonsense> {
        let call = |&call| below(call, machine.box_count(), "box").map(BoxId::new);
        let stack = self.stack.iter().map(call).collect::<Result<_, _>>()?;
        let node = NodeId::new(below(self.node, machine.node_count(), "node")?);
        Ok(Configuration { stack, node })
    }
}

/// What a result says of the automaton that runs were held against. The automaton itself is not in
/// a result.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, Deserialize)]
pub struct AutomatonRecord {
    /// What was asked of it: [`AutomatonRecord::NO_RUN`] or [`AutomatonRecord::EVERY_RUN`].
    pub accepts: String,
    /// The fairness conditions: runs count only on which each holds again and again.
    pub fair: Vec<String>,
    /// The strong fairness conditions: runs count only on which, for each pair, the second holds
    /// again and again if the first does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compassion: Vec<(String, String)>,
    /// What it reads.
    pub propositions: Vec<String>,
    /// How many states it has.
    pub states: usize,
    /// How many transitions it has.
    pub transitions: usize,
    /// How many marks it has.
    pub marks: u32,
}

impl AutomatonRecord {
    /// For [`Must::AcceptNone`].
    pub const NO_RUN: &'static str = "no run";
    /// For [`Must::AcceptAll`].
    pub const EVERY_RUN: &'static str = "every run";

    /// What is to be said of an automaton.
    pub fn new(formulas: &Formulas, property: &AutomatonProperty) -> Self {
        let AutomatonProperty { automaton, must, fair, .. } = property;
        let show =
            |ids: &[FormulaId]| ids.iter().map(|&id| formulas.show(id).to_string()).collect();
        let mut just = Vec::new();
        let mut pairs = Vec::new();
        for condition in fair {
            match condition {
                Fairness::Justice(formula) => just.push(*formula),
                Fairness::Compassion(Pair { when, then }) => {
                    let side = |side: &Side| match side {
                        Side::State(formula) => formulas.show(*formula).to_string(),
                        Side::Edges(_) => "edges".to_owned(),
                    };
                    pairs.push((side(when), side(then)));
                }
            }
        }
        let accepts = match must {
            Must::AcceptNone => AutomatonRecord::NO_RUN,
            Must::AcceptAll => AutomatonRecord::EVERY_RUN,
        };
        AutomatonRecord {
            accepts: accepts.to_owned(),
            fair: show(&just),
            compassion: pairs,
            propositions: show(&automaton.propositions),
            states: automaton.state_count(),
            transitions: automaton.transitions.iter().map(|(_, ways)| ways.len()).sum(),
            marks: automaton.mark_count,
        }
    }

    /// What is asked of the automaton, if that makes sense.
    pub fn must(&self) -> Option<Must> {
        match self.accepts.as_str() {
            AutomatonRecord::NO_RUN => Some(Must::AcceptNone),
            AutomatonRecord::EVERY_RUN => Some(Must::AcceptAll),
            _ => None,
        }
    }
}

/// How many there are of each kind of thing that evidence numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is the count of what it is named after")]
pub struct Sizes {
    pub components: usize,
    pub nodes: usize,
    pub boxes: usize,
    pub exits: usize,
    pub places: usize,
}

impl Sizes {
    /// The sizes of a machine.
    pub fn of(machine: &Machine) -> Self {
        Sizes {
            components: machine.component_count(),
            nodes: machine.node_count(),
            boxes: machine.box_count(),
            exits: machine.exit_count(),
            places: machine.place_count(),
        }
    }
}

/// Why a text is no result file.
#[derive(Debug, thiserror::Error)]
pub enum NoResultFile {
    /// It is not JSON, or a field is missing or of the wrong type.
    #[error("{0}")]
    Malformed(#[source] serde_json::Error),
    /// It is JSON with another schema, or with none.
    #[error("the schema is not \"{SCHEMA}\": {}", schema_words(.0.as_deref()))]
    Schema(Option<String>),
    /// It is about these models, and none of them is the one that was meant.
    #[error("the results are about several models, and none of them is this one")]
    Models(Vec<String>),
}

fn schema_words(found: Option<&str>) -> String {
    found.map_or("there is none".to_owned(), |schema| format!("it is {schema:?}"))
}

impl<'a> ResultFile<'a> {
    /// Reads a result file about one model.
    ///
    /// # Errors
    /// Why it is none.
    pub fn read(text: &'a str) -> Result<Self, NoResultFile> {
        head(text)?;
        serde_json::from_str(text).map_err(NoResultFile::Malformed)
    }

    /// Reads a result file, or of one about several models the part about the model of this name.
    /// If none has the name, the part about a file of the same name in another folder is meant, if
    /// there is one such.
    ///
    /// # Errors
    /// Why it is none.
    pub fn read_for(text: &'a str, model: &str) -> Result<Self, NoResultFile> {
        let Some(parts) = head(text)?.models else { return ResultFile::read(text) };
        let mut named = Vec::new();
        for part in parts {
            let name =
                serde_json::from_str::<Named>(part.get()).map_err(NoResultFile::Malformed)?;
            named.push((name.model, part.get()));
        }
        let file_name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
        let exact = named.iter().find(|(name, _)| name == model);
        let mut alike = named.iter().filter(|(name, _)| file_name(name) == file_name(model));
        let only = alike.next().filter(|_| alike.next().is_none());
        match exact.or(only) {
            Some((_, part)) => ResultFile::read(part),
            None => Err(NoResultFile::Models(named.into_iter().map(|(name, _)| name).collect())),
        }
    }
}

/// What is looked at first in a result file.
#[derive(Deserialize)]
struct Head<'a> {
    schema: Option<String>,
    /// The results on several models.
    #[serde(borrow, default)]
    models: Option<Vec<&'a RawValue>>,
}

/// What the part about a model calls it.
#[derive(Deserialize)]
struct Named {
    model: String,
}

fn head(text: &str) -> Result<Head<'_>, NoResultFile> {
    let head: Head<'_> = serde_json::from_str(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => NoResultFile::Schema(None),
        _ => NoResultFile::Malformed(error),
    })?;
    match &head.schema {
        Some(schema) if schema == SCHEMA => Ok(head),
        other => Err(NoResultFile::Schema(other.clone())),
    }
}

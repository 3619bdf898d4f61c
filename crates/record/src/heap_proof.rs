//! Proofs that claims about pointer programs hold, in result files: evidence of kind `heap-proof`.
//!
//! ```text
//! kind        "heap-proof"     version  1
//! given       the procedure, and what its parameters may be, as text
//! input       if the claim fails: the input on which no run is as it says, as in `heap-run`
//! narrow      whether callees are given only what they reach by fields that they read: then
//!             externals of heaps may lack fields; often not
//! chosen      if the claim asks for some run: the way that is taken wherever the program may go
//!             either; often none
//! nonterminals  that the grammar has not: [name, [[type, whether it may be null], …], [graph, …]],
//!             the graphs of their rules as heaps; often none
//! refinements what nonterminals are told apart into, one after the other, each a list of variants
//!             [name, nonterminal, [[rule, [variant of each hyperedge, …]], …]]; often none
//! heaps       objects (their types, from 1; 0 is null), fields [object, name, target],
//!             edges [nonterminal, [object, …]], externals, slots [slot, value]
//! components  the number of the procedure, or null for the start
//! views       for each component what lies around its heaps; none unless the claim is about all, or
//!             about objects that lie there
//! around      covers: why, for each node that calls
//! nodes       [component, place, heap]
//! exits       [component, heap]
//! lemmas      covers: why the rules that give a field at once are enough
//! markings    why an object may be anywhere in an input: heaps with the object in a slot, what
//!             lies around hyperedges [nonterminal, heap], covers for each case
//! initial     covers: for each kind of input a node
//! steps       for each node and each thing that comes of it [cover, slots that a caller needs]
//! returns     covers: for each node that calls and each exit of its callee a node
//! shapes      [node, proposition, covers]
//! ranks       rounds of measures: [node, [part, …]]
//! avoiding    nodes, and the same for the machine without them: [[node, …], ranks]; often none
//! machine     evidence that the claim holds of the machine of these nodes
//! ```
//! A cover is `[to, [[hyperedge, rule], …], [object, …]]`: a node, exit, rule or graph of a shape,
//! the hyperedges of it that are replaced, and which object each object is then.

use crate::heap_run::{HeapRun, StartValue};
use serde::{Deserialize, Serialize};

/// The kind, as evidence names it.
pub const KIND: &str = "heap-proof";

/// The version of the kind.
pub const VERSION: u32 = 1;

/// Evidence about a pointer program.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum HeapEvidence {
    /// A run on which a claim fails.
    Run(Box<HeapRun>),
    /// A proof that it holds.
    Proof(Box<HeapProof>),
}

/// A heap, and replacements in it: to what, which, and the objects.
pub type CoverFile = (usize, Vec<(usize, usize)>, Vec<usize>);

/// Why something that comes of a step is there, and the slots that a caller needs.
pub type StepFile = (CoverFile, Vec<SlotFile>);

/// A nonterminal, its tentacles, and its rules.
pub type NonterminalFile = (String, Vec<(String, bool)>, Vec<HeapFile>);

/// A variant of a nonterminal, what it is one of, and its rules: their numbers, and the variants at
/// their hyperedges.
pub type VariantFile = (String, String, Vec<(usize, Vec<String>)>);

/// What is counted at some nodes.
pub type MeasureFile = Vec<(usize, Vec<usize>)>;

/// A heap of a proof.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the table above says what each is")]
pub struct HeapFile {
    pub objects: Vec<String>,
    pub fields: Vec<(usize, String, usize)>,
    pub edges: Vec<(String, Vec<usize>)>,
    pub externals: Vec<usize>,
    pub slots: Vec<(SlotFile, HeldFile)>,
}

/// An input, as runs have it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "`heap_run` says what each is")]
pub struct InputFile {
    pub objects: Vec<String>,
    pub fields: Vec<(usize, String, Option<usize>)>,
    pub values: Vec<Option<StartValue>>,
}

/// Where an object of an input may be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the table above says what each is")]
pub struct MarkingFile {
    pub marked: Vec<HeapFile>,
    pub around: Vec<(String, HeapFile)>,
    pub covers: Vec<CoverFile>,
}

/// Who holds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SlotFile {
    /// A variable.
    Variable(usize),
    /// What is returned.
    Return,
    /// What a claim remembers.
    Ghost(usize),
}

/// What is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HeldFile {
    /// An object.
    Object(usize),
    /// A number.
    Number(i64),
    /// Anything.
    Any,
}

/// Where a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlaceFile {
    /// Before the checked procedure.
    Begin,
    /// In a procedure: block, statement, case of a switch.
    At(usize, usize, usize),
    /// Behind the checked procedure.
    End,
    /// A field of `null` was looked at.
    NullDereference,
    /// Something was thrown.
    Thrown,
    /// A field of a freed object was looked at.
    UseAfterFree,
    /// A freed object was freed.
    DoubleFree,
}

/// A proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the table above says what each is")]
pub struct HeapProof {
    pub kind: String,
    pub version: u32,
    pub given: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Box<InputFile>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub narrow: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nonterminals: Vec<NonterminalFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refinements: Vec<Vec<VariantFile>>,
    pub heaps: Vec<HeapFile>,
    pub components: Vec<Option<usize>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<HeapFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub around: Vec<CoverFile>,
    pub nodes: Vec<(usize, PlaceFile, usize)>,
    pub exits: Vec<(usize, usize)>,
    pub lemmas: Vec<CoverFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub markings: Vec<MarkingFile>,
    pub initial: Vec<CoverFile>,
    pub steps: Vec<Vec<StepFile>>,
    pub returns: Vec<CoverFile>,
    pub shapes: Vec<(usize, String, Vec<CoverFile>)>,
    pub ranks: Vec<Vec<MeasureFile>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub avoiding: Vec<(Vec<usize>, Vec<Vec<MeasureFile>>)>,
    pub machine: serde_json::Value,
}

impl HeapProof {
    /// Reads evidence of this kind.
    ///
    /// # Errors
    /// Why it is none.
    pub fn read(json: &str) -> Result<Self, String> {
        let proof: HeapProof = serde_json::from_str(json).map_err(|error| error.to_string())?;
        match (proof.kind.as_str(), proof.version) {
            (KIND, VERSION) => Ok(proof),
            (KIND, version) => Err(format!("version {version} of `{KIND}` is not known")),
            (other, _) => Err(format!("evidence of kind `{other}` is not a proof about heaps")),
        }
    }
}

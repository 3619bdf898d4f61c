//! What an engine says: a verdict, why, and at what cost.

use crate::absence::{Absence, Sought};
use crate::abstraction::Reduced;
use crate::budget::Limit;
use crate::claim::Configuration;
use crate::evidence::{Labelling, Region};
use crate::index::NodeId;
use crate::run::{Run, Story};
use crate::star_evidence::StarEvidence;
use std::fmt;
use std::sync::Arc;

/// What a run of an engine concluded. No variant means "finished without complaint".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The claim is true in every configuration it is about: in every initial one, if it does not
    /// say.
    Holds,
    /// The claim is false in some of them.
    Fails,
    /// Nothing is claimed, for this reason.
    Unknown(Gap),
}

impl Verdict {
    /// The one-word name: `holds`, `fails` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// Whether the claim holds, if that is known.
    pub fn known(&self) -> Option<bool> {
        match self {
            Verdict::Holds => Some(true),
            Verdict::Fails => Some(false),
            Verdict::Unknown(_) => None,
        }
    }
}

impl From<bool> for Verdict {
    fn from(holds: bool) -> Self {
        if holds { Verdict::Holds } else { Verdict::Fails }
    }
}

/// Why nothing is claimed; each calls for a different next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// A limit was reached: allow more, or try another engine.
    Limit(Limit),
    /// The engine cannot decide formulas like this one.
    Unsupported(String),
    /// The machine is abstract, and says too little: here, for example.
    TooCoarse(Coarse),
    /// The certifier refused the evidence, for this reason: a fault in Tern.
    Refused(String),
    /// The program, which is produced on demand, could not be produced any further, for this
    /// reason.
    Failed(String),
    /// It depends on what follows a place of which that is not known: a hole of a program that is
    /// produced on demand.
    Hole(String),
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gap::Limit(limit) => limit.fmt(f),
            Gap::Unsupported(why) => f.write_str(why),
            Gap::TooCoarse(coarse) => coarse.fmt(f),
            Gap::Refused(why) => write!(f, "the evidence was refused: {why}"),
            Gap::Failed(why) => write!(f, "the program could not be produced: {why}"),
            Gap::Hole(place) => write!(f, "it depends on what follows {place}, which is not known"),
        }
    }
}

/// Where an abstract machine says too little for a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coarse {
    /// The node, as `component.node`.
    pub place: String,
    /// What is not known there, as in "whether …".
    pub question: String,
}

impl fmt::Display for Coarse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Coarse { place, question } = self;
        write!(f, "the abstraction is too coarse: at {place} it does not say {question}")
    }
}

/// Counts of work done; the same on every machine and at every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Contexts that were built, beyond the one of each component that knows nothing.
    pub contexts: u64,
    /// Copies of components that were built: one for each component and situation of its stack
    /// (empty, or closed exits) before anything is known, and one for each context.
    pub copies: u64,
    /// How often a context was needed that was there already.
    pub reused: u64,
    /// How often contexts were refined and everything evaluated again.
    pub rounds: u64,
    /// How often the value of an operator at a place of a copy was computed.
    pub evaluations: u64,
    /// How many edges were looked at.
    pub edges: u64,
    /// States of automata that were made, or asked for.
    pub automaton_states: u64,
    /// Pairs of a place and a state of an automaton that were looked at.
    pub product_nodes: u64,
    /// Callees that were checked: one contract for each entry and state of the automaton.
    pub contracts: u64,
    /// Nodes of the program that were produced, if they are made on demand.
    pub produced: u64,
}

impl std::ops::AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        self.contexts += other.contexts;
        self.copies += other.copies;
        self.reused += other.reused;
        self.rounds += other.rounds;
        self.evaluations += other.evaluations;
        self.edges += other.edges;
        self.automaton_states += other.automaton_states;
        self.product_nodes += other.product_nodes;
        self.contracts += other.contracts;
        self.produced += other.produced;
    }
}

/// The answer to one claim.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was concluded.
    pub verdict: Verdict,
    /// The engine that concluded it.
    pub engine: &'static str,
    /// For a claim that fails: where it does, of the configurations it is about.
    pub culprit: Option<Configuration>,
    /// Something a third party can check, if it was asked for.
    pub evidence: Option<Evidence>,
    /// Why, as far as runs can show it, if that was asked for, each with the node it begins at, on
    /// the empty stack: where the claim fails, or in the first configuration it is about; in each
    /// of them if each has a run of its own.
    pub stories: Vec<(NodeId, Story)>,
    /// Where the claim holds, if that was asked for.
    pub regions: Option<Vec<Region>>,
    /// What was asked for besides the verdict, but could not be given; each thing once.
    pub missing: Vec<Missing>,
    /// If the machine is abstract: the ordinary machine and the claim that evidence and stories
    /// speak of.
    pub reduced: Option<Arc<Reduced>>,
    /// The work it took.
    pub stats: Stats,
    /// The time that the verdict took, in seconds.
    pub seconds: f64,
    /// The time that evidence, story and regions took, in seconds.
    pub explaining: f64,
}

impl From<Verdict> for Outcome {
    /// A verdict and nothing else, by nobody.
    fn from(verdict: Verdict) -> Self {
        Outcome {
            verdict,
            engine: "none",
            culprit: None,
            evidence: None,
            stories: Vec::new(),
            regions: None,
            missing: Vec::new(),
            reduced: None,
            stats: Stats::default(),
            seconds: 0.0,
            explaining: 0.0,
        }
    }
}

/// Something that could not be given, though the verdict was found; and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// [`Outcome::evidence`].
    Evidence(Gap),
    /// Some of the runs that tell why.
    Run(Gap),
    /// [`Outcome::regions`].
    Regions(Gap),
    /// An example of a claim that holds.
    Example(Gap),
    /// The parts of a claim that do not matter, or some of them.
    IdleParts(Gap),
    /// What the certifier says.
    Certification(Gap),
}

impl Missing {
    /// Why it is missing.
    pub fn why(&self) -> &Gap {
        match self {
            Missing::Evidence(why)
            | Missing::Run(why)
            | Missing::Regions(why)
            | Missing::Example(why)
            | Missing::IdleParts(why)
            | Missing::Certification(why) => why,
        }
    }

    /// What is missing, as in `no evidence`.
    pub fn what(&self) -> &'static str {
        match self {
            Missing::Evidence(_) => "evidence",
            Missing::Run(_) => "run",
            Missing::Regions(_) => "list of where it holds",
            Missing::Example(_) => "example",
            Missing::IdleParts(_) => "search for parts that do not matter",
            Missing::Certification(_) => "certification",
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {}: {}", self.what(), self.why())
    }
}

/// Something a third party can check against the machine without trusting the engine.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// The truth of every subformula in every configuration.
    Labelling(Labelling),
    /// Endless runs that have what was sought: one from an initial node, or one from each.
    Runs {
        /// The runs that were looked for.
        sought: Sought,
        /// The initial nodes, and the runs from there.
        runs: Vec<(NodeId, Run)>,
    },
    /// A proof that no run has what was sought.
    Absence {
        /// The runs that were looked for.
        sought: Sought,
        /// The initial nodes from which there is none.
        from: Vec<NodeId>,
        /// The proof.
        proof: Absence,
    },
    /// The truth of all quantified subformulas, as far as it matters.
    Star(StarEvidence),
}

//! Evidence about runs as JSON, and back. `docs/certificate.md` is its specification.
//!
//! ```text
//! {"kind": "runs", "version": 1, "formulas": ["p","F p"], "sought": -2,
//!  "runs": [{"at": 0, "moves": [[0,1],[1,4,0]], "loop": 1},
//!           {"at": 3, "moves": […], "loop": 0, "boxes": [2]}]}
//! {"kind": "absence", "version": 1, "formulas": ["p","F p"], "sought": -2, "from": [0],
//!  "promises": [2], "states": [[-2],[]], "levels": [0,null],
//!  "starts": [{"node": 0, "state": 0, "root": true, "vertices": [[0,0,0,1], …],
//!              "leaves": [[0,2,1,0]]}]}
//! ```
//! If the claim stands for an automaton, `sought` is `"accepted"` or `"not accepted"`, and there
//! are no `formulas` and `promises`; instead of `states` there are `watches` for the complement
//! (see `complement_states.rs`), and nothing else.
//!
//! Subformulas of the claim go by their position when the claim is read from the left, operands
//! first, counted from 1; with a minus sign the formula must not hold. `formulas` says the same for
//! people. Everything of the machine goes by its position in the model.

use crate::complement_states::{self, WatchFile};
use crate::flaw::{Flaw, Nonsense, Step, Within, below};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use tern_model::absence::{
    AbsenceLeave, AbsenceStart, AbsenceVertex, NarrowContract, NarrowContracts, Narrowing, Out,
    Spot, States,
};
use tern_model::{
    Absence, BoxId, Ending, Evidence, ExitId, FormulaId, Formulas, Id, Machine, Move, MoveKind,
    NodeId, Obligation, PlaceId, Run, Sought,
};

/// The version of both forms.
const VERSION: u32 = 1;

/// The longest text of a claim whose subformulas are all written out, in bytes.
const LONGEST_TEXT: usize = 1 << 12;

/// Evidence about runs, ready to be written.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum PathJson {
    Runs(RunsFile),
    Absence(AbsenceFile),
}

#[derive(Serialize, Deserialize)]
pub(crate) struct RunsFile {
    kind: String,
    version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    formulas: Option<Vec<String>>,
    sought: SoughtFile,
    runs: Vec<RunFile>,
}

/// A formula by its number, or a word about an automaton.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum SoughtFile {
    Formula(i64),
    Word(String),
}

const ACCEPTED: &str = "accepted";
const NOT_ACCEPTED: &str = "not accepted";

#[derive(Serialize, Deserialize)]
struct RunFile {
    at: u32,
    moves: Vec<Vec<u32>>,
    #[serde(rename = "loop")]
    back_to: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    boxes: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct AbsenceFile {
    kind: String,
    version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    formulas: Option<Vec<String>>,
    sought: SoughtFile,
    from: Vec<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    promises: Option<Vec<i64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    states: Option<Vec<Vec<i64>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    watches: Option<Vec<WatchFile>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pairs: Vec<i64>,
    levels: Vec<Option<u32>>,
    starts: Vec<StartFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    narrowings: Vec<NarrowingFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    contracts: Vec<ContractsFile>,
}

#[derive(Serialize, Deserialize)]
struct NarrowingFile {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    within: Option<u32>,
    level: u32,
    avoids: u64,
    /// The number of a start, a position in it, and a level.
    vertices: Vec<(u32, u32, u32)>,
    levels: Vec<Option<u32>>,
}

#[derive(Serialize, Deserialize)]
struct ContractsFile {
    avoids: u64,
    starts: Vec<ContractFile>,
}

/// The number of a start; positions of vertices, with kept promises; and the same of leaves.
type ContractFile = (u32, Vec<(u32, u64)>, Vec<(u32, u64)>);

#[derive(Serialize, Deserialize)]
struct StartFile {
    node: u32,
    state: u32,
    #[serde(default)]
    root: bool,
    /// Spot (a place; -1 for the sink; -2 - n for being stuck at node n), state, kept promises,
    /// level.
    vertices: Vec<(i64, u32, u64, u32)>,
    /// 0 and an exit, or 1 and a node that may be stuck; state, kept promises.
    leaves: Vec<(u32, u32, u32, u64)>,
}

/// How obligations are numbered.
pub(crate) struct Numbers {
    order: Vec<FormulaId>,
    position: HashMap<FormulaId, i64>,
}

impl Numbers {
    /// `None` is for a claim that is no formula, and has no subformulas.
    pub(crate) fn new(formulas: &Formulas, claim: Option<FormulaId>) -> Self {
        let order = claim.map_or_else(Vec::new, |claim| formulas.in_order(claim));
        let position = order.iter().copied().zip(1..).collect();
        Numbers { order, position }
    }

    pub(crate) fn write(&self, obligation: Obligation) -> i64 {
        let position = self.position.get(&obligation.formula).copied().unwrap_or(0);
        if obligation.holds { position } else { -position }
    }

    pub(crate) fn read(&self, number: i64) -> Result<Obligation, Nonsense> {
        let index = usize::try_from(number.unsigned_abs()).ok().and_then(|n| n.checked_sub(1));
        let formula = index.and_then(|index| self.order.get(index));
        let &formula = formula.ok_or_else(|| Nonsense::no_such("subformula", number))?;
        Ok(Obligation { formula, holds: number > 0 })
    }

    pub(crate) fn texts(&self, formulas: &Formulas) -> Vec<String> {
        // The claim itself comes last.
        let Some(&claim) = self.order.last() else { return Vec::new() };
        if formulas.show(claim).to_string().len() > LONGEST_TEXT {
            return Vec::new();
        }
        self.order.iter().map(|&id| formulas.show(id).to_string()).collect()
    }
}

pub(crate) fn short(index: usize) -> u32 {
    u32::try_from(index).expect("ids are 32 bits")
}

impl PathJson {
    /// `None` for evidence that is not about runs.
    pub(crate) fn new(
        formulas: &Formulas,
        claim: Option<FormulaId>,
        evidence: &Evidence,
    ) -> Option<Self> {
        let numbers = Numbers::new(formulas, claim);
        let about = |sought: &Sought| match *sought {
            Sought::Formula(sought) => {
                let number = SoughtFile::Formula(numbers.write(sought));
                (number, Some(numbers.texts(formulas)))
            }
            Sought::Accepted => (SoughtFile::Word(ACCEPTED.to_owned()), None),
            Sought::NotAccepted => (SoughtFile::Word(NOT_ACCEPTED.to_owned()), None),
        };
        Some(match evidence {
            Evidence::Labelling(_) | Evidence::Star(_) => return None,
            Evidence::Runs { sought, runs } => {
                let (sought, formulas) = about(sought);
                PathJson::Runs(RunsFile {
                    kind: "runs".to_owned(),
                    version: VERSION,
                    formulas,
                    sought,
                    runs: runs.iter().map(|(at, run)| write_run(*at, run)).collect(),
                })
            }
            Evidence::Absence { sought, from, proof } => {
                let set = |set: &Vec<Obligation>| set.iter().map(|&it| numbers.write(it)).collect();
                let (promises, states, watches) = match &proof.states {
                    States::Obligations { promises, sets, .. } => {
                        (Some(set(promises)), Some(sets.iter().map(set).collect()), None)
                    }
                    States::Automaton => (None, None, None),
                    States::Complement(watches) => {
                        let watches = watches.iter().map(complement_states::write).collect();
                        (None, None, Some(watches))
                    }
                };
                let pairs = match &proof.states {
                    States::Obligations { pairs, .. } => &pairs[..],
                    _ => &[],
                };
                let pair =
                    |&formula: &FormulaId| numbers.write(Obligation { formula, holds: true });
                let (sought, formulas) = about(sought);
                PathJson::Absence(AbsenceFile {
                    kind: "absence".to_owned(),
                    version: VERSION,
                    formulas,
                    sought,
                    from: from.iter().map(|node| short(node.index())).collect(),
                    promises,
                    states,
                    watches,
                    pairs: pairs.iter().map(pair).collect(),
                    levels: proof.levels.clone(),
                    starts: proof.starts.iter().map(write_start).collect(),
                    narrowings: proof.narrowings.iter().map(write_narrowing).collect(),
                    contracts: proof.contracts.iter().map(write_contracts).collect(),
                })
            }
        })
    }
}

fn write_run(at: NodeId, run: &Run) -> RunFile {
    let code = |step: &Move| {
        let node = short(step.node.index());
        match step.kind {
            MoveKind::Step => vec![0, node],
            MoveKind::Call(call) => vec![1, node, short(call.index())],
            MoveKind::Return(exit) => vec![2, node, short(exit.index())],
            MoveKind::ReturnAndCall(exit, call) => {
                vec![3, node, short(exit.index()), short(call.index())]
            }
            MoveKind::Stay => vec![4, node],
            MoveKind::Sink => vec![5, node],
        }
    };
    let (back_to, boxes) = match &run.ending {
        Ending::Done => (run.moves.len(), Vec::new()),
        Ending::Loop(begin) => (*begin, Vec::new()),
        Ending::Pump(begin, boxes) => {
            (*begin, boxes.iter().map(|call| short(call.index())).collect())
        }
    };
    RunFile { at: short(at.index()), moves: run.moves.iter().map(code).collect(), back_to, boxes }
}

fn write_start(start: &AbsenceStart) -> StartFile {
    let vertex = |vertex: &AbsenceVertex| {
        let spot = match vertex.spot {
            Spot::At(place) => i64::from(short(place.index())),
            Spot::Sink => -1,
            Spot::Halted(node) => -2 - i64::from(short(node.index())),
        };
        (spot, vertex.state, vertex.kept, vertex.level)
    };
    let leave = |leave: &AbsenceLeave| {
        let (kind, id) = match leave.out {
            Out::By(exit) => (0, exit.index()),
            Out::Stuck(node) => (1, node.index()),
        };
        (kind, short(id), leave.state, leave.kept)
    };
    StartFile {
        node: short(start.node.index()),
        state: start.state,
        root: start.root,
        vertices: start.vertices.iter().map(vertex).collect(),
        leaves: start.leaves.iter().map(leave).collect(),
    }
}

fn write_narrowing(narrowing: &Narrowing) -> NarrowingFile {
    let Narrowing { within, level, avoids, vertices, levels } = narrowing.clone();
    NarrowingFile { within, level, avoids, vertices, levels }
}

fn write_contracts(contracts: &NarrowContracts) -> ContractsFile {
    let start = |it: &NarrowContract| (it.start, it.vertices.clone(), it.leaves.clone());
    ContractsFile { avoids: contracts.avoids, starts: contracts.starts.iter().map(start).collect() }
}

fn read_narrowing(file: NarrowingFile) -> Narrowing {
    let NarrowingFile { within, level, avoids, vertices, levels } = file;
    Narrowing { within, level, avoids, vertices, levels }
}

fn read_contracts(file: ContractsFile) -> NarrowContracts {
    let start = |(start, vertices, leaves)| NarrowContract { start, vertices, leaves };
    NarrowContracts { avoids: file.avoids, starts: file.starts.into_iter().map(start).collect() }
}

/// Reads evidence about runs for a claim on a machine. What is read has sound ids and nothing more.
///
/// # Errors
/// The first thing in it that makes no sense for this machine and claim.
pub(crate) fn read_path_evidence(
    machine: &Machine,
    formulas: &Formulas,
    claim: Option<FormulaId>,
    json: &str,
) -> Result<Evidence, Flaw> {
    #[derive(Deserialize)]
    struct Head {
        kind: String,
        version: u32,
    }
    let head: Head = serde_json::from_str(json)?;
    if head.version != VERSION {
        return Err(Nonsense::Version { kind: head.kind, version: head.version }.into());
    }
    let numbers = Numbers::new(formulas, claim);
    let reading = Reading { machine, numbers };
    match head.kind.as_str() {
        "runs" => {
            let file: RunsFile = serde_json::from_str(json)?;
            let sought = reading.sought(&file.sought)?;
            let read = |(i, run)| reading.run(run).within(Step::Run(i));
            let runs = file.runs.iter().enumerate().map(read).collect::<Result<_, _>>()?;
            Ok(Evidence::Runs { sought, runs })
        }
        "absence" => {
            let mut file: AbsenceFile = serde_json::from_str(json)?;
            let sought = reading.sought(&file.sought)?;
            let from = file.from.iter().map(|&node| reading.node(node));
            let from = from.collect::<Result<_, Nonsense>>()?;
            let states = reading.states(sought, &mut file)?;
            let read = |(i, start)| reading.start(start).within(Step::Start(i));
            let starts = file.starts.iter().enumerate().map(read).collect::<Result<_, _>>()?;
            let narrowings = file.narrowings.into_iter().map(read_narrowing).collect();
            let contracts = file.contracts.into_iter().map(read_contracts).collect();
            let proof = Absence { states, levels: file.levels, starts, narrowings, contracts };
            Ok(Evidence::Absence { sought, from, proof })
        }
        kind => Err(Nonsense::Kind(kind.to_owned()).into()),
    }
}

pub(crate) struct Reading<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) numbers: Numbers,
}

impl Reading<'_> {
    pub(crate) fn id<I: Id>(index: u32, count: usize, what: &'static str) -> Result<I, Nonsense> {
        below(index, count, what).map(I::new)
    }

    pub(crate) fn node(&self, index: u32) -> Result<NodeId, Nonsense> {
        Self::id(index, self.machine.node_count(), "node")
    }

    pub(crate) fn call(&self, index: u32) -> Result<BoxId, Nonsense> {
        Self::id(index, self.machine.box_count(), "box")
    }

    pub(crate) fn exit(&self, index: u32) -> Result<ExitId, Nonsense> {
        Self::id(index, self.machine.exit_count(), "exit")
    }

    pub(crate) fn list(&self, list: &[i64]) -> Result<Vec<Obligation>, Nonsense> {
        list.iter().map(|&number| self.numbers.read(number)).collect()
    }

    pub(crate) fn set(&self, set: &[i64]) -> Result<Vec<Obligation>, Nonsense> {
        let mut set = self.list(set)?;
        // Sets are written in the order of another arena.
        set.sort_unstable();
        Ok(set)
    }

    fn sought(&self, file: &SoughtFile) -> Result<Sought, Nonsense> {
        match file {
            SoughtFile::Formula(number) => Ok(Sought::Formula(self.numbers.read(*number)?)),
            SoughtFile::Word(word) if word == ACCEPTED => Ok(Sought::Accepted),
            SoughtFile::Word(word) if word == NOT_ACCEPTED => Ok(Sought::NotAccepted),
            SoughtFile::Word(word) => Err(Nonsense::Sought(word.clone())),
        }
    }

    /// What the states of a proof are, which depends on what was sought.
    fn states(&self, sought: Sought, file: &mut AbsenceFile) -> Result<States, Flaw> {
        match sought {
            Sought::Formula(_) => {
                let promises = file.promises.as_ref().ok_or(Nonsense::Missing("promises"))?;
                let sets = file.states.as_ref().ok_or(Nonsense::Missing("states"))?;
                let set = |(i, set): (usize, &Vec<i64>)| self.set(set).within(Step::State(i));
                let sets = sets.iter().enumerate().map(set).collect::<Result<_, _>>()?;
                let pairs = self.list(&file.pairs)?.into_iter();
                let pairs = pairs.map(|it| match it.holds {
                    true => Ok(it.formula),
                    false => Err(Nonsense::no_such("pair", self.numbers.write(it))),
                });
                let pairs = pairs.collect::<Result<_, _>>()?;
                Ok(States::Obligations { promises: self.list(promises)?, sets, pairs })
            }
            Sought::Accepted => Ok(States::Automaton),
            Sought::NotAccepted => {
                let watches = file.watches.take().ok_or(Nonsense::Missing("watches"))?;
                let read = |(i, watch)| complement_states::read(watch).within(Step::State(i));
                let watches = watches.into_iter().enumerate().map(read);
                Ok(States::Complement(watches.collect::<Result<_, _>>()?))
            }
        }
    }

    fn run(&self, file: &RunFile) -> Result<(NodeId, Run), Flaw> {
        let read = |step: &Vec<u32>| {
            let (kind, node) = match step[..] {
                [0, node] => (MoveKind::Step, node),
                [1, node, call] => (MoveKind::Call(self.call(call)?), node),
                [2, node, exit] => (MoveKind::Return(self.exit(exit)?), node),
                [3, node, exit, call] => {
                    (MoveKind::ReturnAndCall(self.exit(exit)?, self.call(call)?), node)
                }
                [4, node] => (MoveKind::Stay, node),
                [5, node] => (MoveKind::Sink, node),
                _ => return Err(Nonsense::NotOne { what: "move", numbers: step.clone() }),
            };
            Ok(Move { kind, node: self.node(node)? })
        };
        let numbered = |(i, step)| read(step).within(Step::Move(i));
        let moves = file.moves.iter().enumerate().map(numbered).collect::<Result<Vec<_>, _>>()?;
        let boxes: Vec<BoxId> =
            file.boxes.iter().map(|&call| self.call(call)).collect::<Result<_, Nonsense>>()?;
        let ending = if boxes.is_empty() {
            Ending::Loop(file.back_to)
        } else {
            Ending::Pump(file.back_to, boxes)
        };
        Ok((self.node(file.at)?, Run { moves, ending }))
    }

    fn start(&self, file: &StartFile) -> Result<AbsenceStart, Flaw> {
        let vertex = |&(spot, state, kept, level): &(i64, u32, u64, u32)| {
            let spot = match u32::try_from(spot) {
                Ok(place) => {
                    Spot::At(Self::id::<PlaceId>(place, self.machine.place_count(), "place")?)
                }
                Err(_) if spot == -1 => Spot::Sink,
                Err(_) => {
                    let node = spot.checked_neg().and_then(|n| u32::try_from(n - 2).ok());
                    let node = node.ok_or_else(|| Nonsense::no_such("spot", spot))?;
                    Spot::Halted(self.node(node)?)
                }
            };
            Ok(AbsenceVertex { spot, state, kept, level })
        };
        let leave = |&(kind, id, state, kept): &(u32, u32, u32, u64)| {
            let out = match kind {
                0 => Out::By(self.exit(id)?),
                1 => Out::Stuck(self.node(id)?),
                _ => return Err(Nonsense::no_such("way out of kind", kind)),
            };
            Ok(AbsenceLeave { out, state, kept })
        };
        Ok(AbsenceStart {
            node: self.node(file.node)?,
            state: file.state,
            root: file.root,
            vertices: file.vertices.iter().map(vertex).collect::<Result<_, Nonsense>>()?,
            leaves: file.leaves.iter().map(leave).collect::<Result<_, Nonsense>>()?,
        })
    }
}

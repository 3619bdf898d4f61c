//! Results on integer programs, schema `tern-integers/1`, and their evidence, both directions.
//! `docs/integers.md` has the fields of the file, `docs/certificate.md` those of evidence.
//!
//! ```text
//! {"kind": "cells", "version": 1, "program": [["atom","x > 0"], ["not",0], …], "root": 3, "variables": ["x","n"],
//!  "invariants": [[row, …] or null, …], "begun": [kept, …], "kept": [kept or null, …], "trees": [[row or null, …], …],
//!  "starts": [walk, …], "steps": [[cell, [walk, …]], …], "live": layer or null, "layers": [layer, …], "start": … or null}
//! ```
//! A row or sum is its constant, then columns with factors: `[-1, 0, 2]` is `2*x - 1`, or that it
//! is not negative. Variables are counted from 0, auxiliaries of edges from -1 downwards. Numbers
//! beyond 64 bits are written as text.
//!
//! A refutation is a list in preorder: rows with factors `[row, factor, …]` for a sum, and
//! `[-1, …]` for a split, with the row behind. Where a list may be cut off or go on, `null` is to
//! go on: nodes of a tree that are leaves, parts of a walk, paths.

mod states;

use crate::flaw::{Flaw, Nonsense};
use crate::labelling::Terms;
use crate::labelling_reader::{Word, program};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
pub use states::{ListedStates, read_states, write_states};
use std::collections::BTreeMap;
use std::fmt;
use tern_ir::flow::{Affine, Column, EdgeId, Flow, Row};
use tern_ir::proof::{
    Branch, CallProof, Group, Kept, KnownProof, Layer, Path, Progress, Proof, Reason, Refutation,
    Start, Walk, Way,
};
use tern_ir::summary::{Class, Known, Regions};
use tern_model::{FormulaId, Formulas, Id};

/// The schema of results on integer programs.
pub const SCHEMA: &str = "tern-integers/1";

/// The kind of evidence.
const KIND: &str = "cells";

/// The version of its form.
const VERSION: u32 = 1;

/// A result file on an integer program, as far as it takes to check its evidence.
#[derive(Debug, Deserialize)]
pub struct IntegerFile<'a> {
    /// Which schema it has.
    pub schema: String,
    /// What is true of the initial states.
    pub given: Vec<String>,
    /// What globals begin with.
    pub globals: String,
    /// What becomes of runs through a false assertion.
    pub assert: String,
    /// How many bits integers have, if they are not mathematical.
    #[serde(default)]
    pub int: Option<u32>,
    /// How many bits `long` has, if integers are not mathematical.
    #[serde(default)]
    pub long: Option<u32>,
    /// The results, in the order of the claims.
    #[serde(borrow)]
    pub results: Vec<IntegerResult<'a>>,
}

/// One result.
#[derive(Debug, Deserialize)]
pub struct IntegerResult<'a> {
    /// The formula.
    pub claim: String,
    /// The name given to it.
    pub name: Option<String>,
    /// `holds`, `fails` or `unknown`.
    pub verdict: String,
    /// The initial state that people are shown of a claim that fails.
    #[serde(default)]
    pub start: Option<ShownStart>,
    /// The evidence, in JSON.
    #[serde(borrow, default)]
    pub evidence: Option<&'a RawValue>,
}

/// An initial state as it is shown: the values of variables, as text.
#[derive(Clone, Debug, Deserialize)]
pub struct ShownStart {
    /// By the names of the variables.
    pub values: BTreeMap<String, String>,
}

/// A number of up to 128 bits.
#[derive(Clone, Copy, Debug)]
struct Number(i128);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(self.0) {
            Ok(number) => serializer.serialize_i64(number),
            Err(_) => serializer.collect_str(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number of up to 128 bits")
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Number, E> {
                Ok(Number(number.into()))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Number, E> {
                Ok(Number(number.into()))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Number, E> {
                let number = text.parse().map(Number);
                number.map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

type RowFile = Vec<Number>;
type RefutationFile = Vec<Vec<Number>>;
type WalkFile = Vec<Option<RefutationFile>>;
type TreeFile = Vec<Option<RowFile>>;
type WaysFile = Vec<(u32, Option<TakeFile>)>;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum KeptFile {
    Dead(RefutationFile),
    Rows(Vec<RefutationFile>),
}

#[derive(Serialize, Deserialize)]
struct TakeFile {
    edge: u32,
    choices: Vec<(u32, RowFile)>,
    guard: Vec<RefutationFile>,
    walk: WalkFile,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PathFile {
    Dead(RefutationFile),
    Falls(u32, Vec<RefutationFile>),
    Waits(Vec<RefutationFile>),
}

#[derive(Serialize, Deserialize)]
struct GroupFile {
    level: u32,
    order: Vec<(u32, u32)>,
    ranks: Vec<Vec<(u32, RowFile)>>,
    paths: Vec<Option<PathFile>>,
}

#[derive(Serialize, Deserialize)]
struct ProgressFile {
    levels: Vec<(u32, u32)>,
    groups: Vec<GroupFile>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LayerFile {
    Plain,
    Rows {
        proved: Vec<(u32, u32, Vec<RefutationFile>)>,
        refuted: Vec<(u32, Vec<(u32, RefutationFile)>)>,
    },
    Next {
        proved: WaysFile,
        refuted: Vec<u32>,
    },
    Until {
        proved: ProgressFile,
        ways: WaysFile,
        refuted: Vec<u32>,
    },
    Always {
        proved: WaysFile,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<ProgressFile>,
        refuted: ProgressFile,
    },
}

#[derive(Serialize, Deserialize)]
struct StartFile {
    start: u32,
    variables: Vec<Number>,
    auxiliaries: Vec<Number>,
    cell: u32,
    reasons: Vec<RefutationFile>,
}

#[derive(Serialize, Deserialize)]
struct Body {
    invariants: Vec<Option<Vec<RowFile>>>,
    begun: Vec<KeptFile>,
    kept: Vec<Option<KeptFile>>,
    trees: Vec<TreeFile>,
    starts: Vec<WalkFile>,
    steps: Vec<(u32, Vec<WalkFile>)>,
    live: Option<LayerFile>,
    layers: Vec<LayerFile>,
    start: Option<StartFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    calls: Option<Box<CallsFile>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    descended: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    runs: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    followed: Vec<(u32, Number)>,
}

#[derive(Serialize, Deserialize)]
struct CallsFile {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unfolded: bool,
    known: Vec<KnownFile>,
    regions: Vec<RegionsFile>,
    inside: Vec<InsideFile>,
}

#[derive(Serialize, Deserialize)]
struct KnownFile {
    trees: Vec<TreeFile>,
    exits: Vec<Option<Vec<RowFile>>>,
    left: Vec<Vec<RefutationFile>>,
    proof: Body,
}

#[derive(Serialize, Deserialize)]
struct RegionsFile {
    known: u32,
    tree: TreeFile,
    classes: Vec<ClassFile>,
}

#[derive(Serialize, Deserialize)]
struct InsideFile {
    rows: Vec<RowFile>,
    reasons: Vec<Vec<RefutationFile>>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ClassFile {
    Ends,
    Never,
    Stays,
    Unknown,
}

/// The kinds of calls, with their words.
const CLASSES: [(ClassFile, Class); 4] = [
    (ClassFile::Ends, Class::Ends),
    (ClassFile::Never, Class::Never),
    (ClassFile::Stays, Class::Stays),
    (ClassFile::Unknown, Class::Unknown),
];

#[derive(Serialize)]
struct Written<'a> {
    kind: &'static str,
    version: u32,
    program: Terms<'a>,
    root: usize,
    variables: &'a [String],
    #[serde(flatten)]
    body: Body,
}

/// A proof as JSON.
///
/// # Errors
/// Never in practice: all keys are text.
pub fn write_proof(
    flow: &Flow,
    formulas: &Formulas,
    proof: &Proof,
) -> serde_json::Result<serde_json::Value> {
    let graph = proof.graph(flow);
    serde_json::to_value(Written {
        kind: KIND,
        version: VERSION,
        program: Terms { formulas, program: &proof.claim },
        root: proof.claim.root.index(),
        variables: &graph.as_ref().unwrap_or(flow).variables,
        body: Body::new(proof),
    })
}

/// Reads a proof for a claim. What is read has the right form and nothing more.
///
/// # Errors
/// The first thing in it that makes no sense.
pub fn read_proof(formulas: &Formulas, claim: FormulaId, json: &str) -> Result<Proof, Flaw> {
    #[derive(Deserialize)]
    struct Head {
        kind: String,
        version: u32,
    }
    #[derive(Deserialize)]
    struct Terms {
        program: Vec<Vec<Word>>,
        root: u32,
    }
    let head: Head = serde_json::from_str(json)?;
    if head.kind != KIND {
        return Err(Nonsense::Kind(head.kind).into());
    }
    if head.version != VERSION {
        return Err(Nonsense::Version { kind: head.kind, version: head.version }.into());
    }
    let terms: Terms = serde_json::from_str(json)?;
    let claim = program(formulas, claim, &terms.program, terms.root)?;
    let body: Body = serde_json::from_str(json)?;
    Ok(body.read(claim)?)
}

fn write_all<T, F>(list: &[T], write: impl Fn(&T) -> F) -> Vec<F> {
    list.iter().map(write).collect()
}

fn write_sum(sum: &Affine) -> RowFile {
    let column = |column: Column| match (column.as_variable(), column.as_auxiliary()) {
        (Some(variable), _) => variable as i128,
        (_, auxiliary) => -1 - auxiliary.unwrap_or(0) as i128,
    };
    let terms = sum.terms.iter().flat_map(|&(it, factor)| [Number(column(it)), Number(factor)]);
    std::iter::once(Number(sum.constant)).chain(terms).collect()
}

fn write_row(row: &Row) -> RowFile {
    write_sum(row.affine())
}

fn write_refutation(refutation: &Refutation) -> RefutationFile {
    write_all(refutation, |reason| match reason {
        Reason::Sum(sum) => {
            let pair = |&(row, factor): &(u32, i128)| [Number(row.into()), Number(factor)];
            sum.iter().flat_map(pair).collect()
        }
        Reason::Split(row) => std::iter::once(Number(-1)).chain(write_row(row)).collect(),
    })
}

fn write_walk(walk: &[Walk]) -> WalkFile {
    write_all(walk, |part| match part {
        Walk::On => None,
        Walk::Dead(reasons) => Some(write_refutation(reasons)),
    })
}

fn write_kept(kept: &Kept) -> KeptFile {
    match kept {
        Kept::Dead(reasons) => KeptFile::Dead(write_refutation(reasons)),
        Kept::Rows(rows) => KeptFile::Rows(write_all(rows, write_refutation)),
    }
}

fn write_ways(ways: &[(u32, Way)]) -> WaysFile {
    write_all(ways, |(cell, way)| {
        let take = match way {
            Way::All => None,
            Way::Take { edge, choices, guard, walk } => Some(TakeFile {
                edge: edge.index() as u32,
                choices: write_all(choices, |(number, value)| (*number, write_sum(value))),
                guard: write_all(guard, write_refutation),
                walk: write_walk(walk),
            }),
        };
        (*cell, take)
    })
}

fn write_progress(progress: &Progress) -> ProgressFile {
    let group = |group: &Group| GroupFile {
        level: group.level,
        order: group.order.clone(),
        ranks: write_all(&group.ranks, |rank| {
            write_all(rank, |(cell, rank)| (*cell, write_sum(rank)))
        }),
        paths: write_all(&group.paths, |path| match path {
            Path::On => None,
            Path::Dead(reasons) => Some(PathFile::Dead(write_refutation(reasons))),
            Path::Falls(rank, reasons) => {
                Some(PathFile::Falls(*rank, write_all(reasons, write_refutation)))
            }
            Path::Waits(reasons) => Some(PathFile::Waits(write_all(reasons, write_refutation))),
        }),
    };
    ProgressFile { levels: progress.levels.clone(), groups: write_all(&progress.groups, group) }
}

fn write_layer(layer: &Layer) -> LayerFile {
    match layer {
        Layer::Plain => LayerFile::Plain,
        Layer::Rows { proved, refuted } => LayerFile::Rows {
            proved: write_all(proved, |(cell, list, reasons)| {
                (*cell, *list, write_all(reasons, write_refutation))
            }),
            refuted: write_all(refuted, |(cell, rows)| {
                (*cell, write_all(rows, |(row, reasons)| (*row, write_refutation(reasons))))
            }),
        },
        Layer::Next { proved, refuted } => {
            LayerFile::Next { proved: write_ways(proved), refuted: refuted.clone() }
        }
        Layer::Until { proved, ways, refuted } => LayerFile::Until {
            proved: write_progress(proved),
            ways: write_ways(ways),
            refuted: refuted.clone(),
        },
        Layer::Always { proved, again, refuted } => LayerFile::Always {
            proved: write_ways(proved),
            again: (*again != Progress::default()).then(|| write_progress(again)),
            refuted: write_progress(refuted),
        },
    }
}

impl Body {
    fn new(proof: &Proof) -> Body {
        let numbers = |values: &[i128]| write_all(values, |&value| Number(value));
        Body {
            invariants: write_all(&proof.invariants, |rows| {
                rows.as_ref().map(|rows| write_all(rows, write_row))
            }),
            begun: write_all(&proof.begun, write_kept),
            kept: write_all(&proof.kept, |kept| kept.as_ref().map(write_kept)),
            trees: write_all(&proof.trees, |tree| write_tree(tree)),
            starts: write_all(&proof.starts, |walk| write_walk(walk)),
            steps: write_all(&proof.steps, |(cell, walks)| {
                (*cell, write_all(walks, |walk| write_walk(walk)))
            }),
            live: proof.live.as_ref().map(write_layer),
            layers: write_all(&proof.layers, write_layer),
            start: proof.start.as_ref().map(|start| StartFile {
                start: start.start,
                variables: numbers(&start.variables),
                auxiliaries: numbers(&start.auxiliaries),
                cell: start.cell,
                reasons: write_all(&start.reasons, write_refutation),
            }),
            calls: proof.calls.as_ref().map(|calls| Box::new(write_calls(calls))),
            descended: proof.descended,
            runs: proof.runs,
            followed: write_all(&proof.followed, |&(variable, by)| (variable, Number(by))),
        }
    }
}

fn write_tree(tree: &[Branch]) -> TreeFile {
    write_all(tree, |branch| match branch {
        Branch::Split(row) => Some(write_row(row)),
        Branch::Leaf => None,
    })
}

fn write_calls(calls: &CallProof) -> CallsFile {
    let CallProof { unfolded, summaries, known, inside } = calls;
    let both = |(known, proof): (&Known, &KnownProof)| KnownFile {
        trees: write_all(&known.trees, |tree| write_tree(tree)),
        exits: write_all(&known.exits, |exit| exit.as_ref().map(|it| write_all(it, write_row))),
        left: write_all(&proof.left, |reasons| write_all(reasons, write_refutation)),
        proof: Body::new(&proof.proof),
    };
    let class = |class: &Class| {
        let known = CLASSES.iter().find(|it| it.1 == *class);
        known.map_or(ClassFile::Unknown, |it| it.0)
    };
    let meanwhile = |(rows, points): (&Vec<Row>, &Vec<Vec<Refutation>>)| InsideFile {
        rows: write_all(rows, write_row),
        reasons: write_all(points, |reasons| write_all(reasons, write_refutation)),
    };
    CallsFile {
        unfolded: *unfolded,
        known: summaries.known.iter().zip(known).map(both).collect(),
        regions: write_all(&summaries.regions, |regions| RegionsFile {
            known: regions.known,
            tree: write_tree(&regions.tree),
            classes: write_all(&regions.classes, class),
        }),
        inside: summaries.inside.iter().zip(inside).map(meanwhile).collect(),
    }
}

type Read<T> = Result<T, Nonsense>;

fn read_all<F, T>(list: Vec<F>, read: impl Fn(F) -> Read<T>) -> Read<Vec<T>> {
    list.into_iter().map(read).collect()
}

fn read_sum(numbers: &[Number]) -> Read<Affine> {
    const MOST: i128 = 1 << 24;
    let Some((constant, terms)) = numbers.split_first() else {
        return Err(Nonsense::Missing("constant"));
    };
    let (terms, []) = terms.as_chunks::<2>() else { return Err(Nonsense::HalfAPair("row")) };
    let term = |&[column, factor]: &[Number; 2]| match column.0 {
        variable @ 0..MOST => Ok((Column::variable(variable as usize), factor.0)),
        other if (-MOST..0).contains(&other) => {
            Ok((Column::auxiliary((-1 - other) as usize), factor.0))
        }
        other => Err(Nonsense::no_such("column", i64::try_from(other).unwrap_or(i64::MAX))),
    };
    let terms = terms.iter().map(term).collect::<Read<_>>()?;
    Ok(Affine { terms, constant: constant.0 })
}

fn read_row(numbers: &[Number]) -> Read<Row> {
    read_sum(numbers).map(Row::at_least_zero)
}

fn read_refutation(file: RefutationFile) -> Read<Refutation> {
    read_all(file, |numbers| {
        if let Some((Number(-1), row)) = numbers.split_first() {
            return read_row(row).map(Reason::Split);
        }
        let (pairs, []) = numbers.as_chunks::<2>() else {
            return Err(Nonsense::HalfAPair("sum"));
        };
        let pair = |&[row, factor]: &[Number; 2]| match u32::try_from(row.0) {
            Ok(row) => Ok((row, factor.0)),
            Err(_) => Err(Nonsense::no_such("row", -1)),
        };
        pairs.iter().map(pair).collect::<Read<_>>().map(Reason::Sum)
    })
}

fn read_walk(file: WalkFile) -> Read<Vec<Walk>> {
    read_all(file, |part| match part {
        None => Ok(Walk::On),
        Some(reasons) => read_refutation(reasons).map(Walk::Dead),
    })
}

fn read_kept(file: KeptFile) -> Read<Kept> {
    match file {
        KeptFile::Dead(reasons) => read_refutation(reasons).map(Kept::Dead),
        KeptFile::Rows(rows) => read_all(rows, read_refutation).map(Kept::Rows),
    }
}

fn read_ways(file: WaysFile) -> Read<Vec<(u32, Way)>> {
    read_all(file, |(cell, take)| {
        let Some(TakeFile { edge, choices, guard, walk }) = take else {
            return Ok((cell, Way::All));
        };
        if edge >= 1 << 24 {
            return Err(Nonsense::no_such("edge", edge));
        }
        let way = Way::Take {
            edge: EdgeId::new(edge as usize),
            choices: read_all(choices, |(number, value)| Ok((number, read_sum(&value)?)))?,
            guard: read_all(guard, read_refutation)?,
            walk: read_walk(walk)?,
        };
        Ok((cell, way))
    })
}

fn read_progress(file: ProgressFile) -> Read<Progress> {
    let group = |file: GroupFile| -> Read<Group> {
        Ok(Group {
            level: file.level,
            order: file.order,
            ranks: read_all(file.ranks, |rank| {
                read_all(rank, |(cell, rank)| Ok((cell, read_sum(&rank)?)))
            })?,
            paths: read_all(file.paths, |path| match path {
                None => Ok(Path::On),
                Some(PathFile::Dead(reasons)) => read_refutation(reasons).map(Path::Dead),
                Some(PathFile::Falls(rank, reasons)) => {
                    Ok(Path::Falls(rank, read_all(reasons, read_refutation)?))
                }
                Some(PathFile::Waits(reasons)) => {
                    read_all(reasons, read_refutation).map(Path::Waits)
                }
            })?,
        })
    };
    Ok(Progress { levels: file.levels, groups: read_all(file.groups, group)? })
}

fn read_layer(file: LayerFile) -> Read<Layer> {
    Ok(match file {
        LayerFile::Plain => Layer::Plain,
        LayerFile::Rows { proved, refuted } => Layer::Rows {
            proved: read_all(proved, |(cell, list, reasons)| {
                Ok((cell, list, read_all(reasons, read_refutation)?))
            })?,
            refuted: read_all(refuted, |(cell, rows)| {
                let one = |(row, reasons)| Ok((row, read_refutation(reasons)?));
                Ok((cell, read_all(rows, one)?))
            })?,
        },
        LayerFile::Next { proved, refuted } => Layer::Next { proved: read_ways(proved)?, refuted },
        LayerFile::Until { proved, ways, refuted } => {
            Layer::Until { proved: read_progress(proved)?, ways: read_ways(ways)?, refuted }
        }
        LayerFile::Always { proved, again, refuted } => Layer::Always {
            proved: read_ways(proved)?,
            again: again.map(read_progress).transpose()?.unwrap_or_default(),
            refuted: read_progress(refuted)?,
        },
    })
}

impl Body {
    fn read(self, claim: tern_model::logic::ctl::Program) -> Read<Proof> {
        let rows = |rows: Vec<RowFile>| read_all(rows, |row| read_row(&row));
        let numbers = |numbers: Vec<Number>| numbers.into_iter().map(|it| it.0).collect();
        let start = |file: StartFile| -> Read<Start> {
            Ok(Start {
                start: file.start,
                variables: numbers(file.variables),
                auxiliaries: numbers(file.auxiliaries),
                cell: file.cell,
                reasons: read_all(file.reasons, read_refutation)?,
            })
        };
        Ok(Proof {
            claim,
            invariants: read_all(self.invariants, |it| it.map(rows).transpose())?,
            begun: read_all(self.begun, read_kept)?,
            kept: read_all(self.kept, |kept| kept.map(read_kept).transpose())?,
            trees: read_all(self.trees, read_tree)?,
            starts: read_all(self.starts, read_walk)?,
            steps: read_all(self.steps, |(cell, walks)| Ok((cell, read_all(walks, read_walk)?)))?,
            live: self.live.map(read_layer).transpose()?,
            layers: read_all(self.layers, read_layer)?,
            start: self.start.map(start).transpose()?,
            calls: self.calls.map(|calls| read_calls(*calls).map(Box::new)).transpose()?,
            descended: self.descended,
            runs: self.runs,
            followed: self.followed.into_iter().map(|(variable, by)| (variable, by.0)).collect(),
        })
    }
}

fn read_tree(file: TreeFile) -> Read<Vec<Branch>> {
    read_all(file, |branch| match branch {
        None => Ok(Branch::Leaf),
        Some(row) => read_row(&row).map(Branch::Split),
    })
}

fn read_calls(file: CallsFile) -> Read<CallProof> {
    let rows = |rows: Vec<RowFile>| read_all(rows, |row| read_row(&row));
    // All proofs about descents are of one claim.
    let (formulas, root, _) = tern_ir::summary::claim();
    let claim = tern_model::logic::ctl::lower(&formulas, root);
    let claim = claim.map_err(|_| Nonsense::Missing("claim"))?;
    let (summaries, known, inside) = Default::default();
    let mut calls = CallProof { unfolded: file.unfolded, summaries, known, inside };
    for file in file.known {
        calls.summaries.known.push(Known {
            trees: read_all(file.trees, read_tree)?,
            exits: read_all(file.exits, |exit| exit.map(rows).transpose())?,
        });
        calls.known.push(KnownProof {
            left: read_all(file.left, |reasons| read_all(reasons, read_refutation))?,
            proof: file.proof.read(claim.clone())?,
        });
    }
    for RegionsFile { known, tree, classes } in file.regions {
        let class = |of: ClassFile| CLASSES.iter().find(|it| it.0 as usize == of as usize);
        let classes = classes.into_iter().filter_map(class).map(|it| it.1).collect();
        calls.summaries.regions.push(Regions { known, tree: read_tree(tree)?, classes });
    }
    for InsideFile { rows: about, reasons } in file.inside {
        calls.summaries.inside.push(rows(about)?);
        let of_point = |reasons| read_all(reasons, read_refutation);
        calls.inside.push(read_all(reasons, of_point)?);
    }
    Ok(calls)
}

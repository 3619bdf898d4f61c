//! Reads runs back from a result file: names become moves of a machine again, one after the other.
//!
//! Nothing is taken for granted: every move must be one that the machine can make where it is made.

use serde::Deserialize;
use tern_model::moves::moves;
use tern_model::{Configuration, Machine, Move, MoveKind};

/// A story as it is written in a result file, as far as it takes to find its runs.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Story {
    from: Option<String>,
    moves: Vec<ToldMove>,
    operands: Vec<Story>,
    asides: Vec<Aside>,
    ending: Ending,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Aside {
    at: usize,
    why: Story,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Ending {
    kind: String,
}

impl Story {
    /// The first story with a move that this one comes to in the same configuration, and where it
    /// begins, if that is said.
    fn first<'s>(&'s self, from: Option<&'s str>) -> Option<(&'s Story, Option<&'s str>)> {
        let mut waiting = vec![(self, from)];
        while let Some((story, from)) = waiting.pop() {
            let from = story.from.as_deref().or(from);
            if !story.moves.is_empty() {
                return Some((story, from));
            }
            waiting.extend(story.asides.iter().rev().map(|aside| (&aside.why, from)));
            waiting.extend(story.operands.iter().rev().map(|story| (story, from)));
        }
        None
    }

    /// The first run that goes on from the end of this one, if that is an end.
    fn onward(&self) -> Option<&Story> {
        let mut at_end = self.asides.iter().filter(|aside| aside.at == self.moves.len());
        let is_end = self.ending.kind == "done";
        at_end.find_map(|aside| aside.why.first(None)).map(|(story, _)| story).filter(|_| is_end)
    }
}

/// A move in names.
#[derive(Debug, Deserialize)]
struct ToldMove {
    kind: String,
    node: Option<String>,
    #[serde(rename = "box")]
    call: Option<String>,
    exit: Option<String>,
}

/// Why there is no run of a machine in a story.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRun {
    /// It is no story.
    #[error("{0}")]
    Malformed(String),
    /// It begins at a node that is not there.
    #[error("it begins at `{0}`, which is no node here")]
    Start(String),
    /// The machine does not do this, counted from 1.
    #[error("move {0} of its run cannot be made here")]
    Move(usize),
}

/// The first run with a move that a story comes to, and those that go on from its end: where it
/// begins, and the moves.
///
/// # Errors
/// If the story is none, or its run none of the machine.
pub fn first_run(
    machine: &Machine,
    json: &str,
) -> Result<Option<(Configuration, Vec<Move>)>, NoRun> {
    let story: Story =
        serde_json::from_str(json).map_err(|error| NoRun::Malformed(error.to_string()))?;
    let Some((first, Some(from))) = story.first(None) else { return Ok(None) };
    let mut told: Vec<&ToldMove> = Vec::new();
    let mut next = Some(first);
    while let Some(run) = next {
        told.extend(&run.moves);
        next = run.onward();
    }
    replay(machine, from, &told).map(Some)
}

/// Makes moves that are given by names.
fn replay(
    machine: &Machine,
    from: &str,
    told: &[&ToldMove],
) -> Result<(Configuration, Vec<Move>), NoRun> {
    let initial = machine.initial().iter().copied();
    let start = initial.chain(machine.nodes()).find(|&node| machine.node_path(node) == from);
    let start: Configuration = start.ok_or_else(|| NoRun::Start(from.to_owned()))?.into();
    let mut here = start.clone();
    let mut is_in_sink = false;
    let mut made = Vec::with_capacity(told.len());
    for (i, wanted) in told.iter().enumerate() {
        let next = match is_in_sink {
            true => Some(Move { kind: MoveKind::Stay, node: here.node })
                .filter(|_| wanted.kind == "stay"),
            false => {
                moves(machine, &here).into_iter().find(|&step| is_meant(machine, wanted, step))
            }
        };
        let next = next.ok_or(NoRun::Move(i + 1))?;
        is_in_sink |= next.kind == MoveKind::Sink;
        here.advance(next);
        made.push(next);
    }
    Ok((start, made))
}

/// Whether a move is the one that is told of.
fn is_meant(machine: &Machine, wanted: &ToldMove, step: Move) -> bool {
    let (kind, exit) = match step.kind {
        MoveKind::Step => ("step", None),
        MoveKind::Call(_) => ("call", None),
        MoveKind::Return(exit) => ("return", Some(exit)),
        MoveKind::ReturnAndCall(exit, _) => ("return-and-call", Some(exit)),
        MoveKind::Stay => ("stay", None),
        MoveKind::Sink => ("sink", None),
    };
    let node = (step.kind != MoveKind::Sink).then(|| machine.node_path(step.node));
    kind == wanted.kind
        && node == wanted.node
        && step.kind.calls().map(|call| machine.box_path(call)) == wanted.call
        && exit.map(|exit| machine.exit_name(exit)) == wanted.exit.as_deref()
}

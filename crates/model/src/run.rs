//! Runs: paths through the call stack that show why a formula holds or fails.
//!
//! A [`Run`] begins in a configuration and makes one [`Move`] after another. It ends in a configuration
//! that settles the matter, or goes on for ever: round a loop that comes back to the same configuration,
//! or by *pumping*: it comes back to the same node with a stack that has grown by some boxes, and does
//! the same again on top of them, for ever.
//!
//! A [`Story`] says why something has its value in a configuration: as a run where the value is due to a
//! path, and otherwise by the stories of its operands; what is true of *all* paths no run can show, and
//! there the evidence has to be taken. Stories are told of the terms of a claim in CTL, and of the
//! formulas of a claim in CTL*.

use crate::index::{BoxId, ExitId, NodeId, TermId};

/// Why something has its value in a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story<T = TermId> {
    /// What it is told of: a term of the labelling's program, or a formula.
    pub of: T,
    /// Its value.
    pub holds: bool,
    /// The reason.
    pub reason: Reason<T>,
}

/// What a value is due to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason<T = TermId> {
    /// The labels of the node.
    Labels,
    /// The values of these operands, in the same configuration.
    Operands(Vec<Story<T>>),
    /// A run from the configuration; `E` is true because of it, or `A` false.
    Run(Told<T>),
    /// No run can show it: `E` is false, or `A` true, on all paths. The evidence proves it.
    AllPaths,
    /// It was not told: the run has more moves than were allowed, or the story more parts.
    TooLong,
}

/// A run, and what matters of the configurations that it passes, which are counted from 0, the one it begins in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told<T = TermId> {
    /// The run. If it ends, it does not matter how it goes on.
    pub run: Run,
    /// For quantified formulas inside: whether they hold, in one configuration after the other. Of an endless run,
    /// the configuration after its last move is the one that it goes on from, and is not among these.
    pub values: Vec<(T, Vec<bool>)>,
    /// Why something has the value that matters in a configuration. For `EX` and `EU` that is their operand, in the
    /// last one.
    pub asides: Vec<(usize, Story<T>)>,
}

impl<T> From<Run> for Told<T> {
    /// A run that shows everything by itself.
    fn from(run: Run) -> Self {
        Told { run, values: Vec::new(), asides: Vec::new() }
    }
}

/// A path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The moves, in order. The configuration from which the run begins is not among them.
    pub moves: Vec<Move>,
    /// How it goes on after the last move.
    pub ending: Ending,
}

/// One move of a run, to `node`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// How the stack changes.
    pub kind: MoveKind,
    /// The node that is reached; for [`MoveKind::Sink`], the node that was left.
    pub node: NodeId,
}

/// How the stack changes in a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// A step within the component.
    Step,
    /// Into the callee of a box.
    Call(BoxId),
    /// Out by an exit, and on by a step from the return site.
    Return(ExitId),
    /// Out by an exit, and straight on into the callee of another box.
    ReturnAndCall(ExitId, BoxId),
    /// The program has ended, or is stuck, and stays where it is.
    Stay,
    /// The program has ended and goes to the sink.
    Sink,
}

/// How a run goes on after its last move. Configurations are counted from 0, the one it begins in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It need not: the last configuration settles the matter.
    Done,
    /// The last configuration is the same as this earlier one.
    Loop(usize),
    /// The last configuration has the node of this earlier one, on a stack that has grown by these boxes;
    /// in between, the stack never got shorter than it was there.
    Pump(usize, Vec<BoxId>),
}

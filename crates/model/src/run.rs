//! Runs: paths through the call stack that show why a formula holds or fails.
//!
//! A [`Run`] begins in a configuration and makes one [`Move`] after another. It ends in a
//! configuration that settles the matter, or goes on for ever: round a loop that comes back to the
//! same configuration, or by *pumping*: it comes back to the same node with a stack that has grown
//! by some boxes, and does the same again on top of them, for ever.
//!
//! A [`Story`] says why a formula has its value in a configuration: as a run where the value is due
//! to a path, and otherwise by the stories of its operands; what is true of *all* paths no run can
//! show, and there the evidence has to be taken. Stories are told of the claim and its subformulas
//! as they are written, whatever the claim was turned into to decide it.

use crate::index::{BoxId, ExitId, FormulaId, NodeId};

/// What a story is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// A formula: the claim, or a part of it.
    Formula(FormulaId),
    /// The automaton that the claim is about.
    Automaton,
}

impl From<FormulaId> for Topic {
    fn from(id: FormulaId) -> Self {
        Topic::Formula(id)
    }
}

/// Why something has its value in a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// What it is told of.
    pub of: Topic,
    /// Its value.
    pub holds: bool,
    /// The reason.
    pub reason: Reason,
}

/// What a value is due to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The labels of the node.
    Labels,
    /// The values of these operands, in the same configuration.
    Operands(Vec<Story>),
    /// A run from the configuration; `E` is true because of it, or `A` false.
    Run(AnnotatedRun),
    /// No run can show it: `E` is false, or `A` true, on all paths. The evidence proves it.
    AllPaths,
    /// It was not told: the run has more moves than were allowed, or the story more parts.
    TooLong,
}

/// A run, and what matters of the configurations that it passes, which are counted from 0, the one
/// it begins in. Of an endless run, the configuration after its last move is the one that it goes
/// on from, and is not among these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotatedRun {
    /// The run. If it ends, it does not matter how it goes on.
    pub run: Run,
    /// For quantified formulas inside: whether they hold, in one configuration after the other.
    pub values: Vec<(FormulaId, Vec<bool>)>,
    /// Where on the run a part of the path formula gets the value that the whole is due to, in
    /// order.
    pub marks: Vec<Mark>,
    /// Why state formulas that speak of other paths have the values that matter: each is told of in
    /// the first configuration in which its value matters. In order.
    pub asides: Vec<(usize, Story)>,
}

/// The value of a part of a path formula on the rest of a run, from a configuration on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// The configuration.
    pub at: usize,
    /// The part: a temporal operator, or a state formula.
    pub of: FormulaId,
    /// Its value.
    pub holds: bool,
}

impl From<Run> for AnnotatedRun {
    /// A run that shows everything by itself.
    fn from(run: Run) -> Self {
        AnnotatedRun { run, values: Vec::new(), marks: Vec::new(), asides: Vec::new() }
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

impl Run {
    /// How many different configurations are told of: an endless run comes back to an earlier one.
    pub fn configurations(&self) -> usize {
        self.moves.len() + usize::from(self.ending == Ending::Done)
    }

    /// The configuration that an endless run goes on from.
    pub fn back_to(&self) -> Option<usize> {
        match self.ending {
            Ending::Done => None,
            Ending::Loop(from) | Ending::Pump(from, _) => Some(from),
        }
    }
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

impl MoveKind {
    /// Whether the innermost call comes back.
    pub fn returns(self) -> bool {
        matches!(self, MoveKind::Return(_) | MoveKind::ReturnAndCall(..))
    }

    /// The box that is called.
    pub fn calls(self) -> Option<BoxId> {
        match self {
            MoveKind::Call(call) | MoveKind::ReturnAndCall(_, call) => Some(call),
            _ => None,
        }
    }
}

/// How a run goes on after its last move. Configurations are counted from 0, the one it begins in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It need not: the last configuration settles the matter.
    Done,
    /// The last configuration is the same as this earlier one.
    Loop(usize),
    /// The last configuration has the node of this earlier one, on a stack that has grown by these
    /// boxes; in between, the stack never got shorter than it was there.
    Pump(usize, Vec<BoxId>),
}

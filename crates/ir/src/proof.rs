//! The form of evidence about the claims of a [flow graph](crate::flow).
//!
//! A [`Proof`] says in which *cells* of the states the parts of a claim are true, and in which they
//! are false, and has a reason for every step of the argument that can be checked by multiplying
//! and adding. `docs/certificate.md` says what has to be true of each part. Nothing here is
//! believed: `tern-certify` checks it.
//!
//! # Cells and systems
//!
//! The cells of a point are the leaves of its [tree](Branch), each with the rows of the invariant
//! of the point and those on the way to the leaf. Cells are numbered from 0, point after point and
//! from left to right. A *system* is a list of rows, in an order that is fixed for each kind of
//! condition; a [`Refutation`] shows that no integers make all of them true. A condition that is a
//! constant has no refutation: its list is empty.
//!
//! Trees, refutations and walks are written in preorder, so that no depth costs any stack.

use crate::flow::{Affine, EdgeId, Flow, Row};
use crate::remainder::followed;
use crate::summary::Summaries;
use tern_model::logic::ctl::Program;

/// The number of a cell.
pub type CellNumber = u32;

/// A node of the tree of cells of a point, in preorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Branch {
    /// First the cells where the row is true, then those where it is not.
    Split(Row),
    /// A cell.
    Leaf,
}

/// A part of a reason why a system has no integer point, in preorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// These multiples (positive) of the rows with these positions add up to a negative number.
    Sum(Vec<(u32, i128)>),
    /// First the reason with this row added at the end of the system, then that with its negation.
    Split(Row),
}

/// Why a system has no integer point. Empty for one that needs no reason.
pub type Refutation = Vec<Reason>;

/// A way through the tree of cells that an edge leads to, in preorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Walk {
    /// At a node of the tree: both sides are looked at. At a leaf: this cell may be reached.
    On,
    /// Nothing below is reached.
    Dead(Refutation),
}

/// Why the rows of an invariant are true after an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The edge can never be taken.
    Dead(Refutation),
    /// One reason for each row.
    Rows(Vec<Refutation>),
}

/// How every state of a cell can take a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// The point is total, so one of all steps of the cell is there.
    All,
    /// By one edge.
    Take {
        /// The edge.
        edge: EdgeId,
        /// Values for its choices, as sums of variables.
        choices: Vec<(u32, Affine)>,
        /// For each row of the guard, why it is true.
        guard: Vec<Refutation>,
        /// Where that leads.
        walk: Vec<Walk>,
    },
}

/// What becomes of a path between cuts, or of its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Path {
    /// It is looked at further.
    On,
    /// It cannot be taken.
    Dead(Refutation),
    /// It ends in a cut. Ranks up to this one do not rise on it, and this one falls: a reason for
    /// each rank before, one that this rank falls, and one that it is not negative before.
    Falls(u32, Vec<Refutation>),
    /// It ends in a cut, has come by waiting points only, and no rank rises on it: a reason for
    /// each.
    Waits(Vec<Refutation>),
}

/// Why steps between cells of one level are taken finitely often in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The level.
    pub level: u32,
    /// The cells of the level with numbers: 0 for cuts; between others, a step leads to a smaller
    /// number.
    pub order: Vec<(CellNumber, u32)>,
    /// The ranks of cuts, most important first; what is not named is 0.
    pub ranks: Vec<Vec<(CellNumber, Affine)>>,
    /// For all paths between cuts, in the order of a search that goes into depth.
    pub paths: Vec<Path>,
}

/// Cells from which given steps lead to those of level 0 in finitely many steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Cells with their levels: steps lead to lower ones, or stay in a group.
    pub levels: Vec<(CellNumber, u32)>,
    /// One for each level that steps stay in.
    pub groups: Vec<Group>,
}

/// What is said about one term of the claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Boolean operators and labels speak for themselves.
    Plain,
    /// A proposition about variables, which is a disjunction of lists of rows.
    Rows {
        /// The list that is true in the cell, with a reason for each of its rows.
        proved: Vec<(CellNumber, u32, Vec<Refutation>)>,
        /// For each list the row that is false in the cell, with the reason.
        refuted: Vec<(CellNumber, Vec<(u32, Refutation)>)>,
    },
    /// `EX f`
    Next {
        /// Where there is a way.
        proved: Vec<(CellNumber, Way)>,
        /// Where no step leads to it.
        refuted: Vec<CellNumber>,
    },
    /// `E [f U g]`
    Until {
        /// Where there are ways that come to `g`, which is level 0.
        proved: Progress,
        /// The ways of cells above level 0.
        ways: Vec<(CellNumber, Way)>,
        /// A set that is not left.
        refuted: Vec<CellNumber>,
    },
    /// `EG f`
    Always {
        /// Where there is a way that stays.
        proved: Vec<(CellNumber, Way)>,
        /// Why these ways lead from waiting points to others, which are level 0.
        again: Progress,
        /// Where all steps come to the end of `f`, which is level 0.
        refuted: Progress,
    },
}

/// An initial state at which a claim fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// Which of the starts of the flow graph.
    pub start: u32,
    /// The values of the variables before it.
    pub variables: Vec<i128>,
    /// The values of its auxiliaries; what is given for an unknown one means nothing.
    pub auxiliaries: Vec<i128>,
    /// The cell that the state is in.
    pub cell: CellNumber,
    /// A reason for each row of the guard, then for each row of the cell, from the facts.
    pub reasons: Vec<Refutation>,
}

/// Evidence for a claim about the initial states of a flow graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The claim.
    pub claim: Program,
    /// Rows that are true in all reachable states of each point; `None` if there are none. For a
    /// claim that fails, in those that can be reached from the state in which it does.
    pub invariants: Vec<Option<Vec<Row>>>,
    /// For each start, why invariants are true after it; for a claim that fails only for the state
    /// in which it does.
    pub begun: Vec<Kept>,
    /// For each edge, why invariants stay true; those that leave points without states need none.
    pub kept: Vec<Option<Kept>>,
    /// For each point, the tree of its cells; empty if it has no states.
    pub trees: Vec<Vec<Branch>>,
    /// For each start, the cells that it leads to; empty in evidence that a claim fails.
    pub starts: Vec<Vec<Walk>>,
    /// Where the edges of cells lead, one walk for each edge in their order.
    pub steps: Vec<(CellNumber, Vec<Vec<Walk>>)>,
    /// Which states have a run, as a layer `EG true`; `None` if all points are total.
    pub live: Option<Layer>,
    /// One for each term of the claim.
    pub layers: Vec<Layer>,
    /// Where it fails; `None` if it holds.
    pub start: Option<Start>,
    /// Why what is known of procedures is true; `None` if none calls itself.
    pub calls: Option<Box<CallProof>>,
    /// The proof is about the graph of descents, and layers are those of the claim about it
    /// ([`crate::descended`]); otherwise about the graph of calls. Of no meaning without
    /// procedures that call themselves.
    pub descended: bool,
    /// The proof is about the graph in which [runs are read](crate::runs), and layers are those of
    /// the claim about it.
    pub runs: bool,
    /// The proof is about the flow graph in which these variables are
    /// [followed](crate::remainder), each with what it is divided by.
    pub followed: Vec<(u32, i128)>,
}

impl Proof {
    /// The flow graph with all that the proof follows; `None` if that cannot be followed.
    pub fn graph(&self, flow: &Flow) -> Option<Flow> {
        let wanted: Vec<_> = self.followed.iter().map(|&(it, by)| (it as usize, by)).collect();
        followed(flow, &wanted)
    }
}

/// Why what is known of the procedures of a program is true. The proof that it belongs to is about
/// the [graph of calls](crate::summary::caller).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallProof {
    /// Whether it is about the program with the bodies of what `main` calls in `main`
    /// ([`crate::unfold`]).
    pub unfolded: bool,
    /// What is known.
    pub summaries: Summaries,
    /// For each list of rows about exits, why they are true.
    pub known: Vec<KnownProof>,
    /// For each procedure, for each point that a run may be in meanwhile, for each row about global
    /// variables why it is true.
    pub inside: Vec<Vec<Vec<Refutation>>>,
}

/// Why rows about exits are true, and calls end or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownProof {
    /// For each variant, why each row is true when it is left.
    pub left: Vec<Vec<Refutation>>,
    /// A proof about the [graph of descents](crate::summary::descents).
    pub proof: Proof,
}

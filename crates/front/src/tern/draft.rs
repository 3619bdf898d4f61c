//! What a `.tern` text says, before its names are resolved: flat tables, in the order of the text.

use tern_model::names::Interner;
use tern_model::{Claim, Condition, DeadEndRule, EndRule, Formulas, Id, Span};

/// A name that occurs in the text; equal names are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NameId(u32);

impl Id for NameId {
    fn new(index: usize) -> Self {
        NameId(u32::try_from(index).expect("a text of at most 4 GiB has fewer names"))
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A name and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub(super) name: NameId,
    pub(super) span: Span,
}

pub(super) struct DraftComponent {
    pub(super) word: Word,
    /// Something in it could not be read, so that names may seem to be missing.
    pub(super) broken: bool,
}

pub(super) struct DraftNode {
    pub(super) component: u32,
    pub(super) word: Word,
    pub(super) entry: bool,
    pub(super) exit: bool,
}

pub(super) struct DraftBox {
    pub(super) component: u32,
    pub(super) word: Word,
    pub(super) callee: Word,
}

pub(super) struct DraftExit {
    pub(super) component: u32,
    pub(super) word: Word,
    /// The exit node that made it; a port has none.
    pub(super) node: Option<u32>,
}

/// What edges leave.
#[derive(Clone, Copy)]
pub(super) enum Origin {
    /// The node of this row.
    Declared(u32),
    /// A node that is declared elsewhere.
    Node(Word),
    /// Where the call of a box comes back by an exit.
    Site { call: Word, exit: Word },
}

#[derive(Clone, Copy)]
pub(super) enum Target {
    Node(Word),
    Call { call: Word, entry: Word },
    Return { exit: Word },
}

/// One edge; those of one statement share their origin.
pub(super) struct DraftEdge {
    pub(super) origin: u32,
    pub(super) target: Target,
}

/// A node at which the program starts.
pub(super) enum Start {
    /// The node of this row.
    Declared(u32),
    /// A node by its component and name.
    Named { component: Word, node: Word },
}

/// A whole text.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) names: Interner<NameId>,
    pub(super) components: Vec<DraftComponent>,
    pub(super) nodes: Vec<DraftNode>,
    pub(super) boxes: Vec<DraftBox>,
    pub(super) exits: Vec<DraftExit>,
    /// The origins of edges, each with its component.
    pub(super) origins: Vec<(u32, Origin)>,
    pub(super) edges: Vec<DraftEdge>,
    /// Node and label.
    pub(super) labels: Vec<(u32, NameId)>,
    pub(super) starts: Vec<Start>,
    pub(super) end_rule: Option<(EndRule, Span)>,
    pub(super) dead_end_rule: Option<(DeadEndRule, Span)>,
    /// Where the formulas of claims and fairness conditions live.
    pub(super) formulas: Formulas,
    pub(super) claims: Vec<Claim>,
    pub(super) fair: Vec<Condition>,
    /// Something outside the components could not be read.
    pub(super) broken: bool,
}

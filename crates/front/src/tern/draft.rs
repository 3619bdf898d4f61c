//! What a `.tern` text says, before its names are resolved: what is declared goes into a builder,
//! and of all else it is noted where it stands.
//!
//! Names are not kept, but read from the text again when they are looked up or spoken of. So a node
//! and an edge cost a few bytes each, and the order of the text says which edges belong to which
//! statement, and which statements to which component.

use super::lexer::{Kind, Lexer, Token};
use crate::collector::Collector;
use fixedbitset::FixedBitSet;
use std::borrow::Cow;
use tern_model::index::Table;
use tern_model::{
    BoxId, Builder, Claim, CompId, Condition, DeadEndRule, EndRule, ExitId, Formulas, NodeId, Span,
    Surety,
};

/// Where a name stands in the text; texts are at most 4 GiB long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct At(u32);

impl At {
    /// Where a token begins.
    pub(super) fn of(token: Token) -> Self {
        At(token.span.start)
    }

    /// The place before the name.
    pub(super) fn span(self) -> Span {
        Span { start: self.0, end: self.0 }
    }
}

/// A name, read from the text.
#[derive(Clone, Debug)]
pub(super) struct Word<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) span: Span,
}

pub(super) struct DraftComponent {
    pub(super) at: At,
    /// Something in it could not be read, so that names may seem to be missing.
    pub(super) broken: bool,
}

pub(super) struct DraftBox {
    pub(super) component: CompId,
    pub(super) at: At,
    pub(super) callee: At,
}

pub(super) struct DraftExit {
    pub(super) at: At,
    /// Whether an exit node made it; else it is a port.
    pub(super) is_node: bool,
}

/// What edges leave.
pub(super) enum Origin<'a> {
    /// A node that is declared elsewhere.
    Node(Word<'a>),
    /// Where the call of a box comes back by an exit.
    Site { call: Word<'a>, exit: Word<'a> },
}

pub(super) enum Target<'a> {
    Node(Word<'a>),
    Call { call: Word<'a>, entry: Word<'a> },
    Return { exit: Word<'a> },
}

/// A node at which the program starts.
#[derive(Clone, Copy)]
pub(super) enum Start {
    /// A node that is declared to be one.
    Declared(NodeId),
    /// A node by its component and name, which stand here.
    Named(At),
}

/// A whole text.
#[derive(Default)]
pub(super) struct Draft {
    /// Components, nodes with their labels, and exits, in the order of the text.
    pub(super) builder: Builder,
    pub(super) components: Table<CompId, DraftComponent>,
    pub(super) nodes: Table<NodeId, At>,
    pub(super) exit_nodes: FixedBitSet,
    pub(super) boxes: Table<BoxId, DraftBox>,
    pub(super) exits: Table<ExitId, DraftExit>,
    /// Where statements with edges begin: at the name of a node that is declared there, or of
    /// something else that the edges leave.
    pub(super) origins: Vec<At>,
    /// Where the targets of edges stand; they belong to the last origin before them.
    pub(super) targets: Vec<At>,
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

/// Reads parts of a text once more. What is wrong with them was said the first time.
pub(super) struct Rereader<'a> {
    lexer: Lexer<'a>,
    said: Collector,
}

impl<'a> Rereader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Rereader { lexer: Lexer::new(text, 0), said: Collector::default() }
    }

    /// The name at a place.
    pub(super) fn word(&mut self, at: At) -> Word<'a> {
        self.lexer.at = at.0 as usize;
        self.next_word()
    }

    /// Where the name at a place begins and ends.
    pub(super) fn span(&mut self, at: At) -> Span {
        self.word(at).span
    }

    /// What edges leave whose statement begins at a place.
    pub(super) fn origin(&mut self, at: At) -> Origin<'a> {
        let word = self.word(at);
        match self.behind_dot() {
            Some(exit) => Origin::Site { call: word, exit },
            None => Origin::Node(word),
        }
    }

    /// What an edge leads to, and whether it is sure.
    pub(super) fn target(&mut self, at: At) -> (Target<'a>, Surety) {
        self.lexer.at = at.0 as usize;
        let token = self.lexer.next(&mut self.said);
        let target = if token.kind == Kind::Word && self.lexer.text_of(token) == "return" {
            Target::Return { exit: self.next_word() }
        } else {
            let word = Word { name: self.lexer.name_of(token), span: token.span };
            let behind = self.lexer.at;
            match self.behind_dot() {
                Some(entry) => Target::Call { call: word, entry },
                None => {
                    self.lexer.at = behind;
                    Target::Node(word)
                }
            }
        };
        let possible = self.lexer.next(&mut self.said).kind == Kind::Question;
        (target, if possible { Surety::Possible } else { Surety::Sure })
    }

    /// A node at which the program starts: its component, and its name.
    pub(super) fn start(&mut self, at: At) -> (Word<'a>, Word<'a>) {
        let component = self.word(at);
        self.lexer.next(&mut self.said);
        (component, self.next_word())
    }

    fn next_word(&mut self) -> Word<'a> {
        let token = self.lexer.next(&mut self.said);
        Word { name: self.lexer.name_of(token), span: token.span }
    }

    /// The name behind a dot, if a dot follows.
    fn behind_dot(&mut self) -> Option<Word<'a>> {
        let next = self.lexer.next(&mut self.said);
        (next.kind == Kind::Dot).then(|| self.next_word())
    }
}

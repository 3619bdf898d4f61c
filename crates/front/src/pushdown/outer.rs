//! The component of a start with several symbols: nodes are pairs of a head and what is left of the
//! first stack below it. A pop is a step to what comes to light there, until nothing is left.

use super::explore::{Action, HeadId, Heads};
use super::{ControlId, WordId, Words};
use crate::problem::Refusal;
use tern_model::budget::Meter;
use tern_model::index::{Id, Numbering};

tern_model::indices! {
    /// A node of the component of the start.
    pub(super) OuterId = "o";
    /// A box of it.
    pub(super) OuterBoxId = "d";
}

/// A head, and what is left of the first stack below it.
pub(super) type OuterNode = (HeadId, Option<WordId>);

/// A call from the level of the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct OuterBox {
    pub(super) callee: HeadId,
    /// What is remembered.
    pub(super) word: WordId,
    /// What is left of the first stack below that.
    pub(super) below: Option<WordId>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum OuterPlace {
    Node(OuterId),
    Site(OuterBoxId, ControlId),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum OuterTarget {
    Node(OuterId),
    Call(OuterBoxId),
    Exit(ControlId),
}

/// The component of the start.
#[derive(Debug, Default)]
pub(super) struct Outer {
    pub(super) nodes: Numbering<OuterId, OuterNode>,
    pub(super) boxes: Numbering<OuterBoxId, OuterBox>,
    pub(super) edges: Vec<(OuterPlace, OuterTarget)>,
}

impl Outer {
    /// Finds everything that is reached in it.
    pub(super) fn explore(
        heads: &Heads,
        words: &Words,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Refusal> {
        let mut outer = Outer::default();
        for &start in &heads.starts {
            outer.nodes.id(start);
        }
        let (mut nodes, mut boxes) = (0, 0);
        loop {
            if nodes < outer.nodes.rows().len() {
                let id = OuterId::new(nodes);
                nodes += 1;
                let (head, below) = outer.nodes[id];
                for &action in &heads.actions[head] {
                    meter.tick()?;
                    let to = outer.target(heads, words, action, below);
                    outer.edges.push((OuterPlace::Node(id), to));
                }
            } else if boxes < outer.boxes.rows().len() {
                let id = OuterBoxId::new(boxes);
                boxes += 1;
                let OuterBox { callee, word, below } = outer.boxes[id];
                for &control in &heads.pops[callee] {
                    meter.tick()?;
                    let action = heads.after(words, word, control);
                    let to = outer.target(heads, words, action, below);
                    outer.edges.push((OuterPlace::Site(id, control), to));
                }
            } else {
                return Ok(outer);
            }
        }
    }

    fn target(
        &mut self,
        heads: &Heads,
        words: &Words,
        action: Action,
        below: Option<WordId>,
    ) -> OuterTarget {
        match (action, below) {
            (Action::Step(head), _) => OuterTarget::Node(self.nodes.id((head, below))),
            (Action::Call(callee, word), _) => {
                OuterTarget::Call(self.boxes.id(OuterBox { callee, word, below }))
            }
            (Action::Pop(control), None) => OuterTarget::Exit(control),
            (Action::Pop(control), Some(word)) => match heads.after(words, word, control) {
                Action::Call(head, rest) => OuterTarget::Node(self.nodes.id((head, Some(rest)))),
                Action::Step(head) => OuterTarget::Node(self.nodes.id((head, None))),
                Action::Pop(_) => unreachable!("a word that comes to light does not pop"),
            },
        }
    }
}

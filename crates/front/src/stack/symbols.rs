//! The stack symbols of a pushdown system, as far as its machine has them.

use tern_model::index::Table;
use tern_model::{BoxId, NodeId};

tern_model::indices! {
    /// A stack symbol.
    pub(crate) LetterId = "g";
    /// A word of stack symbols: its first symbol, and perhaps another word.
    pub(crate) ChainId = "w";
}

/// Which symbols are on the stack: a node has those of its own level, a box those that are
/// remembered while it is open. So the stack of a configuration is the word of its node, then those
/// of its open boxes, the innermost first.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// The names of symbols.
    pub(crate) names: Table<LetterId, String>,
    /// The words that nodes and boxes have, the top first. Words share their ends.
    pub(crate) chains: Table<ChainId, (LetterId, Option<ChainId>)>,
    /// For each node, its symbol on top, and what is below that on its level.
    pub(crate) of_nodes: Table<NodeId, (LetterId, Option<ChainId>)>,
    /// For each box, two words, one on top of the other.
    pub(crate) of_boxes: Table<BoxId, (ChainId, Option<ChainId>)>,
}

/// The bottom of a stack, which expressions do not read: PuMoC puts it there itself.
const BOTTOM: &str = "#";

impl Symbols {
    /// The names of all symbols that expressions may name.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.as_slice().iter().map(String::as_str).filter(|name| *name != BOTTOM)
    }

    /// Adds a word, the top first.
    fn add<'s>(&'s self, word: Option<ChainId>, found: &mut Vec<&'s str>) {
        let mut rest = word;
        while let Some(chain) = rest {
            let (letter, below) = self.chains[chain];
            found.push(&self.names[letter]);
            rest = below;
        }
    }

    /// A word that has the top first, as it is read from the bottom.
    fn reversed(mut word: Vec<&str>) -> Vec<&str> {
        word.retain(|name| *name != BOTTOM);
        word.reverse();
        word
    }

    /// The symbols of a node, from the bottom.
    pub fn of_node(&self, node: NodeId) -> Vec<&str> {
        let (top, below) = self.of_nodes[node];
        let mut word = vec![self.names[top].as_str()];
        self.add(below, &mut word);
        Self::reversed(word)
    }

    /// The symbols of a box, from the bottom.
    pub fn of_box(&self, call: BoxId) -> Vec<&str> {
        let (first, second) = self.of_boxes[call];
        let mut word = Vec::new();
        self.add(Some(first), &mut word);
        self.add(second, &mut word);
        Self::reversed(word)
    }

    /// The symbols of a machine whose nodes and boxes are copies of these.
    pub(super) fn copied(&self, nodes: &[NodeId], boxes: &[BoxId]) -> Symbols {
        Symbols {
            names: self.names.clone(),
            chains: self.chains.clone(),
            of_nodes: nodes.iter().map(|&node| self.of_nodes[node]).collect(),
            of_boxes: boxes.iter().map(|&call| self.of_boxes[call]).collect(),
        }
    }
}

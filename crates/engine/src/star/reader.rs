//! Nodes of a machine as letters of an automaton.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::ops::Range;
use tern_automata::{LetterId, Reader, Step};
use tern_model::automaton::{Acceptor, Marks};
use tern_model::index::Table;
use tern_model::subsets::Subset;
use tern_model::{Formula, Formulas, Limit, Machine, NodeId, StateId};

/// Reads nodes by an automaton.
pub(super) struct NodeReader<'a, A> {
    reader: Reader<&'a mut A>,
    letter_of: Table<NodeId, LetterId>,
}

impl<'a, A: Acceptor> NodeReader<'a, A> {
    pub(super) fn new(machine: &Machine, formulas: &Formulas, automaton: &'a mut A) -> Self {
        let propositions = automaton.propositions().to_vec();
        let mut reader = Reader::new(automaton, |steps| steps.sort_unstable());
        // All nodes have the same letter, until a proposition tells some of them apart.
        let blank = reader.letter(&FixedBitSet::with_capacity(propositions.len()));
        let mut letter_of = Table::filled(blank, machine.node_count());
        for (bit, &proposition) in propositions.iter().enumerate() {
            let Formula::Atom(atom) = formulas.get(proposition) else {
                unreachable!("quantified formulas are labels by now");
            };
            let label = machine.label(formulas.atom_name(atom));
            let mut with: FxHashMap<LetterId, LetterId> = FxHashMap::default();
            for node in label.map_or(Subset::EMPTY, |label| machine.labelled(label)) {
                let without = letter_of[node];
                letter_of[node] = *with.entry(without).or_insert_with(|| {
                    let mut letter = reader.get(without).clone();
                    letter.insert(bit);
                    reader.letter(&letter)
                });
            }
        }
        NodeReader { reader, letter_of }
    }

    /// The steps of the automaton at a node in a state: where they lie among all that were found.
    pub(super) fn read(&mut self, node: NodeId, state: StateId) -> Result<Range<usize>, Limit> {
        self.reader.read(state, self.letter_of[node])
    }

    /// Whether there are pairs of strong fairness.
    pub(super) fn has_pairs(&self) -> bool {
        self.reader.acceptor().pair_count() > 0
    }

    /// The pairs whose premise holds at a node.
    pub(super) fn premises(&mut self, node: NodeId) -> Result<Marks, Limit> {
        self.reader.premises(self.letter_of[node])
    }

    /// A step that was found.
    pub(super) fn step(&self, position: usize) -> Step {
        self.reader.step(position)
    }
}

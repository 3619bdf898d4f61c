//! Nodes of a machine as letters of an automaton. What the automaton does on a letter is asked once.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use tern_model::automaton::{Acceptor, Marks};
use tern_model::{Formula, Formulas, Id, Machine, NodeId, StateId};

/// Reads nodes by an automaton: equal letters once.
pub(super) struct Reader<'a, A> {
    automaton: &'a mut A,
    /// Which letter each node is, and the letters.
    letter_of: Vec<u32>,
    letters: Vec<FixedBitSet>,
    /// Where the moves on a letter in a state lie.
    known: FxHashMap<(u32, StateId), (usize, usize)>,
    pub(super) moves: Vec<(Marks, StateId)>,
}

impl<'a, A: Acceptor> Reader<'a, A> {
    pub(super) fn new(machine: &Machine, formulas: &Formulas, automaton: &'a mut A) -> Self {
        let propositions = automaton.propositions();
        // All nodes have the same letter, until a proposition tells some of them apart.
        let mut letters = vec![FixedBitSet::with_capacity(propositions.len())];
        let mut letter_of = vec![0; machine.node_count()];
        for (i, &proposition) in propositions.iter().enumerate() {
            let Formula::Atom(atom) = formulas.get(proposition) else {
                unreachable!("quantified formulas are labels by now");
            };
            let label = machine.label(formulas.atom_name(atom));
            let mut with: FxHashMap<u32, u32> = FxHashMap::default();
            for node in label.map_or(&[][..], |label| machine.labelled(label)) {
                let letter = &mut letter_of[node.index()];
                *letter = *with.entry(*letter).or_insert_with_key(|&without| {
                    let mut letter = letters[without as usize].clone();
                    letter.insert(i);
                    letters.push(letter);
                    (letters.len() - 1) as u32
                });
            }
        }
        Reader { automaton, letter_of, letters, known: FxHashMap::default(), moves: Vec::new() }
    }

    /// Where in `moves` the moves lie that the automaton makes at a node in a state.
    pub(super) fn read(&mut self, node: NodeId, state: StateId) -> std::ops::Range<usize> {
        let letter = self.letter_of[node.index()];
        let Reader { automaton, letters, known, moves, .. } = self;
        let &mut (from, to) = known.entry((letter, state)).or_insert_with(|| {
            let from = moves.len();
            automaton.successors(state, &letters[letter as usize], moves);
            moves[from..].sort_unstable();
            (from, moves.len())
        });
        from..to
    }
}

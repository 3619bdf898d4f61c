//! The truth of operands in a proved labelling.
//!
//! What the operands of a temporal term need to know of a stack is said by the ground frame of its
//! layer that the stack leads to. So their truth at a node follows from labels, and from the frames
//! of the layers below that the ground frame refines, without looking at the stack.

use tern_model::index::Table;
use tern_model::logic::ctl::Term;
use tern_model::{Formulas, Frame, Id, LabelId, Labelling, Layer, Machine, NodeId, TermId};

/// The truth of the operands of a layer's term.
pub(crate) struct Operands<'a> {
    machine: &'a Machine,
    /// The operands and what they are made of, down to temporal terms; operands first.
    terms: Vec<(TermId, Source<'a>)>,
    values: Table<TermId, bool>,
}

/// What the truth of a term is known from.
enum Source<'a> {
    Label(Option<LabelId>),
    Boolean(Term),
    /// Frames, and for each ground frame the one that it refines.
    Layer(&'a [Frame], &'a [u32]),
}

impl<'a> Operands<'a> {
    pub(crate) fn new(
        machine: &'a Machine,
        formulas: &Formulas,
        labelling: &'a Labelling,
        layer: &'a Layer,
    ) -> Self {
        let program = &labelling.program;
        let mut wanted: Table<TermId, bool> = Table::filled(false, program.terms.len());
        let mut open: Vec<TermId> = program.terms[layer.term].operands().collect();
        while let Some(term) = open.pop() {
            if !std::mem::replace(&mut wanted[term], true) && !program.terms[term].is_temporal() {
                open.extend(program.terms[term].operands());
            }
        }
        let source = |id: TermId, term: Term| match term {
            Term::Atom(atom) => Source::Label(machine.label(formulas.atom_name(atom))),
            Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => {
                let mut below = layer.operands.iter();
                let (below, map) = below
                    .find(|(below, _)| labelling.layers[*below].term == id)
                    .expect("a layer names those that its operands speak of");
                Source::Layer(&labelling.layers[*below].frames, map)
            }
            boolean => Source::Boolean(boolean),
        };
        let used = program.terms.iter().filter(|&(id, _)| wanted[id]);
        Operands {
            machine,
            terms: used.map(|(id, &term)| (id, source(id, term))).collect(),
            values: Table::filled(false, program.terms.len()),
        }
    }

    /// Whether an operand holds at a node of a ground frame.
    pub(crate) fn at(&mut self, operand: TermId, ground: u32, node: NodeId) -> bool {
        let position = self.machine.place_position(self.machine.node_place(node));
        let last = self.terms.partition_point(|&(id, _)| id.index() <= operand.index());
        let Operands { machine, terms, values } = self;
        for (id, source) in &terms[..last] {
            values[*id] = match *source {
                Source::Label(label) => label.is_some_and(|label| machine.has_label(node, label)),
                Source::Boolean(Term::Not(f)) => !values[f],
                Source::Boolean(Term::And(f, g)) => values[f] && values[g],
                Source::Boolean(Term::Or(f, g)) => values[f] || values[g],
                Source::Boolean(_) => true,
                Source::Layer(frames, map) => {
                    frames[map[ground as usize] as usize].holds.contains(position)
                }
            };
        }
        values[operand]
    }
}

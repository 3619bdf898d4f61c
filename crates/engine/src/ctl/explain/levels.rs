//! The frames of several layers of a labelling along a run, and the truth of terms there.
//!
//! Each layer is an automaton that reads the stack from the bottom. A *row* has the frame of each
//! layer that a stack leads to; along a run there is one row for each box on the stack, and one for
//! the bottom, so that a move changes only what is on top. Equal rows have one [`RowId`].

use rustc_hash::FxHashMap;
use std::rc::Rc;
use tern_model::index::Table;
use tern_model::logic::ctl::Term;
use tern_model::{BoxId, Formulas, LabelId, Labelling, Layer, Machine, MoveKind, NodeId, TermId};

/// A row that was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct RowId(usize);

/// The rows of a stack.
pub(super) struct Levels<'a> {
    layers: Vec<&'a Layer>,
    rows: Vec<Rc<[u32]>>,
    index: FxHashMap<Rc<[u32]>, RowId>,
    /// By height, from the bottom: one more than there are boxes.
    stack: Vec<RowId>,
}

impl<'a> Levels<'a> {
    /// The rows of a stack and the component of a node on top, of which the layers speak.
    pub(super) fn new(
        machine: &Machine,
        layers: Vec<&'a Layer>,
        stack: &[BoxId],
        node: NodeId,
    ) -> Self {
        let bottom = match stack.first() {
            Some(&call) => machine.component_of_box(call),
            None => machine.component_of(node),
        };
        let root = |layer: &&Layer| {
            let root = layer.roots.iter().find(|(root, _)| *root == bottom);
            root.expect("the program begins in this component").1
        };
        let bottom: Rc<[u32]> = layers.iter().map(root).collect();
        let mut levels =
            Levels { layers, rows: Vec::new(), index: FxHashMap::default(), stack: Vec::new() };
        let bottom = levels.intern(bottom);
        levels.stack.push(bottom);
        for &call in stack {
            levels.follow(MoveKind::Call(call));
        }
        levels
    }

    fn intern(&mut self, row: Rc<[u32]>) -> RowId {
        let Levels { rows, index, .. } = self;
        *index.entry(row).or_insert_with_key(|row| {
            rows.push(Rc::clone(row));
            RowId(rows.len() - 1)
        })
    }

    /// The row of the whole stack.
    pub(super) fn id(&self) -> RowId {
        self.stack[self.stack.len() - 1]
    }

    /// The frames of the layers.
    pub(super) fn top(&self) -> &[u32] {
        &self.rows[self.id().0]
    }

    /// The ground frames of the only layer, from the bottom of the stack.
    pub(super) fn grounds(&self) -> Vec<u32> {
        let frames = &self.layers[0].frames;
        self.stack.iter().map(|row| frames[self.rows[row.0][0] as usize].ground).collect()
    }

    /// The frame of the first layer after a move.
    pub(super) fn first_after(&self, kind: MoveKind) -> u32 {
        let below = self.rows[self.stack[self.stack.len() - 1 - usize::from(kind.returns())].0][0];
        kind.calls().map_or(below, |call| callee(self.layers[0], below, call))
    }

    /// Makes a move.
    pub(super) fn follow(&mut self, kind: MoveKind) {
        if kind.returns() {
            self.stack.pop();
        }
        if let Some(call) = kind.calls() {
            let frames = self.layers.iter().zip(self.top());
            let row = frames.map(|(layer, &frame)| callee(layer, frame, call)).collect();
            let row = self.intern(row);
            self.stack.push(row);
        }
    }
}

fn callee(layer: &Layer, frame: u32, call: BoxId) -> u32 {
    let callees = &layer.frames[frame as usize].callees;
    let found = callees.binary_search_by_key(&call, |&(call, _)| call);
    callees[found.expect("all boxes are linked")].1
}

/// Reads the truth of some terms off a row and a node.
pub(super) struct Reader<'a> {
    machine: &'a Machine,
    layers: Vec<&'a Layer>,
    /// The terms and what they are made of, down to temporal ones; operands first.
    terms: Vec<(TermId, Source)>,
    values: Table<TermId, bool>,
}

/// What the truth of a term is known from.
enum Source {
    Label(Option<LabelId>),
    Boolean(Term),
    /// The layer of this number.
    Layer(usize),
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        machine: &'a Machine,
        formulas: &Formulas,
        labelling: &'a Labelling,
        terms: impl Iterator<Item = TermId>,
    ) -> Self {
        let program = &labelling.program;
        let mut wanted: Table<TermId, bool> = Table::filled(false, program.terms.len());
        let mut open: Vec<TermId> = terms.collect();
        while let Some(term) = open.pop() {
            if !std::mem::replace(&mut wanted[term], true) && !program.terms[term].is_temporal() {
                open.extend(program.terms[term].operands());
            }
        }
        let values = Table::filled(false, program.terms.len());
        let mut reader = Reader { machine, layers: Vec::new(), terms: Vec::new(), values };
        for (id, &term) in program.terms.iter().filter(|&(id, _)| wanted[id]) {
            let source = match term {
                Term::Atom(atom) => Source::Label(machine.label(formulas.atom_name(atom))),
                Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => {
                    let layer = labelling.layers.iter().find(|layer| layer.term == id);
                    reader.layers.push(layer.expect("each temporal term has a layer"));
                    Source::Layer(reader.layers.len() - 1)
                }
                boolean => Source::Boolean(boolean),
            };
            reader.terms.push((id, source));
        }
        reader
    }

    /// The layers that are read, in the order in which rows must have them.
    pub(super) fn layers(&self) -> &[&'a Layer] {
        &self.layers
    }

    /// Which terms hold at a node under a stack that leads to these frames.
    pub(super) fn at(&mut self, row: &[u32], node: NodeId) -> &Table<TermId, bool> {
        let position = self.machine.place_position(self.machine.node_place(node));
        let Reader { machine, layers, terms, values } = self;
        for (id, source) in terms {
            values[*id] = match *source {
                Source::Label(label) => label.is_some_and(|label| machine.has_label(node, label)),
                Source::Boolean(term) => term.boolean(|f| values[f]).unwrap_or(false),
                Source::Layer(i) => layers[i].frames[row[i] as usize].holds.contains(position),
            };
        }
        values
    }
}

//! The truth of operands: boolean combinations of labels and of layers that have been checked.
//!
//! An operand is walked down to the temporal terms it speaks of *directly*, without looking inside
//! those. Its truth at a node of a ground frame is then a matter of labels, and of the frames of
//! those terms' layers that the ground frame refines. In the sink there are no labels, and the only
//! successor is the sink itself: `EX f` and `EG f` are as f there, and `E [p U q]` as q.

use crate::Stopped;
use fixedbitset::FixedBitSet;
use std::collections::{BTreeMap, BTreeSet};
use tern_model::evidence::{Frame, Layer};
use tern_model::logic::ctl::{Program, Term};
use tern_model::{Budget, CompId, Formulas, Id, Machine, NodeId, TermId};

/// All that the truth of operands depends on.
pub(super) struct Operands<'a> {
    machine: &'a Machine,
    program: &'a Program,
    layers: &'a [Layer],
    /// For each term, its layer if it is temporal.
    layer_of: Vec<Option<usize>>,
    /// For each term, the nodes with its label if it is a proposition.
    labelled: Vec<FixedBitSet>,
    /// For each term, whether it is true in the sink.
    in_sink: Vec<bool>,
}

impl<'a> Operands<'a> {
    /// `layers` has one layer for each temporal term, in order.
    pub(super) fn new(
        machine: &'a Machine,
        formulas: &'a Formulas,
        program: &'a Program,
        layers: &'a [Layer],
    ) -> Self {
        let mut layer_of = Vec::new();
        let mut labelled = Vec::new();
        let mut in_sink: Vec<bool> = Vec::new();
        let mut next_layer = 0..;
        for (_, &term) in program.terms.iter() {
            layer_of.push(if term.is_temporal() { next_layer.next() } else { None });
            let mut nodes = FixedBitSet::new();
            if let Term::Atom(atom) = term
                && let Some(label) = machine.label(formulas.atom_name(atom))
            {
                nodes.grow(machine.node_count());
                nodes.extend(machine.labelled(label).iter().map(|node| node.index()));
            }
            labelled.push(nodes);
            in_sink.push(match term {
                Term::True => true,
                Term::Atom(_) => false,
                Term::Not(f) => !in_sink[f.index()],
                Term::And(f, g) => in_sink[f.index()] && in_sink[g.index()],
                Term::Or(f, g) => in_sink[f.index()] || in_sink[g.index()],
                Term::Ex(f) | Term::Eg(f) | Term::Eu(_, f) => in_sink[f.index()],
            });
        }
        Operands { machine, program, layers, layer_of, labelled, in_sink }
    }

    /// Whether a term is true in the sink.
    pub(super) fn in_sink(&self, term: TermId) -> bool {
        self.in_sink[term.index()]
    }

    /// The layers of the temporal terms that the operands of a term speak of directly, sorted.
    pub(super) fn direct_layers(&self, term: TermId) -> Vec<usize> {
        let operands = self.program.terms[term].operands();
        let walked: BTreeSet<TermId> = operands.flat_map(|operand| self.walk(operand)).collect();
        walked.iter().filter_map(|term| self.layer_of[term.index()]).collect()
    }

    /// A term and what it is made of, down to temporal terms; operands first.
    fn walk(&self, term: TermId) -> BTreeSet<TermId> {
        let mut walked = BTreeSet::from([term]);
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if !self.program.terms[term].is_temporal() {
                open.extend(self.program.terms[term].operands().filter(|&f| walked.insert(f)));
            }
        }
        walked
    }

    /// The nodes, by position, at which an operand of a layer holds, in each of its ground frames.
    ///
    /// # Errors
    /// The limit that was reached.
    pub(super) fn rows(
        &self,
        layer: &Layer,
        operand: TermId,
        budget: &Budget,
    ) -> Result<Vec<FixedBitSet>, Stopped> {
        let walked = self.walk(operand);
        let maps: BTreeMap<usize, &[u32]> =
            layer.operands.iter().map(|(number, map)| (*number, map.as_slice())).collect();
        (0..layer.ground.len())
            .map(|ground| {
                budget.check()?;
                let frame = |number: usize| {
                    let frame = maps[&number][ground] as usize;
                    &self.layers[number].frames[frame]
                };
                Ok(self.row(&walked, operand, layer.ground[ground].component, frame))
            })
            .collect()
    }

    /// The nodes at which a term holds under the empty stack, for each component with an initial
    /// node.
    pub(super) fn of_roots(&self, term: TermId) -> impl Iterator<Item = (CompId, FixedBitSet)> {
        let walked = self.walk(term);
        let components: BTreeSet<CompId> =
            self.machine.initial().iter().map(|&node| self.machine.component_of(node)).collect();
        let roots: Vec<BTreeMap<CompId, u32>> =
            self.layers.iter().map(|layer| layer.roots.iter().copied().collect()).collect();
        components.into_iter().map(move |component| {
            let frame =
                |number: usize| &self.layers[number].frames[roots[number][&component] as usize];
            (component, self.row(&walked, term, component, frame))
        })
    }

    /// The nodes of a component at which a term holds, given the frames of layers.
    fn row<'f>(
        &self,
        walked: &BTreeSet<TermId>,
        root: TermId,
        component: CompId,
        frame: impl Fn(usize) -> &'f Frame,
    ) -> FixedBitSet {
        let count = self.machine.nodes_of(component).len();
        let set = |holds: &dyn Fn(usize, NodeId) -> bool| {
            let mut row = FixedBitSet::with_capacity(count);
            for (position, node) in self.machine.nodes_of(component).enumerate() {
                row.set(position, holds(position, node));
            }
            row
        };
        let mut rows: BTreeMap<TermId, FixedBitSet> = BTreeMap::new();
        for &term in walked {
            let row = match self.program.terms[term] {
                Term::True => set(&|_, _| true),
                Term::Atom(_) => {
                    let labelled = &self.labelled[term.index()];
                    set(&|_, node| labelled.contains(node.index()))
                }
                Term::Not(f) => {
                    let f = &rows[&f];
                    set(&|i, _| !f.contains(i))
                }
                Term::And(f, g) => &rows[&f] & &rows[&g],
                Term::Or(f, g) => &rows[&f] | &rows[&g],
                Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => {
                    let layer = self.layer_of[term.index()].expect("temporal terms have layers");
                    let holds = &frame(layer).holds;
                    set(&|i, _| holds.contains(i))
                }
            };
            rows.insert(term, row);
        }
        rows.remove(&root).expect("the root of the walk is walked")
    }
}

//! A program made ready for a machine: which terms depend on which, and all that is not temporal.
//!
//! Truth values come in *lanes*. One lane: true or false. Two lanes: what is certainly true, and
//! what may be true; a value that may be true but is not certainly so is unknown. Negation swaps
//! the two, so that all boolean operators are those of Kleene.

use crate::ctl::operator::Kind;
use crate::ground::bits;
use crate::ground::frames::Frames;
use crate::ground::ids::{FrameId, Positions};
use crate::ground::terrain::Terrain;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::logic::ctl::{Program, Term};
use tern_model::{Formulas, Id, Limit, NodeId, TermId};

/// A program, and what of it does not depend on stacks.
pub(crate) struct Plan<'a> {
    terrain: &'a Terrain<'a>,
    pub(crate) program: &'a Program,
    /// For each proposition the nodes that have it, as a row over all nodes.
    atoms: FxHashMap<TermId, Vec<u64>>,
    in_sink: Table<TermId, bool>,
    inner: FixedBitSet,
}

impl<'a> Plan<'a> {
    pub(crate) fn new(terrain: &'a Terrain<'a>, formulas: &Formulas, program: &'a Program) -> Self {
        Plan {
            terrain,
            program,
            atoms: atom_rows(terrain, formulas, program),
            in_sink: truth_in_sink(program),
            inner: inner_terms(program),
        }
    }

    /// A plan of the shape alone, without the propositions; for many claims of that shape.
    pub(crate) fn shape(terrain: &'a Terrain<'a>, program: &'a Program) -> Self {
        Plan {
            terrain,
            program,
            atoms: FxHashMap::default(),
            in_sink: truth_in_sink(program),
            inner: inner_terms(program),
        }
    }

    /// Whether a term lies below a temporal term.
    pub(crate) fn is_inner(&self, id: TermId) -> bool {
        self.inner.contains(id.index())
    }

    /// Whether a term is true in the sink.
    pub(crate) fn in_sink(&self, id: TermId) -> bool {
        self.in_sink[id]
    }

    /// A temporal term with its operands: what a path passes, and what it is to reach.
    pub(crate) fn operator(&self, id: TermId) -> (Kind, TermId, Option<TermId>) {
        match self.program.terms[id] {
            Term::Ex(f) => (Kind::Next, f, None),
            Term::Eg(f) => (Kind::Globally, f, None),
            Term::Eu(f, g) => (Kind::Until, f, Some(g)),
            _ => unreachable!("only temporal terms are operators"),
        }
    }

    /// Whether a temporal term is `EF`, whose paths pass everywhere.
    pub(crate) fn is_free(&self, id: TermId) -> bool {
        let terms = &self.program.terms;
        matches!(terms[id], Term::Eu(pass, _) if terms[pass] == Term::True)
    }

    /// The temporal terms that some terms speak of without another temporal term between.
    pub(crate) fn leaves(&self, roots: [Option<TermId>; 2]) -> Vec<TermId> {
        let mut seen = FixedBitSet::with_capacity(self.program.terms.len());
        let mut stack: Vec<TermId> = roots.into_iter().flatten().collect();
        let mut leaves = Vec::new();
        while let Some(id) = stack.pop() {
            if seen.put(id.index()) {
                continue;
            }
            let term = self.program.terms[id];
            if term.is_temporal() {
                leaves.push(id);
            } else {
                stack.extend(term.operands());
            }
        }
        leaves
    }

    /// The terms to compute for `root`, down to propositions and temporal terms; operands first.
    pub(crate) fn steps(&self, root: TermId) -> Vec<TermId> {
        let mut steps = FixedBitSet::with_capacity(root.index() + 1);
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !steps.put(id.index()) && !self.program.terms[id].is_temporal() {
                stack.extend(self.program.terms[id].operands());
            }
        }
        steps.ones().map(TermId::new).collect()
    }

    /// The rows of a term over the nodes of all frames, where `truth` gives those of temporal
    /// terms: by term, frame and lane.
    pub(crate) fn rows<'t, const LANES: usize>(
        &self,
        root: TermId,
        frames: &Frames,
        truth: impl Fn(TermId, FrameId, usize) -> &'t [u64],
        meter: &mut Meter<'_>,
    ) -> Result<[Vec<u64>; LANES], Limit> {
        let steps = self.steps(root);
        let slot: FxHashMap<TermId, usize> = steps.iter().copied().zip(0..).collect();
        meter.budget().check_room_for((frames.row_words() * LANES) as u64 * 8)?;
        let mut rows = [const { Vec::new() }; LANES];
        let mut scratch: Vec<u64> = Vec::new();
        for frame in frames.ids() {
            let comp = frames.component[frame];
            let words = self.terrain.row_words(comp);
            let nodes = self.terrain.machine.nodes_of(comp).len();
            scratch.clear();
            scratch.resize(words * steps.len() * LANES, 0);
            for (i, &id) in steps.iter().enumerate() {
                for lane in 0..LANES {
                    meter.tick()?;
                    let (done, rest) = scratch.split_at_mut((i * LANES + lane) * words);
                    let out = &mut rest[..words];
                    let row = |f: TermId, lane| &done[(slot[&f] * LANES + lane) * words..][..words];
                    match self.program.terms[id] {
                        Term::True => out.fill(u64::MAX),
                        Term::Atom(_) => {
                            out.copy_from_slice(self.terrain.row_of(&self.atoms[&id], comp));
                        }
                        Term::Not(f) => {
                            let row = row(f, LANES - 1 - lane);
                            combine(out, row, row, |a, _| !a);
                        }
                        Term::And(f, g) => combine(out, row(f, lane), row(g, lane), |a, b| a & b),
                        Term::Or(f, g) => combine(out, row(f, lane), row(g, lane), |a, b| a | b),
                        Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => {
                            out.copy_from_slice(&truth(id, frame, lane)[..words]);
                        }
                    }
                    bits::trim(out, nodes);
                }
            }
            for (lane, rows) in rows.iter_mut().enumerate() {
                let last = (steps.len() - 1) * LANES + lane;
                rows.extend_from_slice(&scratch[last * words..][..words]);
            }
        }
        Ok(rows)
    }

    /// The value of a term at a node, where `truth` gives those of temporal terms, by term and
    /// lane.
    pub(crate) fn at_node<const LANES: usize>(
        &self,
        root: TermId,
        node: NodeId,
        truth: impl Fn(TermId, usize) -> bool,
    ) -> [bool; LANES] {
        let steps = self.steps(root);
        self.values_at_node(&steps, node, truth)[&root]
    }

    /// The values at a node of terms whose operands are among them or temporal.
    pub(crate) fn values_at_node<const LANES: usize>(
        &self,
        steps: &[TermId],
        node: NodeId,
        truth: impl Fn(TermId, usize) -> bool,
    ) -> FxHashMap<TermId, [bool; LANES]> {
        let machine = self.terrain.machine;
        let comp = machine.component_of(node);
        let position = machine.node_pos(node);
        let mut value: FxHashMap<TermId, [bool; LANES]> = FxHashMap::default();
        for &id in steps {
            let lane_value = |lane: usize| match self.program.terms[id] {
                Term::True => true,
                Term::Atom(_) => bits::get(self.terrain.row_of(&self.atoms[&id], comp), position),
                Term::Not(f) => !value[&f][LANES - 1 - lane],
                Term::And(f, g) => value[&f][lane] && value[&g][lane],
                Term::Or(f, g) => value[&f][lane] || value[&g][lane],
                Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => truth(id, lane),
            };
            let values = std::array::from_fn(lane_value);
            value.insert(id, values);
        }
        value
    }
}

fn combine(out: &mut [u64], f: &[u64], g: &[u64], op: impl Fn(u64, u64) -> u64) {
    for ((out, &f), &g) in out.iter_mut().zip(f).zip(g) {
        *out = op(f, g);
    }
}

/// The terms that lie below a temporal term.
fn inner_terms(program: &Program) -> FixedBitSet {
    let mut inner = FixedBitSet::with_capacity(program.terms.len());
    for (id, &term) in program.terms.iter().rev() {
        if term.is_temporal() || inner.contains(id.index()) {
            inner.extend(term.operands().map(TermId::index));
        }
    }
    inner
}

/// The truth of each term in the sink: a state without labels whose only successor is itself.
fn truth_in_sink(program: &Program) -> Table<TermId, bool> {
    let mut truth: Table<TermId, bool> = Table::new();
    for (_, &term) in program.terms.iter() {
        let value = match term {
            Term::True => true,
            Term::Atom(_) => false,
            Term::Not(f) => !truth[f],
            Term::And(f, g) => truth[f] && truth[g],
            Term::Or(f, g) => truth[f] || truth[g],
            Term::Ex(f) | Term::Eg(f) | Term::Eu(_, f) => truth[f],
        };
        truth.push(value);
    }
    truth
}

fn atom_rows(
    terrain: &Terrain<'_>,
    formulas: &Formulas,
    program: &Program,
) -> FxHashMap<TermId, Vec<u64>> {
    let row = |(id, term): (TermId, &Term)| match *term {
        Term::Atom(atom) => {
            let label = terrain.machine.label(formulas.atom_name(atom));
            Some((id, terrain.label_row(label)))
        }
        _ => None,
    };
    program.terms.iter().filter_map(row).collect()
}

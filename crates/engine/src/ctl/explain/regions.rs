//! Where a claim holds: at which nodes, under which kinds of stacks, of all that can be reached.
//!
//! A *kind* of stack is what the layers of a labelling together make of it: one frame of each. The
//! search goes from the initial nodes along calls. Which places a component passes depends on the
//! entry alone at which it was called, so a step of the search is a kind and an entry; shorter
//! stacks come first. Kinds for which the answer is the same, and which were told apart for the
//! sake of subformulas only, are put together.

use crate::ground::survey::Passed;
use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::logic::ctl::Term;
use tern_model::{
    BoxId, Budget, CompId, Edge, Formulas, Labelling, Limit, Machine, NodeId, Place, Region, TermId,
};

/// Lists where a claim holds.
pub(crate) fn regions(
    machine: &Machine,
    formulas: &Formulas,
    labelling: &Labelling,
    budget: &Budget,
) -> Result<Vec<Region>, Limit> {
    let mut search = Search {
        labelling,
        kinds: Vec::new(),
        kind_at: FxHashMap::default(),
        visits: Vec::new(),
        visited: FxHashSet::default(),
    };
    let passed = Passed::new(machine, budget)?;
    let mut meter = Meter::new(budget);
    for &node in machine.initial() {
        let component = machine.component_of(node);
        if let Some(frames) = search.roots(component) {
            search.visit(component, frames, node, None, machine);
        }
    }
    let mut next = 0;
    while next < search.visits.len() {
        let Visit { kind, start, .. } = search.visits[next];
        let component = machine.component_of(start);
        let mut calls: Vec<(BoxId, NodeId)> = Vec::new();
        for place in passed.places(start) {
            meter.tick()?;
            if let Place::Node(_) = machine.place(place) {
                search.kinds[kind].reached.insert(machine.place_position(place));
            }
            calls.extend(machine.edges_at(place).iter().filter_map(|&edge| match edge {
                Edge::Call(call, entry) => Some((call, entry)),
                Edge::Step(_) | Edge::Return(_) => None,
            }));
        }
        calls.sort_unstable();
        calls.dedup();
        debug_assert_eq!(component, search.kinds[kind].component);
        for (call, entry) in calls {
            meter.tick()?;
            if let Some(frames) = search.callees(kind, call) {
                search.visit(machine.callee(call), frames, entry, Some((next, call)), machine);
            }
        }
        next += 1;
    }
    search.list(machine, formulas, &mut meter)
}

/// A component under stacks that lead to the same frames.
struct Kind {
    component: CompId,
    /// The frame of each layer.
    frames: Vec<u32>,
    /// The nodes that are reached, by position.
    reached: FixedBitSet,
    /// The visit that found it.
    first: usize,
}

/// A kind, and the entry or initial node at which it was entered.
struct Visit {
    kind: usize,
    start: NodeId,
    /// The visit that called, and by which box.
    from: Option<(usize, BoxId)>,
}

struct Search<'a> {
    labelling: &'a Labelling,
    kinds: Vec<Kind>,
    kind_at: FxHashMap<(CompId, Vec<u32>), usize>,
    visits: Vec<Visit>,
    visited: FxHashSet<(usize, NodeId)>,
}

impl Search<'_> {
    fn roots(&self, component: CompId) -> Option<Vec<u32>> {
        let layers = self.labelling.layers.iter();
        layers.map(|layer| Some(layer.roots.iter().find(|root| root.0 == component)?.1)).collect()
    }

    fn callees(&self, kind: usize, call: BoxId) -> Option<Vec<u32>> {
        let frames = self.labelling.layers.iter().zip(&self.kinds[kind].frames);
        let callee = |(layer, &frame): (&tern_model::Layer, &u32)| {
            let callees = &layer.frames[frame as usize].callees;
            let found = callees.binary_search_by_key(&call, |&(call, _)| call).ok()?;
            Some(callees[found].1)
        };
        frames.map(callee).collect()
    }

    fn visit(
        &mut self,
        component: CompId,
        frames: Vec<u32>,
        start: NodeId,
        from: Option<(usize, BoxId)>,
        machine: &Machine,
    ) {
        let key = (component, frames);
        let kind = match self.kind_at.get(&key) {
            Some(&kind) => kind,
            None => {
                let reached = FixedBitSet::with_capacity(machine.nodes_of(component).len());
                let (frames, first) = (key.1.clone(), self.visits.len());
                self.kinds.push(Kind { component, frames, reached, first });
                self.kind_at.insert(key, self.kinds.len() - 1);
                self.kinds.len() - 1
            }
        };
        if self.visited.insert((kind, start)) {
            self.visits.push(Visit { kind, start, from });
        }
    }

    fn list(
        &self,
        machine: &Machine,
        formulas: &Formulas,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Region>, Limit> {
        let mut regions = Vec::new();
        let mut known: FxHashSet<(CompId, Vec<NodeId>, Vec<NodeId>)> = FxHashSet::default();
        for kind in &self.kinds {
            let nodes: Vec<NodeId> = machine.nodes_of(kind.component).collect();
            let nodes: Vec<NodeId> = kind.reached.ones().map(|position| nodes[position]).collect();
            let mut holds = Vec::new();
            for &node in &nodes {
                meter.tick()?;
                if self.holds(machine, formulas, kind, node) {
                    holds.push(node);
                }
            }
            if known.insert((kind.component, nodes.clone(), holds.clone())) {
                let mut stack = Vec::new();
                let mut from = self.visits[kind.first].from;
                while let Some((visit, call)) = from {
                    meter.tick()?;
                    stack.push(call);
                    from = self.visits[visit].from;
                }
                stack.reverse();
                regions.push(Region { component: kind.component, stack, nodes, holds });
            }
        }
        Ok(regions)
    }

    fn holds(&self, machine: &Machine, formulas: &Formulas, kind: &Kind, node: NodeId) -> bool {
        let Labelling { program, layers } = self.labelling;
        let position = machine.place_position(machine.node_place(node));
        let mut frames = layers.iter().zip(&kind.frames);
        let mut truth: Table<TermId, bool> = Table::new();
        for (_, &term) in program.terms.iter() {
            truth.push(match term {
                Term::True => true,
                Term::Atom(atom) => machine
                    .label(formulas.atom_name(atom))
                    .is_some_and(|label| machine.has_label(node, label)),
                Term::Not(f) => !truth[f],
                Term::And(f, g) => truth[f] && truth[g],
                Term::Or(f, g) => truth[f] || truth[g],
                Term::Ex(_) | Term::Eu(..) | Term::Eg(_) => {
                    let frame = frames.next().map(|(layer, &frame)| &layer.frames[frame as usize]);
                    frame.is_some_and(|frame| frame.holds.contains(position))
                }
            });
        }
        truth[program.root]
    }
}

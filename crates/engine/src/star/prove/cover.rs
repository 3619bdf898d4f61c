//! Covers: how stacks are told apart, and what is known at the nodes of each copy.

use super::Made;
use super::explore::VertexId;
use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::star_evidence::{StarCopy, StarSpot};
use tern_model::step::{Below, Onward, only_returns};
use tern_model::{BoxId, CompId, Edge, Id, Limit, Machine, NodeId, Obligation, indices};

indices! {
    /// A component under some stacks that are not told apart.
    pub(super) CopyId = "c";
}

/// What can be reached if a return may lead to any caller: all that is ever looked at.
pub(super) struct Reached {
    pub(super) places: FixedBitSet,
    boxes: FixedBitSet,
}

impl Reached {
    pub(super) fn new(machine: &Machine, meter: &mut Meter<'_>) -> Result<Self, Limit> {
        let mut places = FixedBitSet::with_capacity(machine.place_count());
        let mut boxes = FixedBitSet::with_capacity(machine.box_count());
        let mut exits = FixedBitSet::with_capacity(machine.exit_count());
        let mut stack: Vec<_> =
            machine.initial().iter().map(|&node| machine.node_place(node)).collect();
        while let Some(place) = stack.pop() {
            meter.tick()?;
            if places.put(place.index()) {
                continue;
            }
            for &edge in machine.edges_at(place) {
                meter.tick()?;
                match edge {
                    Edge::Step(to) => stack.push(machine.node_place(to)),
                    Edge::Call(call, entry) => {
                        stack.push(machine.node_place(entry));
                        if !boxes.put(call.index()) {
                            let open = machine.sites_of(call);
                            let open = open.filter(|(exit, _)| exits.contains(exit.index()));
                            stack.extend(open.map(|(_, site)| site));
                        }
                    }
                    Edge::Return(exit) => {
                        if !exits.put(exit.index()) {
                            let component = machine.component_of_exit(exit);
                            let callers = machine.callers_of(component).iter();
                            let callers = callers.filter(|call| boxes.contains(call.index()));
                            stack.extend(callers.filter_map(|&call| machine.site(call, exit)));
                        }
                    }
                }
            }
        }
        Ok(Reached { places, boxes })
    }
}

/// A deterministic automaton that reads stacks from the bottom.
pub(super) struct Cover<'m> {
    pub(super) machine: &'m Machine,
    pub(super) component: Table<CopyId, CompId>,
    pub(super) ended: Table<CopyId, bool>,
    /// The copy that each box leads to, sorted.
    pub(super) callees: Table<CopyId, Vec<(BoxId, CopyId)>>,
    /// Who leads to each copy.
    pub(super) callers: Table<CopyId, Vec<(CopyId, BoxId)>>,
    /// The copy of the empty stack for each component with an initial node.
    pub(super) roots: BTreeMap<CompId, CopyId>,
    /// For each obligation that is still of interest, and each copy: the nodes at which it can be
    /// met, by position, and after those whether it can in the sink.
    answers: Vec<(Obligation, Table<CopyId, FixedBitSet>)>,
}

impl<'m> Cover<'m> {
    /// Tells apart what steps depend on: whether the stack is empty, and which nodes are stuck.
    pub(super) fn base(
        machine: &'m Machine,
        reached: &Reached,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let mut keys: Table<CopyId, (CompId, Option<Vec<NodeId>>)> = Table::new();
        let mut ids: FxHashMap<(CompId, Option<Vec<NodeId>>), CopyId> = FxHashMap::default();
        let mut id = |keys: &mut Table<CopyId, _>, key: (CompId, Option<Vec<NodeId>>)| {
            *ids.entry(key).or_insert_with_key(|key| keys.push(key.clone()))
        };
        let mut roots = BTreeMap::new();
        for &node in machine.initial() {
            let component = machine.component_of(node);
            roots.insert(component, id(&mut keys, (component, None)));
        }
        let mut returning: FxHashMap<CompId, Vec<NodeId>> = FxHashMap::default();
        let mut callees: Table<CopyId, Vec<(BoxId, CopyId)>> = Table::new();
        while callees.len() < keys.len() {
            let component = keys[CopyId::new(callees.len())].0;
            let mut links = Vec::new();
            for &call in machine.boxes_of(component) {
                meter.tick()?;
                if !reached.boxes.contains(call.index()) {
                    continue;
                }
                let callee = machine.callee(call);
                let nodes = returning.entry(callee).or_insert_with(|| {
                    let nodes = machine.nodes_of(callee);
                    nodes.filter(|&node| only_returns(machine.edges(node))).collect()
                });
                let mut stuck = Vec::new();
                for &node in nodes.iter() {
                    meter.tick()?;
                    if is_dead_end(machine, call, node) {
                        stuck.push(node);
                    }
                }
                links.push((call, id(&mut keys, (callee, Some(stuck)))));
            }
            links.sort_unstable();
            callees.push(links);
        }
        let callers = callers(&callees);
        let ended = keys.as_slice().iter().map(|(_, stuck)| stuck.is_none()).collect();
        let component = keys.into_iter().map(|(component, _)| component).collect();
        Ok(Cover { machine, component, ended, callees, callers, roots, answers: Vec::new() })
    }

    /// The cover of a layer over this one, which keeps the answers that are still needed.
    pub(super) fn refined(self, copies: &[StarCopy], needed: impl Fn(Obligation) -> bool) -> Self {
        let id = |number: u32| CopyId::new(number as usize);
        let ground = |copy: &StarCopy| id(copy.ground);
        let callees = |copy: &StarCopy| {
            copy.callees.iter().map(|&(call, callee)| (call, id(callee))).collect()
        };
        let callees: Table<CopyId, Vec<_>> = copies.iter().map(callees).collect();
        let component: Table<CopyId, CompId> =
            copies.iter().map(|it| self.component[ground(it)]).collect();
        let ended: Table<CopyId, bool> = copies.iter().map(|it| self.ended[ground(it)]).collect();
        let roots = ended.ids().filter(|&copy| ended[copy]);
        let roots = roots.map(|copy| (component[copy], copy)).collect();
        let answers = self.answers.into_iter().filter(|&(sought, _)| needed(sought));
        let answers = answers.map(|(sought, rows)| {
            (sought, copies.iter().map(|copy| rows[ground(copy)].clone()).collect())
        });
        let answers = answers.collect();
        let callers = callers(&callees);
        Cover { machine: self.machine, component, ended, callees, callers, roots, answers }
    }

    /// Notes the answers of the layer that this is the cover of, if somebody needs them.
    pub(super) fn add(&mut self, sought: Obligation, made: &Made, needed: bool) {
        if !needed {
            return;
        }
        let mut rows: Table<CopyId, FixedBitSet> = Table::new();
        let mut vertices: FxHashMap<CopyId, Vec<(StarSpot, VertexId)>> = FxHashMap::default();
        for (&(ground, spot), &vertex) in &made.sought {
            vertices.entry(ground).or_default().push((spot, vertex));
        }
        for (copy, written) in self.component.ids().zip(&made.layer.copies) {
            let mut row = FixedBitSet::with_capacity(self.sink_bit(copy) + 1);
            let order: FxHashSet<usize> = written.order.iter().map(|&it| it as usize).collect();
            let ground = CopyId::new(written.ground as usize);
            for &(spot, vertex) in vertices.get(&ground).map_or(&[][..], |list| list) {
                if made.is_good(vertex) || order.contains(&vertex.index()) {
                    row.insert(self.bit(copy, spot));
                }
            }
            rows.push(row);
        }
        self.answers.push((sought, rows));
    }

    pub(super) fn len(&self) -> usize {
        self.component.len()
    }

    fn sink_bit(&self, copy: CopyId) -> usize {
        self.machine.nodes_of(self.component[copy]).len()
    }

    /// Where a row has what is true at a node, or in the sink.
    fn bit(&self, copy: CopyId, spot: StarSpot) -> usize {
        match spot {
            StarSpot::At(place) => self.machine.place_position(place),
            StarSpot::Sink => self.sink_bit(copy),
        }
    }

    /// Whether an obligation of an earlier layer can be met at a node of a copy, or in the sink.
    pub(super) fn is_met(&self, sought: Obligation, copy: CopyId, spot: StarSpot) -> bool {
        let rows = self.answers.iter().find(|(other, _)| *other == sought);
        rows.is_some_and(|(_, rows)| rows[copy].contains(self.bit(copy, spot)))
    }

    /// The copy that a box leads to.
    ///
    /// # Panics
    /// If no call by the box was reached.
    pub(super) fn callee(&self, copy: CopyId, call: BoxId) -> CopyId {
        let links = &self.callees[copy];
        let found = links.binary_search_by_key(&call, |&(call, _)| call);
        links[found.expect("all boxes that are called lead somewhere")].1
    }

    /// Appends what follows a node of a copy. If one return is followed, all are: proofs speak of
    /// exits after which nobody goes on, too.
    pub(super) fn onward(&self, copy: CopyId, node: NodeId, out: &mut Vec<Onward>) {
        let machine = self.machine;
        let goes_on = match self.callers[copy].first() {
            Some(&(_, call)) => !is_dead_end(machine, call, node),
            None => true,
        };
        let mut below = match self.ended[copy] {
            true => Below::Nothing(machine.end_rule()),
            false => Below::Caller(|_| goes_on),
        };
        below.onward(machine.edges(node), out);
    }
}

fn callers(callees: &Table<CopyId, Vec<(BoxId, CopyId)>>) -> Table<CopyId, Vec<(CopyId, BoxId)>> {
    let mut callers = Table::filled(Vec::new(), callees.len());
    for (copy, links) in callees.iter() {
        for &(call, callee) in links {
            callers[callee].push((copy, call));
        }
    }
    callers
}

/// Whether a node is a dead end where it is called by a box.
fn is_dead_end(machine: &Machine, call: BoxId, node: NodeId) -> bool {
    Below::Caller(|exit| machine.site(call, exit).is_some()).is_dead_end(machine.edges(node))
}

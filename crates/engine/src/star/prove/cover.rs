//! Covers: how stacks are told apart, and what is known at the nodes of each copy.

use super::Made;
use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use tern_model::budget::Meter;
use tern_model::star_evidence::{StarCopy, StarSpot};
use tern_model::{BoxId, CompId, Edge, ExitId, Id, Limit, Machine, NodeId, Obligation};

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
    pub(super) component: Vec<CompId>,
    pub(super) ended: Vec<bool>,
    /// The copy that each box leads to, sorted.
    pub(super) callees: Vec<Vec<(BoxId, u32)>>,
    /// Who leads to each copy.
    pub(super) callers: Vec<Vec<(u32, BoxId)>>,
    /// The copy of the empty stack for each component with an initial node.
    pub(super) roots: BTreeMap<CompId, u32>,
    /// For each obligation that is still of interest, and each copy: the nodes at which it can be met, by
    /// position, and after those whether it can in the sink.
    answers: Vec<(Obligation, Vec<FixedBitSet>)>,
}

impl<'m> Cover<'m> {
    /// Tells apart what steps depend on: whether the stack is empty, and which nodes are stuck.
    pub(super) fn base(
        machine: &'m Machine,
        reached: &Reached,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let mut keys: Vec<(CompId, Option<Vec<NodeId>>)> = Vec::new();
        let mut ids: FxHashMap<(CompId, Option<Vec<NodeId>>), u32> = FxHashMap::default();
        let mut id = |keys: &mut Vec<_>, key: (CompId, Option<Vec<NodeId>>)| {
            *ids.entry(key).or_insert_with_key(|key| {
                keys.push(key.clone());
                (keys.len() - 1) as u32
            })
        };
        let mut roots = BTreeMap::new();
        for &node in machine.initial() {
            let component = machine.component_of(node);
            roots.insert(component, id(&mut keys, (component, None)));
        }
        let mut returning: FxHashMap<CompId, Vec<NodeId>> = FxHashMap::default();
        let mut callees: Vec<Vec<(BoxId, u32)>> = Vec::new();
        while callees.len() < keys.len() {
            let component = keys[callees.len()].0;
            let mut links = Vec::new();
            for &call in machine.boxes_of(component) {
                meter.tick()?;
                if !reached.boxes.contains(call.index()) {
                    continue;
                }
                let callee = machine.callee(call);
                let nodes = returning.entry(callee).or_insert_with(|| {
                    machine.nodes_of(callee).filter(|&node| only_returns(machine, node)).collect()
                });
                let mut stuck = Vec::new();
                for &node in nodes.iter() {
                    meter.tick()?;
                    if exits(machine, node).all(|exit| machine.site(call, exit).is_none()) {
                        stuck.push(node);
                    }
                }
                links.push((call, id(&mut keys, (callee, Some(stuck)))));
            }
            links.sort_unstable();
            callees.push(links);
        }
        let callers = callers(&callees);
        let (component, stuck): (Vec<CompId>, Vec<Option<_>>) = keys.into_iter().unzip();
        let ended = stuck.iter().map(Option::is_none).collect();
        Ok(Cover { machine, component, ended, callees, callers, roots, answers: Vec::new() })
    }

    /// The cover of a layer over this one, which keeps the answers that are still needed.
    pub(super) fn refined(self, copies: &[StarCopy], needed: impl Fn(Obligation) -> bool) -> Self {
        let ground = |copy: &StarCopy| copy.ground as usize;
        let callees: Vec<_> = copies.iter().map(|copy| copy.callees.clone()).collect();
        let component: Vec<_> = copies.iter().map(|it| self.component[ground(it)]).collect();
        let ended: Vec<_> = copies.iter().map(|it| self.ended[ground(it)]).collect();
        let roots = (0..copies.len() as u32).filter(|&copy| ended[copy as usize]);
        let roots = roots.map(|copy| (component[copy as usize], copy)).collect();
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
        let mut rows = Vec::with_capacity(self.len());
        let mut vertices: FxHashMap<u32, Vec<(StarSpot, u32)>> = FxHashMap::default();
        for (&(ground, spot), &vertex) in &made.sought {
            vertices.entry(ground).or_default().push((spot, vertex));
        }
        for (number, copy) in made.layer.copies.iter().enumerate() {
            let mut row = FixedBitSet::with_capacity(self.sink_bit(number) + 1);
            let order: FxHashSet<u32> = copy.order.iter().copied().collect();
            for &(spot, vertex) in vertices.get(&copy.ground).map_or(&[][..], |list| list) {
                if made.is_good(vertex) || order.contains(&vertex) {
                    row.insert(self.bit(number, spot));
                }
            }
            rows.push(row);
        }
        self.answers.push((sought, rows));
    }

    pub(super) fn len(&self) -> usize {
        self.component.len()
    }

    fn sink_bit(&self, copy: usize) -> usize {
        self.machine.nodes_of(self.component[copy]).len()
    }

    /// Where a row has what is true at a node, or in the sink.
    fn bit(&self, copy: usize, spot: StarSpot) -> usize {
        match spot {
            StarSpot::At(place) => self.machine.place_position(place),
            StarSpot::Sink => self.sink_bit(copy),
        }
    }

    /// Whether an obligation of an earlier layer can be met at a node of a copy, or in the sink.
    pub(super) fn is_met(&self, sought: Obligation, copy: u32, spot: StarSpot) -> bool {
        let copy = copy as usize;
        let rows = self.answers.iter().find(|(other, _)| *other == sought);
        rows.is_some_and(|(_, rows)| rows[copy].contains(self.bit(copy, spot)))
    }

    /// The copy that a box leads to.
    ///
    /// # Panics
    /// If no call by the box was reached.
    pub(super) fn callee(&self, copy: u32, call: BoxId) -> u32 {
        let links = &self.callees[copy as usize];
        let found = links.binary_search_by_key(&call, |&(call, _)| call);
        links[found.expect("all boxes that are called lead somewhere")].1
    }

    /// Whether a node can only return, and nobody goes on.
    pub(super) fn is_stuck(&self, copy: u32, node: NodeId) -> bool {
        let Some(&(_, call)) = self.callers[copy as usize].first() else { return false };
        only_returns(self.machine, node)
            && exits(self.machine, node).all(|exit| self.machine.site(call, exit).is_none())
    }
}

fn callers(callees: &[Vec<(BoxId, u32)>]) -> Vec<Vec<(u32, BoxId)>> {
    let mut callers = vec![Vec::new(); callees.len()];
    for (copy, links) in (0..).zip(callees) {
        for &(call, callee) in links {
            callers[callee as usize].push((copy, call));
        }
    }
    callers
}

fn only_returns(machine: &Machine, node: NodeId) -> bool {
    let edges = machine.edges(node);
    !edges.is_empty() && edges.iter().all(|edge| matches!(edge, Edge::Return(_)))
}

fn exits(machine: &Machine, node: NodeId) -> impl Iterator<Item = ExitId> + '_ {
    machine.edges(node).iter().filter_map(|&edge| match edge {
        Edge::Return(exit) => Some(exit),
        _ => None,
    })
}

//! Lays out the tables of a machine from what a [`Builder`] holds, once that is known to be sound.

use super::Builder;
use crate::index::{BoxId, CompId, ExitId, Id, LabelId, Lists, NodeId, PlaceId};
use crate::machine::{CallEdge, Doubts, Edge, Machine};
use crate::subsets::Subsets;
use rustc_hash::FxHashSet;

impl Builder {
    /// Lays out the tables. The content has been checked.
    ///
    /// What has been laid out is dropped as soon as possible: this is where most memory is in use.
    pub(crate) fn assemble(mut self) -> Machine {
        self.shrink_to_fit();
        let comps = self.component_names.len();
        let node_count = self.nodes.len();

        let sites = Sites::new(self.site_edges, self.boxes.len());
        let place_count = node_count + sites.list.len();
        let from_nodes = self.node_edges.iter().map(|&(node, edge)| (node_place(node), edge));
        let from_sites = sites.edges.iter().map(|&(i, edge)| (PlaceId::new(node_count + i), edge));
        let all_edges = from_nodes.chain(from_sites);
        let steps = all_edges.clone().filter_map(|(from, edge)| match edge {
            Edge::Step(to) => Some((to, from)),
            _ => None,
        });
        let calls = all_edges.clone().filter_map(|(from, edge)| match edge {
            Edge::Call(call, entry) => Some((call, CallEdge { from, entry })),
            _ => None,
        });
        let returns = all_edges.clone().filter_map(|(from, edge)| match edge {
            Edge::Return(exit) => Some((exit, NodeId::new(from.index()))),
            _ => None,
        });
        let step_sources = Lists::gather(node_count, steps);
        let calls = Lists::gather(self.boxes.len(), calls);
        let return_sources = Lists::gather(self.exits.len(), returns);
        let edges = Lists::gather(place_count, all_edges.clone());
        let is_abstract = self.possible.iter().any(|edges| edges.count_ones(..) > 0);
        let doubts = (is_abstract || !self.unknown.is_empty()).then(|| {
            let count = self.node_edges.len();
            let is_possible = |i: usize| match i.checked_sub(count) {
                None => self.possible[0].contains(i),
                Some(i) => self.possible[1].contains(i),
            };
            let flags = all_edges.enumerate().map(|(i, (from, _))| (from, is_possible(i)));
            let flags = Lists::gather(place_count, flags);
            let flags = flags.items().iter().enumerate();
            let possible = flags.filter(|(_, possible)| **possible).map(|(i, _)| i).collect();
            self.unknown.sort_unstable();
            self.unknown.dedup();
            let has: FxHashSet<_> = self.labelling.iter().copied().collect();
            self.unknown.retain(|pair| !has.contains(pair));
            Box::new(Doubts { possible, unknown: Lists::group(self.labels.len(), &self.unknown) })
        });
        drop((self.node_edges, sites.edges));

        let label_nodes = label_sets((self.labels.len(), node_count), self.labelling);
        let mut comp_node_count = vec![0u32; comps];
        for comp in &self.nodes.component {
            comp_node_count[comp.index()] += 1;
        }
        let site_comps = sites.list.iter().map(|&(call, _)| self.boxes.component(call));
        let place_comps = self.nodes.component.iter().copied().chain(site_comps);
        let comp_places = by_component(comps, place_comps);
        let comp_exits = by_component(comps, self.exits.component.iter().copied());
        let entry_ids = self.entries.ones().map(NodeId::new);
        let entries: Vec<_> = entry_ids.map(|id| (self.nodes.component(id), id)).collect();
        let mut initial = self.initial;
        let mut seen = FxHashSet::default();
        initial.retain(|&node| seen.insert(node));

        Machine {
            comp_entries: Lists::group(comps, &entries),
            comp_boxes: by_component(comps, self.boxes.component.iter().copied()),
            callers: by_component(comps, self.box_callee.iter().copied()),
            place_local: positions(&comp_places, place_count),
            comp_places,
            comp_node_count,
            exit_local: positions(&comp_exits, self.exits.len()),
            comp_exits,
            sites: sites.list,
            box_sites: sites.starts,
            edges,
            step_sources,
            calls,
            return_sources,
            label_nodes,
            labels: self.labels,
            is_entry: self.entries,
            component_names: self.component_names,
            node_names: self.nodes.names,
            box_names: self.boxes.names,
            exit_names: self.exits.names,
            node_comp: self.nodes.component,
            box_comp: self.boxes.component,
            box_callee: self.box_callee,
            exit_comp: self.exits.component,
            initial,
            end_rule: self.end_rule,
            dead_end_rule: self.dead_end_rule,
            origins: self.origins,
            doubts,
        }
    }

    /// Gives back what was set aside for more.
    fn shrink_to_fit(&mut self) {
        self.component_names.shrink_to_fit();
        self.nodes.shrink_to_fit();
        self.boxes.shrink_to_fit();
        self.exits.shrink_to_fit();
        self.box_callee.shrink_to_fit();
        self.node_edges.shrink_to_fit();
        self.initial.shrink_to_fit();
    }
}

/// The return sites that have edges.
struct Sites {
    /// Sorted, each once.
    list: Vec<(BoxId, ExitId)>,
    /// Where those of a box begin in the list; one entry more than there are boxes.
    starts: Vec<u32>,
    /// The edges, each with the position of its site in the list.
    edges: Vec<(usize, Edge)>,
}

impl Sites {
    fn new(site_edges: Vec<((BoxId, ExitId), Edge)>, boxes: usize) -> Self {
        let mut list: Vec<(BoxId, ExitId)> = site_edges.iter().map(|&(at, _)| at).collect();
        list.sort_unstable();
        list.dedup();
        let mut starts = vec![0u32; boxes + 1];
        for &(call, _) in &list {
            starts[call.index() + 1] += 1;
        }
        for call in 0..boxes {
            starts[call + 1] += starts[call];
        }
        let position = |at: (BoxId, ExitId)| {
            let first = starts[at.0.index()] as usize;
            let own = &list[first..starts[at.0.index() + 1] as usize];
            first + own.partition_point(|&site| site < at)
        };
        let edges = site_edges.into_iter().map(|(at, edge)| (position(at), edge)).collect();
        Sites { list, starts, edges }
    }
}

fn node_place(node: NodeId) -> PlaceId {
    PlaceId::new(node.index())
}

/// The ids of things, which count from 0, by their components.
fn by_component<I: Id>(
    comps: usize,
    comp_of: impl Iterator<Item = CompId> + Clone,
) -> Lists<CompId, I> {
    Lists::gather(comps, comp_of.zip((0..).map(I::new)))
}

/// The nodes of each label.
fn label_sets(
    (labels, nodes): (usize, usize),
    mut labelling: Vec<(LabelId, NodeId)>,
) -> Subsets<LabelId, NodeId> {
    let mut lists = Lists::group(labels, &labelling);
    // Mostly nodes are labelled in their order, and that is all.
    if !(0..labels).all(|label| lists.of(LabelId::new(label)).is_sorted_by(|a, b| a < b)) {
        labelling.sort_unstable();
        labelling.dedup();
        lists = Lists::group(labels, &labelling);
    }
    drop(labelling);
    let mut sets = Subsets::new(nodes);
    for label in 0..labels {
        sets.push(lists.of(LabelId::new(label)));
    }
    sets
}

/// For each item of the lists, which hold each of `count` ids once: its position in its list.
fn positions<I: Id>(lists: &Lists<CompId, I>, count: usize) -> Vec<u32> {
    let mut position = vec![0; count];
    for comp in 0..lists.len() {
        for (i, item) in (0..).zip(lists.of(CompId::new(comp))) {
            position[item.index()] = i;
        }
    }
    position
}

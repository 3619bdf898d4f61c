//! From which places of a product does an accepting path go on for ever without leaving its frame?
//!
//! Such a path stays in the frame or goes deeper. In the graph of places in which a call leads to
//! the entry (and never comes back), and to the return sites that it can come back to, it is an
//! endless path; and an endless path of the graph is such a path. So it exists if a strongly
//! connected part of the graph is reached whose edges have all marks between them. The marks of an
//! edge to a return site are those of all ways through the call: going round again and again, one
//! may take each of them.
//!
//! Nothing here needs a case for parts that consist of return sites alone (two calls that follow
//! each other for ever), or that have no edge but into calls (endless recursion).
//!
//! # Source
//! Bouajjani, Esparza, Maler: Reachability analysis of pushdown automata, CONCUR 1997 (repeating
//! heads); Alur et al.: Analysis of recursive state machines, TOPLAS 2005.

use super::product::{Onward, Product, SpotId};
use crate::streett::{Carried, Goal, Kind, Net, Streett};
use fixedbitset::FixedBitSet;
use tern_model::automaton::{Marks, all_marks};
use tern_model::budget::Meter;
use tern_model::scc::Components;
use tern_model::{Id, Limit};

/// The places from which an accepting path goes on for ever without leaving its frame.
pub(super) fn winning(
    product: &Product<'_>,
    mark_count: u32,
    meter: &mut Meter<'_>,
) -> Result<FixedBitSet, Limit> {
    let graph = graph(product, meter)?;
    let components = graph.components(meter)?;
    let all = all_marks(mark_count);
    let mut winning = FixedBitSet::with_capacity(product.places.len());
    for component in components.ids() {
        // What is reached from here is in components that came before.
        let (mut marks, mut cyclic, mut wins) = (0, false, false);
        for &place in components.members(component) {
            for &(to, of_edge) in graph.edges(place) {
                meter.tick()?;
                if components.of(to) == component {
                    cyclic = true;
                    marks |= of_edge;
                } else {
                    wins |= winning.contains(to.index());
                }
            }
        }
        if wins || cyclic && marks & all == all {
            winning.extend(components.members(component).iter().map(|place| place.index()));
        }
    }
    Ok(winning)
}

/// The same, if the last of the marks are those of pairs of strong fairness.
pub(super) fn winning_with_pairs(
    product: &Product<'_>,
    mark_count: u32,
    pair_count: u32,
    meter: &mut Meter<'_>,
) -> Result<FixedBitSet, Limit> {
    let first = mark_count - pair_count;
    let goal = Goal { required: all_marks(first), first };
    let net = net(product, meter)?;
    let graph = graph(product, meter)?;
    let components = graph.components(meter)?;
    let mut streett = Streett::new(&net, goal);
    let mut winning = FixedBitSet::with_capacity(product.places.len());
    for component in components.ids() {
        let members = components.members(component);
        let mut wins = false;
        for &place in members {
            for &(to, _) in graph.edges(place) {
                meter.tick()?;
                wins |= winning.contains(to.index());
            }
        }
        if wins || streett.core(members.to_vec(), meter)?.is_some() {
            winning.extend(members.iter().map(|place| place.index()));
        }
    }
    Ok(winning)
}

/// A product as a net.
fn net(product: &Product<'_>, meter: &mut Meter<'_>) -> Result<Net<SpotId>, Limit> {
    let mut net = Net::new();
    for place in product.places.ids() {
        let premises = product.premises(place);
        for &(onward, marks) in product.ways(place) {
            meter.tick()?;
            let own = Carried { marks, premises };
            match onward {
                Onward::Step(to) => net.add_arc(Kind::Move(to), own),
                Onward::Call(call, entry) => {
                    net.add_arc(Kind::Descend(entry), own);
                    for (exit, site) in product.exits_through(call, entry) {
                        meter.tick()?;
                        net.add_arc(Kind::Through(entry, exit.index() as u32, site), own);
                    }
                }
                Onward::Return(exit) => net.add_arc(Kind::Leave(exit.index() as u32), own),
            }
        }
        net.add_place();
    }
    Ok(net)
}

/// A graph whose edges carry marks.
pub(super) struct MarkedGraph<I> {
    edges: Vec<(I, Marks)>,
    /// Where the edges of each node begin, and after the last where they end.
    begin: Vec<usize>,
}

impl<I: Id> MarkedGraph<I> {
    pub(super) fn new() -> Self {
        MarkedGraph { edges: Vec::new(), begin: vec![0] }
    }

    /// Adds an edge to the next node.
    fn add_edge(&mut self, to: I, marks: Marks) {
        self.edges.push((to, marks));
    }

    /// The next node has all its edges.
    fn add_node(&mut self) {
        self.begin.push(self.edges.len());
    }

    /// Adds the next node with its edges.
    pub(super) fn add(&mut self, edges: impl Iterator<Item = (I, Marks)>) {
        self.edges.extend(edges);
        self.add_node();
    }

    pub(super) fn edges(&self, node: I) -> &[(I, Marks)] {
        &self.edges[self.begin[node.index()]..self.begin[node.index() + 1]]
    }

    pub(super) fn components(&self, meter: &mut Meter<'_>) -> Result<Components<I>, Limit> {
        let successors = |node| self.edges(node).iter().map(|&(to, _)| to);
        Components::new(self.begin.len() - 1, successors, meter)
    }
}

/// Places and how one gets from one to the other without leaving the frame of the first.
fn graph(product: &Product<'_>, meter: &mut Meter<'_>) -> Result<MarkedGraph<SpotId>, Limit> {
    let mut graph = MarkedGraph::new();
    for place in product.places.ids() {
        for &(onward, marks) in product.ways(place) {
            meter.tick()?;
            match onward {
                Onward::Step(to) => graph.add_edge(to, marks),
                Onward::Call(call, entry) => {
                    graph.add_edge(entry, marks);
                    for (site, inner) in product.returns(call, entry) {
                        meter.tick()?;
                        graph.add_edge(site, marks | inner);
                    }
                }
                Onward::Return(_) => (),
            }
        }
        graph.add_node();
    }
    Ok(graph)
}

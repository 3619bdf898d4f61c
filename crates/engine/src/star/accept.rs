//! From which places of a product does an accepting path go on for ever without leaving its frame?
//!
//! Such a path stays in the frame or goes deeper. In the graph of places in which a call leads to the entry
//! (and never comes back), and to the return sites that it can come back to, it is an endless path; and an
//! endless path of the graph is such a path. So it exists if a strongly connected part of the graph is
//! reached whose edges have all marks between them. The marks of an edge to a return site are those of
//! all ways through the call: going round again and again, one may take each of them.
//!
//! Nothing here needs a case for parts that consist of return sites alone (two calls that follow each other
//! for ever), or that have no edge but into calls (endless recursion).
//!
//! # Source
//! Bouajjani, Esparza, Maler: Reachability analysis of pushdown automata, CONCUR 1997 (repeating heads);
//! Alur et al.: Analysis of recursive state machines, TOPLAS 2005. The components by R. Tarjan, 1972.

use super::product::{Onward, Product};
use fixedbitset::FixedBitSet;
use tern_model::Limit;
use tern_model::automaton::{Marks, all_marks};
use tern_model::budget::Meter;

/// The places from which an accepting path goes on for ever without leaving its frame.
pub(super) fn winning(
    product: &Product<'_>,
    mark_count: u32,
    meter: &mut Meter<'_>,
) -> Result<FixedBitSet, Limit> {
    let graph = Graph::new(product, meter)?;
    let all = all_marks(mark_count);
    let mut winning = FixedBitSet::with_capacity(product.places.len());
    let mut component_of = vec![UNSEEN; product.places.len()];
    let mut count = 0;
    components(&graph, meter, |members, meter| {
        for &place in members {
            component_of[place as usize] = count;
        }
        // What is reached from here is in components that came before.
        let (mut marks, mut cyclic, mut wins) = (0, false, false);
        for &place in members {
            for &(to, of_edge) in graph.edges(place) {
                meter.tick()?;
                if component_of[to as usize] == count {
                    cyclic = true;
                    marks |= of_edge;
                } else {
                    wins |= winning.contains(to as usize);
                }
            }
        }
        if wins || cyclic && marks & all == all {
            winning.extend(members.iter().map(|&place| place as usize));
        }
        count += 1;
        Ok(())
    })?;
    Ok(winning)
}

const UNSEEN: u32 = u32::MAX;

/// Places and how one gets from one to the other without leaving the frame of the first.
pub(super) struct Graph {
    pub(super) edges: Vec<(u32, Marks)>,
    /// Where the edges of each place begin, and after the last where they end.
    pub(super) start: Vec<usize>,
}

impl Graph {
    fn new(product: &Product<'_>, meter: &mut Meter<'_>) -> Result<Self, Limit> {
        let mut graph = Graph { edges: Vec::new(), start: vec![0] };
        for place in 0..product.places.len() as u32 {
            for &(onward, marks) in product.ways(place) {
                meter.tick()?;
                match onward {
                    Onward::Step(to) => graph.edges.push((to, marks)),
                    Onward::Call(call, entry) => {
                        graph.edges.push((entry, marks));
                        for (site, inner) in product.returns(call, entry) {
                            meter.tick()?;
                            graph.edges.push((site, marks | inner));
                        }
                    }
                    Onward::Return(_) => (),
                }
            }
            graph.start.push(graph.edges.len());
        }
        Ok(graph)
    }

    pub(super) fn edges(&self, place: u32) -> &[(u32, Marks)] {
        &self.edges[self.start[place as usize]..self.start[place as usize + 1]]
    }
}

/// Finds the strongly connected components, each after those that it leads to.
pub(super) fn components<'b>(
    graph: &Graph,
    meter: &mut Meter<'b>,
    mut found: impl FnMut(&[u32], &mut Meter<'b>) -> Result<(), Limit>,
) -> Result<(), Limit> {
    let count = graph.start.len() - 1;
    // The number of a place in the order of discovery, and the least that is known to be reached from it
    // among the places whose component is open. `DONE` once its component is found.
    const DONE: u32 = u32::MAX - 1;
    let mut low = vec![UNSEEN; count];
    let mut open: Vec<u32> = Vec::new();
    // The path from the root of the search: a place, its number, and the edge to look at next.
    let mut path: Vec<(u32, u32, usize)> = Vec::new();
    let mut numbers = 0;
    for root in 0..count as u32 {
        if low[root as usize] != UNSEEN {
            continue;
        }
        path.push((root, numbers, graph.start[root as usize]));
        low[root as usize] = numbers;
        open.push(root);
        numbers += 1;
        while let Some(&mut (place, number, ref mut next)) = path.last_mut() {
            meter.tick()?;
            if *next < graph.start[place as usize + 1] {
                let (to, _) = graph.edges[*next];
                *next += 1;
                match low[to as usize] {
                    UNSEEN => {
                        path.push((to, numbers, graph.start[to as usize]));
                        low[to as usize] = numbers;
                        open.push(to);
                        numbers += 1;
                    }
                    DONE => (),
                    reached => low[place as usize] = low[place as usize].min(reached),
                }
                continue;
            }
            path.pop();
            let least = low[place as usize];
            if let Some(&(before, ..)) = path.last() {
                low[before as usize] = low[before as usize].min(least);
            }
            if least == number {
                let begin = open.iter().rposition(|&other| other == place).expect("it is open");
                for &member in &open[begin..] {
                    low[member as usize] = DONE;
                }
                found(&open[begin..], meter)?;
                open.truncate(begin);
            }
        }
    }
    Ok(())
}

//! Which nodes runs visit again and again, by measures that a proof gives.
//!
//! A measure is a set of parts at each node of a strongly connected component; it counts the
//! objects that these stand for. If no step of the component grows it, steps that shrink it happen
//! finitely often, and are taken out. Then it goes on with the components of what is left.

use super::super::{NoRun, refused};
use super::graph::Origin;
use std::collections::BTreeMap;
use tern_model::NodeId;
use tern_model::budget::Meter;
use tern_model::index::Id;
use tern_model::scc::Components;

/// A step of a frame, with calls that come back as one step, or a step into a callee.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// Where it begins.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// Where the objects of each part of the heap there come from.
    pub origins: Vec<Origin>,
}

/// A measure: what is counted at some nodes.
pub type Measure = Vec<(usize, Vec<usize>)>;

/// Nodes, and measures of what is left of the machine without them.
///
/// A run that goes on for ever comes to these nodes again and again, or it stays in what is left in
/// the end, on which more measures may not grow; then it comes again and again to nodes that these
/// leave. (What lies inside calls that come back is not looked at there: a run that comes to some
/// of the nodes only inside of such calls, but again and again, is no exception.)
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Avoiding {
    /// The nodes.
    pub nodes: Vec<usize>,
    /// The measures, in rounds.
    pub ranks: Vec<Vec<Measure>>,
}

impl Avoiding {
    /// For each node whether it is one of those that a run comes to again and again.
    ///
    /// # Errors
    /// What is wrong with it, or a limit.
    pub fn visited(
        &self,
        arrows: &[Arrow],
        sizes: &[(usize, usize)],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<bool>, NoRun> {
        let mut out = vec![false; sizes.len()];
        for &node in &self.nodes {
            match out.get_mut(node) {
                Some(out) => *out = true,
                None => return refused("a node is avoided that is not there"),
            }
        }
        // No circle leads through a node to which no arrow leads.
        let left = arrows.iter().filter(|it| !out[it.to]).cloned();
        let again = recurrent(&left.collect::<Vec<_>>(), sizes, &self.ranks, meter)?;
        Ok(out.iter().zip(again).map(|(out, again)| *out || again).collect())
    }
}

/// The most parts that a heap may have of which something is counted.
const MOST_PARTS: usize = 126;

/// For each node whether it may be visited again and again. `sizes` are the numbers of objects and
/// of parts of the heap at each node.
///
/// # Errors
/// What is wrong with the measures, or a limit.
pub fn recurrent(
    arrows: &[Arrow],
    sizes: &[(usize, usize)],
    rounds: &[Vec<Measure>],
    meter: &mut Meter<'_>,
) -> Result<Vec<bool>, NoRun> {
    let mut alive: Vec<usize> = (0..arrows.len()).collect();
    for number in 0..=rounds.len() {
        let mut next: Vec<Vec<NodeId>> = vec![Vec::new(); sizes.len()];
        for &arrow in &alive {
            next[arrows[arrow].from].push(NodeId::new(arrows[arrow].to));
        }
        let components =
            Components::new(sizes.len(), |node: NodeId| next[node.index()].iter().copied(), meter)?;
        let component = |node: usize| components.of(NodeId::new(node));
        alive.retain(|&it| component(arrows[it].from) == component(arrows[it].to));
        let Some(round) = rounds.get(number) else { break };
        let mut gone = vec![false; arrows.len()];
        for measure in round {
            let Some(&(first, _)) = measure.first() else { continue };
            if measure.iter().any(|(node, _)| *node >= sizes.len()) {
                return refused("something is counted at a node that is not there");
            }
            let counted = counted(measure, sizes)?;
            let inside = alive.iter().filter(|&&it| component(arrows[it].from) == component(first));
            for &arrow in inside {
                meter.tick()?;
                if shrinks(&arrows[arrow], sizes, &counted)? {
                    gone[arrow] = true;
                }
            }
        }
        alive.retain(|&it| !gone[it]);
    }
    let mut again = vec![false; sizes.len()];
    for &arrow in &alive {
        again[arrows[arrow].from] = true;
        again[arrows[arrow].to] = true;
    }
    Ok(again)
}

fn counted(measure: &Measure, sizes: &[(usize, usize)]) -> Result<BTreeMap<usize, Origin>, NoRun> {
    let mut counted = BTreeMap::new();
    for (node, parts) in measure {
        let (_, count) = sizes[*node];
        if count > MOST_PARTS || parts.iter().any(|it| *it == 0 || *it >= count) {
            return refused("something is counted that is not there");
        }
        let parts = parts.iter().fold(Origin::NONE, |sum, it| sum.and(Origin::part(*it)));
        counted.insert(*node, parts);
    }
    Ok(counted)
}

/// Whether a step shrinks a measure.
///
/// # Errors
/// If it may grow.
fn shrinks(
    arrow: &Arrow,
    sizes: &[(usize, usize)],
    counted: &BTreeMap<usize, Origin>,
) -> Result<bool, NoRun> {
    let of = |node: usize| counted.get(&node).copied().unwrap_or_default();
    let (before, after) = (of(arrow.from), of(arrow.to));
    let parts = arrow.origins.iter().enumerate();
    let needed = parts.filter(|(part, _)| after.includes(Origin::part(*part)));
    let needed = needed.fold(Origin::NONE, |sum, (_, origin)| sum.and(*origin));
    // New objects come from nothing that was counted.
    if !before.includes(needed) {
        return refused("a measure may grow");
    }
    // An object that was counted, and that nothing comes from which is counted now.
    let gone = (1..sizes[arrow.from].0).any(|object| {
        let part = Origin::part(object);
        before.includes(part) && !needed.meets(part)
    });
    // An object that comes from what was counted, and is not counted now.
    let left = (1..sizes[arrow.to].0).any(|object| {
        let origin = arrow.origins[object];
        origin != Origin::NONE && before.includes(origin) && !after.includes(Origin::part(object))
    });
    Ok(gone || left)
}

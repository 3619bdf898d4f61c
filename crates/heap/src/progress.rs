//! Which runs cannot go on for ever, although the abstract machine says they could.
//!
//! A *measure* is a set of parts (objects and hyperedges) at each node: it counts the objects that
//! these stand for. It is a number, so on an endless run it cannot shrink for ever without growing
//! for ever. A step knows where the objects of each part of its heap come from
//! ([`Trace`](crate::traced::Trace)). The measure does not grow in a step if what it counts
//! afterwards comes from what it counted before. It shrinks if in addition an object that it
//! counted is not counted any more: an object of the heap before that nothing counted afterwards
//! comes from, or an object of the heap afterwards that comes from what was counted, and is not
//! counted.
//!
//! The graph that is looked at has the steps of each frame, with calls that come back as one step,
//! and steps into callees. An endless run, with its calls that come back taken as one step, is an
//! endless path in it, and stays in one strongly connected component in the end. Where a measure
//! never grows on a component, the steps that shrink it happen finitely often, and are taken out;
//! what is left falls into smaller components. A node that is in no component in the end is visited
//! finitely often by every run. So every run ends, or visits the other nodes again and again.
//!
//! Measures that do not grow are found backwards: one part of one node is counted, hence all that
//! it comes from by any step of the component, and so on. If that includes new objects, the part is
//! given up.
//!
//! A claim may ask for more: that a run which goes on for ever comes to some nodes again and again
//! (`G F p`), although it may go around without end. So the same is asked of the graph without such
//! nodes (`recurrent_without`): a run that comes to them finitely often only is a path of that
//! graph in the end, on which more measures do not grow. Hence every run visits again and again the
//! nodes that were taken out, or those that are in a component of what is left.
//!
//! Source: the elimination of edges is that of Streett pairs; sizes of regions as ranks as in
//! R. Manevich et al., From Shape Analysis to Termination Analysis in Linear Time (CAV 2016).

use crate::machine::{Arrow, HeapMachine};
use crate::traced::Origin;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use tern_model::NodeId;
use tern_model::budget::{Limit, Meter};
use tern_model::index::Id;
use tern_model::scc::Components;

/// How many parts of a component are tried.
const MOST_TRIED: usize = 400;

/// What is counted at some nodes: parts of their heaps.
pub type Measure = Vec<(NodeId, Vec<usize>)>;

/// The nodes that a run may visit again and again, as far as measures tell, by the steps of frames
/// with those across calls.
///
/// # Errors
/// The limit that was reached.
pub(crate) fn recurrent(
    machine: &HeapMachine<'_>,
    arrows: &[Arrow],
    meter: &mut Meter<'_>,
) -> Result<BTreeSet<NodeId>, Limit> {
    Ok(Steps::of(machine, arrows).recurrent(meter)?.0)
}

/// The nodes that a run may visit again and again if it comes finitely often only to nodes that are
/// taken out.
///
/// # Errors
/// The limit that was reached.
pub(crate) fn recurrent_without(
    machine: &HeapMachine<'_>,
    arrows: &[Arrow],
    out: impl Fn(NodeId) -> bool,
    meter: &mut Meter<'_>,
) -> Result<BTreeSet<NodeId>, Limit> {
    let inside = arrows.iter().enumerate().filter(|(_, arrow)| !out(arrow.from) && !out(arrow.to));
    let inside = inside.map(|(number, _)| number).collect();
    Ok(Steps::of(machine, arrows).recurrent_of(inside, meter)?.0)
}

/// Steps between nodes.
pub struct Steps<'a> {
    /// The steps.
    pub arrows: &'a [Arrow],
    /// How many objects and how many parts the heap at each node has.
    pub sizes: Vec<(usize, usize)>,
}

/// What is counted at each node.
type Counted = BTreeMap<NodeId, Origin>;

impl<'a> Steps<'a> {
    fn of(machine: &HeapMachine<'_>, arrows: &'a [Arrow]) -> Self {
        let heap = |node: usize| machine.heap(machine.state(NodeId::new(node)).heap);
        let sizes = (0..machine.len()).map(heap);
        let sizes = sizes.map(|heap| (heap.len(), heap.len() + heap.edges().len())).collect();
        Steps { arrows, sizes }
    }

    /// The nodes that may be visited again and again, and the measures that exclude the others:
    /// rounds, with one for each of some strongly connected components.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn recurrent(
        &self,
        meter: &mut Meter<'_>,
    ) -> Result<(BTreeSet<NodeId>, Vec<Vec<Measure>>), Limit> {
        self.recurrent_of((0..self.arrows.len()).collect(), meter)
    }

    /// The same of some of the steps.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn recurrent_of(
        &self,
        mut alive: Vec<usize>,
        meter: &mut Meter<'_>,
    ) -> Result<(BTreeSet<NodeId>, Vec<Vec<Measure>>), Limit> {
        let mut rounds = Vec::new();
        loop {
            let components = self.components(&alive, meter)?;
            let of = |node: NodeId| components.of(node);
            alive.retain(|&it| of(self.arrows[it].from) == of(self.arrows[it].to));
            let mut inside: Vec<Vec<usize>> = vec![Vec::new(); components.len()];
            for &arrow in &alive {
                inside[of(self.arrows[arrow].from).index()].push(arrow);
            }
            let (mut taken, mut measures) = (FxHashSet::default(), Vec::new());
            for arrows in inside.iter().filter(|arrows| !arrows.is_empty()) {
                if let Some((counted, found)) = self.shrinking(arrows, meter)? {
                    taken.extend(found);
                    measures.push(measure(&counted));
                }
            }
            if taken.is_empty() {
                let arrows = alive.iter().map(|&arrow| &self.arrows[arrow]);
                let again = arrows.flat_map(|arrow| [arrow.from, arrow.to]).collect();
                return Ok((again, rounds));
            }
            rounds.push(measures);
            alive.retain(|arrow| !taken.contains(arrow));
        }
    }

    fn components(
        &self,
        alive: &[usize],
        meter: &mut Meter<'_>,
    ) -> Result<Components<NodeId>, Limit> {
        let mut next: Vec<Vec<NodeId>> = vec![Vec::new(); self.sizes.len()];
        for &arrow in alive {
            let Arrow { from, to, .. } = &self.arrows[arrow];
            next[from.index()].push(*to);
        }
        Components::new(next.len(), |node: NodeId| next[node.index()].iter().copied(), meter)
    }

    /// A measure that no step of a component grows, and the steps that shrink it; none if no such
    /// is found.
    fn shrinking(
        &self,
        arrows: &[usize],
        meter: &mut Meter<'_>,
    ) -> Result<Option<(Counted, Vec<usize>)>, Limit> {
        let mut into: FxHashMap<NodeId, Vec<usize>> = FxHashMap::default();
        let mut nodes: BTreeSet<NodeId> = BTreeSet::new();
        for &arrow in arrows {
            let to = self.arrows[arrow].to;
            into.entry(to).or_default().push(arrow);
            nodes.insert(to);
        }
        let seeds = nodes.iter().flat_map(|&node| {
            // Hyperedges are tried first: they stand for many objects.
            let (objects, parts) = self.sizes[node.index()];
            (objects..parts).chain(1..objects).map(move |part| (node, part))
        });
        for (node, part) in seeds.take(MOST_TRIED) {
            let Some(counted) = self.closed(&into, (node, part), meter)? else { continue };
            let found: Vec<usize> =
                arrows.iter().copied().filter(|&arrow| self.shrinks(&counted, arrow)).collect();
            if !found.is_empty() {
                return Ok(Some((counted, found)));
            }
        }
        Ok(None)
    }

    /// The least measure that counts a part of a node and does not grow; `None` if there is none.
    fn closed(
        &self,
        into: &FxHashMap<NodeId, Vec<usize>>,
        (node, part): (NodeId, usize),
        meter: &mut Meter<'_>,
    ) -> Result<Option<Counted>, Limit> {
        let mut counted = Counted::default();
        counted.insert(node, Origin::part(part));
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let here = counted[&node];
            for &arrow in into.get(&node).map_or(&[][..], Vec::as_slice) {
                meter.tick()?;
                let Arrow { from, ref trace, .. } = self.arrows[arrow];
                let needed = comes_from(trace, here);
                if needed.meets(Origin::NEW) {
                    return Ok(None);
                }
                let before = counted.entry(from).or_default();
                if !before.includes(needed) {
                    *before = before.and(needed);
                    open.push(from);
                }
            }
        }
        Ok(Some(counted))
    }

    /// Whether a step shrinks a measure that it does not grow.
    fn shrinks(&self, counted: &Counted, arrow: usize) -> bool {
        let Arrow { from, to, ref trace } = self.arrows[arrow];
        let of = |node: NodeId| counted.get(&node).copied().unwrap_or_default();
        let (before, after) = (of(from), of(to));
        let needed = comes_from(trace, after);
        debug_assert!(before.includes(needed), "measures do not grow");
        let (objects, _) = self.sizes[from.index()];
        let gone = |object: usize| {
            let part = Origin::part(object);
            before.includes(part) && !needed.meets(part)
        };
        // An object that comes from what was counted, but is not counted.
        let left = |(number, &origin): (usize, &Origin)| {
            origin != Origin::NONE
                && before.includes(origin)
                && !after.includes(Origin::part(number))
        };
        (1..objects).any(gone) || trace.objects.iter().enumerate().skip(1).any(left)
    }
}

fn measure(counted: &Counted) -> Measure {
    let mut all: Measure =
        counted.iter().map(|(node, origin)| (*node, origin.parts().collect())).collect();
    all.sort();
    all
}

/// Where the objects of some parts come from.
fn comes_from(trace: &crate::traced::Trace, parts: Origin) -> Origin {
    let all = trace.objects.iter().chain(&trace.edges).enumerate();
    let some = all.filter(|&(number, _)| parts.includes(Origin::part(number)));
    some.fold(Origin::NONE, |sum, (_, &origin)| sum.and(origin))
}

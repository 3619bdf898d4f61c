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
//! Source: the elimination of edges is that of Streett pairs; sizes of regions as ranks as in
//! R. Manevich et al., From Shape Analysis to Termination Analysis in Linear Time (CAV 2016).

use crate::machine::{Arrow, HeapMachine};
use crate::traced::Origin;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use tern_model::NodeId;
use tern_model::budget::{Limit, Meter};
use tern_model::index::Id;
use tern_model::scc::Components;

/// How many parts of a component are tried.
const MOST_TRIED: usize = 400;

/// The nodes that a run may visit again and again, as far as measures tell.
///
/// # Errors
/// The limit that was reached.
pub fn recurrent(
    machine: &HeapMachine<'_>,
    meter: &mut Meter<'_>,
) -> Result<BTreeSet<NodeId>, Limit> {
    let mut alive: Vec<usize> = (0..machine.arrows().len()).collect();
    loop {
        let components = components(machine, &alive, meter)?;
        let mut taken: FxHashSet<usize> = FxHashSet::default();
        let mut inside: Vec<Vec<usize>> = vec![Vec::new(); components.len()];
        for &arrow in &alive {
            let Arrow { from, to, .. } = &machine.arrows()[arrow];
            if components.of(*from) == components.of(*to) {
                inside[components.of(*from).index()].push(arrow);
            } else {
                taken.insert(arrow);
            }
        }
        for arrows in inside.iter().filter(|arrows| !arrows.is_empty()) {
            taken.extend(shrinking(machine, arrows, meter)?);
        }
        if taken.is_empty() {
            let arrows = alive.iter().map(|&arrow| &machine.arrows()[arrow]);
            return Ok(arrows.flat_map(|arrow| [arrow.from, arrow.to]).collect());
        }
        alive.retain(|arrow| !taken.contains(arrow));
    }
}

fn components(
    machine: &HeapMachine<'_>,
    alive: &[usize],
    meter: &mut Meter<'_>,
) -> Result<Components<NodeId>, Limit> {
    let mut next: Vec<Vec<NodeId>> = vec![Vec::new(); machine.len()];
    for &arrow in alive {
        let Arrow { from, to, .. } = &machine.arrows()[arrow];
        next[from.index()].push(*to);
    }
    Components::new(next.len(), |node: NodeId| next[node.index()].iter().copied(), meter)
}

/// Steps that shrink a measure which no step of a component grows; none if no such is found.
fn shrinking(
    machine: &HeapMachine<'_>,
    arrows: &[usize],
    meter: &mut Meter<'_>,
) -> Result<Vec<usize>, Limit> {
    let mut into: FxHashMap<NodeId, Vec<usize>> = FxHashMap::default();
    let mut nodes: BTreeSet<NodeId> = BTreeSet::new();
    for &arrow in arrows {
        let to = machine.arrows()[arrow].to;
        into.entry(to).or_default().push(arrow);
        nodes.insert(to);
    }
    let seeds = nodes.iter().flat_map(|&node| {
        let heap = machine.heap(machine.state(node).heap);
        // Hyperedges are tried first: they stand for many objects.
        let (objects, parts) = (heap.len(), heap.len() + heap.edges().len());
        (objects..parts).chain(1..objects).map(move |part| (node, part))
    });
    for (node, part) in seeds.take(MOST_TRIED) {
        let Some(counted) = closed(machine, &into, (node, part), meter)? else { continue };
        let found: Vec<usize> =
            arrows.iter().copied().filter(|&arrow| shrinks(machine, &counted, arrow)).collect();
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// What is counted at each node.
type Counted = FxHashMap<NodeId, Origin>;

/// The least measure that counts a part of a node and does not grow; `None` if there is none.
fn closed(
    machine: &HeapMachine<'_>,
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
            let Arrow { from, ref trace, .. } = machine.arrows()[arrow];
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

/// Where the objects of some parts come from.
fn comes_from(trace: &crate::traced::Trace, parts: Origin) -> Origin {
    let all = trace.objects.iter().chain(&trace.edges).enumerate();
    let some = all.filter(|&(number, _)| parts.includes(Origin::part(number)));
    some.fold(Origin::NONE, |sum, (_, &origin)| sum.and(origin))
}

/// Whether a step shrinks a measure that it does not grow.
fn shrinks(machine: &HeapMachine<'_>, counted: &Counted, arrow: usize) -> bool {
    let Arrow { from, to, ref trace } = machine.arrows()[arrow];
    let of = |node: NodeId| counted.get(&node).copied().unwrap_or_default();
    let (before, after) = (of(from), of(to));
    let needed = comes_from(trace, after);
    debug_assert!(before.includes(needed), "measures do not grow");
    let objects = machine.heap(machine.state(from).heap).len();
    let gone = |object: usize| {
        let part = Origin::part(object);
        before.includes(part) && !needed.meets(part)
    };
    // An object that comes from what was counted, but is not counted.
    let left = |(number, &origin): (usize, &Origin)| {
        origin != Origin::NONE && before.includes(origin) && !after.includes(Origin::part(number))
    };
    (1..objects).any(gone) || trace.objects.iter().enumerate().skip(1).any(left)
}

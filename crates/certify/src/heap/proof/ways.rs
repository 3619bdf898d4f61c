//! Where objects come from across calls that come back: the least that explains all steps.
//!
//! From each node at which a procedure is entered its steps are followed, and for each part of a
//! heap it is written down which parts of the heap at the entry its objects may come from. What is
//! so known of an exit is what a call does, in callers and in the procedure itself. A call that
//! comes back has taken finitely many steps, so by induction over these nothing is missing.

use super::super::NoRun;
use super::graph::Origin;
use super::ranks::Arrow;
use std::collections::{BTreeMap, BTreeSet};
use tern_model::budget::Meter;

/// A way to go on from a node, with the origins of the parts of the heap where it leads.
#[derive(Debug)]
pub(super) enum Way {
    /// To a node of the same frame.
    Goes(usize, Vec<Origin>),
    /// To an exit.
    Returns(usize, Vec<Origin>),
    /// To the node at which another procedure is entered, and from its exits on.
    Calls(usize, Vec<Origin>, Vec<Back>),
}

/// How a caller goes on when a callee returns.
#[derive(Debug)]
pub(super) struct Back {
    /// The exit.
    pub(super) exit: usize,
    /// The node of the caller.
    pub(super) to: usize,
    /// For each part of the heap there, what comes of the heap of the caller.
    pub(super) kept: Vec<Origin>,
    /// And what of the heap at the exit.
    pub(super) left: Vec<Origin>,
}

impl Back {
    /// Where the parts come from, by what is known of the exit.
    fn origins(&self, given: &[Origin], known: Option<&Vec<Origin>>) -> Vec<Origin> {
        // An exit of which nothing is known is never come to.
        let known = known.map_or(&[][..], Vec::as_slice);
        let both = self.kept.iter().zip(&self.left);
        both.map(|(kept, left)| kept.and(left.through(known).through(given))).collect()
    }
}

/// What is known of parts, by the entry and a node or exit.
type Known = BTreeMap<(usize, usize), Vec<Origin>>;

/// Adds what is known; whether it was new.
fn add(known: &mut Known, at: (usize, usize), origins: Vec<Origin>) -> bool {
    let Some(before) = known.get_mut(&at) else {
        known.insert(at, origins);
        return true;
    };
    let mut grew = false;
    for (before, origin) in before.iter_mut().zip(origins) {
        grew |= !before.includes(origin);
        *before = before.and(origin);
    }
    grew
}

/// All steps of frames, if these are the ways of each node: calls that come back are one step.
///
/// # Errors
/// The limit that was reached.
pub(super) fn arrows(ways: &[Vec<Way>], meter: &mut Meter<'_>) -> Result<Vec<Arrow>, NoRun> {
    let exits = exits(ways, meter)?;
    let mut arrows = Vec::new();
    for (from, way) in
        ways.iter().enumerate().flat_map(|it| it.1.iter().map(move |way| (it.0, way)))
    {
        match way {
            Way::Goes(to, origins) => {
                arrows.push(Arrow { from, to: *to, origins: origins.clone() });
            }
            Way::Returns(..) => {}
            Way::Calls(entry, given, backs) => {
                arrows.push(Arrow { from, to: *entry, origins: given.clone() });
                arrows.extend(backs.iter().map(|back| {
                    let origins = back.origins(given, exits.get(&(*entry, back.exit)));
                    Arrow { from, to: back.to, origins }
                }));
            }
        }
    }
    Ok(arrows)
}

/// Where the parts of heaps at exits come from, for each entry.
fn exits(ways: &[Vec<Way>], meter: &mut Meter<'_>) -> Result<Known, NoRun> {
    let (mut nodes, mut exits) = (Known::new(), Known::new());
    let mut open: Vec<(usize, usize)> = Vec::new();
    for way in ways.iter().flatten() {
        if let Way::Calls(entry, given, _) = way {
            let same = (0..given.len()).map(Origin::part).collect();
            if add(&mut nodes, (*entry, *entry), same) {
                open.push((*entry, *entry));
            }
        }
    }
    // Who calls, by the entry of the callee.
    let mut callers: BTreeMap<usize, BTreeSet<(usize, usize)>> = BTreeMap::new();
    while let Some((first, node)) = open.pop() {
        meter.tick()?;
        let Some(here) = nodes.get(&(first, node)).cloned() else { continue };
        let through = |all: &[Origin]| all.iter().map(|it| it.through(&here)).collect();
        for way in &ways[node] {
            match way {
                Way::Goes(to, origins) => {
                    if add(&mut nodes, (first, *to), through(origins)) {
                        open.push((first, *to));
                    }
                }
                Way::Returns(exit, origins) => {
                    if add(&mut exits, (first, *exit), through(origins)) {
                        open.extend(callers.get(&first).into_iter().flatten());
                    }
                }
                Way::Calls(entry, given, backs) => {
                    callers.entry(*entry).or_default().insert((first, node));
                    for back in backs {
                        let known = exits.get(&(*entry, back.exit));
                        let origins = back.origins(given, known);
                        if known.is_some() && add(&mut nodes, (first, back.to), through(&origins)) {
                            open.push((first, back.to));
                        }
                    }
                }
            }
        }
    }
    Ok(exits)
}

//! Telling frames apart by the context bits of one operator.
//!
//! Bits are computed from the root frames down, never guessed: under given bits an operator has known
//! values everywhere in a frame, and its values at the return sites of a box are the bits of the
//! box's callee. Only bits that matter are kept, so that stacks that are the same to the operator
//! lead to one frame.

use crate::bits;
use crate::frames::{self, Frames};
use crate::operator::{Prepared, View};
use crate::summary::NONE;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::{BoxId, Limit, Machine, Stats};

/// How an operator's frames come out.
pub(crate) enum Split {
    /// No frame falls apart: the operator's rows on the frames it was given.
    None(Vec<u64>),
    /// New frames, and the operator's rows on them.
    Finer(Frames, Vec<u64>),
}

/// Tells frames apart by the context bits of an operator, as far as they matter.
pub(crate) fn split(
    view: View<'_>,
    family: usize,
    prepared: &Prepared,
    stats: &mut Stats,
    meter: &mut Meter<'_>,
) -> Result<Split, Limit> {
    let (terrain, machine, frames) = (view.terrain, view.terrain.machine, view.frames);
    let mut without = Vec::with_capacity(frames.len());
    let mut relevant = Vec::with_capacity(frames.len());
    for frame in 0..frames.len() as u32 {
        let values = prepared.evaluate(view, frame, &[], stats, meter)?;
        let ended = view.modes[frames.mode[frame as usize] as usize].ended;
        relevant.push(if ended {
            Box::default()
        } else {
            prepared.relevant_exits(view, frame, &values)
        });
        without.push(values);
    }
    let words = |frame: u32| terrain.row_words(frames.component[frame as usize]);
    if relevant.iter().all(|row| row.is_empty()) {
        let mut rows = Vec::with_capacity(frames.row_words());
        for frame in 0..frames.len() as u32 {
            push_node_row(
                &mut rows,
                machine,
                frames,
                frame,
                &without[frame as usize],
                words(frame),
            );
        }
        return Ok(Split::None(rows));
    }

    let mut finer = Frames::new();
    let mut rows = Vec::new();
    // For each new frame: the frame it comes from, and its context bits.
    let mut contexts: Vec<(u32, Box<[u64]>)> = Vec::new();
    let mut known: FxHashMap<(u32, Box<[u64]>), u32> = FxHashMap::default();
    let mut intern = |finer: &mut Frames, contexts: &mut Vec<_>, frame: u32, after: Box<[u64]>| {
        *known.entry((frame, after)).or_insert_with_key(|(frame, after)| {
            contexts.push((*frame, after.clone()));
            let mode = frames.mode[*frame as usize];
            let ended = view.modes[mode as usize].ended;
            finer.push(terrain, frames.component[*frame as usize], mode, ended)
        })
    };
    for &root in &frames.roots {
        let root = intern(&mut finer, &mut contexts, root, Box::default());
        finer.roots.push(root);
    }
    let mut next = 0;
    while next < contexts.len() {
        meter.tick()?;
        let (frame, after) = contexts[next].clone();
        let evaluated;
        let values = if after.is_empty() {
            &without[frame as usize]
        } else {
            evaluated = prepared.evaluate(view, frame, &after, stats, meter)?;
            &evaluated
        };
        push_node_row(&mut rows, machine, frames, frame, values, words(frame));
        meter.budget().check()?;
        for (position, &call) in
            machine.boxes_of(frames.component[frame as usize]).iter().enumerate()
        {
            let callee = frames.link(frame, position);
            if callee == NONE {
                continue;
            }
            let after = bits_after(machine, call, &relevant[callee as usize], values);
            let to = intern(&mut finer, &mut contexts, callee, after);
            finer.set_link(next as u32, position, to);
        }
        next += 1;
    }
    if contexts.len() == frames.len() {
        // One context for each frame, so that nothing is told apart. Without this, a formula that
        // is nested deeply would have as many families as operators, each with a map to all before.
        let mut new_of = vec![NONE; frames.len()];
        for (new, &(old, _)) in contexts.iter().enumerate() {
            new_of[old as usize] = new as u32;
        }
        if new_of.iter().all(|&new| new != NONE) {
            let rows = new_of.iter().flat_map(|&new| finer.row(&rows, new)).copied().collect();
            return Ok(Split::None(rows));
        }
    }
    finer.coarser = frames::inherited(family, frames, contexts.iter().map(|&(frame, _)| frame));
    Ok(Split::Finer(finer, rows))
}

/// The context bits that a box gives its callee: the values at its return sites, as far as they
/// are relevant. Empty if all are false.
fn bits_after(machine: &Machine, call: BoxId, relevant: &[u64], values: &[u64]) -> Box<[u64]> {
    let mut after: Box<[u64]> = Box::default();
    if relevant.is_empty() {
        return after;
    }
    for (exit, site) in machine.sites_of(call) {
        let exit = machine.exit_position(exit);
        if bits::get(relevant, exit) && bits::get(values, machine.place_position(site)) {
            if after.is_empty() {
                after = vec![0; relevant.len()].into();
            }
            bits::insert(&mut after, exit);
        }
    }
    after
}

/// Appends the nodes' part of the values at the places of a frame.
fn push_node_row(
    rows: &mut Vec<u64>,
    machine: &Machine,
    frames: &Frames,
    frame: u32,
    values: &[u64],
    words: usize,
) {
    let from = rows.len();
    rows.extend_from_slice(&values[..words]);
    bits::trim(&mut rows[from..], machine.nodes_of(frames.component[frame as usize]).len());
}

//! Telling frames apart by the context bits of one operator.
//!
//! Bits are computed from the root frames down, never guessed: under given bits an operator has known
//! values everywhere in a frame, and its values at the return sites of a box are the bits of the
//! box's callee. Only bits that matter are kept, so that stacks that are the same to the operator
//! lead to one frame.

use crate::ctl::operator::{Prepared, View};
use crate::ground::bits;
use crate::ground::frames::Frames;
use crate::ground::ids::{ExitPos, FamilyId, FrameId, Positions};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{BoxId, Id, Limit, Machine, Stats};

/// How many frames are worth a task of their own when they are evaluated in parallel.
const FRAMES_A_TASK: usize = 128;

/// A frame, and its context bits for one operator, by lane.
pub(crate) type Context<const LANES: usize> = (FrameId, [Box<[u64]>; LANES]);

/// How an operator's frames come out.
pub(crate) struct Split<const LANES: usize> {
    /// New frames; `None` if no frame falls apart, and the frames are those that were given.
    pub(crate) finer: Option<Frames>,
    /// The operator's rows over the nodes of all frames, by lane.
    pub(crate) rows: [Vec<u64>; LANES],
    /// For each frame: the frame it comes from, and its context bits.
    pub(crate) contexts: Table<FrameId, Context<LANES>>,
    /// For each frame that was given: the exits whose bits are in contexts; empty if there are none.
    pub(crate) relevant: Table<FrameId, Box<[u64]>>,
    /// In two lanes, for each frame that was given: the exits whose bits matter and are not wanted;
    /// empty if there are none.
    pub(crate) open: Table<FrameId, Box<[u64]>>,
    /// In two lanes, for each frame: the values at its places, by lane. In one lane nobody asks again.
    pub(crate) values: Table<FrameId, [Vec<u64>; LANES]>,
}

/// Tells frames apart by the context bits of an operator, as far as they matter and `wanted` says of
/// a frame and an exit that they are wanted.
///
/// `prepared` is the operator in each lane. In two lanes, bits that matter and are not wanted are
/// unknown: what hangs on them is possible, and not sure.
pub(crate) fn split<const LANES: usize>(
    view: View<'_>,
    family: FamilyId,
    prepared: [&Prepared; LANES],
    wanted: impl Fn(FrameId, ExitPos) -> bool + Sync,
    stats: &mut Stats,
    meter: &mut Meter<'_>,
) -> Result<Split<LANES>, Limit> {
    let (machine, frames) = (view.terrain.machine, view.frames);
    // The frames do not depend on each other here; counts are added up in their order.
    let budget = meter.budget();
    let grounded: Result<Vec<(Ground<LANES>, Stats)>, Limit> = (0..frames.len())
        .into_par_iter()
        .with_min_len(FRAMES_A_TASK)
        .map(|frame| {
            let frame = FrameId::new(frame);
            let (mut stats, mut meter) = (Stats::default(), Meter::new(budget));
            let ground = Ground::new(view, prepared, frame, &wanted, &mut stats, &mut meter)?;
            Ok((ground, stats))
        })
        .collect();
    let mut ground: Table<FrameId, Ground<LANES>> = Table::new();
    for (one, work) in grounded? {
        ground.push(one);
        *stats += work;
    }
    if ground.as_slice().iter().all(|ground| ground.relevant.is_empty()) {
        let mut rows = [const { Vec::new() }; LANES];
        for (frame, ground) in ground.iter() {
            push_node_rows(&mut rows, view, frame, &ground.values);
        }
        let contexts = frames.ids().map(|frame| (frame, no_bits())).collect();
        let relevant = Table::filled(Box::default(), frames.len());
        let (mut open, mut values) = (Table::new(), Table::new());
        for ground in ground {
            open.push(ground.open);
            values.push(ground.values);
        }
        return Ok(Split { finer: None, rows, contexts, relevant, open, values });
    }

    let mut finer = Frames::new();
    let mut rows = [const { Vec::new() }; LANES];
    // For each new frame: the frame it comes from, and its context bits, by lane.
    let mut contexts: Table<FrameId, Context<LANES>> = Table::new();
    let mut known: FxHashMap<Context<LANES>, FrameId> = FxHashMap::default();
    let mut intern = |finer: &mut Frames, contexts: &mut Table<_, _>, frame: FrameId, after| {
        *known.entry((frame, after)).or_insert_with_key(|(frame, after)| {
            contexts.push((*frame, after.clone()));
            let (component, mode) = (frames.component[*frame], frames.mode[*frame]);
            finer.push(view.terrain, component, mode, view.modes[mode].ended)
        })
    };
    for (_, &root) in frames.roots.iter() {
        let root = intern(&mut finer, &mut contexts, root, no_bits());
        finer.roots.push(root);
    }
    let mut kept = Table::new();
    let mut next = 0;
    while next < contexts.len() {
        meter.budget().check()?;
        let new = FrameId::new(next);
        let (frame, after) = contexts[new].clone();
        let evaluated;
        let values = if after.iter().all(|bits| bits.is_empty()) {
            &ground[frame].values
        } else {
            evaluated = ground[frame].under(view, prepared, frame, &after, stats, meter)?;
            &evaluated
        };
        push_node_rows(&mut rows, view, frame, values);
        let boxes = machine.boxes_of(frames.component[frame]);
        for (position, callee) in frames.called_boxes(frame) {
            let call = boxes[position.index()];
            let relevant = &ground[callee].relevant;
            let after =
                std::array::from_fn(|lane| bits_after(machine, call, relevant, &values[lane]));
            let to = intern(&mut finer, &mut contexts, callee, after);
            finer.set_link(new, position, to);
        }
        if LANES > 1 {
            kept.push(values.clone());
        }
        next += 1;
    }
    if contexts.len() == frames.len() {
        // One context for each frame, so that nothing is told apart. Without this, a formula that
        // is nested deeply would have as many families as operators, each with a map to all before.
        if let Some(new_of) = inverse(&contexts) {
            let ordered = |rows: Vec<u64>| {
                let in_order = new_of.as_slice().iter();
                in_order.flat_map(|&new| finer.row(&rows, new)).copied().collect()
            };
            let rows = rows.map(ordered);
            let in_order = if LANES > 1 { new_of.as_slice() } else { &[] };
            let take = |&new: &FrameId| std::mem::replace(&mut kept[new], no_values());
            let values = in_order.iter().map(take).collect();
            let mut contexts: Vec<Context<LANES>> = contexts.into_iter().collect();
            contexts.sort_unstable_by_key(|&(frame, _)| frame);
            let contexts = contexts.into_iter().collect();
            let (relevant, open) = bits_of(ground);
            return Ok(Split { finer: None, rows, contexts, relevant, open, values });
        }
    }
    finer.refine(family, frames, contexts.as_slice().iter().map(|&(frame, _)| frame));
    let (relevant, open) = bits_of(ground);
    Ok(Split { finer: Some(finer), rows, contexts, relevant, open, values: kept })
}

/// For each old frame the new one, if each has exactly one.
fn inverse<const LANES: usize>(
    contexts: &Table<FrameId, Context<LANES>>,
) -> Option<Table<FrameId, FrameId>> {
    let mut new_of: Table<FrameId, Option<FrameId>> = Table::filled(None, contexts.len());
    for (new, &(old, _)) in contexts.iter() {
        new_of[old] = Some(new);
    }
    new_of.into_iter().collect::<Option<Vec<_>>>().map(|all| all.into_iter().collect())
}

/// The exits of each frame whose bits matter: those that are wanted, and those that are not.
fn bits_of<const LANES: usize>(
    ground: Table<FrameId, Ground<LANES>>,
) -> (Table<FrameId, Box<[u64]>>, Table<FrameId, Box<[u64]>>) {
    let (mut relevant, mut open) = (Table::new(), Table::new());
    for ground in ground {
        relevant.push(ground.relevant);
        open.push(ground.open);
    }
    (relevant, open)
}

fn no_values<const LANES: usize>() -> [Vec<u64>; LANES] {
    [const { Vec::new() }; LANES]
}

fn no_bits<const LANES: usize>() -> [Box<[u64]>; LANES] {
    [const { Vec::new() }; LANES].map(Vec::into_boxed_slice)
}

/// What is known of an operator in a frame before its contexts are.
struct Ground<const LANES: usize> {
    /// The exits, by position, whose bits matter and are wanted. Empty if there are none.
    relevant: Box<[u64]>,
    /// The exits whose bits matter and are not wanted: unknown for ever.
    open: Box<[u64]>,
    /// The values at the places when all wanted bits are false, by lane.
    values: [Vec<u64>; LANES],
}

impl<const LANES: usize> Ground<LANES> {
    fn new(
        view: View<'_>,
        prepared: [&Prepared; LANES],
        frame: FrameId,
        wanted: &impl Fn(FrameId, ExitPos) -> bool,
        stats: &mut Stats,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let sure = prepared[0].evaluate(view, frame, &[], stats, meter)?;
        let mut relevant: Box<[u64]> = Box::default();
        let mut open: Box<[u64]> = Box::default();
        if !view.mode(frame).ended {
            for exit in prepared[LANES - 1].relevant_exits(view, frame, &sure) {
                let row = if wanted(frame, exit) { &mut relevant } else { &mut open };
                set(row, view, frame, exit);
            }
        }
        let mut ground = Ground { relevant, open, values: [const { Vec::new() }; LANES] };
        if LANES > 1 {
            let same = std::ptr::eq(prepared[0], prepared[LANES - 1]) && ground.open.is_empty();
            ground.values[LANES - 1] = if same {
                sure.clone()
            } else {
                prepared[LANES - 1].evaluate(view, frame, &ground.open, stats, meter)?
            };
        }
        ground.values[0] = sure;
        Ok(ground)
    }

    /// The values at the places under some wanted bits, by lane.
    fn under(
        &self,
        view: View<'_>,
        prepared: [&Prepared; LANES],
        frame: FrameId,
        after: &[Box<[u64]>; LANES],
        stats: &mut Stats,
        meter: &mut Meter<'_>,
    ) -> Result<[Vec<u64>; LANES], Limit> {
        let mut values = [const { Vec::new() }; LANES];
        let same = std::ptr::eq(prepared[0], prepared[LANES - 1])
            && after[0] == after[LANES - 1]
            && self.open.is_empty();
        for lane in 0..LANES {
            if lane > 0 && same {
                values[lane] = values[0].clone();
                continue;
            }
            let mut bits = after[lane].clone();
            if lane > 0 {
                for exit in bits::ones(&self.open) {
                    set(&mut bits, view, frame, exit);
                }
            }
            values[lane] = prepared[lane].evaluate(view, frame, &bits, stats, meter)?;
        }
        Ok(values)
    }
}

/// Sets the bit of an exit in a row that is empty while it has none.
fn set(row: &mut Box<[u64]>, view: View<'_>, frame: FrameId, exit: ExitPos) {
    if row.is_empty() {
        let exits = view.terrain.machine.exits_of(view.frames.component[frame]).len();
        *row = vec![0; bits::words_for(exits)].into();
    }
    bits::insert(row, exit);
}

/// The context bits that a box gives its callee: the values at its return sites, as far as they
/// are relevant. Empty if all are false.
fn bits_after(machine: &Machine, call: BoxId, relevant: &[u64], values: &[u64]) -> Box<[u64]> {
    let mut after: Box<[u64]> = Box::default();
    if relevant.is_empty() {
        return after;
    }
    for (exit, site) in machine.sites_of(call) {
        let exit = machine.exit_pos(exit);
        if bits::get(relevant, exit) && bits::get(values, machine.place_pos(site)) {
            if after.is_empty() {
                after = vec![0; relevant.len()].into();
            }
            bits::insert(&mut after, exit);
        }
    }
    after
}

/// Appends the nodes' part of the values at the places of a frame, in each lane.
fn push_node_rows<const LANES: usize>(
    rows: &mut [Vec<u64>; LANES],
    view: View<'_>,
    frame: FrameId,
    values: &[Vec<u64>; LANES],
) {
    let component = view.frames.component[frame];
    let words = view.terrain.row_words(component);
    for (rows, values) in rows.iter_mut().zip(values) {
        let from = rows.len();
        rows.extend_from_slice(&values[..words]);
        bits::trim(&mut rows[from..], view.terrain.machine.nodes_of(component).len());
    }
}

//! Telling frames apart by the context bits of one operator.
//!
//! Bits are computed from the root frames down, never guessed: under given bits an operator has
//! known values everywhere in a frame, and its values at the return sites of a box are the bits of
//! the box's callee. Only bits that matter are kept, so that stacks that are the same to the
//! operator lead to one frame.

use crate::ctl::operator::{Prepared, View};
use crate::ground::bits;
use crate::ground::frames::Frames;
use crate::ground::ids::{ExitPos, FamilyId, FrameId, Positions};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{BoxId, Budget, Id, Limit, Machine, Stats};

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
    /// For each frame that was given: the exits whose bits are in contexts; empty if there are
    /// none.
    pub(crate) relevant: Table<FrameId, Box<[u64]>>,
    /// In two lanes, for each frame that was given: the exits whose bits matter and are not wanted;
    /// empty if there are none.
    pub(crate) open: Table<FrameId, Box<[u64]>>,
    /// In two lanes, for each frame: the values at its places, by lane. In one lane nobody asks
    /// again.
    pub(crate) values: Table<FrameId, [Vec<u64>; LANES]>,
}

/// An operator whose contexts are being found, one after the other. It can be left and taken up
/// again.
///
/// # Invariants
/// * Each context found has a new frame; those before `next` have their rows and links too.
/// * If no bit matters and is wanted anywhere, there is nothing to find, and no frame is made.
pub(crate) struct Splitting<const LANES: usize> {
    /// For each frame that was given.
    ground: Table<FrameId, Ground<LANES>>,
    found: Found<LANES>,
    rows: [Vec<u64>; LANES],
    /// In two lanes, the values at the places of each new frame.
    values: Table<FrameId, [Vec<u64>; LANES]>,
    next: usize,
    /// How many places the new frames before `next` have.
    pub(crate) places: usize,
}

/// The contexts found so far, and the new frame for each.
struct Found<const LANES: usize> {
    finer: Frames,
    contexts: Table<FrameId, Context<LANES>>,
    known: FxHashMap<Context<LANES>, FrameId>,
    /// The context of each frame that was asked for last: most often it is the next one too.
    latest: Vec<Option<FrameId>>,
}

impl<const LANES: usize> Found<LANES> {
    fn new() -> Self {
        let (known, latest) = (FxHashMap::default(), Vec::new());
        Found { finer: Frames::new(), contexts: Table::new(), known, latest }
    }

    /// The new frame for a frame under context bits.
    fn intern(&mut self, view: View<'_>, frame: FrameId, after: [Box<[u64]>; LANES]) -> FrameId {
        let Found { finer, contexts, known, latest } = self;
        latest.resize(view.frames.len(), None);
        if let Some(id) = latest[frame.index()]
            && contexts[id].1 == after
        {
            return id;
        }
        let id = *known.entry((frame, after)).or_insert_with_key(|context| {
            contexts.push(context.clone());
            let (component, mode) = (view.frames.component[frame], view.frames.mode[frame]);
            finer.push(view.terrain, component, mode, view.modes[mode].ended)
        });
        latest[frame.index()] = Some(id);
        id
    }
}

impl<const LANES: usize> Splitting<LANES> {
    /// Begins to tell frames apart by the context bits of an operator, as far as they matter and
    /// `wanted` says of a frame and an exit that they are wanted.
    ///
    /// `prepared` is the operator in each lane. In two lanes, bits that matter and are not wanted
    /// are unknown: what hangs on them is possible, and not sure.
    pub(crate) fn new(
        view: View<'_>,
        prepared: [&Prepared; LANES],
        wanted: impl Fn(FrameId, ExitPos) -> bool + Sync,
        stats: &mut Stats,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let ground = in_each_frame(view, meter.budget(), stats, |frame, stats, meter| {
            Ground::new(view, prepared, frame, &wanted, stats, meter)
        })?;
        let mut splitting = Self::nothing_found(ground);
        if !splitting.is_whole() {
            for (_, &root) in view.frames.roots.iter() {
                let root = splitting.found.intern(view, root, no_bits());
                splitting.found.finer.roots.push(root);
            }
        }
        Ok(splitting)
    }

    fn nothing_found(ground: Table<FrameId, Ground<LANES>>) -> Self {
        let (found, rows, values) = (Found::new(), no_values(), Table::new());
        Splitting { ground, found, rows, values, next: 0, places: 0 }
    }

    /// How many places the new frames have at most: one frame for each choice of the bits that
    /// matter.
    pub(crate) fn most_places(&self, view: View<'_>) -> usize {
        let most = |(frame, ground): (FrameId, &Ground<LANES>)| {
            let bits: u32 = ground.relevant.iter().map(|word| word.count_ones()).sum();
            let component = view.frames.component[frame];
            let places = view.terrain.machine.places_of(component).len();
            places.saturating_mul(1_usize.checked_shl(bits).unwrap_or(usize::MAX))
        };
        self.ground.iter().map(most).fold(0, usize::saturating_add)
    }

    /// Whether there are no bits by which frames could be told apart.
    fn is_whole(&self) -> bool {
        self.ground.as_slice().iter().all(|ground| ground.relevant.is_empty())
    }

    /// Finds contexts while `may_go_on` says so of the edges looked at and the places of new
    /// frames. Says whether all are found.
    pub(crate) fn advance(
        &mut self,
        view: View<'_>,
        prepared: [&Prepared; LANES],
        may_go_on: impl Fn(u64, usize) -> bool,
        stats: &mut Stats,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Limit> {
        let (machine, frames) = (view.terrain.machine, view.frames);
        let Splitting { ground, found, .. } = self;
        while self.next < found.contexts.len() {
            meter.budget().check()?;
            if !may_go_on(stats.edges, self.places) {
                return Ok(false);
            }
            let new = FrameId::new(self.next);
            let (frame, after) = found.contexts[new].clone();
            let evaluated;
            let values = if after.iter().all(|bits| bits.is_empty()) {
                &ground[frame].values
            } else {
                evaluated = ground[frame].under(view, prepared, frame, &after, stats, meter)?;
                &evaluated
            };
            push_node_rows(&mut self.rows, view, frame, values);
            let component = frames.component[frame];
            let boxes = machine.boxes_of(component);
            for (position, callee) in frames.called_boxes(frame) {
                let call = boxes[position.index()];
                let relevant = &ground[callee].relevant;
                let after =
                    std::array::from_fn(|lane| bits_after(machine, call, relevant, &values[lane]));
                let to = found.intern(view, callee, after);
                found.finer.set_link(new, position, to);
            }
            if LANES > 1 {
                self.values.push(values.clone());
            }
            self.places += machine.places_of(component).len();
            self.next += 1;
        }
        Ok(true)
    }

    /// How the frames come out, when all contexts are found.
    pub(crate) fn finish(self, view: View<'_>, family: FamilyId) -> Split<LANES> {
        debug_assert_eq!(self.check_found(view), None);
        let is_whole = self.is_whole();
        let Splitting { ground, found, mut rows, mut values, .. } = self;
        let Found { mut finer, contexts, .. } = found;
        if is_whole {
            let (mut relevant, mut open) = (Table::new(), Table::new());
            for (frame, ground) in ground.iter() {
                push_node_rows(&mut rows, view, frame, &ground.values);
            }
            for ground in ground {
                relevant.push(Box::default());
                open.push(ground.open);
                values.push(ground.values);
            }
            let contexts = view.frames.ids().map(|frame| (frame, no_bits())).collect();
            return Split { finer: None, rows, contexts, relevant, open, values };
        }
        let (mut relevant, mut open) = (Table::new(), Table::new());
        for ground in ground {
            relevant.push(ground.relevant);
            open.push(ground.open);
        }
        // One context for each frame: nothing is told apart. Without this, a formula that is nested
        // deeply would have as many families as operators, each with a map to all before.
        if contexts.len() == view.frames.len()
            && let Some(new_of) = inverse(&contexts)
        {
            let ordered = |rows: Vec<u64>| {
                let in_order = new_of.as_slice().iter();
                in_order.flat_map(|&new| finer.row(&rows, new)).copied().collect()
            };
            let rows = rows.map(ordered);
            let in_order = if LANES > 1 { new_of.as_slice() } else { &[] };
            let take = |&new: &FrameId| std::mem::replace(&mut values[new], no_values());
            let values = in_order.iter().map(take).collect();
            let mut contexts: Vec<Context<LANES>> = contexts.into_iter().collect();
            contexts.sort_unstable_by_key(|&(frame, _)| frame);
            let contexts = contexts.into_iter().collect();
            return Split { finer: None, rows, contexts, relevant, open, values };
        }
        finer.refine(family, view.frames, contexts.as_slice().iter().map(|&(frame, _)| frame));
        Split { finer: Some(finer), rows, contexts, relevant, open, values }
    }

    /// What is wrong when all contexts are said to be found, if anything.
    fn check_found(&self, view: View<'_>) -> Option<&'static str> {
        if self.next < self.found.contexts.len() {
            return Some("a context has not been looked at");
        }
        let sparse = |(frame, after): &Context<LANES>| {
            let relevant = &self.ground[*frame].relevant;
            let within = |bits: &[u64]| bits.iter().zip(relevant).all(|(a, b)| a & !b == 0);
            after.iter().all(|bits| bits.is_empty() || within(bits))
        };
        if !self.found.contexts.as_slice().iter().all(sparse) {
            return Some("a context holds bits that do not matter");
        }
        let rows = self.found.finer.row_words();
        (!self.is_whole() && self.rows.iter().any(|row| row.len() != rows))
            .then_some("not every new frame has a row")
            .or_else(|| (self.ground.len() != view.frames.len()).then_some("a frame is missing"))
    }
}

impl Splitting<1> {
    /// The same operator as far as it is known without any of its context bits, which are all
    /// unknown.
    pub(crate) fn without_bits(
        &self,
        view: View<'_>,
        prepared: &Prepared,
        stats: &mut Stats,
        meter: &mut Meter<'_>,
    ) -> Result<Split<2>, Limit> {
        let ground = in_each_frame(view, meter.budget(), stats, |frame, stats, meter| {
            let Ground { relevant, values: [sure], .. } = &self.ground[frame];
            let maybe = if relevant.is_empty() {
                sure.clone()
            } else {
                prepared.evaluate(view, frame, relevant, stats, meter)?
            };
            let (relevant, open) = (Box::default(), relevant.clone());
            Ok(Ground { relevant, open, values: [sure.clone(), maybe] })
        })?;
        Ok(Splitting::nothing_found(ground).finish(view, FamilyId::base()))
    }
}

/// Computes something for each frame, where they do not depend on each other; counts are added up
/// in the order of the frames.
fn in_each_frame<T: Send>(
    view: View<'_>,
    budget: &Budget,
    stats: &mut Stats,
    compute: impl Fn(FrameId, &mut Stats, &mut Meter<'_>) -> Result<T, Limit> + Sync,
) -> Result<Table<FrameId, T>, Limit> {
    let computed: Result<Vec<(T, Stats)>, Limit> = (0..view.frames.len())
        .into_par_iter()
        .with_min_len(FRAMES_A_TASK)
        .map(|frame| {
            let (mut stats, mut meter) = (Stats::default(), Meter::new(budget));
            let result = compute(FrameId::new(frame), &mut stats, &mut meter)?;
            Ok((result, stats))
        })
        .collect();
    let add = |(result, work)| {
        *stats += work;
        result
    };
    Ok(computed?.into_iter().map(add).collect())
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
            let known = (&*bits, self.values[lane].as_slice());
            values[lane] = prepared[lane].evaluate_more(view, frame, known, stats, meter)?;
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

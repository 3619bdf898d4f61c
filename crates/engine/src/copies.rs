//! Copies: components under contexts that may be partly unknown, evaluated in three values.
//!
//! A *context* says for each exit and each inner operator of the claim whether the operator holds
//! after leaving by that exit: true, false or unknown. A *copy* is a frame with a context. At first
//! every box leads to a copy that knows nothing. Then, in rounds:
//!
//! 1. [`Copies::evaluate`] gives every operator a value at every place of every copy, as far as it
//!    follows: once with all that is unknown taken as false (what comes out is certain), once with it
//!    taken as true (what does not come out is impossible).
//! 2. The claim is known at the initial nodes? Done.
//! 3. A box whose return sites know more than the context of its callee *can be refined*: it is led
//!    to a copy with the richer context. See [`crate::refinement`].
//!
//! Copies that are the same to an operator's operands ([`crate::quotient`]) share what is known of it
//! without contexts, and those that agree on its bits too share its values.
//!
//! Bits that make no difference are never taken into a context: only those are asked for on which the
//! value at some node of the callee depends. Outermost operators have no bits at all.
//!
//! # Invariants
//! * Sound: a known value is right under every stack that leads to the copy.
//! * Monotone: refining a box makes no known value unknown.
//! * Canonical: copies of a component in equal mode with equal contexts are one.
//!
//! # Why some box can be refined while the claim is unknown
//! Take an innermost operator whose values are not all known. Its operands are, everywhere. At the
//! root there is no context, and calls are stepped over by summaries, so its values there are known;
//! hence a callee of the root that does not know them can be refined; and so on for all copies that
//! stacks lead to. When nothing can be refined, the operator is known everywhere, and then the next.
//! For the same reason no dependency cycles are left to be resolved at the end: what the literature
//! closes there (unknown `EG` to true, unknown `EU` to false) is closed within the summaries.

use crate::bits;
use crate::frames::{Frames, Mode};
use crate::operator::{Operator, Prepared, View};
use crate::plan::Plan;
use crate::quotient;
use crate::summary::NONE;
use crate::terrain::Terrain;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{BoxId, Id, Limit, NodeId, Stats, TermId, Tri};

/// The two lanes of a three-valued truth.
pub(crate) const SURE: usize = 0;
pub(crate) const MAYBE: usize = 1;

/// A context, as rows over the exits of a component: for each inner operator what is sure, then what
/// may be. Nothing is known where the first is false and the second true.
type Context = Box<[u64]>;

/// Values at the places of a copy, by lane.
type Lanes = [Vec<u64>; 2];

/// What is known of an operator in a copy.
struct Values {
    lanes: Lanes,
    /// The exits whose bits are unknown and asked for. Empty if there are none.
    asked: Box<[u64]>,
}

/// What is known of an operator without contexts.
struct Ground {
    /// The copies, with those taken for one that are the same to the operator's operands.
    frames: Frames,
    /// For each copy the frame it is taken for.
    class: Vec<u32>,
    /// In one lane or two.
    prepared: Vec<Prepared>,
    /// What is known under a context: by the frame, and what lies beyond its exits, by lane.
    known: FxHashMap<(u32, Lanes), Rc<Values>>,
}

/// A box of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) copy: u32,
    pub(crate) box_position: usize,
}

/// All copies that stacks lead to at the moment.
pub(crate) struct Copies<'a> {
    pub(crate) terrain: &'a Terrain<'a>,
    pub(crate) plan: Plan<'a>,
    pub(crate) modes: Vec<Mode>,
    pub(crate) frames: Frames,
    contexts: Vec<Context>,
    known: FxHashMap<(u32, u32, Context), u32>,
    /// The temporal terms, operands first.
    operators: Vec<TermId>,
    /// For a temporal term that has bits in contexts, which bits.
    slots: Table<TermId, Option<usize>>,
    slot_count: usize,
    /// For each temporal term, by copy: what is known of it there.
    values: Table<TermId, Vec<Rc<Values>>>,
    /// For each temporal term: what is known of it without contexts.
    grounds: Table<TermId, Option<Ground>>,
    pub(crate) stats: Stats,
    meter: Meter<'a>,
}

impl<'a> Copies<'a> {
    /// The copies of a machine that know nothing, not evaluated yet.
    pub(crate) fn new(
        terrain: &'a Terrain<'a>,
        plan: Plan<'a>,
        (frames, modes): (Frames, Vec<Mode>),
        meter: Meter<'a>,
    ) -> Self {
        let terms = &plan.program.terms;
        let operators: Vec<TermId> =
            terms.iter().filter(|(_, term)| term.is_temporal()).map(|(id, _)| id).collect();
        let mut slots = Table::filled(None, terms.len());
        let mut slot_count = 0;
        for &id in operators.iter().filter(|&&id| plan.is_inner(id)) {
            slots[id] = Some(slot_count);
            slot_count += 1;
        }
        let stats = Stats { copies: frames.len() as u64, ..Stats::default() };
        let mut copies = Copies {
            terrain,
            values: Table::filled(Vec::new(), terms.len()),
            grounds: (0..terms.len()).map(|_| None).collect(),
            plan,
            modes,
            contexts: Vec::new(),
            known: FxHashMap::default(),
            operators,
            slots,
            slot_count,
            frames,
            stats,
            meter,
        };
        for copy in 0..copies.frames.len() as u32 {
            let context = copies.ignorant_context(copy);
            copies.known.insert(copies.key(copy, context.clone()), copy);
            copies.contexts.push(context);
        }
        copies
    }

    fn key(&self, copy: u32, context: Context) -> (u32, u32, Context) {
        let component = self.frames.component[copy as usize].index() as u32;
        (component, self.frames.mode[copy as usize], context)
    }

    fn exit_words(&self, copy: u32) -> usize {
        let component = self.frames.component[copy as usize];
        bits::words_for(self.terrain.machine.exits_of(component).len())
    }

    fn ignorant_context(&self, copy: u32) -> Context {
        let words = self.exit_words(copy);
        let lanes = [0, u64::MAX].map(|fill| std::iter::repeat_n(fill, words));
        let slot = || lanes.clone().into_iter().flatten();
        (0..self.slot_count).flat_map(|_| slot()).collect()
    }

    /// What a copy's context says of an operator: a row over the exits, in each lane.
    fn context_row(&self, copy: u32, slot: usize, lane: usize) -> &[u64] {
        let words = self.exit_words(copy);
        &self.contexts[copy as usize][(slot * 2 + lane) * words..][..words]
    }

    /// The value of a temporal term at a place of a copy, given by position.
    pub(crate) fn value(&self, id: TermId, copy: u32, position: usize) -> Tri {
        let [sure, maybe] = &self.values[id][copy as usize].lanes;
        tri([bits::get(sure, position), bits::get(maybe, position)])
    }

    /// The values of terms at a node of a copy; see [`Plan::values_at_node`].
    pub(crate) fn values_at(
        &self,
        steps: &[TermId],
        copy: u32,
        node: NodeId,
    ) -> FxHashMap<TermId, [bool; 2]> {
        let position = self.terrain.machine.place_position(self.terrain.machine.node_place(node));
        let truth = |id: TermId, lane: usize| {
            bits::get(&self.values[id][copy as usize].lanes[lane], position)
        };
        self.plan.values_at_node(steps, node, truth)
    }

    /// The value of the claim at each initial node.
    pub(crate) fn at_initial(&self) -> Vec<Tri> {
        let root = self.plan.program.root;
        let steps = self.plan.steps(root);
        let value = |&node: &NodeId| {
            let copy = self.frames.roots[self.terrain.root_of(node)];
            tri(self.values_at(&steps, copy, node)[&root])
        };
        self.terrain.machine.initial().iter().map(value).collect()
    }

    /// Gives every operator its values in every copy that stacks lead to; drops the others.
    pub(crate) fn evaluate(&mut self) -> Result<(), Limit> {
        self.drop_unreachable();
        for id in self.operators.clone() {
            self.grounds[id] = Some(self.ground(id)?);
            self.values[id].clear();
            for copy in 0..self.frames.len() as u32 {
                self.evaluate_copy(id, copy)?;
            }
        }
        Ok(())
    }

    /// What is known of an operator without contexts.
    fn ground(&mut self, id: TermId) -> Result<Ground, Limit> {
        let (kind, pass, goal) = self.plan.operator(id);
        let pass = self.operand_rows(pass)?;
        let goal = goal.map_or(Ok([const { Vec::new() }; 2]), |goal| self.operand_rows(goal))?;
        // Where the operands are known, what is sure and what may be differ by the contexts only.
        let lanes = if pass[SURE] == pass[MAYBE] && goal[SURE] == goal[MAYBE] { 1 } else { 2 };
        let rows: Vec<&Vec<u64>> = pass[..lanes].iter().chain(&goal[..lanes]).collect();
        let colour = self.colours(&rows)?;
        let class = quotient::classes(&self.frames, colour, &mut self.meter)?;
        let mut frames = Frames::new();
        let members = first_members(&class);
        for &copy in &members {
            let mode = self.frames.mode[copy as usize];
            let ended = self.modes[mode as usize].ended;
            frames.push(self.terrain, self.frames.component[copy as usize], mode, ended);
        }
        for (frame, &copy) in (0..).zip(&members) {
            for (position, &callee) in self.frames.links_of(copy).iter().enumerate() {
                if callee != NONE {
                    frames.set_link(frame, position, class[callee as usize]);
                }
            }
        }
        let of_members = |rows: &Vec<u64>| -> Vec<u64> {
            let row = |&copy: &u32| self.frames.row(rows, copy);
            if rows.is_empty() {
                return Vec::new();
            }
            members.iter().flat_map(row).copied().collect()
        };
        let in_sink = self.plan.in_sink(id);
        let view = View { terrain: self.terrain, frames: &frames, modes: &self.modes };
        let mut prepared = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            let (pass, goal) = (of_members(&pass[lane]), of_members(&goal[lane]));
            let operator = Operator { kind, pass, goal, in_sink };
            let (stats, meter) = (&mut self.stats, &mut self.meter);
            prepared.push(Prepared::new(view, operator, false, stats, meter)?);
        }
        Ok(Ground { frames, class, prepared, known: FxHashMap::default() })
    }

    /// Numbers for the copies, equal where components, modes and these rows are.
    fn colours(&mut self, rows: &[&Vec<u64>]) -> Result<Vec<u32>, Limit> {
        let mut known: FxHashMap<(u32, u32, Vec<u64>), u32> = FxHashMap::default();
        let mut colours = Vec::with_capacity(self.frames.len());
        for copy in 0..self.frames.len() as u32 {
            self.meter.tick()?;
            let rows = rows.iter().filter(|rows| !rows.is_empty());
            let row = rows.flat_map(|rows| self.frames.row(rows, copy)).copied().collect();
            let component = self.frames.component[copy as usize].index() as u32;
            let next = known.len() as u32;
            let key = (component, self.frames.mode[copy as usize], row);
            colours.push(*known.entry(key).or_insert(next));
        }
        Ok(colours)
    }

    /// Finds the values of an operator in the copy that has none yet, and the exits that it asks for.
    fn evaluate_copy(&mut self, id: TermId, copy: u32) -> Result<(), Limit> {
        self.meter.tick()?;
        let ended = self.modes[self.frames.mode[copy as usize] as usize].ended;
        let slot = self.slots[id];
        let after = [SURE, MAYBE].map(|lane| {
            let mut after: Vec<u64> = match slot {
                _ if ended => Vec::new(),
                Some(slot) => self.context_row(copy, slot, lane).to_vec(),
                // Outermost operators are needed in the root copies only.
                None if lane == SURE => Vec::new(),
                None => vec![u64::MAX; self.exit_words(copy)],
            };
            bits::trim(&mut after, self.exit_count(copy));
            after
        });
        let ground = self.grounds[id].as_ref().expect("operators are prepared first");
        let key = (ground.class[copy as usize], after);
        if let Some(values) = ground.known.get(&key) {
            self.values[id].push(Rc::clone(values));
            return Ok(());
        }
        let (frame, after) = &key;
        let view = View { terrain: self.terrain, frames: &ground.frames, modes: &self.modes };
        let mut lanes = [const { Vec::new() }; 2];
        for lane in [SURE, MAYBE] {
            if lane == MAYBE && ground.prepared.len() == 1 && after[SURE] == after[MAYBE] {
                lanes[MAYBE] = lanes[SURE].clone();
                break;
            }
            let prepared = ground.prepared.get(lane).unwrap_or(&ground.prepared[SURE]);
            let (stats, meter) = (&mut self.stats, &mut self.meter);
            lanes[lane] = prepared.evaluate(view, *frame, &after[lane], stats, meter)?;
        }
        let asked = if slot.is_some() && !ended && lanes[SURE] != lanes[MAYBE] {
            self.asked_exits(id, copy, &lanes)
        } else {
            Box::default()
        };
        let values = Rc::new(Values { lanes, asked });
        self.values[id].push(Rc::clone(&values));
        let ground = self.grounds[id].as_mut().expect("operators are prepared first");
        ground.known.insert(key, values);
        Ok(())
    }

    fn exit_count(&self, copy: u32) -> usize {
        self.terrain.machine.exits_of(self.frames.component[copy as usize]).len()
    }

    /// The exits that are unknown to a copy's context and by which a node returns whose value is
    /// unknown too.
    fn asked_exits(&self, id: TermId, copy: u32, [sure, maybe]: &Lanes) -> Box<[u64]> {
        let machine = self.terrain.machine;
        let slot = self.slots[id].expect("only inner operators ask");
        let (known_true, possible) =
            (self.context_row(copy, slot, SURE), self.context_row(copy, slot, MAYBE));
        let mut row: Box<[u64]> = Box::default();
        let exits = machine.exits_of(self.frames.component[copy as usize]);
        for (position, &exit) in exits.iter().enumerate() {
            if bits::get(known_true, position) || !bits::get(possible, position) {
                continue;
            }
            let undecided = |&node: &NodeId| {
                let at = machine.place_position(machine.node_place(node));
                self.terrain.is_reachable(node) && !bits::get(sure, at) && bits::get(maybe, at)
            };
            if machine.return_sources(exit).iter().any(undecided) {
                if row.is_empty() {
                    row = vec![0; bits::words_for(exits.len())].into();
                }
                bits::insert(&mut row, position);
            }
        }
        row
    }

    fn operand_rows(&mut self, id: TermId) -> Result<[Vec<u64>; 2], Limit> {
        let Copies { plan, frames, values, meter, .. } = self;
        let row =
            |id: TermId, copy: u32, lane: usize| values[id][copy as usize].lanes[lane].as_slice();
        plan.rows(id, frames, row, meter)
    }

    /// The boxes of copies from `first` on that can be refined, in the order of the copies.
    pub(crate) fn refinable(&self, first: u32) -> Vec<Site> {
        let mut sites = Vec::new();
        for copy in first..self.frames.len() as u32 {
            for box_position in 0..self.frames.links_of(copy).len() {
                let site = Site { copy, box_position };
                if self.operators.iter().any(|&id| self.news(id, site).next().is_some()) {
                    sites.push(site);
                }
            }
        }
        sites
    }

    /// What a box's return sites know of an operator that its callee's copy asks for: the exits,
    /// by position, each with the value after it.
    fn news(&self, id: TermId, site: Site) -> impl Iterator<Item = (usize, bool)> + '_ {
        let callee = self.frames.link(site.copy, site.box_position);
        let asked: &[u64] = match self.slots[id] {
            Some(_) if callee != NONE => &self.values[id][callee as usize].asked,
            _ => &[],
        };
        bits::ones(asked)
            .filter_map(move |exit| Some((exit, self.value_after(id, site, exit).known()?)))
    }

    pub(crate) fn box_of(&self, site: Site) -> BoxId {
        let component = self.frames.component[site.copy as usize];
        self.terrain.machine.boxes_of(component)[site.box_position]
    }

    /// The value of an operator after a box's callee has left by an exit, given by position.
    pub(crate) fn value_after(&self, id: TermId, site: Site, exit: usize) -> Tri {
        let machine = self.terrain.machine;
        let call = self.box_of(site);
        let exit = machine.exits_of(machine.callee(call))[exit];
        match machine.site(call, exit) {
            Some(place) => self.value(id, site.copy, machine.place_position(place)),
            None => Tri::False,
        }
    }

    /// Leads a box to a copy that knows all its callee asks for and its return sites know.
    pub(crate) fn refine(&mut self, site: Site) -> Result<(), Limit> {
        let callee = self.frames.link(site.copy, site.box_position);
        let words = self.exit_words(callee);
        let mut context = self.contexts[callee as usize].clone();
        for &id in &self.operators {
            let Some(slot) = self.slots[id] else { continue };
            for (exit, holds) in self.news(id, site) {
                let lane = if holds { SURE } else { MAYBE };
                let row = &mut context[(slot * 2 + lane) * words..][..words];
                if holds {
                    bits::insert(row, exit);
                } else {
                    bits::remove(row, exit);
                }
            }
        }
        let key = self.key(callee, context);
        let refined = match self.known.get(&key) {
            Some(&copy) => {
                self.stats.reused += 1;
                copy
            }
            None => self.add(callee, key)?,
        };
        self.frames.set_link(site.copy, site.box_position, refined);
        Ok(())
    }

    /// Adds a copy of a component under a new context. It calls what the copy called that it
    /// refines: what that one knew of its callees' contexts is true here too. Its values are found
    /// from what was prepared for that one, so that its own boxes can be refined at once; what more
    /// follows from the new context is found at the next full evaluation.
    fn add(&mut self, coarser: u32, key: (u32, u32, Context)) -> Result<u32, Limit> {
        let copy = self.frames.push_copy(self.terrain, coarser);
        self.contexts.push(key.2.clone());
        self.known.insert(key, copy);
        self.stats.copies += 1;
        self.stats.contexts += 1;
        for id in self.operators.clone() {
            let ground = self.grounds[id].as_mut().expect("operators are prepared first");
            ground.class.push(ground.class[coarser as usize]);
            self.evaluate_copy(id, copy)?;
        }
        Ok(copy)
    }

    /// Drops the copies that no stack leads to any more.
    fn drop_unreachable(&mut self) {
        let old = std::mem::replace(&mut self.frames, Frames::new());
        let mut contexts = Vec::new();
        let mut renamed = vec![NONE; old.len()];
        let mut order: Vec<u32> = Vec::new();
        let mut reach = |frame: u32, order: &mut Vec<u32>| {
            let slot = &mut renamed[frame as usize];
            if *slot == NONE {
                *slot = order.len() as u32;
                order.push(frame);
            }
            *slot
        };
        for &root in &old.roots {
            let root = reach(root, &mut order);
            self.frames.roots.push(root);
        }
        let mut next = 0;
        while next < order.len() {
            let frame = order[next];
            let mode = old.mode[frame as usize];
            let ended = self.modes[mode as usize].ended;
            let id = self.frames.push(self.terrain, old.component[frame as usize], mode, ended);
            contexts.push(std::mem::take(&mut self.contexts[frame as usize]));
            for (position, &to) in old.links_of(frame).iter().enumerate() {
                if to != NONE {
                    self.frames.set_link(id, position, reach(to, &mut order));
                }
            }
            next += 1;
        }
        self.contexts = contexts;
        self.known.clear();
        for copy in 0..self.frames.len() as u32 {
            let context = self.contexts[copy as usize].clone();
            self.known.insert(self.key(copy, context), copy);
        }
    }
}

/// For each class, the first frame that is in it.
fn first_members(class: &[u32]) -> Vec<u32> {
    let count = class.iter().max().map_or(0, |&last| last as usize + 1);
    let mut members = vec![NONE; count];
    for (frame, &class) in (0..class.len() as u32).zip(class).rev() {
        members[class as usize] = frame;
    }
    members
}

/// The three-valued truth of what is sure and what may be.
pub(crate) fn tri([sure, maybe]: [bool; 2]) -> Tri {
    match (sure, maybe) {
        (true, _) => Tri::True,
        (false, true) => Tri::Unknown,
        (false, false) => Tri::False,
    }
}

/// The answer at each initial node, if the claim is decided. One node at which it is false decides
/// it; the others are then called true unless they are known to be false.
pub(crate) fn answer(values: &[Tri]) -> Option<Vec<bool>> {
    if values.contains(&Tri::False) {
        return Some(values.iter().map(|&value| value != Tri::False).collect());
    }
    values.iter().map(|value| value.known()).collect()
}

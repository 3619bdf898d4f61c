//! Values of operators in copies: as far as they follow without contexts, and then under each
//! context.

use super::{Copies, Key, Lanes, Values};
use crate::ctl::operator::{Operator, Prepared, View};
use crate::ctl::quotient::{self, ClassId};
use crate::ground::bits;
use crate::ground::frames::Frames;
use crate::ground::ids::{ExitPos, FrameId, Positions, positions};
use crate::ground::lanes::{MAYBE, SURE};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tern_model::index::Table;
use tern_model::{Id, Limit, NodeId, TermId};

/// What is known of an operator without contexts.
pub(super) struct Ground {
    /// The copies, with those taken for one that are the same to the operator's operands.
    frames: Frames,
    /// For each copy the frame it is taken for.
    pub(super) class: Table<FrameId, FrameId>,
    /// In one lane or two.
    prepared: Vec<Prepared>,
    /// What is known under a context: by the frame, and what lies beyond its exits, by lane.
    known: FxHashMap<(FrameId, Lanes), Rc<Values>>,
}

impl Copies<'_> {
    /// Gives every operator its values in every copy that stacks lead to; drops the others.
    pub(crate) fn evaluate(&mut self) -> Result<(), Limit> {
        self.drop_unreachable();
        for id in self.operators.clone() {
            self.grounds[id] = Some(self.ground(id)?);
            self.values[id] = Table::new();
            for copy in self.frames.ids() {
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
        // Classes become frames of their own, in their order.
        let class: Table<FrameId, FrameId> =
            class.into_iter().map(|class: ClassId| FrameId::new(class.index())).collect();
        let members = first_members(&class);
        let mut frames = Frames::new();
        for (_, &copy) in members.iter() {
            let (component, mode) = (self.frames.component[copy], self.frames.mode[copy]);
            frames.push(self.terrain, component, mode, self.modes[mode].ended);
        }
        for (frame, &copy) in members.iter() {
            for (position, callee) in self.frames.called_boxes(copy) {
                frames.set_link(frame, position, class[callee]);
            }
        }
        let of_members = |rows: &Vec<u64>| -> Vec<u64> {
            let row = |&copy: &FrameId| self.frames.row(rows, copy);
            if rows.is_empty() {
                return Vec::new();
            }
            members.as_slice().iter().flat_map(row).copied().collect()
        };
        let in_sink = self.plan.in_sink(id);
        let view = View { terrain: self.terrain, frames: &frames, modes: &self.modes };
        let mut prepared = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            let (pass, goal) = (of_members(&pass[lane]), of_members(&goal[lane]));
            let operator = Operator { kind, pass, goal, in_sink, is_free: false };
            let (stats, meter) = (&mut self.stats, &mut self.meter);
            prepared.push(Prepared::new(view, operator, false, stats, meter)?);
        }
        Ok(Ground { frames, class, prepared, known: FxHashMap::default() })
    }

    /// Classes of the copies, equal where components, modes and these rows are.
    fn colours(&mut self, rows: &[&Vec<u64>]) -> Result<Table<FrameId, ClassId>, Limit> {
        let mut known: FxHashMap<Key, ClassId> = FxHashMap::default();
        let mut colours = Table::new();
        for copy in self.frames.ids() {
            self.meter.tick()?;
            let rows = rows.iter().filter(|rows| !rows.is_empty());
            let row = rows.flat_map(|rows| self.frames.row(rows, copy)).copied().collect();
            let next = ClassId::new(known.len());
            colours.push(*known.entry(self.key(copy, row)).or_insert(next));
        }
        Ok(colours)
    }

    /// Finds the values of an operator in the copy that has none yet, and the exits that it asks
    /// for.
    pub(super) fn evaluate_copy(&mut self, id: TermId, copy: FrameId) -> Result<(), Limit> {
        self.meter.tick()?;
        let ended = self.modes[self.frames.mode[copy]].ended;
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
        let key = (ground.class[copy], after);
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

    /// The exits that are unknown to a copy's context and by which a node returns whose value is
    /// unknown too.
    fn asked_exits(&self, id: TermId, copy: FrameId, [sure, maybe]: &Lanes) -> Box<[u64]> {
        let machine = self.terrain.machine;
        let slot = self.slots[id].expect("only inner operators ask");
        let (known_true, possible) =
            (self.context_row(copy, slot, SURE), self.context_row(copy, slot, MAYBE));
        let mut row: Box<[u64]> = Box::default();
        let exits = machine.exits_of(self.frames.component[copy]);
        for (position, &exit) in positions::<ExitPos, _>(exits) {
            if bits::get(known_true, position) || !bits::get(possible, position) {
                continue;
            }
            let undecided = |&node: &NodeId| {
                let at = machine.node_pos(node);
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
        let row = |id: TermId, copy, lane: usize| values[id][copy].lanes[lane].as_slice();
        plan.rows(id, frames, row, meter)
    }
}

/// For each class, the first frame that is in it.
fn first_members(class: &Table<FrameId, FrameId>) -> Table<FrameId, FrameId> {
    let count = class.as_slice().iter().max().map_or(0, |last| last.index() + 1);
    let mut members: Table<FrameId, Option<FrameId>> = Table::filled(None, count);
    for (frame, &class) in class.iter() {
        members[class].get_or_insert(frame);
    }
    members.into_iter().map(|first| first.expect("a class has members")).collect()
}

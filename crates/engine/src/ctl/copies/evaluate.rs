//! Values of operators in copies: as far as they follow without contexts, and then under each context.

use super::{Copies, Lanes, Values};
use crate::ctl::operator::{Operator, Prepared, View};
use crate::ctl::quotient;
use crate::ground::bits;
use crate::ground::frames::Frames;
use crate::ground::lanes::{MAYBE, SURE};
use crate::ground::summary::NONE;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tern_model::{Id, Limit, NodeId, TermId};

/// What is known of an operator without contexts.
pub(super) struct Ground {
    /// The copies, with those taken for one that are the same to the operator's operands.
    frames: Frames,
    /// For each copy the frame it is taken for.
    pub(super) class: Vec<u32>,
    /// In one lane or two.
    prepared: Vec<Prepared>,
    /// What is known under a context: by the frame, and what lies beyond its exits, by lane.
    known: FxHashMap<(u32, Lanes), Rc<Values>>,
}

impl Copies<'_> {
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
    pub(super) fn evaluate_copy(&mut self, id: TermId, copy: u32) -> Result<(), Limit> {
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

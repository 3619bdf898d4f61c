//! Refining boxes: which can be, where they lead then, and which copies no stack leads to any more.

use super::{Copies, Key, slot_words};
use crate::ground::bits;
use crate::ground::frames::Frames;
use crate::ground::ids::{BoxPos, ExitPos, FrameId, Positions};
use crate::ground::lanes::{MAYBE, SURE};
use tern_model::index::Table;
use tern_model::{BoxId, Id, Limit, TermId, Tri};

/// A box of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) copy: FrameId,
    pub(crate) call: BoxPos,
}

impl Copies<'_> {
    /// The boxes of copies from `first` on that can be refined, in the order of the copies.
    pub(crate) fn refinable(&self, first: FrameId) -> Vec<Site> {
        let mut sites = Vec::new();
        for copy in (first.index()..self.frames.len()).map(FrameId::new) {
            for (call, callee) in self.frames.called_boxes(copy) {
                let site = Site { copy, call };
                if self.operators.iter().any(|&id| self.news(id, site, callee).next().is_some()) {
                    sites.push(site);
                }
            }
        }
        sites
    }

    /// What a box's return sites know of an operator that its callee's copy asks for: the exits,
    /// each with the value after it.
    fn news(
        &self,
        id: TermId,
        site: Site,
        callee: FrameId,
    ) -> impl Iterator<Item = (ExitPos, bool)> + '_ {
        let asked: &[u64] = match self.slots[id] {
            Some(_) => &self.values[id][callee].asked,
            None => &[],
        };
        bits::ones(asked)
            .filter_map(move |exit| Some((exit, self.value_after(id, site, exit).known()?)))
    }

    pub(crate) fn box_of(&self, site: Site) -> BoxId {
        let component = self.frames.component[site.copy];
        self.terrain.machine.boxes_of(component)[site.call.index()]
    }

    /// The value of an operator after a box's callee has left by an exit.
    pub(crate) fn value_after(&self, id: TermId, site: Site, exit: ExitPos) -> Tri {
        let machine = self.terrain.machine;
        let call = self.box_of(site);
        let exit = machine.exit_at(machine.callee(call), exit);
        match machine.site(call, exit) {
            Some(place) => self.value(id, site.copy, machine.place_pos(place)),
            None => Tri::False,
        }
    }

    /// Leads a box to a copy that knows all its callee asks for and its return sites know.
    pub(crate) fn refine(&mut self, site: Site) -> Result<(), Limit> {
        let callee = self.frames.link(site.copy, site.call).expect("only calls are refined");
        let words = self.exit_words(callee);
        let mut context = self.contexts[callee].clone();
        for &id in &self.operators {
            let Some(slot) = self.slots[id] else { continue };
            for (exit, holds) in self.news(id, site, callee) {
                let lane = if holds { SURE } else { MAYBE };
                let row = &mut context[slot_words(slot, lane, words)];
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
        self.frames.set_link(site.copy, site.call, refined);
        Ok(())
    }

    /// Adds a copy of a component under a new context. It calls what the copy called that it
    /// refines: what that one knew of its callees' contexts is true here too. Its values are found
    /// from what was prepared for that one, so that its own boxes can be refined at once; what more
    /// follows from the new context is found at the next full evaluation.
    fn add(&mut self, coarser: FrameId, key: Key) -> Result<FrameId, Limit> {
        let copy = self.frames.push_copy(self.terrain, coarser);
        self.contexts.push(key.2.clone());
        self.known.insert(key, copy);
        self.stats.copies += 1;
        self.stats.contexts += 1;
        for id in self.operators.clone() {
            let ground = self.grounds[id].as_mut().expect("operators are prepared first");
            ground.class.push(ground.class[coarser]);
            self.evaluate_copy(id, copy)?;
        }
        Ok(copy)
    }

    /// Drops the copies that no stack leads to any more.
    pub(super) fn drop_unreachable(&mut self) {
        let old = std::mem::replace(&mut self.frames, Frames::new());
        let mut contexts = Table::new();
        let mut renamed: Table<FrameId, Option<FrameId>> = Table::filled(None, old.len());
        let mut order: Table<FrameId, FrameId> = Table::new();
        let mut reach = |frame: FrameId, order: &mut Table<FrameId, FrameId>| {
            *renamed[frame].get_or_insert_with(|| order.push(frame))
        };
        for (_, &root) in old.roots.iter() {
            let root = reach(root, &mut order);
            self.frames.roots.push(root);
        }
        let mut next = 0;
        while next < order.len() {
            let frame = order[FrameId::new(next)];
            let (component, mode) = (old.component[frame], old.mode[frame]);
            let id = self.frames.push(self.terrain, component, mode, self.modes[mode].ended);
            contexts.push(std::mem::take(&mut self.contexts[frame]));
            for (position, to) in old.called_boxes(frame) {
                self.frames.set_link(id, position, reach(to, &mut order));
            }
            next += 1;
        }
        self.contexts = contexts;
        self.known.clear();
        for copy in self.frames.ids() {
            let context = self.contexts[copy].clone();
            self.known.insert(self.key(copy, context), copy);
        }
    }
}

//! Refining boxes: which can be, where they lead then, and which copies no stack leads to any more.

use super::{Context, Copies};
use crate::ground::bits;
use crate::ground::frames::Frames;
use crate::ground::lanes::{MAYBE, SURE};
use crate::ground::summary::NONE;
use tern_model::{BoxId, Limit, TermId, Tri};

/// A box of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) copy: u32,
    pub(crate) box_position: usize,
}

impl Copies<'_> {
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
    pub(super) fn drop_unreachable(&mut self) {
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

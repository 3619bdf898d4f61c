//! Frames that are the same to an operator, taken for one.
//!
//! Two frames are the same if what is to be told apart (their components, modes and operands' rows) is
//! equal in both, and all their boxes lead to frames that are the same. The coarsest such classes are
//! found by refining: frames whose boxes lead to different classes are torn apart, and then their callers
//! are looked at again.
//!
//! # Invariant
//! The frames of a class that are not on the list have boxes that lead to the same classes.
//!
//! # Why it ends, and soon
//! When a class is torn, its largest part keeps its name, so that a frame changes its class at most
//! log n times; only then are its callers looked at again.
//!
//! # Source
//! J. Hopcroft: An n log n algorithm for minimizing states in a finite automaton, 1971.

use crate::ground::frames::Frames;
use crate::ground::summary::NONE;
use rustc_hash::FxHashMap;
use tern_model::Limit;
use tern_model::budget::Meter;

/// A partition of frames.
struct Classes<'f> {
    frames: &'f Frames,
    of: Vec<u32>,
    members: Vec<Vec<u32>>,
    /// Where each frame stands among the members of its class.
    place: Vec<usize>,
    callers: Vec<Vec<u32>>,
    /// Frames to look at, and whether a frame is among them.
    list: Vec<u32>,
    listed: Vec<bool>,
}

/// The class of each frame, where frames of different `colour` are different. Classes are numbered
/// from 0 on.
pub(crate) fn classes(
    frames: &Frames,
    colour: Vec<u32>,
    meter: &mut Meter<'_>,
) -> Result<Vec<u32>, Limit> {
    let count = colour.iter().max().map_or(0, |&last| last as usize + 1);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut place = Vec::with_capacity(frames.len());
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); frames.len()];
    for (frame, &class) in (0..).zip(&colour) {
        meter.tick()?;
        place.push(members[class as usize].len());
        members[class as usize].push(frame);
        for &callee in frames.links_of(frame) {
            if callee != NONE && callers[callee as usize].last() != Some(&frame) {
                callers[callee as usize].push(frame);
            }
        }
    }
    let list = (0..frames.len() as u32).collect();
    let listed = vec![true; frames.len()];
    let mut classes = Classes { frames, of: colour, members, place, callers, list, listed };
    while !classes.list.is_empty() {
        classes.refine(meter)?;
    }
    Ok(classes.of)
}

impl Classes<'_> {
    /// Tears the classes of all frames on the list, by where their boxes lead.
    fn refine(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let list = std::mem::take(&mut self.list);
        // The groups of frames on the list, in the order in which they come up, and those of a class.
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut known: FxHashMap<(u32, Box<[u32]>), usize> = FxHashMap::default();
        let mut torn: Vec<(u32, Vec<usize>)> = Vec::new();
        let mut torn_at: FxHashMap<u32, usize> = FxHashMap::default();
        for &frame in &list {
            meter.tick()?;
            self.listed[frame as usize] = false;
            let class = self.of[frame as usize];
            let leads = |&to: &u32| if to == NONE { NONE } else { self.of[to as usize] };
            let signature = self.frames.links_of(frame).iter().map(leads).collect();
            let group = *known.entry((class, signature)).or_insert_with(|| {
                let at = *torn_at.entry(class).or_insert_with(|| {
                    torn.push((class, Vec::new()));
                    torn.len() - 1
                });
                groups.push(Vec::new());
                torn[at].1.push(groups.len() - 1);
                groups.len() - 1
            });
            groups[group].push(frame);
        }
        for (class, mut parts) in torn {
            let listed: usize = parts.iter().map(|&part| groups[part].len()).sum();
            let rest = self.members[class as usize].len() - listed;
            let largest = (0..parts.len()).max_by_key(|&i| groups[parts[i]].len());
            let Some(largest) = largest else { continue };
            if groups[parts[largest]].len() > rest {
                // This part keeps the name, and the frames that were not on the list get a new one.
                let stays = parts.swap_remove(largest);
                if rest > 0 {
                    let moving = parts.iter().chain([&stays]).flat_map(|&part| &groups[part]);
                    let mut on_list: Vec<u32> = moving.copied().collect();
                    on_list.sort_unstable();
                    let others = self.members[class as usize].iter().copied();
                    let others =
                        others.filter(|frame| on_list.binary_search(frame).is_err()).collect();
                    groups.push(others);
                    parts.push(groups.len() - 1);
                }
            }
            for part in parts {
                self.move_out(class, &groups[part], meter)?;
            }
        }
        Ok(())
    }

    /// Makes a class of its own of some members of a class.
    fn move_out(&mut self, class: u32, frames: &[u32], meter: &mut Meter<'_>) -> Result<(), Limit> {
        let new = self.members.len() as u32;
        for (place, &frame) in frames.iter().enumerate() {
            meter.tick()?;
            let at = self.place[frame as usize];
            let members = &mut self.members[class as usize];
            members.swap_remove(at);
            if let Some(&moved) = members.get(at) {
                self.place[moved as usize] = at;
            }
            self.of[frame as usize] = new;
            self.place[frame as usize] = place;
            for &caller in &self.callers[frame as usize] {
                if !std::mem::replace(&mut self.listed[caller as usize], true) {
                    self.list.push(caller);
                }
            }
        }
        self.members.push(frames.to_vec());
        Ok(())
    }
}

//! Frames that are the same to an operator, taken for one.
//!
//! Two frames are the same if what is to be told apart (their components, modes and operands' rows)
//! is equal in both, and all their boxes lead to frames that are the same. The coarsest such
//! classes are found by refining: frames whose boxes lead to different classes are torn apart, and
//! then their callers are looked at again.
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

use crate::ground::frames::{Callers, Frames};
use crate::ground::ids::FrameId;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{Id, Limit, indices};

indices! {
    /// A class of frames that are the same, as far as is known.
    pub(crate) ClassId = "class ";
    /// A group of frames of one class that are torn off together.
    GroupId = "group ";
}

/// The class of a frame, and those that its boxes lead to.
type Signature = (ClassId, Box<[Option<ClassId>]>);

/// A partition of frames.
struct Classes<'f> {
    frames: &'f Frames,
    of: Table<FrameId, ClassId>,
    members: Table<ClassId, Vec<FrameId>>,
    /// Where each frame stands among the members of its class.
    place: Table<FrameId, usize>,
    callers: Callers,
    /// Frames to look at, and whether a frame is among them.
    list: Vec<FrameId>,
    listed: Table<FrameId, bool>,
}

/// The class of each frame, where frames of different `colour` are different. Classes are numbered
/// from 0 on.
pub(crate) fn classes(
    frames: &Frames,
    colour: Table<FrameId, ClassId>,
    meter: &mut Meter<'_>,
) -> Result<Table<FrameId, ClassId>, Limit> {
    let count = colour.as_slice().iter().max().map_or(0, |last| last.index() + 1);
    let mut members: Table<ClassId, Vec<FrameId>> = Table::filled(Vec::new(), count);
    let mut place = Table::new();
    for (frame, &class) in colour.iter() {
        meter.tick()?;
        place.push(members[class].len());
        members[class].push(frame);
    }
    let mut classes = Classes {
        frames,
        of: colour,
        members,
        place,
        callers: frames.callers(),
        list: frames.ids().collect(),
        listed: Table::filled(true, frames.len()),
    };
    while !classes.list.is_empty() {
        classes.refine(meter)?;
    }
    debug_assert_eq!(classes.check_stable(), None);
    Ok(classes.of)
}

impl Classes<'_> {
    /// Where the boxes of a frame lead.
    fn signature(&self, frame: FrameId) -> impl Iterator<Item = Option<ClassId>> + '_ {
        self.frames.links_of(frame).iter().map(|callee| callee.map(|callee| self.of[callee]))
    }

    /// What is wrong with the classes when no frame is on the list, if anything.
    fn check_stable(&self) -> Option<&'static str> {
        for (class, members) in self.members.iter() {
            let Some(&first) = members.first() else { return Some("a class has no members") };
            if members.iter().any(|&frame| self.of[frame] != class) {
                return Some("a member of a class is of another");
            }
            if members.iter().any(|&frame| !self.signature(frame).eq(self.signature(first))) {
                return Some("frames of one class lead to different ones");
            }
        }
        None
    }

    /// Tears the classes of all frames on the list, by where their boxes lead.
    fn refine(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let list = std::mem::take(&mut self.list);
        // The groups of frames on the list, in the order in which they come up, and those of a
        // class.
        let mut groups: Table<GroupId, Vec<FrameId>> = Table::new();
        let mut known: FxHashMap<Signature, GroupId> = FxHashMap::default();
        let mut torn: Vec<(ClassId, Vec<GroupId>)> = Vec::new();
        let mut torn_at: FxHashMap<ClassId, usize> = FxHashMap::default();
        for &frame in &list {
            meter.tick()?;
            self.listed[frame] = false;
            let class = self.of[frame];
            let signature = self.signature(frame).collect();
            let group = *known.entry((class, signature)).or_insert_with(|| {
                let at = *torn_at.entry(class).or_insert_with(|| {
                    torn.push((class, Vec::new()));
                    torn.len() - 1
                });
                let group = groups.push(Vec::new());
                torn[at].1.push(group);
                group
            });
            groups[group].push(frame);
        }
        for (class, mut parts) in torn {
            let listed: usize = parts.iter().map(|&part| groups[part].len()).sum();
            let rest = self.members[class].len() - listed;
            let largest = (0..parts.len()).max_by_key(|&i| groups[parts[i]].len());
            let Some(largest) = largest else { continue };
            if groups[parts[largest]].len() > rest {
                // This part keeps the name, and the frames that were not on the list get a new one.
                let stays = parts.swap_remove(largest);
                if rest > 0 {
                    let moving = parts.iter().chain([&stays]).flat_map(|&part| &groups[part]);
                    let mut on_list: Vec<FrameId> = moving.copied().collect();
                    on_list.sort_unstable();
                    let others = self.members[class].iter().copied();
                    let others =
                        others.filter(|frame| on_list.binary_search(frame).is_err()).collect();
                    parts.push(groups.push(others));
                }
            }
            for part in parts {
                self.move_out(class, &groups[part], meter)?;
            }
        }
        Ok(())
    }

    /// Makes a class of its own of some members of a class.
    fn move_out(
        &mut self,
        class: ClassId,
        frames: &[FrameId],
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let new = self.members.push(frames.to_vec());
        for (place, &frame) in frames.iter().enumerate() {
            meter.tick()?;
            let at = self.place[frame];
            let members = &mut self.members[class];
            members.swap_remove(at);
            if let Some(&moved) = members.get(at) {
                self.place[moved] = at;
            }
            self.of[frame] = new;
            self.place[frame] = place;
            for &(caller, _) in self.callers.of(frame) {
                if !std::mem::replace(&mut self.listed[caller], true) {
                    self.list.push(caller);
                }
            }
        }
        Ok(())
    }
}

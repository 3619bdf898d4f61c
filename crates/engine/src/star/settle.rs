//! Settled machines: no step depends on the stack, and every configuration has one.
//!
//! From any machine one that is bisimilar to it from the initial configurations on, and in which
//! * components at the bottom of the stack are copies of their own that never return: where the program
//!   ends, a step leads back to the node, or to an explicit state without labels;
//! * a node that can only return by exits after which its caller does not go on, and any other dead end,
//!   steps to itself; components are copied by which exits are closed, where that matters.
//!
//! These are the base frames of the engines ([`crate::frames`]), made into components. What is decided of
//! all configurations can then be written into the machine, as a label of copies ([`Settled::labelled`]),
//! and the result is settled again.

use super::multiply::{Copies, Origin, Way, has, multiply};
use crate::bits;
use crate::frames::{self, Frames, Mode};
use crate::terrain::Terrain;
use tern_model::budget::Meter;
use tern_model::{Edge, EndRule, LabelId, Limit, Machine};

/// A settled machine.
pub(crate) struct Settled {
    pub(crate) machine: Machine,
    /// Where all in it is from, in the machine that it was made of first.
    pub(crate) origin: Origin,
}

impl Settled {
    /// Settles a machine. Of its labels only those of the given names are kept.
    pub(super) fn new(
        terrain: &Terrain<'_>,
        labels: &[&str],
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let machine = terrain.machine;
        let (frames, modes) = frames::base(terrain, meter)?;
        let at_the_end = match machine.end_rule() {
            EndRule::Loop => Way::Stay,
            EndRule::Sink => Way::Sink,
        };
        let way = |copy: u32, edge: Edge| match edge {
            Edge::Return(exit) => {
                let Mode { ended, closed } = &modes[frames.mode[copy as usize] as usize];
                if *ended {
                    at_the_end
                } else if !closed.is_empty() && bits::get(closed, machine.exit_position(exit)) {
                    Way::Drop
                } else {
                    Way::Keep
                }
            }
            _ => Way::Keep,
        };
        let labels: Vec<LabelId> = labels.iter().filter_map(|name| machine.label(name)).collect();
        let (machine, origin) = multiply(terrain, &Copies::of(&frames), way, &labels, None, meter)?;
        Ok(Settled { machine, origin })
    }

    /// The machine with a new label on the nodes that the rows of the frames have. A row is over the
    /// nodes of a component, by position; there is one for each frame.
    pub(super) fn labelled(
        &self,
        terrain: &Terrain<'_>,
        frames: &Frames,
        rows: &[Box<[u64]>],
        label: &str,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let (copies, frame_of) = Copies::merged(frames, rows, meter)?;
        let holds = |copy: u32, node| {
            let row = &rows[frame_of[copy as usize] as usize];
            has(terrain.machine, row, node)
        };
        let kept: Vec<LabelId> = terrain.machine.labels().map(|(label, _)| label).collect();
        let (machine, origin) =
            multiply(terrain, &copies, |_, _| Way::Keep, &kept, Some((label, &holds)), meter)?;
        Ok(Settled { machine, origin: origin.through(&self.origin) })
    }
}

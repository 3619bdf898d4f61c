//! Settled machines: no step depends on the stack, and every configuration has one.
//!
//! From any machine one that is bisimilar to it from the initial configurations on, and in which
//! * components at the bottom of the stack are copies of their own that never return: where the
//!   program ends, a step leads back to the node, or to an explicit state without labels;
//! * a node that can only return by exits after which its caller does not go on, and any other dead
//!   end, steps to itself; components are copied by which exits are closed, where that matters.
//!
//! These are the base frames of the engines ([`crate::ground::frames`]), made into components. What
//! is decided of all configurations can then be written into the machine, as a label of copies
//! ([`Settled::labelled`]), and the result is settled again.

use super::multiply::{Copies, CopyId, Fresh, Origin, has, multiply};
use crate::ground::frames::{self, Frames};
use crate::ground::ids::FrameId;
use crate::ground::terrain::Terrain;
use tern_model::budget::Meter;
use tern_model::step::Onward;
use tern_model::{Edge, Id, LabelId, Limit, Machine};

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
        let follow = |copy: CopyId, edge: Edge| {
            let mode = &modes[frames.mode[FrameId::new(copy.index())]];
            mode.below(machine).follow(edge)
        };
        let labels = label_ids(machine, labels);
        let (machine, origin) =
            multiply(terrain, &Copies::of(&frames), follow, &labels, None, meter)?;
        Ok(Settled { machine, origin })
    }

    /// The machine with a new label on the nodes that the rows of the frames have, of its other
    /// labels only those of the given names. A row is over the nodes of a component, by position;
    /// there is one for each frame.
    pub(super) fn labelled(
        &self,
        terrain: &Terrain<'_>,
        frames: &Frames,
        rows: &[Box<[u64]>],
        kept: &[&str],
        label: &str,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let (copies, frame_of) = Copies::merged(frames, rows, meter)?;
        let holds = |copy: CopyId, node| has(terrain.machine, &rows[frame_of[copy].index()], node);
        let kept = label_ids(terrain.machine, kept);
        let (machine, origin) = multiply(
            terrain,
            &copies,
            |_, edge| Some(Onward::Edge(edge)),
            &kept,
            Some(Fresh { label, holds: &holds }),
            meter,
        )?;
        Ok(Settled { machine, origin: origin.through(&self.origin) })
    }
}

fn label_ids(machine: &Machine, names: &[&str]) -> Vec<LabelId> {
    names.iter().filter_map(|name| machine.label(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::survey::survey;
    use tern_model::{Budget, NodeId};
    use tern_testkit::sample;

    fn settled(machine: &Machine) -> Settled {
        let budget = Budget::unlimited();
        let terrain = Terrain::new(machine, &budget).expect("no limits are set");
        Settled::new(&terrain, &sample::ATOMS, &mut Meter::new(&budget)).expect("no limits are set")
    }

    /// The names of the labels of a node.
    fn labels(machine: &Machine, node: NodeId) -> Vec<&str> {
        let has =
            |name: &&&str| machine.label(name).is_some_and(|label| machine.has_label(node, label));
        sample::ATOMS.iter().filter(has).copied().collect()
    }

    #[test]
    fn nothing_depends_on_the_stack() {
        let (mut sinks, mut copied) = (0, 0);
        for seed in 0..2_000 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let machine = sample::machine(&mut rng, &sample::Shape::default());
            let settled = settled(&machine).machine;
            copied += usize::from(settled.component_count() > machine.component_count());
            let mut roots: Vec<_> =
                settled.initial().iter().map(|&node| settled.component_of(node)).collect();
            roots.dedup();
            for root in roots {
                assert!(settled.callers_of(root).is_empty(), "seed {seed}: a root is called");
                let returns =
                    |node| settled.edges(node).iter().any(|e| matches!(e, Edge::Return(_)));
                assert!(!settled.nodes_of(root).any(returns), "seed {seed}: a root returns");
            }
            for node in settled.nodes() {
                assert!(!settled.edges(node).is_empty(), "seed {seed}: {node:?} has no step");
                sinks += usize::from(settled.node_name(node) == "end");
            }
            let budget = Budget::unlimited();
            let dead_ends = survey(&settled, &budget).expect("no limits are set").dead_ends;
            assert!(dead_ends.is_empty(), "seed {seed}: {dead_ends:?}");
        }
        assert!(sinks > 100 && copied > 100, "too little happens: {sinks} sinks, {copied} copied");
    }

    #[test]
    fn everything_is_from_somewhere() {
        for seed in 0..500 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let machine = sample::machine(&mut rng, &sample::Shape::default());
            let once = settled(&machine);
            let twice = {
                let budget = Budget::unlimited();
                let terrain = Terrain::new(&once.machine, &budget).expect("no limits are set");
                let mut meter = Meter::new(&budget);
                let (frames, _) = frames::base(&terrain, &mut meter).expect("no limits are set");
                let row = |&component| vec![u64::MAX; terrain.row_words(component)].into();
                let rows: Vec<Box<[u64]>> = frames.component.as_slice().iter().map(row).collect();
                once.labelled(&terrain, &frames, &rows, &sample::ATOMS, "new", &mut meter)
                    .expect("no limits are set")
            };
            for Settled { machine: copy, origin } in [&once, &twice] {
                for node in copy.nodes() {
                    let Some(from) = origin.node[node] else {
                        assert_eq!(labels(copy, node), [""; 0]);
                        continue;
                    };
                    assert_eq!(labels(copy, node), labels(&machine, from));
                    let component = origin.component[copy.component_of(node)].0;
                    assert_eq!(component, machine.component_of(from));
                }
                for call in copy.boxes() {
                    let from = origin.call[call];
                    let of = |component: tern_model::CompId| origin.component[component].0;
                    assert_eq!(of(copy.callee(call)), machine.callee(from));
                    assert_eq!(of(copy.component_of_box(call)), machine.component_of_box(from));
                }
                let initial = copy.initial().iter().map(|&node| origin.node[node]);
                assert!(initial.eq(machine.initial().iter().map(|&node| Some(node))));
            }
            let all = twice.machine.label("new").expect("all nodes have it");
            let settled = twice.machine.nodes().filter(|&node| !twice.machine.has_label(node, all));
            assert_eq!(settled.count(), 0, "seed {seed}");
        }
    }
}

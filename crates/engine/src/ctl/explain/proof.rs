//! Writing down why a labelling is right.
//!
//! [`crate::ctl::eager`] keeps what each operator was decided from: the frames of its operands
//! (the *ground* frames), the summaries and deaths found there, and the context bits of its own
//! frames. Here that is put into the form that `tern_model::evidence` defines and the certifier
//! checks. Nothing is decided again, except that the search through each frame is repeated for the
//! order in which it went.

use crate::ctl::operator::{Kind, Prepared, View};
use crate::ctl::plan::Plan;
use crate::ground::bits;
use crate::ground::frames::{Frames, Modes};
use crate::ground::ids::{ExitPos, FamilyId, FrameId, PlacePos, Positions, raw};
use crate::ground::terrain::Terrain;
use fixedbitset::FixedBitSet;
use std::sync::Arc;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{
    BoxId, Frame, Ground, Id, Labelling, Layer, Limit, Place, PlaceId, Proof, Stats, Summaries,
    TermId,
};

/// What an operator was decided from.
pub(crate) struct Record {
    pub(crate) term: TermId,
    /// The family of the operands, and the family that the operator made of it.
    pub(crate) ground: FamilyId,
    pub(crate) family: FamilyId,
    pub(crate) prepared: Prepared,
    /// For each frame of the family: its ground frame, and its context bits; empty if all are
    /// false.
    pub(crate) contexts: Table<FrameId, (FrameId, Box<[u64]>)>,
    /// For each ground frame: the exits whose bits are in contexts; empty if there are none.
    pub(crate) relevant: Table<FrameId, Box<[u64]>>,
}

/// A program that has been decided everywhere.
pub(crate) struct Decided<'a> {
    pub(crate) terrain: &'a Terrain<'a>,
    pub(crate) plan: &'a Plan<'a>,
    pub(crate) modes: &'a Modes,
    pub(crate) families: &'a Table<FamilyId, Arc<Frames>>,
    pub(crate) records: &'a [Record],
    /// The rows of a temporal term over the nodes of its family.
    pub(crate) rows: &'a dyn Fn(TermId) -> &'a [u64],
}

/// The labelling of a program, with its proof.
pub(crate) fn labelling(decided: &Decided<'_>, meter: &mut Meter<'_>) -> Result<Labelling, Limit> {
    let layers: Result<Vec<Layer>, Limit> =
        decided.records.iter().map(|record| layer(decided, record, meter)).collect();
    Ok(Labelling { program: decided.plan.program.clone(), layers: layers? })
}

fn layer(decided: &Decided<'_>, record: &Record, meter: &mut Meter<'_>) -> Result<Layer, Limit> {
    let Decided { terrain, plan, modes, families, .. } = *decided;
    let (ground, family) = (&families[record.ground], &families[record.family]);
    let view = View { terrain, frames: ground, modes };
    let (kind, pass, goal) = plan.operator(record.term);
    let frames: Result<Vec<Frame>, Limit> =
        family.ids().map(|id| frame(decided, record, view, kind, id, meter)).collect();
    let mut leaves = plan.leaves([Some(pass), goal]);
    leaves.sort_unstable();
    let operands = leaves.into_iter().map(|leaf| operand(decided, record, leaf)).collect();
    let root_frames = family.roots.as_slice().iter().map(|&root| raw(root));
    let roots = terrain.root_components().iter().copied().zip(root_frames).collect();
    Ok(Layer {
        term: record.term,
        ground: ground.ids().map(|id| ground_frame(decided, ground, id)).collect(),
        operands,
        frames: frames?,
        roots,
        proof: match kind {
            Kind::Next => Proof::Next,
            Kind::Until => Proof::Until(summaries(decided, record)),
            Kind::Globally => {
                let deaths = record.prepared.deaths().iter();
                let deaths = deaths.map(|&(frame, place)| (raw(frame), place)).collect();
                Proof::Globally(summaries(decided, record), deaths)
            }
        },
    })
}

/// Which layer a temporal operand is labelled by, and the frames there of the ground frames.
fn operand(decided: &Decided<'_>, record: &Record, leaf: TermId) -> (usize, Vec<u32>) {
    let layer = decided.records.iter().position(|other| other.term == leaf);
    let layer = layer.expect("operands are decided first");
    let family = decided.records[layer].family;
    let ground = &decided.families[record.ground];
    let map = if family == record.ground {
        ground.ids().map(raw).collect()
    } else {
        let map = ground.coarse_frames(family).expect("the ground refines it");
        map.as_slice().iter().map(|&frame| raw(frame)).collect()
    };
    (layer, map)
}

fn ground_frame(decided: &Decided<'_>, frames: &Frames, id: FrameId) -> Ground {
    let component = frames.component[id];
    let mode = &decided.modes[frames.mode[id]];
    let mut closed = FixedBitSet::with_capacity(decided.terrain.machine.exits_of(component).len());
    closed.extend(bits::ones::<ExitPos>(&mode.closed).map(ExitPos::index));
    Ground { component, ended: mode.ended, closed, callees: callees(decided, frames, id) }
}

fn callees(decided: &Decided<'_>, frames: &Frames, id: FrameId) -> Vec<(BoxId, u32)> {
    let boxes = decided.terrain.machine.boxes_of(frames.component[id]);
    let links = frames.called_boxes(id).map(|(call, to)| (boxes[call.index()], raw(to)));
    let mut callees: Vec<_> = links.collect();
    callees.sort_unstable();
    callees
}

fn frame(
    decided: &Decided<'_>,
    record: &Record,
    view: View<'_>,
    kind: Kind,
    id: FrameId,
    meter: &mut Meter<'_>,
) -> Result<Frame, Limit> {
    let machine = decided.terrain.machine;
    let family = &decided.families[record.family];
    let component = family.component[id];
    let (ground, bits_after) = &record.contexts[id];
    let holds_after = |exit: ExitPos| !bits_after.is_empty() && bits::get(bits_after, exit);
    let after = bits::ones(&record.relevant[*ground])
        .map(|exit| (machine.exit_at(component, exit), holds_after(exit)))
        .collect();
    let nodes = machine.nodes_of(component).len();
    let mut holds = FixedBitSet::with_capacity(nodes);
    let row = family.row((decided.rows)(record.term), id);
    holds.extend(bits::ones::<PlacePos>(row).map(PlacePos::index));
    let (mut sites, order): (Vec<PlaceId>, Vec<PlaceId>) = if kind == Kind::Until {
        let order = record.prepared.derivation(view, *ground, bits_after, meter)?;
        let is_site = |place: &PlaceId| matches!(machine.place(*place), Place::Site(..));
        (order.iter().copied().filter(is_site).collect(), order)
    } else {
        let values =
            record.prepared.evaluate(view, *ground, bits_after, &mut Stats::default(), meter)?;
        let sites = bits::ones::<PlacePos>(&values).filter(|at| at.index() >= nodes);
        (sites.map(|at| machine.place_at(component, at)).collect(), Vec::new())
    };
    sites.sort_unstable();
    let callees = callees(decided, family, id);
    Ok(Frame { component, ground: raw(*ground), callees, after, holds, sites, order })
}

fn summaries(decided: &Decided<'_>, record: &Record) -> Summaries {
    let ground = &decided.families[record.ground];
    let mut starts = Vec::new();
    for frame in ground.ids() {
        let entries = ground.starts_of(decided.terrain, frame);
        starts.extend(entries.map(|(_, entry)| (raw(frame), entry)));
    }
    Summaries { starts, events: record.prepared.events().to_vec() }
}

//! Writing down why a labelling is right.
//!
//! [`crate::ctl::eager`] keeps what each operator was decided from: the frames of its operands (the *ground*
//! frames), the summaries and deaths found there, and the context bits of its own frames. Here that is
//! put into the form that `tern_model::evidence` defines and the certifier checks. Nothing is decided
//! again, except that the search through each frame is repeated for the order in which it went.

use crate::ctl::operator::{Kind, Prepared, View};
use crate::ctl::plan::Plan;
use crate::ground::bits;
use crate::ground::frames::{Frames, Mode};
use crate::ground::summary::NONE;
use crate::ground::terrain::Terrain;
use fixedbitset::FixedBitSet;
use tern_model::budget::Meter;
use tern_model::{
    BoxId, Frame, Ground, Labelling, Layer, Limit, Place, PlaceId, Proof, Stats, Summaries, TermId,
};

/// What an operator was decided from.
pub(crate) struct Record {
    pub(crate) term: TermId,
    /// The family of the operands, and the family that the operator made of it.
    pub(crate) ground: usize,
    pub(crate) family: usize,
    pub(crate) prepared: Prepared,
    /// For each frame of the family: its ground frame, and its context bits; empty if all are false.
    pub(crate) contexts: Vec<(u32, Box<[u64]>)>,
    /// For each ground frame: the exits whose bits are in contexts; empty if there are none.
    pub(crate) relevant: Vec<Box<[u64]>>,
}

/// A program that has been decided everywhere.
pub(crate) struct Decided<'a> {
    pub(crate) terrain: &'a Terrain<'a>,
    pub(crate) plan: &'a Plan<'a>,
    pub(crate) modes: &'a [Mode],
    pub(crate) families: &'a [Frames],
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
        (0..family.len() as u32).map(|id| frame(decided, record, view, kind, id, meter)).collect();
    let mut leaves = plan.leaves([Some(pass), goal]);
    leaves.sort_unstable();
    let operands = leaves.into_iter().map(|leaf| operand(decided, record, leaf)).collect();
    let roots = terrain.root_components.iter().copied().zip(family.roots.clone()).collect();
    Ok(Layer {
        term: record.term,
        ground: (0..ground.len() as u32).map(|id| ground_frame(decided, ground, id)).collect(),
        operands,
        frames: frames?,
        roots,
        proof: match kind {
            Kind::Next => Proof::Next,
            Kind::Until => Proof::Until(summaries(decided, record)),
            Kind::Globally => {
                Proof::Globally(summaries(decided, record), record.prepared.deaths().to_vec())
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
        (0..ground.len() as u32).collect()
    } else {
        let mut coarser = ground.coarser.iter();
        let (_, map) = coarser.find(|(id, _)| *id == family).expect("the ground refines it");
        map.clone()
    };
    (layer, map)
}

fn ground_frame(decided: &Decided<'_>, frames: &Frames, id: u32) -> Ground {
    let component = frames.component[id as usize];
    let mode = &decided.modes[frames.mode[id as usize] as usize];
    let mut closed = FixedBitSet::with_capacity(decided.terrain.machine.exits_of(component).len());
    closed.extend(bits::ones(&mode.closed));
    Ground { component, ended: mode.ended, closed, callees: callees(decided, frames, id) }
}

fn callees(decided: &Decided<'_>, frames: &Frames, id: u32) -> Vec<(BoxId, u32)> {
    let boxes = decided.terrain.machine.boxes_of(frames.component[id as usize]);
    let links = boxes.iter().copied().zip(frames.links_of(id).iter().copied());
    let mut callees: Vec<_> = links.filter(|&(_, to)| to != NONE).collect();
    callees.sort_unstable();
    callees
}

fn frame(
    decided: &Decided<'_>,
    record: &Record,
    view: View<'_>,
    kind: Kind,
    id: u32,
    meter: &mut Meter<'_>,
) -> Result<Frame, Limit> {
    let machine = decided.terrain.machine;
    let family = &decided.families[record.family];
    let component = family.component[id as usize];
    let (ground, bits_after) = &record.contexts[id as usize];
    let exits = machine.exits_of(component);
    let after = bits::ones(&record.relevant[*ground as usize])
        .map(|exit| (exits[exit], !bits_after.is_empty() && bits::get(bits_after, exit)))
        .collect();
    let nodes = machine.nodes_of(component).len();
    let mut holds = FixedBitSet::with_capacity(nodes);
    holds.extend(bits::ones(family.row((decided.rows)(record.term), id)));
    let (mut sites, order): (Vec<PlaceId>, Vec<PlaceId>) = if kind == Kind::Until {
        let order = record.prepared.derivation(view, *ground, bits_after, meter)?;
        let is_site = |place: &PlaceId| matches!(machine.place(*place), Place::Site(..));
        (order.iter().copied().filter(is_site).collect(), order)
    } else {
        let values =
            record.prepared.evaluate(view, *ground, bits_after, &mut Stats::default(), meter)?;
        let places = machine.places_of(component);
        (bits::ones(&values).filter(|&at| at >= nodes).map(|at| places[at]).collect(), Vec::new())
    };
    sites.sort_unstable();
    let callees = callees(decided, family, id);
    Ok(Frame { component, ground: *ground, callees, after, holds, sites, order })
}

fn summaries(decided: &Decided<'_>, record: &Record) -> Summaries {
    let ground = &decided.families[record.ground];
    let mut starts = Vec::new();
    for frame in 0..ground.len() as u32 {
        let component = ground.component[frame as usize];
        if !decided.modes[ground.mode[frame as usize] as usize].ended {
            let entries = decided.terrain.called_entries(component);
            starts.extend(entries.iter().map(|&entry| (frame, entry)));
        }
    }
    Summaries { starts, events: record.prepared.events().to_vec() }
}

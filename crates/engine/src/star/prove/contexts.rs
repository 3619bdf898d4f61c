//! Tells copies apart by what goes on after their returns, from the empty stack upwards.
//!
//! Of interest are only the returns of bad vertices; two stacks that agree on those are in the same
//! copy.

use super::cover::{CopyId, Cover};
use super::explore::{Explored, VertexId};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::star_evidence::{Standing, StarCopy, StarSpot};
use tern_model::{BoxId, ExitId, Id, Limit, StateId, indices};

indices! {
    /// A copy of the layer: a ground copy under stacks that agree.
    Context = "k";
}

/// The copies of empty stacks alone.
pub(super) fn bottom(cover: &Cover<'_>) -> Vec<StarCopy> {
    cover.roots.values().map(|&ground| written(ground, &[], &[])).collect()
}

/// All copies that are needed.
pub(super) fn tell_apart(
    cover: &Cover<'_>,
    explored: &Explored,
    standing: &Table<VertexId, Standing>,
    meter: &mut Meter<'_>,
) -> Result<Vec<StarCopy>, Limit> {
    let frames = Frames::new(cover, explored, standing, meter)?;
    // A ground copy, and for each of its returns whether obligations can be met after it.
    let mut ids: FxHashMap<(CopyId, FixedBitSet), Context> = FxHashMap::default();
    // For each copy of the layer its ground, and the bad vertices that hold in it.
    let mut copies: Table<Context, (CopyId, Vec<VertexId>)> =
        cover.roots.values().map(|&ground| (ground, Vec::new())).collect();
    let mut found = Vec::new();
    // Bits for vertices, all clear between two uses.
    let mut marked = FixedBitSet::with_capacity(explored.vertices.len());
    let mut listed = FixedBitSet::with_capacity(explored.vertices.len());
    while found.len() < copies.len() {
        let next = Context::new(found.len());
        let ground = copies[next].0;
        listed.extend(copies[next].1.iter().map(|vertex| vertex.index()));
        let mut callees = Vec::new();
        for &(call, callee) in &cover.callees[ground] {
            let context = frames.context(ground, &listed, call, callee, meter)?;
            let id = match ids.get(&(callee, context.clone())) {
                Some(&known) => known,
                None => {
                    let order = frames.order(callee, &context, &mut marked, meter)?;
                    let id = copies.push((callee, order));
                    ids.insert((callee, context), id);
                    id
                }
            };
            callees.push((call, super::number(id)));
        }
        let order = &copies[next].1;
        order.iter().for_each(|vertex| listed.set(vertex.index(), false));
        found.push(written(ground, &callees, order));
    }
    Ok(found)
}

/// A copy in the form of the proof.
fn written(ground: CopyId, callees: &[(BoxId, u32)], order: &[VertexId]) -> StarCopy {
    StarCopy {
        ground: super::number(ground),
        callees: callees.to_vec(),
        order: order.iter().map(|&vertex| super::number(vertex)).collect(),
    }
}

/// What is bad in each ground copy, and how one gets out of there.
struct Frames<'a> {
    cover: &'a Cover<'a>,
    explored: &'a Explored,
    standing: &'a Table<VertexId, Standing>,
    /// For each ground copy, the returns of its bad vertices, sorted.
    returns: Table<CopyId, Vec<(ExitId, StateId)>>,
    /// For each ground copy and each of these, the vertices.
    returning: Table<CopyId, Vec<Vec<VertexId>>>,
    /// For each bad vertex, those that move to it within the frame.
    before: Table<VertexId, Vec<VertexId>>,
}

impl<'a> Frames<'a> {
    fn new(
        cover: &'a Cover<'a>,
        explored: &'a Explored,
        standing: &'a Table<VertexId, Standing>,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let is_bad = |vertex: &VertexId| matches!(standing[*vertex], Standing::Bad(_));
        let mut returns: Table<CopyId, Vec<_>> = Table::filled(Vec::new(), cover.len());
        let mut before = Table::filled(Vec::new(), explored.vertices.len());
        for vertex in explored.vertices.ids().filter(is_bad) {
            let copy = explored.vertices[vertex].0;
            returns[copy].extend_from_slice(&explored.outs[vertex]);
            for onward in explored.inner[vertex].iter().filter(|onward| onward.within) {
                meter.tick()?;
                before[onward.to].push(vertex);
            }
        }
        for copy in returns.ids() {
            meter.tick()?;
            returns[copy].sort_unstable();
            returns[copy].dedup();
        }
        let mut returning: Table<CopyId, Vec<Vec<VertexId>>> =
            returns.as_slice().iter().map(|list| vec![Vec::new(); list.len()]).collect();
        for vertex in explored.vertices.ids().filter(is_bad) {
            let copy = explored.vertices[vertex].0;
            for out in &explored.outs[vertex] {
                meter.tick()?;
                if let Ok(position) = returns[copy].binary_search(out) {
                    returning[copy][position].push(vertex);
                }
            }
        }
        Ok(Frames { cover, explored, standing, returns, returning, before })
    }

    /// After which returns of a callee obligations can be met, where these vertices hold in the
    /// caller.
    fn context(
        &self,
        ground: CopyId,
        holds: &FixedBitSet,
        call: BoxId,
        callee: CopyId,
        meter: &mut Meter<'_>,
    ) -> Result<FixedBitSet, Limit> {
        let returns = &self.returns[callee];
        let mut context = FixedBitSet::with_capacity(returns.len());
        for (bit, &(exit, state)) in returns.iter().enumerate() {
            meter.tick()?;
            let Some(site) = self.cover.machine.site(call, exit) else { continue };
            let vertex = self.explored.vertex_ids[&(ground, StarSpot::At(site), state)];
            let good = matches!(self.standing[vertex], Standing::Good(_));
            context.set(bit, good || holds.contains(vertex.index()));
        }
        Ok(context)
    }

    /// The bad vertices that hold under a context, each after its reason.
    fn order(
        &self,
        ground: CopyId,
        context: &FixedBitSet,
        listed: &mut FixedBitSet,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<VertexId>, Limit> {
        let mut order: Vec<VertexId> = Vec::new();
        for bit in context.ones() {
            for &vertex in &self.returning[ground][bit] {
                meter.tick()?;
                if !listed.put(vertex.index()) {
                    order.push(vertex);
                }
            }
        }
        let mut next = 0;
        while let Some(&vertex) = order.get(next) {
            for &other in &self.before[vertex] {
                meter.tick()?;
                if !listed.put(other.index()) {
                    order.push(other);
                }
            }
            next += 1;
        }
        order.iter().for_each(|vertex| listed.set(vertex.index(), false));
        Ok(order)
    }
}

//! Tells copies apart by what goes on after their returns, from the empty stack upwards.
//!
//! Of interest are only the returns of bad vertices; two stacks that agree on those are in the same copy.

use super::cover::Cover;
use super::explore::Explored;
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::star_evidence::{Standing, StarCopy, StarSpot};
use tern_model::{BoxId, ExitId, Limit, StateId};

/// The copies of empty stacks alone.
pub(super) fn bottom(cover: &Cover<'_>) -> Vec<StarCopy> {
    let copy = |&ground: &u32| StarCopy { ground, callees: Vec::new(), order: Vec::new() };
    cover.roots.values().map(copy).collect()
}

/// All copies that are needed.
pub(super) fn tell_apart(
    cover: &Cover<'_>,
    explored: &Explored,
    standing: &[Standing],
    meter: &mut Meter<'_>,
) -> Result<Vec<StarCopy>, Limit> {
    let frames = Frames::new(cover, explored, standing, meter)?;
    let mut copies = bottom(cover);
    // A ground copy, and for each of its returns whether obligations can be met after it.
    let mut ids: FxHashMap<(u32, FixedBitSet), u32> = FxHashMap::default();
    let mut next = 0;
    // Bits for vertices, all clear between two uses.
    let mut marked = FixedBitSet::with_capacity(explored.vertices.len());
    let mut listed = FixedBitSet::with_capacity(explored.vertices.len());
    while next < copies.len() {
        let ground = copies[next].ground;
        listed.extend(copies[next].order.iter().map(|&it| it as usize));
        let mut callees = Vec::new();
        for &(call, callee) in &cover.callees[ground as usize] {
            let context = frames.context(ground, &listed, call, callee, meter)?;
            let id = match ids.get(&(callee, context.clone())) {
                Some(&known) => known,
                None => {
                    let order = frames.order(callee, &context, &mut marked, meter)?;
                    copies.push(StarCopy { ground: callee, callees: Vec::new(), order });
                    let id = u32::try_from(copies.len() - 1).expect("fewer than 2^32 copies");
                    ids.insert((callee, context), id);
                    id
                }
            };
            callees.push((call, id));
        }
        copies[next].order.iter().for_each(|&it| listed.set(it as usize, false));
        copies[next].callees = callees;
        next += 1;
    }
    Ok(copies)
}

/// What is bad in each ground copy, and how one gets out of there.
struct Frames<'a> {
    cover: &'a Cover<'a>,
    explored: &'a Explored,
    standing: &'a [Standing],
    /// For each ground copy, the returns of its bad vertices, sorted.
    returns: Vec<Vec<(ExitId, StateId)>>,
    /// For each ground copy and each of these, the vertices.
    returning: Vec<Vec<Vec<u32>>>,
    /// For each bad vertex, those that move to it within the frame.
    before: Vec<Vec<u32>>,
}

impl<'a> Frames<'a> {
    fn new(
        cover: &'a Cover<'a>,
        explored: &'a Explored,
        standing: &'a [Standing],
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let bad = (0..explored.vertices.len())
            .filter(|&vertex| matches!(standing[vertex], Standing::Bad(_)));
        let mut returns = vec![Vec::new(); cover.len()];
        let mut before = vec![Vec::new(); explored.vertices.len()];
        for vertex in bad.clone() {
            let copy = explored.vertices[vertex].0 as usize;
            returns[copy].extend_from_slice(&explored.outs[vertex]);
            for onward in explored.inner[vertex].iter().filter(|onward| onward.within) {
                meter.tick()?;
                before[onward.to as usize].push(vertex as u32);
            }
        }
        for list in &mut returns {
            meter.tick()?;
            list.sort_unstable();
            list.dedup();
        }
        let mut returning: Vec<Vec<Vec<u32>>> =
            returns.iter().map(|list| vec![Vec::new(); list.len()]).collect();
        for vertex in bad {
            let copy = explored.vertices[vertex].0 as usize;
            for out in &explored.outs[vertex] {
                meter.tick()?;
                if let Ok(position) = returns[copy].binary_search(out) {
                    returning[copy][position].push(vertex as u32);
                }
            }
        }
        Ok(Frames { cover, explored, standing, returns, returning, before })
    }

    /// After which returns of a callee obligations can be met, where these vertices hold in the caller.
    fn context(
        &self,
        ground: u32,
        holds: &FixedBitSet,
        call: BoxId,
        callee: u32,
        meter: &mut Meter<'_>,
    ) -> Result<FixedBitSet, Limit> {
        let returns = &self.returns[callee as usize];
        let mut context = FixedBitSet::with_capacity(returns.len());
        for (bit, &(exit, state)) in returns.iter().enumerate() {
            meter.tick()?;
            let Some(site) = self.cover.machine.site(call, exit) else { continue };
            let vertex = self.explored.vertex_ids[&(ground, StarSpot::At(site), state)] as usize;
            let good = matches!(self.standing[vertex], Standing::Good(_));
            context.set(bit, good || holds.contains(vertex));
        }
        Ok(context)
    }

    /// The bad vertices that hold under a context, each after its reason.
    fn order(
        &self,
        ground: u32,
        context: &FixedBitSet,
        listed: &mut FixedBitSet,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<u32>, Limit> {
        let mut order: Vec<u32> = Vec::new();
        for bit in context.ones() {
            for &vertex in &self.returning[ground as usize][bit] {
                meter.tick()?;
                if !listed.put(vertex as usize) {
                    order.push(vertex);
                }
            }
        }
        let mut next = 0;
        while let Some(&vertex) = order.get(next) {
            for &other in &self.before[vertex as usize] {
                meter.tick()?;
                if !listed.put(other as usize) {
                    order.push(other);
                }
            }
            next += 1;
        }
        order.iter().for_each(|&vertex| listed.set(vertex as usize, false));
        Ok(order)
    }
}

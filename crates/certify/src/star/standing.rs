//! Checks where obligations can be met: in the frame (good and bad vertices), and under the stacks
//! of each copy.

use super::contracts::kept;
use super::cover::Cover;
use super::moves::{Layer, Move, Way};
use crate::refusal::{Refusal, Stopped};
use std::collections::BTreeMap;
use tern_model::star_evidence::{Standing, StarSpot, StarVertex};
use tern_model::{ExitId, NodeId};

/// The moves of a vertex.
#[derive(Default)]
struct Onward {
    /// Within the frame or deeper: to which vertex, keeping which promises, and whether within the
    /// frame.
    inner: Vec<(usize, u64, bool)>,
    /// Out of the frame: by which exits, in which states.
    outs: Vec<(ExitId, u32)>,
}

/// The truth at the spots of the copies, where the layer says so.
pub(super) fn check(
    layer: &mut Layer<'_, '_>,
    cover: &Cover,
) -> Result<BTreeMap<(usize, StarSpot), bool>, Stopped> {
    let mut check = Check::new(layer)?;
    for number in 0..check.layer.written.vertices.len() {
        let onward = check.moves(number)?;
        check.onward.push(onward);
    }
    for number in 0..check.onward.len() {
        check.stands(number)?;
    }
    let positions = check.positions(cover)?;
    for copy in 0..cover.len() {
        check.copy(cover, copy, &positions)?;
    }
    let sought = check.layer.sought();
    let mut truth = BTreeMap::new();
    for (copy, order) in positions.iter().enumerate() {
        for &number in check.members(cover, copy) {
            let vertex = &check.layer.written.vertices[number];
            if Some(vertex.state) == sought {
                truth.insert((copy, vertex.spot), check.holds(order, number));
            }
        }
    }
    Ok(truth)
}

/// For a copy, the position of each vertex in its order.
type Positions = BTreeMap<usize, usize>;

struct Check<'a, 'k, 'l> {
    layer: &'l mut Layer<'a, 'k>,
    ids: BTreeMap<(usize, StarSpot, u32), usize>,
    contracts: BTreeMap<(usize, NodeId, u32), usize>,
    /// The vertices of each ground copy.
    members: Vec<Vec<usize>>,
    onward: Vec<Onward>,
}

impl<'a, 'k, 'l> Check<'a, 'k, 'l> {
    /// Looks that all ids are in range and nothing is said twice.
    fn new(layer: &'l mut Layer<'a, 'k>) -> Result<Self, Refusal> {
        let mut ids = BTreeMap::new();
        let mut members = vec![Vec::new(); layer.ground.len()];
        for (number, vertex) in layer.written.vertices.iter().enumerate() {
            let bad = |why: &str| Err(Refusal::new(format!("vertex {number}"), why));
            if !layer.exists(vertex.copy, vertex.spot, vertex.state) {
                return bad("it has no such copy, spot or state");
            }
            if let Standing::Good(distances) = &vertex.standing
                && distances.len() != layer.written.promises.len()
            {
                return bad("it does not have one distance for each promise");
            }
            let copy = vertex.copy as usize;
            if ids.insert((copy, vertex.spot, vertex.state), number).is_some() {
                return bad("it is there twice");
            }
            members[copy].push(number);
        }
        let contracts = layer.written.contracts.iter().enumerate();
        let contracts = contracts.map(|(i, it)| ((it.copy as usize, it.entry, it.state), i));
        Ok(Check { contracts: contracts.collect(), layer, ids, members, onward: Vec::new() })
    }

    fn vertex(&self, copy: usize, spot: StarSpot, state: u32) -> Result<usize, Refusal> {
        self.ids.get(&(copy, spot, state)).copied().ok_or_else(|| {
            let why = format!("there is no vertex here with the obligations of state {state}");
            Refusal::new(self.layer.place(copy, spot), why)
        })
    }

    /// The moves of a vertex. Those of a good vertex may be some of them: what is not there leads
    /// nowhere.
    fn moves(&mut self, number: usize) -> Result<Onward, Stopped> {
        let StarVertex { copy, spot, state, .. } = self.layer.written.vertices[number];
        let copy = copy as usize;
        let good = matches!(self.layer.written.vertices[number].standing, Standing::Good(_));
        let needed = |found: Result<usize, Refusal>| match found {
            Err(_) if good => Ok(None),
            found => found.map(Some),
        };
        let machine = self.layer.known.machine;
        let mut onward = Onward::default();
        for Move { way, state, kept: own } in self.layer.moves(copy, spot, state)? {
            match way {
                Way::To(to) => {
                    let to = needed(self.vertex(copy, to, state))?;
                    onward.inner.extend(to.map(|to| (to, own, true)));
                }
                Way::Return(exit) => onward.outs.push((exit, state)),
                Way::Call(call, entry, callee) => {
                    let at = StarSpot::At(machine.node_place(entry));
                    let to = needed(self.vertex(callee, at, state))?;
                    onward.inner.extend(to.map(|to| (to, own, false)));
                    let contract = self.contracts.get(&(callee, entry, state)).copied();
                    let contract = needed(contract.ok_or_else(|| {
                        let why = format!("the callee has no contract in state {state}");
                        Refusal::new(self.layer.place(copy, spot), why)
                    }))?;
                    let leaves = contract.map(|it| &self.layer.written.contracts[it].leaves);
                    for (exit, fact) in leaves.into_iter().flatten() {
                        if let Some(site) = machine.site(call, *exit) {
                            let to = needed(self.vertex(copy, StarSpot::At(site), fact.state))?;
                            onward.inner.extend(to.map(|to| (to, own | kept(fact), true)));
                        }
                    }
                }
            }
        }
        Ok(onward)
    }

    /// Checks that a vertex is good or bad as it says.
    fn stands(&self, number: usize) -> Result<(), Refusal> {
        let vertices = &self.layer.written.vertices;
        let inner = &self.onward[number].inner;
        match &vertices[number].standing {
            Standing::Good(distances) => {
                let good = |to: usize| match &vertices[to].standing {
                    Standing::Good(distances) => Some(distances),
                    Standing::Bad(_) => None,
                };
                if !inner.iter().any(|&(to, ..)| good(to).is_some()) {
                    return Err(self.refusal(number, "no move leads to a good vertex"));
                }
                for (promise, &distance) in distances.iter().enumerate() {
                    let nearer = |&(to, kept, _): &(usize, u64, bool)| {
                        good(to)
                            .is_some_and(|to| kept >> promise & 1 == 1 || to[promise] < distance)
                    };
                    if !inner.iter().any(nearer) {
                        let why = format!("no move brings promise {promise} nearer");
                        return Err(self.refusal(number, &why));
                    }
                }
                Ok(())
            }
            Standing::Bad(level) => {
                let promises = self.layer.written.promises.len() as u32;
                for &(to, kept, _) in inner {
                    let Standing::Bad(next) = vertices[to].standing else {
                        return Err(self.refusal(number, "a move leads to a good vertex"));
                    };
                    if next > *level {
                        return Err(self.refusal(number, "the level grows"));
                    }
                    if next == *level {
                        let promise = level.checked_rem(promises);
                        if promise.is_none_or(|promise| kept >> promise & 1 == 1) {
                            let why = "a move stays in the level, and keeps all its promises";
                            return Err(self.refusal(number, why));
                        }
                    }
                }
                Ok(())
            }
        }
    }

    /// The vertices of the ground copy that a copy refines.
    fn members(&self, cover: &Cover, copy: usize) -> &[usize] {
        cover.below(copy).map_or(&[], |(_, ground)| &self.members[ground])
    }

    /// Where each vertex stands in the order of each copy.
    fn positions(&self, cover: &Cover) -> Result<Vec<Positions>, Refusal> {
        let mut all = Vec::with_capacity(cover.len());
        for (copy, written) in self.layer.written.copies.iter().enumerate() {
            let mut positions = Positions::new();
            for (position, &number) in written.order.iter().enumerate() {
                let number = number as usize;
                let is_bad = self.layer.written.vertices.get(number).is_some_and(|vertex| {
                    vertex.copy == written.ground && matches!(vertex.standing, Standing::Bad(_))
                });
                if !is_bad || positions.insert(number, position).is_some() {
                    let why = "its order lists what is no bad vertex of it, or one twice";
                    return Err(Refusal::new(format!("copy {copy} of the layer"), why));
                }
            }
            all.push(positions);
        }
        Ok(all)
    }

    fn holds(&self, order: &Positions, number: usize) -> bool {
        let good = matches!(self.layer.written.vertices[number].standing, Standing::Good(_));
        good || order.contains_key(&number)
    }

    /// Checks that the bad vertices that hold in a copy are those that have a reason.
    fn copy(&self, cover: &Cover, copy: usize, positions: &[Positions]) -> Result<(), Stopped> {
        let mut after: BTreeMap<(ExitId, u32), bool> = BTreeMap::new();
        let order = &positions[copy];
        self.layer.meter.budget().check()?;
        for &number in self.members(cover, copy) {
            if matches!(self.layer.written.vertices[number].standing, Standing::Good(_)) {
                continue;
            }
            let own = order.get(&number).copied();
            let limit = own.unwrap_or(usize::MAX);
            let mut reason = self.onward[number].inner.iter().any(|&(to, _, within)| {
                within && order.get(&to).is_some_and(|&position| position < limit)
            });
            for &(exit, state) in &self.onward[number].outs {
                let goes_on = match after.get(&(exit, state)) {
                    Some(&known) => known,
                    None => self.goes_on(cover, copy, exit, state, positions)?,
                };
                after.insert((exit, state), goes_on);
                reason |= goes_on;
            }
            if reason != own.is_some() {
                let why = if reason {
                    format!("it does not hold in copy {copy} of the layer, but has a reason to")
                } else {
                    format!("it holds in copy {copy} of the layer without an earlier reason")
                };
                return Err(self.refusal(number, &why).into());
            }
        }
        Ok(())
    }

    /// Whether obligations can be met after a return to whoever links to a copy.
    fn goes_on(
        &self,
        cover: &Cover,
        copy: usize,
        exit: ExitId,
        state: u32,
        positions: &[Positions],
    ) -> Result<bool, Refusal> {
        let mut all = None;
        for &(caller, call) in cover.callers(copy) {
            let holds = match (self.layer.known.machine.site(call, exit), cover.below(caller)) {
                (Some(site), Some((_, ground))) => {
                    let number = self.vertex(ground, StarSpot::At(site), state)?;
                    self.holds(&positions[caller], number)
                }
                _ => false,
            };
            if all.is_some_and(|others| others != holds) {
                let exit = self.layer.known.machine.exit_name(exit);
                let why = format!("its callers disagree on exit {exit} in state {state}");
                return Err(Refusal::new(format!("copy {copy} of the layer"), why));
            }
            all = Some(holds);
        }
        Ok(all.unwrap_or(false))
    }

    fn refusal(&self, number: usize, why: &str) -> Refusal {
        let StarVertex { copy, spot, state, .. } = &self.layer.written.vertices[number];
        let place = self.layer.place(*copy as usize, *spot);
        Refusal::new(format!("vertex {number} ({place}, state {state})"), why)
    }
}

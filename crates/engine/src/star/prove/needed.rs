//! Leaves out what a proof does not need.
//!
//! A bad vertex needs all that it leads to. A good one needs, for each promise, one move that brings it nearer; so
//! where obligations can be met, little more is left than a run that shows it.

use super::cover::Cover;
use super::explore::{Explored, Onward};
use fixedbitset::FixedBitSet;
use tern_model::budget::Meter;
use tern_model::star_evidence::{Contract, Standing, StarSpot};
use tern_model::{Id, Limit, StateId};

/// What is needed of the vertices, contracts and states.
struct Needed {
    vertices: FixedBitSet,
    contracts: FixedBitSet,
    states: FixedBitSet,
    open_vertices: Vec<u32>,
    open_contracts: Vec<u32>,
}

/// Keeps what the truth at some spots in the first state needs, and says the number of that state. If `open`, what
/// goes on after returns is needed too.
pub(super) fn keep(
    cover: &Cover<'_>,
    explored: Explored,
    standing: Vec<Standing>,
    wanted: &[(u32, StarSpot)],
    first: StateId,
    open: bool,
    meter: &mut Meter<'_>,
) -> Result<(Explored, Vec<Standing>, StateId), Limit> {
    let mut needed = Needed {
        vertices: FixedBitSet::with_capacity(explored.vertices.len()),
        contracts: FixedBitSet::with_capacity(explored.contracts.len()),
        states: FixedBitSet::with_capacity(explored.states.len()),
        open_vertices: Vec::new(),
        open_contracts: Vec::new(),
    };
    needed.states.extend([first.index()]);
    for &(copy, spot) in wanted {
        needed.vertex(explored.vertex_ids[&(copy, spot, first)]);
    }
    while let Some(vertex) = needed.open_vertices.pop() {
        let (copy, _, state) = explored.vertices[vertex as usize];
        needed.states.insert(state.index());
        needed.states.extend(explored.next[vertex as usize].iter().map(|state| state.index()));
        let moves = &explored.inner[vertex as usize];
        match &standing[vertex as usize] {
            Standing::Good(distances) => {
                for onward in chosen(&standing, distances, moves) {
                    meter.tick()?;
                    needed.vertex(onward.to);
                    onward.contract.into_iter().for_each(|it| needed.contract(it));
                }
            }
            Standing::Bad(_) => {
                moves.iter().for_each(|onward| needed.vertex(onward.to));
                let calls = &explored.calls[vertex as usize];
                calls.iter().for_each(|&contract| needed.contract(contract));
                for &(exit, state) in &explored.outs[vertex as usize] {
                    for &(caller, call) in cover.callers[copy as usize].iter().filter(|_| open) {
                        meter.tick()?;
                        if let Some(site) = cover.machine.site(call, exit) {
                            let site = (caller, StarSpot::At(site), state);
                            needed.vertex(explored.vertex_ids[&site]);
                        }
                    }
                }
            }
        }
    }
    while let Some(contract) = needed.open_contracts.pop() {
        meter.tick()?;
        let calls = &explored.calls_inside[contract as usize];
        calls.iter().for_each(|&inside| needed.contract(inside));
        let Contract { state, reached, leaves, .. } = &explored.contracts[contract as usize];
        let facts = reached.iter().map(|(_, fact)| fact).chain(leaves.iter().map(|(_, fact)| fact));
        needed.states.extend(facts.map(|fact| fact.state as usize).chain([*state as usize]));
    }
    needed.renumber(explored, standing, first, meter)
}

/// Moves that bring each promise nearer, or one that leads on if there are none; better such that need no contract.
fn chosen<'a>(
    standing: &'a [Standing],
    distances: &'a [u32],
    moves: &'a [Onward],
) -> impl Iterator<Item = &'a Onward> {
    let good = |onward: &Onward| match &standing[onward.to as usize] {
        Standing::Good(distances) => Some(distances),
        Standing::Bad(_) => None,
    };
    let best = move |fits: &dyn Fn(&Onward) -> bool| {
        moves.iter().filter(|onward| fits(onward)).min_by_key(|onward| onward.contract.is_some())
    };
    let any = distances.is_empty().then(|| best(&|onward| good(onward).is_some())).flatten();
    let nearer = distances.iter().enumerate().filter_map(move |(promise, &distance)| {
        best(&|onward| {
            good(onward)
                .is_some_and(|to| onward.marks >> promise & 1 == 1 || to[promise] < distance)
        })
    });
    any.into_iter().chain(nearer)
}

impl Needed {
    fn vertex(&mut self, vertex: u32) {
        if !self.vertices.put(vertex as usize) {
            self.open_vertices.push(vertex);
        }
    }

    fn contract(&mut self, contract: u32) {
        if !self.contracts.put(contract as usize) {
            self.open_contracts.push(contract);
        }
    }

    fn renumber(
        &self,
        explored: Explored,
        standing: Vec<Standing>,
        first: StateId,
        meter: &mut Meter<'_>,
    ) -> Result<(Explored, Vec<Standing>, StateId), Limit> {
        let vertex = numbers(&self.vertices);
        let state = numbers(&self.states);
        let new_state = |old: StateId| StateId::new(state[old.index()] as usize);
        let mut kept = Explored::default();
        let mut kept_standing = Vec::new();
        let old = explored.vertices.iter().zip(standing).zip(explored.inner).zip(explored.outs);
        for (number, (((&(copy, spot, state), standing), moves), outs)) in old.enumerate() {
            meter.tick()?;
            if !self.vertices.contains(number) {
                continue;
            }
            let key = (copy, spot, new_state(state));
            kept.vertex_ids.insert(key, vertex[number]);
            kept.vertices.push(key);
            // What a good vertex leads to besides is of no interest any more.
            let is_bad = matches!(standing, Standing::Bad(_));
            let moves = moves.into_iter().filter(|_| is_bad);
            let moves = moves.map(|it| Onward { to: vertex[it.to as usize], ..it });
            kept.inner.push(moves.collect());
            let outs = outs.into_iter().filter(|_| is_bad);
            kept.outs.push(outs.map(|(exit, state)| (exit, new_state(state))).collect());
            kept_standing.push(standing);
        }
        for (_, mut contract) in explored
            .contracts
            .into_iter()
            .enumerate()
            .filter(|&(number, _)| self.contracts.contains(number))
        {
            meter.tick()?;
            contract.state = state[contract.state as usize];
            let reached = contract.reached.iter_mut().map(|(_, fact)| fact);
            for fact in reached.chain(contract.leaves.iter_mut().map(|(_, fact)| fact)) {
                fact.state = state[fact.state as usize];
            }
            kept.contracts.push(contract);
        }
        let states = explored.states.into_iter().enumerate();
        let states = states.filter(|&(number, _)| self.states.contains(number));
        kept.states = states.map(|(_, state)| state).collect();
        Ok((kept, kept_standing, new_state(first)))
    }
}

/// The position of each member of a set among its members.
fn numbers(set: &FixedBitSet) -> Vec<u32> {
    let mut numbers = vec![u32::MAX; set.len()];
    for (number, member) in (0..).zip(set.ones()) {
        numbers[member] = number;
    }
    numbers
}

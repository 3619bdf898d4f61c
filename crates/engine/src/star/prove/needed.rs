//! Leaves out what a proof does not need.
//!
//! A bad vertex needs all that it leads to. A good one needs, for each promise, one move that
//! brings it nearer; so where obligations can be met, little more is left than a run that shows it.

use super::cover::{CopyId, Cover};
use super::explore::{ContractId, Explored, Onward, VertexId};
use fixedbitset::FixedBitSet;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::star_evidence::{Contract, Standing, StarSpot};
use tern_model::{Id, Limit, StateId};

/// What is needed of the vertices, contracts and states.
struct Needed {
    vertices: FixedBitSet,
    contracts: FixedBitSet,
    states: FixedBitSet,
    open_vertices: Vec<VertexId>,
    open_contracts: Vec<ContractId>,
}

/// Keeps what the truth at some spots in the first state needs, and says the number of that state.
/// If `open`, what goes on after returns is needed too.
pub(super) fn keep(
    cover: &Cover<'_>,
    explored: Explored,
    standing: Table<VertexId, Standing>,
    wanted: &[(CopyId, StarSpot)],
    first: StateId,
    open: bool,
    meter: &mut Meter<'_>,
) -> Result<(Explored, Table<VertexId, Standing>, StateId), Limit> {
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
        let (copy, _, state) = explored.vertices[vertex];
        needed.states.insert(state.index());
        needed.states.extend(explored.next[vertex].iter().map(|state| state.index()));
        let moves = &explored.inner[vertex];
        match &standing[vertex] {
            Standing::Good(distances) => {
                for onward in chosen(&standing, distances, moves) {
                    meter.tick()?;
                    needed.vertex(onward.to);
                    onward.contract.into_iter().for_each(|it| needed.contract(it));
                }
            }
            Standing::Bad(_) => {
                moves.iter().for_each(|onward| needed.vertex(onward.to));
                let calls = &explored.calls[vertex];
                calls.iter().for_each(|&contract| needed.contract(contract));
                for &(exit, state) in &explored.outs[vertex] {
                    for &(caller, call) in cover.callers[copy].iter().filter(|_| open) {
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
        let calls = &explored.calls_inside[contract];
        calls.iter().for_each(|&inside| needed.contract(inside));
        let Contract { state, reached, leaves, .. } = &explored.contracts[contract];
        let facts = reached.iter().map(|(_, fact)| fact).chain(leaves.iter().map(|(_, fact)| fact));
        needed.states.extend(facts.map(|fact| fact.state as usize).chain([*state as usize]));
    }
    needed.renumber(explored, standing, first, meter)
}

/// Moves that bring each promise nearer, or one that leads on if there are none; better such that
/// need no contract.
fn chosen<'a>(
    standing: &'a Table<VertexId, Standing>,
    distances: &'a [u32],
    moves: &'a [Onward],
) -> impl Iterator<Item = &'a Onward> {
    let good = |onward: &Onward| match &standing[onward.to] {
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
    fn vertex(&mut self, vertex: VertexId) {
        if !self.vertices.put(vertex.index()) {
            self.open_vertices.push(vertex);
        }
    }

    fn contract(&mut self, contract: ContractId) {
        if !self.contracts.put(contract.index()) {
            self.open_contracts.push(contract);
        }
    }

    fn renumber(
        &self,
        explored: Explored,
        standing: Table<VertexId, Standing>,
        first: StateId,
        meter: &mut Meter<'_>,
    ) -> Result<(Explored, Table<VertexId, Standing>, StateId), Limit> {
        let vertices: Table<VertexId, Option<VertexId>> = renamed(&self.vertices);
        let states: Table<StateId, Option<StateId>> = renamed(&self.states);
        let new_state = |old: StateId| states[old].expect("it is needed");
        let number = |old: u32| super::number(new_state(StateId::new(old as usize)));
        let mut kept = Explored::default();
        let mut kept_standing = Table::new();
        let old = explored.vertices.iter().zip(standing).zip(explored.inner).zip(explored.outs);
        for ((((id, &(copy, spot, state)), standing), moves), outs) in old {
            meter.tick()?;
            if vertices[id].is_none() {
                continue;
            }
            let key = (copy, spot, new_state(state));
            let id = kept.vertices.push(key);
            kept.vertex_ids.insert(key, id);
            // What a good vertex leads to besides is of no interest any more.
            let is_bad = matches!(standing, Standing::Bad(_));
            let moves = moves.into_iter().filter(|_| is_bad);
            let to =
                |old: VertexId| vertices[old].expect("a bad vertex needs all that it leads to");
            kept.inner.push(moves.map(|it| Onward { to: to(it.to), ..it }).collect());
            let outs = outs.into_iter().filter(|_| is_bad);
            kept.outs.push(outs.map(|(exit, state)| (exit, new_state(state))).collect());
            kept_standing.push(standing);
        }
        for (_, mut contract) in explored
            .contracts
            .into_iter()
            .enumerate()
            .filter(|&(position, _)| self.contracts.contains(position))
        {
            meter.tick()?;
            contract.state = number(contract.state);
            let reached = contract.reached.iter_mut().map(|(_, fact)| fact);
            for fact in reached.chain(contract.leaves.iter_mut().map(|(_, fact)| fact)) {
                fact.state = number(fact.state);
            }
            kept.contracts.push(contract);
        }
        let states = explored.states.into_iter().enumerate();
        let states = states.filter(|&(position, _)| self.states.contains(position));
        kept.states = states.map(|(_, state)| state).collect();
        Ok((kept, kept_standing, new_state(first)))
    }
}

/// The ids of the members of a set, if they are counted alone.
fn renamed<I: Id>(set: &FixedBitSet) -> Table<I, Option<I>> {
    let mut ids = Table::filled(None, set.len());
    for (new, old) in set.ones().enumerate() {
        ids[I::new(old)] = Some(I::new(new));
    }
    ids
}

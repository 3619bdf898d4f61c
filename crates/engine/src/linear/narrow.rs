//! Writes down why a component of a graph cannot be gone round in a fair way: the narrowings of
//! [`tern_model::absence`], one for each part from which the premises of some pairs are taken out,
//! and how callees are left without them.

use super::absence::number;
use super::cycles::{Components, Pairs, net};
use super::graph::{Graph, StartId, VertexId};
use crate::streett::{Carried, Contracts, Fate, Goal, Part, Streett};
use tern_model::absence::{NarrowContract, NarrowContracts, Narrowing};
use tern_model::automaton::Marks;
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{Id, Limit};

/// The position of each vertex among those of its start.
pub(super) struct Positions(Table<VertexId, u32>);

impl Positions {
    pub(super) fn new(graph: &Graph, vertices: &Table<StartId, Vec<VertexId>>) -> Self {
        let mut positions = Table::filled(0, graph.vertices.len());
        for (_, list) in vertices.iter() {
            for (position, &vertex) in (0..).zip(list) {
                positions[vertex] = position;
            }
        }
        Positions(positions)
    }
}

/// A part that is to be narrowed: the narrowing it is within, its level there, its vertices, and
/// the pairs whose premises are taken out.
struct Task {
    within: Option<u32>,
    level: u32,
    members: Vec<VertexId>,
    avoids: Marks,
}

/// The narrowings of all components that need them, whose levels have no promise then, and the
/// contracts for these.
///
/// # Panics
/// If some component can be gone round in a fair way.
pub(super) fn prove(
    graph: &Graph,
    components: &Components,
    pairs: &Pairs,
    positions: &Positions,
    levels: &mut [Option<u32>],
    meter: &mut Meter<'_>,
) -> Result<(Vec<Narrowing>, Vec<NarrowContracts>), Limit> {
    let net = net(graph, pairs, meter)?;
    let mut streett = Streett::new(&net, pairs.goal);
    let mut waiting = Vec::new();
    for (component, &marks) in components.marks.iter() {
        if marks.is_none_or(|marks| missing(pairs.goal, marks).is_some()) {
            continue;
        }
        levels[component.index()] = None;
        for part in streett.parts(components.members(component), 0, meter)? {
            if let Fate::Without(avoids) = streett.fate(&part) {
                let (level, members) = (number(component), part.members);
                waiting.push(Task { within: None, level, members, avoids });
            }
        }
    }
    let mut narrowings = Vec::new();
    let mut used: Vec<Marks> = Vec::new();
    while let Some(Task { within, level, members, avoids }) = waiting.pop() {
        let own = u32::try_from(narrowings.len()).expect("fewer than 2^32 parts");
        let (mut vertices, mut new_levels) = (Vec::new(), Vec::new());
        for (level, part) in (0..).zip(streett.parts(&members, avoids, meter)?) {
            for &vertex in &part.members {
                meter.tick()?;
                let start = number(graph.vertices[vertex].start);
                vertices.push((start, positions.0[vertex], level));
            }
            new_levels.push(promise(pairs.goal, &part));
            match streett.fate(&part) {
                Fate::Dead => (),
                Fate::Fair => panic!("two searches for the same runs disagree"),
                Fate::Without(more) => {
                    let (within, members) = (Some(own), part.members);
                    waiting.push(Task { within, level, members, avoids: avoids | more });
                }
            }
        }
        used.push(avoids);
        narrowings.push(Narrowing { within, level, avoids, vertices, levels: new_levels });
    }
    used.sort_unstable();
    used.dedup();
    let contracts = used.into_iter().map(|avoids| {
        let starts = written(graph, positions, streett.contracts(avoids));
        NarrowContracts { avoids, starts }
    });
    let contracts = contracts.filter(|contracts| !contracts.starts.is_empty()).collect();
    Ok((narrowings, contracts))
}

/// The first mark that is asked for in any case and is missing.
fn missing(goal: Goal, marks: Marks) -> Option<u32> {
    let missing = goal.required & !marks;
    (missing != 0).then(|| missing.trailing_zeros())
}

/// The promise that no edge inside a part keeps, if that is why it cannot be gone round.
fn promise(goal: Goal, part: &Part<VertexId>) -> Option<u32> {
    part.carried.and_then(|carried| missing(goal, carried.marks))
}

/// Contracts as they are written.
fn written(
    graph: &Graph,
    positions: &Positions,
    contracts: &Contracts<VertexId>,
) -> Vec<NarrowContract> {
    let start_of = |vertex: VertexId| graph.vertices[vertex].start;
    let mut number_of: Table<StartId, Option<usize>> = Table::filled(None, graph.starts.len());
    let mut list = Vec::new();
    for &entry in contracts.entries() {
        number_of[start_of(entry)] = Some(list.len());
        let leave = |&(leave, carried): &(u32, Carried)| (leave, carried.marks);
        list.push(NarrowContract {
            start: number(start_of(entry)),
            vertices: Vec::new(),
            leaves: contracts.leaves(entry).iter().map(leave).collect(),
        });
    }
    for (entry, vertex, carried) in contracts.reached() {
        if let Some(contract) = number_of[start_of(entry)] {
            list[contract].vertices.push((positions.0[vertex], carried.marks));
        }
    }
    list
}

//! Checks the part of a proof that is about strong fairness: narrowings, and contracts without what
//! they avoid. What is checked, and why it suffices, is said in the header of
//! [`absence`](tern_model::absence).

use super::absence::{Check, Kind, Onward, Reading};
use crate::refusal::{Refusal, Stopped};
use std::collections::BTreeMap;
use tern_model::Absence;
use tern_model::absence::{AbsenceVertex, Spot};

/// The narrowings, each by the one that it is within and the level of it; all levels and pairs
/// exist.
pub(super) fn numbered(
    proof: &Absence,
    promises: usize,
    pairs: usize,
) -> Result<BTreeMap<(Option<usize>, u32), usize>, Refusal> {
    let sound = |place: &str, levels: &[Option<u32>]| {
        let amiss = levels.iter().position(|it| it.is_some_and(|it| it as usize >= promises));
        let why = "there is no such promise";
        amiss.map_or(Ok(()), |number| Err(Refusal::new(format!("{place}level {number}"), why)))
    };
    sound("", &proof.levels)?;
    let every = if pairs >= 64 { u64::MAX } else { (1 << pairs) - 1 };
    let mut found = BTreeMap::new();
    for (number, narrowing) in proof.narrowings.iter().enumerate() {
        let place = format!("narrowing {number}");
        let bad = |why: &str| Err(Refusal::new(place.clone(), why));
        sound(&format!("{place}, "), &narrowing.levels)?;
        let within = narrowing.within.map(|it| it as usize);
        let (levels, before) = match within {
            Some(parent) if parent < number => {
                (&proof.narrowings[parent].levels, proof.narrowings[parent].avoids)
            }
            Some(_) => return bad("it is not within an earlier one"),
            None => (&proof.levels, 0),
        };
        if narrowing.level as usize >= levels.len() {
            return bad("there is no such level");
        }
        if narrowing.avoids & !every != 0 || before & !narrowing.avoids != 0 {
            return bad("it avoids no such pair, or fewer than what it is within");
        }
        if found.insert((within, narrowing.level), number).is_some() {
            return bad("the level has one already");
        }
    }
    Ok(found)
}

/// How starts are left without the first sides of some pairs.
#[derive(Default)]
struct Contracts {
    /// For each start and position of a vertex that is reached, the promises kept on the way.
    vertices: BTreeMap<(usize, usize), u64>,
    /// For each start and position of a leave, the same.
    leaves: BTreeMap<(usize, usize), u64>,
    /// The starts that are spoken of.
    starts: BTreeMap<usize, ()>,
}

/// Checks all narrowings and contracts of a proof whose vertices are closed.
pub(super) fn check<R: Reading>(check: &mut Check<'_, R>) -> Result<(), Stopped> {
    let proof = check.proof;
    if proof.narrowings.is_empty() {
        return Ok(());
    }
    let positions = positions(check);
    let mut contracts: BTreeMap<u64, Contracts> = BTreeMap::new();
    for list in &proof.contracts {
        let read = read_contracts(proof, list)?;
        check_contracts(check, &positions, list.avoids, &read)?;
        if contracts.insert(list.avoids, read).is_some() {
            return Err(Refusal::new("the contracts", "two lists avoid the same pairs").into());
        }
    }
    let none = Contracts::default();
    let mut levels: Vec<BTreeMap<(usize, usize), u32>> = Vec::new();
    for (number, narrowing) in proof.narrowings.iter().enumerate() {
        let place = || format!("narrowing {number}");
        let mut own = BTreeMap::new();
        for &(start, position, level) in &narrowing.vertices {
            check.meter.tick()?;
            let at = (start as usize, position as usize);
            let exists = proof.starts.get(at.0).is_some_and(|it| at.1 < it.vertices.len());
            if !exists || level as usize >= narrowing.levels.len() {
                return Err(Refusal::new(place(), "there is no such vertex or level").into());
            }
            if own.insert(at, level).is_some() {
                return Err(Refusal::new(place(), "a vertex is there twice").into());
            }
        }
        let contracts = contracts.get(&narrowing.avoids).unwrap_or(&none);
        // The vertices of the level that is narrowed.
        let is_inside = |(start, position): (usize, usize)| match narrowing.within {
            None => proof.starts[start].vertices[position].level == narrowing.level,
            Some(parent) => {
                levels[parent as usize].get(&(start, position)) == Some(&narrowing.level)
            }
        };
        for (start, position) in all_vertices(proof) {
            if is_inside((start, position)) {
                let at = (start, position);
                check_vertex(check, &positions, number, at, &is_inside, &own, contracts)?;
            }
        }
        levels.push(own);
    }
    Ok(())
}

/// All vertices of a proof, by start and position.
fn all_vertices(proof: &Absence) -> impl Iterator<Item = (usize, usize)> {
    let starts = proof.starts.iter().enumerate();
    starts.flat_map(|(number, start)| (0..start.vertices.len()).map(move |at| (number, at)))
}

/// The position of each vertex, by start, spot and state.
type Positions = BTreeMap<(usize, Spot, u32), usize>;

fn positions<R: Reading>(check: &Check<'_, R>) -> Positions {
    let proof = check.proof;
    let key = |(start, at): (usize, usize)| {
        let AbsenceVertex { spot, state, .. } = proof.starts[start].vertices[at];
        ((start, spot, state), at)
    };
    all_vertices(proof).map(key).collect()
}

/// Checks one vertex of a level that is narrowed: every move inside the level that avoids what is
/// to be avoided falls.
fn check_vertex<R: Reading>(
    check: &mut Check<'_, R>,
    positions: &Positions,
    number: usize,
    (start, position): (usize, usize),
    is_inside: &impl Fn((usize, usize)) -> bool,
    own: &BTreeMap<(usize, usize), u32>,
    contracts: &Contracts,
) -> Result<(), Stopped> {
    let proof = check.proof;
    let narrowing = &proof.narrowings[number];
    let vertex = &proof.starts[start].vertices[position];
    for Onward { kind, kept, premises } in check.onward(start, vertex)? {
        if premises & narrowing.avoids != 0 {
            continue;
        }
        let refuse = |why: &str| {
            let place = format!("narrowing {number}, {}", check.place(start, vertex));
            Err(Refusal::new(place, why).into())
        };
        let (to, through) = match kind {
            Kind::Out(..) => continue,
            Kind::Into(callee) => {
                let first = check.first(callee)?;
                ((callee, positions[&(callee, first.spot, first.state)]), None)
            }
            // The vertex is there: all are closed.
            Kind::Within(spot, state, through) => {
                let Some(&at) = positions.get(&(start, spot, state)) else {
                    return refuse("a move leads to no vertex");
                };
                ((start, at), through)
            }
        };
        if !is_inside(to) {
            continue;
        }
        let inside = match through {
            None => 0,
            Some((callee, _)) if !contracts.starts.contains_key(&callee) => {
                return refuse("nothing is said of how a callee is left");
            }
            Some(leave) => match contracts.leaves.get(&leave) {
                Some(&kept) => kept,
                None => continue,
            },
        };
        let (Some(&from), Some(&to)) = (own.get(&(start, position)), own.get(&to)) else {
            return refuse("it, or what follows it, has no level");
        };
        if let Err(why) = check.fall(Some(number), &narrowing.levels, (from, to), kept | inside) {
            return refuse(why);
        }
    }
    Ok(())
}

/// Reads a list of contracts; all that it names exists.
fn read_contracts(
    proof: &Absence,
    list: &tern_model::absence::NarrowContracts,
) -> Result<Contracts, Refusal> {
    let bad = |why: &str| Err(Refusal::new(format!("the contracts without {}", list.avoids), why));
    let mut found = Contracts::default();
    for contract in &list.starts {
        let number = contract.start as usize;
        let Some(start) = proof.starts.get(number) else { return bad("there is no such start") };
        if found.starts.insert(number, ()).is_some() {
            return bad("a start is there twice");
        }
        for &(at, kept) in &contract.vertices {
            if at as usize >= start.vertices.len()
                || found.vertices.insert((number, at as usize), kept).is_some()
            {
                return bad("there is no such vertex, or it is there twice");
            }
        }
        for &(at, kept) in &contract.leaves {
            if at as usize >= start.leaves.len()
                || found.leaves.insert((number, at as usize), kept).is_some()
            {
                return bad("there is no such leave, or it is there twice");
            }
        }
    }
    Ok(found)
}

/// Checks that contracts without the first sides of some pairs say all that is so.
fn check_contracts<R: Reading>(
    check: &mut Check<'_, R>,
    positions: &Positions,
    avoids: u64,
    contracts: &Contracts,
) -> Result<(), Stopped> {
    let proof = check.proof;
    for &start in contracts.starts.keys() {
        let first = check.first(start)?;
        let at = positions[&(start, first.spot, first.state)];
        if !contracts.vertices.contains_key(&(start, at)) {
            let place = format!("the contract without {avoids} of start {start}");
            return Err(Refusal::new(place, "it does not say where it begins").into());
        }
    }
    for (&(start, position), &so_far) in &contracts.vertices {
        let vertex = &proof.starts[start].vertices[position];
        for Onward { kind, kept, premises } in check.onward(start, vertex)? {
            if premises & avoids != 0 {
                continue;
            }
            let refuse = |why: &str| {
                let place =
                    format!("the contracts without {avoids}, {}", check.place(start, vertex));
                Err(Refusal::new(place, why).into())
            };
            let due = so_far | kept;
            let (noted, due) = match kind {
                Kind::Into(_) => continue,
                Kind::Out(out, state) => {
                    let leaves = &proof.starts[start].leaves;
                    let at = leaves.iter().position(|it| it.out == out && it.state == state);
                    (at.and_then(|at| contracts.leaves.get(&(start, at))), due)
                }
                Kind::Within(spot, state, through) => {
                    let inside = match through {
                        None => Some(0),
                        Some((callee, _)) if !contracts.starts.contains_key(&callee) => {
                            return refuse("nothing is said of how a callee is left");
                        }
                        Some(leave) => contracts.leaves.get(&leave).copied(),
                    };
                    let Some(inside) = inside else { continue };
                    let at = positions.get(&(start, spot, state));
                    (at.and_then(|&at| contracts.vertices.get(&(start, at))), due | inside)
                }
            };
            match noted {
                Some(noted) if due & !noted == 0 => (),
                Some(_) => return refuse("what is kept on the way is not noted"),
                None => return refuse("where a move leads is not noted"),
            }
        }
    }
    Ok(())
}

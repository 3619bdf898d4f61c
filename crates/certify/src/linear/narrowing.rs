//! Checks the part of a proof that is about strong fairness: narrowings, and contracts without what
//! they avoid. What is checked, and why it suffices, is said in the header of
//! [`absence`](tern_model::absence).

use super::absence::{Check, Kind, Onward, Reading};
use crate::refusal::{Refusal, Stopped};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use tern_model::Absence;
use tern_model::absence::{AbsenceLeave, AbsenceVertex, Spot};

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
    /// For each vertex that is reached, the promises kept on the way.
    vertices: BTreeMap<At, u64>,
    /// For each start and position of a leave, the same.
    leaves: BTreeMap<(usize, usize), u64>,
    /// The starts that are spoken of.
    starts: BTreeSet<usize>,
}

/// A vertex: the number of its start, and its position there.
type At = (usize, usize);

/// Checks all narrowings and contracts of a proof whose vertices are closed.
pub(super) fn check<R: Reading>(check: &mut Check<'_, R>) -> Result<(), Stopped> {
    let proof = check.proof;
    if proof.narrowings.is_empty() {
        return Ok(());
    }
    let mut moves = Moves::new(proof);
    let mut contracts: BTreeMap<u64, Contracts> = BTreeMap::new();
    for list in &proof.contracts {
        let read = read_contracts(proof, list)?;
        check_contracts(check, &mut moves, list.avoids, &read)?;
        if contracts.insert(list.avoids, read).is_some() {
            return Err(Refusal::new("the contracts", "two lists avoid the same pairs").into());
        }
    }
    let none = Contracts::default();
    // The vertices of each level: of the proof, and of each narrowing.
    let mut members: BTreeMap<(Option<u32>, u32), Vec<At>> = BTreeMap::new();
    for at in all_vertices(proof) {
        let level = proof.starts[at.0].vertices[at.1].level;
        members.entry((None, level)).or_default().push(at);
    }
    let mut levels: Vec<BTreeMap<At, u32>> = Vec::new();
    for (number, narrowing) in (0..).zip(&proof.narrowings) {
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
            members.entry((Some(number), level)).or_default().push(at);
        }
        let contracts = contracts.get(&narrowing.avoids).unwrap_or(&none);
        // The vertices of the level that is narrowed.
        let is_inside = |at: At| match narrowing.within {
            None => proof.starts[at.0].vertices[at.1].level == narrowing.level,
            Some(parent) => levels[parent as usize].get(&at) == Some(&narrowing.level),
        };
        let inside = members.get(&(narrowing.within, narrowing.level));
        for &at in inside.into_iter().flatten() {
            let number = number as usize;
            check_vertex(check, &mut moves, number, at, &is_inside, &own, contracts)?;
        }
        levels.push(own);
    }
    Ok(())
}

/// All vertices of a proof.
fn all_vertices(proof: &Absence) -> impl Iterator<Item = At> {
    let starts = proof.starts.iter().enumerate();
    starts.flat_map(|(number, start)| (0..start.vertices.len()).map(move |at| (number, at)))
}

/// A move from a vertex.
#[derive(Clone, Copy)]
struct Move {
    to: To,
    /// The promises that the move itself keeps, not what happens inside a callee.
    kept: u64,
    /// The pairs whose first side it has.
    premises: u64,
}

/// Where a move leads.
#[derive(Clone, Copy)]
enum To {
    /// To a vertex of the same start; perhaps through a start and one of its leaves.
    Within(At, Option<(usize, usize)>),
    /// To the first vertex of another start, which is never left.
    Into(At),
    /// Out of the frame, by the leave of the start that has this position.
    Out(Option<usize>),
}

/// What follows vertices. They are in many narrowings, so it is found out once for each.
struct Moves {
    /// The position of each vertex, by start, spot and state.
    positions: BTreeMap<(usize, Spot, u32), usize>,
    known: Vec<Vec<Option<Rc<[Move]>>>>,
}

impl Moves {
    fn new(proof: &Absence) -> Self {
        let key = |at: At| {
            let AbsenceVertex { spot, state, .. } = proof.starts[at.0].vertices[at.1];
            ((at.0, spot, state), at.1)
        };
        let known = proof.starts.iter().map(|start| vec![None; start.vertices.len()]).collect();
        Moves { positions: all_vertices(proof).map(key).collect(), known }
    }

    /// The first vertex of a start.
    fn first<R: Reading>(&self, check: &Check<'_, R>, start: usize) -> Result<At, Refusal> {
        let first = check.first(start)?;
        Ok((start, self.positions[&(start, first.spot, first.state)]))
    }

    /// The moves from a vertex.
    fn of<R: Reading>(&mut self, check: &mut Check<'_, R>, at: At) -> Result<Rc<[Move]>, Stopped> {
        if let Some(known) = &self.known[at.0][at.1] {
            return Ok(Rc::clone(known));
        }
        let proof = check.proof;
        let start = &proof.starts[at.0];
        let vertex = &start.vertices[at.1];
        let mut moves = Vec::new();
        for Onward { kind, kept, premises } in check.onward(at.0, vertex)? {
            let to = match kind {
                Kind::Into(callee) => To::Into(self.first(check, callee)?),
                Kind::Out(out, state) => {
                    let is_it = |it: &AbsenceLeave| it.out == out && it.state == state;
                    To::Out(start.leaves.iter().position(is_it))
                }
                // The vertex is there: all are closed.
                Kind::Within(spot, state, through) => {
                    let Some(&to) = self.positions.get(&(at.0, spot, state)) else {
                        let place = check.place(at.0, vertex);
                        return Err(Refusal::new(place, "a move leads to no vertex").into());
                    };
                    To::Within((at.0, to), through)
                }
            };
            moves.push(Move { to, kept, premises });
        }
        let moves: Rc<[Move]> = moves.into();
        self.known[at.0][at.1] = Some(Rc::clone(&moves));
        Ok(moves)
    }
}

/// Checks one vertex of a level that is narrowed: every move inside the level that avoids what is
/// to be avoided falls.
fn check_vertex<R: Reading>(
    check: &mut Check<'_, R>,
    moves: &mut Moves,
    number: usize,
    at: At,
    is_inside: &impl Fn(At) -> bool,
    own: &BTreeMap<At, u32>,
    contracts: &Contracts,
) -> Result<(), Stopped> {
    let proof = check.proof;
    let narrowing = &proof.narrowings[number];
    let from = own.get(&at);
    for &Move { to, kept, premises } in &*moves.of(check, at)? {
        check.meter.tick()?;
        if premises & narrowing.avoids != 0 {
            continue;
        }
        let refuse = |why: &str| {
            let vertex = &proof.starts[at.0].vertices[at.1];
            let place = format!("narrowing {number}, {}", check.place(at.0, vertex));
            Err(Refusal::new(place, why).into())
        };
        let (to, through) = match to {
            To::Out(_) => continue,
            To::Into(to) => (to, None),
            To::Within(to, through) => (to, through),
        };
        if !is_inside(to) {
            continue;
        }
        let inside = match through {
            None => 0,
            Some((callee, _)) if !contracts.starts.contains(&callee) => {
                return refuse("nothing is said of how a callee is left");
            }
            Some(leave) => match contracts.leaves.get(&leave) {
                Some(&kept) => kept,
                None => continue,
            },
        };
        let (Some(&from), Some(&to)) = (from, own.get(&to)) else {
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
        if !found.starts.insert(number) {
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
    moves: &mut Moves,
    avoids: u64,
    contracts: &Contracts,
) -> Result<(), Stopped> {
    let proof = check.proof;
    for &start in &contracts.starts {
        if !contracts.vertices.contains_key(&moves.first(check, start)?) {
            let place = format!("the contract without {avoids} of start {start}");
            return Err(Refusal::new(place, "it does not say where it begins").into());
        }
    }
    for (&at, &so_far) in &contracts.vertices {
        for &Move { to, kept, premises } in &*moves.of(check, at)? {
            check.meter.tick()?;
            if premises & avoids != 0 {
                continue;
            }
            let refuse = |why: &str| {
                let place = check.place(at.0, &proof.starts[at.0].vertices[at.1]);
                Err(Refusal::new(format!("the contracts without {avoids}, {place}"), why).into())
            };
            let (noted, inside) = match to {
                To::Into(_) => continue,
                To::Out(leave) => (leave.and_then(|leave| contracts.leaves.get(&(at.0, leave))), 0),
                To::Within(to, through) => {
                    let inside = match through {
                        None => Some(0),
                        Some((callee, _)) if !contracts.starts.contains(&callee) => {
                            return refuse("nothing is said of how a callee is left");
                        }
                        Some(leave) => contracts.leaves.get(&leave).copied(),
                    };
                    let Some(inside) = inside else { continue };
                    (contracts.vertices.get(&to), inside)
                }
            };
            match noted {
                Some(noted) if (so_far | kept | inside) & !noted == 0 => (),
                Some(_) => return refuse("what is kept on the way is not noted"),
                None => return refuse("where a move leads is not noted"),
            }
        }
    }
    Ok(())
}

//! Ways to spoil evidence.

use fastrand::Rng;
use std::cell::RefCell;
use tern_model::star_evidence::{
    Contract, Fact, Standing, StarCopy, StarEvidence, StarLayer, StarSpot,
};
use tern_model::{BoxId, CompId, ExitId, FormulaId, Id, NodeId, PlaceId};

/// Random numbers that may be asked for in the midst of an expression.
pub(crate) struct Dice(RefCell<Rng>);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice(RefCell::new(Rng::with_seed(seed)))
    }

    fn u32(&self, range: impl std::ops::RangeBounds<u32>) -> u32 {
        self.0.borrow_mut().u32(range)
    }

    fn usize(&self, range: impl std::ops::RangeBounds<usize>) -> usize {
        self.0.borrow_mut().usize(range)
    }

    fn bool(&self) -> bool {
        self.0.borrow_mut().bool()
    }

    fn shuffle<T>(&self, list: &mut [T]) {
        self.0.borrow_mut().shuffle(list);
    }
}

/// What a spoilt piece of evidence must come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It is wrong wherever it is changed like that.
    Refused,
    /// It may be right still: then it proves the same verdict, and not the other.
    Same,
}

pub(crate) type Spoil = fn(&Dice, &mut StarEvidence) -> Option<()>;

fn any<'a, T>(dice: &Dice, list: &'a mut [T]) -> Option<&'a mut T> {
    if list.is_empty() { None } else { Some(&mut list[dice.usize(..list.len())]) }
}

fn take<T>(dice: &Dice, list: &mut Vec<T>) -> Option<T> {
    if list.is_empty() { None } else { Some(list.remove(dice.usize(..list.len()))) }
}

fn layer<'a>(dice: &Dice, evidence: &'a mut StarEvidence) -> Option<&'a mut StarLayer> {
    any(dice, &mut evidence.layers)
}

/// Any copy of any layer that is fit for something.
fn copy<'a>(
    dice: &Dice,
    evidence: &'a mut StarEvidence,
    fit: fn(&StarCopy) -> bool,
) -> Option<&'a mut StarCopy> {
    let copies = evidence.layers.iter_mut().flat_map(|layer| &mut layer.copies);
    let mut copies: Vec<_> = copies.filter(|copy| fit(copy)).collect();
    if copies.is_empty() { None } else { Some(copies.swap_remove(dice.usize(..copies.len()))) }
}

fn order<'a>(dice: &Dice, evidence: &'a mut StarEvidence) -> Option<&'a mut Vec<u32>> {
    Some(&mut copy(dice, evidence, |copy| !copy.order.is_empty())?.order)
}

fn contract<'a>(dice: &Dice, evidence: &'a mut StarEvidence) -> Option<&'a mut Contract> {
    any(dice, &mut layer(dice, evidence)?.contracts)
}

/// Any fact but that an entry is reached.
fn fact<'a>(dice: &Dice, evidence: &'a mut StarEvidence) -> Option<&'a mut Fact> {
    let contract = contract(dice, evidence)?;
    let (entry, state) = (contract.entry, contract.state);
    let reached = contract.reached.iter_mut();
    let reached =
        reached.filter(|(place, fact)| (place.index(), fact.state) != (entry.index(), state));
    let mut facts: Vec<&mut Fact> = reached.map(|(_, fact)| fact).collect();
    facts.extend(contract.leaves.iter_mut().map(|(_, fact)| fact));
    if facts.is_empty() { None } else { Some(facts.swap_remove(dice.usize(..facts.len()))) }
}

/// A good vertex's distances.
fn distances<'a>(dice: &Dice, evidence: &'a mut StarEvidence) -> Option<&'a mut Vec<u32>> {
    let vertices = layer(dice, evidence)?.vertices.iter_mut();
    let good = vertices.filter_map(|vertex| match &mut vertex.standing {
        Standing::Good(distances) => Some(distances),
        Standing::Bad(_) => None,
    });
    let mut good: Vec<_> = good.collect();
    if good.is_empty() { None } else { Some(good.swap_remove(dice.usize(..good.len()))) }
}

fn level<'a>(dice: &Dice, evidence: &'a mut StarEvidence) -> Option<&'a mut u32> {
    let vertices = layer(dice, evidence)?.vertices.iter_mut();
    let bad = vertices.filter_map(|vertex| match &mut vertex.standing {
        Standing::Bad(level) => Some(level),
        Standing::Good(_) => None,
    });
    let mut bad: Vec<_> = bad.collect();
    if bad.is_empty() { None } else { Some(bad.swap_remove(dice.usize(..bad.len()))) }
}

/// All ways in which evidence is spoilt here.
pub(crate) const SPOILS: &[(&str, Fate, Spoil)] = &[
    ("what holds is said not to", Fate::Refused, |dice, it| take(dice, order(dice, it)?).map(drop)),
    ("what does not hold is said to", Fate::Refused, |dice, it| {
        let layer = layer(dice, it)?;
        let copy = any(dice, &mut layer.copies)?;
        let bad = (0..).zip(&layer.vertices).filter(|(number, vertex)| {
            vertex.copy == copy.ground
                && matches!(vertex.standing, Standing::Bad(_))
                && !copy.order.contains(number)
        });
        let mut bad: Vec<u32> = bad.map(|(number, _)| number).collect();
        dice.shuffle(&mut bad);
        bad.truncate(dice.usize(1..4));
        (!bad.is_empty()).then(|| copy.order.extend(bad))
    }),
    ("an order is reversed", Fate::Same, |dice, it| {
        let order = order(dice, it)?;
        order.reverse();
        (order.len() > 1).then_some(())
    }),
    ("an order lists a vertex twice", Fate::Refused, |dice, it| {
        let order = order(dice, it)?;
        order.extend(order.first().copied());
        (!order.is_empty()).then_some(())
    }),
    ("a good vertex is said to be bad", Fate::Refused, |dice, it| {
        let vertex = any(dice, &mut layer(dice, it)?.vertices)?;
        let good = matches!(vertex.standing, Standing::Good(_));
        vertex.standing = Standing::Bad(dice.u32(..4));
        good.then_some(())
    }),
    ("a bad vertex is said to be good", Fate::Refused, |dice, it| {
        let layer = layer(dice, it)?;
        let promises = layer.promises.len();
        let vertex = any(dice, &mut layer.vertices)?;
        let bad = matches!(vertex.standing, Standing::Bad(_));
        vertex.standing = Standing::Good(vec![dice.u32(..4); promises]);
        bad.then_some(())
    }),
    ("a distance is made smaller", Fate::Refused, |dice, it| {
        let distance = any(dice, distances(dice, it)?)?;
        *distance = distance.checked_sub(1)?;
        Some(())
    }),
    ("a distance is made greater", Fate::Same, |dice, it| {
        *any(dice, distances(dice, it)?)? += 1 + dice.u32(..3);
        Some(())
    }),
    ("a distance is left out", Fate::Refused, |dice, it| distances(dice, it)?.pop().map(drop)),
    ("a level is lowered", Fate::Refused, |dice, it| {
        let level = level(dice, it)?;
        *level = level.checked_sub(1)?;
        Some(())
    }),
    ("a level is raised", Fate::Same, |dice, it| {
        *level(dice, it)? += 1 + dice.u32(..3);
        Some(())
    }),
    ("a kept promise is not noted", Fate::Refused, |dice, it| {
        take(dice, &mut fact(dice, it)?.kept).map(drop)
    }),
    ("a promise is noted that is not kept", Fate::Refused, |dice, it| {
        let layer = layer(dice, it)?;
        let promises = layer.promises.len() as u32;
        let contract = any(dice, &mut layer.contracts)?;
        let (_, fact) = any(dice, &mut contract.leaves)?;
        let missing = |promise: &u32| !fact.kept.iter().any(|(kept, _)| kept == promise);
        let promise = (0..promises).find(missing)?;
        fact.kept.push((promise, u32::MAX));
        fact.kept.sort_unstable();
        Some(())
    }),
    ("a fact has no rank to follow from", Fate::Refused, |dice, it| {
        fact(dice, it)?.rank = 0;
        Some(())
    }),
    ("a kept promise has no rank to follow from", Fate::Refused, |dice, it| {
        any(dice, &mut fact(dice, it)?.kept)?.1 = 0;
        Some(())
    }),
    ("a fact comes later", Fate::Same, |dice, it| {
        fact(dice, it)?.rank += 1 + dice.u32(..3);
        Some(())
    }),
    ("a kept promise comes later", Fate::Same, |dice, it| {
        any(dice, &mut fact(dice, it)?.kept)?.1 += 1 + dice.u32(..3);
        Some(())
    }),
    ("a fact is left out", Fate::Refused, |dice, it| {
        take(dice, &mut contract(dice, it)?.reached).map(drop)
    }),
    ("a leave is left out", Fate::Refused, |dice, it| {
        take(dice, &mut contract(dice, it)?.leaves).map(drop)
    }),
    ("a leave has another state", Fate::Refused, |dice, it| {
        let layer = layer(dice, it)?;
        let states = layer.states.len() as u32;
        let (_, fact) = any(dice, &mut any(dice, &mut layer.contracts)?.leaves)?;
        let other = dice.u32(..states);
        let differs = fact.state != other;
        fact.state = other;
        differs.then_some(())
    }),
    ("a contract is left out", Fate::Same, |dice, it| {
        take(dice, &mut layer(dice, it)?.contracts).map(drop)
    }),
    ("a contract is there twice", Fate::Refused, |dice, it| {
        let contracts = &mut layer(dice, it)?.contracts;
        let again = any(dice, contracts)?.clone();
        contracts.push(again);
        Some(())
    }),
    ("a contract is of another copy", Fate::Same, |dice, it| {
        let contract = contract(dice, it)?;
        contract.copy = contract.copy.checked_sub(1)?;
        Some(())
    }),
    ("a vertex is left out", Fate::Same, |dice, it| {
        let layer = layer(dice, it)?;
        layer.vertices.pop()?;
        Some(())
    }),
    ("what is good is left out, or said to be bad", Fate::Refused, |dice, it| {
        let layer = layer(dice, it)?;
        let sought = layer.states.iter().position(|state| state[..] == [layer.sought])?;
        let mut numbers: Vec<u32> = Vec::new();
        let (mut kept, mut changed) = (0, false);
        layer.vertices.retain_mut(|vertex| {
            numbers.push(kept);
            if matches!(vertex.standing, Standing::Bad(_)) {
                kept += 1;
                return true;
            }
            vertex.standing = Standing::Bad(dice.u32(..2));
            let stays = vertex.state as usize == sought;
            kept += u32::from(stays);
            changed |= stays;
            stays
        });
        for vertex in layer.copies.iter_mut().flat_map(|copy| &mut copy.order) {
            *vertex = numbers[*vertex as usize];
        }
        changed.then_some(())
    }),
    ("a vertex is in another copy", Fate::Same, |dice, it| {
        let vertex = any(dice, &mut layer(dice, it)?.vertices)?;
        vertex.copy = vertex.copy.checked_sub(1)?;
        Some(())
    }),
    ("a vertex has another state", Fate::Same, |dice, it| {
        let layer = layer(dice, it)?;
        let states = layer.states.len() as u32;
        let vertex = any(dice, &mut layer.vertices)?;
        let other = dice.u32(..states);
        let differs = vertex.state != other;
        vertex.state = other;
        differs.then_some(())
    }),
    ("a box leads to a copy with another context", Fate::Refused, |dice, it| {
        let mut choices: Vec<(&mut u32, u32)> = Vec::new();
        for layer in &mut it.layers {
            let grounds: Vec<u32> = layer.copies.iter().map(|copy| copy.ground).collect();
            for (_, to) in layer.copies.iter_mut().flat_map(|copy| &mut copy.callees) {
                let like =
                    |other: &u32| other != to && grounds[*other as usize] == grounds[*to as usize];
                if let Some(other) = (0..grounds.len() as u32).find(like) {
                    choices.push((to, other));
                }
            }
        }
        let (to, other) = any(dice, &mut choices)?;
        **to = *other;
        Some(())
    }),
    ("a box leads to another ground", Fate::Refused, |dice, it| {
        let layer = layer(dice, it)?;
        let grounds: Vec<u32> = layer.copies.iter().map(|copy| copy.ground).collect();
        let (_, to) = any(dice, &mut any(dice, &mut layer.copies)?.callees)?;
        let other = dice.u32(..grounds.len() as u32);
        let differs = grounds[*to as usize] != grounds[other as usize];
        *to = other;
        differs.then_some(())
    }),
    ("a box leads nowhere", Fate::Same, |dice, it| {
        take(dice, &mut copy(dice, it, |copy| !copy.callees.is_empty())?.callees).map(drop)
    }),
    ("a box leads to another copy in the base", Fate::Same, |dice, it| {
        let count = it.base.len() as u32;
        let (_, to) = any(dice, &mut any(dice, &mut it.base)?.callees)?;
        let other = dice.u32(..count);
        let differs = *to != other;
        *to = other;
        differs.then_some(())
    }),
    ("a box leads nowhere in the base", Fate::Same, |dice, it| {
        take(dice, &mut any(dice, &mut it.base)?.callees).map(drop)
    }),
    ("an empty stack is said not to be", Fate::Same, |dice, it| {
        let copy = any(dice, &mut it.base)?;
        copy.ended ^= true;
        Some(())
    }),
    ("a copy refines another", Fate::Same, |dice, it| {
        let copy = copy(dice, it, |_| true)?;
        copy.ground = copy.ground.checked_sub(1)?;
        Some(())
    }),
    ("an obligation is left out", Fate::Refused, |dice, it| {
        take(dice, any(dice, &mut layer(dice, it)?.states)?).map(drop)
    }),
    ("an obligation is turned round", Fate::Refused, |dice, it| {
        let obligation = any(dice, any(dice, &mut layer(dice, it)?.states)?)?;
        obligation.holds ^= true;
        Some(())
    }),
    ("a promise is left out", Fate::Refused, |dice, it| {
        take(dice, &mut layer(dice, it)?.promises).map(drop)
    }),
    ("the opposite is sought", Fate::Refused, |dice, it| {
        layer(dice, it)?.sought.holds ^= true;
        Some(())
    }),
    ("a layer is left out", Fate::Refused, |dice, it| take(dice, &mut it.layers).map(drop)),
    ("a layer has another ground", Fate::Same, |dice, it| {
        let layer = layer(dice, it)?;
        layer.ground = layer.ground?.checked_sub(1);
        Some(())
    }),
];

/// Puts any number in one place of the evidence.
pub(crate) fn scramble(dice: &Dice, it: &mut StarEvidence) -> Option<()> {
    let huge = |dice: &Dice| if dice.bool() { u32::MAX } else { dice.u32(..40) };
    let index = |dice: &Dice| if dice.bool() { u32::MAX as usize - 2 } else { dice.usize(..40) };
    match dice.u32(..18) {
        0 => any(dice, &mut it.base)?.component = CompId::new(index(dice)),
        1 => any(dice, &mut any(dice, &mut it.base)?.callees)?.0 = BoxId::new(index(dice)),
        2 => any(dice, &mut any(dice, &mut it.base)?.callees)?.1 = huge(dice),
        3 => layer(dice, it)?.ground = Some(huge(dice)),
        4 => layer(dice, it)?.sought.formula = FormulaId::new(index(dice)),
        5 => any(dice, &mut layer(dice, it)?.promises)?.formula = FormulaId::new(index(dice)),
        6 => {
            any(dice, any(dice, &mut layer(dice, it)?.states)?)?.formula =
                FormulaId::new(index(dice));
        }
        7 => contract(dice, it)?.copy = huge(dice),
        8 => contract(dice, it)?.entry = NodeId::new(index(dice)),
        9 => contract(dice, it)?.state = huge(dice),
        10 => any(dice, &mut contract(dice, it)?.reached)?.0 = PlaceId::new(index(dice)),
        11 => any(dice, &mut contract(dice, it)?.leaves)?.0 = ExitId::new(index(dice)),
        12 => any(dice, &mut fact(dice, it)?.kept)?.0 = huge(dice),
        13 => fact(dice, it)?.state = huge(dice),
        14 => any(dice, &mut layer(dice, it)?.vertices)?.copy = huge(dice),
        15 => {
            let spot =
                if dice.bool() { StarSpot::Sink } else { StarSpot::At(PlaceId::new(index(dice))) };
            any(dice, &mut layer(dice, it)?.vertices)?.spot = spot;
        }
        16 => any(dice, order(dice, it)?).map(|vertex| *vertex = u32::MAX)?,
        _ => copy(dice, it, |_| true)?.ground = huge(dice),
    }
    Some(())
}

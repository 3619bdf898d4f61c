//! The kinds of spoiling.

use tern_ir::flow::{Affine, Row};
use tern_ir::proof::{Group, Kept, Layer, Path, Proof, Reason, Refutation, Walk, Way};
use tern_ir::summary::Class;
use tern_model::index::Id;

/// All refutations of a proof.
fn refutations(proof: &mut Proof) -> Vec<&mut Refutation> {
    fn walks<'p>(walk: &'p mut [Walk], all: &mut Vec<&'p mut Refutation>) {
        for part in walk {
            if let Walk::Dead(reasons) = part {
                all.push(reasons);
            }
        }
    }
    fn ways<'p>(list: &'p mut [(u32, Way)], all: &mut Vec<&'p mut Refutation>) {
        for (_, way) in list {
            if let Way::Take { guard, walk, .. } = way {
                all.extend(guard);
                walks(walk, all);
            }
        }
    }
    let mut all = Vec::new();
    for kept in proof.begun.iter_mut().chain(proof.kept.iter_mut().flatten()) {
        match kept {
            Kept::Dead(reasons) => all.push(reasons),
            Kept::Rows(rows) => all.extend(rows),
        }
    }
    proof.starts.iter_mut().for_each(|walk| walks(walk, &mut all));
    proof.steps.iter_mut().flat_map(|it| &mut it.1).for_each(|walk| walks(walk, &mut all));
    for layer in proof.layers.iter_mut().chain(&mut proof.live) {
        let progress = match layer {
            Layer::Plain => continue,
            Layer::Rows { proved, refuted } => {
                all.extend(proved.iter_mut().flat_map(|it| &mut it.2));
                all.extend(refuted.iter_mut().flat_map(|it| &mut it.1).map(|it| &mut it.1));
                continue;
            }
            Layer::Next { proved, .. } => {
                ways(proved, &mut all);
                continue;
            }
            Layer::Until { proved, ways: list, .. } => {
                ways(list, &mut all);
                proved
            }
            Layer::Always { proved, refuted, .. } => {
                ways(proved, &mut all);
                refuted
            }
        };
        for path in progress.groups.iter_mut().flat_map(|group| &mut group.paths) {
            match path {
                Path::On => {}
                Path::Dead(reasons) => all.push(reasons),
                Path::Falls(_, reasons) | Path::Waits(reasons) => all.extend(reasons),
            }
        }
    }
    all.extend(proof.start.iter_mut().flat_map(|start| &mut start.reasons));
    for calls in proof.calls.iter_mut() {
        all.extend(calls.inside.iter_mut().flatten().flatten());
        for known in &mut calls.known {
            all.extend(known.left.iter_mut().flatten());
            all.extend(refutations(&mut known.proof));
        }
    }
    all
}

/// All groups of cells with ranks.
fn groups(proof: &mut Proof) -> Vec<&mut Group> {
    let mut all = Vec::new();
    for layer in proof.layers.iter_mut().chain(&mut proof.live) {
        if let Layer::Until { proved: progress, .. } | Layer::Always { refuted: progress, .. } =
            layer
        {
            all.extend(&mut progress.groups);
        }
    }
    for known in proof.calls.iter_mut().flat_map(|calls| &mut calls.known) {
        all.extend(groups(&mut known.proof));
    }
    all
}

/// The levels of all cells.
fn levels(proof: &mut Proof) -> Vec<&mut Vec<(u32, u32)>> {
    let mut all = Vec::new();
    for layer in proof.layers.iter_mut().chain(&mut proof.live) {
        if let Layer::Until { proved: progress, .. } | Layer::Always { refuted: progress, .. } =
            layer
        {
            all.push(&mut progress.levels);
        }
    }
    all
}

/// All ways.
fn ways(proof: &mut Proof) -> Vec<&mut Way> {
    let mut all = Vec::new();
    for layer in proof.layers.iter_mut().chain(&mut proof.live) {
        match layer {
            Layer::Next { proved: ways, .. }
            | Layer::Until { ways, .. }
            | Layer::Always { proved: ways, .. } => all.extend(ways.iter_mut().map(|it| &mut it.1)),
            Layer::Plain | Layer::Rows { .. } => {}
        }
    }
    for known in proof.calls.iter_mut().flat_map(|calls| &mut calls.known) {
        all.extend(ways(&mut known.proof));
    }
    all
}

/// One of a list, by chance.
fn one<T>(mut list: Vec<T>, random: &mut fastrand::Rng) -> Option<T> {
    (!list.is_empty()).then(|| list.swap_remove(random.usize(..list.len())))
}

/// Spoils a proof so that none is left, or bends it; `None` if it has nothing of the kind.
pub(super) fn spoil(proof: &Proof, kind: usize, random: &mut fastrand::Rng) -> Option<Proof> {
    let mut spoilt = proof.clone();
    match kind {
        0..=8 | 18 | 19 => spoil_conditions(&mut spoilt, kind, random)?,
        14..=17 => spoil_calls(&mut spoilt, kind, random)?,
        9..=13 | 20..=23 => spoil_ranks(&mut spoilt, kind, random)?,
        _ => spoilt = bent(spoilt, kind, random)?,
    }
    (spoilt != *proof).then_some(spoilt)
}

/// Spoils conditions about cells, invariants and steps.
fn spoil_conditions(spoilt: &mut Proof, kind: usize, random: &mut fastrand::Rng) -> Option<()> {
    match kind {
        // A sum of nothing is not negative, and a multiple must not be.
        0 | 1 => {
            let mut all = refutations(spoilt);
            all.retain(|it| !it.is_empty());
            let count = all.len();
            let reasons = all.get_mut(random.usize(..count.max(1)))?;
            let sums = reasons.iter_mut().filter_map(|reason| match reason {
                Reason::Sum(sum) => Some(sum),
                Reason::Split(_) => None,
            });
            let sum = sums.last()?;
            if kind == 0 {
                sum.clear();
            } else {
                sum.iter_mut().for_each(|it| it.1 = -it.1);
            }
        }
        // A reason is missing, or there is one too many.
        2 | 3 => {
            let mut all = refutations(spoilt);
            all.retain(|it| (kind == 3) || !it.is_empty());
            let count = all.len();
            let reasons = all.get_mut(random.usize(..count.max(1)))?;
            if kind == 2 {
                reasons.pop();
            } else {
                reasons.push(Reason::Sum(vec![(0, 1)]));
            }
        }
        // The steps of a cell are not listed.
        4 => {
            let count = spoilt.steps.len();
            (count > 0).then(|| spoilt.steps.remove(random.usize(..count)))?;
        }
        // A walk ends too early.
        5 => {
            let walks = spoilt.steps.iter_mut().flat_map(|it| &mut it.1);
            let mut walks: Vec<_> = walks.filter(|walk| !walk.is_empty()).collect();
            let count = walks.len();
            walks.get_mut(random.usize(..count.max(1)))?.pop();
        }
        // A layer, an invariant or a tree is missing.
        6 => {
            spoilt.layers.pop();
        }
        7 => {
            spoilt.trees.pop();
        }
        // An invariant that is never true where there are states.
        8 => {
            let point = spoilt.begun.iter().position(|kept| matches!(kept, Kept::Rows(_)))?;
            let point = if point == 0 { 0 } else { return None };
            let rows = spoilt.invariants[point].as_mut()?;
            *rows.first_mut()? = Row::at_least_zero(Affine::constant(-1));
        }
        // The initial state is another one.
        18 => {
            let start = spoilt.start.as_mut()?;
            start.cell += 1 + random.u32(..1000) * 100_000;
        }
        // Nothing is said of an invariant after an edge.
        19 => {
            let kept: Vec<_> = spoilt.kept.iter_mut().filter(|kept| kept.is_some()).collect();
            *one(kept, random)? = None;
        }
        _ => return None,
    }
    Some(())
}

/// Spoils what is said of procedures.
fn spoil_calls(spoilt: &mut Proof, kind: usize, random: &mut fastrand::Rng) -> Option<()> {
    match kind {
        // Nothing is said of procedures, of one list of rows, of what is true inside.
        14 => {
            spoilt.calls.take()?;
        }
        15 => {
            spoilt.calls.as_mut()?.known.pop();
        }
        16 => {
            spoilt.calls.as_mut()?.inside.pop();
        }
        // Reasons for exits are missing.
        17 => {
            let calls = spoilt.calls.as_mut()?;
            let mut all: Vec<_> = calls.known.iter_mut().flat_map(|it| &mut it.left).collect();
            all.retain(|it| !it.is_empty());
            one(all, random)?.pop();
        }
        _ => return None,
    }
    Some(())
}

/// Spoils levels and ranks.
fn spoil_ranks(spoilt: &mut Proof, kind: usize, random: &mut fastrand::Rng) -> Option<()> {
    match kind {
        // Of a path: another rank falls, it is left out, it goes on, or it cannot be taken.
        9..=12 => {
            let mut falling = groups(spoilt);
            falling.retain(|it| it.paths.iter().any(|path| matches!(path, Path::Falls(..))));
            let group = one(falling, random)?;
            let at = group.paths.iter().position(|path| matches!(path, Path::Falls(..)))?;
            match (kind, &mut group.paths[at]) {
                (9, Path::Falls(number, _)) => *number += 1,
                (11, path) => *path = Path::On,
                (12, path) => *path = Path::Dead(Refutation::new()),
                _ => {
                    group.paths.remove(at);
                }
            }
        }
        // Ranks are 0 everywhere.
        13 => {
            let mut falling = groups(spoilt);
            falling.retain(|it| it.paths.iter().any(|path| matches!(path, Path::Falls(..))));
            one(falling, random)?.ranks.iter_mut().for_each(Vec::clear);
        }
        // A cell is where steps come to, or that is left out (which does no harm to dead ends).
        20 | 23 => {
            let mut all = levels(spoilt);
            all.retain(|levels| levels.iter().any(|it| it.1 > 0));
            let levels = one(all, random)?;
            if kind == 20 {
                let above: Vec<_> = levels.iter_mut().filter(|it| it.1 > 0).collect();
                one(above, random)?.1 = 0;
            } else {
                levels.retain(|it| it.1 > 0);
            }
        }
        // There are no cuts, and so no paths.
        22 => {
            let mut cut = groups(spoilt);
            cut.retain(|group| group.order.iter().any(|it| it.1 == 0));
            let group = one(cut, random)?;
            group.order.iter_mut().for_each(|it| it.1 = it.1.max(1));
            group.paths.clear();
        }
        // A rank that rises is more important than all others.
        21 => {
            let mut falling = groups(spoilt);
            falling.retain(|it| it.paths.iter().any(|path| matches!(path, Path::Falls(0, _))));
            let group = one(falling, random)?;
            let risen = group.ranks.first()?.iter().map(|(cell, rank)| (*cell, rank.times(-1)));
            let risen = risen.map(|(cell, rank)| Some((cell, rank?))).collect::<Option<_>>()?;
            group.ranks.insert(0, risen);
            for path in &mut group.paths {
                if let Path::Falls(number, reasons) = path {
                    *number += 1;
                    reasons.insert(0, Refutation::new());
                }
            }
        }
        _ => return None,
    }
    Some(())
}

/// How many kinds of spoiling there are, and how many of them leave no proof.
pub(super) const KINDS: usize = 34;
pub(super) const SURE_KINDS: usize = 23;

/// Changes a proof so that another one may be left.
fn bent(mut spoilt: Proof, kind: usize, random: &mut fastrand::Rng) -> Option<Proof> {
    match kind {
        // A number of a rank, the place of a cell in order, a level.
        24 => {
            let ranks = groups(&mut spoilt).into_iter().flat_map(|it| &mut it.ranks).flatten();
            one(ranks.collect(), random)?.1.constant += 1;
        }
        25 => {
            let order = groups(&mut spoilt).into_iter().flat_map(|it| &mut it.order);
            let place = one(order.collect(), random)?;
            place.1 = u32::from(place.1 == 0);
        }
        26 => {
            let levels = levels(&mut spoilt).into_iter().flatten().collect();
            let level = &mut one(levels, random)?.1;
            *level = level.saturating_sub(1);
        }
        // The edge of a way, or what is chosen on it.
        27 => match one(ways(&mut spoilt), random)? {
            Way::Take { edge, .. } => *edge = Id::new(edge.index() + 1),
            way @ Way::All => {
                let (choices, guard, walk) = Default::default();
                *way = Way::Take { edge: Id::new(0), choices, guard, walk };
            }
        },
        28 => {
            let choices = ways(&mut spoilt).into_iter().filter_map(|way| match way {
                Way::Take { choices, .. } => Some(choices),
                Way::All => None,
            });
            one(choices.flatten().collect(), random)?.1.constant += 1;
        }
        29 => *one(ways(&mut spoilt), random)? = Way::All,
        // Remainders by another number.
        33 => one(spoilt.followed.iter_mut().collect(), random)?.1 += 1,
        // Calls end, or procedures are left in fewer states, or never, or globals are bounded.
        30 => {
            let classes = spoilt.calls.as_mut()?.summaries.regions.iter_mut();
            let class = one(classes.flat_map(|it| &mut it.classes).collect(), random)?;
            *class = if *class == Class::Ends { Class::Never } else { Class::Ends };
        }
        31 => {
            let known = spoilt.calls.as_mut()?.summaries.known.iter_mut();
            let exit = one(known.flat_map(|it| &mut it.exits).collect(), random)?;
            match exit.as_mut().and_then(|rows| rows.first_mut()) {
                Some(row) if random.bool() => {
                    let mut affine = row.affine().clone();
                    affine.constant -= 1;
                    *row = Row::at_least_zero(affine);
                }
                _ => *exit = None,
            }
        }
        _ => {
            let inside = spoilt.calls.as_mut()?.summaries.inside.iter_mut().flatten();
            let row = one(inside.collect(), random)?;
            let mut affine = row.affine().clone();
            affine.constant -= 1;
            *row = Row::at_least_zero(affine);
        }
    }
    Some(spoilt)
}

//! Evidence about integer programs that is spoiled, or about another program, is refused.
//!
//! Kinds of spoiling that leave no proof are refused always. Others may leave one: then what they
//! prove is still true, and only that is asked. Programs are changed as well: evidence must not be
//! accepted for one of which the claim is not as it says.

use crate::integers::{Made, made, number_from};
use crate::proofs::Case;
use crate::styles::{Exhibit, exhibits};
use tern_ir::flow::{Affine, Column, Edge, Flow, PointId, Row};
use tern_ir::proof::{Group, Kept, Layer, Path, Proof, Reason, Refutation, Walk, Way};
use tern_ir::summary::Class;
use tern_model::index::{Id, Table};
use tern_model::logic::ctl::{self, Program, Term};
use tern_model::{Budget, Formula, Formulas};
use tern_numeric::check::Verdict;
use tern_numeric::recursion::without_recursion;
use tern_program::c::lower::{Settings, lower};
use tern_program::c::{claim, dialect, parse};
use tern_record::integers::{read_proof, write_proof};

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
            Layer::Always { proved, refuted } => {
                ways(proved, &mut all);
                refuted
            }
        };
        for path in progress.groups.iter_mut().flat_map(|group| &mut group.paths) {
            match path {
                Path::On => {}
                Path::Dead(reasons) => all.push(reasons),
                Path::Falls(_, reasons) => all.extend(reasons),
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

/// Spoils a proof so that none is left; `None` if it has nothing of the kind.
fn spoil(proof: &Proof, kind: usize, random: &mut fastrand::Rng) -> Option<Proof> {
    let mut spoilt = proof.clone();
    match kind {
        // A sum of nothing is not negative, and a multiple must not be.
        0 | 1 => {
            let mut all = refutations(&mut spoilt);
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
            let mut all = refutations(&mut spoilt);
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
        // Of a path: another rank falls, it is left out, it goes on, or it cannot be taken.
        9..=12 => {
            let mut falling = groups(&mut spoilt);
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
            let mut falling = groups(&mut spoilt);
            falling.retain(|it| it.paths.iter().any(|path| matches!(path, Path::Falls(..))));
            one(falling, random)?.ranks.iter_mut().for_each(Vec::clear);
        }
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
        // A cell is where steps come to, or that is left out.
        20 | 21 => {
            let mut all = levels(&mut spoilt);
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
            let mut cut = groups(&mut spoilt);
            cut.retain(|group| group.order.iter().any(|it| it.1 == 0));
            let group = one(cut, random)?;
            group.order.iter_mut().for_each(|it| it.1 = it.1.max(1));
            group.paths.clear();
        }
        // A rank that rises is more important than all others.
        23 => {
            let mut falling = groups(&mut spoilt);
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
        _ => return bent(spoilt, kind, random).filter(|it| it != proof),
    }
    (spoilt != *proof).then_some(spoilt)
}

/// How many kinds of spoiling there are, and how many of them leave no proof.
const KINDS: usize = 33;
const SURE_KINDS: usize = 24;

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

#[test]
fn spoiled_evidence_is_refused() {
    let wanted = number_from("TERN_PAIRS", 600) as usize;
    let first = number_from("TERN_SEED", 5000);
    let (mut refused, mut accepted) = ([0; KINDS], [0; KINDS]);
    let mut spoil_all = |made: &Made, seed: u64| {
        each_proof(made, |case, holds, proof| {
            let mut random = fastrand::Rng::with_seed(seed);
            for kind in 0..KINDS {
                let Some(spoilt) = spoil(proof, kind, &mut random) else { continue };
                match case.judge(holds, &spoilt) {
                    Err(_) => refused[kind] += 1,
                    Ok(()) => accepted[kind] += 1,
                }
                assert!(case.judge(!holds, &spoilt).is_err(), "seed {seed}, kind {kind}");
            }
            assert!(
                accepted[..SURE_KINDS] == [0; SURE_KINDS],
                "seed {seed}: {accepted:?}\n{}",
                made.text
            );
            contrary(case, holds, proof, seed);
        });
        refused.iter().sum::<usize>()
    };
    let exhibits = exhibits();
    for (seed, Exhibit { made, .. }) in (first..).zip(&exhibits) {
        spoil_all(made, seed);
    }
    let mut seed = first;
    loop {
        seed += 1;
        if let Some(made) = made(seed, seed.is_multiple_of(4))
            && spoil_all(&made, seed) >= wanted
        {
            break;
        }
    }
    println!("refused by kinds, from seed {first} to {seed}: {refused:?}");
    println!("accepted, and true: {accepted:?}");
    let kinds = refused.iter().filter(|&&count| count > 0).count();
    assert!(kinds == KINDS, "too few kinds: {refused:?}");
}

/// The same proof must not show the negation of its claim.
fn contrary(case: &Case<'_>, holds: bool, proof: &Proof, seed: u64) {
    let mut formulas = case.formulas.clone();
    let root = formulas.make(Formula::Not(case.root));
    let mut other = proof.clone();
    let mut terms: Table<_, Term> = proof.claim.terms.iter().map(|(_, &term)| term).collect();
    let root_term = terms.push(Term::Not(proof.claim.root));
    other.claim = Program { terms, root: root_term };
    other.layers.push(Layer::Plain);
    let case = Case { formulas: &formulas, root, ..*case };
    if case.judge(holds, &other).is_ok() {
        // Both are true if no initial state has a run.
        let decision = case.decide(&Budget::unlimited());
        let is_right = holds && decision.verdict == Verdict::Holds;
        assert!(is_right, "seed {seed}: the negation is proved too");
    }
}

/// Decides the claims of a random program, and does something with each proof.
fn each_proof(made: &Made, mut with: impl FnMut(&Case<'_>, bool, &Proof)) {
    for (formulas, root, meanings, _) in &made.claims {
        let case = Case { flow: &made.flow, formulas, root: *root, meanings };
        let decision = case.decide(&Budget::unlimited().with_effort(4000));
        let holds = decision.verdict == Verdict::Holds;
        if let Some(proof) = case.proof(&decision) {
            with(&case, holds, &proof);
        }
    }
}

/// A flow graph that differs in one number, row or target.
fn changed(flow: &Flow, random: &mut fastrand::Rng) -> Flow {
    if let Some(of) = &flow.summary {
        let budget = Budget::unlimited().with_effort(100_000);
        return without_recursion(&changed(&of.flow, random), &of.calls, &budget);
    }
    let mut flow = flow.clone();
    let count = flow.edges.len();
    let points = flow.points.len();
    let at = random.usize(..count);
    for (id, edge) in flow.edges.iter_mut() {
        if id.index() == at {
            change(edge, points, random);
        }
    }
    flow
}

fn change(edge: &mut Edge, points: usize, random: &mut fastrand::Rng) {
    let by = if random.bool() { 1 } else { -1 };
    match random.usize(..4) {
        0 => edge.to = PointId::new(random.usize(..points)),
        1 if !edge.guard.is_empty() => {
            let row = random.usize(..edge.guard.len());
            let mut affine = edge.guard[row].affine().clone();
            affine.constant += by;
            edge.guard[row] = Row::at_least_zero(affine);
        }
        2 if !edge.guard.is_empty() => {
            edge.guard.pop();
        }
        _ => match edge.update.first_mut() {
            Some((_, value)) => value.constant += by,
            None => {
                let mut value = Affine::column(Column::variable(0));
                value.constant = by;
                edge.update.push((0, value));
            }
        },
    }
}

#[test]
fn evidence_is_about_one_program() {
    let wanted = number_from("TERN_PAIRS", 150) as usize;
    let mut seed = number_from("TERN_SEED", 9000);
    let mut exhibits = exhibits().into_iter();
    let (mut contrary, mut alike, mut accepted) = (0, 0, 0);
    while contrary + alike < wanted {
        seed += 1;
        // One of the page, then one by chance.
        let exhibit = exhibits.next().filter(|_| seed.is_multiple_of(2)).map(|it| it.made);
        let Some(made) = exhibit.or_else(|| made(seed, seed.is_multiple_of(4))) else { continue };
        each_proof(&made, |case, holds, proof| {
            let mut random = fastrand::Rng::with_seed(seed);
            for _ in 0..3 {
                let flow = changed(case.flow, &mut random);
                let other = Case { flow: &flow, ..*case };
                let decision = other.decide(&Budget::unlimited().with_effort(4000));
                let is_contrary = match decision.verdict {
                    Verdict::Holds => !holds,
                    Verdict::Fails { .. } => holds,
                    Verdict::Unknown(_) => false,
                };
                let is_accepted = other.judge(holds, proof).is_ok();
                assert!(!(is_contrary && is_accepted), "seed {seed}\n{}", made.text);
                for kind in (0..KINDS).filter(|_| is_contrary) {
                    let Some(spoilt) = spoil(proof, kind, &mut random) else { continue };
                    let found = other.judge(holds, &spoilt);
                    assert!(found.is_err(), "seed {seed}, kind {kind}\n{}", made.text);
                }
                contrary += usize::from(is_contrary);
                alike += usize::from(!is_contrary);
                accepted += usize::from(is_accepted);
            }
        });
    }
    println!(
        "up to seed {seed}: {contrary} with another truth, all refused; {alike} others, {accepted} accepted"
    );
    assert!(contrary > 0, "no program with another truth");
}

#[test]
fn hostile_evidence_is_refused_without_a_crash() {
    let wanted = number_from("TERN_PAIRS", 400) as usize;
    let mut seed = number_from("TERN_SEED", 7000);
    let (mut tried, mut read) = (0, 0);
    let large =
        ["170141183460469231731687303715884105727", "-170141183460469231731687303715884105728"];
    while tried < wanted {
        seed += 1;
        let Some(made) = made(seed, seed.is_multiple_of(4)) else { continue };
        each_proof(&made, |case, holds, proof| {
            let json = write_proof(case.flow, case.formulas, proof).expect("it is written");
            let text = json.to_string();
            let mut random = fastrand::Rng::with_seed(seed);
            let numbers: Vec<usize> = (1..text.len())
                .filter(|&at| text.as_bytes()[at].is_ascii_digit())
                .filter(|&at| !text.as_bytes()[at - 1].is_ascii_digit())
                .collect();
            for _ in 0..10 {
                let at = numbers[random.usize(..numbers.len())];
                let end =
                    text[at..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |it| at + it);
                let new = match random.usize(..6) {
                    0 => format!("\"{}\"", large[random.usize(..2)]),
                    1 => "4294967295".to_owned(),
                    2 => "-1".to_owned(),
                    3 => "null".to_owned(),
                    4 => random.u32(..12).to_string(),
                    _ => "[]".to_owned(),
                };
                let damaged = format!("{}{new}{}", &text[..at], &text[end..]);
                tried += 1;
                if let Ok(proof) = read_proof(case.formulas, case.root, &damaged) {
                    read += 1;
                    // What is still accepted must not prove more than before.
                    let _ = case.judge(holds, &proof);
                    assert!(case.judge(!holds, &proof).is_err(), "seed {seed}: {damaged}");
                }
            }
        });
    }
    println!("{tried} damaged texts, {read} of them read, up to seed {seed}");
}

#[test]
fn the_way_must_be_right_too() {
    let text = "void main() { int x; while (x > 0) x = x - 1; }";
    let unit = parse::parse(text).expect("it is a program");
    let given = vec![parse::expression("x >= 2").expect("it is an expression")];
    let settings = Settings { given, ..Settings::default() };
    let flow = lower(&unit, &settings, text).expect("it can be treated");
    let mut formulas = Formulas::new();
    // Let `failed` be true on the way: then there is no way without it.
    let mut marked = flow.clone();
    for (_, point) in marked.points.iter_mut() {
        if !point.labels.iter().any(|label| label == "exit") {
            point.labels.push("failed".to_owned());
        }
    }
    for shown in ["EU{NOT{failed: true}}{x == 0}", "AU{NOT{failed: true}}{exit: true}"] {
        let root = dialect::read(shown, false, &mut formulas).expect("it is a claim");
        let program = ctl::lower(&formulas, root).expect("it is CTL");
        let meanings = claim::meanings(&unit, &flow, &formulas, &program).expect("names are known");
        let case = Case { flow: &flow, formulas: &formulas, root, meanings: &meanings };
        let decision = case.decide(&Budget::unlimited());
        let proof = case.proof(&decision).expect("there is evidence");
        assert_eq!(decision.verdict, Verdict::Holds);
        let other = Case { flow: &marked, ..case };
        assert!(other.judge(true, &proof).is_err(), "{shown}");
    }
}

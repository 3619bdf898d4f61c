//! Evidence about integer programs that is spoiled, or about another program, is refused.
//!
//! Kinds of spoiling that leave no proof are refused always. Others may leave one: then what they
//! prove is still true, and only that is asked. Programs are changed as well: evidence must not be
//! accepted for one of which the claim is not as it says.

use crate::integers::{Made, made, number_from};
use crate::proofs::Case;
use tern_ir::flow::{Affine, Column, Edge, Flow, PointId, Row};
use tern_ir::proof::{Kept, Layer, Path, Proof, Reason, Refutation, Walk, Way};
use tern_model::index::{Id, Table};
use tern_model::logic::ctl::{Program, Term};
use tern_model::{Budget, Formula};
use tern_numeric::check::Verdict;
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
    all
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
        // A rank that is none, and a path that is left out.
        9 | 10 => {
            let mut groups = Vec::new();
            for layer in &mut spoilt.layers {
                match layer {
                    Layer::Until { proved: progress, .. }
                    | Layer::Always { refuted: progress, .. } => {
                        groups.extend(&mut progress.groups);
                    }
                    _ => {}
                }
            }
            let group = groups.into_iter().next()?;
            if kind == 10 {
                group.paths.pop()?;
            } else {
                let falls = group.paths.iter_mut().find_map(|path| match path {
                    Path::Falls(number, _) => Some(number),
                    _ => None,
                });
                *falls? += 1;
            }
        }
        // The initial state is another one.
        _ => {
            let start = spoilt.start.as_mut()?;
            start.cell += 1 + random.u32(..1000) * 100_000;
        }
    }
    (spoilt != *proof).then_some(spoilt)
}

/// How many kinds of spoiling there are.
const KINDS: usize = 12;

#[test]
fn spoiled_evidence_is_refused() {
    let wanted = number_from("TERN_PAIRS", 300) as usize;
    let mut seed = number_from("TERN_SEED", 5000);
    let mut refused = [0; KINDS];
    while refused.iter().sum::<usize>() < wanted {
        seed += 1;
        let Some(made) = made(seed) else { continue };
        each_proof(&made, |case, holds, proof| {
            let mut random = fastrand::Rng::with_seed(seed);
            for (kind, count) in refused.iter_mut().enumerate() {
                let Some(spoilt) = spoil(proof, kind, &mut random) else { continue };
                let found = case.judge(holds, &spoilt);
                assert!(found.is_err(), "seed {seed}, kind {kind}\n{}", made.text);
                *count += 1;
            }
            contrary(case, holds, proof, seed);
        });
    }
    println!("refused by kinds, up to seed {seed}: {refused:?}");
    assert!(refused.iter().filter(|&&count| count > 0).count() > 8, "too few kinds: {refused:?}");
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
    let (mut contrary, mut alike, mut accepted) = (0, 0, 0);
    while contrary + alike < wanted {
        seed += 1;
        let Some(made) = made(seed) else { continue };
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
        let Some(made) = made(seed) else { continue };
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

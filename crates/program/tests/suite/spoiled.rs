//! Evidence about integer programs that is spoiled, or about another program, is refused.
//!
//! Kinds of spoiling that leave no proof are refused always. Others may leave one: then what they
//! prove is still true, and only that is asked. Programs are changed as well: evidence must not be
//! accepted for one of which the claim is not as it says.

mod calls;
mod kinds;

use crate::integers::{Made, made, number_from};
use crate::proofs::{Case, Written, given};
use crate::styles::{Exhibit, exhibits};
use kinds::{KINDS, SURE_KINDS, spoil};
use tern_ir::flow::{Affine, Column, Edge, Flow, PointId, Row};
use tern_ir::proof::{Layer, Proof};
use tern_model::index::{Id, Table};
use tern_model::logic::ctl::{Program, Term};
use tern_model::{Budget, Formula};
use tern_numeric::check::Verdict;
use tern_numeric::recursion::without_recursion;
use tern_program::c::lower::Settings;
use tern_record::integers::{read_proof, write_proof};

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
    let exhibits: Vec<Exhibit> =
        ["styles.md", "servers.md"].into_iter().flat_map(exhibits).collect();
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
    let mut from = None;
    for (id, edge) in flow.edges.iter_mut() {
        if id.index() == at {
            change(edge, points, random);
            from = Some(edge.from);
        }
    }
    // Whether every state still has a step is not known.
    for (id, point) in flow.points.iter_mut() {
        point.total &= from != Some(id);
    }
    flow
}

fn change(edge: &mut Edge, points: usize, random: &mut fastrand::Rng) {
    let by = if random.bool() { 1 } else { -1 };
    match random.usize(..4) {
        0 => edge.to = PointId::new(random.usize(..points)),
        // Values that fit the facts are there only under the guard as it is.
        1 if !edge.guard.is_empty() && edge.facts.is_empty() => {
            let row = random.usize(..edge.guard.len());
            let mut affine = edge.guard[row].affine().clone();
            affine.constant += by;
            edge.guard[row] = Row::at_least_zero(affine);
        }
        2 if !edge.guard.is_empty() && edge.facts.is_empty() => {
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
    let mut exhibits = exhibits("styles.md").into_iter();
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
    for shown in ["EU{NOT{failed: true}}{x == 0}", "AU{NOT{failed: true}}{exit: true}"] {
        let written = Written::read(text, &given("x >= 2"), shown);
        // Let `failed` be true on the way: then there is no way without it.
        let mut marked = written.flow.clone();
        for (_, point) in marked.points.iter_mut() {
            if !point.labels.iter().any(|label| label == "exit") {
                point.labels.push("failed".to_owned());
            }
        }
        let case = written.case();
        let decision = case.decide(&Budget::unlimited());
        let proof = case.proof(&decision).expect("there is evidence");
        assert_eq!(decision.verdict, Verdict::Holds);
        let other = Case { flow: &marked, ..case };
        assert!(other.judge(true, &proof).is_err(), "{shown}");
    }
}

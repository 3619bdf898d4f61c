//! What is said of procedures that call themselves.
//!
//! Rows about exits and about what is true inside are shown on the graph of descents, which has
//! all calls: its invariants are true after the starts of the program and stay true on all its
//! edges, those that enter a procedure and those that return included. By induction on the length
//! of a run they are true of all frames, if rows about exits follow where procedures are left:
//! that is what returns rely on. Which calls end is a claim about the same graph.

use super::linear::{Linear, System, entailed};
use super::{Question, is_read, layered};
use crate::refusal::{Stopped, demand, refuse};
use std::collections::BTreeSet;
use tern_ir::bodies::Whole;
use tern_ir::descended;
use tern_ir::flow::{Flow, Row};
use tern_ir::proof::{Branch, CallProof, KnownProof, Refutation};
use tern_ir::summary::{self, Summarised, Variant};
use tern_ir::unfold::program;
use tern_model::budget::Meter;
use tern_model::{Budget, Id};

/// Checks what is said of procedures, and makes the graph in which calls are points; or that of
/// descents, if that is wanted.
pub(super) fn graph(
    of: &Summarised,
    proof: &CallProof,
    descended: bool,
    budget: &Budget,
) -> Result<Flow, Stopped> {
    let Some((flow, calls)) = program(of, proof.unfolded) else {
        return refuse("what is said of procedures", "they cannot be unfolded");
    };
    let (whole, mut meter) = (Whole::new(&flow, &calls), Meter::new(budget));
    let CallProof { summaries, known, inside, .. } = proof;
    let count = of.calls.procedures.len();
    if known.len() != summaries.known.len()
        || [summaries.regions.len(), summaries.inside.len(), inside.len()] != [count; 3]
        || summaries.regions.iter().any(|it| it.known as usize >= known.len())
    {
        return refuse("what is said of procedures", "there is not one of each");
    }
    are_about_what_they_may_be(&whole, proof)?;
    let mut last = None;
    for number in 0..known.len() {
        last = Some(exits(&whole, proof, number, budget, &mut meter)?);
    }
    let (Some(variants), Some(known)) = (last, known.last()) else {
        return refuse("what is said of procedures", "there is nothing");
    };
    let invariants = &known.proof.invariants;
    let inhabited: Vec<bool> = invariants.iter().map(Option::is_some).collect();
    let mut fates = Vec::new();
    for (procedure, (rows, reasons)) in summaries.inside.iter().zip(inside).enumerate() {
        let points: Vec<usize> = summary::inside(&whole, &variants, &inhabited, procedure)
            .map(|(number, _)| number)
            .collect();
        if points.len() != reasons.len() {
            return refuse("what is true inside", "there are not reasons for each point");
        }
        for (point, reasons) in points.into_iter().zip(reasons) {
            follow(&invariants[point], rows, reasons, &mut meter)?;
        }
        fates.push(summary::fates(&whole, &variants, &inhabited, procedure));
    }
    let made = match descended {
        true => descended::graph(&whole, &variants),
        false => summary::caller(&whole, summaries, &fates),
    };
    let why = "it does not have its form, or some state may have no step";
    made.map_or_else(|| refuse("what is said of procedures", why), Ok)
}

/// Rows about calls may speak of what calls are given, and of what they leave.
fn are_about_what_they_may_be(whole: &Whole<'_>, proof: &CallProof) -> Result<(), Stopped> {
    let globals: BTreeSet<usize> = whole.calls.globals.iter().copied().collect();
    let summaries = &proof.summaries;
    let mut is_good = summaries.inside.iter().flatten().all(|row| speaks_of(row, &globals));
    for (procedure, of) in whole.calls.procedures.iter().enumerate() {
        let given: BTreeSet<usize> = of.arguments.iter().copied().chain(globals.clone()).collect();
        let trees = summaries.known.iter().filter_map(|known| known.trees.get(procedure));
        let trees = trees.chain([&summaries.regions[procedure].tree]);
        is_good &= trees.flatten().all(|branch| match branch {
            Branch::Leaf => true,
            Branch::Split(row) => speaks_of(row, &given),
        });
    }
    demand(is_good, || "what is said of procedures", "it is about other variables")
}

fn speaks_of(row: &Row, variables: &BTreeSet<usize>) -> bool {
    let mut columns = row.affine().terms.iter().map(|term| term.0.as_variable());
    columns.all(|column| column.is_some_and(|column| variables.contains(&column)))
}

/// Checks rows about exits, and which calls are said by them to end.
fn exits(
    whole: &Whole<'_>,
    proof: &CallProof,
    number: usize,
    budget: &Budget,
    meter: &mut Meter<'_>,
) -> Result<Vec<Variant>, Stopped> {
    let (summaries, KnownProof { left, proof }) = (&proof.summaries, &proof.known[number]);
    let place = || format!("list {number} of rows about exits");
    let variants = summary::variants(whole, &summaries.known[number]);
    let Some(variants) = variants.filter(|it| it.len() == left.len()) else {
        return refuse(place(), "it does not have its form");
    };
    for variant in &variants {
        let procedure = &whole.calls.procedures[variant.procedure];
        let left = procedure.copies.iter().chain(&whole.calls.globals).chain([&procedure.result]);
        let left: BTreeSet<usize> = left.copied().collect();
        if !variant.exit.iter().flatten().all(|row| speaks_of(row, &left)) {
            return refuse(place(), "it is about other variables");
        }
    }
    let mut beginnings = Vec::new();
    for (procedure, regions) in summaries.regions.iter().enumerate() {
        if regions.known as usize == number {
            let known = &proof.invariants;
            let found = summary::beginnings(whole, &variants, known, procedure, regions);
            let Some(found) = found else {
                return refuse(place(), "calls that are said never to end may, or it has no form");
            };
            beginnings.extend(found);
        }
    }
    let flow = summary::descents(whole, &variants, &beginnings, true);
    let (formulas, claim, propositions) = summary::claim();
    let question =
        Question { flow: &flow, formulas: &formulas, claim, propositions: &propositions };
    is_read(&question, true, &proof.claim, budget)?;
    layered(question, &proof.claim, true, proof, budget)?;
    for (variant, reasons) in variants.iter().zip(left) {
        let Some(exit) = whole.bodies[variant.procedure].exit else { continue };
        let invariant = &proof.invariants[variant.first + exit.index()];
        match (&variant.exit, invariant) {
            (None, None) => {}
            (None, Some(_)) => return refuse(place(), "a procedure may be left after all"),
            (Some(_), None) if reasons.is_empty() => {}
            (Some(rows), _) => follow(invariant, rows, reasons, meter)?,
        }
    }
    Ok(variants)
}

/// Checks that rows follow from an invariant.
fn follow(
    invariant: &Option<Vec<Row>>,
    rows: &[Row],
    reasons: &[Refutation],
    meter: &mut Meter<'_>,
) -> Result<(), Stopped> {
    let place = || "a row about procedures".to_owned();
    let system: Option<System> = invariant.iter().flatten().map(Linear::row).collect();
    let Some(mut system) = system else { return refuse(place(), "numbers become too large") };
    demand(rows.len() == reasons.len(), place, "there is not one reason for each")?;
    for (row, reasons) in rows.iter().zip(reasons) {
        entailed(&mut system, Linear::row(row), reasons, &place, meter)?;
    }
    Ok(())
}

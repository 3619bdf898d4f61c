//! Programs without procedures that call themselves, in place of programs with them.
//!
//! A call of such a procedure becomes a point of the caller, in which the callee is as long as it
//! runs. What happens there is known by a *summary*: rows about what the callee was given, and what
//! it leaves behind. Values that it computes are unknown, and so is when it
//! returns, so that nothing can be shown to be possible because the summary is coarse. Whether the
//! call ends is found out beforehand, and says what kind of point it becomes:
//!
//! * a call that always ends becomes a *passing* point, in which no run stays for ever;
//! * one that never ends becomes a point that is never left;
//! * one that need not end, a point in which every state can stay, for a run that does, and one of
//!   which nothing is claimed, for the others;
//! * if nothing is known, a point of which nothing is claimed.
//!
//! First there are summaries (`summary`): rows about the states in which procedures are entered and
//! left, such that all calls and returns that they allow stay within them. Each procedure has
//! *variants*, by what it compares its arguments with: variants are entered and left in different
//! states. Then `descent` finds out which calls end. The graphs themselves are made by
//! [`tern_ir::summary`]; `prove` writes down why what was found is true. What is not decided there
//! may be decided by what happens inside of calls (`descended`).

mod descended;
mod descent;
mod summary;

pub(crate) use descended::decide;

use self::summary::{Known, Summaries};
use crate::check::{Question, Wants, prove_by};
use crate::prove::{EFFORT, Gap};
use crate::system::{Solver, bounds};
use std::sync::{Arc, OnceLock};
use tern_ir::bodies::Whole;
use tern_ir::calls::Calls;
use tern_ir::flow::{Column, Flow, Row};
use tern_ir::proof::{Branch, CallProof, KnownProof, Refutation};
use tern_ir::summary::{Class, Regions, Summarised, Variant};
use tern_ir::summary::{beginnings, caller, claim, descents, fates, inside, variants};
use tern_model::index::Id;
use tern_model::logic::ctl;
use tern_model::{Budget, Limit};

/// The program without procedures that call themselves.
pub fn without_recursion(flow: &Flow, calls: &Calls, budget: &Budget) -> Flow {
    let whole = Whole::new(flow, calls);
    let found = find(&whole, budget);
    let (known, regions) = found.unwrap_or_else(|_| {
        let unknown =
            || Regions { known: 0, tree: vec![Branch::Leaf], classes: vec![Class::Unknown] };
        (vec![Known::nothing(&whole)], calls.procedures.iter().map(|_| unknown()).collect())
    });
    let invariants: Vec<_> = known.iter().map(|it| it.invariants(&whole)).collect();
    let known: Vec<_> = known.iter().map(Known::exits).collect();
    let last = known.last().and_then(|known| variants(&whole, known)).unwrap_or_default();
    let table = invariants.last().map_or(&[][..], Vec::as_slice);
    let inhabited: Vec<bool> = table.iter().map(Option::is_some).collect();
    let all = 0..calls.procedures.len();
    let inside = all.clone().map(|it| rows_inside(&whole, &last, table, it, budget)).collect();
    let fates: Vec<_> = all.map(|it| fates(&whole, &last, &inhabited, it)).collect();
    let summaries = tern_ir::summary::Summaries { known, regions, inside };
    let made = caller(&whole, &summaries, &fates).unwrap_or_default();
    let (flow, calls) = (flow.clone(), calls.clone());
    let shown = OnceLock::new();
    let summary = Summarised { flow, calls, summaries, invariants, shown };
    Flow { summary: Some(Arc::new(summary)), ..made }
}

fn find(whole: &Whole<'_>, budget: &Budget) -> Result<(Vec<Known>, Vec<Regions>), Limit> {
    // Without variants there are few paths, so that ranks are found more easily.
    let plain = Summaries::new(whole, 0, budget).solve()?;
    let mut regions = descent::regions(whole, &plain, 0, budget)?;
    let all_end = |of: &Regions| of.classes.iter().all(|class| *class == Class::Ends);
    let split = Summaries::new(whole, 4, budget);
    if !split.has_variants() {
        return Ok((vec![plain], regions));
    }
    let split = split.solve()?;
    if !regions.iter().all(all_end) {
        let finer = descent::regions(whole, &split, 1, budget)?;
        for (old, new) in regions.iter_mut().zip(finer) {
            if !all_end(old) {
                *old = new;
            }
        }
    }
    if regions.iter().all(|of| of.known == 1) {
        regions.iter_mut().for_each(|of| of.known = 0);
        return Ok((vec![split], regions));
    }
    Ok((vec![plain, split], regions))
}

/// Rows about global variables that are true at all points of a procedure and of what it calls.
fn rows_inside(
    whole: &Whole<'_>,
    variants: &[Variant],
    invariants: &[Option<Vec<Row>>],
    procedure: usize,
    budget: &Budget,
) -> Vec<Row> {
    let globals: Vec<Column> =
        whole.used_globals.iter().map(|&global| Column::variable(global)).collect();
    let templates = summary::pairs(&globals, 60);
    let inhabited: Vec<bool> = invariants.iter().map(Option::is_some).collect();
    let mut most: Option<Vec<Option<i128>>> = None;
    for (point, _) in inside(whole, variants, &inhabited, procedure) {
        let Some(rows) = &invariants[point] else { continue };
        match bounds(rows, &templates, budget) {
            Ok(Some(bounds)) => _ = summary::join(&mut most, &bounds),
            Ok(None) => {}
            Err(_) => return Vec::new(),
        }
    }
    most.map(|most| summary::rows(&templates, &most)).unwrap_or_default()
}

/// Why what was found out about procedures is true.
///
/// # Errors
/// That no reason was found for something, or the limit that was reached.
pub(crate) fn prove(found: &Summarised, budget: &Budget) -> Result<CallProof, Gap> {
    if let Some(known) = found.shown.get() {
        return Ok(known.clone());
    }
    let whole = Whole::new(&found.flow, &found.calls);
    let mut solver = Solver::new(budget);
    let summaries = &found.summaries;
    let mut known = Vec::new();
    for (number, table) in found.invariants.iter().enumerate() {
        budget.renew_effort(EFFORT);
        known.push(prove_known(&whole, summaries, (number, table), &mut solver, budget)?);
    }
    let last = summaries.known.last().and_then(|known| variants(&whole, known));
    let (Some(variants), Some(table)) = (last, found.invariants.last()) else {
        return Err(Gap::NotFound("a summary"));
    };
    let inhabited: Vec<bool> = table.iter().map(Option::is_some).collect();
    let mut all_inside = Vec::new();
    for (procedure, rows) in summaries.inside.iter().enumerate() {
        let mut of_procedure = Vec::new();
        for (point, _) in inside(&whole, &variants, &inhabited, procedure) {
            let known = table[point].as_deref().unwrap_or_default();
            of_procedure.push(follow(known, rows, &mut solver)?);
        }
        all_inside.push(of_procedure);
    }
    let proof = CallProof { summaries: summaries.clone(), known, inside: all_inside };
    Ok(found.shown.get_or_init(|| proof).clone())
}

/// Why rows about exits are true, and calls end as is said by them.
fn prove_known(
    whole: &Whole<'_>,
    summaries: &tern_ir::summary::Summaries,
    (number, table): (usize, &Vec<Option<Vec<Row>>>),
    solver: &mut Solver<'_>,
    budget: &Budget,
) -> Result<KnownProof, Gap> {
    const FORM: Gap = Gap::NotFound("a summary");
    let variants = variants(whole, &summaries.known[number]).ok_or(FORM)?;
    let (mut begun, mut invariants) = (Vec::new(), table.clone());
    for (procedure, regions) in summaries.regions.iter().enumerate() {
        if regions.known as usize == number {
            let found = beginnings(whole, &variants, table, procedure, regions).ok_or(FORM)?;
            begun.extend(found);
        }
    }
    let flow = descents(whole, &variants, &begun, true);
    let outside = flow.starts.iter().filter(|start| start.to.index() >= table.len());
    invariants.extend(outside.map(|start| Some(start.guard.clone())));
    let (formulas, root, propositions) = claim();
    let claim = ctl::lower(&formulas, root).map_err(|_| FORM)?;
    let wants = Wants { evidence: true, ..Wants::default() };
    let question = Question { flow: &flow, claim: &claim, propositions: &propositions, wants };
    let proof = prove_by(question, &invariants.into_iter().collect(), budget)?;
    let mut left = Vec::new();
    for variant in &variants {
        let exit = whole.bodies[variant.procedure].exit;
        let table = exit.and_then(|exit| table[variant.first + exit.index()].as_deref());
        left.push(match (table, &variant.exit) {
            (Some(known), Some(rows)) => follow(known, rows, solver)?,
            _ => Vec::new(),
        });
    }
    Ok(KnownProof { left, proof })
}

/// Why rows follow from others.
fn follow(known: &[Row], rows: &[Row], solver: &mut Solver<'_>) -> Result<Vec<Refutation>, Gap> {
    let one = |row: &Row| crate::prove::entailed(solver, known, Some(row.clone()), "a summary");
    rows.iter().map(one).collect()
}

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

mod bounded;
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
use tern_ir::summary::{Class, Depth, Regions, Summarised, Variant};
use tern_ir::summary::{beginnings, caller, claim, descents, fates, inside, variants};
use tern_ir::unfold;
use tern_model::index::Id;
use tern_model::logic::ctl;
use tern_model::{Budget, Limit};

/// What was found out about procedures: rows about exits, what is true at the points of the graph
/// of descents, and which calls end.
struct Findings {
    known: Vec<tern_ir::summary::Known>,
    invariants: Vec<Vec<Option<Vec<Row>>>>,
    regions: Vec<Regions>,
}

impl Findings {
    fn new(whole: &Whole<'_>, known: &Known, regions: Vec<Regions>) -> Findings {
        let (known, invariants) = (vec![known.exits()], vec![known.invariants(whole)]);
        Findings { known, invariants, regions }
    }
}

/// The program without procedures that call themselves, by little: what each body says by itself.
/// That is cheap, and often enough; [`finer`] has more.
pub fn without_recursion(flow: &Flow, calls: &Calls, budget: &Budget) -> Flow {
    let whole = Whole::new(flow, calls);
    let known = Known::of_bodies(&whole, budget).unwrap_or_else(|_| Known::nothing(&whole));
    let regions = descent::regions(&whole, &known, 0, descent::QUICK, budget);
    let unknown = || Regions { known: 0, tree: vec![Branch::Leaf], classes: vec![Class::Unknown] };
    let regions = regions.unwrap_or_else(|_| calls.procedures.iter().map(|_| unknown()).collect());
    let found = Findings::new(&whole, &known, regions);
    summarised((flow, &whole), found, Some((Depth::Bodies, OnceLock::new())), budget)
}

/// The same for the program with the bodies of what `main` calls in `main`, so that their states
/// are seen; `None` if there is no such.
pub fn unfolded(flow: &Flow, budget: &Budget) -> Option<Flow> {
    let found = flow.summary.as_ref()?;
    let (flow, calls) = unfold::unfolded(&found.flow, &found.calls)?;
    Some(without_recursion(&flow, &calls, budget))
}

/// The flow graph by more of what can be found out about procedures; `None` if this is by all.
///
/// # Errors
/// The limit that was reached.
pub fn finer(flow: &Flow, budget: &Budget) -> Result<Option<Arc<Flow>>, Limit> {
    let Some(found) = &flow.summary else { return Ok(None) };
    let Some((depth, finer)) = &found.finer else { return Ok(None) };
    if let Some(known) = finer.get() {
        return Ok(Some(Arc::clone(known)));
    }
    // It serves all claims, so that it may take more than one of them.
    budget.renew_effort(TIMES_A_CLAIM);
    let whole = Whole::new(&found.flow, &found.calls);
    let split = Summaries::new(&whole, 4, budget);
    let has_variants = split.has_variants();
    let (findings, left) = match depth {
        Depth::Bodies => {
            // Without variants there are few paths, so that ranks are found more easily.
            let plain = Summaries::new(&whole, 0, budget).solve()?;
            let regions = descent::regions(&whole, &plain, 0, descent::WHOLE, budget)?;
            let left = has_variants.then(|| (Depth::Plain, OnceLock::new()));
            (Findings::new(&whole, &plain, regions), left)
        }
        Depth::Plain => (with_variants(&whole, found, &split.solve()?, budget)?, None),
    };
    let made = summarised((&found.flow, &whole), findings, left, budget);
    Ok(Some(Arc::clone(finer.get_or_init(|| Arc::new(made)))))
}

/// How much more effort than for a claim may be spent to find out about procedures.
const TIMES_A_CLAIM: u64 = 4;

/// What was found out without variants, with what they say as well.
fn with_variants(
    whole: &Whole<'_>,
    plain: &Summarised,
    split: &Known,
    budget: &Budget,
) -> Result<Findings, Limit> {
    let mut regions = plain.summaries.regions.clone();
    let all_end = |of: &Regions| of.classes.iter().all(|class| *class == Class::Ends);
    if !regions.iter().all(all_end) {
        let finer = descent::regions(whole, split, 1, descent::WHOLE, budget)?;
        for (old, new) in regions.iter_mut().zip(finer) {
            if !all_end(old) {
                *old = new;
            }
        }
    }
    let mut found = Findings::new(whole, split, regions);
    match found.regions.iter().all(|of| of.known == 1) {
        true => found.regions.iter_mut().for_each(|of| of.known = 0),
        false => {
            found.known.splice(0..0, plain.summaries.known.iter().cloned());
            found.invariants.splice(0..0, plain.invariants.iter().cloned());
        }
    }
    Ok(found)
}

/// The graph of calls by what is known.
fn summarised(
    (flow, whole): (&Flow, &Whole<'_>),
    found: Findings,
    finer: Option<(Depth, OnceLock<Arc<Flow>>)>,
    budget: &Budget,
) -> Flow {
    let Findings { known, invariants, regions } = found;
    let last = known.last().and_then(|known| variants(whole, known)).unwrap_or_default();
    let table = invariants.last().map_or(&[][..], Vec::as_slice);
    let inhabited: Vec<bool> = table.iter().map(Option::is_some).collect();
    let all = 0..whole.calls.procedures.len();
    let inside = all.clone().map(|it| rows_inside(whole, &last, table, it, budget)).collect();
    let fates: Vec<_> = all.map(|it| fates(whole, &last, &inhabited, it)).collect();
    let summaries = tern_ir::summary::Summaries { known, regions, inside };
    let made = caller(whole, &summaries, &fates).unwrap_or_default();
    let (flow, calls) = (flow.clone(), whole.calls.clone());
    let shown = OnceLock::new();
    let summary = Summarised { flow, calls, summaries, invariants, shown, finer };
    Flow { summary: Some(Arc::new(summary)), ..made }
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
    let templates = bounded::pairs(&globals, 60);
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
    let unfolded = found.calls.unfolded;
    let proof = CallProof { unfolded, summaries: summaries.clone(), known, inside: all_inside };
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
    let question =
        Question { flow: &flow, claim: &claim, propositions: &propositions, beyond: None, wants };
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

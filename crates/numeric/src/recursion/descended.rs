//! Claims about what happens inside of calls, on the graph of descents.
//!
//! There [`tern_ir::descended`] says which claim shows that the claim at hand holds, and which that
//! it fails. Often these are one.

use super::prove;
use crate::check::{Decision, Question, Verdict, Wants, search_from};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use tern_ir::bodies::Whole;
use tern_ir::descended::{calls, claim, graph};
use tern_ir::flow::{Affine, Column, Edge, Flow, PointId, Row};
use tern_ir::summary::{Summarised, Variant, variants};
use tern_model::Budget;
use tern_model::index::{Id, Table};

/// Decides a claim by what happens inside of calls; `None` if that does not succeed.
pub(crate) fn decide(question: &Question<'_>, budget: &Budget) -> Option<Decision> {
    let found: &Arc<Summarised> = question.flow.summary.as_ref()?;
    let whole = Whole::new(&found.flow, &found.calls);
    let variants = variants(&whole, found.summaries.known.last()?)?;
    let mut flow = graph(&whole, &variants)?;
    restrict(&mut flow.starts, &question.flow.starts);
    let invariants = invariants(&whole, &variants, &flow, found.invariants.last()?)?;
    let [sure, possible] = [true, false].map(|it| claim(question.claim, question.propositions, it));
    let (sure, possible) = (sure?, possible?);
    let is_one = sure.0 == possible.0;
    // The run that is told would be one of this graph.
    let wants = Wants { steps: 0, ..question.wants };
    for (holds, (claim, propositions)) in [(true, &sure), (false, &possible)] {
        let asked = Question { flow: &flow, claim, propositions, beyond: None, wants };
        let mut decision = search_from(asked, &invariants, budget);
        let is_shown = match decision.verdict {
            Verdict::Holds => holds || is_one,
            Verdict::Fails { .. } => !holds || is_one,
            Verdict::Unknown(_) => false,
        };
        if is_shown {
            decision.proof = decision.proof.map(|proof| {
                let calls = Some(Box::new(prove(found, budget)?));
                let claim = question.claim.clone();
                Ok(tern_ir::proof::Proof { claim, calls, descended: true, ..proof? })
            });
            return Some(decision);
        }
        if is_one {
            break;
        }
    }
    None
}

/// Adds the rows that whoever asks has added to starts.
fn restrict(starts: &mut [Edge], asked: &[Edge]) {
    for (own, asked) in starts.iter_mut().zip(asked) {
        let added = asked.guard.strip_prefix(own.guard.as_slice()).map(<[Row]>::to_vec);
        own.guard.extend(added.unwrap_or_default());
    }
}

/// What is known at the points of the graph: at those of the graph of descents as there; where
/// `main` calls a variant, what is known of it, and what was known of the caller at the site.
fn invariants(
    whole: &Whole<'_>,
    variants: &[Variant],
    flow: &Flow,
    known: &[Option<Vec<Row>>],
) -> Option<Table<PointId, Option<Vec<Row>>>> {
    let mut invariants: Table<PointId, Option<Vec<Row>>> = known.iter().cloned().collect();
    // What calls do to variables of their own is not seen in the graph of descents, but here it is.
    let bodies = whole.bodies.iter().flat_map(|body| {
        body.flow.edges.as_slice().iter().chain(&body.flow.starts).flat_map(|edge| &edge.update)
    });
    let mut own: BTreeSet<usize> = bodies.map(|(variable, _)| *variable).collect();
    own.extend(whole.calls.procedures.iter().map(|it| it.result));
    own.retain(|variable| !whole.calls.globals.contains(variable));
    for point in whole.main.flow.points.ids() {
        let called = whole.main.sites.get(&point).map(|&it| &whole.calls.procedures[it].arguments);
        let is_known = |variable: usize| {
            !own.contains(&variable) || called.is_some_and(|given| given.contains(&variable))
        };
        if let Some(rows) = &mut invariants[point] {
            rows.retain(|row| variables(row).all(is_known));
        }
    }
    for (site, variant) in calls(whole, variants) {
        let count = whole.bodies[variant.procedure].flow.points.len();
        let own = invariants.len()..invariants.len() + count;
        let before = invariants[site].clone();
        let kept = before.map(|rows| kept(whole, variant.procedure, flow, (own, site), &rows));
        for rows in known.get(variant.first..variant.first + count)? {
            let both = rows.iter().zip(&kept).next();
            invariants.push(both.map(|(rows, kept)| [&rows[..], &kept[..]].concat()));
        }
    }
    Some(invariants)
}

/// Rows at a site, said by the copies that the callee has of arguments and global variables, as
/// far as nothing that they speak of changes at the points of the callee.
fn kept(
    whole: &Whole<'_>,
    procedure: usize,
    flow: &Flow,
    (own, site): (Range<usize>, PointId),
    rows: &[Row],
) -> Vec<Row> {
    let mut copies: BTreeMap<Column, Affine> = BTreeMap::new();
    let of_globals = whole.copies_of_globals(procedure);
    for (copy, variable) in whole.copies_of_arguments(procedure).into_iter().chain(of_globals) {
        copies.insert(Column::variable(variable), Affine::column(Column::variable(copy)));
    }
    let is_copy = |variable: usize| whole.calls.procedures[procedure].copies.contains(&variable);
    let inside = flow.edges.as_slice().iter().filter(|edge| own.contains(&edge.to.index()));
    let mut written: BTreeSet<usize> = BTreeSet::new();
    for edge in inside {
        let changed = edge.update.iter().map(|(variable, _)| *variable);
        written.extend(changed.filter(|&it| edge.from != site || !is_copy(it)));
    }
    let stays = |row: &Row| variables(row).all(|variable| !written.contains(&variable));
    let said = rows.iter().filter_map(|row| row.substitute(|column| copies.get(&column)));
    said.filter(stays).collect()
}

fn variables(row: &Row) -> impl Iterator<Item = usize> {
    row.affine().terms.iter().filter_map(|term| term.0.as_variable())
}

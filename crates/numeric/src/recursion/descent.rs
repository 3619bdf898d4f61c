//! Which calls end.
//!
//! In the graph of descents `AF end` is decided as any claim is; its initial states are all states
//! in which procedures are entered. What is found in them becomes a tree of rows for each
//! procedure.

use super::summary::Known;
use crate::check::{Part, Proposition, Question, Wants, parts};
use crate::label::Label;
use std::collections::BTreeMap;
use tern_ir::bodies::Whole;
use tern_ir::flow::{Column, Row};
use tern_ir::proof::Branch;
use tern_ir::summary::{self, Beginning, Class, Regions, Variant};
use tern_model::index::{Id, Table};
use tern_model::logic::ctl::{Program, Term};
use tern_model::{AtomId, Budget, Limit, TermId};

/// Some calls of a procedure.
struct Region {
    /// Rows about arguments and global variables.
    guard: Vec<Row>,
    class: Class,
}

/// The most rounds and cells.
pub(super) const WHOLE: (usize, usize) = (16, 400);
/// The most rounds and cells where little is to be found out.
pub(super) const QUICK: (usize, usize) = (4, 60);

/// The kinds of calls of each procedure, by rows with this number.
pub(super) fn regions(
    whole: &Whole<'_>,
    known: &Known,
    number: usize,
    most: (usize, usize),
    budget: &Budget,
) -> Result<Vec<Regions>, Limit> {
    let variants = summary::variants(whole, &known.exits()).unwrap_or_default();
    let invariants = known.invariants(whole);
    let beginnings: Vec<Beginning> = (0..variants.len())
        .filter(|&variant| known.is_entered(variant))
        .map(|variant| Beginning { variant, guard: known.entry_rows(variant), label: None })
        .collect();
    let flow = &summary::descents(whole, &variants, &beginnings, false);
    let end = AtomId::new(0);
    let mut terms: Table<TermId, Term> = Table::new();
    let atom = terms.push(Term::Atom(end));
    let not = terms.push(Term::Not(atom));
    let stays = terms.push(Term::Eg(not));
    let root = terms.push(Term::Not(stays));
    let claim = Program { terms, root };
    let propositions = &BTreeMap::from([(end, Proposition::Label("end".to_owned()))]);
    let question =
        Question { flow, claim: &claim, propositions, beyond: None, wants: Wants::default() };
    let inhabited: Vec<bool> = invariants.iter().map(Option::is_some).collect();
    let mut regions: Vec<Vec<Region>> = whole.calls.procedures.iter().map(|_| Vec::new()).collect();
    for Part { point, rows, label } in
        parts(question, &invariants.into_iter().collect(), most, budget)?
    {
        let is_own = |it: &&Variant| it.first <= point.index();
        let Some(variant) = variants.iter().rev().find(is_own) else { continue };
        let (own, is_whole) = about_arguments(whole, variant.procedure, &rows);
        let (may_block, ends) = summary::fates(whole, &variants, &inhabited, variant.procedure);
        let never =
            variant.exit.is_none() && ends.is_empty() && (label == Label::Refuted || !may_block);
        let class = match label {
            _ if !is_whole => Class::Unknown,
            Label::Proved => Class::Ends,
            _ if never => Class::Never,
            Label::Refuted => Class::Stays,
            Label::Unknown => Class::Unknown,
        };
        let guard = variant.cell.iter().cloned().chain(own).collect();
        regions[variant.procedure].push(Region { guard, class });
    }
    Ok(regions.iter().map(|all| tree(all, number)).collect())
}

/// A tree of regions. Calls that are in none are not there, and go with any others.
fn tree(regions: &[Region], known: usize) -> Regions {
    const MOST: usize = 500;
    let mut found = Regions { known: known as u32, tree: Vec::new(), classes: Vec::new() };
    let mut todo: Vec<(Vec<&Region>, Vec<Row>)> = vec![(regions.iter().collect(), Vec::new())];
    while let Some((open, used)) = todo.pop() {
        let class = open.first().map_or(Class::Unknown, |region| region.class);
        let rows = open.iter().flat_map(|region| &region.guard);
        let next = rows.filter_map(|row| Some((row, row.negated()?)));
        let mut next = next.filter(|(row, negated)| !used.contains(row) && !used.contains(negated));
        match next.next().filter(|_| open.iter().any(|region| region.class != class)) {
            Some((row, negated)) if found.tree.len() < MOST => {
                found.tree.push(Branch::Split(row.clone()));
                let without = |other: &Row| -> Vec<&Region> {
                    open.iter().copied().filter(|it| !it.guard.contains(other)).collect()
                };
                let used: Vec<Row> = used.iter().chain([row]).cloned().collect();
                todo.extend([(without(row), used.clone()), (without(&negated), used)]);
            }
            _ => {
                let is_one = open.iter().all(|region| region.class == class);
                found.tree.push(Branch::Leaf);
                found.classes.push(if is_one { class } else { Class::Unknown });
            }
        }
    }
    found
}

/// The rows at the beginning of a procedure as rows at its site, and whether none was lost.
fn about_arguments(whole: &Whole<'_>, procedure: usize, rows: &[Row]) -> (Vec<Row>, bool) {
    let it = &whole.calls.procedures[procedure];
    let is_given = |column: Column| {
        column.as_variable().is_some_and(|variable| {
            it.arguments.contains(&variable) || whole.calls.globals.contains(&variable)
        })
    };
    let (mut found, mut is_whole) = (Vec::new(), true);
    for row in rows {
        let row = summary::at_site(whole, procedure, row);
        match row.filter(|row| row.affine().terms.iter().all(|term| is_given(term.0))) {
            Some(row) => found.push(row),
            None => is_whole = false,
        }
    }
    (found, is_whole)
}

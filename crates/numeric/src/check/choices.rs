//! Comparisons that nobody wrote, of what is chosen with other variables and with numbers.
//!
//! Where it matters that a choice is large enough for all that comes, no guard says what it is
//! compared with: splitting cells by guards looks at one round of a loop after the other. So each
//! chosen variable is compared with each other one, one after the other, and with the numbers that
//! others are compared with. Cells are only split: what is decided so is decided as always.

use super::{Decision, Question, Search, Verdict, Why, mentioned};
use std::collections::BTreeSet;
use tern_ir::flow::{Affine, Auxiliary, Column, Flow, Row};
use tern_model::Budget;

/// The most comparisons that are tried.
const MOST: usize = 8;
/// The most rounds and cells with each.
const EACH: (usize, usize) = (10, 250);

/// Decides a claim that is open though no limit was reached, by one of such comparisons.
pub(super) fn decide(question: Question<'_>, open: &Decision, budget: &Budget) -> Option<Decision> {
    let Verdict::Unknown(Why { limit: None, .. }) = open.verdict else { return None };
    // Of these there are other graphs to look at.
    let is_rough = question.flow.summary.as_ref().is_some_and(|it| it.finer.is_some());
    if is_rough || question.beyond.is_some() || question.wants.precondition {
        return None;
    }
    let chosen = chosen(question.flow);
    let [variables, numbers] =
        [with_variables(question.flow, &chosen), with_numbers(question, &chosen)];
    let all = variables.into_iter().take(MOST).chain(numbers.into_iter().take(MOST));
    all.into_iter().find_map(|more| {
        let mut search = Search { most: Some(EACH), more, ..Search::default() };
        let verdict = search.run_from(question, None, budget);
        let decision = search.decision(verdict, budget).0;
        (!decision.is_open()).then_some(decision)
    })
}

/// The variables that are given any value somewhere.
fn chosen(flow: &Flow) -> BTreeSet<usize> {
    let mut chosen = BTreeSet::new();
    for edge in flow.edges.as_slice() {
        for (variable, value) in &edge.update {
            if let [(column, 1)] = value.terms[..]
                && let Some(number) = column.as_auxiliary()
                && edge.auxiliaries.get(number) == Some(&Auxiliary::Choice)
            {
                chosen.insert(*variable);
            }
        }
    }
    chosen
}

/// That one thing is at least another, and that it is greater.
fn rows(one: &Affine, other: &Affine) -> Vec<Row> {
    [Row::greater_equal(one, other), Row::greater(one, other)].into_iter().flatten().collect()
}

/// Comparisons of what is chosen with other variables.
fn with_variables(flow: &Flow, chosen: &BTreeSet<usize>) -> Vec<Vec<Row>> {
    let column = |variable: usize| Affine::column(Column::variable(variable));
    let pairs = chosen.iter().flat_map(|&it| (0..flow.variables.len()).map(move |w| (it, w)));
    let pairs = pairs.filter(|(it, other)| it != other);
    pairs.map(|(it, other)| rows(&column(it), &column(other))).collect()
}

/// Comparisons of what is chosen with numbers that the claim, or else a guard, compares another
/// variable with.
fn with_numbers(question: Question<'_>, chosen: &BTreeSet<usize>) -> Vec<Vec<Row>> {
    let of_claim = mentioned(&question);
    let guards = question.flow.edges.as_slice().iter().flat_map(|edge| &edge.guard);
    let mut found: Vec<Vec<Row>> = Vec::new();
    for row in of_claim.iter().chain(guards) {
        let [(column, 1 | -1)] = row.affine().terms[..] else { continue };
        let Some(variable) = column.as_variable() else { continue };
        let bound = row.affine().constant.saturating_abs();
        for number in [bound, -bound] {
            for &it in chosen.iter().filter(|it| **it != variable) {
                let it = Affine::column(Column::variable(it));
                let more = rows(&it, &Affine::constant(number));
                if number != 0 && !found.contains(&more) {
                    found.push(more);
                }
            }
        }
    }
    found
}

//! Comparisons that nobody wrote, of what is chosen with other variables.
//!
//! Where it matters that a choice is large enough for all that comes, no guard says what it is
//! compared with: splitting cells by guards looks at one round of a loop after the other. So each
//! chosen variable is compared with each other one, one after the other. Cells are only split: what
//! is decided so is decided as always.

use super::{Decision, Question, Search, Verdict, Why};
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
    comparisons(question.flow).into_iter().take(MOST).find_map(|more| {
        let mut search = Search { most: Some(EACH), more, ..Search::default() };
        let verdict = search.run_from(question, None, budget);
        let decision = search.decision(verdict).0;
        (!decision.is_open()).then_some(decision)
    })
}

/// That what is chosen somewhere is at least another variable, and that it is greater.
fn comparisons(flow: &Flow) -> Vec<Vec<Row>> {
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
    let column = |variable: usize| Affine::column(Column::variable(variable));
    let rows = |it: usize, other: usize| {
        let (it, other) = (column(it), column(other));
        [Row::greater_equal(&it, &other), Row::greater(&it, &other)].into_iter().flatten().collect()
    };
    let pairs = chosen.into_iter().flat_map(|it| (0..flow.variables.len()).map(move |w| (it, w)));
    pairs.filter(|(it, other)| it != other).map(|(it, other)| rows(it, other)).collect()
}

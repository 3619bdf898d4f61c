//! Runs that go on for ever by the same steps, round after round, while values grow.
//!
//! A run whose values grow comes back to no state, so that a list of its states never ends. Often
//! it takes the same edges again and again, and each round changes all values by the same numbers.
//! [`rounds`] finds such rounds in the steps of a run.
//!
//! # Why it goes on for ever
//! Two rounds with the same edges are given. Say that each value at a place of a round is `a` in
//! the first one, `b` in the second, and `a + k (b - a)` in round `k`, choices and values that are
//! computed included. That is so at the beginning of round `k` by induction, as the third round
//! begins as far from the second as that from the first; and it stays so along the round, as all
//! updates are affine. A row is `g + k (h - g)` then, with its values `g` and `h` in the two
//! rounds: it is true in all rounds if `g` is not negative and `h` is not less than `g`. A value
//! that the program computes is the only one that its facts allow, if two of these leave no room
//! for two integers. After how many rounds the claim sees the same
//! in all that follow is computed in the same way.

use super::claim::Meanings;
use super::story::{Shown, evaluate};
use tern_ir::flow::{Auxiliary, Column, Edge, Flow, Proposition, Row};
use tern_numeric::story::Taken;

/// Rounds by which a run goes on for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rounds {
    /// Where the first begins.
    pub(super) from: usize,
    /// How many steps each has.
    pub(super) length: usize,
    /// After how many of them the claim sees the same in all that follow.
    pub(super) ahead: usize,
}

/// The most steps until the claim sees the same in all rounds.
const MOST_AHEAD: usize = 3000;

/// The earliest rounds, and the shortest of these, by which a run goes on for ever and in which a
/// claim with these propositions comes to see the same. The states are one more than the steps.
pub(super) fn rounds(
    flow: &Flow,
    steps: &[Taken],
    states: &[Shown],
    meanings: &Meanings,
) -> Option<Rounds> {
    let run = Run { flow, steps, states, meanings };
    (0..steps.len()).find_map(|from| {
        (1..=(steps.len() - from) / 2).find_map(|length| run.goes_on(from, length))
    })
}

/// The steps of a run with the first two of its rounds, followed to the end of the second round in
/// which the claim sees the same.
pub(super) fn followed(steps: &[Taken], Rounds { from, length, ahead }: Rounds) -> Vec<Taken> {
    let mut all = steps[..from].to_vec();
    for round in 0..ahead + 2 {
        for at in from..from + length {
            let pairs = steps[at].auxiliaries.iter().zip(&steps[at + length].auxiliaries);
            let grown = |(first, second): (&Option<i128>, &Option<i128>)| {
                let by = (*second)?.checked_sub((*first)?)?;
                (*first)?.checked_add(by.checked_mul(round as i128)?)
            };
            let auxiliaries = pairs.map(grown).collect();
            all.push(Taken { edge: steps[at].edge, auxiliaries });
        }
    }
    all
}

struct Run<'a> {
    flow: &'a Flow,
    steps: &'a [Taken],
    states: &'a [Shown],
    meanings: &'a Meanings,
}

impl Run<'_> {
    fn goes_on(&self, from: usize, length: usize) -> Option<Rounds> {
        let edges = |at: usize| self.steps[at..at + length].iter().map(|step| step.edge);
        let is_round = edges(from).eq(edges(from + length))
            && self.differences(from, from + length)
                == self.differences(from + length, from + 2 * length)
            && (from..from + length).all(|at| self.step_goes_on(at, at + length));
        if !is_round {
            return None;
        }
        let mut ahead = 0;
        for at in from..from + length {
            ahead = ahead.max(self.settles(at, at + length)?);
        }
        let is_near = ahead.checked_mul(length).is_some_and(|steps| steps <= MOST_AHEAD);
        is_near.then_some(Rounds { from, length, ahead })
    }

    /// By how much each value changes from one state to another, if both are known.
    fn differences(&self, at: usize, later: usize) -> Vec<Option<i128>> {
        let pairs = self.states[at].values.iter().zip(&self.states[later].values);
        pairs.map(|(old, new)| (*new)?.checked_sub((*old)?)).collect()
    }

    /// The value of a row in the state before a step, with the auxiliaries of the step.
    fn value(&self, row: &Row, at: usize) -> Option<i128> {
        evaluate(row.affine(), |column| match (column.as_variable(), column.as_auxiliary()) {
            (Some(variable), _) => self.states[at].values.get(variable).copied().flatten(),
            (_, number) => self.steps[at].auxiliaries.get(number?).copied().flatten(),
        })
    }

    /// Whether the step at a place of the first round can be taken in all, given the one in the
    /// second.
    fn step_goes_on(&self, at: usize, later: usize) -> bool {
        let edge = &self.flow.edges[self.steps[at].edge];
        let stays = |row: &Row| match (self.value(row, at), self.value(row, later)) {
            (Some(first), Some(second)) => first >= 0 && second >= first,
            _ => false,
        };
        edge.rows().all(stays)
            && edge.auxiliaries.iter().enumerate().all(|(number, kind)| match kind {
                Auxiliary::Choice => true,
                Auxiliary::Unknown => is_settled(edge, Column::auxiliary(number)),
                Auxiliary::Outcome => false,
            })
    }

    /// After how many rounds the propositions of the claim stay what they are at a place of the
    /// first round, given the one in the second.
    fn settles(&self, at: usize, later: usize) -> Option<usize> {
        let rounds = |row: &Row| {
            let first = self.value(row, at)?;
            let by = self.value(row, later)?.checked_sub(first)?;
            let rounds = match (first >= 0, by) {
                (true, 0..) | (false, ..=0) => 0,
                (true, _) => first.checked_div(by.checked_neg()?)?.checked_add(1)?,
                (false, _) => first.checked_neg()?.checked_add(by - 1)?.checked_div(by)?,
            };
            usize::try_from(rounds).ok()
        };
        let same = |column: Column| {
            column.as_variable().is_none_or(|it| {
                let value = |at: usize| self.states[at].values.get(it).copied().flatten();
                value(at).is_some() && value(at) == value(later)
            })
        };
        let mut ahead = 0;
        for meaning in self.meanings.values() {
            match meaning {
                Proposition::Label(_) => {}
                Proposition::Rows(lists) => {
                    for row in lists.iter().flatten() {
                        ahead = ahead.max(rounds(row)?);
                    }
                }
                // Quotients come back in rounds only if what is divided stays as it is.
                Proposition::Divided(edges) => {
                    let rows = edges.iter().flat_map(Edge::rows);
                    if !rows.flat_map(|row| &row.affine().terms).all(|term| same(term.0)) {
                        return None;
                    }
                }
            }
        }
        Some(ahead)
    }
}

/// Whether two facts of an edge leave one integer at most for an auxiliary, given the values of
/// variables, choices and the auxiliaries before it: their sum is a number below its factor.
fn is_settled(edge: &Edge, auxiliary: Column) -> bool {
    let kind = |column: Column| column.as_auxiliary().and_then(|it| edge.auxiliaries.get(it));
    let is_before =
        |column: Column| column <= auxiliary || kind(column) == Some(&Auxiliary::Choice);
    edge.facts.iter().enumerate().any(|(at, lower)| {
        let factor = lower.affine().factor(auxiliary);
        let is_about_known = lower.affine().terms.iter().all(|term| is_before(term.0));
        factor != 0
            && is_about_known
            && edge.facts[at + 1..].iter().any(|upper| {
                let room = lower.affine().plus(1, upper.affine());
                room.is_some_and(|it| it.is_constant() && it.constant < factor.abs())
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use tern_ir::flow::{Affine, EdgeId, Point, PointId};
    use tern_model::AtomId;
    use tern_model::index::Id;

    fn sum(terms: &[(Column, i128)], constant: i128) -> Affine {
        Affine { terms: terms.to_vec(), constant }
    }

    fn x() -> Column {
        Column::variable(0)
    }

    /// What an auxiliary is, given x.
    type Computed = (Auxiliary, fn(i128) -> i128);

    /// A loop `x = x + 1` with more rows, facts and auxiliaries, and the rounds that are found in
    /// ten steps of it from 0, whose auxiliaries are what is said of x.
    fn found(
        (rows, facts): (Vec<Affine>, Vec<Affine>),
        auxiliaries: &[Computed],
        meaning: Option<Affine>,
    ) -> Option<Rounds> {
        let mut flow = Flow { variables: vec!["x".to_owned()], ..Flow::default() };
        let here: PointId = flow.add_point(Point::default());
        let row = |it: Vec<Affine>| it.into_iter().map(Row::at_least_zero).collect();
        let edge = Edge {
            auxiliaries: auxiliaries.iter().map(|it| it.0).collect(),
            guard: row(rows),
            facts: row(facts),
            update: vec![(0, sum(&[(x(), 1)], 1))],
            ..Edge::plain(here, here)
        };
        flow.edges = std::iter::once(edge).collect();
        let shown = |x: i128| Shown { line: 1, labels: Vec::new(), values: vec![Some(x)] };
        let states: Vec<Shown> = (0..=10).map(shown).collect();
        let step = |x: i128| Taken {
            edge: EdgeId::new(0),
            auxiliaries: auxiliaries.iter().map(|it| Some((it.1)(x))).collect(),
        };
        let steps: Vec<Taken> = (0..10).map(step).collect();
        let rows = |it: Affine| Proposition::Rows(vec![vec![Row::at_least_zero(it)]]);
        let meanings: Meanings =
            meaning.map(|it| (AtomId::new(0), rows(it))).into_iter().collect::<BTreeMap<_, _>>();
        rounds(&flow, &steps, &states, &meanings)
    }

    fn at(ahead: usize) -> Option<Rounds> {
        Some(Rounds { from: 0, length: 1, ahead })
    }

    #[test]
    fn rounds_need_rows_that_stay_true() {
        assert_eq!(found((vec![], vec![]), &[], None), at(0));
        assert_eq!(found((vec![sum(&[(x(), 1)], 0)], vec![]), &[], None), at(0));
        // x <= 1000 is true in all ten steps, but not for ever.
        assert_eq!(found((vec![sum(&[(x(), -1)], 1000)], vec![]), &[], None), None);
    }

    #[test]
    fn propositions_settle_after_some_rounds() {
        let no_rows = || (Vec::new(), Vec::new());
        assert_eq!(found(no_rows(), &[], Some(sum(&[(x(), 1)], -5))), at(5));
        assert_eq!(found(no_rows(), &[], Some(sum(&[(x(), -1)], 3))), at(4));
        assert_eq!(found(no_rows(), &[], Some(sum(&[(x(), 1)], -50))), at(50));
        // What becomes true too late is not told.
        assert_eq!(found(no_rows(), &[], Some(sum(&[(x(), 1)], -5000))), None);
    }

    #[test]
    fn what_is_computed_must_be_settled_by_its_facts() {
        let (q, kind) = (Column::auxiliary(0), Auxiliary::Unknown);
        let same: fn(i128) -> i128 = |x| x;
        // q == x
        let only = vec![sum(&[(x(), -1), (q, 1)], 0), sum(&[(x(), 1), (q, -1)], 0)];
        assert_eq!(found((vec![], only.clone()), &[(kind, same)], None), at(0));
        // x <= q <= x + 1 leaves two.
        let two = vec![sum(&[(x(), -1), (q, 1)], 0), sum(&[(x(), 1), (q, -1)], 1)];
        assert_eq!(found((vec![], two.clone()), &[(kind, same)], None), None);
        assert_eq!(found((vec![], two), &[(Auxiliary::Choice, same)], None), at(0));
        assert_eq!(found((vec![], only), &[(Auxiliary::Outcome, same)], None), None);
        // Two that are the same, but might both be any.
        let r = Column::auxiliary(1);
        let equal = vec![sum(&[(q, 1), (r, -1)], 0), sum(&[(q, -1), (r, 1)], 0)];
        assert_eq!(found((vec![], equal), &[(kind, same), (kind, same)], None), None);
    }
}

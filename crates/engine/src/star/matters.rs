//! What matters for the truth of a path formula on a run.
//!
//! The formula and its parts are evaluated in every configuration of the run, by the laws of the operators. From the
//! whole one then asks back: what is its truth due to? `f | g` is true because of one of the two; `F f` because
//! of `f` now, or else because of itself in the next configuration. So one comes to state formulas in certain
//! configurations. If one never comes beyond some configuration, the run may go on from there as it likes.

use fixedbitset::FixedBitSet;
use tern_automata::closure;
use tern_model::budget::Meter;
use tern_model::{Formula, FormulaId, Formulas, Id, Limit};

/// What the truth of a path formula is due to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Matters {
    /// Whether the formula is true in the first configuration.
    pub(super) holds: bool,
    /// The state formulas, each with the configuration and its truth there; sorted.
    pub(super) leaves: Vec<(usize, FormulaId, bool)>,
    /// The last configuration that matters, if there is one: nothing depends on the run's going round.
    pub(super) last: Option<usize>,
}

/// An endless run of `count` different configurations, which after the last goes on from `back_to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    pub(super) count: usize,
    pub(super) back_to: usize,
}

impl Round {
    fn next(self, at: usize) -> usize {
        if at + 1 < self.count { at + 1 } else { self.back_to }
    }
}

/// Finds what matters. `leaf` is the truth of a proposition or quantified formula in a configuration.
pub(super) fn find(
    formulas: &Formulas,
    path: FormulaId,
    round: Round,
    leaf: impl Fn(FormulaId, usize) -> bool,
    meter: &mut Meter<'_>,
) -> Result<Matters, Limit> {
    let mut truth = Truth { formulas, round, rows: vec![None; path.index() + 1] };
    for id in closure(formulas, path) {
        truth.evaluate(id, &leaf, meter)?;
    }
    let holds = truth.at(path, 0);
    let mut found = Matters { holds, leaves: Vec::new(), last: Some(0) };
    let mut seen = vec![FixedBitSet::new(); path.index() + 1];
    let mut waiting = vec![(path, 0)];
    while let Some((id, at)) = waiting.pop() {
        meter.tick()?;
        let seen = &mut seen[id.index()];
        seen.grow(round.count);
        if seen.put(at) {
            continue;
        }
        if formulas.is_state_formula(id) {
            found.leaves.push((at, id, truth.at(id, at)));
            continue;
        }
        let (now, later) = truth.due_to(id, at);
        waiting.extend(now.into_iter().flatten().map(|f| (f, at)));
        if let Some(later) = later {
            let next = round.next(at);
            found.last = found.last.filter(|_| next > at).map(|last| last.max(next));
            waiting.push((later, next));
        }
    }
    found.leaves.sort_unstable();
    Ok(found)
}

struct Truth<'a> {
    formulas: &'a Formulas,
    round: Round,
    /// For each formula that was evaluated, the configurations in which it is true.
    rows: Vec<Option<FixedBitSet>>,
}

impl Truth<'_> {
    fn at(&self, id: FormulaId, at: usize) -> bool {
        self.rows[id.index()].as_ref().expect("operands come first").contains(at)
    }

    fn evaluate(
        &mut self,
        id: FormulaId,
        leaf: &impl Fn(FormulaId, usize) -> bool,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        use Formula::*;
        let formula = self.formulas.get(id);
        let mut row = FixedBitSet::with_capacity(self.round.count);
        // What is true until shown false: the greatest solutions of their laws.
        if matches!(formula, Globally(_) | Release(..) | WeakUntil(..)) {
            row.insert_range(..);
        }
        // Solutions come to rest in the second round: the first brings what the configuration to go back to needs.
        let rounds = if formula.is_temporal() { 2 } else { 1 };
        for at in (0..self.round.count).rev().cycle().take(rounds * self.round.count) {
            meter.tick()?;
            let of = |f: FormulaId| self.at(f, at);
            let soon = row.contains(self.round.next(at));
            let value = match formula {
                Atom(_) | Exists(_) | All(_) => leaf(id, at),
                Next(f) => self.at(f, self.round.next(at)),
                Finally(f) => of(f) || soon,
                Globally(f) => of(f) && soon,
                Until(f, g) | WeakUntil(f, g) => of(g) || of(f) && soon,
                Release(f, g) | StrongRelease(f, g) => of(g) && (of(f) || soon),
                _ => formula.boolean(of).expect("all others are boolean"),
            };
            row.set(at, value);
        }
        self.rows[id.index()] = Some(row);
        Ok(())
    }

    /// What the truth of a formula is due to: formulas in the same configuration, and one in the next.
    fn due_to(&self, id: FormulaId, at: usize) -> ([Option<FormulaId>; 2], Option<FormulaId>) {
        use Formula::*;
        let holds = self.at(id, at);
        let here = |f: FormulaId| self.at(f, at);
        // One operand of this truth, or else both.
        let one = |f, g, truth: bool| match (here(f) == truth, here(g) == truth) {
            (true, _) => [Some(f), None],
            (false, true) => [None, Some(g)],
            (false, false) => [Some(f), Some(g)],
        };
        match self.formulas.get(id) {
            True | False | Atom(_) | Exists(_) | All(_) => ([None, None], None),
            Not(f) => ([Some(f), None], None),
            And(f, g) => (one(f, g, false), None),
            Or(f, g) => (one(f, g, true), None),
            Implies(f, g) if here(f) && !here(g) => ([Some(f), Some(g)], None),
            Implies(f, g) => (if here(f) { [None, Some(g)] } else { [Some(f), None] }, None),
            Iff(f, g) | Xor(f, g) => ([Some(f), Some(g)], None),
            Next(f) => ([None, None], Some(f)),
            Finally(f) => match (holds, here(f)) {
                (_, true) => ([Some(f), None], None),
                (true, false) => ([None, None], Some(id)),
                (false, false) => ([Some(f), None], Some(id)),
            },
            Globally(f) => match (holds, here(f)) {
                (_, false) => ([Some(f), None], None),
                (false, true) => ([None, None], Some(id)),
                (true, true) => ([Some(f), None], Some(id)),
            },
            Until(f, g) | WeakUntil(f, g) => match (holds, here(g), here(f)) {
                (_, true, _) => ([None, Some(g)], None),
                (true, false, _) => ([Some(f), None], Some(id)),
                (false, false, false) => ([Some(f), Some(g)], None),
                (false, false, true) => ([None, Some(g)], Some(id)),
            },
            Release(f, g) | StrongRelease(f, g) => match (holds, here(g), here(f)) {
                (_, false, _) => ([None, Some(g)], None),
                (false, true, _) => ([Some(f), None], Some(id)),
                (true, true, true) => ([Some(f), Some(g)], None),
                (true, true, false) => ([None, Some(g)], Some(id)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::Budget;
    use tern_testkit::sketch;

    /// What matters of a formula on a run of which each configuration has the labels of one word. Leaves are as in `2 !p`.
    fn of(text: &str, labels: &[&str], back_to: usize) -> (bool, Vec<String>, Option<usize>) {
        let mut formulas = Formulas::new();
        let path = sketch::formula(&mut formulas, text);
        let has = |id: FormulaId, at: usize| match formulas.get(id) {
            Formula::Atom(atom) => labels[at].contains(formulas.atom_name(atom)),
            formula => panic!("{formula:?} is no proposition"),
        };
        let round = Round { count: labels.len(), back_to };
        let budget = Budget::unlimited();
        let found = find(&formulas, path, round, has, &mut Meter::new(&budget)).expect("no limits");
        let leaf = |&(at, id, holds): &(usize, FormulaId, bool)| {
            format!("{at} {}{}", if holds { "" } else { "!" }, formulas.show(id))
        };
        (found.holds, found.leaves.iter().map(leaf).collect(), found.last)
    }

    #[track_caller]
    fn matters(
        text: &str,
        labels: &[&str],
        back_to: usize,
        holds: bool,
        leaves: &[&str],
        last: Option<usize>,
    ) {
        let (value, mut found, until) = of(text, labels, back_to);
        found.sort();
        let mut leaves = leaves.to_vec();
        leaves.sort_unstable();
        assert_eq!((value, until), (holds, last), "{text}");
        assert_eq!(found, leaves, "{text}");
    }

    #[test]
    fn a_promise_kept_needs_no_more() {
        matters("F p", &["", "", "p", ""], 3, true, &["2 p"], Some(2));
        matters("U q p", &["q", "q", "p"], 0, true, &["0 q", "1 q", "2 p"], Some(2));
        matters("X X p", &["", "", "p"], 2, true, &["2 p"], Some(2));
        matters("M p q", &["q", "pq", ""], 2, true, &["0 q", "1 p", "1 q"], Some(1));
    }

    #[test]
    fn what_never_happens_is_looked_for_everywhere() {
        matters("F p", &["", "q"], 0, false, &["0 !p", "1 !p"], None);
        matters("G p", &["p", "p"], 1, true, &["0 p", "1 p"], None);
        matters("F G p", &["p", "", "p"], 0, false, &["1 !p"], None);
        matters("R p q", &["q", "q"], 0, true, &["0 q", "1 q"], None);
        matters("W p q", &["p", "p"], 1, true, &["0 p", "1 p"], None);
    }

    #[test]
    fn what_fails_fails_at_once() {
        matters("G p", &["p", "", "p"], 0, false, &["1 !p"], Some(1));
        matters("U p q", &["p", "", "q"], 0, false, &["0 !q", "1 !p", "1 !q"], Some(1));
        matters("R p q", &["q", ""], 0, false, &["0 !p", "1 !q"], Some(1));
    }

    #[test]
    fn one_of_two_is_enough() {
        matters("| F p G q", &["q", "p"], 0, true, &["1 p"], Some(1));
        matters("& F p G q", &["p", "p"], 0, false, &["0 !q"], Some(0));
        matters("-> F p G q", &["q", "q"], 0, true, &["0 !p", "1 !p"], None);
        matters("-> F p G q", &["pq", "q"], 0, true, &["0 q", "1 q"], None);
    }
}

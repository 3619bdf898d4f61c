//! What matters for the truth of a path formula on a run.
//!
//! The formula and its parts are evaluated in every configuration of the run, by the laws of the
//! operators. Not all need be known: a run that was told only in part may go on in any way. So
//! there are three values, kept as two: what is surely true, and what is possibly true.
//!
//! From the whole one then asks back: what is its truth due to? `f | g` is true because of one of
//! the two; `F f` because of `f` now, or else because of itself in the next configuration. So one
//! comes to state formulas in certain configurations. If one never goes round, the run may go on as
//! it likes from the last configuration that one has come to.
//!
//! A *mark* is where one comes to a part by another way than from itself one configuration earlier.
//! Parts of the same truth on the whole way (f in a false `F f`) are not marked, nor are those that
//! the formula is a boolean combination of: the truth of the whole says as much.

use fixedbitset::FixedBitSet;
use tern_automata::closure;
use tern_model::budget::Meter;
use tern_model::{Formula, FormulaId, Formulas, Id, Limit, Mark};

/// What the truth of a path formula is due to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Matters {
    /// Whether the formula is true in the first configuration, if that is known.
    pub(super) holds: Option<bool>,
    /// The state formulas, each with the configuration and its truth there; sorted.
    pub(super) leaves: Vec<(usize, FormulaId, bool)>,
    /// Where parts get the truth that matters, each part and truth once, or once before the run
    /// goes round and once in what comes again and again; sorted.
    pub(super) marks: Vec<Mark>,
    /// The last configuration that matters, if there is one: nothing depends on the run's going
    /// round.
    pub(super) last: Option<usize>,
}

/// A run of `count` different configurations, which after the last goes on from `back_to`, or in
/// some way that is not known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    pub(super) count: usize,
    pub(super) back_to: Option<usize>,
}

impl Round {
    fn next(self, at: usize) -> Option<usize> {
        if at + 1 < self.count { Some(at + 1) } else { self.back_to }
    }
}

/// How one has come to a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Come {
    /// It is the whole, or what this is a boolean combination of.
    Whole,
    /// From another part: here its truth begins to matter.
    New,
    /// Its truth matters again and again.
    Often,
}

/// Finds what matters. `leaf` is the truth of a proposition or quantified formula in a
/// configuration.
pub(super) fn find(
    formulas: &Formulas,
    path: FormulaId,
    round: Round,
    leaf: impl Fn(FormulaId, usize) -> Option<bool>,
    meter: &mut Meter<'_>,
) -> Result<Matters, Limit> {
    let mut truth = Truth { formulas, round, rows: vec![None; path.index() + 1] };
    for id in closure(formulas, path) {
        truth.evaluate(id, &leaf, meter)?;
    }
    let holds = truth.at(path, 0);
    let mut found = Matters { holds, leaves: Vec::new(), marks: Vec::new(), last: Some(0) };
    if holds.is_none() {
        return Ok(found);
    }
    let mut seen = vec![FixedBitSet::new(); path.index() + 1];
    let mut waiting = vec![(path, 0, Come::Whole)];
    while let Some((id, at, come)) = waiting.pop() {
        meter.tick()?;
        let holds = truth.at(id, at).expect("what a known truth is due to is known");
        let is_leaf = formulas.is_state_formula(id);
        let is_part = is_leaf || formulas.get(id).is_temporal();
        if come == Come::New && is_part {
            found.marks.push(Mark { at, of: id, holds });
        }
        let seen = &mut seen[id.index()];
        seen.grow(round.count);
        if seen.put(at) {
            continue;
        }
        if is_leaf {
            found.leaves.push((at, id, holds));
            continue;
        }
        let (now, later) = truth.due_to(id, at, holds);
        let inside = match later {
            _ if !is_part => come,
            Some(later) if later == id => Come::Often,
            _ => Come::New,
        };
        waiting.extend(now.into_iter().flatten().map(|f| (f, at, inside)));
        if let Some(later) = later {
            let next = round.next(at).expect("beyond the end nothing is known");
            found.last = found.last.filter(|_| next > at).map(|last| last.max(next));
            waiting.push((later, next, inside));
        }
    }
    found.leaves.sort_unstable();
    // Of each part and truth the first; and if it matters that the run goes round, the first that
    // comes again and again.
    let recurs = |mark: &Mark| {
        found.last.is_none() && round.back_to.is_some_and(|back_to| mark.at >= back_to)
    };
    found.marks.sort_unstable_by_key(|mark| (mark.of, mark.holds, mark.at));
    found.marks.dedup_by_key(|mark| (mark.of, mark.holds, recurs(mark)));
    found.marks.sort_unstable();
    Ok(found)
}

/// Where a formula is surely true, and where it is possibly true.
#[derive(Clone)]
struct Row {
    surely: FixedBitSet,
    possibly: FixedBitSet,
}

struct Truth<'a> {
    formulas: &'a Formulas,
    round: Round,
    /// Of each formula that was evaluated.
    rows: Vec<Option<Row>>,
}

impl Truth<'_> {
    fn row(&self, id: FormulaId) -> &Row {
        self.rows[id.index()].as_ref().expect("operands come first")
    }

    fn at(&self, id: FormulaId, at: usize) -> Option<bool> {
        let Row { surely, possibly } = self.row(id);
        match (surely.contains(at), possibly.contains(at)) {
            (true, _) => Some(true),
            (false, false) => Some(false),
            (false, true) => None,
        }
    }

    fn evaluate(
        &mut self,
        id: FormulaId,
        leaf: &impl Fn(FormulaId, usize) -> Option<bool>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let surely = self.lane(id, false, leaf, meter)?;
        let possibly = self.lane(id, true, leaf, meter)?;
        self.rows[id.index()] = Some(Row { surely, possibly });
        Ok(())
    }

    /// Where a formula is true if what is not known is taken for this.
    fn lane(
        &self,
        id: FormulaId,
        unknown: bool,
        leaf: &impl Fn(FormulaId, usize) -> Option<bool>,
        meter: &mut Meter<'_>,
    ) -> Result<FixedBitSet, Limit> {
        use Formula::*;
        let formula = self.formulas.get(id);
        let count = self.round.count;
        let lane = |f: FormulaId, unknown: bool| {
            let Row { surely, possibly } = self.row(f);
            if unknown { possibly } else { surely }
        };
        let mut row = FixedBitSet::with_capacity(count);
        // What is true until shown false: the greatest solutions of their laws.
        if matches!(formula, Globally(_) | Release(..) | WeakUntil(..)) {
            row.insert_range(..);
        }
        // Solutions come to rest in the second round: the first brings what the configuration to go
        // back to needs.
        let rounds = if formula.is_temporal() { 2 } else { 1 };
        for at in (0..count).rev().cycle().take(rounds * count) {
            meter.tick()?;
            let of = |f: FormulaId| lane(f, unknown).contains(at);
            let not = |f: FormulaId| !lane(f, !unknown).contains(at);
            let next = self.round.next(at);
            let soon = next.map_or(unknown, |next| row.contains(next));
            let value = match formula {
                True => true,
                False => false,
                Atom(_) | Exists(_) | All(_) => leaf(id, at).unwrap_or(unknown),
                Not(f) => not(f),
                And(f, g) => of(f) && of(g),
                Or(f, g) => of(f) || of(g),
                Implies(f, g) => not(f) || of(g),
                Iff(f, g) => (of(f) || not(g)) && (of(g) || not(f)),
                Xor(f, g) => (of(f) || of(g)) && (not(f) || not(g)),
                Next(f) => next.map_or(unknown, |next| lane(f, unknown).contains(next)),
                Finally(f) => of(f) || soon,
                Globally(f) => of(f) && soon,
                Until(f, g) | WeakUntil(f, g) => of(g) || of(f) && soon,
                Release(f, g) | StrongRelease(f, g) => of(g) && (of(f) || soon),
            };
            row.set(at, value);
        }
        Ok(row)
    }

    /// What the truth of a formula is due to: formulas in the same configuration, and one in the
    /// next.
    fn due_to(
        &self,
        id: FormulaId,
        at: usize,
        holds: bool,
    ) -> ([Option<FormulaId>; 2], Option<FormulaId>) {
        use Formula::*;
        let is = |f: FormulaId, truth: bool| self.at(f, at) == Some(truth);
        // One operand of this truth, or else both.
        let one = |f, g, truth: bool| match (is(f, truth), is(g, truth)) {
            (true, _) => [Some(f), None],
            (false, true) => [None, Some(g)],
            (false, false) => [Some(f), Some(g)],
        };
        match self.formulas.get(id) {
            True | False | Atom(_) | Exists(_) | All(_) => ([None, None], None),
            Not(f) => ([Some(f), None], None),
            And(f, g) => (one(f, g, false), None),
            Or(f, g) => (one(f, g, true), None),
            Implies(f, g) if !holds => ([Some(f), Some(g)], None),
            Implies(f, g) => (if is(f, false) { [Some(f), None] } else { [None, Some(g)] }, None),
            Iff(f, g) | Xor(f, g) => ([Some(f), Some(g)], None),
            Next(f) => ([None, None], Some(f)),
            Finally(f) if is(f, true) => ([Some(f), None], None),
            Finally(_) if holds => ([None, None], Some(id)),
            Finally(f) => ([Some(f), None], Some(id)),
            Globally(f) if is(f, false) => ([Some(f), None], None),
            Globally(_) if !holds => ([None, None], Some(id)),
            Globally(f) => ([Some(f), None], Some(id)),
            Until(_, g) | WeakUntil(_, g) if is(g, true) => ([None, Some(g)], None),
            Until(f, _) | WeakUntil(f, _) if holds => ([Some(f), None], Some(id)),
            Until(f, g) | WeakUntil(f, g) if is(f, false) => ([Some(f), Some(g)], None),
            Until(_, g) | WeakUntil(_, g) => ([None, Some(g)], Some(id)),
            Release(_, g) | StrongRelease(_, g) if is(g, false) => ([None, Some(g)], None),
            Release(f, _) | StrongRelease(f, _) if !holds => ([Some(f), None], Some(id)),
            Release(f, g) | StrongRelease(f, g) if is(f, true) => ([Some(f), Some(g)], None),
            Release(_, g) | StrongRelease(_, g) => ([None, Some(g)], Some(id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::Budget;
    use tern_testkit::sketch;

    /// What matters of a formula on a run of which each configuration has the labels of one word;
    /// of `?` nothing is known.
    fn of(text: &str, labels: &[&str], back_to: Option<usize>) -> (Formulas, Matters) {
        let mut formulas = Formulas::new();
        let path = sketch::formula(&mut formulas, text);
        let leaf = |id: FormulaId, at: usize| match formulas.get(id) {
            _ if labels[at] == "?" => None,
            Formula::Atom(atom) => Some(labels[at].contains(formulas.atom_name(atom))),
            formula => panic!("{formula:?} is no proposition"),
        };
        let round = Round { count: labels.len(), back_to };
        let budget = Budget::unlimited();
        let found = find(&formulas, path, round, leaf, &mut Meter::new(&budget));
        (formulas, found.expect("no limits"))
    }

    fn shown(formulas: &Formulas, at: usize, id: FormulaId, holds: bool) -> String {
        format!("{at} {}{}", if holds { "" } else { "!" }, formulas.show(id))
    }

    /// Leaves are as in `2 !p`.
    #[track_caller]
    fn matters(
        text: &str,
        labels: &[&str],
        back_to: usize,
        holds: bool,
        leaves: &[&str],
        last: Option<usize>,
    ) {
        let (formulas, found) = of(text, labels, Some(back_to));
        let shown = found.leaves.iter().map(|&(at, id, holds)| shown(&formulas, at, id, holds));
        let mut shown: Vec<String> = shown.collect();
        shown.sort();
        let mut leaves = leaves.to_vec();
        leaves.sort_unstable();
        assert_eq!((found.holds, found.last), (Some(holds), last), "{text}");
        assert_eq!(shown, leaves, "{text}");
    }

    #[track_caller]
    fn marked(text: &str, labels: &[&str], back_to: usize, marks: &[&str]) {
        let (formulas, found) = of(text, labels, Some(back_to));
        let shown = found.marks.iter().map(|mark| shown(&formulas, mark.at, mark.of, mark.holds));
        let mut shown: Vec<String> = shown.collect();
        shown.sort();
        assert_eq!(shown, marks, "{text}");
    }

    #[test]
    fn a_mark_is_where_a_part_begins_to_matter() {
        marked("G -> p F q", &["", "pq", "p", ""], 3, &["2 !F q", "2 p"]);
        marked("G p", &["p", "p", "", "p"], 0, &["2 !p"]);
        marked("G F q", &["q", "", ""], 1, &["1 !F q"]);
        marked("F G p", &["p", "", "p"], 0, &["1 !p"]);
        // What comes again and again matters, though it came before.
        marked("F G p", &["", "p", "", ""], 1, &["0 !p", "2 !p"]);
        marked("G F p", &["p", "", "p", "p"], 1, &["0 p", "2 p"]);
        marked("X X p", &["", "", "p"], 2, &["1 X p", "2 p"]);
        marked("U p q", &["p", "p", "", "q"], 0, &["2 !p", "2 !q"]);
        marked("| F G p G F q", &["p", ""], 0, &["0 !F q", "1 !p"]);
        // Once, however often it matters.
        marked("F X p", &["", ""], 0, &["0 !p"]);
    }

    #[test]
    fn what_is_not_known_is_not_what_a_truth_is_due_to() {
        let (_, found) = of("| G p F q", &["p", "pq"], None);
        assert_eq!((found.holds, found.last), (Some(true), Some(1)));
        assert_eq!(of("| G p F q", &["p", "p"], None).1.holds, None);
        let (formulas, found) = of("F p", &["", "?", "p"], None);
        let (at, id, holds) = found.leaves[0];
        assert_eq!((shown(&formulas, at, id, holds), found.last), ("2 p".to_owned(), Some(2)));
        assert_eq!(of("G p", &["p", "?"], Some(0)).1.holds, None);
        assert_eq!(of("<-> F p F q", &["p", "?"], Some(1)).1.holds, None);
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

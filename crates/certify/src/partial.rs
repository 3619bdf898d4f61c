//! The truth of a path formula on a path of which not everything is known.
//!
//! The path has finitely many positions. After the last comes an earlier one again, or nothing is
//! known of how it goes on. At some positions the truth of some state formulas is not known either.
//! What follows nevertheless is found in two lanes: in one, what is not known counts as false, in
//! the other as true; below a negation it is the other way round. Every operator but negation is
//! monotone, so a formula that is true in the first lane is true whatever the unknowns are, and one
//! that is false in the second is false. In each lane the laws of [`lasso`](crate::lasso) are
//! solved.

use crate::reading::is_of_state;
use std::collections::BTreeMap;
use tern_model::{Formula, FormulaId, Formulas};

/// The positions of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Positions {
    pub(crate) count: usize,
    /// The one that comes after the last, if it is known.
    pub(crate) back_to: Option<usize>,
}

/// What is known of formulas at the positions of a path.
pub(crate) struct Partial {
    /// In the lane of what is surely true, and in that of what is possibly true.
    rows: BTreeMap<FormulaId, [Vec<bool>; 2]>,
}

impl Partial {
    /// Works out a path formula and its parts, down to state formulas, of which `leaf` says what is
    /// known at a position.
    pub(crate) fn new(
        formulas: &Formulas,
        path_formula: FormulaId,
        positions: Positions,
        leaf: impl Fn(FormulaId, usize) -> Option<bool>,
    ) -> Self {
        let mut partial = Partial { rows: BTreeMap::new() };
        for id in parts(formulas, path_formula) {
            let lane = |unknown: bool| {
                if is_of_state(formulas, id) {
                    (0..positions.count).map(|i| leaf(id, i).unwrap_or(unknown)).collect()
                } else {
                    partial.lane(formulas.get(id), positions, unknown)
                }
            };
            let lanes = [lane(false), lane(true)];
            partial.rows.insert(id, lanes);
        }
        partial
    }

    /// The truth of a part at a position, if it is known; `None` also if there is no such part.
    pub(crate) fn at(&self, id: FormulaId, position: usize) -> Option<bool> {
        let [surely, possibly] = self.rows.get(&id)?;
        match (surely.get(position)?, possibly.get(position)?) {
            (true, _) => Some(true),
            (_, false) => Some(false),
            _ => None,
        }
    }

    /// One lane of an operator, from those of its operands.
    fn lane(&self, formula: Formula, positions: Positions, unknown: bool) -> Vec<bool> {
        use Formula::*;
        let Positions { count, back_to } = positions;
        let after = |row: &[bool], i: usize| {
            let next = if i + 1 < count { Some(i + 1) } else { back_to };
            next.map_or(unknown, |next| row[next])
        };
        let of = |f: FormulaId| &self.rows[&f][usize::from(unknown)][..];
        let opposite = |f: FormulaId| &self.rows[&f][usize::from(!unknown)][..];
        let each = |law: &dyn Fn(usize) -> bool| (0..count).map(law).collect();
        let solve = |start: bool, law: &dyn Fn(usize, bool) -> bool| {
            let mut values = vec![start; count];
            loop {
                let mut stable = true;
                for i in (0..count).rev() {
                    let value = law(i, after(&values, i));
                    stable &= value == values[i];
                    values[i] = value;
                }
                if stable {
                    return values;
                }
            }
        };
        match formula {
            Not(f) => each(&|i| !opposite(f)[i]),
            And(f, g) => each(&|i| of(f)[i] && of(g)[i]),
            Or(f, g) => each(&|i| of(f)[i] || of(g)[i]),
            Implies(f, g) => each(&|i| !opposite(f)[i] || of(g)[i]),
            Iff(f, g) => each(&|i| (!opposite(f)[i] || of(g)[i]) && (!opposite(g)[i] || of(f)[i])),
            Xor(f, g) => each(&|i| (of(f)[i] || of(g)[i]) && (!opposite(f)[i] || !opposite(g)[i])),
            Next(f) => each(&|i| after(of(f), i)),
            Finally(f) => solve(false, &|i, soon| of(f)[i] || soon),
            Globally(f) => solve(true, &|i, soon| of(f)[i] && soon),
            Until(f, g) => solve(false, &|i, soon| of(g)[i] || of(f)[i] && soon),
            WeakUntil(f, g) => solve(true, &|i, soon| of(g)[i] || of(f)[i] && soon),
            StrongRelease(f, g) => solve(false, &|i, soon| of(g)[i] && (of(f)[i] || soon)),
            Release(f, g) => solve(true, &|i, soon| of(g)[i] && (of(f)[i] || soon)),
            True | False | Atom(_) | Exists(_) | All(_) => {
                unreachable!("these are state formulas")
            }
        }
    }
}

/// The parts of a path formula that speak of the path, and the state formulas that these are made
/// of, which are not looked into; operands come first.
pub(crate) fn parts(formulas: &Formulas, path_formula: FormulaId) -> Vec<FormulaId> {
    let mut found: BTreeMap<FormulaId, ()> = BTreeMap::new();
    let mut open = vec![path_formula];
    while let Some(id) = open.pop() {
        if found.insert(id, ()).is_none() && !is_of_state(formulas, id) {
            open.extend(formulas.get(id).operands());
        }
    }
    found.into_keys().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lasso;
    use tern_testkit::{sample, sketch};

    /// Labels at positions; `?` says that nothing is known there.
    fn value(text: &str, labels: &[&str], back_to: Option<usize>) -> Option<bool> {
        let mut formulas = Formulas::new();
        let path = sketch::formula(&mut formulas, text);
        let leaf = |id: FormulaId, at: usize| match formulas.get(id) {
            _ if labels[at] == "?" => None,
            Formula::Atom(atom) => Some(labels[at].contains(formulas.atom_name(atom))),
            formula => panic!("{formula:?} is no proposition"),
        };
        let positions = Positions { count: labels.len(), back_to };
        Partial::new(&formulas, path, positions, leaf).at(path, 0)
    }

    #[test]
    fn what_is_to_come_may_not_matter() {
        assert_eq!(value("F p", &["", "p"], None), Some(true));
        assert_eq!(value("F p", &["", ""], None), None);
        assert_eq!(value("G p", &["p", ""], None), Some(false));
        assert_eq!(value("G p", &["p", "p"], None), None);
        assert_eq!(value("X X p", &["", "p"], None), None);
        assert_eq!(value("U p q", &["p", ""], None), Some(false));
        assert_eq!(value("W p q", &["p", "p"], Some(1)), Some(true));
        assert_eq!(value("<-> F p F q", &["p", ""], None), None);
    }

    #[test]
    fn unknown_positions_may_not_matter_either() {
        assert_eq!(value("F p", &["?", "p"], Some(0)), Some(true));
        assert_eq!(value("F p", &["?", ""], Some(1)), None);
        assert_eq!(value("F G p", &["?", "p"], Some(1)), Some(true));
        assert_eq!(value("G F p", &["?", "p"], Some(0)), Some(true));
        assert_eq!(value("! G F p", &["?", ""], Some(1)), Some(true));
        assert_eq!(value("R p q", &["q", "?"], Some(0)), None);
    }

    /// Where all is known, it is what the definition says; and no unknown changes what is said to
    /// be so.
    #[test]
    fn it_agrees_with_the_definition() {
        let (mut known, mut unknown) = (0, 0);
        for seed in 0..3_000 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let mut formulas = Formulas::new();
            let path = sample::ltl(&mut rng, &mut formulas, 2 + (seed % 7) as usize);
            let count = rng.usize(1..5);
            let back_to = rng.usize(..count);
            let bits: Vec<[u64; 2]> = (0..count).map(|_| [rng.u64(..), rng.u64(..)]).collect();
            let bit = |id: FormulaId, at: usize, row: usize| {
                bits[at][row] >> (tern_model::Id::index(id) % 64) & 1 == 1
            };
            let leaf = |id: FormulaId, at: usize| match formulas.get(id) {
                Formula::True => true,
                Formula::False => false,
                Formula::Atom(_) => bit(id, at, 0),
                _ => panic!("no other state formulas are looked at"),
            };
            // State formulas as wholes, by their own parts.
            let state = |id: FormulaId, at: usize| {
                lasso::evaluate(&formulas, id, 0, 1, |leaf_id, _| leaf(leaf_id, at))
                    .and_then(|truth| truth.at(id, 0))
            };
            let positions = Positions { count, back_to: Some(back_to) };
            let whole = Partial::new(&formulas, path, positions, state).at(path, 0);
            let truth = lasso::evaluate(&formulas, path, back_to, count - back_to, leaf);
            let truth = truth.and_then(|truth| truth.at(path, 0));
            assert_eq!(whole, truth, "seed {seed}: {}", formulas.show(path));
            let veiled = |id: FormulaId, at: usize| state(id, at).filter(|_| bit(id, at, 1));
            let cut = Positions { count, back_to: Some(back_to).filter(|_| rng.bool()) };
            let part = Partial::new(&formulas, path, cut, veiled).at(path, 0);
            assert!(part.is_none() || part == truth, "seed {seed}: {}", formulas.show(path));
            known += usize::from(part.is_some());
            unknown += usize::from(part.is_none());
        }
        assert!(known > 500 && unknown > 500, "{known} known, {unknown} not");
    }
}

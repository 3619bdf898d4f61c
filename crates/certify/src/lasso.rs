//! The truth of a path formula on an ultimately periodic word, by its definition.
//!
//! The word is a *prefix* followed by a *cycle* for ever. Position `i` counts from the start of the
//! prefix; the position after the last is the first of the cycle again. So there are finitely many
//! positions, each with exactly one next, and the suffixes of the word that begin at equal
//! positions are equal: a formula has one truth value at each position.
//!
//! A letter says which *leaves* are true: propositions, and formulas under a path quantifier, which
//! speak of a state and not of this path. All the rest is worked out, operands first, every
//! operator by its own law:
//! ```text
//! X f      = f at the next position
//! F f      = f | X (itself)                 G f      = f & X (itself)
//! f U g    = g | (f & X (itself))           f W g    = g | (f & X (itself))
//! f M g    = g & (f | X (itself))           f R g    = g & (f | X (itself))
//! ```
//! The operators on the left promise that something happens and are the least solution, those on
//! the right the greatest. No operator is reduced to another.
//!
//! # Why it is right
//! The least solution is reached from all false: a value is set only by the law, so by induction
//! over the order of setting there is a position ahead at which the promise is kept, and the way
//! there is as it should be. And if there is such a position, then the law sets the value at it,
//! and backwards at each position on the way, or the last sweep would have changed something. The
//! greatest solution from all true is the mirror image.
//!
//! # Why it ends
//! Sweeps go backwards and values change in one direction only. A value travels round the cycle
//! once and through the prefix, so the third sweep at the latest changes nothing: the time is
//! linear in the word and in the formula.

use std::collections::BTreeSet;
use tern_model::index::Table;
use tern_model::{Budget, Formula, FormulaId, Formulas, Id, Limit};

/// The leaves that are true at a position: propositions, and formulas under a quantifier.
pub type Letter = BTreeSet<FormulaId>;

/// Whether a path formula holds on the word `prefix · cycle · cycle · …`, at its first position.
/// `None` if the cycle is empty: then there is no infinite word.
pub fn holds(
    formulas: &Formulas,
    path_formula: FormulaId,
    prefix: &[Letter],
    cycle: &[Letter],
) -> Option<bool> {
    let letter = |position: usize| match position.checked_sub(prefix.len()) {
        None => &prefix[position],
        Some(later) => &cycle[later],
    };
    let leaf = |leaf: FormulaId, position: usize| letter(position).contains(&leaf);
    let truth = evaluate(formulas, path_formula, prefix.len(), cycle.len(), leaf)?;
    truth.at(path_formula, 0)
}

/// The truth of a path formula and its subformulas at every position of a word. `leaf` says whether
/// a proposition or quantified formula is true at a position of the prefix or, numbered on, of the
/// cycle. `None` if the cycle is empty.
pub fn evaluate(
    formulas: &Formulas,
    path_formula: FormulaId,
    prefix_len: usize,
    cycle_len: usize,
    leaf: impl Fn(FormulaId, usize) -> bool,
) -> Option<Truth> {
    let unlimited = Budget::unlimited();
    evaluate_within(formulas, path_formula, prefix_len, cycle_len, leaf, &unlimited).ok()?
}

/// The same within limits, which are looked at before each subformula.
///
/// # Errors
/// The limit that was reached.
pub fn evaluate_within(
    formulas: &Formulas,
    path_formula: FormulaId,
    prefix_len: usize,
    cycle_len: usize,
    leaf: impl Fn(FormulaId, usize) -> bool,
    budget: &Budget,
) -> Result<Option<Truth>, Limit> {
    if cycle_len == 0 {
        return Ok(None);
    }
    let word = Word { positions: prefix_len + cycle_len, back_to: prefix_len };
    let mut rows: Table<FormulaId, Option<Vec<bool>>> =
        Table::filled(None, path_formula.index() + 1);
    for id in path_subformulas(formulas, path_formula) {
        use Formula::*;
        budget.check()?;
        let of = |f: FormulaId| rows[f].as_deref().expect("operands come first");
        let row = match formulas.get(id) {
            True => word.each(|_| true),
            False => word.each(|_| false),
            Atom(_) | Exists(_) | All(_) => word.each(|i| leaf(id, i)),
            Not(f) => word.each(|i| !of(f)[i]),
            And(f, g) => word.each(|i| of(f)[i] && of(g)[i]),
            Or(f, g) => word.each(|i| of(f)[i] || of(g)[i]),
            Implies(f, g) => word.each(|i| !of(f)[i] || of(g)[i]),
            Iff(f, g) => word.each(|i| of(f)[i] == of(g)[i]),
            Xor(f, g) => word.each(|i| of(f)[i] != of(g)[i]),
            Next(f) => word.each(|i| of(f)[word.next(i)]),
            Finally(f) => word.solve(false, |i, soon| of(f)[i] || soon),
            Globally(f) => word.solve(true, |i, soon| of(f)[i] && soon),
            Until(f, g) => word.solve(false, |i, soon| of(g)[i] || of(f)[i] && soon),
            WeakUntil(f, g) => word.solve(true, |i, soon| of(g)[i] || of(f)[i] && soon),
            StrongRelease(f, g) => word.solve(false, |i, soon| of(g)[i] && (of(f)[i] || soon)),
            Release(f, g) => word.solve(true, |i, soon| of(g)[i] && (of(f)[i] || soon)),
        };
        rows[id] = Some(row);
    }
    Ok(Some(Truth { word, rows }))
}

/// The subformulas of a path formula, itself included, that speak of the path: nothing inside a
/// quantified formula is among them, but that formula is. Operands come before what uses them.
pub fn path_subformulas(formulas: &Formulas, path_formula: FormulaId) -> Vec<FormulaId> {
    let mut found: BTreeSet<FormulaId> = BTreeSet::new();
    let mut open = vec![path_formula];
    while let Some(id) = open.pop() {
        if found.insert(id) && !formulas.get(id).is_quantifier() {
            open.extend(formulas.get(id).operands());
        }
    }
    found.into_iter().collect()
}

/// The truth of formulas at the positions of a word.
#[derive(Clone, Debug)]
pub struct Truth {
    word: Word,
    /// Of each formula that was worked out: its truth at each position.
    rows: Table<FormulaId, Option<Vec<bool>>>,
}

impl Truth {
    /// The truth of a formula at a position, however far round the cycle. `None` if it is not among
    /// the [`path_subformulas`].
    pub fn at(&self, formula: FormulaId, position: usize) -> Option<bool> {
        let row = self.rows.as_slice().get(formula.index())?.as_ref()?;
        Some(row[self.word.fold(position)])
    }

    /// The truth of a formula at each position of prefix and cycle.
    pub fn row(&self, formula: FormulaId) -> Option<&[bool]> {
        self.rows.as_slice().get(formula.index())?.as_deref()
    }
}

/// The positions of a word; after the last comes `back_to`.
#[derive(Clone, Copy, Debug)]
struct Word {
    positions: usize,
    back_to: usize,
}

impl Word {
    fn next(self, position: usize) -> usize {
        if position + 1 < self.positions { position + 1 } else { self.back_to }
    }

    /// The position of the prefix or first round at which the word goes on as at this one.
    fn fold(self, position: usize) -> usize {
        match position.checked_sub(self.back_to) {
            None => position,
            Some(later) => self.back_to + later % (self.positions - self.back_to),
        }
    }

    fn each(self, value: impl Fn(usize) -> bool) -> Vec<bool> {
        (0..self.positions).map(value).collect()
    }

    /// Solves a law, which takes a position and the value at the next one, from equal values.
    fn solve(self, start: bool, law: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut values = vec![start; self.positions];
        loop {
            let mut stable = true;
            for i in (0..self.positions).rev() {
                let value = law(i, values[self.next(i)]);
                stable &= value == values[i];
                values[i] = value;
            }
            if stable {
                return values;
            }
        }
    }
}

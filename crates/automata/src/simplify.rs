//! Path formulas in negation normal form, made simpler.
//!
//! Negation is pushed to the propositions, and each operator is then made by the laws of `rules.rs`
//! from operands that are simple already. The result holds on the same paths. Atoms and formulas
//! that begin with a path quantifier are propositions: nothing below a quantifier is touched.

use super::implication::Implication;
use super::rules::Rules;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use tern_model::budget::Meter;
use tern_model::{Budget, Formula, FormulaId, Formulas, Limit};

/// A simpler formula, in the same arena and in negation normal form, for `root` or for its
/// negation.
///
/// # Errors
/// When the budget runs out.
pub fn simplify(
    formulas: &mut Formulas,
    root: FormulaId,
    holds: bool,
    budget: &Budget,
) -> Result<FormulaId, Limit> {
    let mut meter = Meter::new(budget);
    // Parents have larger ids than their operands: the largest that is left is needed by no other.
    let mut open = BTreeSet::from([(root, holds)]);
    let mut needed = Vec::new();
    while let Some((id, holds)) = open.pop_last() {
        meter.tick()?;
        needed.push((id, holds));
        use Formula::*;
        match formulas.get(id) {
            Exists(_) | All(_) => (),
            Not(f) => {
                open.insert((f, !holds));
            }
            Implies(f, g) => {
                open.insert((f, !holds));
                open.insert((g, holds));
            }
            Iff(f, g) | Xor(f, g) => open.extend([(f, true), (f, false), (g, true), (g, false)]),
            other => open.extend(other.operands().map(|f| (f, holds))),
        }
    }
    let mut rules = Rules::new(formulas, Implication::default(), meter);
    let mut forms: FxHashMap<(FormulaId, bool), FormulaId> = FxHashMap::default();
    for &(id, holds) in needed.iter().rev() {
        rules.tick()?;
        let form = normal(&mut rules, id, holds, |f, holds| forms[&(f, holds)])?;
        forms.insert((id, holds), form);
    }
    Ok(forms[&(root, holds)])
}

fn normal(
    rules: &mut Rules<'_, '_>,
    id: FormulaId,
    holds: bool,
    of: impl Fn(FormulaId, bool) -> FormulaId,
) -> Result<FormulaId, Limit> {
    use Formula::*;
    let formula = rules.get(id);
    let both = |f, g| (of(f, holds), of(g, holds));
    Ok(match formula {
        True | False => rules.constant((formula == True) == holds),
        Atom(_) | Exists(_) | All(_) => rules.literal(id, holds),
        Not(f) => of(f, !holds),
        Implies(f, g) => rules.junction(!holds, &[of(f, !holds), of(g, holds)])?,
        And(f, g) | Or(f, g) => {
            let (f, g) = both(f, g);
            rules.junction(matches!(formula, And(..)) == holds, &[f, g])?
        }
        Iff(f, g) | Xor(f, g) => {
            let same = matches!(formula, Iff(..)) == holds;
            let first = rules.junction(true, &[of(f, true), of(g, same)])?;
            let second = rules.junction(true, &[of(f, false), of(g, !same)])?;
            rules.junction(false, &[first, second])?
        }
        Next(f) => rules.make(Next(of(f, holds)))?,
        Finally(f) if holds => rules.make(Finally(of(f, holds)))?,
        Globally(f) if !holds => rules.make(Finally(of(f, holds)))?,
        Finally(f) | Globally(f) => rules.make(Globally(of(f, holds)))?,
        Until(f, g) | Release(f, g) | WeakUntil(f, g) | StrongRelease(f, g) => {
            let (f, g) = both(f, g);
            rules.make(match (formula, holds) {
                (Until(..), true) | (Release(..), false) => Until(f, g),
                (Release(..), true) | (Until(..), false) => Release(f, g),
                (WeakUntil(..), true) | (StrongRelease(..), false) => WeakUntil(f, g),
                _ => StrongRelease(f, g),
            })?
        }
    })
}

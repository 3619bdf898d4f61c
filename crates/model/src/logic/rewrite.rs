//! Formulas made from formulas: one pass over the subformulas, children first, without recursion.

use super::{Formula, Formulas};
use crate::index::FormulaId;
use rustc_hash::FxHashMap;

/// Rebuilds a formula from below. `make` is given each subformula, and the same with its operands
/// already rebuilt, and says what takes its place.
pub fn rebuild(
    formulas: &mut Formulas,
    root: FormulaId,
    mut make: impl FnMut(&mut Formulas, FormulaId, Formula) -> FormulaId,
) -> FormulaId {
    let mut new: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
    for id in formulas.subformulas(root) {
        let formula = formulas.get(id).with_operands(|f| new[&f]);
        let made = make(formulas, id, formula);
        new.insert(id, made);
    }
    new[&root]
}

/// The same claim with its quantifiers further in, where a law of logic allows it:
/// ```text
/// E (f | g) = E f | E g      E (s & f) = s & E f
/// A (f & g) = A f & A g      A (s | f) = s | A f
/// ```
/// where s is a state formula. Several small automata are made then, instead of a large one.
pub fn distribute(formulas: &mut Formulas, claim: FormulaId) -> FormulaId {
    rebuild(formulas, claim, |formulas, _, formula| match formula {
        Formula::Exists(path) => distributed(formulas, path, Quantifier::SOME),
        Formula::All(path) => distributed(formulas, path, Quantifier::ALL),
        _ => formulas.make(formula),
    })
}

/// A quantifier, and the connectives that it goes well with.
#[derive(Clone, Copy)]
struct Quantifier {
    make: fn(FormulaId) -> Formula,
    /// What it goes through.
    through: fn(FormulaId, FormulaId) -> Formula,
    /// What it goes past state formulas in.
    past: fn(FormulaId, FormulaId) -> Formula,
}

impl Quantifier {
    const SOME: Quantifier =
        Quantifier { make: Formula::Exists, through: Formula::Or, past: Formula::And };
    const ALL: Quantifier =
        Quantifier { make: Formula::All, through: Formula::And, past: Formula::Or };
}

fn distributed(formulas: &mut Formulas, path: FormulaId, by: Quantifier) -> FormulaId {
    let mut whole: Option<FormulaId> = None;
    for part in parts(formulas, path, by.through) {
        let (states, paths): (Vec<FormulaId>, Vec<FormulaId>) = parts(formulas, part, by.past)
            .into_iter()
            .partition(|&operand| formulas.is_state_formula(operand));
        let join = |formulas: &mut Formulas, with, all: Option<FormulaId>, next| match all {
            None => Some(next),
            Some(all) => {
                let with: fn(FormulaId, FormulaId) -> Formula = with;
                Some(formulas.make(with(all, next)))
            }
        };
        let mut done: Option<FormulaId> = None;
        for state in states {
            done = join(formulas, by.past, done, state);
        }
        let mut left: Option<FormulaId> = None;
        for path in paths {
            left = join(formulas, by.past, left, path);
        }
        if let Some(left) = left {
            let quantified = formulas.make((by.make)(left));
            done = join(formulas, by.past, done, quantified);
        }
        let done = done.expect("a formula has at least one part");
        whole = join(formulas, by.through, whole, done);
    }
    whole.expect("a formula has at least one part")
}

/// The operands of nested uses of a connective, `&` or `|`, from left to right.
fn parts(
    formulas: &mut Formulas,
    root: FormulaId,
    connective: fn(FormulaId, FormulaId) -> Formula,
) -> Vec<FormulaId> {
    let mut parts = Vec::new();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        match formulas.get(id) {
            formula @ (Formula::And(f, g) | Formula::Or(f, g)) if formula == connective(f, g) => {
                stack.extend([g, f]);
            }
            Formula::Implies(f, g) if connective(f, g) == Formula::Or(f, g) => {
                let not = formulas.make(Formula::Not(f));
                stack.extend([g, not]);
            }
            _ => parts.push(id),
        }
    }
    parts
}

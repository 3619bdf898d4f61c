//! Formulas made from formulas: one pass over the subformulas, children first, without recursion.

use super::{Formula, Formulas};
use crate::index::{FormulaId, Id, Table};

/// Rebuilds a formula from below. `make` is given each subformula, and the same with its operands
/// already rebuilt, and says what takes its place.
pub fn rebuild(
    formulas: &mut Formulas,
    root: FormulaId,
    mut make: impl FnMut(&mut Formulas, FormulaId, Formula) -> FormulaId,
) -> FormulaId {
    let mut new: Table<FormulaId, FormulaId> = Table::filled(root, root.index() + 1);
    for id in formulas.subformulas(root) {
        let formula = with_operands(formulas.get(id), |f| new[f]);
        new[id] = make(formulas, id, formula);
    }
    new[root]
}

/// The formula in which `new` stands for every occurrence of `old`.
pub fn replace(
    formulas: &mut Formulas,
    root: FormulaId,
    old: FormulaId,
    new: FormulaId,
) -> FormulaId {
    rebuild(
        formulas,
        root,
        |formulas, id, formula| {
            if id == old { new } else { formulas.make(formula) }
        },
    )
}

/// The same operator on other operands.
fn with_operands(formula: Formula, of: impl Fn(FormulaId) -> FormulaId) -> Formula {
    use Formula::*;
    match formula {
        True | False | Atom(_) => formula,
        Not(f) => Not(of(f)),
        And(f, g) => And(of(f), of(g)),
        Or(f, g) => Or(of(f), of(g)),
        Implies(f, g) => Implies(of(f), of(g)),
        Iff(f, g) => Iff(of(f), of(g)),
        Xor(f, g) => Xor(of(f), of(g)),
        Exists(f) => Exists(of(f)),
        All(f) => All(of(f)),
        Next(f) => Next(of(f)),
        Finally(f) => Finally(of(f)),
        Globally(f) => Globally(of(f)),
        Until(f, g) => Until(of(f), of(g)),
        Release(f, g) => Release(of(f), of(g)),
        WeakUntil(f, g) => WeakUntil(of(f), of(g)),
        StrongRelease(f, g) => StrongRelease(of(f), of(g)),
    }
}

//! Negation normal form: negation on propositions only, and no `->`, `<->`, `xor`.
//!
//! The result speaks of the same paths and states. `F` and `G` stay; `U`/`R` and `W`/`M` are each
//! other's duals, so the result is no larger than twice the input's graph (one node for a
//! subformula and one for its negation), except that `<->` and `xor` need both of each side.

use super::{Formula, Formulas};
use crate::index::{FormulaId, Table};

/// The negation normal form of `root`, in the same arena.
pub fn of(formulas: &mut Formulas, root: FormulaId) -> FormulaId {
    negation_normal(formulas, root, true)
}

/// The negation normal form of the negation of `root`, in the same arena.
pub fn of_negation(formulas: &mut Formulas, root: FormulaId) -> FormulaId {
    negation_normal(formulas, root, false)
}

fn negation_normal(formulas: &mut Formulas, root: FormulaId, polarity: bool) -> FormulaId {
    use Formula::*;
    // For each formula its normal form and that of its negation, children first.
    let mut forms: Table<FormulaId, Option<[FormulaId; 2]>> = Table::filled(None, formulas.len());
    for id in formulas.subformulas(root) {
        let formula = formulas.get(id);
        let of = |f: FormulaId| forms[f].expect("children come before their parents");
        let mut make = |f: Formula| formulas.make(f);
        let pair = match formula {
            True => [id, make(False)],
            False => [id, make(True)],
            Atom(_) => [id, make(Not(id))],
            Not(f) => {
                let [yes, no] = of(f);
                [no, yes]
            }
            And(f, g) => [make(And(of(f)[0], of(g)[0])), make(Or(of(f)[1], of(g)[1]))],
            Or(f, g) => [make(Or(of(f)[0], of(g)[0])), make(And(of(f)[1], of(g)[1]))],
            Implies(f, g) => [make(Or(of(f)[1], of(g)[0])), make(And(of(f)[0], of(g)[1]))],
            Iff(f, g) | Xor(f, g) => {
                let ([f, not_f], [g, not_g]) = (of(f), of(g));
                let (both, neither) = (make(And(f, g)), make(And(not_f, not_g)));
                let (left, right) = (make(And(f, not_g)), make(And(not_f, g)));
                let (same, differ) = (make(Or(both, neither)), make(Or(left, right)));
                if matches!(formula, Iff(..)) { [same, differ] } else { [differ, same] }
            }
            Exists(f) => [make(Exists(of(f)[0])), make(All(of(f)[1]))],
            All(f) => [make(All(of(f)[0])), make(Exists(of(f)[1]))],
            Next(f) => [make(Next(of(f)[0])), make(Next(of(f)[1]))],
            Finally(f) => [make(Finally(of(f)[0])), make(Globally(of(f)[1]))],
            Globally(f) => [make(Globally(of(f)[0])), make(Finally(of(f)[1]))],
            Until(f, g) => [make(Until(of(f)[0], of(g)[0])), make(Release(of(f)[1], of(g)[1]))],
            Release(f, g) => [make(Release(of(f)[0], of(g)[0])), make(Until(of(f)[1], of(g)[1]))],
            WeakUntil(f, g) => {
                // !(f W g) = !g U (!f & !g) = !f M !g
                [make(WeakUntil(of(f)[0], of(g)[0])), make(StrongRelease(of(f)[1], of(g)[1]))]
            }
            StrongRelease(f, g) => {
                [make(StrongRelease(of(f)[0], of(g)[0])), make(WeakUntil(of(f)[1], of(g)[1]))]
            }
        };
        forms[id] = Some(pair);
    }
    let [yes, no] = forms[root].expect("the root is its own subformula");
    if polarity { yes } else { no }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negation_reaches_the_propositions() {
        let mut fs = Formulas::new();
        let (p, q) = (fs.atom("p"), fs.atom("q"));
        let until = fs.make(Formula::Until(p, q));
        let g = fs.make(Formula::Globally(until));
        let all = fs.make(Formula::All(g));
        let negated = of_negation(&mut fs, all);
        assert_eq!(fs.show(negated).to_string(), "EF (!p R !q)");
        let weak = fs.make(Formula::WeakUntil(p, q));
        let negated = of_negation(&mut fs, weak);
        assert_eq!(fs.show(negated).to_string(), "!p M !q");
        let iff = fs.make(Formula::Iff(p, q));
        let normal = of(&mut fs, iff);
        assert_eq!(fs.show(normal).to_string(), "p & q | !p & !q");
    }
}

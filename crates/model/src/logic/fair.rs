//! Fairness as a matter of formulas: quantifiers that range over fair paths only.
//!
//! A path is fair if each of some state formulas holds on it again and again (`G F f`), and for
//! each of some pairs one holds again and again if the other does (`G F f -> G F g`). So "on some
//! fair path f" is `E (f & fair)`, and "on all fair paths f" is `A (fair -> f)`; where no path is
//! fair, the one is false and the other true. All quantifiers of a claim are meant so, and the one
//! that a claim in LTL leaves out. The fairness conditions themselves are taken as they are
//! written: their own quantifiers range over all paths, for a condition cannot ask for itself.

use super::rewrite::rebuild;
use super::{Formula, Formulas};
use crate::fairness::Fairness;
use crate::index::FormulaId;

/// The claim with all its quantifiers over the paths that are fair, as far as formulas can say so:
/// pairs that name edges are left out.
pub fn under(formulas: &mut Formulas, claim: FormulaId, fair: &[Fairness]) -> FormulaId {
    let mut is_fair: Option<FormulaId> = None;
    for condition in fair {
        let Some(condition) = condition.as_formula(formulas) else { continue };
        is_fair = Some(match is_fair {
            None => condition,
            Some(others) => formulas.make(Formula::And(others, condition)),
        });
    }
    let Some(is_fair) = is_fair else { return claim };
    let quantified =
        if formulas.is_state_formula(claim) { claim } else { formulas.make(Formula::All(claim)) };
    rebuild(formulas, quantified, |formulas, _, formula| match formula {
        Formula::Exists(path) => {
            let path = formulas.make(Formula::And(path, is_fair));
            formulas.make(Formula::Exists(path))
        }
        Formula::All(path) => {
            let path = formulas.make(Formula::Implies(is_fair, path));
            formulas.make(Formula::All(path))
        }
        _ => formulas.make(formula),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fairness::{Fairness::Justice, Pair};
    use crate::logic::Formula::*;

    #[test]
    fn every_quantifier_is_restricted() {
        let mut fs = Formulas::new();
        let (p, q) = (fs.atom("p"), fs.atom("q"));
        let some = fs.make(Globally(p));
        let some = fs.make(Exists(some));
        let all = fs.make(Finally(some));
        let all = fs.make(All(all));
        let fair = under(&mut fs, all, &[Justice(q)]);
        assert_eq!(fs.show(fair).to_string(), "A [G F q -> F E [G p & G F q]]");
    }

    #[test]
    fn what_ltl_leaves_out_is_restricted_too() {
        let mut fs = Formulas::new();
        let (p, q, r) = (fs.atom("p"), fs.atom("q"), fs.atom("r"));
        let claim = fs.make(Finally(p));
        let fair = under(&mut fs, claim, &[Justice(q), Justice(r)]);
        assert_eq!(fs.show(fair).to_string(), "A [G F q & G F r -> F p]");
    }

    #[test]
    fn pairs_are_conditions_too() {
        let mut fs = Formulas::new();
        let (p, q, r) = (fs.atom("p"), fs.atom("q"), fs.atom("r"));
        let pair = Pair { when: q.into(), then: r.into() }.into();
        let claim = fs.make(Finally(p));
        let fair = under(&mut fs, claim, &[Justice(p), pair]);
        assert_eq!(fs.show(fair).to_string(), "A [G F p & (G F q -> G F r) -> F p]");
    }

    #[test]
    fn states_and_conditions_are_left_alone() {
        let mut fs = Formulas::new();
        let (p, q) = (fs.atom("p"), fs.atom("q"));
        assert_eq!(under(&mut fs, p, &[Justice(q)]), p);
        let next = fs.make(Next(q));
        let condition = fs.make(Exists(next));
        let claim = fs.make(Exists(next));
        assert_eq!(under(&mut fs, claim, &[]), claim);
        let fair = under(&mut fs, claim, &[Justice(condition)]);
        assert_eq!(fs.show(fair).to_string(), "E [X q & G F EX q]");
    }

    #[test]
    fn depth_is_no_problem() {
        let mut fs = Formulas::new();
        let q = fs.atom("q");
        let mut claim = fs.atom("p");
        for _ in 0..100_000 {
            let next = fs.make(Next(claim));
            claim = fs.make(Exists(next));
        }
        let fair = under(&mut fs, claim, &[Justice(q)]);
        assert!(fs.subformulas(fair).len() > 300_000);
    }
}

//! Vacuity: parts of a claim that do not matter to its truth.
//!
//! If a claim still holds when a part of it is replaced by what makes the claim hardest to fulfil,
//! then that part has nothing to do with its truth. In `AG (p -> AF q)` the part `AF q` is such if
//! `AG !p` holds: p never happens, and the claim holds *vacuously*; and p is if `AG AF q` holds.
//! [`harder`] lists such claims, for both sides of `->`, `|`, `&`, `U`, `W` and `R` wherever they
//! stand.
//!
//! # Source
//! Beer, Ben-David, Eisner, Rodeh: Efficient detection of vacuity in temporal model checking
//! (2001); Kupferman, Vardi: Vacuity detection in temporal model checking (2003). An equal
//! subformula that stands in several places is replaced in all of them at once, and left alone if
//! some of them are negated and some not.

use super::{Formula, Formulas};
use crate::index::{FormulaId, Id, Table};
use Formula::*;

/// A claim that is harder to fulfil than another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Harder {
    /// The part of the other that does not matter if this one holds.
    pub part: FormulaId,
    /// The claim without that part.
    pub claim: FormulaId,
    /// If the part is what an implication demands: its premise, which is then never fulfilled.
    pub premise: Option<FormulaId>,
}

/// The claims that are got by leaving out one part of a claim, outermost first; at most `most`.
pub fn harder(formulas: &mut Formulas, claim: FormulaId, most: usize) -> Vec<Harder> {
    let subformulas = formulas.subformulas(claim);
    let polarity = polarities(formulas, &subformulas, claim);
    let mut found = Vec::new();
    for &id in subformulas.iter().rev() {
        let positive = match polarity[id] {
            [true, false] => true,
            [false, true] => false,
            _ => continue,
        };
        for (part, instead, premise) in without(formulas, id, positive).into_iter().flatten() {
            if found.len() == most {
                return found;
            }
            let claim = replaced(formulas, &subformulas, claim, (id, instead));
            found.push(Harder { part, claim, premise });
        }
    }
    found
}

/// For each subformula whether it stands somewhere under an even, and under an odd number of
/// negations.
fn polarities(
    formulas: &Formulas,
    subformulas: &[FormulaId],
    claim: FormulaId,
) -> Table<FormulaId, [bool; 2]> {
    let mut polarity = Table::filled([false; 2], claim.index() + 1);
    polarity[claim] = [true, false];
    // Parents come after their children, so they are met first.
    for &id in subformulas.iter().rev() {
        let [even, odd] = polarity[id];
        let mut stand = |f: FormulaId, [e, o]: [bool; 2]| {
            let [even, odd] = polarity[f];
            polarity[f] = [even || e, odd || o];
        };
        match formulas.get(id) {
            Not(f) => stand(f, [odd, even]),
            Implies(f, g) => {
                stand(f, [odd, even]);
                stand(g, [even, odd]);
            }
            Iff(f, g) | Xor(f, g) => {
                stand(f, [true; 2]);
                stand(g, [true; 2]);
            }
            formula => formula.operands().for_each(|f| stand(f, [even, odd])),
        }
    }
    polarity
}

/// A part, what is left of the whole without it, and the premise that made it matter, if there is
/// one.
type Without = (FormulaId, FormulaId, Option<FormulaId>);

/// What is left of a formula without one of its operands: stronger if it stands under an even
/// number of negations, otherwise weaker.
fn without(formulas: &mut Formulas, id: FormulaId, positive: bool) -> [Option<Without>; 2] {
    match (formulas.get(id), positive) {
        (Implies(f, g), true) => {
            let never = formulas.make(Not(f));
            [Some((g, never, Some(f))), Some((f, g, None))]
        }
        (Or(f, g), true) | (And(f, g), false) => [Some((g, f, None)), Some((f, g, None))],
        (Until(f, g), true) => [Some((f, g, None)), None],
        (Until(f, g), false) => {
            let later = formulas.make(Finally(g));
            [Some((f, later, None)), None]
        }
        (WeakUntil(f, g), true) => {
            let always = formulas.make(Globally(f));
            [Some((g, always, None)), Some((f, g, None))]
        }
        (Release(f, g), true) => {
            let always = formulas.make(Globally(g));
            [Some((f, always, None)), None]
        }
        _ => [None, None],
    }
}

/// The claim with one subformula replaced by another.
fn replaced(
    formulas: &mut Formulas,
    subformulas: &[FormulaId],
    claim: FormulaId,
    (old, new): (FormulaId, FormulaId),
) -> FormulaId {
    let mut now: Table<FormulaId, FormulaId> = Table::filled(claim, claim.index() + 1);
    for &id in subformulas {
        now[id] = if id == old {
            new
        } else {
            let of = |f: FormulaId| now[f];
            let formula = match formulas.get(id) {
                // Without its path a quantifier has nothing to say.
                Exists(f) | All(f) if formulas.is_state_formula(of(f)) => formulas.get(of(f)),
                formula => formula.with_operands(of),
            };
            formulas.make(formula)
        };
    }
    now[claim]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(build: impl FnOnce(&mut Formulas) -> FormulaId) -> Vec<String> {
        let mut fs = Formulas::new();
        let claim = build(&mut fs);
        let found = harder(&mut fs, claim, 10);
        let show = |harder: &Harder| {
            let word = if harder.premise.is_some() { "vacuous" } else { "without" };
            format!("{word} {}: {}", fs.show(harder.part), fs.show(harder.claim))
        };
        found.iter().map(show).collect()
    }

    #[test]
    fn both_sides_of_an_implication_may_not_matter() {
        let found = shown(|fs| {
            let (p, q, r) = (fs.atom("p"), fs.atom("q"), fs.atom("r"));
            let later = fs.make(Finally(q));
            let later = fs.make(All(later));
            let premise = fs.make(And(p, r));
            let implies = fs.make(Implies(premise, later));
            let always = fs.make(Globally(implies));
            fs.make(All(always))
        });
        assert_eq!(
            found,
            [
                "vacuous AF q: AG !(p & r)",
                "without p & r: AG AF q",
                "without r: AG (p -> AF q)",
                "without p: AG (r -> AF q)",
            ]
        );
    }

    #[test]
    fn an_until_may_need_no_path() {
        let found = shown(|fs| {
            let (p, q) = (fs.atom("p"), fs.atom("q"));
            let until = fs.make(Until(p, q));
            fs.make(All(until))
        });
        assert_eq!(found, ["without p: q"]);
    }

    #[test]
    fn what_stands_on_both_sides_of_a_negation_is_left_alone() {
        let found = shown(|fs| {
            let (p, q, r) = (fs.atom("p"), fs.atom("q"), fs.atom("r"));
            let or = fs.make(Or(p, q));
            let iff = fs.make(Iff(or, r));
            let always = fs.make(Globally(iff));
            fs.make(All(always))
        });
        assert!(found.is_empty(), "{found:?}");
    }
}

//! Interesting witnesses: what a run looks like on which a universal claim has something to say.
//!
//! That `AG (p -> AF q)` holds, no single run can show. But a run that comes to p, and from there
//! to q, is an example of what the claim is about, and if there is none, the claim holds for want
//! of cases. [`example`] makes an existential formula of a claim whose run is such an example:
//! ```text
//! f -> g       f, and an example of g           (likewise for f | g and !(f & g), if one speaks of
//!                                                 the state alone and the other does not)
//! A G f        an example of f is reached; if f speaks of the state alone, a run that stays in f
//! A F f        an example of f is reached
//! A X f        an example of f comes next
//! A [f U g]    f holds, not yet g, and goes on until an example of g; or is not needed at all
//! A [f W g]    the same, or f for ever
//! A [f R g]    g holds up to where f does, or for ever
//! ```
//! and the same for what is negated. What says `E` already is its own example. Path formulas
//! without quantifiers, which speak of all paths, are treated in the same way.
//!
//! # Source
//! Beer, Ben-David, Eisner, Rodeh: Efficient detection of vacuity in temporal model checking
//! (2001), whose interesting witnesses are counterexamples to a claim without its premise. We make
//! the formula directly.

use super::{Formula, Formulas};
use crate::index::{FormulaId, Id, Table};
use Formula::*;
use rustc_hash::FxHashSet;

/// An existential formula by which a claim that holds can be illustrated; `None` if the claim is
/// existential itself, or speaks of a single state.
pub fn example(formulas: &mut Formulas, claim: FormulaId) -> Option<FormulaId> {
    if !is_universal(formulas, claim) {
        return None;
    }
    let propositional = Table::filled(false, claim.index() + 1);
    let mut maker = Maker { formulas, propositional };
    // For each subformula: its example and that of its negation.
    let mut examples: Table<FormulaId, Pair> = Table::filled([None; 2], claim.index() + 1);
    for id in maker.formulas.subformulas(claim) {
        let formula = maker.formulas.get(id);
        maker.propositional[id] = !formula.is_temporal()
            && !formula.is_quantifier()
            && formula.operands().all(|f| maker.propositional[f]);
        examples[id] = maker.examples(id, |f| examples[f]);
    }
    examples[claim][0]
}

/// Whether some part that the claim needs speaks of all paths.
fn is_universal(formulas: &Formulas, claim: FormulaId) -> bool {
    let mut seen: FxHashSet<(FormulaId, bool)> = FxHashSet::default();
    let mut waiting = vec![(claim, true)];
    while let Some((f, positive)) = waiting.pop() {
        if !seen.insert((f, positive)) {
            continue;
        }
        match formulas.get(f) {
            All(_) if positive => return true,
            Exists(_) if !positive => return true,
            Not(g) => waiting.push((g, !positive)),
            And(g, h) | Or(g, h) => waiting.extend([(g, positive), (h, positive)]),
            Implies(_, h) => waiting.push((h, positive)),
            formula if formula.is_temporal() => return true,
            _ => {}
        }
    }
    false
}

struct Maker<'f> {
    formulas: &'f mut Formulas,
    /// Whether the truth of a subformula of the claim hangs on the labels of one state.
    propositional: Table<FormulaId, bool>,
}

type Pair = [Option<FormulaId>; 2];

impl Maker<'_> {
    fn make(&mut self, formula: Formula) -> FormulaId {
        self.formulas.make(formula)
    }

    fn not(&mut self, f: FormulaId) -> FormulaId {
        match self.formulas.get(f) {
            Not(g) => g,
            _ => self.make(Not(f)),
        }
    }

    fn exists(&mut self, path: Formula) -> FormulaId {
        let path = self.make(path);
        self.make(Exists(path))
    }

    /// The examples of a formula and of its negation, given those of the operands.
    fn examples(&mut self, id: FormulaId, of: impl Fn(FormulaId) -> Pair) -> Pair {
        let formula = self.formulas.get(id);
        let itself = |maker: &mut Self| [Some(id), Some(maker.not(id))];
        match formula {
            True | False | Atom(_) => itself(self),
            Not(f) => [of(f)[1], of(f)[0]],
            And(f, g) => {
                let ([f_too, not_f], [g_too, not_g]) = (of(f), of(g));
                [self.both(f_too, g_too), self.either((f, not_f), (g, not_g), true)]
            }
            Or(f, g) => {
                let ([f_too, not_f], [g_too, not_g]) = (of(f), of(g));
                [self.either((f, f_too), (g, g_too), false), self.both(not_f, not_g)]
            }
            Implies(f, g) => {
                let premise = if self.formulas.is_state_formula(f) { Some(f) } else { of(f)[0] };
                [self.both(premise, of(g)[0]), self.both(premise, of(g)[1])]
            }
            Iff(..) | Xor(..) if self.formulas.is_state_formula(id) => itself(self),
            Iff(..) | Xor(..) => [None; 2],
            // `E` is its own example; `!E f` is `A !f`, and the quantifier is that of the example
            // of !f.
            Exists(f) => [Some(id), of(f)[1]],
            All(f) => [of(f)[0], Some(self.not(id))],
            Next(f) => of(f).map(|f| f.map(|f| self.exists(Next(f)))),
            Finally(f) => {
                let not_f = self.not(f);
                let reached = self.sometime(of(f)[0]);
                let state = self.propositional[f];
                [reached, if state { self.for_ever(not_f) } else { self.sometime(of(f)[1]) }]
            }
            Globally(f) => {
                let state = self.propositional[f] && !matches!(self.formulas.get(f), Implies(..));
                let example = if state { self.for_ever(f) } else { self.sometime(of(f)[0]) };
                [example, self.sometime(of(f)[1])]
            }
            // `!` turns U into R and W into M, with negated operands.
            Until(f, g) => {
                let (not_f, not_g) = (self.not(f), self.not(g));
                [self.until(f, g, of(g)[0]), self.release(not_f, not_g, true)]
            }
            WeakUntil(f, g) => {
                let (not_f, not_g) = (self.not(f), self.not(g));
                let (until, for_ever) = (self.until(f, g, of(g)[0]), self.for_ever(f));
                [self.or(until, for_ever), self.release(not_f, not_g, false)]
            }
            Release(f, g) => {
                let (not_f, not_g) = (self.not(f), self.not(g));
                [self.release(f, g, true), self.until(not_f, not_g, of(g)[1])]
            }
            StrongRelease(f, g) => {
                let (not_f, not_g) = (self.not(f), self.not(g));
                let (until, for_ever) = (self.until(not_f, not_g, of(g)[1]), self.for_ever(not_f));
                [self.release(f, g, false), self.or(until, for_ever)]
            }
        }
    }

    fn both(&mut self, f: Option<FormulaId>, g: Option<FormulaId>) -> Option<FormulaId> {
        Some(self.make(And(f?, g?)))
    }

    fn or(&mut self, f: Option<FormulaId>, g: Option<FormulaId>) -> Option<FormulaId> {
        match (f, g) {
            (Some(f), Some(g)) => Some(self.make(Or(f, g))),
            (one, other) => one.or(other),
        }
    }

    /// One of two, or, if `negated`, the negation of one of two; each with the example of that. If
    /// one of them is a matter of the state alone, the other is what is interesting where that one
    /// does not settle it.
    fn either(
        &mut self,
        (f, f_too): (FormulaId, Option<FormulaId>),
        (g, g_too): (FormulaId, Option<FormulaId>),
        negated: bool,
    ) -> Option<FormulaId> {
        let (settled, too) = match (self.propositional[f], self.propositional[g]) {
            (true, false) => (f, g_too),
            (false, true) => (g, f_too),
            _ => return self.or(f_too, g_too),
        };
        let unsettled = if negated { settled } else { self.not(settled) };
        self.both(Some(unsettled), too)
    }

    fn sometime(&mut self, f: Option<FormulaId>) -> Option<FormulaId> {
        // `EF EF f` is `EF f`.
        match self.formulas.get(f?) {
            Exists(path) if matches!(self.formulas.get(path), Finally(_)) => f,
            _ => Some(self.exists(Finally(f?))),
        }
    }

    fn for_ever(&mut self, f: FormulaId) -> Option<FormulaId> {
        self.formulas.is_state_formula(f).then(|| self.exists(Globally(f)))
    }

    /// An example of `A [f U g]`, given one of g: at best f is needed.
    fn until(&mut self, f: FormulaId, g: FormulaId, too: Option<FormulaId>) -> Option<FormulaId> {
        let too = too?;
        if !self.formulas.is_state_formula(f) {
            return self.sometime(Some(too));
        }
        let until = self.exists(Until(f, too));
        if !self.formulas.is_state_formula(g) {
            return Some(until);
        }
        let not_yet = self.not(g);
        let needed = self.make(And(f, not_yet));
        let needed = self.make(And(needed, until));
        Some(self.make(Or(needed, until)))
    }

    /// An example of `A [f M g]`, or if `weak` of `A [f R g]`.
    fn release(&mut self, f: FormulaId, g: FormulaId, weak: bool) -> Option<FormulaId> {
        if !self.formulas.is_state_formula(f) || !self.formulas.is_state_formula(g) {
            return None;
        }
        let both = self.make(And(f, g));
        let released = self.exists(Until(g, both));
        let for_ever = if weak { self.for_ever(g) } else { None };
        self.or(Some(released), for_ever)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of a claim over p and q.
    fn shown(build: impl FnOnce(&mut Formulas, FormulaId, FormulaId) -> FormulaId) -> String {
        let mut fs = Formulas::new();
        let (p, q) = (fs.atom("p"), fs.atom("q"));
        let claim = build(&mut fs, p, q);
        example(&mut fs, claim).map_or("none".into(), |id| fs.show(id).to_string())
    }

    fn path(fs: &mut Formulas, quantifier: fn(FormulaId) -> Formula, path: Formula) -> FormulaId {
        let path = fs.make(path);
        fs.make(quantifier(path))
    }

    #[test]
    fn responses_are_answered() {
        let ctl = shown(|fs, p, q| {
            let later = path(fs, All, Finally(q));
            let answered = fs.make(Implies(p, later));
            path(fs, All, Globally(answered))
        });
        assert_eq!(ctl, "EF (p & EF q)");
        let ltl = shown(|fs, p, q| {
            let later = fs.make(Finally(q));
            let answered = fs.make(Implies(p, later));
            fs.make(Globally(answered))
        });
        assert_eq!(ltl, ctl);
        let negated = shown(|fs, p, q| {
            let not_q = fs.make(Not(q));
            let never = path(fs, Exists, Globally(not_q));
            let bad = fs.make(And(p, never));
            let reached = path(fs, Exists, Finally(bad));
            fs.make(Not(reached))
        });
        assert_eq!(negated, ctl);
    }

    #[test]
    fn each_operator_has_its_example() {
        assert_eq!(shown(|fs, p, _| path(fs, All, Globally(p))), "EG p");
        assert_eq!(shown(|fs, p, _| path(fs, All, Finally(p))), "EF p");
        assert_eq!(shown(|fs, p, _| path(fs, All, Next(p))), "EX p");
        let until = shown(|fs, p, q| path(fs, All, Until(p, q)));
        assert_eq!(until, "p & !q & E [p U q] | E [p U q]");
        let weak = shown(|fs, p, q| path(fs, All, WeakUntil(p, q)));
        assert_eq!(weak, "p & !q & E [p U q] | E [p U q] | EG p");
        let release = shown(|fs, p, q| path(fs, All, Release(p, q)));
        assert_eq!(release, "E [q U (p & q)] | EG q");
        let implication = shown(|fs, p, q| {
            let implies = fs.make(Implies(p, q));
            path(fs, All, Globally(implies))
        });
        assert_eq!(implication, "EF (p & q)");
    }

    #[test]
    fn what_a_run_shows_already_needs_none() {
        assert_eq!(shown(|fs, p, _| path(fs, Exists, Finally(p))), "none");
        assert_eq!(shown(|fs, p, q| fs.make(Implies(p, q))), "none");
        let can = shown(|fs, p, q| {
            let can = path(fs, Exists, Finally(q));
            fs.make(Implies(p, can))
        });
        assert_eq!(can, "none");
    }
}

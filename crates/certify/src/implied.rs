//! Claims of CTL that stand for claims beyond CTL in evidence.
//!
//! [`check`] lets evidence be about a claim of CTL in place of the claim itself, if that one is
//! beyond CTL: about one that implies it, if it is to hold, and about one that it implies, if it is
//! to fail. Which claim that is, is fixed here.
//!
//! # The law
//! For each formula f of paths there are formulas of CTL `all(f)`, which gives f on every path from
//! a state, and `some(f)`, which gives it on one, by induction:
//! ```text
//! all(f & g) = all(f) & all(g)              some(f & g) = some(f) & all(g) | all(f) & some(g)
//! all(f | g) = all(f) | all(g)              some(f | g) = some(f) | some(g)
//! all(X f)   = AX all(f)                    some(X f)   = EX some(f)
//! all(F f)   = AF all(f)                    some(F f)   = EF some(f)
//! all(G f)   = AG all(f)                    some(G f)   = EG all(f)
//! all(f U g) = A [all(f) U all(g)]          some(f U g) = E [all(f) U some(g)]     likewise W
//! all(E f)   = some(E f) = some(f)          all(A f)    = some(A f) = all(f)
//! ```
//! A path to a state with `some(g)` goes on as a path that has g, and `all` of states before it is
//! true on that path as on any other. `some(G F f)` is `EF EG all(F f)`: what comes again and again
//! does not depend on how a path begins. `f R g` is `g W (f & g)`, `f M g` is `g U (f & g)`, and a
//! negation is the dual operator of negations. `F G f | G F g` is on all paths also where
//! `AG (all(f) | AF all(g))` is true: if f is false again and again, g comes again and again.

use crate::reading;
use crate::refusal::Stopped;
use std::collections::BTreeMap;
use tern_model::budget::Meter;
use tern_model::logic::ctl::Program;
use tern_model::{Budget, Formula, FormulaId, Formulas};

/// Checks that a program means a claim, or, if that is beyond CTL, one that implies it or is
/// implied by it, for a claim that is to hold or to fail.
///
/// # Errors
/// What is wrong with it, or the limit that was reached.
pub fn check(
    (formulas, claim): (&Formulas, FormulaId),
    holds: bool,
    program: &Program,
    budget: &Budget,
) -> Result<(), Stopped> {
    if reading::is_ctl(formulas, claim, budget)? {
        return reading::check(formulas, claim, program, budget);
    }
    let (mut formulas, mut meter) = (formulas.clone(), Meter::new(budget));
    let mut law = Law { made: BTreeMap::new() };
    for id in formulas.subformulas(claim) {
        meter.tick()?;
        for is_negated in [false, true] {
            for reach in [Reach::All, Reach::Some] {
                let formula = law.formula(&mut formulas, id, is_negated, reach);
                law.made.insert((id, is_negated, reach), formula);
            }
        }
    }
    let instead = match holds {
        true => law.of((claim, false), Reach::All),
        false => {
            let wrong = law.of((claim, true), Reach::Some);
            formulas.make(Formula::Not(wrong))
        }
    };
    reading::check(&formulas, instead, program, budget)
}

/// On which paths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    All,
    Some,
}

/// A formula, or its negation.
type Signed = (FormulaId, bool);

/// What is said in CTL of formulas and their negations.
struct Law {
    made: BTreeMap<(FormulaId, bool, Reach), FormulaId>,
}

/// `left & right`, and `left | right`.
fn connect(formulas: &mut Formulas, is_and: bool, left: FormulaId, right: FormulaId) -> FormulaId {
    formulas.make(if is_and { Formula::And(left, right) } else { Formula::Or(left, right) })
}

fn quantified(formulas: &mut Formulas, reach: Reach, path: Formula) -> FormulaId {
    let path = formulas.make(path);
    formulas.make(match reach {
        Reach::All => Formula::All(path),
        Reach::Some => Formula::Exists(path),
    })
}

/// What is under `F` on a path, if the formula says so; with `G`, what is under `G`.
fn under(formulas: &Formulas, (mut id, mut no): Signed, is_always: bool) -> Option<Signed> {
    while let Formula::Not(f) = formulas.get(id) {
        (id, no) = (f, !no);
    }
    match formulas.get(id) {
        Formula::Finally(f) if no == is_always => Some((f, no)),
        Formula::Globally(f) if no != is_always => Some((f, no)),
        _ => None,
    }
}

/// The operands of `F G f` and `G F g`, if these are the two.
fn settled(formulas: &Formulas, last: Signed, again: Signed) -> Option<(Signed, Signed)> {
    let last = under(formulas, under(formulas, last, false)?, true)?;
    let again = under(formulas, under(formulas, again, true)?, false)?;
    Some((last, again))
}

impl Law {
    fn of(&self, (id, is_negated): Signed, reach: Reach) -> FormulaId {
        self.made[&(id, is_negated, reach)]
    }

    fn formula(&self, all: &mut Formulas, id: FormulaId, no: bool, reach: Reach) -> FormulaId {
        let plain = |f: FormulaId| (f, no);
        let path = |formulas: &mut Formulas, path| quantified(formulas, reach, path);
        match all.get(id) {
            Formula::True | Formula::False | Formula::Atom(_) if no => all.make(Formula::Not(id)),
            Formula::True | Formula::False | Formula::Atom(_) => id,
            Formula::Not(f) => self.of((f, !no), reach),
            Formula::And(f, g) => self.connected(all, !no, (plain(f), plain(g)), reach),
            Formula::Or(f, g) => self.connected(all, no, (plain(f), plain(g)), reach),
            Formula::Implies(f, g) => self.connected(all, no, ((f, !no), plain(g)), reach),
            Formula::Iff(f, g) => self.same(all, (f, false), (g, no), reach),
            Formula::Xor(f, g) => self.same(all, (f, false), (g, !no), reach),
            Formula::Exists(f) if no => self.of((f, true), Reach::All),
            Formula::Exists(f) => self.of((f, false), Reach::Some),
            Formula::All(f) if no => self.of((f, true), Reach::Some),
            Formula::All(f) => self.of((f, false), Reach::All),
            Formula::Next(f) => path(all, Formula::Next(self.of(plain(f), reach))),
            Formula::Finally(f) if !no => path(all, Formula::Finally(self.of(plain(f), reach))),
            Formula::Globally(f) if no => path(all, Formula::Finally(self.of(plain(f), reach))),
            Formula::Finally(f) => {
                let again = matches!(all.get(f), Formula::Globally(_));
                self.lasting(all, plain(f), again, reach)
            }
            Formula::Globally(f) => {
                let again = matches!(all.get(f), Formula::Finally(_));
                self.lasting(all, plain(f), again, reach)
            }
            Formula::Until(f, g) if !no => {
                let last = self.of(plain(g), reach);
                path(all, Formula::Until(self.of(plain(f), Reach::All), last))
            }
            Formula::Release(f, g) if no => {
                let last = self.of(plain(g), reach);
                path(all, Formula::Until(self.of(plain(f), Reach::All), last))
            }
            Formula::WeakUntil(f, g) if !no => {
                let last = self.of(plain(g), reach);
                path(all, Formula::WeakUntil(self.of(plain(f), Reach::All), last))
            }
            Formula::StrongRelease(f, g) if no => {
                let last = self.of(plain(g), reach);
                path(all, Formula::WeakUntil(self.of(plain(f), Reach::All), last))
            }
            Formula::Until(f, g) | Formula::Release(f, g) => {
                let last = self.connected(all, true, (plain(f), plain(g)), reach);
                path(all, Formula::WeakUntil(self.of(plain(g), Reach::All), last))
            }
            Formula::WeakUntil(f, g) | Formula::StrongRelease(f, g) => {
                let last = self.connected(all, true, (plain(f), plain(g)), reach);
                path(all, Formula::Until(self.of(plain(g), Reach::All), last))
            }
        }
    }

    /// `f & g`, or `f | g`, on one path.
    fn connected(
        &self,
        formulas: &mut Formulas,
        is_and: bool,
        (f, g): (Signed, Signed),
        reach: Reach,
    ) -> FormulaId {
        if !is_and || reach == Reach::All {
            let plain = connect(formulas, is_and, self.of(f, reach), self.of(g, reach));
            let settled = settled(formulas, f, g).or_else(|| settled(formulas, g, f));
            let Some((last, again)) = settled.filter(|_| !is_and && reach == Reach::All) else {
                return plain;
            };
            let again = Formula::Finally(self.of(again, Reach::All));
            let again = quantified(formulas, Reach::All, again);
            let either = connect(formulas, false, self.of(last, Reach::All), again);
            let always = quantified(formulas, Reach::All, Formula::Globally(either));
            return connect(formulas, false, plain, always);
        }
        let left = connect(formulas, true, self.of(f, Reach::Some), self.of(g, Reach::All));
        let right = connect(formulas, true, self.of(f, Reach::All), self.of(g, Reach::Some));
        connect(formulas, false, left, right)
    }

    /// That two formulas are both true, or both false.
    fn same(&self, formulas: &mut Formulas, f: Signed, g: Signed, reach: Reach) -> FormulaId {
        let not = |(id, is_negated): Signed| (id, !is_negated);
        let both = self.connected(formulas, true, (f, g), reach);
        let neither = self.connected(formulas, true, (not(f), not(g)), reach);
        connect(formulas, false, both, neither)
    }

    /// `G f`; `again` if f is that something will be so.
    fn lasting(&self, formulas: &mut Formulas, f: Signed, again: bool, reach: Reach) -> FormulaId {
        let always = Formula::Globally(self.of(f, Reach::All));
        let always = quantified(formulas, reach, always);
        match again && reach == Reach::Some {
            true => quantified(formulas, reach, Formula::Finally(always)),
            false => always,
        }
    }
}

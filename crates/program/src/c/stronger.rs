//! Claims of CTL that imply a claim beyond CTL.
//!
//! For each part `f` of a claim, and for its negation, two formulas of CTL are made: one that
//! implies that *all* paths from here have `f`, and one that implies that *some* path has. Bottom
//! up: what is said of the rest of a path is said of all paths from there, so that it is true of
//! the one at hand as well. `F G p` is implied by `AF AG p`, and its negation by `EF EG AF !p`.
//! Where neither is true nothing is known. `G F p -> G F q` is implied by `AG (p -> AF q)` as well.
//!
//! # Why it is sound
//! By induction: `all(f)` in a state gives `f` on every path from there. `E [all(f) U some(g)]`
//! gives a path to a state with `some(g)`, and so on along a path that has `g`; the states before
//! have `f` on all paths, thus on this one. The other operators are alike. That something comes
//! again and again does not depend on how a path begins, which is where `EF` comes from.

use std::collections::BTreeMap;
use tern_model::{Formula, FormulaId, Formulas};

/// What implies a formula on all paths, and on some path.
#[derive(Clone, Copy)]
struct Sure {
    all: FormulaId,
    some: FormulaId,
}

/// For a formula and for its negation.
#[derive(Clone, Copy)]
struct Both {
    yes: Sure,
    no: Sure,
}

/// A claim of CTL that implies the claim, and one that the claim implies: if that fails, the claim
/// fails as well.
pub fn around(formulas: &mut Formulas, claim: FormulaId) -> (FormulaId, FormulaId) {
    let mut known: BTreeMap<FormulaId, Both> = BTreeMap::new();
    for id in formulas.subformulas(claim) {
        let both = Maker { formulas }.both(id, &known);
        known.insert(id, both);
    }
    let Both { yes, no } = known[&claim];
    (yes.all, formulas.make(Formula::Not(no.some)))
}

struct Maker<'a> {
    formulas: &'a mut Formulas,
}

impl Maker<'_> {
    fn and(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        self.formulas.make(Formula::And(f, g))
    }

    fn or(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        self.formulas.make(Formula::Or(f, g))
    }

    fn all(&mut self, path: Formula) -> FormulaId {
        let path = self.formulas.make(path);
        self.formulas.make(Formula::All(path))
    }

    fn some(&mut self, path: Formula) -> FormulaId {
        let path = self.formulas.make(path);
        self.formulas.make(Formula::Exists(path))
    }

    /// Two formulas on one path.
    fn joined(&mut self, f: Sure, g: Sure) -> Sure {
        let all = self.and(f.all, g.all);
        let (left, right) = (self.and(f.some, g.all), self.and(f.all, g.some));
        let some = self.or(left, right);
        Sure { all, some }
    }

    /// One of two formulas on one path.
    fn either(&mut self, f: Sure, g: Sure) -> Sure {
        Sure { all: self.or(f.all, g.all), some: self.or(f.some, g.some) }
    }

    fn next(&mut self, f: Sure) -> Sure {
        Sure { all: self.all(Formula::Next(f.all)), some: self.some(Formula::Next(f.some)) }
    }

    fn finally(&mut self, f: Sure) -> Sure {
        Sure { all: self.all(Formula::Finally(f.all)), some: self.some(Formula::Finally(f.some)) }
    }

    /// `is_recurrent` if what is always so is that something will be so.
    fn globally(&mut self, f: Sure, is_recurrent: bool) -> Sure {
        let mut some = self.some(Formula::Globally(f.all));
        if is_recurrent {
            some = self.some(Formula::Finally(some));
        }
        Sure { all: self.all(Formula::Globally(f.all)), some }
    }

    fn until(&mut self, f: Sure, g: Sure) -> Sure {
        let all = self.all(Formula::Until(f.all, g.all));
        Sure { all, some: self.some(Formula::Until(f.all, g.some)) }
    }

    fn weak_until(&mut self, f: Sure, g: Sure) -> Sure {
        let all = self.all(Formula::WeakUntil(f.all, g.all));
        Sure { all, some: self.some(Formula::WeakUntil(f.all, g.some)) }
    }

    /// `f R g` is `g W (f & g)`.
    fn release(&mut self, f: Sure, g: Sure) -> Sure {
        let both = self.joined(f, g);
        self.weak_until(g, both)
    }

    /// `f M g` is `g U (f & g)`.
    fn strong_release(&mut self, f: Sure, g: Sure) -> Sure {
        let both = self.joined(f, g);
        self.until(g, both)
    }

    fn both(&mut self, id: FormulaId, known: &BTreeMap<FormulaId, Both>) -> Both {
        let plain = |yes: FormulaId, no: FormulaId| Both {
            yes: Sure { all: yes, some: yes },
            no: Sure { all: no, some: no },
        };
        let of = |part: FormulaId| known[&part];
        match self.formulas.get(id) {
            Formula::True | Formula::False | Formula::Atom(_) => {
                plain(id, self.formulas.make(Formula::Not(id)))
            }
            Formula::Not(f) => Both { yes: of(f).no, no: of(f).yes },
            Formula::And(f, g) => {
                let no = self.either(of(f).no, of(g).no);
                let no = self.settling(no, [(f, true), (g, true)], known);
                Both { yes: self.joined(of(f).yes, of(g).yes), no }
            }
            Formula::Or(f, g) => {
                let yes = self.either(of(f).yes, of(g).yes);
                let yes = self.settling(yes, [(f, false), (g, false)], known);
                Both { yes, no: self.joined(of(f).no, of(g).no) }
            }
            Formula::Implies(f, g) => {
                let yes = self.either(of(f).no, of(g).yes);
                let yes = self.settling(yes, [(f, true), (g, false)], known);
                Both { yes, no: self.joined(of(f).yes, of(g).no) }
            }
            Formula::Iff(f, g) => self.same(of(f), of(g)),
            Formula::Xor(f, g) => {
                let Both { yes, no } = self.same(of(f), of(g));
                Both { yes: no, no: yes }
            }
            Formula::Exists(f) => plain(of(f).yes.some, of(f).no.all),
            Formula::All(f) => plain(of(f).yes.all, of(f).no.some),
            Formula::Next(f) => Both { yes: self.next(of(f).yes), no: self.next(of(f).no) },
            Formula::Finally(f) => {
                let is_recurrent = matches!(self.formulas.get(f), Formula::Globally(_));
                let no = self.globally(of(f).no, is_recurrent);
                Both { yes: self.finally(of(f).yes), no }
            }
            Formula::Globally(f) => {
                let is_recurrent = matches!(self.formulas.get(f), Formula::Finally(_));
                let yes = self.globally(of(f).yes, is_recurrent);
                Both { yes, no: self.finally(of(f).no) }
            }
            Formula::Until(f, g) => {
                Both { yes: self.until(of(f).yes, of(g).yes), no: self.release(of(f).no, of(g).no) }
            }
            Formula::Release(f, g) => {
                Both { yes: self.release(of(f).yes, of(g).yes), no: self.until(of(f).no, of(g).no) }
            }
            Formula::WeakUntil(f, g) => Both {
                yes: self.weak_until(of(f).yes, of(g).yes),
                no: self.strong_release(of(f).no, of(g).no),
            },
            Formula::StrongRelease(f, g) => Both {
                yes: self.strong_release(of(f).yes, of(g).yes),
                no: self.weak_until(of(f).no, of(g).no),
            },
        }
    }

    /// What is under `F`, or with `is_always` under `G`, of a formula or its negation.
    fn under(&self, of: (FormulaId, bool), is_always: bool) -> Option<(FormulaId, bool)> {
        let (mut id, mut is_negated) = of;
        loop {
            return match self.formulas.get(id) {
                Formula::Not(f) => {
                    (id, is_negated) = (f, !is_negated);
                    continue;
                }
                Formula::Finally(f) if is_negated == is_always => Some((f, is_negated)),
                Formula::Globally(f) if is_negated != is_always => Some((f, is_negated)),
                _ => None,
            };
        }
    }

    /// One of two formulas, of which one may be `F G a` and the other `G F b`: then it is also
    /// implied by `AG (a | AF b)`, for b comes again and again if a is false again and again.
    fn settling(
        &mut self,
        either: Sure,
        [f, g]: [(FormulaId, bool); 2],
        known: &BTreeMap<FormulaId, Both>,
    ) -> Sure {
        let settled = |last, again| {
            let last = self.under(self.under(last, false)?, true)?;
            Some((last, self.under(self.under(again, true)?, false)?))
        };
        let Some((last, again)) = settled(f, g).or_else(|| settled(g, f)) else { return either };
        let all = |(id, is_negated): (FormulaId, bool)| match is_negated {
            true => known[&id].no.all,
            false => known[&id].yes.all,
        };
        let again = self.all(Formula::Finally(all(again)));
        let settled = self.or(all(last), again);
        let settled = self.all(Formula::Globally(settled));
        Sure { all: self.or(either.all, settled), ..either }
    }

    /// Both true, or both false; and one of each.
    fn same(&mut self, f: Both, g: Both) -> Both {
        let (true_, false_) = (self.joined(f.yes, g.yes), self.joined(f.no, g.no));
        let (first, second) = (self.joined(f.yes, g.no), self.joined(f.no, g.yes));
        Both { yes: self.either(true_, false_), no: self.either(first, second) }
    }
}

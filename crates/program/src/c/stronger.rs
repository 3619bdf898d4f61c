//! Claims of CTL that imply a claim beyond CTL.
//!
//! For each part `f` of a claim, and for its negation, two formulas of CTL are made: one that
//! implies that *all* paths from here have `f`, and one that implies that *some* path has. Bottom
//! up: what is said of the rest of a path is said of all paths from there, so that it is true of
//! the one at hand as well. `F G p` is implied by `AF AG p`, and its negation by `EF EG AF !p`.
//! Where neither is true nothing is known. More is said of what comes again and again, also where
//! one of several things does: `G F p -> G F q` is implied by `AG (p -> AF q)` as well, `G F p | F
//! q` by `AG AF (p | q)`, and that some path has `G F p & G F q` by `EF AG (EF p & EF q)`.
//!
//! # Why it is sound
//! By induction: `all(f)` in a state gives `f` on every path from there. `E [all(f) U some(g)]`
//! gives a path to a state with `some(g)`, and so on along a path that has `g`; the states before
//! have `f` on all paths, thus on this one. The other operators are alike. That something comes
//! again and again does not depend on how a path begins, which is where `EF` comes from. If one of
//! some comes again and again, one and the same of them does. `tern_certify::implied` has the law.

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

    /// `again` is what will be so, if what is always so is that something will be so.
    fn globally(&mut self, f: Sure, again: Option<FormulaId>) -> Sure {
        let mut some = self.some(Formula::Globally(f.all));
        if let Some(again) = again {
            some = self.some(Formula::Finally(some));
            let in_turn = self.in_turn(&[again]);
            some = self.or(some, in_turn);
        }
        Sure { all: self.all(Formula::Globally(f.all)), some }
    }

    /// That each of some can be reached from everywhere, once something is reached.
    fn in_turn(&mut self, again: &[FormulaId]) -> FormulaId {
        let each: Vec<FormulaId> =
            again.iter().map(|&it| self.some(Formula::Finally(it))).collect();
        let each = self.chain(&each, true);
        let everywhere = self.all(Formula::Globally(each));
        self.some(Formula::Finally(everywhere))
    }

    /// All of these, or one of them; there is one at least.
    fn chain(&mut self, of: &[FormulaId], is_and: bool) -> FormulaId {
        let mut chain = of[0];
        for &next in &of[1..] {
            chain = if is_and { self.and(chain, next) } else { self.or(chain, next) };
        }
        chain
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
                let (yes, no) = ([(f, false), (g, false)], [(f, true), (g, true)]);
                Both { yes: self.joined_on(yes, known), no: self.either_on(no, known) }
            }
            Formula::Or(f, g) => {
                let (yes, no) = ([(f, false), (g, false)], [(f, true), (g, true)]);
                Both { yes: self.either_on(yes, known), no: self.joined_on(no, known) }
            }
            Formula::Implies(f, g) => {
                let (yes, no) = ([(f, true), (g, false)], [(f, false), (g, true)]);
                Both { yes: self.either_on(yes, known), no: self.joined_on(no, known) }
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
                let again = match self.formulas.get(f) {
                    Formula::Globally(g) => Some(of(g).no.all),
                    _ => None,
                };
                let no = self.globally(of(f).no, again);
                Both { yes: self.finally(of(f).yes), no }
            }
            Formula::Globally(f) => {
                let again = match self.formulas.get(f) {
                    Formula::Finally(g) => Some(of(g).yes.all),
                    _ => None,
                };
                let yes = self.globally(of(f).yes, again);
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

    /// The operand of `F G`, or with `is_again` of `G F`.
    fn twice(&self, of: (FormulaId, bool), is_again: bool) -> Option<(FormulaId, bool)> {
        self.under(self.under(of, is_again)?, !is_again)
    }

    /// The parts of a conjunction, or of a disjunction, each with whether it is negated; none if
    /// they are too many.
    fn parts(&self, both: [(FormulaId, bool); 2], is_and: bool) -> Vec<(FormulaId, bool)> {
        const MOST: usize = 8;
        let mut parts = both.to_vec();
        let mut at = 0;
        while at < parts.len() && parts.len() <= MOST {
            let (id, no) = parts[at];
            let inner = match self.formulas.get(id) {
                Formula::Not(f) => vec![(f, !no)],
                Formula::And(f, g) if no != is_and => vec![(f, no), (g, no)],
                Formula::Or(f, g) if no == is_and => vec![(f, no), (g, no)],
                Formula::Implies(f, g) if no == is_and => vec![(f, !no), (g, no)],
                _ => {
                    at += 1;
                    continue;
                }
            };
            parts.splice(at..=at, inner);
        }
        if parts.len() > MOST { Vec::new() } else { parts }
    }

    /// One of two formulas.
    fn either_on(
        &mut self,
        both: [(FormulaId, bool); 2],
        known: &BTreeMap<FormulaId, Both>,
    ) -> Sure {
        let [f, g] = both.map(|it| signed(known, it));
        let mut either = self.either(f, g);
        let all = |it: (FormulaId, bool)| signed(known, it).all;
        let parts = self.parts(both, false);
        let is_late = |it: &(FormulaId, bool)| self.twice(*it, false).is_some();
        let comes: Vec<FormulaId> =
            parts.iter().filter_map(|&it| self.under(it, false)).map(all).collect();
        let last: Vec<FormulaId> =
            parts.iter().filter_map(|&it| self.twice(it, false)).map(all).collect();
        let again: Vec<FormulaId> =
            parts.iter().filter_map(|&it| self.twice(it, true)).map(all).collect();
        let once = parts.iter().filter(|it| !is_late(it)).filter_map(|&it| self.under(it, false));
        let later: Vec<FormulaId> = once.map(all).chain(again.iter().copied()).collect();
        if comes.len() > 1 {
            let one = self.chain(&comes, false);
            let more = self.all(Formula::Finally(one));
            either.all = self.or(either.all, more);
        }
        if later.is_empty() {
            return either;
        }
        let one = self.chain(&later, false);
        let comes = self.all(Formula::Finally(one));
        if last.is_empty() && !again.is_empty() && later.len() > 1 {
            let more = self.all(Formula::Globally(comes));
            either.all = self.or(either.all, more);
        }
        for it in last {
            let more = self.or(it, comes);
            let more = self.all(Formula::Globally(more));
            either.all = self.or(either.all, more);
        }
        either
    }

    /// Two formulas.
    fn joined_on(
        &mut self,
        both: [(FormulaId, bool); 2],
        known: &BTreeMap<FormulaId, Both>,
    ) -> Sure {
        let [f, g] = both.map(|it| signed(known, it));
        let mut joined = self.joined(f, g);
        let all = |it: (FormulaId, bool)| signed(known, it).all;
        let parts = self.parts(both, true);
        let always = parts.iter().map(|&it| self.twice(it, false).or_else(|| self.under(it, true)));
        let Some(always) = always.collect::<Option<Vec<_>>>().filter(|it| !it.is_empty()) else {
            return joined;
        };
        let again = parts.iter().map(|&it| self.twice(it, true).map(all));
        let again: Option<Vec<FormulaId>> = again.collect();
        let is_late = |&it| self.twice(it, false).is_some() || self.twice(it, true).is_some();
        let is_late = parts.iter().all(is_late);
        let always = self.chain(&always.into_iter().map(all).collect::<Vec<_>>(), true);
        let mut more = self.some(Formula::Globally(always));
        if is_late {
            more = self.some(Formula::Finally(more));
        }
        joined.some = self.or(joined.some, more);
        if let Some(again) = again {
            let more = self.in_turn(&again);
            joined.some = self.or(joined.some, more);
        }
        joined
    }

    /// Both true, or both false; and one of each.
    fn same(&mut self, f: Both, g: Both) -> Both {
        let (true_, false_) = (self.joined(f.yes, g.yes), self.joined(f.no, g.no));
        let (first, second) = (self.joined(f.yes, g.no), self.joined(f.no, g.yes));
        Both { yes: self.either(true_, false_), no: self.either(first, second) }
    }
}

/// What is known of a formula or of its negation.
fn signed(known: &BTreeMap<FormulaId, Both>, (id, is_negated): (FormulaId, bool)) -> Sure {
    let Both { yes, no } = known[&id];
    if is_negated { no } else { yes }
}

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
//! negation is the dual operator of negations.
//!
//! Some more is said of what comes again and again. `F a | G F b | F G c`, with any number of each,
//! is on all paths also where `AG (all(c) | AF (all(a) | all(b)))` is true for one c: if c is false
//! again and again, then one of the others comes again and again; without c this is `AG AF (all(a)
//! | all(b))`. `F a | F b` is on all paths also where `AF (all(a) | all(b))` is true. On some path
//! is `G a & F G c & G F b` also where `EG (all(a) & all(c) & AF all(b))` is true, and without a
//! where a state can be reached in which that is; `G F a & G F b`, or one alone, also where `EF AG
//! (EF all(a) & EF all(b))` is true: a path goes to each of them in turn.

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

/// The operand of `G F f`.
fn recurring(formulas: &Formulas, of: Signed) -> Option<Signed> {
    under(formulas, under(formulas, of, true)?, false)
}

/// The operand of `F G f`.
fn lasting(formulas: &Formulas, of: Signed) -> Option<Signed> {
    under(formulas, under(formulas, of, false)?, true)
}

/// The most parts of a conjunction or disjunction of which more is said.
const MOST_PARTS: usize = 8;

/// What a conjunction, or a disjunction, of two formulas consists of; nothing if that is too much.
fn parts(formulas: &Formulas, is_and: bool, (f, g): (Signed, Signed)) -> Vec<Signed> {
    let (mut found, mut todo) = (Vec::new(), vec![g, f]);
    while let Some((id, no)) = todo.pop() {
        match formulas.get(id) {
            Formula::Not(f) => todo.push((f, !no)),
            Formula::And(f, g) if is_and != no => todo.extend([(g, no), (f, no)]),
            Formula::Or(f, g) if is_and == no => todo.extend([(g, no), (f, no)]),
            Formula::Implies(f, g) if is_and == no => todo.extend([(g, no), (f, !no)]),
            _ => found.push((id, no)),
        }
        if found.len() + todo.len() > MOST_PARTS {
            return Vec::new();
        }
    }
    found
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
                self.always(all, plain(f), again, reach)
            }
            Formula::Globally(f) => {
                let again = matches!(all.get(f), Formula::Finally(_));
                self.always(all, plain(f), again, reach)
            }
            Formula::Until(f, g) | Formula::WeakUntil(f, g) if !no => {
                let is_strong = matches!(all.get(id), Formula::Until(..));
                self.until(all, is_strong, plain(f), self.of(plain(g), reach), reach)
            }
            Formula::Release(f, g) | Formula::StrongRelease(f, g) if no => {
                let is_strong = matches!(all.get(id), Formula::Release(..));
                self.until(all, is_strong, plain(f), self.of(plain(g), reach), reach)
            }
            Formula::Until(f, g)
            | Formula::Release(f, g)
            | Formula::WeakUntil(f, g)
            | Formula::StrongRelease(f, g) => {
                let is_strong =
                    matches!(all.get(id), Formula::WeakUntil(..) | Formula::StrongRelease(..));
                let last = self.joined(all, true, (plain(f), plain(g)), reach);
                self.until(all, is_strong, plain(g), last, reach)
            }
        }
    }

    /// `f U g`, or `f W g`, for what `last` says of g.
    fn until(
        &self,
        formulas: &mut Formulas,
        is_strong: bool,
        f: Signed,
        last: FormulaId,
        reach: Reach,
    ) -> FormulaId {
        let first = self.of(f, Reach::All);
        let path = match is_strong {
            true => Formula::Until(first, last),
            false => Formula::WeakUntil(first, last),
        };
        quantified(formulas, reach, path)
    }

    /// `f & g`, or `f | g`, on one path.
    fn connected(
        &self,
        formulas: &mut Formulas,
        is_and: bool,
        both: (Signed, Signed),
        reach: Reach,
    ) -> FormulaId {
        let plain = self.joined(formulas, is_and, both, reach);
        let parts = parts(formulas, is_and, both);
        let more = match (is_and, reach) {
            (false, Reach::All) => self.one_comes(formulas, &parts),
            (true, Reach::Some) => self.all_last(formulas, &parts),
            _ => Vec::new(),
        };
        more.into_iter().fold(plain, |either, more| connect(formulas, false, either, more))
    }

    /// The same, and nothing more.
    fn joined(
        &self,
        formulas: &mut Formulas,
        is_and: bool,
        (f, g): (Signed, Signed),
        reach: Reach,
    ) -> FormulaId {
        if !is_and || reach == Reach::All {
            return connect(formulas, is_and, self.of(f, reach), self.of(g, reach));
        }
        let left = connect(formulas, true, self.of(f, Reach::Some), self.of(g, Reach::All));
        let right = connect(formulas, true, self.of(f, Reach::All), self.of(g, Reach::Some));
        connect(formulas, false, left, right)
    }

    /// What is true on all paths where one of the operands, or all of them, are.
    fn chain(&self, formulas: &mut Formulas, is_and: bool, of: &[Signed]) -> Option<FormulaId> {
        let of = of.iter().map(|&it| self.of(it, Reach::All));
        of.reduce(|f, g| connect(formulas, is_and, f, g))
    }

    /// More that gives a disjunction on all paths.
    fn one_comes(&self, all: &mut Formulas, parts: &[Signed]) -> Vec<FormulaId> {
        let (mut comes, mut again, mut last, mut once) = (vec![], vec![], vec![], vec![]);
        for &part in parts {
            comes.extend(under(all, part, false));
            again.extend(recurring(all, part));
            match lasting(all, part) {
                Some(it) => last.push(it),
                None => once.extend(under(all, part, false)),
            }
        }
        let mut more = Vec::new();
        if let Some(one) = self.chain(all, false, &comes).filter(|_| comes.len() > 1) {
            more.push(quantified(all, Reach::All, Formula::Finally(one)));
        }
        let later = [&once[..], &again[..]].concat();
        let Some(one) = self.chain(all, false, &later) else { return more };
        let comes = quantified(all, Reach::All, Formula::Finally(one));
        if last.is_empty() && !again.is_empty() && later.len() > 1 {
            more.push(quantified(all, Reach::All, Formula::Globally(comes)));
        }
        for it in last {
            let either = connect(all, false, self.of(it, Reach::All), comes);
            more.push(quantified(all, Reach::All, Formula::Globally(either)));
        }
        more
    }

    /// More that gives a conjunction on some path.
    fn all_last(&self, all: &mut Formulas, parts: &[Signed]) -> Vec<FormulaId> {
        let under = |part| lasting(all, part).or_else(|| under(all, part, true));
        let Some(always) = parts.iter().map(|&part| under(part)).collect::<Option<Vec<_>>>() else {
            return Vec::new();
        };
        let again: Option<Vec<Signed>> = parts.iter().map(|&part| recurring(all, part)).collect();
        let is_late = |&part| lasting(all, part).is_some() || recurring(all, part).is_some();
        let is_late = parts.iter().all(is_late);
        let Some(always) = self.chain(all, true, &always) else { return Vec::new() };
        let always = quantified(all, Reach::Some, Formula::Globally(always));
        let mut more = vec![match is_late {
            true => quantified(all, Reach::Some, Formula::Finally(always)),
            false => always,
        }];
        more.extend(again.and_then(|again| self.in_turn(all, &again)));
        more
    }

    /// That each of some can be reached from everywhere, once something is reached.
    fn in_turn(&self, all: &mut Formulas, again: &[Signed]) -> Option<FormulaId> {
        let each = |&it| quantified(all, Reach::Some, Formula::Finally(self.of(it, Reach::All)));
        let each: Vec<FormulaId> = again.iter().map(each).collect();
        let each = each.into_iter().reduce(|f, g| connect(all, true, f, g))?;
        let everywhere = quantified(all, Reach::All, Formula::Globally(each));
        Some(quantified(all, Reach::Some, Formula::Finally(everywhere)))
    }

    /// That two formulas are both true, or both false.
    fn same(&self, formulas: &mut Formulas, f: Signed, g: Signed, reach: Reach) -> FormulaId {
        let not = |(id, is_negated): Signed| (id, !is_negated);
        let both = self.joined(formulas, true, (f, g), reach);
        let neither = self.joined(formulas, true, (not(f), not(g)), reach);
        connect(formulas, false, both, neither)
    }

    /// `G f`; `again` if f is that something will be so.
    fn always(&self, formulas: &mut Formulas, f: Signed, again: bool, reach: Reach) -> FormulaId {
        let always = Formula::Globally(self.of(f, Reach::All));
        let always = quantified(formulas, reach, always);
        if !again || reach == Reach::All {
            return always;
        }
        let some = quantified(formulas, reach, Formula::Finally(always));
        let in_turn = under(formulas, f, false).and_then(|it| self.in_turn(formulas, &[it]));
        match in_turn {
            Some(in_turn) => connect(formulas, false, some, in_turn),
            None => some,
        }
    }
}

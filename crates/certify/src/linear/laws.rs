//! The expansion laws: what a set of obligations leaves for the next moment when a node shows its
//! labels.
//!
//! An alternative is a set of obligations for the next moment, together with the promises that it
//! postpones. One that asks for an obligation and its opposite is none, and one that asks for more
//! than another is not needed; so the alternatives are determined by what is meant, not by how they
//! are found.

use crate::refusal::Lack;
use std::collections::{BTreeMap, BTreeSet};
use tern_model::budget::Meter;
use tern_model::{Formula, FormulaId, Formulas, Limit, Obligation};

/// What is left for the next moment, and what is postponed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Alternative {
    pub(crate) next: BTreeSet<Obligation>,
    pub(crate) postponed: BTreeSet<Obligation>,
}

type Alternatives = BTreeSet<Alternative>;

/// Whether an obligation says that something happens some day.
pub(crate) fn is_promise(formulas: &Formulas, obligation: Obligation) -> bool {
    match formulas.get(obligation.formula) {
        Formula::Finally(_) | Formula::Until(..) | Formula::StrongRelease(..) => obligation.holds,
        Formula::Globally(_) | Formula::Release(..) | Formula::WeakUntil(..) => !obligation.holds,
        _ => false,
    }
}

/// The alternatives of every subformula, to hold and not to, where some propositions are true.
pub(crate) struct Laws<'a> {
    formulas: &'a Formulas,
    table: BTreeMap<Obligation, Alternatives>,
}

impl<'a> Laws<'a> {
    /// For the formulas of `closure`, operands first.
    pub(crate) fn new(
        formulas: &'a Formulas,
        closure: &[FormulaId],
        is_true: impl Fn(FormulaId) -> bool,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let mut laws = Laws { formulas, table: BTreeMap::new() };
        for &formula in closure {
            for holds in [true, false] {
                let own = Obligation { formula, holds };
                let alternatives = laws.expand(own, &is_true, meter)?;
                laws.table.insert(own, alternatives);
            }
        }
        Ok(laws)
    }

    /// The alternatives of a set of obligations; `None` if it has one that is not of the closure.
    fn of(
        &self,
        obligations: &[Obligation],
        meter: &mut Meter<'_>,
    ) -> Result<Option<Alternatives>, Limit> {
        let mut all = Alternatives::from([Alternative::default()]);
        for obligation in obligations {
            let Some(own) = self.table.get(obligation) else { return Ok(None) };
            all = both(&all, own, meter)?;
        }
        Ok(Some(all))
    }

    /// Where the alternatives of a set of obligations lead, by the number of the set there, with
    /// the promises that each keeps as bits; or what is missing.
    pub(crate) fn ways(
        &self,
        obligations: &[Obligation],
        states: &BTreeMap<&Vec<Obligation>, u32>,
        promises: &[Obligation],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<(u32, u64)>, Lack> {
        let Some(alternatives) = self.of(obligations, meter)? else {
            return Err("it has an obligation that is no part of the formula".into());
        };
        let way = |Alternative { next, postponed }: Alternative| {
            let next: Vec<Obligation> = next.into_iter().collect();
            let to = states.get(&next).ok_or("what it leaves for the next moment is no state")?;
            let kept = promises.iter().enumerate().filter(|(_, it)| !postponed.contains(it));
            Ok((*to, kept.fold(0, |bits, (promise, _)| bits | 1 << promise)))
        };
        alternatives.into_iter().map(way).collect()
    }

    /// One operator by its law; negation is pushed inwards.
    fn expand(
        &self,
        own: Obligation,
        is_true: impl Fn(FormulaId) -> bool,
        meter: &mut Meter<'_>,
    ) -> Result<Alternatives, Limit> {
        use Formula::*;
        let Obligation { formula, holds } = own;
        let is = |formula: FormulaId| &self.table[&Obligation { formula, holds: true }];
        let isnt = |formula: FormulaId| &self.table[&Obligation { formula, holds: false }];
        let decided = |truth: bool| {
            if truth { Alternatives::from([Alternative::default()]) } else { Alternatives::new() }
        };
        let again = self.again(own);
        Ok(match (self.formulas.get(formula), holds) {
            (True, _) => decided(holds),
            (False, _) => decided(!holds),
            (Atom(_) | Exists(_) | All(_), _) => decided(is_true(formula) == holds),
            (Not(f), true) => isnt(f).clone(),
            (Not(f), false) => is(f).clone(),
            (And(f, g), true) => both(is(f), is(g), meter)?,
            (And(f, g), false) => either(isnt(f), isnt(g), meter)?,
            (Or(f, g), true) => either(is(f), is(g), meter)?,
            (Or(f, g), false) => both(isnt(f), isnt(g), meter)?,
            (Implies(f, g), true) => either(isnt(f), is(g), meter)?,
            (Implies(f, g), false) => both(is(f), isnt(g), meter)?,
            (Iff(f, g), true) | (Xor(f, g), false) => {
                let (is, isnt) = (both(is(f), is(g), meter)?, both(isnt(f), isnt(g), meter)?);
                either(&is, &isnt, meter)?
            }
            (Iff(f, g), false) | (Xor(f, g), true) => {
                let (left, right) = (both(is(f), isnt(g), meter)?, both(isnt(f), is(g), meter)?);
                either(&left, &right, meter)?
            }
            (Next(f), _) => {
                let next = BTreeSet::from([Obligation { formula: f, holds }]);
                Alternatives::from([Alternative { next, postponed: BTreeSet::new() }])
            }
            (Finally(f), true) => either(is(f), &again, meter)?,
            (Finally(f), false) => both(isnt(f), &again, meter)?,
            (Globally(f), true) => both(is(f), &again, meter)?,
            (Globally(f), false) => either(isnt(f), &again, meter)?,
            (Until(f, g) | WeakUntil(f, g), true) => {
                let on = both(is(f), &again, meter)?;
                either(is(g), &on, meter)?
            }
            (Until(f, g) | WeakUntil(f, g), false) => {
                let on = either(isnt(f), &again, meter)?;
                both(isnt(g), &on, meter)?
            }
            (Release(f, g) | StrongRelease(f, g), true) => {
                let on = either(is(f), &again, meter)?;
                both(is(g), &on, meter)?
            }
            (Release(f, g) | StrongRelease(f, g), false) => {
                let on = both(isnt(f), &again, meter)?;
                either(isnt(g), &on, meter)?
            }
        })
    }

    /// The same once more from the next moment on.
    fn again(&self, own: Obligation) -> Alternatives {
        let postponed = is_promise(self.formulas, own).then_some(own).into_iter().collect();
        Alternatives::from([Alternative { next: BTreeSet::from([own]), postponed }])
    }
}

fn both(
    left: &Alternatives,
    right: &Alternatives,
    meter: &mut Meter<'_>,
) -> Result<Alternatives, Limit> {
    let mut joined = Alternatives::new();
    for one in left {
        for other in right {
            meter.tick()?;
            let next = &one.next | &other.next;
            if !contradicts(&next) {
                let postponed = &one.postponed | &other.postponed;
                joined.insert(Alternative { next, postponed });
            }
        }
    }
    least(&joined, meter)
}

fn either(
    left: &Alternatives,
    right: &Alternatives,
    meter: &mut Meter<'_>,
) -> Result<Alternatives, Limit> {
    least(&(left | right), meter)
}

fn contradicts(obligations: &BTreeSet<Obligation>) -> bool {
    let opposite = |it: &Obligation| Obligation { holds: !it.holds, ..*it };
    obligations.iter().any(|it| obligations.contains(&opposite(it)))
}

/// Without those that ask for more than another.
fn least(all: &Alternatives, meter: &mut Meter<'_>) -> Result<Alternatives, Limit> {
    let mut needed = Alternatives::new();
    for it in all {
        let mut asks_for_more = false;
        for other in all.iter().filter(|&other| other != it) {
            meter.tick()?;
            asks_for_more |=
                other.next.is_subset(&it.next) && other.postponed.is_subset(&it.postponed);
        }
        if !asks_for_more {
            needed.insert(it.clone());
        }
    }
    Ok(needed)
}

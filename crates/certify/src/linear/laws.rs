//! The expansion laws: what a set of obligations leaves for the next moment when a node shows its labels.
//!
//! An alternative is a set of obligations for the next moment, together with the promises that it postpones.
//! One that asks for an obligation and its opposite is none, and one that asks for more than another is not
//! needed; so the alternatives are determined by what is meant, not by how they are found.

use std::collections::{BTreeMap, BTreeSet};
use tern_model::{Formula, FormulaId, Formulas, Obligation};

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
    ) -> Self {
        let mut laws = Laws { formulas, table: BTreeMap::new() };
        for &formula in closure {
            for holds in [true, false] {
                let own = Obligation { formula, holds };
                let alternatives = laws.expand(own, &is_true);
                laws.table.insert(own, alternatives);
            }
        }
        laws
    }

    /// The alternatives of a set of obligations; `None` if it has one that is not of the closure.
    fn of(&self, obligations: &[Obligation]) -> Option<Alternatives> {
        let mut all = Alternatives::from([Alternative::default()]);
        for obligation in obligations {
            all = both(&all, self.table.get(obligation)?);
        }
        Some(all)
    }

    /// Where the alternatives of a set of obligations lead, by the number of the set there, with the promises that
    /// each keeps as bits; or what is missing.
    pub(crate) fn ways(
        &self,
        obligations: &[Obligation],
        states: &BTreeMap<&Vec<Obligation>, u32>,
        promises: &[Obligation],
    ) -> Result<Vec<(u32, u64)>, &'static str> {
        let alternatives =
            self.of(obligations).ok_or("it has an obligation that is no part of the formula")?;
        let way = |Alternative { next, postponed }: Alternative| {
            let next: Vec<Obligation> = next.into_iter().collect();
            let to = states.get(&next).ok_or("what it leaves for the next moment is no state")?;
            let kept = promises.iter().enumerate().filter(|(_, it)| !postponed.contains(it));
            Ok((*to, kept.fold(0, |bits, (promise, _)| bits | 1 << promise)))
        };
        alternatives.into_iter().map(way).collect()
    }

    /// One operator by its law; negation is pushed inwards.
    fn expand(&self, own: Obligation, is_true: impl Fn(FormulaId) -> bool) -> Alternatives {
        use Formula::*;
        let Obligation { formula, holds } = own;
        let is = |formula: FormulaId| &self.table[&Obligation { formula, holds: true }];
        let isnt = |formula: FormulaId| &self.table[&Obligation { formula, holds: false }];
        let decided = |truth: bool| {
            if truth { Alternatives::from([Alternative::default()]) } else { Alternatives::new() }
        };
        let again = self.again(own);
        match (self.formulas.get(formula), holds) {
            (True, _) => decided(holds),
            (False, _) => decided(!holds),
            (Atom(_) | Exists(_) | All(_), _) => decided(is_true(formula) == holds),
            (Not(f), true) => isnt(f).clone(),
            (Not(f), false) => is(f).clone(),
            (And(f, g), true) => both(is(f), is(g)),
            (And(f, g), false) => either(isnt(f), isnt(g)),
            (Or(f, g), true) => either(is(f), is(g)),
            (Or(f, g), false) => both(isnt(f), isnt(g)),
            (Implies(f, g), true) => either(isnt(f), is(g)),
            (Implies(f, g), false) => both(is(f), isnt(g)),
            (Iff(f, g), true) | (Xor(f, g), false) => {
                either(&both(is(f), is(g)), &both(isnt(f), isnt(g)))
            }
            (Iff(f, g), false) | (Xor(f, g), true) => {
                either(&both(is(f), isnt(g)), &both(isnt(f), is(g)))
            }
            (Next(f), _) => {
                let next = BTreeSet::from([Obligation { formula: f, holds }]);
                Alternatives::from([Alternative { next, postponed: BTreeSet::new() }])
            }
            (Finally(f), true) => either(is(f), &again),
            (Finally(f), false) => both(isnt(f), &again),
            (Globally(f), true) => both(is(f), &again),
            (Globally(f), false) => either(isnt(f), &again),
            (Until(f, g) | WeakUntil(f, g), true) => either(is(g), &both(is(f), &again)),
            (Until(f, g) | WeakUntil(f, g), false) => both(isnt(g), &either(isnt(f), &again)),
            (Release(f, g) | StrongRelease(f, g), true) => both(is(g), &either(is(f), &again)),
            (Release(f, g) | StrongRelease(f, g), false) => either(isnt(g), &both(isnt(f), &again)),
        }
    }

    /// The same once more from the next moment on.
    fn again(&self, own: Obligation) -> Alternatives {
        let postponed = is_promise(self.formulas, own).then_some(own).into_iter().collect();
        Alternatives::from([Alternative { next: BTreeSet::from([own]), postponed }])
    }
}

fn both(left: &Alternatives, right: &Alternatives) -> Alternatives {
    let pairs = left.iter().flat_map(|one| right.iter().map(move |other| (one, other)));
    let joined = pairs.map(|(one, other)| Alternative {
        next: &one.next | &other.next,
        postponed: &one.postponed | &other.postponed,
    });
    least(&joined.filter(|it| !contradicts(&it.next)).collect())
}

fn either(left: &Alternatives, right: &Alternatives) -> Alternatives {
    least(&(left | right))
}

fn contradicts(obligations: &BTreeSet<Obligation>) -> bool {
    let opposite = |it: &Obligation| Obligation { holds: !it.holds, ..*it };
    obligations.iter().any(|it| obligations.contains(&opposite(it)))
}

/// Without those that ask for more than another.
fn least(all: &Alternatives) -> Alternatives {
    let needed = |it: &&Alternative| {
        !all.iter().any(|other| {
            other != *it
                && other.next.is_subset(&it.next)
                && other.postponed.is_subset(&it.postponed)
        })
    };
    all.iter().filter(needed).cloned().collect()
}

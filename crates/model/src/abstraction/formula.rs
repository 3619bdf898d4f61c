//! Formulas about an abstract machine M as formulas about its ordinary machine M'.
//!
//! Each formula f has two translations: `must f` and `may f`, children first. `A` goes over all
//! steps to be sure, and over sure ones to be possible; for `E` it is the other way round. Let m be
//! the label `maybe`, and s, t state formulas:
//! ```text
//! must p            = "must p"                     may p            = "may p"
//! must !f           = !may f                       may !f           = !must f
//! must (f -> g)     = may f -> must g              and so on by truth tables, f <-> g by cases
//! must A f          = A (must f)                   may E f          = E (may f)
//! must E X s        = E X (!m & must s)            may A X s        = A X (m | may s)
//! must E (s U t)    = E [!m & must s U !m & must t], likewise R, W, M; F t is true U t
//! may A (s R t)     = A [m | may s R m | may t],     likewise U, W, M; G t is false R t
//! must E G s        = E G (!m & must s)            may A F s        = A F (m | may s)
//! must E f          = E (G !m & must f)            may A f          = A (G !m -> may f)
//!                                                                     for other paths f
//! ```
//! A quantifier over a state formula is that state formula. So `E X` and `E U` are true by a finite
//! sure path, `E G` by an endless one, and other path formulas by an endless one as well. Which
//! rule counts is a matter of how the formula is written. A claim that speaks of a path is meant
//! for all paths, and its quantifier is left out again.
//!
//! All this is right where the path begins in a first copy, and so at initial nodes, and behind
//! `!m &` and `m |`. Elsewhere m may be true where the path begins, which is of no account. There
//! the first step is told apart by the law of the operator:
//! ```text
//! must E (s U t)    = must t | must s & E X (!m & must E (s U t))        likewise W
//! must E (s R t)    = must t & (must s | E X (!m & must E (s R t)))      likewise M
//! must E f          = E (X G !m & must f)                                and the same for may A
//! ```
//! where the inner `must` is the one above.

use super::{MAYBE, label_in};
use crate::index::FormulaId;
use crate::logic::{Formula, Formulas};
use rustc_hash::FxHashMap;

/// Which of two questions is asked of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Whether it is surely true.
    Must,
    /// Whether it may be true.
    May,
}

impl Lane {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Lane {
        match self {
            Lane::Must => Lane::May,
            Lane::May => Lane::Must,
        }
    }
}

/// A claim about an abstract machine as one about its ordinary machine.
#[derive(Clone, Debug)]
pub struct Translation {
    /// Where both live: the claim, and what it was made into.
    pub formulas: Formulas,
    /// The claim about the abstract machine.
    pub original: FormulaId,
    /// The claim about the ordinary machine.
    pub claim: FormulaId,
    /// Which of the two it is.
    pub lane: Lane,
    /// Of which formulas others are translations, and in which lane.
    origins: FxHashMap<FormulaId, (FormulaId, Lane)>,
}

impl Translation {
    /// Translates a claim.
    pub fn new(formulas: &Formulas, claim: FormulaId, lane: Lane) -> Self {
        let (formulas, original) = formulas.alone(claim);
        let mut translator = Translator::new(formulas);
        for id in translator.formulas.subformulas(original) {
            for place in [Place::First, Place::Any] {
                for lane in [Lane::Must, Lane::May] {
                    let made = translator.translate(id, lane, place);
                    translator.origins.entry(made).or_insert((id, lane));
                    translator.made[slot(lane, place)].insert(id, made);
                }
            }
        }
        let claim = translator.claim(original, lane);
        let Translator { formulas, mut origins, .. } = translator;
        origins.entry(claim).or_insert((original, lane));
        Translation { formulas, original, claim, lane, origins }
    }

    /// Of what a formula is a translation, and in which lane; formulas that only help are none.
    pub fn origin(&self, id: FormulaId) -> Option<(FormulaId, Lane)> {
        self.origins.get(&id).copied()
    }
}

/// Where a formula is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In first copies only.
    First,
    /// Anywhere.
    Any,
}

fn slot(lane: Lane, place: Place) -> usize {
    2 * usize::from(lane == Lane::May) + usize::from(place == Place::Any)
}

struct Translator {
    formulas: Formulas,
    /// What is made of formulas, in each lane and place.
    made: [FxHashMap<FormulaId, FormulaId>; 4],
    origins: FxHashMap<FormulaId, (FormulaId, Lane)>,
    maybe: FormulaId,
}

impl Translator {
    fn new(mut formulas: Formulas) -> Self {
        let maybe = formulas.atom(MAYBE);
        Translator { formulas, made: Default::default(), origins: FxHashMap::default(), maybe }
    }

    fn made(&self, id: FormulaId, lane: Lane, place: Place) -> FormulaId {
        self.made[slot(lane, place)][&id]
    }

    /// A claim that speaks of a path is meant for all.
    fn claim(&mut self, id: FormulaId, lane: Lane) -> FormulaId {
        if self.formulas.is_state_formula(id) {
            return self.made(id, lane, Place::First);
        }
        match lane {
            Lane::Must => self.made(id, lane, Place::Any),
            Lane::May => {
                let path = self.made(id, lane, Place::First);
                self.only_sure(lane, Place::First, path)
            }
        }
    }

    /// A formula whose operands are translated already.
    fn translate(&mut self, id: FormulaId, lane: Lane, place: Place) -> FormulaId {
        let of = |it: &Self, f| it.made(f, lane, place);
        let other = |it: &Self, f| it.made(f, lane.other(), place);
        match self.formulas.get(id) {
            Formula::Atom(atom) => {
                let name = label_in(lane, self.formulas.atom_name(atom));
                self.formulas.atom(&name)
            }
            Formula::Not(f) => {
                let f = other(self, f);
                self.make(Formula::Not(f))
            }
            Formula::Implies(f, g) => {
                let (f, g) = (other(self, f), of(self, g));
                self.make(Formula::Implies(f, g))
            }
            Formula::Iff(f, g) => self.same([f, g], false, lane, place),
            Formula::Xor(f, g) => self.same([f, g], true, lane, place),
            Formula::Exists(path) if lane == Lane::May => {
                self.over_all(path, Formula::Exists, lane)
            }
            Formula::All(path) if lane == Lane::Must => self.over_all(path, Formula::All, lane),
            Formula::Exists(path) | Formula::All(path) => self.over_sure(path, lane, place),
            formula => {
                let formula = formula.with_operands(|f| of(self, f));
                self.make(formula)
            }
        }
    }

    fn make(&mut self, formula: Formula) -> FormulaId {
        self.formulas.make(formula)
    }

    /// `f <-> g`, or its negation: both, or neither.
    fn same(
        &mut self,
        [f, g]: [FormulaId; 2],
        differ: bool,
        lane: Lane,
        place: Place,
    ) -> FormulaId {
        let is = |it: &Self, f| it.made(f, lane, place);
        let is_not = |it: &mut Self, f| {
            let f = it.made(f, lane.other(), place);
            it.make(Formula::Not(f))
        };
        let (f_is, g_is) = (is(self, f), is(self, g));
        let (f_not, g_not) = (is_not(self, f), is_not(self, g));
        let (one, two) = match differ {
            false => ([f_is, g_is], [f_not, g_not]),
            true => ([f_is, g_not], [f_not, g_is]),
        };
        let one = self.make(Formula::And(one[0], one[1]));
        let two = self.make(Formula::And(two[0], two[1]));
        self.make(Formula::Or(one, two))
    }

    /// A quantifier over paths of all steps. A path goes anywhere.
    fn over_all(
        &mut self,
        path: FormulaId,
        quantifier: fn(FormulaId) -> Formula,
        lane: Lane,
    ) -> FormulaId {
        let path = self.made(path, lane, Place::Any);
        self.make(quantifier(path))
    }

    /// `must E path` or `may A path`: over paths of sure steps.
    fn over_sure(&mut self, path: FormulaId, lane: Lane, place: Place) -> FormulaId {
        if self.formulas.is_state_formula(path) {
            return self.made(path, lane, place);
        }
        let formula = self.formulas.get(path);
        let of_states =
            formula.is_temporal() && formula.operands().all(|f| self.formulas.is_state_formula(f));
        if !of_states {
            let path = self.made(path, lane, place);
            let path = self.only_sure(lane, place, path);
            return self.quantified(lane, path);
        }
        let whole = self.guarded(formula, lane);
        if place == Place::First || matches!(formula, Formula::Next(_)) {
            return whole;
        }
        // The first step by itself: a formula of the form t | s & next, or t & (s | next).
        let next = self.guard(whole, lane);
        let next = self.make(Formula::Next(next));
        let next = self.quantified(lane, next);
        let of = |it: &Self, f| it.made(f, lane, place);
        match formula {
            Formula::Finally(t) => {
                let t = of(self, t);
                self.make(Formula::Or(t, next))
            }
            Formula::Globally(t) => {
                let t = of(self, t);
                self.make(Formula::And(t, next))
            }
            Formula::Until(s, t) | Formula::WeakUntil(s, t) => {
                let (s, t) = (of(self, s), of(self, t));
                let on = self.make(Formula::And(s, next));
                self.make(Formula::Or(t, on))
            }
            Formula::Release(s, t) | Formula::StrongRelease(s, t) => {
                let (s, t) = (of(self, s), of(self, t));
                let on = self.make(Formula::Or(s, next));
                self.make(Formula::And(t, on))
            }
            _ => whole,
        }
    }

    /// One temporal operator on sure paths that begin in a first copy.
    fn guarded(&mut self, formula: Formula, lane: Lane) -> FormulaId {
        let mut made: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for f in formula.operands() {
            let first = self.made(f, lane, Place::First);
            made.insert(f, self.guard(first, lane));
        }
        let guarded = formula.with_operands(|f| made[&f]);
        // Until then all steps are sure, though nothing else is asked of them.
        let guarded = match (guarded, lane) {
            (Formula::Finally(t), Lane::Must) => {
                let sure = self.make(Formula::Not(self.maybe));
                Formula::Until(sure, t)
            }
            (Formula::Globally(t), Lane::May) => Formula::Release(self.maybe, t),
            (guarded, _) => guarded,
        };
        let path = self.make(guarded);
        self.quantified(lane, path)
    }

    /// `!m & f`, or `m | f`.
    fn guard(&mut self, f: FormulaId, lane: Lane) -> FormulaId {
        let guarded = match lane {
            Lane::Must => {
                let sure = self.make(Formula::Not(self.maybe));
                self.make(Formula::And(sure, f))
            }
            Lane::May => self.make(Formula::Or(self.maybe, f)),
        };
        if let Some(&origin) = self.origins.get(&f) {
            self.origins.entry(guarded).or_insert(origin);
        }
        guarded
    }

    /// `G !m & f`, or `G !m -> f`; anywhere it is `X G !m`.
    fn only_sure(&mut self, lane: Lane, place: Place, path: FormulaId) -> FormulaId {
        let sure = self.make(Formula::Not(self.maybe));
        let mut sure = self.make(Formula::Globally(sure));
        if place == Place::Any {
            sure = self.make(Formula::Next(sure));
        }
        match lane {
            Lane::Must => self.make(Formula::And(sure, path)),
            Lane::May => self.make(Formula::Implies(sure, path)),
        }
    }

    fn quantified(&mut self, lane: Lane, path: FormulaId) -> FormulaId {
        match lane {
            Lane::Must => self.make(Formula::Exists(path)),
            Lane::May => self.make(Formula::All(path)),
        }
    }
}

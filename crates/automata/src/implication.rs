//! Which path formulas imply which, as far as their shape shows it.
//!
//! The rules are those of Somenzi and Bloem (2000) and of Etessami and Holzmann (2000). They are
//! sound and not complete. A formula is *eventual* if it holds now whenever it holds later (`F p`,
//! `G F p`), *universal* if it holds later whenever it holds now (`G p`, `G F p`).

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use tern_model::budget::Meter;
use tern_model::{Formula, FormulaId, Formulas, Limit};

/// How deep two formulas are compared. What differs only further down is not seen to be implied.
const DEPTH: u32 = 24;

/// Whether a formula is eventual, and whether it is universal, by its shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stability {
    pub(super) eventual: bool,
    pub(super) universal: bool,
}

impl Stability {
    /// Whether the truth is the same at all positions of a path.
    pub(super) fn is_constant(self) -> bool {
        self.eventual && self.universal
    }
}

/// What is known about formulas in negation normal form.
#[derive(Default)]
pub(super) struct Implication {
    stabilities: FxHashMap<FormulaId, Stability>,
    known: FxHashMap<(FormulaId, FormulaId), bool>,
}

impl Implication {
    /// Knows all parts of some formulas.
    pub(super) fn of(
        formulas: &Formulas,
        roots: &[FormulaId],
        meter: &mut Meter<'_>,
    ) -> Result<Implication, Limit> {
        let mut open: BTreeSet<FormulaId> = roots.iter().copied().collect();
        let mut order = Vec::new();
        while let Some(id) = open.pop_last() {
            meter.tick()?;
            order.push(id);
            if !formulas.get(id).is_quantifier() {
                open.extend(formulas.get(id).operands());
            }
        }
        let mut implication = Implication::default();
        order.iter().rev().for_each(|&id| implication.note(formulas, id));
        Ok(implication)
    }

    /// Notes a formula whose operands were noted before.
    pub(super) fn note(&mut self, formulas: &Formulas, id: FormulaId) {
        use Formula::*;
        let formula = formulas.get(id);
        let of = |f: FormulaId| self.stability(f);
        let stability = match formula {
            True | False => Stability { eventual: true, universal: true },
            And(f, g) | Or(f, g) => Stability {
                eventual: of(f).eventual && of(g).eventual,
                universal: of(f).universal && of(g).universal,
            },
            Next(f) => of(f),
            Finally(f) => Stability { eventual: true, universal: of(f).universal },
            Globally(f) => Stability { eventual: of(f).eventual, universal: true },
            Until(f, g) => Stability {
                eventual: of(g).eventual,
                universal: of(f).universal && of(g).universal,
            },
            WeakUntil(f, g) | StrongRelease(f, g) => Stability {
                eventual: of(f).eventual && of(g).eventual,
                universal: of(f).universal && of(g).universal,
            },
            Release(f, g) => {
                Stability { eventual: of(f).eventual && of(g).eventual, universal: of(g).universal }
            }
            _ => Stability::default(),
        };
        self.stabilities.insert(id, stability);
    }

    /// Whether a formula is eventual or universal.
    pub(super) fn stability(&self, id: FormulaId) -> Stability {
        self.stabilities.get(&id).copied().unwrap_or_default()
    }

    /// Whether the shapes of `f` and `g` show that `f` implies `g`.
    pub(super) fn implies(&mut self, formulas: &Formulas, f: FormulaId, g: FormulaId) -> bool {
        self.compare(formulas, f, g, DEPTH)
    }

    fn compare(&mut self, formulas: &Formulas, f: FormulaId, g: FormulaId, depth: u32) -> bool {
        use Formula::*;
        if f == g {
            return true;
        }
        match (formulas.get(f), formulas.get(g)) {
            (False, _) | (_, True) => return true,
            (True | Atom(_) | Not(_), False | Atom(_) | Not(_)) | (_, False) => return false,
            _ if depth == 0 => return false,
            _ => (),
        }
        if let Some(&known) = self.known.get(&(f, g)) {
            return known;
        }
        let mut by = |f, g| self.compare(formulas, f, g, depth - 1);
        let of_f = match formulas.get(f) {
            Or(a, b) | Until(a, b) | WeakUntil(a, b) => by(a, g) && by(b, g),
            And(a, b) | StrongRelease(a, b) => by(a, g) && formulas.get(f) == And(a, b) || by(b, g),
            Release(_, b) => by(b, g),
            Globally(a) => by(a, g),
            _ => false,
        };
        let found = of_f || {
            let mut by = |f, g| self.compare(formulas, f, g, depth - 1);
            let of_g = match formulas.get(g) {
                And(a, b) | Release(a, b) | StrongRelease(a, b) => by(f, a) && by(f, b),
                Or(a, b) => by(f, a) || by(f, b),
                Until(_, b) | WeakUntil(_, b) => by(f, b),
                Finally(a) => by(f, a),
                _ => false,
            };
            of_g || self.compare_steps(formulas, f, g, depth)
        };
        self.known.insert((f, g), found);
        found
    }

    /// The rules that look at what the formulas say of later positions.
    fn compare_steps(
        &mut self,
        formulas: &Formulas,
        f: FormulaId,
        g: FormulaId,
        depth: u32,
    ) -> bool {
        use Formula::*;
        let (of_f, of_g) = (self.stability(f), self.stability(g));
        let mut by = |f, g| self.compare(formulas, f, g, depth - 1);
        let (left, right) = (formulas.get(f), formulas.get(g));
        // A universal formula holds at all later positions; an eventual one may be looked for
        // there.
        let lasting = of_f.universal
            && match right {
                Next(b) | Globally(b) => by(f, b),
                WeakUntil(a, _) | Release(_, a) => by(f, a),
                _ => false,
            };
        let sought = of_g.eventual
            && match left {
                Next(a) | Finally(a) => by(a, g),
                Until(_, b) | StrongRelease(b, _) => by(b, g),
                _ => false,
            };
        lasting
            || sought
            || match (left, right) {
                (Next(a), Next(b)) => by(a, b),
                // Each step of the left side is one of the right side, and its end implies the
                // whole.
                (Until(a, b), Until(c, _) | WeakUntil(c, _))
                | (WeakUntil(a, b), WeakUntil(c, _)) => by(a, c) && by(b, g),
                (StrongRelease(a, b), Until(c, _) | WeakUntil(c, _))
                | (Release(a, b), WeakUntil(c, _)) => by(b, c) && by(a, g),
                (StrongRelease(a, b), StrongRelease(_, d) | Release(_, d))
                | (Release(a, b), Release(_, d)) => {
                    by(b, d) && by(a, g) || self.compare_ends(formulas, (a, b), g, depth)
                }
                (Until(a, b), StrongRelease(_, d) | Release(_, d))
                | (WeakUntil(a, b), Release(_, d)) => by(a, d) && by(b, g),
                _ => false,
            }
    }

    /// Whether `a & b` implies `c R d` or `c M d` because it implies both of its operands.
    fn compare_ends(
        &mut self,
        formulas: &Formulas,
        (a, b): (FormulaId, FormulaId),
        g: FormulaId,
        depth: u32,
    ) -> bool {
        let (Formula::Release(c, d) | Formula::StrongRelease(c, d)) = formulas.get(g) else {
            return false;
        };
        self.compare(formulas, b, d, depth - 1) && self.compare(formulas, a, c, depth - 1)
    }
}

//! The laws by which a path formula becomes simpler, applied while it is made.
//!
//! Every operator is made from operands that are simple already, by the laws of Somenzi and Bloem
//! (2000), of Etessami and Holzmann (2000), and of Spot (`tl.pdf`, "favouring event and
//! universality"). Most come in pairs that negation turns into each other; they stand side by side.
//!
//! This file has the frame; `junctions.rs` has the laws of `&` and `|`, `unary.rs` those of `F` and
//! `G`, and `binary.rs` those of `U`, `R`, `W` and `M`. One law may ask for another formula to be
//! made, but only [`DEPTH`] levels deep; below that formulas are made as they are.

use super::implication::{Implication, Stability};
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::{Formula, FormulaId, Formulas, Limit};

/// How often a law may lead to another before formulas are made as they are.
pub(super) const DEPTH: u32 = 40;

/// Makes simple formulas in an arena.
pub(super) struct Rules<'f, 'b> {
    pub(super) formulas: &'f mut Formulas,
    implication: Implication,
    pub(super) meter: Meter<'b>,
    made: FxHashMap<Formula, FormulaId>,
    negations: FxHashMap<FormulaId, FormulaId>,
    pub(super) depth: u32,
}

impl<'f, 'b> Rules<'f, 'b> {
    pub(super) fn new(
        formulas: &'f mut Formulas,
        implication: Implication,
        meter: Meter<'b>,
    ) -> Self {
        let (made, negations) = (FxHashMap::default(), FxHashMap::default());
        Rules { formulas, implication, meter, made, negations, depth: 0 }
    }

    pub(super) fn tick(&mut self) -> Result<(), Limit> {
        self.meter.tick()
    }

    pub(super) fn get(&self, id: FormulaId) -> Formula {
        self.formulas.get(id)
    }

    pub(super) fn plain(&mut self, formula: Formula) -> FormulaId {
        let id = self.formulas.make(formula);
        self.implication.note(self.formulas, id);
        id
    }

    pub(super) fn constant(&mut self, value: bool) -> FormulaId {
        self.plain(if value { Formula::True } else { Formula::False })
    }

    /// A proposition or its negation.
    pub(super) fn literal(&mut self, id: FormulaId, holds: bool) -> FormulaId {
        if holds { id } else { self.formulas.make(Formula::Not(id)) }
    }

    pub(super) fn is(&self, id: FormulaId) -> Stability {
        self.implication.stability(id)
    }

    pub(super) fn implies(&mut self, f: FormulaId, g: FormulaId) -> bool {
        self.implication.implies(self.formulas, f, g)
    }

    /// Whether `f` implies that `g` does not hold.
    pub(super) fn excludes(&mut self, f: FormulaId, g: FormulaId) -> Result<bool, Limit> {
        let not_g = self.negation(g)?;
        Ok(self.implies(f, not_g))
    }

    /// Whether one of the two always holds.
    pub(super) fn exhaust(&mut self, f: FormulaId, g: FormulaId) -> Result<bool, Limit> {
        let not_f = self.negation(f)?;
        Ok(self.implies(not_f, g))
    }

    /// The negation of a formula in negation normal form, not made simpler.
    pub(super) fn negation(&mut self, root: FormulaId) -> Result<FormulaId, Limit> {
        use Formula::*;
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            self.meter.tick()?;
            if self.negations.contains_key(&id) {
                stack.pop();
                continue;
            }
            let formula = self.get(id);
            let before = stack.len();
            if !matches!(formula, Exists(_) | All(_) | Not(_)) {
                let open = formula.operands().filter(|f| !self.negations.contains_key(f));
                stack.extend(open);
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let of = |f: FormulaId| self.negations[&f];
            let dual = match formula {
                True => False,
                False => True,
                Not(f) => {
                    self.negations.insert(id, f);
                    continue;
                }
                And(f, g) => Or(of(f), of(g)),
                Or(f, g) => And(of(f), of(g)),
                Next(f) => Next(of(f)),
                Finally(f) => Globally(of(f)),
                Globally(f) => Finally(of(f)),
                Until(f, g) => Release(of(f), of(g)),
                Release(f, g) => Until(of(f), of(g)),
                WeakUntil(f, g) => StrongRelease(of(f), of(g)),
                StrongRelease(f, g) => WeakUntil(of(f), of(g)),
                _ => Not(id),
            };
            let negation = self.plain(dual);
            self.negations.insert(id, negation);
        }
        Ok(self.negations[&root])
    }

    /// A formula with a temporal operator, whose operands are simple.
    pub(super) fn make(&mut self, formula: Formula) -> Result<FormulaId, Limit> {
        self.meter.tick()?;
        if let Some(&made) = self.made.get(&formula) {
            return Ok(made);
        }
        if self.depth >= DEPTH {
            return Ok(self.plain(formula));
        }
        self.depth += 1;
        let made = self.by_laws(formula);
        self.depth -= 1;
        let made = match made? {
            Some(simpler) => simpler,
            None => self.plain(formula),
        };
        self.made.insert(formula, made);
        Ok(made)
    }

    /// What a formula is by a law, if there is one that applies.
    fn by_laws(&mut self, formula: Formula) -> Result<Option<FormulaId>, Limit> {
        match formula {
            Formula::Next(f) => Ok(self.is(f).is_constant().then_some(f)),
            Formula::Finally(f) => self.finally(f),
            Formula::Globally(f) => self.globally(f),
            Formula::Until(f, g) => self.until(f, g),
            Formula::Release(f, g) => self.release(f, g),
            Formula::WeakUntil(f, g) => self.weak_until(f, g),
            Formula::StrongRelease(f, g) => self.strong_release(f, g),
            _ => Ok(None),
        }
    }
}

//! The laws of conjunction and disjunction: absorption, contradiction, and operands that become
//! one.

use super::rules::{DEPTH, Rules};
use tern_model::{Formula, FormulaId, Limit};

/// The most operands of a conjunction or disjunction that are compared with each other.
const MOST_OPERANDS: usize = 64;

/// The operands that were taken out of a formula, and what is left.
pub(super) type Split = Option<(Vec<FormulaId>, FormulaId)>;

impl Rules<'_, '_> {
    /// The operands of nested conjunctions or disjunctions, unless they are too many to compare.
    fn operands(&self, conjunction: bool, list: &[FormulaId]) -> Option<Vec<FormulaId>> {
        let mut stack: Vec<FormulaId> = list.to_vec();
        let mut operands = Vec::new();
        while let Some(id) = stack.pop() {
            match (self.get(id), conjunction) {
                (Formula::And(f, g), true) | (Formula::Or(f, g), false) => stack.extend([f, g]),
                _ => operands.push(id),
            }
            if operands.len() + stack.len() > MOST_OPERANDS {
                return None;
            }
        }
        operands.sort_unstable();
        operands.dedup();
        Some(operands)
    }

    fn chain(&mut self, conjunction: bool, list: &[FormulaId]) -> FormulaId {
        let mut list = list.iter().copied();
        let Some(mut whole) = list.next() else { return self.constant(conjunction) };
        for f in list {
            let both = if conjunction { Formula::And(whole, f) } else { Formula::Or(whole, f) };
            whole = self.plain(both);
        }
        whole
    }

    pub(super) fn and(&mut self, list: &[FormulaId]) -> Result<FormulaId, Limit> {
        self.junction(true, list)
    }

    pub(super) fn or(&mut self, list: &[FormulaId]) -> Result<FormulaId, Limit> {
        self.junction(false, list)
    }

    /// The conjunction or disjunction of simple formulas.
    pub(super) fn junction(
        &mut self,
        conjunction: bool,
        list: &[FormulaId],
    ) -> Result<FormulaId, Limit> {
        self.meter.tick()?;
        let neutral = self.constant(conjunction);
        let absorbing = self.constant(!conjunction);
        let list: Vec<FormulaId> = list.iter().copied().filter(|&f| f != neutral).collect();
        if list.contains(&absorbing) {
            return Ok(absorbing);
        }
        let Some(mut operands) = self.operands(conjunction, &list) else {
            return Ok(self.chain(conjunction, &list));
        };
        if self.depth >= DEPTH {
            return Ok(self.chain(conjunction, &operands));
        }
        operands.retain(|&f| f != neutral);
        if operands.contains(&absorbing) || self.clash(conjunction, &operands)? {
            return Ok(absorbing);
        }
        self.absorb(conjunction, &mut operands)?;
        self.depth += 1;
        let merged = self.merge(conjunction, &operands);
        self.depth -= 1;
        match merged? {
            Some(merged) => {
                self.depth += 1;
                let whole = self.junction(conjunction, &merged);
                self.depth -= 1;
                whole
            }
            None => Ok(self.chain(conjunction, &operands)),
        }
    }

    /// Whether two conjuncts exclude each other, or two disjuncts cover everything.
    fn clash(&mut self, conjunction: bool, operands: &[FormulaId]) -> Result<bool, Limit> {
        for (i, &f) in operands.iter().enumerate() {
            for &g in &operands[i + 1..] {
                self.meter.tick()?;
                if if conjunction { self.excludes(f, g)? } else { self.exhaust(f, g)? } {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Drops conjuncts that others imply, and disjuncts that imply others.
    fn absorb(&mut self, conjunction: bool, operands: &mut Vec<FormulaId>) -> Result<(), Limit> {
        let mut i = 0;
        while i < operands.len() {
            let f = operands[i];
            let mut dropped = false;
            for &g in operands.iter() {
                self.meter.tick()?;
                if f != g && if conjunction { self.implies(g, f) } else { self.implies(f, g) } {
                    dropped = true;
                    break;
                }
            }
            if dropped {
                operands.remove(i);
            } else {
                i += 1;
            }
        }
        Ok(())
    }

    /// Joins two operands into one by a law, if there is one; the new operands.
    fn merge(
        &mut self,
        conjunction: bool,
        operands: &[FormulaId],
    ) -> Result<Option<Vec<FormulaId>>, Limit> {
        for (i, &f) in operands.iter().enumerate() {
            for (j, &g) in operands.iter().enumerate() {
                self.meter.tick()?;
                if i == j {
                    continue;
                }
                let joined = if conjunction { self.join_and(f, g)? } else { self.join_or(f, g)? };
                if let Some(joined) = joined {
                    let others = (0..operands.len()).filter(|&k| k != i && k != j);
                    let mut list: Vec<FormulaId> = others.map(|k| operands[k]).collect();
                    list.push(joined);
                    return Ok(Some(list));
                }
            }
        }
        Ok(None)
    }

    fn join_and(&mut self, f: FormulaId, g: FormulaId) -> Result<Option<FormulaId>, Limit> {
        use Formula::*;
        Ok(Some(match (self.get(f), self.get(g)) {
            (Next(a), Next(b)) => {
                let both = self.and(&[a, b])?;
                self.make(Next(both))?
            }
            (Globally(a), Globally(b)) if !self.is(a).eventual && !self.is(b).eventual => {
                let both = self.and(&[a, b])?;
                self.make(Globally(both))?
            }
            (Finally(a), Finally(b)) if self.is(a).universal && self.is(b).universal => {
                let both = self.and(&[a, b])?;
                self.make(Finally(both))?
            }
            (Until(a, c), Until(b, d)) if c == d => {
                let both = self.and(&[a, b])?;
                self.make(Until(both, c))?
            }
            (WeakUntil(a, c), WeakUntil(b, d)) if c == d => {
                let both = self.and(&[a, b])?;
                self.make(WeakUntil(both, c))?
            }
            (Release(a, b), Release(c, d)) if a == c => {
                let both = self.and(&[b, d])?;
                self.make(Release(a, both))?
            }
            (StrongRelease(a, b), StrongRelease(c, d)) if a == c => {
                let both = self.and(&[b, d])?;
                self.make(StrongRelease(a, both))?
            }
            (Finally(a), Release(b, c)) if a == b => self.make(StrongRelease(b, c))?,
            (Finally(a), WeakUntil(b, c)) if a == c => self.make(Until(b, c))?,
            (_, Or(..)) => match self.split_clashing(true, f, g)? {
                Some(rest) => self.and(&[f, rest])?,
                None => return Ok(None),
            },
            _ => return Ok(None),
        }))
    }

    fn join_or(&mut self, f: FormulaId, g: FormulaId) -> Result<Option<FormulaId>, Limit> {
        use Formula::*;
        Ok(Some(match (self.get(f), self.get(g)) {
            (Next(a), Next(b)) => {
                let either = self.or(&[a, b])?;
                self.make(Next(either))?
            }
            (Finally(a), Finally(b)) => {
                let either = self.or(&[a, b])?;
                self.make(Finally(either))?
            }
            (Globally(a), Globally(b)) if self.is(a).eventual && self.is(b).eventual => {
                let either = self.or(&[a, b])?;
                self.make(Globally(either))?
            }
            (Until(a, b), Until(c, d)) if a == c => {
                let either = self.or(&[b, d])?;
                self.make(Until(a, either))?
            }
            (WeakUntil(a, b), WeakUntil(c, d)) if a == c => {
                let either = self.or(&[b, d])?;
                self.make(WeakUntil(a, either))?
            }
            (Release(a, c), Release(b, d)) if c == d => {
                let either = self.or(&[a, b])?;
                self.make(Release(either, c))?
            }
            (StrongRelease(a, c), StrongRelease(b, d)) if c == d => {
                let either = self.or(&[a, b])?;
                self.make(StrongRelease(either, c))?
            }
            (Globally(a), Until(b, c)) if a == b => self.make(WeakUntil(b, c))?,
            (Globally(a), StrongRelease(b, c)) if a == c => self.make(Release(b, c))?,
            (Globally(a), Finally(b)) if self.begins_where_ends(a, b)? => {
                self.make(WeakUntil(a, b))?
            }
            _ => match (self.without_finally(f)?, self.without_finally(g)?) {
                // What is true always or never may as well be looked for together: fewer states.
                (Some(a), b) if b.is_some() || self.is(g).is_constant() => {
                    let either = self.or(&[a, b.unwrap_or(g)])?;
                    self.make(Finally(either))?
                }
                _ => match self.split_clashing(false, f, g)? {
                    Some(rest) => self.or(&[f, rest])?,
                    None => return Ok(None),
                },
            },
        }))
    }

    /// Whether `b` is `!a & e` for an `a` of states and an eventual `e`: then the first `!a` is as
    /// good as any later one, and `G a | F b = a W b`.
    fn begins_where_ends(&mut self, a: FormulaId, b: FormulaId) -> Result<bool, Limit> {
        if !self.formulas.is_state_formula(a) {
            return Ok(false);
        }
        let Some((_, rest)) = self.split(true, b, |rules, f| rules.is(f).eventual)? else {
            return Ok(false);
        };
        Ok(self.excludes(rest, a)? && self.exhaust(rest, a)?)
    }

    /// Takes out of `g` what `f` decides: `f & (!f | g) = f & g` and `f | !f & g = f | g`.
    fn split_clashing(
        &mut self,
        conjunction: bool,
        f: FormulaId,
        g: FormulaId,
    ) -> Result<Option<FormulaId>, Limit> {
        let Some(operands) = self.operands(!conjunction, &[g]) else { return Ok(None) };
        let mut clashing = Vec::new();
        for x in operands {
            if if conjunction { self.excludes(f, x)? } else { self.exhaust(f, x)? } {
                clashing.push(x);
            }
        }
        Ok(self.split(!conjunction, g, |_, x| clashing.contains(&x))?.map(|(_, rest)| rest))
    }

    /// The `a` of a formula that is `F a` or, by `F (a & b) = F a & b`, the conjunction of `F a`
    /// with what is true always or never.
    fn without_finally(&mut self, f: FormulaId) -> Result<Option<FormulaId>, Limit> {
        if let Formula::Finally(a) = self.get(f) {
            return Ok(Some(a));
        }
        let sought = |rules: &Self, f| matches!(rules.get(f), Formula::Finally(_));
        match self.split(true, f, sought)? {
            Some((taken, rest)) if taken.len() == 1 && self.is(rest).is_constant() => {
                let Formula::Finally(a) = self.get(taken[0]) else { return Ok(None) };
                Ok(Some(self.and(&[a, rest])?))
            }
            _ => Ok(None),
        }
    }

    /// Takes the operands for which `test` holds out of a conjunction or disjunction, if there are
    /// such and others: those, and what is left.
    pub(super) fn split(
        &mut self,
        conjunction: bool,
        f: FormulaId,
        test: impl Fn(&Self, FormulaId) -> bool,
    ) -> Result<Split, Limit> {
        let nested = match self.get(f) {
            Formula::And(..) => conjunction,
            Formula::Or(..) => !conjunction,
            _ => false,
        };
        if !nested {
            return Ok(None);
        }
        let Some(operands) = self.operands(conjunction, &[f]) else { return Ok(None) };
        let (taken, rest): (Vec<_>, Vec<_>) = operands.into_iter().partition(|&f| test(self, f));
        if taken.is_empty() || rest.is_empty() {
            return Ok(None);
        }
        let rest = self.junction(conjunction, &rest)?;
        Ok(Some((taken, rest)))
    }

    /// Takes the disjuncts of `a` that imply `b` out of it: `(a | b) U b = a U b`.
    pub(super) fn split_implying(&mut self, a: FormulaId, b: FormulaId) -> Result<Split, Limit> {
        let Formula::Or(..) = self.get(a) else { return Ok(None) };
        let Some(operands) = self.operands(false, &[a]) else { return Ok(None) };
        let implying: Vec<FormulaId> =
            operands.into_iter().filter(|&f| self.implies(f, b)).collect();
        self.split(false, a, |_, f| implying.contains(&f))
    }

    /// Takes the conjuncts of `a` that `b` implies out of it: `(a & b) R b = a R b`.
    pub(super) fn split_implied(&mut self, a: FormulaId, b: FormulaId) -> Result<Split, Limit> {
        let Formula::And(..) = self.get(a) else { return Ok(None) };
        let Some(operands) = self.operands(true, &[a]) else { return Ok(None) };
        let implied: Vec<FormulaId> =
            operands.into_iter().filter(|&f| self.implies(b, f)).collect();
        self.split(true, a, |_, f| implied.contains(&f))
    }
}

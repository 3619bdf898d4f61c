//! The laws of `U`, `R`, `W` and `M`.

use super::rules::Rules;
use tern_model::{Formula, FormulaId, Limit};

impl Rules<'_, '_> {
    pub(super) fn until(&mut self, a: FormulaId, b: FormulaId) -> Result<Option<FormulaId>, Limit> {
        use Formula::*;
        if self.get(a) == False || self.is(b).eventual || self.implies(a, b) {
            return Ok(Some(b));
        }
        if self.exhaust(a, b)? {
            return Ok(Some(self.make(Finally(b))?));
        }
        match (self.get(a), self.get(b)) {
            (Next(c), Next(d)) => {
                let inner = self.make(Until(c, d))?;
                return Ok(Some(self.make(Next(inner))?));
            }
            (Next(c), _) => {
                // X c U b = b | X (b M c)
                let rest = self.make(StrongRelease(b, c))?;
                let rest = self.make(Next(rest))?;
                return Ok(Some(self.or(&[b, rest])?));
            }
            (_, Until(c, _)) if self.implies(a, c) => return Ok(Some(b)),
            (_, Until(c, d)) if self.implies(c, a) => return Ok(Some(self.make(Until(a, d))?)),
            _ => (),
        }
        if let Some((_, rest)) = self.split_implying(a, b)? {
            return Ok(Some(self.make(Until(rest, b))?));
        }
        if let Some((mut taken, rest)) = self.split(false, b, |rules, f| rules.is(f).eventual)? {
            taken.push(self.make(Until(a, rest))?);
            return Ok(Some(self.or(&taken)?));
        }
        if let Some((mut taken, rest)) =
            self.split(true, b, |rules, f| rules.is(f).is_constant())?
        {
            taken.push(self.make(Until(a, rest))?);
            return Ok(Some(self.and(&taken)?));
        }
        if let Some((_, rest)) = self.split(true, b, |_, f| f == a)? {
            return Ok(Some(self.make(StrongRelease(rest, a))?));
        }
        if let Some((_, rest)) = self.split(false, b, |rules, f| rules.get(f) == Globally(a))? {
            return Ok(Some(self.make(WeakUntil(a, rest))?));
        }
        Ok(None)
    }

    pub(super) fn release(
        &mut self,
        a: FormulaId,
        b: FormulaId,
    ) -> Result<Option<FormulaId>, Limit> {
        use Formula::*;
        if self.get(a) == True || self.is(b).universal || self.implies(b, a) {
            return Ok(Some(b));
        }
        if self.excludes(b, a)? {
            return Ok(Some(self.make(Globally(b))?));
        }
        match (self.get(a), self.get(b)) {
            (Next(c), Next(d)) => {
                let inner = self.make(Release(c, d))?;
                return Ok(Some(self.make(Next(inner))?));
            }
            (Next(c), _) => {
                // X c R b = b & X (b W c)
                let rest = self.make(WeakUntil(b, c))?;
                let rest = self.make(Next(rest))?;
                return Ok(Some(self.and(&[b, rest])?));
            }
            (_, Release(c, _)) if self.implies(c, a) => return Ok(Some(b)),
            (_, Release(c, d)) if self.implies(a, c) => return Ok(Some(self.make(Release(a, d))?)),
            _ => (),
        }
        if let Some((_, rest)) = self.split_implied(a, b)? {
            return Ok(Some(self.make(Release(rest, b))?));
        }
        if let Some((mut taken, rest)) = self.split(true, b, |rules, f| rules.is(f).universal)? {
            taken.push(self.make(Release(a, rest))?);
            return Ok(Some(self.and(&taken)?));
        }
        if let Some((mut taken, rest)) =
            self.split(false, b, |rules, f| rules.is(f).is_constant())?
        {
            taken.push(self.make(Release(a, rest))?);
            return Ok(Some(self.or(&taken)?));
        }
        if let Some((_, rest)) = self.split(false, b, |_, f| f == a)? {
            return Ok(Some(self.make(WeakUntil(rest, a))?));
        }
        if let Some((_, rest)) = self.split(true, b, |rules, f| rules.get(f) == Finally(a))? {
            return Ok(Some(self.make(StrongRelease(a, rest))?));
        }
        Ok(None)
    }

    pub(super) fn weak_until(
        &mut self,
        a: FormulaId,
        b: FormulaId,
    ) -> Result<Option<FormulaId>, Limit> {
        use Formula::*;
        if self.implies(a, b) {
            return Ok(Some(b));
        }
        if self.exhaust(a, b)? {
            return Ok(Some(self.constant(true)));
        }
        if self.get(b) == False {
            return Ok(Some(self.make(Globally(a))?));
        }
        if self.is(a).universal {
            return Ok(Some(self.or(&[a, b])?));
        }
        if self.is(b).eventual {
            let always = self.make(Globally(a))?;
            return Ok(Some(self.or(&[b, always])?));
        }
        match (self.get(a), self.get(b)) {
            (Next(c), Next(d)) => {
                let inner = self.make(WeakUntil(c, d))?;
                return Ok(Some(self.make(Next(inner))?));
            }
            (Next(c), _) => {
                // X c W b = b | X (b R c)
                let rest = self.make(Release(b, c))?;
                let rest = self.make(Next(rest))?;
                return Ok(Some(self.or(&[b, rest])?));
            }
            (_, WeakUntil(c, _)) if self.implies(a, c) => return Ok(Some(b)),
            (_, WeakUntil(c, d)) if self.implies(c, a) => {
                return Ok(Some(self.make(WeakUntil(a, d))?));
            }
            _ => (),
        }
        if let Some((_, rest)) = self.split_implying(a, b)? {
            return Ok(Some(self.make(WeakUntil(rest, b))?));
        }
        if let Some((mut taken, rest)) = self.split(false, b, |rules, f| rules.is(f).eventual)? {
            taken.push(self.make(WeakUntil(a, rest))?);
            return Ok(Some(self.or(&taken)?));
        }
        if let Some((_, rest)) = self.split(true, b, |_, f| f == a)? {
            return Ok(Some(self.make(Release(rest, a))?));
        }
        if let Some((_, rest)) = self.split(false, b, |rules, f| rules.get(f) == Globally(a))? {
            return Ok(Some(self.make(WeakUntil(a, rest))?));
        }
        Ok(None)
    }

    pub(super) fn strong_release(
        &mut self,
        a: FormulaId,
        b: FormulaId,
    ) -> Result<Option<FormulaId>, Limit> {
        use Formula::*;
        if self.implies(b, a) {
            return Ok(Some(b));
        }
        if self.excludes(b, a)? {
            return Ok(Some(self.constant(false)));
        }
        if self.get(b) == True {
            return Ok(Some(self.make(Finally(a))?));
        }
        if self.is(a).eventual {
            return Ok(Some(self.and(&[a, b])?));
        }
        if self.is(b).universal {
            let end = self.make(Finally(a))?;
            return Ok(Some(self.and(&[b, end])?));
        }
        match (self.get(a), self.get(b)) {
            (Next(c), Next(d)) => {
                let inner = self.make(StrongRelease(c, d))?;
                return Ok(Some(self.make(Next(inner))?));
            }
            (Next(c), _) => {
                // X c M b = b & X (b U c)
                let rest = self.make(Until(b, c))?;
                let rest = self.make(Next(rest))?;
                return Ok(Some(self.and(&[b, rest])?));
            }
            (_, StrongRelease(c, _)) if self.implies(c, a) => return Ok(Some(b)),
            (_, StrongRelease(c, d)) if self.implies(a, c) => {
                return Ok(Some(self.make(StrongRelease(a, d))?));
            }
            _ => (),
        }
        if let Some((_, rest)) = self.split_implied(a, b)? {
            return Ok(Some(self.make(StrongRelease(rest, b))?));
        }
        if let Some((mut taken, rest)) = self.split(true, b, |rules, f| rules.is(f).universal)? {
            taken.push(self.make(StrongRelease(a, rest))?);
            return Ok(Some(self.and(&taken)?));
        }
        if let Some((_, rest)) = self.split(false, b, |_, f| f == a)? {
            return Ok(Some(self.make(Until(rest, a))?));
        }
        if let Some((_, rest)) = self.split(true, b, |rules, f| rules.get(f) == Finally(a))? {
            return Ok(Some(self.make(StrongRelease(a, rest))?));
        }
        Ok(None)
    }
}

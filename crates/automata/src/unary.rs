//! The laws of `F` and `G`.
//!
//! `e` stands for what is eventual, `u` for what is universal; see `implication.rs`.

use super::rules::Rules;
use tern_model::{Formula, FormulaId, Limit};

impl Rules<'_, '_> {
    pub(super) fn finally(&mut self, f: FormulaId) -> Result<Option<FormulaId>, Limit> {
        use Formula::*;
        if self.is(f).eventual {
            return Ok(Some(f));
        }
        Ok(Some(match self.get(f) {
            Next(a) => {
                let inner = self.make(Finally(a))?;
                self.make(Next(inner))?
            }
            Until(_, b) => self.make(Finally(b))?,
            StrongRelease(a, b) => {
                let both = self.and(&[a, b])?;
                self.make(Finally(both))?
            }
            WeakUntil(a, b) => {
                let (end, always) = (self.make(Finally(b))?, self.make(Globally(a))?);
                let always = self.make(Finally(always))?;
                self.or(&[end, always])?
            }
            Release(a, b) => {
                let both = self.and(&[a, b])?;
                let (end, always) = (self.make(Finally(both))?, self.make(Globally(b))?);
                let always = self.make(Finally(always))?;
                self.or(&[end, always])?
            }
            Or(..) => {
                // F (a | F b) = F (a | b)
                let sought = |rules: &Self, f| matches!(rules.get(f), Finally(_));
                let Some((taken, rest)) = self.split(false, f, sought)? else { return Ok(None) };
                let mut list = vec![rest];
                list.extend(taken.iter().flat_map(|&f| self.get(f).operands()));
                let either = self.or(&list)?;
                self.make(Finally(either))?
            }
            And(..) => {
                let constant = |rules: &Self, f| rules.is(f).is_constant();
                let Some((mut taken, rest)) = self.split(true, f, constant)? else {
                    return Ok(None);
                };
                taken.push(self.make(Finally(rest))?);
                self.and(&taken)?
            }
            Globally(g) => {
                // F G (a | u) = F G a | F u and F G (a | e) = F G a | G e, and the same for `&`.
                let stable = |rules: &Self, f| rules.is(f).eventual || rules.is(f).universal;
                let conjunction = matches!(self.get(g), And(..));
                let Some((taken, rest)) = self.split(conjunction, g, stable)? else {
                    return Ok(None);
                };
                let rest = self.make(Globally(rest))?;
                let mut list = vec![self.make(Finally(rest))?];
                for f in taken {
                    let operator = if self.is(f).universal { Finally(f) } else { Globally(f) };
                    list.push(self.make(operator)?);
                }
                self.junction(conjunction, &list)?
            }
            _ => return Ok(None),
        }))
    }

    pub(super) fn globally(&mut self, f: FormulaId) -> Result<Option<FormulaId>, Limit> {
        use Formula::*;
        if self.is(f).universal {
            return Ok(Some(f));
        }
        Ok(Some(match self.get(f) {
            Next(a) => {
                let inner = self.make(Globally(a))?;
                self.make(Next(inner))?
            }
            Release(_, b) => self.make(Globally(b))?,
            WeakUntil(a, b) => {
                let either = self.or(&[a, b])?;
                self.make(Globally(either))?
            }
            StrongRelease(a, b) => {
                let (end, always) = (self.make(Finally(a))?, self.make(Globally(b))?);
                let end = self.make(Globally(end))?;
                self.and(&[end, always])?
            }
            Until(a, b) => {
                let either = self.or(&[a, b])?;
                let (always, end) = (self.make(Globally(either))?, self.make(Finally(b))?);
                let end = self.make(Globally(end))?;
                self.and(&[end, always])?
            }
            And(..) => {
                let stable = |rules: &Self, f| rules.is(f).eventual || rules.is(f).universal;
                let Some((taken, rest)) = self.split(true, f, stable)? else { return Ok(None) };
                let mut list = vec![self.make(Globally(rest))?];
                for f in taken {
                    list.push(self.make(Globally(f))?);
                }
                self.and(&list)?
            }
            Or(..) => {
                let constant = |rules: &Self, f| rules.is(f).is_constant();
                let Some((mut taken, rest)) = self.split(false, f, constant)? else {
                    return Ok(None);
                };
                taken.push(self.make(Globally(rest))?);
                self.or(&taken)?
            }
            Finally(g) => {
                // G F (a & e) = G F a & G e and G F (a & u) = G F a & F u, and the same for `|`.
                let stable = |rules: &Self, f| rules.is(f).eventual || rules.is(f).universal;
                let conjunction = matches!(self.get(g), And(..));
                let Some((taken, rest)) = self.split(conjunction, g, stable)? else {
                    return Ok(None);
                };
                let rest = self.make(Finally(rest))?;
                let mut list = vec![self.make(Globally(rest))?];
                for f in taken {
                    let operator = if self.is(f).eventual { Globally(f) } else { Finally(f) };
                    list.push(self.make(operator)?);
                }
                self.junction(conjunction, &list)?
            }
            _ => return Ok(None),
        }))
    }
}

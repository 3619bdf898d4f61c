//! The laws by which a path formula becomes simpler, applied while it is made.
//!
//! Every operator is made from operands that are simple already, by the laws of Somenzi and Bloem
//! (2000), of Etessami and Holzmann (2000), and of Spot (`tl.pdf`, "favouring event and universality").
//! Most come in pairs that negation turns into each other; they stand side by side.
//!
//! One law may ask for another formula to be made, but only [`DEPTH`] levels deep; below that formulas
//! are made as they are.

use super::implication::{Implication, Stability};
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::{Formula, FormulaId, Formulas, Limit};

/// How often a law may lead to another before formulas are made as they are.
const DEPTH: u32 = 40;
/// The most operands of a conjunction or disjunction that are compared with each other.
const MOST_OPERANDS: usize = 64;

/// Makes simple formulas in an arena.
pub(super) struct Rules<'f, 'b> {
    formulas: &'f mut Formulas,
    implication: Implication,
    meter: Meter<'b>,
    made: FxHashMap<Formula, FormulaId>,
    negations: FxHashMap<FormulaId, FormulaId>,
    depth: u32,
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

    fn plain(&mut self, formula: Formula) -> FormulaId {
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

    fn is(&self, id: FormulaId) -> Stability {
        self.implication.stability(id)
    }

    fn implies(&mut self, f: FormulaId, g: FormulaId) -> bool {
        self.implication.implies(self.formulas, f, g)
    }

    /// Whether `f` implies that `g` does not hold.
    fn excludes(&mut self, f: FormulaId, g: FormulaId) -> Result<bool, Limit> {
        let not_g = self.negation(g)?;
        Ok(self.implies(f, not_g))
    }

    /// Whether one of the two always holds.
    fn exhaust(&mut self, f: FormulaId, g: FormulaId) -> Result<bool, Limit> {
        let not_f = self.negation(f)?;
        Ok(self.implies(not_f, g))
    }

    /// The negation of a formula in negation normal form, not made simpler.
    fn negation(&mut self, root: FormulaId) -> Result<FormulaId, Limit> {
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

    fn and(&mut self, list: &[FormulaId]) -> Result<FormulaId, Limit> {
        self.junction(true, list)
    }

    fn or(&mut self, list: &[FormulaId]) -> Result<FormulaId, Limit> {
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
            for j in 0..operands.len() {
                self.meter.tick()?;
                let g = operands[j];
                if i != j && if conjunction { self.implies(g, f) } else { self.implies(f, g) } {
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

    /// Whether `b` is `!a & e` for an `a` of states and an eventual `e`: then the first `!a` is as good as
    /// any later one, and `G a | F b = a W b`.
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

    /// The `a` of a formula that is `F a` or, by `F (a & b) = F a & b`, the conjunction of `F a` with
    /// what is true always or never.
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

    /// Takes the operands for which `test` holds out of a conjunction or disjunction, if there are such
    /// and others: those, and what is left.
    fn split(
        &mut self,
        conjunction: bool,
        f: FormulaId,
        test: impl Fn(&Self, FormulaId) -> bool,
    ) -> Result<Option<(Vec<FormulaId>, FormulaId)>, Limit> {
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

    fn finally(&mut self, f: FormulaId) -> Result<Option<FormulaId>, Limit> {
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

    fn globally(&mut self, f: FormulaId) -> Result<Option<FormulaId>, Limit> {
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

    fn until(&mut self, a: FormulaId, b: FormulaId) -> Result<Option<FormulaId>, Limit> {
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

    fn release(&mut self, a: FormulaId, b: FormulaId) -> Result<Option<FormulaId>, Limit> {
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

    fn weak_until(&mut self, a: FormulaId, b: FormulaId) -> Result<Option<FormulaId>, Limit> {
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

    fn strong_release(&mut self, a: FormulaId, b: FormulaId) -> Result<Option<FormulaId>, Limit> {
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

    /// Takes the disjuncts of `a` that imply `b` out of it: `(a | b) U b = a U b`.
    fn split_implying(
        &mut self,
        a: FormulaId,
        b: FormulaId,
    ) -> Result<Option<(Vec<FormulaId>, FormulaId)>, Limit> {
        let Formula::Or(..) = self.get(a) else { return Ok(None) };
        let Some(operands) = self.operands(false, &[a]) else { return Ok(None) };
        let implying: Vec<FormulaId> =
            operands.into_iter().filter(|&f| self.implies(f, b)).collect();
        self.split(false, a, |_, f| implying.contains(&f))
    }

    /// Takes the conjuncts of `a` that `b` implies out of it: `(a & b) R b = a R b`.
    fn split_implied(
        &mut self,
        a: FormulaId,
        b: FormulaId,
    ) -> Result<Option<(Vec<FormulaId>, FormulaId)>, Limit> {
        let Formula::And(..) = self.get(a) else { return Ok(None) };
        let Some(operands) = self.operands(true, &[a]) else { return Ok(None) };
        let implied: Vec<FormulaId> =
            operands.into_iter().filter(|&f| self.implies(b, f)).collect();
        self.split(true, a, |_, f| implied.contains(&f))
    }
}

//! In which order variables get their values, and when constraints are asked.

use super::flat::Flat;
use super::syntax::VarKind;
use super::system::{Slot, Stepper};
use super::terms::{Op, Term, TermId, Terms, VarId};
use crate::problem::Problem;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use tern_model::budget::Meter;
use tern_model::index::Table;
use tern_model::{Limit, Span};

impl Flat {
    /// Orders variables so that each comes behind those that its value depends on.
    pub(super) fn stepper(
        &mut self,
        vars: &[VarId],
        values: &FxHashMap<VarId, (TermId, Span)>,
        constraints: &[TermId],
        targets: &FxHashMap<VarId, Span>,
        meter: &mut Meter<'_>,
    ) -> Result<Stepper, Limit> {
        let mut support = Support::new(&self.terms, &self.vars);
        let mut needs: BTreeMap<VarId, BTreeSet<VarId>> = BTreeMap::new();
        for (var, (term, _)) in vars.iter().filter_map(|var| Some((*var, values.get(var)?))) {
            needs.insert(var, support.of(*term, meter)?);
        }
        let asked: Vec<BTreeSet<VarId>> =
            constraints.iter().map(|&it| support.of(it, meter)).collect::<Result<_, _>>()?;
        // Assigned ones as soon as they can be; of the others, those that constraints ask for.
        let mut order: Vec<VarId> = Vec::with_capacity(vars.len());
        let mut placed: Table<VarId, bool> = Table::filled(false, self.vars.len());
        let is_input = |flat: &Self, var: VarId| flat.vars[var].kind == VarKind::Input;
        let used: BTreeSet<VarId> = needs.values().chain(&asked).flatten().copied().collect();
        let mut waiting: Vec<VarId> =
            vars.iter().copied().filter(|var| needs.contains_key(var)).collect();
        let mut free: Vec<VarId> = vars
            .iter()
            .copied()
            .filter(|&var| !needs.contains_key(&var))
            .filter(|&var| !is_input(self, var) || used.contains(&var))
            .collect();
        free.reverse();
        loop {
            let before = order.len();
            let mut left = Vec::new();
            for &var in &waiting {
                meter.tick()?;
                let ready = needs[&var].iter().all(|&it| placed[it] && it != var);
                if ready {
                    placed[var] = true;
                    order.push(var);
                } else {
                    left.push(var);
                }
            }
            waiting = left;
            if order.len() > before {
                continue;
            }
            let Some(var) = free.pop() else { break };
            placed[var] = true;
            order.push(var);
        }
        if let Some(var) = waiting.first() {
            let span = targets.get(var).copied().unwrap_or(self.vars[*var].span);
            self.circular_assignments(&waiting, span);
            return Ok(Stepper::default());
        }
        Ok(self.slots(&order, values, constraints, &asked))
    }

    fn circular_assignments(&mut self, vars: &[VarId], span: Span) {
        let names: Vec<String> =
            vars.iter().take(5).map(|&var| format!("`{}`", self.vars[var].name)).collect();
        self.problem("S024", span, |_| {
            let message =
                format!("assignments depend on each other in a circle: {}", names.join(", "));
            let problem = Problem::error("S024", message).at(span, "one of them");
            problem.hint("the value of one of them must not depend on the others in the same state")
        });
    }

    fn slots(
        &self,
        order: &[VarId],
        values: &FxHashMap<VarId, (TermId, Span)>,
        constraints: &[TermId],
        asked: &[BTreeSet<VarId>],
    ) -> Stepper {
        let position: FxHashMap<VarId, usize> =
            order.iter().enumerate().map(|(i, &var)| (var, i)).collect();
        let mut stepper = Stepper::default();
        for &var in order {
            stepper.slots.push(Slot {
                var,
                is_input: self.vars[var].kind == VarKind::Input,
                value: values.get(&var).copied(),
                equal: None,
                constraints: Vec::new(),
            });
        }
        for (&constraint, vars) in constraints.iter().zip(asked) {
            let at: BTreeSet<usize> =
                vars.iter().filter_map(|it| position.get(it).copied()).collect();
            let Some(&last) = at.last() else {
                stepper.before.push(constraint);
                continue;
            };
            // `next(x) = e`, where all that `e` asks for comes before.
            let equal = match self.terms.get(constraint) {
                Term::Binary(Op::Equal, a, b) => [(a, b), (b, a)]
                    .into_iter()
                    .find(|&(it, _)| self.terms.get(it) == Term::Next(order[last])),
                _ => None,
            };
            let slot = &mut stepper.slots[last];
            if let (Some((_, other)), None, None) = (equal, slot.value, slot.equal)
                && !self.asks(other, slot.var)
            {
                slot.equal = Some(other);
            }
            for &i in &at {
                stepper.slots[i].constraints.push((constraint, i == last));
            }
        }
        stepper
    }

    /// The inputs that a term asks for.
    pub(super) fn inputs_of(&self, term: TermId) -> Vec<VarId> {
        let mut support = Support::new(&self.terms, &self.vars);
        let found = support.collect(term, &mut |()| Ok(())).unwrap_or_default();
        found.into_iter().filter(|&var| self.vars[var].kind == VarKind::Input).collect()
    }

    /// Whether a term asks for the next value of a variable.
    fn asks(&self, term: TermId, var: VarId) -> bool {
        let mut support = Support::new(&self.terms, &self.vars);
        support.collect(term, &mut |_| Ok(())).is_ok_and(|found| found.contains(&var))
    }
}

/// Finds the variables of terms that are to be given a value: next values, and inputs.
struct Support<'a> {
    terms: &'a Terms,
    vars: &'a Table<VarId, super::flat::Var>,
}

impl<'a> Support<'a> {
    fn new(terms: &'a Terms, vars: &'a Table<VarId, super::flat::Var>) -> Self {
        Support { terms, vars }
    }

    fn of(&mut self, term: TermId, meter: &mut Meter<'_>) -> Result<BTreeSet<VarId>, Limit> {
        self.collect(term, &mut |()| meter.tick())
    }

    fn collect(
        &mut self,
        term: TermId,
        tick: &mut dyn FnMut(()) -> Result<(), Limit>,
    ) -> Result<BTreeSet<VarId>, Limit> {
        let mut found = BTreeSet::new();
        let mut seen: BTreeSet<TermId> = BTreeSet::from([term]);
        let mut left = vec![term];
        while let Some(term) = left.pop() {
            tick(())?;
            let facts = self.terms.facts(term);
            if !(facts.has_next || facts.has_input) {
                continue;
            }
            let mut visit = |operand: TermId| {
                if seen.insert(operand) {
                    left.push(operand);
                }
            };
            match self.terms.get(term) {
                Term::Next(var) => {
                    found.insert(var);
                }
                Term::Now(var) => {
                    if self.vars[var].kind == VarKind::Input {
                        found.insert(var);
                    }
                }
                Term::Const(_) | Term::Set(_) | Term::Fault(..) => {}
                Term::Not(a) | Term::Negate(a) | Term::ToInt(a) | Term::ToBool(a) => visit(a),
                Term::Member(a, _) => visit(a),
                Term::Table(a, table) => {
                    visit(a);
                    self.terms.table(table).iter().copied().for_each(visit);
                }
                Term::Binary(_, a, b) => [a, b].into_iter().for_each(visit),
                Term::If(a, b, c) => [a, b, c].into_iter().for_each(visit),
            }
        }
        Ok(found)
    }
}

//! Specifications as claims, and which paths they are about.
//!
//! As in NuSMV, `LTLSPEC` is about the paths that keep all of `FAIRNESS`, `JUSTICE` and
//! `COMPASSION`, `SPEC` about those that keep the first two, and `INVARSPEC` about all states that
//! can be reached, on whatever path. Initial states from which no such path begins do not count.

use super::flat::InstanceId;
use super::program::{Draft, Drafted};
use super::spec::{Speaker, Specified};
use super::syntax::{ModuleId, SpecKind, Whole};
use crate::problem::Problem;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::logic::rewrite::rebuild;
use tern_model::{
    AtomId, Claim, Condition, Fairness, Formula, FormulaId, Limit, Pair, Span, Under,
};

/// From how many places of labels on `a != b` is said as `!(a = b)`.
const MANY_PLACES: usize = 1 << 20;

impl Draft {
    /// Makes claims of specifications, and conditions of fairness.
    pub(super) fn specifications(&mut self, meter: &mut Meter<'_>) -> Result<(), Limit> {
        let mut first_pair = None;
        for instance in self.flat.instances.ids() {
            let module = self.flat.instances[instance].module;
            for condition in self.flat.text.modules[module].justice.clone() {
                let found = self.condition(condition, instance, meter)?;
                self.fair.extend(found.map(|Specified { formula, spans }| Condition {
                    fairness: Fairness::Justice(formula),
                    spans,
                }));
            }
            for (when, then) in self.flat.text.modules[module].compassion.clone() {
                first_pair.get_or_insert(self.flat.text.span(when));
                let when = self.condition(when, instance, meter)?;
                let then = self.condition(then, instance, meter)?;
                let (Some(mut when), Some(mut then)) = (when, then) else { continue };
                when.spans.append(&mut then.spans);
                let pair = Pair { when: when.formula.into(), then: then.formula.into() };
                self.fair.push(Condition { fairness: pair.into(), spans: when.spans });
            }
        }
        for instance in self.flat.instances.ids() {
            let module = self.flat.instances[instance].module;
            for i in 0..self.flat.text.modules[module].specs.len() {
                self.specification(instance, module, i, meter)?;
            }
        }
        self.claims.sort_by_key(|drafted| drafted.claim.span.start);
        self.warn_of_pairs(first_pair);
        for span in std::mem::take(&mut self.flat.text.left_out) {
            let message = "`COMPUTE` is left out: it asks for a number, and claims nothing";
            let problem = Problem::warning("S061", message).at(span, "left out");
            self.warnings.push(problem.hint("ask with bounds: `SPEC ABF 0..5 p`"));
        }
        Ok(())
    }

    /// A condition of fairness: of states, or of steps that are remembered.
    fn condition(
        &mut self,
        whole: Whole,
        instance: InstanceId,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Specified>, Limit> {
        if let Some(term) = self.flat.condition(whole, instance, false, meter)? {
            let (facts, span) = (self.flat.terms.facts(term), self.flat.text.span(whole));
            if facts.has_input && !facts.has_next {
                let formula = self.speaker().remembered(term, whole, instance);
                return Ok(Some(Specified { formula, spans: vec![(formula, span)] }));
            }
        }
        self.formula(whole, instance, SpecKind::Invariant, meter)
    }

    fn speaker(&mut self) -> Speaker<'_> {
        Speaker {
            flat: &mut self.flat,
            formulas: &mut self.formulas,
            propositions: &mut self.propositions,
        }
    }

    fn formula(
        &mut self,
        whole: Whole,
        instance: InstanceId,
        kind: SpecKind,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Specified>, Limit> {
        self.speaker().formula(whole, instance, kind, meter)
    }

    fn specification(
        &mut self,
        instance: InstanceId,
        module: ModuleId,
        i: usize,
        meter: &mut Meter<'_>,
    ) -> Result<(), Limit> {
        let spec = self.flat.text.modules[module].specs[i].clone();
        let found = self.formula(spec.formula, instance, spec.kind, meter)?;
        let Some(Specified { mut formula, spans }) = found else { return Ok(()) };
        if spec.kind == SpecKind::Invariant {
            let always = self.formulas.make(Formula::Globally(formula));
            formula = self.formulas.make(Formula::All(always));
        }
        let part = match self.flat.has_calls {
            true => self.parts.iter().position(|part| part.root == instance).unwrap_or(0),
            false => 0,
        };
        let is_just = |condition: &Condition| matches!(condition.fairness, Fairness::Justice(_));
        let asks = match spec.kind {
            SpecKind::Ctl => self.fair.iter().any(is_just),
            // What speaks of no path speaks of the first states of paths.
            SpecKind::Ltl => !self.fair.is_empty() && self.formulas.is_state_formula(formula),
            SpecKind::Invariant => false,
        };
        if asks {
            formula = self.where_fair(formula);
        }
        let under = match spec.kind {
            SpecKind::Ltl => Under::All,
            SpecKind::Ctl => Under::Justice,
            SpecKind::Invariant => Under::Nothing,
        };
        let path = &self.flat.instances[instance].path;
        let name = spec.name.map(|name| format!("{path}{name}"));
        let claim = Claim { name, under, span: spec.span, spans, ..Claim::new(formula) };
        self.claims.push(Drafted { claim, part });
        Ok(())
    }

    /// A claim about the initial states from which there is a fair path: NuSMV leaves out the
    /// others.
    fn where_fair(&mut self, formula: FormulaId) -> FormulaId {
        if matches!(self.formulas.get(formula), Formula::All(_)) {
            return formula;
        }
        let anything = self.formulas.make(Formula::True);
        let fair = self.formulas.make(Formula::Exists(anything));
        self.formulas.make(Formula::Implies(fair, formula))
    }

    /// Warns if there is strong fairness beside claims that do not ask for it.
    fn warn_of_pairs(&mut self, first: Option<Span>) {
        let is_ctl = |drafted: &&Drafted| drafted.claim.under == Under::Justice;
        let (Some(span), Some(claim)) = (first, self.claims.iter().find(is_ctl)) else { return };
        let message = "`COMPASSION` does not count for SPEC: as in NuSMV, only for LTLSPEC";
        let problem = Problem::warning("S060", message).at(span, "left out of branching time");
        self.warnings.push(
            problem
                .related(claim.claim.span, "for this, among others")
                .hint("write LTLSPEC, or give the claim and `--compassion` on the command line"),
        );
    }

    /// Says `!(a = b)` for `a != b` where states and such propositions are many: of the states,
    /// most are labelled with the one and few with the other.
    pub(super) fn shorten(&mut self, states: usize) {
        if self.propositions.unequal().saturating_mul(states) < MANY_PLACES {
            return;
        }
        let pairs = self.propositions.take_opposites(&mut self.flat.terms);
        let formulas = &mut self.formulas;
        let mut opposite: FxHashMap<AtomId, FormulaId> = FxHashMap::default();
        for (name, other) in &pairs {
            let atom = formulas.atom(name);
            if let Formula::Atom(atom) = formulas.get(atom) {
                opposite.insert(atom, formulas.atom(other));
            }
        }
        let say = |formulas: &mut tern_model::Formulas, formula: FormulaId| {
            rebuild(formulas, formula, |formulas, _, formula| match formula {
                Formula::Atom(atom) => match opposite.get(&atom) {
                    Some(&other) => formulas.make(Formula::Not(other)),
                    None => formulas.make(formula),
                },
                _ => formulas.make(formula),
            })
        };
        for Drafted { claim, .. } in &mut self.claims {
            if let Some(formula) = claim.formula() {
                claim.property = say(formulas, formula).into();
            }
        }
        for condition in &mut self.fair {
            let mut side = |formula: FormulaId| say(formulas, formula);
            condition.fairness = match &condition.fairness {
                Fairness::Justice(formula) => Fairness::Justice(side(*formula)),
                Fairness::Compassion(Pair { when, then }) => {
                    let both = when.formula().zip(then.formula());
                    let Some((when, then)) = both else { continue };
                    Pair { when: side(when).into(), then: side(then).into() }.into()
                }
            };
        }
    }
}

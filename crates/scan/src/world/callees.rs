//! What is known of calls: models of library methods, events of rules, targets.

use super::{Callee, MOST_TARGETS, Match, World};
use crate::models::{Model, glob};
use crate::rules::{Pattern, Rule, What};
use rustc_hash::FxHashMap;
use tern_ir::{NameId, ProcId};
use tern_model::Limit;
use tern_model::budget::Meter;

impl World<'_> {
    pub(super) fn find_callees(&mut self, rules: &[Rule], meter: &mut Meter) -> Result<(), Limit> {
        let mut callees = Vec::new();
        let mut models: FxHashMap<(NameId, NameId), Model> = FxHashMap::default();
        for reference in self.calls.references().as_slice() {
            meter.tick()?;
            let class = self.program.text(reference.class);
            let selector = &self.program.selectors()[reference.selector];
            let method = self.program.text(selector.name);
            let model = models
                .entry((reference.class, selector.name))
                .or_insert_with(|| self.models.of(class, method));
            let mut callee = Callee { model: *model, ..Callee::default() };
            let bodies = reference.targets.iter().copied();
            let has_body = |id: &ProcId| self.program.procedures()[*id].body.is_some();
            let few = reference.targets.len() <= MOST_TARGETS;
            if few && reference.unknown.is_none() && bodies.clone().all(|id| has_body(&id)) {
                callee.targets =
                    Some(bodies.clone().collect()).filter(|it: &Vec<_>| !it.is_empty());
            }
            callee.is_missing = !bodies.clone().any(|id| has_body(&id));
            for (number, rule) in rules.iter().enumerate() {
                let mut note = |pattern: &Pattern, event: Option<u8>| {
                    if self.fits(rule, pattern, reference.class, selector, method) {
                        callee.matches.push(Match {
                            rule: number as u8,
                            event,
                            what: pattern.what.clone(),
                            result: pattern.result,
                        });
                        return true;
                    }
                    false
                };
                for pattern in &rule.forget {
                    note(pattern, None);
                }
                let mut fit = Vec::new();
                for (event, row) in rule.events.iter().enumerate() {
                    if row.except.iter().any(|other| fit.contains(other)) {
                        continue;
                    }
                    if row.patterns.iter().any(|pattern| note(pattern, Some(event as u8))) {
                        fit.push(event);
                    }
                }
            }
            callees.push(callee);
        }
        self.callees = callees;
        Ok(())
    }

    fn fits(
        &self,
        rule: &Rule,
        pattern: &Pattern,
        class: NameId,
        selector: &tern_ir::Selector,
        method: &str,
    ) -> bool {
        if !glob(pattern.method.as_bytes(), method.as_bytes()) || pattern.method.is_empty() {
            return false;
        }
        if method == "<init>" && pattern.method != "<init>" {
            return false;
        }
        let is_class = match &pattern.class {
            Some(name) if pattern.what == What::Made => {
                glob(name.as_bytes(), self.program.text(class).as_bytes())
            }
            Some(name) => self.is_of(class, std::slice::from_ref(name)),
            None => rule.object.as_ref().is_some_and(|(_, names)| self.is_of(class, names)),
        };
        is_class
            && pattern.parameters.as_ref().is_none_or(|types| {
                let given = selector.parameters.iter();
                types.len() == given.len()
                    && types.iter().zip(given).all(|(wanted, &ty)| {
                        let text = self.type_text(ty);
                        text == *wanted || text.ends_with(&format!(".{wanted}"))
                    })
            })
    }
}

//! What is known of calls: models of library methods, events of rules, targets.

use super::asserted::{Called, asserted};
use super::{Asserted, Callee, MOST_TARGETS, Match, World};
use crate::models::{Model, glob};
use crate::rules::{Claim, Given, Literal, Pattern, Rule, What};
use rustc_hash::FxHashMap;
use tern_ir::{Dispatch, NameId, ProcId, SelectorId, Type};
use tern_model::budget::Meter;
use tern_model::{Limit, Tri};
use tern_program::calls::Reference;

/// A pattern of a rule: an event by its number, or none for what makes the object forgotten.
struct Row<'r> {
    rule: u8,
    event: Option<u8>,
    pattern: &'r Pattern,
}

/// The patterns of all rules, by the method that they name.
struct Patterns<'r> {
    /// In the order of rules; in each what is forgotten first, then events as they are written.
    rows: Vec<Row<'r>>,
    named: FxHashMap<&'r str, Vec<usize>>,
    /// Those with a star in the name of the method.
    open: Vec<usize>,
}

impl<'r> Patterns<'r> {
    fn new(rules: &'r [Rule]) -> Self {
        let mut all = Patterns { rows: Vec::new(), named: FxHashMap::default(), open: Vec::new() };
        for (number, rule) in rules.iter().enumerate() {
            let forgotten = rule.forget.iter().map(|pattern| (None, pattern));
            let events = rule.events.iter().enumerate();
            let events = events.flat_map(|(event, row)| {
                row.patterns.iter().map(move |pattern| (Some(event as u8), pattern))
            });
            for (event, pattern) in forgotten.chain(events) {
                let row = all.rows.len();
                match pattern.method.contains('*') {
                    true => all.open.push(row),
                    false => all.named.entry(&pattern.method).or_default().push(row),
                }
                all.rows.push(Row { rule: number as u8, event, pattern });
            }
        }
        all
    }

    /// The patterns whose method fits a name, in their order.
    fn of(&self, method: &str) -> Vec<usize> {
        let fits = |row: &usize| glob(self.rows[*row].pattern.method.as_bytes(), method.as_bytes());
        let mut found: Vec<usize> = self.named.get(method).cloned().unwrap_or_default();
        if method != "<init>" {
            found.extend(self.open.iter().copied().filter(fits));
        }
        found.sort_unstable();
        found
    }
}

impl World<'_> {
    pub(super) fn find_callees(
        &mut self,
        declared: &[(ProcId, Box<[NameId]>)],
        rules: &[Rule],
        meter: &mut Meter,
    ) -> Result<(), Limit> {
        let declared: FxHashMap<ProcId, &[NameId]> =
            declared.iter().map(|(id, classes)| (*id, &**classes)).collect();
        let mut callees = Vec::new();
        let mut models: FxHashMap<(NameId, SelectorId), Model> = FxHashMap::default();
        let patterns = Patterns::new(rules);
        let mut by_method: FxHashMap<NameId, Vec<usize>> = FxHashMap::default();
        // Whether a class is one that a pattern is about.
        let mut classes: FxHashMap<(NameId, usize), bool> = FxHashMap::default();
        for reference in self.calls.references().as_slice() {
            meter.tick()?;
            let selector = &self.program.selectors()[reference.selector];
            let key = (reference.class, reference.selector);
            let model = *models.entry(key).or_insert_with(|| {
                let types: Vec<String> =
                    selector.parameters.iter().map(|&ty| self.type_text(ty)).collect();
                let class = self.program.text(reference.class);
                self.models.of(class, self.program.text(selector.name), &types)
            });
            let mut callee = Callee { model, ..Callee::default() };
            let bodies = reference.targets.iter().copied();
            let has_body = |id: &ProcId| self.program.procedures()[*id].body.is_some();
            let few = reference.targets.len() <= MOST_TARGETS;
            if few && reference.unknown.is_none() && bodies.clone().all(|id| has_body(&id)) {
                callee.targets =
                    Some(bodies.clone().collect()).filter(|it: &Vec<_>| !it.is_empty());
            }
            callee.is_missing = !bodies.clone().any(|id| has_body(&id));
            if reference.dispatch == Dispatch::Static {
                callee.asserted = self.asserted(reference, callee.is_missing);
            }
            callee.throws = match model.throws {
                Some(class) => self.program.find_name(class).into_iter().collect(),
                None if model.quiet => Vec::new(),
                None => {
                    let resolved = reference.resolved.filter(|it| !has_body(it));
                    let said = resolved.and_then(|it| declared.get(&it));
                    said.map(|it| it.to_vec()).unwrap_or_default()
                }
            };
            let candidates = by_method
                .entry(selector.name)
                .or_insert_with(|| patterns.of(self.program.text(selector.name)));
            let mut fit: Vec<(u8, u8)> = Vec::new();
            for &number in candidates.iter() {
                let row = &patterns.rows[number];
                let rule = &rules[usize::from(row.rule)];
                if let Some(event) = row.event {
                    let except = &rule.events[usize::from(event)].except;
                    let is_known = |other: usize| fit.contains(&(row.rule, other as u8));
                    if is_known(usize::from(event)) || except.iter().any(|&it| is_known(it)) {
                        continue;
                    }
                }
                let is_class = *classes
                    .entry((reference.class, number))
                    .or_insert_with(|| self.is_meant(rule, row.pattern, reference.class));
                let result = self.program.types()[selector.result];
                let is_object = matches!(result, Type::Reference(_) | Type::Array(_));
                // Who answers nothing has no result to ignore, and gives no object.
                let is_void = match row.pattern.what {
                    What::Ignored => result == Type::Void,
                    What::Result => !is_object,
                    _ => false,
                };
                if !is_class || is_void || !self.are_types(row.pattern, selector) {
                    continue;
                }
                if rule.is_together && self.is_answer(rule, row.event, result, reference.class) {
                    continue;
                }
                fit.extend(row.event.map(|event| (row.rule, event)));
                callee.matches.push(Match {
                    rule: row.rule,
                    event: row.event,
                    what: row.pattern.what.clone(),
                    result: row.pattern.result,
                    given: values_of(row.pattern),
                });
            }
            let stands = |row: &Match| {
                let rule = &rules[usize::from(row.rule)];
                let is_plain = row.what == What::Receiver && row.result.is_none();
                let is_about_closing =
                    matches!(rule.claim, Claim::NeverAfter { .. }) || rule.closes();
                let is_entered = is_about_closing || rule.is_about_names();
                !(is_plain && row.event.is_some() && is_entered)
            };
            callee.is_leaf = !callee.matches.is_empty() && callee.targets.is_none()
                || callee.matches.iter().any(stands);
            callees.push(callee);
        }
        self.callees = callees;
        Ok(())
    }

    /// What calls demand of what they are given, or they do not come back.
    fn asserted(&self, reference: &Reference, is_missing: bool) -> Option<Asserted> {
        let selector = &self.program.selectors()[reference.selector];
        let types: Vec<String> = selector.parameters.iter().map(|&ty| self.type_text(ty)).collect();
        asserted(Called {
            class: self.program.text(reference.class),
            method: self.program.text(selector.name),
            types: &types,
            result: &self.type_text(selector.result),
            is_missing,
        })
    }

    /// Whether calls that name a class are about what a pattern is about.
    fn is_meant(&self, rule: &Rule, pattern: &Pattern, class: NameId) -> bool {
        match &pattern.class {
            Some(name) if pattern.what == What::Made => match name.strip_suffix('+') {
                Some(above) => self.is_own_below(class, above, rule),
                None => glob(name.as_bytes(), self.program.text(class).as_bytes()),
            },
            Some(name) => self.is_of(class, std::slice::from_ref(name)),
            None => {
                let is_about = |(_, names): &(String, Vec<String>)| self.is_of(class, names);
                rule.object.as_ref().is_some_and(is_about) && !self.is_of(class, &rule.except)
            }
        }
    }

    /// Whether a class of the program lies below another, and one of its methods that are events
    /// of the rule does something.
    fn is_own_below(&self, class: NameId, above: &str, rule: &Rule) -> bool {
        let Some(kind) = self.calls.hierarchy.find(class) else { return false };
        // Streams of one's own wrap others, which are followed, or memory.
        let streams = ["InputStream", "OutputStream", "Reader", "Writer"];
        let streams = streams.map(|it| format!("java.io.{it}"));
        if self.calls.hierarchy.class(kind).is_none()
            || !self.is_of(class, &[above.to_owned()])
            || self.is_of(class, &streams)
            || self.is_view(class)
        {
            return false;
        }
        let names = |name: &str| {
            let mut patterns = rule.events.iter().flat_map(|event| &event.patterns);
            patterns.any(|it| it.what == What::Receiver && it.method == name)
        };
        self.calls.hierarchy.above(kind).into_iter().any(|kind| {
            let Some(class) = self.calls.hierarchy.class(kind) else { return false };
            self.program.classes()[class].procedures.iter().any(|&id| {
                let procedure = &self.program.procedures()[id];
                let selector = &self.program.selectors()[procedure.selector];
                names(self.program.text(selector.name))
                    && procedure.body.as_ref().is_some_and(does_something)
            })
        })
    }

    /// Whether objects of a class are a part of an object of a class above it, in which they are
    /// made: that one is to be closed.
    fn is_view(&self, class: NameId) -> bool {
        let hierarchy = &self.calls.hierarchy;
        let Some(own) = hierarchy.find(class).and_then(|kind| hierarchy.class(kind)) else {
            return false;
        };
        self.program.classes()[own].fields.iter().any(|(field, _)| {
            let field = self.program.fields()[*field];
            let is_outer = self.program.text(field.name).starts_with("this$");
            matches!(self.program.types()[field.ty], Type::Reference(outer)
                if is_outer && outer != class && self.is_below(class, outer) == Tri::True)
        })
    }

    /// Whether a method that may begin or end something answers a question instead: where something
    /// starts or ends (`startOffset()`), or whether it has begun. What gives the object itself does
    /// so that more can be said to it.
    fn is_answer(&self, rule: &Rule, event: Option<u8>, result: Type, class: NameId) -> bool {
        let Claim::Released { take, give } = rule.claim else { return false };
        let is = |wanted: usize| event.is_some_and(|event| usize::from(event) == wanted);
        let is_same = |name: NameId| {
            self.is_below(class, name) == Tri::True || self.is_below(name, class) == Tri::True
        };
        match result {
            Type::Void => false,
            // What says whether it has begun need not have begun.
            Type::Boolean => is(take),
            Type::Reference(name) => (is(take) || is(give)) && !is_same(name),
            _ => is(take) || is(give),
        }
    }

    fn are_types(&self, pattern: &Pattern, selector: &tern_ir::Selector) -> bool {
        pattern.parameters.as_ref().is_none_or(|wanted| {
            let types = selector.parameters.iter();
            wanted.len() == types.len()
                && wanted.iter().zip(types).all(|(wanted, &ty)| match wanted {
                    Given::Type(wanted) => {
                        let text = self.type_text(ty);
                        text == *wanted || text.ends_with(&format!(".{wanted}"))
                    }
                    Given::Any | Given::Is(_) => true,
                })
        })
    }
}

/// The arguments of which a pattern says what they are, counted from the last.
fn values_of(pattern: &Pattern) -> Vec<(usize, Literal)> {
    let all = pattern.parameters.as_deref().unwrap_or_default();
    let each = all.iter().rev().enumerate().filter_map(|(position, given)| match given {
        Given::Is(literal) => Some((position + 1, literal.clone())),
        _ => None,
    });
    each.collect()
}

/// Whether code calls something, or writes a field.
fn does_something(body: &tern_ir::Body) -> bool {
    use tern_ir::Statement;
    let acts = |it: &Statement| matches!(it, Statement::Call { .. } | Statement::Store { .. });
    body.statements.iter().any(acts)
}

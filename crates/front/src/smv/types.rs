//! The values that variables may have, by their types; arrays are as many variables.

use super::flat::{Array, Flat, InstanceId, Item, Symbol, Var};
use super::syntax::{Member, Type, VarDecl, Whole};
use super::terms::{Domain, Value};
use crate::problem::Problem;
use rustc_hash::FxHashMap;
use tern_model::budget::Meter;
use tern_model::{Limit, Span};

impl Flat {
    /// A variable, or the variables of an array.
    pub(super) fn elements(
        &mut self,
        instance: InstanceId,
        var: &VarDecl,
        name: String,
        meter: &mut Meter<'_>,
    ) -> Result<Symbol, Limit> {
        let mut bounds = Vec::new();
        let mut of = &var.of;
        while let Type::Array(low, high, inner) = of {
            let Some(both) = self.bounds(instance, *low, *high, meter)? else {
                return Ok(Symbol::Broken);
            };
            bounds.push(both);
            of = inner;
        }
        let Some(domain) = self.domain(instance, of, meter)? else { return Ok(Symbol::Broken) };
        // All elements first, then the arrays around them, the innermost first.
        let mut names = vec![name];
        for &(low, high) in &bounds {
            let mut longer = Vec::new();
            for name in &names {
                for index in low..=high {
                    meter.tick()?;
                    longer.push(format!("{name}[{index}]"));
                }
            }
            names = longer;
        }
        let mut symbols = Vec::with_capacity(names.len());
        for name in names {
            meter.tick()?;
            let VarDecl { kind, span, .. } = *var;
            self.domains.push(domain.clone());
            symbols.push(Symbol::Var(self.vars.push(Var { name, kind, span, instance })));
        }
        for &(low, high) in bounds.iter().rev() {
            let length = usize::try_from(high - low + 1).unwrap_or(1);
            let arrays = symbols.chunks(length).map(|elements| {
                let elements = elements.to_vec();
                Symbol::Array(self.arrays.push(Array { low, elements }))
            });
            symbols = arrays.collect();
        }
        Ok(symbols.first().copied().unwrap_or(Symbol::Broken))
    }

    /// The values that a type has; `None` if something is wrong with it.
    fn domain(
        &mut self,
        instance: InstanceId,
        of: &Type,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Domain>, Limit> {
        match of {
            Type::Boolean => Ok(Some(Domain::Boolean)),
            Type::Range(low, high) => {
                let bounds = self.bounds(instance, *low, *high, meter)?;
                Ok(bounds.map(|(low, high)| Domain::Range(low, high)))
            }
            Type::Enumeration(members) => Ok(self.enumeration(members)),
            Type::Array(..) | Type::Module(..) | Type::Broken => Ok(None),
        }
    }

    fn enumeration(&mut self, members: &[(Member, Span)]) -> Option<Domain> {
        let mut seen: FxHashMap<Value, Span> = FxHashMap::default();
        let mut values = Vec::new();
        let mut truths = 0;
        for &(member, span) in members {
            let value = match member {
                Member::Name(name) => Value::Symbol(name),
                Member::Number(number) => Value::Int(number),
                Member::Truth(truth) => Value::Bool(truth),
            };
            truths += usize::from(matches!(value, Value::Bool(_)));
            match seen.insert(value, span) {
                None => values.push(value),
                Some(first) => {
                    let shown = self.show(value);
                    self.problem("S021", span, |_| {
                        let message = format!("the value `{shown}` is listed twice");
                        Problem::error("S021", message).at(span, "again").related(first, "here")
                    });
                }
            }
        }
        let whole = members.first().map_or(Span::new(0..0), |&(_, span)| span);
        if truths > 0 && truths < values.len() {
            self.problem("S030", whole, |_| {
                let message = "truth values and other values do not go together in a type";
                Problem::error("S030", message).at(whole, "in this enumeration")
            });
            return None;
        }
        if truths == 2 {
            return Some(Domain::Boolean);
        }
        Some(Domain::of_values(values))
    }

    /// The bounds of a range, which are constant.
    fn bounds(
        &mut self,
        instance: InstanceId,
        low: Whole,
        high: Whole,
        meter: &mut Meter<'_>,
    ) -> Result<Option<(i64, i64)>, Limit> {
        let mut bound = |flat: &mut Self, whole: Whole| -> Result<Option<i64>, Limit> {
            let item = flat.resolve(whole, instance, false, meter)?;
            if let Item::Term(term) = item
                && let Some(Value::Int(number)) = flat.terms.constant(term)
            {
                return Ok(Some(number));
            }
            if item != Item::Broken {
                let span = flat.text.span(whole);
                flat.problem("S030", span, |_| {
                    let problem = Problem::error("S030", "the bounds of a type are constant");
                    problem.at(span, "not a constant number")
                });
            }
            Ok(None)
        };
        let (from, to) = (bound(self, low)?, bound(self, high)?);
        let (Some(from), Some(to)) = (from, to) else { return Ok(None) };
        let span = self.text.span(low).to(self.text.span(high));
        if from > to {
            self.problem("S030", span, |_| {
                let message = format!("the range {from}..{to} has no values");
                Problem::error("S030", message).at(span, "the smaller bound stands first")
            });
            return Ok(None);
        }
        Ok(Some((from, to)))
    }
}

//! Calls that are inlined, and returns.

use super::super::Fault;
use super::super::lower::{Lowering, Result, then};
use super::super::syntax::{Expr, Function, Kind, Type};
use super::Frame;
use std::collections::HashMap;
use tern_ir::flow::{Edge, PointId};
use tern_model::Span;

impl Lowering<'_> {
    /// A call: arguments, then one step that sets the parameters, then the body.
    pub(super) fn call(
        &mut self,
        name: &str,
        arguments: &[Expr],
        result: Option<usize>,
        span: Span,
        at: PointId,
    ) -> Result<PointId> {
        let unit = self.unit;
        let Some(function) = unit.function(name) else { return Ok(at) };
        if function.parameters.len() != arguments.len() {
            let (wanted, found) = (function.parameters.len(), arguments.len());
            let message = format!("`{name}` has {wanted} parameters, and is given {found}");
            return Err(Fault::new("C102", span, message, "give one value for each"));
        }
        if result.is_some() && function.returns.is_none() {
            let message = format!("`{name}` gives no value");
            return Err(Fault::new("C102", span, message, "declare its type as `int`"));
        }
        let (mut at, mut values) = (at, Vec::new());
        for (number, argument) in arguments.iter().enumerate() {
            let later: Vec<&Expr> = arguments[number + 1..].iter().collect();
            let (value, next) = self.prepare_before(argument, &later, at)?;
            at = next;
            values.push(value);
        }
        let after = self.graph.point((self.lines)(span));
        if let Some(number) = self.recursive(function)? {
            let site = self.graph.point((self.lines)(function.span));
            let variables = self.procedures[number].arguments.clone();
            self.pass(&variables, &values, at, site)?;
            self.add_site(number, site, result, (after, span))?;
            return Ok(after);
        }
        let first = self.graph.point(0);
        let (mut scope, mut variables) = (HashMap::new(), Vec::new());
        for parameter in &function.parameters {
            // Declared in a scope of its own, so that values are not read by it.
            self.scopes.push(HashMap::new());
            let variable = self.declare(parameter, false)?;
            self.scopes.pop();
            scope.insert(parameter.name.clone(), variable);
            variables.push(variable);
        }
        self.pass(&variables, &values, at, first)?;
        // Only globals are seen from inside.
        let outer = self.scopes.split_off(1);
        self.scopes.push(scope);
        self.frames.push(Frame::new(after, result, function.returns));
        self.whole_body(function, first)?;
        self.scopes.truncate(1);
        self.scopes.extend(outer);
        Ok(after)
    }

    /// The body of the innermost call, to its end.
    pub(in crate::c) fn whole_body(&mut self, function: &Function, first: PointId) -> Result<()> {
        let end = self.statements(&function.body, first)?;
        self.graph.point_mut(end).line = (self.lines)(function.span);
        self.give_back(None, end, function.span)?;
        self.close(function.span)
    }

    /// One step that sets variables to values, all at once.
    pub(super) fn pass(
        &mut self,
        variables: &[usize],
        values: &[Expr],
        at: PointId,
        to: PointId,
    ) -> Result<()> {
        let mut edges = vec![Edge::plain(at, at)];
        for (&variable, value) in variables.iter().zip(values) {
            let mut more = Vec::new();
            for edge in self.assignment_edges(at, self.error, variable, value)? {
                let is_error = edge.to == self.error;
                for mut both in then(&edges, &[edge])? {
                    if is_error {
                        both.to = self.error;
                    }
                    more.push(both);
                }
            }
            let (failed, fine): (Vec<Edge>, Vec<Edge>) =
                more.into_iter().partition(|edge| edge.to == self.error);
            failed.into_iter().for_each(|edge| self.graph.step(edge));
            edges = fine;
        }
        for mut edge in edges {
            edge.to = to;
            self.graph.step(edge);
        }
        Ok(())
    }

    /// Returns from the innermost call: one step, in which the value is stored.
    pub(super) fn give_back(
        &mut self,
        value: Option<&Expr>,
        at: PointId,
        span: Span,
    ) -> Result<()> {
        let Frame { after, result, returns, .. } = *self.frame();
        let (value, at) = match value {
            Some(value) => {
                let (value, at) = self.prepare(value, at)?;
                let kind = returns.map(|ty| Kind::Cast(ty, Box::new(value.clone())));
                (Some(kind.map_or(value, |kind| Expr { kind, span })), at)
            }
            None => (None, at),
        };
        let any = Expr { kind: Kind::Any(None, None, returns.unwrap_or(Type::INT)), span };
        // Without a result the value is computed all the same: it may be an error.
        let (edges, is_stored) = match (result, &value) {
            (Some(result), value) => {
                let value = value.as_ref().unwrap_or(&any);
                (self.assignment_edges(at, self.error, result, value)?, true)
            }
            (None, Some(value)) => {
                let nowhere = self.temporary(self.type_of(value));
                (self.assignment_edges(at, self.error, nowhere, value)?, false)
            }
            (None, None) => (vec![Edge::plain(at, at)], true),
        };
        for mut edge in edges {
            if !is_stored {
                edge.update.clear();
            }
            if edge.to == at {
                edge.to = after;
            }
            self.graph.step(edge);
        }
        Ok(())
    }
}

//! Statements, effects in expressions, and calls.

use super::Fault;
use super::cases::{Case, bounded, joined, unknown};
use super::claim::LABELS;
use super::lower::{Lowering, Result, has_effects, may_fail, possible, then};
use super::syntax::{
    Arithmetic, Declared, Expr, Function, Kind, Stmt, StmtKind, Stop, Type, element,
};
use super::typing::{promoted, wrapped};
use std::collections::{BTreeMap, HashMap};
use tern_ir::flow::{Affine, Edge, PointId, Row};
use tern_model::Span;

/// An open call.
pub(super) struct Frame {
    /// Where it goes on afterwards.
    after: PointId,
    /// Where its value goes.
    result: Option<usize>,
    /// The type of its value.
    returns: Option<Type>,
    labels: BTreeMap<String, (PointId, Option<Span>, bool)>,
    breaks: Vec<PointId>,
    continues: Vec<PointId>,
    /// The cases of the switches that are open.
    switches: Vec<Vec<(Option<i128>, PointId)>>,
}

impl Frame {
    pub(super) fn new(after: PointId, result: Option<usize>, returns: Option<Type>) -> Self {
        let (breaks, continues, switches) = Default::default();
        let labels = BTreeMap::new();
        Frame { after, result, returns, labels, breaks, continues, switches }
    }
}

impl Lowering<'_> {
    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("`main` is open as long as statements are lowered")
    }

    /// Adds a statement at a point, and gives the point after it.
    pub(super) fn statement(&mut self, statement: &Stmt, at: PointId) -> Result<PointId> {
        let line = (self.lines)(statement.span);
        if let Some(point) = self.mark(statement, at)? {
            return Ok(point);
        }
        self.graph.point_mut(at).line = line;
        match &statement.kind {
            StmtKind::Expr(None) => Ok(at),
            StmtKind::Expr(Some(expr)) => self.effect(expr, at),
            StmtKind::Declare(declared) => {
                declared.iter().try_fold(at, |at, one| self.declaration(one, at))
            }
            StmtKind::Block(body) => {
                self.scopes.push(HashMap::new());
                let end = self.statements(body, at);
                self.scopes.pop();
                end
            }
            StmtKind::Switch(on, body) => self.switch(on, body, at, line),
            StmtKind::If(..) | StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::For(..) => {
                self.control(statement, at, line)
            }
            StmtKind::Assume(condition) => {
                let (condition, at) = self.prepare(condition, at)?;
                let next = self.graph.point(line);
                self.test(at, &condition, next, None)?;
                Ok(next)
            }
            StmtKind::Assert(condition) => {
                let (condition, at) = self.prepare(condition, at)?;
                let next = self.graph.point(line);
                let failed = (!self.settings.assume_assertions).then_some(self.failed);
                self.test(at, &condition, next, failed)?;
                Ok(next)
            }
            _ => {
                self.jump(statement, at)?;
                Ok(self.graph.point(line))
            }
        }
    }

    /// Statements after which control goes elsewhere, and labels, which come to be where it goes.
    fn jump(&mut self, statement: &Stmt, at: PointId) -> Result<()> {
        let outside = |what: &str| {
            let message = format!("`{what}` stands in no loop");
            Fault::new("C101", statement.span, message, "leave it out")
        };
        let to = match &statement.kind {
            StmtKind::Break => {
                self.frame().breaks.last().copied().ok_or_else(|| outside("break"))?
            }
            StmtKind::Continue => {
                self.frame().continues.last().copied().ok_or_else(|| outside("continue"))?
            }
            StmtKind::Goto(label) => self.label(label, Some(statement.span), false)?,
            StmtKind::Stop(Stop::Failed) if self.settings.assume_assertions => {
                // Such a run does not exist.
                self.graph.point_mut(at).total = false;
                return Ok(());
            }
            StmtKind::Stop(Stop::Failed) => self.failed,
            StmtKind::Stop(Stop::Exit) => self.exit,
            StmtKind::Return(value) => return self.give_back(value.as_ref(), at, statement.span),
            _ => return Ok(()),
        };
        self.graph.go(at, to);
        Ok(())
    }

    /// The point of a label.
    fn label(&mut self, name: &str, used: Option<Span>, is_here: bool) -> Result<PointId> {
        if let Some((point, _, defined)) = self.frame().labels.get_mut(name) {
            let point = *point;
            if is_here && std::mem::replace(defined, true) {
                let span = used.unwrap_or(Span::new(0..0));
                let message = format!("the label `{name}` stands twice");
                return Err(Fault::new("C102", span, message, "give one another name"));
            }
            return Ok(point);
        }
        let point = self.graph.point(0);
        // Only the labels of `main` can be named in claims, and not those that mean an end there.
        if self.frames.len() == 1 && !LABELS.contains(&name) {
            self.graph.point_mut(point).labels.push(name.to_owned());
        }
        self.frame().labels.insert(name.to_owned(), (point, used, is_here));
        Ok(point)
    }

    pub(super) fn declaration(&mut self, declared: &Declared, at: PointId) -> Result<PointId> {
        let is_visible = self.frames.len() == 1;
        match &declared.value {
            None => {
                let variable = self.declare(declared, is_visible)?;
                let next = self.graph.point((self.lines)(declared.span));
                self.graph.bear(at, next, self.birth(variable, declared));
                Ok(next)
            }
            Some(value) => {
                let (value, at) = self.prepare(value, at)?;
                let variable = self.declare(declared, is_visible)?;
                self.assign(at, variable, &value)
            }
        }
    }

    fn body(&mut self, body: &Stmt, at: PointId, breaks: PointId, on: PointId) -> Result<PointId> {
        self.frame().breaks.push(breaks);
        self.frame().continues.push(on);
        self.scopes.push(HashMap::new());
        let end = self.statement(body, at);
        self.scopes.pop();
        self.frame().breaks.pop();
        self.frame().continues.pop();
        end
    }

    fn control(&mut self, statement: &Stmt, at: PointId, line: u32) -> Result<PointId> {
        let after = self.graph.point(line);
        match &statement.kind {
            StmtKind::If(condition, yes, no) => {
                let (then, otherwise) = (self.graph.point(line), self.graph.point(line));
                self.branch(condition, at, then, otherwise)?;
                self.scopes.push(HashMap::new());
                let end = self.statement(yes, then)?;
                self.graph.go(end, after);
                self.scopes.pop();
                self.scopes.push(HashMap::new());
                let end = match no {
                    Some(no) => self.statement(no, otherwise)?,
                    None => otherwise,
                };
                self.graph.go(end, after);
                self.scopes.pop();
            }
            StmtKind::While(condition, body) => {
                let (head, inside) = (self.graph.point(line), self.graph.point(line));
                self.graph.go(at, head);
                self.branch(condition, head, inside, after)?;
                let end = self.body(body, inside, after, head)?;
                self.graph.go(end, head);
            }
            StmtKind::DoWhile(body, condition) => {
                let (head, test) = (self.graph.point(line), self.graph.point(line));
                self.graph.go(at, head);
                let end = self.body(body, head, after, test)?;
                self.graph.go(end, test);
                self.graph.point_mut(test).line = (self.lines)(condition.span);
                self.branch(condition, test, head, after)?;
            }
            StmtKind::For(first, condition, step, body) => {
                self.scopes.push(HashMap::new());
                let start = self.statement(first, at)?;
                let (head, inside) = (self.graph.point(line), self.graph.point(line));
                let next = self.graph.point(line);
                self.graph.go(start, head);
                match condition {
                    Some(condition) => self.branch(condition, head, inside, after)?,
                    None => self.graph.go(head, inside),
                }
                let end = self.body(body, inside, after, next)?;
                self.graph.go(end, next);
                let end = match step {
                    Some(step) => self.effect(step, next)?,
                    None => next,
                };
                self.graph.go(end, head);
                self.scopes.pop();
            }
            _ => return Ok(at),
        }
        Ok(after)
    }

    fn switch(&mut self, on: &Expr, body: &Stmt, at: PointId, line: u32) -> Result<PointId> {
        let (on, at) = self.prepare(on, at)?;
        let after = self.graph.point(line);
        self.frame().breaks.push(after);
        self.frame().switches.push(Vec::new());
        self.scopes.push(HashMap::new());
        let inside = self.graph.point(line); // before the first case: never reached from here
        let end = self.statement(body, inside)?;
        self.graph.go(end, after);
        self.scopes.pop();
        self.frame().breaks.pop();
        let cases = self.frame().switches.pop().unwrap_or_default();
        let otherwise = cases.iter().find(|(value, _)| value.is_none());
        let otherwise = otherwise.map_or(after, |(_, point)| *point);
        let ty = self.type_of(&on);
        let promoted = self.settings.widths.map(|widths| (widths, promoted(widths, ty)));
        let number = |value: i128| promoted.map_or(value, |(it, ty)| wrapped(it, ty, value));
        let mut known: Vec<(i128, PointId)> =
            cases.iter().filter_map(|&(value, point)| Some((number(value?), point))).collect();
        known.sort_unstable_by_key(|(value, _)| *value);
        if known.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            let message = "a value has two cases";
            return Err(Fault::new("C102", on.span, message, "leave one out"));
        }
        let (values, auxiliaries) = self.with_cases(|cases| cases.values(&on));
        for case in values? {
            let edge = |to: PointId, rows: Vec<Option<Row>>| {
                let mut guard = case.guard.clone();
                guard.extend(rows.into_iter().flatten());
                let (auxiliaries, facts) = (auxiliaries.clone(), case.facts.clone());
                Edge { auxiliaries, facts, guard, ..Edge::plain(at, to) }
            };
            let Some(value) = &case.outcome else {
                self.graph.step(edge(self.error, Vec::new()));
                continue;
            };
            let mut steps = Vec::new();
            let mut above: Option<Affine> = None;
            for &(number, point) in &known {
                let number = Affine::constant(number);
                let low = above.as_ref().and_then(|above| Row::greater(value, above));
                steps.push(edge(otherwise, vec![Row::greater(&number, value), low]));
                let same = [Row::greater_equal(&number, value), Row::greater_equal(value, &number)];
                steps.push(edge(point, same.into()));
                above = Some(number);
            }
            let low = above.as_ref().and_then(|above| Row::greater(value, above));
            steps.push(edge(otherwise, vec![low]));
            let possible = |edge: &Edge| edge.guard.iter().all(|row| row.truth() != Some(false));
            steps.into_iter().filter(possible).for_each(|edge| self.graph.step(edge));
        }
        Ok(after)
    }

    /// Adds the steps of a condition, effects included.
    fn branch(&mut self, expr: &Expr, at: PointId, yes: PointId, no: PointId) -> Result<()> {
        if !has_effects(expr) {
            return self.test(at, expr, yes, Some(no));
        }
        let line = (self.lines)(expr.span);
        match &expr.kind {
            Kind::Not(of) => self.branch(of, at, no, yes),
            Kind::And(left, right) => {
                let middle = self.graph.point(line);
                self.branch(left, at, middle, no)?;
                self.branch(right, middle, yes, no)
            }
            Kind::Or(left, right) => {
                let middle = self.graph.point(line);
                self.branch(left, at, yes, middle)?;
                self.branch(right, middle, yes, no)
            }
            _ => {
                let (pure, at) = self.prepare(expr, at)?;
                self.test(at, &pure, yes, Some(no))
            }
        }
    }

    /// Adds the steps of an expression whose value is not needed.
    fn effect(&mut self, expr: &Expr, at: PointId) -> Result<PointId> {
        match &expr.kind {
            Kind::Call(name, arguments) if self.unit.function(name).is_some() => {
                self.call(name, arguments, None, expr.span, at)
            }
            Kind::Store(array, size, index, operator, value) => {
                self.store((array, *size), index, *operator, value, at)
            }
            _ => {
                let (rest, at) = self.prepare(expr, at)?;
                self.evaluate(&rest, at)
            }
        }
    }

    /// Adds a step for a value that is not needed, if it may be an error.
    fn evaluate(&mut self, expr: &Expr, at: PointId) -> Result<PointId> {
        if !may_fail(expr) {
            return Ok(at);
        }
        let next = self.graph.point((self.lines)(expr.span));
        let (cases, auxiliaries) = self.with_cases(|cases| cases.values(expr));
        for case in cases? {
            let to = if case.outcome.is_some() { next } else { self.error };
            let (facts, guard, auxiliaries) = (case.facts, case.guard, auxiliaries.clone());
            self.graph.step(Edge { auxiliaries, facts, guard, ..Edge::plain(at, to) });
        }
        Ok(next)
    }

    /// Adds the steps of `a[e] = v`: one for each element that may be meant.
    fn store(
        &mut self,
        (array, size): (&str, usize),
        index: &Expr,
        operator: Option<Arithmetic>,
        value: &Expr,
        at: PointId,
    ) -> Result<PointId> {
        let (index, at) = self.prepare(index, at)?;
        let (value, at) = self.prepare(value, at)?;
        let span = index.span;
        let next = self.graph.point((self.lines)(span));
        let made = |kind: Kind| Expr { kind, span };
        let mut elements = Vec::new();
        for number in 0..size {
            let name = element(array, number);
            let variable = self.assigned(&name, span)?;
            let old = Box::new(made(Kind::Name(name)));
            let value = match operator {
                None => value.clone(),
                Some(operator) => made(Kind::Binary(operator, old, Box::new(value.clone()))),
            };
            elements.push((variable, value, self.types[variable]));
        }
        let (cases, auxiliaries) = self.with_cases(|cases| {
            let mut stored: Vec<(usize, Case<Affine>)> = Vec::new();
            for place in cases.places(&index, size)? {
                let Some(number) = place.outcome else {
                    stored.push((0, place.with(None)));
                    continue;
                };
                let (variable, value, ty) = &elements[number];
                for case in cases.converted(value, *ty)? {
                    stored.push((*variable, joined(&place, &case, case.outcome.clone())));
                }
            }
            bounded(stored, span)
        });
        for (variable, case) in cases? {
            let to = if case.outcome.is_some() { next } else { self.error };
            let update = case.outcome.map(|value| (variable, value)).into_iter().collect();
            let (facts, guard, auxiliaries) = (case.facts, case.guard, auxiliaries.clone());
            let edge = Edge { auxiliaries, facts, guard, update, ..Edge::plain(at, to) };
            if possible(&edge) {
                self.graph.step(edge);
            }
        }
        Ok(next)
    }

    fn assigned(&self, name: &str, span: Span) -> Result<usize> {
        self.variable(name).ok_or_else(|| unknown(name, span))
    }

    /// Adds the steps of all effects of an expression; gives what is left of it.
    fn prepare(&mut self, expr: &Expr, at: PointId) -> Result<(Expr, PointId)> {
        if !has_effects(expr) {
            return Ok((expr.clone(), at));
        }
        let span = expr.span;
        let made = |kind: Kind| Expr { kind, span };
        let name_of = |variable: usize| Kind::Name(format!(" {variable}"));
        match &expr.kind {
            Kind::Assign(name, operator, value) => {
                let variable = self.assigned(name, span)?;
                if let (Kind::Call(callee, arguments), None) = (&value.kind, operator)
                    && self.unit.function(callee).is_some()
                {
                    let at = self.call(callee, arguments, Some(variable), span, at)?;
                    return Ok((made(name_of(variable)), at));
                }
                let (mut value, at) = self.prepare(value, at)?;
                if let Some(operator) = operator {
                    let old = Box::new(made(name_of(variable)));
                    value = made(Kind::Binary(*operator, old, Box::new(value)));
                }
                Ok((made(name_of(variable)), self.assign(at, variable, &value)?))
            }
            Kind::Index(array, size, index) => {
                let (index, at) = self.prepare(index, at)?;
                Ok((made(Kind::Index(array.clone(), *size, Box::new(index))), at))
            }
            Kind::Store(..) => {
                let message = "an assignment to an element must stand alone";
                Err(Fault::new("C104", span, message, "write it as a statement"))
            }
            Kind::Increment(name, by, is_before) => {
                let variable = self.assigned(name, span)?;
                let ty = self.types[variable];
                let by = Box::new(made(Kind::Number(*by)));
                let old = Box::new(made(name_of(variable)));
                let more = made(Kind::Binary(Arithmetic::Add, old.clone(), by.clone()));
                if *is_before && ty == Type::BOOL {
                    // The old truth value cannot be computed from the new one.
                    let (kept, next) = (self.temporary(ty), self.graph.point((self.lines)(span)));
                    self.pass(&[kept, variable], &[*old, more], at, next)?;
                    return Ok((made(name_of(kept)), next));
                }
                let at = self.assign(at, variable, &more)?;
                let before = made(Kind::Binary(Arithmetic::Subtract, old, by));
                let before = Kind::Cast(ty, Box::new(before));
                Ok((made(if *is_before { before } else { name_of(variable) }), at))
            }
            Kind::Call(name, arguments) if self.unit.function(name).is_some() => {
                let result = self.temporary(self.unit.returns(name));
                let at = self.call(name, arguments, Some(result), span, at)?;
                Ok((made(name_of(result)), at))
            }
            // A function that is not known gives any number.
            Kind::Call(name, arguments) => {
                let at = arguments.iter().try_fold(at, |at, it| self.effect(it, at))?;
                Ok((made(Kind::Any(None, None, self.unit.returns(name))), at))
            }
            Kind::Comma(first, second) => {
                let at = self.effect(first, at)?;
                self.prepare(second, at)
            }
            Kind::And(..) | Kind::Or(..) | Kind::Choose(..) => self.prepare_choice(expr, at),
            Kind::Negate(of) => {
                let (of, at) = self.prepare(of, at)?;
                Ok((made(Kind::Negate(Box::new(of))), at))
            }
            Kind::Complement(of) => {
                let (of, at) = self.prepare(of, at)?;
                Ok((made(Kind::Complement(Box::new(of))), at))
            }
            Kind::Cast(ty, of) => {
                let (of, at) = self.prepare(of, at)?;
                Ok((made(Kind::Cast(*ty, Box::new(of))), at))
            }
            Kind::Not(of) => {
                let (of, at) = self.prepare(of, at)?;
                Ok((made(Kind::Not(Box::new(of))), at))
            }
            Kind::Binary(operator, left, right) => {
                let (left, at) = self.prepare(left, at)?;
                let (right, at) = self.prepare(right, at)?;
                Ok((made(Kind::Binary(*operator, Box::new(left), Box::new(right))), at))
            }
            Kind::Compare(comparison, left, right) => {
                let (left, at) = self.prepare(left, at)?;
                let (right, at) = self.prepare(right, at)?;
                Ok((made(Kind::Compare(*comparison, Box::new(left), Box::new(right))), at))
            }
            Kind::Number(_) | Kind::Literal(..) | Kind::Name(_) | Kind::Any(..) => {
                Ok((expr.clone(), at))
            }
        }
    }

    /// `a && b`, `a || b`, `c ? a : b` with effects: control flow, and a variable for the value.
    fn prepare_choice(&mut self, expr: &Expr, at: PointId) -> Result<(Expr, PointId)> {
        let span = expr.span;
        let line = (self.lines)(span);
        let result = self.temporary(self.type_of(expr));
        let number = |value: i128| Expr { kind: Kind::Number(value), span };
        let (yes, no) = (self.graph.point(line), self.graph.point(line));
        let after = self.graph.point(line);
        let (condition, values) = match &expr.kind {
            Kind::Choose(condition, a, b) => (&**condition, [(**a).clone(), (**b).clone()]),
            _ => (expr, [number(1), number(0)]),
        };
        self.branch(condition, at, yes, no)?;
        for (at, value) in [yes, no].into_iter().zip(values) {
            let (value, at) = self.prepare(&value, at)?;
            let end = self.assign(at, result, &value)?;
            self.graph.go(end, after);
        }
        Ok((Expr { kind: Kind::Name(format!(" {result}")), span }, after))
    }

    /// A call: arguments, then one step that sets the parameters, then the body.
    fn call(
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
        for argument in arguments {
            let (value, next) = self.prepare(argument, at)?;
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
    pub(super) fn whole_body(&mut self, function: &Function, first: PointId) -> Result<()> {
        let end = self.statements(&function.body, first)?;
        self.graph.point_mut(end).line = (self.lines)(function.span);
        self.give_back(None, end, function.span)?;
        self.close(function.span)
    }

    /// One step that sets variables to values, all at once.
    fn pass(
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

    /// Leaves the innermost call; all labels must have been found.
    pub(super) fn close(&mut self, span: Span) -> Result<()> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        let mut missing: Vec<(&String, Span)> = frame
            .labels
            .iter()
            .filter(|(_, (_, _, is_here))| !is_here)
            .map(|(name, (_, used, _))| (name, used.unwrap_or(span)))
            .collect();
        missing.sort_by_key(|(_, span)| span.start);
        match missing.first() {
            None => Ok(()),
            Some((name, span)) => {
                let message = format!("there is no label `{name}`");
                Err(Fault::new("C102", *span, message, "write it before a statement"))
            }
        }
    }

    /// Returns from the innermost call: one step, in which the value is stored.
    fn give_back(&mut self, value: Option<&Expr>, at: PointId, span: Span) -> Result<()> {
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

    /// Marks where a label or case stands, and goes on there.
    fn mark(&mut self, statement: &Stmt, at: PointId) -> Result<Option<PointId>> {
        let line = (self.lines)(statement.span);
        let point = match &statement.kind {
            StmtKind::Label(name) => self.label(name, Some(statement.span), true)?,
            StmtKind::Case(_) | StmtKind::Default => {
                let value = match statement.kind {
                    StmtKind::Case(value) => Some(value),
                    _ => None,
                };
                let point = self.graph.point(line);
                let Some(cases) = self.frame().switches.last_mut() else {
                    let message = "this case stands in no switch";
                    return Err(Fault::new("C101", statement.span, message, "leave it out"));
                };
                cases.push((value, point));
                point
            }
            _ => return Ok(None),
        };
        self.graph.point_mut(point).line = line;
        self.graph.go(at, point);
        Ok(Some(point))
    }
}

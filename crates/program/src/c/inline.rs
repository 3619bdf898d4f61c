//! Statements; effects in expressions are in `inline/effects`, calls in `inline/calls`.

mod calls;
mod effects;

use super::Fault;
use super::claim::LABELS;
use super::lower::{Lowering, Result, has_effects};
use super::syntax::{Declared, Expr, Kind, Stmt, StmtKind, Stop, Type};
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
        let is_followed = self.followed.has(&declared.name);
        match &declared.value {
            None if !is_followed => Ok(at),
            None => {
                let variable = self.declare(declared, is_visible)?;
                let next = self.graph.point((self.lines)(declared.span));
                self.graph.bear(at, next, self.birth(variable, declared));
                Ok(next)
            }
            Some(value) => {
                let (value, at) = self.prepare(value, at)?;
                if !is_followed {
                    return self.assign_nothing(at, &value);
                }
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

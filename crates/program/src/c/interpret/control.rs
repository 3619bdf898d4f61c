//! Statements: which of them takes the next step, and where control goes then.

use super::super::syntax::{Declared, Expr, Function, Kind, Stmt, StmtKind, Stop, Type};
use super::{At, Interpreter, Next, Outcomes, Result, State, Task, untreated};

impl<'a> Interpreter<'a> {
    /// Does all that takes no step.
    pub(super) fn settle(&self, state: &mut State<'a>) -> Result<()> {
        let mut kept = state.tasks.clone();
        for count in 1_u64.. {
            if !self.glide(state)? {
                return Ok(());
            }
            let is_like = kept.len() == state.tasks.len() && kept.last() == state.tasks.last();
            if is_like && kept == state.tasks {
                return self.idle(state);
            }
            if count.is_power_of_two() {
                kept.clone_from(&state.tasks);
            }
        }
        untreated("statements without end")
    }

    /// Stays in a loop without steps, at the statement of it that comes first in the text. What was
    /// made of one statement stands in one place: then it is the outermost, or any, but the same
    /// wherever the loop is entered.
    fn idle(&self, state: &mut State<'a>) -> Result<()> {
        let around = state.tasks.clone();
        let place = |at: &At<'a, Stmt>, tasks: &[Task<'a>]| {
            (at.0.span.start, tasks.len(), std::ptr::from_ref(at.0))
        };
        let mut first: Option<(At<'a, Stmt>, Vec<Task<'a>>)> = None;
        loop {
            if let Some(Task::Do(at)) = state.tasks.last()
                && first.as_ref().is_none_or(|(it, of)| place(at, &state.tasks) < place(it, of))
            {
                first = Some((*at, state.tasks.clone()));
            }
            self.glide(state)?;
            if state.tasks == around {
                break;
            }
        }
        let Some((at, tasks)) = first else { return untreated("a loop without statements") };
        state.tasks = tasks;
        state.tasks.push(Task::Idle(at));
        Ok(())
    }

    /// Does one thing that takes no step; whether there was one.
    fn glide(&self, state: &mut State<'a>) -> Result<bool> {
        let Some(task) = state.tasks.last().cloned() else { return untreated("no task") };
        match task {
            Task::Rest(At([])) | Task::Switched => {
                state.tasks.pop();
            }
            Task::Rest(At([first, rest @ ..])) => {
                state.tasks.pop();
                state.tasks.push(Task::Rest(At(rest)));
                state.tasks.push(Task::Do(At(first)));
            }
            Task::Do(At(statement)) => {
                if self.takes_step(statement) {
                    return Ok(false);
                }
                state.tasks.pop();
                self.enter(state, statement)?;
            }
            Task::Test(at @ At(statement)) => match &statement.kind {
                StmtKind::For(_, None, _, body) => {
                    state.tasks.pop();
                    state.tasks.push(Task::Advance(at));
                    state.tasks.push(Task::Do(At(body)));
                }
                _ => return Ok(false),
            },
            Task::Advance(at @ At(statement)) => {
                let StmtKind::For(_, _, step, _) = &statement.kind else {
                    return untreated("a step of no loop");
                };
                state.tasks.pop();
                state.tasks.push(Task::Test(at));
                state.tasks.extend(step.as_ref().map(|step| Task::Effect(At(step))));
            }
            Task::Effect(At(expr)) => match &expr.kind {
                Kind::Comma(first, second) => {
                    state.tasks.pop();
                    state.tasks.push(Task::Effect(At(second)));
                    state.tasks.push(Task::Effect(At(first)));
                }
                _ if self.does_something(expr) => return Ok(false),
                _ => {
                    state.tasks.pop();
                }
            },
            Task::Return(..) | Task::End(_) | Task::Idle(_) => return Ok(false),
        }
        Ok(true)
    }

    fn takes_step(&self, statement: &Stmt) -> bool {
        match &statement.kind {
            StmtKind::Expr(Some(expr)) => self.does_something(expr),
            StmtKind::Declare(declared) => declared.iter().any(|one| one.value.is_some()),
            StmtKind::If(..)
            | StmtKind::Switch(..)
            | StmtKind::Return(_)
            | StmtKind::Assume(_)
            | StmtKind::Assert(_) => true,
            _ => false,
        }
    }

    /// A statement that takes no step itself.
    fn enter(&self, state: &mut State<'a>, statement: &'a Stmt) -> Result<()> {
        match &statement.kind {
            StmtKind::Block(body) => state.tasks.push(Task::Rest(At(body))),
            StmtKind::Declare(declared) => {
                for one in declared {
                    state.set_new(&one.name, None, one.ty);
                }
            }
            StmtKind::While(..) => state.tasks.push(Task::Test(At(statement))),
            StmtKind::DoWhile(body, _) => {
                state.tasks.push(Task::Test(At(statement)));
                state.tasks.push(Task::Do(At(body)));
            }
            StmtKind::For(first, ..) => {
                state.tasks.push(Task::Test(At(statement)));
                state.tasks.push(Task::Do(At(first)));
            }
            StmtKind::Break => loop {
                match state.tasks.pop() {
                    Some(Task::Test(_) | Task::Advance(_) | Task::Switched) => break,
                    Some(_) => {}
                    None => return untreated("break outside of a loop"),
                }
            },
            StmtKind::Continue => loop {
                match state.tasks.last() {
                    Some(Task::Test(_) | Task::Advance(_)) => break,
                    Some(_) => {
                        state.tasks.pop();
                    }
                    None => return untreated("continue outside of a loop"),
                }
            },
            StmtKind::Stop(stop) => match stop {
                Stop::Exit => state.tasks = vec![Task::End("exit")],
                Stop::Failed if self.settings.assume_assertions => {
                    state.tasks = vec![Task::End("")];
                }
                Stop::Failed => state.tasks = vec![Task::End("failed")],
            },
            StmtKind::Goto(label) => self.jump(state, statement, label)?,
            _ => {}
        }
        Ok(())
    }

    /// Goes on at a label of the function that the statement stands in.
    fn jump(&self, state: &mut State<'a>, statement: &'a Stmt, label: &str) -> Result<()> {
        let is_here = |it: &Stmt| std::ptr::eq(it, statement);
        let owner = self.unit.functions.iter().find(|it| path(&it.body, &is_here, true).is_some());
        let Some(way) = owner.and_then(|it| way(it, label)) else {
            return untreated("a label that is not found");
        };
        while !matches!(state.tasks.last(), Some(Task::Return(..) | Task::End(_)) | None) {
            state.tasks.pop();
        }
        state.tasks.extend(way);
        Ok(())
    }

    /// Whether `main` has a label of this name.
    pub fn has_label(&self, name: &str) -> bool {
        self.main().is_ok_and(|main| way(main, name).is_some())
    }

    /// Whether a state is where a label of `main` stands, or where the program goes on from there.
    ///
    /// # Errors
    /// If the program cannot be treated.
    pub fn is_at(&self, state: &State<'a>, label: &str) -> Result<bool> {
        let is_seen = state.depth() == 0 || state.label().is_some();
        let Some(way) = way(self.main()?, label).filter(|_| is_seen) else {
            return Ok(false);
        };
        let mut there = state.clone();
        there.tasks.truncate(0);
        there.tasks.push(Task::End("exit"));
        there.tasks.extend(way);
        self.settle(&mut there)?;
        Ok(there.tasks.last() == state.tasks.last())
    }

    /// The states after one step.
    ///
    /// # Errors
    /// If the program cannot be treated.
    pub fn next(&self, state: &State<'a>) -> Result<Next<'a>> {
        let mut next = Next::default();
        let Some(task) = state.tasks.last() else { return untreated("no task") };
        match task {
            // What cannot go on does not exist.
            Task::End("") => {}
            Task::End(_) | Task::Idle(_) => next.states.push(state.clone()),
            Task::Return(..) => self.give_back(state, None, &mut next)?,
            Task::Test(At(statement)) => self.test_loop(state, statement, &mut next)?,
            Task::Effect(At(expr)) => {
                let mut after = state.clone();
                after.tasks.pop();
                self.effect(&after, expr, &mut next)?;
            }
            Task::Do(At(statement)) => self.execute(state, statement, &mut next)?,
            Task::Rest(_) | Task::Switched | Task::Advance(_) => {
                return untreated("a state that is not settled");
            }
        }
        for state in &mut next.states {
            self.settle(state)?;
        }
        Ok(next)
    }

    fn test_loop(&self, state: &State<'a>, statement: &'a Stmt, next: &mut Next<'a>) -> Result<()> {
        let (condition, body) = match &statement.kind {
            StmtKind::While(condition, body) | StmtKind::DoWhile(body, condition) => {
                (condition, body)
            }
            StmtKind::For(_, Some(condition), _, body) => (condition, body),
            _ => return untreated("a test of no loop"),
        };
        let again = match statement.kind {
            StmtKind::For(..) => Task::Advance(At(statement)),
            _ => Task::Test(At(statement)),
        };
        self.branch(state, condition, next, |state, truth| {
            state.tasks.pop();
            if truth {
                state.tasks.push(again.clone());
                state.tasks.push(Task::Do(At(body)));
            }
        })
    }

    /// One state for each outcome of a condition.
    fn branch(
        &self,
        state: &State<'a>,
        condition: &Expr,
        next: &mut Next<'a>,
        mut go: impl FnMut(&mut State<'a>, bool),
    ) -> Result<()> {
        let outcomes = self.truths(state, condition)?;
        next.more |= outcomes.more;
        let mut seen = Vec::new();
        for outcome in outcomes.list {
            let truth = outcome.map(|value| value != 0);
            if seen.contains(&truth) {
                continue;
            }
            seen.push(truth);
            let mut after = state.clone();
            match truth {
                Some(truth) => go(&mut after, truth),
                None => after.tasks = vec![Task::End("error")],
            }
            next.states.push(after);
        }
        Ok(())
    }

    fn execute(&self, state: &State<'a>, statement: &'a Stmt, next: &mut Next<'a>) -> Result<()> {
        let mut after = state.clone();
        after.tasks.pop();
        match &statement.kind {
            StmtKind::Expr(Some(expr)) => self.effect(&after, expr, next),
            StmtKind::Declare(declared) => {
                let [Declared { name, value: Some(value), ty, .. }] = declared.as_slice() else {
                    return untreated("a declaration of several variables");
                };
                after.set_new(name, None, *ty);
                self.store(&after, name, value, next)
            }
            StmtKind::If(condition, yes, no) => {
                self.branch(&after, condition, next, |state, it| match (it, no) {
                    (true, _) => state.tasks.push(Task::Do(At(yes))),
                    (false, Some(no)) => state.tasks.push(Task::Do(At(no))),
                    (false, None) => {}
                })
            }
            StmtKind::Switch(on, body) => self.switch(&after, on, body, next),
            StmtKind::Return(value) => {
                // Up to the end of the call.
                while !matches!(after.tasks.last(), Some(Task::Return(..) | Task::End(_)) | None) {
                    after.tasks.pop();
                }
                self.give_back(&after, value.as_ref(), next)
            }
            StmtKind::Assume(condition) => self.require(&after, condition, next, None),
            StmtKind::Assert(condition) => {
                let failed = (!self.settings.assume_assertions).then_some("failed");
                self.require(&after, condition, next, failed)
            }
            _ => untreated("a statement without a step"),
        }
    }

    fn require(
        &self,
        after: &State<'a>,
        condition: &Expr,
        next: &mut Next<'a>,
        otherwise: Option<&'static str>,
    ) -> Result<()> {
        self.branch(after, condition, next, |state, truth| {
            if !truth {
                state.tasks = vec![Task::End(otherwise.unwrap_or(""))];
            }
        })?;
        // A false assumption is no step at all.
        next.states.retain(|state| state.tasks != [Task::End("")]);
        Ok(())
    }

    fn switch(
        &self,
        after: &State<'a>,
        on: &Expr,
        body: &'a Stmt,
        next: &mut Next<'a>,
    ) -> Result<()> {
        let inside = std::slice::from_ref(body);
        let outcomes = self.outcomes(after, on)?;
        next.more |= outcomes.more;
        for outcome in outcomes.list {
            let mut state = after.clone();
            let Some(value) = outcome else {
                state.tasks = vec![Task::End("error")];
                next.states.push(state);
                continue;
            };
            let ty = self.number_of(after, on)?.promoted(self);
            let is_case = |statement: &Stmt| match statement.kind {
                StmtKind::Case(it) => self.wrap(ty, it) == value,
                _ => false,
            };
            let is_default = |statement: &Stmt| statement.kind == StmtKind::Default;
            let way = path(inside, &is_case, false).or_else(|| path(inside, &is_default, false));
            if let Some(way) = way {
                state.tasks.push(Task::Switched);
                state.tasks.extend(way);
            }
            next.states.push(state);
        }
        Ok(())
    }

    /// Returns; the end of the call, or of `main`, is on top of the tasks. Where a value is missing
    /// that somebody asks for, it is any of its type.
    fn give_back(
        &self,
        state: &State<'a>,
        value: Option<&Expr>,
        next: &mut Next<'a>,
    ) -> Result<()> {
        let outcomes = match (value, state.tasks.last()) {
            (Some(value), _) => self.outcomes(state, value)?,
            (None, Some(Task::Return(Some(_), ty))) => {
                self.any(None, None, ty.unwrap_or(Type::INT))
            }
            (None, _) => Outcomes { list: vec![Some(0)], more: false },
        };
        next.more |= outcomes.more;
        for outcome in outcomes.list {
            let mut after = state.clone();
            match (outcome, after.tasks.last().cloned()) {
                (None, _) => after.tasks = vec![Task::End("error")],
                (Some(value), Some(Task::Return(result, ty))) => {
                    let Some(caller) = after.waiting.pop() else { return untreated("no caller") };
                    (after.tasks, after.values) = caller;
                    if let Some(name) = result {
                        let value = ty.map_or(value, |ty| self.fit(ty, value));
                        self.set(&mut after, &name, value, ty.unwrap_or(Type::INT))?;
                    }
                }
                _ => {}
            }
            next.states.push(after);
        }
        Ok(())
    }
}

/// What is left to do at a label of a function.
fn way<'a>(function: &'a Function, label: &str) -> Option<Vec<Task<'a>>> {
    let is_label = |it: &Stmt| matches!(&it.kind, StmtKind::Label(name) if name == label);
    path(&function.body, &is_label, true)
}

/// What is left to do just after a statement in a list, or inside one of it; labels of cases are
/// not those of switches inside.
fn path<'a>(
    list: &'a [Stmt],
    is_wanted: &dyn Fn(&Stmt) -> bool,
    enters_switches: bool,
) -> Option<Vec<Task<'a>>> {
    let within =
        |statement: &'a Stmt| path(std::slice::from_ref(statement), is_wanted, enters_switches);
    for (at, statement) in list.iter().enumerate() {
        let rest = Task::Rest(At(&list[at + 1..]));
        if is_wanted(statement) {
            return Some(vec![rest]);
        }
        let own = At(statement);
        let (around, inner) = match &statement.kind {
            StmtKind::Block(body) => (None, path(body, is_wanted, enters_switches)),
            StmtKind::If(_, yes, no) => {
                (None, within(yes).or_else(|| no.as_ref().and_then(|no| within(no))))
            }
            StmtKind::While(_, body) | StmtKind::DoWhile(body, _) => {
                (Some(Task::Test(own)), within(body))
            }
            StmtKind::For(_, _, _, body) => (Some(Task::Advance(own)), within(body)),
            StmtKind::Switch(_, body) if enters_switches => (Some(Task::Switched), within(body)),
            _ => continue,
        };
        if let Some(inner) = inner {
            return Some([rest].into_iter().chain(around).chain(inner).collect());
        }
    }
    None
}

//! Runs a syntax tree, one step after the other.
//!
//! This is the meaning of programs, written down a second time: it goes over the tree with a stack
//! of what is left to do, keeps values in tables by name, and shares nothing with the lowering to
//! flow graphs but the tree. Tests compare the two. It is made to be plain, not to be complete:
//! effects inside conditions are not treated, and names must be unique in each function.

use super::lower::Settings;
use super::syntax::{
    Arithmetic, Comparison, Declared, Expr, Function, Kind, Stmt, StmtKind, Stop, Unit,
};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// Something of the tree; the same only if it stands at the same place.
#[derive(Debug)]
struct At<'a, T: ?Sized>(&'a T);

impl<T: ?Sized> Clone for At<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for At<'_, T> {}

impl<T: ?Sized> PartialEq for At<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl<T: ?Sized> Eq for At<'_, T> {}

impl<T: ?Sized> Hash for At<'_, T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}

/// What is left to do, innermost last.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Task<'a> {
    Do(At<'a, Stmt>),
    Rest(At<'a, [Stmt]>),
    /// The condition of a loop comes next.
    Test(At<'a, Stmt>),
    /// The last part of a `for` comes next, then its condition.
    Advance(At<'a, Stmt>),
    /// Where `break` leads that is in a switch.
    Switched,
    /// The end of a call, and where its value goes.
    Return(Option<String>),
    /// Nothing, for ever.
    End(&'static str),
}

/// A state of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State<'a> {
    tasks: Vec<Task<'a>>,
    /// Globals, then the variables of each open call.
    values: Vec<BTreeMap<String, i128>>,
}

/// What the interpreter does not treat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untreated(pub String);

type Result<T> = std::result::Result<T, Untreated>;

fn untreated<T>(what: &str) -> Result<T> {
    Err(Untreated(what.to_owned()))
}

/// Some of the possible outcomes of something; `None` is an error.
struct Outcomes {
    list: Vec<Option<i128>>,
    /// Whether there are more.
    more: bool,
}

/// The states that can come next.
#[derive(Clone, Debug, Default)]
pub struct Next<'a> {
    /// Those that are listed.
    pub states: Vec<State<'a>>,
    /// Whether there are more, because a value may be any number.
    pub more: bool,
}

/// How far `?` goes in both directions.
const REACH: i128 = 2;

/// Runs a program.
#[derive(Clone, Copy, Debug)]
pub struct Interpreter<'a> {
    unit: &'a Unit,
    settings: &'a Settings,
    /// Values that what is open is worth trying with.
    hints: &'a [i128],
}

impl<'a> Interpreter<'a> {
    /// An interpreter of a program.
    pub fn new(unit: &'a Unit, settings: &'a Settings) -> Self {
        Interpreter { unit, settings, hints: &[] }
    }

    /// The same, which lists these values as well where any value may be.
    #[must_use]
    pub fn with_hints(self, hints: &'a [i128]) -> Self {
        Interpreter { hints, ..self }
    }

    fn main(&self) -> Result<&'a Function> {
        self.unit.function("main").map_or_else(|| untreated("no main"), Ok)
    }

    /// The variables whose initial values are open.
    ///
    /// # Errors
    /// If the program cannot be treated.
    pub fn open(&self) -> Result<Vec<String>> {
        let main = self.main()?;
        let head = main.body.iter().map_while(|statement| match &statement.kind {
            StmtKind::Declare(declared) => Some(declared),
            _ => None,
        });
        let locals = main.parameters.iter().chain(head.flatten());
        let globals = self.unit.globals.iter().filter(|_| self.settings.any_globals);
        let open = |declared: &&Declared| declared.value.is_none();
        Ok(globals.chain(locals).filter(open).map(|declared| declared.name.clone()).collect())
    }

    /// The initial state for these values, if they fit what is given.
    ///
    /// # Errors
    /// If the program cannot be treated.
    pub fn start(&self, open: &BTreeMap<String, i128>) -> Result<Option<State<'a>>> {
        let main = self.main()?;
        if self.unit.functions.iter().any(has_twins) {
            return untreated("a name that is declared twice in a function, or a truth value");
        }
        let mut state = State { tasks: Vec::new(), values: vec![BTreeMap::new()] };
        for global in &self.unit.globals {
            let value = match &global.value {
                Some(value) => self.only(&state, value)?,
                None => open.get(&global.name).copied().unwrap_or(0),
            };
            state.values[0].insert(global.name.clone(), value);
        }
        state.values.push(BTreeMap::new());
        for parameter in &main.parameters {
            state.set_new(&parameter.name, open.get(&parameter.name).copied().unwrap_or(0));
        }
        let mut head = 0;
        for statement in &main.body {
            let StmtKind::Declare(declared) = &statement.kind else { break };
            for one in declared {
                let value = match &one.value {
                    Some(value) => self.only(&state, value)?,
                    None => open.get(&one.name).copied().unwrap_or(0),
                };
                state.set_new(&one.name, value);
            }
            head += 1;
        }
        for given in &self.settings.given {
            if self.only(&state, given)? == 0 {
                return Ok(None);
            }
        }
        state.tasks.push(Task::End("exit"));
        state.tasks.push(Task::Rest(At(&main.body[head..])));
        self.settle(&mut state)?;
        Ok(Some(state))
    }

    /// The value of an expression that has just one.
    fn only(&self, state: &State<'a>, expr: &Expr) -> Result<i128> {
        match self.outcomes(state, expr)? {
            Outcomes { list, more: false } if list.len() == 1 => {
                list[0].map_or_else(|| untreated("division by zero at the beginning"), Ok)
            }
            _ => untreated("a choice at the beginning"),
        }
    }

    /// Whether a comparison is true in a state; over globals and the variables of `main`.
    ///
    /// # Errors
    /// If it cannot be treated.
    pub fn is_true(&self, state: &State<'a>, expr: &Expr) -> Result<bool> {
        let mut seen = state.clone();
        seen.values.truncate(2);
        Ok(self.only(&seen, expr)? != 0)
    }

    /// Does all that takes no step.
    fn settle(&self, state: &mut State<'a>) -> Result<()> {
        for _ in 0..1000 {
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
                        return Ok(());
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
                    _ => return Ok(()),
                },
                Task::Advance(at @ At(statement)) => match &statement.kind {
                    StmtKind::For(_, _, None, _) => {
                        state.tasks.pop();
                        state.tasks.push(Task::Test(at));
                    }
                    _ => return Ok(()),
                },
                Task::Return(_) | Task::End(_) => return Ok(()),
            }
        }
        untreated("a loop without steps")
    }

    fn takes_step(&self, statement: &Stmt) -> bool {
        match &statement.kind {
            StmtKind::Expr(Some(expr)) => !matches!(expr.kind, Kind::Name(_) | Kind::Number(_)),
            StmtKind::Declare(_)
            | StmtKind::If(..)
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
            StmtKind::Goto(_) => return untreated("goto"),
            _ => {}
        }
        Ok(())
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
            Task::End(_) => next.states.push(state.clone()),
            Task::Return(result) => {
                let span = self.main()?.span;
                let any = Expr { kind: Kind::Any(None, None), span };
                let value = result.as_ref().map(|_| any);
                self.give_back(state, value.as_ref(), &mut next)?;
            }
            Task::Test(At(statement)) => self.test_loop(state, statement, &mut next)?,
            Task::Advance(At(statement)) => {
                let StmtKind::For(_, _, Some(step), _) = &statement.kind else {
                    return untreated("a step of no loop");
                };
                let mut after = state.clone();
                after.tasks.pop();
                after.tasks.push(Task::Test(At(statement)));
                self.effect(&after, step, &mut next)?;
            }
            Task::Do(At(statement)) => self.execute(state, statement, &mut next)?,
            Task::Rest(_) | Task::Switched => return untreated("a state that is not settled"),
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
        let outcomes = self.outcomes(state, condition)?;
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
                let [Declared { name, value: Some(value), .. }] = declared.as_slice() else {
                    return untreated("declarations of several variables, or without a value");
                };
                self.store(&after, name, true, value, next)
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
                while !matches!(after.tasks.last(), Some(Task::Return(_) | Task::End(_)) | None) {
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
        let StmtKind::Block(body) = &body.kind else { return untreated("a switch without braces") };
        let outcomes = self.outcomes(after, on)?;
        next.more |= outcomes.more;
        for outcome in outcomes.list {
            let mut state = after.clone();
            let Some(value) = outcome else {
                state.tasks = vec![Task::End("error")];
                next.states.push(state);
                continue;
            };
            let is = |wanted: StmtKind| body.iter().position(|statement| statement.kind == wanted);
            if let Some(at) = is(StmtKind::Case(value)).or_else(|| is(StmtKind::Default)) {
                state.tasks.push(Task::Switched);
                state.tasks.push(Task::Rest(At(&body[at..])));
            }
            next.states.push(state);
        }
        Ok(())
    }

    /// Returns; the end of the call, or of `main`, is on top of the tasks.
    fn give_back(
        &self,
        state: &State<'a>,
        value: Option<&Expr>,
        next: &mut Next<'a>,
    ) -> Result<()> {
        let outcomes = match value {
            Some(value) => self.outcomes(state, value)?,
            None => Outcomes { list: vec![Some(0)], more: false },
        };
        next.more |= outcomes.more;
        for outcome in outcomes.list {
            let mut after = state.clone();
            match (outcome, after.tasks.last().cloned()) {
                (None, _) => after.tasks = vec![Task::End("error")],
                (Some(value), Some(Task::Return(result))) => {
                    after.tasks.pop();
                    after.values.pop();
                    if let Some(name) = result {
                        after.set(&name, value)?;
                    }
                }
                _ => {}
            }
            next.states.push(after);
        }
        Ok(())
    }

    /// An expression that stands alone.
    fn effect(&self, after: &State<'a>, expr: &'a Expr, next: &mut Next<'a>) -> Result<()> {
        let span = expr.span;
        let made = |kind: Kind| Expr { kind, span };
        let read = |name: &String| Box::new(made(Kind::Name(name.clone())));
        match &expr.kind {
            Kind::Assign(name, None, value) => self.store(after, name, false, value, next),
            Kind::Assign(name, Some(operator), value) => {
                let value = made(Kind::Binary(*operator, read(name), value.clone()));
                self.assign(after, name, false, &value, next)
            }
            Kind::Increment(name, by, _) => {
                let by = Box::new(made(Kind::Number(*by)));
                let value = made(Kind::Binary(Arithmetic::Add, read(name), by));
                self.assign(after, name, false, &value, next)
            }
            Kind::Call(name, arguments) => self.call(after, name, arguments, None, next),
            Kind::Store(array, size, index, operator, value) => {
                let outcomes = self.outcomes(after, index)?;
                next.more |= outcomes.more;
                for outcome in outcomes.list {
                    let Some(name) = outcome.and_then(|it| member(array, *size, it)) else {
                        next.states
                            .push(State { tasks: vec![Task::End("error")], ..after.clone() });
                        continue;
                    };
                    let value = match operator {
                        None => (**value).clone(),
                        Some(it) => made(Kind::Binary(*it, read(&name), value.clone())),
                    };
                    self.assign(after, &name, false, &value, next)?;
                }
                Ok(())
            }
            _ => untreated("an expression that stands alone"),
        }
    }

    fn store(
        &self,
        after: &State<'a>,
        name: &str,
        is_new: bool,
        value: &'a Expr,
        next: &mut Next<'a>,
    ) -> Result<()> {
        match &value.kind {
            Kind::Call(callee, arguments) if !is_new => {
                self.call(after, callee, arguments, Some(name.to_owned()), next)
            }
            _ => self.assign(after, name, is_new, value, next),
        }
    }

    fn assign(
        &self,
        after: &State<'a>,
        name: &str,
        is_new: bool,
        value: &Expr,
        next: &mut Next<'a>,
    ) -> Result<()> {
        let outcomes = self.outcomes(after, value)?;
        next.more |= outcomes.more;
        for outcome in outcomes.list {
            let mut state = after.clone();
            match outcome {
                Some(value) if is_new => state.set_new(name, value),
                Some(value) => state.set(name, value)?,
                None => state.tasks = vec![Task::End("error")],
            }
            next.states.push(state);
        }
        Ok(())
    }

    fn call(
        &self,
        after: &State<'a>,
        name: &str,
        arguments: &[Expr],
        result: Option<String>,
        next: &mut Next<'a>,
    ) -> Result<()> {
        let Some(function) = self.unit.function(name) else { return untreated("a missing callee") };
        let mut frame = BTreeMap::new();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            frame.insert(parameter.name.clone(), self.only(after, argument)?);
        }
        let mut state = after.clone();
        state.values.push(frame);
        state.tasks.push(Task::Return(result));
        state.tasks.push(Task::Rest(At(&function.body)));
        next.states.push(state);
        Ok(())
    }

    fn outcomes(&self, state: &State<'a>, expr: &Expr) -> Result<Outcomes> {
        let one = |value: i128| Outcomes { list: vec![Some(value)], more: false };
        Ok(match &expr.kind {
            Kind::Number(number) => one(*number),
            Kind::Name(name) => one(state.get(name)?),
            Kind::Any(low, high) => {
                let from = low.unwrap_or(-REACH);
                let to = high.unwrap_or(from.max(REACH)).min(from + 8);
                let more = low.is_none() || *high != Some(to);
                let is_new = |hint: &i128| {
                    !(from..=to).contains(hint)
                        && low.is_none_or(|low| low <= *hint)
                        && high.is_none_or(|high| *hint <= high)
                };
                let hints = self.hints.iter().copied().filter(is_new);
                Outcomes { list: (from..=to).chain(hints).map(Some).collect(), more }
            }
            Kind::Index(array, size, index) => {
                let mut outcomes = self.outcomes(state, index)?;
                for outcome in &mut outcomes.list {
                    let name = outcome.and_then(|it| member(array, *size, it));
                    *outcome = name.map(|name| state.get(&name)).transpose()?;
                }
                outcomes
            }
            Kind::Negate(of) => self.map(state, of, i128::checked_neg)?,
            Kind::Not(of) => self.map(state, of, |value| Some(i128::from(value == 0)))?,
            Kind::Binary(operator, a, b) => self.combine(state, a, b, |a, b| match operator {
                Arithmetic::Add => Ok(a.checked_add(b)),
                Arithmetic::Subtract => Ok(a.checked_sub(b)),
                Arithmetic::Multiply => Ok(a.checked_mul(b)),
                Arithmetic::Divide if b == 0 => Err(()),
                Arithmetic::Remainder if b == 0 => Err(()),
                Arithmetic::Divide => Ok(a.checked_div(b)),
                Arithmetic::Remainder => Ok(a.checked_rem(b)),
            })?,
            Kind::Compare(comparison, a, b) => self.combine(state, a, b, |a, b| {
                Ok(Some(i128::from(match comparison {
                    Comparison::Equal => a == b,
                    Comparison::NotEqual => a != b,
                    Comparison::Less => a < b,
                    Comparison::LessEqual => a <= b,
                    Comparison::Greater => a > b,
                    Comparison::GreaterEqual => a >= b,
                })))
            })?,
            Kind::And(a, b) => self.shortcut(state, a, |truth| (!truth).then_some(0), b)?,
            Kind::Or(a, b) => self.shortcut(state, a, |truth| truth.then_some(1), b)?,
            Kind::Choose(condition, yes, no) => {
                let first = self.outcomes(state, condition)?;
                let mut all = Outcomes { list: Vec::new(), more: first.more };
                for outcome in first.list {
                    let Some(value) = outcome else {
                        all.list.push(None);
                        continue;
                    };
                    let part = self.outcomes(state, if value != 0 { yes } else { no })?;
                    all.list.extend(part.list);
                    all.more |= part.more;
                }
                all
            }
            _ => return untreated("an effect in an expression"),
        })
    }

    fn map(
        &self,
        state: &State<'a>,
        of: &Expr,
        change: impl Fn(i128) -> Option<i128>,
    ) -> Result<Outcomes> {
        let mut outcomes = self.outcomes(state, of)?;
        for value in outcomes.list.iter_mut().flatten() {
            match change(*value) {
                Some(new) => *value = new,
                None => return untreated("numbers that are too large"),
            }
        }
        Ok(outcomes)
    }

    fn combine(
        &self,
        state: &State<'a>,
        a: &Expr,
        b: &Expr,
        join: impl Fn(i128, i128) -> std::result::Result<Option<i128>, ()>,
    ) -> Result<Outcomes> {
        let (first, second) = (self.outcomes(state, a)?, self.outcomes(state, b)?);
        let mut all = Outcomes { list: Vec::new(), more: first.more || second.more };
        for left in &first.list {
            for right in &second.list {
                all.list.push(match (left, right) {
                    (Some(left), Some(right)) => match join(*left, *right) {
                        Ok(Some(value)) => Some(value),
                        Ok(None) => return untreated("numbers that are too large"),
                        Err(()) => None,
                    },
                    _ => None,
                });
            }
        }
        Ok(all)
    }

    fn shortcut(
        &self,
        state: &State<'a>,
        a: &Expr,
        decided: impl Fn(bool) -> Option<i128>,
        b: &Expr,
    ) -> Result<Outcomes> {
        let first = self.outcomes(state, a)?;
        let mut all = Outcomes { list: Vec::new(), more: first.more };
        for outcome in first.list {
            match outcome.map(|value| decided(value != 0)) {
                None => all.list.push(None),
                Some(Some(value)) => all.list.push(Some(value)),
                Some(None) => {
                    let second = self.map(state, b, |value| Some(i128::from(value != 0)))?;
                    all.list.extend(second.list);
                    all.more |= second.more;
                }
            }
        }
        Ok(all)
    }
}

/// The element of an array with a number, if there is one.
fn member(array: &str, size: usize, number: i128) -> Option<String> {
    let number = usize::try_from(number).ok().filter(|&number| number < size)?;
    Some(super::syntax::element(array, number))
}

/// Whether a function declares a name twice, or a variable that holds truth values only.
fn has_twins(function: &Function) -> bool {
    let mut declared: Vec<&Declared> = function.parameters.iter().collect();
    let mut todo: Vec<&Stmt> = function.body.iter().collect();
    while let Some(statement) = todo.pop() {
        match &statement.kind {
            StmtKind::Declare(more) => declared.extend(more),
            StmtKind::Block(body) => todo.extend(body),
            StmtKind::If(_, yes, no) => {
                todo.push(yes);
                todo.extend(no.as_deref());
            }
            StmtKind::While(_, body) | StmtKind::DoWhile(body, _) | StmtKind::Switch(_, body) => {
                todo.push(body);
            }
            StmtKind::For(first, _, _, body) => todo.extend([&**first, &**body]),
            _ => {}
        }
    }
    let mut names: Vec<&str> = declared.iter().map(|one| one.name.as_str()).collect();
    names.sort_unstable();
    let is_truth = |one: &&&Declared| one.range == (Some(0), Some(1));
    names.windows(2).any(|pair| pair[0] == pair[1]) || declared.iter().any(|one| is_truth(&one))
}

impl State<'_> {
    fn get(&self, name: &str) -> Result<i128> {
        let local = self.values.last().and_then(|values| values.get(name));
        let value = local.or_else(|| self.values[0].get(name));
        value.copied().map_or_else(|| untreated(&format!("`{name}` has no value")), Ok)
    }

    fn set_new(&mut self, name: &str, value: i128) {
        if let Some(values) = self.values.last_mut() {
            values.insert(name.to_owned(), value);
        }
    }

    fn set(&mut self, name: &str, value: i128) -> Result<()> {
        let last = self.values.len() - 1;
        // What `hoist` names is not declared.
        if name.starts_with(' ') {
            self.set_new(name, value);
            return Ok(());
        }
        let frame = if self.values[last].contains_key(name) { last } else { 0 };
        match self.values[frame].get_mut(name) {
            Some(old) => {
                *old = value;
                Ok(())
            }
            None => untreated(&format!("`{name}` is not declared")),
        }
    }

    /// The value of a global, or of a variable of `main`.
    pub fn visible(&self, name: &str) -> Option<i128> {
        let tables = self.values.iter().take(2).rev();
        tables.into_iter().find_map(|values| values.get(name)).copied()
    }

    /// `exit`, `failed` or `error`, if it stays there for ever.
    pub fn label(&self) -> Option<&'static str> {
        match self.tasks.as_slice() {
            [.., Task::End(label)] => Some(label),
            _ => None,
        }
    }

    /// The largest value, whatever its sign.
    pub fn size(&self) -> i128 {
        let all = self.values.iter().flat_map(BTreeMap::values);
        all.map(|value| value.saturating_abs()).max().unwrap_or(0)
    }
}

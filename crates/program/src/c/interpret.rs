//! Runs a syntax tree, one step after the other.
//!
//! This is the meaning of programs, written down a second time: it goes over the tree with a stack
//! of what is left to do, keeps values in tables by name, and shares nothing with the lowering to
//! flow graphs but the tree. Tests compare the two. It is made to be plain, not to be complete:
//! effects inside conditions are not treated, and names must be unique in each function. What types
//! do to numbers is in `interpret/numbers`.

mod numbers;

use super::lower::Settings;
use super::syntax::{
    Arithmetic, Comparison, Declared, Expr, Function, Kind, Stmt, StmtKind, Stop, Type, Unit,
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
    /// An effect that comes next, one of several at the end of a `for`.
    Effect(At<'a, Expr>),
    /// Where `break` leads that is in a switch.
    Switched,
    /// The end of a call, where its value goes, and the type of that.
    Return(Option<String>, Option<Type>),
    /// Nothing, for ever.
    End(&'static str),
}

/// A state of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State<'a> {
    tasks: Vec<Task<'a>>,
    /// Globals, then the variables of each open call.
    values: Vec<BTreeMap<String, Slot>>,
}

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Slot {
    /// `None` if nothing was assigned yet, so that it may be anything.
    value: Option<i128>,
    ty: Type,
}

/// What the interpreter does not treat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untreated {
    /// Something of the program.
    Construct(String),
    /// That this variable is read before it has a value.
    Unset(String),
}

type Result<T> = std::result::Result<T, Untreated>;

fn untreated<T>(what: &str) -> Result<T> {
    Err(Untreated::Construct(what.to_owned()))
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

/// How far `?` goes in both directions, if it may be any number.
const REACH: i128 = 2;

/// How many numbers are listed at least of those that a choice has.
const LISTED: i128 = 9;

/// Runs a program.
#[derive(Clone, Copy, Debug)]
pub struct Interpreter<'a> {
    unit: &'a Unit,
    settings: &'a Settings,
    /// Values that what is open is worth trying with.
    hints: &'a [i128],
    /// Choices of at most so many numbers are listed whole.
    whole: i128,
    /// Whether numbers are mathematical whatever is set, as they are in claims.
    is_claim: bool,
    /// Whether variables whose initial value is not given have none, rather than 0.
    leaves_open: bool,
}

impl<'a> Interpreter<'a> {
    /// An interpreter of a program.
    pub fn new(unit: &'a Unit, settings: &'a Settings) -> Self {
        let (is_claim, leaves_open) = (false, false);
        Interpreter { unit, settings, hints: &[], whole: LISTED, is_claim, leaves_open }
    }

    /// The same, for which variables without a given initial value have none until one is assigned.
    /// To read one before that is not treated, so that answers do not depend on it.
    #[must_use]
    pub fn leaving_open(self) -> Self {
        Interpreter { leaves_open: true, ..self }
    }

    /// The same, which lists choices of at most so many numbers whole.
    #[must_use]
    pub fn listing(self, whole: i128) -> Self {
        Interpreter { whole, ..self }
    }

    /// The same, which lists these values as well where any value may be.
    #[must_use]
    pub fn with_hints(self, hints: &'a [i128]) -> Self {
        Interpreter { hints, ..self }
    }

    /// The same for what is said about a program.
    fn of_claims(&self) -> Self {
        Interpreter { is_claim: true, ..*self }
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
        let open =
            |declared: &&Declared| declared.value.is_none() || self.choice(declared).is_some();
        Ok(globals.chain(locals).filter(open).map(|declared| declared.name.clone()).collect())
    }

    /// The variables that are set to any of some numbers before the program begins.
    pub fn chosen(&self) -> Vec<String> {
        let Ok(main) = self.main() else { return Vec::new() };
        let head = main.body.iter().map_while(|statement| match &statement.kind {
            StmtKind::Declare(declared) => Some(declared),
            _ => None,
        });
        let chosen = head.flatten().filter(|declared| self.choice(declared).is_some());
        chosen.map(|declared| declared.name.clone()).collect()
    }

    /// The initial state for these values, if they fit what is given.
    ///
    /// # Errors
    /// If the program cannot be treated.
    pub fn start(&self, open: &BTreeMap<String, i128>) -> Result<Option<State<'a>>> {
        let main = self.main()?;
        if self.unit.functions.iter().any(has_twins) {
            return untreated("a name that is declared twice in a function");
        }
        let mut state = State { tasks: Vec::new(), values: vec![BTreeMap::new()] };
        let given = |name: &str| open.get(name).copied();
        let first = |name: &str| given(name).or((!self.leaves_open).then_some(0));
        for global in &self.unit.globals {
            let value = match &global.value {
                Some(value) => Some(self.fit(global.ty, self.only(&state, value)?)),
                None if self.settings.any_globals => first(&global.name),
                None => Some(given(&global.name).unwrap_or(0)),
            };
            if value.is_some_and(|value| !self.has(global.ty, value)) {
                return Ok(None);
            }
            let slot = Slot { value, ty: global.ty };
            state.values[0].insert(global.name.clone(), slot);
        }
        state.values.push(BTreeMap::new());
        for parameter in &main.parameters {
            let value = first(&parameter.name);
            if value.is_some_and(|value| !self.has(parameter.ty, value)) {
                return Ok(None);
            }
            state.set_new(&parameter.name, value, parameter.ty);
        }
        let mut head = 0;
        for statement in &main.body {
            let StmtKind::Declare(declared) = &statement.kind else { break };
            for one in declared {
                let choice = self.choice(one);
                let value = match &one.value {
                    Some(value) if choice.is_none() => {
                        Some(self.fit(one.ty, self.only(&state, value)?))
                    }
                    _ => first(&one.name),
                };
                let (low, high) = choice.unwrap_or_default();
                let fits = |value: i128| {
                    low.is_none_or(|low| low <= value)
                        && high.is_none_or(|high| value <= high)
                        && self.has(one.ty, value)
                };
                if value.is_some_and(|value| !fits(value)) {
                    return Ok(None);
                }
                state.set_new(&one.name, value, one.ty);
            }
            head += 1;
        }
        for given in &self.settings.given {
            if self.of_claims().only(&state, given)? == 0 {
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
        Ok(self.of_claims().only(&seen, expr)? != 0)
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
                    _ if self.has_effects(expr) => return Ok(()),
                    _ => {
                        state.tasks.pop();
                    }
                },
                Task::Return(..) | Task::End(_) => return Ok(()),
            }
        }
        untreated("a loop without steps")
    }

    fn takes_step(&self, statement: &Stmt) -> bool {
        match &statement.kind {
            StmtKind::Expr(Some(expr)) => self.has_effects(expr),
            StmtKind::Declare(declared) => declared.iter().any(|one| one.value.is_some()),
            StmtKind::If(..)
            | StmtKind::Switch(..)
            | StmtKind::Return(_)
            | StmtKind::Assume(_)
            | StmtKind::Assert(_) => true,
            _ => false,
        }
    }

    /// Whether an expression does something. Functions without a body do nothing.
    fn has_effects(&self, expr: &Expr) -> bool {
        match &expr.kind {
            Kind::Assign(..) | Kind::Store(..) | Kind::Increment(..) => true,
            Kind::Call(name, _) if self.unit.function(name).is_some() => true,
            Kind::Call(_, arguments) => arguments.iter().any(|it| self.has_effects(it)),
            Kind::Number(_) | Kind::Literal(..) | Kind::Name(_) | Kind::Any(..) => false,
            Kind::Negate(of)
            | Kind::Complement(of)
            | Kind::Cast(_, of)
            | Kind::Not(of)
            | Kind::Index(_, _, of) => self.has_effects(of),
            Kind::Binary(_, a, b)
            | Kind::Compare(_, a, b)
            | Kind::And(a, b)
            | Kind::Or(a, b)
            | Kind::Comma(a, b) => self.has_effects(a) || self.has_effects(b),
            Kind::Choose(a, b, c) => [a, b, c].into_iter().any(|it| self.has_effects(it)),
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
        let is_label = |it: &Stmt| matches!(&it.kind, StmtKind::Label(name) if name == label);
        let owner = self.unit.functions.iter().find(|it| path(&it.body, &is_here, true).is_some());
        let Some(way) = owner.and_then(|it| path(&it.body, &is_label, true)) else {
            return untreated("a label that is not found");
        };
        while !matches!(state.tasks.last(), Some(Task::Return(..) | Task::End(_)) | None) {
            state.tasks.pop();
        }
        state.tasks.extend(way);
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
            Task::Return(result, ty) => {
                let span = self.main()?.span;
                let any = Expr { kind: Kind::Any(None, None, ty.unwrap_or(Type::INT)), span };
                let value = result.as_ref().map(|_| any);
                self.give_back(state, value.as_ref(), &mut next)?;
            }
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
                (Some(value), Some(Task::Return(result, ty))) => {
                    after.tasks.pop();
                    after.values.pop();
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

    /// An expression that stands alone.
    fn effect(&self, after: &State<'a>, expr: &'a Expr, next: &mut Next<'a>) -> Result<()> {
        let span = expr.span;
        let made = |kind: Kind| Expr { kind, span };
        let read = |name: &String| Box::new(made(Kind::Name(name.clone())));
        match &expr.kind {
            Kind::Assign(name, None, value) => self.store(after, name, value, next),
            Kind::Assign(name, Some(operator), value) => {
                let value = made(Kind::Binary(*operator, read(name), value.clone()));
                self.assign(after, name, &value, next)
            }
            Kind::Increment(name, by, _) => {
                let by = Box::new(made(Kind::Number(*by)));
                let value = made(Kind::Binary(Arithmetic::Add, read(name), by));
                self.assign(after, name, &value, next)
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
                    self.assign(after, &name, &value, next)?;
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
        value: &'a Expr,
        next: &mut Next<'a>,
    ) -> Result<()> {
        match &value.kind {
            Kind::Call(callee, arguments) if self.unit.function(callee).is_some() => {
                self.call(after, callee, arguments, Some(name.to_owned()), next)
            }
            _ => self.assign(after, name, value, next),
        }
    }

    fn assign(
        &self,
        after: &State<'a>,
        name: &str,
        value: &Expr,
        next: &mut Next<'a>,
    ) -> Result<()> {
        let outcomes = self.outcomes(after, value)?;
        next.more |= outcomes.more;
        for outcome in outcomes.list {
            let mut state = after.clone();
            match outcome {
                Some(value) => self.set(&mut state, name, value, Type::INT)?,
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
            let value = Some(self.fit(parameter.ty, self.only(after, argument)?));
            frame.insert(parameter.name.clone(), Slot { value, ty: parameter.ty });
        }
        let mut state = after.clone();
        state.values.push(frame);
        state.tasks.push(Task::Return(result, function.returns));
        state.tasks.push(Task::Rest(At(&function.body)));
        next.states.push(state);
        Ok(())
    }

    /// What an expression may be, as far as it matters whether that is 0.
    fn truths(&self, state: &State<'a>, expr: &Expr) -> Result<Outcomes> {
        match &expr.kind {
            Kind::Any(None, None, _) => Ok(Outcomes { list: vec![Some(0), Some(1)], more: false }),
            Kind::Call(..) if !self.has_effects(expr) => {
                Ok(Outcomes { list: vec![Some(0), Some(1)], more: false })
            }
            _ => self.outcomes(state, expr),
        }
    }

    fn outcomes(&self, state: &State<'a>, expr: &Expr) -> Result<Outcomes> {
        let one = |value: i128| Outcomes { list: vec![Some(value)], more: false };
        Ok(match &expr.kind {
            Kind::Number(number) | Kind::Literal(number, _) => one(*number),
            Kind::Name(name) => one(state.get(name)?),
            Kind::Any(low, high, ty) => self.any(*low, *high, *ty),
            Kind::Cast(ty, of) => self.map(state, of, |value| Some(self.fit(*ty, value)))?,
            Kind::Index(array, size, index) => {
                let mut outcomes = self.outcomes(state, index)?;
                for outcome in &mut outcomes.list {
                    let name = outcome.and_then(|it| member(array, *size, it));
                    *outcome = name.map(|name| state.get(&name)).transpose()?;
                }
                outcomes
            }
            Kind::Negate(of) => {
                let ty = self.number_of(state, expr)?;
                self.map(state, of, |value| {
                    Some(self.wrap(ty, self.wrap(ty, value).checked_neg()?))
                })?
            }
            Kind::Complement(of) => {
                let ty = self.number_of(state, expr)?;
                self.map(state, of, |value| Some(self.wrap(ty, !self.wrap(ty, value))))?
            }
            Kind::Not(of) => {
                let mut outcomes = self.truths(state, of)?;
                for value in outcomes.list.iter_mut().flatten() {
                    *value = i128::from(*value == 0);
                }
                outcomes
            }
            Kind::Binary(operator, a, b) => {
                let ty = self.number_of(state, expr)?;
                self.combine(state, a, b, |a, b| self.calculate(*operator, ty, a, b))?
            }
            Kind::Compare(comparison, a, b) => {
                let ty = self.number_of(state, a)?.joined(self.number_of(state, b)?, self);
                self.combine(state, a, b, |a, b| {
                    let (a, b) = (self.wrap(ty, a), self.wrap(ty, b));
                    Ok(Some(i128::from(match comparison {
                        Comparison::Equal => a == b,
                        Comparison::NotEqual => a != b,
                        Comparison::Less => a < b,
                        Comparison::LessEqual => a <= b,
                        Comparison::Greater => a > b,
                        Comparison::GreaterEqual => a >= b,
                    })))
                })?
            }
            Kind::And(a, b) => self.shortcut(state, a, |truth| (!truth).then_some(0), b)?,
            Kind::Or(a, b) => self.shortcut(state, a, |truth| truth.then_some(1), b)?,
            Kind::Choose(condition, yes, no) => {
                let first = self.truths(state, condition)?;
                let ty = self.number_of(state, expr)?;
                let mut all = Outcomes { list: Vec::new(), more: first.more };
                for outcome in first.list {
                    let Some(value) = outcome else {
                        all.list.push(None);
                        continue;
                    };
                    let branch = if value != 0 { yes } else { no };
                    let part = self.map(state, branch, |value| Some(self.wrap(ty, value)))?;
                    all.list.extend(part.list);
                    all.more |= part.more;
                }
                all
            }
            Kind::Call(name, _) if !self.has_effects(expr) => {
                self.any(None, None, self.unit.returns(name))
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
        let first = self.truths(state, a)?;
        let mut all = Outcomes { list: Vec::new(), more: first.more };
        for outcome in first.list {
            match outcome.map(|value| decided(value != 0)) {
                None => all.list.push(None),
                Some(Some(value)) => all.list.push(Some(value)),
                Some(None) => {
                    let mut second = self.truths(state, b)?;
                    for value in second.list.iter_mut().flatten() {
                        *value = i128::from(*value != 0);
                    }
                    all.list.extend(second.list);
                    all.more |= second.more;
                }
            }
        }
        Ok(all)
    }
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

/// The element of an array with a number, if there is one.
fn member(array: &str, size: usize, number: i128) -> Option<String> {
    let number = usize::try_from(number).ok().filter(|&number| number < size)?;
    Some(super::syntax::element(array, number))
}

/// Whether a function declares a name twice.
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
    names.windows(2).any(|pair| pair[0] == pair[1])
}

impl State<'_> {
    fn slot(&self, name: &str) -> Option<Slot> {
        let local = self.values.last().and_then(|values| values.get(name));
        local.or_else(|| self.values[0].get(name)).copied()
    }

    fn get(&self, name: &str) -> Result<i128> {
        let value = self.slot(name).and_then(|slot| slot.value);
        value.ok_or_else(|| Untreated::Unset(name.to_owned()))
    }

    fn set_new(&mut self, name: &str, value: Option<i128>, ty: Type) {
        if let Some(values) = self.values.last_mut() {
            values.insert(name.to_owned(), Slot { value, ty });
        }
    }

    /// The value of a global, or of a variable of `main`.
    pub fn visible(&self, name: &str) -> Option<i128> {
        let tables = self.values.iter().take(2).rev();
        tables.into_iter().find_map(|values| values.get(name))?.value
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
        all.filter_map(|slot| slot.value).map(i128::saturating_abs).max().unwrap_or(0)
    }
}

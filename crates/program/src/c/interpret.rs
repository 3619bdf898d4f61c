//! Runs a syntax tree, one step after the other.
//!
//! This is the meaning of programs, written down a second time: it goes over the tree with a stack
//! of what is left to do, keeps values in tables by name, and shares nothing with the lowering to
//! flow graphs but the tree. Tests compare the two. It is made to be plain: effects inside
//! expressions are not treated, and names must be unique in each function (`hoist` makes programs
//! so). Statements are in `interpret/control`, assignments and calls in `interpret/effects`, what
//! expressions give in `interpret/values`, what types do to numbers in `interpret/numbers`, and
//! which choices go on at all in `interpret/assumed`.

mod assumed;
mod control;
mod effects;
mod numbers;
mod stack;
mod values;

pub use assumed::{Range, both};

use super::hoist::Plain;
use super::lower::{Settings, names};
use super::syntax::{Declared, Expr, Function, Stmt, StmtKind, Stop, Type, Unit};
use stack::{Table, Waiting, size};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{Hash, Hasher};
use tern_model::Span;

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
    /// A loop that takes no step: nothing, for ever, and no end.
    Idle(At<'a, Stmt>),
}

/// A state of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State<'a> {
    /// What is left to do in the innermost call.
    tasks: Vec<Task<'a>>,
    globals: Table,
    /// The variables of the innermost call.
    values: Table,
    waiting: Waiting<'a>,
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
    pub fn new(program: &'a Plain, settings: &'a Settings) -> Self {
        let (is_claim, leaves_open) = (false, false);
        Interpreter { unit: &program.0, settings, hints: &[], whole: LISTED, is_claim, leaves_open }
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

    /// The variables whose initial values are open, and the globals that are not set because
    /// something is given of them.
    ///
    /// # Errors
    /// If the program cannot be treated.
    pub fn freely_begun(&self) -> Result<Vec<String>> {
        let mut open = self.open()?;
        let given: BTreeSet<String> = self.settings.given.iter().flat_map(names).collect();
        for global in &self.unit.globals {
            let is_free = global.value.is_none() && given.contains(&global.name);
            if is_free && !open.contains(&global.name) {
                open.push(global.name.clone());
            }
        }
        Ok(open)
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
        let mut state = State::default();
        let given = |name: &str| open.get(name).copied();
        let first = |name: &str| given(name).or((!self.leaves_open).then_some(0));
        for global in &self.unit.globals {
            let value = match &global.value {
                Some(value) => Some(self.fit(global.ty, self.only(&state, value)?)),
                None if self.settings.any_globals => first(&global.name),
                None => Some(given(&global.name).unwrap_or(0)),
            };
            // What it is set to may be beyond its type where numbers are mathematical.
            let is_open = global.value.is_none();
            if is_open && value.is_some_and(|value| !self.has(global.ty, value)) {
                return Ok(None);
            }
            let slot = Slot { value, ty: global.ty };
            state.globals.insert(global.name.clone(), slot);
        }
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
                if let (Some(value), None) = (&one.value, choice) {
                    let value = self.fit(one.ty, self.only(&state, value)?);
                    state.set_new(&one.name, Some(value), one.ty);
                    continue;
                }
                let value = first(&one.name);
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

    /// Whether every state has a step: nothing is assumed anywhere, and every choice has a value.
    pub fn goes_on(&self) -> bool {
        let assumes = |statement: &Stmt| match &statement.kind {
            StmtKind::Assume(_) => true,
            StmtKind::Assert(_) | StmtKind::Stop(Stop::Failed) => self.settings.assume_assertions,
            _ => false,
        };
        !self.unit.functions.iter().any(|it| it.body.iter().any(|it| contains(it, &assumes)))
    }

    /// Whether a comparison is true in a state; over globals and the variables of `main`.
    ///
    /// # Errors
    /// If it cannot be treated.
    pub fn is_true(&self, state: &State<'a>, expr: &Expr) -> Result<bool> {
        let (globals, values) = (state.globals.clone(), state.of_main().clone());
        let seen = State { globals, values, ..State::default() };
        Ok(self.of_claims().only(&seen, expr)? != 0)
    }
}

/// Whether a statement is one of some, or has one inside.
fn contains<'a>(statement: &'a Stmt, is_wanted: &dyn Fn(&'a Stmt) -> bool) -> bool {
    let within = |it: &'a Stmt| contains(it, is_wanted);
    is_wanted(statement)
        || match &statement.kind {
            StmtKind::Block(body) => body.iter().any(within),
            StmtKind::If(_, yes, no) => within(yes) || no.as_deref().is_some_and(within),
            StmtKind::While(_, body) | StmtKind::DoWhile(body, _) | StmtKind::Switch(_, body) => {
                within(body)
            }
            StmtKind::For(first, _, _, body) => within(first) || within(body),
            _ => false,
        }
}

/// Whether a function declares a name twice.
fn has_twins(function: &Function) -> bool {
    let declared = std::cell::RefCell::new(HashSet::new());
    let is_new = |it: &'_ Declared| declared.borrow_mut().insert(it.name.clone());
    let repeats = |statement: &Stmt| match &statement.kind {
        StmtKind::Declare(more) => !more.iter().all(is_new),
        _ => false,
    };
    !function.parameters.iter().all(is_new)
        || function.body.iter().any(|statement| contains(statement, &repeats))
}

impl State<'_> {
    /// Whether it is at the place of another in all open calls, whatever the values are.
    pub(super) fn is_where(&self, other: &Self) -> bool {
        self.tasks == other.tasks && self.waiting.is_where(&other.waiting)
    }

    /// Gives a variable that was never set a value; `None` if it was set, or if there is none.
    pub(super) fn begin(&mut self, name: &str, value: i128) -> Option<()> {
        let slot = match self.values.get_mut(name) {
            Some(own) => own,
            None => self.globals.get_mut(name)?,
        };
        slot.value.is_none().then(|| slot.value = Some(value))
    }

    fn slot(&self, name: &str) -> Option<Slot> {
        self.values.get(name).or_else(|| self.globals.get(name)).copied()
    }

    /// The variables of `main`, of its first call if it calls itself.
    fn of_main(&self) -> &Table {
        self.waiting.main().map_or(&self.values, |main| main)
    }

    fn get(&self, name: &str) -> Result<i128> {
        let value = self.slot(name).and_then(|slot| slot.value);
        value.ok_or_else(|| Untreated::Unset(name.to_owned()))
    }

    fn set_new(&mut self, name: &str, value: Option<i128>, ty: Type) {
        self.values.insert(name.to_owned(), Slot { value, ty });
    }

    /// The value of a global, or of a variable of `main`.
    pub fn visible(&self, name: &str) -> Option<i128> {
        self.of_main().get(name).or_else(|| self.globals.get(name))?.value
    }

    /// `exit`, `failed` or `error`, if it stays there for ever.
    pub fn label(&self) -> Option<&'static str> {
        match self.tasks.as_slice() {
            [.., Task::End(label)] => Some(label),
            _ => None,
        }
    }

    /// Where the statement or expression stands that comes next; `None` at an end, and where a
    /// function ends without `return`.
    pub fn place(&self) -> Option<Span> {
        match self.tasks.last()? {
            Task::Do(At(it)) => Some(it.span),
            Task::Test(At(it)) => Some(match &it.kind {
                StmtKind::DoWhile(_, condition) => condition.span,
                _ => it.span,
            }),
            Task::Effect(At(it)) => Some(it.span),
            _ => None,
        }
    }

    /// How many calls are open; `main` is none.
    pub fn depth(&self) -> usize {
        self.waiting.depth()
    }

    /// The variables of the innermost call, or of `main`, that have a value.
    pub fn innermost(&self) -> impl Iterator<Item = (&str, i128)> {
        self.values.iter().filter_map(|(name, slot)| Some((name.as_str(), slot.value?)))
    }

    /// How many values it has, but for those of calls that wait.
    pub(super) fn count(&self) -> usize {
        self.globals.len() + self.values.len()
    }

    /// The largest value, whatever its sign.
    pub fn size(&self) -> i128 {
        size(&self.globals).max(size(&self.values)).max(self.waiting.size())
    }
}

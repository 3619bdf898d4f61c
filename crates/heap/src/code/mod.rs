//! Programs as numbered lines, each of which is one step, and which variables are still read.
//!
//! [`lower`] makes them of `tern-ir`. What heaps cannot be followed through is a line of its own, a
//! *hole*: whatever happens from there on is not known. Nothing is skipped.

mod called;
mod compute;
pub mod lower;

pub use called::Called;
pub use compute::{Number, Operation};
pub use lower::{Callee, World, code};

use crate::graph::{NumberId, SelectorId, TypeId};
use std::collections::BTreeSet;
use tern_ir::{BlockId, Place, ProcId};
use tern_model::index::Table;

/// Something that can be read at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A variable.
    Variable(u32),
    /// No object.
    Null,
    /// A number or truth value.
    Integer(i64),
    /// Any number or truth value, or a reference of which nothing is known.
    Any,
}

/// What two values are compared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The same.
    Equal,
    /// The left one is less.
    Less,
    /// The left one is not greater.
    LessEqual,
}

/// What a line does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// `to = from`
    Copy(u32, Source),
    /// `to = new kind`
    New(u32, TypeId),
    /// `to = object.selector`
    Load(u32, Source, SelectorId),
    /// `object.selector = value`
    Store(Source, SelectorId, Source),
    /// Something of an object is looked at or written that heaps do not keep, or a procedure is
    /// called that changes nothing. What it gives is not known.
    Touch {
        /// What is written.
        to: Option<u32>,
        /// The object, which must not be `null`.
        object: Source,
        /// Whether an object of which nothing is known is taken not to be `null`.
        trusted: bool,
    },
    /// `to =` the number of elements of the array with which the program is started. Where it is
    /// known, the variable of the array has it in place of the array.
    Length(u32, Source),
    /// `to = object.field`, a number.
    LoadNumber(u32, Source, NumberId),
    /// `object.field = value`, a number.
    StoreNumber(Source, NumberId, Source),
    /// `to = operation`
    Compute(u32, Operation),
    /// `to = from`, which must be `null` or an object of one of some types.
    Cast(u32, Source, Vec<TypeId>),
    /// `to = 1` if it is an object of one of some types, else 0.
    InstanceOf(u32, Source, Vec<TypeId>),
    /// `to = ?`, of a truth value: each of the two.
    Toss(u32),
    /// `free object`
    Free(Source),
    /// `to = callee(arguments)`
    Call {
        /// What is written, if anything.
        to: Option<u32>,
        /// Who is called.
        callee: Called,
        /// With what.
        arguments: Vec<Source>,
        /// Whether the first argument must not be `null`.
        receiver: bool,
    },
    /// Whether `left` is to `right` as said; goes on at `next` if so, else at `otherwise`.
    Test {
        /// What is asked.
        relation: Relation,
        /// The left side.
        left: Source,
        /// The right side.
        right: Source,
        /// Where it goes on if they differ.
        otherwise: u32,
    },
    /// Either way: on at `next` or at `otherwise`.
    Choose {
        /// The other way.
        otherwise: u32,
    },
    /// The procedure returns.
    Return(Option<Source>),
    /// An exception is thrown, which nobody takes.
    Throw {
        /// Whether it was made for that: it is none that was taken before.
        new: bool,
    },
    /// Nothing, for ever.
    Stay,
    /// Something that heaps are not followed through, and why.
    Hole(String),
}

/// One step of a procedure.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it does.
    pub action: Action,
    /// Where it goes on.
    pub next: u32,
    /// Where it stands in the source.
    pub place: Place,
    /// Where it stands in the program it was made of: the block, its place in that, and the case of
    /// a switch.
    pub at: (BlockId, usize, usize),
    /// The variables that may be read from here on before they are written.
    pub live: BTreeSet<u32>,
    /// Whether it is where a loop begins: a line that it leads to leads back to it.
    pub head: bool,
    /// Whether somebody may take what is thrown here; nothing is known of what comes then, but for
    /// the next.
    pub caught: bool,
    /// Whether that may be somebody who waits for the procedure. Handlers of the procedure itself
    /// take null dereferences for sure, or never.
    pub caught_outside: bool,
    /// Where it goes on after a null dereference that the procedure itself takes, and the variable
    /// that the exception goes to.
    pub handler: Option<(u32, u32)>,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// The type of the objects it refers to; `None` if heaps do not keep these, and for numbers.
    pub kind: Option<TypeId>,
    /// Whether it holds whole numbers or truth values.
    pub is_number: bool,
}

/// The fields that a procedure reads and writes, in calls too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Those it reads.
    pub reads: BTreeSet<SelectorId>,
    /// Those it writes.
    pub writes: BTreeSet<SelectorId>,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Method {
    /// Its name.
    pub name: String,
    /// The file that lines count in, if that is known.
    pub file: Option<String>,
    /// How many of the variables are parameters.
    pub parameters: usize,
    /// The variables.
    pub locals: Vec<Local>,
    /// The lines; the first is where it begins.
    pub lines: Vec<Line>,
    /// What it or something that it calls does to fields.
    pub effects: Effects,
    /// The type of what it returns, if that is a reference.
    pub returns: Option<TypeId>,
    /// Whether variables that are no parameters have no value before they are written. Otherwise
    /// they are `null`, 0 or `false`.
    pub blank: bool,
}

/// All procedures of a program.
#[derive(Clone, Debug)]
pub struct Code {
    /// The procedures, with the numbers they have in the program.
    pub methods: Table<ProcId, Method>,
    /// Whether nothing is left to chance: each input has one run.
    pub deterministic: bool,
    /// The type of objects that were freed, if the program frees any.
    pub freed: Option<TypeId>,
    /// Names of objects of the input that are no parameters.
    pub named: Vec<String>,
    /// The fields that hold numbers.
    pub numbers: Table<NumberId, NumberField>,
}

/// A field that holds numbers or truth values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberField {
    /// Its name.
    pub name: String,
    /// The types of objects that have it.
    pub of: Vec<TypeId>,
    /// Whether it holds truth values.
    pub is_truth: bool,
}

impl Code {
    /// Puts procedures together: finds what they allocate, what is live, and what is caught.
    fn new(mut methods: Table<ProcId, Method>, freed: Option<TypeId>) -> Self {
        find_effects(&mut methods);
        find_caught(&mut methods);
        find_thrown_again(&mut methods);
        methods.iter_mut().for_each(|(_, method)| {
            find_live(method);
            find_heads(method);
        });
        let lines = methods.as_slice().iter().flat_map(|method| &method.lines);
        let deterministic = !lines.into_iter().any(Line::is_chance);
        Code { methods, deterministic, freed, named: Vec::new(), numbers: Table::new() }
    }

    /// Whether nothing is left to chance in a procedure and what it calls: each input has one run.
    pub fn has_one_run(&self, procedure: ProcId) -> bool {
        let is_fixed = |it: &ProcId| !self.methods[*it].lines.iter().any(Line::is_chance);
        is_fixed(&procedure) && self.called_from(procedure).iter().all(is_fixed)
    }

    /// Whether a procedure may be called while it runs.
    pub fn calls_itself(&self, procedure: ProcId) -> bool {
        self.called_from(procedure).contains(&procedure)
    }

    /// The procedures that may be called while one runs.
    fn called_from(&self, procedure: ProcId) -> BTreeSet<ProcId> {
        let (mut open, mut seen) = (vec![procedure], BTreeSet::new());
        while let Some(next) = open.pop() {
            for line in &self.methods[next].lines {
                if let Action::Call { callee, .. } = &line.action {
                    open.extend(callee.all().filter(|it| seen.insert(*it)));
                }
            }
        }
        seen
    }

    /// The fields with numbers that are read somewhere.
    pub fn numbers_read(&self) -> BTreeSet<NumberId> {
        let lines = self.methods.as_slice().iter().flat_map(|method| &method.lines);
        let read = |line: &Line| match line.action {
            Action::LoadNumber(_, _, field) => Some(field),
            _ => None,
        };
        lines.filter_map(read).collect()
    }

    /// Whether a procedure is started with an array of which it asks for the number of elements.
    pub fn counts_arguments(&self, procedure: ProcId) -> bool {
        let is_length = |line: &Line| matches!(line.action, Action::Length(..));
        self.methods[procedure].lines.iter().any(is_length)
    }

    /// The numbers that tests and computations name: where programs decide.
    pub fn constants(&self) -> BTreeSet<i64> {
        let lines = self.methods.as_slice().iter().flat_map(|method| &method.lines);
        let number = |source: Source| match source {
            Source::Integer(number) => Some(number),
            _ => None,
        };
        lines.flat_map(Line::sources).filter_map(number).collect()
    }
}

impl Line {
    /// Calls `visit` with the lines that may come next in the procedure.
    pub fn successors(&self, mut visit: impl FnMut(u32)) {
        match self.action {
            Action::Return(_) | Action::Throw { .. } | Action::Hole(_) => {}
            Action::Test { otherwise, .. } | Action::Choose { otherwise } => {
                visit(self.next);
                visit(otherwise);
            }
            _ => visit(self.next),
        }
    }

    /// What it reads.
    fn sources(&self) -> Vec<Source> {
        match &self.action {
            Action::Copy(_, source)
            | Action::Load(_, source, _)
            | Action::Cast(_, source, _)
            | Action::InstanceOf(_, source, _)
            | Action::Length(_, source)
            | Action::LoadNumber(_, source, _)
            | Action::Free(source) => vec![*source],
            Action::Touch { object, .. } => vec![*object],
            Action::Store(object, _, value) | Action::StoreNumber(object, _, value) => {
                vec![*object, *value]
            }
            Action::Compute(_, operation) => operation.sources(),
            Action::Call { arguments, .. } => arguments.clone(),
            Action::Test { left, right, .. } => vec![*left, *right],
            Action::Return(value) => value.iter().copied().collect(),
            Action::New(..)
            | Action::Toss(_)
            | Action::Choose { .. }
            | Action::Throw { .. }
            | Action::Stay
            | Action::Hole(_) => Vec::new(),
        }
    }

    fn reads(&self) -> Vec<u32> {
        let variable = |source: Source| match source {
            Source::Variable(variable) => Some(variable),
            _ => None,
        };
        self.sources().into_iter().filter_map(variable).collect()
    }

    /// Whether it brings in something that no input determines.
    fn is_chance(&self) -> bool {
        match self.action {
            Action::Choose { .. }
            | Action::Toss(_)
            | Action::Length(..)
            | Action::LoadNumber(..)
            | Action::Touch { to: Some(_), .. }
            | Action::Hole(_) => true,
            _ => self.sources().contains(&Source::Any),
        }
    }

    /// The variable that it writes.
    pub fn writes(&self) -> Option<u32> {
        match self.action {
            Action::Copy(to, _)
            | Action::Toss(to)
            | Action::New(to, _)
            | Action::Load(to, ..)
            | Action::Length(to, _)
            | Action::LoadNumber(to, ..)
            | Action::Compute(to, _)
            | Action::Cast(to, ..)
            | Action::InstanceOf(to, ..) => Some(to),
            Action::Call { to, .. } | Action::Touch { to, .. } => to,
            _ => None,
        }
    }
}

/// Finds the lines where loops begin: those that are gone back to when all lines are visited, each
/// after one that leads to it.
fn find_heads(method: &mut Method) {
    // Whether each line is being visited, or was.
    let mut seen: Vec<Option<bool>> = vec![None; method.lines.len()];
    let mut open: Vec<(usize, Vec<u32>)> = Vec::new();
    let mut next = (!method.lines.is_empty()).then_some(0);
    loop {
        if let Some(line) = next.take() {
            let mut after = Vec::new();
            method.lines[line].successors(|to| after.push(to));
            after.extend(method.lines[line].handler.map(|(to, _)| to));
            seen[line] = Some(true);
            open.push((line, after));
        }
        let Some((line, after)) = open.last_mut() else { return };
        match after.pop().map(|to| to as usize) {
            None => {
                seen[*line] = Some(false);
                open.pop();
            }
            Some(to) => match seen[to] {
                None => next = Some(to),
                Some(true) => method.lines[to].head = true,
                Some(false) => {}
            },
        }
    }
}

/// Which variables may be read before they are written, from each line on: the least solution.
fn find_live(method: &mut Method) {
    loop {
        let mut changed = false;
        for number in (0..method.lines.len()).rev() {
            let mut live = BTreeSet::new();
            method.lines[number].successors(|next| live.extend(&method.lines[next as usize].live));
            let handler = method.lines[number].handler;
            let line = &mut method.lines[number];
            line.writes().iter().for_each(|written| {
                live.remove(written);
            });
            live.extend(line.reads());
            if let Some((to, variable)) = handler {
                // Nothing is written by a line that goes on there.
                let there = method.lines[to as usize].live.iter();
                live.extend(there.filter(|it| **it != variable));
            }
            let line = &mut method.lines[number];
            changed |= live != line.live;
            line.live = live;
        }
        if !changed {
            return;
        }
    }
}

fn find_effects(methods: &mut Table<ProcId, Method>) {
    loop {
        let effects = |method: &Method| {
            let mut all = method.effects.clone();
            for line in &method.lines {
                match &line.action {
                    &Action::Load(_, _, selector) => {
                        all.reads.insert(selector);
                    }
                    &Action::Store(_, selector, _) => {
                        all.writes.insert(selector);
                    }
                    Action::Call { callee, .. } => {
                        for callee in callee.all() {
                            let Effects { reads, writes } = &methods[callee].effects;
                            all.reads.extend(reads);
                            all.writes.extend(writes);
                        }
                    }
                    _ => {}
                }
            }
            all
        };
        let more = methods.iter().map(|(id, it)| (id, effects(it)));
        let more: Vec<_> = more.filter(|(id, it)| methods[*id].effects != *it).collect();
        if more.is_empty() {
            return;
        }
        more.into_iter().for_each(|(id, effects)| methods[id].effects = effects);
    }
}

/// What was taken may be thrown again. Then it is not known what is thrown, but for what was made
/// for that.
fn find_thrown_again(methods: &mut Table<ProcId, Method>) {
    let mut lines = methods.as_slice().iter().flat_map(|method| &method.lines);
    if lines.all(|line| line.handler.is_none()) {
        return;
    }
    let lines = methods.iter_mut().flat_map(|(_, method)| &mut method.lines);
    for line in lines.filter(|it| it.action == Action::Throw { new: false }) {
        line.action = Action::Hole("something is thrown that may have been caught".to_owned());
    }
}

/// What is thrown in a procedure may be taken by whoever called it from a place with handlers.
fn find_caught(methods: &mut Table<ProcId, Method>) {
    let mut open: Vec<ProcId> = Vec::new();
    let mut seen: BTreeSet<ProcId> = BTreeSet::new();
    let callees = |method: &Method, all: bool| -> Vec<ProcId> {
        let lines = method.lines.iter().filter(|line| all || line.caught);
        let callees = |line: &Line| match &line.action {
            Action::Call { callee, .. } => callee.all().collect(),
            _ => Vec::new(),
        };
        lines.flat_map(callees).collect()
    };
    for method in methods.as_slice() {
        open.extend(callees(method, false));
    }
    while let Some(procedure) = open.pop() {
        if seen.insert(procedure) {
            open.extend(callees(&methods[procedure], true));
        }
    }
    for procedure in seen {
        for line in &mut methods[procedure].lines {
            (line.caught, line.caught_outside) = (true, true);
        }
    }
}

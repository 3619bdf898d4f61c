//! Runs of pointer programs, replayed: a program, an input and what was chosen give one run, which
//! is run again here and held against the claim.
//!
//! [`interpret`] runs programs of `tern-ir` on concrete heaps; [`shapes`] says whether a heap is of
//! a shape, by taking it apart along the rules of a grammar; [`atoms`] reads propositions and looks
//! whether they are true. Nothing of this is shared with the abstraction. Believed are the reader
//! of the program, the grammar as data, and what a language says of classes and calls
//! ([`Meaning`]).
//!
//! # Why a replayed run refutes a claim
//! The input is one that was asked for, which is checked. A run ends, and stays at its end; or it
//! comes to a configuration again, up to the names of objects, and repeats itself with the same
//! choices; or it comes, without having gone below a frame, to the same place with the same view of
//! the heap one frame or more deeper: what happens then depends on that view alone, so that it
//! happens again, deeper and deeper. In each case the propositions form a word that repeats itself,
//! on which the claim is evaluated by its definition ([`lasso`]).

pub mod atoms;
pub mod interpret;
mod numbers;
pub mod proof;
pub mod shapes;

use crate::lasso::{self, Truth};
use atoms::{Below, Proposition};
use interpret::{Interpreter, Mode, Stuck};
use proof::graph::{AbstractHeap, Held, Slot};
use shapes::Rules;
use std::collections::{BTreeMap, BTreeSet};
use tern_ir::{Call, Field, ProcId, Program};
use tern_model::budget::Meter;
use tern_model::{Budget, Formula, FormulaId, Formulas, Limit};

/// What a program means where languages differ.
pub trait Meaning {
    /// The type of objects of a class, if heaps keep them.
    fn kind(&self, class: &str) -> Option<String>;

    /// The type of an object that is made of a class, if heaps keep it.
    fn made(&self, class: &str) -> Option<String> {
        self.kind(class)
    }

    /// Whether heaps keep a field; `None` if that cannot be said.
    fn keeps(&self, field: &Field) -> Option<bool>;

    /// Whether a field that heaps do not keep holds numbers, and no other field of such objects has
    /// its name.
    fn counts(&self, field: &Field) -> bool {
        let _ = field;
        false
    }

    /// Who is called.
    fn callee(&self, call: &Call) -> Callee;

    /// Who is called for each type of the object that is called, where that decides it.
    fn callees(&self, call: &Call) -> Vec<(String, ProcId)> {
        let _ = call;
        Vec::new()
    }

    /// Whether an object of a type is of a class.
    fn is_of(&self, kind: &str, class: &str) -> bool;
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A procedure.
    Procedure(ProcId),
    /// That depends on the type of the first argument; see [`Meaning::callees`].
    ByType,
    /// Nobody, in no time.
    Nothing,
    /// Somebody who changes nothing and returns something unknown.
    Pure,
    /// The argument is freed.
    Free,
    /// That is not known.
    Unknown,
}

/// What a parameter may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// `null`
    Null,
    /// A structure of a shape, or `null` if that is allowed.
    Shape(String, bool),
    /// An object of the structure of another parameter.
    In(usize),
    /// A number.
    Integer(i64),
    /// Any number.
    Any,
}

/// A program, and what is asked of it.
#[derive(Clone)]
pub struct Task<'a> {
    /// The program.
    pub program: &'a Program,
    /// What it means.
    pub meaning: &'a dyn Meaning,
    /// What claims call its procedures.
    pub names: BTreeMap<String, ProcId>,
    /// What claims call the variables of procedures, in their order; empty for temporaries.
    pub locals: BTreeMap<ProcId, Vec<String>>,
    /// The procedure that is checked.
    pub checked: ProcId,
    /// Whether variables have no value before they are written.
    pub blank: bool,
    /// The types of objects, each with its fields.
    pub types: BTreeMap<String, Vec<String>>,
    /// The grammar.
    pub rules: Rules,
    /// What the parameters may be.
    pub given: Vec<Given>,
    /// If the heaps are given with which a run begins: these, with what the parameters are, and
    /// behind them the objects that have names.
    pub heaps: Option<Vec<AbstractHeap>>,
    /// The names of objects of these heaps.
    pub named: Vec<String>,
}

/// A value of a parameter, or of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// An object, by its number.
    Object(usize),
    /// `null`
    Null,
    /// A number.
    Integer(i64),
    /// Whatever it is, the run is the same.
    Unknown,
}

/// An input, in full.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The type of each object.
    pub objects: Vec<String>,
    /// All fields: the object, the name, and where it leads.
    pub fields: Vec<(usize, String, Option<usize>)>,
    /// Fields that hold numbers: the object, the name, and the number.
    pub numbers: Vec<(usize, String, i64)>,
    /// What the parameters are, and the names of heaps that are given.
    pub values: Vec<Start>,
    /// The object that `elem` is.
    pub element: Option<usize>,
}

/// How a run goes on for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It has ended, and stays there.
    Stays,
    /// It is as it was at a step before.
    Again(usize),
    /// The frame on top is as that on top was at a step before, which lies below it.
    Deeper(usize),
}

/// A run: an input, what was chosen where the program leaves it open, and how it goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The input.
    pub input: Input,
    /// Which way was taken at each place that may go either way.
    pub choices: Vec<bool>,
    /// How many steps there are.
    pub steps: usize,
    /// How it goes on.
    pub ending: Ending,
}

/// Why a run does not refute a claim.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRun {
    /// It is not as it is said to be, or does not show what it should.
    #[error("{0}")]
    Refused(String),
    /// A limit was reached.
    #[error("{0}")]
    Limit(#[from] Limit),
}

fn refused<T>(why: impl Into<String>) -> Result<T, NoRun> {
    Err(NoRun::Refused(why.into()))
}

impl From<Stuck> for NoRun {
    fn from(stuck: Stuck) -> Self {
        NoRun::Refused(format!("the run cannot be replayed: {}", stuck.0))
    }
}

/// How many steps a run may have.
pub const MOST_STEPS: usize = 100_000;

/// Checks that a run refutes a claim.
///
/// # Errors
/// Why it does not, or a limit.
pub fn check(
    task: &Task<'_>,
    formulas: &Formulas,
    claim: FormulaId,
    replay: &Replay,
    budget: &Budget,
) -> Result<(), NoRun> {
    check_input(task, &replay.input, &mut Meter::new(budget))?;
    match holds_on(task, formulas, claim, replay, budget)? {
        true => refused("the claim holds on this run"),
        false => Ok(()),
    }
}

/// What the propositions of a claim look at besides what the frame on top sees.
///
/// # Errors
/// That something is no proposition.
pub fn looks_below(task: &Task<'_>, formulas: &Formulas, claim: FormulaId) -> Result<Below, NoRun> {
    Ok(Below::of(read_propositions(task, formulas, claim)?.values()))
}

/// Whether a claim holds on a run, whatever its input.
///
/// # Errors
/// Why that cannot be said, or a limit.
pub fn holds_on(
    task: &Task<'_>,
    formulas: &Formulas,
    claim: FormulaId,
    replay: &Replay,
    budget: &Budget,
) -> Result<bool, NoRun> {
    let mut meter = Meter::new(budget);
    let propositions = read_propositions(task, formulas, claim)?;
    if replay.steps > MOST_STEPS {
        return refused("the run is too long");
    }
    let mut choices = replay.choices.iter().copied();
    let below = Below::of(propositions.values());
    let mut interpreter = Interpreter::new(task, &replay.input);
    let (mut letters, mut depths, mut before) = (Vec::new(), Vec::new(), None);
    let first = match replay.ending {
        Ending::Stays => replay.steps,
        Ending::Again(step) | Ending::Deeper(step) => step,
    };
    for step in 0..=replay.steps {
        meter.tick()?;
        if step == first {
            before = Some((interpreter.key(), interpreter.view(&below)));
        }
        depths.push(interpreter.depth());
        if step < replay.steps || matches!(replay.ending, Ending::Stays) {
            letters.push(letter(&interpreter, &propositions, &mut meter)?);
        }
        if step < replay.steps {
            interpreter.step(&mut || choices.next())?;
        }
    }
    if choices.next().is_some() {
        return refused("something is chosen that there is no place for");
    }
    match (replay.ending, before) {
        (Ending::Stays, _) if interpreter.has_ended() => {}
        (Ending::Stays, _) => return refused("the run has not ended"),
        (Ending::Again(step), Some((key, _))) if step < replay.steps => {
            if key != interpreter.key() {
                return refused("the run does not come back to where it was");
            }
        }
        (Ending::Deeper(step), Some((_, view))) if step < replay.steps => {
            let bottom = depths[step];
            let stays_above = depths[step..].iter().all(|&depth| depth >= bottom);
            if view.is_none() {
                return refused("a proposition looks below the frame on top");
            }
            if !stays_above || interpreter.depth() <= bottom || view != interpreter.view(&below) {
                return refused("the run does not come to the same place in a deeper frame");
            }
        }
        _ => return refused("the run begins again where it has not been"),
    }
    let cycle = letters.len() - first;
    // A run on which nothing is chosen is the only one.
    let one_run = task.is_deterministic() || replay.choices.is_empty();
    judged(formulas, claim, &letters, cycle, one_run, budget)
}

impl Task<'_> {
    /// Who is called, if the object that is called is of a type.
    fn callee(&self, call: &Call, kind: Option<&str>) -> Callee {
        match self.meaning.callee(call) {
            Callee::ByType => {
                let found = self.meaning.callees(call).into_iter().find(|it| Some(&*it.0) == kind);
                found.map_or(Callee::Unknown, |it| Callee::Procedure(it.1))
            }
            other => other,
        }
    }

    /// All procedures that a call may lead to.
    fn called(&self, call: &Call) -> Vec<ProcId> {
        match self.meaning.callee(call) {
            Callee::Procedure(callee) => vec![callee],
            Callee::ByType => self.meaning.callees(call).into_iter().map(|it| it.1).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether a number is one of the type of a parameter.
    fn takes(&self, parameter: usize, number: i64) -> bool {
        let body = self.program.procedures()[self.checked].body.as_ref();
        let variable = body.and_then(|body| body.variables.as_slice().get(parameter));
        variable.is_some_and(|var| numbers::fits(self.program.types()[var.ty], number))
    }

    /// Whether nothing is left open by the program: an input has one run.
    fn is_deterministic(&self) -> bool {
        !self.names.values().any(|&id| {
            let body = self.program.procedures()[id].body.as_ref();
            body.is_some_and(|body| interpret::leaves_open(self.program, body))
        })
    }
}

/// A formula without quantifiers: what it means where there is one path from each state.
pub fn without_quantifiers(formulas: &mut Formulas, root: FormulaId) -> FormulaId {
    let mut now: BTreeMap<FormulaId, FormulaId> = BTreeMap::new();
    for id in formulas.subformulas(root) {
        let same = match formulas.get(id) {
            Formula::Exists(path) | Formula::All(path) => now[&path],
            formula => formulas.make(formula.with_operands(|it| now[&it])),
        };
        now.insert(id, same);
    }
    now[&root]
}

/// A formula that says of all paths what another says of some: it is stronger, because there is a
/// path from each state, and operators but negation keep what is weaker weaker. Nothing if a
/// quantifier stands below an equivalence.
pub fn for_all_paths(formulas: &mut Formulas, root: FormulaId) -> Option<FormulaId> {
    // For each formula one that is stronger, and one that is weaker.
    let mut now: BTreeMap<FormulaId, [FormulaId; 2]> = BTreeMap::new();
    for id in formulas.subformulas(root) {
        let formula = formulas.get(id);
        let made = [0, 1].map(|weaker| {
            let same = |it: FormulaId| now[&it][weaker];
            let other = |it: FormulaId| now[&it][1 - weaker];
            Some(match formula {
                Formula::Exists(path) | Formula::All(path) if weaker == 0 => {
                    Formula::All(same(path))
                }
                Formula::Exists(path) | Formula::All(path) => Formula::Exists(same(path)),
                Formula::Not(inner) => Formula::Not(other(inner)),
                Formula::Implies(left, right) => Formula::Implies(other(left), same(right)),
                Formula::Iff(left, right) | Formula::Xor(left, right)
                    if now[&left] != [left; 2] || now[&right] != [right; 2] =>
                {
                    return None;
                }
                plain => plain.with_operands(same),
            })
        });
        let [Some(stronger), Some(weaker)] = made else { return None };
        now.insert(id, [formulas.make(stronger), formulas.make(weaker)]);
    }
    Some(now[&root][0])
}

/// Whether a formula says that there is a path, and stays true where there are more of them.
pub fn asks_for_some_path(formulas: &Formulas, root: FormulaId) -> bool {
    // For each formula whether it stays true then, and whether it stays false.
    let mut stays: BTreeMap<FormulaId, [bool; 2]> = BTreeMap::new();
    for id in formulas.subformulas(root) {
        let formula = formulas.get(id);
        let all = [0, 1].map(|side| formula.operands().all(|it| stays[&it][side]));
        let both = all[0] && all[1];
        let found = match formula {
            Formula::Exists(_) => [all[0], false],
            Formula::All(_) => [false, all[1]],
            Formula::Not(_) => [all[1], all[0]],
            Formula::Implies(left, right) => {
                [stays[&left][1] && stays[&right][0], stays[&left][0] && stays[&right][1]]
            }
            Formula::Iff(..) | Formula::Xor(..) => [both; 2],
            _ => all,
        };
        stays.insert(id, found);
    }
    matches!(formulas.get(root), Formula::Exists(_)) && stays[&root][0]
}

fn read_propositions(
    task: &Task<'_>,
    formulas: &Formulas,
    claim: FormulaId,
) -> Result<BTreeMap<FormulaId, Proposition>, NoRun> {
    let mut found = BTreeMap::new();
    for id in formulas.subformulas(claim) {
        if let Formula::Atom(atom) = formulas.get(id) {
            let text = formulas.atom_name(atom);
            match Proposition::read(task, text) {
                Some(read) => found.insert(id, read),
                None => return refused(format!("`{text}` is no proposition")),
            };
        }
    }
    Ok(found)
}

fn letter(
    interpreter: &Interpreter<'_>,
    propositions: &BTreeMap<FormulaId, Proposition>,
    meter: &mut Meter<'_>,
) -> Result<BTreeSet<FormulaId>, NoRun> {
    let mut letter = BTreeSet::new();
    for (&id, proposition) in propositions {
        match proposition.is_true(interpreter, meter)? {
            Some(true) => {
                letter.insert(id);
            }
            Some(false) => {}
            None => return refused("a proposition cannot be evaluated"),
        }
    }
    Ok(letter)
}

/// Whether a claim is true on a word; the last `cycle` letters repeat for ever. On one run, a
/// quantifier inside says nothing if an input has only that one.
fn judged(
    formulas: &Formulas,
    claim: FormulaId,
    letters: &[BTreeSet<FormulaId>],
    cycle: usize,
    one_run: bool,
    budget: &Budget,
) -> Result<bool, NoRun> {
    let claim = match formulas.get(claim) {
        Formula::All(path) => path,
        _ => claim,
    };
    let mut known: BTreeMap<FormulaId, Vec<bool>> = BTreeMap::new();
    let value = |id: FormulaId, known: &BTreeMap<FormulaId, Vec<bool>>| {
        let leaf = |leaf: FormulaId, position: usize| match known.get(&leaf) {
            Some(values) => values[position],
            None => letters[position].contains(&leaf),
        };
        let prefix = letters.len() - cycle;
        lasso::evaluate_within(formulas, id, prefix, cycle, leaf, budget)
    };
    for id in formulas.subformulas(claim) {
        let (Formula::All(path) | Formula::Exists(path)) = formulas.get(id) else { continue };
        if !one_run {
            return refused("a claim about several runs is not refuted by one");
        }
        let truth: Truth = match value(path, &known)? {
            Some(truth) => truth,
            None => return refused("the run does not go on for ever"),
        };
        let values: Option<Vec<bool>> =
            (0..letters.len()).map(|position| truth.at(path, position)).collect();
        match values {
            Some(values) => known.insert(id, values),
            None => return refused("a part of the claim has no value"),
        };
    }
    match value(claim, &known)?.and_then(|truth| truth.at(claim, 0)) {
        Some(holds) => Ok(holds),
        None => refused("the run does not go on for ever"),
    }
}

/// Whether an input is one that was asked for.
///
/// # Errors
/// Why it is not, or a limit.
pub fn check_input(task: &Task<'_>, input: &Input, meter: &mut Meter<'_>) -> Result<(), NoRun> {
    let count = input.objects.len();
    let there = |object: usize| object < count;
    if input.values.len() != task.given.len() + task.named.len() {
        return refused("the input has another number of parameters");
    }
    if input.element.is_some_and(|it| !there(it)) {
        return refused("`elem` is no object of the input");
    }
    let mut given: BTreeMap<(usize, &str), Option<usize>> = BTreeMap::new();
    for (object, name, to) in &input.fields {
        if !there(*object) || to.is_some_and(|to| !there(to)) {
            return refused("a field of an object that is not there");
        }
        if given.insert((*object, name), *to).is_some() {
            return refused("a field is given twice");
        }
    }
    let mut counted = BTreeSet::new();
    for (object, name, _) in &input.numbers {
        if !there(*object) || !counted.insert((*object, name)) {
            return refused("a number of an object that is not there, or given twice");
        }
    }
    for (object, kind) in input.objects.iter().enumerate() {
        let Some(fields) = task.types.get(kind) else {
            return refused(format!("there is no type `{kind}`"));
        };
        if !fields.iter().all(|name| given.contains_key(&(object, name))) {
            return refused("an object without one of its fields");
        }
        if given.range((object, "")..(object + 1, "")).count() != fields.len() {
            return refused("an object has a field that its type has not");
        }
    }
    let interpreter = Interpreter::new(task, input);
    if let Some(heaps) = &task.heaps {
        for heap in heaps {
            if let Some(at) = fitting(task, heap, &input.values)
                && task.rules.derives(&interpreter.heap, &heap.graph, &at, meter)? == Some(true)
            {
                return Ok(());
            }
        }
        return refused("the input is none of the heaps that are given");
    }
    let mut owner: Vec<Option<usize>> = vec![None; count];
    for (number, (asked, value)) in task.given.iter().zip(&input.values).enumerate() {
        let fits = match (asked, value) {
            (Given::Null, Start::Null) => true,
            (Given::Any, Start::Integer(it)) => task.takes(number, *it),
            (Given::Any, Start::Unknown) => true,
            (Given::Integer(wanted), Start::Integer(number)) => wanted == number,
            (Given::Shape(_, nullable), Start::Null) => *nullable,
            (Given::Shape(shape, _), Start::Object(root)) if there(*root) => {
                for object in interpreter.heap.reached(*root) {
                    if owner[object].replace(number).is_some() {
                        return refused("two structures have an object in common");
                    }
                }
                match task.rules.is_of(&interpreter.heap, *root, shape, meter)? {
                    Some(is_one) => is_one,
                    None => return refused("it cannot be told whether the input has its shape"),
                }
            }
            (Given::In(_), Start::Object(object)) => there(*object),
            _ => false,
        };
        if !fits {
            return refused("a parameter is not what was asked for");
        }
    }
    for (asked, value) in task.given.iter().zip(&input.values) {
        if let (Given::In(other), Start::Object(object)) = (asked, value)
            && owner[*object] != Some(*other)
        {
            return refused("an object does not belong to the structure it should");
        }
    }
    if owner.contains(&None) {
        return refused("an object that belongs to no structure");
    }
    Ok(())
}

/// If values are those of a heap: which object each of its objects is that one of them holds.
fn fitting(
    task: &Task<'_>,
    heap: &AbstractHeap,
    values: &[Start],
) -> Option<BTreeMap<usize, usize>> {
    let mut at: BTreeMap<usize, usize> = BTreeMap::new();
    for (number, value) in values.iter().enumerate() {
        let held = *heap.slots.get(&Slot::Variable(number))?;
        let fits = match (held, *value) {
            (Held::Object(0), Start::Null) => true,
            (Held::Object(object), Start::Object(it)) if object != 0 => {
                *at.entry(object).or_insert(it) == it
            }
            (Held::Integer(wanted), Start::Integer(it)) => wanted == it,
            (Held::Any, Start::Integer(it)) => task.takes(number, it),
            (_, Start::Unknown) => held == Held::Any || number >= task.given.len(),
            _ => false,
        };
        fits.then_some(())?;
    }
    let different: BTreeSet<usize> = at.values().copied().collect();
    (different.len() == at.len()).then_some(at)
}

/// Whether a mode is one in which nothing happens any more.
pub(crate) fn is_end(mode: &Mode) -> bool {
    !matches!(mode, Mode::Begins | Mode::Runs)
}

//! Questions that a procedure asks more than once: `if (x.getParent() != null) x.getParent().f();`.
//!
//! What was answered is kept with the facts, in a slot of its own, until something may be written
//! that the answer depends on. So the second answer is `null` only if the first one was not found
//! to be an object, and `isOpen()` is true again. A question is known by its method and by what it
//! is given: constants, fields, and variables that are written once. `hasParent()` may tell what
//! `getParent()` answers, if it asks that itself.

use super::flow::Flow;
use super::step::Here;
use super::{ComponentId, Explored};
use crate::state::{Slot, State};
use crate::values::{Nullness, Value};
use crate::world::World;
use rustc_hash::{FxHashMap, FxHashSet};
use tern_ir::{
    Body, Call, ConstantId, Dispatch, FieldId, Jump, NameId, Operand, ProcId, SelectorId,
    Statement, VarId,
};
use tern_model::Tri;
use tern_model::index::Id;

/// How many questions of a procedure are kept.
const MOST: usize = 64;
/// How many copies of what is given are followed.
const MOST_COPIES: usize = 4;

/// How the names of methods begin that are taken to ask and to change nothing that matters.
const QUESTIONS: [&str; 8] = ["get", "is", "has", "find", "contains", "lookup", "can", "should"];

/// How the names of classes end whose objects are read from, and what their getters take of them:
/// another piece each time.
const READERS: [&str; 5] = ["Reader", "Stream", "Input", "Scanner", "Random"];
const PIECES: [&str; 11] =
    ["Bit", "Byte", "Char", "Double", "Float", "Int", "Long", "Next", "Short", "UInt", "Unsigned"];

/// What a question is given.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Term {
    Constant(ConstantId),
    Static(FieldId),
    /// A field of a variable.
    Field(VarId, FieldId),
    Local(VarId),
}

/// A question: its method, the class if there is no receiver, and what else it is given.
pub(super) type Question = (SelectorId, Option<NameId>, Vec<Term>);

/// What an answer depends on.
#[derive(Debug)]
struct Depends {
    /// The fields that are read for it; none if they are not known.
    reads: Option<Vec<FieldId>>,
    /// Whether it depends on nothing else, or is an answer that callers take to stay the same.
    is_steady: bool,
}

/// The questions of a body that are asked more than once.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// For each statement that asks one, which.
    of: FxHashMap<u32, u8>,
    /// For each statement that asks whether the answer to one is an object, which.
    told: FxHashMap<u32, u8>,
    /// Those of them whose answer is nothing but asked in its turn.
    passing: FxHashSet<u32>,
    /// For variables that are written more than once, the questions that are given them.
    given: FxHashMap<VarId, u64>,
    depends: Vec<Depends>,
    /// For each block, those that may be asked in it or later.
    later: Vec<u64>,
    /// The statements that ask for what is taken to be there.
    keyed: FxHashSet<u32>,
    /// The statements that give an iterator over what is not empty, and those that ask one whether
    /// there is more, which is so at first.
    filled: FxHashMap<u32, u8>,
    first: FxHashMap<u32, u8>,
}

/// The places where one question is asked.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    /// Its statements.
    rows: Vec<u32>,
    /// Statements that ask whether its answer is an object.
    tellers: Vec<u32>,
    /// What it is given: fields, and variables that are written more than once.
    fields: Vec<FieldId>,
    variables: Vec<VarId>,
}

impl Group {
    fn new(
        ((selector, class, given), rows): (Question, Vec<u32>),
        tellers: &FxHashMap<SelectorId, Vec<u32>>,
        rewritten: &FxHashSet<VarId>,
    ) -> Group {
        let told = tellers.get(&selector).filter(|_| class.is_none() && given.is_empty());
        let fields = given.iter().filter_map(|term| match term {
            Term::Static(field) | Term::Field(_, field) => Some(*field),
            Term::Constant(_) | Term::Local(_) => None,
        });
        let variables = given.iter().filter_map(|term| match term {
            Term::Local(it) | Term::Field(it, _) => Some(*it).filter(|it| rewritten.contains(it)),
            _ => None,
        });
        let (fields, variables) = (fields.collect(), variables.collect());
        Group { rows, tellers: told.cloned().unwrap_or_default(), fields, variables }
    }
}

impl Asked {
    pub(super) fn new(
        world: &World,
        procedure: ProcId,
        body: &Body,
        sites: &[u32],
        next: &[Vec<usize>],
    ) -> Asked {
        let mut writers: Vec<(u32, u32)> = vec![(0, 0); body.variables.len()];
        for (row, statement) in body.statements.iter().enumerate() {
            if let Some(to) = statement.written() {
                let writer = &mut writers[to.index()];
                *writer = (writer.0 + 1, row as u32);
            }
        }
        let rewritten = rewritten(body, &writers);
        let mut groups: FxHashMap<Question, Vec<u32>> = FxHashMap::default();
        let mut tellers: FxHashMap<SelectorId, Vec<u32>> = FxHashMap::default();
        for (row, statement) in body.statements.iter().enumerate() {
            let Statement::Call { to: Some(_), call } = statement else { continue };
            let callee = world.callee(procedure, sites[row] as usize);
            if let Some(selector) = callee.tells {
                tellers.entry(selector).or_default().push(row as u32);
            }
            let name = world.program.text(world.program.selectors()[call.selector].name);
            let is_asked = match &callee.targets {
                Some(targets) => {
                    !callee.is_leaf && targets.iter().all(|it| is_question(world, *it))
                }
                None => {
                    let is_listing = is_getter(name) || begins(name, "list");
                    callee.model.asks || callee.model.nullable && is_listing
                }
            };
            if let (true, Some(question)) =
                (is_asked, question(world, body, call, (&writers, &rewritten)))
            {
                groups.entry(question).or_default().push(row as u32);
            }
        }
        let groups = groups.into_iter().map(|it| Group::new(it, &tellers, &rewritten));
        let mut several: Vec<Group> =
            groups.filter(|it| it.rows.len() + it.tellers.len() > 1).collect();
        several.sort_unstable();
        several.truncate(MOST);
        let keyed = super::keyed::find(world, body, &writers, next);
        let mut own = Asked { keyed, ..Asked::default() };
        let filled = super::keyed::filled(world, body, writers.as_slice(), next);
        if several.is_empty() && filled.is_empty() {
            return own;
        }
        for (number, Group { rows, tellers, fields, variables }) in several.iter().enumerate() {
            for variable in variables {
                *own.given.entry(*variable).or_default() |= 1 << number;
            }
            let site = sites[rows[0] as usize] as usize;
            let targets = world.callee(procedure, site).targets.iter().flatten();
            own.depends.push(match world.callee(procedure, site).model.asks {
                true => Depends { reads: None, is_steady: false },
                false => depends(world, targets, fields),
            });
            own.of.extend(rows.iter().map(|row| (*row, number as u8)));
            own.passing.extend(rows.iter().filter(|row| is_only_asked(body, **row)));
            own.told.extend(tellers.iter().map(|row| (*row, number as u8)));
        }
        for (row, asks) in filled.into_iter().take(MOST - several.len()) {
            let number = own.depends.len() as u8;
            own.depends.push(Depends { reads: None, is_steady: false });
            own.filled.insert(row, number);
            own.first.extend(asks.into_iter().map(|row| (row, number)));
        }
        own.later = own.asked_later(body, next);
        own
    }

    /// For each block, the questions that may be asked in it or later.
    fn asked_later(&self, body: &Body, next: &[Vec<usize>]) -> Vec<u64> {
        let mut later = vec![0; body.blocks.len()];
        for (block, row) in body.blocks.iter() {
            for statement in row.statements.clone() {
                let number = self.of.get(&statement).or_else(|| self.first.get(&statement));
                if let Some(number) = number {
                    later[block.index()] |= 1 << number;
                }
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..next.len()).rev() {
                let after = next[block].iter().fold(later[block], |all, &to| all | later[to]);
                changed |= after != later[block];
                later[block] = after;
            }
        }
        later
    }

    /// Whether a question is given a variable.
    pub(super) fn is_given(&self, variable: VarId, number: u8) -> bool {
        self.given.get(&variable).is_some_and(|it| it & (1 << number) != 0)
    }

    /// Whether some question is given a variable that is written more than once.
    pub(super) fn is_about(&self, variable: VarId) -> bool {
        self.given.contains_key(&variable)
    }

    /// Whether a statement asks for what is taken to be there.
    pub(super) fn is_keyed(&self, row: u32) -> bool {
        self.keyed.contains(&row)
    }

    /// Whether a question may be asked in a block or later.
    pub(super) fn is_later(&self, block: tern_ir::BlockId, number: u8) -> bool {
        self.later.get(block.index()).is_some_and(|it| it & (1 << number) != 0)
    }

    /// Whether an answer depends only on fields for which `stays` holds.
    pub(super) fn is_kept(&self, number: u8, stays: impl Fn(FieldId) -> bool) -> bool {
        let reads = self.depends.get(usize::from(number)).and_then(|it| it.reads.as_ref());
        reads.is_some_and(|reads| reads.iter().all(|field| stays(*field)))
    }

    /// Whether nobody knows on which fields an answer depends.
    pub(super) fn is_vague(&self, number: u8) -> bool {
        self.depends.get(usize::from(number)).is_some_and(|it| it.reads.is_none())
    }

    /// Whether an answer stays the same when code is called that is not there.
    pub(super) fn is_steady(&self, number: u8) -> bool {
        self.depends.get(usize::from(number)).is_some_and(|it| it.is_steady)
    }
}

fn name_of<'p>(world: &World<'p>, procedure: ProcId) -> &'p str {
    let selector = world.program.procedures()[procedure].selector;
    world.program.text(world.program.selectors()[selector].name)
}

/// Whether a procedure calls anything, which may answer something else each time.
fn calls(world: &World, procedure: ProcId) -> bool {
    let is_call = |it: &Statement| matches!(it, Statement::Call { .. });
    let body = world.program.procedures()[procedure].body.as_ref();
    body.is_none_or(|body| body.statements.iter().any(is_call))
}

/// Whether what a statement writes is only used as the receiver of calls.
fn is_only_asked(body: &Body, row: u32) -> bool {
    let Some(to) = body.statements[row as usize].written() else { return false };
    let own = Operand::Variable(to);
    let mut is_asked = true;
    for statement in &body.statements {
        let mut reads = 0;
        statement.operands(body, |it| reads += usize::from(it == own));
        let asks = match statement {
            Statement::Call { call, .. } if call.dispatch != Dispatch::Static => {
                body.operands(&call.arguments).first() == Some(&own)
            }
            _ => false,
        };
        is_asked &= reads == usize::from(asks);
    }
    body.blocks.as_slice().iter().for_each(|block| {
        block.jump.operands(|it| is_asked &= it != own);
    });
    is_asked
}

fn is_getter(name: &str) -> bool {
    QUESTIONS.iter().any(|it| begins(name, it))
}

/// Whether a name begins with a word: `getLine` with `get`, and `getc` not.
pub(super) fn begins(name: &str, word: &str) -> bool {
    name.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_lowercase))
}

/// Whether a procedure only answers: it writes and calls nothing, or is a getter, which may write
/// what it keeps for the next time.
fn is_question(world: &World, procedure: ProcId) -> bool {
    let name = name_of(world, procedure);
    let writes = world.writes(procedure);
    is_getter(name) && !reads_on(world, procedure)
        || name != "<init>" && !calls(world, procedure) && writes.is_some_and(<[_]>::is_empty)
}

/// Whether a getter takes the next number of what is read: `reader.getUInt16()`.
fn reads_on(world: &World, procedure: ProcId) -> bool {
    let it = &world.program.procedures()[procedure];
    let selector = &world.program.selectors()[it.selector];
    let class =
        it.class.map_or("", |class| world.program.text(world.program.classes()[class].name));
    selector.parameters.is_empty() && is_piece(class, name_of(world, procedure))
}

/// Whether a getter of that name takes the next piece from an object of a class.
pub(super) fn is_piece(class: &str, name: &str) -> bool {
    let what = name.strip_prefix("get").unwrap_or("");
    READERS.iter().any(|it| class.ends_with(it)) && PIECES.iter().any(|it| what.starts_with(it))
}

pub(super) fn question(
    world: &World,
    body: &Body,
    call: &Call,
    (writers, rewritten): (&[(u32, u32)], &FxHashSet<VarId>),
) -> Option<Question> {
    let arguments = body.operands(&call.arguments);
    let (class, given) = match call.dispatch {
        Dispatch::Static => (Some(call.class), arguments),
        _ => (None, arguments.get(1..)?),
    };
    let terms: Option<Vec<Term>> =
        given.iter().map(|it| term(world, body, *it, (writers, rewritten), MOST_COPIES)).collect();
    Some((call.selector, class, terms?))
}

/// The variables that are written more than once, and not by calls.
fn rewritten(body: &Body, writers: &[(u32, u32)]) -> FxHashSet<VarId> {
    let is_many = |it: &VarId| {
        let (count, _) = writers[it.index()];
        count > u32::from(it.index() >= body.parameters)
    };
    let mut found: FxHashSet<VarId> = body.variables.ids().filter(is_many).collect();
    for statement in &body.statements {
        if let Statement::Call { to: Some(to), .. } = statement {
            found.remove(to);
        }
    }
    found
}

/// What an operand is, through copies, if that is written once, or is forgotten when it is written.
fn term(
    world: &World,
    body: &Body,
    operand: Operand,
    (writers, rewritten): (&[(u32, u32)], &FxHashSet<VarId>),
    depth: usize,
) -> Option<Term> {
    let variable = match operand {
        Operand::Constant(constant) => return Some(Term::Constant(constant)),
        Operand::Variable(variable) => variable,
    };
    let (count, row) = writers[variable.index()];
    let is_given = variable.index() < body.parameters;
    match (count, is_given) {
        (0, true) => Some(Term::Local(variable)),
        (1, false) => match &body.statements[row as usize] {
            Statement::Load { object: None, field, .. } => Some(Term::Static(world.field(*field))),
            Statement::Load { object: Some(object), field, .. } if depth > 0 => {
                match term(world, body, *object, (writers, rewritten), depth - 1)? {
                    Term::Local(object) => Some(Term::Field(object, world.field(*field))),
                    _ => Some(Term::Local(variable)),
                }
            }
            Statement::Copy { from, .. } | Statement::Cast { from, .. } if depth > 0 => {
                term(world, body, *from, (writers, rewritten), depth - 1)
            }
            _ => Some(Term::Local(variable)),
        },
        _ => rewritten.contains(&variable).then_some(Term::Local(variable)),
    }
}

/// What the answer to a question depends on that is given what some fields hold.
fn depends<'t>(
    world: &World,
    targets: impl Iterator<Item = &'t ProcId>,
    given: &[FieldId],
) -> Depends {
    let mut reads: Option<Vec<FieldId>> = Some(given.to_vec());
    let mut is_steady = true;
    for &target in targets {
        match (&mut reads, world.reads(target)) {
            (Some(all), Some(more)) => all.extend(more),
            _ => reads = None,
        }
        is_steady &= begins(name_of(world, target), "get") || !calls(world, target);
    }
    Depends { reads, is_steady }
}

/// What an answer is if it is one and the other; nothing if that cannot be.
fn both(known: Value, value: Value) -> Option<Value> {
    match (known, value) {
        (Value::Number(a, b), Value::Number(c, d)) => {
            let (low, high) = (a.max(c), b.min(d));
            (low <= high).then_some(Value::Number(low, high))
        }
        (Value::Number(..), Value::Any) => Some(known),
        _ => match (known.is_null(), value.is_null()) {
            (Tri::True, Tri::False) | (Tri::False, Tri::True) => None,
            (Tri::True, _) => Some(known),
            (Tri::False, Tri::Unknown) => Some(match value {
                Value::Object(object, _) => Value::Object(object, Nullness::NonNull),
                _ => Value::NonNull,
            }),
            _ => Some(value),
        },
    }
}

impl<'p> Explored<'_, 'p> {
    fn asked(&self, component: ComponentId) -> &Asked {
        let flow: &Flow = self.flow(self.components[component].procedure);
        &flow.asked
    }

    /// Where the answer of a call is kept, if it is asked for more than once.
    pub(super) fn answer_slot(
        &self,
        here: &Here<'p>,
        state: &State,
        row: u32,
        call: &Call,
    ) -> Option<Slot> {
        let number = *self.asked(here.component).of.get(&row)?;
        let receiver = match call.dispatch {
            Dispatch::Static => None,
            _ => Some(self.value(state, here.body.operands(&call.arguments)[0]).object()?),
        };
        Some(Slot::Answer(receiver, number))
    }

    /// The same for the call that is run now.
    pub(super) fn asked_again(&self, here: &Here<'p>, state: &State) -> Option<Slot> {
        match here.body.statements.get(here.row as usize)? {
            Statement::Call { call, .. } => self.answer_slot(here, state, here.row, call),
            _ => None,
        }
    }

    /// What an answer is, given what was answered before; nothing if both cannot be.
    pub(super) fn agree(&mut self, here: &Here<'p>, known: Value, value: Value) -> Option<Value> {
        let mut same = both(known, value);
        // What is asked of the same answer is asked of the same object.
        if self.asked(here.component).passing.contains(&here.row)
            && let (Some(object), Some(Value::Object(_, nullness))) = (known.object(), same)
        {
            same = Some(Value::Object(object, nullness));
        }
        // The test of it here is decided by what was asked before, and by nothing else.
        if let (Jump::Branch { .. }, None) = (&here.body.blocks[here.block].jump, &self.replay)
            && same != Some(value)
        {
            *self.components[here.component].tests.entry(here.block).or_default() |= 3;
        }
        same
    }

    /// Notes that an iterator is given over what is not empty.
    pub(super) fn note_filled(&self, here: &Here<'p>, state: &mut State) {
        if let Some(&number) = self.asked(here.component).filled.get(&here.row) {
            state.set(Slot::Answer(None, number), Value::number(1));
        }
    }

    /// Whether an iterator over what is not empty is asked for the first time whether there is
    /// more; it will be asked again.
    pub(super) fn has_first(&mut self, here: &Here<'p>, state: &mut State) -> bool {
        let Some(&number) = self.asked(here.component).first.get(&here.row) else { return false };
        let slot = Slot::Answer(None, number);
        let is_first = state.known(slot) == Some(Value::number(1));
        state.set(slot, Value::Any);
        if let (Jump::Branch { .. }, None, true) =
            (&here.body.blocks[here.block].jump, &self.replay, is_first)
        {
            *self.components[here.component].tests.entry(here.block).or_default() |= 3;
        }
        is_first
    }

    /// What is known of another answer, now that a call has said whether it is an object.
    pub(super) fn hear(&self, here: &Here<'p>, state: &mut State, values: &[Value], said: Value) {
        let number = self.asked(here.component).told.get(&here.row);
        let receiver = values.first().and_then(|it| it.object());
        if let (Some(&number), Some(object), Value::Number(1, 1)) = (number, receiver, said) {
            state.set(Slot::Answer(Some(object), number), Value::NonNull);
        }
    }

    /// Keeps an answer for when it is asked for again. What must be given back is another one each
    /// time.
    pub(super) fn keep_answer(&self, state: &mut State, slot: Slot, value: Value) {
        let is_taken = value.object().and_then(|it| state.track(it)).is_some();
        state.set(slot, if is_taken { Value::Any } else { value });
    }

    /// A variable is written: what was answered to questions that are given it is no answer any
    /// more.
    pub(super) fn forget_given(&self, component: ComponentId, state: &mut State, to: VarId) {
        let asked = self.asked(component);
        if asked.is_about(to) {
            state.retain(|slot, _| match slot {
                Slot::Answer(_, number) => !asked.is_given(to, number),
                _ => true,
            });
        }
    }

    /// Forgets answers that may be others from now on.
    pub(super) fn forget_answers(
        &self,
        component: ComponentId,
        state: &mut State,
        is_kept: impl Fn(&Asked, (Slot, Value), u8) -> bool,
    ) {
        let asked = self.asked(component);
        if !asked.depends.is_empty() {
            state.retain(|slot, value| match slot {
                Slot::Answer(_, number) => is_kept(asked, (slot, value), number),
                _ => true,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_getter;

    /// `getc()` gives another character each time, and `hash()` is no question.
    #[test]
    fn words_end_where_the_next_begins() {
        assert!(["getLine", "get", "isOpen", "has2", "findAll"].into_iter().all(is_getter));
        assert!(!["getc", "hash", "issue", "canonical"].into_iter().any(is_getter));
    }
}

//! Questions whose answer the code knows to be there: the key comes from the object that is asked
//! (`for (k : m.keys()) m.find(k).f();`), or the object was asked before whether it knows the key
//! (`if (m.isKnown(k)) m.find(k).f();`), or whether it is empty (`if (!q.isEmpty())
//! q.poll().f();`).

use super::asked::{Question, begins, question};
use crate::world::World;
use rustc_hash::FxHashSet;
use tern_ir::{
    BlockId, Body, Call, Comparison, Constant, Dispatch, FieldId, Jump, NameId, Operand, ProcId,
    SelectorId, Statement, Type, VarId,
};
use tern_model::index::Id;

/// How many steps keys are followed back.
const MOST_STEPS: usize = 8;

/// How the names of methods begin that say whether something is known.
const TELLERS: [&str; 6] = ["is", "has", "contains", "exists", "knows", "can"];

/// Words of their names that say that it is not.
const DENIERS: [&str; 10] = [
    "Missing", "Absent", "Unknown", "Empty", "Null", "New", "Deleted", "Removed", "Expired", "Not",
];

/// How the names of methods begin after which what was known is known no more.
const REMOVERS: [&str; 4] = ["remove", "delete", "clear", "unregister"];

/// How the names of methods begin that answer some element, and `null` if there is none.
const ELEMENTS: [&str; 6] = ["poll", "peek", "first", "last", "getFirst", "getLast"];

/// Methods that give the elements of something one by one.
const STEPS: [&str; 3] = ["next", "nextElement", "getKey"];

/// What is known of a body while its calls are looked at.
struct Look<'l, 'p> {
    world: &'l World<'p>,
    body: &'l Body,
    /// For each variable, how often it is written, and where last.
    writers: &'l [(u32, u32)],
    next: &'l [Vec<usize>],
}

/// The calls of a body, by their statements, whose answers are taken to be there.
pub(super) fn find(
    world: &World,
    body: &Body,
    writers: &[(u32, u32)],
    next: &[Vec<usize>],
) -> FxHashSet<u32> {
    let look = Look { world, body, writers, next };
    let mut found = FxHashSet::default();
    let mut guards: Option<Vec<Guard>> = None;
    let mut empty: Option<Vec<Guard>> = None;
    for (block, row) in body.blocks.iter() {
        for number in row.statements.clone() {
            let Statement::Call { to: Some(to), call } = &body.statements[number as usize] else {
                continue;
            };
            let is_object = matches!(
                world.program.types()[body.variables[*to].ty],
                Type::Reference(_) | Type::Array(_)
            );
            let arguments = body.operands(&call.arguments);
            let given = match call.dispatch {
                Dispatch::Static => arguments,
                _ => arguments.get(1..).unwrap_or_default(),
            };
            if !is_object {
                continue;
            }
            if given.is_empty() {
                let is_element = ELEMENTS.iter().any(|it| begins(look.name(call), it));
                let mut guards = || {
                    let guards = empty.get_or_insert_with(|| look.guards(true));
                    guards.iter().any(|it| look.has_some(it, call, block))
                };
                if is_element && call.dispatch != Dispatch::Static && guards() {
                    found.insert(number);
                }
                continue;
            }
            let is_own = call.dispatch != Dispatch::Static && {
                let owner = look.origin(arguments[0]);
                given.iter().any(|it| look.is_element(*it, &owner, false, MOST_STEPS))
            };
            let is_told = || {
                let guards = guards.get_or_insert_with(|| look.guards(false));
                guards.iter().any(|it| look.tells(it, call, block))
            };
            if is_own || { is_told }() {
                found.insert(number);
            }
        }
    }
    found
}

/// The calls that give iterators over what is known not to be empty, each with those that ask such
/// an iterator whether there is more.
pub(super) fn filled(
    world: &World,
    body: &Body,
    writers: &[(u32, u32)],
    next: &[Vec<usize>],
) -> Vec<(u32, Vec<u32>)> {
    let look = Look { world, body, writers, next };
    let guards = look.guards(true);
    let mut found = Vec::new();
    if guards.is_empty() {
        return found;
    }
    let calls = |name: &'static str| {
        let look = &look;
        body.blocks
            .iter()
            .flat_map(|(block, row)| row.statements.clone().map(move |it| (block, it)))
            .filter_map(move |(block, row)| match &body.statements[row as usize] {
                Statement::Call { to: Some(to), call }
                    if look.name(call) == name && body.operands(&call.arguments).len() == 1 =>
                {
                    Some((block, row, *to, call))
                }
                _ => None,
            })
    };
    for (block, row, iterator, call) in calls("iterator") {
        let is_filled = guards.iter().any(|it| {
            let owner = |it: &Call| look.origin(body.operands(&it.arguments)[0]);
            look.has_some(it, call, block)
                && !look.removes(|other| {
                    other.dispatch != Dispatch::Static && owner(other) == owner(call)
                })
        });
        if is_filled {
            let own = look.origin(Operand::Variable(iterator));
            let asks = calls("hasNext")
                .filter(|it| look.origin(body.operands(&it.3.arguments)[0]) == own)
                .map(|it| it.1);
            found.push((row, asks.collect()));
        }
    }
    found
}

/// What an operand is, through copies and casts: where it begins, and what leads on from there, the
/// last step first.
#[derive(Debug, PartialEq, Eq)]
struct Origin(Root, Vec<Step>);

#[derive(Debug, PartialEq, Eq)]
enum Root {
    Variable(VarId),
    /// A field of a class, or a getter of one.
    Class(Option<NameId>),
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    Field(FieldId),
    /// A getter that is given nothing.
    Getter(SelectorId),
}

/// A test of what a call said: the call, the block that tests, and the block where it said yes.
struct Guard<'l> {
    call: &'l Call,
    from: BlockId,
    to: BlockId,
}

impl<'l> Look<'l, '_> {
    fn writer(&self, variable: VarId) -> Option<&'l Statement> {
        let (count, row) = self.writers[variable.index()];
        let is_given = variable.index() < self.body.parameters;
        (count == 1 && !is_given).then(|| &self.body.statements[row as usize])
    }

    fn origin(&self, operand: Operand) -> Option<Origin> {
        let (mut operand, mut steps) = (operand, Vec::new());
        for _ in 0..MOST_STEPS {
            let Operand::Variable(variable) = operand else { return None };
            match self.writer(variable) {
                Some(Statement::Copy { from, .. } | Statement::Cast { from, .. }) => {
                    operand = *from;
                }
                Some(Statement::Load { object, field, .. }) => {
                    steps.push(Step::Field(self.world.field(*field)));
                    match object {
                        Some(object) => operand = *object,
                        None => return Some(Origin(Root::Class(None), steps)),
                    }
                }
                Some(Statement::Call { call, .. }) if begins(self.name(call), "get") => {
                    match (call.dispatch, self.body.operands(&call.arguments)) {
                        (Dispatch::Static, []) => {
                            steps.push(Step::Getter(call.selector));
                            return Some(Origin(Root::Class(Some(call.class)), steps));
                        }
                        (Dispatch::Virtual | Dispatch::Exact, [receiver]) => {
                            steps.push(Step::Getter(call.selector));
                            operand = *receiver;
                        }
                        _ => return Some(Origin(Root::Variable(variable), steps)),
                    }
                }
                _ => return Some(Origin(Root::Variable(variable), steps)),
            }
        }
        None
    }

    /// Whether an operand is an element of something that an object gave.
    fn is_element(
        &self,
        operand: Operand,
        owner: &Option<Origin>,
        is_step: bool,
        most: usize,
    ) -> bool {
        let Operand::Variable(variable) = operand else { return false };
        let (Some(most), true) = (most.checked_sub(1), owner.is_some()) else { return false };
        match self.writer(variable) {
            Some(Statement::Copy { from, .. } | Statement::Cast { from, .. }) => {
                self.is_element(*from, owner, is_step, most)
            }
            Some(Statement::LoadElement { array, .. }) => {
                self.is_element(*array, owner, true, most)
            }
            Some(Statement::Call { call, .. }) if call.dispatch != Dispatch::Static => {
                let receiver = self.body.operands(&call.arguments)[0];
                let name = self.name(call);
                let is_step = is_step || STEPS.contains(&name);
                // What a method of one's own makes of what it is given is no key.
                let is_asked =
                    self.body.operands(&call.arguments).len() == 1 || !self.is_this(owner);
                let is_own = is_step
                    && !STEPS.contains(&name)
                    && is_asked
                    && self.origin(receiver) == *owner;
                is_own || self.is_element(receiver, owner, is_step, most)
            }
            _ => false,
        }
    }

    /// Whether an object is the one whose method this is, or would be in one that is static.
    fn is_this(&self, owner: &Option<Origin>) -> bool {
        let own = Origin(Root::Variable(VarId::new(0)), Vec::new());
        self.body.parameters > 0 && owner.as_ref() == Some(&own)
    }

    fn name(&self, call: &Call) -> &'l str {
        self.world.program.text(self.world.program.selectors()[call.selector].name)
    }

    /// The tests of what calls said whose names ask whether something is known; or whether nothing
    /// is there, where they said no.
    fn guards(&self, is_about_none: bool) -> Vec<Guard<'l>> {
        let program = self.world.program;
        let is_zero = |it: Operand| matches!(it, Operand::Constant(it) if program.constants()[it] == Constant::Integer(0));
        let guards = self.body.blocks.iter().filter_map(|(from, block)| {
            let Jump::Branch { test, yes, no } = &block.jump else { return None };
            let (Operand::Variable(said), true) = (test.left, is_zero(test.right)) else {
                return None;
            };
            let to = match (test.comparison, is_about_none) {
                (Comparison::Equal, false) | (Comparison::NotEqual, true) => *no,
                (Comparison::NotEqual, false) | (Comparison::Equal, true) => *yes,
                _ => return None,
            };
            let Some(Statement::Call { call, .. }) = self.writer(said) else { return None };
            let name = self.name(call);
            let is_teller = match is_about_none {
                true => name == "isEmpty",
                false => {
                    TELLERS.iter().any(|it| begins(name, it))
                        && !DENIERS.iter().any(|it| name.contains(it))
                }
            };
            let is_truth =
                program.types()[program.selectors()[call.selector].result] == Type::Boolean;
            (is_teller && is_truth && yes != no).then_some(Guard { call, from, to })
        });
        guards.collect()
    }

    /// Whether a guard has said yes wherever a call in a block is come to, to the same object and
    /// for something that the call is given.
    fn tells(&self, guard: &Guard, call: &Call, block: BlockId) -> bool {
        let (Some(said), Some(asked)) = (self.question(guard.call), self.question(call)) else {
            return false;
        };
        let owner = |it: &Call| match it.dispatch {
            Dispatch::Static => (Some(it.class), None),
            _ => (None, self.origin(self.body.operands(&it.arguments)[0])),
        };
        !said.2.is_empty()
            && said.2.iter().all(|it| asked.2.contains(it))
            && owner(guard.call) == owner(call)
            && owner(call) != (None::<NameId>, None)
            && self.must_pass(guard, block)
            && !self.removes(|it| owner(it) == owner(call))
    }

    /// Whether a guard has said that an object is not empty wherever it is asked for an element in
    /// a block.
    fn has_some(&self, guard: &Guard, call: &Call, block: BlockId) -> bool {
        let owner = |it: &Call| self.origin(self.body.operands(&it.arguments)[0]);
        guard.call.dispatch != Dispatch::Static
            && owner(guard.call).is_some_and(|it| owner(call) == Some(it))
            && self.must_pass(guard, block)
    }

    /// Whether the body calls a method of some of those that take something away.
    fn removes(&self, is_meant: impl Fn(&Call) -> bool) -> bool {
        let is_remover =
            |call: &Call| REMOVERS.iter().any(|it| begins(self.name(call), it)) && is_meant(call);
        self.body
            .statements
            .iter()
            .any(|it| matches!(it, Statement::Call { call, .. } if is_remover(call)))
    }

    fn question(&self, call: &Call) -> Option<Question> {
        question(self.world, self.body, call, (self.writers, &FxHashSet::default()))
    }

    /// Whether a block is come to only by the yes of a guard.
    fn must_pass(&self, guard: &Guard, block: BlockId) -> bool {
        let mut seen = vec![false; self.body.blocks.len()];
        let mut work = vec![0usize];
        seen[0] = true;
        while let Some(at) = work.pop() {
            if at == block.index() {
                return false;
            }
            for &to in &self.next[at] {
                let is_yes = at == guard.from.index() && to == guard.to.index();
                if !is_yes && !seen[to] {
                    seen[to] = true;
                    work.push(to);
                }
            }
        }
        true
    }
}

impl super::Explored<'_, '_> {
    /// Whether the answer of a call is taken to be there, by its key.
    pub(super) fn is_keyed(&self, procedure: ProcId, row: u32) -> bool {
        self.flow(procedure).asked.is_keyed(row)
    }
}

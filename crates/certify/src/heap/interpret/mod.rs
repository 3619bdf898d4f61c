//! Programs of `tern-ir`, run on concrete heaps.
//!
//! One step is a statement, a test, a value of a switch that is compared, a return or a throw;
//! jumps that only go elsewhere take none, nor do calls that do nothing. Before the first step the
//! checked procedure is not called yet. What is not known (a field that heaps do not keep, what
//! other code returns) may be copied and not more: whoever looks at it is stuck.

mod jump;
mod key;
mod statement;

pub(crate) use statement::taker;

pub use key::Key;

use super::{Callee, Input, Start, Task, is_end};
use std::collections::{BTreeMap, BTreeSet};
use tern_ir::{BlockId, Body, Constant, Jump, Operand, ProcId, Program, Statement, Type};
use tern_model::index::Id;

/// Why a run cannot be followed any further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck(pub String);

pub(super) fn stuck<T>(why: &str) -> Result<T, Stuck> {
    Err(Stuck(why.to_owned()))
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// No object.
    Null,
    /// An object.
    Object(usize),
    /// A number.
    Integer(i64),
    /// Something of which nothing is known.
    Unknown,
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its type.
    pub kind: String,
    /// Where its fields lead.
    pub fields: BTreeMap<String, Option<usize>>,
    /// The numbers that fields hold; nothing where that is not known.
    pub numbers: BTreeMap<String, Option<i64>>,
    /// Whether the program has made it: then fields that were not written hold 0.
    pub is_new: bool,
    /// Whether it was freed.
    pub freed: bool,
}

/// All objects that were ever made.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    /// The objects.
    pub objects: Vec<Object>,
}

impl Heap {
    /// What can be reached from an object, itself included.
    pub fn reached(&self, from: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(object) = open.pop() {
            if reached.insert(object) {
                open.extend(self.objects[object].fields.values().flatten());
            }
        }
        reached
    }
}

/// Where a run is as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// The checked procedure is not called yet.
    Begins,
    /// A procedure runs.
    Runs,
    /// The checked procedure has returned this.
    Returned(Option<Value>),
    /// A field of `null` was looked at.
    NullDereference,
    /// Something was thrown.
    Thrown,
    /// A field of a freed object was looked at.
    UseAfterFree,
    /// A freed object was freed.
    DoubleFree,
}

/// A procedure that runs: its block, the statement in it (the jump is behind the last), the case of
/// a switch, and its variables.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The procedure.
    pub procedure: ProcId,
    /// The block.
    pub block: BlockId,
    /// The statement in it.
    pub at: usize,
    case: usize,
    /// The variables.
    pub variables: Vec<Option<Value>>,
}

/// A run.
pub struct Interpreter<'a> {
    /// What is run.
    pub task: &'a Task<'a>,
    /// The heap.
    pub heap: Heap,
    /// The heap at the beginning.
    pub first: Heap,
    /// What the parameters were.
    pub values: Vec<Value>,
    /// The object that `elem` is.
    pub element: Option<usize>,
    /// The frames, that on top last.
    pub frames: Vec<Frame>,
    /// Where it is.
    pub mode: Mode,
    /// Whether the last step has lost an object.
    pub lost: bool,
    /// Whether a null dereference was taken by a handler.
    has_taken: bool,
    /// Objects that something led to before the last step.
    known: BTreeSet<usize>,
}

/// Whether code goes either way somewhere.
pub(super) fn leaves_open(program: &Program, body: &Body) -> bool {
    let is_any = |operand: &Operand| match operand {
        Operand::Constant(it) => program.constants()[*it] == Constant::Any,
        Operand::Variable(_) => false,
    };
    body.blocks.as_slice().iter().any(|block| match &block.jump {
        Jump::Branch { test, .. } => is_any(&test.left) || is_any(&test.right),
        _ => false,
    })
}

/// The next place at or behind one that takes a step; jumps in a circle lead to one of them.
pub(super) fn slide(
    task: &Task<'_>,
    body: &Body,
    (mut block, mut at): (BlockId, usize),
) -> (BlockId, usize) {
    for _ in 0..=body.blocks.len() + body.statements.len() {
        let statement = body.statements(block).nth(at).map(|(statement, _)| statement);
        match (statement, &body.blocks[block].jump) {
            (Some(Statement::Call { call, .. }), _)
                if task.meaning.callee(call) == Callee::Nothing =>
            {
                at += 1;
            }
            (None, Jump::Goto(to)) => (block, at) = (*to, 0),
            _ => break,
        }
    }
    (block, at)
}

impl<'a> Interpreter<'a> {
    /// A run before its first step.
    pub fn new(task: &'a Task<'a>, input: &Input) -> Self {
        let objects = input.objects.iter().map(|kind| Object {
            kind: kind.clone(),
            fields: BTreeMap::new(),
            numbers: BTreeMap::new(),
            is_new: false,
            freed: false,
        });
        let mut heap = Heap { objects: objects.collect() };
        for (object, name, to) in &input.fields {
            if let Some(object) = heap.objects.get_mut(*object) {
                object.fields.insert(name.clone(), *to);
            }
        }
        for (object, name, number) in &input.numbers {
            if let Some(object) = heap.objects.get_mut(*object) {
                object.numbers.insert(name.clone(), Some(*number));
            }
        }
        let values = input.values.iter().map(|value| match value {
            Start::Null => Value::Null,
            Start::Object(object) => Value::Object(*object),
            Start::Integer(number) => Value::Integer(*number),
            Start::Unknown => Value::Unknown,
        });
        let known = (0..heap.objects.len()).collect();
        Interpreter {
            task,
            first: heap.clone(),
            heap,
            values: values.collect(),
            element: input.element,
            frames: Vec::new(),
            mode: Mode::Begins,
            lost: false,
            has_taken: false,
            known,
        }
    }

    /// Whether nothing happens any more.
    pub fn has_ended(&self) -> bool {
        is_end(&self.mode)
    }

    /// How many procedures run.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// One step. Choices are asked for where the program goes either way.
    ///
    /// # Errors
    /// Why it cannot be made.
    pub fn step(&mut self, choose: &mut dyn FnMut() -> Option<bool>) -> Result<(), Stuck> {
        if self.has_ended() {
            self.lost = false;
            return Ok(());
        }
        if self.mode == Mode::Begins {
            self.mode = Mode::Runs;
            let parameters = self.task.given.len().min(self.values.len());
            self.enter(self.task.checked, self.values[..parameters].to_vec())?;
        } else {
            self.act(choose)?;
            if self.mode == Mode::Runs {
                self.slide()?;
            }
        }
        self.find_lost();
        Ok(())
    }

    fn enter(&mut self, procedure: ProcId, values: Vec<Value>) -> Result<(), Stuck> {
        let Some(body) = &self.task.program.procedures()[procedure].body else {
            return stuck("a procedure has no code");
        };
        if values.len() != body.parameters || body.blocks.is_empty() {
            return stuck("a procedure takes other arguments");
        }
        let types = self.task.program.types();
        let blank = |variable: &tern_ir::Variable| match types[variable.ty] {
            _ if self.task.blank => None,
            Type::Reference(_) | Type::Array(_) | Type::Unknown => Some(Value::Null),
            _ => Some(Value::Integer(0)),
        };
        let mut variables: Vec<Option<Value>> =
            body.variables.as_slice().iter().map(blank).collect();
        for (number, value) in values.into_iter().enumerate() {
            variables[number] = Some(value);
        }
        let block = BlockId::new(0);
        self.frames.push(Frame { procedure, block, at: 0, case: 0, variables });
        self.slide()
    }

    fn body(&self, procedure: ProcId) -> Result<&'a Body, Stuck> {
        let body = self.task.program.procedures()[procedure].body.as_ref();
        body.ok_or_else(|| Stuck("a procedure has no code".to_owned()))
    }

    /// Goes on over what takes no step.
    fn slide(&mut self) -> Result<(), Stuck> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let body = self.body(frame.procedure)?;
        let (block, at) = slide(self.task, body, (frame.block, frame.at));
        if let Some(frame) = self.frames.last_mut() {
            (frame.block, frame.at) = (block, at);
        }
        Ok(())
    }

    /// The objects that something leads to.
    pub fn reached(&self) -> BTreeSet<usize> {
        let mut roots: Vec<Value> = self.values.clone();
        for frame in &self.frames {
            roots.extend(frame.variables.iter().flatten());
        }
        if let Mode::Returned(Some(value)) = self.mode {
            roots.push(value);
        }
        roots.extend(self.element.map(Value::Object));
        let mut reached = BTreeSet::new();
        for root in roots {
            if let Value::Object(object) = root
                && !reached.contains(&object)
            {
                reached.extend(self.heap.reached(object));
            }
        }
        reached
    }

    /// Whether an object that was not freed has been lost: nothing leads to it any more.
    fn find_lost(&mut self) {
        let reached = self.reached();
        let mut gone = self.known.iter().filter(|it| !reached.contains(*it));
        let lost = gone.any(|&it| !self.heap.objects[it].freed);
        self.lost = lost;
        self.known = reached;
    }
}

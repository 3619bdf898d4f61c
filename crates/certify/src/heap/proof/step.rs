//! What one step of a program does to a heap with hyperedges, in all cases.
//!
//! The same steps as the interpreter's, on heaps that stand for many. Whatever lies outside of what
//! is followed here is refused: then there is no proof.

use super::super::interpret;
use super::super::numbers::{binary, compared, number, unary};
use super::super::{Callee, NoRun, Task, refused};
use super::grammar::Grammar;
use super::graph::{AbstractHeap, FREED, Held, Origin, Slot, Tracked};
use std::collections::BTreeSet;
use tern_ir::{
    BlockId, Body, Call, Comparison, Constant, Dispatch, Handler, Jump, Operand, ProcId, Statement,
    Type, VarId,
};
use tern_model::index::Id;

/// Where a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The checked procedure is not called yet.
    Begin,
    /// Before a statement or jump of a procedure: its block, its place in it, the case of a switch.
    At(usize, usize, usize),
    /// The checked procedure has returned.
    End,
    /// A field of `null` was looked at.
    NullDereference,
    /// Something was thrown.
    Thrown,
    /// A field of a freed object was looked at.
    UseAfterFree,
    /// A freed object was freed.
    DoubleFree,
}

impl Place {
    /// Whether the run has ended there before the checked procedure has returned.
    pub fn is_broken_off(self) -> bool {
        !matches!(self, Place::Begin | Place::At(..) | Place::End)
    }
}

/// One of the things that come of a step.
#[derive(Debug)]
pub enum Next {
    /// On in the same frame.
    Goes(Place, Tracked),
    /// The procedure returns.
    Returns(Tracked),
    /// A procedure is called.
    Calls(Box<Calling>),
}

/// A call.
#[derive(Debug)]
pub struct Calling {
    /// Who is called.
    pub callee: ProcId,
    /// With what.
    pub values: Vec<Held>,
    /// The heap at the call.
    pub heap: Tracked,
    /// What the result goes to.
    pub to: Option<Slot>,
    /// Where it goes on.
    pub next: Place,
}

/// A procedure at some place, with a heap.
pub struct Stepper<'a> {
    /// The program.
    pub task: &'a Task<'a>,
    /// The grammar.
    pub grammar: &'a Grammar<'a>,
    /// The procedure; nothing before and after the checked one.
    pub procedure: Option<ProcId>,
    /// Where it is.
    pub place: Place,
    /// With what heap.
    pub heap: &'a AbstractHeap,
    /// Which way is taken wherever the program may go either, if runs that go so are enough.
    pub chosen: Option<bool>,
}

/// Where a procedure begins.
///
/// # Errors
/// If it has no code.
pub fn first_place(task: &Task<'_>, procedure: ProcId) -> Result<Place, NoRun> {
    let body = body(task, procedure)?;
    if body.blocks.is_empty() {
        return refused("a procedure has no code");
    }
    let (block, at) = interpret::slide(task, body, (BlockId::new(0), 0));
    Ok(Place::At(block.index(), at, 0))
}

/// Whether nothing that the program does depends on more than its input.
pub fn has_one_run(task: &Task<'_>) -> bool {
    let program = task.program;
    let is_any = |operand: &Operand| match operand {
        Operand::Constant(it) => program.constants()[*it] == Constant::Any,
        Operand::Variable(_) => false,
    };
    let is_chance = |body: &Body, statement: &Statement| match statement {
        Statement::Load { object: None, .. } => true,
        Statement::Load { field, .. } => {
            task.meaning.keeps(&program.fields()[*field]) != Some(true)
        }
        Statement::Copy { from, .. } => is_any(from),
        Statement::Store { value, .. } => is_any(value),
        Statement::Unary { operand, .. } => is_any(operand),
        Statement::Binary { left, right, .. } => is_any(left) || is_any(right),
        Statement::Call { call, .. } => {
            let open = matches!(task.meaning.callee(call), Callee::Pure | Callee::Unknown);
            open || body.operands(&call.arguments).iter().any(is_any)
        }
        Statement::New { class, .. } => task.meaning.made(program.text(*class)).is_none(),
        Statement::Cast { .. } | Statement::InstanceOf { .. } | Statement::Monitor { .. } => false,
        // Arrays are not followed.
        _ => true,
    };
    let (mut open, mut seen) = (vec![task.checked], BTreeSet::new());
    while let Some(procedure) = open.pop() {
        if !seen.insert(procedure) {
            continue;
        }
        let Some(body) = &program.procedures()[procedure].body else { return false };
        let statements = body.statements.as_slice();
        let mut jumps = body.blocks.as_slice().iter().map(|block| &block.jump);
        let is_open = jumps.any(|jump| match jump {
            Jump::Branch { test, .. } => is_any(&test.left) || is_any(&test.right),
            Jump::Switch { on, .. } => is_any(on),
            _ => false,
        });
        if is_open || statements.iter().any(|it| is_chance(body, it)) {
            return false;
        }
        open.extend(statements.iter().flat_map(|statement| match statement {
            Statement::Call { call, .. } => task.called(call),
            _ => Vec::new(),
        }));
    }
    true
}

fn body<'a>(task: &Task<'a>, procedure: ProcId) -> Result<&'a Body, NoRun> {
    match &task.program.procedures()[procedure].body {
        Some(body) => Ok(body),
        None => refused("a procedure has no code"),
    }
}

impl<'a> Stepper<'a> {
    /// All that may come next, in order.
    ///
    /// # Errors
    /// What is not followed.
    pub fn next(&self) -> Result<Vec<Next>, NoRun> {
        match (self.place, self.procedure) {
            (Place::Begin, None) => {
                let count = self.task.given.len();
                let values = (0..count).map(|it| self.held(Slot::Variable(it))).collect();
                let (callee, heap) = (self.task.checked, Tracked::new(self.heap));
                let (to, next) = (Some(Slot::Return), Place::End);
                Ok(vec![Next::Calls(Box::new(Calling { callee, values, heap, to, next }))])
            }
            (Place::At(block, at, case), Some(procedure)) => {
                let body = body(self.task, procedure)?;
                if block >= body.blocks.len() {
                    return refused("there is no such block");
                }
                let block = BlockId::new(block);
                match body.statements(block).nth(at) {
                    Some((statement, _)) => self.statement(body, (block, at), statement),
                    None => self.jump(body, (block, case)),
                }
            }
            (Place::Begin | Place::At(..), _) => refused("a node is where it cannot be"),
            // It has ended.
            _ => Ok(vec![Next::Goes(self.place, Tracked::new(self.heap))]),
        }
    }

    fn held(&self, slot: Slot) -> Held {
        self.heap.slots.get(&slot).copied().unwrap_or(Held::Any)
    }

    fn value(&self, operand: Operand) -> Held {
        match operand {
            Operand::Variable(variable) => self.held(Slot::Variable(variable.index())),
            Operand::Constant(constant) => match self.task.program.constants()[constant] {
                Constant::Null => Held::Object(0),
                Constant::Integer(number) => i64::try_from(number).map_or(Held::Any, Held::Integer),
                _ => Held::Any,
            },
        }
    }

    fn place(&self, body: &Body, place: (BlockId, usize)) -> Place {
        let (block, at) = interpret::slide(self.task, body, place);
        Place::At(block.index(), at, 0)
    }

    /// The run ends here, which somebody might catch. A null dereference that the procedure itself
    /// takes goes on there, with something in a variable of which nothing is known.
    fn ends(&self, place: Place) -> Result<Vec<Next>, NoRun> {
        if let (Place::NullDereference, Place::At(block, ..), Some(procedure)) =
            (place, self.place, self.procedure)
        {
            let body = body(self.task, procedure)?;
            let taker = interpret::taker(self.task.program, body, BlockId::new(block));
            if let Some(Handler { variable, block, .. }) = taker {
                return self.written(self.place(body, (*block, 0)), *variable, Held::Any);
            }
        }
        for &procedure in self.task.locals.keys() {
            let Some(body) = &self.task.program.procedures()[procedure].body else { continue };
            if body.blocks.ids().any(|block| !body.handlers(block).is_empty()) {
                return refused("what is thrown may be caught");
            }
        }
        Ok(vec![Next::Goes(place, Tracked::new(self.heap))])
    }

    /// One heap, with a variable written.
    fn written(&self, next: Place, to: VarId, value: Held) -> Result<Vec<Next>, NoRun> {
        let mut heap = Tracked::new(self.heap);
        heap.heap.slots.insert(Slot::Variable(to.index()), value);
        Ok(vec![Next::Goes(next, heap)])
    }

    fn statement(
        &self,
        body: &Body,
        (block, at): (BlockId, usize),
        statement: &Statement,
    ) -> Result<Vec<Next>, NoRun> {
        let program = self.task.program;
        let next = self.place(body, (block, at + 1));
        match statement {
            Statement::Copy { to, from } => self.written(next, *to, self.value(*from)),
            Statement::New { to, class } => {
                let Some(kind) = self.task.meaning.made(program.text(*class)) else {
                    return self.written(next, *to, Held::Any);
                };
                let mut heap = Tracked::new(self.heap);
                let object = heap.add_object(&kind, Origin::NEW);
                let Some(fields) = self.task.types.get(&kind) else {
                    return refused("there is no such type");
                };
                let fields = fields.iter().map(|name| (object, name.clone(), 0));
                heap.heap.graph.fields.extend(fields);
                heap.heap.slots.insert(Slot::Variable(to.index()), Held::Object(object));
                Ok(vec![Next::Goes(next, heap)])
            }
            Statement::Load { object: None, to, .. } => self.written(next, *to, Held::Any),
            Statement::Store { object: None, .. } => {
                Ok(vec![Next::Goes(next, Tracked::new(self.heap))])
            }
            Statement::Load { to, object: Some(object), field } => {
                let field = &program.fields()[*field];
                let keeps = self.task.meaning.keeps(field);
                self.looked_at(*object, keeps, program.text(field.name), |mut heap, found| {
                    let value = found.map_or(Held::Any, |(_, to)| Held::Object(to));
                    heap.heap.slots.insert(Slot::Variable(to.index()), value);
                    Ok(Next::Goes(next, heap))
                })
            }
            Statement::Store { object: Some(object), field, value } => {
                let field = &program.fields()[*field];
                let (keeps, name) = (self.task.meaning.keeps(field), program.text(field.name));
                let value = self.value(*value);
                self.looked_at(*object, keeps, name, |mut heap, found| {
                    match (found, value) {
                        (None, _) => {}
                        (Some((object, _)), Held::Object(to)) => {
                            heap.heap.set_field(object, name, to);
                        }
                        _ => return refused("something is stored of which nothing is known"),
                    }
                    Ok(Next::Goes(next, heap))
                })
            }
            Statement::Unary { to, operator, operand } => {
                let bits = number(program, body, *to);
                let value = unary(bits, *operator, number_of(self.value(*operand)));
                self.written(next, *to, held_of(value))
            }
            Statement::Binary { to, operator, left, right } => {
                let bits = number(program, body, *to);
                let (left, right) = (self.value(*left), self.value(*right));
                let value = binary(bits, *operator, number_of(left), number_of(right))?;
                self.written(next, *to, held_of(value))
            }
            Statement::Cast { to, from, ty } => {
                let value = self.value(*from);
                match self.is_of(value, *ty).unwrap_or(value == Held::Object(0)) {
                    true => self.written(next, *to, value),
                    false => refused("a cast that may not succeed"),
                }
            }
            Statement::InstanceOf { to, from, ty } => {
                let value = match (self.value(*from), self.is_of(self.value(*from), *ty)) {
                    (Held::Object(0), _) => Held::Integer(0),
                    (_, Some(is)) => Held::Integer(is.into()),
                    (_, None) => Held::Any,
                };
                self.written(next, *to, value)
            }
            Statement::Monitor { object, .. } => match self.value(*object) {
                Held::Object(0) => self.ends(Place::NullDereference),
                Held::Object(_) => Ok(vec![Next::Goes(next, Tracked::new(self.heap))]),
                _ => refused("nothing is known of an object that is used"),
            },
            Statement::Call { to, call } => self.call(body, *to, call, next),
            Statement::LoadElement { array, .. }
            | Statement::StoreElement { array, .. }
            | Statement::Length { array, .. }
                if self.value(*array) == Held::Object(0) =>
            {
                self.ends(Place::NullDereference)
            }
            Statement::Length { to, array } if self.is_given_array(body, *array) => {
                self.written(next, *to, self.value(*array))
            }
            Statement::NewArray { .. }
            | Statement::LoadElement { .. }
            | Statement::StoreElement { .. }
            | Statement::Length { .. } => refused("arrays are not followed"),
        }
    }

    /// A field of an object is looked at, in all heaps in which it is there. Those that heaps do
    /// not keep have no target.
    fn looked_at(
        &self,
        object: Operand,
        keeps: Option<bool>,
        name: &str,
        then: impl Fn(Tracked, Option<(usize, usize)>) -> Result<Next, NoRun>,
    ) -> Result<Vec<Next>, NoRun> {
        let object = match self.value(object) {
            Held::Object(0) => return self.ends(Place::NullDereference),
            Held::Object(object) if self.heap.is_freed(object) => {
                return self.ends(Place::UseAfterFree);
            }
            Held::Object(object) => object,
            _ => return refused("nothing is known of an object that is used"),
        };
        let heap = Tracked::new(self.heap);
        match keeps {
            None => refused("a field of several types of objects"),
            Some(false) => Ok(vec![then(heap, None)?]),
            Some(true) => {
                let cases = self.grammar.concretised(&heap, object, name)?;
                let target = |case: &Tracked| case.heap.field(object, name).map(|to| (object, to));
                cases
                    .into_iter()
                    .map(|case| {
                        let found = target(&case);
                        then(case, found)
                    })
                    .collect()
            }
        }
    }

    /// Whether an operand is still an array that was given: any number stands for one of so many
    /// elements. Nobody but who starts the program calls the checked procedure.
    fn is_given_array(&self, body: &Body, operand: Operand) -> bool {
        let Operand::Variable(variable) = operand else { return false };
        let (task, program) = (self.task, self.task.program);
        let calls = |it: &Statement| matches!(it, Statement::Call { call, .. } if task.called(call).contains(&task.checked));
        let bodies = task.locals.keys().filter_map(|it| program.procedures()[*it].body.as_ref());
        let mut all = bodies.flat_map(|it| it.statements.as_slice());
        self.procedure == Some(task.checked)
            && variable.index() < body.parameters
            && matches!(self.value(operand), Held::Any | Held::Integer(0..))
            && matches!(program.types()[body.variables[variable].ty], Type::Array(_))
            && !body.statements.as_slice().iter().any(|it| it.written() == Some(variable))
            && !all.any(calls)
    }

    /// Whether a value is an object of a class; nothing of `null` and what is not known.
    fn is_of(&self, value: Held, ty: tern_ir::TypeId) -> Option<bool> {
        let Held::Object(object) = value else { return None };
        let kind = self.heap.kind(object)?;
        match self.task.program.types()[ty] {
            Type::Reference(class) => {
                Some(self.task.meaning.is_of(kind, self.task.program.text(class)))
            }
            _ => Some(false),
        }
    }

    fn call(
        &self,
        body: &Body,
        to: Option<VarId>,
        call: &Call,
        next: Place,
    ) -> Result<Vec<Next>, NoRun> {
        let operands = body.operands(&call.arguments);
        let values: Vec<Held> = operands.iter().map(|it| self.value(*it)).collect();
        let has_receiver = call.dispatch != Dispatch::Static;
        if has_receiver && values.first() == Some(&Held::Object(0)) {
            return self.ends(Place::NullDereference);
        }
        let kind = match values.first() {
            Some(Held::Object(object)) => self.heap.kind(*object),
            _ => None,
        };
        match self.task.callee(call, kind) {
            Callee::Procedure(callee) => {
                if has_receiver && values.first() == Some(&Held::Any) {
                    return refused("nothing is known of an object that is used");
                }
                let (heap, to) = (Tracked::new(self.heap), to.map(|it| Slot::Variable(it.index())));
                Ok(vec![Next::Calls(Box::new(Calling { callee, values, heap, to, next }))])
            }
            Callee::Nothing | Callee::Pure => match to {
                Some(to) => self.written(next, to, Held::Any),
                None => Ok(vec![Next::Goes(next, Tracked::new(self.heap))]),
            },
            Callee::Free => self.freed(&values, next),
            Callee::ByType | Callee::Unknown => refused("code is called that is not there"),
        }
    }

    /// An object loses its fields and its type; what refers to it does so still.
    fn freed(&self, values: &[Held], next: Place) -> Result<Vec<Next>, NoRun> {
        let object = match values {
            [Held::Object(0)] => return Ok(vec![Next::Goes(next, Tracked::new(self.heap))]),
            [Held::Object(object)] if self.heap.is_freed(*object) => {
                return self.ends(Place::DoubleFree);
            }
            [Held::Object(object)] => *object,
            _ => return refused("something else than an object is freed"),
        };
        let kind = self.heap.kind(object).and_then(|kind| self.task.types.get(kind));
        let Some(fields) = kind else { return refused("there is no such type") };
        let mut cases = vec![Tracked::new(self.heap)];
        for name in fields {
            let mut all = Vec::new();
            for case in &cases {
                all.extend(self.grammar.concretised(case, object, name)?);
            }
            cases = all;
        }
        for case in &mut cases {
            case.heap.graph.fields.retain(|(from, ..)| *from != object);
            FREED.clone_into(&mut case.heap.graph.kinds[object - 1]);
        }
        Ok(cases.into_iter().map(|case| Next::Goes(next, case)).collect())
    }

    fn jump(&self, body: &Body, (block, case): (BlockId, usize)) -> Result<Vec<Next>, NoRun> {
        let go = |block: BlockId, heap: Tracked| Next::Goes(self.place(body, (block, 0)), heap);
        let same = || Tracked::new(self.heap);
        match &body.blocks[block].jump {
            Jump::Goto(to) => Ok(vec![go(*to, same())]),
            Jump::Branch { test, yes, no } => {
                let is_any = |operand: Operand| match operand {
                    Operand::Constant(it) => self.task.program.constants()[it] == Constant::Any,
                    Operand::Variable(_) => false,
                };
                if let (Some(chosen), false) = (self.chosen, self.task.blank)
                    && is_any(test.left)
                    && is_any(test.right)
                {
                    return Ok(vec![go(if chosen { *yes } else { *no }, same())]);
                }
                let [known, other] = self.tested(test.left, test.comparison, test.right)?;
                let ways = [(known, *yes), (other, *no)];
                let taken = ways.into_iter().filter_map(|(heap, to)| Some(go(to, heap?)));
                Ok(taken.collect())
            }
            Jump::Switch { on, cases, otherwise } => {
                let Some((number, to)) = cases.get(case) else {
                    return Ok(vec![go(*otherwise, same())]);
                };
                let wrong = match case + 1 == cases.len() {
                    true => self.place(body, (*otherwise, 0)),
                    false => {
                        let count = body.statements(block).count();
                        Place::At(block.index(), count, case + 1)
                    }
                };
                let (value, number) = (self.value(*on), Held::Integer(*number));
                let [yes, no] = self.compared((Some(*on), value), (None, number))?;
                let yes = yes.map(|heap| go(*to, heap));
                Ok(yes.into_iter().chain(no.map(|heap| Next::Goes(wrong, heap))).collect())
            }
            Jump::Return(value) => {
                let mut heap = same();
                heap.heap.slots.clear();
                if let Some(value) = value {
                    heap.heap.slots.insert(Slot::Return, self.value(*value));
                }
                Ok(vec![Next::Returns(heap)])
            }
            Jump::Throw(_) => self.ends(Place::Thrown),
        }
    }

    /// The heaps with which a test is true, and false.
    fn tested(
        &self,
        left: Operand,
        comparison: Comparison,
        right: Operand,
    ) -> Result<[Option<Tracked>; 2], NoRun> {
        let (a, b) = (self.value(left), self.value(right));
        match comparison {
            Comparison::Equal => self.compared((Some(left), a), (Some(right), b)),
            Comparison::NotEqual => {
                let [equal, other] = self.compared((Some(left), a), (Some(right), b))?;
                Ok([other, equal])
            }
            _ => {
                let same = || Some(Tracked::new(self.heap));
                match (a, b) {
                    (Held::Integer(_), Held::Integer(_)) => {
                        let holds = compared(number_of(a), comparison, number_of(b))?;
                        Ok([same().filter(|_| holds), same().filter(|_| !holds)])
                    }
                    (Held::Object(_), _) | (_, Held::Object(_)) => {
                        refused("objects are compared by size")
                    }
                    _ => Ok([same(), same()]),
                }
            }
        }
    }

    /// The heaps with which two values are the same, and not. If nothing is known of a variable, it
    /// is what it is the same as.
    fn compared(
        &self,
        (left, a): (Option<Operand>, Held),
        (right, b): (Option<Operand>, Held),
    ) -> Result<[Option<Tracked>; 2], NoRun> {
        let heap = Tracked::new(self.heap);
        match (a, b) {
            (Held::Any, known) | (known, Held::Any) => {
                let unknown = if a == Held::Any { left } else { right };
                let mut equal = heap.clone();
                if let Some(Operand::Variable(variable)) = unknown {
                    equal.heap.slots.insert(Slot::Variable(variable.index()), known);
                }
                Ok([Some(equal), Some(heap)])
            }
            (Held::Object(_), Held::Integer(_)) | (Held::Integer(_), Held::Object(_)) => {
                refused("a number is compared with an object")
            }
            _ if a == b => Ok([Some(heap), None]),
            _ => Ok([None, Some(heap)]),
        }
    }
}

fn number_of(held: Held) -> interpret::Value {
    match held {
        Held::Integer(number) => interpret::Value::Integer(number),
        Held::Object(_) | Held::Any => interpret::Value::Unknown,
    }
}

fn held_of(value: interpret::Value) -> Held {
    match value {
        interpret::Value::Integer(number) => Held::Integer(number),
        _ => Held::Any,
    }
}

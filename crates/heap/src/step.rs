//! What one line of a procedure does to a heap.

use crate::code::{Action, Called, Code, Line, Operation, Relation, Source};
use crate::grammar::Grammar;
use crate::graph::{Heap, ObjectId, SelectorId, Slot, TypeId, Value, null};
use crate::traced::{Origin, Traced};
use tern_model::Surety;

/// What comes of a line, before what is not needed is dropped.
#[derive(Clone, Debug)]
pub enum Next {
    /// On at a line, with a heap.
    Line(u32, Box<Traced>),
    /// The procedure returns; the result is in its slot.
    Return(Box<Traced>),
    /// A procedure is called with these values.
    Call(Vec<Value>),
    /// The run ends here, or is not followed any further.
    Ends(End),
}

/// Why a run ends in the middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum End {
    /// A field of `null` was asked for.
    NullDereference,
    /// An exception was thrown.
    Thrown,
    /// A field of an object was asked for that was freed.
    UseAfterFree,
    /// An object was freed a second time.
    DoubleFree,
    /// Nothing is known of what comes.
    Hole,
}

/// All that may come of a line. Each is sure if it comes of every heap that this one stands for.
/// If somebody may take what is thrown, nothing is known of what comes then; but a null dereference
/// that the procedure itself takes goes on there. Numbers in fields are
/// only kept if they count.
pub fn step(
    (grammar, code): (&Grammar, &Code),
    line: &Line,
    heap: &Heap,
    counts: bool,
) -> Vec<(Next, Surety)> {
    let mut found = taken((grammar, code), line, heap, counts);
    for (next, _) in &mut found {
        match (&next, line.handler) {
            (Next::Ends(End::NullDereference), Some((to, variable))) => {
                let mut after = Traced::new(heap);
                after.heap_mut().set_slot(Slot::Variable(variable), Value::Any);
                *next = Next::Line(to, Box::new(after));
            }
            (Next::Ends(End::NullDereference), None) if line.caught_outside => {
                *next = Next::Ends(End::Hole);
            }
            (Next::Ends(End::Thrown), _) if line.caught => *next = Next::Ends(End::Hole),
            _ => {}
        }
    }
    found
}

fn taken(
    (grammar, code): (&Grammar, &Code),
    line: &Line,
    heap: &Heap,
    counts: bool,
) -> Vec<(Next, Surety)> {
    let traced = Traced::new(heap);
    let go = |to: u32, heap: Traced| Next::Line(to, Box::new(heap));
    let sure = |next: Next| vec![(next, Surety::Sure)];
    let write = |mut after: Traced, to: u32, value: Value| {
        after.heap_mut().set_slot(Slot::Variable(to), value);
        sure(go(line.next, after))
    };
    match &line.action {
        Action::Copy(to, from) => write(traced, *to, value(heap, *from)),
        Action::Toss(to) => {
            (0..2).flat_map(|it| write(traced.clone(), *to, Value::Integer(it))).collect()
        }
        Action::New(to, kind) => {
            let mut after = traced;
            let object = made((grammar, code), &mut after, *kind, counts);
            write(after, *to, Value::Object(object))
        }
        Action::Load(to, object, selector) => {
            let object = value(heap, *object);
            dereferenced((grammar, code), traced, object, *selector, |mut after, found| {
                after.heap_mut().set_slot(Slot::Variable(*to), Value::Object(found.1));
                go(line.next, after)
            })
        }
        Action::Store(object, selector, stored) => {
            let (object, stored) = (value(heap, *object), value(heap, *stored));
            dereferenced((grammar, code), traced, object, *selector, |mut after, found| {
                // A reference of which nothing is known cannot be put anywhere.
                let Value::Object(stored) = stored else { return Next::Ends(End::Hole) };
                after.heap_mut().set_field(found.0, *selector, stored);
                go(line.next, after)
            })
        }
        Action::Touch { to, object, trusted } => match (value(heap, *object), to) {
            (Value::Object(object), _) if object == null() => {
                sure(Next::Ends(End::NullDereference))
            }
            (Value::Object(object), _) if is_freed(code, heap, object) => {
                sure(Next::Ends(End::UseAfterFree))
            }
            (Value::Any | Value::Integer(_), _) if !trusted => sure(Next::Ends(End::Hole)),
            (_, Some(to)) => write(traced, *to, Value::Any),
            (_, None) => sure(go(line.next, traced)),
        },
        Action::LoadNumber(_, object, _) | Action::StoreNumber(object, ..) => {
            match used(code, heap, value(heap, *object)) {
                Ok(object) => sure(go(line.next, counted(&line.action, traced, object, counts))),
                Err(end) => sure(Next::Ends(end)),
            }
        }
        Action::Length(to, array) => match length(value(heap, *array)) {
            Ok(count) => write(traced, *to, count),
            Err(end) => sure(Next::Ends(end)),
        },
        Action::Compute(to, operation) => match computed(heap, operation) {
            Some(result) => write(traced, *to, result),
            None => sure(Next::Ends(End::Hole)),
        },
        Action::Cast(to, from, kinds) => match value(heap, *from) {
            Value::Object(it) if it == null() || is_of(heap, it, kinds) => {
                write(traced, *to, Value::Object(it))
            }
            _ => sure(Next::Ends(End::Hole)),
        },
        Action::InstanceOf(to, from, kinds) => match value(heap, *from) {
            Value::Object(object) => {
                write(traced, *to, Value::Integer(is_of(heap, object, kinds).into()))
            }
            _ => write(traced, *to, Value::Any),
        },
        Action::Free(object) => freed((grammar, code), &traced, value(heap, *object), line.next),
        Action::Call { arguments, receiver, callee, .. } => {
            sure(called(heap, callee, arguments, *receiver))
        }
        Action::Test { relation, left, right, otherwise } => {
            tested(traced, *relation, (*left, *right), line.next, *otherwise)
        }
        Action::Choose { otherwise } => {
            [line.next, *otherwise].map(|to| (go(to, traced.clone()), Surety::Sure)).into()
        }
        Action::Return(result) => {
            let mut after = traced;
            if let Some(result) = result {
                after.heap_mut().set_slot(Slot::Return, value(heap, *result));
            }
            after.heap_mut().retain_slots(|slot| slot == Slot::Return);
            vec![(Next::Return(Box::new(after)), Surety::Sure)]
        }
        Action::Throw { .. } => sure(Next::Ends(End::Thrown)),
        Action::Hole(_) => sure(Next::Ends(End::Hole)),
        Action::Stay => vec![(go(line.next, traced), Surety::Sure)],
    }
}

/// What is computed; nothing if it divides by what may be zero.
fn computed(heap: &Heap, operation: &Operation) -> Option<Value> {
    let number = |source: Source| match value(heap, source) {
        Value::Integer(number) => Some(number),
        _ => None,
    };
    match operation.divisor().map(number) {
        Some(None | Some(0)) => None,
        _ => Some(operation.result(number).map_or(Value::Any, Value::Integer)),
    }
}

/// A call; with a receiver, the first argument must be an object.
fn called(heap: &Heap, callee: &Called, arguments: &[Source], receiver: bool) -> Next {
    let values: Vec<Value> = arguments.iter().map(|argument| value(heap, *argument)).collect();
    match values.first() {
        Some(Value::Object(object)) if receiver && *object == null() => {
            Next::Ends(End::NullDereference)
        }
        Some(Value::Any | Value::Integer(_)) if receiver => Next::Ends(End::Hole),
        // Nobody is called by an object of another type than the code says.
        Some(Value::Object(object)) if receiver && callee.by(heap.kind(*object)).is_none() => {
            Next::Ends(End::Hole)
        }
        _ => Next::Call(values),
    }
}

fn is_of(heap: &Heap, object: ObjectId, kinds: &[TypeId]) -> bool {
    heap.kind(object).is_some_and(|it| kinds.contains(&it))
}

/// The number of elements of the array with which a program is started, if it is known.
fn length(array: Value) -> Result<Value, End> {
    match array {
        Value::Object(object) if object == null() => Err(End::NullDereference),
        Value::Object(_) => Err(End::Hole),
        known => Ok(known),
    }
}

/// A new object; its fields are `null` and 0.
fn made(
    (grammar, code): (&Grammar, &Code),
    heap: &mut Traced,
    kind: TypeId,
    counts: bool,
) -> ObjectId {
    let object = heap.add_object(kind, Origin::NEW);
    for &selector in &grammar.types.kinds[kind].selectors {
        heap.heap_mut().set_field(object, selector, null());
    }
    let of_kind = code.numbers.iter().filter(|(_, it)| counts && it.of.contains(&kind));
    of_kind.for_each(|(field, _)| heap.heap_mut().set_number(object, field, Some(0)));
    object
}

/// The heap after a number of an object was read or written.
fn counted(action: &Action, mut heap: Traced, object: ObjectId, counts: bool) -> Traced {
    match *action {
        Action::LoadNumber(to, _, field) => {
            let number = heap.heap().number(object, field);
            let number = number.map_or(Value::Any, Value::Integer);
            heap.heap_mut().set_slot(Slot::Variable(to), number);
        }
        Action::StoreNumber(_, field, stored) => {
            let number = match value(heap.heap(), stored) {
                Value::Integer(number) if counts => Some(number),
                _ => None,
            };
            heap.heap_mut().set_number(object, field, number);
        }
        _ => {}
    }
    heap
}

/// The object whose field is looked at, or how the run ends there.
fn used(code: &Code, heap: &Heap, object: Value) -> Result<ObjectId, End> {
    match object {
        Value::Object(object) if object == null() => Err(End::NullDereference),
        Value::Object(object) if is_freed(code, heap, object) => Err(End::UseAfterFree),
        Value::Object(object) => Ok(object),
        Value::Integer(_) | Value::Any => Err(End::Hole),
    }
}

/// What a source is worth.
fn value(heap: &Heap, source: Source) -> Value {
    match source {
        // What a line reads is live there, hence kept, if it was ever written.
        Source::Variable(variable) => heap.slot(Slot::Variable(variable)).unwrap_or(Value::Any),
        Source::Null => Value::Object(null()),
        Source::Integer(number) => Value::Integer(number),
        Source::Any => Value::Any,
    }
}

/// A field of an object is looked at, in all heaps in which it is there.
fn dereferenced(
    (grammar, code): (&Grammar, &Code),
    heap: Traced,
    object: Value,
    selector: SelectorId,
    go_on: impl Fn(Traced, (ObjectId, ObjectId)) -> Next,
) -> Vec<(Next, Surety)> {
    let Value::Object(object) = object else {
        return vec![(Next::Ends(End::Hole), Surety::Sure)];
    };
    if object == null() {
        return vec![(Next::Ends(End::NullDereference), Surety::Sure)];
    }
    if is_freed(code, heap.heap(), object) {
        return vec![(Next::Ends(End::UseAfterFree), Surety::Sure)];
    }
    if let Some(target) = heap.heap().field(object, selector) {
        return vec![(go_on(heap, (object, target)), Surety::Sure)];
    }
    // An object of another type than the code says has no such field.
    let Some(cases) = grammar.concretised(&heap, object, selector) else {
        return vec![(Next::Ends(End::Hole), Surety::Sure)];
    };
    let surety = if cases.len() == 1 { Surety::Sure } else { Surety::Possible };
    let found = |case: &Traced| case.heap().field(object, selector).expect("it is there now");
    cases
        .into_iter()
        .map(|case| {
            let target = found(&case);
            (go_on(case, (object, target)), surety)
        })
        .collect()
}

fn is_freed(code: &Code, heap: &Heap, object: ObjectId) -> bool {
    code.freed.is_some() && heap.kind(object) == code.freed
}

/// An object is freed: it loses its fields and its type. What refers to it does so still.
fn freed(
    (grammar, code): (&Grammar, &Code),
    heap: &Traced,
    object: Value,
    next: u32,
) -> Vec<(Next, Surety)> {
    let (Value::Object(object), Some(kind)) = (object, code.freed) else {
        return vec![(Next::Ends(End::Hole), Surety::Sure)];
    };
    if object == null() {
        return vec![(Next::Line(next, Box::new(heap.clone())), Surety::Sure)];
    }
    if heap.heap().kind(object) == Some(kind) {
        return vec![(Next::Ends(End::DoubleFree), Surety::Sure)];
    }
    let before = heap.heap().kind(object);
    let selectors = before.map_or(&[][..], |it| &grammar.types.kinds[it].selectors);
    let mut cases = vec![heap.clone()];
    for &selector in selectors {
        let all = |case: &Traced| grammar.concretised(case, object, selector).unwrap_or_default();
        cases = cases.iter().flat_map(all).collect();
    }
    let surety = if cases.len() == 1 { Surety::Sure } else { Surety::Possible };
    let done = |mut case: Traced| {
        for &selector in selectors {
            case.heap_mut().remove_field(object, selector);
        }
        case.heap_mut().set_kind(object, kind);
        (Next::Line(next, Box::new(case)), surety)
    };
    cases.into_iter().map(done).collect()
}

fn tested(
    heap: Traced,
    relation: Relation,
    (left, right): (Source, Source),
    yes: u32,
    no: u32,
) -> Vec<(Next, Surety)> {
    let values = (value(heap.heap(), left), value(heap.heap(), right));
    let go = |to: u32, heap: Traced| Next::Line(to, Box::new(heap));
    let known = match (relation, values) {
        (_, (Value::Any, _) | (_, Value::Any)) => None,
        (Relation::Equal, (left, right)) => Some(left == right),
        (Relation::Less, (left, right)) => Some(left < right),
        (Relation::LessEqual, (left, right)) => Some(left <= right),
    };
    if let Some(holds) = known {
        return vec![(go(if holds { yes } else { no }, heap), Surety::Sure)];
    }
    // If a variable of which nothing is known is a number, it is that from now on.
    let mut equal = heap.clone();
    match (left, right, values) {
        (Source::Variable(it), _, (Value::Any, known))
        | (_, Source::Variable(it), (known, Value::Any))
            if relation == Relation::Equal =>
        {
            equal.heap_mut().set_slot(Slot::Variable(it), known);
        }
        _ => {}
    }
    vec![(go(yes, equal), Surety::Possible), (go(no, heap), Surety::Possible)]
}

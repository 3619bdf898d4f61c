//! What one line of a procedure does to a heap.

use crate::code::{Action, Line, Source};
use crate::grammar::Grammar;
use crate::graph::{Heap, ObjectId, SelectorId, Slot, Value, null};
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
    /// A field of `null` was asked for.
    NullDereference,
    /// An exception was thrown.
    Thrown,
}

/// All that may come of a line. Each is sure if it comes of every heap that this one stands for.
pub fn step(grammar: &Grammar, line: &Line, heap: &Heap) -> Vec<(Next, Surety)> {
    let traced = Traced::new(heap);
    let go = |to: u32, heap: Traced| Next::Line(to, Box::new(heap));
    match &line.action {
        Action::Copy(to, from) => {
            let mut after = traced;
            after.heap_mut().set_slot(Slot::Variable(*to), value(heap, *from));
            vec![(go(line.next, after), Surety::Sure)]
        }
        Action::New(to, kind) => {
            let mut after = traced;
            let object = after.add_object(*kind, Origin::NEW);
            for &selector in &grammar.types.kinds[*kind].selectors {
                after.heap_mut().set_field(object, selector, null());
            }
            after.heap_mut().set_slot(Slot::Variable(*to), Value::Object(object));
            vec![(go(line.next, after), Surety::Sure)]
        }
        Action::Load(to, object, selector) => {
            dereferenced(grammar, &traced, value(heap, *object), *selector, |mut after, found| {
                after.heap_mut().set_slot(Slot::Variable(*to), Value::Object(found.1));
                go(line.next, after)
            })
        }
        Action::Store(object, selector, stored) => {
            let stored = match value(heap, *stored) {
                Value::Object(object) => object,
                Value::Integer(_) | Value::Any => null(),
            };
            dereferenced(grammar, &traced, value(heap, *object), *selector, |mut after, found| {
                after.heap_mut().set_field(found.0, *selector, stored);
                go(line.next, after)
            })
        }
        Action::Call { arguments, .. } => {
            let values = arguments.iter().map(|argument| value(heap, *argument)).collect();
            vec![(Next::Call(values), Surety::Sure)]
        }
        Action::Test { left, right, otherwise } => {
            tested(&traced, (*left, *right), line.next, *otherwise)
        }
        Action::Choose { otherwise } => vec![
            (go(line.next, traced.clone()), Surety::Sure),
            (go(*otherwise, traced), Surety::Sure),
        ],
        Action::Return(result) => {
            let mut after = traced;
            if let Some(result) = result {
                after.heap_mut().set_slot(Slot::Return, value(heap, *result));
            }
            after.heap_mut().retain_slots(|slot| slot == Slot::Return);
            vec![(Next::Return(Box::new(after)), Surety::Sure)]
        }
        Action::Throw => vec![(Next::Thrown, Surety::Sure)],
        Action::Stay => vec![(go(line.next, traced), Surety::Sure)],
    }
}

/// What a source is worth.
fn value(heap: &Heap, source: Source) -> Value {
    match source {
        // What a line reads is live there, hence kept.
        Source::Variable(variable) => heap.slot(Slot::Variable(variable)).expect("it is live"),
        Source::Null => Value::Object(null()),
        Source::Integer(number) => Value::Integer(number),
        Source::Any => Value::Any,
    }
}

/// A field of an object is looked at, in all heaps in which it is there.
fn dereferenced(
    grammar: &Grammar,
    heap: &Traced,
    object: Value,
    selector: SelectorId,
    go_on: impl Fn(Traced, (ObjectId, ObjectId)) -> Next,
) -> Vec<(Next, Surety)> {
    let Value::Object(object) = object else { return Vec::new() };
    if object == null() {
        return vec![(Next::NullDereference, Surety::Sure)];
    }
    let cases = grammar.concretised(heap, object, selector).expect("each field is provided");
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

fn tested(
    heap: &Traced,
    (left, right): (Source, Source),
    yes: u32,
    no: u32,
) -> Vec<(Next, Surety)> {
    let values = (value(heap.heap(), left), value(heap.heap(), right));
    let go = |to: u32, heap: &Traced| Next::Line(to, Box::new(heap.clone()));
    let known = match values {
        (Value::Any, _) | (_, Value::Any) => None,
        (left, right) => Some(left == right),
    };
    if let Some(equal) = known {
        return vec![(go(if equal { yes } else { no }, heap), Surety::Sure)];
    }
    // If a variable of which nothing is known is a number, it is that from now on.
    let mut equal = heap.clone();
    match (left, right, values) {
        (Source::Variable(it), _, (Value::Any, known))
        | (_, Source::Variable(it), (known, Value::Any)) => {
            equal.heap_mut().set_slot(Slot::Variable(it), known);
        }
        _ => {}
    }
    vec![(go(yes, &equal), Surety::Possible), (go(no, heap), Surety::Possible)]
}

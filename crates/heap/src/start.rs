//! The heaps that a procedure is given, with ghosts: abstract ones, which stand for all inputs, and
//! concrete ones, up to a number of objects.
//!
//! `elem` and parameters that are any object of a structure are placed by moving through the
//! grammar: an object is one of the heap, or lies inside a hyperedge; then the hyperedge is
//! replaced by each rule, and the object is one of the new ones or inside a new hyperedge. What
//! lies around the hyperedge is folded, so that finitely many places remain.

use crate::abstraction::{Kept, Lists, abstracted_by};
use crate::atoms::Ghost;
use crate::canonical::{Externals, into_canonical};
use crate::grammar::check::derived;
use crate::grammar::{Grammar, replace};
use crate::graph::{Ends, Heap, NonterminalId, ObjectId, Slot, Value, null};
use crate::machine::Stop;
use crate::text::{Input, Parameter};
use crate::traced::Traced;
use std::collections::BTreeSet;
use tern_model::budget::{Limit, Meter};
use tern_model::index::Id;

/// The heaps that stand for all inputs, in canonical form.
///
/// # Errors
/// The limit that was reached.
pub fn inputs(
    grammar: &Grammar,
    input: &Input,
    ghosts: &[Ghost],
    meter: &mut Meter<'_>,
) -> Result<Vec<Heap>, Stop> {
    made(grammar, input, ghosts, None, meter)
}

/// The concrete inputs with at most so many objects, the smallest first.
///
/// # Errors
/// The limit that was reached.
pub fn concrete(
    grammar: &Grammar,
    input: &Input,
    ghosts: &[Ghost],
    most: usize,
    meter: &mut Meter<'_>,
) -> Result<Vec<Heap>, Limit> {
    let all = made(grammar, input, ghosts, Some(most), meter).map_err(|stop| match stop {
        Stop::Limit(limit) => limit,
        // Concrete heaps have no surroundings that would have to be folded.
        _ => Limit::Effort,
    })?;
    let mut all: Vec<Heap> = all.into_iter().filter(|heap| heap.len() <= most + 1).collect();
    all.sort_by_key(Heap::len);
    Ok(all)
}

/// The heaps that stand for all inputs, or the concrete ones that have at most so many objects in
/// each structure.
fn made(
    grammar: &Grammar,
    input: &Input,
    ghosts: &[Ghost],
    most: Option<usize>,
    meter: &mut Meter<'_>,
) -> Result<Vec<Heap>, Stop> {
    let given = match &input.heaps {
        Some(heaps) => heaps.clone(),
        None => vec![Heap::default()],
    };
    let mut heaps = up_to(grammar, given, most, meter)?;
    let parameters = if input.heaps.is_some() { &[][..] } else { &input.parameters[..] };
    for (number, parameter) in parameters.iter().enumerate() {
        let slot = Slot::Variable(u32::try_from(number).expect("few"));
        if let Parameter::In(_) = parameter {
            continue;
        }
        let mut alternatives = up_to(grammar, structures(grammar, parameter, slot), most, meter)?;
        // Parameters inside this structure are placed before others stand beside it.
        for (inner, other) in input.parameters.iter().enumerate() {
            if *other == Parameter::In(number) {
                let slot = Slot::Variable(u32::try_from(inner).expect("few"));
                alternatives = placed_in_all(grammar, alternatives, slot, meter)?;
            }
        }
        heaps = heaps
            .iter()
            .flat_map(|heap| alternatives.iter().map(|other| beside(heap, other)))
            .collect();
    }
    for (number, ghost) in ghosts.iter().enumerate() {
        let slot = Slot::Ghost(u32::try_from(number).expect("few"));
        heaps = match ghost {
            Ghost::Start(parameter) => {
                for heap in &mut heaps {
                    let value = heap.slot(Slot::Variable(*parameter));
                    heap.set_slot(slot, value.unwrap_or(Value::Object(null())));
                }
                heaps
            }
            Ghost::Named(name) => {
                for heap in &mut heaps {
                    let value = heap.slot(named_slot(*name as usize));
                    heap.set_slot(slot, value.unwrap_or(Value::Object(null())));
                }
                heaps
            }
            Ghost::Element => placed_in_all(grammar, heaps, slot, meter)?,
            Ghost::ElementField(field) => fields_of_element(grammar, heaps, ghosts, slot, field),
        };
    }
    for heap in &mut heaps {
        heap.retain_slots(|slot| match slot {
            Slot::Ghost(number) => (number as usize) < ghosts.len(),
            _ => true,
        });
    }
    let forms: BTreeSet<Heap> =
        heaps.into_iter().map(|heap| into_canonical(heap, Externals::Ordered).heap).collect();
    Ok(forms.into_iter().collect())
}

/// Where a heap that is given has the objects that have names, by their numbers.
pub fn named_slot(number: usize) -> Slot {
    Slot::Ghost(NAMED + u32::try_from(number).unwrap_or(u32::MAX - NAMED))
}

/// How many surroundings of an object are looked at, and how many objects one may have.
const MOST_PLACES: usize = 2_000;
const MOST_AROUND: usize = 40;

/// The first slot of named objects; ghosts are fewer.
const NAMED: u32 = 1 << 20;

/// The concrete heaps that some heaps stand for, with at most so many objects, if there is such a
/// bound; else the heaps themselves.
fn up_to(
    grammar: &Grammar,
    heaps: Vec<Heap>,
    most: Option<usize>,
    meter: &mut Meter<'_>,
) -> Result<Vec<Heap>, Limit> {
    let Some(most) = most else { return Ok(heaps) };
    let mut all = BTreeSet::new();
    for heap in heaps {
        all.extend(derived(grammar, &heap, most, meter)?);
    }
    Ok(all.into_iter().collect())
}

/// The heaps of one parameter alone.
fn structures(grammar: &Grammar, parameter: &Parameter, slot: Slot) -> Vec<Heap> {
    let with = |value: Value| {
        let mut heap = Heap::default();
        heap.set_slot(slot, value);
        heap
    };
    match parameter {
        Parameter::Null | Parameter::In(_) => vec![with(Value::Object(null()))],
        Parameter::Integer(number) => vec![with(Value::Integer(*number))],
        Parameter::Any => vec![with(Value::Any)],
        Parameter::Shape { shape, nullable } => {
            let rooted = grammar.shapes[*shape].heaps.iter().map(|heap| {
                let mut heap = heap.clone();
                let root = heap.externals()[0];
                heap.set_externals(Vec::new());
                heap.set_slot(slot, Value::Object(root));
                heap
            });
            nullable.then(|| with(Value::Object(null()))).into_iter().chain(rooted).collect()
        }
    }
}

/// Two heaps side by side; only `null` is common.
fn beside(heap: &Heap, other: &Heap) -> Heap {
    let mut all = heap.clone();
    add_beside(&mut all, other);
    for &(slot, value) in other.slots() {
        let value = match value {
            Value::Object(object) if object != null() => {
                Value::Object(ObjectId::new(object.index() + heap.len() - 1))
            }
            other => other,
        };
        all.set_slot(slot, value);
    }
    all
}

/// Puts the objects, fields and hyperedges of a heap beside those of another. What its first object
/// has become; the others come behind it, in order.
pub fn add_beside(all: &mut Heap, other: &Heap) -> ObjectId {
    let shift = all.len() - 1;
    let moved = |object: ObjectId| match object {
        it if it == null() => it,
        it => ObjectId::new(it.index() + shift),
    };
    for object in other.objects().skip(1) {
        all.add_object(other.kind(object).expect("it is not null"));
    }
    for object in other.objects().skip(1) {
        for &(selector, to) in other.fields(object) {
            all.set_field(moved(object), selector, moved(to));
        }
    }
    for edge in other.edges() {
        let at: Ends = edge.at.iter().map(|&it| moved(it)).collect();
        all.add_edge(edge.label, at);
    }
    ObjectId::new(shift + 1)
}

fn placed_in_all(
    grammar: &Grammar,
    heaps: Vec<Heap>,
    slot: Slot,
    meter: &mut Meter<'_>,
) -> Result<Vec<Heap>, Stop> {
    let mut all = Vec::new();
    for heap in heaps {
        all.extend(placed(grammar, &heap, slot, meter)?);
    }
    Ok(all)
}

/// The heap with a slot at each object that it has or stands for.
fn placed(
    grammar: &Grammar,
    heap: &Heap,
    slot: Slot,
    meter: &mut Meter<'_>,
) -> Result<Vec<Heap>, Stop> {
    let mut found: BTreeSet<Heap> = BTreeSet::new();
    let mut place = |heap: &Heap, object: ObjectId| {
        let mut heap = heap.clone();
        heap.set_externals(Vec::new());
        heap.set_slot(slot, Value::Object(object));
        found.insert(into_canonical(heap, Externals::Ordered).heap);
    };
    heap.objects().skip(1).for_each(|object| place(heap, object));
    // A hyperedge in which the object lies is taken out; what it was attached to is external.
    let mut seen: BTreeSet<(NonterminalId, Heap)> = BTreeSet::new();
    let mut open: Vec<(NonterminalId, Heap)> = Vec::new();
    let mut lists = Lists::default();
    for edge in 0..heap.edges().len() {
        open.push(without(grammar, heap, edge, &mut lists, meter)?);
    }
    while let Some((label, around)) = open.pop() {
        meter.tick()?;
        if !seen.insert((label, around.clone())) {
            continue;
        }
        if seen.len() > MOST_PLACES || around.len() > MOST_AROUND {
            return Err(Stop::Places(seen.len() - 1));
        }
        for rule in &grammar.nonterminals[label].rules {
            let mut whole = around.clone();
            let before = (around.len(), around.edges().len());
            whole.add_edge(label, around.externals());
            replace(&mut whole, before.1, rule);
            whole.objects().skip(before.0).for_each(|object| place(&whole, object));
            for edge in before.1..whole.edges().len() {
                open.push(without(grammar, &whole, edge, &mut lists, meter)?);
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// A heap without a hyperedge, folded, and the nonterminal of that.
fn without(
    grammar: &Grammar,
    heap: &Heap,
    edge: usize,
    lists: &mut Lists,
    meter: &mut Meter<'_>,
) -> Result<(NonterminalId, Heap), Limit> {
    let mut heap = Traced::new(heap);
    let (edge, _) = heap.remove_edge(edge);
    heap.heap_mut().set_externals(edge.at.to_vec());
    abstracted_by(lists, grammar, &mut heap, Kept::within(1), meter)?;
    Ok((edge.label, heap.canonical(Externals::Ordered).0))
}

/// The heaps in which a field of `elem` is there, with its target in a slot.
fn fields_of_element(
    grammar: &Grammar,
    heaps: Vec<Heap>,
    ghosts: &[Ghost],
    slot: Slot,
    field: &str,
) -> Vec<Heap> {
    let element = ghosts.iter().position(|it| *it == Ghost::Element);
    let element = element.and_then(|it| u32::try_from(it).ok()).map(Slot::Ghost);
    let mut all = Vec::new();
    for heap in heaps {
        let object = match element.and_then(|slot| heap.slot(slot)) {
            Some(Value::Object(object)) => object,
            _ => null(),
        };
        let selector = heap.kind(object).and_then(|kind| grammar.types.selector(kind, field));
        let Some(selector) = selector else {
            all.push(heap);
            continue;
        };
        let cases = grammar.cases(&heap, object, selector);
        for mut heap in cases.unwrap_or_default() {
            let target = heap.field(object, selector).expect("it is there now");
            heap.set_slot(slot, Value::Object(target));
            all.push(heap);
        }
    }
    all
}

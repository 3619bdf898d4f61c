//! Calls: what a callee is given of the heap, and how the rest goes on when it is back.
//!
//! The *scope* of a call is what its arguments reach. The callee works on the scope alone. Objects
//! of the scope that somebody else knows too are *cutpoints*: external in the heap of the callee,
//! in an order that depends on that heap only, so that equal calls are one. When the callee is
//! back, its heap takes the place of the scope, with externals at the cutpoints.
//!
//! The scope may be made *narrow*: what the arguments reach by fields that the callee reads. In a
//! tree whose objects know their parents, a callee that reads `left` and `right` is given a
//! subtree, and not all of the tree with a cutpoint for each frame that waits. Fields of objects of
//! the scope that lead out of it and are not written stay outside: the callee has an external that
//! lacks them. If they may be written, the callee has them, and what they lead to is an external
//! without any fields.

use crate::abstraction::{collect_garbage, leads_by, reachable_by};
use crate::code::Effects;
use crate::grammar::Grammar;
use crate::graph::{Heap, Hyperedge, ObjectId, SelectorId, Slot, Value, null};
use crate::traced::{Origin, Traced};
use tern_model::index::Id;

/// What is left of the heap of a caller while a callee runs.
#[derive(Clone, Debug)]
pub struct Outside {
    /// The heap without the scope, but for the cutpoints. Origins count from the heap at the call.
    rest: Traced,
    /// The cutpoints, in the order of the externals of the callee.
    cutpoints: Vec<ObjectId>,
}

/// Splits a heap at a call. Its slots must be those that are needed afterwards. The heap of the
/// callee has the arguments in the slots of its first variables, and is as it was otherwise.
/// The last part says whether objects were lost that were not freed.
///
/// If all of the heap is wanted, the scope is not what the arguments reach, but everything. If the
/// effects of the callee are named, it is what the arguments reach by the fields that it reads:
/// see the beginning.
pub fn split(
    grammar: &Grammar,
    heap: &Traced,
    arguments: &[Value],
    all: bool,
    effects: Option<&Effects>,
) -> (Traced, Outside, bool) {
    let reads = |selector: SelectorId| effects.is_none_or(|it| it.reads.contains(&selector));
    let writes = |selector: SelectorId| effects.is_none_or(|it| it.writes.contains(&selector));
    let given = heap;
    let (mut whole, unchanged) = (heap.clone(), arguments.to_vec());
    // Arguments are kept alive by slots that nobody else has.
    let slot = |position: usize| Slot::Ghost(u32::MAX - u32::try_from(position).expect("few"));
    for (position, &value) in arguments.iter().enumerate() {
        whole.heap_mut().set_slot(slot(position), value);
    }
    let lost = collect_garbage(grammar, &mut whole);
    let arguments: Vec<Value> = (0..arguments.len())
        .map(|position| whole.heap().slot(slot(position)).expect("it was set"))
        .collect();
    whole.heap_mut().retain_slots(|it| !(0..arguments.len()).any(|position| slot(position) == it));
    let heap = whole.heap();
    let objects = arguments.iter().filter_map(|value| match value {
        Value::Object(object) => Some(*object),
        _ => None,
    });
    let inside = match all {
        true => vec![true; heap.len()],
        false => reachable_by(grammar, heap, objects, reads),
    };
    let leads = |edge: &Hyperedge, follow: &dyn Fn(SelectorId) -> bool| {
        edge.at.iter().any(|&at| inside[at.index()] && leads_by(grammar, edge, at, follow))
    };
    let edge_inside: Vec<bool> = heap.edges().iter().map(|edge| leads(edge, &reads)).collect();
    let mut edges = heap.edges().iter().zip(&edge_inside);
    if edges.any(|(edge, inside)| !inside && leads(edge, &writes)) {
        // A field that may be written is not told apart from what lies outside.
        return split(grammar, given, &unchanged, all, None);
    }
    let mut known = known_outside(heap, &inside, &edge_inside);
    // Fields that lead out of the scope: those that are not written stay outside.
    let mut staying: Vec<(ObjectId, SelectorId)> = Vec::new();
    let mut stubs = vec![false; heap.len()];
    for object in heap.objects().filter(|it| inside[it.index()]) {
        for &(selector, to) in heap.fields(object).iter().filter(|(_, to)| !inside[to.index()]) {
            if writes(selector) {
                stubs[to.index()] = true;
            } else {
                staying.push((object, selector));
                known[object.index()] = true;
            }
        }
    }
    let cutpoints: Vec<ObjectId> =
        heap.objects().filter(|it| known[it.index()] || stubs[it.index()]).collect();

    let mut callee = whole.clone();
    let remove = |heap: &mut Traced, inside: bool| {
        for edge in (0..edge_inside.len()).rev().filter(|&edge| edge_inside[edge] == inside) {
            heap.remove_edge(edge);
        }
    };
    remove(&mut callee, false);
    callee.heap_mut().retain_slots(|_| false);
    callee.heap_mut().set_externals(cutpoints.clone());
    for (position, &value) in arguments.iter().enumerate() {
        callee.heap_mut().set_slot(Slot::Variable(u32::try_from(position).expect("few")), value);
    }
    staying.iter().for_each(|&(object, it)| callee.heap_mut().remove_field(object, it));
    for object in heap_objects(callee.heap()).filter(|it| stubs[it.index()]) {
        without_fields(&mut callee, object, |_| true);
    }
    callee.heap_mut().forget_numbers(|it| !inside[it.index()]);
    let keep: Vec<bool> =
        inside.iter().zip(&stubs).map(|(&inside, &stub)| inside || stub).collect();
    callee.retain_objects(&keep);

    let mut rest = whole;
    remove(&mut rest, true);
    for object in heap_objects(rest.heap()).filter(|it| inside[it.index()]) {
        without_fields(&mut rest, object, |selector| !staying.contains(&(object, selector)));
    }
    rest.heap_mut().forget_numbers(|it| inside[it.index()]);
    let keep: Vec<bool> = heap_objects(rest.heap())
        .map(|it| !inside[it.index()] || known[it.index()] || it == null())
        .collect();
    let number = |object: &ObjectId| {
        ObjectId::new(keep[..object.index()].iter().filter(|&&kept| kept).count())
    };
    let cutpoints = cutpoints.iter().map(number).collect();
    rest.retain_objects(&keep);
    (callee, Outside { rest, cutpoints }, lost)
}

fn heap_objects(heap: &Heap) -> impl DoubleEndedIterator<Item = ObjectId> + use<> {
    heap.objects()
}

/// Leaves some fields of an object out.
fn without_fields(heap: &mut Traced, object: ObjectId, some: impl Fn(SelectorId) -> bool) {
    let fields: Vec<_> = heap.heap().fields(object).to_vec();
    for (selector, _) in fields.into_iter().filter(|it| some(it.0)) {
        heap.heap_mut().remove_field(object, selector);
    }
}

/// The objects of the scope that somebody outside knows.
fn known_outside(heap: &Heap, inside: &[bool], edge_inside: &[bool]) -> Vec<bool> {
    let mut known = vec![false; heap.len()];
    heap.each_root(|root| known[root.index()] = true);
    for object in heap.objects().filter(|it| !inside[it.index()]) {
        heap.fields(object).iter().for_each(|(_, to)| known[to.index()] = true);
    }
    for (edge, _) in heap.edges().iter().zip(edge_inside).filter(|(_, inside)| !**inside) {
        edge.at.iter().for_each(|at| known[at.index()] = true);
    }
    known
        .iter()
        .zip(inside)
        .enumerate()
        .map(|(i, (&known, &inside))| i > 0 && known && inside)
        .collect()
}

impl Outside {
    /// Puts the cutpoints in another order: `order[i]` is the place before of what is now in place
    /// i.
    pub fn reorder(&mut self, order: &[usize]) {
        self.cutpoints = order.iter().map(|&it| self.cutpoints[it]).collect();
    }

    /// The object of the heap of the callee that a slot of the caller refers to, if that is there.
    /// The cutpoints must not have been put in another order.
    pub fn inside_of(&self, slot: Slot, callee: &Traced) -> Option<ObjectId> {
        let Some(Value::Object(object)) = self.rest.heap().slot(slot) else { return None };
        let position = self.cutpoints.iter().position(|&it| it == object)?;
        callee.heap().externals().get(position).copied()
    }

    /// What lies outside of the heap of the callee, without the names that anybody has for it, but
    /// perhaps for ghosts. Its externals are those of the callee. `around` is the same of the
    /// caller.
    pub fn around(&self, around: Option<&Heap>, ghosts: bool) -> Traced {
        let (mut heap, image) = match around {
            Some(around) => glued(around, self.rest.heap()),
            None => (self.rest.clone(), self.rest.heap().objects().collect()),
        };
        heap.heap_mut().retain_slots(|slot| ghosts && matches!(slot, Slot::Ghost(_)));
        let externals = self.cutpoints.iter().map(|it| image[it.index()]).collect();
        heap.heap_mut().set_externals(externals);
        heap
    }

    /// The heap after the call: what the callee left takes the place of the scope. What it returned
    /// goes to a slot. Parts of the heap that the callee left have numbers from `first` on, as
    /// origins. With it comes, for each object of the callee, the object that it is now.
    pub fn joined(&self, result: &Heap, to: Option<Slot>, first: usize) -> (Traced, Vec<ObjectId>) {
        let mut heap = self.rest.clone();
        let origin = |part: usize| Origin::part(first + part);
        let mut image = vec![null(); result.len()];
        for (external, &cutpoint) in result.externals().iter().zip(&self.cutpoints) {
            image[external.index()] = cutpoint;
            // It may have been freed.
            if let Some(kind) = result.kind(*external) {
                heap.heap_mut().set_kind(cutpoint, kind);
            }
        }
        for object in result.objects().skip(1) {
            if !result.externals().contains(&object) {
                let kind = result.kind(object).expect("it is not null");
                image[object.index()] = heap.add_object(kind, origin(object.index()));
            }
        }
        for object in result.objects() {
            for &(selector, target) in result.fields(object) {
                let (from, target) = (image[object.index()], image[target.index()]);
                heap.heap_mut().set_field(from, selector, target);
            }
        }
        for &(object, field, number) in result.numbers() {
            heap.heap_mut().set_number(image[object.index()], field, Some(number));
        }
        for (number, edge) in result.edges().iter().enumerate() {
            let at = edge.at.iter().map(|it| image[it.index()]).collect();
            heap.add_edge(edge.label, at, origin(result.len() + number));
        }
        if let (Some(to), Some(value)) = (to, result.slot(Slot::Return)) {
            let value = match value {
                Value::Object(object) => Value::Object(image[object.index()]),
                other => other,
            };
            heap.heap_mut().set_slot(to, value);
        }
        (heap, image)
    }
}

/// A heap and what lies around it, put together at their externals, with the names of both. With it
/// comes, for each object of the heap, the object that it is now.
pub fn glued(around: &Heap, inside: &Heap) -> (Traced, Vec<ObjectId>) {
    let outside = Outside { rest: Traced::new(around), cutpoints: around.externals().to_vec() };
    let (mut all, image) = outside.joined(inside, None, 0);
    for &(slot, value) in inside.slots() {
        let value = match value {
            Value::Object(object) => Value::Object(image[object.index()]),
            other => other,
        };
        all.heap_mut().set_slot(slot, value);
    }
    all.heap_mut().set_externals(Vec::new());
    (all, image)
}

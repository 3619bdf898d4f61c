//! What shapes stand for, and whether a heap that was folded is of one.
//!
//! A heap that is folded to a heap of a shape is of that shape. But a heap of a shape may be
//! folded on, to a *form* that stands for more: with rules for lists `x.next = null` is folded to a
//! list of any length. Such a form is *exact* only if all that it stands for is of the shape: if a
//! field is looked at somewhere, and what it becomes in each case can be folded to a heap of the
//! shape.

use crate::abstraction::{Kept, abstracted};
use crate::canonical::{Externals, canonical};
use crate::grammar::Grammar;
use crate::grammar::check::all_folded;
use crate::graph::{Heap, ObjectId, Slot, Value, null};
use crate::traced::Traced;
use std::collections::{BTreeMap, BTreeSet};
use tern_model::Tri;
use tern_model::budget::{Limit, Meter};
use tern_model::index::Id;

/// Where the root of what is asked about a shape is.
pub(crate) const ROOT: Slot = Slot::Variable(0);

/// How many heaps are looked at to find out whether a heap has a shape.
const MOST_FOLDED: usize = 5_000;

/// The heaps of a shape, and what they are folded to.
pub(crate) struct Forms {
    heaps: BTreeSet<Heap>,
    /// With each whether it is exact.
    forms: BTreeMap<Heap, bool>,
}

impl Forms {
    /// The forms of a shape with its root in a slot, or, if nothing is to have a name, without.
    pub(crate) fn new(
        grammar: &Grammar,
        shape: usize,
        rooted: bool,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let (mut heaps, mut forms) = (BTreeSet::new(), BTreeMap::new());
        for heap in &grammar.shapes[shape].heaps {
            let mut heap = heap.clone();
            let root = heap.externals()[0];
            unname(&mut heap);
            if rooted {
                heap.set_slot(ROOT, Value::Object(root));
            }
            heaps.insert(canonical(&heap, Externals::Ordered).heap);
            let mut heap = Traced::from(heap);
            abstracted(grammar, &mut heap, Kept::within(0), meter)?;
            forms.insert(heap.canonical(Externals::Ordered).0, false);
        }
        for (form, exact) in &mut forms {
            *exact = is_exact(grammar, form, &heaps, meter)?;
        }
        Ok(Forms { heaps, forms })
    }

    /// What it says of a heap that it is folded to a form: nothing if that is none of the shape.
    pub(crate) fn says(&self, form: &Heap) -> Option<Tri> {
        let exact = self.forms.get(form)?;
        Some(if *exact { Tri::True } else { Tri::Unknown })
    }

    /// Whether a heap without hyperedges is of the shape, by all ways to fold it.
    pub(crate) fn decide(
        &self,
        grammar: &Grammar,
        heap: &Traced,
        meter: &mut Meter<'_>,
    ) -> Result<Tri, Limit> {
        let nothing = |heap: &Heap| vec![false; heap.len()];
        let mut found = false;
        let done = all_folded(grammar, heap, nothing, MOST_FOLDED, meter, |heap| {
            found |= self.heaps.contains(heap) || self.says(heap) == Some(Tri::True);
            found
        })?;
        Ok(match (found, done) {
            (true, _) => Tri::True,
            (false, true) => Tri::False,
            (false, false) => Tri::Unknown,
        })
    }
}

/// Whether all that a form stands for is of a shape.
fn is_exact(
    grammar: &Grammar,
    form: &Heap,
    heaps: &BTreeSet<Heap>,
    meter: &mut Meter<'_>,
) -> Result<bool, Limit> {
    if heaps.contains(form) {
        return Ok(true);
    }
    let nothing = |heap: &Heap| vec![false; heap.len()];
    for object in form.objects().skip(1) {
        let kind = form.kind(object).expect("it is not null");
        for &selector in &grammar.types.kinds[kind].selectors {
            if form.field(object, selector).is_some() {
                continue;
            }
            let cases = grammar.cases(form, object, selector).unwrap_or_default();
            let mut covered = !cases.is_empty();
            for case in cases {
                let mut found = false;
                let case = Traced::from(case);
                all_folded(grammar, &case, nothing, MOST_FOLDED, meter, |heap| {
                    found |= heaps.contains(heap);
                    found
                })?;
                covered &= found;
            }
            if covered {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Takes all names from the objects of a heap, and what is no matter of its shape.
pub(crate) fn unname(heap: &mut Heap) {
    heap.forget_numbers(|_| true);
    heap.retain_slots(|_| false);
    heap.set_externals(Vec::new());
}

/// A form of heaps in which nothing has a name, the same of isomorphic ones. If there are one or
/// two objects that nothing leads to, these are given names, in each order: from there forms are
/// found by a walk, and the least is taken.
pub(crate) fn form_of_unnamed(heap: &Heap) -> Heap {
    let mut is_led_to = vec![false; heap.len()];
    for object in heap.objects() {
        heap.fields(object).iter().for_each(|(_, to)| is_led_to[to.index()] = true);
    }
    for edge in heap.edges() {
        edge.at.iter().skip(1).for_each(|to| is_led_to[to.index()] = true);
    }
    let firsts: Vec<ObjectId> =
        heap.objects().skip(1).filter(|it| !is_led_to[it.index()]).collect();
    let named = |order: &[ObjectId]| {
        let mut heap = heap.clone();
        for (number, &first) in (0..).zip(order) {
            heap.set_slot(Slot::Variable(number), Value::Object(first));
        }
        canonical(&heap, Externals::Ordered).heap
    };
    match firsts[..] {
        [_] => named(&firsts),
        [one, other] => named(&firsts).min(named(&[other, one])),
        _ => named(&[]),
    }
}

/// Whether all objects hang together, whichever way fields lead.
pub(crate) fn is_connected(heap: &Heap) -> bool {
    let mut links: Vec<Vec<ObjectId>> = vec![Vec::new(); heap.len()];
    let mut link = |some: &[ObjectId]| {
        for &a in some.iter().filter(|it| **it != null()) {
            links[a.index()].extend(some.iter().filter(|it| **it != null()));
        }
    };
    for object in heap.objects() {
        heap.fields(object).iter().for_each(|&(_, to)| link(&[object, to]));
    }
    heap.edges().iter().for_each(|edge| link(&edge.at));
    let mut seen = vec![false; heap.len()];
    let mut open: Vec<ObjectId> = heap.objects().skip(1).take(1).collect();
    while let Some(object) = open.pop() {
        if !std::mem::replace(&mut seen[object.index()], true) {
            open.extend(&links[object.index()]);
        }
    }
    seen[1..].iter().all(|&it| it)
}

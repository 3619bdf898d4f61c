//! Canonical forms: heaps are equal in canonical form exactly if they are isomorphic.
//!
//! An isomorphism keeps `null`, types, fields, hyperedges with the order of their tentacles, slots,
//! and externals: each at its position, or ([`Externals::Unordered`]) as a set.
//!
//! Objects get colours by what names them, and are told apart further by the colours of their
//! neighbours until nothing changes (colour refinement). Colours are ranks of sorted signatures, so
//! they do not depend on numbers of objects. Where objects still have the same colour, each of the
//! first such class is given a colour of its own in turn, and refinement goes on (individualise and
//! refine). Every way that ends with all objects told apart numbers the heap; the least of the
//! heaps so numbered is the canonical form. As every step is independent of the numbers that
//! objects had, isomorphic heaps have the same set of candidates, hence the same least one. Of
//! choices that an automorphism takes to each other one is enough; that is seen by the first
//! numbering that comes of each.
//!
//! In heaps of programs nearly everything can be named from a variable. Then none of this is
//! needed: a walk from the variables, which goes on in an order that is the same in isomorphic
//! heaps, comes to all objects, and numbers them.

use crate::graph::{Heap, NumberId, ObjectId, Slot, Value, null};
use tern_model::index::Id;

/// Whether the order of externals counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Externals {
    /// It does: external 0 is matched with external 0.
    Ordered,
    /// It does not; in the canonical form they are in the order of their numbers.
    Unordered,
}

/// A heap in canonical form, and how it came about.
#[derive(Clone, Debug)]
pub struct Canonical {
    /// The canonical form.
    pub heap: Heap,
    /// For each object of the canonical form, the object it was.
    pub objects: Vec<ObjectId>,
    /// For each hyperedge of the canonical form, the one it was.
    pub edges: Vec<usize>,
}

/// The canonical form of a heap.
pub fn canonical(heap: &Heap, externals: Externals) -> Canonical {
    into_canonical(heap.clone(), externals)
}

/// The canonical form of a heap that is given away: it may have it already.
pub fn into_canonical(heap: Heap, externals: Externals) -> Canonical {
    let Some(numbers) = walked(&heap, externals) else {
        let colours = refine(&heap, initial(&heap, externals));
        return Search { heap: &heap, externals }.least(&colours);
    };
    let is_same =
        externals == Externals::Ordered && numbers.is_sorted() && heap.edges().is_sorted();
    if !is_same {
        return numbered(heap, &numbers, externals);
    }
    let (objects, edges) = (heap.objects().collect(), (0..heap.edges().len()).collect());
    Canonical { heap, objects, edges }
}

/// A heap whose objects are being told apart.
struct Search<'h> {
    heap: &'h Heap,
    externals: Externals,
}

impl Search<'_> {
    /// The colours if an object is told apart from others of its colour: just below that, which
    /// nothing else is.
    fn told(&self, colours: &[u32], object: usize) -> Vec<u32> {
        let mut told: Vec<u32> = colours.iter().map(|colour| 2 * colour + 1).collect();
        told[object] -= 1;
        refine(self.heap, told)
    }

    /// Whether each two of some objects can change places.
    fn are_alike(&self, class: &[usize]) -> bool {
        let form = |numbers: Vec<usize>| {
            let to: Vec<u32> = numbers.iter().map(|&it| u32::try_from(it).expect("few")).collect();
            numbered(self.heap.clone(), &to, self.externals).heap
        };
        let same: Vec<usize> = (0..self.heap.len()).collect();
        let whole = form(same.clone());
        class[1..].iter().all(|&other| {
            let mut changed = same.clone();
            changed.swap(class[0], other);
            form(changed) == whole
        })
    }

    /// The form that comes of taking the first object each time.
    fn first(&self, mut colours: Vec<u32>) -> Heap {
        while let Some(class) = first_class(&colours) {
            colours = self.told(&colours, class[0]);
        }
        numbered(self.heap.clone(), &colours, self.externals).heap
    }

    /// The least form that comes of some colours.
    fn least(&self, colours: &[u32]) -> Canonical {
        let Some(class) = first_class(colours) else {
            return numbered(self.heap.clone(), colours, self.externals);
        };
        if self.are_alike(&class) {
            // Whatever order they are put in, the heap is the same.
            let count = u32::try_from(class.len()).expect("few");
            let mut told: Vec<u32> = colours.iter().map(|colour| colour * count).collect();
            (0..).zip(&class).for_each(|(place, &object)| told[object] += place);
            return self.least(&refine(self.heap, told));
        }
        let mut tried: Vec<(Vec<u32>, Heap)> = Vec::new();
        let mut least: Option<Canonical> = None;
        for &object in &class {
            let told = self.told(colours, object);
            let mut sizes = told.clone();
            sizes.sort_unstable();
            let first = (sizes, self.first(told.clone()));
            // If two numberings give the same heap, some automorphism takes one to the other. With
            // as many objects of each colour it takes colours to colours, hence everything that
            // comes of the one choice to what comes of the other.
            if tried.contains(&first) {
                continue;
            }
            tried.push(first);
            let found = self.least(&told);
            if least.as_ref().is_none_or(|least| found.heap < least.heap) {
                least = Some(found);
            }
        }
        least.expect("a class has objects")
    }
}

/// The numbers that objects get on a walk from what is named, if it comes to all of them. Fields
/// are followed in the order of their selectors, then hyperedges in the order of their labels and
/// tentacles, but for those of which an object has several alike. Whether a walk comes everywhere
/// does not depend on the numbers that objects had, nor does the order in which it does.
fn walked(heap: &Heap, externals: Externals) -> Option<Vec<u32>> {
    const NONE: u32 = u32::MAX;
    let mut numbers = vec![NONE; heap.len()];
    let mut order: Vec<ObjectId> = Vec::with_capacity(heap.len());
    let mut come = |object: ObjectId, order: &mut Vec<ObjectId>| {
        if numbers[object.index()] == NONE {
            numbers[object.index()] = u32::try_from(order.len()).unwrap_or(NONE);
            order.push(object);
        }
    };
    come(null(), &mut order);
    for &(_, value) in heap.slots() {
        if let Value::Object(object) = value {
            come(object, &mut order);
        }
    }
    if externals == Externals::Ordered {
        heap.externals().iter().for_each(|&it| come(it, &mut order));
    }
    let mut next = 1;
    while let Some(&object) = order.get(next).filter(|_| order.len() < heap.len()) {
        next += 1;
        heap.fields(object).iter().for_each(|&(_, to)| come(to, &mut order));
        // Nearly always there is at most one hyperedge.
        let mut last = None;
        loop {
            let (mut least, mut alike) = (None, 0);
            for edge in heap.edges() {
                for (tentacle, _) in edge.at.iter().enumerate().filter(|(_, it)| **it == object) {
                    let name = (edge.label, tentacle);
                    if last.is_some_and(|last| name <= last) {
                        continue;
                    }
                    match least {
                        Some((known, _)) if name > known => {}
                        Some((known, _)) if name == known => alike += 1,
                        _ => (least, alike) = (Some((name, edge)), 1),
                    }
                }
            }
            let Some((name, edge)) = least else { break };
            last = Some(name);
            if alike == 1 {
                edge.at.iter().for_each(|&it| come(it, &mut order));
            }
        }
    }
    (order.len() == heap.len()).then_some(numbers)
}

/// The objects of the first colour that several have.
fn first_class(colours: &[u32]) -> Option<Vec<usize>> {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); colours.len()];
    for (object, &colour) in colours.iter().enumerate() {
        members[colour as usize].push(object);
    }
    members.into_iter().find(|members| members.len() > 1)
}

fn numbered(heap: Heap, colours: &[u32], externals: Externals) -> Canonical {
    // Null has the least colour, hence number 0 again.
    let mut objects = vec![null(); colours.len()];
    for (old, &colour) in colours.iter().enumerate() {
        objects[colour as usize] = ObjectId::new(old);
    }
    let (mut heap, edges) = heap.renumbered(&objects);
    if externals == Externals::Unordered {
        heap.sort_externals();
    }
    Canonical { heap, objects, edges }
}

/// Ranks of things, as dense colours.
fn ranks<T: Ord>(signatures: &[T]) -> Vec<u32> {
    let mut sorted: Vec<&T> = signatures.iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    let rank = |it: &T| sorted.binary_search(&it).expect("it is one of them");
    signatures.iter().map(|signature| u32::try_from(rank(signature)).expect("few")).collect()
}

/// What names an object.
fn initial(heap: &Heap, externals: Externals) -> Vec<u32> {
    let signature = |object: ObjectId| {
        let slots: Vec<Slot> = heap
            .slots()
            .iter()
            .filter(|&&(_, value)| value == Value::Object(object))
            .map(|&(slot, _)| slot)
            .collect();
        let places = heap.externals().iter().enumerate().filter(|&(_, &it)| it == object);
        let places: Vec<usize> = match externals {
            Externals::Ordered => places.map(|(position, _)| position).collect(),
            Externals::Unordered => places.map(|_| 0).collect(),
        };
        let own = heap.numbers().iter().filter(|it| it.0 == object);
        let numbers: Vec<(NumberId, i64)> = own.map(|&(_, field, it)| (field, it)).collect();
        (object != null(), heap.kind(object), slots, places, numbers)
    };
    ranks(&heap.objects().map(signature).collect::<Vec<_>>())
}

/// Tells objects apart by the colours of their neighbours, until nothing changes.
fn refine(heap: &Heap, mut colours: Vec<u32>) -> Vec<u32> {
    colours = ranks(&colours);
    let mut count = classes(&colours);
    loop {
        let colour = |object: &ObjectId| colours[object.index()];
        // The colour so far comes first, so that classes only ever split. Of the colours around,
        // the first stands alone: fields have no other.
        type Link = (u32, u32, u32, Vec<u32>);
        let mut signatures: Vec<(u32, Vec<Link>)> =
            colours.iter().map(|&colour| (colour, Vec::new())).collect();
        for object in heap.objects() {
            for (selector, to) in heap.fields(object) {
                let selector = u32::try_from(selector.index()).expect("few");
                signatures[object.index()].1.push((0, selector, colour(to), Vec::new()));
                signatures[to.index()].1.push((1, selector, colour(&object), Vec::new()));
            }
        }
        for edge in heap.edges() {
            let label = u32::try_from(edge.label.index()).expect("few");
            let Some((first, others)) = edge.at.split_first() else { continue };
            let (first, others) = (colour(first), others.iter().map(colour).collect::<Vec<_>>());
            for (tentacle, object) in edge.at.iter().enumerate() {
                let tentacle = u32::try_from(tentacle).expect("few");
                signatures[object.index()].1.push((2 + tentacle, label, first, others.clone()));
            }
        }
        signatures.iter_mut().for_each(|(_, links)| links.sort_unstable());
        let finer = ranks(&signatures);
        let now = classes(&finer);
        colours = finer;
        // Objects that are all told apart stay so.
        if now == count || now as usize == heap.len() {
            return colours;
        }
        count = now;
    }
}

fn classes(colours: &[u32]) -> u32 {
    colours.iter().max().map_or(0, |most| most + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{NonterminalId, SelectorId, TypeId};
    use rustc_hash::FxHashMap;

    /// All heaps of so many objects beside null, of one type, in which each object has the fields
    /// 0..selectors (or lacks them), slot 0 names null or an object, and perhaps a hyperedge of
    /// rank 2 lies somewhere.
    fn heaps(objects: usize, selectors: usize, with_edge: bool) -> Vec<Heap> {
        let targets = objects + 2; // each object, null, or left out
        let cells = objects * selectors;
        let edges = if with_edge { (objects + 1) * (objects + 1) + 1 } else { 1 };
        let mut all = Vec::new();
        for code in 0..targets.pow(u32::try_from(cells).expect("few")) * (objects + 1) * edges {
            let (mut rest, mut heap) = (code, Heap::default());
            let mut digit = |base: usize| {
                let it = rest % base;
                rest /= base;
                it
            };
            for _ in 0..objects {
                heap.add_object(TypeId::new(0));
            }
            for cell in 0..cells {
                let target = digit(targets);
                if target <= objects {
                    let (object, selector) = (1 + cell / selectors, cell % selectors);
                    heap.set_field(
                        ObjectId::new(object),
                        SelectorId::new(selector),
                        ObjectId::new(target),
                    );
                }
            }
            heap.set_slot(Slot::Variable(0), Value::Object(ObjectId::new(digit(objects + 1))));
            let edge = digit(edges);
            if edge > 0 {
                let (a, b) = ((edge - 1) / (objects + 1), (edge - 1) % (objects + 1));
                heap.add_edge(NonterminalId::new(0), [ObjectId::new(a), ObjectId::new(b)]);
            }
            all.push(heap);
        }
        all
    }

    fn permutations(objects: usize) -> Vec<Vec<ObjectId>> {
        let mut all = vec![vec![0]];
        for next in 1..=objects {
            all = all
                .into_iter()
                .flat_map(|old: Vec<usize>| {
                    (1..=old.len()).map(move |at| {
                        let mut new = old.clone();
                        new.insert(at, next);
                        new
                    })
                })
                .collect();
        }
        all.into_iter().map(|numbers| numbers.into_iter().map(ObjectId::new).collect()).collect()
    }

    /// The least heap over all permutations: isomorphic heaps have the same, others another.
    fn by_all_permutations(heap: &Heap, all: &[Vec<ObjectId>], order: Externals) -> Heap {
        let renumbered = |from: &Vec<ObjectId>| {
            let mut heap = heap.clone().renumbered(from).0;
            if order == Externals::Unordered {
                let mut sorted = heap.externals().to_vec();
                sorted.sort_unstable();
                heap.set_externals(sorted);
            }
            heap
        };
        all.iter().map(renumbered).min().expect("there is the identity")
    }

    fn agrees(heaps: impl IntoIterator<Item = Heap>, objects: usize, order: Externals) -> usize {
        let all = permutations(objects);
        let mut class_of: FxHashMap<Heap, Heap> = FxHashMap::default();
        let mut forms: FxHashMap<Heap, Heap> = FxHashMap::default();
        let mut count = 0;
        for heap in heaps {
            count += 1;
            let form = canonical(&heap, order).heap;
            let class = by_all_permutations(&heap, &all, order);
            let known = class_of.entry(class.clone()).or_insert_with(|| form.clone());
            assert_eq!(*known, form, "two forms of one class");
            let other = forms.entry(form).or_insert_with(|| class.clone());
            assert_eq!(*other, class, "one form of two classes");
        }
        count
    }

    #[test]
    fn canonical_forms_agree_with_all_permutations() {
        for (objects, selectors, with_edge) in
            [(0, 2, true), (1, 2, true), (2, 2, true), (3, 1, true), (3, 2, false), (4, 1, false)]
        {
            agrees(heaps(objects, selectors, with_edge), objects, Externals::Ordered);
        }
    }

    /// All graphs of four objects with two fields each, and nothing that names any of them: there
    /// most must be told apart by trying. `TERN_ALL` has all of them looked at, instead of some.
    #[test]
    fn canonical_forms_of_four_objects_without_names() {
        let step = step(61);
        let all = (0..5_usize.pow(8)).step_by(step).map(graph);
        println!("{} graphs of four objects", agrees(all, 4, Externals::Ordered));
    }

    /// The same, with a variable at one object, or an external.
    #[test]
    fn canonical_forms_of_four_objects_with_a_name() {
        let named = |code: usize| {
            let mut variable = graph(code);
            let mut external = variable.clone();
            variable.set_slot(Slot::Variable(0), Value::Object(ObjectId::new(1)));
            external.set_externals(vec![ObjectId::new(4)]);
            [variable, external]
        };
        let all = (0..5_usize.pow(8)).step_by(step(211)).flat_map(named);
        println!("{} graphs of four objects", agrees(all, 4, Externals::Ordered));
    }

    /// Every so many graphs are looked at; all of them with `TERN_ALL`.
    fn step(usual: usize) -> usize {
        if std::env::var_os("TERN_ALL").is_some() { 1 } else { usual }
    }

    /// A graph of four objects with two fields each, by its number.
    fn graph(code: usize) -> Heap {
        let (mut rest, mut heap) = (code, Heap::default());
        for _ in 0..4 {
            heap.add_object(TypeId::new(0));
        }
        for cell in 0..8 {
            let (object, selector) = (ObjectId::new(1 + cell / 2), SelectorId::new(cell % 2));
            heap.set_field(object, selector, ObjectId::new(rest % 5));
            rest /= 5;
        }
        heap
    }

    #[test]
    fn sets_of_externals_agree_with_all_permutations() {
        for (objects, with_edge) in [(3, true), (4, false)] {
            let with_externals = |heap: Heap| {
                (1_usize..1 << objects).map(move |set| {
                    let mut heap = heap.clone();
                    let externals = (0..objects).filter(|it| set >> it & 1 == 1);
                    heap.set_externals(externals.map(|it| ObjectId::new(it + 1)).collect());
                    heap
                })
            };
            // Slots at `null` only: objects have no names but as externals.
            let nameless =
                |heap: &Heap| heap.slot(Slot::Variable(0)) == Some(Value::Object(null()));
            let all = heaps(objects, 1, with_edge).into_iter().filter(nameless);
            agrees(all.flat_map(with_externals), objects, Externals::Unordered);
        }
    }

    /// Without automorphisms this would take 24! steps.
    #[test]
    fn many_objects_that_are_alike_are_numbered_at_once() {
        let mut heap = Heap::default();
        let heads: Vec<ObjectId> = (0..24)
            .map(|_| {
                let (a, b) = (heap.add_object(TypeId::new(0)), heap.add_object(TypeId::new(0)));
                heap.set_field(a, SelectorId::new(0), b);
                heap.set_field(b, SelectorId::new(0), null());
                a
            })
            .collect();
        heap.set_externals(heads.clone());
        let form = canonical(&heap, Externals::Unordered).heap;
        heap.set_externals(heads.into_iter().rev().collect());
        assert_eq!(canonical(&heap, Externals::Unordered).heap, form);
    }

    #[test]
    fn externals_may_be_a_set() {
        // Two objects that point at each other, both external: either order is the same set, but
        // with a slot at one of them the orders differ.
        let mut heap = Heap::default();
        let (a, b) = (heap.add_object(TypeId::new(0)), heap.add_object(TypeId::new(0)));
        heap.set_field(a, SelectorId::new(0), null());
        heap.set_slot(Slot::Variable(0), Value::Object(a));
        let mut other = heap.clone();
        heap.set_externals(vec![a, b]);
        other.set_externals(vec![b, a]);
        let form = |heap: &Heap, externals| canonical(heap, externals).heap;
        assert_ne!(form(&heap, Externals::Ordered), form(&other, Externals::Ordered));
        assert_eq!(form(&heap, Externals::Unordered), form(&other, Externals::Unordered));
    }

    #[test]
    fn the_way_back_is_an_isomorphism() {
        for heap in heaps(3, 1, true) {
            let form = canonical(&heap, Externals::Ordered);
            let (again, edges) = heap.clone().renumbered(&form.objects);
            assert_eq!((again, edges), (form.heap, form.edges));
        }
    }
}

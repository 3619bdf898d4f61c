//! Heaps: objects, fields, variables, and hyperedges that stand for parts left out.
//!
//! Object 0 is `null`; it has no fields. Every other object has a type, and each selector of that
//! type has one *provider*: a field of the object, or a hyperedge that is attached to it by a
//! tentacle that provides the selector (see [`crate::grammar`]). A heap without hyperedges is
//! *concrete*: it is one heap. Others stand for all heaps that their hyperedges derive. Different
//! objects of a heap are different objects of whatever it stands for.
//!
//! *Externals* are objects that somebody outside knows, in order. A rule of a grammar is a heap
//! whose externals are the objects that a hyperedge is attached to.

pub use crate::ends::Ends;

use tern_model::index::Id;

tern_model::indices! {
    /// An object of a heap; 0 is `null`.
    pub ObjectId = "o";
    /// A type of objects.
    pub TypeId = "t";
    /// A field that objects of one type have.
    pub SelectorId = "s";
    /// A nonterminal of a grammar.
    pub NonterminalId = "N";
    /// A field that holds a number or truth value.
    pub NumberId = "n";
    /// A heap in canonical form, kept once.
    pub HeapId = "h";
}

/// Who holds a value: a variable of the program, or a ghost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// A variable of the procedure, by its number.
    Variable(u32),
    /// What the procedure returns.
    Return,
    /// A value that no statement writes, by its number: what a claim remembers of the input.
    Ghost(u32),
}

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A reference; `null` is object 0.
    Object(ObjectId),
    /// A number or truth value.
    Integer(i64),
    /// A number or truth value of which nothing is known.
    Any,
}

/// A hyperedge: a part of the heap that is left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hyperedge {
    /// What it derives.
    pub label: NonterminalId,
    /// The objects it is attached to; one may occur more than once.
    pub at: Ends,
}

/// A heap.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Heap {
    /// The type of each object but `null`.
    kinds: Vec<Option<TypeId>>,
    /// The fields of all objects, those of each together and sorted.
    fields: Vec<(SelectorId, ObjectId)>,
    /// Where the fields of each object begin; the last entry is their number.
    starts: Vec<u32>,
    edges: Vec<Hyperedge>,
    /// Sorted.
    slots: Vec<(Slot, Value)>,
    externals: Vec<ObjectId>,
    /// Numbers that fields of objects hold, sorted; none where heaps are folded.
    numbers: Vec<(ObjectId, NumberId, i64)>,
}

impl Default for Heap {
    fn default() -> Self {
        Heap {
            kinds: vec![None],
            fields: Vec::new(),
            starts: vec![0, 0],
            edges: Vec::new(),
            slots: Vec::new(),
            externals: Vec::new(),
            numbers: Vec::new(),
        }
    }
}

/// The object that stands for no object.
pub fn null() -> ObjectId {
    ObjectId::new(0)
}

/// What is asked.
impl Heap {
    /// All objects, `null` first.
    pub fn objects(&self) -> impl DoubleEndedIterator<Item = ObjectId> + ExactSizeIterator + use<> {
        (0..self.kinds.len()).map(ObjectId::new)
    }

    /// How many objects there are, `null` included.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there is nothing but `null`.
    pub fn is_empty(&self) -> bool {
        self.kinds.len() == 1
    }

    /// The type of an object; `null` has none.
    pub fn kind(&self, object: ObjectId) -> Option<TypeId> {
        self.kinds[object.index()]
    }

    /// The fields of an object that are not left out.
    pub fn fields(&self, object: ObjectId) -> &[(SelectorId, ObjectId)] {
        let at = object.index();
        &self.fields[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Where a field leads, if it is not left out.
    pub fn field(&self, object: ObjectId, selector: SelectorId) -> Option<ObjectId> {
        let fields = self.fields(object);
        let at = fields.binary_search_by_key(&selector, |&(selector, _)| selector).ok()?;
        Some(fields[at].1)
    }

    /// The hyperedges.
    pub fn edges(&self) -> &[Hyperedge] {
        &self.edges
    }

    /// Whether nothing is left out.
    pub fn is_concrete(&self) -> bool {
        self.edges.is_empty()
    }

    /// What the slots hold, sorted.
    pub fn slots(&self) -> &[(Slot, Value)] {
        &self.slots
    }

    /// What a slot holds, if anything.
    pub fn slot(&self, slot: Slot) -> Option<Value> {
        let at = self.slots.binary_search_by_key(&slot, |&(slot, _)| slot).ok()?;
        Some(self.slots[at].1)
    }

    /// The number that a field of an object holds, if it is known.
    pub fn number(&self, object: ObjectId, field: NumberId) -> Option<i64> {
        let at = self.numbers.binary_search_by_key(&(object, field), |&(o, f, _)| (o, f)).ok()?;
        Some(self.numbers[at].2)
    }

    /// All numbers that fields of objects hold.
    pub fn numbers(&self) -> &[(ObjectId, NumberId, i64)] {
        &self.numbers
    }

    /// The objects that somebody outside knows.
    pub fn externals(&self) -> &[ObjectId] {
        &self.externals
    }

    /// Visits the objects that slots and externals name, `null` left out, some more than once.
    pub fn each_root(&self, mut visit: impl FnMut(ObjectId)) {
        let of_slots = self.slots.iter().filter_map(|&(_, value)| match value {
            Value::Object(object) => Some(object),
            Value::Integer(_) | Value::Any => None,
        });
        let all = of_slots.chain(self.externals.iter().copied());
        all.filter(|&object| object != null()).for_each(&mut visit);
    }

    /// Whether every part names objects that are there, and all lists are in order.
    pub fn check_wellformed(&self) -> bool {
        let there = |object: &ObjectId| object.index() < self.len();
        let ordered = |object: ObjectId| self.fields(object).windows(2).all(|w| w[0].0 < w[1].0);
        self.kinds.len() + 1 == self.starts.len()
            && self.starts.last().is_some_and(|&it| it as usize == self.fields.len())
            && self.kinds[0].is_none()
            && self.kinds[1..].iter().all(Option::is_some)
            && self.fields(null()).is_empty()
            && self.objects().all(ordered)
            && self.fields.iter().all(|(_, to)| there(to))
            && self.edges.iter().all(|edge| edge.at.iter().all(there))
            && self.slots.windows(2).all(|w| w[0].0 < w[1].0)
            && self.externals.iter().all(there)
            && self.slots.iter().all(|(_, value)| match value {
                Value::Object(object) => there(object),
                Value::Integer(_) | Value::Any => true,
            })
    }
}

/// What is changed.
impl Heap {
    /// A new object without fields.
    pub fn add_object(&mut self, kind: TypeId) -> ObjectId {
        self.kinds.push(Some(kind));
        self.starts.push(self.starts[self.starts.len() - 1]);
        ObjectId::new(self.kinds.len() - 1)
    }

    /// Writes a field; what it was before is returned.
    pub fn set_field(
        &mut self,
        object: ObjectId,
        selector: SelectorId,
        to: ObjectId,
    ) -> Option<ObjectId> {
        debug_assert_ne!(object, null(), "null has no fields");
        let start = self.starts[object.index()] as usize;
        let found = self.fields(object).binary_search_by_key(&selector, |&(selector, _)| selector);
        match found {
            Ok(at) => Some(std::mem::replace(&mut self.fields[start + at].1, to)),
            Err(at) => {
                self.fields.insert(start + at, (selector, to));
                self.starts[object.index() + 1..].iter_mut().for_each(|it| *it += 1);
                None
            }
        }
    }

    /// Gives an object another type.
    pub fn set_kind(&mut self, object: ObjectId, kind: TypeId) {
        debug_assert_ne!(object, null(), "null has no type");
        self.kinds[object.index()] = Some(kind);
    }

    /// Leaves a field out.
    pub fn remove_field(&mut self, object: ObjectId, selector: SelectorId) {
        let start = self.starts[object.index()] as usize;
        if let Some(at) = self.fields(object).iter().position(|&(it, _)| it == selector) {
            self.fields.remove(start + at);
            self.starts[object.index() + 1..].iter_mut().for_each(|it| *it -= 1);
        }
    }

    /// Adds a hyperedge.
    pub fn add_edge(&mut self, label: NonterminalId, at: impl Into<Ends>) {
        self.edges.push(Hyperedge { label, at: at.into() });
    }

    /// Takes a hyperedge out; those behind it move up.
    pub fn remove_edge(&mut self, edge: usize) -> Hyperedge {
        self.edges.remove(edge)
    }

    /// Writes a slot.
    pub fn set_slot(&mut self, slot: Slot, value: Value) {
        match self.slots.binary_search_by_key(&slot, |&(slot, _)| slot) {
            Ok(at) => self.slots[at].1 = value,
            Err(at) => self.slots.insert(at, (slot, value)),
        }
    }

    /// Keeps only some of the slots.
    pub fn retain_slots(&mut self, mut keep: impl FnMut(Slot) -> bool) {
        self.slots.retain(|&(slot, _)| keep(slot));
    }

    /// Says what number a field of an object holds, or that it is not known.
    pub fn set_number(&mut self, object: ObjectId, field: NumberId, number: Option<i64>) {
        debug_assert_ne!(object, null(), "null has no fields");
        let key = (object, field);
        match (self.numbers.binary_search_by_key(&key, |&(o, f, _)| (o, f)), number) {
            (Ok(at), Some(number)) => self.numbers[at].2 = number,
            (Ok(at), None) => drop(self.numbers.remove(at)),
            (Err(at), Some(number)) => self.numbers.insert(at, (object, field, number)),
            (Err(_), None) => {}
        }
    }

    /// Forgets the numbers of some objects.
    pub fn forget_numbers(&mut self, of: impl Fn(ObjectId) -> bool) {
        self.numbers.retain(|it| !of(it.0));
    }

    /// Says which objects somebody outside knows.
    pub fn set_externals(&mut self, externals: Vec<ObjectId>) {
        self.externals = externals;
    }

    /// Puts the objects that somebody outside knows in the order of their numbers.
    pub fn sort_externals(&mut self) {
        self.externals.sort_unstable();
    }

    /// Keeps some of the objects, in their order, and the hyperedges that are attached to these
    /// only, which are sorted. For each of these its place before.
    pub fn retain_objects(&mut self, keep: &[bool]) -> Vec<usize> {
        let mut from = Vec::with_capacity(self.edges.len());
        if keep.iter().all(|it| *it) {
            from.extend(0..self.edges.len());
        } else {
            self.take_out(keep, &mut from);
        }
        self.sort_edges(&mut from);
        debug_assert!(self.check_wellformed(), "{self:?}");
        from
    }

    /// Sorts the hyperedges, and with them where they came from. Those that are equal stay in their
    /// order. There are few, and most are in place.
    fn sort_edges(&mut self, from: &mut [usize]) {
        for next in 1..self.edges.len() {
            let mut at = next;
            while at > 0 && self.edges[at] < self.edges[at - 1] {
                self.edges.swap(at, at - 1);
                from.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    /// Keeps some of the objects, and says where the hyperedges come from that are left.
    fn take_out(&mut self, keep: &[bool], from: &mut Vec<usize>) {
        let mut next = 0;
        let number = |&kept: &bool| {
            kept.then(|| {
                next += 1;
                ObjectId::new(next - 1)
            })
        };
        let to: Vec<Option<ObjectId>> = keep.iter().map(number).collect();
        let new = |object: ObjectId| to[object.index()].expect("what is named is kept");
        let mut place = 0;
        self.edges.retain_mut(|edge| {
            let kept = edge.at.iter().all(|object| keep[object.index()]);
            if kept {
                edge.at.iter_mut().for_each(|object| *object = new(*object));
                from.push(place);
            }
            place += 1;
            kept
        });
        let (mut objects, mut fields) = (0, 0);
        for (object, _) in keep.iter().enumerate().filter(|(_, kept)| **kept) {
            let own = self.starts[object] as usize..self.starts[object + 1] as usize;
            self.kinds[objects] = self.kinds[object];
            self.starts[objects] = u32::try_from(fields).expect("few");
            for field in own {
                let (selector, target) = self.fields[field];
                self.fields[fields] = (selector, new(target));
                fields += 1;
            }
            objects += 1;
        }
        self.kinds.truncate(objects);
        self.starts.truncate(objects + 1);
        self.starts[objects] = u32::try_from(fields).expect("few");
        self.fields.truncate(fields);
        for (_, value) in &mut self.slots {
            if let Value::Object(object) = value {
                *object = new(*object);
            }
        }
        self.externals.iter_mut().for_each(|object| *object = new(*object));
        self.numbers.retain(|it| keep[it.0.index()]);
        self.numbers.iter_mut().for_each(|it| it.0 = new(it.0));
    }

    /// The same heap with its objects in another order, which says where each was before. The
    /// second part says that of hyperedges, which are sorted.
    #[must_use]
    pub fn renumbered(mut self, from: &[ObjectId]) -> (Heap, Vec<usize>) {
        let mut to = vec![null(); from.len()];
        for (new, old) in from.iter().enumerate() {
            to[old.index()] = ObjectId::new(new);
        }
        let new = |object: ObjectId| to[object.index()];
        let mut fields = Vec::with_capacity(self.fields.len());
        let mut starts = Vec::with_capacity(self.starts.len());
        starts.push(0);
        for &old in from {
            fields.extend(self.fields(old).iter().map(|&(selector, to)| (selector, new(to))));
            starts.push(u32::try_from(fields.len()).expect("few"));
        }
        (self.fields, self.starts) = (fields, starts);
        self.kinds = from.iter().map(|old| self.kinds[old.index()]).collect();
        for edge in &mut self.edges {
            edge.at.iter_mut().for_each(|object| *object = new(*object));
        }
        for (_, value) in &mut self.slots {
            if let Value::Object(object) = value {
                *object = new(*object);
            }
        }
        self.externals.iter_mut().for_each(|object| *object = new(*object));
        self.numbers.iter_mut().for_each(|it| it.0 = new(it.0));
        self.numbers.sort_unstable();
        let mut places: Vec<usize> = (0..self.edges.len()).collect();
        self.sort_edges(&mut places);
        debug_assert!(self.check_wellformed(), "{self:?}");
        (self, places)
    }
}

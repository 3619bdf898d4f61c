//! Many names in one string: a table of names that costs four bytes each beyond their letters; and
//! how things are found by name, without a second copy of it.

use crate::index::{CompId, Id};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;

/// The names of the rows of a table.
#[derive(Clone, PartialEq, Eq)]
pub struct Names<I> {
    text: String,
    ends: Vec<u32>,
    ids: PhantomData<fn(I)>,
}

impl<I: Id> Names<I> {
    /// No names.
    pub const fn new() -> Self {
        Names { text: String::new(), ends: Vec::new(), ids: PhantomData }
    }

    /// Appends a name and says its id.
    ///
    /// # Panics
    /// If all names together exceed 4 GiB.
    pub fn push(&mut self, name: &str) -> I {
        let id = I::new(self.ends.len());
        self.text.push_str(name);
        self.ends.push(u32::try_from(self.text.len()).expect("less than 4 GiB of names"));
        id
    }

    /// The name of `id`.
    pub fn of(&self, id: I) -> &str {
        let row = id.index();
        let start = if row == 0 { 0 } else { self.ends[row - 1] as usize };
        &self.text[start..self.ends[row] as usize]
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Gives back what was set aside for more names.
    pub fn shrink_to_fit(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// All names with their ids, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (I, &str)> {
        (0..self.ends.len()).map(|row| {
            let id = I::new(row);
            (id, self.of(id))
        })
    }
}

impl<I: Id> Default for Names<I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id> std::fmt::Debug for Names<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter().map(|(_, name)| name)).finish()
    }
}

/// The names of things that belong to components.
#[derive(Clone, Debug)]
pub struct Scoped<I: Id> {
    pub(crate) names: Names<I>,
    pub(crate) component: Vec<CompId>,
}

impl<I: Id> Scoped<I> {
    /// Nothing yet.
    pub const fn new() -> Self {
        Scoped { names: Names::new(), component: Vec::new() }
    }

    /// Appends a thing of a component and says its id.
    pub(crate) fn push(&mut self, component: CompId, name: &str) -> I {
        self.component.push(component);
        self.names.push(name)
    }

    /// The name of `id`.
    pub fn name(&self, id: I) -> &str {
        self.names.of(id)
    }

    /// The component of `id`.
    pub fn component(&self, id: I) -> CompId {
        self.component[id.index()]
    }

    /// What `id` is found by: its component and name.
    pub fn key(&self, id: I) -> (CompId, &str) {
        (self.component(id), self.name(id))
    }

    /// How many things there are.
    pub fn len(&self) -> usize {
        self.component.len()
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.component.is_empty()
    }

    /// All ids, in order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = I> + use<I> {
        (0..self.component.len()).map(I::new)
    }

    /// The names of what belongs to a component, in order.
    pub fn names_in(&self, component: CompId) -> impl Iterator<Item = &str> {
        self.ids().filter(move |&id| self.component(id) == component).map(|id| self.name(id))
    }

    /// Gives back what was set aside for more.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.names.shrink_to_fit();
        self.component.shrink_to_fit();
    }
}

impl<I: Id> Default for Scoped<I> {
    fn default() -> Self {
        Self::new()
    }
}

/// Finds ids by a key that is kept elsewhere: whoever asks says what the key of an id is.
#[derive(Clone, Debug)]
pub struct Index<I> {
    rows: HashTable<I>,
}

impl<I: Id> Index<I> {
    /// An index with room for so many ids.
    pub fn with_capacity(count: usize) -> Self {
        Index { rows: HashTable::with_capacity(count) }
    }

    /// How many bytes an index of so many ids takes, roughly.
    pub const fn bytes_for(count: usize) -> u64 {
        let buckets = (count + count / 7).next_power_of_two() as u64;
        buckets * (size_of::<I>() as u64 + 1)
    }

    /// Adds an id, unless there is one of the same key, which is then said.
    pub fn add<K: Hash + Eq>(&mut self, id: I, key: impl Fn(I) -> K) -> Option<I> {
        let new = key(id);
        let same = |&other: &I| key(other) == new;
        match self.rows.entry(hash(&new), same, |&other| hash(&key(other))) {
            Entry::Occupied(found) => Some(*found.get()),
            Entry::Vacant(free) => {
                free.insert(id);
                None
            }
        }
    }

    /// The id of a key.
    pub fn get<K: Hash + Eq>(&self, wanted: &K, key: impl Fn(I) -> K) -> Option<I> {
        self.rows.find(hash(wanted), |&id| key(id) == *wanted).copied()
    }
}

/// Names of which each is kept once: equal names have equal ids.
#[derive(Clone)]
pub struct Interner<I: Id> {
    names: Names<I>,
    /// Holds ids only; their names are looked up in `names`.
    index: HashTable<I>,
}

impl<I: Id> Interner<I> {
    /// An interner without names.
    pub const fn new() -> Self {
        Interner { names: Names::new(), index: HashTable::new() }
    }

    /// The id of `name`, which is added if it is new.
    pub fn intern(&mut self, name: &str) -> I {
        let Interner { names, index } = self;
        let entry = index.entry(hash(name), |&id| names.of(id) == name, |&id| hash(names.of(id)));
        match entry {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(free) => {
                let id = I::new(names.ends.len());
                free.insert(id);
                names.push(name)
            }
        }
    }

    /// The id of `name`, if it has been interned.
    pub fn get(&self, name: &str) -> Option<I> {
        self.index.find(hash(name), |&id| self.names.of(id) == name).copied()
    }

    /// The names, by id.
    pub fn names(&self) -> &Names<I> {
        &self.names
    }

    /// The name of `id`.
    pub fn of(&self, id: I) -> &str {
        self.names.of(id)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

impl<I: Id> Default for Interner<I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id> std::fmt::Debug for Interner<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.names.fmt(f)
    }
}

fn hash<K: Hash + ?Sized>(key: &K) -> u64 {
    FxBuildHasher.hash_one(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::LabelId;

    #[test]
    fn equal_names_are_one() {
        let mut labels: Interner<LabelId> = Interner::new();
        let p = labels.intern("p");
        let q = labels.intern("pq");
        assert_ne!(p, q);
        assert_eq!(labels.intern("p"), p);
        assert_eq!(labels.get("pq"), Some(q));
        assert_eq!(labels.get("q"), None);
        for i in 0..1000 {
            labels.intern(&format!("x{i}"));
        }
        assert_eq!(labels.len(), 1002);
        assert_eq!(labels.intern("p"), p);
    }

    #[test]
    fn things_are_found_by_component_and_name() {
        let (one, two) = (CompId::new(0), CompId::new(1));
        let mut scoped: Scoped<LabelId> = Scoped::new();
        let mut index = Index::with_capacity(0);
        for i in 0..1000 {
            for component in [one, two] {
                let id = scoped.push(component, &format!("x{i}"));
                assert_eq!(index.add(id, |id| scoped.key(id)), None);
            }
        }
        let again = scoped.push(two, "x7");
        assert_eq!(index.add(again, |id| scoped.key(id)), Some(LabelId::new(15)));
        assert_eq!(index.get(&(one, "x7"), |id| scoped.key(id)), Some(LabelId::new(14)));
        assert_eq!(index.get(&(two, "x7"), |id| scoped.key(id)), Some(LabelId::new(15)));
        assert_eq!(index.get(&(two, "y"), |id| scoped.key(id)), None);
        assert_eq!(scoped.names_in(two).count(), 1001);
    }
}

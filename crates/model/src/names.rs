//! Many names in one string: a table of names that costs four bytes each beyond their letters.

use crate::index::Id;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
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

fn hash(name: &str) -> u64 {
    FxBuildHasher.hash_one(name)
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
}

//! Typed ids, and tables indexed by them.
//!
//! Every table of a [`Machine`](crate::Machine) has an id type of its own, so that a box cannot be
//! looked up where a node is meant. Ids are dense: they count from 0 in the order in which the
//! things were made. They are stored off by one, so that `Option<NodeId>` takes four bytes.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An id that names a row of a table.
pub trait Id: Copy + Eq + Ord {
    /// The id of row `index`.
    ///
    /// # Panics
    /// If the index does not fit into 32 bits less one; readers refuse such inputs before.
    fn new(index: usize) -> Self;
    /// The row that this id names.
    fn index(self) -> usize;
}

/// The most rows a table may have.
pub const MAX_ROWS: usize = u32::MAX as usize - 1;

/// Makes id types: for each a visibility, a name, and the letter that it is printed with.
#[macro_export]
macro_rules! indices {
    ($($(#[$doc:meta])* $vis:vis $name:ident = $tag:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(std::num::NonZeroU32);

        impl $crate::index::Id for $name {
            #[inline]
            fn new(index: usize) -> Self {
                match u32::try_from(index).ok().and_then(|raw| raw.checked_add(1)) {
                    Some(raw) => Self(std::num::NonZeroU32::new(raw).expect("one more than an index")),
                    None => panic!(concat!("too many rows for ids of kind ", $tag)),
                }
            }
            #[inline]
            fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($tag, "{}"), $crate::index::Id::index(*self))
            }
        }
    )*};
}

indices! {
    /// A component (procedure) of a machine.
    pub CompId = "c";
    /// A node; unique across the machine, not per component.
    pub NodeId = "n";
    /// A box, that is, a call site; unique across the machine.
    pub BoxId = "b";
    /// An exit port; unique across the machine, and belongs to one component.
    pub ExitId = "x";
    /// A node or a return site: whatever has outgoing edges. See
    /// [`Machine::places`](crate::Machine::place_count).
    pub PlaceId = "p";
    /// A proposition that some node of the machine is labelled with.
    pub LabelId = "l";
    /// A formula in a [`Formulas`](crate::logic::Formulas) arena; equal formulas have equal ids.
    pub FormulaId = "f";
    /// A proposition named in a formula.
    pub AtomId = "a";
    /// A step of a [`ctl::Program`](crate::logic::ctl::Program).
    pub TermId = "t";
    /// A state of an [automaton](crate::automaton).
    pub StateId = "q";
}

/// A growable table whose rows are named by ids of one kind.
#[derive(Clone, PartialEq, Eq)]
pub struct Table<I, T> {
    rows: Vec<T>,
    ids: PhantomData<fn(I)>,
}

impl<I: Id, T> Table<I, T> {
    /// An empty table.
    pub const fn new() -> Self {
        Table { rows: Vec::new(), ids: PhantomData }
    }

    /// Appends a row and says its id.
    pub fn push(&mut self, row: T) -> I {
        let id = I::new(self.rows.len());
        self.rows.push(row);
        id
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All ids, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.rows.len()).map(I::new)
    }

    /// The row of an id, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.rows.get(id.index())
    }

    /// The id that the next row will have.
    pub fn next_id(&self) -> I {
        I::new(self.rows.len())
    }

    /// All rows with their ids, in order, to be changed.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (I, &mut T)> + ExactSizeIterator {
        self.rows.iter_mut().enumerate().map(|(index, row)| (I::new(index), row))
    }

    /// All rows with their ids, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.rows.iter().enumerate().map(|(index, row)| (I::new(index), row))
    }

    /// The rows as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.rows
    }
}

impl<I: Id, T: Clone> Table<I, T> {
    /// A table of `len` equal rows.
    pub fn filled(row: T, len: usize) -> Self {
        Table { rows: vec![row; len], ids: PhantomData }
    }

    /// Appends equal rows until there are `len`; does nothing if there are as many.
    pub fn grow(&mut self, len: usize, row: T) {
        if len > self.rows.len() {
            self.rows.resize(len, row);
        }
    }
}

impl<I, T> IntoIterator for Table<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.rows.into_iter()
    }
}

impl<I: Id, T> Default for Table<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> FromIterator<T> for Table<I, T> {
    fn from_iter<R: IntoIterator<Item = T>>(rows: R) -> Self {
        Table { rows: rows.into_iter().collect(), ids: PhantomData }
    }
}

impl<I: Id, T> Index<I> for Table<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.rows[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Table<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.rows[id.index()]
    }
}

impl<I, T: std::fmt::Debug> std::fmt::Debug for Table<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.rows).finish()
    }
}

/// Different things, numbered in the order in which they came.
#[derive(Clone, Debug)]
pub struct Numbering<I, T> {
    /// The ids, to be found by the hashes of their things.
    ids: HashTable<I>,
    rows: Table<I, T>,
}

impl<I: Id, T: Eq + Hash> Numbering<I, T> {
    fn hash(thing: &T) -> u64 {
        FxBuildHasher.hash_one(thing)
    }

    /// The id of a thing, which is added if it is new.
    pub fn id(&mut self, thing: T) -> I {
        let Numbering { ids, rows } = self;
        let is_same = |&id: &I| rows[id] == thing;
        match ids.entry(Self::hash(&thing), is_same, |&id| Self::hash(&rows[id])) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                let id = rows.push(thing);
                place.insert(id);
                id
            }
        }
    }

    /// The id of a thing, if it came.
    pub fn find(&self, thing: &T) -> Option<I> {
        self.ids.find(Self::hash(thing), |&id| self.rows[id] == *thing).copied()
    }

    /// All things, in order.
    pub fn rows(&self) -> &Table<I, T> {
        &self.rows
    }
}

impl<I: Id, T: Clone + Eq + Hash> Numbering<I, T> {
    /// The id of a thing that is only lent, which is added if it is new.
    pub fn id_of(&mut self, thing: &T) -> I {
        self.find(thing).unwrap_or_else(|| self.id(thing.clone()))
    }
}

impl<I: Id, T> Default for Numbering<I, T> {
    fn default() -> Self {
        Numbering { ids: HashTable::new(), rows: Table::new() }
    }
}

impl<I: Id, T> Index<I> for Numbering<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.rows[id]
    }
}

/// Lists of `T`, one for each id, in one flat array (compressed sparse rows).
#[derive(Clone, PartialEq, Eq)]
pub struct Lists<I, T> {
    /// `ends[i]` is where the list of row `i` ends; it begins where the one before ends.
    ends: Vec<u32>,
    items: Vec<T>,
    ids: PhantomData<fn(I)>,
}

impl<I: Id, T: Copy> Lists<I, T> {
    /// Distributes `pairs` over `rows` lists; each list keeps the order of the pairs.
    ///
    /// # Panics
    /// If there are more than 2^32 pairs, or a pair names a row beyond `rows`.
    pub fn group(rows: usize, pairs: &[(I, T)]) -> Self {
        Self::gather(rows, pairs.iter().copied())
    }

    /// The same for pairs that need not be kept: they are gone through twice.
    ///
    /// # Panics
    /// If there are more than 2^32 pairs, or a pair names a row beyond `rows`.
    pub fn gather(rows: usize, pairs: impl Iterator<Item = (I, T)> + Clone) -> Self {
        let mut ends = vec![0u32; rows];
        let mut any = None;
        for (id, item) in pairs.clone() {
            ends[id.index()] += 1;
            any = Some(item);
        }
        let mut total = 0u32;
        for end in &mut ends {
            // From here until the second pass is through, `ends[i]` is where list i is filled next.
            let count = std::mem::replace(end, total);
            total = total.checked_add(count).expect("fewer than 2^32 items");
        }
        let Some(any) = any else {
            return Lists { ends, items: Vec::new(), ids: PhantomData };
        };
        let mut items = vec![any; total as usize];
        for (id, item) in pairs {
            let next = &mut ends[id.index()];
            items[*next as usize] = item;
            *next += 1;
        }
        Lists { ends, items, ids: PhantomData }
    }
}

impl<I: Id, T> Lists<I, T> {
    /// Lists one by one.
    ///
    /// # Panics
    /// If there are more than 2^32 items.
    pub fn join(lists: Vec<Vec<T>>) -> Self {
        let mut items = Vec::with_capacity(lists.iter().map(Vec::len).sum());
        let mut ends = Vec::with_capacity(lists.len());
        for list in lists {
            items.extend(list);
            ends.push(u32::try_from(items.len()).expect("fewer than 2^32 items"));
        }
        Lists { ends, items, ids: PhantomData }
    }

    /// The list of `id`.
    #[inline]
    pub fn of(&self, id: I) -> &[T] {
        &self.items[self.range(id)]
    }

    /// Where the list of `id` lies in [`Lists::items`].
    #[inline]
    pub fn range(&self, id: I) -> std::ops::Range<usize> {
        let row = id.index();
        let start = if row == 0 { 0 } else { self.ends[row - 1] as usize };
        start..self.ends[row] as usize
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no lists.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All items, list after list.
    pub fn items(&self) -> &[T] {
        &self.items
    }
}

impl<I: Id, T: std::fmt::Debug> std::fmt::Debug for Lists<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries((0..self.len()).map(|row| self.of(I::new(row)))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_the_order_of_the_pairs() {
        let pair = |row, item| (NodeId::new(row), item);
        let lists = Lists::group(4, &[pair(2, 'a'), pair(0, 'b'), pair(2, 'c'), pair(3, 'd')]);
        assert_eq!(lists.of(NodeId::new(0)), ['b']);
        assert_eq!(lists.of(NodeId::new(1)), []);
        assert_eq!(lists.of(NodeId::new(2)), ['a', 'c']);
        assert_eq!(lists.of(NodeId::new(3)), ['d']);
    }

    #[test]
    fn ids_are_small_and_readable() {
        assert_eq!(size_of::<Option<NodeId>>(), 4);
        assert_eq!(format!("{:?}", BoxId::new(7)), "b7");
    }
}

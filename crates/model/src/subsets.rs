//! Sets of ids, one for each id of another kind: which nodes have which label.
//!
//! Real models have more labels than nodes, and most labels are at few of these: their sets are
//! sorted lists, one after the other in one array. Models with values have labels such as `x < 7`
//! that hold at half of the nodes: a row of bits is then smaller than a list. A set has whichever
//! takes less room, so that no set takes more than a bit for each id there could be.

use crate::index::Id;
use std::marker::PhantomData;

/// Sets of `T`, one for each `I`.
#[derive(Clone)]
pub struct Subsets<I, T> {
    /// Members are the ids of the rows below this.
    universe: usize,
    rows: Vec<Row>,
    listed: Vec<T>,
    words: Vec<u64>,
    ids: PhantomData<fn(I)>,
}

/// One set: how many members it has, and where it lies. That tells whether it is a list.
#[derive(Clone, Copy)]
struct Row {
    len: u32,
    /// In `listed` or, if there are many members, in `words`.
    start: u32,
}

impl<I: Id, T: Id> Subsets<I, T> {
    /// No sets, whose members would be below `universe`.
    pub fn new(universe: usize) -> Self {
        let (rows, listed, words) = (Vec::new(), Vec::new(), Vec::new());
        Subsets { universe, rows, listed, words, ids: PhantomData }
    }

    /// Adds a set, given as a sorted list without repetition.
    ///
    /// # Panics
    /// If the list is not sorted, has an id beyond the universe, or there is no room for more.
    pub fn push(&mut self, members: &[T]) -> I {
        let id = I::new(self.rows.len());
        let row = self.store(members);
        self.rows.push(row);
        id
    }

    /// Adds a set, given as a row of bits, the lowest first.
    ///
    /// # Panics
    /// If the row is not as long as the universe, has a bit beyond it, or there is no room for
    /// more.
    pub fn push_bits(&mut self, bits: &[u64]) -> I {
        assert_eq!(bits.len(), self.universe.div_ceil(64), "a bit for each id");
        let beyond = |last: &u64| match self.universe % 64 {
            0 => false,
            used => last >> used != 0,
        };
        assert!(!bits.last().is_some_and(beyond), "a member");
        let len = bits.iter().map(|word| word.count_ones() as usize).sum();
        if !self.is_dense(len) {
            return self.push(&Subset(Form::Bits(bits, len)).to_vec());
        }
        let id = I::new(self.rows.len());
        let start = u32::try_from(self.words.len()).expect("fewer than 2^32 items");
        self.rows.push(Row { len: u32::try_from(len).expect("fewer than 2^32 items"), start });
        self.words.extend_from_slice(bits);
        id
    }

    /// Adds members, in any order, to a set.
    pub fn extend(&mut self, id: I, members: &[T]) {
        if members.is_empty() {
            return;
        }
        let mut all: Vec<T> = self.of(id).iter().chain(members.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        // What the set was before stays behind unused: sets seldom change.
        self.rows[id.index()] = self.store(&all);
    }

    fn store(&mut self, members: &[T]) -> Row {
        assert!(members.is_sorted_by(|a, b| a < b), "members are sorted");
        assert!(members.last().is_none_or(|last| last.index() < self.universe), "a member");
        let start = |at: usize| u32::try_from(at).expect("fewer than 2^32 items");
        let len = start(members.len());
        if !self.is_dense(members.len()) {
            let row = Row { len, start: start(self.listed.len()) };
            self.listed.extend_from_slice(members);
            return row;
        }
        let row = Row { len, start: start(self.words.len()) };
        let first = self.words.len();
        self.words.resize(first + self.universe.div_ceil(64), 0);
        for member in members {
            self.words[first + member.index() / 64] |= 1 << (member.index() % 64);
        }
        row
    }

    /// Whether a set of this size is a row of bits: a listed member takes as much room as 32 bits.
    fn is_dense(&self, len: usize) -> bool {
        len > self.universe / 32
    }

    /// The set of `id`.
    pub fn of(&self, id: I) -> Subset<'_, T> {
        let Row { len, start } = self.rows[id.index()];
        let (len, start) = (len as usize, start as usize);
        Subset(match self.is_dense(len) {
            false => Form::Listed(&self.listed[start..start + len]),
            true => Form::Bits(&self.words[start..start + self.universe.div_ceil(64)], len),
        })
    }

    /// How many sets there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no sets.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl<I: Id, T: Id + std::fmt::Debug> std::fmt::Debug for Subsets<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries((0..self.len()).map(|row| self.of(I::new(row)))).finish()
    }
}

/// One of the sets; its members come in order.
#[derive(Clone, Copy)]
pub struct Subset<'a, T>(Form<'a, T>);

#[derive(Clone, Copy)]
enum Form<'a, T> {
    Listed(&'a [T]),
    /// The bits, and how many are set.
    Bits(&'a [u64], usize),
}

impl<'a, T: Id> Subset<'a, T> {
    /// The set without members.
    pub const EMPTY: Self = Subset(Form::Listed(&[]));

    /// How many members there are.
    pub fn len(self) -> usize {
        match self.0 {
            Form::Listed(members) => members.len(),
            Form::Bits(_, len) => len,
        }
    }

    /// Whether there are no members.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether an id is a member.
    pub fn contains(self, id: T) -> bool {
        match self.0 {
            Form::Listed(members) => members.binary_search(&id).is_ok(),
            Form::Bits(words, _) => {
                let word = words.get(id.index() / 64);
                word.is_some_and(|word| word >> (id.index() % 64) & 1 != 0)
            }
        }
    }

    /// The members as a row of bits, the lowest first, if that is how they are kept.
    pub fn bits(self) -> Option<&'a [u64]> {
        match self.0 {
            Form::Listed(_) => None,
            Form::Bits(words, _) => Some(words),
        }
    }

    /// The members, in order.
    #[inline]
    pub fn iter(self) -> Members<'a, T> {
        match self.0 {
            Form::Listed(members) => Members { listed: members.iter(), words: &[], at: 0, left: 0 },
            Form::Bits(words, _) => {
                let left = words.first().copied().unwrap_or_default();
                Members { listed: [].iter(), words, at: 0, left }
            }
        }
    }

    /// The members as a list.
    pub fn to_vec(self) -> Vec<T> {
        self.iter().collect()
    }
}

impl<'a, T: Id> IntoIterator for Subset<'a, T> {
    type Item = T;
    type IntoIter = Members<'a, T>;
    fn into_iter(self) -> Members<'a, T> {
        self.iter()
    }
}

impl<T: Id + std::fmt::Debug> std::fmt::Debug for Subset<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The members of a set, in order.
#[derive(Clone, Debug)]
pub struct Members<'a, T> {
    listed: std::slice::Iter<'a, T>,
    words: &'a [u64],
    /// The word that is looked at, and its bits that are left.
    at: usize,
    left: u64,
}

impl<T: Id> Iterator for Members<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.words.is_empty() {
            return self.listed.next().copied();
        }
        while self.left == 0 {
            self.at += 1;
            self.left = *self.words.get(self.at)?;
        }
        let bit = self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        Some(T::new(self.at * 64 + bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{LabelId, NodeId};

    #[test]
    fn sets_keep_their_members_in_either_form() {
        for universe in [1, 31, 64, 65, 300] {
            let mut sets: Subsets<LabelId, NodeId> = Subsets::new(universe);
            let mut expected: Vec<Vec<NodeId>> = Vec::new();
            for one_in in [1, 2, 20, 200] {
                let all = (0..universe).map(NodeId::new);
                let members: Vec<NodeId> = all.filter(|id| id.index() % one_in == 0).collect();
                match one_in % 3 {
                    1 => sets.push(&members),
                    _ => {
                        let mut bits = vec![0; universe.div_ceil(64)];
                        let index = members.iter().map(|id| id.index());
                        index.for_each(|index| bits[index / 64] |= 1 << (index % 64));
                        sets.push_bits(&bits)
                    }
                };
                expected.push(members);
            }
            for (row, members) in expected.iter_mut().enumerate() {
                let more: Vec<NodeId> =
                    [7, 5].map(|it| NodeId::new((it * row) % universe)).to_vec();
                sets.extend(LabelId::new(row), &more);
                members.extend(more);
                members.sort_unstable();
                members.dedup();
            }
            for (row, members) in expected.iter().enumerate() {
                let set = sets.of(LabelId::new(row));
                assert_eq!(set.to_vec(), *members);
                assert_eq!((set.len(), set.is_empty()), (members.len(), members.is_empty()));
                let asked = (0..universe + 70).map(NodeId::new);
                assert!(asked.clone().all(|id| set.contains(id) == members.contains(&id)));
            }
        }
    }

    #[test]
    #[should_panic = "members are sorted"]
    fn lists_that_are_not_sorted_are_refused() {
        Subsets::<LabelId, NodeId>::new(9).push(&[NodeId::new(2), NodeId::new(1)]);
    }
}

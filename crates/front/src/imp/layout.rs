//! States in few bits: how the values of slots are packed, and a table of the states seen.
//!
//! A slot with `n` values takes as many bits as `n - 1` needs, and lies in one word. States of a
//! program have the same number of words; they lie one behind the other in one array, and are found
//! again by a hash table of their numbers.

use super::expr::Range;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::{BuildHasher, Hasher};

/// Where the value of a slot lies.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: u32,
    shift: u32,
    mask: u64,
    low: i64,
}

/// Where the values of all slots lie.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    fields: Vec<Field>,
    words: usize,
}

impl Layout {
    /// Room for slots with these values; slots without any are left out, and read as 0.
    pub(super) fn new(slots: impl IntoIterator<Item = Option<Range>>) -> Self {
        let (mut word, mut used) = (0u32, 0u32);
        let mut fields = Vec::new();
        for range in slots {
            let (span, low) = range.map_or((0, 0), |range| (range.span(), range.low));
            let bits = u64::BITS - span.leading_zeros();
            if used + bits > u64::BITS {
                (word, used) = (word + 1, 0);
            }
            let mask = if bits == 0 { 0 } else { u64::MAX >> (u64::BITS - bits) };
            let shift = if bits == 0 { 0 } else { used };
            fields.push(Field { word, shift, mask, low });
            used += bits;
        }
        Layout { fields, words: word as usize + 1 }
    }

    /// How many words a state takes.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The value of a slot.
    #[inline]
    pub(super) fn get(&self, state: &[u64], slot: usize) -> i64 {
        let Field { word, shift, mask, low } = self.fields[slot];
        low.wrapping_add((state[word as usize] >> shift & mask) as i64)
    }

    /// Sets a slot to one of its values.
    #[inline]
    pub(super) fn set(&self, state: &mut [u64], slot: usize, value: i64) {
        let Field { word, shift, mask, low } = self.fields[slot];
        let word = &mut state[word as usize];
        *word = *word & !(mask << shift) | (value.wrapping_sub(low) as u64 & mask) << shift;
    }

    /// The values of all slots.
    pub(super) fn unpack(&self, state: &[u64], values: &mut Vec<i64>) {
        values.clear();
        values.extend((0..self.fields.len()).map(|slot| self.get(state, slot)));
    }
}

/// The states that were seen, numbered in the order in which they were.
#[derive(Clone, Debug)]
pub(super) struct States {
    words: usize,
    rows: Vec<u64>,
    index: HashTable<u32>,
}

fn hash(state: &[u64]) -> u64 {
    let mut hasher = rustc_hash::FxBuildHasher.build_hasher();
    for &word in state {
        hasher.write_u64(word);
    }
    hasher.finish()
}

impl States {
    /// No states, of so many words each.
    pub(super) fn new(words: usize) -> Self {
        States { words, rows: Vec::new(), index: HashTable::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len() / self.words
    }

    /// The words of a state.
    #[inline]
    pub(super) fn of(&self, number: usize) -> &[u64] {
        &self.rows[number * self.words..(number + 1) * self.words]
    }

    /// The number of a state, and whether it is new.
    pub(super) fn add(&mut self, state: &[u64]) -> (usize, bool) {
        let States { words, rows, index } = self;
        let row = |number: u32| {
            let begin = number as usize * *words;
            &rows[begin..begin + *words]
        };
        let found =
            index.entry(hash(state), |&number| row(number) == state, |&number| hash(row(number)));
        match found {
            Entry::Occupied(known) => (*known.get() as usize, false),
            Entry::Vacant(vacant) => {
                let number = rows.len() / *words;
                vacant.insert(u32::try_from(number).expect("memory ends before the numbers do"));
                rows.extend_from_slice(state);
                (number, true)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imp::expr::Type;

    #[test]
    fn what_is_packed_is_found_again() {
        let range = |low, high| Some(Range { kind: Type::Number, low, high });
        let ranges = [
            range(0, 0),
            range(-3, 4),
            None,
            range(i64::MIN, i64::MAX),
            range(0, 1),
            range(5, 1_000_000_000_000),
            range(-1, 1_000_000_000_000),
        ];
        let layout = Layout::new(ranges);
        let mut states = States::new(layout.words());
        let mut state = vec![0; layout.words()];
        let samples = [
            [0, -3, 0, i64::MIN, 0, 5, -1],
            [0, 4, 0, i64::MAX, 1, 1_000_000_000_000, 1_000_000_000_000],
            [0, 0, 0, -1, 1, 77, 0],
        ];
        let mut values = Vec::new();
        for (i, sample) in samples.iter().enumerate() {
            for (slot, &value) in sample.iter().enumerate() {
                layout.set(&mut state, slot, value);
            }
            layout.unpack(&state, &mut values);
            assert_eq!(values, sample);
            assert_eq!(states.add(&state), (i, true));
            assert_eq!(states.add(&state), (i, false));
        }
        assert_eq!(states.len(), 3);
        layout.unpack(states.of(1), &mut values);
        assert_eq!(values, samples[1]);
    }
}

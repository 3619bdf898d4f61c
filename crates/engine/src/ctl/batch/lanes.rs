//! Sets of claims of a batch: a bit for each, in as many words as the batch has.
//!
//! What a place costs is above all the memory that it is in. So there are as many lanes as can be
//! had for about that price, where there are claims for them; [`WIDE`] words are half of what a
//! processor gets from memory at a time.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

const WORD: usize = u64::BITS as usize;

/// How many words lanes have where there are many claims.
pub(crate) const WIDE: usize = 4;

/// A set of claims of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lanes<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Lanes<WORDS> {
    pub(super) const NONE: Self = Lanes([0; WORDS]);
    pub(super) const ALL: Self = Lanes([u64::MAX; WORDS]);

    /// The set of one claim.
    pub(super) fn one(lane: usize) -> Self {
        let mut lanes = Self::NONE;
        lanes.0[lane / WORD] = 1 << (lane % WORD);
        lanes
    }

    /// The set of the first claims, so many.
    pub(super) fn first(count: usize) -> Self {
        (0..count).map(Self::one).fold(Self::NONE, BitOr::bitor)
    }

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// Those that are not in another set.
    #[inline]
    pub(super) fn less(self, other: Self) -> Self {
        self & !other
    }

    /// Whether a claim is in it.
    #[inline]
    pub(super) fn has(self, lane: usize) -> bool {
        self.0[lane / WORD] >> (lane % WORD) & 1 != 0
    }

    /// The claims, in order.
    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(i, word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(i * WORD + bit)
            })
        })
    }

    /// Adds the claims of one word.
    pub(super) fn add_word(&mut self, word: usize, lanes: u64) {
        self.0[word] |= lanes;
    }
}

impl<const WORDS: usize> BitAnd for Lanes<WORDS> {
    type Output = Self;
    #[inline]
    fn bitand(mut self, other: Self) -> Self {
        self &= other;
        self
    }
}

impl<const WORDS: usize> BitOr for Lanes<WORDS> {
    type Output = Self;
    #[inline]
    fn bitor(mut self, other: Self) -> Self {
        self |= other;
        self
    }
}

impl<const WORDS: usize> BitAndAssign for Lanes<WORDS> {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= other;
        }
    }
}

impl<const WORDS: usize> BitOrAssign for Lanes<WORDS> {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }
}

impl<const WORDS: usize> Not for Lanes<WORDS> {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Lanes(self.0.map(|word| !word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_sets() {
        let some = Lanes::<2>::one(3) | Lanes::one(100);
        assert_eq!(some.iter().collect::<Vec<_>>(), [3, 100]);
        assert!(some.has(100) && !some.has(36) && !some.is_empty());
        assert_eq!(some.less(Lanes::first(64)), Lanes::one(100));
        assert_eq!(Lanes::<2>::first(128), Lanes::ALL);
        assert_eq!(!Lanes::<2>::ALL, Lanes::NONE);
        assert_eq!((Lanes::first(65) & some).iter().collect::<Vec<_>>(), [3]);
    }
}

//! Bit rows in flat arrays: `u64` words, the lowest bit first. Bits are named by typed positions.

use tern_model::Id;

/// How many words hold this many bits.
#[inline]
pub(crate) fn words_for(bits: usize) -> usize {
    bits.div_ceil(64)
}

/// Whether a bit is set.
#[inline]
pub(crate) fn get<I: Id>(row: &[u64], bit: I) -> bool {
    let bit = bit.index();
    row[bit / 64] >> (bit % 64) & 1 != 0
}

/// Sets a bit; says whether it was clear.
#[inline]
pub(crate) fn insert<I: Id>(row: &mut [u64], bit: I) -> bool {
    let bit = bit.index();
    let (word, mask) = (&mut row[bit / 64], 1 << (bit % 64));
    let new = *word & mask == 0;
    *word |= mask;
    new
}

/// Clears a bit.
#[inline]
pub(crate) fn remove<I: Id>(row: &mut [u64], bit: I) {
    let bit = bit.index();
    row[bit / 64] &= !(1 << (bit % 64));
}

/// The bits that are set, in order.
pub(crate) fn ones<I: Id>(row: &[u64]) -> impl Iterator<Item = I> + '_ {
    row.iter().enumerate().flat_map(|(i, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            Some(I::new(i * 64 + bit))
        })
    })
}

/// Clears the bits from `len` on, which a negation may have set.
pub(crate) fn trim(row: &mut [u64], len: usize) {
    if let Some(last) = row.last_mut()
        && !len.is_multiple_of(64)
    {
        *last &= (1 << (len % 64)) - 1;
    }
}

/// Exchanges rows and columns of a square of bits: bit `j` of word `i` becomes bit `i` of word `j`.
/// Squares of half the size are exchanged, then in each of these squares of a quarter, and so on.
pub(crate) fn transpose(square: &mut [u64; 64]) {
    let (mut half, mut low) = (32, u64::from(u32::MAX));
    while half > 0 {
        let mut row = 0;
        while row < 64 {
            let moved = (square[row] >> half ^ square[row + half]) & low;
            square[row] ^= moved << half;
            square[row + half] ^= moved;
            // The next row of an upper half.
            row = (row + half + 1) & !half;
        }
        half /= 2;
        low ^= low << half;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::ids::ExitPos;

    #[test]
    fn squares_are_transposed() {
        let mut square: [u64; 64] =
            std::array::from_fn(|i| (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let before = square;
        transpose(&mut square);
        for (i, row) in before.iter().enumerate() {
            assert!((0..64).all(|j| row >> j & 1 == square[j] >> i & 1));
        }
    }

    #[test]
    fn rows_hold_bits() {
        let [low, high] = [3, 129].map(ExitPos::new);
        let mut row = vec![0; words_for(130)];
        assert!(insert(&mut row, high) && insert(&mut row, low) && !insert(&mut row, low));
        assert_eq!(ones::<ExitPos>(&row).collect::<Vec<_>>(), [low, high]);
        remove(&mut row, low);
        assert!(!get(&row, low) && get(&row, high));
        row.fill(u64::MAX);
        trim(&mut row, 130);
        assert_eq!(ones::<ExitPos>(&row).count(), 130);
    }
}

//! The strings of a file, each known by a number.
//!
//! Unlike `tern_model`'s interner it does not copy what stands in the text as it is, and it
//! remembers hashes, so that growing does not read all strings again.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::borrow::Cow;
use std::hash::BuildHasher;
use std::num::NonZeroU32;
use tern_model::Id;

/// A string of the file; equal strings are one symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Symbol(NonZeroU32);

impl Id for Symbol {
    #[inline]
    fn new(index: usize) -> Self {
        let raw = u32::try_from(index + 1).expect("fewer strings than bytes of a file");
        Symbol(NonZeroU32::new(raw).expect("one more than an index"))
    }
    #[inline]
    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// In place of a length: longer than any string of a text of at most 4 GiB.
const DECODED: u32 = u32::MAX;

/// All strings seen so far.
pub(super) struct Symbols<'s> {
    text: &'s str,
    /// Those that are written with escapes, as they are without.
    decoded: Vec<String>,
    /// Where strings begin in the text, and their lengths; or which of the decoded, and
    /// [`DECODED`].
    strings: Vec<(u32, u32)>,
    /// Upper half of the hash, and the symbol.
    index: HashTable<(u32, Symbol)>,
}

impl<'s> Symbols<'s> {
    /// No strings of a text yet, with room for those that it probably has.
    pub(super) fn for_text(text: &'s str) -> Self {
        let count = text.len() / 256;
        Symbols {
            text,
            decoded: Vec::new(),
            strings: Vec::with_capacity(count),
            index: HashTable::with_capacity(count),
        }
    }

    /// The symbol of a string, which is added if it is new; it begins at an offset of the text,
    /// unless it had to be decoded.
    #[inline]
    pub(super) fn intern(&mut self, at: usize, string: Cow<'s, str>) -> Symbol {
        let tag = tag(&string);
        let same = |&(other, symbol): &(u32, Symbol)| {
            other == tag && self.bytes(symbol) == string.as_bytes()
        };
        if let Some(&(_, symbol)) = self.index.find(spread(tag), same) {
            return symbol;
        }
        let place = match string {
            Cow::Borrowed(string) => (at as u32, string.len() as u32),
            Cow::Owned(string) => {
                self.decoded.push(string);
                (self.decoded.len() as u32 - 1, DECODED)
            }
        };
        let symbol = Symbol::new(self.strings.len());
        self.index.insert_unique(spread(tag), (tag, symbol), |&(tag, _)| spread(tag));
        self.strings.push(place);
        symbol
    }

    /// The string of a symbol.
    #[inline]
    pub(super) fn of(&self, symbol: Symbol) -> &str {
        match self.strings[symbol.index()] {
            (row, DECODED) => &self.decoded[row as usize],
            (start, length) => &self.text[start as usize..(start + length) as usize],
        }
    }

    /// The same, where it need not be a text.
    #[inline]
    fn bytes(&self, symbol: Symbol) -> &[u8] {
        match self.strings[symbol.index()] {
            (row, DECODED) => self.decoded[row as usize].as_bytes(),
            (start, length) => &self.text.as_bytes()[start as usize..(start + length) as usize],
        }
    }

    /// How many symbols there are.
    pub(super) fn len(&self) -> usize {
        self.strings.len()
    }
}

#[inline]
fn tag(string: &str) -> u32 {
    (FxBuildHasher.hash_one(string) >> 32) as u32
}

/// Four bytes of hash are kept; the table wants good bits at both ends.
#[inline]
fn spread(tag: u32) -> u64 {
    u64::from(tag).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_one_symbol_however_it_is_written() {
        let text = r#"["a", "b", "\u0061", "\u0063"]"#;
        let mut names = Symbols::for_text(text);
        let a = names.intern(2, Cow::Borrowed("a"));
        let b = names.intern(7, Cow::Borrowed("b"));
        assert_eq!(names.intern(12, Cow::Owned("a".to_owned())), a);
        let c = names.intern(22, Cow::Owned("c".to_owned()));
        assert_eq!([a, b, c].map(|name| names.of(name)), ["a", "b", "c"]);
        assert_eq!(names.len(), 3);
    }
}

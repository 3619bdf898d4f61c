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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

/// All strings seen so far.
pub(super) struct Symbols<'s> {
    strings: Vec<Cow<'s, str>>,
    /// Upper half of the hash, and the symbol.
    index: HashTable<(u32, Symbol)>,
}

impl<'s> Symbols<'s> {
    /// No strings yet, with room for those of a text of this many bytes, roughly.
    pub(super) fn for_text(bytes: usize) -> Self {
        let count = bytes / 256;
        Symbols { strings: Vec::with_capacity(count), index: HashTable::with_capacity(count) }
    }

    /// The symbol of a string, which is added if it is new.
    #[inline]
    pub(super) fn intern(&mut self, string: Cow<'s, str>) -> Symbol {
        let tag = tag(&string);
        let Symbols { strings, index } = self;
        let same =
            |&(other, symbol): &(u32, Symbol)| other == tag && strings[symbol.index()] == string;
        if let Some(&(_, symbol)) = index.find(spread(tag), same) {
            return symbol;
        }
        let symbol = Symbol::new(strings.len());
        index.insert_unique(spread(tag), (tag, symbol), |&(tag, _)| spread(tag));
        strings.push(string);
        symbol
    }

    /// The string of a symbol.
    #[inline]
    pub(super) fn of(&self, symbol: Symbol) -> &str {
        &self.strings[symbol.index()]
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

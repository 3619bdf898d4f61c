//! Tests of heaps, grammars and pointer programs, against definitions that share nothing with them.

mod languages;
mod oracle;
mod problems;
mod random;
mod runs;

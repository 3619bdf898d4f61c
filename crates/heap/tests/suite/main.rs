//! Tests of heaps, grammars and pointer programs, against definitions that share nothing with them.

mod languages;
#[allow(dead_code, reason = "the tests of `tern` use more of it")]
mod oracle;
mod problems;
mod random;
mod runs;

//! The tests of result files, in one binary: each test binary links everything anew.
//! `cargo test -p tern-record --test suite NAME::` runs one file.

mod automaton_evidence;
mod certificate;

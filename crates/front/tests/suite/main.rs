//! The tests of readers and writers, in one binary: each test binary links everything anew.
//! `cargo test -p tern-front --test suite NAME::` runs one file.

mod generate;
mod input;
mod programs;
mod rsm_reading;
mod rsm_writing;

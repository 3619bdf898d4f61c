//! The tests of programs, in one binary. `cargo test -p tern-program --test suite NAME::` runs one
//! file.

#![allow(clippy::print_stdout)] // helpers say why tests are skipped

mod compiled;
mod hierarchies;
mod integers;
mod interpreter;
mod java;
mod java_runs;
mod known;
mod lowering;
mod machines;
mod preconditions;
mod proofs;
mod random;
mod reader;
mod recursion;
mod reflection;
mod renaming;
mod runs;
mod silence;
mod spoiled;
mod stronger;
mod styles;
mod texts;
mod told;
mod traps;

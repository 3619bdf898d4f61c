//! The tests of programs, in one binary. `cargo test -p tern-program --test suite NAME::` runs one
//! file.

mod hierarchies;
mod interpreter;
mod machines;
mod random;
mod texts;

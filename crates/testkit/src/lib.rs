//! What the engines, the certifier and the oracles are tried on.
//!
//! * [`sample`]: random machines and formulas, by seed;
//! * [`tiny`]: all machines of a tiny shape, and formulas worth asking about them;
//! * [`sketch`]: machines and formulas in a few lines of text, and machines back to text, so that
//!   a failing test prints what can be pasted into the next one;
//! * [`words`]: words that end in a loop, random automata, and which of them accept which.
//!
//! It depends on `tern-model` alone, so that every other crate can use it in its tests.

pub mod sample;
pub mod sketch;
pub mod tiny;
pub mod words;

/// A number from the environment, such as `TERN_PAIRS`, `TERN_SEED` and `TERN_WHOLE`: how much
/// random and exhaustive tests try.
///
/// # Panics
/// If it is given and no number: a test that was asked for more must not try less.
pub fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => {
            text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, which is no number"))
        }
        Err(_) => default,
    }
}

//! What the engines, the certifier and the oracles are tried on.
//!
//! * [`sample`]: random machines and formulas, by seed;
//! * [`tiny`]: all machines of a tiny shape, and formulas worth asking about them;
//! * [`sketch`]: machines and formulas in a few lines of text, and machines back to text, so that
//!   a failing test prints what can be pasted into the next one;
//! * [`programs`]: random C programs over integers, and claims about them;
//! * [`words`]: words that end in a loop, random automata, and which of them accept which.
//!
//! It depends on `tern-model` alone, so that every other crate can use it in its tests.

use std::path::{Path, PathBuf};

pub mod programs;
pub mod sample;
pub mod sketch;
pub mod tiny;
pub mod words;

/// A file or folder of models and claims from elsewhere, which are not part of the project: in the
/// folder `TERN_DATA`, or else beside the project. Where it is absent a test must skip: that is
/// told here.
#[allow(clippy::print_stdout)]
pub fn data(name: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var("TERN_DATA").unwrap_or_else(|_| beside.to_owned());
    let path = Path::new(&folder).join(name);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: there is no {}; TERN_DATA names the folder to look in", path.display());
    None
}

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

/// How large a test makes what is meant to be `full` large: a fifth of it, or as many per cent as
/// `TERN_LARGE` says.
pub fn large(full: usize) -> usize {
    full * setting("TERN_LARGE", 20) as usize / 100
}

//! States of the complement of an automaton as JSON, and back. `docs/certificate.md` is its
//! specification.
//!
//! ```text
//! []                                             all runs have ended
//! [3]  [3,1]                                     the run is in state 3; and carries mark 1 no more
//! {"tree": [[0,0,0],[2,1,0,1]], "guess": null}   all runs: state, counter and path of each pair
//! ```
//! The guess is null for nothing, -1 for quiet, or the name of the node that dies.

use crate::flaw::{Nonsense, below};
use serde::{Deserialize, Serialize};
use tern_model::complement_state::{ComplementState, Guess};
use tern_model::index::MAX_ROWS;
use tern_model::{Id, StateId};

/// A state of the complement.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum WatchFile {
    Run(Vec<u32>),
    Tree { tree: Vec<Vec<u32>>, guess: Option<i64> },
}

pub(crate) fn write(watch: &ComplementState) -> WatchFile {
    let number = |state: &StateId| u32::try_from(state.index()).expect("ids are 32 bits");
    match watch {
        ComplementState::Dead => WatchFile::Run(Vec::new()),
        ComplementState::Run { at, without } => {
            WatchFile::Run([number(at)].into_iter().chain(*without).collect())
        }
        ComplementState::Tree { paths, guess } => {
            let row = |(state, counter, path): &(StateId, u32, Vec<u32>)| {
                [number(state), *counter].iter().chain(path).copied().collect()
            };
            let guess = match *guess {
                Guess::Nothing => None,
                Guess::Quiet => Some(-1),
                Guess::Dies(name) => Some(i64::from(name)),
            };
            WatchFile::Tree { tree: paths.iter().map(row).collect(), guess }
        }
    }
}

/// # Errors
/// What makes no sense. Whether there are such states and marks is for others to see.
pub(crate) fn read(file: WatchFile) -> Result<ComplementState, Nonsense> {
    // The automaton is not known here, so all that can be asked is that the number fits an id.
    let state = |number: u32| below(number, MAX_ROWS, "state").map(StateId::new);
    match file {
        WatchFile::Run(list) => match list[..] {
            [] => Ok(ComplementState::Dead),
            [at] => Ok(ComplementState::Run { at: state(at)?, without: None }),
            [at, mark] => Ok(ComplementState::Run { at: state(at)?, without: Some(mark) }),
            _ => Err(Nonsense::NotOne { what: "state of a complement", numbers: list }),
        },
        WatchFile::Tree { tree, guess } => {
            let row = |row: Vec<u32>| match row[..] {
                [at, counter, ref path @ ..] => Ok((state(at)?, counter, path.to_vec())),
                _ => Err(Nonsense::NotOne { what: "path of a tree", numbers: row }),
            };
            let guess = match guess {
                None => Guess::Nothing,
                Some(-1) => Guess::Quiet,
                Some(name) => {
                    let bad = |_| Nonsense::no_such("guess", name);
                    Guess::Dies(u32::try_from(name).map_err(bad)?)
                }
            };
            let paths = tree.into_iter().map(row).collect::<Result<_, _>>()?;
            Ok(ComplementState::Tree { paths, guess })
        }
    }
}

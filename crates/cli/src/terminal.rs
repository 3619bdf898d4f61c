//! Standard output and standard error: colours, and what to do when they cannot be written.

use crate::args::Color;
use crate::failure::Failure;
use std::env;
use std::io::{self, IsTerminal, Write};
use tern_report::Palette;

/// The two streams, and how to colour them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    /// The colours of standard output.
    pub(crate) out: Palette,
    /// The colours of standard error.
    pub(crate) err: Palette,
    /// How many problems of bad input are shown.
    pub(crate) most_problems: usize,
}

impl Terminal {
    /// The streams with the colours asked for; of bad input so many problems are shown.
    pub(crate) fn new(color: Color, most_problems: usize) -> Self {
        let coloured = |is_terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && !no_color() && !dumb(),
        };
        Terminal {
            out: Palette::new(coloured(io::stdout().is_terminal())),
            err: Palette::new(coloured(io::stderr().is_terminal())),
            most_problems,
        }
    }

    /// Writes results.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::Output)
    }

    /// Writes what is not a result. There is nobody left to tell if this fails.
    pub(crate) fn complain(&self, text: &str) {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

/// <https://no-color.org>: set and not empty, whatever the value.
fn no_color() -> bool {
    env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

fn dumb() -> bool {
    env::var_os("TERM").is_some_and(|value| value == "dumb")
}

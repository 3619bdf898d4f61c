//! How a run of Tern ends: the exit statuses, and what is said when there is no answer.

use crate::terminal::Terminal;
use std::io;
use tern_front::Wrong;
use tern_front::render::render_all;
use tern_model::{Limit, Verdict};
use tern_report::visible;

/// The exit statuses of runs that ended as they should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// All claims hold, or all evidence is accepted, or what was asked is done.
    Good = 0,
    /// Some claim fails, or some evidence is refused.
    Fails = 1,
    /// Some claim is unknown and none fails; or some has no evidence and none is refused.
    Unknown = 3,
}

impl Status {
    /// The status of claims with these verdicts.
    pub(crate) fn of<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> Self {
        verdicts.into_iter().fold(Status::Good, |status, verdict| match (status, verdict) {
            (Status::Fails, _) | (_, Verdict::Fails) => Status::Fails,
            (Status::Unknown, _) | (_, Verdict::Unknown(_)) => Status::Unknown,
            (Status::Good, Verdict::Holds) => Status::Good,
        })
    }
}

/// Bad input or usage; nothing was checked and nothing printed to standard output.
const REFUSED: u8 = 2;
/// A fault in Tern itself (`EX_SOFTWARE` of BSD).
pub(crate) const FAULT: u8 = 70;
/// Output could not be written (`EX_IOERR`).
const UNWRITABLE: u8 = 74;
/// The reader of standard output went away; what shells report of others in that case.
const BROKEN_PIPE: u8 = 141;

/// What is said of a fault in Tern itself.
pub(crate) fn fault(cause: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let home = env!("CARGO_PKG_REPOSITORY");
    format!(
        "internal error: {}\n\
         This is a fault in Tern {version}, not in your model, and says nothing about the claim.\n\
         Please report it, with the model and the command line, at {home}/issues\n",
        visible(cause)
    )
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The inputs are wrong.
    Input(Vec<Wrong>),
    /// The command line asks for something that makes no sense.
    Usage {
        /// What is wrong, in one line.
        message: String,
        /// What to do about it.
        hint: String,
    },
    /// A limit was reached where no claim can be called unknown.
    Limit(Limit),
    /// A file could not be written; says which and why.
    File(String, io::Error),
    /// Standard output could not be written.
    Output(io::Error),
}

impl Failure {
    /// Says what happened on standard error and gives the exit status. `consequence` says what
    /// was not done.
    pub(crate) fn report(&self, terminal: &Terminal, consequence: &str) -> u8 {
        let palette = terminal.err;
        let error = |message: &str| {
            format!("{}error{}: {}\n", palette.bad, palette.reset, visible(message))
        };
        match self {
            Failure::Input(wrong) => {
                terminal.complain(&render_all(wrong, consequence, palette));
                REFUSED
            }
            Failure::Usage { message, hint } => {
                let help = format!("  {}= help:{} {hint}\n", palette.note, palette.reset);
                terminal.complain(&(error(message) + &help));
                REFUSED
            }
            Failure::Limit(limit) => {
                terminal.complain(&error(&format!("{limit}; {consequence}")));
                Status::Unknown as u8
            }
            Failure::File(name, cause) => {
                terminal.complain(&error(&format!("cannot write `{name}`: {cause}")));
                UNWRITABLE
            }
            Failure::Output(cause) if cause.kind() == io::ErrorKind::BrokenPipe => BROKEN_PIPE,
            Failure::Output(cause) => {
                terminal.complain(&error(&format!("cannot write standard output: {cause}")));
                UNWRITABLE
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tern_model::Gap;

    #[test]
    fn a_failure_outweighs_an_unknown_and_an_unknown_a_success() {
        let unknown = Verdict::Unknown(Gap::Limit(Limit::Interrupted));
        assert_eq!(Status::of([]), Status::Good);
        assert_eq!(Status::of([&Verdict::Holds, &unknown, &Verdict::Holds]), Status::Unknown);
        assert_eq!(Status::of([&unknown, &Verdict::Fails, &unknown]), Status::Fails);
    }
}

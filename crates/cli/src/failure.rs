//! How a run of Tern ends: the exit statuses, and what is said when there is no answer.

use crate::terminal::Terminal;
use std::io;
use tern_front::render::{place, render_all};
use tern_front::{Problem, Source, Wrong};
use tern_model::Limit;
use tern_record::json::Remark;
use tern_report::visible;

/// The exit statuses of runs that ended as they should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// All claims hold, or all evidence is accepted, or what was asked is done.
    Good = 0,
    /// Some claim fails, or some evidence is refused.
    Fails = 1,
    /// One of several models could not be read.
    Refused = 2,
    /// Some claim is unknown and none fails; or some has no evidence and none is refused.
    Unknown = 3,
}

impl Status {
    /// The worse of two: bad input before a failure before what is unknown.
    pub(crate) fn worse(self, other: Status) -> Status {
        let order = [Status::Refused, Status::Fails, Status::Unknown];
        order.into_iter().find(|&it| it == self || it == other).unwrap_or(Status::Good)
    }
}

/// Bad input or usage; nothing was checked.
const REFUSED: u8 = Status::Refused as u8;
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

/// A problem as a part of a JSON result. Without a place in a text, its place is the text.
fn remark(source: &Source, problem: &Problem) -> Remark {
    let at = problem.at.as_ref().map(|label| place(source, label));
    Remark {
        code: Some(problem.code),
        message: problem.message.clone(),
        place: at.or_else(|| Some(source.name.clone())),
        hint: problem.hint.clone(),
    }
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
    /// There is nothing to check, or not what was asked for.
    NoClaim {
        /// What is missing, in one line.
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
    /// What is wrong, as parts of a JSON result.
    pub(crate) fn remarks(&self) -> Vec<Remark> {
        match self {
            Failure::Input(wrong) => {
                let all = wrong.iter().flat_map(|Wrong { source, problems }| {
                    problems.iter().map(move |problem| (source, problem))
                });
                all.map(|(source, problem)| remark(source, problem)).collect()
            }
            Failure::Usage { message, hint } | Failure::NoClaim { message, hint } => {
                let (message, hint) = (message.clone(), Some(hint.clone()));
                vec![Remark { code: None, message, place: None, hint }]
            }
            Failure::Limit(_) | Failure::File(..) | Failure::Output(_) => Vec::new(),
        }
    }

    /// That calls of an abstract machine cannot be taken for single steps.
    pub(crate) fn abstract_top_level() -> Self {
        Failure::Usage {
            message: "the model has edges that are only possible, or unknown labels".to_owned(),
            hint: "leave out --top-level: calls of such a model are not taken for single steps"
                .to_owned(),
        }
    }

    /// Says what happened on standard error and gives the exit status. `consequence` says what
    /// was not done.
    pub(crate) fn report(&self, terminal: &Terminal, consequence: &str) -> u8 {
        let palette = terminal.err;
        let error = |message: &str| {
            format!("{}error{}: {}\n", palette.bad, palette.reset, visible(message))
        };
        match self {
            Failure::Input(wrong) => {
                let (most, more_by) = (terminal.most_problems, "--max-problems 0 shows more");
                terminal.complain(&render_all(wrong, most, more_by, consequence, palette));
                REFUSED
            }
            Failure::Usage { message, hint } | Failure::NoClaim { message, hint } => {
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

    #[test]
    fn bad_input_outweighs_a_failure_a_failure_an_unknown_and_an_unknown_a_success() {
        let order = [Status::Refused, Status::Fails, Status::Unknown, Status::Good];
        for (i, &worse) in order.iter().enumerate() {
            for &better in &order[i..] {
                assert_eq!((worse.worse(better), better.worse(worse)), (worse, worse));
            }
        }
    }
}

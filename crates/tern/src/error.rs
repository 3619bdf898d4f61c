//! Why there is no answer: what is wrong with an input, or a limit.

use std::fmt;
use tern_front::source::Position;
use tern_front::{Problem, Refusal, Source};
use tern_model::Limit;

/// Why an input gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is wrong: everything that is, in the order of the text.
    #[error("{}", lines(.0))]
    Input(Vec<Wrong>),
    /// There is no engine of this name.
    #[error("there is no engine `{0}`")]
    Engine(String),
    /// A limit was reached while it was read.
    #[error("{0}")]
    Limit(#[from] Limit),
}

/// One thing that is wrong with an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// What the input is called.
    pub file: String,
    /// Where it is wrong, if there is a place.
    pub position: Option<Position>,
    /// What is wrong.
    pub problem: Problem,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if let Some(Position { line, column }) = self.position {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", self.problem)
    }
}

fn lines(wrong: &[Wrong]) -> String {
    wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl Error {
    /// What a reader found wrong with a source.
    pub fn new(source: &Source, refusal: Refusal) -> Self {
        let problems = match refusal {
            Refusal::Limit(limit) => return Error::Limit(limit),
            Refusal::Problems(problems) => problems,
        };
        let wrong = |problem: Problem| Wrong {
            file: source.name.clone(),
            position: problem.at.as_ref().map(|at| source.position(at.span.start as usize)),
            problem,
        };
        Error::Input(problems.into_iter().map(wrong).collect())
    }
}

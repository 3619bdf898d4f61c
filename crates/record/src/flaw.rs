//! What makes no sense in the evidence of a result file: what it is, and where it stands.

use std::fmt;

/// Evidence that makes no sense for its machine and claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The way to it, from outside in.
    pub at: Vec<Step>,
    /// What is wrong there.
    pub what: Nonsense,
}

impl std::error::Error for Flaw {}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.at {
            write!(f, "{step}: ")?;
        }
        self.what.fmt(f)
    }
}

/// A part of the evidence, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each is what its words say")]
pub enum Step {
    #[error("term {0} of the program")]
    Term(usize),
    #[error("layer {0}")]
    Layer(usize),
    #[error("ground frame {0}")]
    GroundFrame(usize),
    #[error("frame {0}")]
    Frame(usize),
    #[error("event {0}")]
    Event(usize),
    #[error("run {0}")]
    Run(usize),
    #[error("move {0}")]
    Move(usize),
    #[error("state {0}")]
    State(usize),
    #[error("start {0}")]
    Start(usize),
    #[error("copy {0}")]
    Copy(usize),
    #[error("contract {0}")]
    Contract(usize),
    #[error("vertex {0}")]
    Vertex(usize),
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Nonsense {
    /// It is not JSON, or a field is missing or of the wrong type; as the parser says it.
    #[error("{0}")]
    Form(String),
    /// Evidence of a kind that is not known.
    #[error("`{0}` is no kind of evidence that this version knows")]
    Kind(String),
    /// Evidence of a kind that no claim about an automaton has.
    #[error("evidence of the kind `{0}` says nothing about automata")]
    NotOfAutomata(String),
    /// Evidence of a later version.
    #[error("version {version} of `{kind}` is not known here")]
    Version {
        /// What kind of evidence it is.
        kind: String,
        /// Its version.
        version: u32,
    },
    /// A number that nothing of its kind has.
    #[error("there is no {what} {number}")]
    NoSuch {
        /// The kind.
        what: &'static str,
        /// The number.
        number: i64,
    },
    /// A list of pairs of an odd length.
    #[error("{0}: a list of pairs has an odd length")]
    HalfAPair(&'static str),
    /// A row of bits with a sign that is no digit.
    #[error("{0}: a digit that is none of 0-9 and a-f")]
    Digit(&'static str),
    /// A row of bits with a one behind the last position.
    #[error("{row}: there is no position {position}")]
    Position {
        /// The row.
        row: &'static str,
        /// The position.
        position: usize,
    },
    /// A term that does not begin with an operator.
    #[error("it does not begin with an operator")]
    NoOperator,
    /// A term that is none.
    #[error("`{0}` is no operator with such operands")]
    Operator(String),
    /// A proposition that the claim does not have.
    #[error("the claim does not speak of `{0}`")]
    Proposition(String),
    /// A proof of no known kind.
    #[error("`{0}` is no kind of proof")]
    Proof(String),
    /// Something by another name than those that are known.
    #[error("`{0}` says nothing about runs")]
    Sought(String),
    /// Numbers that do not make what they stand for.
    #[error("{numbers:?} is no {what}")]
    NotOne {
        /// What they stand for.
        what: &'static str,
        /// The numbers.
        numbers: Vec<u32>,
    },
    /// A field that is needed here.
    #[error("missing field `{0}`")]
    Missing(&'static str),
}

impl Nonsense {
    /// A number that nothing of a kind has.
    pub(crate) fn no_such(what: &'static str, number: impl Into<i64>) -> Self {
        Nonsense::NoSuch { what, number: number.into() }
    }
}

impl From<Nonsense> for Flaw {
    fn from(what: Nonsense) -> Self {
        Flaw { at: Vec::new(), what }
    }
}

impl From<serde_json::Error> for Flaw {
    fn from(error: serde_json::Error) -> Self {
        Nonsense::Form(error.to_string()).into()
    }
}

/// Says in which part of the evidence something is wrong.
pub(crate) trait Within<T> {
    fn within(self, step: Step) -> Result<T, Flaw>;
}

impl<T, E: Into<Flaw>> Within<T> for Result<T, E> {
    fn within(self, step: Step) -> Result<T, Flaw> {
        self.map_err(|error| {
            let mut flaw: Flaw = error.into();
            flaw.at.insert(0, step);
            flaw
        })
    }
}

/// An index below `count`.
pub(crate) fn below(number: u32, count: usize, what: &'static str) -> Result<usize, Nonsense> {
    let index = usize::try_from(number).ok().filter(|&index| index < count);
    index.ok_or_else(|| Nonsense::no_such(what, number))
}

/// Pairs that are written flat.
pub(crate) fn pairs(
    numbers: &[u32],
    what: &'static str,
) -> Result<impl Iterator<Item = (u32, u32)>, Nonsense> {
    let (pairs, rest) = numbers.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Nonsense::HalfAPair(what));
    }
    Ok(pairs.iter().map(|&[first, second]| (first, second)))
}

//! What is wrong with an input, as data. [`render`](crate::render) turns it into text, with pieces
//! of the input.

use std::fmt;
use tern_model::{Limit, Span, visible};

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The input can be used, but may not mean what was meant.
    Warning,
    /// The input cannot be used.
    Error,
}

/// A place in a source, with a few words on what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there; may be empty.
    pub text: String,
}

/// One thing that is wrong with an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// A short stable code, such as `R104`; each reader lists its own in a table `CODES`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one line: begins in lower case, ends without a full stop.
    pub message: String,
    /// The place at fault, if there is one.
    pub at: Option<Label>,
    /// Other places that explain it, such as a first declaration.
    pub related: Vec<Label>,
    /// What to do about it.
    pub hint: Option<String>,
    /// How many problems this one stands for; more than one if they were only counted.
    pub count: usize,
}

impl Problem {
    /// An error without a place.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Problem {
            code,
            severity: Severity::Error,
            message: message.into(),
            at: None,
            related: Vec::new(),
            hint: None,
            count: 1,
        }
    }

    /// A warning without a place.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Problem { severity: Severity::Warning, ..Problem::error(code, message) }
    }

    /// The same problem, at a place.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.at = Some(Label { span, text: text.into() });
        self
    }

    /// The same problem, with another place that explains it.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Label { span, text: text.into() });
        self
    }

    /// The same problem, with what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

impl fmt::Display for Problem {
    /// What is wrong and what to do about it. [`Problem::show`] shows the place too.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity, self.code, visible(&self.message))?;
        for (i, line) in self.hint.iter().flat_map(|hint| hint.lines()).enumerate() {
            let lead = if i == 0 { "= help:" } else { "       " };
            write!(f, "\n  {lead} {}", visible(line))?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

/// Why a reader gave no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The input is wrong: all that is wrong with it, in the order of the text.
    Problems(Vec<Problem>),
    /// The budget ran out; nothing is said about the input.
    Limit(Limit),
}

impl fmt::Display for Refusal {
    /// All problems, without their places. [`Refusal::show`] shows these too.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Limit(limit) => limit.fmt(f),
            Refusal::Problems(problems) => {
                let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

impl std::error::Error for Refusal {}

impl From<Limit> for Refusal {
    fn from(limit: Limit) -> Self {
        Refusal::Limit(limit)
    }
}

impl From<Vec<Problem>> for Refusal {
    fn from(problems: Vec<Problem>) -> Self {
        Refusal::Problems(problems)
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Refusal::Problems(vec![problem])
    }
}

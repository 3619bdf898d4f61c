//! Why there is no answer: what is wrong with an input, or a limit.

use std::fmt;
use tern_front::{Refusal, Source, Wrong};
use tern_model::Limit;

/// Why an input gave nothing. It prints itself as the command line would: with the pieces of the
/// input that are wrong, and with hints.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is wrong: everything that is, in the order of the text.
    #[error("{0}")]
    Input(#[from] Wrong),
    /// There is no engine of this name.
    #[error("there is no engine `{0}`")]
    Engine(String),
    /// A limit was reached while it was read.
    #[error("{0}")]
    Limit(#[from] Limit),
}

impl fmt::Debug for Error {
    /// As text for people: this is what a program prints whose `main` returns the error.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// What a reader found wrong with a source.
    pub fn new(source: Source, refusal: Refusal) -> Self {
        match refusal {
            Refusal::Limit(limit) => Error::Limit(limit),
            Refusal::Problems(problems) => Error::Input(Wrong { source, problems }),
        }
    }
}

impl From<(Source, Refusal)> for Error {
    /// What [`Model::read`](crate::Model::read) gives instead of a model.
    fn from((source, refusal): (Source, Refusal)) -> Self {
        Error::new(source, refusal)
    }
}

#[cfg(test)]
mod tests {
    use crate::Model;

    #[test]
    fn errors_print_themselves_with_excerpt_and_hint() {
        let text = "component main {\n  initial entry a -> b;\n  nod b {p} -> b;\n}\n";
        let error = Model::parse(text).expect_err("`nod` is no keyword");
        let expected = "\
error[T006]: unexpected `nod`
 --> model.tern:3:3
  |
3 |   nod b {p} -> b;
  |   ^^^ a keyword is expected
  = help: did you mean `node`?";
        assert_eq!(error.to_string(), expected);
        assert_eq!(format!("{error:?}"), expected, "what `main` prints");
        let mut model =
            Model::parse("component main { initial entry a {p} -> a; }").expect("sound");
        let error = model.claim("AG (p").expect_err("open");
        assert!(error.to_string().contains("1 | AG (p\n  |    ^ "), "{error}");
    }
}

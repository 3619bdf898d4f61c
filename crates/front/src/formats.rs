//! The formats of models, as a table: a new format is a folder with a row [`Format`], and its name
//! in [`FORMATS`].
//!
//! Whoever reads or writes models goes through the table: the command line, its help and the
//! library know no format by name.

use crate::input::extension;
use crate::problem::{Problem, Refusal};
use crate::source::{Setting, Source};
use crate::unexplored::Unexplored;
use crate::vocabulary::Vocabulary;
use crate::{imp, kripke, pdmu, pds, rsm, smv, tern};
use tern_model::{Budget, Claims, Machine};

/// A format of models.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--to` takes it.
    pub name: &'static str,
    /// What a text of it is called in a sentence: "this was read as …".
    pub called: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The endings of its files, without the dot; the first is the usual one.
    pub endings: &'static [&'static str],
    /// How much the beginning of a text is like it. Blanks before the text are left out.
    pub likeness: fn(&[u8]) -> Likeness,
    /// Reads a machine, and the claims that stand beside it.
    pub read: Reader,
    /// Whether its models have values, so that comparisons such as `x = 1` may stand bare in
    /// claims about them.
    pub has_values: bool,
    /// Writes models, if it can.
    pub writer: Option<Writer>,
    /// The page of the guide on it.
    pub page: &'static str,
    /// The codes of its problems, each with what it means.
    pub codes: &'static [(&'static str, &'static str)],
}

/// Gives what a text says, or all that is wrong with it.
pub type Reader = fn(&Source, &Budget) -> Result<Reading, Refusal>;

/// What a text says.
#[derive(Debug)]
pub struct Reading {
    /// The machine.
    pub machine: Machine,
    /// The claims that stand beside it.
    pub claims: Claims,
    /// What is not wrong, but perhaps not meant.
    pub warnings: Vec<Problem>,
    /// What knows more propositions than there are labels.
    pub vocabulary: Option<Box<dyn Vocabulary>>,
}

impl From<(Machine, Claims)> for Reading {
    /// A machine that has labels only.
    fn from((machine, claims): (Machine, Claims)) -> Self {
        Reading { machine, claims, warnings: Vec::new(), vocabulary: None }
    }
}

/// How models are written in a format.
#[derive(Clone, Copy, Debug)]
pub struct Writer {
    /// Gives the text, or everything about the machine that the format cannot say.
    pub write: fn(&Machine, &Claims) -> Result<String, Vec<Problem>>,
    /// Whether claims and fairness conditions are written too. If not, they are left out, and who
    /// writes a model has to say so.
    pub holds_claims: bool,
}

/// How much a text looks like a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// It cannot be one.
    None,
    /// It may be one, perhaps with a mistake in it.
    Some,
    /// It can hardly be anything else, whatever the name of the file says.
    Certain,
}

/// All formats. The first is what a text is taken for that looks like none of them.
pub static FORMATS: [&Format; 8] = [
    &tern::FORMAT,
    &rsm::FORMAT,
    &smv::FORMAT,
    &pds::FORMAT,
    &pdmu::FORMAT,
    &imp::FORMAT,
    &kripke::dot::FORMAT,
    &kripke::aut::FORMAT,
];

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Format {
    /// The format of a name.
    pub fn named(name: &str) -> Option<&'static Format> {
        FORMATS.into_iter().find(|format| format.name == name)
    }

    /// The format that the name of a file tells, if it tells one.
    pub fn of_name(name: &str) -> Option<&'static Format> {
        let ending = extension(name);
        let fits = |own: &&str| own.eq_ignore_ascii_case(ending);
        FORMATS.into_iter().find(|format| format.endings.iter().any(fits))
    }

    /// The settings that its reader takes.
    pub fn settings(&self) -> &'static [&'static str] {
        if *self == imp::FORMAT { imp::SETTINGS } else { &[] }
    }

    /// Reads a text of this format without looking for states, if it can be read so.
    ///
    /// # Errors
    /// All that is wrong with the text, or that it has settings which the format does not have; or
    /// what ran out.
    pub fn begin(
        &self,
        source: &Source,
        budget: &Budget,
    ) -> Result<Option<Box<dyn Unexplored>>, Refusal> {
        self.check_settings(source)?;
        if *self == imp::FORMAT { imp::begin(source, budget).map(Some) } else { Ok(None) }
    }

    /// Reads a text of this format.
    ///
    /// # Errors
    /// All that is wrong with the text, or that it has settings which the format does not have; or
    /// what ran out.
    pub fn read(&self, source: &Source, budget: &Budget) -> Result<Reading, Refusal> {
        self.check_settings(source)?;
        (self.read)(source, budget)
    }

    fn check_settings(&self, source: &Source) -> Result<(), Refusal> {
        let unknown = |it: &&Setting| !self.settings().contains(&it.name.as_str());
        if let Some(Setting { name, .. }) = source.settings.iter().find(unknown) {
            let message = format!("`{name}` cannot be set for {}", self.called);
            return Err(Problem::error("M107", message).hint("leave it out").into());
        }
        Ok(())
    }

    /// The format of a text: that of its name, unless the text is certainly of another; without
    /// a name that tells, the one it looks most like. `None` if there is nothing to go by.
    pub fn of(source: &Source) -> Option<&'static Format> {
        let text = source.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&source.bytes);
        let text = text.trim_ascii_start();
        let likeness = |format: &Format| (format.likeness)(text);
        let named = Format::of_name(&source.name);
        if named.is_some_and(|named| likeness(named) != Likeness::None) {
            return named;
        }
        // Of those that are alike, the first.
        let most = FORMATS.into_iter().rev().max_by_key(|format| likeness(format));
        match (named, most) {
            (Some(named), Some(most)) => {
                let lies = likeness(most) == Likeness::Certain && !text.is_empty();
                Some(if lies { most } else { named })
            }
            (None, most) if !text.is_empty() => most,
            (named, _) => named,
        }
    }
}

/// The endings of the names of models, without the dot.
pub fn endings() -> impl Iterator<Item = &'static str> {
    FORMATS.into_iter().flat_map(|format| format.endings.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_endings_and_codes_are_unique() {
        let mut seen = BTreeSet::new();
        let words = FORMATS.into_iter().flat_map(|format| {
            let codes = format.codes.iter().map(|&(code, _)| code.to_owned());
            let endings = format.endings.iter().map(|ending| format!(".{ending}"));
            codes.chain(endings).chain([format!("--to {}", format.name)])
        });
        let twice: Vec<String> = words.filter(|word| !seen.insert(word.clone())).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn every_format_has_a_page() {
        for format in FORMATS {
            let path = format!("{}/../../{}", env!("CARGO_MANIFEST_DIR"), format.page);
            let page = std::fs::read_to_string(&path).expect("the page is there");
            assert!(page.contains(&format!(".{}", format.endings[0])), "{path}");
        }
    }

    #[test]
    fn what_is_written_is_recognised() {
        let source = Source::new("m.tern", "component main { initial a -> b; node b {p} -> b; }");
        let (machine, claims) = tern::read(&source, &Budget::unlimited()).expect("sound");
        for format in FORMATS {
            let Some(writer) = format.writer else { continue };
            let text = (writer.write)(&machine, &claims).expect("every format can say this");
            assert_eq!(Format::of(&Source::new("", text)), Some(format));
        }
    }
}

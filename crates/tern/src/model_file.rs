//! A model as it stands in a file: the machine, and the claims with their fairness conditions.

use crate::Error;
use crate::session::{Ask, Session};
use tern_front::vocabulary::{self, Wanted};
use tern_front::{
    Format, Problem, Reading, Reduction, Refusal, Source, Unexplored, Vocabulary, claims, input,
};
use tern_model::{Budget, Claims, Limit, Machine};

/// A model that was read.
#[derive(Debug)]
pub struct Model {
    /// The text it was read from.
    pub source: Source,
    /// The machine.
    pub machine: Machine,
    /// The claims that stand in the same text, and those that were added, under their fairness
    /// conditions.
    pub claims: Claims,
    /// What is not wrong with the text, but perhaps not meant.
    pub warnings: Vec<Problem>,
    /// What knows more propositions than the machine has labels, and the values at its nodes.
    pub vocabulary: Option<Box<dyn Vocabulary>>,
}

impl Model {
    /// Reads a text in the format of `.tern` files.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::of(Source::new("model.tern", text), &Budget::unlimited())
    }

    /// Reads a file: `.tern` or `.rsm`, perhaps compressed, or a member of an archive; `-` is
    /// standard input.
    ///
    /// # Errors
    /// All that is wrong with it, also that it cannot be opened; or a limit.
    pub fn open(path: &str, budget: &Budget) -> Result<Self, Error> {
        let opened = input::open(path, budget);
        Self::of(opened.map_err(|refusal| Error::new(Source::new(path, ""), refusal))?, budget)
    }

    /// Reads a program, such as a `.jar`. Its machine depends on the claims: it is made by
    /// [`Model::settle`], and made anew when a claim is added.
    ///
    /// # Errors
    /// All that is wrong with it, or a limit.
    pub fn program(
        path: &str,
        kind: &tern_program::sources::Source,
        options: &tern_program::sources::Options,
        budget: &Budget,
    ) -> Result<Self, (Source, Refusal)> {
        let source = Source::new(path, "");
        match tern_program::sources::open(kind, path, options, budget) {
            Ok((code, warnings)) => Ok(Model {
                source,
                machine: Machine::default(),
                claims: Claims::new(),
                warnings,
                vocabulary: Some(Box::new(code)),
            }),
            Err(refusal) => Err((source, refusal)),
        }
    }

    /// Makes the machine of a program for the claims that are there. Models that were read from
    /// text are settled.
    ///
    /// # Errors
    /// What of the claims is not understood, or a limit.
    pub fn settle(&mut self, budget: &Budget) -> Result<(), Refusal> {
        self.label_own(budget)
    }

    fn of(source: Source, budget: &Budget) -> Result<Self, Error> {
        Ok(Self::read(source, budget)?)
    }

    /// Reads a text in the format that its name, or else its beginning, tells.
    ///
    /// # Errors
    /// Why that gave nothing, with the text.
    pub fn read(source: Source, budget: &Budget) -> Result<Self, (Source, Refusal)> {
        let whole = |begun: Box<dyn Unexplored>| begun.explore(Reduction::none(), budget);
        Self::read_with(source, budget, whole)
    }

    /// The same; where a text can be read before states are looked for, those are found that are
    /// wanted.
    ///
    /// # Errors
    /// Why that gave nothing, with the text.
    pub fn read_with(
        source: Source,
        budget: &Budget,
        explore: impl FnOnce(Box<dyn Unexplored>) -> Result<Reading, Refusal>,
    ) -> Result<Self, (Source, Refusal)> {
        let read = match Format::of(&source) {
            Some(format) => match format.begin(&source, budget) {
                Ok(Some(begun)) => explore(begun),
                Ok(None) => format.read(&source, budget),
                Err(refusal) => Err(refusal),
            },
            None => Err(Refusal::Problems(vec![
                Problem::error("M101", "there is nothing in this text")
                    .hint("models are .tern, .rsm, .smv, .pds, .imp, .dot and .aut files"),
            ])),
        };
        match read {
            Ok(Reading { machine, mut claims, warnings, vocabulary }) => {
                claims.comparisons = vocabulary.is_some();
                let mut model = Model { source, machine, claims, warnings, vocabulary };
                match model.label_own(budget) {
                    Ok(()) => Ok(model),
                    Err(refusal) => Err((model.source, refusal)),
                }
            }
            Err(refusal) => {
                let refusal = how_it_was_read(&source, refusal);
                Err((source, refusal))
            }
        }
    }

    /// A claim in words, as it is decided: with the fairness conditions.
    ///
    /// # Panics
    /// If there is no such claim.
    pub fn show(&self, claim: usize) -> String {
        self.claims.list()[claim].property.show(&self.claims.formulas).to_string()
    }

    /// Adds a claim, `formula` or `name: formula`, and gives its number in the list.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn claim(&mut self, formula: &str) -> Result<usize, Error> {
        let source = add_claim(&mut self.claims, formula)?;
        self.label(&source)?;
        Ok(self.claims.list().len() - 1)
    }

    /// Adds the claims and the fairness conditions of a text, one a line.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn claims_in(&mut self, source: &Source) -> Result<(), Error> {
        let read = claims::read(source, &mut self.claims);
        read.map_err(|problems| Error::new(source.clone(), problems.into()))?;
        self.label(source)
    }

    /// Adds a fairness condition. It counts for all claims, also those that are there already.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn restrict(&mut self, condition: &str) -> Result<(), Error> {
        let source = add_condition(&mut self.claims, condition)?;
        self.label(&source)
    }

    /// Adds a strong fairness condition, `p, q`: only paths count on which q holds again and again
    /// if p does. It counts for all claims, also those that are there already.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn restrict_strongly(&mut self, pair: &str) -> Result<(), Error> {
        let read = claims::read_compassion(&mut self.claims.formulas, pair);
        let source = Source::new("strong fairness condition", pair);
        let read = read.map_err(|problems| Error::new(source.clone(), problems.into()))?;
        self.claims.restrict([read]);
        self.label(&source)
    }

    /// Makes labels of what the claims of the text say beyond labels.
    fn label_own(&mut self, budget: &Budget) -> Result<(), Refusal> {
        let expanded = vocabulary::expand(self.vocabulary.as_deref(), &mut self.claims, budget);
        if let Err(wrong) = expanded.map_err(Refusal::Limit)? {
            return Err(wrong.into_iter().map(|(_, problem)| problem).collect::<Vec<_>>().into());
        }
        let wanted = Wanted::by(&self.claims);
        let (machine, words) = (&mut self.machine, &mut self.vocabulary);
        let found = vocabulary::label(machine, words, &wanted, budget);
        let problems: Vec<Problem> =
            found.map_err(Refusal::Limit)?.into_iter().map(|(_, problem)| problem).collect();
        if problems.is_empty() { Ok(()) } else { Err(problems.into()) }
    }

    /// Makes labels of what the claims say beyond labels; blames a text that was added.
    fn label(&mut self, source: &Source) -> Result<(), Error> {
        let labelled = self.label_own(&Budget::unlimited());
        labelled.map_err(|refusal| Error::new(source.clone(), refusal))
    }

    /// Prepares to decide one claim of the list.
    ///
    /// # Panics
    /// If there is no such claim.
    pub fn ask(&self, claim: usize) -> Ask<'_> {
        Ask::new(self, self.claims.list()[claim].clone())
    }

    /// Prepares to decide many claims.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn session(&self, budget: &Budget) -> Result<Session<'_>, Limit> {
        Session::new(&self.machine, budget)
    }
}

/// Adds a claim, `formula` or `name: formula`, to a list. Gives the text that it was read from.
pub(crate) fn add_claim(claims: &mut Claims, formula: &str) -> Result<Source, Error> {
    let read = claims::read_one(claims, formula);
    let source = Source::new("formula", formula);
    read.map_err(|problems| Error::new(source.clone(), problems.into()))?;
    Ok(source)
}

/// Adds a fairness condition to a list. Gives the text that it was read from.
pub(crate) fn add_condition(claims: &mut Claims, condition: &str) -> Result<Source, Error> {
    let read = claims::read_fair(&mut claims.formulas, condition);
    let source = Source::new("fairness condition", condition);
    let read = read.map_err(|problems| Error::new(source.clone(), problems.into()))?;
    claims.restrict([read]);
    Ok(source)
}

/// The same refusal. If the format was guessed, its first problem says so besides.
fn how_it_was_read(source: &Source, mut refusal: Refusal) -> Refusal {
    let (named, read_as) = (Format::of_name(&source.name), Format::of(source));
    if let Refusal::Problems(problems) = &mut refusal
        && let Some(first) = problems.first_mut()
        && let Some(read_as) = read_as.filter(|_| named != read_as)
    {
        let called = read_as.called;
        let guess = match named {
            None => format!("the name does not tell the format, so this was read as {called}"),
            Some(_) => format!("this was read as {called}, because it begins like that"),
        };
        let hints: Vec<String> = first.hint.take().into_iter().chain([guess]).collect();
        first.hint = Some(hints.join("\n"));
    }
    refusal
}

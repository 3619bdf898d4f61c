//! Has claims decided, with all that is wanted besides the verdict.

use crate::certification;
use crate::{Error, Model};
use tern_certify::Stopped;
use tern_engine::{Checker, Engine, Options, Survey, meaning};
use tern_model::{
    Answer, Budget, Claim, Claims, Configuration, Formulas, Gap, Limit, Machine, Outcome, Start,
    Vacuous, Verdict,
};

/// A machine that is prepared once, for any number of claims.
pub struct Session<'m> {
    machine: &'m Machine,
    checker: Checker<'m>,
}

impl<'m> Session<'m> {
    /// Prepares a machine.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn new(machine: &'m Machine, budget: &Budget) -> Result<Self, Limit> {
        Ok(Session { machine, checker: Checker::new(machine, budget)? })
    }

    /// The machine.
    pub fn machine(&self) -> &'m Machine {
        self.machine
    }

    /// What of the machine can be reached.
    pub fn survey(&self) -> &Survey {
        self.checker.survey()
    }

    /// Decides a claim, whose formulas live in an arena. If runs are asked for, also finds what a
    /// claim that holds says of the machine.
    pub fn decide(
        &self,
        formulas: &Formulas,
        claim: &Claim,
        options: &Options,
        budget: &Budget,
    ) -> Answer {
        let mut answer = Answer::from(self.checker.decide(formulas, claim, options, budget));
        if answer.outcome.verdict == Verdict::Holds && options.runs.is_some() {
            let (found, missing) = meaning::of(&self.checker, formulas, claim, options, budget);
            answer.meaning = found;
            answer.outcome.missing.extend(missing);
        }
        answer
    }

    /// Whether a claim that holds does so because a premise in it is never fulfilled, as far as
    /// this is found out within the budget.
    pub fn vacuity(&self, formulas: &Formulas, claim: &Claim, budget: &Budget) -> Option<Vacuous> {
        meaning::vacuity(&self.checker, formulas, claim, budget)
    }

    /// Whether no run fulfils the fairness conditions of some claims, as far as this is found out
    /// within the budget.
    pub fn no_run_is_fair(&self, claims: &Claims, budget: &Budget) -> bool {
        meaning::no_run_is_fair(&self.checker, claims, budget)
    }

    /// Decides those of the claims that take less together than one by one, and leaves out the
    /// others; see [`Checker::decide_together`].
    pub fn decide_together(
        &self,
        formulas: &Formulas,
        claims: &[Claim],
        options: &Options,
        budget: &(impl Fn(usize) -> Budget + Sync),
    ) -> Vec<Option<Answer>> {
        let outcomes = self.checker.decide_together(formulas, claims, options, budget);
        outcomes.into_iter().map(|outcome| outcome.map(Answer::from)).collect()
    }

    /// Lets the certifier look at an answer that was given with evidence.
    pub fn certified(
        &self,
        formulas: &Formulas,
        claim: &Claim,
        answer: Answer,
        budget: &Budget,
    ) -> Answer {
        let subject = certification::Subject { machine: self.machine.into(), formulas, claim };
        certification::certified(subject, answer, budget)
    }
}

/// A claim that is about to be decided.
#[derive(Clone, Debug)]
pub struct Ask<'m> {
    model: &'m Model,
    claim: Claim,
    options: Options,
    certify: bool,
    budget: Budget,
}

impl<'m> Ask<'m> {
    pub(crate) fn new(model: &'m Model, claim: Claim) -> Self {
        let (options, budget) = (Options::default(), Budget::unlimited());
        Ask { model, claim, options, certify: false, budget }
    }

    /// By an engine, instead of the one that Tern chooses.
    ///
    /// # Errors
    /// That there is no engine of this name.
    pub fn engine(mut self, name: &str) -> Result<Self, Error> {
        let engine = Engine::named(name).ok_or_else(|| Error::Engine(name.to_owned()))?;
        self.options.engine = Some(engine);
        Ok(self)
    }

    /// In some configurations, instead of those that the claim is about.
    #[must_use]
    pub fn at(mut self, start: impl IntoIterator<Item = Configuration>) -> Self {
        self.claim.start = Start::At(start.into_iter().collect());
        self
    }

    /// With evidence that can be checked without Tern.
    #[must_use]
    pub fn evidence(mut self) -> Self {
        self.options.evidence = true;
        self
    }

    /// With a run that shows why, of so many moves at most.
    #[must_use]
    pub fn witness(mut self, most_moves: usize) -> Self {
        self.options.runs = Some(most_moves);
        self
    }

    /// With the nodes at which the claim holds.
    #[must_use]
    pub fn regions(mut self) -> Self {
        self.options.regions = true;
        self
    }

    /// With evidence that the certifier has accepted; a verdict whose evidence is refused becomes
    /// unknown.
    #[must_use]
    pub fn certified(mut self) -> Self {
        (self.options.evidence, self.certify) = (true, true);
        self
    }

    /// With all of these at once.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Within limits; what is not decided within them is unknown.
    #[must_use]
    pub fn within(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Decides the claim.
    pub fn decide(self) -> Answer {
        let Ask { model, claim, options, certify, budget } = self;
        let session = match model.session(&budget) {
            Ok(session) => session,
            Err(limit) => return Outcome::from(Verdict::Unknown(Gap::Limit(limit))).into(),
        };
        let formulas = &model.claims.formulas;
        let answer = session.decide(formulas, &claim, &options, &budget);
        if !certify {
            return answer;
        }
        let atoms = claim.property.atoms(formulas);
        let said: Vec<&str> = atoms.into_iter().map(|atom| formulas.atom_name(atom)).collect();
        let words = model.vocabulary.as_deref();
        let copies = certification::check_copies(&model.machine, words, &said, &budget);
        match copies {
            Ok(()) => session.certified(formulas, &claim, answer, &budget),
            Err(Stopped::Limit(limit)) => Outcome::from(Verdict::Unknown(Gap::Limit(limit))).into(),
            Err(Stopped::Refused(why)) => {
                Outcome::from(Verdict::Unknown(Gap::Refused(why.to_string()))).into()
            }
        }
    }
}

//! Claims and fairness conditions that are given on the command line, in files or as they are.

use super::{
    CLAIM_ENDINGS, FOR_AUTOMATA, Origin, Stop, automata_in, claim_for, counts, is_automaton,
    misplaced,
};
use crate::args::CheckArgs;
use crate::failure::Failure;
use tern::Model;
use tern_front::{Problem, Source, Vocabulary, Wrong, claims, input, vocabulary};
use tern_model::logic::Logic;
use tern_model::{Budget, Claims, Condition, FormulaId, Formulas, Limit, Machine, Must};

/// How a fairness condition is read.
type ReadCondition = fn(&mut Formulas, &str) -> Result<Condition, Vec<Problem>>;

/// Claims given on the command line, as far as they are read.
#[derive(Default)]
pub(super) struct GivenClaims {
    pub(super) claims: Claims,
    pub(super) origins: Vec<Origin>,
    pub(super) wrong: Vec<Wrong>,
    pub(super) stopped: Option<Limit>,
}

impl GivenClaims {
    /// Reads the files of claims, and the formulas of the command line.
    pub(super) fn read_explicit(&mut self, files: &[String], args: &CheckArgs, budget: &Budget) {
        for path in files {
            self.read_file(path, budget);
        }
        for (i, text) in args.formulas.iter().enumerate() {
            self.read_formula(i + 1, text);
        }
    }

    fn read_file(&mut self, path: &str, budget: &Budget) {
        match input::open_for(path, CLAIM_ENDINGS, budget) {
            Ok(source) if is_automaton(&source) => {
                let what = "an automaton, and no file of claims";
                self.wrong.push(misplaced(&source.name, what, FOR_AUTOMATA));
            }
            Ok(source) => {
                let before = counts(&self.claims);
                let read = claims::read(&source, &mut self.claims);
                self.note(source, before, read);
            }
            Err(refusal) => match Stop::new(Source::new(path, ""), refusal) {
                Stop::Wrong(wrong) => self.wrong.push(wrong),
                Stop::Limit(limit) => self.stopped = Some(limit),
            },
        }
    }

    fn read_formula(&mut self, number: usize, text: &str) {
        let before = counts(&self.claims);
        let read = claims::read_one(&mut self.claims, text);
        self.note(Source::new(format!("formula {number}"), text), before, read);
    }

    /// Reads a claim under a name.
    pub(super) fn read_named(&mut self, name: &str, text: &str) {
        let before = counts(&self.claims);
        let text = format!("\"{name}\": {text}");
        let source = Source::new(name, text.as_str());
        let read = claims::read(&source, &mut self.claims);
        self.note(source, before, read);
    }

    /// Adds the claims of the model, unless others are given explicitly. What the model says of its
    /// own fairness counts for claims from elsewhere too.
    pub(super) fn join(&mut self, model: Model, explicit: bool) -> Machine {
        let before = counts(&self.claims);
        if explicit {
            let Claims { formulas, .. } = &mut self.claims;
            let own = model.claims.fair().iter();
            let own = own.map(|it| it.import(&model.claims.formulas, formulas)).collect::<Vec<_>>();
            self.claims.restrict(own);
        } else {
            self.claims = model.claims;
        }
        self.origins.push(Origin::new(model.source, before, &self.claims));
        model.machine
    }

    pub(super) fn read_fairness(&mut self, args: &CheckArgs) {
        self.read_conditions(&args.fair, "fairness condition", claims::read_fair);
        let strong = "strong fairness condition";
        self.read_conditions(&args.compassion, strong, claims::read_compassion);
    }

    fn read_conditions(&mut self, texts: &[String], called: &str, read: ReadCondition) {
        let mut conditions = Vec::new();
        let (first, at) = counts(&self.claims);
        for (i, text) in texts.iter().enumerate() {
            let source = Source::new(format!("{called} {}", i + 1), text.as_str());
            match read(&mut self.claims.formulas, text) {
                Ok(condition) => {
                    let at = at + conditions.len();
                    conditions.push(condition);
                    let origin = Origin { source, claims: first..first, conditions: at..at + 1 };
                    self.origins.push(origin);
                }
                Err(problems) => self.wrong.push(Wrong { source, problems }),
            }
        }
        self.claims.restrict(conditions);
    }

    pub(super) fn read_automata(
        &mut self,
        args: &CheckArgs,
        budget: &Budget,
    ) -> Result<(), Failure> {
        let none = args.automaton.iter().map(|path| (path, Must::AcceptNone));
        let all = args.automaton_positive.iter().map(|path| (path, Must::AcceptAll));
        for (path, must) in none.chain(all) {
            let Claims { formulas, .. } = &self.claims;
            let conditions = self.claims.fair().iter();
            let mut conditions = conditions.flat_map(|condition| condition.fairness.formulas());
            let beyond = |&id: &FormulaId| formulas.logic(id) != Logic::Propositional;
            let beyond = conditions.find(beyond);
            if let Some(condition) = beyond {
                let condition = formulas.show(condition);
                return Err(Failure::Usage {
                    message: format!(
                        "the fairness condition `{condition}` cannot be combined with automata"
                    ),
                    hint: "with automata, conditions are boolean combinations of labels".to_owned(),
                });
            }
            let before = counts(&self.claims);
            match automata_in(path, &mut self.claims.formulas, budget) {
                Ok((automata, source)) => {
                    let claims = automata.into_iter();
                    // The conditions are those of all claims.
                    self.claims.extend(claims.map(|given| claim_for(given, must, Vec::new())));
                    self.origins.push(Origin::new(source, before, &self.claims));
                }
                Err(Stop::Wrong(problem)) => self.wrong.push(problem),
                Err(Stop::Limit(limit)) => return Err(Failure::Limit(limit)),
            }
        }
        Ok(())
    }

    /// Puts claims about each thing in the place of those that range over things.
    pub(super) fn expand(
        &mut self,
        vocabulary: Option<&dyn Vocabulary>,
        budget: &Budget,
    ) -> Result<(), Failure> {
        let expanded = vocabulary::expand(vocabulary, &mut self.claims, budget);
        match expanded.map_err(Failure::Limit)? {
            Ok(counts) => {
                let mut first = vec![0];
                for (i, count) in counts.iter().enumerate() {
                    first.push(first[i] + count);
                }
                for Origin { claims, .. } in &mut self.origins {
                    *claims = first[claims.start]..first[claims.end];
                }
            }
            Err(wrong) => {
                for (claim, problem) in wrong {
                    let origin = self.origins.iter().find(|it| it.claims.contains(&claim));
                    let source = origin.map_or(Source::new("claims", ""), |it| it.source.clone());
                    self.wrong.push(Wrong { source, problems: vec![problem] });
                }
            }
        }
        Ok(())
    }

    fn note(&mut self, source: Source, before: (usize, usize), read: Result<(), Vec<Problem>>) {
        match read {
            Ok(()) => self.origins.push(Origin::new(source, before, &self.claims)),
            Err(problems) => self.wrong.push(Wrong { source, problems }),
        }
    }
}

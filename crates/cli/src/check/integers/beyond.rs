//! Claims about integer programs that CTL cannot say: LTL and CTL*.
//!
//! First by claims of CTL that imply the claim, or its negation (`tern_program::c::stronger`); then
//! by listing states as a machine, on which the engines decide. What is not listed is a node of
//! which nothing is known there.

use super::deciding::{FEW_STATES, LITTLE_EFFORT, MOST_STATES};
use super::{Beside, Question, Task};
use crate::args::{Analysis, CheckArgs};
use std::collections::BTreeSet;
use tern_engine::{Checker, Options};
use tern_model::logic::ctl::{self, Program};
use tern_model::{Budget, Claim, FormulaId, Formulas, Machine, Verdict as Decided};
use tern_numeric::check::{Decision, Verdict, Wants};
use tern_program::c::claim::{self, Meanings};
use tern_program::c::explicit;
use tern_program::c::sample::{self, Asked, States};
use tern_program::c::stronger::around;

/// What there is of a claim that CTL cannot say, beside a claim that implies it.
pub(super) struct Star {
    /// The claim itself.
    formula: FormulaId,
    /// The claim that implies it.
    stronger: FormulaId,
    /// A claim that it implies.
    weaker: FormulaId,
    /// The normal form of that.
    pub(super) program: Program,
}

impl Star {
    /// The normal form of a claim that implies this one, and the rest.
    pub(super) fn new(formulas: &mut Formulas, claim: FormulaId) -> (Program, Star) {
        let (stronger, weaker) = around(formulas, claim);
        let lowered = |formula| {
            let lowered = ctl::lower(formulas, formula);
            lowered.unwrap_or_else(|_| unreachable!("each operator has a path quantifier"))
        };
        let (program, weak) = (lowered(stronger), lowered(weaker));
        (program, Star { formula: claim, stronger, weaker, program: weak })
    }
}

impl Task {
    /// Decides a claim that CTL cannot say.
    pub(super) fn decide_star(
        &self,
        index: usize,
        star: &Star,
        wants: Wants,
        args: &CheckArgs,
        budget: &Budget,
    ) -> (Decision, Beside) {
        let cells = |budget: &Budget| self.by_cells(index, star, wants, budget);
        let (mut decision, mut beside) = (Decision::open(), Beside::default());
        match args.analysis.unwrap_or(Analysis::Auto) {
            Analysis::Numeric => return cells(budget),
            Analysis::Auto => {
                // A few states are soon listed, where cells may take long.
                (decision, beside) = cells(&budget.clone().with_effort(LITTLE_EFFORT));
                self.by_machine(index, args, &mut decision, &mut beside, (FEW_STATES, budget));
                if decision.is_open() {
                    (decision, beside) = cells(budget);
                }
            }
            Analysis::Explicit | Analysis::Machine => {}
        }
        self.by_machine(index, args, &mut decision, &mut beside, (MOST_STATES, budget));
        (decision, beside)
    }

    /// Decides by cells: by claims of CTL that imply the claim or that it implies, or by reading
    /// runs.
    fn by_cells(
        &self,
        index: usize,
        star: &Star,
        wants: Wants,
        budget: &Budget,
    ) -> (Decision, Beside) {
        let Question { program, meanings, .. } = &self.questions[index];
        let mut beside = Beside::default();
        let stronger = claim::answer(&self.code.flow, program, meanings, wants, budget);
        if matches!(stronger.verdict, Verdict::Holds) {
            beside.by = Some(self.show(star.stronger));
            return (stronger, beside);
        }
        if let Some(weaker) = self.by_weaker(star, meanings, wants, budget) {
            beside.by = Some(format!("{}, which fails", self.show(star.weaker)));
            beside.replayed = self.is_false(star, &weaker.verdict);
            return (weaker, beside);
        }
        // That a stronger claim fails says nothing.
        let formula = (&self.claims.formulas, star.formula);
        let mut read = claim::by_runs(&self.code.flow, formula, meanings, wants, budget);
        match read.is_open() {
            false => beside.by = Some("reading runs".to_owned()),
            true => read.starts = stronger.starts,
        }
        (read, beside)
    }

    fn show(&self, formula: FormulaId) -> String {
        format!("`{}`", self.claims.formulas.show(formula))
    }

    /// That the claim fails, because what it implies does.
    fn by_weaker(
        &self,
        star: &Star,
        meanings: &Meanings,
        wants: Wants,
        budget: &Budget,
    ) -> Option<Decision> {
        let found = claim::answer(&self.code.flow, &star.program, meanings, wants, budget);
        let is_false = matches!(found.verdict, Verdict::Fails { .. });
        // Where the interpreter does not agree nothing is claimed.
        let is_right = is_false && self.replayed(star, &found.verdict) != Some(true);
        is_right.then_some(found)
    }

    /// What the interpreter says of the weaker claim from the values of a failure.
    fn replayed(&self, star: &Star, verdict: &Verdict) -> Option<bool> {
        let Verdict::Fails { values, .. } = verdict else { return None };
        let Asked { unit, settings, .. } = self.asked()?;
        let named = self.named(values).map(|(name, value)| (name.to_owned(), value)).collect();
        let claim = (&star.program, &self.claims.formulas);
        explicit::replay(unit, settings, &named, claim, &Budget::unlimited())
    }

    fn is_false(&self, star: &Star, verdict: &Verdict) -> bool {
        self.replayed(star, verdict) == Some(false)
    }

    /// Lists states as a machine, if the claim is open, and lets the engines decide.
    pub(super) fn by_machine(
        &self,
        index: usize,
        args: &CheckArgs,
        decision: &mut Decision,
        beside: &mut Beside,
        (most, budget): (sample::Most, &Budget),
    ) {
        let (Some(asked), Verdict::Unknown(_)) = (self.asked(), &decision.verdict) else { return };
        let claim = &self.claims.list()[index];
        let formulas = &self.claims.formulas;
        let names = propositions(formulas, claim);
        let options = Options {
            engine: args.engine.0,
            seed: args.seed.unwrap_or_default(),
            shuffle: args.shuffle,
            ..Options::default()
        };
        let holds = |machine: &Machine| holds(machine, formulas, claim, &options, budget);
        let found = asked.listing(mentioned(&names), most, budget, |states| {
            let all: Vec<usize> = (0..states.starts.len()).collect();
            match holds(&states.listed.machine(&names, &all)?)? {
                true => states.is_all.then_some(Verdict::Holds),
                false => asked.fails(&states.starts[first_false(states, &names, all, &holds)?]),
            }
        });
        if let Some(verdict) = found {
            beside.by = Some("all states, as a machine".to_owned());
            decision.verdict = verdict;
        }
    }
}

/// The propositions of a claim.
pub(super) fn propositions<'a>(formulas: &'a Formulas, claim: &Claim) -> Vec<&'a str> {
    claim.property.atoms(formulas).iter().map(|&atom| formulas.atom_name(atom)).collect()
}

/// The variables that propositions name.
pub(super) fn mentioned(propositions: &[&str]) -> BTreeSet<String> {
    sample::mentioned(propositions.iter().copied())
}

/// What the engines say of a machine.
fn holds(
    machine: &Machine,
    formulas: &Formulas,
    claim: &Claim,
    options: &Options,
    budget: &Budget,
) -> Option<bool> {
    let checker = Checker::new(machine, budget).ok()?;
    match checker.decide(formulas, claim, options, budget).verdict {
        Decided::Holds => Some(true),
        Decided::Fails => Some(false),
        Decided::Unknown(_) => None,
    }
}

/// One of some first states in which a claim is false that does not hold in all of them.
fn first_false(
    states: &States<'_>,
    names: &[&str],
    mut among: Vec<usize>,
    holds: &impl Fn(&Machine) -> Option<bool>,
) -> Option<usize> {
    while among.len() > 1 {
        let rest = among.split_off(among.len() / 2);
        // Without a run in any of them there is no machine, and the claim is true.
        let is_true = match states.listed.machine(names, &among) {
            Some(machine) => holds(&machine)?,
            None => true,
        };
        if is_true {
            among = rest;
        }
    }
    among.first().copied()
}
